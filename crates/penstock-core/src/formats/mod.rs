//! The table of formats: everything that the rest of the library knows of a format.
//!
//! A format is a folder of this crate and a row of [`FORMATS`]. The row says how a source is
//! recognised, which form its events have, and how the caller's options become a [`Dialect`]: the
//! format, read in one particular way. Code that has a dialect can make a reader without knowing the
//! format. A [`Style`] is the same for writing.

pub mod arrow;
mod boundary;
pub mod csv;
mod csv_style;
pub mod json;
pub mod plist;
mod plist_style;
mod reader;
mod restart;
mod writer;
pub mod xml;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

pub use boundary::{Boundary, Quotes};
pub use reader::Reader;
pub(crate) use restart::Passable;
pub use restart::ReaderState;
pub use writer::AnyWriter;

use crate::limits::Limits;
use crate::options::{InvalidOption, OptionValue};
use crate::shape::Form;
use crate::source::Detect;
use crate::writer::{Content, Unwritable};

/// Every format, by name. A new one is a row here, a variant of [`Reader`] and a folder.
pub static FORMATS: [&Format; 5] =
    [&json::JSON, &json::NDJSON, &xml::FORMAT, &csv::FORMAT, &plist::FORMAT];

/// A format, as the rest of the library sees it.
pub struct Format {
    /// The name that callers write: `"ndjson"`.
    pub name: &'static str,
    /// The article that goes before the name.
    pub article: &'static str,
    /// The name in messages: `NDJSON`.
    pub title: &'static str,
    /// The suffixes of its files, with the dot, in lower case.
    pub suffixes: &'static [&'static str],
    /// The characters with which a document of this format may begin, and none of another format
    /// does; none if the beginning does not distinguish it from others.
    pub begins_with: &'static [char],
    /// Whether a source as a whole is a list of values.
    pub is_stream: bool,
    /// The form of its events.
    pub form: Form,
    /// In which format's text a sink can give the reader the key that it expects.
    pub lends: Lends,
    /// Makes a dialect of named options.
    pub dialect: MakeDialect,
    /// Makes a style of named options.
    pub style: MakeStyle,
}

/// The format in whose text a sink gives keys to the reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lends {
    /// None: the reader finds keys by itself.
    Nothing,
    /// JSON ([`json::lend`](crate::json::lend)).
    Json,
}

/// Makes a dialect of named options.
pub type MakeDialect = fn(&[(String, OptionValue)]) -> Result<Arc<dyn Dialect>, InvalidOption>;

/// Makes a style of named options.
pub type MakeStyle = fn(&[(String, OptionValue)]) -> Result<Arc<dyn Style>, InvalidOption>;

impl fmt::Debug for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Format").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Format {
    /// Looks up a format by its name.
    ///
    /// ```
    /// use penstock_core::formats::Format;
    ///
    /// assert_eq!(Format::by_name("ndjson").map(|format| format.title), Some("NDJSON"));
    /// assert!(Format::by_name("NDJSON").is_none());
    /// ```
    #[must_use]
    pub fn by_name(name: &str) -> Option<&'static Format> {
        FORMATS.iter().copied().find(|format| format.name == name)
    }
}

/// A format with all options about the text, but not those about the objects made from it.
pub trait Dialect: fmt::Debug + Send + Sync {
    /// The format.
    fn format(&self) -> &'static Format;

    /// Whether a source is one document, and not values one after the other.
    fn is_document(&self) -> bool;

    /// How a document of this format declares its encoding.
    fn detect(&self) -> Detect {
        Detect::Nothing
    }

    /// The namespaces to which the prefixes in paths are bound. Nothing if a prefix is a part of
    /// its name: the format has no namespaces, or they are not to be resolved.
    fn namespaces(&self) -> Option<&BTreeMap<String, String>> {
        None
    }

    /// The records if no path selects them.
    fn default_records(&self) -> &'static str;

    /// A reader at the beginning of a source. `everything` says that the reader may leave out
    /// nothing of the document, such as declarations of namespaces.
    fn reader(&self, everything: bool, limits: &Limits) -> Reader;
}

/// How text of a format is written: the format with all options about the text.
pub trait Style: fmt::Debug + Send + Sync {
    /// The format.
    fn format(&self) -> &'static Format;

    /// A writer at the beginning of its output.
    ///
    /// # Errors
    /// An option is not possible, or records cannot stand at the path.
    fn writer(&self, content: Content<'_>, limits: &Limits) -> Result<AnyWriter, Unwritable>;

    /// The prefixes of namespaces and their URIs; None if names have no namespaces, or if they are
    /// used as written.
    fn namespaces(&self) -> Option<&[(String, String)]> {
        None
    }

    /// The form in which text is written if the caller names none; None if the format has no forms.
    fn default_form(&self) -> Option<&'static str> {
        None
    }
}
