//! Each hop beside its naive twin, which looks at one byte after the other.

use penstock_scan::{dispatch, dispatch_portable};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::json::Items;
use super::lines::Lines;
use super::rows::Rows;
use super::xml::Children;
use super::{Child, Hop};
use crate::csv::RowKind;

/// The commas of the list.
fn naive_items(text: &[u8]) -> Hop {
    let (mut inside, mut escaped, mut depth) = (false, false, 0);
    let (mut commas, mut hop) = (0_u64, Hop::default());
    for (at, byte) in text.iter().enumerate() {
        if escaped {
            escaped = false;
            if matches!(byte, b'"' | b'\\') {
                continue;
            }
        }
        match byte {
            b'\\' => escaped = true,
            b'"' => inside = !inside,
            _ if inside => {}
            b'[' | b'{' => depth += 1,
            b']' | b'}' if depth == 0 => {
                hop.is_over = true;
                break;
            }
            b']' | b'}' => depth -= 1,
            b',' if depth == 0 => (commas, hop.at) = (commas + 1, at),
            _ => {}
        }
    }
    Hop { records: commas.saturating_sub(1), ..hop }
}

/// The line feeds, and the lines between them.
fn naive_lines(text: &[u8]) -> Hop {
    let (mut hop, mut records) = (Hop::default(), 0);
    let Some(mut at) = text.iter().position(|byte| *byte == b'\n') else { return hop };
    loop {
        (hop.at, hop.records) = (at, records);
        let rest = &text[at + 1..];
        let line = &rest[..rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len())];
        match line.iter().find(|byte| !b" \t\r".contains(byte)) {
            Some(0xEF) => return Hop { is_over: true, ..hop },
            Some(_) => records += 1,
            None => {}
        }
        if line.len() == rest.len() {
            return hop;
        }
        at += 1 + line.len();
    }
}

/// Where the row at the beginning of a text ends. `Err` says whether that is because it is wrong, and
/// not because more must come.
fn naive_row(text: &[u8], RowKind { delimiter, quote, .. }: RowKind) -> Result<usize, bool> {
    let mut at = 0;
    let (mut starts_cell, mut quoted, mut closed) = (true, false, false);
    loop {
        let byte = *text.get(at).ok_or(false)?;
        at += 1;
        if byte == 0 {
            return Err(true);
        }
        if quoted {
            (quoted, closed) = (Some(byte) != quote, Some(byte) == quote);
        } else if Some(byte) == quote {
            if !starts_cell && !closed {
                return Err(true);
            }
            (quoted, starts_cell, closed) = (true, false, false);
        } else if byte == b'\n' {
            return Ok(at);
        } else if byte == b'\r' {
            return match text.get(at) {
                Some(b'\n') => Ok(at + 1),
                Some(_) => Err(true),
                None => Err(false),
            };
        } else if byte == delimiter {
            (starts_cell, closed) = (true, false);
        } else if closed {
            return Err(true);
        } else {
            starts_cell = false;
        }
    }
}

/// The rows, one after the other.
fn naive_rows(text: &[u8], kind: RowKind) -> Hop {
    let mut hop = Hop::default();
    loop {
        match naive_row(&text[hop.at..], kind) {
            Ok(end) => {
                let row = &text[hop.at..hop.at + end];
                hop.at += end;
                let is_blank = matches!(row, b"\n" | b"\r\n");
                hop.records += u64::from(!is_blank || kind.are_blank_rows);
            }
            Err(is_over) => return Hop { is_over, ..hop },
        }
    }
}

fn child(name: &[u8]) -> Child {
    match name {
        b"r" | b"p:r" => Child::Record,
        b"u" => Child::Unknown,
        _ => Child::Other,
    }
}

/// The children of the element. `named` asks [`child`] for each.
fn naive_children(text: &[u8], named: bool) -> Hop {
    let find = |from: usize, end: &[u8]| {
        let found = text[from..].windows(end.len()).position(|window| window == end);
        found.map(|found| from + found + end.len())
    };
    let (mut hop, mut records, mut depth) = (Hop::default(), 0, 0);
    let mut at = 0;
    while at < text.len() {
        let begin = at;
        at += 1;
        if text[begin] != b'<' {
            continue;
        }
        let Some(first) = text.get(at).copied() else { break };
        let special = first | 0x1E == b'?' && first != b'/';
        if special {
            let rest = &text[at..];
            let forms: [(&[u8], &[u8]); 3] =
                [(b"?", b"?>"), (b"!--", b"-->"), (b"![CDATA[", b"]]>")];
            if let Some((begin, end)) = forms.iter().find(|form| rest.starts_with(form.0)) {
                match find(at + begin.len(), end) {
                    Some(end) => at = end,
                    None => break,
                }
                continue;
            }
            hop.is_over = !forms.iter().any(|form| form.0.starts_with(rest));
            break;
        }
        if first == b'/' {
            if depth == 0 {
                return Hop { at: begin, records, is_over: true };
            }
            depth -= 1;
        } else if first != b'<' {
            if depth == 0 {
                let end = text[at..].iter().position(|byte| b" \t\r\n/>".contains(byte));
                let kind = match (named, end) {
                    (false, _) => Child::Record,
                    (true, None) => return Hop { at: begin, records, ..hop },
                    (true, Some(end)) => child(&text[at..at + end]),
                };
                (hop.at, hop.records) = (begin, records);
                if kind == Child::Unknown {
                    hop.is_over = true;
                    return hop;
                }
                records += u64::from(kind == Child::Record);
            }
            depth += 1;
        }
        // The rest of the tag.
        let mut quote = None;
        loop {
            let Some(&byte) = text.get(at) else { return hop };
            at += 1;
            match (byte, quote) {
                (b'<', _) => return Hop { is_over: true, ..hop },
                (_, Some(open)) if byte == open => quote = None,
                (_, Some(_)) => {}
                (b'"' | b'\'', None) => quote = Some(byte),
                (b'>', None) => break,
                _ => {}
            }
        }
        if text[at - 2] == b'/' {
            if depth == 0 {
                return Hop { is_over: true, ..hop };
            }
            depth -= 1;
        }
    }
    hop
}

fn assert_items(text: &[u8]) {
    let naive = naive_items(text);
    assert_eq!(dispatch(Items(text)), naive, "{}", String::from_utf8_lossy(text));
    assert_eq!(dispatch_portable(Items(text)), naive, "{}", String::from_utf8_lossy(text));
}

fn assert_lines(text: &[u8]) {
    let naive = naive_lines(text);
    assert_eq!(dispatch(Lines(text)), naive, "{}", String::from_utf8_lossy(text));
    assert_eq!(dispatch_portable(Lines(text)), naive, "{}", String::from_utf8_lossy(text));
}

fn assert_rows(text: &[u8]) {
    for quote in [Some(b'"'), None] {
        for are_blank_rows in [false, true] {
            let kind = RowKind { delimiter: b',', quote, are_blank_rows };
            let naive = naive_rows(text, kind);
            let shown = String::from_utf8_lossy(text);
            assert_eq!(dispatch(Rows(text, kind)), naive, "{shown:?}");
            assert_eq!(dispatch_portable(Rows(text, kind)), naive, "{shown:?}");
        }
    }
}

fn assert_children(text: &[u8]) {
    for named in [false, true] {
        let naive = naive_children(text, named);
        let is = || named.then_some(child);
        assert_eq!(dispatch(Children(text, is())), naive, "{}", String::from_utf8_lossy(text));
        let portable = dispatch_portable(Children(text, is()));
        assert_eq!(portable, naive, "{}", String::from_utf8_lossy(text));
    }
}

/// Pieces that mean something, and some that are long, in any order.
fn any_of(pieces: &'static [&'static str]) -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        12 => prop::sample::select(pieces).prop_map(str::to_owned),
        1 => (0..140_usize).prop_map(|length| "x".repeat(length)),
    ];
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat().into_bytes())
}

const OF_JSON: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ",",
    "\"",
    "\\",
    "\\\\",
    "\\\"",
    ":",
    "1",
    " ",
    "é",
    "{\"a\":[1,2]}",
    "[]",
    "\"a,]\\\\\"",
    ",{}",
    ",{\"b\":\"}\"}",
    ",\"\\\\\\\"\"",
];

const OF_LINES: &[&str] = &[
    "\n",
    "\n",
    "\r\n",
    " ",
    "\t",
    "\r",
    "x",
    "é",
    "{}",
    "\n                                  ",
    "\u{feff}",
    "\u{ff}",
];

const OF_ROWS: &[&str] =
    &["\n", "\n", "\r\n", ",", ",", "a", "é", "\"x\n,\"", "\"\"", ",\"a\"\"\r\n\",", "\n\"", "\","];

/// What is wrong in most places.
const OF_WRONG_ROWS: &[&str] = &["\n", "\r", "\"", "a", ",", "\0", "\r\n", "\"\""];

/// What one block must know of the one before: any three of these around the border between two.
#[test]
fn rows_around_a_border() {
    for before in 59..=64 {
        for first in OF_WRONG_ROWS {
            for second in OF_WRONG_ROWS {
                for third in OF_WRONG_ROWS {
                    for quote in ["", "\""] {
                        let cell = "x".repeat(before - quote.len() - 2);
                        let text = format!("a\n{quote}{cell}{first}{second}{third}\nb\n");
                        assert_rows(text.as_bytes());
                    }
                }
            }
        }
    }
}

const OF_XML: &[&str] = &[
    "<",
    ">",
    "/",
    "\"",
    "'",
    "!",
    "?",
    "=",
    " ",
    "é",
    "]",
    "-",
    "<r>",
    "</r>",
    "<r/>",
    "<a>",
    "</a>",
    "<a b=\"c\"/>",
    "<p:r b=\"'\">",
    "</p:r>",
    "<r a='\"' b=\">\"/>",
    "<a\nb='/>'>",
    "<!-- <r> -->",
    "<!--",
    "-->",
    "<![CDATA[ <r/> ]] ]]>",
    "<![CDATA[",
    "]]>",
    "<?a <r> ?>",
    "<u/>",
    "<rr/>",
];

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 300,
        rng_seed: RngSeed::Fixed(1),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn any_items(text in any_of(OF_JSON)) {
        assert_items(&text);
    }

    #[test]
    fn any_lines(text in any_of(OF_LINES)) {
        assert_lines(&text);
    }

    #[test]
    fn any_rows(text in prop_oneof![3 => any_of(OF_ROWS), 1 => any_of(OF_WRONG_ROWS)]) {
        assert_rows(&text);
    }

    #[test]
    fn rows_that_are_cut(text in any_of(OF_ROWS)) {
        for cut in 0..=text.len() {
            assert_rows(&text[..cut]);
        }
    }

    #[test]
    fn any_children(text in any_of(OF_XML)) {
        assert_children(&text);
    }

    /// Text as it should be, cut everywhere.
    #[test]
    fn children_of_good_text(
        parts in prop::collection::vec(prop::sample::select(&[
            "<r>", "<a>", "<p:r b='c'>", "<r a=\"it's\" b='\"'>", "<a b='>'>", "<a b=\"/>\">", "<r/>",
            "<a b='c'/>", "<a b=\"c\" />", "text 'of \"a /> b", "<!-- <r> > -->", "<![CDATA[<r>]]>",
            "<?p <r> ?>", "&amp;", "/", "/", "/",
        ][..]), 0..30),
    ) {
        let (mut text, mut open) = (String::new(), Vec::new());
        for part in parts {
            if part == "/" {
                text.extend(open.pop().map(|name| format!("</{name}>")));
                continue;
            }
            text.push_str(part);
            let name = part.strip_prefix('<').filter(|tag| tag.starts_with(char::is_alphabetic));
            if let (Some(tag), false) = (name, part.ends_with("/>")) {
                open.push(tag.split([' ', '>']).next().unwrap_or_default());
            }
        }
        for name in open.iter().rev() {
            text.push_str(&format!("</{name}>"));
        }
        text.push_str("</list>");
        for cut in 0..=text.len() {
            assert_children(&text.as_bytes()[..cut]);
        }
    }
}
