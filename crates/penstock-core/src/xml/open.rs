//! The names of the open elements, innermost last.

use penstock_scan::make_room;

/// A stack of names in one buffer, so that opening and closing an element allocates nothing.
#[derive(Debug, Default)]
pub(super) struct Open {
    names: Vec<u8>,
    /// The beginning of each name in `names`.
    starts: Vec<usize>,
}

impl Open {
    /// How many elements are open.
    #[inline(always)]
    pub(super) fn depth(&self) -> usize {
        self.starts.len()
    }

    /// The name of the innermost element, as written; empty if none is open.
    #[inline(always)]
    pub(super) fn top(&self) -> &[u8] {
        match self.starts.last() {
            Some(&start) => &self.names[start..],
            None => &[],
        }
    }

    /// All names, outermost first.
    pub(super) fn names(&self) -> impl Iterator<Item = &[u8]> {
        let ends = self.starts.iter().skip(1).copied().chain([self.names.len()]);
        self.starts.iter().zip(ends).map(|(start, end)| &self.names[*start..end])
    }

    /// Opens an element.
    #[inline(always)]
    pub(super) fn push(&mut self, name: &[u8]) {
        make_room(&mut self.starts, 1);
        make_room(&mut self.names, name.len());
        self.starts.push(self.names.len());
        self.names.extend_from_slice(name);
    }

    /// Closes the innermost element.
    #[inline(always)]
    pub(super) fn pop(&mut self) {
        if let Some(start) = self.starts.pop() {
            self.names.truncate(start);
        }
    }
}
