//! Any conversion of any text: it never panics, gives the same text or the same problem however the
//! source is cut, and whatever it writes can be read and is written the same again. What the element
//! form makes of a document becomes that document again.
//!
//! The first bytes of the input choose; the rest is the source.

#![no_main]

#[path = "../../crates/penstock-core/tests/convert/converting.rs"]
#[allow(dead_code)]
mod converting;

use libfuzzer_sys::fuzz_target;
use penstock_core::convert::{ForceList, Form};
use penstock_core::limits::Limits;
use penstock_core::run::Policy;
use penstock_scan::ValidText;

use converting::{How, Side, converted};

const SIDES: [Side; 3] = [Side::Json, Side::Lines, Side::Xml];
const PATHS: [Option<&str>; 4] = [None, Some("*"), Some("*/*"), Some("//a")];

fuzz_target!(|data: &[u8]| {
    let Some(([sides, more, step], data)) = data.split_first_chunk() else { return };
    let text = ValidText::check(data).text.as_str();
    let (from, to) = (SIDES[usize::from(sides % 3)], SIDES[usize::from(sides / 3 % 3)]);
    let form = if more & 1 == 0 { Form::Plain } else { Form::Element };
    let limits =
        Limits { depth: 40, expansion: Some(1 << 20), memory: Some(1 << 20), ..Limits::default() };
    let force_list = if more & 2 == 0 { ForceList::Never } else { ForceList::Always };
    let policy = if more & 4 == 0 { Policy::Raise } else { Policy::Skip };
    let at = PATHS[usize::from(more >> 3 & 3)];
    let how = How { at, policy, force_list, limits, ..How::new(from, to, form) };
    let whole = converted(text, &how);
    let step = usize::from(step % 16 + 1);
    assert_eq!(converted(text, &How { step, ..how.clone() }), whole);
    let (Ok(written), _) = whole else { return };
    let same = How { limits: how.limits.clone(), ..How::new(to, to, Form::Plain) };
    assert_eq!(converted(&written, &same).0.as_ref(), Ok(&written));
    if from == Side::Xml && to == Side::Json && form == Form::Element && at.is_none() {
        let back = How { limits: how.limits.clone(), ..How::new(to, from, form) };
        // What is deeper in lists than in XML may be too deep.
        let Ok(xml) = converted(&written, &back).0 else { panic!("{written}") };
        assert_eq!(converted(&xml, &how).0, Ok(written));
    }
});
