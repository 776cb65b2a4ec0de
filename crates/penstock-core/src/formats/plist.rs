//! The format of property lists: its row in the table and its options.

use std::sync::Arc;

use super::{Format, Lends};
use crate::limits::Limits;
use crate::options::{InvalidOption, OptionValue, Value, impossible};
use crate::plist::{Form, Options, Reader};
use crate::repair::{RepairKind, Repairs};
use crate::shape;
use crate::source::Detect;

/// Property lists of all forms.
pub static FORMAT: Format = Format {
    name: "plist",
    article: "a",
    title: "plist",
    suffixes: &[".plist", ".bplist", ".glyphs", ".pbxproj", ".strings"],
    begins_with: &[],
    is_stream: false,
    form: shape::Form::KEYED,
    lends: Lends::Nothing,
    dialect,
    style: super::plist_style::style,
};

/// Property lists with their options.
#[derive(Clone, Copy, Debug)]
struct Dialect(Options);

/// The words for forms that are read. The forms of text have one grammar.
const FORMS: [(&str, Form); 6] = [
    ("binary", Form::Binary),
    ("xml", Form::Xml),
    ("openstep", Form::Text),
    ("gnustep", Form::Text),
    ("strings", Form::Text),
    ("json", Form::Json),
];

/// `form`: the form, or none if it is to be found; `repair`: the faults of one that is XML to repair.
fn dialect(options: &[(String, OptionValue)]) -> Result<Arc<dyn super::Dialect>, InvalidOption> {
    let mut read = Options::default();
    for (option, said) in options {
        match (&**option, &said.value) {
            ("form", Value::Nothing) => {}
            ("repair", _) => read.repairs = Repairs::said(said, &RepairKind::XML)?,
            ("form", _) => read.form = Some(said.word("form", &FORMS)?),
            _ => return Err(InvalidOption::Unknown { option: option.clone() }),
        }
    }
    if !read.repairs.is_empty() && !matches!(read.form, None | Some(Form::Xml)) {
        return Err(impossible("repair= is for property lists in XML, not for another form="));
    }
    Ok(Arc::new(Dialect(read)))
}

impl super::Dialect for Dialect {
    fn format(&self) -> &'static Format {
        &FORMAT
    }
    fn is_document(&self) -> bool {
        true
    }
    fn detect(&self) -> Detect {
        Detect::Plist
    }
    fn default_records(&self) -> &'static str {
        "the elements of a root array, else the document as one record"
    }
    fn reader(&self, _everything: bool, limits: &Limits) -> super::Reader {
        super::Reader::Plist(Box::new(Reader::new(self.0, limits)))
    }
}
