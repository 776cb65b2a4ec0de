//! Cases that take turns, and the table of what they took.

use std::fmt;
use std::hint::black_box;
use std::time::{Duration, Instant};

/// How often each case is measured.
const ROUNDS: usize = 15;
/// How long one measurement takes at least.
const SAMPLE: Duration = Duration::from_millis(20);

/// One thing to be done in several ways, of which the first is ours.
pub struct Row<'a> {
    title: &'static str,
    ways: Vec<Way<'a>>,
    bars: Vec<(f64, &'static str)>,
}

struct Way<'a> {
    name: &'static str,
    /// How many operations a call of `run` is.
    operations: usize,
    run: Box<dyn FnMut() + 'a>,
    bytes: Option<f64>,
}

/// What a row took.
pub struct Table {
    title: &'static str,
    cases: Vec<Case>,
    bars: Vec<(f64, &'static str)>,
}

struct Case {
    name: &'static str,
    bytes: Option<f64>,
    /// Nanoseconds for an operation, sorted when all are there.
    samples: Vec<f64>,
}

impl<'a> Row<'a> {
    /// A row without cases.
    pub fn new(title: &'static str) -> Self {
        Row { title, ways: Vec::new(), bars: Vec::new() }
    }

    /// A way to do it: `run` does it `operations` times. What it returns counts as used; dropping it
    /// is part of the time.
    pub fn case<T>(
        self,
        name: &'static str,
        operations: usize,
        run: impl FnMut() -> T + 'a,
    ) -> Self {
        self.sized_case(name, operations, None, run)
    }

    /// The same, with how many bytes there are for each operation.
    pub fn sized_case<T>(
        mut self,
        name: &'static str,
        operations: usize,
        bytes: impl Into<Option<f64>>,
        mut run: impl FnMut() -> T + 'a,
    ) -> Self {
        let run = Box::new(move || {
            black_box(run());
        });
        self.ways.push(Way { name, operations, run, bytes: bytes.into() });
        self
    }

    /// A promise: ours is at least so many times faster than the case of that name.
    pub fn bar(mut self, times: f64, than: &'static str) -> Self {
        self.bars.push((times, than));
        self
    }

    /// Measures every case once in each round, beginning with another one each time.
    pub fn measured(self) -> Table {
        let Row { title, mut ways, bars } = self;
        let case = |way: &Way<'_>| Case { name: way.name, bytes: way.bytes, samples: Vec::new() };
        let mut cases: Vec<Case> = ways.iter().map(case).collect();
        let repeats: Vec<usize> = ways.iter_mut().map(Way::repeats).collect();
        for round in 0..ROUNDS {
            for turn in 0..ways.len() {
                let at = (round + turn) % ways.len();
                cases[at].samples.push(ways[at].sample(repeats[at]));
            }
        }
        for case in &mut cases {
            case.samples.sort_by(f64::total_cmp);
        }
        Table { title, cases, bars }
    }
}

impl Way<'_> {
    /// How often it has to run for one sample.
    fn repeats(&mut self) -> usize {
        let mut repeats = 1;
        loop {
            let started = Instant::now();
            (0..repeats).for_each(|_| (self.run)());
            if started.elapsed() >= SAMPLE {
                return repeats;
            }
            repeats *= 2;
        }
    }

    /// The nanoseconds that an operation takes.
    fn sample(&mut self, repeats: usize) -> f64 {
        let started = Instant::now();
        (0..repeats).for_each(|_| (self.run)());
        started.elapsed().as_nanos() as f64 / (repeats * self.operations) as f64
    }
}

impl Case {
    fn median(&self) -> f64 {
        self.samples[self.samples.len() / 2]
    }
}

impl Table {
    /// Whether all promises are kept.
    pub fn kept(&self) -> bool {
        self.bars.iter().all(|(times, than)| self.ratio(than) >= *times)
    }

    /// How many times longer the case of that name takes.
    fn ratio(&self, name: &str) -> f64 {
        let case = self.cases.iter().find(|case| case.name == name);
        case.map_or(f64::NAN, |case| case.median() / self.cases[0].median())
    }
}

/// The title, a line for each case with the median, the middle half of the samples and the ratio to
/// the first, and what became of the promises.
impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.title)?;
        let width = self.cases.iter().map(|case| case.name.len()).max().unwrap_or(0);
        let sized = self.cases.iter().any(|case| case.bytes.is_some());
        let bytes = if sized { format!("{:>12}", "bytes") } else { String::new() };
        write!(f, "  {:width$} {:>10} {:>17} {:>9}{bytes}", "", "ns", "middle half", "ratio")?;
        for case in &self.cases {
            let quarter = case.samples.len() / 4;
            let (low, high) =
                (case.samples[quarter], case.samples[case.samples.len() - 1 - quarter]);
            let ratio = case.median() / self.cases[0].median();
            let (name, median) = (case.name, case.median());
            write!(f, "\n  {name:width$} {median:10.2} {low:8.2}-{high:8.2} {ratio:8.2}x")?;
            if let Some(bytes) = case.bytes {
                write!(f, "{bytes:12.1}")?;
            }
        }
        for (times, than) in &self.bars {
            let ratio = self.ratio(than);
            let verdict = if ratio >= *times { "kept" } else { "MISSED" };
            write!(f, "\n  bar >= {times}x faster than {than}: {ratio:.2}x, {verdict}")?;
        }
        Ok(())
    }
}
