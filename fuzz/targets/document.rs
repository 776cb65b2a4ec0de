//! A document as words, in two pieces: whatever is asked of it, it answers as the naive tree does.

#![no_main]

#[path = "../../crates/penstock-core/tests/json/naive.rs"]
#[allow(dead_code)]
mod naive;
#[path = "../../crates/penstock-core/tests/json/recording.rs"]
#[allow(dead_code)]
mod recording;
#[path = "../../crates/penstock-core/tests/document/tree.rs"]
mod tree;

use libfuzzer_sys::fuzz_target;
use penstock_core::limits::Limits;
use penstock_scan::ValidText;

fuzz_target!(|data: &[u8]| {
    let [cut, data @ ..] = data else { return };
    let text = ValidText::check(data).text.as_str();
    let limits = Limits { depth: 100, ..Limits::default() };
    for duplicates in tree::POLICIES {
        tree::check(text, &[usize::from(*cut)], duplicates, &limits);
    }
});
