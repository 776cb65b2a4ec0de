//! The containers whose parts may be refused when their object is made.
//!
//! Pydantic runs an `AfterValidator` of an item when the whole model is there, and names the item by
//! its path. So the builder remembers where the items of such a container stand.

use super::kinds::pydantic::is_told_later;
use super::{Kind, Node};
use pyo3::prelude::*;

/// For each node, whether the places of its items are remembered; empty if those of none are. All
/// parts of such a container are scalars, or such containers: what classes make has places of its
/// own.
pub(super) fn containers(py: Python<'_>, nodes: &[Node]) -> PyResult<Box<[bool]>> {
    let mut told = Vec::with_capacity(nodes.len());
    for node in nodes {
        let mut is_told = false;
        for word in &node.words {
            is_told |= is_told_later(word.bind(py))?;
        }
        told.push(is_told);
    }
    if !told.contains(&true) {
        return Ok([].into());
    }
    let mut simple: Vec<bool> = nodes.iter().map(may_be_simple).collect();
    loop {
        let mut changes = false;
        for (id, node) in nodes.iter().enumerate() {
            let mut inner = items(&node.kind).iter();
            let is_simple = simple[id] && inner.clone().all(|item| simple[*item as usize]);
            let is_told = told[id]
                || inner.any(|item| told[*item as usize])
                || matches!(&node.kind, Kind::Tokens(tokens)
                    if tokens.members().any(|member| told[member as usize]));
            changes |= (is_simple, is_told) != (simple[id], told[id]);
            (simple[id], told[id]) = (is_simple, is_told);
        }
        if !changes {
            break;
        }
    }
    let notes = nodes.iter().zip(&simple).map(|(node, is_simple)| {
        *is_simple && items(&node.kind).iter().any(|item| told[*item as usize])
    });
    Ok(notes.collect())
}

/// The nodes of the items of a container that keeps their order, as pydantic names them.
fn items(kind: &Kind) -> &[u32] {
    match kind {
        Kind::List(item) | Kind::TupleOf(item) | Kind::Dict(_, item) => std::slice::from_ref(item),
        Kind::Tuple(items) => items,
        _ => &[],
    }
}

/// Whether a node is a scalar, or a container of nothing else as far as it says that itself.
fn may_be_simple(node: &Node) -> bool {
    let is_packed = node.packed.is_some() || node.after.as_ref().is_some_and(|after| after.packs);
    let is_simple = match &node.kind {
        Kind::Any
        | Kind::Raw
        | Kind::Tagged(_)
        | Kind::Set(_)
        | Kind::FrozenSet(_)
        | Kind::Separated(_)
        | Kind::Class(_) => false,
        Kind::Tokens(tokens) => tokens.list.is_none() && tokens.map.is_none(),
        _ => true,
    };
    is_simple && !is_packed
}
