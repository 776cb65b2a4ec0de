//! The names of elements or attributes that lead on from one place of a document.

use super::automaton::NameEdge;
use super::path::NamespaceTest;
use crate::event::Key;
use crate::keys::KeyTable;
use penstock_scan::gathered;

/// Names, and where each leads.
///
/// ```
/// use penstock_core::event::{Key, KeyKind};
/// use penstock_core::select::{NameEdge, Names, Target};
///
/// let to = Target { accept: None, state: None, any: false };
/// let edge = NameEdge { local: Some("id".into()), namespace: None, prefixed: None, to };
/// let names = Names::new(vec![(edge, 7)]);
/// let name = |name| Key { name, namespace: None, prefix: None, kind: KeyKind::Element };
/// assert_eq!(names.find(&name("id".into())), Some(0));
/// assert_eq!(names.edges[0].to, 7);
/// assert_eq!(names.find(&name("x".into())), None);
/// ```
#[derive(Clone, Debug)]
pub struct Names<T> {
    /// The edges with a name, equal names side by side, then those for any name.
    pub edges: Box<[Named<T>]>,
    /// Finds the index into `runs` for a name without its prefix.
    table: Option<KeyTable>,
    /// For each name, the range of its edges.
    runs: Box<[(u32, u32)]>,
    /// Where the edges for any name begin.
    any: u32,
}

impl<T> Default for Names<T> {
    fn default() -> Self {
        Names { edges: [].into(), table: None, runs: [].into(), any: 0 }
    }
}

/// One known name.
#[derive(Clone, Debug)]
pub struct Named<T> {
    /// The name for messages, an attribute's without `@`; `*` for any.
    pub name: Box<str>,
    /// The namespace, if it must be a certain one; empty for none.
    namespace: Option<Box<str>>,
    /// Whether the name must be written with a prefix, or without one.
    prefixed: Option<bool>,
    /// Where it leads.
    pub to: T,
}

impl<T> Names<T> {
    /// Names in the order in which they are tried, and where each leads.
    #[must_use]
    pub fn new(edges: Vec<(NameEdge, T)>) -> Self {
        let mut runs: Vec<(u32, u32)> = Vec::new();
        let mut locals: Vec<Box<str>> = Vec::new();
        let mut any = edges.len() as u32;
        for (index, (edge, _)) in (0..).zip(&edges) {
            match (&edge.local, locals.last(), runs.last_mut()) {
                (None, ..) => {
                    any = index;
                    break;
                }
                (Some(local), Some(last), Some(run)) if local == last => run.1 = index + 1,
                (Some(local), ..) => {
                    locals.push(local.clone());
                    runs.push((index, index + 1));
                }
            }
        }
        let keys: Vec<&[u8]> = locals.iter().map(|local| local.as_bytes()).collect();
        let table = (!keys.is_empty()).then(|| KeyTable::new(&keys));
        let edges = edges.into_iter().map(|(edge, to)| Named {
            name: edge.local.unwrap_or_else(|| "*".into()),
            namespace: edge.namespace,
            prefixed: edge.prefixed,
            to,
        });
        Names { edges: edges.collect(), table, runs: runs.into(), any }
    }

    /// The same names, which lead elsewhere.
    ///
    /// # Errors
    /// The first error of the function.
    pub fn leading<U, E>(&self, to: impl Fn(&Named<T>) -> Result<U, E>) -> Result<Names<U>, E> {
        let mut edges = Vec::new();
        for edge in &self.edges {
            let Named { name, namespace, prefixed, .. } = edge;
            let (name, namespace) = (name.clone(), namespace.clone());
            edges.push(Named { name, namespace, prefixed: *prefixed, to: to(edge)? });
        }
        let table = self.table.clone();
        let runs = gathered(self.runs.iter().copied()).into();
        Ok(Names { edges: edges.into(), table, runs, any: self.any })
    }

    /// The index of the edge for a name: the first one whose conditions hold.
    #[inline]
    #[must_use]
    pub fn find(&self, key: &Key<'_>) -> Option<u32> {
        let admits = |index: &u32| self.edges[*index as usize].admits(key);
        let run = self.table.as_ref().and_then(|table| table.find(key.name.bytes()));
        if let Some(run) = run {
            let (first, end) = self.runs[run as usize];
            if let Some(found) = (first..end).find(admits) {
                return Some(found);
            }
        }
        (self.any..self.edges.len() as u32).find(admits)
    }

    /// Whether the edge is for any name.
    #[inline]
    #[must_use]
    pub fn is_any(&self, edge: u32) -> bool {
        edge >= self.any
    }
}

impl<T> Named<T> {
    /// Whether a name without prefix and namespace leads here.
    #[must_use]
    pub fn takes_unprefixed(&self) -> bool {
        self.prefixed != Some(true) && self.namespace.as_ref().is_none_or(|uri| uri.is_empty())
    }

    /// The namespace that the name must be in.
    #[must_use]
    pub fn namespace(&self) -> NamespaceTest {
        match (&self.namespace, self.prefixed) {
            (Some(uri), _) => NamespaceTest::Uri(uri.clone()),
            (None, Some(false)) => NamespaceTest::Unprefixed,
            (None, _) => NamespaceTest::Any,
        }
    }

    /// Whether the conditions beside the name hold.
    #[inline]
    fn admits(&self, key: &Key<'_>) -> bool {
        self.prefixed.is_none_or(|prefixed| prefixed == key.prefix.is_some())
            && self.namespace.as_ref().is_none_or(|exact| {
                exact.as_bytes() == key.namespace.map_or(&b""[..], |uri| uri.bytes())
            })
    }
}
