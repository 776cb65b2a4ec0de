//! The methods of a sink that passes on what a condition wants.

use super::super::test::Kind;
use super::super::{Term, Truth};
use super::{Filtered, Frame, Left, MOST_TEXT, Stage};
use crate::event::{Key, KeyKind, KnownKeys, Members, Row, Rows, Scalar, Text};
use crate::forward;
use crate::protocol::{
    Coming, Flow, Hints, Judge, Listener, Look, LookAhead, RowsAs, Sink, Want, expand,
};
use crate::value::number::Outcome;
use penstock_scan::{make_room, unescape_json};

/// The methods that report a value. They are all alike.
macro_rules! values {
    ($trait:ident $($how:ident $method:ident($($argument:ident: $type:ty),*) $(-> $result:ty)?;)*) => {
        $(values! { @ $method($($argument: $type),*) $(-> $result)? })*
    };
    (@ null($at:ident: $type:ty) -> $result:ty) => {
        values! { @@ null($at: $type) -> $result, $at, Scalar::Null }
    };
    (@ boolean($value:ident: $kind:ty, $at:ident: $type:ty) -> $result:ty) => {
        values! { @@ boolean($value: $kind, $at: $type) -> $result, $at, Scalar::Bool($value) }
    };
    (@ int($value:ident: $kind:ty, $at:ident: $type:ty) -> $result:ty) => {
        values! { @@ int($value: $kind, $at: $type) -> $result, $at, Scalar::Int($value) }
    };
    (@ float($value:ident: $kind:ty, $at:ident: $type:ty) -> $result:ty) => {
        values! { @@ float($value: $kind, $at: $type) -> $result, $at, Scalar::Float($value) }
    };
    (@ number($value:ident: $kind:ty, $at:ident: $type:ty) -> $result:ty) => {
        values! { @@ number($value: $kind, $at: $type) -> $result, $at, Scalar::Number($value) }
    };
    (@ text($value:ident: $kind:ty, $at:ident: $type:ty) -> $result:ty) => {
        values! { @@ text($value: $kind, $at: $type) -> $result, $at, Scalar::Text($value) }
    };
    (@ scalar($value:ident: $kind:ty, $at:ident: $type:ty) -> $result:ty) => {
        values! { @@ scalar($value: $kind, $at: $type) -> $result, $at, $value }
    };
    (@@ $method:ident($($argument:ident: $type:ty),*) -> $result:ty, $at:ident, $value:expr) => {
        #[inline(always)]
        fn $method(&mut self, $($argument: $type),*) -> $result {
            if self.direct {
                return self.inner.$method($($argument),*).map_err(Left::Refused);
            }
            self.value($value, $at, |inner| inner.$method($($argument),*))
        }
    };
    // What says more of the value or the record that follows.
    (@ matched($by:ident: $type:ty)) => {
        fn matched(&mut self, $by: $type) {
            self.inner.matched($by);
        }
    };
    (@ record($kind:ident: $type:ty)) => {
        fn record(&mut self, $kind: $type) {
            self.inner.record($kind);
        }
    };
    (@ container($container:ident: $type:ty)) => {
        fn container(&mut self, $container: $type) {
            if self.tells() {
                self.inner.container($container);
            }
        }
    };
    // All others are written by hand.
    (@ $method:ident $($rest:tt)*) => {};
}

impl<S: Listener> Sink for Filtered<S> {
    type Error = Left<S::Error>;

    forward!(sink, values);

    #[inline(always)]
    fn begin_map(&mut self, at: u64) -> Result<Flow, Self::Error> {
        if self.direct {
            let flow = self.inner.begin_map(at).map_err(Left::Refused)?;
            self.depth += usize::from(flow != Flow::Skip);
            return Ok(flow);
        }
        self.begin(false, at)
    }
    #[inline(always)]
    fn end_map(&mut self, at: u64) -> Result<Flow, Self::Error> {
        if self.direct {
            self.depth -= 1;
            if self.depth == 0 {
                self.stage = Stage::Outside;
                self.direct = false;
            }
            return self.inner.end_map(at).map_err(Left::Refused);
        }
        self.end(false, at)
    }
    #[inline(always)]
    fn begin_list(&mut self, at: u64) -> Result<Flow, Self::Error> {
        if self.direct {
            let flow = self.inner.begin_list(at).map_err(Left::Refused)?;
            self.depth += usize::from(flow != Flow::Skip);
            return Ok(flow);
        }
        self.begin(true, at)
    }
    #[inline(always)]
    fn end_list(&mut self, at: u64) -> Result<Flow, Self::Error> {
        if self.direct {
            self.depth -= 1;
            if self.depth == 0 {
                self.stage = Stage::Outside;
                self.direct = false;
            }
            return self.inner.end_list(at).map_err(Left::Refused);
        }
        self.end(true, at)
    }
    #[inline(always)]
    fn name(&mut self, key: Key<'_>, at: u64) -> Result<Flow, Self::Error> {
        if self.direct {
            return self.inner.name(key, at).map_err(Left::Refused);
        }
        self.key_of(&key, at, |inner| inner.name(key, at))
    }
    #[inline(always)]
    fn key(&mut self, name: Text<'_>, at: u64) -> Result<Flow, Self::Error> {
        if self.direct {
            return self.inner.key(name, at).map_err(Left::Refused);
        }
        self.key_of(&member(name), at, |inner| inner.key(name, at))
    }
    #[inline(always)]
    fn written_key(&mut self, name: Text<'_>, raw: Text<'_>, at: u64) -> Result<Flow, Self::Error> {
        if self.direct {
            return self.inner.written_key(name, raw, at).map_err(Left::Refused);
        }
        self.key_of(&member(name), at, |inner| inner.written_key(name, raw, at))
    }
    #[inline(always)]
    fn expected_key_found(&mut self, at: u64) -> Result<Flow, Self::Error> {
        if self.direct {
            return self.inner.expected_key_found(at).map_err(Left::Refused);
        }
        // No term asks for its value.
        (self.target, self.is_element) = (None, false);
        let answer = self.inner.expected_key_found(at);
        Ok(self.refuse(answer, at)?.unwrap_or(Flow::Skip))
    }
    fn piece(&mut self, text: Text<'_>, at: u64) -> Result<Flow, Self::Error> {
        if self.direct {
            return self.inner.piece(text, at).map_err(Left::Refused);
        }
        if self.strings > 0 && self.stage == Stage::Open && self.string.len() < MOST_TEXT {
            make_room(&mut self.string, text.bytes().len());
            self.string.push_str(text.text.as_str());
        }
        if self.watches()
            && let Some(Frame { text: Some(from), .. }) = self.frames.last()
            && self.text.len() - from < MOST_TEXT
        {
            make_room(&mut self.text, text.bytes().len());
            self.text.push_str(text.text.as_str());
        }
        if !self.tells() {
            return Ok(Flow::Take);
        }
        let answer = self.inner.piece(text, at);
        Ok(self.refuse(answer, at)?.unwrap_or(Flow::Take))
    }
    fn comment(&mut self, text: Text<'_>, at: u64) -> Result<Flow, Self::Error> {
        if !self.tells() {
            return Ok(Flow::Take);
        }
        let answer = self.inner.comment(text, at);
        Ok(self.refuse(answer, at)?.unwrap_or(Flow::Take))
    }
    fn instruction(
        &mut self,
        target: Text<'_>,
        data: Text<'_>,
        at: u64,
    ) -> Result<Flow, Self::Error> {
        if !self.tells() {
            return Ok(Flow::Take);
        }
        let answer = self.inner.instruction(target, data, at);
        Ok(self.refuse(answer, at)?.unwrap_or(Flow::Take))
    }
    fn written_text(&mut self, raw: Text<'_>, escaped: bool, at: u64) -> Result<Flow, Self::Error> {
        if self.direct {
            return self.inner.written_text(raw, escaped, at).map_err(Left::Refused);
        }
        if !escaped {
            let tell = |inner: &mut S| inner.written_text(raw, escaped, at);
            return self.value(Scalar::Text(raw), at, tell);
        }
        let mut room = std::mem::take(&mut self.room);
        room.clear();
        // The reader has checked the escapes.
        let _ = unescape_json(raw.text, &mut room);
        let value = Scalar::Text(Text { text: room.text(), ascii: false });
        let flow = self.value(value, at, |inner| inner.written_text(raw, escaped, at));
        self.room = room;
        flow
    }
    fn written_number(
        &mut self,
        digits: &[u8],
        found: Outcome,
        at: u64,
    ) -> Result<Flow, Self::Error> {
        if self.direct {
            return self.inner.written_number(digits, found, at).map_err(Left::Refused);
        }
        let tell = |inner: &mut S| inner.written_number(digits, found, at);
        self.value(Scalar::Number(digits), at, tell)
    }
    #[inline(always)]
    fn members(&mut self, members: &Members<'_>) -> Result<Flow, Self::Error> {
        // Nobody is asked for members ahead otherwise.
        debug_assert!(self.direct);
        self.inner.members(members).map_err(Left::Refused)
    }
    #[inline(always)]
    fn object(&mut self, members: &Members<'_>, at: u64, end: u64) -> Result<Flow, Self::Error> {
        debug_assert!(self.direct);
        self.inner.object(members, at, end).map_err(Left::Refused)
    }
    fn abandon(&mut self) {
        self.forget();
        self.inner.abandon();
    }
}

fn member(name: Text<'_>) -> Key<'_> {
    Key { name, namespace: None, prefix: None, kind: KeyKind::Member }
}

/// The reader's questions go to the destination, as far as its answers hold.
macro_rules! hinted {
    ($trait:ident $($how:ident $method:ident($($argument:ident: $type:ty),*) -> $result:ty;)*) => {
        $(hinted! { @ $method($($argument: $type),*) -> $result })*
    };
    (@ expected_key $($rest:tt)*) => {};
    (@ expected_name $($rest:tt)*) => {};
    (@ members_ahead $($rest:tt)*) => {};
    (@ object_ahead $($rest:tt)*) => {};
    (@ want $($rest:tt)*) => {};
    (@ ignores_scalar $($rest:tt)*) => {};
    (@ wakes $($rest:tt)*) => {};
    (@ $method:ident($($argument:ident: $type:ty),*) -> $result:ty) => {
        fn $method(&self, $($argument: $type),*) -> $result {
            self.inner.$method($($argument),*)
        }
    };
}

impl<S: Listener> Hints for Filtered<S> {
    forward!(hints, hinted);

    #[inline(always)]
    fn expected_key(&self) -> &[u8] {
        if self.direct {
            return self.inner.expected_key();
        }
        if !self.tells() {
            return &[];
        }
        let key = self.inner.expected_key();
        // As JSON writes it.
        let name = key.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\":"));
        if self.may_lead_on(name.unwrap_or(key)) { &[] } else { key }
    }
    #[inline(always)]
    fn expected_name(&self) -> &[u8] {
        if self.direct {
            return self.inner.expected_name();
        }
        if !self.tells() {
            return &[];
        }
        let name = self.inner.expected_name();
        if self.may_lead_on(name) { &[] } else { name }
    }
    #[inline(always)]
    fn members_ahead(&self) -> &[Coming] {
        if self.direct { self.inner.members_ahead() } else { &[] }
    }
    #[inline(always)]
    fn object_ahead(&self) -> &[Coming] {
        if self.direct { self.inner.object_ahead() } else { &[] }
    }
    #[inline(always)]
    fn want(&self) -> Want {
        if self.direct || self.tells() {
            return self.inner.want();
        }
        // Only terms get the value: of digits they make what the class would have.
        let is_decimal = |term: &Term| term.kind == Kind::Decimal;
        if self.condition.terms.iter().any(is_decimal) { Want::Digits } else { Want::Native }
    }
    #[inline(always)]
    fn ignores_scalar(&self) -> bool {
        if self.direct {
            return self.inner.ignores_scalar();
        }
        if self.depth == 0 || self.asks_next() {
            return false;
        }
        !self.tells() || self.inner.ignores_scalar()
    }
    fn wakes(&self, name: &[u8]) -> bool {
        self.inner.wakes(name)
    }
}

/// What the reader sees ahead is told to the destination, if it gets the map.
macro_rules! looking {
    ($trait:ident $($how:ident $method:ident($($argument:ident: $type:ty),*) $(-> $result:ty)?;)*) => {
        $(looking! { @ $method($($argument: $type),*) $(-> $result)? })*
    };
    (@ look_key($name:ident: $kind:ty, $at:ident: $type:ty) -> $result:ty) => {
        fn look_key(&mut self, $name: $kind, $at: $type) -> $result {
            let answer = self.inner.look_key($name, $at);
            self.looked(answer, $at)
        }
    };
    (@ look_value($value:ident: $kind:ty, $at:ident: $type:ty) -> $result:ty) => {
        fn look_value(&mut self, $value: $kind, $at: $type) -> $result {
            let answer = self.inner.look_value($value, $at);
            self.looked(answer, $at)
        }
    };
    (@ look_end($at:ident: $type:ty) -> $result:ty) => {
        fn look_end(&mut self, $at: $type) -> $result {
            let answer = self.inner.look_end($at);
            self.looked(answer, $at)
        }
    };
    (@ tag_wanted() -> $result:ty) => {
        fn tag_wanted(&self) -> $result {
            self.inner.tag_wanted()
        }
    };
    (@ tag_found($value:ident: $kind:ty) -> $result:ty) => {
        fn tag_found(&mut self, $value: $kind) -> $result {
            // The reader would not report that member again, and a term may ask for it.
            !self.watches() && self.inner.tag_found($value)
        }
    };
    (@ $method:ident $($rest:tt)*) => {};
}

impl<S: Listener> Filtered<S> {
    /// A map of which the destination wants nothing more ends for it, but not for the terms.
    fn looked(&mut self, answer: Result<Look, S::Error>, at: u64) -> Result<Look, Left<S::Error>> {
        match self.refuse(answer, at)? {
            Some(Look::Skip) if self.depth > 1 && self.watches() => {
                self.muted = Some(self.depth - 1);
                Ok(Look::Found)
            }
            Some(Look::Skip) => {
                self.depth -= 1;
                if self.depth == 0 {
                    self.forget();
                }
                Ok(Look::Skip)
            }
            Some(look) => Ok(look),
            None => Ok(Look::Found),
        }
    }
}

impl<S: Listener> LookAhead for Filtered<S> {
    forward!(ahead, looking);

    fn judge(&self) -> Option<Box<dyn Judge + '_>> {
        self.inner.judge()
    }

    fn known_keys(
        &mut self,
        known: &KnownKeys<'_>,
        wanted: &mut [Option<Want>],
    ) -> Result<RowsAs, Self::Error> {
        if self.stage != Stage::Outside {
            return Ok(RowsAs::Maps);
        }
        let rows = self.inner.known_keys(known, wanted).map_err(Left::Refused)?;
        self.shape = Some(known.shape);
        self.find_columns(known)?;
        self.unwanted.clear();
        self.unwanted.extend(wanted.iter().map(|wanted| wanted.is_none()));
        for (place, _) in &self.columns {
            wanted[*place].get_or_insert(Want::Digits);
        }
        Ok(rows)
    }

    fn row(&mut self, row: &mut Row<'_>) -> Result<Flow, Self::Error> {
        if self.shape != Some(row.shape) {
            return expand(self, row);
        }
        if row.is_new() && self.stage == Stage::Outside {
            if row.end.is_none() {
                return expand(self, row);
            }
            if self.test_row(row) != Truth::Yes {
                row.take();
                self.left_out += 1;
                return Ok(Flow::Skip);
            }
            self.keep();
            return self.tell_row(row);
        }
        // It was begun event by event, or it goes on.
        if self.stage == Stage::Outside { self.tell_row(row) } else { expand(self, row) }
    }

    fn takes_rows(&self) -> bool {
        false
    }
    fn rows(&mut self, _rows: &Rows<'_>) -> Result<(usize, Flow), Self::Error> {
        Ok((0, Flow::Take))
    }
}
