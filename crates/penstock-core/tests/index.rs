//! Where the records of a file are: beside a naive twin, in chunks of any size, and as bytes.

#![allow(clippy::unwrap_used, reason = "a failed test is what it is for")]

use penstock_core::index::{Fingerprint, Index, Indexer, Mark, Unusable, decode, encode, lines};
use proptest::prelude::*;

/// The lines with a record, by splitting the text.
fn naive(text: &[u8], start: u64) -> Vec<(Mark, Vec<u8>)> {
    let (mut offset, mut found) = (start, Vec::new());
    for (line, piece) in (1..).zip(text.split(|byte| *byte == b'\n')) {
        if piece.iter().any(|byte| !b" \t\r".contains(byte)) {
            found.push((Mark { offset, line }, piece.to_vec()));
        }
        offset += piece.len() as u64 + 1;
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

/// Looks each record up, and finds what the naive twin has.
fn check(index: &Index, text: &[u8], start: u64) {
    let expected = naive(text, start);
    assert_eq!(index.records(), expected.len() as u64);
    assert_eq!(index.size(), start + text.len() as u64);
    assert!(index.find(index.records()).is_none());
    for (record, (mark, content)) in (0..).zip(&expected) {
        let found = index.find(record).unwrap();
        assert!(found.skip < index.step());
        let from = (found.mark.offset - start) as usize;
        let near = &text[from..(found.end - start) as usize];
        let has_record = |(_, line): &(Mark, &[u8])| !penstock_core::index::is_blank(line);
        let (at, line) =
            lines(near, found.mark).filter(has_record).nth(found.skip as usize).unwrap();
        assert_eq!((at, line), (*mark, &content[..]));
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

        let of = Fingerprint { size: whole.size(), modified: -7, sample: 3 };
        let bytes = encode(&whole, &of);
        prop_assert_eq!(decode(&bytes, &of), Ok(whole));
    }

    #[test]
    fn damage_is_seen(text in text(), at in any::<prop::sample::Index>(), bit in 0..8_u32,
                      cut in any::<prop::sample::Index>()) {
        let of = Fingerprint { size: text.len() as u64, modified: 1, sample: 2 };
        let bytes = encode(&Index::of(&text), &of);
        let mut damaged = bytes.clone();
        damaged[at.index(bytes.len())] ^= 1 << bit;
        prop_assert!(decode(&damaged, &of).is_err());
        prop_assert!(decode(&bytes[..cut.index(bytes.len())], &of).is_err());
    }

    #[test]
    fn a_wrong_index_with_a_right_sum_does_no_harm(
        step in any::<u8>(), records in any::<u64>(), marks in any::<Vec<u8>>(),
    ) {
        let of = Fingerprint { size: 1_000, modified: 1, sample: 2 };
        let mut bytes = encode(&Index::of(b""), &of);
        bytes.truncate(28);
        bytes.extend_from_slice(&records.to_le_bytes());
        bytes.push(step);
        bytes.extend_from_slice(&marks);
        let sum = Fingerprint::digest([&bytes[..]]);
        bytes.extend_from_slice(&sum.to_le_bytes());
        if let Ok(index) = decode(&bytes, &of) {
            for record in [0, 1, index.records() / 2, index.records().saturating_sub(1)] {
                if let Some(found) = index.find(record) {
                    prop_assert!(found.mark.offset <= found.end && found.end <= 1_000);
                }
            }
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
    let of = Fingerprint { size: 4, modified: 1, sample: 2 };
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
fn an_index_of_many_records_stays_small() {
    let mut indexer = Indexer::with_most(0, 1_000);
    for _ in 0..10_000 {
        indexer.feed(b"{}\n{}\n\n{}\n");
    }
    let index = indexer.finish();
    assert_eq!((index.records(), index.step()), (30_000, 32));
    let of = Fingerprint { size: index.size(), modified: 0, sample: 0 };
    assert!(encode(&index, &of).len() < 4_000);
    let found = index.find(29_999).unwrap();
    assert_eq!((found.mark, found.skip), (Mark { offset: 99_947, line: 39_980 }, 15));
}
