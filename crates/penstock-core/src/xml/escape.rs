//! Text and the values of attributes as a document may contain them, for the writer.

use penstock_scan::{Chosen, Isa, Job, ValidText};

use super::tag::is_noncharacter;
use crate::writer::{Unwritable, make_room};

/// Appends character data, so that a reader gets the same text back.
///
/// `brackets` counts the `]` at the end of the text that directly precedes: `]]>` must not come
/// about from two pieces either. It is updated for the text that directly follows.
#[inline]
pub(super) fn text(
    isa: Chosen,
    text: ValidText<'_>,
    brackets: &mut usize,
    out: &mut Vec<u8>,
) -> Result<(), Unwritable> {
    let bytes = text.as_bytes();
    let mut from = 0;
    if *brackets > 0 {
        let leading = bytes.iter().take_while(|byte| **byte == b']').count();
        if leading < 2 && leading + *brackets >= 2 && bytes.get(leading) == Some(&b'>') {
            push(&bytes[..leading], out)?;
            push(b"&gt;", out)?;
            from = leading + 1;
        }
    }
    let trailing = bytes.iter().rev().take(2).take_while(|byte| **byte == b']').count();
    *brackets = if trailing == bytes.len() { *brackets + trailing } else { trailing };
    if from == 0 && is_short(bytes, TEXT) {
        return push(bytes, out);
    }
    isa.enter(Content { bytes, from, out })
}

/// Appends the value of an attribute, so that it means the same between quotes (`"`).
#[inline]
pub(super) fn value(isa: Chosen, text: ValidText<'_>, out: &mut Vec<u8>) -> Result<(), Unwritable> {
    let bytes = text.as_bytes();
    if is_short(bytes, VALUE) { push(bytes, out) } else { isa.enter(Value { bytes, out }) }
}

/// Makes references of the characters from a place on that are not ASCII.
#[inline(never)]
pub(super) fn in_ascii(out: &mut Vec<u8>, from: usize) -> Result<(), Unwritable> {
    let Some(first) = out[from..].iter().position(|byte| !byte.is_ascii()) else { return Ok(()) };
    let at = from + first;
    let rest = crate::writer::copied(&out[at..])?;
    out.truncate(at);
    for char in String::from_utf8_lossy(&rest).chars() {
        let mut buffer = [0; 4];
        if char.is_ascii() {
            push(char.encode_utf8(&mut buffer).as_bytes(), out)?;
        } else {
            push(b"&#", out)?;
            push(itoa::Buffer::new().format(u32::from(char)).as_bytes(), out)?;
            push(b";", out)?;
        }
    }
    Ok(())
}

/// Whether all characters are allowed in XML, and would be read back as they are, outside of text
/// and values: there a carriage return cannot be written as a reference.
pub(super) fn plain(isa: Chosen, text: ValidText<'_>) -> Result<(), Unwritable> {
    isa.enter(Plain { bytes: text.as_bytes() })
}

/// The bits of a byte in [`COPIED`].
const TEXT: u8 = 1;
const VALUE: u8 = 2;

/// Which bytes are copied without a further look, in text and in values.
const COPIED: [u8; 256] = {
    let mut copied = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        copied[byte] = match byte as u8 {
            b'<' | b'&' | 0xEF => 0,
            b'\t' | b'\n' | b'"' => TEXT,
            b']' => VALUE,
            0..b' ' => 0,
            _ => TEXT | VALUE,
        };
        byte += 1;
    }
    copied
};

/// Whether all of it is copied, and it is so short that this is found sooner than by vectors.
#[inline(always)]
fn is_short(bytes: &[u8], bit: u8) -> bool {
    bytes.len() <= 16 && bytes.iter().all(|byte| COPIED[usize::from(*byte)] & bit != 0)
}

#[inline(always)]
fn push(bytes: &[u8], out: &mut Vec<u8>) -> Result<(), Unwritable> {
    make_room(out, bytes.len())?;
    out.extend_from_slice(bytes);
    Ok(())
}

/// The character that begins at a byte is none of XML's.
#[cold]
#[inline(never)]
fn bad_character(bytes: &[u8], at: usize) -> Unwritable {
    let code = match bytes[at] {
        0xEF => 0xFFC0 | u32::from(bytes[at + 2] & 0x3F),
        byte => byte.into(),
    };
    Unwritable::value(format!("the character U+{code:04X} is not allowed in XML"))
}

struct Content<'a> {
    bytes: &'a [u8],
    from: usize,
    out: &'a mut Vec<u8>,
}

impl Job for Content<'_> {
    type Output = Result<(), Unwritable>;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> Self::Output {
        let Content { bytes, from, out } = self;
        // The text before `copied` is in the buffer.
        let (mut copied, mut at) = (from, from);
        loop {
            at = isa.xml_text(bytes, at).at;
            let escape: &[u8] = match bytes.get(at) {
                None => return push(&bytes[copied..], out),
                Some(b'<') => b"&lt;",
                Some(b'&') => b"&amp;",
                Some(b'\r') => b"&#13;",
                Some(b']') if bytes[at..].starts_with(b"]]>") => {
                    at += 2;
                    b"&gt;"
                }
                Some(b']') => {
                    at += 1;
                    continue;
                }
                Some(0xEF) if !is_noncharacter(bytes, at) => {
                    at += 3;
                    continue;
                }
                Some(_) => return Err(bad_character(bytes, at)),
            };
            push(&bytes[copied..at], out)?;
            push(escape, out)?;
            at += 1;
            copied = at;
        }
    }
}

struct Value<'a> {
    bytes: &'a [u8],
    out: &'a mut Vec<u8>,
}

impl Job for Value<'_> {
    type Output = Result<(), Unwritable>;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> Self::Output {
        let Value { bytes, out } = self;
        let (mut copied, mut at) = (0, 0);
        loop {
            at = isa.xml_value(bytes, at).at;
            let escape: &[u8] = match bytes.get(at) {
                None => return push(&bytes[copied..], out),
                Some(b'<') => b"&lt;",
                Some(b'&') => b"&amp;",
                Some(b'"') => b"&quot;",
                // A reader makes a space of each of these if it is not a reference.
                Some(b'\t') => b"&#9;",
                Some(b'\n') => b"&#10;",
                Some(b'\r') => b"&#13;",
                Some(b'\'') => {
                    at += 1;
                    continue;
                }
                Some(0xEF) if !is_noncharacter(bytes, at) => {
                    at += 3;
                    continue;
                }
                Some(_) => return Err(bad_character(bytes, at)),
            };
            push(&bytes[copied..at], out)?;
            push(escape, out)?;
            at += 1;
            copied = at;
        }
    }
}

struct Plain<'a> {
    bytes: &'a [u8],
}

impl Job for Plain<'_> {
    type Output = Result<(), Unwritable>;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> Self::Output {
        let bytes = self.bytes;
        let mut at = 0;
        loop {
            at = isa.xml_text(bytes, at).at;
            match bytes.get(at) {
                None => return Ok(()),
                Some(b'<' | b'&' | b']') => at += 1,
                Some(b'\r') => {
                    let reason = "a comment or instruction cannot contain a carriage return, \
                                  because a reader of XML makes a line feed of it";
                    return Err(Unwritable::value(reason));
                }
                Some(0xEF) if !is_noncharacter(bytes, at) => at += 3,
                Some(_) => return Err(bad_character(bytes, at)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::names::is_char;
    use super::*;
    use proptest::prelude::*;
    use proptest::test_runner::RngSeed;

    /// The writer's twin: character by character.
    fn naive(text: &str, escape: impl Fn(char) -> Option<&'static str>) -> Result<String, String> {
        let mut out = String::new();
        for char in text.chars() {
            if !is_char(char) {
                let code = u32::from(char);
                return Err(format!("the character U+{code:04X} is not allowed in XML"));
            }
            match escape(char) {
                Some(escape) => out.push_str(escape),
                None => out.push(char),
            }
        }
        Ok(out)
    }

    fn naive_text(text: &str) -> Result<String, String> {
        let escape = |char| match char {
            '<' => Some("&lt;"),
            '&' => Some("&amp;"),
            '\r' => Some("&#13;"),
            _ => None,
        };
        naive(text, escape).map(|text| text.replace("]]>", "]]&gt;"))
    }

    fn naive_value(text: &str) -> Result<String, String> {
        naive(text, |char| match char {
            '<' => Some("&lt;"),
            '&' => Some("&amp;"),
            '"' => Some("&quot;"),
            '\t' => Some("&#9;"),
            '\n' => Some("&#10;"),
            '\r' => Some("&#13;"),
            _ => None,
        })
    }

    fn done(result: Result<(), Unwritable>, out: Vec<u8>) -> Result<String, String> {
        result.map(|()| String::from_utf8(out).unwrap()).map_err(|error| error.to_string())
    }

    /// Text in pieces.
    fn in_pieces(isa: Chosen, pieces: &[String]) -> Result<String, String> {
        let (mut out, mut brackets) = (Vec::new(), 0);
        let result = pieces
            .iter()
            .try_for_each(|piece| text(isa, ValidText::from(&**piece), &mut brackets, &mut out));
        done(result, out)
    }

    fn pieces() -> impl Strategy<Value = Vec<String>> {
        let char = prop_oneof![
            8 => proptest::sample::select(vec![']', '>', '<', '&', '"', '\'', '\t', '\n', '\r']),
            8 => proptest::char::range('a', 'z'),
            2 => proptest::char::range('\u{FFC0}', '\u{1_0001}'),
            1 => proptest::char::range('\u{0}', '\u{20}'),
            1 => any::<char>(),
        ];
        let piece = proptest::collection::vec(char, 0..40).prop_map(|chars| chars.iter().collect());
        proptest::collection::vec(piece, 0..5)
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            cases: 3_000,
            rng_seed: RngSeed::Fixed(22),
            failure_persistence: None,
            ..ProptestConfig::default()
        })]

        #[test]
        fn escapes_are_those_of_the_twin(pieces in pieces()) {
            let whole = pieces.concat();
            for isa in [Chosen::best(), Chosen::portable()] {
                prop_assert_eq!(in_pieces(isa, &pieces), naive_text(&whole));
                let mut out = Vec::new();
                let result = value(isa, ValidText::from(&*whole), &mut out);
                prop_assert_eq!(done(result, out), naive_value(&whole));
                let refused = plain(isa, ValidText::from(&*whole)).is_err();
                prop_assert_eq!(refused, !whole.chars().all(|char| is_char(char) && char != '\r'));
            }
        }
    }

    #[test]
    fn brackets_across_pieces() {
        for (pieces, expected) in [
            (vec!["]", "]", ">"], "]]&gt;"),
            (vec!["]]", ">"], "]]&gt;"),
            (vec!["]", "]>", ">"], "]]&gt;>"),
            (vec!["]]", "", ">"], "]]&gt;"),
            (vec!["]", "a", "]>"], "]a]>"),
            (vec!["]]]", "]]>"], "]]]]]&gt;"),
        ] {
            let pieces: Vec<String> = pieces.into_iter().map(str::to_owned).collect();
            assert_eq!(in_pieces(Chosen::best(), &pieces).as_deref(), Ok(expected), "{pieces:?}");
        }
    }
}
