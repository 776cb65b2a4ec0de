//! The language of `at`: from text to steps.
//!
//! | step | matches |
//! |---|---|
//! | `name` | a key; an element written without a prefix |
//! | `3` | the key `3`; the position 3 of a list |
//! | `*` | any child, any element of a list |
//! | `@name` | an attribute; the key `@name` |
//! | `{uri}name`, `{uri}*` | an element by its exact namespace; `{}name` is in none |
//! | `p:name`, `p:*` | the same, with the namespace that [`Path::bind`] gives for `p` |
//! | `*:name` | an element of any namespace |
//! | `text()` | last only: an element's own text |
//! | `key()` | last only: the key that the `*` before it matched; alone, that by which the object was found |
//!
//! Steps are separated by `/`, and a leading `//` matches the first step at any depth. In formats
//! without namespaces a step's whole text is the key, so `a:b` is the key `a:b`. `~0 ~1 ~2 ~3`
//! stand for `~ / * @`, and the step `~4` for the empty key; between `{` and `}` every character stands for itself.

use std::fmt;

/// The namespace that is always bound to the prefix `xml`.
const XML: &str = "http://www.w3.org/XML/1998/namespace";

/// A path that is not valid, or cannot be used here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathError {
    /// The position in the path's text: in code points, from 1.
    pub column: usize,
    /// The problem: a clause without a capital or a full stop.
    pub reason: String,
}

impl PathError {
    pub(crate) fn new(column: usize, reason: impl Into<String>) -> Self {
        PathError { column, reason: reason.into() }
    }
}

impl fmt::Display for PathError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (column {})", self.reason, self.column)
    }
}

impl std::error::Error for PathError {}

/// Which namespace the name of an element or attribute must be in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NamespaceTest {
    /// Written without a prefix, whatever the default namespace is.
    Unprefixed,
    /// Any namespace or none.
    Any,
    /// Exactly this one; the empty text is no namespace.
    Uri(Box<str>),
    /// The one that this prefix will be bound to. Until then it matches no element.
    Prefix(Box<str>),
}

impl NamespaceTest {
    /// Whether a name matches that is in the namespace `uri` and written with or without a prefix.
    /// An empty `uri` is no namespace, and `None` is one that no path names.
    #[must_use]
    pub fn admits(&self, uri: Option<&str>, prefixed: bool) -> bool {
        match self {
            NamespaceTest::Unprefixed => !prefixed,
            NamespaceTest::Any => true,
            NamespaceTest::Uri(exact) => uri == Some(exact),
            NamespaceTest::Prefix(_) => false,
        }
    }
}

/// The condition of a step on a key or a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Test {
    /// A child by its name, or any name (`local` is `None`) of a namespace.
    Name {
        /// The namespace it must be in.
        namespace: NamespaceTest,
        /// The name without its prefix, escapes resolved.
        local: Option<Box<str>>,
    },
    /// `*`: any child.
    AnyChild,
    /// An attribute by its name.
    Attribute {
        /// The namespace it must be in.
        namespace: NamespaceTest,
        /// The name without its prefix, escapes resolved.
        local: Box<str>,
    },
    /// `text()`: the own text of the element at this point of the path.
    Text,
    /// `key()`: the key or position that the `*` before it matched.
    KeyOf,
}

/// One step of a path. It displays as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    test: Test,
    source: Box<str>,
    key: Box<str>,
    column: usize,
}

impl Step {
    /// The condition.
    #[must_use]
    pub fn test(&self) -> &Test {
        &self.test
    }
    /// The step as a plain key, for formats without namespaces: its text, escapes resolved.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.key
    }
    /// The step as a position in a list: if it is a number, without a leading zero.
    #[must_use]
    pub fn index(&self) -> Option<u64> {
        let name = matches!(self.test, Test::Name { .. });
        let canonical = self.source.len() == 1 || !self.source.starts_with('0');
        let digits = self.source.bytes().all(|b| b.is_ascii_digit());
        if name && canonical && digits { self.source.parse().ok() } else { None }
    }
    /// The beginning of the step in the path's text: in code points, from 1.
    #[must_use]
    pub fn column(&self) -> usize {
        self.column
    }
    /// True if the step matches keys that it does not name: `*`, `{uri}*`, `p:*`.
    #[must_use]
    pub fn is_wild(&self) -> bool {
        matches!(self.test, Test::AnyChild | Test::Name { local: None, .. })
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.source)
    }
}

/// A parsed path. It displays as it was written.
///
/// ```
/// use penstock_core::select::Path;
///
/// let path = Path::parse("MedlineCitation/PMID").unwrap();
/// assert_eq!(path.steps().len(), 2);
/// let error = Path::parse("a//b").unwrap_err();
/// assert_eq!((error.column, error.reason.as_str()), (3, "'//' is only allowed at the beginning"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    source: Box<str>,
    anywhere: bool,
    steps: Vec<Step>,
}

impl Path {
    /// Parses a path.
    ///
    /// # Errors
    /// With the column, for text that is not a path: see the table of the module.
    pub fn parse(text: &str) -> Result<Path, PathError> {
        let chars: Vec<char> = text.chars().collect();
        if chars.is_empty() {
            return Err(PathError::new(1, "a path has at least one step"));
        }
        let anywhere = chars.starts_with(&['/', '/']);
        let mut steps: Vec<Step> = Vec::new();
        let mut start = if anywhere { 2 } else { 0 };
        loop {
            let end = step_end(&chars, start)?;
            if start == end {
                return Err(empty_step(&chars, start));
            }
            let step = step(&chars[start..end], start + 1)?;
            if let Some(before) = steps.last()
                && matches!(before.test, Test::Text | Test::KeyOf)
            {
                return Err(PathError::new(
                    before.column,
                    format!("{before} must be the last step"),
                ));
            }
            if step.test == Test::KeyOf && (anywhere || !steps.is_empty()) {
                let after_star = steps.last().is_some_and(Step::is_wild);
                if !after_star {
                    return Err(PathError::new(
                        step.column,
                        "key() must stand alone, or follow the '*' whose match it is",
                    ));
                }
            }
            steps.push(step);
            if end == chars.len() {
                return Ok(Path { source: text.into(), anywhere, steps });
            }
            start = end + 1;
        }
    }

    /// True if the path begins with `//`: its first step matches at any depth.
    #[must_use]
    pub fn anywhere(&self) -> bool {
        self.anywhere
    }
    /// The steps, at least one.
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }
    /// True if the path can match more than one value of a document without repeated keys: it has
    /// a `*` or begins with `//`.
    #[must_use]
    pub fn matches_many(&self) -> bool {
        self.anywhere || self.steps.iter().any(Step::is_wild)
    }

    /// Whether another path goes on where this one ends.
    #[must_use]
    pub fn begins(&self, other: &Path) -> bool {
        let mut both = self.steps.iter().zip(&other.steps);
        self.anywhere == other.anywhere
            && self.steps.len() < other.steps.len()
            && both.all(|(one, two)| one.test == two.test)
    }

    /// How many steps above its end the last `*` of the path stands, if it has one.
    #[must_use]
    pub fn last_star(&self) -> Option<usize> {
        self.steps.iter().rev().position(Step::is_wild)
    }

    /// Resolves prefixes: `p:x` becomes `{uri}x`, with the URI of `p` in `namespaces`. Only formats
    /// with namespaces need this. `xml` is always bound. If the empty prefix is bound, it is that of
    /// elements without one; attributes without a prefix are in no namespace.
    ///
    /// # Errors
    /// At the first step whose prefix has no namespace.
    pub fn bind<'n>(
        &mut self,
        namespaces: impl Fn(&str) -> Option<&'n str>,
    ) -> Result<(), PathError> {
        let by_default = namespaces("");
        for step in &mut self.steps {
            let is_element = matches!(step.test, Test::Name { .. });
            let (Test::Name { namespace, .. } | Test::Attribute { namespace, .. }) = &mut step.test
            else {
                continue;
            };
            match (&*namespace, by_default) {
                (NamespaceTest::Unprefixed, Some(uri)) if is_element => {
                    *namespace = NamespaceTest::Uri(uri.into());
                }
                // A name that is made of another one, as by `rename`, may begin so.
                (NamespaceTest::Prefix(prefix), _) if **prefix == *"*" => {
                    *namespace = NamespaceTest::Any;
                }
                (NamespaceTest::Prefix(prefix), _) => {
                    let uri = namespaces(prefix).or((**prefix == *"xml").then_some(XML));
                    let Some(uri) = uri else {
                        let reason = format!("the prefix '{prefix}' is not among the namespaces");
                        return Err(PathError::new(step.column, reason));
                    };
                    *namespace = NamespaceTest::Uri(uri.into());
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Treats prefixes as parts of the names, for a reader that does not resolve namespaces: `p:x`
    /// is then the name `p:x`. A step with a namespace URI matches only names without a prefix, and
    /// only if the URI is empty.
    pub fn as_written(&mut self) {
        for step in &mut self.steps {
            let (namespace, local) = match &mut step.test {
                Test::Name { namespace, local: Some(local) } => (namespace, local),
                Test::Attribute { namespace, local } => (namespace, local),
                _ => continue,
            };
            if let NamespaceTest::Prefix(prefix) = namespace {
                *local = format!("{prefix}:{local}").into();
                *namespace = NamespaceTest::Unprefixed;
            }
        }
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.source)
    }
}

impl std::str::FromStr for Path {
    type Err = PathError;

    fn from_str(text: &str) -> Result<Path, PathError> {
        Path::parse(text)
    }
}

/// The end of the step that begins at `start`: the next `/` outside a leading `{...}`.
fn step_end(chars: &[char], start: usize) -> Result<usize, PathError> {
    let name = start + usize::from(chars.get(start) == Some(&'@'));
    let mut end = name;
    if chars.get(name) == Some(&'{') {
        match chars[name..].iter().position(|c| *c == '}') {
            Some(closing) => end = name + closing,
            None => return Err(PathError::new(name + 1, "'{' without a '}' after it")),
        }
    }
    while end < chars.len() && chars[end] != '/' {
        end += 1;
    }
    Ok(end)
}

/// The error for an empty step at `start`, in terms of the mistake.
fn empty_step(chars: &[char], start: usize) -> PathError {
    let reason = if start == chars.len() {
        "a step is expected after '/'"
    } else if start == 0 {
        "a path does not begin with '/'; '//' finds its first step anywhere"
    } else if start == 2 && chars[..3] == ['/', '/', '/'] {
        "a step is expected after '//'"
    } else {
        "'//' is only allowed at the beginning"
    };
    PathError::new(start + 1, reason)
}

/// Parses one step, not empty, that begins at `column`.
fn step(chars: &[char], column: usize) -> Result<Step, PathError> {
    let source: String = chars.iter().collect();
    let test = match source.as_str() {
        "*" => Test::AnyChild,
        "text()" => Test::Text,
        "key()" => Test::KeyOf,
        _ if chars[0] == '@' => match name(&chars[1..], column + 1)? {
            (namespace, Some(local)) => Test::Attribute { namespace, local },
            (_, None) => {
                let reason = "an attribute is named; '*' matches children only";
                return Err(PathError::new(column + chars.len() - 1, reason));
            }
        },
        _ => {
            let (namespace, local) = name(chars, column)?;
            Test::Name { namespace, local }
        }
    };
    // Text in braces is literal here too.
    let named = usize::from(chars[0] == '@');
    let literal = match chars.get(named) {
        Some('{') => chars.iter().position(|c| *c == '}').map_or(0, |closing| closing + 1),
        _ => 0,
    };
    let mut key: String = chars[..literal].iter().collect();
    unescape(&chars[literal..], column + literal, &mut key)?;
    Ok(Step { test, source: source.into(), key: key.into(), column })
}

/// A name with its namespace; without a local name for a `*`.
fn name(chars: &[char], column: usize) -> Result<(NamespaceTest, Option<Box<str>>), PathError> {
    let colon = chars.iter().position(|c| *c == ':');
    let (namespace, skip) = if chars.first() == Some(&'{') {
        let closing = chars.iter().position(|c| *c == '}').unwrap_or(chars.len() - 1);
        (NamespaceTest::Uri(chars[1..closing].iter().collect()), closing + 1)
    } else if chars.starts_with(&['*', ':']) {
        (NamespaceTest::Any, 2)
    } else if let Some(colon) = colon
        && colon > 0
        && colon + 1 < chars.len()
    {
        let mut prefix = String::new();
        plain(&chars[..colon], column, &mut prefix)?;
        (NamespaceTest::Prefix(prefix.into()), colon + 1)
    } else {
        (NamespaceTest::Unprefixed, 0)
    };
    let (local, column) = (&chars[skip..], column + skip);
    if local.is_empty() {
        let after = chars.last().map_or('@', |last| *last);
        return Err(PathError::new(column, format!("a name is expected after '{after}'")));
    }
    if local == ['*'] {
        return Ok((namespace, None));
    }
    let mut text = String::new();
    plain(local, column, &mut text)?;
    Ok((namespace, Some(text.into())))
}

/// Appends `chars` with escapes resolved. A `*` that is not the whole name is refused, because it
/// would not be a wildcard.
fn plain(chars: &[char], column: usize, text: &mut String) -> Result<(), PathError> {
    if let Some(star) = chars.iter().position(|c| *c == '*') {
        let reason = match chars.get(star + 1) {
            Some('[') => "a path has no conditions: filter the records",
            _ => "'*' stands for a whole name; the character itself is written '~2'",
        };
        return Err(PathError::new(column + star, reason));
    }
    unescape(chars, column, text)
}

/// Appends `chars` with escapes resolved.
fn unescape(chars: &[char], column: usize, text: &mut String) -> Result<(), PathError> {
    if chars == ['~', '4'] {
        return Ok(());
    }
    let mut at = 0;
    while at < chars.len() {
        if chars[at] == '~' {
            text.push(match chars.get(at + 1) {
                Some('0') => '~',
                Some('1') => '/',
                Some('2') => '*',
                Some('3') => '@',
                _ => {
                    let reason = "after '~' one of 0, 1, 2, 3 is expected: ~0 ~1 ~2 ~3 stand for \
                                  ~ / * @, and the whole step ~4 for the empty key";
                    return Err(PathError::new(column + at, reason));
                }
            });
            at += 1;
        } else {
            text.push(chars[at]);
        }
        at += 1;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(namespace: NamespaceTest, local: &str) -> Test {
        Test::Name { namespace, local: Some(local.into()) }
    }
    fn uri(uri: &str) -> NamespaceTest {
        NamespaceTest::Uri(uri.into())
    }

    #[test]
    fn every_kind_of_step() {
        use NamespaceTest::{Any, Prefix, Unprefixed};
        let attribute = |namespace, local: &str| Test::Attribute { namespace, local: local.into() };
        for (text, test, key) in [
            ("a", named(Unprefixed, "a"), "a"),
            ("*", Test::AnyChild, "*"),
            ("~2", named(Unprefixed, "*"), "*"),
            ("@x", attribute(Unprefixed, "x"), "@x"),
            ("~3x", named(Unprefixed, "@x"), "@x"),
            ("~4", named(Unprefixed, ""), ""),
            ("a@b", named(Unprefixed, "a@b"), "a@b"),
            ("@{u/~9}x", attribute(uri("u/~9"), "x"), "@{u/~9}x"),
            ("@xlink:href", attribute(Prefix("xlink".into()), "href"), "@xlink:href"),
            ("text()", Test::Text, "text()"),
            ("key()", Test::KeyOf, "key()"),
            ("a~1b~0", named(Unprefixed, "a/b~"), "a/b~"),
            ("{http://x/y}z~1", named(uri("http://x/y"), "z/"), "{http://x/y}z/"),
            ("{}z", named(uri(""), "z"), "{}z"),
            ("{u}*", Test::Name { namespace: uri("u"), local: None }, "{u}*"),
            ("p:*", Test::Name { namespace: Prefix("p".into()), local: None }, "p:*"),
            ("p:x", named(Prefix("p".into()), "x"), "p:x"),
            ("*:x", named(Any, "x"), "*:x"),
            (":", named(Unprefixed, ":"), ":"),
            ("p:", named(Unprefixed, "p:"), "p:"),
            ("é{", named(Unprefixed, "é{"), "é{"),
        ] {
            let path = Path::parse(text).unwrap();
            assert_eq!(path.steps().len(), 1, "{text}");
            assert_eq!(path.steps()[0].test, test, "{text}");
            assert_eq!(path.steps()[0].key(), key, "{text}");
            assert_eq!(path.steps()[0].to_string(), text);
        }
    }

    #[test]
    fn steps_and_their_columns() {
        let path = Path::parse("//é/{a/b}c/12/@x").unwrap();
        assert!(path.anywhere());
        let steps: Vec<_> = path.steps().iter().map(|s| (s.to_string(), s.column())).collect();
        let expected = [("é", 3), ("{a/b}c", 5), ("12", 12), ("@x", 15)];
        assert_eq!(steps, expected.map(|(text, column)| (text.to_owned(), column)));
        assert_eq!(path.to_string(), "//é/{a/b}c/12/@x");
    }

    #[test]
    fn numbers_are_positions_when_canonical() {
        let index = |text| Path::parse(text).unwrap().steps()[0].index();
        assert_eq!(index("0"), Some(0));
        assert_eq!(index("18446744073709551615"), Some(u64::MAX));
        for text in ["18446744073709551616", "00", "01", "1a", "@1", "-1", "*"] {
            assert_eq!(index(text), None, "{text}");
        }
    }

    #[test]
    fn mistakes_and_their_columns() {
        let escapes = "after '~' one of 0, 1, 2, 3 is expected: ~0 ~1 ~2 ~3 stand for ~ / * @, and the \
                       whole step ~4 for the empty key";
        for (text, column, reason) in [
            ("", 1, "a path has at least one step"),
            ("/", 1, "a path does not begin with '/'; '//' finds its first step anywhere"),
            ("/a", 1, "a path does not begin with '/'; '//' finds its first step anywhere"),
            ("//", 3, "a step is expected after '/'"),
            ("///a", 3, "a step is expected after '//'"),
            ("é/", 3, "a step is expected after '/'"),
            ("é//b", 3, "'//' is only allowed at the beginning"),
            ("//é//b", 5, "'//' is only allowed at the beginning"),
            ("é/~5", 3, escapes),
            ("é/a~4", 4, escapes),
            ("@~4", 2, escapes),
            ("a~", 2, escapes),
            ("é/{http://x", 3, "'{' without a '}' after it"),
            ("@{u", 2, "'{' without a '}' after it"),
            ("{u}", 4, "a name is expected after '}'"),
            ("*:", 3, "a name is expected after ':'"),
            ("a/@", 4, "a name is expected after '@'"),
            ("a/@/b", 4, "a name is expected after '@'"),
            ("@*", 2, "an attribute is named; '*' matches children only"),
            ("@p:*", 4, "an attribute is named; '*' matches children only"),
            ("a/b*", 4, "'*' stands for a whole name; the character itself is written '~2'"),
            ("**", 1, "'*' stands for a whole name; the character itself is written '~2'"),
            ("a/text()/b", 3, "text() must be the last step"),
            ("key()/b", 1, "key() must be the last step"),
            ("a/key()", 3, "key() must stand alone, or follow the '*' whose match it is"),
            ("//key()", 3, "key() must stand alone, or follow the '*' whose match it is"),
        ] {
            assert_eq!(Path::parse(text), Err(PathError::new(column, reason)), "{text}");
        }
    }

    #[test]
    fn prefixes_are_bound() {
        let mut path = Path::parse("p:x/@xml:lang").unwrap();
        path.bind(|prefix| (prefix == "p").then_some("urn:p")).unwrap();
        assert_eq!(path.steps()[0].test, named(uri("urn:p"), "x"));
        assert!(matches!(&path.steps()[1].test, Test::Attribute { namespace, .. }
            if *namespace == uri(XML)));
        let mut path = Path::parse("a/q:x").unwrap();
        let error = path.bind(|_| None).unwrap_err();
        assert_eq!(error.to_string(), "the prefix 'q' is not among the namespaces (column 3)");
    }

    #[test]
    fn names_as_written() {
        let mut path = Path::parse("a/p:x/@q:y").unwrap();
        path.as_written();
        assert_eq!(path.steps()[0].test, named(NamespaceTest::Unprefixed, "a"));
        assert_eq!(path.steps()[1].test, named(NamespaceTest::Unprefixed, "p:x"));
        let attribute =
            Test::Attribute { namespace: NamespaceTest::Unprefixed, local: "q:y".into() };
        assert_eq!(path.steps()[2].test, attribute);
    }
}
