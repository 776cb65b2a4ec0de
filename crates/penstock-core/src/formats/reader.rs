//! One reader type for code that works with any format.

use super::arrow;
use crate::error::Fail;
use crate::forward;
use crate::protocol::{Destination, FormatReader, InputView, Listener, Step, takes};
use crate::shape::Shape;
use crate::{csv, json, plist, xml};

/// A reader of any format.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "there is one for each run")]
pub enum Reader {
    /// JSON of any framing.
    Json(json::Reader),
    /// XML.
    Xml(Box<xml::Reader>),
    /// CSV.
    Csv(Box<csv::Reader>),
    /// Property lists of any form.
    Plist(Box<plist::Reader>),
    /// Records that are no text.
    Records(arrow::Reader),
}

impl From<csv::Reader> for Reader {
    fn from(reader: csv::Reader) -> Self {
        Reader::Csv(Box::new(reader))
    }
}

impl From<arrow::Reader> for Reader {
    fn from(reader: arrow::Reader) -> Self {
        Reader::Records(reader)
    }
}

/// Forwards a call to the format's own reader.
macro_rules! each {
    ($self:expr, $reader:ident => $call:expr) => {
        match $self {
            Reader::Json($reader) => $call,
            Reader::Xml($reader) => $call,
            Reader::Csv($reader) => $call,
            Reader::Plist($reader) => $call,
            Reader::Records($reader) => $call,
        }
    };
}

impl Reader {
    /// The shape of the documents.
    fn shape(&self) -> Shape {
        match self {
            Reader::Xml(_) => Shape::Elements,
            _ => Shape::Members,
        }
    }

    /// The reader of rows, if it is one.
    #[must_use]
    pub fn csv(&self) -> Option<&csv::Reader> {
        match self {
            Reader::Csv(reader) => Some(reader),
            _ => None,
        }
    }

    /// The reader of rows, if it is one.
    #[must_use]
    pub fn into_csv(self) -> Option<csv::Reader> {
        match self {
            Reader::Csv(reader) => Some(*reader),
            _ => None,
        }
    }

    /// Whether it reads property lists, of whichever form.
    #[must_use]
    pub fn is_of_plists(&self) -> bool {
        matches!(self, Reader::Plist(_))
    }

    /// Before anything is read: other readers may begin beside it, so it is to halt where they can.
    pub(crate) fn halt(&mut self) {
        if let Reader::Plist(reader) = self {
            reader.halt();
        }
    }

    /// Before anything is read: says now and then that it needs more, though all is there, so that its
    /// driver can answer signals. A reader of text does so in any case.
    pub fn rest(&mut self) {
        if let Reader::Plist(reader) = self {
            reader.rest();
        }
    }

    /// Before anything is read: does not report the declarations inside of a document.
    pub fn hide_subset(&mut self) {
        if let Reader::Xml(reader) = self {
            reader.hide_subset();
        }
    }

    /// The reader of a binary property list, if it is one.
    pub(crate) fn binary(&self) -> Option<&plist::binary::Reader> {
        match self {
            Reader::Plist(reader) => reader.binary(),
            _ => None,
        }
    }

    /// The reader of a binary property list, if it is one.
    pub(crate) fn binary_mut(&mut self) -> Option<&mut plist::binary::Reader> {
        match self {
            Reader::Plist(reader) => reader.binary_mut(),
            _ => None,
        }
    }
}

macro_rules! own {
    (reader $($how:ident $method:ident($($name:ident: $kind:ty),*) $(-> $result:ty)?;)*) => {
        $(own! { @ $how $method($($name: $kind),*) $(-> $result)? })*
    };
    (@ mut $method:ident($($name:ident: $kind:ty),*) $(-> $result:ty)?) => {
        #[inline]
        fn $method(&mut self, $($name: $kind),*) $(-> $result)? {
            each!(self, reader => reader.$method($($name),*))
        }
    };
    (@ ref $method:ident($($name:ident: $kind:ty),*) -> $result:ty) => {
        #[inline]
        fn $method(&self, $($name: $kind),*) -> $result {
            each!(self, reader => reader.$method($($name),*))
        }
    };
}

impl FormatReader for Reader {
    #[inline]
    fn run<S: Listener>(
        &mut self,
        given: InputView<'_>,
        sink: &mut S,
    ) -> Result<Step, Fail<S::Error>> {
        match self {
            Reader::Json(reader) => FormatReader::run(reader, given, sink),
            Reader::Xml(reader) => FormatReader::run(&mut **reader, given, sink),
            // A row is one call, so only a builder of rows without fields notices one through a table. And property lists
            // have four grammars.
            Reader::Csv(reader) => FormatReader::run_dyn(&mut **reader, given, sink),
            Reader::Plist(reader) => FormatReader::run_dyn(&mut **reader, given, sink),
            Reader::Records(reader) => reader.run(given, sink),
        }
    }
    #[inline]
    fn run_for<D: Destination, S: Listener>(
        &mut self,
        given: InputView<'_>,
        sink: &mut S,
    ) -> Result<Step, Fail<S::Error>> {
        debug_assert!(takes::<D>(self.shape()), "a shape that the destination refuses");
        each!(self, reader => reader.run_for::<D, S>(given, sink))
    }
    fn run_dyn<S: Listener>(
        &mut self,
        given: InputView<'_>,
        sink: &mut S,
    ) -> Result<Step, Fail<S::Error>> {
        match self {
            Reader::Json(reader) => FormatReader::run_dyn(reader, given, sink),
            Reader::Xml(reader) => FormatReader::run_dyn(&mut **reader, given, sink),
            Reader::Csv(reader) => FormatReader::run_dyn(&mut **reader, given, sink),
            Reader::Plist(reader) => FormatReader::run_dyn(&mut **reader, given, sink),
            Reader::Records(reader) => reader.run(given, sink),
        }
    }
    forward!(reader, own);
}
