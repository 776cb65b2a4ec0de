//! The twins: the meaning of each kernel, written in the most obvious way.

use crate::{BadEscape, EscapeKind, Marks, Rest, Shape, StringEnd, Width};

pub(super) fn json_string(bytes: &[u8], from: usize) -> StringEnd {
    run(bytes, from, |b| b == b'"' || b == b'\\' || b < 0x20)
}

pub(super) fn space(bytes: &[u8], from: usize) -> usize {
    let mut at = from;
    while matches!(bytes.get(at), Some(b' ' | b'\n' | b'\r' | b'\t')) {
        at += 1;
    }
    at
}

pub(super) fn xml_text(bytes: &[u8], from: usize) -> StringEnd {
    run(bytes, from, |b| {
        matches!(b, b'<' | b'&' | b']' | 0xEF) || (b < 0x20 && b != b'\t' && b != b'\n')
    })
}

pub(super) fn xml_value(bytes: &[u8], from: usize) -> StringEnd {
    run(bytes, from, |b| matches!(b, b'"' | b'\'' | b'<' | b'&' | 0xEF) || b < 0x20)
}

pub(super) fn xml_name(bytes: &[u8], from: usize) -> usize {
    let stops = |b: u8| !(b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b'_'));
    run(bytes, from, stops).at
}

pub(super) fn stops(bytes: &[u8; 64], set: &[u8]) -> (u64, u64) {
    let bits =
        |is: &dyn Fn(u8) -> bool| (0..64).map(|place| u64::from(is(bytes[place])) << place).sum();
    (bits(&|byte| set.contains(&byte)), bits(&|byte| byte >= 0x80))
}

pub(super) fn parity(bits: u64) -> u64 {
    let is_odd = |place: u32| (bits << (63 - place)).count_ones() % 2;
    (0..64).map(|place| u64::from(is_odd(place)) << place).sum()
}

pub(super) fn marks(bytes: &[u8; 64], set: &[u8]) -> Marks {
    let of = |set: &[u8]| stops(bytes, set).0;
    let one = |row: usize| set.get(row).map_or(0, |byte| of(&[*byte]));
    Marks {
        first: [one(0), one(1), one(2), one(3)],
        others: of(set.get(4..).unwrap_or_default()),
        above: stops(bytes, &[]).1,
    }
}

pub(super) fn places<const N: usize>(bytes: &[u8; 64], pairs: &[(u8, u8); N]) -> [u64; N] {
    pairs.map(|(set, byte)| {
        (0..64).map(|place| u64::from(bytes[place] | set == byte) << place).sum()
    })
}

/// The bytes up to the first that stops, and whether they are ASCII.
fn run(bytes: &[u8], from: usize, stops: impl Fn(u8) -> bool) -> StringEnd {
    let mut end = StringEnd { at: from, ascii: true };
    while let Some(&b) = bytes.get(end.at) {
        if stops(b) {
            break;
        }
        end.ascii &= b < 0x80;
        end.at += 1;
    }
    end
}

pub(super) fn count_newlines(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&b| b == b'\n').count()
}

pub(super) fn count_code_points(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&b| b & 0xC0 != 0x80).count()
}

pub(super) fn shape(text: &str) -> Shape {
    let width = match text.chars().max().map_or(0, u32::from) {
        0..0x80 => Width::Ascii,
        0x80..0x100 => Width::Latin1,
        0x100..0x1_0000 => Width::Ucs2,
        _ => Width::Ucs4,
    };
    Shape { chars: text.chars().count(), width }
}

/// The characters that begin in the eight bytes from `from` on.
pub(super) fn units(text: &str, from: usize) -> Vec<u16> {
    let eight = from..from + 8;
    text.char_indices().filter(|(at, _)| eight.contains(at)).map(|(_, char)| char as u16).collect()
}

/// The characters that fit, as many as there is room for.
pub(super) fn widen(text: &str, greatest: u32, room: usize) -> Vec<u32> {
    text.chars().map(u32::from).take_while(|&code| code <= greatest).take(room).collect()
}

pub(super) fn check(bytes: &[u8]) -> (&str, Rest) {
    match std::str::from_utf8(bytes) {
        Ok(text) => (text, Rest::Nothing),
        Err(error) => {
            let at = error.valid_up_to();
            let rest = match error.error_len() {
                None => Rest::Incomplete,
                Some(_) => Rest::Invalid { at },
            };
            (std::str::from_utf8(&bytes[..at]).unwrap(), rest)
        }
    }
}

pub(super) fn unescape(raw: &str) -> Result<String, BadEscape> {
    let mut out = String::new();
    let mut rest = raw;
    while !rest.is_empty() {
        let at = raw.len() - rest.len();
        let (char, length) = match rest.strip_prefix('\\') {
            Some(_) => escape(rest).map_err(|(more, kind)| BadEscape { at: at + more, kind })?,
            None => rest.chars().next().map(|char| (char, char.len_utf8())).unwrap(),
        };
        out.push(char);
        rest = &rest[length..];
    }
    Ok(out)
}

/// The escape that the text begins with and its length, or the error and how far into it.
fn escape(text: &str) -> Result<(char, usize), (usize, EscapeKind)> {
    let Some(&letter) = text.as_bytes().get(1) else { return Err((0, EscapeKind::Cut)) };
    let plain = b"\"\\/bfnrt".iter().zip("\"\\/\u{8}\u{c}\n\r\t".chars());
    for (&name, char) in plain {
        if letter == name {
            return Ok((char, 2));
        }
    }
    if letter != b'u' {
        return Err((0, EscapeKind::Unknown(letter)));
    }
    let first = unit(&text[2..]).ok_or((0, EscapeKind::Hex))?;
    if let Some(char) = char::from_u32(first) {
        return Ok((char, 6));
    }
    let unpaired = (0, EscapeKind::Unpaired(first as u16));
    if first >= 0xDC00 || !text[6..].starts_with("\\u") {
        return Err(unpaired);
    }
    let second = unit(&text[8..]).ok_or((6, EscapeKind::Hex))?;
    if !(0xDC00..0xE000).contains(&second) {
        return Err(unpaired);
    }
    Ok((char::from_u32(0x1_0000 + (first - 0xD800) * 0x400 + (second - 0xDC00)).unwrap(), 12))
}

fn unit(text: &str) -> Option<u32> {
    let digits = text.get(..4)?;
    digits.bytes().all(|b| b.is_ascii_hexdigit()).then(|| u32::from_str_radix(digits, 16).unwrap())
}
