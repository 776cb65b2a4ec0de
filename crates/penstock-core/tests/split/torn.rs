//! A part that may end within a row: what is read of it is what is read of the whole text, whatever
//! follows.

use crate::parts::{Counting, Got, Shown, finish, windows};
use penstock_core::csv::{Header, Options, Reader, Terminator};
use penstock_core::formats::Reader as AnyReader;
use penstock_core::limits::Limits;
use penstock_core::run::{Policy, RecordScope, Run};
use penstock_core::source::Detect;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

fn reader(options: &Options) -> AnyReader {
    AnyReader::Csv(Box::new(Reader::new(options, &Limits::default()).expect("possible")))
}

fn read(options: &Options, text: &str, step: usize, cut: Option<usize>) -> Got {
    let input = windows(text.as_bytes(), step, Detect::Nothing);
    let mut run = match cut {
        None => Run::new(reader(options), input, Policy::Hand),
        Some(cut) => Run::new(reader(options), input.up_to(cut as u64), Policy::Hand),
    };
    if cut.is_some() {
        run.leave_torn();
    }
    let mut got = Got::default();
    finish(run, RecordScope::new(Counting::default(), None), Shown::Place, &mut got);
    got
}

/// Reads a text up to the end of each of its lines. A carriage return ends one if `by_return`.
fn same(options: &Options, text: &str, step: usize, by_return: bool) {
    let whole = read(options, text, step, None);
    for (at, byte) in text.bytes().enumerate() {
        let cut = at + 1;
        if byte != b'\n' && !(byte == b'\r' && by_return && cut < text.len()) {
            continue;
        }
        let got = read(options, text, step, Some(cut));
        let told = format!("{text:?} up to {cut}\n{got:?}\n{whole:?}\n{options:?}");
        assert!(whole.events.starts_with(&got.events), "{told}");
        assert!(whole.problems.starts_with(&got.problems), "{told}");
        // Rows that have ended are not left.
        let is_escaped = options.escape.is_some() && text[..at].ends_with('\\');
        let alone = read(options, &text[..cut], step, None);
        if !is_escaped && alone.problems.is_empty() && whole.events.starts_with(&alone.events) {
            assert_eq!(got.events, alone.events, "{told}");
        }
    }
}

fn options() -> impl Strategy<Value = Options> {
    let header = prop_oneof![
        Just(Header::First),
        Just(Header::Positions),
        Just(Header::InputView(vec!["a".into(), "b".into()])),
    ];
    let escape = prop_oneof![Just(None), Just(Some(b'\\'))];
    let comment = prop_oneof![Just(None), Just(Some("#".into()))];
    (header, escape, comment, any::<bool>()).prop_map(|(header, escape, comment, any)| Options {
        header,
        escape,
        comment,
        terminator: if any { Terminator::Any } else { Terminator::AsFirst },
        ..Options::default()
    })
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 250,
        rng_seed: RngSeed::Fixed(1),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn rows(
        options in options(), end in prop_oneof![Just("\n"), Just("\r\n"), Just("\r")],
        pieces in prop::collection::vec(prop::sample::select(vec![
            "a", "b", ",", "\"", "\r", "\n", "\r\n", "\\", "#", "1,2", "\"x\r", "y\",3", "END",
        ]), 0..24),
        step in 1..40_usize,
    ) {
        let text = format!("a,b{end}{}", pieces.concat().replace("END", end));
        let first = matches!(options.terminator, Terminator::AsFirst);
        let behind = text.as_bytes().get(4);
        let by_return = !first || (end == "\r" && behind.is_some_and(|byte| *byte != b'\n'));
        same(&options, &text, step, by_return);
    }
}

#[test]
fn a_carriage_return_within_quotes_ends_no_row() {
    for (text, by_return, escape) in [
        ("a,b\n1,2\n3,\"x\ry\"\n", true, None),
        ("a,b\r1,2\r3,\"x\ry\"\r5,6\r", true, None),
        ("a,b\r1,2\r3,x\\\ry\r5,6\r", true, Some(b'\\')),
    ] {
        let options = Options { escape, ..Options::default() };
        for step in 1..20 {
            same(&options, text, step, by_return);
        }
    }
}
