//! Single objects by their numbers: together they are what the reader tells, and few bytes are read
//! for a few of them.

use std::cell::Cell;
use std::io;

use penstock_core::error::Fault;
use penstock_core::event::{Container, ContainerKind};
use penstock_core::limits::Limits;
use penstock_core::plist::binary::{Graph, Node};
use penstock_core::protocol::{FormatReader, InputView, Sink, Step, Trace};
use penstock_core::source::ReadAt;
use proptest::prelude::*;

use super::file::*;
use super::{config, layout, objects};

/// RecordFeed everything to which an object leads, asking for one object after the other.
fn tell(
    graph: &mut Graph,
    given: InputView<'_>,
    number: u64,
    trace: &mut Trace,
) -> Result<(), Fault> {
    let at = graph.place(given, number)?;
    let container = graph.node(given, number, |node| match node {
        Node::Scalar(value) => {
            let Ok(_) = trace.scalar(value, at);
            None
        }
        Node::Container(kind, count) => Some((kind, count)),
    })?;
    let Some((kind, count)) = container else {
        assert_eq!(graph.member(given, number, 0)?, None);
        return Ok(());
    };
    if kind == ContainerKind::Set {
        trace.container(Container { kind, shared: None });
    }
    let is_map = kind == ContainerKind::Map;
    let Ok(_) = if is_map { trace.begin_map(at) } else { trace.begin_list(at) };
    for place in 0..count {
        let key = graph.key(given, number, place, |key| key.text.as_str().to_owned())?;
        assert_eq!(key.is_some(), is_map);
        if let Some(key) = key {
            // The twin of the reader knows where it is, and nobody else asks.
            let Ok(_) = trace.key(key.as_str().into(), 0);
            let found = graph.find(given, number, &key)?;
            assert!(found.is_some_and(|found| found >= place));
        }
        let member = graph.member(given, number, place)?.unwrap();
        tell(graph, given, member, trace)?;
    }
    assert_eq!(graph.member(given, number, count)?, None);
    assert_eq!(graph.key(given, number, count, |_| ())?, None);
    let Ok(_) = if is_map { trace.end_map(at) } else { trace.end_list(at) };
    Ok(())
}

/// The events of a reader without the places of keys, and without what is shared.
fn without_places(events: &str) -> String {
    let mut lines = String::new();
    for line in events.lines() {
        let rest = line.trim_start().trim_start_matches(|char: char| char.is_ascii_digit());
        let rest = rest.trim_start();
        if rest.starts_with("key ") {
            lines.push_str(rest);
        } else if rest.starts_with("container set") {
            lines.push_str("container set");
        } else if !rest.starts_with("container") {
            lines.push_str(line.trim_start());
        } else {
            continue;
        }
        lines.push('\n');
    }
    lines
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn all_objects_are_what_the_reader_tells(objects in objects(), layout in layout()) {
        let bytes = file(&objects, layout);
        let (events, None) = told(&bytes, &Limits::default()) else { return Ok(()) };
        let source = File { bytes: &bytes, end: bytes.len() };
        for given in [InputView::Bytes(&bytes), InputView::At { file: &source, size: bytes.len() as u64 }] {
            let mut graph = Graph::open(given, &Limits::default()).unwrap();
            prop_assert_eq!(graph.objects(), objects.len() as u64);
            let mut trace = Trace::new();
            let root = graph.root();
            tell(&mut graph, given, root, &mut trace).unwrap();
            prop_assert_eq!(without_places(trace.text()), without_places(&events));
        }
    }

    /// A reader of a part tells what a reader of the whole tells of it.
    #[test]
    fn a_part_is_read_alone(objects in objects(), layout in layout()) {
        let bytes = file(&objects, layout);
        let given = InputView::Bytes(&bytes);
        let graph = Graph::open(given, &Limits::default()).unwrap();
        for number in 0..graph.objects() {
            let mut part = Trace::new();
            let read = graph.reader(number, &Limits::default()).run(given, &mut part);
            let alone = file(&objects, Layout { root: number, ..layout });
            let (expected, fault) = told(&alone, &Limits::default());
            prop_assert_eq!(read.is_err(), fault.is_some());
            prop_assert_eq!(without_places(part.text()), without_places(&expected));
        }
    }
}

#[test]
fn what_is_shared_in_a_part() {
    // Object 3 is shared in the whole, and within object 2, but not within object 1.
    let objects = [list(&[1, 2]), list(&[3, 4]), list(&[3, 3]), list(&[4]), int(7)];
    let bytes = file(&objects, SIMPLE);
    let given = InputView::Bytes(&bytes);
    let graph = Graph::open(given, &Limits::default()).unwrap();
    let shared = |number| {
        let mut trace = Trace::new();
        graph.reader(number, &Limits::default()).run(given, &mut trace).unwrap();
        trace.text().matches("shared 3").count()
    };
    assert_eq!((shared(0), shared(1), shared(2)), (3, 0, 2));
}

#[test]
fn keys() {
    let objects = [Members(0xD, vec![1, 2, 1, 3, 4, 3]), text("a"), utf16("é"), int(1), int(2)];
    let bytes = file(&objects, SIMPLE);
    let given = InputView::Bytes(&bytes);
    let mut graph = Graph::open(given, &Limits::default()).unwrap();
    // The last one counts.
    assert_eq!(graph.find(given, 0, "a").unwrap(), Some(2));
    assert_eq!(graph.find(given, 0, "é").unwrap(), Some(1));
    assert_eq!(graph.find(given, 0, "b").unwrap(), None);
    assert_eq!(graph.find(given, 3, "a").unwrap(), None);
    assert_eq!(graph.member(given, 0, 1).unwrap(), Some(4));
    let fault = graph.node(given, 5, |_| ()).unwrap_err();
    assert_eq!(fault.to_string(), "a reference to object 5, and there are only 5 (byte 50)");
    let text = InputView::Text { text: "".into(), last: true };
    let fault = Graph::open(text, &Limits::default()).unwrap_err();
    assert_eq!(fault.to_string(), "a binary property list is no text (byte 0)");
}

/// A file that counts the bytes that are read of it.
struct Counting<'a> {
    bytes: &'a [u8],
    read: Cell<usize>,
}

impl ReadAt for Counting<'_> {
    fn read_exact_at(&self, out: &mut [u8], offset: u64) -> io::Result<()> {
        self.read.set(self.read.get() + out.len());
        File { bytes: self.bytes, end: self.bytes.len() }.read_exact_at(out, offset)
    }
}

#[test]
fn little_is_read() {
    let rows = 50_000_u64;
    let row = |row: u64| Counted(4, 100, row.to_be_bytes().repeat(13)[..100].to_vec());
    let objects: Vec<Raw> =
        [list(&(1..=rows).collect::<Vec<_>>())].into_iter().chain((1..=rows).map(row)).collect();
    let bytes = file(&objects, Layout { offset: 4, reference: 4, ..SIMPLE });
    assert!(bytes.len() > 5 << 20);
    let file = Counting { bytes: &bytes, read: Cell::new(0) };
    let given = InputView::At { file: &file, size: bytes.len() as u64 };
    let mut graph = Graph::open(given, &Limits::default()).unwrap();
    for place in [0, 1, rows / 2, rows - 1] {
        let number = graph.member(given, 0, place).unwrap().unwrap();
        assert_eq!(number, place + 1);
        graph.node(given, number, |node| assert!(matches!(node, Node::Scalar(_)))).unwrap();
    }
    assert!(file.read.get() < 256 << 10, "{} bytes", file.read.get());
    // Reading one of them as a part reads no more.
    let mut trace = Trace::new();
    let step = graph.reader(rows, &Limits::default()).run(given, &mut trace);
    assert!(matches!(step, Ok(Step::Done)));
    assert!(file.read.get() < 320 << 10, "{} bytes", file.read.get());
    assert_eq!(trace.text().lines().count(), 1);
}
