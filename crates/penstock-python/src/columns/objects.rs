//! An object into its columns.
//!
//! This is for records that only their class can make: it has a `__post_init__`, a validator, or a
//! value that the columns do not know. What the class makes of a value is what the column gets.

use crate::encode::scalars;
use crate::plan::{PlanRef, decimal_text, is_decimal, is_enum, is_unset, is_uuid};
use penstock_arrow::plan::{Kind, NodeId};
use penstock_arrow::{Columns, Unfit};
use penstock_core::path_step::PathStep;
use penstock_scan::gathered;
use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{
    PyBool, PyByteArray, PyBytes, PyDate, PyDateTime, PyDelta, PyDict, PyFloat, PyInt, PyString,
    PyTime,
};
use std::collections::HashMap;

/// The classes of the columns that are structs, and the field of each column inside.
pub(crate) struct Classes {
    pub(crate) plan: PlanRef,
    pub(crate) structs: HashMap<NodeId, (u32, Box<[u32]>)>,
}

/// Why an object is not taken.
pub(crate) enum Stopped {
    /// An exception of the object's own code.
    Raised(PyErr),
    /// Its value does not fit.
    Unfit(Unfit, Vec<PathStep>),
}

impl From<PyErr> for Stopped {
    fn from(error: PyErr) -> Self {
        Stopped::Raised(error)
    }
}

impl From<Unfit> for Stopped {
    fn from(unfit: Unfit) -> Self {
        Stopped::Unfit(unfit, Vec::new())
    }
}

/// How deep objects may be inside of each other. The columns are not deeper.
type Added = Result<(), Stopped>;

/// Adds a record.
pub(crate) fn add_record(
    py: Python<'_>,
    columns: &mut Columns,
    classes: &Classes,
    record: &Bound<'_, PyAny>,
) -> Added {
    columns.trust(true);
    let root = columns.plan().root;
    let added = Adder { py, columns, classes }.add(root, record);
    columns.trust(false);
    added
}

struct Adder<'a, 'py> {
    py: Python<'py>,
    columns: &'a mut Columns,
    classes: &'a Classes,
}

/// A value that is not of its declared type: the class has made it so.
#[cold]
fn other(node: &str, value: &Bound<'_, PyAny>) -> Stopped {
    let class = value.get_type().name().map_or_else(|_| "?".to_owned(), |name| name.to_string());
    Unfit::Range(format!("a value for the column {node}").into(), class.into()).into()
}

impl<'py> Adder<'_, 'py> {
    fn add(&mut self, node: NodeId, value: &Bound<'py, PyAny>) -> Added {
        let of = self.columns.node(node);
        if value.is_none() || is_unset(value) {
            return match self.columns.nothing(node) {
                Ok(()) => Ok(()),
                Err(_) => Err(other(&self.columns.node(node).name, value)),
            };
        }
        let chosen;
        let value = match &of.kind {
            Kind::Choice(_) | Kind::ChoiceInt(_) if is_enum(value) => {
                chosen = value.getattr(intern!(self.py, "_value_"))?;
                &chosen
            }
            _ => value,
        };
        match &of.kind {
            Kind::Int(_) | Kind::ChoiceInt(_) if is_int(value) => self.int(node, value),
            Kind::Float | Kind::Float32 if value.is_instance_of::<PyFloat>() || is_int(value) => {
                Ok(self.columns.float(node, value.extract()?)?)
            }
            Kind::Bool => match value.cast::<PyBool>() {
                Ok(value) => Ok(self.columns.boolean(node, value.is_true())?),
                Err(_) => Err(other(&of.name, value)),
            },
            Kind::Str | Kind::Dictionary | Kind::Choice(_) => match value.cast::<PyString>() {
                Ok(text) => Ok(self.columns.text(node, text.to_str()?)?),
                Err(_) => Err(other(&of.name, value)),
            },
            Kind::Json => {
                let text = self.json(value)?;
                Ok(self.columns.made_text(node, text.to_str()?)?)
            }
            Kind::Spelled => {
                let text = self.spelled(value)?;
                Ok(self.columns.made_text(node, text.to_str()?)?)
            }
            Kind::Bytes(_) => {
                if let Ok(bytes) = value.cast::<PyBytes>() {
                    return Ok(self.columns.binary(node, bytes.as_bytes())?);
                }
                if value.is_instance_of::<PyByteArray>() {
                    return Ok(self.columns.binary(node, &value.extract::<Vec<u8>>()?)?);
                }
                Err(other(&of.name, value))
            }
            Kind::Date(_) => match value.cast::<PyDate>() {
                Ok(date) if !value.is_instance_of::<PyDateTime>() => {
                    Ok(self.columns.date(node, scalars::date(date))?)
                }
                _ => Err(other(&of.name, value)),
            },
            Kind::Time(_) => match value.cast::<PyTime>() {
                Ok(time) => Ok(self.columns.time(node, raised(scalars::time(time))?)?),
                Err(_) => Err(other(&of.name, value)),
            },
            Kind::Timestamp { .. } => match value.cast::<PyDateTime>() {
                Ok(time) => Ok(self.columns.datetime(node, raised(scalars::datetime(time))?)?),
                Err(_) => Err(other(&of.name, value)),
            },
            Kind::Duration => match value.cast::<PyDelta>() {
                Ok(span) => Ok(self.columns.duration(node, scalars::duration(span))?),
                Err(_) => Err(other(&of.name, value)),
            },
            Kind::Decimal { .. } if is_decimal(value) => {
                let text = decimal_text(value)?;
                Ok(self.columns.decimal(node, text.to_str()?.as_bytes())?)
            }
            Kind::Decimal { .. } if is_int(value) => {
                let text = value.str()?;
                Ok(self.columns.decimal(node, text.to_str()?.as_bytes())?)
            }
            Kind::Uuid if is_uuid(value) => {
                Ok(self.columns.uuid(node, raised(scalars::uuid(value))?)?)
            }
            &(Kind::List(item) | Kind::Tuple(item, _)) => self.items(node, item, value),
            &Kind::Map(key, item) => self.entries(node, (key, item), value),
            Kind::Struct(_) => self.fields(node, value),
            _ => Err(other(&of.name, value)),
        }
    }

    fn items(&mut self, node: NodeId, item: NodeId, value: &Bound<'py, PyAny>) -> Added {
        // An array of another library has numbers of its own.
        let unpacked;
        let value = match value.getattr_opt(intern!(self.py, "tolist"))? {
            Some(tolist) => {
                unpacked = tolist.call0()?;
                &unpacked
            }
            None => value,
        };
        for (index, element) in (0..).zip(value.try_iter()?) {
            let step = || PathStep::Index(index);
            self.add(item, &element?).map_err(|stopped| below(stopped, step))?;
        }
        Ok(self.columns.end_list(node)?)
    }

    fn entries(
        &mut self,
        node: NodeId,
        (key, item): (NodeId, NodeId),
        value: &Bound<'py, PyAny>,
    ) -> Added {
        let Ok(dict) = value.cast::<PyDict>() else {
            return Err(other(&self.columns.node(node).name, value));
        };
        for (name, element) in dict.iter() {
            let step = || PathStep::Key(name.to_string());
            self.add(key, &name).map_err(|stopped| below(stopped, step))?;
            self.add(item, &element).map_err(|stopped| below(stopped, step))?;
        }
        Ok(self.columns.end_list(node)?)
    }

    /// A value as JSON writes it.
    fn json(&self, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyString>> {
        let module = self.py.import(intern!(self.py, "penstock.json"))?;
        let text = module.call_method1(intern!(self.py, "encode"), (value,))?;
        Ok(text.call_method0(intern!(self.py, "decode"))?.cast_into()?)
    }

    /// A scalar as text: a string as it is, and any other value as JSON writes it, without quotes.
    fn spelled(&self, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyString>> {
        if let Ok(text) = value.cast::<PyString>() {
            return Ok(text.clone());
        }
        let json = self.json(value)?;
        if !json.to_str()?.starts_with('"') {
            return Ok(json);
        }
        let module = self.py.import(intern!(self.py, "penstock.json"))?;
        Ok(module.call_method1(intern!(self.py, "decode"), (json,))?.cast_into()?)
    }

    fn int(&mut self, node: NodeId, value: &Bound<'py, PyAny>) -> Added {
        if let Ok(small) = value.extract::<i64>() {
            return Ok(self.columns.int(node, small)?);
        }
        let digits =
            self.py.get_type::<PyInt>().call_method1(intern!(self.py, "__repr__"), (value,));
        let text = digits?.cast_into::<PyString>().map_err(PyErr::from)?;
        let text = text.to_str()?;
        let digits = text.trim_start_matches('-');
        Ok(self.columns.big_int(node, digits.len() < text.len(), digits.as_bytes())?)
    }

    fn fields(&mut self, node: NodeId, value: &Bound<'py, PyAny>) -> Added {
        let Some((class, fields)) = self.classes.structs.get(&node) else {
            return Err(PyValueError::new_err("no class is known of the column").into());
        };
        let class = &self.classes.plan.classes[*class as usize];
        let Some(of) = self.columns.struct_of(node) else { return Err(Unfit::Form.into()) };
        let inner = gathered(of.fields.iter().copied());
        let dict = value.cast::<PyDict>().ok();
        for (column, field) in inner.into_iter().zip(fields) {
            let name = class.fields[*field as usize].name.bind(self.py);
            let found = match &dict {
                Some(dict) => dict.get_item(name)?,
                None => Some(value.getattr(name)?),
            };
            let step = || PathStep::Key(name.to_string());
            match found {
                Some(found) => {
                    self.add(column, &found).map_err(|stopped| below(stopped, step))?;
                }
                None => self.columns.absent(column)?,
            }
        }
        Ok(self.columns.end_struct(node)?)
    }
}

fn is_int(value: &Bound<'_, PyAny>) -> bool {
    value.is_instance_of::<PyInt>() && !value.is_instance_of::<PyBool>()
}

/// A problem of a value inside of another.
fn below(stopped: Stopped, step: impl Fn() -> PathStep) -> Stopped {
    match stopped {
        Stopped::Unfit(why, mut path) => {
            path.insert(0, step());
            Stopped::Unfit(why, path)
        }
        raised => raised,
    }
}

fn raised<T>(made: Result<T, crate::encode::Stop>) -> Result<T, Stopped> {
    made.map_err(|stop| match stop {
        crate::encode::Stop::Raised(error) => Stopped::Raised(error),
        crate::encode::Stop::Misfit(reason, _) => Stopped::Raised(PyValueError::new_err(reason)),
    })
}
