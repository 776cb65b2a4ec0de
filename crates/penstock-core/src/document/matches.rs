//! The values at a path, one after the other.

use super::view::{Container, Distinct, List, Map, View};
use crate::select::{Automaton, Path, PathError, Target};
use crate::word::Word;
use penstock_scan::TextBuf;

/// Finds the values at a path. They come in the order of the text; values of a repeated key come
/// where the key first occurs. Unless it is asked to, it does not search inside a value that it has
/// found. It stores only numbers, and the caller passes the document to each step.
#[derive(Clone, Debug)]
pub struct Matches {
    automaton: Automaton,
    open: Vec<Frame>,
}

/// A map or list on the path.
#[derive(Clone, Copy, Debug)]
struct Frame {
    container: Word,
    state: u32,
    /// How many of its distinct keys or elements it has visited.
    done: usize,
}

/// A value that was found.
#[derive(Clone, Copy, Debug)]
pub struct Match {
    /// The value.
    pub value: Word,
    /// The map or list that it is in.
    pub within: Word,
    /// Its position there.
    pub slot: usize,
}

impl Matches {
    /// The values of `path` inside the map or list `from`; none in another value. If `nested`, also
    /// those inside others, which come after them.
    ///
    /// # Errors
    /// If the path does not lead to values, or is too complex.
    pub fn new(path: &Path, view: View<'_>, from: Word, nested: bool) -> Result<Self, PathError> {
        let automaton =
            if nested { Automaton::nested_record(path)? } else { Automaton::record(path)? };
        let mut matches = Matches { automaton, open: Vec::new() };
        matches.enter(view, from, 0);
        Ok(matches)
    }

    fn enter(&mut self, view: View<'_>, container: Word, state: u32) {
        if view.container(container).is_some() {
            self.open.push(Frame { container, state, done: 0 });
        }
    }

    /// The next value.
    pub fn next(&mut self, view: View<'_>) -> Option<Match> {
        let mut room = TextBuf::new();
        while let Some(mut frame) = self.open.pop() {
            let Some(container) = view.container(frame.container) else { continue };
            let Some((target, slot, value)) = self.step(&container, &mut frame, &mut room) else {
                continue;
            };
            self.open.push(frame);
            if let Some(state) = target.state {
                self.enter(view, value, state);
            }
            if target.accept.is_some() {
                return Some(Match { value, within: frame.container, slot });
            }
        }
        None
    }

    /// The next value of a map or list on the path.
    fn step(
        &self,
        container: &Container<'_>,
        frame: &mut Frame,
        room: &mut TextBuf,
    ) -> Option<(Target, usize, Word)> {
        let state = &self.automaton.states[frame.state as usize];
        if !container.is_map() {
            let list = List(*container);
            if let (None, [(at, target)]) = (state.other, &state.indexes[..]) {
                // One position: the others need no visit.
                let at = usize::try_from(*at).ok().filter(|at| *at >= frame.done)?;
                frame.done = at + 1;
                return list.get(at).map(|value| (*target, at, value));
            }
            while let Some(value) = list.get(frame.done) {
                let at = frame.done;
                frame.done += 1;
                if let Some(target) = state.index(at as u64) {
                    return Some((target, at, value));
                }
            }
            return None;
        }
        let map = Map(*container);
        if let (None, [edge]) = (state.other, &state.keys[..]) {
            if frame.done > 0 {
                return None;
            }
            frame.done = 1;
            let slot = map.find(&edge.key)?;
            return container.slot(slot).map(|value| (edge.to, slot, value));
        }
        let distinct: Distinct<'_> = map.distinct();
        while let Some(entry) = distinct.entry(frame.done) {
            frame.done += 1;
            if let Some(target) = state.member(entry.key.resolve(room).as_bytes()) {
                return Some((target, entry.slot, entry.value));
            }
        }
        None
    }
}
