//! What a reader reports: the events of a document.

use crate::event::{Container, Key, KeyKind, Matched, Scalar, Text};
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
    /// of it, its end included. The reader still checks what it skips, and reports nothing of it. To
    /// any other event it means the same as `Take`.
    Skip,
    /// As `Skip`, but the reader still reports child elements, however deep, whose name
    /// [wakes](crate::sink::Lent::wakes) the sink. A reader that cannot find them at scanning speed
    /// takes it for `Take`, so it may report more than was asked for.
    Watch,
    /// To the beginning of a map: look ahead in it before its members are reported
    /// ([`LookAhead`](crate::sink::LookAhead)), until an answer is [`Look::Found`](crate::sink::Look)
    /// or [`Look::Skip`](crate::sink::Look), or the map ends. A reader of a format with keys must do
    /// that, or stand before the stage that does it for it ([`Replay`](crate::stage::Replay)): a sink
    /// that gave this answer hears no member before.
    ///
    /// To any other event it means the same as `Take`, and so it does in a format of elements, whose
    /// attributes come first: there no sink answers so.
    Look,
    /// Return to the caller, and go on from here when called again. Something is ready.
    Pause,
    /// Return to the caller: the rest of the document is not wanted.
    Stop,
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

    /// What the map or list that follows is, where the format says more than that it is one.
    #[inline(always)]
    fn container(&mut self, _container: Container) {}

    /// The record that follows is of this kind, where several kinds are read at once.
    fn record(&mut self, _kind: u32) {}

    /// A comment, without its delimiters. Reported only to a sink that asks for
    /// [`extras`](crate::sink::Lent::extras).
    fn comment(&mut self, _text: Text<'_>, _at: u64) -> Result<Flow, Self::Error> {
        Ok(Flow::Take)
    }
    /// A processing instruction: its target, and what follows behind white space. Reported only to a
    /// sink that asks for [`extras`](crate::sink::Lent::extras).
    fn instruction(
        &mut self,
        _target: Text<'_>,
        _data: Text<'_>,
        _at: u64,
    ) -> Result<Flow, Self::Error> {
        Ok(Flow::Take)
    }

    /// The plain key of a format that has nothing more to say of one.
    #[inline(always)]
    fn key(&mut self, key: Text<'_>, at: u64) -> Result<Flow, Self::Error> {
        self.name(Key { name: key, namespace: None, prefix: None, kind: KeyKind::Member }, at)
    }
    /// The key that the sink lent by [`expected_key`](crate::sink::Lent::expected_key) stood in the
    /// text. Reported in place of [`key`](Sink::key).
    #[inline(always)]
    fn expected_key_found(&mut self, _at: u64) -> Result<Flow, Self::Error> {
        Ok(Flow::Take)
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

    /// A key, and how it stands between its quotes: as long as that only if it has no escapes.
    /// Reported in place of [`key`](Sink::key), whatever is wanted.
    #[inline(always)]
    fn written_key(&mut self, key: Text<'_>, _raw: Text<'_>, at: u64) -> Result<Flow, Self::Error> {
        self.key(key, at)
    }
    /// A string as it stands between its quotes: checked, and its escapes, if it has any, not
    /// resolved. Reported only to a sink that wants values
    /// [as they are written](crate::sink::Lent::as_written).
    fn written_text(
        &mut self,
        raw: Text<'_>,
        _escaped: bool,
        at: u64,
    ) -> Result<Flow, Self::Error> {
        self.text(raw, at)
    }
    /// A number as its digits, with what scanning them found: never one of the two that are none.
    /// Reported only to a sink that wants values [as they are written](crate::sink::Lent::as_written).
    fn written_number(
        &mut self,
        digits: &[u8],
        _found: Outcome,
        at: u64,
    ) -> Result<Flow, Self::Error> {
        self.number(digits, at)
    }
}
