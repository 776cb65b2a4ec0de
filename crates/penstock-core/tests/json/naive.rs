//! The naive twin of the reader: the grammar and the framings in the most obvious way.
//!
//! It has the whole text, recurses, and reads one byte after another. The reader must give the same
//! result, however the text is cut and whatever the sink skips: the same events, and the same
//! faults at the same bytes. The fuzz targets use it, too.

use penstock_core::error::Kind;
use penstock_core::json::Framing;
use penstock_core::limits::Limits;
use penstock_core::protocol::{Look, Want};

use crate::recording::Answers;

/// An event or a fault.
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
    /// While looking ahead: a key, the value that the sink asked for (none if it is a map or a
    /// list), the end.
    LookKey(String),
    LookValue(Option<Box<What>>),
    LookEnd,
    Fault(Kind),
}

/// An event or a fault, and its offset.
pub(crate) type Event = (usize, What);

/// A result, or the fault.
type Parsed<T> = Result<T, Event>;

/// Reads a whole source, for a sink with these answers.
pub(crate) fn naive(text: &str, framing: Framing, limits: &Limits, answers: Answers) -> Vec<Event> {
    let (bytes, events) = (text.as_bytes(), Vec::new());
    let mut twin =
        Naive { bytes, at: 0, cut: false, framing, limits, answers, depth: 0, silent: 0, events };
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
    /// Whether there are more than `bytes`, after the limit of looking ahead.
    cut: bool,
    framing: Framing,
    limits: &'a Limits,
    answers: Answers,
    depth: usize,
    /// How many of the values around this one are skipped.
    silent: usize,
    events: Vec<Event>,
}

impl Naive<'_> {
    /// Everything that the framing allows, up to the end.
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
                // Files that were joined have a byte order mark at their beginning each.
                (_, Some(0xEF)) if self.bytes[self.at..].starts_with(b"\xEF\xBB\xBF") => {
                    self.at += 3
                }
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
                        // The event at the end of a value is reported only when it is known that
                        // the value ends there.
                        let last = self.events.last().filter(|_| self.silent == 0);
                        if self.events.len() > told
                            && last.is_some_and(|(_, last)| !last.begins() && !last.is_glimpse())
                        {
                            self.events.pop();
                        }
                        return Err(fault);
                    }
                }
            }
        }
    }

    /// The text after a value at the root of a stream.
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
            // A number at the end of a sequence may have been truncated.
            (_, None) if bare => Err((self.at, What::Fault(Kind::Truncated))),
            (_, Some(_)) if bare => self.malformed(),
            _ => Ok(()),
        }
    }

    fn value(&mut self) -> Parsed<()> {
        self.space()?;
        let at = self.at;
        match self.here()? {
            b'{' => self.container(b'}', What::BeginMap, What::EndMap),
            b'[' => self.container(b']', What::BeginList, What::EndList),
            _ => {
                let scalar = self.scalar()?;
                self.tell(at, scalar);
                Ok(())
            }
        }
    }

    fn scalar(&mut self) -> Parsed<What> {
        Ok(match self.here()? {
            b'"' => What::Text(self.string()?),
            b'-' if self.answers.non_finite && self.bytes.get(self.at + 1) == Some(&b'I') => {
                self.at += 1;
                self.word("Infinity", What::Float(f64::NEG_INFINITY.to_bits()))?
            }
            b'N' if self.answers.non_finite => self.word("NaN", What::Float(f64::NAN.to_bits()))?,
            b'I' if self.answers.non_finite => {
                self.word("Infinity", What::Float(f64::INFINITY.to_bits()))?
            }
            b'-' | b'0'..=b'9' => What::Number(self.number()?),
            b't' => self.word("true", What::Bool(true))?,
            b'f' => self.word("false", What::Bool(false))?,
            b'n' => self.word("null", What::Null)?,
            _ => return self.malformed(),
        })
    }

    fn container(&mut self, close: u8, begin: What, end: What) -> Parsed<()> {
        self.one_deeper()?;
        let looks = begin == What::BeginMap && self.silent == 0 && self.answers.looks(self.at);
        let mut skipped = self.tell(self.at, begin);
        self.depth += 1;
        self.at += 1;
        if looks && !skipped {
            skipped = self.look_ahead()? == Look::Skip;
        }
        self.silent += usize::from(skipped);
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

    fn one_deeper(&self) -> Parsed<()> {
        let fits = self.depth < self.limits.depth;
        if fits { Ok(()) } else { Err((self.at, What::Fault(Kind::Limit))) }
    }

    /// Looks ahead in the map whose opening brace was just read, and returns. The bytes after the
    /// limit are hidden.
    fn look_ahead(&mut self) -> Parsed<Look> {
        let (from, depth, bytes) = (self.at, self.depth, self.bytes);
        let mut end = from.saturating_add(self.limits.lookahead);
        while bytes.get(end).is_some_and(|byte| byte & 0xC0 == 0x80) {
            end -= 1;
        }
        self.cut = end < bytes.len();
        self.bytes = &bytes[..end.min(bytes.len())];
        let found = match self.glimpses() {
            Err((_, What::Fault(Kind::Truncated))) if self.cut => {
                Err((from - 1, What::Fault(Kind::Limit)))
            }
            found => found,
        };
        (self.bytes, self.cut) = (bytes, false);
        if found.is_ok() {
            (self.at, self.depth) = (from, depth);
        }
        found
    }

    /// Checks that the token before this position does not continue after the limit.
    fn whole(&self) -> Parsed<()> {
        if self.cut { self.here().map(|_| ()) } else { Ok(()) }
    }

    /// Visits the members of a map until the sink knows what the map becomes.
    fn glimpses(&mut self) -> Parsed<Look> {
        self.space()?;
        if self.here()? == b'}' {
            return self.look_end();
        }
        loop {
            self.space()?;
            let at = self.at;
            if self.here()? != b'"' {
                return self.malformed();
            }
            let key = self.string()?;
            let asked = self.glimpse(at, What::LookKey(key));
            if ends(asked) {
                return Ok(asked);
            }
            self.space()?;
            if self.here()? != b':' {
                return self.malformed();
            }
            self.at += 1;
            let answer = self.look_value(asked)?;
            if ends(answer) {
                return Ok(answer);
            }
            self.space()?;
            match self.here()? {
                b',' => self.at += 1,
                b'}' => return self.look_end(),
                _ => return self.malformed(),
            }
        }
    }

    fn look_value(&mut self, asked: Look) -> Parsed<Look> {
        self.space()?;
        let at = self.at;
        let parts = matches!(self.here()?, b'{' | b'[');
        let mut answer = Look::Pass;
        if asked == Look::Value && !parts {
            let scalar = self.scalar()?;
            if matches!(scalar, What::Number(_)) {
                self.whole()?;
            }
            let scalar = wanted(&scalar, Want::Native);
            return Ok(self.glimpse(at, What::LookValue(Some(Box::new(scalar)))));
        }
        if asked == Look::Value {
            self.one_deeper()?;
            answer = self.glimpse(at, What::LookValue(None));
        }
        if !ends(answer) {
            self.silent += 1;
            self.value()?;
            self.silent -= 1;
        }
        Ok(answer)
    }

    fn look_end(&mut self) -> Parsed<Look> {
        let at = self.at;
        if self.framing == Framing::Lines && self.depth == 1 {
            self.at += 1;
            self.ends(false)?;
            self.whole()?;
        }
        Ok(self.glimpse(at, What::LookEnd))
    }

    fn glimpse(&mut self, at: usize, what: What) -> Look {
        self.events.push((at, what));
        self.answers.look(at)
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

    /// An escape. Whatever its fault is, it is reported at the backslash.
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

    /// White space. In a stream of lines, a line feed inside a value is a fault.
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

    /// Reports an event, unless it is in a skipped part. Yields whether the sink skips here.
    fn tell(&mut self, at: usize, what: What) -> bool {
        let skipped = (what.begins() || matches!(what, What::Key(_))) && self.answers.skips(at);
        if self.silent > 0 {
            return false;
        }
        self.events.push((at, what));
        skipped
    }
}

/// Whether a look ends with this answer, whichever token it answers.
fn ends(answer: Look) -> bool {
    matches!(answer, Look::Found | Look::Skip)
}

impl What {
    fn begins(&self) -> bool {
        matches!(self, What::BeginMap | What::BeginList)
    }

    /// Whether the event occurs only while looking ahead.
    pub(crate) fn is_glimpse(&self) -> bool {
        matches!(self, What::LookKey(_) | What::LookValue(_) | What::LookEnd)
    }
}

/// The event for a number in the form `want`; other events are unchanged.
pub(crate) fn wanted(plain: &What, want: Want) -> What {
    let What::Number(digits) = plain else { return plain.clone() };
    if want == Want::Digits {
        return plain.clone();
    }
    if want == Want::Native && !digits.contains(['.', 'e', 'E']) {
        return digits.parse().map_or_else(|_| plain.clone(), What::Int);
    }
    let double: f64 = digits.parse().unwrap();
    if double.is_finite() { What::Float(double.to_bits()) } else { plain.clone() }
}
