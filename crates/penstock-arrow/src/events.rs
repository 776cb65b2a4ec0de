//! The events of one record, so that somebody else can have them again.

use penstock_core::event::{Key, KeyKind, Scalar, Text};
use penstock_core::path_step::PathStep;
use penstock_core::protocol::{Flow, Sink};
use penstock_scan::{ValidText, append, copied, gathered, make_room};

/// A text of the record.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Span {
    from: u32,
    length: u32,
}

impl Span {
    /// So many bytes behind so many others; None if that is too much.
    #[inline(always)]
    fn behind(before: usize, length: usize) -> Option<Self> {
        Some(Span { from: u32::try_from(before).ok()?, length: u32::try_from(length).ok()? })
    }
}

/// An event.
#[derive(Clone, Copy, Debug)]
pub(crate) enum What {
    BeginMap,
    EndMap,
    BeginList,
    EndList,
    Key(Span),
    /// The name of an element or an attribute: its index among the names.
    Name(u32),
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    Number(Span),
    Text(Span),
    Untyped(Span),
    Piece(Span),
    Since2001(f64),
    Data(Span),
}

/// An event, and where it was.
#[derive(Clone, Copy, Debug)]
struct Event {
    what: What,
    at: u64,
}

const _: () = assert!(size_of::<Event>() == 24);

/// The name of an element or an attribute.
#[derive(Clone, Copy, Debug)]
struct Name {
    name: Span,
    prefix: Option<Span>,
    namespace: Option<Span>,
    kind: KeyKind,
}

/// The events of a record, with copies of their texts and data.
#[derive(Debug, Default)]
pub(crate) struct Events {
    events: Vec<Event>,
    names: Vec<Name>,
    text: String,
    data: Vec<u8>,
}

impl Events {
    #[inline(always)]
    pub(crate) fn clear(&mut self) {
        self.events.clear();
        self.names.clear();
        self.text.clear();
        self.data.clear();
    }

    /// About how many bytes they take.
    pub(crate) fn size(&self) -> usize {
        let names = self.names.len() * size_of::<Name>();
        self.events.len() * size_of::<Event>() + names + self.text.len() + self.data.len()
    }

    #[inline(always)]
    pub(crate) fn push(&mut self, what: What, at: u64) {
        make_room(&mut self.events, 1);
        self.events.push(Event { what, at });
    }

    /// Keeps a text; None if there is too much of it.
    #[inline(always)]
    pub(crate) fn keep(&mut self, text: &str) -> Option<Span> {
        let span = Span::behind(self.text.len(), text.len())?;
        make_room(&mut self.text, text.len());
        self.text.push_str(text);
        Some(span)
    }

    /// Keeps data; None if there is too much of it.
    pub(crate) fn keep_data(&mut self, bytes: &[u8]) -> Option<Span> {
        let span = Span::behind(self.data.len(), bytes.len())?;
        make_room(&mut self.data, bytes.len());
        self.data.extend_from_slice(bytes);
        Some(span)
    }

    /// The name of an element or an attribute. Returns its local part.
    #[inline(always)]
    pub(crate) fn push_name(&mut self, key: &Key<'_>, at: u64) -> Option<Span> {
        let name = self.keep(key.name.text.as_str())?;
        let prefix = match key.prefix {
            Some(prefix) => Some(self.keep(prefix.text.as_str())?),
            None => None,
        };
        let namespace = match key.namespace {
            Some(namespace) => Some(self.keep(namespace.text.as_str())?),
            None => None,
        };
        let index = u32::try_from(self.names.len()).ok()?;
        make_room(&mut self.names, 1);
        self.names.push(Name { name, prefix, namespace, kind: key.kind });
        self.push(What::Name(index), at);
        Some(name)
    }

    pub(crate) fn text(&self, span: Span) -> &str {
        let from = span.from as usize;
        self.text.get(from..from + span.length as usize).unwrap_or_default()
    }

    fn data(&self, span: Span) -> &[u8] {
        let from = span.from as usize;
        self.data.get(from..from + span.length as usize).unwrap_or_default()
    }

    /// A text as an event. Whether it is ASCII is not kept.
    fn event_text(&self, span: Span) -> Text<'_> {
        Text { text: ValidText::from(self.text(span)), ascii: false }
    }

    /// Reports the events to another sink.
    pub(crate) fn again<S: Sink>(&self, to: &mut S) -> Result<Flow, S::Error> {
        let mut flow = Flow::Take;
        for &Event { what, at } in &self.events {
            flow = match what {
                What::BeginMap => to.begin_map(at)?,
                What::EndMap => to.end_map(at)?,
                What::BeginList => to.begin_list(at)?,
                What::EndList => to.end_list(at)?,
                What::Key(key) => to.key(self.event_text(key), at)?,
                What::Name(name) => {
                    let Some(name) = self.names.get(name as usize) else { continue };
                    let key = Key {
                        name: self.event_text(name.name),
                        prefix: name.prefix.map(|span| self.event_text(span)),
                        namespace: name.namespace.map(|span| self.event_text(span)),
                        kind: name.kind,
                    };
                    to.name(key, at)?
                }
                What::Null => to.null(at)?,
                What::Bool(value) => to.boolean(value, at)?,
                What::Int(value) => to.int(value, at)?,
                What::Float(value) => to.float(value, at)?,
                What::Number(digits) => to.number(self.text(digits).as_bytes(), at)?,
                What::Text(text) => to.text(self.event_text(text), at)?,
                What::Untyped(text) => to.scalar(Scalar::Untyped(self.event_text(text)), at)?,
                What::Piece(text) => to.piece(self.event_text(text), at)?,
                What::Since2001(seconds) => to.scalar(Scalar::Since2001(seconds), at)?,
                What::Data(data) => to.scalar(Scalar::Bytes(self.data(data)), at)?,
            };
        }
        Ok(flow)
    }

    /// For members: the path of the current value, or, if not `inside`, of the container around it. Of
    /// the open containers, counted from the record, some are dicts: behind a value of one of these there
    /// is no current value, as for whoever makes objects.
    pub(crate) fn path(&self, inside: bool, is_dict: impl Fn(usize) -> bool) -> Vec<PathStep> {
        // For the record and each open map or list: the step to its current value.
        let mut steps: Vec<Option<PathStep>> = vec![None];
        // How many steps there were when the last value of a map ended.
        let mut behind = 0;
        for Event { what, .. } in &self.events {
            let mut is_value = false;
            match *what {
                What::BeginMap => append(&mut steps, None),
                What::BeginList => append(&mut steps, Some(PathStep::Index(0))),
                What::EndMap | What::EndList => {
                    steps.pop();
                    is_value = true;
                }
                What::Key(name) => {
                    let key = PathStep::Key(copied(self.text(name)));
                    steps.last_mut().into_iter().for_each(|step| *step = Some(key.clone()));
                }
                What::Name(_) | What::Piece(_) => {}
                _ => is_value = true,
            }
            behind = if is_value { steps.len() } else { 0 };
            if is_value && let Some(Some(PathStep::Index(index))) = steps.last_mut() {
                *index += 1;
            }
        }
        if behind > 0 && is_dict(behind - 1) {
            steps.last_mut().into_iter().for_each(|step| *step = None);
        }
        if !inside {
            steps.pop();
        }
        gathered(steps.into_iter().flatten())
    }
}
