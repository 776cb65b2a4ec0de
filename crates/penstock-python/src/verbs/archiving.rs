//! Keyed archives: the table of objects for a graph of values.
//!
//! `penstock._archives.keyed_write` has the tables, and writes what is rare. What is usual is written here into
//! the same tables, so that both take turns. If something is wrong with a value, Python code meets it again, and
//! says what: to refer to a value a second time changes nothing.

use crate::edge::errors::guarded;
use crate::objects::Pause;
use pyo3::IntoPyObjectExt;
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{
    PyBool, PyBytes, PyDateAccess, PyDateTime, PyDict, PyFloat, PyFrozenSet, PyInt, PyList, PySet,
    PyString, PyTimeAccess, PyTuple, PyType, PyTzInfoAccess,
};
use std::collections::HashMap;

/// After so many objects, signals are checked.
const SLICE: usize = 1 << 14;

/// Writes all objects that are due, and those to which they refer.
#[pyfunction]
#[pyo3(signature = (graph, uid, utc, /))]
pub(crate) fn archive<'py>(
    py: Python<'py>,
    graph: &Bound<'py, PyAny>,
    uid: &Bound<'py, PyType>,
    utc: &Bound<'py, PyAny>,
) -> PyResult<()> {
    guarded(py, || {
        let scalars = table::<PyDict>(graph, "scalars")?;
        let of = |class: Bound<'py, PyType>| -> PyResult<Bound<'py, PyDict>> {
            match scalars.get_item(&class)? {
                Some(known) => Ok(known.cast_into()?),
                None => {
                    let known = PyDict::new(py);
                    scalars.set_item(class, &known)?;
                    Ok(known)
                }
            }
        };
        let object = py.import(intern!(py, "builtins"))?.getattr(intern!(py, "object"))?;
        let mut pause = Pause::begin(py)?;
        let mut tables = Tables {
            py,
            graph,
            uid,
            utc,
            new: object.getattr(intern!(py, "__new__"))?,
            nothing: uid.call1((0,))?,
            objects: table(graph, "objects")?,
            origin: table(graph, "origin")?,
            due: table(graph, "due")?,
            known: table(graph, "known")?,
            kinds: table(graph, "kinds")?,
            texts: of(py.get_type::<PyString>())?,
            integers: of(py.get_type::<PyInt>())?,
            data: of(py.get_type::<PyBytes>())?,
            numbers: of(py.get_type::<PyFloat>())?,
            flags: of(py.get_type::<PyBool>())?,
            nulls: of(py.None().bind(py).get_type())?,
            classes: HashMap::new(),
            described: [const { None }; 4],
        };
        tables.write()?;
        pause.promote();
        Ok(())
    })
}

fn table<'py, T: pyo3::PyTypeCheck>(
    graph: &Bound<'py, PyAny>,
    name: &str,
) -> PyResult<Bound<'py, T>> {
    Ok(graph.getattr(name)?.cast_into()?)
}

/// A class of the caller's.
struct Class<'py> {
    description: Bound<'py, PyAny>,
    /// For each field: the attribute, its key, and its step in a path.
    fields: Vec<[Bound<'py, PyString>; 3]>,
}

/// Classes of Foundation.
#[derive(Clone, Copy)]
enum Foundation {
    Array,
    Set,
    Dictionary,
    Date,
}

impl Foundation {
    fn name(self) -> &'static str {
        match self {
            Foundation::Array => "NSArray",
            Foundation::Set => "NSSet",
            Foundation::Dictionary => "NSDictionary",
            Foundation::Date => "NSDate",
        }
    }
}

/// The tables of the archive.
struct Tables<'a, 'py> {
    py: Python<'py>,
    graph: &'a Bound<'py, PyAny>,
    uid: &'a Bound<'py, PyType>,
    utc: &'a Bound<'py, PyAny>,
    /// `object.__new__`
    new: Bound<'py, PyAny>,
    /// The UID of `$null`.
    nothing: Bound<'py, PyAny>,
    objects: Bound<'py, PyList>,
    /// For each object, what refers to it first, and how: two items.
    origin: Bound<'py, PyList>,
    /// The objects that are to be written, each behind its UID.
    due: Bound<'py, PyList>,
    /// The UIDs of objects, by their addresses.
    known: Bound<'py, PyDict>,
    /// The fields of the caller's classes.
    kinds: Bound<'py, PyDict>,
    texts: Bound<'py, PyDict>,
    integers: Bound<'py, PyDict>,
    data: Bound<'py, PyDict>,
    /// By what `repr` writes of them, which tells 0.0 and -0.0 apart.
    numbers: Bound<'py, PyDict>,
    flags: Bound<'py, PyDict>,
    nulls: Bound<'py, PyDict>,
    classes: HashMap<usize, Option<Class<'py>>>,
    described: [Option<Bound<'py, PyAny>>; 4],
}

/// How an object refers to a value: the name of a field, an index, or a key in a tuple.
type Step<'a, 'py> = &'a dyn Fn() -> PyResult<Bound<'py, PyAny>>;

impl<'py> Tables<'_, 'py> {
    fn write(&mut self) -> PyResult<()> {
        let mut next = 0;
        while next < self.due.len() {
            if next.is_multiple_of(2 * SLICE) {
                self.py.check_signals()?;
            }
            let number = self.due.get_item(next)?.getattr(intern!(self.py, "data"))?;
            let value = self.due.get_item(next + 1)?;
            next += 2;
            let stored = match self.usual(&value, &number)? {
                Some(stored) => stored.into_any(),
                None => self.graph.call_method1(intern!(self.py, "stored"), (value, &number))?,
            };
            self.objects.set_item(number.extract()?, stored)?;
        }
        Ok(())
    }

    /// What the table has for an object. None if Python code is to write it.
    fn usual(
        &mut self,
        value: &Bound<'py, PyAny>,
        number: &Bound<'py, PyAny>,
    ) -> PyResult<Option<Bound<'py, PyDict>>> {
        let py = self.py;
        let class = value.get_type();
        let address = class.as_ptr() as usize;
        if !self.classes.contains_key(&address) {
            let found = self.class(&class)?;
            self.classes.insert(address, found);
        }
        if matches!(self.classes.get(&address), Some(Some(_))) {
            return self.mapped(value, address, number);
        }
        if let Ok(list) = value.cast_exact::<PyList>() {
            let stored = self.begin(Foundation::Array)?;
            let items = PyList::empty(py);
            let mut place = 0;
            while place < list.len() {
                let item = list.get_item(place)?;
                items.append(self.reference(&item, number, &|| place.into_bound_py_any(py))?)?;
                place += 1;
            }
            stored.set_item(intern!(py, "NS.objects"), items)?;
            return Ok(Some(stored));
        }
        let of = if value.is_exact_instance_of::<PyTuple>() {
            Foundation::Array
        } else if value.is_exact_instance_of::<PySet>()
            || value.is_exact_instance_of::<PyFrozenSet>()
        {
            Foundation::Set
        } else if let Ok(dict) = value.cast_exact::<PyDict>() {
            return self.dictionary(dict, number).map(Some);
        } else if let Ok(date) = value.cast_exact::<PyDateTime>() {
            return self.date(date);
        } else {
            return Ok(None);
        };
        let stored = self.begin(of)?;
        let items = PyList::empty(py);
        for (place, item) in value.try_iter()?.enumerate() {
            items.append(self.reference(&item?, number, &|| place.into_bound_py_any(py))?)?;
        }
        stored.set_item(intern!(py, "NS.objects"), items)?;
        Ok(Some(stored))
    }

    fn dictionary(
        &mut self,
        dict: &Bound<'py, PyDict>,
        number: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let py = self.py;
        let (keys, items) = (PyList::empty(py), PyList::empty(py));
        let members = dict.items();
        for (into, which) in [(&keys, 0), (&items, 1)] {
            for member in &members {
                let member: Bound<'py, PyTuple> = member.cast_into()?;
                let key = member.get_item(0)?;
                let step = || Ok(PyTuple::new(py, [&key])?.into_any());
                into.append(self.reference(&member.get_item(which)?, number, &step)?)?;
            }
        }
        let stored = self.begin(Foundation::Dictionary)?;
        stored.set_item(intern!(py, "NS.keys"), keys)?;
        stored.set_item(intern!(py, "NS.objects"), items)?;
        Ok(stored)
    }

    /// A date, if it is in UTC and not centuries away.
    fn date(&mut self, date: &Bound<'py, PyDateTime>) -> PyResult<Option<Bound<'py, PyDict>>> {
        if date.get_tzinfo().is_some_and(|zone| !zone.is(self.utc)) {
            return Ok(None);
        }
        let days = days_since_2001(date.get_year(), date.get_month(), date.get_day());
        let hours = i64::from(date.get_hour());
        let minutes = hours * 60 + i64::from(date.get_minute());
        let seconds = minutes * 60 + i64::from(date.get_second());
        let seconds = seconds + days * 86_400;
        let micros = seconds * 1_000_000 + i64::from(date.get_microsecond());
        if micros.unsigned_abs() > 1 << 53 {
            return Ok(None);
        }
        let stored = self.begin(Foundation::Date)?;
        stored.set_item(intern!(self.py, "NS.time"), micros as f64 / 1e6)?;
        Ok(Some(stored))
    }

    /// An object of the caller's class. None if Python code finds out what is wrong with it.
    fn mapped(
        &mut self,
        value: &Bound<'py, PyAny>,
        class: usize,
        number: &Bound<'py, PyAny>,
    ) -> PyResult<Option<Bound<'py, PyDict>>> {
        let py = self.py;
        let stored = PyDict::new(py);
        let mut place = 0;
        while let Some(Some(Class { description, fields })) = self.classes.get(&class) {
            if place == 0 {
                stored.set_item(intern!(py, "$class"), description)?;
            }
            let Some([name, key, step]) = fields.get(place) else { break };
            let (name, key, step) = (name.clone(), key.clone(), step.clone());
            place += 1;
            let Some(found) = value.getattr_opt(name)? else { return Ok(None) };
            let field = if found.is_none() {
                self.nothing.clone()
            } else if found.is_exact_instance_of::<PyBool>()
                || found.is_exact_instance_of::<PyFloat>()
                || (found.is_exact_instance_of::<PyInt>() && is_small(&found)?)
            {
                found
            } else if is_plain(&found) || self.kinds.contains(found.get_type())? {
                self.reference(&found, number, &|| Ok(step.clone().into_any()))?
            } else {
                self.graph.call_method1(intern!(py, "field"), (found, number, step))?
            };
            stored.set_item(key, field)?;
        }
        Ok(Some(stored))
    }

    /// The fields of a class, if it is the caller's.
    fn class(&self, class: &Bound<'py, PyType>) -> PyResult<Option<Class<'py>>> {
        if self.kinds.get_item(class)?.is_none() {
            return Ok(None);
        }
        let described = self.graph.call_method1(intern!(self.py, "layout"), (class,))?;
        let (description, fields) = described.extract()?;
        Ok(Some(Class { description, fields }))
    }

    /// The beginning of an object of one of Foundation's classes.
    fn begin(&mut self, class: Foundation) -> PyResult<Bound<'py, PyDict>> {
        let py = self.py;
        let description = match &self.described[class as usize] {
            Some(known) => known.clone(),
            None => {
                let names = (class.name(), "NSObject");
                let new = self.graph.call_method1(intern!(py, "description"), (names,))?;
                self.described[class as usize].insert(new).clone()
            }
        };
        let stored = PyDict::new(py);
        stored.set_item(intern!(py, "$class"), description)?;
        Ok(stored)
    }

    /// The UID of a value, to which the object `origin` refers.
    fn reference(
        &self,
        value: &Bound<'py, PyAny>,
        origin: &Bound<'py, PyAny>,
        step: Step<'_, 'py>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = self.py;
        let mut key = value.clone();
        let scalars = if let Ok(text) = value.cast_exact::<PyString>() {
            let is_usual = text.to_str().is_ok_and(|text| text != "$null");
            Some((&self.texts, is_usual))
        } else if value.is_exact_instance_of::<PyInt>() {
            Some((&self.integers, is_small(value)?))
        } else if value.is_exact_instance_of::<PyBytes>() {
            Some((&self.data, true))
        } else if value.is_exact_instance_of::<PyFloat>() {
            key = value.repr()?.into_any();
            Some((&self.numbers, true))
        } else if value.is_exact_instance_of::<PyBool>() {
            Some((&self.flags, true))
        } else if value.is_none() {
            Some((&self.nulls, false))
        } else if is_plain(value) || self.kinds.contains(value.get_type())? {
            let address = (value.as_ptr() as usize).into_bound_py_any(py)?;
            if let Some(uid) = self.known.get_item(&address)? {
                return Ok(uid);
            }
            let uid = self.new_object(&py.None().into_bound(py), origin, step)?;
            self.known.set_item(address, &uid)?;
            self.due.append(&uid)?;
            // It stays there, so that its address stays its own.
            self.due.append(value)?;
            return Ok(uid);
        } else {
            None
        };
        let Some((known, is_usual)) = scalars else {
            return self.graph.call_method1(intern!(py, "reference"), (value, origin, step()?));
        };
        if let Some(uid) = known.get_item(&key)? {
            return Ok(uid);
        }
        if !is_usual {
            return self.graph.call_method1(intern!(py, "reference"), (value, origin, step()?));
        }
        let uid = self.new_object(value, origin, step)?;
        known.set_item(key, &uid)?;
        Ok(uid)
    }

    /// The UID of a new object.
    fn new_object(
        &self,
        stored: &Bound<'py, PyAny>,
        origin: &Bound<'py, PyAny>,
        step: Step<'_, 'py>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let number = self.objects.len();
        self.objects.append(stored)?;
        self.origin.append(origin)?;
        self.origin.append(step()?)?;
        let uid = self.new.call1((self.uid,))?;
        uid.setattr(intern!(self.py, "data"), number)?;
        Ok(uid)
    }
}

/// Whether a value is one of those that are written here, and no member of an `Enum`.
fn is_plain(value: &Bound<'_, PyAny>) -> bool {
    value.is_exact_instance_of::<PyString>()
        || value.is_exact_instance_of::<PyBytes>()
        || value.is_exact_instance_of::<PyList>()
        || value.is_exact_instance_of::<PyDict>()
        || value.is_exact_instance_of::<PyDateTime>()
        || value.is_exact_instance_of::<PyTuple>()
        || value.is_exact_instance_of::<PySet>()
        || value.is_exact_instance_of::<PyFrozenSet>()
}

/// Whether an integer has 63 bits and a sign.
fn is_small(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    let mut overflow = 0;
    // SAFETY: an `int`.
    let small = unsafe { ffi::PyLong_AsLongLongAndOverflow(value.as_ptr(), &raw mut overflow) };
    if small == -1
        && let Some(error) = PyErr::take(value.py())
    {
        return Err(error);
    }
    Ok(overflow == 0)
}

/// The days from the beginning of 2001 to a day of the calendar.
fn days_since_2001(year: i32, month: u8, day: u8) -> i64 {
    // Years begin in March, so that the day of the leap year is the last one.
    let (month, year) = (i64::from(month), i64::from(year) - i64::from(month < 3));
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + i64::from(day) - 1;
    let leaps = year / 4 - year / 100 + year / 400;
    year * 365 + leaps + of_year - 730_791
}

#[cfg(test)]
mod tests {
    use super::days_since_2001;

    #[test]
    fn days_of_the_calendar() {
        assert_eq!(days_since_2001(2001, 1, 1), 0);
        assert_eq!(days_since_2001(2000, 12, 31), -1);
        assert_eq!(days_since_2001(2000, 2, 29), -307);
        assert_eq!(days_since_2001(1, 1, 1), -730_485);
        assert_eq!(days_since_2001(9999, 12, 31), 2_921_573);
    }
}
