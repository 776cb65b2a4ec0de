//! Writes a source again, in pieces that can be decompressed on their own.
//!
//! The bytes stay what they are. The target is told where lines end, so that pieces end there, too.
//! In a table, a line feed within quotes ends no row. A quote that is no quote of its cell makes it
//! take the wrong line feeds for a while, and then pieces end inside of rows, which no reader minds.

use penstock_scan::make_room;

use crate::source::{Source, SourceError};
use crate::target::{Target, TargetError};

/// Bytes that are read at a time.
const CHUNK: usize = 64 << 10;

/// Bytes in which the last end of a line is looked for: a piece of BGZF has several.
const STEP: usize = 8 << 10;

/// The reason why it cannot go on.
#[derive(Debug)]
pub enum Stopped {
    /// The source gives no bytes.
    Source(SourceError),
    /// The target takes none.
    Target(TargetError),
}

/// A source on the way to a target.
#[derive(Debug)]
pub struct Recompression {
    source: Source,
    is_table: bool,
    /// The next byte is in quotes.
    is_quoted: bool,
    buffer: Vec<u8>,
}

impl Recompression {
    /// The bytes of a source, whose [encoding](Source::verbatim) stays. The lines of a table may be
    /// in quotes.
    #[must_use]
    pub fn new(source: Source, is_table: bool) -> Self {
        let mut buffer = Vec::new();
        make_room(&mut buffer, CHUNK);
        buffer.resize(CHUNK, 0);
        Recompression { source: source.verbatim(), is_table, is_quoted: false, buffer }
    }

    /// Reads some bytes and writes them. False at the end of the source.
    ///
    /// # Errors
    /// [`Stopped`]: a side is at fault. After [`SourceError::Idle`], ask again.
    pub fn step(&mut self, target: &mut Target) -> Result<bool, Stopped> {
        let count = self.source.read(&mut self.buffer).map_err(Stopped::Source)?;
        for step in self.buffer[..count].chunks(STEP) {
            let end = match self.is_table {
                true => end_of_row(step, &mut self.is_quoted),
                false => memchr::memrchr(b'\n', step),
            };
            let (whole, rest) = step.split_at(end.map_or(0, |at| at + 1));
            if !whole.is_empty() {
                target.write_all(whole).and_then(|()| target.mark()).map_err(Stopped::Target)?;
            }
            target.write_all(rest).map_err(Stopped::Target)?;
        }
        Ok(count > 0)
    }

    /// The source.
    #[must_use]
    pub fn source(&self) -> &Source {
        &self.source
    }
}

/// The last line feed that is not within quotes.
fn end_of_row(bytes: &[u8], is_quoted: &mut bool) -> Option<usize> {
    let mut end = None;
    for at in memchr::memchr2_iter(b'"', b'\n', bytes) {
        match bytes[at] {
            b'"' => *is_quoted = !*is_quoted,
            _ if !*is_quoted => end = Some(at),
            _ => {}
        }
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_end_outside_of_quotes() {
        let mut is_quoted = false;
        assert_eq!(end_of_row(b"a,\"x\ny\"\nb,\"", &mut is_quoted), Some(7));
        assert!(is_quoted);
        assert_eq!(end_of_row(b"\n\"\"\n", &mut is_quoted), None);
        assert_eq!(end_of_row(b"\"\nc", &mut is_quoted), Some(1));
        assert!(!is_quoted);
    }
}
