//! A table is read, and refused if it contradicts its file. Files without one are read as a whole.

use std::sync::Arc;

use penstock_core::error::Kind;
use penstock_core::source::Frames;

use crate::files::{Bytes, block, bzip2, frame, gzi, gzip, sample, seek_table, silent_frame, xz};
use crate::reading::{find, read_from, reason, refused};

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
