//! Looking ahead in a map: what its keys are, before any of its members is told.
//!
//! A sink that cannot say what a map becomes before it knows one of its keys answers
//! [`Flow::Look`]. The reader then runs ahead over the members, checking all and telling only what
//! is asked for, until the sink knows; and goes on behind the opening brace, where it had stood. What
//! it runs over stays in the window meanwhile, so it runs no further than a limit; it takes up
//! where the window ended, so no byte is looked at twice while looking.

use crate::event::{Key, KeyKind, Scalar, Text};
use crate::sink::{Flow, Look, Sink, Want};

/// A map that is being looked into.
#[derive(Debug)]
pub(super) struct Looking {
    /// Behind its opening brace, in the window.
    pub(super) from: usize,
    /// How many maps and lists are open around it.
    pub(super) depth: usize,
}

/// Tells a sink what it looks for, and nothing else.
pub(super) struct Scout<'s, S> {
    sink: &'s mut S,
    /// How the search ended, if it did.
    pub(super) found: Option<Look>,
}

impl<'s, S: Sink> Scout<'s, S> {
    pub(super) fn new(sink: &'s mut S) -> Self {
        Scout { sink, found: None }
    }

    /// What the reader does upon the sink's answer.
    fn settle(&mut self, answer: Result<Look, S::Error>, value: Flow) -> Result<Flow, S::Error> {
        Ok(match answer? {
            Look::Pass => Flow::Skip,
            Look::Value => value,
            end => {
                self.found = Some(end);
                Flow::Stop
            }
        })
    }
}

impl<S: Sink> Sink for Scout<'_, S> {
    type Error = S::Error;

    fn begin_map(&mut self, at: u64) -> Result<Flow, S::Error> {
        let answer = self.sink.look_value(None, at);
        self.settle(answer, Flow::Skip)
    }
    fn begin_list(&mut self, at: u64) -> Result<Flow, S::Error> {
        let answer = self.sink.look_value(None, at);
        self.settle(answer, Flow::Skip)
    }
    fn end_map(&mut self, at: u64) -> Result<Flow, S::Error> {
        // There is nothing to look on for.
        let wanted = self.sink.look_end(at)? != Look::Skip;
        self.found = Some(if wanted { Look::Found } else { Look::Skip });
        Ok(Flow::Stop)
    }
    fn end_list(&mut self, _at: u64) -> Result<Flow, S::Error> {
        Ok(Flow::Take)
    }
    fn key(&mut self, key: Text<'_>, at: u64) -> Result<Flow, S::Error> {
        let answer = self.sink.look_key(key, at);
        self.settle(answer, Flow::Take)
    }
    fn name(&mut self, key: Key<'_>, at: u64) -> Result<Flow, S::Error> {
        debug_assert_eq!(key.kind, KeyKind::Member);
        self.key(key.name, at)
    }
    fn scalar(&mut self, value: Scalar<'_>, at: u64) -> Result<Flow, S::Error> {
        let answer = self.sink.look_value(Some(value), at);
        self.settle(answer, Flow::Skip)
    }
    fn piece(&mut self, _text: Text<'_>, _at: u64) -> Result<Flow, S::Error> {
        Ok(Flow::Take)
    }
    fn abandon(&mut self) {}
    fn want(&self) -> Want {
        Want::Native
    }
}
