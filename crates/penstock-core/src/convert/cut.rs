//! Which columns of a table are kept, and in which order.

use crate::event::{Key, KnownKeys};
use crate::protocol::Want;
use crate::suggest::nearest;
use crate::writer::{Column, Unwritable};
use penstock_scan::{filled, gathered, make_room};

/// One part of a choice of columns.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    /// A column by its name, or by its position from 0 if no column has that name.
    One(String),
    /// All columns between two, and both; without one of them from the first, or to the last.
    Range(Option<String>, Option<String>),
}

/// A choice of columns: `name,size`, `2,0`, `first:last`, `size:`.
///
/// ```
/// use penstock_core::convert::Cut;
///
/// assert!(Cut::parse("name,4:,\"a, b\"", false).is_ok());
/// assert_eq!(Cut::parse("a,,b", false), Err("the name of a column is empty".to_owned()));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    parts: Vec<(Part, String)>,
    /// Whether the named columns are left out instead.
    inverts: bool,
    /// The places of the columns in a row, in the order in which they are written.
    places: Vec<usize>,
}

impl Cut {
    /// A choice from its text. A name with a comma or a colon may have quotes around it, in which a
    /// quote is doubled. With `inverts`, all other columns are kept.
    ///
    /// # Errors
    /// A part is empty, or its quotes are not closed.
    pub fn parse(text: &str, inverts: bool) -> Result<Self, String> {
        let mut parts = Vec::new();
        let mut rest = text;
        loop {
            let (part, whole, behind) = part(rest)?;
            parts.push((part, whole));
            match behind.strip_prefix(',') {
                Some(more) => rest = more,
                None => return Ok(Cut { parts, inverts, places: Vec::new() }),
            }
        }
    }

    /// Finds the columns among those of a table, and says which of them are wanted.
    ///
    /// # Errors
    /// One of them is not there, is there twice, or is named twice.
    pub(super) fn resolve(
        &mut self,
        known: &KnownKeys<'_>,
        wanted: &mut [Option<Want>],
    ) -> Result<Vec<Column>, Unwritable> {
        let keys = known.keys;
        let mut named = filled(false, keys.len());
        self.places.clear();
        for (part, whole) in &self.parts {
            let exact = keys.iter().any(|key| key.name.text.as_str() == whole);
            let (from, to) = match part {
                Part::One(name) => {
                    let place = find(keys, name)?;
                    (place, place)
                }
                Part::Range(..) if exact => {
                    let place = find(keys, whole)?;
                    (place, place)
                }
                Part::Range(from, to) => {
                    let from = from.as_deref().map_or(Ok(0), |name| find(keys, name))?;
                    let last = keys.len().saturating_sub(1);
                    (from, to.as_deref().map_or(Ok(last), |name| find(keys, name))?)
                }
            };
            // A range may go backwards.
            let step = |at: usize| if from <= to { from + at } else { from - at };
            for place in (0..=from.abs_diff(to)).map(step) {
                if !self.inverts && named.get(place).copied().unwrap_or_default() {
                    let name = keys[place].name.text.as_str();
                    let reason = format!("the column {name:?} is named twice");
                    return Err(Unwritable::value(reason));
                }
                named[place] = true;
                make_room(&mut self.places, 1);
                self.places.push(place);
            }
        }
        if self.inverts {
            self.places = gathered((0..keys.len()).filter(|place| !named[*place]));
            if self.places.is_empty() {
                return Err(Unwritable::value("no column is left"));
            }
        }
        for (place, want) in wanted.iter_mut().enumerate() {
            if named.get(place).copied().unwrap_or_default() == self.inverts {
                *want = None;
            }
        }
        let column = |place: &usize| Column::new(keys[*place].name.text.as_str());
        Ok(gathered(self.places.iter().map(column)))
    }

    /// The places of the columns in a row.
    pub(super) fn places(&self) -> &[usize] {
        &self.places
    }
}

/// The place of a column.
fn find(keys: &[Key<'_>], name: &str) -> Result<usize, Unwritable> {
    let names = || keys.iter().map(|key| key.name.text.as_str());
    let mut found = names().enumerate().filter(|(_, known)| *known == name);
    match (found.next(), found.next()) {
        (Some((place, _)), None) => return Ok(place),
        (Some((first, _)), Some((second, _))) => {
            return Err(Unwritable::value(format!(
                "two columns are called {name:?}: say the position, {first} or {second}"
            )));
        }
        _ => {}
    }
    match name.parse::<usize>() {
        Ok(place) if place < keys.len() => Ok(place),
        _ => {
            let hint = nearest(name, names()).map(|near| format!(": did you mean {near:?}?"));
            let hint = hint.unwrap_or_default();
            Err(Unwritable::value(format!("there is no column {name:?}{hint}")))
        }
    }
}

/// The first part of a text, the text of the part, and what follows it.
fn part(text: &str) -> Result<(Part, String, &str), String> {
    let (from, rest) = name(text)?;
    let Some(behind) = rest.strip_prefix(':') else {
        if !rest.is_empty() && !rest.starts_with(',') {
            return Err(format!("there is text behind the quotes: {rest:?}"));
        }
        let from = from.ok_or("the name of a column is empty")?;
        return Ok((Part::One(from.clone()), from, rest));
    };
    let (to, rest) = name(behind)?;
    if !rest.is_empty() && !rest.starts_with(',') {
        return Err(format!("a range has two ends: {text:?}"));
    }
    let whole = text[..text.len() - rest.len()].to_owned();
    Ok((Part::Range(from, to), whole, rest))
}

/// A name, if there is one, and what follows it.
fn name(text: &str) -> Result<(Option<String>, &str), String> {
    let Some(quoted) = text.strip_prefix('"') else {
        let end = text.find([',', ':']).unwrap_or(text.len());
        let (name, rest) = text.split_at(end);
        return Ok(((!name.is_empty()).then(|| name.to_owned()), rest));
    };
    let mut name = String::new();
    let mut rest = quoted;
    loop {
        let Some(end) = rest.find('"') else { return Err("a quote is not closed".to_owned()) };
        name.push_str(&rest[..end]);
        rest = &rest[end + 1..];
        match rest.strip_prefix('"') {
            Some(more) => {
                name.push('"');
                rest = more;
            }
            None => return Ok((Some(name), rest)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::KeyKind;

    fn chosen(text: &str, inverts: bool, names: &[&'static str]) -> Result<Vec<usize>, String> {
        let mut cut = Cut::parse(text, inverts)?;
        let key = |name: &&'static str| Key {
            name: (*name).into(),
            namespace: None,
            prefix: None,
            kind: KeyKind::Member,
        };
        let keys: Vec<_> = names.iter().map(key).collect();
        let known = KnownKeys { shape: 0, keys: &keys, places: &[], at: 0 };
        let mut wanted = vec![Some(Want::Digits); keys.len()];
        let columns = cut.resolve(&known, &mut wanted).map_err(|error| error.to_string())?;
        let kept: Vec<usize> = (0..keys.len()).filter(|at| wanted[*at].is_some()).collect();
        let mut sorted = cut.places().to_vec();
        sorted.sort_unstable();
        assert_eq!(kept, sorted);
        let found: Vec<&str> = cut.places().iter().map(|at| names[*at]).collect();
        assert_eq!(found, columns.iter().map(|column| &*column.name).collect::<Vec<_>>());
        Ok(cut.places().to_vec())
    }

    #[test]
    fn names_positions_and_ranges() {
        let names = ["id", "name", "a,b", "x:y", "7"];
        let of = |text| chosen(text, false, &names);
        assert_eq!(of("name,id"), Ok(vec![1, 0]));
        assert_eq!(of("2,0"), Ok(vec![2, 0]));
        assert_eq!(of("7"), Ok(vec![4]));
        assert_eq!(of("\"a,b\",x:y"), Ok(vec![2, 3]));
        assert_eq!(of("1:3"), Ok(vec![1, 2, 3]));
        assert_eq!(of("3:1,id"), Ok(vec![3, 2, 1, 0]));
        assert_eq!(of(":name,3:"), Ok(vec![0, 1, 3, 4]));
        assert_eq!(of(":"), Ok(vec![0, 1, 2, 3, 4]));
        assert_eq!(
            chosen("name:x:y", false, &names),
            Err("a range has two ends: \"name:x:y\"".into())
        );
        assert_eq!(chosen("name:\"x:y\"", false, &names), Ok(vec![1, 2, 3]));
        assert_eq!(chosen("id,2:", true, &names), Ok(vec![1]));
        assert_eq!(chosen(":", true, &names), Err("no column is left".into()));
    }

    #[test]
    fn what_is_wrong() {
        let of = |text| chosen(text, false, &["id", "name", "name"]);
        assert_eq!(of("nmae"), Err("there is no column \"nmae\": did you mean \"name\"?".into()));
        assert_eq!(of("3"), Err("there is no column \"3\"".into()));
        assert_eq!(
            of("name"),
            Err("two columns are called \"name\": say the position, 1 or 2".into())
        );
        assert_eq!(of("id,0"), Err("the column \"id\" is named twice".into()));
        assert_eq!(of(""), Err("the name of a column is empty".into()));
        assert_eq!(of("\"id"), Err("a quote is not closed".into()));
        assert_eq!(of("\"id\"x"), Err("there is text behind the quotes: \"x\"".into()));
        assert_eq!(
            of("\"i\"\"d\""),
            Err("there is no column \"i\\\"d\": did you mean \"id\"?".into())
        );
    }
}
