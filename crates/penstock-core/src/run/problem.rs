//! A problem of a document or of one of its records, as data.
//!
//! Nothing here is an exception. The driver of a run decides how to use a problem: Python raises
//! it, a command prints it, a splitter counts it.

use std::convert::Infallible;
use std::io;

use crate::error::{Fault, Kind};
use crate::path_step::PathStep;
use crate::position::Place;
use crate::protocol::{Code, Misfit};

/// The position of a problem, as far as it is known.
#[derive(Clone, Debug, Default)]
pub struct Spot {
    /// Line, column and excerpt. None if the input is not text.
    pub place: Option<Place>,
    /// The record, from 1. None if records are not counted, and between records.
    pub record: Option<u64>,
    /// The path from the root of the document.
    pub path: Vec<PathStep>,
}

/// One problem of the input.
#[derive(Debug)]
pub struct Problem<C = Infallible> {
    /// The kind of problem.
    pub kind: Kind,
    /// Its offset in the source.
    pub offset: u64,
    /// The problem: a clause without a capital or a full stop.
    pub reason: String,
    /// The kind of problem, for programs.
    pub code: Code,
    /// If something is absent: the steps from the end of the path to where it should be.
    pub missing: Vec<PathStep>,
    /// True if something is absent, and the record has nothing else that the destination asks for.
    pub bare: bool,
    /// For a mismatch: the expected type.
    pub expected: Option<String>,
    /// For a mismatch: the value or type that was there instead.
    pub got: Option<String>,
    /// Its position.
    pub spot: Spot,
    /// The exception that the destination's own code raised.
    pub cause: Option<C>,
    /// The other problems of the same record, in document order.
    pub others: Vec<Problem<C>>,
    /// How many more problems of the record were counted, but not kept.
    pub omitted: u64,
    /// The bytes of the record, if a byte separates records and there are not more than
    /// [`MOST_RAW`](super::MOST_RAW).
    pub raw: Option<Vec<u8>>,
}

impl<C> Problem<C> {
    /// The problem for a fault of the input itself.
    #[must_use]
    pub fn of_fault(fault: &Fault, spot: Spot) -> Self {
        Problem {
            kind: fault.kind(),
            offset: fault.offset(),
            reason: fault.reason().to_owned(),
            code: match fault.kind() {
                Kind::Truncated => Code::Truncated,
                // A lack of memory becomes a `MemoryError`, which has no code.
                Kind::Limit | Kind::Memory => Code::Limit,
                Kind::Mismatch => Code::Type,
                Kind::Malformed => Code::Malformed,
            },
            missing: Vec::new(),
            bare: false,
            expected: None,
            got: None,
            spot,
            cause: None,
            others: Vec::new(),
            omitted: 0,
            raw: None,
        }
    }

    /// The problem for a value that does not fit.
    #[must_use]
    pub fn of_misfit(misfit: Misfit<C>, spot: Spot) -> Self {
        let Misfit { at: offset, reason, expected, got, code, missing, bare, cause, limit, .. } =
            misfit;
        let (kind, code) = if limit { (Kind::Limit, Code::Limit) } else { (Kind::Mismatch, code) };
        Problem {
            kind,
            offset,
            reason,
            code,
            missing,
            bare,
            expected,
            got,
            spot,
            cause,
            others: Vec::new(),
            omitted: 0,
            raw: None,
        }
    }
}

/// Why a run ended before the document did.
#[derive(Debug)]
pub enum Failure<C = Infallible, B = Infallible> {
    /// The problem after which nothing can be read.
    One(Problem<C>),
    /// All collected problems. The last one may be the one that ended the run.
    Collected(Vec<Problem<C>>),
    /// The destination gave up, and not because of the input: its own code raised.
    Broken(B, Spot),
    /// The source failed.
    Source {
        /// The error of the source.
        error: io::Error,
        /// The position of the end of the input that was read.
        spot: Spot,
        /// The problems of the current record, as far as it was read.
        others: Vec<Problem<C>>,
        /// How many more problems of the record were counted, but not kept.
        omitted: u64,
    },
}

/// A failure on the heap. Failures are rare, and a result that may hold one is passed for each
/// record.
pub type Failed<C, B> = Box<Failure<C, B>>;
