//! One reader for whoever does not care which format it reads.

use penstock_scan::ValidText;

use crate::error::Fail;
use crate::sink::Listener;
use crate::{json, xml};

/// Why a reader came back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The window holds nothing more that is whole.
    More,
    /// The sink asked for a pause.
    Paused,
    /// The sink wants nothing more.
    Stopped,
    /// The end of the source, in good order.
    Done,
    /// What was to be skipped is passed, or skipping begins. Does not leave the reader.
    Turn,
}

/// The reader of a format. What its methods mean is said at those of [`json::Reader`], which
/// are the same for every format.
#[derive(Debug)]
pub enum Reader {
    /// JSON of any framing.
    Json(json::Reader),
    /// XML.
    Xml(Box<xml::Reader>),
}

/// Hands a call to the format's own reader.
macro_rules! each {
    ($self:expr, $reader:ident => $call:expr) => {
        match $self {
            Reader::Json($reader) => $call,
            Reader::Xml($reader) => $call,
        }
    };
}

impl Reader {
    /// Reads as far as the window, the document or the sink allow.
    ///
    /// # Errors
    /// As for [`json::Reader::run`].
    #[inline]
    pub fn run<S: Listener>(
        &mut self,
        text: ValidText<'_>,
        last: bool,
        sink: &mut S,
    ) -> Result<Step, Fail<S::Error>> {
        each!(self, reader => reader.run(text, last, sink))
    }
    /// The offset of the window's first byte in the source.
    #[must_use]
    pub fn base(&self) -> u64 {
        each!(self, reader => reader.base())
    }
    /// How many bytes of the window are done with.
    #[must_use]
    pub fn consumed(&self) -> usize {
        each!(self, reader => reader.consumed())
    }
    /// The offset in the source of the first byte that is not done with.
    #[must_use]
    pub fn offset(&self) -> u64 {
        each!(self, reader => reader.offset())
    }
    /// How many maps and lists are open.
    #[must_use]
    pub fn depth(&self) -> usize {
        each!(self, reader => reader.depth())
    }
    /// Tells that the first `count` bytes of the window were dropped.
    pub fn drop_front(&mut self, count: usize) {
        each!(self, reader => reader.drop_front(count));
    }
    /// Gives up the value that was under construction at `depth`.
    pub fn abandon(&mut self, depth: usize) {
        each!(self, reader => reader.abandon(depth));
    }
    /// True while passing over what is left of an abandoned value.
    #[must_use]
    pub fn is_abandoned(&self) -> bool {
        each!(self, reader => reader.is_abandoned())
    }
    /// After malformed input in a stream of values: passes over everything up to the next
    /// separator. False if the format has none.
    #[must_use]
    pub fn resynchronise(&mut self) -> bool {
        match self {
            Reader::Json(reader) => reader.resynchronise(),
            Reader::Xml(_) => false,
        }
    }
    /// Tells that the window now begins at `base`.
    pub fn jump(&mut self, base: u64) {
        each!(self, reader => reader.jump(base));
    }
    /// True while passing over a record in error.
    #[must_use]
    pub fn is_lost(&self) -> bool {
        match self {
            Reader::Json(reader) => reader.is_lost(),
            Reader::Xml(_) => false,
        }
    }
    /// The byte after which a lost reader finds its way again.
    #[must_use]
    pub fn separator(&self) -> u8 {
        match self {
            Reader::Json(reader) => reader.separator(),
            Reader::Xml(_) => b'\n',
        }
    }
}
