//! The inputs of the tests: bytes and texts of the kinds that the kernels branch on.

use proptest::collection::vec;
use proptest::prelude::*;

/// The borders of each class of JSON bytes, and twins of its signs in all but one bit.
const CLASS_EDGES: &[u8] = b"\x00\x09\x0a\x0c\x0d\x1a\x1f\x20\x21\x2a\x3b\x5c\x7f\x80\xa2\xfb";

/// The bytes where UTF-8's rules change.
const UTF8_EDGES: &[u8] =
    b"\x00\x7f\x80\x8f\x90\x9f\xa0\xbf\xc0\xc1\xc2\xdf\xe0\xe1\xed\xef\xf0\xf1\xf4\xf5\xff";

/// Bytes that mean something to JSON, between bytes that do not, and every other byte at times.
pub(super) fn json_bytes(most: usize) -> impl Strategy<Value = Vec<u8>> {
    let byte = prop_oneof![
        8 => b'a'..=b'z',
        2 => prop::sample::select(&b"\"\\{}[]:, \t\n\r"[..]),
        1 => prop::sample::select(CLASS_EDGES),
        1 => any::<u8>(),
    ];
    vec(byte, 0..=most)
}

/// Bytes that mean something to XML, between bytes that do not, and every other byte at times.
pub(super) fn xml_bytes(most: usize) -> impl Strategy<Value = Vec<u8>> {
    let byte = prop_oneof![
        16 => b'a'..=b'z',
        4 => prop::sample::select(&b"AZ09.-_:"[..]),
        2 => prop::sample::select(&b"<>&]\"'/=;# \t\n\r"[..]),
        1 => prop::sample::select(&b"\x00\x1f@[`{\x7f\x80\xbf\xc3\xe6\xee\xef\xf0\xff"[..]),
        1 => any::<u8>(),
    ];
    vec(byte, 0..=most)
}

/// Mostly white space, in runs.
pub(super) fn spaces(most: usize) -> impl Strategy<Value = Vec<u8>> {
    let byte = prop_oneof![
        40 => Just(b' '),
        4 => prop::sample::select(&b"\t\n\r"[..]),
        1 => any::<u8>(),
    ];
    vec(byte, 0..=most)
}

/// Long plain runs, which reach the kernels' main loops and their ends.
pub(super) fn long_runs(most: usize) -> impl Strategy<Value = Vec<u8>> {
    let byte = prop_oneof![120 => b'a'..=b'z', 1 => any::<u8>()];
    vec(byte, 0..=most)
}

/// Text with runs of one script each, like a column of names.
pub(super) fn text() -> impl Strategy<Value = String> {
    let run = |chars: std::ops::RangeInclusive<char>| {
        vec(proptest::char::ranges(vec![chars].into()), 0..30)
            .prop_map(|chars| chars.into_iter().collect::<String>())
    };
    let runs = prop_oneof![
        4 => run('\0'..='\u{7f}'),
        2 => run('\u{80}'..='\u{ff}'),
        2 => run('а'..='я'),
        2 => run('\u{800}'..='\u{ffff}'),
        1 => run('\u{10000}'..='\u{10ffff}'),
        1 => run('\0'..='\u{10ffff}'),
    ];
    vec(runs, 0..5).prop_map(|runs| runs.concat())
}

/// Damaged text: cut anywhere, or with a byte inserted that may not fit there.
pub(super) fn almost_text() -> impl Strategy<Value = Vec<u8>> {
    let edge = prop::sample::select(UTF8_EDGES);
    (text(), vec((any::<prop::sample::Index>(), edge), 0..3), any::<prop::sample::Index>())
        .prop_map(|(text, damage, cut)| {
            let mut bytes = text.into_bytes();
            for (at, byte) in damage {
                if !bytes.is_empty() {
                    let at = at.index(bytes.len());
                    bytes[at] = byte;
                }
            }
            // One time in four whole, otherwise cut.
            let end = cut.index(bytes.len() * 4 / 3 + 1).min(bytes.len());
            bytes.truncate(end);
            bytes
        })
}

/// The inside of a JSON string: plain runs and escapes, a few of them wrong.
pub(super) fn escapes() -> impl Strategy<Value = String> {
    let unit = |range: std::ops::Range<u32>| {
        (range, any::<bool>()).prop_map(|(unit, upper)| {
            if upper { format!("\\u{unit:04X}") } else { format!("\\u{unit:04x}") }
        })
    };
    let piece = prop_oneof![
        6 => vec(unit(0x400..0x460), 1..12).prop_map(|units| units.concat()),
        4 => unit(0..0xD800),
        4 => (unit(0xD800..0xDC00), unit(0xDC00..0xE000)).prop_map(|(a, b)| a + &b),
        4 => prop::sample::select(&["\\\"", "\\\\", "\\/", "\\b", "\\f", "\\n", "\\r", "\\t"][..])
            .prop_map(str::to_owned),
        4 => "[a-z ]{0,40}",
        2 => "[а-я ]{0,12}",
        1 => text(),
    ];
    let wrong = prop_oneof![
        unit(0xD800..0xE000),
        "\\\\[ -~а\u{1}]?",
        "\\\\u[0-9a-gA-G]{0,4}",
        ("\\\\ud[89ab][0-9a-f]{2}", "\\\\u[0-9a-g]{0,4}").prop_map(|(a, b)| a + &b),
        ("\\\\ud[89ab][0-9a-f]{2}", "\\\\[nu]?").prop_map(|(a, b)| a + &b),
    ];
    (vec(piece, 0..6), prop::option::weighted(0.4, wrong), any::<prop::sample::Index>()).prop_map(
        |(mut pieces, wrong, at)| {
            if let Some(wrong) = wrong {
                pieces.insert(at.index(pieces.len() + 1), wrong);
            }
            pieces.concat()
        },
    )
}
