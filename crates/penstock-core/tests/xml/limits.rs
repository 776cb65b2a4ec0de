//! Each limit of markup at the last value that it allows, and at the first that it does not,
//! however the text is cut and whatever the sink skips.

use penstock_core::error::Kind::Limit;
use penstock_core::limits::Limits;
use penstock_core::xml::Options;

use crate::recording::{Answers, Cuts, Recorder, What, read};

/// The limit that a text exceeds, and its offset.
fn exceeded(text: &str, limits: &Limits) -> Option<(u64, String)> {
    let fault = |cuts: &Cuts, answers| {
        let mut recorder = Recorder::new(answers);
        read(text, Options::default(), limits, cuts, &mut recorder);
        match recorder.events.pop() {
            Some((at, What::Fault(kind, reason))) => {
                assert_eq!(kind, Limit, "{text:?}: {reason}");
                Some((at, reason))
            }
            _ => None,
        }
    };
    let whole = fault(&Cuts::WHOLE, Answers::default());
    for cuts in [Cuts::WHOLE, Cuts::bytes(), Cuts(vec![5, 0, 3])] {
        for skips in 0..8 {
            assert_eq!(fault(&cuts, Answers::skipping(skips)), whole, "{text:?} {cuts:?}");
        }
    }
    whole
}

/// The first text is within the limit, and the second exceeds it at this offset.
fn assert_between(good: &str, bad: &str, limits: &Limits, name: &str, at: u64) {
    assert_eq!(exceeded(good, limits), None);
    let (found, reason) = exceeded(bad, limits).unwrap();
    assert!(reason.contains(name), "{reason}");
    assert_eq!(found, at, "{reason}");
}

#[test]
fn depth() {
    let limits = Limits { depth: 3, ..Limits::default() };
    let (good, bad) = ("<a><a><a/></a><a>x</a></a>", "<a><a><a/><a><a/></a></a></a>");
    assert_between(good, bad, &limits, "limits.depth", 13);
}

#[test]
fn attributes() {
    let limits = Limits { attributes: 2, ..Limits::default() };
    let (good, bad) = ("<a b='' c=''/>", "<a><b xmlns='' b='' c=''/></a>");
    let (_, reason) = exceeded(bad, &limits).unwrap();
    assert!(reason.contains("limits.attributes"), "{reason}");
    assert_eq!(exceeded(good, &limits), None);
}

#[test]
fn names() {
    let limits = Limits { name: 4, ..Limits::default() };
    for (good, bad) in [
        ("<abcd/>", "<abcde/>"),
        ("<a abcd=''/>", "<a abcde=''/>"),
        ("<a><?abcd?></a>", "<a><?abcde?></a>"),
    ] {
        assert_eq!(exceeded(good, &limits), None);
        let (_, reason) = exceeded(bad, &limits).unwrap();
        assert!(reason.contains("limits.name"), "{reason}");
    }
}

#[test]
fn tags() {
    let limits = Limits { tag: 10, ..Limits::default() };
    assert_between("<a b='1'/>", "<a><a b='12'/></a>", &limits, "limits.tag", 3);
    assert_between("<a></a      >", "<a></a       >", &limits, "limits.tag", 3);
}
