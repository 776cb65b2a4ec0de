//! Walks through complete markup, one part at a time.

use super::names;
use super::tag::{self, BAD_COLON, Locus, Rules};
use crate::error::Fault;

/// A walk through a complete construct. Every error has the offset of its byte.
pub(super) struct Walk<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
    pub(super) locus: Locus,
}

impl<'a> Walk<'a> {
    /// The rest.
    pub(super) fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }
    /// The error at the current byte.
    #[cold]
    pub(super) fn fault(&self, reason: impl Into<std::borrow::Cow<'static, str>>) -> Fault {
        Fault::malformed(self.locus.at(self.at), reason)
    }
    /// The fault for a character that is not allowed.
    #[cold]
    pub(super) fn bad_character(&self) -> Fault {
        tag::bad_character(self.text.as_bytes(), self.at, self.locus)
    }
    /// Skips white space; true if there was some.
    pub(super) fn space(&mut self) -> bool {
        let rest = self.rest();
        let trimmed = rest.trim_start_matches([' ', '\t', '\n', '\r']);
        self.at += rest.len() - trimmed.len();
        trimmed.len() < rest.len()
    }
    /// Skips a word; true if it comes next.
    pub(super) fn eat(&mut self, word: &str) -> bool {
        let is = self.rest().starts_with(word);
        self.at += if is { word.len() } else { 0 };
        is
    }
    /// A literal, without its quotes.
    pub(super) fn literal(&mut self, what: &'static str) -> Result<&'a str, Fault> {
        let quote = match self.rest().chars().next() {
            Some(quote @ ('"' | '\'')) => quote,
            _ => return Err(self.fault(format!("expected {what} in quotes"))),
        };
        let inside = &self.rest()[1..];
        match inside.find(quote) {
            Some(end) => {
                self.at += end + 2;
                Ok(&inside[..end])
            }
            None => Err(self.fault(format!("{what} is not closed"))),
        }
    }
    /// Skips white space, which must come next.
    pub(super) fn need_space(&mut self, before: &str) -> Result<(), Fault> {
        if self.space() {
            Ok(())
        } else {
            Err(self.fault(format!("expected white space {before}")))
        }
    }
    /// A name. If it may be qualified, and prefixes count, it may have one colon; otherwise none.
    pub(super) fn name(
        &mut self,
        what: &str,
        rules: &Rules,
        qualified: bool,
    ) -> Result<&'a str, Fault> {
        let Some(end) = names::name_end(self.text, self.at) else {
            return Err(self.fault(format!("expected {what}")));
        };
        if end - self.at > rules.name_limit {
            let reason = format!("a name longer than {} bytes (limits.name)", rules.name_limit);
            return Err(Fault::limit(self.locus.at(self.at), reason));
        }
        let name = &self.text[self.at..end];
        if rules.namespaces
            && let Some((prefix, local)) = name.split_once(':')
        {
            let good = qualified
                && !prefix.is_empty()
                && local.starts_with(|c| c != ':' && names::is_name_start(c))
                && !local.contains(':');
            if !good {
                let reason = if qualified { BAD_COLON } else { "this name may not have a colon" };
                return Err(self.fault(reason));
            }
        }
        self.at = end;
        Ok(name)
    }
    /// An external identifier (XML 1.0, 4.2.2), from its first word on. A notation's may lack the
    /// system identifier.
    pub(super) fn external_id(&mut self, notation: bool) -> Result<Identifier<'a>, Fault> {
        let public = self.eat("PUBLIC");
        if !public && !self.eat("SYSTEM") {
            return Err(self.fault("expected SYSTEM or PUBLIC"));
        }
        self.need_space("before the identifier")?;
        let mut found = Identifier { public: None, system: None };
        if public {
            let at = self.at;
            let literal = self.literal("a public identifier")?;
            if let Some(bad) = literal.find(|c| !is_public_id(c)) {
                self.at = at + 1 + bad;
                return Err(self.fault("this is not allowed in a public identifier"));
            }
            found.public = Some(literal);
            let before = self.at;
            let spaced = self.space();
            if notation && !self.rest().starts_with(['"', '\'']) {
                self.at = before;
                return Ok(found);
            }
            if !spaced {
                return Err(self.fault("expected white space before the system identifier"));
            }
        }
        let at = self.at;
        let literal = self.literal("a system identifier")?;
        if let Some(bad) = literal.find(|c| !names::is_char(c)) {
            self.at = at + 1 + bad;
            return Err(self.bad_character());
        }
        found.system = Some(literal);
        Ok(found)
    }
}

/// The identifier of something outside the document.
#[derive(Clone, Copy, Debug)]
pub(super) struct Identifier<'a> {
    pub(super) public: Option<&'a str>,
    pub(super) system: Option<&'a str>,
}

fn is_public_id(c: char) -> bool {
    c.is_ascii_alphanumeric() || " \r\n-'()+,./:=?;!*#@$_%".contains(c)
}
