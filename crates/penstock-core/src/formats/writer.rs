//! [`AnyWriter`] as a writer, for code that decides at each event where it goes.

use crate::protocol::{Flow, Hints, LookAhead, Sink};
use crate::writer::{Column, Unwritable, Writer};
use crate::{csv, forward, json, plist, xml};

/// The writer of any format. Match it once, and write with the one inside.
#[derive(Debug)]
pub enum AnyWriter {
    /// JSON and NDJSON.
    Json(Box<json::writer::Writer>),
    /// XML.
    Xml(Box<xml::writer::Writer>),
    /// CSV.
    Csv(Box<csv::writer::Writer>),
    /// Property lists of any form but JSON.
    Plist(Box<plist::Writer>),
}

/// Does the same with whichever writer there is: `each_writer!(writer, w => w.finish())`.
#[macro_export]
macro_rules! each_writer {
    ($any:expr, $writer:ident => $call:expr) => {
        match $any {
            $crate::formats::AnyWriter::Json($writer) => $call,
            $crate::formats::AnyWriter::Xml($writer) => $call,
            $crate::formats::AnyWriter::Csv($writer) => $call,
            $crate::formats::AnyWriter::Plist($writer) => $call,
        }
    };
}

macro_rules! either {
    ($trait:ident $($how:ident $method:ident($($name:ident: $kind:ty),*) $(-> $result:ty)?;)*) => {
        $(either! { @ $how $method($($name: $kind),*) $(-> $result)? })*
    };
    (@ mut $method:ident($($name:ident: $kind:ty),*) $(-> $result:ty)?) => {
        #[inline(always)]
        fn $method(&mut self, $($name: $kind),*) $(-> $result)? {
            each_writer!(self, writer => writer.$method($($name),*))
        }
    };
    (@ ref $method:ident($($name:ident: $kind:ty),*) -> $result:ty) => {
        #[inline(always)]
        fn $method(&self, $($name: $kind),*) -> $result {
            each_writer!(self, writer => writer.$method($($name),*))
        }
    };
}

impl Sink for AnyWriter {
    type Error = Unwritable;
    forward!(sink, either);
}

impl Hints for AnyWriter {
    forward!(hints, either);
}

impl LookAhead for AnyWriter {
    forward!(ahead, either);
}

impl Writer for AnyWriter {
    #[inline]
    fn ready(&self) -> &[u8] {
        each_writer!(self, writer => writer.ready())
    }
    fn taken(&mut self) {
        each_writer!(self, writer => writer.taken());
    }
    fn finish(&mut self) -> Result<(), Unwritable> {
        each_writer!(self, writer => writer.finish())
    }
    fn reopen(&mut self) {
        each_writer!(self, writer => writer.reopen());
    }
    fn records(&self) -> u64 {
        each_writer!(self, writer => writer.records())
    }
    fn beside(&self) -> Option<Self> {
        Some(match self {
            AnyWriter::Json(writer) => AnyWriter::Json(Box::new(writer.beside()?)),
            AnyWriter::Xml(writer) => AnyWriter::Xml(Box::new(writer.beside()?)),
            AnyWriter::Csv(writer) => AnyWriter::Csv(Box::new(writer.beside()?)),
            AnyWriter::Plist(writer) => AnyWriter::Plist(Box::new(writer.beside()?)),
        })
    }
    fn agrees(&self, beside: &Self) -> bool {
        match (self, beside) {
            (AnyWriter::Json(one), AnyWriter::Json(other)) => one.agrees(other),
            (AnyWriter::Xml(one), AnyWriter::Xml(other)) => one.agrees(other),
            (AnyWriter::Csv(one), AnyWriter::Csv(other)) => one.agrees(other),
            (AnyWriter::Plist(one), AnyWriter::Plist(other)) => one.agrees(other),
            _ => false,
        }
    }
    fn pass(&mut self, records: u64) {
        each_writer!(self, writer => writer.pass(records));
    }
    fn word(&mut self, text: &str, is_number: bool) -> Result<Flow, Unwritable> {
        each_writer!(self, writer => writer.word(text, is_number))
    }
    fn wants_columns(&self) -> bool {
        each_writer!(self, writer => writer.wants_columns())
    }
    fn columns(&mut self, columns: Vec<Column>, layout: u64) -> Result<(), Unwritable> {
        each_writer!(self, writer => writer.columns(columns, layout))
    }
    fn lent_key(&mut self, lent: &[u8], name: &str) -> Result<Flow, Unwritable> {
        each_writer!(self, writer => writer.lent_key(lent, name))
    }
}
