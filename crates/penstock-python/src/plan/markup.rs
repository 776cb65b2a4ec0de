//! Names and paths to states, for formats of elements and attributes.
//!
//! A field takes the elements and attributes that its paths lead to. Without a path, that is the
//! child element of its own name, and, where it holds one value and no other field asks for it, the
//! attribute of that name.

use penstock_core::event::Key;
use penstock_core::keys::KeyTable;
use penstock_core::select::{self, Automaton, Path, Refused, Test};
use pyo3::prelude::*;

use super::classes::{Declared, Subject};
use super::paths::{Routes, conflict, path_of_key};
use super::{Kind, Node, NodeId, State, Target, element};

/// The names of elements or attributes that lead on from a state.
#[derive(Default)]
pub(crate) struct Names {
    /// Those with a name one behind the other, then those for any name.
    pub(crate) edges: Box<[NameEdge]>,
    /// Finds the index into `runs` for a name without its prefix.
    table: Option<KeyTable>,
    /// Which edges have that name.
    runs: Box<[(u32, u32)]>,
    /// Where the edges for any name begin.
    any: u32,
}

impl Names {
    fn new(edges: Vec<(select::NameEdge, Target)>) -> Self {
        let mut runs: Vec<(u32, u32)> = Vec::new();
        let mut locals: Vec<Box<str>> = Vec::new();
        let mut any = edges.len() as u32;
        for (index, (edge, _)) in (0..).zip(&edges) {
            match (&edge.local, locals.last(), runs.last_mut()) {
                (None, ..) => {
                    any = index;
                    break;
                }
                (Some(local), Some(last), Some(run)) if local == last => run.1 = index + 1,
                (Some(local), ..) => {
                    locals.push(local.clone());
                    runs.push((index, index + 1));
                }
            }
        }
        let keys: Vec<&[u8]> = locals.iter().map(|local| local.as_bytes()).collect();
        let table = (!keys.is_empty()).then(|| KeyTable::new(&keys));
        let edges = edges.into_iter().map(|(edge, to)| NameEdge {
            name: edge.local.unwrap_or_else(|| "*".into()),
            namespace: edge.namespace,
            prefixed: edge.prefixed,
            to,
        });
        Names { edges: edges.collect(), table, runs: runs.into(), any }
    }

    /// The index of the edge for a name: the first one whose conditions hold.
    #[inline]
    pub(crate) fn find(&self, key: &Key<'_>) -> Option<u32> {
        let admits = |index: &u32| self.edges[*index as usize].admits(key);
        let run = self.table.as_ref().and_then(|table| table.find(key.name.bytes()));
        if let Some(run) = run {
            let (first, end) = self.runs[run as usize];
            if let Some(found) = (first..end).find(admits) {
                return Some(found);
            }
        }
        (self.any..self.edges.len() as u32).find(admits)
    }
}

/// One known name.
pub(crate) struct NameEdge {
    /// The name for messages, an attribute's without `@`; `*` for any.
    pub(crate) name: Box<str>,
    /// The namespace, if it has to be a certain one; empty for none.
    namespace: Option<Box<str>>,
    /// Whether it has to be written with a prefix, or without one.
    prefixed: Option<bool>,
    /// Where it leads.
    pub(crate) to: Target,
}

impl NameEdge {
    /// Whether what is asked beside the name holds.
    #[inline]
    fn admits(&self, key: &Key<'_>) -> bool {
        self.prefixed.is_none_or(|prefixed| prefixed == key.prefix.is_some())
            && self.namespace.as_ref().is_none_or(|exact| {
                exact.as_bytes() == key.namespace.map_or(&b""[..], |uri| uri.bytes())
            })
    }
}

/// Whether a field of this type takes several elements: if it is a collection.
fn is_collection(nodes: &[Node], node: NodeId) -> bool {
    element(nodes, node).is_some()
}

/// Whether an attribute can be a value of the type.
fn is_scalar(nodes: &[Node], node: NodeId) -> bool {
    let kind = &nodes[node as usize].kind;
    !is_collection(nodes, node)
        && !matches!(kind, Kind::Class(_) | Kind::Dict(..) | Kind::Tuple(_) | Kind::Tagged(_))
}

/// A path, and the index of the aim that it leads to.
type Route = (Path, u32);

/// The ways to all fields that are read.
pub(super) fn routes(subject: &Subject<'_, '_>, fields: &[Declared<'_>]) -> PyResult<Routes> {
    let nodes = &subject.compiler.nodes;
    let mut paths: Vec<Route> = Vec::new();
    let mut choices = Vec::new();
    let mut gathers = vec![false; fields.len()];
    for (id, field) in (0..).zip(fields).filter(|(_, field)| field.is_read) {
        let keyed = field.at.as_ref().is_some_and(|at| at.key.is_some());
        gathers[id as usize] = keyed || is_collection(nodes, field.node);
        let Some(at) = &field.at else {
            paths.push((own_path(subject, field, "")?, id));
            continue;
        };
        for (text, into) in &at.routes {
            let aim = match into {
                Some(node) => {
                    choices.push((id, *node));
                    (fields.len() + choices.len() - 1) as u32
                }
                None => id,
            };
            paths.push((parsed(subject, field, text)?, aim));
        }
    }
    // Attributes come last: they are for fields that nobody else claims them from.
    let written: Vec<String> = fields
        .iter()
        .filter_map(|field| field.at.as_ref())
        .flat_map(|at| at.routes.iter().map(|(path, _)| path.clone()))
        .collect();
    for (id, field) in (0..).zip(fields) {
        if !field.is_read || field.at.is_some() || !is_scalar(nodes, field.node) {
            continue;
        }
        let path = own_path(subject, field, "@")?;
        let claims = |text: &String| {
            let local = text.rsplit([':', '}']).next().unwrap_or_default();
            text == &path.to_string() || text.starts_with('@') && local == field.name.to_string()
        };
        if !written.iter().any(claims) {
            paths.push((path, id));
        }
    }
    let automaton = Automaton::fields(&paths).map_err(|refused| match refused {
        Refused::Conflict { a, b } => {
            let field = |aim: u32| match (aim as usize).checked_sub(fields.len()) {
                Some(choice) => choices[choice].0,
                None => aim,
            };
            conflict(subject, fields, field(a), field(b))
        }
        refused => subject.error(format_args!(": {refused}")),
    })?;
    let mut states = Vec::with_capacity(automaton.states.len());
    for state in automaton.states {
        states.push(converted(subject, fields, state)?);
    }
    let takes_key = std::mem::take(&mut states[0].takes_key);
    Ok(Routes { states: states.into(), takes_key, gathers, choices })
}

/// The path of the element, or with `@` the attribute, that has the field's own name.
fn own_path(subject: &Subject<'_, '_>, field: &Declared<'_>, mark: &str) -> PyResult<Path> {
    let name = field.name.to_str()?;
    let error = || {
        let reason = format_args!("the name '{name}' cannot be an element's: say at(...)");
        subject.place(name).error(subject.compiler.py, reason)
    };
    if mark.is_empty() {
        return path_of_key(name).ok_or_else(error);
    }
    Path::parse(&format!("{mark}{name}")).map_err(|_| error())
}

/// A path of an `at(...)`, with its prefixes bound.
fn parsed(subject: &Subject<'_, '_>, field: &Declared<'_>, text: &str) -> PyResult<Path> {
    let compiler = &subject.compiler;
    let error = |reason: &dyn std::fmt::Display| match field.name.to_str() {
        Ok(name) => subject.place(name).error(compiler.py, format_args!("at('{text}'): {reason}")),
        Err(error) => error,
    };
    let mut path = Path::parse(text).map_err(|reason| error(&reason))?;
    let find = |prefix: &str| {
        let known = compiler.prefixes.iter().find(|(known, _)| known == prefix);
        known.map(|(_, uri)| uri.as_str())
    };
    path.bind(find)
        .map_err(|reason| error(&format_args!("{reason}: pass namespaces={{prefix: uri}}")))?;
    if let Some(step) = path
        .steps()
        .iter()
        .find(|step| matches!(step.test(), Test::Name { .. }) && step.index().is_some())
    {
        let reason =
            format_args!("an element has no name that is a number (column {})", step.column());
        return Err(error(&reason));
    }
    Ok(path)
}

fn converted(
    subject: &Subject<'_, '_>,
    fields: &[Declared<'_>],
    state: select::State,
) -> PyResult<State> {
    let target = |to: select::Target| match (to.accept, to.state) {
        (Some(aim), None) => Ok(Target::Field(aim)),
        (None, Some(state)) => Ok(Target::State(state)),
        // Beside a field there is only a state that wants the name by which the field was found.
        _ => Err(subject.error(
            ": a field takes the key() of another's value; that is not \
                                supported yet",
        )),
    };
    let edges = |edges: Vec<select::NameEdge>| {
        let edges = edges.into_iter().map(|edge| {
            let to = target(edge.to)?;
            Ok((edge, to))
        });
        edges.collect::<PyResult<Vec<_>>>().map(Names::new)
    };
    let text = match state.takes_text[..] {
        [] => None,
        [aim] => Some(aim),
        [a, b, ..] => {
            let field = |aim: u32| aim.min(fields.len() as u32 - 1);
            return Err(conflict(subject, fields, field(a), field(b)));
        }
    };
    Ok(State {
        keys: [].into(),
        table: KeyTable::new(&[]),
        indexes: [].into(),
        elements: edges(state.elements)?,
        attributes: edges(state.attributes)?,
        other: state.other.map(target).transpose()?,
        takes_key: state.takes_key.into(),
        text,
    })
}
