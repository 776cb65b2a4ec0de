//! Strings and numbers that the end of a window cuts: how much of them was scanned, so that the
//! reader scans no byte twice.

use super::reader::Reader;
use super::token;
use crate::error::Fault;
use crate::event::Text;
use penstock_scan::{Isa, TextBuf, ValidText, unescape_json};

/// A token that is cut by the end of the window.
#[derive(Clone, Copy, Debug)]
pub(super) struct Partial {
    pub(super) scanned: usize,
    pub(super) ascii: bool,
    pub(super) escaped: bool,
}

pub(super) const WHOLE: Partial = Partial { scanned: 0, ascii: true, escaped: false };

impl Reader {
    /// Forgets how much of the current token was scanned. Bytes that are not text follow the
    /// window, so the token will never be complete, and a fault in it is reported at once.
    pub fn rescan(&mut self) {
        (self.partial, self.cut_off) = (WHOLE, true);
    }

    /// The string whose opening quote is at `pos`, and the index after its closing quote; nothing
    /// if that quote is not in the window.
    #[inline(always)]
    pub(super) fn string<I: Isa>(
        &mut self,
        isa: I,
        valid: ValidText<'_>,
        pos: usize,
        last: bool,
    ) -> Result<Option<(StringToken, usize)>, Fault> {
        let text = valid.as_bytes();
        let Partial { scanned, mut ascii, mut escaped } = self.partial;
        if scanned == 0 {
            (ascii, escaped) = (true, false);
        }
        let mut from = pos + scanned.max(1);
        loop {
            let found = isa.json_string(text, from);
            ascii &= found.ascii;
            if found.at - pos - 1 > self.token_limit
                && let Some(fault) = token::long_string(text, pos, self.base, self.token_limit)
            {
                return Err(fault);
            }
            match text.get(found.at) {
                Some(b'"') => {
                    let end = found.at;
                    self.partial = WHOLE;
                    let token = StringToken { from: pos + 1, to: end, ascii, escaped };
                    return Ok(Some((token, end + 1)));
                }
                Some(b'\\') if found.at + 1 < text.len() => {
                    if text[found.at + 1] < 0x20 {
                        // Do not read on: in a stream of lines, the next line may begin here.
                        let fault = token::control(text, found.at + 1, self.base);
                        return Err(token::first_fault(text, pos, found.at + 1, self.base, fault));
                    }
                    escaped = true;
                    from = token::behind_escapes(text, found.at);
                }
                Some(b'\\') | None => {
                    if last {
                        let end = self.base + text.len() as u64;
                        let fault = Fault::truncated(end, token::INSIDE_STRING);
                        return Err(token::first_fault(text, pos, found.at, self.base, fault));
                    }
                    if self.cut_off
                        && let Some(fault) = token::first_bad_escape(text, pos, found.at, self.base)
                    {
                        return Err(fault);
                    }
                    self.partial = Partial { scanned: found.at - pos, ascii, escaped };
                    return Ok(None);
                }
                Some(_) => {
                    let fault = token::control(text, found.at, self.base);
                    return Err(token::first_fault(text, pos, found.at, self.base, fault));
                }
            }
        }
    }

    /// Resolves the escapes of a string into the scratch buffer.
    #[inline(never)]
    pub(super) fn resolve(
        &mut self,
        valid: ValidText<'_>,
        token: &mut StringToken,
    ) -> Result<(), Fault> {
        self.scratch.clear();
        let raw = valid.slice(token.from..token.to);
        match unescape_json(raw, &mut self.scratch) {
            Ok(ascii) => {
                token.ascii = ascii;
                Ok(())
            }
            Err(bad) => {
                let at = self.base + (token.from + bad.at) as u64;
                Err(Fault::malformed(at, bad.reason()))
            }
        }
    }

    /// Whether the number at `pos`, which an earlier window cut, ends in this one.
    #[cold]
    #[inline(never)]
    pub(super) fn number_is_here(&mut self, text: &[u8], pos: usize, last: bool) -> bool {
        let scanned = self.partial.scanned;
        // A number that is too long is parsed anyway: it may not be a number at all.
        let long = text.len() - pos > self.number_limit;
        // Digits may follow whatever was scanned, except a leading zero. Anything else may end the
        // number, or be a fault in it. A number has only four other characters, so it is parsed a
        // few times at most.
        let goes_on = || scanned > 2 && text[pos + scanned..].iter().all(u8::is_ascii_digit);
        let here = last || long || !goes_on();
        if here {
            self.partial = WHOLE;
        }
        here
    }

    /// The number at `pos` may continue after the end of the window.
    #[cold]
    #[inline(never)]
    pub(super) fn number_goes_on(&mut self, text: &[u8], pos: usize) -> Result<(), Fault> {
        let scanned = text.len() - pos;
        if scanned > self.number_limit {
            return Err(token::number_too_long(self.base + pos as u64, self.number_limit));
        }
        self.partial.scanned = scanned;
        Ok(())
    }
}

/// A string found in the window.
#[derive(Clone, Copy)]
pub(super) struct StringToken {
    /// The index of its first byte, after the quote.
    pub(super) from: usize,
    /// The index of its closing quote.
    pub(super) to: usize,
    pub(super) ascii: bool,
    /// True if its resolved text is in the scratch buffer.
    pub(super) escaped: bool,
}

impl StringToken {
    #[inline(always)]
    pub(super) fn text<'a>(&self, valid: ValidText<'a>, scratch: &'a TextBuf) -> Text<'a> {
        let text = if self.escaped { scratch.text() } else { valid.slice(self.from..self.to) };
        Text { text, ascii: self.ascii }
    }
}
