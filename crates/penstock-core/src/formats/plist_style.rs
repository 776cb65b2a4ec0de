//! How property lists are written: the options, and the writer that they make.

use std::sync::Arc;

use super::plist::FORMAT;
use super::{AnyWriter, Format};
use crate::json::Order;
use crate::json::writer::{self as json, Records};
use crate::limits::Limits;
use crate::options::Indent;
use crate::options::{InvalidOption, OptionValue, impossible};
use crate::plist::{Own, Writer};
use crate::plist::{binary, markup, text};
use crate::writer::{Content, Unwritable};

/// Property lists, written in one particular way.
#[derive(Clone, Copy, Debug)]
struct Style {
    form: Form,
    sort_keys: bool,
    stream: bool,
    indent: Option<Indent>,
    ascii: bool,
}

/// The forms that are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Binary,
    Xml,
    OpenStep,
    GnuStep,
    Strings,
    Json,
}

const FORMS: [(&str, Form); 6] = [
    ("binary", Form::Binary),
    ("xml", Form::Xml),
    ("openstep", Form::OpenStep),
    ("gnustep", Form::GnuStep),
    ("strings", Form::Strings),
    ("json", Form::Json),
];

/// `form`: the form. `sort_keys`: whether the keys of dictionaries are in order. `stream`: whether
/// a binary property list is written while it is made. `indent`: the spaces for each level of text.
/// `ascii`: whether text has escapes for all other characters.
pub(super) fn style(
    options: &[(String, OptionValue)],
) -> Result<Arc<dyn super::Style>, InvalidOption> {
    let mut written =
        Style { form: Form::Xml, sort_keys: false, stream: false, indent: None, ascii: false };
    for (option, said) in options {
        match &**option {
            "form" => written.form = said.word("form", &FORMS)?,
            "sort_keys" => written.sort_keys = said.flag("sort_keys")?,
            "stream" => written.stream = said.flag("stream")?,
            "indent" => written.indent = said.indent()?,
            "ascii" => written.ascii = said.flag("ascii")?,
            _ => return Err(InvalidOption::Unknown { option: option.clone() }),
        }
    }
    if written.stream && written.form != Form::Binary {
        return Err(impossible(
            "stream is for form='binary': other forms are written as they come",
        ));
    }
    if matches!(written.form, Form::Binary | Form::Xml) {
        if written.indent.is_some() {
            return Err(impossible("indent is for the forms of text, and for JSON"));
        }
        if written.ascii {
            return Err(impossible("ascii is for the forms of text, and for JSON"));
        }
    }
    Ok(Arc::new(written))
}

impl super::Style for Style {
    fn format(&self) -> &'static Format {
        &FORMAT
    }
    fn default_form(&self) -> Option<&'static str> {
        Some("xml")
    }
    fn writer(&self, content: Content<'_>, limits: &Limits) -> Result<AnyWriter, Unwritable> {
        let records = match content {
            Content::Value => Records::One,
            Content::Records(at) => Records::at(at.unwrap_or("*"))?,
        };
        let &Style { form, sort_keys, stream, indent, ascii } = self;
        let order = sort_keys.then_some(Order::CodePoints);
        let written = match form {
            Form::Json => {
                let options =
                    json::WriterOptions { records, order, indent, ascii, ..Default::default() };
                return Ok(AnyWriter::Json(Box::new(json::Writer::new(options, limits))));
            }
            Form::Binary => {
                let records = match records {
                    Records::Array(keys) => Some(keys),
                    _ => None,
                };
                let options = binary::writer::WriterOptions { records, sort_keys, stream };
                Writer::new(Own::Binary(Box::new(binary::writer::Writer::new(options, limits))))
            }
            Form::Xml => {
                let writer = markup::Writer::new(limits);
                let writer = if sort_keys { writer.sorting() } else { writer };
                match records {
                    Records::Array(keys) => Writer::around(writer, keys),
                    _ => Writer::new(Own::Xml(Box::new(writer))),
                }
            }
            Form::OpenStep | Form::GnuStep | Form::Strings => {
                let is_gnu = form == Form::GnuStep;
                let options = text::writer::WriterOptions {
                    form: if is_gnu {
                        text::writer::Form::GnuStep
                    } else {
                        text::writer::Form::OpenStep
                    },
                    strings: form == Form::Strings,
                    indent: Some(indent.unwrap_or(Indent::TAB)),
                    records,
                    ascii,
                    order,
                };
                Writer::new(Own::Text(Box::new(text::writer::Writer::new(options, limits))))
            }
        };
        Ok(AnyWriter::Plist(Box::new(written)))
    }
}
