//! The events of a conversion by a class: to the native record, or to the builder where it does not take one.

use super::{Answer, Body, builder};
use crate::objects::{Owned, Refusal};
use penstock_arrow::Header;
use penstock_core::each_writer;
use penstock_core::event::{Key, KnownKeys, Matched, Row, Scalar, Text};
use penstock_core::protocol::{Flow, Hints, Judge, Look, LookAhead, RowsAs, Sink, Want};
use penstock_core::writer::Kind as Reason;
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use std::sync::Arc;

impl Sink for Body<'_> {
    type Error = Refusal;

    #[inline(always)]
    fn begin_map(&mut self, at: u64) -> Answer {
        self.give(|native| native.begin_map(at), |slow| slow.begin_map(at))
    }
    #[inline(always)]
    fn end_map(&mut self, at: u64) -> Answer {
        self.give(|native| native.end_map(at), |slow| slow.end_map(at))
    }
    #[inline(always)]
    fn begin_list(&mut self, at: u64) -> Answer {
        self.give(|native| native.begin_list(at), |slow| slow.begin_list(at))
    }
    #[inline(always)]
    fn end_list(&mut self, at: u64) -> Answer {
        self.give(|native| native.end_list(at), |slow| slow.end_list(at))
    }
    fn name(&mut self, key: Key<'_>, at: u64) -> Answer {
        self.key(key.name, at)
    }
    #[inline(always)]
    fn key(&mut self, key: Text<'_>, at: u64) -> Answer {
        self.give(|native| native.key(key, at), |slow| slow.key(key, at))
    }
    #[inline(always)]
    fn expected_key_found(&mut self, at: u64) -> Answer {
        self.give(|native| native.expected_key_found(at), |slow| slow.expected_key_found(at))
    }
    fn scalar(&mut self, value: Scalar<'_>, at: u64) -> Answer {
        self.give(|_| None, |slow| slow.scalar(value, at))
    }
    #[inline(always)]
    fn null(&mut self, at: u64) -> Answer {
        self.give(|native| native.null(at), |slow| slow.null(at))
    }
    #[inline(always)]
    fn boolean(&mut self, value: bool, at: u64) -> Answer {
        self.give(|native| native.boolean(value, at), |slow| slow.boolean(value, at))
    }
    #[inline(always)]
    fn int(&mut self, value: i64, at: u64) -> Answer {
        self.give(|native| native.int(value, at), |slow| slow.int(value, at))
    }
    #[inline(always)]
    fn float(&mut self, value: f64, at: u64) -> Answer {
        self.give(|native| native.float(value, at), |slow| slow.float(value, at))
    }
    #[inline(always)]
    fn number(&mut self, digits: &[u8], at: u64) -> Answer {
        self.give(|native| native.number(digits, at), |slow| slow.number(digits, at))
    }
    #[inline(always)]
    fn text(&mut self, text: Text<'_>, at: u64) -> Answer {
        self.give(|native| native.text(text, at), |slow| slow.text(text, at))
    }
    fn piece(&mut self, _text: Text<'_>, _at: u64) -> Answer {
        Ok(Flow::Take)
    }
    fn abandon(&mut self) {
        if self.is_slow.replace(false)
            && let Some(slow) = self.slow.get_mut()
        {
            Python::attach(|_| slow.abandon());
        }
        self.native.clear();
    }
    // No class of a native record takes the key by which it was found.
    fn matched(&mut self, _by: Matched<'_>) {}
}

impl Body<'_> {
    /// A row that the native record does not take, or that cannot be written.
    #[cold]
    #[inline(never)]
    fn row_slowly(&mut self, row: &mut Row<'_>) -> Answer {
        if self.is_lane() {
            return Err(Refusal::kept());
        }
        Python::attach(|py| {
            self.is_slow.set(true);
            let flow = builder(self.slow.get_mut())?.row(row)?;
            self.row(py).map(|ended| ended.unwrap_or(flow))
        })
    }
}

impl Hints for Body<'_> {
    #[inline(always)]
    fn expected_key(&self) -> &[u8] {
        if self.is_slow.get() { &[] } else { self.native.expected_key() }
    }
    #[inline(always)]
    fn want(&self) -> Want {
        if !self.is_slow.get() {
            return self.native.want();
        }
        self.slow.borrow().as_ref().map_or(Want::Native, Owned::want)
    }
}

impl LookAhead for Body<'_> {
    fn look_key(&mut self, key: Text<'_>, at: u64) -> Result<Look, Refusal> {
        self.look(|slow| slow.look_key(key, at))
    }
    fn look_value(&mut self, value: Option<Scalar<'_>>, at: u64) -> Result<Look, Refusal> {
        self.look(|slow| slow.look_value(value, at))
    }
    fn look_end(&mut self, at: u64) -> Result<Look, Refusal> {
        self.look(|slow| slow.look_end(at))
    }
    fn judge(&self) -> Option<Box<dyn Judge + '_>> {
        self.plan.as_ref()?.judge()
    }
    /// The builder judges the header.
    fn known_keys(
        &mut self,
        known: &KnownKeys<'_>,
        wanted: &mut [Option<Want>],
    ) -> Result<RowsAs, Refusal> {
        let Body { native, slow, header, .. } = self;
        let Some(slow) = slow.get_mut() else {
            // It has the same answer for the same header.
            let header = header.as_ref().filter(|header| header.is_of(known));
            let header = header.ok_or_else(Refusal::kept)?;
            wanted.copy_from_slice(&header.wanted);
            return Ok(header.rows);
        };
        Python::attach(|_| {
            let rows = slow.known_keys(known, wanted)?;
            native.set_columns(slow.single_columns().as_deref());
            *header = Some(Arc::new(Header::of(known, wanted, rows)));
            Ok(rows)
        })
    }
    #[inline(always)]
    fn row(&mut self, row: &mut Row<'_>) -> Answer {
        if self.is_slow.get()
            || !row.is_new()
            || row.end.is_none()
            || self.native.row(row).is_none()
        {
            return self.row_slowly(row);
        }
        let Body { native, recorder, .. } = self;
        match each_writer!(&mut recorder.writer, writer => native.tell(&mut **writer)) {
            Ok(_) => {
                row.take();
                self.ended()
            }
            Err(refused) if refused.kind() == Reason::Memory => {
                Err(PyMemoryError::new_err(()).into())
            }
            Err(_) => {
                self.recorder.waiting().abandon();
                self.native.clear();
                self.row_slowly(row)
            }
        }
    }
}
