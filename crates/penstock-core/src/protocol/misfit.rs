//! A value that does not fit, as data.

use std::convert::Infallible;

use crate::path_step::PathStep;
use crate::position::Place;

/// What kind of problem it is, for programs. The text of a problem may change, and these may not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Code {
    /// The input violates the grammar of its format.
    Malformed,
    /// The input ends too early.
    Truncated,
    /// A limit is exceeded.
    Limit,
    /// The value is of another type.
    #[default]
    Type,
    /// The value is of the right type, and not one of those that the destination takes.
    Value,
    /// The value does not meet a constraint.
    Constraint,
    /// A required key, element or attribute is absent.
    Missing,
    /// The destination has no place for the key.
    Unknown,
    /// A key or an element occurs more than once.
    Repeated,
    /// An array has more or fewer elements than the destination takes.
    Length,
    /// Nothing says which class of a union the object is of.
    Union,
    /// The destination's own code refused the value.
    Refused,
    /// There is no record at all.
    Empty,
}

impl Code {
    /// The word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Code::Malformed => "malformed",
            Code::Truncated => "truncated",
            Code::Limit => "limit",
            Code::Type => "type",
            Code::Value => "value",
            Code::Constraint => "constraint",
            Code::Missing => "missing",
            Code::Unknown => "unknown",
            Code::Repeated => "repeated",
            Code::Length => "length",
            Code::Union => "union",
            Code::Refused => "refused",
            Code::Empty => "empty",
        }
    }
}

/// A value that does not fit, as the destination describes it. The run adds the position, the
/// record and the path above the record, and makes a [problem](crate::run::Problem) of it.
#[derive(Debug)]
pub struct Misfit<C = Infallible> {
    /// The offset of the value, or of the end of the object if a field is missing.
    pub at: u64,
    /// The problem: `expected float, got a string`.
    pub reason: String,
    /// The expected type, as its annotation reads.
    pub expected: Option<String>,
    /// The value or type that was there instead.
    pub got: Option<String>,
    /// The kind of problem.
    pub code: Code,
    /// The path of the value within its record.
    pub path: Vec<PathStep>,
    /// If something is absent: the steps from the end of `path` to where it should be.
    pub missing: Vec<PathStep>,
    /// True if something is absent, and the record has nothing else that the destination asks for.
    pub bare: bool,
    /// The exception that the destination's own code raised.
    pub cause: Option<C>,
    /// True if a limit is exceeded, false if the type is wrong.
    pub limit: bool,
    /// The position of `at`. It is looked up early if the text may be dropped before the misfit is
    /// reported.
    pub place: Option<Box<Place>>,
}

impl<C> Misfit<C> {
    /// A misfit without an expected type.
    #[must_use]
    pub fn new(at: u64, reason: String, path: Vec<PathStep>) -> Self {
        let (expected, got, cause, limit, place) = (None, None, None, false, None);
        let (code, missing, bare) = (Code::default(), Vec::new(), false);
        Misfit { at, reason, expected, got, code, path, missing, bare, cause, limit, place }
    }

    /// About how many bytes its texts need.
    #[must_use]
    pub fn size(&self) -> usize {
        let path = self.path.iter().map(|step| match step {
            PathStep::Key(name) | PathStep::Attribute(name) => name.len(),
            PathStep::Index(_) => 0,
        });
        path.sum::<usize>() + self.reason.len()
    }
}
