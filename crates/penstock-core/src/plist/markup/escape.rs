//! Text as the writer writes it.

use memchr::memchr;
use penstock_scan::{Chosen, Isa, Job, ValidText};

use crate::writer::{Unwritable, make_room};

/// Appends text: `&`, `<` and `>` as references, as Apple and `plistlib` write them, and a carriage
/// return too, of which a reader of XML would make a line feed. Afterwards there is room for
/// `more` bytes.
#[inline(always)]
pub(super) fn text(
    isa: Chosen,
    text: ValidText<'_>,
    more: usize,
    out: &mut Vec<u8>,
) -> Result<(), Unwritable> {
    let bytes = text.as_bytes();
    if bytes.len() <= 32 {
        // A table is quicker than vectors for so few.
        let mut plain = true;
        for &byte in bytes {
            plain &= PLAIN[usize::from(byte)];
        }
        if plain {
            make_room(out, bytes.len() + more)?;
            out.extend_from_slice(bytes);
            return Ok(());
        }
    }
    isa.enter(Escape { bytes, out })?;
    make_room(out, more)
}

/// The bytes that stand for themselves, whatever follows them.
static PLAIN: [bool; 256] = {
    let mut plain = [true; 256];
    let mut byte = 0;
    while byte < 0x20 {
        plain[byte] = matches!(byte as u8, b'\t' | b'\n');
        byte += 1;
    }
    plain[b'&' as usize] = false;
    plain[b'<' as usize] = false;
    plain[b'>' as usize] = false;
    // It may begin U+FFFE or U+FFFF.
    plain[0xEF] = false;
    plain
};

struct Escape<'a> {
    bytes: &'a [u8],
    out: &'a mut Vec<u8>,
}

impl Job for Escape<'_> {
    type Output = Result<(), Unwritable>;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> Self::Output {
        let Escape { bytes, out } = self;
        // The text before `copied` is in the buffer, and that before `at` needs no reference.
        let (mut copied, mut at) = (0, 0);
        let greater =
            |from: usize| memchr(b'>', &bytes[from..]).map_or(bytes.len(), |at| from + at);
        let mut next = greater(0);
        loop {
            at = isa.xml_text(bytes, at).at;
            while next < at {
                push(&bytes[copied..next], out)?;
                push(b"&gt;", out)?;
                copied = next + 1;
                next = greater(copied);
            }
            let reference: &[u8] = match bytes.get(at) {
                None => return push(&bytes[copied..], out),
                Some(b'<') => b"&lt;",
                Some(b'&') => b"&amp;",
                Some(b'\r') => b"&#13;",
                Some(b']') => {
                    at += 1;
                    continue;
                }
                Some(0xEF) if !matches!(bytes.get(at + 1..at + 3), Some([0xBF, 0xBE | 0xBF])) => {
                    at += 3;
                    continue;
                }
                Some(&byte) => return Err(bad_character(byte, bytes.get(at + 2))),
            };
            push(&bytes[copied..at], out)?;
            push(reference, out)?;
            at += 1;
            copied = at;
        }
    }
}

#[inline(always)]
fn push(bytes: &[u8], out: &mut Vec<u8>) -> Result<(), Unwritable> {
    make_room(out, bytes.len())?;
    out.extend_from_slice(bytes);
    Ok(())
}

/// The character that begins with a byte is none of XML's.
#[cold]
#[inline(never)]
fn bad_character(byte: u8, third: Option<&u8>) -> Unwritable {
    let code = match (byte, third) {
        (0xEF, Some(third)) => 0xFFC0 | u32::from(third & 0x3F),
        (byte, _) => byte.into(),
    };
    Unwritable::value(format!("the character U+{code:04X} is not allowed in XML"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The twin: character by character.
    fn naive(text: &str) -> Result<String, String> {
        let mut out = String::new();
        for char in text.chars() {
            match char {
                '&' => out.push_str("&amp;"),
                '<' => out.push_str("&lt;"),
                '>' => out.push_str("&gt;"),
                '\r' => out.push_str("&#13;"),
                '\0'..' ' | '\u{FFFE}' | '\u{FFFF}' if !"\t\n".contains(char) => {
                    let code = u32::from(char);
                    return Err(format!("the character U+{code:04X} is not allowed in XML"));
                }
                char => out.push(char),
            }
        }
        Ok(out)
    }

    fn any_text() -> impl Strategy<Value = String> {
        let char = prop_oneof![
            8 => proptest::sample::select(vec![']', '>', '<', '&', '"', '\t', '\n', '\r']),
            20 => proptest::char::range('a', 'z'),
            2 => proptest::char::range('\u{FFC0}', '\u{1_0001}'),
            1 => proptest::char::range('\u{0}', '\u{20}'),
            1 => any::<char>(),
        ];
        proptest::collection::vec(char, 0..80).prop_map(|chars| chars.iter().collect())
    }

    proptest! {
        #![proptest_config(crate::value::fixed(3_000))]

        #[test]
        fn escapes_are_those_of_the_twin(whole in any_text()) {
            for isa in [Chosen::best(), Chosen::portable()] {
                let mut out = Vec::new();
                let done = text(isa, ValidText::from(&*whole), 7, &mut out);
                let written = done.map(|()| String::from_utf8(out).unwrap());
                prop_assert_eq!(written.map_err(|error| error.to_string()), naive(&whole));
            }
        }
    }
}
