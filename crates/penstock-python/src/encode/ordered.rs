//! Sets in a form whose equal values are equal text: their items in the order of their texts.

use super::Stop;
use super::walk::{As, Walker};
use penstock_core::protocol::Flow;
use penstock_core::writer::Writer;
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use pyo3::types::{PyFrozenSet, PySet};

/// How many sets may be inside one another: each is put in order by a call inside that of the one
/// around it.
const MOST: u32 = 64;

impl<'py, W: Writer> Walker<'py, '_, W> {
    /// Writes a set, if its items must be in order. None if nothing was written.
    pub(super) fn in_order(
        &mut self,
        value: &Bound<'py, PyAny>,
        item: As,
    ) -> Result<Option<Flow>, Stop> {
        if !value.is_instance_of::<PySet>() && !value.is_instance_of::<PyFrozenSet>() {
            return Ok(None);
        }
        let Some(mut writer) = self.writer.orderly() else { return Ok(None) };
        if self.known.ordering == MOST {
            return Err(Stop::misfit(format!("more than {MOST} sets inside one another")));
        }
        self.known.ordering += 1;
        let texts = self.texts(value, item, &mut writer);
        self.known.ordering -= 1;
        let mut texts = texts?;
        texts.sort_unstable();
        self.writer.begin_list(0)?;
        for text in texts {
            self.writer.again(&text)?;
        }
        Ok(Some(self.writer.end_list(0)?))
    }

    /// The text of each item.
    fn texts(
        &mut self,
        value: &Bound<'py, PyAny>,
        item: As,
        writer: &mut penstock_core::json::writer::Writer,
    ) -> Result<Vec<Vec<u8>>, Stop> {
        let py = self.py;
        let memory = |_| PyMemoryError::new_err(());
        let mut texts = Vec::new();
        let items = value.try_iter().map_err(|error| Stop::own_code(py, "iterating", error))?;
        for one in items {
            let one = one.map_err(|error| Stop::own_code(py, "iterating", error))?;
            writer.reopen();
            let mut walker = Walker::new(py, writer, self.known, self.omit);
            let flow = walker.value(&one, item)?;
            walker.complete(flow, &mut |_| Ok(()))?;
            writer.finish()?;
            let mut text = Vec::new();
            text.try_reserve_exact(writer.ready().len()).map_err(memory)?;
            text.extend_from_slice(writer.ready());
            texts.try_reserve(1).map_err(memory)?;
            texts.push(text);
            writer.taken();
        }
        Ok(texts)
    }
}
