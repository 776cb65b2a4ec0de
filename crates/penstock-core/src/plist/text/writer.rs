//! The writer of text property lists.
//!
//! The layout is that of `openstep-plist`, and of Foundation but for the braces of a dictionary that is empty: an entry
//! or an element on each line, no comma behind the last element, data in groups of four bytes. Without an indentation,
//! all is on one line.
//!
//! | value | OpenStep | GNUstep |
//! |---|---|---|
//! | a string | `bare` or `"in quotes"` | the same |
//! | an integer | `42`: the same as the string | `<*I42>` |
//! | a real number | `1.5`: the same as the string | `<*R1.5>` |
//! | a boolean | refused | `<*BY>`, `<*BN>` |
//! | an instant, or a time of unknown place, which is taken as UTC | refused | `<*D2001-01-01 00:00:00 +0000>`: whole seconds |
//! | data | `<0fbd771c>` | `<[D713HA==]>` |
//! | null | refused | refused |
//! | a UID | `{CF$UID = 7;}` | `{CF$UID = <*I7>;}` |
//! | a decimal number | `1.50`: the same as the string | `<*R1.50>` if a double holds it, else refused |
//! | a day, a time of day, a duration, a UUID | a string | a string |
//!
//! For whoever changes it. The text grows at the end of one buffer. On one line, each entry is followed by a space, also
//! the last one, whose brace replaces it: so entries are all alike, and can be put in order. If text is taken while a
//! dictionary is open, the last byte therefore stays.

use memchr::memchr;
use penstock_scan::{Chosen, Isa, Job, ValidText};

use crate::event::{Key, KeyKind, Scalar, Text};
use crate::json::canonical::keeps;
use crate::json::writer::Records;
use crate::json::{Order, Sorted};
use crate::limits::Limits;
use crate::options::Indent;
use crate::protocol::{Flow, Hints, LookAhead, Sink};
use crate::value::datetime::{DateTime, Offset};
use crate::value::{print, unix};
use crate::writer::scalars::decimal;
use crate::writer::{self, ENOUGH, Unwritable, make_room};

/// Which values the text has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// Strings, data, arrays and dictionaries.
    #[default]
    OpenStep,
    /// The same, and GNUstep's numbers, booleans and dates.
    GnuStep,
}

/// What a string stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum As {
    Key,
    /// A string, also if it reads like a number: then it has quotes, for readers that look for numbers.
    Text,
    /// Text of an unknown type, which may be a number.
    Untyped,
}

/// The options of a writer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WriterOptions {
    /// Which values the text has.
    pub form: Form,
    /// The white space for each level: a tab if nothing else is said, as Xcode writes it. None for everything on one
    /// line.
    pub indent: Option<Indent>,
    /// How the records follow one another: one is the document, or they are the elements of an array.
    pub records: Records,
    /// Writes a file of strings: a dictionary without braces, with all strings in quotes.
    pub strings: bool,
    /// Writes every character that is not ASCII as an escape.
    pub ascii: bool,
    /// The order of a dictionary's entries; none leaves it as it is.
    pub order: Option<Order>,
}

impl Default for WriterOptions {
    fn default() -> Self {
        WriterOptions {
            form: Form::default(),
            indent: Some(Indent::TAB),
            records: Records::default(),
            strings: false,
            ascii: false,
            order: None,
        }
    }
}

/// Writes text property lists.
///
/// ```
/// use penstock_core::limits::Limits;
/// use penstock_core::plist::text::writer::{Writer, WriterOptions};
/// use penstock_core::protocol::Sink;
/// use penstock_core::writer::Writer as _;
///
/// let options = WriterOptions { indent: None, ..WriterOptions::default() };
/// let mut writer = Writer::new(options, &Limits::default());
/// writer.begin_map(0)?;
/// writer.key("name".into(), 0)?;
/// writer.text("Vila Restal".into(), 0)?;
/// writer.key("age".into(), 0)?;
/// writer.int(35, 0)?;
/// writer.end_map(0)?;
/// writer.finish()?;
/// assert_eq!(writer.ready(), b"{name = \"Vila Restal\"; age = 35;}");
/// # Ok::<(), penstock_core::writer::Unwritable>(())
/// ```
#[derive(Debug)]
pub struct Writer {
    out: Vec<u8>,
    options: WriterOptions,
    /// How many containers may be open.
    deepest: usize,
    /// The most digits of a number.
    longest: usize,
    /// True for each open dictionary, false for each open array.
    open: Vec<bool>,
    /// How many of them are around the records.
    outer: usize,
    /// Whether nothing stands in the innermost open container yet.
    first: bool,
    /// Where the current record begins in `out`, and what `first` was there.
    record: usize,
    record_first: bool,
    records: u64,
    sorted: Option<Box<Sorted>>,
    isa: Chosen,
}

impl Writer {
    /// A writer at the beginning of its output.
    #[must_use]
    pub fn new(options: WriterOptions, limits: &Limits) -> Self {
        Writer {
            out: Vec::new(),
            sorted: options.order.map(|order| Box::new(Sorted::new(order, false))),
            options,
            deepest: limits.depth,
            longest: limits.number,
            open: Vec::new(),
            outer: 0,
            first: true,
            record: 0,
            record_first: true,
            records: 0,
            isa: Chosen::best(),
        }
    }

    /// Whether the entries at hand are those of a file of strings.
    fn is_at_strings(&self) -> bool {
        self.options.strings && self.open.len() == 1
    }

    /// The level of what stands in the innermost open container.
    fn level(&self) -> usize {
        self.open.len() - usize::from(self.options.strings && !self.open.is_empty())
    }

    /// A line feed and the indentation; nothing if all is on one line.
    fn line(&mut self) -> Result<(), Unwritable> {
        let level = self.level();
        let Some(indent) = self.options.indent else { return Ok(()) };
        make_room(&mut self.out, 1 + indent.width(level))?;
        indent.line(level, &mut self.out);
        Ok(())
    }

    fn push(&mut self, text: &[u8]) -> Result<(), Unwritable> {
        make_room(&mut self.out, text.len())?;
        self.out.extend_from_slice(text);
        Ok(())
    }

    /// Before a value: begins a record, or an element of an array.
    fn begin(&mut self, is_map: bool) -> Result<(), Unwritable> {
        if self.open.len() == self.outer {
            self.begin_record()?;
        }
        match self.open.last() {
            None if self.options.strings && !is_map => {
                Err(Unwritable::value("a file of strings is a dictionary"))
            }
            None | Some(true) => Ok(()),
            Some(false) => {
                if !std::mem::take(&mut self.first) {
                    let comma: &[u8] = if self.options.indent.is_none() { b", " } else { b"," };
                    self.push(comma)?;
                }
                self.line()
            }
        }
    }

    fn begin_record(&mut self) -> Result<(), Unwritable> {
        if !matches!(self.options.records, Records::Array(_)) {
            if self.records > 0 {
                return Err(Unwritable::value("a property list is one value"));
            }
        } else if self.outer == 0 {
            self.begin_outer()?;
        }
        (self.record, self.record_first) = (self.out.len(), self.first);
        Ok(())
    }

    /// Opens the array of the records, and the dictionaries around it.
    fn begin_outer(&mut self) -> Result<(), Unwritable> {
        let Records::Array(keys) = &self.options.records else { return Ok(()) };
        for key in keys.clone() {
            self.open(true)?;
            self.push_key(key.as_str().into())?;
        }
        self.open(false)?;
        self.outer = self.open.len();
        Ok(())
    }

    /// Opens a container, for which there is a place.
    fn open(&mut self, is_map: bool) -> Result<(), Unwritable> {
        if self.open.len() >= self.deepest {
            return Err(Unwritable::limit(format!(
                "more than {} maps and lists inside one another (limits.depth)",
                self.deepest
            )));
        }
        if !self.options.strings || !self.open.is_empty() {
            self.push(if is_map { b"{" } else { b"(" })?;
        } else if !is_map {
            return Err(Unwritable::value("a file of strings is a dictionary"));
        }
        self.open.try_reserve(1).map_err(|_| Unwritable::memory())?;
        self.open.push(is_map);
        self.first = true;
        Ok(())
    }

    /// Closes the innermost container.
    fn close(&mut self) -> Result<(), Unwritable> {
        let Some(is_map) = self.open.pop() else { return Ok(()) };
        if !self.options.strings || !self.open.is_empty() {
            if self.first {
                // Nothing stands in it.
            } else if self.options.indent.is_some() {
                self.line()?;
            } else if is_map {
                self.out.pop();
            }
            self.push(if is_map { b"}" } else { b")" })?;
        } else if self.first {
            // A file without a byte is none.
            self.push(b"\n")?;
        }
        self.first = false;
        Ok(())
    }

    /// After a value.
    fn end(&mut self) -> Result<Flow, Unwritable> {
        if self.open.len() == self.outer {
            self.records += 1;
            (self.record, self.record_first) = (self.out.len(), self.first);
        }
        self.end_entry()?;
        let pause = self.out.len() >= ENOUGH && self.sorted.as_ref().is_none_or(|it| it.is_empty());
        Ok(if pause { Flow::Pause } else { Flow::Take })
    }

    /// After a value, which may be that of an entry.
    fn end_entry(&mut self) -> Result<(), Unwritable> {
        if self.open.last() != Some(&true) {
            return Ok(());
        }
        let end: &[u8] = match self.options.indent {
            _ if self.is_at_strings() => b";\n",
            None => b"; ",
            _ => b";",
        };
        self.push(end)
    }

    fn push_key(&mut self, key: Text<'_>) -> Result<(), Unwritable> {
        self.first = false;
        if !self.is_at_strings() {
            self.line()?;
        }
        self.push_string(key, As::Key)?;
        self.push(b" = ")
    }

    /// A string in quotes, unless it needs none.
    fn push_string(&mut self, text: Text<'_>, what: As) -> Result<(), Unwritable> {
        let bytes = text.bytes();
        let bare = !bytes.is_empty()
            && match what {
                As::Key => is_bare(bytes),
                As::Text => is_bare(bytes) && !is_like_a_number(bytes),
                As::Untyped => is_bare(bytes) || is_like_a_number(bytes),
            };
        if bare && !self.options.strings {
            return self.push(bytes);
        }
        make_room(&mut self.out, bytes.len().saturating_add(2))?;
        self.out.push(b'"');
        let Writer { out, options, isa, .. } = self;
        isa.enter(Escape { text: text.text, ascii: options.ascii, out })?;
        self.push(b"\"")
    }

    /// Whether the form has numbers, and not only strings.
    pub(in crate::plist) fn has_numbers(&self) -> bool {
        self.options.form == Form::GnuStep
    }

    fn string(&mut self, text: Text<'_>, what: As) -> Result<Flow, Unwritable> {
        self.begin(false)?;
        self.push_string(text, what)?;
        self.end()
    }

    /// Text that another function writes, with at most [`print::LONGEST`] bytes.
    fn printed(&mut self, print: impl FnOnce(&mut Vec<u8>)) -> Result<Flow, Unwritable> {
        let mut text = Vec::with_capacity(print::LONGEST);
        print(&mut text);
        let text = String::from_utf8_lossy(&text);
        self.string(Text::from(&*text), As::Text)
    }

    /// A number: its digits, which are one for a reader of GNUstep with this letter.
    fn digits(&mut self, letter: u8, digits: &[u8]) -> Result<Flow, Unwritable> {
        self.begin(false)?;
        make_room(&mut self.out, digits.len().saturating_add(4))?;
        if self.options.form == Form::GnuStep {
            self.out.extend_from_slice(&[b'<', b'*', letter]);
            self.out.extend_from_slice(digits);
            self.out.push(b'>');
        } else {
            let quote = self.options.strings.then_some(b'"');
            self.out.extend(quote);
            // Foundation has no plus in strings without quotes, and it says nothing.
            self.out.extend(digits.iter().filter(|byte| **byte != b'+'));
            self.out.extend(quote);
        }
        self.end()
    }

    /// A number of another format.
    fn number_of(&mut self, digits: &[u8]) -> Result<Flow, Unwritable> {
        if self.options.form == Form::OpenStep {
            return self.digits(b'R', digits);
        }
        let text = std::str::from_utf8(digits).unwrap_or_default();
        if digits.iter().any(|byte| matches!(byte, b'.' | b'e' | b'E')) {
            return match text.parse::<f64>() {
                Ok(value) if value.is_finite() => self.digits(b'R', digits),
                _ => Err(Unwritable::value("a number beyond the range of a double")),
            };
        }
        if text.parse::<i64>().is_ok() || text.parse::<u64>().is_ok() {
            return self.digits(b'I', digits);
        }
        Err(Unwritable::value("a property list has integers from -2^63 to 2^64 - 1 only"))
    }

    /// Something that only GNUstep's form has.
    fn typed(&mut self, what: &str, text: &[u8]) -> Result<Flow, Unwritable> {
        if self.options.form == Form::OpenStep {
            let reason = format!("an OpenStep property list has no {what}");
            return Err(Unwritable::value(reason));
        }
        self.begin(false)?;
        self.push(text)?;
        self.end()
    }

    fn datetime(&mut self, value: DateTime) -> Result<Flow, Unwritable> {
        let mut value = value;
        value.time.offset.get_or_insert(Offset::Utc);
        let Some(value) = unix::in_utc(value) else {
            return Err(Unwritable::value("the date is not in the years 1 to 9999 in UTC"));
        };
        let mut text = b"<*D".to_vec();
        print::date(value.date, &mut text);
        text.push(b' ');
        let mut time = value.time;
        (time.microsecond, time.offset) = (0, None);
        print::time(time, &mut text);
        text.extend_from_slice(b" +0000>");
        self.typed("dates", &text)
    }

    fn bytes(&mut self, bytes: &[u8]) -> Result<Flow, Unwritable> {
        self.begin(false)?;
        // More than either of the two forms needs.
        make_room(&mut self.out, bytes.len().saturating_mul(3).saturating_add(8))?;
        if self.options.form == Form::GnuStep {
            self.out.extend_from_slice(b"<[");
            print::base64(bytes, &mut self.out);
            self.out.extend_from_slice(b"]>");
        } else {
            self.out.push(b'<');
            for (place, group) in bytes.chunks(4).enumerate() {
                if place > 0 {
                    self.out.push(b' ');
                }
                print::hex(group, &mut self.out);
            }
            self.out.push(b'>');
        }
        self.end()
    }

    /// How much of the text may be taken.
    fn fixed(&self) -> usize {
        match self.sorted.as_ref().and_then(|sorted| sorted.outermost()) {
            Some(begin) => begin,
            // The space before the next entry, which may not come.
            None if self.open.last() == Some(&true) => self.out.len().saturating_sub(1),
            None => self.out.len(),
        }
    }
}

/// The bytes that stand in strings without quotes, for all readers that there are.
static BARE: [bool; 256] = {
    let mut bare = [false; 256];
    let mut byte = 0;
    while byte < 128 {
        bare[byte] =
            (byte as u8).is_ascii_alphanumeric() || matches!(byte as u8, b'_' | b'$' | b'.');
        byte += 1;
    }
    bare
};

fn is_bare(text: &[u8]) -> bool {
    text.iter().all(|byte| BARE[usize::from(*byte)])
}

/// Whether a reader that looks for numbers may take a string without quotes for one.
fn is_like_a_number(text: &[u8]) -> bool {
    let text = text.strip_prefix(b"-").unwrap_or(text);
    let digits = |text: &[u8]| text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let whole = digits(text);
    let point = usize::from(text.get(whole) == Some(&b'.'));
    let fraction = digits(&text[whole + point..]);
    let rest = &text[whole + point + fraction..];
    let exponent = match rest {
        [] => true,
        [b'e' | b'E', power @ ..] => !power.is_empty() && digits(power) == power.len(),
        _ => false,
    };
    whole + fraction > 0 && exponent
}

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
            // For the run and an escape.
            make_room(out, run.as_bytes().len() + 4)?;
            if ascii && (!end.ascii || memchr(0x7F, run.as_bytes()).is_some()) {
                escape_all(run.as_str(), out)?;
                make_room(out, 4)?;
            } else {
                out.extend_from_slice(run.as_bytes());
            }
            let Some(&byte) = bytes.get(end.at) else { return Ok(()) };
            escape(byte, out);
            at = end.at + 1;
        }
    }
}

/// The escape of a byte that does not stand for itself, and a tab, which does. The buffer has room for four bytes.
fn escape(byte: u8, out: &mut Vec<u8>) {
    let letter = match byte {
        b'"' | b'\\' => byte,
        b'\t' => {
            out.push(byte);
            return;
        }
        0x07 => b'a',
        0x08 => b'b',
        b'\n' => b'n',
        0x0B => b'v',
        0x0C => b'f',
        b'\r' => b'r',
        // Three digits, because others may follow.
        _ => {
            out.extend_from_slice(&[
                b'\\',
                b'0' + (byte >> 6),
                b'0' + (byte >> 3 & 7),
                b'0' + (byte & 7),
            ]);
            return;
        }
    };
    out.extend_from_slice(&[b'\\', letter]);
}

/// Text whose characters that are not ASCII become escapes of UTF-16 units.
#[cold]
#[inline(never)]
fn escape_all(text: &str, out: &mut Vec<u8>) -> Result<(), Unwritable> {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    for char in text.chars() {
        make_room(out, 12)?;
        if char == '\u{7f}' {
            escape(0x7F, out);
        } else if char.is_ascii() {
            out.push(char as u8);
        } else {
            for unit in char.encode_utf16(&mut [0; 2]) {
                out.extend_from_slice(b"\\U");
                let digit = |shift: u16| DIGITS[usize::from(*unit >> shift & 15)];
                out.extend([digit(12), digit(8), digit(4), digit(0)]);
            }
        }
    }
    Ok(())
}

impl writer::Writer for Writer {
    fn ready(&self) -> &[u8] {
        &self.out[..self.fixed()]
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
        if self.open.len() > self.outer {
            return Err(Unwritable::value("the last record is not complete"));
        }
        if matches!(self.options.records, Records::Array(_)) {
            if self.outer == 0 {
                self.begin_outer()?;
            }
            self.outer = 0;
            while !self.open.is_empty() {
                self.close()?;
                self.end_entry()?;
            }
        } else if self.records == 0 {
            return Err(Unwritable::value("there is no value to write"));
        }
        if self.options.strings || self.options.indent.is_none() {
            return Ok(());
        }
        self.push(b"\n")
    }
    fn reopen(&mut self) {
        self.out.clear();
        self.open.clear();
        (self.outer, self.first, self.record, self.record_first) = (0, true, 0, true);
        self.records = 0;
        if let Some(sorted) = &mut self.sorted {
            sorted.clear();
        }
    }
    fn records(&self) -> u64 {
        self.records
    }
    fn beside(&self) -> Option<Self> {
        if self.outer == 0 || self.records == 0 {
            return None;
        }
        let sorted = self.options.order.map(|order| Sorted::new(order, false));
        let Writer { deepest, longest, outer, records, isa, .. } = *self;
        Some(Writer {
            out: Vec::new(),
            options: self.options.clone(),
            deepest,
            longest,
            open: self.open[..outer].to_vec(),
            outer,
            first: false,
            record: 0,
            record_first: false,
            records,
            sorted: sorted.map(Box::new),
            isa,
        })
    }
    fn pass(&mut self, records: u64) {
        self.records += records;
    }
    fn word(&mut self, text: &str, is_number: bool) -> Result<Flow, Unwritable> {
        self.string(text.into(), if is_number { As::Untyped } else { As::Text })
    }
}

impl Sink for Writer {
    type Error = Unwritable;

    fn begin_map(&mut self, _at: u64) -> Result<Flow, Unwritable> {
        self.begin(true)?;
        self.open(true)?;
        if let Some(sorted) = &mut self.sorted {
            sorted.begin(self.out.len())?;
        }
        Ok(Flow::Take)
    }
    fn end_map(&mut self, _at: u64) -> Result<Flow, Unwritable> {
        if let Some(sorted) = &mut self.sorted {
            sorted.end(&mut self.out)?;
        }
        self.close()?;
        self.end()
    }
    fn begin_list(&mut self, _at: u64) -> Result<Flow, Unwritable> {
        self.begin(false)?;
        self.open(false)?;
        Ok(Flow::Take)
    }
    fn end_list(&mut self, _at: u64) -> Result<Flow, Unwritable> {
        self.close()?;
        self.end()
    }
    fn name(&mut self, key: Key<'_>, at: u64) -> Result<Flow, Unwritable> {
        if key.kind == KeyKind::Member {
            return self.key(key.name, at);
        }
        let at_sign = if key.kind == KeyKind::Attribute { "@" } else { "" };
        let colon = if key.prefix.is_some() { ":" } else { "" };
        let prefix = key.prefix.map_or("", |prefix| prefix.text.as_str());
        let name = format!("{at_sign}{prefix}{colon}{}", key.name.text.as_str());
        self.key(name.as_str().into(), at)
    }
    fn key(&mut self, key: Text<'_>, _at: u64) -> Result<Flow, Unwritable> {
        if let Some(sorted) = &mut self.sorted {
            sorted.key(key, self.out.len())?;
        }
        self.push_key(key)?;
        Ok(Flow::Take)
    }
    fn scalar(&mut self, value: Scalar<'_>, at: u64) -> Result<Flow, Unwritable> {
        match value {
            Scalar::Null => Err(Unwritable::value("a property list has no null")),
            Scalar::Bool(true) => self.typed("booleans", b"<*BY>"),
            Scalar::Bool(false) => self.typed("booleans", b"<*BN>"),
            Scalar::Int(value) => self.digits(b'I', itoa::Buffer::new().format(value).as_bytes()),
            Scalar::Float(value) if value.is_finite() => {
                let mut digits = Vec::with_capacity(print::LONGEST);
                print::float(value, &mut digits);
                self.digits(b'R', &digits)
            }
            Scalar::Float(value) if value.is_nan() => self.typed("number for NaN", b"<*Rnan>"),
            Scalar::Float(value) if value > 0.0 => self.typed("number for infinity", b"<*Rinf>"),
            Scalar::Float(_) => self.typed("number for -infinity", b"<*R-inf>"),
            Scalar::Number(digits) => self.number_of(digits),
            // Text without a type is read as that of XML, which has no exponents.
            Scalar::Decimal(digits) if self.options.form == Form::OpenStep => {
                let mut plain = Vec::new();
                decimal(digits, self.longest, &mut plain)?;
                self.digits(b'R', &plain)
            }
            Scalar::Decimal(digits) if keeps(digits) => self.digits(b'R', digits),
            Scalar::Decimal(_) => {
                let reason = "a decimal number that no double holds: write it as text";
                Err(Unwritable::value(reason))
            }
            Scalar::Text(text) => self.string(text, As::Text),
            Scalar::Untyped(text) => self.string(text, As::Untyped),
            Scalar::Bytes(bytes) => self.bytes(bytes),
            Scalar::DateTime(value) => self.datetime(value),
            Scalar::Since2001(seconds) => match unix::since_2001(seconds) {
                Ok(value) => self.datetime(value),
                Err(_) => Err(Unwritable::value(format!(
                    "{seconds:?} seconds since 2001 are no date that can be written"
                ))),
            },
            Scalar::Date(date) => self.printed(|out| print::date(date, out)),
            Scalar::Time(time) => self.printed(|out| print::time(time, out)),
            Scalar::Duration(value) => self.printed(|out| print::duration(value, out)),
            Scalar::Uuid(bytes) => self.printed(|out| print::uuid(bytes, out)),
            // As Apple's own conversion of property lists writes it.
            Scalar::Uid(value) => {
                self.begin_map(at)?;
                self.key("CF$UID".into(), at)?;
                self.digits(b'I', itoa::Buffer::new().format(value).as_bytes())?;
                self.end_map(at)
            }
        }
    }
    fn piece(&mut self, _text: Text<'_>, _at: u64) -> Result<Flow, Unwritable> {
        Err(Unwritable::value("a property list has no place for text between elements"))
    }
    fn abandon(&mut self) {
        self.out.truncate(self.record);
        self.open.truncate(self.outer);
        self.first = self.record_first;
        if let Some(sorted) = &mut self.sorted {
            sorted.clear();
        }
    }
}

impl Hints for Writer {}

impl LookAhead for Writer {}
