//! What is done with a value after it is made: conversions and checks.

use super::builder::Builder;
use super::make;
use super::refusal::Refusal;
use crate::plan::{NodeId, Step};
use pyo3::ffi;
use pyo3::prelude::*;

impl Builder {
    /// A value with what its node says is to be done with it. Takes the reference over and gives one
    /// back.
    #[inline(never)]
    pub(super) fn finish(
        &self,
        node: NodeId,
        value: *mut ffi::PyObject,
        at: u64,
    ) -> Result<*mut ffi::PyObject, Refusal> {
        let Some(after) = &self.plan().nodes[node as usize].after else { return Ok(value) };
        let py = self.attached();
        // SAFETY: the reference is handed over to us.
        let mut value = unsafe { Bound::from_owned_ptr(py, value) };
        if value.is_none() && !after.takes_null {
            return Ok(value.into_ptr());
        }
        for step in &after.steps {
            value = match step {
                Step::Call(function) => {
                    let made = function.bind(py).call1((value,));
                    made.map_err(|error| make::raised_by(self, error, at, true))?
                }
            };
        }
        Ok(value.into_ptr())
    }
}
