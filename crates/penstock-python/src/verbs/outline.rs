//! `outline`: the paths of a source, for the command line.

use crate::drive::driver::bring;
use crate::edge::errors::{self, Named, given};
use crate::edge::options::{self, Errors, PolicyObject};
use crate::io::dialect::{Choice, Dialect};
use crate::io::sources::SourceObject;
use penstock_core::outline::Outline;
use penstock_core::run::{Policy, RecordScope, Run, Turn, Windows};
use penstock_scan::gathered;
use pyo3::prelude::*;

/// A path, how many values of each kind there are, and an example with whether it is text.
type Row = (String, Vec<(&'static str, u64)>, Option<(String, bool)>);

/// The outline of a source, how many values it leaves out because there are too many paths, and how
/// many records because they are in error: each line or row is one, and any other document. If the dialect has a
/// condition, only the records count that it wants.
#[pyfunction]
#[pyo3(signature = (dialect, source, policy, /))]
pub(crate) fn outline(
    py: Python<'_>,
    dialect: &Dialect,
    source: &SourceObject,
    policy: &PolicyObject,
) -> PyResult<Py<PyAny>> {
    given(py, || {
        let errors = policy.errors(py)?;
        let limits = options::limits(None)?;
        // A file that the caller opened stays open: nothing is held any longer than this call.
        let (opened, _held) = source.open(py, dialect.detect(), &limits)?;
        let name = source.name();
        let reader = dialect.reader(false, &limits);
        let policy = errors.policy(policy.max_errors);
        let mut run = Run::new(reader, Windows::of(opened), policy);
        let plain = py.get_type::<PyAny>();
        let Choice { records, condition, .. } = dialect.choose(plain.as_any(), None)?;
        let mut outline = Outline::new();
        if policy != Policy::Raise || condition.is_some() {
            outline = outline.leaving_out();
        }
        // The paths of a document are those from its root, and those of records from each record.
        let records = records.filter(|_| condition.is_some());
        let mut outline = RecordScope::new(outline, records).wanting(condition);
        let named = Named::new(dialect.name(), name.as_deref());
        loop {
            match run.advance(&mut outline) {
                Ok(Turn::Dry) => {
                    let brought = bring(py, &mut run, &mut outline);
                    brought.map_err(|failure| errors::of_failure(py, failure, &named))?;
                    py.check_signals()?;
                }
                Ok(Turn::End) => break,
                Ok(Turn::Problem(problem)) => {
                    let error = errors::of_problem(py, *problem, &named)?;
                    let Errors::Give(function) = &errors else { return Err(error) };
                    function.get(py)?.call1((error.into_value(py),))?;
                }
                Ok(_) => {}
                Err(failure) => return Err(errors::of_failure(py, failure, &named)),
            }
        }
        let outline = outline.into_inner();
        let rows = outline.rows().into_iter().map(|row| {
            let example = row.example.map(|example| (example.written, example.is_text));
            (row.path, row.kinds, example)
        });
        let rows: Vec<Row> = gathered(rows);
        Ok((rows, outline.omitted(), run.refused()))
    })
}
