//! In which order keys come, for documents that have an order of their own.

use super::Keyed;
use crate::objects::core::frame::Frame;
use crate::plan::{ClassPlan, Plan, State};

/// For each key of each state of each class, the key that came after it last time.
pub(crate) struct Order {
    /// Where the states of each class begin in `next`, one place more than they have keys.
    first: Vec<Vec<usize>>,
    next: Vec<u32>,
}

impl Order {
    pub(crate) fn new(plan: &Plan) -> Self {
        let mut next = Vec::new();
        let mut states = |class: &ClassPlan| {
            let mut state = |state: &State| {
                let first = next.len();
                // Before the first key, and after each.
                next.extend(0..=state.keys.len() as u32);
                first
            };
            class.states.iter().map(&mut state).collect()
        };
        let first = plan.classes.iter().map(&mut states).collect();
        Order { first, next }
    }
}

impl<'p> Keyed<'p> {
    /// The key that is likely to come first.
    #[inline(always)]
    pub(crate) fn first_key(&self) -> u32 {
        match &self.order {
            None => 0,
            Some(order) => {
                order.next[order.first[self.top().class as usize][self.top().state as usize]]
            }
        }
    }

    /// A key of the map at hand was found: says what is likely to follow it, and learns if the
    /// key was not the one that was likely.
    #[inline(always)]
    pub(crate) fn found_key(&mut self, key: u32) {
        self.top_mut().unnamed = false;
        if key != self.top().next {
            self.learn(key);
        }
        self.top_mut().key = key;
        self.top_mut().next = match &self.order {
            None => key + 1,
            Some(order) => {
                let &Frame { class, state, .. } = self.top();
                order.next[order.first[class as usize][state as usize] + key as usize + 1]
            }
        };
    }

    /// A key of the map at hand came after the last one, and another was likely.
    #[inline(never)]
    fn learn(&mut self, key: u32) {
        let plan = self.plan();
        let &Frame { class, state, key: last, .. } = self.top();
        let order = self.order.get_or_insert_with(|| Box::new(Order::new(plan)));
        // Before the first key the last one is none, whose successor is 0.
        let place = order.first[class as usize][state as usize] + last.wrapping_add(1) as usize;
        order.next[place] = key;
    }
}
