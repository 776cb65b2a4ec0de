//! The naive twin of the reader: the grammar and the framings in the most obvious way.
//!
//! It has the whole text, recurses, and looks at one byte after another. What it says of a text is
//! what the reader has to say, however the text is cut and whatever the sink skips: the same
//! events, and the same faults at the same bytes. The fuzz targets use it too.

use penstock_core::error::Kind;
use penstock_core::json::Framing;
use penstock_core::limits::Limits;

/// What was heard, or what was wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum What {
    BeginMap,
    EndMap,
    BeginList,
    EndList,
    Key(String),
    Null,
    Bool(bool),
    Number(String),
    Int(i64),
    /// The bits of a double.
    Float(u64),
    Text(String),
    Fault(Kind),
}

/// Something at a byte.
pub(crate) type Event = (usize, What);

/// Nothing, or the fault.
type Parsed<T> = Result<T, Event>;

/// Reads a whole source. `skips` says whether the sink skips at the key, or the beginning of a map
/// or list, at this byte.
pub(crate) fn naive(
    text: &str,
    framing: Framing,
    limits: &Limits,
    skips: &dyn Fn(usize) -> bool,
) -> Vec<Event> {
    let (bytes, events) = (text.as_bytes(), Vec::new());
    let mut twin = Naive { bytes, at: 0, framing, limits, skips, depth: 0, silent: 0, events };
    let separator = if framing == Framing::Sequence { 0x1E } else { b'\n' };
    while let Err(fault) = twin.source() {
        let rest = &bytes[fault.0..];
        twin.events.push(fault);
        match rest.iter().position(|byte| *byte == separator) {
            Some(found) if matches!(framing, Framing::Lines | Framing::Sequence) => {
                (twin.at, twin.depth, twin.silent) = (bytes.len() - rest.len() + found, 0, 0);
            }
            _ => break,
        }
    }
    twin.events
}

struct Naive<'a> {
    bytes: &'a [u8],
    at: usize,
    framing: Framing,
    limits: &'a Limits,
    skips: &'a dyn Fn(usize) -> bool,
    depth: usize,
    /// How many of the values around this one are skipped.
    silent: usize,
    events: Vec<Event>,
}

impl Naive<'_> {
    /// All that the framing allows, up to the end.
    fn source(&mut self) -> Parsed<()> {
        if self.framing == Framing::Document {
            self.value()?;
            self.space()?;
            return if self.at == self.bytes.len() { Ok(()) } else { self.malformed() };
        }
        let mut separated = false;
        loop {
            while matches!(self.peek(), Some(b' ' | b'\t' | b'\r' | b'\n')) {
                self.at += 1;
            }
            match (self.framing, self.peek()) {
                (_, None) => return Ok(()),
                (Framing::Sequence, Some(0x1E)) => {
                    separated = true;
                    self.at += 1;
                }
                (Framing::Sequence, _) if !separated => return self.malformed(),
                (_, Some(first)) => {
                    separated = false;
                    let told = self.events.len();
                    self.value()?;
                    let bare = !matches!(first, b'"' | b'{' | b'[');
                    if let Err(fault) = self.ends(bare) {
                        // The end of a value is told when it is known that it ends there.
                        let last = self.events.len() > told && self.silent == 0;
                        if last && !matches!(self.events.last(), Some((_, begin)) if begin.begins())
                        {
                            self.events.pop();
                        }
                        return Err(fault);
                    }
                }
            }
        }
    }

    /// What follows a value at the root of a stream.
    fn ends(&mut self, bare: bool) -> Parsed<()> {
        if self.framing == Framing::Lines {
            while matches!(self.peek(), Some(b' ' | b'\t' | b'\r')) {
                self.at += 1;
            }
        }
        match (self.framing, self.peek()) {
            (Framing::Lines, Some(b'\n') | None) => Ok(()),
            (Framing::Lines, _) => self.malformed(),
            (_, Some(b' ' | b'\t' | b'\r' | b'\n')) => Ok(()),
            (Framing::Concatenated, Some(b'"' | b'{' | b'[') | None) => Ok(()),
            // A number at the end of a sequence may have been cut short.
            (_, None) if bare => Err((self.at, What::Fault(Kind::Truncated))),
            (_, Some(_)) if bare => self.malformed(),
            _ => Ok(()),
        }
    }

    fn value(&mut self) -> Parsed<()> {
        self.space()?;
        let at = self.at;
        let scalar = match self.here()? {
            b'{' => return self.container(b'}', What::BeginMap, What::EndMap),
            b'[' => return self.container(b']', What::BeginList, What::EndList),
            b'"' => What::Text(self.string()?),
            b'-' | b'0'..=b'9' => What::Number(self.number()?),
            b't' => self.word("true", What::Bool(true))?,
            b'f' => self.word("false", What::Bool(false))?,
            b'n' => self.word("null", What::Null)?,
            _ => return self.malformed(),
        };
        self.tell(at, scalar);
        Ok(())
    }

    fn container(&mut self, close: u8, begin: What, end: What) -> Parsed<()> {
        if self.depth == self.limits.depth {
            return Err((self.at, What::Fault(Kind::Limit)));
        }
        let skipped = self.tell(self.at, begin);
        self.silent += usize::from(skipped);
        self.depth += 1;
        self.at += 1;
        self.space()?;
        if self.here()? != close {
            loop {
                if close == b'}' {
                    self.member()?
                } else {
                    self.value()?
                }
                self.space()?;
                match self.here()? {
                    b',' => self.at += 1,
                    byte if byte == close => break,
                    _ => return self.malformed(),
                }
            }
        }
        self.tell(self.at, end);
        self.at += 1;
        self.depth -= 1;
        self.silent -= usize::from(skipped);
        Ok(())
    }

    fn member(&mut self) -> Parsed<()> {
        self.space()?;
        let at = self.at;
        if self.here()? != b'"' {
            return self.malformed();
        }
        let key = self.string()?;
        let skipped = self.tell(at, What::Key(key));
        self.space()?;
        if self.here()? != b':' {
            return self.malformed();
        }
        self.at += 1;
        self.silent += usize::from(skipped);
        self.value()?;
        self.silent -= usize::from(skipped);
        Ok(())
    }

    fn string(&mut self) -> Parsed<String> {
        let begin = self.at;
        let mut out = Vec::new();
        self.at += 1;
        loop {
            if self.silent == 0 && self.at - begin - 1 > self.limits.token {
                return Err((begin, What::Fault(Kind::Limit)));
            }
            match self.here()? {
                0..0x20 => return self.malformed(),
                b'"' => break,
                b'\\' => {
                    let char = self.escape()?;
                    out.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes());
                }
                byte => {
                    out.push(byte);
                    self.at += 1;
                }
            }
        }
        self.at += 1;
        Ok(String::from_utf8(out).unwrap())
    }

    /// An escape. Whatever is wrong with it, the fault stands at its backslash.
    fn escape(&mut self) -> Parsed<char> {
        let begin = self.at;
        let bad = Err((begin, What::Fault(Kind::Malformed)));
        self.at += 1;
        let char = match self.here()? {
            b'u' => {
                let Some(first) = self.unit()? else { return bad };
                let units = if (0xD800..0xDC00).contains(&first) {
                    for expected in *b"\\u" {
                        if self.here()? != expected {
                            return bad;
                        }
                        self.at += 1;
                    }
                    self.at -= 1;
                    match self.unit()? {
                        Some(second) => vec![first, second],
                        None => return Err((begin + 6, What::Fault(Kind::Malformed))),
                    }
                } else {
                    vec![first]
                };
                return String::from_utf16(&units).map_or(bad, |text| Ok(text.parse().unwrap()));
            }
            b'n' => '\n',
            b't' => '\t',
            b'r' => '\r',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            plain @ (b'"' | b'\\' | b'/') => char::from(plain),
            _ => return bad,
        };
        self.at += 1;
        Ok(char)
    }

    /// The `u` here and four digits. None if one of them is no digit.
    fn unit(&mut self) -> Parsed<Option<u16>> {
        let mut unit = 0;
        for _ in 0..4 {
            self.at += 1;
            match char::from(self.here()?).to_digit(16) {
                Some(digit) => unit = unit << 4 | digit as u16,
                None => return Ok(None),
            }
        }
        self.at += 1;
        Ok(Some(unit))
    }

    fn number(&mut self) -> Parsed<String> {
        let begin = self.at;
        let grammar = self.sign_and_digits();
        if self.at - begin > self.limits.number {
            return Err((begin, What::Fault(Kind::Limit)));
        }
        grammar?;
        Ok(String::from_utf8(self.bytes[begin..self.at].to_vec()).unwrap())
    }

    fn sign_and_digits(&mut self) -> Parsed<()> {
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        if self.here()? == b'0' {
            self.at += 1;
            if matches!(self.peek(), Some(b'0'..=b'9')) {
                return self.malformed();
            }
        } else {
            self.digits()?;
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        Ok(())
    }

    fn digits(&mut self) -> Parsed<()> {
        if !self.here()?.is_ascii_digit() {
            return self.malformed();
        }
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        Ok(())
    }

    fn word(&mut self, word: &str, what: What) -> Parsed<What> {
        let rest = &self.bytes[self.at..];
        if rest.starts_with(word.as_bytes()) {
            self.at += word.len();
            return Ok(what);
        }
        let cut = word.as_bytes().starts_with(rest);
        if cut { Err((self.bytes.len(), What::Fault(Kind::Truncated))) } else { self.malformed() }
    }

    /// White space. In a line, one that ends it stands where a value goes on.
    fn space(&mut self) -> Parsed<()> {
        while let Some(byte @ (b' ' | b'\t' | b'\r' | b'\n')) = self.peek() {
            if byte == b'\n' && self.framing == Framing::Lines {
                return self.malformed();
            }
            self.at += 1;
        }
        Ok(())
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn here(&self) -> Parsed<u8> {
        self.peek().ok_or((self.bytes.len(), What::Fault(Kind::Truncated)))
    }

    fn malformed<T>(&self) -> Parsed<T> {
        Err((self.at, What::Fault(Kind::Malformed)))
    }

    /// Tells an event, unless it is in what is skipped. Yields whether the sink skips here.
    fn tell(&mut self, at: usize, what: What) -> bool {
        let skipped = (what.begins() || matches!(what, What::Key(_))) && (self.skips)(at);
        if self.silent > 0 {
            return false;
        }
        self.events.push((at, what));
        skipped
    }
}

impl What {
    fn begins(&self) -> bool {
        matches!(self, What::BeginMap | What::BeginList)
    }
}
