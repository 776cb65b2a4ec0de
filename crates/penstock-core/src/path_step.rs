//! One step of the path to a value, for messages and for programs.

use std::fmt;

/// One step of the path to a position in a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathStep {
    /// The key of a map, the name of an element without its prefix.
    Key(String),
    /// The name of an attribute, without `@`.
    Attribute(String),
    /// The position in a list, from 0.
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
            PathStep::Key(key) if key.is_empty() => f.write_str("~4"),
            PathStep::Key(key) => f.write_str(&escaped(key)),
            PathStep::Attribute(name) => write!(f, "@{}", escaped(name)),
        }
    }
}
