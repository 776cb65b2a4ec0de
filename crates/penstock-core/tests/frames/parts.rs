//! A part of a table is enough to read its range, and tables come back from bytes.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use penstock_core::error::Kind;
use penstock_core::limits::Limits;
use penstock_core::source::{Frames, ReadAt, Source, SourceError};

use crate::files::{Bytes, all, block, bzip2, frame, gzi, sample, xz};
use crate::reading::{begins, bytes_of, find, read_from};

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
