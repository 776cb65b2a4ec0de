//! Elements become lists that lose nothing: the element form.
//!
//! An element is a list: its name, its attributes as a map if it has any, and its content. Text is
//! a string, and a child element is a list. `["#comment", TEXT]` is a comment, and
//! `["#instruction", TARGET, DATA]` an instruction. A document is `["#document", ...]`, with the
//! root element and what stands before and after it. Names and attributes are as they are written,
//! with their prefixes, and declarations are attributes. If a record uses a prefix that is declared
//! outside of it, it gets the declaration too.
//!
//! Nothing waits for the end of an element, and at most [`LONGEST`] bytes of text are kept: longer
//! text is several strings, which end at the same characters however the document was cut.

use super::out::{Out, Output};
use crate::event::{Key, KeyKind, Text};
use crate::protocol::Sink;
use crate::writer::Unwritable;
use crate::xml::scope::Scope;
use crate::xml::{XML, XMLNS};
use penstock_scan::{ValidText, make_room};

/// The most bytes of a string that is text of an element.
pub(super) const LONGEST: usize = 64 << 10;

/// The names of lists that are no elements.
pub(super) const DOCUMENT: &str = "#document";
pub(super) const COMMENT: &str = "#comment";
pub(super) const INSTRUCTION: &str = "#instruction";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tag {
    Closed,
    /// A start tag without attributes so far.
    Open,
    /// A start tag whose attributes are an open map.
    Attributes,
}

#[derive(Debug)]
pub(super) struct Elements {
    /// Whether the whole document is written, and not single elements.
    is_document: bool,
    /// Whether prefixes are resolved.
    has_namespaces: bool,
    started: bool,
    tag: Tag,
    /// The name of the element or attribute that comes, as it is written.
    name: String,
    /// If the attribute is a declaration, the length of the prefix in `name` and its colon.
    declares: Option<usize>,
    /// The text that was not written yet.
    text: String,
    depth: usize,
    scope: Scope,
    /// The prefixes and namespaces that the tag uses, one after the other.
    used: String,
    /// For each the end of the prefix and that of the namespace in `used`.
    uses: Vec<(usize, usize)>,
}

impl Elements {
    pub(super) fn new(is_document: bool, has_namespaces: bool) -> Self {
        Elements {
            is_document,
            has_namespaces,
            started: false,
            tag: Tag::Closed,
            name: String::new(),
            declares: None,
            text: String::new(),
            depth: 0,
            scope: Scope::default(),
            used: String::new(),
            uses: Vec::new(),
        }
    }

    /// One for other records that does the same. None if the document is one value.
    pub(super) fn beside(&self) -> Option<Self> {
        (!self.is_document).then(|| Elements::new(false, self.has_namespaces))
    }

    /// The name of an element or an attribute.
    pub(super) fn name<O: Output>(
        &mut self,
        key: &Key<'_>,
        out: &mut Out<'_, O>,
    ) -> Result<(), Unwritable> {
        if key.kind != KeyKind::Attribute {
            self.end_piece(out)?;
            self.uses.clear();
            self.used.clear();
        }
        self.name.clear();
        let (prefix, local) = (key.prefix.map_or("", |it| it.text.as_str()), key.name.text);
        make_room(&mut self.name, prefix.len() + 1 + local.as_str().len());
        if key.prefix.is_some() {
            self.name.push_str(prefix);
            self.name.push(':');
        }
        self.name.push_str(local.as_str());
        self.declares = None;
        if self.has_namespaces {
            let uri = key.namespace.map_or("", |it| it.text.as_str());
            if uri == XMLNS {
                self.declares = Some(if key.prefix.is_some() { "xmlns:".len() } else { 0 });
            } else if uri != XML && (key.kind == KeyKind::Element || key.prefix.is_some()) {
                make_room(&mut self.used, prefix.len() + uri.len());
                self.used.push_str(prefix);
                let middle = self.used.len();
                self.used.push_str(uri);
                make_room(&mut self.uses, 1);
                self.uses.push((middle, self.used.len()));
            }
        }
        Ok(())
    }

    /// An element begins.
    pub(super) fn begin<O: Output>(&mut self, out: &mut Out<'_, O>) -> Result<(), Unwritable> {
        self.begin_list(out)?;
        let flow = out.writer.text(valid(&self.name), 0);
        out.settle(flow)?;
        self.tag = Tag::Open;
        self.depth += 1;
        Ok(())
    }

    /// The value of an attribute.
    pub(super) fn attribute<O: Output>(
        &mut self,
        text: Text<'_>,
        out: &mut Out<'_, O>,
    ) -> Result<(), Unwritable> {
        if self.tag == Tag::Closed {
            // The attribute is the record.
            let flow = out.writer.text(text, 0);
            return out.settle(flow);
        }
        if let Some(prefix) = self.declares {
            let prefix = if prefix == 0 { "" } else { &self.name[prefix..] };
            self.scope.bind(prefix.as_bytes(), text.bytes(), self.depth, false)?;
        }
        write_attribute(&mut self.tag, &self.name, text, out)
    }

    /// Ends the start tag, if it is open: adds the declarations that it lacks.
    fn end_tag<O: Output>(&mut self, out: &mut Out<'_, O>) -> Result<(), Unwritable> {
        if self.tag == Tag::Closed {
            return Ok(());
        }
        let mut start = 0;
        for &(middle, end) in &self.uses {
            let (prefix, uri) = (&self.used[start..middle], &self.used[middle..end]);
            start = end;
            let known = self.scope.find(prefix.as_bytes());
            let is_known =
                known.map_or(uri.is_empty(), |place| self.scope.uri(place) == uri.as_bytes());
            if is_known {
                continue;
            }
            self.scope.bind(prefix.as_bytes(), uri.as_bytes(), self.depth, false)?;
            self.name.clear();
            make_room(&mut self.name, 6 + prefix.len());
            self.name.push_str("xmlns");
            if !prefix.is_empty() {
                self.name.push(':');
                self.name.push_str(prefix);
            }
            write_attribute(&mut self.tag, &self.name, valid(uri), out)?;
        }
        self.uses.clear();
        self.used.clear();
        if self.tag == Tag::Attributes {
            let flow = out.writer.end_map(0);
            out.settle(flow)?;
        }
        self.tag = Tag::Closed;
        Ok(())
    }

    /// A piece of text.
    pub(super) fn piece<O: Output>(
        &mut self,
        text: Text<'_>,
        out: &mut Out<'_, O>,
    ) -> Result<(), Unwritable> {
        self.end_tag(out)?;
        let mut rest = text.text.as_str();
        while self.text.len() + rest.len() > LONGEST {
            let mut end = LONGEST - self.text.len();
            while !rest.is_char_boundary(end) {
                end -= 1;
            }
            make_room(&mut self.text, end);
            self.text.push_str(&rest[..end]);
            rest = &rest[end..];
            self.write_text(out)?;
        }
        make_room(&mut self.text, rest.len());
        self.text.push_str(rest);
        Ok(())
    }

    fn write_text<O: Output>(&mut self, out: &mut Out<'_, O>) -> Result<(), Unwritable> {
        let flow = out.writer.text(valid(&self.text), 0);
        self.text.clear();
        out.settle(flow)
    }

    /// Something that is no text comes.
    fn end_piece<O: Output>(&mut self, out: &mut Out<'_, O>) -> Result<(), Unwritable> {
        self.end_tag(out)?;
        if self.text.is_empty() { Ok(()) } else { self.write_text(out) }
    }

    fn begin_list<O: Output>(&mut self, out: &mut Out<'_, O>) -> Result<(), Unwritable> {
        if self.is_document && !self.started {
            self.started = true;
            let flow = out.writer.begin_list(0);
            out.settle(flow)?;
            let flow = out.writer.text(DOCUMENT.into(), 0);
            out.settle(flow)?;
        }
        let flow = out.writer.begin_list(0);
        out.settle(flow)
    }

    /// A comment or an instruction: a name, and one or two strings.
    pub(super) fn extra<O: Output>(
        &mut self,
        strings: &[Text<'_>],
        out: &mut Out<'_, O>,
    ) -> Result<(), Unwritable> {
        self.end_piece(out)?;
        self.begin_list(out)?;
        for string in strings {
            let flow = out.writer.text(*string, 0);
            out.settle(flow)?;
        }
        let flow = out.writer.end_list(0);
        out.settle(flow)
    }

    /// The innermost element ends.
    pub(super) fn end<O: Output>(&mut self, out: &mut Out<'_, O>) -> Result<(), Unwritable> {
        self.end_piece(out)?;
        self.depth = self.depth.saturating_sub(1);
        self.scope.leave(self.depth);
        let flow = out.writer.end_list(0);
        out.settle(flow)
    }

    /// The source ends.
    pub(super) fn finish<O: Output>(&mut self, out: &mut Out<'_, O>) -> Result<(), Unwritable> {
        if !std::mem::take(&mut self.started) {
            return Ok(());
        }
        let flow = out.writer.end_list(0);
        out.settle(flow)
    }

    /// Forgets the record.
    pub(super) fn forget(&mut self) {
        self.tag = Tag::Closed;
        self.text.clear();
        self.depth = 0;
        self.scope.leave(0);
        self.uses.clear();
        self.used.clear();
    }
}

fn write_attribute<O: Output>(
    tag: &mut Tag,
    name: &str,
    value: Text<'_>,
    out: &mut Out<'_, O>,
) -> Result<(), Unwritable> {
    if *tag == Tag::Open {
        *tag = Tag::Attributes;
        let flow = out.writer.begin_map(0);
        out.settle(flow)?;
    }
    let flow = out.writer.key(valid(name), 0);
    out.settle(flow)?;
    let flow = out.writer.text(value, 0);
    out.settle(flow)
}

#[inline(always)]
fn valid(text: &str) -> Text<'_> {
    Text { text: ValidText::from(text), ascii: false }
}
