//! Several sources that are read one after the other, by one `Reader`.

use crate::drive::driver::{Driver, Settings};
use crate::edge::gc_refs::Held;
use crate::edge::options::PolicyObject;
use crate::edge::repairs;
use crate::io::dialect::{Choice, Dialect};
use crate::io::sources::SourceObject;
use crate::verbs::checkpoint::open_on;
use crate::verbs::finding::{Sourced, Stamp};
use crate::verbs::read::Origin;
use crate::verbs::unknown_keys;
use penstock_core::limits::Limits;
use penstock_core::run::{RepairLog, Windows};
use penstock_core::select::Records;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyIterator, PyList};
use std::collections::VecDeque;

/// How records are read, whatever source they are in.
pub(super) struct Recipe {
    pub(super) r#type: Held,
    pub(super) at: Option<Held>,
    pub(super) policy: Py<PolicyObject>,
    pub(super) limits: Limits,
    pub(super) timing: bool,
}

/// A source that was opened.
pub(super) struct Opened {
    pub(super) driver: Driver,
    /// The caller's objects that the driver uses.
    pub(super) held: Vec<Held>,
    /// The type and the path as `repr` shows them.
    pub(super) title: String,
    /// What is said if there are no records: it names their path.
    pub(super) sought: String,
    /// Which values are records.
    pub(super) records: Option<Records>,
    /// How many bytes the source has, if that is known.
    pub(super) total: Option<u64>,
}

impl Recipe {
    /// The same for other sources.
    pub(super) fn copied(&self, py: Python<'_>) -> Self {
        Recipe {
            r#type: self.r#type.clone(),
            at: self.at.clone(),
            policy: self.policy.clone_ref(py),
            limits: self.limits.clone(),
            timing: self.timing,
        }
    }

    /// Opens a source.
    pub(super) fn open(
        &self,
        py: Python<'_>,
        dialect: &Dialect,
        source: &SourceObject,
    ) -> PyResult<Opened> {
        let at = self.at.as_ref().map(|at| at.get(py)).transpose()?;
        let Choice { plan, records, condition, title, sought } =
            dialect.choose(&self.r#type.get(py)?, at.as_ref())?;
        let limits = self.limits.clone();
        let (policy, chosen) = (self.policy.get(), (records.clone(), sought.clone()));
        let mut settings = Settings::new(py, policy, chosen, limits, source.name(), true)?;
        settings.condition = condition;
        let (source, held) = source.open(py, dialect.detect(), &settings.limits)?;
        let held = held.into_iter().chain(settings.errors.held()).collect();
        let total = source.total();
        let mut driver = Driver::new(dialect, plan, settings, Windows::of(source));
        if self.timing {
            driver.time();
        }
        Ok(Opened { driver, held, title, sought, records, total })
    }
}

/// The method of files whose places can be kept that says that the reader is in the next one.
const ENTER: &str = "enter";

/// The sources that follow, and what is known of those before.
pub(super) struct Chain {
    /// Gives a dialect and a source for each.
    rest: Held,
    recipe: Recipe,
    /// Whether their places can be kept: it gives a place in each, too.
    keeps_places: bool,
    unknown: Py<PyDict>,
    repairs: Py<PyList>,
    repair_counts: Py<PyDict>,
    /// The states of the sources, if they were read before.
    stamps: VecDeque<Stamp>,
}

impl Chain {
    pub(super) fn new(py: Python<'_>, rest: Held, recipe: Recipe) -> Self {
        Chain {
            rest,
            recipe,
            keeps_places: false,
            unknown: PyDict::new(py).unbind(),
            repairs: PyList::empty(py).unbind(),
            repair_counts: PyDict::new(py).unbind(),
            stamps: VecDeque::new(),
        }
    }

    /// The same for files whose places can be kept. The first one was opened.
    pub(super) fn of_kept(py: Python<'_>, rest: Held, recipe: Recipe) -> PyResult<Self> {
        let chain = Chain { keeps_places: true, ..Chain::new(py, rest, recipe) };
        chain.rest.get(py)?.call_method0(ENTER)?;
        Ok(chain)
    }

    /// What knows which files are done, if their places can be kept.
    pub(super) fn files(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        Ok(self.rest.get(py)?.unbind())
    }

    /// The sources that follow, which are still to come.
    pub(super) fn sources<'py>(&mut self, py: Python<'py>) -> PyResult<Vec<Sourced<'py>>> {
        let all = PyList::empty(py);
        for source in self.rest.get(py)?.cast_into::<PyIterator>()? {
            all.append(source?)?;
        }
        self.rest = Held::new(all.try_iter()?.as_any());
        all.iter().map(|source| source.extract()).collect()
    }

    /// Reads what follows by another type. The sources are as they were.
    pub(super) fn read_as(&mut self, r#type: Held, stamps: VecDeque<Stamp>) {
        self.recipe.r#type = r#type;
        self.stamps = stamps;
    }

    /// The sources must be as they were.
    pub(super) fn expect(&mut self, stamps: VecDeque<Stamp>) {
        self.stamps = stamps;
    }

    /// Opens the next source, if there is one. A source that cannot be opened is passed over by the
    /// next call.
    pub(super) fn next(
        &mut self,
        py: Python<'_>,
        before: &mut Driver,
    ) -> PyResult<Option<(Driver, Option<Origin>)>> {
        let mut rest = self.rest.get(py)?.cast_into::<PyIterator>()?;
        let Some(next) = rest.next().transpose()? else { return Ok(None) };
        let (Opened { mut driver, .. }, origin) = if self.keeps_places {
            let (opened, origin) = open_on(py, &self.recipe, next.extract()?)?;
            (opened, Some(origin))
        } else {
            let (dialect, source): (Bound<'_, Dialect>, Bound<'_, SourceObject>) =
                next.extract()?;
            let opened = self.recipe.open(py, dialect.get(), source.get())?;
            if let Some(stamp) = self.stamps.pop_front() {
                stamp.check(py, source.get())?;
            }
            (opened, None)
        };
        let unknown = self.unknown(py, before)?.unbind();
        let repairs = self.repairs(py, before)?.unbind();
        let repair_counts = self.repair_counts(py, before)?.unbind();
        if self.keeps_places {
            rest.call_method0(ENTER)?;
        }
        (self.unknown, self.repairs, self.repair_counts) = (unknown, repairs, repair_counts);
        driver.follow(before);
        Ok(Some((driver, origin)))
    }

    /// The unknown keys of the sources before and of that of `driver`.
    pub(super) fn unknown<'py>(
        &self,
        py: Python<'py>,
        driver: &Driver,
    ) -> PyResult<Bound<'py, PyDict>> {
        sum(self.unknown.bind(py), &unknown_keys(py, driver.builder())?)
    }

    /// The same of repairs.
    pub(super) fn repairs<'py>(
        &self,
        py: Python<'py>,
        driver: &Driver,
    ) -> PyResult<Bound<'py, PyList>> {
        let all = PyList::new(py, self.repairs.bind(py))?;
        let room = RepairLog::MOST.saturating_sub(all.len());
        for repair in repairs::list(driver.repairs(), py, driver.name())?.iter().take(room) {
            all.append(repair)?;
        }
        Ok(all)
    }

    /// The same of the numbers of repairs.
    pub(super) fn repair_counts<'py>(
        &self,
        py: Python<'py>,
        driver: &Driver,
    ) -> PyResult<Bound<'py, PyDict>> {
        sum(self.repair_counts.bind(py), &repairs::counts(driver.repairs(), py)?)
    }
}

/// The counts of both.
fn sum<'py>(one: &Bound<'py, PyDict>, other: &Bound<'py, PyDict>) -> PyResult<Bound<'py, PyDict>> {
    let all = one.copy()?;
    for (name, count) in other.iter() {
        let before: u64 = all.get_item(&name)?.map_or(Ok(0), |count| count.extract())?;
        all.set_item(name, before + count.extract::<u64>()?)?;
    }
    Ok(all)
}
