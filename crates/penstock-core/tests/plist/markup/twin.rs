//! The reader's naive twin: it has all events of the XML in a list, and recurses.

use std::convert::Infallible;

use penstock_core::error::{Fail, Kind, brief};
use penstock_core::event::{Key, KeyKind, Scalar, Text};
use penstock_core::limits::Limits;
use penstock_core::protocol::{Flow, Hints, LookAhead, Sink, Step};
use penstock_core::value::datetime::datetime;
use penstock_core::value::xsd::base64_binary;
use penstock_core::xml;
use penstock_scan::ValidText;

use super::recording::{Ahead, Answers, Event, What};

#[derive(Clone, Debug)]
enum Markup {
    Start(String),
    Piece(String),
    End,
    Fault(Kind, String),
}

/// Keeps the elements and the text of an XML document.
#[derive(Debug, Default)]
struct Elements {
    all: Vec<(u64, Markup)>,
}

impl Sink for Elements {
    type Error = Infallible;

    fn begin_map(&mut self, _at: u64) -> Result<Flow, Infallible> {
        Ok(Flow::Take)
    }
    fn end_map(&mut self, at: u64) -> Result<Flow, Infallible> {
        self.all.push((at, Markup::End));
        Ok(Flow::Take)
    }
    fn begin_list(&mut self, _at: u64) -> Result<Flow, Infallible> {
        Ok(Flow::Take)
    }
    fn end_list(&mut self, _at: u64) -> Result<Flow, Infallible> {
        Ok(Flow::Take)
    }
    fn name(&mut self, key: Key<'_>, at: u64) -> Result<Flow, Infallible> {
        if key.kind == KeyKind::Attribute {
            return Ok(Flow::Skip);
        }
        self.all.push((at, Markup::Start(key.name.text.as_str().to_owned())));
        Ok(Flow::Take)
    }
    fn scalar(&mut self, _value: Scalar<'_>, _at: u64) -> Result<Flow, Infallible> {
        Ok(Flow::Take)
    }
    fn piece(&mut self, text: Text<'_>, at: u64) -> Result<Flow, Infallible> {
        self.all.push((at, Markup::Piece(text.text.as_str().to_owned())));
        Ok(Flow::Take)
    }
    fn abandon(&mut self) {}
}

impl Hints for Elements {}
impl LookAhead for Elements {}

/// A fault, which ends everything.
struct Halt(u64, Kind, String);

fn malformed<T>(at: u64, reason: impl Into<String>) -> Result<T, Halt> {
    Err(Halt(at, Kind::Malformed, reason.into()))
}

struct Twin<'a> {
    text: &'a str,
    markup: Vec<(u64, Markup)>,
    pos: usize,
    depth: usize,
    limit: usize,
    answers: Answers,
    out: Vec<Event>,
}

const SPACE: [char; 4] = [' ', '\t', '\r', '\n'];

const LEAVES: [&str; 7] = ["string", "integer", "real", "date", "data", "true", "false"];

/// The events that a sink with these answers should get.
pub(crate) fn expected(text: &str, limits: &Limits, answers: Answers) -> Vec<Event> {
    let options = xml::Options { namespaces: false, ..xml::Options::default() };
    // What is too deep here is found by the twin.
    let mut reader =
        xml::Reader::new(options, &Limits { depth: limits.depth + 2, ..limits.clone() });
    let mut elements = Elements::default();
    match reader.run(ValidText::from(text), true, &mut elements) {
        Ok(step) => assert_eq!(step, Step::Done),
        Err(Fail::Input(fault)) => {
            let fault = (fault.offset(), Markup::Fault(fault.kind(), fault.reason().to_owned()));
            elements.all.push(fault);
        }
        Err(Fail::Sink(never)) => match never {},
    }
    let (markup, limit) = (elements.all, limits.depth);
    let mut twin = Twin { text, markup, pos: 0, depth: 0, limit, answers, out: Vec::new() };
    if let Err(Halt(at, kind, reason)) = twin.document() {
        let deep = format!("nested deeper than {} levels (limits.depth)", limit + 2);
        let reason =
            reason.replace(&deep, &format!("nested deeper than {limit} levels (limits.depth)"));
        twin.out.push((at, What::Fault(kind, reason)));
    }
    twin.out
}

impl Twin<'_> {
    fn next(&mut self) -> Result<(u64, Markup), Halt> {
        let Some((at, markup)) = self.markup.get(self.pos).cloned() else {
            panic!("the document ends twice");
        };
        if let Markup::Fault(kind, reason) = markup {
            return Err(Halt(at, kind, reason));
        }
        self.pos += 1;
        Ok((at, markup))
    }

    /// The next start or end. Only white space may be before it.
    fn child(&mut self, outer: &str) -> Result<(u64, Option<String>), Halt> {
        let mut gap = None;
        loop {
            match self.next()? {
                (at, Markup::Start(name)) => {
                    if !LEAVES.contains(&&*name)
                        && !["plist", "dict", "array", "key"].contains(&&*name)
                    {
                        let name = brief(&name);
                        return malformed(at, format!("{name} is no element of a property list"));
                    }
                    return Ok((at, Some(name)));
                }
                (at, Markup::End) => return Ok((at, None)),
                (at, Markup::Piece(text)) => {
                    // The fault is at the first character that is not white space as it stands.
                    let rest = &self.text[at as usize..];
                    let bare = rest.trim_start_matches(SPACE);
                    let place = at + (rest.len() - bare.len()) as u64;
                    if !text.chars().all(|char| SPACE.contains(&char)) {
                        let reason = format!("text in <{outer}>, which has only elements");
                        return malformed(gap.unwrap_or(place), reason);
                    }
                    if bare.starts_with('&') && !rest.starts_with(&text) {
                        gap.get_or_insert(place);
                    }
                }
                (_, Markup::Fault(..)) => unreachable!(),
            }
        }
    }

    /// Passes the rest of an element.
    fn skip(&mut self) -> Result<(), Halt> {
        let mut depth = 1;
        while depth > 0 {
            match self.next()?.1 {
                Markup::Start(_) => depth += 1,
                Markup::End => depth -= 1,
                _ => {}
            }
        }
        Ok(())
    }

    fn tell(&mut self, at: u64, what: What) -> Flow {
        let answer = self.answers.answer(at, &what);
        self.out.push((at, what));
        answer
    }

    fn document(&mut self) -> Result<(), Halt> {
        let root = match self.next()? {
            (at, Markup::Start(name)) if name == "plist" => at,
            (at, Markup::Start(name)) => {
                self.pos -= 1;
                let (_, name) = self.child(&name)?;
                let name = name.unwrap();
                if name == "key" {
                    return malformed(at, "<key> outside of <dict>");
                }
                self.value(at, &name)?;
                return self.end();
            }
            other => panic!("{other:?} is no root"),
        };
        let mut has_value = false;
        while let (at, Some(name)) = self.child("plist")? {
            match &*name {
                "plist" => return malformed(at, "<plist> inside of <plist>"),
                "key" => return malformed(at, "<key> outside of <dict>"),
                _ if has_value => return malformed(at, "<plist> has more than one value"),
                _ => self.value(at, &name)?,
            }
            has_value = true;
        }
        if !has_value {
            return malformed(root, "<plist> has no value");
        }
        self.end()
    }

    /// After the root element.
    fn end(&mut self) -> Result<(), Halt> {
        if self.pos < self.markup.len() { self.next().map(|_| ()) } else { Ok(()) }
    }

    fn leaf_text(&mut self, outer: &str) -> Result<String, Halt> {
        let mut whole = String::new();
        loop {
            match self.next()? {
                (at, Markup::Start(_)) => {
                    self.pos -= 1;
                    let (_, name) = self.child(outer)?;
                    let reason = format!("<{}> in <{outer}>, which has only text", name.unwrap());
                    return malformed(at, reason);
                }
                (_, Markup::End) => return Ok(whole),
                (_, Markup::Piece(text)) => whole += &text,
                (_, Markup::Fault(..)) => unreachable!(),
            }
            // A truth value says it as soon as it can.
            if (outer == "true" || outer == "false") && !whole.trim_matches(SPACE).is_empty() {
                return Ok(whole);
            }
        }
    }

    fn value(&mut self, at: u64, name: &str) -> Result<(), Halt> {
        match name {
            "dict" => self.within(at, Twin::dict),
            "array" => self.within(at, Twin::array),
            _ => {
                let text = self.leaf_text(name)?;
                let value = scalar(at, name, &text)?;
                self.tell(at, value);
                Ok(())
            }
        }
    }

    fn within(
        &mut self,
        at: u64,
        read: impl FnOnce(&mut Self, u64) -> Result<(), Halt>,
    ) -> Result<(), Halt> {
        if self.depth == self.limit {
            let reason = format!("nested deeper than {} levels (limits.depth)", self.limit);
            return Err(Halt(at, Kind::Limit, reason));
        }
        self.depth += 1;
        read(self, at)?;
        self.depth -= 1;
        Ok(())
    }

    fn array(&mut self, at: u64) -> Result<(), Halt> {
        if self.tell(at, What::BeginList) == Flow::Skip {
            return self.skip();
        }
        loop {
            match self.child("array")? {
                (at, None) => {
                    self.tell(at, What::EndList);
                    return Ok(());
                }
                (at, Some(name)) => match &*name {
                    "plist" => return malformed(at, "<plist> inside of <plist>"),
                    "key" => return malformed(at, "<key> outside of <dict>"),
                    _ => self.value(at, &name)?,
                },
            }
        }
    }

    /// The next key; none at the end.
    fn key(&mut self) -> Result<(u64, Option<String>), Halt> {
        match self.child("dict")? {
            (at, None) => Ok((at, None)),
            (at, Some(name)) if name == "key" => Ok((at, Some(self.leaf_text("key")?))),
            (at, Some(name)) if name == "plist" => malformed(at, "<plist> inside of <plist>"),
            (at, Some(name)) => malformed(at, format!("expected <key> or </dict>, got <{name}>")),
        }
    }

    /// The start of a key's value.
    fn of_key(&mut self) -> Result<(u64, String), Halt> {
        match self.child("dict")? {
            (at, None) => malformed(at, "expected a value after the key, got </dict>"),
            (at, Some(name)) if name == "key" => {
                malformed(at, "expected a value after the key, got <key>")
            }
            (at, Some(name)) if name == "plist" => malformed(at, "<plist> inside of <plist>"),
            (at, Some(name)) => Ok((at, name)),
        }
    }

    fn dict(&mut self, begin: u64) -> Result<(), Halt> {
        // Nothing is told before the first key is read, and of what may be a UID even later.
        let first = self.key()?;
        let mut uid = None;
        let mut value = None;
        if first.1.as_deref() == Some("CF$UID") {
            let (at, name) = self.of_key()?;
            if name == "integer" {
                let text = self.leaf_text("integer")?;
                let number = scalar(at, "integer", &text)?;
                let found = match &number {
                    What::Int(value) => u64::try_from(*value).ok(),
                    What::Number(digits) => digits.parse().ok(),
                    other => panic!("{other:?} is no integer"),
                };
                uid = Some((at, number));
                if let Some(found) = found {
                    // Whether there is another key.
                    let before = self.pos;
                    let next = self.child("dict")?;
                    match next.1.as_deref() {
                        None => {
                            self.tell(begin, What::Uid(found));
                            return Ok(());
                        }
                        Some("key") => self.pos = before,
                        Some("plist") => return malformed(next.0, "<plist> inside of <plist>"),
                        Some(name) => {
                            let reason = format!("expected <key> or </dict>, got <{name}>");
                            return malformed(next.0, reason);
                        }
                    }
                }
            } else {
                value = Some((at, name));
            }
        }
        let answer = self.tell(begin, What::BeginMap);
        let dropped = answer == Flow::Skip;
        let unwanted = answer == Flow::Look && self.answers.ahead(begin) == Ahead::SkippedByKey;
        if dropped {
            // Its children are passed one by one.
            if value.is_some() {
                self.skip()?;
            }
            return if first.1.is_none() { Ok(()) } else { self.skip() };
        }
        let mut next = first;
        loop {
            let (at, key) = match next {
                (at, None) => {
                    if !unwanted {
                        self.tell(at, What::EndMap);
                    }
                    return Ok(());
                }
                (at, Some(key)) => (at, key),
            };
            let skips = unwanted || self.tell(at, What::Key(key)) == Flow::Skip;
            if let Some((at, number)) = uid.take() {
                if !skips {
                    self.tell(at, number);
                }
            } else {
                let (at, name) = match value.take() {
                    Some(value) => value,
                    None => self.of_key()?,
                };
                if skips { self.skip()? } else { self.value(at, &name)? }
            }
            next = self.key()?;
        }
    }
}

fn scalar(at: u64, name: &str, text: &str) -> Result<What, Halt> {
    let trimmed = text.trim_matches(SPACE);
    Ok(match name {
        "string" => What::Text(text.to_owned()),
        "true" | "false" if trimmed.is_empty() => What::Bool(name == "true"),
        "true" | "false" => return malformed(at, format!("text in <{name}>")),
        "integer" => {
            let (negative, rest) = match trimmed.strip_prefix('-') {
                Some(rest) => (true, rest),
                None => (false, trimmed.strip_prefix('+').unwrap_or(trimmed)),
            };
            let (radix, digits) = match rest.strip_prefix("0x").or_else(|| rest.strip_prefix("0X"))
            {
                Some(digits) => (16, digits),
                None => (10, rest),
            };
            let valid = !digits.is_empty() && digits.chars().all(|char| char.is_digit(radix));
            if !valid {
                return malformed(at, "<integer> has no integer");
            }
            let digits = digits.trim_start_matches('0');
            if radix == 16 && digits.len() > 32 {
                return malformed(at, "<integer> has more than 128 bits in hexadecimal");
            }
            let digits = match u128::from_str_radix(digits, radix) {
                Ok(size) => size.to_string(),
                Err(_) if digits.is_empty() => "0".to_owned(),
                Err(_) => digits.to_owned(),
            };
            let signed = if negative { format!("-{digits}") } else { digits };
            signed.parse().map_or(What::Number(signed), What::Int)
        }
        "real" => match trimmed.parse::<f64>() {
            Ok(value)
                if value.is_infinite() && trimmed.contains(|char: char| char.is_ascii_digit()) =>
            {
                return malformed(at, "<real> has a number beyond the range of a double");
            }
            Ok(value) => What::Float(format!("{value:?}")),
            Err(_) => return malformed(at, "<real> has no number"),
        },
        "date" => {
            let form = "0000-00-00T00:00:00";
            let Some(written) = trimmed.strip_suffix('Z').filter(|written| {
                let like = written.chars().zip(form.chars());
                [10, 13, 16, 19].contains(&written.len())
                    && like.clone().count() == written.len()
                    && like.into_iter().all(|(char, form)| {
                        if form == '0' { char.is_ascii_digit() } else { char == form }
                    })
            }) else {
                return malformed(at, "<date> has no date like 2004-10-26T10:33:33Z");
            };
            let whole = format!("{written}{}Z", &form[written.len()..]);
            let bytes = whole.as_bytes();
            match datetime(bytes) {
                Ok(value) => What::DateTime(value),
                Err(reason) => {
                    return malformed(at, format!("<date> has no date: {}", reason.message()));
                }
            }
        }
        "data" => {
            let mut bytes = Vec::new();
            match base64_binary(text.as_bytes(), &mut bytes) {
                Ok(()) => What::Bytes(bytes),
                Err(reason) => {
                    return malformed(at, format!("<data> has no base64: {}", reason.message()));
                }
            }
        }
        other => panic!("<{other}> has no text"),
    })
}
