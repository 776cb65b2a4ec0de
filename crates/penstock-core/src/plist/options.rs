//! The options of property lists.

use crate::repair::Repairs;

/// How a property list is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Binary, version 00.
    Binary,
    /// XML.
    Xml,
    /// The text of OpenStep, and of GNUstep, whose types it has besides strings.
    Text,
    /// JSON.
    Json,
}

/// How property lists are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The form, or nothing: the first bytes say it.
    pub form: Option<Form>,
    /// XML: the faults to repair. The other forms have none.
    pub repairs: Repairs,
}
