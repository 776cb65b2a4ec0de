//! A file that is damaged is an error, where a reader from the start finds it.

use std::sync::Arc;

use penstock_core::error::Kind;
use penstock_core::limits::Limits;
use penstock_core::source::Frames;

use crate::files::{Bytes, all, block, sample};
use crate::reading::{begins, bytes_of, find, read_from, read_whole};

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
