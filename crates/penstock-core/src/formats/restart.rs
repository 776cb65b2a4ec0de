//! Where another reader can begin than the one that has read all before it: what is open there, and where
//! a record may begin at all.

use super::Reader;
use super::boundary::{Boundary, Quotes};
use crate::csv::{Resume, RowKind};
use crate::plist::binary;
use crate::protocol::FormatReader;
use crate::{json, xml};

/// What is open for a reader where a record begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReaderState {
    /// For JSON: the maps and lists, outermost first. The innermost is a list.
    Lists(Vec<json::Container>),
    /// For JSON, behind a record: the maps and lists, outermost first. None are open around a line.
    Behind(Vec<json::Container>),
    /// For XML: the elements, outermost first.
    Elements(Vec<xml::OpenElement>),
    /// For CSV, nothing.
    Rows,
    /// For a binary property list: which member of the container around it the record is, which
    /// member that container is, and so on, the outermost first. Behind a record, it is the member
    /// that would come next.
    Members(Box<[u64]>),
}

/// Records that can be passed over by the structure of the text, from where a reader stands.
#[derive(Debug)]
pub(crate) enum Passable<'r> {
    /// Lines.
    Lines,
    /// Items of a list of JSON.
    Items,
    /// Child elements of an element of XML.
    Children(&'r xml::Reader),
    /// Rows of this kind, in so many bytes.
    Rows(RowKind, usize),
}

impl Reader {
    /// What is open around a record that has just begun at `at`, inside of `depth` containers. None
    /// if no other reader can begin there: as the value of a member, unless the members have places,
    /// or in an entity; or if what comes before it is in error because of what follows.
    #[must_use]
    pub fn stand(&self, at: u64, depth: usize) -> Option<ReaderState> {
        match self {
            Reader::Json(reader) => reader.open_around(depth).map(ReaderState::Lists),
            Reader::Xml(reader) => reader.open_around(depth).map(ReaderState::Elements),
            Reader::Csv(reader) => {
                (reader.is_settled() && reader.can_be_cut(at)).then_some(ReaderState::Rows)
            }
            Reader::Plist(reader) => reader.binary()?.places(depth).map(ReaderState::Members),
            Reader::Records(_) => None,
        }
    }

    /// What is open where the reader stands, if that is behind a record. None if no other reader can
    /// go on there, as for [`stand`](Self::stand).
    #[must_use]
    pub fn stand_behind(&self) -> Option<ReaderState> {
        match self {
            Reader::Json(reader) => {
                let json::Start { open, coming, .. } = reader.start_here()?;
                match coming {
                    json::Coming::Separator => Some(ReaderState::Behind(open)),
                    // The line is over, or the comma behind an item was read.
                    json::Coming::Item if open.last() != Some(&json::Container::Map) => {
                        Some(ReaderState::Lists(open))
                    }
                    json::Coming::Item | json::Coming::First => None,
                }
            }
            Reader::Xml(reader) => Some(ReaderState::Elements(reader.start_here()?.open)),
            Reader::Csv(reader) => {
                let is_free = reader.is_between_rows() && reader.can_be_cut(reader.offset());
                is_free.then_some(ReaderState::Rows)
            }
            Reader::Plist(reader) => Some(ReaderState::Members(reader.binary()?.places_behind())),
            Reader::Records(_) => None,
        }
    }

    /// Whether the document has ended where the reader stands, behind a record: it was the root of a
    /// binary property list.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.binary().is_some_and(binary::Reader::is_over)
    }

    /// A reader at a record of the same text, where so much is open, if this one has read all that comes
    /// before its first record. None if that is a place in another format, or one of a binary property
    /// list.
    #[must_use]
    pub fn at(&self, stand: &ReaderState, offset: u64) -> Option<Reader> {
        let mut reader = match (self, stand) {
            (Reader::Json(reader), ReaderState::Lists(open)) => Reader::Json(reader.inside(open)?),
            (Reader::Json(reader), ReaderState::Behind(open)) => Reader::Json(reader.behind(open)?),
            (Reader::Xml(reader), ReaderState::Elements(open)) => {
                Reader::Xml(Box::new(reader.inside(open.clone())?))
            }
            (Reader::Csv(reader), ReaderState::Rows) => Reader::Csv(Box::new(reader.at_a_row()?)),
            _ => return None,
        };
        reader.jump(offset);
        Some(reader)
    }

    /// A reader of a range of a binary property list, of which nothing is read yet: from the record
    /// at one place up to the one at another. None if this is a reader of another format.
    #[must_use]
    pub fn between(&self, start: &[u64], until: &[u64]) -> Option<Reader> {
        match self {
            Reader::Plist(reader) => reader.between(start, until).map(Box::new).map(Reader::Plist),
            _ => None,
        }
    }

    /// What is open behind all records of a source to which more may be appended.
    #[must_use]
    pub fn stand_at_end(&self) -> Option<ReaderState> {
        match self {
            Reader::Json(_) => Some(ReaderState::Lists(Vec::new())),
            Reader::Csv(_) => Some(ReaderState::Rows),
            Reader::Xml(_) | Reader::Plist(_) | Reader::Records(_) => None,
        }
    }

    /// A reader at the beginning of any record that stands in the same `depth` containers as the
    /// current one. Tell it by [`jump`](FormatReader::jump) where that is; if it is one of binary
    /// property lists, by [`lead_to`](binary::Reader::lead_to). None if this one does not know all that
    /// it would have to know.
    #[must_use]
    pub fn beside(&self, depth: usize) -> Option<Reader> {
        match self {
            Reader::Json(reader) => reader.beside(depth).map(Reader::Json),
            Reader::Csv(reader) if reader.is_settled() => {
                reader.at_a_row().map(Box::new).map(Reader::Csv)
            }
            Reader::Xml(reader) => reader.beside(depth).map(Box::new).map(Reader::Xml),
            Reader::Plist(reader) => reader.beside(depth).map(Box::new).map(Reader::Plist),
            Reader::Csv(_) | Reader::Records(_) => None,
        }
    }

    /// Whether both stand between two records, in the same containers: then each of them would read
    /// the rest as the other. Where they stand is not compared.
    #[must_use]
    pub fn goes_on_as(&self, other: &Self) -> bool {
        match (self, other) {
            (Reader::Json(one), Reader::Json(other)) => {
                let coming = json::Coming::Item;
                matches!((one.start_here(), other.start_here()), (Some(one), Some(other))
                    if one.open == other.open && (one.coming, other.coming) == (coming, coming))
            }
            (Reader::Csv(one), Reader::Csv(other)) => {
                one.is_between_rows() && other.is_between_rows()
            }
            (Reader::Xml(one), Reader::Xml(other)) => {
                matches!((one.start_here(), other.start_here()), (Some(one), Some(other))
                    if one.open == other.open)
            }
            _ => matches!((self.binary(), other.binary()), (Some(one), Some(other))
                if one.goes_on_as(other)),
        }
    }

    /// Whether records are ever passable for this reader: they are the values at the root, or else in
    /// containers.
    pub(crate) fn may_pass(&self, at_root: bool) -> bool {
        match (self, at_root) {
            (Reader::Json(reader), false) => reader.framing() == json::Framing::Document,
            (Reader::Json(reader), true) => reader.framing() == json::Framing::Lines,
            (Reader::Xml(reader), false) => reader.is_plain(),
            (Reader::Csv(reader), true) => reader.row_kind().is_some(),
            _ => false,
        }
    }

    /// What can be passed over from here on. The records are in so many containers, or the values at
    /// the root.
    pub(crate) fn passable(&self, depth: Option<usize>) -> Option<Passable<'_>> {
        match (self, depth) {
            (Reader::Json(reader), None) if reader.is_behind_line() => Some(Passable::Lines),
            (Reader::Json(reader), Some(depth)) if reader.is_behind_item(depth) => {
                Some(Passable::Items)
            }
            (Reader::Xml(reader), Some(depth)) if reader.is_between_children(depth) => {
                Some(Passable::Children(reader))
            }
            (Reader::Csv(reader), None) => {
                Some(Passable::Rows(reader.row_kind()?, reader.row_ahead()?))
            }
            _ => None,
        }
    }

    /// Where the text can be cut, so that a record probably begins there. None if that depends on
    /// how its records begin.
    #[must_use]
    pub fn cut(&self) -> Option<Boundary> {
        match self {
            Reader::Json(reader) if reader.framing() == json::Framing::Lines => {
                Some(Boundary::Lines)
            }
            Reader::Csv(reader) => {
                let options = reader.options()?;
                let delimiter = options.delimiter.as_bytes();
                let between = (*delimiter.last()?, *delimiter.first()?);
                Some(Boundary::Rows(options.quote.map(|quote| Quotes { quote, between })))
            }
            Reader::Json(_) | Reader::Xml(_) | Reader::Plist(_) | Reader::Records(_) => None,
        }
    }

    /// The same, if a record that is not the first of its list begins at a place of this text. None
    /// if the record says too little.
    #[must_use]
    pub fn cut_as(&self, text: &[u8], at: usize) -> Option<Boundary> {
        match self {
            Reader::Json(_) => Boundary::as_in_list(text, at),
            Reader::Xml(_) => Boundary::as_element(text, at),
            Reader::Csv(_) | Reader::Plist(_) | Reader::Records(_) => None,
        }
    }
}

impl Resume for Reader {
    fn is_settled(&self) -> bool {
        match self {
            Reader::Csv(reader) => Resume::is_settled(&**reader),
            Reader::Json(_) | Reader::Xml(_) | Reader::Plist(_) | Reader::Records(_) => false,
        }
    }
    fn resume(&self) -> Option<Self> {
        match self {
            Reader::Csv(reader) => Some(Reader::Csv(Box::new(reader.resume()?))),
            Reader::Json(_) | Reader::Xml(_) | Reader::Plist(_) | Reader::Records(_) => None,
        }
    }
    fn looks_back(&self) -> usize {
        match self {
            Reader::Csv(reader) => reader.looks_back(),
            Reader::Json(_) | Reader::Xml(_) | Reader::Plist(_) | Reader::Records(_) => 0,
        }
    }
    fn may_follow(&self, before: &[u8]) -> bool {
        match self {
            Reader::Csv(reader) => reader.may_follow(before),
            Reader::Json(_) | Reader::Xml(_) | Reader::Plist(_) | Reader::Records(_) => false,
        }
    }
}
