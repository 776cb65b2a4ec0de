//! `Writer.columns`: Arrow columns as records, without objects and without the interpreter lock.

use crate::columns::Imported;
use crate::edge::errors::guarded;
use crate::encode::{Omit, Stop};
use crate::io::targets::TargetObject;
use crate::verbs::convert::Converted;
use crate::verbs::encode::Encoder;
use crate::verbs::write::{Recorder, Waiting, numbered};
use penstock_arrow::Array;
use penstock_arrow::tell::{Takes, Teller};
use penstock_core::each_writer;
use penstock_core::path_step::PathStep;
use penstock_core::protocol::Sink;
use penstock_core::writer::{ENOUGH, Unwritable, Writer};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyString;
use std::fmt::Write as _;

/// Writes all rows as records. `then` gets the text and the number of records whenever there is
/// enough of it.
pub(super) fn columns(
    py: Python<'_>,
    mut imported: Imported,
    recorder: &mut Recorder,
    then: &mut dyn FnMut(&mut dyn Waiting, u64) -> PyResult<()>,
) -> PyResult<()> {
    let written = write(py, &mut imported, recorder, then);
    // What the producer does to release it may take other locks.
    py.detach(|| drop(imported));
    written
}

fn write(
    py: Python<'_>,
    imported: &mut Imported,
    recorder: &mut Recorder,
    then: &mut dyn FnMut(&mut dyn Waiting, u64) -> PyResult<()>,
) -> PyResult<()> {
    if recorder.is_typed() {
        let reason = "columns() writes columns as they are: make the Writer without a type";
        return Err(PyValueError::new_err(reason));
    }
    let omits = matches!(recorder.omit(), Omit::None);
    let takes = each_writer!(&recorder.writer, writer => Takes::of(&**writer));
    let teller = Teller::new(imported.field().clone(), takes, omits).map_err(|formless| {
        Stop::misfit(formless.reason).into_error(py, shown(py, &formless.path))
    })?;
    each_writer!(&mut recorder.writer, writer => {
        if writer.wants_columns() { writer.columns(teller.columns(), 0) } else { Ok(()) }
    })
    .map_err(crate::io::style::unwritable)?;
    while let Some(array) = py.detach(|| imported.next()).map_err(|lost| lost.raised(py))? {
        let mut row = 0;
        while row < array.len() {
            let writer = &mut recorder.writer;
            let told = py.detach(|| {
                each_writer!(writer, writer => {
                    let told = teller.tell(&array, &mut row, &mut **writer);
                    if told.is_err() {
                        Sink::abandon(&mut **writer);
                    }
                    told
                })
            });
            let records = each_writer!(writer, writer => writer.records());
            let waiting = recorder.waiting();
            if let Err(untold) = told {
                then(waiting, records)?;
                let (reason, path) = untold.into_parts();
                return Err(raised(py, reason, &path, records + 1));
            }
            then(waiting, records)?;
            py.check_signals()?;
        }
    }
    Ok(())
}

/// Writes all rows to a target, which is finished.
#[pyfunction]
#[pyo3(signature = (encoder, columns, target, /))]
pub(crate) fn convert_columns(
    encoder: &Encoder,
    columns: &Bound<'_, PyAny>,
    target: &TargetObject,
) -> PyResult<Converted> {
    let py = columns.py();
    guarded(py, || {
        let imported = Imported::of("convert", columns)?;
        let mut recorder = Recorder::new(py, encoder, None)?;
        let mut records = 0;
        self::columns(py, imported, &mut recorder, &mut |text, count| {
            records = count;
            if text.text().len() >= ENOUGH { hand(py, text, target) } else { Ok(()) }
        })?;
        recorder.finish()?;
        hand(py, recorder.waiting(), target)?;
        target.finish(py, false)?;
        let (_, written) = target.counts().unwrap_or_default();
        Converted::of_columns(py, records, written)
    })
}

fn hand(py: Python<'_>, text: &mut dyn Waiting, target: &TargetObject) -> PyResult<()> {
    target.take(py, text.text())?;
    text.taken();
    Ok(())
}

#[cold]
fn raised(py: Python<'_>, reason: Unwritable, path: &[PathStep], record: u64) -> PyErr {
    numbered(py, Stop::from(reason).into_error(py, shown(py, path)), record)
}

/// A path as Python writes it: `['cities'][3]`.
#[cold]
fn shown(py: Python<'_>, path: &[PathStep]) -> String {
    let mut shown = String::new();
    for step in path {
        let _ = match step {
            PathStep::Index(index) => write!(shown, "[{index}]"),
            PathStep::Key(name) => match PyString::new(py, name).repr() {
                Ok(name) => write!(shown, "[{name}]"),
                Err(_) => write!(shown, "[?]"),
            },
            PathStep::Attribute(name) => write!(shown, "[@{name}]"),
        };
    }
    shown
}
