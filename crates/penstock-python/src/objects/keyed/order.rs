//! The order of keys, for documents that do not use the class's order, or that have keys which the class does not name.
//!
//! Which key follows which is learnt for each state of each class. A key that the class does not name, and that is
//! skipped, gets a number behind those of the class, so that the reader finds it by comparing, too. When a document
//! proves to be regular, the keys that follow one another become a chain, from which the reader takes members
//! [ahead](penstock_core::protocol::Hints::members_ahead).

use super::Keyed;
use crate::objects::core::Answer;
use crate::objects::core::frame::{Frame, FrameKind, NONE};
use crate::plan::{ClassId, ClassPlan, Lent, Plan, State, runs};
use penstock_core::event::Text;
use penstock_core::json::lend::Key;
use penstock_core::protocol::{Coming, Flow};
use penstock_scan::{filled, gathered, make_room};

/// How many keys that the class does not name a state knows, and how long they may be.
const MOST_OTHERS: usize = 64;
const LONGEST_OTHER: usize = 64;

/// So many keys that no class names are read before they are learnt. Small documents never pay for it.
const TRIAL: u32 = 16;

/// After so many objects in the same order, it becomes a chain.
const REGULAR: u32 = 3;

/// After so many keys that did not come as expected, the chain is made again; twice as many the next time.
const MISSED: u32 = 256;

/// What is known of the order of keys.
pub(crate) struct Order {
    /// By the number of the state in the plan.
    states: Vec<Learnt>,
}

/// What is known of the keys of a state.
struct Learnt {
    /// Which key last followed the beginning and each key, in this order.
    next: Vec<u32>,
    /// The keys that the class does not name, as the text has them. Their numbers follow those of the state's keys.
    others: Vec<Box<[u8]>>,
    chain: Chain,
    /// How many objects have had this order.
    regular: u32,
    /// How many keys have not come as expected since the chain was made, and how many may.
    missed: u32,
    patience: u32,
}

/// Keys that follow one another.
#[derive(Default)]
struct Chain {
    coming: Vec<Coming>,
    /// The number of each.
    keys: Vec<u32>,
    /// For each, how many from it on have scalars: nothing if it is the only one.
    runs: Vec<u32>,
    /// For each number of a key, its place.
    places: Vec<u32>,
}

impl Order {
    fn new(plan: &Plan) -> Self {
        let states = |class: &ClassPlan| class.states.iter().map(Learnt::new).collect::<Vec<_>>();
        Order { states: plan.classes.iter().flat_map(states).collect() }
    }
}

impl Learnt {
    fn new(state: &State) -> Self {
        Learnt {
            next: (0..=state.keys.len() as u32).collect(),
            others: Vec::new(),
            chain: Chain::default(),
            regular: 0,
            missed: 0,
            patience: MISSED,
        }
    }

    /// The key that probably follows a key, or the beginning if that is [`NONE`].
    #[inline(always)]
    fn behind(&self, key: u32) -> u32 {
        self.next[key.wrapping_add(1) as usize]
    }

    #[inline(always)]
    fn learn(&mut self, last: u32, key: u32) {
        self.next[last.wrapping_add(1) as usize] = key;
        self.regular = 0;
        self.missed += 1;
    }

    /// How many keys the class names.
    fn named(&self) -> usize {
        self.next.len() - 1 - self.others.len()
    }

    /// The number of a key that the class does not name. None if there are too many.
    fn other(&mut self, name: &[u8]) -> Option<u32> {
        let inside = |key: &[u8]| key.get(1..key.len() - 2) == Some(name);
        if let Some(place) = self.others.iter().position(|key| inside(key)) {
            return Some((self.named() + place) as u32);
        }
        let key = std::str::from_utf8(name).map(Key::new).ok()?.into_bytes();
        if self.others.len() == MOST_OTHERS || key.is_empty() {
            return None;
        }
        let number = self.next.len() as u32 - 1;
        make_room(&mut self.others, 1);
        self.others.push(key);
        make_room(&mut self.next, 1);
        // Nothing is expected behind it.
        self.next.push(NONE);
        Some(number)
    }

    /// An object ends: makes the chain, if it is time.
    #[inline(always)]
    fn end(&mut self, lent: &Lent) {
        self.regular = self.regular.saturating_add(1);
        let is_new = self.chain.keys.is_empty();
        if is_new && self.regular == REGULAR || !is_new && self.missed >= self.patience {
            self.make_chain(lent);
        }
    }

    #[cold]
    #[inline(never)]
    fn make_chain(&mut self, lent: &Lent) {
        let named = self.named();
        let count = self.next.len() - 1;
        // Behind the last key there may be no other.
        let mut chain = Chain { places: filled(NONE, count), ..Chain::default() };
        make_room(&mut chain.keys, count);
        make_room(&mut chain.coming, count);
        let mut takes = Vec::new();
        make_room(&mut takes, count);
        let mut key = self.behind(NONE);
        while let Some(place @ &mut NONE) = chain.places.get_mut(key as usize) {
            let known = lent.coming(key as usize);
            let other =
                || self.others.get((key as usize).checked_sub(named)?).map(|key| (key, None));
            let of_class = known.map(|coming| (&coming.key, coming.want));
            // Where nothing is lent, the keys of the class have no text.
            let Some((text, want)) = of_class.or_else(other) else { break };
            *place = chain.keys.len() as u32;
            let scalar = known.is_none() || lent.takes_scalar(key as usize);
            takes.push(scalar && !text.is_empty());
            chain.keys.push(key);
            let key_text = gathered(text.iter().copied()).into_boxed_slice();
            chain.coming.push(Coming { key: key_text, want });
            key = self.behind(key);
        }
        chain.runs = runs(&takes);
        self.chain = chain;
        (self.missed, self.patience) = (0, self.patience.saturating_mul(2));
    }

    /// The keys from one on that lead to scalars.
    #[inline(always)]
    fn ahead(&self, key: u32) -> &[Coming] {
        let Some(&place) = self.chain.places.get(key as usize) else { return &[] };
        let Some(&length) = self.chain.runs.get(place as usize) else { return &[] };
        self.chain.coming.get(place as usize..(place + length) as usize).unwrap_or_default()
    }
}

impl<'p> Keyed<'p> {
    fn learnt(&self) -> Option<&Learnt> {
        self.order.as_ref().map(|order| &order.states[self.state().number as usize])
    }

    /// A map of fields begins: the key that probably comes first.
    #[inline(always)]
    pub(super) fn expect_first(&mut self) {
        self.core.top_mut().next = self.first_of(self.state().number);
    }

    /// A map of a state ends, where an order was learnt. Only here a chain is made: between a question of the reader and the
    /// members that it finds by the answer, keys keep their places.
    #[inline(always)]
    pub(super) fn end_in_order(&mut self, number: u32, lent: &Lent) {
        if let Some(order) = &mut self.order {
            order.states[number as usize].end(lent);
        }
    }

    /// The key of a state that probably comes first.
    #[inline(always)]
    pub(super) fn first_of(&self, number: u32) -> u32 {
        self.order.as_ref().map_or(0, |order| order.states[number as usize].behind(NONE))
    }

    /// The members with which an object probably begins, where an order was learnt.
    #[inline(never)]
    pub(super) fn first_in_order(&self, class: ClassId) -> &[Coming] {
        let number = self.plan().classes[class as usize].states[0].number;
        let state = self.order.as_ref().map(|order| &order.states[number as usize]);
        state.map_or(&[], |state| state.ahead(state.behind(NONE)))
    }

    /// The members that probably come next, where an order was learnt.
    #[inline(always)]
    pub(super) fn ahead_in_order(&self) -> &[Coming] {
        self.learnt().map_or(&[], |state| state.ahead(self.top().next))
    }

    /// The number of a key ahead: so many places behind another one of the state.
    #[inline(always)]
    pub(super) fn key_ahead(&self, number: u32, from: u32, places: usize) -> u32 {
        match &self.order {
            None => from + places as u32,
            Some(order) => {
                let chain = &order.states[number as usize].chain;
                chain.keys[chain.places[from as usize] as usize + places]
            }
        }
    }

    /// The expected key, where it is none that the class names.
    #[cold]
    #[inline(never)]
    pub(super) fn expected_other(&self) -> &[u8] {
        let Some(state) = self.learnt() else { return &[] };
        let other = (self.top().next as usize).checked_sub(state.named());
        other.and_then(|other| state.others.get(other)).map_or(&[], |key| key)
    }

    /// A key of the current map was found: sets which one probably follows it. If another key was
    /// expected, learns the new order.
    #[inline(always)]
    pub(crate) fn found_key(&mut self, key: u32) {
        self.top_mut().unnamed = false;
        if key != self.top().next {
            self.learn(key);
        }
        self.top_mut().key = key;
        self.go_on_behind(key);
    }

    #[inline(always)]
    pub(super) fn go_on_behind(&mut self, key: u32) {
        self.top_mut().last = key;
        self.top_mut().next = self.learnt().map_or(key + 1, |state| state.behind(key));
    }

    /// A key of the current map followed the last one where another was expected.
    #[inline(never)]
    fn learn(&mut self, key: u32) {
        let plan = self.plan();
        let number = self.state().number as usize;
        let Frame { last, .. } = *self.top();
        let order = self.order.get_or_insert_with(|| Box::new(Order::new(plan)));
        order.states[number].learn(last, key);
    }

    /// Learns a key that the class does not name, and that is skipped.
    #[inline(never)]
    pub(super) fn learn_other(&mut self, key: Text<'_>) {
        self.others = self.others.saturating_add(1);
        let is_short = key.bytes().len() <= LONGEST_OTHER.min(self.longest_key);
        if self.others < TRIAL || self.core.lends.is_none() || !is_short {
            return;
        }
        let (plan, number) = (self.plan(), self.state().number as usize);
        let Frame { last, next, kind, .. } = *self.top();
        if !matches!(kind, FrameKind::Class | FrameKind::PathMap) {
            return;
        }
        let order = self.order.get_or_insert_with(|| Box::new(Order::new(plan)));
        let state = &mut order.states[number];
        let Some(key) = state.other(key.bytes()) else { return };
        if key != next {
            state.learn(last, key);
        }
        self.go_on_behind(key);
    }

    /// A key that the class does not name was found as expected: its value is skipped.
    #[inline(never)]
    pub(super) fn other_found(&mut self) -> Answer {
        let key = self.top().next;
        self.remember_other(key);
        self.go_on_behind(key);
        Ok(Flow::Skip)
    }

    /// Remembers a key that the class does not name, for messages.
    #[inline(never)]
    pub(super) fn remember_other(&mut self, key: u32) {
        let Some(order) = &self.order else { return };
        let state = &order.states[self.state().number as usize];
        let other = (key as usize).checked_sub(state.named());
        if let Some(name) = other.and_then(|other| state.others.get(other))
            && let Ok(name) = std::str::from_utf8(&name[1..name.len() - 2])
        {
            self.core.remember_key(name);
        }
    }
}
