//! What is written is read back, cell for cell, in every dialect.

use crate::naive::Table;
use crate::reading::read;
use penstock_core::csv::writer::{Formulas, Quoting, Writer, WriterOptions};
use penstock_core::csv::{Header, Options, Terminator};
use penstock_core::event::Scalar;
use penstock_core::limits::Limits;
use penstock_core::protocol::Sink;
use penstock_core::writer::{Column, Unwritable, Writer as _};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

type Row<'a> = &'a [(&'a str, Scalar<'a>)];

fn row(writer: &mut Writer, cells: Row<'_>) -> Result<(), Unwritable> {
    let written = (|| {
        writer.begin_map(0)?;
        for (key, value) in cells {
            writer.key((*key).into(), 0)?;
            writer.scalar(*value, 0)?;
        }
        writer.end_map(0).map(drop)
    })();
    if written.is_err() {
        writer.abandon();
    }
    written
}

fn list(writer: &mut Writer, cells: &[Scalar<'_>]) -> Result<(), Unwritable> {
    let written = (|| {
        writer.begin_list(0)?;
        for value in cells {
            writer.scalar(*value, 0)?;
        }
        writer.end_list(0).map(drop)
    })();
    if written.is_err() {
        writer.abandon();
    }
    written
}

fn text(text: &str) -> Scalar<'_> {
    Scalar::Text(text.into())
}

fn writer(options: &WriterOptions) -> Writer {
    Writer::new(options, &Limits::default()).unwrap()
}

fn finished(mut writer: Writer) -> String {
    writer.finish().unwrap();
    String::from_utf8(writer.ready().to_vec()).unwrap()
}

#[track_caller]
fn refused(result: Result<(), Unwritable>, reason: &str) {
    assert_eq!(result.unwrap_err().reason(), reason);
}

#[test]
fn the_first_row_names_the_columns() {
    let mut to = writer(&WriterOptions::default());
    row(&mut to, &[("id", Scalar::Int(1)), ("a b", text("x,\"y\"\n")), ("c", Scalar::Null)])
        .unwrap();
    // In any order, and without some of them.
    row(&mut to, &[("c", text("z")), ("id", Scalar::Int(-2))]).unwrap();
    row(&mut to, &[("id", Scalar::Float(f64::NAN)), ("c", Scalar::Bool(true))]).unwrap();
    list(&mut to, &[Scalar::Number(b"1e5"), text(""), text("é")]).unwrap();
    refused(
        row(&mut to, &[("id", Scalar::Int(3)), ("d", Scalar::Null)]),
        "there is no column \"d\" in the first row",
    );
    refused(
        row(&mut to, &[("c", Scalar::Int(3)), ("c", Scalar::Null)]),
        "the column \"c\" comes twice in a row",
    );
    refused(
        row(&mut to, &[("id", Scalar::Int(3)), ("id", Scalar::Null)]),
        "the column \"id\" comes twice in a row",
    );
    refused(list(&mut to, &[Scalar::Null]), "the row has 1 cells, and there are 3 columns");
    refused(list(&mut to, &[Scalar::Null; 4]), "the row has more cells, and there are 3 columns");
    assert_eq!(to.records(), 4);
    assert_eq!(finished(to), "id,a b,c\n1,\"x,\"\"y\"\"\n\",\n-2,,z\nNaN,,true\n1e5,\"\",é\n");
}

#[test]
fn a_first_row_in_error_names_nothing() {
    let mut to = writer(&WriterOptions::default());
    refused(
        row(&mut to, &[("a", Scalar::Null), ("b", text("\0"))]),
        "CSV has no form for a NUL character",
    );
    refused(row(&mut to, &[]), "a row without a column");
    refused(
        row(&mut to, &[("a", Scalar::Null), ("a", Scalar::Null)]),
        "the column \"a\" comes twice in a row",
    );
    refused(
        list(&mut to, &[Scalar::Null]),
        "a list has no names for the header: pass a dialect with header=None, or with the names",
    );
    refused(
        to.scalar(Scalar::Null, 0).map(drop),
        "a row is an object, a dict or a list, and not a single value",
    );
    to.begin_map(0).unwrap();
    to.key("a".into(), 0).unwrap();
    refused(to.begin_list(0).map(drop), "the column \"a\" has a list, which a cell cannot hold");
    refused(to.begin_map(0).map(drop), "the column \"a\" has an object, which a cell cannot hold");
    refused(to.finish(), "the last row is not complete");
    to.abandon();
    row(&mut to, &[("c", Scalar::Int(1))]).unwrap();
    assert_eq!(finished(to), "c\n1\n");
}

#[test]
fn columns_are_said_before() {
    let columns = |names: &[&str]| names.iter().map(|name| Column::new(name)).collect::<Vec<_>>();
    let mut to = writer(&WriterOptions { mark: true, ..WriterOptions::default() });
    assert!(to.wants_columns());
    to.columns(columns(&["b", "a"]), 1).unwrap();
    assert!(!to.wants_columns());
    assert_eq!(finished(to), "\u{FEFF}b,a\n");
    // By position.
    let header = |header| Options { header, ..Options::default() };
    let plain = WriterOptions { dialect: header(Header::Positions), ..WriterOptions::default() };
    let mut to = writer(&plain);
    to.columns(columns(&["1", "0"]), 1).unwrap();
    row(&mut to, &[("1", Scalar::Int(1)), ("0", Scalar::Int(0))]).unwrap();
    assert_eq!(finished(to), "0,1\n");
    let reason = "without a header, columns are named by position, and the class has none at 1";
    refused(writer(&plain).columns(columns(&["0", "2"]), 1), reason);
    let reason = "without a header, columns are named by position: the column \"1\" is at 0";
    refused(row(&mut writer(&plain), &[("1", Scalar::Null)]), reason);
    // Behind the rows of a file.
    let names = Some(vec!["a".into(), "b".into()]);
    let behind = WriterOptions { behind: names.clone(), ..WriterOptions::default() };
    let reason = "the file has the columns \"a\", \"b\", and the class has \"b\", \"a\"";
    refused(writer(&behind).columns(columns(&["b", "a"]), 1), reason);
    let mut to = writer(&behind);
    row(&mut to, &[("b", Scalar::Int(1))]).unwrap();
    refused(row(&mut to, &[("c", Scalar::Int(1))]), "there is no column \"c\" in the header");
    assert_eq!(finished(to), ",1\n");
    let behind = WriterOptions { behind: names.clone(), ..plain };
    let mut to = writer(&behind);
    let reason = "the file has 2 columns, and the first row has 1";
    refused(list(&mut to, &[Scalar::Int(1)]), reason);
    refused(to.columns(columns(&["x"]), 1), reason);
    list(&mut to, &[Scalar::Int(1), Scalar::Int(2)]).unwrap();
    assert_eq!(finished(to), "1,2\n");
    let given = header(Header::InputView(vec!["a".into()]));
    let wrong = WriterOptions { dialect: given, behind: names, ..WriterOptions::default() };
    let error = Writer::new(&wrong, &Limits::default()).unwrap_err();
    assert_eq!(error.0, "the file has 2 columns, and header names 1");
}

#[test]
fn quotes() {
    let cells = [
        ("t", text("x")),
        ("i", Scalar::Int(-1)),
        ("d", Scalar::Decimal(b"1E+2")),
        ("b", Scalar::Bool(false)),
        ("n", Scalar::Null),
        ("e", text("")),
        ("y", Scalar::Bytes(b"~")),
    ];
    let with = |quoting| {
        let mut to = writer(&WriterOptions { quoting, ..WriterOptions::default() });
        row(&mut to, &cells).unwrap();
        finished(to)
    };
    assert_eq!(with(Quoting::Minimal), "t,i,d,b,n,e,y\nx,-1,100,false,,\"\",fg==\n");
    assert_eq!(
        with(Quoting::All),
        "\"t\",\"i\",\"d\",\"b\",\"n\",\"e\",\"y\"\n\"x\",\"-1\",\"100\",\"false\",,\"\",\"fg==\"\n"
    );
    assert_eq!(
        with(Quoting::NonNumeric),
        "\"t\",\"i\",\"d\",\"b\",\"n\",\"e\",\"y\"\n\"x\",-1,100,\"false\",,\"\",\"fg==\"\n"
    );
    assert_eq!(with(Quoting::Never), "t,i,d,b,n,e,y\nx,-1,100,false,,,fg==\n");
    let never = WriterOptions { quoting: Quoting::Never, ..WriterOptions::default() };
    let mut to = writer(&never);
    let rest = "and the dialect writes none and has no escape";
    for (cell, what) in [
        ("a,b", "a cell with \",\" needs quotes"),
        ("a\"b", "a cell with \"\\\"\" needs quotes"),
        ("a\nb,", "a cell with \"\\n\" needs quotes"),
    ] {
        refused(row(&mut to, &[("a", text(cell))]), &format!("{what}, {rest}"));
    }
    let trim = Options { trim: true, ..Options::default() };
    let mut to = writer(&WriterOptions { dialect: trim, ..never.clone() });
    let what = "a cell with white space at its end needs quotes";
    refused(row(&mut to, &[("a", text(" a"))]), &format!("{what}, {rest}"));
    let mut to = writer(&never);
    let columns = vec![Column { empty_is_text: Some(false), ..Column::new("a") }];
    to.columns(columns, 1).unwrap();
    let reason = "an empty text needs quotes, or it is read as none";
    refused(row(&mut to, &[("a", text(""))]), reason);
    // The dialect may need them in a number.
    let dialect = Options { delimiter: "-".into(), ..Options::default() };
    let mut to = writer(&WriterOptions { dialect, ..WriterOptions::default() });
    row(&mut to, &[("a", Scalar::Int(-5)), ("b", Scalar::Bytes(b""))]).unwrap();
    assert_eq!(finished(to), "a-b\n\"-5\"-\n");
    let mut to = writer(&WriterOptions::default());
    let columns = vec![Column { empty_is_text: Some(false), ..Column::new("a") }];
    to.columns(columns, 1).unwrap();
    let reason = "an empty value would be read as none";
    refused(row(&mut to, &[("a", Scalar::Bytes(b""))]), reason);
}

#[test]
fn null_has_a_text() {
    let options = WriterOptions { null: "NA".into(), ..WriterOptions::default() };
    let mut to = writer(&options);
    row(&mut to, &[("a", Scalar::Null), ("b", text("N")), ("c", text(""))]).unwrap();
    let reason = "the text \"NA\" would be read as null (null=)";
    refused(row(&mut to, &[("a", text("NA"))]), reason);
    row(&mut to, &[("b", Scalar::Int(1))]).unwrap();
    assert_eq!(finished(to), "a,b,c\nNA,N,\"\"\nNA,1,NA\n");
    let wrong = WriterOptions { null: "a,b".into(), ..options };
    let error = Writer::new(&wrong, &Limits::default()).unwrap_err();
    assert_eq!(error.0, "null must be a text that needs no quotes");
}

#[test]
fn formulas() {
    let escape = WriterOptions { formulas: Formulas::Escape, ..WriterOptions::default() };
    let mut to = writer(&escape);
    row(
        &mut to,
        &[
            ("@t", text("=1+1")),
            ("b", text("-5")),
            ("c", Scalar::Int(-5)),
            ("d", text("+49 \"1\"")),
            ("e", Scalar::Untyped("\u{FF1D}1".into())),
            ("f", text("\t")),
        ],
    )
    .unwrap();
    assert_eq!(finished(to), "'@t,b,c,d,e,f\n'=1+1,-5,-5,\"'+49 \"\"1\"\"\",'\u{FF1D}1,'\t\n");
    let mut to = writer(&WriterOptions { formulas: Formulas::Refuse, ..escape.clone() });
    let reason = "a spreadsheet takes text that begins with \"=\" for a formula";
    refused(row(&mut to, &[("a", text("=1"))]), reason);
    refused(row(&mut to, &[("=a", text("1"))]), reason);
    row(&mut to, &[("a", text("1"))]).unwrap();
    assert_eq!(finished(to), "a\n1\n");
    let never = WriterOptions { quoting: Quoting::Never, ..escape };
    let error = Writer::new(&never, &Limits::default()).unwrap_err();
    let reason = "formulas needs quotes: without them, text may begin a cell of its own";
    assert_eq!(error.0, reason);
}

/// A row that would be read as a comment, as a blank line or without its first character.
#[test]
fn rows_that_begin_like_something_else() {
    let dialect = Options { comment: Some("#".into()), ..Options::default() };
    let options = WriterOptions { dialect, ..WriterOptions::default() };
    let mut to = writer(&options);
    row(&mut to, &[("#a", text("#1")), ("b", text("#"))]).unwrap();
    assert_eq!(finished(to), "\"#a\",b\n\"#1\",#\n");
    let mut to = writer(&WriterOptions { quoting: Quoting::Never, ..options.clone() });
    let reason = "the row would be read as a comment";
    refused(row(&mut to, &[("a", text("#1"))]), reason);
    let mut to = writer(&WriterOptions::default());
    row(&mut to, &[("\u{FEFF}a", text("\u{FEFF}"))]).unwrap();
    assert_eq!(finished(to), "\"\u{FEFF}a\"\n\u{FEFF}\n");
    let never = WriterOptions { quoting: Quoting::Never, ..WriterOptions::default() };
    let reason = "the first character of the file would be read as a byte order mark";
    refused(row(&mut writer(&never), &[("\u{FEFF}a", Scalar::Null)]), reason);
    let plain = Options { header: Header::Positions, ..Options::default() };
    let mut to = writer(&WriterOptions { dialect: plain, ..WriterOptions::default() });
    let reason = "the first row would be a blank line, which is no row without a header";
    refused(list(&mut to, &[Scalar::Null]), reason);
    list(&mut to, &[Scalar::Int(1)]).unwrap();
    list(&mut to, &[Scalar::Null]).unwrap();
    assert_eq!(finished(to), "1\n\n");
    let limits = Limits { row: 5, ..Limits::default() };
    let mut to = Writer::new(&WriterOptions::default(), &limits).unwrap();
    row(&mut to, &[("a", text("12345"))]).unwrap();
    refused(row(&mut to, &[("a", text("123456"))]), "a row is longer than 5 bytes (limits.row)");
}

#[test]
fn dialects_that_are_for_reading() {
    let wrong = |dialect| {
        let options = WriterOptions { dialect, ..WriterOptions::default() };
        Writer::new(&options, &Limits::default()).unwrap_err().0
    };
    let skip = Options { skip: 1, ..Options::default() };
    assert_eq!(wrong(skip), "skip_rows is for reading: what stands there is not written");
    let header = Header::Joined(2, " ".into());
    let joined = Options { header, ..Options::default() };
    let reason = "a header of several rows is for reading: pass header='first'";
    assert_eq!(wrong(joined), reason);
}

#[test]
fn text_is_taken_in_whole_rows() {
    let mut to = writer(&WriterOptions::default());
    row(&mut to, &[("a", Scalar::Int(1)), ("b", Scalar::Int(2))]).unwrap();
    to.begin_map(0).unwrap();
    to.key("b".into(), 0).unwrap();
    to.int(4, 0).unwrap();
    assert_eq!(to.ready(), b"a,b\n1,2\n");
    to.taken();
    to.key("a".into(), 0).unwrap();
    to.int(3, 0).unwrap();
    assert_eq!(to.ready(), b"");
    to.end_map(0).unwrap();
    assert_eq!(to.ready(), b"3,4\n");
    to.reopen();
    row(&mut to, &[("c", Scalar::Null)]).unwrap();
    assert_eq!(finished(to), "c\n\n");
}

fn dialect() -> impl Strategy<Value = Options> {
    let delimiter = prop::sample::select(vec![",", ";", "\t", "|", "||", "ab", "-", " ", "::"]);
    let quote = prop::sample::select(vec![Some(b'"'), Some(b'"'), Some(b'\''), None]);
    let escape = prop::sample::select(vec![None, None, Some(b'\\'), Some(b'b')]);
    let comment = prop::sample::select(vec![None, Some("#"), Some("//"), Some("a"), Some("\"")]);
    let terminator = prop::sample::select(vec![
        Terminator::AsFirst,
        Terminator::Any,
        Terminator::Exactly("\r\n".into()),
        Terminator::Exactly(";".into()),
        Terminator::Exactly("\r".into()),
        Terminator::Exactly("ba".into()),
    ]);
    let header = prop::sample::select(vec![
        Header::First,
        Header::Positions,
        Header::InputView(vec!["0".into(), "1".into(), "2".into()]),
    ]);
    (delimiter, quote, escape, comment, terminator, any::<bool>(), header).prop_filter_map(
        "a text would have two meanings",
        |(delimiter, quote, escape, comment, terminator, trim, header)| {
            let options = Options {
                delimiter: delimiter.into(),
                quote,
                escape,
                comment: comment.map(Into::into),
                terminator,
                trim,
                header,
                ..Options::default()
            };
            options.stops().is_ok().then_some(options)
        },
    )
}

fn quoting() -> impl Strategy<Value = Quoting> {
    prop::sample::select(vec![Quoting::Minimal, Quoting::All, Quoting::NonNumeric, Quoting::Never])
}

const CELL: &str = "[,;|abnN:\"'\\\\#/ \t\r\n\u{FEFF}é1-]{0,5}";

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 1_000,
        rng_seed: RngSeed::Fixed(0x0CE1_1500),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// What is written is read back, and nothing else; and what is refused needs quotes.
    #[test]
    fn every_cell_is_read_back(
        dialect in dialect(),
        quoting in quoting(),
        width in 1_usize..4,
        names in prop::collection::vec(CELL, 3),
        rows in prop::collection::vec(prop::collection::vec(prop::option::of(CELL), 3), 0..6),
        order in Just(vec![0, 1, 2]).prop_shuffle(),
        piece in 1_usize..20,
    ) {
        let options = WriterOptions { dialect: dialect.clone(), quoting, ..WriterOptions::default() };
        let mut to = writer(&options);
        let width = if matches!(dialect.header, Header::InputView(_)) { 3 } else { width };
        let mut names = names[..width].to_vec();
        if dialect.header != Header::First {
            names = (0..width).map(|name| name.to_string()).collect();
        }
        names.dedup();
        prop_assume!(names.len() == width && (width < 3 || names[0] != names[2]));
        let mut expected = Vec::new();
        let needs_no_quotes = dialect.quote.is_some() && quoting != Quoting::Never;
        for cells in rows {
            let mut values: Vec<_> =
                names.iter().map(String::as_str).zip(cells.iter().map(|cell| cell.as_deref().map_or(Scalar::Null, text))).collect();
            if to.records() > 0 {
                // The order of the keys makes no difference.
                values = order.iter().filter_map(|at| values.get(*at).copied()).collect();
            }
            match row(&mut to, &values) {
                Ok(()) => expected.push(
                    cells[..width].iter().map(|cell| cell.clone().unwrap_or_default()).collect(),
                ),
                Err(error) => {
                    let reason = error.reason();
                    let is_edge = reason == "the row would be read as a comment"
                        || reason.starts_with("the first row would be a blank line")
                        || dialect.comment.as_deref() == Some("\"");
                    prop_assert!(!needs_no_quotes || is_edge, "{reason}");
                }
            }
        }
        to.finish().unwrap();
        let written = to.ready().to_vec();
        let found: Table = read(&written, &dialect, &Limits::default(), piece, false);
        let expected: Vec<Result<Vec<String>, (usize, String)>> =
            expected.into_iter().map(Ok).collect();
        let shown = String::from_utf8_lossy(&written).into_owned();
        if !expected.is_empty() {
            prop_assert_eq!(&found.names, &Some(names), "{:?}", shown);
        }
        prop_assert_eq!(found.rows, expected, "{:?}", shown);
    }

    /// Cells that are written directly are the same as those of events.
    #[test]
    fn directly(
        dialect in dialect(),
        formulas in prop::sample::select(vec![Formulas::AsTheyAre, Formulas::Escape]),
        cells in prop::collection::vec(prop::option::of("[,;|ab:\"'\\\\#= \t\r\n\0\u{FEFF}é\u{1F600}1-]{0,40}"), 1..4),
        number in any::<i64>(),
    ) {
        let dialect = Options { comment: None, header: Header::Positions, ..dialect };
        let formulas = if dialect.quote.is_some() { formulas } else { Formulas::AsTheyAre };
        let options = WriterOptions { dialect, formulas, ..WriterOptions::default() };
        let (mut told, mut direct) = (writer(&options), writer(&options));
        let mut first = vec![text("x"); cells.len()];
        first.extend([Scalar::Int(0), Scalar::Float(0.5), Scalar::Bool(true)]);
        list(&mut told, &first).unwrap();
        list(&mut direct, &first).unwrap();
        let mut values: Vec<_> =
            cells.iter().map(|cell| cell.as_deref().map_or(Scalar::Null, text)).collect();
        let float = number as f64 / 7.0;
        values.extend([Scalar::Int(number), Scalar::Float(float), Scalar::Bool(number > 0)]);
        let is_written = list(&mut told, &values).is_ok();
        let written = (|| {
            direct.begin_list(0)?;
            for value in &values {
                let done = direct.cells(0).is_some_and(|mut cells| match value {
                    Scalar::Null => cells.null(),
                    Scalar::Bool(value) => cells.boolean(*value),
                    Scalar::Int(value) => cells.int(*value),
                    Scalar::Float(value) => cells.float(*value),
                    Scalar::Text(text) if number % 2 == 0 => {
                        let units: Vec<u32> = text.text.as_str().chars().map(u32::from).collect();
                        cells.units(&units)
                    }
                    Scalar::Text(text) => cells.text(text.bytes()),
                    _ => false,
                });
                if !done {
                    direct.scalar(*value, 0)?;
                }
            }
            direct.end_list(0).map(drop)
        })();
        prop_assert_eq!(written.is_ok(), is_written);
        if is_written {
            prop_assert_eq!(finished(told), finished(direct));
        }
    }
}
