//! The canonical form of RFC 8785, as far as it is not an order of members.

use crate::value::exact::exact;
use crate::value::print;

/// Whether the double nearest to a number is written as an equal number. All numbers of the
/// canonical form are doubles.
///
/// ```
/// use penstock_core::json::canonical::keeps;
///
/// assert!(keeps(b"0.10") && keeps(b"1E+3"));
/// assert!(!keeps(b"0.1234567890123456789") && !keeps(b"1e400"));
/// ```
#[must_use]
pub fn keeps(number: &[u8]) -> bool {
    let value: Option<f64> = std::str::from_utf8(number).ok().and_then(|it| it.parse().ok());
    let Some(value) = value.filter(|value| value.is_finite()) else { return false };
    let mut shortest = Vec::with_capacity(print::LONGEST);
    print::ecma_float(value, &mut shortest);
    match (exact(number), exact(&shortest)) {
        // Minus zero is zero there.
        (Some(number), Some(shortest)) if number.digits.is_empty() => shortest.digits.is_empty(),
        (number, shortest) => number.is_some() && number == shortest,
    }
}
