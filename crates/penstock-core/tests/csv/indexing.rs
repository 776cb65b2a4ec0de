//! Any row of a file, by an index: the same rows and faults as those of reading, at the same
//! places.

use crate::at_random::{check, check_some, from_start, read};
use penstock_core::csv::{Header, Options, Terminator};
use penstock_core::index::Lookup;
use penstock_core::limits::Limits;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

fn source() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        6 => Just(&b"\n"[..]),
        1 => Just(&b"\r\n"[..]),
        1 => Just(&b"\r"[..]),
        6 => Just(&b","[..]),
        3 => Just(&b"\""[..]),
        1 => Just(&b"\"\""[..]),
        4 => Just(&b"a"[..]),
        2 => Just(&b"\xC3\xA9"[..]),
        1 => Just(&b"\xFF"[..]),
        1 => Just(&b"\0"[..]),
        1 => Just(&b"#"[..]),
        1 => Just(&b"\\"[..]),
        1 => Just(&b";"[..]),
        1 => Just(&b"\"x\ny\","[..]),
    ];
    prop::collection::vec(piece, 0..70).prop_map(|pieces| pieces.concat())
}

fn dialect() -> impl Strategy<Value = Options> {
    let terminator = prop_oneof![
        3 => Just(Terminator::AsFirst),
        1 => Just(Terminator::Any),
        1 => Just(Terminator::Exactly(";".into())),
    ];
    let header = prop_oneof![
        3 => Just(Header::First),
        2 => Just(Header::Positions),
        1 => Just(Header::InputView(vec!["x".into()])),
        1 => Just(Header::InputView(vec!["x".into(), "y".into()])),
        1 => Just(Header::Joined(2, " ".into())),
    ];
    (terminator, header, any::<[bool; 4]>(), 0..3_u64).prop_map(
        |(terminator, header, [quote, escape, comment, trim], skip)| Options {
            quote: quote.then_some(b'"'),
            escape: escape.then_some(b'\\'),
            comment: comment.then(|| "#".into()),
            terminator,
            header,
            trim,
            skip,
            ..Options::default()
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 500,
        rng_seed: RngSeed::Fixed(1),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn each_row_is_that_of_reading(
        source in source(), options in dialect(), most in 2..6_usize, piece in 1..30_usize,
        row in prop_oneof![Just(16 << 20), 4..20_usize],
    ) {
        let limits = Limits { row, ..Limits::default() };
        check(&source, &options, &limits, most, piece);
    }
}

/// A quote that is never closed is sought up to the end of the file, far behind the next mark.
#[test]
fn a_row_may_reach_far() {
    let mut text = b"a,b\n1,\"\n".to_vec();
    for row in 0..200_000 {
        text.extend_from_slice(format!("{row},x\n").as_bytes());
    }
    check_some(&text, &Options::default(), 200_001, &[0, 1, 150_000, 200_000]);
    text.extend_from_slice(b"\"2\"");
    let all = read(&text, from_start(&text, &Options::default(), &Limits::default()), usize::MAX);
    assert_eq!(all.len(), 1);
}

/// The numbers of rows take as few bits as possible, the hash all others.
#[test]
fn rows_of_any_number() {
    let mut lookup = Lookup::new(3, 0);
    assert!(lookup.is_empty());
    lookup.add(1, b"more rows than there should be");
    assert!(lookup.is_empty());
    let mut lookup = Lookup::new(3, u64::MAX);
    lookup.add(1, b"x");
    assert_eq!(lookup.rows(b"any text, because no bit is left for the hash").next(), Some(1));
    assert_eq!(lookup.column(), 3);
}
