//! Decimal numerals as integers times a power of ten: exact, and never written out at the length
//! that their exponent implies.

/// A numeral: its digits as an integer, times ten to the exponent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exact {
    /// Whether it is below zero.
    pub negative: bool,
    /// Its digits. Neither the first nor the last is `0`; zero has none.
    pub digits: Vec<u8>,
    /// The power of ten; 0 for zero.
    pub exponent: i64,
}

/// Exponents are cut to this: larger than any useful one, and far from the end of an `i64`.
const FAR: i64 = 1 << 40;

/// Parses all of `text` as a numeral: an optional sign, digits with an optional point, and an
/// optional exponent.
///
/// ```
/// use penstock_core::value::exact::exact;
///
/// let found = exact(b"-12.500e3").unwrap();
/// assert_eq!((found.negative, &*found.digits, found.exponent), (true, &b"125"[..], 2));
/// assert_eq!(exact(b"1e999999999999999999999").unwrap().exponent, 1 << 40);
/// assert_eq!(exact(b"0.00").unwrap().digits, b"");
/// assert_eq!(exact(b"1x"), None);
/// ```
#[must_use]
pub fn exact(text: &[u8]) -> Option<Exact> {
    let (negative, rest) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    };
    let (number, power) = match rest.iter().position(|byte| matches!(byte, b'e' | b'E')) {
        Some(at) => (&rest[..at], power(&rest[at + 1..])?),
        None => (rest, 0),
    };
    let point = number.iter().position(|byte| *byte == b'.');
    let (whole, fraction) = match point {
        Some(at) => (&number[..at], &number[at + 1..]),
        None => (number, &b""[..]),
    };
    let mut digits = [whole, fraction].concat();
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let mut exponent = power - fraction.len() as i64;
    while digits.last() == Some(&b'0') {
        digits.pop();
        exponent += 1;
    }
    let zeros = digits.iter().take_while(|byte| **byte == b'0').count();
    digits.drain(..zeros);
    if digits.is_empty() {
        exponent = 0;
    }
    Some(Exact { negative, digits, exponent: exponent.clamp(-FAR, FAR) })
}

/// The value of an exponent, cut to the useful range.
fn power(text: &[u8]) -> Option<i64> {
    let (negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    };
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let add = |value: i64, digit: &u8| (value * 10 + i64::from(digit - b'0')).min(FAR);
    let value = digits.iter().fold(0, add);
    Some(if negative { -value } else { value })
}

impl Exact {
    /// The digits of the integer, if it is one and has at most `most` digits.
    ///
    /// ```
    /// use penstock_core::value::exact::exact;
    ///
    /// assert_eq!(exact(b"1.50e2").unwrap().integer(10), Some(b"150".to_vec()));
    /// assert_eq!(exact(b"1e10").unwrap().integer(10), None);
    /// assert_eq!(exact(b"1.5").unwrap().integer(10), None);
    /// assert_eq!(exact(b"-0.0").unwrap().integer(10), Some(b"0".to_vec()));
    /// ```
    #[must_use]
    pub fn integer(&self, most: usize) -> Option<Vec<u8>> {
        if self.digits.is_empty() {
            return Some(b"0".to_vec());
        }
        let zeros = usize::try_from(self.exponent).ok()?;
        let length = self.digits.len() + zeros;
        if length > most {
            return None;
        }
        let mut digits = self.digits.clone();
        digits.resize(length, b'0');
        Some(digits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(super::super::fixed(512))]

        #[test]
        fn integers_however_they_are_written(value in any::<i64>(), shift in 0_usize..25) {
            let digits = value.unsigned_abs().to_string();
            let zeros = "0".repeat(shift.saturating_sub(digits.len() - 1));
            let padded = format!("{zeros}{digits}");
            let (front, back) = padded.split_at(padded.len() - shift.min(padded.len() - 1));
            let sign = if value < 0 { "-" } else { "" };
            let text = format!("{sign}{front}.{back}e{}", back.len());
            let found = exact(text.as_bytes()).unwrap();
            prop_assert_eq!(found.integer(30).unwrap(), digits.as_bytes());
            prop_assert_eq!(found.negative, value < 0);
        }

        #[test]
        fn nothing_that_is_no_number(text in "[-+0-9.eE]{0,12}") {
            let number: Result<f64, _> = text.parse();
            prop_assert_eq!(exact(text.as_bytes()).is_some(), number.is_ok());
        }
    }
}
