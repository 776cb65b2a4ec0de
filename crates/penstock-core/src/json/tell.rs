//! JSON text in memory, reported to a writer.

use super::{Framing, Reader};
use crate::error::Fail;
use crate::limits::Limits;
use crate::protocol::{Listener, Step};
use crate::writer::Unwritable;
use penstock_scan::ValidText;

/// Reports the value that a text is to a writer.
///
/// # Errors
/// The writer refuses a part of it, or the text is no JSON.
pub fn tell<S: Listener<Error = Unwritable>>(
    text: ValidText<'_>,
    writer: &mut S,
) -> Result<(), Unwritable> {
    let mut reader = Reader::new(Framing::Document, &Limits::of_known_text());
    loop {
        match reader.run_dyn(text, true, writer) {
            // A writer pauses when it has much text. Here nobody takes any.
            Ok(Step::Paused) => {}
            Ok(_) => return Ok(()),
            Err(Fail::Sink(why)) => return Err(why),
            Err(Fail::Input(fault)) => return Err(Unwritable::value(fault.to_string())),
        }
    }
}
