//! What an annotation says of a field's column: `penstock.int8` and its like.

use crate::plan::Kind;
use penstock_arrow::plan as arrow;
use penstock_core::value::moment::Of;
use penstock_core::value::unix::Unit;
use pyo3::intern;
use pyo3::prelude::*;

/// What `penstock.int8` and its like say of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    Int(arrow::Width),
    Float32,
    Dictionary,
    Decimal(u8, i8),
    Timestamp(Unit, bool),
}

impl Mark {
    /// The mark of an annotation, which checks its own arguments.
    pub(crate) fn of(word: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = word.py();
        let name: String = word.getattr(intern!(py, "name"))?.extract()?;
        Ok(match &*name {
            "int8" => Mark::Int(arrow::Width::I8),
            "int16" => Mark::Int(arrow::Width::I16),
            "int32" => Mark::Int(arrow::Width::I32),
            "int64" => Mark::Int(arrow::Width::I64),
            "uint8" => Mark::Int(arrow::Width::U8),
            "uint16" => Mark::Int(arrow::Width::U16),
            "uint32" => Mark::Int(arrow::Width::U32),
            "uint64" => Mark::Int(arrow::Width::U64),
            "float32" => Mark::Float32,
            "dictionary" => Mark::Dictionary,
            "decimal" => {
                let (precision, scale) = word.getattr(intern!(py, "arguments"))?.extract()?;
                Mark::Decimal(precision, scale)
            }
            _ => {
                let (unit, utc): (String, bool) =
                    word.getattr(intern!(py, "arguments"))?.extract()?;
                let unit = match &*unit {
                    "s" => Unit::Seconds,
                    "ms" => Unit::Milliseconds,
                    "ns" => Unit::Nanoseconds,
                    _ => Unit::Microseconds,
                };
                Mark::Timestamp(unit, utc)
            }
        })
    }

    /// The mark of numbers that are packed by a code of `array.array`.
    pub(crate) fn of_code(code: &str) -> Option<Self> {
        let bits = |bits: usize| match bits {
            32 => Mark::Int(arrow::Width::I32),
            _ => Mark::Int(arrow::Width::I64),
        };
        let unsigned = |mark| match mark {
            Mark::Int(arrow::Width::I32) => Mark::Int(arrow::Width::U32),
            _ => Mark::Int(arrow::Width::U64),
        };
        let long = bits(std::ffi::c_long::BITS as usize);
        Some(match code {
            "b" => Mark::Int(arrow::Width::I8),
            "B" => Mark::Int(arrow::Width::U8),
            "h" => Mark::Int(arrow::Width::I16),
            "H" => Mark::Int(arrow::Width::U16),
            "i" => Mark::Int(arrow::Width::I32),
            "I" => Mark::Int(arrow::Width::U32),
            "l" => long,
            "L" => unsigned(long),
            "q" => Mark::Int(arrow::Width::I64),
            "Q" => Mark::Int(arrow::Width::U64),
            "f" => Mark::Float32,
            _ => return None,
        })
    }

    /// Whether it fits a kind of values.
    pub(crate) fn suits(self, kind: &Kind) -> bool {
        match self {
            Mark::Int(_) => matches!(kind, Kind::Int),
            Mark::Float32 => matches!(kind, Kind::Float),
            Mark::Dictionary => matches!(kind, Kind::Str),
            Mark::Decimal(..) => matches!(kind, Kind::Decimal),
            Mark::Timestamp(..) => kind.is(Of::DateTime),
        }
    }

    /// The type that it is for.
    pub(crate) fn wants(self) -> &'static str {
        match self {
            Mark::Int(_) => "an int",
            Mark::Float32 => "a float",
            Mark::Dictionary => "a str",
            Mark::Decimal(..) => "a Decimal",
            Mark::Timestamp(..) => "a datetime",
        }
    }
}
