//! Columns without a class: a first pass over the sources finds the schema, and then they are read
//! again.

use super::chain::Recipe;
use super::convert::{Got, advance};
use super::threads::Together;
use crate::columns::{Asked, Digits, Schema, no_digits};
use crate::drive::driver::{Driver, Gauge, Turn};
use crate::edge::errors::{self, Named};
use crate::edge::gc_refs::Held;
use crate::edge::options::{Errors, PolicyObject, warn_of_broken};
use crate::io::dialect::{Choice, Dialect};
use crate::io::sources::SourceObject;
use crate::io::stored::{About, about_remote, is_remote};
use crate::plan::plan_error;
use penstock_arrow::plan::NodeId;
use penstock_arrow::{Finder, MOST_DIGITS, Mixed, Wanted};
use penstock_core::formats::Reader;
use penstock_core::protocol::Destination;
use penstock_core::run::{Policy, RecordScope, Run, Windows};
use penstock_core::split::Shares;
use pyo3::exceptions::PyOSError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString, PyTuple};
use std::cell::Cell;
use std::collections::VecDeque;
use std::convert::Infallible;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// A source that may be read again, and how.
pub(super) struct Again {
    dialect: Held,
    source: Held,
    recipe: Recipe,
}

impl Again {
    pub(super) fn new(
        dialect: &Bound<'_, Dialect>,
        source: &Bound<'_, SourceObject>,
        recipe: Recipe,
    ) -> Self {
        Again { dialect: Held::new(dialect), source: Held::new(source), recipe }
    }

    /// The caller's objects in it.
    pub(super) fn held(&self) -> [Held; 2] {
        [self.dialect.clone(), self.source.clone()]
    }

    pub(super) fn recipe(&self) -> &Recipe {
        &self.recipe
    }

    pub(super) fn recipe_mut(&mut self) -> &mut Recipe {
        &mut self.recipe
    }

    /// The source with its dialect.
    pub(super) fn source<'py>(&self, py: Python<'py>) -> PyResult<Sourced<'py>> {
        Ok((self.dialect.get(py)?.cast_into()?, self.source.get(py)?.cast_into()?))
    }

    /// How many digits the `Decimal` columns need that declare none, and the states of the sources
    /// that were read for that.
    pub(super) fn count(
        &self,
        py: Python<'_>,
        sources: &[Sourced<'_>],
        asked: &Asked,
        counted: &[(NodeId, String)],
    ) -> PyResult<(Vec<Digits>, VecDeque<Stamp>)> {
        let mut stamps = VecDeque::new();
        for (_, source) in sources {
            match (Stamp::of_any(py, source.get())?, counted.first()) {
                (None, Some((_, shown))) => return Err(no_digits(py, shown)),
                (stamp, _) => stamps.extend(stamp),
            }
        }
        let mut recipe = self.recipe.copied(py);
        recipe.policy = Py::new(py, recipe.policy.get().of_first_pass(py)?)?;
        let mut most = vec![(0, 0); counted.len()];
        for (dialect, source) in sources {
            let mut driver = recipe.open(py, dialect.get(), source.get())?.driver;
            let done = match pass_over(py, &mut driver, asked, 1) {
                Err(error) if self.leaves_out(py, sources, &error)? => Ok(()),
                done => done,
            };
            if done.is_ok()
                && let Some(columns) = driver.builder_mut().columns()
            {
                for (most, (node, _)) in most.iter_mut().zip(counted) {
                    let (whole, behind) = columns.most_digits(*node);
                    *most = (whole.max(most.0), behind.max(most.1));
                }
            }
            driver.close();
            done?;
        }
        let mut digits = Vec::with_capacity(most.len());
        for ((whole, behind), (_, shown)) in most.into_iter().zip(counted) {
            let all = (whole + behind).max(1);
            if i64::from(all) > MOST_DIGITS {
                let why = "no decimal number holds all of its values exactly";
                return Err(plan_error(py, format!("{shown} has no column: {why}")));
            }
            digits.push((all as u8, behind as i8));
        }
        Ok((digits, stamps))
    }

    /// Whether the rest of one of these sources is left out after an error.
    pub(super) fn leaves_out(
        &self,
        py: Python<'_>,
        sources: &[Sourced<'_>],
        error: &PyErr,
    ) -> PyResult<bool> {
        let errors = self.recipe.policy.get().errors(py)?;
        let may_break = sources.len() > 1 && matches!(errors, Errors::Skip | Errors::Give(_));
        Ok(may_break && errors::is_of_source(py, error))
    }

    /// The schema of the records in the sources, each of which is read by so many threads. Of several
    /// sources, the rest of a broken one is left out, unless errors are raised.
    pub(super) fn find(
        &self,
        py: Python<'_>,
        sources: &[Sourced<'_>],
        threads: usize,
        sought: &Sought,
    ) -> PyResult<Schema> {
        let mut finder = Finder::of(sought.wanted.clone(), sought.mixed);
        // The threads would read what is behind the last record.
        let threads = if sought.most.is_some() { 1 } else { threads };
        let (mut broken, mut first, mut left) = (0, None, sought.most);
        for (dialect, source) in sources {
            match left {
                Some(0) => break,
                Some(most) => finder.end_behind(most),
                None => {}
            }
            let failed;
            let gauge = Gauge::default();
            let sourced = (dialect.get(), source.get());
            (finder, failed) = pass(py, finder, &self.recipe, sourced, threads, &gauge)?;
            sought.skipped.set(sought.skipped.get() + gauge.skipped.load(Ordering::Relaxed));
            left = left.map(|most| most - finder.complete());
            let Some(error) = failed else { continue };
            if !self.leaves_out(py, sources, &error)? {
                return Err(error);
            }
            if sought.reports {
                warn_of_broken(py, &error)?;
            }
            broken += 1;
            first.get_or_insert(error);
        }
        match first {
            Some(error) if broken == sources.len() && finder.found().is_empty() => Err(error),
            _ => Schema::found(py, finder, sought.skipped.get()),
        }
    }
}

/// What a first pass looks for.
#[derive(Debug, Default)]
pub(super) struct Sought {
    /// The places that are looked at, if those are not all.
    pub(super) wanted: Option<Arc<Wanted>>,
    /// What becomes of values of several kinds at one place.
    pub(super) mixed: Mixed,
    /// Whether there is a warning for each source whose rest is left out. Otherwise, the second pass
    /// reports it.
    pub(super) reports: bool,
    /// How many records of all sources count, of which there is at least one.
    pub(super) most: Option<u64>,
    /// How many records were left out.
    pub(super) skipped: Cell<u64>,
}

/// A source with its dialect.
pub(super) type Sourced<'py> = (Bound<'py, Dialect>, Bound<'py, SourceObject>);

/// How a source that was read is read again.
pub(super) enum Stamp {
    /// A file by its path or address, in a state by which a change is noticed.
    File(About),
    /// A list or a tuple of chunks.
    Chunks,
    /// A file that the caller has opened, from the position where it was.
    Opened(Py<PyAny>),
}

impl Stamp {
    /// The state of a source.
    ///
    /// # Errors
    /// It can be read only once.
    pub(super) fn of(py: Python<'_>, source: &SourceObject) -> PyResult<Self> {
        Stamp::of_any(py, source)?.ok_or_else(|| {
            let reason = "the columns of records without a class are found by reading them twice, \
                          and this source can be read only once: pass a class or a schema";
            plan_error(py, reason)
        })
    }

    /// The state of a source, if it can be read again.
    fn of_any(py: Python<'_>, source: &SourceObject) -> PyResult<Option<Self>> {
        let object = source.object(py);
        if object.is_instance_of::<PyString>() || is_remote(object)? {
            return Stamp::of_file(object);
        }
        if object.is_exact_instance_of::<PyList>() || object.is_exact_instance_of::<PyTuple>() {
            return Ok(Some(Stamp::Chunks));
        }
        let Some(seekable) = object.getattr_opt(intern!(py, "seekable"))? else { return Ok(None) };
        if !seekable.call0()?.is_truthy()? {
            return Ok(None);
        }
        Ok(Some(Stamp::Opened(object.call_method0(intern!(py, "tell"))?.unbind())))
    }

    fn of_file(path: &Bound<'_, PyAny>) -> PyResult<Option<Self>> {
        if !path.is_instance_of::<PyString>() {
            return Ok(about_remote(path)?.map(Stamp::File));
        }
        let about = std::fs::metadata(path.extract::<PathBuf>()?)?;
        Ok(about.is_file().then(|| Stamp::File(About::from(&about))))
    }

    /// Makes sure that the source is read again as it was.
    ///
    /// # Errors
    /// It is another by now.
    pub(super) fn check(&self, py: Python<'_>, source: &SourceObject) -> PyResult<()> {
        let object = source.object(py);
        let is_same = match self {
            Stamp::Chunks => true,
            Stamp::Opened(position) => {
                object.call_method1(intern!(py, "seek"), (position,))?;
                true
            }
            Stamp::File(about) => {
                matches!(Stamp::of_file(object)?, Some(Stamp::File(now)) if now == *about)
            }
        };
        if is_same {
            return Ok(());
        }
        let name = source.name().unwrap_or_default();
        let reason = format!("{name} has changed while its columns were found: read it again");
        Err(PyOSError::new_err(reason))
    }
}

/// Reads all of a source, in so many threads, into columns that are forgotten: for the digits of
/// their numbers, or for errors.
pub(super) fn pass_over(
    py: Python<'_>,
    driver: &mut Driver,
    asked: &Asked,
    threads: usize,
) -> PyResult<()> {
    driver.fill(py, asked, (65_536, 1 << 24), threads)?;
    loop {
        match driver.fill_batch(py)? {
            Turn::Row => {
                if let Some(columns) = driver.builder_mut().columns() {
                    columns.forget();
                }
            }
            Turn::Dry => {}
            Turn::End => return Ok(()),
        }
    }
}

/// Reads all of a source in so many threads. If it cannot be read to its end, the error comes with
/// what was found before.
fn pass(
    py: Python<'_>,
    mut finder: Finder,
    recipe: &Recipe,
    (dialect, source): (&Dialect, &SourceObject),
    threads: usize,
    gauge: &Gauge,
) -> PyResult<(Finder, Option<PyErr>)> {
    let at = recipe.at.as_ref().map(|at| at.get(py)).transpose()?;
    let Choice { plan, records, condition, .. } =
        dialect.choose(&recipe.r#type.get(py)?, at.as_ref())?;
    if plan.kinds.len() > 1 {
        let reason = "columns are of one class, and there are several kinds of records";
        return Err(plan_error(py, reason));
    }
    let PolicyObject { max_errors, .. } = *recipe.policy.get();
    let errors = match recipe.policy.get().errors(py)?.policy(max_errors) {
        Policy::Raise => Policy::Raise,
        // The second pass reports them.
        Policy::Skip | Policy::Collect { .. } | Policy::Hand => Policy::Skip,
    };
    let (opened, _held) = match source.open(py, dialect.detect(), &recipe.limits) {
        Ok(opened) => opened,
        Err(error) => return Ok((finder, Some(error))),
    };
    let name = source.name();
    finder.begin_part(name.as_deref().unwrap_or(dialect.name()));
    let run = Run::new(dialect.reader(false, &recipe.limits), Windows::of(opened), errors);
    let named = Named::new(dialect.name(), name.as_deref());
    let mut to = RecordScope::new(finder, records).wanting(condition);
    let failed = read_all(py, run, &mut to, &named, threads, gauge).err();
    Ok((to.into_inner(), failed))
}

/// Reads all records of a run in so many threads, without the interpreter's lock.
pub(super) fn read_all<D: Shares + Destination<Cause = Infallible, Break = Infallible> + Send>(
    py: Python<'_>,
    mut run: Run<Reader, Windows, Infallible>,
    to: &mut RecordScope<D>,
    named: &Named<'_>,
    threads: usize,
    gauge: &Gauge,
) -> PyResult<()> {
    let mut together = Together::new(threads, &mut run);
    let mut bring =
        |run: &mut Run<_, Windows, _>, to: &mut RecordScope<D>| together.bring(run, to, gauge);
    loop {
        match py.detach(|| advance(&mut run, to, gauge, |_| 0, &mut bring)) {
            Ok(Got::Somewhere) => py.check_signals()?,
            Ok(Got::End) => return Ok(()),
            Ok(Got::Problem(problem)) => {
                let error = errors::of_problem(py, *problem, named);
                return Err(error.unwrap_or_else(|instead| instead));
            }
            Err(failed) => return Err(errors::of_failure(py, failed, named)),
        }
    }
}
