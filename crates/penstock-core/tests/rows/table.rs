//! A sink that takes rows: a table of some columns.

use penstock_core::error::Fail;
use penstock_core::event::{Key, KnownKeys, Row, Scalar, Text};
use penstock_core::protocol::{
    Destination, Flow, FormatReader, Hints, InputView, LookAhead, Misfit, Refused, RowsAs, Sink,
    Step, Want, expand,
};
use std::convert::Infallible;

/// A record: its wanted columns, with their values as text.
pub(crate) type Record = Vec<(String, String)>;

/// The number that it refuses.
pub(crate) const REFUSED: &str = "13";

/// Keeps the wanted columns of each map at the root, and pauses after each map.
pub(crate) struct Table {
    wanted: Vec<String>,
    records: Vec<Record>,
    record: Record,
    /// The current column, and whether its list is open.
    column: String,
    in_list: bool,
    /// For each key of the current shape, whether it is a wanted column.
    shape: Vec<bool>,
    rows: usize,
}

impl Table {
    pub(crate) fn new(wanted: &[&str]) -> Self {
        Table {
            wanted: wanted.iter().map(|&name| name.to_owned()).collect(),
            records: Vec::new(),
            record: Record::new(),
            column: String::new(),
            in_list: false,
            shape: Vec::new(),
            rows: 0,
        }
    }
    pub(crate) fn records(&self) -> &[Record] {
        &self.records
    }
    /// How many rows came as rows.
    pub(crate) fn rows_taken(&self) -> usize {
        self.rows
    }

    fn wants(&self, name: &str) -> bool {
        self.wanted.iter().any(|wanted| wanted == name)
    }
    fn put(&mut self, name: String, value: Scalar<'_>, at: u64) -> Result<(), u64> {
        let value = match value {
            Scalar::Number(digits) => String::from_utf8_lossy(digits).into_owned(),
            Scalar::Untyped(text) | Scalar::Text(text) => text.text.as_str().to_owned(),
            other => panic!("{other:?}"),
        };
        if value == REFUSED {
            return Err(at);
        }
        self.record.push((name, value));
        Ok(())
    }
    fn end(&mut self) -> Flow {
        self.records.push(std::mem::take(&mut self.record));
        Flow::Pause
    }
}

impl Sink for Table {
    /// The offset of the refused number.
    type Error = u64;

    fn begin_map(&mut self, _at: u64) -> Result<Flow, u64> {
        Ok(Flow::Take)
    }
    fn end_map(&mut self, _at: u64) -> Result<Flow, u64> {
        Ok(self.end())
    }
    fn begin_list(&mut self, _at: u64) -> Result<Flow, u64> {
        self.in_list = true;
        Ok(Flow::Take)
    }
    fn end_list(&mut self, _at: u64) -> Result<Flow, u64> {
        self.in_list = false;
        Ok(Flow::Take)
    }
    fn name(&mut self, key: Key<'_>, _at: u64) -> Result<Flow, u64> {
        self.column = key.name.text.as_str().to_owned();
        Ok(if self.wants(&self.column) { Flow::Take } else { Flow::Skip })
    }
    fn scalar(&mut self, value: Scalar<'_>, at: u64) -> Result<Flow, u64> {
        let list = if self.in_list { "[]" } else { "" };
        self.put(format!("{}{list}", self.column), value, at)?;
        Ok(Flow::Take)
    }
    fn piece(&mut self, text: Text<'_>, _at: u64) -> Result<Flow, u64> {
        panic!("{text:?}")
    }
    fn abandon(&mut self) {
        self.record.clear();
        self.in_list = false;
    }
}

impl Hints for Table {}

impl LookAhead for Table {
    fn known_keys(
        &mut self,
        known: &KnownKeys<'_>,
        wanted: &mut [Option<Want>],
    ) -> Result<RowsAs, u64> {
        self.shape = known.keys.iter().map(|key| self.wants(key.name.text.as_str())).collect();
        for (wanted, is_wanted) in wanted.iter_mut().zip(&self.shape) {
            *wanted = is_wanted.then_some(Want::Digits);
        }
        Ok(RowsAs::Maps)
    }
    fn row(&mut self, row: &mut Row<'_>) -> Result<Flow, u64> {
        if !row.is_new() {
            return expand(self, row);
        }
        self.rows += 1;
        row.take();
        let keys = (0..row.keys.len()).filter_map(|place| row.keys.get(place));
        for ((key, cell), wanted) in keys.zip(row.cells).zip(self.shape.clone()) {
            let Some(cell) = cell else { continue };
            assert!(wanted, "the value of an unwanted column");
            self.put(key.name.text.as_str().to_owned(), cell.value, cell.at)?;
        }
        Ok(if row.end.is_some() { self.end() } else { Flow::Take })
    }
}

impl Destination for Table {
    type Error = u64;
    type Cause = Infallible;
    type Break = Infallible;

    fn read_from<R: FormatReader>(
        &mut self,
        reader: &mut R,
        given: InputView<'_>,
    ) -> Result<Step, Fail<u64>> {
        reader.run(given, self)
    }
    fn refused(&mut self, at: u64, _given: InputView<'_>) -> Refused<Infallible, Infallible> {
        Refused::Misfit(Misfit::new(at, format!("{REFUSED} is refused"), Vec::new()))
    }
    fn abandon_record(&mut self) {
        self.abandon();
    }
}
