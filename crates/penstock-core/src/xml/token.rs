//! The reader's faults of markup, and the search for the end of markup.

use super::tag::{Locus, brief};
use crate::error::Fault;

/// Markup that is cut by the end of the window: how much of it was searched for its end.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Partial {
    pub(super) scanned: usize,
    /// The quote that is open, or 0.
    quote: u8,
}

impl Partial {
    /// Continues the search for the `>` that ends the markup at `pos`, ignoring quoted text; also
    /// for `[` if `bracket`. Returns its position if the window has it, and then resets the state.
    pub(super) fn finds_end(&mut self, text: &[u8], pos: usize, bracket: bool) -> Option<usize> {
        let mut at = pos + self.scanned;
        loop {
            let rest = &text[at.min(text.len())..];
            let found = match self.quote {
                0 if bracket => rest.iter().position(|b| matches!(b, b'>' | b'"' | b'\'' | b'[')),
                0 => memchr::memchr3(b'>', b'"', b'\'', rest),
                quote => memchr::memchr(quote, rest),
            };
            let Some(found) = found else {
                self.scanned = text.len() - pos;
                return None;
            };
            at += found + 1;
            match (self.quote, text[at - 1]) {
                (0, b'>' | b'[') => {
                    *self = Partial::default();
                    return Some(at - 1);
                }
                (0, quote) => self.quote = quote,
                _ => self.quote = 0,
            }
        }
    }

    /// Resets the state when the markup was passed without a search for its end.
    #[inline(always)]
    pub(super) fn forget(&mut self) {
        if self.scanned > 0 {
            *self = Partial::default();
        }
    }

    /// As above, for markup without quotes that ends with `end` somewhere after its first `skip`
    /// bytes.
    pub(super) fn finds(
        &mut self,
        text: &[u8],
        pos: usize,
        skip: usize,
        end: &[u8],
    ) -> Option<usize> {
        let from = pos + skip.max(self.scanned.saturating_sub(end.len() - 1));
        match memchr::memmem::find(&text[from.min(text.len())..], end) {
            Some(found) => {
                *self = Partial::default();
                Some(from + found)
            }
            None => {
                self.scanned = text.len() - pos;
                None
            }
        }
    }
}

/// Markup longer than the limit.
#[cold]
pub(super) fn tag_too_long(at: u64, limit: usize) -> Fault {
    Fault::limit(at, format!("a tag or declaration longer than {limit} bytes (limits.tag)"))
}

/// A wanted comment or instruction that is longer than the limit.
#[cold]
pub(super) fn too_long(at: u64, limit: usize) -> Fault {
    Fault::limit(at, format!("a comment or instruction longer than {limit} bytes (limits.token)"))
}

/// More open elements than the limit.
#[cold]
pub(super) fn too_deep(at: u64, limit: usize) -> Fault {
    Fault::limit(at, format!("nested deeper than {limit} levels (limits.depth)"))
}

/// An end tag for another element than the open one.
#[cold]
pub(super) fn wrong_end(at: u64, found: &[u8], open: &[u8]) -> Fault {
    let found = brief(&String::from_utf8_lossy(found));
    let reason = if open.is_empty() {
        format!("the end tag of '{found}', which is not open")
    } else {
        let open = brief(&String::from_utf8_lossy(open));
        format!("the end tag of '{found}', but '{open}' is open")
    };
    Fault::malformed(at, reason)
}

/// A document that ends while elements are open.
#[cold]
pub(super) fn unclosed(at: u64, open: &[u8]) -> Fault {
    let open = brief(&String::from_utf8_lossy(open));
    Fault::truncated(at, format!("the input ends inside the element '{open}'"))
}

/// A prefix that is not bound.
#[cold]
pub(super) fn unbound(at: u64, prefix: &[u8]) -> Fault {
    let prefix = brief(&String::from_utf8_lossy(prefix));
    Fault::malformed(at, format!("the prefix '{prefix}' is not declared"))
}

/// Text in the prolog or after the root element, where none is allowed.
#[cold]
pub(super) fn outside(text: &[u8], pos: usize, locus: Locus, seen_root: bool) -> Fault {
    let what = match text.get(pos) {
        Some(b'<') => "an element",
        _ => "text",
    };
    let reason = if seen_root {
        format!("{what} after the root element")
    } else {
        format!("{what} before the root element: this is not XML")
    };
    Fault::malformed(locus.at(pos), reason)
}

/// Where to cut text that may continue, so that the beginning of its end is not taken for text:
/// before the bytes that may belong to `end`.
pub(super) fn held_back(text: &[u8], from: usize, end: &[u8]) -> usize {
    let tail = &text[from..];
    let held = tail.iter().rev().take(end.len()).take_while(|byte| **byte == end[0]).count();
    text.len() - held
}
