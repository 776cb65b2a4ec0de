//! The declarations of a document type: entities, attributes, notations.
//!
//! Declarations are read whole, one at a time. The form of a content model is validated, and then
//! the model is dropped: documents are not validated against it.

use std::collections::HashMap;
use std::sync::Arc;

use penstock_scan::{TextBuf, ValidText, copied, make_room};

use super::expand::{Expansion, Value};
use super::options::Options;
use super::reference::{Reference, by_number};
use super::tag::{self, Locus, Rules, Stop, brief};
use super::token;
use super::walk::Walk;
use super::{html_entities, names};
use crate::error::Fault;
use crate::limits::Limits;
use crate::repair::{Repair, RepairKind};

/// The kind of an entity.
#[derive(Clone, Debug)]
pub(super) enum Entity {
    /// Text in the document type itself. Character references and line ends in it are resolved,
    /// other references are not.
    Internal(Arc<Box<str>>),
    /// Text elsewhere.
    External,
    /// Something other than text, elsewhere.
    Unparsed,
}

/// The declaration of one attribute of an element.
#[derive(Clone, Debug)]
pub(super) struct AttDef {
    pub(super) name: Box<str>,
    /// False if spaces at its ends and repeated spaces are dropped.
    pub(super) cdata: bool,
    /// Its value if a tag has none, resolved.
    pub(super) default: Option<Box<str>>,
}

/// The declarations of one element's attributes.
#[derive(Clone, Debug, Default)]
pub(super) struct AttList {
    attributes: Vec<AttDef>,
    /// The position of each attribute, if there are many: documents may repeat a tag with many
    /// attributes.
    places: HashMap<Box<str>, usize>,
    /// The positions of the attributes that have a default.
    defaults: Vec<usize>,
    /// True if the declarations change the meaning of a tag: there is a default, or a type other
    /// than CDATA.
    matters: bool,
}

impl AttList {
    /// Up to this many attributes are searched one by one.
    const FEW: usize = 8;

    /// How many attributes are declared.
    pub(super) fn len(&self) -> usize {
        self.attributes.len()
    }
    /// The position of an attribute, by its name as written.
    #[inline]
    pub(super) fn place(&self, name: &str) -> Option<usize> {
        if self.places.is_empty() {
            return self.attributes.iter().position(|known| &*known.name == name);
        }
        self.places.get(name).copied()
    }
    /// The attribute at a position.
    pub(super) fn at(&self, place: usize) -> &AttDef {
        &self.attributes[place]
    }
    /// The positions and values of the defaults, in order.
    pub(super) fn defaults(&self) -> impl Iterator<Item = (usize, &AttDef)> {
        self.defaults.iter().map(|place| (*place, &self.attributes[*place]))
    }

    fn push(&mut self, new: AttDef) {
        let place = self.attributes.len();
        if new.default.is_some() {
            make_room(&mut self.defaults, 1);
            self.defaults.push(place);
        }
        self.matters |= new.default.is_some() || !new.cdata;
        make_room(&mut self.attributes, 1);
        self.attributes.push(new);
        if place >= Self::FEW {
            let known = if self.places.is_empty() { 0 } else { place };
            make_room(&mut self.places, place + 1 - known);
            let new = self.attributes.iter().enumerate().skip(known);
            self.places.extend(new.map(|(place, known)| (known.name.clone(), place)));
        }
    }
}

/// The name of a format, which unparsed entities and instructions may use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notation {
    /// Its name.
    pub name: Box<str>,
    /// Its public identifier, as written.
    pub public: Option<Box<str>>,
    /// Its system identifier, as written.
    pub system: Option<Box<str>>,
}

/// All declarations so far. If something is declared twice, the first declaration counts.
#[derive(Clone, Debug, Default)]
pub(super) struct Dtd {
    general: HashMap<Box<str>, General>,
    parameter: HashMap<Box<str>, Entity>,
    attributes: HashMap<Box<str>, AttList>,
    /// Whether any declaration changes the meaning of a tag.
    changes_tags: bool,
    notations: Vec<Notation>,
    /// Bytes in use: names, texts, and the tables for looking them up.
    kept: usize,
}

/// A general entity.
#[derive(Clone, Debug)]
struct General {
    entity: Entity,
    /// Whether it is declared in the text of a parameter entity.
    inside: bool,
}

/// About the bytes for one declaration, besides its names and texts.
const DECLARATION: usize = 128;

/// The state for reading a declaration.
pub(super) struct Declaring<'a> {
    pub(super) rules: &'a Rules,
    pub(super) limits: &'a Limits,
    pub(super) options: Options,
    /// False if the declaration is only validated, because something before it was not read and may
    /// change it.
    pub(super) counts: bool,
    /// Whether undeclared entities may be declared outside the document.
    pub(super) open_ended: bool,
    pub(super) expansion: &'a mut Expansion,
    pub(super) made: &'a mut Vec<Repair>,
}

impl Dtd {
    /// Whether general entities are declared.
    pub(super) fn has_entities(&self) -> bool {
        !self.general.is_empty()
    }

    /// A general entity. The five predefined entities are not included.
    pub(super) fn general(&self, name: &str) -> Option<&Entity> {
        self.general.get(name).map(|general| &general.entity)
    }
    /// A parameter entity.
    pub(super) fn parameter(&self, name: &str) -> Option<&Entity> {
        self.parameter.get(name)
    }
    /// The declarations of an element's attributes, by its name as written, if they change the
    /// meaning of a tag.
    pub(super) fn attributes(&self, element: &str) -> Option<&AttList> {
        self.attributes.get(element).filter(|known| known.matters)
    }
    /// Whether some declaration changes the meaning of a tag.
    #[inline(always)]
    pub(super) fn changes_tags(&self) -> bool {
        self.changes_tags
    }
    /// The notations, in order.
    pub(super) fn notations(&self) -> impl Iterator<Item = &Notation> {
        self.notations.iter()
    }

    /// Reads a declaration, given from `<!` to `>`.
    pub(super) fn declare(
        &mut self,
        text: ValidText<'_>,
        locus: Locus,
        mut how: Declaring<'_>,
    ) -> Result<(), Fault> {
        let whole = text.as_str();
        let mut walk = Walk { text: &whole[..whole.len() - 1], at: 2, locus };
        let at = locus.at(0);
        if walk.eat("ENTITY") {
            self.entity(&mut walk, &mut how)?;
        } else if walk.eat("ELEMENT") {
            walk.need_space("after '<!ELEMENT'")?;
            walk.name("the name of an element", how.rules, true)?;
            walk.need_space("after the element's name")?;
            content(&mut walk, &how)?;
        } else if walk.eat("ATTLIST") {
            self.attlist(&mut walk, &mut how)?;
        } else if walk.eat("NOTATION") {
            self.notation(&mut walk, &how)?;
        } else {
            let reason = "expected ENTITY, ELEMENT, ATTLIST or NOTATION after '<!'";
            return Err(walk.fault(reason));
        }
        walk.space();
        if !walk.rest().is_empty() {
            return Err(walk.fault("expected '>' at the end of the declaration"));
        }
        if self.kept > how.limits.token {
            let limit = how.limits.token;
            let reason = format!("a document type of more than {limit} bytes (limits.token)");
            return Err(Fault::limit(at, reason));
        }
        Ok(())
    }

    /// `<!ENTITY ...>` (XML 1.0, 4.2).
    fn entity(&mut self, walk: &mut Walk<'_>, how: &mut Declaring<'_>) -> Result<(), Fault> {
        walk.need_space("after '<!ENTITY'")?;
        let parameter = walk.eat("%");
        if parameter {
            walk.need_space("after '%'")?;
        }
        let name_at = walk.at;
        let name = walk.name("the name of an entity", how.rules, false)?;
        walk.need_space("after the entity's name")?;
        let entity = if walk.rest().starts_with(['"', '\'']) {
            Entity::Internal(Arc::new(entity_value(walk, how)?.into()))
        } else {
            walk.external_id(false)?;
            let before = walk.at;
            let spaced = walk.space();
            if !parameter && walk.eat("NDATA") {
                if !spaced {
                    walk.at = before;
                    return Err(walk.fault("expected white space before NDATA"));
                }
                walk.need_space("after NDATA")?;
                walk.name("the name of a notation", how.rules, false)?;
                Entity::Unparsed
            } else {
                Entity::External
            }
        };
        if !parameter && let Some(meant) = predefined(name) {
            // It may be declared again, but only to mean the same (XML 1.0, 4.6).
            let same = matches!(&entity, Entity::Internal(text) if means(text, name, meant));
            if !same {
                let reason =
                    format!("the entity '{name}' may not be declared to be something else");
                return Err(Fault::malformed(walk.locus.at(name_at), reason));
            }
            return Ok(());
        }
        if !how.counts {
            return Ok(());
        }
        let known = if parameter { self.parameter(name) } else { self.general(name) };
        if known.is_some() {
            return Ok(());
        }
        if self.general.len() + self.parameter.len() >= how.limits.entities {
            let limit = how.limits.entities;
            let reason = format!("more than {limit} entities (limits.entities)");
            return Err(Fault::limit(walk.locus.at(name_at), reason));
        }
        self.kept += name.len() + DECLARATION;
        if let Entity::Internal(text) = &entity {
            self.kept += text.len();
        }
        if parameter {
            make_room(&mut self.parameter, 1);
            self.parameter.insert(boxed(name), entity);
        } else {
            let inside = walk.locus.is_fixed();
            make_room(&mut self.general, 1);
            self.general.insert(boxed(name), General { entity, inside });
        }
        Ok(())
    }

    /// `<!NOTATION ...>` (XML 1.0, 4.7).
    fn notation(&mut self, walk: &mut Walk<'_>, how: &Declaring<'_>) -> Result<(), Fault> {
        walk.need_space("after '<!NOTATION'")?;
        let name = walk.name("the name of a notation", how.rules, false)?;
        walk.need_space("after the notation's name")?;
        let id = walk.external_id(true)?;
        if how.counts {
            let kept = |text: Option<&str>| text.map_or(0, str::len);
            self.kept += name.len() + kept(id.public) + kept(id.system) + DECLARATION;
            make_room(&mut self.notations, 1);
            self.notations.push(Notation {
                name: boxed(name),
                public: id.public.map(boxed),
                system: id.system.map(boxed),
            });
        }
        Ok(())
    }

    /// `<!ATTLIST ...>` (XML 1.0, 3.3).
    fn attlist(&mut self, walk: &mut Walk<'_>, how: &mut Declaring<'_>) -> Result<(), Fault> {
        walk.need_space("after '<!ATTLIST'")?;
        let element = walk.name("the name of an element", how.rules, true)?;
        loop {
            let spaced = walk.space();
            if walk.rest().is_empty() {
                return Ok(());
            }
            if !spaced {
                return Err(walk.fault("expected white space before the attribute's name"));
            }
            let at = walk.at;
            let name = walk.name("the name of an attribute", how.rules, true)?;
            walk.need_space("after the attribute's name")?;
            let cdata = attribute_type(walk, how.rules)?;
            walk.need_space("before the attribute's default")?;
            let default = self.default(walk, how, cdata)?;
            if !how.counts {
                continue;
            }
            if !self.attributes.contains_key(element) {
                self.kept += element.len() + DECLARATION;
                make_room(&mut self.attributes, 1);
                self.attributes.insert(boxed(element), AttList::default());
            }
            let Some(known) = self.attributes.get_mut(element) else { continue };
            if known.place(name).is_some() {
                continue;
            }
            if known.len() >= how.limits.attributes {
                return Err(tag::too_many(walk.locus.at(at), how.limits.attributes));
            }
            let text = default.as_ref().map_or(0, |default| default.len());
            self.kept += name.len() + text + DECLARATION;
            known.push(AttDef { name: boxed(name), cdata, default });
            self.changes_tags |= known.matters;
        }
    }

    /// The value of an attribute if a tag lacks it.
    fn default(
        &self,
        walk: &mut Walk<'_>,
        how: &mut Declaring<'_>,
        cdata: bool,
    ) -> Result<Option<Box<str>>, Fault> {
        if walk.eat("#REQUIRED") || walk.eat("#IMPLIED") {
            return Ok(None);
        }
        if walk.eat("#FIXED") {
            walk.need_space("after #FIXED")?;
        }
        let at = walk.at + 1;
        let literal = walk.literal("a default value")?;
        if let Some(bad) = literal.find('<') {
            walk.at = at + bad;
            return Err(walk.fault("'<' is not allowed in an attribute's value: write '&lt;'"));
        }
        let bad = literal.find(|c| !names::is_char(c));
        if let Some(bad) = bad.filter(|_| !how.rules.control) {
            walk.at = at + bad;
            return Err(walk.bad_character());
        }
        let value = Value {
            raw: ValidText::from(literal),
            locus: walk.locus.behind(at),
            dtd: self,
            rules: how.rules,
            options: how.options,
            // A reference in a parameter entity may always be declared elsewhere.
            open_ended: how.open_ended || walk.locus.is_fixed(),
        };
        let mut out = TextBuf::new();
        value.resolve(!cdata, how.expansion, how.made, &mut out)?;
        Ok(Some(out.text().as_str().into()))
    }
}

/// The character of a predefined entity.
fn predefined(name: &str) -> Option<char> {
    Some(match name {
        "lt" => '<',
        "gt" => '>',
        "amp" => '&',
        "quot" => '"',
        "apos" => '\'',
        _ => return None,
    })
}

/// Whether the replacement text of a predefined entity means the character. `<` and `&` must be
/// written as references there; but many documents have the character itself or the entity's own
/// name, and nobody can mean anything else by that.
fn means(text: &str, name: &str, meant: char) -> bool {
    let itself = text.strip_prefix('&').and_then(|rest| rest.strip_suffix(';'));
    let code = u32::from(meant);
    let number = text.strip_prefix("&#").and_then(|rest| rest.strip_suffix(';'));
    let by_number = number.is_some_and(|digits| match digits.strip_prefix('x') {
        Some(hex) => is_number(hex, 16, code),
        None => is_number(digits, 10, code),
    });
    by_number || itself == Some(name) || text.chars().eq([meant])
}

/// Whether digits form a number.
fn is_number(digits: &str, radix: u32, number: u32) -> bool {
    let add = |sum: u32, digit: char| {
        Some(sum.saturating_mul(radix).saturating_add(digit.to_digit(radix)?))
    };
    !digits.is_empty() && digits.chars().try_fold(0, add) == Some(number)
}

/// A text to keep.
fn boxed(text: &str) -> Box<str> {
    copied(text).into_boxed_str()
}

/// The literal value of an entity, with character references and line ends resolved.
fn entity_value(walk: &mut Walk<'_>, how: &mut Declaring<'_>) -> Result<String, Fault> {
    let start = walk.at + 1;
    let literal = walk.literal("the entity's text")?;
    let (bytes, locus) = (literal.as_bytes(), walk.locus.behind(start));
    let end = walk.at;
    // No reference is shorter than its character.
    let mut value = String::new();
    make_room(&mut value, literal.len());
    let mut at = 0;
    let is_plain = |c: char| !matches!(c, '%' | '&' | '\r') && names::is_char(c);
    while let Some(plain) = literal[at..].find(|c| !is_plain(c)) {
        value.push_str(&literal[at..at + plain]);
        at += plain;
        walk.at = start + at;
        match bytes[at] {
            b'%' => {
                let reason =
                    "a parameter-entity reference is not allowed inside a declaration here";
                return Err(walk.fault(reason));
            }
            b'&' if bytes.get(at + 1) == Some(&b'#') => {
                match by_number(bytes, at, how.rules, how.options, locus) {
                    Ok(Reference::Char { char, end, repair }) => {
                        if let Some(kind) = repair {
                            make_room(how.made, 1);
                            how.made.push(Repair { kind, offset: locus.at(at) });
                        }
                        value.extend(char);
                        at = end;
                    }
                    Err(Stop::Fault(fault)) => return Err(fault),
                    Ok(_) | Err(Stop::Cut) => {
                        let reason = "expected ';' at the end of the character reference";
                        return Err(walk.fault(reason));
                    }
                }
            }
            b'&' => {
                walk.at += 1;
                walk.name("a reference after '&'", how.rules, false)?;
                if !walk.eat(";") {
                    return Err(walk.fault("expected ';' at the end of the reference"));
                }
                value.push_str(&literal[at..walk.at - start]);
                at = walk.at - start;
            }
            b'\r' if locus.is_fixed() => {
                value.push('\r');
                at += 1;
            }
            b'\r' => {
                value.push('\n');
                at += if bytes.get(at + 1) == Some(&b'\n') { 2 } else { 1 };
            }
            _ if how.rules.control => {
                let kind = RepairKind::ControlCharacter;
                make_room(how.made, 1);
                how.made.push(Repair { kind, offset: locus.at(at) });
                at += literal[at..].chars().next().map_or(1, char::len_utf8);
            }
            _ => return Err(walk.bad_character()),
        }
    }
    value.push_str(&literal[at..]);
    walk.at = end;
    Ok(value)
}

/// The type of an attribute: true if it is CDATA.
fn attribute_type(walk: &mut Walk<'_>, rules: &Rules) -> Result<bool, Fault> {
    if walk.eat("CDATA") {
        return Ok(true);
    }
    // The longer words first, because some words begin with others.
    let words = ["IDREFS", "IDREF", "ID", "ENTITIES", "ENTITY", "NMTOKENS", "NMTOKEN"];
    if words.iter().any(|word| walk.eat(word)) {
        return Ok(false);
    }
    let notation = walk.eat("NOTATION");
    if notation {
        walk.need_space("after NOTATION")?;
    }
    if !walk.eat("(") {
        return Err(walk.fault("expected the type of the attribute"));
    }
    loop {
        walk.space();
        if notation {
            walk.name("the name of a notation", rules, false)?;
        } else {
            let rest = walk.rest();
            let length = rest.find(|c| !names::is_name_char(c)).unwrap_or(rest.len());
            if length == 0 {
                return Err(walk.fault("expected a value that the attribute may have"));
            }
            walk.at += length;
        }
        walk.space();
        if walk.eat(")") {
            return Ok(false);
        }
        if !walk.eat("|") {
            return Err(walk.fault("expected '|' or ')'"));
        }
    }
}

/// The content model of an element (XML 1.0, 3.2).
fn content(walk: &mut Walk<'_>, how: &Declaring<'_>) -> Result<(), Fault> {
    if walk.eat("EMPTY") || walk.eat("ANY") {
        return Ok(());
    }
    if !walk.eat("(") {
        return Err(walk.fault("expected EMPTY, ANY or '('"));
    }
    walk.space();
    if walk.eat("#PCDATA") {
        return mixed(walk, how);
    }
    // The separator of each open group, once one has occurred.
    let mut groups: Vec<Option<char>> = vec![None];
    loop {
        walk.space();
        if walk.eat("(") {
            if groups.len() >= how.limits.depth {
                return Err(token::too_deep(walk.locus.at(walk.at - 1), how.limits.depth));
            }
            make_room(&mut groups, 1);
            groups.push(None);
            continue;
        }
        walk.name("the name of an element or '('", how.rules, true)?;
        occurrence(walk);
        loop {
            walk.space();
            if walk.eat(")") {
                groups.pop();
                occurrence(walk);
                if groups.is_empty() {
                    return Ok(());
                }
                continue;
            }
            let Some(separator) = walk.rest().chars().next().filter(|c| matches!(c, '|' | ','))
            else {
                return Err(walk.fault("expected '|', ',' or ')'"));
            };
            match groups.last_mut() {
                Some(known @ None) => *known = Some(separator),
                Some(Some(known)) if *known != separator => {
                    return Err(walk.fault("'|' and ',' are not allowed in the same group"));
                }
                _ => {}
            }
            walk.at += 1;
            break;
        }
    }
}

/// How often a part may occur.
fn occurrence(walk: &mut Walk<'_>) {
    if walk.rest().starts_with(['?', '*', '+']) {
        walk.at += 1;
    }
}

/// The rest of a content model with text in it.
fn mixed(walk: &mut Walk<'_>, how: &Declaring<'_>) -> Result<(), Fault> {
    let mut names = false;
    loop {
        walk.space();
        if walk.eat(")") {
            if !walk.eat("*") && names {
                return Err(walk.fault("expected '*' after a choice with text in it"));
            }
            return Ok(());
        }
        if !walk.eat("|") {
            return Err(walk.fault("expected '|' or ')'"));
        }
        walk.space();
        walk.name("the name of an element", how.rules, true)?;
        names = true;
    }
}

/// The reason why a reference to a general entity cannot be resolved.
pub(super) enum Missing {
    /// Nothing declares it.
    Undeclared(String),
    /// Only something outside the document could declare it.
    Outside(String),
}

impl Dtd {
    /// The replacement text of a general entity. With `open_ended`, the entity may be declared
    /// outside the document.
    pub(super) fn text(&self, name: &str, open_ended: bool) -> Result<&Arc<Box<str>>, Missing> {
        let shown = brief(name);
        Err(match self.general.get(name) {
            Some(General { entity: Entity::Internal(text), inside }) if open_ended || !inside => {
                return Ok(text);
            }
            Some(General { entity: Entity::Internal(_), .. }) => Missing::Undeclared(format!(
                "the entity '{shown}' is declared in a parameter entity, \
                 and the document says that it stands alone"
            )),
            Some(General { entity: Entity::Unparsed, .. }) => {
                Missing::Undeclared(format!("the entity '{shown}' is not text"))
            }
            Some(General { entity: Entity::External, .. }) => Missing::Outside(format!(
                "the entity '{shown}' is in another file, and no other file is opened"
            )),
            None if open_ended => Missing::Outside(format!(
                "the entity '{shown}' is declared elsewhere, and no other file is opened"
            )),
            None if html_entities::is_known(name) => Missing::Undeclared(format!(
                "the entity '{shown}' is not declared; repair='html_entity' takes those of HTML"
            )),
            None => Missing::Undeclared(format!("the entity '{shown}' is not declared")),
        })
    }
}
