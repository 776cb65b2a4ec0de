//! The parts of any text are the text: the events of their records, the numbers, and the problems
//! with their places, wherever it is cut. No threads count records here: what they reach would
//! depend on when they run, and each run of a fuzzer is to be the same.
//!
//! The first bytes of the input choose; the rest is the text.

#![no_main]

#[path = "../../crates/penstock-core/tests/split/parts.rs"]
mod parts;

use libfuzzer_sys::arbitrary::{self, Arbitrary, Unstructured};
use libfuzzer_sys::fuzz_target;
use penstock_scan::ValidText;

use parts::{Form, same};

/// More bytes than a text has: an excerpt shows as much of a line as has come.
const ALL: usize = 1 << 16;

#[derive(Arbitrary, Debug)]
struct Choices {
    form: u8,
    cuts: [u8; 6],
}

fuzz_target!(|data: &[u8]| {
    let mut choices = Unstructured::new(data);
    let Ok(Choices { form, cuts }) = Choices::arbitrary(&mut choices) else { return };
    let text = ValidText::check(choices.take_rest()).text.as_str();
    let forms = [Form::Lines, Form::Array, Form::Inside, Form::Rows, Form::Elements, Form::Children];
    let mut cuts = cuts.map(u64::from);
    cuts.sort_unstable();
    same(forms[usize::from(form) % forms.len()], text, ALL, None, &cuts);
});
