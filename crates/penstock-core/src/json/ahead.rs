//! Finds members that the sink expects, with scalars as their values, in one go.
//!
//! Records of one kind repeat their keys. So a key is compared in place, its value is taken in the form that the sink
//! wants, and no event is reported in between. This is no second grammar: whatever differs, and whatever the window
//! may have cut, is left to the grammar, from the beginning of the member.

use super::token;
use crate::event::members::{Found, FoundValue, MOST};
use crate::protocol::{Coming, Want};
use crate::value::number::{self, Outcome};
use penstock_scan::{Chosen, Isa, Job, filled, stands_at};

/// Seeks members.
pub(super) struct Seek<'a> {
    pub(super) text: &'a [u8],
    /// Where the first key is expected: for a whole object behind its brace.
    pub(super) from: usize,
    pub(super) coming: &'a [Coming],
    pub(super) room: &'a mut Vec<Found>,
    /// The most bytes of a string.
    pub(super) token: usize,
    /// The most bytes of a number.
    pub(super) number: usize,
    /// Whether a value ends where its line ends.
    pub(super) lines: bool,
}

/// What was found.
#[derive(Clone, Copy)]
pub(super) struct Sought {
    /// How many keys.
    pub(super) keys: usize,
    /// How many values that are wanted.
    pub(super) found: usize,
    /// Where the first key begins.
    pub(super) from: usize,
    /// Behind the last value.
    pub(super) end: usize,
    /// The brace that ends the object behind the last value, if it is there.
    pub(super) brace: Option<usize>,
}

impl Job for Seek<'_> {
    type Output = Sought;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> Sought {
        self.members(isa)
    }
}

/// Seeks members out of line: so the loop has the registers to itself, and all sinks share it.
#[inline(never)]
pub(super) fn seek(isa: Chosen, seek: Seek<'_>) -> Sought {
    let most = seek.coming.len().min(MOST);
    if seek.room.len() < most {
        *seek.room = filled(Found::NONE, most);
    }
    isa.enter(seek)
}

impl Seek<'_> {
    #[inline(always)]
    fn members<I: Isa>(self, isa: I) -> Sought {
        let Seek { text, coming, .. } = self;
        let nothing = Sought { keys: 0, found: 0, from: self.from, end: self.from, brace: None };
        let Some(from) = self.behind_space(isa, self.from) else { return nothing };
        let mut sought = Sought { from, ..nothing };
        // Places are counted in 32 bits.
        if text.len() - from > u32::MAX as usize {
            return sought;
        }
        let mut pos = from;
        for coming in coming {
            if !stands_at(text, pos, &coming.key) {
                break;
            }
            let Some(at) = self.behind_space(isa, pos + coming.key.len()) else { break };
            let end = match coming.want {
                Some(want) => {
                    if sought.found == self.room.len() {
                        break;
                    }
                    let Some((value, end)) = self.value(isa, at, from, want) else { break };
                    let key_at = (pos - from) as u32;
                    let (place, at) = (sought.keys as u32, (at - from) as u32);
                    self.room[sought.found] = Found { value, place, key_at, at };
                    sought.found += 1;
                    end
                }
                None => match token::behind_scalar(isa, text, at, self.number) {
                    Some(end) if end < text.len() => end,
                    _ => break,
                },
            };
            sought.end = end;
            sought.keys += 1;
            let Some(comma) = self.behind_space(isa, end) else { break };
            match text[comma] {
                b',' => {}
                b'}' => {
                    sought.brace = Some(comma);
                    break;
                }
                _ => break,
            }
            let Some(next) = self.behind_space(isa, comma + 1) else { break };
            pos = next;
        }
        sought
    }

    /// The place behind white space: of a byte in the window. Nothing if there is none.
    #[inline(always)]
    fn behind_space<I: Isa>(&self, isa: I, pos: usize) -> Option<usize> {
        let text = self.text;
        let byte = *text.get(pos)?;
        if byte > b' ' {
            return Some(pos);
        }
        let end = match text.get(pos + 1) {
            Some(next) if byte == b' ' && *next > b' ' => return Some(pos + 1),
            _ => isa.space(text, pos),
        };
        let is_one_line = !self.lines || memchr::memchr(b'\n', &text[pos..end]).is_none();
        (is_one_line && end < text.len()).then_some(end)
    }

    /// The scalar at `pos` and its end, if it has the wanted form, and is whole.
    #[inline(always)]
    fn value<I: Isa>(
        &self,
        isa: I,
        pos: usize,
        from: usize,
        want: Want,
    ) -> Option<(FoundValue, usize)> {
        let text = self.text;
        match *text.get(pos)? {
            b'"' => {
                let found = isa.json_string(text, pos + 1);
                let is_plain =
                    text.get(found.at) == Some(&b'"') && found.at - pos - 1 <= self.token;
                let end = (found.at - from) as u32;
                is_plain.then_some((FoundValue::Text { end, ascii: found.ascii }, found.at + 1))
            }
            b'-' | b'0'..=b'9' => self.number_at(pos, want),
            b't' => Some((FoundValue::Bool(true), token::behind_word(text, pos, b"true")?)),
            b'f' => Some((FoundValue::Bool(false), token::behind_word(text, pos, b"false")?)),
            b'n' => Some((FoundValue::Null, token::behind_word(text, pos, b"null")?)),
            _ => None,
        }
    }

    #[inline(always)]
    fn number_at(&self, pos: usize, want: Want) -> Option<(FoundValue, usize)> {
        let text = self.text;
        if want == Want::Native
            && let Some((int, end)) = number::short_int(text, pos)
            && end - pos <= self.number
        {
            return Some((FoundValue::Int(int), end));
        }
        if want != Want::Digits
            && let Some((double, end)) = number::short_float(text, pos)
            && end - pos <= self.number
        {
            return Some((FoundValue::Float(double), end));
        }
        self.long_number(pos, want)
    }

    #[inline(never)]
    fn long_number(&self, pos: usize, want: Want) -> Option<(FoundValue, usize)> {
        let text = self.text;
        let scanned = number::scan(text, pos);
        let end = scanned.end;
        if end >= text.len() || end - pos > self.number {
            return None;
        }
        let value = match (want, scanned.outcome) {
            (Want::Native, Outcome::Int(int)) => FoundValue::Int(int),
            (Want::Native | Want::Float, outcome @ (Outcome::Int(_) | Outcome::Real { .. })) => {
                let double = number::to_f64(outcome, &text[pos..end]);
                FoundValue::Float(Some(double).filter(|double| double.is_finite())?)
            }
            _ => return None,
        };
        Some((value, end))
    }
}
