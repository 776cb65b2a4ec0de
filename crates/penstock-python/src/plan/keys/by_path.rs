//! Annotations that are read together with their `at(...)`: fields whose paths have a type each,
//! and dicts whose keys come from their values.
//!
//! Fields with the same annotation do not share these nodes, because the `at(...)` changes the
//! meaning.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple, PyType};

use crate::edge::errors::answer;

use crate::plan::types::builtin::{Container, builtin, display, is_type_of_none};
use crate::plan::types::compiler::DEEPEST;
use crate::plan::types::containers::Collection;
use crate::plan::types::known;
use crate::plan::types::walk::Walk;
use crate::plan::types::wrappers::{arguments, forward, is_generic_alias, is_instance};
use crate::plan::{Kind, NodeId};

impl<'py> Walk<'_, 'py> {
    /// The node of a field whose paths have these types, and the nodes of the types.
    pub(in crate::plan) fn choice(
        &mut self,
        annotation: &Bound<'py, PyAny>,
        types: &[Bound<'py, PyAny>],
    ) -> PyResult<(NodeId, Vec<NodeId>)> {
        let (mut members, mut nullable) = self.members(annotation)?;
        let mut collection = None;
        if let [only] = &members[..]
            && let Some((container, item)) = self.collection(only)?
        {
            collection = Some((container, nullable));
            (members, nullable) = match item {
                Some(item) => self.members(&item)?,
                None => (vec![self.compiler.py.get_type::<PyAny>().into_any()], false),
            };
        }
        let mut names = members.iter().map(display).collect::<PyResult<Vec<_>>>()?;
        if nullable {
            names.push("None".into());
        }
        let names = names.join(" | ");
        let anything = members.iter().any(is_any);
        let mut nodes = Vec::with_capacity(types.len());
        for of_path in types {
            let (parts, none) = self.members(of_path)?;
            let mut missing = None;
            for part in &parts {
                if !holds(&members, part)? {
                    missing = Some(part);
                    break;
                }
            }
            if let Some(missing) = missing
                && !anything
            {
                let missing = display(missing)?;
                let reason =
                    format_args!("at(...) leads to {missing}, which is not one of {names}");
                return Err(self.error(reason));
            }
            let node = self.node(of_path, nullable || none)?;
            if let Some(((container, _), _)) = &collection
                && container.hashes()
                && !self.compiler.is_hashable(node)
            {
                return Err(self.compiler.no_hash(node, container.base, self.place));
            }
            nodes.push(node);
        }
        let each = self.compiler.push(Kind::Any, false, names);
        let Some((container, nullable)) = collection else { return Ok((each, nodes)) };
        let (container, class) = container;
        let dots = if container.base == Container::Tuple { ", ..." } else { "" };
        let name = format!("{}[{}{dots}]", container.name, self.name(each));
        let kind = container.base.of_one_kind(None, each);
        let node = self.finished(container, &class, kind, each, name, nullable)?;
        self.compiler.nodes.push(node);
        Ok((self.compiler.nodes.len() as NodeId - 1, nodes))
    }

    /// The node of a dict that is keyed by the field `by` of its values.
    pub(in crate::plan) fn keyed(
        &mut self,
        annotation: &Bound<'py, PyAny>,
        by: &str,
    ) -> PyResult<NodeId> {
        let (members, nullable) = self.members(annotation)?;
        let refuse = || {
            display(annotation).map_or_else(
                |instead| instead,
                |written| {
                    self.error(format_args!("at(key='{by}') is for a dict[K, V], not {written}"))
                },
            )
        };
        let [only] = &members[..] else { return Err(refuse()) };
        let Some((found, class)) = container(only)? else { return Err(refuse()) };
        let pair = arguments_of(only)?.filter(|_| found.base == Container::Dict);
        let Some(Ok((key, value))) = pair.map(|pair| pair.extract::<Pair<'py>>()) else {
            return Err(refuse());
        };
        let (key, value) = (self.node(&key, false)?, self.node(&value, false)?);
        if !self.compiler.is_hashable(key) {
            let key = self.name(key);
            return Err(self.error(format_args!("{key} has no hash, so it cannot be a key")));
        }
        let name = format!("{}[{}, {}]", found.name, self.name(key), self.name(value));
        let node = self.finished(found, &class, Kind::Dict(key, value), value, name, nullable)?;
        self.compiler.nodes.push(node);
        Ok(self.compiler.nodes.len() as NodeId - 1)
    }

    /// The members of a union, of nested unions too, or the type itself; and whether `None` is
    /// among them.
    fn members(&self, annotation: &Bound<'py, PyAny>) -> PyResult<(Vec<Bound<'py, PyAny>>, bool)> {
        let (mut members, mut nullable) = (Vec::new(), false);
        let mut open = vec![annotation.clone()];
        let mut steps = 0;
        while let Some(annotation) = open.pop() {
            steps += 1;
            if steps > DEEPEST {
                return Err(
                    self.error("the annotation is nested too deep, or refers only to itself")
                );
            }
            if annotation.is_none() || is_type_of_none(&annotation) {
                nullable = true;
            } else if let Ok(text) = annotation.cast::<PyString>() {
                let meant = self.scope.evaluate(text);
                open.push(meant.map_err(|why| self.place.unresolved(text, why))?);
            } else if is_instance(&annotation, &known::FORWARD_REF) {
                open.push(forward(&annotation, self.scope, self.place)?);
            } else if is_union(&annotation)? {
                open.extend(arguments(&annotation)?.iter().rev());
            } else {
                members.push(annotation);
            }
        }
        Ok((members, nullable))
    }

    /// The collection of any number of items that the type is, and the type of its items.
    fn collection(
        &self,
        annotation: &Bound<'py, PyAny>,
    ) -> PyResult<Option<(Found<'py>, Option<Bound<'py, PyAny>>)>> {
        let Some(found) = container(annotation)? else { return Ok(None) };
        let base = found.0.base;
        if base == Container::Dict {
            return Ok(None);
        }
        let Some(arguments) = arguments_of(annotation)? else { return Ok(Some((found, None))) };
        Ok(match (base, arguments.len()) {
            (Container::Tuple, 2) if arguments.get_item(1)?.is(self.compiler.py.Ellipsis()) => {
                Some((found, Some(arguments.get_item(0)?)))
            }
            (Container::Tuple, _) => None,
            _ => Some((found, Some(arguments.get_item(0)?))),
        })
    }
}

fn is_any(member: &Bound<'_, PyAny>) -> bool {
    let class = member.cast::<PyType>().ok();
    class.and_then(builtin).is_some_and(|(kind, _)| matches!(kind, Kind::Any))
}

fn is_union(annotation: &Bound<'_, PyAny>) -> PyResult<bool> {
    if is_instance(annotation, &known::UNION_TYPE) {
        return Ok(true);
    }
    let origin = annotation.getattr_opt(intern!(annotation.py(), "__origin__"))?;
    Ok(origin.is_some_and(|origin| known::UNION.is(&origin)))
}

/// A key and a value.
type Pair<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>);

/// A collection and its class.
type Found<'py> = (Collection, Bound<'py, PyType>);

/// The arguments of an annotation, if it has some.
fn arguments_of<'py>(annotation: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyTuple>>> {
    if annotation.is_instance_of::<PyType>() && !is_generic_alias(annotation) {
        return Ok(None);
    }
    let found = annotation.getattr_opt(intern!(annotation.py(), "__args__"))?;
    Ok(found.and_then(|found| found.cast_into().ok()))
}

/// The collection of an annotation.
fn container<'py>(annotation: &Bound<'py, PyAny>) -> PyResult<Option<Found<'py>>> {
    let class = match annotation.cast::<PyType>() {
        Ok(class) => Some(class.clone()),
        Err(_) => {
            let origin = annotation.getattr_opt(intern!(annotation.py(), "__origin__"))?;
            origin.and_then(|origin| origin.cast_into::<PyType>().ok())
        }
    };
    let Some(class) = class else { return Ok(None) };
    Ok(Collection::of(&class)?.map(|collection| (collection, class)))
}

/// True if one of the types equals this one.
fn holds(types: &[Bound<'_, PyAny>], wanted: &Bound<'_, PyAny>) -> PyResult<bool> {
    for known in types {
        if answer(wanted.py(), known.eq(wanted))? == Some(true) {
            return Ok(true);
        }
    }
    Ok(false)
}
