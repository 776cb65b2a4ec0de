//! The schema of records, found in the records themselves.
//!
//! [`Found`] is a tree of the places in records, with what was seen at each. What is seen only ever
//! adds to what is known, so the order does not matter, and two trees of two parts of the records
//! [merge](Found::merge) into that of all of them. Fields stand in the order of their first
//! appearance: each place knows where it first was, in which part and after how many others there,
//! and a merge keeps the earlier of the two.
//!
//! | seen at one place | column |
//! |---|---|
//! | integers | int64, or uint64, or decimal: the first that holds all of them |
//! | integers and fractions | float64, or decimal if one of the integers is no double |
//! | untyped text | what all of it is written as: bool, int64, uint64 or float64; else string |
//! | null and anything | the same, nullable |
//! | two other kinds | none: a [`Conflict`] |

use crate::finder::Shown;
use arrow_schema::{DataType, Field, FieldRef, Schema, TimeUnit};
use penstock_scan::{copied, gathered, make_room};
use std::collections::HashMap;
use std::sync::Arc;

/// The most places. The public documentation gives this number.
pub const PLACES: usize = 10_000;

/// The most bytes of their names.
const NAMES: usize = 1 << 24;

/// How deep places may be inside of each other. The public documentation gives this number.
pub const DEEPEST: u32 = 64;

/// The most digits of a number.
const DIGITS: u32 = 76;

/// The kinds of values, each a bit.
pub(crate) mod kind {
    pub(crate) const NULL: u16 = 1;
    /// Untyped text without a character.
    pub(crate) const EMPTY: u16 = 2;
    pub(crate) const BOOL: u16 = 4;
    pub(crate) const INT: u16 = 8;
    pub(crate) const FLOAT: u16 = 16;
    pub(crate) const TEXT: u16 = 32;
    pub(crate) const UNTYPED_BOOL: u16 = 64;
    pub(crate) const UNTYPED_INT: u16 = 128;
    pub(crate) const UNTYPED_FLOAT: u16 = 256;
    pub(crate) const UNTYPED: u16 = 512;
    pub(crate) const MOMENT: u16 = 1024;
    pub(crate) const BYTES: u16 = 2048;
    pub(crate) const LIST: u16 = 4096;
    pub(crate) const STRUCT: u16 = 8192;
    /// A column of a table, whatever is in it.
    pub(crate) const COLUMN: u16 = 16_384;
    /// All of them.
    pub(crate) const ALL: u16 = (1 << 15) - 1;
    /// Text of formats without types.
    pub(crate) const WRITTEN: u16 = UNTYPED_BOOL | UNTYPED_INT | UNTYPED_FLOAT | UNTYPED;
}

/// The kinds that may be at one place, and what they are called.
const CLASSES: [(u16, &str); 7] = [
    (kind::BOOL, "a bool"),
    (kind::INT | kind::FLOAT, "a number"),
    (kind::TEXT | kind::WRITTEN, "a string"),
    (kind::MOMENT, "a date"),
    (kind::BYTES, "binary data"),
    (kind::LIST, "an array"),
    (kind::STRUCT, "an object"),
];

/// Whether values of these kinds may be in one column.
pub(crate) fn agree(kinds: u16, is_element: bool) -> bool {
    let mut kinds = kinds & !(kind::NULL | kind::EMPTY | kind::COLUMN);
    if is_element && kinds & kind::STRUCT != 0 {
        // The text of an element beside its attributes and children.
        kinds &= !(kind::WRITTEN | kind::TEXT);
    }
    CLASSES.iter().any(|(class, _)| kinds & !class == 0)
}

/// What becomes of values of several kinds at one place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mixed {
    /// They are an error.
    #[default]
    Error,
    /// Scalars become text.
    Text,
    /// All of them become JSON.
    Json,
}

/// The name of the extension type of texts that stand for scalars of several types.
pub const SCALARS: &str = "penstock.scalars";

impl Mixed {
    /// Whether values of these kinds may be in one column.
    pub(crate) fn agree(self, kinds: u16, is_element: bool) -> bool {
        let spelled =
            kind::BOOL | kind::INT | kind::FLOAT | kind::TEXT | kind::WRITTEN | kind::COLUMN;
        agree(kinds, is_element)
            || match self {
                Mixed::Error => false,
                Mixed::Text => kinds & !(spelled | kind::NULL | kind::EMPTY) == 0,
                Mixed::Json => true,
            }
    }

    /// What to do about values of these kinds at one place.
    pub(crate) fn advice(self, kinds: u16) -> &'static str {
        let are_scalars = Mixed::Text.agree(kinds, false);
        match self {
            Mixed::Error if are_scalars => {
                "; unions='text' or 'json' of columns() takes both, and errors='skip' leaves out \
                 the records that differ"
            }
            _ => {
                "; unions='json' of columns() takes both, and errors='skip' leaves out the records \
                 that differ"
            }
        }
    }

    /// The field of a place with values of several kinds.
    fn field(self, name: &str, is_null: bool) -> Field {
        let extension = if self == Mixed::Json { "arrow.json" } else { SCALARS };
        let metadata = [
            ("ARROW:extension:name".to_owned(), extension.to_owned()),
            ("ARROW:extension:metadata".to_owned(), String::new()),
        ];
        Field::new(name, DataType::Utf8, is_null).with_metadata(HashMap::from(metadata))
    }
}

/// What values of these kinds are called.
pub(crate) fn called(kinds: u16) -> &'static str {
    CLASSES.iter().find(|(class, _)| kinds & class != 0).map_or("null", |(_, name)| name)
}

/// A record: the number of its part, and its own number there, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct At {
    /// The number of the part.
    pub part: u32,
    /// The number of the record.
    pub record: u64,
}

/// What a place is in its parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Member,
    Element,
    Attribute,
    /// The items of a list.
    Item,
}

/// The numbers at a place. All of it only grows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Numbers {
    pub(crate) least: i64,
    pub(crate) most: u64,
    /// Whether one is below the range of `i64`, or above that of `u64`.
    pub(crate) beyond: bool,
    /// Whether one of the integers is no double.
    pub(crate) inexact: bool,
    /// The most digits before the point, and behind it.
    pub(crate) digits: (u32, u32),
}

impl Numbers {
    pub(crate) fn join(&mut self, other: &Numbers) {
        self.least = self.least.min(other.least);
        self.most = self.most.max(other.most);
        self.beyond |= other.beyond;
        self.inexact |= other.inexact;
        self.digits = (self.digits.0.max(other.digits.0), self.digits.1.max(other.digits.1));
    }

    /// The narrowest type of 64 bits for integers, if there is one.
    fn integer(&self) -> Option<DataType> {
        if self.beyond || (self.least < 0 && self.most > i64::MAX as u64) {
            None
        } else if self.most > i64::MAX as u64 {
            Some(DataType::UInt64)
        } else {
            Some(DataType::Int64)
        }
    }

    /// A type for numbers of so many digits, if there is one.
    fn decimal(&self) -> Option<DataType> {
        let (whole, behind) = self.digits;
        let all = whole.saturating_add(behind).max(1);
        let (precision, scale) = (u8::try_from(all).ok()?, i8::try_from(behind).ok()?);
        match all {
            ..=38 => Some(DataType::Decimal128(precision, scale)),
            39..=DIGITS => Some(DataType::Decimal256(precision, scale)),
            _ => None,
        }
    }
}

/// A place in records, and what was seen there.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) name: Box<str>,
    pub(crate) step: Step,
    pub(crate) parent: u32,
    pub(crate) depth: u32,
    pub(crate) children: Vec<u32>,
    /// The children by name, if there are many.
    index: Option<HashMap<Box<str>, u32>>,
    /// Where it was first: the part, and how many places that part had before.
    pub(crate) order: (u32, u64),
    pub(crate) kinds: u16,
    /// The kinds in a record that is not complete.
    pub(crate) now: u16,
    /// Where the first value was that is not null.
    pub(crate) first: Option<At>,
    pub(crate) numbers: Numbers,
    /// In how many of its parents it was.
    pub(crate) rows: u64,
    /// How many structs there were, or elements.
    pub(crate) instances: u64,
    /// How many elements had text of their own.
    pub(crate) texts: u64,
    /// Whether an element had several of it.
    pub(crate) repeats: bool,
    /// The parent in which it was last.
    pub(crate) last: u64,
}

/// From how many children on they are found by a table.
const MANY: usize = 16;

/// What was found in records. See the module.
#[derive(Clone, Debug)]
pub struct Found {
    /// The first is the record. Each stands behind its parent.
    pub(crate) places: Vec<Place>,
    names: usize,
    pub(crate) mixed: Mixed,
}

/// Values of two kinds at one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The path of the place.
    pub path: String,
    /// What is there, and where it was first.
    pub kinds: [(&'static str, Option<At>); 2],
}

/// Why no column has such a name.
pub const NO_NUL: &str = "a name ends with NUL in Arrow's C interface";

/// Why records have no schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unfound {
    /// Values of two kinds at one place.
    Conflict(Conflict),
    /// There are too many places; below this one is the last.
    Places(String),
    /// No column holds all the numbers at this path.
    Numbers(String),
    /// The key at this path has a NUL, with which names end in Arrow's C interface.
    Name(String),
}

impl Default for Found {
    fn default() -> Self {
        Found::new()
    }
}

impl Found {
    /// Of no records.
    #[must_use]
    pub fn new() -> Self {
        let mut found = Found { places: Vec::new(), names: 0, mixed: Mixed::Error };
        found.places.push(Place::new("", Step::Item, 0, 0, (0, 0)));
        found
    }

    /// Whether there is no column.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.places.iter().skip(1).all(|place| place.kinds == 0)
    }

    pub(crate) fn place(&self, id: u32) -> &Place {
        &self.places[id as usize]
    }

    pub(crate) fn place_mut(&mut self, id: u32) -> &mut Place {
        &mut self.places[id as usize]
    }

    /// A child by its name. `next` is a guess at its place among the children.
    pub(crate) fn child(&self, parent: u32, name: &str, next: usize) -> Option<(u32, usize)> {
        let of = self.place(parent);
        if let Some(&child) = of.children.get(next)
            && *self.place(child).name == *name
        {
            return Some((child, next + 1));
        }
        if let Some(index) = &of.index {
            return index.get(name).map(|child| (*child, next + 1));
        }
        let at = of.children.iter().position(|child| *self.place(*child).name == *name)?;
        Some((of.children[at], at + 1))
    }

    /// A new child.
    pub(crate) fn add(
        &mut self,
        parent: u32,
        name: &str,
        step: Step,
        order: (u32, u64),
    ) -> Result<u32, Unfound> {
        let depth = self.place(parent).depth + 1;
        self.names += name.len();
        if is_full(self.places.len(), self.names, depth) {
            return Err(Unfound::Places(self.path(parent)));
        }
        let id = self.places.len() as u32;
        make_room(&mut self.places, 1);
        self.places.push(Place::new(name, step, parent, depth, order));
        let of = self.place_mut(parent);
        make_room(&mut of.children, 1);
        of.children.push(id);
        if let Some(index) = &mut of.index {
            make_room(index, 1);
            index.insert(copied(name).into(), id);
        } else if of.children.len() > MANY {
            let children = of.children.clone();
            let named = children.iter().map(|id| (self.place(*id).name.clone(), *id));
            let mut index = HashMap::new();
            make_room(&mut index, children.len());
            index.extend(named);
            self.place_mut(parent).index = Some(index);
        }
        Ok(id)
    }

    /// The path of a place: names, and `*` for the items of lists.
    pub(crate) fn path(&self, mut id: u32) -> String {
        let mut steps = Vec::new();
        while id != 0 {
            let place = self.place(id);
            steps.push(if place.step == Step::Item { "*" } else { &*place.name });
            id = place.parent;
        }
        steps.reverse();
        steps.join("/")
    }

    /// Numbers everything as behind so many parts, and so many places and records of its first part.
    pub fn number(&mut self, parts: u32, places: u64, records: u64) {
        for place in &mut self.places {
            let add = |number: &mut u64, count: u64| *number = number.saturating_add(count);
            if place.order.0 == 0 {
                add(&mut place.order.1, places);
            }
            place.order.0 = place.order.0.saturating_add(parts);
            if let Some(first) = &mut place.first {
                if first.part == 0 {
                    add(&mut first.record, records);
                }
                first.part = first.part.saturating_add(parts);
            }
        }
    }

    /// Adds what was found in other parts of the records: all of it, or nothing if that fails.
    ///
    /// # Errors
    /// Values of two kinds are at one place, or there are too many places.
    pub fn merge(&mut self, other: &Found) -> Result<(), Unfound> {
        let counterparts = self.counterparts(other)?;
        let mut here: Vec<u32> = Vec::new();
        make_room(&mut here, other.places.len());
        for (place, counterpart) in other.places.iter().zip(counterparts) {
            let id = match counterpart {
                Some(id) => id,
                None => {
                    let parent = here[place.parent as usize];
                    self.add(parent, &place.name, place.step, place.order)?
                }
            };
            here.push(id);
            self.place_mut(id).join(place);
        }
        Ok(())
    }

    /// Whether a [`merge`](Self::merge) gives what the same records would have given if they had been
    /// read behind those of this tree. What a place is, the first record says that has it.
    pub(crate) fn goes_on_with(&self, other: &Found) -> bool {
        let Ok(counterparts) = self.counterparts(other) else { return false };
        counterparts.iter().zip(&other.places).all(|(counterpart, place)| {
            counterpart.is_none_or(|id| self.place(id).step == place.step)
        })
    }

    /// The place of this tree for each of another one, if there is one already.
    ///
    /// # Errors
    /// As for [`merge`](Self::merge).
    fn counterparts(&self, other: &Found) -> Result<Vec<Option<u32>>, Unfound> {
        let (mut places, mut names) = (self.places.len(), self.names);
        let mut counterparts: Vec<Option<u32>> = Vec::new();
        make_room(&mut counterparts, other.places.len());
        for place in &other.places {
            let known = match counterparts.get(place.parent as usize) {
                Some(parent) => parent.and_then(|parent| self.child(parent, &place.name, 0)),
                // The record is its own parent.
                None => Some((0, 0)),
            };
            let known = known.map(|(id, _)| id);
            match known {
                Some(id) => self.check(id, place)?,
                None => {
                    names += place.name.len();
                    if is_full(places, names, place.depth) {
                        return Err(Unfound::Places(other.path(place.parent)));
                    }
                    places += 1;
                }
            }
            counterparts.push(known);
        }
        Ok(counterparts)
    }

    /// Whether the values of another place may be at this one.
    fn check(&self, id: u32, other: &Place) -> Result<(), Unfound> {
        let place = self.place(id);
        let is_element = place.step == Step::Element || id == 0;
        if self.mixed.agree(place.kinds | other.kinds, is_element) {
            return Ok(());
        }
        let kinds = [(called(place.kinds), place.first), (called(other.kinds), other.first)];
        Err(Unfound::Conflict(Conflict { path: self.path(id), kinds }))
    }

    /// The schema of all records.
    ///
    /// # Errors
    /// No column holds all the numbers of a place.
    pub fn schema(&self) -> Result<Schema, Unfound> {
        // Each is made before its parent: nothing here recurses.
        let mut fields: Vec<Option<FieldRef>> = Vec::new();
        make_room(&mut fields, self.places.len());
        fields.resize(self.places.len(), None);
        for (id, place) in self.places.iter().enumerate().skip(1).rev() {
            fields[id] = self.field(id as u32, place, &fields)?.map(Arc::new);
        }
        // Arrow asks for memory without a choice, so there must be as much.
        let mut room: Vec<u128> = Vec::new();
        make_room(&mut room, self.places.len());
        drop(room);
        Ok(Schema::new(self.inside(&self.places[0], &fields)?))
    }

    /// The fields of a struct, in the order of their first appearance.
    fn inside(&self, place: &Place, fields: &[Option<FieldRef>]) -> Result<Vec<FieldRef>, Unfound> {
        let mut children = place.children.clone();
        children.sort_by_key(|child| self.place(*child).order);
        let known = children.iter().filter_map(|child| fields[*child as usize].clone());
        let mut made = gathered(known);
        if place.kinds & (kind::WRITTEN | kind::TEXT) != 0 {
            let of = self.scalar(place.kinds, place)?;
            let nullable = place.texts < place.instances;
            make_room(&mut made, 1);
            made.push(Arc::new(Field::new("#text", of, nullable)));
        }
        Ok(made)
    }

    /// The field of a place; none if it was only in records that were in error.
    fn field(
        &self,
        id: u32,
        place: &Place,
        fields: &[Option<FieldRef>],
    ) -> Result<Option<Field>, Unfound> {
        if place.kinds == 0 {
            return Ok(None);
        }
        if place.name.contains('\0') {
            return Err(Unfound::Name(self.path(id)));
        }
        let parent = self.place(place.parent);
        if self.mixed != Mixed::Error && !agree(place.kinds, place.step == Step::Element) {
            let is_null = place.kinds & (kind::NULL | kind::EMPTY) != 0;
            let is_absent = place.rows < parent.instances || place.rows == 0;
            let is_item = place.step == Step::Item;
            let name = if is_item { "item" } else { &*place.name };
            return Ok(Some(self.mixed.field(name, is_null || (is_absent && !is_item))));
        }
        let of = if place.kinds & kind::STRUCT != 0 {
            DataType::Struct(self.inside(place, fields)?.into())
        } else if place.kinds & kind::LIST != 0 {
            let item = place.children.first().and_then(|item| fields[*item as usize].clone());
            DataType::List(
                item.unwrap_or_else(|| Arc::new(Field::new("item", DataType::Null, true))),
            )
        } else {
            self.scalar(place.kinds, place).map_err(|_| Unfound::Numbers(self.path(id)))?
        };
        let is_null = of == DataType::Null || place.kinds & kind::NULL != 0;
        // An empty element is an empty string, and an empty cell is none.
        let is_empty = place.kinds & kind::EMPTY != 0 && place.step == Step::Member;
        if place.repeats {
            let item = Arc::new(Field::new("item", of, false));
            return Ok(Some(Field::new(&*place.name, DataType::List(item), false)));
        }
        if place.step == Step::Item {
            return Ok(Some(Field::new("item", of, is_null)));
        }
        let is_absent = place.rows < parent.instances || place.rows == 0;
        Ok(Some(Field::new(&*place.name, of, is_null || is_empty || is_absent)))
    }

    /// The type of scalars.
    fn scalar(&self, kinds: u16, place: &Place) -> Result<DataType, Unfound> {
        use kind::{BOOL, BYTES, EMPTY, FLOAT, INT, MOMENT, TEXT, UNTYPED_FLOAT, UNTYPED_INT};
        let numbers = &place.numbers;
        let refused = || Unfound::Numbers(String::new());
        Ok(match kinds & !(kind::NULL | kind::STRUCT | kind::COLUMN) {
            // No cell has a character.
            0 if kinds & kind::COLUMN != 0 => DataType::Utf8,
            0 => DataType::Null,
            BOOL => DataType::Boolean,
            INT => numbers.integer().or_else(|| numbers.decimal()).ok_or_else(refused)?,
            FLOAT => DataType::Float64,
            kinds if kinds == INT | FLOAT => match numbers.inexact {
                true => numbers.decimal().ok_or_else(refused)?,
                false => DataType::Float64,
            },
            MOMENT => DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into())),
            BYTES => DataType::Binary,
            written => {
                // Only a cell may be empty beside values that are no strings.
                let kinds = if place.step == Step::Member { written & !EMPTY } else { written };
                match kinds {
                    kind::UNTYPED_BOOL => DataType::Boolean,
                    UNTYPED_INT => numbers.integer().unwrap_or(DataType::Utf8),
                    UNTYPED_FLOAT => DataType::Float64,
                    kinds if kinds == UNTYPED_INT | UNTYPED_FLOAT && !numbers.inexact => {
                        DataType::Float64
                    }
                    kinds if kinds & TEXT != 0 => DataType::Utf8,
                    _ => DataType::Utf8,
                }
            }
        })
    }
}

/// Whether there is no place for one more, if there are so many, their names take so many bytes with
/// its own, and it is so deep.
fn is_full(places: usize, names: usize, depth: u32) -> bool {
    places > PLACES || names > NAMES || depth > DEEPEST
}

impl Place {
    fn new(name: &str, step: Step, parent: u32, depth: u32, order: (u32, u64)) -> Self {
        Place {
            name: copied(name).into(),
            step,
            parent,
            depth,
            children: Vec::new(),
            index: None,
            order,
            kinds: 0,
            now: 0,
            first: None,
            numbers: Numbers::default(),
            rows: 0,
            instances: 0,
            texts: 0,
            repeats: false,
            last: 0,
        }
    }

    /// Adds what was seen at this place in other records.
    fn join(&mut self, other: &Place) {
        self.kinds |= other.kinds;
        self.numbers.join(&other.numbers);
        self.order = self.order.min(other.order);
        self.first = match (self.first, other.first) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        };
        // Of what another process has sent, the counts may be any.
        self.rows = self.rows.saturating_add(other.rows);
        self.instances = self.instances.saturating_add(other.instances);
        self.texts = self.texts.saturating_add(other.texts);
        self.repeats |= other.repeats;
    }
}

impl std::fmt::Display for Unfound {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Unfound::Conflict(Conflict { path, kinds: [one, other] }) => {
                let (one, other) = (Shown(*one), Shown(*other));
                write!(out, "there are two kinds of values at {path}: {one}, and {other}")
            }
            Unfound::Places(path) => write!(
                out,
                "there are more than {PLACES} columns, or they are more than {DEEPEST} deep (at \
                 {path:?}): pass a class or a schema"
            ),
            Unfound::Name(path) => write!(out, "no column can be called {path:?}: {NO_NUL}"),
            Unfound::Numbers(path) => write!(
                out,
                "no column holds all the numbers at {path} exactly: pass a class or a schema"
            ),
        }
    }
}
