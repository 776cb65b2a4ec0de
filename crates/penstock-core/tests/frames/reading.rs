//! What a table of pieces is found of, and what is read by it: the text, and the fault at its end.

use std::io;
use std::sync::Arc;

use penstock_core::error::{Fault, Kind};
use penstock_core::limits::Limits;
use penstock_core::source::{Compression, Frames, Options, Piece, Source, SourceError, Whole};

use crate::files::Bytes;

/// Where a piece is in the file. Those of bzip2 are counted in bits.
pub(crate) fn bytes_of(frames: &Frames, piece: &Piece) -> (u64, u64) {
    match frames.compression() {
        Compression::Bzip2 => (piece.at / 8, piece.size / 8),
        _ => (piece.at, piece.size),
    }
}

/// The begins of the pieces of a table.
pub(crate) fn begins(frames: &Frames) -> Vec<u64> {
    frames.pieces().iter().map(|piece| piece.text).collect()
}

pub(crate) fn search_within(
    packed: &[u8],
    threads: usize,
    limits: &Limits,
) -> Result<Frames, Whole> {
    let (file, size) = (Bytes(packed.to_vec()), packed.len() as u64);
    Frames::search(&file, size, None, threads, limits).unwrap()
}

pub(crate) fn search(packed: &[u8], threads: usize) -> Result<Frames, Whole> {
    search_within(packed, threads, &Limits::default())
}

pub(crate) fn find(packed: &[u8]) -> Arc<Frames> {
    Arc::new(search(packed, 1).unwrap())
}

pub(crate) fn reason(packed: &[u8]) -> String {
    search(packed, 1).unwrap_err().to_string()
}

pub(crate) fn refused(packed: &[u8], gzi: Option<&[u8]>) -> String {
    let found = Frames::find(&Bytes(packed.to_vec()), packed.len() as u64, gzi);
    let Err(SourceError::Fault(fault)) = found else { panic!("{found:?}") };
    assert_eq!(fault.kind(), Kind::Malformed);
    fault.reason().to_owned()
}

pub(crate) fn drain(source: &mut Source, step: usize) -> (Vec<u8>, Option<Told>) {
    let (mut all, mut out) = (Vec::new(), vec![0; step]);
    loop {
        match source.read(&mut out) {
            Ok(0) => return (all, None),
            Ok(n) => all.extend_from_slice(&out[..n]),
            Err(SourceError::Idle) => {}
            Err(SourceError::Fault(fault)) => return (all, Some(told(&fault))),
            Err(SourceError::Io(error)) => panic!("{error}"),
        }
    }
}

pub(crate) fn read_from(
    frames: &Arc<Frames>,
    packed: &[u8],
    offset: u64,
    step: usize,
) -> (Vec<u8>, Option<Told>) {
    read_within(frames, packed, offset, step, &Limits::default())
}

pub(crate) fn read_within(
    frames: &Arc<Frames>,
    packed: &[u8],
    offset: u64,
    step: usize,
    limits: &Limits,
) -> (Vec<u8>, Option<Told>) {
    match Source::inside(frames, Box::new(Bytes(packed.to_vec())), offset, limits) {
        Ok(mut source) => drain(&mut source, step),
        Err(SourceError::Fault(fault)) => (Vec::new(), Some(told(&fault))),
        Err(error) => panic!("{error}"),
    }
}

pub(crate) fn read_whole(packed: &[u8], limits: &Limits) -> (Vec<u8>, Option<Told>) {
    let reader = io::Cursor::new(packed.to_vec());
    drain(&mut Source::open(Box::new(reader), Options::new(limits)), 1 << 16)
}

/// A fault: what it is, where, and why.
pub(crate) type Told = (Kind, u64, String);

pub(crate) fn told(fault: &Fault) -> Told {
    (fault.kind(), fault.offset(), fault.reason().to_owned())
}
