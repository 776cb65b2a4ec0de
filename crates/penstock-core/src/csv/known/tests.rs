//! Rows are the same whether anything is known of their text or not, and texts in which no row ends
//! are scanned a few times.

use penstock_scan::{Isa, Job, dispatch};

use crate::csv::dialect::{Grammar, Line};
use crate::csv::options::{Options, Terminator};
use crate::csv::rows::{Cell, End, Row, Wrong};
use crate::csv::stops::{Found, LOADED};
use crate::repair::{RepairKind, Repairs};

/// What was found of a row: where it ends, what is wrong, and its cells if nothing is.
type Read = (usize, End, Option<(Wrong, usize)>, Vec<Cell>, usize);

/// Reads the rows of a text that comes in windows.
struct Rows<'t> {
    text: &'t [u8],
    options: &'t Options,
    most: usize,
    windows: &'t [usize],
    remembering: bool,
}

impl Job for Rows<'_> {
    type Output = Vec<Read>;

    fn run<I: Isa>(self, isa: I) -> Vec<Read> {
        let stops = self.options.stops().unwrap();
        let mut grammar = Grammar::new(self.options, self.most);
        let mut row = if self.remembering { Row::remembering() } else { Row::default() };
        let (mut at, mut read, mut is_lost) = (0, Vec::new(), false);
        for window in self.windows.iter().copied().chain([self.text.len()]) {
            let text = &self.text[..window];
            let last = window == self.text.len();
            let mut found = Found::new(isa, text, &stops, row.place(at).min(window));
            loop {
                if is_lost {
                    // The rest of the line of a row in error.
                    match grammar.line(&text[at..], last) {
                        Line::Ends(end) => {
                            at += end.next;
                            is_lost = false;
                        }
                        Line::Cut(passed) => {
                            at += passed;
                            break;
                        }
                    }
                }
                if at >= text.len() {
                    break;
                }
                row.origin = at as u64;
                found.restart(row.place(at));
                let Some(end) = row.scan(&mut found, at, last, &grammar) else { break };
                grammar.line_ended(&text[at + end.end..at + end.next]);
                let cells = if row.wrong.is_none() { row.cells.clone() } else { Vec::new() };
                read.push((at, end, row.wrong, cells, row.looked_at));
                is_lost = row.line_goes_on;
                at += end.next;
                row.clear();
            }
        }
        read
    }
}

/// A sequence of numbers that looks random.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) as usize % most
    }
}

fn dialects() -> Vec<Options> {
    let usual = Options::default();
    let mut all = vec![
        usual.clone(),
        Options { escape: Some(b'\\'), ..usual.clone() },
        Options { trim: true, ..usual.clone() },
        Options { trim: true, escape: Some(b'\\'), terminator: Terminator::Any, ..usual.clone() },
        Options { quote: None, escape: Some(b'\\'), ..usual.clone() },
        Options { delimiter: ",a".into(), ..usual.clone() },
        Options { terminator: Terminator::Exactly("\n\n".into()), ..usual.clone() },
    ];
    let mended = all.clone().into_iter().map(|options| Options {
        repairs: Repairs::default().with(RepairKind::StrayQuote).with(RepairKind::Nul),
        ..options
    });
    all.extend(mended.collect::<Vec<_>>());
    all
}

#[test]
fn rows_are_the_same_whatever_is_known() {
    const ALPHABETS: [&[u8]; 6] =
        [b"\"\n,a", b"\"\na", b"\\\n,a\"", b"\" \n,a\t", b"\"\n\r,\0a\\ ", b"\"aaaaaaaaaa\n,"];
    let mut dice = Dice(7);
    for turn in 0..3_000 {
        let options = &dialects()[turn % dialects().len()];
        let alphabet = ALPHABETS[dice.below(ALPHABETS.len())];
        let size = dice.below(1_500);
        let mut text: Vec<u8> = Vec::new();
        while text.len() < size {
            // The same line many times, or whatever comes.
            let line: Vec<u8> =
                (0..1 + dice.below(90)).map(|_| alphabet[dice.below(alphabet.len())]).collect();
            for _ in 0..1 + dice.below(12) {
                text.extend_from_slice(&line);
            }
        }
        let most = [usize::MAX, 1 << 20, 300, 130, 64, 9][dice.below(6)];
        let windows: Vec<usize> = match dice.below(3) {
            0 => Vec::new(),
            1 => (1..text.len()).step_by(1 + dice.below(200)).collect(),
            _ => (0..text.len()).step_by(64).skip(1).collect(),
        };
        let rows = |remembering| {
            dispatch(Rows { text: &text, options, most, windows: &windows, remembering })
        };
        let (plain, known) = (rows(false), rows(true));
        assert_eq!(
            plain,
            known,
            "{turn}: {:?}, {most}, {options:?}, {windows:?}",
            String::from_utf8_lossy(&text)
        );
    }
}

/// How many blocks are looked at to read a text.
fn steps(text: &[u8], options: &Options, most: usize) -> u64 {
    let before = LOADED.get();
    dispatch(Rows { text, options, most, windows: &[], remembering: true });
    LOADED.get() - before
}

#[test]
fn text_in_which_no_row_ends_is_scanned_a_few_times() {
    let lines: [&[u8]; 12] = [
        b"\"x\"y,\"\n",
        b"x\",\"\n",
        b"\"\n",
        b",\"\n",
        b"a,\"b\"\"\n",
        b"x\\\n",
        b"\\\n",
        b"\"a\" b\\\n",
        b"  \"  \n",
        b"x\\\n,\"\n",
        b"\"x\"\"y,z\",\"\",\"\n",
        b"some long text without anything,and more,\"and a quote at the end of it\"\"\n",
    ];
    for options in dialects() {
        for line in lines {
            let counts = [1_000, 2_000, 4_000]
                .map(|size| steps(&line.repeat(size / line.len()), &options, usize::MAX));
            assert!(counts[1] < counts[0] * 5 / 2 + 20, "{line:?} {options:?} {counts:?}");
            assert!(counts[2] < counts[1] * 5 / 2 + 20, "{line:?} {options:?} {counts:?}");
            // Rows that are too long, in a text that is much longer.
            let counts = [5_000, 10_000, 20_000]
                .map(|size| steps(&line.repeat(size / line.len()), &options, 1_500));
            assert!(counts[1] < counts[0] * 5 / 2 + 20, "{line:?} {options:?} {counts:?}");
            assert!(counts[2] < counts[1] * 5 / 2 + 20, "{line:?} {options:?} {counts:?}");
            assert!(counts[2] < 20_000, "{line:?} {options:?} {counts:?}");
        }
    }
}
