//! Unions where the kind of the value decides: `int | str`, `X | list[X]`.
//!
//! A document says of each value whether it is null, a truth value, a number, text, a list or a
//! map. Each of these leads to at most one member of the union, except text: there, the values of an
//! enum are tried first, then members with a form of their own (a date, a UUID), and `str` takes the
//! rest. No two members of one of these groups take the same text (`overlap.rs`).
//!
//! In markup all values are text, so an integer, a number and a truth value are tried before the
//! forms above.

use penstock_core::protocol::Want;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyInt, PyList};

use super::conversions;
use super::walk::{Walk, node, shortened};
use crate::plan::kinds::classes::Sort;
use crate::plan::kinds::left;
use crate::plan::kinds::msgspec;
use crate::plan::make::post_steps::{Nature, PostSteps, Step};
use crate::plan::{Choice, Kind, Node, NodeId};

/// Which member of a union takes which values.
#[derive(Clone, Default)]
pub(crate) struct Tokens {
    /// `null`, if a member of its own takes it.
    pub(crate) null: Option<NodeId>,
    /// `true` and `false`.
    pub(crate) boolean: Option<NodeId>,
    /// A number without fraction and exponent.
    pub(crate) integer: Option<NodeId>,
    /// Any other number.
    pub(crate) number: Option<NodeId>,
    /// Text: the first member that accepts it.
    pub(crate) text: Vec<NodeId>,
    /// A UID.
    pub(crate) uid: Option<NodeId>,
    /// A list.
    pub(crate) list: Option<NodeId>,
    /// A map.
    pub(crate) map: Option<NodeId>,
    /// Whether these are plain values with all digits of their numbers, and any value is written.
    pub(crate) is_plain: bool,
}

impl Tokens {
    /// The form in which the reader should give a number.
    fn want(&self, nodes: &[Node]) -> Want {
        let is = |member: Option<NodeId>, kind: fn(&Kind) -> bool| {
            member.is_some_and(|member| kind(&nodes[member as usize].kind))
        };
        if is(self.number, |kind| matches!(kind, Kind::Decimal) || kind.counts()) {
            Want::Digits
        } else if is(self.integer, |kind| matches!(kind, Kind::Float)) {
            Want::Float
        } else {
            Want::Native
        }
    }

    /// All members except the one for null, each as often as it takes something.
    pub(crate) fn members(&self) -> impl Iterator<Item = NodeId> + '_ {
        let typed = [self.boolean, self.uid, self.integer, self.number, self.list, self.map];
        typed.into_iter().flatten().chain(self.text.iter().copied())
    }

    /// The members in the order in which a string is tried, if it may hold a number.
    pub(crate) fn lax_text(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.text.iter().copied().chain(self.typed())
    }

    /// The members that are not text.
    fn typed(&self) -> impl Iterator<Item = NodeId> + '_ {
        let number = self.number.filter(|number| self.integer != Some(*number));
        self.uid.into_iter().chain(self.integer).chain(number).chain(self.boolean)
    }

    /// The members in the order in which untyped text is tried.
    pub(crate) fn untyped(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.typed().chain(self.text.iter().copied())
    }
}

/// Makes the reader give the digits of each number where the type is an integer: `1.0` may be one.
pub(in crate::plan) fn loosen(nodes: &mut [Node]) {
    for id in 0..nodes.len() {
        let digits = match &nodes[id].kind {
            Kind::Int => true,
            Kind::Tokens(tokens) => {
                let integer = tokens.integer.map(|integer| &nodes[integer as usize].kind);
                tokens.number.is_none() && matches!(integer, Some(Kind::Int))
            }
            _ => false,
        };
        if digits {
            nodes[id].want = Want::Digits;
        }
    }
}

/// The members of a union while they are sorted.
#[derive(Default)]
struct Sorting {
    tokens: Tokens,
    /// The member that takes any text.
    any_text: Option<NodeId>,
    /// A `Decimal`, which takes text if nothing else does.
    decimal: Option<NodeId>,
    /// A named tuple, which takes a list if nothing else does.
    row: Option<NodeId>,
    /// Whether `int` is a member, which takes the integers that no `Enum` has.
    has_int: bool,
    /// Whether `bool` is a member.
    has_bool: bool,
    /// The members of an `Enum` whose values are integers, beside an `int`.
    members: Vec<(i64, Py<PyAny>)>,
}

impl Sorting {
    /// Gives `any` the values that no other member takes.
    fn take_rest(&mut self, any: NodeId) {
        let Sorting { tokens, any_text, row, .. } = self;
        tokens.integer = tokens.integer.or(tokens.number);
        tokens.list = tokens.list.or(*row);
        for place in [&mut tokens.boolean, &mut tokens.integer, &mut tokens.number] {
            place.get_or_insert(any);
        }
        tokens.list.get_or_insert(any);
        any_text.get_or_insert(any);
    }
}

impl<'py> Walk<'_, 'py> {
    /// Plain values, but exact: a number with a fraction or an exponent is a `Decimal`. Markup has
    /// only text, which is exact.
    pub(in crate::plan) fn exact(&mut self) -> Node {
        let any = || node(Kind::Any, false, "Any".into());
        if self.compiler.form.is_lexical() || self.of_key {
            return any();
        }
        let mut push = |kind, name: &str| self.compiler.push(kind, false, name.into());
        // The values inside do not take the conversions of the whole.
        let inside = push(Kind::Any, "Any");
        let text = push(Kind::Str, "str");
        let tokens = Tokens {
            null: None,
            boolean: Some(push(Kind::Bool, "bool")),
            uid: None,
            integer: Some(push(Kind::Int, "int")),
            number: Some(push(Kind::Decimal, "Decimal")),
            text: vec![text],
            list: Some(push(Kind::List(inside), "list")),
            map: Some(push(Kind::Dict(text, inside), "dict")),
            is_plain: true,
        };
        let want = tokens.want(&self.compiler.nodes);
        let plain =
            |tokens| Node { want, nullable: true, kind: Kind::Tokens(Box::new(tokens)), ..any() };
        self.compiler.nodes[inside as usize] = plain(tokens.clone());
        plain(tokens)
    }

    /// A union that is not only of classes.
    pub(in crate::plan) fn union_of(
        &mut self,
        members: &[Bound<'py, PyAny>],
        mut nullable: bool,
        id: NodeId,
    ) -> PyResult<Node> {
        let mut nodes: Vec<NodeId> = Vec::with_capacity(members.len());
        let mut any = None;
        let marks = std::mem::take(&mut self.marks);
        let mut heeded = vec![false; marks.len()];
        for member in members {
            let node = self.marked_member(member, &marks, &mut heeded)?;
            let Node { kind, nullable: also, after, .. } = &self.compiler.nodes[node as usize];
            nullable |= also;
            match kind {
                Kind::Any if after.is_none() => any = Some(node),
                _ => nodes.push(node),
            }
        }
        self.marks =
            marks.into_iter().zip(heeded).filter(|(_, it)| !it).map(|(mark, _)| mark).collect();
        let is = |walk: &Self, node: NodeId, kind: fn(&Kind) -> bool| {
            let node = &walk.compiler.nodes[node as usize];
            kind(&node.kind) && node.after.is_none()
        };
        let is_class = |kind: &Kind| matches!(kind, Kind::Class(_) | Kind::Tagged(_));
        let (mut classes, mut dicts) = (nodes.clone(), nodes.clone());
        classes.retain(|node| is(self, *node, is_class));
        dicts.retain(|node| is(self, *node, |kind| matches!(kind, Kind::Dict(..))));
        // Structs that are arrays are told apart by themselves.
        let mut rows = Vec::new();
        for &class in &classes {
            if self.is_row(class)? {
                rows.push(class);
            }
        }
        classes.retain(|class| !rows.contains(class));
        // Pydantic's own rule for such a union is another.
        let falls_back = !classes.is_empty() && self.compiler.model.is_none();
        if any.is_some() && !falls_back {
            if self.compiler.model.is_some() {
                let members = PyList::new(self.compiler.py, members)?;
                if let Some(what) = left::without_effect(self.compiler, &members)? {
                    return Err(self.error(left::reason(&what)));
                }
            }
            return Ok(super::walk::node(Kind::Any, false, "Any".into()));
        }
        let other = match dicts[..] {
            _ if !falls_back => None,
            [one, more, ..] => return Err(self.two_take_all(one, more)),
            [dict] => Some(dict),
            [] => any,
        };
        nodes.retain(|node| Some(*node) != other);
        let takes_more =
            any.filter(|any| other != Some(*any) || !self.compiler.form.has_elements());
        if classes.len() == nodes.len() && takes_more.is_none() {
            let mut union = self.tagged(&classes, other, nullable, id)?;
            union.nullable |= any.is_some();
            return Ok(union);
        }
        if rows.len() == nodes.len() && any.is_none() {
            return self.tagged(&rows, None, nullable, id);
        }
        if classes.len() > 1 || other.is_some() {
            let union = self.compiler.push(Kind::Any, false, String::new());
            self.compiler.nodes[union as usize] = self.tagged(&classes, other, false, union)?;
            nodes.retain(|node| !classes.contains(node));
            nodes.push(union);
        }
        if let [_, _, ..] = rows[..] {
            let union = self.compiler.push(Kind::Any, false, String::new());
            self.compiler.nodes[union as usize] = self.tagged(&rows, None, false, union)?;
            nodes.retain(|node| !rows.contains(node));
            nodes.push(union);
        }
        let mut sorting = Sorting {
            has_int: nodes.iter().any(|node| is(self, *node, |kind| matches!(kind, Kind::Int))),
            has_bool: nodes.iter().any(|node| is(self, *node, |kind| matches!(kind, Kind::Bool))),
            ..Sorting::default()
        };
        for &node in &nodes {
            self.sort(&mut sorting, node)?;
        }
        if let Some(any) = takes_more {
            sorting.take_rest(any);
            nodes.extend(Some(any).filter(|any| other != Some(*any)));
        }
        let names: Vec<_> = nodes.iter().map(|node| self.name(*node)).collect();
        let written = names.join(" | ");
        let known = &self.compiler.nodes;
        let names: Vec<_> = nodes.iter().map(|node| &*known[*node as usize].name).collect();
        let names = shortened(names.join(" | "));
        let Sorting { mut tokens, any_text, decimal, row, members, .. } = sorting;
        if !members.is_empty() {
            tokens.integer = Some(self.int_or(&members)?);
        }
        // An integer is also accepted for a float.
        tokens.integer = tokens.integer.or(tokens.number);
        tokens.list = tokens.list.or(row);
        self.ordered(&mut tokens.text)?;
        tokens.text.extend(any_text.or(decimal));
        let parts = tokens.list.or(tokens.map);
        if let Some(part) = parts
            && self.compiler.form.has_elements()
        {
            let part = self.name(part);
            let reason = format_args!("{written}: in XML nothing tells {part} from the others");
            return Err(self.error(reason));
        }
        let want = tokens.want(&self.compiler.nodes);
        let mut union = node(Kind::Tokens(Box::new(tokens)), nullable, written);
        union.name = if nullable { format!("{names} | None").into() } else { names.into() };
        union.want = want;
        union.nullable |= any.is_some();
        Ok(union)
    }

    /// The refusal of a union in which two members take any object.
    #[cold]
    pub(in crate::plan) fn two_take_all(&self, one: NodeId, more: NodeId) -> PyErr {
        let (one, more) = (self.name(one), self.name(more));
        self.error(format_args!("{one} | {more}: nothing tells them apart in an object"))
    }

    /// Adds a member to its place.
    fn sort(&self, sorting: &mut Sorting, member: NodeId) -> PyResult<()> {
        let tokens = &mut sorting.tokens;
        let Node { kind, after, .. } = &self.compiler.nodes[member as usize];
        let place = match kind {
            Kind::Any | Kind::Raw => {
                let name = self.name(member);
                let reason = format_args!("{name} takes any value, so it cannot be in a union");
                return Err(self.error(reason));
            }
            Kind::None => return Ok(()),
            Kind::Bool => (&mut tokens.boolean, "true or false"),
            Kind::Int => (&mut tokens.integer, "an integer"),
            Kind::Float => (&mut tokens.number, "a number"),
            Kind::Decimal => {
                sorting.decimal = Some(member);
                (&mut tokens.number, "a number")
            }
            Kind::Str if after.as_ref().is_some_and(|after| after.has_form) => {
                tokens.text.push(member);
                return Ok(());
            }
            Kind::Str | Kind::Bytes | Kind::Encoded(_) => (&mut sorting.any_text, "a string"),
            Kind::Uid => {
                return self.set(&mut tokens.uid, member, "a UID");
            }
            kind if kind.counts() => {
                tokens.text.push(member);
                self.set(&mut tokens.integer, member, "an integer")?;
                (&mut tokens.number, "a number")
            }
            Kind::Duration
            | Kind::DateTime
            | Kind::Date
            | Kind::Time
            | Kind::Moment(_)
            | Kind::Separated(_)
            | Kind::Uuid => {
                tokens.text.push(member);
                return Ok(());
            }
            Kind::Choice(choice) => {
                let is_plain = after.is_none() && choice.enum_class.is_none();
                return self.sort_choice(sorting, member, choice, is_plain);
            }
            Kind::List(_)
            | Kind::Set(_)
            | Kind::FrozenSet(_)
            | Kind::TupleOf(_)
            | Kind::Tuple(_) => (&mut tokens.list, "an array"),
            Kind::Class(_) | Kind::Tagged(_) if self.is_row(member)? => {
                (&mut tokens.list, "an array")
            }
            Kind::Dict(..) | Kind::Tagged(_) => (&mut tokens.map, "an object"),
            Kind::Class(class) => {
                if self.compiler.met[*class as usize].sort == Sort::NamedTuple {
                    sorting.row = Some(member);
                }
                (&mut tokens.map, "an object")
            }
            Kind::Tokens(_) if after.is_some() => {
                let name = self.name(member);
                let reason = format_args!(
                    "{name} is made of values of several kinds, so it cannot be in a union"
                );
                return Err(self.error(reason));
            }
            // A union inside the union, through an alias.
            Kind::Tokens(inner) => {
                let members = [inner.null, inner.boolean, inner.integer, inner.number];
                let members = members.into_iter().chain([inner.list, inner.map]).flatten();
                let mut members: Vec<_> = members.chain(inner.text.iter().copied()).collect();
                members.sort_unstable();
                members.dedup();
                return members.into_iter().try_for_each(|member| self.sort(sorting, member));
            }
        };
        let (place, what) = place;
        self.set(place, member, what)
    }

    /// Adds a member that takes some values to the places of these. If it is plain, `int` and `bool`
    /// beside it take them as well: its values are chosen from theirs.
    fn sort_choice(
        &self,
        sorting: &mut Sorting,
        member: NodeId,
        choice: &Choice,
        is_plain: bool,
    ) -> PyResult<()> {
        let (py, tokens) = (self.compiler.py, &mut sorting.tokens);
        if !choice.text_objects.is_empty() {
            tokens.text.push(member);
        }
        let mut of_ints = !choice.ints.is_empty();
        let mut of_bools = choice.bools.iter().any(Option::is_some);
        if is_plain && sorting.has_int {
            of_ints = false;
            let is_other = |it: &&(i64, Py<PyAny>)| !it.1.bind(py).is_exact_instance_of::<PyInt>();
            let chosen = choice.ints.iter().filter(is_other);
            sorting.members.extend(chosen.map(|(value, it)| (*value, it.clone_ref(py))));
        }
        let is_bool = |it: &Py<PyAny>| it.bind(py).is_instance_of::<PyBool>();
        if is_plain && sorting.has_bool && choice.bools.iter().flatten().all(is_bool) {
            of_bools = false;
        }
        let places = [
            (of_ints, &mut tokens.integer, "an integer"),
            (of_bools, &mut tokens.boolean, "true or false"),
            (choice.null.is_some(), &mut tokens.null, "null"),
        ];
        for (takes, place, what) in places {
            if takes {
                self.set(place, member, what)?;
            }
        }
        Ok(())
    }

    /// Whether values of a node are Structs that are arrays.
    fn is_row(&self, node: NodeId) -> PyResult<bool> {
        if self.compiler.form.has_elements() {
            return Ok(false);
        }
        match &self.compiler.nodes[node as usize].kind {
            Kind::Class(class) => msgspec::is_array_like(&self.compiler.met[*class as usize].class),
            Kind::Tagged(_) => {
                let union = self.compiler.unions.iter().find(|union| union.node == node);
                match union.and_then(|union| union.classes.first()) {
                    Some(first) => self.is_row(*first),
                    None => Ok(false),
                }
            }
            _ => Ok(false),
        }
    }

    /// An `int`, or the member of an `Enum` that has it as its value.
    fn int_or(&mut self, members: &[(i64, Py<PyAny>)]) -> PyResult<NodeId> {
        let py = self.compiler.py;
        let by_value = PyDict::new(py);
        for (value, member) in members {
            by_value.set_item(value, member)?;
        }
        let id = self.compiler.push(Kind::Int, false, "int".into());
        let find = conversions::applied(py, "chosen", &by_value)?;
        let back = conversions::applied(py, "unchosen", &by_value)?;
        let node = &mut self.compiler.nodes[id as usize];
        let after = PostSteps::add(node, [Step::Convert(find.unbind())]);
        (after.nature, after.hashable) = (Some(Nature::Number), Some(true));
        after.chosen = Some(by_value.unbind());
        after.backs.push(Some(back.unbind()));
        Ok(id)
    }

    fn set(&self, place: &mut Option<NodeId>, member: NodeId, what: &str) -> PyResult<()> {
        match place.replace(member) {
            Some(other) if other != member => {
                let (one, other) = (self.name(other), self.name(member));
                let reason = format_args!("{one} | {other}: nothing tells them apart in {what}");
                Err(self.error(reason))
            }
            _ => Ok(()),
        }
    }
}
