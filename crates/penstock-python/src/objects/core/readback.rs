//! What a reader makes of one scalar: writers ask it whether a value is read back as itself.

use super::refusal::{Refusal, Why};
use super::{Core, Options};
use crate::plan::{NodeId, Plan};
use penstock_core::event::{Scalar, Text};
use penstock_core::protocol::{Duplicates, Unknown};
use pyo3::ffi;
use pyo3::prelude::*;

const OPTIONS: Options = Options {
    duplicates: Duplicates::Last,
    unknown: Unknown::Skip,
    all_errors: false,
    pause: false,
    recycle: false,
    suggest: false,
    distinct: false,
};

/// The value that a reader makes of a scalar, and the member of a union that takes it.
pub(crate) type ReadBack<'py> = Option<(Bound<'py, PyAny>, NodeId)>;

/// What a reader makes of a scalar as the value of a node. None if it refuses the scalar.
///
/// # Errors
/// An exception that is not about the value.
pub(crate) fn read_back<'py>(
    py: Python<'py>,
    plan: &Plan,
    node: NodeId,
    scalar: Scalar<'_>,
) -> PyResult<ReadBack<'py>> {
    let mut core = Core::of_scalars(plan, OPTIONS);
    core.aim_at_node(node);
    let made = match scalar {
        Scalar::Untyped(text) if plan.form.is_lexical() => {
            let made = core.lexical(text, 0);
            finished(py, &mut core, node, made)
        }
        scalar => core.give_scalar(scalar, 0).map(|_| match core.take_row() {
            Some(made) => made.into_bound(py),
            None => py.None().into_bound(py),
        }),
    };
    let fitted = core.fitted;
    answered(&mut core, made).map(|made| made.map(|made| (made, fitted)))
}

/// The key that a reader makes of a text. None if it refuses the text.
///
/// # Errors
/// As of [`read_back`].
pub(crate) fn key_back<'py>(
    py: Python<'py>,
    plan: &Plan,
    node: NodeId,
    text: Text<'_>,
) -> PyResult<ReadBack<'py>> {
    let mut core = Core::of_scalars(plan, OPTIONS);
    core.aim_at_node(node);
    let made = core.key_as(node, text, 0);
    let made = finished(py, &mut core, node, made);
    let fitted = core.fitted;
    answered(&mut core, made).map(|made| made.map(|made| (made, fitted)))
}

/// A value behind the steps of its node.
fn finished<'py>(
    py: Python<'py>,
    core: &mut Core<'_>,
    node: NodeId,
    made: Result<*mut ffi::PyObject, Refusal>,
) -> Result<Bound<'py, PyAny>, Refusal> {
    let made = core.finish(node, made?, 0)?;
    // SAFETY: a new reference. It is not null, which only a field has for a value.
    Ok(unsafe { Bound::from_owned_ptr(py, made) })
}

fn answered<'py>(
    core: &mut Core<'_>,
    made: Result<Bound<'py, PyAny>, Refusal>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    match made.map_err(Refusal::why) {
        Ok(made) => Ok(Some(made)),
        Err(Why::Python(error)) => Err(error),
        Err(_) => {
            core.abandon();
            Ok(None)
        }
    }
}

impl Core<'_> {
    /// Expects a value of a node.
    fn aim_at_node(&mut self, node: NodeId) {
        let aim = self.aim_of(node);
        (self.top_mut().node, self.top_mut().aim) = (node, aim);
        self.fitted = node;
    }
}
