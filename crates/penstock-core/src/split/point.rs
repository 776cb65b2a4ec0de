//! The beginning of a record, as data: all that a reader must know to begin there, in another
//! process, and to say the same of each record as a reader of all the text.

use crate::formats::Reader;
use crate::json;
use crate::plist::binary;
use crate::position::Counter;
use crate::protocol::FormatReader;
use crate::select::Open;
use crate::xml;

/// The beginning of a record that is not the first, or the end of any.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Point {
    /// The counts up to it.
    pub counted: Counter,
    /// How many records come before it.
    pub records: u64,
    /// What is open for the reader.
    pub stand: Stand,
    /// What is open for whoever selects the records; nothing if all values at the root are records.
    pub open: Vec<Open>,
}

/// What is open for a reader where a record begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stand {
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

impl Reader {
    /// What is open around a record that has just begun at `at`, inside of `depth` containers. None
    /// if no other reader can begin there: as the value of a member, unless the members have places,
    /// or in an entity; or if what comes before it is in error because of what follows.
    #[must_use]
    pub fn stand(&self, at: u64, depth: usize) -> Option<Stand> {
        match self {
            Reader::Json(reader) => reader.open_around(depth).map(Stand::Lists),
            Reader::Xml(reader) => reader.open_around(depth).map(Stand::Elements),
            Reader::Csv(reader) => {
                (reader.is_settled() && reader.can_be_cut(at)).then_some(Stand::Rows)
            }
            Reader::Plist(reader) => reader.binary()?.places(depth).map(Stand::Members),
            Reader::Told(_) => None,
        }
    }

    /// What is open where the reader stands, if that is behind a record. None if no other reader can
    /// go on there, as for [`stand`](Self::stand).
    #[must_use]
    pub fn stand_behind(&self) -> Option<Stand> {
        match self {
            Reader::Json(reader) => {
                let json::Start { open, coming, .. } = reader.start_here()?;
                match coming {
                    json::Coming::Separator => Some(Stand::Behind(open)),
                    // The line is over, or the comma behind an item was read.
                    json::Coming::Item if open.last() != Some(&json::Container::Map) => {
                        Some(Stand::Lists(open))
                    }
                    json::Coming::Item | json::Coming::First => None,
                }
            }
            Reader::Xml(reader) => Some(Stand::Elements(reader.start_here()?.open)),
            Reader::Csv(reader) => {
                let is_free = reader.is_between_rows() && reader.can_be_cut(reader.offset());
                is_free.then_some(Stand::Rows)
            }
            Reader::Plist(reader) => Some(Stand::Members(reader.binary()?.places_behind())),
            Reader::Told(_) => None,
        }
    }

    /// Whether the document has ended where the reader stands, behind a record: it was the root of a
    /// binary property list.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.binary().is_some_and(binary::Reader::is_over)
    }

    /// A reader at a point of the same text, if this one has read all that comes before its first
    /// record. None if the point is one of another format, or has [places](Stand::Members).
    #[must_use]
    pub fn at_point(&self, point: &Point) -> Option<Reader> {
        let mut reader = match (self, &point.stand) {
            (Reader::Json(reader), Stand::Lists(open)) => Reader::Json(reader.inside(open)?),
            (Reader::Json(reader), Stand::Behind(open)) => Reader::Json(reader.behind(open)?),
            (Reader::Xml(reader), Stand::Elements(open)) => {
                Reader::Xml(Box::new(reader.inside(open.clone())?))
            }
            (Reader::Csv(reader), Stand::Rows) => Reader::Csv(Box::new(reader.at_a_row()?)),
            _ => return None,
        };
        reader.jump(point.counted.bytes());
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
}
