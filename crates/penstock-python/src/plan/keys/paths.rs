//! Keys and paths to states: how a document's keys lead to the fields of a class.
//!
//! Most classes have no `at(...)`, or only some that rename a key. Then there is one state with a
//! table of keys, made here. Only for a path of several steps do we build the automaton of
//! [`penstock_core::select`] and copy its states.

use std::borrow::Cow;

use penstock_core::keys::KeyTable;
use penstock_core::path_step::PathStep;
use penstock_core::select::{self, Automaton, Path, Refused, Step, Test};
use penstock_core::shape::Form;
use pyo3::prelude::*;

use super::found_by::Star;
use super::markup;
use crate::plan::kinds::classes::{Declared, DeclaredAt, Subject};
use crate::plan::{KeyEdge, Names, NodeId, State, Target, Way};

/// How keys lead to the fields of one class.
pub(in crate::plan) struct Routes {
    pub(in crate::plan) states: Box<[State]>,
    /// The fields that take the key of the record itself.
    pub(in crate::plan) takes_key: Box<[u32]>,
    /// For each field, whether its path may match several values.
    pub(in crate::plan) gathers: Vec<bool>,
    /// For each further type of a choice, its field and its node.
    pub(in crate::plan) choices: Vec<(u32, NodeId)>,
    /// For each field, and behind them for each further type of a choice, where the key stands by
    /// which its value is found.
    pub(in crate::plan) stars: Vec<Star>,
    /// Markup: the paths to fields, each with its field and its aim.
    pub(in crate::plan) paths: Box<[Way]>,
}

/// Where one field's value stands.
enum Place<'a> {
    Key(Cow<'a, str>),
    Path(Path),
}

/// The paths to all fields that are read.
pub(in crate::plan) fn routes(
    subject: &Subject<'_, '_>,
    fields: &[Declared<'_>],
) -> PyResult<Routes> {
    if subject.compiler.form.has_elements() {
        return markup::routes(subject, fields);
    }
    let mut ways = Vec::with_capacity(fields.len());
    let mut choices = Vec::new();
    let mut gathers = vec![false; fields.len()];
    for (id, field) in (0..).zip(fields).filter(|(_, field)| field.has_key()) {
        let Some(at) = &field.at else {
            ways.push((Place::Key(field.key()?.into()), id));
            continue;
        };
        refuse_dead(subject, field, at)?;
        for (text, into) in &at.routes {
            let aim = match into {
                Some(node) => {
                    gathers[id as usize] = true;
                    choices.push((id, *node));
                    (fields.len() + choices.len() - 1) as u32
                }
                None => id,
            };
            ways.push((way(subject, field, text)?, aim));
        }
    }
    let mut stars = vec![None; fields.len() + choices.len()];
    for (way, aim) in &ways {
        let path = if let Place::Path(path) = way { path.last_star() } else { None };
        Star::add(&mut stars[*aim as usize], path);
    }
    let stars = Star::all(stars);
    let owner = |aim: u32| match choices.get((aim as usize).wrapping_sub(fields.len())) {
        Some((field, _)) => *field,
        None => aim,
    };
    if ways.iter().all(|(way, _)| matches!(way, Place::Key(_))) {
        let state =
            one_state(&ways).map_err(|(a, b)| conflict(subject, fields, owner(a), owner(b)))?;
        let (states, takes_key) = ([state].into(), [].into());
        return Ok(Routes { states, takes_key, gathers, choices, stars, paths: [].into() });
    }
    let mut paths = Vec::with_capacity(ways.len());
    for (way, aim) in ways {
        let id = owner(aim);
        let path = match way {
            Place::Path(path) => path,
            Place::Key(key) => path_of_key(&key).ok_or_else(|| {
                let place = fields[id as usize].name.to_string();
                let reason = format_args!("the key '{key}' cannot stand beside paths yet");
                subject.place(&place).error(subject.compiler.py, reason)
            })?,
        };
        gathers[id as usize] |= path.matches_many();
        paths.push((path, aim));
    }
    let automaton =
        Automaton::nested(&paths, &|_| false, &owner).map_err(|refused| match refused {
            Refused::Conflict { a, b } => conflict(subject, fields, owner(a), owner(b)),
            refused => subject.error(format_args!(": {refused}")),
        })?;
    let mut states = Vec::with_capacity(automaton.states.len());
    for state in automaton.states {
        states.push(converted(subject, fields, owner, state)?);
    }
    let takes_key = std::mem::take(&mut states[0].takes_key);
    Ok(Routes { states: states.into(), takes_key, gathers, choices, stars, paths: [].into() })
}

/// Refuses several paths for one value of which one goes on where another ends: the value at the
/// shorter one would be taken as a whole, and nothing would come from the longer one.
pub(in crate::plan) fn refuse_dead(
    subject: &Subject<'_, '_>,
    field: &Declared<'_>,
    at: &DeclaredAt,
) -> PyResult<()> {
    let paths = at.routes.iter().filter(|(_, into)| into.is_none());
    // One that is no path is refused where its field is planned.
    let paths: Vec<Path> = paths.filter_map(|(text, _)| Path::parse(text).ok()).collect();
    for shorter in &paths {
        let Some(longer) = paths.iter().find(|path| shorter.begins(path)) else { continue };
        let name = field.name.to_string();
        let reason = format_args!(
            "at(...): the path '{longer}' goes on where '{shorter}' ends, and a field takes one of \
             them; give each a field of its own, or '{shorter}' a type that has both"
        );
        return Err(subject.place(&name).error(subject.compiler.py, reason));
    }
    Ok(())
}

/// The place that a path of an `at(...)` leads to.
fn way<'a>(subject: &Subject<'_, '_>, field: &Declared<'_>, text: &str) -> PyResult<Place<'a>> {
    let py = subject.compiler.py;
    let error = |reason: &dyn std::fmt::Display| match field.name.to_str() {
        Ok(name) => subject.place(name).error(py, format_args!("at('{text}'): {reason}")),
        Err(error) => error,
    };
    let path = Path::parse(text).map_err(|reason| error(&reason))?;
    if let [steps @ .., last] = path.steps() {
        if matches!(last.test(), Test::Text) {
            let column = last.column();
            return Err(error(&format_args!("text() is a step of XML paths (column {column})")));
        }
        if steps.is_empty() && !path.anywhere() && is_plain_key(last) {
            return Ok(Place::Key(last.key().to_owned().into()));
        }
        if !steps.is_empty() && subject.compiler.form == Form::ROWS {
            let reason = "a row has columns, and nothing inside them; a slash in the name of a \
                          column is written '~1'";
            return Err(error(&reason));
        }
    }
    Ok(Place::Path(path))
}

/// True if the step matches one key of a map and nothing else.
pub(in crate::plan) fn is_plain_key(step: &Step) -> bool {
    let named = matches!(step.test(), Test::Name { .. } | Test::Attribute { .. });
    named && !step.is_wild() && step.index().is_none()
}

/// The path that matches exactly this key, which need not look like a step.
pub(in crate::plan) fn path_of_key(key: &str) -> Option<Path> {
    let path = Path::parse(&PathStep::Key(key.to_owned()).to_string()).ok()?;
    let exact = matches!(path.steps(), [step] if is_plain_key(step) && step.key() == key);
    exact.then_some(path)
}

/// The state of an object without paths, or the aims of two that have the same key.
fn one_state(ways: &[(Place<'_>, u32)]) -> Result<State, (u32, u32)> {
    let keys: Vec<&str> = ways
        .iter()
        .map(|(way, _)| match way {
            Place::Key(key) => key.as_ref(),
            Place::Path(_) => "",
        })
        .collect();
    let bytes: Vec<&[u8]> = keys.iter().map(|key| key.as_bytes()).collect();
    let table = KeyTable::new(&bytes);
    for (index, key) in (0..).zip(&bytes) {
        match table.find(key) {
            Some(first) if first != index => {
                return Err((ways[first as usize].1, ways[index as usize].1));
            }
            _ => {}
        }
    }
    let edge = |(key, (_, id)): (&&str, &(Place<'_>, u32))| KeyEdge {
        name: (**key).into(),
        to: Target::Field(*id),
    };
    let keys = keys.iter().zip(ways).map(edge).collect();
    Ok(State {
        number: 0,
        keys,
        table,
        indexes: [].into(),
        other: None,
        takes_key: [].into(),
        elements: Names::default(),
        attributes: Names::default(),
        text: None,
        whole: None,
    })
}

fn converted(
    subject: &Subject<'_, '_>,
    fields: &[Declared<'_>],
    owner: impl Fn(u32) -> u32,
    state: select::State,
) -> PyResult<State> {
    let target = |to: select::Target| match (to.accept, to.state) {
        (Some(field), None) => Ok(Target::Field(field)),
        (None, Some(state)) => Ok(Target::State(state)),
        // The other case is a field whose value leads to a state that needs the key of that value.
        (field, _) => {
            let name = fields[owner(field.unwrap_or(0)) as usize].name.to_string();
            let reason = "another field takes the key() of its value; that is not supported yet";
            Err(subject.place(&name).error(subject.compiler.py, reason))
        }
    };
    let bytes: Vec<&[u8]> = state.keys.iter().map(|edge| edge.key.as_bytes()).collect();
    let table = KeyTable::new(&bytes);
    let edges =
        state.keys.iter().map(|edge| Ok(KeyEdge { name: edge.key.clone(), to: target(edge.to)? }));
    let indexes = state.indexes.iter().map(|(index, to)| Ok((*index, target(*to)?)));
    Ok(State {
        number: 0,
        keys: edges.collect::<PyResult<_>>()?,
        table,
        indexes: indexes.collect::<PyResult<_>>()?,
        other: state.other.map(target).transpose()?,
        takes_key: state.takes_key.into(),
        elements: Names::default(),
        attributes: Names::default(),
        text: None,
        whole: None,
    })
}

#[cold]
fn conflict(subject: &Subject<'_, '_>, fields: &[Declared<'_>], a: u32, b: u32) -> PyErr {
    let shown = |id: u32| {
        let field = &fields[id as usize];
        let name = field.name.to_string();
        let key = || field.key.clone().unwrap_or_else(|| name.clone());
        let path = field.at.as_ref().map_or_else(key, |at| at.shown.clone());
        (name, path)
    };
    let ((a, path_a), (b, path_b)) = (shown(a.min(b)), shown(a.max(b)));
    let class = subject.name;
    let message = format_args!(
        "fields '{a}' and '{b}' of {class} claim the same value: '{path_a}' and '{path_b}'"
    );
    crate::plan::plan_error(subject.compiler.py, message)
}
