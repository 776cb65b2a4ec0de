//! Rows as the events of records for any destination, which may look ahead, skip, pause and stop.

use super::check::{Formless, Takes, check};
use super::paths::{Arranged, Paths};
use super::times::Found;
use super::values::{Told, Values};
use arrow_array::{Array, ArrayRef};
use arrow_schema::FieldRef;
use penstock_core::error::{Fail, Fault};
use penstock_core::event::{Scalar, Text};
use penstock_core::protocol::erased::Refused;
use penstock_core::protocol::{AnySink, Flow, RecordFeed, Sink, Step};
use penstock_core::stage::{Replay, ReplayError};
use penstock_core::writer::Unwritable;
use penstock_scan::ValidText;
use std::sync::{Arc, Mutex, PoisonError};

/// A place for the next array, between whoever brings it and whoever tells it.
#[derive(Clone, Debug, Default)]
pub struct Slot(Arc<Mutex<Option<ArrayRef>>>);

impl Slot {
    /// Puts an array there.
    pub fn put(&self, array: ArrayRef) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(array);
    }

    fn take(&self) -> Option<ArrayRef> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// RecordFeed the rows of the arrays in a slot.
#[derive(Debug)]
pub struct Records {
    field: FieldRef,
    slot: Slot,
    /// How many bytes may be held back to look ahead.
    lookahead: usize,
    paths: Paths,
    /// The rows at hand, and how many there are.
    told: Option<(Told, usize)>,
    row: usize,
    scratch: Vec<u8>,
}

impl Records {
    /// The rows of arrays of this type. `paths` says where columns lead.
    ///
    /// # Errors
    /// There are no events for a type.
    pub fn new(
        field: FieldRef,
        slot: Slot,
        lookahead: usize,
        paths: Paths,
    ) -> Result<Self, Formless> {
        check(&field, Takes { elements: false, rows: false, nulls: true })?;
        Ok(Records { field, slot, lookahead, paths, told: None, row: 0, scratch: Vec::new() })
    }
}

impl RecordFeed for Records {
    fn tell(&mut self, last: bool, sink: &mut AnySink<'_>) -> Result<Step, Fail<Refused>> {
        loop {
            let count = self.told.as_ref().map_or(0, |(_, count)| *count);
            if self.row >= count {
                self.told = None;
                self.row = 0;
                let Some(array) = self.slot.take() else {
                    return Ok(if last { Step::Done } else { Step::More });
                };
                let Some(told) = Told::new(&array, &self.field, false) else {
                    let reason = "an array of another type than its schema says";
                    return Err(Fail::Input(Fault::malformed(0, reason)));
                };
                self.told = Some((told, array.len()));
                continue;
            }
            let Some((told, _)) = &self.told else { continue };
            let row = self.row;
            // After an error, the next record follows.
            self.row += 1;
            let mut to = To {
                sink: Replay::new(sink, self.lookahead),
                pauses: false,
                scratch: &mut self.scratch,
            };
            let done = to.value(told, Some(&self.paths), row);
            let pauses = to.pauses;
            match done {
                Ok(Flow::Stop) => return Ok(Step::Stopped),
                Ok(_) if pauses => return Ok(Step::Paused),
                Ok(_) => {}
                Err(Ended::Refused(ReplayError::Sink(refused))) => return Err(Fail::Sink(refused)),
                Err(Ended::Refused(ReplayError::TooFar { limit, .. })) => {
                    let reason = format!(
                        "the key that gives the class comes after more than {limit} bytes of \
                         others (limits.lookahead)"
                    );
                    return Err(Fail::Input(Fault::limit(0, reason)));
                }
                Err(Ended::Formless(reason)) => {
                    let reason = penstock_scan::copied(reason.reason());
                    return Err(Fail::Input(Fault::malformed(0, reason)));
                }
            }
        }
    }
}

/// Why a record ends before its end.
enum Ended {
    Refused(ReplayError<Refused>),
    Formless(Unwritable),
}

impl From<ReplayError<Refused>> for Ended {
    fn from(refused: ReplayError<Refused>) -> Self {
        Ended::Refused(refused)
    }
}

impl From<Unwritable> for Ended {
    fn from(reason: Unwritable) -> Self {
        Ended::Formless(reason)
    }
}

type Went = Result<Flow, Ended>;

/// Where a record goes.
struct To<'t, 's, 'x> {
    sink: Replay<&'t mut AnySink<'s>>,
    /// Whether the sink has asked for a pause, which there is behind the record.
    pauses: bool,
    scratch: &'x mut Vec<u8>,
}

fn text_of(text: &str) -> Text<'_> {
    Text { text: ValidText::from(text), ascii: false }
}

impl To<'_, '_, '_> {
    /// Notes a pause.
    #[inline(always)]
    fn noted(&mut self, flow: Flow) -> Flow {
        self.pauses |= flow == Flow::Pause;
        flow
    }

    fn key(&mut self, name: &str) -> Went {
        let flow = self.sink.key(text_of(name), 0)?;
        Ok(self.noted(flow))
    }

    /// RecordFeed the value of a row.
    fn value(&mut self, told: &Told, paths: Option<&Paths>, row: usize) -> Went {
        let flow = if told.is_null(row) {
            self.sink.null(0)?
        } else {
            match &told.values {
                Values::Keyed(keys, values) => {
                    return self.value(values, paths, keys.get(row) as usize);
                }
                Values::Runs(runs, values) => return self.value(values, paths, runs.get(row)),
                Values::Struct(columns) => return self.object(columns, paths, row),
                Values::Map(ends, keys, values) => {
                    let range = ends[row] as usize..ends[row + 1] as usize;
                    return self.map(range, keys, values, paths);
                }
                Values::List(..)
                | Values::LargeList(..)
                | Values::ListView(..)
                | Values::LargeListView(..)
                | Values::FixedList(..) => {
                    let Some((range, item)) = told.items(row) else { return Ok(Flow::Take) };
                    let flow = self.sink.begin_list(0)?;
                    match self.noted(flow) {
                        Flow::Skip => return Ok(Flow::Take),
                        Flow::Stop => return Ok(Flow::Stop),
                        _ => {}
                    }
                    let paths = paths.and_then(Paths::item);
                    for place in range {
                        if self.value(item, paths, place)? == Flow::Stop {
                            return Ok(Flow::Stop);
                        }
                    }
                    self.sink.end_list(0)?
                }
                _ => self.scalar(told, row)?,
            }
        };
        Ok(self.noted(flow))
    }

    fn object(&mut self, columns: &[Told], paths: Option<&Paths>, row: usize) -> Went {
        let flow = self.sink.begin_map(0)?;
        match self.noted(flow) {
            Flow::Skip => return Ok(Flow::Take),
            Flow::Stop => return Ok(Flow::Stop),
            _ => {}
        }
        match paths.and_then(Paths::arranged) {
            Some(arranged) => {
                if self.arranged(columns, arranged, paths, row)? == Flow::Stop {
                    return Ok(Flow::Stop);
                }
            }
            None => {
                for column in columns {
                    if self.member(&column.name, column, paths, row)? == Flow::Stop {
                        return Ok(Flow::Stop);
                    }
                }
            }
        }
        let flow = self.sink.end_map(0)?;
        Ok(self.noted(flow))
    }

    fn member(&mut self, key: &str, column: &Told, paths: Option<&Paths>, row: usize) -> Went {
        match self.key(key)? {
            Flow::Skip => Ok(Flow::Take),
            Flow::Stop => Ok(Flow::Stop),
            _ => self.value(column, paths.and_then(|paths| paths.member(&column.name)), row),
        }
    }

    /// Columns at the places where the class looks for them.
    fn arranged(
        &mut self,
        columns: &[Told],
        arranged: &[Arranged],
        paths: Option<&Paths>,
        row: usize,
    ) -> Went {
        for one in arranged {
            let flow = match one {
                Arranged::Column(key, place) => match columns.get(*place) {
                    Some(column) => self.member(key, column, paths, row)?,
                    None => Flow::Take,
                },
                Arranged::Within(key, inner) => match self.key(key)? {
                    Flow::Skip => Flow::Take,
                    Flow::Stop => Flow::Stop,
                    _ => {
                        let flow = self.sink.begin_map(0)?;
                        match self.noted(flow) {
                            Flow::Skip => Flow::Take,
                            Flow::Stop => Flow::Stop,
                            _ => match self.arranged(columns, inner, paths, row)? {
                                Flow::Stop => Flow::Stop,
                                _ => {
                                    let flow = self.sink.end_map(0)?;
                                    self.noted(flow)
                                }
                            },
                        }
                    }
                },
            };
            if flow == Flow::Stop {
                return Ok(Flow::Stop);
            }
        }
        Ok(Flow::Take)
    }

    fn map(
        &mut self,
        range: std::ops::Range<usize>,
        keys: &Told,
        values: &Told,
        paths: Option<&Paths>,
    ) -> Went {
        let flow = self.sink.begin_map(0)?;
        match self.noted(flow) {
            Flow::Skip => return Ok(Flow::Take),
            Flow::Stop => return Ok(Flow::Stop),
            _ => {}
        }
        let paths = paths.and_then(Paths::item);
        for place in range {
            let mut digits = Vec::new();
            let key = keys.key(place, &mut digits).map_err(|untold| untold.into_parts().0)?;
            let flow = match self.key(key)? {
                Flow::Skip => Flow::Take,
                Flow::Stop => Flow::Stop,
                _ => self.value(values, paths, place)?,
            };
            if flow == Flow::Stop {
                return Ok(Flow::Stop);
            }
        }
        let flow = self.sink.end_map(0)?;
        Ok(self.noted(flow))
    }

    /// RecordFeed a value that is neither null nor a container.
    fn scalar(&mut self, told: &Told, row: usize) -> Went {
        let sink = &mut self.sink;
        Ok(match &told.values {
            Values::Bool(values) => sink.boolean(values.value(row), 0)?,
            Values::Int(ints) => sink.int(ints.get(row), 0)?,
            Values::U64(values) => match i64::try_from(values[row]) {
                Ok(value) => sink.int(value, 0)?,
                Err(_) => {
                    let mut digits = itoa::Buffer::new();
                    sink.number(digits.format(values[row]).as_bytes(), 0)?
                }
            },
            Values::F16(values) => sink.float(values[row].to_f64(), 0)?,
            Values::F32(values) => sink.float(values[row].into(), 0)?,
            Values::F64(values) => sink.float(values[row], 0)?,
            _ => {
                if let Some(text) = told.text(row) {
                    sink.text(text_of(text), 0)?
                } else if let Some(bytes) = told.bytes(row) {
                    sink.scalar(Scalar::Bytes(bytes), 0)?
                } else if told.decimal(row, self.scratch) {
                    sink.scalar(Scalar::Decimal(self.scratch), 0)?
                } else {
                    match told.timed(row, self.scratch)? {
                        Some(Found::Scalar(scalar)) => sink.scalar(scalar, 0)?,
                        Some(Found::Text(text)) => sink.text(text_of(text), 0)?,
                        None => return Err(Unwritable::value("a value without a form").into()),
                    }
                }
            }
        })
    }
}
