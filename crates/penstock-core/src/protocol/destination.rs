//! The destination of a run's events.

use super::{FormatReader, InputView, Misfit, Step, Trace};
use crate::error::Fail;
use crate::path_step::PathStep;
use crate::position::{Counter, Place};
use crate::shape::Shape;

/// Why a destination refused an event.
#[derive(Debug)]
pub enum Refused<C, B> {
    /// A value does not fit: this is a problem of its record.
    Misfit(Misfit<C>),
    /// The destination cannot continue, for a reason other than the input.
    Break(B),
}

/// The misfits of the current record that a destination has kept.
#[derive(Debug)]
pub struct Kept<C> {
    /// In the order of the document.
    pub misfits: Vec<Misfit<C>>,
    /// How many more there were.
    pub omitted: u64,
}

impl<C> Default for Kept<C> {
    fn default() -> Self {
        Kept { misfits: Vec::new(), omitted: 0 }
    }
}

/// The grammars of which a destination has a copy of the machine code of its own. All other grammars call its sink
/// through a table; see [`FormatReader::run_dyn`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Copies {
    /// Of none: it is seldom used, or so slow that a call through a table does not matter.
    None,
    /// Of JSON and XML.
    Common,
    /// Of CSV, too, and of property lists, which have four grammars.
    All,
}

/// A sink that a [`Run`](crate::run::Run) can drive. It explains its refusals, and gives the path of the
/// current value.
///
/// A run calls these methods only from [`advance`](crate::run::Run::advance) and from the methods that
/// are documented to return a failure. So if a destination needs a lock, its driver holds the lock;
/// all other destinations run without one.
pub trait Destination {
    /// Why an event was refused.
    type Error;
    /// An exception that the destination's own code raised about a value.
    type Cause;
    /// A reason to end the run although the input is valid.
    type Break;

    /// The only shape of documents that the destination takes; none if it takes all shapes.
    const SHAPE: Option<Shape> = None;

    /// Which grammars are compiled for this destination alone.
    const COPIES: Copies = Copies::None;

    /// Lets the reader parse the input, and receives the events.
    ///
    /// # Errors
    /// As [`FormatReader::run`].
    fn read_from<R: FormatReader>(
        &mut self,
        reader: &mut R,
        given: InputView<'_>,
    ) -> Result<Step, Fail<Self::Error>>;

    /// Explains a refusal. `given` is the current input.
    fn refused(
        &mut self,
        error: Self::Error,
        given: InputView<'_>,
    ) -> Refused<Self::Cause, Self::Break>;

    /// Whether a refusal has another reason than a value of the record, so that it is the end of the run
    /// even if nobody wants the record.
    fn breaks(_error: &Self::Error) -> bool {
        false
    }

    /// A refusal of what the reader says of all records, for a stage in front of the destination. A
    /// destination without one never has such a stage.
    fn refusal(&self, _at: u64, _reason: String) -> Option<Self::Error> {
        None
    }

    /// The offset at which the destination gave up, if it differs from the reader's.
    fn broke_at(&self) -> Option<u64> {
        None
    }

    /// A record is in error, whatever becomes of its problem, which need not be described for this. The
    /// run says where the record begins, if the format has a byte that separates records.
    fn meet_problem(&mut self, _begun: Option<u64>) {}

    /// Gives up the current record. The reader does not report the rest of it.
    fn abandon_record(&mut self);

    /// Forgets the document as well: the next event begins a new one.
    fn restart(&mut self) {
        self.abandon_record();
    }

    /// The path from the root to the current record.
    fn record_path(&self) -> Vec<PathStep> {
        Vec::new()
    }

    /// The path from the record to the current value; if not `inside`, to the container around that
    /// value.
    fn value_path(&self, _inside: bool, _given: InputView<'_>) -> Vec<PathStep> {
        Vec::new()
    }

    /// The path to the value that was read last, for a source that fails. If a program waits for
    /// records, it is the path to the record.
    fn path_so_far(&self, _given: InputView<'_>) -> Vec<PathStep> {
        self.record_path()
    }

    /// How many maps and lists are open outside the record.
    fn record_depth(&self) -> usize {
        0
    }

    /// For records inside the document: how many have begun, whether the reader is inside one, and
    /// whether it has met a container all of whose children are records. Nothing if each value at
    /// the root is a record.
    fn inner_records(&self) -> Option<(u64, bool, bool)> {
        None
    }

    /// How many finished records have not been taken yet.
    fn ready(&self) -> u64 {
        0
    }

    /// How many records a condition has left out.
    fn left_out(&self) -> u64 {
        0
    }

    /// The record that a condition has left out, and of which the reader skips the rest, is malformed:
    /// it does not count as left out. False if there is none.
    fn take_back(&mut self) -> bool {
        false
    }

    /// The offset from which the text must stay in memory.
    fn keeps(&self) -> Option<u64> {
        None
    }

    /// The limit on the memory that the destination may take, if it takes more. The run asks
    /// whenever the text at hand is read, and at the end.
    fn over_memory(&self, _given: InputView<'_>) -> Option<u64> {
        None
    }

    /// The run has dropped all text at hand, and bytes behind it that are not text. `counted` are
    /// the counts up to the first byte that is now at hand.
    fn passed(&mut self, _counted: Counter) {}

    /// Takes the misfits of the current record that have not been reported yet.
    fn take_kept(&mut self) -> Kept<Self::Cause> {
        Kept::default()
    }

    /// Looks up the positions of misfits that may be reported later, because the text around them
    /// is about to be dropped.
    fn place_kept(&mut self, _locate: &dyn Fn(u64) -> Option<Place>) {}
}

/// Makes a [`Destination`](super::Destination) of a sink that refuses nothing. The second word is
/// the method of the [reader](crate::protocol::FormatReader) that it uses: `run`, or `run_dyn`, which
/// compiles no further copy of the grammar. Other methods of the trait may follow in braces.
#[macro_export]
macro_rules! unrefusing {
    ($sink:ty, $run:ident $(, { $($method:item)* })?) => {
        impl $crate::protocol::Destination for $sink {
            type Error = ::std::convert::Infallible;
            type Cause = ::std::convert::Infallible;
            type Break = ::std::convert::Infallible;

            fn read_from<R: $crate::protocol::FormatReader>(
                &mut self,
                reader: &mut R,
                given: $crate::protocol::InputView<'_>,
            ) -> Result<$crate::protocol::Step, $crate::error::Fail<Self::Error>> {
                reader.$run(given, self)
            }
            fn refused(
                &mut self,
                error: Self::Error,
                _given: $crate::protocol::InputView<'_>,
            ) -> $crate::protocol::Refused<Self::Cause, Self::Break> {
                match error {}
            }
            fn abandon_record(&mut self) {
                $crate::protocol::Sink::abandon(self);
            }
            $($($method)*)?
        }
    };
}

unrefusing!(Trace, run);
