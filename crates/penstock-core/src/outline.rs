//! An outline of documents: which paths there are, how often, and what stands there.
//!
//! [`Outline`] is a sink that keeps a tree of the paths, and nothing of the documents but one
//! example for each. Its memory is bounded: an object with more than [`KEYS`] keys counts as one
//! whose keys are data, and all of them become one path with a `*`. There are at most [`PATHS`]
//! paths, and the reader skips what stands below others.

use penstock_scan::make_room;
use std::collections::VecDeque;
use std::convert::Infallible;

use crate::event::{Key, KeyKind, Scalar, Text};
use crate::path_step::PathStep;
use crate::protocol::{Flow, Hints, LookAhead, Sink};
use crate::unrefusing;
use crate::value::datetime::DateTime;
use crate::value::print;
use crate::value::unix::since_2001;

/// The most keys of an object that have paths of their own. The public documentation gives this
/// number.
pub const KEYS: usize = 100;

/// The most paths. The public documentation gives this number.
pub const PATHS: usize = 10_000;

/// The most characters of a key, and of an example.
const SHOWN: usize = 60;

/// The kinds of values, in the order in which they are listed.
pub const KINDS: [&str; 13] = [
    "object", "array", "element", "text", "string", "integer", "number", "boolean", "null",
    "empty", "date", "data", "UID",
];

const OBJECT: usize = 0;
const ARRAY: usize = 1;
const ELEMENT: usize = 2;
const TEXT: usize = 3;
const STRING: usize = 4;
const INTEGER: usize = 5;
const NUMBER: usize = 6;
const BOOLEAN: usize = 7;
const NULL: usize = 8;
const EMPTY: usize = 9;
const DATE: usize = 10;
const DATA: usize = 11;
const UID: usize = 12;

/// A path.
#[derive(Debug, Default)]
struct Node {
    /// Its last step, as `at` writes it.
    step: String,
    children: Vec<usize>,
    /// Whether its first child stands for all keys.
    is_united: bool,
    /// How many values of each kind there are.
    kinds: [u64; KINDS.len()],
    example: Option<Example>,
}

/// An open map or list.
#[derive(Debug)]
struct Frame {
    node: usize,
    is_list: bool,
    is_element: bool,
    /// Whether an element has attributes or child elements.
    has_parts: bool,
    /// The beginning of an element's text.
    text: String,
    /// Where among the children the next key is expected.
    next: usize,
}

/// A value that stands at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Example {
    /// The value as it is written, without quotes: its beginning, if it is long.
    pub written: String,
    /// Whether it is a string, or text of an element or attribute.
    pub is_text: bool,
}

/// One path of an outline.
#[derive(Debug, PartialEq, Eq)]
pub struct Row {
    /// The path as `at` writes it; empty for the document.
    pub path: String,
    /// How many values there are of each kind, without those of which there are none.
    pub kinds: Vec<(&'static str, u64)>,
    /// The first value that is not null, if one is a scalar: its beginning.
    pub example: Option<Example>,
}

/// A sink that keeps an outline.
///
/// ```
/// use penstock_core::outline::Outline;
/// use penstock_core::protocol::Sink;
///
/// let mut outline = Outline::new();
/// outline.begin_list(0).unwrap();
/// outline.text("a".into(), 1).unwrap();
/// outline.null(6).unwrap();
/// outline.end_list(11).unwrap();
/// let rows = outline.rows();
/// assert_eq!((rows[0].path.as_str(), rows[1].path.as_str()), ("", "*"));
/// assert_eq!(rows[1].kinds, [("string", 1), ("null", 1)]);
/// assert_eq!(rows[1].example.as_ref().unwrap().written, "a");
/// ```
#[derive(Debug)]
pub struct Outline {
    /// The first one is the document.
    nodes: Vec<Node>,
    open: Vec<Frame>,
    /// The path of the next value, if a key came before it.
    key: usize,
    is_element: bool,
    /// How many values were not looked at, because there were too many paths.
    omitted: u64,
    /// The outline of the documents that ended, if those in error are left out. Then this is the
    /// outline of the current document.
    whole: Option<Box<Outline>>,
    /// How many documents have ended.
    ended: u64,
}

impl Default for Outline {
    fn default() -> Self {
        Outline::new()
    }
}

impl Outline {
    /// An outline of nothing.
    #[must_use]
    pub fn new() -> Self {
        let nodes = vec![Node::default()];
        Outline {
            nodes,
            open: Vec::new(),
            key: 0,
            is_element: false,
            omitted: 0,
            whole: None,
            ended: 0,
        }
    }

    /// The same without the documents that are in error. It takes longer.
    #[must_use]
    pub fn leaving_out(mut self) -> Self {
        self.whole = Some(Box::default());
        self
    }

    /// How many values were not looked at, because there were too many paths.
    #[must_use]
    pub fn omitted(&self) -> u64 {
        self.whole.as_ref().map_or(self.omitted, |whole| whole.omitted)
    }

    /// The paths, each before those below it, in the order in which they came.
    #[must_use]
    pub fn rows(&self) -> Vec<Row> {
        if let Some(whole) = &self.whole {
            return whole.rows();
        }
        let mut rows = Vec::new();
        let mut left = vec![(0, String::new())];
        while let Some((at, path)) = left.pop() {
            let node = &self.nodes[at];
            let kinds = KINDS.into_iter().zip(node.kinds).filter(|(_, count)| *count > 0);
            let below = node.children.iter().rev().map(|&child| {
                let step = &self.nodes[child].step;
                let mut below = String::new();
                make_room(&mut below, path.len() + 1 + step.len());
                below.push_str(&path);
                if !path.is_empty() {
                    below.push('/');
                }
                below.push_str(step);
                (child, below)
            });
            make_room(&mut left, node.children.len());
            left.extend(below);
            let row = Row { path, kinds: kinds.collect(), example: node.example.clone() };
            if !row.kinds.is_empty() {
                make_room(&mut rows, 1);
                rows.push(row);
            }
        }
        rows
    }

    /// The path of a step below an open map or list, or below the document.
    fn child(&mut self, step: &str) -> Option<usize> {
        let (parent, next) = self.open.last().map_or((0, 0), |top| (top.node, top.next));
        let children = &self.nodes[parent].children;
        let at = |place: usize| children.get(place).filter(|&&it| self.nodes[it].step == step);
        let place = match at(next) {
            Some(_) => Some(next),
            None => children.iter().position(|&it| self.nodes[it].step == step),
        };
        if let Some(place) = place {
            let found = children[place];
            if let Some(top) = self.open.last_mut() {
                top.next = place + 1;
            }
            return Some(found);
        }
        if self.nodes[parent].is_united {
            return children.first().copied();
        }
        if children.len() >= KEYS {
            return Some(self.unite(parent));
        }
        if self.nodes.len() > PATHS {
            self.omitted += 1;
            return None;
        }
        let child = self.nodes.len();
        make_room(&mut self.nodes, 1);
        self.nodes.push(Node { step: step.to_owned(), ..Node::default() });
        self.nodes[parent].children.push(child);
        Some(child)
    }

    /// Makes one path of all steps below a path. No map or list below it is open.
    #[cold]
    fn unite(&mut self, parent: usize) -> usize {
        let children = std::mem::take(&mut self.nodes[parent].children);
        let first = children[0];
        "*".clone_into(&mut self.nodes[first].step);
        self.nodes[parent].children.push(first);
        self.nodes[parent].is_united = true;
        let mut pairs: VecDeque<(usize, usize)> =
            children[1..].iter().map(|&child| (first, child)).collect();
        while let Some((to, from)) = pairs.pop_front() {
            let Node { children, kinds, example, is_united, .. } =
                std::mem::take(&mut self.nodes[from]);
            for (sum, count) in self.nodes[to].kinds.iter_mut().zip(kinds) {
                *sum += count;
            }
            if self.nodes[to].example.is_none() {
                self.nodes[to].example = example;
            }
            if self.nodes[to].children.is_empty() {
                (self.nodes[to].children, self.nodes[to].is_united) = (children, is_united);
                continue;
            }
            for child in children {
                let step = &self.nodes[child].step;
                let known = &self.nodes[to].children;
                match known.iter().find(|&&it| self.nodes[it].step == *step) {
                    Some(&known) => pairs.push_back((known, child)),
                    None => self.nodes[to].children.push(child),
                }
            }
        }
        first
    }

    /// Takes in the outline of another document.
    #[cold]
    fn take_in(&mut self, mut other: Outline) {
        self.omitted += other.omitted;
        let mut left = vec![(0, 0)];
        while let Some((from, to)) = left.pop() {
            let Node { children, kinds, example, is_united, .. } =
                std::mem::take(&mut other.nodes[from]);
            let own = &mut self.nodes[to];
            for (sum, count) in own.kinds.iter_mut().zip(kinds) {
                *sum += count;
            }
            own.example = own.example.take().or(example);
            if is_united && !own.is_united {
                if own.children.is_empty() {
                    let is_united = self.below(to, "*").is_some();
                    self.nodes[to].is_united = is_united;
                } else {
                    self.unite(to);
                }
            }
            let mut pairs = Vec::new();
            make_room(&mut pairs, children.len());
            for child in children {
                if let Some(own) = self.below(to, &other.nodes[child].step) {
                    pairs.push((child, own));
                }
            }
            // The keys may have become one path while they were looked up.
            let united =
                if self.nodes[to].is_united { self.nodes[to].children.first() } else { None };
            if let Some(united) = united {
                pairs.iter_mut().for_each(|(_, own)| *own = *united);
            }
            make_room(&mut left, pairs.len());
            left.extend(pairs.into_iter().rev());
        }
    }

    /// The path of a step below a path, while nothing is open.
    fn below(&mut self, node: usize, step: &str) -> Option<usize> {
        let (is_list, is_element, has_parts, next) = (false, false, false, 0);
        make_room(&mut self.open, 1);
        self.open.push(Frame { node, is_list, is_element, has_parts, text: String::new(), next });
        let found = self.child(step);
        self.open.pop();
        found
    }

    /// An element ends.
    fn end_element(&mut self, frame: Frame) {
        let text = frame.text.trim();
        let node = frame.node;
        if !frame.has_parts {
            let kind = if text.is_empty() { EMPTY } else { TEXT };
            self.give(node, kind, || beginning(text));
            return;
        }
        self.give(node, ELEMENT, String::new);
        if !text.is_empty() {
            let text = beginning(text);
            self.open.push(Frame { text: String::new(), next: usize::MAX, ..frame });
            let own = self.child("text()");
            self.open.pop();
            if let Some(own) = own {
                self.give(own, TEXT, || text);
            }
        }
    }

    /// After each value: if it was a document, it is complete.
    fn end(&mut self) {
        if !self.open.is_empty() {
            return;
        }
        self.ended += 1;
        if let Some(mut whole) = self.whole.take() {
            let ended = self.ended;
            whole.take_in(std::mem::take(self));
            (self.whole, self.ended) = (Some(whole), ended);
        }
    }

    /// The path of the next value.
    fn place(&mut self) -> Option<usize> {
        match self.open.last() {
            None if self.is_element => Some(self.key),
            None => Some(0),
            Some(Frame { is_list: false, .. }) => Some(self.key),
            Some(_) => self.child("*"),
        }
    }

    fn begin(&mut self, is_list: bool) -> Flow {
        let Some(node) = self.place() else { return Flow::Skip };
        let is_element = std::mem::take(&mut self.is_element);
        if !is_element {
            self.nodes[node].kinds[if is_list { ARRAY } else { OBJECT }] += 1;
        }
        let (has_parts, text, next) = (false, String::new(), 0);
        make_room(&mut self.open, 1);
        self.open.push(Frame { node, is_list, is_element, has_parts, text, next });
        Flow::Take
    }

    fn give(&mut self, node: usize, kind: usize, example: impl FnOnce() -> String) {
        let node = &mut self.nodes[node];
        node.kinds[kind] += 1;
        if node.example.is_none() && !matches!(kind, NULL | EMPTY | ELEMENT) {
            let is_text = matches!(kind, TEXT | STRING);
            node.example = Some(Example { written: example(), is_text });
        }
    }
}

/// The beginning of a text.
fn beginning(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}\u{2026}", &text[..end]),
        None => text.to_owned(),
    }
}

impl Sink for Outline {
    type Error = Infallible;

    fn begin_map(&mut self, _at: u64) -> Result<Flow, Infallible> {
        Ok(self.begin(false))
    }
    fn begin_list(&mut self, _at: u64) -> Result<Flow, Infallible> {
        Ok(self.begin(true))
    }
    fn end_list(&mut self, _at: u64) -> Result<Flow, Infallible> {
        self.open.pop();
        self.end();
        Ok(Flow::Take)
    }
    fn end_map(&mut self, _at: u64) -> Result<Flow, Infallible> {
        if let Some(frame) = self.open.pop().filter(|frame| frame.is_element) {
            self.end_element(frame);
        }
        self.end();
        Ok(Flow::Take)
    }
    fn name(&mut self, key: Key<'_>, _at: u64) -> Result<Flow, Infallible> {
        if let Some(top) = self.open.last_mut() {
            top.has_parts = true;
        }
        let name = beginning(key.name.text.as_str());
        let prefix = key.prefix.map(|prefix| beginning(prefix.text.as_str()) + ":");
        let step = match key.kind {
            KeyKind::Member => PathStep::Key(name).to_string(),
            KeyKind::Element => prefix.unwrap_or_default() + &name,
            KeyKind::Attribute => format!("@{}{name}", prefix.unwrap_or_default()),
        };
        self.is_element = key.kind == KeyKind::Element;
        match self.child(&step) {
            Some(child) => {
                self.key = child;
                Ok(Flow::Take)
            }
            None => {
                self.is_element = false;
                Ok(Flow::Skip)
            }
        }
    }
    fn scalar(&mut self, value: Scalar<'_>, _at: u64) -> Result<Flow, Infallible> {
        let Some(node) = self.place() else { return Ok(Flow::Take) };
        let digits = |digits: &[u8]| beginning(&String::from_utf8_lossy(digits));
        match value {
            Scalar::Null => self.give(node, NULL, String::new),
            Scalar::Bool(value) => self.give(node, BOOLEAN, || value.to_string()),
            Scalar::Int(value) => self.give(node, INTEGER, || value.to_string()),
            Scalar::Number(found) => {
                let is_integer = found.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'-'));
                let kind = if is_integer { INTEGER } else { NUMBER };
                self.give(node, kind, || digits(found));
            }
            Scalar::Decimal(found) => self.give(node, NUMBER, || digits(found)),
            Scalar::Float(value) => self.give(node, NUMBER, || value.to_string()),
            Scalar::Text(text) => {
                self.give(node, STRING, || beginning(text.text.as_str()));
            }
            Scalar::Untyped(text) => {
                self.give(node, TEXT, || beginning(text.text.as_str()));
            }
            Scalar::DateTime(value) => self.give(node, DATE, || instant(value)),
            Scalar::Since2001(seconds) => self.give(node, DATE, || match since_2001(seconds) {
                Ok(value) => instant(value),
                Err(_) => format!("{seconds} seconds after 2001"),
            }),
            Scalar::Bytes(bytes) => {
                self.give(node, DATA, || match bytes.len() {
                    1 => "1 byte".to_owned(),
                    count => format!("{count} bytes"),
                });
            }
            Scalar::Uid(number) => self.give(node, UID, || number.to_string()),
            other => self.give(node, STRING, || other.called().to_owned()),
        }
        self.end();
        Ok(Flow::Take)
    }
    fn piece(&mut self, text: Text<'_>, _at: u64) -> Result<Flow, Infallible> {
        if let Some(top) = self.open.last_mut() {
            let text = text.text.as_str();
            let text = if top.text.is_empty() { text.trim_start() } else { text };
            if top.text.len() <= 4 * SHOWN {
                top.text.push_str(&beginning(text));
            }
        }
        Ok(Flow::Take)
    }
    fn abandon(&mut self) {
        if let Some(whole) = self.whole.take() {
            *self = Outline { whole: Some(whole), ended: self.ended, ..Outline::new() };
        }
        self.open.clear();
        self.is_element = false;
    }
}

/// A date and time as an example.
fn instant(value: DateTime) -> String {
    let mut out = Vec::new();
    print::datetime(value, &mut out);
    String::from_utf8_lossy(&out).into_owned()
}

impl Hints for Outline {}
impl LookAhead for Outline {}

unrefusing!(Outline, run_dyn, {
    fn ready(&self) -> u64 {
        self.ended
    }
});

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::Destination;

    /// The outline of documents that are maps of these keys. With `abandons`, there are others in
    /// between that are left out.
    fn outlined(documents: &[&[&str]], mut outline: Outline, abandons: bool) -> Outline {
        for keys in documents {
            outline.begin_map(0).unwrap();
            for key in *keys {
                outline.key((*key).into(), 0).unwrap();
                outline.begin_list(0).unwrap();
                outline.text((*key).into(), 0).unwrap();
                outline.end_list(0).unwrap();
            }
            outline.end_map(0).unwrap();
            if abandons {
                outline.begin_map(0).unwrap();
                outline.key("abandoned".into(), 0).unwrap();
                outline.text("x".into(), 0).unwrap();
                outline.abandon();
            }
        }
        outline
    }

    #[test]
    fn what_is_abandoned_leaves_nothing() {
        let many: Vec<String> = (0..150).map(|number| format!("k{number}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        let few: &[&str] = &["a", "k3", "b"];
        for documents in [
            vec![few, &["b", "c"]],
            vec![few, &many, few],
            vec![&many, few],
            many.chunks(60).collect(),
            vec![few, &many[..97], &many[90..110], few],
        ] {
            let expected = outlined(&documents, Outline::new(), false);
            let found = outlined(&documents, Outline::new().leaving_out(), true);
            assert_eq!(found.rows(), expected.rows());
            assert_eq!((found.ready(), found.omitted()), (documents.len() as u64, 0));
        }
    }
}
