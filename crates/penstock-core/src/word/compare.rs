//! Compares numbers by their value, whatever their form: exactly, and without writing them out at
//! the length that their exponents imply.

use super::Decimal;
use crate::value::exact::{Exact, exact};
use crate::value::number::{scan, to_f64};
use std::cmp::Ordering;
use std::hash::Hasher;

/// A number in one of the forms that words can hold.
#[derive(Clone, Copy, Debug)]
pub(super) enum Real<'a> {
    /// `mantissa / 10^scale`. The scale is at most 22 and the mantissa at most 2^127.
    Ratio { negative: bool, mantissa: u128, scale: u8 },
    /// Any double.
    Double(f64),
    /// As JSON writes it. Exponents beyond ±2^40 count as ±2^40.
    Text(&'a str),
}

impl From<i64> for Real<'_> {
    #[inline]
    fn from(value: i64) -> Self {
        Real::ratio(value.into(), 0)
    }
}

impl From<Decimal> for Real<'_> {
    #[inline]
    fn from(Decimal { negative, mantissa, scale }: Decimal) -> Self {
        Real::Ratio { negative, mantissa: mantissa.into(), scale }
    }
}

impl Real<'_> {
    /// `value / 10^scale`.
    #[inline]
    pub(super) fn ratio(value: i128, scale: u8) -> Self {
        Real::Ratio { negative: value < 0, mantissa: value.unsigned_abs(), scale }
    }

    /// The order of numbers. All NaNs are equal and the greatest; zero has no sign.
    #[inline]
    pub(super) fn compare(self, other: Self) -> Ordering {
        match (self, other) {
            (
                Real::Ratio { negative, mantissa, scale },
                Real::Ratio { negative: others, mantissa: of, scale: by },
            ) => {
                let scaled = (
                    times(mantissa, by.saturating_sub(scale)),
                    times(of, scale.saturating_sub(by)),
                );
                signed(negative, mantissa == 0, others, of == 0, || scaled.0.cmp(&scaled.1))
            }
            (Real::Double(one), Real::Double(two)) => doubles(one, two),
            _ => self.otherwise(other),
        }
    }

    /// The order of numbers in different forms. Rounding keeps the order, so if the nearest doubles
    /// differ, they decide.
    #[inline(never)]
    fn otherwise(self, other: Self) -> Ordering {
        match (self, other) {
            // Any finite number gives the same result here, and two doubles were compared already.
            (Real::Double(value), _) if !value.is_finite() => return doubles(value, 0.0),
            (_, Real::Double(value)) if !value.is_finite() => return doubles(0.0, value),
            (Real::Double(value), Real::Ratio { .. }) if is_int(value) => {
                return Real::from(value as i64).compare(other);
            }
            (Real::Ratio { .. }, Real::Double(value)) if is_int(value) => {
                return self.compare(Real::from(value as i64));
            }
            _ => {}
        }
        let (one, two) = (self.nearest(), other.nearest());
        if one != two {
            return doubles(one, two);
        }
        let (one, two) = (self.exact(), other.exact());
        let empty = (one.digits.is_empty(), two.digits.is_empty());
        signed(one.negative, empty.0, two.negative, empty.1, || {
            let end = |of: &Exact| of.digits.len() as i64 + of.exponent;
            end(&one).cmp(&end(&two)).then_with(|| one.digits.cmp(&two.digits))
        })
    }

    /// The nearest double.
    fn nearest(self) -> f64 {
        let parsed = |text: &str| to_f64(scan(text.as_bytes(), 0).outcome, text.as_bytes());
        match self {
            Real::Ratio { negative: false, mantissa, scale: 0 } => mantissa as f64,
            Real::Ratio { negative: true, mantissa, scale: 0 } => -(mantissa as f64),
            Real::Ratio { negative, mantissa, scale } => match u64::try_from(mantissa) {
                Ok(mantissa @ 0..=Decimal::MOST) => Decimal { negative, mantissa, scale }.to_f64(),
                _ => parsed(&self.written()),
            },
            Real::Double(value) => value,
            Real::Text(text) => parsed(text),
        }
    }

    /// The text of a finite number. For a double it has up to 767 digits.
    fn written(self) -> String {
        match self {
            Real::Ratio { negative: true, mantissa, scale } => format!("-{mantissa}e-{scale}"),
            Real::Ratio { negative: false, mantissa, scale } => format!("{mantissa}e-{scale}"),
            Real::Double(value) => format!("{value:.766e}"),
            Real::Text(text) => text.to_owned(),
        }
    }

    /// The digits of a finite number.
    fn exact(self) -> Exact {
        let found = match self {
            Real::Text(text) => exact(text.as_bytes()),
            _ => exact(self.written().as_bytes()),
        };
        // Every form of a finite number is a numeral.
        found.unwrap_or(Exact { negative: false, digits: Vec::new(), exponent: 0 })
    }

    /// Hashes two properties that equal numbers share: the nearest double, and the residue of the
    /// value modulo a prime. Each of them alone collides for too many numbers that programs use.
    pub(super) fn hash<H: Hasher>(self, state: &mut H) {
        let nearest = self.nearest();
        if nearest.is_nan() {
            return state.write_u8(0);
        }
        // Zero has no sign.
        state.write_u64((nearest + 0.0).to_bits());
        state.write_u64(self.residue());
    }

    /// The residue modulo [`PRIME`].
    ///
    /// Denominators are powers of two and of ten, which have an inverse there. So every form of a
    /// value leads to one residue. Python hashes its numbers like this ("Hashing of numeric types"
    /// in its documentation).
    fn residue(self) -> u64 {
        let (negative, size) = match self {
            Real::Ratio { negative, mantissa, scale } => {
                let mantissa = (mantissa % u128::from(PRIME)) as u64;
                (negative, product(mantissa, power(TENTH, scale.into())))
            }
            Real::Double(value) if value.is_finite() => (value < 0.0, double(value)),
            Real::Double(_) => return PRIME,
            Real::Text(_) => {
                let Exact { negative, digits, exponent } = self.exact();
                let add =
                    |value, digit: &u8| (product(value, 10) + u64::from(digit - b'0')) % PRIME;
                let digits = digits.iter().fold(0, add);
                let base = if exponent < 0 { TENTH } else { 10 };
                (negative, product(digits, power(base, exponent.unsigned_abs())))
            }
        };
        if negative && size != 0 { PRIME - size } else { size }
    }
}

/// The order of two signed numbers; `sizes` is the order of the magnitudes.
#[inline]
fn signed(
    negative: bool,
    zero: bool,
    others: bool,
    other_zero: bool,
    sizes: impl FnOnce() -> Ordering,
) -> Ordering {
    let sign = |negative, zero| match (negative, zero) {
        (_, true) => 0,
        (true, _) => -1,
        (false, _) => 1,
    };
    let (one, two) = (sign(negative, zero), sign(others, other_zero));
    match one {
        _ if one != two => one.cmp(&two),
        0 => Ordering::Equal,
        1 => sizes(),
        _ => sizes().reverse(),
    }
}

/// `mantissa * 10^power`, or a number greater than any mantissa.
#[inline]
fn times(mantissa: u128, power: u8) -> u128 {
    mantissa.saturating_mul(10_u128.pow(power.into()))
}

/// True for the integers that fit into 64 bits.
#[inline]
fn is_int(value: f64) -> bool {
    value.fract() == 0.0 && value.abs() < (1_u64 << 63) as f64
}

/// The order of doubles, NaN being the greatest.
#[inline]
fn doubles(one: f64, two: f64) -> Ordering {
    one.partial_cmp(&two).unwrap_or_else(|| one.is_nan().cmp(&two.is_nan()))
}

/// The prime modulus of the hash.
const PRIME: u64 = (1 << 61) - 1;

/// The inverse of ten.
const TENTH: u64 = {
    // 10 * x = 1 + k * PRIME; one of ten values of k makes the right side a multiple of ten.
    let mut k = 1;
    while !(1 + k * PRIME as u128).is_multiple_of(10) {
        k += 1;
    }
    ((1 + k * PRIME as u128) / 10) as u64
};

#[inline]
fn product(one: u64, two: u64) -> u64 {
    (u128::from(one) * u128::from(two) % u128::from(PRIME)) as u64
}

fn power(mut base: u64, mut exponent: u64) -> u64 {
    let mut result = 1;
    while exponent != 0 {
        if exponent & 1 == 1 {
            result = product(result, base);
        }
        base = product(base, base);
        exponent >>= 1;
    }
    result
}

/// The residue of the magnitude of a finite double.
fn double(value: f64) -> u64 {
    let bits = value.to_bits();
    let (fraction, exponent) = (bits & ((1 << 52) - 1), (bits >> 52 & 0x7FF) as i64);
    let (mantissa, exponent) =
        if exponent == 0 { (fraction, 1) } else { (fraction | 1 << 52, exponent) };
    // 2^61 leaves 1, so a power of two is one of 61.
    product(mantissa, 1 << (exponent - 1075).rem_euclid(61))
}
