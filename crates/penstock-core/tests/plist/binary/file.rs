//! Binary property lists as tests say them, and what the reader tells of them.

use std::io;

use penstock_core::error::Fail;
use penstock_core::limits::Limits;
use penstock_core::plist::binary::Reader;
use penstock_core::protocol::{FormatReader, InputView, Listener, Step, Trace};
use penstock_core::source::ReadAt;
use proptest::prelude::*;

use super::naive::{self, End};
use crate::moody::{Mood, Moody};

/// A file in memory that is read at positions, up to `end`.
pub(super) struct File<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) end: usize,
}

impl ReadAt for File<'_> {
    fn read_exact_at(&self, out: &mut [u8], offset: u64) -> io::Result<()> {
        let from = usize::try_from(offset).unwrap();
        let part = self.bytes[..self.end].get(from..from + out.len());
        out.copy_from_slice(part.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }
}

/// Reads all of it, whatever pauses there are.
pub(super) fn read<S: Listener>(
    given: InputView<'_>,
    limits: &Limits,
    sink: &mut S,
) -> Result<(), End> {
    read_on(&mut Reader::new(limits), given, sink)
}

/// Reads the rest.
pub(super) fn read_on<S: Listener>(
    reader: &mut Reader,
    given: InputView<'_>,
    sink: &mut S,
) -> Result<(), End> {
    loop {
        match reader.run(given, sink) {
            Ok(Step::Paused) => {}
            Ok(Step::Done) => return Ok(()),
            Ok(Step::Stopped) => return Err(End::Stopped),
            Ok(step) => panic!("{step:?}"),
            Err(Fail::Input(fault)) => return Err(End::Wrong(fault.kind(), fault.offset())),
            Err(Fail::Sink(_)) => return Err(End::Refused),
        }
    }
}

/// The events, and the fault with its text.
pub(super) fn told(bytes: &[u8], limits: &Limits) -> (String, Option<String>) {
    let mut trace = Trace::new();
    let end = match Reader::new(limits).run(InputView::Bytes(bytes), &mut trace) {
        Ok(step) => {
            assert_eq!(step, Step::Done);
            None
        }
        Err(Fail::Input(fault)) => Some(fault.to_string()),
        Err(Fail::Sink(never)) => match never {},
    };
    (trace.into_text(), end)
}

pub(super) fn fault(bytes: &[u8]) -> String {
    told(bytes, &Limits::default()).1.expect("it is wrong")
}

/// Asserts that the reader tells what the twin tells, from memory and from a file.
pub(super) fn assert_same(bytes: &[u8], mood: Mood, limits: &Limits) -> Result<(), TestCaseError> {
    let mut twin = Moody::new(mood);
    let expected = naive::tell(bytes, limits, &mut twin);
    let mut whole = Moody::new(mood);
    let found = read(InputView::Bytes(bytes), limits, &mut whole);
    prop_assert_eq!(whole.trace.text(), twin.trace.text());
    prop_assert_eq!(&found, &expected);
    let mut paged = Moody::new(mood);
    let file = File { bytes, end: bytes.len() };
    let found = read(InputView::At { file: &file, size: bytes.len() as u64 }, limits, &mut paged);
    prop_assert_eq!(paged.trace.text(), twin.trace.text());
    prop_assert_eq!(&found, &expected);
    Ok(())
}

/// An object as a test says it.
#[derive(Clone, Debug)]
pub(super) enum Raw {
    /// A marker and what comes behind it.
    Plain(Vec<u8>),
    /// The high half of a marker, and a payload of so many units.
    Counted(u8, usize, Vec<u8>),
    /// The high half of a marker, and the numbers of objects. A map has keys first.
    Members(u8, Vec<u64>),
}
pub(super) use Raw::{Counted, Members, Plain};

pub(super) fn text(text: &str) -> Raw {
    Counted(5, text.len(), text.as_bytes().to_vec())
}

pub(super) fn utf16(text: &str) -> Raw {
    let units: Vec<u16> = text.encode_utf16().collect();
    Counted(6, units.len(), units.iter().flat_map(|unit| unit.to_be_bytes()).collect())
}

pub(super) fn int(value: u8) -> Raw {
    Plain(vec![0x10, value])
}

pub(super) fn list(members: &[u64]) -> Raw {
    Members(0xA, members.to_vec())
}

/// How a file is laid out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    pub(super) offset: usize,
    pub(super) reference: usize,
    pub(super) root: u64,
    /// Whether all counts are written as integers of their own, of so many bytes.
    pub(super) long: Option<u8>,
}

pub(super) const SIMPLE: Layout = Layout { offset: 2, reference: 1, root: 0, long: None };

pub(super) fn file(objects: &[Raw], layout: Layout) -> Vec<u8> {
    let mut bytes = b"bplist00".to_vec();
    let mut offsets = Vec::new();
    let width = |value: u64, width: usize| value.to_be_bytes()[8 - width..].to_vec();
    for object in objects {
        offsets.push(bytes.len() as u64);
        let marked = |bytes: &mut Vec<u8>, high: u8, count: usize| match layout.long {
            None if count < 15 => bytes.push(high << 4 | count as u8),
            long => {
                let power = long.unwrap_or(2);
                bytes.extend([high << 4 | 0xF, 0x10 | power]);
                bytes.extend(width(count as u64, 1 << power));
            }
        };
        match object {
            Plain(plain) => bytes.extend(plain),
            Counted(high, count, payload) => {
                marked(&mut bytes, *high, *count);
                bytes.extend(payload);
            }
            Members(high, members) => {
                let count = if *high == 0xD { members.len() / 2 } else { members.len() };
                marked(&mut bytes, *high, count);
                for member in members {
                    bytes.extend(width(*member, layout.reference));
                }
            }
        }
    }
    let table = bytes.len() as u64;
    for offset in &offsets {
        bytes.extend(width(*offset, layout.offset));
    }
    bytes.extend([0, 0, 0, 0, 0, 0, layout.offset as u8, layout.reference as u8]);
    for field in [objects.len() as u64, layout.root, table] {
        bytes.extend(field.to_be_bytes());
    }
    bytes
}

/// A graph of each kind of object.
pub(super) fn each_kind() -> Vec<u8> {
    let objects = [
        Members(0xD, vec![1, 3, 5, 2, 4, 6]),
        text("list"),
        list(&[7, 8, 9, 10, 11, 12, 13, 14, 15]),
        utf16("clé"),
        Members(0xB, vec![16, 17, 18]),
        text("set"),
        Members(0xC, vec![]),
        Plain(vec![0x00]),
        Plain(vec![0x08]),
        Plain(vec![0x09]),
        Plain([&[0x13], &(-5_i64).to_be_bytes()[..]].concat()),
        Plain([&[0x14], &(1_i128 << 64).to_be_bytes()[..]].concat()),
        Plain([&[0x22], &1.5_f32.to_be_bytes()[..]].concat()),
        Plain([&[0x23], &f64::NEG_INFINITY.to_be_bytes()[..]].concat()),
        Plain([&[0x33], &0.25_f64.to_be_bytes()[..]].concat()),
        Counted(4, 3, vec![0, 128, 255]),
        Plain(vec![0x81, 1, 0]),
        utf16("水𝄞"),
        Plain([&[0x14], &(-7_i128).to_be_bytes()[..]].concat()),
    ];
    file(&objects, SIMPLE)
}

/// What ends a reading must be a fault or the end, and never a panic.
pub(super) fn survives(bytes: &[u8]) {
    let limits = Limits::default();
    for shares in [false, true] {
        assert_same(bytes, Mood { shares, ..Mood::default() }, &limits).unwrap();
    }
}
