//! A property list of which only that is read which somebody asks for.

use std::convert::Infallible;

use super::object::{Members, Object};
use super::reader::Reader;
use super::store::{Memory, Paged, Pages, Store};
use super::strings::Strings;
use super::trailer::Trailer;
use crate::error::{Fail, Fault};
use crate::event::{ContainerKind, Scalar, Text};
use crate::limits::Limits;
use crate::protocol::InputView;

/// One object, without what it leads to.
#[derive(Clone, Copy, Debug)]
pub enum Node<'a> {
    /// A value that is no container.
    Scalar(Scalar<'a>),
    /// A container with so many members. They have places from 0 on.
    Container(ContainerKind, u64),
}

/// The objects of a property list by their numbers.
///
/// Nothing but the trailer is read before somebody asks, and nothing but some pages of the file is
/// kept: whoever wants the same object twice keeps it. The caller gives the source for each call,
/// which must always be the same.
///
/// ```
/// use penstock_core::limits::Limits;
/// use penstock_core::plist::binary::{Graph, Node};
/// use penstock_core::protocol::InputView;
///
/// // An array of the integer 7, twice.
/// let bytes = b"bplist00\xa2\x01\x01\x10\x07\x08\x0b\0\0\0\0\0\0\x01\x01\
///     \0\0\0\0\0\0\0\x02\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x0d";
/// let given = InputView::Bytes(bytes);
/// let mut graph = Graph::open(given, &Limits::default())?;
/// assert_eq!((graph.root(), graph.objects()), (0, 2));
/// let is_pair = graph.node(given, 0, |node| matches!(node, Node::Container(_, 2)))?;
/// assert!(is_pair);
/// assert_eq!(graph.member(given, 0, 1)?, Some(1));
/// # Ok::<(), penstock_core::error::Fault>(())
/// ```
#[derive(Debug)]
pub struct Graph {
    trailer: Trailer,
    strings: Strings,
    pages: Pages,
}

/// Does something with the store that is given.
macro_rules! in_store {
    ($graph:expr, $given:expr, $store:ident => $call:expr) => {
        match $given {
            InputView::Bytes(bytes) => {
                let $store = &mut Memory(bytes);
                $call
            }
            InputView::At { file, size } => {
                let $store = &mut Paged { file, size, pages: &mut $graph.pages };
                $call
            }
            InputView::Text { .. } => Err(Fault::malformed(0, "a binary property list is no text")),
        }
    };
}

/// Nobody refuses what is handed over here.
fn fault(fail: Fail<Infallible>) -> Fault {
    match fail {
        Fail::Input(fault) => fault,
        Fail::Sink(never) => match never {},
    }
}

impl Graph {
    /// Reads the trailer.
    ///
    /// # Errors
    /// The bytes are no binary property list, or the trailer contradicts itself or the size.
    pub fn open(given: InputView<'_>, limits: &Limits) -> Result<Self, Fault> {
        let size = match given {
            InputView::Bytes(bytes) => bytes.len() as u64,
            InputView::At { size, .. } => size,
            InputView::Text { .. } => 0,
        };
        let mut empty = Opening { pages: Pages::default() };
        let trailer = in_store!(empty, given, store => Trailer::read(store, size))?;
        Ok(Graph { trailer, strings: Strings::new(limits), pages: empty.pages })
    }

    /// The number of the root.
    #[must_use]
    pub fn root(&self) -> u64 {
        self.trailer.root
    }

    /// How many objects there are: their numbers are all below.
    #[must_use]
    pub fn objects(&self) -> u64 {
        self.trailer.objects
    }

    /// A reader of everything to which an object leads, and of nothing else.
    #[must_use]
    pub fn reader(&self, number: u64, limits: &Limits) -> Reader {
        Reader::at(self.trailer, number, limits)
    }

    /// The offset of an object.
    ///
    /// # Errors
    /// There is no such object, or it is not in the file.
    pub fn place(&mut self, given: InputView<'_>, number: u64) -> Result<u64, Fault> {
        let Graph { trailer, .. } = *self;
        in_store!(self, given, store => trailer.find(store, number, trailer.root_said_at()))
    }

    /// Hands over an object.
    ///
    /// # Errors
    /// As for a reader that comes to this object.
    pub fn node<T>(
        &mut self,
        given: InputView<'_>,
        number: u64,
        take: impl FnOnce(Node<'_>) -> T,
    ) -> Result<T, Fault> {
        let Graph { trailer, strings, .. } = self;
        in_store!(self, given, store => {
            let at = trailer.find(store, number, trailer.root_said_at())?;
            match Object::read(store, trailer, number, at)? {
                Object::Container(Members { kind, count, .. }) => {
                    Ok(take(Node::Container(kind, count)))
                }
                scalar => {
                    let tell = |value: Scalar<'_>| Ok(take(Node::Scalar(value)));
                    strings.scalar(store, scalar, at, tell).map_err(fault)
                }
            }
        })
    }

    /// The number of the object that is a member of a container: of a map, the value. None if the
    /// object is no container, or has not so many.
    ///
    /// # Errors
    /// As for a reader that comes to this container.
    pub fn member(
        &mut self,
        given: InputView<'_>,
        container: u64,
        place: u64,
    ) -> Result<Option<u64>, Fault> {
        let Graph { trailer, .. } = self;
        in_store!(self, given, store => {
            let Some(members) = members(store, trailer, container)? else { return Ok(None) };
            if place >= members.count {
                return Ok(None);
            }
            let before = if members.kind == ContainerKind::Map { members.count } else { 0 };
            reference(store, trailer, members, before + place).map(|(number, _)| Some(number))
        })
    }

    /// Hands over the key of a member of a map. None if the object is no map, or has not so many.
    ///
    /// # Errors
    /// As for a reader that comes to this key.
    pub fn key<T>(
        &mut self,
        given: InputView<'_>,
        map: u64,
        place: u64,
        take: impl FnOnce(Text<'_>) -> T,
    ) -> Result<Option<T>, Fault> {
        let Graph { trailer, strings, .. } = self;
        in_store!(self, given, store => {
            match members(store, trailer, map)? {
                Some(members) if members.kind == ContainerKind::Map && place < members.count => {
                    key(store, trailer, strings, members, place, take).map(Some)
                }
                _ => Ok(None),
            }
        })
    }

    /// The place of the last member of a map with a key. None if the object is no map, or has no
    /// such key.
    ///
    /// # Errors
    /// As for a reader that comes to one of its keys.
    pub fn find(
        &mut self,
        given: InputView<'_>,
        map: u64,
        wanted: &str,
    ) -> Result<Option<u64>, Fault> {
        let Graph { trailer, strings, .. } = self;
        in_store!(self, given, store => {
            let Some(members) = members(store, trailer, map)? else { return Ok(None) };
            if members.kind != ContainerKind::Map {
                return Ok(None);
            }
            for place in (0..members.count).rev() {
                let is_it = |key: Text<'_>| key.bytes() == wanted.as_bytes();
                if key(store, trailer, strings, members, place, is_it)? {
                    return Ok(Some(place));
                }
            }
            Ok(None)
        })
    }
}

/// What a property list has before its trailer is read.
struct Opening {
    pages: Pages,
}

/// The members of a container; none if the object is a scalar.
fn members(
    store: &mut impl Store,
    trailer: &Trailer,
    number: u64,
) -> Result<Option<Members>, Fault> {
    let at = trailer.find(store, number, trailer.root_said_at())?;
    match Object::read(store, trailer, number, at)? {
        Object::Container(members) => Ok(Some(members)),
        _ => Ok(None),
    }
}

/// One of the references of a container, and its offset.
fn reference(
    store: &mut impl Store,
    trailer: &Trailer,
    members: Members,
    place: u64,
) -> Result<(u64, u64), Fault> {
    let from = members.from + place * trailer.reference.bytes;
    Ok((trailer.reference.of(store.word(from)?), from))
}

/// Hands over a key.
fn key<T>(
    store: &mut impl Store,
    trailer: &Trailer,
    strings: &mut Strings,
    members: Members,
    place: u64,
    take: impl FnOnce(Text<'_>) -> T,
) -> Result<T, Fault> {
    let (number, from) = reference(store, trailer, members, place)?;
    let at = trailer.find(store, number, from)?;
    let object = Object::read(store, trailer, number, at)?;
    strings.key(store, object, number, at, |key| Ok(take(key))).map_err(fault)
}
