//! Any number of threads, and any pieces of the text, give what one reader gives: the same batches,
//! the same schema or the same text, and the same problems at the same places.

mod columns;
mod convert;
#[path = "../../../penstock-core/tests/effort/mod.rs"]
mod effort;
mod members;
mod schema;

use penstock_core::csv;
use penstock_core::formats::Reader;
use penstock_core::json::{self, Framing};
use penstock_core::limits::Limits;
use penstock_core::plist;
use penstock_core::protocol::Destination;
use penstock_core::run::{self, Failure, Policy, Problem, RecordScope, Run, Windows};
use penstock_core::select::{Path, Records};
use penstock_core::source::{Detect, Options, Source};
use penstock_core::split::{Shares, Threads, Turn, expect_threads};
use penstock_core::xml;
use std::convert::Infallible;
use std::fmt::Debug;
use std::io::{self, Cursor, Read};

#[derive(Clone, Copy, Debug, PartialEq)]
enum Form {
    Lines,
    Rows,
    Array,
    /// The elements of all arrays in an object.
    Inside,
    /// The elements in the root.
    Elements,
    /// The members of all members of the root of a binary property list.
    Members,
}

fn reader(form: Form) -> (Reader, Option<Records>) {
    let limits = Limits::default();
    let at = |path: &str| Records::at(&Path::parse(path).expect("a path")).expect("records");
    let document = || Reader::Json(json::Reader::new(Framing::Document, &limits));
    match form {
        Form::Lines => (Reader::Json(json::Reader::new(Framing::Lines, &limits)), None),
        Form::Array => (document(), Some(Records::by_default())),
        Form::Inside => (document(), Some(at("*/*"))),
        Form::Rows => {
            let reader = csv::Reader::new(&csv::Options::default(), &limits).expect("possible");
            (Reader::Csv(Box::new(reader)), None)
        }
        Form::Elements => (
            Reader::Xml(Box::new(xml::Reader::new(xml::Options::default(), &limits))),
            Some(at("*/*")),
        ),
        Form::Members => (
            Reader::Plist(Box::new(plist::Reader::new(plist::Options::default(), &limits))),
            Some(at("*/*")),
        ),
    }
}

/// A problem, but for its excerpt, which ends where the text at hand does.
fn told(problem: &Problem) -> String {
    let place = problem.spot.place.as_ref().map(|place| (place.line, place.column));
    let (record, path) = (problem.spot.record, &problem.spot.path);
    format!("{} {place:?} {record:?} {path:?} {}", problem.offset, problem.reason)
}

/// Gives a few bytes at a time, so that the threads begin early.
struct Slowly(Cursor<Vec<u8>>);

impl Read for Slowly {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let most = out.len().min(100);
        self.0.read(&mut out[..most])
    }
}

/// Reads a text, in so many threads from some place on, by pieces of about so many bytes, or of so many
/// members. `full` empties the destination. Returns the problems, and how many pieces threads have read.
fn drive<S: Shares<Cause = Infallible, Break: Debug>>(
    reader: Reader,
    text: &[u8],
    to: &mut RecordScope<S>,
    by: Option<(usize, usize)>,
    full: impl FnMut(&mut S),
) -> (Vec<String>, u64) {
    let (problems, taken, _) = drive_in(reader, Policy::Hand, text, (to, |to| to), by, full);
    (problems, taken)
}

/// The same with a scope in another destination. Says, too, whether the text was read to its end.
fn drive_in<S, D>(
    reader: Reader,
    policy: Policy,
    text: &[u8],
    (to, scope): (&mut D, impl Fn(&mut D) -> &mut RecordScope<S>),
    by: Option<(usize, usize)>,
    mut full: impl FnMut(&mut S),
) -> (Vec<String>, u64, bool)
where
    S: Shares<Cause = Infallible, Break: Debug>,
    D: Destination<Cause = Infallible, Break = S::Break>,
{
    let limits = Limits::default();
    let options = Options::new(&limits);
    let source = match &reader {
        // It is gathered before any thread begins.
        Reader::Plist(_) => Source::open(
            Box::new(Cursor::new(text.to_vec())),
            Options { detect: Detect::Plist, ..options },
        ),
        _ => Source::open(Box::new(Slowly(Cursor::new(text.to_vec()))), options),
    };
    let mut run = Run::new(reader, Windows::of(source), policy);
    if by.is_some() {
        expect_threads(&mut run);
    }
    let mut problems = Vec::new();
    let mut threads: Option<Threads<S::Worker>> = None;
    loop {
        match run.advance(to) {
            Ok(run::Turn::Dry) => {}
            Ok(run::Turn::Paused) => {
                full(scope(to).inner_mut());
                continue;
            }
            Ok(run::Turn::Problem(problem)) => {
                problems.push(told(&problem));
                continue;
            }
            Ok(run::Turn::End) => break,
            Err(failure) => {
                match *failure {
                    Failure::One(problem) => problems.push(told(&problem)),
                    Failure::Collected(all) => problems.extend(all.iter().map(told)),
                    other => problems.push(format!("{other:?}")),
                }
                break;
            }
        }
        match &mut threads {
            Some(threads) => {
                if threads.step(&mut run, scope(to)).expect("a good source") == Turn::Full {
                    full(scope(to).inner_mut());
                }
            }
            None => {
                if let Some((count, size)) = by {
                    threads = Threads::begin_sized(&mut run, scope(to), count, Some(size));
                }
                if threads.is_none() {
                    let brought = run.input_mut().more();
                    run.brought(to, brought).expect("a good source");
                }
            }
        }
    }
    (problems, threads.map_or(0, |threads| threads.taken()), run.is_complete())
}
