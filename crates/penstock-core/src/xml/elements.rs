//! Elements: the meaning of their tags, and the work at their beginning and end.

use penstock_scan::{Isa, ValidText, make_room};

use super::dtd::AttList;
use super::expand::Value;
use super::namespaces::{XML, XMLNS};
use super::reader::{NOWHERE, Reader};
use super::tag::{self, Attribute, Locus, Stop};
use super::token;
use crate::error::Fault;
use crate::event::{Key, KeyKind, Text};

fn text(text: ValidText<'_>) -> Text<'_> {
    Text { text, ascii: text.as_bytes().is_ascii() }
}

impl Reader {
    /// Begins the element whose start tag, at `pos`, was just read.
    #[inline(always)]
    pub(super) fn begin(
        &mut self,
        valid: ValidText<'_>,
        pos: usize,
        locus: Locus,
    ) -> Result<(), Fault> {
        if self.open.depth() >= self.limits.depth {
            return Err(token::too_deep(locus.at(pos), self.limits.depth));
        }
        if self.tag.rough || self.dtd.changes_tags() {
            self.settle(valid, pos, locus)?;
        }
        self.open.push(&valid.as_bytes()[pos + 1..pos + self.tag.name_end]);
        if self.tag.declares || self.tag.prefixed > 0 || self.tag.colon != 0 {
            self.resolve_names(valid.slice(pos..pos + self.tag.end), pos, locus)?;
        }
        Ok(())
    }

    /// Resolves the values of the tag's attributes, and adds the defaults of the document type.
    #[inline(never)]
    fn settle(&mut self, valid: ValidText<'_>, pos: usize, locus: Locus) -> Result<(), Fault> {
        let name = valid.slice(pos + 1..pos + self.tag.name_end);
        let whole = valid.slice(pos..pos + self.tag.end);
        let declared = self.dtd.attributes(name.as_str());
        if declared.is_none() && !self.tag.rough {
            return Ok(());
        }
        self.tag.written.clear();
        self.tag.written.resize(declared.map_or(0, AttList::len), false);
        if self.tag.attributes.is_empty() {
            self.tag.values.clear();
        }
        for index in 0..self.tag.attributes.len() {
            let attribute = self.tag.attributes[index];
            let name = self.tag.name_in(whole, &attribute).as_str();
            let known = declared.and_then(|declared| Some((declared, declared.place(name)?)));
            if let Some((_, place)) = known {
                self.tag.written[place] = true;
            }
            let collapse = known.is_some_and(|(declared, place)| !declared.at(place).cdata);
            if !attribute.rough && !collapse {
                continue;
            }
            let start = self.tag.values.text().as_bytes().len();
            let place = attribute.value as usize..attribute.value_end as usize;
            let value = Value {
                raw: whole.slice(place),
                locus: locus.behind(pos + attribute.value as usize),
                dtd: &self.dtd,
                rules: &self.rules,
                options: self.options,
                open_ended: self.open_ended && !self.standalone,
            };
            value.resolve(collapse, &mut self.expansion, &mut self.made, &mut self.tag.values)?;
            let end = self.tag.values.text().as_bytes().len();
            let new = &mut self.tag.attributes[index];
            (new.value, new.value_end) = (start as u32, end as u32);
            (new.resolved, new.ascii) = (true, false);
        }
        // Namespace declarations that come from defaults count like those in the tag.
        for (place, declared) in declared.into_iter().flat_map(AttList::defaults) {
            let Some(default) = declared.default.as_ref().filter(|_| !self.tag.written[place])
            else {
                continue;
            };
            if self.tag.attributes.len() == self.rules.attribute_limit {
                return Err(tag::too_many(locus.at(pos), self.rules.attribute_limit));
            }
            self.expansion.charge(default.len(), locus.at(pos))?;
            let name_at = self.tag.values.text().as_bytes().len();
            let bytes = name_at + declared.name.len() + default.len();
            self.expansion.hold(bytes, locus.at(pos))?;
            self.tag.values.push_text(ValidText::from(&*declared.name));
            let name_end = self.tag.values.text().as_bytes().len();
            self.tag.values.push_text(ValidText::from(&**default));
            let value_end = self.tag.values.text().as_bytes().len();
            let colon = declared.name.find(':').filter(|_| self.rules.namespaces);
            if colon.is_some() {
                self.tag.prefixed += 1;
            }
            self.tag.declares |= self.rules.namespaces
                && (&*declared.name == "xmlns" || declared.name.starts_with("xmlns:"));
            make_room(&mut self.tag.attributes, 1);
            self.tag.attributes.push(Attribute {
                name: name_at as u32,
                colon: colon.map_or(0, |colon| (name_at + colon) as u32),
                name_end: name_end as u32,
                value: name_end as u32,
                value_end: value_end as u32,
                resolved: true,
                default: true,
                rough: false,
                ascii: false,
            });
        }
        Ok(())
    }

    /// Binds the prefixes that the tag declares, and checks that the prefixes it uses are bound.
    #[inline(never)]
    fn resolve_names(
        &mut self,
        whole: ValidText<'_>,
        pos: usize,
        locus: Locus,
    ) -> Result<(), Fault> {
        if !self.rules.namespaces {
            return Ok(());
        }
        let place = |attribute: &Attribute| {
            locus.at(pos + if attribute.default { 0 } else { attribute.name as usize })
        };
        let depth = self.open.depth();
        if self.tag.declares {
            for attribute in &self.tag.attributes {
                let Some(prefix) = self.tag.declared_prefix(whole, attribute) else { continue };
                let uri = self.tag.value_in(whole, attribute);
                if let Some(reason) = refusal(prefix.as_str(), uri.as_str()) {
                    return Err(Fault::malformed(place(attribute), reason));
                }
                if prefix.as_str() != "xml" {
                    self.spaces.bind(prefix, uri, depth);
                }
            }
        }
        let bytes = whole.as_bytes();
        if self.tag.colon != 0 {
            let prefix = &bytes[1..self.tag.colon];
            if self.spaces.find(prefix).is_none() {
                return Err(token::unbound(locus.at(pos + 1), prefix));
            }
        }
        if self.tag.prefixed == 0 {
            return Ok(());
        }
        let mut expanded = Vec::new();
        for attribute in self.tag.attributes.iter().filter(|attribute| attribute.colon != 0) {
            let name = self.tag.name_in(whole, attribute).as_bytes();
            let (prefix, local) = name.split_at((attribute.colon - attribute.name) as usize);
            if prefix == b"xmlns" {
                continue;
            }
            let Some(uri) = self.spaces.find(prefix) else {
                return Err(token::unbound(place(attribute), prefix));
            };
            if self.tag.prefixed > 1 {
                expanded.push((local, uri.as_bytes(), place(attribute), name));
            }
        }
        // The same name may occur with two prefixes. Sorted, because there may be many.
        expanded.sort();
        let same =
            expanded.windows(2).find(|pair| pair[0].0 == pair[1].0 && pair[0].1 == pair[1].1);
        match same {
            Some(pair) => Err(tag::repeated(pair[1].3, pair[1].2)),
            None => Ok(()),
        }
    }

    /// The name of the tag's element.
    #[inline(always)]
    pub(super) fn element_key<'a>(&'a self, whole: ValidText<'a>) -> Key<'a> {
        let (colon, end) = (self.tag.colon, self.tag.name_end);
        if colon == 0 {
            let name = text(whole.slice(1..end));
            let namespace = if self.rules.namespaces { self.spaces.unprefixed() } else { None };
            let namespace = namespace.map(text);
            return Key { name, namespace, prefix: None, kind: KeyKind::Element };
        }
        let prefix = whole.slice(1..colon);
        Key {
            name: text(whole.slice(colon + 1..end)),
            namespace: self.spaces.find(prefix.as_bytes()).map(text),
            prefix: Some(text(prefix)),
            kind: KeyKind::Element,
        }
    }

    /// The name of an attribute, unless it is a namespace declaration that is not reported.
    #[inline(always)]
    pub(super) fn attribute_key<'a>(
        &'a self,
        whole: ValidText<'a>,
        attribute: &Attribute,
    ) -> Option<Key<'a>> {
        if attribute.colon == 0 && !self.tag.declares {
            let name = text(self.tag.name_in(whole, attribute));
            return Some(Key { name, namespace: None, prefix: None, kind: KeyKind::Attribute });
        }
        self.rare_attribute_key(whole, attribute)
    }

    /// As [`attribute_key`](Self::attribute_key), if the tag or the name involves namespaces.
    #[inline(never)]
    fn rare_attribute_key<'a>(
        &'a self,
        whole: ValidText<'a>,
        attribute: &Attribute,
    ) -> Option<Key<'a>> {
        let name = self.tag.name_in(whole, attribute);
        let kind = KeyKind::Attribute;
        if self.tag.declares && self.tag.declared_prefix(whole, attribute).is_some() {
            if !self.options.declarations {
                return None;
            }
            let namespace = Some(Text::from(XMLNS));
            if attribute.colon == 0 {
                return Some(Key { name: text(name), namespace, prefix: None, kind });
            }
            let colon = (attribute.colon - attribute.name) as usize;
            let (prefix, local) = (name.slice(0..colon), colon + 1..name.as_bytes().len());
            return Some(Key {
                name: text(name.slice(local)),
                namespace,
                prefix: Some(text(prefix)),
                kind,
            });
        }
        if attribute.colon == 0 {
            return Some(Key { name: text(name), namespace: None, prefix: None, kind });
        }
        let colon = (attribute.colon - attribute.name) as usize;
        let prefix = name.slice(0..colon);
        Some(Key {
            name: text(name.slice(colon + 1..name.as_bytes().len())),
            namespace: self.spaces.find(prefix.as_bytes()).map(text),
            prefix: Some(text(prefix)),
            kind,
        })
    }

    /// The end of the end tag at `pos`, if it is not exactly the expected one.
    #[inline(never)]
    pub(super) fn end_tag<I: Isa>(
        &mut self,
        isa: I,
        valid: ValidText<'_>,
        pos: usize,
        locus: Locus,
    ) -> Result<usize, Stop> {
        let bytes = valid.as_bytes();
        let (end, _) = tag::name(isa, valid, pos + 2, &self.rules, locus)?;
        if &bytes[pos + 2..end] != self.open.top() {
            let fault = token::wrong_end(locus.at(pos), &bytes[pos + 2..end], self.open.top());
            return Err(fault.into());
        }
        let end = isa.space(bytes, end);
        match bytes.get(end) {
            Some(b'>') => Ok(end + 1),
            Some(_) => {
                let reason = "expected '>' at the end of the end tag";
                Err(Fault::malformed(locus.at(end), reason).into())
            }
            None => Err(Stop::Cut),
        }
    }

    /// Closes the innermost element with the end tag at `pos`.
    #[inline(always)]
    pub(super) fn close(&mut self, pos: usize, locus: Locus) -> Result<(), Fault> {
        if let Some(input) = self.inputs.last()
            && self.open.depth() <= input.depth
        {
            let name = tag::brief(&input.name);
            let reason = format!("the entity '{name}' ends an element that began outside of it");
            return Err(Fault::malformed(locus.at(pos), reason));
        }
        self.end_element();
        Ok(())
    }

    /// Removes the innermost open element.
    #[inline(always)]
    pub(super) fn end_element(&mut self) {
        self.open.pop();
        if self.spaces.depth > self.open.depth() {
            self.spaces.leave(self.open.depth());
        }
    }

    /// A skipped part ends.
    pub(super) fn arrive(&mut self) {
        if self.watching {
            self.watches.pop();
            self.watching = false;
        }
        self.skip_to = NOWHERE;
        self.abandoned = false;
        if self.woken.last() == Some(&(self.open.depth() + 1)) {
            self.sleep();
        }
    }

    /// Whether the element that woke the sink has ended. The reader then skips again.
    #[inline(always)]
    pub(super) fn falls_asleep(&mut self) -> bool {
        let ended = self.woken.last().is_some_and(|woken| self.open.depth() < *woken);
        if ended {
            self.sleep();
        }
        ended
    }

    /// The element that woke the sink has ended: skip again, and watch.
    fn sleep(&mut self) {
        self.woken.pop();
        if let Some(&until) = self.watches.last() {
            self.skip_to = until;
            self.watching = true;
        }
    }
}

/// Why a prefix cannot be bound to a namespace (Namespaces in XML 1.0, section 3).
pub(super) fn refusal(prefix: &str, uri: &str) -> Option<&'static str> {
    match (prefix, uri) {
        ("xmlns", _) => Some("the prefix 'xmlns' may not be declared"),
        ("xml", XML) => None,
        ("xml", _) => Some("the prefix 'xml' may not be bound to another namespace"),
        (_, XML) => Some("no prefix but 'xml' may be bound to the namespace of XML"),
        (_, XMLNS) => Some("nothing may be bound to the namespace of declarations"),
        ("", _) => None,
        (_, "") => Some("a prefix may not be bound to no namespace"),
        _ => None,
    }
}
