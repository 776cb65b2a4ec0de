//! How documents follow one another in a source: where a value must end, and how the reader finds
//! the next value after an error.

use super::look::NO_TAG;
use super::partial::WHOLE;
use super::reader::{NOWHERE, Reader, State};
use super::token;
use crate::error::Fault;

/// How documents follow one another in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// One value, followed by nothing but white space.
    Document,
    /// NDJSON: each line is a value; blank lines are ignored.
    Lines,
    /// RFC 7464: each value is between a record separator (0x1E) and a line feed.
    Sequence,
    /// Values one after another, with or without white space between them.
    Concatenated,
}

impl Reader {
    /// After malformed input in a stream of values: skips everything up to the next separator.
    /// False if the framing has no separator, so that nothing after the fault can be trusted.
    #[must_use]
    pub fn resynchronise(&mut self) -> bool {
        if !matches!(self.framing, Framing::Lines | Framing::Sequence) {
            return false;
        }
        self.state = State::Lost;
        self.looking = None;
        self.early = NO_TAG;
        self.partial = WHOLE;
        self.trailing = 0;
        self.stack.clear();
        self.skip_to = NOWHERE;
        self.abandoned = false;
        true
    }

    /// True while the reader skips a record in error.
    #[must_use]
    pub fn is_lost(&self) -> bool {
        self.state == State::Lost
    }

    /// The byte at which a lost reader finds the next record.
    #[must_use]
    pub fn separator(&self) -> u8 {
        if self.framing == Framing::Sequence { token::SEPARATOR } else { b'\n' }
    }

    /// Whether the right bytes follow the value that begins at `pos` and ends at `end`, at the root
    /// of a stream of values. False if the window ends too early to know. `bare` values (numbers
    /// and literals) have no byte that marks their end.
    #[inline(never)]
    pub(super) fn value_ends(
        &mut self,
        text: &[u8],
        pos: usize,
        end: usize,
        last: bool,
        bare: bool,
    ) -> Result<bool, Fault> {
        let fault = |at: usize, expected| token::unexpected(text, at, self.base, expected);
        let is_cut = |at: usize| !last && !self.cut_off && token::is_cut(text, at);
        match (self.framing, text.get(end)) {
            (Framing::Lines, _) => {
                let from = end.max(pos + self.trailing);
                let space = text[from..].iter().position(|b| !matches!(b, b' ' | b'\t' | b'\r'));
                let at = space.map_or(text.len(), |space| from + space);
                match text.get(at) {
                    Some(b'\n') => {}
                    Some(_) if is_cut(at) => return Ok(false),
                    Some(_) => {
                        return Err(fault(at, "expected the end of the line after the value"));
                    }
                    None if last => {}
                    None => {
                        self.trailing = at - pos;
                        return Ok(false);
                    }
                }
            }
            (Framing::Sequence, Some(b' ' | b'\t' | b'\r' | b'\n')) => {}
            (_, Some(_)) if bare && is_cut(end) => return Ok(false),
            (Framing::Sequence, Some(_)) if bare => {
                return Err(fault(end, "expected white space after the value"));
            }
            (Framing::Sequence, None) if bare && last => {
                // RFC 7464, 2.4: such a value may have been truncated.
                let at = self.base + end as u64;
                return Err(Fault::truncated(at, "the input ends inside the last value"));
            }
            (Framing::Concatenated, Some(b' ' | b'\t' | b'\r' | b'\n' | b'"' | b'{' | b'[')) => {}
            (Framing::Concatenated, Some(_)) if bare => {
                return Err(fault(end, "expected white space after the value"));
            }
            (_, None) if bare && !last => return Ok(false),
            _ => {}
        }
        self.trailing = 0;
        Ok(true)
    }
}
