//! The writer of a conversion, and whoever takes its text.

use crate::formats::AnyWriter;
use crate::protocol::Flow;
use crate::target::{Target, TargetError};
use crate::writer::{ENOUGH, Unwritable, Writer, make_room};
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

/// The text of a worker, until the run takes it over.
#[derive(Debug, Default)]
pub struct Kept(Vec<u8>);

impl Kept {
    /// The most bytes. If the records of a piece become more text than that, one worker after the
    /// other would keep too much of it, so the run writes them.
    const MOST: usize = 16 << 20;

    /// The text.
    #[must_use]
    pub fn text(&self) -> &[u8] {
        &self.0
    }

    /// Adds text.
    ///
    /// # Errors
    /// It is too much.
    pub fn take(&mut self, text: &[u8]) -> Result<(), Unwritable> {
        if self.0.len() + text.len() > Self::MOST {
            return Err(Unwritable::limit("the records of a piece become too much text"));
        }
        make_room(&mut self.0, text.len())?;
        self.0.extend_from_slice(text);
        Ok(())
    }

    /// Forgets the text.
    pub fn clear(&mut self) {
        self.0.clear();
    }
}

/// Where the text goes.
#[derive(Debug)]
enum To<'t, O> {
    /// To whoever takes it.
    Output(&'t mut O),
    /// Into a buffer of a worker.
    Worker(Kept),
}

#[derive(Debug)]
pub(super) struct Out<'t, O: Output> {
    pub(super) writer: AnyWriter,
    to: To<'t, O>,
    /// Whether text is taken while its record may still be abandoned.
    tears: bool,
    /// Why the output took no text.
    pub(super) lost: Option<O::Error>,
    /// How many bytes of text were taken.
    pub(super) taken: u64,
}

impl<'t, O: Output> Out<'t, O> {
    pub(super) fn new(writer: AnyWriter, output: &'t mut O, tears: bool) -> Self {
        Out { writer, to: To::Output(output), tears, lost: None, taken: 0 }
    }

    /// One for records beside this one. None if nobody else can write them, now or at all.
    pub(super) fn beside(&self) -> Option<Out<'static, O>> {
        let (writer, to) = (self.writer.beside()?, To::Worker(Kept::default()));
        Some(Out { writer, to, tears: self.tears, lost: None, taken: 0 })
    }

    /// Whether this one would have written what one beside it has.
    pub(super) fn agrees(&self, beside: &Out<'_, O>) -> bool {
        self.writer.agrees(&beside.writer)
    }

    /// Forgets what was written beside another one.
    pub(super) fn clear(&mut self) {
        if let To::Worker(kept) = &mut self.to {
            kept.clear();
        }
    }

    /// Hands on what one beside it has written.
    pub(super) fn take_over(
        &mut self,
        beside: &Out<'_, O>,
        records: u64,
    ) -> Result<(), Unwritable> {
        self.hand()?;
        self.writer.pass(records);
        match &beside.to {
            To::Worker(kept) => self.give(kept.text()),
            To::Output(_) => Ok(()),
        }
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
        match &mut self.to {
            To::Output(output) => take(*output, text, &mut self.taken, &mut self.lost)?,
            To::Worker(kept) => kept.take(text)?,
        }
        self.writer.taken();
        Ok(())
    }

    fn give(&mut self, text: &[u8]) -> Result<(), Unwritable> {
        match &mut self.to {
            To::Output(output) => take(*output, text, &mut self.taken, &mut self.lost),
            To::Worker(_) => Ok(()),
        }
    }
}

fn take<O: Output>(
    output: &mut O,
    text: &[u8],
    taken: &mut u64,
    lost: &mut Option<O::Error>,
) -> Result<(), Unwritable> {
    *taken += text.len() as u64;
    output.take(text).map_err(|error| {
        *lost = Some(error);
        // `refused` looks at `lost` first.
        Unwritable::value("the text could not be taken")
    })
}
