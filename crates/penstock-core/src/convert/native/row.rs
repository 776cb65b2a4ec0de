//! Rows of a table, whose texts have no types: a loop over the cells.

use super::kept::{Kept, What};
use super::plan::{Form, Kind, Node, NodeId, To};
use super::tell::{is_decimal, is_of};
use super::{Aim, FrameKind, NativeRecord};
use crate::event::{Cell, Row, Scalar};
use crate::value::lexical::{self, Type};
use crate::value::xsd::{self, Integer, trimmed};
use penstock_scan::{filled, make_room};

/// The longest decimal number that is taken: `limits.number` may be as small.
const SHORT: usize = 64;

/// A column that leads to a field.
#[derive(Clone, Copy, Debug)]
pub(super) struct Column {
    place: u32,
    field: u32,
    node: NodeId,
}

/// What a cell is.
enum Content {
    /// A value.
    Value(What),
    /// Nothing: the field is absent.
    Absent,
}

impl NativeRecord {
    /// Says which columns of the rows that follow lead to which fields of the class of a record,
    /// each with its place. Without them, or if two lead to one field, no row is taken.
    pub fn set_columns(&mut self, columns: Option<&[(u32, u32)]>) {
        self.columns = columns.and_then(|columns| self.columns_of(columns));
    }

    fn columns_of(&self, known: &[(u32, u32)]) -> Option<Vec<Column>> {
        let Kind::Class(class) = self.node(self.plan.root).kind else { return None };
        let class = self.plan.classes.get(class as usize)?;
        let mut nodes: Vec<Option<NodeId>> = filled(None, class.fields);
        for to in &class.states.first()?.to {
            if let To::Field(field, node) = *to {
                *nodes.get_mut(field as usize)? = Some(node);
            }
        }
        let mut columns: Vec<Column> = Vec::new();
        make_room(&mut columns, known.len());
        for &(place, field) in known {
            let node = nodes.get_mut(field as usize)?.take()?;
            columns.push(Column { place, field, node });
        }
        Some(columns)
    }

    /// A whole row. None if it is not taken; nothing of it is kept then.
    #[inline]
    pub fn row(&mut self, row: &Row<'_>) -> Option<()> {
        let columns = self.columns.take()?;
        let filled = self.fill(&columns, row);
        self.columns = Some(columns);
        if filled.is_none() {
            self.clear();
        }
        filled
    }

    #[inline(always)]
    fn fill(&mut self, columns: &[Column], row: &Row<'_>) -> Option<()> {
        let (FrameKind::Record, Aim::Value(root, _)) = (self.top.kind, self.top.aim) else {
            return None;
        };
        let NativeRecord { plan, kept, places, .. } = self;
        let Kind::Class(class) = plan.nodes.get(root as usize)?.kind else { return None };
        let of = plan.classes.get(class as usize)?;
        let base = places.len();
        let more = of.fields + of.states.len();
        make_room(places, more);
        places.resize(base + more, 0);
        let begin = What::BeginMap { end: 0, class, base: u32::try_from(base).ok()? };
        let begun = kept.push(begin, row.at)?;
        for &Column { place, field, node } in columns {
            let Some(Some(cell)) = row.cells.get(place as usize) else { continue };
            let is_required = || of.required.binary_search(&field).is_ok();
            match content(plan.nodes.get(node as usize)?, cell, is_required, kept)? {
                Content::Value(what) => {
                    *places.get_mut(base + field as usize)? = kept.push(what, cell.at)? + 1;
                }
                Content::Absent => {}
            }
        }
        if of.required.iter().any(|&field| places.get(base + field as usize) == Some(&0)) {
            return None;
        }
        let end = kept.push(What::EndMap, row.end.unwrap_or(row.at))?;
        kept.set_end(begun as usize, end);
        self.top.count = 1;
        Some(())
    }
}

/// What a cell is for a node. None if it is not taken.
#[inline(always)]
fn content(
    of: &Node,
    cell: &Cell<'_>,
    is_required: impl Fn() -> bool,
    kept: &mut Kept,
) -> Option<Content> {
    let text = match cell.value {
        Scalar::Untyped(text) => text,
        // An empty cell in quotes.
        Scalar::Text(text) if matches!(of.kind, Kind::Str) && of.cells.is_none() => {
            return texted(of, text.text.as_str(), Form::Plain, kept).map(Content::Value);
        }
        _ => return None,
    };
    let text = text.text.as_str();
    let is_nothing =
        text.is_empty() || of.cells.as_ref().is_some_and(|it| it.is_null(text.as_bytes()));
    if is_nothing {
        return nothing(of, text, is_required, kept);
    }
    if of.cells.is_some() {
        return declared(of, text, kept).map(Content::Value);
    }
    let what = match &of.kind {
        Kind::Str => texted(of, text, Form::Plain, kept),
        Kind::Int => int(of, text.as_bytes()),
        Kind::Float => float(of, text.as_bytes()),
        _ => rarely(of, text, kept),
    };
    what.map(Content::Value)
}

/// A cell that stands for no value.
#[inline(never)]
fn nothing(
    of: &Node,
    text: &str,
    is_required: impl Fn() -> bool,
    kept: &mut Kept,
) -> Option<Content> {
    match &of.kind {
        // Somebody else knows.
        Kind::Other | Kind::Tokens(_) => None,
        Kind::Choice(choice) if choice.null && !of.nullable => None,
        _ if of.nullable || matches!(of.kind, Kind::Any | Kind::None) => {
            Some(Content::Value(What::Null))
        }
        _ if !is_required() => Some(Content::Absent),
        Kind::Str if text.is_empty() => texted(of, text, Form::Plain, kept).map(Content::Value),
        _ => None,
    }
}

/// A text, which is kept.
#[inline(always)]
fn texted(of: &Node, text: &str, form: Form, kept: &mut Kept) -> Option<What> {
    if !of.checks.iter().all(|check| check.text(text)) {
        return None;
    }
    Some(What::Text(kept.keep(text)?, form))
}

#[inline(always)]
fn int(of: &Node, text: &[u8]) -> Option<What> {
    match xsd::integer(text).or_else(|| xsd::integer(trimmed(text)))? {
        Integer::Small(value) if of.checks.iter().all(|check| check.int(value)) => {
            Some(What::Int(value))
        }
        _ => None,
    }
}

#[inline(always)]
fn float(of: &Node, text: &[u8]) -> Option<What> {
    let value = lexical::float(text).or_else(|_| lexical::float(trimmed(text))).ok()?;
    let taken = value.is_finite() && of.checks.iter().all(|check| check.float(value));
    taken.then_some(What::Float(value))
}

/// A text in a form that the user declared.
#[inline(never)]
fn declared(of: &Node, text: &str, kept: &mut Kept) -> Option<What> {
    let to = match of.kind {
        Kind::Int => Type::Int,
        Kind::Float => Type::Float,
        Kind::Bool => Type::Bool,
        Kind::Text(Form::Decimal) => Type::Decimal,
        // These have words for nothing only.
        Kind::Str => return texted(of, text, Form::Plain, kept),
        Kind::Text(_) => return rarely(of, text, kept),
        _ => return None,
    };
    let mut room = Vec::new();
    let text = of.cells.as_ref()?.written(trimmed(text.as_bytes()), to, &mut room).ok()?;
    match to {
        Type::Int => int(of, text),
        Type::Float => float(of, text),
        _ => rarely(of, std::str::from_utf8(text).ok()?, kept),
    }
}

/// A value of a type that is not frequent.
#[inline(never)]
fn rarely(of: &Node, text: &str, kept: &mut Kept) -> Option<What> {
    let own = text;
    let text = text.trim_matches([' ', '\t', '\n', '\r']);
    match &of.kind {
        Kind::Any if of.checks.is_empty() => Some(What::Text(kept.keep(own)?, Form::Plain)),
        Kind::Bool if of.checks.is_empty() => Some(What::Bool(xsd::boolean(text.as_bytes())?)),
        Kind::Text(Form::Decimal) => {
            let taken = of.checks.is_empty() && text.len() <= SHORT && is_decimal(text.as_bytes());
            if taken { Some(What::Decimal(kept.keep(text)?)) } else { None }
        }
        Kind::Text(form) => {
            let taken = of.checks.is_empty() && is_of(text.as_bytes(), *form);
            if taken { Some(What::Text(kept.keep(text)?, *form)) } else { None }
        }
        Kind::Choice(choice) if of.checks.is_empty() => {
            let found =
                [own, text].into_iter().find(|it| choice.texts.find(it.as_bytes()).is_some());
            if let Some(found) = found {
                return Some(What::Text(kept.keep(found)?, Form::Plain));
            }
            match xsd::integer(text.as_bytes())? {
                Integer::Small(value) if choice.ints.contains(&value) => Some(What::Int(value)),
                _ => None,
            }
        }
        _ => None,
    }
}
