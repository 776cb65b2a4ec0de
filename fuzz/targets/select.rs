//! A path and a document: the records that the filter lets through are those of a naive matcher.
//!
//! The input up to the first line feed is the path, empty for none; the rest is the document.

#![no_main]

#[path = "../../crates/penstock-core/tests/json/naive.rs"]
#[allow(dead_code)]
mod naive;
#[path = "../../crates/penstock-core/tests/json/recording.rs"]
#[allow(dead_code)]
mod recording;

use libfuzzer_sys::fuzz_target;
use penstock_core::error::Fail;
use penstock_core::json::{Framing, Reader, Step};
use penstock_core::limits::Limits;
use penstock_core::select::{Path, Records, Select, Test};
use penstock_scan::ValidText;

use naive::{Event, What, naive};
use recording::{Answers, Recorder};

/// One step down to a value.
enum Edge<'e> {
    Key(&'e str),
    Index(u64),
}

fuzz_target!(|data: &[u8]| {
    let text = ValidText::check(data).text.as_str();
    let Some((path, document)) = text.split_once('\n') else { return };
    let path = if path.is_empty() { None } else { Some(path) };
    let path = match path.map(Path::parse).transpose() {
        // Compiling may be exponential in the stars behind a `//`, up to a limit that takes long.
        Ok(path) if path.as_ref().is_none_or(|path| path.steps().len() <= 8) => path,
        _ => return,
    };
    let Ok(records) = path.as_ref().map_or(Ok(Records::by_default()), Records::at) else { return };

    let limits = Limits { depth: 100, ..Limits::default() };
    let all = naive(document, Framing::Document, &limits, Answers::default());
    let mut expected = Vec::new();
    let mut count = 0;
    walk(&all, &mut 0, &mut Vec::new(), path.as_ref(), &mut expected, &mut count);
    expected.extend(all.last().filter(|(_, what)| matches!(what, What::Fault(_))).cloned());

    let mut select = Select::new(Recorder::new(), records);
    let mut reader = Reader::new(Framing::Document, &limits);
    match reader.run(ValidText::from(document), true, &mut select) {
        Ok(step) => assert_eq!((step, select.record_depth()), (Step::Done, 0)),
        Err(Fail::Input(fault)) => {
            let fault = (fault.offset() as usize, What::Fault(fault.kind()));
            select.inner_mut().events.push(fault);
        }
        Err(Fail::Sink(_)) => panic!("nothing was refused"),
    }
    assert_eq!(select.records(), count);
    assert_eq!(select.inner().events, expected);
});

/// Goes through the value that begins at `at`, taking the events of what matches.
fn walk<'e>(
    all: &'e [Event],
    at: &mut usize,
    way: &mut Vec<Edge<'e>>,
    path: Option<&Path>,
    out: &mut Vec<Event>,
    count: &mut u64,
) {
    let Some((_, first)) = all.get(*at) else { return };
    let matches = match path {
        Some(path) => leads(path, way),
        None if matches!(all[0].1, What::BeginList) => way.len() == 1,
        None => way.is_empty(),
    };
    if matches!(first, What::Fault(_)) {
        return;
    }
    if matches {
        *count += 1;
        let begin = *at;
        pass(all, at);
        let taken = all[begin..*at].iter().filter(|(_, what)| !matches!(what, What::Fault(_)));
        out.extend(taken.cloned());
        return;
    }
    let list = matches!(first, What::BeginList);
    let container = list || matches!(first, What::BeginMap);
    *at += 1;
    let mut index = 0;
    while container && let Some((_, what)) = all.get(*at) {
        let edge = match what {
            What::EndMap | What::EndList => {
                *at += 1;
                return;
            }
            What::Fault(_) => return,
            What::Key(key) => {
                *at += 1;
                Edge::Key(key)
            }
            _ => Edge::Index(index),
        };
        index += 1;
        way.push(edge);
        walk(all, at, way, path, out, count);
        way.pop();
    }
}

/// Passes over a value, or what there is of it.
fn pass(all: &[Event], at: &mut usize) {
    let mut open = 0;
    while let Some((_, what)) = all.get(*at) {
        *at += 1;
        match what {
            What::BeginMap | What::BeginList => open += 1,
            What::EndMap | What::EndList => open -= 1,
            _ => {}
        }
        if open == 0 && !matches!(what, What::Key(_)) {
            return;
        }
    }
}

/// Whether a path leads exactly this way.
fn leads(path: &Path, way: &[Edge<'_>]) -> bool {
    let Some(above) = way.len().checked_sub(path.steps().len()) else { return false };
    if above > 0 && !path.anywhere() {
        return false;
    }
    path.steps().iter().zip(&way[above..]).all(|(step, edge)| match (step.test(), edge) {
        (Test::AnyChild, _) => true,
        (Test::Name { .. } | Test::Attribute { .. }, Edge::Key(key)) => step.key() == *key,
        (Test::Name { .. }, Edge::Index(index)) => step.index() == Some(*index),
        _ => false,
    })
}
