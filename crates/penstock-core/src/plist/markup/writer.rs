//! The writer of property lists as XML, in Apple's layout, as `plistlib` writes it too: a line for
//! each element, indented by tabs.
//!
//! For whoever changes it. The text grows at the end of one buffer. A container's tag is not closed
//! before its first value or its end, because an empty one is `<dict/>`. With an order of keys the
//! members of each open dictionary are noted, and put in order at its end; the text of a dictionary
//! is not taken before that.

use penstock_scan::Chosen;

use super::escape;
use crate::event::{Key, KeyKind, Scalar, Text};
use crate::json::canonical::keeps;
use crate::json::{Order, Sorted};
use crate::limits::Limits;
use crate::protocol::{Flow, Hints, LookAhead, Sink, Want};
use crate::value::datetime::{DateTime, Offset};
use crate::value::{print, unix};
use crate::writer::{self, ENOUGH, Unwritable, make_room};

const HEADER: &[u8] = b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>
<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \
\"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">
<plist version=\"1.0\">
";

/// The length of lines with base64, in which a tab counts for eight.
const LINE: usize = 76;
const TAB: usize = 8;

/// Writes XML.
#[derive(Debug)]
pub struct Writer {
    out: Vec<u8>,
    /// How many dictionaries and arrays may be open.
    deepest: usize,
    place: Place,
    /// Where the current record begins.
    mark: Mark,
    records: u64,
    sorted: Option<Box<Sorted>>,
    isa: Chosen,
}

/// Where the writer stands.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    /// Whether there is a value, and so what is before it.
    begun: bool,
    depth: usize,
    /// Whether the tag of the innermost container has no `>` yet.
    open_tag: bool,
}

#[derive(Clone, Copy, Debug, Default)]
struct Mark {
    length: usize,
    place: Place,
}

impl Writer {
    /// A writer at the beginning of its output.
    #[must_use]
    pub fn new(limits: &Limits) -> Self {
        Writer {
            out: Vec::new(),
            deepest: limits.depth,
            place: Place::default(),
            mark: Mark::default(),
            records: 0,
            sorted: None,
            isa: Chosen::best(),
        }
    }

    /// The same, with the keys of dictionaries in order.
    #[must_use]
    pub fn sorting(mut self) -> Self {
        self.sorted = Some(Box::new(Sorted::new(Order::CodePoints, false)));
        self
    }

    /// The next event belongs to a new record, and [`abandon`](Sink::abandon) leaves what is
    /// written so far.
    #[inline]
    pub fn mark(&mut self) {
        self.mark = Mark { length: self.out.len(), place: self.place };
        if let Some(sorted) = &mut self.sorted {
            // What is open is around the records, and is not put in order.
            sorted.clear();
        }
    }

    /// A writer that goes on as this one, without its text.
    pub(in crate::plist) fn beside(&self) -> Self {
        let place = self.mark.place;
        let beside = Writer {
            out: Vec::new(),
            deepest: self.deepest,
            place,
            mark: Mark { length: 0, place },
            records: self.records,
            sorted: None,
            isa: self.isa,
        };
        if self.sorted.is_some() { beside.sorting() } else { beside }
    }

    /// Before an element: closes the tag around it, and indents. Makes room for that and for
    /// `more` bytes.
    #[inline(always)]
    fn begin(&mut self, more: usize) -> Result<(), Unwritable> {
        if !self.place.begun {
            self.begin_document()?;
        }
        let depth = self.place.depth;
        make_room(&mut self.out, depth + more + 2)?;
        if self.place.open_tag {
            self.place.open_tag = false;
            self.out.extend_from_slice(b">\n");
        }
        self.indent(depth);
        Ok(())
    }

    /// There is room.
    #[inline(always)]
    fn indent(&mut self, depth: usize) {
        const TABS: &[u8; 16] = &[b'\t'; 16];
        match TABS.get(..depth) {
            Some(tabs) => self.out.extend_from_slice(tabs),
            None => self.out.resize(self.out.len() + depth, b'\t'),
        }
    }

    #[cold]
    #[inline(never)]
    fn begin_document(&mut self) -> Result<(), Unwritable> {
        if self.records > 0 {
            return Err(Unwritable::value("a property list is one value"));
        }
        make_room(&mut self.out, HEADER.len())?;
        self.out.extend_from_slice(HEADER);
        self.place.begun = true;
        Ok(())
    }

    /// After a value.
    #[inline(always)]
    fn end(&mut self) -> Result<Flow, Unwritable> {
        if self.place.depth == 0 {
            self.records += 1;
            self.place.begun = false;
        }
        let pause = self.out.len() >= ENOUGH && self.sorted.as_ref().is_none_or(|it| it.is_empty());
        Ok(if pause { Flow::Pause } else { Flow::Take })
    }

    /// A value whose text needs no escape and at most [`print::LONGEST`] bytes.
    #[inline(always)]
    fn short(
        &mut self,
        begin: &[u8],
        print: impl FnOnce(&mut Vec<u8>),
        end: &[u8],
    ) -> Result<Flow, Unwritable> {
        self.begin(begin.len() + print::LONGEST + end.len())?;
        self.out.extend_from_slice(begin);
        print(&mut self.out);
        self.out.extend_from_slice(end);
        self.end()
    }

    /// An element with text.
    #[inline(always)]
    fn element(&mut self, begin: &[u8], text: Text<'_>, end: &[u8]) -> Result<(), Unwritable> {
        self.begin(begin.len())?;
        self.out.extend_from_slice(begin);
        escape::text(self.isa, text.text, end.len(), &mut self.out)?;
        self.out.extend_from_slice(end);
        Ok(())
    }

    #[inline(always)]
    fn begin_container(&mut self, tag: &[u8]) -> Result<Flow, Unwritable> {
        if self.place.depth == self.deepest {
            return Err(self.too_deep());
        }
        self.begin(tag.len())?;
        self.out.extend_from_slice(tag);
        self.place.depth += 1;
        self.place.open_tag = true;
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
    fn end_container(&mut self, tag: &[u8]) -> Result<Flow, Unwritable> {
        let Some(depth) = self.place.depth.checked_sub(1) else { return Err(unordered()) };
        self.place.depth = depth;
        make_room(&mut self.out, depth + tag.len())?;
        if std::mem::take(&mut self.place.open_tag) {
            self.out.extend_from_slice(b"/>\n");
        } else {
            self.indent(depth);
            self.out.extend_from_slice(tag);
        }
        self.end()
    }

    /// An instant, to the second. A time without an offset is taken to be in UTC.
    fn instant(&mut self, value: DateTime) -> Result<Flow, Unwritable> {
        let in_utc = match value.time.offset {
            None | Some(Offset::Utc | Offset::Minutes(0)) => Some(value),
            Some(_) => unix::in_utc(value),
        };
        let Some(DateTime { date, mut time }) = in_utc else {
            return Err(Unwritable::value("the date is not in the years 1 to 9999 in UTC"));
        };
        (time.microsecond, time.offset) = (0, None);
        self.short(
            b"<date>",
            |out| {
                print::datetime(DateTime { date, time }, out);
                out.push(b'Z');
            },
            b"</date>\n",
        )
    }

    fn bytes(&mut self, bytes: &[u8]) -> Result<Flow, Unwritable> {
        let depth = self.place.depth;
        let line = LINE.saturating_sub(depth.saturating_mul(TAB)).max(16) / 4 * 3;
        let lines = bytes.len().div_ceil(line).saturating_add(2);
        let room = lines.saturating_mul(depth + 1).saturating_add(bytes.len().div_ceil(3) * 4 + 16);
        self.begin(room)?;
        self.out.extend_from_slice(b"<data>\n");
        for part in bytes.chunks(line) {
            self.indent(depth);
            print::base64(part, &mut self.out);
            self.out.push(b'\n');
        }
        self.indent(depth);
        self.out.extend_from_slice(b"</data>\n");
        self.end()
    }

    /// A number as its digits, or one of the words of JavaScript for a double that is none.
    fn digits(&mut self, digits: &[u8]) -> Result<Flow, Unwritable> {
        match digits {
            b"NaN" => return self.real(f64::NAN),
            b"Infinity" => return self.real(f64::INFINITY),
            b"-Infinity" => return self.real(f64::NEG_INFINITY),
            _ => {}
        }
        let text = std::str::from_utf8(digits).unwrap_or_default();
        if digits.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'-')) {
            let value = text.parse().ok().filter(|value: &i128| {
                (i128::from(i64::MIN)..=i128::from(u64::MAX)).contains(value)
            });
            let Some(value) = value else {
                let reason = "a property list has integers from -2^63 to 2^64 - 1 only";
                return Err(Unwritable::value(reason));
            };
            let mut buffer = itoa::Buffer::new();
            let digits = buffer.format(value);
            let print = |out: &mut Vec<u8>| out.extend_from_slice(digits.as_bytes());
            return self.short(b"<integer>", print, b"</integer>\n");
        }
        match text.parse() {
            Ok(value) if f64::is_finite(value) => self.real(value),
            Ok(_) => Err(Unwritable::value("a number beyond the range of a double")),
            Err(_) => Err(Unwritable::value("these digits are no number")),
        }
    }

    #[inline(always)]
    fn real(&mut self, value: f64) -> Result<Flow, Unwritable> {
        let print = |out: &mut Vec<u8>| match value {
            _ if value.is_finite() => print::float(value, out),
            _ if value.is_nan() => out.extend_from_slice(b"nan"),
            _ if value > 0.0 => out.extend_from_slice(b"inf"),
            _ => out.extend_from_slice(b"-inf"),
        };
        self.short(b"<real>", print, b"</real>\n")
    }

    /// A value for which a property list has only strings.
    fn word(&mut self, print: impl FnOnce(&mut Vec<u8>)) -> Result<Flow, Unwritable> {
        self.short(b"<string>", print, b"</string>\n")
    }

    #[inline(always)]
    fn push_key(&mut self, key: Text<'_>) -> Result<Flow, Unwritable> {
        if let Some(sorted) = &mut self.sorted {
            // The member begins behind the tag of the dictionary.
            let behind = if self.place.open_tag { 2 } else { 0 };
            sorted.key(key, self.out.len() + behind)?;
        }
        self.element(b"<key>", key, b"</key>\n")?;
        Ok(Flow::Take)
    }

    /// How much of the text may be taken.
    fn fixed(&self) -> usize {
        let sorted = self.sorted.as_ref().and_then(|sorted| sorted.outermost());
        sorted.map_or(self.out.len(), |begin| begin.min(self.out.len()))
    }
}

/// An event that no reader reports here.
#[cold]
fn unordered() -> Unwritable {
    Unwritable::value("nothing is open that could end")
}

impl writer::Writer for Writer {
    fn ready(&self) -> &[u8] {
        &self.out[..self.fixed()]
    }
    fn taken(&mut self) {
        let fixed = self.fixed();
        self.out.drain(..fixed);
        self.mark.length = self.mark.length.saturating_sub(fixed);
        if let Some(sorted) = &mut self.sorted {
            sorted.shift(fixed);
        }
    }
    fn finish(&mut self) -> Result<(), Unwritable> {
        const END: &[u8] = b"</plist>\n";
        if self.place.depth > 0 {
            return Err(Unwritable::value("the last record is not complete"));
        }
        if self.records == 0 {
            return Err(Unwritable::value("there is no value to write"));
        }
        make_room(&mut self.out, END.len())?;
        self.out.extend_from_slice(END);
        self.mark();
        Ok(())
    }
    fn reopen(&mut self) {
        self.out.clear();
        (self.place, self.mark, self.records) = (Place::default(), Mark::default(), 0);
        if let Some(sorted) = &mut self.sorted {
            sorted.clear();
        }
    }
    fn records(&self) -> u64 {
        self.records
    }
}

impl Sink for Writer {
    type Error = Unwritable;

    #[inline(always)]
    fn begin_map(&mut self, _at: u64) -> Result<Flow, Unwritable> {
        let flow = self.begin_container(b"<dict")?;
        if let Some(sorted) = &mut self.sorted {
            sorted.begin(self.out.len() + 2)?;
        }
        Ok(flow)
    }
    #[inline(always)]
    fn end_map(&mut self, _at: u64) -> Result<Flow, Unwritable> {
        if let Some(sorted) = &mut self.sorted {
            sorted.end(&mut self.out)?;
        }
        self.end_container(b"</dict>\n")
    }
    #[inline(always)]
    fn begin_list(&mut self, _at: u64) -> Result<Flow, Unwritable> {
        self.begin_container(b"<array")
    }
    #[inline(always)]
    fn end_list(&mut self, _at: u64) -> Result<Flow, Unwritable> {
        self.end_container(b"</array>\n")
    }
    fn name(&mut self, key: Key<'_>, at: u64) -> Result<Flow, Unwritable> {
        if key.kind == KeyKind::Member {
            return self.key(key.name, at);
        }
        let at = if key.kind == KeyKind::Attribute { "@" } else { "" };
        let colon = if key.prefix.is_some() { ":" } else { "" };
        let prefix = key.prefix.map_or("", |prefix| prefix.text.as_str());
        let name = format!("{at}{prefix}{colon}{}", key.name.text.as_str());
        self.push_key(name.as_str().into())
    }
    #[inline(always)]
    fn key(&mut self, key: Text<'_>, _at: u64) -> Result<Flow, Unwritable> {
        self.push_key(key)
    }
    fn scalar(&mut self, value: Scalar<'_>, at: u64) -> Result<Flow, Unwritable> {
        match value {
            Scalar::Null => Err(Unwritable::value("a property list has no null")),
            Scalar::Bool(true) => self.short(b"<true/>\n", |_| {}, b""),
            Scalar::Bool(false) => self.short(b"<false/>\n", |_| {}, b""),
            Scalar::Int(value) => self.int(value, at),
            Scalar::Float(value) => self.real(value),
            Scalar::Number(digits) => self.digits(digits),
            Scalar::Decimal(digits) if keeps(digits) => match std::str::from_utf8(digits) {
                Ok(digits) => self.real(digits.parse().unwrap_or(f64::NAN)),
                Err(_) => Err(Unwritable::value("these digits are no number")),
            },
            Scalar::Decimal(_) => {
                let reason = "a decimal number that no double holds: write it as text";
                Err(Unwritable::value(reason))
            }
            Scalar::Text(text) | Scalar::Untyped(text) => self.text(text, at),
            Scalar::Bytes(bytes) => self.bytes(bytes),
            Scalar::Date(date) => self.word(|out| print::date(date, out)),
            Scalar::Time(time) => self.word(|out| print::time(time, out)),
            Scalar::DateTime(value) => self.instant(value),
            Scalar::Since2001(seconds) => match unix::since_2001(seconds) {
                Ok(value) => self.instant(value),
                Err(_) => Err(Unwritable::value(format!(
                    "{seconds} seconds since 2001 are no date that can be written"
                ))),
            },
            Scalar::Duration(value) => self.word(|out| print::duration(value, out)),
            Scalar::Uuid(bytes) => self.word(|out| print::uuid(bytes, out)),
            Scalar::Uid(value) => {
                self.begin_map(at)?;
                self.key("CF$UID".into(), at)?;
                self.short(b"<integer>", |out| print::uint(value, out), b"</integer>\n")?;
                self.end_map(at)
            }
        }
    }
    fn piece(&mut self, _text: Text<'_>, _at: u64) -> Result<Flow, Unwritable> {
        Err(Unwritable::value("a property list has no place for text between elements"))
    }
    /// Forgets what was written since the [mark](Writer::mark), as far as it was not taken.
    fn abandon(&mut self) {
        let Mark { length, place } = self.mark;
        self.out.truncate(length);
        self.place = place;
        if let Some(sorted) = &mut self.sorted {
            sorted.clear();
        }
    }
    #[inline(always)]
    fn int(&mut self, value: i64, _at: u64) -> Result<Flow, Unwritable> {
        self.short(b"<integer>", |out| print::int(value, out), b"</integer>\n")
    }
    #[inline(always)]
    fn float(&mut self, value: f64, _at: u64) -> Result<Flow, Unwritable> {
        self.real(value)
    }
    #[inline(always)]
    fn number(&mut self, digits: &[u8], _at: u64) -> Result<Flow, Unwritable> {
        self.digits(digits)
    }
    #[inline(always)]
    fn text(&mut self, text: Text<'_>, _at: u64) -> Result<Flow, Unwritable> {
        self.element(b"<string>", text, b"</string>\n")?;
        self.end()
    }
}

impl Hints for Writer {
    fn want(&self) -> Want {
        Want::Native
    }
}

impl LookAhead for Writer {}
