//! Rows of CSV, from bytes to a sink.

use super::reading::CsvReader;
use super::seeking::{Plain, Seeker};
use super::table::Table;
use penstock_core::error::Kind;
use penstock_core::protocol::{Destination, Trace};
use penstock_core::run::{InMemory, Origin, Policy, RecordScope, Run, Turn, Windows};
use penstock_core::select::{Path, Records};
use penstock_core::source::Detect;
use penstock_core::stage::Replay;
use proptest::prelude::*;
use std::fmt::Debug;

/// Runs a text through the reader, in pieces of this many bytes. Pauses change nothing. Refused
/// rows and text that is not CSV are recorded and skipped.
fn read<D: Destination<Break: Debug, Cause: Debug>>(
    text: &str,
    piece: usize,
    to: &mut D,
) -> Vec<String> {
    let input = Windows::pushed(Detect::Nothing, None, None);
    let mut run = Run::new(CsvReader::default(), input, Policy::Hand);
    let mut problems = Vec::new();
    let mut pieces = text.as_bytes().chunks(piece);
    loop {
        match run.advance(to).unwrap() {
            Turn::Dry => match pieces.next() {
                Some(piece) => run.push(to, piece).unwrap(),
                None => run.push_end(to).unwrap(),
            },
            Turn::Paused => {}
            Turn::Problem(problem) => {
                let place = problem.spot.place.unwrap();
                let (record, line) = (problem.spot.record.unwrap(), place.line);
                problems.push(format!("{record}, line {line}: {}", problem.reason));
            }
            Turn::End => return problems,
        }
    }
}

#[test]
fn the_row_of_the_listing() {
    let (row, events) = (include_str!("../events/row.csv"), include_str!("../events/row.txt"));
    for piece in 1..=row.len() {
        let mut trace = Trace::new();
        assert_eq!(read(row, piece, &mut trace), [""; 0]);
        assert_eq!(trace.text(), events);
    }
}

/// Quotes, line feeds inside them, both kinds of line ends, rows that are too short or too long, a
/// row that is refused, and a last line without an end.
const ROWS: &str = "id,name,note\r\n\
    1,\"a \"\"b\"\"\n,c\",x\r\n\
    2\n\
    3,d,e,f\n\
    4,g\"h,i\n\
    13,j,k\n\
    5,\"é\",\"\"";

#[test]
fn rows_of_all_kinds() {
    for piece in 1..=ROWS.len() {
        let mut table = Table::new(&["note", "id"]);
        let problems = read(ROWS, piece, &mut table);
        let expected = [
            "3, line 5: a row of 4 fields, not 3",
            "4, line 6: a quote in a field that does not begin with one",
            "5, line 7: 13 is refused",
        ];
        assert_eq!(problems, expected);
        let record = |parts: &[(&str, &str)]| -> Vec<(String, String)> {
            parts.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect()
        };
        let records = [
            record(&[("id", "1"), ("note", "x")]),
            record(&[("id", "2")]),
            record(&[("id", "5"), ("note", "")]),
        ];
        assert_eq!(table.records(), records);
    }
}

/// A filter that selects one column of each row gets the events of rows.
#[test]
fn one_column() {
    let records = Records::at(&Path::parse("name").unwrap()).unwrap();
    let mut select = RecordScope::new(Trace::new(), Some(records));
    assert_eq!(read("id,name\n1,a\n2,\n3,b", 100, &mut select), [""; 0]);
    assert_eq!(
        select.inner().text(),
        "  10 untyped \"a\"\n  14 untyped \"\"\n  17 untyped \"b\"\n"
    );
    assert_eq!(select.inner_records(), Some((3, false, false)));
}

/// A table as CSV by the standard: one row after the other, quoted where necessary.
fn written(rows: &[Vec<String>]) -> String {
    let field = |field: &String| match field.contains(['"', ',', '\n', '\r']) {
        true => format!("\"{}\"", field.replace('"', "\"\"")),
        false => field.clone(),
    };
    let line = |row: &Vec<String>| row.iter().map(field).collect::<Vec<_>>().join(",") + "\r\n";
    rows.iter().map(line).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// The table is read back in pieces of any size, by a sink that takes rows and behind a filter.
    #[test]
    fn what_is_written_is_read(
        rows in prop::collection::vec(prop::collection::vec("[ab\",\n\ré]{0,5}", 3), 0..6),
        piece in 1..40_usize,
        filtered in any::<bool>(),
    ) {
        let header = ["id", "name", "note"].map(str::to_owned).to_vec();
        let text = written(&[vec![header.clone()], rows.clone()].concat());
        let records = filtered.then(Records::by_default);
        let mut table = RecordScope::new(Table::new(&["id", "note"]), records);
        let problems = read(&text, piece, &mut table);
        prop_assert!(problems.is_empty(), "{:?}", problems);
        let expected: Vec<Vec<_>> = rows
            .iter()
            .map(|row| vec![("id".to_owned(), row[0].clone()), ("note".to_owned(), row[2].clone())])
            .collect();
        prop_assert_eq!(table.inner().records(), expected);
    }
}

/// A sink looks ahead behind a reader that cannot: in a row of known keys, and in the events behind the stage. A map
/// that exceeds the limit is refused.
#[test]
fn looking_ahead_in_rows() {
    let text = "id,t,note\n1,a,x\n2,b,y\n3,,z\n";
    let mut seeker = RecordScope::new(Seeker::default(), None);
    assert_eq!(read(text, 7, &mut seeker), [""; 0]);
    let heard = seeker.inner().heard.clone();
    assert_eq!(heard, "{id? t?=a id 1 t a note x }{id? t?=b }{id? t?= note? end? id 3 t  note z }");
    for limit in [0, 1 << 20] {
        let mut stage = RecordScope::new(Replay::new(Seeker::default(), limit), None);
        let mut run = Run::new(
            Plain(CsvReader::default()),
            InMemory::new(text.as_bytes(), Origin::default()),
            Policy::Hand,
        );
        let mut problems = Vec::new();
        loop {
            match run.advance(&mut stage).unwrap() {
                Turn::Dry => run.input_mut().more(usize::MAX),
                Turn::Paused => {}
                Turn::Problem(problem) => {
                    assert_eq!(problem.kind, Kind::Limit);
                    problems.push(problem.spot.place.unwrap().line);
                }
                Turn::End => break,
            }
        }
        let RecordScope::Root(stage) = stage else { unreachable!("no records were asked for") };
        if limit == 0 {
            assert_eq!(problems, [2, 3, 4]);
        } else {
            assert_eq!(stage.inner().heard, heard);
            assert_eq!(problems, [0_u64; 0]);
        }
    }
}
