//! Asserts the exact events of one small document for each format, and that
//! `docs/internals/events.md` prints them unchanged.
//!
//! Each document is in `events/`, next to its listing. That of the binary format is written as
//! pairs of hexadecimal digits.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use penstock_core::csv;
use penstock_core::error::{Fail, Kind};
use penstock_core::json::{Framing, Reader, Step};
use penstock_core::limits::Limits;
use penstock_core::plist;
use penstock_core::protocol::{FormatReader, InputView, Sink, Trace};
use penstock_core::xml;
use penstock_scan::ValidText;

const NESTED: &str = include_str!("events/nested.json");
const MIXED: &str = include_str!("events/mixed.xml");
const ROW: &str = include_str!("events/row.csv");
const SHARED: &str = include_str!("events/shared.plist.hex");
const ERROR: &str = include_str!("events/error.ndjson");

const NESTED_EVENTS: &str = include_str!("events/nested.txt");
const MIXED_EVENTS: &str = include_str!("events/mixed.txt");
const ROW_EVENTS: &str = include_str!("events/row.txt");
const SHARED_EVENTS: &str = include_str!("events/shared.txt");
const ERROR_EVENTS: &str = include_str!("events/error.txt");

#[test]
fn nested_json() {
    let mut trace = Trace::new();
    let mut reader = Reader::new(Framing::Document, &Limits::default());
    let step = reader.run(ValidText::from(NESTED), true, &mut trace).unwrap();
    assert_eq!(step, Step::Done);
    assert_eq!(trace.text(), NESTED_EVENTS);
}

#[test]
fn mixed_xml() {
    let mut trace = Trace::new();
    let mut reader = xml::Reader::new(xml::Options::default(), &Limits::default());
    let step = reader.run(ValidText::from(MIXED), true, &mut trace).unwrap();
    assert_eq!(step, Step::Done);
    assert_eq!(trace.text(), MIXED_EVENTS);
}

#[test]
fn ndjson_with_a_line_in_error() {
    let mut trace = Trace::new();
    let mut reader = Reader::new(Framing::Lines, &Limits::default());
    match reader.run(ValidText::from(ERROR), true, &mut trace) {
        Err(Fail::Input(fault)) => assert_eq!(fault.kind(), Kind::Malformed),
        other => panic!("{other:?}"),
    }
    trace.abandon();
    assert!(reader.resynchronise());
    let step = reader.run(ValidText::from(ERROR), true, &mut trace).unwrap();
    assert_eq!(step, Step::Done);
    assert_eq!(trace.text(), ERROR_EVENTS);
}

#[test]
fn csv_row() {
    let mut trace = Trace::new();
    let mut reader = csv::Reader::new(&csv::Options::default(), &Limits::default()).unwrap();
    let step = reader.run(ValidText::from(ROW), true, &mut trace).unwrap();
    assert_eq!(step, Step::Done);
    assert_eq!(trace.text(), ROW_EVENTS);
}

/// The bytes of a hexadecimal listing with offsets, bytes and remarks.
fn bytes_of(listing: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    for line in listing.lines() {
        let (offset, rest) = line.split_once(": ").unwrap();
        assert_eq!(offset.trim().parse(), Ok(bytes.len()));
        let (digits, _) = rest.split_once("   ").unwrap();
        bytes.extend(digits.split(' ').map(|pair| u8::from_str_radix(pair, 16).unwrap()));
    }
    bytes
}

#[test]
fn binary_plist_with_a_shared_object() {
    let mut trace = Trace::new();
    let bytes = bytes_of(SHARED);
    let mut reader = plist::binary::Reader::new(&Limits::default());
    let step = reader.run(InputView::Bytes(&bytes), &mut trace).unwrap();
    assert_eq!(step, Step::Done);
    assert_eq!(trace.text(), SHARED_EVENTS);
}

#[test]
fn the_page_prints_the_listings() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/internals/events.md");
    let page = std::fs::read_to_string(page).unwrap();
    for (language, file, text) in [
        ("json", "nested.json", NESTED),
        ("text", "nested.txt", NESTED_EVENTS),
        ("xml", "mixed.xml", MIXED),
        ("text", "mixed.txt", MIXED_EVENTS),
        ("text", "row.csv", ROW),
        ("text", "row.txt", ROW_EVENTS),
        ("text", "shared.plist.hex", SHARED),
        ("text", "shared.txt", SHARED_EVENTS),
        ("text", "error.ndjson", ERROR),
        ("text", "error.txt", ERROR_EVENTS),
    ] {
        let block = format!("```{language} crates/penstock-core/tests/events/{file}\n{text}```\n");
        assert!(page.contains(&block), "the page does not print {file} as it is");
    }
}
