//! A binary property list, from memory and from a file, with pauses, skips and looks: the events and the fault of
//! the naive twin.
//!
//! The first bytes of the input are the sink's mood. Then comes the file; or, after an odd byte, the lengths and
//! bytes of objects, to which a table and a trailer are added.

#![no_main]

#[path = "../../crates/penstock-core/tests/plist/moody.rs"]
#[allow(dead_code)]
mod moody;
#[path = "../../crates/penstock-core/tests/plist/binary/naive.rs"]
mod naive;

use std::io;

use libfuzzer_sys::fuzz_target;
use penstock_core::error::Fail;
use penstock_core::source::ReadAt;
use penstock_core::limits::Limits;
use penstock_core::plist::binary::Reader;
use penstock_core::protocol::{FormatReader, InputView, Step};

use moody::{Mood, Moody};
use naive::End;

struct File<'a>(&'a [u8]);

impl ReadAt for File<'_> {
    fn read_exact_at(&self, out: &mut [u8], offset: u64) -> io::Result<()> {
        let from = usize::try_from(offset).unwrap();
        let part = self.0.get(from..from + out.len());
        out.copy_from_slice(part.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }
}

fn read(given: InputView<'_>, limits: &Limits, sink: &mut Moody) -> Result<(), End> {
    let mut reader = Reader::new(limits);
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

/// A file of objects: each is a length and its bytes.
fn assembled(mut data: &[u8]) -> Vec<u8> {
    let mut bytes = b"bplist00".to_vec();
    let mut offsets = Vec::new();
    while let [length, rest @ ..] = data {
        let (object, rest) = rest.split_at(usize::from(*length).min(rest.len()));
        offsets.push(bytes.len() as u16);
        bytes.extend(object);
        data = rest;
    }
    let table = bytes.len() as u64;
    bytes.extend(offsets.iter().flat_map(|offset| offset.to_be_bytes()));
    bytes.extend([0, 0, 0, 0, 0, 0, 2, 1]);
    for field in [offsets.len() as u64, 0, table] {
        bytes.extend(field.to_be_bytes());
    }
    bytes
}

fuzz_target!(|data: &[u8]| {
    let [form, seed, often, how, data @ ..] = data else { return };
    let mood = Mood {
        seed: u64::from(*seed),
        skips: u64::from(often & 7),
        looks: u64::from(often >> 3 & 7),
        pauses: u64::from(often >> 6),
        stops: 8 * u64::from(how & 3),
        refuses: 8 * u64::from(how >> 2 & 3),
        shares: how >> 4 & 1 == 1,
    };
    let assembled = if form & 1 == 1 { assembled(data) } else { data.to_vec() };
    let limits = Limits { depth: 40, token: 60, expansion: Some(4096), ..Limits::default() };
    let mut twin = Moody::new(mood);
    let expected = naive::tell(&assembled, &limits, &mut twin);
    let mut whole = Moody::new(mood);
    assert_eq!(read(InputView::Bytes(&assembled), &limits, &mut whole), expected);
    assert_eq!(whole.trace.text(), twin.trace.text());
    let (file, size) = (File(&assembled), assembled.len() as u64);
    let mut paged = Moody::new(mood);
    assert_eq!(read(InputView::At { file: &file, size }, &limits, &mut paged), expected);
    assert_eq!(paged.trace.text(), twin.trace.text());
});
