//! The events of a document, as a reader reports them.

use super::row::scalar;
use crate::event::{Container, Key, KeyKind, Matched, Member, Members, Scalar, Text};
use crate::value::number::Outcome;

/// A sink's answer to an event.
///
/// It is one word wide, so a `Result` with it and an error of one word is passed in two registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum Flow {
    /// Continue.
    Take,
    /// In answer to a key: skip its value. In answer to the beginning of a map or list: skip the
    /// rest of it, including its end. The reader still validates the skipped part, but reports
    /// nothing of it. In answer to any other event it means the same as `Take`.
    Skip,
    /// As `Skip`, but the reader still reports child elements, however deep, whose name
    /// [wakes](super::Hints::wakes) the sink. A reader that cannot find them at scanning speed
    /// treats this as `Take`, so it may report more than the sink asked for.
    Watch,
    /// In answer to the beginning of a map: look ahead in it before reporting its members
    /// ([`LookAhead`](super::LookAhead)), until the sink answers
    /// [`Look::Found`](super::Look) or [`Look::Skip`](super::Look), or the map ends. A
    /// reader of a format with keys must do that, or stand in front of the stage that does it
    /// ([`Replay`](crate::stage::Replay)): the sink gets no member before.
    ///
    /// In answer to any other event it means the same as `Take`. It also does in a format of
    /// elements, whose attributes come first: no sink gives this answer there.
    Look,
    /// Return to the caller, and continue from here at the next call. A record, for example, is
    /// ready.
    Pause,
    /// Return to the caller: the sink does not want the rest of the document.
    Stop,
}

/// Receives a document as events. `at` is always the offset, in the decompressed source, of the
/// first byte of the event's token.
///
/// A sink must write only the eight methods without a body. After an error the reader's state is
/// that after the offending token, so the caller may abandon the record and continue.
pub trait Sink {
    /// The sink's reason for refusing an event. A stage may keep it until it knows more.
    type Error: Send + 'static;

    /// A map begins: a JSON object, a dictionary, an element.
    fn begin_map(&mut self, at: u64) -> Result<Flow, Self::Error>;
    /// The innermost open map ends.
    fn end_map(&mut self, at: u64) -> Result<Flow, Self::Error>;
    /// A list begins.
    fn begin_list(&mut self, at: u64) -> Result<Flow, Self::Error>;
    /// The innermost open list ends.
    fn end_list(&mut self, at: u64) -> Result<Flow, Self::Error>;
    /// A key, with everything that the format knows of it. Its value follows.
    fn name(&mut self, key: Key<'_>, at: u64) -> Result<Flow, Self::Error>;
    /// A value that is neither a map nor a list.
    fn scalar(&mut self, value: Scalar<'_>, at: u64) -> Result<Flow, Self::Error>;
    /// Text between the elements of a map (XML's mixed content). May come in pieces.
    fn piece(&mut self, text: Text<'_>, at: u64) -> Result<Flow, Self::Error>;
    /// Forget the current record: it is in error and will not be completed.
    fn abandon(&mut self);

    /// A path's `*` matched the value that follows, by this key or index.
    fn matched(&mut self, _by: Matched<'_>) {}

    /// More about the map or list that follows, if the format says more.
    #[inline(always)]
    fn container(&mut self, _container: Container) {}

    /// The kind of the record that follows, if several kinds are read at once.
    fn record(&mut self, _kind: u32) {}

    /// A comment, without its delimiters. Reported only to a sink that asks for
    /// [`extras`](super::Hints::extras).
    fn comment(&mut self, _text: Text<'_>, _at: u64) -> Result<Flow, Self::Error> {
        Ok(Flow::Take)
    }
    /// A processing instruction: its target, and its data without the white space between the two.
    /// Reported only to a sink that asks for [`extras`](super::Hints::extras).
    fn instruction(
        &mut self,
        _target: Text<'_>,
        _data: Text<'_>,
        _at: u64,
    ) -> Result<Flow, Self::Error> {
        Ok(Flow::Take)
    }

    /// A plain key, in a format whose keys are only names.
    #[inline(always)]
    fn key(&mut self, key: Text<'_>, at: u64) -> Result<Flow, Self::Error> {
        self.name(Key { name: key, namespace: None, prefix: None, kind: KeyKind::Member }, at)
    }
    /// The text has the key that the sink gave with
    /// [`expected_key`](super::Hints::expected_key) or
    /// [`expected_name`](super::Hints::expected_name). Reported instead of [`key`](Sink::key).
    #[inline(always)]
    fn expected_key_found(&mut self, _at: u64) -> Result<Flow, Self::Error> {
        Ok(Flow::Take)
    }
    /// Members that the sink [expected](super::Hints::members_ahead). It means the same as the key and the value of each
    /// of them, one after another. The reader is past all of them, whatever the answer is: a sink that refuses one does
    /// not get those behind it.
    #[inline(always)]
    fn members(&mut self, members: &Members<'_>) -> Result<Flow, Self::Error> {
        // A sink that does not want all of them has to write this itself.
        debug_assert_eq!(members.keys(), members.values());
        for Member { value, key_at, at, .. } in members.iter() {
            self.expected_key_found(key_at)?;
            scalar(self, value, at)?;
        }
        Ok(Flow::Take)
    }
    /// A map that the sink [expected](super::Hints::object_ahead), with all of its members. It means the same as its
    /// beginning at `at`, the members and its end at `end`.
    #[inline(always)]
    fn object(&mut self, members: &Members<'_>, at: u64, end: u64) -> Result<Flow, Self::Error> {
        if self.begin_map(at)? == Flow::Skip {
            return Ok(Flow::Skip);
        }
        self.members(members)?;
        self.end_map(end)
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

    /// A key, and its text between the quotes: the two have the same length only if the text has no
    /// escapes. Reported instead of [`key`](Sink::key), whatever the sink wants.
    #[inline(always)]
    fn written_key(&mut self, key: Text<'_>, _raw: Text<'_>, at: u64) -> Result<Flow, Self::Error> {
        self.key(key, at)
    }
    /// The text of a string between its quotes: validated, with its escapes, if any, not resolved.
    /// Reported only to a sink that wants values [as they are
    /// written](super::Hints::as_written).
    fn written_text(
        &mut self,
        raw: Text<'_>,
        _escaped: bool,
        at: u64,
    ) -> Result<Flow, Self::Error> {
        self.text(raw, at)
    }
    /// A number as its digits, and the outcome of scanning them, which is never one of the two for
    /// text that is no number. Reported only to a sink that wants values [as they are
    /// written](super::Hints::as_written).
    fn written_number(
        &mut self,
        digits: &[u8],
        _found: Outcome,
        at: u64,
    ) -> Result<Flow, Self::Error> {
        self.number(digits, at)
    }
}
