//! A source, cut into pieces.

use crate::formats::Boundary;
use crate::source::{Source, SourceError, out_of_memory};
use std::sync::Arc;

/// About how many bytes a piece has.
const SIZE: usize = 512 << 10;

/// The most buffers that are kept.
const SPARE: usize = 16;

/// A piece of a text. Its bytes are not checked.
#[derive(Clone, Debug)]
pub struct Piece {
    /// The first of these are the piece; what is behind them is left from others.
    bytes: Arc<Vec<u8>>,
    length: usize,
    at: u64,
    is_whole: bool,
}

impl Piece {
    /// The bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }

    /// The offset in the source of the first of them.
    #[must_use]
    pub fn at(&self) -> u64 {
        self.at
    }

    /// The offset in the source of the byte behind the last of them.
    #[must_use]
    pub fn end(&self) -> u64 {
        self.at + self.length as u64
    }

    /// Whether the piece was cut at both ends: only then it may be read on its own. Something may
    /// follow it.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.is_whole
    }
}

/// Cuts a source into pieces.
#[derive(Debug)]
pub struct Pieces {
    source: Box<Source>,
    cut: Option<Boundary>,
    size: usize,
    /// The first `known` of these bytes were read behind the last cut.
    rest: Vec<u8>,
    known: usize,
    /// Their offset in the source.
    at: u64,
    /// Whether `rest` begins where a record seems to begin.
    is_cut: bool,
    ended: bool,
    /// What comes behind `rest`.
    failed: Option<SourceError>,
    spare: Vec<Vec<u8>>,
}

impl Pieces {
    /// The rest of a source, from the byte on that is at this offset of its text.
    #[must_use]
    pub fn of(source: Box<Source>, at: u64) -> Self {
        Pieces {
            source,
            cut: None,
            size: SIZE,
            rest: Vec::new(),
            known: 0,
            at,
            is_cut: false,
            ended: false,
            failed: None,
            spare: Vec::new(),
        }
    }

    /// The same, of about so many bytes each: for tests.
    #[must_use]
    pub fn sized(mut self, size: usize) -> Self {
        self.size = size.max(1);
        self
    }

    /// Says where to cut. Until then, no piece is whole.
    pub fn cut_by(&mut self, cut: Boundary) {
        self.cut = Some(cut);
    }

    /// Forgets where to cut.
    pub fn cut_anew(&mut self) {
        self.cut = None;
    }

    /// Whether it is known where to cut.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        self.cut.is_some()
    }

    /// The source.
    #[must_use]
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// Gives the memory of a piece back.
    pub fn take_back(&mut self, piece: Piece) {
        if self.spare.len() < SPARE
            && let Ok(bytes) = Arc::try_unwrap(piece.bytes)
        {
            self.spare.push(bytes);
        }
    }

    /// The next piece, or None at the end of the source.
    ///
    /// # Errors
    /// As [`Source::read`], after all pieces before the error. After [`SourceError::Idle`], you may
    /// ask again.
    pub fn next_piece(&mut self) -> Result<Option<Piece>, SourceError> {
        self.fill()?;
        let text = &self.rest[..self.known];
        if text.is_empty() {
            return match self.failed.take() {
                Some(error) => Err(error),
                None => Ok(None),
            };
        }
        let is_last = self.ended || self.failed.is_some();
        let at = self.cut.as_ref().and_then(|cut| cut.last(text));
        let length = at.unwrap_or(text.len());
        let behind = &text[length..];
        let mut rest = self.spare.pop().unwrap_or_default();
        make_space(&mut rest, behind.len(), self.at)?;
        rest[..behind.len()].copy_from_slice(behind);
        self.known = behind.len();
        let bytes = std::mem::replace(&mut self.rest, rest);
        let is_whole = self.is_cut && at.is_some() && !(is_last && self.known == 0);
        let piece = Piece { bytes: Arc::new(bytes), length, at: self.at, is_whole };
        self.is_cut = at.is_some();
        self.at = piece.end();
        Ok(Some(piece))
    }

    /// Reads until there is enough for a piece.
    fn fill(&mut self) -> Result<(), SourceError> {
        while self.known < self.size && !self.ended && self.failed.is_none() {
            make_space(&mut self.rest, self.known + self.size, self.at)?;
            match self.source.read(&mut self.rest[self.known..]) {
                Ok(0) => self.ended = true,
                Ok(count) => self.known += count,
                Err(SourceError::Idle) => return Err(SourceError::Idle),
                Err(error) => self.failed = Some(error),
            }
        }
        Ok(())
    }
}

/// Makes a buffer so long, unless it is.
fn make_space(bytes: &mut Vec<u8>, length: usize, at: u64) -> Result<(), SourceError> {
    if let Some(more) = length.checked_sub(bytes.len()) {
        bytes.try_reserve_exact(more).map_err(|_| out_of_memory(at, more))?;
        bytes.resize(length, 0);
    }
    Ok(())
}
