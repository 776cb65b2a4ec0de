//! The XML reader: checked text in, events out. This file has the code around the rules: the state
//! that is kept between two windows, and the methods for callers.
//!
//! # For maintainers
//!
//! The reader works on one window of text at a time and keeps all of its state in itself. So it can stop at the end of
//! any window, after any event, and continue when it is called again. Nothing recurses: the names of open elements are
//! on a stack, and so are the entities that are being read.
//!
//! There is one grammar, in [`Reader::drive`], compiled twice: once reporting events, and once only validating
//! (`SKIP`), for parts that the sink does not want. Each turn of its loop looks up the state and reads one piece of
//! text or one piece of markup.
//!
//! | file | holds |
//! |---|---|
//! | `grammar.rs` | the rules; search for `rule:` to find one by its name |
//! | `text.rs` | character data that is not plain, and CDATA |
//! | `tag.rs`, `elements.rs` | a start tag as positions in the text; the meaning of tags, and skipping and watching elements |
//! | `namespaces.rs`, `names.rs`, `open.rs` | the namespaces of prefixes, names, the stack of open elements |
//! | `reference.rs`, `expand.rs` | references, and the values of attributes with entities expanded |
//! | `prolog.rs`, `doctype.rs`, `dtd.rs`, `walk.rs` | the XML declaration, the document type, and its declarations |
//! | `token.rs` | the messages of faults, and finding the end of markup that a window cuts |
//! | `repair.rs`, `options.rs` | the repairs, and the options |
//! | `start.rs` | starting inside a document |
//!
//! ## The states
//!
//! A state says what may come next. The table gives for each state its rule, and the states that may follow. Comments
//! and instructions may come nearly everywhere; after them, [`outside`](Reader::outside) gives the state.
//!
//! | state | what comes next | then |
//! |---|---|---|
//! | `Start` | rule `declaration`: the XML declaration, or the text of a document without one | `Outside` |
//! | `Outside` | rule `outside`: before the root element or after it | `Subset`, `Content`, `Comment`, `Instruction`, `Done` |
//! | `Subset` | rule `subset`: declarations; the text of parameter entities is read by the same rule | `AfterSubset`, `Comment`, `Instruction` |
//! | `AfterSubset` | rule `after-subset`: the `>` after `]` | `Outside` |
//! | `LostSubset` | rule `lost-subset`: the rest of a broken subset that is repaired | `Outside` |
//! | `Content` | rule `text`, then by the bytes after `<`: `end-tag`, `start-tag`, a comment, CDATA, an instruction | `Telling`, `Cdata`, `Comment`, `Instruction`; `Outside` after the root's end |
//! | `Telling` | rule `telling`: a start tag that was parsed; the number is the next step of reporting it | `Content` |
//! | `Cdata` | rule `cdata`: the rest of a CDATA section | `Content` |
//! | `Comment` | rule `comment`: the rest of a skipped comment | from `outside` |
//! | `Instruction` | rule `instruction`: the rest of a skipped instruction | from `outside` |
//! | `Done` | the end | |
//!
//! ## Invariants
//!
//! 1. **Any cut gives the same answer.** However a document is cut into windows, the reader must report what it would
//!    report for one window; only the division of text into pieces may differ. So it waits if a window ends with a `]`,
//!    a carriage return or half a reference (`Next::More`, `held_back`), and a fault that quotes a word waits for the
//!    end of the word.
//! 2. **An event is reported once.** State and position are set before the sink's answer is evaluated (`tell!`).
//! 3. **A start tag and a declaration stay in the window until they are complete**: a prefix may be declared after the
//!    names that use it. `partial` says how much of the current markup was searched for its end; code that passes it in
//!    another way resets that. Text, comments, instructions and CDATA are processed in pieces and not kept, unless the
//!    sink wants a comment or an instruction whole.
//! 4. **A tag is parsed once, and reported from the positions of its parts** ([`Tag`]). They count from its `<`, and
//!    `pos` stays there until all of the tag is reported, even through pauses; `Telling` says where to continue.
//! 5. **Skipping validates all that reporting validates**, and finds the same faults at the same bytes. That copy asks
//!    the sink only which elements wake it while it watches ([`Pass`]). At every end of an element it tests whether the
//!    skipped part ends, or whether the element ends that woke the sink (`ended!`).
//! 6. **The position is in the innermost text** ([`place`](Reader::place), [`stand`](Reader::stand)): the document's or
//!    an entity's. A rule that enters or leaves an entity returns [`Step::Again`], because its `text` is no longer the
//!    current one. An element ends in the text in which it began.
//! 7. **Offsets come from [`Locus`]**: in the document the offset of the byte itself, in an entity that of the
//!    reference to it.
//! 8. **Every open element has its name in `open`, and its bindings in `spaces` with its depth.** Only
//!    [`end_element`](Reader::end_element) closes one.
//! 9. **The expansion of entities is charged** ([`Expansion`]) before it happens, and each reference has a cost, so
//!    that the work is linear in the input.
//!
//! ## What belongs together
//!
//! - *A state*: [`State`] and the table above, an arm in `grammar.rs`, whether another reader may begin there
//!   (`start.rs`), and its handling in [`abandon`](Reader::abandon) and [`survive`](Reader::survive).
//! - *Something kept between windows*: the field, [`new`](Reader::new), and `start.rs` if later text depends on it.
//! - *A limit*: `limits.rs`, the fault in `token.rs`, both copies of the rule; then the options in Python and
//!   `docs/limits.md`.
//! - *A repair*: [`RepairKind`], the place that would make the fault, `made`, and `docs/xml.md`.
//! - *Any rule*: the naive twin in `tests/xml/naive.rs`, with which the tests compare the reader, and the documents in
//!   `tests/xml/chunking.rs`, which are cut everywhere.

use std::sync::Arc;

use penstock_scan::{Chosen, Isa, Job, TextBuf, ValidText, dispatch_or};

use super::dtd::{Dtd, Notation};
use super::expand::{self, Expansion};
use super::namespaces::Namespaces;
use super::open::Open;
use super::options::Options;
use super::reference::CutReference;
use super::tag::{Locus, Rules, Tag};
use super::token::Partial;
use crate::error::Fail;
use crate::limits::Limits;
use crate::protocol::erased::{AnySink, Kept, Refused};
use crate::protocol::{Listener, Step};
use crate::repair::{Repair, RepairKind};

/// What may come next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// The very beginning, where an XML declaration is allowed.
    Start,
    /// Before the root element, or after it.
    Outside,
    /// Declarations of the internal subset.
    Subset,
    /// The rest of a broken internal subset.
    LostSubset,
    /// After the `]` of the internal subset.
    AfterSubset,
    /// The content of an element.
    Content,
    /// A start tag that was parsed: the next step of reporting it.
    Telling(usize),
    /// The rest of a comment that the sink does not want.
    Comment,
    /// The rest of a processing instruction that the sink does not want.
    Instruction,
    /// The rest of a CDATA section.
    Cdata,
    /// After the document.
    Done,
}

/// Not skipping: a depth that is never reached.
pub(super) const NOWHERE: usize = usize::MAX;

/// An entity whose replacement text is being read.
#[derive(Debug)]
pub(super) struct Input {
    pub(super) text: Arc<Box<str>>,
    pub(super) pos: usize,
    pub(super) name: Box<str>,
    /// The offset of the reference.
    pub(super) at: u64,
    /// How many elements were open at the reference.
    pub(super) depth: usize,
}

/// Reads one document, window after window, as [`json::Reader`](crate::json::Reader) does.
#[derive(Debug)]
pub struct Reader {
    pub(super) state: State,
    /// The index of the next byte in the window.
    pub(super) pos: usize,
    /// The offset of the window's first byte in the source.
    pub(super) base: u64,
    pub(super) open: Open,
    pub(super) spaces: Namespaces,
    pub(super) tag: Tag,
    /// The depth at which skipping ends, or [`NOWHERE`].
    pub(super) skip_to: usize,
    /// Whether the sink is asked which elements wake it while others are skipped.
    pub(super) watching: bool,
    /// The depths at which watching ends, outermost first.
    pub(super) watches: Vec<usize>,
    /// The depths of the elements that woke the sink.
    pub(super) woken: Vec<usize>,
    pub(super) abandoned: bool,
    pub(super) partial: Partial,
    /// The reference in text that the end of the window cuts.
    pub(super) cut_reference: Option<CutReference>,
    /// The entities whose text is being read, innermost last.
    pub(super) inputs: Vec<Input>,
    pub(super) dtd: Dtd,
    pub(super) seen_doctype: bool,
    pub(super) in_subset: bool,
    pub(super) seen_root: bool,
    /// Whether declarations may exist that were not read, or need not have been read.
    pub(super) open_ended: bool,
    /// Whether a parameter entity was not read, so that later declarations do not count.
    pub(super) unread: bool,
    pub(super) standalone: bool,
    pub(super) expansion: Expansion,
    /// The buffer for resolved text.
    pub(super) scratch: TextBuf,
    pub(super) made: Vec<Repair>,
    /// Whether comments and instructions in the document type are not reported.
    hides_subset: bool,
    pub(super) options: Options,
    pub(super) rules: Rules,
    pub(super) limits: Limits,
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
            // An entity's text is complete, and is shared while it is read.
            let inside = reader.inputs.last().map(|input| (input.text.clone(), input.at));
            let (text, last, locus) = match &inside {
                None => (text, last, Locus::document(reader.base)),
                Some((text, at)) => (ValidText::from(&***text), true, Locus::entity(*at)),
            };
            let step = if reader.skip_to == NOWHERE {
                reader.drive::<I, S, false>(isa, text, last, locus, sink)
            } else {
                Kept::lend(sink, |sink| reader.pass_over(isa.chosen(), text, last, locus, sink))
            };
            match step {
                Ok(Step::Again) => {}
                Err(Fail::Input(fault)) => reader.survive(fault)?,
                step => return step,
            }
        }
    }
}

/// Parses the skipped part of an input. It only asks the sink which elements wake it, so all sinks
/// share one copy of it; entered out of line, with the instruction set.
struct Pass<'r, 'w, 's, 'k> {
    reader: &'r mut Reader,
    text: ValidText<'w>,
    last: bool,
    locus: Locus,
    sink: &'s mut AnySink<'k>,
}

impl Job for Pass<'_, '_, '_, '_> {
    type Output = Result<Step, Fail<Refused>>;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> Self::Output {
        let Pass { reader, text, last, locus, sink } = self;
        reader.drive::<I, AnySink<'_>, true>(isa, text, last, locus, sink)
    }
}

impl Reader {
    /// A reader at the beginning of a source.
    #[must_use]
    pub fn new(options: Options, limits: &Limits) -> Self {
        let rules = Rules {
            namespaces: options.namespaces,
            control: options.repairs.has(RepairKind::ControlCharacter),
            name_limit: limits.name,
            attribute_limit: limits.attributes,
        };
        // Positions within a tag are kept in 32 bits.
        let tag = limits.tag.min(expand::TAG);
        Reader {
            state: State::Start,
            pos: 0,
            base: 0,
            open: Open::default(),
            spaces: Namespaces::default(),
            tag: Tag::default(),
            skip_to: NOWHERE,
            watching: false,
            watches: Vec::new(),
            woken: Vec::new(),
            abandoned: false,
            partial: Partial::default(),
            cut_reference: None,
            inputs: Vec::new(),
            dtd: Dtd::default(),
            seen_doctype: false,
            in_subset: false,
            seen_root: false,
            open_ended: false,
            unread: false,
            standalone: false,
            expansion: Expansion::new(limits),
            scratch: TextBuf::new(),
            made: Vec::new(),
            hides_subset: false,
            options,
            rules,
            limits: Limits { tag, ..limits.clone() },
        }
    }

    /// From now on, comments and instructions inside the document type are not reported. They
    /// belong to it, and not to the document.
    pub fn hide_subset(&mut self) {
        self.hides_subset = true;
    }

    /// Whether to report a comment or an instruction here, if the sink wants them.
    #[inline(always)]
    pub(super) fn tells(&self, wanted: bool) -> bool {
        wanted && !(self.in_subset && self.hides_subset)
    }

    /// The offset of the window's first byte in the source.
    #[must_use]
    pub fn base(&self) -> u64 {
        self.base
    }

    /// How many bytes of the window the reader no longer needs.
    #[must_use]
    pub fn consumed(&self) -> usize {
        self.pos
    }

    /// The offset in the source of the first byte that the reader still needs.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.base + self.pos as u64
    }

    /// How many elements are open.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.open.depth()
    }

    /// RecordFeed the reader that the first `count` bytes of the window were dropped.
    ///
    /// # Panics
    /// If the reader still needs some of them.
    pub fn drop_front(&mut self, count: usize) {
        assert!(count <= self.pos, "dropped bytes that are still needed");
        self.pos -= count;
        self.base += count as u64;
    }

    /// Gives up the current element at `depth`: the rest of it is skipped, validated and not
    /// reported.
    pub fn abandon(&mut self, depth: usize) {
        self.watches.retain(|until| *until < depth);
        self.woken.retain(|woken| *woken <= depth);
        if self.open.depth() > depth {
            self.skip_to = depth;
            self.watching = false;
            self.abandoned = true;
        }
    }

    /// True while the reader skips the rest of an [abandoned](Self::abandon) element.
    #[must_use]
    pub fn is_abandoned(&self) -> bool {
        self.abandoned
    }

    /// Forgets how much of the current markup was searched for its end: bytes that are not text
    /// follow the window, so it will never be complete.
    pub fn rescan(&mut self) {
        self.partial.forget();
        self.cut_reference = None;
    }

    /// RecordFeed the reader that the window now begins at `base`.
    pub fn jump(&mut self, base: u64) {
        (self.pos, self.base) = (0, base);
    }

    /// The repairs since the last call, in document order.
    pub fn take_repairs(&mut self) -> Vec<Repair> {
        std::mem::take(&mut self.made)
    }

    /// The notations that the document type has declared so far, in order.
    pub fn notations(&self) -> impl Iterator<Item = &Notation> {
        self.dtd.notations()
    }

    /// Reads as far as the window, the document or the sink allow.
    ///
    /// `text` begins at [`base`](Reader::base). `last` says that nothing follows it.
    ///
    /// # Errors
    /// [`Fail::Input`] if the text is not well-formed, ends early (only if `last`) or exceeds a
    /// limit; [`Fail::Sink`] if the sink refused an event.
    #[inline]
    pub fn run<S: Listener + ?Sized>(
        &mut self,
        text: ValidText<'_>,
        last: bool,
        sink: &mut S,
    ) -> Result<Step, Fail<S::Error>> {
        dispatch_or(Run { reader: self, text, last, sink }, |run| {
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

    /// Skips a part of the input.
    #[inline(never)]
    fn pass_over(
        &mut self,
        isa: Chosen,
        text: ValidText<'_>,
        last: bool,
        locus: Locus,
        sink: &mut AnySink<'_>,
    ) -> Result<Step, Fail<Refused>> {
        isa.enter(Pass { reader: self, text, last, locus, sink })
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
