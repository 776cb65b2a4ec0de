//! Which texts are JSON, and their values: compared with the twin and with serde_json.

use penstock_core::json::Framing;
use proptest::prelude::*;

use crate::documents::{damaged, document};
use crate::naive::What;
use crate::recording::Cuts;
use crate::values::value;
use crate::{config, expected, told};

proptest! {
    #![proptest_config(config(1_500))]

    #[test]
    fn documents_are_read_as_the_twin_reads_them(text in document(), skips in 0_u64..4) {
        let events = told(&text, Framing::Document, &Cuts::WHOLE, skips);
        prop_assert!(!matches!(events.last(), Some((_, What::Fault(_)))));
        prop_assert_eq!(events, expected(&text, Framing::Document, skips));
    }

    #[test]
    fn damage_is_found_where_the_twin_finds_it(text in damaged(document()), skips in 0_u64..4) {
        let events = told(&text, Framing::Document, &Cuts::WHOLE, skips);
        prop_assert_eq!(events, expected(&text, Framing::Document, skips));
    }

    /// Skipped text is validated like all other text.
    #[test]
    fn skipping_changes_no_verdict(text in damaged(document()), skips in 1_u64..100) {
        let fault = |skips| match told(&text, Framing::Document, &Cuts::WHOLE, skips).pop() {
            Some((at, What::Fault(kind))) => Some((at, kind)),
            _ => None,
        };
        prop_assert_eq!(fault(skips), fault(0));
    }

    #[test]
    fn values_are_those_of_serde_json(text in document()) {
        let value = value(&told(&text, Framing::Document, &Cuts::WHOLE, 0));
        prop_assert_eq!(value, Some(serde_json::from_str(&text).unwrap()));
    }

    #[test]
    fn verdicts_are_those_of_serde_json(text in damaged(document())) {
        let value = value(&told(&text, Framing::Document, &Cuts::WHOLE, 0));
        prop_assert_eq!(value, serde_json::from_str(&text).ok());
    }
}

/// Every text of up to four bytes made from the bytes that the grammar knows, and one other byte.
#[test]
fn every_short_text() {
    let alphabet = b"{}[],:\"\\01-.eEtn \nx";
    for length in 0..=4 {
        for pick in 0..alphabet.len().pow(length) {
            let bytes =
                (0..length).map(|n| alphabet[pick / alphabet.len().pow(n) % alphabet.len()]);
            let text: String = bytes.map(char::from).collect();
            let events = told(&text, Framing::Document, &Cuts::WHOLE, 0);
            assert_eq!(events, expected(&text, Framing::Document, 0), "{text:?}");
        }
    }
}

/// A document cut anywhere is truncated and has no other fault; only numbers at the root are still
/// complete.
#[test]
fn truncated_at_every_byte() {
    let text =
        r#" {"a\u00e9": [1.5e-7, "𝄞\ud834\udd1e\n", {"b": {}}, true, false, null], "水": [[]]} "#;
    for (end, _) in text.char_indices().take_while(|(end, _)| *end < text.len() - 1) {
        for skips in 0..8 {
            let events = told(&text[..end], Framing::Document, &Cuts::WHOLE, skips);
            let fault = What::Fault(penstock_core::error::Kind::Truncated);
            assert_eq!(events.last(), Some(&(end, fault)), "{:?}", &text[..end]);
        }
    }
}
