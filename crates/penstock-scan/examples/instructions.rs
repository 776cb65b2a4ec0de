//! Runs one kernel again and again, for a tool that counts instructions. `scripts/instructions.sh`
//! makes a table with it.
//!
//!     cargo run --release -p penstock-scan --example instructions
//!     cargo run --release -p penstock-scan --example instructions -- json_string native 100
//!
//! Without arguments it lists the kernels. For each it prints the name, the bytes of one round, and what the bytes are.
//! Otherwise the arguments are the kernel, the instruction set (`native` or `portable`), and how many
//! rounds there are. A round calls the kernel until it has seen all bytes.
#![allow(clippy::print_stdout, reason = "it is a program")]

use penstock_scan::{Isa, Job, Stops, dispatch, dispatch_portable};
use std::hint::black_box;
use std::process::ExitCode;

/// A job that runs rounds over the bytes.
struct Rounds<'a, K> {
    kernel: K,
    bytes: &'a [u8],
    rounds: usize,
}

/// One kernel.
trait Kernel {
    /// Sees all of the bytes. The sum depends on every result, so none is left out.
    fn round<I: Isa>(&self, isa: I, bytes: &[u8]) -> u64;
}

impl<K: Kernel> Job for Rounds<'_, K> {
    type Output = u64;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> u64 {
        let mut sum = 0;
        for _ in 0..self.rounds {
            sum ^= self.kernel.round(isa, black_box(self.bytes));
        }
        sum
    }
}

/// Declares kernels, and the table of them.
macro_rules! kernels {
    ($($kernel:ident = $name:literal: $what:literal, $bytes:expr, |$isa:ident, $all:ident| $body:expr;)*) => {
        $(
            struct $kernel;

            impl Kernel for $kernel {
                #[inline(always)]
                fn round<I: Isa>(&self, $isa: I, $all: &[u8]) -> u64 {
                    $body
                }
            }
        )*

        /// The names, with what the bytes are, and the bytes.
        fn listed() -> Vec<(&'static str, &'static str, Vec<u8>)> {
            vec![$(($name, $what, $bytes),)*]
        }

        /// The result of the rounds, if there is such a kernel.
        fn run(name: &str, is_portable: bool, rounds: usize) -> Option<u64> {
            match name {
                $($name => {
                    let bytes = $bytes;
                    let job = Rounds { kernel: $kernel, bytes: &bytes, rounds };
                    Some(if is_portable { dispatch_portable(job) } else { dispatch(job) })
                })*
                _ => None,
            }
        }
    };
}

/// Calls `end` with each place behind an end that it found, and adds the ends up.
#[inline(always)]
fn each(bytes: &[u8], end: impl Fn(usize) -> usize) -> u64 {
    let (mut at, mut sum) = (0, 0_u64);
    while at < bytes.len() {
        let found = end(at);
        sum = sum.wrapping_add(found as u64);
        at = found + 1;
    }
    sum
}

/// Calls `bits` with each 64 bytes, and mixes the results.
#[inline(always)]
fn blocks(bytes: &[u8], bits: impl Fn(&[u8; 64]) -> u64) -> u64 {
    bytes.as_chunks::<64>().0.iter().fold(0, |sum, block| sum ^ bits(block))
}

fn repeated(piece: &str) -> Vec<u8> {
    piece.bytes().cycle().take(SIZE).collect()
}

const SIZE: usize = 16 * 1024;
/// Characters of two bytes, which the last one does not end within.
const CYRILLIC: &str = "железнодорожный ";

kernels! {
    JsonString = "json_string": "one long string", repeated("plain text "), |isa, bytes| {
        each(bytes, |at| isa.json_string(bytes, at).at)
    };
    JsonKeys = "json_keys": "strings of 9 bytes", repeated("some_name\""), |isa, bytes| {
        each(bytes, |at| isa.json_string(bytes, at).at)
    };
    Space = "space": "one long run", repeated("\n        "), |isa, bytes| {
        each(bytes, |at| isa.space(bytes, at))
    };
    Indentation = "indentation": "runs of 13 bytes", repeated("\n            <"), |isa, bytes| {
        each(bytes, |at| isa.space(bytes, at))
    };
    XmlText = "xml_text": "one long run", repeated("plain text "), |isa, bytes| {
        each(bytes, |at| isa.xml_text(bytes, at).at)
    };
    XmlValue = "xml_value": "values of 20 bytes", repeated("2026-11-26T10:00:00Z\""), |isa, bytes| {
        each(bytes, |at| isa.xml_value(bytes, at).at)
    };
    XmlName = "xml_name": "names of 9 bytes", repeated("some_name="), |isa, bytes| {
        each(bytes, |at| isa.xml_name(bytes, at))
    };
    AllStops = "stops": "blocks of 64 bytes", repeated("1,\"two\",3\r\n"), |isa, bytes| {
        let Some(set) = Stops::of(b",\"\r\n") else { return 0 };
        blocks(bytes, |block| {
            let (stops, above) = isa.stops(block, &set);
            stops ^ above
        })
    };
    AllMarks = "marks": "blocks of 64 bytes", repeated("1,\"two\",3\r\n"), |isa, bytes| {
        let Some(set) = Stops::of(b",\"\r\n#") else { return 0 };
        blocks(bytes, |block| {
            let marks = isa.marks(block, &set);
            marks.first.iter().fold(marks.others ^ marks.above, |all, one| all ^ one)
        })
    };
    Places = "places": "blocks of 64 bytes, 4 pairs", repeated("{\"key\": [1, 2]}"), |isa, bytes| {
        let pairs = [(0, b'"'), (0, b'\\'), (0x20, b'{'), (0x20, b'}')];
        blocks(bytes, |block| isa.places(block, &pairs).iter().fold(0, |all, one| all ^ one))
    };
    Parity = "parity": "blocks of 64 bytes, a bit of each", repeated("{\"key\": [1, 2]}"), |isa, bytes| {
        // The bits come from anywhere: the kernel sees a word for each block.
        blocks(bytes, |block| isa.parity(u64::from_le_bytes(*block.first_chunk().unwrap_or(&[0; 8]))))
    };
    CodePoints = "code_points": "one window", repeated(CYRILLIC), |isa, bytes| isa.code_points(bytes) as u64;
    Units = "units": "8 bytes a call", repeated(CYRILLIC), |isa, bytes| {
        let starts = bytes.windows(16).step_by(8);
        starts.filter_map(<[u8]>::first_chunk).fold(0, |sum, bytes| {
            let (units, count) = isa.units(bytes);
            sum ^ u64::from(units[0]) ^ count as u64
        })
    };
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let sum = match arguments[..] {
        [] => {
            for (name, what, bytes) in listed() {
                println!("{name}\t{}\t{what}", bytes.len());
            }
            return ExitCode::SUCCESS;
        }
        [name, set @ ("native" | "portable"), rounds] => {
            rounds.parse().ok().and_then(|rounds| run(name, set == "portable", rounds))
        }
        _ => None,
    };
    if sum.map(black_box).is_none() {
        eprintln!("usage: instructions KERNEL native|portable ROUNDS");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}
