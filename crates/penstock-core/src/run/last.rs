//! Where the last delivered record ended, for a driver that asks.

use super::input::Input;
use super::run::Run;
use crate::position::Counter;
use crate::protocol::{Destination, FormatReader};

/// The number of a record, and where it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LastRecord {
    /// Its number in the source, from 1. None if the whole document is the record.
    pub number: Option<u64>,
    /// The line of its last byte, from 1.
    pub line: u64,
    /// The offset in the source of the byte behind it.
    pub end: u64,
}

impl<R: FormatReader, I: Input, C> Run<R, I, C> {
    /// The last record, right after [`Turn::Paused`](super::Turn::Paused); later, the end of what
    /// was read.
    ///
    /// `counted` is a counter of the caller's, which starts at zero and remembers how far the lines
    /// were counted: asking after each record takes one pass over the text in all.
    pub fn last_record<D: Destination<Cause = C>>(
        &self,
        to: &D,
        counted: &mut Counter,
    ) -> LastRecord {
        let (base, given) = (self.input.base(), self.input.given());
        let text = given.text().as_bytes();
        let read = usize::try_from(self.offset().saturating_sub(base)).unwrap_or(usize::MAX);
        // Whether the reader has passed the white space behind the record depends on the windows.
        let end = text[..read.min(text.len())].trim_ascii_end().len();
        let from = counted.bytes().checked_sub(base).and_then(|from| usize::try_from(from).ok());
        match from.filter(|from| *from <= end) {
            Some(from) => counted.advance(&text[from..end]),
            None => {
                *counted = self.input.counted();
                counted.advance(&text[..end]);
            }
        }
        let number = match to.inner_records() {
            Some((begun, ..)) => Some(begun),
            None => self.numbered.then(|| self.met(to)),
        };
        let number = number.map(|number| self.before + number).filter(|number| *number > 0);
        LastRecord { number, line: counted.line(), end: counted.bytes() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::Reader;
    use crate::json::{self, Framing};
    use crate::limits::Limits;
    use crate::protocol::Trace;
    use crate::run::{InMemory, Origin, Policy};

    /// The counter may be one that has counted further, or nothing at all.
    #[test]
    fn the_last_record_does_not_depend_on_the_counter() {
        let reader = Reader::Json(json::Reader::new(Framing::Lines, &Limits::default()));
        let mut trace = Trace::new();
        let input = InMemory::new(b"1\n\n22 \r\n", Origin::default());
        let mut run = Run::new(reader, input, Policy::Raise);
        run.input_mut().more(usize::MAX);
        let _ = run.advance(&mut trace).expect("good JSON");
        let mut ahead = Counter::at_line(9, 90);
        for counted in [&mut Counter::new(), &mut ahead] {
            for _ in 0..2 {
                let LastRecord { line, end, .. } = run.last_record(&trace, counted);
                assert_eq!((line, end), (3, 5));
            }
        }
    }
}
