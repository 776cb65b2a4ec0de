//! Data: `<0fbd77 1c>`, and GNUstep's `<[base64]>`. It is decoded as it comes, so that it is checked once, in the order
//! of the text.

use super::quoted::Rest;
use super::reader::Reader;
use super::token;
use crate::error::Fault;
use penstock_scan::make_room;

/// An unfinished group of four characters of base64.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Group {
    /// The bits of the characters so far.
    bits: u32,
    characters: u8,
    /// The signs `=` so far.
    padding: u8,
}

/// The value of a hexadecimal digit.
#[inline(always)]
fn hex(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        b'A'..=b'F' => Some(byte - b'A' + 10),
        _ => None,
    }
}

/// The value of a character of base64.
#[inline(always)]
fn sextet(byte: u8) -> Option<u8> {
    match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    }
}

impl Reader {
    /// Makes room for the bytes of the data at hand, from `from`, if `per` characters of it make `bytes` bytes.
    fn make_room_for_data(&mut self, text: &[u8], from: usize, per: usize, bytes: usize) {
        let end = memchr::memchr(b'>', &text[from..]).map_or(text.len(), |end| from + end);
        make_room(&mut self.bytes, (end - from).min(self.token_limit) / per * bytes + bytes);
    }

    /// The last index in the window that the text of data may have.
    fn last_of_data(&self) -> usize {
        let last = self.begun.saturating_add(1).saturating_add(self.token_limit as u64);
        usize::try_from(last.saturating_sub(self.base)).unwrap_or(usize::MAX)
    }

    /// Reads on inside hexadecimal data. If it is kept, its bytes are gathered.
    #[inline(never)]
    pub(super) fn hexadecimal(
        &mut self,
        text: &[u8],
        from: usize,
        keeps: bool,
    ) -> Result<Rest, Fault> {
        let mut pos = from;
        let longest = if keeps { self.last_of_data() } else { usize::MAX };
        if keeps {
            self.make_room_for_data(text, from, 2, 1);
        }
        while let Some(&byte) = text.get(pos) {
            if pos > longest {
                return Err(token::data_too_long(self.begun, self.token_limit));
            }
            let Some(high) = hex(byte) else {
                match byte {
                    b' ' | b'\t' | b'\n' | b'\r' => pos += 1,
                    b'>' => return Ok(Rest::Closed(pos)),
                    _ => {
                        let expected = "expected a hexadecimal digit or '>'";
                        return Err(token::unexpected(text, pos, self.base, expected));
                    }
                }
                continue;
            };
            // The digits of a byte stand together.
            match text.get(pos + 1).map(|byte| hex(*byte)) {
                Some(Some(low)) => {
                    if keeps {
                        self.bytes.push(high << 4 | low);
                    }
                    pos += 2;
                }
                Some(None) => {
                    let expected = "expected the second hexadecimal digit of a byte";
                    return Err(token::unexpected(text, pos + 1, self.base, expected));
                }
                None => return Ok(Rest::Cut(pos)),
            }
        }
        Ok(Rest::Cut(pos))
    }

    /// Reads on inside base64, up to the `>` behind its closing bracket. If it is kept, its bytes are gathered.
    #[inline(never)]
    pub(super) fn base64(&mut self, text: &[u8], from: usize, keeps: bool) -> Result<Rest, Fault> {
        let mut pos = from;
        let longest = if keeps { self.last_of_data() } else { usize::MAX };
        if keeps {
            self.make_room_for_data(text, from, 4, 3);
        }
        while let Some(&byte) = text.get(pos) {
            if pos > longest {
                return Err(token::data_too_long(self.begun, self.token_limit));
            }
            let Group { bits, characters, padding } = &mut self.group;
            let wrong = match (sextet(byte), byte) {
                (Some(_), _) if *padding > 0 => "text after the padding '='",
                (Some(value), _) => {
                    *bits = *bits << 6 | u32::from(value);
                    *characters += 1;
                    if *characters == 4 {
                        if keeps {
                            self.bytes.extend_from_slice(&bits.to_be_bytes()[1..]);
                        }
                        self.group = Group::default();
                    }
                    pos += 1;
                    continue;
                }
                (None, b' ' | b'\t' | b'\n' | b'\r') => {
                    pos += 1;
                    continue;
                }
                (None, b'=') => match *characters {
                    0 => "too much padding '='",
                    1 => ALONE,
                    count if count + *padding == 4 => "too much padding '='",
                    _ => {
                        *padding += 1;
                        pos += 1;
                        continue;
                    }
                },
                (None, b']') => {
                    match text.get(pos + 1) {
                        None => return Ok(Rest::Cut(pos)),
                        Some(b'>') => {}
                        Some(_) => {
                            let expected = "expected '>' after the ']' of data";
                            return Err(token::unexpected(text, pos + 1, self.base, expected));
                        }
                    }
                    match self.end_of_base64(keeps) {
                        None => return Ok(Rest::Closed(pos + 1)),
                        Some(wrong) => wrong,
                    }
                }
                _ => {
                    let expected = "expected a character of base64 or ']'";
                    return Err(token::unexpected(text, pos, self.base, expected));
                }
            };
            return Err(Fault::malformed(self.base + pos as u64, wrong));
        }
        Ok(Rest::Cut(pos))
    }

    /// The last group of base64 is complete. Yields what is wrong with it.
    fn end_of_base64(&mut self, keeps: bool) -> Option<&'static str> {
        let Group { bits, characters, padding } = std::mem::take(&mut self.group);
        if characters == 0 {
            return None;
        }
        if characters == 1 {
            return Some(ALONE);
        }
        if characters + padding < 4 {
            return Some("padding '=' is missing");
        }
        let unused = 2 * u32::from(padding);
        if bits & ((1 << unused) - 1) != 0 {
            return Some("the last character has bits that belong to no byte");
        }
        if keeps {
            let bytes = bits << (6 * u32::from(padding));
            let count = 4 - usize::from(padding);
            self.bytes.extend_from_slice(&bytes.to_be_bytes()[1..count]);
        }
        None
    }
}

/// What is wrong with a group of one character.
const ALONE: &str = "one character alone in the last group of base64";
