//! Start tags as the writer makes them: names, prefixes, attributes, declarations.
//!
//! A tag is written as its parts arrive. Only its `>` waits, because an attribute may follow, and
//! so do the declarations that the writer adds itself: the caller may declare the same prefix.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use penstock_scan::{Chosen, ValidText};

use super::elements::refusal;
use super::escape;
use super::names;
use super::namespaces::{XML, XMLNS};
use super::options::WriterOptions;
use super::scope::Scope;
use super::writer::Writer;
use crate::error::brief;
use crate::event::Scalar;
use crate::writer::{Unwritable, make_room, scalars};

/// The namespace of `xsi:nil`.
const XSI: &str = "http://www.w3.org/2001/XMLSchema-instance";

/// What a name says of its namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Space {
    /// It has none.
    None,
    /// The one of its prefix, wherever it is declared.
    AsWritten,
    /// This one; its prefix is a proposal.
    Uri,
    /// This one, and if the options give it no prefix, the writer makes one.
    Prefixed,
}

/// A name in the writer's buffer of names: the namespace, if it is given, and the name with its
/// prefix.
#[derive(Clone, Copy, Debug)]
pub(super) struct Name {
    pub(super) start: usize,
    pub(super) name: usize,
    /// The colon, or the beginning of the name if there is none.
    pub(super) colon: usize,
    pub(super) end: usize,
    pub(super) space: Space,
}

impl Name {
    pub(super) fn range(&self) -> Range<usize> {
        self.name..self.end
    }
    fn has_prefix(&self) -> bool {
        self.colon != self.name
    }
}

/// An attribute of the current tag, in its buffer.
#[derive(Clone, Copy, Debug)]
struct Attribute {
    start: usize,
    /// As in [`Name`].
    colon: usize,
    end: usize,
}

/// The start tag that is being written.
#[derive(Debug, Default)]
pub(super) struct StartTag {
    /// Whether its `>` is still to come.
    pub(super) open: bool,
    /// The number of the tag.
    serial: u64,
    /// Whether something is to be done before the `>`.
    pub(super) unfinished: bool,
    /// Whether the element has no namespace.
    bare: bool,
    /// The prefix of the element if it is as written, and the names of its attributes.
    names: Vec<u8>,
    prefix: usize,
    attributes: Vec<Attribute>,
    /// How many attributes have a prefix and do not declare one.
    prefixed: usize,
    /// The hashes of the attributes' names.
    seen: u64,
    /// The length of the attributes.
    length: usize,
}

/// With more attributes than this, repeated names are found by sorting.
const FEW: usize = 16;

impl StartTag {
    /// For a writer beside another one, between two tags.
    pub(super) fn beside(&self) -> Self {
        StartTag { serial: self.serial, ..StartTag::default() }
    }

    #[inline(always)]
    fn begin(&mut self) {
        self.open = true;
        self.serial += 1;
        (self.unfinished, self.bare) = (false, false);
        self.names.clear();
        self.prefix = 0;
        self.attributes.clear();
        self.prefixed = 0;
        self.seen = 0;
        self.length = 0;
    }

    /// Adds the name of an attribute.
    #[inline]
    fn add(&mut self, name: &[u8], colon: usize, limit: usize) -> Result<(), Unwritable> {
        make_room(&mut self.names, name.len())?;
        let start = self.names.len();
        self.names.extend_from_slice(name);
        // As the reader: names are compared only if the bit of their length and ends is taken.
        let (first, last) = (name.first().copied(), name.last().copied());
        let mixed = first.unwrap_or(0) ^ last.unwrap_or(0).rotate_left(3);
        let bit = 1_u64 << ((name.len() * 7 + usize::from(mixed)) & 63);
        if self.attributes.len() >= FEW {
            self.unfinished = true;
        } else if self.seen & bit != 0 {
            let is_same = |old: &Attribute| &self.names[old.start..old.end] == name;
            if self.attributes.iter().any(is_same) {
                return Err(repeated(name));
            }
        }
        self.seen |= bit;
        if self.attributes.len() >= limit {
            return Err(too_many(limit));
        }
        self.attributes.try_reserve(1).map_err(|_| Unwritable::memory())?;
        let (colon, end) = (start + colon, self.names.len());
        self.attributes.push(Attribute { start, colon, end });
        Ok(())
    }

    fn name(&self, attribute: &Attribute) -> &[u8] {
        &self.names[attribute.start..attribute.end]
    }

    /// Finds a name that occurs twice among many attributes, or with two prefixes.
    fn find_repeated(&self, scope: &Scope) -> Result<(), Unwritable> {
        if self.attributes.len() > FEW {
            let mut names: Vec<&[u8]> = self.attributes.iter().map(|one| self.name(one)).collect();
            names.sort_unstable();
            if let Some(pair) = names.windows(2).find(|pair| pair[0] == pair[1]) {
                return Err(repeated(pair[0]));
            }
        }
        if self.prefixed > 1 {
            let prefixed = self.attributes.iter().filter(|one| one.colon != one.start);
            let mut expanded: Vec<(&[u8], &[u8], &[u8])> = prefixed
                .filter_map(|one| {
                    let (prefix, name) = (&self.names[one.start..one.colon], self.name(one));
                    let local = &self.names[one.colon + 1..one.end];
                    let uri = match prefix {
                        b"xml" => XML.as_bytes(),
                        prefix => scope.uri(scope.find(prefix)?),
                    };
                    (prefix != b"xmlns").then_some((local, uri, name))
                })
                .collect();
            expanded.sort_unstable();
            let same =
                |pair: &&[(&[u8], &[u8], &[u8])]| (pair[0].0, pair[0].1) == (pair[1].0, pair[1].1);
            if let Some(pair) = expanded.windows(2).find(same) {
                return Err(repeated(pair[1].2));
            }
        }
        Ok(())
    }
}

#[cold]
fn repeated(name: &[u8]) -> Unwritable {
    let name = brief(&String::from_utf8_lossy(name));
    Unwritable::value(format!("the attribute {name} occurs more than once in one element"))
}

#[cold]
fn too_many(limit: usize) -> Unwritable {
    Unwritable::limit(format!("more than {limit} attributes of one element (limits.attributes)"))
}

#[cold]
fn two_meanings(prefix: &[u8]) -> Unwritable {
    let prefix = brief(&String::from_utf8_lossy(prefix));
    Unwritable::value(format!("the prefix {prefix} would stand for two namespaces"))
}

/// The prefixes of namespaces.
#[derive(Clone, Debug, Default)]
pub(super) struct Spaces {
    pub(super) scope: Scope,
    /// The prefixes of the options, by namespace.
    known: HashMap<Box<[u8]>, Box<[u8]>>,
    default: Option<Box<[u8]>>,
    /// The numbers of the prefixes that the writer made, by namespace.
    made: HashMap<Box<[u8]>, u64>,
    next: u64,
    /// What `next` was when the writer began beside another one.
    begun: u64,
}

/// If the writer made more prefixes than this, it forgets them, and makes others.
const MADE: usize = 4_096;

impl Spaces {
    /// The prefixes of the options, if all of them can be declared.
    pub(super) fn new(options: &WriterOptions) -> Result<Self, Unwritable> {
        let mut spaces = Spaces::default();
        let default = options.default_namespace.as_ref().map(|uri| ("", &**uri));
        let prefixes = options.prefixes.iter().map(|(prefix, uri)| (&**prefix, &**uri));
        let mut seen = HashSet::new();
        for (prefix, uri) in prefixes.chain(default) {
            if !options.namespaces {
                return Err(Unwritable::value("prefixes are given, but names have no namespaces"));
            }
            if !prefix.is_empty() && names::colon(prefix, true)?.is_some() {
                return Err(names::bad_colon(prefix));
            }
            if let Some(reason) = refusal(prefix, uri) {
                return Err(Unwritable::value(reason));
            }
            if options.ascii {
                names::in_ascii(prefix)?;
            }
            if !seen.insert(prefix) {
                return Err(two_meanings(prefix.as_bytes()));
            }
            escape::value(Chosen::portable(), uri.into(), &mut Vec::new())?;
            match prefix {
                "" => spaces.default = Some(uri.as_bytes().into()),
                // It is always declared.
                "xml" => {}
                prefix => {
                    let known = spaces.known.entry(uri.as_bytes().into());
                    known.or_insert_with(|| prefix.as_bytes().into());
                }
            }
        }
        Ok(spaces)
    }

    /// Forgets what the last document declared.
    pub(super) fn reset(&mut self) {
        self.scope.leave(0);
        self.made.clear();
        (self.next, self.begun) = (0, 0);
    }

    /// Whether so few prefixes were made that it costs nothing to copy them.
    pub(super) fn are_few(&self) -> bool {
        self.made.len() <= FEW
    }

    /// For a writer beside another one: it has made no prefix of its own so far, and only so many
    /// elements are open.
    pub(super) fn begin_beside(&mut self, depth: usize) {
        self.scope.leave(depth);
        self.begun = self.next;
    }

    /// Whether neither of them has made a prefix since the other one began beside it.
    pub(super) fn agree(&self, beside: &Spaces) -> bool {
        (beside.begun, beside.next) == (self.next, self.next)
    }

    /// The place of a declaration for the namespace of a name, or none if that is XML's own. `bare`
    /// says whether one without a prefix may be made.
    fn resolve(
        &mut self,
        uri: &[u8],
        prefix: &[u8],
        (attribute, bare): (bool, bool),
        serial: u64,
        depth: usize,
    ) -> Result<Option<usize>, Unwritable> {
        if uri == XML.as_bytes() {
            return Ok(None);
        }
        if uri == XMLNS.as_bytes() {
            let reason = "no name but a declaration is in the namespace of declarations";
            return Err(Unwritable::value(reason));
        }
        if !attribute && self.default.as_deref() == Some(uri) {
            let place = self.scope.attempt(b"", uri, serial, depth)?;
            if place.is_some() {
                return Ok(place);
            }
        }
        if !self.known.is_empty()
            && let Some(known) = self.known.get(uri)
        {
            let place = self.scope.attempt(known, uri, serial, depth)?;
            if place.is_some() {
                return Ok(place);
            }
        }
        let possible = match prefix {
            b"" => bare,
            b"xml" | b"xmlns" => false,
            _ => true,
        };
        if possible {
            let place = self.scope.attempt(prefix, uri, serial, depth)?;
            if place.is_some() {
                return Ok(place);
            }
        }
        self.make(uri, serial, depth).map(Some)
    }

    /// The place of a declaration for a namespace that has no prefix.
    #[inline(never)]
    fn make(&mut self, uri: &[u8], serial: u64, depth: usize) -> Result<usize, Unwritable> {
        let mut number = self.made.get(uri).copied();
        loop {
            let current = match number {
                Some(number) => number,
                None => {
                    if self.made.len() == MADE {
                        self.made.clear();
                    }
                    self.next += 1;
                    self.made.insert(uri.into(), self.next - 1);
                    self.next - 1
                }
            };
            let prefix = format!("ns{current}");
            if let Some(place) = self.scope.attempt(prefix.as_bytes(), uri, serial, depth)? {
                return Ok(place);
            }
            number = None;
        }
    }
}

impl Writer {
    /// Writes the beginning of a start tag. Returns the place of the element's name in the buffer
    /// of names.
    #[inline]
    pub(super) fn begin_tag(&mut self, name: Name) -> Result<Range<usize>, Unwritable> {
        if self.depth >= self.limits.depth {
            let limit = self.limits.depth;
            let reason = format!("nested deeper than {limit} levels (limits.depth)");
            return Err(Unwritable::limit(reason));
        }
        self.depth += 1;
        self.brackets = 0;
        self.tag.begin();
        let simple = match name.space {
            Space::Uri | Space::Prefixed => false,
            Space::AsWritten => !name.has_prefix(),
            Space::None => self.spaces.scope.is_empty(),
        };
        let place = if simple && self.depth > 1 {
            self.tag.bare = name.space == Space::None;
            name.range()
        } else {
            self.resolve_element(name)?
        };
        self.check_length(&place)?;
        let bytes = &self.names[place.clone()];
        make_room(&mut self.text, bytes.len() + 1)?;
        self.text.push(b'<');
        self.text.extend_from_slice(bytes);
        Ok(place)
    }

    #[inline(always)]
    fn check_length(&self, name: &Range<usize>) -> Result<(), Unwritable> {
        if name.len() > self.limits.name {
            let limit = self.limits.name;
            let reason = format!("a name longer than {limit} bytes (limits.name)");
            return Err(Unwritable::limit(reason));
        }
        Ok(())
    }

    /// As far as the name of an element involves namespaces, and of the root element.
    #[inline(never)]
    fn resolve_element(&mut self, name: Name) -> Result<Range<usize>, Unwritable> {
        let (serial, depth) = (self.tag.serial, self.depth);
        if !self.options.namespaces {
            return Ok(name.range());
        }
        self.tag.bare = name.space == Space::None;
        if depth == 1 {
            for (prefix, uri) in self.options.prefixes.iter().filter(|pair| pair.0 != "xml") {
                self.spaces.scope.bind(prefix.as_bytes(), uri.as_bytes(), depth, true)?;
                self.tag.unfinished = true;
            }
            if let Some(uri) = self.options.default_namespace.as_ref().filter(|_| !self.tag.bare) {
                self.spaces.scope.bind(b"", uri.as_bytes(), depth, true)?;
                self.tag.unfinished = true;
            }
        }
        match name.space {
            Space::None => {
                let default = self.spaces.scope.find(b"");
                if default.is_some_and(|place| !self.spaces.scope.uri(place).is_empty()) {
                    self.spaces.scope.bind(b"", b"", depth, true)?;
                    self.tag.unfinished = true;
                }
                Ok(name.range())
            }
            Space::AsWritten => {
                let prefix = &self.names[name.name..name.colon];
                if prefix == b"xmlns" {
                    let reason = "an element cannot have the prefix 'xmlns'";
                    return Err(Unwritable::value(reason));
                }
                self.spaces.scope.mention(prefix, serial, depth)?;
                if !prefix.is_empty() {
                    make_room(&mut self.tag.names, prefix.len())?;
                    self.tag.names.extend_from_slice(prefix);
                    self.tag.prefix = prefix.len();
                    self.tag.unfinished = true;
                }
                Ok(name.range())
            }
            Space::Uri | Space::Prefixed => self.resolve(name, false),
        }
    }

    /// The place of a name with the prefix that stands for its namespace here.
    fn resolve(&mut self, name: Name, attribute: bool) -> Result<Range<usize>, Unwritable> {
        let uri = &self.names[name.start..name.name];
        let proposed = &self.names[name.name..name.colon];
        let (serial, depth) = (self.tag.serial, self.depth);
        let bare = !attribute && name.space != Space::Prefixed;
        let place = self.spaces.resolve(uri, proposed, (attribute, bare), serial, depth)?;
        let prefix = match place {
            None => b"xml",
            Some(place) => {
                self.tag.unfinished |= self.spaces.scope.at(place).owed;
                self.spaces.scope.prefix(place)
            }
        };
        if prefix == proposed {
            return Ok(name.range());
        }
        let local = if name.has_prefix() { name.colon + 1 } else { name.name }..name.end;
        let start = self.names.len();
        make_room(&mut self.names, prefix.len() + 1 + local.len())?;
        if !prefix.is_empty() {
            self.names.extend_from_slice(prefix);
            self.names.push(b':');
        }
        self.names.extend_from_within(local);
        Ok(start..self.names.len())
    }

    /// Writes an attribute into the tag that is open.
    #[inline]
    pub(super) fn attribute(&mut self, name: Name, value: Scalar<'_>) -> Result<(), Unwritable> {
        if matches!(value, Scalar::Null) {
            return Ok(());
        }
        let written = &self.names[name.range()];
        let mut place = name.range();
        if self.options.namespaces {
            let is_declaration = written.starts_with(b"xmlns")
                && (written.len() == 5 || written[5] == b':')
                && (name.space != Space::Uri
                    || &self.names[name.start..name.name] == XMLNS.as_bytes());
            if is_declaration {
                self.declare(name, value)?;
            } else if name.space == Space::Uri {
                place = self.resolve(name, true)?;
                self.tag.prefixed += 1;
                self.tag.unfinished |= self.tag.prefixed > 1;
            } else if name.has_prefix() {
                let prefix = &self.names[name.name..name.colon];
                self.spaces.scope.mention(prefix, self.tag.serial, self.depth)?;
                self.tag.prefixed += 1;
                self.tag.unfinished = true;
            }
        }
        self.check_length(&place)?;
        let bytes = &self.names[place];
        let colon = match bytes.iter().position(|byte| *byte == b':') {
            Some(colon) if self.options.namespaces => colon,
            _ => 0,
        };
        self.tag.add(bytes, colon, self.limits.attributes)?;
        make_room(&mut self.text, bytes.len() + 4)?;
        let before = self.text.len();
        self.text.push(b' ');
        self.text.extend_from_slice(bytes);
        self.text.extend_from_slice(b"=\"");
        match value {
            Scalar::Text(text) | Scalar::Untyped(text) => {
                let from = self.text.len();
                escape::value(self.isa, text.text, &mut self.text)?;
                self.in_ascii(from)?;
            }
            value => scalars::plain(value, &self.limits, &mut self.text)?,
        }
        make_room(&mut self.text, 1)?;
        self.text.push(b'"');
        self.tag.length += self.text.len() - before;
        self.check_tag()
    }

    #[inline(always)]
    fn check_tag(&self) -> Result<(), Unwritable> {
        if self.tag.length > self.limits.tag {
            let limit = self.limits.tag;
            return Err(Unwritable::limit(format!("a tag longer than {limit} bytes (limits.tag)")));
        }
        Ok(())
    }

    /// An attribute is a declaration, which the caller makes.
    #[inline(never)]
    fn declare(&mut self, name: Name, value: Scalar<'_>) -> Result<(), Unwritable> {
        let (Scalar::Text(uri) | Scalar::Untyped(uri)) = value else {
            return Err(Unwritable::value("the namespace of a prefix is text"));
        };
        let written = &self.names[name.range()];
        let prefix = written.get(6..).unwrap_or_default();
        let (serial, depth, uri) = (self.tag.serial, self.depth, uri.text.as_str());
        if let Some(reason) = refusal(&String::from_utf8_lossy(prefix), uri) {
            return Err(Unwritable::value(reason));
        }
        if prefix == b"xml" {
            return Ok(());
        }
        let uri = uri.as_bytes();
        if prefix.is_empty() && self.tag.bare && !uri.is_empty() {
            return Err(two_meanings(prefix));
        }
        if let Some(place) = self.spaces.scope.declared(prefix) {
            let same = self.spaces.scope.uri(place) == uri;
            let binding = self.spaces.scope.at(place);
            if !same && (binding.depth == depth || binding.chosen == serial) {
                return Err(two_meanings(prefix));
            }
            if binding.depth == depth {
                binding.owed = false;
                return Ok(());
            }
        }
        self.spaces.scope.bind(prefix, uri, depth, false)?;
        Ok(())
    }

    /// Writes `xsi:nil` into the tag that is open.
    #[inline(never)]
    pub(super) fn nil(&mut self) -> Result<(), Unwritable> {
        let keep = self.names.len();
        if self.options.namespaces {
            let name = self.keep_name(XSI, "xsi", "nil", Space::Uri)?;
            self.attribute(name, Scalar::Bool(true))?;
        } else {
            let name = self.keep_name("", "xmlns", "xsi", Space::AsWritten)?;
            self.attribute(name, Scalar::Text(XSI.into()))?;
            let name = self.keep_name("", "xsi", "nil", Space::AsWritten)?;
            self.attribute(name, Scalar::Bool(true))?;
        }
        self.names.truncate(keep);
        Ok(())
    }

    /// Completes the tag up to its `>`: writes the declarations, and checks what could not be
    /// checked before.
    #[inline(never)]
    pub(super) fn finish_tag(&mut self) -> Result<(), Unwritable> {
        self.tag.unfinished = false;
        if !self.options.namespaces {
            return self.tag.find_repeated(&self.spaces.scope);
        }
        let prefixes = self.tag.attributes.iter().map(|one| one.start..one.colon);
        for prefix in std::iter::once(0..self.tag.prefix).chain(prefixes) {
            let prefix = &self.tag.names[prefix];
            if matches!(prefix, b"" | b"xml" | b"xmlns")
                || self.spaces.scope.declared(prefix).is_some()
            {
                continue;
            }
            if prefix != b"xsi" {
                let prefix = brief(&String::from_utf8_lossy(prefix));
                let reason = format!("the prefix {prefix} is not declared");
                return Err(Unwritable::value(reason));
            }
            self.spaces.scope.bind(prefix, XSI.as_bytes(), self.depth, true)?;
        }
        let mut count = self.tag.attributes.len();
        for place in self.spaces.scope.of(self.depth) {
            if !std::mem::take(&mut self.spaces.scope.at(place).owed) {
                continue;
            }
            count += 1;
            let (prefix, uri) = (self.spaces.scope.prefix(place), self.spaces.scope.uri(place));
            make_room(&mut self.text, prefix.len() + 11)?;
            let before = self.text.len();
            self.text.extend_from_slice(b" xmlns");
            if !prefix.is_empty() {
                self.text.push(b':');
                self.text.extend_from_slice(prefix);
            }
            self.text.extend_from_slice(b"=\"");
            let uri = String::from_utf8_lossy(uri);
            let from = self.text.len();
            escape::value(self.isa, ValidText::from(&*uri), &mut self.text)?;
            self.in_ascii(from)?;
            make_room(&mut self.text, 1)?;
            self.text.push(b'"');
            self.tag.length += self.text.len() - before;
        }
        if count > self.limits.attributes {
            return Err(too_many(self.limits.attributes));
        }
        self.check_tag()?;
        self.tag.find_repeated(&self.spaces.scope)
    }
}
