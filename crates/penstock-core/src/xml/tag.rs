//! A start tag: found complete in the window, with the positions of its parts.

use penstock_scan::{Isa, TextBuf, ValidText, gathered, make_room};

use super::names::{is_name_char, is_name_start};
use crate::error::Fault;

/// The offsets in the source of a text's bytes: in the document each byte has its own, in an entity
/// all have that of the reference.
#[derive(Clone, Copy, Debug)]
pub(super) struct Locus {
    base: u64,
    mask: u64,
}

impl Locus {
    pub(super) fn document(base: u64) -> Self {
        Locus { base, mask: u64::MAX }
    }
    pub(super) fn entity(at: u64) -> Self {
        Locus { base: at, mask: 0 }
    }
    /// The offset in the source of the byte at `index`.
    #[inline(always)]
    pub(super) fn at(self, index: usize) -> u64 {
        self.base + (index as u64 & self.mask)
    }
    /// The offsets of the part of the text that begins at `index`.
    pub(super) fn behind(self, index: usize) -> Self {
        Locus { base: self.at(index), ..self }
    }
    /// True for the text of an entity.
    pub(super) fn is_fixed(self) -> bool {
        self.mask == 0
    }
}

/// The reason why a construct could not be parsed.
#[derive(Debug)]
pub(super) enum Stop {
    /// The window ends inside it.
    Cut,
    /// It is not well-formed.
    Fault(Fault),
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Self {
        Stop::Fault(fault)
    }
}

/// An attribute. Positions count from the beginning of the tag, or of the tag's own
/// [values](Tag::values) if the attribute is a default.
#[derive(Clone, Copy, Debug)]
pub(super) struct Attribute {
    pub(super) name: u32,
    /// The colon after its prefix, or 0.
    pub(super) colon: u32,
    pub(super) name_end: u32,
    pub(super) value: u32,
    pub(super) value_end: u32,
    /// True if the resolved value is in the tag's values.
    pub(super) resolved: bool,
    /// True if the attribute comes from the document type and not from the tag. Then the name is in
    /// the tag's values, too.
    pub(super) default: bool,
    /// True if the value needs resolving: it has a reference, or white space other than spaces.
    pub(super) rough: bool,
    pub(super) ascii: bool,
}

/// The parts of a start tag.
#[derive(Debug, Default)]
pub(super) struct Tag {
    /// The end of the name, counted from `<`.
    pub(super) name_end: usize,
    /// The colon in the name, or 0.
    pub(super) colon: usize,
    /// The end of the tag, after `>`.
    pub(super) end: usize,
    /// True for an empty-element tag.
    pub(super) empty: bool,
    pub(super) attributes: Vec<Attribute>,
    /// Resolved values, and defaults.
    pub(super) values: TextBuf,
    /// How many attributes have a prefix.
    pub(super) prefixed: usize,
    /// True if an attribute declares a namespace.
    pub(super) declares: bool,
    /// True if a value needs resolving.
    pub(super) rough: bool,
    /// For each declared attribute, whether the tag has it.
    pub(super) written: Vec<bool>,
    /// The hashes of names that occurred.
    seen: u64,
}

/// ASCII characters that a name may begin with, except the colon.
const STARTS: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 128 {
        table[byte] = (byte as u8).is_ascii_alphabetic() || byte as u8 == b'_';
        byte += 1;
    }
    table
};

/// With more attributes than this, repeated names are found by sorting.
const FEW: usize = 32;

pub(super) const BAD_COLON: &str = "a name has at most one colon, with a name on either side of it";

/// The options for reading a tag.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules {
    pub(super) namespaces: bool,
    /// Whether characters that are not allowed are repaired later.
    pub(super) control: bool,
    pub(super) name_limit: usize,
    pub(super) attribute_limit: usize,
}

/// The name at `from`: its end, and its colon or 0.
#[inline(always)]
pub(super) fn name<I: Isa>(
    isa: I,
    text: ValidText<'_>,
    from: usize,
    rules: &Rules,
    locus: Locus,
) -> Result<(usize, usize), Stop> {
    let bytes = text.as_bytes();
    let end = isa.xml_name(bytes, from);
    if let (Some(&first), Some(&next)) = (bytes.get(from), bytes.get(end))
        && STARTS[first as usize]
        && next != b':'
        && next < 0x80
        && end - from <= rules.name_limit
    {
        return Ok((end, 0));
    }
    // The same after a prefix.
    if rules.namespaces
        && let (Some(&first), Some(b':')) = (bytes.get(from), bytes.get(end))
        && let Some(&local) = bytes.get(end + 1)
        && STARTS[first as usize]
        && STARTS[local as usize]
    {
        let colon = end;
        let end = isa.xml_name(bytes, colon + 1);
        if let Some(&next) = bytes.get(end)
            && next != b':'
            && next < 0x80
            && end - from <= rules.name_limit
        {
            return Ok((end, colon));
        }
    }
    // If a name continues after the window, do not walk through it each time that it has grown.
    if let Some(&first) = bytes.get(from)
        && end == bytes.len()
        && STARTS[first as usize]
        && end - from <= rules.name_limit
    {
        return Err(Stop::Cut);
    }
    rare_name(text, from, rules, locus)
}

/// As [`name`], for names with characters beyond ASCII, and for text that is not a name.
#[inline(never)]
fn rare_name(
    text: ValidText<'_>,
    from: usize,
    rules: &Rules,
    locus: Locus,
) -> Result<(usize, usize), Stop> {
    let mut colon = 0;
    let mut begins = true;
    let rest = text.slice(from..text.as_bytes().len()).as_str();
    for (index, char) in rest.char_indices() {
        let at = from + index;
        if index > rules.name_limit {
            let limit = rules.name_limit;
            let reason = format!("a name longer than {limit} bytes (limits.name)");
            return Err(Fault::limit(locus.at(from), reason).into());
        }
        let is_colon = char == ':' && rules.namespaces;
        if is_colon && (begins || colon != 0) {
            return Err(Fault::malformed(locus.at(at), BAD_COLON).into());
        }
        if is_colon {
            colon = at;
            begins = true;
        } else if begins && !is_name_start(char) {
            let reason = if colon == 0 { "expected a name" } else { BAD_COLON };
            return Err(Fault::malformed(locus.at(at), reason).into());
        } else if !is_name_char(char) {
            return Ok((at, colon));
        } else {
            begins = false;
        }
    }
    Err(Stop::Cut)
}

/// Whether the three bytes beginning with 0xEF are U+FFFE or U+FFFF, which XML does not allow.
#[inline(always)]
pub(super) fn is_noncharacter(bytes: &[u8], at: usize) -> bool {
    matches!(bytes.get(at..at + 3), Some([0xEF, 0xBF, 0xBE | 0xBF]))
}

/// A character that XML does not allow.
#[cold]
#[inline(never)]
pub(super) fn bad_character(bytes: &[u8], at: usize, locus: Locus) -> Fault {
    let code = match bytes.get(at) {
        Some(0xEF) => 0xFF00 | 0xC0 | u32::from(bytes.get(at + 2).copied().unwrap_or(0) & 0x3F),
        Some(&byte) => byte.into(),
        None => 0,
    };
    Fault::malformed(locus.at(at), format!("the character U+{code:04X} is not allowed in XML"))
}

impl Tag {
    /// Finds the parts of the start tag whose `<` is at `pos`. It does not check whether prefixes
    /// are bound and values can be resolved.
    #[inline(always)]
    pub(super) fn read<I: Isa>(
        &mut self,
        isa: I,
        text: ValidText<'_>,
        pos: usize,
        rules: &Rules,
        locus: Locus,
    ) -> Result<(), Stop> {
        let bytes = text.as_bytes();
        let (end, colon) = name(isa, text, pos + 1, rules, locus)?;
        self.name_end = end - pos;
        self.colon = if colon == 0 { 0 } else { colon - pos };
        self.attributes.clear();
        self.empty = false;
        self.declares = false;
        self.rough = false;
        self.prefixed = 0;
        if bytes.get(end) == Some(&b'>') {
            self.end = end + 1 - pos;
            return Ok(());
        }
        self.read_attributes(isa, text, pos, end, rules, locus)
    }

    /// The parts after the name: attributes, and the end of the tag.
    #[inline(always)]
    fn read_attributes<I: Isa>(
        &mut self,
        isa: I,
        text: ValidText<'_>,
        pos: usize,
        from: usize,
        rules: &Rules,
        locus: Locus,
    ) -> Result<(), Stop> {
        let bytes = text.as_bytes();
        self.values.clear();
        self.seen = 0;
        let mut at = from;
        loop {
            let space = isa.space(bytes, at);
            match bytes.get(space) {
                Some(b'>') => {
                    self.end = space + 1 - pos;
                    break;
                }
                Some(b'/') => match bytes.get(space + 1) {
                    Some(b'>') => {
                        self.empty = true;
                        self.end = space + 2 - pos;
                        break;
                    }
                    Some(_) => {
                        let reason = "expected '>' after '/'";
                        return Err(malformed(locus.at(space + 1), reason));
                    }
                    None => return Err(Stop::Cut),
                },
                None => return Err(Stop::Cut),
                Some(_) if space == at => {
                    let reason = if self.attributes.is_empty() {
                        "expected white space, '>' or '/>' after the element's name"
                    } else {
                        "expected white space, '>' or '/>' after the attribute"
                    };
                    return Err(malformed(locus.at(at), reason));
                }
                Some(_) => {}
            }
            at = self.read_attribute(isa, text, pos, space, rules, locus)?;
        }
        if self.attributes.len() > FEW {
            self.find_repeated(bytes, pos, locus)?;
        }
        Ok(())
    }

    /// The attribute at `from`; returns its end.
    #[inline(always)]
    fn read_attribute<I: Isa>(
        &mut self,
        isa: I,
        text: ValidText<'_>,
        pos: usize,
        from: usize,
        rules: &Rules,
        locus: Locus,
    ) -> Result<usize, Stop> {
        let bytes = text.as_bytes();
        let (name_end, colon) = name(isa, text, from, rules, locus)?;
        let mut at = name_end;
        // Nearly always `="` follows directly.
        if bytes.get(at) != Some(&b'=') {
            at = isa.space(bytes, at);
            match bytes.get(at) {
                Some(b'=') => {}
                None => return Err(Stop::Cut),
                Some(_) => {
                    return Err(malformed(locus.at(at), "expected '=' after the attribute's name"));
                }
            }
        }
        at += 1;
        if !matches!(bytes.get(at), Some(b'"' | b'\'')) {
            at = isa.space(bytes, at);
        }
        let quote = match bytes.get(at) {
            Some(&quote @ (b'"' | b'\'')) => quote,
            None => return Err(Stop::Cut),
            Some(_) => {
                return Err(malformed(locus.at(at), "expected an attribute's value in quotes"));
            }
        };
        let value = at + 1;
        at = value;
        let (mut ascii, mut rough) = (true, false);
        let value_end = loop {
            let found = isa.xml_value(bytes, at);
            ascii &= found.ascii;
            at = found.at + 1;
            match bytes.get(found.at) {
                Some(&byte) if byte == quote => break found.at,
                Some(b'"' | b'\'') => {}
                Some(b'&' | b'\t' | b'\n' | b'\r') => rough = true,
                Some(b'<') => {
                    let reason = "'<' is not allowed in an attribute's value: write '&lt;'";
                    return Err(malformed(locus.at(found.at), reason));
                }
                Some(0xEF) if !is_noncharacter(bytes, found.at) => {
                    ascii = false;
                    at = found.at + 3;
                }
                Some(_) if rules.control => {
                    rough = true;
                    at = found.at + if bytes[found.at] == 0xEF { 3 } else { 1 };
                }
                Some(_) => return Err(bad_character(bytes, found.at, locus).into()),
                None => return Err(Stop::Cut),
            }
        };
        let prefix_is = |prefix: &[u8]| &bytes[from..colon.max(from)] == prefix;
        if colon != 0 {
            self.prefixed += 1;
            self.declares |= prefix_is(b"xmlns");
        } else if rules.namespaces && name_end - from == 5 {
            self.declares |= &bytes[from..name_end] == b"xmlns";
        }
        self.rough |= rough;
        if self.attributes.len() == rules.attribute_limit {
            return Err(too_many(locus.at(from), rules.attribute_limit).into());
        }
        let place = |index: usize| (index - pos) as u32;
        let new = Attribute {
            name: place(from),
            colon: if colon == 0 { 0 } else { place(colon) },
            name_end: place(name_end),
            value: place(value),
            value_end: place(value_end),
            resolved: false,
            default: false,
            rough,
            ascii,
        };
        // The length and both ends of the name give a bit. Names are compared only if that bit is
        // taken.
        let mixed = bytes[from] ^ bytes[name_end - 1].rotate_left(3);
        let bit = 1_u64 << (((name_end - from) * 7 + mixed as usize) & 63);
        if self.seen & bit != 0 && self.attributes.len() <= FEW {
            let name = &bytes[from..name_end];
            if self.has_one_like(bytes, pos, &new, name) {
                return Err(repeated(name, locus.at(from)).into());
            }
        }
        self.seen |= bit;
        make_room(&mut self.attributes, 1);
        self.attributes.push(new);
        Ok(value_end + 1)
    }

    /// Whether there is an attribute of the same name as another one.
    #[inline(always)]
    fn has_one_like(&self, bytes: &[u8], pos: usize, new: &Attribute, name: &[u8]) -> bool {
        self.attributes.iter().any(|old| {
            old.name_end - old.name == new.name_end - new.name
                && &bytes[pos + old.name as usize..pos + old.name_end as usize] == name
        })
    }

    /// Finds a name that occurs twice among many attributes.
    #[cold]
    #[inline(never)]
    fn find_repeated(&self, bytes: &[u8], pos: usize, locus: Locus) -> Result<(), Fault> {
        let name = |index: &usize| {
            let attribute = &self.attributes[*index];
            &bytes[pos + attribute.name as usize..pos + attribute.name_end as usize]
        };
        let mut order = gathered(0..self.attributes.len());
        // Of two that are equal, the one that comes first stands first.
        order.sort_unstable_by(|a, b| name(a).cmp(name(b)).then(a.cmp(b)));
        let pairs = order.windows(2).filter(|pair| name(&pair[0]) == name(&pair[1]));
        match pairs.map(|pair| pair[1]).min() {
            Some(second) => {
                let at = pos + self.attributes[second].name as usize;
                Err(repeated(name(&second), locus.at(at)))
            }
            None => Ok(()),
        }
    }

    /// The text that contains an attribute's name, and the text that contains its value.
    #[inline(always)]
    pub(super) fn name_in<'a>(
        &'a self,
        tag: ValidText<'a>,
        attribute: &Attribute,
    ) -> ValidText<'a> {
        let text = if attribute.default { self.values.text() } else { tag };
        text.slice(attribute.name as usize..attribute.name_end as usize)
    }

    /// The prefix that an attribute declares, if it is a namespace declaration.
    pub(super) fn declared_prefix<'a>(
        &'a self,
        tag: ValidText<'a>,
        attribute: &Attribute,
    ) -> Option<ValidText<'a>> {
        let name = self.name_in(tag, attribute);
        if attribute.colon == 0 {
            return (name.as_bytes() == b"xmlns").then(|| name.slice(0..0));
        }
        let prefix = (attribute.colon - attribute.name) as usize;
        let is = &name.as_bytes()[..prefix] == b"xmlns";
        is.then(|| name.slice(prefix + 1..name.as_bytes().len()))
    }

    /// The value of an attribute.
    #[inline(always)]
    pub(super) fn value_in<'a>(
        &'a self,
        tag: ValidText<'a>,
        attribute: &Attribute,
    ) -> ValidText<'a> {
        let text = if attribute.resolved { self.values.text() } else { tag };
        text.slice(attribute.value as usize..attribute.value_end as usize)
    }
}

/// A tag that is not well-formed.
#[cold]
#[inline(never)]
fn malformed(at: u64, reason: &'static str) -> Stop {
    Fault::malformed(at, reason).into()
}

/// More attributes than the limit.
#[cold]
pub(super) fn too_many(at: u64, limit: usize) -> Fault {
    Fault::limit(at, format!("more than {limit} attributes of one element (limits.attributes)"))
}

/// A repeated attribute.
#[cold]
pub(super) fn repeated(name: &[u8], at: u64) -> Fault {
    let name = String::from_utf8_lossy(name);
    Fault::malformed(at, format!("the attribute '{}' occurs more than once", brief(&name)))
}

/// The beginning of a name, for a message.
pub(super) fn brief(name: &str) -> String {
    match name.char_indices().nth(40) {
        Some((end, _)) => format!("{}\u{2026}", &name[..end]),
        None => name.to_owned(),
    }
}
