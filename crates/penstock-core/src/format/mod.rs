//! The table of formats: all that the rest of the library knows of a format by its name.
//!
//! A format is a folder of this crate and a row of [`FORMATS`]. The row says how a source is
//! recognised, what its events are like, and how the options that a caller gives become a
//! [`Dialect`]: the format, read in one particular way. Whoever has a dialect can make a reader
//! without knowing which format it is.

mod said;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

pub use said::{Said, Value, WrongOption, alternatives, wrong_word};

use crate::limits::Limits;
use crate::reader::Reader;
use crate::shape::Form;
use crate::source::Detect;
use crate::{json, xml};

/// Every format, by name. A new one is a row here, a variant of [`Reader`] and a folder.
pub static FORMATS: [&Format; 3] = [&json::JSON, &json::NDJSON, &xml::FORMAT];

/// A format, as the rest of the library sees it.
pub struct Format {
    /// What callers write: `"ndjson"`.
    pub name: &'static str,
    /// The article that goes before the name.
    pub article: &'static str,
    /// What people call it: `NDJSON`.
    pub title: &'static str,
    /// The suffixes of its files, with the dot, in lower case.
    pub suffixes: &'static [&'static str],
    /// The characters with which a document of it may begin and none of another format does; none
    /// if its beginning does not tell it from others.
    pub begins_with: &'static [char],
    /// Whether a source as a whole is a list of values.
    pub is_stream: bool,
    /// What its events are like.
    pub form: Form,
    /// In which text a sink can lend the reader the key that it expects.
    pub lends: Lends,
    /// Makes a dialect of options, of which each is known by its name.
    pub dialect: MakeDialect,
}

/// In which format's text the keys stand that a sink lends to the reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lends {
    /// In none: the reader finds keys by itself.
    Nothing,
    /// In that of JSON ([`json::lend`](crate::json::lend)).
    Json,
}

/// Makes a dialect of options that a caller named.
pub type MakeDialect = fn(&[(String, Said)]) -> Result<Arc<dyn Dialect>, WrongOption>;

impl fmt::Debug for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Format").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Format {
    /// The format of a name.
    ///
    /// ```
    /// use penstock_core::format::Format;
    ///
    /// assert_eq!(Format::by_name("ndjson").map(|format| format.title), Some("NDJSON"));
    /// assert!(Format::by_name("NDJSON").is_none());
    /// ```
    #[must_use]
    pub fn by_name(name: &str) -> Option<&'static Format> {
        FORMATS.iter().copied().find(|format| format.name == name)
    }
}

/// A format with all options that are about the text, and not about what is made of it.
pub trait Dialect: fmt::Debug + Send + Sync {
    /// The format.
    fn format(&self) -> &'static Format;

    /// Whether a source is one document, and not values one after the other.
    fn is_document(&self) -> bool;

    /// How a document itself may say its encoding.
    fn detect(&self) -> Detect {
        Detect::Nothing
    }

    /// The namespaces that prefixes in paths stand for. Nothing if names are only names: the format
    /// has no namespaces, or they are not to be resolved.
    fn namespaces(&self) -> Option<&BTreeMap<String, String>> {
        None
    }

    /// What a record is if no path says it.
    fn default_records(&self) -> &'static str;

    /// A reader at the beginning of a source. `everything` says that nothing of the document may be
    /// left out, declarations of namespaces for example.
    fn reader(&self, everything: bool, limits: &Limits) -> Reader;
}
