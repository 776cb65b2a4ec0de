//! Comments, and where they end.

use memchr::{memchr2, memmem};

/// A comment that is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Comment {
    /// None is.
    None,
    /// From `//` to the end of the line.
    Line,
    /// From `/*` to `*/`.
    Block,
}

/// How far a comment goes.
pub(super) enum Passing {
    /// Up to this index.
    Ends(usize),
    /// Beyond the window: what is left of it begins at this index.
    Cut(usize, Comment),
    /// There is none.
    Not,
}

/// What is wrong with an input that ends before `*/`.
pub(super) const INSIDE: &str = "the input ends inside a comment";

/// Passes over the comment that begins at `pos`, or the rest of the one that is open there.
#[cold]
#[inline(never)]
pub(super) fn pass(text: &[u8], pos: usize, open: Comment, last: bool) -> Passing {
    let (kind, from) = match (open, text.get(pos), text.get(pos + 1)) {
        (Comment::Line | Comment::Block, ..) => (open, pos),
        (Comment::None, Some(b'/'), Some(b'/')) => (Comment::Line, pos + 2),
        (Comment::None, Some(b'/'), Some(b'*')) => (Comment::Block, pos + 2),
        (Comment::None, Some(b'/'), None) if !last => return Passing::Cut(pos, Comment::None),
        _ => return Passing::Not,
    };
    let rest = &text[from..];
    if kind == Comment::Block {
        return match memmem::find(rest, b"*/") {
            Some(end) => Passing::Ends(from + end + 2),
            // The other half may follow.
            None => Passing::Cut(text.len() - usize::from(rest.ends_with(b"*") && !last), kind),
        };
    }
    match memchr2(b'\n', b'\r', rest) {
        Some(end) => Passing::Ends(from + end),
        None if last => Passing::Ends(text.len()),
        None => Passing::Cut(text.len(), kind),
    }
}
