//! Numbers as a naive grammar and the standard library read them.

use super::*;
use crate::value::fixed;
use proptest::prelude::*;

const NUMBER: &str = r"-?(0|[1-9][0-9]{0,25})(\.[0-9]{1,25})?([eE][+-]?[0-9]{1,3})?";

/// Where a number at the beginning of `text` ends, by the RFC's grammar, one byte at a time;
/// or the place and fault, if it has one.
fn naive_end(text: &[u8]) -> Result<usize, (usize, &'static str)> {
    let run = |from: usize| {
        text.iter().skip(from).take_while(|byte| byte.is_ascii_digit()).count() + from
    };
    let first = text.iter().take(1).filter(|byte| **byte == b'-').count();
    let mut end = run(first);
    if end == first {
        return Err((end, "expected a digit after '-'"));
    }
    if text[first] == b'0' && end > first + 1 {
        return Err((first + 1, "a number cannot begin with 0 followed by digits"));
    }
    if text.get(end) == Some(&b'.') {
        let from = end + 1;
        end = run(from);
        if end == from {
            return Err((end, "expected a digit after '.'"));
        }
    }
    if let Some(b'e' | b'E') = text.get(end) {
        let signed = matches!(text.get(end + 1), Some(b'+' | b'-'));
        let from = end + 1 + usize::from(signed);
        end = run(from);
        if end == from {
            return Err((end, "expected a digit in the exponent"));
        }
    }
    Ok(end)
}

/// A number as its sign, its digits without zeros at either end, and the power of ten.
fn normal(text: &str) -> (bool, String, i64) {
    let (negative, text) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    let (digits, power) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let digits = format!("{whole}{fraction}");
    let kept = digits.trim_end_matches('0');
    let dropped = (digits.len() - kept.len()) as i64;
    let kept = kept.trim_start_matches('0').to_string();
    let power = power.parse::<i64>().unwrap() - fraction.len() as i64 + dropped;
    if kept.is_empty() { (negative, kept, 0) } else { (negative, kept, power) }
}

/// Compares with the naive twin: the end, the fault, the value.
fn assert_agrees(bytes: &[u8], from: usize) {
    let text = std::str::from_utf8(&bytes[from..]).unwrap();
    let found = scan(bytes, from);
    let end = match naive_end(text.as_bytes()) {
        Ok(end) => end,
        Err((at, reason)) => {
            let bad = Outcome::Bad { at: from + at, reason };
            let expected = if at < text.len() { bad } else { Outcome::Unfinished };
            assert_eq!((found.outcome, found.end), (expected, from + at), "{text}");
            return;
        }
    };
    assert_eq!(found.end, from + end, "{text}");
    let text = &text[..end];
    let shape = found.outcome.shape().unwrap();
    assert_eq!(shape == NumberShape::Decimal, text.contains(['.', 'e', 'E']), "{text}");
    match found.outcome {
        Outcome::Int(value) => assert_eq!(value.to_string(), text),
        Outcome::NegativeZero => assert_eq!(text, "-0"),
        Outcome::Big => assert!(text.parse::<i64>().is_err(), "{text}"),
        Outcome::Real { mantissa, exponent, negative, exact } => {
            let (sign, digits, power) = normal(text);
            assert_eq!(negative, sign, "{text}");
            assert_eq!(exact, digits.len() <= MOST_DIGITS || kept_whole(text), "{text}");
            if exact {
                let again = format!("{}{mantissa}e{exponent}", if sign { "-" } else { "" });
                assert_eq!(normal(&again), (sign, digits, power), "{text}");
            } else {
                assert_eq!(mantissa.to_string(), digits[..MOST_DIGITS], "{text}");
            }
        }
        Outcome::Bad { .. } | Outcome::Unfinished => unreachable!(),
    }
    let expected = text.parse::<f64>().unwrap();
    let value = to_f64(found.outcome, text.as_bytes());
    assert_eq!(value.to_bits(), expected.to_bits(), "{text}");
}

/// True if the parts of a number with more digits than fit can be all of it nevertheless.
fn kept_whole(text: &str) -> bool {
    normal(text).1.len() <= MOST_DIGITS
}

/// Scans `text` where more follows and where nothing does.
fn assert_agrees_everywhere(text: &str) {
    for (before, behind) in [("", ""), ("", ","), ("[", "]"), ("[1.5,", ",           \n]")] {
        assert_agrees(format!("{before}{text}{behind}").as_bytes(), before.len());
    }
}

#[test]
fn the_corners_agree() {
    for text in [
        "0",
        "-0",
        "-",
        "",
        "00",
        "-00",
        "01",
        "-01",
        "1",
        "-1",
        "0.0",
        "-0.0",
        "0e5",
        "-0e-5",
        "1.",
        "1.e5",
        "1.x",
        "1e",
        "1e+",
        "1E-",
        "1ex",
        "1e+x",
        "1e5",
        "1E05",
        "-x",
        "-.5",
        "9223372036854775807",
        "9223372036854775808",
        "-9223372036854775808",
        "-9223372036854775809",
        "9999999999999999999",
        "10000000000000000000",
        "18446744073709551616",
        "99999999",
        "100000000",
        "1234567.12345678",
        "12345678.1",
        "9007199254740993.0",
        "1e22",
        "1e23",
        "-1e-22",
        "1e-23",
        "1.7976931348623159e308",
        "4.9e-324",
        "2e-324",
        "1e400",
        "-1e400",
        "0.000000000000000000000000000000001",
        "1000000000000000000000000000000.0",
        "1e-999999999",
        "1.00000000000000000000000000000001",
        "8.000000000000000000000000000000",
    ] {
        assert_agrees_everywhere(text);
    }
}

#[test]
fn an_exponent_beyond_all_use_is_not_exact() {
    for text in ["1e99999999999999999999", "-1.5e-99999999999999999999", "0e99999999999999"] {
        let outcome = scan(text.as_bytes(), 0).outcome;
        let Outcome::Real { exact, exponent, .. } = outcome else { panic!("{text}") };
        assert!(!exact && i64::from(exponent).abs() == FARTHEST_EXPONENT, "{text}");
        assert_eq!(to_f64(outcome, text.as_bytes()), text.parse::<f64>().unwrap());
    }
}

#[test]
fn thousands_of_digits_agree() {
    let (sevens, threes) = ("7".repeat(4_000), "3".repeat(4_000));
    for text in [sevens.clone(), format!("{sevens}.{threes}"), format!("0.{threes}e-200")] {
        assert_agrees_everywhere(&text);
    }
}

/// Doubles of every size alike.
fn doubles() -> impl Strategy<Value = f64> {
    any::<u64>().prop_map(f64::from_bits).prop_filter("a number", |value| value.is_finite())
}

proptest! {
    #![proptest_config(fixed(4_000))]

    #[test]
    fn numbers_agree(text in NUMBER) {
        assert_agrees_everywhere(&text);
    }

    #[test]
    fn what_is_nearly_a_number_agrees(text in "[-0-9][-+0-9.eE]{0,9}|-?[0-9]{7,9}[.eE]?[0-9]{0,9}x?") {
        assert_agrees_everywhere(&text);
    }

    #[test]
    fn other_bytes_end_a_number(
        text in "-?[1-9][0-9]{0,17}", byte: u8, behind in "[0-9]{0,9}",
    ) {
        prop_assume!(!byte.is_ascii_digit() && !b".eE".contains(&byte));
        let bytes = [text.as_bytes(), &[byte], behind.as_bytes()].concat();
        let expected = Outcome::Int(text.parse().unwrap());
        prop_assert_eq!(scan(&bytes, 0), Scanned { end: text.len(), outcome: expected });
    }

    /// `scan` finds the same integer for every short integer. If `short_int` gives nothing, the
    /// text is not an integer of up to seven digits with other bytes after it.
    #[test]
    fn short_integers_agree(text in "-?[0-9]{0,9}", behind in "[^0-9.eE][ -~]{8}|[.eE][ -~]{8}|.{0,7}") {
        let bytes = [text.as_bytes(), behind.as_bytes()].concat();
        prop_assume!(matches!(bytes.first(), Some(b'-' | b'0'..=b'9')));
        let found = scan(&bytes, 0);
        if let Some((value, end)) = short_int(&bytes, 0) {
            prop_assert_eq!(found, Scanned { end, outcome: Outcome::Int(value) });
        } else if let Outcome::Int(_) = found.outcome {
            let digits = found.end - usize::from(bytes[0] == b'-');
            prop_assert!(digits > 7 || bytes.len() < found.end - digits + 8);
        }
    }

    /// The same for numbers with a point.
    #[test]
    fn short_floats_agree(
        text in "-?[0-9]{0,9}[.][0-9]{0,9}", behind in "[^0-9.eE][ -~]{8}|[.eE][ -~]{8}|.{0,7}",
    ) {
        let bytes = [text.as_bytes(), behind.as_bytes()].concat();
        prop_assume!(matches!(bytes.first(), Some(b'-' | b'0'..=b'9')));
        let found = scan(&bytes, 0);
        if let Some((value, end)) = short_float(&bytes, 0) {
            prop_assert_eq!(found.end, end);
            let expected = to_f64(found.outcome, &bytes[..end]);
            prop_assert_eq!(value.to_bits(), expected.to_bits());
        } else if let Outcome::Real { .. } = found.outcome
            && !bytes[..found.end].iter().any(|byte| b"eE".contains(byte))
            && bytes.get(found.end) != Some(&b'.')
        {
            let point = text.find('.').unwrap();
            let counts = [point - usize::from(bytes[0] == b'-'), found.end - point - 1];
            let is_long = counts.iter().any(|count| *count > 7);
            prop_assert!(is_long || bytes.len() < found.end - counts[1] + 8);
        }
    }

    #[test]
    fn short_digits_agree(text in "[0-9]{0,18}|[0-9]{0,9}[ -~\u{80}-\u{FF}][0-9]{0,9}") {
        let expected = match text.len() {
            1..=16 if text.bytes().all(|byte| byte.is_ascii_digit()) => text.parse().ok(),
            _ => None,
        };
        prop_assert_eq!(short_digits_of(text.as_bytes()), expected);
    }

    #[test]
    fn a_beginning_asks_for_more_and_is_never_bad(text in NUMBER) {
        for end in 1..=text.len() {
            let found = scan(&text.as_bytes()[..end], 0);
            prop_assert_eq!(found.end, end);
            let bad = matches!(found.outcome, Outcome::Bad { .. });
            prop_assert!(!bad, "{}", &text[..end]);
            let cut = text[..end].ends_with(['-', '+', '.', 'e', 'E']);
            prop_assert_eq!(found.outcome == Outcome::Unfinished, cut);
        }
    }

    #[test]
    fn doubles_come_back(value in doubles(), precision in 0_usize..40) {
        for text in [
            format!("{value:?}"), format!("{value:e}"), format!("{value:.16e}"),
            format!("{value:.17e}"), format!("{value:.precision$e}"), format!("{value}"),
        ] {
            let expected = text.parse::<f64>().unwrap();
            let found = to_f64(scan(text.as_bytes(), 0).outcome, text.as_bytes());
            prop_assert_eq!(found.to_bits(), expected.to_bits(), "{}", text);
        }
    }

    #[test]
    fn short_decimals_agree(mantissa in 0_u64..=u64::MAX, cut in 0_u32..64, power in -40_i32..40) {
        let text = format!("{}e{power}", mantissa >> cut);
        let expected = text.parse::<f64>().unwrap();
        let found = to_f64(scan(text.as_bytes(), 0).outcome, text.as_bytes());
        prop_assert_eq!(found.to_bits(), expected.to_bits(), "{}", text);
    }

    #[test]
    fn printed_decimals_agree(mantissa: u64, cut in 0_u32..64, power in 1_usize..=27) {
        let mantissa = mantissa >> cut;
        let text = format!("{mantissa}e-{power}");
        let expected = text.parse::<f64>().unwrap();
        if let Some(found) = divided(mantissa, power) {
            prop_assert_eq!(found.to_bits(), expected.to_bits(), "{}", text);
        }
    }

    /// Exactly between two doubles, and one unit of the last digit to either side of it.
    #[test]
    fn halves_agree(mantissa in 1_u128 << 52..1 << 53, power in 0_u32..30) {
        let odd = 2 * mantissa + 1;
        for (half, exponent) in [(odd << power, 0), (odd * 5_u128.pow(power), -(power as i32))] {
            for digits in [half - 1, half, half + 1] {
                let text = format!("{digits}e{exponent}");
                let expected = text.parse::<f64>().unwrap();
                let found = to_f64(scan(text.as_bytes(), 0).outcome, text.as_bytes());
                prop_assert_eq!(found.to_bits(), expected.to_bits(), "{}", text);
            }
        }
    }
}
