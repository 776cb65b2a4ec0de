//! Compressed files that are read from the middle: any offset gives what a reader from the start
//! gets from there on, and a table that is wrong is an error.

#![allow(clippy::unwrap_used, reason = "a failed test is what it is for")]

use std::io::{self, Write};
use std::num::NonZeroU64;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use penstock_core::error::{Fault, Kind};
use penstock_core::limits::Limits;
use penstock_core::source::{
    Compression, Frames, Options, Piece, ReadAt, Source, SourceError, Whole,
};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// A file in memory.
#[derive(Clone)]
struct Bytes(Vec<u8>);

impl ReadAt for Bytes {
    fn read_exact_at(&self, out: &mut [u8], offset: u64) -> io::Result<()> {
        let from = usize::try_from(offset).unwrap();
        let Some(bytes) = self.0.get(from..).and_then(|rest| rest.get(..out.len())) else {
            return Err(io::ErrorKind::UnexpectedEof.into());
        };
        out.copy_from_slice(bytes);
        Ok(())
    }
}

/// Text that compresses, but not to nothing.
fn sample(n: usize) -> Vec<u8> {
    let mut state = 1_u32;
    let mut text = Vec::new();
    while text.len() < n {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        writeln!(text, "{{\"id\": {}, \"name\": \"n{}\"}}", state >> 9, state >> 29).unwrap();
    }
    text.truncate(n);
    text
}

fn deflated(text: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::new(6));
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

/// A block of BGZF.
fn block(text: &[u8]) -> Vec<u8> {
    let deflated = deflated(text);
    let mut crc = flate2::Crc::new();
    crc.update(text);
    let mut out = b"\x1f\x8b\x08\x04\0\0\0\0\0\xff\x06\0BC\x02\0".to_vec();
    out.extend(u16::try_from(deflated.len() + 25).unwrap().to_le_bytes());
    out.extend(deflated);
    out.extend(crc.sum().to_le_bytes());
    out.extend(u32::try_from(text.len()).unwrap().to_le_bytes());
    out
}

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::new(6));
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

/// A frame of zstd with a checksum, which declares its size.
fn frame(text: &[u8]) -> Vec<u8> {
    let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 3).unwrap();
    encoder.include_checksum(true).unwrap();
    encoder.set_pledged_src_size(Some(text.len() as u64)).unwrap();
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

/// A frame of zstd that does not declare its size.
fn silent_frame(text: &[u8]) -> Vec<u8> {
    let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 3).unwrap();
    encoder.include_checksum(true).unwrap();
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

fn seek_table(sizes: &[(u32, u32)], has_checksums: bool) -> Vec<u8> {
    let entry = if has_checksums { 12 } else { 8 };
    let mut out = 0x184D_2A5E_u32.to_le_bytes().to_vec();
    out.extend((sizes.len() as u32 * entry + 9).to_le_bytes());
    for (size, text) in sizes {
        out.extend(size.to_le_bytes());
        out.extend(text.to_le_bytes());
        if has_checksums {
            out.extend([0; 4]);
        }
    }
    out.extend((sizes.len() as u32).to_le_bytes());
    out.push(if has_checksums { 0x80 } else { 0 });
    out.extend(0x8F92_EAB1_u32.to_le_bytes());
    out
}

fn xz(text: &[u8], block: u64) -> Vec<u8> {
    let mut options = lzma_rust2::XzOptions::with_preset(0);
    options.lzma_options.dict_size = 4096;
    options.set_block_size(NonZeroU64::new(block));
    let mut writer = lzma_rust2::XzWriter::new(Vec::new(), options).unwrap();
    writer.write_all(text).unwrap();
    writer.finish().unwrap()
}

fn bzip2(text: &[u8], level: u32) -> Vec<u8> {
    let level = bzip2::Compression::new(level);
    let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), level);
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

/// Where a piece is in the file. Those of bzip2 are counted in bits.
fn bytes_of(frames: &Frames, piece: &Piece) -> (u64, u64) {
    match frames.compression() {
        Compression::Bzip2 => (piece.at / 8, piece.size / 8),
        _ => (piece.at, piece.size),
    }
}

/// Each kind of file with pieces, and its name.
fn all(text: &[u8], piece: usize) -> Vec<(&'static str, Vec<u8>)> {
    let pieces = || text.chunks(piece);
    let bgzf: Vec<u8> = pieces().flat_map(block).chain(block(b"")).collect();
    let mut odd = block(b"");
    for part in pieces() {
        odd.extend(block(part));
        odd.extend(block(b""));
    }
    let frames: Vec<u8> = pieces().flat_map(frame).collect();
    let mut skips = b"\x5a\x2a\x4d\x18\x03\0\0\0abc".to_vec();
    for part in pieces() {
        skips.extend(frame(part));
        skips.extend(b"\x50\x2a\x4d\x18\0\0\0\0");
    }
    let table = |frame: fn(&[u8]) -> Vec<u8>, has_checksums| {
        let frames: Vec<_> = pieces().map(frame).collect();
        let sizes = frames.iter().zip(pieces());
        let sizes: Vec<_> = sizes.map(|(f, t)| (f.len() as u32, t.len() as u32)).collect();
        [frames.concat(), seek_table(&sizes, has_checksums)].concat()
    };
    let mut streams = Vec::new();
    for (n, part) in text.chunks(3 * piece).enumerate() {
        streams.extend(xz(part, piece as u64));
        streams.extend(vec![0; n % 3 * 4]);
    }
    vec![
        ("bgzf", bgzf),
        ("bgzf with empty blocks", odd),
        ("zstd", frames),
        ("zstd with skippable frames", skips),
        ("zstd with a table", table(frame, false)),
        ("zstd with a table and checksums", table(frame, true)),
        ("zstd with a table alone", table(silent_frame, false)),
        ("xz", xz(text, piece as u64)),
        ("xz streams", streams),
        ("bzip2 streams", pieces().flat_map(|part| bzip2(part, 9)).collect()),
    ]
}

fn search_within(packed: &[u8], threads: usize, limits: &Limits) -> Result<Frames, Whole> {
    let (file, size) = (Bytes(packed.to_vec()), packed.len() as u64);
    Frames::search(&file, size, None, threads, limits).unwrap()
}

fn search(packed: &[u8], threads: usize) -> Result<Frames, Whole> {
    search_within(packed, threads, &Limits::default())
}

fn find(packed: &[u8]) -> Arc<Frames> {
    Arc::new(search(packed, 1).unwrap())
}

fn reason(packed: &[u8]) -> String {
    search(packed, 1).unwrap_err().to_string()
}

fn refused(packed: &[u8], gzi: Option<&[u8]>) -> String {
    let found = Frames::find(&Bytes(packed.to_vec()), packed.len() as u64, gzi);
    let Err(SourceError::Fault(fault)) = found else { panic!("{found:?}") };
    assert_eq!(fault.kind(), Kind::Malformed);
    fault.reason().to_owned()
}

fn drain(source: &mut Source, step: usize) -> (Vec<u8>, Option<Told>) {
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

fn read_from(
    frames: &Arc<Frames>,
    packed: &[u8],
    offset: u64,
    step: usize,
) -> (Vec<u8>, Option<Told>) {
    read_within(frames, packed, offset, step, &Limits::default())
}

fn read_within(
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

fn read_whole(packed: &[u8], limits: &Limits) -> (Vec<u8>, Option<Told>) {
    let reader = io::Cursor::new(packed.to_vec());
    drain(&mut Source::open(Box::new(reader), Options::new(limits)), 1 << 16)
}

/// A fault: what it is, where, and why.
type Told = (Kind, u64, String);

fn told(fault: &Fault) -> Told {
    (fault.kind(), fault.offset(), fault.reason().to_owned())
}

#[test]
fn the_table_is_that_of_the_file() {
    let text = sample(10_000);
    for (name, packed) in all(&text, 3_000) {
        let frames = find(&packed);
        assert_eq!(frames.text(), 10_000, "{name}");
        let begins: Vec<_> = frames.pieces().iter().map(|piece| piece.text).collect();
        match name {
            "bgzf" => assert_eq!(begins, [0, 3_000, 6_000, 9_000, 10_000]),
            "bgzf with empty blocks" => {
                assert_eq!(begins, [0, 0, 3_000, 3_000, 6_000, 6_000, 9_000, 9_000, 10_000])
            }
            // The encoder's own block is not smaller.
            "xz" | "xz streams" => {}
            _ => assert_eq!(begins, [0, 3_000, 6_000, 9_000], "{name}"),
        }
        for (index, piece) in frames.pieces().iter().enumerate() {
            let next = frames.pieces().get(index + 1).map_or(10_000, |next| next.text);
            for offset in piece.text + 1..next {
                assert_eq!(frames.piece_at(offset), index, "{name} {offset}");
            }
            let first = begins.iter().position(|begin| *begin == piece.text).unwrap();
            assert_eq!(frames.piece_at(piece.text), first, "{name}");
        }
    }
}

#[test]
fn offsets_count_as_from_the_start() {
    let text = sample(100_000);
    let limits = Limits::default();
    for (name, packed) in all(&text, 30_000) {
        let frames = find(&packed);
        let file = Box::new(Bytes(packed.clone()));
        let mut source = Source::inside(&frames, file, 95_000, &limits).unwrap();
        assert_eq!(source.bytes(), 95_000);
        let (rest, fault) = drain(&mut source, 777);
        assert_eq!((rest.len(), fault), (5_000, None), "{name}");
        assert_eq!(source.bytes(), 100_000);
        let last = frames.pieces().last().unwrap();
        let (at, size) = bytes_of(&frames, last);
        let end = (at + size).next_multiple_of(4);
        assert!(source.raw_bytes().next_multiple_of(4) == end, "{name}");
        assert_eq!(source.compression(), frames.compression());
        // The end, and what is behind it.
        assert_eq!(read_from(&frames, &packed, 100_000, 10), (Vec::new(), None));
        assert_eq!(
            read_from(&frames, &packed, 100_001, 10).1,
            Some((
                Kind::Malformed,
                100_000,
                "the text has 100000 bytes, and none at 100001".into()
            ))
        );
    }
}

#[test]
fn limits_hold_as_from_the_start() {
    // Blanks compress to nearly nothing.
    let packed = block(&[b' '; 60_000]).repeat(300);
    let frames = find(&packed);
    let ratio = Limits { ratio: Some(100), ..Limits::default() };
    let expected = read_whole(&packed, &ratio);
    assert_eq!(expected.0.len(), (16 << 20) + (64 << 10));
    for offset in [16_000_000, 16_800_000] {
        let (rest, fault) = read_within(&frames, &packed, offset, 1 << 16, &ratio);
        assert_eq!(rest.len() as u64 + offset, expected.0.len() as u64);
        assert_eq!(fault, expected.1, "{offset}");
    }
    let total = Limits { total: Some(1_000_000), ..Limits::default() };
    let expected = read_whole(&packed, &total).1;
    let reason = "the source is longer than 1000000 bytes (limits.total)";
    assert_eq!(expected, Some((Kind::Limit, 1_000_000, reason.to_owned())));
    for (offset, count) in [(0, 1_000_000), (999_999, 1), (1_000_000, 0), (2_000_000, 0)] {
        let (rest, fault) = read_within(&frames, &packed, offset, 1 << 16, &total);
        assert_eq!((rest.len(), fault), (count, expected.clone()), "{offset}");
    }
    let window = Limits { window: 1 << 10, ..Limits::default() };
    let text = sample(300_000);
    let packed: Vec<u8> = text.chunks(100_000).flat_map(frame).collect();
    let (_, fault) = read_within(&find(&packed), &packed, 150_000, 10, &window);
    let reason = "the zstd data asks for a window of more than 1024 bytes (limits.window)";
    assert_eq!(fault, Some((Kind::Limit, 100_000, reason.to_owned())));
}

#[test]
fn damage_is_found_where_a_reader_from_the_start_finds_it() {
    let text = sample(10_000);
    for (name, packed) in all(&text, 3_000) {
        let frames = find(&packed);
        let last = frames.pieces().iter().rfind(|piece| piece.text < 9_500).unwrap();
        let mut damaged = packed.clone();
        let (at, size) = bytes_of(&frames, last);
        damaged[(at + size / 2) as usize] ^= 0x10;
        let (whole, expected) = read_whole(&damaged, &Limits::default());
        let expected = expected.unwrap();
        for offset in [0, 2_999, 3_000, 9_001] {
            let (rest, fault) = read_from(&frames, &damaged, offset, 500);
            let fault = fault.unwrap();
            assert_eq!(fault, expected, "{name} {offset}");
            assert!(whole.get(offset as usize..).unwrap_or_default().starts_with(&rest), "{name}");
        }
    }
}

/// A length of text that stands in one place only, and has no checksum, moves the offsets of all that
/// follows. Whoever reads that piece finds it.
#[test]
fn a_flipped_bit_is_an_error_or_changes_nothing() {
    let text = sample(600);
    for (name, packed) in all(&text, 200) {
        let is_checked =
            name.starts_with("xz") || name.contains("table and") || name == "zstd with a table";
        for at in 0..packed.len() {
            let mut flipped = packed.clone();
            flipped[at] ^= 1 << (at % 8);
            let (file, size) = (Bytes(flipped.clone()), flipped.len() as u64);
            let Ok(Ok(frames)) = Frames::search(&file, size, None, 1, &Limits::default()) else {
                continue;
            };
            let frames = Arc::new(frames);
            for offset in [0, 200, 450, 600] {
                let place = format!("{name}: byte {at}, from {offset}");
                match read_from(&frames, &flipped, offset, 64) {
                    (_, Some(fault)) => assert_eq!(fault.0, Kind::Malformed, "{place}"),
                    (rest, None) if rest == text[offset as usize..] => {}
                    (rest, None) => {
                        // A skippable frame may become longer, and then there is less text.
                        let (whole, _) = read_whole(&flipped, &Limits::default());
                        if whole.get(offset as usize..) != Some(&rest) {
                            assert!(!is_checked, "{place}");
                            assert!(read_from(&frames, &flipped, 0, 64).1.is_some(), "{place}");
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn a_cut_file_is_not_split_or_an_error() {
    let text = sample(600);
    for (name, packed) in all(&text, 200) {
        // What is whole of a file of bzip2 is split.
        for end in 0..packed.len() * usize::from(!name.starts_with("bzip2")) {
            let cut = packed[..end].to_vec();
            let Ok(Ok(frames)) = Frames::find(&Bytes(cut.clone()), end as u64, None) else {
                continue;
            };
            let (rest, fault) = read_from(&Arc::new(frames.clone()), &cut, 0, 64);
            assert_eq!(fault, None, "{name} {end}");
            assert!(text.starts_with(&rest) && rest.len() as u64 == frames.text(), "{name} {end}");
        }
    }
}

/// A `.gzi` of blocks as `bgzip` writes it.
fn gzi(entries: &[(u64, u64)]) -> Vec<u8> {
    let mut out = (entries.len() as u64).to_le_bytes().to_vec();
    for (at, text) in entries {
        out.extend(at.to_le_bytes());
        out.extend(text.to_le_bytes());
    }
    out
}

#[test]
fn a_gzi_is_read_instead_of_the_blocks() {
    let text = sample(10_000);
    let packed: Vec<u8> = text.chunks(3_000).flat_map(block).chain(block(b"")).collect();
    let walked = find(&packed);
    let mut entries: Vec<_> = walked.pieces().iter().map(|it| (it.at, it.text)).skip(1).collect();
    // The last entries may lack.
    while !entries.is_empty() {
        let file = Bytes(packed.clone());
        let index = gzi(&entries);
        let frames = Frames::find(&file, packed.len() as u64, Some(&index)).unwrap().unwrap();
        assert_eq!(frames.pieces(), walked.pieces());
        let frames = Arc::new(frames);
        for offset in [0, 2_999, 3_000, 9_999, 10_000] {
            let (rest, fault) = read_from(&frames, &packed, offset, 64);
            assert_eq!((&rest[..], fault), (&text[offset as usize..], None));
        }
        entries.pop();
    }
}

#[test]
fn a_gzi_of_another_file_is_refused() {
    let text = sample(10_000);
    let packed: Vec<u8> = text.chunks(3_000).flat_map(block).chain(block(b"")).collect();
    let walked = find(&packed);
    let entries: Vec<_> = walked.pieces().iter().map(|it| (it.at, it.text)).skip(1).collect();
    let good = gzi(&entries);
    let name = "the table of the gzip data contradicts it: ";
    let cases = [
        (good[..7].to_vec(), "the .gzi is cut"),
        (good[..good.len() - 1].to_vec(), "the .gzi has another length than it says"),
        (gzi(&entries)[..good.len() - 16].to_vec(), "the .gzi has another length than it says"),
        (gzi(&[(entries[0].0, 65_537)]), "the .gzi has a block that cannot be as long as it says"),
        (gzi(&[(0, 0)]), "the .gzi has a block that cannot be as long as it says"),
        (gzi(&[(60_000, 3_000)]), "the .gzi has blocks behind the end of the file"),
        (gzi(&[(700, 3_000)]), "the last block of the .gzi is not a block of the file"),
    ];
    for (index, what) in cases {
        assert_eq!(refused(&packed, Some(&index)), format!("{name}{what}"));
    }
    // Each entry that is wrong about the text is found by whoever reads there.
    for wrong in 0..entries.len() {
        for by in [-1, 1] {
            let mut changed = entries.clone();
            changed[wrong].1 = changed[wrong].1.checked_add_signed(by).unwrap();
            let (file, index) = (Bytes(packed.clone()), gzi(&changed));
            let Ok(found) = Frames::find(&file, packed.len() as u64, Some(&index)) else {
                continue;
            };
            let frames = Arc::new(found.unwrap());
            for offset in (0..10_000).step_by(97) {
                let (rest, fault) = read_from(&frames, &packed, offset, 64);
                assert!(text[offset as usize..].starts_with(&rest), "{wrong} {by} {offset}");
                assert!(fault.is_some() || rest == text[offset as usize..]);
            }
        }
    }
    let mut changed = entries.clone();
    changed[1].1 += 1;
    let file = Bytes(packed.clone());
    let found = Frames::find(&file, packed.len() as u64, Some(&gzi(&changed))).unwrap().unwrap();
    let at = entries[0].0;
    let reason = format!("{name}at byte {at} of the file is no block of the .gzi");
    let fault = read_from(&Arc::new(found), &packed, 3_500, 64).1;
    assert_eq!(fault, Some((Kind::Malformed, 3_000, reason)));
}

#[test]
fn a_seek_table_that_contradicts_the_file_is_refused() {
    let (one, two) = (frame(b"one, "), frame(b"two"));
    let sizes = [(one.len() as u32, 5), (two.len() as u32, 3)];
    let with = |table: Vec<u8>| [&one[..], &two, &table].concat();
    assert_eq!(find(&with(seek_table(&sizes, false))).text(), 8);
    let name = "the table of the zstd data contradicts it: ";
    let longer = [(sizes[0].0 + 1, 5), (sizes[1].0, 3)];
    let shorter = [sizes[0]];
    let other = [sizes[0], (sizes[1].0, 4)];
    let huge = [sizes[0], (u32::MAX, u32::MAX)];
    let at = one.len();
    let cases = [
        (seek_table(&longer, false), "frame 1 is longer than the file".to_owned()),
        (seek_table(&shorter, false), format!("its frames end at byte {at} of the file")),
        (seek_table(&other, false), format!("frame 1 is another one at byte {at} of the file")),
        (seek_table(&huge, true), "frame 1 is longer than the file".to_owned()),
    ];
    for (table, what) in cases {
        assert_eq!(refused(&with(table), None), format!("{name}{what}"));
    }
    let mut table = seek_table(&sizes, false);
    let count = table.len() - 9;
    table[count] = 3;
    let what = "it lists 3 frames, but its own length is another";
    assert_eq!(refused(&with(table.clone()), None), format!("{name}{what}"));
    table[count..count + 4].copy_from_slice(&[0xff; 4]);
    let what = "it lists 4294967295 frames, for which the file is too short";
    assert_eq!(refused(&with(table.clone()), None), format!("{name}{what}"));
    let mut table = seek_table(&sizes, false);
    let flags = table.len() - 5;
    table[flags] = 4;
    assert_eq!(
        reason(&with(table)),
        "the seek table is of a kind that is not known: penstock recompress makes one that can"
    );
}

#[test]
fn a_table_that_cannot_be_checked_is_checked_by_its_pieces() {
    let (one, two) = (silent_frame(&sample(500)), silent_frame(&sample(300)));
    for (says, reason) in [
        (499, "the piece at byte 0 of the file has more text than it says"),
        (501, "the piece at byte 0 of the file has less text than it says"),
    ] {
        let table = seek_table(&[(one.len() as u32, says), (two.len() as u32, 300)], false);
        let packed = [&one[..], &two, &table].concat();
        let (rest, fault) = read_from(&find(&packed), &packed, 100, 64);
        let reason = format!("the table of the zstd data contradicts it: {reason}");
        let end = u64::from(says).min(500);
        assert_eq!(fault, Some((Kind::Malformed, end, reason)));
        assert_eq!(rest, sample(500)[100..end as usize]);
    }
}

#[test]
fn an_index_of_xz_that_contradicts_the_file_is_refused() {
    let text = sample(20_000);
    let packed = xz(&text, 5_000);
    let name = "the table of the xz data contradicts it: ";
    let end = packed.len();
    let frames = find(&packed);
    assert!(frames.len() > 1);
    for (at, what) in [
        (end - 12, "the checksum of a stream's end is another"),
        (end - 13, "an index is damaged"),
        (7, "the blocks of an index do not begin with a stream"),
    ] {
        let mut changed = packed.clone();
        changed[at] ^= 1;
        assert_eq!(refused(&changed, None), format!("{name}{what}"));
    }
    // A byte more in front of the blocks.
    let mut changed = packed[..12].to_vec();
    changed.extend([0; 4]);
    changed.extend(&packed[12..]);
    let what = "the blocks of an index do not begin with a stream";
    assert_eq!(refused(&changed, None), format!("{name}{what}"));
    let cut = &packed[..end - 1];
    assert_eq!(
        reason(cut),
        format!(
            "the xz data before byte {} of the file is not a whole stream, so it cannot be split",
            cut.len()
        )
    );
}

#[test]
fn other_files_are_read_as_a_whole() {
    let text = sample(1_000);
    let mixed = [block(b"one"), gzip(b"two")].concat();
    let at = block(b"one").len();
    let silent = [frame(b"one"), silent_frame(b"two")].concat();
    let silent_at = frame(b"one").len();
    let cases = [
        (
            gzip(&text),
            "a gzip file that is not BGZF cannot be split: penstock recompress makes one that can"
                .to_owned(),
        ),
        (
            mixed,
            format!(
                "the gzip data at byte {at} of the file is not a block of BGZF, so the file cannot \
                 be split: penstock recompress makes one that can"
            ),
        ),
        (
            frame(&text),
            "a zstd file of one frame cannot be split: penstock recompress makes one that can"
                .to_owned(),
        ),
        (
            silent,
            format!(
                "the zstd frame at byte {silent_at} of the file does not say how long its text \
                 is, so the file cannot be split: penstock recompress makes one that can"
            ),
        ),
        (
            bzip2(&text, 1),
            "a bzip2 file of one block cannot be split: penstock recompress makes one that can"
                .to_owned(),
        ),
        ([bzip2(b"", 1), bzip2(b"", 9)].concat(), "the bzip2 file holds no text".to_owned()),
        (
            bzip2(&text, 1)[..100].to_vec(),
            "the bzip2 stream at byte 0 of the file is damaged, so it cannot be split".to_owned(),
        ),
        (
            xz(&text, 0),
            "an xz file of one block cannot be split: penstock recompress makes one that can"
                .to_owned(),
        ),
        (text, "the file is not compressed".to_owned()),
        (b"PK\x03\x04".to_vec(), "a zip archive cannot be split".to_owned()),
        (Vec::new(), "the file is not compressed".to_owned()),
    ];
    for (packed, expected) in cases {
        assert_eq!(reason(&packed), expected);
    }
}

/// Its length is in its header as well as in its text, and both may be wrong.
#[test]
fn a_piece_that_says_it_is_empty_is_read() {
    let mut packed = [block(b"one"), block(b"two")].concat();
    let end = block(b"one").len();
    packed[end - 8..end].fill(0);
    let frames = find(&packed);
    assert_eq!(begins(&frames), [0, 0]);
    let reason = "the table of the gzip data contradicts it: the piece at byte 0 of the file has \
                  more text than it says";
    let fault = read_from(&frames, &packed, 0, 64).1;
    assert_eq!(fault, Some((Kind::Malformed, 0, reason.to_owned())));
}

/// The begins of the pieces of a table.
fn begins(frames: &Frames) -> Vec<u64> {
    frames.pieces().iter().map(|piece| piece.text).collect()
}

#[test]
fn a_part_of_a_table_is_enough_for_a_split() {
    let text = sample(50_000);
    for (name, packed) in all(&text, 5_000) {
        let frames = find(&packed);
        for (from, to) in
            [(0, 50_000), (12_500, 30_500), (15_000, 30_000), (49_999, 50_000), (50_000, 50_000)]
        {
            let part = frames.part(from..to);
            let bytes = part.encode();
            if !name.starts_with("xz") {
                assert!(part.len() <= 2 && bytes.len() < 30, "{name} {}", bytes.len());
            }
            let part = Arc::new(Frames::decode(&bytes).unwrap());
            assert_eq!(*part, frames.part(from..to), "{name}");
            let (rest, fault) = read_from(&part, &packed, from, 777);
            if name.starts_with("xz") {
                assert!(rest.len() as u64 >= to - from, "{name} {from}");
                assert!(text[from as usize..].starts_with(&rest), "{name} {from}");
                let end = from + rest.len() as u64;
                let reason = format!("this part of the table ends at {end}");
                let expected = (end < 50_000).then_some((Kind::Malformed, end, reason));
                assert_eq!(fault, expected, "{name} {from}");
            } else {
                assert!(fault.is_none() && rest == text[from as usize..], "{name} {fault:?}");
            }
        }
        assert_eq!(Frames::decode(&frames.encode()).as_ref(), Some(&*frames), "{name}");
    }
    let packed: Vec<u8> = text.chunks(5_000).flat_map(block).collect();
    let frames = find(&packed);
    assert_eq!(begins(&frames.part(12_500..30_500)), [10_000, 35_000]);
    assert_eq!(begins(&frames.part(10_000..30_000)), [10_000, 30_000]);
    assert_eq!(begins(&frames.part(0..1)), [0, 5_000]);
    assert_eq!(begins(&frames.part(47_500..50_000)), [45_000]);
    let (rest, fault) = read_from(&Arc::new(frames.part(12_500..20_000)), &packed, 9_999, 777);
    let reason = "this part of the table begins at 10000, behind 9999".to_owned();
    assert_eq!((rest, fault), (Vec::new(), Some((Kind::Malformed, 9_999, reason))));
}

#[test]
fn a_part_of_a_table_of_many_blocks_of_xz_has_those_of_its_range() {
    let text = sample(400_000);
    let streams: Vec<u8> = text.chunks(10_000).flat_map(|part| xz(part, 0)).collect();
    let frames = find(&streams);
    assert_eq!(frames.len(), 40);
    let part = frames.part(105_000..135_000);
    assert_eq!(begins(&part), [100_000, 110_000, 120_000, 130_000, 140_000]);
    assert!(part.encode().len() < 120);
    let part = Arc::new(Frames::decode(&part.encode()).unwrap());
    let (rest, fault) = read_from(&part, &streams, 105_000, 777);
    assert!(rest == text[105_000..140_000]);
    let reason = "this part of the table ends at 140000".to_owned();
    assert_eq!(fault, Some((Kind::Malformed, 140_000, reason)));
    let last = Arc::new(frames.part(385_000..u64::MAX));
    assert_eq!(begins(&last), [380_000, 390_000]);
    assert_eq!(read_from(&last, &streams, 385_000, 777), (text[385_000..].to_vec(), None));
}

#[test]
fn a_table_for_parts_is_enough_for_them() {
    let text = sample(100_000);
    for (name, packed) in all(&text, 1_000) {
        let frames = find(&packed);
        let begins = [10_500, 33_333, 34_000, 90_000];
        let few = frames.for_parts_at(begins);
        assert!(few.len() <= 5 || name.starts_with("xz"), "{name}");
        assert_eq!(few.text(), 100_000);
        for from in begins {
            let part = Arc::new(few.part(from..from + 5_000));
            assert_eq!(part.pieces()[0].text, frames.pieces()[frames.piece_at(from)].text);
            let (rest, fault) = read_from(&part, &packed, from, 777);
            assert!(text[from as usize..].starts_with(&rest), "{name} {from}");
            assert!(fault.is_none() || rest.len() >= 5_000, "{name} {from}");
        }
    }
}

/// It would have wrong offsets everywhere.
#[test]
fn a_table_as_text_is_for_one_purpose() {
    let packed: Vec<u8> = sample(3_000).chunks(100).flat_map(frame).collect();
    let frames = find(&packed);
    let text = frames.to_text("the file");
    assert_eq!(Frames::from_text(&text, "the file").as_ref(), Some(&*frames));
    assert_eq!(Frames::from_text(&text, "another file"), None);
    for other in ["", "?", "AAAA", "AAAAAAAA", "é", &text[4..], &text[..text.len() - 4]] {
        assert_eq!(Frames::from_text(other, "the file"), None, "{other}");
    }
    assert_eq!(Frames::from_text(&frames.part(500..700).to_text("a part"), "the file"), None);
}

/// A file that says how much is read of it.
struct Counted(Bytes, Arc<AtomicU64>);

impl ReadAt for Counted {
    fn read_exact_at(&self, out: &mut [u8], offset: u64) -> io::Result<()> {
        self.1.fetch_add(out.len() as u64, Ordering::Relaxed);
        self.0.read_exact_at(out, offset)
    }
}

#[test]
fn a_reader_with_a_part_of_a_table_reads_its_range_alone() {
    let text = sample(3_000_000);
    let packed: Vec<u8> = text.chunks(1_000).flat_map(block).collect();
    let walked = find(&packed);
    let entries: Vec<_> = walked.pieces().iter().map(|it| (it.at, it.text)).skip(1).collect();
    let found = Frames::find(&Bytes(packed.clone()), packed.len() as u64, Some(&gzi(&entries)));
    for frames in [walked, Arc::new(found.unwrap().unwrap())] {
        let part = Frames::decode(&frames.part(2_000_500..2_100_000).encode()).unwrap();
        let read = Arc::new(AtomicU64::new(0));
        let file = Counted(Bytes(packed.clone()), Arc::clone(&read));
        let limits = Limits::default();
        let mut source =
            Source::inside(&Arc::new(part), Box::new(file), 2_000_500, &limits).unwrap();
        let mut out = vec![0; 99_500];
        let mut filled = 0;
        while filled < out.len() {
            match source.read(&mut out[filled..]) {
                Ok(count) => filled += count,
                Err(error) => assert!(matches!(error, SourceError::Idle), "{error}"),
            }
        }
        assert!(out == text[2_000_500..2_100_000]);
        // The chunks that have the range, and a few headers to compare.
        let chunk = 64 << 10;
        let range = (packed.len() / 30) as u64;
        let read = read.load(Ordering::Relaxed);
        assert!(read < range.next_multiple_of(chunk) + 4 * 4_096, "{read} of {range}");
    }
}

/// The entries of a `.gzi` are compared with the file also by whoever has a part of them only.
#[test]
fn a_part_of_an_index_that_contradicts_the_file_is_refused() {
    let text = sample(50_000);
    let packed: Vec<u8> = text.chunks(1_000).flat_map(block).collect();
    let walked = find(&packed);
    let entries: Vec<_> = walked.pieces().iter().map(|it| (it.at, it.text)).skip(1).collect();
    let size = packed.len() as u64;
    let read = |entries: &[(u64, u64)], offset: u64| {
        let found = Frames::find(&Bytes(packed.clone()), size, Some(&gzi(entries)));
        let part = found.unwrap().unwrap().part(offset..offset + 8_000);
        assert!(part.encode().len() < 60);
        read_from(&Arc::new(Frames::decode(&part.encode()).unwrap()), &packed, offset, 777)
    };
    for offset in [0, 500, 20_000, 20_500, 49_500, 50_000] {
        assert_eq!(read(&entries, offset), (text[offset as usize..].to_vec(), None), "{offset}");
    }
    for wrong in [18, 19, 20] {
        let mut changed = entries.clone();
        changed[wrong].1 += 1;
        let (rest, fault) = read(&changed, 20_500);
        assert!(rest.is_empty() && fault.is_some(), "{wrong}");
    }
}

#[test]
fn damage_is_found_with_a_part_of_a_table() {
    let text = sample(50_000);
    for (name, packed) in all(&text, 5_000) {
        let mut damaged = packed.clone();
        let frames = find(&packed);
        let piece = frames.pieces()[frames.piece_at(27_500)];
        let (at, size) = bytes_of(&frames, &piece);
        damaged[(at + size / 2) as usize] ^= 0x10;
        let whole = read_from(&frames, &damaged, 12_500, 777);
        assert!(whole.1.is_some(), "{name}");
        let part = Arc::new(frames.part(12_500..35_000));
        assert_eq!(read_from(&part, &damaged, 12_500, 777), whole, "{name}");
    }
}

#[test]
fn bytes_that_are_no_table() {
    let packed: Vec<u8> = sample(3_000).chunks(100).flat_map(frame).collect();
    let good = find(&packed).encode();
    assert_eq!(Frames::decode(b""), None);
    for end in 0..good.len() {
        assert_eq!(Frames::decode(&good[..end]), None, "{end}");
    }
    forged(&packed, &good);
    // With a stream that has pieces inside.
    let packed = bzip2(&sample(250_000), 1);
    forged(&packed, &find(&packed).part(120_000..130_000).encode());
}

/// Changes each bit of a table.
fn forged(packed: &[u8], good: &[u8]) {
    for at in 0..good.len() {
        for bit in 0..8 {
            let mut bytes = good.to_vec();
            bytes[at] ^= 1 << bit;
            let Some(frames) = Frames::decode(&bytes) else { continue };
            let frames = Arc::new(frames);
            // Whatever it says, reading ends.
            for offset in [0, frames.text() / 2, frames.text()] {
                let file = Box::new(Bytes(packed.to_vec()));
                let Ok(mut source) = Source::inside(&frames, file, offset, &Limits::default())
                else {
                    continue;
                };
                let mut out = [0; 512];
                while !matches!(
                    source.read(&mut out),
                    Ok(0) | Err(SourceError::Fault(_) | SourceError::Io(_))
                ) {}
            }
        }
    }
}

/// Text whose alphabet says the magic number of a block: each block of it has that number, too.
fn tricky(n: usize) -> Vec<u8> {
    let alphabet = b"BCGIOQSTWZ]^acfgiklo";
    let letter = |byte: u8| alphabet[usize::from(byte) % alphabet.len()];
    sample(n).iter().enumerate().map(|(at, byte)| letter(byte.wrapping_add(at as u8))).collect()
}

/// Files of bzip2 with blocks inside of streams, the text, and how many blocks there are at least.
fn blocks() -> Vec<(&'static str, Vec<u8>, Vec<u8>, usize)> {
    let text = sample(450_000);
    let mut mixed = bzip2(b"", 3);
    let mut levels = bzip2(b"", 9);
    for (nth, part) in text.chunks(230_000).enumerate() {
        mixed.extend(bzip2(part, 1 + nth as u32));
        mixed.extend(bzip2(b"", 1));
        mixed.extend(bzip2(b"x", 2));
    }
    for (nth, part) in text.chunks(50_000).enumerate() {
        levels.extend(bzip2(part, 9 - nth as u32));
    }
    let said = [&text[..230_000], b"x", &text[230_000..], b"x"].concat();
    let zeros = [vec![0; 3_000_000], sample(200_000)].concat();
    vec![
        ("one stream", bzip2(&text, 1), text.clone(), 5),
        ("streams", mixed, said, 7),
        ("levels", levels, text, 9),
        ("numbers", bzip2(&tricky(350_000), 1), tricky(350_000), 4),
        ("zeros", bzip2(&zeros, 1), zeros, 3),
    ]
}

#[test]
fn blocks_of_bzip2() {
    for (name, packed, text, least) in blocks() {
        let frames = find(&packed);
        assert_eq!(frames.text(), text.len() as u64, "{name}");
        assert!(frames.len() >= least, "{name} {}", frames.len());
        for threads in [2, 3] {
            assert_eq!(search(&packed, threads).as_ref(), Ok(&*frames), "{name}");
        }
        assert_eq!(Frames::decode(&frames.encode()).as_ref(), Some(&*frames));
        let mut offsets = vec![0, 1, 229_999, 230_000, 230_001, text.len() as u64 - 1];
        for begin in begins(&frames) {
            offsets.extend([begin.saturating_sub(1), begin, begin + 1]);
        }
        for offset in offsets {
            let step = 1_000 + offset as usize % 100_000;
            let (rest, fault) = read_from(&frames, &packed, offset, step);
            assert!(fault.is_none() && rest == text[offset as usize..], "{name} {offset}");
            let part = frames.part(offset..offset + 1_000).encode();
            assert!(part.len() < 50, "{name} {}", part.len());
            let part = Arc::new(Frames::decode(&part).unwrap());
            assert!(read_from(&part, &packed, offset, 70_000) == (rest, None), "{name} {offset}");
        }
    }
}

#[test]
fn a_file_of_bzip2_that_expands_too_much_is_not_split() {
    let zeros = bzip2(&vec![0; 30_000_000], 1);
    let limits = Limits { ratio: Some(100_000), ..Limits::default() };
    assert!(zeros.len() < 300);
    for packed in [zeros.repeat(3), [&zeros.repeat(2)[..], &zeros[..zeros.len() - 1]].concat()] {
        let reason = "the bzip2 data expands to more than 100000 times its size (limits.ratio)";
        let found = search_within(&packed, 2, &limits);
        assert_eq!(found.map_err(|whole| whole.reason), Err(reason.to_owned()));
        assert!(read_whole(&packed, &limits).1.is_some());
        let none = Limits { ratio: None, ..Limits::default() };
        assert!(search_within(&packed, 2, &none).is_ok());
    }
}

/// What is in front of the damage is split, and whoever reads the last part meets it.
#[test]
fn files_of_bzip2_that_are_damaged() {
    let text = sample(130_000);
    let good = [bzip2(&text, 1), bzip2(&text, 1), bzip2(&text[..500], 9)].concat();
    let stream = bzip2(&text, 1).len();
    let mut files = vec![[&good[..], b"garbage"].concat(), [&good[..], &[0; 9]].concat()];
    files.extend([[&good[..stream], b"BZh0", &good[stream..]].concat()]);
    files.extend([[&good[..stream], &good[stream + 1..]].concat()]);
    files.extend((0..good.len()).step_by(good.len() / 20).map(|end| good[..end].to_vec()));
    let bits = (0..8 * good.len()).step_by(8 * good.len() / 25);
    // The ends of streams, too.
    let ends = (8 * (stream - 12)..8 * (stream + 15)).step_by(7);
    for bit in bits.chain(ends).chain([8 * good.len() - 9]) {
        let mut flipped = good.clone();
        flipped[bit / 8] ^= 0x80 >> (bit % 8);
        files.push(flipped);
    }
    let (mut split, frames) = (0, find(&good));
    for (nth, file) in files.iter().enumerate() {
        let (whole, expected) = read_whole(file, &Limits::default());
        if let Ok(found) = search(file, 1 + nth % 2) {
            split += 1;
            assert_eq!(found.text(), whole.len() as u64, "{nth}");
            let found = Arc::new(found);
            for piece in found.pieces() {
                let (rest, fault) = read_from(&found, file, piece.text, 50_000);
                assert_eq!(fault, expected, "{nth}");
                assert!(rest == whole[piece.text as usize..], "{nth}");
            }
        }
        // The table was made before.
        for piece in frames.pieces().iter().filter(|_| file.len() == good.len()) {
            let (rest, fault) = read_from(&frames, file, piece.text, 50_000);
            let known = [&text[..], &text, &text[..500]].concat();
            if fault.is_none() && rest != known[piece.text as usize..] {
                assert!(read_from(&frames, file, 0, 50_000).1.is_some(), "{nth}");
            }
        }
    }
    assert!(split > 30, "{split} of {}", files.len());
}

/// The shortest block of BGZF has 28 bytes, so a file could have more pieces than the memory holds.
#[test]
fn many_small_pieces_are_joined() {
    let (empty, full) = (block(b""), block(b"x"));
    let mut packed = Vec::new();
    for _ in 0..550_000 {
        packed.extend_from_slice(&full);
        packed.extend_from_slice(&empty);
    }
    let frames = find(&packed);
    assert_eq!((frames.len(), frames.text()), (550_000, 550_000));
    let pair = (full.len() + empty.len()) as u64;
    assert_eq!(frames.pieces()[5], Piece { at: 5 * pair, size: pair, text: 5 });
    let (rest, fault) = read_from(&frames, &packed, 549_000, 100);
    assert_eq!((rest, fault), (vec![b'x'; 1_000], None));
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 16,
        rng_seed: RngSeed::Fixed(1),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn any_offset_in_blocks_of_bzip2(
        lengths in prop::collection::vec((0..150_000_usize, 1..10_u32), 1..4),
        at in 0.0..=1.0,
        length in 0..100_000_u64,
        step in 1..200_000_usize,
        threads in 1..4_usize,
    ) {
        let (mut packed, mut text) = (Vec::new(), Vec::new());
        for (length, level) in lengths {
            let part = sample(length);
            packed.extend(bzip2(&part, 1 + level % 3));
            text.extend(part);
        }
        let Ok(frames) = search(&packed, threads) else { return Ok(()) };
        let offset = (at * text.len() as f64) as u64;
        for frames in [frames.part(offset..offset + length), frames] {
            let (rest, fault) = read_from(&Arc::new(frames), &packed, offset, step);
            prop_assert!(fault.is_none(), "{:?}", fault);
            prop_assert!(rest == text[offset as usize..]);
        }
    }

    #[test]
    fn any_offset_gives_the_rest_of_the_text(
        length in 1..60_000_usize,
        piece in 1_000..20_000_usize,
        at in 0.0..=1.0,
        step in 1..20_000_usize,
    ) {
        let text = sample(length);
        let offset = (at * length as f64) as usize;
        for (name, packed) in all(&text, piece) {
            let Ok(frames) = search(&packed, 1) else { continue };
            prop_assert_eq!(read_whole(&packed, &Limits::default()), (text.clone(), None));
            let (rest, fault) = read_from(&Arc::new(frames), &packed, offset as u64, step);
            prop_assert!(fault.is_none(), "{}: {:?}", name, fault);
            prop_assert!(rest == text[offset..], "{}", name);
        }
    }
}

/// Files that the usual tools have made: see testdata/frames.
#[test]
fn files_of_the_usual_tools() {
    let row = |id: u32| format!("{{\"id\": {id}, \"name\": \"n{}\"}}\n", id * id % 97);
    let text = (0..9_000).map(row).collect::<String>().into_bytes();
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/frames/rows.ndjson");
    let read = |suffix: &str| std::fs::read(format!("{folder}{suffix}")).unwrap();
    let cases = [
        (".gz", None, vec![0, 65_280, 130_560, 195_840, 249_500]),
        (".gz", Some(".gz.gzi"), vec![0, 65_280, 130_560, 195_840, 249_500]),
        (".xz", None, vec![0, 65_536, 131_072, 196_608]),
        (".zst", None, vec![0, 120_000]),
    ];
    for (suffix, index, begins) in cases {
        let packed = read(suffix);
        let (file, index) = (Bytes(packed.clone()), index.map(read));
        let found = Frames::find(&file, packed.len() as u64, index.as_deref()).unwrap();
        let frames = Arc::new(found.unwrap());
        let found: Vec<_> = frames.pieces().iter().map(|piece| piece.text).collect();
        assert_eq!((found, frames.text()), (begins, 249_500), "{suffix}");
        for offset in [0, 65_279, 65_280, 120_000, 200_000, 249_499, 249_500] {
            let (rest, fault) = read_from(&frames, &packed, offset, 5_000);
            assert!(fault.is_none() && rest == text[offset as usize..], "{suffix} {offset}");
        }
    }
}
