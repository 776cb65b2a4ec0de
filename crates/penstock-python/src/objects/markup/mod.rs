//! The sink for formats of elements: XML.

mod attributes;
mod elements;
mod joins;
mod named;
mod plain;
mod text;
mod unions;
mod wholes;

use self::joins::{Joins, NamedJoins};
use self::unions::HeldAttributes;
use super::core::problems::Unplaced;
use super::core::refusal::Refusal;
use super::core::{Answer, Core, Options};
use super::owned::Build;
use crate::plan::Plan;
pub(crate) use penstock_core::convert::ForceList;
use penstock_core::event::{Key, KeyKind, Matched, Scalar, Text};
use penstock_core::limits::Limits;
use penstock_core::protocol::{Duplicates, Flow, Hints, LookAhead, Sink};
use penstock_core::select::{Automaton, Names, Path};
use penstock_scan::{copied, make_room};
use std::ops::{Deref, DerefMut};
use std::sync::Arc;
pub(crate) use text::{left_out, warn_of_mixed};

/// What happens with a second element where the class has a field for one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Repeated {
    /// The record is in error.
    #[default]
    Error,
    /// The first one counts.
    First,
    /// The last one counts.
    Last,
    /// The texts are joined by a space, for a field that is a `str`.
    Join,
}

/// The element that the root of a document must be.
#[derive(Debug)]
pub(crate) struct Root {
    /// As the caller has written it.
    pub(crate) shown: String,
    pub(crate) names: Names<()>,
}

impl Root {
    /// The element at a path of one step. None if that is no element.
    pub(crate) fn new(shown: &str, path: &Path) -> Option<Self> {
        let automaton = Automaton::record(path).ok()?;
        let edges = automaton.states.first()?.elements.iter();
        let edges: Vec<_> = edges.map(|edge| (edge.clone(), ())).collect();
        (!edges.is_empty()).then(|| Root { shown: copied(shown), names: Names::new(edges) })
    }
}

/// How to build from markup.
#[derive(Clone, Debug)]
pub(crate) struct MarkupOptions {
    pub(crate) repeated: Repeated,
    pub(crate) force_list: ForceList,
    /// `root=`
    pub(crate) root: Option<Arc<Root>>,
    /// `limits.token`: the most bytes of text kept for the open elements.
    pub(crate) token: usize,
    /// `limits.number`: the most digits of one integer.
    pub(crate) number: usize,
    /// `limits.memory`
    pub(crate) memory: Option<u64>,
}

impl Default for MarkupOptions {
    fn default() -> Self {
        let Limits { token, number, memory, .. } = Limits::default();
        let (repeated, force_list) = (Repeated::default(), ForceList::default());
        MarkupOptions { repeated, force_list, root: None, token, number, memory }
    }
}

/// An element under construction.
#[derive(Clone, Copy)]
pub(crate) struct Open {
    /// Where it begins in the source.
    pub(crate) at: u64,
    /// Where its text begins in the buffer.
    pub(crate) text: usize,
    /// It has `xsi:nil`: it becomes `None`, whatever it contains.
    pub(crate) nil: bool,
    /// In a plain dict: it is a list even if it occurs only once.
    pub(crate) forced: bool,
    /// It does not fit, whatever it contains.
    pub(crate) lost: bool,
}

/// What the value of an attribute is for.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Awaited {
    /// The current field.
    #[default]
    Field,
    /// The test whether the element is `None`.
    Nil,
    /// A plain dict.
    Plain,
    /// The class of the element, which is of a union.
    Tag,
    /// The class of a union, once that is known.
    Held,
}

/// What markup needs beside the frames.
#[derive(Default)]
pub(crate) struct MarkupState {
    pub(crate) options: MarkupOptions,
    /// The text of the open elements.
    pub(crate) text: String,
    /// Whether no character beyond ASCII came into the buffer since it was empty.
    pub(crate) ascii: bool,
    /// There was more text than the limit. The next tag is the error.
    pub(crate) overlong: bool,
    /// How many elements are open in an element that becomes a scalar, including itself.
    pub(crate) leaf: u32,
    /// Where the open elements begin whose whole text is a value, beside values for their parts. As
    /// long as there are some, text is not removed from the buffer where an element ends.
    pub(crate) wholes: Vec<u64>,
    /// The open elements that become values: each scalar's own, and those that have a frame.
    pub(crate) open: Vec<Open>,
    pub(crate) awaited: Awaited,
    /// Attributes that wait for the class of their union.
    pub(crate) held: HeldAttributes,
    /// Attributes that do not fit their fields, with the depth of the frame and the field. An
    /// element that comes later may replace them.
    pub(crate) deferred: Vec<(usize, u32, Refusal)>,
    /// The texts of repeated elements that are joined, for fields and for dicts.
    pub(crate) joins: Joins,
    pub(crate) named_joins: NamedJoins,
    /// A buffer for names that are put together.
    pub(crate) name: String,
    /// Whether the coming element of a plain dict is a list even if it occurs only once.
    pub(crate) forced: bool,
    /// The elements that were skipped beside text that is a value, by where the element around them begins.
    pub(crate) left_out: Vec<(u64, String)>,
    /// Where elements begin that have text for which there is no field, if that is not to be skipped.
    pub(crate) stray: Vec<u64>,
    /// Whether somebody was warned of one.
    pub(crate) warned: bool,
}

impl MarkupState {
    /// Forgets all open elements.
    pub(crate) fn clear(&mut self) {
        self.text.clear();
        self.overlong = false;
        self.open.clear();
        self.held.clear();
        self.deferred.clear();
        self.joins = Joins::default();
        self.named_joins = NamedJoins::default();
        self.wholes.clear();
        self.left_out.clear();
        self.stray.clear();
        self.leaf = 0;
    }

    /// Where the current element begins.
    pub(crate) fn at(&self) -> u64 {
        self.open.last().map_or(0, |open| open.at)
    }

    /// Whether the current element becomes `None`. Its content is skipped, so no element is
    /// open in it.
    #[inline(always)]
    pub(crate) fn is_nil(&self) -> bool {
        self.open.last().is_some_and(|open| open.nil)
    }

    /// Ends the current element and removes its text.
    pub(crate) fn close(&mut self) -> Open {
        let end = Open { at: 0, text: 0, nil: false, forced: false, lost: false };
        let open = self.open.pop().unwrap_or(end);
        if self.wholes.is_empty() {
            self.text.truncate(open.text);
        }
        open
    }
}

/// Builds from elements.
pub(crate) struct Markup<'p> {
    pub(crate) core: Core<'p>,
    markup: MarkupState,
}

impl<'p> Deref for Markup<'p> {
    type Target = Core<'p>;

    #[inline(always)]
    fn deref(&self) -> &Core<'p> {
        &self.core
    }
}

impl DerefMut for Markup<'_> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.core
    }
}

impl<'p> Build<'p> for Markup<'p> {
    type Options = MarkupOptions;

    fn new(plan: &'p Plan, mut options: Options, markup: MarkupOptions) -> Self {
        // A repeated element is one more of its kind, and no duplicate.
        options.duplicates = Duplicates::Last;
        let mut core = Core::new(plan, options);
        (core.number, core.memory) = (markup.number, markup.memory);
        let markup = MarkupState { options: markup, ..MarkupState::default() };
        Markup { core, markup }
    }

    fn core(&self) -> &Core<'p> {
        &self.core
    }
    fn core_mut(&mut self) -> &mut Core<'p> {
        &mut self.core
    }

    /// Where the scalar under construction begins.
    #[inline(always)]
    fn keeps(&self) -> Option<u64> {
        let whole = self.markup.wholes.first().copied();
        whole.or_else(|| (self.markup.leaf > 0).then(|| self.markup.at()))
    }

    fn token(&self) -> usize {
        self.markup.options.token
    }

    fn unplaced(&mut self) -> impl Iterator<Item = Unplaced<'_>> {
        let deferred = self.markup.deferred.iter_mut();
        let deferred = deferred.flat_map(|(.., refusal)| refusal.mismatches());
        let deferred = deferred.map(|mismatch| (mismatch.at, &mut mismatch.place));
        self.core.unplaced().chain(deferred.filter(|(_, place)| place.is_none()))
    }
}

impl Hints for Markup<'_> {}

impl LookAhead for Markup<'_> {}

impl Sink for Markup<'_> {
    type Error = Refusal;

    #[inline]
    fn begin_map(&mut self, at: u64) -> Answer {
        let answer = self.begin_element(at);
        self.begun(answer)
    }

    #[inline]
    fn end_map(&mut self, at: u64) -> Answer {
        self.end_element(at)
    }

    fn begin_list(&mut self, at: u64) -> Answer {
        let answer = Err(self.misfit(at, "an array"));
        self.begun(answer)
    }

    fn end_list(&mut self, _at: u64) -> Answer {
        Ok(Flow::Take)
    }

    #[inline]
    fn name(&mut self, key: Key<'_>, at: u64) -> Answer {
        let answer = match key.kind {
            KeyKind::Attribute => self.attribute(key, at),
            KeyKind::Element | KeyKind::Member => self.element(key, at),
        };
        self.keyed(answer)
    }

    #[inline]
    fn scalar(&mut self, value: Scalar<'_>, at: u64) -> Answer {
        let answer = match value {
            Scalar::Untyped(text) => self.attribute_value(text, at),
            value => self.core.give_scalar(value, at),
        };
        self.valued(answer)
    }

    #[inline]
    fn piece(&mut self, text: Text<'_>, at: u64) -> Answer {
        self.add_text(text, at)
    }

    fn abandon(&mut self) {
        self.markup.clear();
        self.core.abandon();
    }

    fn matched(&mut self, by: Matched<'_>) {
        self.record_matched(by);
    }

    fn record(&mut self, kind: u32) {
        self.core.expect_kind(kind);
    }
}

/// An element's or attribute's name as it is written.
pub(crate) fn written(key: &Key<'_>) -> String {
    let name = key.name.text.as_str();
    match key.prefix {
        Some(prefix) => {
            let prefix = prefix.text.as_str();
            let mut written = String::new();
            make_room(&mut written, prefix.len() + 1 + name.len());
            written.push_str(prefix);
            written.push(':');
            written.push_str(name);
            written
        }
        None => copied(name),
    }
}

/// What messages call a key.
fn noun(key: &Key<'_>) -> &'static str {
    match key.kind {
        KeyKind::Attribute => "attribute",
        _ => "element",
    }
}
