//! The JSON writer.
//!
//! For whoever changes it. The text grows at the end of one buffer. Each value is followed by a
//! comma, also the last one of a container, whose end replaces it: so nobody must know whether a
//! value is the first. If text is taken while a container is open, the last byte therefore stays.
//!
//! `depth` counts the open containers; at 0 the next value begins a record. With `sort` the members
//! of each open map are noted (`sorted.rs`), and put in order at its end; the text of a map is not
//! taken before that.

use memchr::memchr;
use penstock_scan::{Chosen, Isa, Job, TextBuf, ValidText, unescape_json};

pub use super::options::{Binary, NonFinite, Records, WriterOptions};

use super::canonical;
use super::direct::Direct;
use super::sorted::Sorted;
use super::tell;
use crate::event::{Key, KeyKind, Scalar, Text};
use crate::limits::Limits;
use crate::options::Indent;
use crate::protocol::{Flow, Hints, LookAhead, Sink, Want};
use crate::value::number::Outcome;
use crate::value::{print, unix};
use crate::writer::{self, ENOUGH, Kinds, Unwritable, make_room};

/// The largest integer below which a double holds every other.
const LARGEST_EXACT: i64 = 1 << 53;

/// Writes JSON.
#[derive(Debug)]
pub struct Writer {
    out: Vec<u8>,
    options: WriterOptions,
    plain: bool,
    /// How many maps and lists may be open.
    deepest: usize,
    depth: usize,
    /// Where the current record begins in `out`, with what separates it from the last one.
    record: usize,
    records: u64,
    /// With an indentation: the value that follows belongs to the key before it.
    after_key: bool,
    sorted: Option<Box<Sorted>>,
    isa: Chosen,
    /// Where the scalars begin that are listened to.
    heard: usize,
    /// The last one, if it is text.
    text: TextBuf,
}

impl Writer {
    /// A writer at the beginning of its output.
    #[must_use]
    pub fn new(options: WriterOptions, limits: &Limits) -> Self {
        Writer {
            out: Vec::new(),
            plain: options.is_plain(),
            sorted: options.order.map(|order| Box::new(Sorted::new(order, options.doubles))),
            options,
            deepest: limits.depth,
            depth: 0,
            record: 0,
            records: 0,
            after_key: false,
            isa: Chosen::best(),
            heard: 0,
            text: TextBuf::new(),
        }
    }

    /// Before a value: begins a record or a line.
    #[inline(always)]
    fn begin(&mut self) -> Result<(), Unwritable> {
        if self.depth == 0 {
            self.begin_record()
        } else if self.options.indent.is_some() {
            self.begin_line()
        } else {
            Ok(())
        }
    }

    #[inline(never)]
    fn begin_record(&mut self) -> Result<(), Unwritable> {
        self.record = self.out.len();
        let Writer { out, options, records, .. } = self;
        match &options.records {
            Records::One if *records > 0 => Err(Unwritable::value("a JSON document is one value")),
            Records::One | Records::Lines => Ok(()),
            Records::Sequence => {
                make_room(out, 1)?;
                out.push(0x1E);
                Ok(())
            }
            Records::Array(keys) => {
                let room: usize = keys.iter().map(|key| 6 * key.len() + 8).sum();
                let width = options.indent.map_or(0, |indent| indent.width(keys.len() + 1));
                let lines = (keys.len() + 2) * (width + 1);
                make_room(out, room + lines + 2)?;
                if *records > 0 {
                    out.push(b',');
                } else {
                    for (key, level) in keys.iter().zip(1..) {
                        out.push(b'{');
                        line(options.indent, level, out);
                        quote(key.as_str().into(), options.ascii, self.isa, out)?;
                        out.push(b':');
                        if options.indent.is_some() {
                            out.push(b' ');
                        }
                    }
                    out.push(b'[');
                }
                line(options.indent, keys.len() + 1, out);
                Ok(())
            }
        }
    }

    #[cold]
    #[inline(never)]
    fn begin_line(&mut self) -> Result<(), Unwritable> {
        if std::mem::take(&mut self.after_key) {
            return Ok(());
        }
        self.new_line(self.level())
    }

    /// The level of what stands in the innermost container.
    fn level(&self) -> usize {
        match &self.options.records {
            Records::Array(keys) => keys.len() + 1 + self.depth,
            _ => self.depth,
        }
    }

    fn new_line(&mut self, level: usize) -> Result<(), Unwritable> {
        let width = self.options.indent.map_or(0, |indent| indent.width(level));
        make_room(&mut self.out, 1 + width)?;
        line(self.options.indent, level, &mut self.out);
        Ok(())
    }

    /// After a value. There is room for one byte.
    #[inline(always)]
    fn end(&mut self) -> Result<Flow, Unwritable> {
        self.out.push(b',');
        if self.depth == 0 {
            self.end_record();
        }
        let pause = self.out.len() >= ENOUGH && self.sorted.as_ref().is_none_or(|it| it.is_empty());
        Ok(if pause { Flow::Pause } else { Flow::Take })
    }

    #[inline(never)]
    fn end_record(&mut self) {
        self.out.pop();
        if matches!(self.options.records, Records::Lines | Records::Sequence) {
            self.out.push(b'\n');
        }
        self.records += 1;
        self.record = self.out.len();
    }

    #[inline(always)]
    fn begin_container(&mut self, bracket: u8) -> Result<Flow, Unwritable> {
        self.begin()?;
        if self.depth == self.deepest {
            return Err(self.too_deep());
        }
        make_room(&mut self.out, 1)?;
        self.out.push(bracket);
        self.depth += 1;
        Ok(Flow::Take)
    }

    #[cold]
    fn too_deep(&self) -> Unwritable {
        Unwritable::limit(format!(
            "more than {} maps and lists inside one another (limits.depth)",
            self.deepest
        ))
    }

    #[inline(always)]
    fn end_container(&mut self, bracket: u8) -> Result<Flow, Unwritable> {
        make_room(&mut self.out, 2)?;
        self.depth -= 1;
        if self.out.last() == Some(&b',') {
            self.out.pop();
            if self.options.indent.is_some() {
                self.new_line(self.level())?;
                make_room(&mut self.out, 2)?;
            }
        }
        self.out.push(bracket);
        self.end()
    }

    /// A value that is written without quotes, by a function that needs at most
    /// [`print::LONGEST`] bytes.
    #[inline(always)]
    fn short(&mut self, print: impl FnOnce(&mut Vec<u8>)) -> Result<Flow, Unwritable> {
        self.begin()?;
        make_room(&mut self.out, print::LONGEST + 1)?;
        print(&mut self.out);
        self.end()
    }

    /// The same with quotes.
    fn quoted(&mut self, print: impl FnOnce(&mut Vec<u8>)) -> Result<Flow, Unwritable> {
        self.begin()?;
        make_room(&mut self.out, print::LONGEST + 3)?;
        self.out.push(b'"');
        print(&mut self.out);
        self.out.push(b'"');
        self.end()
    }

    /// Text that needs no escape and may be long, between quotes or not.
    fn raw(&mut self, text: &[u8], quotes: bool) -> Result<Flow, Unwritable> {
        self.begin()?;
        make_room(&mut self.out, text.len() + 3)?;
        if quotes {
            self.out.push(b'"');
        }
        self.out.extend_from_slice(text);
        if quotes {
            self.out.push(b'"');
        }
        self.end()
    }

    #[cold]
    #[inline(never)]
    fn no_number(&mut self, value: f64) -> Result<Flow, Unwritable> {
        let literal: &[u8] = match value {
            _ if value.is_nan() => b"NaN",
            _ if value > 0.0 => b"Infinity",
            _ => b"-Infinity",
        };
        match self.options.non_finite {
            NonFinite::Null => self.raw(b"null", false),
            NonFinite::Literal => self.raw(literal, false),
            NonFinite::Refuse => Err(Unwritable::value(format!(
                "JSON has no number for {}",
                match value {
                    _ if value.is_nan() => "NaN",
                    _ if value > 0.0 => "infinity",
                    _ => "-infinity",
                }
            ))),
        }
    }

    /// The digits of a number: as they are, or as the double that they stand for.
    fn digits(&mut self, digits: &[u8]) -> Result<Flow, Unwritable> {
        let is_integer =
            memchr(b'.', digits).is_none() && !digits.iter().any(|b| matches!(b, b'e' | b'E'));
        if is_integer && (self.options.large_ints_as_text || self.options.doubles) {
            let value: Option<i64> =
                std::str::from_utf8(digits).ok().and_then(|it| it.parse().ok());
            return match value {
                Some(value) => self.int(value, 0),
                None => self.large_integer(digits),
            };
        }
        if !self.options.doubles {
            return self.raw(digits, false);
        }
        let value: Option<f64> = std::str::from_utf8(digits).ok().and_then(|it| it.parse().ok());
        match value {
            Some(value) => self.float(value, 0),
            None => Err(Unwritable::value("these digits are no number")),
        }
    }

    #[cold]
    fn large_integer(&mut self, digits: &[u8]) -> Result<Flow, Unwritable> {
        if self.options.large_ints_as_text {
            return self.raw(digits, true);
        }
        if self.options.doubles {
            return Err(Unwritable::value(
                "an integer beyond 2^53 has no canonical form; write it as text",
            ));
        }
        self.raw(digits, false)
    }

    /// A decimal number in the canonical form.
    fn double(&mut self, digits: &[u8]) -> Result<Flow, Unwritable> {
        let is_large = digits.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'-'));
        if is_large || canonical::keeps(digits) {
            return self.digits(digits);
        }
        Err(Unwritable::value(
            "a decimal number that no double holds has no canonical form; write it as text",
        ))
    }

    fn bytes(&mut self, bytes: &[u8]) -> Result<Flow, Unwritable> {
        self.begin()?;
        let room = match self.options.binary {
            Binary::Base64 => bytes.len().div_ceil(3).saturating_mul(4),
            Binary::Hex => bytes.len().saturating_mul(2),
        };
        make_room(&mut self.out, room.saturating_add(3))?;
        self.out.push(b'"');
        match self.options.binary {
            Binary::Base64 => print::base64(bytes, &mut self.out),
            Binary::Hex => print::hex(bytes, &mut self.out),
        }
        self.out.push(b'"');
        self.end()
    }

    /// A key, from its text.
    fn push_key(&mut self, text: Text<'_>) -> Result<(), Unwritable> {
        if let Some(sorted) = &mut self.sorted {
            sorted.key(text, self.out.len())?;
        }
        if self.options.indent.is_some() {
            self.new_line(self.level())?;
            self.after_key = true;
        }
        quote(text, self.options.ascii, self.isa, &mut self.out)?;
        make_room(&mut self.out, 2)?;
        self.out.push(b':');
        if self.options.indent.is_some() {
            self.out.push(b' ');
        }
        Ok(())
    }

    /// How much of the text may be taken.
    fn fixed(&self) -> usize {
        match self.sorted.as_ref().and_then(|sorted| sorted.outermost()) {
            Some(begin) => begin,
            // The comma or the bracket before the next value.
            None if self.depth > 0 => self.out.len().saturating_sub(1),
            None => self.out.len(),
        }
    }
}

/// A line feed and the indentation of a level, if there is one. The buffer has room.
fn line(indent: Option<Indent>, level: usize, out: &mut Vec<u8>) {
    if let Some(indent) = indent {
        indent.line(level, out);
    }
}

/// Text between quotes, with its escapes. Afterwards there is room for one byte more.
#[inline(always)]
fn quote(text: Text<'_>, ascii: bool, isa: Chosen, out: &mut Vec<u8>) -> Result<(), Unwritable> {
    let bytes = text.bytes();
    make_room(out, bytes.len().saturating_add(4))?;
    out.push(b'"');
    if bytes.len() <= 16 && !ascii {
        // A table is quicker than the kernel for so few.
        let mut plain = true;
        for &byte in bytes {
            plain &= PLAIN[usize::from(byte)];
        }
        if plain {
            out.extend_from_slice(bytes);
            out.push(b'"');
            return Ok(());
        }
    }
    isa.enter(Escape { text: text.text, ascii, out })?;
    out.push(b'"');
    Ok(())
}

/// Whether a byte stands for itself in a string.
static PLAIN: [bool; 256] = {
    let mut plain = [true; 256];
    let mut byte = 0;
    while byte < 0x20 {
        plain[byte] = false;
        byte += 1;
    }
    plain[b'"' as usize] = false;
    plain[b'\\' as usize] = false;
    plain
};

/// Appends text with its escapes.
struct Escape<'a, 'b> {
    text: ValidText<'a>,
    ascii: bool,
    out: &'b mut Vec<u8>,
}

impl Job for Escape<'_, '_> {
    type Output = Result<(), Unwritable>;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> Self::Output {
        let Escape { text, ascii, out } = self;
        let bytes = text.as_bytes();
        let mut at = 0;
        loop {
            let end = isa.json_string(bytes, at);
            let run = text.slice(at..end.at);
            // For the run, an escape, the closing quote and what the caller adds.
            make_room(out, run.as_bytes().len() + 8)?;
            if ascii && (!end.ascii || memchr(0x7F, run.as_bytes()).is_some()) {
                escape_all(run.as_str(), out)?;
                make_room(out, 8)?;
            } else {
                out.extend_from_slice(run.as_bytes());
            }
            let Some(&byte) = bytes.get(end.at) else { return Ok(()) };
            escape(byte, out);
            at = end.at + 1;
        }
    }
}

/// The escape of a byte that does not stand for itself. The buffer has room for six bytes.
#[inline(always)]
fn escape(byte: u8, out: &mut Vec<u8>) {
    let letter = match byte {
        b'"' | b'\\' => byte,
        0x08 => b'b',
        b'\t' => b't',
        b'\n' => b'n',
        0x0C => b'f',
        b'\r' => b'r',
        _ => {
            out.extend_from_slice(b"\\u00");
            print::hex(&[byte], out);
            return;
        }
    };
    out.extend_from_slice(&[b'\\', letter]);
}

/// Text whose characters that are not ASCII become escapes of UTF-16 units.
#[cold]
#[inline(never)]
fn escape_all(text: &str, out: &mut Vec<u8>) -> Result<(), Unwritable> {
    for char in text.chars() {
        make_room(out, 12)?;
        // As the standard library of Python, which escapes what cannot be seen.
        if char.is_ascii() && char != '\u{7f}' {
            out.push(char as u8);
        } else {
            for unit in char.encode_utf16(&mut [0; 2]) {
                out.extend_from_slice(b"\\u");
                print::hex(&unit.to_be_bytes(), out);
            }
        }
    }
    Ok(())
}

impl writer::Writer for Writer {
    fn ready(&self) -> &[u8] {
        &self.out[..self.fixed()]
    }

    fn orderly(&self) -> Option<Writer> {
        self.options.doubles.then(|| {
            let options = WriterOptions { records: Records::One, ..self.options.clone() };
            let limits = Limits { depth: self.deepest, ..Limits::default() };
            Writer::new(options, &limits)
        })
    }

    fn json_text(&mut self, text: ValidText<'_>) -> Result<bool, Unwritable> {
        if self.plain && !self.options.doubles && !self.options.large_ints_as_text {
            self.raw(text.as_bytes(), false)?;
        } else {
            tell(text, self)?;
        }
        Ok(true)
    }
    fn again(&mut self, text: &[u8]) -> Result<Flow, Unwritable> {
        self.raw(text, false)
    }

    fn taken(&mut self) {
        let fixed = self.fixed();
        self.out.drain(..fixed);
        self.record = self.record.saturating_sub(fixed);
        if let Some(sorted) = &mut self.sorted {
            sorted.shift(fixed);
        }
    }

    fn finish(&mut self) -> Result<(), Unwritable> {
        if self.depth > 0 {
            return Err(Unwritable::value("the last record is not complete"));
        }
        match &self.options.records {
            Records::One if self.records == 0 => {
                return Err(Unwritable::value("there is no value to write"));
            }
            Records::Array(keys) => {
                let count = keys.len();
                if self.records == 0 {
                    self.begin_record()?;
                    // Nothing stands in the array, so it has no line of its own either.
                    let bracket = self.out.iter().rposition(|&byte| byte == b'[');
                    self.out.truncate(bracket.map_or(0, |at| at + 1));
                } else {
                    self.new_line(count)?;
                }
                make_room(&mut self.out, 1)?;
                self.out.push(b']');
                for level in (0..count).rev() {
                    self.new_line(level)?;
                    make_room(&mut self.out, 1)?;
                    self.out.push(b'}');
                }
            }
            _ => {}
        }
        if self.options.indent.is_some() {
            make_room(&mut self.out, 1)?;
            self.out.push(b'\n');
        }
        self.record = self.out.len();
        Ok(())
    }
    fn reopen(&mut self) {
        self.out.clear();
        (self.depth, self.record, self.records, self.after_key) = (0, 0, 0, false);
        if let Some(sorted) = &mut self.sorted {
            sorted.clear();
        }
    }
    fn records(&self) -> u64 {
        self.records
    }
    fn beside(&self) -> Option<Self> {
        let is_last = matches!(self.options.records, Records::One);
        if self.records == 0 || is_last {
            return None;
        }
        let Writer { plain, deepest, records, isa, .. } = *self;
        let sorted = self.options.order.map(|order| Sorted::new(order, self.options.doubles));
        Some(Writer {
            out: Vec::new(),
            options: self.options.clone(),
            plain,
            deepest,
            depth: 0,
            record: 0,
            records,
            after_key: false,
            sorted: sorted.map(Box::new),
            isa,
            heard: 0,
            text: TextBuf::new(),
        })
    }
    fn listen(&mut self) -> bool {
        self.heard = self.out.len();
        true
    }
    fn reported(&mut self) -> Option<Scalar<'_>> {
        let is_behind = |byte: &u8| matches!(byte, b',' | b'\n' | b' ');
        let written = self.out.get(self.heard..)?;
        let end = written.iter().rposition(|byte| !is_behind(byte))? + 1;
        let written = &written[..end];
        let number = written
            .iter()
            .rposition(|byte| !matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E'));
        match written {
            // What stands before a number ends with a bracket, a colon, a comma or white space.
            [.., b'0'..=b'9'] => Some(Scalar::Number(&written[number.map_or(0, |at| at + 1)..])),
            [.., b't', b'r', b'u', b'e'] => Some(Scalar::Bool(true)),
            [.., b'f', b'a', b'l', b's', b'e'] => Some(Scalar::Bool(false)),
            [before @ .., b'"'] => {
                let is_begin = |at: &usize| {
                    let escapes = before[..*at].iter().rev().take_while(|byte| **byte == b'\\');
                    before[*at] == b'"' && escapes.count() % 2 == 0
                };
                let begin = (0..before.len()).rev().find(is_begin)?;
                let raw = std::str::from_utf8(&before[begin + 1..]).ok()?;
                self.text.clear();
                unescape_json(ValidText::from(raw), &mut self.text).ok()?;
                Some(Scalar::Text(self.text.text().as_str().into()))
            }
            _ => None,
        }
    }
    fn kinds(&self) -> Kinds {
        let WriterOptions { large_ints_as_text, decimals_as_text, .. } = self.options;
        if large_ints_as_text || decimals_as_text { Kinds::Changed } else { Kinds::Kept }
    }
    fn pass(&mut self, records: u64) {
        self.records += records;
    }
    #[inline(always)]
    fn lent_key(&mut self, lent: &[u8], name: &str) -> Result<Flow, Unwritable> {
        if self.plain && !lent.is_empty() {
            make_room(&mut self.out, lent.len())?;
            self.out.extend_from_slice(lent);
            Ok(Flow::Take)
        } else {
            self.key(name.into(), 0)
        }
    }
    #[inline(always)]
    fn direct(&mut self) -> Option<Direct<'_>> {
        if !self.plain || self.options.doubles || self.depth == 0 {
            return None;
        }
        let largest = largest(&self.options);
        Some(Direct::new(&mut self.out, self.isa, &mut self.depth, self.deepest, largest))
    }
}

/// The largest integer that a [`Direct`] writes.
fn largest(options: &WriterOptions) -> u64 {
    if options.large_ints_as_text { LARGEST_EXACT as u64 } else { u64::MAX }
}

impl Sink for Writer {
    type Error = Unwritable;

    #[inline(always)]
    fn begin_map(&mut self, _at: u64) -> Result<Flow, Unwritable> {
        let flow = self.begin_container(b'{')?;
        if let Some(sorted) = &mut self.sorted {
            sorted.begin(self.out.len())?;
        }
        Ok(flow)
    }
    #[inline(always)]
    fn end_map(&mut self, _at: u64) -> Result<Flow, Unwritable> {
        if let Some(sorted) = &mut self.sorted {
            sorted.end(&mut self.out)?;
        }
        self.end_container(b'}')
    }
    #[inline(always)]
    fn begin_list(&mut self, _at: u64) -> Result<Flow, Unwritable> {
        self.begin_container(b'[')
    }
    #[inline(always)]
    fn end_list(&mut self, _at: u64) -> Result<Flow, Unwritable> {
        self.end_container(b']')
    }
    fn name(&mut self, key: Key<'_>, at: u64) -> Result<Flow, Unwritable> {
        if key.kind == KeyKind::Member {
            return self.key(key.name, at);
        }
        let at = if key.kind == KeyKind::Attribute { "@" } else { "" };
        let colon = if key.prefix.is_some() { ":" } else { "" };
        let prefix = key.prefix.map_or("", |prefix| prefix.text.as_str());
        let name = format!("{at}{prefix}{colon}{}", key.name.text.as_str());
        self.push_key(name.as_str().into())?;
        Ok(Flow::Take)
    }
    #[inline(always)]
    fn key(&mut self, key: Text<'_>, _at: u64) -> Result<Flow, Unwritable> {
        if self.plain {
            quote(key, false, self.isa, &mut self.out)?;
            self.out.push(b':');
        } else {
            self.push_key(key)?;
        }
        Ok(Flow::Take)
    }
    fn scalar(&mut self, value: Scalar<'_>, at: u64) -> Result<Flow, Unwritable> {
        match value {
            Scalar::Null => self.short(|out| out.extend_from_slice(b"null")),
            Scalar::Bool(true) => self.short(|out| out.extend_from_slice(b"true")),
            Scalar::Bool(false) => self.short(|out| out.extend_from_slice(b"false")),
            Scalar::Int(value) => self.int(value, at),
            Scalar::Float(value) => self.float(value, at),
            Scalar::Number(digits) => self.digits(digits),
            Scalar::Decimal(digits) if self.options.decimals_as_text => self.raw(digits, true),
            Scalar::Decimal(digits) if self.options.doubles => self.double(digits),
            Scalar::Decimal(digits) => self.digits(digits),
            Scalar::Text(text) | Scalar::Untyped(text) => self.text(text, at),
            Scalar::Bytes(bytes) => self.bytes(bytes),
            Scalar::Date(date) => self.quoted(|out| print::date(date, out)),
            Scalar::Time(time) => self.quoted(|out| print::time(time, out)),
            Scalar::DateTime(value) => self.quoted(|out| print::datetime(value, out)),
            Scalar::Since2001(seconds) => match unix::since_2001(seconds) {
                Ok(value) => self.quoted(|out| print::datetime(value, out)),
                Err(reason) => Err(Unwritable::value(reason.message())),
            },
            Scalar::Duration(value) => self.quoted(|out| print::duration(value, out)),
            Scalar::Uuid(bytes) => self.quoted(|out| print::uuid(bytes, out)),
            // As Apple's own conversion of property lists writes it.
            Scalar::Uid(value) => {
                self.begin_map(at)?;
                self.key("CF$UID".into(), at)?;
                self.short(|out| print::uint(value, out))?;
                self.end_map(at)
            }
        }
    }
    fn piece(&mut self, _text: Text<'_>, _at: u64) -> Result<Flow, Unwritable> {
        Err(Unwritable::value("JSON has no place for text between elements"))
    }
    fn abandon(&mut self) {
        self.out.truncate(self.record);
        self.depth = 0;
        self.after_key = false;
        if let Some(sorted) = &mut self.sorted {
            sorted.clear();
        }
    }
    #[inline(always)]
    fn int(&mut self, value: i64, _at: u64) -> Result<Flow, Unwritable> {
        if value.unsigned_abs() > LARGEST_EXACT as u64
            && (self.options.large_ints_as_text || self.options.doubles)
        {
            return self.large_integer(itoa::Buffer::new().format(value).as_bytes());
        }
        self.short(|out| print::int(value, out))
    }
    #[inline(always)]
    fn float(&mut self, value: f64, _at: u64) -> Result<Flow, Unwritable> {
        if !value.is_finite() {
            return self.no_number(value);
        }
        if self.options.doubles {
            return self.short(|out| print::ecma_float(value, out));
        }
        self.short(|out| print::float(value, out))
    }
    #[inline(always)]
    fn number(&mut self, digits: &[u8], _at: u64) -> Result<Flow, Unwritable> {
        self.digits(digits)
    }
    #[inline(always)]
    fn text(&mut self, text: Text<'_>, _at: u64) -> Result<Flow, Unwritable> {
        self.begin()?;
        quote(text, self.options.ascii, self.isa, &mut self.out)?;
        self.end()
    }
    #[inline(always)]
    fn written_key(&mut self, key: Text<'_>, raw: Text<'_>, at: u64) -> Result<Flow, Unwritable> {
        if !self.plain {
            return self.key(key, at);
        }
        let raw = raw.bytes();
        make_room(&mut self.out, raw.len().saturating_add(3))?;
        self.out.push(b'"');
        self.out.extend_from_slice(raw);
        self.out.extend_from_slice(b"\":");
        Ok(Flow::Take)
    }
    #[inline(always)]
    fn written_text(
        &mut self,
        raw: Text<'_>,
        _escaped: bool,
        _at: u64,
    ) -> Result<Flow, Unwritable> {
        self.raw(raw.bytes(), true)
    }
    fn written_number(
        &mut self,
        digits: &[u8],
        _found: Outcome,
        _at: u64,
    ) -> Result<Flow, Unwritable> {
        self.digits(digits)
    }
}

impl Hints for Writer {
    fn want(&self) -> Want {
        Want::Digits
    }
    /// Text is copied with the escapes that it has, unless there is one way to write each character.
    fn as_written(&self) -> bool {
        !self.options.ascii && !self.options.doubles
    }
}

impl LookAhead for Writer {}
