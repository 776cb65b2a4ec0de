//! What is wrong with a document or with one of its records, as data.
//!
//! Nothing here is an exception. Whoever drives a run decides what becomes of a problem: Python
//! raises it, a command prints it, a splitter counts it.

use std::convert::Infallible;
use std::io;

use crate::error::{Fault, Kind};
use crate::position::Place;
use crate::select::PathStep;

/// A value that does not fit, as the destination describes it when it refuses the value. The run
/// adds the place, the record and the path above the record, and makes a [`Problem`] of it.
#[derive(Debug)]
pub struct Misfit<C = Infallible> {
    /// The offset of the value, or of the end of the object that lacks one.
    pub at: u64,
    /// What is wrong: `expected float, got a string`.
    pub reason: String,
    /// The type that was expected, as its annotation reads.
    pub expected: Option<String>,
    /// What was there instead.
    pub got: Option<String>,
    /// The path of the value within its record.
    pub path: Vec<PathStep>,
    /// What the destination's own code raised.
    pub cause: Option<C>,
    /// True if a limit is exceeded, and not a type unmet.
    pub limit: bool,
    /// The place of `at`. It is looked up early where the text may be gone before the misfit is
    /// reported.
    pub place: Option<Box<Place>>,
}

impl<C> Misfit<C> {
    /// Something about a value that is not its type.
    #[must_use]
    pub fn new(at: u64, reason: String, path: Vec<PathStep>) -> Self {
        let (expected, got, cause, limit, place) = (None, None, None, false, None);
        Misfit { at, reason, expected, got, path, cause, limit, place }
    }

    /// About how many bytes its texts take.
    #[must_use]
    pub fn size(&self) -> usize {
        let path = self.path.iter().map(|step| match step {
            PathStep::Key(name) | PathStep::Attribute(name) => name.len(),
            PathStep::Index(_) => 0,
        });
        path.sum::<usize>() + self.reason.len()
    }
}

/// Where something stands, as far as it is known.
#[derive(Clone, Debug, Default)]
pub struct Spot {
    /// Line, column and excerpt. Missing where the input is not text.
    pub place: Option<Place>,
    /// The record, from 1. Missing where nothing is counted, and between records.
    pub record: Option<u64>,
    /// The path from the root of the document.
    pub path: Vec<PathStep>,
}

/// One thing that is wrong with the input.
#[derive(Debug)]
pub struct Problem<C = Infallible> {
    /// What sort of problem it is.
    pub kind: Kind,
    /// The offset in the source at which it stands.
    pub offset: u64,
    /// What is wrong: a clause without a capital or a full stop.
    pub reason: String,
    /// Of a mismatch: the type that was expected.
    pub expected: Option<String>,
    /// Of a mismatch: what was there instead.
    pub got: Option<String>,
    /// Where it stands.
    pub spot: Spot,
    /// What the destination's own code raised.
    pub cause: Option<C>,
    /// What else is wrong with the same record, in the order of the document.
    pub others: Vec<Problem<C>>,
    /// How many more problems of the record were counted and not kept.
    pub omitted: u64,
}

impl<C> Problem<C> {
    /// The input itself is at fault.
    #[must_use]
    pub fn of_fault(fault: &Fault, spot: Spot) -> Self {
        Problem {
            kind: fault.kind(),
            offset: fault.offset(),
            reason: fault.reason().to_owned(),
            expected: None,
            got: None,
            spot,
            cause: None,
            others: Vec::new(),
            omitted: 0,
        }
    }

    /// A value does not fit.
    #[must_use]
    pub fn of_misfit(misfit: Misfit<C>, spot: Spot) -> Self {
        let Misfit { at, reason, expected, got, cause, limit, .. } = misfit;
        let kind = if limit { Kind::Limit } else { Kind::Mismatch };
        let (others, omitted) = (Vec::new(), 0);
        Problem { kind, offset: at, reason, expected, got, spot, cause, others, omitted }
    }
}

/// Why a run ended before the document did.
#[derive(Debug)]
pub enum Failure<C = Infallible, B = Infallible> {
    /// The problem behind which nothing is read.
    One(Problem<C>),
    /// All problems that were collected, the last one perhaps the one that ended the run.
    Collected(Vec<Problem<C>>),
    /// The destination gave up for a reason that is not the input's: its own code raised.
    Broken(B, Spot),
    /// The source could not be read on.
    Source {
        /// What its reader raised.
        error: io::Error,
        /// Where the input ends that was read.
        spot: Spot,
        /// What is wrong with the record at hand, as far as it was read.
        others: Vec<Problem<C>>,
        /// How many more problems of the record were counted and not kept.
        omitted: u64,
    },
}

/// A failure on the heap: it is rare, and results that may hold one are passed for each record.
pub type Failed<C, B> = Box<Failure<C, B>>;
