//! Readers that start inside a document: the parts together report the same events as the whole.

use penstock_core::json::{Coming, Container, Framing, Reader, Start, Step};
use penstock_core::limits::Limits;
use penstock_scan::ValidText;
use proptest::prelude::*;
use proptest::sample::select;

use crate::documents::{damaged, document};
use crate::naive::Event;
use crate::recording::{Cuts, Recorder};
use crate::{config, told};

const FRAMINGS: [Framing; 4] =
    [Framing::Document, Framing::Lines, Framing::Sequence, Framing::Concatenated];

/// The events of a text up to a cut, and the reader's position there; nothing if the reader does
/// not get there.
fn until(
    text: &str,
    framing: Framing,
    start: &Start,
    cut: usize,
    seed: u64,
) -> Option<(Vec<Event>, Reader)> {
    let mut reader = Reader::starting(framing, &Limits::default(), start);
    let mut recorder = Recorder::skipping(seed);
    let from = usize::try_from(start.offset).unwrap();
    let step = reader.run(ValidText::from(&text[from..cut]), false, &mut recorder);
    matches!(step, Ok(Step::More)).then_some((recorder.events, reader))
}

/// The events of a text from a start to its end, up to the first fault.
fn onwards(text: &str, framing: Framing, start: &Start, seed: u64) -> Vec<Event> {
    let mut reader = Reader::starting(framing, &Limits::default(), start);
    let mut recorder = Recorder::skipping(seed);
    let from = usize::try_from(start.offset).unwrap();
    let step = reader.run(ValidText::from(&text[from..]), true, &mut recorder);
    if let Err(penstock_core::error::Fail::Input(fault)) = step {
        let at = usize::try_from(fault.offset()).unwrap();
        recorder.events.push((at, crate::naive::What::Fault(fault.kind())));
    }
    recorder.events
}

proptest! {
    #![proptest_config(config(400))]

    /// At every position at which a reader says that another one may start.
    #[test]
    fn two_parts_tell_what_the_whole_tells(
        text in prop_oneof![document(), damaged(document())], framing in select(FRAMINGS.to_vec()), skips in 0_u64..3,
    ) {
        let whole = onwards(&text, framing, &Start::at_root(0), skips);
        for cut in (0..=text.len()).filter(|cut| text.is_char_boundary(*cut)) {
            let first = until(&text, framing, &Start::at_root(0), cut, skips);
            let Some((mut events, reader)) = first else { continue };
            let Some(start) = reader.start_here() else { continue };
            events.extend(onwards(&text, framing, &start, skips));
            prop_assert_eq!(&events, &whole, "cut at {}: {:?}", cut, start);
        }
    }
}

const MAP: Container = Container::Map;
const LIST: Container = Container::List;

/// Positions between records, written by hand: in a list, in a map, and in the list of a member.
#[test]
fn between_records() {
    let cases: [(&str, &[Container], Coming); 8] = [
        (r#"|[{"a":1}, {"a":2}]"#, &[], Coming::Item),
        (r#"[|{"a":1}, {"a":2}]"#, &[LIST], Coming::First),
        (r#"[{"a":1}|, {"a":2}]"#, &[LIST], Coming::Separator),
        (r#"[{"a":1},| {"a":2}]"#, &[LIST], Coming::Item),
        (r#"[{"a":1}, {"a":2}|]"#, &[LIST], Coming::Separator),
        (r#"{"x":{"a":1},|"y":{"a":2}}"#, &[MAP], Coming::Item),
        (r#"{"n":0,"items":[{"a":[]},|{"a":[3]}],"z":null}"#, &[MAP, LIST], Coming::Item),
        (r#"{"n":0,"items":[{"a":[]},{|"a":[3]}],"z":null}"#, &[MAP, LIST, MAP], Coming::First),
    ];
    for (marked, open, coming) in cases {
        let cut = marked.find('|').unwrap();
        let text = marked.replace('|', "");
        let start = Start { offset: cut as u64, open: open.to_vec(), coming };
        let begin = Start::at_root(0);
        let (mut events, reader) = until(&text, Framing::Document, &begin, cut, 0).unwrap();
        assert_eq!(reader.start_here(), Some(start.clone()), "{marked}");
        events.extend(onwards(&text, Framing::Document, &start, 0));
        assert_eq!(events, told(&text, Framing::Document, &Cuts::WHOLE, 0), "{marked}");
    }
}

/// Each line by a reader of its own.
#[test]
fn at_lines() {
    let text = "{\"id\": 1}\n\n[2, 3]\r\n\"four\"\n5\nnull";
    let (mut events, mut from) = (Vec::new(), 0);
    for line in text.split_inclusive('\n') {
        let end = from + line.len();
        events.extend(onwards(&text[..end], Framing::Lines, &Start::at_root(from as u64), 0));
        from = end;
    }
    assert_eq!(events, told(text, Framing::Lines, &Cuts::WHOLE, 0));
}

/// No start is given where another reader could not begin.
#[test]
fn where_no_reader_can_begin() {
    for (framing, text) in [
        (Framing::Document, r#"{"a""#),
        (Framing::Document, r#"{"a":"#),
        (Framing::Document, r#"{"a": 1"#),
        (Framing::Document, r#"{"a": [{"b""#),
        (Framing::Sequence, "\u{1e}"),
    ] {
        let (_, reader) = until(text, framing, &Start::at_root(0), text.len(), 0).unwrap();
        assert_eq!(reader.start_here(), None, "{text}");
    }
}

/// The depth includes the containers that are open at the start, and a part may close no more than
/// those.
#[test]
fn what_is_open_counts() {
    let start = Start { offset: 100, open: vec![LIST, MAP], coming: Coming::Separator };
    let limits = Limits { depth: 3, ..Limits::default() };
    let read = |text: &str| {
        let mut reader = Reader::starting(Framing::Document, &limits, &start);
        assert_eq!((reader.base(), reader.depth()), (100, 2));
        let step = reader.run(ValidText::from(text), true, &mut Recorder::new());
        step.map_err(|fail| match fail {
            penstock_core::error::Fail::Input(fault) => fault.to_string(),
            penstock_core::error::Fail::Sink(depth) => panic!("{depth}"),
        })
    };
    assert_eq!(read(r#","a":[]}, {}]"#), Ok(Step::Done));
    let deep = read(r#","a":[[]]}]"#).unwrap_err();
    assert_eq!(deep, "nested deeper than 3 levels (limits.depth) (byte 106)");
    let short = read("}").unwrap_err();
    assert_eq!(short, "the input ends inside an array (byte 101)");
    let long = read("}]]").unwrap_err();
    assert_eq!(long, "expected the end of the document after the value, found ']' (byte 102)");
}
