//! Whether a value is read back as itself.
//!
//! A choice and a union take several types from one text: `"12"` of an `int | str` in a format
//! without types, an `Enum` that has the text of an address beside addresses. Which member a text
//! becomes is decided in one place, where it is read ([`read_back`]). So the writer asks there, and
//! refuses a value that would come back as another one.

use super::Stop;
use super::walk::{As, Walker};
use crate::objects::{ReadBack, key_back, read_back};
use crate::plan::{Kind, Node, NodeId, Plan, Step, is_decimal};
use penstock_core::event::Scalar;
use penstock_core::protocol::Flow;
use penstock_core::writer::{Kinds, Writer};
use pyo3::prelude::*;
use pyo3::types::PyFloat;

impl<'py, W: Writer> Walker<'py, '_, W> {
    /// A value of a union or a choice.
    pub(super) fn one_of(&mut self, value: &Bound<'py, PyAny>, of: As) -> Result<Flow, Stop> {
        let member = match &self.node(of).kind {
            Kind::Tokens(tokens) if tokens.is_plain => return self.any(value),
            Kind::Tokens(_) => match self.member_of(value, of) {
                Some(member) => member,
                None => return Err(self.unfit(value, of)),
            },
            _ => of.node,
        };
        let kinds = self.writer.kinds();
        // `make` takes a `Decimal` as it is, beside any other type.
        let member_of = As { node: member, ..of };
        let is_held = W::HOLDS
            && matches!(self.node(member_of).kind, Kind::Decimal)
            && !self.is_converted(member_of);
        if is_held || !mistakes(self.plan(of), self.node(of), kinds) {
            return self.as_member(value, of, member);
        }
        let listens = self.writer.listen();
        let flow = self.as_member(value, of, member)?;
        let Walker { py, writer, known, .. } = &mut *self;
        let read = match writer.reported() {
            Some(scalar) => Some(read_back(*py, &known.kept[of.plan], of.node, scalar)?),
            None => None,
        };
        if listens {
            self.writer.ignore();
        }
        if let Some(read) = read {
            self.is_itself(value, of, member, read)?;
        }
        Ok(flow)
    }

    /// Refuses a value of a union or a choice that a reader makes another one of.
    fn is_itself(
        &self,
        value: &Bound<'py, PyAny>,
        of: As,
        member: NodeId,
        read: ReadBack<'py>,
    ) -> Result<(), Stop> {
        let Some((found, fitted)) = read else {
            // Constraints are checked when a document is read.
            let plan = self.plan(of);
            return match has_checks(plan, of.node) || has_checks(plan, member) {
                true => Ok(()),
                false => Err(self.unreadable(of)),
            };
        };
        let node = self.node(As { node: member, ..of });
        let is_choice = matches!(node.kind, Kind::Choice(_));
        let is_converted = |node: &Node| node.after.as_ref().is_some_and(|it| it.changes());
        let is_whole = !is_converted(node) && !is_converted(self.node(of));
        // A word of cells(null=...).
        if found.is_none() && !value.is_none() && is_whole {
            return Err(self.other_value(&found)?);
        }
        if fitted == member && !(is_choice && is_whole) {
            return Ok(());
        }
        if is_whole && is_same(&found, value) {
            return Ok(());
        }
        if fitted == member || !matches!(self.node(of).kind, Kind::Tokens(_)) {
            return match is_choice && is_whole {
                true => Err(self.other_value(&found)?),
                false => Ok(()),
            };
        }
        Err(self.other_member(As { node: fitted, ..of }))
    }

    /// Refuses a text of an item that a reader makes another value of.
    pub(super) fn check_item(
        &self,
        value: &Bound<'py, PyAny>,
        of: As,
        text: &str,
    ) -> Result<(), Stop> {
        let member = match &self.node(of).kind {
            Kind::Choice(_) => of.node,
            // An `Enum` with values of several types: no member of the union has its members.
            Kind::Tokens(_) if self.is_converted(of) => of.node,
            Kind::Tokens(_) => match self.member_of(value, of) {
                Some(member) => member,
                None => return Err(self.unfit(value, of)),
            },
            _ => return Ok(()),
        };
        let scalar = Scalar::Untyped(text.into());
        let read = read_back(self.py, &self.known.kept[of.plan], of.node, scalar)?;
        if member == of.node
            && self.is_converted(of)
            && let Some((found, _)) = &read
        {
            return if is_same(found, value) { Ok(()) } else { Err(self.other_value(found)?) };
        }
        let whole = !self.is_converted(of) && !self.is_converted(As { node: member, ..of });
        if let Some((found, fitted)) = &read
            && whole
            && *fitted == member
            && !is_same(found, value)
            && !found.eq(value).unwrap_or(false)
        {
            return Err(self.other_value(found)?);
        }
        self.is_itself(value, of, member, read)
    }

    /// Refuses a key whose text a reader makes another key of.
    pub(super) fn check_key(
        &mut self,
        key: &Bound<'py, PyAny>,
        of: As,
        text: &str,
    ) -> Result<(), Stop> {
        let plan = &self.known.kept[of.plan];
        let Some((found, fitted)) = key_back(self.py, plan, of.node, text.into())? else {
            return match has_checks(plan, of.node) {
                true => Ok(()),
                false => Err(self.unfit(key, of)),
            };
        };
        if is_same(&found, key) {
            return Ok(());
        }
        let member = match &self.node(of).kind {
            Kind::Tokens(_) => self.member_of(key, of),
            _ => self.takes(key, of).then_some(of.node),
        };
        match member {
            // A value of a class of the caller's need not be equal to another one.
            Some(member) if member == fitted && self.is_converted(As { node: member, ..of }) => {
                Ok(())
            }
            // An `int` for a `float`, or a `Decimal`: as in a value.
            _ if self.is_number(of) && found.eq(key).unwrap_or(false) => Ok(()),
            None => Err(self.unfit(key, of)),
            Some(member) if member == fitted => Err(self.other_value(&found)?),
            Some(_) => Err(self.other_member(As { node: fitted, ..of })),
        }
    }

    fn is_converted(&self, of: As) -> bool {
        self.node(of).after.as_ref().is_some_and(|after| after.changes())
    }

    fn is_number(&self, of: As) -> bool {
        matches!(self.node(of).kind, Kind::Float | Kind::Decimal) && !self.is_converted(of)
    }

    #[cold]
    fn other_member(&self, member: As) -> Stop {
        let name = &self.node(member).written;
        Stop::misfit(format!("its text would be read back as {name}"))
    }

    #[cold]
    fn other_value(&self, found: &Bound<'py, PyAny>) -> Result<Stop, Stop> {
        Ok(Stop::misfit(format!("its text would be read back as {}", found.repr()?)))
    }

    #[cold]
    fn unreadable(&self, of: As) -> Stop {
        let name = &self.node(of).written;
        Stop::misfit(format!("its text would not be read back as {name}"))
    }
}

/// Whether a value of a union or a choice may be read back as another one. Mostly, each kind of
/// value of a document leads to one member.
fn mistakes(plan: &Plan, node: &Node, kinds: Kinds) -> bool {
    match (&node.kind, kinds) {
        (_, Kinds::Unknown | Kinds::Changed) => true,
        (Kind::Tokens(tokens), Kinds::Kept) => {
            let is_decimal =
                |node: NodeId| !matches!(plan.nodes[node as usize].kind, Kind::Float | Kind::Any);
            tokens.text.len() > 1
                || (tokens.integer != tokens.number && tokens.number.is_some_and(is_decimal))
        }
        _ => false,
    }
}

/// Whether a value is checked when it is read. A member of an `Enum` may also be found by a function
/// of its class.
fn has_checks(plan: &Plan, node: NodeId) -> bool {
    let node = &plan.nodes[node as usize];
    let mut own = node.after.iter().flat_map(|after| &after.steps);
    own.any(|step| matches!(step, Step::Check(_)))
        || matches!(&node.kind, Kind::Choice(choice) if choice.enum_class.is_some())
}

/// Whether two values are the same, also by their class.
pub(super) fn is_same(a: &Bound<'_, PyAny>, b: &Bound<'_, PyAny>) -> bool {
    if a.is(b) {
        return true;
    }
    // A NaN is not equal to itself.
    let is_number = a.is_instance_of::<PyFloat>() || is_decimal(a);
    let is_nan = |value: &Bound<'_, PyAny>| is_number && value.ne(value).unwrap_or(false);
    a.get_type().is(b.get_type()) && (a.eq(b).unwrap_or(false) || is_nan(a) && is_nan(b))
}

/// Whether a `str` is written as a key of a type as it is.
#[inline]
pub(super) fn is_text_key(plan: &Plan, node: NodeId) -> bool {
    let node = &plan.nodes[node as usize];
    matches!(node.kind, Kind::Str | Kind::Any) && node.after.is_none()
}
