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

use parts::{Form, Shown, same, same_in};

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
    let form = forms[usize::from(form) % forms.len()];
    same(form, text, ALL, None, &cuts);
    // The same in windows of a few bytes, between which the planner hops on.
    let step = 1 + cuts[0] as usize;
    same_in(form, text, step, None, &cuts, Shown::Place);
});
