//! Paths: the language of `at`, and the filter that passes only records.
//!
//! The same paths do two things. In `read` a path selects the records: [`Select`] stands between a
//! reader and a sink and forwards each matched value as if it were a whole document. In a class a
//! path maps a field: one [`Automaton`] for all the paths of the class finds, with one table
//! look-up for each key, the field of the value that follows.
//!
//! A [`Path`] is parsed and compiled before a byte is read, so a mistake in it is reported with its
//! column, and not after an hour of input.

mod automaton;
mod condition;
mod filter;
mod names;
mod open;
mod path;
mod records;

pub use automaton::{Automaton, KeyEdge, NameEdge, Refused, State, Target};
pub use condition::{
    Compare, Condition, Empty, Filtered, Formula, Kind, Left, Literal, Number, OneOf, Pattern,
    Quantifier, Term, Test as Asks, Unfit, Where,
};
pub use filter::Select;
pub use names::{Named, Names};
pub use open::{At, Open, SOMEWHERE};
pub use path::{NamespaceTest, Path, PathError, Step, Test};
pub use records::{RecordPath, Records};
