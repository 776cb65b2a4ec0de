//! Conversions and checks of a value after it is made.

use super::Core;
use super::place::{brief, shortened};
use super::refusal::{Code, Refusal};
use crate::edge::errors::answer;
use crate::objects::make::raised::raised_by;
use crate::plan::{Check, Limit, NodeId, Step, Test};
use pyo3::basic::CompareOp;
use pyo3::exceptions::{PyArithmeticError, PyTypeError, PyValueError};
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyList, PyString};

/// The value, if it is a 64-bit integer.
#[inline]
fn small(value: &Bound<'_, PyAny>) -> Option<i64> {
    if !value.is_exact_instance_of::<PyInt>() {
        return None;
    }
    let mut overflow = 0;
    // SAFETY: a live object that is an int, for which this raises nothing.
    let small = unsafe { ffi::PyLong_AsLongLongAndOverflow(value.as_ptr(), &raw mut overflow) };
    (overflow == 0).then_some(small)
}

/// Compares a value to a limit, if both are plain numbers that can be compared exactly.
#[inline]
fn compared(value: &Bound<'_, PyAny>, op: CompareOp, limit: &Limit) -> Option<bool> {
    /// Every integer up to this magnitude is exactly a double.
    const EXACT: u64 = 1 << 53;
    let order = match limit {
        Limit::Int(limit, _) => match small(value) {
            Some(value) => Some(value.cmp(limit)),
            None if limit.unsigned_abs() <= EXACT => {
                value.cast_exact::<PyFloat>().ok()?.value().partial_cmp(&(*limit as f64))
            }
            None => return None,
        },
        Limit::Float(limit, _) => value.cast_exact::<PyFloat>().ok()?.value().partial_cmp(limit),
        Limit::Other(_) => return None,
    };
    Some(order.is_some_and(|order| match op {
        CompareOp::Gt => order.is_gt(),
        CompareOp::Ge => order.is_ge(),
        CompareOp::Lt => order.is_lt(),
        _ => order.is_le(),
    }))
}

/// A value as a message shows it: as a document would write it, shortened.
fn described(value: &Bound<'_, PyAny>) -> PyResult<String> {
    let py = value.py();
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(answer(py, text.to_str())?.map_or_else(|| "a string".into(), brief));
    }
    if let Ok(truth) = value.cast_exact::<PyBool>() {
        return Ok(if truth.is_true() { "true".into() } else { "false".into() });
    }
    if value.is_none() {
        return Ok("null".into());
    }
    if let Ok(list) = value.cast::<PyList>() {
        return Ok(format!("an array of {}", list.len()));
    }
    if value.is_instance_of::<PyDict>() {
        return Ok("an object".into());
    }
    if let Ok(bytes) = value.cast::<PyBytes>() {
        return Ok(format!("{} bytes", bytes.as_bytes().len()));
    }
    Ok(match answer(py, value.str())? {
        Some(text) => shortened(&text.to_string_lossy()),
        None => value.get_type().name()?.to_string(),
    })
}

impl<'p> Core<'p> {
    /// Converts and checks a value as its node asks. Takes the reference over and gives one back.
    #[inline(never)]
    pub(crate) fn finish(
        &self,
        node: NodeId,
        value: *mut ffi::PyObject,
        at: u64,
    ) -> Result<*mut ffi::PyObject, Refusal> {
        let node = &self.plan().nodes[node as usize];
        let Some(after) = &node.after else { return Ok(value) };
        let py = self.attached();
        // SAFETY: the reference is handed over to us.
        let mut value = unsafe { Bound::from_owned_ptr(py, value) };
        let first = match after.null_from {
            _ if !value.is_none() => 0,
            Some(first) => first,
            None => return Ok(value.into_ptr()),
        };
        for step in &after.steps[first..] {
            match step {
                Step::Call(function) => {
                    let made = function.bind(py).call1((value,));
                    value = made.map_err(|error| raised_by(self, error, at, true))?;
                }
                Step::Convert(function) => match function.bind(py).call1((&value,)) {
                    Ok(made) => value = made,
                    Err(error) => return Err(self.unconverted(&node.name, &value, error, at)),
                },
                Step::Trim => {
                    value = value.call_method1(intern!(py, "strip"), (intern!(py, " \t\r\n"),))?;
                }
                Step::Check(check) => self.check(check, &value, at)?,
            }
        }
        Ok(value.into_ptr())
    }

    /// The refusal of a value that cannot be converted: the exception says why.
    #[cold]
    #[inline(never)]
    fn unconverted(
        &self,
        expected: &str,
        value: &Bound<'_, PyAny>,
        error: PyErr,
        at: u64,
    ) -> Refusal {
        let py = self.attached();
        let of_value = error.is_instance_of::<PyValueError>(py)
            || error.is_instance_of::<PyTypeError>(py)
            || error.is_instance_of::<PyArithmeticError>(py);
        if !of_value {
            return error.into();
        }
        let said = || Ok((described(value)?, answer(py, error.value(py).str())?));
        let (got, said): (_, Option<Bound<'_, PyString>>) = match said() {
            Ok(said) => said,
            Err(instead) => return PyErr::into(instead),
        };
        let mut reason = format!("expected {expected}, got {got}");
        if let Some(said) = said.map(|said| said.to_string()).filter(|said| !said.is_empty()) {
            reason.push_str(": ");
            reason.push_str(&said);
        }
        let refusal = self.mismatch(at, reason, Some(expected.to_owned()), Some(got));
        let mut refusal = refusal.coded(Code::Value);
        if let Some(mismatch) = refusal.mismatch() {
            mismatch.cause = Some(error);
        }
        refusal
    }

    /// Applies one check to a value.
    #[inline]
    fn check(&self, check: &Check, value: &Bound<'_, PyAny>, at: u64) -> Result<(), Refusal> {
        let raised = |error| raised_by(self, error, at, true);
        let holds = match &check.test {
            Test::Bound(op, limit) => match compared(value, *op, limit) {
                Some(holds) => holds,
                None => {
                    let limit = limit.object().bind(value.py());
                    value.rich_compare(limit, *op).and_then(|it| it.is_truthy()).map_err(raised)?
                }
            },
            Test::Multiple(of, function) => match small(value) {
                Some(value) => value.wrapping_rem(*of) == 0,
                None => self.holds(function, value).map_err(raised)?,
            },
            Test::Length { least, most } => {
                let length = value.len().map_err(raised)?;
                if (*least..=*most).contains(&length) {
                    return Ok(());
                }
                let text = value.is_instance_of::<PyString>();
                let got = if text { described(value)? } else { length.to_string() };
                return Err(self.unmet(check, got, at));
            }
            Test::Holds(function) => self.holds(function, value).map_err(raised)?,
        };
        if holds { Ok(()) } else { Err(self.unmet(check, described(value)?, at)) }
    }

    fn holds(&self, function: &Py<PyAny>, value: &Bound<'_, PyAny>) -> PyResult<bool> {
        function.bind(value.py()).call1((value,))?.is_truthy()
    }

    #[cold]
    #[inline(never)]
    fn unmet(&self, check: &Check, got: String, at: u64) -> Refusal {
        let expected = &check.expected;
        let reason = format!("expected {expected}, got {got}");
        self.mismatch(at, reason, Some(expected.to_string()), Some(got)).coded(Code::Constraint)
    }
}
