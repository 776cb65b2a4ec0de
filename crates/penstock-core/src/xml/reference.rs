//! References in text: character references, the five predefined entities, and names.

use penstock_scan::{Isa, ValidText};

use super::names::is_char;
use super::options::Options;
use super::tag::{self, Locus, Rules, Stop};
use crate::error::Fault;
use crate::repair::RepairKind;

/// The meaning of a `&`.
#[derive(Debug)]
pub(super) enum Reference {
    /// A character, which ends before `end`; none if a repair removed it.
    Char { char: Option<char>, end: usize, repair: Option<RepairKind> },
    /// The name of an entity, between the `&` and the `;` before `end`.
    Entity { end: usize },
    /// No reference: the repair keeps it as text.
    Bare,
}

/// A reference that the end of a window cuts. As long as only more of the same follows, it is not
/// read again from its beginning.
#[derive(Clone, Copy, Debug)]
pub(super) struct CutReference {
    /// The offset of its `&` in the source.
    at: u64,
    /// How many bytes of it were read.
    scanned: usize,
    /// Whether a byte continues it, whatever comes later.
    continues: fn(&u8) -> bool,
}

impl CutReference {
    /// The reference at `at`, which goes on behind the end of the text.
    pub(super) fn new(text: &[u8], at: usize, locus: Locus) -> Self {
        // A parameter entity's reference begins with another byte, and always with a name. With a repair, two references may stand for one character.
        let last = memchr::memrchr(b'&', &text[at..]).map_or(at, |last| at + last);
        let continues: fn(&u8) -> bool = match &text[last + 1..] {
            [b'#', b'x', ..] => u8::is_ascii_hexdigit,
            [b'#', ..] => u8::is_ascii_digit,
            [_, ..] => |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_'),
            [] => |_| false,
        };
        CutReference { at: locus.at(at), scanned: text.len() - at, continues }
    }

    /// Whether the text at `at` is still only the beginning of this reference.
    pub(super) fn goes_on(&mut self, text: &[u8], at: usize, locus: Locus, rules: &Rules) -> bool {
        let length = text.len() - at;
        let more = self.at == locus.at(at)
            && length < rules.name_limit
            && text.get(at + self.scanned..).is_some_and(|new| new.iter().all(self.continues));
        self.scanned = length;
        more
    }
}

/// The reference whose `&` is at `at` (XML 1.0, 4.1).
#[inline(always)]
pub(super) fn reference<I: Isa>(
    isa: I,
    text: ValidText<'_>,
    at: usize,
    rules: &Rules,
    options: Options,
    locus: Locus,
) -> Result<Reference, Stop> {
    let found = well_formed(isa, text, at, rules, options, locus);
    match found {
        Err(Stop::Fault(fault))
            if fault.kind() == crate::error::Kind::Malformed
                && options.repairs.has(RepairKind::BareAmpersand)
                && !is_number(text.as_bytes(), at) =>
        {
            Ok(Reference::Bare)
        }
        found => found,
    }
}

/// Whether a number follows the `&`: then it is a reference, even if it is an invalid one.
pub(super) fn is_number(bytes: &[u8], at: usize) -> bool {
    match bytes.get(at + 1..) {
        Some([b'#', b'x', digit, ..]) => digit.is_ascii_hexdigit(),
        Some([b'#', digit, ..]) => digit.is_ascii_digit(),
        _ => false,
    }
}

#[inline(always)]
fn well_formed<I: Isa>(
    isa: I,
    text: ValidText<'_>,
    at: usize,
    rules: &Rules,
    options: Options,
    locus: Locus,
) -> Result<Reference, Stop> {
    let bytes = text.as_bytes();
    match bytes.get(at + 1) {
        None => return Err(Stop::Cut),
        Some(b'#') => return by_number(bytes, at, rules, options, locus),
        Some(_) => {}
    }
    let end = match tag::name(isa, text, at + 1, rules, locus) {
        Ok((end, 0)) => end,
        Ok((_, colon)) => {
            let reason = "an entity's name has no colon";
            return Err(Fault::malformed(locus.at(colon), reason).into());
        }
        Err(Stop::Fault(fault)) if fault.kind() == crate::error::Kind::Malformed => {
            let reason = "expected a reference after '&': a '&' itself is written '&amp;'";
            return Err(Fault::malformed(locus.at(at), reason).into());
        }
        Err(stop) => return Err(stop),
    };
    match bytes.get(end) {
        None => return Err(Stop::Cut),
        Some(b';') => {}
        Some(_) => {
            let reason =
                "expected ';' at the end of the reference: a '&' itself is written '&amp;'";
            return Err(Fault::malformed(locus.at(end), reason).into());
        }
    }
    let char = match &bytes[at + 1..end] {
        b"lt" => '<',
        b"gt" => '>',
        b"amp" => '&',
        b"quot" => '"',
        b"apos" => '\'',
        _ => return Ok(Reference::Entity { end: end + 1 }),
    };
    Ok(Reference::Char { char: Some(char), end: end + 1, repair: None })
}

/// The reference whose `&#` is at `at`: always a character, or none if a repair removed it.
pub(super) fn by_number(
    bytes: &[u8],
    at: usize,
    rules: &Rules,
    options: Options,
    locus: Locus,
) -> Result<Reference, Stop> {
    let (code, end) = number(bytes, at, rules, locus)?;
    let char = char::from_u32(code).filter(|char| is_char(*char));
    if char.is_some() {
        return Ok(Reference::Char { char, end, repair: None });
    }
    if (0xD800..0xDC00).contains(&code) && options.repairs.has(RepairKind::SurrogatePair) {
        match bytes.get(end..end + 2) {
            Some(b"&#") => {
                let (low, end) = number(bytes, end, rules, locus)?;
                if (0xDC00..0xE000).contains(&low) {
                    let code = 0x1_0000 + ((code - 0xD800) << 10) + (low - 0xDC00);
                    let repair = Some(RepairKind::SurrogatePair);
                    return Ok(Reference::Char { char: char::from_u32(code), end, repair });
                }
            }
            None if matches!(bytes.get(end), None | Some(b'&')) => return Err(Stop::Cut),
            _ => {}
        }
    }
    // Surrogates and numbers beyond Unicode are not control characters.
    if rules.control && char::from_u32(code).is_some() {
        let repair = Some(RepairKind::ControlCharacter);
        return Ok(Reference::Char { char: None, end, repair });
    }
    let reason = if code > 0x10_FFFF {
        "the reference means no character of Unicode".to_owned()
    } else {
        let why =
            if matches!(code, 1..0x20) { "only XML 1.1 allows" } else { "is not allowed in XML" };
        format!("the reference means U+{code:04X}, which {why}")
    };
    Err(Fault::malformed(locus.at(at), reason).into())
}

/// The number of the reference whose `&` is at `at`, and its end. All numbers beyond Unicode give
/// the same one, which is beyond Unicode too.
fn number(bytes: &[u8], at: usize, rules: &Rules, locus: Locus) -> Result<(u32, usize), Stop> {
    let hex = bytes.get(at + 2) == Some(&b'x');
    let first = at + if hex { 3 } else { 2 };
    let mut code: u32 = 0;
    for (index, byte) in bytes.get(first..).unwrap_or_default().iter().enumerate() {
        let digit = char::from(*byte).to_digit(if hex { 16 } else { 10 });
        match digit {
            Some(digit) => {
                let base = if hex { 16 } else { 10 };
                code = code.saturating_mul(base).saturating_add(digit).min(0x11_0000);
            }
            None if *byte == b';' && index > 0 => return Ok((code, first + index + 1)),
            None => {
                let reason = if index == 0 {
                    "expected the digits of a character reference"
                } else {
                    "expected ';' at the end of the character reference"
                };
                return Err(Fault::malformed(locus.at(first + index), reason).into());
            }
        }
        if index > rules.name_limit {
            let limit = rules.name_limit;
            let reason = format!("a reference longer than {limit} bytes (limits.name)");
            return Err(Fault::limit(locus.at(at), reason).into());
        }
    }
    Err(Stop::Cut)
}
