//! The namespaces of prefixes (Namespaces in XML 1.0, third edition).

use std::collections::HashMap;
use std::ops::Range;

use penstock_scan::{TextBuf, ValidText, gathered, make_room};

/// The namespace of `xml:`.
pub const XML: &str = "http://www.w3.org/XML/1998/namespace";
/// The namespace of `xmlns:`.
pub const XMLNS: &str = "http://www.w3.org/2000/xmlns/";

/// A prefix that an open element has bound. The default namespace has the empty prefix.
#[derive(Debug)]
struct Binding {
    prefix: Range<usize>,
    /// Empty for no namespace: only the default namespace can be unbound.
    uri: Range<usize>,
    /// The depth of the element that bound it.
    depth: usize,
}

/// If there are more bindings than this, they are looked up in a table.
const FEW: usize = 16;

/// The bindings of all open elements.
#[derive(Debug, Default)]
pub(super) struct Namespaces {
    text: TextBuf,
    bindings: Vec<Binding>,
    /// For each prefix its bindings, innermost last. The table is made when there are more than a
    /// few bindings, and kept until there are none, so that it is not rebuilt again and again.
    table: Option<HashMap<Box<[u8]>, Vec<usize>>>,
    /// The depth of the innermost binding; 0 if there is none.
    pub(super) depth: usize,
}

/// Notes that the binding at `place` is one of the prefix.
fn note(table: &mut HashMap<Box<[u8]>, Vec<usize>>, prefix: &[u8], place: usize) {
    make_room(table, 1);
    let key = gathered(prefix.iter().copied()).into_boxed_slice();
    let places = table.entry(key).or_default();
    make_room(places, 1);
    places.push(place);
}

impl Namespaces {
    /// Binds a prefix for the element at `depth` and all inside it.
    pub(super) fn bind(&mut self, prefix: ValidText<'_>, uri: ValidText<'_>, depth: usize) {
        let start = self.text.text().as_bytes().len();
        self.text.push_text(prefix);
        let middle = start + prefix.as_bytes().len();
        self.text.push_text(uri);
        let end = middle + uri.as_bytes().len();
        let place = self.bindings.len();
        make_room(&mut self.bindings, 1);
        self.bindings.push(Binding { prefix: start..middle, uri: middle..end, depth });
        self.depth = depth;
        if let Some(table) = &mut self.table {
            note(table, prefix.as_bytes(), place);
        } else if self.bindings.len() > FEW {
            let mut table: HashMap<Box<[u8]>, Vec<usize>> = HashMap::new();
            for (place, binding) in self.bindings.iter().enumerate() {
                let prefix = &self.text.text().as_bytes()[binding.prefix.clone()];
                note(&mut table, prefix, place);
            }
            self.table = Some(table);
        }
    }

    /// Removes the bindings of elements deeper than `depth`.
    pub(super) fn leave(&mut self, depth: usize) {
        while let Some(binding) = self.bindings.last().filter(|binding| binding.depth > depth) {
            if let Some(table) = &mut self.table {
                let prefix = &self.text.text().as_bytes()[binding.prefix.clone()];
                if let Some(places) = table.get_mut(prefix) {
                    places.pop();
                    if places.is_empty() {
                        table.remove(prefix);
                    }
                }
            }
            self.text.truncate(binding.prefix.start);
            self.bindings.pop();
        }
        self.depth = self.bindings.last().map_or(0, |binding| binding.depth);
        if self.bindings.is_empty() {
            self.table = None;
        }
    }

    /// The prefixes that the element at `depth` has bound, with their namespaces.
    pub(super) fn bound_at(&self, depth: usize) -> impl Iterator<Item = (String, String)> {
        let text = self.text.text();
        let read = move |range: &Range<usize>| text.slice(range.clone()).as_str().to_owned();
        let bound = self.bindings.iter().filter(move |binding| binding.depth == depth);
        bound.map(move |binding| (read(&binding.prefix), read(&binding.uri)))
    }

    /// The namespace of names without a prefix, if there is one.
    #[inline]
    pub(super) fn unprefixed(&self) -> Option<ValidText<'_>> {
        if self.bindings.is_empty() {
            return None;
        }
        self.find(b"").filter(|uri| !uri.as_bytes().is_empty())
    }

    /// The namespace of a prefix, if it is bound.
    pub(super) fn find(&self, prefix: &[u8]) -> Option<ValidText<'_>> {
        let text = self.text.text();
        let place = match &self.table {
            Some(table) => table.get(prefix).and_then(|places| places.last()).copied(),
            None => {
                let is = |binding: &Binding| &text.as_bytes()[binding.prefix.clone()] == prefix;
                self.bindings.iter().rposition(is)
            }
        };
        match place {
            Some(place) => Some(text.slice(self.bindings[place].uri.clone())),
            None if prefix == b"xml" => Some(ValidText::from(XML)),
            None => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bind(spaces: &mut Namespaces, prefix: &str, uri: &str, depth: usize) {
        spaces.bind(ValidText::from(prefix), ValidText::from(uri), depth);
    }

    fn find<'a>(spaces: &'a Namespaces, prefix: &str) -> Option<&'a str> {
        spaces.find(prefix.as_bytes()).map(ValidText::as_str)
    }

    #[test]
    fn inner_bindings_hide_outer_ones() {
        let mut spaces = Namespaces::default();
        assert_eq!((find(&spaces, "xml"), find(&spaces, "a")), (Some(XML), None));
        bind(&mut spaces, "", "urn:default", 1);
        bind(&mut spaces, "a", "urn:1", 1);
        bind(&mut spaces, "a", "urn:3", 3);
        bind(&mut spaces, "", "", 3);
        assert_eq!(
            (find(&spaces, "a"), spaces.unprefixed(), spaces.depth),
            (Some("urn:3"), None, 3)
        );
        spaces.leave(2);
        assert_eq!((find(&spaces, "a"), spaces.depth), (Some("urn:1"), 1));
        assert_eq!(spaces.unprefixed().map(ValidText::as_str), Some("urn:default"));
        spaces.leave(0);
        assert_eq!((find(&spaces, "a"), spaces.depth), (None, 0));
    }

    #[test]
    fn many_bindings_are_found_alike() {
        let mut spaces = Namespaces::default();
        for depth in 1..200 {
            bind(&mut spaces, &format!("p{}", depth % 50), &format!("urn:{depth}"), depth);
        }
        for depth in (1..200).rev() {
            assert_eq!(find(&spaces, &format!("p{}", depth % 50)), Some(&*format!("urn:{depth}")));
            assert_eq!(find(&spaces, "q"), None);
            spaces.leave(depth - 1);
        }
        assert!(spaces.table.is_none());
    }
}
