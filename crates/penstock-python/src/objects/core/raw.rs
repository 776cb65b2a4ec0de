//! Values of JSON that stay text: [`Raw`].
//!
//! A map or list has one frame, however deep it is, and a writer takes all events inside it. The frame's `index` is the
//! number of open containers.

use super::frame::{Frame, FrameKind};
use super::refusal::Refusal;
use super::{Answer, CONTAINER, Core};
use crate::plan::Raw;
use penstock_core::event::{Scalar, Text};
use penstock_core::json::writer::{Writer, WriterOptions};
use penstock_core::limits::Limits;
use penstock_core::protocol::{Flow, Sink};
use penstock_core::writer::{self, Unwritable, Writer as _};
use pyo3::exceptions::{PyMemoryError, PyValueError};
use pyo3::ffi;

impl Core<'_> {
    /// Whether the coming value stands inside one that stays text.
    pub(crate) fn is_in_raw(&self) -> bool {
        self.top().kind == FrameKind::Raw
    }

    /// The writer, for a new value if none is under way.
    fn json(&mut self) -> &mut Writer {
        let is_new = !self.is_in_raw();
        let writer = self.json.get_or_insert_with(|| {
            // The reader has a limit, and counts what stands around, too.
            Box::new(Writer::new(WriterOptions::default(), &Limits::of_known_text()))
        });
        if is_new {
            writer.reopen();
        }
        writer
    }

    /// Writes one event.
    fn write(
        &mut self,
        event: impl FnOnce(&mut Writer) -> Result<Flow, Unwritable>,
    ) -> Result<(), Refusal> {
        match event(self.json()) {
            Ok(_) => Ok(()),
            // Everything that a document of JSON has can be written as JSON.
            Err(why) if why.kind() == writer::Kind::Memory => {
                Err(PyMemoryError::new_err(()).into())
            }
            Err(why) => Err(self.mismatch(self.at, why.to_string(), None, None)),
        }
    }

    /// The text of the value that is complete, as an object.
    fn raw(&mut self) -> Result<*mut ffi::PyObject, Refusal> {
        let py = self.attached();
        let text = self.json.as_ref().map_or(&[][..], |writer| writer.ready());
        let text =
            std::str::from_utf8(text).map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(Raw::of(py, text.into())?.into_ptr())
    }

    /// Takes a scalar as text.
    #[cold]
    #[inline(never)]
    pub(crate) fn give_raw(&mut self, value: Scalar<'_>, at: u64) -> Answer {
        self.at = at;
        self.write(|writer| writer.scalar(value, 0))?;
        if self.is_in_raw() {
            self.weight += CONTAINER / 8;
            return Ok(Flow::Take);
        }
        let made = self.raw();
        self.give_as(self.aim().node, made, at)
    }

    /// Takes a value that is text already, inside one that becomes text.
    #[cold]
    pub(crate) fn join_raw(&mut self, raw: &Raw) -> Answer {
        let text = raw.json(self.attached())?;
        self.weight += text.as_bytes().len() as u64;
        self.write(|writer| writer.json_text(text).map(|_| Flow::Take))?;
        Ok(Flow::Take)
    }

    /// Begins a map or a list that stays text.
    #[cold]
    #[inline(never)]
    pub(crate) fn begin_raw(&mut self, is_map: bool, at: u64) -> Answer {
        self.at = at;
        self.write(|writer| if is_map { writer.begin_map(0) } else { writer.begin_list(0) })?;
        if !self.is_in_raw() {
            let node = self.aim().node;
            let frame = Frame::new(FrameKind::Raw, node, self.aim_of(node), self.stack.len());
            self.push_frame(frame);
        }
        self.top_mut().index += 1;
        self.weight += CONTAINER / 8;
        Ok(Flow::Take)
    }

    /// A key inside a value that stays text.
    #[cold]
    #[inline(never)]
    pub(crate) fn raw_key(&mut self, key: Text<'_>, at: u64) -> Answer {
        self.at = at;
        self.weight += key.bytes().len() as u64;
        self.write(|writer| writer.key(key, 0))?;
        Ok(Flow::Take)
    }

    /// Ends a map or list inside a value that stays text. The object, if it is the value itself.
    #[cold]
    #[inline(never)]
    pub(crate) fn end_raw(
        &mut self,
        is_map: bool,
        at: u64,
    ) -> Result<Option<*mut ffi::PyObject>, Refusal> {
        self.at = at;
        self.write(|writer| if is_map { writer.end_map(0) } else { writer.end_list(0) })?;
        self.top_mut().index -= 1;
        if self.top().index > 0 { Ok(None) } else { self.raw().map(Some) }
    }
}
