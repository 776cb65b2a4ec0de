//! Containers under construction.

use penstock_core::protocol::Want;

use crate::plan::{Aim, ClassId, KindByte, NodeId};

/// A container under construction.
#[derive(Clone, Copy)]
pub(crate) struct Frame<'p> {
    pub(crate) kind: FrameKind,
    /// The container's own node.
    pub(crate) node: NodeId,
    /// What the coming element or value becomes: a part of the plan.
    pub(crate) aim: &'p Aim,
    /// Where its values begin on the stack.
    pub(crate) base: usize,
    /// Containers of fields: where the fields of the object begin on the stack.
    pub(crate) slots: usize,
    pub(crate) class: ClassId,
    pub(crate) state: u32,
    /// Maps of fields: the key that is expected next, as an index into the state's keys.
    pub(crate) next: u32,
    /// The index of the last key found; [`NONE`] if it was not one of the state's keys.
    pub(crate) key: u32,
    /// The last key found, also of those that the class does not name, by its number in the learnt order. [`NONE`] at the
    /// beginning.
    pub(crate) last: u32,
    /// The state that the coming value leads to, if that value is on the path to fields. [`NONE`]
    /// if it leads to no field.
    pub(crate) leads_to: u32,
    /// The number of elements so far, for frames where the stack does not show it.
    pub(crate) index: u64,
    /// Which of the first 64 keys that lead on to another state occurred. In an element: which
    /// fields have their value from an attribute.
    pub(crate) seen: u64,
    /// True if the current key is not a known one: messages then use the remembered key.
    pub(crate) unnamed: bool,
    /// True if a value in it does not fit: then the container is not made.
    pub(crate) spoiled: bool,
}

impl<'p> Frame<'p> {
    #[inline(always)]
    pub(crate) fn new(kind: FrameKind, node: NodeId, aim: &'p Aim, base: usize) -> Self {
        Frame {
            kind,
            node,
            aim,
            base,
            slots: base,
            class: 0,
            state: 0,
            next: 0,
            key: NONE,
            last: NONE,
            leads_to: NONE,
            index: 0,
            seen: 0,
            unnamed: false,
            spoiled: false,
        }
    }
}

/// No key, no state.
pub(crate) const NONE: u32 = u32::MAX;

/// The aim of a value that is on the path to fields, or that leads to none.
pub(crate) static ON_PATH: Aim = Aim {
    kind: KindByte::OnPath,
    want: Want::Native,
    gathers: false,
    finishes: false,
    node: 0,
    field: 0,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FrameKind {
    /// Around the record.
    Root,
    /// The map of a class: values go to fields.
    Class,
    /// A map on the path to a field of several steps.
    PathMap,
    /// A list on such a path.
    PathList,
    /// A plain dict: keys and values alternate on the stack.
    PlainDict,
    /// A plain list.
    PlainList,
    /// A `dict[K, V]`: keys and values alternate on the stack.
    Dict,
    /// A list, set, frozenset or `tuple[T, ...]`.
    List,
    /// The list of an array's numbers, which are one value on the stack.
    Numbers,
    /// A map or list that becomes text: [`Raw`](crate::plan::Raw). Those inside it have no frames.
    Raw,
    /// A tuple of a fixed length.
    Tuple,
    /// A named tuple from an array: items go to fields by position.
    Row,
    /// The elements of a list that are gathered, one by one, by a field.
    Gathered,
    /// Markup: an element that becomes an object of a class: values go to fields.
    Element,
    /// Markup: an element on the path to a field of several steps.
    Wrapper,
    /// Markup: an element without a class.
    Plain,
    /// Markup: an element whose children are the items of a collection.
    Items,
    /// Markup: an element whose children are the values of a dict, by their names.
    Named,
    /// Markup: an element whose class is not known yet.
    Union,
}

impl FrameKind {
    /// Whether its values are for fields of an object.
    #[inline(always)]
    pub(crate) fn has_fields(self) -> bool {
        matches!(
            self,
            FrameKind::Class
                | FrameKind::PathMap
                | FrameKind::PathList
                | FrameKind::Row
                | FrameKind::Gathered
                | FrameKind::Element
                | FrameKind::Wrapper
        )
    }
}
