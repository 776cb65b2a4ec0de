//! `read` of Arrow columns: their rows become objects by the plan of a class.
//!
//! The stream is asked for batches without the interpreter lock, as any source is; the rows of a
//! batch go into the builder as events.

use crate::columns::{Imported, STREAM};
use crate::drive::driver::{Driver, Settings};
use crate::edge::errors::{self, Named, guarded};
use crate::edge::gc_refs::Held;
use crate::edge::options::{self, PolicyObject};
use crate::io::dialect::{Choice, Dialect};
use crate::plan::{Kind, NodeId, Plan, Target};
use crate::verbs::read::Reader;
use penstock_arrow::tell::{Paths, Records, Slot};
use penstock_arrow::{Array, ArrayRef, DataType, Field};
use penstock_core::formats::arrow;
use penstock_core::protocol::RecordSource;
use penstock_core::run::{Spot, Windows};
use pyo3::prelude::*;
use std::fmt;
use std::io;

/// RecordSource the arrays of a stream into the slot from which they are told.
struct Stream {
    imported: Imported,
    slot: Slot,
    /// Rows of the last batch that were not brought yet.
    rest: Option<ArrayRef>,
}

/// How many rows are brought at a time. Signals are looked for in between.
const ROWS: usize = 8192;

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stream").finish_non_exhaustive()
    }
}

impl RecordSource for Stream {
    fn bring(&mut self) -> io::Result<bool> {
        let next = match self.rest.take() {
            Some(rest) => Ok(Some(rest)),
            None => self.imported.next(),
        };
        match next {
            Ok(None) => Ok(false),
            Ok(Some(array)) if array.len() > ROWS => {
                self.slot.put(array.slice(0, ROWS));
                self.rest = Some(array.slice(ROWS, array.len() - ROWS));
                Ok(true)
            }
            Ok(Some(array)) => {
                self.slot.put(array);
                Ok(true)
            }
            Err(lost) => Err(io::Error::other(Python::attach(|py| lost.raised(py)))),
        }
    }
}

/// Reads the rows of columns.
#[pyfunction]
#[pyo3(signature = (columns, r#type, policy, limits, /))]
pub(crate) fn read_columns(
    columns: &Bound<'_, PyAny>,
    r#type: &Bound<'_, PyAny>,
    policy: &Bound<'_, PolicyObject>,
    limits: Option<&Bound<'_, PyAny>>,
) -> PyResult<Reader> {
    let py = columns.py();
    guarded(py, || {
        let limits = options::limits(limits)?;
        let dialect = Dialect::usual(py, &arrow::FORMAT)?;
        let Choice { plan, title, sought, .. } = dialect.choose(r#type, None)?;
        let imported = Imported::of("read", columns)?;
        let paths = paths(py, &plan, plan.root, imported.field().data_type())?;
        let (slot, field) = (Slot::default(), imported.field().clone());
        let records = Records::new(field, slot.clone(), limits.lookahead, paths);
        let records = records.map_err(|formless| {
            let spot = Spot { path: formless.path, ..Spot::default() };
            let place = Named::new(dialect.name(), Some(STREAM)).at(spot);
            errors::of_decode(py, &formless.reason, &place).unwrap_or_else(|instead| instead)
        })?;
        let name = Some(STREAM.to_owned());
        let settings = Settings::new(py, policy.get(), (None, sought), limits, name, true)?;
        let held: Vec<Held> = settings.errors.held().into_iter().collect();
        let input = Windows::told(Box::new(Stream { imported, slot, rest: None }));
        let reader = arrow::Reader::new(Box::new(records)).into();
        let driver = Driver::over(&dialect, reader, plan, settings, input);
        Ok(Reader::over(driver, held, format!("{STREAM} -> {title}"), None, None)
            .up_to(policy.get().limit))
    })
}

/// Where the columns of a type stand in the records of a node: each where the class looks for the
/// field of its name, or under the column's name if no field has it.
fn paths(py: Python<'_>, plan: &Plan, node: NodeId, kind: &DataType) -> PyResult<Paths> {
    Ok(match (&plan.nodes[node as usize].kind, kind) {
        (_, DataType::Dictionary(_, values)) => paths(py, plan, node, values)?,
        (_, DataType::RunEndEncoded(_, values)) => paths(py, plan, node, values.data_type())?,
        (
            Kind::List(item) | Kind::Set(item) | Kind::FrozenSet(item) | Kind::TupleOf(item),
            DataType::List(of)
            | DataType::LargeList(of)
            | DataType::FixedSizeList(of, _)
            | DataType::ListView(of)
            | DataType::LargeListView(of),
        ) => Paths::of_items(paths(py, plan, *item, of.data_type())?),
        (Kind::Dict(_, value), DataType::Map(entries, _)) => match entries.data_type() {
            DataType::Struct(fields) => match &**fields {
                [_, of] => Paths::of_items(paths(py, plan, *value, of.data_type())?),
                _ => Paths::default(),
            },
            _ => Paths::default(),
        },
        (Kind::Class(class), DataType::Struct(fields)) => {
            let mut columns = Vec::new();
            for field in fields {
                columns.push(column(py, plan, *class, field)?);
            }
            Paths::of_columns(columns)
        }
        _ => Paths::default(),
    })
}

type Column = (Box<str>, Vec<Box<str>>, Paths);

fn column(py: Python<'_>, plan: &Plan, class: u32, field: &Field) -> PyResult<Column> {
    let class = &plan.classes[class as usize];
    let name: Box<str> = field.name().as_str().into();
    let mut found = None;
    for (index, own) in (0_u32..).zip(class.own()) {
        if own.name.bind(py).to_str()? == &*name {
            found = find(class, 0, index, 0).map(|path| (path, Some(index)));
        }
    }
    let (path, leads) = found.unwrap_or_else(|| {
        let state = class.states.first();
        let edge = state.and_then(|state| state.keys.iter().find(|edge| edge.name == name));
        let leads = edge.and_then(|edge| match edge.to {
            Target::Field(aim) => Some(aim),
            Target::State(_) => None,
        });
        (vec![name.clone()], leads)
    });
    let inner = leads.and_then(|aim| class.own().get(aim as usize)).map(|own| own.node);
    let inner = inner.map(|node| paths(py, plan, node, field.data_type())).transpose()?;
    Ok((name, path, inner.unwrap_or_default()))
}

/// The keys that lead from a state to a field.
fn find(
    class: &crate::plan::ClassPlan,
    state: u32,
    field: u32,
    depth: usize,
) -> Option<Vec<Box<str>>> {
    let keys = &class.states.get(state as usize)?.keys;
    if depth > class.states.len() {
        return None;
    }
    keys.iter().find_map(|edge| match edge.to {
        Target::Field(aim) => (aim == field).then(|| vec![edge.name.clone()]),
        Target::State(next) => {
            let mut path = find(class, next, field, depth + 1)?;
            path.insert(0, edge.name.clone());
            Some(path)
        }
    })
}
