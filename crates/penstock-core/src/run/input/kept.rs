//! Text that is read and kept as a whole.

use penstock_scan::{Rest, TextWindow};

use super::{Input, bad_text};
use crate::error::Fault;
use crate::position::{CONTEXT, Counter, Place, locate_in};
use crate::protocol::InputView;
use crate::source::{Source, SourceError};

/// Text that is read and kept as a whole, to be accessed later.
#[derive(Debug)]
pub struct Kept {
    source: Box<Source>,
    window: TextWindow,
    rest: Rest,
    ended: bool,
}

impl Kept {
    /// A text of which nothing is read yet.
    #[must_use]
    pub fn of(source: Source) -> Self {
        let (window, rest) = (TextWindow::new(), Rest::Nothing);
        Kept { source: Box::new(source), window, rest, ended: false }
    }

    /// Reads about `n` more bytes. False if nothing came yet: see [`SourceError::Idle`].
    ///
    /// # Errors
    /// As [`Source::read`]; `None` if there is no memory for the bytes.
    pub fn more(&mut self, n: usize) -> Result<bool, Option<SourceError>> {
        let spare = self.window.spare(n).map_err(|_| None)?;
        let count = match self.source.read(spare) {
            Ok(count) => count,
            Err(SourceError::Idle) => return Ok(false),
            Err(error) => return Err(Some(error)),
        };
        self.window.commit(count);
        self.ended = count == 0;
        self.rest = self.window.advance_check();
        Ok(true)
    }

    /// How many bytes of text are at hand.
    #[must_use]
    pub fn len(&self) -> usize {
        self.window.text().as_bytes().len()
    }

    /// Whether no text is at hand.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The text, and the offset of its first byte in the source.
    #[must_use]
    pub fn into_text(self) -> (TextWindow, u64) {
        let start = self.source.start();
        (self.window, start)
    }
}

/// Offsets count from the first byte of the text. Positions are those in the source.
impl Input for Kept {
    const DROPS: bool = false;

    fn given(&self) -> InputView<'_> {
        let last = self.ended && self.rest == Rest::Nothing;
        InputView::Text { text: self.window.text(), last }
    }
    fn base(&self) -> u64 {
        0
    }
    fn end(&self) -> u64 {
        (self.len() + self.window.unchecked().len()) as u64
    }
    fn consume(&mut self, _n: usize) {}
    fn fault(&self) -> Option<Fault> {
        let rest = match self.rest {
            Rest::Incomplete if !self.ended => Rest::Nothing,
            rest => rest,
        };
        bad_text(rest, self.len() as u64, self.window.unchecked())
    }
    fn pass_fault(&mut self, _pass: &mut dyn FnMut(&[u8]) -> usize) {
        // Kept documents have no framing, so the run reads nothing after a fault.
    }
    fn locate(&self, offset: u64) -> Option<Place> {
        let start = self.source.start();
        let (text, behind) = (self.window.text().as_bytes(), self.window.unchecked());
        let at = usize::try_from(offset).unwrap_or(usize::MAX).min(text.len());
        // Only the bytes that an excerpt can show are copied together.
        let from = at.saturating_sub(CONTEXT);
        let to = text.len().min(from + 4 * CONTEXT);
        let behind = if to == text.len() { &behind[..behind.len().min(CONTEXT)] } else { &[] };
        let mut counter = Counter::new();
        counter.skip(start);
        counter.advance(&text[..from]);
        let near = [&text[from..to], behind].concat();
        Some(locate_in(&counter, &[], &near, start + from as u64, start + offset))
    }
    fn counted(&self) -> Counter {
        let mut counter = Counter::new();
        counter.skip(self.source.start());
        counter
    }
}
