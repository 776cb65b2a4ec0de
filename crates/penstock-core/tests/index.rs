//! The positions of a file's records: compared with a naive twin, in chunks of any size, and stored
//! as bytes.

#![allow(clippy::unwrap_used, reason = "a failed test is what it is for")]

use penstock_core::index::{
    Cursor, Fingerprint, Found, Index, Indexer, Mark, Rules, Stuck, Unusable, decode, encode,
};
use penstock_core::source::ReadAt;
use proptest::prelude::*;
use std::io;

/// A file in memory, and the offset of its first byte.
struct Memory<'a>(&'a [u8], u64);

impl ReadAt for Memory<'_> {
    fn read_exact_at(&self, out: &mut [u8], offset: u64) -> io::Result<()> {
        let Memory(bytes, start) = *self;
        let from = (offset - start) as usize;
        match bytes.get(from..from + out.len()) {
            Some(found) => out.copy_from_slice(found),
            None => return Err(io::ErrorKind::UnexpectedEof.into()),
        }
        Ok(())
    }
}

const ANY: usize = usize::MAX;

/// The lines with a record, by splitting the text.
fn naive(text: &[u8], start: u64) -> Vec<(Mark, Vec<u8>)> {
    let (mut offset, mut found) = (start, Vec::new());
    for (line, piece) in (1..).zip(text.split_inclusive(|byte| *byte == b'\n')) {
        if piece.iter().any(|byte| !b" \t\r\n".contains(byte)) {
            found.push((Mark::of_line(line, offset), piece.to_vec()));
        }
        offset += piece.len() as u64;
    }
    found
}

fn text() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        4 => Just(&b"\n"[..]),
        2 => Just(&b"{}"[..]),
        1 => Just(&b" \t"[..]),
        1 => Just(&b"\r\n"[..]),
        1 => Just(&b"\xC3\xA9"[..]),
        1 => Just(&b"\x0B"[..]),
    ];
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

/// Looks up each record, and compares it with the naive twin.
fn check(index: &Index, text: &[u8], start: u64) {
    let expected = naive(text, start);
    assert_eq!(index.records(), expected.len() as u64);
    assert_eq!(index.size(), start + text.len() as u64);
    assert!(index.find(index.records()).is_none());
    let file = Memory(text, start);
    for (record, (mark, content)) in (0..).zip(&expected) {
        let found = index.find(record).unwrap();
        assert!(found.skip < index.step());
        let mut cursor = Cursor::new(&file, found, found.end, ANY).unwrap();
        assert_eq!(cursor.next(&file).unwrap(), Some((*mark, &content[..])));
    }
    if let Some(found) = index.find(0) {
        let mut cursor = Cursor::new(&file, found, index.size(), ANY).unwrap();
        for (mark, content) in &expected {
            assert_eq!(cursor.next(&file).unwrap(), Some((*mark, &content[..])));
        }
        assert_eq!(cursor.next(&file).unwrap(), None);
    }
}

proptest! {
    #[test]
    fn each_record_is_found(text in text(), start in 0..4_u64, most in 2..9_usize,
                            cuts in prop::collection::vec(1..7_usize, 1..20)) {
        let mut indexer = Indexer::with_most(start, most);
        indexer.feed(&text);
        let whole = indexer.finish();
        check(&whole, &text, start);

        let mut indexer = Indexer::with_most(start, most);
        let (mut rest, mut cuts) = (&text[..], cuts.iter().cycle());
        while !rest.is_empty() {
            let (chunk, behind) = rest.split_at(rest.len().min(*cuts.next().unwrap()));
            indexer.feed(chunk);
            rest = behind;
        }
        prop_assert_eq!(&indexer.finish(), &whole);

        let of = Fingerprint { size: whole.size(), modified: -7, sample: 3, rules: Rules::Lines };
        let bytes = encode(&whole, &of);
        prop_assert_eq!(decode(&bytes, &of), Ok(whole));
    }

    #[test]
    fn damage_is_seen(text in text(), at in any::<prop::sample::Index>(), bit in 0..8_u32,
                      cut in any::<prop::sample::Index>()) {
        let of = Fingerprint { size: text.len() as u64, modified: 1, sample: 2, rules: Rules::Lines };
        let bytes = encode(&Index::of(&text), &of);
        let mut damaged = bytes.clone();
        damaged[at.index(bytes.len())] ^= 1 << bit;
        prop_assert!(decode(&damaged, &of).is_err());
        prop_assert!(decode(&bytes[..cut.index(bytes.len())], &of).is_err());
    }

    #[test]
    fn a_wrong_index_with_a_right_sum_does_no_harm(
        step in any::<u8>(), records in any::<u64>(), marks in any::<Vec<u8>>(),
        rows in any::<bool>(),
    ) {
        let rules = if rows { Rules::Dialect(7) } else { Rules::Lines };
        let of = Fingerprint { size: 1_000, modified: 1, sample: 2, rules };
        let mut bytes = encode(&Index::of(b""), &of);
        bytes.truncate(33);
        bytes.extend_from_slice(&records.to_le_bytes());
        bytes.push(step);
        bytes.extend_from_slice(&marks);
        let sum = Fingerprint::digest([&bytes[..]]);
        bytes.extend_from_slice(&sum.to_le_bytes());
        if let Ok(index) = decode(&bytes, &of) {
            for record in [0, 1, index.records() / 2, index.records().saturating_sub(1)] {
                if let Some(found) = index.find(record) {
                    prop_assert!(found.mark.offset <= found.end && found.end <= 1_000);
                    let most = if rows { 1_000 } else { 500 };
                    prop_assert!(index.records() <= most);
                }
            }
        }
    }

    /// What an index of a real text may claim, and no more.
    #[test]
    fn an_index_claims_no_more_than_its_file_has_room_for(
        text in text(), most in 2..9_usize, more in 1..u64::MAX,
    ) {
        let mut indexer = Indexer::with_most(0, most);
        indexer.feed(&text);
        let index = indexer.finish();
        let of = Fingerprint { size: index.size(), modified: 1, sample: 2, rules: Rules::Lines };
        let mut bytes = encode(&index, &of);
        // Within the last step, so that the number of marks is still right.
        let room = index.records().next_multiple_of(index.step()) - index.records();
        let claimed = index.records() + if room == 0 { more } else { more % (room + 1) };
        bytes.truncate(bytes.len() - 4);
        bytes[33..41].copy_from_slice(&claimed.to_le_bytes());
        let sum = Fingerprint::digest([&bytes[..]]);
        bytes.extend_from_slice(&sum.to_le_bytes());
        if let Ok(index) = decode(&bytes, &of) {
            prop_assert!(2 * index.records() <= index.size() + 1);
        }
    }

    #[test]
    fn samples_lie_in_the_file(size in 0..(1_u64 << 40)) {
        let samples: Vec<_> = Fingerprint::samples(size).collect();
        prop_assert!(samples.iter().all(|(at, length)| at + *length as u64 <= size));
        let (last, length) = samples[samples.len() - 1];
        prop_assert_eq!((samples[0].0, last + length as u64), (0, size));
    }
}

#[test]
fn another_file_is_told_from_it() {
    let of = Fingerprint { size: 4, modified: 1, sample: 2, rules: Rules::Lines };
    let bytes = encode(&Index::of(b"[1]\n"), &of);
    for other in [
        Fingerprint { size: 5, ..of },
        Fingerprint { modified: 2, ..of },
        Fingerprint { sample: 3, ..of },
    ] {
        assert_eq!(decode(&bytes, &other), Err(Unusable::Stale));
    }
    assert_eq!(decode(b"{}", &of), Err(Unusable::Foreign));
    assert_eq!(decode(&[&bytes[..], b"\0"].concat(), &of), Err(Unusable::Damaged));
}

#[test]
fn a_forged_index_is_refused() {
    let of = Fingerprint { size: 4, modified: 1, sample: 2, rules: Rules::Lines };
    // The number of records, the logarithm of the step, and the marks of an index of "1\n2\n".
    let forged = |rules: Rules, records: u64, step: u8, marks: &[u8]| {
        let of = Fingerprint { rules, ..of };
        let mut bytes = encode(&Index::of(b""), &of);
        bytes.truncate(33);
        bytes.extend_from_slice(&records.to_le_bytes());
        bytes.push(step);
        bytes.extend_from_slice(marks);
        let sum = Fingerprint::digest([&bytes[..]]);
        bytes.extend_from_slice(&sum.to_le_bytes());
        decode(&bytes, &of).map(|index| index.records())
    };
    let both = [Rules::Lines, Rules::of_dialect("some")];
    for rules in both {
        assert_eq!(forged(rules, 2, 0, b"\x00\x01\0\x02\x01\0"), Ok(2));
        assert_eq!(forged(rules, 2, 1, b"\x00\x01\0"), Ok(2));
        for (records, step, marks) in [
            (1 << 62, 62, &b"\x00\x01\0"[..]),
            (5, 3, b"\x00\x01\0"),
            // Marks that are too near for the step, and behind the end.
            (4, 1, b"\x00\x01\0\x01\x01\0"),
            (2, 0, b"\x00\x01\0\x05\x01\0"),
            // More lines before the first mark than bytes, and line 0.
            (1, 0, b"\x00\x05\0"),
            (1, 0, b"\x00\x00\0"),
            // More characters before it than bytes, and a column that is too large.
            (1, 0, b"\x00\x01\x01"),
            (1, 0, b"\x00\x01\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01"),
        ] {
            let wrong = Err(Unusable::Damaged);
            assert_eq!(forged(rules, records, step, marks), wrong, "{records} {step}");
        }
    }
    // Records are on lines of their own, but rows need not be, and a row may have one byte.
    for (records, step, marks) in [
        (2, 0, &b"\x00\x01\0\x02\x00\0"[..]),
        (2, 0, b"\x00\x01\0\x01\x01\0"),
        (2, 0, b"\x00\x01\0\x02\x01\x01"),
        (4, 1, b"\x00\x01\0\x02\x02\0"),
        (3, 2, b"\x00\x01\0"),
    ] {
        let [lines, rows] = both.map(|rules| forged(rules, records, step, marks));
        assert_eq!((lines, rows), (Err(Unusable::Damaged), Ok(records)), "{records} {step}");
    }
}

#[test]
fn an_index_of_many_records_stays_small() {
    let mut indexer = Indexer::with_most(0, 1_000);
    for _ in 0..10_000 {
        indexer.feed(b"{}\n{}\n\n{}\n");
    }
    let index = indexer.finish();
    assert_eq!((index.records(), index.step()), (30_000, 32));
    let of = Fingerprint { size: index.size(), modified: 0, sample: 0, rules: Rules::Lines };
    assert!(encode(&index, &of).len() < 4_000);
    let found = index.find(29_999).unwrap();
    assert_eq!((found.mark, found.skip), (Mark::of_line(39_980, 99_947), 15));
}

#[test]
fn lines_are_read_across_blocks() {
    let lengths = [1, 262_142, 262_143, 262_144, 262_145, 3, 524_288, 700_000, 1];
    for line_end in [&b"\n"[..], b"\r\n", b"\n \n"] {
        let mut text = Vec::new();
        for length in lengths {
            text.resize(text.len() + length, b'x');
            text.extend_from_slice(line_end);
        }
        check(&Index::of(&text), &text, 0);
        text.truncate(text.len() - 1);
        check(&Index::of(&text), &text, 0);
    }
}

#[test]
fn a_line_may_be_too_long() {
    let text = [&b"x\n"[..], &[b'x'; 1_000_000], b"\ny\n"].concat();
    let (index, file) = (Index::of(&text), Memory(&text, 0));
    let mut cursor = Cursor::new(&file, index.find(0).unwrap(), index.size(), 1_000_000).unwrap();
    assert_eq!(cursor.next(&file).unwrap().unwrap().1, b"x\n");
    match cursor.next(&file) {
        Err(Stuck::TooLong(mark)) => assert_eq!(mark, Mark::of_line(2, 2)),
        other => panic!("{other:?}"),
    }
    let mut cursor = Cursor::new(&file, index.find(1).unwrap(), index.size(), 1_000_001).unwrap();
    assert_eq!(cursor.next(&file).unwrap().unwrap().1.len(), 1_000_001);
}

#[test]
fn another_file_than_that_of_the_index_is_seen() {
    let index = Index::of(b"{}\n{}\n");
    let found = index.find(1).unwrap();
    let wrong = Memory(b"{}{}{}\n", 0);
    assert!(matches!(Cursor::new(&wrong, found, found.end, ANY), Err(Stuck::Changed)));
    let few = Memory(b"{}\n{}\n", 0);
    let beyond = Found { skip: 1 << 61, ..found };
    assert!(matches!(Cursor::new(&few, beyond, beyond.end, ANY), Err(Stuck::Changed)));
    let short = Memory(b"{}\n{", 0);
    let found = Found { end: 6, ..found };
    let stuck = Cursor::new(&short, found, found.end, ANY);
    assert!(
        matches!(stuck, Err(Stuck::Unreadable(error)) if error.kind() == io::ErrorKind::UnexpectedEof)
    );
}
