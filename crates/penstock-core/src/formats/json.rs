//! The formats JSON and NDJSON: their rows in the table and their options.

use std::sync::Arc;

use super::{AnyWriter, Format, Lends};
use crate::json::sorted::Order;
use crate::json::writer::{Binary, NonFinite, Records, Writer, WriterOptions};
use crate::json::{Framing, Reader};
use crate::limits::Limits;
use crate::options::{InvalidOption, OptionValue, impossible};
use crate::shape::Form;
use crate::writer::{Content, Unwritable};

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
    style: document_style,
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
    style: stream_style,
};

/// JSON with a framing.
#[derive(Clone, Copy, Debug)]
struct Dialect {
    format: &'static Format,
    framing: Framing,
    non_finite: bool,
    comments: bool,
}

/// `non_finite`: whether `NaN`, `Infinity` and `-Infinity` are values. `comments`: whether comments and trailing commas
/// are taken.
fn document(options: &[(String, OptionValue)]) -> Result<Arc<dyn super::Dialect>, InvalidOption> {
    let (mut non_finite, mut comments) = (false, false);
    for (option, said) in options {
        match &**option {
            "non_finite" => non_finite = said.flag("non_finite")?,
            "comments" => comments = said.flag("comments")?,
            _ => return Err(InvalidOption::Unknown { option: option.clone() }),
        }
    }
    Ok(Arc::new(Dialect { format: &JSON, framing: Framing::Document, non_finite, comments }))
}

/// `framing`: how the documents follow one another. `non_finite`: as for one document.
fn stream(options: &[(String, OptionValue)]) -> Result<Arc<dyn super::Dialect>, InvalidOption> {
    let (mut framing, mut non_finite) = (Framing::Lines, false);
    for (option, said) in options {
        match &**option {
            "framing" => framing = said.word("framing", &FRAMINGS)?,
            "non_finite" => non_finite = said.flag("non_finite")?,
            _ => return Err(InvalidOption::Unknown { option: option.clone() }),
        }
    }
    Ok(Arc::new(Dialect { format: &NDJSON, framing, non_finite, comments: false }))
}

const FRAMINGS: [(&str, Framing); 3] = [
    ("lines", Framing::Lines),
    ("sequence", Framing::Sequence),
    ("concatenated", Framing::Concatenated),
];

impl super::Dialect for Dialect {
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
    fn reader(&self, _everything: bool, limits: &Limits) -> super::Reader {
        let reader = Reader::new(self.framing, limits);
        super::Reader::Json(
            reader.taking_non_finite(self.non_finite).taking_comments(self.comments),
        )
    }
}

/// JSON or NDJSON, written in one particular way.
#[derive(Clone, Debug)]
struct Style {
    format: &'static Format,
    options: WriterOptions,
}

fn document_style(
    options: &[(String, OptionValue)],
) -> Result<Arc<dyn super::Style>, InvalidOption> {
    Ok(Arc::new(Style { format: &JSON, options: writer_options(options, false)? }))
}

fn stream_style(options: &[(String, OptionValue)]) -> Result<Arc<dyn super::Style>, InvalidOption> {
    Ok(Arc::new(Style { format: &NDJSON, options: writer_options(options, true)? }))
}

fn writer_options(
    options: &[(String, OptionValue)],
    is_stream: bool,
) -> Result<WriterOptions, InvalidOption> {
    let mut written = WriterOptions::default();
    let (mut sorted, mut canonical) = (false, false);
    if is_stream {
        written.records = Records::Lines;
    }
    for (option, said) in options {
        match &**option {
            "framing" if is_stream => {
                let words = [("lines", false), ("sequence", true)];
                if said.word("framing", &words)? {
                    written.records = Records::Sequence;
                }
            }
            "indent" if !is_stream => written.indent = said.indent()?,
            "sort_keys" => sorted = said.flag("sort_keys")?,
            "canonical" => canonical = said.flag("canonical")?,
            "ascii" => written.ascii = said.flag("ascii")?,
            "non_finite" => {
                let words = [
                    ("error", NonFinite::Refuse),
                    ("null", NonFinite::Null),
                    ("literal", NonFinite::Literal),
                ];
                written.non_finite = said.word("non_finite", &words)?;
            }
            "decimals" => written.decimals_as_text = said.word("decimals", &DIGITS)?,
            "large_ints" => written.large_ints_as_text = said.word("large_ints", &DIGITS)?,
            "binary" => {
                let words = [("base64", Binary::Base64), ("hex", Binary::Hex)];
                written.binary = said.word("binary", &words)?;
            }
            _ => return Err(InvalidOption::Unknown { option: option.clone() }),
        }
    }
    if canonical {
        if written.indent.is_some() || written.ascii || written.non_finite == NonFinite::Literal {
            let reason = "the canonical form has no indent, no ascii and no literal for NaN";
            return Err(impossible(reason));
        }
        let WriterOptions { order, doubles, .. } = WriterOptions::canonical();
        (written.order, written.doubles) = (order, doubles);
    } else if sorted {
        written.order = Some(Order::CodePoints);
    }
    Ok(written)
}

/// The forms of digits: true is text.
const DIGITS: [(&str, bool); 2] = [("number", false), ("text", true)];

impl super::Style for Style {
    fn format(&self) -> &'static Format {
        self.format
    }
    fn writer(&self, content: Content<'_>, limits: &Limits) -> Result<AnyWriter, Unwritable> {
        let mut options = self.options.clone();
        match content {
            Content::Records(Some(_)) if self.format.is_stream => {
                return Err(Unwritable::value("records of NDJSON are lines: they have no path"));
            }
            Content::Records(at) if !self.format.is_stream => {
                options.records = Records::at(at.unwrap_or("*"))?;
            }
            Content::Value | Content::Records(_) => {}
        }
        Ok(AnyWriter::Json(Box::new(Writer::new(options, limits))))
    }
}
