//! The input of a run: text in windows, text in memory, bytes as a whole, or a file read at
//! positions.
//!
//! | file | holds |
//! |---|---|
//! | `windows.rs` | text from a source or from pushed chunks, in windows |
//! | `body.rs` | what its reader gets: the text, or all bytes if the source is binary |
//! | `lent.rs` | text in memory, checked in place |
//! | `kept.rs` | text that is read and kept as a whole |
//! | `whole.rs` | the bytes of a source that is not text |
//! | `positioned.rs` | a file that is read at positions |

mod body;
mod kept;
mod memory;
mod positioned;
mod whole;
mod windows;

use penstock_scan::Rest;

use crate::error::Fault;
use crate::position::{Counter, Place};
use crate::protocol::InputView;
use crate::source::not_utf8;

pub use body::Binary;
pub use kept::Kept;
pub use memory::{InMemory, Origin};
pub use positioned::Positioned;
pub use whole::Whole;
pub use windows::Windows;

/// Input for a run. If it is text, it knows the line and column of each byte at hand.
pub trait Input {
    /// Whether the input drops bytes that the reader no longer needs.
    const DROPS: bool;

    /// The input at hand.
    fn given(&self) -> InputView<'_>;

    /// The offset of the first byte at hand.
    fn base(&self) -> u64;

    /// The offset after the last byte at hand.
    fn end(&self) -> u64;

    /// Drops the first `n` bytes at hand. Called only if the input [drops](Self::DROPS).
    fn consume(&mut self, n: usize);

    /// The fault directly after the text at hand. The run reports it when the reader has read the
    /// text, so that errors come in document order.
    fn fault(&self) -> Option<Fault>;

    /// Drops the text at hand, and as many of the non-text bytes after it as `pass` answers, so
    /// that the rest can be read.
    fn pass_fault(&mut self, pass: &mut dyn FnMut(&[u8]) -> usize);

    /// Whether there may be text behind the fault. There is none if nobody knows how to read the
    /// bytes.
    fn goes_on(&self) -> bool {
        true
    }

    /// The reason why the input takes no more bytes, if that is not its end. The run asks once.
    fn take_over(&mut self) -> Option<Fault> {
        None
    }

    /// The end of a part of the text, which is at hand as a whole now, if it is not the last part.
    fn part(&self) -> Option<u64> {
        None
    }

    /// From now on, the part counts as a text of its own, which ends there. False if it did before, or
    /// if its end has not come.
    fn end_part(&mut self) -> bool {
        false
    }

    /// The position of a byte at hand, if the input is text. For a byte that was dropped, or has
    /// not come yet, it is the nearer end of the input at hand.
    fn locate(&self, offset: u64) -> Option<Place>;

    /// The counts up to the first byte at hand.
    fn counted(&self) -> Counter;
}

/// The fault for more input than the limit allows.
#[must_use]
pub fn total_exceeded(total: u64) -> Fault {
    Fault::limit(total, format!("the input is longer than {total} bytes (limits.total)"))
}

/// The fault in the bytes after a text that ends at the offset `end`, if more input cannot change
/// it.
#[inline]
fn bad_text(rest: Rest, end: u64, behind: &[u8]) -> Option<Fault> {
    match rest {
        Rest::Nothing => None,
        Rest::Incomplete => {
            Some(Fault::truncated(end, "invalid UTF-8: the input ends inside a character"))
        }
        Rest::Invalid { .. } => Some(not_utf8(end, behind)),
    }
}
