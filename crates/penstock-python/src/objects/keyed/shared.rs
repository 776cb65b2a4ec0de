//! Containers to which a document refers more than once: where they become plain values, all
//! references are to one object, as they are in the document.
//!
//! Within a record only: what is kept for other records would grow with the document.

use super::Keyed;
use crate::objects::core::Answer;
use crate::plan::KindByte;
use penstock_core::event::Container;
use penstock_core::protocol::Flow;
use pyo3::ffi;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use std::collections::HashMap;

/// The shared containers of a record.
#[derive(Default)]
pub(crate) struct Shared {
    /// The number of the container that begins next.
    next: Option<u64>,
    /// Those under construction: how many containers are open with it, and its number.
    open: Vec<(usize, u64)>,
    made: HashMap<u64, Py<PyAny>>,
}

impl Shared {
    /// Shows the containers to the collector.
    pub(crate) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.made.values().try_for_each(|made| visit.call(made))
    }
}

impl Keyed<'_> {
    /// The number of the container that follows, if it is shared.
    #[cold]
    #[inline(never)]
    pub(super) fn expect_shared(&mut self, container: Container) {
        if container.shared.is_some() {
            self.core.shared.get_or_insert_default().next = container.shared;
        }
    }

    /// Gives the container that begins, if it was made before. None: it is to be made.
    #[cold]
    #[inline(never)]
    pub(super) fn give_shared(&mut self, at: u64) -> Option<Answer> {
        // Only plain values can be the same object: others belong to a field.
        let plain = self.aim().kind == KindByte::Any && self.core.frames.len() > 1;
        let depth = self.core.frames.len() + 1;
        let py = self.attached();
        let shared = self.core.shared.as_mut()?;
        let number = shared.next.take().filter(|_| plain)?;
        let Some(made) = shared.made.get(&number) else {
            shared.open.push((depth, number));
            return None;
        };
        let made = made.clone_ref(py).into_ptr();
        Some(self.put(made, at).map(|_| Flow::Skip))
    }

    /// Remembers the container that ends, before it is left: none if it could not be made.
    #[cold]
    #[inline(never)]
    pub(super) fn keep_shared(&mut self, made: *mut ffi::PyObject) {
        let (py, depth) = (self.attached(), self.core.frames.len());
        let Some(shared) = &mut self.core.shared else { return };
        if let Some((_, number)) = shared.open.pop_if(|(open, _)| *open == depth)
            // SAFETY: a live object, which the caller owns, or null.
            && let Some(made) = unsafe { Bound::from_borrowed_ptr_or_opt(py, made) }
        {
            shared.made.insert(number, made.unbind());
        }
        if depth == 2 {
            // The record is complete.
            self.core.shared = None;
        }
    }
}
