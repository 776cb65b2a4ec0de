//! A writer of any format, for code that works with all of them.

use super::{Unwritable, Writer};
use crate::forward;
use crate::sink::{Lent, LookAhead, Sink};
use crate::{json, xml};

/// A writer of any format.
#[derive(Debug)]
pub enum AnyWriter {
    /// JSON of any framing.
    Json(Box<json::writer::Writer>),
    /// XML.
    Xml(Box<xml::writer::Writer>),
}

impl From<json::writer::Writer> for AnyWriter {
    fn from(writer: json::writer::Writer) -> Self {
        AnyWriter::Json(Box::new(writer))
    }
}

impl From<xml::writer::Writer> for AnyWriter {
    fn from(writer: xml::writer::Writer) -> Self {
        AnyWriter::Xml(Box::new(writer))
    }
}

/// Forwards a call to the format's own writer.
macro_rules! each {
    ($self:expr, $writer:ident => $call:expr) => {
        match $self {
            AnyWriter::Json($writer) => $call,
            AnyWriter::Xml($writer) => $call,
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
            each!(self, writer => writer.$method($($name),*))
        }
    };
    (@ ref $method:ident($($name:ident: $kind:ty),*) -> $result:ty) => {
        #[inline(always)]
        fn $method(&self, $($name: $kind),*) -> $result {
            each!(self, writer => writer.$method($($name),*))
        }
    };
}

impl Sink for AnyWriter {
    type Error = Unwritable;
    forward!(told, either);
}

impl Lent for AnyWriter {
    forward!(lent, either);
}

impl LookAhead for AnyWriter {
    forward!(ahead, either);
}

impl Writer for AnyWriter {
    #[inline]
    fn ready(&self) -> &[u8] {
        each!(self, writer => writer.ready())
    }
    fn taken(&mut self) {
        each!(self, writer => writer.taken());
    }
    fn finish(&mut self) -> Result<(), Unwritable> {
        each!(self, writer => writer.finish())
    }
}
