//! One run: input through a format's reader into a destination.
//!
//! Only this module decides what to do between two windows of input: drop the bytes that were read,
//! report bytes that are not text, skip a record in error and continue after it. A [`Run`] is
//! generic over the reader, the input and the destination, and knows nothing of Python. An error is
//! data ([`Problem`]), and a [`Policy`] decides what to do with it.
//!
//! A run never waits. [`Run::advance`] works on the input at hand and answers how far it got. At
//! [`Turn::Dry`] the driver brings more input, which touches only the [`Input`]. So a driver can
//! hold a lock, or pause a garbage collector, exactly while there is work.
//!
//! ```
//! use penstock_core::json::{self, Framing};
//! use penstock_core::limits::Limits;
//! use penstock_core::formats::Reader;
//! use penstock_core::run::{InMemory, Origin, Policy, Run, Turn};
//! use penstock_core::protocol::Trace;
//!
//! let reader = Reader::Json(json::Reader::new(Framing::Document, &Limits::default()));
//! let mut run = Run::new(reader, InMemory::new(b"[7]", Origin::default()), Policy::Raise);
//! let mut trace = Trace::new();
//! loop {
//!     match run.advance(&mut trace).expect("good JSON") {
//!         Turn::Dry => run.input_mut().more(usize::MAX),
//!         Turn::End => break,
//!         Turn::Paused | Turn::Problem(_) => unreachable!("a trace never pauses"),
//!     }
//! }
//! assert_eq!(trace.text(), "   0 begin list\n   1   number 7\n   2 end list\n");
//! ```

mod inbox;
mod input;
mod last;
mod policy;
mod problem;
mod raw;
mod repairs;
#[expect(clippy::module_inception, reason = "the file is named for the type in it")]
mod run;
mod scope;

pub use input::{
    Binary, InMemory, Input, Kept as KeptText, Origin, Positioned, Whole, Windows, total_exceeded,
};
pub use last::LastRecord;
pub use policy::Policy;
pub use problem::{Failed, Failure, Problem, Spot};
pub use raw::MOST as MOST_RAW;
pub use repairs::{PlacedRepair, RepairLog};
pub use run::{Run, Turn};
pub use scope::RecordScope;
