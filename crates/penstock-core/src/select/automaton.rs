//! Compiles many paths into one table, which says for each key where it leads.
//!
//! A set of paths is compiled to a deterministic automaton by subset construction: a state is the
//! set of steps that may come next. Code that walks a document keeps one state for each open map or
//! list, and looks up each key or element once, however many paths there are.
//!
//! A value belongs to at most one id. The paths are refused when they are compiled if two ids claim
//! the same value, or one claims a value inside another's. There are two exceptions. A path that
//! begins with `//` matches everywhere except inside values that are taken, its own matches
//! included. And if two ids have `x` and `{uri}x`, which both match an `x` in a default namespace
//! of that URI, only the second one matches it. So a class may have both, because most documents
//! that have both write one of them with a prefix.
//!
//! A caller may allow an id to hold others ([`Automaton::nested`]): a value that belongs to it may contain values of
//! other ids. Its target is then a state, whose [`State::whole`] is the id.
//!
//! `*` does not match attributes. In a format without attributes, the key `@x` counts as one if a
//! path asks for `@x`. So a class may have both `*` and `@x` with the same meaning in every format.

use std::collections::{HashMap, HashSet};
use std::fmt;

use super::path::{NamespaceTest, Path, PathError, Test};
use crate::event::{Key, KeyKind};

/// The most states of an automaton. `//a/*/*/*...` doubles them with each step.
const MAX_STATES: usize = 10_000;
/// The most steps to look at while compiling. This bounds time and memory for a set of many long
/// paths that does not exceed the number of states.
const MAX_WORK: usize = 5_000_000;

/// Why a set of paths cannot be compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refused {
    /// Both ids accept the same value, or one of them accepts a value that contains one of the
    /// other.
    Conflict {
        /// The id that accepts.
        a: u32,
        /// The other one.
        b: u32,
    },
    /// The paths need more states than are allowed.
    TooLarge,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refused::Conflict { a, b } => write!(f, "paths {a} and {b} claim the same value"),
            Refused::TooLarge => f.write_str("the paths are too many or have too many '*'"),
        }
    }
}

impl std::error::Error for Refused {}

/// The target of a key or a position. It has at least one of `accept` and `state`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Target {
    /// The value belongs to this id, whole.
    pub accept: Option<u32>,
    /// The state inside the value. With an `accept` it is a state without edges, and only its
    /// [`State::takes_key`] matters; except for [records inside
    /// records](Automaton::nested_record).
    pub state: Option<u32>,
    /// The path to here contains a `*` or a `//`, so it may match many values.
    pub any: bool,
}

/// An edge for a key of a map in a format without namespaces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyEdge {
    /// The key.
    pub key: Box<str>,
    /// Its target.
    pub to: Target,
}

/// An edge for elements or attributes. Every condition that it has must hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameEdge {
    /// The name without its prefix.
    pub local: Option<Box<str>>,
    /// The namespace; empty for none.
    pub namespace: Option<Box<str>>,
    /// Whether the name was written with a prefix.
    pub prefixed: Option<bool>,
    /// Its target.
    pub to: Target,
}

impl NameEdge {
    fn admits(&self, key: &Key<'_>) -> bool {
        let uri = key.namespace.map_or(&b""[..], |uri| uri.bytes());
        self.local.as_ref().is_none_or(|local| local.as_bytes() == key.name.bytes())
            && self.namespace.as_ref().is_none_or(|exact| exact.as_bytes() == uri)
            && self.prefixed.is_none_or(|prefixed| prefixed == key.prefix.is_some())
    }
}

/// The steps that may come next at one place of the document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// For the keys of a map, each key once, in the order of the paths.
    pub keys: Vec<KeyEdge>,
    /// For the elements of a list: positions and their targets, ascending.
    pub indexes: Vec<(u64, Target)>,
    /// For child elements: the first edge whose conditions hold counts.
    pub elements: Vec<NameEdge>,
    /// For attributes: the first edge whose conditions hold counts. No edge leads into an
    /// attribute.
    pub attributes: Vec<NameEdge>,
    /// For any key, position or child element without an edge of its own. Not for attributes.
    pub other: Option<Target>,
    /// Ids whose path ends in `key()` here. They get the key or position that led to this state; in
    /// the start state, the one that led to the record.
    pub takes_key: Vec<u32>,
    /// Ids whose path ends in `text()` here: they get the element's own text.
    pub takes_text: Vec<u32>,
    /// The id to which the value that led to this state belongs, if it holds others.
    pub whole: Option<u32>,
}

impl State {
    /// The target of a key of a map, in a format without namespaces.
    #[must_use]
    pub fn member(&self, name: &[u8]) -> Option<Target> {
        let edge = self.keys.iter().find(|edge| edge.key.as_bytes() == name);
        edge.map_or(self.other, |edge| Some(edge.to))
    }
    /// The target of the element of a list at `position`.
    #[must_use]
    pub fn index(&self, position: u64) -> Option<Target> {
        match self.indexes.binary_search_by_key(&position, |edge| edge.0) {
            Ok(found) => Some(self.indexes[found].1),
            Err(_) => self.other,
        }
    }
    /// The target of a key of any kind.
    #[must_use]
    pub fn key(&self, key: &Key<'_>) -> Option<Target> {
        let admits = |edge: &&NameEdge| edge.admits(key);
        match key.kind {
            KeyKind::Member => self.member(key.name.bytes()),
            KeyKind::Element => {
                self.elements.iter().find(admits).map_or(self.other, |edge| Some(edge.to))
            }
            KeyKind::Attribute => self.attributes.iter().find(admits).map(|edge| edge.to),
        }
    }
    /// True if an element of a list could have a target from here.
    #[must_use]
    pub fn looks_into_lists(&self) -> bool {
        self.other.is_some() || !self.indexes.is_empty()
    }
}

/// A compiled set of paths. State 0 is the start.
///
/// ```
/// use penstock_core::select::{Automaton, Path};
///
/// let paths = [(Path::parse("id").unwrap(), 0), (Path::parse("tags/*").unwrap(), 1)];
/// let automaton = Automaton::fields(&paths).unwrap();
/// let start = &automaton.states[0];
/// assert_eq!(start.member(b"id").unwrap().accept, Some(0));
/// let tags = start.member(b"tags").unwrap().state.unwrap();
/// assert_eq!(automaton.states[tags as usize].index(7).unwrap().accept, Some(1));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Automaton {
    /// The states.
    pub states: Vec<State>,
}

impl Automaton {
    /// The paths of a class, each with the id of its field. They start inside the record. An id may
    /// have several paths.
    ///
    /// # Errors
    /// If two paths claim the same value, or all together need too many states.
    pub fn fields(paths: &[(Path, u32)]) -> Result<Automaton, Refused> {
        Builder::new(paths, &|_| false).build()
    }

    /// The same, with ids that may hold others: a value may belong to one of these, and contain
    /// attributes and elements that belong to other ids. And with owners of ids: of those of one
    /// owner, `x` has a value before `*`, which then means any other.
    ///
    /// # Errors
    /// As [`fields`](Self::fields).
    ///
    /// ```
    /// use penstock_core::select::{Automaton, Path};
    ///
    /// let paths = [(Path::parse("guid").unwrap(), 0), (Path::parse("guid/@id").unwrap(), 1)];
    /// assert!(Automaton::fields(&paths).is_err());
    /// let automaton = Automaton::nested(&paths, &|id| id == 0, &|id| id).unwrap();
    /// let inside = automaton.states[0].elements[0].to.state.unwrap() as usize;
    /// assert_eq!(automaton.states[inside].whole, Some(0));
    /// assert_eq!(automaton.states[inside].attributes[0].to.accept, Some(1));
    /// ```
    pub fn nested(
        paths: &[(Path, u32)],
        holds: &dyn Fn(u32) -> bool,
        owner: &dyn Fn(u32) -> u32,
    ) -> Result<Automaton, Refused> {
        Builder { owner, ..Builder::new(paths, holds) }.build()
    }

    /// The path of the records, which have the id 0. A record inside a record does not count.
    ///
    /// # Errors
    /// If the path does not lead to values, or needs too many states.
    pub fn record(path: &Path) -> Result<Automaton, PathError> {
        Automaton::of_records(path, false)
    }

    /// The same, and records inside records count: a target has then a state beside its `accept`,
    /// with the edges that lead on to them.
    ///
    /// # Errors
    /// As for [`record`](Self::record).
    pub fn nested_record(path: &Path) -> Result<Automaton, PathError> {
        Automaton::of_records(path, true)
    }

    fn of_records(path: &Path, nested: bool) -> Result<Automaton, PathError> {
        if let Some(last) = path.steps().last()
            && matches!(last.test(), Test::Text | Test::KeyOf)
        {
            let reason = format!("a record is a whole value, and {last} is not");
            return Err(PathError::new(last.column(), reason));
        }
        let paths = [(path.clone(), 0)];
        Builder { nested, ..Builder::new(&paths, &|_| false) }.build().map_err(|_| {
            PathError::new(1, format!("'//' and so many '*' need more than {MAX_STATES} states"))
        })
    }
}

/// A path, and how many of its steps have matched.
type Item = (u32, u32);

/// One path while it is compiled.
struct Compiled<'p> {
    path: &'p Path,
    id: u32,
    /// From this step on, the path may have matched more than once.
    many_from: usize,
}

struct Builder<'p> {
    paths: Vec<Compiled<'p>>,
    /// Whether values of an id may contain those of others.
    holds: &'p dyn Fn(u32) -> bool,
    /// To whom an id belongs: of the ids of one owner, the name has a value before the star.
    owner: &'p dyn Fn(u32) -> u32,
    known: HashMap<Vec<Item>, u32>,
    /// The item sets of the states, in the order of the states.
    sets: Vec<Vec<Item>>,
    work: usize,
    /// Whether the search goes on inside a value that was found.
    nested: bool,
}

/// An item's test of a name.
struct Wanted<'p> {
    local: Option<&'p str>,
    namespace: &'p NamespaceTest,
    then: Item,
}

/// What belongs to each key of one kind, in order of appearance.
struct Grouped<K, T> {
    groups: Vec<(K, Vec<T>)>,
    places: HashMap<K, usize>,
}

impl<K: Copy + Eq + std::hash::Hash, T> Grouped<K, T> {
    fn new() -> Self {
        Grouped { groups: Vec::new(), places: HashMap::new() }
    }
    fn add(&mut self, key: K, item: T) {
        let place = *self.places.entry(key).or_insert(self.groups.len());
        if place == self.groups.len() {
            self.groups.push((key, Vec::new()));
        }
        self.groups[place].1.push(item);
    }
}

impl<'p> Builder<'p> {
    fn new(paths: &'p [(Path, u32)], holds: &'p dyn Fn(u32) -> bool) -> Self {
        let compiled = |(path, id): &'p (Path, u32)| {
            let first = path.steps().iter().position(|step| step.is_wild());
            let many_from = if path.anywhere() { 0 } else { first.map_or(usize::MAX, |n| n + 1) };
            Compiled { path, id: *id, many_from }
        };
        let paths = paths.iter().map(compiled).collect();
        let (known, sets) = (HashMap::new(), Vec::new());
        Builder { paths, holds, owner: &|id| id, known, sets, work: 0, nested: false }
    }

    fn build(mut self) -> Result<Automaton, Refused> {
        let start = (0..self.paths.len()).map(|path| (path as u32, 0)).collect();
        self.intern(start)?;
        let mut states = Vec::new();
        while states.len() < self.sets.len() {
            let items = self.sets[states.len()].clone();
            let state = self.state(&items)?;
            states.push(state);
        }
        Ok(Automaton { states })
    }

    /// The number of the state of `items`, which are sorted and distinct.
    fn intern(&mut self, items: Vec<Item>) -> Result<u32, Refused> {
        if let Some(state) = self.known.get(&items) {
            return Ok(*state);
        }
        if self.sets.len() >= MAX_STATES {
            return Err(Refused::TooLarge);
        }
        let state = self.sets.len() as u32;
        self.sets.push(items.clone());
        self.known.insert(items, state);
        Ok(state)
    }

    fn charge(&mut self, work: usize) -> Result<(), Refused> {
        self.work += work + 1;
        if self.work > MAX_WORK { Err(Refused::TooLarge) } else { Ok(()) }
    }

    /// The next step of `item`; none if its path has matched.
    fn next_test(&self, item: Item) -> Option<&'p Test> {
        let path = self.paths[item.0 as usize].path;
        path.steps().get(item.1 as usize).map(|step| step.test())
    }

    /// All edges out of one set of items.
    fn state(&mut self, items: &[Item]) -> Result<State, Refused> {
        let mut state = State::default();
        // The targets of any child; the part of them that continues even after an attribute; and
        // the additions of names and positions.
        let mut any = Vec::new();
        let mut lingering = Vec::new();
        let mut keys = Grouped::new();
        let mut indexes = Grouped::new();
        let mut elements = Vec::new();
        let mut attributes = Vec::new();
        let mut marked = HashSet::new();
        for &item in items {
            let Compiled { path, id, .. } = self.paths[item.0 as usize];
            let Some(step) = path.steps().get(item.1 as usize) else {
                state.whole = Some(id);
                continue;
            };
            let then = (item.0, item.1 + 1);
            if path.anywhere() && item.1 == 0 {
                any.push(item);
                lingering.push(item);
            }
            match step.test() {
                Test::AnyChild => any.push(then),
                Test::Name { namespace, local } => {
                    keys.add(step.key(), then);
                    if let Some(index) = step.index() {
                        indexes.add(index, then);
                    }
                    elements.push(Wanted { local: local.as_deref(), namespace, then });
                }
                Test::Attribute { namespace, local } => {
                    keys.add(step.key(), then);
                    marked.insert(step.key());
                    attributes.push(Wanted { local: Some(local), namespace, then });
                }
                Test::Text => state.takes_text.push(id),
                Test::KeyOf => state.takes_key.push(id),
            }
        }
        for (key, more) in keys.groups {
            let is_attribute = marked.contains(key);
            let unnamed = if is_attribute { &lingering } else { &any };
            if let Some(to) = self.target(unnamed, more)? {
                state.keys.push(KeyEdge { key: key.into(), to });
            }
        }
        for (index, more) in indexes.groups {
            if let Some(to) = self.target(&any, more)? {
                state.indexes.push((index, to));
            }
        }
        state.indexes.sort_unstable_by_key(|edge| edge.0);
        state.elements = self.name_edges(&any, &elements)?;
        state.attributes = self.name_edges(&[], &attributes)?;
        // An attribute's value has no parts.
        state.attributes.retain_mut(|edge| {
            edge.to.state = None;
            edge.to.accept.is_some()
        });
        state.other = self.target(&any, Vec::new())?;
        Ok(state)
    }

    /// Edges for every combination of name, namespace and prefix that the tests distinguish, the
    /// specific ones before the general ones. An edge is left out if the next one gives the same
    /// answer.
    fn name_edges(
        &mut self,
        any: &[Item],
        wanted: &[Wanted<'p>],
    ) -> Result<Vec<NameEdge>, Refused> {
        let mut edges = Vec::new();
        let mut locals: Grouped<Option<&str>, &Wanted<'p>> = Grouped::new();
        for want in wanted {
            locals.add(want.local, want);
        }
        // The edges for any name come last.
        locals.groups.sort_by_key(|(local, _)| local.is_none());
        let unnamed = [self.target(any, Vec::new())?; 2];
        let of_any_name = wanted.iter().filter(|want| want.local.is_none()).collect::<Vec<_>>();
        for (local, mut relevant) in locals.groups {
            if local.is_some() {
                relevant.extend_from_slice(&of_any_name);
            }
            // A namespace that none of them names is like any other namespace.
            let mut uris: Vec<&str> = Vec::new();
            let mut seen = HashSet::new();
            for want in &relevant {
                if let NamespaceTest::Uri(uri) = want.namespace
                    && seen.insert(&**uri)
                {
                    uris.push(uri);
                }
            }
            let mut targets = |uri: Option<&str>| {
                let mut of = |prefixed: bool| {
                    self.charge(relevant.len())?;
                    let id = |want: &Wanted<'_>| self.paths[want.then.0 as usize].id;
                    // An exact name has the value to itself if another id asks by the plain name.
                    let loses = |plain: &Wanted<'_>| {
                        *plain.namespace == NamespaceTest::Unprefixed
                            && relevant.iter().any(|exact| {
                                exact.local.is_some()
                                    && matches!(exact.namespace, NamespaceTest::Uri(named)
                                        if Some(&**named) == uri)
                                    && id(exact) != id(plain)
                            })
                    };
                    let admitted = relevant
                        .iter()
                        .filter(|want| want.namespace.admits(uri, prefixed) && !loses(want));
                    let admitted = admitted.map(|want| want.then).collect();
                    self.target(any, admitted)
                };
                Ok::<_, Refused>([of(false)?, of(true)?])
            };
            let rest = targets(None)?;
            for uri in uris {
                push_edges(&mut edges, local, Some(uri), targets(Some(uri))?, rest);
            }
            push_edges(&mut edges, local, None, rest, unnamed);
        }
        Ok(edges)
    }

    /// Removes stars that have matched beside a name of the same owner.
    fn leave_stars(&self, items: &mut Vec<Item>) {
        let star = |item: &Item| {
            let last = self.paths[item.0 as usize].path.steps().last();
            last.is_some_and(|step| *step.test() == Test::AnyChild)
        };
        let owner = |item: &Item| (self.owner)(self.paths[item.0 as usize].id);
        let ended = |item: &&Item| self.next_test(**item).is_none();
        let named = items.iter().filter(ended).filter(|item| !star(item)).map(owner);
        let named: HashSet<u32> = named.collect();
        items.retain(|item| !(ended(&item) && star(item) && named.contains(&owner(item))));
    }

    /// The target of the items `any` and `more` together; none if there are no items.
    fn target(&mut self, any: &[Item], mut more: Vec<Item>) -> Result<Option<Target>, Refused> {
        self.charge(any.len() + more.len())?;
        more.extend_from_slice(any);
        let mut items = more;
        items.sort_unstable();
        items.dedup();
        self.leave_stars(&mut items);
        if items.is_empty() {
            return Ok(None);
        }
        let many = |builder: &Self, item: Item| {
            item.1 as usize >= builder.paths[item.0 as usize].many_from
        };
        let matched = items.iter().find(|item| self.next_test(**item).is_none()).copied();
        let Some(matched) = matched else {
            let any = items.iter().any(|item| many(self, *item));
            let state = Some(self.intern(items)?);
            return Ok(Some(Target { accept: None, state, any }));
        };
        let Compiled { path: whole, id: accept, .. } = self.paths[matched.0 as usize];
        let is_element =
            whole.steps().last().is_some_and(|step| !matches!(step.test(), Test::Attribute { .. }));
        let holds = is_element && (self.holds)(accept);
        let mut any = false;
        if self.nested {
            let any = items.iter().any(|item| self.next_test(*item).is_none() && many(self, *item));
            items.retain(|item| self.next_test(*item).is_some());
            let state = if items.is_empty() { None } else { Some(self.intern(items)?) };
            return Ok(Some(Target { accept: Some(accept), state, any }));
        }
        let mut takes_key = Vec::new();
        let mut inside = Vec::new();
        for &item in &items {
            let Compiled { path, id, .. } = self.paths[item.0 as usize];
            let test = self.next_test(item);
            any |= test.is_none() && many(self, item);
            if test == Some(&Test::KeyOf) {
                // The key is not inside the value.
                takes_key.push(item);
            } else if path.anywhere() && item.1 == 0 {
            } else if holds
                && id != accept
                && matches!(test, Some(Test::Name { .. } | Test::AnyChild | Test::Attribute { .. }))
            {
                inside.push(item);
            } else if id != accept {
                return Err(Refused::Conflict { a: accept, b: id });
            }
        }
        if !inside.is_empty() {
            // With the item that has matched, which says to whom the value belongs.
            inside.extend([matched].into_iter().chain(takes_key));
            inside.sort_unstable();
            let state = Some(self.intern(inside)?);
            return Ok(Some(Target { accept: None, state, any }));
        }
        let state = if takes_key.is_empty() { None } else { Some(self.intern(takes_key)?) };
        Ok(Some(Target { accept: Some(accept), state, any }))
    }
}

/// Adds the edges for names without and with a prefix: one if both have the same target, none if
/// `fallback` gives it already.
fn push_edges(
    edges: &mut Vec<NameEdge>,
    local: Option<&str>,
    namespace: Option<&str>,
    to: [Option<Target>; 2],
    fallback: [Option<Target>; 2],
) {
    let mut push = |prefixed, to| {
        let (local, namespace) = (local.map(Into::into), namespace.map(Into::into));
        edges.push(NameEdge { local, namespace, prefixed, to });
    };
    if to == fallback {
        return;
    }
    if let [Some(plain), Some(prefixed)] = to
        && plain == prefixed
    {
        return push(None, plain);
    }
    for (prefixed, (to, fallback)) in [false, true].into_iter().zip(to.into_iter().zip(fallback)) {
        if let Some(to) = to
            && Some(to) != fallback
        {
            push(Some(prefixed), to);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(paths: &[&str]) -> Result<Automaton, Refused> {
        let parse = |(id, path): (usize, &&str)| (Path::parse(path).unwrap(), id as u32);
        Automaton::fields(&paths.iter().enumerate().map(parse).collect::<Vec<_>>())
    }

    #[test]
    fn conflicts_name_both() {
        for (paths, a, b) in [
            (&["a", "a"][..], 0, 1),
            (&["a", "a/b"], 0, 1),
            (&["a/b", "a"], 1, 0),
            (&["a/b", "x", "*"], 2, 0),
            (&["3", "*"], 0, 1),
            (&["x", "{u}x", "{u}x"], 1, 2),
            (&["{u}*", "*:x"], 0, 1),
            (&["a", "a/text()"], 0, 1),
            (&["//x", "a/x"], 0, 1),
            (&["//x/y", "//x"], 1, 0),
            (&["//y", "//z/y/q"], 0, 1),
            (&["@x", "@*:x"], 0, 1),
        ] {
            assert_eq!(fields(paths), Err(Refused::Conflict { a, b }), "{paths:?}");
        }
    }

    #[test]
    fn a_name_before_the_star_of_its_owner() {
        let paths = ["a", "*", "b"].map(|path| Path::parse(path).unwrap());
        let paths: Vec<_> = paths.into_iter().zip(0..).collect();
        let of_one = Automaton::nested(&paths, &|_| false, &|_| 0).unwrap();
        let start = &of_one.states[0];
        let accept = |name: &[u8]| start.member(name).unwrap().accept;
        assert_eq!([accept(b"a"), accept(b"b"), accept(b"c")], [Some(0), Some(2), Some(1)]);
        let of_two = Automaton::nested(&paths, &|_| false, &|id| id / 2);
        assert_eq!(of_two, Err(Refused::Conflict { a: 1, b: 2 }));
    }

    #[test]
    fn not_conflicts() {
        for paths in [
            &["a", "b/c", "b/d", "@a"][..],
            &["x", "//y", "//z/q"],
            &["//x/x"],
            &["a/*", "a/*/key()", "key()", "text()"],
            &["*", "@a", "@b"],
            &["{u}x", "{v}x", "{u}y"],
            &["p:x", "q:x"],
            &["x", "{u}x"],
            &["x/a", "{u}x"],
            &["@x", "@{u}x"],
        ] {
            assert!(fields(paths).is_ok(), "{paths:?}");
        }
    }

    #[test]
    fn the_exact_name_before_the_plain_one() {
        let edge = |namespace: Option<&str>, prefixed, accept| NameEdge {
            local: Some("x".into()),
            namespace: namespace.map(Into::into),
            prefixed,
            to: Target { accept: Some(accept), state: None, any: false },
        };
        let expected = [edge(Some("u"), None, 1), edge(None, Some(false), 0)];
        assert_eq!(fields(&["x", "{u}x"]).unwrap().states[0].elements, expected);
        assert_eq!(fields(&["@x", "@{u}x"]).unwrap().states[0].attributes, expected);
        // On the way as well, and for one id both.
        let automaton = fields(&["x/a", "{u}x/b"]).unwrap();
        let exact = automaton.states[0].elements[0].to.state.unwrap();
        let inside = &automaton.states[exact as usize].elements;
        assert_eq!(inside.iter().map(|edge| edge.to.accept).collect::<Vec<_>>(), [Some(1)]);
        let paths = ["x", "{u}x"].map(|path| (Path::parse(path).unwrap(), 0));
        let either = [edge(Some("u"), None, 0), edge(None, Some(false), 0)];
        assert_eq!(Automaton::fields(&paths).unwrap().states[0].elements, either);
    }

    #[test]
    fn keys_of_taken_values() {
        let automaton = fields(&["items/*/key()", "items/*", "key()"]).unwrap();
        let [start, items, value] = &automaton.states[..] else { panic!("{automaton:?}") };
        assert_eq!(start.takes_key, [2]);
        let other = Target { accept: Some(1), state: Some(2), any: true };
        assert_eq!((items.other, &items.keys), (Some(other), &vec![]));
        assert_eq!(*value, State { takes_key: vec![0], ..State::default() });
    }

    #[test]
    fn explosions_are_refused() {
        let stars = |n| format!("//a{}", "/*".repeat(n));
        let path = Path::parse(&stars(8)).unwrap();
        assert!(Automaton::record(&path).unwrap().states.len() > 200);
        let path = Path::parse(&stars(40)).unwrap();
        let error = Automaton::record(&path).unwrap_err();
        assert_eq!(error.reason, "'//' and so many '*' need more than 10000 states");
        let paths: Vec<_> = (0..2_000).map(|n| format!("//a{n}/*/b/*/c")).collect();
        let paths: Vec<_> = paths.iter().map(String::as_str).collect();
        assert_eq!(fields(&paths), Err(Refused::TooLarge));
    }

    #[test]
    fn records_inside_records() {
        let target = |path, nested: bool| {
            let path = Path::parse(path).unwrap();
            let automaton =
                if nested { Automaton::nested_record(&path) } else { Automaton::record(&path) };
            automaton.unwrap().states[0].member(b"x").unwrap()
        };
        let to = |state| Target { accept: Some(0), state, any: true };
        assert_eq!((target("//x", false), target("//x", true)), (to(None), to(Some(0))));
        assert_eq!(target("x", true), Target { any: false, ..to(None) });
        assert_eq!(target("*", true), to(None));
        let path = Path::parse("//x/x").unwrap();
        let automaton = Automaton::nested_record(&path).unwrap();
        let inner = automaton.states[0].member(b"x").unwrap().state.unwrap() as usize;
        assert_eq!(automaton.states[inner].member(b"x"), Some(to(Some(inner as u32))));
    }

    #[test]
    fn records_are_values() {
        let error = Automaton::record(&Path::parse("a/*/key()").unwrap()).unwrap_err();
        assert_eq!(error.column, 5);
        assert_eq!(error.reason, "a record is a whole value, and key() is not");
    }
}
