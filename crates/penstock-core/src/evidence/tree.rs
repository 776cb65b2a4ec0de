//! The places of values, as a tree, and how two of them are joined.
//!
//! What is seen does not depend on where a source is cut: to join what was seen in two pieces gives
//! what was seen in both. So each bound holds for a union, and where a place was first is a number of
//! events that were reported before.

use super::numbers::{Floats, Ints};
use super::tags::TAGS;
use super::texts::Texts;
use penstock_scan::{copied, make_room};
use std::collections::HashMap;

/// An object with more keys has keys that are data. The public documentation gives this number.
pub const KEYS: usize = 256;

/// The most places. The public documentation gives this number.
pub const PLACES: usize = 100_000;

/// From so many places below a body on, they are looked up in a table.
const MANY: usize = 64;

/// What stands deeper is not looked at. The public documentation gives this number.
pub const DEEPEST: u32 = 64;

/// What leads to a place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Step {
    /// Nothing: it is the record.
    #[default]
    Record,
    /// A member of an object.
    Member,
    /// An element inside another.
    Element,
    /// An attribute.
    Attribute,
    /// The position in an array.
    Item,
    /// The text of an element that has attributes or elements, too.
    Text,
    /// Any key of an object.
    Any,
}

/// The arrays at a place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arrays {
    /// How many there were.
    pub count: u64,
    /// The fewest and the most items.
    pub length: Option<(u64, u64)>,
    /// The place of the items; 0 if there were none.
    pub item: u32,
}

/// Which key tells what objects at a place are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Tag {
    /// There was no object yet.
    #[default]
    Unknown,
    /// This key of all objects: each of its values, and the bodies of objects with that.
    By(Box<str>, Step, Vec<(Box<str>, u32)>),
    /// None does.
    Nothing,
}

/// A place, and which values were there.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Place {
    /// The key that leads there. Of an attribute, without `@`.
    pub key: Box<str>,
    /// What leads there.
    pub step: Step,
    /// Whether its text may tell of what class the object is.
    pub(super) may_tell: bool,
    /// How many steps lead there.
    pub(super) depth: u32,
    /// How many events were reported before it was there first.
    pub first: u64,
    /// In how many objects it was.
    pub present: u64,
    /// How often it was in one of them, at most.
    pub most: u64,
    /// How often it is in the current one, and the number of that.
    pub(super) now: (u64, u64),
    /// How many nulls there were.
    pub nulls: u64,
    /// How often false, and how often true.
    pub bools: (u64, u64),
    /// The integers.
    pub ints: Ints,
    /// The other numbers.
    pub floats: Floats,
    /// The texts.
    pub texts: Option<Box<Texts>>,
    /// How many dates with a time.
    pub moments: u64,
    /// How many values of bytes.
    pub bytes: u64,
    /// How many UIDs.
    pub uids: u64,
    /// How many arrays and objects were too deep.
    pub deep: u64,
    /// The arrays.
    pub arrays: Arrays,
    /// The objects that no key tells apart; 0 if there are none.
    pub body: u32,
    /// Which key tells objects apart.
    pub tag: Tag,
}

/// Objects of one kind at a place.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Body {
    /// How many there were.
    pub count: u64,
    /// How many of them had text between elements.
    pub mixed: u64,
    /// The most keys of one of them.
    pub most: u64,
    /// The places of their values. If there were too many keys, the one for all keys.
    pub children: Vec<u32>,
    /// Of many children: where among them those of a key are.
    table: Option<HashMap<Box<str>, Vec<usize>>>,
    /// The keys, if there were too many.
    pub keys: Option<Box<Texts>>,
    /// Whether the keys are the columns of a table: no number of them is too many.
    pub is_row: bool,
}

/// All places.
#[derive(Clone, Debug, PartialEq)]
pub struct Tree {
    pub(super) places: Vec<Place>,
    pub(super) bodies: Vec<Body>,
    free_places: Vec<u32>,
    free_bodies: Vec<u32>,
}

impl Default for Tree {
    fn default() -> Self {
        // The first place is the record. No place and no body have the number 0.
        let places = vec![Place::default()];
        let bodies = vec![Body::default()];
        Tree { places, bodies, free_places: Vec::new(), free_bodies: Vec::new() }
    }
}

/// The places of two bodies or two places that are to be joined.
enum Pair {
    Places(u32, u32),
    Bodies(u32, u32),
}

impl Tree {
    /// A place.
    #[must_use]
    pub fn place(&self, id: u32) -> &Place {
        &self.places[id as usize]
    }

    /// A body.
    #[must_use]
    pub fn body(&self, id: u32) -> &Body {
        &self.bodies[id as usize]
    }

    pub(super) fn place_mut(&mut self, id: u32) -> &mut Place {
        &mut self.places[id as usize]
    }

    pub(super) fn body_mut(&mut self, id: u32) -> &mut Body {
        &mut self.bodies[id as usize]
    }

    /// How many places there are.
    pub(super) fn len(&self) -> usize {
        self.places.len() - self.free_places.len()
    }

    fn add_place(&mut self, place: Place) -> u32 {
        if let Some(id) = self.free_places.pop() {
            self.places[id as usize] = place;
            return id;
        }
        make_room(&mut self.places, 1);
        self.places.push(place);
        (self.places.len() - 1) as u32
    }

    /// A body of no object.
    pub(super) fn add_body(&mut self) -> u32 {
        if let Some(id) = self.free_bodies.pop() {
            return id;
        }
        make_room(&mut self.bodies, 1);
        self.bodies.push(Body::default());
        (self.bodies.len() - 1) as u32
    }

    fn take_place(&mut self, id: u32) -> Place {
        make_room(&mut self.free_places, 1);
        self.free_places.push(id);
        std::mem::take(&mut self.places[id as usize])
    }

    fn take_body(&mut self, id: u32) -> Body {
        make_room(&mut self.free_bodies, 1);
        self.free_bodies.push(id);
        std::mem::take(&mut self.bodies[id as usize])
    }

    /// A place below a body, for which there is room.
    pub(super) fn add_child(
        &mut self,
        body: u32,
        (step, key): (Step, &str),
        depth: u32,
        first: u64,
    ) -> u32 {
        let may_tell = matches!(step, Step::Member | Step::Attribute) && super::may_tell(key);
        let key = copied(key).into();
        let child = self.add_place(Place { key, step, may_tell, depth, first, ..Place::default() });
        self.push_child(body, child);
        child
    }

    fn push_child(&mut self, body: u32, child: u32) {
        let Body { children, table, .. } = &mut self.bodies[body as usize];
        make_room(children, 1);
        children.push(child);
        // All of them once there are many, and then each that comes.
        let from = if table.is_some() { children.len() - 1 } else { 0 };
        if children.len() < MANY {
            return;
        }
        let table = table.get_or_insert_default();
        for (at, child) in children.iter().enumerate().skip(from) {
            make_room(table, 1);
            let key = copied(&self.places[*child as usize].key).into();
            let places = table.entry(key).or_default();
            make_room(places, 1);
            places.push(at);
        }
    }

    /// The place of the items of the arrays at a place.
    pub(super) fn item(&mut self, place: u32, first: u64) -> u32 {
        let known = self.place(place).arrays.item;
        if known != 0 {
            return known;
        }
        let depth = self.place(place).depth + 1;
        let item = self.add_place(Place { step: Step::Item, depth, first, ..Place::default() });
        self.place_mut(place).arrays.item = item;
        item
    }

    /// The place below a body to which a key leads, and where among the children it is. It is
    /// expected at `next`.
    #[inline]
    pub(super) fn child(
        &self,
        body: u32,
        step: Step,
        key: &str,
        next: usize,
    ) -> Option<(u32, usize)> {
        let body = self.body(body);
        if body.keys.is_some() && step != Step::Text {
            return Some((*body.children.first()?, 0));
        }
        let is_it = |id: u32| {
            let place = self.place(id);
            *place.key == *key && place.step == step
        };
        if let Some(&id) = body.children.get(next)
            && is_it(id)
        {
            return Some((id, next));
        }
        let at = match &body.table {
            Some(table) => table.get(key)?.iter().copied().find(|&at| is_it(body.children[at]))?,
            None => body.children.iter().position(|&id| is_it(id))?,
        };
        Some((body.children[at], at))
    }

    /// Whether one more key is one too many for an object.
    pub(super) fn is_full(&self, body: u32, step: Step) -> bool {
        let body = self.body(body);
        step == Step::Member && body.keys.is_none() && !body.is_row && body.children.len() >= KEYS
    }

    /// Makes one place of all keys of a body: they are data.
    #[cold]
    pub(super) fn unite(&mut self, body: u32) -> u32 {
        self.body_mut(body).table = None;
        let children = std::mem::take(&mut self.body_mut(body).children);
        let mut keys = Texts::default();
        let depth = children.first().map_or(0, |first| self.place(*first).depth);
        let any =
            self.add_place(Place { step: Step::Any, depth, first: u64::MAX, ..Place::default() });
        for child in children {
            let (key, present) = (&self.place(child).key, self.place(child).present);
            keys.give_often(key, present);
            self.join(Pair::Places(any, child));
        }
        let body = self.body_mut(body);
        body.children.push(any);
        body.keys = Some(Box::new(keys));
        any
    }

    /// Joins the objects of one body to those of another, which then are all.
    pub(super) fn join_bodies(&mut self, to: u32, from: u32) {
        self.join(Pair::Bodies(to, from));
    }

    /// No key tells objects at a place apart: all of them are in one body.
    #[cold]
    pub(super) fn untag(&mut self, place: u32) {
        let Tag::By(_, _, values) = std::mem::replace(&mut self.place_mut(place).tag, Tag::Nothing)
        else {
            return;
        };
        values.into_iter().for_each(|(_, body)| self.add_untagged(place, body));
    }

    /// The body of the objects with a value of the key that tells them apart; 0 if there were none.
    pub(super) fn tagged(&self, place: u32, value: &str) -> u32 {
        let Tag::By(_, _, values) = &self.place(place).tag else { return 0 };
        values.iter().find(|(known, _)| **known == *value).map_or(0, |(_, body)| *body)
    }

    /// Adds a body of objects that no key tells apart.
    pub(super) fn add_untagged(&mut self, place: u32, body: u32) {
        match self.place(place).body {
            0 => self.place_mut(place).body = body,
            known => self.join_bodies(known, body),
        }
    }

    /// Adds a body of objects with a value of the key that tells them apart, if one does.
    pub(super) fn add_tagged(&mut self, place: u32, value: &str, body: u32) {
        let known = self.tagged(place, value);
        if known != 0 {
            self.join_bodies(known, body);
            return;
        }
        let Tag::By(_, _, values) = &mut self.place_mut(place).tag else {
            self.add_untagged(place, body);
            return;
        };
        make_room(values, 1);
        values.push((copied(value).into(), body));
        if values.len() > TAGS {
            self.untag(place);
        }
    }

    fn join(&mut self, pair: Pair) {
        let mut pairs = vec![pair];
        while let Some(pair) = pairs.pop() {
            match pair {
                Pair::Bodies(to, from) => self.join_two_bodies(to, from, &mut pairs),
                Pair::Places(to, from) => self.join_two_places(to, from, &mut pairs),
            }
        }
    }

    fn join_two_bodies(&mut self, to: u32, from: u32, pairs: &mut Vec<Pair>) {
        if self.body(from).keys.is_some() && self.body(to).keys.is_none() {
            self.unite(to);
        } else if self.body(to).keys.is_some() && self.body(from).keys.is_none() {
            self.unite(from);
        }
        let from = self.take_body(from);
        let body = self.body_mut(to);
        body.is_row |= from.is_row;
        body.count += from.count;
        body.mixed += from.mixed;
        body.most = body.most.max(from.most);
        if let (Some(keys), Some(others)) = (&mut body.keys, &from.keys) {
            keys.join(others);
        }
        for (next, child) in from.children.into_iter().enumerate() {
            let place = self.place(child);
            let found = match place.step {
                Step::Any => self.body(to).children.first().copied(),
                step => self.child(to, step, &place.key, next).map(|(known, _)| known),
            };
            match found {
                Some(known) => {
                    make_room(pairs, 1);
                    pairs.push(Pair::Places(known, child));
                }
                None => self.push_child(to, child),
            }
        }
        let members = |id: &&u32| self.place(**id).step == Step::Member;
        let body = self.body(to);
        if body.keys.is_none()
            && !body.is_row
            && body.children.len() > KEYS
            && body.children.iter().filter(members).count() > KEYS
        {
            // What is still to be joined comes first, because the places are gone afterwards.
            let pending = std::mem::take(pairs);
            pending.into_iter().for_each(|pair| self.join(pair));
            self.unite(to);
        }
    }

    fn join_two_places(&mut self, to: u32, from: u32, pairs: &mut Vec<Pair>) {
        let tags = (&self.place(to).tag, &self.place(from).tag);
        let agree = match tags {
            (Tag::Unknown, _) | (_, Tag::Unknown) | (Tag::Nothing, Tag::Nothing) => true,
            (Tag::By(key, step, _), Tag::By(other, others, _)) => key == other && step == others,
            _ => false,
        };
        if !agree {
            self.untag(to);
            self.untag(from);
        }
        let from = self.take_place(from);
        let place = self.place_mut(to);
        place.first = place.first.min(from.first);
        place.present += from.present;
        place.most = place.most.max(from.most);
        place.nulls += from.nulls;
        place.bools = (place.bools.0 + from.bools.0, place.bools.1 + from.bools.1);
        place.ints.join(&from.ints);
        place.floats.join(&from.floats);
        match (&mut place.texts, from.texts) {
            (Some(texts), Some(others)) => texts.join(&others),
            (texts, others) => *texts = texts.take().or(others),
        }
        place.moments += from.moments;
        place.bytes += from.bytes;
        place.uids += from.uids;
        place.deep += from.deep;
        place.arrays.count += from.arrays.count;
        place.arrays.length = match (place.arrays.length, from.arrays.length) {
            (Some(one), Some(other)) => Some((one.0.min(other.0), one.1.max(other.1))),
            (one, other) => one.or(other),
        };
        make_room(pairs, 2);
        match (place.arrays.item, from.arrays.item) {
            (_, 0) => {}
            (0, item) => place.arrays.item = item,
            (item, other) => pairs.push(Pair::Places(item, other)),
        }
        match (place.body, from.body) {
            (_, 0) => {}
            (0, body) => place.body = body,
            (body, other) => pairs.push(Pair::Bodies(body, other)),
        }
        match from.tag {
            Tag::Unknown => {}
            Tag::By(_, _, values) if matches!(place.tag, Tag::By(..)) => {
                values.into_iter().for_each(|(value, body)| self.add_tagged(to, &value, body));
            }
            tag => place.tag = tag,
        }
    }

    /// Joins the record of another tree, whose events come behind so many others.
    pub(super) fn absorb(&mut self, mut other: Tree, events: u64) {
        let mut places = Vec::new();
        make_room(&mut places, other.places.len());
        places.push(0);
        let mut bodies = Vec::new();
        make_room(&mut bodies, other.bodies.len());
        bodies.push(0);
        for _ in 1..other.places.len() {
            places.push(self.add_place(Place::default()));
        }
        for _ in 1..other.bodies.len() {
            bodies.push(self.add_body());
        }
        for (place, id) in other.places.iter_mut().zip(&places) {
            place.first = place.first.saturating_add(events);
            place.now = (0, 0);
            place.arrays.item = places[place.arrays.item as usize];
            place.body = bodies[place.body as usize];
            if let Tag::By(_, _, values) = &mut place.tag {
                values.iter_mut().for_each(|(_, body)| *body = bodies[*body as usize]);
            }
            if *id != 0 {
                self.places[*id as usize] = std::mem::take(place);
            }
        }
        for (mut body, id) in other.bodies.into_iter().zip(&bodies).skip(1) {
            body.children.iter_mut().for_each(|child| *child = places[*child as usize]);
            self.bodies[*id as usize] = body;
        }
        make_room(&mut self.free_places, other.free_places.len());
        self.free_places.extend(other.free_places.iter().map(|id| places[*id as usize]));
        make_room(&mut self.free_bodies, other.free_bodies.len());
        self.free_bodies.extend(other.free_bodies.iter().map(|id| bodies[*id as usize]));
        let record = std::mem::take(&mut other.places[0]);
        let record = self.add_place(record);
        self.join(Pair::Places(0, record));
    }
}
