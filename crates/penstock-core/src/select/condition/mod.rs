//! Conditions on records: which of them a caller wants.
//!
//! A [`Condition`] is a formula over terms, such as `population > 5000000`. Each term asks one value
//! of the record, which a path finds. [`Filtered`] stands in front of a destination: it passes the
//! events of a record on, tests the values that the terms ask as they come, and leaves the record as
//! soon as the formula is false. The reader then skips the rest of the record, and the destination
//! forgets what it has of it.
//!
//! | file | holds |
//! |---|---|
//! | `mod.rs` | the formula, and its value when only some terms are known |
//! | `test.rs` | what a term asks of a value |
//! | `number.rs` | how numbers of different kinds compare |
//! | `filtered.rs` | what becomes of each event |
//! | `driven.rs` | the same as a destination |

mod driven;
mod filtered;
mod number;
mod test;

pub use driven::Where;
pub use filtered::{Filtered, Left};
pub use number::Number;
pub use test::{Compare, Kind, Literal, OneOf, Pattern, Test};

use super::automaton::{Automaton, Refused};
use super::path::Path;
use crate::event::Scalar;
use crate::value::cells::Cells;
use crate::value::lexical::Type;
use crate::value::xsd::trimmed;
use std::fmt;
use std::sync::Arc;

/// Of several values that a path finds, which have to pass the test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantifier {
    /// The first one is the value.
    First,
    /// At least one. None do if there are none.
    Any,
    /// Each one. All do if there are none.
    All,
}

/// What untyped text is that has no characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Empty {
    /// Text.
    #[default]
    Text,
    /// Null.
    Null,
    /// No value.
    Nothing,
}

/// One question to a record.
#[derive(Clone, Debug)]
pub struct Term {
    /// Where the value is, from the record on.
    pub path: Path,
    /// What kind of value a class has there.
    pub kind: Kind,
    /// The other forms of the value in untyped text, if the user declared some.
    pub cells: Option<Arc<Cells>>,
    /// What a cell without text is.
    pub empty: Empty,
    /// Which of several values count.
    pub quantifier: Quantifier,
    /// What is asked.
    pub test: Test,
}

impl Term {
    /// Whether an answer of one value is that of the term.
    fn settles(&self, found: bool) -> bool {
        match self.quantifier {
            Quantifier::First => true,
            Quantifier::Any => found,
            Quantifier::All => !found,
        }
    }

    /// The answer of a value; nothing if it is none.
    fn answer(&self, value: Scalar<'_>) -> Option<bool> {
        let Scalar::Untyped(text) = value else { return Some(self.test.of(value, self.kind)) };
        if text.bytes().is_empty() {
            match self.empty {
                Empty::Text => {}
                Empty::Null => return Some(self.test.of(Scalar::Null, self.kind)),
                Empty::Nothing => return None,
            }
        }
        let Some(cells) = &self.cells else { return Some(self.test.of(value, self.kind)) };
        if self.empty == Empty::Null && cells.is_null(text.bytes()) {
            return Some(self.test.of(Scalar::Null, self.kind));
        }
        let to = match self.kind {
            Kind::Bool => Type::Bool,
            Kind::Int => Type::Int,
            Kind::Float => Type::Float,
            Kind::Decimal => Type::Decimal,
            Kind::Any | Kind::Text | Kind::Other => return Some(self.test.of(value, self.kind)),
        };
        let mut room = Vec::new();
        let written = cells.written(trimmed(text.bytes()), to, &mut room).ok();
        let written = written.and_then(|text| std::str::from_utf8(text).ok());
        Some(match written {
            Some(text) => self.test.of(Scalar::Untyped(text.into()), self.kind),
            // It is no value of its kind.
            None => self.test.of_container(),
        })
    }
}

/// A formula over terms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Formula {
    /// The term with this number.
    Term(u32),
    /// The opposite.
    Not(Box<Formula>),
    /// All of them are true.
    And(Box<[Formula]>),
    /// At least one of them is true.
    Or(Box<[Formula]>),
}

/// Why terms and a formula are no condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unfit {
    /// The paths of two terms may lead to the same value, and are not equal.
    Conflict(u32, u32),
    /// The path of a term leads to a key and not to a value.
    Key(u32),
    /// The paths are too many, or have too many `*`.
    TooLarge,
    /// There are more than 64 terms.
    TooMany,
}

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Unfit::Conflict(..) => "both paths may lead to the same value",
            Unfit::Key(_) => "a condition asks for a value, and key() is none",
            Unfit::TooLarge => "the paths are too many, or have too many '*'",
            Unfit::TooMany => "a condition has at most 64 comparisons; isin() counts as one",
        })
    }
}

/// What is known of a term, or of a formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Truth {
    Open,
    No,
    Yes,
}

/// How many terms a condition has at most: what is known of them are two words.
const MOST_TERMS: usize = 64;

/// What is known of the terms of a record.
#[derive(Clone, Copy, Debug)]
struct Known {
    /// A bit for each term that has no answer yet.
    open: u64,
    /// A bit for each term that is false.
    no: u64,
}

impl Known {
    /// Nothing is known of so many terms.
    fn of(terms: usize) -> Self {
        Known { open: !u64::MAX.unbounded_shl(terms as u32), no: 0 }
    }

    fn of_term(self, term: u32) -> Truth {
        match ((self.open >> term) & 1, (self.no >> term) & 1) {
            (1, _) => Truth::Open,
            (_, 1) => Truth::No,
            _ => Truth::Yes,
        }
    }

    fn answer(&mut self, term: u32, yes: bool) {
        self.open &= !(1 << term);
        self.no |= u64::from(!yes) << term;
    }

    /// The record has ended: answers what no value has answered.
    fn end(&mut self, terms: &[Term]) {
        while self.open != 0 {
            let term = self.open.trailing_zeros();
            let Term { quantifier, test, .. } = &terms[term as usize];
            self.answer(
                term,
                match quantifier {
                    Quantifier::First => test.of_nothing(),
                    Quantifier::Any => false,
                    Quantifier::All => true,
                },
            );
        }
    }
}

/// Which records are wanted. It is made once, and shared by all that read by it.
#[derive(Clone, Debug)]
pub struct Condition {
    automaton: Automaton,
    /// The terms that ask the value of each id of the automaton.
    asked: Box<[Box<[u32]>]>,
    terms: Box<[Term]>,
    formula: Formula,
    /// Whether the formula is false as soon as any of its terms is.
    is_all: bool,
    /// Whether a key is written in another way than it is: with escapes.
    has_escapes: bool,
}

impl Condition {
    /// A condition of terms, to which the formula refers by their numbers.
    ///
    /// # Errors
    /// If the paths cannot be followed together.
    pub fn new(terms: Vec<Term>, formula: Formula) -> Result<Condition, Unfit> {
        use super::path::Test as Step;
        if terms.len() > MOST_TERMS {
            return Err(Unfit::TooMany);
        }
        let mut paths: Vec<(Path, u32)> = Vec::new();
        let mut asked: Vec<Vec<u32>> = Vec::new();
        for (number, term) in (0..).zip(&terms) {
            if term.path.steps().last().is_some_and(|step| matches!(step.test(), Step::KeyOf)) {
                return Err(Unfit::Key(number));
            }
            match paths.iter().position(|(path, _)| *path == term.path) {
                Some(id) => asked[id].push(number),
                None => {
                    paths.push((term.path.clone(), paths.len() as u32));
                    asked.push(vec![number]);
                }
            }
        }
        let automaton =
            Automaton::nested(&paths, &|_| true, &|id| id).map_err(|refused| match refused {
                Refused::Conflict { a, b } => {
                    Unfit::Conflict(asked[a as usize][0], asked[b as usize][0])
                }
                Refused::TooLarge => Unfit::TooLarge,
            })?;
        let is_all = match &formula {
            Formula::Term(_) => true,
            Formula::And(parts) => parts.iter().all(|part| matches!(part, Formula::Term(_))),
            _ => false,
        };
        Ok(Condition {
            automaton,
            asked: asked.into_iter().map(Into::into).collect(),
            terms: terms.into(),
            formula,
            is_all,
            has_escapes: paths.iter().any(|(path, _)| {
                let special = |byte: u8| byte < 0x20 || matches!(byte, b'"' | b'\\');
                path.steps().iter().any(|step| step.key().bytes().any(special))
            }),
        })
    }

    /// The terms.
    #[must_use]
    pub fn terms(&self) -> &[Term] {
        &self.terms
    }

    /// The value of the formula, if what is known of the terms is enough.
    fn value(&self, known: Known) -> Truth {
        if self.is_all {
            return match (known.no, known.open) {
                (0, 0) => Truth::Yes,
                (0, _) => Truth::Open,
                _ => Truth::No,
            };
        }
        value(&self.formula, known)
    }
}

/// The value of a formula by Kleene's logic of three values.
fn value(formula: &Formula, known: Known) -> Truth {
    match formula {
        Formula::Term(term) => known.of_term(*term),
        Formula::Not(part) => match value(part, known) {
            Truth::Open => Truth::Open,
            Truth::No => Truth::Yes,
            Truth::Yes => Truth::No,
        },
        Formula::And(parts) => joined(parts, known, Truth::No, Truth::Yes),
        Formula::Or(parts) => joined(parts, known, Truth::Yes, Truth::No),
    }
}

/// The value of several formulas of which one that is `decides` is enough.
fn joined(parts: &[Formula], known: Known, decides: Truth, otherwise: Truth) -> Truth {
    let mut all = otherwise;
    for part in parts {
        match value(part, known) {
            Truth::Open => all = Truth::Open,
            found if found == decides => return decides,
            _ => {}
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(count: usize) -> Vec<Term> {
        let path = |number| Path::parse(&format!("a{number}")).unwrap();
        let term = |number| Term {
            path: path(number),
            kind: Kind::Any,
            cells: None,
            empty: Empty::Text,
            quantifier: Quantifier::First,
            test: Test::Exists,
        };
        (0..count).map(term).collect()
    }

    /// The value of a formula with what is known of its terms, from the last one to the first.
    fn with(formula: &Formula, known: &[Truth]) -> Truth {
        let mut some = Known::of(known.len());
        for (term, truth) in (0..).zip(known) {
            match truth {
                Truth::Open => {}
                truth => some.answer(term, *truth == Truth::Yes),
            }
        }
        value(formula, some)
    }

    #[test]
    fn a_formula_is_known_as_soon_as_it_can_be() {
        use Truth::{No, Open, Yes};
        let term = |term| Formula::Term(term);
        let not = Formula::Not(Box::new(term(0)));
        let and = Formula::And([term(0), term(1)].into());
        let or = Formula::Or([term(0), term(1)].into());
        for (one, other, expected) in [
            (Open, Open, [Open, Open, Open]),
            (Open, No, [Open, No, Open]),
            (Open, Yes, [Open, Open, Yes]),
            (No, Open, [Yes, No, Open]),
            (Yes, Open, [No, Open, Yes]),
            (Yes, No, [No, No, Yes]),
            (No, No, [Yes, No, No]),
            (Yes, Yes, [No, Yes, Yes]),
        ] {
            let found = [&not, &and, &or].map(|formula| with(formula, &[one, other]));
            assert_eq!(found, expected, "{one:?} {other:?}");
            let condition = Condition::new(terms(2), and.clone()).unwrap();
            let mut known = Known::of(2);
            for (term, truth) in [(0, one), (1, other)] {
                if truth != Open {
                    known.answer(term, truth == Yes);
                }
            }
            assert!(condition.is_all);
            assert_eq!(condition.value(known), expected[1]);
        }
    }

    #[test]
    fn so_many_terms_and_no_more() {
        let all = |count: u32| Formula::And((0..count).map(Formula::Term).collect());
        let condition = Condition::new(terms(64), all(64)).unwrap();
        let mut known = Known::of(64);
        assert_eq!(condition.value(known), Truth::Open);
        (0..64).for_each(|term| known.answer(term, true));
        assert_eq!(condition.value(known), Truth::Yes);
        known.answer(63, false);
        assert_eq!(condition.value(known), Truth::No);
        assert_eq!(Condition::new(terms(65), all(65)).unwrap_err(), Unfit::TooMany);
    }
}
