//! Where the last delivered record ended, for a driver that asks.

use super::destination::Destination;
use super::input::Input;
use super::run::Run;
use crate::position::Counter;
use crate::reader::FormatReader;

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
            Some((begun, _)) => Some(begun),
            None => self.numbered.then(|| self.met(to)),
        };
        let number = number.map(|number| self.before + number).filter(|number| *number > 0);
        LastRecord { number, line: counted.line(), end: counted.bytes() }
    }
}
