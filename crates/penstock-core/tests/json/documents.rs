//! Random documents as text, and documents that were damaged.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

/// White space, mostly none.
fn space() -> impl Strategy<Value = &'static str> + Clone {
    select(vec!["", "", "", "", " ", "\n", "\r\n", "\t ", "                    "])
}

/// A number of any form and length.
pub(crate) fn number() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "-?(0|[1-9][0-9]{0,3})",
        2 => "-?(0|[1-9][0-9]{0,22})(\\.[0-9]{1,20})?([eE][+-]?[0-9]{1,3})?",
        1 => any::<i64>().prop_map(|number| number.to_string()),
        1 => any::<f64>().prop_filter("JSON has none", |n| n.is_finite()).prop_map(|n| format!("{n:e}")),
        1 => select(vec!["9223372036854775807", "9223372036854775808", "-9223372036854775808",
            "-9223372036854775809", "-0", "-0.0", "1e400", "-1e-400"]).prop_map(str::to_owned),
    ]
}

/// A string with its quotes: plain, with characters of every length, or with escapes.
pub(crate) fn string() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        3 => "[a-z ]{1,4}",
        2 => select(vec!["é", "水", "\u{2028}", "𝄞", "\u{7f}", "\u{ffff}", "/"]).prop_map(str::to_owned),
        2 => select(vec![r"\n", r#"\""#, r"\\", r"\/", r"\b\f\r\t", r"\u0000", r"\u00E9", r"\ud834\udd1e",
            r"\\\\\\"]).prop_map(str::to_owned),
        1 => (30_usize..70).prop_map(|n| "x".repeat(n)),
    ];
    let parts = vec(part, 0..5).prop_map(|parts| parts.concat());
    prop_oneof![2 => "[abc]?", 2 => parts].prop_map(|inside| format!("\"{inside}\""))
}

fn scalar() -> impl Strategy<Value = String> {
    let word = select(vec!["true", "false", "null"]).prop_map(str::to_owned);
    prop_oneof![word, number(), string()]
}

/// A document, with white space around it.
pub(crate) fn document() -> impl Strategy<Value = String> {
    let value = scalar().prop_recursive(5, 40, 5, |inner| {
        let spaced = (space(), inner, space())
            .prop_map(|(before, value, after)| [before, &value, after].concat());
        let member = (space(), string(), space(), spaced.clone())
            .prop_map(|(before, key, after, value)| format!("{before}{key}{after}:{value}"));
        let inside = |parts: Vec<String>, space: &str| match parts.len() {
            0 => space.to_owned(),
            _ => parts.join(","),
        };
        prop_oneof![
            (vec(spaced, 0..5), space()).prop_map(move |(p, s)| format!("[{}]", inside(p, s))),
            (vec(member, 0..5), space()).prop_map(move |(p, s)| format!("{{{}}}", inside(p, s))),
        ]
    });
    (space(), value, space()).prop_map(|(before, value, after)| [before, &value, after].concat())
}

/// One change that damages a text.
#[derive(Clone, Debug)]
enum Damage {
    /// The characters between two positions are removed.
    Cut(Index, Index),
    /// A token is inserted.
    Insert(Index, &'static str),
    /// The characters between two positions are repeated at a third.
    Repeat(Index, Index, Index),
    /// The text ends here.
    End(Index),
}

impl Damage {
    fn apply(&self, text: &str) -> String {
        let chars: Vec<char> = text.chars().collect();
        let place = |index: &Index| index.index(chars.len() + 1);
        let between = |a: &Index, b: &Index| {
            let (a, b) = (place(a), place(b));
            // Close together: many small cuts make a long one.
            (a.min(b), a.max(b).min(a.min(b) + 3))
        };
        let join = |parts: &[&[char]]| parts.iter().copied().flatten().collect();
        match self {
            Damage::Cut(a, b) => {
                let (from, to) = between(a, b);
                join(&[&chars[..from], &chars[to..]])
            }
            Damage::Insert(at, token) => {
                let token: Vec<char> = token.chars().collect();
                let (before, after) = chars.split_at(place(at));
                join(&[before, &token, after])
            }
            Damage::Repeat(a, b, at) => {
                let (from, to) = between(a, b);
                let (before, after) = chars.split_at(place(at));
                join(&[before, &chars[from..to], after])
            }
            Damage::End(at) => join(&[&chars[..place(at)]]),
        }
    }
}

/// Tokens to insert where they do not belong.
const TOKENS: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "\\",
    "\\u",
    "\\ud800",
    "\\x",
    "0",
    "-",
    ".",
    "e",
    "E+",
    "1",
    "true",
    "nul",
    "\n",
    "\r",
    "\t",
    "\u{1}",
    "\u{1e}",
    "é",
    "𝄞",
    "\u{feff}",
    "/",
    "'",
    " ",
    "NaN",
    "Infinity",
    "-Infinity",
    "-I",
    "\"a\":",
    "\"\"",
    "\\\n",
    "\\\u{1e}",
];

/// A damaged document: often without any effect, mostly with one fault.
pub(crate) fn damaged(text: impl Strategy<Value = String>) -> impl Strategy<Value = String> {
    let place = any::<Index>;
    let damage = prop_oneof![
        2 => (place(), place()).prop_map(|(a, b)| Damage::Cut(a, b)),
        4 => (place(), select(TOKENS)).prop_map(|(at, token)| Damage::Insert(at, token)),
        1 => (place(), place(), place()).prop_map(|(a, b, at)| Damage::Repeat(a, b, at)),
        1 => place().prop_map(Damage::End),
    ];
    (text, vec(damage, 1..4))
        .prop_map(|(text, all)| all.iter().fold(text, |text, damage| damage.apply(&text)))
}

/// The growth of the window.
pub(crate) fn cuts() -> impl Strategy<Value = super::recording::Cuts> {
    let growth = prop_oneof![4 => 0_u8..6, 1 => 0_u8..80];
    vec(growth, 1..12).prop_map(super::recording::Cuts)
}
