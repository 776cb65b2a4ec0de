//! Rows into objects of classes whose columns are known: a loop over the cells.
//!
//! Texts, integers, floats and dates go from the cell to their place at once. All other values, and
//! those that do not fit, take the way of any value in a map.

use super::Keyed;
use super::columns::{Column, Columns, How, Items, OTHER, Objects};
use crate::objects::core::Answer;
use crate::objects::core::frame::{FrameKind, NONE};
use crate::objects::core::refusal::Refusal;
use crate::objects::core::standard::new_date;
use crate::plan::{ClassId, NodeId};
use penstock_core::event::{Cell, Key, Row, Scalar, Text};
use penstock_core::protocol::{Flow, Look, LookAhead, Sink, expand_inline};
use penstock_core::value::datetime;
use penstock_core::value::lexical;
use penstock_core::value::xsd::{self, Integer};
use penstock_scan::gathered;
use pyo3::ffi;
use pyo3::prelude::*;

/// What is known of the columns of a table.
#[derive(Debug, Default)]
pub(crate) struct Header {
    /// The columns of an object: of the class of all rows, or of each class of a union. With the
    /// node of the values of each column.
    pub(super) classes: Vec<(Columns, Vec<NodeId>)>,
    /// For each column, whether it is of a part that the current row does not have.
    pub(super) skipped: Vec<bool>,
}

impl Header {
    fn of(&self, class: ClassId) -> Option<usize> {
        self.classes.iter().position(|(columns, _)| columns.class == class)
    }
}

impl<'p> Keyed<'p> {
    /// The columns of an object, each with its field, once the header was read. None if the rows
    /// are not objects of one class, each of whose fields has at most one column.
    pub(crate) fn single_columns(&self) -> Option<Vec<(u32, u32)>> {
        let [(columns, _)] = &self.header.as_ref()?.classes[..] else { return None };
        let single = columns.is_plain() && columns.cells.iter().all(|cell| cell.key != OTHER);
        single.then(|| gathered(columns.cells.iter().map(|cell| (cell.column, cell.field))))
    }

    /// A row.
    #[inline(always)]
    pub(super) fn row_of_columns(&mut self, row: &mut Row<'_>) -> Answer {
        let Some(mut header) = self.header.take_if(|_| row.is_new() && row.end.is_some()) else {
            return expand_inline(self, row);
        };
        let answer = self.fill_row(&mut header, row);
        self.header = Some(header);
        answer
    }

    #[inline(always)]
    fn fill_row(&mut self, header: &mut Header, row: &mut Row<'_>) -> Answer {
        let begun = match self.begin_map(row.at)? {
            Flow::Look => self.look_in(row)?,
            begun => begun,
        };
        if begun == Flow::Skip {
            row.take();
            return Ok(begun);
        }
        let columns = match self.top().kind {
            FrameKind::Class => header.of(self.top().class),
            _ => None,
        };
        let Some(columns) = columns else {
            // One member of the union takes the row as a dict.
            *row = row.clone().resumed(1);
            return expand_inline(self, row);
        };
        row.take();
        let Header { classes, skipped } = header;
        let (columns, nodes) = &classes[columns];
        Filler { to: self, nodes, skipped, row }.fill(columns)?;
        let end = row.end.unwrap_or(row.at);
        self.end_map(end)
    }

    /// Finds the class of a row among those of a union.
    #[inline(never)]
    fn look_in(&mut self, row: &Row<'_>) -> Answer {
        for (place, cell) in row.cells.iter().enumerate() {
            let (Some(key), Some(cell)) = (row.keys.get(place), cell) else { continue };
            let mut answer = self.look_key(key.name, cell.key_at)?;
            if answer == Look::Value {
                answer = self.look_value(Some(cell.value), cell.at)?;
            }
            match answer {
                Look::Pass | Look::Value => {}
                Look::Found => return Ok(Flow::Take),
                Look::Skip => return Ok(Flow::Skip),
            }
        }
        let answer = self.look_end(row.end.unwrap_or(row.at))?;
        Ok(if answer == Look::Skip { Flow::Skip } else { Flow::Take })
    }
}

/// Fills the places of an object with the values of a row.
struct Filler<'f, 'r, 'p> {
    to: &'f mut Keyed<'p>,
    nodes: &'f [NodeId],
    skipped: &'f mut [bool],
    row: &'f Row<'r>,
}

impl<'r> Filler<'_, 'r, '_> {
    /// Fills the object that has just begun.
    #[inline(always)]
    fn fill(&mut self, columns: &Columns) -> Result<(), Refusal> {
        if !columns.is_plain() {
            return self.fill_rarely(columns);
        }
        let slots = self.to.top().slots;
        let caches = self.to.first_cache();
        for column in &columns.cells {
            if let Some(Some(cell)) = self.row.cells.get(column.column as usize) {
                self.cell(column, cell, slots, caches)?;
            }
        }
        Ok(())
    }

    /// Puts the value of a cell in its place.
    #[inline(always)]
    fn cell(
        &mut self,
        column: &Column,
        cell: &Cell<'_>,
        slots: usize,
        caches: usize,
    ) -> Result<(), Refusal> {
        let made = match cell.value {
            Scalar::Untyped(text) if !text.bytes().is_empty() => {
                self.quickly(column, text, caches)?
            }
            _ => None,
        };
        let Some(object) = made else { return self.cell_rarely(column, cell) };
        if object.is_null() {
            return Err(self.to.raised());
        }
        let old = self.to.core.stack.replace(slots + column.field as usize, object);
        if !old.is_null() {
            // SAFETY: the stack gave its reference to us.
            unsafe { drop(Bound::from_owned_ptr(self.to.attached(), old)) };
        }
        Ok(())
    }

    /// The object of a text in the most frequent form of its type: a new reference, or null with an
    /// exception set.
    #[inline(always)]
    fn quickly(
        &mut self,
        column: &Column,
        text: Text<'_>,
        caches: usize,
    ) -> Result<Option<*mut ffi::PyObject>, Refusal> {
        let (py, bytes) = (self.to.attached(), text.bytes());
        let object = match column.how {
            How::Str => {
                // That a row is not ASCII says little about its other cells.
                let text = Text { ascii: text.ascii || bytes.is_ascii(), ..text };
                self.to.core.caches.value(py, caches + column.field as usize, text)
            }
            How::Int => match xsd::integer(bytes) {
                // SAFETY: makes a new object; the interpreter is attached during events.
                Some(Integer::Small(value)) => unsafe { ffi::PyLong_FromLongLong(value) },
                _ => return Ok(None),
            },
            How::Float => match lexical::float(bytes) {
                // SAFETY: as above.
                Ok(value) => unsafe { ffi::PyFloat_FromDouble(value) },
                Err(_) => return Ok(None),
            },
            How::Date => match datetime::date(bytes) {
                Ok(date) => new_date(py, date)?.into_ptr(),
                Err(_) => return Ok(None),
            },
            How::Other => return Ok(None),
        };
        self.to.core.weight += bytes.len() as u64;
        Ok(Some(object))
    }

    /// Puts the value of a cell in its place, as that of any key.
    #[inline(never)]
    fn cell_rarely(&mut self, column: &Column, cell: &Cell<'_>) -> Result<(), Refusal> {
        let Some(Key { name, .. }) = self.row.keys.get(column.column as usize) else {
            return Ok(());
        };
        let to = &mut *self.to;
        let answer = if column.key == OTHER {
            to.field_key(name, cell.key_at)
        } else {
            to.top_mut().key = column.key;
            to.top_mut().unnamed = false;
            if *to.core.edges[column.key as usize].name != *name.text.as_str() {
                to.remember_key(name.text.as_str());
            }
            to.follow(column.key as usize, cell.key_at)
        };
        if to.keyed(answer)? != Flow::Skip {
            to.scalar(cell.value, cell.at)?;
        }
        Ok(())
    }

    /// Fills an object with parts, or with lists of several columns.
    #[inline(never)]
    fn fill_rarely(&mut self, columns: &Columns) -> Result<(), Refusal> {
        for part in &columns.parts {
            let absent = self.is_nothing(part);
            part.iter().for_each(|column| self.skipped[*column as usize] = absent);
        }
        let slots = self.to.top().slots;
        let caches = self.to.first_cache();
        for column in &columns.cells {
            if let Some(cell) = self.at(column.column) {
                self.cell(column, &cell, slots, caches)?;
            }
        }
        for list in &columns.lists {
            self.items(list)?;
        }
        for list in &columns.objects {
            self.objects(list)?;
        }
        Ok(())
    }

    /// The cell of a column, unless it is of a part that is not there.
    fn at(&self, column: u32) -> Option<Cell<'r>> {
        let cell = self.row.cells.get(column as usize).copied().flatten();
        cell.filter(|_| !self.skipped[column as usize])
    }

    /// Whether there is no value in any of the columns.
    fn is_nothing(&self, columns: &[u32]) -> bool {
        columns.iter().all(|&column| {
            let Some(Some(cell)) = self.row.cells.get(column as usize) else { return true };
            let node = self.nodes[column as usize];
            match cell.value {
                Scalar::Untyped(text) if text.bytes().is_empty() => true,
                Scalar::Untyped(text) => {
                    let cells = self.to.plan().nodes[node as usize].cells.as_ref();
                    cells.is_some_and(|cells| cells.is_null(text.bytes()))
                }
                Scalar::Text(text) => text.bytes().is_empty() && !self.to.takes_empty_text(node),
                _ => false,
            }
        })
    }

    /// Gathers the items of a list, without the empty cells at the end.
    fn items(&mut self, list: &Items) -> Result<(), Refusal> {
        let row = self.row;
        let last = list.columns.iter().rposition(|column| !self.is_nothing(&[*column]));
        let columns = last.map_or(&[][..], |last| &list.columns[..=last]);
        for &column in columns {
            let Some(Some(cell)) = row.cells.get(column as usize) else { continue };
            if let Some(key) = row.keys.get(column as usize) {
                self.to.remember_key(key.name.text.as_str());
            }
            self.to.aim_at(list.field);
            self.to.scalar(cell.value, cell.at)?;
        }
        Ok(())
    }

    /// Gathers the objects of a list, without those at the end that have no values.
    fn objects(&mut self, list: &Objects) -> Result<(), Refusal> {
        let at = self.row.at;
        let last = list.items.iter().rposition(|(_, all)| !self.is_nothing(all));
        let items = last.map_or(&[][..], |last| &list.items[..=last]);
        for (columns, all) in items {
            // The path goes on with the name of the column.
            self.to.top_mut().key = NONE;
            self.to.top_mut().unnamed = false;
            self.to.aim_at(list.field);
            let node = self.to.aim().node;
            if self.to.plan().nodes[node as usize].nullable && self.is_nothing(all) {
                self.to.null(at)?;
                continue;
            }
            let answer = self.to.enter_class(columns.class, node, false, at);
            if self.to.begun(answer)? == Flow::Skip {
                continue;
            }
            self.fill(columns)?;
            self.to.end_map(at)?;
        }
        Ok(())
    }
}
