//! The records of a reader's sources as batches of columns.

use super::rows::{Run, fills_columns};
use crate::columns::{Asked, Chosen, Flattened, columns_of, names_of, texts, view_of};
use crate::drive::driver::Turn;
use crate::drive::progress::Meter;
use crate::edge::errors;
use crate::edge::gc_refs::Held;
use crate::plan::plan_error;
use crate::verbs::finding::{Sought, Stamp};
use crate::verbs::may_wait;
use penstock_arrow::{DataType, FieldRef, Mixed, RecordBatch, SchemaRef, View, Wanted};
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use std::collections::VecDeque;
use std::sync::Arc;

/// How columns are filled.
pub(in crate::verbs) struct Filled {
    asked: Asked,
    /// The most rows, and about the most bytes, of a batch.
    batch: (usize, usize),
    threads: usize,
    /// The schema of what is filled.
    schema: SchemaRef,
    /// What the consumer gets of that, if it is something else.
    view: Option<View>,
}

/// The names of columns that a caller says.
pub(super) struct Names {
    /// Those that are wanted, or the paths to them; all if there are none.
    pub(super) wanted: Vec<String>,
    /// That of the column of keys.
    pub(super) keys: Option<String>,
}

/// Whether there is a column at a path, or of that name.
fn has(mut fields: &[FieldRef], path: &str) -> bool {
    if fields.iter().any(|field| field.name() == path) {
        return true;
    }
    for step in path.split('/') {
        let Some(field) = fields.iter().find(|field| field.name() == step) else { return false };
        fields = match field.data_type() {
            DataType::Struct(inside) => inside,
            _ => &[],
        };
    }
    true
}

/// About how many bytes a batch of columns has at most.
pub(super) const BATCH: usize = 1 << 24;

impl Run {
    /// From now on, fills columns: those of the class, or those that are found.
    pub(super) fn begin_columns(
        &mut self,
        py: Python<'_>,
        meter: &Meter,
        mut asked: Asked,
        names: &Names,
        batch: (usize, usize),
        threads: usize,
    ) -> PyResult<SchemaRef> {
        self.check(py)?;
        if self.filling.is_some() {
            return Err(fills_columns());
        }
        if self.driver.has_begun() || !self.left.is_empty() {
            let reason = "columns() comes before anything is read of this Reader";
            return Err(PyValueError::new_err(reason));
        }
        let is_found = self.driver.builder().planned().is_plain();
        if names.keys.is_some() && !is_found {
            let reason = "key_column= is for records without a class: in a class, a field at \
                          penstock.at(\"key()\") is that column";
            return Err(PyValueError::new_err(reason));
        }
        self.find_columns(py, meter, names, asked.unions.mixed(), threads)?;
        let fields = names_of(py, self.driver.builder().planned())?;
        let mut wanted = names.wanted.clone();
        if is_found && asked.flat == Flattened::None && wanted.iter().any(|it| it.contains('/')) {
            asked.flat = Flattened::Paths(wanted.clone());
        }
        if !wanted.is_empty() {
            wanted.extend(names.keys.clone());
        }
        asked.chosen = Chosen::new(&wanted, |name| fields.iter().any(|field| field == name));
        self.count_digits(py, &mut asked)?;
        self.fill(py, asked, batch, threads)
    }

    /// The next batch of columns, or None at the end. An error behind the first record of a batch
    /// waits for the next call.
    pub(super) fn columns(
        &mut self,
        py: Python<'_>,
        meter: &Meter,
    ) -> PyResult<Option<RecordBatch>> {
        if self.allowed == 0 {
            return Ok(None);
        }
        if let Err(error) = self.check(py) {
            self.go_on_behind(py, error)?;
        }
        loop {
            match self.driver.fill_batch(py) {
                Ok(Turn::Row) => return self.take_columns().map(Some),
                Ok(Turn::Dry) => {}
                Ok(Turn::End) => {
                    // The columns of another source are its own.
                    if self.rows() > 0 {
                        return self.take_columns().map(Some);
                    }
                    match self.next_source(py, meter) {
                        Ok(true) => self.fill_again(py)?,
                        Ok(false) => return Ok(None),
                        Err(error) => self.go_on_behind(py, error)?,
                    }
                }
                Err(error) => {
                    let error = self.failed(py, error);
                    if self.rows() == 0 || !may_wait(py, &error) {
                        self.go_on_behind(py, error)?;
                        continue;
                    }
                    self.pending = Some(error.into_value(py));
                    return self.take_columns().map(Some);
                }
            }
        }
    }

    /// Reports that the rest of a source is left out, so that the next one follows.
    ///
    /// # Errors
    /// The error, if nothing is left out: there is one source, errors are raised, or it is none of
    /// a source.
    #[cold]
    fn go_on_behind(&mut self, py: Python<'_>, error: PyErr) -> PyResult<()> {
        let is_over = self.driver.is_finished() && self.closed.is_none();
        if self.chain.is_none() || !is_over || !errors::is_of_source(py, &error) {
            return Err(error);
        }
        self.driver.leave_out(py, error).map_err(|error| self.failed(py, error))
    }

    /// If the records have no class, finds their columns in so many threads, and begins again with
    /// those.
    #[cold]
    pub(super) fn find_columns(
        &mut self,
        py: Python<'_>,
        meter: &Meter,
        names: &Names,
        mixed: Mixed,
        threads: usize,
    ) -> PyResult<()> {
        if !self.driver.builder().planned().is_plain() {
            return Ok(());
        }
        let most = self.most();
        let again = match self.again.as_deref_mut() {
            Some(again) => again,
            // The rest of a file may have others than all of it.
            None if self.origin.is_some() => {
                let reason = "with resume=, columns are those of a class or of a schema";
                return Err(plan_error(py, reason));
            }
            None => return Ok(()),
        };
        let first = again.source(py)?;
        let rest = match &mut self.chain {
            Some(chain) => chain.sources(py)?,
            None => Vec::new(),
        };
        let mut sources = rest;
        sources.insert(0, first);
        let stamps = sources.iter().map(|(_, source)| Stamp::of(py, source.get()));
        let mut stamps: VecDeque<Stamp> = stamps.collect::<PyResult<_>>()?;
        let wanted = (!names.wanted.is_empty()).then(|| Arc::new(Wanted::new(&names.wanted)));
        let mut sought = Sought { wanted, mixed, most, ..Sought::default() };
        let mut schema = again.find(py, &sources, threads, &sought)?;
        if names.wanted.iter().any(|path| !has(schema.fields(), path)) {
            // The message suggests one of the others.
            for (stamp, (_, source)) in stamps.iter().zip(&sources) {
                stamp.check(py, source.get())?;
            }
            (sought.wanted, sought.mixed) = (None, Mixed::Json);
            schema = again.find(py, &sources, threads, &sought).unwrap_or(schema);
        }
        if let Some(name) = &names.keys {
            schema = schema.with_keys(name)?;
        }
        let schema = Bound::new(py, schema)?;
        let found = Held::new(&schema);
        again.recipe_mut().r#type = found.clone();
        let (dialect, source) = &sources[0];
        let opened = again.recipe_mut().open(py, dialect.get(), source.get())?;
        if let Some(stamp) = stamps.pop_front() {
            stamp.check(py, source.get())?;
        }
        if let Some(chain) = &mut self.chain {
            chain.read_as(found, stamps);
        }
        let mut driver = opened.driver;
        if self.chain.is_some() {
            driver.expect_others();
        }
        meter.follow(driver.gauge());
        self.driver = driver;
        self.again = None;
        Ok(())
    }

    /// If a `Decimal` declares no digits: counts those of its values.
    #[cold]
    pub(super) fn count_digits(&mut self, py: Python<'_>, asked: &mut Asked) -> PyResult<()> {
        if !self.driver.builder().planned().counts_digits {
            return Ok(());
        }
        let chosen = std::mem::take(&mut asked.chosen);
        let counting = Asked { chosen, unions: asked.unions, counts: true, ..Asked::default() };
        let counted = columns_of(py, self.driver.builder().planned(), &counting)?.counted;
        if let (Some(again), Some(_)) = (self.again.as_deref(), counted.first()) {
            let mut sources = vec![again.source(py)?];
            if let Some(chain) = &mut self.chain {
                sources.append(&mut chain.sources(py)?);
            }
            let (digits, mut stamps) = again.count(py, &sources, &counting, &counted)?;
            if let Some(stamp) = stamps.pop_front() {
                stamp.check(py, sources[0].1.get())?;
            }
            if let Some(chain) = &mut self.chain {
                chain.expect(stamps);
            }
            asked.digits = Some(digits);
        }
        asked.chosen = counting.chosen;
        Ok(())
    }

    pub(super) fn rows(&mut self) -> usize {
        self.driver.builder_mut().columns().map_or(0, |columns| columns.rows())
    }

    pub(super) fn take_columns(&mut self) -> PyResult<RecordBatch> {
        let Some(columns) = self.driver.builder_mut().columns() else {
            return Err(PyRuntimeError::new_err("this Reader fills no columns"));
        };
        let untold = |error: penstock_arrow::ArrowError| PyRuntimeError::new_err(error.to_string());
        let mut batch = columns.batch_with(texts).map_err(untold)?;
        let rows = usize::try_from(self.allowed).unwrap_or(usize::MAX).min(batch.num_rows());
        if rows < batch.num_rows() {
            batch = batch.slice(0, rows);
        }
        self.delivered(rows as u64);
        let view = self.filling.as_ref().and_then(|filled| filled.view.as_ref());
        let Some(view) = view else { return Ok(batch) };
        view.of(&batch, self.driver.name().unwrap_or_default()).map_err(untold)
    }

    /// From now on, fills columns.
    pub(super) fn fill(
        &mut self,
        py: Python<'_>,
        asked: Asked,
        batch: (usize, usize),
        threads: usize,
    ) -> PyResult<SchemaRef> {
        let (rows, bytes) = batch;
        let most = usize::try_from(self.allowed).unwrap_or(usize::MAX).max(1);
        let schema = self.driver.fill(py, &asked, (rows.min(most), bytes), threads)?;
        let view = view_of(py, self.driver.builder().planned(), &asked, &schema)?;
        if view.as_ref().is_some_and(View::has_file) && self.driver.name().is_none() {
            let reason = "file_column is for files: this source has no path";
            return Err(PyTypeError::new_err(reason));
        }
        let shown = view.as_ref().map_or(&schema, View::schema).clone();
        let filled = Filled { asked, batch, threads, schema, view };
        self.filling = Some(Box::new(filled));
        Ok(shown)
    }

    /// Fills the columns from the next source, too.
    pub(super) fn fill_again(&mut self, py: Python<'_>) -> PyResult<()> {
        let Some(Filled { asked, batch, threads, schema, .. }) = self.filling.as_deref() else {
            return Ok(());
        };
        let found = self.driver.fill(py, asked, *batch, *threads)?;
        if found != *schema {
            let reason = "the columns of this format are others than those of the first one";
            return Err(plan_error(py, reason));
        }
        Ok(())
    }
}
