//! The lists of the element form become elements again.

use super::elements::{COMMENT, DOCUMENT, INSTRUCTION};
use super::out::{Out, Output};
use crate::error::brief;
use crate::event::{Key, KeyKind, Scalar, Text};
use crate::protocol::Sink;
use crate::writer::Unwritable;
use penstock_scan::{copied, make_room};

/// What comes next in an open list or map.
#[derive(Debug)]
enum Place {
    /// The name, which says what it is.
    Name,
    /// The attributes, or the content.
    Tag,
    /// The attributes.
    Attributes,
    /// The content.
    Content,
    /// The content of a document.
    Document,
    /// The text of a comment.
    Comment,
    /// The target of an instruction, then its data.
    Target,
    Data(String),
    /// Nothing more.
    Full,
}

#[derive(Debug)]
pub(super) struct Lists {
    open: Vec<Place>,
}

#[cold]
#[inline(never)]
fn refused(reason: &'static str) -> Unwritable {
    Unwritable::value(reason)
}

const NO_ELEMENT: &str =
    "no element: in the element form that is a list of its name, its attributes and its content";

impl Lists {
    pub(super) fn new() -> Self {
        Lists { open: Vec::new() }
    }

    pub(super) fn begin_list(&mut self) -> Result<(), Unwritable> {
        match self.open.last_mut() {
            None | Some(Place::Document | Place::Content) => {}
            Some(place @ Place::Tag) => *place = Place::Content,
            Some(Place::Name) => return Err(refused("the name of an element is a string")),
            Some(Place::Attributes) => {
                return Err(refused("the value of an attribute is a string"));
            }
            Some(Place::Comment | Place::Target | Place::Data(_) | Place::Full) => {
                return Err(refused("a comment or an instruction has strings only"));
            }
        }
        make_room(&mut self.open, 1);
        self.open.push(Place::Name);
        Ok(())
    }

    pub(super) fn begin_map(&mut self) -> Result<(), Unwritable> {
        match self.open.last_mut() {
            None => Err(refused(NO_ELEMENT)),
            Some(place @ Place::Tag) => {
                *place = Place::Attributes;
                Ok(())
            }
            Some(Place::Attributes) => Err(refused("the value of an attribute is a string")),
            Some(_) => Err(refused("attributes come after the name of an element only")),
        }
    }

    pub(super) fn key<O: Output>(
        &mut self,
        key: &Key<'_>,
        out: &mut Out<'_, O>,
    ) -> Result<(), Unwritable> {
        let flow = out.writer.name(Key { kind: KeyKind::Attribute, ..*key }, 0);
        out.settle(flow)
    }

    pub(super) fn end_map(&mut self) {
        if let Some(place) = self.open.last_mut() {
            *place = Place::Content;
        }
    }

    pub(super) fn scalar<O: Output>(
        &mut self,
        value: Scalar<'_>,
        out: &mut Out<'_, O>,
    ) -> Result<(), Unwritable> {
        let (Scalar::Text(text) | Scalar::Untyped(text)) = value else {
            return Err(match self.open.last() {
                None => refused(NO_ELEMENT),
                Some(Place::Attributes) => refused("the value of an attribute is a string"),
                Some(_) => Unwritable::value(format!(
                    "expected a string or a list, got {}",
                    value.called()
                )),
            });
        };
        let flow = match self.open.last_mut() {
            None => return Err(refused(NO_ELEMENT)),
            Some(Place::Name) => return self.begin(text, out),
            Some(Place::Attributes) => out.writer.scalar(Scalar::Untyped(text), 0),
            Some(place @ (Place::Tag | Place::Content)) => {
                *place = Place::Content;
                out.writer.piece(text, 0)
            }
            Some(Place::Document) => return Err(refused("text outside of the root element")),
            Some(place @ Place::Comment) => {
                *place = Place::Full;
                out.writer.comment(text, 0)
            }
            Some(place @ Place::Target) => {
                *place = Place::Data(copied(text.text.as_str()));
                return Ok(());
            }
            Some(place @ Place::Data(_)) => {
                let Place::Data(target) = std::mem::replace(place, Place::Full) else {
                    return Ok(());
                };
                out.writer.instruction(target.as_str().into(), text, 0)
            }
            Some(Place::Full) => {
                return Err(refused("a comment has one string, and an instruction two"));
            }
        };
        out.settle(flow)
    }

    /// The name of a list, which says what it is.
    fn begin<O: Output>(&mut self, name: Text<'_>, out: &mut Out<'_, O>) -> Result<(), Unwritable> {
        let is_outermost = self.open.len() == 1;
        let Some(place) = self.open.last_mut() else { return Ok(()) };
        *place = match name.text.as_str() {
            DOCUMENT if is_outermost => Place::Document,
            COMMENT => Place::Comment,
            INSTRUCTION => Place::Target,
            other if other.starts_with(['#', '@']) => {
                return Err(Unwritable::value(format!("no name of an element: {}", brief(other))));
            }
            _ => {
                let key = Key { name, namespace: None, prefix: None, kind: KeyKind::Member };
                let flow = out.writer.name(key, 0);
                out.settle(flow)?;
                let flow = out.writer.begin_map(0);
                out.settle(flow)?;
                Place::Tag
            }
        };
        Ok(())
    }

    pub(super) fn end_list<O: Output>(&mut self, out: &mut Out<'_, O>) -> Result<(), Unwritable> {
        let flow = match self.open.pop() {
            Some(Place::Tag | Place::Content) => out.writer.end_map(0),
            Some(Place::Data(target)) => {
                out.writer.instruction(target.as_str().into(), "".into(), 0)
            }
            Some(Place::Name) => return Err(refused("an element has a name")),
            Some(Place::Comment) => return Err(refused("a comment has one string")),
            Some(Place::Target) => return Err(refused("an instruction has a target")),
            Some(Place::Document | Place::Full | Place::Attributes) | None => return Ok(()),
        };
        out.settle(flow)
    }

    /// Forgets the record.
    pub(super) fn forget(&mut self) {
        self.open.clear();
    }
}
