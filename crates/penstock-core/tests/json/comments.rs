//! Comments and trailing commas: a text with them is the text without them, with blanks in their place.

use penstock_core::error::Kind;
use penstock_core::json::Framing;
use penstock_core::limits::Limits;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use crate::documents::{cuts, damaged, document};
use crate::naive::{Event, What, naive};
use crate::recording::{Answers, Cuts, Recorder, read};
use crate::{config, expected};

/// What may stand between two tokens.
const COMMENTS: [&str; 9] = [
    "//\n",
    "// a \"b\" {[,]}:\n",
    "// \u{e9}\u{6c34} */\r\n",
    "/**/",
    "/***/",
    "/* , } ] \" */",
    "/* // */",
    "/*\n * two\n */",
    "/*/ \u{1d11e} /*/",
];

/// A text with comments and trailing commas, and the same with blanks in their place. `chosen` says which, and where.
fn commented(text: &str, chosen: &[Option<&str>], commas: bool) -> (String, String) {
    let (mut with, mut without) = (String::new(), String::new());
    let mut chosen = chosen.iter().cycle();
    let (mut in_string, mut escaped, mut before) = (false, false, None);
    let mut comment = |with: &mut String, without: &mut String| {
        if let Some(Some(comment)) = chosen.next() {
            with.push_str(comment);
            without.extend(comment.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }));
        }
    };
    for token in text.chars() {
        let is_structure = !in_string && "{}[],:".contains(token);
        if is_structure {
            comment(&mut with, &mut without);
            if commas && "}]".contains(token) && !matches!(before, Some('{' | '[')) {
                with.push(',');
                without.push(' ');
                comment(&mut with, &mut without);
            }
        }
        with.push(token);
        without.push(token);
        if is_structure {
            comment(&mut with, &mut without);
        }
        if !token.is_ascii_whitespace() {
            before = Some(token);
        }
        in_string ^= token == '"' && !escaped;
        escaped = token == '\\' && !escaped;
    }
    comment(&mut with, &mut without);
    (with, without)
}

fn events(text: &str, cuts: &Cuts, answers: Answers, shared: bool) -> Vec<Event> {
    let mut recorder = Recorder { shared, ..Recorder::answering(answers) };
    read(text, Framing::Document, &Limits::default(), cuts, &mut recorder);
    recorder.events
}

proptest! {
    #![proptest_config(config(800))]

    #[test]
    fn they_are_blanks(
        text in document(), chosen in vec(proptest::option::of(select(&COMMENTS[..])), 1..12), commas: bool,
        cuts in cuts(), skips in 0_u64..3, looks in 0_u64..3, shared: bool,
    ) {
        let (with, without) = commented(&text, &chosen, commas);
        let answers = Answers { skips, looks, ..Answers::default() };
        let plain = naive(&without, Framing::Document, &Limits::default(), answers);
        let taking = Answers { comments: true, ..answers };
        prop_assert_eq!(events(&with, &cuts, taking, shared), plain);
    }

    /// Without them, nothing is taken that JSON does not have, but for a trailing comma.
    #[test]
    fn any_windows_tell_the_same(
        text in document(), chosen in vec(proptest::option::of(select(&COMMENTS[..])), 1..12), commas: bool,
        cuts in cuts(), skips in 0_u64..3,
    ) {
        let (with, _) = commented(&text, &chosen, commas);
        let answers = Answers { skips, comments: true, ..Answers::default() };
        let whole = events(&with, &Cuts::WHOLE, answers, false);
        prop_assert_eq!(&events(&with, &cuts, answers, false), &whole);
        prop_assert_eq!(events(&with, &Cuts::bytes(), answers, true), whole);
    }

    #[test]
    fn so_do_damaged_ones(
        text in damaged(document()), chosen in vec(proptest::option::of(select(&COMMENTS[..])), 1..12), commas: bool,
        cuts in cuts(), skips in 0_u64..3,
    ) {
        let (with, _) = commented(&text, &chosen, commas);
        let answers = Answers { skips, comments: true, ..Answers::default() };
        let whole = events(&with, &Cuts::WHOLE, answers, false);
        prop_assert_eq!(&events(&with, &cuts, answers, false), &whole);
        prop_assert_eq!(events(&with, &Cuts::bytes(), answers, false), whole);
    }

    /// What has none is read as ever, but for a trailing comma, which a damaged text may have.
    #[test]
    fn what_is_json_stays_so(text in damaged(document()), cuts in cuts(), skips in 0_u64..3) {
        let plain = expected(&text, Framing::Document, skips);
        let taking = events(&text, &cuts, Answers { skips, comments: true, ..Answers::default() }, false);
        let is_comma = |(at, what): &Event| {
            matches!(what, What::Fault(_)) && text.get(*at..).is_some_and(|rest| rest.starts_with(['}', ']', '/']))
        };
        if !plain.last().is_some_and(is_comma) {
            prop_assert_eq!(taking, plain);
        }
    }
}

/// Where one may stand, and what none is: the offset and the kind of the fault.
#[test]
fn by_hand() {
    let good = [
        "// a\n1",
        "1 // a",
        "1//",
        "/**/1/**/",
        "[1,]",
        "[[],]",
        "{\"a\":1,}",
        "{/*1*/\"a\"/*2*/:/*3*/1/*4*/,/*5*/}",
        "[1,// a\r2]",
        "/*\n*/{}//\n//\n",
        "[\"/* a */\", \"// b\",]",
    ];
    let bad = [
        ("[,]", 1, Kind::Malformed),
        ("{,}", 1, Kind::Malformed),
        ("[1,,]", 3, Kind::Malformed),
        ("{\"a\":,}", 5, Kind::Malformed),
        ("{\"a\":}", 5, Kind::Malformed),
        ("1,", 1, Kind::Malformed),
        ("{\"a\",}", 4, Kind::Malformed),
        ("[1 / 2]", 3, Kind::Malformed),
        ("/ 1", 0, Kind::Malformed),
        ("/", 0, Kind::Malformed),
        ("[1]/", 3, Kind::Malformed),
        ("# a\n1", 0, Kind::Malformed),
        ("[1 /* 2]", 8, Kind::Truncated),
        ("/*/", 3, Kind::Truncated),
        ("/*", 2, Kind::Truncated),
        ("// 1", 4, Kind::Truncated),
        ("[1, // a", 8, Kind::Truncated),
        ("1 2", 2, Kind::Malformed),
        ("[1}", 2, Kind::Malformed),
        ("[1,}", 3, Kind::Malformed),
        ("{\"a\":1,]", 7, Kind::Malformed),
    ];
    let answers = |skips| Answers { skips, comments: true, ..Answers::default() };
    for skips in 0..4 {
        for text in good {
            let whole = events(text, &Cuts::WHOLE, answers(skips), false);
            assert!(!matches!(whole.last(), Some((_, What::Fault(_))) | None), "{text}: {whole:?}");
            for first in 1..=text.len() as u8 {
                let cuts = Cuts(vec![first, 255]);
                assert_eq!(
                    events(text, &cuts, answers(skips), false),
                    whole,
                    "{text} cut at {first}"
                );
            }
            assert_eq!(events(text, &Cuts::bytes(), answers(skips), false), whole, "{text}");
        }
        for (text, at, kind) in bad {
            for first in 0..=text.len() as u8 {
                let cuts = if first == 0 { Cuts::WHOLE } else { Cuts(vec![first, 255]) };
                let found = events(text, &cuts, answers(skips), false);
                assert_eq!(found.last(), Some(&(at, What::Fault(kind))), "{text} cut at {first}");
            }
        }
    }
}

/// Lines and sequences have none: their records are found by the lines.
#[test]
fn streams_have_none() {
    let answers = Answers { comments: true, ..Answers::default() };
    for framing in [Framing::Lines, Framing::Concatenated] {
        let mut recorder = Recorder::answering(answers);
        read("// a\n1", framing, &Limits::default(), &Cuts::WHOLE, &mut recorder);
        assert_eq!(recorder.events[0], (0, What::Fault(Kind::Malformed)));
    }
}
