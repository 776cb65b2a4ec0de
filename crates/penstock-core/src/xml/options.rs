//! How a document is to be read, as far as its author leaves that open.

use super::repair::Repairs;

/// What becomes of a reference to an entity that only something outside the document could
/// declare. Nothing outside is ever opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unresolved {
    /// It is a fault.
    #[default]
    Error,
    /// It stands for itself, as it is written.
    Text,
}

/// How to read.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Whether prefixes stand for namespaces. If not, names are told as they are written, and
    /// `xmlns` attributes are attributes.
    pub namespaces: bool,
    /// Whether `xmlns` attributes are told as attributes though they are resolved.
    pub declarations: bool,
    /// What becomes of references that cannot be resolved.
    pub unresolved: Unresolved,
    /// What may be repaired.
    pub repairs: Repairs,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            namespaces: true,
            declarations: false,
            unresolved: Unresolved::Error,
            repairs: Repairs::default(),
        }
    }
}
