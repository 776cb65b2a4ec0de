//! The reader's twin: the grammar of XML without a document type, as in the specification, on the
//! whole text, by recursive descent and without regard for speed.

use crate::recording::{Event, Name, What};

/// The bindings in scope: a prefix, and its namespace or none.
type Scope = Vec<(String, String)>;

const XML: &str = "http://www.w3.org/XML/1998/namespace";
const XMLNS: &str = "http://www.w3.org/2000/xmlns/";

/// All events of a document, comments and instructions included, up to its first fault, and whether
/// it has none. None if it has a document type or an XML declaration, which the twin does not
/// support.
pub(crate) fn naive(text: &str) -> Option<(Vec<Event>, bool)> {
    let declared = text.strip_prefix("<?xml").is_some_and(|rest| rest.starts_with(is_space));
    if declared || text.contains("<!D") {
        return None;
    }
    let mut parser = Parser { text, at: 0, events: Vec::new() };
    let good = parser.document().is_some();
    Some((parser.events, good))
}

/// Asserts that the reader's events, comments and instructions included, are those of the twin: all
/// of them if the text is a document, otherwise those up to the last complete element.
pub(crate) fn assert_twin(text: &str, mut heard: Vec<Event>) {
    let Some((expected, good)) = naive(text) else { return };
    let fault = heard.pop_if(|(_, what)| matches!(what, What::Fault(..)));
    assert_eq!(fault.is_none(), good, "{fault:?}");
    if good {
        assert_eq!(heard, expected);
        return;
    }
    // Before a fault, one of the two may report more than the other.
    let whole = |events: &[Event]| {
        events.iter().rposition(|(_, what)| *what == What::End).map_or(0, |end| end + 1)
    };
    assert_eq!(heard[..whole(&heard)], expected[..whole(&expected)]);
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    events: Vec<Event>,
}

impl<'a> Parser<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }
    fn tell(&mut self, at: usize, what: What) {
        self.events.push((at as u64, what));
    }
    /// Skips the token if it comes next.
    fn eat(&mut self, token: &str) -> Option<()> {
        self.rest().starts_with(token).then(|| self.at += token.len())
    }
    /// The text up to a token, which is skipped. All of it must be characters of XML.
    fn up_to(&mut self, token: &str) -> Option<&'a str> {
        let found = &self.rest()[..self.rest().find(token)?];
        self.at += found.len() + token.len();
        found.chars().all(is_char).then_some(found)
    }
    /// The longest run of characters of a kind.
    fn run(&mut self, of: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|char| !of(char)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }
    fn space(&mut self) -> bool {
        !self.run(is_space).is_empty()
    }
    fn name(&mut self) -> Option<&'a str> {
        let name = self.run(is_name_char);
        name.starts_with(is_name_start).then_some(name)
    }

    fn document(&mut self) -> Option<()> {
        self.misc()?;
        let scope = vec![("xml".to_owned(), XML.to_owned())];
        self.element(&scope)?;
        self.misc()?;
        self.rest().is_empty().then_some(())
    }
    fn misc(&mut self) -> Option<()> {
        loop {
            self.space();
            if !(self.rest().starts_with("<!--") || self.rest().starts_with("<?")) {
                return Some(());
            }
            self.comment_or_instruction()?;
        }
    }
    fn comment_or_instruction(&mut self) -> Option<()> {
        let at = self.at;
        if self.eat("<!--").is_some() {
            let text = self.up_to("--")?;
            self.eat(">")?;
            self.tell(at, What::Comment(lines(text)));
            return Some(());
        }
        self.eat("<?")?;
        let target = self.name()?;
        if target.eq_ignore_ascii_case("xml") || target.contains(':') {
            return None;
        }
        let spaced = self.space();
        let data = self.up_to("?>")?;
        (spaced || data.is_empty()).then_some(())?;
        self.tell(at, What::Instruction(target.to_owned(), lines(data)));
        Some(())
    }

    fn element(&mut self, outer: &Scope) -> Option<()> {
        let at = self.at;
        self.eat("<")?;
        let name = self.name()?;
        let mut attributes = Vec::new();
        loop {
            let spaced = self.space();
            let empty = self.eat("/>");
            if empty.is_some() || self.eat(">").is_some() {
                let mut scope = outer.clone();
                self.begin(at, name, &attributes, &mut scope)?;
                if empty.is_some() {
                    self.tell(self.at - 2, What::End);
                    return Some(());
                }
                return self.content(name, &scope);
            }
            if !spaced {
                return None;
            }
            attributes.push(self.attribute()?);
        }
    }
    /// A name and a resolved value, and their offsets.
    fn attribute(&mut self) -> Option<(usize, &'a str, usize, String)> {
        let at = self.at;
        let name = self.name()?;
        self.space();
        self.eat("=")?;
        self.space();
        let value_at = self.at;
        let quote = if self.eat("\"").is_some() { "\"" } else { "'" };
        if quote == "'" {
            self.eat("'")?;
        }
        let raw = self.up_to(quote)?;
        let mut value = String::new();
        let (mut rest, raw) = (0, lines(raw));
        while let Some(char) = raw[rest..].chars().next() {
            match char {
                '<' => return None,
                '&' => {
                    let (meant, length) = reference(&raw[rest..])?;
                    value.push(meant);
                    rest += length;
                    continue;
                }
                '\t' | '\n' => value.push(' '),
                char => value.push(char),
            }
            rest += char.len_utf8();
        }
        Some((at, name, value_at, value))
    }
    /// Reports a start tag.
    fn begin(
        &mut self,
        at: usize,
        name: &str,
        attributes: &[(usize, &str, usize, String)],
        scope: &mut Scope,
    ) -> Option<()> {
        for (number, (_, name, _, value)) in attributes.iter().enumerate() {
            if attributes[..number].iter().any(|(_, before, ..)| before == name) {
                return None;
            }
            let prefix = match name.split_once(':') {
                Some(("xmlns", prefix)) => prefix,
                _ if *name == "xmlns" => "",
                _ => continue,
            };
            let right = match (prefix, value.as_str()) {
                ("xml", uri) => uri == XML,
                ("xmlns", _) | (_, XML | XMLNS) => false,
                (prefix, uri) => prefix.is_empty() || !uri.is_empty(),
            };
            let named = *name == "xmlns" || prefix.starts_with(is_name_start);
            if !right || !named || prefix.contains(':') {
                return None;
            }
            scope.push((prefix.to_owned(), value.clone()));
        }
        self.tell(at, What::Element(qualified(name, scope, true)?));
        self.tell(at, What::Begin);
        let mut seen = Vec::new();
        for (at, name, value_at, value) in attributes {
            if *name == "xmlns" || name.starts_with("xmlns:") {
                continue;
            }
            let name = qualified(name, scope, false)?;
            let expanded = (name.namespace.clone(), name.local.clone());
            if seen.contains(&expanded) {
                return None;
            }
            seen.push(expanded);
            self.tell(*at, What::Attribute(name));
            self.tell(*value_at, What::Value(value.clone()));
        }
        Some(())
    }

    fn content(&mut self, name: &str, scope: &Scope) -> Option<()> {
        loop {
            let at = self.at;
            if self.eat("</").is_some() {
                self.eat(name)?;
                self.space();
                self.eat(">")?;
                self.tell(at, What::End);
                return Some(());
            }
            if self.eat("<![CDATA[").is_some() {
                let at = self.at;
                let text = self.up_to("]]>")?;
                self.piece(at, &lines(text));
            } else if self.rest().starts_with("<!") || self.rest().starts_with("<?") {
                self.comment_or_instruction()?;
            } else if self.rest().starts_with('<') {
                self.element(scope)?;
            } else if self.rest().starts_with('&') {
                let (char, length) = reference(self.rest())?;
                self.at += length;
                self.piece(at, char.encode_utf8(&mut [0; 4]));
            } else {
                let text = self.run(|char| char != '<' && char != '&');
                if text.is_empty() || text.contains("]]>") || !text.chars().all(is_char) {
                    return None;
                }
                self.piece(at, &lines(text));
            }
        }
    }
    fn piece(&mut self, at: usize, text: &str) {
        match self.events.last_mut() {
            _ if text.is_empty() => {}
            Some((_, What::Piece(before))) => before.push_str(text),
            _ => self.tell(at, What::Piece(text.to_owned())),
        }
    }
}

/// The name with its namespace. An element without a prefix has the default namespace.
fn qualified(name: &str, scope: &Scope, element: bool) -> Option<Name> {
    let (prefix, local) = match name.split_once(':') {
        None => ("", name),
        Some((prefix, local)) => (prefix, local),
    };
    let prefixed = local.len() < name.len();
    if local.contains(':') || !local.starts_with(is_name_start) || prefixed && prefix.is_empty() {
        return None;
    }
    let bound = scope.iter().rev().find(|(bound, _)| bound == prefix);
    let namespace = match bound {
        _ if !prefixed && !element => None,
        Some((_, uri)) => Some(uri.clone()).filter(|uri| !uri.is_empty()),
        None if prefixed => return None,
        None => None,
    };
    let prefix = prefixed.then(|| prefix.to_owned());
    Some(Name { prefix, namespace, local: local.to_owned() })
}

/// The character that a reference means, and its length.
fn reference(text: &str) -> Option<(char, usize)> {
    let name = text[1..].split_once(';')?.0;
    let char = match name {
        "lt" => '<',
        "gt" => '>',
        "amp" => '&',
        "apos" => '\'',
        "quot" => '"',
        name => {
            let digits = name.strip_prefix('#')?;
            let (digits, radix) = match digits.strip_prefix('x') {
                Some(digits) => (digits, 16),
                None => (digits, 10),
            };
            if digits.is_empty() || !digits.chars().all(|digit| digit.is_digit(radix)) {
                return None;
            }
            let code = u32::from_str_radix(digits, radix).ok()?;
            char::from_u32(code).filter(|char| is_char(*char))?
        }
    };
    Some((char, name.len() + 2))
}

/// Text with its line ends resolved (2.11).
fn lines(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

fn is_space(char: char) -> bool {
    matches!(char, ' ' | '\t' | '\n' | '\r')
}

/// Char (2.2).
fn is_char(char: char) -> bool {
    matches!(char, '\t' | '\n' | '\r' | ' '..='\u{D7FF}' | '\u{E000}'..='\u{FFFD}' | '\u{10000}'..)
}

/// NameStartChar (2.3).
fn is_name_start(char: char) -> bool {
    matches!(char,
        ':' | 'A'..='Z' | '_' | 'a'..='z' | '\u{C0}'..='\u{D6}' | '\u{D8}'..='\u{F6}'
        | '\u{F8}'..='\u{2FF}' | '\u{370}'..='\u{37D}' | '\u{37F}'..='\u{1FFF}'
        | '\u{200C}'..='\u{200D}' | '\u{2070}'..='\u{218F}' | '\u{2C00}'..='\u{2FEF}'
        | '\u{3001}'..='\u{D7FF}' | '\u{F900}'..='\u{FDCF}' | '\u{FDF0}'..='\u{FFFD}'
        | '\u{10000}'..='\u{EFFFF}')
}

/// NameChar (2.3).
fn is_name_char(char: char) -> bool {
    is_name_start(char)
        || matches!(char, '-' | '.' | '0'..='9' | '\u{B7}' | '\u{300}'..='\u{36F}' | '\u{203F}'..='\u{2040}')
}
