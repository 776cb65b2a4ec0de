//! The path of the current value, for messages.

use crate::event::KeyKind;
use crate::path_step::PathStep;
use penstock_scan::{check_reserve, copied, make_room};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// A map without a key so far, or the record itself.
    Start,
    Key,
    Attribute,
    List,
}

/// An open map or list, or, at the bottom, the record.
#[derive(Clone, Copy, Debug)]
struct Step {
    kind: Kind,
    /// Where its current key begins in the buffer of keys.
    key: usize,
    /// How many values in it are complete: in a list, the position of the next one.
    complete: u64,
}

/// The keys and positions of all open maps and lists. Keys are one after the other in one buffer.
#[derive(Debug)]
pub struct Trail {
    steps: Vec<Step>,
    keys: Vec<u8>,
}

const RECORD: Step = Step { kind: Kind::Start, key: 0, complete: 0 };

impl Default for Trail {
    fn default() -> Self {
        Trail { steps: vec![RECORD], keys: Vec::new() }
    }
}

impl Trail {
    /// At the beginning of a record.
    #[must_use]
    pub fn new() -> Self {
        Trail::default()
    }

    /// A key.
    #[inline(always)]
    pub fn key(&mut self, name: &[u8], kind: KeyKind) {
        if let Some(top) = self.steps.last_mut() {
            top.kind = if kind == KeyKind::Attribute { Kind::Attribute } else { Kind::Key };
            self.keys.truncate(top.key);
            make_room(&mut self.keys, name.len());
            self.keys.extend_from_slice(name);
        }
    }

    /// A value is complete.
    #[inline(always)]
    pub fn value(&mut self) {
        if let Some(top) = self.steps.last_mut() {
            // It is read for lists only.
            top.complete += 1;
        }
    }

    /// A map or a list begins.
    #[inline(always)]
    pub fn begin(&mut self, is_list: bool) {
        let kind = if is_list { Kind::List } else { Kind::Start };
        make_room(&mut self.steps, 1);
        self.steps.push(Step { kind, key: self.keys.len(), complete: 0 });
    }

    /// The innermost of them ends. It is a complete value then.
    #[inline(always)]
    pub fn end(&mut self) {
        if self.steps.len() > 1
            && let Some(ended) = self.steps.pop()
        {
            self.keys.truncate(ended.key);
        }
    }

    /// Whether no map and no list is open.
    #[must_use]
    pub fn is_at_record(&self) -> bool {
        self.steps.len() == 1
    }

    /// Goes back to the beginning of a record.
    pub fn clear(&mut self) {
        self.keys.clear();
        self.steps.clear();
        self.steps.push(RECORD);
    }

    /// The path of the current value, or, if not `inside`, of the container around it.
    #[must_use]
    pub fn path(&self, inside: bool) -> Vec<PathStep> {
        let ends = self.steps.iter().skip(1).map(|step| step.key).chain([self.keys.len()]);
        let mut steps = Vec::new();
        for (step, end) in self.steps.iter().zip(ends) {
            check_reserve();
            make_room(&mut steps, 1);
            let name = || copied(&String::from_utf8_lossy(&self.keys[step.key..end]));
            match step.kind {
                Kind::Key => steps.push(PathStep::Key(name())),
                Kind::Attribute => steps.push(PathStep::Attribute(name())),
                Kind::List => steps.push(PathStep::Index(step.complete)),
                Kind::Start => {}
            }
        }
        if !inside {
            steps.pop();
        }
        steps
    }
}
