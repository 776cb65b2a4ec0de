//! A large source is planned in one pass, in little memory.

use penstock_core::formats::Reader;
use penstock_core::json::{self, Framing};
use penstock_core::limits::Limits;
use penstock_core::run::{Input, RecordScope, Turn, Windows};
use penstock_core::source::{Options, Source};
use penstock_core::split::{Hops, Planner, RecordStart};
use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// How many parts the source is planned in.
const PARTS: u64 = 10_000;

const LINE: &str =
    "{\"id\": 7, \"text\": \"a \\\"quoted\\\" one\", \"tags\": [\"a\", {\"b\": null}]}\n";

/// The same line again and again. It counts the bytes that were read.
struct Lines {
    at: u64,
    size: u64,
    read: Arc<AtomicU64>,
}

impl Read for Lines {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        let left = usize::try_from(self.size - self.at).unwrap_or(usize::MAX);
        let count = left.min(out.len());
        let mut filled = 0;
        while filled < count {
            let from = ((self.at + filled as u64) % LINE.len() as u64) as usize;
            let some = &LINE.as_bytes()[from..];
            let some = &some[..some.len().min(count - filled)];
            out[filled..filled + some.len()].copy_from_slice(some);
            filled += some.len();
        }
        self.at += count as u64;
        self.read.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

/// Plans so many records as parts, with hops or without.
fn plan(records: u64, with_hops: bool) {
    let size = records * LINE.len() as u64;
    let read = Arc::new(AtomicU64::new(0));
    let source = Lines { at: 0, size, read: Arc::clone(&read) };
    let source = Source::open(Box::new(source), Options::new(&Limits::default()));
    let reader = Reader::Json(json::Reader::new(Framing::Lines, &Limits::default()));
    let mut run = Planner::run(reader, Windows::of(source));
    let mut to = RecordScope::new(Planner::default(), None);
    let (mut points, mut window) = (0_u64, 0);
    let mut hops = None::<Hops>;
    loop {
        let turn = match &mut hops {
            Some(hops) => hops.advance(&mut run, &mut to),
            None => run.advance(&mut to),
        };
        match turn.expect("good JSON") {
            Turn::Dry => {
                let brought = run.input_mut().more();
                run.brought(&mut to, brought).expect("a good source");
                window = window.max(run.input().end() - run.input().base());
            }
            Turn::Paused => {
                let point = RecordStart::of(&run, &to).expect("a line is a point");
                if points == 0 && with_hops {
                    hops = Hops::beside(run.reader(), &to);
                }
                let at = point.counted.bytes();
                assert_eq!(
                    (at, point.counted.line()),
                    (point.records * LINE.len() as u64, point.records + 1)
                );
                // No byte far behind a point was read.
                assert!(read.load(Ordering::Relaxed) - at <= 1 << 20);
                points += 1;
                to.inner_mut().want(points * size / PARTS);
            }
            Turn::End => break,
            Turn::Problem(problem) => panic!("{problem:?}"),
        }
    }
    assert_eq!(points, PARTS);
    assert_eq!(read.load(Ordering::Relaxed), size);
    assert!(window <= 1 << 20, "{window} bytes at once");
}

#[test]
fn ten_thousand_parts_take_one_pass() {
    for with_hops in [false, true] {
        plan(25_000, with_hops);
    }
}

/// Ten gigabytes: `cargo test --release -p penstock-core --test split -- --ignored`.
#[test]
#[ignore = "it takes half a minute when it is optimised"]
fn ten_thousand_parts_of_ten_gigabytes_take_one_pass() {
    plan(10_000_000_000 / LINE.len() as u64, true);
}
