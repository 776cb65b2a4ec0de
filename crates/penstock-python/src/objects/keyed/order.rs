//! The order of keys, for documents that do not use the class's order.

use super::Keyed;
use crate::objects::core::frame::Frame;
use crate::plan::{ClassPlan, Plan, State};

/// For each key of each state of each class, the key that last followed it.
pub(crate) struct Order {
    /// Where the states of each class begin in `next`. Each state has one place more than keys.
    first: Vec<Vec<usize>>,
    next: Vec<u32>,
}

impl Order {
    pub(crate) fn new(plan: &Plan) -> Self {
        let mut next = Vec::new();
        let mut states = |class: &ClassPlan| {
            let mut state = |state: &State| {
                let first = next.len();
                // One place before the first key, and one after each.
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
    /// The key that probably comes first.
    #[inline(always)]
    pub(crate) fn first_key(&self) -> u32 {
        match &self.order {
            None => 0,
            Some(order) => {
                order.next[order.first[self.top().class as usize][self.top().state as usize]]
            }
        }
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
        self.top_mut().next = match &self.order {
            None => key + 1,
            Some(order) => {
                let &Frame { class, state, .. } = self.top();
                order.next[order.first[class as usize][state as usize] + key as usize + 1]
            }
        };
    }

    /// A key of the current map followed the last one where another was expected.
    #[inline(never)]
    fn learn(&mut self, key: u32) {
        let plan = self.plan();
        let &Frame { class, state, key: last, .. } = self.top();
        let order = self.order.get_or_insert_with(|| Box::new(Order::new(plan)));
        // Before the first key, `last` is `NONE`, whose successor is 0.
        let place = order.first[class as usize][state as usize] + last.wrapping_add(1) as usize;
        order.next[place] = key;
    }
}
