//! The reader against its naive twin, and by hand.

use crate::naive::{Table, naive, tail};
use crate::reading::{passed, read, read_many};
use penstock_core::csv::{Header, Options, Reader, Tailing, Terminator};
use penstock_core::limits::Limits;
use penstock_core::protocol::Trace;
use penstock_scan::ValidText;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

fn whole(text: &str, options: &Options) -> Table {
    read(text.as_bytes(), options, &Limits::default(), text.len().max(1), false)
}

/// Asserts what becomes of a text, in pieces of all sizes.
#[track_caller]
fn assert_rows(
    text: &str,
    options: &Options,
    names: &[&str],
    rows: &[Result<&[&str], (usize, &str)>],
) {
    let owned = |cells: &[&str]| cells.iter().map(|&cell| cell.to_owned()).collect::<Vec<_>>();
    let rows = rows.iter().map(|row| match row {
        Ok(cells) => Ok(owned(cells)),
        Err((at, reason)) => Err((*at, (*reason).to_owned())),
    });
    let expected = Table { names: Some(owned(names)), rows: rows.collect() };
    assert_eq!(naive(text, options), expected);
    for piece in 1..=text.len() {
        assert_eq!(
            read(text.as_bytes(), options, &Limits::default(), piece, piece % 2 == 0),
            expected
        );
    }
}

#[test]
fn the_standard() {
    let text = "id,name,note\r\n1,\"a \"\"b\"\"\n,c\",x\r\n\n2,,\n\"3\",é,\"\"";
    assert_rows(
        text,
        &Options::default(),
        &["id", "name", "note"],
        &[Ok(&["1", "a \"b\"\n,c", "x"]), Ok(&["2", "", ""]), Ok(&["3", "é", ""])],
    );
}

#[test]
fn faults_are_of_their_row() {
    let text = "a,b\n1,2\n3\n4,5,6\n7,8\"\n\"9\"x,\n\0,1\n1\r2,3\n4,5\n6,\"7\n8,9\n";
    assert_rows(
        text,
        &Options::default(),
        &["a", "b"],
        &[
            Ok(&["1", "2"]),
            Err((9, "the row has 1 cell, and there are 2 columns")),
            Err((14, "the row has 3 cells, and there are 2 columns")),
            Err((19, "a quote in a cell that does not begin with one")),
            Err((24, "text behind the closing quote of a cell")),
            Err((27, "a NUL character")),
            Err((32, "a carriage return without a line feed")),
            Ok(&["4", "5"]),
            Err((43, "a quote that is never closed")),
            Ok(&["8", "9"]),
        ],
    );
}

#[test]
fn dialects() {
    let options = Options {
        delimiter: "||".into(),
        quote: Some(b'\''),
        escape: Some(b'\\'),
        comment: Some("//".into()),
        terminator: Terminator::Any,
        trim: true,
        skip: 1,
        header: Header::Joined(2, " ".into()),
        ..Options::default()
    };
    let text =
        "made by 'hand\r// a comment\ra|| \rx||y\r'1\\'' || 2 || \\ \r// 'another\r 3|4 || 5\r";
    let reason = "the row has 3 cells, and there are 2 columns";
    assert_rows(text, &options, &["a x", "y"], &[Err((50, reason)), Ok(&["3|4", "5"])]);
    let options = Options { header: Header::Positions, quote: None, ..Options::default() };
    assert_rows("\"a,b\n", &options, &["0", "1"], &[Ok(&["\"a", "b"])]);
    let given = Header::InputView(vec!["x".into()]);
    let semicolons = Terminator::Exactly(";".into());
    let options = Options { header: given, terminator: semicolons, ..Options::default() };
    assert_rows("1;\n;;2", &options, &["x"], &[Ok(&["1"]), Ok(&["\n"]), Ok(&[""]), Ok(&["2"])]);
}

/// The first line says what ends lines.
#[test]
fn ends_of_lines() {
    let options = Options::default();
    let feed = "a line feed without a carriage return";
    assert_rows(
        "a,b\r1,2\r\n3,4\n5,6\r7,8",
        &options,
        &["a", "b"],
        &[Ok(&["1", "2"]), Err((12, feed)), Ok(&["7", "8"])],
    );
    let any = Options { terminator: Terminator::Any, ..options };
    assert_rows(
        "a,b\r1,2\r\n3,4\n5,6\r7,8",
        &any,
        &["a", "b"],
        &[Ok(&["1", "2"]), Ok(&["3", "4"]), Ok(&["5", "6"]), Ok(&["7", "8"])],
    );
}

/// Blank lines are skipped, unless there is one column.
#[test]
fn blank_lines() {
    let options = Options::default();
    assert_rows(
        "\n\na,b\n\n1,2\r\n\r\n3,4\n\n",
        &options,
        &["a", "b"],
        &[Ok(&["1", "2"]), Ok(&["3", "4"])],
    );
    assert_rows(
        "\na\n\n1\n\"\"\n\n",
        &options,
        &["a"],
        &[Ok(&[""]), Ok(&["1"]), Ok(&[""]), Ok(&[""])],
    );
    assert_eq!(whole("", &options), Table::default());
    assert_eq!(whole("\n\n", &options), Table::default());
}

#[test]
fn a_row_has_a_limit() {
    let limits = Limits { row: 10, ..Limits::default() };
    let text = "a,b\n1,2\n0123456789,0123456789\n3,4\n5,\"6\n7,8\n9,0\n1,2\n3,4\n";
    for piece in [1, 3, 7, text.len()] {
        let table = read(text.as_bytes(), &Options::default(), &limits, piece, false);
        let row = |cells: [&str; 2]| Ok(cells.map(str::to_owned).to_vec());
        let long = "a row is longer than 10 bytes (limits.row)".to_owned();
        let open = format!("{long}: its last quote is not closed");
        let expected = [
            row(["1", "2"]),
            Err((8, long)),
            row(["3", "4"]),
            Err((36, open)),
            row(["7", "8"]),
            row(["9", "0"]),
            row(["1", "2"]),
            row(["3", "4"]),
        ];
        assert_eq!(table.rows, expected, "{piece}");
    }
}

/// Behind bytes that are not text, the next line is read.
#[test]
fn bytes_that_are_no_text() {
    let source = b"a,b\n1,2\n3,\xFF4\n5,6\n\"7\n\xFE\",8\n9,0\n";
    for piece in 1..=source.len() {
        let table = read(source, &Options::default(), &Limits::default(), piece, false);
        let rows: Vec<_> =
            table.rows.iter().map(|row| row.as_ref().map_err(|(at, _)| *at)).collect();
        let row = |cells: [&str; 2]| cells.map(str::to_owned).to_vec();
        let (one, two, three) = (row(["1", "2"]), row(["5", "6"]), row(["9", "0"]));
        assert_eq!(rows, [Ok(&one), Err(10), Ok(&two), Err(20), Ok(&three)], "{piece}");
    }
}

fn options() -> impl Strategy<Value = Options> {
    let delimiter = prop::sample::select(vec![",", ";", "||", ",;"]);
    let quote = prop_oneof![5 => Just(Some(b'"')), 1 => Just(None)];
    let escape = prop_oneof![3 => Just(None), 1 => Just(Some(b'\\'))];
    let comment = prop_oneof![2 => Just(None), 1 => Just(Some("#")), 1 => Just(Some("aé"))];
    let terminator = prop_oneof![
        4 => Just(Terminator::AsFirst),
        1 => Just(Terminator::Any),
        1 => Just(Terminator::Exactly("\n".into())),
        1 => Just(Terminator::Exactly("\r\n".into())),
        1 => Just(Terminator::Exactly("cc".into())),
    ];
    let header = prop_oneof![
        3 => Just(Header::First),
        1 => Just(Header::Positions),
        1 => (1..4_usize).prop_map(|count| {
            Header::InputView((0..count).map(|name| format!("n{name}").into()).collect())
        }),
        1 => Just(Header::Joined(2, " ".into())),
    ];
    (delimiter, quote, escape, comment, terminator, any::<bool>(), 0..3_u64, header).prop_map(
        |(delimiter, quote, escape, comment, terminator, trim, skip, header)| Options {
            delimiter: delimiter.into(),
            quote,
            escape,
            comment: comment.map(Into::into),
            terminator,
            trim,
            skip: skip / 2,
            header,
            ..Options::default()
        },
    )
}

/// Text of few characters, most of which the grammar knows, in rows of any length.
fn text() -> impl Strategy<Value = String> {
    let char = prop_oneof![
        8 => prop::sample::select(vec!["a", "c", "é", "😀", "#", "|", " ", "\t"]),
        8 => prop::sample::select(vec![",", ";", "\"", "\n", "\"\"", "\",\"", "\",", ",\"", "||"]),
        2 => prop::sample::select(vec!["\r", "\r\n", "\\", "\0", "\\N", "\\n", ",\\N,", "\\Z"]),
        1 => Just("a long run of text without anything in it that the grammar knows: 64 bytes"),
    ];
    prop::collection::vec(char, 0..60).prop_map(|chars| {
        let text = chars.concat();
        // A text that begins like this is taken for UTF-16.
        if text.bytes().take(4).any(|byte| byte == 0) { format!("ab,c{text}") } else { text }
    })
}

/// Rows of a usual dialect, most of which are right, of cells that end in all places of a block.
fn rows() -> impl Strategy<Value = String> {
    let text = prop_oneof![
        6 => prop::collection::vec(prop::sample::select(vec!["a", "é", "bc", " "]), 0..9)
            .prop_map(|chars| chars.concat()),
        1 => (20..150_usize).prop_map(|length| "x".repeat(length)),
    ];
    let inner = prop::sample::select(vec!["", "a", ",", "\n", "\r", "\r\n", "\"\"", "é"]);
    let quoted =
        prop::collection::vec(inner, 0..9).prop_map(|parts| format!("\"{}\"", parts.concat()));
    let wrong = prop::sample::select(vec![
        "a\"", "\"a\"b", "\"a\" ", "a\"\"", "\0", "\"\0\"", "a\rb", "\r", "\"open", ",", "\"\"\"",
    ])
    .prop_map(str::to_owned);
    let cell = prop_oneof![60 => text, 30 => quoted, 1 => wrong];
    let end = prop::sample::select(vec!["\n", "\n", "\n", "\n", "\r\n", "\n\n"]);
    let row = move |columns: usize| {
        let columns = prop_oneof![40 => Just(columns), 1 => 1..4_usize];
        let cells = columns.prop_flat_map({
            let cell = cell.clone();
            move |columns| prop::collection::vec(cell.clone(), columns)
        });
        (cells, end.clone()).prop_map(|(cells, end)| cells.join(",") + end)
    };
    (1..4_usize, any::<bool>()).prop_flat_map(move |(columns, ended)| {
        let rows = prop::collection::vec(row(columns), 0..25);
        rows.prop_map(move |rows| {
            let text = format!("{}\n{}", ["a", "b", "c"][..columns].join(","), rows.concat());
            if ended { text } else { text.trim_end().to_owned() }
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: crate::effort::often(6_000),
        rng_seed: RngSeed::Fixed(42),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// The end of a file is found as the rows are, wherever the file is cut, and in any pieces.
    #[test]
    fn the_last_whole_row(
        text in text(),
        options in options(),
        piece in 1..80_usize,
        cut in any::<prop::sample::Index>(),
    ) {
        let options = Options { skip: 0, ..options };
        let cut = text.floor_char_boundary(cut.index(text.len() + 1));
        for end in [cut, text.len()] {
            let mut tailing = Tailing::new(&options).unwrap();
            text.as_bytes()[..end].chunks(piece).for_each(|piece| tailing.take(piece));
            prop_assert_eq!(tailing.finish(), tail(&text[..end], &options));
        }
    }

    #[test]
    fn usual_rows_in_any_pieces(
        text in rows(),
        terminator in prop::sample::select(vec![Terminator::AsFirst, Terminator::Any]),
        quote in prop_oneof![9 => Just(Some(b'"')), 1 => Just(None)],
        piece in prop_oneof![1..80_usize, 1_000..4_000_usize],
        pauses in any::<bool>(),
        most in prop_oneof![0..4_usize, Just(usize::MAX)],
    ) {
        let options = Options { terminator, quote, ..Options::default() };
        let mut expected = naive(&text, &options);
        let named = |mut told: Table| {
            // Without a row, nobody was told the names.
            if told.names.is_none() && expected.rows.iter().all(Result::is_err) {
                told.names.clone_from(&expected.names);
            }
            told
        };
        let limits = Limits::default();
        prop_assert_eq!(&named(read(text.as_bytes(), &options, &limits, piece, pauses)), &expected);
        let many = read_many(text.as_bytes(), &options, piece, pauses, most);
        prop_assert_eq!(&named(many), &expected);
        let told = named(passed(text.as_bytes(), &options, piece, pauses));
        expected.rows.iter_mut().flatten().for_each(Vec::clear);
        prop_assert_eq!(told, expected);
    }

    #[test]
    fn any_text_in_any_pieces(
        text in text(),
        options in options(),
        piece in 1..80_usize,
        pauses in any::<bool>(),
    ) {
        let expected = naive(&text, &options);
        for mut told in [
            read(text.as_bytes(), &options, &Limits::default(), piece, pauses),
            read_many(text.as_bytes(), &options, piece, pauses, usize::MAX),
        ] {
            // Without a row, nobody was told the names.
            if told.names.is_none() && expected.rows.iter().all(Result::is_err) {
                told.names.clone_from(&expected.names);
            }
            prop_assert_eq!(&told, &expected);
        }
    }
}

proptest! {
    #[test]
    fn the_portable_set_tells_the_same(text in text(), options in options()) {
        let told = |portable: bool| {
            let mut trace = Trace::new();
            let mut reader = Reader::new(&options, &Limits::default()).unwrap();
            let text = ValidText::from(&*text);
            let step = match portable {
                true => reader.run_portable(text, true, &mut trace),
                false => reader.run(text, true, &mut trace),
            };
            (format!("{step:?}"), trace.text().to_owned())
        };
        prop_assert_eq!(told(true), told(false));
    }
}

/// Quotes around nothing make a text of it, in a dialect with other quotes and white space too.
#[test]
fn a_quoted_empty_cell_is_a_text() {
    let heard = |text: &str, options: &Options| {
        let mut trace = Trace::new();
        let mut reader = Reader::new(options, &Limits::default()).unwrap();
        reader.run(ValidText::from(text), true, &mut trace).unwrap();
        let lines = trace.text().lines().map(str::trim).filter(|line| !line.contains("key"));
        lines
            .map(|line| line.split_once(' ').unwrap().1.trim().to_owned())
            .collect::<Vec<_>>()
            .join(", ")
    };
    let heard_by_default = heard("a,b,c,d\n,\"\",\"x\",\"\"\"\"\n", &Options::default());
    let cells = "untyped \"\", text \"\", untyped \"x\", untyped \"\\\"\"";
    assert_eq!(heard_by_default, format!("begin map, {cells}, end map"));
    let trimmed = Options { quote: Some(b'\''), trim: true, ..Options::default() };
    let cells = "untyped \"\", text \"\", untyped \"\\\"\\\"\"";
    assert_eq!(heard("a,b,c\n , '' ,\"\"", &trimmed), format!("begin map, {cells}, end map"));
    // NULL of databases is told as it stands, and the same text as a text.
    let escaped = Options { escape: Some(b'\\'), trim: true, ..Options::default() };
    let cells = r#"untyped "\\N", text "\\N", untyped "N", text "\\N", untyped "\\NN""#;
    let rows = "a,b,c,d,e\n \\N ,\\\\N,\"\\N\",\"\\\\N\",\\\\NN\n";
    assert_eq!(heard(rows, &escaped), format!("begin map, {cells}, end map"));
    let other = Options { escape: Some(b'^'), ..Options::default() };
    let cells = r#"untyped "n", untyped "N", untyped "\\N""#;
    assert_eq!(heard("a,b,c\n^n,^N,^\\N\n", &other), format!("begin map, {cells}, end map"));
}
