//! The run, with small destinations and a small binary format: how records in error are treated,
//! the positions of problems, and that the kind of input and its cuts do not matter.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use penstock_core::error::{Fail, Fault, Kind};
use penstock_core::event::{Key, Scalar, Text};
use penstock_core::formats::Reader;
use penstock_core::json::{self, Framing};
use penstock_core::limits::Limits;
use penstock_core::path_step::PathStep;
use penstock_core::position::Counter;
use penstock_core::protocol::{
    self, Destination, Flow, FormatReader, InputView, Kept, Listener, LookAhead, Misfit, Refused,
    Sink, Step, Trace,
};
use penstock_core::run::{
    Failure, InMemory, Input, KeptText, Origin, Policy, Positioned, Problem, RecordScope, Run,
    Turn, Whole, Windows,
};
use penstock_core::select::{Path, Records};
use penstock_core::source::{Detect, Frames, Options, ReadAt, Source};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use std::io;
use std::sync::Arc;

/// Sums the whole numbers of each record. Anything else in a record does not fit, and `"stop"` ends
/// the run.
#[derive(Default)]
struct Sums {
    sum: i64,
    depth: usize,
    keys: Vec<String>,
    done: Vec<i64>,
    /// Where the records in error begin.
    met: Vec<Option<u64>>,
}

#[derive(Debug)]
enum No {
    Misfit(u64, String),
    Stop,
}

impl Sums {
    fn value_ends(&mut self) -> Result<Flow, No> {
        if self.depth > 0 {
            return Ok(Flow::Take);
        }
        self.done.push(std::mem::take(&mut self.sum));
        Ok(Flow::Pause)
    }
}

impl Sink for Sums {
    type Error = No;
    fn begin_map(&mut self, _at: u64) -> Result<Flow, No> {
        self.depth += 1;
        self.keys.push(String::new());
        Ok(Flow::Take)
    }
    fn end_map(&mut self, _at: u64) -> Result<Flow, No> {
        self.depth -= 1;
        self.keys.pop();
        self.value_ends()
    }
    fn begin_list(&mut self, at: u64) -> Result<Flow, No> {
        Err(No::Misfit(at, "expected a number, got an array".to_owned()))
    }
    fn end_list(&mut self, _at: u64) -> Result<Flow, No> {
        Ok(Flow::Take)
    }
    fn name(&mut self, key: Key<'_>, _at: u64) -> Result<Flow, No> {
        *self.keys.last_mut().unwrap() = key.name.text.as_str().to_owned();
        Ok(Flow::Take)
    }
    fn scalar(&mut self, value: Scalar<'_>, at: u64) -> Result<Flow, No> {
        match value {
            Scalar::Number(digits) => {
                self.sum += std::str::from_utf8(digits).unwrap().parse::<i64>().unwrap();
                self.value_ends()
            }
            Scalar::Text(text) if text.text.as_str() == "stop" => Err(No::Stop),
            _ => Err(No::Misfit(at, "expected a number".to_owned())),
        }
    }
    fn piece(&mut self, _text: Text<'_>, _at: u64) -> Result<Flow, No> {
        Ok(Flow::Take)
    }
    fn abandon(&mut self) {
        (self.sum, self.depth) = (0, 0);
        self.keys.clear();
    }
}

impl protocol::Hints for Sums {}
impl LookAhead for Sums {}

impl Destination for Sums {
    type Error = No;
    type Cause = ();
    type Break = &'static str;

    fn read_from<R: FormatReader>(
        &mut self,
        reader: &mut R,
        given: InputView<'_>,
    ) -> Result<Step, Fail<No>> {
        reader.run(given, self)
    }
    fn refused(&mut self, error: No, given: InputView<'_>) -> Refused<(), &'static str> {
        match error {
            No::Misfit(at, reason) => {
                Refused::Misfit(Misfit::new(at, reason, self.value_path(true, given)))
            }
            No::Stop => Refused::Break("stop"),
        }
    }
    fn meet_problem(&mut self, begun: Option<u64>) {
        self.met.push(begun);
    }
    fn abandon_record(&mut self) {
        self.abandon();
    }
    fn value_path(&self, inside: bool, _given: InputView<'_>) -> Vec<PathStep> {
        let shown = self.keys.len() - usize::from(!inside && !self.keys.is_empty());
        self.keys[..shown].iter().map(|key| PathStep::Key(key.clone())).collect()
    }
    fn take_kept(&mut self) -> Kept<()> {
        Kept::default()
    }
}

/// The result of a run, for comparing.
#[derive(Debug, Default, PartialEq)]
struct Told {
    sums: Vec<i64>,
    /// Those handed over, and then those collected: record, line, column, path and reason of each.
    problems: Vec<String>,
    /// The failure that ended it.
    ended: Option<String>,
    refused: u64,
    /// Where the records in error begin, as the destination heard.
    met: Vec<Option<u64>>,
}

fn said(problem: &Problem<()>) -> String {
    let spot = &problem.spot;
    let place = spot.place.as_ref().map(|place| (place.line, place.column));
    let path: Vec<String> = spot.path.iter().map(ToString::to_string).collect();
    let record = spot.record;
    format!("{:?} {record:?} {place:?} {} {}", problem.kind, path.join("/"), problem.reason)
}

fn failed(told: &mut Told, failure: Failure<(), &'static str>) {
    match failure {
        Failure::One(problem) => told.ended = Some(said(&problem)),
        Failure::Collected(problems) => {
            told.problems.extend(problems.iter().map(said));
            told.ended = Some("collected".to_owned());
        }
        Failure::Broken(why, spot) => {
            let place = spot.place.map(|place| (place.line, place.column));
            told.ended = Some(format!("broken: {why} {:?} {place:?}", spot.record));
        }
        Failure::Source { error, spot, .. } => {
            let place = spot.place.map(|place| (place.line, place.column));
            told.ended = Some(format!("source: {error} {:?} {place:?}", spot.record));
        }
    }
}

/// Drives a run to its end. `more` brings input, or fails if that ends the run.
fn drive<I: Input>(
    run: &mut Run<Reader, I, ()>,
    to: &mut RecordScope<Sums>,
    mut more: impl FnMut(
        &mut Run<Reader, I, ()>,
        &mut RecordScope<Sums>,
    ) -> Result<(), Box<Failure<(), &'static str>>>,
) -> Told {
    let mut told = Told::default();
    loop {
        match run.advance(to) {
            Ok(Turn::Paused) => {}
            Ok(Turn::Dry) => {
                if let Err(failure) = more(run, to) {
                    failed(&mut told, *failure);
                    break;
                }
            }
            Ok(Turn::End) => break,
            Ok(Turn::Problem(problem)) => told.problems.push(said(&problem)),
            Err(failure) => {
                failed(&mut told, *failure);
                break;
            }
        }
    }
    assert!(run.is_finished());
    assert!(matches!(run.advance(to), Ok(Turn::End)), "a run that failed has ended");
    told.sums.clone_from(&to.inner().done);
    told.met.clone_from(&to.inner().met);
    told.refused = run.refused();
    told
}

fn reader(framing: Framing) -> Reader {
    Reader::Json(json::Reader::new(framing, &Limits::default()))
}

fn scope(at: Option<&str>) -> RecordScope<Sums> {
    let records = at.map(|at| Records::at(&Path::parse(at).unwrap()).unwrap());
    RecordScope::new(Sums::default(), records)
}

/// The result for text in memory.
fn lent(bytes: &[u8], framing: Framing, at: Option<&str>, policy: Policy) -> Told {
    let mut run = Run::new(reader(framing), InMemory::new(bytes, Origin::default()), policy);
    run.input_mut().more(7);
    drive(&mut run, &mut scope(at), |run, _| {
        run.input_mut().more(7);
        Ok(())
    })
}

/// The result for text that is pushed in these pieces.
fn pushed(pieces: &[&[u8]], framing: Framing, at: Option<&str>, policy: Policy) -> Told {
    let input = Windows::pushed(Detect::Nothing, None, None);
    let mut run = Run::new(reader(framing), input, policy);
    let mut pieces = pieces.iter();
    drive(&mut run, &mut scope(at), |run, to| match pieces.next() {
        Some(piece) => run.push(to, piece),
        None => run.push_end(to),
    })
}

const LINES: &[u8] = b"{\"a\": 1, \"b\": 2}\n{\"a\": {\"c\": true}}\n\n3\n{\"a\": tru}\n[4]\n5\n";

const MISFIT: &str = "Mismatch Some(2) Some((2, 13)) a/c expected a number";
const MALFORMED: &str = "Malformed Some(4) Some((5, 7)) a expected a value, found 'tru'";
const LIST: &str = "Mismatch Some(5) Some((6, 1))  expected a number, got an array";

#[test]
fn each_policy() {
    let told = lent(LINES, Framing::Lines, None, Policy::Raise);
    assert_eq!(told.sums, [3]);
    assert_eq!(told.ended.as_deref(), Some(MISFIT));

    let told = lent(LINES, Framing::Lines, None, Policy::Skip);
    // The destination hears of each record in error, under every policy.
    let met = [17, 39, 50].map(Some);
    let skipped = Told { sums: vec![3, 3, 5], refused: 3, met: met.to_vec(), ..Told::default() };
    assert_eq!(told, skipped);

    let told = lent(LINES, Framing::Lines, None, Policy::Hand);
    assert_eq!(told.problems, [MISFIT, MALFORMED, LIST]);
    assert_eq!((told.sums, told.ended, told.refused), (vec![3, 3, 5], None, 3));
    assert_eq!(told.met, met);

    let told = lent(LINES, Framing::Lines, None, Policy::Collect { most: 100 });
    assert_eq!(told.problems, [MISFIT, MALFORMED, LIST]);
    assert_eq!(told.met, met);
    assert_eq!((told.sums, told.ended.as_deref()), (vec![3, 3, 5], Some("collected")));

    // One more problem than may be kept ends the run.
    let told = lent(LINES, Framing::Lines, None, Policy::Collect { most: 2 });
    assert_eq!(told.problems, [MISFIT, MALFORMED]);
    assert_eq!((told.sums, told.refused), (vec![3, 3], 3));
}

#[test]
fn a_destination_that_gives_up() {
    let told = lent(b"1\n{\"a\": \"stop\"}\n2\n", Framing::Lines, None, Policy::Skip);
    assert_eq!(told.sums, [1]);
    assert_eq!(told.ended.as_deref(), Some("broken: stop Some(2) Some((2, 13))"));
}

#[test]
fn records_inside_of_a_document() {
    let text = b"{\"rows\": [1, {\"a\": 2},\n [3], \"x\", 4]}";
    let told = lent(text, Framing::Document, Some("rows/*"), Policy::Hand);
    let list = "Mismatch Some(3) Some((2, 2)) rows/2 expected a number, got an array";
    let text = "Mismatch Some(4) Some((2, 7)) rows/3 expected a number";
    assert_eq!(told.problems, [list, text]);
    assert_eq!((told.sums, told.ended), (vec![1, 2, 4], None));

    // After malformed JSON nothing can be trusted; the problem belongs to no record.
    let told = lent(b"{\"rows\": [1, 2] 7", Framing::Document, Some("rows/*"), Policy::Skip);
    assert_eq!(told.sums, [1, 2]);
    let ended = told.ended.unwrap();
    assert!(ended.starts_with("Malformed None Some((1, 17))  "), "{ended}");
}

#[test]
fn what_is_not_text_is_the_fault_of_its_record() {
    let bytes = b"1\n2\xff3\n4\n\xfe\n5\n";
    let told = lent(bytes, Framing::Lines, None, Policy::Hand);
    assert_eq!(told.sums, [1, 4, 5]);
    let bad = |record, line, column, byte| {
        format!("Malformed Some({record}) Some(({line}, {column}))  invalid UTF-8: byte 0x{byte}")
    };
    assert_eq!(told.problems, [bad(2, 2, 2, "ff"), bad(4, 4, 1, "fe")]);
    assert_eq!(pushed(&[bytes], Framing::Lines, None, Policy::Hand), told);
    for cut in 0..bytes.len() {
        let (left, right) = bytes.split_at(cut);
        assert_eq!(pushed(&[left, right], Framing::Lines, None, Policy::Hand), told, "cut {cut}");
    }
    let told = lent(b"[1, \xff]", Framing::Document, None, Policy::Skip);
    let told = told.ended.unwrap();
    assert!(told.contains("expected a number, got an array"), "{told}");
}

#[test]
fn a_source_that_breaks_off() {
    /// Two valid records, and then an error.
    struct Broken(&'static [u8]);
    impl io::Read for Broken {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            if self.0.is_empty() { Err(io::Error::other("gone")) } else { self.0.read(out) }
        }
    }
    let limits = Limits::default();
    let source = Source::open(Box::new(Broken(b"1\n2\n{\"a\"")), Options::new(&limits));
    let mut run = Run::new(reader(Framing::Lines), Windows::of(source), Policy::Skip);
    let told = drive(&mut run, &mut scope(None), |run, to| {
        let brought = run.input_mut().more();
        run.brought(to, brought)
    });
    assert_eq!(told.sums, [1, 2]);
    assert_eq!(told.ended.as_deref(), Some("source: gone Some(3) Some((3, 5))"));
}

#[test]
fn more_than_may_be_pushed() {
    let input = Windows::pushed(Detect::Nothing, None, Some(4));
    let mut run = Run::new(reader(Framing::Lines), input, Policy::Skip);
    let mut to = scope(None);
    let mut chunks = [&b"1\n2"[..], b"\n3\n"].into_iter();
    let told = drive(&mut run, &mut to, |run, to| run.push(to, chunks.next().unwrap()));
    assert_eq!(told.sums, [1, 2]);
    let over = "Limit Some(3) Some((3, 1))  the input is longer than 4 bytes (limits.total)";
    assert_eq!(told.ended.as_deref(), Some(over));
}

#[test]
fn text_that_is_kept() {
    let limits = Limits::default();
    let bytes = &b"\xef\xbb\xbf{\"a\": 1, \"b\": {\"c\": 2}}"[..];
    let source = Source::open(Box::new(bytes), Options::new(&limits));
    let mut run = Run::new(reader(Framing::Document), KeptText::of(source), Policy::Raise);
    let told = drive(&mut run, &mut scope(None), |run, _| {
        run.input_mut().more(3).unwrap();
        Ok(())
    });
    assert_eq!((told.sums, told.ended), (vec![3], None));
    let (text, start) = run.into_input().into_text();
    assert_eq!((text.text().as_str(), start), ("{\"a\": 1, \"b\": {\"c\": 2}}", 3));
}

/// A part of a file of lines, read by itself, gives the same records, numbers and positions as the
/// whole.
#[test]
fn a_byte_range_is_as_in_the_whole() {
    let whole = pushed(&[LINES], Framing::Lines, None, Policy::Hand);
    let ends: Vec<usize> = LINES
        .iter()
        .enumerate()
        .filter(|(_, byte)| **byte == b'\n')
        .map(|(at, _)| at + 1)
        .collect();
    for &cut in &ends {
        let (left, right) = LINES.split_at(cut);
        let mut told = pushed(&[left], Framing::Lines, None, Policy::Hand);
        let mut counted = Counter::new();
        counted.advance(left);
        let source = Source::resume(Box::new(io::Cursor::new(right.to_vec())), &Limits::default());
        let before = told.sums.len() as u64 + told.refused;
        let mut run =
            Run::new(reader(Framing::Lines), Windows::of_range(source, counted), Policy::Hand)
                .behind_records(before);
        let rest = drive(&mut run, &mut scope(None), |run, to| {
            let brought = run.input_mut().more();
            run.brought(to, brought)
        });
        told.sums.extend(rest.sums);
        told.problems.extend(rest.problems);
        told.refused += rest.refused;
        told.met.extend(rest.met);
        assert_eq!(told, whole, "cut {cut}");
    }
}

/// A file in memory.
struct Bytes(Vec<u8>);

impl ReadAt for Bytes {
    fn read_exact_at(&self, out: &mut [u8], offset: u64) -> io::Result<()> {
        let from = usize::try_from(offset).unwrap();
        let bytes = self.0.get(from..from + out.len()).ok_or(io::ErrorKind::UnexpectedEof)?;
        out.copy_from_slice(bytes);
        Ok(())
    }
}

/// The same of a compressed file that can be read from the middle.
#[test]
fn a_range_of_a_compressed_file_is_as_in_the_whole() {
    let whole = pushed(&[LINES], Framing::Lines, None, Policy::Hand);
    let packed: Vec<u8> =
        LINES.chunks(7).flat_map(|part| zstd::bulk::compress(part, 3).unwrap()).collect();
    let size = packed.len() as u64;
    let frames = Frames::find(&Bytes(packed.clone()), size, None).unwrap().unwrap();
    let frames = Arc::new(frames);
    for (at, byte) in LINES.iter().enumerate() {
        if *byte != b'\n' {
            continue;
        }
        let (left, _) = LINES.split_at(at + 1);
        let mut told = pushed(&[left], Framing::Lines, None, Policy::Hand);
        let mut counted = Counter::new();
        counted.advance(left);
        let file = Box::new(Bytes(packed.clone()));
        let limits = Limits::default();
        let source = Source::inside(&frames, file, counted.bytes(), &limits).unwrap();
        let before = told.sums.len() as u64 + told.refused;
        let mut run =
            Run::new(reader(Framing::Lines), Windows::of_range(source, counted), Policy::Hand)
                .behind_records(before);
        let rest = drive(&mut run, &mut scope(None), |run, to| {
            let brought = run.input_mut().more();
            run.brought(to, brought)
        });
        told.sums.extend(rest.sums);
        told.problems.extend(rest.problems);
        told.refused += rest.refused;
        told.met.extend(rest.met);
        assert_eq!(told, whole, "from {}", at + 1);
    }
}

/// Reads a binary format of this test: a list of strings, whose last byte is the position of the
/// table of offsets. Each string comes after its length.
#[derive(Default)]
struct Table {
    next: usize,
    begun: bool,
}

impl Table {
    fn bytes(given: InputView<'_>, from: u64, count: usize) -> Result<Vec<u8>, Fault> {
        let cut = || Fault::truncated(from, "the table ends early");
        match given {
            InputView::Bytes(bytes) => {
                let bytes =
                    usize::try_from(from).ok().and_then(|from| bytes.get(from..from + count));
                bytes.map(<[u8]>::to_vec).ok_or_else(cut)
            }
            InputView::At { file, .. } => {
                let mut out = vec![0; count];
                file.read_exact_at(&mut out, from).map_err(|_| cut())?;
                Ok(out)
            }
            InputView::Text { .. } => Err(Fault::malformed(0, "a table is not text")),
        }
    }
}

impl FormatReader for Table {
    fn run<S: Listener>(
        &mut self,
        given: InputView<'_>,
        sink: &mut S,
    ) -> Result<Step, Fail<S::Error>> {
        let size = match given {
            InputView::Bytes(bytes) => bytes.len() as u64,
            InputView::At { size, .. } => size,
            InputView::Text { .. } => return Err(Fault::malformed(0, "a table is not text").into()),
        };
        let places = u64::from(Self::bytes(given, size - 1, 1)?[0]);
        if !std::mem::replace(&mut self.begun, true) {
            sink.begin_list(places).map_err(Fail::Sink)?;
        }
        while places + (self.next as u64) < size - 1 {
            let at = u64::from(Self::bytes(given, places + self.next as u64, 1)?[0]);
            let length = usize::from(Self::bytes(given, at, 1)?[0]);
            let text = Self::bytes(given, at + 1, length)?;
            let text = std::str::from_utf8(&text).map_err(|_| Fault::malformed(at, "not ASCII"))?;
            self.next += 1;
            sink.text(text.into(), at).map_err(Fail::Sink)?;
        }
        sink.end_list(places).map_err(Fail::Sink)?;
        Ok(Step::Done)
    }
    fn base(&self) -> u64 {
        0
    }
    fn consumed(&self) -> usize {
        0
    }
    fn drop_front(&mut self, _count: usize) {}
    fn jump(&mut self, _base: u64) {}
    fn is_document(&self) -> bool {
        true
    }
    fn abandon(&mut self, _depth: usize) {}
    fn is_abandoned(&self) -> bool {
        false
    }
}

/// Counts the bytes that are read.
struct Counting<'a>(&'a [u8], &'a std::cell::Cell<usize>);

impl ReadAt for Counting<'_> {
    fn read_exact_at(&self, out: &mut [u8], offset: u64) -> io::Result<()> {
        let from = offset as usize;
        let bytes = self.0.get(from..from + out.len());
        out.copy_from_slice(bytes.ok_or(io::ErrorKind::UnexpectedEof)?);
        self.1.set(self.1.get() + out.len());
        Ok(())
    }
}

#[test]
fn bytes_as_a_whole_and_at_positions() {
    let mut bytes = b"\x02hi".to_vec();
    bytes.extend([0; 1_000]);
    bytes.truncate(200);
    bytes.extend(b"\x03all\xc8\x00\xcc");
    let expected = " 204 begin list\n 200   text \"all\"\n   0   text \"hi\"\n 204 end list\n";

    let mut trace = Trace::new();
    let mut run = Run::new(Table::default(), Whole(&bytes), Policy::Raise);
    assert!(matches!(run.advance(&mut trace), Ok(Turn::End)));
    assert_eq!(trace.text(), expected);

    let read = std::cell::Cell::default();
    let file = Counting(&bytes, &read);
    let mut trace = Trace::new();
    let size = bytes.len() as u64;
    let mut run = Run::new(Table::default(), Positioned::new(file, size), Policy::Raise);
    assert!(matches!(run.advance(&mut trace), Ok(Turn::End)));
    assert_eq!(trace.text(), expected);
    assert_eq!(read.get(), 10, "only what is looked at is read");

    // A position in binary data has an offset, but no line and no column.
    let cut = b"\x09ab\x00\x03";
    let mut run = Run::new(Table::default(), Whole(cut), Policy::Raise);
    match *run.advance(&mut Trace::new()).unwrap_err() {
        Failure::One(problem) => {
            assert_eq!((problem.kind, problem.spot.place), (Kind::Truncated, None));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_reader_of_text_refuses_bytes() {
    let mut run = Run::new(reader(Framing::Document), Whole(b"[1]"), Policy::Raise);
    match *run.advance(&mut Trace::new()).unwrap_err() {
        Failure::One(problem) => assert_eq!(problem.kind, Kind::Malformed),
        other => panic!("{other:?}"),
    }
}

/// Lines that are valid, do not fit, are malformed, are not text, or end the run.
const PIECES: &[&[u8]] = &[
    b"1",
    b"{\"a\": 2, \"b\": {\"c\": 3}}",
    b"{\"a\": [1, 2]}",
    b"{\"a\" 1}",
    b"\"\xff\"",
    b"",
    b"tru",
    b"{\"\xc3\xa9\": true}",
    b"4 5",
    b"{\"a\": \"stop\"}",
];

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 300,
        rng_seed: RngSeed::Fixed(1),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// Cut into any pieces, lines of any sort give the same sums, problems and positions as in
    /// memory.
    #[test]
    fn any_pieces(
        lines in prop::collection::vec(
            prop::sample::select(PIECES),
            0..12,
        ),
        cuts in prop::collection::vec(0_usize..200, 0..8),
        policy in prop_oneof![
            Just(Policy::Raise), Just(Policy::Skip), Just(Policy::Hand),
            Just(Policy::Collect { most: 3 }),
        ],
    ) {
        let bytes = lines.join(&b'\n');
        let told = lent(&bytes, Framing::Lines, None, policy);
        let mut cuts: Vec<usize> = cuts.into_iter().filter(|cut| *cut < bytes.len()).collect();
        cuts.sort_unstable();
        let mut pieces = Vec::new();
        let mut from = 0;
        for cut in cuts {
            pieces.push(&bytes[from..cut]);
            from = cut;
        }
        pieces.push(&bytes[from..]);
        prop_assert_eq!(pushed(&pieces, Framing::Lines, None, policy), told);
    }
}
