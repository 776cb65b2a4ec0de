//! Reads lines from any position of a file, a block at a time.

use super::{Found, Mark};
use crate::source::{ReadAt, is_blank};
use penstock_scan::make_room;
use std::io;

/// The most bytes of one read, if the current line ends within them.
const BLOCK: u64 = 256 << 10;

/// The reason why a cursor cannot continue.
#[derive(Debug)]
pub enum Stuck {
    /// Reading the file failed.
    Unreadable(io::Error),
    /// No line begins at a mark, or there are fewer: the index belongs to another file.
    Changed,
    /// The line that begins there is longer than the limit.
    TooLong(Mark),
}

/// A position between two lines of a file.
#[derive(Debug)]
pub struct Cursor {
    /// The next line.
    mark: Mark,
    /// The offset after the last wanted line.
    end: u64,
    /// The bytes that were read; the next line begins at `from`.
    block: Vec<u8>,
    from: usize,
    /// The most bytes of a line.
    longest: usize,
}

impl Cursor {
    /// A cursor at a mark of the index, which reads up to the offset `end`.
    ///
    /// # Errors
    /// [`Stuck`] if there is no line at the mark.
    pub fn new(file: &impl ReadAt, found: Found, end: u64, longest: usize) -> Result<Self, Stuck> {
        let Found { mark, skip, .. } = found;
        let mut cursor = Cursor { mark, end, block: Vec::new(), from: 0, longest };
        if mark.line > 1 {
            // This also reads the line feed before it.
            cursor.mark.offset -= 1;
            cursor.read_on(file)?;
            if cursor.block.first() != Some(&b'\n') {
                return Err(Stuck::Changed);
            }
            cursor.mark.offset += 1;
            cursor.from = 1;
        }
        for _ in 0..skip {
            if cursor.next(file)?.is_none() {
                return Err(Stuck::Changed);
            }
        }
        Ok(cursor)
    }

    /// The next line with a record, with its line feed if it has one; nothing at the end.
    ///
    /// # Errors
    /// [`Stuck`] gives the reason why there is no next line.
    pub fn next(&mut self, file: &impl ReadAt) -> Result<Option<(Mark, &[u8])>, Stuck> {
        loop {
            let Some(length) = self.line_length(file)? else { return Ok(None) };
            let (at, line) = (self.mark, self.from..self.from + length);
            self.from = line.end;
            self.mark = Mark::of_line(at.line + 1, at.offset + length as u64);
            if !is_blank(&self.block[line.clone()]) {
                return Ok(Some((at, &self.block[line])));
            }
        }
    }

    /// The length of the next line, once all of it was read.
    fn line_length(&mut self, file: &impl ReadAt) -> Result<Option<usize>, Stuck> {
        let mut seen = 0;
        loop {
            let rest = &self.block[self.from..];
            if let Some(end) = memchr::memchr(b'\n', &rest[seen..]) {
                return self.checked(Some(seen + end + 1));
            }
            seen = rest.len();
            if self.mark.offset + seen as u64 >= self.end {
                return self.checked((seen > 0).then_some(seen));
            }
            if seen > self.longest {
                return Err(Stuck::TooLong(self.mark));
            }
            self.read_on(file)?;
        }
    }

    fn checked(&self, length: Option<usize>) -> Result<Option<usize>, Stuck> {
        match length {
            Some(length) if length > self.longest => Err(Stuck::TooLong(self.mark)),
            length => Ok(length),
        }
    }

    /// Reads more of the next line: at least as many bytes as it already has.
    fn read_on(&mut self, file: &impl ReadAt) -> Result<(), Stuck> {
        self.block.drain(..self.from);
        self.from = 0;
        let known = self.block.len();
        let at = self.mark.offset + known as u64;
        let more = (self.end - at).min(BLOCK.max(known as u64));
        // At most BLOCK, or as many bytes as the line already has.
        make_room(&mut self.block, more as usize);
        self.block.resize(known + more as usize, 0);
        file.read_exact_at(&mut self.block[known..], at).map_err(Stuck::Unreadable)
    }
}
