//! Documents of words against a naive tree.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../json/documents.rs"]
#[allow(dead_code, reason = "the tests of the reader use all of it")]
mod documents;
#[path = "../json/naive.rs"]
#[allow(dead_code, reason = "as above")]
mod naive;
#[path = "../json/recording.rs"]
#[allow(dead_code, reason = "as above")]
mod recording;
mod tree;

use penstock_core::limits::Limits;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use tree::{POLICIES, check};

fn check_all(text: &str, cuts: &[usize]) {
    for duplicates in POLICIES {
        check(text, cuts, duplicates, &Limits::default());
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 400,
        rng_seed: RngSeed::Fixed(22),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn documents(text in documents::document(), cuts in prop::collection::vec(0_usize..400, 0..4)) {
        let mut cuts: Vec<usize> = cuts.into_iter().filter(|cut| *cut < text.len()).collect();
        cuts.sort_unstable();
        check_all(&text, &cuts);
    }

    #[test]
    fn damaged_documents(text in documents::damaged(documents::document())) {
        check_all(&text, &[]);
    }

    /// The same keys in many orders, and some keys twice in one map.
    #[test]
    fn maps_with_keys_in_common(
        maps in prop::collection::vec(prop::collection::vec((0_usize..9, 0_usize..3), 0..7), 0..12),
    ) {
        let names = ["a", "b", "", "name", "a longer key", "k\\u0031", "k1", "\\n", "é"];
        let values = ["1", "[{}, {\"a\": {\"b\": 2}}]", "{\"name\": 1, \"b\": []}"];
        let maps: Vec<String> = maps.iter().map(|members| {
            let members: Vec<String> = members.iter()
                .map(|(name, value)| format!("\"{}\":{}", names[*name], values[*value]))
                .collect();
            format!("{{{}}}", members.join(","))
        }).collect();
        check_all(&format!("[{}]", maps.join(", ")), &[]);
    }
}

#[test]
fn every_cut() {
    let text = r#"{"a": [1.50, -0, 1e400, "b\n", "longer than a word"], "é": {"a": null, "a": 12345678901234567890}}"#;
    for cut in 0..text.len() {
        check_all(text, &[cut]);
    }
}

/// More keys and more continuations than a shape has, and maps of both kinds inside each other.
#[test]
fn maps_that_keep_their_keys() {
    for count in [2, 12, 13, 31, 33, 255, 256, 257, 400] {
        let members: Vec<String> =
            (0..count).map(|n| format!("\"key {}\": [{{\"x\": {n}}}]", n * 7 % 300)).collect();
        check_all(&format!("{{{}}}", members.join(",")), &[]);
        let maps: Vec<String> = (0..count).map(|n| format!("{{\"k{n}\": {{\"x\": 1}}}}")).collect();
        check_all(&format!("[{}]", maps.join(",")), &[]);
    }
}
