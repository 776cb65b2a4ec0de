//! A condition on records, as a caller gives it, and what it means for a type.

use crate::edge::options::text;
use crate::plan::{self, ClassPlan, Kind, NodeId, Plan, Target, plan_error};
use penstock_core::path_step::PathStep;
use penstock_core::select::{
    Asks, Compare, Condition, Empty, Formula, Kind as Holds, Literal, OneOf, Path, PathError,
    Pattern, Quantifier, Term, Unfit,
};
use penstock_core::value::datetime;
use penstock_core::value::duration::Duration;
use penstock_core::value::uuid::uuid;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyAnyMethods, PyTuple};
use std::sync::Arc;

/// How many characters of a condition a message has.
const MOST_SHOWN: usize = 200;

/// A condition before a type is known: `penstock._verbs.where` has made it.
pub(crate) struct Wanted {
    terms: Vec<Asked>,
    formula: Formula,
    shown: String,
}

/// One question: to which field, and what.
struct Asked {
    field: String,
    quantifier: Quantifier,
    test: Asks,
    /// The term as the caller would write it.
    shown: String,
}

/// What a literal is, for messages.
fn called(literal: &Literal) -> &'static str {
    match literal {
        Literal::Bool(_) => "a bool",
        Literal::Int(_) | Literal::Float(_) | Literal::Digits(_) => "a number",
        Literal::Text(_) => "a str",
        Literal::Date(_) => "a date",
        Literal::Time(_) => "a time",
        Literal::DateTime(_) => "a datetime",
        Literal::Duration(_) => "a timedelta",
        Literal::Uuid(_) => "a UUID",
    }
}

/// A condition for messages: its beginning, if it is long.
fn shortened(mut shown: String) -> String {
    if let Some((end, _)) = shown.char_indices().nth(MOST_SHOWN) {
        shown.truncate(end);
        shown.push('\u{2026}');
    }
    shown
}

/// The literals of a test, and whether it asks for text.
fn literals(test: &Asks) -> (Vec<&Literal>, bool) {
    match test {
        Asks::Compare(_, literal) => (vec![literal], false),
        Asks::In(one) => (one.literals().iter().collect(), false),
        Asks::Between(least, most) => (vec![least, most], false),
        Asks::StartsWith(_) | Asks::EndsWith(_) | Asks::Contains(_) | Asks::Matches(_) => {
            (vec![], true)
        }
        Asks::IsNone | Asks::Exists => (vec![], false),
    }
}

impl Wanted {
    /// Takes what `penstock._verbs.where` gives: the terms, the formula, and both as text.
    pub(super) fn of(given: &Bound<'_, PyAny>) -> PyResult<Self> {
        let (terms, formula, shown) =
            given.extract::<(Vec<Bound<'_, PyTuple>>, Bound<'_, PyAny>, String)>()?;
        let terms = terms.iter().map(Asked::of).collect::<PyResult<Vec<_>>>()?;
        let formula = self::formula(&formula)?;
        Ok(Wanted { terms, formula, shown: shortened(shown) })
    }

    /// The condition as the caller would write it.
    pub(crate) fn shown(&self) -> &str {
        &self.shown
    }

    /// The condition for the records of a type, or of no type. `path` makes a path of its text, as
    /// the dialect has it.
    pub(super) fn condition(
        &self,
        py: Python<'_>,
        plan: Option<&Plan>,
        is_rows: bool,
        path: &dyn Fn(&str) -> Result<Path, PathError>,
    ) -> PyResult<Arc<Condition>> {
        let terms = self.terms.iter().map(|asked| asked.term(py, plan, is_rows, path));
        let terms = terms.collect::<PyResult<Vec<Term>>>()?;
        let condition = Condition::new(terms, self.formula.clone()).map_err(|unfit| {
            let shown = |term: u32| &*self.terms[term as usize].field;
            PyValueError::new_err(match unfit {
                Unfit::Conflict(a, b) => {
                    format!("where={}: {:?} and {:?}: {unfit}", self.shown, shown(a), shown(b))
                }
                Unfit::Key(term) => format!("where={}: {:?}: {unfit}", self.shown, shown(term)),
                Unfit::TooLarge | Unfit::TooMany => format!("where: {unfit}"),
            })
        })?;
        Ok(Arc::new(condition))
    }
}

impl Asked {
    fn of(given: &Bound<'_, PyTuple>) -> PyResult<Self> {
        let (field, quantifier, test, value, shown) =
            given.extract::<(String, String, String, Bound<'_, PyAny>, String)>()?;
        let quantifier = match &*quantifier {
            "any" => Quantifier::Any,
            "all" => Quantifier::All,
            _ => Quantifier::First,
        };
        let one = || literal(&value);
        let word = || -> PyResult<Box<str>> { Ok(text("a part of text", &value)?.into()) };
        let test = match &*test {
            "==" => Asks::Compare(Compare::Eq, one()?),
            "!=" => Asks::Compare(Compare::Ne, one()?),
            "<" => Asks::Compare(Compare::Lt, one()?),
            "<=" => Asks::Compare(Compare::Le, one()?),
            ">" => Asks::Compare(Compare::Gt, one()?),
            ">=" => Asks::Compare(Compare::Ge, one()?),
            "in" => {
                let all = value.extract::<Vec<Bound<'_, PyAny>>>()?;
                Asks::In(OneOf::new(all.iter().map(literal).collect::<PyResult<_>>()?))
            }
            "between" => {
                let (least, most) = value.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>()?;
                Asks::Between(literal(&least)?, literal(&most)?)
            }
            "startswith" => Asks::StartsWith(word()?),
            "endswith" => Asks::EndsWith(word()?),
            "contains" => Asks::Contains(word()?),
            "matches" => {
                let pattern = word()?;
                let made = Pattern::new(&pattern).map_err(|why| {
                    let pattern = shortened(pattern.to_string());
                    PyValueError::new_err(format!(
                        "where: {pattern:?} is no regular expression: {why}"
                    ))
                })?;
                Asks::Matches(Box::new(made))
            }
            "is_none" => Asks::IsNone,
            "exists" => Asks::Exists,
            other => return Err(PyTypeError::new_err(format!("no test is called {other:?}"))),
        };
        Ok(Asked { field, quantifier, test, shown: shortened(shown) })
    }

    /// The question to a record of a type.
    fn term(
        &self,
        py: Python<'_>,
        plan: Option<&Plan>,
        is_rows: bool,
        path: &dyn Fn(&str) -> Result<Path, PathError>,
    ) -> PyResult<Term> {
        let wrong = |error: PathError| {
            PyValueError::new_err(format!("where: {:?} is no path: {error}", self.field))
        };
        let mut term = Term {
            path: match plan.and_then(|plan| field_named(py, plan, &self.field)) {
                Some((text, _)) => path(&text).map_err(wrong)?,
                None => path(&self.field).map_err(wrong)?,
            },
            kind: Holds::Any,
            cells: None,
            empty: Empty::Text,
            quantifier: self.quantifier,
            test: self.test.clone(),
        };
        if term.quantifier == Quantifier::First && term.path.matches_many() {
            return Err(PyValueError::new_err(format!(
                "where: {}: {:?} finds several values: ask for any() or all() of them",
                self.shown, self.field
            )));
        }
        let Some(plan) = plan else { return Ok(term) };
        if let Some(node) = node_at(plan, &term.path) {
            self.fit(py, plan, node, is_rows, &mut term)?;
        }
        Ok(term)
    }

    /// Says what the class has at the place of the term. Refuses what cannot be compared.
    fn fit(
        &self,
        py: Python<'_>,
        plan: &Plan,
        node: NodeId,
        is_rows: bool,
        term: &mut Term,
    ) -> PyResult<()> {
        let mut of = &plan.nodes[node as usize];
        if term.quantifier != Quantifier::First
            && let Kind::List(item) | Kind::Set(item) | Kind::FrozenSet(item) | Kind::TupleOf(item) =
                of.kind
        {
            of = &plan.nodes[item as usize];
        }
        let refused =
            |reason: String| plan_error(py, format_args!("where: {}: {reason}", self.shown));
        let (asked, of_text) = literals(&self.test);
        let converts = of.after.as_ref().is_some_and(|after| after.converts());
        if converts && (of_text || !asked.is_empty()) {
            return Err(refused(format!(
                "the values of {:?} are made by a function, and a condition cannot call it",
                self.field
            )));
        }
        term.kind = match &of.kind {
            Kind::Bool => Holds::Bool,
            Kind::Int => Holds::Int,
            Kind::Float => Holds::Float,
            Kind::Decimal => Holds::Decimal,
            Kind::Str => Holds::Text,
            Kind::Date | Kind::Time | Kind::DateTime | Kind::Duration | Kind::Uuid => Holds::Other,
            Kind::Any | Kind::Choice(_) | Kind::Tokens(_) | Kind::None | Kind::Raw => Holds::Any,
            Kind::List(_)
            | Kind::Set(_)
            | Kind::FrozenSet(_)
            | Kind::TupleOf(_)
            | Kind::Tuple(_)
                if !asked.is_empty() || of_text =>
            {
                return Err(refused(format!(
                    "{:?} is of the type {}: ask for any() or all() of its values",
                    self.field, of.name
                )));
            }
            _ if !asked.is_empty() || of_text => {
                return Err(refused(format!(
                    "{:?} is of the type {}, which a condition cannot compare",
                    self.field, of.name
                )));
            }
            _ => Holds::Other,
        };
        for literal in asked {
            let fits = match literal {
                Literal::Bool(_) | Literal::Int(_) | Literal::Float(_) | Literal::Digits(_) => {
                    !matches!(term.kind, Holds::Text | Holds::Other)
                }
                Literal::Text(_) => matches!(term.kind, Holds::Any | Holds::Text),
                Literal::Date(_) => matches!(of.kind, Kind::Date | Kind::Any),
                Literal::Time(_) => matches!(of.kind, Kind::Time | Kind::Any),
                Literal::DateTime(_) => matches!(of.kind, Kind::DateTime | Kind::Any),
                Literal::Duration(_) => matches!(of.kind, Kind::Duration | Kind::Any),
                Literal::Uuid(_) => matches!(of.kind, Kind::Uuid | Kind::Any),
            };
            if !fits {
                let literal = called(literal);
                return Err(refused(format!(
                    "{:?} is of the type {}, and {literal} is another kind of value",
                    self.field, of.name
                )));
            }
        }
        if of_text && !matches!(term.kind, Holds::Any | Holds::Text) {
            return Err(refused(format!(
                "{:?} is of the type {}, and no text",
                self.field, of.name
            )));
        }
        if of.nullable && !matches!(of.kind, Kind::Str | Kind::Any | Kind::Choice(_)) {
            term.empty = Empty::Null;
        }
        if is_rows {
            term.cells = of.cells.clone();
            let takes_text = matches!(of.kind, Kind::Str | Kind::Any | Kind::Choice(_));
            term.empty = match (of.nullable || matches!(of.kind, Kind::Any), takes_text) {
                (true, _) => Empty::Null,
                (false, true) => Empty::Text,
                (false, false) => Empty::Nothing,
            };
        }
        Ok(())
    }
}

/// The class of the records of a plan, if it is one.
fn class_of(plan: &Plan) -> Option<&ClassPlan> {
    match plan.nodes[plan.root as usize].kind {
        Kind::Class(class) if plan.kinds.len() <= 1 => Some(&plan.classes[class as usize]),
        _ => None,
    }
}

/// The path to the field of a class with this name, and its node.
fn field_named(py: Python<'_>, plan: &Plan, name: &str) -> Option<(String, NodeId)> {
    let class = class_of(plan)?;
    let is_named = |field: &plan::Field| field.name.bind(py).to_str().is_ok_and(|it| it == name);
    let index = class.own().iter().position(is_named)?;
    let node = class.fields[index].node;
    if class.only_rows {
        return Some((index.to_string(), node));
    }
    if let Some(way) = class.paths.iter().find(|way| way.field as usize == index) {
        return Some((way.path.to_string(), node));
    }
    let aims = |aim: u32| class.aims[aim as usize].field as usize == index;
    let mut open = vec![(0_u32, Vec::<String>::new())];
    let mut seen = vec![0_u32];
    while let Some((state, steps)) = open.pop() {
        let of = &class.states[state as usize];
        let other = of.other.map(|to| ("*".to_owned(), to));
        let keys =
            of.keys.iter().map(|edge| (PathStep::Key(edge.name.to_string()).to_string(), edge.to));
        let indexes = of.indexes.iter().map(|(place, to)| (place.to_string(), *to));
        for (step, to) in keys.chain(indexes).chain(other) {
            let mut steps = steps.clone();
            steps.push(step);
            match to {
                Target::Field(aim) if aims(aim) => return Some((steps.join("/"), node)),
                Target::State(to) if class.states[to as usize].whole.is_some_and(aims) => {
                    return Some((steps.join("/"), node));
                }
                Target::State(to) if !seen.contains(&to) => {
                    seen.push(to);
                    open.push((to, steps));
                }
                Target::Field(_) | Target::State(_) => {}
            }
        }
    }
    None
}

/// The node of the field that a path leads to, if the class has one there, or a class within it.
fn node_at(plan: &Plan, path: &Path) -> Option<NodeId> {
    let mut class = class_of(plan)?;
    if let Some(way) = class.paths.iter().find(|way| way.path == *path) {
        return Some(class.fields[way.field as usize].node);
    }
    if path.anywhere() {
        return None;
    }
    let mut state = 0;
    let mut steps = path.steps().iter().peekable();
    while let Some(step) = steps.next() {
        let of = &class.states[state as usize];
        let edge = of.keys.iter().find(|edge| *edge.name == *step.key());
        let to = edge.map(|edge| edge.to).or(of.other)?;
        match to {
            Target::State(to) if steps.peek().is_some() => state = to,
            Target::State(to) => {
                let aim = class.states[to as usize].whole?;
                return Some(class.aims[aim as usize].node);
            }
            Target::Field(aim) => {
                let node = class.aims[aim as usize].node;
                if steps.peek().is_none() {
                    return Some(node);
                }
                let Kind::Class(within) = plan.nodes[node as usize].kind else { return None };
                (class, state) = (&plan.classes[within as usize], 0);
            }
        }
    }
    None
}

/// A formula: the number of a term, or a word and what it joins.
fn formula(given: &Bound<'_, PyAny>) -> PyResult<Formula> {
    if let Ok(term) = given.extract::<u32>() {
        return Ok(Formula::Term(term));
    }
    let (word, parts) = given.extract::<(String, Vec<Bound<'_, PyAny>>)>()?;
    let mut parts = parts.iter().map(formula).collect::<PyResult<Vec<_>>>()?;
    Ok(match (&*word, parts.len()) {
        ("not", 1) => Formula::Not(Box::new(parts.remove(0))),
        ("and", _) => Formula::And(parts.into()),
        ("or", _) => Formula::Or(parts.into()),
        _ => return Err(PyTypeError::new_err(format!("no formula is called {word:?}"))),
    })
}

/// A literal: its kind, and what it is made of.
fn literal(given: &Bound<'_, PyAny>) -> PyResult<Literal> {
    let (kind, value) = given.extract::<(String, Bound<'_, PyAny>)>()?;
    let wrong = || PyValueError::new_err(format!("a condition cannot have such a {kind}: {value}"));
    let word = || text("a literal", &value);
    Ok(match &*kind {
        "bool" => Literal::Bool(value.extract()?),
        "int" => Literal::Int(value.extract()?),
        "float" => Literal::Float(value.extract()?),
        "digits" => Literal::Digits(word()?.as_bytes().into()),
        "str" => Literal::Text(word()?.into()),
        "date" => Literal::Date(datetime::date(word()?.as_bytes()).map_err(|_| wrong())?),
        "time" => Literal::Time(datetime::time(word()?.as_bytes()).map_err(|_| wrong())?),
        "datetime" => {
            Literal::DateTime(datetime::datetime(word()?.as_bytes()).map_err(|_| wrong())?)
        }
        "timedelta" => {
            let (days, seconds, microseconds) = value.extract()?;
            Literal::Duration(Duration { days, seconds, microseconds })
        }
        "UUID" => Literal::Uuid(uuid(word()?.as_bytes()).ok_or_else(wrong)?),
        _ => return Err(wrong()),
    })
}
