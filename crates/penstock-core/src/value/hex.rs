//! Binary data written as hexadecimal digits.

/// Appends the bytes of `text` to `out`: two digits of either case per byte, and nothing else.
/// False if the text is anything else; `out` is then unchanged.
///
/// ```
/// use penstock_core::value::hex::decode;
///
/// let mut out = Vec::new();
/// assert!(decode(b"00fFa1", &mut out));
/// assert_eq!(out, [0x00, 0xFF, 0xA1]);
/// assert!(!decode(b"00f", &mut out));
/// assert!(!decode(b"0x", &mut out));
/// ```
#[must_use]
pub fn decode(text: &[u8], out: &mut Vec<u8>) -> bool {
    let before = out.len();
    let (pairs, rest) = text.as_chunks::<2>();
    let bytes = pairs.iter().map(|[high, low]| Some(digit(*high)? << 4 | digit(*low)?));
    for byte in bytes {
        match byte {
            Some(byte) if rest.is_empty() => out.push(byte),
            _ => {
                out.truncate(before);
                return false;
            }
        }
    }
    rest.is_empty()
}

/// The value of a hexadecimal digit.
fn digit(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        b'A'..=b'F' => Some(byte - b'A' + 10),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::fixed;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(fixed(1_000))]

        #[test]
        fn what_is_written_is_read(bytes: Vec<u8>, upper: bool) {
            let text: String = bytes
                .iter()
                .map(|byte| if upper { format!("{byte:02X}") } else { format!("{byte:02x}") })
                .collect();
            let mut out = b"kept".to_vec();
            prop_assert!(decode(text.as_bytes(), &mut out));
            prop_assert_eq!(&out[4..], &bytes[..]);
        }

        #[test]
        fn any_text_is_judged_as_by_the_standard_library(text in "[0-9a-gA-G ]{0,8}|.{0,5}") {
            let digits = text.bytes().all(|byte| byte.is_ascii_hexdigit());
            let mut out = b"kept".to_vec();
            prop_assert_eq!(decode(text.as_bytes(), &mut out), digits && text.len() % 2 == 0);
            prop_assert!(out.len() == 4 + text.len() / 2 || out == b"kept");
        }
    }
}
