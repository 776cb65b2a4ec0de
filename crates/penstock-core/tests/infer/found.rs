//! Samples and their dialects.

use penstock_core::csv::Reader;
use penstock_core::csv::infer::{Inferred, SAMPLE, Undecided, infer, infer_repairing};
use penstock_core::event::{Key, Row, Scalar, Text};
use penstock_core::limits::Limits;
use penstock_core::protocol::{Flow, Hints, Judge, LookAhead, Sink, Wanted};
use penstock_core::repair::{RepairKind, Repairs};
use penstock_scan::ValidText;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use std::convert::Infallible;

fn whole(text: &str) -> Result<Inferred, Undecided> {
    infer(ValidText::from(text), true, None)
}

/// The dialect as Python writes it, or the byte and the reason why there is none.
fn shown(text: &str) -> String {
    match whole(text) {
        Ok(found) => found.dialect(),
        Err(error) => format!("{}: {}", error.at, error.reason),
    }
}

#[test]
fn delimiters() {
    for (text, dialect) in [
        ("a,b\n1,2\n", "Dialect()"),
        ("a;b\n1,5;2\n", "Dialect(';')"),
        ("a\tb\n1\t2\n", "Dialect('\\t')"),
        ("a|b\n1|2\n", "Dialect('|')"),
        ("a\x1fb\n1\x1f2\n", "Dialect('\\x1f')"),
        ("a||b\n1||2\nx||y\nz||w\n", "Dialect('||')"),
        ("a^b\n1^2\n3^4\n", "Dialect('^')"),
        ("a b c\n1 2.5 3\n4 5.5 6\n7 7.5 8\n", "Dialect(' ')"),
        ("a:b:c\n1:2.5:3\n14:5.5:6\n7:17.5:899\n1:1:1\n21:23:12\n", "Dialect(':')"),
    ] {
        assert_eq!(shown(text), dialect, "{text:?}");
    }
}

#[test]
fn one_column() {
    for text in [
        "name\nBern\nGent\n",
        "name\nJohn Smith\nJane Doe\n",
        "time\n12:30\n12:45\n",
        "1\n2\n",
        "x\n\"a,b\"\nc\n",
    ] {
        assert!(
            matches!(&shown(text)[..], "Dialect()" | "Dialect(header=None)"),
            "{text:?} {}",
            shown(text)
        );
        assert_eq!(whole(text).unwrap().columns.len(), 1, "{text:?}");
    }
}

#[test]
fn quotes_and_escapes() {
    for (text, dialect) in [
        ("a,b\n\"1,5\",2\n", "Dialect()"),
        ("a,b\n'1,5',2\n'x,''y',3\n'z',4\n", "Dialect(quote=\"'\")"),
        ("a,b\n\"x \\\"y\\\" z\",2\n", "Dialect(escape='\\\\')"),
        ("a,b\nx\\,y,2\n", "Dialect(escape='\\\\')"),
        ("a,b\n5\" pipe,2\n6\" pipe,3\n", "Dialect(quote=None)"),
        ("a, b\n1, \"x, y\"\n", "Dialect(trim=True)"),
        ("a, b\n1, 2\n3, 4\n", "Dialect(trim=True)"),
        ("a,b\n1, 2\n3,4\n", "Dialect()"),
    ] {
        assert_eq!(shown(text), dialect, "{text:?}");
    }
}

#[test]
fn lines_that_are_no_rows() {
    for (text, dialect) in [
        ("Report of 2020\n\na,b\n1,2\n3,4\n", "Dialect(skip_rows=2)"),
        ("Report of 2020\na,b,c\n1,2,3\n3,4,5\n", "Dialect(skip_rows=1)"),
        ("Report,,\na,b,c\n1,2,3\n3,4,5\n", "Dialect(skip_rows=1)"),
        ("# made today\na,b\n1,2\n# half\n3,4\n", "Dialect(comment='#')"),
        ("#a,b\n1,2\n3,4\n", "Dialect()"),
        ("\n\na,b\n1,2\n3,4\n", "Dialect()"),
    ] {
        assert_eq!(shown(text), dialect, "{text:?}");
    }
}

#[test]
fn headers() {
    for (text, dialect) in [
        ("1,2\n3,4\n", "Dialect(header=None)"),
        ("land,2019,2020\nCH,1,2\nBE,3,4\n", "Dialect()"),
        ("x,y\nx,z\n", "Dialect(header=None)"),
        ("a,b\nx,z\n", "Dialect()"),
        (",at,\nname,lat,day\nx,1,2020-01-31\ny,2,2020-02-28\n", "Dialect(header=2)"),
        ("name,lat,day\nx,1,\ny,?,2020-02-28\n", "Dialect()"),
        ("", "Dialect()"),
    ] {
        assert_eq!(shown(text), dialect, "{text:?}");
    }
}

#[test]
fn nothing_is_guessed() {
    let fails = |at: usize, dialect: &str, reason: &str| {
        format!("{at}: no dialect reads this as a table; {dialect} fails here: {reason}")
    };
    let differs =
        |cells, columns| format!("the row has {cells}, and the rows before it have {columns}");
    for (text, error) in [
        ("a,b,c\n1,2,3\n4,5\n6,7,8\n9,1,2\n", fails(12, "Dialect()", &differs("2 cells", 3))),
        ("a,b\n1,2,3\n4,5,6\n", fails(4, "Dialect()", &differs("3 cells", 2))),
        ("a,b,c\n1,2\n3,4\n", fails(6, "Dialect()", &differs("2 cells", 3))),
        ("1\n2,3\n4,5\n", fails(2, "Dialect()", &differs("2 cells", 1))),
        ("\"a\"b,c\n1,2\n", fails(3, "Dialect()", "text behind the closing quote of a cell")),
        ("a,\"b\n1,2\n", fails(2, "Dialect()", "a quote that is never closed")),
        ("a,b\n\0,2\n", fails(4, "Dialect()", "a NUL character")),
        ("x,y;z\n", "0: the dialect may be Dialect() or Dialect(';'): say which it is".to_owned()),
    ] {
        assert_eq!(shown(text), error, "{text:?}");
    }
}

#[test]
fn some_rows_may_need_a_repair() {
    let all = RepairKind::CSV.into_iter().fold(Repairs::default(), Repairs::with);
    let repaired = |text: &str| match infer_repairing(ValidText::from(text), true, None, all) {
        Ok(found) => found.dialect(),
        Err(error) => error.reason,
    };
    let rows = "1;x\n2;y\n3;z\n4;x\n";
    for bad in ["5\n", "5;y;z\n", "5;y;\n", "5;\"y\"z\n", "5;\0y\n"] {
        assert_eq!(repaired(&format!("n;s\n{rows}{bad}")), "Dialect(';')", "{bad:?}");
    }
    assert_eq!(repaired("n,s\n1,x,\n2,y,\n3,z,\n4,x,\n"), "Dialect()");
    // Too many, or too few others.
    for text in ["a,b\n1,2\n3\n4,5\n6\n7\n", "a\n1,2\n", "a,b,c\n1,2\n3,4\n5,6\n7,8\n"] {
        assert!(repaired(text).starts_with("no dialect reads this as a table"), "{text:?}");
    }
}

#[test]
fn the_last_row_of_a_sample_counts_for_nothing() {
    let text = "a,b\n1,2\n3,4\n5";
    assert!(infer(ValidText::from(text), true, None).is_err());
    let found = infer(ValidText::from(text), false, None).unwrap();
    assert_eq!((found.dialect(), found.rows), ("Dialect()".to_owned(), 2));
    // The same behind the end of a sample.
    let long = format!("a,b\n{}\"", "1,2\n".repeat(SAMPLE / 4));
    assert_eq!(infer(ValidText::from(&*long), true, None).unwrap().columns.len(), 2);
}

/// A type with an integer `n`, and perhaps a text `s`.
struct Numbered;

impl Judge for Numbered {
    fn columns(&self) -> Vec<Wanted> {
        let column = |name: &str, required| Wanted { names: vec![name.into()], required };
        vec![column("n", true), column("s", false)]
    }
    fn by_position(&self) -> bool {
        false
    }
    fn fits(&self, column: usize, cell: &str) -> bool {
        column == 1 || cell.parse::<i64>().is_ok()
    }
}

#[test]
fn the_type_decides() {
    let judged = |text: &str| match infer(ValidText::from(text), true, Some(&Numbered)) {
        Ok(found) => found.dialect(),
        Err(error) => error.reason,
    };
    // Two delimiters that are as likely: one of them gives the names.
    assert_eq!(judged("n,s;t\n1,2;3\n"), "Dialect()");
    assert_eq!(judged("t;n;u,v\n1;2;3,4\n"), "Dialect(';')");
    // Lines before the table that could be rows of it.
    assert_eq!(judged("a,b\nx,y\nn,s\n1,z\n"), "Dialect(skip_rows=2)");
    assert_eq!(judged("x\nn\n7\n"), "Dialect(skip_rows=1)");
    // A line that is a row, unless its cells are to be numbers.
    assert_eq!(judged("n,s\n1,a\n#2,b\n3,c\n"), "Dialect(comment='#')");
    // A type that knows nothing of the table decides nothing.
    assert_eq!(judged("a;b\n1;2\n"), "Dialect(';')");
}

#[test]
fn hostile_samples() {
    for byte in ["\"", ",", "\0", "'", "\\", " ", ";", "\n", "\r", "\x1e", "#", "a", "\",\n'|\\ ;"]
    {
        let text = byte.repeat(2 * SAMPLE / byte.len());
        let _ = infer(ValidText::from(&*text), true, None);
        let _ = infer(ValidText::from(&*text), false, Some(&Numbered));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(7), ..ProptestConfig::default() })]

    /// Whatever is found reads the text without a fault, and no text is too odd.
    #[test]
    fn what_is_found_reads_the_text(text in "[ab1\"',; |\\\\#\r\n\x1e]{0,60}") {
        let Ok(found) = whole(&text) else { return Ok(()) };
        let mut reader = Reader::new(&found.options, &Limits::default()).unwrap();
        let mut rows = Rows::default();
        prop_assert!(reader.run(ValidText::from(&*text), true, &mut rows).is_ok());
        prop_assert_eq!(rows.0, found.rows as u64, "{}", found.dialect());
    }
}

/// Counts rows.
#[derive(Default)]
struct Rows(u64);

impl Sink for Rows {
    type Error = Infallible;
    fn begin_map(&mut self, _at: u64) -> Result<Flow, Infallible> {
        unreachable!()
    }
    fn end_map(&mut self, _at: u64) -> Result<Flow, Infallible> {
        unreachable!()
    }
    fn begin_list(&mut self, _at: u64) -> Result<Flow, Infallible> {
        unreachable!()
    }
    fn end_list(&mut self, _at: u64) -> Result<Flow, Infallible> {
        unreachable!()
    }
    fn name(&mut self, _key: Key<'_>, _at: u64) -> Result<Flow, Infallible> {
        unreachable!()
    }
    fn scalar(&mut self, _value: Scalar<'_>, _at: u64) -> Result<Flow, Infallible> {
        unreachable!()
    }
    fn piece(&mut self, _text: Text<'_>, _at: u64) -> Result<Flow, Infallible> {
        unreachable!()
    }
    fn abandon(&mut self) {}
}
impl Hints for Rows {}
impl LookAhead for Rows {
    fn row(&mut self, row: &mut Row<'_>) -> Result<Flow, Infallible> {
        row.take();
        self.0 += 1;
        Ok(Flow::Take)
    }
}
