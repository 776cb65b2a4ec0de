//! Unions of classes: which attribute tells them apart.

use penstock_core::keys::KeyTable;
use pyo3::prelude::*;
use pyo3::types::PyString;

use super::types::Place;
use super::{ClassPlan, Kind, Node, NodeId, Tagged, Target};

/// A union that was met.
pub(super) struct Union {
    /// Its own node.
    pub(super) node: NodeId,
    /// Those of its classes.
    pub(super) classes: Vec<NodeId>,
    /// The field and the class in whose annotation it stands.
    pub(super) field: Option<(String, String)>,
}

impl Tagged {
    /// What stands for a union until its classes are planned.
    pub(super) fn unsettled() -> Self {
        let table = KeyTable::new(&[]);
        Tagged { tag: "".into(), table, classes: Vec::new(), expected: "".into() }
    }
}

/// An attribute of a class whose values are all known.
struct Tag {
    name: Box<str>,
    values: Vec<String>,
}

/// The attributes of a class that may tell it from others: fields with a `Literal` of text, or an
/// `Enum` whose members are text.
fn tags(py: Python<'_>, nodes: &[Node], class: &ClassPlan) -> PyResult<Vec<Tag>> {
    let mut tags = Vec::new();
    for edge in &class.states[0].attributes.edges {
        let Target::Field(field) = edge.to else { continue };
        if !edge.takes_unprefixed() {
            continue;
        }
        let Some(field) = class.fields.get(field as usize) else { continue };
        let Kind::Choice(choice) = &nodes[field.node as usize].kind else { continue };
        if !choice.is_of_text() || choice.enum_class.is_some() {
            continue;
        }
        let mut values = Vec::new();
        for object in &choice.text_objects {
            if let Ok(text) = object.bind(py).cast::<PyString>() {
                values.push(text.to_str()?.to_owned());
            }
        }
        // The members of an `Enum` need not be text themselves.
        if values.len() < choice.text_objects.len() {
            continue;
        }
        tags.push(Tag { name: edge.name.clone(), values });
    }
    Ok(tags)
}

/// Finds what tells the classes of each union apart, now that they are planned.
pub(super) fn settle(
    py: Python<'_>,
    unions: Vec<Union>,
    nodes: &mut [Node],
    classes: &[ClassPlan],
) -> PyResult<()> {
    for union in unions {
        let mut all = Vec::new();
        for node in &union.classes {
            let Kind::Class(class) = nodes[*node as usize].kind else { continue };
            all.push(tags(py, nodes, &classes[class as usize])?);
        }
        let found = all.first().into_iter().flatten().find_map(|tag| common(tag, &all));
        let Some((name, values)) = found else {
            let field = union.field.as_ref().map(|(field, class)| (&**field, &**class));
            let written = &nodes[union.node as usize].written;
            let reason = format_args!(
                "no attribute tells the classes of {written} apart: give each of them a field of \
                 a Literal type for the same attribute, or choose by the element's name with \
                 at({{\"name\": Class, ...}})"
            );
            return Err(Place { field }.error(py, reason));
        };
        let keys: Vec<&[u8]> = values.iter().map(|(value, _)| value.as_bytes()).collect();
        let shown: Vec<_> = values.iter().map(|(value, _)| format!("{value:?}")).collect();
        let expected = match shown.split_last() {
            Some((last, [])) => last.clone(),
            Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
            None => String::new(),
        };
        let tagged = Tagged {
            tag: name,
            table: KeyTable::new(&keys),
            classes: values.iter().map(|(_, class)| union.classes[*class]).collect(),
            expected: expected.into(),
        };
        nodes[union.node as usize].kind = Kind::Tagged(Box::new(tagged));
    }
    Ok(())
}

/// A value of an attribute, and the place in the union of the class that has it.
type Value = (String, usize);

/// The attribute of `tag` with the values that all classes have for it, if no two share one.
fn common(tag: &Tag, all: &[Vec<Tag>]) -> Option<(Box<str>, Vec<Value>)> {
    let mut values: Vec<Value> = Vec::new();
    for (class, tags) in all.iter().enumerate() {
        let same = tags.iter().find(|other| other.name == tag.name)?;
        for value in &same.values {
            if values.iter().any(|(known, _)| known == value) {
                return None;
            }
            values.push((value.clone(), class));
        }
    }
    Some((tag.name.clone(), values))
}
