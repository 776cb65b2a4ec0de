//! The reader of text property lists: checked text in, events out. This file has the code around the rules: the state
//! that is kept between two windows, and the methods for callers.
//!
//! # For maintainers
//!
//! As the reader of JSON (`json/reader.rs`), this one works on one window of text at a time, keeps all of its state in
//! itself, and has its open containers on an explicit stack. The grammar ([`Reader::drive`]) is compiled twice: once
//! reporting events, and once only validating (`SKIP`).
//!
//! ## The states
//!
//! | state | what comes next | then |
//! |---|---|---|
//! | `Root` | rule `root`: a value, the first key of a file of strings, or nothing | `Alone` after a string, else as a value |
//! | `Alone` | rule `alone`: the end after a lone string; `=` or `;` in a file of strings | `After`, `FirstKey` |
//! | `FirstKey` | rule `first-key`: no text: the string at the root is the first key | `Equals` |
//! | `Key` | rule `key`: a key, or the end of the dictionary | `Equals`, `Value`; after an end as after a value |
//! | `Equals` | rule `equals`: `=`, or `;` for a key that is its own value | `Value`, `Key` |
//! | `Value` | rule `value`: a value, after `=` | `Next` |
//! | `Element` | rule `value`: a value or `)` | `Next` |
//! | `Next` | rule `next`: `;` or `,`, or the end of the dictionary or array | `Key`, `Element`; after an end as after a value |
//! | `After` | rule `after`: the end of the text | the end |
//! | `Quoted`, `Bare` | rules `quoted` and `bare`: the rest of a string | by its role |
//! | `Hexadecimal`, `Base64`, `Typed` | the rest of such a value | as after a value |
//!
//! ## Invariants
//!
//! 1. **Any cut gives the same answer**, and a limit depends on the text and not on the window. A token is checked in the
//!    order of the text, as far as it is at hand, so the first fault in the text is the one that is reported.
//! 2. **An event is reported once.** State and position are set before the sink's answer is evaluated (`tell!`).
//! 3. **A token that the sink wants stays in the window until it is reported** (`held`), so that a fault of its value has
//!    a place, although `pos` is further on: no byte is scanned twice. Strings that a window cuts, and strings with
//!    escapes, are gathered in `scratch`, and data in `bytes`. A skipped token is not held: it is validated in pieces.
//! 4. **Positions in the window** are `pos`, `held` and those of `looking`, and [`drop_front`](Reader::drop_front) moves
//!    all of them. All others are offsets of the source.
//! 5. **Skipping validates all that reporting validates**, except the limit on what must be held.
//!
//! What belongs together: *a state* is in [`State`], in the table above, and in `grammar.rs`. *Something kept between
//! windows* is a field, `new`, and what `look.rs` restores. *Any rule* is in the naive twin in `tests/plist/naive.rs`, too.

use super::data::Group;
use super::look::Looking;
use crate::error::{Fail, Fault};
use crate::event::Text;
use crate::json::look::Again;
use crate::limits::Limits;
use crate::protocol::erased::{AnySink, Kept, Refused};
use crate::protocol::{Copies, Discard, FormatReader, InputView, Listener, Step};
use penstock_scan::{Chosen, Isa, Job, TextBuf, ValidText, dispatch_or};

/// What a string is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// The document, or its first key: what comes behind it says which.
    Root,
    Key,
    Value,
}

/// The tokens that are allowed next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// A value, the first key of a file of strings, or the end.
    Root,
    /// After a string at the root: the end, `=` or `;`.
    Alone,
    /// The string at the root is the first key.
    FirstKey,
    /// A key, or the end of the dictionary.
    Key,
    /// `=` or `;`.
    Equals,
    /// A value.
    Value,
    /// A value or `)`.
    Element,
    /// `;` or `,`, or the end of the container.
    Next,
    /// The end of the text.
    After,
    /// The rest of a string in quotes.
    Quoted(Role),
    /// The rest of a string without quotes.
    Bare(Role),
    /// The rest of hexadecimal data.
    Hexadecimal,
    /// The rest of base64.
    Base64,
    /// The rest of a typed value.
    Typed,
}

/// The comment that the end of the window cuts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Comment {
    None,
    /// Up to the end of the line.
    Line,
    /// Up to `*/`.
    Block,
}

/// An open dictionary or array.
#[derive(Clone, Copy, Debug)]
pub(super) struct Open {
    /// The offset in the source of its first byte.
    pub(super) at: u64,
    pub(super) is_map: bool,
}

/// Not skipping: a depth that is never reached.
pub(super) const NOWHERE: usize = usize::MAX;

/// Reads a text property list, window after window.
///
/// ```
/// use penstock_core::limits::Limits;
/// use penstock_core::plist::text::Reader;
/// use penstock_core::protocol::{FormatReader, Step};
/// use penstock_core::protocol::InputView;
/// use penstock_core::protocol::Trace;
///
/// let (mut reader, mut trace) = (Reader::new(&Limits::default()), Trace::new());
/// let given = InputView::Text { text: "{ a = (1, <0f>); }".into(), last: true };
/// assert_eq!(reader.run(given, &mut trace).unwrap(), Step::Done);
/// assert!(trace.text().contains("untyped \"1\"") && trace.text().contains("bytes 0f"));
/// ```
#[derive(Debug)]
pub struct Reader {
    /// The tokens that are allowed next.
    pub(super) state: State,
    /// The index of the next byte in the window.
    pub(super) pos: usize,
    /// The index of the first byte of the token that is held.
    pub(super) held: Option<usize>,
    /// The offset in the source of the token or comment that a window cut.
    pub(super) begun: u64,
    /// The offset of the window's first byte in the source.
    pub(super) base: u64,
    pub(super) comment: Comment,
    pub(super) stack: Vec<Open>,
    /// Whether the outermost dictionary has no braces.
    pub(super) unbraced: bool,
    /// The depth at which skipping ends, or [`NOWHERE`].
    pub(super) skip_to: usize,
    /// Whether the skipped value is an abandoned one.
    pub(super) abandoned: bool,
    /// The dictionary in which the reader looks ahead, if there is one.
    pub(super) looking: Option<Looking>,
    /// How much was read more than once while looking ahead.
    pub(super) again: Again,
    /// The quote that ends the current string.
    pub(super) quote: u8,
    /// The text of the current string, if it is not a part of the window.
    pub(super) scratch: TextBuf,
    /// Whether it is ASCII so far.
    pub(super) ascii: bool,
    /// The bytes of the current data.
    pub(super) bytes: Vec<u8>,
    pub(super) group: Group,
    /// The string at the root, and its offset.
    pub(super) first: Copied,
    /// The last key, if it may be its own value.
    pub(super) key: Copied,
    pub(super) depth_limit: usize,
    pub(super) token_limit: usize,
    pub(super) number_limit: usize,
    pub(super) look_limit: usize,
}

/// A string that was copied, and where it stands.
#[derive(Debug, Default)]
pub(super) struct Copied {
    pub(super) text: TextBuf,
    pub(super) ascii: bool,
    pub(super) at: u64,
}

/// One call of [`Reader::run`], to be compiled for each instruction set.
struct Run<'r, 'w, 's, S: Listener + ?Sized> {
    reader: &'r mut Reader,
    text: ValidText<'w>,
    last: bool,
    sink: &'s mut S,
}

impl<S: Listener + ?Sized> Job for Run<'_, '_, '_, S> {
    type Output = Result<Step, Fail<S::Error>>;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> Self::Output {
        let Run { reader, text, last, sink } = self;
        loop {
            if reader.looking.is_some() {
                match Kept::lend(sink, |sink| reader.look(isa.chosen(), text, last, sink))? {
                    Step::Again => continue,
                    step => return Ok(step),
                }
            }
            let step = if reader.skip_to == NOWHERE {
                reader.drive::<I, S, false>(isa, text, last, sink)?
            } else {
                reader.pass_over(isa.chosen(), text, last)?
            };
            if step != Step::Again {
                return Ok(step);
            }
        }
    }
}

/// Reads the skipped part of a window. It calls no sink, so all sinks share one copy of it.
struct Pass<'r, 'w> {
    reader: &'r mut Reader,
    text: ValidText<'w>,
    last: bool,
}

impl Job for Pass<'_, '_> {
    type Output = Result<Step, Fault>;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> Self::Output {
        let Pass { reader, text, last } = self;
        match reader.drive::<I, Discard, true>(isa, text, last, &mut Discard) {
            Ok(step) => Ok(step),
            Err(Fail::Input(fault)) => Err(fault),
            Err(Fail::Sink(never)) => match never {},
        }
    }
}

impl Reader {
    /// A reader at the beginning of a source.
    #[must_use]
    pub fn new(limits: &Limits) -> Self {
        Reader {
            state: State::Root,
            pos: 0,
            held: None,
            begun: 0,
            base: 0,
            comment: Comment::None,
            stack: Vec::new(),
            unbraced: false,
            skip_to: NOWHERE,
            abandoned: false,
            looking: None,
            again: Again::default(),
            quote: b'"',
            scratch: TextBuf::new(),
            ascii: true,
            bytes: Vec::new(),
            group: Group::default(),
            first: Copied::default(),
            key: Copied::default(),
            depth_limit: limits.depth,
            token_limit: limits.token,
            number_limit: limits.number,
            look_limit: limits.lookahead,
        }
    }

    /// How many dictionaries and arrays are open.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.stack.len()
    }

    /// Whether the innermost open dictionary is the one without braces.
    #[inline(always)]
    pub(super) fn is_unbraced(&self) -> bool {
        self.unbraced && self.stack.len() == 1
    }

    /// As [`run`](FormatReader::run), without the processor's special instructions: for processors that lack them, and
    /// for tests.
    ///
    /// # Errors
    /// As [`run`](FormatReader::run).
    #[doc(hidden)]
    pub fn run_portable<S: Listener + ?Sized>(
        &mut self,
        text: ValidText<'_>,
        last: bool,
        sink: &mut S,
    ) -> Result<Step, Fail<S::Error>> {
        Kept::lend(sink, |sink| self.run_any(Chosen::portable(), text, last, sink))
    }

    /// Skips a part of the text.
    #[inline(never)]
    pub(super) fn pass_over(
        &mut self,
        isa: Chosen,
        text: ValidText<'_>,
        last: bool,
    ) -> Result<Step, Fault> {
        isa.enter(Pass { reader: self, text, last })
    }

    /// The copy of the grammar that all sinks share. It is not generic, so there is only one.
    #[inline(never)]
    fn run_any(
        &mut self,
        isa: Chosen,
        text: ValidText<'_>,
        last: bool,
        sink: &mut AnySink<'_>,
    ) -> Result<Step, Fail<Refused>> {
        isa.enter(Run { reader: self, text, last, sink })
    }
}

impl FormatReader for Reader {
    const COPIED_FOR: Copies = Copies::All;

    #[inline]
    fn run<S: Listener>(
        &mut self,
        given: InputView<'_>,
        sink: &mut S,
    ) -> Result<Step, Fail<S::Error>> {
        let (text, last) = given.as_text()?;
        dispatch_or(Run { reader: self, text, last, sink }, |run| {
            run.reader.run_portable(run.text, run.last, run.sink)
        })
    }
    fn run_dyn<S: Listener>(
        &mut self,
        given: InputView<'_>,
        sink: &mut S,
    ) -> Result<Step, Fail<S::Error>> {
        let (text, last) = given.as_text()?;
        Kept::lend(sink, |sink| self.run_any(Chosen::best(), text, last, sink))
    }
    fn base(&self) -> u64 {
        self.base
    }
    fn consumed(&self) -> usize {
        match &self.looking {
            Some(looking) => looking.keep,
            None => self.held.unwrap_or(self.pos),
        }
    }
    fn drop_front(&mut self, count: usize) {
        assert!(count <= self.consumed(), "dropped bytes that are still needed");
        self.pos -= count;
        if let Some(held) = &mut self.held {
            *held -= count;
        }
        if let Some(looking) = &mut self.looking {
            looking.from -= count;
            looking.keep -= count;
        }
        self.base += count as u64;
    }
    fn jump(&mut self, base: u64) {
        (self.pos, self.held, self.base) = (0, None, base);
    }
    fn is_document(&self) -> bool {
        true
    }
    fn abandon(&mut self, depth: usize) {
        // Do not look ahead in it again.
        self.looking = None;
        if self.stack.len() > depth {
            self.skip_to = depth;
            self.abandoned = true;
        }
    }
    fn is_abandoned(&self) -> bool {
        self.abandoned
    }
}

impl Copied {
    /// Copies a string.
    pub(super) fn keep(&mut self, string: Text<'_>, at: u64) {
        self.text.clear();
        self.text.push_text(string.text);
        (self.ascii, self.at) = (string.ascii, at);
    }
    /// The string.
    pub(super) fn text(&self) -> Text<'_> {
        Text { text: self.text.text(), ascii: self.ascii }
    }
}
