//! Who listens: the protocol between readers and everything that stands behind them.
//!
//! A reader calls a sink's methods in document order. The sink answers what should happen to what
//! comes next ([`Flow`]), and lends the reader what it expects, so that the common case is one
//! comparison in place: the next key as it would stand in the text, and the form in which it
//! wants numbers.
//!
//! Calls are statically dispatched: each pair of reader and sink compiles to one loop.

use crate::event::{Key, KeyKind, Matched, Scalar, Text};
use crate::value::number::Outcome;

/// A sink's answer to an event.
///
/// A word wide: the `Result` of it with an error of one word is then passed in two registers, whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum Flow {
    /// Go on.
    Take,
    /// To a key: pass over its value. To the beginning of a map or list: pass over what is left
    /// of it, its end included. What is skipped makes no events and is still checked. To any
    /// other event it means the same as `Take`.
    Skip,
    /// As `Skip`, but told again are the child elements, however deep, whose name
    /// [wakes](Sink::wakes) the sink. A reader that cannot find them at scanning speed takes it for
    /// `Take`, so more may be told than was asked for.
    Watch,
    /// To the beginning of a map: look ahead for one of its keys before its members are told
    /// ([`Sink::look_key`]). To any other event, and in a format where what tells maps apart comes
    /// first, it means the same as `Take`.
    Look,
    /// Return to the caller, and go on from here when called again. Something is ready.
    Pause,
    /// Return to the caller: the rest of the document is not wanted.
    Stop,
}

/// A sink's answer while a reader looks ahead for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// Look on.
    Pass,
    /// To a key: its value is wanted ([`Sink::look_value`]). Else the same as `Pass`.
    Value,
    /// It is known what the map becomes: tell it, from its first member on.
    Found,
    /// The map is not wanted: pass over it. Nothing more of it is told, its end included.
    Skip,
}

/// The form in which a sink wants the next number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Want {
    /// An integer literal as [`Sink::int`] if it fits 64 bits, another number as
    /// [`Sink::float`] if it is finite as a double; all others as [`Sink::number`].
    Native,
    /// Any number as [`Sink::float`] if it is finite as a double, else as [`Sink::number`].
    Float,
    /// Always as [`Sink::number`]: the digits matter.
    Digits,
}

/// Receives a document as events. `at` is always the byte offset, in the decompressed source, of
/// the first byte of the token that the event stands for.
///
/// Only the eight methods without a body must be written. After an error the reader's state is
/// that after the offending token, so the caller may abandon the record and go on.
pub trait Sink {
    /// Why an event was refused.
    type Error;

    /// A map begins: an object, a dictionary, an element.
    fn begin_map(&mut self, at: u64) -> Result<Flow, Self::Error>;
    /// The map that began last and has not ended ends.
    fn end_map(&mut self, at: u64) -> Result<Flow, Self::Error>;
    /// A list begins.
    fn begin_list(&mut self, at: u64) -> Result<Flow, Self::Error>;
    /// The list that began last and has not ended ends.
    fn end_list(&mut self, at: u64) -> Result<Flow, Self::Error>;
    /// A key, with all that the format says of it. Its value follows.
    fn name(&mut self, key: Key<'_>, at: u64) -> Result<Flow, Self::Error>;
    /// A value without parts.
    fn scalar(&mut self, value: Scalar<'_>, at: u64) -> Result<Flow, Self::Error>;
    /// Text between the elements of a map (XML's mixed content). May come in pieces.
    fn piece(&mut self, text: Text<'_>, at: u64) -> Result<Flow, Self::Error>;
    /// Forget the record under construction: it is in error and will not be completed.
    fn abandon(&mut self);

    /// The value that follows was found by a path's `*`: by this key or index.
    fn matched(&mut self, _by: Matched<'_>) {}

    /// The record that follows is of this kind, where several kinds are read at once.
    fn record(&mut self, _kind: u32) {}

    /// While looking ahead ([`Flow::Look`]): a key of the map at hand.
    fn look_key(&mut self, _key: Text<'_>, _at: u64) -> Result<Look, Self::Error> {
        Ok(Look::Found)
    }
    /// While looking ahead: the value of the key that was asked for; none if it has parts.
    fn look_value(&mut self, _value: Option<Scalar<'_>>, _at: u64) -> Result<Look, Self::Error> {
        Ok(Look::Found)
    }
    /// While looking ahead: the map ends, and it is not known yet what it becomes. It is told, unless
    /// the answer is [`Look::Skip`].
    fn look_end(&mut self, _at: u64) -> Result<Look, Self::Error> {
        Ok(Look::Found)
    }

    /// Lent to the reader where a map begins that is to be looked into: the key that is looked for,
    /// as [`Sink::expected_key`] lends one, or nothing. Where that is simple, the reader finds it
    /// without telling of others and says [`Sink::sought_found`] before it looks.
    #[inline(always)]
    fn sought_key(&self) -> &[u8] {
        &[]
    }
    /// In the map that begins, the key lent by [`Sink::sought_key`] has this value. The sink answers
    /// whether that will do; else looking begins. If it does, the map is told without the member that
    /// was found: it counts as told.
    #[inline(always)]
    fn sought_found(&mut self, _value: Text<'_>) -> bool {
        false
    }

    /// Lent to the reader: whether comments and processing instructions are wanted. They are told
    /// by the two methods below if so, and only checked if not.
    #[inline(always)]
    fn extras(&self) -> bool {
        false
    }
    /// A comment, without its delimiters.
    fn comment(&mut self, _text: Text<'_>, _at: u64) -> Result<Flow, Self::Error> {
        Ok(Flow::Take)
    }
    /// A processing instruction: its target, and what follows behind white space.
    fn instruction(
        &mut self,
        _target: Text<'_>,
        _data: Text<'_>,
        _at: u64,
    ) -> Result<Flow, Self::Error> {
        Ok(Flow::Take)
    }
    /// Lent to a reader that was told to [watch](Flow::Watch): whether an element of this name,
    /// given without its prefix, is of interest. May say yes too often.
    #[inline(always)]
    fn wakes(&self, _name: &[u8]) -> bool {
        true
    }

    /// The plain key of a format that has nothing more to say of one.
    #[inline(always)]
    fn key(&mut self, key: Text<'_>, at: u64) -> Result<Flow, Self::Error> {
        self.name(Key { name: key, namespace: None, prefix: None, kind: KeyKind::Member }, at)
    }
    /// `null`.
    #[inline(always)]
    fn null(&mut self, at: u64) -> Result<Flow, Self::Error> {
        self.scalar(Scalar::Null, at)
    }
    /// `true` or `false`.
    #[inline(always)]
    fn boolean(&mut self, value: bool, at: u64) -> Result<Flow, Self::Error> {
        self.scalar(Scalar::Bool(value), at)
    }
    /// An integer of 64 bits.
    #[inline(always)]
    fn int(&mut self, value: i64, at: u64) -> Result<Flow, Self::Error> {
        self.scalar(Scalar::Int(value), at)
    }
    /// A double.
    #[inline(always)]
    fn float(&mut self, value: f64, at: u64) -> Result<Flow, Self::Error> {
        self.scalar(Scalar::Float(value), at)
    }
    /// A number as its digits.
    #[inline(always)]
    fn number(&mut self, digits: &[u8], at: u64) -> Result<Flow, Self::Error> {
        self.scalar(Scalar::Number(digits), at)
    }
    /// A string.
    #[inline(always)]
    fn text(&mut self, text: Text<'_>, at: u64) -> Result<Flow, Self::Error> {
        self.scalar(Scalar::Text(text), at)
    }

    /// Lent to the reader: whether strings and numbers are wanted as they are written. They are told
    /// by the two methods below if so, by a reader of a format that is text, and else as always.
    #[inline(always)]
    fn as_written(&self) -> bool {
        false
    }
    /// A key, and how it stands between its quotes: as long as that only if it has no escapes. Told
    /// in place of [`key`](Sink::key), whatever is wanted.
    #[inline(always)]
    fn written_key(&mut self, key: Text<'_>, _raw: Text<'_>, at: u64) -> Result<Flow, Self::Error> {
        self.key(key, at)
    }
    /// A string as it stands between its quotes: checked, and its escapes, if it has any, not
    /// resolved.
    fn written_text(
        &mut self,
        raw: Text<'_>,
        _escaped: bool,
        at: u64,
    ) -> Result<Flow, Self::Error> {
        self.text(raw, at)
    }
    /// A number as its digits, with what scanning them found: never one of the two that are none.
    fn written_number(
        &mut self,
        digits: &[u8],
        _found: Outcome,
        at: u64,
    ) -> Result<Flow, Self::Error> {
        self.number(digits, at)
    }

    /// Lent to the reader: the next key as it would stand in the reader's format (for JSON
    /// `"name":`), or nothing. If it stands there, the reader says [`Sink::expected_key_found`]
    /// instead of [`Sink::key`].
    #[inline(always)]
    fn expected_key(&self) -> &[u8] {
        &[]
    }
    /// The key lent by [`Sink::expected_key`] stood in the text.
    #[inline(always)]
    fn expected_key_found(&mut self, _at: u64) -> Result<Flow, Self::Error> {
        Ok(Flow::Take)
    }
    /// Lent to the reader: the form in which the next number is wanted.
    #[inline(always)]
    fn want(&self) -> Want {
        Want::Digits
    }
    /// Lent to the reader: whether the next value, if it has no parts, is not wanted. It is then
    /// only checked.
    #[inline(always)]
    fn passes(&self) -> bool {
        false
    }
}

/// Listens to nothing: with it, a reader only checks.
#[derive(Debug, Default, Clone, Copy)]
pub struct Discard;

impl Sink for Discard {
    type Error = std::convert::Infallible;
    fn begin_map(&mut self, _at: u64) -> Result<Flow, Self::Error> {
        Ok(Flow::Skip)
    }
    fn end_map(&mut self, _at: u64) -> Result<Flow, Self::Error> {
        Ok(Flow::Take)
    }
    fn begin_list(&mut self, _at: u64) -> Result<Flow, Self::Error> {
        Ok(Flow::Skip)
    }
    fn end_list(&mut self, _at: u64) -> Result<Flow, Self::Error> {
        Ok(Flow::Take)
    }
    fn name(&mut self, _key: Key<'_>, _at: u64) -> Result<Flow, Self::Error> {
        Ok(Flow::Skip)
    }
    fn scalar(&mut self, _value: Scalar<'_>, _at: u64) -> Result<Flow, Self::Error> {
        Ok(Flow::Take)
    }
    fn piece(&mut self, _text: Text<'_>, _at: u64) -> Result<Flow, Self::Error> {
        Ok(Flow::Take)
    }
    fn abandon(&mut self) {}
}
