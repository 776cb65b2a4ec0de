//! A document in the form of the expected outputs of the W3C suite: Sun's second canonical form,
//! which is James Clark's canonical XML with the notations in front.

use std::convert::Infallible;
use std::fmt::Write as _;

use penstock_core::error::{Fail, Fault};
use penstock_core::event::{Key, KeyKind, Scalar, Text};
use penstock_core::limits::Limits;
use penstock_core::protocol::{Flow, Hints, LookAhead, Sink, Step};
use penstock_core::xml::{Notation, Options, Reader, Repair};
use penstock_scan::ValidText;

/// Writes its events in canonical form.
#[derive(Default)]
pub(crate) struct Canonical {
    out: String,
    open: Vec<String>,
    /// The attributes of the current tag, and whether it is still being written.
    attributes: Vec<(String, String)>,
    in_tag: bool,
    attribute: Option<String>,
}

impl Canonical {
    fn end_tag(&mut self) {
        if std::mem::take(&mut self.in_tag) {
            self.attributes.sort();
            for (name, value) in std::mem::take(&mut self.attributes) {
                write!(self.out, " {name}=\"").unwrap();
                self.data(&value);
                self.out.push('"');
            }
            self.out.push('>');
        }
    }
    fn data(&mut self, text: &str) {
        for char in text.chars() {
            match char {
                '&' => self.out.push_str("&amp;"),
                '<' => self.out.push_str("&lt;"),
                '>' => self.out.push_str("&gt;"),
                '"' => self.out.push_str("&quot;"),
                '\t' => self.out.push_str("&#9;"),
                '\n' => self.out.push_str("&#10;"),
                '\r' => self.out.push_str("&#13;"),
                other => self.out.push(other),
            }
        }
    }
}

impl Sink for Canonical {
    type Error = Infallible;

    fn begin_map(&mut self, _at: u64) -> Result<Flow, Infallible> {
        Ok(Flow::Take)
    }
    fn end_map(&mut self, _at: u64) -> Result<Flow, Infallible> {
        self.end_tag();
        let name = self.open.pop().unwrap();
        write!(self.out, "</{name}>").unwrap();
        Ok(Flow::Take)
    }
    fn begin_list(&mut self, _at: u64) -> Result<Flow, Infallible> {
        unreachable!("XML has no lists")
    }
    fn end_list(&mut self, _at: u64) -> Result<Flow, Infallible> {
        unreachable!("XML has no lists")
    }
    fn name(&mut self, key: Key<'_>, _at: u64) -> Result<Flow, Infallible> {
        let name = key.name.text.as_str().to_owned();
        if key.kind == KeyKind::Attribute {
            self.attribute = Some(name);
        } else {
            self.end_tag();
            write!(self.out, "<{name}").unwrap();
            self.open.push(name);
            self.in_tag = true;
        }
        Ok(Flow::Take)
    }
    fn scalar(&mut self, value: Scalar<'_>, _at: u64) -> Result<Flow, Infallible> {
        let Scalar::Untyped(text) = value else { unreachable!("an attribute is text") };
        let name = self.attribute.take().unwrap();
        self.attributes.push((name, text.text.as_str().to_owned()));
        Ok(Flow::Take)
    }
    fn piece(&mut self, text: Text<'_>, _at: u64) -> Result<Flow, Infallible> {
        self.end_tag();
        self.data(text.text.as_str());
        Ok(Flow::Take)
    }
    fn abandon(&mut self) {}
    fn instruction(
        &mut self,
        target: Text<'_>,
        data: Text<'_>,
        _at: u64,
    ) -> Result<Flow, Infallible> {
        self.end_tag();
        write!(self.out, "<?{} {}?>", target.text.as_str(), data.text.as_str()).unwrap();
        Ok(Flow::Take)
    }
}

impl Hints for Canonical {
    fn extras(&self) -> bool {
        true
    }
}

impl LookAhead for Canonical {}

/// The declarations of notations in front of the document.
fn doctype<'a>(root: &str, notations: impl Iterator<Item = &'a Notation>) -> String {
    let mut lines: Vec<String> = notations
        .map(|notation| {
            let id = match (&notation.public, &notation.system) {
                (Some(public), Some(system)) => format!("PUBLIC '{public}' '{system}'"),
                (Some(public), None) => format!("PUBLIC '{public}'"),
                (None, system) => format!("SYSTEM '{}'", system.as_deref().unwrap()),
            };
            format!("<!NOTATION {} {id}>\n", notation.name)
        })
        .collect();
    lines.sort();
    if lines.is_empty() {
        return String::new();
    }
    format!("<!DOCTYPE {root} [\n{}]>\n", lines.concat())
}

/// Reads a document in windows that grow by `step` bytes, and writes it in canonical form.
pub(crate) fn canonical(text: &str, options: Options, step: usize) -> Result<String, Fault> {
    limited(text, options, &Limits::default(), step).map(|(canonical, _)| canonical)
}

/// The same within limits, and the repairs.
pub(crate) fn limited(
    text: &str,
    options: Options,
    limits: &Limits,
    step: usize,
) -> Result<(String, Vec<Repair>), Fault> {
    let mut sink = Canonical::default();
    let mut reader = Reader::new(options, limits);
    let mut end = 0_usize;
    loop {
        end = text.len().min(end.saturating_add(step));
        while !text.is_char_boundary(end) {
            end += 1;
        }
        let window = ValidText::from(&text[reader.base() as usize..end]);
        match reader.run(window, end == text.len(), &mut sink) {
            Ok(Step::Done) => break,
            Ok(_) => assert!(end < text.len(), "the reader asks for more than there is"),
            Err(Fail::Input(fault)) => return Err(fault),
            Err(Fail::Sink(never)) => match never {},
        }
        reader.drop_front(reader.consumed());
    }
    let name = first_element(&sink.out);
    Ok((doctype(&name, reader.notations()) + &sink.out, reader.take_repairs()))
}

/// The name of the root element of a canonical document.
fn first_element(document: &str) -> String {
    let mut rest = document;
    while let Some(instruction) = rest.strip_prefix("<?") {
        rest = &instruction[instruction.find("?>").unwrap() + 2..];
    }
    rest[1..].split([' ', '>']).next().unwrap().to_owned()
}
