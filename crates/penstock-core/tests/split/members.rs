//! Reads a binary property list in parts, and as a whole.

use crate::parts::{Counting, Got, Shown, finish, windows};
use penstock_core::formats::Reader;
use penstock_core::formats::ReaderState;
use penstock_core::limits::Limits;
use penstock_core::plist;
use penstock_core::protocol::Destination;
use penstock_core::run::{Policy, RecordScope, Run, Turn, Windows};
use penstock_core::select::{At, Open, Path, Records};
use penstock_core::source::Detect;
use penstock_core::split::{Planner, RecordStart, pass_records};
use std::convert::Infallible;

/// A property list of objects that have references of one byte. The first one is the root.
pub(crate) fn assembled(objects: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = b"bplist00".to_vec();
    let mut offsets = Vec::new();
    for object in objects {
        offsets.extend((bytes.len() as u16).to_be_bytes());
        bytes.extend(object);
    }
    let table = bytes.len() as u64;
    bytes.extend(offsets);
    bytes.extend([0, 0, 0, 0, 0, 0, 2, 1]);
    for field in [objects.len() as u64, 0, table] {
        bytes.extend(field.to_be_bytes());
    }
    bytes
}

/// The more a file expands, the less of it is comparable: a part counts for itself.
fn limits() -> Limits {
    Limits { depth: 40, expansion: Some(4096), ..Limits::default() }
}

fn reader() -> Reader {
    Reader::Plist(Box::new(plist::Reader::new(plist::Options::default(), &limits())))
}

fn records(at: Option<&str>) -> Records {
    let at = at.map(|at| Path::parse(at).expect("a path"));
    at.map_or_else(Records::by_default, |at| Records::at(&at).expect("records"))
}

/// A run that looks for points.
struct Planning(Run<Reader, Windows, Infallible>, RecordScope<Planner>);

impl Planning {
    fn over(bytes: &[u8], at: Option<&str>) -> Self {
        let run = Planner::run(reader(), windows(bytes, bytes.len().max(1), Detect::Plist));
        Planning(run, RecordScope::new(Planner::default(), Some(records(at))))
    }

    fn go_on(&mut self) -> bool {
        let Planning(run, to) = self;
        loop {
            match run.advance(to) {
                Ok(Turn::Dry) => {
                    let brought = run.input_mut().more();
                    run.brought(to, brought).expect("a good source");
                }
                Ok(Turn::Problem(problem)) => panic!("described for nobody: {problem:?}"),
                Ok(Turn::Paused) => return true,
                Ok(Turn::End) | Err(_) => return false,
            }
        }
    }

    fn met(&self) -> u64 {
        self.1.inner_records().map_or(0, |(begun, ..)| begun)
    }
}

/// The points before the records of these numbers, counted from 0, which ascend.
fn planned(bytes: &[u8], at: Option<&str>, cuts: &[u64]) -> Vec<RecordStart> {
    let mut planning = Planning::over(bytes, at);
    let mut points = Vec::new();
    if !planning.go_on() {
        return points;
    }
    for cut in cuts.iter().filter(|cut| **cut > 0) {
        while planning.met() <= *cut {
            let most = *cut - planning.met();
            pass_records(&mut planning.0, &mut planning.1, most);
            if !planning.go_on() {
                return points;
            }
        }
        if points.last().is_none_or(|last: &RecordStart| last.records < *cut) {
            points.extend(RecordStart::of(&planning.0, &planning.1));
        }
    }
    points
}

fn places(point: &RecordStart) -> &[u64] {
    match &point.stand {
        ReaderState::Members(places) => places,
        other => panic!("{other:?}"),
    }
}

/// A part knows only of what is shared in its own records.
fn without_shares(events: &str) -> String {
    let lines = events.lines().filter_map(|line| match line.split_once(" shared ") {
        Some((container, _)) => container.ends_with(" set").then_some(container),
        None => Some(line),
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// What a reader gives from a point on.
fn rest(bytes: &[u8], at: Option<&str>, point: &RecordStart) -> Got {
    let mut got = Got::default();
    let mut to = RecordScope::new(Counting::default(), Some(records(at)));
    assert!(to.go_on(&point.open, point.records));
    let reader = reader().between(places(point), &[]).expect("a reader of property lists");
    let run = Run::new(reader, windows(bytes, bytes.len().max(1), Detect::Plist), Policy::Hand);
    finish(run, to, Shown::All, &mut got);
    got.events = without_shares(&got.events);
    got
}

/// Compares what comes behind the record at a point with what comes from that point on. It may be that
/// nothing comes behind it in its container.
fn same_behind(bytes: &[u8], at: Option<&str>, point: &RecordStart) {
    let mut behind = point.clone();
    behind.records += 1;
    if let ReaderState::Members(places) = &mut behind.stand
        && let Some(last) = places.last_mut()
    {
        *last += 1;
    }
    if let Some(Open { at: At::List(begun), .. }) = behind.open.last_mut() {
        *begun += 1;
    }
    let (all, left) = (rest(bytes, at, point), rest(bytes, at, &behind));
    if !all.problems.iter().any(|problem| problem.contains("(limits.expansion)")) {
        assert!(all.events.ends_with(&left.events), "{at:?} {point:?} {bytes:?}");
        assert!(all.problems.ends_with(&left.problems), "{at:?} {point:?} {bytes:?}");
        assert_eq!(all.records, left.records, "{at:?} {point:?} {bytes:?}");
    }
}

/// Compares the parts of a binary property list with all of it, cut before the records of these
/// numbers. Returns how many parts there are.
pub(crate) fn same_members(bytes: &[u8], at: Option<&str>, cuts: &[u64]) -> usize {
    let mut whole = Got::default();
    let step = bytes.len().max(1);
    let run = Run::new(reader(), windows(bytes, step, Detect::Plist), Policy::Hand);
    finish(run, RecordScope::new(Counting::default(), Some(records(at))), Shown::All, &mut whole);

    let points = planned(bytes, at, cuts);
    let mut got = Got::default();
    for part in 0..=points.len() {
        let from = part.checked_sub(1).map(|before| &points[before]);
        let start = from.map_or(&[][..], places);
        let until = points.get(part).map_or(&[][..], places);
        let mut to = RecordScope::new(Counting::default(), Some(records(at)));
        if let Some(point) = from {
            assert_eq!(point.open.len(), start.len() + 1);
            assert!(to.go_on(&point.open, point.records));
        }
        let between = reader().between(start, until).expect("a reader of property lists");
        if finish(
            Run::new(between, windows(bytes, step, Detect::Plist), Policy::Hand),
            to,
            Shown::All,
            &mut got,
        ) {
            break;
        }
        if let Some(point) = points.get(part) {
            assert_eq!(got.records, point.records, "{part} {cuts:?}");
        }
    }
    for events in [&mut got.events, &mut whole.events] {
        *events = without_shares(events);
    }
    if !whole.problems.iter().any(|problem| problem.contains("(limits.expansion)")) {
        assert_eq!(got, whole, "{at:?} {cuts:?} {points:?} {bytes:?}");
    }
    for point in &points {
        same_behind(bytes, at, point);
    }
    points.len() + 1
}
