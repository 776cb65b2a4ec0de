//! CSV in any dialect: the rows and faults of the naive twin, in pieces of any size.
//!
//! The first bytes of the input choose the dialect and the pieces; the rest is the text.

#![no_main]

#[path = "csv_dialect.rs"]
#[allow(dead_code)]
mod csv_dialect;
#[path = "../../crates/penstock-core/tests/csv/naive.rs"]
#[allow(dead_code)]
mod naive;
#[path = "../../crates/penstock-core/tests/csv/reading.rs"]
#[allow(dead_code)]
mod reading;

use libfuzzer_sys::arbitrary::{Arbitrary, Unstructured};
use libfuzzer_sys::fuzz_target;
use penstock_core::limits::Limits;
use penstock_scan::ValidText;

use csv_dialect::Choices;
use naive::naive;
use reading::read;

fuzz_target!(|data: &[u8]| {
    let mut choices = Unstructured::new(data);
    let Ok(chosen) = Choices::arbitrary(&mut choices) else { return };
    let options = chosen.options();
    let text = ValidText::check(choices.take_rest()).text.as_str();
    // A text that begins like this is taken for UTF-16.
    if options.stops().is_err() || text.as_bytes().iter().take(4).any(|byte| *byte == 0) {
        return;
    }
    let expected = naive(text, &options);
    let piece = usize::from(chosen.piece) + 1;
    let mut told = read(text.as_bytes(), &options, &Limits::default(), piece, chosen.pauses);
    // Without a row, nobody was told the names.
    if told.names.is_none() && expected.rows.iter().all(Result::is_err) {
        told.names.clone_from(&expected.names);
    }
    assert_eq!(told, expected);
});
