//! The values that fit into a word: the word holds one exactly, or is not made.

use super::fixed;
use penstock_core::value::number::{scan, to_f64};
use penstock_core::word::{Decimal, Inline, Numeral, Tag, Word};
use proptest::prelude::*;

/// The doubles at which encoders fail: of both signs, around every limit of every narrowing that
/// libraries have had, and the dates at the ends of their ranges.
pub(crate) fn doubles() -> Vec<f64> {
    let powers = [
        -1074, -1023, -1022, -144, -81, -80, -79, -64, -63, -62, -25, -16, -1, 0, 1, 24, 47, 48,
        49, 52, 53, 54, 62, 63, 64, 65, 111, 112, 113, 127, 128, 1022, 1023,
    ];
    let mut found = vec![
        0.0,
        f64::INFINITY,
        f64::MIN_POSITIVE,
        f64::MAX,
        978_307_200.0,
        63_114_076_800.0,
        63_113_904_000.0,
        1e300,
        1e-300,
        5e-324,
        f64::MIN_POSITIVE.next_down(),
    ];
    for power in powers {
        let exact = 2_f64.powi(power);
        found.extend([exact, exact.next_up(), exact.next_down()]);
    }
    let payloads = [
        0x7FF8_0000_0000_0000,
        0x7FF0_0000_0000_0001,
        0x7FF8_0000_0000_0001,
        0x7FFF_FFFF_FFFF_FFFF,
        0x7FF4_0000_DEAD_BEEF,
    ];
    found.extend(payloads.map(f64::from_bits));
    found.iter().flat_map(|value| [*value, -*value]).collect()
}

/// The integers at which encoders fail.
pub(crate) fn integers() -> Vec<i64> {
    let mut found = vec![0, i64::MIN, i64::MAX, -62_135_596_800_000_000, 253_402_300_799_999_999];
    for power in [1_i64 << 31, 1 << 32, 1 << 53, 1 << 55, 1 << 58, 1 << 59, 1 << 60, 1 << 62] {
        found.extend([power - 1, power, power + 1, -power - 1, -power, -power + 1]);
    }
    found
}

fn double_is_kept(value: f64) {
    let size = value.abs();
    let common = size >= 2_f64.powi(-63) && size < 2_f64.powi(64);
    let word = Word::double(value);
    assert_eq!(word.is_some(), common || value == 0.0, "{value:e}");
    if let Some(word) = word {
        assert_eq!((word.tag(), word.as_double().to_bits()), (Tag::Double, value.to_bits()));
    }
    let word = Word::seconds(value);
    assert_eq!(word.is_some(), common, "{value:e}");
    if let Some(word) = word {
        assert_eq!((word.tag(), word.as_seconds().to_bits()), (Tag::Seconds, value.to_bits()));
    }
}

fn integer_is_kept(value: i64) {
    let word = Word::integer(value);
    assert_eq!(word.is_some(), (-(1 << 59)..1 << 59).contains(&value), "{value}");
    if let Some(word) = word {
        assert_eq!(word.view(), Inline::Integer(value));
    }
    for utc in [false, true] {
        let word = Word::calendar(value, utc);
        assert_eq!(word.is_some(), (-(1 << 58)..1 << 58).contains(&value), "{value}");
        if let Some(word) = word {
            assert_eq!(word.view(), Inline::Calendar { micros: value, utc });
        }
    }
}

/// A word that is made from a number holds its text, and gives the double of that text.
fn number_is_kept(text: &str) {
    let found = scan(text.as_bytes(), 0);
    let whole = found.end == text.len() && found.outcome.shape().is_some();
    let Some(word) = Word::number(text.as_bytes()) else {
        // A word is only refused for lack of room, and never for a short number without an
        // exponent.
        let plain = whole && !text.contains(['e', 'E']);
        assert!(!plain || text.bytes().filter(u8::is_ascii_digit).count() > 15, "{text}");
        return;
    };
    assert!(whole, "{text}");
    let (written, nearest) = match word.view() {
        Inline::Integer(value) => (value.to_string(), value as f64),
        Inline::Decimal(decimal) => (decimal.to_string(), decimal.to_f64()),
        other => panic!("{other:?}"),
    };
    assert_eq!(written, text);
    let expected = to_f64(found.outcome, text.as_bytes());
    assert_eq!(nearest.to_bits(), expected.to_bits(), "{text}");
}

fn text_is_kept(text: &[u8]) {
    let word = Word::short(text);
    assert_eq!(word.is_some(), text.len() <= 7);
    if let Some(word) = word {
        assert_eq!((word.tag(), word.as_short().as_bytes()), (Tag::Short, text));
    }
}

#[test]
fn constants() {
    assert_eq!(Word::null().view(), Inline::Null);
    assert_eq!(Word::boolean(true).view(), Inline::Bool(true));
    assert_eq!(Word::boolean(false).view(), Inline::Bool(false));
    assert_eq!(size_of::<Word>(), 8);
}

#[test]
fn every_tag_is_told() {
    let tags = (0..16).map(|bits| Word::from_bits(bits).tag());
    for (number, tag) in tags.enumerate() {
        assert_eq!((tag as usize, tag.is_spilled()), (number, number >= 8));
    }
}

#[test]
fn doubles_of_every_exponent() {
    for exponent in 0..2048_u64 {
        for fraction in [0, 1, 1 << 51, (1 << 52) - 1, 0x5_5555_5555_5555] {
            for sign in [0, 1 << 63] {
                double_is_kept(f64::from_bits(sign | exponent << 52 | fraction));
            }
        }
    }
    doubles().into_iter().for_each(double_is_kept);
}

#[test]
fn integers_at_the_limits() {
    integers().into_iter().for_each(integer_is_kept);
}

#[test]
fn decimals_of_every_scale_and_sign() {
    for scale in 0..=22 {
        for negative in [false, true] {
            for mantissa in [0, 1, 9, 10, 110, Decimal::MOST - 1, Decimal::MOST] {
                let word = Word::decimal(negative, mantissa, -i32::from(scale)).unwrap();
                assert_eq!(word.as_decimal(), Decimal { negative, mantissa, scale });
                if scale > 0 {
                    number_is_kept(&word.as_decimal().to_string());
                }
            }
        }
    }
    for exponent in [i32::MIN, -24, -23, 1, i32::MAX] {
        assert_eq!(Word::decimal(false, 1, exponent), None);
    }
    assert_eq!(Word::decimal(false, Decimal::MOST + 1, -1), None);
    assert_eq!(Word::decimal(false, u64::MAX, 0), None);
}

#[test]
fn numbers_keep_their_text() {
    for text in [
        "0",
        "-0",
        "-0.0",
        "0.0",
        "0.00",
        "1.10",
        "1.1",
        "100.0",
        "0.01",
        "1e-2",
        "1.5e-3",
        "5e-1",
        "1E0",
        "0.1e-1",
        "1e2",
        "9007199254740992.0",
        "0.0000000000000000000001",
        "0.00000000000000000000001",
        "0.10000000000000000000",
        "123456789012345678901234567890.5",
        "1.",
        ".5",
        "+1",
        "01",
        "1e",
        "",
        "-",
        "1x",
        "576460752303423488",
        "-576460752303423488",
    ] {
        number_is_kept(text);
    }
    assert_eq!(Word::number(b"-0").unwrap().as_decimal().to_string(), "-0");
    assert_eq!(Word::number(b"1.5e-3"), None);
    assert_eq!(Word::number(b"0.0000000000000000000001"), Word::decimal(false, 1, -22));
}

#[test]
fn numerals_are_told_by_their_text() {
    for text in
        ["1.10", "-0", "1e5", "1E400", "18446744073709551616", "0.1000000000000000000000000"]
    {
        assert_eq!(Numeral::new(text).unwrap().to_string(), text);
    }
    for text in ["17", "-9223372036854775808", "1.", "", "x", "1 "] {
        assert_eq!(Numeral::new(text), None, "{text}");
    }
}

#[test]
fn short_text_with_any_bytes_in_any_place() {
    for length in 0..=9 {
        for place in 0..length {
            for byte in 0..=255 {
                let mut text = vec![0xFF; length];
                text[place] = byte;
                text_is_kept(&text);
            }
        }
        text_is_kept(&vec![0; length]);
    }
    assert_ne!(Word::short(b"a"), Word::short(b"a\0"));
    assert_eq!(Word::short("añb€".as_bytes()).unwrap().as_short().as_str(), Some("añb€"));
}

#[test]
fn places_and_their_lengths() {
    for offset in [0, 1, Word::OFFSETS - 1] {
        for length in [0, 1, Word::LENGTHS - 1, Word::LENGTHS, Word::LENGTHS + 1, usize::MAX] {
            let word = Word::spilled(Tag::Escaped, offset, length);
            let length = (length < Word::LENGTHS).then_some(length);
            assert_eq!(word.view(), Inline::Spilled { tag: Tag::Escaped, offset, length });
        }
    }
}

proptest! {
    #![proptest_config(fixed(4096))]

    #[test]
    fn any_double(bits: u64) {
        double_is_kept(f64::from_bits(bits));
    }

    #[test]
    fn any_integer(value: i64, shift in 0_u32..64) {
        integer_is_kept(value >> shift);
    }

    #[test]
    fn any_number(text in "-?(0|[1-9][0-9]{0,18})(\\.[0-9]{1,24})?([eE][-+]?[0-9]{1,3})?") {
        number_is_kept(&text);
    }

    #[test]
    fn any_text_of_digits(text in "[-+0-9.eE]{0,12}") {
        number_is_kept(&text);
    }

    #[test]
    fn any_short_text(text in proptest::collection::vec(any::<u8>(), 0..10)) {
        text_is_kept(&text);
    }

    /// Words of any bits can be read without a fault.
    #[test]
    fn any_bits(bits: u64) {
        let word = Word::from_bits(bits);
        prop_assert_eq!(word.bits(), bits);
        match word.view() {
            Inline::Short(short) => prop_assert!(short.as_bytes().len() <= 7),
            Inline::Spilled { offset, .. } => prop_assert!(offset < Word::OFFSETS),
            Inline::Decimal(decimal) => prop_assert!(!decimal.to_string().is_empty()),
            _ => {}
        }
    }
}
