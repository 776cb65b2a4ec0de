//! How untyped text becomes a value where the user says more than its type: `cells(...)` and
//! `separated(...)`.
//!
//! Formats that know the types of their values ignore both. What makes no sense is refused for all
//! formats, so that a class that can be read from one can be read from the others.

use std::collections::HashSet;
use std::sync::Arc;

use penstock_core::value::cells::Cells;
use pyo3::intern;
use pyo3::prelude::*;

use crate::plan::types::compiler::Compiler;
use crate::plan::types::known;
use crate::plan::types::walk::Walk;
use crate::plan::types::wrappers::is_instance;
use crate::plan::{Kind, Node, NodeId, element};

/// A collection whose items stand in one text.
pub(crate) struct Separated {
    /// The node of the collection, without anything to do behind it.
    pub(crate) list: NodeId,
    /// What stands between two items; white space of any length if there is none.
    pub(crate) by: Option<Box<str>>,
    /// Whether white space around an item is no part of it.
    pub(crate) trim: bool,
}

impl Separated {
    /// The items of a text.
    pub(crate) fn items<'t>(&self, text: &'t str) -> impl Iterator<Item = &'t str> {
        let by = self.by.as_deref();
        let words = by.is_none().then(|| text.split(is_blank).filter(|item| !item.is_empty()));
        let parts = by.filter(|_| !text.is_empty()).map(|by| text.split(by));
        let parts = parts.into_iter().flatten();
        let parts = parts.map(|item| if self.trim { item.trim_matches(is_blank) } else { item });
        words.into_iter().flatten().chain(parts)
    }

    /// Why the text of an item cannot stand among others, if it cannot.
    pub(crate) fn refuses(&self, item: &str) -> Option<String> {
        match &self.by {
            None if item.is_empty() => Some("an empty item would be read as none".to_owned()),
            None if item.contains(is_blank) => {
                Some(format!("the item {item:?} has white space in it"))
            }
            Some(by) if item.contains(&**by) => Some(format!("the item {item:?} has {by:?} in it")),
            _ => None,
        }
    }
}

/// The white space of XML.
fn is_blank(char: char) -> bool {
    matches!(char, ' ' | '\t' | '\r' | '\n')
}

type Words = Vec<Box<str>>;

/// The forms of a `cells(...)`.
///
/// # Errors
/// `TypeError` or `ValueError`, if the object was not made as it should be.
pub(in crate::plan) fn cells(word: &Bound<'_, PyAny>) -> PyResult<Cells> {
    let py = word.py();
    let words = |name: &Bound<'_, pyo3::types::PyString>| -> PyResult<Words> {
        let words = word.getattr(name)?.extract::<Vec<String>>()?;
        Ok(words.into_iter().map(Into::into).collect())
    };
    let made = Cells::new(
        words(intern!(py, "null"))?,
        words(intern!(py, "false"))?,
        words(intern!(py, "true"))?,
        word.getattr(intern!(py, "decimal"))?.extract()?,
        word.getattr(intern!(py, "thousands"))?.extract()?,
        word.getattr(intern!(py, "currency"))?.extract::<Option<String>>()?.map(Into::into),
    );
    made.map_err(pyo3::exceptions::PyValueError::new_err)
}

/// Why the options of a `cells(...)` contradict each other, if they do.
#[pyfunction]
pub(crate) fn contradiction(
    null: Vec<String>,
    r#true: Vec<String>,
    r#false: Vec<String>,
    decimal: char,
    thousands: Option<char>,
    currency: Option<String>,
) -> Option<String> {
    let words = |words: Vec<String>| words.into_iter().map(Into::into).collect();
    let (null, yes, no) = (words(null), words(r#true), words(r#false));
    Cells::new(null, no, yes, decimal, thousands, currency.map(Into::into)).err()
}

impl Compiler<'_> {
    /// Whether values of a node are made of several values.
    pub(in crate::plan) fn is_container(&self, node: NodeId) -> bool {
        match &self.nodes[node as usize].kind {
            // What is being walked is a part of it.
            _ if self.is_being_made(node) => true,
            Kind::Class(_)
            | Kind::Tagged(_)
            | Kind::Dict(..)
            | Kind::List(_)
            | Kind::Set(_)
            | Kind::FrozenSet(_)
            | Kind::TupleOf(_)
            | Kind::Tuple(_)
            | Kind::Separated(_) => true,
            Kind::Tokens(tokens) => tokens.members().any(|member| self.is_container(member)),
            _ => false,
        }
    }
}

impl<'py> Walk<'_, 'py> {
    /// Applies the `separated(...)` and the `cells(...)` among the words beside a type.
    pub(in crate::plan) fn untyped(
        &mut self,
        node: Node,
        words: &[Bound<'py, PyAny>],
    ) -> PyResult<Node> {
        let of = |known: &known::Known| words.iter().rev().find(|word| is_instance(word, known));
        let mut node = node;
        let mut is_split = false;
        if let Some(word) = of(&known::SEPARATED) {
            node = self.separated(node, word)?;
            is_split = true;
        }
        if let Some(word) = of(&known::CELLS) {
            let cells = cells(word)?;
            self.heeds(&node, is_split, &cells)?;
            if self.compiler.form.is_lexical() {
                node.cells = Some(Arc::new(cells));
            }
        }
        Ok(node)
    }

    /// A collection whose items stand in one text.
    fn separated(&mut self, mut node: Node, word: &Bound<'py, PyAny>) -> PyResult<Node> {
        let py = word.py();
        let items = match &node.kind {
            Kind::List(item) | Kind::Set(item) | Kind::FrozenSet(item) | Kind::TupleOf(item) => {
                vec![*item]
            }
            Kind::Tuple(items) => items.to_vec(),
            Kind::Separated(_) => return Err(self.error("two separated(...) beside one type")),
            _ => {
                let written = &node.written;
                let reason =
                    format_args!("separated(...) is only for a list, set or tuple, not {written}");
                return Err(self.error(reason));
            }
        };
        let by: Option<String> = word.getattr(intern!(py, "by"))?.extract()?;
        let trim = word.getattr(intern!(py, "trim"))?.extract()?;
        if let Some(&item) = items.iter().find(|item| self.compiler.is_container(**item)) {
            if self.compiler.is_being_made(item) {
                let reason = "separated(...) takes items that are one value each, not lists again";
                return Err(self.error(reason));
            }
            let item = self.name(item);
            let reason =
                format_args!("separated(...) takes items that are one value each, not {item}");
            return Err(self.error(reason));
        }
        if !self.compiler.form.is_lexical() {
            return Ok(node);
        }
        let list = self.compiler.push(Kind::Any, false, node.written.to_string());
        let separated = Separated { list, by: by.map(Into::into), trim };
        let kind = std::mem::replace(&mut node.kind, Kind::Separated(Box::new(separated)));
        self.compiler.nodes[list as usize].kind = kind;
        Ok(node)
    }

    /// Whether a value of a node, or an item of one, is of a certain kind.
    fn has(&self, node: &Node, is: fn(&Kind) -> bool) -> bool {
        let nodes = &self.compiler.nodes;
        let (mut open, mut seen) = (Vec::new(), HashSet::new());
        let mut next = node;
        loop {
            match &next.kind {
                Kind::Tokens(tokens) => open.extend(tokens.members()),
                Kind::Separated(separated) => open.push(separated.list),
                Kind::Tuple(items) => open.extend(items),
                Kind::List(item)
                | Kind::Set(item)
                | Kind::FrozenSet(item)
                | Kind::TupleOf(item) => open.push(*item),
                kind if is(kind) => return true,
                _ => {}
            }
            open.retain(|id| !seen.contains(id));
            let Some(id) = open.pop() else { return false };
            seen.insert(id);
            next = &nodes[id as usize];
        }
    }

    /// Refuses a `cells(...)` beside a type for which it would have no effect.
    fn heeds(&self, node: &Node, is_split: bool, cells: &Cells) -> PyResult<()> {
        let written = &node.written;
        let is_number = |kind: &Kind| matches!(kind, Kind::Int | Kind::Float | Kind::Decimal);
        let of_items = matches!(node.kind, Kind::Tuple(_)) || element_of(node).is_some();
        let is_whole = matches!(node.kind, Kind::Class(_) | Kind::Tagged(_) | Kind::Dict(..));
        if of_items && !is_split {
            let reason = "cells(...) stands beside the type of the items, or beside separated(...)";
            return Err(self.error(reason));
        }
        if is_whole {
            let reason = format_args!("cells(...) is only for a value in one text, not {written}");
            return Err(self.error(reason));
        }
        if cells.has_truth() && !self.has(node, |kind| matches!(kind, Kind::Bool)) {
            return Err(self.error("cells(true=..., false=...) is only for a bool"));
        }
        if cells.has_numbers() && !self.has(node, is_number) {
            let rule = "cells(decimal=..., thousands=..., currency=...) is only for a number";
            return Err(self.error(rule));
        }
        Ok(())
    }
}

fn element_of(node: &Node) -> Option<NodeId> {
    element(std::slice::from_ref(node), 0)
}

/// Gives each node the `cells` of the whole plan, unless it has its own.
pub(in crate::plan) fn settle(
    nodes: &mut [Node],
    cells: &Bound<'_, PyAny>,
) -> PyResult<Arc<Cells>> {
    let cells = Arc::new(super::untyped::cells(cells)?);
    for node in nodes {
        node.cells.get_or_insert_with(|| Arc::clone(&cells));
    }
    Ok(cells)
}
