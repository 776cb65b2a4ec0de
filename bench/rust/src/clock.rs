//! Reading the time, beside the kernel's clocks, the standard library's and other crates'.

use crate::rounds::{Row, Table};
use penstock_clock::{Mono, Source, System, Wall};
use std::cell::RefCell;
use std::hint::black_box;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// How often it is read in one call.
const READS: usize = 1_000;
/// How often in Go, which is another process.
const READS_IN_GO: usize = 200_000;

/// Reads the time again and again.
fn reads<T>(read: impl Fn() -> T) -> impl FnMut() {
    move || {
        for _ in 0..READS {
            black_box(read());
        }
    }
}

/// Nanoseconds since 1970.
pub fn wall() -> Table {
    let go = RefCell::new(Go::start());
    let anchors = (minstant::Anchor::new(), fastant::Anchor::new());
    let _ = Wall::now();
    let now = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos());
    let mut row = Row::new("nanoseconds since 1970")
        .case("penstock Wall", READS, reads(Wall::now))
        .case("clock_gettime(REALTIME)", READS, reads(|| System.kernel_wall()))
        .case("SystemTime", READS, reads(|| now() as u64))
        .case("minstant, an old anchor", READS, {
            reads(move || minstant::Instant::now().as_unix_nanos(&anchors.0))
        })
        .case("fastant, an old anchor", READS, {
            reads(move || fastant::Instant::now().as_unix_nanos(&anchors.1))
        })
        .case(
            "coarsetime, to 4 ms",
            READS,
            reads(|| coarsetime::Clock::now_since_epoch().as_nanos()),
        )
        .case("the counter alone", READS, reads(|| System.counter()))
        .bar(1.6, "clock_gettime(REALTIME)")
        .bar(2.5, "SystemTime");
    if go.borrow().is_some() {
        let ask = |way| {
            let go = &go;
            move || go.borrow_mut().as_mut().map(|go| go.ask(way))
        };
        row = row.case("Go, time.Now", READS_IN_GO, ask("now")).case(
            "Go, fastnano's scheme",
            READS_IN_GO,
            ask("since"),
        );
    } else {
        println!("\nthere is no Go here, so fastnano's scheme is not measured");
    }
    row.measured()
}

/// The time that passes.
pub fn mono() -> Table {
    let quanta = quanta::Clock::new();
    let _ = Mono::now();
    Row::new("a moment of the time that passes")
        .case("penstock Mono", READS, reads(Mono::now))
        .case("penstock Mono, relaxed", READS, reads(Mono::now_relaxed))
        .case("clock_gettime(MONOTONIC)", READS, reads(|| System.kernel_mono()))
        .case("Instant", READS, reads(Instant::now))
        .case("quanta", READS, reads(move || quanta.now()))
        .case("minstant", READS, reads(minstant::Instant::now))
        .case("fastant", READS, reads(fastant::Instant::now))
        .case("coarsetime, to 4 ms", READS, reads(coarsetime::Instant::now))
        .case("the counter alone", READS, reads(|| System.counter()))
        .bar(1.0, "clock_gettime(MONOTONIC)")
        .measured()
}

/// The program in Go, at work.
struct Go {
    child: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Go {
    /// Builds and starts it, if there is Go.
    fn start() -> Option<Go> {
        let program = std::env::current_exe().ok()?.with_file_name("clock-in-go");
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/go/clock.go");
        let built = Command::new("go").arg("build").arg("-o").arg(&program).arg(source).status();
        if !built.is_ok_and(|status| status.success()) {
            return None;
        }
        let mut command = Command::new(program);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().ok()?;
        let questions = child.stdin.take()?;
        let answers = BufReader::new(child.stdout.take()?);
        Some(Go { child, questions, answers })
    }

    /// Has it read the time, and returns what it read last.
    fn ask(&mut self, way: &str) -> Option<i64> {
        writeln!(self.questions, "{way} {READS_IN_GO}").ok()?;
        let mut answer = String::new();
        self.answers.read_line(&mut answer).ok()?;
        answer.trim_end().parse().ok()
    }
}

impl Drop for Go {
    fn drop(&mut self) {
        // It has been asked everything. A process that is gone already is as good.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
