//! Reads CSV as a run does, in pieces.

use crate::naive::Table;
use penstock_core::csv::{Options, Reader};
use penstock_core::error::Fail;
use penstock_core::event::{self, Key, KnownKeys, Row, RowCell, Scalar, Text};
use penstock_core::limits::Limits;
use penstock_core::protocol::{
    Destination, Flow, FormatReader, Hints, InputView, LookAhead, Refused, RowsAs, Sink, Step, Want,
};
use penstock_core::run::{Failure, Policy, Run, Turn, Windows};
use penstock_core::source::Detect;
use std::convert::Infallible;

/// Keeps all rows.
#[derive(Debug, Default)]
pub(crate) struct Rows {
    names: Option<Vec<String>>,
    /// The offset of each row, to put faults in their places.
    pub(crate) rows: Vec<(u64, Vec<String>)>,
    /// Whether each row is followed by a pause.
    pauses: bool,
    /// Whether no cell is wanted.
    passes: bool,
    /// If rows are taken several at a time: so many at most.
    many: Option<usize>,
}

impl Rows {
    /// With a pause behind each row.
    pub(crate) fn pausing() -> Self {
        Rows { pauses: true, ..Rows::default() }
    }
}

fn owned(text: &Text<'_>) -> String {
    if text.ascii {
        assert!(text.bytes().is_ascii(), "the text is not ASCII: {:?}", text.text);
    }
    text.text.as_str().to_owned()
}

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
    fn known_keys(
        &mut self,
        known: &KnownKeys<'_>,
        wanted: &mut [Option<Want>],
    ) -> Result<RowsAs, Infallible> {
        if self.passes {
            wanted.fill(None);
        }
        self.names = Some(known.keys.iter().map(|key| key.name.text.as_str().to_owned()).collect());
        Ok(RowsAs::Maps)
    }
    fn row(&mut self, row: &mut Row<'_>) -> Result<Flow, Infallible> {
        assert!(row.is_new());
        row.take();
        if self.passes {
            assert!(row.cells.iter().all(Option::is_none));
            self.rows.push((row.at, Vec::new()));
            return Ok(if self.pauses { Flow::Pause } else { Flow::Take });
        }
        let cells = row.cells.iter().map(|cell| match cell.unwrap().value {
            Scalar::Untyped(text) => owned(&text),
            // A quoted cell without text.
            Scalar::Text(text) if text.bytes().is_empty() || text.bytes() == b"\\N" => owned(&text),
            other => unreachable!("{other:?}"),
        });
        self.rows.push((row.at, cells.collect()));
        Ok(if self.pauses { Flow::Pause } else { Flow::Take })
    }
    fn takes_rows(&self) -> bool {
        self.many.is_some()
    }
    fn rows(&mut self, rows: &event::Rows<'_>) -> Result<(usize, Flow), Infallible> {
        assert!(rows.count() > 0);
        let most = self.many.unwrap_or(0).min(rows.count());
        let width = self.names.as_ref().unwrap().len();
        let mut taken = 0;
        for row in 0..most {
            let cells: Option<Vec<_>> = (0..width)
                .map(|place| match rows.cell(row, place).unwrap() {
                    RowCell::Untyped(text) => Some(text.as_str().to_owned()),
                    RowCell::Empty => Some(String::new()),
                    RowCell::Doubled(text) => {
                        Some(rows.undoubled(text, &mut String::new()).to_owned())
                    }
                })
                .collect();
            let Some(cells) = cells else { break };
            self.rows.push((rows.at() + rows.size(row) as u64, cells));
            taken += 1;
        }
        for place in 0..width {
            assert_eq!(rows.column(place, 0).count(), rows.count());
        }
        let pauses = self.pauses && taken > 0;
        Ok((taken, if pauses { Flow::Pause } else { Flow::Take }))
    }
}

impl Destination for Rows {
    type Error = Infallible;
    type Cause = Infallible;
    type Break = Infallible;
    fn read_from<R: FormatReader>(
        &mut self,
        reader: &mut R,
        given: InputView<'_>,
    ) -> Result<Step, Fail<Infallible>> {
        reader.run(given, self)
    }
    fn refused(
        &mut self,
        never: Infallible,
        _given: InputView<'_>,
    ) -> Refused<Infallible, Infallible> {
        match never {}
    }
    fn abandon_record(&mut self) {}
}

/// The table of a source, in pieces of the given size.
pub(crate) fn read(
    source: &[u8],
    options: &Options,
    limits: &Limits,
    piece: usize,
    pauses: bool,
) -> Table {
    read_into(Rows { pauses, ..Rows::default() }, source, options, limits, piece)
}

/// The same, with rows that are taken several at a time.
pub(crate) fn read_many(
    source: &[u8],
    options: &Options,
    piece: usize,
    pauses: bool,
    most: usize,
) -> Table {
    let to = Rows { pauses, many: Some(most), ..Rows::default() };
    read_into(to, source, options, &Limits::default(), piece)
}

/// The same, with rows of no cells, because none is wanted.
pub(crate) fn passed(source: &[u8], options: &Options, piece: usize, pauses: bool) -> Table {
    let to = Rows { pauses, passes: true, ..Rows::default() };
    read_into(to, source, options, &Limits::default(), piece)
}

fn read_into(
    mut to: Rows,
    source: &[u8],
    options: &Options,
    limits: &Limits,
    piece: usize,
) -> Table {
    let input = Windows::pushed(Detect::Nothing, None, None);
    let reader = Reader::new(options, limits).unwrap();
    let mut run = Run::new(reader, input, Policy::Hand);
    let mut pieces = source.chunks(piece);
    let mut table = Table::default();
    let (mut taken, mut turns) = (0, 0);
    loop {
        turns += 1;
        assert!(turns < 20 * (source.len() + 2), "no progress");
        let turn = match run.advance(&mut to) {
            Ok(turn) => turn,
            Err(failure) => {
                let Failure::One(problem) = *failure else { panic!("{failure:?}") };
                assert!(to.names.is_none() && problem.spot.record.is_none());
                let offset = usize::try_from(problem.offset).unwrap();
                table.rows.push(Err((offset, problem.reason)));
                return table;
            }
        };
        table.rows.extend(to.rows[taken..].iter().map(|(_, row)| Ok(row.clone())));
        taken = to.rows.len();
        match turn {
            Turn::Dry => match pieces.next() {
                Some(piece) => run.push(&mut to, piece).unwrap(),
                None => run.push_end(&mut to).unwrap(),
            },
            Turn::Paused => {}
            Turn::Problem(problem) => {
                let place = problem.spot.place.unwrap();
                let offset = usize::try_from(place.offset).unwrap();
                table.rows.push(Err((offset, problem.reason)));
            }
            Turn::End => break,
        }
    }
    table.names = to.names;
    table
}
