//! Blocks of bzip2, which begin at any bit, and of which no table says anything.

use std::sync::Arc;

use penstock_core::limits::Limits;
use penstock_core::source::Frames;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use crate::files::{bzip2, sample};
use crate::reading::{begins, find, read_from, read_whole, search, search_within};

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
}
