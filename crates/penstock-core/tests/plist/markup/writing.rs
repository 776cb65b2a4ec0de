//! The writer, beside its naive twin, and read back.

use penstock_core::event::{Key, KeyKind, Scalar};
use penstock_core::limits::Limits;
use penstock_core::plist::markup::Writer as Markup;
use penstock_core::protocol::{Flow, Sink};
use penstock_core::value::datetime::{Date, DateTime, Offset, Time, datetime};
use penstock_core::value::duration::Duration;
use penstock_core::writer::{Unwritable, Writer};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::recording::{Answers, Cuts, Event, What, told};
use crate::config;

/// A value to write.
#[derive(Clone, Debug)]
enum Tree {
    Text(String),
    Int(i64),
    Large(u64),
    Float(f64),
    Bool(bool),
    Bytes(Vec<u8>),
    When(DateTime),
    Uid(u64),
    List(Vec<Tree>),
    Map(Vec<(String, Tree)>),
}

/// RecordFeed a writer the value.
fn tell(tree: &Tree, to: &mut Markup) -> Result<(), Unwritable> {
    match tree {
        Tree::Text(text) => to.text(text.as_str().into(), 0),
        Tree::Int(value) => to.int(*value, 0),
        Tree::Large(value) => to.number(value.to_string().as_bytes(), 0),
        Tree::Float(value) => to.float(*value, 0),
        Tree::Bool(value) => to.boolean(*value, 0),
        Tree::Bytes(bytes) => to.scalar(Scalar::Bytes(bytes), 0),
        Tree::When(value) => to.scalar(Scalar::DateTime(*value), 0),
        Tree::Uid(value) => to.scalar(Scalar::Uid(*value), 0),
        Tree::List(items) => {
            to.begin_list(0)?;
            items.iter().try_for_each(|item| tell(item, to))?;
            to.end_list(0)
        }
        Tree::Map(members) => {
            to.begin_map(0)?;
            for (key, value) in members {
                to.key(key.as_str().into(), 0)?;
                tell(value, to)?;
            }
            to.end_map(0)
        }
    }
    .map(|_| ())
}

fn written(tree: &Tree, sorting: bool) -> Result<String, String> {
    let mut writer = Markup::new(&Limits::default());
    if sorting {
        writer = writer.sorting();
    }
    let mut out = Vec::new();
    let result = tell(tree, &mut writer).and_then(|()| {
        assert_eq!(writer.records(), 1);
        writer.finish()
    });
    out.extend_from_slice(writer.ready());
    result.map_err(|error| error.to_string())?;
    Ok(String::from_utf8(out).unwrap())
}

/// The twin: line by line, as `plistlib` does it.
fn naive(tree: &Tree, level: usize, lines: &mut Vec<String>) {
    let tabs = "\t".repeat(level);
    let mut line = |text: String| lines.push(format!("{tabs}{text}"));
    let escaped = |text: &str| {
        text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('\r', "&#13;")
    };
    match tree {
        Tree::Text(text) => line(format!("<string>{}</string>", escaped(text))),
        Tree::Int(value) => line(format!("<integer>{value}</integer>")),
        Tree::Large(value) => line(format!("<integer>{value}</integer>")),
        Tree::Float(value) => line(format!("<real>{}</real>", python(*value))),
        Tree::Bool(value) => line(format!("<{value}/>")),
        Tree::Bytes(bytes) => {
            line("<data>".to_owned());
            let most = usize::max(16, 76_usize.saturating_sub(8 * level));
            for part in bytes.chunks(most / 4 * 3) {
                line(base64(part));
            }
            line("</data>".to_owned());
        }
        Tree::When(DateTime { date, time }) => line(format!(
            "<date>{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z</date>",
            date.year, date.month, date.day, time.hour, time.minute, time.second
        )),
        Tree::Uid(value) => {
            line("<dict>".to_owned());
            line("\t<key>CF$UID</key>".to_owned());
            line(format!("\t<integer>{value}</integer>"));
            line("</dict>".to_owned());
        }
        Tree::List(items) if items.is_empty() => line("<array/>".to_owned()),
        Tree::Map(members) if members.is_empty() => line("<dict/>".to_owned()),
        Tree::List(items) => {
            line("<array>".to_owned());
            items.iter().for_each(|item| naive(item, level + 1, lines));
            lines.push(format!("{tabs}</array>"));
        }
        Tree::Map(members) => {
            line("<dict>".to_owned());
            for (key, value) in members {
                lines.push(format!("{tabs}\t<key>{}</key>", escaped(key)));
                naive(value, level + 1, lines);
            }
            lines.push(format!("{tabs}</dict>"));
        }
    }
}

/// A double as Python's `repr` writes it.
fn python(value: f64) -> String {
    if !value.is_finite() {
        return value.to_string().to_lowercase();
    }
    let size = value.abs();
    if value == 0.0 || (1e-4..1e16).contains(&size) {
        return format!("{value:?}");
    }
    let text = format!("{value:e}");
    let (digits, exponent) = text.split_once('e').unwrap();
    let (sign, exponent) = match exponent.strip_prefix('-') {
        Some(exponent) => ('-', exponent),
        None => ('+', exponent),
    };
    format!("{digits}e{sign}{exponent:0>2}")
}

/// Three bytes to four characters, by division.
fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for group in bytes.chunks(3) {
        let whole =
            (0..3).fold(0, |whole, at| whole * 256 + usize::from(*group.get(at).unwrap_or(&0)));
        for at in 0..4 {
            let digit = whole / 64_usize.pow(3 - at) % 64;
            text.push(if at as usize > group.len() { '=' } else { ALPHABET[digit].into() });
        }
    }
    text
}

const HEADER: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>
<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">
<plist version=\"1.0\">
";

fn naive_document(tree: &Tree) -> String {
    let mut lines = Vec::new();
    naive(tree, 0, &mut lines);
    format!("{HEADER}{}\n</plist>\n", lines.join("\n"))
}

/// The same with the members of maps in order.
fn in_order(tree: &Tree) -> Tree {
    match tree {
        Tree::List(items) => Tree::List(items.iter().map(in_order).collect()),
        Tree::Map(members) => {
            let members = members.iter().map(|(key, value)| (key.clone(), in_order(value)));
            let mut members: Vec<_> = members.collect();
            members.sort_by(|a, b| a.0.cmp(&b.0));
            Tree::Map(members)
        }
        other => other.clone(),
    }
}

/// The events by which a reader tells the value, without their offsets.
fn events(tree: &Tree, to: &mut Vec<What>) {
    let last = match tree {
        Tree::Text(text) => What::Text(text.clone()),
        Tree::Int(value) => What::Int(*value),
        Tree::Large(value) => match i64::try_from(*value) {
            Ok(value) => What::Int(value),
            Err(_) => What::Number(value.to_string()),
        },
        Tree::Float(value) => What::Float(format!("{value:?}")),
        Tree::Bool(value) => What::Bool(*value),
        Tree::Bytes(bytes) => What::Bytes(bytes.clone()),
        Tree::When(value) => What::DateTime(*value),
        Tree::Uid(value) => What::Uid(*value),
        Tree::List(items) => {
            to.push(What::BeginList);
            items.iter().for_each(|item| events(item, to));
            What::EndList
        }
        Tree::Map(members) => match &members[..] {
            // The two are written in the same way.
            [(key, Tree::Int(value @ 0..))] if key == "CF$UID" => What::Uid(value.unsigned_abs()),
            [(key, Tree::Large(value))] if key == "CF$UID" => What::Uid(*value),
            _ => {
                to.push(What::BeginMap);
                for (key, value) in members {
                    to.push(What::Key(key.clone()));
                    events(value, to);
                }
                What::EndMap
            }
        },
    };
    to.push(last);
}

fn text() -> impl Strategy<Value = String> {
    let char = prop_oneof![
        20 => proptest::char::range('a', 'z'),
        4 => select(vec!['&', '<', '>', ']', '\n', '\t', '\r', ' ', '"', '\'', '\u{7f}']),
        2 => proptest::char::range('\u{FFC0}', '\u{FFFD}'),
        1 => any::<char>().prop_filter("no XML", |char| *char >= ' ' && !"\u{FFFE}\u{FFFF}".contains(*char)),
    ];
    vec(char, 0..40).prop_map(|chars| chars.into_iter().collect())
}

fn tree() -> impl Strategy<Value = Tree> {
    let when = (1_u16..=9999, 1_u8..=12, 1_u8..=28, 0_u8..24, 0_u8..60, 0_u8..60).prop_map(
        |(year, month, day, hour, minute, second)| {
            let offset = Some(Offset::Utc);
            let time = Time { hour, minute, second, microsecond: 0, offset };
            Tree::When(DateTime { date: Date { year, month, day }, time })
        },
    );
    let leaf = prop_oneof![
        text().prop_map(Tree::Text),
        any::<i64>().prop_map(Tree::Int),
        any::<u64>().prop_map(Tree::Large),
        any::<f64>().prop_map(Tree::Float),
        (-1e6_f64..1e6).prop_map(Tree::Float),
        any::<bool>().prop_map(Tree::Bool),
        vec(any::<u8>(), 0..200).prop_map(Tree::Bytes),
        when,
        any::<u64>().prop_map(Tree::Uid),
    ];
    leaf.prop_recursive(8, 60, 5, |inner| {
        let key = prop_oneof![10 => text(), 1 => Just("CF$UID".to_owned())];
        prop_oneof![
            vec(inner.clone(), 0..5).prop_map(Tree::List),
            vec((key, inner), 0..5).prop_map(Tree::Map),
        ]
    })
}

proptest! {
    #![proptest_config(config(1_000))]

    #[test]
    fn the_twin_writes_the_same(tree in tree()) {
        prop_assert_eq!(written(&tree, false), Ok(naive_document(&tree)));
        prop_assert_eq!(written(&tree, true), Ok(naive_document(&in_order(&tree))));
    }

    #[test]
    fn what_is_written_is_read_back(tree in tree()) {
        let text = written(&tree, false).unwrap();
        let mut expected = Vec::new();
        events(&tree, &mut expected);
        let told = told(&text, &Cuts::WHOLE, Answers::default());
        let found: Vec<What> = told.into_iter().map(|(_, what): Event| what).collect();
        prop_assert_eq!(found, expected);
    }
}

/// One value in an array.
fn one(value: Scalar<'_>) -> Result<String, String> {
    let mut writer = Markup::new(&Limits::default());
    let result = writer.scalar(value, 0);
    result.map_err(|error| error.to_string())?;
    let text = String::from_utf8(writer.ready().to_vec()).unwrap();
    Ok(text.strip_prefix(HEADER).unwrap().trim_end().to_owned())
}

#[test]
fn each_kind_of_value() {
    let when = |text: &str| Scalar::DateTime(datetime(text.as_bytes()).unwrap());
    for (value, expected) in [
        (Scalar::Bool(true), "<true/>"),
        (Scalar::Int(-5), "<integer>-5</integer>"),
        (Scalar::Number(b"-0"), "<integer>0</integer>"),
        (Scalar::Number(b"18446744073709551615"), "<integer>18446744073709551615</integer>"),
        (Scalar::Number(b"-9223372036854775808"), "<integer>-9223372036854775808</integer>"),
        (Scalar::Number(b"1.50"), "<real>1.5</real>"),
        (Scalar::Number(b"1e3"), "<real>1000.0</real>"),
        (Scalar::Number(b"-Infinity"), "<real>-inf</real>"),
        (Scalar::Float(f64::NAN), "<real>nan</real>"),
        (Scalar::Float(f64::INFINITY), "<real>inf</real>"),
        (Scalar::Float(-0.0), "<real>-0.0</real>"),
        (Scalar::Decimal(b"12.50"), "<real>12.5</real>"),
        (Scalar::Untyped("a".into()), "<string>a</string>"),
        (Scalar::Text("a\r\n<&>\"".into()), "<string>a&#13;\n&lt;&amp;&gt;\"</string>"),
        (Scalar::Bytes(b""), "<data>\n</data>"),
        (Scalar::Since2001(0.75), "<date>2001-01-01T00:00:00Z</date>"),
        (Scalar::Since2001(-0.25), "<date>2000-12-31T23:59:59Z</date>"),
        (when("2004-10-26T10:33:33.999Z"), "<date>2004-10-26T10:33:33Z</date>"),
        (when("2004-10-26T00:33:33+01:00"), "<date>2004-10-25T23:33:33Z</date>"),
        (when("2004-10-26T10:33:33"), "<date>2004-10-26T10:33:33Z</date>"),
        (Scalar::Date(Date { year: 2004, month: 10, day: 26 }), "<string>2004-10-26</string>"),
        (
            Scalar::Duration(Duration { days: 1, seconds: 5, microseconds: 0 }),
            "<string>P1DT5S</string>",
        ),
        (Scalar::Uuid([0; 16]), "<string>00000000-0000-0000-0000-000000000000</string>"),
        (
            Scalar::Uid(u64::MAX),
            "<dict>\n\t<key>CF$UID</key>\n\t<integer>18446744073709551615</integer>\n</dict>",
        ),
    ] {
        assert_eq!(one(value).as_deref(), Ok(expected), "{value:?}");
    }
    let integers = "a property list has integers from -2^63 to 2^64 - 1 only";
    for (value, reason) in [
        (Scalar::Null, "a property list has no null"),
        (Scalar::Number(b"18446744073709551616"), integers),
        (Scalar::Number(b"-9223372036854775809"), integers),
        (Scalar::Number(b"1e400"), "a number beyond the range of a double"),
        (Scalar::Number(b"1.2.3"), "these digits are no number"),
        (
            Scalar::Decimal(b"0.1234567890123456789"),
            "a decimal number that no double holds: write it as text",
        ),
        (Scalar::Text("a\u{1}".into()), "the character U+0001 is not allowed in XML"),
        (Scalar::Text("\u{FFFF}".into()), "the character U+FFFF is not allowed in XML"),
        (when("0001-01-01T00:33:33+01:00"), "the date is not in the years 1 to 9999 in UTC"),
        (Scalar::Since2001(f64::NAN), "NaN seconds since 2001 are no date that can be written"),
    ] {
        assert_eq!(one(value), Err(reason.to_owned()), "{value:?}");
    }
}

#[test]
fn one_value_and_no_other() {
    let mut writer = Markup::new(&Limits { depth: 1, ..Limits::default() });
    assert_eq!(writer.finish().unwrap_err().reason(), "there is no value to write");
    writer.begin_list(0).unwrap();
    let deep = "more than 1 maps and lists inside one another (limits.depth)";
    assert_eq!(writer.begin_map(0).unwrap_err().reason(), deep);
    assert_eq!(writer.finish().unwrap_err().reason(), "the last record is not complete");
    writer.end_list(0).unwrap();
    assert_eq!(writer.int(1, 0).unwrap_err().reason(), "a property list is one value");
    assert_eq!(writer.end_map(0).unwrap_err().reason(), "nothing is open that could end");
    let stray = "a property list has no place for text between elements";
    assert_eq!(writer.piece("x".into(), 0).unwrap_err().reason(), stray);
    writer.finish().unwrap();
    assert_eq!(writer.ready(), format!("{HEADER}<array/>\n</plist>\n").as_bytes());
    writer.reopen();
    writer.int(1, 0).unwrap();
    writer.finish().unwrap();
    assert_eq!(writer.ready(), format!("{HEADER}<integer>1</integer>\n</plist>\n").as_bytes());
}

/// What came since the mark can be given up, and text can be taken at any time.
#[test]
fn records_in_an_array() {
    for (sorting, takes) in [(false, false), (false, true), (true, false), (true, true)] {
        let mut writer = Markup::new(&Limits::default());
        if sorting {
            writer = writer.sorting();
        }
        let mut out = Vec::new();
        let mut take = |writer: &mut Markup| {
            if takes {
                out.extend_from_slice(writer.ready());
                writer.taken();
            }
        };
        writer.begin_map(0).unwrap();
        writer.key("items".into(), 0).unwrap();
        writer.begin_list(0).unwrap();
        writer.mark();
        take(&mut writer);
        for (number, fits) in [(1, false), (2, true), (3, false), (4, true)] {
            writer.begin_map(0).unwrap();
            writer.key("b".into(), 0).unwrap();
            writer.int(number, 0).unwrap();
            writer.key("a".into(), 0).unwrap();
            writer.begin_list(0).unwrap();
            if fits {
                writer.end_list(0).unwrap();
                writer.end_map(0).unwrap();
                writer.mark();
                take(&mut writer);
            } else {
                writer.abandon();
            }
        }
        writer.end_list(0).unwrap();
        writer.end_map(0).unwrap();
        writer.finish().unwrap();
        out.extend_from_slice(writer.ready());
        let member = |key: &str, value: &str| format!("\t\t\t<key>{key}</key>\n\t\t\t{value}\n");
        let record = |number: usize| {
            let b = member("b", &format!("<integer>{number}</integer>"));
            let a = member("a", "<array/>");
            let members = if sorting { format!("{a}{b}") } else { format!("{b}{a}") };
            format!("\t\t<dict>\n{members}\t\t</dict>\n")
        };
        let expected = format!(
            "{HEADER}<dict>\n\t<key>items</key>\n\t<array>\n{}{}\t</array>\n</dict>\n</plist>\n",
            record(2),
            record(4)
        );
        assert_eq!(String::from_utf8(out).unwrap(), expected, "{sorting} {takes}");
    }
}

/// Names of elements and attributes, as a conversion to members has them.
#[test]
fn names_of_elements() {
    let mut writer = Markup::new(&Limits::default());
    writer.begin_map(0).unwrap();
    for (kind, prefix) in
        [(KeyKind::Attribute, None), (KeyKind::Element, Some("p".into())), (KeyKind::Member, None)]
    {
        writer.name(Key { name: "a".into(), namespace: None, prefix, kind }, 0).unwrap();
        assert_eq!(writer.boolean(true, 0).unwrap(), Flow::Take);
    }
    writer.end_map(0).unwrap();
    let text = String::from_utf8(writer.ready().to_vec()).unwrap();
    let keys: Vec<_> = text.lines().filter(|line| line.starts_with("\t<key>")).collect();
    assert_eq!(keys, ["\t<key>@a</key>", "\t<key>p:a</key>", "\t<key>a</key>"]);
}
