//! However a text is cut, and wherever the sink pauses, skips and looks ahead: the same events and the same fault as the
//! naive twin finds in the whole of it.

use penstock_core::limits::Limits;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::RngSeed;

use super::naive::naive;
use super::recording::{Answers, Recorder, read, whole};
use super::rewriting::check;

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases: crate::effort::often(cases),
        rng_seed: RngSeed::Fixed(16),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// White space and comments, mostly short.
fn space() -> impl Strategy<Value = &'static str> + Clone {
    select(vec![
        "",
        "",
        "",
        "",
        " ",
        "\n",
        "\r\n\t",
        "\u{b}\u{c}",
        "\u{2028}",
        "/* a */",
        "/**/",
        "/* * / é */ ",
        "// b\n",
        "//\u{2026}\u{2029}",
        "// /*\r",
        "                         ",
    ])
}

fn string() -> impl Strategy<Value = String> + Clone {
    let part = prop_oneof![
        3 => "[a-z ]{1,4}",
        1 => select(vec!["é", "水", "𝄞", "\n", "\u{1}", "/*", "//", ";", "="]).prop_map(str::to_owned),
        2 => select(vec![r"\n", r"\\", r"\a\b\f\r\t\v", "\\\n", r"\q", r"\0", r"\12", r"\341", r"\é", r"\'", "\\\"",
            r"\U00e9", r"\u6C34", r"\Ud834\Udd1e", r"\1234"]).prop_map(str::to_owned),
        1 => (30_usize..70).prop_map(|n| "x".repeat(n)),
    ];
    let quoted = vec(part, 0..4).prop_map(|parts| format!("\"{}\"", parts.concat()));
    prop_oneof![
        3 => "[a-c]{1,2}",
        1 => "[a-zA-Z0-9_$/:.!#%&+?@|~^-]{1,9}",
        2 => quoted,
        1 => "'[a-z\" ]{0,3}'",
    ]
}

fn scalar() -> impl Strategy<Value = String> + Clone {
    let angle = vec![
        "<>",
        "<0fbd77 1c>",
        "< 00\n>",
        "<0f0>",
        "<[]>",
        "<[ cGVu c3RvY2s= ]>",
        "<[Zg==]>",
        "<[Zh==]>",
        "<[Zm9v]>",
        "<*I5>",
        "<*I\"-12\">",
        "<*I99999999999999999999>",
        "<*I-0099999999999999999999>",
        "<*R1.5>",
        "<*Rnan>",
        "<*R-inf>",
        "<*R1e999>",
        "<*BY>",
        "<*BN>",
        "<*BX>",
        "<*D2001-01-01 00:00:00 +0100>",
        "<*D2001-02-29 00:00:00 +0000>",
        "<*Q1>",
        "<*>",
    ];
    prop_oneof![3 => string(), 1 => select(angle).prop_map(str::to_owned)]
}

/// A document, with white space around it.
fn document() -> impl Strategy<Value = String> {
    let value = scalar().prop_recursive(4, 30, 5, |inner| {
        let spaced = (space(), inner, space())
            .prop_map(|(before, value, after)| [before, &value, after].concat());
        let entry = (
            space(),
            string(),
            space(),
            prop_oneof![1 => Just(None), 5 => spaced.clone().prop_map(Some)],
        )
            .prop_map(|(before, key, after, value)| match value {
                Some(value) => format!("{before}{key}{after}={value};"),
                None => format!("{before}{key}{after};"),
            });
        prop_oneof![
            (vec(spaced, 0..5), select(vec!["", ",", ", "])).prop_map(|(p, end)| {
                if p.is_empty() { "()".to_owned() } else { format!("({}{end})", p.join(",")) }
            }),
            (vec(entry, 0..5), space()).prop_map(|(p, s)| format!("{{{}{s}}}", p.concat())),
        ]
    });
    let strings = vec((space(), string(), space(), value.clone()), 0..4).prop_map(|entries| {
        entries
            .iter()
            .map(|(before, key, after, value)| format!("{before}{key}{after}= {value};"))
            .collect()
    });
    (space(), prop_oneof![3 => value, 1 => strings], space())
        .prop_map(|(before, value, after)| [before, &value, after].concat())
}

const TOKENS: &[&str] = &[
    "{", "}", "(", ")", "<", ">", "<*", "<[", "]", ",", ";", "=", "\"", "'", "\\", "\\U",
    "\\Ud800", "\\400", "\\376", "/", "/*", "//", "*/", "*", "0", "a", "\n", "\u{1}", "\u{feff}",
    "é", "𝄞", "\u{2028}", " ", "<*I5>",
];

/// A document that was damaged: often without any effect, mostly with one fault.
fn damaged() -> impl Strategy<Value = String> {
    let place = any::<Index>;
    let damage = (place(), select(TOKENS), 0_usize..3);
    (document(), vec(damage, 0..3)).prop_map(|(text, all)| {
        let mut text: Vec<char> = text.chars().collect();
        for (at, token, how) in all {
            let at = at.index(text.len() + 1);
            match how {
                0 => drop(text.splice(at..at, token.chars())),
                1 => drop(text.splice(at..(at + 2).min(text.len()), [])),
                _ => text.truncate(at.max(1)),
            }
        }
        text.into_iter().collect()
    })
}

fn cuts() -> impl Strategy<Value = Vec<u8>> {
    vec(prop_oneof![4 => 0_u8..6, 1 => 0_u8..80], 1..12)
}

proptest! {
    #![proptest_config(config(3_000))]

    #[test]
    fn any_windows_tell_the_same(
        text in damaged(), cuts in cuts(), skips in 0_u64..4, looks in 0_u64..4, pauses in 0_u64..100, portable: bool,
        short in prop_oneof![3 => Just(None), 1 => (0_usize..8).prop_map(Some)],
    ) {
        let mut limits = Limits { depth: 5, ..Limits::default() };
        if let Some(short) = short {
            (limits.token, limits.number) = (short, short + 2);
        }
        let answers = Answers { skips, looks };
        let expected = naive(&text, &limits, answers);
        let (events, reason) = whole(&text, &limits, answers);
        prop_assert_eq!(&events, &expected);
        for cuts in [&cuts[..], &[1]] {
            let mut recorder = Recorder { answers, pauses, portable, ..Recorder::default() };
            read(&text, &limits, cuts, &mut recorder);
            prop_assert_eq!(&recorder.events, &expected);
            prop_assert_eq!(&recorder.reason, &reason);
        }
    }

    #[test]
    fn what_is_read_is_written(text in damaged(), choice: u8) {
        check(&text, choice);
    }

    /// After a refused event the reader continues with the next one, or skips the abandoned value.
    #[test]
    fn what_is_given_up_is_passed_over(
        text in damaged(), cuts in cuts(), number: Index, depth in 0_usize..4,
    ) {
        let limits = Limits::default();
        let all = naive(&text, &limits, Answers::default());
        let refused = number.index(all.len());
        let mut recorder = Recorder { refusal: Some((refused, depth)), ..Recorder::default() };
        read(&text, &limits, &cuts, &mut recorder);

        let (mut open, mut passing) = (0_usize, false);
        let mut told = Vec::new();
        for (number, event) in all.into_iter().enumerate() {
            let silent = passing && !event.1.starts_with("fault");
            match &*event.1 {
                "begin map" | "begin list" => open += 1,
                "end map" | "end list" => open -= 1,
                _ => {}
            }
            if !silent {
                told.push(event);
            }
            passing = open > depth && (passing || number == refused);
        }
        prop_assert_eq!(recorder.events, told);
    }
}

/// Every cut of some texts in two and in three, with and without a limit on what looking ahead may read.
#[test]
fn every_cut() {
    let texts = [
        "{a = \"b\\341\\Ud834\\Udd1e\\\n\"; /* c */ 'd' = (e/f, <0f 1c>,); g; }",
        "\u{2028}a // b\r/**/ = <[Zg==]>; \"k\\n\" /*;*/; <",
        "x /y/ = <*I5>; \"\"=<*D2001-01-01 00:00:00 +0000>; z = {q = (",
        "/* */ \"alone\" // é",
        "a/b/*c*/ = d;",
        "(\"\\Ud834\\Udd\")",
        "((\"\\Ud83x\"))",
        "{a=b} // c",
    ];
    for text in texts {
        for (skips, looks, lookahead) in
            [(0, 0, 99), (1, 0, 99), (3, 0, 99), (0, 1, 99), (2, 2, 99), (0, 1, 12)]
        {
            let limits = Limits { lookahead, ..Limits::default() };
            let answers = Answers { skips, looks };
            let expected = whole(text, &limits, answers);
            if lookahead == 99 {
                assert_eq!(expected.0, naive(text, &limits, answers), "{text}");
            }
            for first in 1..=text.len() as u8 {
                for second in 1..=text.len() as u8 {
                    let mut recorder = Recorder { answers, ..Recorder::default() };
                    read(text, &limits, &[first, second, 255], &mut recorder);
                    assert_eq!(
                        (recorder.events, recorder.reason),
                        expected,
                        "{text} at {first} and {second}"
                    );
                }
            }
        }
    }
}
