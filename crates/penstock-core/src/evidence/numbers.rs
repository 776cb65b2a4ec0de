//! Which numbers were seen.

use crate::value::number::{Outcome, scan, to_f64};

/// So many digits a double always keeps, if it has them from a double.
const EXACT: u32 = 17;

/// Which integers were seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ints {
    /// How many there were.
    pub count: u64,
    /// The least and the most of those that 64 bits hold.
    pub range: Option<(i64, i64)>,
    /// The most digits of the others; 0 if there are none.
    pub beyond: u32,
}

impl Ints {
    /// One more.
    #[inline]
    pub fn give(&mut self, value: i64) {
        self.count += 1;
        self.range = Some(match self.range {
            Some((least, most)) => (least.min(value), most.max(value)),
            None => (value, value),
        });
    }

    /// One more, by its digits, which 64 bits do not hold.
    #[cold]
    pub fn give_beyond(&mut self, digits: &[u8]) {
        self.count += 1;
        let count = digits.iter().filter(|byte| byte.is_ascii_digit()).count();
        self.beyond = self.beyond.max(u32::try_from(count).unwrap_or(u32::MAX));
    }

    /// Those that were seen elsewhere, too.
    pub fn join(&mut self, other: &Ints) {
        self.count += other.count;
        self.range = match (self.range, other.range) {
            (Some(one), Some(other)) => Some((one.0.min(other.0), one.1.max(other.1))),
            (one, other) => one.or(other),
        };
        self.beyond = self.beyond.max(other.beyond);
    }
}

/// Which numbers with a fraction or an exponent were seen.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Floats {
    /// How many there were.
    pub count: u64,
    /// The least and the most of them as doubles, without those that are none.
    pub range: Option<(f64, f64)>,
    /// The fewest and the most digits behind the point.
    pub scale: Option<(u32, u32)>,
    /// Whether one has more digits than a double, or is beyond the largest one.
    pub inexact: bool,
    /// Whether one has an exponent, or is no decimal number at all.
    pub scientific: bool,
}

impl Floats {
    /// One more, by its digits and its value.
    pub fn give(&mut self, digits: &[u8], value: f64) {
        self.count += 1;
        let end = digits.iter().position(|byte| matches!(byte, b'e' | b'E'));
        let mantissa = &digits[..end.unwrap_or(digits.len())];
        self.scientific |= end.is_some() || !mantissa.last().is_some_and(u8::is_ascii_digit);
        let point = mantissa.iter().position(|byte| *byte == b'.');
        let behind = point.map_or(0, |point| mantissa.len() - point - 1);
        let behind = u32::try_from(behind).unwrap_or(u32::MAX);
        self.scale = Some(match self.scale {
            Some((least, most)) => (least.min(behind), most.max(behind)),
            None => (behind, behind),
        });
        let is_named = mantissa.last() == Some(&b'F') || value.is_nan();
        self.inexact |= mantissa.len() > 16 && significant(mantissa) > EXACT;
        self.inexact |= value.is_infinite() && !is_named;
        self.widen(value);
    }

    /// One more, of which no digits are known.
    pub fn give_double(&mut self, value: f64) {
        self.count += 1;
        self.scientific = true;
        self.widen(value);
    }

    fn widen(&mut self, value: f64) {
        if value.is_finite() {
            self.range = Some(match self.range {
                Some((least, most)) => (least.min(value), most.max(value)),
                None => (value, value),
            });
        }
    }

    /// Those that were seen elsewhere, too.
    pub fn join(&mut self, other: &Floats) {
        self.count += other.count;
        self.range = match (self.range, other.range) {
            (Some(one), Some(other)) => Some((one.0.min(other.0), one.1.max(other.1))),
            (one, other) => one.or(other),
        };
        self.scale = match (self.scale, other.scale) {
            (Some(one), Some(other)) => Some((one.0.min(other.0), one.1.max(other.1))),
            (one, other) => one.or(other),
        };
        self.inexact |= other.inexact;
        self.scientific |= other.scientific;
    }
}

/// How many digits a number has without the zeros around them.
fn significant(mantissa: &[u8]) -> u32 {
    let digits = || mantissa.iter().filter(|byte| byte.is_ascii_digit());
    let leading = digits().take_while(|byte| **byte == b'0').count();
    let trailing = digits().rev().take_while(|byte| **byte == b'0').count();
    u32::try_from(digits().count().saturating_sub(leading + trailing)).unwrap_or(u32::MAX)
}

/// Gives a number of JSON to those of its kind.
pub(super) fn number(digits: &[u8], ints: &mut Ints, floats: &mut Floats) {
    let outcome = scan(digits, 0).outcome;
    match outcome {
        Outcome::Int(value) => ints.give(value),
        Outcome::NegativeZero => ints.give(0),
        Outcome::Big => ints.give_beyond(digits),
        outcome => floats.give(digits, to_f64(outcome, digits)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_told_apart() {
        let (mut ints, mut floats) = (Ints::default(), Floats::default());
        for digits in ["-3", "12", "123456789012345678901", "1.50", "2.5e3"] {
            number(digits.as_bytes(), &mut ints, &mut floats);
        }
        assert_eq!((ints.count, ints.range, ints.beyond), (3, Some((-3, 12)), 21));
        assert_eq!((floats.count, floats.range), (2, Some((1.5, 2500.0))));
        assert_eq!((floats.scale, floats.scientific, floats.inexact), (Some((1, 2)), true, false));
        number(b"0.1234567890123456789", &mut ints, &mut floats);
        assert!(floats.inexact);
    }

    #[test]
    fn a_double_keeps_seventeen_digits() {
        let mut floats = Floats::default();
        floats.give(b"0.30000000000000004", 0.30000000000000004);
        assert!(!floats.inexact);
        floats.give(b"1e999", f64::INFINITY);
        assert!(floats.inexact);
    }
}
