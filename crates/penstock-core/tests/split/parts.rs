//! Reads a text in parts, and as a whole.

use penstock_core::csv;
use penstock_core::formats::Reader;
use penstock_core::forward;
use penstock_core::json::{self, Framing};
use penstock_core::limits::Limits;
use penstock_core::position::{CONTEXT, Excerpt};
use penstock_core::protocol::{Hints, LookAhead, Sink, Trace};
use penstock_core::run::{Failure, Policy, Problem, RecordScope, Run, Turn, Windows};
use penstock_core::select::{Path, Records};
use penstock_core::source::{Detect, Options, Source, SourceError};
use penstock_core::split::{Asked, Chain, Head, Hops, Opens, Planner, Ranged, RecordStart};
use penstock_core::unrefusing;
use penstock_core::xml;
use std::convert::Infallible;
use std::io::{Cursor, Read};

#[derive(Clone, Copy, Debug)]
pub(crate) enum Form {
    Lines,
    Array,
    Inside,
    Rows,
    Elements,
    Children,
}

fn reader(form: Form) -> Reader {
    let limits = Limits::default();
    match form {
        Form::Lines => Reader::Json(json::Reader::new(Framing::Lines, &limits)),
        Form::Array | Form::Inside => Reader::Json(json::Reader::new(Framing::Document, &limits)),
        Form::Rows => {
            let reader = csv::Reader::new(&csv::Options::default(), &limits).expect("possible");
            Reader::Csv(Box::new(reader))
        }
        Form::Elements | Form::Children => {
            Reader::Xml(Box::new(xml::Reader::new(xml::Options::default(), &limits)))
        }
    }
}

fn records(form: Form) -> Option<Records> {
    let at = |path| Some(Records::at(&Path::parse(path).expect("a path")).expect("records"));
    match form {
        Form::Lines | Form::Rows => None,
        Form::Array | Form::Children => Some(Records::by_default()),
        Form::Inside => at("*/*"),
        Form::Elements => at("list/*/item"),
    }
}

/// A trace that counts the values at the root.
#[derive(Default)]
pub(crate) struct Counting {
    inner: Trace,
    depth: usize,
    values: u64,
}

impl Counting {
    fn count(&mut self, into: isize) {
        self.depth = self.depth.saturating_add_signed(into);
        self.values += u64::from(self.depth == 0 && into <= 0);
    }
}

macro_rules! counting {
    ($trait:ident $($how:ident $method:ident($($name:ident: $kind:ty),*) $(-> $result:ty)?;)*) => {
        $(counting! { @ $how $method($($name: $kind),*) $(-> $result)? })*
    };
    (@ mut abandon($($name:ident: $kind:ty),*)) => {
        fn abandon(&mut self) {
            self.depth = 0;
            self.inner.abandon();
        }
    };
    (@ mut text($($name:ident: $kind:ty),*) -> $result:ty) => {
        fn text(&mut self, $($name: $kind),*) -> $result {
            self.count(0);
            Sink::text(&mut self.inner, $($name),*)
        }
    };
    (@ mut row($($name:ident: $kind:ty),*) -> $result:ty) => {
        fn row(&mut self, $($name: $kind),*) -> $result {
            penstock_core::protocol::expand(self, $($name),*)
        }
    };
    (@ mut $method:ident($($name:ident: $kind:ty),*) $(-> $result:ty)?) => {
        fn $method(&mut self, $($name: $kind),*) $(-> $result)? {
            match stringify!($method) {
                "begin_map" | "begin_list" => self.count(1),
                "end_map" | "end_list" => self.count(-1),
                "scalar" | "null" | "boolean" | "int" | "float" | "number" => self.count(0),
                _ => {}
            }
            self.inner.$method($($name),*)
        }
    };
    (@ ref $method:ident($($name:ident: $kind:ty),*) -> $result:ty) => {
        fn $method(&self, $($name: $kind),*) -> $result {
            self.inner.$method($($name),*)
        }
    };
}

impl Sink for Counting {
    type Error = Infallible;
    forward!(sink, counting);
}
impl Hints for Counting {
    forward!(hints, counting);
}
impl LookAhead for Counting {
    forward!(ahead, counting);
}

unrefusing!(Counting, run, {
    fn ready(&self) -> u64 {
        self.values
    }
});

/// A source that gives a few bytes at a time.
struct Slowly(Cursor<Vec<u8>>, usize);

impl Read for Slowly {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        let most = out.len().min(self.1);
        self.0.read(&mut out[..most])
    }
}

pub(crate) fn windows(text: &[u8], step: usize, detect: Detect) -> Windows {
    let limits = Limits::default();
    let slowly = Slowly(Cursor::new(text.to_vec()), step);
    Windows::of(Source::open(Box::new(slowly), Options { detect, ..Options::new(&limits) }))
}

/// Everything that a run gives.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Got {
    pub(crate) events: String,
    pub(crate) problems: Vec<String>,
    pub(crate) records: u64,
}

/// How much of a problem is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shown {
    All,
    /// Not the text around it, of which as much is shown as has come.
    Place,
}

fn told(problem: &Problem, shown: Shown) -> String {
    let mut spot = problem.spot.clone();
    if let (Shown::Place, Some(place)) = (shown, &mut spot.place) {
        place.excerpt = Excerpt::default();
    }
    format!("{} {spot:?} {}", problem.offset, problem.reason)
}

pub(crate) fn finish(
    mut run: Run<Reader, Windows, Infallible>,
    mut to: RecordScope<Counting>,
    shown: Shown,
    got: &mut Got,
) -> bool {
    let failed = loop {
        match run.advance(&mut to) {
            Ok(Turn::Dry) => {
                let brought = run.input_mut().more();
                run.brought(&mut to, brought).expect("a good source");
            }
            Ok(Turn::Problem(problem)) => got.problems.push(told(&problem, shown)),
            Ok(Turn::Paused) => unreachable!("a trace never pauses"),
            Ok(Turn::End) => break false,
            Err(failure) => {
                match *failure {
                    Failure::One(problem) => got.problems.push(told(&problem, shown)),
                    other => got.problems.push(format!("{other:?}")),
                }
                break true;
            }
        }
    };
    got.records = run.records(&to);
    // Where text is cut into pieces depends on the windows.
    let mut was_piece = false;
    for line in to.inner().inner.text().lines() {
        match line.split_once(" piece ") {
            Some((_, text)) if was_piece => {
                got.events.pop();
                got.events.push_str(&text[1..]);
            }
            _ => {
                got.events.push('\n');
                got.events.push_str(line);
            }
        }
        was_piece = line.contains(" piece ");
    }
    failed
}

fn whole(form: Form, text: &str, step: usize, shown: Shown) -> Got {
    let run = Run::new(reader(form), windows(text.as_bytes(), step, Detect::Nothing), Policy::Hand);
    let mut got = Got::default();
    finish(run, RecordScope::new(Counting::default(), records(form)), shown, &mut got);
    got
}

/// The points at the first records from some offsets on, a reader that has seen all that comes before
/// the first record, and how many bytes were hopped over.
pub(crate) struct Plan {
    pub(crate) points: Vec<RecordStart>,
    head: Option<Reader>,
    pub(crate) passed: u64,
}

/// How the points are found.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Way {
    /// By the reader alone.
    Reading,
    /// By the reader, and hops between the records.
    Hopping,
}

/// Looks for points from these offsets on. A text with a fault that ends the reading has those before
/// it, and if something hops over the fault, others behind it.
pub(crate) fn planned(form: Form, text: &str, step: usize, cuts: &[u64], way: Way) -> Plan {
    let mut run = Planner::run(reader(form), windows(text.as_bytes(), step, Detect::Nothing));
    let mut to = RecordScope::new(Planner::default(), records(form));
    let mut hops = None::<Hops>;
    let mut cuts = cuts.iter().copied();
    let (mut points, mut head) = (Vec::new(), None);
    loop {
        let turn = match &mut hops {
            Some(hops) => hops.advance(&mut run, &mut to),
            None => run.advance(&mut to),
        };
        match turn {
            Ok(Turn::Dry) => {
                let brought = run.input_mut().more();
                run.brought(&mut to, brought).expect("a good source");
            }
            Ok(Turn::Problem(problem)) => panic!("described for nobody: {problem:?}"),
            Ok(Turn::Paused) => {
                let point = RecordStart::of(&run, &to);
                if head.is_none() {
                    // A text whose first record is no point is not split.
                    let Some(point) = point else { break };
                    head = Some(run.reader().at(&point.stand, point.counted.bytes()));
                    if matches!(way, Way::Hopping) {
                        hops = Hops::beside(run.reader(), &to);
                    }
                } else {
                    points.extend(point);
                }
                let at = points.last().map_or(0, |point| point.counted.bytes());
                match cuts.find(|cut| *cut > at) {
                    Some(cut) => to.inner_mut().want(cut),
                    None => break,
                }
            }
            Ok(Turn::End) | Err(_) => break,
        }
    }
    Plan { points, head: head.flatten(), passed: hops.map_or(0, |hops| hops.passed()) }
}

/// A text that gives a few bytes at a time from any offset on.
struct Anywhere<'t>(&'t str, usize);

impl Opens for Anywhere<'_> {
    fn open_at(&self, offset: u64) -> Result<Source, SourceError> {
        let rest = self.0.as_bytes().get(offset as usize..).unwrap_or_default();
        let slowly = Slowly(Cursor::new(rest.to_vec()), self.1);
        Ok(Source::resume(Box::new(slowly), &Limits::default()))
    }
}

/// How the ranges of a text begin.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Guessed {
    /// At a record, as far as the text around it tells.
    Well,
    /// Anywhere.
    Badly,
}

/// The points of a text that was scanned in ranges which end at these offsets, the last one first, and
/// how many of them were not scanned again. None if it cannot be scanned so.
pub(crate) fn in_ranges(
    form: Form,
    text: &str,
    step: usize,
    cuts: &[u64],
    bounds: &[u64],
    guessed: Guessed,
) -> Option<(Vec<RecordStart>, usize)> {
    let mut run = Planner::run(reader(form), windows(text.as_bytes(), step, Detect::Nothing));
    let mut to = RecordScope::new(Planner::default(), records(form));
    let head = loop {
        match run.advance(&mut to) {
            Ok(Turn::Dry) => {
                let brought = run.input_mut().more();
                run.brought(&mut to, brought).expect("a good source");
            }
            Ok(Turn::Problem(problem)) => panic!("described for nobody: {problem:?}"),
            Ok(Turn::Paused) => {
                break Head::of(&run, &to, records(form))?.meeting_at([7, 60, 300]);
            }
            Ok(Turn::End) | Err(_) => return None,
        }
    };
    let anywhere = Anywhere(text, step);
    let scan = |asked: Asked<'_>| head.scan(&anywhere, asked, &mut || true).expect("a good source");
    let cuts = cuts.iter().copied().filter(|cut| *cut > 0).collect();
    let mut chain = Chain::new(head.first().clone(), cuts);
    // The second record shows how others begin.
    let from = chain.at().clone();
    let until = Some(from.counted.bytes() + 1);
    let offsets = chain.wanted(0, until);
    let asked = Asked { start: &from, place: None, offsets: &offsets, until };
    chain.take(&scan(asked));
    let start = chain.at().clone();
    let mut ranges: Vec<(u64, Ranged)> = Vec::new();
    for (bound, until) in bounds.iter().zip(bounds.iter().skip(1)).rev() {
        let (place, until) = (Some(*bound), Some(*until));
        let offsets = chain.wanted(*bound, until);
        let asked = Asked { start: &start, place, offsets: &offsets, until };
        let ranged = match guessed {
            Guessed::Well => scan(asked),
            Guessed::Badly => {
                let is_boundary = |at: &u64| text.is_char_boundary(*at as usize);
                let begin = (0..=*bound).rev().find(is_boundary).unwrap_or_default();
                head.scan_from(&anywhere, begin, asked).expect("a good source")
            }
        };
        ranges.insert(0, (until.unwrap_or_default(), ranged));
    }
    let mut good = 0;
    for (end, ranged) in &ranges {
        let mut is_first = true;
        while !chain.is_over() && chain.at().counted.bytes() < *end {
            if chain.take(ranged) && is_first {
                good += 1;
            }
            is_first = false;
            let start = chain.at().clone();
            let here = start.counted.bytes();
            if chain.is_over() || here >= *end {
                break;
            }
            let until = Some(chain.meeting(ranged, *end).unwrap_or(*end));
            let offsets = chain.wanted(here, until);
            let asked = Asked { start: &start, place: None, offsets: &offsets, until };
            assert!(chain.take(&scan(asked)), "it begins where it is");
            if chain.at().counted.bytes() == here {
                // There is no point before that offset.
                break;
            }
        }
    }
    if !chain.is_over() {
        let start = chain.at().clone();
        let offsets = chain.wanted(start.counted.bytes(), None);
        let asked = Asked { start: &start, place: None, offsets: &offsets, until: None };
        assert!(chain.take(&scan(asked)), "it begins where it is");
    }
    assert!(chain.is_over(), "nothing is wanted behind the last range");
    Some((chain.points().to_vec(), good))
}

fn parts(
    form: Form,
    text: &str,
    step: usize,
    shown: Shown,
    Plan { points, head, .. }: &Plan,
) -> (Got, usize) {
    let mut got = Got::default();
    for part in 0..=points.len() {
        let from = part.checked_sub(1).map(|before| &points[before]);
        let begin = from.map_or(0, |point| point.counted.bytes() as usize);
        let end = points.get(part).map_or(text.len(), |point| point.counted.bytes() as usize);
        let mut to = RecordScope::new(Counting::default(), records(form));
        let is_last = part == points.len();
        let failed = match from {
            None => {
                let input = windows(text.as_bytes(), step, Detect::Nothing);
                let input = if is_last { input } else { input.up_to(end as u64) };
                finish(Run::new(reader(form), input, Policy::Hand), to, shown, &mut got)
            }
            Some(point) => {
                let slowly = Slowly(
                    Cursor::new(text.as_bytes()[begin..text.len().min(end + CONTEXT)].to_vec()),
                    step,
                );
                let source = Source::resume(Box::new(slowly), &Limits::default());
                let mut input = Windows::of_range(source, point.counted);
                if !is_last {
                    input = input.up_to(end as u64);
                }
                input.recall(&text.as_bytes()[begin.saturating_sub(CONTEXT)..begin]);
                assert!(to.go_on(&point.open, point.records));
                let reader = head
                    .as_ref()
                    .and_then(|head| head.at(&point.stand, point.counted.bytes()))
                    .expect("a reader");
                let mut run = Run::new(reader, input, Policy::Hand);
                if point.open.is_empty() {
                    run = run.behind_records(point.records);
                }
                finish(run, to, shown, &mut got)
            }
        };
        if failed {
            break;
        }
    }
    (got, points.len() + 1)
}

/// Compares the parts of a text with all of it, and the points that are found in one pass with those of
/// ranges. The source gives `step` bytes at a time. Returns how many parts there are.
pub(crate) fn same(form: Form, text: &str, step: usize, cuts: &[u64]) -> usize {
    same_in(form, text, step, cuts, Shown::All)
}

/// The same, as far as problems are compared.
pub(crate) fn same_in(form: Form, text: &str, step: usize, cuts: &[u64], shown: Shown) -> usize {
    let all = whole(form, text, step, shown);
    let plan = planned(form, text, step, cuts, Way::Reading);
    let points = plan.points.clone();
    let (got, count) = parts(form, text, step, shown, &plan);
    assert_eq!(got, all, "{text:?} {cuts:?}");
    let mut plan = planned(form, text, step, cuts, Way::Hopping);
    assert!(plan.passed <= text.len() as u64);
    // Behind a fault there may be more.
    let most = if all.problems.is_empty() { plan.points.len() } else { points.len() };
    assert_eq!(plan.points[..most], points, "hopping {step} {text:?} {cuts:?}");
    let (got, _) = parts(form, text, step, shown, &plan);
    assert_eq!(got, all, "hopping {text:?} {cuts:?}");
    for (count, guessed) in [(4, Guessed::Well), (3, Guessed::Badly)] {
        let bounds: Vec<u64> =
            (0..=count).map(|number| (text.len() * number / count) as u64).collect();
        let Some((found, _)) = in_ranges(form, text, step, cuts, &bounds, guessed) else {
            continue;
        };
        let way = format!("{count} ranges, {guessed:?}: {step} {text:?} {cuts:?}");
        assert_eq!(found.get(..most), Some(&points[..]), "{way}");
        if all.problems.is_empty() {
            assert_eq!(found, plan.points, "{way}");
        }
        if found != plan.points {
            plan.points = found;
            assert_eq!(parts(form, text, step, shown, &plan).0, all, "{way}");
        }
    }
    count
}
