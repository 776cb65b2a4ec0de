//! Finds a document's encoding: the one that the caller names, or the one that an XML document
//! declares.
//!
//! An XML document declares it by a byte order mark, or in its XML declaration, which is read in
//! the encoding family that the first four bytes show (XML 1.0, appendix F). A contradiction is a
//! fault, because choosing between two claims would not be safe. A caller who names an encoding has
//! chosen: then the declaration says nothing, and only the bytes themselves know better: a byte order mark,
//! or the zeros of wide characters. The declaration stays in the text.

use crate::error::Fault;
use crate::source::encoding::{Encoding, Opening, by_name, opening, refuse};

/// How many bytes to search for the end of an XML declaration's encoding.
pub const DECLARATION: usize = 1024;

/// How a document declares its encoding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Detect {
    /// It does not: it is in the encoding that the caller names, or else in UTF-8.
    #[default]
    Nothing,
    /// By a byte order mark, or else by its XML declaration, which the encoding that the caller names
    /// overrules.
    Xml,
    /// As XML, unless the first bytes are those of a binary property list, which has no encoding.
    Plist,
}

/// The encoding of a document, as found from its first bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settled {
    /// The encoding of its text.
    pub encoding: Encoding,
    /// How many bytes of a UTF-8 byte order mark are before the text. Marks of other encodings are
    /// dropped when the text is decoded.
    pub mark: usize,
}

impl Settled {
    /// UTF-8, without a mark.
    pub const UTF_8: Settled = Settled { encoding: Encoding::UTF_8, mark: 0 };
}

/// The encoding of a whole XML document in memory. `given` overrules what the document declares. If
/// there is neither, it is UTF-8.
///
/// ```
/// use penstock_core::source::encoding::{Encoding, by_name};
/// use penstock_core::source::xml_encoding;
///
/// let settled = xml_encoding(b"\xef\xbb\xbf<a/>", None)?;
/// assert_eq!((settled.encoding, settled.mark), (Encoding::UTF_8, 3));
/// let settled = xml_encoding(b"<?xml version='1.0' encoding='Shift_JIS'?><a/>", None)?;
/// assert_eq!(Some(settled.encoding), by_name("shift_jis"));
/// let fault = xml_encoding(b"<?xml version='1.0' encoding='UTF-16'?><a/>", None).unwrap_err();
/// assert_eq!(
///     fault.reason(),
///     "the XML declaration says encoding 'UTF-16', but it is not written in UTF-16",
/// );
/// # Ok::<(), penstock_core::error::Fault>(())
/// ```
///
/// # Errors
/// Nothing is given, and the declaration contradicts the byte order mark or the encoding in which it
/// is written, or names an unknown encoding; or it is longer than [`DECLARATION`]; or the document is in EBCDIC, or begins
/// like UTF-16 or UTF-32, but without a `<`.
pub fn xml_encoding(document: &[u8], given: Option<Encoding>) -> Result<Settled, Fault> {
    let prefix = &document[..document.len().min(DECLARATION)];
    let ended = prefix.len() == document.len();
    let settled = settle_xml(prefix, ended, given)?;
    // If no more bytes come, and at the limit, there is always an answer.
    Ok(settled.unwrap_or(Settled { encoding: given.unwrap_or(Encoding::UTF_8), mark: 0 }))
}

/// Finds the encoding from the first bytes of a document.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Judge {
    detect: Detect,
    encoding: Option<Encoding>,
}

impl Judge {
    pub(crate) const fn new(detect: Detect, encoding: Option<Encoding>) -> Self {
        Judge { detect, encoding }
    }

    /// How many bytes it may need.
    pub(crate) fn most(self) -> usize {
        match self.detect {
            Detect::Nothing => 4,
            Detect::Xml | Detect::Plist => DECLARATION,
        }
    }

    /// The encoding of a document that begins with `prefix` and, if `ended`, has no more bytes;
    /// `None` if it needs more. It asks for more only if more can change the answer, because a
    /// stream may be slow to give it.
    pub(crate) fn settle(self, prefix: &[u8], ended: bool) -> Result<Option<Settled>, Fault> {
        if self.detect == Detect::Plist {
            match is_binary(prefix) {
                Some(true) => return Ok(Some(Settled::UTF_8)),
                None if !ended => return Ok(None),
                None | Some(false) => {}
            }
        }
        if self.detect != Detect::Nothing {
            return settle_xml(prefix, ended, self.encoding);
        }
        if let Some(encoding) = self.encoding.filter(|encoding| !encoding.is_utf8()) {
            return Ok(Some(Settled { encoding, mark: 0 }));
        }
        let utf8 = |mark| Ok(Some(Settled { encoding: Encoding::UTF_8, mark }));
        match opening(prefix, ended) {
            Opening::Open => Ok(None),
            Opening::Foreign(name) if self.encoding.is_none() => Err(refuse(name)),
            Opening::Foreign(_) => utf8(0),
            Opening::Text(mark) => utf8(mark),
        }
    }
}

/// How a binary property list begins, whatever its version.
const BINARY: &[u8] = b"bplist";

/// Whether a source that begins with `prefix` is a binary property list; none if more bytes decide.
#[must_use]
pub fn is_binary(prefix: &[u8]) -> Option<bool> {
    let known = prefix.len().min(BINARY.len());
    if prefix[..known] != BINARY[..known] {
        return Some(false);
    }
    (known == BINARY.len()).then_some(true)
}

/// `<?xm` in EBCDIC.
const EBCDIC: &[u8] = b"\x4c\x6f\xa7\x94";

/// How the characters of a declaration are written.
#[derive(Clone, Copy)]
enum Family {
    /// One byte each, in any extension of ASCII; UTF-8 if it has a mark.
    Bytes { marked: bool },
    /// Two or four bytes each, by this name.
    Wide { name: &'static str, marked: bool },
}

fn settle_xml(
    prefix: &[u8],
    ended: bool,
    given: Option<Encoding>,
) -> Result<Option<Settled>, Fault> {
    if EBCDIC.starts_with(&prefix[..prefix.len().min(4)]) && (prefix.len() >= 4 || !ended) {
        if prefix.len() < 4 {
            return Ok(None);
        }
        let reason = "the document is in EBCDIC, which is not read; convert it to UTF-8";
        return Err(Fault::malformed(0, reason));
    }
    let (family, mark) = match opening(prefix, ended) {
        Opening::Open => return Ok(None),
        Opening::Text(mark) => (Family::Bytes { marked: mark > 0 }, mark),
        Opening::Foreign(name) => {
            // A mark, or the zeros of a `<`.
            let marked = matches!(*prefix, [0xfe | 0xff, ..] | [0, 0, 0xfe, ..]);
            let family = Family::Wide { name, marked };
            if !marked && family.characters(prefix).next() != Some(b'<') {
                return match given {
                    Some(encoding) => Ok(Some(Settled { encoding, mark: 0 })),
                    None => Err(refuse(name)),
                };
            }
            (family, if marked { family.width() } else { 0 })
        }
    };
    let mut characters = family.characters(&prefix[mark..]);
    let declared = match declared(&mut characters) {
        // The declaration may continue.
        Read::Short if !ended && !characters.stopped && prefix.len() < DECLARATION => {
            return Ok(None);
        }
        Read::Short if !characters.stopped && prefix.len() >= DECLARATION => {
            return Err(Fault::limit(
                0,
                format!("the XML declaration is longer than {DECLARATION} bytes"),
            ));
        }
        Read::Short | Read::None => None,
        Read::Name(name) => Some(name),
    };
    let encoding = family.agree(declared.as_deref(), given)?;
    Ok(Some(Settled { encoding, mark: if encoding.is_utf8() { mark } else { 0 } }))
}

impl Family {
    fn width(self) -> usize {
        match self {
            Family::Bytes { .. } => 1,
            Family::Wide { name, .. } if name.starts_with("utf-16") => 2,
            Family::Wide { .. } => 4,
        }
    }

    fn characters(self, bytes: &[u8]) -> Characters<'_> {
        let big = matches!(self, Family::Wide { name, .. } if name.ends_with("be"));
        Characters { units: bytes.chunks_exact(self.width()), big, stopped: false }
    }

    /// The encoding of a document of this family whose declaration names `declared`, unless one is
    /// given.
    fn agree(self, declared: Option<&str>, given: Option<Encoding>) -> Result<Encoding, Fault> {
        let own = match self {
            Family::Bytes { marked: false } => None,
            Family::Bytes { marked: true } => Some(Encoding::UTF_8),
            Family::Wide { name, .. } => by_name(name),
        };
        let Some(name) = declared.filter(|_| given.is_none()) else {
            return Ok(own.or(given).unwrap_or(Encoding::UTF_8));
        };
        let Some(said) = by_declared_name(name) else {
            return Err(Fault::malformed(0, format!("unknown encoding '{name}' declared")));
        };
        let claim = format!("the XML declaration says encoding '{name}'");
        let (seen, agrees) = match self {
            Family::Bytes { marked: true } => {
                ("the byte order mark says UTF-8".to_owned(), said.is_utf8())
            }
            Family::Bytes { marked: false } => {
                let family = if said.name().starts_with("utf-16") { "UTF-16" } else { "UTF-32" };
                (format!("it is not written in {family}"), !said.is_wide())
            }
            Family::Wide { name, marked } => {
                let family = name[..6].to_ascii_uppercase();
                let order = if name.ends_with("le") { "little" } else { "big" };
                let who = if marked { "the byte order mark says" } else { "it is written in" };
                // A name without a byte order leaves the order to the document.
                let agrees = said.name() == name || said.name() == &name[..6];
                (format!("{who} {family} ({order} endian)"), agrees)
            }
        };
        if agrees {
            return Ok(own.unwrap_or(said));
        }
        Err(Fault::malformed(0, format!("{claim}, but {seen}")))
    }
}

/// As [`by_name`], with the names that XML 1.0 gives to encodings in units, of either order.
fn by_declared_name(name: &str) -> Option<Encoding> {
    match name.to_ascii_lowercase().as_str() {
        "iso-10646-ucs-2" | "ucs-2" => by_name("utf-16"),
        "iso-10646-ucs-4" | "ucs-4" => by_name("utf-32"),
        _ => by_name(name),
    }
}

/// The ASCII characters at the start of a text.
struct Characters<'a> {
    units: std::slice::ChunksExact<'a, u8>,
    big: bool,
    /// Another character follows.
    stopped: bool,
}

impl Iterator for Characters<'_> {
    type Item = u8;

    fn next(&mut self) -> Option<u8> {
        if self.stopped {
            return None;
        }
        let unit = self.units.next()?;
        let (value, zeros) = if self.big { unit.split_last()? } else { unit.split_first()? };
        self.stopped = !value.is_ascii() || zeros.iter().any(|b| *b != 0);
        (!self.stopped).then_some(*value)
    }
}

/// The result of reading an XML declaration.
enum Read {
    /// It is not finished.
    Short,
    /// No encoding: there is no declaration, or it names none, or it is not well formed, which the
    /// reader reports.
    None,
    Name(String),
}

/// Reads as much of a declaration as is needed to know the encoding.
fn declared(characters: &mut Characters<'_>) -> Read {
    let blank = |c: &u8| matches!(c, b' ' | b'\t' | b'\r' | b'\n');
    let mut characters = characters.peekable();
    for expected in *b"<?xml" {
        match characters.next() {
            None => return Read::Short,
            Some(c) if c != expected => return Read::None,
            Some(_) => {}
        }
    }
    match characters.peek() {
        None => return Read::Short,
        Some(c) if !blank(c) => return Read::None,
        Some(_) => {}
    }
    loop {
        while characters.next_if(blank).is_some() {}
        let mut name = Vec::new();
        while let Some(c) = characters.next_if(u8::is_ascii_alphabetic) {
            name.push(c);
        }
        while characters.next_if(blank).is_some() {}
        match characters.next() {
            None => return Read::Short,
            Some(b'=') => {}
            Some(_) => return Read::None,
        }
        while characters.next_if(blank).is_some() {}
        let quote = match characters.next() {
            None => return Read::Short,
            Some(quote @ (b'"' | b'\'')) => quote,
            Some(_) => return Read::None,
        };
        let mut value = String::new();
        loop {
            match characters.next() {
                None => return Read::Short,
                Some(c) if c == quote => break,
                Some(b'<' | b'>') => return Read::None,
                Some(c) => value.push(c.into()),
            }
        }
        if name == b"encoding" {
            return Read::Name(value);
        }
    }
}
