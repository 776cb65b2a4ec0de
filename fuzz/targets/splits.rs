//! The parts of any text are the text: the events of their records, the numbers, and the problems
//! with their places, wherever it is cut. No threads count records here: what they reach would
//! depend on when they run, and each run of a fuzzer is to be the same.
//!
//! The first bytes of the input choose; the rest is the text, or the objects of a binary property list:
//! of each the length and its bytes.

#![no_main]

#[path = "../../crates/penstock-core/tests/split/parts.rs"]
mod parts;
#[path = "../../crates/penstock-core/tests/split/members.rs"]
mod members;

use libfuzzer_sys::arbitrary::{self, Arbitrary, Unstructured};
use libfuzzer_sys::fuzz_target;
use penstock_scan::ValidText;

use members::{assembled, same_members};
use parts::{Form, Shown, same, same_in};

/// More bytes than a text has: an excerpt shows as much of a line as has come.
const ALL: usize = 1 << 16;

/// From this form on, the input is a property list.
const MEMBERS: u8 = 192;

#[derive(Arbitrary, Debug)]
struct Choices {
    form: u8,
    cuts: [u8; 6],
}

/// The paths of the records of property lists.
const PATHS: [Option<&str>; 6] = [None, Some("*"), Some("*/*"), Some("a/*"), Some("*/1"), Some("//a")];

/// Objects of so many bytes each.
fn objects(data: &[u8]) -> Vec<Vec<u8>> {
    let (mut objects, mut rest) = (Vec::new(), data);
    while let [length, behind @ ..] = rest {
        let (object, behind) = behind.split_at(usize::from(*length).min(behind.len()));
        objects.push(object.to_vec());
        rest = behind;
    }
    objects
}

fuzz_target!(|data: &[u8]| {
    let mut choices = Unstructured::new(data);
    let Ok(Choices { form, cuts }) = Choices::arbitrary(&mut choices) else { return };
    let rest = choices.take_rest();
    let mut cuts = cuts.map(u64::from);
    cuts.sort_unstable();
    if form >= MEMBERS {
        same_members(&assembled(&objects(rest)), PATHS[usize::from(form) % PATHS.len()], &cuts);
        return;
    }
    let text = ValidText::check(rest).text.as_str();
    let forms =
        [Form::Lines, Form::Array, Form::Inside, Form::Rows, Form::Elements, Form::Children];
    let form = forms[usize::from(form) % forms.len()];
    same(form, text, ALL, &cuts);
    // The same in windows of a few bytes, between which the planner hops on.
    let step = 1 + cuts[0] as usize;
    same_in(form, text, step, &cuts, Shown::Place);
});
