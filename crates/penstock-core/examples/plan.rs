//! How fast points are found in a file, beside finding one of its bytes: run it with `--release`.
//!
//! `plan FILE [PATH]` reads the file, JSON, NDJSON, XML or CSV by its name, from a source as
//! `penstock.split` does, with and without hops. It prints gigabytes for each second of the processor,
//! the best of five.

#![expect(clippy::print_stdout, reason = "it prints what it has measured")]

use penstock_core::csv;
use penstock_core::formats::Reader;
use penstock_core::json::{self, Framing};
use penstock_core::limits::Limits;
use penstock_core::run::{Input, RecordScope, Turn, Windows};
use penstock_core::select::{Path, Records};
use penstock_core::source::{Options, Source};
use penstock_core::split::{Hops, Planner, RecordStart};
use penstock_core::xml;
use std::error::Error;
use std::fs::File;
use std::hint::black_box;

/// How many points are looked for.
const POINTS: u64 = 64;

fn source(name: &str) -> Result<Windows, Box<dyn Error>> {
    let limits = Limits::default();
    let file = Box::new(File::open(name)?);
    Ok(Windows::of(Source::open(file, Options::new(&limits))))
}

/// Finds points, and returns them.
fn plan(
    name: &str,
    path: Option<&str>,
    size: u64,
    hops: bool,
) -> Result<Vec<RecordStart>, Box<dyn Error>> {
    let limits = Limits::default();
    let reader = if name.ends_with(".xml") {
        Reader::Xml(Box::new(xml::Reader::new(xml::Options::default(), &limits)))
    } else if name.ends_with(".csv") {
        Reader::Csv(Box::new(csv::Reader::new(&csv::Options::default(), &limits)?))
    } else {
        let lines = name.ends_with(".ndjson");
        let framing = if lines { Framing::Lines } else { Framing::Document };
        Reader::Json(json::Reader::new(framing, &limits))
    };
    let records = match path {
        Some(path) => Some(Records::at(&Path::parse(path)?)?),
        None if name.ends_with(".ndjson") || name.ends_with(".csv") => None,
        None => Some(Records::by_default()),
    };
    let mut run = Planner::run(reader, source(name)?);
    let mut to = RecordScope::new(Planner::default(), records);
    let mut hopping = None::<Hops>;
    let mut points = Vec::new();
    loop {
        let turn = match &mut hopping {
            Some(hops) => hops.advance(&mut run, &mut to),
            None => run.advance(&mut to),
        };
        match turn.map_err(|failure| format!("{failure:?}"))? {
            Turn::Dry => {
                let brought = run.input_mut().more();
                run.brought(&mut to, brought).map_err(|failure| format!("{failure:?}"))?;
            }
            Turn::Paused => {
                if hops && points.is_empty() {
                    hopping = Hops::beside(run.reader(), &to);
                }
                points.extend(RecordStart::of(&run, &to));
                to.inner_mut().want(points.len() as u64 * size / POINTS);
            }
            Turn::Problem(problem) => return Err(format!("{problem:?}").into()),
            Turn::End => return Ok(points),
        }
    }
}

/// Reads the source and drops it.
fn drain(name: &str) -> Result<(), Box<dyn Error>> {
    let mut input = source(name)?;
    loop {
        let at = input.end();
        input.more().map_err(|error| format!("{error:?}"))?;
        if input.end() == at {
            return Ok(());
        }
        input.consume(input.given().text().as_bytes().len());
    }
}

/// The time that this thread had a processor, in seconds: others may use it as well.
fn time() -> Result<f64, Box<dyn Error>> {
    let said = std::fs::read_to_string("/proc/thread-self/schedstat")?;
    let nanoseconds: u64 = said.split(' ').next().unwrap_or_default().parse()?;
    Ok(nanoseconds as f64 / 1e9)
}

fn best<T>(
    what: &str,
    size: usize,
    mut work: impl FnMut() -> Result<T, Box<dyn Error>>,
) -> Result<T, Box<dyn Error>> {
    let mut fastest = f64::INFINITY;
    let mut done = None;
    for _ in 0..5 {
        let begun = time()?;
        done = Some(work()?);
        fastest = fastest.min(time()? - begun);
    }
    println!("{what:>24} {:6.2} GB/s", size as f64 / fastest / 1e9);
    done.ok_or_else(|| "it did not run".into())
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().ok_or("plan FILE [PATH]")?;
    let path = arguments.next();
    let bytes = std::fs::read(&name)?;
    let size = bytes.len();
    println!("{name}, {:.1} MB", size as f64 / 1e6);
    let byte = match name.rsplit('.').next() {
        Some("xml") => b'<',
        Some("json") => b'"',
        _ => b'\n',
    };
    best("count one byte", size, || Ok(memchr::memchr_iter(byte, black_box(&bytes)).count()))?;
    let find = || Ok(memchr::memchr_iter(byte, black_box(&bytes)).fold(0, usize::wrapping_add));
    best("find one byte", size, find)?;
    drop(bytes);
    best("source and window alone", size, || drain(&name))?;
    let hopped =
        best("points, with hops", size, || plan(&name, path.as_deref(), size as u64, true))?;
    let read =
        best("points, by the reader", size, || plan(&name, path.as_deref(), size as u64, false))?;
    assert!(hopped == read, "the points are not the same");
    println!("{:>24} {:6}", "points", read.len());
    Ok(())
}
