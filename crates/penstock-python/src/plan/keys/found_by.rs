//! The key by which an object is found, for the classes that have a field for it: `at("key()")`.
//!
//! In a `dict` it is the object's key, in a list its position. Where a path leads to the object, it
//! is what the last `*` of the path matched. Nothing else gives a key. So a class that requires one
//! can be no field's value if the field's path has no `*`.

use pyo3::prelude::*;

use crate::plan::types::compiler::Place;
use crate::plan::{Absent, ClassPlan, Kind, Node, NodeId, plan_error};

/// Where the paths of a field have their last `*`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Star {
    /// They have none.
    None,
    /// This many steps above the value.
    Above(usize),
    /// Each elsewhere.
    Several,
}

impl Star {
    /// Adds one more path to what is known of a field.
    pub(in crate::plan) fn add(known: &mut Option<Star>, path: Option<usize>) {
        let star = path.map_or(Star::None, Star::Above);
        *known = Some(known.map_or(star, |known| if known == star { star } else { Star::Several }));
    }

    /// The same for all fields, once all paths were added.
    pub(in crate::plan) fn all(known: Vec<Option<Star>>) -> Vec<Star> {
        known.into_iter().map(|known| known.unwrap_or(Star::None)).collect()
    }
}

/// The name of the field that makes a class need the key by which its object was found, if there is
/// one.
pub(crate) fn needs_key(py: Python<'_>, class: &ClassPlan) -> Option<String> {
    let mut fields = class.takes_key.iter().map(|field| &class.fields[*field as usize]);
    let needs = fields.find(|field| matches!(field.absent, Absent::Error) && !field.gathers);
    needs.map(|field| field.name.bind(py).to_string())
}

/// Refuses fields whose value is an object that needs a key and gets none.
pub(in crate::plan) fn settle(py: Python<'_>, nodes: &[Node], plans: &[ClassPlan]) -> PyResult<()> {
    if plans.iter().all(|plan| plan.takes_key.is_empty()) {
        return Ok(());
    }
    for plan in plans {
        for (aim, star) in plan.aims.iter().zip(&plan.stars) {
            let mut classes = Vec::new();
            collect(nodes, aim.node, &mut classes, &mut Vec::new());
            for class in classes.into_iter().map(|class| &plans[class as usize]) {
                let Some(needs) = needs_key(py, class) else { continue };
                let name = &class.name;
                let why = match star {
                    Star::Above(_) => continue,
                    Star::None => "no '*' of the field's path leads to it",
                    Star::Several => "the '*' is not at the same step of all paths of the field",
                };
                let field = plan.fields[aim.field as usize].name.bind(py).to_string();
                let place = Place { field: Some((&field, &plan.name)) };
                let reason = format_args!(
                    "the field '{needs}' of {name} takes the key by which it was found (key()), and {why}"
                );
                return Err(place.error(py, reason));
            }
        }
    }
    Ok(())
}

/// Adds the classes of which a value of this node itself may become an object.
fn collect(nodes: &[Node], node: NodeId, classes: &mut Vec<u32>, seen: &mut Vec<NodeId>) {
    if seen.contains(&node) {
        return;
    }
    seen.push(node);
    match &nodes[node as usize].kind {
        Kind::Class(class) => classes.push(*class),
        Kind::Tagged(tagged) => {
            tagged.members().for_each(|member| collect(nodes, member, classes, seen));
        }
        Kind::Tokens(tokens) => {
            tokens.map.into_iter().for_each(|member| collect(nodes, member, classes, seen));
        }
        _ => {}
    }
}

/// The error for an object that needs a key and was found without one.
#[cold]
pub(crate) fn no_key(py: Python<'_>, class: &ClassPlan, field: &str) -> PyErr {
    let name = &class.name;
    plan_error(
        py,
        format_args!(
            "the field '{field}' of {name} takes the key by which it was found (key()), and no '*' \
             of a path leads to it: pass at= with a '*', or read a dict[str, {name}]"
        ),
    )
}
