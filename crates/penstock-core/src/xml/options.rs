//! Options for reading a document.

use super::repair::Repairs;

/// How to handle a reference to an entity that only something outside the document could declare.
/// Nothing outside the document is ever opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unresolved {
    /// The reference is a fault.
    #[default]
    Error,
    /// The reference is kept as text, as written.
    Text,
}

/// The options.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Whether to resolve prefixes to namespaces. If not, names are reported as written, and
    /// `xmlns` attributes are plain attributes.
    pub namespaces: bool,
    /// Whether `xmlns` attributes are reported as attributes even if they are resolved.
    pub declarations: bool,
    /// How to handle references that cannot be resolved.
    pub unresolved: Unresolved,
    /// The faults that may be repaired.
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
