//! Elements become members, by the convention in which Penstock reads XML without a class, which is
//! that of xmltodict.
//!
//! An attribute is a member whose key has an `@`, the text beside others is `#text`, a repeated
//! element is a list, an element with nothing in it is null, and white space around text goes.
//!
//! Whether an element is repeated is known only when the one around it ends, so a record is kept
//! until its end: its values as nodes, and its text in one buffer. Then the writer is told the
//! members. No name is looked up twice for one element: for each key the innermost open element is
//! noted that has a child of it, so a repetition is one comparison.

use super::names::{ForceList, Names};
use super::out::{Out, Output};
use crate::event::{Key, KeyKind, Text};
use crate::limits::Limits;
use crate::protocol::Sink;
use crate::writer::Unwritable;
use penstock_scan::{ValidText, make_room};

/// The key of an element's text beside attributes and child elements.
pub(super) const TEXT: &str = "#text";

const NONE: u32 = u32::MAX;

/// An element or an attribute of the record, or, as the first one, the record or the document.
#[derive(Clone, Copy, Debug)]
struct Node {
    /// Where its text begins in the text of the record.
    text: usize,
    length: usize,
    key: u32,
    is_attribute: bool,
    /// The first child; of several with one key, the first counts.
    child: u32,
    /// The next child of the same parent with another key.
    next: u32,
    /// The next child of the same parent with this key.
    again: u32,
}

#[derive(Clone, Copy, Debug)]
struct Open {
    node: u32,
    /// Where its text begins in the text of the open elements.
    text: usize,
    /// Its last child that has a new key.
    last: u32,
    /// The length of `hidden` when it began.
    hidden: usize,
}

/// The element that has the innermost child of a key, and its last child of that key.
#[derive(Clone, Copy, Debug)]
struct Seen {
    parent: u32,
    last: u32,
}

const NOWHERE: Seen = Seen { parent: NONE, last: NONE };

/// An element whose members are being written.
#[derive(Clone, Copy, Debug)]
struct Writing {
    node: u32,
    /// The next child with another key.
    next: u32,
    /// In a list: its next element.
    again: u32,
    in_list: bool,
}

/// The record at hand.
#[derive(Debug)]
pub(super) struct Plain {
    names: Names,
    nodes: Vec<Node>,
    text: String,
    open: Vec<Open>,
    /// The own text of the open elements, innermost last.
    open_text: String,
    /// For each key where it was seen.
    seen: Vec<Seen>,
    /// What the open elements replaced in `seen`.
    hidden: Vec<(u32, Seen)>,
    /// The key of the next value, if there is one.
    key: u32,
    writing: Vec<Writing>,
    /// Whether there is more text than `token` allows.
    is_too_long: bool,
    token: usize,
    memory: u64,
}

impl Plain {
    pub(super) fn new(force_list: ForceList, limits: &Limits) -> Self {
        Plain::within(force_list, limits.token, limits.memory.unwrap_or(u64::MAX))
    }

    /// One for other records that does the same.
    pub(super) fn beside(&self) -> Self {
        Plain::within(self.names.force_list().clone(), self.token, self.memory)
    }

    fn within(force_list: ForceList, token: usize, memory: u64) -> Self {
        Plain {
            names: Names::new(force_list),
            nodes: Vec::new(),
            text: String::new(),
            open: Vec::new(),
            open_text: String::new(),
            seen: Vec::new(),
            hidden: Vec::new(),
            key: NONE,
            writing: Vec::new(),
            is_too_long: false,
            token,
            memory,
        }
    }

    /// The name of an element or of an attribute.
    #[inline(always)]
    pub(super) fn name(&mut self, key: &Key<'_>) -> Result<(), Unwritable> {
        if self.is_too_long {
            return Err(self.too_long());
        }
        let is_attribute = key.kind == KeyKind::Attribute;
        let prefix = key.prefix.map(|prefix| prefix.text.as_str());
        if self.nodes.is_empty() {
            // The document is a map with the root element in it.
            self.push_node(NONE, false)?;
            self.push_open(0);
        }
        self.key = self.names.number(is_attribute, prefix, key.name.text.as_str());
        while self.seen.len() < self.names.len() {
            make_room(&mut self.seen, 1);
            self.seen.push(NOWHERE);
        }
        Ok(())
    }

    /// An element begins.
    #[inline(always)]
    pub(super) fn begin(&mut self) -> Result<(), Unwritable> {
        let node = self.add(false)?;
        self.push_open(node);
        Ok(())
    }

    /// The value of an attribute. False if it is the record.
    #[inline(always)]
    pub(super) fn attribute(&mut self, text: Text<'_>) -> Result<bool, Unwritable> {
        if self.open.is_empty() {
            return Ok(false);
        }
        let node = self.add(true)? as usize;
        let text = text.text.as_str();
        (self.nodes[node].text, self.nodes[node].length) = (self.text.len(), text.len());
        make_room(&mut self.text, text.len());
        self.text.push_str(text);
        self.names.ended(self.nodes[node].key);
        Ok(true)
    }

    /// A piece of text of the innermost element.
    #[inline(always)]
    pub(super) fn piece(&mut self, text: Text<'_>) {
        let Some(open) = self.open.last() else { return };
        let mut text = text.text.as_str();
        if self.open_text.len() == open.text {
            text = text.trim_start();
        }
        if text.len() > self.token - self.open_text.len().min(self.token) {
            // The next event that is no piece is the error: where a piece begins depends on how the
            // source was cut.
            self.is_too_long = true;
            return;
        }
        make_room(&mut self.open_text, text.len());
        self.open_text.push_str(text);
    }

    #[cold]
    #[inline(never)]
    fn too_long(&self) -> Unwritable {
        let token = self.token;
        let reason = format!("the text of an element is longer than {token} bytes (limits.token)");
        Unwritable::limit(reason)
    }

    /// The innermost element ends.
    #[inline(always)]
    pub(super) fn end(&mut self) -> Result<(), Unwritable> {
        if self.is_too_long {
            return Err(self.too_long());
        }
        let Some(open) = self.open.pop() else { return Ok(()) };
        let text = self.open_text[open.text..].trim_end();
        let node = &mut self.nodes[open.node as usize];
        if !text.is_empty() {
            (node.text, node.length) = (self.text.len(), text.len());
            make_room(&mut self.text, text.len());
            self.text.push_str(text);
        }
        if node.key != NONE {
            self.names.ended(node.key);
        }
        self.open_text.truncate(open.text);
        self.reveal(open.hidden);
        let size = self.text.len() + self.nodes.len() * size_of::<Node>() + self.names.size();
        if size as u64 > self.memory { Err(self.too_large()) } else { Ok(()) }
    }

    #[cold]
    #[inline(never)]
    fn too_large(&self) -> Unwritable {
        let memory = self.memory;
        Unwritable::limit(format!(
            "the record takes more than {memory} bytes of memory (limits.memory)"
        ))
    }

    /// Takes back what an element noted of its children.
    #[inline(always)]
    fn reveal(&mut self, hidden: usize) {
        while self.hidden.len() > hidden {
            if let Some((key, seen)) = self.hidden.pop() {
                self.seen[key as usize] = seen;
            }
        }
    }

    #[inline(always)]
    fn push_node(&mut self, key: u32, is_attribute: bool) -> Result<u32, Unwritable> {
        let node = u32::try_from(self.nodes.len()).unwrap_or(NONE);
        if node == NONE {
            return Err(self.too_large());
        }
        make_room(&mut self.nodes, 1);
        let (child, next, again) = (NONE, NONE, NONE);
        self.nodes.push(Node { text: 0, length: 0, key, is_attribute, child, next, again });
        Ok(node)
    }

    #[inline(always)]
    fn push_open(&mut self, node: u32) {
        make_room(&mut self.open, 1);
        let hidden = self.hidden.len();
        self.open.push(Open { node, text: self.open_text.len(), last: NONE, hidden });
    }

    /// Adds a child to the innermost element.
    #[inline(always)]
    fn add(&mut self, is_attribute: bool) -> Result<u32, Unwritable> {
        let key = std::mem::replace(&mut self.key, NONE);
        let node = self.push_node(key, is_attribute)?;
        let Some(parent) = self.open.last_mut() else { return Ok(node) };
        let Some(seen) = self.seen.get_mut(key as usize) else { return Ok(node) };
        if seen.parent == parent.node {
            self.nodes[seen.last as usize].again = node;
            seen.last = node;
            return Ok(node);
        }
        make_room(&mut self.hidden, 1);
        self.hidden.push((key, *seen));
        *seen = Seen { parent: parent.node, last: node };
        match parent.last {
            NONE => self.nodes[parent.node as usize].child = node,
            last => self.nodes[last as usize].next = node,
        }
        parent.last = node;
        Ok(node)
    }

    /// Writes the record, and forgets it.
    pub(super) fn end_record<O: Output>(&mut self, out: &mut Out<'_, O>) -> Result<(), Unwritable> {
        if let Some(document) = self.open.first() {
            self.reveal(document.hidden);
        }
        self.open.clear();
        self.write(0, out)?;
        while let Some(top) = self.writing.last_mut() {
            if top.in_list {
                match top.again {
                    NONE => {
                        top.in_list = false;
                        let flow = out.writer.end_list(0);
                        out.settle(flow)?;
                    }
                    node => {
                        top.again = self.nodes[node as usize].again;
                        self.write(node, out)?;
                    }
                }
                continue;
            }
            let node = top.next;
            if node == NONE {
                let own = self.nodes[top.node as usize];
                if own.length > 0 {
                    self.write_text_member(&own, out)?;
                }
                self.writing.pop();
                let flow = out.writer.end_map(0);
                out.settle(flow)?;
                continue;
            }
            let child = self.nodes[node as usize];
            top.next = child.next;
            let flow = out.writer.key(valid(self.names.get(child.key)), 0);
            out.settle(flow)?;
            if child.again != NONE || self.names.is_forced(child.key) {
                (top.in_list, top.again) = (true, node);
                let flow = out.writer.begin_list(0);
                out.settle(flow)?;
            } else {
                self.write(node, out)?;
            }
        }
        self.forget();
        Ok(())
    }

    /// Writes a value without members, or begins to write one that has some.
    #[inline(always)]
    fn write<O: Output>(&mut self, node: u32, out: &mut Out<'_, O>) -> Result<(), Unwritable> {
        let Some(value) = self.nodes.get(node as usize) else { return Ok(()) };
        let flow = if value.child != NONE {
            make_room(&mut self.writing, 1);
            let (next, again, in_list) = (value.child, NONE, false);
            self.writing.push(Writing { node, next, again, in_list });
            out.writer.begin_map(0)
        } else if value.length > 0 || value.is_attribute {
            out.writer.text(valid(&self.text[value.text..value.text + value.length]), 0)
        } else {
            out.writer.null(0)
        };
        out.settle(flow)
    }

    #[inline(never)]
    fn write_text_member<O: Output>(
        &self,
        own: &Node,
        out: &mut Out<'_, O>,
    ) -> Result<(), Unwritable> {
        let flow = out.writer.key(TEXT.into(), 0);
        out.settle(flow)?;
        let is_list = self.names.text_is_forced();
        if is_list {
            let flow = out.writer.begin_list(0);
            out.settle(flow)?;
        }
        let flow = out.writer.text(valid(&self.text[own.text..own.text + own.length]), 0);
        out.settle(flow)?;
        if is_list {
            let flow = out.writer.end_list(0);
            out.settle(flow)?;
        }
        Ok(())
    }

    /// Forgets the record.
    pub(super) fn forget(&mut self) {
        self.nodes.clear();
        self.text.clear();
        self.open.clear();
        self.open_text.clear();
        self.writing.clear();
        self.reveal(0);
        (self.key, self.is_too_long) = (NONE, false);
        if self.names.end_record() {
            self.seen.clear();
        }
        // One large record does not keep its memory for the rest. Shrinking would need memory.
        if self.text.capacity().max(self.open_text.capacity()) > KEPT {
            (self.text, self.open_text) = (String::new(), String::new());
        }
        if self.nodes.capacity() > KEPT / size_of::<Node>() {
            self.nodes = Vec::new();
        }
    }
}

/// How many bytes of each buffer stay after a record.
const KEPT: usize = 1 << 20;

#[inline(always)]
fn valid(text: &str) -> Text<'_> {
    Text { text: ValidText::from(text), ascii: false }
}
