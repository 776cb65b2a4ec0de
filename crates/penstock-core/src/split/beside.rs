//! Readers that begin at a record of a document, beside the one that reads all of it.

use super::cut::{Cut, Quotes};
use crate::formats::Reader;
use crate::{csv, json, xml};

/// A reader beside which others can begin.
pub trait Beside: Sized {
    /// A reader at the beginning of any record that stands in the same `depth` containers as the
    /// current one. Tell it by [`jump`](crate::protocol::FormatReader::jump) where that is; if it is one of binary
    /// property lists, by [`lead_to`](crate::plist::binary::Reader::lead_to). None if this one does not know
    /// all that it would have to know.
    fn beside(&self, depth: usize) -> Option<Self>;

    /// Whether both stand between two records, in the same containers: then each of them would read
    /// the rest as the other. Where they stand is not compared.
    fn goes_on_as(&self, other: &Self) -> bool;
}

impl Beside for json::Reader {
    fn beside(&self, depth: usize) -> Option<Self> {
        self.beside(depth)
    }
    fn goes_on_as(&self, other: &Self) -> bool {
        match (self.start_here(), other.start_here()) {
            (Some(one), Some(other)) => {
                let coming = json::Coming::Item;
                one.open == other.open && (one.coming, other.coming) == (coming, coming)
            }
            _ => false,
        }
    }
}

impl Beside for csv::Reader {
    fn beside(&self, _depth: usize) -> Option<Self> {
        self.is_settled().then(|| self.at_a_row()).flatten()
    }
    fn goes_on_as(&self, other: &Self) -> bool {
        self.is_between_rows() && other.is_between_rows()
    }
}

impl Beside for xml::Reader {
    fn beside(&self, depth: usize) -> Option<Self> {
        self.beside(depth)
    }
    fn goes_on_as(&self, other: &Self) -> bool {
        match (self.start_here(), other.start_here()) {
            (Some(one), Some(other)) => one.open == other.open,
            _ => false,
        }
    }
}

impl Reader {
    /// Where the text can be cut, so that a record probably begins there. None if that depends on
    /// how its records begin.
    #[must_use]
    pub fn cut(&self) -> Option<Cut> {
        match self {
            Reader::Json(reader) if reader.framing() == json::Framing::Lines => Some(Cut::Lines),
            Reader::Csv(reader) => {
                let options = reader.options()?;
                let delimiter = options.delimiter.as_bytes();
                let between = (*delimiter.last()?, *delimiter.first()?);
                Some(Cut::Rows(options.quote.map(|quote| Quotes { quote, between })))
            }
            Reader::Json(_) | Reader::Xml(_) | Reader::Plist(_) | Reader::Told(_) => None,
        }
    }

    /// The same, if a record that is not the first of its list begins at a place of this text. None
    /// if the record says too little.
    #[must_use]
    pub fn cut_as(&self, text: &[u8], at: usize) -> Option<Cut> {
        match self {
            Reader::Json(_) => Cut::as_in_list(text, at),
            Reader::Xml(_) => Cut::as_element(text, at),
            Reader::Csv(_) | Reader::Plist(_) | Reader::Told(_) => None,
        }
    }
}

impl Beside for Reader {
    fn beside(&self, depth: usize) -> Option<Self> {
        match self {
            Reader::Json(reader) => Beside::beside(reader, depth).map(Reader::Json),
            Reader::Csv(reader) => {
                Beside::beside(&**reader, depth).map(|reader| Reader::Csv(Box::new(reader)))
            }
            Reader::Xml(reader) => {
                Beside::beside(&**reader, depth).map(|reader| Reader::Xml(Box::new(reader)))
            }
            Reader::Plist(reader) => reader.beside(depth).map(Box::new).map(Reader::Plist),
            Reader::Told(_) => None,
        }
    }
    fn goes_on_as(&self, other: &Self) -> bool {
        match (self, other) {
            (Reader::Json(one), Reader::Json(other)) => one.goes_on_as(other),
            (Reader::Csv(one), Reader::Csv(other)) => one.goes_on_as(&**other),
            (Reader::Xml(one), Reader::Xml(other)) => one.goes_on_as(&**other),
            _ => match (self.binary(), other.binary()) {
                (Some(one), Some(other)) => one.goes_on_as(other),
                _ => false,
            },
        }
    }
}
