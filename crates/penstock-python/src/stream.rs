//! A source on its way through a reader to a sink that takes all of it: what `send` and `events`
//! share. Records, and errors that can be passed over, are the pump's.

use crate::failure::{self, Others, Where};
use crate::grammar::Grammar;
use crate::repairs::Repaired;
use penstock_core::error::{Fail, Fault};
use penstock_core::limits::Limits;
use penstock_core::reader::{Reader, Step};
use penstock_core::sink::Listener;
use penstock_core::source::{Source, SourceError, Window};
use pyo3::prelude::*;

/// A source, the window over it and the reader of it.
pub(crate) struct Stream {
    reader: Reader,
    window: Window,
    source: Source,
    /// No more input will come.
    ended: bool,
    /// What had to be repaired.
    pub(crate) repaired: Repaired,
    format: &'static str,
    name: Option<String>,
}

/// Why a stream broke off.
pub(crate) enum Broken<E> {
    /// The input or its source is at fault.
    Input(PyErr),
    /// The sink's own error.
    Sink(E),
}

impl Stream {
    pub(crate) fn new(
        grammar: &Grammar,
        source: Source,
        limits: &Limits,
        name: Option<String>,
    ) -> Self {
        Stream {
            reader: grammar.reader(false, limits),
            window: Window::new(),
            source,
            ended: false,
            repaired: Repaired::default(),
            format: grammar.format(),
            name,
        }
    }

    /// Reads on until the sink pauses or stops, or to the end.
    pub(crate) fn run<S: Listener>(
        &mut self,
        py: Python<'_>,
        sink: &mut S,
    ) -> Result<Step, Broken<S::Error>> {
        loop {
            let last = self.ended && self.window.finish_fault().is_none();
            let text = self.window.text();
            let step = self.reader.run(text, last, sink);
            self.repaired.take(&mut self.reader, self.window.counter(), text.as_bytes());
            match step {
                Ok(step @ (Step::Paused | Step::Stopped | Step::Done)) => return Ok(step),
                Ok(Step::More | Step::Turn) => {}
                Err(Fail::Input(fault)) => return Err(Broken::Input(self.fault(py, &fault))),
                Err(Fail::Sink(error)) => return Err(Broken::Sink(error)),
            }
            let done = self.reader.consumed();
            self.window.consume(done);
            self.reader.drop_front(done);
            let fault = if self.ended { self.window.finish_fault() } else { self.window.fault() };
            if let Some(fault) = fault {
                return Err(Broken::Input(self.fault(py, &fault)));
            }
            self.refill(py).map_err(Broken::Input)?;
        }
    }

    /// Reads more of the source into the window, without the interpreter lock.
    fn refill(&mut self, py: Python<'_>) -> PyResult<()> {
        let Stream { window, source, .. } = self;
        match py.detach(|| window.fill(source)) {
            Ok(true) => {
                // A byte order mark stands before the text.
                if self.reader.base() != self.window.base() {
                    self.reader.jump(self.window.base());
                }
            }
            Ok(false) => self.ended = true,
            Err(SourceError::Fault(fault)) => return Err(self.fault(py, &fault)),
            Err(SourceError::Io(error)) => {
                let end = self.window.base() + self.window.text().as_bytes().len() as u64;
                return Err(failure::of_source(py, error, &self.place(end), Others::default()));
            }
        }
        py.check_signals()
    }

    /// The offset in the source of the first byte that is not done with.
    pub(crate) fn offset(&self) -> u64 {
        self.reader.offset()
    }

    /// What messages call the source.
    pub(crate) fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// A byte of the window, for messages.
    pub(crate) fn place(&self, offset: u64) -> Where<'_> {
        let place = Some(self.window.locate(offset));
        Where { format: self.format, source: self.name(), place, record: None, path: Vec::new() }
    }

    #[cold]
    fn fault(&self, py: Python<'_>, fault: &Fault) -> PyErr {
        let place = self.place(fault.offset());
        failure::either(failure::of_fault(py, fault, &place, Others::default()))
    }
}
