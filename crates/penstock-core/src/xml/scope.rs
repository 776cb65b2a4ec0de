//! The namespaces that the writer has declared.

use std::collections::HashMap;
use std::ops::Range;

use crate::writer::{Unwritable, make_room};

/// A prefix that an open element declares. The default namespace has the empty prefix.
#[derive(Clone, Debug)]
pub(super) struct Binding {
    prefix: Range<usize>,
    /// Empty for no namespace, or for a prefix that was mentioned and is not declared.
    uri: Range<usize>,
    /// The depth of the element that declares it.
    pub(super) depth: usize,
    /// The last tag that has a name for whose namespace the writer chose this prefix.
    pub(super) chosen: u64,
    /// The last tag that has a name which is written with this prefix, whatever that stands for.
    pub(super) written: u64,
    /// Whether the declaration must still be written.
    pub(super) owed: bool,
}

/// If there are more declarations than this, they are looked up in a table.
const FEW: usize = 16;

/// The declarations of all open elements.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scope {
    text: Vec<u8>,
    bindings: Vec<Binding>,
    /// For each prefix its bindings, innermost last, as the reader keeps them.
    table: Option<HashMap<Box<[u8]>, Vec<usize>>>,
    /// The depth of the innermost declaration; 0 if there is none.
    pub(super) depth: usize,
}

impl Scope {
    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        self.bindings.is_empty()
    }

    /// Declares a prefix for the element at `depth` and all inside it. Returns its place.
    pub(crate) fn bind(
        &mut self,
        prefix: &[u8],
        uri: &[u8],
        depth: usize,
        owed: bool,
    ) -> Result<usize, Unwritable> {
        make_room(&mut self.text, prefix.len() + uri.len())?;
        let start = self.text.len();
        self.text.extend_from_slice(prefix);
        let middle = self.text.len();
        self.text.extend_from_slice(uri);
        let place = self.bindings.len();
        self.bindings.try_reserve(1).map_err(|_| Unwritable::memory())?;
        let (prefix_range, uri) = (start..middle, middle..self.text.len());
        let binding = Binding { prefix: prefix_range, uri, depth, chosen: 0, written: 0, owed };
        self.bindings.push(binding);
        self.depth = depth;
        if let Some(table) = &mut self.table {
            table.entry(prefix.into()).or_default().push(place);
        } else if self.bindings.len() > FEW {
            let mut table: HashMap<Box<[u8]>, Vec<usize>> = HashMap::new();
            for (place, binding) in self.bindings.iter().enumerate() {
                let prefix = &self.text[binding.prefix.clone()];
                table.entry(prefix.into()).or_default().push(place);
            }
            self.table = Some(table);
        }
        Ok(place)
    }

    /// Removes the declarations of elements deeper than `depth`.
    pub(crate) fn leave(&mut self, depth: usize) {
        while let Some(binding) = self.bindings.pop_if(|binding| binding.depth > depth) {
            if let Some(table) = &mut self.table {
                let prefix = &self.text[binding.prefix.clone()];
                if let Some(places) = table.get_mut(prefix) {
                    places.pop();
                    if places.is_empty() {
                        table.remove(prefix);
                    }
                }
            }
            self.text.truncate(binding.prefix.start);
        }
        self.depth = self.bindings.last().map_or(0, |binding| binding.depth);
        if self.bindings.is_empty() {
            self.table = None;
        }
    }

    /// The place of the declaration that a prefix refers to, if it is declared.
    #[inline]
    pub(crate) fn find(&self, prefix: &[u8]) -> Option<usize> {
        match &self.table {
            Some(table) => table.get(prefix).and_then(|places| places.last()).copied(),
            None => {
                let is = |binding: &Binding| &self.text[binding.prefix.clone()] == prefix;
                self.bindings.iter().rposition(is)
            }
        }
    }

    /// The place of a declaration of a prefix for this namespace, if the prefix can have that
    /// meaning in the current tag.
    pub(super) fn attempt(
        &mut self,
        prefix: &[u8],
        uri: &[u8],
        serial: u64,
        depth: usize,
    ) -> Result<Option<usize>, Unwritable> {
        let place = match self.find(prefix) {
            Some(place) if self.uri(place) == uri => place,
            Some(place) => {
                let binding = self.at(place);
                if binding.depth == depth || binding.chosen == serial || binding.written == serial {
                    return Ok(None);
                }
                self.bind(prefix, uri, depth, true)?
            }
            None => self.bind(prefix, uri, depth, true)?,
        };
        self.at(place).chosen = serial;
        Ok(Some(place))
    }

    /// As [`find`](Self::find), but not for a prefix that is only mentioned.
    pub(super) fn declared(&self, prefix: &[u8]) -> Option<usize> {
        self.find(prefix).filter(|place| prefix.is_empty() || !self.uri(*place).is_empty())
    }

    /// The tag of an element at `depth` has a name that is written with this prefix. If nobody has
    /// declared it yet, it is kept as one without a namespace: so the writer does not declare it
    /// for another name, and only the caller may.
    pub(super) fn mention(
        &mut self,
        prefix: &[u8],
        serial: u64,
        depth: usize,
    ) -> Result<(), Unwritable> {
        let place = match self.find(prefix) {
            Some(place) => place,
            None if matches!(prefix, b"" | b"xml" | b"xmlns") => return Ok(()),
            None => self.bind(prefix, b"", depth, false)?,
        };
        self.at(place).written = serial;
        Ok(())
    }

    pub(super) fn at(&mut self, place: usize) -> &mut Binding {
        &mut self.bindings[place]
    }

    #[inline(always)]
    pub(super) fn prefix(&self, place: usize) -> &[u8] {
        &self.text[self.bindings[place].prefix.clone()]
    }

    #[inline(always)]
    pub(crate) fn uri(&self, place: usize) -> &[u8] {
        &self.text[self.bindings[place].uri.clone()]
    }

    /// The places of the declarations of the element at `depth`, which is the innermost.
    pub(super) fn of(&self, depth: usize) -> Range<usize> {
        let outer = self.bindings.iter().rev().take_while(|binding| binding.depth == depth).count();
        self.bindings.len() - outer..self.bindings.len()
    }
}
