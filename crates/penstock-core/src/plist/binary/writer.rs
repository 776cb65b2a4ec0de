//! The writer of binary property lists.
//!
//! # For maintainers
//!
//! A *scalar* is encoded once, as it will stand in the file. What becomes of a container depends on the form:
//!
//! *Whole.* Nothing is written before the end. Scalars and containers have numbers of their own; both are stored once
//! if they are equal, containers by the numbers of their members, so comparing them takes no longer than writing them.
//! At the end, everything that the root leads to is numbered in the order in which other writers do it: a container
//! before its members, all keys of a map before its values.
//!
//! *Streamed.* Every object is written when it is complete, so a container stands behind its members, and the root is
//! the last object. References have four bytes. The writer keeps the offsets of all objects, the references of open
//! containers, and a table of short objects that bounds how many equal ones are found.

use super::encode::{
    self, DICT, LONGEST_MARK, Mark, in_order, push, push_all, to_utf16, too_many, width_of,
};
use super::table::{Hash, Members, Recent};
use super::whole::{CONTAINER, Whole};
use crate::event::{Container, ContainerKind, Key, KeyKind, Scalar, Text};
use crate::json;
use crate::json::canonical::keeps;
use crate::limits::Limits;
use crate::protocol::{Flow, Hints, LookAhead, Sink, Want};
use crate::value::datetime::{DateTime, Offset};
use crate::value::{print, unix};
use crate::writer::{self, ENOUGH, Unwritable, make_room};

/// The options of a writer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WriterOptions {
    /// The records are the elements of an array, which stands inside of dictionaries with these
    /// keys, outermost first. None if there is one value.
    pub records: Option<Vec<String>>,
    /// Puts the members of each dictionary in the order of their keys.
    pub sort_keys: bool,
    /// Writes objects as they come, and keeps little of them in memory. Fewer equal objects are
    /// found, and references are longer.
    pub stream: bool,
}

impl WriterOptions {
    /// Records at a path, as `at` of a reader would find them: `"data/rows/*"`.
    ///
    /// # Errors
    /// The path has no `*` at its end, or another step than keys before it.
    pub fn at(mut self, path: &str) -> Result<Self, Unwritable> {
        let records = json::writer::Records::at(path).map_err(|error| {
            let whose = "the records of a property list";
            Unwritable::value(error.reason().replace("records of JSON", whose))
        });
        self.records = match records? {
            json::writer::Records::Array(keys) => Some(keys),
            _ => None,
        };
        Ok(self)
    }
}

/// An open container.
#[derive(Clone, Copy, Debug)]
struct Open {
    /// The high half of its marker.
    high: u8,
    /// Where its members begin.
    members: usize,
    /// Where the names of its members begin.
    names: usize,
    hash: Members,
}

const ARRAY: u8 = 0xA0;
const SET: u8 = 0xC0;

/// Writes a binary property list.
#[derive(Debug)]
pub struct Writer {
    out: Vec<u8>,
    options: WriterOptions,
    deepest: usize,
    open: Vec<Open>,
    /// How many of them are around the records.
    around: usize,
    /// The objects of open containers, those of maps after their keys.
    members: Vec<u32>,
    /// With `sort_keys`: the names of the members of open maps, one after the other, and their ends.
    names: Vec<u8>,
    ends: Vec<usize>,
    /// The next list is a set.
    is_set: bool,
    /// A string as UTF-16.
    units: Vec<u8>,
    records: u64,
    /// The root, once it is complete.
    root: Option<u32>,
    finished: bool,
    hash: Hash,
    whole: Whole,
    stream: Stream,
}

/// What is known of a file that is partly written.
#[derive(Debug, Default)]
struct Stream {
    /// Where each object begins.
    offsets: Vec<u64>,
    /// How many bytes were taken.
    taken: u64,
    recent: Recent,
    scalar: Vec<u8>,
    /// How many objects there were before the current record, and where it begins in the text.
    objects: usize,
    record: usize,
}

impl Writer {
    /// A writer at the beginning of its output.
    #[must_use]
    pub fn new(options: WriterOptions, limits: &Limits) -> Self {
        Writer {
            out: Vec::new(),
            options,
            deepest: limits.depth,
            open: Vec::new(),
            around: 0,
            members: Vec::new(),
            names: Vec::new(),
            ends: Vec::new(),
            is_set: false,
            units: Vec::new(),
            records: 0,
            root: None,
            finished: false,
            hash: Hash::new(),
            whole: Whole::default(),
            stream: Stream::default(),
        }
    }

    /// Before the first record: the header, and what is around the records.
    #[cold]
    #[inline(never)]
    fn start(&mut self) -> Result<(), Unwritable> {
        make_room(&mut self.out, HEADER.len())?;
        self.out.extend_from_slice(HEADER);
        if let Some(keys) = self.options.records.take() {
            for key in &keys {
                self.open(DICT)?;
                self.push_key(key.as_str().into())?;
            }
            self.open(ARRAY)?;
            self.around = keys.len() + 1;
            self.options.records = Some(keys);
        }
        self.mark_record();
        Ok(())
    }

    /// Before a value.
    #[inline(always)]
    fn begin(&mut self) -> Result<(), Unwritable> {
        if self.open.len() <= self.around { self.begin_record() } else { Ok(()) }
    }

    #[inline(never)]
    fn begin_record(&mut self) -> Result<(), Unwritable> {
        if self.root.is_some() {
            return Err(Unwritable::value("a property list is one value"));
        }
        if self.out.is_empty() && self.stream.taken == 0 { self.start() } else { Ok(()) }
    }

    /// The current record begins here.
    fn mark_record(&mut self) {
        self.stream.objects = self.stream.offsets.len();
        self.stream.record = self.out.len();
    }

    /// After a value, which has this number.
    #[inline(always)]
    fn end(&mut self, number: u32) -> Result<Flow, Unwritable> {
        if self.open.is_empty() {
            self.root = Some(number);
        } else {
            self.push_member(number)?;
        }
        if self.open.len() <= self.around {
            self.records += 1;
            self.mark_record();
        }
        let pause = self.options.stream && self.out.len() >= ENOUGH;
        Ok(if pause { Flow::Pause } else { Flow::Take })
    }

    /// A member of the innermost container, or a key.
    #[inline(always)]
    fn push_member(&mut self, number: u32) -> Result<(), Unwritable> {
        push(&mut self.members, number)?;
        if let Some(open) = self.open.last_mut() {
            open.hash = self.hash.with(open.hash, number);
        }
        Ok(())
    }

    fn open(&mut self, high: u8) -> Result<(), Unwritable> {
        if self.open.len() >= self.deepest + self.around {
            return Err(self.too_deep());
        }
        let (members, names) = (self.members.len(), self.ends.len());
        push(&mut self.open, Open { high, members, names, hash: self.hash.begin(high) })
    }

    #[cold]
    fn too_deep(&self) -> Unwritable {
        Unwritable::limit(format!(
            "more than {} maps and lists inside one another (limits.depth)",
            self.deepest
        ))
    }

    /// The innermost container is complete: its number.
    fn close(&mut self) -> Result<u32, Unwritable> {
        let Some(mut open) = self.open.pop() else {
            return Err(Unwritable::value("no container is open"));
        };
        if open.high == DICT && self.options.sort_keys {
            self.sort(&mut open)?;
        }
        let number = if self.options.stream {
            self.write_container(open)?
        } else {
            self.whole.container(open.hash.hash(), open.high, &self.members[open.members..])?
        };
        self.members.truncate(open.members);
        Ok(number)
    }

    /// Puts the members of a map in the order of their keys.
    #[cold]
    fn sort(&mut self, open: &mut Open) -> Result<(), Unwritable> {
        let begin = |name: usize| if name == 0 { 0 } else { self.ends[name - 1] };
        let name = |name: usize| &self.names[begin(name)..self.ends[name]];
        let mut order = Vec::new();
        for place in open.names..self.ends.len() {
            push(&mut order, place)?;
        }
        order.sort_by(|one, other| name(*one).cmp(name(*other)));
        let mut sorted = Vec::new();
        for place in order {
            let member = open.members + 2 * (place - open.names);
            for number in &self.members[member..member + 2] {
                push(&mut sorted, *number)?;
            }
        }
        let begin_hash = self.hash.begin(open.high);
        open.hash = sorted.iter().fold(begin_hash, |hash, number| self.hash.with(hash, *number));
        self.members[open.members..].copy_from_slice(&sorted);
        self.names.truncate(begin(open.names));
        self.ends.truncate(open.names);
        Ok(())
    }

    /// A key of the innermost map.
    #[inline(always)]
    fn push_key(&mut self, key: Text<'_>) -> Result<(), Unwritable> {
        if self.options.sort_keys {
            self.note_name(key.bytes())?;
        }
        let bytes = key.bytes();
        let number = if key.ascii || bytes.is_ascii() {
            self.key_number(Mark::counted(0x50, bytes.len()), bytes)?
        } else {
            let mut units = std::mem::take(&mut self.units);
            to_utf16(key.text.as_str(), &mut units)?;
            let number = self.key_number(Mark::counted(0x60, units.len() / 2), &units)?;
            self.units = units;
            number
        };
        self.push_member(number)
    }

    #[inline(always)]
    fn key_number(&mut self, mark: Mark, key: &[u8]) -> Result<u32, Unwritable> {
        if self.options.stream {
            self.write_scalar(true, mark, key)
        } else {
            self.whole.key(self.hash, mark, key)
        }
    }

    #[cold]
    fn note_name(&mut self, name: &[u8]) -> Result<(), Unwritable> {
        make_room(&mut self.names, name.len())?;
        self.names.extend_from_slice(name);
        push(&mut self.ends, self.names.len())
    }

    /// A scalar: what stands before its bytes, and these.
    #[inline(always)]
    fn put(&mut self, mark: Mark, bytes: &[u8]) -> Result<Flow, Unwritable> {
        self.begin()?;
        let number = if self.options.stream {
            self.write_scalar(false, mark, bytes)?
        } else {
            self.whole.scalar(self.hash.of(mark.marker, bytes), mark, bytes)?
        };
        self.end(number)
    }

    /// A scalar of at most 16 bytes behind its marker.
    #[inline(always)]
    fn short<const N: usize>(&mut self, marker: u8, bytes: [u8; N]) -> Result<Flow, Unwritable> {
        self.put(Mark::of(marker), &bytes)
    }

    #[inline(never)]
    fn wide_text(&mut self, text: &str) -> Result<Flow, Unwritable> {
        let mut units = std::mem::take(&mut self.units);
        to_utf16(text, &mut units)?;
        let flow = self.put(Mark::counted(0x60, units.len() / 2), &units)?;
        self.units = units;
        Ok(flow)
    }

    /// Text that `print` makes, which needs at most [`print::LONGEST`] bytes.
    #[cold]
    fn printed(&mut self, print: impl FnOnce(&mut Vec<u8>)) -> Result<Flow, Unwritable> {
        let mut text = Vec::new();
        make_room(&mut text, print::LONGEST)?;
        print(&mut text);
        self.put(Mark::counted(0x50, text.len()), &text)
    }

    fn wide(&mut self, value: i128) -> Result<Flow, Unwritable> {
        match i64::try_from(value) {
            Ok(value) => self.int(value, 0),
            Err(_) => self.short(0x14, value.to_be_bytes()),
        }
    }

    /// A number as its digits, or one of the words of JavaScript for a double that is none.
    #[cold]
    fn digits(&mut self, digits: &[u8]) -> Result<Flow, Unwritable> {
        match digits {
            b"NaN" => return self.float(f64::NAN, 0),
            b"Infinity" => return self.float(f64::INFINITY, 0),
            b"-Infinity" => return self.float(f64::NEG_INFINITY, 0),
            _ => {}
        }
        let text = std::str::from_utf8(digits).unwrap_or_default();
        if digits.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'-')) {
            let reason = "a binary property list has no integer of more than 128 bits";
            return self.wide(text.parse().map_err(|_| Unwritable::value(reason))?);
        }
        match text.parse::<f64>() {
            Ok(value) if value.is_finite() => self.float(value, 0),
            Ok(_) => Err(Unwritable::value("a number beyond the range of a double")),
            Err(_) => Err(Unwritable::value("these digits are no number")),
        }
    }

    #[cold]
    fn decimal(&mut self, digits: &[u8]) -> Result<Flow, Unwritable> {
        if !keeps(digits) {
            let reason = "a decimal number that no double holds: write it as text";
            return Err(Unwritable::value(reason));
        }
        let value = std::str::from_utf8(digits).ok().and_then(|text| text.parse().ok());
        match value {
            Some(value) => self.float(value, 0),
            None => Err(Unwritable::value("these digits are no number")),
        }
    }

    fn datetime(&mut self, mut value: DateTime) -> Result<Flow, Unwritable> {
        value.time.offset.get_or_insert(Offset::Utc);
        let micros = unix::microseconds(value).unwrap_or_default() - EPOCH_2001;
        // An integer of 53 bits is a double, and dividing two doubles rounds once.
        let seconds = if micros.unsigned_abs() < 1 << 53 {
            micros as f64 / 1e6
        } else {
            format!("{micros}e-6").parse().unwrap_or_default()
        };
        let back = unix::since_2001(seconds).ok().and_then(unix::microseconds);
        if back != Some(micros + EPOCH_2001) {
            return Err(Unwritable::value(
                "a date that a binary property list has no microseconds for: it keeps seconds since 2001 as a double",
            ));
        }
        self.short(0x33, seconds.to_be_bytes())
    }

    /// Writes a scalar, unless an equal one is known.
    fn write_scalar(&mut self, is_key: bool, mark: Mark, bytes: &[u8]) -> Result<u32, Unwritable> {
        let mut scalar = std::mem::take(&mut self.stream.scalar);
        scalar.clear();
        mark.push_with(bytes, &mut scalar)?;
        let next = self.next_number()?;
        let hash = self.hash.of(mark.marker, bytes);
        let number = self.stream.recent.find_or_add(hash, &scalar, is_key, next)?;
        if number == next {
            self.begin_object()?;
            make_room(&mut self.out, scalar.len())?;
            self.out.extend_from_slice(&scalar);
        }
        self.stream.scalar = scalar;
        Ok(number)
    }

    /// Writes a container whose members are written.
    fn write_container(&mut self, open: Open) -> Result<u32, Unwritable> {
        let number = self.next_number()?;
        let members = self.members.len() - open.members;
        make_room(&mut self.out, LONGEST_MARK + 4 * members)?;
        self.begin_object()?;
        let count = if open.high == DICT { members / 2 } else { members };
        Mark::counted(open.high, count).push(&mut self.out);
        in_order(open.high, &self.members[open.members..], |member| {
            self.out.extend_from_slice(&member.to_be_bytes());
        });
        Ok(number)
    }

    /// The number of the next object that is written.
    fn next_number(&self) -> Result<u32, Unwritable> {
        u32::try_from(self.stream.offsets.len()).map_err(|_| too_many())
    }

    fn begin_object(&mut self) -> Result<(), Unwritable> {
        push(&mut self.stream.offsets, self.stream.taken + self.out.len() as u64)
    }

    /// The table of offsets and the trailer.
    fn write_end(
        &mut self,
        offsets: &[u64],
        reference: u8,
        root: u64,
        table: u64,
    ) -> Result<(), Unwritable> {
        let width = width_of(table);
        make_room(&mut self.out, offsets.len() * usize::from(width) + 32)?;
        push_all(offsets.iter().copied(), width, &mut self.out);
        self.out.extend_from_slice(&[0, 0, 0, 0, 0, 0, width, reference]);
        for field in [offsets.len() as u64, root, table] {
            self.out.extend_from_slice(&field.to_be_bytes());
        }
        Ok(())
    }
}

const HEADER: &[u8] = b"bplist00";

/// The microseconds from the beginning of 1970 to that of 2001.
const EPOCH_2001: i64 = 978_307_200_000_000;

impl writer::Writer for Writer {
    fn ready(&self) -> &[u8] {
        if self.options.stream || self.finished { &self.out } else { &[] }
    }

    fn taken(&mut self) {
        self.stream.taken += self.out.len() as u64;
        self.stream.record = 0;
        self.out.clear();
    }

    fn finish(&mut self) -> Result<(), Unwritable> {
        if self.open.len() > self.around {
            return Err(Unwritable::value("the last record is not complete"));
        }
        if self.out.is_empty() && self.stream.taken == 0 {
            if self.options.records.is_none() {
                return Err(Unwritable::value("there is no value to write"));
            }
            self.start()?;
        }
        self.around = 0;
        while !self.open.is_empty() {
            let number = self.close()?;
            if self.open.is_empty() {
                self.root = Some(number);
            } else {
                self.push_member(number)?;
            }
        }
        let Some(root) = self.root else {
            return Err(Unwritable::value("there is no value to write"));
        };
        self.finished = true;
        if self.options.stream {
            let offsets = std::mem::take(&mut self.stream.offsets);
            let table = self.stream.taken + self.out.len() as u64;
            return self.write_end(&offsets, 4, root.into(), table);
        }
        self.write_whole(root)
    }

    fn reopen(&mut self) {
        self.out.clear();
        self.open.clear();
        self.members.clear();
        self.names.clear();
        self.ends.clear();
        (self.around, self.is_set, self.records) = (0, false, 0);
        (self.root, self.finished) = (None, false);
        self.whole.clear();
        self.stream.offsets.clear();
        self.stream.recent.clear();
        (self.stream.taken, self.stream.objects, self.stream.record) = (0, 0, 0);
    }

    fn records(&self) -> u64 {
        self.records
    }
}

impl Writer {
    /// Writes the objects that the root leads to.
    fn write_whole(&mut self, root: u32) -> Result<(), Unwritable> {
        let Writer { whole, out, .. } = self;
        let numbered = whole.numbered(root)?;
        let width = width_of(numbered.order.len() as u64);
        let mut offsets = Vec::new();
        offsets.try_reserve_exact(numbered.order.len()).map_err(|_| Unwritable::memory())?;
        for object in &numbered.order {
            offsets.push(out.len() as u64);
            let place = (object & !CONTAINER) as usize;
            if object & CONTAINER == 0 {
                let scalar = whole.scalar_of(place);
                make_room(out, scalar.len())?;
                out.extend_from_slice(scalar);
            } else if let [high, members @ ..] = whole.container_of(place) {
                make_room(out, LONGEST_MARK + members.len() * usize::from(width))?;
                let high = *high as u8;
                let count = if high == DICT { members.len() / 2 } else { members.len() };
                Mark::counted(high, count).push(out);
                let numbers = members.iter().map(|member| u64::from(numbered.of(*member)));
                push_all(numbers, width, out);
            }
        }
        let table = out.len() as u64;
        self.write_end(&offsets, width, numbered.of(root).into(), table)
    }
}

impl Sink for Writer {
    type Error = Unwritable;

    #[inline]
    fn begin_map(&mut self, _at: u64) -> Result<Flow, Unwritable> {
        self.begin()?;
        self.open(DICT)?;
        Ok(Flow::Take)
    }
    #[inline]
    fn end_map(&mut self, _at: u64) -> Result<Flow, Unwritable> {
        let number = self.close()?;
        self.end(number)
    }
    #[inline]
    fn begin_list(&mut self, _at: u64) -> Result<Flow, Unwritable> {
        let high = if std::mem::take(&mut self.is_set) { SET } else { ARRAY };
        self.begin()?;
        self.open(high)?;
        Ok(Flow::Take)
    }
    #[inline]
    fn end_list(&mut self, _at: u64) -> Result<Flow, Unwritable> {
        let number = self.close()?;
        self.end(number)
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
    #[inline]
    fn key(&mut self, key: Text<'_>, _at: u64) -> Result<Flow, Unwritable> {
        self.push_key(key)?;
        Ok(Flow::Take)
    }
    fn container(&mut self, container: Container) {
        self.is_set = container.kind == ContainerKind::Set;
    }
    fn scalar(&mut self, value: Scalar<'_>, at: u64) -> Result<Flow, Unwritable> {
        match value {
            Scalar::Null => self.short(0x00, []),
            Scalar::Bool(false) => self.short(0x08, []),
            Scalar::Bool(true) => self.short(0x09, []),
            Scalar::Int(value) => self.int(value, at),
            Scalar::Float(value) => self.float(value, at),
            Scalar::Number(digits) => self.digits(digits),
            Scalar::Text(text) | Scalar::Untyped(text) => self.text(text, at),
            Scalar::Bytes(bytes) => self.put(Mark::counted(0x40, bytes.len()), bytes),
            Scalar::DateTime(value) => self.datetime(value),
            Scalar::Since2001(seconds) => self.short(0x33, seconds.to_be_bytes()),
            Scalar::Uid(uid) => match uid {
                0..0x100 => self.short(0x80, [uid as u8]),
                0x100..0x1_0000 => self.short(0x81, (uid as u16).to_be_bytes()),
                0x1_0000..0x1_0000_0000 => self.short(0x83, (uid as u32).to_be_bytes()),
                _ => self.short(0x87, uid.to_be_bytes()),
            },
            Scalar::Decimal(digits) => self.decimal(digits),
            // What a property list has no type for is the text that JSON would have.
            Scalar::Date(date) => self.printed(|out| print::date(date, out)),
            Scalar::Time(time) => self.printed(|out| print::time(time, out)),
            Scalar::Duration(value) => self.printed(|out| print::duration(value, out)),
            Scalar::Uuid(bytes) => self.printed(|out| print::uuid(bytes, out)),
        }
    }
    fn piece(&mut self, _text: Text<'_>, _at: u64) -> Result<Flow, Unwritable> {
        Err(Unwritable::value("a property list has no place for text between elements"))
    }
    fn abandon(&mut self) {
        self.is_set = false;
        if self.open.len() > self.around {
            let open = self.open[self.around];
            self.members.truncate(open.members);
            self.names.truncate(if open.names == 0 { 0 } else { self.ends[open.names - 1] });
            self.ends.truncate(open.names);
            self.open.truncate(self.around);
        }
        // Objects that were taken stay, and nothing refers to them.
        let stream = &mut self.stream;
        let first = stream.objects.max(stream.offsets.partition_point(|at| *at < stream.taken));
        if first < stream.offsets.len() {
            stream.recent.forget_from(first as u32);
            stream.offsets.truncate(first);
        }
        if self.options.stream {
            self.out.truncate(stream.record);
        }
    }
    #[inline]
    fn int(&mut self, value: i64, _at: u64) -> Result<Flow, Unwritable> {
        if self.options.stream {
            let mut bytes = [0; 8];
            let (mark, bytes) = encode::int(value, &mut bytes);
            return self.put(mark, bytes);
        }
        self.begin()?;
        let number = self.whole.int(self.hash, value)?;
        self.end(number)
    }
    #[inline]
    fn float(&mut self, value: f64, _at: u64) -> Result<Flow, Unwritable> {
        self.short(0x23, value.to_be_bytes())
    }
    #[inline]
    fn text(&mut self, text: Text<'_>, _at: u64) -> Result<Flow, Unwritable> {
        let bytes = text.bytes();
        if text.ascii || bytes.is_ascii() {
            return self.put(Mark::counted(0x50, bytes.len()), bytes);
        }
        self.wide_text(text.text.as_str())
    }
}

impl Hints for Writer {
    fn want(&self) -> Want {
        Want::Native
    }
}

impl LookAhead for Writer {}
