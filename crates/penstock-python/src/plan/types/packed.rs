//! The form in which an array holds its numbers.

use std::ffi::{c_long, c_ulong};

/// A number of the document.
#[derive(Clone, Copy)]
pub(crate) enum Number {
    Truth(bool),
    Int(i64),
    /// An integer beyond those of `Int`.
    Natural(u64),
    Float(f64),
}

/// The type of the numbers of an array, as the C compiler that built the interpreter has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Packed {
    /// The code of `array.array`; `?` for truth values.
    code: u8,
    /// Whether it rounds to the nearest float32 instead of refusing what is none.
    rounds: bool,
}

/// The bytes of one number.
#[derive(Clone, Copy)]
pub(crate) struct Bytes {
    bytes: [u8; 8],
    length: usize,
}

impl Bytes {
    fn new<const N: usize>(of: [u8; N]) -> Self {
        let mut bytes = [0; 8];
        bytes[..N].copy_from_slice(&of);
        Bytes { bytes, length: N }
    }

    #[inline(always)]
    pub(crate) fn as_slice(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

impl Packed {
    /// The form of a code. None for a code that is not known.
    pub(in crate::plan) fn of(code: &str, rounds: bool) -> Option<Self> {
        match code.as_bytes() {
            &[code] if b"?bBhHiIlLqQfd".contains(&code) => Some(Packed { code, rounds }),
            _ => None,
        }
    }

    /// The code, as `memoryview.cast` takes it.
    pub(crate) fn code(self) -> char {
        self.code.into()
    }

    /// The bytes of a number. None if the array cannot hold it exactly, or is not for such numbers.
    #[inline]
    pub(crate) fn bytes_of(self, number: Number) -> Option<Bytes> {
        match number {
            Number::Int(value) => self.int(value),
            Number::Float(value) => self.float(value),
            Number::Natural(value) => self.natural(value),
            Number::Truth(value) => (self.code == b'?').then(|| Bytes::new([value.into()])),
        }
    }

    #[inline]
    fn int(self, value: i64) -> Option<Bytes> {
        Some(match self.code {
            b'b' => Bytes::new(i8::try_from(value).ok()?.to_ne_bytes()),
            b'B' => Bytes::new(u8::try_from(value).ok()?.to_ne_bytes()),
            b'h' => Bytes::new(i16::try_from(value).ok()?.to_ne_bytes()),
            b'H' => Bytes::new(u16::try_from(value).ok()?.to_ne_bytes()),
            b'i' => Bytes::new(i32::try_from(value).ok()?.to_ne_bytes()),
            b'I' => Bytes::new(u32::try_from(value).ok()?.to_ne_bytes()),
            b'l' => Bytes::new(c_long::try_from(value).ok()?.to_ne_bytes()),
            b'q' => Bytes::new(value.to_ne_bytes()),
            b'L' | b'Q' => return self.natural(u64::try_from(value).ok()?),
            // An integer of a binary format, for a float: beyond 2^53 the nearest double.
            b'f' | b'd' => return self.float(value as f64),
            _ => return None,
        })
    }

    fn natural(self, value: u64) -> Option<Bytes> {
        match self.code {
            b'L' => Some(Bytes::new(c_ulong::try_from(value).ok()?.to_ne_bytes())),
            b'Q' => Some(Bytes::new(value.to_ne_bytes())),
            _ => None,
        }
    }

    #[inline]
    fn float(self, value: f64) -> Option<Bytes> {
        match self.code {
            b'd' => Some(Bytes::new(value.to_ne_bytes())),
            b'f' => {
                let small = value as f32;
                let fits = match self.rounds {
                    true => small.is_infinite() == value.is_infinite(),
                    false => f64::from(small) == value || value.is_nan(),
                };
                fits.then(|| Bytes::new(small.to_ne_bytes()))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packed(code: &str, rounds: bool, number: Number) -> Option<Vec<u8>> {
        let form = Packed::of(code, rounds).expect("a known code");
        form.bytes_of(number).map(|bytes| bytes.as_slice().to_vec())
    }

    #[test]
    fn what_a_type_cannot_hold_has_no_bytes() {
        assert_eq!(packed("b", false, Number::Int(-128)), Some(vec![0x80]));
        assert_eq!(packed("b", false, Number::Int(128)), None);
        assert_eq!(packed("B", false, Number::Int(-1)), None);
        assert_eq!(packed("H", false, Number::Int(65_536)), None);
        assert_eq!(packed("Q", false, Number::Natural(u64::MAX)), Some(vec![0xff; 8]));
        assert_eq!(packed("Q", false, Number::Int(-1)), None);
        assert_eq!(packed("q", false, Number::Natural(u64::MAX)), None);
        assert_eq!(packed("q", false, Number::Float(1.0)), None);
        assert_eq!(packed("?", false, Number::Truth(true)), Some(vec![1]));
        assert_eq!(packed("?", false, Number::Int(1)), None);
        assert_eq!(Packed::of("u", false), None);
    }

    #[test]
    fn a_float32_is_exact_or_rounded() {
        assert_eq!(packed("f", false, Number::Float(0.1)), None);
        assert_eq!(packed("f", true, Number::Float(0.1)), Some(0.1_f32.to_ne_bytes().to_vec()));
        assert_eq!(packed("f", true, Number::Float(1e300)), None);
        let infinity = Some(f32::INFINITY.to_ne_bytes().to_vec());
        assert_eq!(packed("f", false, Number::Float(f64::INFINITY)), infinity);
        assert!(packed("f", false, Number::Float(f64::NAN)).is_some());
    }
}
