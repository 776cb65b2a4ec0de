//! Files that are written in pieces, so that they can be read from the middle.

#![allow(clippy::unwrap_used, reason = "a failed test is what it is for")]

use std::io::{self, Read, Write};
use std::sync::{Arc, Mutex};

use penstock_core::limits::Limits;
use penstock_core::source::{Compression, Frames, Options, ReadAt, Source, SourceError};
use penstock_core::target::{Host, Packing, Target};

/// A file in memory.
#[derive(Clone, Default)]
struct Bytes(Arc<Mutex<Vec<u8>>>);

impl Write for Bytes {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl ReadAt for Bytes {
    fn read_exact_at(&self, out: &mut [u8], offset: u64) -> io::Result<()> {
        let bytes = self.0.lock().unwrap();
        let from = usize::try_from(offset).unwrap();
        out.copy_from_slice(bytes.get(from..from + out.len()).ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }
}

/// Text that does not compress.
fn noise(n: usize) -> Vec<u8> {
    let mut state = 1_u64;
    let step = |_| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    };
    (0..n).map(step).collect()
}

/// Lines of 40 bytes and more.
fn lines(n: usize) -> Vec<u8> {
    (0..n)
        .flat_map(|n| format!("{{\"id\": {n:9}, \"name\": \"n{}\"}}\n", n * n % 97).into_bytes())
        .collect()
}

fn packing(compression: Compression, level: Option<i64>) -> Packing {
    Packing::new(compression, level).unwrap().in_pieces().unwrap()
}

/// What is written if the text comes in chunks of so many bytes, and each end of a line is marked.
fn written(packing: Packing, text: &[u8], chunk: usize, marks: bool) -> (Bytes, Option<Vec<u8>>) {
    let file = Bytes::default();
    let mut target = Target::give(Box::new(file.clone()), packing, Host::default()).unwrap();
    for piece in text.chunks(chunk) {
        let end = piece.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        target.write_all(&piece[..end]).unwrap();
        if marks && end > 0 {
            target.mark().unwrap();
        }
        target.write_all(&piece[end..]).unwrap();
    }
    assert_eq!(target.gzi(), None);
    target.finish().unwrap();
    let gzi = target.gzi().map(<[u8]>::to_vec);
    (file, gzi)
}

fn found(file: &Bytes, gzi: Option<&[u8]>) -> Frames {
    let size = file.0.lock().unwrap().len() as u64;
    Frames::find(file, size, gzi).unwrap().unwrap()
}

fn drain(mut source: Source) -> Vec<u8> {
    let (mut all, mut out) = (Vec::new(), vec![0; 1 << 16]);
    loop {
        match source.read(&mut out) {
            Ok(0) => return all,
            Ok(n) => all.extend_from_slice(&out[..n]),
            Err(SourceError::Idle) => {}
            Err(error) => panic!("{error}"),
        }
    }
}

fn read_from(file: &Bytes, frames: &Arc<Frames>, offset: u64) -> Vec<u8> {
    drain(Source::inside(frames, Box::new(file.clone()), offset, &Limits::default()).unwrap())
}

#[test]
fn pieces_end_where_records_end() {
    let text = lines(60_000);
    for (compression, most, chunk) in
        [(Compression::Gzip, 0xFF00, 16 << 10), (Compression::Zstd, 1 << 20, 64 << 10)]
    {
        let (file, gzi) = written(packing(compression, None), &text, chunk, true);
        let frames = found(&file, None);
        assert_eq!(frames.text(), text.len() as u64);
        for pair in frames.pieces().windows(2) {
            let (begin, end) = (pair[0].text as usize, pair[1].text as usize);
            assert!(end - begin <= most && text[end - 1] == b'\n', "{compression:?} {end}");
            assert!(end - begin >= most / 2 || end == text.len(), "{compression:?} {end}");
        }
        let whole = io::Cursor::new(file.0.lock().unwrap().clone());
        let limits = Limits::default();
        assert_eq!(drain(Source::open(Box::new(whole), Options::new(&limits))), text);
        let frames = Arc::new(frames);
        for offset in [0, 1, 65_280, 1 << 20, text.len() - 1, text.len()] {
            assert!(read_from(&file, &frames, offset as u64) == text[offset..], "{offset}");
        }
        assert_eq!(gzi.is_some(), compression == Compression::Gzip);
        if let Some(gzi) = gzi {
            assert_eq!(found(&file, Some(&gzi)).pieces(), frames.pieces());
        }
    }
}

#[test]
fn pieces_without_marks_are_full() {
    let text = lines(60_000);
    for (compression, most) in [(Compression::Gzip, 0xFF00), (Compression::Zstd, 1 << 20)] {
        for chunk in [1_000, 1 << 20, 10 << 20] {
            let (file, _) = written(packing(compression, None), &text, chunk, false);
            for (n, piece) in found(&file, None).pieces().iter().enumerate() {
                assert_eq!(piece.text, (n as u64 * most).min(text.len() as u64));
            }
        }
    }
}

#[test]
fn every_level_and_text_that_does_not_compress() {
    let text = noise(300_000);
    for (compression, levels) in [(Compression::Gzip, 0..=9), (Compression::Zstd, -2..=12)] {
        for level in levels {
            let (file, _) = written(packing(compression, Some(level)), &text, 50_000, true);
            let frames = Arc::new(found(&file, None));
            assert!(read_from(&file, &frames, 0) == text, "{compression:?} {level}");
            assert!(
                read_from(&file, &frames, 200_000) == text[200_000..],
                "{compression:?} {level}"
            );
        }
    }
}

#[test]
fn nothing_is_a_whole_file() {
    for compression in [Compression::Gzip, Compression::Zstd] {
        let (file, gzi) = written(packing(compression, None), b"", 1, true);
        let frames = found(&file, gzi.as_deref());
        assert_eq!((frames.len(), frames.text()), (1, 0));
        assert_eq!(read_from(&file, &Arc::new(frames), 0), b"");
    }
    // As `bgzip` writes it.
    let (file, gzi) = written(packing(Compression::Gzip, None), b"", 1, true);
    assert_eq!(gzi.unwrap(), [0; 8]);
    let end = b"\x1f\x8b\x08\x04\0\0\0\0\0\xff\x06\0BC\x02\0\x1b\0\x03\0\0\0\0\0\0\0\0\0";
    assert_eq!(file.0.lock().unwrap()[..], end[..]);
}

#[test]
fn what_was_flushed_can_be_read() {
    let text = lines(1_000);
    for compression in [Compression::Gzip, Compression::Zstd] {
        let file = Bytes::default();
        let packing = packing(compression, None);
        let mut target = Target::give(Box::new(file.clone()), packing, Host::default()).unwrap();
        target.write_all(&text).unwrap();
        target.flush().unwrap();
        target.flush().unwrap();
        let packed = file.0.lock().unwrap().clone();
        let mut seen = vec![0; text.len()];
        match compression {
            Compression::Gzip => {
                flate2::read::MultiGzDecoder::new(&packed[..]).read_exact(&mut seen).unwrap();
            }
            _ => zstd::stream::read::Decoder::new(&packed[..])
                .unwrap()
                .read_exact(&mut seen)
                .unwrap(),
        }
        assert_eq!(seen, text);
    }
}

#[test]
fn a_frame_says_how_long_its_text_is() {
    let text = lines(100);
    let (file, _) = written(packing(Compression::Zstd, None), &text, 1_000, true);
    let packed = file.0.lock().unwrap().clone();
    assert_eq!(zstd::zstd_safe::get_frame_content_size(&packed).unwrap(), Some(text.len() as u64));
}
