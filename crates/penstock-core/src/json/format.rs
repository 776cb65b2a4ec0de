//! The formats JSON and NDJSON: their rows in the table, their options, and their reader as a run
//! sees it.

use std::sync::Arc;

use memchr::memchr;

use super::{Framing, Reader};
use crate::error::Fail;
use crate::format::{self, Format, Lends, Said, WrongOption};
use crate::limits::Limits;
use crate::reader::{self, FormatReader, Step};
use crate::run::Given;
use crate::shape::Form;
use crate::sink::Listener;

/// One JSON document.
pub static JSON: Format = Format {
    name: "json",
    article: "a",
    title: "JSON",
    suffixes: &[".json", ".geojson"],
    begins_with: &['{', '['],
    is_stream: false,
    form: Form::KEYED,
    lends: Lends::Json,
    dialect: document,
};

/// JSON documents one after the other.
pub static NDJSON: Format = Format {
    name: "ndjson",
    article: "a",
    title: "NDJSON",
    suffixes: &[".ndjson", ".jsonl"],
    begins_with: &[],
    is_stream: true,
    form: Form::KEYED,
    lends: Lends::Json,
    dialect: stream,
};

/// JSON with a framing.
#[derive(Clone, Copy, Debug)]
struct Dialect {
    format: &'static Format,
    framing: Framing,
    non_finite: bool,
}

/// `non_finite`: whether `NaN`, `Infinity` and `-Infinity` are values.
fn document(options: &[(String, Said)]) -> Result<Arc<dyn format::Dialect>, WrongOption> {
    let mut non_finite = false;
    for (option, said) in options {
        non_finite = match &**option {
            "non_finite" => said.flag("non_finite")?,
            _ => return Err(WrongOption::Unknown { option: option.clone() }),
        };
    }
    Ok(Arc::new(Dialect { format: &JSON, framing: Framing::Document, non_finite }))
}

/// `framing`: how the documents follow one another. `non_finite`: as for one document.
fn stream(options: &[(String, Said)]) -> Result<Arc<dyn format::Dialect>, WrongOption> {
    let (mut framing, mut non_finite) = (Framing::Lines, false);
    for (option, said) in options {
        match &**option {
            "framing" => framing = said.word("framing", &FRAMINGS)?,
            "non_finite" => non_finite = said.flag("non_finite")?,
            _ => return Err(WrongOption::Unknown { option: option.clone() }),
        }
    }
    Ok(Arc::new(Dialect { format: &NDJSON, framing, non_finite }))
}

const FRAMINGS: [(&str, Framing); 3] = [
    ("lines", Framing::Lines),
    ("sequence", Framing::Sequence),
    ("concatenated", Framing::Concatenated),
];

impl format::Dialect for Dialect {
    fn format(&self) -> &'static Format {
        self.format
    }
    fn is_document(&self) -> bool {
        self.framing == Framing::Document
    }
    fn default_records(&self) -> &'static str {
        match self.framing {
            Framing::Document => {
                "the elements of a top-level array, else the document as one record"
            }
            Framing::Lines => "a line each",
            Framing::Sequence | Framing::Concatenated => "a value each",
        }
    }
    fn reader(&self, _everything: bool, limits: &Limits) -> reader::Reader {
        reader::Reader::Json(Reader::new(self.framing, limits).taking_non_finite(self.non_finite))
    }
}

impl FormatReader for Reader {
    #[inline]
    fn run<S: Listener>(&mut self, given: Given<'_>, sink: &mut S) -> Result<Step, Fail<S::Error>> {
        let (text, last) = given.as_text()?;
        self.run(text, last, sink)
    }
    fn run_dyn<S: Listener>(
        &mut self,
        given: Given<'_>,
        sink: &mut S,
    ) -> Result<Step, Fail<S::Error>> {
        let (text, last) = given.as_text()?;
        self.run_dyn(text, last, sink)
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
        self.framing() == Framing::Document
    }
    fn abandon(&mut self, depth: usize) {
        self.abandon(depth);
    }
    fn is_abandoned(&self) -> bool {
        self.is_abandoned()
    }
    fn record(&self) -> Option<(u64, u8)> {
        self.can_recover().then(|| (self.begun, self.separator()))
    }
    fn can_recover(&self) -> bool {
        matches!(self.framing(), Framing::Lines | Framing::Sequence)
    }
    fn recover(&mut self) {
        let _ = self.resynchronise();
    }
    fn is_lost(&self) -> bool {
        self.is_lost()
    }
    fn rescan(&mut self) {
        self.rescan();
    }
    fn pass_bytes(&mut self, bytes: &[u8]) -> usize {
        memchr(self.separator(), bytes).unwrap_or(bytes.len())
    }
}
