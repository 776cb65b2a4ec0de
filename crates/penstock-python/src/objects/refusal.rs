//! Why a value was refused: it does not fit, or the user's own code raised.

use penstock_core::position::Place;
use pyo3::prelude::*;
use std::fmt;

/// One step of the path to a value.
#[derive(Clone, Debug)]
pub(crate) enum PathStep {
    /// A key, or the name of an element.
    Key(String),
    /// The name of an attribute, without `@`.
    Attribute(String),
    /// A position in a list.
    Index(u64),
}

/// As `at` would write it.
impl fmt::Display for PathStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let escaped = |name: &str| {
            name.replace('~', "~0").replace('/', "~1").replace('*', "~2").replace('@', "~3")
        };
        match self {
            PathStep::Index(index) => write!(f, "{index}"),
            PathStep::Key(key) => f.write_str(&escaped(key)),
            PathStep::Attribute(name) => write!(f, "@{}", escaped(name)),
        }
    }
}

/// A value that does not fit the class.
#[derive(Debug)]
pub(crate) struct Mismatch {
    /// The offset of the value, or of the end of the object that lacks one.
    pub(crate) at: u64,
    /// What is wrong: `expected float, got a string`.
    pub(crate) reason: String,
    /// The type that was expected, as its annotation reads.
    pub(crate) expected: Option<String>,
    /// What was there instead.
    pub(crate) got: Option<String>,
    /// The way to the value within its record.
    pub(crate) path: Vec<PathStep>,
    /// The exception that the class's own code raised.
    pub(crate) cause: Option<PyErr>,
    /// Which limit was exceeded rather than which type not met.
    pub(crate) limit: bool,
    /// The place of `at`, where the text around it may be gone when it is told.
    pub(crate) place: Option<Box<Place>>,
}

impl Mismatch {
    /// Something about a value that is not its type.
    pub(crate) fn new(at: u64, reason: String, path: Vec<PathStep>) -> Self {
        let (expected, got, cause, limit, place) = (None, None, None, false, None);
        Mismatch { at, reason, expected, got, path, cause, limit, place }
    }

    /// How many bytes its texts take, about.
    pub(crate) fn size(&self) -> usize {
        let path = self.path.iter().map(|step| match step {
            PathStep::Key(name) | PathStep::Attribute(name) => name.len(),
            PathStep::Index(_) => 0,
        });
        path.sum::<usize>() + self.reason.len()
    }
}

/// The builder's error. One word without a spare value, like the answers, so that the `Result` of both
/// stays in two registers.
#[derive(Debug)]
pub(crate) struct Refusal(Box<Why>);

/// Why a value was refused.
#[derive(Debug)]
pub(crate) enum Why {
    /// The value does not fit.
    Mismatch(Mismatch),
    /// An exception that is not ours to interpret.
    Python(PyErr),
    /// What is wrong is kept already.
    Kept,
}

impl Refusal {
    /// What is wrong is kept already.
    #[cold]
    pub(super) fn kept() -> Self {
        Refusal(Box::new(Why::Kept))
    }

    /// What it says.
    pub(crate) fn why(self) -> Why {
        *self.0
    }

    /// Whether it is that the value does not fit.
    pub(super) fn is_mismatch(&self) -> bool {
        matches!(*self.0, Why::Mismatch(_))
    }

    /// What does not fit, if it is that.
    pub(crate) fn mismatch(&mut self) -> Option<&mut Mismatch> {
        match &mut *self.0 {
            Why::Mismatch(mismatch) => Some(mismatch),
            _ => None,
        }
    }
}

impl From<Mismatch> for Refusal {
    #[cold]
    fn from(mismatch: Mismatch) -> Self {
        Refusal(Box::new(Why::Mismatch(mismatch)))
    }
}

impl From<PyErr> for Refusal {
    #[cold]
    fn from(error: PyErr) -> Self {
        Refusal(Box::new(Why::Python(error)))
    }
}
