//! Text of another format.

use crate::schema::{FORMS, element, in_each_form, many, text};
use crate::{Form, drive_in, reader};
use penstock_core::convert::{self, Conversion, Cut, ForceList, Settings};
use penstock_core::formats::{AnyWriter, Format};
use penstock_core::limits::Limits;
use penstock_core::options::{OptionValue, Value};
use penstock_core::run::Policy;
use penstock_core::writer::Content;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use std::fmt::Debug;

pub(crate) type Options = &'static [(&'static str, &'static str)];

/// The formats that records are written in, each in several ways.
pub(crate) const TARGETS: [(&str, Options); 20] = [
    ("ndjson", &[]),
    ("ndjson", &[("framing", "sequence"), ("sort_keys", "true")]),
    ("ndjson", &[("canonical", "true")]),
    ("json", &[]),
    ("json", &[("indent", "2"), ("sort_keys", "true")]),
    ("json", &[("ascii", "true")]),
    ("csv", &[]),
    ("csv", &[("quoting", "all")]),
    ("xml", &[]),
    ("xml", &[("indent", "1"), ("null", "empty")]),
    ("xml", &[("null", "omit"), ("declaration", "false"), ("record", "one")]),
    ("xml", &[("namespaces", "p=urn:p")]),
    ("plist", &[("form", "xml")]),
    ("plist", &[("form", "xml"), ("sort_keys", "true")]),
    ("plist", &[("form", "openstep")]),
    ("plist", &[("form", "openstep"), ("sort_keys", "true"), ("indent", "0")]),
    ("plist", &[("form", "gnustep")]),
    ("plist", &[("form", "gnustep"), ("indent", "2")]),
    ("plist", &[("form", "json")]),
    ("plist", &[("form", "binary")]),
];

/// How records are converted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct How {
    pub(crate) form: Form,
    pub(crate) target: (&'static str, Options),
    pub(crate) shape: convert::Form,
    pub(crate) policy: Policy,
    pub(crate) cut: Option<&'static str>,
}

fn said(text: &str) -> OptionValue {
    let value = match text {
        "true" => Value::Flag(true),
        "false" => Value::Flag(false),
        text => match (text.parse(), text.split_once('=')) {
            (Ok(number), _) => Value::Number(number),
            (Err(_), Some((prefix, uri))) => Value::Pairs(vec![(said(prefix), said(uri))]),
            (Err(_), None) => Value::Text(text.to_owned()),
        },
    };
    OptionValue { kind: "a word".to_owned(), value }
}

fn writer((format, options): (&str, Options)) -> AnyWriter {
    let options: Vec<_> =
        options.iter().map(|(name, text)| ((*name).to_owned(), said(text))).collect();
    let format = Format::by_name(format).expect("a format");
    let style = (format.style)(&options).expect("good options");
    style.writer(Content::Records(None), &Limits::default()).expect("records")
}

/// The text, if there is a whole one, how many records are in it, and the problems. And how many
/// pieces threads have read.
type Made = (Result<String, String>, u64, Vec<String>, u64);

fn finish(to: &mut Conversion<'_, Vec<u8>>) -> Result<(), String> {
    to.finish().map_err(|why| format!("{why:?}"))
}

fn made(how: How, text: &[u8], by: Option<(usize, usize)>) -> Made {
    let limits = Limits::default();
    let (reader, records) = reader(how.form);
    let settings = Settings {
        from_elements: how.form == Form::Elements,
        has_namespaces: true,
        form: how.shape,
        force_list: ForceList::Never,
        records,
        condition: None,
        duplicates: None,
        leaves_out: how.policy != Policy::Raise,
    };
    let mut out = Vec::new();
    let cut = how.cut.map(|cut| Cut::parse(cut, false).expect("columns"));
    let to = Conversion::new(settings, writer(how.target), &mut out, &limits);
    let mut to = to.cutting(cut);
    let nothing = |_: &mut _| unreachable!("nothing pauses");
    let (problems, taken, is_whole) =
        drive_in(reader, how.policy, text, (&mut to, |to| to.scope()), by, nothing);
    // How much of the text was taken before a failure is left open.
    let finished = if is_whole { finish(&mut to) } else { Err("a failure".to_owned()) };
    let records = to.records();
    let text = finished.map(|()| String::from_utf8_lossy(&out).into_owned());
    (text, records, problems, taken)
}

pub(crate) fn same(
    how: How,
    text: &(impl AsRef<[u8]> + Debug + ?Sized),
    by: (usize, usize),
) -> u64 {
    let one = made(how, text.as_ref(), None);
    let many = made(how, text.as_ref(), Some(by));
    assert_eq!(one.2, many.2, "{how:?} {text:?}");
    assert_eq!((one.0, one.1), (many.0, many.1), "{how:?} {text:?}");
    many.3
}

/// Elements whose names need declarations of their own.
fn named() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("<p:item xmlns:p='urn:p'><p:n/></p:item>"),
        Just("<item xmlns='urn:d'><n x='1'/></item>"),
        // The prefix `p` is that of another namespace already, so the writer makes one.
        Just("<item xmlns:r='urn:p' xmlns:p='urn:2' r:y='2' p:x='1'/>"),
        Just("<item xmlns:r='urn:p' xmlns:p='urn:3' r:y='2' p:x='1'/>"),
        Just("<?target data?><item/>"),
    ]
    .prop_map(str::to_owned)
}

/// A form of the source, and records: most of them are alike.
fn records() -> impl Strategy<Value = (Form, Vec<String>)> {
    let list = |form: Form, record: BoxedStrategy<String>| {
        let alike = many(form, 60).into_iter().skip(1).collect::<Vec<_>>();
        let record = prop_oneof![12 => prop::sample::select(alike), 1 => record];
        prop::collection::vec(record, 0..60).boxed()
    };
    in_each_form(list, prop_oneof![element(), named()].boxed())
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: crate::effort::often(600),
        rng_seed: RngSeed::Fixed(1),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn any_pieces_of_any_records(
        (form, records) in records(),
        target in prop::sample::select(TARGETS.to_vec()),
        is_plain in any::<bool>(),
        policy in prop_oneof![
            Just(Policy::Raise), Just(Policy::Hand), Just(Policy::Skip),
            Just(Policy::Collect { most: 3 })
        ],
        space in prop_oneof![Just(""), Just("\n  "), Just(" ")],
        count in 1..4_usize, size in 1..900_usize,
    ) {
        let shape = if is_plain { convert::Form::Plain } else { convert::Form::Element };
        let cut = (form == Form::Rows && !is_plain).then_some("late,id");
        let how = How { form, target, shape, policy, cut };
        same(how, &text(form, &records, space), (count, size));
    }
}

/// Most pieces are converted by the threads.
#[test]
fn the_threads_convert() {
    for form in FORMS {
        let text = text(form, &many(form, 2_000), "\n");
        let pieces = text.len() as u64 / 1_000;
        for target in TARGETS {
            // No cell holds a list, and no property list has a null.
            let is_flat = target.0 != "csv" || form == Form::Rows;
            let shape = convert::Form::Plain;
            for policy in [Policy::Raise, Policy::Skip] {
                let how = How { form, target, shape, policy, cut: None };
                let taken = same(how, &text, (2, 1_000));
                let shares = is_flat && !target.1.contains(&("form", "binary"));
                assert!(!shares || taken + 12 > pieces, "{how:?}: {taken} of {pieces}");
                assert!(shares || taken == 0, "{how:?}: {taken}");
            }
        }
    }
}

/// Lists of elements, both ways.
#[test]
fn the_threads_convert_the_element_form() {
    let shape = convert::Form::Element;
    let policy = Policy::Raise;
    let elements = text(Form::Elements, &many(Form::Elements, 6_000), "\n");
    let how = How { form: Form::Elements, target: TARGETS[0], shape, policy, cut: None };
    let taken = same(how, &elements, (2, 3_000));
    assert!(taken > 12, "{taken}");
    let (lists, ..) = made(how, elements.as_ref(), None);
    let how = How { form: Form::Lines, target: ("xml", &[("indent", "2")]), ..how };
    let taken = same(how, &lists.expect("a text"), (2, 3_000));
    assert!(taken > 12, "{taken}");
}

/// If the writer has made a prefix, the threads begin anew, and know it.
#[test]
fn prefixes_are_made_in_order() {
    let mut records = many(Form::Elements, 12_000);
    for (number, uri) in [(700, 1), (2_500, 2), (2_900, 1), (5_000, 2), (6_000, 1)] {
        records[number] =
            format!("<item xmlns:r='urn:p' xmlns:p='urn:{uri}' r:y='2' p:x='1'>7</item>");
    }
    let text = text(Form::Elements, &records, "\n");
    let target = ("xml", TARGETS[11].1);
    let (shape, policy) = (convert::Form::Plain, Policy::Raise);
    let how = How { form: Form::Elements, target, shape, policy, cut: None };
    let (made, ..) = made(how, text.as_ref(), None);
    assert!(made.expect("a document").contains("ns1:x"));
    let taken = same(how, &text, (2, 3_000));
    assert!(taken > 60, "{taken}");
}
