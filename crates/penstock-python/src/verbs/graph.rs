//! `penstock.plist.open`: the objects of a binary property list by their numbers, of which only that
//! is read which somebody asks for. What a user sees of them is `penstock._archives.graph`.

use super::small_documents;
use crate::edge::errors::{self, Named, given, guarded};
use crate::edge::options;
use crate::io::dialect::{Dialect, of_name};
use crate::io::stored::{About, Stored};
use crate::objects::Options;
use crate::verbs::decode;
use penstock_core::error::Fault;
use penstock_core::event::ContainerKind;
use penstock_core::limits::Limits;
use penstock_core::path_step::PathStep;
use penstock_core::plist::binary::{Graph as Objects, Node, Reader};
use penstock_core::protocol::InputView;
use penstock_core::run::{Input, Policy, Positioned, Problem, Run, Spot, Turn, Whole};
use penstock_core::source::{ReadAt, is_binary};
use pyo3::exceptions::PyValueError;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyString, PyTuple};
use std::convert::Infallible;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A binary property list that is open.
#[pyclass(frozen, module = "penstock._rust")]
pub(crate) struct Graph {
    open: Mutex<Option<Open>>,
    limits: Limits,
    name: Option<String>,
}

struct Open {
    objects: Objects,
    held: Arc<Held>,
}

/// Where the bytes are.
enum Held {
    Bytes(Py<PyBytes>),
    File(Unchanged, u64),
}

impl Held {
    fn given<'a>(&'a self, py: Python<'a>) -> InputView<'a> {
        match self {
            Held::Bytes(bytes) => InputView::Bytes(bytes.as_bytes(py)),
            Held::File(file, size) => InputView::At { file, size: *size },
        }
    }
}

/// A file that must stay as it is: what was read of it would not go with the rest.
struct Unchanged {
    file: Stored,
    state: About,
}

impl Unchanged {
    fn new(file: Stored) -> io::Result<Self> {
        let state = file.about()?;
        Ok(Unchanged { file, state })
    }
}

impl ReadAt for Unchanged {
    fn read_exact_at(&self, out: &mut [u8], offset: u64) -> io::Result<()> {
        self.file.read_exact_at(out, offset)?;
        // Afterwards: a change in between shows, too.
        if self.file.about()? != self.state {
            return Err(io::Error::other("it has changed since it was opened"));
        }
        Ok(())
    }
}

impl ReadAt for &Unchanged {
    fn read_exact_at(&self, out: &mut [u8], offset: u64) -> io::Result<()> {
        (**self).read_exact_at(out, offset)
    }
}

#[pymethods]
impl Graph {
    /// Opens a path, or bytes. None if they are no binary property list.
    #[staticmethod]
    #[pyo3(signature = (source, name, limits, /))]
    fn open(
        source: &Bound<'_, PyAny>,
        name: Option<String>,
        limits: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Option<Self>> {
        let py = source.py();
        guarded(py, || {
            let limits = options::limits(limits)?;
            let held = if let Ok(bytes) = source.cast::<PyBytes>() {
                if is_binary(bytes.as_bytes()) != Some(true) {
                    return Ok(None);
                }
                Held::Bytes(bytes.clone().unbind())
            } else {
                let Some((file, size)) = Stored::open(source)? else {
                    return Ok(None);
                };
                let mut first = [0; 6];
                if size < 6 || file.read_exact_at(&mut first, 0).is_err() {
                    return Ok(None);
                }
                if is_binary(&first) != Some(true) {
                    return Ok(None);
                }
                Held::File(Unchanged::new(file)?, size)
            };
            let opened = Objects::open(held.given(py), &limits);
            let objects = opened.map_err(|fault| raised(py, &fault, name.as_deref(), &[]))?;
            let open = Mutex::new(Some(Open { objects, held: Arc::new(held) }));
            Ok(Some(Graph { open, limits, name }))
        })
    }

    /// The number of the root.
    fn root(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        given(py, || self.enter(|open| Ok(open.objects.root())))
    }

    /// Of a container, whether it is a dictionary, and how many members it has; None of a scalar.
    #[pyo3(signature = (number, path, /))]
    fn kind(&self, py: Python<'_>, number: u64, path: &Bound<'_, PyTuple>) -> PyResult<Py<PyAny>> {
        given(py, || {
            self.ask(py, path, |objects, given| {
                objects.node(given, number, |node| match node {
                    Node::Container(kind, count) => Some((kind == ContainerKind::Map, count)),
                    Node::Scalar(_) => None,
                })
            })
        })
    }

    /// The number of a member of a container.
    #[pyo3(signature = (number, place, path, /))]
    fn member(
        &self,
        py: Python<'_>,
        number: u64,
        place: u64,
        path: &Bound<'_, PyTuple>,
    ) -> PyResult<Py<PyAny>> {
        given(py, || self.ask(py, path, |objects, given| objects.member(given, number, place)))
    }

    /// The key of a member of a dictionary.
    #[pyo3(signature = (number, place, path, /))]
    fn key<'py>(
        &self,
        py: Python<'py>,
        number: u64,
        place: u64,
        path: &Bound<'_, PyTuple>,
    ) -> PyResult<Option<Bound<'py, PyString>>> {
        guarded(py, || {
            self.ask(py, path, |objects, given| {
                objects.key(given, number, place, |key| PyString::new(py, key.text.as_str()))
            })
        })
    }

    /// The place of the member of a dictionary with a key.
    #[pyo3(signature = (number, key, path, /))]
    fn find(
        &self,
        py: Python<'_>,
        number: u64,
        key: &str,
        path: &Bound<'_, PyTuple>,
    ) -> PyResult<Py<PyAny>> {
        given(py, || self.ask(py, path, |objects, given| objects.find(given, number, key)))
    }

    /// Decodes an object, and everything to which it leads, into a type.
    #[pyo3(signature = (number, r#type, unknown, all_errors, path, /))]
    fn to<'py>(
        &self,
        py: Python<'py>,
        number: u64,
        r#type: &Bound<'py, PyAny>,
        unknown: &Bound<'py, PyAny>,
        all_errors: &Bound<'py, PyAny>,
        path: &Bound<'py, PyTuple>,
    ) -> PyResult<Bound<'py, PyAny>> {
        guarded(py, || {
            let dialect = dialect(py)?;
            let options = Options {
                unknown: options::unknown_in_memory(options::text("unknown", unknown)?)?,
                all_errors: options::flag("all_errors", all_errors)?,
                ..small_documents::OPTIONS
            };
            let plan = dialect.plan(r#type)?;
            // The lock is not held while objects are made, which may run any code.
            let (reader, held) = self.enter(|open| {
                Ok((open.objects.reader(number, &self.limits), Arc::clone(&open.held)))
            })?;
            let mut builder = decode::building(dialect, plan, options, &self.limits);
            let steps = steps(path)?;
            match &*held {
                Held::Bytes(bytes) => {
                    let run = Run::new(reader, Whole(bytes.as_bytes(py)), Policy::Raise);
                    self.drive(py, run, &mut builder, &steps)?;
                }
                Held::File(file, size) => {
                    let run = Run::new(reader, Positioned::new(file, *size), Policy::Raise);
                    self.drive(py, run, &mut builder, &steps)?;
                }
            }
            decode::the_value(py, builder.take_row())
        })
    }

    /// Releases the file.
    fn close(&self) {
        let open = self.lock().take();
        drop(open);
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        // The collector must not wait.
        let Ok(open) = self.open.try_lock() else { return Ok(()) };
        match open.as_ref().map(|open| &*open.held) {
            Some(Held::Bytes(bytes)) => visit.call(bytes),
            _ => Ok(()),
        }
    }
}

impl Graph {
    fn lock(&self) -> MutexGuard<'_, Option<Open>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn enter<T>(&self, work: impl FnOnce(&mut Open) -> PyResult<T>) -> PyResult<T> {
        match &mut *self.lock() {
            Some(open) => work(open),
            None => Err(PyValueError::new_err("this property list is closed")),
        }
    }

    /// Asks the objects. `path` leads to the one that is asked for.
    fn ask<T>(
        &self,
        py: Python<'_>,
        path: &Bound<'_, PyTuple>,
        ask: impl FnOnce(&mut Objects, InputView<'_>) -> Result<T, Fault>,
    ) -> PyResult<T> {
        let asked = self.enter(|open| Ok(ask(&mut open.objects, open.held.given(py))))?;
        match asked {
            Ok(found) => Ok(found),
            Err(fault) => Err(raised(py, &fault, self.name.as_deref(), &steps(path)?)),
        }
    }

    /// Builds the value of an object.
    fn drive<I: Input>(
        &self,
        py: Python<'_>,
        mut run: Run<Reader, I, PyErr>,
        builder: &mut crate::drive::destination::Builder,
        steps: &[PathStep],
    ) -> PyResult<()> {
        let within = || steps.to_vec();
        let named = Named { format: "plist", source: self.name.as_deref(), within: Some(&within) };
        loop {
            match run.advance(builder) {
                Ok(Turn::End) => return Ok(()),
                Ok(Turn::Paused | Turn::Dry | Turn::Problem(_)) => py.check_signals()?,
                Err(failure) => return Err(errors::of_failure(py, failure, &named)),
            }
        }
    }
}

/// Property lists without options.
fn dialect(py: Python<'_>) -> PyResult<&Dialect> {
    static PLIST: PyOnceLock<Dialect> = PyOnceLock::new();
    PLIST.get_or_try_init(py, || Dialect::usual(py, of_name("plist")?))
}

/// A path of keys and indexes.
fn steps(path: &Bound<'_, PyTuple>) -> PyResult<Vec<PathStep>> {
    let step = |step: Bound<'_, PyAny>| match step.cast::<PyString>() {
        Ok(key) => Ok(PathStep::Key(key.to_str()?.to_owned())),
        Err(_) => Ok(PathStep::Index(step.extract()?)),
    };
    path.iter().map(step).collect()
}

/// The exception for a fault at a path.
#[cold]
fn raised(py: Python<'_>, fault: &Fault, name: Option<&str>, path: &[PathStep]) -> PyErr {
    let spot = Spot { path: path.to_vec(), ..Spot::default() };
    let problem: Problem<Infallible> = Problem::of_fault(fault, spot);
    errors::either(errors::of_problem(py, problem, &Named::new("plist", name)))
}
