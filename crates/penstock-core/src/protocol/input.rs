//! The input that a reader gets.

use std::fmt;

use penstock_scan::ValidText;

use crate::error::Fault;
use crate::source::ReadAt;

/// The input that a reader gets.
#[derive(Clone, Copy)]
pub enum InputView<'a> {
    /// Checked text, from the first byte that the reader still needs.
    Text {
        /// The text at hand.
        text: ValidText<'a>,
        /// Whether no text follows.
        last: bool,
    },
    /// All bytes of a source that is not text.
    Bytes(&'a [u8]),
    /// A source of `size` bytes that is read at single positions, and not as a whole.
    At {
        /// Reads at a position.
        file: &'a dyn ReadAt,
        /// How many bytes there are.
        size: u64,
    },
}

impl<'a> InputView<'a> {
    /// The text at hand, and whether it is the last.
    ///
    /// # Errors
    /// If the input is not text, because the reader of a text format cannot read it.
    #[inline(always)]
    pub fn as_text(&self) -> Result<(ValidText<'a>, bool), Fault> {
        match *self {
            InputView::Text { text, last } => Ok((text, last)),
            InputView::Bytes(_) | InputView::At { .. } => {
                Err(Fault::malformed(0, "this format is text, and is read in windows"))
            }
        }
    }

    /// The text at hand; empty if the input is not text.
    #[inline(always)]
    #[must_use]
    pub fn text(&self) -> ValidText<'a> {
        match *self {
            InputView::Text { text, .. } => text,
            InputView::Bytes(_) | InputView::At { .. } => ValidText::from(""),
        }
    }
}

impl fmt::Debug for InputView<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InputView::Text { text, last } => {
                f.debug_struct("Text").field("text", text).field("last", last).finish()
            }
            InputView::Bytes(bytes) => f.debug_tuple("Bytes").field(bytes).finish(),
            InputView::At { size, .. } => {
                f.debug_struct("At").field("size", size).finish_non_exhaustive()
            }
        }
    }
}
