//! Finds the dialect of a sample: the delimiter, the quotes, the header and all the rest.
//!
//! Every dialect of which the sample has a trace is tried in earnest, with the grammar that reads
//! the file afterwards (`csv/rows.rs`). A dialect stays only if it reads the sample without
//! a fault: rows have as many cells as the row before, and lines before the table are clearly none
//! of its rows. Most dialects end within a few lines.
//!
//! Of those that are left, the cheapest wins: that with which the table can be written down in the
//! fewest bits (`cost.rs`). Delimiters and quotes cost next to nothing in the right dialect, and
//! numbers and dates cost less than text, so a table that is cut in the right places is shorter.
//! That is the idea of the literature in other words. CleverCSV multiplies a score of row patterns
//! with one of cell types (van den Burg, Nazábal, Sutton: Wrangling messy CSV files by detecting
//! row and type patterns, 2019). CSVsniffer measures how uniform the table is and what its records'
//! types are (García, 2024). DuckDB tries its dialects with its own state machine, prefers more
//! columns and consistent rows, and then those whose cells convert. Description length weighs all
//! three on one scale, and a difference of so many bits says how sure the answer is.
//!
//! If the caller's type knows the columns ([`Judge`]), that decides first: a dialect in which its
//! names stand in a row and its cells convert is preferred to any that is merely cheaper.
//!
//! Nothing is guessed. If two dialects make different tables at about the same cost, or if none
//! reads the sample, that is an error.

mod candidates;
mod cost;
mod header;
mod judge;
mod reader;
mod table;

pub use cost::Kind;
pub(super) use reader::Inference;
pub use table::Against;

use penstock_scan::{ValidText, copied, gathered, make_room};

use super::options::{Header, Options};
use crate::protocol::Judge;
use crate::repair::Repairs;
use cost::Cost;
use table::{Table, Trial};

/// How many bytes of a source the dialect is found in.
pub const SAMPLE: usize = 64 << 10;

/// Two dialects whose costs differ by less are as likely: so many tenths of a bit, or one for each
/// row.
const MARGIN: Cost = 120;

/// The dialect of a sample.
#[derive(Clone, Debug)]
pub struct Inferred {
    /// The dialect.
    pub options: Options,
    /// The columns: the names, by the header or by position, and what most of the cells are.
    pub columns: Vec<(String, Kind)>,
    /// How many rows the sample has below the header.
    pub rows: usize,
    /// Why there is a header, or none.
    pub header: &'static str,
    /// Every dialect that was tried, in this order.
    pub tried: Vec<Tried>,
}

impl Inferred {
    /// The dialect, as Python writes it.
    #[must_use]
    pub fn dialect(&self) -> String {
        candidates::expression(&self.options)
    }
}

/// A dialect that was tried.
#[derive(Clone, Debug)]
pub struct Tried {
    /// The dialect, as Python writes it.
    pub dialect: String,
    /// What became of it.
    pub outcome: Outcome,
}

/// The columns of the table in a dialect and the bytes that it takes, or why there is none.
pub type Outcome = Result<(usize, u64), Against>;

/// Why there is no dialect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undecided {
    /// The byte of the sample at which the likeliest dialect fails.
    pub at: usize,
    /// The reason.
    pub reason: String,
    /// Whether several dialects read the sample.
    pub is_tie: bool,
}

/// A dialect that makes a table of the sample.
struct Good {
    /// Its place among the candidates.
    place: usize,
    options: Options,
    table: Table,
    header: (usize, &'static str),
    cost: Cost,
}

impl Good {
    /// What the type says: the less, the better.
    fn rank(&self) -> (bool, usize, bool) {
        match self.table.verdict {
            Some(verdict) => (!self.table.named, usize::MAX - verdict.known, verdict.misfits > 0),
            None => (true, usize::MAX, false),
        }
    }
}

/// Finds the dialect of a sample. `whole` says that nothing follows it; otherwise its last row
/// counts for nothing. Anything behind the first [`SAMPLE`] bytes is left out.
///
/// ```
/// use penstock_core::csv::infer::infer;
/// use penstock_scan::{ValidText, copied, gathered, make_room};
///
/// let text = ValidText::from("name;size\nBern;1,5\nGent;2,5\n");
/// let found = infer(text, true, None).unwrap();
/// assert_eq!(&*found.options.delimiter, ";");
/// assert_eq!(found.columns[1].0, "size");
/// ```
///
/// # Errors
/// No dialect reads the sample, or two are as likely.
pub fn infer(
    text: ValidText<'_>,
    whole: bool,
    judge: Option<&dyn Judge>,
) -> Result<Inferred, Undecided> {
    infer_repairing(text, whole, judge, Repairs::default())
}

/// The same for a reader that repairs rows. If no dialect reads the sample without a fault, one row
/// of ten may need a repair.
///
/// # Errors
/// As [`infer`].
pub fn infer_repairing(
    text: ValidText<'_>,
    whole: bool,
    judge: Option<&dyn Judge>,
    repairs: Repairs,
) -> Result<Inferred, Undecided> {
    let strict = best(text, whole, judge, Repairs::default());
    let is_none = strict.as_ref().is_err_and(|undecided| !undecided.is_tie);
    if is_none && repairs != Repairs::default() {
        return best(text, whole, judge, repairs).or(strict);
    }
    strict
}

/// The best dialect with some repairs.
fn best(
    text: ValidText<'_>,
    whole: bool,
    judge: Option<&dyn Judge>,
    repairs: Repairs,
) -> Result<Inferred, Undecided> {
    let whole = whole && text.as_bytes().len() <= SAMPLE;
    let end = (0..=SAMPLE.min(text.as_bytes().len())).rev();
    let end = end.into_iter().find(|end| text.as_str().is_char_boundary(*end));
    let text = text.slice(0..end.unwrap_or(0));
    let Some((delimiter, from)) = candidates::declared(text.as_str()) else {
        let candidates = candidates::candidates(text.as_bytes(), None, repairs);
        return best_of(text, whole, judge, &candidates);
    };
    // That line is before the table.
    let below = text.slice(from..text.as_bytes().len());
    let candidates = candidates::candidates(below.as_bytes(), Some(delimiter), repairs);
    match best_of(below, whole, judge, &candidates) {
        Ok(mut found) => {
            found.options.skip += 1;
            for tried in &mut found.tried {
                if let Err(against) = &mut tried.outcome {
                    against.at += from;
                }
            }
            Ok(found)
        }
        Err(undecided) => Err(Undecided { at: undecided.at + from, ..undecided }),
    }
}

/// The best of these dialects.
fn best_of(
    text: ValidText<'_>,
    whole: bool,
    judge: Option<&dyn Judge>,
    candidates: &[Options],
) -> Result<Inferred, Undecided> {
    let wanted = judge.map(Judge::columns).unwrap_or_default();
    let wanted = &judge::Columns::new(&wanted);
    let mut tried = Vec::new();
    let mut good: Vec<Good> = Vec::new();
    for (place, options) in candidates.iter().enumerate() {
        let trial = Trial { text, whole, options, judge, wanted };
        make_room(&mut tried, 1);
        match trial.run() {
            Ok(table) => {
                let header = header::decide(&table);
                let cost = table.cost(header.0);
                make_room(&mut good, 1);
                tried.push((options, Ok((table.columns.len(), cost / 80))));
                good.push(Good { place, options: options.clone(), table, header, cost });
            }
            Err(against) => tried.push((options, Err(against))),
        }
    }
    drop_needless_trims(&mut good);
    // Not `sort_by_key`, which takes memory.
    good.sort_unstable_by_key(|good| (good.rank(), good.cost, good.place));
    let is_empty = text.as_bytes().iter().all(u8::is_ascii_whitespace);
    let Some(best) = good.first() else {
        if is_empty && whole {
            return Ok(Inferred {
                options: Options::default(),
                columns: Vec::new(),
                rows: 0,
                header: "there is no row",
                tried: Vec::new(),
            });
        }
        return Err(none(&tried));
    };
    for other in &good[1..] {
        let margin = MARGIN.max(best.table.rows as Cost);
        if other.rank() == best.rank() && other.cost < best.cost + margin {
            let same = |good: &Good| {
                let options = &candidates[good.place];
                let texts = Trial { text, whole, options, judge, wanted }.texts(good.table.at);
                (good.header.0, texts)
            };
            if same(best) != same(other) {
                return Err(tie(best, other));
            }
        }
    }
    let tried = tried
        .into_iter()
        .map(|(options, outcome)| Tried { dialect: candidates::expression(options), outcome });
    Ok(inferred(best, gathered(tried)))
}

/// A dialect that cuts off blanks is no better than the same one that keeps them, unless nearly all
/// cells have some.
fn drop_needless_trims(good: &mut Vec<Good>) {
    let with = |options: &Options, trim| Options { trim, ..options.clone() };
    let trimmed = good.iter().map(|good| good.options.clone()).filter(|options| options.trim);
    let trimmed = gathered(trimmed);
    let needless = good
        .iter()
        .filter(|good| !good.options.trim && trimmed.contains(&with(&good.options, true)))
        .map(|good| with(&good.options, !good.table.padded));
    let needless = gathered(needless);
    good.retain(|good| !needless.contains(&good.options));
}

/// The full dialect.
fn options(good: &Good) -> Options {
    let header = match good.header.0 {
        0 => Header::Positions,
        1 => Header::First,
        rows => Header::Joined(rows, " ".into()),
    };
    Options { skip: good.table.skip, header, ..good.options.clone() }
}

fn inferred(best: &Good, tried: Vec<Tried>) -> Inferred {
    let table = &best.table;
    let column = |(place, column): (usize, &table::Column)| {
        let first = &table.first[place];
        let name = match (best.header.0, table.second.get(place)) {
            (0, _) => place.to_string(),
            (2, Some(second)) => {
                let mut both = copied(&first.text);
                make_room(&mut both, 1 + second.text.len());
                both.push(' ');
                both.push_str(&second.text);
                copied(both.trim())
            }
            _ => copied(&first.text),
        };
        let filled = Kind::ALL.iter().skip(1).max_by_key(|kind| column.counts[**kind as usize]);
        let most = filled.filter(|kind| column.counts[**kind as usize] > 0);
        let alone = if best.header.0 > 0 { Kind::Empty } else { first.kind };
        (name, most.copied().unwrap_or(alone))
    };
    Inferred {
        options: options(best),
        columns: gathered(table.columns.iter().enumerate().map(column)),
        rows: table.rows - best.header.0,
        header: best.header.1,
        tried,
    }
}

fn tie(best: &Good, other: &Good) -> Undecided {
    let [one, two] = [best, other].map(|good| candidates::expression(&options(good)));
    let reason = format!("the dialect may be {one} or {two}: say which it is");
    Undecided { at: best.table.at.min(other.table.at), reason, is_tie: true }
}

/// The error if no dialect is left: it names the one that came farthest.
fn none(tried: &[(&Options, Outcome)]) -> Undecided {
    let against =
        tried.iter().filter_map(|(options, outcome)| Some((*options, outcome.as_ref().err()?)));
    // Of two that came as far, the simpler one was tried first.
    let farthest = against.reduce(|one, two| if two.1.at > one.1.at { two } else { one });
    match farthest {
        Some((options, against)) => Undecided {
            at: against.at,
            reason: format!(
                "no dialect reads this as a table; {} fails here: {}",
                candidates::expression(options),
                against.reason
            ),
            is_tie: false,
        },
        None => {
            let reason = "no dialect reads this as a table".to_owned();
            Undecided { at: 0, reason, is_tie: false }
        }
    }
}
