//! Values of forms that the user declared for untyped text (`cells(...)`), and several values in one
//! text or in several columns (`separated(...)`, `spread(...)`).

use super::Stop;
use super::text::text_of;
use super::values::class_name;
use super::walk::{As, Frame, Walker};
use crate::plan::written::layout::Columns;
use crate::plan::{Build, Kind, decimal_text, is_decimal};
use penstock_core::protocol::Flow;
use penstock_core::value::cells::Cells;
use penstock_core::value::print;
use penstock_core::writer::Writer;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{
    PyBool, PyBytes, PyDict, PyFloat, PyFrozenSet, PyInt, PyList, PySet, PyString, PyTuple,
};
use std::sync::Arc;

impl<'py, W: Writer> Walker<'py, '_, W> {
    /// Writes a value in the form that its `cells(...)` declares, if that is another one.
    pub(super) fn declared(
        &mut self,
        value: &Bound<'py, PyAny>,
        of: As,
    ) -> Result<Option<Flow>, Stop> {
        let node = self.node(of);
        let Some(cells) = node.cells.clone() else { return Ok(None) };
        let is_number = matches!(node.kind, Kind::Int | Kind::Float | Kind::Decimal);
        self.check_word(value, of, &cells, |text| self.writer.marks(text))?;
        match self.in_form(value, of, &cells)? {
            Some(text) => Ok(Some(self.writer.word(&text, is_number)?)),
            None => Ok(None),
        }
    }

    /// Writes a value that may have declared forms, and refuses it if its text says that there is
    /// none. `is_field` if there is another value for that: a default.
    pub(super) fn value_in_form(
        &mut self,
        value: &Bound<'py, PyAny>,
        of: As,
        is_field: bool,
    ) -> Result<Flow, Stop> {
        let listens = self.writer.listen();
        let flow = self.typed(value, of)?;
        let node = self.node(of);
        let takes_null = match &node.kind {
            Kind::Choice(choice) => choice.null.is_some(),
            Kind::Tokens(tokens) => tokens.null.is_some(),
            _ => false,
        };
        if !value.is_none()
            && (node.nullable || takes_null || is_field)
            && let Some(cells) = node.cells.clone()
            && let Some(text) = self.writer.heard()
            && (cells.is_null(text) && !self.writer.marks(text)
                || (W::ROWS && text.is_empty() && matches!(node.kind, Kind::Bool)))
        {
            let text = String::from_utf8_lossy(text).into_owned();
            let instead = if node.nullable || takes_null { "None" } else { "the default" };
            let reason =
                format!("its text would be read back as {instead} ({text:?} of cells(...))");
            return Err(Stop::misfit(reason));
        }
        if listens {
            self.writer.ignore();
        }
        Ok(flow)
    }

    /// Refuses a text that is a word for None, unless the writer `marks` it as a text.
    fn check_word(
        &self,
        value: &Bound<'py, PyAny>,
        of: As,
        cells: &Cells,
        marks: impl Fn(&[u8]) -> bool,
    ) -> Result<(), Stop> {
        if let Ok(text) = value.cast::<PyString>()
            && self.node(of).nullable
            && let bytes = text.to_string_lossy()
            && cells.is_null(bytes.as_bytes())
            && !marks(bytes.as_bytes())
        {
            let reason = format!("its text would be read back as None ({text:?} of cells(...))");
            return Err(Stop::misfit(reason));
        }
        Ok(())
    }

    /// A value in a declared form, if it has one.
    fn in_form(
        &self,
        value: &Bound<'py, PyAny>,
        of: As,
        cells: &Cells,
    ) -> Result<Option<String>, Stop> {
        let node = self.node(of);
        match &node.kind {
            Kind::Bool if cells.has_truth() => match value.cast::<PyBool>() {
                Ok(value) => Ok(Some(cells.truth_word(value.is_true()).to_owned())),
                Err(_) => Err(self.unfit(value, of)),
            },
            Kind::Int | Kind::Float | Kind::Decimal if cells.has_numbers() => {
                let Some(text) = self.digits(value, of)? else { return Ok(None) };
                let point = cells.decimal();
                Ok(Some(text.chars().map(|char| if char == '.' { point } else { char }).collect()))
            }
            _ => Ok(None),
        }
    }

    /// The digits of a number; none if it is not finite, or no number.
    fn digits(&self, value: &Bound<'py, PyAny>, of: As) -> Result<Option<String>, Stop> {
        let is_bool = value.is_instance_of::<PyBool>();
        let kind = &self.node(of).kind;
        if value.is_instance_of::<PyInt>() && !is_bool {
            let int = self.py.get_type::<PyInt>();
            let digits = int.call_method1(intern!(self.py, "__repr__"), (value,))?;
            return Ok(Some(digits.to_string()));
        }
        if let Ok(float) = value.cast::<PyFloat>()
            && matches!(kind, Kind::Float)
        {
            let float = float.value();
            let mut out = Vec::with_capacity(print::LONGEST);
            print::float(float, &mut out);
            return Ok(float.is_finite().then(|| String::from_utf8_lossy(&out).into_owned()));
        }
        if is_decimal(value) && matches!(kind, Kind::Decimal) {
            let text = decimal_text(value)?.to_string();
            if text.contains(['E', 'e']) {
                let reason = "cells(decimal=...) has no form for a decimal number with an exponent";
                return Err(Stop::misfit(reason));
            }
            return Ok(text.bytes().any(|byte| byte.is_ascii_digit()).then_some(text));
        }
        Ok(None)
    }

    /// A collection whose items stand in one text.
    pub(super) fn separated(&mut self, value: &Bound<'py, PyAny>, of: As) -> Result<Flow, Stop> {
        let items = self.snapshot(value, of)?;
        let kept = self.known.kept[of.plan].clone_ref(self.py);
        let node = &kept.nodes[of.node as usize];
        let Kind::Separated(separated) = &node.kind else { return Err(self.unfit(value, of)) };
        let own = self.own_cells(of);
        let nodes = match &kept.nodes[separated.list as usize].kind {
            Kind::Tuple(nodes) if nodes.len() != items.len() => {
                let reason = format!("expected {} items, got {}", nodes.len(), items.len());
                return Err(Stop::misfit(reason));
            }
            Kind::Tuple(nodes) => nodes.to_vec(),
            Kind::List(item) | Kind::Set(item) | Kind::FrozenSet(item) | Kind::TupleOf(item) => {
                vec![*item]
            }
            _ => return Err(self.unfit(value, of)),
        };
        let mut text = String::new();
        for (at, item) in items.iter().enumerate() {
            let number = nodes.get(at).or(nodes.last()).copied().unwrap_or(separated.list);
            let item_of = As { node: number, ..of };
            let of_item = &kept.nodes[number as usize];
            let cells =
                self.own_cells(item_of).or_else(|| own.clone()).or_else(|| of_item.cells.clone());
            let one = self.item_text(&item, item_of, cells)?;
            if separated.trim && one.trim() != one {
                let reason =
                    format!("the item {one:?} would be read without the white space around it");
                return Err(Stop::misfit(reason));
            }
            if let Some(reason) = separated.refuses(&one) {
                return Err(Stop::misfit(reason));
            }
            if at > 0 {
                text.push_str(separated.by.as_deref().unwrap_or(" "));
            }
            text.push_str(&one);
        }
        if text.is_empty() && !items.is_empty() {
            return Err(Stop::misfit("one empty item would be read as no item"));
        }
        let is_null = node.cells.as_ref().is_some_and(|cells| cells.is_null(text.as_bytes()));
        if is_null {
            return Err(Stop::misfit(format!("{text:?} would be read as null (cells)")));
        }
        Ok(self.writer.text(text.as_str().into(), 0)?)
    }

    /// The items of a collection, as they are now.
    fn snapshot(&self, value: &Bound<'py, PyAny>, of: As) -> Result<Bound<'py, PyList>, Stop> {
        let is_several = !value.is_instance_of::<PyString>()
            && !value.is_instance_of::<PyBytes>()
            && !value.is_instance_of::<PyDict>()
            && (value.is_instance_of::<PyList>()
                || value.is_instance_of::<PyTuple>()
                || value.is_instance_of::<PySet>()
                || value.is_instance_of::<PyFrozenSet>()
                || value.get_type().getattr_opt(intern!(self.py, "__iter__"))?.is_some());
        if !is_several {
            return Err(self.unfit(value, of));
        }
        let list = self.py.get_type::<PyList>();
        let made =
            list.call1((value,)).map_err(|error| Stop::own_code(self.py, "iterating", error))?;
        Ok(made.cast_into::<PyList>().map_err(PyErr::from)?)
    }

    /// The forms that the type of a value declares itself.
    fn own_cells(&self, of: As) -> Option<Arc<Cells>> {
        let (plan, node) = (self.plan(of), self.node(of));
        plan.own_cells(node).is_some().then(|| node.cells.clone()).flatten()
    }

    /// The text of one item.
    fn item_text(
        &mut self,
        item: &Bound<'py, PyAny>,
        of: As,
        cells: Option<Arc<Cells>>,
    ) -> Result<String, Stop> {
        let node = self.node(of);
        if item.is_none() && (node.nullable || matches!(node.kind, Kind::None)) {
            if node.after.as_ref().is_some_and(|after| after.null_from.is_some()) {
                return Err(Stop::misfit("an empty item would be read as another value than None"));
            }
            return Ok(String::new());
        }
        let nullable = node.nullable;
        let words = cells.clone();
        // A member of a union may have a form of its own.
        let member = self.member_of(item, of).map(|node| As { node, ..of });
        let own = member.and_then(|member| Some((member, self.own_cells(member)?)));
        let declared = own.or_else(|| Some((member.unwrap_or(of), cells?)));
        let form = match declared {
            Some((of, cells)) => {
                self.check_word(item, of, &cells, |_| false)?;
                self.in_form(item, of, &cells)?
            }
            None => None,
        };
        let text = match form {
            Some(text) => text,
            None => {
                if self.node(of).after.is_none() && !self.takes(item, of) {
                    return Err(self.unfit(item, of));
                }
                match item.cast_exact::<PyString>() {
                    Ok(text) if self.is_plain(of) => {
                        text_of(text, &mut self.known.scratch)?.text.as_str().to_owned()
                    }
                    _ => self.key_text(item, of)?,
                }
            }
        };
        if text.is_empty() && nullable {
            return Err(Stop::misfit("an empty item would be read as None"));
        }
        if nullable && words.is_some_and(|words| words.is_null(text.as_bytes())) {
            return Err(Stop::misfit(format!("the item {text:?} would be read as None")));
        }
        self.check_item(item, of, &text)?;
        Ok(text)
    }

    /// Writes the items of a collection into columns of their own.
    pub(super) fn spread(
        &mut self,
        value: &Bound<'py, PyAny>,
        columns: &Columns,
        plan: usize,
    ) -> Result<(), Stop> {
        let of = As { plan, node: columns.node };
        if value.is_none() {
            return Err(Stop::misfit("None would be read as no item: it has no columns"));
        }
        let items = self.snapshot(value, of)?;
        let depth = self.frames.len();
        let item_of = As { plan, node: columns.item };
        self.push(Frame::List { list: items.clone(), next: 0, item: item_of })?;
        let kept = self.known.kept[plan].clone_ref(self.py);
        let last = items.len();
        for at in 0..last {
            // For the path in an error.
            if let Some(Frame::List { next, .. }) = self.frames.last_mut() {
                *next = at + 1;
            }
            let item = items.get_item(at)?;
            let name = columns.pattern.with(&(at + 1).to_string());
            if let Kind::Class(class) = kept.nodes[columns.item as usize].kind {
                self.spread_object(&item, &name, class, plan)?;
                continue;
            }
            let is_nothing = item.is_none()
                || item.cast::<PyString>().is_ok_and(|text| text.is_empty().unwrap_or(false));
            if at + 1 == last && is_nothing {
                return Err(Stop::misfit("an empty item at the end would be read as no item"));
            }
            self.writer.key(name.text().as_str().into(), 0)?;
            self.value(&item, item_of)?;
        }
        self.frames.truncate(depth);
        Ok(())
    }

    /// Writes the fields of an item into columns of their own.
    fn spread_object(
        &mut self,
        item: &Bound<'py, PyAny>,
        name: &crate::plan::Stars,
        class: u32,
        plan: usize,
    ) -> Result<(), Stop> {
        let kept = self.known.kept[plan].clone_ref(self.py);
        let of = &kept.classes[class as usize];
        let is_dict = matches!(of.build, Build::Dict(_)) && item.is_instance_of::<PyDict>();
        if !is_dict && !item.get_type().is(of.class.bind(self.py)) {
            let of = &of.name;
            return Err(Stop::misfit(format!("expected {of}, got {}", class_name(item)?)));
        }
        let layouts = kept.layouts(self.py)?;
        let layout = layouts.class(class).map_err(Stop::misfit)?;
        let mut is_empty = true;
        for step in &layout.steps {
            let crate::plan::written::layout::Step::Field(field) = step else {
                return Err(Stop::misfit(
                    "an item of several columns has fields of one column each",
                ));
            };
            let Some(value) = self.get(item, &field.get)? else {
                self.check_lack(item, field, &kept, class)?;
                continue;
            };
            is_empty &= value.is_none();
            let key = if layout.rows { &*field.shown } else { &*field.key.name };
            self.writer.key(name.column(key).as_str().into(), 0)?;
            self.value(&value, As { plan, node: field.node })?;
        }
        if is_empty {
            return Err(Stop::misfit("an item without a value would be read as no item"));
        }
        Ok(())
    }
}
