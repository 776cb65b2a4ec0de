//! How CSV is written: the options, and the writer that they make.

use std::sync::Arc;

use super::csv::{FORMAT, option};
use super::{AnyWriter, Format};
use crate::csv::WrongDialect;
use crate::csv::writer::{Formulas, Quoting, Writer, WriterOptions};
use crate::limits::Limits;
use crate::options::{InvalidOption, OptionValue, Value, impossible, wrong_word};
use crate::writer::{Content, Unwritable};

/// CSV, written in one particular way.
#[derive(Clone, Debug)]
struct Style(WriterOptions);

const QUOTING: [(&str, Quoting); 4] = [
    ("minimal", Quoting::Minimal),
    ("all", Quoting::All),
    ("nonnumeric", Quoting::NonNumeric),
    ("none", Quoting::Never),
];

/// The options of the dialect, and `quoting`, `formulas`, `null` and `encoding`. `behind` has the
/// first row of the file to which rows are appended.
pub(super) fn style(
    options: &[(String, OptionValue)],
) -> Result<Arc<dyn super::Style>, InvalidOption> {
    let mut written = WriterOptions::default();
    for (name, said) in options {
        if option(&mut written.dialect, name, said)? {
            continue;
        }
        match &**name {
            "quoting" => written.quoting = said.word(name, &QUOTING)?,
            "formulas" => {
                let words = [("escape", Formulas::Escape), ("refuse", Formulas::Refuse)];
                written.formulas = match said.value {
                    Value::Nothing => Formulas::AsTheyAre,
                    _ => said.word(name, &words)?,
                };
            }
            "null" => written.null = said.text(name)?.into(),
            "encoding" => written.mark = mark(said)?,
            "behind" => written.behind = behind(said)?,
            _ => return Err(InvalidOption::Unknown { option: name.clone() }),
        }
    }
    // Whoever makes a writer of it gets no other error.
    Writer::new(&written, &Limits::default()).map_err(|WrongDialect(reason)| impossible(reason))?;
    Ok(Arc::new(Style(written)))
}

/// `encoding`: whether the text begins with a byte order mark.
fn mark(said: &OptionValue) -> Result<bool, InvalidOption> {
    let name = said.text("encoding")?.to_ascii_lowercase().replace('_', "-");
    match &*name {
        "utf-8" | "utf8" => Ok(false),
        "utf-8-sig" | "utf8-sig" => Ok(true),
        _ => Err(wrong_word("encoding", said.text("encoding")?, "'utf-8' or 'utf-8-sig'")),
    }
}

fn behind(said: &OptionValue) -> Result<Option<Vec<Box<str>>>, InvalidOption> {
    match &said.value {
        Value::Nothing => Ok(None),
        Value::Several(cells) => {
            let cells = cells.iter().map(|cell| Ok(cell.text("a cell in behind")?.into()));
            cells.collect::<Result<_, _>>().map(Some)
        }
        _ => Err(said.wrong("behind", "a list or None")),
    }
}

impl super::Style for Style {
    fn format(&self) -> &'static Format {
        &FORMAT
    }
    fn writer(&self, content: Content<'_>, limits: &Limits) -> Result<AnyWriter, Unwritable> {
        if let Content::Records(Some(_)) = content {
            return Err(Unwritable::value("records of CSV are rows: they have no path"));
        }
        let writer = Writer::new(&self.0, limits);
        let writer = writer.map_err(|WrongDialect(reason)| Unwritable::value(reason))?;
        Ok(AnyWriter::Csv(Box::new(writer)))
    }
}
