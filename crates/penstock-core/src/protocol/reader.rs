//! The trait that every format's reader implements.

use super::{Copies, Destination, InputView, Listener};
use crate::error::Fail;
use crate::forward;
use crate::repair::Repair;
use crate::shape::Shape;

/// The reason why a reader returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The input at hand holds no further complete event.
    More,
    /// The sink asked for a pause.
    Paused,
    /// The sink wants no more events.
    Stopped,
    /// The source has ended without an error.
    Done,
    /// A skipped part has ended, or skipping begins. This value does not leave the reader.
    Again,
}

/// A grammar with all of its state: it reads as far as the input at hand goes, and continues when
/// it is called again.
pub trait FormatReader {
    /// The shape of the documents.
    const SHAPE: Shape = Shape::Members;

    /// Which destinations have a copy of the grammar of their own: those that [ask](Destination::COPIES) for so
    /// many.
    const COPIED_FOR: Copies = Copies::Common;

    /// Reads as far as the input at hand, the document or the sink allow.
    ///
    /// # Errors
    /// [`Fail::Input`] if the input violates the format, ends early or exceeds a limit;
    /// [`Fail::Sink`] if the sink refused an event.
    fn run<S: Listener>(
        &mut self,
        given: InputView<'_>,
        sink: &mut S,
    ) -> Result<Step, Fail<S::Error>>;

    /// As [`run`](Self::run), for a sink that is seldom used, or is so slow that the cost of a call through a table
    /// does not matter. A format with a large grammar has one copy of the machine code for all such sinks.
    ///
    /// # Errors
    /// As for [`run`](Self::run).
    fn run_dyn<S: Listener>(
        &mut self,
        given: InputView<'_>,
        sink: &mut S,
    ) -> Result<Step, Fail<S::Error>> {
        self.run(given, sink)
    }

    /// As [`run`](Self::run), for a sink that leads to `D`. The grammar is compiled for the sink only if `D`
    /// [takes](Destination::SHAPE) such documents, and [asks](Destination::COPIES) for a copy.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    #[inline(always)]
    fn run_for<D: Destination, S: Listener>(
        &mut self,
        given: InputView<'_>,
        sink: &mut S,
    ) -> Result<Step, Fail<S::Error>> {
        // A constant of the compiler's, so it makes only the copies that are used.
        if const { has_copy::<D>(Self::SHAPE, Self::COPIED_FOR) } {
            self.run(given, sink)
        } else {
            self.run_dyn(given, sink)
        }
    }

    /// The offset in the source of the first byte at hand.
    fn base(&self) -> u64;

    /// How many of the bytes at hand the reader no longer needs.
    fn consumed(&self) -> usize;

    /// The offset in the source of the first byte that the reader still needs.
    fn offset(&self) -> u64 {
        self.base() + self.consumed() as u64
    }

    /// The driver dropped the first `count` bytes at hand.
    fn drop_front(&mut self, count: usize);

    /// The input at hand now begins at `base`; the reader has not seen the bytes in between.
    fn jump(&mut self, base: u64);

    /// Whether the source is one document, and not values one after the other.
    fn is_document(&self) -> bool;

    /// Gives up the current value at `depth`: the rest of it is validated and not reported.
    fn abandon(&mut self, depth: usize);

    /// True while the reader skips the rest of an abandoned value.
    fn is_abandoned(&self) -> bool;

    /// The offset of the first byte of the current record, and the byte that is behind each record
    /// and in none. None if the format has no such byte.
    fn record(&self) -> Option<(u64, u8)> {
        None
    }

    /// After an error of the input: the offset of the first byte of the record in error, if the
    /// format knows where that record began.
    fn failed_at(&self) -> Option<u64> {
        None
    }

    /// Whether the reader can continue after input that violates the format.
    fn can_recover(&self) -> bool {
        false
    }

    /// Whether the reader can continue behind a value with a fault as behind any other value that is
    /// [abandoned](Self::abandon), because the format says where each value is.
    fn passes_faults(&self) -> bool {
        false
    }

    /// Whether the reader is before the first record, in what the source says of all of them: a
    /// header. A problem there ends the run, whatever becomes of bad records.
    fn is_before_records(&self) -> bool {
        false
    }

    /// Formats of elements: how many elements are open. A path to a fault of the text has no more
    /// steps: what was read last may be closed already.
    fn open_elements(&self) -> Option<usize> {
        None
    }

    /// After input that violates the format: skips everything up to the beginning of the next
    /// record. Called only if the reader [can](Self::can_recover).
    fn recover(&mut self) {}

    /// True while the reader skips a record in error.
    fn is_lost(&self) -> bool {
        false
    }

    /// For a lost reader: how many of these bytes, which are not text, it skips. After those bytes
    /// the grammar can continue.
    fn pass_bytes(&mut self, bytes: &[u8]) -> usize {
        bytes.len()
    }

    /// Whether these bytes, which the reader has held back to see what follows them, mean the same
    /// before any record.
    fn is_settled_before_a_record(&self, held: &[u8]) -> bool {
        held.iter().all(|byte| *byte == b'\r')
    }

    /// Whether a record goes on behind these bytes, which the reader has held back and after which more
    /// may come. False if the last of them may be the end of the record, or if the format does not
    /// end records so.
    fn goes_on_behind(&self, _held: &[u8]) -> bool {
        false
    }

    /// Bytes that are not text follow the input at hand. Forgets how much of a token was scanned
    /// that the end of the input cuts: the next run reads as much of it as there is, and finds a
    /// fault that comes before those bytes, however the input was cut into windows.
    fn rescan(&mut self) {}

    /// The repairs since the last call, in document order.
    #[inline(always)]
    fn take_repairs(&mut self) -> Vec<Repair> {
        Vec::new()
    }
}

/// Whether a destination accepts documents of a shape.
pub(crate) const fn takes<D: Destination>(shape: Shape) -> bool {
    match D::SHAPE {
        Some(only) => only as u8 == shape as u8,
        None => true,
    }
}

/// Whether a destination has a copy of its own of a grammar.
const fn has_copy<D: Destination>(shape: Shape, copied_for: Copies) -> bool {
    takes::<D>(shape) && D::COPIES as u8 >= copied_for as u8
}

macro_rules! borrowed {
    (reader $($how:ident $method:ident($($name:ident: $kind:ty),*) $(-> $result:ty)?;)*) => {
        $(borrowed! { @ $how $method($($name: $kind),*) $(-> $result)? })*
    };
    (@ mut $method:ident($($name:ident: $kind:ty),*) $(-> $result:ty)?) => {
        #[inline]
        fn $method(&mut self, $($name: $kind),*) $(-> $result)? {
            (**self).$method($($name),*)
        }
    };
    (@ ref $method:ident($($name:ident: $kind:ty),*) -> $result:ty) => {
        #[inline]
        fn $method(&self, $($name: $kind),*) -> $result {
            (**self).$method($($name),*)
        }
    };
}

/// A reader that its owner will continue to use.
impl<F: FormatReader> FormatReader for &mut F {
    const SHAPE: Shape = F::SHAPE;
    const COPIED_FOR: Copies = F::COPIED_FOR;

    #[inline]
    fn run<S: Listener>(
        &mut self,
        given: InputView<'_>,
        sink: &mut S,
    ) -> Result<Step, Fail<S::Error>> {
        (**self).run(given, sink)
    }
    fn run_dyn<S: Listener>(
        &mut self,
        given: InputView<'_>,
        sink: &mut S,
    ) -> Result<Step, Fail<S::Error>> {
        (**self).run_dyn(given, sink)
    }
    #[inline(always)]
    fn run_for<D: Destination, S: Listener>(
        &mut self,
        given: InputView<'_>,
        sink: &mut S,
    ) -> Result<Step, Fail<S::Error>> {
        (**self).run_for::<D, S>(given, sink)
    }
    forward!(reader, borrowed);
}
