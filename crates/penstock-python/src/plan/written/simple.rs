//! The scalars of exactly the builtin classes that a type takes: they are written without a frame.

use crate::plan::{Kind, Node};

/// The builtin classes whose objects are written without a frame for a type: a bit each.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Takes(u8);

impl Takes {
    pub(crate) const NOTHING: Takes = Takes(0);
    pub(crate) const NONE: Takes = Takes(1);
    pub(crate) const BOOL: Takes = Takes(2);
    pub(crate) const INT: Takes = Takes(4);
    pub(crate) const FLOAT: Takes = Takes(8);
    pub(crate) const STR: Takes = Takes(16);
    pub(crate) const ALL: Takes = Takes(31);

    #[inline(always)]
    pub(crate) const fn has(self, class: Takes) -> bool {
        self.0 & class.0 != 0
    }

    /// The scalars of a type.
    pub(crate) fn scalars(node: &Node) -> Self {
        if node.after.is_some() || node.cells.is_some() {
            return Takes::NOTHING;
        }
        let own = match node.kind {
            Kind::Any => Takes::ALL,
            Kind::None => Takes::NONE,
            Kind::Bool => Takes::BOOL,
            Kind::Int => Takes::INT,
            Kind::Float => Takes(Takes::FLOAT.0 | Takes::INT.0),
            Kind::Str => Takes::STR,
            _ => Takes::NOTHING,
        };
        if node.nullable { Takes(own.0 | Takes::NONE.0) } else { own }
    }
}

/// The scalars of a type, and those of the items if it is a list.
#[derive(Clone, Copy)]
pub(crate) struct Simple {
    own: Takes,
    pub(crate) items: Takes,
}

impl Simple {
    pub(crate) fn of(nodes: &[Node], node: &Node) -> Self {
        let items = match &node.kind {
            _ if node.after.is_some() => Takes::NOTHING,
            Kind::Any => Takes::ALL,
            Kind::List(item) | Kind::Set(item) | Kind::FrozenSet(item) | Kind::TupleOf(item) => {
                Takes::scalars(&nodes[*item as usize])
            }
            _ => Takes::NOTHING,
        };
        Simple { own: Takes::scalars(node), items }
    }

    /// The scalars.
    #[inline(always)]
    pub(crate) fn own(self) -> Takes {
        self.own
    }
}
