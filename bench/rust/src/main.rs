//! Measures what Penstock's Rust code offers beside what others do: `make bench-native`.
//!
//! Names of rows, or their beginnings, choose some of them; `--strict` exits with 1 if a promise is
//! not kept.

mod clock;
mod counting;
mod heading;
mod lists;
mod rounds;
mod tables;
mod words;

use rounds::Table;
use std::process::ExitCode;

fn main() -> ExitCode {
    let (options, wanted): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|argument| argument.starts_with('-'));
    if let Some(other) = options.iter().find(|option| *option != "--strict") {
        eprintln!("usage: [--strict] [ROW...]; there is no {other}");
        return ExitCode::from(2);
    }
    println!("{}", heading::text());
    let mut kept = true;
    for (key, measure) in ROWS {
        if wanted.is_empty() || wanted.iter().any(|name| key.starts_with(name.as_str())) {
            let table = measure();
            println!("\n{key}: {table}");
            kept &= table.kept();
        }
    }
    if kept || options.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// What makes the inputs of a row, measures it and drops them.
type Measure = fn() -> Table;

/// The rows by their names.
const ROWS: &[(&str, Measure)] = &[
    ("clock-wall", clock::wall),
    ("clock-mono", clock::mono),
    ("word-date", words::date),
    ("word-build", words::build),
    ("word-scan", words::scan),
    ("word-scan-shuffled", words::scan_shuffled),
    ("word-records", words::records),
    ("csv-cities", tables::cities),
    ("csv-stops", tables::stops),
    ("csv-links", tables::links),
    ("csv-quotes", tables::quotes),
    ("plist-walk", lists::walk),
];
