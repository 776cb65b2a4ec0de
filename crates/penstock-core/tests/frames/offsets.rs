//! Whoever begins at an offset gets what a reader from the start gets from there on.

use std::sync::Arc;

use penstock_core::error::Kind;
use penstock_core::limits::Limits;
use penstock_core::source::{Frames, Piece, Source};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use crate::files::{Bytes, all, block, frame, sample};
use crate::reading::{bytes_of, drain, find, read_from, read_whole, read_within, search};

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
