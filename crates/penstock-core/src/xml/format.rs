//! The format XML: its row in the table, its options, and its reader as a run sees it.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::writer::{Null, Records, Writer, WriterOptions};
use super::{Options, Reader, Repair, RepairKind, Repairs, Unresolved};
use crate::error::Fail;
use crate::format::{self, Format, Lends, Said, Value, WrongOption, impossible};
use crate::limits::Limits;
use crate::reader::{self, FormatReader, Step};
use crate::run::Given;
use crate::shape::Form;
use crate::sink::Listener;
use crate::source::Detect;
use crate::writer::{AnyWriter, Content, Unwritable};

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
fn dialect(options: &[(String, Said)]) -> Result<Arc<dyn format::Dialect>, WrongOption> {
    let mut dialect = Dialect { options: Options::default(), namespaces: BTreeMap::new() };
    for (option, said) in options {
        match &**option {
            "namespaces" => dialect.bind(said)?,
            "unresolved" => {
                let words = [("error", Unresolved::Error), ("text", Unresolved::Text)];
                dialect.options.unresolved = said.word("unresolved", &words)?;
            }
            "repair" => dialect.options.repairs = Repairs::said(said, &RepairKind::XML)?,
            _ => return Err(WrongOption::Unknown { option: option.clone() }),
        }
    }
    Ok(Arc::new(dialect))
}

impl Dialect {
    fn bind(&mut self, said: &Said) -> Result<(), WrongOption> {
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

impl format::Dialect for Dialect {
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
    fn reader(&self, everything: bool, limits: &Limits) -> reader::Reader {
        let options = Options { declarations: everything, ..self.options };
        reader::Reader::Xml(Box::new(Reader::new(options, limits)))
    }
}

/// XML, written in one particular way.
#[derive(Clone, Debug)]
struct Style {
    options: WriterOptions,
}

fn style(options: &[(String, Said)]) -> Result<Arc<dyn format::Style>, WrongOption> {
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
            _ => return Err(WrongOption::Unknown { option: option.clone() }),
        }
    }
    // The writer knows which names are possible.
    Writer::new(written.clone(), &Limits::default()).map_err(|wrong| impossible(wrong.reason()))?;
    Ok(Arc::new(Style { options: written }))
}

/// `namespaces`: prefixes and URIs, which the root element declares.
fn prefixes(said: &Said, written: &mut WriterOptions) -> Result<(), WrongOption> {
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

impl format::Style for Style {
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
        true
    }
    fn abandon(&mut self, depth: usize) {
        self.abandon(depth);
    }
    fn is_abandoned(&self) -> bool {
        self.is_abandoned()
    }
    fn is_settled_before_a_record(&self, held: &[u8]) -> bool {
        // Brackets are an error before `>`, and a record begins with `<`.
        held.iter().all(|byte| matches!(byte, b'\r' | b']'))
    }
    fn rescan(&mut self) {
        self.rescan();
    }
    #[inline(always)]
    fn take_repairs(&mut self) -> Vec<Repair> {
        self.take_repairs()
    }
}
