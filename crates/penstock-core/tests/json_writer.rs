//! The JSON writer: exact text for each option, and what it writes reads back.

#![allow(clippy::unwrap_used, reason = "a test fails where it unwraps nothing")]

use penstock_core::event::Scalar;
use penstock_core::json::Order;
use penstock_core::json::writer::{Binary, NonFinite, Records, Writer, WriterOptions};
use penstock_core::limits::Limits;
use penstock_core::options::Indent;
use penstock_core::protocol::{Flow, Sink};
use penstock_core::value::datetime;
use penstock_core::value::duration::Duration;
use penstock_core::writer::{Kind, Unwritable, Writer as _};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed};
use serde_json::Value;

/// A document to write.
#[derive(Clone, Debug)]
enum Tree {
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    Digits(String),
    Text(String),
    List(Vec<Tree>),
    Map(Vec<(String, Tree)>),
}

fn trees() -> impl Strategy<Value = Tree> {
    let text = prop_oneof![".{0,20}", "[a-z\"\\\\\n\u{1}\u{7f}é€😀]{0,40}", "[a-z]{0,60}"];
    let leaf = prop_oneof![
        Just(Tree::Null),
        any::<bool>().prop_map(Tree::Bool),
        any::<i64>().prop_map(Tree::Int),
        any::<f64>().prop_filter("finite", |it| it.is_finite()).prop_map(Tree::Float),
        "-?(0|[1-9][0-9]{0,30})(\\.[0-9]{1,9})?(e[+-][0-9]{1,2})?".prop_map(Tree::Digits),
        text.clone().prop_map(Tree::Text),
    ];
    leaf.prop_recursive(5, 60, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Tree::List),
            prop::collection::vec((text.clone(), inner), 0..6).prop_map(Tree::Map),
        ]
    })
}

fn write(tree: &Tree, to: &mut Writer) -> Result<Flow, Unwritable> {
    match tree {
        Tree::Null => to.null(0),
        Tree::Bool(value) => to.boolean(*value, 0),
        Tree::Int(value) => to.int(*value, 0),
        Tree::Float(value) => to.float(*value, 0),
        Tree::Digits(digits) => to.number(digits.as_bytes(), 0),
        Tree::Text(text) => to.text(text.as_str().into(), 0),
        Tree::List(items) => {
            to.begin_list(0)?;
            for item in items {
                write(item, to)?;
            }
            to.end_list(0)
        }
        Tree::Map(members) => {
            to.begin_map(0)?;
            for (key, value) in members {
                to.key(key.as_str().into(), 0)?;
                write(value, to)?;
            }
            to.end_map(0)
        }
    }
}

/// The same tree, as serde_json has it.
fn value(tree: &Tree) -> Value {
    match tree {
        Tree::Null => Value::Null,
        Tree::Bool(value) => Value::Bool(*value),
        Tree::Int(value) => Value::from(*value),
        Tree::Float(value) => serde_json::from_str(&repr(*value)).unwrap(),
        Tree::Digits(digits) => serde_json::from_str(digits).unwrap(),
        Tree::Text(text) => Value::String(text.clone()),
        Tree::List(items) => items.iter().map(self::value).collect(),
        Tree::Map(members) => {
            Value::Object(members.iter().map(|(key, it)| (key.clone(), self::value(it))).collect())
        }
    }
}

fn repr(value: f64) -> String {
    let mut out = Vec::new();
    penstock_core::value::print::float(value, &mut out);
    String::from_utf8(out).unwrap()
}

fn writer(options: WriterOptions) -> Writer {
    Writer::new(options, &Limits::default())
}

fn written(options: WriterOptions, trees: &[Tree]) -> Result<String, Unwritable> {
    let mut writer = writer(options);
    for tree in trees {
        write(tree, &mut writer)?;
    }
    writer.finish()?;
    Ok(String::from_utf8(writer.ready().to_vec()).unwrap())
}

fn map(members: &[(&str, Tree)]) -> Tree {
    Tree::Map(members.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect())
}

proptest! {
    #![proptest_config(Config {
        cases: 600,
        rng_seed: RngSeed::Fixed(0x6a73_6f6e),
        failure_persistence: None,
        ..Config::default()
    })]

    #[test]
    fn it_reads_back(
        tree in trees(),
        indent in prop::option::of(0_u8..5),
        ascii in any::<bool>(),
        order in prop::option::of(prop_oneof![Just(Order::CodePoints), Just(Order::Utf16)]),
    ) {
        let indent = indent.map(Indent::spaces);
        let options = WriterOptions { indent, ascii, order, ..WriterOptions::default() };
        let text = written(options, std::slice::from_ref(&tree)).unwrap();
        let back: Value = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(back, value(&tree));
        prop_assert!(!ascii || text.is_ascii());
        prop_assert_eq!(indent.is_none(), !text.contains('\n'));
    }

    #[test]
    fn plain_and_indented_are_what_serde_json_writes(tree in trees()) {
        let value = value(&tree);
        // Members whose keys repeat are one member there.
        let options = WriterOptions { order: Some(Order::CodePoints), ..WriterOptions::default() };
        prop_assume!(unique(&tree));
        let indented = WriterOptions { indent: Some(Indent::spaces(2)), ..options.clone() };
        prop_assert_eq!(
            written(options, std::slice::from_ref(&tree)).unwrap(),
            serde_json::to_string(&value).unwrap()
        );
        prop_assert_eq!(
            written(indented, std::slice::from_ref(&tree)).unwrap(),
            serde_json::to_string_pretty(&value).unwrap() + "\n"
        );
    }

    #[test]
    fn it_may_be_taken_at_any_time(
        records in prop::collection::vec(trees(), 0..5),
        inside in any::<bool>(),
        indent in prop::option::of(0_u8..3),
        order in prop::option::of(Just(Order::CodePoints)),
    ) {
        let keys = if inside { vec!["a".to_owned(), "b\n".to_owned()] } else { Vec::new() };
        let records_as = Records::Array(keys);
        let indent = indent.map(Indent::spaces);
        let options = WriterOptions { records: records_as, indent, order, ..WriterOptions::default() };
        let whole = written(options.clone(), &records).unwrap();
        let mut writer = writer(options);
        let mut pieces = Vec::new();
        for tree in &records {
            piecewise(tree, &mut writer, &mut pieces);
        }
        writer.finish().unwrap();
        pieces.extend_from_slice(writer.ready());
        prop_assert_eq!(String::from_utf8(pieces).unwrap(), &*whole);
        let mut back: Value = serde_json::from_str(&whole).unwrap();
        if inside {
            back = back["a"]["b\n"].take();
        }
        prop_assert_eq!(back, records.iter().map(value).collect::<Value>());
    }

    #[test]
    fn an_abandoned_record_leaves_nothing(before in trees(), gone in trees(), after in trees()) {
        for records in [Records::Lines, Records::Sequence, Records::Array(vec!["x".to_owned()])] {
            let options = WriterOptions { records, ..WriterOptions::default() };
            let mut writer = writer(options.clone());
            // The record ends in the middle.
            writer.begin_list(0).unwrap();
            write(&gone, &mut writer).unwrap();
            writer.abandon();
            write(&before, &mut writer).unwrap();
            writer.begin_map(0).unwrap();
            writer.key("k".into(), 0).unwrap();
            write(&gone, &mut writer).unwrap();
            writer.abandon();
            write(&after, &mut writer).unwrap();
            writer.finish().unwrap();
            let expected = written(options, &[before.clone(), after.clone()]).unwrap();
            prop_assert_eq!(std::str::from_utf8(writer.ready()).unwrap(), expected);
        }
    }
}

/// Writes a tree, and takes the text after each event.
fn piecewise(tree: &Tree, to: &mut Writer, pieces: &mut Vec<u8>) {
    let mut take = |to: &mut Writer| {
        pieces.extend_from_slice(to.ready());
        to.taken();
    };
    match tree {
        Tree::List(items) => {
            to.begin_list(0).unwrap();
            take(to);
            for item in items {
                piecewise(item, to, pieces);
            }
            to.end_list(0).unwrap();
        }
        Tree::Map(members) => {
            to.begin_map(0).unwrap();
            take(to);
            for (key, value) in members {
                to.key(key.as_str().into(), 0).unwrap();
                pieces.extend_from_slice(to.ready());
                to.taken();
                piecewise(value, to, pieces);
            }
            to.end_map(0).unwrap();
        }
        scalar => {
            write(scalar, to).unwrap();
        }
    }
    pieces.extend_from_slice(to.ready());
    to.taken();
}

fn unique(tree: &Tree) -> bool {
    match tree {
        Tree::List(items) => items.iter().all(unique),
        Tree::Map(members) => {
            let keys: std::collections::HashSet<_> = members.iter().map(|(key, _)| key).collect();
            keys.len() == members.len() && members.iter().all(|(_, value)| unique(value))
        }
        _ => true,
    }
}

#[test]
fn how_records_follow_one_another() {
    let trees = [Tree::Int(1), Tree::Text("a\nb".to_owned()), Tree::List(vec![])];
    let cases = [
        (Records::Lines, None, "1\n\"a\\nb\"\n[]\n"),
        (Records::Sequence, None, "\u{1e}1\n\u{1e}\"a\\nb\"\n\u{1e}[]\n"),
        (Records::Array(vec![]), None, "[1,\"a\\nb\",[]]"),
        (Records::Array(vec![]), Some(1), "[\n 1,\n \"a\\nb\",\n []\n]\n"),
        (
            Records::Array(vec!["a".into(), "b".into()]),
            Some(2),
            "{\n  \"a\": {\n    \"b\": [\n      1,\n      \"a\\nb\",\n      []\n    ]\n  }\n}\n",
        ),
        (Records::Array(vec!["a".into()]), None, "{\"a\":[1,\"a\\nb\",[]]}"),
    ];
    for (records, indent, expected) in cases {
        let indent = indent.map(Indent::spaces);
        let options = WriterOptions { records, indent, ..WriterOptions::default() };
        assert_eq!(written(options, &trees).unwrap(), expected);
    }
    let empty = [
        (Records::Lines, None, ""),
        (Records::Array(vec![]), None, "[]"),
        (Records::Array(vec![]), Some(2), "[]\n"),
        (Records::Array(vec!["a".into()]), Some(2), "{\n  \"a\": []\n}\n"),
    ];
    for (records, indent, expected) in empty {
        let indent = indent.map(Indent::spaces);
        let options = WriterOptions { records, indent, ..WriterOptions::default() };
        assert_eq!(written(options, &[]).unwrap(), expected);
    }
    let one = written(WriterOptions::default(), &trees).unwrap_err();
    assert_eq!(one.reason(), "a JSON document is one value");
    let none = written(WriterOptions::default(), &[]).unwrap_err();
    assert_eq!(none.reason(), "there is no value to write");
}

#[test]
fn the_other_scalars() {
    let datetime = datetime::datetime(b"2026-11-02T07:08:09.5+02:00").unwrap();
    let scalars = [
        (Scalar::Null, "null"),
        (Scalar::Decimal(b"1.10"), "1.10"),
        (Scalar::Untyped("7".into()), "\"7\""),
        (Scalar::Bytes(b"\xff\x00"), "\"/wA=\""),
        (Scalar::Date(datetime.date), "\"2026-11-02\""),
        (Scalar::Time(datetime.time), "\"07:08:09.500000+02:00\""),
        (Scalar::DateTime(datetime), "\"2026-11-02T07:08:09.500000+02:00\""),
        (Scalar::Since2001(0.0), "\"2001-01-01T00:00:00Z\""),
        (Scalar::Duration(Duration { days: 1, seconds: 0, microseconds: 0 }), "\"P1D\""),
        (Scalar::Uuid([0; 16]), "\"00000000-0000-0000-0000-000000000000\""),
        (Scalar::Uid(7), "{\"CF$UID\":7}"),
    ];
    for (scalar, expected) in scalars {
        let mut writer = writer(WriterOptions::default());
        writer.scalar(scalar, 0).unwrap();
        assert_eq!(std::str::from_utf8(writer.ready()).unwrap(), expected);
    }
    let options = WriterOptions {
        binary: Binary::Hex,
        decimals_as_text: true,
        large_ints_as_text: true,
        records: Records::Lines,
        ..WriterOptions::default()
    };
    let mut writer = writer(options);
    writer.scalar(Scalar::Bytes(b"\xff\x00"), 0).unwrap();
    writer.scalar(Scalar::Decimal(b"1.10"), 0).unwrap();
    for int in [1 << 53, (1 << 53) + 1, -(1 << 53), i64::MIN] {
        writer.int(int, 0).unwrap();
    }
    writer.number(b"99999999999999999999", 0).unwrap();
    writer.number(b"9999999999999999999.9", 0).unwrap();
    let expected = "\"ff00\"\n\"1.10\"\n9007199254740992\n\"9007199254740993\"\n-9007199254740992\n\
                    \"-9223372036854775808\"\n\"99999999999999999999\"\n9999999999999999999.9\n";
    assert_eq!(std::str::from_utf8(writer.ready()).unwrap(), expected);
}

#[test]
fn doubles_without_a_number() {
    for (value, name, literal) in [
        (f64::NAN, "NaN", "NaN"),
        (f64::INFINITY, "infinity", "Infinity"),
        (f64::NEG_INFINITY, "-infinity", "-Infinity"),
    ] {
        let refused = written(WriterOptions::default(), &[Tree::Float(value)]).unwrap_err();
        assert_eq!(refused.reason(), format!("JSON has no number for {name}"));
        assert_eq!(refused.kind(), Kind::Value);
        let options = |non_finite| WriterOptions { non_finite, ..WriterOptions::default() };
        assert_eq!(written(options(NonFinite::Null), &[Tree::Float(value)]).unwrap(), "null");
        assert_eq!(written(options(NonFinite::Literal), &[Tree::Float(value)]).unwrap(), literal);
    }
}

#[test]
fn the_canonical_form() {
    // The examples of RFC 8785, sections 3.2.2 and 3.2.3.
    let text = "\u{20ac}$\u{000F}\nA'\u{0042}\u{0022}\u{005c}\\\"/";
    let tree = map(&[
        (
            "numbers",
            Tree::List(
                ["333333333.33333329", "1E30", "4.50", "2e-3", "0.000000000000000000000000001"]
                    .map(|digits| Tree::Digits(digits.to_owned()))
                    .to_vec(),
            ),
        ),
        ("string", Tree::Text(text.to_owned())),
        ("literals", Tree::List(vec![Tree::Null, Tree::Bool(true), Tree::Bool(false)])),
    ]);
    assert_eq!(
        written(WriterOptions::canonical(), &[tree]).unwrap(),
        "{\"literals\":[null,true,false],\"numbers\":[333333333.3333333,1e+30,4.5,0.002,1e-27],\
         \"string\":\"€$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"}"
    );
    let keys = ["\u{20ac}", "\r", "\u{fb33}", "1", "\u{1f600}", "\u{80}", "\u{f6}"];
    let tree = map(&keys.map(|key| (key, Tree::Null)));
    assert_eq!(
        written(WriterOptions::canonical(), &[tree]).unwrap(),
        "{\"\\r\":null,\"1\":null,\"\u{80}\":null,\"ö\":null,\"€\":null,\"😀\":null,\"\u{fb33}\":null}"
    );
    let twice = map(&[("b", Tree::Null), ("a", Tree::Null), ("b", Tree::Null)]);
    let refused = written(WriterOptions::canonical(), &[twice]).unwrap_err();
    let reason = "the key \"b\" is repeated, which the canonical form does not allow";
    assert_eq!(refused.reason(), reason);
    let large = written(WriterOptions::canonical(), &[Tree::Int(9_007_199_254_740_993)]);
    let reason = "an integer beyond 2^53 has no canonical form; write it as text";
    assert_eq!(large.unwrap_err().reason(), reason);
}

#[test]
fn too_deep() {
    let limits = Limits { depth: 3, ..Limits::default() };
    let mut writer = Writer::new(WriterOptions::default(), &limits);
    for _ in 0..3 {
        writer.begin_list(0).unwrap();
    }
    let refused = writer.begin_map(0).unwrap_err();
    assert_eq!(refused.kind(), Kind::Limit);
    assert_eq!(refused.reason(), "more than 3 maps and lists inside one another (limits.depth)");
}

#[test]
fn much_text_pauses() {
    let mut writer = writer(WriterOptions::default());
    writer.begin_list(0).unwrap();
    let text = "x".repeat(1_000);
    let mut taken = 0;
    for _ in 0..1_000 {
        if writer.text(text.as_str().into(), 0).unwrap() == Flow::Pause {
            taken += writer.ready().len();
            writer.taken();
        }
    }
    assert!(taken > 900_000, "{taken}");
    assert!(writer.ready().len() < 70_000);
}
