//! The format XML: its row in the table and its options.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{AnyWriter, Format, Lends};
use crate::limits::Limits;
use crate::options::{InvalidOption, OptionValue, Value, impossible};
use crate::shape::Form;
use crate::source::Detect;
use crate::writer::{Content, Unwritable};
use crate::xml::writer::{Null, Records, Writer, WriterOptions};
use crate::xml::{Options, Reader, RepairKind, Repairs, Unresolved};

/// XML.
pub static FORMAT: Format = Format {
    name: "xml",
    article: "an",
    title: "XML",
    suffixes: &[
        ".atom",
        ".fb2",
        ".gml",
        ".gpx",
        ".graphml",
        ".kml",
        ".mathml",
        ".musicxml",
        ".nxml",
        ".osm",
        ".owl",
        ".rdf",
        ".rss",
        ".svg",
        ".tei",
        ".tmx",
        ".wsdl",
        ".xhtml",
        ".xlf",
        ".xliff",
        ".xml",
        ".xsd",
        ".xsl",
        ".xslt",
    ],
    begins_with: &['<'],
    is_stream: false,
    form: Form::MARKUP,
    lends: Lends::Nothing,
    dialect,
    style,
};

/// XML with its options.
#[derive(Clone, Debug)]
struct Dialect {
    options: Options,
    namespaces: BTreeMap<String, String>,
}

/// `namespaces`: the URIs of the prefixes in paths, or false to keep names as written;
/// `unresolved`: how to handle references that the document does not declare; `repair`: the faults
/// that may be repaired.
fn dialect(options: &[(String, OptionValue)]) -> Result<Arc<dyn super::Dialect>, InvalidOption> {
    let mut dialect = Dialect { options: Options::default(), namespaces: BTreeMap::new() };
    for (option, said) in options {
        match &**option {
            "namespaces" => dialect.bind(said)?,
            "unresolved" => {
                let words = [("error", Unresolved::Error), ("text", Unresolved::Text)];
                dialect.options.unresolved = said.word("unresolved", &words)?;
            }
            "repair" => dialect.options.repairs = Repairs::said(said, &RepairKind::XML)?,
            _ => return Err(InvalidOption::Unknown { option: option.clone() }),
        }
    }
    Ok(Arc::new(dialect))
}

impl Dialect {
    fn bind(&mut self, said: &OptionValue) -> Result<(), InvalidOption> {
        match &said.value {
            Value::Nothing => {}
            Value::Flag(false) => self.options.namespaces = false,
            Value::Pairs(pairs) => {
                for (prefix, uri) in pairs {
                    let uri = uri.text("a namespace's URI")?.to_owned();
                    let prefix = prefix.text("a namespace's prefix")?.to_owned();
                    self.namespaces.insert(prefix, uri);
                }
            }
            _ => {
                let wanted = "a mapping of prefixes to URIs, None or False";
                return Err(said.wrong("namespaces", wanted));
            }
        }
        Ok(())
    }
}

impl super::Dialect for Dialect {
    fn format(&self) -> &'static Format {
        &FORMAT
    }
    fn is_document(&self) -> bool {
        true
    }
    fn detect(&self) -> Detect {
        Detect::Xml
    }
    fn namespaces(&self) -> Option<&BTreeMap<String, String>> {
        self.options.namespaces.then_some(&self.namespaces)
    }
    fn default_records(&self) -> &'static str {
        "the child elements of the root"
    }
    fn reader(&self, everything: bool, limits: &Limits) -> super::Reader {
        let options = Options { declarations: everything, ..self.options };
        super::Reader::Xml(Box::new(Reader::new(options, limits)))
    }
}

/// XML, written in one particular way.
#[derive(Clone, Debug)]
struct Style {
    options: WriterOptions,
}

fn style(options: &[(String, OptionValue)]) -> Result<Arc<dyn super::Style>, InvalidOption> {
    let mut written = WriterOptions { record: String::new(), ..WriterOptions::default() };
    for (option, said) in options {
        match &**option {
            "root" => written.root = said.text_or_none("root")?.map(str::to_owned),
            "record" => {
                said.text_or_none("record")?.unwrap_or_default().clone_into(&mut written.record);
            }
            "declaration" => written.declaration = said.flag("declaration")?,
            "ascii" => written.ascii = said.flag("ascii")?,
            "indent" => written.indent = said.indent()?,
            "null" => {
                let words = [("nil", Null::Nil), ("empty", Null::Empty), ("omit", Null::Omit)];
                written.null = said.word("null", &words)?;
            }
            "namespaces" => prefixes(said, &mut written)?,
            _ => return Err(InvalidOption::Unknown { option: option.clone() }),
        }
    }
    // The writer knows which names are possible.
    Writer::new(written.clone(), &Limits::default()).map_err(|wrong| impossible(wrong.reason()))?;
    Ok(Arc::new(Style { options: written }))
}

/// `namespaces`: prefixes and URIs, which the root element declares.
fn prefixes(said: &OptionValue, written: &mut WriterOptions) -> Result<(), InvalidOption> {
    match &said.value {
        Value::Nothing => {}
        Value::Flag(false) => written.namespaces = false,
        Value::Pairs(pairs) => {
            for (prefix, uri) in pairs {
                let uri = uri.text("a namespace's URI")?.to_owned();
                let prefix = prefix.text("a namespace's prefix")?.to_owned();
                written.prefixes.push((prefix, uri));
            }
        }
        _ => {
            let wanted = "a mapping of prefixes to URIs, None or False";
            return Err(said.wrong("namespaces", wanted));
        }
    }
    Ok(())
}

impl super::Style for Style {
    fn format(&self) -> &'static Format {
        &FORMAT
    }
    fn namespaces(&self) -> Option<&[(String, String)]> {
        self.options.namespaces.then_some(&*self.options.prefixes)
    }
    fn writer(&self, content: Content<'_>, limits: &Limits) -> Result<AnyWriter, Unwritable> {
        let mut options = self.options.clone();
        match content {
            Content::Value => {}
            Content::Records(Some(path)) => {
                let WriterOptions { records, record, .. } = WriterOptions::at(path)?;
                (options.records, options.record) = (records, record);
            }
            Content::Records(None) => {
                options.records = Records::Within(options.root.take().into_iter().collect());
            }
        }
        Ok(AnyWriter::Xml(Box::new(Writer::new(options, limits)?)))
    }
}
