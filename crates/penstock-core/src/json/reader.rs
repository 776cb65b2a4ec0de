//! The JSON reader: checked text in, events out. This file has the code around the rules: the state
//! that is kept between two windows, and the methods for callers.
//!
//! # For maintainers
//!
//! The reader works on one window of text at a time and keeps all of its state in itself. So it can stop at the end of
//! any window, after any event, and continue when it is called again. Nothing recurses: open maps and lists are on an
//! explicit stack.
//!
//! There is one grammar, in [`Reader::drive`], compiled twice: once reporting events, and once only validating
//! (`SKIP`), for parts that the sink does not want. For most of a document, the reader runs from a key through its
//! value to the next comma or end without looking up the state. It looks up the state where a window begins, and where
//! a map or list begins or ends.
//!
//! | file | holds |
//! |---|---|
//! | `grammar.rs` | the rules; search for `rule:` to find one by its name |
//! | `token.rs` | the messages of all faults, and small tests on bytes |
//! | `partial.rs` | strings and numbers that a window cuts |
//! | `framing.rs` | where a value of a stream must end, and how to continue after one in error |
//! | `comment.rs` | comments, if the caller takes them |
//! | `look.rs` | looking ahead in a map, and finding its tag without that |
//! | `start.rs` | starting inside a document |
//!
//! ## The states
//!
//! A state says which tokens are allowed next. The table gives for each state its rule, and the
//! states that may follow.
//!
//! | state | what comes next | then |
//! |---|---|---|
//! | `Root` | rule `root`: white space, a record separator, a value, or the end of a stream | `Value` |
//! | `Value` | rule `value`: a value, after a colon, a comma or at the root | `Next`; `After` at the root; after a bracket `FirstKey`, `FirstElement` |
//! | `FirstElement` | rule `value`: a value or `]` | as `Value` |
//! | `FirstKey` | rule `key`: a key or `}` | `Colon`; after `}` as after a value |
//! | `Key` | rule `key`: a key | `Colon` |
//! | `Colon` | rule `colon` | `Value` |
//! | `Next` | rule `next`: a comma, or the end of the map or list | `Key`, `Value`; after an end as after a value |
//! | `After` | rule `after`: what may follow a value at the root | `Root`, or the end |
//! | `SkippedKey` | rule `skipped-key`: the rest of a skipped key | `Colon` |
//! | `SkippedText` | rule `skipped-text`: the rest of a skipped string | as after a value |
//! | `Lost` | rule `lost`: the rest of a record in error | `Root` |
//!
//! ## Invariants
//!
//! 1. **Any cut gives the same answer.** However a document is cut into windows, the reader must report what it would
//!    report for one window. So it decides nothing before the deciding byte has come: a number ends at the first other
//!    byte (or the end of the source), and a fault that quotes a word waits for the end of the word (`unexpected!`).
//! 2. **An event is reported once.** State and position are set before the sink's answer is evaluated (`tell!`), so the
//!    reader is past the token when the sink pauses or refuses.
//! 3. **Everything that is kept is relative to `pos`**, which only [`drop_front`](Reader::drop_front) and the rules
//!    move. `partial.scanned` and `trailing` count from `pos`; `looking.from` is moved with it; `early` and `begun` are
//!    offsets of the source. No other position in a window is kept.
//! 4. **A token that the sink wants stays in the window until it is complete.** `partial` says how much of the token at
//!    `pos` was scanned; code that skips the token in another way resets it. A skipped string is not kept: it is
//!    validated in pieces, with states of its own.
//! 5. **Skipping validates all that reporting validates**, and finds the same faults at the same bytes. Each `if SKIP`
//!    is a second path over the same text. That copy must not call the sink: it is compiled without one ([`Pass`]), and
//!    at every end of a value it tests whether the skipped part ends (`value_done!`).
//! 6. **A fault quotes at most one word, and names a byte of the source**: `base` plus the index of the faulty byte. If
//!    a token has several faults, the first in the text is reported (`token::first_fault`).
//! 7. **A limit depends on the text and not on the window**: the same input exceeds it however it is cut.
//! 8. **`in_map` is the top of `stack`**, kept in a register: code that pushes or pops must set it.
//!
//! ## What belongs together
//!
//! - *A state*: [`State`] and the table above, an arm in `grammar.rs`, whether another reader may begin there
//!   (`start.rs`), and its handling in [`resynchronise`](Reader::resynchronise) and [`abandon`](Reader::abandon).
//! - *Something kept between windows*: the field, [`new`](Reader::new), `drop_front` if it is a
//!   position, `resynchronise`, `abandon`, and `look` if looking ahead may change it.
//! - *A limit*: `limits.rs`, a field here, the fault in `token.rs`, both copies of the rule, and
//!   [`Seek`](super::look::Seek), which gives up where the rule would find a fault; then the options in Python and
//!   `docs/limits.md`.
//! - *A framing*: [`Framing`], the rules `root` and `after`, `value_ends`, `separator` and `resynchronise` in
//!   `framing.rs`, and the options in Python.
//! - *Comments*: `comment!`, tried where a rule finds a fault. The look keeps its own place in one (`look.rs`).
//! - *A literal that an option allows*: `token::non_finite`, tried where the rules `value` and `number` find a fault, so that
//!   it costs nothing otherwise.
//! - *Any rule*: the naive twin in `tests/json/naive.rs`, with which the tests compare the reader.

use super::comment::Comment;
use super::framing::Framing;
use super::look::{Again, EarlyTag, Looking, NO_TAG};
use super::partial::{Partial, WHOLE};
use crate::error::{Fail, Fault};
use crate::event::members::Found;
use crate::limits::Limits;
use crate::protocol::erased::{AnySink, Kept, Refused};
use crate::protocol::{Discard, Listener, Step};
use penstock_scan::{Chosen, Isa, Job, TextBuf, ValidText, dispatch_or};

/// The tokens that are allowed next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    // The first ones are those that a reader is in again and again: each test for them is one
    // comparison.
    /// A key or `}`.
    FirstKey,
    /// A key.
    Key,
    /// A value.
    Value,
    /// A value or `]`.
    FirstElement,
    /// A `,` or the end of the container.
    Next,
    /// A value at the root, or the end of a stream of values.
    Root,
    /// A `:`.
    Colon,
    /// The tokens that may follow a value at the root.
    After,
    /// The rest of a skipped string.
    SkippedText,
    /// The rest of a skipped key.
    SkippedKey,
    /// Skipping a record in error, up to the next separator.
    Lost,
}

/// Not skipping: a depth that is never reached.
pub(super) const NOWHERE: usize = usize::MAX;

/// Reads JSON of any framing, window after window.
///
/// The caller gives [`run`](Reader::run) a window of text that begins at [`base`](Reader::base). It
/// calls `run` again with a longer window, or drops the first [`consumed`](Reader::consumed) bytes,
/// after calling [`drop_front`](Reader::drop_front).
#[derive(Debug)]
pub struct Reader {
    /// The tokens that are allowed next.
    pub(super) state: State,
    /// The index of the next byte in the window.
    pub(super) pos: usize,
    /// The offset in the source of the current value at the root.
    pub(super) begun: u64,
    /// The offset of the window's first byte in the source.
    pub(super) base: u64,
    /// True for each open map, false for each open list.
    pub(super) stack: Vec<bool>,
    /// The depth at which skipping ends, or [`NOWHERE`].
    pub(super) skip_to: usize,
    /// Whether the skipped value is an abandoned one.
    pub(super) abandoned: bool,
    /// The map in which the reader looks ahead, if there is one.
    pub(super) looking: Option<Looking>,
    /// How much was read more than once while looking ahead.
    pub(super) again: Again,
    /// The member that was already reported early, and is skipped at its turn.
    pub(super) early: EarlyTag,
    /// How many bytes of the unfinished token at `pos` are scanned already, and their properties.
    pub(super) partial: Partial,
    /// Whether bytes that are not text follow the window.
    pub(super) cut_off: bool,
    /// How many bytes from `pos` are known to be a complete value and the white space after it.
    pub(super) trailing: usize,
    /// Whether a record separator comes before the next value.
    pub(super) separated: bool,
    /// Room for the members that are found ahead.
    pub(super) ahead: Vec<Found>,
    /// The buffer for strings with resolved escapes.
    pub(super) scratch: TextBuf,
    pub(super) framing: Framing,
    /// Whether `NaN`, `Infinity` and `-Infinity` are values.
    pub(super) non_finite: bool,
    /// Whether comments and a comma behind the last member or element are taken.
    pub(super) comments: bool,
    /// The comment that the last window has cut.
    pub(super) comment: Comment,
    pub(super) depth_limit: usize,
    pub(super) token_limit: usize,
    pub(super) number_limit: usize,
    pub(super) look_limit: usize,
}

/// One call of [`Reader::run`], to be compiled for each instruction set.
struct Run<'r, 'w, 's, S: Listener + ?Sized, const COMMENTS: bool> {
    reader: &'r mut Reader,
    text: ValidText<'w>,
    last: bool,
    sink: &'s mut S,
}

impl<S: Listener + ?Sized, const COMMENTS: bool> Job for Run<'_, '_, '_, S, COMMENTS> {
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
                reader.drive::<I, S, false, COMMENTS>(isa, text, last, sink)?
            } else {
                reader.pass_over(isa.chosen(), text, last)?
            };
            if step != Step::Again {
                return Ok(step);
            }
        }
    }
}

/// Parses the skipped part of a window. It calls no sink, so all sinks share one copy of it;
/// entered out of line, with the instruction set.
struct Pass<'r, 'w, const COMMENTS: bool> {
    reader: &'r mut Reader,
    text: ValidText<'w>,
    last: bool,
}

impl<const COMMENTS: bool> Job for Pass<'_, '_, COMMENTS> {
    type Output = Result<Step, Fault>;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> Self::Output {
        let Pass { reader, text, last } = self;
        match reader.drive::<I, Discard, true, COMMENTS>(isa, text, last, &mut Discard) {
            Ok(step) => Ok(step),
            Err(Fail::Input(fault)) => Err(fault),
            Err(Fail::Sink(never)) => match never {},
        }
    }
}

impl Reader {
    /// A reader at the beginning of a source.
    #[must_use]
    pub fn new(framing: Framing, limits: &Limits) -> Self {
        Reader {
            state: State::Root,
            pos: 0,
            begun: 0,
            base: 0,
            stack: Vec::new(),
            skip_to: NOWHERE,
            abandoned: false,
            looking: None,
            again: Again::default(),
            early: NO_TAG,
            partial: WHOLE,
            cut_off: false,
            trailing: 0,
            separated: false,
            ahead: Vec::new(),
            scratch: TextBuf::new(),
            framing,
            non_finite: false,
            comments: false,
            comment: Comment::None,
            depth_limit: limits.depth,
            token_limit: limits.token,
            number_limit: limits.number,
            look_limit: limits.lookahead,
        }
    }

    /// The same, with `NaN`, `Infinity` and `-Infinity` as values, if `taken` is true. They are
    /// reported as doubles, whatever the sink wants.
    ///
    /// ```
    /// use penstock_core::json::{Framing, Reader};
    /// use penstock_core::limits::Limits;
    ///
    /// let reader = Reader::new(Framing::Lines, &Limits::default()).taking_non_finite(true);
    /// assert_eq!(reader.framing(), Framing::Lines);
    /// ```
    #[must_use]
    pub fn taking_non_finite(mut self, taken: bool) -> Self {
        self.non_finite = taken;
        self
    }

    /// The same, with comments, and with commas behind the last member and the last element, if `taken` is true.
    /// Comments are those of JavaScript, `//` up to the end of the line and `/* */`, wherever white space may be. Only a
    /// single document has them: the records of a stream are found by their lines.
    ///
    /// ```
    /// use penstock_core::json::{Framing, Reader};
    /// use penstock_core::limits::Limits;
    /// use penstock_core::protocol::{Discard, Step};
    ///
    /// let mut reader = Reader::new(Framing::Document, &Limits::default()).taking_comments(true);
    /// assert_eq!(reader.run("[1, /* two */ 2,]".into(), true, &mut Discard).unwrap(), Step::Done);
    /// ```
    #[must_use]
    pub fn taking_comments(mut self, taken: bool) -> Self {
        self.comments = taken && self.framing == Framing::Document;
        self
    }

    /// Starts at the beginning of another source, with the same limits and the memory that the
    /// reader has.
    pub fn reopen(&mut self) {
        self.stack.clear();
        (self.state, self.pos, self.base, self.begun) = (State::Root, 0, 0, 0);
        (self.skip_to, self.abandoned) = (NOWHERE, false);
        (self.looking, self.again, self.early) = (None, Again::default(), NO_TAG);
        (self.partial, self.trailing, self.separated) = (WHOLE, 0, false);
        (self.cut_off, self.comment) = (false, Comment::None);
    }

    /// How values follow one another.
    #[must_use]
    pub fn framing(&self) -> Framing {
        self.framing
    }

    /// The offset of the window's first byte in the source.
    #[must_use]
    pub fn base(&self) -> u64 {
        self.base
    }

    /// How many bytes of the window the reader no longer needs.
    #[must_use]
    pub fn consumed(&self) -> usize {
        // The brace itself is kept, for messages.
        self.looking.as_ref().map_or(self.pos, |looking| looking.from - 1)
    }

    /// The offset in the source of the first byte that the reader still needs.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.base + self.consumed() as u64
    }

    /// How many maps and lists are open.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.stack.len()
    }

    /// RecordFeed the reader that the first `count` bytes of the window were dropped.
    ///
    /// # Panics
    /// If the reader still needs some of them.
    pub fn drop_front(&mut self, count: usize) {
        assert!(count <= self.consumed(), "dropped bytes that are still needed");
        self.pos -= count;
        if let Some(looking) = &mut self.looking {
            looking.from -= count;
        }
        self.base += count as u64;
    }

    /// Gives up the current value at `depth`: the rest of it is skipped, validated and not
    /// reported. For a value that did not fit.
    pub fn abandon(&mut self, depth: usize) {
        // Do not look ahead in it again.
        self.looking = None;
        self.early = NO_TAG;
        if self.stack.len() > depth {
            self.skip_to = depth;
            self.abandoned = true;
        }
    }

    /// RecordFeed a lost reader that the window now begins at `base`: the bytes in between could not be
    /// shown to the reader.
    pub fn jump(&mut self, base: u64) {
        (self.pos, self.base, self.cut_off) = (0, base, false);
    }

    /// True while the reader skips the rest of an [abandoned](Self::abandon) value.
    #[must_use]
    pub fn is_abandoned(&self) -> bool {
        self.abandoned
    }

    /// Reads as far as the window, the document or the sink allow.
    ///
    /// `text` begins at [`base`](Reader::base). `last` says that nothing follows it.
    ///
    /// # Errors
    /// [`Fail::Input`] if the text is not JSON, ends early (only if `last`) or exceeds a limit;
    /// [`Fail::Sink`] if the sink refused an event.
    #[inline]
    pub fn run<S: Listener + ?Sized>(
        &mut self,
        text: ValidText<'_>,
        last: bool,
        sink: &mut S,
    ) -> Result<Step, Fail<S::Error>> {
        if self.comments {
            return self.run_dyn(text, last, sink);
        }
        dispatch_or(Run::<S, false> { reader: self, text, last, sink }, |run| {
            run.reader.run_portable(run.text, run.last, run.sink)
        })
    }

    /// As [`run`](Reader::run), with one copy of the grammar for all sinks: it calls the sink
    /// through a table. For sinks that are seldom used, or are so slow that the cost of a call does
    /// not matter.
    ///
    /// # Errors
    /// As [`run`](Reader::run).
    pub fn run_dyn<S: Listener + ?Sized>(
        &mut self,
        text: ValidText<'_>,
        last: bool,
        sink: &mut S,
    ) -> Result<Step, Fail<S::Error>> {
        Kept::lend(sink, |sink| self.run_any(Chosen::best(), text, last, sink))
    }

    /// As [`run_dyn`](Reader::run_dyn), without the processor's special instructions: for
    /// processors that lack them, and for tests.
    ///
    /// # Errors
    /// As [`run`](Reader::run).
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
        match self.comments {
            true => isa.enter(Pass::<true> { reader: self, text, last }),
            false => isa.enter(Pass::<false> { reader: self, text, last }),
        }
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
        match self.comments {
            true => isa.enter(Run::<_, true> { reader: self, text, last, sink }),
            false => isa.enter(Run::<_, false> { reader: self, text, last, sink }),
        }
    }
}
