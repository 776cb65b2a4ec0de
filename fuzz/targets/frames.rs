//! Tables of the pieces of compressed files: whatever the bytes, finding and reading them ends, and
//! a reader that begins in the middle gets what one from the start gets.
//!
//! The first byte of the input is the length of a `.gzi`, or 0 for none, which follows it; the rest
//! is the file.

#![no_main]

use std::io;
use std::ops::Range;
use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use penstock_core::source::{Frames, Options, ReadAt, Source, SourceError};
use penstock_core::limits::Limits;

/// Decompressed bytes that are let through.
const TOTAL: u64 = 1 << 20;

#[derive(Clone)]
struct Bytes(Arc<[u8]>);

impl ReadAt for Bytes {
    fn read_exact_at(&self, out: &mut [u8], offset: u64) -> io::Result<()> {
        let from = usize::try_from(offset).unwrap_or(usize::MAX);
        let rest = self.0.get(from..).and_then(|rest| rest.get(..out.len()));
        out.copy_from_slice(rest.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }
}

/// The text, and whether it ended well.
fn drain(mut source: Source) -> (Vec<u8>, bool) {
    let (mut text, mut out) = (Vec::new(), vec![0; 1 << 12]);
    loop {
        match source.read(&mut out) {
            Ok(0) => return (text, true),
            Ok(n) => text.extend_from_slice(&out[..n]),
            Err(SourceError::Idle) => {}
            Err(SourceError::Fault(_)) => return (text, false),
            Err(SourceError::Io(error)) => panic!("the file is long enough: {error}"),
        }
        assert!(text.len() as u64 <= TOTAL);
    }
}

fn read_from(file: &Bytes, frames: &Frames, offset: u64) -> (Vec<u8>, bool) {
    let limits = Limits { total: Some(TOTAL), window: 1 << 20, ..Limits::default() };
    match Source::inside(&Arc::new(frames.clone()), Box::new(file.clone()), offset, &limits) {
        Ok(source) => drain(source),
        Err(_) => (Vec::new(), false),
    }
}

/// The same with as much of the table as a reader needs that begins there, sent as bytes.
fn read_part(file: &Bytes, frames: &Frames, text: Range<u64>) -> (Vec<u8>, bool) {
    let part = frames.part(text.clone());
    let sent = Frames::decode(&part.encode());
    assert_eq!(sent.as_ref(), Some(&part));
    read_from(file, &part, text.start)
}

fuzz_target!(|data: &[u8]| {
    let _ = Frames::decode(data);
    let [length, data @ ..] = data else { return };
    let (gzi, data) = data.split_at(data.len().min(usize::from(*length)));
    let file = Bytes(data.into());
    let gzi = (*length > 0).then_some(gzi);
    let Ok(Ok(frames)) = Frames::find(&file, data.len() as u64, gzi) else { return };
    // A length that is not even a number of bytes that a file may have.
    if frames.text() > i64::MAX as u64 {
        return;
    }
    let (whole, is_good) = read_from(&file, &frames, 0);
    if !is_good {
        return;
    }
    // All pieces were read, and each was what the table says.
    assert_eq!(whole.len() as u64, frames.text());
    let limits = Limits { total: Some(TOTAL), window: 1 << 20, ..Limits::default() };
    let reader = io::Cursor::new(data.to_vec());
    let (text, _) = drain(Source::open(Box::new(reader), Options::new(&limits)).verbatim());
    assert!(text == whole, "{} and {} bytes", text.len(), whole.len());
    let end = frames.text();
    for offset in [end / 3, end / 2, end] {
        let (rest, is_good) = read_from(&file, &frames, offset);
        assert!(is_good && rest == whole[offset as usize..], "from {offset} of {end}");
        let (rest, is_good) = read_part(&file, &frames, offset..end / 2 + 1);
        assert!(is_good && rest == whole[offset as usize..], "a part from {offset} of {end}");
    }
});
