//! However CSV is cut, be it text or not, and whatever the longest row is: the same rows and faults.
//! And by an index, each row is the one of reading.
//!
//! The first bytes of the input choose the dialect and the pieces; the rest is the source.

#![no_main]

#[path = "../../crates/penstock-core/tests/csv/at_random.rs"]
#[allow(dead_code)]
mod at_random;
#[path = "csv_dialect.rs"]
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

use csv_dialect::Choices;
use reading::read;

fuzz_target!(|data: &[u8]| {
    let mut choices = Unstructured::new(data);
    let Ok(chosen) = Choices::arbitrary(&mut choices) else { return };
    let options = chosen.options();
    let source = choices.take_rest();
    // A source that begins like this is taken for UTF-16, or is it.
    let is_wide = source.iter().take(4).any(|byte| matches!(byte, 0 | 0xFE | 0xFF | 0xEF));
    if options.stops().is_err() || is_wide {
        return;
    }
    let row = if chosen.short { 12 } else { Limits::default().row };
    let limits = Limits { row, ..Limits::default() };
    let piece = usize::from(chosen.piece) + 1;
    let whole = read(source, &options, &limits, source.len().max(1), false);
    assert_eq!(read(source, &options, &limits, piece, chosen.pauses), whole);
    at_random::check(source, &options, &limits, 2 + usize::from(chosen.piece % 4), piece);
});
