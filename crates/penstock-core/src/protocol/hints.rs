//! A sink's expectations, which the reader compares with the text in place.

/// A member that a sink expects.
#[derive(Clone, Debug)]
pub struct Coming {
    /// Its key, as the [expected key](Hints::expected_key) of the reader's format.
    pub key: Box<[u8]>,
    /// The form in which the sink wants it, if it is a number. Nothing if the sink does not want the value: then the reader
    /// only validates it.
    pub want: Option<Want>,
}

/// The form in which a sink wants the next number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Want {
    /// An integer literal as [`Sink::int`](super::Sink::int) if it fits 64 bits, another
    /// number as [`Sink::float`](super::Sink::float) if it is finite as a double; all others
    /// as [`Sink::number`](super::Sink::number).
    Native,
    /// Any number as [`Sink::float`](super::Sink::float) if it is finite as a double, else as
    /// [`Sink::number`](super::Sink::number).
    Float,
    /// Always as [`Sink::number`](super::Sink::number): the digits matter.
    Digits,
}

/// Questions that the reader may ask the sink at any time. The answers reduce the common case to
/// one comparison in place. A reader that asks nothing is correct, too.
pub trait Hints {
    /// The next expected key as the reader's format writes it (for JSON `"name":`), or nothing. If
    /// the reader finds this text, it reports
    /// [`expected_key_found`](super::Sink::expected_key_found) instead of
    /// [`key`](super::Sink::key).
    #[inline(always)]
    fn expected_key(&self) -> &[u8] {
        &[]
    }
    /// The name of the next expected key, or nothing, for formats that have names without quotes. If
    /// the reader finds this name, it may report
    /// [`expected_key_found`](super::Sink::expected_key_found), too.
    #[inline(always)]
    fn expected_name(&self) -> &[u8] {
        &[]
    }
    /// The members that probably come next, from the [expected key](Self::expected_key) on, each with a
    /// scalar as its value. A reader that finds some of them in one go reports them with
    /// [`members`](super::Sink::members), and what differs as usual. Nothing if there are not several,
    /// or if the sink has to answer each of them.
    #[inline(always)]
    fn members_ahead(&self) -> &[Coming] {
        &[]
    }
    /// If the next value is a map: the members with which it probably begins, as
    /// [`members_ahead`](Self::members_ahead) says them once it has begun. A sink that gives some of them takes such a map
    /// also as a whole, with [`object`](super::Sink::object), and without looking ahead. The beginning of the map changes
    /// nothing of what it expects.
    #[inline(always)]
    fn object_ahead(&self) -> &[Coming] {
        &[]
    }
    /// The form in which the sink wants the next number.
    #[inline(always)]
    fn want(&self) -> Want {
        Want::Digits
    }
    /// Whether the sink ignores the next value if it is a scalar. The reader then only validates
    /// it.
    #[inline(always)]
    fn ignores_scalar(&self) -> bool {
        false
    }
    /// Whether the sink wants strings and numbers as they are written. If so, a reader of a text
    /// format reports them with [`written_text`](super::Sink::written_text) and
    /// [`written_number`](super::Sink::written_number), otherwise as usual.
    #[inline(always)]
    fn as_written(&self) -> bool {
        false
    }
    /// Whether the sink wants comments and processing instructions. If not, the reader only
    /// validates them.
    #[inline(always)]
    fn extras(&self) -> bool {
        false
    }
    /// Whether the sink makes an object once to which the document refers several times, and so wants
    /// to know which [containers](super::Sink::container) these are. A reader of a format with
    /// references has to count them first.
    #[inline(always)]
    fn shares(&self) -> bool {
        false
    }
    /// Whether the sink is interested in elements of this name, given without its prefix. A reader
    /// asks this after the answer [`Watch`](super::Flow::Watch). The sink may answer yes too
    /// often.
    #[inline(always)]
    fn wakes(&self, _name: &[u8]) -> bool {
        true
    }
}
