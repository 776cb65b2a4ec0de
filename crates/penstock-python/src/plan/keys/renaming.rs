//! `rename=`: makes the keys of fields from their names.

use penstock_core::suggest::nearest;
use pyo3::prelude::*;
use pyo3::types::{PyMapping, PyString, PyType};

use crate::plan::types::compiler::Place;
use crate::plan::{ClassId, ClassPlan};

/// The key of a field, if it is not its name.
///
/// A string names a style. A mapping has names of fields, or classes with their own renaming. A
/// function is called with the name.
///
/// # Errors
/// The function's exception, and `TypeError` for a key that is not a `str`.
pub(in crate::plan) fn key_of(
    rename: &Bound<'_, PyAny>,
    class: &Bound<'_, PyType>,
    name: &str,
) -> PyResult<Option<String>> {
    if let Ok(word) = rename.cast::<PyString>() {
        return Ok(Some(styled(word.to_str()?, name)));
    }
    if let Ok(mapping) = rename.cast::<PyMapping>() {
        if mapping.contains(class)? {
            return key_of(&mapping.get_item(class)?, class, name);
        }
        return if mapping.contains(name)? { text(&mapping.get_item(name)?) } else { Ok(None) };
    }
    text(&rename.call1((name,))?)
}

/// Refuses the name of a field that does not exist, because nobody would notice that it has no
/// effect.
///
/// # Errors
/// `PlanError`, with the field that was probably meant.
pub(in crate::plan) fn settle(
    rename: &Bound<'_, PyAny>,
    plans: &[ClassPlan],
    renamable: &[(ClassId, String)],
) -> PyResult<()> {
    let py = rename.py();
    let Ok(mapping) = rename.cast::<PyMapping>() else { return Ok(()) };
    for key in mapping.keys()? {
        let refused = if let Ok(class) = key.cast::<PyType>() {
            let is_it = |plan: &&ClassPlan| plan.class.bind(py).is(class);
            let Some(plan) = plans.iter().find(is_it) else { continue };
            let of_it = renamable.iter().filter(|(of, _)| is_it(&&plans[*of as usize]));
            let names: Vec<_> = of_it.map(|(_, name)| &**name).collect();
            settle_names(&mapping.get_item(&key)?, Some(&plan.name), &names)?
        } else {
            let names: Vec<_> = renamable.iter().map(|(_, name)| &**name).collect();
            let only = if let [plan] = plans { Some(&*plan.name) } else { None };
            refused_name(&key, only, &names)?
        };
        if let Some(reason) = refused {
            return Err(Place { field: None }.error(py, reason));
        }
    }
    Ok(())
}

/// The problem with the names in a renaming of one class, if there are names.
fn settle_names(
    rename: &Bound<'_, PyAny>,
    class: Option<&str>,
    names: &[&str],
) -> PyResult<Option<String>> {
    let Ok(mapping) = rename.cast::<PyMapping>() else { return Ok(None) };
    for key in mapping.keys()? {
        let refused = refused_name(&key, class, names)?;
        if refused.is_some() {
            return Ok(refused);
        }
    }
    Ok(None)
}

/// The problem with a name that no field has: of one class, or of all.
fn refused_name(
    name: &Bound<'_, PyAny>,
    class: Option<&str>,
    names: &[&str],
) -> PyResult<Option<String>> {
    let shown = name.repr()?;
    let name = name.cast::<PyString>().ok().map(|name| name.to_str()).transpose()?.unwrap_or("");
    if names.contains(&name) {
        return Ok(None);
    }
    let near = nearest(name, names.iter().copied()).map(|near| format!("; did you mean '{near}'?"));
    let near = near.unwrap_or_default();
    Ok(Some(match class {
        Some(class) => format!("rename names {shown}, and {class} has no such field{near}"),
        None => format!("rename names {shown}, and no class has such a field{near}"),
    }))
}

fn text(key: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
    if key.is_none() {
        return Ok(None);
    }
    Ok(Some(key.extract()?))
}

/// Converts a name in snake case to another style. Underscores at its ends are left out, because in
/// Python they are a convention and not part of the name.
fn styled(style: &str, name: &str) -> String {
    let words = || name.split('_').filter(|word| !word.is_empty());
    let joined = |by: &str| words().map(str::to_owned).collect::<Vec<_>>().join(by);
    match style {
        "camel" => {
            let mut words = words();
            let first = words.next().unwrap_or_default().to_owned();
            words.fold(first, |name, word| name + &capitalized(word))
        }
        "pascal" => words().map(capitalized).collect(),
        "kebab" => joined("-"),
        "upper" => joined("_").to_uppercase(),
        _ => snake(name),
    }
}

fn capitalized(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// `camelCase` and `HTTPServer` as `camel_case` and `http_server`.
fn snake(name: &str) -> String {
    let letters: Vec<char> = name.trim_matches('_').chars().collect();
    let mut out = String::with_capacity(name.len() + 4);
    for (place, &letter) in letters.iter().enumerate() {
        let before = place.checked_sub(1).map(|place| letters[place]);
        let after = letters.get(place + 1);
        let begins = letter.is_uppercase()
            && before.is_some_and(|before| {
                before.is_lowercase()
                    || before.is_ascii_digit()
                    || before.is_uppercase() && after.is_some_and(|after| after.is_lowercase())
            });
        if begins {
            out.push('_');
        }
        out.extend(letter.to_lowercase());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::styled;

    #[test]
    fn styles() {
        let all = ["camel", "pascal", "kebab", "snake", "upper"];
        let of = |name: &str| all.map(|style| styled(style, name));
        assert_eq!(of("zip_code"), ["zipCode", "ZipCode", "zip-code", "zip_code", "ZIP_CODE"]);
        assert_eq!(of("id"), ["id", "Id", "id", "id", "ID"]);
        assert_eq!(of("class_"), ["class", "Class", "class", "class", "CLASS"]);
        assert_eq!(styled("snake", "httpServer2Name"), "http_server2_name");
        assert_eq!(styled("snake", "HTTPServer"), "http_server");
    }
}
