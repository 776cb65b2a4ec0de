//! `make`: objects from Python values.

use super::decode::the_value;
use super::encode;
use super::small_documents;
use crate::edge::errors::{self, Named, guarded};
use crate::edge::options;
use crate::objects::{KeyedOptions, Keys, Options, Owned, Pause, Refusal, Taking};
use crate::plan::{PlanRef, plan_from};
use penstock_core::error::Fail;
use penstock_core::formats::Lends;
use penstock_core::limits::Limits;
use penstock_core::path_step::PathStep;
use penstock_core::protocol::{
    Destination, Duplicates, FormatReader, InputView, Kept, Listener, Refused, Step,
};
use penstock_core::run::{Policy, Run, Whole};
use penstock_core::shape::Form;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};

/// The plain values that an object stands for: what JSON would have of it.
#[pyfunction]
#[pyo3(signature = (value, r#type, omit, limits, /))]
pub(crate) fn plain<'py>(
    py: Python<'py>,
    value: &Bound<'py, PyAny>,
    r#type: Option<&Bound<'py, PyAny>>,
    omit: Option<&str>,
    limits: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    guarded(py, || {
        let limits: Limits = options::limits(limits)?;
        let mut pause = if is_large(value) { Some(Pause::begin(py)?) } else { None };
        let made = encode::plainly_as_values(value, r#type, encode::omit(omit)?, &limits)?;
        if let Some(pause) = &mut pause {
            pause.promote();
        }
        Ok(made)
    })
}

/// Containers with fewer items make too few objects for the collector to matter.
const BULK: usize = 1_000;

/// Makes an object of a type from a value: a dict, a list, an object.
#[pyfunction]
#[pyo3(signature = (value, r#type, unknown, all_errors, from_attributes, limits, /))]
pub(crate) fn make<'py>(
    py: Python<'py>,
    value: &Bound<'py, PyAny>,
    r#type: &Bound<'py, PyAny>,
    unknown: &Bound<'py, PyAny>,
    all_errors: &Bound<'py, PyAny>,
    from_attributes: &Bound<'py, PyAny>,
    limits: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    guarded(py, || {
        let options = Options {
            duplicates: Duplicates::Last,
            unknown: options::unknown_in_memory(options::text("unknown", unknown)?)?,
            all_errors: options::flag("all_errors", all_errors)?,
            ..small_documents::OPTIONS
        };
        let limits: Limits = options::limits(limits)?;
        let attributes = options::flag("from_attributes", from_attributes)?;
        let plan = plan_from(py, r#type, Form::KEYED.into())?;
        let builder = builder(plan, options, &limits);
        let how = Taking { attributes, depth: limits.depth, keeps: None };
        let mut pause = if is_large(value) { Some(Pause::begin(py)?) } else { None };
        let made = take(value, builder, how, &Named::new(errors::VALUES, None))?;
        if let Some(pause) = &mut pause {
            pause.promote();
        }
        Ok(made)
    })
}

/// A builder of values that come from Python values.
pub(super) fn builder(plan: PlanRef, options: Options, limits: &Limits) -> Owned<Keys> {
    let own = KeyedOptions {
        lends: Lends::Nothing,
        number: limits.number,
        token: limits.token,
        memory: limits.memory,
    };
    Owned::new(plan, options, own)
}

/// Takes one value.
pub(super) fn take<'py>(
    value: &Bound<'py, PyAny>,
    builder: Owned<Keys>,
    how: Taking<'_>,
    named: &Named<'_>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = value.py();
    let mut maker = Maker { builder, value, how };
    let mut run = Run::new(NoText, Whole(b""), Policy::Raise);
    if let Err(failure) = run.advance(&mut maker) {
        return Err(errors::of_failure(py, failure, named));
    }
    the_value(py, maker.builder.take_row())
}

fn is_large(value: &Bound<'_, PyAny>) -> bool {
    let items = if let Ok(list) = value.cast::<PyList>() {
        list.len()
    } else if let Ok(tuple) = value.cast::<PyTuple>() {
        tuple.len()
    } else if let Ok(dict) = value.cast::<PyDict>() {
        dict.len()
    } else {
        0
    };
    items >= BULK
}

/// The destination of a run without text: it takes the value by itself, and the run says what becomes
/// of a problem.
struct Maker<'a, 'py> {
    builder: Owned<Keys>,
    value: &'a Bound<'py, PyAny>,
    how: Taking<'a>,
}

impl Destination for Maker<'_, '_> {
    type Error = Refusal;
    type Cause = PyErr;
    type Break = PyErr;

    fn read_from<R: FormatReader>(
        &mut self,
        _reader: &mut R,
        _given: InputView<'_>,
    ) -> Result<Step, Fail<Refusal>> {
        self.builder.take(self.value, self.how).map_err(Fail::Sink)?;
        Ok(Step::Done)
    }
    fn refused(&mut self, refusal: Refusal, given: InputView<'_>) -> Refused<PyErr, PyErr> {
        self.builder.refused(refusal, given)
    }
    fn abandon_record(&mut self) {
        self.builder.abandon_record();
    }
    fn value_path(&self, inside: bool, given: InputView<'_>) -> Vec<PathStep> {
        self.builder.value_path(inside, given)
    }
    fn ready(&self) -> u64 {
        Destination::ready(&self.builder)
    }
    fn over_memory(&self, given: InputView<'_>) -> Option<u64> {
        Destination::over_memory(&self.builder, given)
    }
    fn take_kept(&mut self) -> Kept<PyErr> {
        self.builder.take_kept()
    }
}

/// A reader of nothing.
struct NoText;

impl FormatReader for NoText {
    fn run<S: Listener>(
        &mut self,
        _given: InputView<'_>,
        _sink: &mut S,
    ) -> Result<Step, Fail<S::Error>> {
        Ok(Step::Done)
    }
    fn base(&self) -> u64 {
        0
    }
    fn consumed(&self) -> usize {
        0
    }
    fn drop_front(&mut self, _count: usize) {}
    fn jump(&mut self, _base: u64) {}
    fn is_document(&self) -> bool {
        true
    }
    fn abandon(&mut self, _depth: usize) {}
    fn is_abandoned(&self) -> bool {
        false
    }
}
