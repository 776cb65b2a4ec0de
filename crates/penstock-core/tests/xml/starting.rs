//! Readers that start inside a document: the parts together report the same events as the whole.

use penstock_core::error::Fail;
use penstock_core::limits::Limits;
use penstock_core::protocol::Step;
use penstock_core::xml::{OpenElement, Options, Reader, Start};
use penstock_scan::ValidText;
use proptest::prelude::*;

use crate::documents::{damaged, document, typed};
use crate::recording::{Answers, Cuts, Event, Recorder, What, settled};
use crate::{config, told};

/// Lets a reader read a part, and returns how it ended.
fn part(reader: &mut Reader, text: &str, last: bool, recorder: &mut Recorder) -> Option<Step> {
    match reader.run(ValidText::from(text), last, recorder) {
        Ok(step) => Some(step),
        Err(Fail::Input(fault)) => {
            let what = What::Fault(fault.kind(), fault.reason().to_owned());
            recorder.events.push((fault.offset(), what));
            None
        }
        Err(Fail::Sink(depth)) => panic!("refused at {depth}"),
    }
}

/// The events of two readers. The second one starts where the first one is at a cut. Nothing if the
/// first does not get there, or no second one can start there.
fn in_two(text: &str, cut: usize, answers: Answers) -> Option<Vec<Event>> {
    let (options, limits) = (Options::default(), Limits::default());
    let mut recorder = Recorder::new(answers);
    let mut first = Reader::new(options, &limits);
    if part(&mut first, &text[..cut], false, &mut recorder) != Some(Step::More) {
        return None;
    }
    let start = first.start_here()?;
    let from = usize::try_from(start.offset).unwrap();
    let mut second = Reader::starting(options, &limits, &start);
    part(&mut second, &text[from..], true, &mut recorder);
    Some(recorder.events)
}

proptest! {
    #![proptest_config(config(300))]

    /// At every position at which a reader says that another one may start.
    #[test]
    fn two_parts_tell_what_the_whole_tells(
        text in prop_oneof![document(), typed(), damaged(document())], skips in 0_u64..3, extras: bool,
    ) {
        let answers = Answers { extras, ..Answers::skipping(skips) };
        let whole = settled(told(&text, Options::default(), &Cuts::WHOLE, answers));
        for cut in (0..=text.len()).filter(|cut| text.is_char_boundary(*cut)) {
            if let Some(events) = in_two(&text, cut, answers) {
                prop_assert_eq!(settled(events), whole.clone(), "cut at {}", cut);
            }
        }
    }
}

/// Elements with these names; those with a prefix bind it.
fn open(names: &[&str]) -> Vec<OpenElement> {
    let element = |name: &&str| {
        let prefix = name.split_once(':').map(|(prefix, _)| prefix);
        let bindings = prefix.map(|prefix| (prefix.to_owned(), format!("urn:{prefix}")));
        OpenElement { name: (*name).to_owned(), bindings: bindings.into_iter().collect() }
    };
    names.iter().map(element).collect()
}

/// Positions between records, written by hand.
#[test]
fn between_records() {
    let cases: [(&str, &[&str]); 6] = [
        ("<r>|<i n='1'/><i n='2'/></r>", &["r"]),
        ("<r><i n='1'/>|<i n='2'/></r>", &["r"]),
        ("<r><i n='1'/>\n|<i n='2'/></r>", &["r"]),
        ("<r><i n='1'/><i n='2'/>|</r><!-- and -->", &["r"]),
        (
            "<p:r xmlns:p='urn:p'><q:s xmlns:q='urn:q'><p:i/>|<q:i p:n='2'/></q:s></p:r>",
            &["p:r", "q:s"],
        ),
        ("<r><i>1</i>|<é>2</é></r>", &["r"]),
    ];
    for (marked, names) in cases {
        let cut = marked.find('|').unwrap();
        let text = marked.replace('|', "");
        let whole = told(&text, Options::default(), &Cuts::WHOLE, Answers::default());
        assert_eq!(in_two(&text, cut, Answers::default()).as_ref(), Some(&whole), "{marked}");

        // The same with a start that is made by hand.
        let mut recorder = Recorder::default();
        let mut first = Reader::new(Options::default(), &Limits::default());
        part(&mut first, &text[..cut], false, &mut recorder);
        let found = first.start_here().unwrap();
        assert_eq!((found.offset, &found.open), (cut as u64, &open(names)), "{marked}");
        let start = Start::inside(cut as u64, open(names));
        let mut second = Reader::starting(Options::default(), &Limits::default(), &start);
        assert_eq!((second.base(), second.depth()), (cut as u64, names.len()));
        part(&mut second, &text[cut..], true, &mut recorder);
        assert_eq!(recorder.events, whole, "{marked}");
    }
}

/// A start that a reader makes has the declarations of the document type, and no other start has
/// them.
#[test]
fn what_is_declared() {
    let text = "<!DOCTYPE r [<!ENTITY e 'x'><!ATTLIST i a CDATA 'd'>]><r><i/>|<i>&e;</i></r>";
    let (cut, text) = (text.find('|').unwrap(), text.replace('|', ""));
    let whole = told(&text, Options::default(), &Cuts::WHOLE, Answers::default());
    assert_eq!(in_two(&text, cut, Answers::default()), Some(whole));

    let mut recorder = Recorder::default();
    let start = Start::inside(cut as u64, open(&["r"]));
    let mut reader = Reader::starting(Options::default(), &Limits::default(), &start);
    part(&mut reader, &text[cut..], true, &mut recorder);
    let Some((_, What::Fault(_, reason))) = recorder.events.last() else { panic!("no fault") };
    assert_eq!(reason, "the entity 'e' is not declared");
}

/// No start is given where another reader could not begin.
#[test]
fn where_no_reader_can_begin() {
    let text = "<?xml version='1.0'?><r><!-- c --><?p d?><![CDATA[x]]></r>";
    for cut in ["<?xml", "<r", "<!-- c", "<?p d", "<![CDATA[x]"] {
        let cut = text.find(cut).unwrap() + cut.len();
        if let Some(start) = {
            let mut reader = Reader::new(Options::default(), &Limits::default());
            part(&mut reader, &text[..cut], false, &mut Recorder::default());
            reader.start_here()
        } {
            // The start is at least before the cut construct.
            assert!(start.offset < cut as u64, "{cut}: {start:?}");
        }
    }
    let mut reader = Reader::new(Options::default(), &Limits::default());
    part(&mut reader, text, true, &mut Recorder::default());
    assert!(reader.start_here().is_none());
}

/// A part may close no more than the elements that are open where it starts.
#[test]
fn what_is_open_counts() {
    let start = Start::inside(50, open(&["r", "s"]));
    let read = |text: &str| {
        let mut recorder = Recorder::default();
        let mut reader = Reader::starting(Options::default(), &Limits::default(), &start);
        let step = part(&mut reader, text, true, &mut recorder);
        (step, recorder.events.pop())
    };
    assert_eq!(read("</s></r>").0, Some(Step::Done));
    let fault = |text: &str| match read(text).1 {
        Some((at, What::Fault(_, reason))) => format!("{reason} (byte {at})"),
        other => panic!("{other:?}"),
    };
    assert_eq!(fault("</r>"), "the end tag of 'r', but 's' is open (byte 50)");
    assert_eq!(fault("</s>"), "the input ends inside the element 'r' (byte 54)");
    assert!(fault("</s></r></q>").ends_with("(byte 58)"));
}
