//! The keys of a plan as they stand in the text of a format. The reader compares them in place.
//!
//! They belong to the format and not to the plan, so they are kept beside the plan, and made when a
//! document of the format is first read with it.

use penstock_core::json::lend::Key;

use crate::plan::{Kind, NodeId, Plan, State, TagRule, Tagged};

/// The keys that are lent to the readers of one format.
pub(crate) struct KeyHints {
    /// For each state, by its number in the plan, its keys.
    states: Box<[Box<[Key]>]>,
    /// For each node, the key that gives the class of its objects, if the reader may look for it.
    tags: Box<[Key]>,
    /// The bytes of the longest of them, without its quotes and its colon.
    longest: usize,
}

impl KeyHints {
    /// The keys as they stand in JSON text.
    pub(in crate::plan) fn of_json(plan: &Plan) -> Self {
        let states = plan.classes.iter().flat_map(|class| &class.states);
        let keys = |state: &State| state.keys.iter().map(|edge| Key::new(&edge.name)).collect();
        let tag = |kind: &Kind| match kind {
            Kind::Tagged(tagged) => match &**tagged {
                Tagged { by: TagRule::Value { tag, early, .. }, .. }
                    if early.iter().any(Option::is_some) =>
                {
                    Key::new(tag)
                }
                _ => Key::default(),
            },
            _ => Key::default(),
        };
        let states: Box<[Box<[Key]>]> = states.map(keys).collect();
        let tags: Box<[Key]> = plan.nodes.iter().map(|node| tag(&node.kind)).collect();
        let lengths = states.iter().flatten().chain(&tags).map(|key| key.as_bytes().len());
        let longest = lengths.max().unwrap_or(0).saturating_sub(br#""":"#.len());
        KeyHints { states, tags, longest }
    }

    /// The bytes of the longest key.
    #[inline(always)]
    pub(crate) fn longest(&self) -> usize {
        self.longest
    }

    /// The keys of a state, in its own order.
    #[inline(always)]
    pub(crate) fn keys(&self, state: &State) -> &[Key] {
        &self.states[state.number as usize]
    }

    /// The key that gives the class of a node's objects; empty if there is none to look for.
    #[inline(always)]
    pub(crate) fn tag(&self, node: NodeId) -> &[u8] {
        self.tags[node as usize].as_bytes()
    }
}
