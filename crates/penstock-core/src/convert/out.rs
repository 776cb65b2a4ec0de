//! The writer of a conversion, and whoever takes its text.

use crate::sink::Flow;
use crate::target::{Target, TargetError};
use crate::writer::{AnyWriter, ENOUGH, Unwritable, Writer};
use std::convert::Infallible;

/// Takes the text of a conversion.
pub trait Output {
    /// Why the text cannot be taken.
    type Error: std::fmt::Debug;

    /// Takes all of the text.
    ///
    /// # Errors
    /// The text cannot be taken. The conversion ends.
    fn take(&mut self, text: &[u8]) -> Result<(), Self::Error>;
}

impl Output for Vec<u8> {
    type Error = Infallible;

    fn take(&mut self, text: &[u8]) -> Result<(), Infallible> {
        penstock_scan::make_room(self, text.len());
        self.extend_from_slice(text);
        Ok(())
    }
}

impl Output for Target {
    type Error = TargetError;

    fn take(&mut self, text: &[u8]) -> Result<(), TargetError> {
        self.write_all(text)
    }
}

impl<O: Output> Output for &mut O {
    type Error = O::Error;

    fn take(&mut self, text: &[u8]) -> Result<(), O::Error> {
        (**self).take(text)
    }
}

#[derive(Debug)]
pub(super) struct Out<O: Output> {
    pub(super) writer: AnyWriter,
    output: O,
    /// Whether text is taken while its record may still be abandoned.
    tears: bool,
    /// Why the output took no text.
    pub(super) lost: Option<O::Error>,
    /// How many bytes of text were taken.
    pub(super) taken: u64,
}

impl<O: Output> Out<O> {
    pub(super) fn new(writer: AnyWriter, output: O, tears: bool) -> Self {
        Out { writer, output, tears, lost: None, taken: 0 }
    }

    /// After an event: hands the text on if there is enough, and if the record can be torn.
    #[inline(always)]
    pub(super) fn settle(&mut self, flow: Result<Flow, Unwritable>) -> Result<(), Unwritable> {
        if flow? == Flow::Pause && self.tears { self.hand() } else { Ok(()) }
    }

    /// After a record: hands the text on if there is enough.
    #[inline(always)]
    pub(super) fn end_record(&mut self) -> Result<(), Unwritable> {
        if self.writer.ready().len() >= ENOUGH { self.hand() } else { Ok(()) }
    }

    /// Hands the text on.
    #[inline(never)]
    pub(super) fn hand(&mut self) -> Result<(), Unwritable> {
        let text = self.writer.ready();
        self.taken += text.len() as u64;
        if let Err(error) = self.output.take(text) {
            self.lost = Some(error);
            // `refused` looks at `lost` first.
            return Err(Unwritable::value("the text could not be taken"));
        }
        self.writer.taken();
        Ok(())
    }
}
