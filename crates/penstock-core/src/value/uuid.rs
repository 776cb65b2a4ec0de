//! UUIDs from text, as 128-bit numbers.

/// Not a hexadecimal digit.
const NONE: u8 = 0xFF;

/// The value of each byte as a hexadecimal digit of either case, or [`NONE`].
const DIGITS: [u8; 256] = {
    let mut table = [NONE; 256];
    let mut value = 0;
    while value < 16 {
        table[b"0123456789abcdef"[value] as usize] = value as u8;
        table[b"0123456789ABCDEF"[value] as usize] = value as u8;
        value += 1;
    }
    table
};

/// Where the five groups of the canonical form begin and end.
const GROUPS: [(usize, usize); 5] = [(0, 8), (9, 13), (14, 18), (19, 23), (24, 36)];

/// Parses `text` as a UUID, with the first digit the most significant.
///
/// Two spellings are accepted, in either case: the canonical one of 8, 4, 4, 4 and 12 digits
/// separated by hyphens, and the same 32 digits without hyphens. Either may be in braces, or behind
/// `urn:uuid:`. Nothing else is accepted: no white space, no hyphens elsewhere. Version and variant are not
/// checked.
///
/// ```
/// use penstock_core::value::uuid::uuid;
///
/// let expected = Some(0x12345678_9abc_def0_1234_56789abcdef0);
/// assert_eq!(uuid(b"12345678-9abc-def0-1234-56789ABCDEF0"), expected);
/// assert_eq!(uuid(b"123456789abcdef0123456789abcdef0"), expected);
/// assert_eq!(uuid(b"{12345678-9abc-def0-1234-56789abcdef0}"), expected);
/// assert_eq!(uuid(b"urn:uuid:12345678-9abc-def0-1234-56789abcdef0"), expected);
/// assert_eq!(uuid(b"12345678-9abc-def01234-5678-9abcdef0"), None);
/// ```
#[must_use]
pub fn uuid(text: &[u8]) -> Option<u128> {
    let text = match text {
        [b'{', digits @ .., b'}'] => digits,
        [b'u' | b'U', ..] => match text.split_at_checked(9) {
            Some((urn, digits)) if urn.eq_ignore_ascii_case(b"urn:uuid:") => digits,
            _ => text,
        },
        _ => text,
    };
    match text.len() {
        32 => append(0, text),
        36 if [8, 13, 18, 23].iter().all(|at| text[*at] == b'-') => {
            GROUPS.iter().try_fold(0, |value, (from, to)| append(value, &text[*from..*to]))
        }
        _ => None,
    }
}

/// `value` with the hexadecimal `digits` appended.
fn append(mut value: u128, digits: &[u8]) -> Option<u128> {
    // One test for all digits: only `NONE` has bits above the fourth.
    let mut seen = 0;
    for byte in digits {
        let digit = DIGITS[usize::from(*byte)];
        seen |= digit;
        value = value << 4 | u128::from(digit & 0xF);
    }
    (seen <= 0xF).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::fixed;
    use proptest::prelude::*;

    /// The same by removing the hyphens and calling the standard library.
    fn naive(text: &[u8]) -> Option<u128> {
        let text = std::str::from_utf8(text).ok()?;
        let lower = text.to_ascii_lowercase();
        let urn = lower.strip_prefix("urn:uuid:");
        let braces = lower.strip_prefix('{').and_then(|it| it.strip_suffix('}'));
        let text = urn.or(braces).unwrap_or(&lower);
        let parts: Vec<&str> = text.split('-').collect();
        let lengths: Vec<usize> = parts.iter().map(|part| part.len()).collect();
        // The standard library accepts a sign.
        if text.contains('+') || (lengths != [8, 4, 4, 4, 12] && lengths != [32]) {
            return None;
        }
        u128::from_str_radix(&parts.concat(), 16).ok()
    }

    fn canonical(value: u128) -> String {
        let digits = format!("{value:032x}");
        let groups =
            [&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..]];
        groups.join("-")
    }

    #[test]
    fn other_spellings_are_refused() {
        let good = canonical(1);
        assert_eq!(uuid(good.as_bytes()), Some(1));
        for text in [
            "".to_string(),
            format!("urn:{good}"),
            format!("{{{good}"),
            format!(" {good}"),
            format!("{good}\n"),
            good.replace('-', "").replace("01", "0g"),
            "0000-00000000-0000-0000-000000000001".to_string(),
            "+0000000000000000000000000000001".to_string(),
            "-".repeat(36),
            "-".repeat(32),
        ] {
            assert_eq!(uuid(text.as_bytes()), None, "{text}");
        }
    }

    proptest! {
        #![proptest_config(fixed(2_000))]

        #[test]
        fn both_spellings_in_both_cases_round_trip(value: u128) {
            for text in [canonical(value), format!("{value:032x}")] {
                prop_assert_eq!(uuid(text.as_bytes()), Some(value));
                prop_assert_eq!(uuid(text.to_uppercase().as_bytes()), Some(value));
            }
        }

        #[test]
        fn a_changed_byte_is_judged_as_by_the_naive_twin(
            value: u128, at in 0_usize..36, byte: u8, hyphens: bool,
        ) {
            let text = if hyphens { canonical(value) } else { format!("{value:032x}") };
            let mut text = text.into_bytes();
            let at = at % text.len();
            text[at] = byte;
            prop_assert_eq!(uuid(&text), naive(&text));
        }

        #[test]
        fn any_text_is_judged_as_by_the_naive_twin(text in "[0-9a-fA-Fg+-]{30,38}") {
            prop_assert_eq!(uuid(text.as_bytes()), naive(text.as_bytes()));
        }
    }
}
