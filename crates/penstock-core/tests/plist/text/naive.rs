//! The naive twin of the reader of text property lists: the whole text, recursion, and one byte after another. The
//! reader must give the same result, however the text is cut and whatever the sink skips. The fuzz target uses it, too.

use penstock_core::error::Kind;
use penstock_core::limits::Limits;
use penstock_core::protocol::Look;
use penstock_core::value::datetime::datetime;
use penstock_core::value::unix::in_utc;

use super::recording::{Answers, Event, clock, ends, fault};

type Parsed<T> = Result<T, Event>;

/// The events of a whole text, for a sink with these answers.
pub(crate) fn naive(text: &str, limits: &Limits, answers: Answers) -> Vec<Event> {
    let (bytes, events) = (text.as_bytes(), Vec::new());
    let mut twin = Naive { text, bytes, at: 0, limits, answers, depth: 0, silent: 0, events };
    if let Err(fault) = twin.document() {
        twin.events.push(fault);
    }
    twin.events
}

struct Naive<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    limits: &'a Limits,
    answers: Answers,
    depth: usize,
    /// How many of the values around this one are skipped.
    silent: usize,
    events: Vec<Event>,
}

fn string(text: &str) -> String {
    if text.is_empty() { "text \"\"".to_owned() } else { format!("untyped {text:?}") }
}

impl Naive<'_> {
    fn document(&mut self) -> Parsed<()> {
        if self.bytes.is_empty() {
            return Err(fault(0, Kind::Truncated));
        }
        self.space()?;
        let at = self.at;
        match self.peek() {
            None => self.dictionary(at, false, None)?,
            Some(b'{' | b'(' | b'<') => self.value(true)?,
            Some(_) => {
                let first = self.string(true)?;
                self.space()?;
                match self.peek() {
                    None => {
                        self.tell(at, string(&first));
                    }
                    Some(b'=' | b';') => self.dictionary(at, false, Some(first))?,
                    Some(_) => return self.malformed(),
                }
            }
        }
        self.space()?;
        if self.at < self.bytes.len() { self.malformed() } else { Ok(()) }
    }

    fn value(&mut self, keeps: bool) -> Parsed<()> {
        let at = self.at;
        match self.here()? {
            b'{' => {
                self.at += 1;
                self.dictionary(at, true, None)
            }
            b'(' => self.array(),
            _ => {
                let scalar = self.scalar(keeps)?;
                self.tell(at, scalar);
                Ok(())
            }
        }
    }

    fn scalar(&mut self, keeps: bool) -> Parsed<String> {
        if self.here()? == b'<' { self.angle(keeps) } else { Ok(string(&self.string(keeps)?)) }
    }

    fn one_deeper(&self, at: usize) -> Parsed<()> {
        if self.depth < self.limits.depth { Ok(()) } else { Err(fault(at, Kind::Limit)) }
    }

    fn array(&mut self) -> Parsed<()> {
        self.one_deeper(self.at)?;
        let skipped = self.tell(self.at, "begin list".to_owned());
        self.at += 1;
        self.depth += 1;
        self.silent += usize::from(skipped);
        loop {
            self.space()?;
            if self.here()? == b')' {
                break;
            }
            self.value(true)?;
            self.space()?;
            match self.here()? {
                b',' => self.at += 1,
                b')' => break,
                _ => return self.malformed(),
            }
        }
        self.tell(self.at, "end list".to_owned());
        self.at += 1;
        self.depth -= 1;
        self.silent -= usize::from(skipped);
        Ok(())
    }

    /// A dictionary that began at `begun`, from its first key, or from what comes behind that.
    fn dictionary(&mut self, begun: usize, braced: bool, first: Option<String>) -> Parsed<()> {
        self.one_deeper(begun)?;
        let looks = self.silent == 0 && self.answers.looks(begun);
        let mut skipped = self.tell(begun, "begin map".to_owned());
        self.depth += 1;
        if looks && !skipped {
            let (at, depth) = (self.at, self.depth);
            skipped = self.glimpses(begun, braced, first.clone())? == Look::Skip;
            (self.at, self.depth) = (at, depth);
        }
        self.silent += usize::from(skipped);
        let mut first = first.map(|first| (begun, first));
        while let Some((at, key)) = self.key(braced, &mut first)? {
            let skipped = self.tell(at, format!("key {key:?}"));
            self.silent += usize::from(skipped);
            if self.assigned()? {
                self.space()?;
                self.value(true)?;
                self.behind_value(braced)?;
            } else {
                self.tell(at, string(&key));
            }
            self.silent -= usize::from(skipped);
        }
        self.tell(self.at, "end map".to_owned());
        self.at += usize::from(braced);
        self.depth -= 1;
        self.silent -= usize::from(skipped);
        Ok(())
    }

    /// The next key; nothing at the end of the dictionary.
    fn key(
        &mut self,
        braced: bool,
        first: &mut Option<(usize, String)>,
    ) -> Parsed<Option<(usize, String)>> {
        if first.is_some() {
            return Ok(first.take());
        }
        self.space()?;
        if !braced && self.peek().is_none() || braced && self.here()? == b'}' {
            return Ok(None);
        }
        let at = self.at;
        Ok(Some((at, self.string(true)?)))
    }

    /// Whether `=` and not `;` comes behind the key.
    fn assigned(&mut self) -> Parsed<bool> {
        self.space()?;
        let byte = self.here()?;
        if byte != b'=' && byte != b';' {
            return self.malformed();
        }
        self.at += 1;
        Ok(byte == b'=')
    }

    fn behind_value(&mut self, braced: bool) -> Parsed<()> {
        self.space()?;
        match self.here()? {
            b';' => self.at += 1,
            b'}' if braced => {}
            _ => return self.malformed(),
        }
        Ok(())
    }

    /// Visits the entries of a dictionary until the sink knows what it becomes.
    fn glimpses(&mut self, begun: usize, braced: bool, first: Option<String>) -> Parsed<Look> {
        let mut first = first.map(|first| (begun, first));
        while let Some((at, key)) = self.key(braced, &mut first)? {
            let asked = self.glimpse(at, format!("look at key {key:?}"));
            if ends(asked) {
                return Ok(asked);
            }
            let answer = if self.assigned()? {
                let answer = self.look_value(asked)?;
                if ends(answer) {
                    return Ok(answer);
                }
                self.behind_value(braced)?;
                continue;
            } else if asked == Look::Value {
                self.glimpse(at, format!("look at {}", string(&key)))
            } else {
                Look::Pass
            };
            if ends(answer) {
                return Ok(answer);
            }
        }
        let at = self.at;
        Ok(self.glimpse(at, "look at end".to_owned()))
    }

    fn look_value(&mut self, asked: Look) -> Parsed<Look> {
        self.space()?;
        let at = self.at;
        let parts = matches!(self.here()?, b'{' | b'(');
        if asked == Look::Value && !parts {
            let scalar = self.scalar(true)?;
            return Ok(self.glimpse(at, format!("look at {scalar}")));
        }
        let mut answer = Look::Pass;
        if asked == Look::Value {
            self.one_deeper(at)?;
            answer = self.glimpse(at, "look at parts".to_owned());
        }
        if !ends(answer) {
            self.silent += 1;
            self.value(false)?;
            self.silent -= 1;
        }
        Ok(answer)
    }

    fn glimpse(&mut self, at: usize, what: String) -> Look {
        self.events.push((at, what));
        self.answers.look(at)
    }

    /// A string of any kind.
    fn string(&mut self, keeps: bool) -> Parsed<String> {
        let keeps = keeps && self.silent == 0;
        match self.here()? {
            quote @ (b'"' | b'\'') => self.quoted(quote, keeps),
            byte if is_bare(byte) => self.bare(keeps),
            _ => self.malformed(),
        }
    }

    fn bare(&mut self, keeps: bool) -> Parsed<String> {
        let from = self.at;
        while self.peek().is_some_and(is_bare) && !self.bytes[self.at..].starts_with(b"/*") {
            self.at += 1;
        }
        if keeps && self.at - from > self.limits.token {
            return Err(fault(from, Kind::Limit));
        }
        if self.peek() == Some(b'/') {
            return self.malformed();
        }
        Ok(self.text[from..self.at].to_owned())
    }

    fn quoted(&mut self, quote: u8, keeps: bool) -> Parsed<String> {
        let from = self.at;
        self.at += 1;
        let mut string = String::new();
        loop {
            if keeps && self.at - from - 1 > self.limits.token {
                return Err(fault(from, Kind::Limit));
            }
            match self.here()? {
                byte if byte == quote => {
                    self.at += 1;
                    return Ok(string);
                }
                b'\\' => self.escape(&mut string)?,
                _ => {
                    let character = self.text[self.at..].chars().next().unwrap();
                    string.push(character);
                    self.at += character.len_utf8();
                }
            }
        }
    }

    fn escape(&mut self, string: &mut String) -> Parsed<()> {
        let malformed = fault(self.at, Kind::Malformed);
        self.at += 1;
        let byte = self.here()?;
        let character = match byte {
            b'0'..=b'7' => {
                let rest = &self.text[self.at..];
                let count = rest.bytes().take(3).take_while(|b| (b'0'..=b'7').contains(b)).count();
                if count == rest.len() && count < 3 {
                    return self.truncated();
                }
                self.at += count;
                let code = u32::from_str_radix(&rest[..count], 8).unwrap();
                match NEXTSTEP.iter().find(|(from, _)| *from == code) {
                    Some((_, to)) => char::from_u32(*to).unwrap(),
                    None if code < 0x80 => char::from_u32(code).unwrap(),
                    None => return Err(malformed),
                }
            }
            b'u' | b'U' => {
                let unit = self.unit(&malformed)?;
                if (0xD800..0xDC00).contains(&unit) {
                    for expected in ["\\", "uU"] {
                        let byte = self.here()?;
                        if !expected.as_bytes().contains(&byte) {
                            return Err(malformed);
                        }
                        self.at += usize::from(byte == b'\\');
                    }
                    let low = self.unit(&malformed)?;
                    char::decode_utf16([unit, low]).next().unwrap().map_err(|_| malformed)?
                } else {
                    char::from_u32(unit.into()).ok_or(malformed)?
                }
            }
            _ => {
                let character = self.text[self.at..].chars().next().unwrap();
                self.at += character.len_utf8();
                match character {
                    'a' => '\x07',
                    'b' => '\x08',
                    'f' => '\x0c',
                    'n' => '\n',
                    'r' => '\r',
                    't' => '\t',
                    'v' => '\x0b',
                    character => character,
                }
            }
        };
        string.push(character);
        Ok(())
    }

    /// The four digits behind `\U`.
    fn unit(&mut self, malformed: &Event) -> Parsed<u16> {
        self.at += 1;
        let mut unit = 0;
        for _ in 0..4 {
            let digit = char::from(self.here()?).to_digit(16).ok_or_else(|| malformed.clone())?;
            unit = unit * 16 + digit as u16;
            self.at += 1;
        }
        Ok(unit)
    }

    /// What is between `<` and `>`.
    fn angle(&mut self, keeps: bool) -> Parsed<String> {
        let keeps = keeps && self.silent == 0;
        let from = self.at;
        self.at += 1;
        match self.here()? {
            b'*' => self.typed(from),
            b'[' => self.base64(from, keeps),
            _ => self.hexadecimal(from, keeps),
        }
    }

    /// A byte of data, if the limit allows it.
    fn byte_of_data(&self, from: usize, keeps: bool) -> Parsed<u8> {
        let byte = self.here()?;
        if keeps && self.at - from - 1 > self.limits.token {
            return Err(fault(from, Kind::Limit));
        }
        Ok(byte)
    }

    fn hexadecimal(&mut self, from: usize, keeps: bool) -> Parsed<String> {
        let mut bytes = String::new();
        loop {
            let byte = self.byte_of_data(from, keeps)?;
            self.at += 1;
            match byte {
                b' ' | b'\t' | b'\n' | b'\r' => {}
                b'>' => return Ok(format!("bytes {bytes}")),
                _ if byte.is_ascii_hexdigit() => {
                    let second = self.here()?;
                    if !second.is_ascii_hexdigit() {
                        return self.malformed();
                    }
                    self.at += 1;
                    bytes.push(char::from(byte.to_ascii_lowercase()));
                    bytes.push(char::from(second.to_ascii_lowercase()));
                }
                _ => {
                    self.at -= 1;
                    return self.malformed();
                }
            }
        }
    }

    fn base64(&mut self, from: usize, keeps: bool) -> Parsed<String> {
        const ALPHABET: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let (mut bits, mut padding) = (String::new(), 0);
        self.at += 1;
        loop {
            let byte = self.byte_of_data(from, keeps)?;
            let characters = bits.len() / 6;
            let good = match byte {
                b' ' | b'\t' | b'\n' | b'\r' => true,
                b'=' => {
                    padding += 1;
                    characters % 4 > 1 && characters % 4 + padding <= 4
                }
                b']' => {
                    self.at += 1;
                    if self.here()? != b'>' {
                        return self.malformed();
                    }
                    self.at -= 1;
                    let rest = bits.len() % 8;
                    (characters + padding) % 4 == 0 && !bits[bits.len() - rest..].contains('1')
                }
                _ => match ALPHABET.find(char::from(byte)) {
                    Some(value) => {
                        bits += &format!("{value:06b}");
                        padding == 0
                    }
                    None => false,
                },
            };
            if !good {
                return self.malformed();
            }
            self.at += 1;
            if byte == b']' {
                self.at += 1;
                let bytes = bits.as_bytes().chunks_exact(8).map(|bits| {
                    let bits = std::str::from_utf8(bits).unwrap();
                    format!("{:02x}", u8::from_str_radix(bits, 2).unwrap())
                });
                return Ok(format!("bytes {}", bytes.collect::<String>()));
            }
        }
    }

    fn typed(&mut self, from: usize) -> Parsed<String> {
        let text = &self.text[from + 2..];
        let end = text.find('>');
        if end.unwrap_or(text.len()) > self.limits.number {
            return Err(fault(from, Kind::Limit));
        }
        let Some(end) = end else { return self.truncated() };
        self.at = from + 2 + end + 1;
        typed(&text[..end]).ok_or_else(|| fault(from, Kind::Malformed))
    }

    fn space(&mut self) -> Parsed<()> {
        loop {
            let rest = &self.text[self.at..];
            let trimmed = rest.trim_start_matches([
                ' ', '\t', '\n', '\r', '\x0b', '\x0c', '\u{2028}', '\u{2029}',
            ]);
            self.at += rest.len() - trimmed.len();
            if let Some(comment) = trimmed.strip_prefix("//") {
                let end = comment.find(['\n', '\r', '\u{2028}', '\u{2029}']);
                self.at += 2 + end.unwrap_or(comment.len());
            } else if let Some(comment) = trimmed.strip_prefix("/*") {
                let Some(end) = comment.find("*/") else { return self.truncated() };
                self.at += 2 + end + 2;
            } else {
                return Ok(());
            }
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }
    fn here(&self) -> Parsed<u8> {
        self.peek().ok_or_else(|| fault(self.bytes.len(), Kind::Truncated))
    }
    fn malformed<T>(&self) -> Parsed<T> {
        Err(fault(self.at, Kind::Malformed))
    }
    fn truncated<T>(&self) -> Parsed<T> {
        Err(fault(self.bytes.len(), Kind::Truncated))
    }

    /// Reports an event, unless it is skipped. Whether the sink skips what follows.
    fn tell(&mut self, at: usize, what: String) -> bool {
        let begins = what.starts_with("begin") || what.starts_with("key");
        if self.silent == 0 {
            self.events.push((at, what));
        }
        self.silent == 0 && begins && self.answers.skips(at)
    }
}

fn is_bare(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || "_$/:.-!#%&*+?@|~^".as_bytes().contains(&byte)
}

/// The value of a text between `<*` and `>`.
fn typed(text: &str) -> Option<String> {
    let (letter, value) = text.split_at_checked(1)?;
    let inside = value.strip_prefix('"').and_then(|value| value.strip_suffix('"'));
    let value = inside.unwrap_or(value);
    match letter {
        "I" => {
            let digits = value.strip_prefix(['+', '-']).unwrap_or(value);
            if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
                return None;
            }
            let minus = if value.starts_with('-') { "-" } else { "" };
            Some(match value.parse::<i64>() {
                Ok(small) => format!("int {small}"),
                Err(_) => format!("number {minus}{}", digits.trim_start_matches('0')),
            })
        }
        "R" => {
            let number: f64 = value.parse().ok()?;
            let digits = value.bytes().any(|byte| byte.is_ascii_digit());
            (!number.is_infinite() || !digits).then(|| format!("float {number:?}"))
        }
        "B" => match value {
            "Y" => Some("bool true".to_owned()),
            "N" => Some("bool false".to_owned()),
            _ => None,
        },
        "D" => {
            let bytes = value.as_bytes();
            if bytes.len() != 25 || !value.is_ascii() || bytes[10] != b' ' || bytes[19] != b' ' {
                return None;
            }
            let (day, time) = (&value[..10], &value[11..19]);
            let iso = format!("{day}T{time}{}:{}", &value[20..23], &value[23..]);
            Some(clock(in_utc(datetime(iso.as_bytes()).ok()?)?))
        }
        _ => None,
    }
}

/// The NEXTSTEP encoding above ASCII, as Unicode's table of it lists it.
const NEXTSTEP: [(u32, u32); 126] = [
    (0x80, 0x00A0),
    (0x81, 0x00C0),
    (0x82, 0x00C1),
    (0x83, 0x00C2),
    (0x84, 0x00C3),
    (0x85, 0x00C4),
    (0x86, 0x00C5),
    (0x87, 0x00C7),
    (0x88, 0x00C8),
    (0x89, 0x00C9),
    (0x8a, 0x00CA),
    (0x8b, 0x00CB),
    (0x8c, 0x00CC),
    (0x8d, 0x00CD),
    (0x8e, 0x00CE),
    (0x8f, 0x00CF),
    (0x90, 0x00D0),
    (0x91, 0x00D1),
    (0x92, 0x00D2),
    (0x93, 0x00D3),
    (0x94, 0x00D4),
    (0x95, 0x00D5),
    (0x96, 0x00D6),
    (0x97, 0x00D9),
    (0x98, 0x00DA),
    (0x99, 0x00DB),
    (0x9a, 0x00DC),
    (0x9b, 0x00DD),
    (0x9c, 0x00DE),
    (0x9d, 0x00B5),
    (0x9e, 0x00D7),
    (0x9f, 0x00F7),
    (0xa0, 0x00A9),
    (0xa1, 0x00A1),
    (0xa2, 0x00A2),
    (0xa3, 0x00A3),
    (0xa4, 0x2044),
    (0xa5, 0x00A5),
    (0xa6, 0x0192),
    (0xa7, 0x00A7),
    (0xa8, 0x00A4),
    (0xa9, 0x2019),
    (0xaa, 0x201C),
    (0xab, 0x00AB),
    (0xac, 0x2039),
    (0xad, 0x203A),
    (0xae, 0xFB01),
    (0xaf, 0xFB02),
    (0xb0, 0x00AE),
    (0xb1, 0x2013),
    (0xb2, 0x2020),
    (0xb3, 0x2021),
    (0xb4, 0x00B7),
    (0xb5, 0x00A6),
    (0xb6, 0x00B6),
    (0xb7, 0x2022),
    (0xb8, 0x201A),
    (0xb9, 0x201E),
    (0xba, 0x201D),
    (0xbb, 0x00BB),
    (0xbc, 0x2026),
    (0xbd, 0x2030),
    (0xbe, 0x00AC),
    (0xbf, 0x00BF),
    (0xc0, 0x00B9),
    (0xc1, 0x02CB),
    (0xc2, 0x00B4),
    (0xc3, 0x02C6),
    (0xc4, 0x02DC),
    (0xc5, 0x00AF),
    (0xc6, 0x02D8),
    (0xc7, 0x02D9),
    (0xc8, 0x00A8),
    (0xc9, 0x00B2),
    (0xca, 0x02DA),
    (0xcb, 0x00B8),
    (0xcc, 0x00B3),
    (0xcd, 0x02DD),
    (0xce, 0x02DB),
    (0xcf, 0x02C7),
    (0xd0, 0x2014),
    (0xd1, 0x00B1),
    (0xd2, 0x00BC),
    (0xd3, 0x00BD),
    (0xd4, 0x00BE),
    (0xd5, 0x00E0),
    (0xd6, 0x00E1),
    (0xd7, 0x00E2),
    (0xd8, 0x00E3),
    (0xd9, 0x00E4),
    (0xda, 0x00E5),
    (0xdb, 0x00E7),
    (0xdc, 0x00E8),
    (0xdd, 0x00E9),
    (0xde, 0x00EA),
    (0xdf, 0x00EB),
    (0xe0, 0x00EC),
    (0xe1, 0x00C6),
    (0xe2, 0x00ED),
    (0xe3, 0x00AA),
    (0xe4, 0x00EE),
    (0xe5, 0x00EF),
    (0xe6, 0x00F0),
    (0xe7, 0x00F1),
    (0xe8, 0x0141),
    (0xe9, 0x00D8),
    (0xea, 0x0152),
    (0xeb, 0x00BA),
    (0xec, 0x00F2),
    (0xed, 0x00F3),
    (0xee, 0x00F4),
    (0xef, 0x00F5),
    (0xf0, 0x00F6),
    (0xf1, 0x00E6),
    (0xf2, 0x00F9),
    (0xf3, 0x00FA),
    (0xf4, 0x00FB),
    (0xf5, 0x0131),
    (0xf6, 0x00FC),
    (0xf7, 0x00FD),
    (0xf8, 0x0142),
    (0xf9, 0x00F8),
    (0xfa, 0x0153),
    (0xfb, 0x00DF),
    (0xfc, 0x00FE),
    (0xfd, 0x00FF),
];
