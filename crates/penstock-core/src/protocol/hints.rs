//! A sink's expectations, which the reader compares with the text in place.

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
