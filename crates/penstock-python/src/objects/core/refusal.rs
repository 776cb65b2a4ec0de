//! Why a value was refused: it does not fit, or the user's own code raised.

use penstock_core::protocol::Misfit;
use pyo3::prelude::*;

pub(crate) use penstock_core::protocol::Code;

/// A value that does not fit the class.
pub(crate) type Mismatch = Misfit<PyErr>;

/// The builder's error. One word without a spare value, like the answers, so that the `Result` of both
/// stays in two registers.
#[derive(Debug)]
pub(crate) struct Refusal(Box<Why>);

/// Why a value was refused.
#[derive(Debug)]
pub(crate) enum Why {
    /// The value does not fit.
    Mismatch(Mismatch),
    /// Several parts of it do not fit, and all errors are reported. There is at least one.
    Several(Vec<Mismatch>),
    /// An exception that is not ours to interpret.
    Python(PyErr),
    /// The builder has kept the problem already.
    Kept,
}

impl Refusal {
    /// Whether it has another reason than a value of the record.
    #[cold]
    pub(crate) fn breaks(&self) -> bool {
        matches!(*self.0, Why::Python(_))
    }

    /// A refusal whose problem is kept already.
    #[cold]
    pub(crate) fn kept() -> Self {
        Refusal(Box::new(Why::Kept))
    }

    /// The refusal of a value of which several parts do not fit.
    #[cold]
    pub(crate) fn several(mismatches: Vec<Mismatch>) -> Self {
        Refusal(Box::new(Why::Several(mismatches)))
    }

    /// The reason.
    pub(crate) fn why(self) -> Why {
        *self.0
    }

    /// Whether a value does not fit.
    pub(crate) fn is_mismatch(&self) -> bool {
        matches!(*self.0, Why::Mismatch(_) | Why::Several(_))
    }

    /// The same refusal, as another kind of problem.
    #[cold]
    pub(crate) fn coded(mut self, code: Code) -> Self {
        if let Some(mismatch) = self.mismatch() {
            mismatch.code = code;
        }
        self
    }

    /// The same refusal, with the exception that it comes of, if there is one.
    #[cold]
    pub(crate) fn because_of(mut self, cause: Option<PyErr>) -> Self {
        if let Some(mismatch) = self.mismatch() {
            mismatch.cause = cause;
        }
        self
    }

    /// The first mismatch, if a value does not fit.
    pub(crate) fn mismatch(&mut self) -> Option<&mut Mismatch> {
        self.mismatches().first_mut()
    }

    /// The mismatches, if a value does not fit.
    pub(crate) fn mismatches(&mut self) -> &mut [Mismatch] {
        match &mut *self.0 {
            Why::Mismatch(mismatch) => std::slice::from_mut(mismatch),
            Why::Several(mismatches) => mismatches,
            Why::Python(_) | Why::Kept => &mut [],
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
