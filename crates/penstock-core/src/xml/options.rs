//! Options for reading and for writing a document.

use crate::options::Indent;
use crate::repair::Repairs;
use crate::writer::Unwritable;

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

/// How the records stand in the document, which has exactly one root element.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Records {
    /// There is one, and it is the document. If it has a key, as every element has one, that is
    /// the name of the root element. A map without a key is the content of an element named
    /// [`root`](WriterOptions::root); if no such name is given, its only member is the root
    /// element. The elements of a list are written as records in an element of that name.
    #[default]
    One,
    /// They are inside elements with these names, outermost first; without a name, in one called
    /// `root`. A record without a key becomes an element named [`record`](WriterOptions::record).
    Within(Vec<String>),
}

/// How to write `null`. As the value of an attribute or of `#text`, it is always left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Null {
    /// As an empty element with `xsi:nil="true"`.
    #[default]
    Nil,
    /// As an empty element.
    Empty,
    /// Not at all.
    Omit,
}

/// The options for writing.
///
/// Names may have a prefix (`p:name`), which [`prefixes`](Self::prefixes) must declare, or a
/// namespace in braces (`{uri}name`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WriterOptions {
    /// How the records stand in the document.
    pub records: Records,
    /// The name of the root element if there is one record, whatever the record's own name is.
    pub root: Option<String>,
    /// The name of records that have none, and of the elements of a list at the root. If it is
    /// empty, they are named `item`, and whoever writes objects may give each a name of its own.
    pub record: String,
    /// Whether the document begins with an XML declaration.
    pub declaration: bool,
    /// Whether the document is ASCII: all other characters are references, and names have none.
    pub ascii: bool,
    /// The white space for each level; none for no line breaks. Only elements that contain nothing but elements are
    /// indented.
    pub indent: Option<Indent>,
    /// How to write `null`.
    pub null: Null,
    /// Whether comments and processing instructions are written.
    pub extras: bool,
    /// Whether names have namespaces. If not, they are written as they are, colons included, as a
    /// reader with the same option reports them.
    pub namespaces: bool,
    /// Prefixes and their namespaces, which the root element declares.
    pub prefixes: Vec<(String, String)>,
    /// The namespace of elements without a prefix, which the root element declares.
    pub default_namespace: Option<String>,
}

impl Default for WriterOptions {
    fn default() -> Self {
        WriterOptions {
            records: Records::default(),
            root: None,
            record: "item".to_owned(),
            declaration: true,
            ascii: false,
            indent: None,
            null: Null::default(),
            extras: true,
            namespaces: true,
            prefixes: Vec::new(),
            default_namespace: None,
        }
    }
}

impl WriterOptions {
    /// Options for records at a path, as `at` of a reader would find them: the last step is the
    /// name of the records, the others are the elements around them.
    ///
    /// ```
    /// use penstock_core::xml::writer::{Records, WriterOptions};
    ///
    /// let options = WriterOptions::at("{urn:x/y}feed/list/entry")?;
    /// assert_eq!(options.records, Records::Within(vec!["{urn:x/y}feed".into(), "list".into()]));
    /// assert_eq!(options.record, "entry");
    /// # Ok::<(), penstock_core::writer::Unwritable>(())
    /// ```
    ///
    /// # Errors
    /// The path has one step only. [`Writer::new`](super::writer::Writer::new) checks the names.
    pub fn at(path: &str) -> Result<Self, Unwritable> {
        let mut steps = vec![String::new()];
        let mut braces = false;
        for char in path.chars() {
            braces = char == '{' || braces && char != '}';
            match steps.last_mut() {
                Some(step) if char != '/' || braces => step.push(char),
                _ => steps.push(String::new()),
            }
        }
        let (Some(record), false) = (steps.pop(), steps.is_empty()) else {
            let reason =
                "the path of records has at least two names, the root element's and theirs";
            return Err(Unwritable::value(reason));
        };
        Ok(WriterOptions { records: Records::Within(steps), record, ..WriterOptions::default() })
    }
}
