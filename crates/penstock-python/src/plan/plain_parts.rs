//! Whether a plan has places for plain values.

use super::{Kind, Node, NodeId, PLAIN, Plan};

impl Plan {
    /// Whether a dict or list somewhere in a document may become a plain one. Every plan has the node
    /// of plain values, so this asks what leads to it.
    pub(crate) fn has_plain_parts(&self) -> bool {
        *self.plain_parts.get_or_init(|| {
            let is_plain = |node: NodeId| matches!(self.nodes[node as usize].kind, Kind::Any);
            let mut aims = self.classes.iter().flat_map(|class| &class.aims);
            is_plain(self.root)
                || self.kinds.iter().copied().any(is_plain)
                || aims.any(|aim| is_plain(aim.node))
                || self.nodes.iter().enumerate().any(|(number, node)| {
                    let is_own = matches!(node.kind, Kind::Any) && number != PLAIN as usize;
                    is_own || leads_to(node, is_plain)
                })
        })
    }
}

/// Whether one of the nodes to which a node refers is such a one. The fields of a class are not
/// asked.
fn leads_to(node: &Node, is: impl Fn(NodeId) -> bool) -> bool {
    match &node.kind {
        Kind::List(item)
        | Kind::Set(item)
        | Kind::FrozenSet(item)
        | Kind::TupleOf(item)
        | Kind::Dict(_, item) => is(*item),
        Kind::Tuple(items) => items.iter().copied().any(is),
        Kind::Tagged(tagged) => tagged.every().any(is),
        Kind::Tokens(tokens) => tokens.list.into_iter().chain(tokens.map).any(is),
        Kind::Separated(separated) => is(separated.list),
        Kind::Any
        | Kind::Raw
        | Kind::None
        | Kind::Bool
        | Kind::Int
        | Kind::Float
        | Kind::Str
        | Kind::Bytes
        | Kind::Encoded(_)
        | Kind::Duration
        | Kind::Decimal
        | Kind::DateTime
        | Kind::Moment(_)
        | Kind::Date
        | Kind::Time
        | Kind::Uuid
        | Kind::Uid
        | Kind::Choice(_)
        | Kind::Class(_) => false,
    }
}
