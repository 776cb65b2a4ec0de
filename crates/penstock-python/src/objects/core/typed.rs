//! Values that come with a type of their own, as binary formats and objects give them: bytes, dates
//! and times, durations, UUIDs, decimals and UIDs.
//!
//! The rules are strict here too. A value becomes what the type asks for if it is of that very
//! class. A decimal number is converted as a JSON number with these digits would be. Text is never
//! converted.

use super::refusal::{Code, Refusal};
use super::standard::{new_date, new_datetime, new_duration, new_time, new_uuid};
use super::{Answer, Core};
use crate::plan::{Kind, KindByte, NodeId, PLAIN};
use penstock_core::event::Scalar;
use penstock_core::value::lexical::{self, Value};
use penstock_core::value::moment::Of;
use penstock_core::value::number::{scan, to_f64};
use penstock_core::value::unix;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyBytes;

impl<'p> Core<'p> {
    /// Puts a value that has a type of its own, or refuses it if the current type does not take it.
    #[inline(never)]
    pub(crate) fn give_typed(&mut self, value: Scalar<'_>, at: u64) -> Answer {
        match self.aim().kind {
            KindByte::OnPath => return self.pass_scalar(at),
            KindByte::Raw => return self.give_raw(value, at),
            _ => {}
        }
        let node = self.aim().node;
        let Kind::Tokens(tokens) = self.kind(node) else {
            let made = self.typed_as(node, value, at);
            return match made.transpose() {
                Some(made) => self.give_as(node, made, at),
                None => Err(self.misfit(at, value.called())),
            };
        };
        // The members of a union are of different classes, so the first that takes the value is the
        // right one.
        for member in tokens.untyped() {
            if let Some(made) = self.typed_as(member, value, at).transpose() {
                return self.give_as(member, made, at);
            }
        }
        // Plain values with all digits of their numbers may be of any other type.
        if tokens.is_plain
            && let Some(made) = self.typed_as(PLAIN, value, at).transpose()
        {
            return self.give_as(PLAIN, made, at);
        }
        Err(self.misfit(at, value.called()))
    }

    /// Converts a value for a node: a new reference, or None if the node does not take such values.
    fn typed_as(
        &self,
        node: NodeId,
        value: Scalar<'_>,
        at: u64,
    ) -> Result<Option<*mut ffi::PyObject>, Refusal> {
        let py = self.attached();
        let any = matches!(self.kind(node), Kind::Any);
        let made = match (value, self.kind(node)) {
            (Scalar::Bytes(bytes), Kind::Bytes | Kind::Encoded(_) | Kind::Any) => {
                PyBytes::new(py, bytes).into_any()
            }
            (Scalar::Date(date), kind) if any || kind.is(Of::Date) => new_date(py, date)?,
            (Scalar::Time(time), kind) if any || kind.is(Of::Time) => new_time(py, time)?,
            (Scalar::DateTime(found), kind) if any || kind.is(Of::DateTime) => {
                new_datetime(py, found)?
            }
            (Scalar::Since2001(seconds), kind) if any || kind.is(Of::DateTime) => {
                match unix::since_2001(seconds) {
                    Ok(found) => new_datetime(py, found)?,
                    Err(reason) => {
                        let expected = self.item().name.to_string();
                        let got = format!("a date and time {seconds:?} seconds after 2001");
                        let reason =
                            format!("expected {expected}, got {got}: {}", reason.message());
                        let refusal = self.mismatch(at, reason, Some(expected), Some(got));
                        return Err(refusal.coded(Code::Value));
                    }
                }
            }
            (Scalar::Duration(found), Kind::Duration | Kind::Any) => new_duration(py, found)?,
            (Scalar::Uuid(bytes), Kind::Uuid | Kind::Any) => {
                new_uuid(py, u128::from_be_bytes(bytes))?
            }
            (Scalar::Uid(number), Kind::Int) => {
                number.into_pyobject(py).map_err(PyErr::from)?.into_any()
            }
            (Scalar::Uid(number), Kind::Uid | Kind::Any) => {
                static UID: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
                UID.import(py, "plistlib", "UID")?.call1((number,))?
            }
            (Scalar::Decimal(digits), Kind::Decimal | Kind::Any) => {
                return self.decimal(digits, at).map(Some);
            }
            (Scalar::Decimal(digits), Kind::Moment(moment)) if moment.unit.is_some() => {
                return self.instant(digits, moment, at).map(Some);
            }
            (Scalar::Decimal(digits), Kind::Float) => {
                let value = to_f64(scan(digits, 0).outcome, digits);
                if !value.is_finite() {
                    return Err(self.misvalue(at, "a number beyond the range of a double"));
                }
                value.into_pyobject(py).map_err(PyErr::from)?.into_any()
            }
            (Scalar::Decimal(digits), Kind::Int)
                if self.plan().lax || digits.iter().all(|it| matches!(it, b'0'..=b'9' | b'-')) =>
            {
                match lexical::whole(digits) {
                    Ok(Value::BigInt { negative, digits }) => self.big_int(negative, &digits)?,
                    _ => return Ok(None),
                }
            }
            // No other pair fits. Kinds with a method of their own never come here.
            (
                Scalar::Null
                | Scalar::Bool(_)
                | Scalar::Int(_)
                | Scalar::Float(_)
                | Scalar::Number(_)
                | Scalar::Text(_)
                | Scalar::Untyped(_)
                | Scalar::Decimal(_)
                | Scalar::Bytes(_)
                | Scalar::Date(_)
                | Scalar::Time(_)
                | Scalar::DateTime(_)
                | Scalar::Since2001(_)
                | Scalar::Duration(_)
                | Scalar::Uuid(_)
                | Scalar::Uid(_),
                _,
            ) => return Ok(None),
        };
        Ok(Some(made.into_ptr()))
    }
}
