//! Values that come from several columns of a row: `spread(...)`.
//!
//! The fields of a class inside a class are planned as fields of the class around it, as for
//! `at(".")`, under the names that the pattern makes of their keys. Which columns belong to a list
//! is only known when there is a header.

use penstock_core::path_step::PathStep;
use penstock_core::select::Path;
use pyo3::intern;
use pyo3::prelude::*;

use super::paths::is_plain_key;
use crate::plan::kinds::classes::{DeclaredAt, Subject};
use crate::plan::types::known;
use crate::plan::types::wrappers::{At, is_instance};
use crate::plan::{Kind, NodeId, element};

/// The names of some columns, with one or two stars.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stars(Vec<Box<str>>);

/// A field that gathers the values of several columns.
pub(crate) struct Spread {
    /// The field.
    pub(crate) field: u32,
    /// The names of its columns.
    pub(crate) pattern: Stars,
}

impl Stars {
    fn new(text: &str) -> Self {
        Stars(text.split('*').map(Into::into).collect())
    }

    /// The pattern of a class inside a class for which the user gave none.
    fn of_key(key: &str) -> Self {
        Stars(vec![format!("{key}.").into(), "".into()])
    }

    /// The pattern of the members of the object itself.
    pub(crate) fn itself() -> Self {
        Stars(vec!["".into(), "".into()])
    }

    /// Whether it has two stars: for a number, and for a field.
    pub(crate) fn is_numbered(&self) -> bool {
        self.0.len() > 2
    }

    /// The pattern with a text in place of its first star.
    #[must_use]
    pub(crate) fn with(&self, text: &str) -> Self {
        match &self.0[..] {
            [first, second, rest @ ..] => {
                let joined = format!("{first}{text}{second}").into();
                Stars(std::iter::once(joined).chain(rest.iter().cloned()).collect())
            }
            _ => self.clone(),
        }
    }

    /// The name of the column of a key, for a pattern with one star.
    pub(crate) fn column(&self, key: &str) -> String {
        self.with(key).text()
    }

    /// The pattern of columns of an object that is spread by this pattern with one star.
    #[must_use]
    pub(crate) fn around(&self, inner: &Stars) -> Self {
        let (Some(first), Some(last)) = (self.0.first(), self.0.last()) else {
            return inner.clone();
        };
        let mut parts = inner.0.clone();
        if let Some(part) = parts.first_mut() {
            *part = format!("{first}{part}").into();
        }
        if let Some(part) = parts.last_mut() {
            *part = format!("{part}{last}").into();
        }
        Stars(parts)
    }

    /// The part of a column's name that its first star stands for. `number` says that it is digits,
    /// and that more may follow; else it is what is left of the name.
    pub(crate) fn star<'n>(&self, name: &'n str) -> Option<&'n str> {
        let [first, second, ..] = &self.0[..] else { return None };
        let rest = name.strip_prefix(&**first)?;
        if !self.is_numbered() {
            return rest.strip_suffix(&**second).filter(|star| !star.is_empty());
        }
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let (number, rest) = rest.split_at(digits);
        (digits > 0 && rest.starts_with(&**second)).then_some(number)
    }

    /// Whether a column is one of a list, whose one star stands for any text, also for none.
    pub(crate) fn admits(&self, name: &str) -> bool {
        let [first, second] = &self.0[..] else { return false };
        name.strip_prefix(&**first).is_some_and(|rest| rest.ends_with(&**second))
    }

    /// As the user would write it.
    pub(crate) fn text(&self) -> String {
        self.0.join("*")
    }
}

/// Where the columns of a field are, for one whose value comes from several.
pub(in crate::plan) enum Place {
    /// Those of the fields of its class.
    Fields(DeclaredAt, Stars),
    /// Those of its items.
    Items(Stars),
}

/// How the value of a field comes from columns. None if it comes from one, or if the format has no
/// rows.
///
/// # Errors
/// `PlanError`, if no column can hold the value.
pub(in crate::plan) fn place<'py>(
    subject: &Subject<'_, 'py>,
    field: &str,
    key: &str,
    at: Option<&At<'_>>,
    words: &[Bound<'py, PyAny>],
    node: NodeId,
) -> PyResult<Option<Place>> {
    let py = subject.compiler.py;
    let error = |reason: String| subject.place(field).error(py, reason);
    let mut given = words.iter().rev().filter(|word| is_instance(word, &known::SPREAD));
    let word = given.next();
    let pattern = match word {
        Some(word) => Some(Stars::new(word.getattr(intern!(py, "pattern"))?.extract::<&str>()?)),
        None => None,
    };
    let compiler = &subject.compiler;
    let (nodes, is_of_rows) = (&compiler.nodes, compiler.form == crate::plan::Form::ROWS);
    let written = &nodes[node as usize].written;
    match &nodes[node as usize].kind {
        Kind::Class(_) => {
            if let (Some(word), Some(pattern)) = (word, &pattern)
                && pattern.is_numbered()
            {
                let reason =
                    format!("{word} is for a list: {written} takes one star, for its fields");
                return Err(error(reason));
            }
            if !is_of_rows || word.is_none() && at.is_some_and(super::flat::is_itself) {
                return Ok(None);
            }
            let pattern = match (pattern, at) {
                (Some(pattern), _) => pattern,
                (None, None) => Stars::of_key(key),
                (None, Some(at)) => match &at.routes[..] {
                    [(path, None)] if let Some(key) = plain_key(path) => Stars::of_key(&key),
                    _ => {
                        let reason = "say spread(...): it names the columns of the fields";
                        return Err(error(reason.to_owned()));
                    }
                },
            };
            let at = DeclaredAt { shown: pattern.text(), routes: Vec::new(), key: None };
            Ok(Some(Place::Fields(at, pattern)))
        }
        _ if let Some(item) = element(nodes, node) => {
            let (Some(word), Some(pattern)) = (word, pattern) else {
                if !is_of_rows {
                    return Ok(None);
                }
                return Err(error(format!(
                    "no column can hold {written}: say separated(...) if its items are in one \
                     column, or spread(...) if they are in several"
                )));
            };
            let of_item = &nodes[item as usize].written;
            let is_class = matches!(nodes[item as usize].kind, Kind::Class(_));
            let reason = match (is_class, pattern.is_numbered()) {
                (true, false) => format!(
                    "{word}: the items are {of_item}, whose columns take two stars, for a number and a field"
                ),
                (false, true) => format!("{word}: the items are {of_item}, which takes one star"),
                (false, false) if compiler.is_container(item) => {
                    format!("{word}: an item is one column, which cannot be {of_item}")
                }
                _ if is_of_rows => return Ok(Some(Place::Items(pattern))),
                _ => return Ok(None),
            };
            Err(error(reason))
        }
        _ if let Some(word) = word => {
            let reason = format!("{word} is only for a class, a list or a set, not {written}");
            Err(error(reason))
        }
        Kind::Tuple(_) | Kind::Dict(..) | Kind::Tagged(_) if is_of_rows => {
            let is_tuple = matches!(nodes[node as usize].kind, Kind::Tuple(_));
            Err(error(match is_tuple {
                true => format!("no column can hold {written}: say separated(...)"),
                false => format!("no column can hold {written}"),
            }))
        }
        _ => Ok(None),
    }
}

/// The key of a path that leads to a member of the object itself.
fn plain_key(path: &str) -> Option<String> {
    let path = Path::parse(path).ok()?;
    match path.steps() {
        [step] if !path.anywhere() && is_plain_key(step) => Some(step.key().to_owned()),
        _ => None,
    }
}

/// The `at(...)` of a field inside a class that is spread.
///
/// # Errors
/// The path that leads to no column.
pub(in crate::plan) fn moved(at: DeclaredAt, pattern: &Stars) -> Result<DeclaredAt, String> {
    let mut routes = Vec::with_capacity(at.routes.len());
    for (path, node) in at.routes {
        let Some(key) = plain_key(&path) else { return Err(path) };
        routes.push((PathStep::Key(pattern.column(&key)).to_string(), node));
    }
    let shown: Vec<_> = routes.iter().map(|(path, _)| path.as_str()).collect();
    Ok(DeclaredAt { shown: shown.join(" or "), routes, key: at.key })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_columns() {
        let address = Stars::new("address_*");
        assert_eq!(address.column("zip"), "address_zip");
        assert_eq!((address.star("address_zip"), address.star("address_")), (Some("zip"), None));
        assert_eq!(address.around(&Stars::of_key("geo")).text(), "address_geo.*");
        let labels = Stars::new("Label*s");
        assert!(["Labels", "Label 2 s"].into_iter().all(|name| labels.admits(name)));
        assert!(!["Label", "abels", "labels"].into_iter().any(|name| labels.admits(name)));
        let around = Stars::new("*_x");
        assert_eq!((around.column("a"), around.star("b_x")), ("a_x".to_owned(), Some("b")));
        let item = Stars::new("item_*_*");
        assert!(item.is_numbered() && !address.is_numbered());
        assert_eq!(item.star("item_12_name"), Some("12"));
        assert_eq!((item.star("item_x_name"), item.star("item_12name")), (None, None));
        assert_eq!(item.with("12").column("name"), "item_12_name");
        assert_eq!(Stars::itself().around(&item), item);
        assert_eq!(address.around(&item).text(), "address_item_*_*");
    }
}
