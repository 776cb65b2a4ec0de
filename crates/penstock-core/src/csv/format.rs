//! The format CSV: its row in the table, its options, and its reader as a run sees it.

use std::sync::Arc;

use penstock_scan::Stops;

use super::options::{Header, Options, Terminator, WrongDialect};
use super::{Reader, style};
use crate::error::Fail;
use crate::format::{self, Format, Lends, Said, Value, WrongOption, impossible};
use crate::index::Resume;
use crate::limits::Limits;
use crate::reader::{self, FormatReader, Step};
use crate::repair::{Repair, RepairKind, Repairs};
use crate::run::Given;
use crate::shape::Form;
use crate::sink::Listener;

/// CSV, and text with other delimiters.
pub static FORMAT: Format = Format {
    name: "csv",
    article: "a",
    title: "CSV",
    suffixes: &[".csv", ".psv", ".tab", ".tsv"],
    begins_with: &[],
    is_stream: true,
    form: Form::ROWS,
    lends: Lends::Nothing,
    dialect,
    style: style::style,
};

/// CSV with its options, which were checked.
#[derive(Clone, Debug)]
struct Dialect {
    options: Arc<Options>,
    stops: Arc<Stops>,
    /// Whether the reader finds the options in the source.
    infer: bool,
}

/// The options of [`Options`]: `delimiter`, `quote`, `escape`, `comment`, `terminator`, `trim`,
/// `skip_rows` and `header`; or `infer`, if the reader finds them in the source. And `repair`, the
/// faults that may be repaired.
fn dialect(options: &[(String, Said)]) -> Result<Arc<dyn format::Dialect>, WrongOption> {
    let mut read = Options::default();
    let mut infer = false;
    for (name, said) in options {
        if name == "infer" {
            infer = said.flag(name)?;
        } else if name == "repair" {
            read.repairs = Repairs::said(said, &RepairKind::CSV)?;
        } else if !option(&mut read, name, said)? {
            return Err(WrongOption::Unknown { option: name.clone() });
        }
    }
    let stops = read.stops().map_err(|WrongDialect(reason)| impossible(reason))?;
    Ok(Arc::new(Dialect { options: Arc::new(read), stops: Arc::new(stops), infer }))
}

/// Notes an option of a dialect. False if it is none.
pub(super) fn option(options: &mut Options, name: &str, said: &Said) -> Result<bool, WrongOption> {
    match name {
        "delimiter" => options.delimiter = said.text(name)?.into(),
        "quote" => options.quote = character(name, said)?,
        "escape" => options.escape = character(name, said)?,
        "comment" => options.comment = said.text_or_none(name)?.map(Into::into),
        "terminator" => options.terminator = terminator(said)?,
        "trim" => options.trim = said.flag(name)?,
        "skip_rows" => options.skip = skip_rows(said)?,
        "header" => options.header = header(said)?,
        _ => return Ok(false),
    }
    Ok(true)
}

/// One character, or none.
fn character(option: &str, said: &Said) -> Result<Option<u8>, WrongOption> {
    match said.text_or_none(option)?.map(str::as_bytes) {
        None => Ok(None),
        Some([byte]) => Ok(Some(*byte)),
        Some(_) => Err(impossible(format!("{option} must be one character of ASCII, or None"))),
    }
}

/// `terminator`: none for that of the first line, `"any"`, or a text.
fn terminator(said: &Said) -> Result<Terminator, WrongOption> {
    Ok(match said.text_or_none("terminator")? {
        None => Terminator::AsFirst,
        Some("any") => Terminator::Any,
        Some(text) => Terminator::Exactly(text.into()),
    })
}

fn skip_rows(said: &Said) -> Result<u64, WrongOption> {
    let Value::Number(rows) = said.value else { return Err(said.wrong("skip_rows", "an int")) };
    u64::try_from(rows).map_err(|_| impossible("skip_rows must be at least 0"))
}

/// The most rows that a header may have.
const HEADER_ROWS: i64 = 100;

/// `header`: `"first"`, none for positions, the names, or the number of rows.
fn header(said: &Said) -> Result<Header, WrongOption> {
    match &said.value {
        Value::Nothing => Ok(Header::Positions),
        Value::Text(_) => said.word("header", &[("first", ())]).map(|()| Header::First),
        Value::Number(1) => Ok(Header::First),
        Value::Number(rows @ 1..=HEADER_ROWS) => {
            Ok(Header::Joined(usize::try_from(*rows).unwrap_or(1), " ".into()))
        }
        Value::Number(_) => {
            Err(impossible(format!("header must have from 1 to {HEADER_ROWS} rows")))
        }
        Value::Several(names) => {
            let names = names.iter().map(|name| Ok(name.text("a name in header")?.into()));
            let names = names.collect::<Result<Vec<_>, WrongOption>>()?;
            if names.is_empty() {
                return Err(impossible("header must name at least one column"));
            }
            Ok(Header::Given(names))
        }
        _ => Err(said.wrong("header", "'first', None, a list of names or an int")),
    }
}

impl format::Dialect for Dialect {
    fn format(&self) -> &'static Format {
        &FORMAT
    }
    fn is_document(&self) -> bool {
        false
    }
    fn default_records(&self) -> &'static str {
        "a row each"
    }
    fn reader(&self, _everything: bool, limits: &Limits) -> reader::Reader {
        let mut reader = Reader::checked(&self.options, Arc::clone(&self.stops), limits);
        if self.infer {
            reader.infer();
        }
        reader::Reader::Csv(Box::new(reader))
    }
}

impl FormatReader for Reader {
    fn run<S: Listener>(&mut self, given: Given<'_>, sink: &mut S) -> Result<Step, Fail<S::Error>> {
        let (text, last) = given.as_text()?;
        if self.is_open() && !self.decide(text, last, sink.judge().as_deref())? {
            return Ok(Step::More);
        }
        self.run(text, last, sink)
    }
    fn base(&self) -> u64 {
        self.base()
    }
    fn consumed(&self) -> usize {
        self.consumed()
    }
    fn drop_front(&mut self, count: usize) {
        self.drop_front(count);
    }
    fn jump(&mut self, base: u64) {
        self.jump(base);
    }
    fn is_document(&self) -> bool {
        false
    }
    /// A row is told as a whole, so there is nothing to give up.
    fn abandon(&mut self, _depth: usize) {}
    fn is_abandoned(&self) -> bool {
        false
    }
    fn failed_at(&self) -> Option<u64> {
        Some(self.row_in_error())
    }
    fn can_recover(&self) -> bool {
        !self.is_before_rows()
    }
    fn is_before_records(&self) -> bool {
        self.is_before_rows()
    }
    fn rescan(&mut self) {
        Reader::rescan(self);
        self.bound();
    }
    fn recover(&mut self) {
        self.recover();
    }
    fn is_lost(&self) -> bool {
        self.is_lost()
    }
    #[inline(always)]
    fn take_repairs(&mut self) -> Vec<Repair> {
        self.take_repairs()
    }
    fn pass_bytes(&mut self, bytes: &[u8]) -> usize {
        Reader::pass_bytes(self, bytes)
    }
    fn goes_on_behind(&self, held: &[u8]) -> bool {
        self.has_scanned(held.len())
    }
}

impl Resume for Reader {
    fn is_settled(&self) -> bool {
        self.is_settled()
    }
    fn resume(&self) -> Option<Self> {
        self.at_a_row()
    }
    fn looks_back(&self) -> usize {
        self.longest_end()
    }
    fn may_follow(&self, before: &[u8]) -> bool {
        self.row_end(before).is_some()
    }
}
