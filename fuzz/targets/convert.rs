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

fuzz_target!(|data: &[u8]| converting::check(data));
