//! Schemas.

use crate::{Form, drive, reader};
use penstock_arrow::Finder;
use penstock_arrow::found::PLACES;
use penstock_core::run::RecordScope;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use std::fmt::{Debug, Write};

/// What is found in the parts, all of it, and the problems. And how many pieces threads have read.
fn find<T: AsRef<[u8]> + ?Sized>(
    parts: &[(Form, &T)],
    by: Option<(usize, usize)>,
) -> (String, Vec<String>, u64) {
    let (mut finder, mut problems, mut taken) = (Finder::new(), Vec::new(), 0);
    for (number, (form, text)) in parts.iter().enumerate() {
        let (reader, records) = reader(*form);
        finder.begin_part(&format!("part {number}"));
        let mut to = RecordScope::new(finder, records);
        let nothing = |_: &mut Finder| unreachable!("nothing pauses");
        let (told, read) = drive(reader, text.as_ref(), &mut to, by, nothing);
        finder = to.into_inner();
        problems.extend(told);
        taken += read;
    }
    let found = finder.found();
    let shown = match found.schema() {
        Ok(schema) => format!("{schema:?}"),
        Err(why) => why.to_string(),
    };
    (shown, problems, taken)
}

pub(crate) fn same<T: AsRef<[u8]> + Debug + ?Sized>(
    parts: &[(Form, &T)],
    by: (usize, usize),
) -> u64 {
    let (schema, problems, _) = find(parts, None);
    let (other, also, taken) = find(parts, Some(by));
    assert_eq!(problems, also, "{parts:?}");
    assert_eq!(schema, other, "{parts:?}");
    taken
}

/// The text of records of a form.
pub(crate) fn text(form: Form, records: &[String], space: &str) -> String {
    match form {
        Form::Lines => records.join("\n"),
        Form::Rows => format!("id,name,late,{}", records.join("\n")),
        Form::Array => format!("[{space}{}{space}]", records.join(&format!(",{space}"))),
        Form::Inside => {
            let list = records.join(&format!(",{space}"));
            format!("{{\"x\":{space}[{{\"id\":1}}],\"y\": [{list}]}}")
        }
        Form::Elements => format!("<all>{space}{}</all>", records.join(space)),
        Form::Members => unreachable!("it is no text"),
    }
}

fn value() -> impl Strategy<Value = String> {
    prop_oneof![
        20 => any::<i32>().prop_map(|value| value.to_string()),
        4 => Just("null".to_owned()),
        2 => Just("18446744073709551615".to_owned()),
        2 => Just("0.5".to_owned()),
        1 => Just("\"7\"".to_owned()),
        1 => Just("[1]".to_owned()),
    ]
}

fn member() -> impl Strategy<Value = String> {
    let item = prop_oneof![
        6 => Just("1"), 2 => Just("null"), 2 => Just("2.5"), 1 => Just("\"x\""),
    ];
    prop_oneof![
        6 => Just("\"name\": \"a}\\\",{\\\"id\\\":\"".to_owned()),
        2 => Just("\"name\":null".to_owned()),
        3 => (0..30_u8, value()).prop_map(|(key, value)| format!("\"late{key}\":{value}")),
        3 => prop::collection::vec(item, 0..3)
            .prop_map(|items| format!("\"list\":[{}]", items.join(","))),
        3 => (0..9_u8, value())
            .prop_map(|(key, value)| format!("\"inner\":{{\"k{key}\":{value},\"l\":[{{}}]}}")),
        1 => Just("\"inner\":{}".to_owned()),
    ]
}

fn object() -> impl Strategy<Value = String> {
    let object = (value(), prop::collection::vec(member(), 0..4)).prop_map(|(id, members)| {
        let members: String = members.iter().map(|member| format!(",{member}")).collect();
        format!("{{\"id\":{id}{members}}}")
    });
    prop_oneof![
        40 => object,
        1 => Just("{\"id\":1,\"never\":tru}".to_owned()),
        1 => Just("[]".to_owned()),
        1 => Just("5".to_owned()),
    ]
}

fn row() -> impl Strategy<Value = String> {
    let name = prop_oneof![Just(""), Just("a"), Just("\"x\n5,6,\"\"\n\""), Just("\"\""), Just("7")];
    let late = prop_oneof![12 => Just(""), 3 => Just("5"), 1 => Just("0.5"), 1 => Just("x")];
    let row = (0..999_i32, name, late, any::<bool>());
    let row = row.prop_map(|(id, name, late, is)| format!("{id},{name},{late},{is}"));
    prop_oneof![40 => row, 1 => Just("1,2".to_owned()), 1 => Just("1,\"a\"b,,".to_owned())]
}

pub(crate) fn element() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        8 => (0..99_u8).prop_map(|value| format!("<n>{value}</n>")),
        2 => Just("<n/>".to_owned()),
        2 => Just("<n>1e3</n>".to_owned()),
        3 => (0..30_u8).prop_map(|key| format!("<late{key} x='1'>t</late{key}>")),
        2 => Just("<late1>text</late1>".to_owned()),
        2 => Just("<deep><n>1</n><n>2</n> text</deep>".to_owned()),
        1 => Just("<deep>   </deep>".to_owned()),
        1 => Just("<!-- <item> --><![CDATA[<item>]]>".to_owned()),
        1 => Just("<item/>".to_owned()),
        1 => Just("<p:n xmlns:p='urn:p'>1</p:n>".to_owned()),
    ];
    let parts = prop::collection::vec(part, 0..5);
    let id = prop_oneof![4 => Just(" id='1'"), 2 => Just(""), 1 => Just(" id='x'")];
    (id, parts).prop_map(|(id, parts)| format!("<item{id}>{}</item>", parts.concat()))
}

/// Records of one form: those that `list` makes of one.
pub(crate) fn in_each_form(
    list: impl Fn(Form, BoxedStrategy<String>) -> BoxedStrategy<Vec<String>>,
    element: BoxedStrategy<String>,
) -> impl Strategy<Value = (Form, Vec<String>)> {
    let of = |form: Form, record: BoxedStrategy<String>| {
        list(form, record).prop_map(move |records| (form, records))
    };
    prop_oneof![
        of(Form::Lines, object().boxed()),
        of(Form::Rows, row().boxed()).prop_map(|(form, rows)| {
            // The header's last column, and then the rows.
            (form, std::iter::once("is".to_owned()).chain(rows).collect())
        }),
        of(Form::Array, object().boxed()),
        of(Form::Inside, object().boxed()),
        of(Form::Elements, element),
    ]
}

fn part() -> impl Strategy<Value = (Form, Vec<String>)> {
    let list = |_, record| prop::collection::vec(record, 0..60).boxed();
    in_each_form(list, element().boxed())
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: crate::effort::often(600),
        rng_seed: RngSeed::Fixed(1),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn any_pieces_of_any_parts(
        parts in prop::collection::vec(part(), 1..3),
        space in prop_oneof![Just(""), Just("\n  "), Just(" ")],
        count in 1..4_usize, size in 1..900_usize,
    ) {
        let texts: Vec<String> =
            parts.iter().map(|(form, records)| text(*form, records, space)).collect();
        let parts: Vec<(Form, &str)> =
            parts.iter().zip(&texts).map(|((form, _), text)| (*form, &**text)).collect();
        same(&parts, (count, size));
    }
}

/// So many records, the same but for their numbers.
pub(crate) fn many(form: Form, count: usize) -> Vec<String> {
    let record = |id: usize| match form {
        Form::Rows => format!("{id},\"a\nb\",,true"),
        Form::Elements => format!("<item id='{id}'><n>1</n><n>2</n></item>"),
        _ => format!("{{\"id\":{id},\"inner\":{{\"a\":[1]}}}}"),
    };
    let first = (form == Form::Rows).then(|| "is".to_owned());
    first.into_iter().chain((0..count).map(record)).collect()
}

pub(crate) const FORMS: [Form; 5] =
    [Form::Lines, Form::Rows, Form::Array, Form::Inside, Form::Elements];

/// Most pieces are read by the threads, also those with keys that nobody has met before.
#[test]
fn the_threads_read() {
    for form in FORMS {
        let mut records = many(form, 6_000);
        for (number, record) in records.iter_mut().enumerate().skip(2).step_by(50) {
            match form {
                Form::Rows => *record = format!("{number},,{number},"),
                Form::Elements => *record = format!("<item><late{number}>1</late{number}></item>"),
                _ => *record = format!("{{\"id\":null,\"late{number}\":1}}"),
            }
        }
        let text = text(form, &records, "\n");
        let taken = same(&[(form, &text)], (2, 3_000));
        let pieces = text.len() as u64 / 3_000;
        assert!(taken + 12 > pieces, "{form:?}: {taken} of {pieces}");
    }
}

/// A value of another kind is told as by one thread: it names the record that had the first.
#[test]
fn a_value_of_another_kind() {
    for form in [Form::Lines, Form::Array, Form::Inside] {
        let mut records = many(form, 4_000);
        records[2_000] = "{\"id\":1,\"late\":true}".to_owned();
        records[3_500] = "{\"id\":2,\"late\":\"x\"}".to_owned();
        let text = text(form, &records, "\n");
        let (_, problems, taken) = find(&[(form, &text)], Some((2, 3_000)));
        assert!(taken > 12, "{taken}");
        let record = if form == Form::Inside { 2_002 } else { 2_001 };
        let expected = format!("expected a bool as in record {record}, got a string");
        assert!(problems.len() == 1 && problems[0].contains(&expected), "{problems:?}");
        same(&[(form, &text)], (2, 3_000));
    }
}

/// The first place too many is in the same record for any number of threads.
#[test]
fn too_many_places() {
    let mut text = String::new();
    for number in 0..PLACES + 500 {
        // Each key comes twice, so there is more to read behind the limit.
        writeln!(text, "{{\"key{number}\":1,\"key{}\":2}}", number / 2).expect("memory");
    }
    let (_, problems, taken) = find(&[(Form::Lines, &text)], Some((2, 3_000)));
    assert!(taken > 12, "{taken}");
    assert_eq!(problems.len(), 500);
    assert!(problems[0].contains("there are more than 10000 columns"), "{problems:?}");
    same(&[(Form::Lines, &text)], (2, 3_000));
}

/// What a place is, its first record says, in whichever part that is.
#[test]
fn parts_of_other_formats() {
    let rows = text(Form::Rows, &many(Form::Rows, 3_000), "");
    for form in FORMS {
        let first = text(form, &many(form, 3_000), "\n");
        same(&[(form, &first), (Form::Rows, &rows)], (2, 3_000));
        same(&[(Form::Rows, &rows), (form, &first)], (2, 3_000));
    }
    // An element in the place of a member is no list, and has no text.
    let mut elements = many(Form::Elements, 3_000);
    elements[..1_000].fill("<item id='0'/>".to_owned());
    let elements = text(Form::Elements, &elements, "\n");
    same(&[(Form::Lines, "{\"n\":null}"), (Form::Elements, &elements)], (2, 3_000));
    // A column that is empty in the table was null before.
    let empty = "id,name,late,is\n".to_owned() + &",,,\n".repeat(3_000);
    let nulls = "{\"name\":null}\n".repeat(3_000);
    same(&[(Form::Lines, &nulls), (Form::Rows, &empty)], (2, 3_000));
}
