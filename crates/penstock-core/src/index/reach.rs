//! A run over the records of a file from any of them on. The file is read at positions, a block at
//! a time.

use super::{Mark, Stuck};
use crate::csv::Resume;
use crate::position::CONTEXT;
use crate::protocol::{Destination, FormatReader};
use crate::run::{Failed, Policy, Run, Turn, Windows};
use crate::source::ReadAt;
use penstock_scan::make_room;
use std::io;

/// The most bytes of one read.
const BLOCK: u64 = 256 << 10;
/// The bytes of a read behind those that should have been enough.
const MORE: u64 = 64 << 10;

/// A run over the records of a file from one of them on.
///
/// Its driver calls [`read`](Reach::read), which needs no lock, and then [`advance`](Reach::advance)
/// until that is dry.
#[derive(Debug)]
pub struct Reach<R, C> {
    run: Run<R, Windows, C>,
    block: Vec<u8>,
    /// The offset of the next byte to read.
    at: u64,
    /// Where the next block ends.
    to: u64,
    size: u64,
    /// The bytes of the block before the first record.
    before: usize,
    ended: bool,
}

impl<R: FormatReader, C> Reach<R, C> {
    /// From the beginning of the text, which is at `start` in a file of `size` bytes.
    #[must_use]
    pub fn from_start(reader: R, start: u64, size: u64) -> Self {
        let to = size.min(start + BLOCK);
        Reach::new(reader, &Mark::of_line(1, start), (0, 0), to, size)
    }

    fn new(reader: R, mark: &Mark, (before, record): (usize, u64), to: u64, size: u64) -> Self {
        let run = Run::new(reader, Windows::pushed_from(mark.counted()), Policy::Hand);
        let at = mark.offset - before as u64;
        let run = run.behind_records(record);
        Reach { run, block: Vec::new(), at, to, size, before, ended: false }
    }

    /// The run.
    pub fn run(&self) -> &Run<R, Windows, C> {
        &self.run
    }

    /// Whether the whole file was read.
    #[must_use]
    pub fn is_at_end(&self) -> bool {
        self.ended
    }

    /// What becomes of records in error from now on.
    pub fn set_policy(&mut self, policy: Policy) {
        self.run.set_policy(policy);
    }

    /// Reads the next block of the file.
    ///
    /// # Errors
    /// The system's error; [`io::ErrorKind::UnexpectedEof`] if the file is shorter than it was.
    pub fn read(&mut self, file: &impl ReadAt) -> Result<(), io::Error> {
        let length = usize::try_from(self.to - self.at).unwrap_or(usize::MAX);
        self.block.clear();
        make_room(&mut self.block, length);
        self.block.resize(length, 0);
        file.read_exact_at(&mut self.block, self.at)?;
        self.at = self.to;
        self.to = self.size.min(self.at + MORE.max(2 * length as u64).min(BLOCK));
        Ok(())
    }

    /// Gives the run what was read.
    ///
    /// # Errors
    /// The failure that ends the run.
    pub fn give<D: Destination<Cause = C>>(
        &mut self,
        to: &mut D,
    ) -> Result<(), Failed<C, D::Break>> {
        let from = std::mem::take(&mut self.before).min(self.block.len());
        if from > 0 {
            self.run.input_mut().recall(&self.block[..from]);
        }
        self.run.push(to, &self.block[from..])?;
        if self.at == self.size && !self.ended {
            self.ended = true;
            self.run.push_end(to)?;
        }
        Ok(())
    }

    /// Reads until the destination pauses, what was given is used up, or there is a problem.
    ///
    /// # Errors
    /// As [`Run::advance`].
    #[inline]
    pub fn advance<D: Destination<Cause = C>>(
        &mut self,
        to: &mut D,
    ) -> Result<Turn<C>, Failed<C, D::Break>> {
        self.run.advance(to)
    }
}

impl<R: Resume, C> Reach<R, C> {
    /// From the record with this number on, which begins at the mark. The first block ends at
    /// `end`, which should be behind the wanted records, or earlier.
    ///
    /// # Errors
    /// [`Stuck::Changed`] if the reader does not know what comes before the records.
    pub fn from_record(
        reader: &R,
        (record, mark): (u64, &Mark),
        end: u64,
        (start, size): (u64, u64),
    ) -> Result<Self, Stuck> {
        let resumed = reader.resume().ok_or(Stuck::Changed)?;
        // An excerpt shows the line from its beginning.
        let context = if mark.column > 1 { CONTEXT } else { 0 };
        let most = reader.looks_back().max(context) as u64;
        let before = mark.offset.saturating_sub(start).min(most) as usize;
        let end = end.max(mark.offset).min(mark.offset.saturating_add(BLOCK));
        let end = size.min(end.saturating_add(CONTEXT as u64));
        Ok(Reach::new(resumed, mark, (before, record), end, size))
    }

    /// Whether the first block begins with the end of a record, so that another one may follow. Ask
    /// after the first [`read`](Self::read). It is true of each record that is not in error, unless
    /// the file has changed: bytes that are not text may stand anywhere.
    #[must_use]
    pub fn is_between_records(&self) -> bool {
        self.before == 0
            || self
                .block
                .get(..self.before)
                .is_some_and(|before| self.run.reader().may_follow(before))
    }
}
