//! Reads a text in parts, and as a whole.

use penstock_core::csv;
use penstock_core::forward;
use penstock_core::json::{self, Framing};
use penstock_core::limits::Limits;
use penstock_core::position::{CONTEXT, Excerpt};
use penstock_core::reader::Reader;
use penstock_core::run::{Failure, Outlet, Policy, Problem, Run, Turn, Windows};
use penstock_core::select::{Path, Records};
use penstock_core::sink::{Lent, LookAhead, Sink};
use penstock_core::source::{Detect, Options, Source};
use penstock_core::split::{Hops, Planner, Point, Threads};
use penstock_core::trace::Trace;
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
            penstock_core::sink::expand(self, $($name),*)
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
    forward!(told, counting);
}
impl Lent for Counting {
    forward!(lent, counting);
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
    mut to: Outlet<Counting>,
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
    finish(run, Outlet::new(Counting::default(), records(form)), shown, &mut got);
    got
}

/// The points at the first records from some offsets on, a reader that has seen all that comes before
/// the first record, and how many bytes were hopped over.
pub(crate) struct Plan {
    points: Vec<Point>,
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
    /// So many threads count the records between points, in pieces of about so many bytes.
    Threads(usize, usize),
}

/// Looks for points from these offsets on. A text with a fault that ends the reading has those before
/// it, and if something hops over the fault, others behind it.
pub(crate) fn planned(form: Form, text: &str, step: usize, cuts: &[u64], way: Way) -> Plan {
    let mut run =
        Run::new(reader(form), windows(text.as_bytes(), step, Detect::Nothing), Policy::Hand);
    let mut to = Outlet::new(Planner::default(), records(form));
    let (mut helpers, mut hops) = (None, None::<Hops>);
    let mut cuts = cuts.iter().copied();
    let (mut points, mut head) = (Vec::new(), None);
    loop {
        let turn = match &mut hops {
            Some(hops) => hops.advance(&mut run, &mut to),
            None => run.advance(&mut to),
        };
        match turn {
            Ok(Turn::Dry) => {
                if let (Way::Threads(count, size), None) = (way, &helpers) {
                    helpers = Threads::begin_sized(&mut run, &to, count, Some(size));
                }
                if let Some(helpers) = &mut helpers {
                    helpers.step(&mut run, &mut to).expect("a good source");
                    continue;
                }
                let brought = run.input_mut().more();
                run.brought(&mut to, brought).expect("a good source");
            }
            Ok(Turn::Problem(_)) => to.inner_mut().pass_problem(run.reader()),
            Ok(Turn::Paused) => {
                let point = Point::of(&run, &to);
                if head.is_none() {
                    // A text whose first record is no point is not split.
                    let Some(point) = point else { break };
                    head = Some(run.reader().at_point(&point));
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

fn parts(
    form: Form,
    text: &str,
    step: usize,
    shown: Shown,
    Plan { points, head, .. }: Plan,
) -> (Got, usize) {
    let mut got = Got::default();
    for part in 0..=points.len() {
        let from = part.checked_sub(1).map(|before| &points[before]);
        let begin = from.map_or(0, |point| point.counted.bytes() as usize);
        let end = points.get(part).map_or(text.len(), |point| point.counted.bytes() as usize);
        let mut to = Outlet::new(Counting::default(), records(form));
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
                let reader = head.as_ref().and_then(|head| head.at_point(point)).expect("a reader");
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

/// Compares the parts of a text with all of it. The source gives `step` bytes at a time. With `size`,
/// threads that count records beside the planner in pieces of about so many bytes must find the same
/// parts. Returns how many parts there are.
pub(crate) fn same(
    form: Form,
    text: &str,
    step: usize,
    size: Option<usize>,
    cuts: &[u64],
) -> usize {
    same_in(form, text, step, size, cuts, Shown::All)
}

/// The same, as far as problems are compared.
pub(crate) fn same_in(
    form: Form,
    text: &str,
    step: usize,
    size: Option<usize>,
    cuts: &[u64],
    shown: Shown,
) -> usize {
    let all = whole(form, text, step, shown);
    let plan = planned(form, text, step, cuts, Way::Reading);
    let points = plan.points.clone();
    if let Some(size) = size {
        for threads in [1, 2] {
            let way = Way::Threads(threads, size);
            let with_threads = planned(form, text, step, cuts, way).points;
            assert_eq!(with_threads, points, "{way:?} {step} {text:?} {cuts:?}");
        }
    }
    let (got, count) = parts(form, text, step, shown, plan);
    assert_eq!(got, all, "{text:?} {cuts:?}");
    let plan = planned(form, text, step, cuts, Way::Hopping);
    assert!(plan.passed <= text.len() as u64);
    // Behind a fault there may be more.
    let most = if all.problems.is_empty() { plan.points.len() } else { points.len() };
    assert_eq!(plan.points[..most], points, "hopping {step} {text:?} {cuts:?}");
    let (got, _) = parts(form, text, step, shown, plan);
    assert_eq!(got, all, "hopping {text:?} {cuts:?}");
    count
}
