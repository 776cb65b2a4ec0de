//! Classes whose fields stand among the keys of the class around them: `at(".")`.
//!
//! Their fields are planned as fields of the class around them, behind its own. So one pass fills
//! both, and the rules for keys, paths and problems are those of the class around. When an object
//! of that is made, the parts are made first, of the values behind its own.

use penstock_scan::make_room;
use pyo3::prelude::*;
use pyo3::types::PyString;
use std::rc::Rc;

use super::spread::{self, Stars};
use crate::plan::kinds::classes::{self, Declared, DeclaredAt, Shape, Sort, Subject};
use crate::plan::types::wrappers::At;
use crate::plan::{Absent, ClassId, Kind, NodeId};

/// The path of the object itself.
const ITSELF: &str = ".";

/// How many fields a class may have, with those of its parts and of theirs. Each class that names others
/// multiplies them, so a few classes could have more than there is memory for.
const MOST: usize = 4_096;
/// How many fields all classes of a plan have together in this way. In classes that are inside of each other,
/// the innermost fields are those of each class.
const MOST_OF_ALL: usize = 65_536;

/// How many classes may be inside of each other: so many have more fields together. This calls itself for
/// each.
const DEEPEST: usize = 512;

fn too_many_together() -> String {
    format!(
        "the classes would have more than {MOST_OF_ALL} fields together, with those of their parts"
    )
}

/// The fields of a class as a part of others: its own, and those of its parts.
pub(in crate::plan) struct Flattened<'py> {
    fields: Vec<Declared<'py>>,
    tells_fields: bool,
}

/// A field whose value is made of members of its own object.
pub(crate) struct Part {
    /// The field.
    pub(crate) field: u32,
    /// Its class.
    pub(crate) class: ClassId,
    /// Where the fields of that class begin, among those of the class around it.
    pub(crate) first: usize,
}

/// The fields of the parts of a class.
pub(in crate::plan) struct Joined<'py> {
    /// The fields, part by part, each with its path through the parts as its name.
    pub(in crate::plan) fields: Vec<Declared<'py>>,
    pub(in crate::plan) parts: Vec<Part>,
    /// Whether some class says which field does not fit, as pydantic does.
    pub(in crate::plan) tells_fields: bool,
}

/// Whether a path leads to the object itself.
pub(in crate::plan) fn is_itself(at: &At<'_>) -> bool {
    at.routes.iter().any(|(path, _)| path == ITSELF)
}

/// The `at(".")` of a field with this node.
///
/// # Errors
/// `PlanError` if the field is not of a class.
pub(in crate::plan) fn itself(
    subject: &Subject<'_, '_>,
    field: &str,
    at: At<'_>,
    node: NodeId,
) -> PyResult<DeclaredAt> {
    let py = subject.compiler.py;
    let error = |reason: std::fmt::Arguments<'_>| subject.place(field).error(py, reason);
    if at.routes.len() > 1 || at.key.is_some() {
        return Err(error(format_args!(
            "at('.') stands alone: it takes no other path and no key="
        )));
    }
    let node = &subject.compiler.nodes[node as usize];
    if !matches!(node.kind, Kind::Class(_)) {
        let instead = match node.kind {
            Kind::Dict(..) => "; rest takes all other keys",
            _ if subject.compiler.form.has_elements() => {
                "; all text of an element has the path string()"
            }
            _ => "",
        };
        let written = &node.written;
        return Err(error(format_args!(
            "at('.') takes a class with fields, not {written}{instead}"
        )));
    }
    Ok(DeclaredAt { shown: at.shown, routes: Vec::new(), key: None })
}

/// The fields of all parts of a class.
///
/// # Errors
/// `PlanError` for a class that cannot be a part, or cannot have one.
pub(in crate::plan) fn joined<'py>(
    subject: &mut Subject<'_, 'py>,
    shape: &Shape<'py>,
) -> PyResult<Joined<'py>> {
    let mut all = Joined { fields: Vec::new(), parts: Vec::new(), tells_fields: false };
    for (index, field) in (0..).zip(&shape.fields).filter(|(_, field)| field.is_flat()) {
        let Kind::Class(class) = subject.compiler.nodes[field.node as usize].kind else { continue };
        let first = shape.fields.len() + all.fields.len();
        part(subject, shape, field, class, &mut all)?;
        all.parts.push(Part { field: index, class, first });
    }
    Ok(all)
}

fn part<'py>(
    subject: &mut Subject<'_, 'py>,
    around: &Shape<'py>,
    field: &Declared<'py>,
    class: ClassId,
    all: &mut Joined<'py>,
) -> PyResult<()> {
    let py = subject.compiler.py;
    let place = field.name.to_str()?;
    let (own, outer) = (subject.name, subject.id);
    let word = match &field.columns {
        Some(pattern) => format!("spread('{}')", pattern.text()),
        None => format!("at('{ITSELF}')"),
    };
    let pattern = field.columns.clone().unwrap_or_else(Stars::itself);
    let error = |reason: &str| {
        crate::plan::types::compiler::Place { field: Some((place, own)) }
            .error(py, format_args!("{word}: {reason}"))
    };
    let of_markup = subject.compiler.form.has_elements();
    if is_array(around, subject.compiler.met[outer as usize].sort, of_markup) {
        return Err(error(&format!("{own} is an array, which has no keys")));
    }
    // What a class has as a part does not depend on the class around it.
    let flattened = match subject.compiler.flattened.get(&class) {
        Some(known) => Rc::clone(known),
        None => {
            let made = Rc::new(flatten(subject, class, &error)?);
            subject.compiler.flattened.insert(class, Rc::clone(&made));
            made
        }
    };
    all.tells_fields |= flattened.tells_fields;
    let is_optional = !matches!(field.absent, Absent::Error)
        || subject.compiler.nodes[field.node as usize].nullable;
    for inner in &flattened.fields {
        let key = Some(pattern.column(inner.key()?));
        let name = PyString::new(py, &format!("{place}.{}", inner.name.to_str()?));
        let columns = inner.columns.as_ref().map(|columns| pattern.around(columns));
        let at = match inner.at.clone() {
            // The fields of a part's own parts have their keys already.
            Some(at) if field.columns.is_some() && !at.routes.is_empty() => {
                let moved = spread::moved(at, &pattern);
                Some(moved.map_err(|path| error(&format!("at('{path}') is no column")))?)
            }
            at => at,
        };
        // Whether an object of the class around must have it.
        let absent = match &inner.absent {
            Absent::Error if is_optional => Absent::Unset,
            absent => absent.clone_ref(py),
        };
        let default = inner.default.as_ref().map(|default| default.clone_ref(py));
        if around.fields.len() + all.fields.len() >= MOST {
            let reason =
                format!("{own} would have more than {MOST} fields, with those of its parts");
            return Err(error(&reason));
        }
        subject.compiler.joined += 1;
        if subject.compiler.joined > MOST_OF_ALL {
            return Err(error(&too_many_together()));
        }
        let Declared { node, is_read, is_rest, .. } = *inner;
        make_room(&mut all.fields, 1);
        all.fields.push(Declared {
            name,
            key,
            node,
            at,
            absent,
            default,
            is_read,
            is_rest,
            columns,
        });
    }
    Ok(())
}

/// The fields of a class as a part of the class of the subject.
///
/// # Errors
/// `PlanError` for a class that cannot be a part.
fn flatten<'py>(
    subject: &mut Subject<'_, 'py>,
    class: ClassId,
    error: &dyn Fn(&str) -> PyErr,
) -> PyResult<Flattened<'py>> {
    let (own, outer) = (subject.name, subject.id);
    let of_markup = subject.compiler.form.has_elements();
    subject.compiler.open.push(outer);
    if subject.compiler.open.len() > DEEPEST {
        return Err(error(&too_many_together()));
    }
    let name = subject.compiler.met[class as usize].name.clone();
    if subject.compiler.open.contains(&class) {
        return Err(error(&format!("{name} would be a part of itself")));
    }
    let (object, sort) = {
        let met = &subject.compiler.met[class as usize];
        (met.class.clone(), met.sort)
    };
    let compiler = &mut *subject.compiler;
    let mut inner = Subject { compiler, id: class, class: object, name: &name };
    let shape = classes::shape(&mut inner, sort)?;
    if is_array(&shape, sort, of_markup) {
        return Err(error(&format!("{name} is an array, which has no keys")));
    }
    if shape.rest.is_some() || shape.fields.iter().any(|field| field.is_rest) {
        let reason = format!("{name} takes all other keys, and these would be those of {own}");
        return Err(error(&reason));
    }
    let has_key = |at: &DeclaredAt| at.routes.iter().any(|(path, _)| path == "key()");
    if let Some(field) = shape.fields.iter().find(|it| it.at.as_ref().is_some_and(has_key)) {
        let reason =
            format!("the field '{}' of {name} takes the key() of an object of its own", field.name);
        return Err(error(&reason));
    }
    if !shape.fields.iter().any(|field| field.has_key() || field.is_spread()) {
        return Err(error(&format!("{name} has no field that is read")));
    }
    let more = joined(&mut inner, &shape)?;
    subject.compiler.open.pop();
    let tells_fields = sort == Sort::Model || more.tells_fields;
    let mut fields = shape.fields;
    fields.extend(more.fields);
    Ok(Flattened { fields, tells_fields })
}

/// Whether objects of a class are arrays.
fn is_array(shape: &Shape<'_>, sort: Sort, of_markup: bool) -> bool {
    shape.takes_rows && sort == Sort::Struct && !of_markup
}
