//! The destination of a run that converts: selection, records, and the end of the text.

use super::elements::Elements;
use super::lists::Lists;
use super::members::Members;
use super::out::Out;
use super::plain::Plain;
use super::{Body, Cut, Form, Output, RecordName, Settings, Stage};
use crate::error::Fail;
use crate::event::{Key, KeyKind};
use crate::formats::AnyWriter;
use crate::forward;
use crate::limits::Limits;
use crate::protocol::{
    Destination, Flow, FormatReader, Hints, InputView, Listener, LookAhead, Sink, Step, Trail,
};
use crate::run::RecordScope;
use crate::select::{Filtered, Select, Where};
use crate::writer::{Unwritable, Writer};

/// Why a conversion ends although its source is good.
#[derive(Debug)]
pub enum Stopped<E> {
    /// The output does not take the text.
    Output(E),
    /// There is no memory for the text.
    Memory,
}

/// Why a conversion cannot be completed.
#[derive(Debug)]
pub enum Unfinished<E> {
    /// What was written is no document.
    Text(Unwritable),
    /// The output does not take the text.
    Output(E),
}

/// A destination that converts.
///
/// ```
/// use penstock_core::convert::{Conversion, ForceList, Form, Settings};
/// use penstock_core::json::writer::{Writer, WriterOptions};
/// use penstock_core::limits::Limits;
/// use penstock_core::formats::Reader;
/// use penstock_core::run::{InMemory, Origin, Policy, Run, Turn};
/// use penstock_core::formats::AnyWriter;
/// use penstock_core::xml;
///
/// let limits = Limits::default();
/// let writer = AnyWriter::Json(Box::new(Writer::new(WriterOptions::default(), &limits)));
/// let settings = Settings {
///     from_elements: true,
///     has_namespaces: true,
///     form: Form::Plain,
///     force_list: ForceList::Never,
///     records: None,
///     condition: None,
///     leaves_out: false,
///     duplicates: None,
/// };
/// let mut text = Vec::new();
/// let mut conversion = Conversion::new(settings, writer, &mut text, &limits);
/// let reader = Reader::Xml(Box::new(xml::Reader::new(xml::Options::default(), &limits)));
/// let source = b"<shop open='1'><item>Nut</item><item>Bolt</item></shop>";
/// let mut run = Run::new(reader, InMemory::new(source, Origin::default()), Policy::Raise);
/// run.input_mut().more(usize::MAX);
/// assert!(matches!(run.advance(&mut conversion), Ok(Turn::End)));
/// conversion.finish().expect("a document");
/// assert_eq!(text, br#"{"shop":{"@open":"1","item":["Nut","Bolt"]}}"#);
/// ```
#[derive(Debug)]
pub struct Conversion<'t, O: Output> {
    scope: RecordScope<Body<'t, O>>,
}

impl<'t, O: Output> Conversion<'t, O> {
    /// A conversion at the beginning of its source.
    pub fn new(settings: Settings, writer: AnyWriter, output: &'t mut O, limits: &Limits) -> Self {
        let Settings {
            from_elements,
            has_namespaces,
            form,
            force_list,
            records,
            condition,
            leaves_out,
            duplicates,
        } = settings;
        let to_elements = matches!(writer, AnyWriter::Xml(_));
        let stage = match (from_elements, to_elements, form) {
            (true, false, Form::Plain) => Stage::Plain(Box::new(Plain::new(force_list, limits))),
            (true, false, Form::Element) => {
                Stage::Elements(Box::new(Elements::new(records.is_none(), has_namespaces)))
            }
            (false, true, Form::Element) => Stage::Lists(Lists::new()),
            _ => match duplicates {
                Some(duplicates) => Stage::Members(Box::new(Members::new(duplicates, limits))),
                None => Stage::Nothing,
            },
        };
        let names_records = from_elements && records.is_some() && !matches!(stage, Stage::Plain(_));
        let body = Body {
            stage,
            out: Out::new(writer, output, !leaves_out && condition.is_none()),
            trail: Trail::new(),
            depth: 0,
            at: 0,
            records: 0,
            most: u64::MAX,
            memory: limits.memory,
            name: None,
            names_records,
            repeats: false,
            cut: None,
        };
        Conversion { scope: RecordScope::new(body, records).wanting(condition) }
    }

    /// The way to what converts each record, which shares its work with threads.
    pub fn scope(&mut self) -> &mut RecordScope<Body<'t, O>> {
        &mut self.scope
    }

    /// Keeps only some columns of a table.
    #[must_use]
    pub fn cutting(mut self, cut: Option<Cut>) -> Self {
        self.scope.inner_mut().cut = cut.map(Box::new);
        self
    }

    /// Ends behind so many records, of which there is at least one.
    #[must_use]
    pub fn up_to(mut self, most: u64) -> Self {
        self.scope.inner_mut().most = most;
        self
    }

    /// How many records are written.
    #[must_use]
    pub fn records(&self) -> u64 {
        self.scope.inner().records
    }

    /// How many bytes of text the output has taken.
    #[must_use]
    pub fn taken(&self) -> u64 {
        self.scope.inner().out.taken
    }

    /// Ends the text, and hands on the rest of it.
    ///
    /// # Errors
    /// What was written is no document of its format, or the output does not take it.
    pub fn finish(&mut self) -> Result<(), Unfinished<O::Error>> {
        let Body { stage, out, .. } = self.scope.inner_mut();
        let mut result = match stage {
            Stage::Elements(elements) => elements.finish(out),
            _ => Ok(()),
        };
        result = result.and_then(|()| out.writer.finish()).and_then(|()| out.hand());
        match (result, out.lost.take()) {
            (Ok(()), _) => Ok(()),
            (Err(_), Some(lost)) => Err(Unfinished::Output(lost)),
            (Err(error), None) => Err(Unfinished::Text(error)),
        }
    }
}

/// Forwards a call to the scope.
macro_rules! led {
    (destination $($how:ident $method:ident($($name:ident: $kind:ty),*) $(-> $result:ty)?;)*) => {
        $(led! { @ $how $method($($name: $kind),*) $(-> $result)? })*
    };
    (@ mut $method:ident($($name:ident: $kind:ty),*) $(-> $result:ty)?) => {
        fn $method(&mut self, $($name: $kind),*) $(-> $result)? {
            self.scope.$method($($name),*)
        }
    };
    (@ ref $method:ident($($name:ident: $kind:ty),*) -> $result:ty) => {
        fn $method(&self, $($name: $kind),*) -> $result {
            self.scope.$method($($name),*)
        }
    };
}

impl<O: Output> Destination for Conversion<'_, O> {
    type Error = Unwritable;
    type Cause = std::convert::Infallible;
    type Break = Stopped<O::Error>;

    fn read_from<R: FormatReader>(
        &mut self,
        reader: &mut R,
        given: InputView<'_>,
    ) -> Result<Step, Fail<Unwritable>> {
        read(&mut self.scope, reader, given)
    }
    forward!(destination, led);
}

/// Lets a reader parse text, and receives the events.
pub(super) fn read<O: Output, R: FormatReader>(
    scope: &mut RecordScope<Body<'_, O>>,
    reader: &mut R,
    given: InputView<'_>,
) -> Result<Step, Fail<Unwritable>> {
    match scope {
        RecordScope::Inside(select) if select.inner().names_records => {
            reader.run_dyn(given, &mut Named { select })
        }
        RecordScope::Where(some) if some.filtered().inner().names_records => {
            some.read_by(reader, |some, reader| match some {
                Where::Root(filtered) => reader.run_dyn(given, filtered),
                Where::Inside(select) => reader.run_dyn(given, &mut Named { select }),
            })
        }
        scope => scope.read_from(reader, given),
    }
}

/// In front of the selection of records: keeps the name of the element that may be the next record,
/// because the selection does not pass it.
struct Named<'s, S> {
    select: &'s mut Select<S>,
}

/// What writes records, or stands in front of that.
trait TakesName {
    /// The name of the element that may be the next record.
    fn take_name(&mut self, name: Option<RecordName>);
}

impl<O: Output> TakesName for Body<'_, O> {
    fn take_name(&mut self, name: Option<RecordName>) {
        self.name = name;
    }
}

impl<O: Output> TakesName for Filtered<Body<'_, O>> {
    fn take_name(&mut self, name: Option<RecordName>) {
        self.inner_mut().name = name;
    }
}

macro_rules! named {
    ($trait:ident $($how:ident $method:ident($($name:ident: $kind:ty),*) $(-> $result:ty)?;)*) => {
        $(named! { @ $how $method($($name: $kind),*) $(-> $result)? })*
    };
    // Written by hand.
    (@ mut name $($rest:tt)*) => {};
    (@ mut $method:ident($($name:ident: $kind:ty),*) $(-> $result:ty)?) => {
        fn $method(&mut self, $($name: $kind),*) $(-> $result)? {
            self.select.$method($($name),*)
        }
    };
    (@ ref $method:ident($($name:ident: $kind:ty),*) -> $result:ty) => {
        fn $method(&self, $($name: $kind),*) -> $result {
            self.select.$method($($name),*)
        }
    };
}

impl<S: Listener + TakesName> Sink for Named<'_, S> {
    type Error = S::Error;
    forward!(sink, named);

    fn name(&mut self, key: Key<'_>, at: u64) -> Result<Flow, S::Error> {
        if !self.select.in_record() {
            let is_element = key.kind == KeyKind::Element;
            self.select.inner_mut().take_name(is_element.then(|| RecordName::of(&key)));
        }
        self.select.name(key, at)
    }
}

impl<S: Listener + TakesName> Hints for Named<'_, S> {
    forward!(hints, named);
}

impl<S: Listener + TakesName> LookAhead for Named<'_, S> {
    forward!(ahead, named);
}
