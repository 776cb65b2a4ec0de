//! Binary property lists are walked: every key and value is told, and counted.

use std::convert::Infallible;
use std::hint::black_box;
use std::io::Cursor;

use penstock_core::event::{Key, Scalar, Text};
use penstock_core::limits::Limits;
use penstock_core::plist::binary::Reader;
use penstock_core::plist::binary::writer::{Writer, WriterOptions};
use penstock_core::protocol::{Flow, FormatReader, InputView, Hints, LookAhead, Sink};
use penstock_core::writer::{Unwritable, Writer as _};
use plist::stream::{BinaryReader, Event};

use crate::rounds::{Row, Table};

/// How many tracks there are, as in the rows of Python.
const TRACKS: u32 = 200_000;

pub fn walk() -> Table {
    let data = tracks().expect("they can be written");
    let told = penstock(&data);
    assert_eq!(told, peer(&data));
    assert_eq!(told.tracks, TRACKS as usize);
    Row::new("a binary property list of 200,000 tracks, every key and value told; per track")
        .case("penstock", told.tracks, || black_box(penstock(&data)))
        .case("plist", told.tracks, || black_box(peer(&data)))
        .bar(2.0, "plist")
        .measured()
}

/// Tracks of six members, with a date and a list.
fn tracks() -> Result<Vec<u8>, Unwritable> {
    let mut writer = Writer::new(WriterOptions::default(), &Limits::default());
    writer.begin_list(0)?;
    for number in 0..TRACKS {
        writer.begin_map(0)?;
        writer.key("Track ID".into(), 0)?;
        writer.int(number.into(), 0)?;
        writer.key("Name".into(), 0)?;
        writer.text(format!("Song number {number}").as_str().into(), 0)?;
        writer.key("Rating".into(), 0)?;
        writer.float(f64::from(number % 50) / 8.0, 0)?;
        writer.key("Explicit".into(), 0)?;
        writer.boolean(number % 7 == 0, 0)?;
        writer.key("Date Added".into(), 0)?;
        writer.scalar(Scalar::Since2001(257_558_400.0 + 60.0 * f64::from(number)), 0)?;
        writer.key("Artists".into(), 0)?;
        writer.begin_list(0)?;
        writer.text(format!("Artist {}", number % 5_000).as_str().into(), 0)?;
        writer.text(format!("Artist {}", number % 3_331).as_str().into(), 0)?;
        writer.end_list(0)?;
        writer.end_map(0)?;
    }
    writer.end_list(0)?;
    writer.finish()?;
    Ok(writer.ready().to_vec())
}

/// What was told.
#[derive(Debug, Default, PartialEq)]
struct Told {
    tracks: usize,
    lists: usize,
    /// The bytes of all keys and strings.
    text: usize,
    ints: i64,
    floats: f64,
    dates: usize,
    bools: usize,
}

/// Tells all events.
fn penstock(data: &[u8]) -> Told {
    let mut told = Told::default();
    Reader::new(&Limits::default()).run(InputView::Bytes(data), &mut told).expect("a property list");
    told
}

impl Hints for Told {}

impl LookAhead for Told {}

type Answer = Result<Flow, Infallible>;

impl Sink for Told {
    type Error = Infallible;

    fn begin_map(&mut self, _: u64) -> Answer {
        self.tracks += 1;
        Ok(Flow::Take)
    }
    fn end_map(&mut self, _: u64) -> Answer {
        Ok(Flow::Take)
    }
    fn begin_list(&mut self, _: u64) -> Answer {
        self.lists += 1;
        Ok(Flow::Take)
    }
    fn end_list(&mut self, _: u64) -> Answer {
        Ok(Flow::Take)
    }
    fn name(&mut self, key: Key<'_>, _: u64) -> Answer {
        self.text += key.name.bytes().len();
        Ok(Flow::Take)
    }
    fn scalar(&mut self, value: Scalar<'_>, _: u64) -> Answer {
        match value {
            Scalar::Int(value) => self.ints += value,
            Scalar::Float(value) => self.floats += value,
            Scalar::Bool(value) => self.bools += usize::from(value),
            Scalar::Since2001(_) => self.dates += 1,
            Scalar::Text(text) => self.text += text.bytes().len(),
            _ => {}
        }
        Ok(Flow::Take)
    }
    fn abandon(&mut self) {}
    fn piece(&mut self, _: Text<'_>, _: u64) -> Answer {
        Ok(Flow::Take)
    }
}

/// The events of the crate plist, which reads from a `Read` that can seek.
fn peer(data: &[u8]) -> Told {
    let mut told = Told::default();
    for event in BinaryReader::new(Cursor::new(data)) {
        match event.expect("a property list") {
            Event::StartArray(_) => told.lists += 1,
            Event::StartDictionary(_) => told.tracks += 1,
            Event::Boolean(value) => told.bools += usize::from(value),
            Event::Date(_) => told.dates += 1,
            Event::Integer(value) => told.ints += value.as_signed().unwrap_or_default(),
            Event::Real(value) => told.floats += value,
            Event::String(text) => told.text += text.len(),
            _ => {}
        }
    }
    told
}
