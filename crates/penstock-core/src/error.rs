//! The errors of input: one small error type, one word wide.
//!
//! A [`Fault`] holds the problem and its byte offset. Code that still has the window adds line,
//! column, record, path and excerpt once (see [`position`](crate::position)), so they cost nothing
//! on success.

use std::borrow::Cow;
use std::fmt;

/// The class of a fault. Each is one exception class in Python.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// The bytes do not follow the grammar of the format.
    Malformed,
    /// The input ends too early.
    Truncated,
    /// The input is well formed, but does not fit the destination.
    Mismatch,
    /// One of the [`Limits`](crate::limits::Limits) is exceeded.
    Limit,
    /// There is no memory for the text. It is no error of a record, so no policy skips it.
    Memory,
}

/// A problem of the input, at a byte.
#[derive(Debug)]
pub struct Fault(Box<Inner>);

#[derive(Debug)]
struct Inner {
    kind: Kind,
    offset: u64,
    reason: Cow<'static, str>,
}

impl Fault {
    /// A fault at the byte `offset` of the decompressed source. `reason` is a clause without a
    /// capital or a full stop, in the terms of the format: `"expected ',' or '}'"`.
    #[cold]
    #[inline(never)]
    pub fn new(kind: Kind, offset: u64, reason: impl Into<Cow<'static, str>>) -> Self {
        Fault(Box::new(Inner { kind, offset, reason: reason.into() }))
    }
    /// A violation of the grammar.
    #[cold]
    #[inline(never)]
    pub fn malformed(offset: u64, reason: impl Into<Cow<'static, str>>) -> Self {
        Self::new(Kind::Malformed, offset, reason)
    }
    /// An early end.
    #[cold]
    #[inline(never)]
    pub fn truncated(offset: u64, reason: impl Into<Cow<'static, str>>) -> Self {
        Self::new(Kind::Truncated, offset, reason)
    }
    /// An exceeded limit.
    #[cold]
    #[inline(never)]
    pub fn limit(offset: u64, reason: impl Into<Cow<'static, str>>) -> Self {
        Self::new(Kind::Limit, offset, reason)
    }
    /// The class of the fault.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.0.kind
    }
    /// The offset of the byte.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.0.offset
    }
    /// The problem.
    #[must_use]
    pub fn reason(&self) -> &str {
        &self.0.reason
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (byte {})", self.0.reason, self.0.offset)
    }
}

impl std::error::Error for Fault {}

/// A text for messages: what no terminal should get is written as an escape, and so are quotes, but
/// not apostrophes.
#[must_use]
pub fn escaped(text: &str) -> String {
    let mut shown = format!("{text:?}");
    shown.pop();
    shown.remove(0);
    shown
}

/// A text in quotes for messages, shortened to its beginning.
#[must_use]
pub fn brief(text: &str) -> String {
    match text.char_indices().nth(40) {
        Some((end, _)) => format!("\"{}\u{2026}\"", escaped(&text[..end])),
        None => format!("{text:?}"),
    }
}

/// The reason why a reader stopped early: the input has a fault, or the sink refused an event.
#[derive(Debug)]
pub enum Fail<E> {
    /// The input violates the grammar, ends early, or exceeds a limit.
    Input(Fault),
    /// The sink's own error.
    Sink(E),
}

impl<E> From<Fault> for Fail<E> {
    fn from(fault: Fault) -> Self {
        Fail::Input(fault)
    }
}
