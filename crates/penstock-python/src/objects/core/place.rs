//! The path and the reason of a value that does not fit, for messages.

use super::Core;
use super::frame::{Frame, FrameKind};
use super::refusal::{Code, Mismatch, Refusal};
use crate::plan::KindByte;
use penstock_core::path_step::PathStep;
use penstock_scan::{check_reserve, make_room};
use pyo3::prelude::*;

pub(crate) use penstock_core::error::brief;
use penstock_core::error::escaped;

/// The beginning of a name, short enough for a message.
pub(crate) fn shortened(name: &str) -> String {
    match name.char_indices().nth(40) {
        Some((end, _)) => format!("{}\u{2026}", escaped(&name[..end])),
        None => escaped(name),
    }
}

impl<'p> Core<'p> {
    /// The refusal of a value that does not fit the current node; `got` describes the value.
    #[cold]
    #[inline(never)]
    pub(crate) fn misfit(&self, at: u64, got: &str) -> Refusal {
        let expected = &self.item().name;
        let reason = format!("expected {expected}, got {got}");
        self.mismatch(at, reason, Some(expected.to_string()), Some(got.to_owned()))
    }

    /// The refusal of a value of the right type that is not one of those that the node takes.
    #[cold]
    #[inline(never)]
    pub(crate) fn misvalue(&self, at: u64, got: &str) -> Refusal {
        self.misfit(at, got).coded(Code::Value)
    }

    /// The refusal of a record because of the coming value.
    #[cold]
    #[inline(never)]
    pub(crate) fn mismatch(
        &self,
        at: u64,
        reason: String,
        expected: Option<String>,
        got: Option<String>,
    ) -> Refusal {
        let path = self.path(true);
        Mismatch { expected, got, ..Mismatch::new(at, reason, path) }.into()
    }

    /// The refusal of a record that exceeds a limit.
    #[cold]
    #[inline(never)]
    pub(crate) fn exceeded(&self, at: u64, reason: String) -> Refusal {
        let mut refusal = self.mismatch(at, reason, None, None);
        if let Some(mismatch) = refusal.mismatch() {
            mismatch.limit = true;
        }
        refusal
    }

    /// The path within the record: with `inside` to the coming value, else to the current
    /// container.
    #[cold]
    #[inline(never)]
    pub(crate) fn path(&self, inside: bool) -> Vec<PathStep> {
        let mut path = Vec::new();
        let bases = self.frames.iter().skip(1).map(|frame| frame.base);
        let mut ends = bases.chain([self.stack.len()]);
        let shown = self.frames.len() - usize::from(!inside);
        for (depth, frame) in self.frames[..shown].iter().enumerate() {
            let end = ends.next().unwrap_or(frame.base).max(frame.base);
            // Containers may be very deep, and each step is small.
            check_reserve();
            make_room(&mut path, 1);
            path.extend(self.step(depth, frame, end));
        }
        path
    }

    /// The step from a container to its current value. `end` is where the container's own part of
    /// the stack ends.
    pub(crate) fn step(&self, depth: usize, frame: &Frame<'_>, end: usize) -> Option<PathStep> {
        let own = end - frame.base;
        match frame.kind {
            // A document's root element is a step, if it was named.
            FrameKind::Root => {
                let name = self.path_keys.first().filter(|_| frame.unnamed)?;
                Some(PathStep::Key(name.clone()))
            }
            FrameKind::Element | FrameKind::Wrapper => {
                // The items of an attribute have a frame of their own.
                let inner = self.frames.get(depth + 1).map(|inner| inner.kind);
                let last = matches!(
                    inner,
                    None | Some(FrameKind::List | FrameKind::Numbers | FrameKind::Tuple)
                );
                let attribute = last && self.attribute;
                let step = if attribute { PathStep::Attribute } else { PathStep::Key };
                if frame.unnamed {
                    return self.path_keys.get(depth).map(|name| step(name.clone()));
                }
                let state = &self.plan().classes[frame.class as usize].states[frame.state as usize];
                let names = if attribute { &state.attributes } else { &state.elements };
                let edge = names.edges.get(frame.key as usize)?;
                Some(step(edge.name.to_string()))
            }
            FrameKind::Plain => (own > 1).then(|| PathStep::Key(self.describe_key(frame.base + 1))),
            FrameKind::Items | FrameKind::Named => {
                let name = self.path_keys.get(depth).filter(|_| frame.unnamed)?;
                let attribute = depth + 1 == self.frames.len() && self.attribute;
                let step = if attribute { PathStep::Attribute } else { PathStep::Key };
                Some(step(name.clone()))
            }
            // Of an array, the first item is looked at.
            FrameKind::Union => (frame.aim.kind != KindByte::OnPath).then_some(PathStep::Index(0)),
            FrameKind::Class | FrameKind::PathMap => {
                let state = &self.plan().classes[frame.class as usize].states[frame.state as usize];
                if frame.unnamed {
                    return self.path_keys.get(depth).map(|key| PathStep::Key(key.clone()));
                }
                let edge = state.keys.get(frame.key as usize)?;
                Some(PathStep::Key(edge.name.to_string()))
            }
            FrameKind::Raw => None,
            FrameKind::PlainDict | FrameKind::Dict => {
                if own.is_multiple_of(2) {
                    return None;
                }
                // A key that is no longer text is shown as it was written.
                if frame.unnamed {
                    return self.path_keys.get(depth).map(|key| PathStep::Key(key.clone()));
                }
                Some(PathStep::Key(self.describe_key(frame.base + own - 1)))
            }
            FrameKind::PlainList | FrameKind::List | FrameKind::Tuple => {
                Some(PathStep::Index(own as u64 + frame.index))
            }
            FrameKind::PathList | FrameKind::Gathered | FrameKind::Row | FrameKind::Numbers => {
                Some(PathStep::Index(frame.index))
            }
        }
    }

    /// A dict's key on the stack, as text.
    fn describe_key(&self, place: usize) -> String {
        let py = self.attached();
        // SAFETY: the stack owns the references in its places; places of keys are never empty.
        let key = unsafe { Bound::from_borrowed_ptr(py, self.stack.get(place)) };
        key.str().map_or_else(|_| "?".to_owned(), |text| text.to_string_lossy().into_owned())
    }

    /// Remembers a key that is not a known one, for messages.
    pub(crate) fn remember_key(&mut self, key: &str) {
        self.top_mut().unnamed = true;
        let depth = self.frames.len() - 1;
        if self.path_keys.len() <= depth {
            make_room(&mut self.path_keys, depth + 1);
            self.path_keys.resize(depth + 1, String::new());
        }
        self.path_keys[depth].clear();
        make_room(&mut self.path_keys[depth], key.len());
        self.path_keys[depth].push_str(key);
    }
}
