//! How numbers of different kinds compare: by their values, exactly, as Python compares them.

use crate::value::exact::{Exact, exact};
use std::cmp::Ordering;

/// A number.
#[derive(Clone, Copy, Debug)]
pub enum Number<'a> {
    /// An integer of 64 bits.
    Int(i64),
    /// A double.
    Float(f64),
    /// A number of any size, as its digits.
    Digits(&'a [u8]),
}

impl Number<'_> {
    /// How it compares to another one; nothing if one of them is not a number.
    #[must_use]
    pub fn compare(self, other: Number<'_>) -> Option<Ordering> {
        match (self, other) {
            (Number::Int(one), Number::Int(other)) => Some(one.cmp(&other)),
            (Number::Float(one), Number::Float(other)) => one.partial_cmp(&other),
            (Number::Int(one), Number::Float(other)) => int_and_float(one, other),
            (Number::Float(one), Number::Int(other)) => {
                int_and_float(other, one).map(Ordering::reverse)
            }
            (one, other) => Some(exact_order(&one.exact()?, &other.exact()?)),
        }
    }

    /// Its exact value. An infinity is larger than any number that can be written.
    fn exact(self) -> Option<Exact> {
        match self {
            Number::Int(value) => exact(value.to_string().as_bytes()),
            Number::Float(value) if value.is_nan() => None,
            Number::Float(value) if value.is_infinite() => {
                let digits = b"1".to_vec();
                Some(Exact { negative: value < 0.0, digits, exponent: i64::MAX >> 8 })
            }
            // The shortest text of which nothing is rounded: no double has more places than that.
            Number::Float(value) => exact(format!("{value:.1074}").as_bytes()),
            Number::Digits(digits) => exact(digits),
        }
    }
}

/// How an integer compares to a double, which cannot hold each integer.
fn int_and_float(int: i64, float: f64) -> Option<Ordering> {
    const BEYOND: f64 = 9_223_372_036_854_775_808.0;
    if float.is_nan() {
        return None;
    }
    if float >= BEYOND {
        return Some(Ordering::Less);
    }
    if float < -BEYOND {
        return Some(Ordering::Greater);
    }
    let whole = float.trunc();
    // What is between the integer and its double decides only if the integers are the same.
    Some(int.cmp(&(whole as i64)).then_with(|| 0.0_f64.total_cmp(&(float - whole + 0.0))))
}

/// How two exact numbers compare.
fn exact_order(one: &Exact, other: &Exact) -> Ordering {
    let sign = |of: &Exact| match (of.digits.is_empty(), of.negative) {
        (true, _) => 0,
        (false, true) => -1,
        (false, false) => 1,
    };
    let (first, second) = (sign(one), sign(other));
    if first != second || first == 0 {
        return first.cmp(&second);
    }
    // The place of the first digit, and then the digits, of which the last is not `0`.
    let place = |of: &Exact| of.digits.len() as i64 + of.exponent;
    let order = place(one).cmp(&place(other)).then_with(|| one.digits.cmp(&other.digits));
    if first < 0 { order.reverse() } else { order }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of_float(value: f64) -> Exact {
        Number::Float(value).exact().unwrap()
    }

    #[test]
    fn the_borders() {
        let beyond = 9_223_372_036_854_775_808.0;
        for (int, float, order) in [
            (i64::MAX, beyond, Ordering::Less),
            (i64::MIN, -beyond, Ordering::Equal),
            (i64::MIN, -1e300, Ordering::Greater),
            (9_007_199_254_740_993, 9_007_199_254_740_992.0, Ordering::Greater),
            (0, -0.0, Ordering::Equal),
            (0, -0.5, Ordering::Greater),
            (-1, -0.5, Ordering::Less),
            (7, f64::INFINITY, Ordering::Less),
        ] {
            let (one, other) = (Number::Int(int), Number::Float(float));
            assert_eq!(one.compare(other), Some(order), "{int} {float}");
            assert_eq!(other.compare(one), Some(order.reverse()), "{float} {int}");
        }
        assert_eq!(Number::Int(1).compare(Number::Float(f64::NAN)), None);
        assert_eq!(Number::Digits(b"1").compare(Number::Float(f64::NAN)), None);
        let tenth = Number::Digits(b"0.1");
        assert_eq!(tenth.compare(Number::Float(0.1)), Some(Ordering::Less));
        assert_eq!(tenth.compare(Number::Digits(b"1e-1")), Some(Ordering::Equal));
        assert_eq!(tenth.compare(Number::Float(f64::INFINITY)), Some(Ordering::Less));
        assert_eq!(tenth.compare(Number::Float(f64::NEG_INFINITY)), Some(Ordering::Greater));
    }

    proptest! {
        #![proptest_config(crate::value::fixed(512))]

        #[test]
        fn as_exact_numbers(int in any::<i64>(), float in any::<f64>(), near in -2_i64..2) {
            prop_assume!(!float.is_nan());
            let of = |value: i64| exact(value.to_string().as_bytes()).unwrap();
            for (int, float) in
                [(int, float), (int, int as f64), (float as i64, float), ((float as i64).saturating_add(near), float)]
            {
                let expected = exact_order(&of(int), &of_float(float));
                prop_assert_eq!(Number::Int(int).compare(Number::Float(float)), Some(expected));
            }
        }

        #[test]
        fn digits_as_doubles(one in any::<f64>(), other in any::<f64>()) {
            prop_assume!(one.is_finite() && other.is_finite());
            prop_assert_eq!(
                exact_order(&of_float(one), &of_float(other)),
                one.partial_cmp(&other).unwrap()
            );
        }
    }
}
