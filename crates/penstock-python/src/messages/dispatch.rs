//! Finds the method of an element. Everything is decided before the first byte is read.
//!
//! Each claim of a handler is a path and a bound method. A path of one step is a name at any depth;
//! a longer one begins at the root, or anywhere if it begins with `//`. The claims are sorted by
//! preference: of the claims that match an element, the first one gets it.

use super::content::{Name, Seen};
use crate::edge::errors::answer;
use penstock_core::keys::KeyTable;
use penstock_core::select::{NamespaceTest, Path, PathError, Test};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::cmp::Reverse;
use std::sync::Arc;

/// No method.
pub(super) const NONE: u32 = u32::MAX;

/// A method and how it is called.
pub(super) struct Method {
    /// The bound method.
    pub(super) call: Py<PyAny>,
    /// Whether it takes the text only.
    pub(super) text_only: bool,
    /// The name of the last element that it was called for, which is usually that of the next one.
    last: Option<Arc<Name>>,
}

impl Method {
    /// The stored name.
    #[inline]
    pub(super) fn name(&mut self, seen: Seen<'_>) -> Arc<Name> {
        match &self.last {
            Some(name) if name.is(seen) => name.clone(),
            _ => self.last.insert(Arc::new(Name::new(seen))).clone(),
        }
    }
}

/// The condition of a step on a name.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Asked {
    namespace: NamespaceTest,
    /// No condition.
    local: Option<Box<str>>,
}

impl Asked {
    #[inline]
    fn admits(&self, seen: &Seen<'_>) -> bool {
        let name = match &self.local {
            Some(local) => **local == *seen.local,
            None => true,
        };
        name && match &self.namespace {
            NamespaceTest::Unprefixed => seen.prefix.is_none(),
            NamespaceTest::Any => true,
            NamespaceTest::Uri(uri) => **uri == *seen.namespace.unwrap_or(""),
            NamespaceTest::Prefix(_) => false,
        }
    }

    /// The precision: the fewer names it admits, the greater.
    fn precision(&self) -> u8 {
        let named = if self.local.is_some() { 3 } else { 0 };
        named
            + match self.namespace {
                NamespaceTest::Any => 0,
                NamespaceTest::Unprefixed => 1,
                NamespaceTest::Uri(_) | NamespaceTest::Prefix(_) => 2,
            }
    }
}

/// A path with its method.
struct Claim {
    steps: Vec<Asked>,
    anywhere: bool,
    method: u32,
}

/// A claim some of whose steps match an open element and those around it.
#[derive(Clone, Copy)]
pub(super) struct State {
    claim: u32,
    /// The step that a child must match.
    step: u32,
}

/// What can still match below an element if no path has begun.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Below {
    Nothing,
    /// Elements of certain names.
    Names,
    /// Any element.
    All,
}

/// All claims of a handler.
pub(super) struct Dispatch {
    pub(super) methods: Vec<Method>,
    /// Sorted, the best one first.
    claims: Vec<Claim>,
    /// The method of the document itself.
    pub(super) document: u32,
    /// The first names of claims that may match anywhere, with the claims of each.
    firsts: KeyTable,
    by_first: Vec<Vec<u32>>,
    /// A bit for each length of those names, which rules out most others.
    lengths: u64,
    /// The claims whose first step has no name.
    wild: Vec<u32>,
    /// The local parts of the names in `firsts`, if their prefixes are part of the name.
    locals: Option<KeyTable>,
    pub(super) below: Below,
}

/// A claim from the Python side: a path, whether it comes from `@on`, the bound method.
pub(super) type InputView<'py> = (String, bool, Bound<'py, PyAny>);

impl Dispatch {
    /// Sorts the claims. `plain` formats have no namespaces; for the others, `namespaces` binds the
    /// prefixes, and `check` refuses paths that nothing in a document can match.
    ///
    /// # Errors
    /// `ValueError` if a path is invalid or not allowed here, and if two claims are the same.
    pub(super) fn new<'n>(
        given: &[InputView<'_>],
        plain: bool,
        namespaces: impl Fn(&str) -> Option<&'n str>,
        check: impl Fn(&Path) -> Result<(), PathError>,
    ) -> PyResult<Self> {
        let mut methods = Vec::new();
        let mut claims: Vec<Claim> = Vec::new();
        let mut document = NONE;
        for (method, (text, marked, call)) in (0_u32..).zip(given) {
            let refuse = |reason: &str| {
                title(call).map_or_else(
                    |instead| instead,
                    |title| match marked {
                        true => {
                            PyValueError::new_err(format!("@on({text:?}) of {title}: {reason}"))
                        }
                        false => PyValueError::new_err(format!("{title}: {reason}")),
                    },
                )
            };
            let mut text_only = false;
            let found = if text.is_empty() {
                Claim { steps: Vec::new(), anywhere: false, method }
            } else {
                let mut path = Path::parse(text).map_err(|error| refuse(&error.to_string()))?;
                if !plain {
                    path.bind(&namespaces).map_err(|error| refuse(&error.to_string()))?;
                }
                // A method that is not marked may have another purpose.
                if *marked {
                    check(&path).map_err(|error| refuse(&error.to_string()))?;
                }
                let mut steps = Vec::new();
                for step in path.steps() {
                    let local = Some(Box::from(step.key()));
                    steps.push(match step.test() {
                        Test::AnyChild => Asked { namespace: NamespaceTest::Any, local: None },
                        Test::Text => {
                            text_only = true;
                            continue;
                        }
                        Test::KeyOf => return Err(refuse("key() has no meaning here")),
                        Test::Name { .. } | Test::Attribute { .. } if plain => {
                            Asked { namespace: NamespaceTest::Any, local }
                        }
                        Test::Name { namespace, local } => {
                            Asked { namespace: namespace.clone(), local: local.clone() }
                        }
                        Test::Attribute { .. } => {
                            return Err(refuse(
                                "an attribute makes no message: it is in the attributes of its \
                                 element",
                            ));
                        }
                    });
                }
                if steps.is_empty() {
                    return Err(refuse("text() must follow the element whose text it is"));
                }
                let anywhere = path.anywhere() || steps.len() == 1;
                Claim { steps, anywhere, method }
            };
            let same =
                |claim: &&Claim| claim.steps == found.steps && claim.anywhere == found.anywhere;
            if let Some(other) = claims.iter().find(same) {
                let (_, _, before) = &given[other.method as usize];
                let (here, before) = (title(call)?, title(before)?);
                let message = format!("{before} and {here} both claim the same elements: {text:?}");
                return Err(PyValueError::new_err(message));
            }
            if found.steps.is_empty() {
                document = method;
            }
            claims.push(found);
            methods.push(Method { call: call.clone().unbind(), text_only, last: None });
        }
        claims.retain(|claim| !claim.steps.is_empty());
        claims.sort_by_key(|claim| {
            let precision: Vec<u8> = claim.steps.iter().rev().map(Asked::precision).collect();
            Reverse((claim.steps.len(), !claim.anywhere, precision))
        });
        Ok(Self::indexed(methods, claims, document, plain))
    }

    /// Builds the tables of the claims' first steps.
    fn indexed(methods: Vec<Method>, claims: Vec<Claim>, document: u32, plain: bool) -> Self {
        let (mut names, mut by_first, mut wild) =
            (Vec::<&str>::new(), Vec::<Vec<u32>>::new(), Vec::new());
        for (index, claim) in (0_u32..).zip(&claims).filter(|(_, claim)| claim.anywhere) {
            let Some(name) = &claim.steps[0].local else {
                wild.push(index);
                continue;
            };
            match names.iter().position(|known| **known == **name) {
                Some(at) => by_first[at].push(index),
                None => {
                    names.push(name);
                    by_first.push(vec![index]);
                }
            }
        }
        let table = |names: &[&str]| {
            KeyTable::new(&names.iter().map(|name| name.as_bytes()).collect::<Vec<_>>())
        };
        let locals: Vec<&str> =
            names.iter().map(|name| name.rsplit(':').next().unwrap_or(name)).collect();
        let below = match (wild.is_empty(), names.is_empty()) {
            (false, _) => Below::All,
            (_, false) => Below::Names,
            _ => Below::Nothing,
        };
        Dispatch {
            firsts: table(&names),
            lengths: names.iter().fold(0, |bits, name| bits | length_bit(name.as_bytes())),
            locals: (plain && locals != names).then(|| table(&locals)),
            methods,
            by_first,
            wild,
            document,
            below,
            claims,
        }
    }

    /// The claims that begin at the root, which is the document's child.
    pub(super) fn start(&self, states: &mut Vec<State>) {
        let anchored = (0_u32..).zip(&self.claims).filter(|(_, claim)| !claim.anywhere);
        states.extend(anchored.map(|(claim, _)| State { claim, step: 0 }));
    }

    /// Finds the method of an element where `states` may go on, and adds the states that go on
    /// inside it to `next`.
    #[inline]
    pub(super) fn enter(&self, states: &[State], seen: Seen<'_>, next: &mut Vec<State>) -> u32 {
        let mut best = NONE;
        let mut step_on = |state: State| {
            let steps = &self.claims[state.claim as usize].steps;
            if !steps[state.step as usize].admits(&seen) {
                return;
            }
            if state.step as usize + 1 == steps.len() {
                best = best.min(state.claim);
            } else {
                next.push(State { step: state.step + 1, ..state });
            }
        };
        states.iter().for_each(|&state| step_on(state));
        let local = seen.local.as_bytes();
        if self.lengths & length_bit(local) != 0
            && let Some(at) = self.firsts.find(local)
        {
            let found = &self.by_first[at as usize];
            found.iter().for_each(|&claim| step_on(State { claim, step: 0 }));
        }
        self.wild.iter().for_each(|&claim| step_on(State { claim, step: 0 }));
        if best == NONE { NONE } else { self.claims[best as usize].method }
    }

    /// Whether a path may begin with an element of this local name.
    #[inline(always)]
    pub(super) fn wakes(&self, local: &[u8]) -> bool {
        (self.lengths & length_bit(local) != 0 && self.firsts.find(local).is_some())
            || self.locals.as_ref().is_some_and(|locals| locals.find(local).is_some())
    }
}

/// The bit of a name's length.
#[inline(always)]
fn length_bit(name: &[u8]) -> u64 {
    1 << name.len().min(63)
}

/// The name of a method in messages.
fn title(method: &Bound<'_, PyAny>) -> PyResult<String> {
    let name = answer(method.py(), method.getattr("__qualname__"))?;
    Ok(name.map_or_else(|| "a method".to_owned(), |name| name.to_string()))
}
