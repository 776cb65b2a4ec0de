//! Rows of CSV are counted: every cell is found, and every row has as many as the header.

use std::convert::Infallible;
use std::fs;
use std::path::{Path, PathBuf};

use penstock_core::csv::{Options, Reader};
use penstock_core::event::{Key, KnownKeys, Row as CsvRow, Scalar, Text};
use penstock_core::limits::Limits;
use penstock_core::protocol::{Discard, Flow, Hints, LookAhead, RowsAs, Sink, Want};
use penstock_scan::{Rest, ValidText};

use crate::rounds::{Row, Table};

/// How many bytes of a table are counted.
const MOST: usize = 60_000_000;
/// How much text Penstock gets at once, and how large the other buffers are.
const WINDOW: usize = 1 << 16;

pub fn cities() -> Table {
    counted("rows of cities, few quotes; per row", &table("cities", 120))
}

pub fn stops() -> Table {
    counted("stop times, no quotes; per row", &table("stops", 60))
}

pub fn links() -> Table {
    counted("links, some quotes; per row", &table("links", 60))
}

pub fn quotes() -> Table {
    counted("cells of nothing but quotes; per row", &table("quotes", 60))
}

/// A table that the benchmark of Python has made, without a row that is cut off; or one row of it
/// again and again.
fn table(name: &str, megabytes: usize) -> Vec<u8> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).map(PathBuf::from);
    let path = root.unwrap_or_default().join(format!(".cache/bench/table-{name}-{megabytes}.csv"));
    let Ok(mut text) = fs::read(&path) else {
        eprintln!("{} is made by bench/run.py: one row is repeated instead", path.display());
        return repeated(name);
    };
    let most = text.len().min(MOST);
    let whole = text[..most].iter().rposition(|byte| *byte == b'\n').map_or(most, |at| at + 1);
    text.truncate(whole);
    text
}

fn repeated(name: &str) -> Vec<u8> {
    let (header, row): (&str, &str) = match name {
        "cities" => ("id,name,x,y,c,n,t,a\n", "3039154,El Tarter,42.57952,1.65362,AD,1052,,02\n"),
        "stops" => ("a,b,c,d,e,f,g,h,i\n", "34761785,05:39:31,05:39:31,77998,16,,0,0,1182.6\n"),
        "links" => ("a,b,c\n", "1,http://www.example.org/some/page,\"9,508,234\"\n"),
        _ => ("a,b,c,d\n", "\"\"\"\",\"\"\"\"\"\",\"\"\"\"\"\"\"\",\"\"\"\"\"\"\"\"\"\"\n"),
    };
    let mut text = header.as_bytes().to_vec();
    text.extend(std::iter::repeat_n(row.as_bytes(), MOST / row.len()).flatten());
    text
}

fn counted(title: &'static str, text: &[u8]) -> Table {
    let rows = penstock(text);
    assert_eq!(rows, simd(text));
    assert_eq!(rows, simd_in_place(text));
    assert_eq!(rows, simd_split(text));
    assert_eq!(rows, csv(text));
    Row::new(title)
        .case("penstock", rows, || penstock(text))
        .case("simd-csv", rows, || simd(text))
        .case("simd-csv, in place", rows, || simd_in_place(text))
        .case("simd-csv, rows only", rows, || simd_split(text))
        .case("csv", rows, || csv(text))
        .bar(0.8, "simd-csv")
        .bar(3.0, "csv")
        .measured()
}

/// Checks that it is text, too, window by window.
fn penstock(bytes: &[u8]) -> usize {
    let mut reader = Reader::new(&Options::default(), &Limits::default()).expect("a dialect");
    let mut rows = Rows(0);
    let mut start = 0;
    loop {
        let end = bytes.len().min(start + WINDOW);
        let checked = ValidText::check(&bytes[start..end]);
        assert!(!matches!(checked.rest, Rest::Invalid { .. }), "no text");
        let last = end == bytes.len();
        reader.run(checked.text, last, &mut rows).expect("rows");
        if last {
            return rows.0;
        }
        let consumed = reader.consumed();
        reader.drop_front(consumed);
        start += consumed;
    }
}

/// Splits rows into cells, resolves the quotes, and counts the cells.
fn simd(bytes: &[u8]) -> usize {
    let mut reader = simd_csv::ReaderBuilder::new().buffer_capacity(WINDOW).from_reader(bytes);
    let mut record = simd_csv::ByteRecord::new();
    let mut rows = 0;
    while reader.read_byte_record(&mut record).expect("rows") {
        rows += 1;
    }
    rows
}

/// The same without copying the cells: the quotes stay.
fn simd_in_place(bytes: &[u8]) -> usize {
    let mut reader =
        simd_csv::ZeroCopyReaderBuilder::new().buffer_capacity(WINDOW).from_reader(bytes);
    let mut rows = 0;
    while reader.read_byte_record().expect("rows").is_some() {
        rows += 1;
    }
    rows
}

/// Finds only where rows end, and checks nothing.
fn simd_split(bytes: &[u8]) -> usize {
    let mut splitter = simd_csv::SplitterBuilder::new().buffer_capacity(WINDOW).from_reader(bytes);
    usize::try_from(splitter.count_records().expect("rows")).expect("few rows")
}

/// Splits rows into cells, resolves the quotes, and counts the cells.
fn csv(bytes: &[u8]) -> usize {
    let mut reader = csv::ReaderBuilder::new().buffer_capacity(WINDOW).from_reader(bytes);
    let mut record = csv::ByteRecord::new();
    let mut rows = 0;
    while reader.read_byte_record(&mut record).expect("rows") {
        rows += 1;
    }
    rows
}

/// Counts rows, and wants none of their cells.
struct Rows(usize);

impl Hints for Rows {}

impl LookAhead for Rows {
    fn known_keys(
        &mut self,
        _: &KnownKeys<'_>,
        wanted: &mut [Option<Want>],
    ) -> Result<RowsAs, Infallible> {
        wanted.fill(None);
        Ok(RowsAs::Maps)
    }

    fn row(&mut self, row: &mut CsvRow<'_>) -> Result<Flow, Infallible> {
        self.0 += 1;
        row.take();
        Ok(Flow::Skip)
    }
}

impl Sink for Rows {
    type Error = Infallible;
    fn begin_map(&mut self, at: u64) -> Result<Flow, Infallible> {
        Discard.begin_map(at)
    }
    fn end_map(&mut self, at: u64) -> Result<Flow, Infallible> {
        Discard.end_map(at)
    }
    fn begin_list(&mut self, at: u64) -> Result<Flow, Infallible> {
        Discard.begin_list(at)
    }
    fn end_list(&mut self, at: u64) -> Result<Flow, Infallible> {
        Discard.end_list(at)
    }
    fn name(&mut self, key: Key<'_>, at: u64) -> Result<Flow, Infallible> {
        Discard.name(key, at)
    }
    fn scalar(&mut self, value: Scalar<'_>, at: u64) -> Result<Flow, Infallible> {
        Discard.scalar(value, at)
    }
    fn piece(&mut self, text: Text<'_>, at: u64) -> Result<Flow, Infallible> {
        Discard.piece(text, at)
    }
    fn abandon(&mut self) {}
}
