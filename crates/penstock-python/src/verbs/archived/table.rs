//! The table of objects of a keyed archive: which of them are needed, and in which order they are made.

use super::Stop;
use penstock_scan::{filled, make_room};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{
    PyBool, PyBytes, PyDateTime, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple, PyType,
};
use std::collections::HashSet;

/// What an object becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// A scalar, which stands in the table as it is.
    Scalar,
    Text,
    Date,
    Array,
    Set,
    Dictionary,
    /// An array that has no class.
    Bare,
    /// An object of a class of the caller's: which one.
    Mapped(u32),
    /// An `ArchivedObject`.
    Other,
    /// What is made by Python code, of objects that are made before.
    Rare,
}

impl Shape {
    /// Whether it can be made empty, and filled later.
    fn has_shell(self) -> bool {
        matches!(self, Shape::Array | Shape::Dictionary | Shape::Bare | Shape::Other)
    }

    /// Whether it can be changed.
    fn is_container(self) -> bool {
        matches!(self, Shape::Array | Shape::Set | Shape::Dictionary | Shape::Bare)
    }
}

/// A class, as the archive describes it.
pub(super) struct Class<'py> {
    pub(super) names: Bound<'py, PyTuple>,
    pub(super) shape: Shape,
}

/// A class of the caller's.
pub(super) struct Mapped {
    pub(super) name: String,
    /// The keys that it takes; none if it takes all.
    pub(super) keys: Option<HashSet<Box<str>>>,
}

/// So many keys of objects are known by their identity.
const KEYS: usize = 64;
/// After so many objects, signals are checked.
pub(super) const SLICE: usize = 1 << 14;
/// Where the root stands: in no object.
pub(super) const NOBODY: u32 = u32::MAX;
/// Instead of a number: the value stands for itself.
const ITSELF: u32 = u32::MAX - 1;

/// The table.
pub(super) struct Table<'a, 'py> {
    pub(super) py: Python<'py>,
    pub(super) graph: &'a Bound<'py, PyAny>,
    objects: Bound<'py, PyAny>,
    pub(super) count: usize,
    uid: Bound<'py, PyType>,
    mapped: &'a [Mapped],
    /// The classes by the numbers of their descriptions.
    numbers: Vec<u32>,
    pub(super) classes: Vec<Class<'py>>,
    /// Keys, as they stand in objects, with the field that each one means, if it means one: for each
    /// class of the caller's those that it takes, and then all.
    keys: Vec<Keys<'py>>,
    /// What all objects refer to, one behind the other, and where those of each object begin.
    references: Vec<u32>,
    begins: Vec<usize>,
    pub(super) shapes: Vec<Shape>,
    /// The objects that are needed, each behind those that it needs.
    pub(super) order: Vec<u32>,
    /// The object that needs each one first.
    pub(super) parents: Vec<u32>,
    /// The containers that several objects refer to.
    pub(super) shared: Vec<u32>,
    /// Whether objects lead back to themselves.
    pub(super) has_cycles: bool,
    /// Containers that stand in an object itself may be shared, too.
    pub(super) has_inline: bool,
}

type Keys<'py> = Vec<(Bound<'py, PyString>, Option<Bound<'py, PyString>>)>;

/// How far the walk has come with an object.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Met {
    Never,
    Open,
    Done,
}

impl<'a, 'py> Table<'a, 'py> {
    pub(super) fn new(
        graph: &'a Bound<'py, PyAny>,
        mapped: &'a [Mapped],
        uid: Bound<'py, PyType>,
    ) -> Result<Self, Stop> {
        let py = graph.py();
        let objects = graph.getattr(intern!(py, "objects"))?;
        let count = objects.len()?;
        if count == 0 || count >= ITSELF as usize {
            return Err(Stop::Elsewhere);
        }
        Ok(Table {
            py,
            graph,
            objects,
            count,
            uid,
            mapped,
            numbers: filled(NOBODY, count),
            classes: Vec::new(),
            keys: (0..=mapped.len()).map(|_| Vec::new()).collect(),
            references: Vec::new(),
            begins: filled(0, count),
            shapes: filled(Shape::Scalar, count),
            order: Vec::new(),
            parents: filled(NOBODY, count),
            shared: Vec::new(),
            has_cycles: false,
            has_inline: false,
        })
    }

    /// What the table has at a number.
    #[inline]
    pub(super) fn stored(&self, number: u32) -> PyResult<Bound<'py, PyAny>> {
        match self.objects.cast_exact::<PyList>() {
            Ok(list) => list.get_item(number as usize),
            Err(_) => self.objects.get_item(number),
        }
    }

    /// The dict of an object.
    pub(super) fn dict(&self, number: u32) -> Result<Bound<'py, PyDict>, Stop> {
        self.stored(number)?.cast_into_exact().map_err(|_| Stop::Elsewhere)
    }

    /// The number that a UID has; none if this is none.
    #[inline]
    pub(super) fn number(&self, value: &Bound<'py, PyAny>) -> Result<Option<u32>, Stop> {
        if !value.get_type().is(&self.uid) {
            return Ok(None);
        }
        let number: u64 = value.getattr(intern!(self.py, "data"))?.extract()?;
        match u32::try_from(number) {
            Ok(number) if (number as usize) < self.count => Ok(Some(number)),
            _ => Err(Stop::Elsewhere),
        }
    }

    /// Notes what a value refers to.
    #[inline]
    fn refer(&mut self, value: &Bound<'py, PyAny>) -> Result<(), Stop> {
        let number = match self.number(value)? {
            Some(number) => number,
            None if is_scalar(value) => ITSELF,
            None => return Err(Stop::Elsewhere),
        };
        make_room(&mut self.references, 1);
        self.references.push(number);
        Ok(())
    }

    /// Where the references of an object begin.
    pub(super) fn begin(&self, number: u32) -> usize {
        self.begins[number as usize]
    }

    /// The number to which a reference leads; none if the value stands for itself.
    pub(super) fn reference(&self, place: usize) -> Option<u32> {
        self.references.get(place).copied().filter(|number| *number != ITSELF)
    }

    /// The field that a key means, if it is one of the caller's class, or of any class: the archiver puts
    /// another `$` before one of the program's.
    #[inline]
    pub(super) fn field(
        &mut self,
        of: Option<u32>,
        key: &Bound<'py, PyAny>,
    ) -> Result<Option<Bound<'py, PyString>>, Stop> {
        let known = &self.keys[of.map_or(self.mapped.len(), |class| class as usize)];
        match known.iter().find(|(known, _)| known.is(key)) {
            Some((_, field)) => Ok(field.clone()),
            None => self.new_field(of, key),
        }
    }

    #[inline(never)]
    fn new_field(
        &mut self,
        of: Option<u32>,
        key: &Bound<'py, PyAny>,
    ) -> Result<Option<Bound<'py, PyString>>, Stop> {
        let key = key.cast_exact::<PyString>().map_err(|_| Stop::Elsewhere)?;
        let text = key.to_str()?;
        let field = match text {
            "$class" | "$classhints" => None,
            _ if text.starts_with("$$") => Some(&text[1..]),
            _ => Some(text),
        };
        let takes = |field: &str| {
            let keys = of.and_then(|class| self.mapped[class as usize].keys.as_ref());
            keys.is_none_or(|keys| keys.contains(field))
        };
        let field = field.filter(|field| takes(field)).map(|field| match field == text {
            true => key.clone(),
            false => PyString::new(self.py, field),
        });
        let known = &mut self.keys[of.map_or(self.mapped.len(), |class| class as usize)];
        if known.len() < KEYS {
            make_room(known, 1);
            known.push((key.clone(), field.clone()));
        }
        Ok(field)
    }

    /// The class of an object.
    pub(super) fn class(&mut self, number: u32, dict: &Bound<'py, PyDict>) -> Result<usize, Stop> {
        let Some(of) = dict.get_item(intern!(self.py, "$class"))? else {
            return Err(Stop::Elsewhere);
        };
        let Some(at) = self.number(&of)? else { return Err(Stop::Elsewhere) };
        let known = self.numbers[at as usize];
        if known != NOBODY {
            return Ok(known as usize);
        }
        let names = self.graph.call_method1(intern!(self.py, "class_names"), (number, dict))?;
        let names: Bound<'py, PyTuple> = names.cast_into().map_err(PyErr::from)?;
        let mut shape = Shape::Other;
        for name in &names {
            let name: String = name.extract()?;
            let mapped = self.mapped.iter().zip(0..).find(|(mapped, _)| mapped.name == name);
            if let Some(found) =
                mapped.map(|(_, place)| Shape::Mapped(place)).or_else(|| known_shape(&name))
            {
                shape = found;
                break;
            }
        }
        make_room(&mut self.classes, 1);
        self.classes.push(Class { names, shape });
        self.numbers[at as usize] = (self.classes.len() - 1) as u32;
        Ok(self.classes.len() - 1)
    }

    /// Finds the objects that values lead to. Nothing recurses.
    pub(super) fn walk(&mut self, roots: &[Bound<'py, PyAny>]) -> Result<(), Stop> {
        let mut met = filled(Met::Never, self.count);
        let mut is_shared = filled(false, self.count);
        for root in roots {
            self.refer(root)?;
        }
        // Each open object: its number, and where its references go on, and end.
        let mut open = vec![(NOBODY, 0, self.references.len())];
        let mut looked = 0_usize;
        while let Some((number, next, end)) = open.last_mut() {
            if next == end {
                if *number != NOBODY {
                    met[*number as usize] = Met::Done;
                    make_room(&mut self.order, 1);
                    self.order.push(*number);
                }
                open.pop();
                continue;
            }
            let child = self.references[*next];
            *next += 1;
            let parent = *number;
            looked += 1;
            if looked.is_multiple_of(SLICE) {
                self.py.check_signals()?;
            }
            if child == ITSELF || child == 0 {
                continue;
            }
            match met[child as usize] {
                Met::Never => {
                    met[child as usize] = Met::Open;
                    self.parents[child as usize] = parent;
                    let begin = self.references.len();
                    self.begins[child as usize] = begin;
                    let shape = self.enter(child)?;
                    self.shapes[child as usize] = shape;
                    if shape == Shape::Scalar {
                        met[child as usize] = Met::Done;
                        continue;
                    }
                    make_room(&mut open, 1);
                    open.push((child, begin, self.references.len()));
                    continue;
                }
                Met::Open if !self.shapes[child as usize].has_shell() => {
                    return Err(Stop::Elsewhere);
                }
                Met::Open => self.has_cycles = true,
                Met::Done => {}
            }
            if self.shapes[child as usize].is_container() && !is_shared[child as usize] {
                is_shared[child as usize] = true;
                make_room(&mut self.shared, 1);
                self.shared.push(child);
            }
        }
        Ok(())
    }

    /// Looks at an object: what it becomes, and what it refers to.
    fn enter(&mut self, number: u32) -> Result<Shape, Stop> {
        let stored = self.stored(number)?;
        if is_scalar(&stored) {
            return Ok(Shape::Scalar);
        }
        if let Ok(items) = stored.cast_exact::<PyList>() {
            self.refer_all(items)?;
            return Ok(Shape::Bare);
        }
        let dict = stored.cast_into_exact::<PyDict>().map_err(|_| Stop::Elsewhere)?;
        let class = self.class(number, &dict)?;
        let py = self.py;
        match self.classes[class].shape {
            Shape::Text => {
                if get(&dict, intern!(py, "NS.string"))?.is_some_and(|it| is::<PyString>(&it)) {
                    return Ok(Shape::Text);
                }
            }
            Shape::Date => {
                let time = get(&dict, intern!(py, "NS.time"))?;
                if time.is_some_and(|time| is::<PyFloat>(&time) || is::<PyInt>(&time)) {
                    return Ok(Shape::Date);
                }
            }
            shape @ (Shape::Array | Shape::Set) => {
                if let Some(items) = list(&dict, intern!(py, "NS.objects"))? {
                    self.refer_all(&items)?;
                    return Ok(shape);
                }
            }
            Shape::Dictionary => {
                let keys = list(&dict, intern!(py, "NS.keys"))?;
                let items = list(&dict, intern!(py, "NS.objects"))?;
                if let (Some(keys), Some(items)) = (keys, items)
                    && keys.len() == items.len()
                {
                    for (key, item) in keys.iter().zip(items.iter()) {
                        self.refer(&key)?;
                        self.refer(&item)?;
                    }
                    return Ok(Shape::Dictionary);
                }
            }
            Shape::Mapped(mapped) => {
                for (key, value) in &dict {
                    if self.field(Some(mapped), &key)?.is_some() {
                        self.refer(&value)?;
                    }
                }
                return Ok(Shape::Mapped(mapped));
            }
            Shape::Other if !dict.iter().any(|(_, value)| is_list_or_dict(&value)) => {
                for (key, value) in &dict {
                    if self.field(None, &key)?.is_some() {
                        self.refer(&value)?;
                    }
                }
                return Ok(Shape::Other);
            }
            Shape::Other | Shape::Rare | Shape::Scalar | Shape::Bare => {}
        }
        self.each_within(&dict, |table, value| table.refer(value))?;
        Ok(Shape::Rare)
    }

    fn refer_all(&mut self, items: &Bound<'py, PyList>) -> Result<(), Stop> {
        items.iter().try_for_each(|item| self.refer(&item))
    }

    /// Does something with all values of an object that is made by Python code. Values in arrays that
    /// stand in the object itself are among them.
    pub(super) fn each_within(
        &mut self,
        dict: &Bound<'py, PyDict>,
        mut each: impl FnMut(&mut Self, &Bound<'py, PyAny>) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        for (key, value) in dict {
            if self.field(None, &key)?.is_none() {
                continue;
            }
            match value.cast_exact::<PyList>() {
                Ok(items) => {
                    self.has_inline = true;
                    items.iter().try_for_each(|item| each(self, &item))?;
                }
                Err(_) => each(self, &value)?,
            }
        }
        Ok(())
    }
}

/// What objects of Foundation's classes become.
fn known_shape(name: &str) -> Option<Shape> {
    if name == "_NSKeyedCoderOldStyleArray" {
        return Some(Shape::Rare);
    }
    Some(match name.strip_prefix("NSMutable").or_else(|| name.strip_prefix("NS"))? {
        "String" => Shape::Text,
        "Array" | "OrderedSet" => Shape::Array,
        "Set" => Shape::Set,
        "Dictionary" => Shape::Dictionary,
        "Data" | "AttributedString" => Shape::Rare,
        _ => match name {
            "NSDate" => Shape::Date,
            "NSNumber" | "NSUUID" | "NSURL" | "NSNull" | "NSDecimalNumber" | "NSValue" => {
                Shape::Rare
            }
            _ => return None,
        },
    })
}

fn is<T: pyo3::PyTypeInfo>(value: &Bound<'_, PyAny>) -> bool {
    value.is_exact_instance_of::<T>()
}

/// Whether a value stands for itself.
pub(super) fn is_scalar(value: &Bound<'_, PyAny>) -> bool {
    is::<PyString>(value)
        || is::<PyInt>(value)
        || is::<PyFloat>(value)
        || is::<PyBool>(value)
        || is::<PyBytes>(value)
        || value.is_none()
        || is::<PyDateTime>(value)
}

fn is_list_or_dict(value: &Bound<'_, PyAny>) -> bool {
    is::<PyList>(value) || is::<PyDict>(value)
}

pub(super) fn get<'py>(
    dict: &Bound<'py, PyDict>,
    key: &Bound<'py, PyString>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    dict.get_item(key)
}

/// An array that an object holds.
pub(super) fn list<'py>(
    dict: &Bound<'py, PyDict>,
    key: &Bound<'py, PyString>,
) -> PyResult<Option<Bound<'py, PyList>>> {
    Ok(dict.get_item(key)?.and_then(|found| found.cast_into_exact().ok()))
}
