//! The keys of a plan as they stand in the text of a format. The reader compares them in place.
//!
//! They belong to the format and not to the plan, so they are kept beside the plan, and made when a
//! document of the format is first read with it.

use penstock_core::json::lend::Key;
use penstock_core::protocol::Coming;
use penstock_scan::filled;

use crate::plan::{
    Aim, Build, ClassPlan, KeyEdge, Kind, KindByte, Node, NodeId, Plan, State, TagRule, Tagged,
    Target,
};

/// The keys of a state, in its own order.
pub(crate) struct Lent {
    keys: Vec<Coming>,
    /// For each key, whether it leads to a field that takes scalars.
    takes: Vec<bool>,
    /// For each key, how many such keys follow one another from it on: nothing if it is the only one.
    runs: Vec<u32>,
    /// Whether an object is nothing but scalars of the simplest types, and is made without calling anything.
    whole: bool,
}

/// No keys.
pub(crate) static NOTHING_LENT: Lent =
    Lent { keys: Vec::new(), takes: Vec::new(), runs: Vec::new(), whole: false };

impl Lent {
    fn new(plan: &Plan, class: &ClassPlan, state: &State) -> Self {
        let key = |edge: &KeyEdge| {
            let want = class.aim_of(edge.to).map(|aim| class.aims[aim as usize].want);
            Coming { key: Key::new(&edge.name).into_bytes(), want }
        };
        let keys: Vec<Coming> = state.keys.iter().map(key).collect();
        let takes = |edge: &KeyEdge| match edge.to {
            Target::Field(aim) => {
                let aim = &class.aims[aim as usize];
                !aim.gathers && takes_scalars(&plan.nodes[aim.node as usize])
            }
            Target::State(_) => false,
        };
        let has_key = keys.iter().map(|coming| !coming.key.is_empty());
        let takes = state.keys.iter().zip(has_key).map(|(edge, has_key)| has_key && takes(edge));
        let takes: Vec<bool> = takes.collect();
        let is_plain = state.number == class.states[0].number
            && takes.iter().all(|takes| *takes)
            && class.aims.iter().all(|aim| is_plain(aim, &plan.nodes[aim.node as usize]));
        Lent { keys, runs: runs(&takes), takes, whole: is_plain && is_made_at_once(class) }
    }

    /// A key. It is empty if the text may have it in several ways.
    #[inline(always)]
    pub(crate) fn coming(&self, place: usize) -> Option<&Coming> {
        self.keys.get(place)
    }

    /// Whether the value of a key may be a scalar.
    pub(crate) fn takes_scalar(&self, place: usize) -> bool {
        self.takes.get(place) == Some(&true)
    }

    /// Whether an object is nothing but scalars of the simplest types, and is made without calling anything.
    #[inline(always)]
    pub(crate) fn is_whole(&self) -> bool {
        self.whole
    }

    /// The keys from one on that lead to fields which take scalars, if there are several.
    #[inline(always)]
    pub(crate) fn run(&self, place: usize) -> &[Coming] {
        match self.runs.get(place) {
            Some(&length) => self.keys.get(place..place + length as usize).unwrap_or_default(),
            None => &[],
        }
    }
}

/// Whether values of a field need no place to be made: no error but that they do not fit.
fn is_plain(aim: &Aim, node: &Node) -> bool {
    let is_bool = aim.kind == KindByte::Other && matches!(node.kind, Kind::Bool);
    let is_basic = matches!(aim.kind, KindByte::Str | KindByte::Int | KindByte::Float);
    !aim.finishes && !aim.gathers && (is_bool || is_basic || aim.kind == KindByte::Any)
}

/// Whether an object of a class is made of its values without calling code that may refuse them.
fn is_made_at_once(class: &ClassPlan) -> bool {
    let is_simple = class.takes_key.is_empty()
        && class.parts.is_empty()
        && class.rest.is_none()
        && class.states.len() == 1
        && !(class.gathers || class.only_rows || class.notes_fields);
    is_simple
        && match &class.build {
            Build::Slots { post_init, .. } | Build::Attributes { post_init } => post_init.is_none(),
            Build::Struct { .. } | Build::Tuple | Build::Dict(_) => true,
            Build::Fill | Build::Call { .. } | Build::Validate(_) => false,
        }
}

/// For each place, how many from it on are so; nothing if it is the only one.
pub(crate) fn runs(are_so: &[bool]) -> Vec<u32> {
    let mut runs = filled(0, are_so.len());
    let mut length = 0;
    for (place, is_so) in are_so.iter().enumerate().rev() {
        length = if *is_so { length + 1 } else { 0 };
        runs[place] = if length > 1 { length } else { 0 };
    }
    runs
}

/// Whether values of a node may be scalars.
fn takes_scalars(node: &Node) -> bool {
    !matches!(
        node.kind,
        Kind::Class(_)
            | Kind::Tagged(_)
            | Kind::Dict(..)
            | Kind::List(_)
            | Kind::Set(_)
            | Kind::FrozenSet(_)
            | Kind::TupleOf(_)
            | Kind::Tuple(_)
    )
}

/// The keys that are lent to the readers of one format.
pub(crate) struct KeyHints {
    /// For each state, by its number in the plan, its keys.
    states: Box<[Lent]>,
    /// For each node, the key that gives the class of its objects, if the reader may look for it.
    tags: Box<[Key]>,
    /// The bytes of the longest of them, without its quotes and its colon.
    longest: usize,
}

impl KeyHints {
    /// The keys as they stand in JSON text.
    pub(in crate::plan) fn of_json(plan: &Plan) -> Self {
        let states = plan
            .classes
            .iter()
            .flat_map(|class| class.states.iter().map(move |state| Lent::new(plan, class, state)));
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
        let states: Box<[Lent]> = states.collect();
        let tags: Box<[Key]> = plan.nodes.iter().map(|node| tag(&node.kind)).collect();
        let keys = states.iter().flat_map(|lent| &lent.keys).map(|coming| coming.key.len());
        let lengths = keys.chain(tags.iter().map(|key| key.as_bytes().len()));
        let longest = lengths.max().unwrap_or(0).saturating_sub(br#""":"#.len());
        KeyHints { states, tags, longest }
    }

    /// The bytes of the longest key.
    #[inline(always)]
    pub(crate) fn longest(&self) -> usize {
        self.longest
    }

    /// The keys of a state.
    #[inline(always)]
    pub(crate) fn keys(&self, state: &State) -> &Lent {
        &self.states[state.number as usize]
    }

    /// The key that gives the class of a node's objects; empty if there is none to look for.
    #[inline(always)]
    pub(crate) fn tag(&self, node: NodeId) -> &[u8] {
        self.tags[node as usize].as_bytes()
    }
}
