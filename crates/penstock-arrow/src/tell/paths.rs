//! Where the columns of a class stand in its records.
//!
//! Columns have the names of fields. A field may be looked for at another key, or at a path of
//! several. So columns are told where the class looks for them.

use std::collections::BTreeMap;

/// The paths of the columns of a type, and of those inside of them.
#[derive(Clone, Debug, Default)]
pub struct Paths {
    arranged: Option<Vec<Arranged>>,
    members: BTreeMap<Box<str>, Paths>,
    item: Option<Box<Paths>>,
}

/// A member of a record.
#[derive(Clone, Debug)]
pub enum Arranged {
    /// The column at this place, under this key.
    Column(Box<str>, usize),
    /// An object with other members.
    Within(Box<str>, Vec<Arranged>),
}

impl Paths {
    /// Of lists, or of maps.
    #[must_use]
    pub fn of_items(item: Paths) -> Self {
        Paths { item: Some(Box::new(item)), ..Paths::default() }
    }

    /// Of records with these columns, each with its path.
    #[must_use]
    pub fn of_columns(columns: Vec<(Box<str>, Vec<Box<str>>, Paths)>) -> Self {
        let mut arranged = Vec::new();
        let mut members = BTreeMap::new();
        let mut moved = false;
        for (place, (name, path, paths)) in columns.into_iter().enumerate() {
            moved |= path.len() != 1 || path.first() != Some(&name);
            add(&mut arranged, &path, place);
            members.insert(name, paths);
        }
        Paths { arranged: moved.then_some(arranged), members, item: None }
    }

    /// The members, if their places are not those of the columns.
    pub(super) fn arranged(&self) -> Option<&[Arranged]> {
        self.arranged.as_deref()
    }

    pub(super) fn member(&self, name: &str) -> Option<&Paths> {
        self.members.get(name)
    }

    pub(super) fn item(&self) -> Option<&Paths> {
        self.item.as_deref()
    }
}

/// Adds a column at its path.
fn add(to: &mut Vec<Arranged>, path: &[Box<str>], place: usize) {
    match path {
        [] => {}
        [key] => to.push(Arranged::Column(key.clone(), place)),
        [key, rest @ ..] => {
            let same = to.iter_mut().find_map(|one| match one {
                Arranged::Within(name, inner) if name == key => Some(inner),
                _ => None,
            });
            if let Some(inner) = same {
                add(inner, rest, place);
                return;
            }
            let mut inner = Vec::new();
            add(&mut inner, rest, place);
            to.push(Arranged::Within(key.clone(), inner));
        }
    }
}
