//! The XML reader: checked text in, events out. This file has what surrounds the rules: what is kept
//! between two windows, and what a caller may ask.
//!
//! # For whoever changes it
//!
//! The reader works on one window of text at a time and keeps all of its state in itself, so it can stop at
//! the end of any window, after any event, and go on when called again. Nothing recurses: the names of open
//! elements stand on a stack, and so do the entities that are being read.
//!
//! There is one grammar, in [`Reader::drive`], compiled twice: once reporting events and once, for what the
//! sink does not want, only validating (`SKIP`). Each turn of its loop looks up the state and reads one piece
//! of text or one piece of markup.
//!
//! | file | holds |
//! |---|---|
//! | `grammar.rs` | the rules; search for `rule:` to find one by its name |
//! | `text.rs` | character data that is not plain, and CDATA |
//! | `tag.rs`, `elements.rs` | a start tag as places in the text; what tags mean, and skipping and watching elements |
//! | `namespaces.rs`, `names.rs`, `open.rs` | what prefixes stand for, names, the stack of open elements |
//! | `reference.rs`, `expand.rs` | references, and the values of attributes with what they expand to |
//! | `prolog.rs`, `doctype.rs`, `dtd.rs`, `walk.rs` | the XML declaration, the document type, and what it declares |
//! | `token.rs` | the words of faults, and finding the end of markup that a window cuts |
//! | `repair.rs`, `options.rs` | what may be repaired, and how to read |
//! | `start.rs` | beginning inside of a document |
//!
//! ## The states
//!
//! A state says what may stand next. With each its rule, and the states that may follow. Comments and instructions
//! stand nearly everywhere; behind them the reader is where [`outside`](Reader::outside) says.
//!
//! | state | what stands next | then |
//! |---|---|---|
//! | `Start` | rule `declaration`: the XML declaration, or what stands without one | `Outside` |
//! | `Outside` | rule `outside`: before the root element or behind it | `Subset`, `Content`, `Comment`, `Instruction`, `Done` |
//! | `Subset` | rule `subset`: declarations; the text of parameter entities is read by the same rule | `AfterSubset`, `Comment`, `Instruction` |
//! | `AfterSubset` | rule `after-subset`: the `>` behind `]` | `Outside` |
//! | `LostSubset` | rule `lost-subset`: what is left of a broken subset that is repaired | `Outside` |
//! | `Content` | rule `text`, then by what stands behind `<`: `end-tag`, `start-tag`, a comment, CDATA, an instruction | `Telling`, `Cdata`, `Comment`, `Instruction`; `Outside` behind the root's end |
//! | `Telling` | rule `telling`: a start tag that was read; its number says what of it is reported next | `Content` |
//! | `Cdata` | rule `cdata`: the rest of a CDATA section | `Content` |
//! | `Comment` | rule `comment`: the rest of one that nobody wants | as outside says |
//! | `Instruction` | rule `instruction`: the rest of one that nobody wants | as outside says |
//! | `Done` | the end | |
//!
//! ## What has to hold
//!
//! 1. **Any cut gives the same answer.** Whatever a window shows, reading on with a longer one must report what
//!    one window would have; only where pieces of text are divided may differ. So a `]`, a carriage return or half
//!    a reference at the end of a window waits (`Next::More`, `held_back`), and a fault that quotes a word waits for
//!    its end.
//! 2. **An event is reported once.** State and place are set before the sink's answer is looked at (`tell!`).
//! 3. **A start tag and a declaration stay in the window until they are whole**: a prefix may be declared behind the
//!    names that use it. `partial` says how far the markup at the place was searched for its end; who passes it
//!    otherwise forgets that. Text, comments, instructions and CDATA pass in pieces and are not kept, unless the sink
//!    wants a comment or an instruction whole.
//! 4. **A tag is read once, and reported from its places** ([`Tag`]). They count from its `<`, where `pos`
//!    stays until all of it is reported, pauses included; `Telling` says where to go on.
//! 5. **Skipping checks all that reporting checks**, and finds the same faults at the same bytes. That copy asks the
//!    sink for one thing only: which elements wake it while it watches ([`Pass`]). Every end of an element asks whether the
//!    skipping has arrived, or the element has ended that woke the sink (`ended!`).
//! 6. **The place is in the innermost text** ([`place`](Reader::place), [`stand`](Reader::stand)): the document's
//!    or an entity's. A rule that enters or leaves an entity returns [`Step::Again`], since its `text` is no longer the
//!    one that is read. An element ends in the text in which it began.
//! 7. **Offsets go through [`Locus`]**: in the document the byte itself, in an entity the reference to it.
//! 8. **Every element that is open has its name in `open`, and its bindings in `spaces` with its depth.** Only
//!    [`end_element`](Reader::end_element) closes one.
//! 9. **What entities make is charged** ([`Expansion`]) before it is made, and each reference costs something, so that
//!    the work is linear in the input.
//!
//! ## What belongs together
//!
//! - *A state*: [`State`] and the table above, an arm in `grammar.rs`, whether another reader may begin there
//!   (`start.rs`), and what [`abandon`](Reader::abandon) and [`survive`](Reader::survive) do with it.
//! - *Something kept between windows*: the field, [`new`](Reader::new), and `start.rs` if what follows depends on it.
//! - *A limit*: `limits.rs`, the fault in `token.rs`, both copies of the rule; then the options of Python and
//!   `docs/limits.md`.
//! - *A repair*: [`RepairKind`], where the fault would be made, `made`, and `docs/xml.md`.
//! - *Any rule*: the naive twin in `tests/xml/naive.rs`, which the reader is compared with, and the documents in
//!   `tests/xml/chunking.rs`, which are cut everywhere.

use std::sync::Arc;

use penstock_scan::{Chosen, Isa, Job, TextBuf, ValidText, dispatch_or};

use super::dtd::{Dtd, Notation};
use super::expand::{self, Expansion};
use super::namespaces::Namespaces;
use super::open::Open;
use super::options::Options;
use super::repair::{Repair, RepairKind};
use super::tag::{Locus, Rules, Tag};
use super::token::Partial;
use crate::error::Fail;
use crate::limits::Limits;
use crate::reader::Step;
use crate::sink::Listener;
use crate::sink::erased::{AnySink, Kept, Refused};

/// What may come next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// The very beginning: the XML declaration may stand here.
    Start,
    /// Before the root element, or behind it.
    Outside,
    /// Declarations of the internal subset.
    Subset,
    /// What is left of a broken internal subset.
    LostSubset,
    /// Behind the `]` of the internal subset.
    AfterSubset,
    /// The content of an element.
    Content,
    /// A start tag that is read: what of it is to be told next.
    Telling(usize),
    /// The rest of a comment that nobody wants.
    Comment,
    /// The rest of a processing instruction that nobody wants.
    Instruction,
    /// The rest of a CDATA section.
    Cdata,
    /// Behind the document.
    Done,
}

/// Not skipping: a depth that is never reached.
pub(super) const NOWHERE: usize = usize::MAX;

/// An entity whose replacement text is being read.
#[derive(Debug)]
pub(super) struct Input {
    pub(super) text: Arc<str>,
    pub(super) pos: usize,
    pub(super) name: Box<str>,
    /// Where the reference stands.
    pub(super) at: u64,
    /// How many elements were open at the reference.
    pub(super) depth: usize,
}

/// Reads one document, window after window, as [`json::Reader`](crate::json::Reader) does.
#[derive(Debug)]
pub struct Reader {
    pub(super) state: State,
    /// Where the next byte stands in the window.
    pub(super) pos: usize,
    /// The window's first byte in the source.
    pub(super) base: u64,
    pub(super) open: Open,
    pub(super) spaces: Namespaces,
    pub(super) tag: Tag,
    /// The depth at which skipping ends, or [`NOWHERE`].
    pub(super) skip_to: usize,
    /// Whether the sink is asked for elements that wake it while others are skipped.
    pub(super) watching: bool,
    /// The depths at which watching ends, outermost first.
    pub(super) watches: Vec<usize>,
    /// The depths of the elements that woke the sink.
    pub(super) woken: Vec<usize>,
    pub(super) abandoned: bool,
    pub(super) partial: Partial,
    /// The entities that are being read, innermost last.
    pub(super) inputs: Vec<Input>,
    pub(super) dtd: Dtd,
    pub(super) seen_doctype: bool,
    pub(super) in_subset: bool,
    pub(super) seen_root: bool,
    /// Whether something that may declare was not read, or need not have been.
    pub(super) open_ended: bool,
    /// Whether a parameter entity was not read, so that later declarations do not count.
    pub(super) unread: bool,
    pub(super) standalone: bool,
    pub(super) expansion: Expansion,
    /// Where text is resolved into.
    pub(super) scratch: TextBuf,
    pub(super) made: Vec<Repair>,
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
            // An entity's text is whole, and shared for as long as it is read.
            let inside = reader.inputs.last().map(|input| (input.text.clone(), input.at));
            let (text, last, locus) = match &inside {
                None => (text, last, Locus::document(reader.base)),
                Some((text, at)) => (ValidText::from(&**text), true, Locus::entity(*at)),
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

/// What is skipped of an input. It only asks the sink which elements wake it, so there is one copy
/// of it for all of them; entered out of line, with the instruction set.
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
        // Places within a tag are kept in 32 bits.
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
            options,
            rules,
            limits: Limits { tag, ..limits.clone() },
        }
    }

    /// The offset of the window's first byte in the source.
    #[must_use]
    pub fn base(&self) -> u64 {
        self.base
    }

    /// How many bytes of the window are done with.
    #[must_use]
    pub fn consumed(&self) -> usize {
        self.pos
    }

    /// The offset in the source of the first byte that is not done with.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.base + self.pos as u64
    }

    /// How many elements are open.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.open.depth()
    }

    /// Tells that the first `count` bytes of the window were dropped.
    ///
    /// # Panics
    /// If they are not done with.
    pub fn drop_front(&mut self, count: usize) {
        assert!(count <= self.pos, "dropped bytes that are still needed");
        self.pos -= count;
        self.base += count as u64;
    }

    /// Gives up the element that was under construction at `depth`: what is left of it is passed
    /// over, checked and without events.
    pub fn abandon(&mut self, depth: usize) {
        self.watches.retain(|until| *until < depth);
        self.woken.retain(|woken| *woken <= depth);
        if self.open.depth() > depth {
            self.skip_to = depth;
            self.watching = false;
            self.abandoned = true;
        }
    }

    /// True while passing over what is left of an [abandoned](Self::abandon) element.
    #[must_use]
    pub fn is_abandoned(&self) -> bool {
        self.abandoned
    }

    /// Tells that the window now begins at `base`.
    pub fn jump(&mut self, base: u64) {
        (self.pos, self.base) = (0, base);
    }

    /// The repairs made since this was asked last, in the order of the document.
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
    /// [`Fail::Input`] where the text is not well-formed, ends early (only if `last`) or exceeds a
    /// limit; [`Fail::Sink`] where the sink refused an event.
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

    /// As [`run`](Reader::run), with one copy of the grammar for all sinks: it calls the sink through a
    /// table. For sinks that are seldom used, or take so long for an event that a call is nothing.
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

    /// As [`run_dyn`](Reader::run_dyn), without the processor's own instructions: for processors that
    /// lack them, and for tests.
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

    /// Passes over what is skipped.
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

    /// The copy of the grammar that all sinks share. Not generic, so that there is one.
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
