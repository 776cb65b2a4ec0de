//! The XML declaration, and the head of the document type declaration.

use penstock_scan::ValidText;

use super::tag::{Locus, Rules};
use super::walk::Walk;
use crate::error::Fault;

impl<'a> Walk<'a> {
    /// ` name = "value"` of the XML declaration.
    fn pseudo(&mut self, name: &'static str) -> Result<Option<(usize, &'a str)>, Fault> {
        let before = self.at;
        let spaced = self.space();
        if !self.eat(name) {
            self.at = before;
            return Ok(None);
        }
        if !spaced {
            self.at = before;
            return Err(self.fault("expected white space in the XML declaration"));
        }
        self.space();
        if !self.eat("=") {
            return Err(self.fault(format!("expected '=' after '{name}'")));
        }
        self.space();
        let at = self.at + 1;
        Ok(Some((at, self.literal("a value")?)))
    }
}

/// The contents of an XML declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Declaration {
    pub(super) standalone: bool,
}

/// Checks the XML declaration (XML 1.0, 2.8), given from `<?xml` to `?>`.
pub(super) fn declaration(text: ValidText<'_>, locus: Locus) -> Result<Declaration, Fault> {
    let whole = text.as_str();
    let mut walk = Walk { text: &whole[..whole.len() - 2], at: 5, locus };
    let fault = |at: usize, reason: String| Fault::malformed(locus.at(at), reason);
    let Some((at, version)) = walk.pseudo("version")? else {
        return Err(walk.fault("expected 'version' in the XML declaration"));
    };
    let is_number = |digits: &str| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    // The fifth edition requires that any 1.x is read as 1.0, and 1.1 too.
    if !version.strip_prefix("1.").is_some_and(is_number) {
        return Err(fault(at, "the version of XML must be '1.0'".to_owned()));
    }
    if let Some((at, name)) = walk.pseudo("encoding")? {
        let mut bytes = name.bytes();
        let starts = bytes.next().is_some_and(|first| first.is_ascii_alphabetic());
        if !starts || !bytes.all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-')) {
            return Err(fault(at, "the encoding's name is not one".to_owned()));
        }
    }
    let mut standalone = false;
    if let Some((at, value)) = walk.pseudo("standalone")? {
        standalone = match value {
            "yes" => true,
            "no" => false,
            _ => return Err(fault(at, "standalone must be 'yes' or 'no'".to_owned())),
        };
    }
    walk.space();
    if !walk.rest().is_empty() {
        return Err(walk.fault("expected '?>' at the end of the XML declaration"));
    }
    Ok(Declaration { standalone })
}

/// The head of a document type declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Head {
    /// Whether it has an external subset.
    pub(super) external: bool,
}

/// Validates the document type declaration (XML 1.0, 2.8) from `<!DOCTYPE` up to the `[` or `>`,
/// which is excluded.
pub(super) fn head(text: ValidText<'_>, locus: Locus, rules: &Rules) -> Result<Head, Fault> {
    let mut walk = Walk { text: text.as_str(), at: "<!DOCTYPE".len(), locus };
    if !walk.space() {
        return Err(walk.fault("expected white space after '<!DOCTYPE'"));
    }
    walk.name("the name of the root element", rules, true)?;
    let spaced = walk.space();
    let external = walk.rest().starts_with("PUBLIC") || walk.rest().starts_with("SYSTEM");
    if external {
        if !spaced {
            return Err(walk.fault("expected white space after the name of the root element"));
        }
        walk.external_id(false)?;
        walk.space();
    }
    if !walk.rest().is_empty() {
        return Err(walk.fault("expected '[' or '>' in the document type declaration"));
    }
    Ok(Head { external })
}
