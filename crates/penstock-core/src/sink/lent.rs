//! What a sink lends the reader: its expectations, which the reader compares in place.

/// The form in which a sink wants the next number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Want {
    /// An integer literal as [`Sink::int`](crate::sink::Sink::int) if it fits 64 bits, another
    /// number as [`Sink::float`](crate::sink::Sink::float) if it is finite as a double; all others
    /// as [`Sink::number`](crate::sink::Sink::number).
    Native,
    /// Any number as [`Sink::float`](crate::sink::Sink::float) if it is finite as a double, else as
    /// [`Sink::number`](crate::sink::Sink::number).
    Float,
    /// Always as [`Sink::number`](crate::sink::Sink::number): the digits matter.
    Digits,
}

/// What the reader may ask of a sink at any time. The answers make the common case one comparison in
/// place; a reader that asks for nothing is right as well.
pub trait Lent {
    /// The next key as it would stand in the reader's format (for JSON `"name":`), or nothing. If it
    /// stands there, the reader reports
    /// [`expected_key_found`](crate::sink::Sink::expected_key_found) instead of
    /// [`key`](crate::sink::Sink::key).
    #[inline(always)]
    fn expected_key(&self) -> &[u8] {
        &[]
    }
    /// The form in which the sink wants the next number.
    #[inline(always)]
    fn want(&self) -> Want {
        Want::Digits
    }
    /// Whether the sink ignores the next value if that has no parts. The reader then only checks it.
    #[inline(always)]
    fn ignores_scalar(&self) -> bool {
        false
    }
    /// Whether the sink wants strings and numbers as they are written. If so, a reader of a format
    /// that is text reports them by [`written_text`](crate::sink::Sink::written_text) and
    /// [`written_number`](crate::sink::Sink::written_number), and else as always.
    #[inline(always)]
    fn as_written(&self) -> bool {
        false
    }
    /// Whether the sink wants comments and processing instructions. If not, the reader only checks
    /// them.
    #[inline(always)]
    fn extras(&self) -> bool {
        false
    }
    /// Asked by a reader that was told to [watch](crate::sink::Flow::Watch): whether an element of
    /// this name, given without its prefix, is of interest. The sink may say yes too often.
    #[inline(always)]
    fn wakes(&self, _name: &[u8]) -> bool {
        true
    }
}
