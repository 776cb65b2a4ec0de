//! Events that are held back, with copies of their texts.

use std::ops::Range;

use penstock_scan::{ValidText, make_room};

use crate::event::{Container, Key, KeyKind, Scalar, Text};

/// A text in the buffer of a recording.
#[derive(Clone, Debug)]
pub(crate) struct Span {
    range: Range<usize>,
    ascii: bool,
}

/// A key that is held back.
#[derive(Clone, Debug)]
pub(crate) struct HeldKey {
    name: Span,
    namespace: Option<Span>,
    prefix: Option<Span>,
    kind: KeyKind,
}

/// A value that is held back.
#[derive(Clone, Debug)]
pub(crate) enum HeldScalar {
    /// A value without references to the input.
    Own(Scalar<'static>),
    Text(Span),
    Untyped(Span),
    Number(Range<usize>),
    Decimal(Range<usize>),
    Bytes(Range<usize>),
}

/// An event that is held back.
#[derive(Clone, Debug)]
pub(crate) enum Held {
    /// A map or list begins; `end` is the index of its end.
    BeginMap {
        end: usize,
    },
    BeginList {
        end: usize,
    },
    EndMap,
    EndList,
    Key(HeldKey),
    Scalar(HeldScalar),
    Piece(Span),
    Comment(Span),
    Instruction(Span, Span),
    Container(Container),
}

/// A sequence of events, with their texts in buffers.
#[derive(Debug, Default)]
pub(crate) struct Recording {
    events: Vec<(Held, u64)>,
    text: String,
    bytes: Vec<u8>,
    /// The indexes of the beginnings whose ends have not come yet.
    open: Vec<usize>,
}

impl Recording {
    pub(crate) fn clear(&mut self) {
        self.events.clear();
        self.text.clear();
        self.bytes.clear();
        self.open.clear();
    }
    /// About how much memory the recording uses.
    pub(crate) fn size(&self) -> usize {
        self.events.len() * size_of::<(Held, u64)>() + self.text.len() + self.bytes.len()
    }
    /// How many maps and lists are open.
    pub(super) fn depth(&self) -> usize {
        self.open.len()
    }
    pub(crate) fn len(&self) -> usize {
        self.events.len()
    }
    pub(crate) fn get(&self, place: usize) -> Option<&(Held, u64)> {
        self.events.get(place)
    }

    pub(super) fn push(&mut self, event: Held, at: u64) {
        make_room(&mut self.events, 1);
        self.events.push((event, at));
    }
    pub(crate) fn begin(&mut self, map: bool, at: u64) {
        let end = usize::MAX;
        make_room(&mut self.open, 1);
        self.open.push(self.events.len());
        self.push(if map { Held::BeginMap { end } } else { Held::BeginList { end } }, at);
    }
    /// The innermost open map or list ends.
    pub(crate) fn end(&mut self, map: bool, at: u64) {
        let last = self.events.len();
        if let Some(begun) = self.open.pop()
            && let (Held::BeginMap { end } | Held::BeginList { end }, _) = &mut self.events[begun]
        {
            *end = last;
        }
        self.push(if map { Held::EndMap } else { Held::EndList }, at);
    }
    pub(crate) fn key(&mut self, key: &Key<'_>, at: u64) {
        let held = HeldKey {
            name: self.keep(key.name),
            namespace: key.namespace.map(|text| self.keep(text)),
            prefix: key.prefix.map(|text| self.keep(text)),
            kind: key.kind,
        };
        self.push(Held::Key(held), at);
    }
    pub(crate) fn scalar(&mut self, value: Scalar<'_>, at: u64) {
        let held = match value {
            Scalar::Text(text) => HeldScalar::Text(self.keep(text)),
            Scalar::Untyped(text) => HeldScalar::Untyped(self.keep(text)),
            Scalar::Number(digits) => HeldScalar::Number(self.keep_bytes(digits)),
            Scalar::Decimal(digits) => HeldScalar::Decimal(self.keep_bytes(digits)),
            Scalar::Bytes(bytes) => HeldScalar::Bytes(self.keep_bytes(bytes)),
            Scalar::Null => HeldScalar::Own(Scalar::Null),
            Scalar::Bool(value) => HeldScalar::Own(Scalar::Bool(value)),
            Scalar::Int(value) => HeldScalar::Own(Scalar::Int(value)),
            Scalar::Float(value) => HeldScalar::Own(Scalar::Float(value)),
            Scalar::Date(value) => HeldScalar::Own(Scalar::Date(value)),
            Scalar::Time(value) => HeldScalar::Own(Scalar::Time(value)),
            Scalar::DateTime(value) => HeldScalar::Own(Scalar::DateTime(value)),
            Scalar::Since2001(value) => HeldScalar::Own(Scalar::Since2001(value)),
            Scalar::Duration(value) => HeldScalar::Own(Scalar::Duration(value)),
            Scalar::Uuid(value) => HeldScalar::Own(Scalar::Uuid(value)),
            Scalar::Uid(value) => HeldScalar::Own(Scalar::Uid(value)),
        };
        self.push(Held::Scalar(held), at);
    }

    pub(super) fn keep(&mut self, text: Text<'_>) -> Span {
        let from = self.text.len();
        make_room(&mut self.text, text.text.as_bytes().len());
        self.text.push_str(text.text.as_str());
        Span { range: from..self.text.len(), ascii: text.ascii }
    }
    fn keep_bytes(&mut self, bytes: &[u8]) -> Range<usize> {
        let from = self.bytes.len();
        make_room(&mut self.bytes, bytes.len());
        self.bytes.extend_from_slice(bytes);
        from..self.bytes.len()
    }

    pub(super) fn text_of(&self, span: &Span) -> Text<'_> {
        Text { text: ValidText::from(&self.text[span.range.clone()]), ascii: span.ascii }
    }
    pub(crate) fn key_of(&self, key: &HeldKey) -> Key<'_> {
        Key {
            name: self.text_of(&key.name),
            namespace: key.namespace.as_ref().map(|span| self.text_of(span)),
            prefix: key.prefix.as_ref().map(|span| self.text_of(span)),
            kind: key.kind,
        }
    }
    pub(crate) fn scalar_of(&self, value: &HeldScalar) -> Scalar<'_> {
        match value {
            HeldScalar::Own(value) => *value,
            HeldScalar::Text(span) => Scalar::Text(self.text_of(span)),
            HeldScalar::Untyped(span) => Scalar::Untyped(self.text_of(span)),
            HeldScalar::Number(range) => Scalar::Number(&self.bytes[range.clone()]),
            HeldScalar::Decimal(range) => Scalar::Decimal(&self.bytes[range.clone()]),
            HeldScalar::Bytes(range) => Scalar::Bytes(&self.bytes[range.clone()]),
        }
    }
}
