//! What the command line asks of a reader, before anything is read.

use super::check_threads;
use super::rows::Run;
use crate::columns::{Asked, Schema, Unions, columns_of};
use crate::drive::progress::Meter;
use crate::plan::is_plan_error;
use crate::verbs::evidence;
use crate::verbs::finding::{self, Sought};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::sync::atomic::Ordering;

impl Run {
    /// Reads all records, and keeps none.
    pub(super) fn pass_over(
        &mut self,
        py: Python<'_>,
        meter: &Meter,
        threads: usize,
        distinct: bool,
    ) -> PyResult<()> {
        check_threads(threads)?;
        if distinct {
            self.driver.builder_mut().set_distinct();
        }
        let asked = Asked { unread: true, ..Asked::default() };
        self.fill(py, asked, (usize::MAX, usize::MAX), threads)?;
        while self.columns(py, meter)?.is_some() {}
        Ok(())
    }

    /// Reads all records for their errors. False if that takes objects: then nothing is read.
    pub(super) fn check_all(&mut self, py: Python<'_>, threads: usize) -> PyResult<bool> {
        check_threads(threads)?;
        self.check(py)?;
        let asked = Asked { counts: true, checks: true, ..Asked::default() };
        match columns_of(py, self.driver.builder().planned(), &asked) {
            Ok(made) if made.why_objects.is_none() => {}
            Err(error) if !is_plan_error(py, &error) => return Err(error),
            _ => return Ok(false),
        }
        let read = finding::pass_over(py, &mut self.driver, &asked, threads);
        read.map(|()| true).map_err(|error| self.failed(py, error))
    }

    /// The schema of the records, which are not read again. `reports` says whether broken sources are
    /// reported that are left out.
    pub(super) fn schema(
        &mut self,
        py: Python<'_>,
        threads: usize,
        reports: bool,
        unions: Unions,
        most: Option<u64>,
    ) -> PyResult<Schema> {
        check_threads(threads)?;
        self.check(py)?;
        let again = self.again.take_if(|_| self.driver.builder().planned().is_plain());
        let Some(again) = again else {
            let mut asked = Asked::default();
            self.count_digits(py, &mut asked)?;
            let schema = self.driver.fill(py, &asked, (1, 1), 1)?;
            self.closed = Some("this Reader is closed".into());
            return Ok(Schema::new(schema));
        };
        let mut sources = vec![again.source(py)?];
        if let Some(chain) = &mut self.chain {
            sources.append(&mut chain.sources(py)?);
        }
        self.driver.close();
        let most = most.or(self.most());
        let sought = Sought { reports, mixed: unions.mixed(), most, ..Sought::default() };
        let found = again.find(py, &sources, threads, &sought);
        self.driver.gauge().skipped.store(sought.skipped.get(), Ordering::Relaxed);
        self.driver.finish();
        self.closed = Some("this Reader is closed".into());
        found
    }

    /// The evidence of the records, which are not read again, as plain data. `reports` says whether
    /// broken sources are reported that are left out.
    pub(super) fn evidence<'py>(
        &mut self,
        py: Python<'py>,
        threads: usize,
        reports: bool,
    ) -> PyResult<Bound<'py, PyTuple>> {
        check_threads(threads)?;
        self.check(py)?;
        let again = self.again.take_if(|_| self.driver.builder().planned().is_plain());
        let Some(again) = again else {
            return Err(PyValueError::new_err("evidence is of records without a class"));
        };
        let mut sources = vec![again.source(py)?];
        if let Some(chain) = &mut self.chain {
            sources.append(&mut chain.sources(py)?);
        }
        self.driver.close();
        let format = sources[0].0.get().name();
        let found = again.evidence(py, &sources, threads, reports);
        self.driver.finish();
        self.closed = Some("this Reader is closed".into());
        let (found, skipped) = found?;
        self.driver.gauge().skipped.store(skipped, Ordering::Relaxed);
        evidence::told(py, &found, format)
    }
}
