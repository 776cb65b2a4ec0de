//! Shortens long records while they are read, so that `penstock head` needs little memory for any
//! record. It also keeps the name of each record.
//!
//! A number of characters of a record are passed on unchanged. After that, the elements of
//! a list are only counted. Members of a map still come, but a map or list among them becomes a
//! sign. An element of XML comes without its child elements, and is only counted if it has the
//! name of the one before. After twice as many characters, all members are only counted. At the end of a map or list, the count is one more of its
//! members. The reader skips everything else without making events of it.

use super::destination::Builder;
use super::scope::{by_outlet, outlet_destination};
use crate::objects::{Owned, Refusal, Side, written};
use penstock_core::event::{Key, KeyKind, Scalar, Text};
use penstock_core::formats::Reader;
use penstock_core::forward;
use penstock_core::path_step::PathStep;
use penstock_core::protocol::{Flow, Hints, LookAhead, Sink};
use penstock_core::run::{Failed, RecordScope, Run, Turn, Windows};
use penstock_core::shape::Shape;
use penstock_core::value::number::Outcome;
use pyo3::prelude::*;

/// How many characters of a piece of text are passed on in the rest of a long record.
const REST: usize = 40;

/// The key, and the beginning of the text, that stand for what was left out.
const DOTS: &str = "\u{2026}";

/// What is remembered between two events.
#[derive(Debug)]
pub(crate) struct Shortener {
    /// How many characters of a record are passed on unchanged.
    whole: usize,
    /// The open maps and lists of the record.
    open: Vec<Open>,
    /// The characters of the record so far.
    used: usize,
    /// Whether something was left out.
    cut: bool,
    /// The last step of the path to the record; None if the record is the document.
    step: Option<PathStep>,
    /// The last key or name outside of records, as the document writes it.
    key: String,
    /// Whether the next value is the member of a map.
    after_key: bool,
}

/// An open map or list.
#[derive(Debug)]
struct Open {
    /// How many members or elements were left out.
    left_out: u64,
    /// Whether all of its elements are left out.
    is_leaf: bool,
    is_list: bool,
    /// The name of the last child element.
    element: String,
}

impl Open {
    fn new(is_list: bool, is_leaf: bool) -> Self {
        Open { left_out: 0, is_leaf, is_list, element: String::new() }
    }
}

/// What is known of the last record, besides its value.
pub(crate) struct Last {
    /// The key or name that led to it, as the document writes it.
    pub(crate) name: Option<String>,
    /// Whether something was left out.
    pub(crate) cut: bool,
}

impl Shortener {
    /// Passes so many characters of each record on unchanged; all of them, if there is no number.
    pub(crate) fn new(whole: Option<usize>) -> Self {
        Shortener {
            whole: whole.unwrap_or(usize::MAX),
            open: Vec::new(),
            used: 0,
            cut: false,
            step: None,
            key: String::new(),
            after_key: false,
        }
    }

    /// Advances a run of which each record is shortened.
    #[cold]
    pub(crate) fn advance(
        &mut self,
        run: &mut Run<Reader, Windows, PyErr>,
        builder: &mut Builder,
    ) -> Result<Turn<PyErr>, Failed<PyErr, PyErr>> {
        match builder {
            Builder::Keyed(scope) if !scope.is_conditional() => {
                run.advance(&mut Shortened { scope, state: self })
            }
            Builder::Markup(scope) if !scope.is_conditional() => {
                run.advance(&mut Shortened { scope, state: self })
            }
            // Nobody asks for columns as well. A condition asks for whole records.
            _ => run.advance(builder),
        }
    }

    /// What is known of the record that was read last.
    pub(crate) fn last(&self) -> Last {
        let name = match &self.step {
            Some(PathStep::Key(_)) => Some(self.key.clone()),
            Some(PathStep::Attribute(_)) => Some(format!("@{}", self.key)),
            Some(PathStep::Index(_)) | None => None,
        };
        Last { name, cut: self.cut }
    }

    /// Begins a record.
    fn begin(&mut self, step: Option<PathStep>) {
        self.open.clear();
        (self.used, self.cut, self.after_key, self.step) = (0, false, false, step);
    }

    fn is_long(&self) -> bool {
        self.used > self.whole
    }

    fn is_too_long(&self) -> bool {
        self.used > self.whole.saturating_mul(2)
    }

    /// Whether a key and its value are left out.
    fn omits_key(&mut self, length: usize, element: Option<&str>) -> bool {
        let (is_long, is_too_long) = (self.is_long(), self.is_too_long());
        let Some(open) = self.open.last_mut() else { return false };
        let is_unwanted =
            element.is_some_and(|name| is_long && (open.is_leaf || open.element == name));
        if is_unwanted || is_too_long {
            open.left_out += 1;
            self.cut = true;
            return true;
        }
        if let Some(name) = element {
            open.element.clear();
            open.element.push_str(name);
        }
        self.used += length + 4;
        self.after_key = true;
        false
    }

    /// Whether a value is left out that no key came before.
    fn omits_value(&mut self) -> bool {
        if std::mem::take(&mut self.after_key) || !self.is_long() {
            return false;
        }
        let Some(open) = self.open.last_mut().filter(|open| open.is_list) else { return false };
        open.left_out += 1;
        self.cut = true;
        true
    }
}

/// A scope in front of which records are shortened.
struct Shortened<'a, S: Side> {
    scope: &'a mut RecordScope<Owned<S>>,
    state: &'a mut Shortener,
}

outlet_destination!(Shortened);

/// Calls a method of the sink in the scope.
macro_rules! inside {
    ($self:ident.$method:ident($($argument:expr),*)) => {
        match $self.scope {
            RecordScope::Root(sink) => sink.$method($($argument),*),
            RecordScope::Inside(sink) => sink.$method($($argument),*),
            RecordScope::Where(_) => unreachable!("see `is_conditional`"),
        }
    };
}

impl<S: Side> Shortened<'_, S> {
    /// Whether the next event belongs to a record that has begun.
    fn in_record(&self) -> bool {
        match &*self.scope {
            RecordScope::Root(_) => !self.state.open.is_empty(),
            RecordScope::Inside(select) => select.in_record(),
            RecordScope::Where(_) => unreachable!("see `is_conditional`"),
        }
    }

    /// Begins a record, before its first event. Outside of records this does nothing that stays.
    fn begin_record(&mut self) {
        let step = match &*self.scope {
            RecordScope::Root(_) => None,
            RecordScope::Inside(select) => select.path_prefix().pop(),
            RecordScope::Where(_) => unreachable!("see `is_conditional`"),
        };
        self.state.begin(step);
    }

    /// A scalar of so many characters, which `give` passes on.
    fn value(
        &mut self,
        length: usize,
        give: impl FnOnce(&mut RecordScope<Owned<S>>) -> Result<Flow, Refusal>,
    ) -> Result<Flow, Refusal> {
        if !self.in_record() {
            let flow = give(self.scope)?;
            // It may have been a record.
            self.begin_record();
            return Ok(flow);
        }
        if self.state.omits_value() {
            return Ok(Flow::Take);
        }
        self.state.used += length + 2;
        give(self.scope)
    }

    /// A map or list, which `give` passes on.
    fn container(
        &mut self,
        is_list: bool,
        at: u64,
        give: impl FnOnce(&mut RecordScope<Owned<S>>) -> Result<Flow, Refusal>,
    ) -> Result<Flow, Refusal> {
        let is_markup = matches!(S::SHAPE, Shape::Elements);
        if !self.in_record() {
            let flow = give(self.scope)?;
            let begins = match &*self.scope {
                RecordScope::Root(_) => true,
                RecordScope::Inside(select) => select.in_record(),
                RecordScope::Where(_) => unreachable!("see `is_conditional`"),
            };
            if begins {
                self.begin_record();
                self.state.open.push(Open::new(is_list, false));
            }
            return Ok(flow);
        }
        if self.state.omits_value() {
            return Ok(Flow::Skip);
        }
        let is_long = self.state.is_long();
        if is_long && !is_markup {
            self.state.cut = true;
            let sign = if is_list { "[\u{2026}]" } else { "{\u{2026}}" };
            inside!(self.text(sign.into(), at))?;
            return Ok(Flow::Skip);
        }
        self.state.used += 2;
        self.state.open.push(Open::new(is_list, is_long));
        let flow = give(self.scope)?;
        if flow == Flow::Skip {
            self.state.open.pop();
        }
        Ok(flow)
    }

    /// The end of a map or list: adds what was left out.
    fn close(&mut self, at: u64) -> Result<(), Refusal> {
        if !self.in_record() {
            return Ok(());
        }
        let Some(Open { left_out, is_list, .. }) = self.state.open.pop() else { return Ok(()) };
        if left_out == 0 {
            return Ok(());
        }
        let more = format!("{left_out} more");
        if matches!(S::SHAPE, Shape::Elements) {
            let (namespace, prefix, kind) = (None, None, KeyKind::Element);
            inside!(self.name(Key { name: DOTS.into(), namespace, prefix, kind }, at))?;
            inside!(self.begin_map(at))?;
            inside!(self.piece(more.as_str().into(), at))?;
            inside!(self.end_map(at))?;
        } else if is_list {
            inside!(self.text(format!("{DOTS} {more}").as_str().into(), at))?;
        } else {
            inside!(self.key(DOTS.into(), at))?;
            inside!(self.text(more.as_str().into(), at))?;
        }
        Ok(())
    }

    /// A key in a record, of so many bytes, which `give` passes on.
    fn member(
        &mut self,
        length: usize,
        element: Option<&str>,
        give: impl FnOnce(&mut RecordScope<Owned<S>>) -> Result<Flow, Refusal>,
    ) -> Result<Flow, Refusal> {
        if self.state.omits_key(length, element) {
            return Ok(Flow::Skip);
        }
        let flow = give(self.scope)?;
        self.state.after_key &= flow != Flow::Skip;
        Ok(flow)
    }
}

/// The methods that are passed on as they are; the others are written out below.
macro_rules! passed {
    ($trait:ident $($how:ident $method:ident($($argument:ident: $kind:ty),*) $(-> $result:ty)?;)*) => {
        $(passed! { @ $how $method($($argument: $kind),*) $(-> $result)? })*
    };
    (@ mut begin_map $($rest:tt)*) => {};
    (@ mut end_map $($rest:tt)*) => {};
    (@ mut begin_list $($rest:tt)*) => {};
    (@ mut end_list $($rest:tt)*) => {};
    (@ mut name $($rest:tt)*) => {};
    (@ mut key $($rest:tt)*) => {};
    (@ mut written_key $($rest:tt)*) => {};
    (@ mut expected_key_found $($rest:tt)*) => {};
    // It answers each member, so the reader finds none ahead.
    (@ ref members_ahead $($rest:tt)*) => {};
    (@ ref object_ahead $($rest:tt)*) => {};
    (@ mut scalar $($rest:tt)*) => {};
    (@ mut null $($rest:tt)*) => {};
    (@ mut boolean $($rest:tt)*) => {};
    (@ mut int $($rest:tt)*) => {};
    (@ mut float $($rest:tt)*) => {};
    (@ mut number $($rest:tt)*) => {};
    (@ mut text $($rest:tt)*) => {};
    (@ mut written_text $($rest:tt)*) => {};
    (@ mut written_number $($rest:tt)*) => {};
    (@ mut piece $($rest:tt)*) => {};
    (@ mut abandon $($rest:tt)*) => {};
    (@ mut $method:ident($($argument:ident: $kind:ty),*) $(-> $result:ty)?) => {
        fn $method(&mut self, $($argument: $kind),*) $(-> $result)? {
            inside!(self.$method($($argument),*))
        }
    };
    (@ ref $method:ident($($argument:ident: $kind:ty),*) -> $result:ty) => {
        fn $method(&self, $($argument: $kind),*) -> $result {
            match &*self.scope {
                RecordScope::Root(sink) => sink.$method($($argument),*),
                RecordScope::Inside(sink) => sink.$method($($argument),*),
                RecordScope::Where(_) => unreachable!("see `is_conditional`"),
            }
        }
    };
}

/// Scalars whose length is known or does not matter.
macro_rules! scalars {
    ($($method:ident($($argument:ident: $kind:ty),*) = $length:expr;)*) => {
        $(fn $method(&mut self, $($argument: $kind,)* at: u64) -> Result<Flow, Refusal> {
            self.value($length, |scope| match scope {
                RecordScope::Root(sink) => sink.$method($($argument,)* at),
                RecordScope::Inside(sink) => sink.$method($($argument,)* at),
                RecordScope::Where(_) => unreachable!("see `is_conditional`"),
            })
        })*
    };
}

/// Keys, each as it is written, with its length and, for an element, its name.
macro_rules! keys {
    ($($method:ident($($argument:ident: $kind:ty),*) = $outer:expr, $length:expr, $element:expr;)*) => {
        $(fn $method(&mut self, $($argument: $kind,)* at: u64) -> Result<Flow, Refusal> {
            if !self.in_record() {
                let outer: String = $outer;
                self.state.key = outer;
                return inside!(self.$method($($argument,)* at));
            }
            self.member($length, $element, |scope| match scope {
                RecordScope::Root(sink) => sink.$method($($argument,)* at),
                RecordScope::Inside(sink) => sink.$method($($argument,)* at),
                RecordScope::Where(_) => unreachable!("see `is_conditional`"),
            })
        })*
    };
}

/// Beginnings of maps and lists.
macro_rules! begins {
    ($($method:ident = $is_list:expr;)*) => {
        $(fn $method(&mut self, at: u64) -> Result<Flow, Refusal> {
            self.container($is_list, at, |scope| match scope {
                RecordScope::Root(sink) => sink.$method(at),
                RecordScope::Inside(sink) => sink.$method(at),
                RecordScope::Where(_) => unreachable!("see `is_conditional`"),
            })
        })*
    };
}

impl<S: Side> Sink for Shortened<'_, S> {
    type Error = Refusal;

    forward!(sink, passed);

    scalars! {
        scalar(value: Scalar<'_>) = match value {
            Scalar::Text(text) | Scalar::Untyped(text) => text.bytes().len(),
            Scalar::Number(digits) | Scalar::Decimal(digits) | Scalar::Bytes(digits) => {
                digits.len()
            }
            _ => 8,
        };
        null() = 4;
        boolean(value: bool) = 5;
        int(value: i64) = 8;
        float(value: f64) = 8;
        number(digits: &[u8]) = digits.len();
        text(text: Text<'_>) = text.bytes().len();
        written_text(raw: Text<'_>, escaped: bool) = raw.bytes().len();
        written_number(digits: &[u8], found: Outcome) = digits.len();
    }
    keys! {
        name(key: Key<'_>) = written(&key), key.name.bytes().len(), {
            (key.kind == KeyKind::Element).then(|| key.name.text.as_str())
        };
        key(key: Text<'_>) = key.text.as_str().to_owned(), key.bytes().len(), None;
        written_key(key: Text<'_>, raw: Text<'_>) = key.text.as_str().to_owned(), key.bytes().len(), None;
        expected_key_found() = String::new(), 8, None;
    }
    begins! {
        begin_map = false;
        begin_list = true;
    }

    fn end_map(&mut self, at: u64) -> Result<Flow, Refusal> {
        self.close(at)?;
        inside!(self.end_map(at))
    }
    fn end_list(&mut self, at: u64) -> Result<Flow, Refusal> {
        self.close(at)?;
        inside!(self.end_list(at))
    }
    fn piece(&mut self, text: Text<'_>, at: u64) -> Result<Flow, Refusal> {
        let length = text.bytes().len();
        let left = self.state.whole.saturating_sub(self.state.used).max(REST);
        if !self.in_record() || length <= left && !self.state.is_long() {
            self.state.used += length;
            return inside!(self.piece(text, at));
        }
        if self.state.is_too_long() || text.text.as_str().trim_ascii().is_empty() {
            return Ok(Flow::Take);
        }
        let text = text.text.as_str();
        self.state.used += left;
        match text.char_indices().nth(left) {
            None => inside!(self.piece(text.into(), at)),
            Some((end, _)) => {
                self.state.cut = true;
                inside!(self.piece(format!("{}{DOTS}", &text[..end]).as_str().into(), at))
            }
        }
    }
    fn abandon(&mut self) {
        self.state.open.clear();
        inside!(self.abandon());
    }
}

impl<S: Side> Hints for Shortened<'_, S> {
    forward!(hints, passed);
}

impl<S: Side> LookAhead for Shortened<'_, S> {
    forward!(ahead, passed);
}
