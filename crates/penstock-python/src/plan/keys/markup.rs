//! Names and paths to states, for formats of elements and attributes.
//!
//! A field takes the elements and attributes that its paths lead to. Without a path, it takes the
//! child element of its own name. If it holds one value and no other field asks for it, it also
//! takes the attribute of that name.

use std::collections::HashSet;

use penstock_core::keys::KeyTable;
use penstock_core::select::{self, Automaton, NamespaceTest, Path, Refused, Test};
use penstock_core::xml::check_path;
use pyo3::prelude::*;

use super::found_by::Star;
use super::paths::{Routes, path_of_key, refuse_dead};
use crate::plan::kinds::classes::{Declared, Subject};
use crate::plan::{Kind, Node, NodeId, State, Target, Way, element};

/// The names of elements or attributes that lead on from a state.
pub(crate) type Names = select::Names<Target>;
/// One known name.
pub(crate) type NameEdge = select::Named<Target>;

/// Whether a field of this type takes several elements: if it is a collection.
fn is_collection(nodes: &[Node], node: NodeId) -> bool {
    element(nodes, node).is_some()
}

/// Whether an attribute can be a value of the type.
fn is_scalar(nodes: &[Node], node: NodeId) -> bool {
    let kind = &nodes[node as usize].kind;
    !is_collection(nodes, node)
        && !matches!(kind, Kind::Class(_) | Kind::Tagged(_) | Kind::Dict(..) | Kind::Tuple(_))
}

/// Whether an element becomes a value of the type, or an item of it, by its text.
fn is_leaf(nodes: &[Node], node: NodeId) -> bool {
    let node = element(nodes, node).unwrap_or(node);
    let kind = &nodes[node as usize].kind;
    is_scalar(nodes, node) && !matches!(kind, Kind::Any)
}

/// The field of all text below an element and one of a part of it that it cannot be beside: an
/// element that is no text itself, and any element if the text must be a number or a date.
fn unfit(
    nodes: &[Node],
    fields: &[Declared<'_>],
    automaton: &Automaton,
    state: &select::State,
) -> Option<(u32, u32)> {
    let whole = state.whole?;
    let node = fields[whole as usize].node;
    let is_text = nodes[element(nodes, node).unwrap_or(node) as usize].is_text();
    let mut open = vec![(state, is_text)];
    let mut known: HashSet<u32> = HashSet::new();
    while let Some((state, may_hold)) = open.pop() {
        if let Some(text) = state.takes_text.first() {
            return Some((whole, *text));
        }
        let elements = state.elements.iter().map(|edge| edge.to).chain(state.other);
        for to in elements {
            if let Some(part) = to.accept {
                let fits = fields.get(part as usize).is_some_and(|it| is_leaf(nodes, it.node));
                if !may_hold || !fits {
                    return Some((whole, part));
                }
            }
            if let Some(next) = to.state
                && known.insert(next)
            {
                let next = &automaton.states[next as usize];
                if !may_hold && let Some(part) = next.whole {
                    return Some((whole, part));
                }
                open.push((next, may_hold));
            }
        }
    }
    None
}

/// A path, the field that it is for, and the index of the aim that it leads to.
struct Route {
    path: Path,
    field: u32,
    aim: u32,
}

/// The path of all text below an element.
const ALL_TEXT: &str = "//text()";

/// Whether a path is `//text()`: all text below the element, in the order of the document.
fn is_all_text(path: &Path) -> bool {
    path.anywhere() && matches!(path.steps(), [step] if *step.test() == Test::Text)
}

/// The field that takes all text below the element of its class.
fn all_text(
    subject: &Subject<'_, '_>,
    fields: &[Declared<'_>],
    routes: &[Route],
) -> PyResult<Option<u32>> {
    let mut found = routes.iter().filter(|route| is_all_text(&route.path));
    let Some(route) = found.next() else { return Ok(None) };
    if let Some(other) = found.find(|other| other.field != route.field) {
        return Err(clash(subject, fields, routes, route.aim, other.aim));
    }
    let field = &fields[route.field as usize];
    let name = field.name.to_string();
    let is_one = route.aim == route.field && is_leaf(&subject.compiler.nodes, field.node);
    let others = routes.iter().filter(|other| other.field == route.field).count();
    if !is_one || is_collection(&subject.compiler.nodes, field.node) || others > 1 {
        let reason = "at('//text()') is all text below the element, one text: its type is str, or \
                      another of one value, and it has no path beside it";
        return Err(subject.place(&name).error(subject.compiler.py, reason));
    }
    // The start of such a path is inside the element as well, where the text is not to begin anew.
    if let Some(other) = routes.iter().find(|it| it.path.anywhere() && !is_all_text(&it.path)) {
        return Err(clash(subject, fields, routes, route.aim, other.aim));
    }
    Ok(Some(route.aim))
}

/// The paths to all fields that are read.
pub(in crate::plan) fn routes(
    subject: &Subject<'_, '_>,
    fields: &[Declared<'_>],
) -> PyResult<Routes> {
    let nodes = &subject.compiler.nodes;
    let mut routes: Vec<Route> = Vec::new();
    let mut choices = Vec::new();
    let mut gathers = vec![false; fields.len()];
    for (id, field) in (0..).zip(fields).filter(|(_, field)| field.has_key()) {
        let keyed = field.at.as_ref().is_some_and(|at| at.key.is_some());
        gathers[id as usize] = keyed || is_collection(nodes, field.node);
        let Some(at) = &field.at else { continue };
        refuse_dead(subject, field, at)?;
        for (text, into) in &at.routes {
            let aim = match into {
                Some(node) => {
                    choices.push((id, *node));
                    (fields.len() + choices.len() - 1) as u32
                }
                None => id,
            };
            routes.push(Route { path: parsed(subject, field, text)?, field: id, aim });
        }
    }
    // A field also has the attribute of its name, unless another field asks for that.
    let asked: HashSet<String> = routes.iter().filter_map(|it| asked_attribute(&it.path)).collect();
    for (id, field) in (0..).zip(fields).filter(|(_, field)| field.has_key() && field.at.is_none())
    {
        routes.push(Route { path: own_path(subject, field)?, field: id, aim: id });
        let name = field.key()?;
        if is_scalar(nodes, field.node)
            && let Some(path) =
                path_of_key(name).and_then(|_| Path::parse(&format!("@{name}")).ok())
            && !asked.contains(name)
        {
            routes.push(Route { path, field: id, aim: id });
        }
    }
    let mut stars = vec![None; fields.len() + choices.len()];
    for route in &routes {
        Star::add(&mut stars[route.aim as usize], route.path.last_star());
    }
    let stars = Star::all(stars);
    let all_text = all_text(subject, fields, &routes)?;
    let parts = routes.iter().filter(|route| !is_all_text(&route.path));
    let paths: Vec<_> = parts.map(|route| (route.path.clone(), route.aim)).collect();
    // All text below an element may be a field beside parts of the element.
    let holds = |aim: u32| fields.get(aim as usize).is_some_and(|it| is_leaf(nodes, it.node));
    let owner = |aim: u32| match choices.get((aim as usize).wrapping_sub(fields.len())) {
        Some((field, _)) => *field,
        None => aim,
    };
    let automaton = Automaton::nested(&paths, &holds, &owner);
    let mut automaton = automaton.map_err(|refused| match refused {
        Refused::Conflict { a, b } => clash(subject, fields, &routes, a, b),
        refused => subject.error(format_args!(": {refused}")),
    })?;
    automaton.states[0].whole = all_text;
    for state in &automaton.states {
        if let Some((whole, part)) = unfit(nodes, fields, &automaton, state) {
            return Err(clash(subject, fields, &routes, whole, part));
        }
    }
    let mut states = Vec::with_capacity(automaton.states.len());
    for state in automaton.states {
        states.push(converted(subject, fields, &routes, state)?);
    }
    let takes_key = std::mem::take(&mut states[0].takes_key);
    let ways = routes.into_iter().map(|Route { path, field, aim }| Way { path, field, aim });
    let paths = ways.collect();
    Ok(Routes { states: states.into(), takes_key, gathers, choices, stars, paths })
}

/// The name of the attribute without a prefix, of the record itself, to which the path leads.
fn asked_attribute(path: &Path) -> Option<String> {
    let [step] = path.steps() else { return None };
    let Test::Attribute { namespace, local } = step.test() else { return None };
    let unprefixed = match namespace {
        NamespaceTest::Unprefixed | NamespaceTest::Any => true,
        NamespaceTest::Uri(uri) => uri.is_empty(),
        NamespaceTest::Prefix(_) => false,
    };
    unprefixed.then(|| local.to_string())
}

/// The path of the element that has the field's own name. If the name begins with `@`, as a key of
/// a `TypedDict` may, it is an attribute's.
fn own_path(subject: &Subject<'_, '_>, field: &Declared<'_>) -> PyResult<Path> {
    let name = field.key()?;
    if name.starts_with('@') {
        return parsed(subject, field, name);
    }
    let Some(mut path) = path_of_key(name) else {
        let reason = format_args!("the name '{name}' cannot be an element's: say at(...)");
        return Err(subject.place(name).error(subject.compiler.py, reason));
    };
    bind(subject.compiler.prefixes.as_deref(), &mut path).map_err(|reason| {
        subject.place(name).error(subject.compiler.py, format_args!("'{name}': {reason}"))
    })?;
    Ok(path)
}

/// A path of an `at(...)`, with its prefixes bound.
fn parsed(subject: &Subject<'_, '_>, field: &Declared<'_>, text: &str) -> PyResult<Path> {
    let compiler = &subject.compiler;
    let error = |reason: &dyn std::fmt::Display| match field.name.to_str() {
        Ok(name) => subject.place(name).error(compiler.py, format_args!("at('{text}'): {reason}")),
        Err(error) => error,
    };
    // XPath's function for all text in an element.
    let text = if text == "string()" { ALL_TEXT } else { text };
    let mut path = Path::parse(text).map_err(|reason| error(&reason))?;
    bind(subject.compiler.prefixes.as_deref(), &mut path).map_err(|reason| error(&reason))?;
    check_path(&path).map_err(|reason| error(&reason))?;
    Ok(path)
}

/// Binds the prefixes of a path to their namespaces, or makes them part of the names.
pub(in crate::plan) fn bind(
    prefixes: Option<&[(String, String)]>,
    path: &mut Path,
) -> Result<(), String> {
    let Some(prefixes) = prefixes else {
        path.as_written();
        return Ok(());
    };
    let uri = |prefix: &str| {
        let known = prefixes.iter().find(|(known, _)| known == prefix);
        known.map(|(_, uri)| uri.as_str())
    };
    path.bind(uri).map_err(|reason| format!("{reason}: pass namespaces={{prefix: uri}}"))
}

/// The error for two paths that claim the same value.
#[cold]
fn clash(
    subject: &Subject<'_, '_>,
    fields: &[Declared<'_>],
    routes: &[Route],
    a: u32,
    b: u32,
) -> PyErr {
    // A field without `at` has two paths, and the first is its element's.
    let mut found = routes.iter().filter(|route| route.aim == a || route.aim == b);
    let first = found.next();
    let second = found.find(|route| Some(route.aim) != first.map(|first| first.aim));
    let (Some(first), Some(second)) = (first, second) else {
        return subject.error(": two of its fields claim the same value");
    };
    let (first, second) =
        if first.field <= second.field { (first, second) } else { (second, first) };
    let (path_a, path_b) = (first.path.to_string(), second.path.to_string());
    let name = |route: &Route| fields[route.field as usize].name.to_string();
    if first.field == second.field {
        let reason = format_args!("'{path_a}' and '{path_b}' lead to the same value");
        return subject.place(&name(first)).error(subject.compiler.py, reason);
    }
    let mut message = format!(
        "fields '{}' and '{}' of {} claim the same value: '{path_a}' and '{path_b}'",
        name(first),
        name(second),
        subject.name
    );
    for (outer, inner, field) in [(&path_a, &path_b, first), (&path_b, &path_a, second)] {
        let below = inner.strip_prefix(&**outer).is_some_and(|rest| rest.starts_with('/'));
        if below && is_scalar(&subject.compiler.nodes, fields[field.field as usize].node) {
            message.push_str(&format!("; '{outer}/text()' is the element's own text only"));
        }
    }
    crate::plan::plan_error(subject.compiler.py, message)
}

fn converted(
    subject: &Subject<'_, '_>,
    fields: &[Declared<'_>],
    routes: &[Route],
    state: select::State,
) -> PyResult<State> {
    let target = |to: select::Target| match (to.accept, to.state) {
        (Some(aim), None) => Ok(Target::Field(aim)),
        (None, Some(state)) => Ok(Target::State(state)),
        // The other case is a field whose value leads to a state that needs the name of that value.
        _ => {
            let reason = ": a field takes the key() of another's value; that is not supported yet";
            Err(subject.error(reason))
        }
    };
    let edges = |edges: Vec<select::NameEdge>| {
        let edges = edges.into_iter().map(|edge| {
            let to = target(edge.to)?;
            Ok((edge, to))
        });
        edges.collect::<PyResult<Vec<_>>>().map(Names::new)
    };
    let text = state.takes_text.first().copied();
    let other = state.takes_text.iter().find(|aim| Some(**aim) != text);
    if let (Some(text), Some(other)) = (text, other) {
        return Err(clash(subject, fields, routes, text, *other));
    }
    Ok(State {
        number: 0,
        keys: [].into(),
        table: KeyTable::new(&[]),
        indexes: [].into(),
        elements: edges(state.elements)?,
        attributes: edges(state.attributes)?,
        other: state.other.map(target).transpose()?,
        takes_key: state.takes_key.into(),
        text,
        whole: state.whole,
    })
}
