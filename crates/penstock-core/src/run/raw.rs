//! The bytes of a record in error, where a byte separates records.
//!
//! A problem may be found before its record has ended. Then the run reads on to the end of the
//! record before it tells the problem, so that the bytes are the same however the input was cut. It
//! waits for [`MOST`] bytes and no longer, and keeps no more of the text for it.

use super::input::Input;
use super::problem::Problem;
use super::run::{Outcome, Run, Turn};
use crate::protocol::{Destination, FormatReader};

/// The longest record whose bytes a problem has.
pub const MOST: usize = 64 << 10;

/// The problem of a record whose end is not at hand yet.
#[derive(Debug)]
pub(super) struct Waiting<C> {
    pub(super) problem: Problem<C>,
    /// The byte behind the record.
    separator: u8,
    /// The bytes of the record that the input has dropped.
    bytes: Vec<u8>,
    /// The offset of the byte behind those.
    from: u64,
    /// How many bytes from there on are known to be of the record.
    seen: usize,
}

impl<R: FormatReader, I: Input, C> Run<R, I, C> {
    /// The offset from which the text must stay at hand, for a problem of the current record.
    #[inline]
    pub(super) fn keeps_record(&self) -> Option<u64> {
        let (begin, _) = self.reader.record()?;
        let length = self.reader.offset().checked_sub(begin)?;
        (length <= MOST as u64 && self.policy.describes()).then_some(begin)
    }

    /// Applies the policy to the problem of a record, once the end of the record is at hand.
    pub(super) fn tell<D: Destination<Cause = C>>(
        &mut self,
        to: &D,
        problem: Problem<C>,
    ) -> Outcome<Option<Box<Problem<C>>>, D> {
        let record = self.reader.record().filter(|_| to.inner_records().is_none());
        let Some((from, separator)) = record.filter(|(from, _)| *from >= self.input.base()) else {
            return self.settle::<D>(problem);
        };
        let (bytes, seen) = (Vec::new(), 0);
        self.waiting = Some(Box::new(Waiting { problem, separator, bytes, from, seen }));
        match self.rest_of_record(false) {
            Some(bytes) => self.told::<D>(bytes),
            None => Ok(None),
        }
    }

    /// Reads on to the end of the record in error. Nothing, if its problem is kept by now.
    #[cold]
    pub(super) fn wait<D: Destination<Cause = C>>(
        &mut self,
        to: &mut D,
    ) -> Outcome<Option<Turn<C>>, D> {
        loop {
            let fault = self.input.fault();
            let is_last = matches!(self.input.given().as_text(), Ok((_, true))) && fault.is_none();
            if let Some(bytes) = self.rest_of_record(is_last) {
                return Ok(self.told::<D>(bytes)?.map(Turn::Problem));
            }
            if fault.is_none() {
                // The rest of the record may never come.
                return match self.cut.take().or_else(|| self.input.take_over()) {
                    Some(fault) => Err(self.fail(to, &fault)),
                    None => Ok(Some(Turn::Dry)),
                };
            }
            if let Some(fault) = fault
                && !self.input.goes_on()
            {
                return Err(self.fail(to, &fault));
            }
            // Bytes that are not text: the grammar goes on behind the record.
            if !self.reader.is_lost() {
                to.restart();
                self.reader.recover();
            }
            let Some(waiting) = &mut self.waiting else { return Ok(None) };
            let text = self.input.given().text();
            let at = waiting.from.saturating_sub(self.input.base());
            let at = usize::try_from(at).unwrap_or(usize::MAX);
            waiting.bytes.extend_from_slice(text.as_bytes().get(at..).unwrap_or_default());
            let reader = &mut self.reader;
            self.input.pass_fault(&mut |behind| {
                let passed = reader.pass_bytes(behind);
                waiting.bytes.extend_from_slice(&behind[..passed]);
                passed
            });
            (waiting.from, waiting.seen) = (self.input.base(), 0);
            self.reader.jump(self.input.base());
        }
    }

    /// The bytes of the record in error, if its end is at hand; or that there are too many of them.
    fn rest_of_record(&mut self, is_last: bool) -> Option<Option<Vec<u8>>> {
        let Waiting { separator, bytes, from, seen, .. } = &mut **self.waiting.as_mut()?;
        let at = usize::try_from(from.saturating_sub(self.input.base())).unwrap_or(usize::MAX);
        let text = self.input.given().text();
        let rest = text.as_bytes().get(at..).unwrap_or_default();
        let end = memchr::memchr(*separator, rest.get(*seen..).unwrap_or_default());
        let end = end.map(|end| *seen + end);
        *seen = rest.len();
        let rest = &rest[..end.unwrap_or(rest.len())];
        if bytes.len() + rest.len() > MOST {
            return Some(None);
        }
        if end.is_none() && !is_last {
            return None;
        }
        let mut bytes = std::mem::take(bytes);
        bytes.extend_from_slice(rest);
        Some(Some(bytes))
    }

    /// Applies the policy to the waiting problem.
    fn told<D: Destination<Cause = C>>(
        &mut self,
        bytes: Option<Vec<u8>>,
    ) -> Outcome<Option<Box<Problem<C>>>, D> {
        let Some(waiting) = self.waiting.take() else { return Ok(None) };
        self.settle::<D>(Problem { raw: bytes, ..waiting.problem })
    }
}
