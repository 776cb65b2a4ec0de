//! Random documents as flat lists of tokens, a reader for them, and the obvious matcher.

use std::fmt::Debug;
use std::ops::Range;

use penstock_core::event::{Key, KeyKind, Matched, Scalar, Text};
use penstock_core::protocol::{Flow, Hints, LookAhead, Sink, Trace};
use penstock_core::select::{NamespaceTest, Path, Step, Test};
use proptest::collection::vec;
use proptest::prelude::*;

/// A key, as the owner of what an event's key borrows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Name {
    pub(crate) kind: KeyKind,
    pub(crate) local: &'static str,
    pub(crate) namespace: Option<&'static str>,
    pub(crate) prefix: Option<&'static str>,
}

impl Name {
    pub(crate) fn key(&self) -> Key<'_> {
        Key {
            name: self.local.into(),
            namespace: self.namespace.map(Text::from),
            prefix: self.prefix.map(Text::from),
            kind: self.kind,
        }
    }
}

/// A token of a document; its offset is its index in the list.
#[derive(Clone, Debug)]
pub(crate) enum Token {
    Map,
    List,
    End,
    Name(Name),
    Scalar(u64),
    Piece,
}

/// The index of the token after the value that begins at `start`.
fn value_end(tokens: &[Token], start: usize) -> usize {
    let mut depth = 0;
    for (at, token) in tokens.iter().enumerate().skip(start) {
        match token {
            Token::Map | Token::List => depth += 1,
            Token::End => depth -= 1,
            Token::Name(_) | Token::Scalar(_) | Token::Piece => {}
        }
        if depth == 0 {
            return at + 1;
        }
    }
    panic!("no value at {start}");
}

/// Reports the tokens of `range` to `sink` like a reader: it leaves out what the sink skips. After
/// an error it abandons the record and continues where `record_depth` containers are open.
pub(crate) fn tell<S: Sink>(
    tokens: &[Token],
    range: Range<usize>,
    sink: &mut S,
    record_depth: impl Fn(&S) -> usize,
) {
    let mut open = Vec::new();
    let mut at = range.start;
    while at < range.end {
        let offset = at as u64;
        let answer = match &tokens[at] {
            Token::Map => {
                open.push(true);
                sink.begin_map(offset)
            }
            Token::List => {
                open.push(false);
                sink.begin_list(offset)
            }
            Token::End if open.pop().unwrap() => sink.end_map(offset),
            Token::End => sink.end_list(offset),
            Token::Name(name) if name.kind == KeyKind::Member => {
                sink.key(name.local.into(), offset)
            }
            Token::Name(name) => sink.name(name.key(), offset),
            Token::Scalar(n) if n % 2 == 0 => sink.int(*n as i64, offset),
            Token::Scalar(_) => sink.scalar(Scalar::Untyped("text".into()), offset),
            Token::Piece => sink.piece("piece".into(), offset),
        };
        at += 1;
        match (answer, &tokens[at - 1]) {
            (Ok(Flow::Skip), Token::Map | Token::List) => {
                open.pop();
                at = value_end(tokens, at - 1);
            }
            (Ok(Flow::Skip), Token::Name(_)) => at = value_end(tokens, at),
            (Ok(_), _) => {}
            (Err(_), _) => {
                sink.abandon();
                while open.len() > record_depth(sink) {
                    match tokens[at] {
                        Token::Map | Token::List => at = value_end(tokens, at),
                        Token::End => {
                            open.pop();
                            at += 1;
                        }
                        Token::Name(_) | Token::Scalar(_) | Token::Piece => at += 1,
                    }
                }
            }
        }
    }
}

/// A step of the path to a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Edge {
    Name(Name),
    Index(u64),
}

/// A value of a document: the path to it, and its tokens.
#[derive(Clone, Debug)]
pub(crate) struct Value {
    pub(crate) way: Vec<Edge>,
    pub(crate) tokens: Range<usize>,
}

/// All values of a document, parents before children.
pub(crate) fn values(tokens: &[Token]) -> Vec<Value> {
    let mut found = Vec::new();
    let mut at = 0;
    let mut way = Vec::new();
    if let Some(Token::Name(root)) = tokens.first() {
        way.push(Edge::Name(root.clone()));
        at = 1;
    }
    collect(tokens, at, way, &mut found);
    found
}

fn collect(tokens: &[Token], start: usize, way: Vec<Edge>, found: &mut Vec<Value>) {
    let end = value_end(tokens, start);
    found.push(Value { way: way.clone(), tokens: start..end });
    let (mut at, mut index) = (start + 1, 0);
    while at + 1 < end {
        let edge = match &tokens[at] {
            Token::Piece => {
                at += 1;
                continue;
            }
            Token::Name(name) => {
                at += 1;
                Edge::Name(name.clone())
            }
            _ => {
                index += 1;
                Edge::Index(index - 1)
            }
        };
        let way = way.iter().cloned().chain([edge]).collect();
        collect(tokens, at, way, found);
        at = value_end(tokens, at);
    }
}

/// The obvious matcher: does `path`, one of `all`, without its last `omit` steps, lead exactly
/// along `way`?
pub(crate) fn leads(path: &Path, omit: usize, way: &[Edge], all: &[(Path, u32)]) -> bool {
    let steps = &path.steps()[..path.steps().len() - omit];
    let Some(above) = way.len().checked_sub(steps.len()) else { return false };
    (above == 0 || path.anywhere())
        && steps.iter().zip(above..).all(|(step, at)| {
            let by_star = step.test() == &Test::AnyChild;
            passes(step, &way[at])
                && !(by_star && is_attribute(&way[..at], &way[at], all))
                && !(is_plain(step) && has_exact(path, &way[..at], &way[at], all))
        })
}

/// Does the step ask only for a name without a prefix?
fn is_plain(step: &Step) -> bool {
    matches!(
        step.test(),
        Test::Name { namespace: NamespaceTest::Unprefixed, .. }
            | Test::Attribute { namespace: NamespaceTest::Unprefixed, .. }
    )
}

/// Does a path of another id ask for this name with its exact namespace?
fn has_exact(of: &Path, above: &[Edge], edge: &Edge, all: &[(Path, u32)]) -> bool {
    let Edge::Name(name) = edge else { return false };
    let own = all.iter().find(|(path, _)| std::ptr::eq(path, of)).map(|(_, id)| *id);
    name.kind != KeyKind::Member
        && all.iter().filter(|(_, id)| Some(*id) != own).any(|(path, _)| {
            path.steps().iter().enumerate().any(|(at, step)| {
                let exact = match step.test() {
                    Test::Name { namespace, local } => local.is_some() && is_exact(namespace),
                    Test::Attribute { namespace, .. } => is_exact(namespace),
                    _ => false,
                };
                exact && passes(step, edge) && leads(path, path.steps().len() - at, above, all)
            })
        })
}

fn is_exact(namespace: &NamespaceTest) -> bool {
    matches!(namespace, NamespaceTest::Uri(_))
}

/// Does one of the paths ask for this key as an attribute?
fn is_attribute(above: &[Edge], edge: &Edge, all: &[(Path, u32)]) -> bool {
    let Edge::Name(name) = edge else { return false };
    all.iter().any(|(path, _)| {
        path.steps().iter().enumerate().any(|(at, step)| {
            matches!(step.test(), Test::Attribute { .. })
                && step.key() == name.local
                && leads(path, path.steps().len() - at, above, all)
        })
    })
}

fn passes(step: &Step, edge: &Edge) -> bool {
    let name = match edge {
        Edge::Index(index) => {
            return step.test() == &Test::AnyChild || step.index() == Some(*index);
        }
        Edge::Name(name) => name,
    };
    let within = |test: &NamespaceTest| match test {
        NamespaceTest::Any => true,
        NamespaceTest::Unprefixed => name.prefix.is_none(),
        NamespaceTest::Uri(uri) => **uri == *name.namespace.unwrap_or(""),
        NamespaceTest::Prefix(_) => false,
    };
    match (name.kind, step.test()) {
        (KeyKind::Member | KeyKind::Element, Test::AnyChild) => true,
        (KeyKind::Member, Test::Name { .. } | Test::Attribute { .. }) => step.key() == name.local,
        (KeyKind::Element, Test::Name { namespace, local }) => {
            within(namespace) && local.as_ref().is_none_or(|local| **local == *name.local)
        }
        (KeyKind::Attribute, Test::Attribute { namespace, local }) => {
            within(namespace) && **local == *name.local
        }
        _ => false,
    }
}

/// A trace that refuses and skips some events, by their offsets.
#[derive(Debug)]
pub(crate) struct Moody {
    pub(crate) trace: Trace,
    seed: u64,
    refused: Option<u64>,
}

impl Moody {
    /// Skips and refuses more or less by `seed`; nothing for 0.
    pub(crate) fn new(seed: u64) -> Self {
        Moody { trace: Trace::new(), seed, refused: None }
    }
    /// Refuses the event of this offset and takes all others.
    pub(crate) fn refusing(offset: u64) -> Self {
        Moody { refused: Some(offset), ..Moody::new(0) }
    }
    fn mood<E: Debug>(&self, at: u64, heard: Result<Flow, E>) -> Result<Flow, ()> {
        assert_eq!(heard.unwrap(), Flow::Take);
        if self.refused == Some(at) {
            return Err(());
        }
        match (self.seed, (at + 1).wrapping_mul(self.seed | 1).wrapping_mul(0x9E37_79B9) >> 7 & 15)
        {
            (0, _) => Ok(Flow::Take),
            (_, 0..2) => Ok(Flow::Skip),
            (_, 2) => Err(()),
            (_, 3) => Ok(Flow::Pause),
            _ => Ok(Flow::Take),
        }
    }
}

impl Sink for Moody {
    type Error = ();
    fn begin_map(&mut self, at: u64) -> Result<Flow, ()> {
        let heard = self.trace.begin_map(at);
        self.settle(at, heard)
    }
    fn end_map(&mut self, at: u64) -> Result<Flow, ()> {
        let heard = self.trace.end_map(at);
        self.mood(at, heard)
    }
    fn begin_list(&mut self, at: u64) -> Result<Flow, ()> {
        let heard = self.trace.begin_list(at);
        self.settle(at, heard)
    }
    fn end_list(&mut self, at: u64) -> Result<Flow, ()> {
        let heard = self.trace.end_list(at);
        self.mood(at, heard)
    }
    fn name(&mut self, key: Key<'_>, at: u64) -> Result<Flow, ()> {
        let heard = self.trace.name(key, at);
        self.mood(at, heard)
    }
    fn scalar(&mut self, value: Scalar<'_>, at: u64) -> Result<Flow, ()> {
        let heard = self.trace.scalar(value, at);
        self.mood(at, heard)
    }
    fn piece(&mut self, text: Text<'_>, at: u64) -> Result<Flow, ()> {
        let heard = self.trace.piece(text, at);
        self.mood(at, heard)
    }
    fn abandon(&mut self) {
        self.trace.abandon();
    }
    fn matched(&mut self, by: Matched<'_>) {
        self.trace.matched(by);
    }
}

impl Hints for Moody {}
impl LookAhead for Moody {}

impl Moody {
    /// A skipped container has no end event, so the trace gets one.
    fn settle<E: Debug>(&mut self, at: u64, heard: Result<Flow, E>) -> Result<Flow, ()> {
        let answer = self.mood(at, heard);
        if answer == Ok(Flow::Skip) {
            self.trace.end_map(at).unwrap();
        }
        answer
    }
}

/// The tokens of a JSON-like document.
pub(crate) fn json() -> impl Strategy<Value = Vec<Token>> {
    let leaf = (0u64..9).prop_map(|n| vec![Token::Scalar(n)]);
    // The outermost level is never a leaf: there would be nothing to find.
    container(leaf.prop_recursive(5, 60, 4, |inner| container(inner.boxed())).boxed())
}

/// A map or a list of such values.
fn container(inner: BoxedStrategy<Vec<Token>>) -> impl Strategy<Value = Vec<Token>> {
    let keys = vec!["a", "a", "a", "b", "b", "0", "1", "@a", "p:a", "{u}a", "*"];
    let member = (prop::sample::select(keys), inner.clone()).prop_map(|(local, value)| {
        let name = Name { kind: KeyKind::Member, local, namespace: None, prefix: None };
        [vec![Token::Name(name)], value].concat()
    });
    let wrap = |begin: Token, parts: Vec<Vec<Token>>| {
        [vec![begin], parts.concat(), vec![Token::End]].concat()
    };
    prop_oneof![
        1 => vec(inner, 1..4).prop_map(move |parts| wrap(Token::List, parts)),
        2 => vec(member, 1..5).prop_map(move |parts| wrap(Token::Map, parts)),
    ]
}

/// The tokens of an XML-like document: a root element with its name.
pub(crate) fn xml() -> impl Strategy<Value = Vec<Token>> {
    let spaces = [(None, None), (Some("u"), None), (Some("u"), Some("p")), (Some("v"), Some("q"))];
    let named = move |kind| {
        (prop::sample::select(vec!["a", "b", "c"]), prop::sample::select(spaces.to_vec())).prop_map(
            move |(local, (namespace, prefix))| {
                Token::Name(Name { kind, local, namespace, prefix })
            },
        )
    };
    let attributes =
        vec(named(KeyKind::Attribute).prop_map(|name| vec![name, Token::Scalar(1)]), 0..3);
    let element = move |content: BoxedStrategy<Vec<Vec<Token>>>| {
        (named(KeyKind::Element), attributes.clone(), content).prop_map(
            |(name, attributes, content)| {
                let (attributes, content) = (attributes.concat(), content.concat());
                [vec![name, Token::Map], attributes, content, vec![Token::End]].concat()
            },
        )
    };
    element(Just(Vec::new()).boxed()).prop_recursive(6, 60, 4, move |inner| {
        let part = prop_oneof![4 => inner, 1 => Just(vec![Token::Piece])];
        element(vec(part, 0..4).boxed())
    })
}

/// A path whose steps come from the words of the documents. It may end in `text()`, or in `key()`
/// where that is allowed.
pub(crate) fn path() -> impl Strategy<Value = Path> {
    let words = ["a", "a", "b", "b", "*", "*", "0", "1", "@a", "~3a", "{u}a", "{u}*", "{}a"];
    let more = ["*:a", "p:a", "*:*", "p:*", "~2"];
    let words = [&words[..], &more[..]].concat();
    let steps = prop_oneof![
        1 => vec(prop::sample::select(words.clone()), 1),
        3 => vec(prop::sample::select(words), 1..4),
    ];
    (steps, 0..4, 0..6).prop_map(|(mut steps, lead, tail)| {
        let wild = matches!(steps.last(), Some(&"*" | &"{u}*" | &"*:*" | &"p:*"));
        match tail {
            0 => steps.push("text()"),
            1..4 if wild => steps.push("key()"),
            _ => {}
        }
        let text = format!("{}{}", if lead == 0 { "//" } else { "" }, steps.join("/"));
        let mut path = Path::parse(&text).unwrap();
        path.bind(|prefix| (prefix == "p").then_some("u")).unwrap();
        path
    })
}
