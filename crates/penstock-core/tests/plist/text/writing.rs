//! The writer of text property lists: exact text for each option, and what it writes reads back.

use penstock_core::event::Scalar;
use penstock_core::json::Order;
use penstock_core::json::writer::Records;
use penstock_core::limits::Limits;
use penstock_core::options::Indent;
use penstock_core::plist::text::writer::{Form, Writer, WriterOptions};
use penstock_core::protocol::{Flow, Sink};
use penstock_core::value::datetime::datetime;
use penstock_core::value::duration::Duration;
use penstock_core::writer::{ENOUGH, Kind, Unwritable, Writer as _};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::recording::{Answers, whole};

const ONE_LINE: WriterOptions = WriterOptions {
    form: Form::OpenStep,
    indent: None,
    records: Records::One,
    strings: false,
    ascii: false,
    order: None,
};

/// A document to write.
#[derive(Clone, Debug)]
enum Tree {
    Int(i64),
    Float(f64),
    Bool(bool),
    Bytes(Vec<u8>),
    Text(String),
    Untyped(String),
    List(Vec<Tree>),
    Map(Vec<(String, Tree)>),
}

use Tree::{List, Map};

fn text(text: &str) -> Tree {
    Tree::Text(text.to_owned())
}

fn map(entries: &[(&str, Tree)]) -> Tree {
    Map(entries.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect())
}

fn write(tree: &Tree, to: &mut Writer) -> Result<Flow, Unwritable> {
    match tree {
        Tree::Int(value) => to.int(*value, 0),
        Tree::Float(value) => to.float(*value, 0),
        Tree::Bool(value) => to.boolean(*value, 0),
        Tree::Bytes(bytes) => to.scalar(Scalar::Bytes(bytes), 0),
        Tree::Text(text) => to.text(text.as_str().into(), 0),
        Tree::Untyped(text) => to.scalar(Scalar::Untyped(text.as_str().into()), 0),
        List(items) => {
            to.begin_list(0)?;
            for item in items {
                write(item, to)?;
            }
            to.end_list(0)
        }
        Map(entries) => {
            to.begin_map(0)?;
            for (key, value) in entries {
                to.key(key.as_str().into(), 0)?;
                write(value, to)?;
            }
            to.end_map(0)
        }
    }
}

/// Records as text; it is taken whenever `taking` says so.
fn written(options: &WriterOptions, records: &[Tree], taking: bool) -> Result<String, Unwritable> {
    let mut writer = Writer::new(options.clone(), &Limits::default());
    let mut out = Vec::new();
    for record in records {
        write(record, &mut writer)?;
        if taking {
            out.extend_from_slice(writer.ready());
            writer.taken();
        }
    }
    writer.finish()?;
    assert_eq!(writer.records(), records.len() as u64);
    out.extend_from_slice(writer.ready());
    Ok(String::from_utf8(out).unwrap())
}

fn one(options: &WriterOptions, tree: Tree) -> String {
    written(options, &[tree], false).unwrap()
}

/// One scalar as text.
fn scalar(form: Form, value: Scalar<'_>) -> Result<String, String> {
    let mut writer = Writer::new(WriterOptions { form, ..ONE_LINE }, &Limits::default());
    match writer.scalar(value, 0) {
        Ok(_) => Ok(String::from_utf8(writer.ready().to_vec()).unwrap()),
        Err(wrong) => {
            assert_eq!(wrong.kind(), Kind::Value);
            Err(wrong.reason().to_owned())
        }
    }
}

/// The events of a text, without offsets.
fn events(text: &str) -> Vec<String> {
    let limits = Limits { depth: 10_000, ..Limits::default() };
    let (events, reason) = whole(text, &limits, Answers::default());
    assert_eq!(reason, None, "{text}");
    events.into_iter().map(|(_, what)| what).collect()
}

/// The events that a document is read as.
fn expected(tree: &Tree, form: Form, events: &mut Vec<String>) {
    let string = |text: &str| match text {
        "" => "text \"\"".to_owned(),
        text => format!("untyped {text:?}"),
    };
    let gnu = form == Form::GnuStep;
    let last = match tree {
        Tree::Int(value) if gnu => format!("int {value}"),
        Tree::Float(value) if gnu => format!("float {value:?}"),
        Tree::Int(value) => string(&value.to_string()),
        // Only its value is compared.
        Tree::Float(value) => format!("number {value:?}"),
        Tree::Bool(value) => format!("bool {value}"),
        Tree::Bytes(bytes) => {
            let digits = bytes.iter().map(|byte| format!("{byte:02x}"));
            format!("bytes {}", digits.collect::<String>())
        }
        Tree::Text(text) | Tree::Untyped(text) => string(text),
        List(items) => {
            events.push("begin list".to_owned());
            items.iter().for_each(|item| expected(item, form, events));
            "end list".to_owned()
        }
        Map(entries) => {
            events.push("begin map".to_owned());
            for (key, value) in entries {
                events.push(format!("key {key:?}"));
                expected(value, form, events);
            }
            "end map".to_owned()
        }
    };
    events.push(last);
}

fn trees() -> impl Strategy<Value = Tree> {
    let string = prop_oneof![
        ".{0,10}",
        "[a-z\"\\\\\n\r\t\u{1}\u{7f}é€😀\u{2028}'01]{0,20}",
        "[a-z0-9_$./:+-]{0,9}",
        "[0-9.eE+-]{0,5}",
    ];
    let leaf = prop_oneof![
        any::<i64>().prop_map(Tree::Int),
        any::<f64>().prop_filter("finite", |it| it.is_finite()).prop_map(Tree::Float),
        any::<bool>().prop_map(Tree::Bool),
        vec(any::<u8>(), 0..10).prop_map(Tree::Bytes),
        string.clone().prop_map(Tree::Text),
        string.clone().prop_map(Tree::Untyped),
    ];
    leaf.prop_recursive(4, 40, 5, move |inner| {
        prop_oneof![
            vec(inner.clone(), 0..5).prop_map(List),
            vec((string.clone(), inner), 0..5).prop_map(Map),
        ]
    })
}

fn options() -> impl Strategy<Value = WriterOptions> {
    let indents = [Some(Indent::TAB), Some(Indent::spaces(0)), Some(Indent::spaces(3)), None];
    (prop::sample::select(indents.to_vec()), any::<bool>(), any::<bool>(), any::<bool>()).prop_map(
        |(indent, gnu, strings, ascii)| {
            let form = if gnu { Form::GnuStep } else { Form::OpenStep };
            WriterOptions { form, indent, strings, ascii, ..ONE_LINE }
        },
    )
}

fn has_bool(tree: &Tree) -> bool {
    match tree {
        Tree::Bool(_) => true,
        List(items) => items.iter().any(has_bool),
        Map(entries) => entries.iter().any(|(_, value)| has_bool(value)),
        _ => false,
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 1_500,
        rng_seed: RngSeed::Fixed(3),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn what_is_written_reads_back(records in vec(trees(), 0..4), options in options(), array: bool, taking: bool) {
        let mut options = options;
        let is_map = matches!(records.first(), Some(Map(_)));
        let array = array || records.len() != 1;
        options.strings &= array || is_map;
        let mut told = Vec::new();
        if array {
            options.records = Records::Array(vec!["a b".to_owned(), "c".to_owned()]);
            told.extend(["begin map", "key \"a b\"", "begin map", "key \"c\"", "begin list"].map(str::to_owned));
        }
        records.iter().for_each(|record| expected(record, options.form, &mut told));
        if array {
            told.extend(["end list", "end map", "end map"].map(str::to_owned));
        }
        let text = match written(&options, &records, taking) {
            Ok(text) => text,
            Err(wrong) => {
                prop_assert!(options.form == Form::OpenStep && records.iter().any(has_bool));
                prop_assert_eq!(wrong.reason(), "an OpenStep property list has no booleans");
                return Ok(());
            }
        };
        prop_assert!(!options.ascii || text.is_ascii());
        prop_assert!(options.indent.is_some() || options.strings || !text.contains('\n'));
        let mut found = events(&text);
        for (found, told) in found.iter_mut().zip(&told) {
            // A number as text: the same one.
            if let Some(number) = told.strip_prefix("number ") {
                let digits = found.strip_prefix("untyped ").unwrap().trim_matches('"');
                prop_assert_eq!(digits.parse::<f64>().unwrap(), number.parse::<f64>().unwrap());
                found.clone_from(told);
            }
        }
        prop_assert_eq!(found, told, "{}", text);
    }

    /// A record that is given up leaves nothing behind.
    #[test]
    fn what_is_given_up_is_gone(records in vec((trees(), any::<bool>()), 0..6), options in options()) {
        let options = WriterOptions { form: Form::GnuStep, strings: false, records: Records::Array(Vec::new()), ..options };
        let kept: Vec<Tree> = records.iter().filter(|(_, keep)| *keep).map(|(tree, _)| tree.clone()).collect();
        let mut writer = Writer::new(options.clone(), &Limits::default());
        for (record, keep) in &records {
            if *keep {
                write(record, &mut writer).unwrap();
                continue;
            }
            writer.begin_list(0).unwrap();
            write(record, &mut writer).unwrap();
            writer.begin_map(0).unwrap();
            writer.key("k".into(), 0).unwrap();
            writer.abandon();
        }
        writer.finish().unwrap();
        let text = String::from_utf8(writer.ready().to_vec()).unwrap();
        prop_assert_eq!(text, written(&options, &kept, false).unwrap());
    }

    #[test]
    fn entries_are_put_in_order(tree in trees(), options in options()) {
        let mut options = WriterOptions { form: Form::GnuStep, order: Some(Order::CodePoints), ..options };
        options.strings &= matches!(tree, Map(_));
        let sorted = in_order(&tree);
        let text = one(&options, tree);
        options.order = None;
        prop_assert_eq!(text, one(&options, sorted));
    }
}

fn in_order(tree: &Tree) -> Tree {
    match tree {
        List(items) => List(items.iter().map(in_order).collect()),
        Map(entries) => {
            let ordered = entries.iter().map(|(key, value)| (key.clone(), in_order(value)));
            let mut ordered: Vec<_> = ordered.collect();
            ordered.sort_by(|a, b| a.0.cmp(&b.0));
            Map(ordered)
        }
        other => other.clone(),
    }
}

/// As `openstep_plist.dumps(..., sort_keys=False)` writes the same values, with `indent=4` and without.
#[test]
fn the_layout_of_openstep_plist() {
    let tree = map(&[
        ("", text("")),
        ("a", text("b")),
        ("col", text("a:b")),
        ("data", Tree::Bytes(vec![0, 1, 2, 3, 4])),
        ("dollar", text("$a")),
        ("e", map(&[])),
        ("el", List(vec![])),
        ("l", List(vec![Tree::Int(1), text("x y")])),
        ("minus", text("en-US")),
        ("neg", Tree::Float(-1.5)),
        ("nn", map(&[("k", List(vec![map(&[])]))])),
        ("path", text("/usr/bin")),
        ("s", text("1")),
        ("u", text("é\n\t\u{1}\u{b}\u{7f}\"\\😀")),
    ]);
    let ascii = WriterOptions { ascii: true, ..ONE_LINE };
    let line = concat!(
        r#"{"" = ""; a = b; col = "a:b"; data = <00010203 04>; dollar = $a; e = {}; el = (); "#,
        r#"l = (1, "x y"); minus = "en-US"; neg = -1.5; nn = {k = ({});}; path = "/usr/bin"; s = "1"; "#,
        r#"u = "\U00E9\n"#,
        "\t",
        r#"\001\v\177\"\\\UD83D\UDE00";}"#
    );
    assert_eq!(one(&ascii, tree.clone()), line);
    let lines = r#"{
    "" = "";
    a = b;
    col = "a:b";
    data = <00010203 04>;
    dollar = $a;
    e = {};
    el = ();
    l = (
        1,
        "x y"
    );
    minus = "en-US";
    neg = -1.5;
    nn = {
        k = (
            {}
        );
    };
    path = "/usr/bin";
    s = "1";
    u = "é\n	\001\v"#;
    let lines = format!("{lines}\u{7f}\\\"\\\\😀\";\n}}\n");
    assert_eq!(one(&WriterOptions { indent: Some(Indent::spaces(4)), ..ONE_LINE }, tree), lines);
}

#[test]
fn a_file_of_strings() {
    let options = WriterOptions { strings: true, ..WriterOptions::default() };
    let tree = map(&[("a", text("b")), ("c d", map(&[("e", List(vec![text("f")]))]))]);
    let lines = "\"a\" = \"b\";\n\"c d\" = {\n\t\"e\" = (\n\t\t\"f\"\n\t);\n};\n";
    assert_eq!(one(&options, tree.clone()), lines);
    let one_line = WriterOptions { indent: None, ..options.clone() };
    assert_eq!(one(&one_line, tree), "\"a\" = \"b\";\n\"c d\" = {\"e\" = (\"f\");};\n");
    assert_eq!(one(&options, map(&[])), "\n");
    let wrong = written(&options, &[List(vec![])], false).unwrap_err();
    assert_eq!(wrong.reason(), "a file of strings is a dictionary");
    let wrong = written(&options, &[text("a")], false).unwrap_err();
    assert_eq!(wrong.reason(), "a file of strings is a dictionary");
}

#[test]
fn scalars() {
    let (open, gnu) = (Form::OpenStep, Form::GnuStep);
    let both = |value: Scalar<'_>, as_open: &str, as_gnu: &str| {
        assert_eq!(scalar(open, value).unwrap(), as_open);
        assert_eq!(scalar(gnu, value).unwrap(), as_gnu);
    };
    let same = |value: Scalar<'_>, text: &str| both(value, text, text);
    both(Scalar::Int(-5), "-5", "<*I-5>");
    both(Scalar::Float(1.0), "1.0", "<*R1.0>");
    both(Scalar::Float(1e22), "1e22", "<*R1e+22>");
    both(
        Scalar::Number(b"18446744073709551615"),
        "18446744073709551615",
        "<*I18446744073709551615>",
    );
    both(Scalar::Number(b"1.50"), "1.50", "<*R1.50>");
    both(Scalar::Bytes(b"penstock"), "<70656e73 746f636b>", "<[cGVuc3RvY2s=]>");
    both(Scalar::Bytes(b""), "<>", "<[]>");
    both(Scalar::Uid(7), "{CF$UID = 7;}", "{CF$UID = <*I7>;}");
    same(Scalar::Text("1.5".into()), "\"1.5\"");
    same(Scalar::Text("1e5".into()), "\"1e5\"");
    same(Scalar::Text("1e".into()), "1e");
    same(Scalar::Text("...".into()), "...");
    same(Scalar::Text("0D07AC".into()), "0D07AC");
    same(Scalar::Untyped("1.5".into()), "1.5");
    same(Scalar::Untyped("-5".into()), "-5");
    same(Scalar::Untyped("-a".into()), "\"-a\"");
    same(Scalar::Untyped("2026-01-02".into()), "\"2026-01-02\"");
    same(Scalar::Untyped("".into()), "\"\"");
    both(Scalar::Decimal(b"-1.50"), "-1.50", "<*R-1.50>");
    same(Scalar::Text("-5".into()), "\"-5\"");
    same(Scalar::Date(datetime(b"2001-02-03T00:00:00").unwrap().date), "\"2001-02-03\"");
    same(Scalar::Time(datetime(b"2001-02-03T04:05:06").unwrap().time), "\"04:05:06\"");
    same(Scalar::Duration(Duration { days: 0, seconds: 5, microseconds: 0 }), "PT5S");
    same(Scalar::Uuid([0x11; 16]), "\"11111111-1111-1111-1111-111111111111\"");
    assert_eq!(scalar(gnu, Scalar::Bool(true)).unwrap(), "<*BY>");
    assert_eq!(scalar(gnu, Scalar::Bool(false)).unwrap(), "<*BN>");
    assert_eq!(scalar(gnu, Scalar::Float(f64::NAN)).unwrap(), "<*Rnan>");
    assert_eq!(scalar(gnu, Scalar::Float(f64::NEG_INFINITY)).unwrap(), "<*R-inf>");
    for (instant, expected) in [
        ("2001-01-01T00:00:00Z", "<*D2001-01-01 00:00:00 +0000>"),
        ("2001-01-01T00:00:00.999+01:00", "<*D2000-12-31 23:00:00 +0000>"),
        ("0999-01-01T00:00:00", "<*D0999-01-01 00:00:00 +0000>"),
    ] {
        let value = Scalar::DateTime(datetime(instant.as_bytes()).unwrap());
        assert_eq!(scalar(gnu, value).unwrap(), expected);
        let event = format!("datetime {}", &expected[3..22]);
        assert_eq!(events(expected), [event]);
    }
    assert_eq!(scalar(gnu, Scalar::Since2001(-1.0)).unwrap(), "<*D2000-12-31 23:59:59 +0000>");
}

#[test]
fn what_is_refused() {
    let (open, gnu) = (Form::OpenStep, Form::GnuStep);
    let instant = Scalar::DateTime(datetime(b"2001-01-01T00:00:00Z").unwrap());
    for (form, value, reason) in [
        (open, Scalar::Null, "a property list has no null"),
        (gnu, Scalar::Null, "a property list has no null"),
        (open, Scalar::Bool(true), "an OpenStep property list has no booleans"),
        (open, instant, "an OpenStep property list has no dates"),
        (open, Scalar::Float(f64::NAN), "an OpenStep property list has no number for NaN"),
        (
            open,
            Scalar::Float(f64::INFINITY),
            "an OpenStep property list has no number for infinity",
        ),
        (
            open,
            Scalar::Float(f64::NEG_INFINITY),
            "an OpenStep property list has no number for -infinity",
        ),
        (
            gnu,
            Scalar::Number(b"18446744073709551616"),
            "a property list has integers from -2^63 to 2^64 - 1 only",
        ),
        (gnu, Scalar::Number(b"1e999"), "a number beyond the range of a double"),
        (
            gnu,
            Scalar::Decimal(b"0.10000000000000000001"),
            "a decimal number that no double holds: write it as text",
        ),
        (gnu, Scalar::Since2001(1e300), "1e300 seconds since 2001 are no date that can be written"),
    ] {
        let found = scalar(form, value).unwrap_err();
        assert_eq!(found, reason);
    }
    let wrong = |options: &WriterOptions, records: &[Tree]| {
        written(options, records, false).unwrap_err().reason().to_owned()
    };
    assert_eq!(wrong(&ONE_LINE, &[text("a"), text("b")]), "a property list is one value");
    assert_eq!(wrong(&ONE_LINE, &[]), "there is no value to write");
    let mut writer = Writer::new(ONE_LINE, &Limits::default());
    writer.begin_map(0).unwrap();
    let unfinished = writer.finish().unwrap_err();
    assert_eq!(unfinished.reason(), "the last record is not complete");
    let mut writer = Writer::new(ONE_LINE, &Limits { depth: 2, ..Limits::default() });
    writer.begin_list(0).unwrap();
    writer.begin_list(0).unwrap();
    let deep = writer.begin_map(0).unwrap_err();
    assert_eq!(deep.kind(), Kind::Limit);
    assert_eq!(deep.reason(), "more than 2 maps and lists inside one another (limits.depth)");
}

#[test]
fn records_of_an_array() {
    let options = WriterOptions { records: Records::at("*").unwrap(), ..ONE_LINE };
    assert_eq!(written(&options, &[], false).unwrap(), "()");
    assert_eq!(written(&options, &[text("a"), map(&[])], true).unwrap(), "(a, {})");
    let options =
        WriterOptions { records: Records::at("Tracks/*").unwrap(), ..WriterOptions::default() };
    let lines = "{\n\tTracks = (\n\t\t{\n\t\t\ta = b;\n\t\t},\n\t\tc\n\t);\n}\n";
    assert_eq!(written(&options, &[map(&[("a", text("b"))]), text("c")], true).unwrap(), lines);
    assert_eq!(written(&options, &[], false).unwrap(), "{\n\tTracks = ();\n}\n");
}

/// A writer asks to be emptied in time, and holds nothing back.
#[test]
fn memory_is_bounded() {
    let mut writer = Writer::new(WriterOptions::default(), &Limits::default());
    let (mut taken, mut most) = (0, 0);
    writer.begin_list(0).unwrap();
    for number in 0..100_000 {
        if writer.int(number, 0).unwrap() == Flow::Pause {
            most = most.max(writer.ready().len());
            taken += writer.ready().len();
            writer.taken();
        }
    }
    writer.end_list(0).unwrap();
    writer.finish().unwrap();
    taken += writer.ready().len();
    assert!(most < ENOUGH + 100);
    // A digit or more, a tab, a line feed and a comma for each.
    assert_eq!(taken, 488_890 + 3 * 100_000 + 4 - 1);
}
