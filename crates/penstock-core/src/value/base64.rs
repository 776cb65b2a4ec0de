//! Binary data written as base64.

use penstock_scan::make_room;
use std::fmt;

use ::base64::Engine;
use ::base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};

/// Why a text is not base64, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reason {
    /// The first invalid byte, counted from the beginning of the text; the length of the text if
    /// something is missing at its end.
    pub at: usize,
    message: &'static str,
}

impl Reason {
    /// The problem, as a clause in the user's terms.
    #[must_use]
    pub fn message(&self) -> &'static str {
        self.message
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.message)
    }
}

impl std::error::Error for Reason {}

/// A spelling of base64.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spelling {
    /// `+` and `/`, with padding.
    Standard,
    /// `+` and `/`, with or without padding.
    Unpadded,
    /// `-` and `_`, with or without padding.
    Url,
}

/// As [`decode`], of a text in another spelling.
///
/// ```
/// use penstock_core::value::base64::{Spelling, decode_as};
///
/// let mut out = Vec::new();
/// decode_as(b"-_8", Spelling::Url, &mut out)?;
/// assert_eq!(out, b"\xfb\xff");
/// # Ok::<(), penstock_core::value::base64::Reason>(())
/// ```
///
/// # Errors
/// The first fault of the text. `out` is then unchanged.
pub fn decode_as(text: &[u8], spelling: Spelling, out: &mut Vec<u8>) -> Result<(), Reason> {
    // If there is padding, it must be all of it.
    let padded = text.last() == Some(&b'=');
    let engine = match spelling {
        Spelling::Unpadded if !padded => &STANDARD_NO_PAD,
        Spelling::Standard | Spelling::Unpadded => &STANDARD,
        Spelling::Url if padded => &URL_SAFE,
        Spelling::Url => &URL_SAFE_NO_PAD,
    };
    let before = out.len();
    make_room(out, base64::decoded_len_estimate(text.len()));
    engine.decode_vec(text, out).map_err(|_| {
        out.truncate(before);
        diagnose(text, spelling)
    })
}

/// Appends the bytes of `text` to `out`.
///
/// The text is RFC 4648's standard base64 (`+` and `/`) with its padding, and every value has one
/// spelling only. So white space, missing or surplus padding, and a last character with unused bits
/// set are refused.
///
/// ```
/// use penstock_core::value::base64::decode;
///
/// let mut out = Vec::new();
/// decode(b"cGVuc3RvY2s=", &mut out)?;
/// assert_eq!(out, b"penstock");
/// let reason = decode(b"cGVu c3Rv", &mut out).expect_err("there is a space in it");
/// assert_eq!((reason.at, reason.message()), (4, "not a character of base64"));
/// # Ok::<(), penstock_core::value::base64::Reason>(())
/// ```
///
/// # Errors
/// The first fault of the text. `out` is then unchanged.
pub fn decode(text: &[u8], out: &mut Vec<u8>) -> Result<(), Reason> {
    decode_as(text, Spelling::Standard, out)
}

/// The first fault of a text that has one. The decoder's own error does not serve: it looks at the
/// end of the text first and has no position for padding.
#[cold]
fn diagnose(text: &[u8], spelling: Spelling) -> Reason {
    let others = if spelling == Spelling::Url { b"-_" } else { b"+/" };
    let is_character = |byte: &u8| byte.is_ascii_alphanumeric() || others.contains(byte);
    let characters = text.iter().take_while(|byte| is_character(byte)).count();
    let odd = characters % 4;
    // The only valid ends: nothing, or padding that completes the last group of four.
    let padding = if odd < 2 { 0 } else { 4 - odd };
    let behind = &text[characters..];
    let equals = behind.iter().take(padding).take_while(|byte| **byte == b'=').count();
    let at = characters + equals;
    let (at, message) = match behind.get(equals) {
        Some(b'=') if odd == 1 => (at, "one character alone in the last group of base64"),
        Some(b'=') => (at, "too much padding '='"),
        Some(byte) if is_character(byte) => (at, "text after the padding '='"),
        Some(b'-' | b'_') => (at, "not a character of base64, but of its form for URLs"),
        Some(b'+' | b'/') => (at, "not a character of base64 for URLs"),
        Some(_) => (at, "not a character of base64"),
        None if odd == 1 => (at, "one character alone in the last group of base64"),
        None if equals < padding && (equals > 0 || spelling == Spelling::Standard) => {
            (at, "padding '=' is missing")
        }
        None => (characters - 1, "the last character has bits that belong to no byte"),
    };
    Reason { at, message }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::fixed;
    use proptest::prelude::*;

    const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    /// Three bytes to four characters, by division.
    fn encode(bytes: &[u8]) -> Vec<u8> {
        let mut text = Vec::new();
        for group in bytes.chunks(3) {
            let mut whole = [0; 3];
            whole[..group.len()].copy_from_slice(group);
            let number = whole.iter().fold(0, |sum, byte| sum * 256 + usize::from(*byte));
            for place in 0..4 {
                let character = ALPHABET[number / 64_usize.pow(3 - place) % 64];
                text.push(if place as usize > group.len() { b'=' } else { character });
            }
        }
        text
    }

    /// The same bit by bit. A text is valid if encoding its bytes gives the text again.
    fn naive(text: &[u8]) -> Option<Vec<u8>> {
        let (mut bytes, mut bits, mut held) = (Vec::new(), 0_u32, 0);
        for byte in text.iter().filter(|byte| **byte != b'=') {
            bits = bits << 6 | ALPHABET.iter().position(|character| character == byte)? as u32;
            held += 6;
            if held >= 8 {
                held -= 8;
                bytes.push((bits >> held) as u8);
                bits &= (1 << held) - 1;
            }
        }
        (encode(&bytes) == text).then_some(bytes)
    }

    fn decoded(text: &[u8]) -> Result<Vec<u8>, Reason> {
        let mut out = b"kept".to_vec();
        let result = decode(text, &mut out);
        assert_eq!(out[..4], *b"kept");
        assert!(result.is_ok() || out.len() == 4);
        result.map(|()| out.split_off(4))
    }

    #[test]
    fn each_fault_has_its_place_and_words() {
        for (text, at, message) in [
            ("QUJD RA==", 4, "not a character of base64"),
            ("QU-D", 2, "not a character of base64, but of its form for URLs"),
            ("QUJD\n", 4, "not a character of base64"),
            ("QQ", 2, "padding '=' is missing"),
            ("QQ=", 3, "padding '=' is missing"),
            ("QQ===", 4, "too much padding '='"),
            ("QUJD=", 4, "too much padding '='"),
            ("=", 0, "too much padding '='"),
            ("QQ==QUJD", 4, "text after the padding '='"),
            ("QQ=Q", 3, "text after the padding '='"),
            ("Q", 1, "one character alone in the last group of base64"),
            ("Q===", 1, "one character alone in the last group of base64"),
            ("QR==", 1, "the last character has bits that belong to no byte"),
            ("QUJDQUF=", 6, "the last character has bits that belong to no byte"),
        ] {
            let reason = decoded(text.as_bytes()).expect_err(text);
            assert_eq!((reason.at, reason.message()), (at, message), "{text}");
        }
    }

    #[test]
    fn the_faults_of_other_spellings() {
        for (text, spelling, at, message) in [
            ("QU+D", Spelling::Url, 2, "not a character of base64 for URLs"),
            ("QU-D", Spelling::Unpadded, 2, "not a character of base64, but of its form for URLs"),
            ("QQ=", Spelling::Url, 3, "padding '=' is missing"),
            ("QQ===", Spelling::Unpadded, 4, "too much padding '='"),
            ("QUJDR", Spelling::Url, 5, "one character alone in the last group of base64"),
            ("QR", Spelling::Url, 1, "the last character has bits that belong to no byte"),
            ("QQ QQ", Spelling::Unpadded, 2, "not a character of base64"),
        ] {
            let reason = decode_as(text.as_bytes(), spelling, &mut Vec::new()).expect_err(text);
            assert_eq!((reason.at, reason.message()), (at, message), "{text}");
        }
    }

    proptest! {
        #![proptest_config(fixed(2_000))]

        /// The twin knows both ways to end a text, and has one alphabet.
        #[test]
        fn other_spellings_are_judged_as_by_the_naive_twin(text in "[A-Da-d0-9+/=_-]{0,12}|[AQgw=]{0,9}") {
            for spelling in [Spelling::Unpadded, Spelling::Url] {
                let mut out = Vec::new();
                let result = decode_as(text.as_bytes(), spelling, &mut out);
                let url = spelling == Spelling::Url;
                let foreign = if url { ['+', '/'] } else { ['-', '_'] };
                let plain = text.replace('-', "+").replace('_', "/");
                let zeros = if plain.contains('=') { 0 } else { (4 - plain.len() % 4) % 4 };
                let expected = naive((plain + &"=".repeat(zeros)).as_bytes());
                let expected = expected.filter(|_| !text.contains(foreign));
                prop_assert_eq!(result.is_ok().then_some(out), expected, "{:?}", spelling);
            }
        }

        #[test]
        fn what_is_encoded_is_decoded(bytes: Vec<u8>) {
            prop_assert_eq!(decoded(&encode(&bytes)), Ok(bytes));
        }

        #[test]
        fn any_text_is_judged_as_by_the_naive_twin(text in "[A-Da-d0-9+/=]{0,12}|[AQgw=]{0,9}|.{0,6}") {
            prop_assert_eq!(decoded(text.as_bytes()).ok(), naive(text.as_bytes()));
        }

        #[test]
        fn a_changed_byte_is_found_where_it_is(bytes in prop::collection::vec(any::<u8>(), 4..40), at: usize) {
            let mut text = encode(&bytes);
            let at = at % text.iter().filter(|byte| **byte != b'=').count();
            text[at] = b'*';
            prop_assert_eq!(decoded(&text).map_err(|reason| reason.at), Err(at));
        }
    }
}
