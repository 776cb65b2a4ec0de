//! The naive twin of a document of words: a tree made from the events of the naive reader, in which
//! every search visits every value. The fuzz target uses it, too.

use penstock_core::document::{
    Container, Document, Gather, Match, Matches, Number, Refusal, Value, View, place_of, places,
    scalar_end,
};
use penstock_core::error::{Fail, Fault};
use penstock_core::json::{Framing, Reader};
use penstock_core::limits::Limits;
use penstock_core::path_step::PathStep;
use penstock_core::protocol::{Duplicates, Step};
use penstock_core::select::Path;
use penstock_core::value::number::{scan, to_f64};
use penstock_core::word::Word;
use penstock_scan::{TextBuf, ValidText};

use crate::naive::{Event, What, naive};
use crate::recording::Answers;

/// A value, and the offset at which it begins.
#[derive(Debug)]
pub(crate) struct Tree {
    at: usize,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Scalar(What),
    /// The members as written, and the offset after the last brace.
    Map(Vec<(usize, String, Tree)>, usize),
    List(Vec<Tree>, usize),
}

/// Makes a value from the events from `next` on.
fn tree(events: &[Event], next: &mut usize) -> Tree {
    let (at, what) = &events[*next];
    *next += 1;
    let at = *at;
    let kind = match what {
        What::BeginMap => {
            let mut members = Vec::new();
            while let (at, What::Key(name)) = &events[*next] {
                *next += 1;
                members.push((*at, name.clone(), tree(events, next)));
            }
            *next += 1;
            Kind::Map(members, events[*next - 1].0 + 1)
        }
        What::BeginList => {
            let mut elements = Vec::new();
            while events[*next].1 != What::EndList {
                elements.push(tree(events, next));
            }
            *next += 1;
            Kind::List(elements, events[*next - 1].0 + 1)
        }
        scalar => Kind::Scalar(scalar.clone()),
    };
    Tree { at, kind }
}

/// The offset of the first repeated key of a map, in the order of the text.
fn again(tree: &Tree) -> Option<usize> {
    let inner = |found: Option<usize>, tree| [found, again(tree)].into_iter().flatten().min();
    match &tree.kind {
        Kind::Scalar(_) => None,
        Kind::List(elements, _) => elements.iter().fold(None, inner),
        Kind::Map(members, _) => {
            let own = members.iter().enumerate().find(|(index, (_, name, _))| {
                members[..*index].iter().any(|(_, before, _)| before == name)
            });
            members.iter().map(|member| &member.2).fold(own.map(|own| own.1.0), inner)
        }
    }
}

/// For each distinct key, in the order of first occurrence, the position of the value that counts.
fn distinct(members: &[(usize, String, Tree)], first: bool) -> Vec<(&str, usize)> {
    let mut found: Vec<(&str, usize)> = Vec::new();
    for (slot, (_, name, _)) in members.iter().enumerate() {
        match found.iter_mut().find(|(known, _)| known == name) {
            Some(known) if !first => known.1 = slot,
            Some(_) => {}
            None => found.push((name, slot)),
        }
    }
    found
}

/// Gathers a text that comes in pieces, cut at these offsets.
fn gather(
    text: ValidText<'_>,
    cuts: &[usize],
    duplicates: Duplicates,
    limits: &Limits,
) -> (Result<Step, Fail<Refusal>>, Gather) {
    let mut reader = Reader::new(Framing::Document, limits);
    let mut gather = Gather::new(duplicates);
    let end = text.as_bytes().len();
    for cut in cuts.iter().copied().filter(|cut| text.as_str().is_char_boundary(*cut)).chain([end])
    {
        let step = reader.run(text.slice(0..cut), cut == end, &mut gather);
        if !matches!(step, Ok(Step::More)) {
            return (step, gather);
        }
    }
    (Ok(Step::More), gather)
}

/// Gathers a text, and compares all properties of its words with the naive tree.
///
/// # Panics
/// If they differ.
pub(crate) fn check(text: &str, cuts: &[usize], duplicates: Duplicates, limits: &Limits) {
    let events = naive(text, Framing::Document, limits, Answers::default());
    let (step, gather) = gather(text.into(), cuts, duplicates, limits);
    let fault = match events.last() {
        Some((at, What::Fault(kind))) => Some((*at, *kind)),
        _ => None,
    };
    let met: Option<Tree> = fault.is_none().then(|| tree(&events, &mut 0));
    let repeated = met.as_ref().and_then(again).filter(|_| duplicates == Duplicates::Error);
    match step {
        Ok(step) => {
            assert_eq!((step, fault, repeated), (Step::Done, None, None));
        }
        Err(Fail::Input(told)) => {
            let told: &Fault = &told;
            assert_eq!(Some((told.offset() as usize, told.kind())), fault, "{told}");
            return;
        }
        Err(Fail::Sink(Refusal::Again(at))) => {
            // It may come before a fault.
            assert_eq!(duplicates, Duplicates::Error);
            if fault.is_none() {
                assert_eq!(Some(at as usize), repeated);
            }
            return;
        }
        Err(Fail::Sink(refusal)) => panic!("{refusal:?}"),
    }
    let document: Document = gather.finish().expect("it was done");
    let view = View::new(&document, text.into());
    let expected = met.expect("there was no fault");
    let first = duplicates == Duplicates::First;
    // Twice, because maps are indexed after several look-ups.
    for _ in 0..2 {
        compare(view, view.root(), &expected, first, &mut Vec::new());
    }
    follow(view, &expected, first);
}

/// Compares a value, and everything in it.
fn compare(view: View<'_>, word: Word, expected: &Tree, first: bool, path: &mut Vec<PathStep>) {
    let mut room = TextBuf::new();
    match (view.value(word), &expected.kind) {
        (Value::Null, Kind::Scalar(What::Null)) => {}
        (Value::Bool(value), Kind::Scalar(What::Bool(expected))) => assert_eq!(value, *expected),
        (Value::Int(value), Kind::Scalar(What::Number(digits))) => match digits.as_str() {
            "-0" => assert_eq!(value, 0),
            digits => assert_eq!(value.to_string(), digits),
        },
        (Value::Number(Number::Parts(value)), Kind::Scalar(What::Number(digits))) => {
            assert_eq!(value.to_string(), *digits);
            let double = to_f64(scan(digits.as_bytes(), 0).outcome, digits.as_bytes());
            assert_eq!(value.to_f64().to_bits(), double.to_bits());
        }
        (Value::Number(Number::Digits(value, at)), Kind::Scalar(What::Number(digits))) => {
            assert_eq!((value, at), (digits.as_bytes(), expected.at));
        }
        (Value::Text(value), Kind::Scalar(What::Text(expected))) => {
            assert_eq!(value.resolve(&mut room).as_str(), expected);
        }
        (Value::List(list), Kind::List(elements, end)) => {
            assert_eq!(list.0.range(), expected.at..*end);
            assert_eq!((list.len(), list.is_empty()), (elements.len(), elements.is_empty()));
            assert!(list.get(list.len()).is_none());
            standing(&list.0, elements.iter());
            assert_eq!(view.path(&list.0), *path);
            for (slot, element) in elements.iter().enumerate() {
                path.push(PathStep::Index(slot as u64));
                assert_eq!(list.0.step(slot), path[path.len() - 1]);
                compare(view, list.get(slot).expect("an element"), element, first, path);
                path.pop();
            }
        }
        (Value::Map(map), Kind::Map(members, end)) => {
            assert_eq!(map.0.range(), expected.at..*end);
            assert_eq!(map.0.slots(), members.len());
            standing(&map.0, members.iter().map(|member| &member.2));
            assert_eq!(view.path(&map.0), *path);
            let known = distinct(members, first);
            assert_eq!((map.len(), map.is_empty()), (known.len(), known.is_empty()));
            let entries = map.distinct();
            assert!(entries.entry(known.len()).is_none());
            for (at, (name, slot)) in known.into_iter().enumerate() {
                let entry = entries.entry(at).expect("a key");
                assert_eq!(entry.key.resolve(&mut room).as_str(), name);
                assert_eq!((entry.slot, Some(slot)), (slot, map.find(name)));
                assert_eq!(
                    (map.get(name), map.0.slot(slot)),
                    (Some(entry.value), Some(entry.value))
                );
                for other in [format!("{name}x"), name.chars().skip(1).collect()] {
                    let known = members.iter().any(|(_, name, _)| *name == other);
                    assert_eq!(map.find(&other).is_some(), known);
                }
            }
            for (slot, (_, name, value)) in members.iter().enumerate() {
                path.push(PathStep::Key(name.clone()));
                assert_eq!(map.0.step(slot), path[path.len() - 1]);
                compare(view, map.0.slot(slot).expect("a value"), value, first, path);
                path.pop();
            }
        }
        (found, expected) => panic!("{found:?} is not {expected:?}"),
    }
}

/// Compares the positions of the values of a map or list.
fn standing<'t>(container: &Container<'_>, values: impl Iterator<Item = &'t Tree>) {
    let values: Vec<&Tree> = values.collect();
    let expected: Vec<u64> = values.iter().map(|value| value.at as u64).collect();
    assert_eq!(places(container), expected);
    assert_eq!(place_of(container, expected.len()), None);
    // Each look-up takes the time of skipping to the value.
    for (slot, at) in expected.iter().enumerate().step_by(1 + expected.len() / 16) {
        assert_eq!(place_of(container, slot), Some(*at));
    }
    let text = container.view().text();
    for value in values {
        let written = |end: usize| &text.as_bytes()[value.at..end];
        match &value.kind {
            Kind::Scalar(What::Number(digits)) => {
                assert_eq!(written(scalar_end(text, value.at)), digits.as_bytes());
            }
            Kind::Scalar(What::Text(_)) => {
                let token = written(scalar_end(text, value.at));
                assert!(token.len() > 1 && token.starts_with(b"\"") && token.ends_with(b"\""));
            }
            Kind::Scalar(_) => {
                let token = written(scalar_end(text, value.at));
                assert!([&b"null"[..], b"true", b"false"].contains(&token));
            }
            Kind::Map(..) | Kind::List(..) => {}
        }
    }
}

/// Compares the matches of some paths.
fn follow(view: View<'_>, expected: &Tree, first: bool) {
    for written in ["*", "*/*", "a", "a/*", "0", "*/1", "//a", "//a/*", "//*/b"] {
        let path = Path::parse(written).expect("a path");
        let mut matches = Matches::new(&path, view, view.root(), false).expect("a simple path");
        let found = std::iter::from_fn(|| matches.next(view));
        let found: Vec<usize> = found.map(|found| place(view, &found)).collect();
        let steps: Vec<&str> = written.trim_start_matches('/').split('/').collect();
        let mut naive = Vec::new();
        let starts = written.starts_with("//");
        naive_matches(expected, &steps, starts, &[0], first, &mut naive);
        assert_eq!(found, naive, "{written}");
    }
}

fn place(view: View<'_>, found: &Match) -> usize {
    let within = view.container(found.within).expect("a map or list");
    assert_eq!(within.slot(found.slot), Some(found.value));
    place_of(&within, found.slot).expect("a place") as usize
}

/// The positions of the values to which the steps lead. `states` are the numbers of the steps that
/// may come next.
fn naive_matches(
    tree: &Tree,
    steps: &[&str],
    anywhere: bool,
    states: &[usize],
    first: bool,
    found: &mut Vec<usize>,
) {
    let mut visit = |name: &str, value: &Tree| {
        let mut next: Vec<usize> = states
            .iter()
            .filter(|state| steps[**state] == "*" || steps[**state] == name)
            .map(|state| state + 1)
            .collect();
        if next.contains(&steps.len()) {
            found.push(value.at);
            return;
        }
        if anywhere {
            next.push(0);
        }
        naive_matches(value, steps, anywhere, &next, first, found);
    };
    match &tree.kind {
        Kind::Scalar(_) => {}
        Kind::List(elements, _) => {
            for (index, element) in elements.iter().enumerate() {
                visit(&index.to_string(), element);
            }
        }
        Kind::Map(members, _) => {
            for (name, slot) in distinct(members, first) {
                visit(name, &members[slot].2);
            }
        }
    }
}

/// All ways to treat repeated keys.
pub(crate) const POLICIES: [Duplicates; 3] =
    [Duplicates::Last, Duplicates::First, Duplicates::Error];
