//! The values of one record, as their events came, with copies of their texts.

use super::plan::Form;
use crate::event::Text;
use penstock_scan::{ValidText, make_room};

/// A text of the record.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    from: u32,
    length: u32,
}

/// No class: a map with any keys, or one on the path to fields.
pub(super) const NO_CLASS: u32 = u32::MAX;

/// An event.
#[derive(Clone, Copy, Debug)]
pub(super) enum What {
    /// A map begins. `end` is the index of its end, and `base` that of the first place of the
    /// object of the class.
    BeginMap {
        end: u32,
        class: u32,
        base: u32,
    },
    BeginList {
        end: u32,
    },
    EndMap,
    EndList,
    Key(Span),
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    Number(Span),
    /// A number, for a decimal.
    Decimal(Span),
    Text(Span, Form),
}

/// An event, and where it was.
#[derive(Clone, Copy, Debug)]
pub(super) struct Event {
    pub(super) what: What,
    pub(super) at: u64,
}

const _: () = assert!(size_of::<Event>() == 24);

/// The events of a record.
#[derive(Debug, Default)]
pub(super) struct Kept {
    pub(super) events: Vec<Event>,
    text: String,
}

impl Kept {
    pub(super) fn clear(&mut self) {
        self.events.clear();
        self.text.clear();
    }

    /// About how many bytes it takes.
    pub(super) fn size(&self) -> usize {
        self.events.len() * size_of::<Event>() + self.text.len()
    }

    /// The index of the next event; None if there are too many.
    #[inline(always)]
    pub(super) fn next(&self) -> Option<u32> {
        u32::try_from(self.events.len()).ok().filter(|next| *next < NO_CLASS)
    }

    #[inline(always)]
    pub(super) fn push(&mut self, what: What, at: u64) -> Option<u32> {
        let index = self.next()?;
        make_room(&mut self.events, 1);
        self.events.push(Event { what, at });
        Some(index)
    }

    /// Keeps a text; None if there is too much of it.
    #[inline(always)]
    pub(super) fn keep(&mut self, text: &str) -> Option<Span> {
        let from = u32::try_from(self.text.len()).ok()?;
        let length = u32::try_from(text.len()).ok()?;
        make_room(&mut self.text, text.len());
        self.text.push_str(text);
        Some(Span { from, length })
    }

    #[inline(always)]
    pub(super) fn text(&self, span: Span) -> &str {
        let from = span.from as usize;
        self.text.get(from..from + span.length as usize).unwrap_or_default()
    }

    /// A text as an event. Whether it is ASCII is not kept.
    #[inline(always)]
    pub(super) fn event_text(&self, span: Span) -> Text<'_> {
        Text { text: ValidText::from(self.text(span)), ascii: false }
    }

    #[inline(always)]
    pub(super) fn get(&self, index: usize) -> Option<What> {
        self.events.get(index).map(|event| event.what)
    }

    /// The index behind a value.
    pub(super) fn behind(&self, value: usize) -> usize {
        match self.get(value) {
            Some(What::BeginMap { end, .. } | What::BeginList { end }) => end as usize + 1,
            _ => value + 1,
        }
    }

    /// Sets where a map or list ends.
    pub(super) fn set_end(&mut self, begun: usize, at: u32) {
        if let Some(Event { what: What::BeginMap { end, .. } | What::BeginList { end }, .. }) =
            self.events.get_mut(begun)
        {
            *end = at;
        }
    }
}
