//! The format CSV: its row in the table and its options.

use std::sync::Arc;

use penstock_scan::Stops;

use super::{Format, Lends};
use crate::csv::{Header, Options, Reader, Terminator, WrongDialect};
use crate::limits::Limits;
use crate::options::{InvalidOption, OptionValue, Value, impossible};
use crate::repair::{RepairKind, Repairs};
use crate::shape::Form;

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
    style: super::csv_style::style,
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
fn dialect(options: &[(String, OptionValue)]) -> Result<Arc<dyn super::Dialect>, InvalidOption> {
    let mut read = Options::default();
    let mut infer = false;
    for (name, said) in options {
        if name == "infer" {
            infer = said.flag(name)?;
        } else if name == "repair" {
            read.repairs = Repairs::said(said, &RepairKind::CSV)?;
        } else if !option(&mut read, name, said)? {
            return Err(InvalidOption::Unknown { option: name.clone() });
        }
    }
    let stops = read.stops().map_err(|WrongDialect(reason)| impossible(reason))?;
    Ok(Arc::new(Dialect { options: Arc::new(read), stops: Arc::new(stops), infer }))
}

/// Notes an option of a dialect. False if it is none.
pub(super) fn option(
    options: &mut Options,
    name: &str,
    said: &OptionValue,
) -> Result<bool, InvalidOption> {
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
fn character(option: &str, said: &OptionValue) -> Result<Option<u8>, InvalidOption> {
    match said.text_or_none(option)?.map(str::as_bytes) {
        None => Ok(None),
        Some([byte]) => Ok(Some(*byte)),
        Some(_) => Err(impossible(format!("{option} must be one character of ASCII, or None"))),
    }
}

/// `terminator`: none for that of the first line, `"any"`, or a text.
fn terminator(said: &OptionValue) -> Result<Terminator, InvalidOption> {
    Ok(match said.text_or_none("terminator")? {
        None => Terminator::AsFirst,
        Some("any") => Terminator::Any,
        Some(text) => Terminator::Exactly(text.into()),
    })
}

fn skip_rows(said: &OptionValue) -> Result<u64, InvalidOption> {
    let Value::Number(rows) = said.value else { return Err(said.wrong("skip_rows", "an int")) };
    u64::try_from(rows).map_err(|_| impossible("skip_rows must be at least 0"))
}

/// The most rows that a header may have.
const HEADER_ROWS: i64 = 100;

/// `header`: `"first"`, none for positions, the names, or the number of rows.
fn header(said: &OptionValue) -> Result<Header, InvalidOption> {
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
            let names = names.collect::<Result<Vec<_>, InvalidOption>>()?;
            if names.is_empty() {
                return Err(impossible("header must name at least one column"));
            }
            Ok(Header::InputView(names))
        }
        _ => Err(said.wrong("header", "'first', None, a list of names or an int")),
    }
}

impl super::Dialect for Dialect {
    fn format(&self) -> &'static Format {
        &FORMAT
    }
    fn is_document(&self) -> bool {
        false
    }
    fn default_records(&self) -> &'static str {
        "a row each"
    }
    fn reader(&self, _everything: bool, limits: &Limits) -> super::Reader {
        let mut reader = Reader::checked(&self.options, Arc::clone(&self.stops), limits);
        if self.infer {
            reader.infer();
        }
        super::Reader::Csv(Box::new(reader))
    }
}
