//! Rows: which columns a class has, and cells that are written without a frame and without a
//! reference of their own.
//!
//! For whoever changes it. As in `quick.rs`, **no code of the caller's runs while a [`Direct`] is
//! there, and no object is made or dropped**. Whatever needs more than that is left to the walker.

use super::Stop;
use super::quick::{is, is_none, item};
use super::readback::is_text_key;
use super::walk::{Frame, Omit, Walker};
use crate::cpython::ints::int;
use crate::cpython::text::Units;
use crate::plan::written::layout::{Field, Get, Layout, NoPart, Step};
use crate::plan::written::simple::Takes;
use crate::plan::{Absent, ClassId, Kind, Plan};
use penstock_core::csv::direct::Direct;
use penstock_core::protocol::Flow;
use penstock_core::writer::{Column, Writer};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use std::ptr::null_mut;

impl<'py, W: Writer> Walker<'py, '_, W> {
    /// Says the columns of a type before its first row is written.
    ///
    /// # Errors
    /// They do not go with those of the file, or the type is not planned.
    #[cold]
    #[inline(never)]
    pub(crate) fn say_columns(&mut self, plan: usize) -> PyResult<()> {
        self.columns_of(plan).map_err(|stop| stop.into_error(self.py, String::new()))
    }

    #[cold]
    #[inline(never)]
    pub(super) fn say_columns_for(
        &mut self,
        value: &Bound<'py, PyAny>,
        plan: Option<usize>,
    ) -> Result<(), Stop> {
        if let Some(plan) = plan {
            self.columns_of(plan)?;
        }
        // Of a plain value, and of a union, the first row's class counts.
        let class = value.get_type();
        // SAFETY: a class is complete once an object of it exists.
        let own = unsafe { (*class.as_type_ptr()).tp_flags & ffi::Py_TPFLAGS_HEAPTYPE != 0 };
        if self.writer.wants_columns() && own && !value.is_instance_of::<PyDict>() {
            // What is wrong with the class is found again when the row is written.
            if let Ok(plan) = self.known.of_class(&class) {
                self.columns_of(plan)?;
            }
        }
        Ok(())
    }

    fn columns_of(&mut self, plan: usize) -> Result<(), Stop> {
        let kept = &self.known.kept[plan];
        let root = &kept.nodes[kept.root as usize];
        let Kind::Class(class) = root.kind else { return Ok(()) };
        if root.after.is_some() {
            return Ok(());
        }
        let layouts = kept.layouts(self.py)?;
        let layout = layouts.class(class).map_err(Stop::misfit)?;
        let mut columns = Vec::new();
        for step in &layout.steps {
            // The other columns are known when the first row is written.
            let Step::Field(field) = step else { return Ok(()) };
            columns.push(self.column(plan, class, field, layout.rows)?);
        }
        Ok(self.writer.columns(columns, layout.number)?)
    }

    /// Refuses a part that a reader would not make, because all its columns are empty.
    #[cold]
    #[inline(never)]
    pub(super) fn check_parts(
        &mut self,
        object: &Bound<'py, PyAny>,
        layout: &Layout,
    ) -> Result<(), Stop> {
        for part in &layout.parts {
            let there = self.get(object, &part.part)?;
            if there.is_none_or(|part| part.is_none()) {
                continue;
            }
            let mut is_empty = true;
            for get in &part.values {
                is_empty &= self.get(object, get)?.is_none_or(|value| value.is_none());
            }
            if is_empty {
                let shown = &part.shown;
                // For the path in the error.
                let within = |step: &Step| {
                    let Step::Field(field) = step else { return false };
                    field.shown.strip_prefix(&**shown).is_some_and(|rest| rest.starts_with('.'))
                };
                if let Some(Frame::Object { next, .. }) = self.frames.last_mut()
                    && let Some(last) = layout.steps.iter().rposition(within)
                {
                    *next = last + 1;
                }
                return Err(Stop::misfit(format!(
                    "'{shown}' has no value in any of its columns: it would be read back as no object"
                )));
            }
        }
        Ok(())
    }

    /// Refuses a dict without a key that its class requires: the cell would be empty, and might be
    /// read as a text. A part that is not there has empty cells.
    #[cold]
    #[inline(never)]
    pub(super) fn check_lack(
        &self,
        object: &Bound<'py, PyAny>,
        field: &Field,
        plan: &Plan,
        class: ClassId,
    ) -> Result<(), Stop> {
        // What a part requires is not required of the object, which may have no such part.
        let (mut class, mut index) = (&plan.classes[class as usize], field.index);
        while let Some(part) = class.part_of(index) {
            index -= part.first as u32;
            class = &plan.classes[part.class as usize];
        }
        let required = matches!(class.fields[index as usize].absent, Absent::Error);
        match self.lacks(object, &field.get, required)? {
            true => Err(Stop::misfit("the dict lacks the key, which the class requires")),
            false => Ok(()),
        }
    }

    /// Whether an object has no value at a place where there must be one.
    fn lacks(&self, object: &Bound<'py, PyAny>, get: &Get, required: bool) -> Result<bool, Stop> {
        match get {
            Get::Key(_) => Ok(required),
            Get::Within(within) => match self.get(object, &within.part)? {
                None => self.lacks(object, &within.part, within.none == NoPart::Misfit),
                Some(part) if part.is_none() => Ok(false),
                Some(part) => self.lacks(&part, &within.get, required),
            },
            _ => Ok(false),
        }
    }

    fn column(
        &self,
        plan: usize,
        class: ClassId,
        field: &Field,
        is_list: bool,
    ) -> Result<Column, Stop> {
        let kept = &self.known.kept[plan];
        let planned = &kept.classes[class as usize].fields[field.index as usize];
        let name = match is_list {
            true => planned.name.bind(self.py).to_string_lossy().into_owned(),
            false => field.key.name.to_string(),
        };
        let node = &kept.nodes[field.node as usize];
        let is_default = match &planned.absent {
            Absent::Error => true,
            Absent::Value(default) => match default.bind(self.py).cast_exact::<PyString>() {
                Ok(default) => default.is_empty()?,
                Err(_) => false,
            },
            Absent::Factory(_) | Absent::Unset => false,
        };
        let may_be_empty =
            matches!(node.kind, Kind::Str | Kind::Separated(_) | Kind::Bytes | Kind::Encoded(_));
        let is_text = may_be_empty && node.after.is_none() && !node.nullable;
        Ok(Column { empty_is_text: Some(is_text && is_default), ..Column::new(&name) })
    }

    /// Writes fields of the open row from a step on, and returns the first step that is left.
    ///
    /// # Safety
    /// A live object of exactly the layout's class.
    #[inline(always)]
    pub(super) unsafe fn row_fields(
        &mut self,
        object: *mut ffi::PyObject,
        layout: &Layout,
        from: usize,
    ) -> usize {
        let Some(mut direct) = self.writer.cells(layout.number) else { return from };
        if direct.filled() != from || self.omit != Omit::Nothing {
            return from;
        }
        let mut at = from;
        while let Some(Step::Field(field)) = layout.steps.get(at) {
            let value = match &field.get {
                // SAFETY: the class has its slots at these offsets, and a slot holds an object or
                // null.
                Get::Slot(offset) => unsafe {
                    *object.cast::<u8>().add(*offset).cast::<*mut ffi::PyObject>()
                },
                Get::Item(place) => {
                    // SAFETY: the object is of the layout's class, which is derived from `tuple`.
                    unsafe { item(object, *place).unwrap_or(null_mut()) }
                }
                _ => null_mut(),
            };
            // SAFETY: the object keeps its values, and nothing changes it here.
            if value.is_null() || unsafe { !cell(&mut direct, value, field.simple.own()) } {
                break;
            }
            at += 1;
        }
        at
    }

    /// Writes a field whose value was read from it. False if it is left to the walker.
    #[inline(always)]
    pub(super) fn row_value(
        &mut self,
        value: &Bound<'py, PyAny>,
        field: &Field,
        layout: &Layout,
        at: usize,
    ) -> bool {
        let Some(mut direct) = self.writer.cells(layout.number) else { return false };
        // SAFETY: the caller owns the value.
        direct.filled() == at && unsafe { cell(&mut direct, value.as_ptr(), field.simple.own()) }
    }

    /// Writes items of the innermost list or tuple, which is a row.
    pub(super) fn row_sequence(&mut self) -> Result<Flow, Stop> {
        let Walker { py, writer, known, frames, .. } = &mut *self;
        let (list, next, of) = match frames.last_mut() {
            Some(Frame::List { list, next, item }) => (list.as_ptr(), next, *item),
            Some(Frame::Tuple { tuple, next, item }) => (tuple.as_ptr(), next, *item),
            _ => return Ok(Flow::Take),
        };
        if let Some(mut direct) = writer.cells(0) {
            let takes = Takes::scalars(&known.kept[of.plan].nodes[of.node as usize]);
            // SAFETY: a list or a tuple that the frame owns. It keeps its items as long as only
            // this runs.
            while let Some(value) = unsafe { item(list, *next) } {
                // SAFETY: as above.
                if direct.filled() != *next || unsafe { !cell(&mut direct, value, takes) } {
                    break;
                }
                *next += 1;
            }
        }
        // SAFETY: as above. The item is owned from here on, whatever the caller's code does.
        let value = unsafe { item(list, *next).map(|item| Bound::from_borrowed_ptr(*py, item)) };
        let Some(value) = value else { return self.end_list() };
        *next += 1;
        self.value(&value, of)
    }

    /// Writes members of the innermost dict, which is a row, as long as its keys are the columns in
    /// their order.
    pub(super) fn row_dict(&mut self) -> Result<Option<Flow>, Stop> {
        let Walker { writer, known, frames, .. } = &mut *self;
        let Some(Frame::Dict { dict, next, size, key, value: of, .. }) = frames.last_mut() else {
            return Ok(None);
        };
        if !is_text_key(&known.kept[key.plan], key.node) {
            return Ok(None);
        }
        if dict.len() != *size {
            return Err(Stop::misfit("the dict changed its size while it was written"));
        }
        let Some(mut direct) = writer.cells(0) else { return Ok(None) };
        let takes = Takes::scalars(&known.kept[of.plan].nodes[of.node as usize]);
        loop {
            let (mut here, mut key, mut value) = (*next, null_mut(), null_mut());
            // SAFETY: a live dict, and the position that the last call left. It keeps its keys and
            // values as long as only this runs.
            let done = unsafe {
                ffi::PyDict_Next(dict.as_ptr(), &raw mut here, &raw mut key, &raw mut value) != 0
                    && is(ffi::Py_TYPE(key), &raw mut ffi::PyUnicode_Type)
                    && match Units::of(key) {
                        Units::Utf8(key) => direct.is_next(key),
                        _ => false,
                    }
                    && cell(&mut direct, value, takes)
            };
            if !done {
                return Ok(None);
            }
            *next = here;
        }
    }
}

/// Writes a scalar of exactly a builtin class. False if nothing was written.
///
/// # Safety
/// A live object.
#[inline(always)]
unsafe fn cell(direct: &mut Direct<'_>, value: *mut ffi::PyObject, takes: Takes) -> bool {
    // SAFETY: a live object, of exactly the class that it is taken for.
    unsafe {
        let class = ffi::Py_TYPE(value);
        if is(class, &raw mut ffi::PyUnicode_Type) {
            takes.has(Takes::STR)
                && match Units::of(value) {
                    Units::Utf8(text) => direct.text(text),
                    Units::One(units) => direct.units(units),
                    Units::Two(units) => direct.units(units),
                    Units::Four(units) => direct.units(units),
                }
        } else if is(class, &raw mut ffi::PyLong_Type) {
            takes.has(Takes::INT) && int(value).is_some_and(|value| direct.int(value))
        } else if is(class, &raw mut ffi::PyFloat_Type) {
            takes.has(Takes::FLOAT) && direct.float(ffi::PyFloat_AS_DOUBLE(value))
        } else if is(class, &raw mut ffi::PyBool_Type) {
            takes.has(Takes::BOOL) && direct.boolean(std::ptr::eq(value, ffi::Py_True()))
        } else {
            takes.has(Takes::NONE) && is_none(value) && direct.null()
        }
    }
}
