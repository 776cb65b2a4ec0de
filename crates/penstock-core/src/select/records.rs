//! Which values of a document are its records.

use super::automaton::{Automaton, Refused, State, Target};
use super::path::{Path, PathError};

/// The path of the records, compiled.
#[derive(Clone, Debug)]
pub struct RecordPath {
    pub(super) automaton: Automaton,
    /// For each kind of record, how many steps above it the last `*` of its path stands.
    pub(super) stars: Box<[Option<usize>]>,
}

/// Which values of a document are its records.
#[derive(Clone, Debug)]
pub enum Records {
    /// The values that a path matches. If there are several paths, each is a kind of record.
    At(RecordPath),
    /// The elements of a list or the child elements of a root element; any other top-level value
    /// is itself a record.
    Default(RecordPath),
}

impl Records {
    /// The values that `path` matches.
    ///
    /// # Errors
    /// If the path leads to something that is not a value, or is too complex to compile.
    pub fn at(path: &Path) -> Result<Records, PathError> {
        let automaton = Automaton::record(path)?;
        Ok(Records::At(RecordPath { automaton, stars: [path.last_star()].into() }))
    }

    /// The values that any of `paths` matches. Each path is a kind, numbered by its position, and
    /// [`Sink::record`](crate::protocol::Sink::record) reports the kind of each record.
    ///
    /// # Errors
    /// The index of a path, and its error.
    pub fn several(paths: &[Path]) -> Result<Records, (usize, PathError)> {
        for (kind, path) in paths.iter().enumerate() {
            Automaton::record(path).map_err(|error| (kind, error))?;
        }
        let kinds: Vec<(Path, u32)> = paths.iter().cloned().zip(0..).collect();
        let automaton = Automaton::fields(&kinds).map_err(|refused| match refused {
            Refused::Conflict { a, b } => {
                let (first, second) = (a.min(b) as usize, a.max(b) as usize);
                let reason = format!("it claims the same values as '{}'", paths[first]);
                (second, PathError::new(1, reason))
            }
            refused => (0, PathError::new(1, refused.to_string())),
        })?;
        Ok(Records::At(RecordPath {
            automaton,
            stars: paths.iter().map(Path::last_star).collect(),
        }))
    }

    /// The records if no path selects them.
    #[must_use]
    pub fn by_default() -> Records {
        let to = |accept, state| Some(Target { accept, state, any: true });
        let root = State { other: to(None, Some(CHILDREN)), ..State::default() };
        let children = State { other: to(Some(0), None), ..State::default() };
        let automaton = Automaton { states: vec![root, children] };
        Records::Default(RecordPath { automaton, stars: [None].into() })
    }

    pub(super) fn states(&self) -> &[State] {
        match self {
            Records::At(path) | Records::Default(path) => &path.automaton.states,
        }
    }
}

/// The state of [`Records::Default`] in which every child is a record.
pub(super) const CHILDREN: u32 = 1;
