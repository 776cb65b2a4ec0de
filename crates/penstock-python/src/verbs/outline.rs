//! `outline`: the paths of a source, for the command line.

use crate::drive::driver::bring;
use crate::edge::errors::{self, Named, given};
use crate::edge::options;
use crate::io::dialect::Dialect;
use crate::io::sources::SourceObject;
use penstock_core::outline::Outline;
use penstock_core::run::{Policy, Run, Turn, Windows};
use penstock_scan::gathered;
use pyo3::prelude::*;

/// A path, how many values of each kind there are, and an example with whether it is text.
type Row = (String, Vec<(&'static str, u64)>, Option<(String, bool)>);

/// The outline of a source, and how many values it leaves out because there are too many paths.
#[pyfunction]
#[pyo3(signature = (dialect, source, /))]
pub(crate) fn outline(
    py: Python<'_>,
    dialect: &Dialect,
    source: &SourceObject,
) -> PyResult<Py<PyAny>> {
    given(py, || {
        let limits = options::limits(None)?;
        // A file that the caller opened stays open: nothing is held any longer than this call.
        let (opened, _held) = source.open(py, dialect.detect(), &limits)?;
        let name = source.name();
        let reader = dialect.reader(false, &limits);
        let mut run = Run::new(reader, Windows::of(opened), Policy::Raise);
        let mut outline = Outline::new();
        let named = Named::new(dialect.name(), name.as_deref());
        loop {
            match run.advance(&mut outline) {
                Ok(Turn::Dry) => {
                    let brought = bring(py, &mut run, &mut outline);
                    brought.map_err(|failure| errors::of_failure(py, failure, &named))?;
                    py.check_signals()?;
                }
                Ok(Turn::End) => break,
                Ok(_) => {}
                Err(failure) => return Err(errors::of_failure(py, failure, &named)),
            }
        }
        let rows = outline.rows().into_iter().map(|row| {
            let example = row.example.map(|example| (example.written, example.is_text));
            (row.path, row.kinds, example)
        });
        let rows: Vec<Row> = gathered(rows);
        Ok((rows, outline.omitted()))
    })
}
