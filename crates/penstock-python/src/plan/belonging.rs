//! To which type, and to which member of a union, a Python value belongs. Both directions ask here:
//! what writes a value, and what takes one as it is.

use super::types::builtin::{is_decimal, is_object_of, is_uid, is_uuid};
use super::{Build, Kind, NodeId, Plan, Raw};
use penstock_core::value::moment::Of;
use pyo3::prelude::*;
use pyo3::types::{
    PyBool, PyByteArray, PyBytes, PyDate, PyDateTime, PyDelta, PyDict, PyFloat, PyInt, PyMapping,
    PyString, PyTime,
};

impl Plan {
    /// The member of a union to which a value belongs, as far as its own class shows it.
    pub(crate) fn member_of(&self, union: NodeId, value: &Bound<'_, PyAny>) -> Option<NodeId> {
        let Kind::Tokens(tokens) = &self.nodes[union as usize].kind else { return None };
        let typed =
            [tokens.null, tokens.boolean, tokens.uid, tokens.integer, tokens.number, tokens.map];
        let typed = typed.into_iter().flatten();
        // A named tuple is a tuple, too, and one can iterate over a network of addresses.
        let known = typed.chain(tokens.text.iter().copied()).chain(tokens.list);
        // A function of the caller's may make anything.
        let (exact, loose): (Vec<_>, Vec<_>) = known.partition(|node| self.is_sure(*node));
        exact.into_iter().chain(loose).find(|node| self.takes(*node, value))
    }

    /// Whether [`takes`](Self::takes) knows which values are of a type.
    fn is_sure(&self, node: NodeId) -> bool {
        let node = &self.nodes[node as usize];
        !matches!(node.kind, Kind::Any)
            && node.after.as_ref().is_none_or(|after| !after.changes() || after.knows_class())
    }

    /// Whether a value is of a type, as far as its class shows it.
    pub(crate) fn takes(&self, of: NodeId, value: &Bound<'_, PyAny>) -> bool {
        let node = &self.nodes[of as usize];
        let is_bool = value.is_instance_of::<PyBool>();
        if let Some(makes) = node.after.as_ref().and_then(|after| after.makes(value)) {
            return makes;
        }
        match &node.kind {
            Kind::Any => true,
            Kind::None => value.is_none(),
            Kind::Bool => is_bool,
            Kind::Int => !is_bool && value.is_instance_of::<PyInt>(),
            Kind::Float => value.is_instance_of::<PyFloat>(),
            Kind::Str => value.is_instance_of::<PyString>(),
            Kind::Bytes | Kind::Encoded(_) => {
                value.is_instance_of::<PyBytes>() || value.is_instance_of::<PyByteArray>()
            }
            Kind::Decimal => is_decimal(value),
            Kind::Uuid => is_uuid(value),
            Kind::Uid => is_uid(value),
            Kind::Raw => value.is_instance_of::<Raw>(),
            Kind::Duration => value.is_instance_of::<PyDelta>(),
            Kind::Choice(choice) => choice.holds(value),
            kind if kind.is(Of::DateTime) => value.is_instance_of::<PyDateTime>(),
            kind if kind.is(Of::Date) => {
                value.is_instance_of::<PyDate>() && !value.is_instance_of::<PyDateTime>()
            }
            kind if kind.is(Of::Time) => value.is_instance_of::<PyTime>(),
            Kind::List(_)
            | Kind::TupleOf(_)
            | Kind::Tuple(_)
            | Kind::Set(_)
            | Kind::FrozenSet(_) => {
                !value.is_instance_of::<PyString>()
                    && !value.is_instance_of::<PyBytes>()
                    && !value.is_instance_of::<PyDict>()
                    && is_iterable(value)
            }
            Kind::Dict(..) => value.cast::<PyMapping>().is_ok(),
            Kind::Class(number) => {
                let class = &self.classes[*number as usize];
                is_object_of(value, class.class.bind(value.py()))
                    || (value.is_instance_of::<PyDict>() && matches!(class.build, Build::Dict(_)))
            }
            Kind::Tagged(tagged) => tagged.every().any(|node| self.takes(node, value)),
            Kind::Tokens(tokens) => {
                let members = [
                    tokens.null,
                    tokens.boolean,
                    tokens.integer,
                    tokens.number,
                    tokens.list,
                    tokens.uid,
                    tokens.map,
                ];
                let mut all = members.into_iter().flatten().chain(tokens.text.iter().copied());
                all.any(|node| self.takes(node, value))
            }
            _ => false,
        }
    }
}

/// Whether the class of a value can be iterated over. This runs no code of the class.
fn is_iterable(value: &Bound<'_, PyAny>) -> bool {
    // SAFETY: the class of a live object is complete.
    unsafe { (*value.get_type_ptr()).tp_iter.is_some() }
}
