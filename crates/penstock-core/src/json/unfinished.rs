//! A document that is still being written: the text of what has come so far, completed.

use penstock_scan::{append, make_room};

/// Where the text stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    /// Between two tokens.
    Between,
    /// In a string.
    Text,
    /// In an escape that begins at this index, of which so many bytes are missing. None if the first is.
    Escape(usize, Option<u8>),
    /// In a number or a literal.
    Bare,
    /// Behind a `/` that may begin a comment.
    Slash,
    /// In a comment up to the end of the line.
    Line,
    /// In a comment up to `*/`; true behind a `*`.
    Block(bool),
}

/// Keeps the text of the record that has not ended yet, and completes it: closes what is open, and leaves out the token
/// that may go on.
///
/// Text that is no JSON is not found out here: it stays in the result, for the reader to find.
///
/// ```
/// use penstock_core::json::Unfinished;
///
/// let mut unfinished = Unfinished::of_document(true);
/// unfinished.push(br#"{"name": "Bern", "tags": ["capital", "ol"#);
/// let text = br#"{"name": "Bern", "tags": ["capital", "ol"]}"#;
/// assert_eq!(unfinished.completed().as_deref(), Some(&text[..]));
///
/// let mut unfinished = Unfinished::of_document(false);
/// unfinished.push(br#"{"name": "Bern", "tags": ["capital", "ol"#);
/// let text = br#"{"name": "Bern", "tags": ["capital"]}"#;
/// assert_eq!(unfinished.completed().as_deref(), Some(&text[..]));
/// ```
#[derive(Clone, Debug)]
pub struct Unfinished {
    /// The text of the record.
    text: Vec<u8>,
    /// How much of it is complete, but for the ends of what is open.
    complete: usize,
    /// True for each open map, false for each open list, also around the record.
    open: Vec<bool>,
    /// How many of them are around the record.
    around: usize,
    at: At,
    /// Where the number or the literal begins.
    token: usize,
    /// A string at this place is a key.
    is_key: bool,
    /// Where the last escape begins, if it is the first half of a pair and nothing has come behind it.
    half: Option<usize>,
    /// Whether the elements of a list at the root are the records.
    of_elements: bool,
    /// Whether strings count that have not ended.
    strings: bool,
}

impl Unfinished {
    /// The whole document is what is kept. `strings`: whether strings that have not ended count.
    #[must_use]
    pub fn of_document(strings: bool) -> Self {
        Unfinished {
            text: Vec::new(),
            complete: 0,
            open: Vec::new(),
            around: 0,
            at: At::Between,
            token: 0,
            is_key: false,
            half: None,
            of_elements: false,
            strings,
        }
    }

    /// Only the record that has not ended is kept: the elements of a list at the root are records, or else the values at
    /// the root.
    #[must_use]
    pub fn of_records(strings: bool) -> Self {
        Unfinished { of_elements: true, ..Unfinished::of_document(strings) }
    }

    /// Takes more of the text.
    pub fn push(&mut self, chunk: &[u8]) {
        make_room(&mut self.text, chunk.len());
        for &byte in chunk {
            self.take(byte);
        }
    }

    /// The record as far as it has come, as a text that ends. None if nothing of it has come.
    #[must_use]
    pub fn completed(&self) -> Option<Vec<u8>> {
        let in_text = matches!(self.at, At::Text | At::Escape(..)) && !self.is_key && self.strings;
        let to = match (in_text, self.at, self.half) {
            (true, _, Some(half)) => half,
            (true, At::Escape(escape, _), _) => escape,
            (true, ..) => self.text.len() - cut_character(&self.text),
            (false, ..) => self.complete,
        };
        if to == 0 {
            return None;
        }
        let mut text = Vec::new();
        make_room(&mut text, to + 1 + self.open.len());
        text.extend(&self.text[..to]);
        if in_text {
            text.push(b'"');
        }
        text.extend(
            self.open[self.around..].iter().rev().map(|map| if *map { b'}' } else { b']' }),
        );
        Some(text)
    }

    fn take(&mut self, byte: u8) {
        match self.at {
            At::Text => {
                let half = self.half.take();
                match byte {
                    b'"' => self.ends_text(),
                    b'\\' => {
                        self.at = At::Escape(self.text.len(), None);
                        self.half = half;
                    }
                    _ => {}
                }
                self.text.push(byte);
            }
            At::Escape(from, missing) => {
                self.text.push(byte);
                self.at = match missing {
                    None if byte == b'u' => At::Escape(from, Some(4)),
                    Some(2..) => At::Escape(from, missing.map(|missing| missing - 1)),
                    _ => At::Text,
                };
                if self.at == At::Text {
                    // The second half of a pair completes the first.
                    let is_half = self.half.is_none() && is_high(&self.text[from..]);
                    self.half = is_half.then_some(from);
                }
            }
            At::Bare => {
                if matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b',' | b':' | b'}' | b']' | b'/') {
                    self.at = At::Between;
                    self.ends_value();
                    self.between(byte);
                } else {
                    self.text.push(byte);
                    // A number may go on, and no literal can.
                    if matches!(&self.text[self.token..], b"null" | b"true" | b"false") {
                        self.at = At::Between;
                        self.ends_value();
                    }
                }
            }
            At::Between => self.between(byte),
            At::Slash => {
                self.at = match byte {
                    b'/' => At::Line,
                    b'*' => At::Block(false),
                    _ => At::Between,
                };
                self.text.push(byte);
            }
            At::Line => {
                if matches!(byte, b'\n' | b'\r') {
                    self.at = At::Between;
                }
                self.text.push(byte);
            }
            At::Block(star) => {
                self.at = if star && byte == b'/' { At::Between } else { At::Block(byte == b'*') };
                self.text.push(byte);
            }
        }
    }

    /// A byte that is not inside a token.
    fn between(&mut self, byte: u8) {
        match byte {
            b'{' | b'[' => {
                if self.open.is_empty() && byte == b'[' && self.of_elements {
                    self.around = 1;
                    self.text.clear();
                    append(&mut self.open, false);
                    return;
                }
                self.begins();
                self.text.push(byte);
                append(&mut self.open, byte == b'{');
                self.complete = self.text.len();
                self.is_key = byte == b'{';
            }
            b'}' | b']' => {
                self.open.pop();
                self.text.push(byte);
                self.ends_value();
                if self.open.len() < self.around {
                    self.around = 0;
                }
            }
            b',' | b':' => {
                self.text.push(byte);
                self.is_key = byte == b',' && self.open.last() == Some(&true);
            }
            b'"' => {
                self.begins();
                self.text.push(byte);
                (self.at, self.half) = (At::Text, None);
            }
            // The last three are a byte order mark.
            b' ' | b'\t' | b'\r' | b'\n' | 0xEF | 0xBB | 0xBF => self.text.push(byte),
            b'/' => {
                self.at = At::Slash;
                self.text.push(byte);
            }
            _ => {
                self.begins();
                self.token = self.text.len();
                self.text.push(byte);
                self.at = At::Bare;
            }
        }
    }

    /// A token begins, which may be the first of a record.
    fn begins(&mut self) {
        if self.open.len() == self.around {
            self.text.clear();
            self.complete = 0;
        }
    }

    fn ends_text(&mut self) {
        self.at = At::Between;
        if !self.is_key {
            // The quote is not in the text yet.
            self.complete = self.text.len() + 1;
            self.ends_record();
        }
    }

    fn ends_value(&mut self) {
        self.complete = self.text.len();
        self.ends_record();
    }

    /// If a record has ended, it is no longer unfinished.
    fn ends_record(&mut self) {
        if self.of_elements && self.open.len() <= self.around {
            self.text.clear();
            self.complete = 0;
        }
    }
}

/// Whether this escape is the first half of a pair.
fn is_high(escape: &[u8]) -> bool {
    matches!(escape, [b'\\', b'u', b'd' | b'D', b'8' | b'9' | b'a' | b'A' | b'b' | b'B', _, _])
}

/// How many bytes at the end begin a character that has not ended.
fn cut_character(text: &[u8]) -> usize {
    for back in 1..=text.len().min(3) {
        let byte = text[text.len() - back];
        let length = match byte {
            0xC0..=0xDF => 2,
            0xE0..=0xEF => 3,
            0xF0.. => 4,
            0x80..=0xBF => continue,
            _ => return 0,
        };
        return if length > back { back } else { 0 };
    }
    0
}
