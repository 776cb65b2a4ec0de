//! What becomes of each event: those of a record go to the inner sink.

use super::Select;
use crate::event::{Key, KeyKind, KnownKeys, Row, Rows, Text};
use crate::forward;
use crate::protocol::{Coming, Flow, Hints, Listener, LookAhead, RowsAs, Sink, Want, expand};

/// The methods that treat all events of a record alike. In a record they forward the event with the
/// same method; outside they ignore it.
macro_rules! filtered {
    ($trait:ident $($how:ident $method:ident($($argument:ident: $type:ty),*) $(-> $result:ty)?;)*) => {
        $(filtered! { @ $method($($argument: $type),*) $(-> $result)? })*
    };
    // Written by hand: these find the records and count what is open.
    (@ begin_map $($rest:tt)*) => {};
    (@ end_map $($rest:tt)*) => {};
    (@ begin_list $($rest:tt)*) => {};
    (@ end_list $($rest:tt)*) => {};
    (@ name $($rest:tt)*) => {};
    (@ key $($rest:tt)*) => {};
    (@ written_key $($rest:tt)*) => {};
    (@ abandon $($rest:tt)*) => {};
    // A scalar may be a record itself.
    (@ scalar $($rest:tt)*) => { filtered! { @@ scalar $($rest)* } };
    (@ null $($rest:tt)*) => { filtered! { @@ null $($rest)* } };
    (@ boolean $($rest:tt)*) => { filtered! { @@ boolean $($rest)* } };
    (@ int $($rest:tt)*) => { filtered! { @@ int $($rest)* } };
    (@ float $($rest:tt)*) => { filtered! { @@ float $($rest)* } };
    (@ number $($rest:tt)*) => { filtered! { @@ number $($rest)* } };
    (@ text $($rest:tt)*) => { filtered! { @@ text $($rest)* } };
    (@ written_text $($rest:tt)*) => { filtered! { @@ written_text $($rest)* } };
    (@ written_number $($rest:tt)*) => { filtered! { @@ written_number $($rest)* } };
    (@@ $method:ident($($argument:ident: $type:ty),*) -> $result:ty) => {
        #[inline(always)]
        fn $method(&mut self, $($argument: $type),*) -> $result {
            if self.forwards() { self.inner.$method($($argument),*) } else { Ok(Flow::Take) }
        }
    };
    (@ $method:ident($($argument:ident: $type:ty),*) -> $result:ty) => {
        #[inline(always)]
        fn $method(&mut self, $($argument: $type),*) -> $result {
            if self.depth > 0 { self.inner.$method($($argument),*) } else { Ok(Flow::Take) }
        }
    };
    (@ $method:ident($($argument:ident: $type:ty),*)) => {
        #[inline(always)]
        fn $method(&mut self, $($argument: $type),*) {
            if self.depth > 0 {
                self.inner.$method($($argument),*);
            }
        }
    };
}

impl<S: Listener> Sink for Select<S> {
    type Error = S::Error;

    forward!(sink, filtered);

    #[inline(always)]
    fn begin_map(&mut self, at: u64) -> Result<Flow, Self::Error> {
        if self.depth == 0
            && let Some(flow) = self.outer_begin(false, at)
        {
            return Ok(flow);
        }
        let flow = self.inner.begin_map(at)?;
        self.depth += usize::from(flow != Flow::Skip);
        Ok(flow)
    }
    #[inline(always)]
    fn end_map(&mut self, at: u64) -> Result<Flow, Self::Error> {
        if self.depth == 0 {
            self.outer_end();
            return Ok(Flow::Take);
        }
        self.depth -= 1;
        self.inner.end_map(at)
    }
    #[inline(always)]
    fn begin_list(&mut self, at: u64) -> Result<Flow, Self::Error> {
        if self.depth == 0
            && let Some(flow) = self.outer_begin(true, at)
        {
            return Ok(flow);
        }
        let flow = self.inner.begin_list(at)?;
        self.depth += usize::from(flow != Flow::Skip);
        Ok(flow)
    }
    #[inline(always)]
    fn end_list(&mut self, at: u64) -> Result<Flow, Self::Error> {
        if self.depth == 0 {
            self.outer_end();
            return Ok(Flow::Take);
        }
        self.depth -= 1;
        self.inner.end_list(at)
    }
    #[inline(always)]
    fn name(&mut self, key: Key<'_>, at: u64) -> Result<Flow, Self::Error> {
        if self.depth > 0 { self.inner.name(key, at) } else { Ok(self.outer_key(&key)) }
    }
    #[inline(always)]
    fn key(&mut self, name: Text<'_>, at: u64) -> Result<Flow, Self::Error> {
        if self.depth > 0 {
            return self.inner.key(name, at);
        }
        let key = Key { name, namespace: None, prefix: None, kind: KeyKind::Member };
        Ok(self.outer_key(&key))
    }
    #[inline(always)]
    fn written_key(&mut self, name: Text<'_>, raw: Text<'_>, at: u64) -> Result<Flow, Self::Error> {
        if self.depth > 0 { self.inner.written_key(name, raw, at) } else { self.key(name, at) }
    }
    fn abandon(&mut self) {
        self.depth = 0;
        self.pending = None;
        self.inner.abandon();
    }
}

/// The reader's questions go to the inner sink, with two exceptions: the inner sink's expectations
/// for a record do not hold outside of one.
macro_rules! hinted {
    ($trait:ident $($how:ident $method:ident($($argument:ident: $type:ty),*) -> $result:ty;)*) => {
        $(hinted! { @ $method($($argument: $type),*) -> $result })*
    };
    (@ expected_key $($rest:tt)*) => {};
    (@ expected_name $($rest:tt)*) => {};
    (@ members_ahead $($rest:tt)*) => {};
    (@ object_ahead $($rest:tt)*) => {};
    (@ ignores_scalar $($rest:tt)*) => {};
    (@ $method:ident($($argument:ident: $type:ty),*) -> $result:ty) => {
        #[inline(always)]
        fn $method(&self, $($argument: $type),*) -> $result {
            self.inner.$method($($argument),*)
        }
    };
}

impl<S: Listener> Hints for Select<S> {
    // The form of numbers and strings is asked for outside the records as well: the next value may
    // be a record. `Select` never answers `Watch` outside the records, so the sink is asked for
    // names only in a record.
    forward!(hints, hinted);

    #[inline(always)]
    fn expected_key(&self) -> &[u8] {
        if self.depth > 0 { self.inner.expected_key() } else { &[] }
    }
    #[inline(always)]
    fn expected_name(&self) -> &[u8] {
        if self.depth > 0 { self.inner.expected_name() } else { &[] }
    }
    #[inline(always)]
    fn members_ahead(&self) -> &[Coming] {
        if self.depth > 0 { self.inner.members_ahead() } else { &[] }
    }
    #[inline(always)]
    fn object_ahead(&self) -> &[Coming] {
        if self.depth > 0 { self.inner.object_ahead() } else { &[] }
    }
    #[inline(always)]
    fn ignores_scalar(&self) -> bool {
        self.depth > 0 && self.inner.ignores_scalar()
    }
}

/// The reader looks ahead only in maps inside a record, because outside nobody answers `Look`.
macro_rules! looking {
    ($trait:ident $($how:ident $method:ident($($argument:ident: $type:ty),*) $(-> $result:ty)?;)*) => {
        $(looking! { @ $how $method($($argument: $type),*) $(-> $result)? })*
    };
    // Written by hand: records may be rows.
    (@ mut known_keys $($rest:tt)*) => {};
    (@ mut row $($rest:tt)*) => {};
    (@ ref takes_rows $($rest:tt)*) => {};
    (@ mut rows $($rest:tt)*) => {};
    (@ mut tag_found($($argument:ident: $type:ty),*) -> $result:ty) => {
        #[inline(always)]
        fn tag_found(&mut self, $($argument: $type),*) -> $result {
            self.inner.tag_found($($argument),*)
        }
    };
    (@ mut $method:ident($($argument:ident: $type:ty),*) -> $result:ty) => {
        fn $method(&mut self, $($argument: $type),*) -> $result {
            let answer = self.inner.$method($($argument),*);
            self.looked(answer)
        }
    };
    (@ ref $method:ident($($argument:ident: $type:ty),*) -> $result:ty) => {
        #[inline(always)]
        fn $method(&self, $($argument: $type),*) -> $result {
            self.inner.$method($($argument),*)
        }
    };
}

impl<S: Listener> LookAhead for Select<S> {
    forward!(ahead, looking);

    fn known_keys(
        &mut self,
        known: &KnownKeys<'_>,
        wanted: &mut [Option<Want>],
    ) -> Result<RowsAs, Self::Error> {
        self.shapes.retain(|shape| *shape != known.shape);
        if self.depth == 0 && !self.records_follow() {
            return Ok(RowsAs::Maps);
        }
        self.shapes.push(known.shape);
        self.inner.known_keys(known, wanted)
    }

    fn takes_rows(&self) -> bool {
        // Each record is counted, so those outside of any come one by one.
        self.depth > 0 && self.inner.takes_rows()
    }
    fn rows(&mut self, rows: &Rows<'_>) -> Result<(usize, Flow), Self::Error> {
        if self.depth == 0 {
            return Ok((0, Flow::Take));
        }
        self.inner.rows(rows)
    }
    fn row(&mut self, row: &mut Row<'_>) -> Result<Flow, Self::Error> {
        if row.is_new() {
            self.forwards_row = self.shapes.contains(&row.shape);
            if self.forwards_row && self.depth == 0 {
                match self.outer_begin(false, row.at) {
                    None => {}
                    Some(Flow::Skip) => {
                        row.take();
                        return Ok(Flow::Skip);
                    }
                    Some(_) => {
                        row.take_begin();
                        self.forwards_row = false;
                    }
                }
            }
            self.depth += usize::from(self.forwards_row);
        }
        if !self.forwards_row {
            return expand(self, row);
        }
        let flow = self.inner.row(row)?;
        let is_over = row.end.is_some() || flow == Flow::Skip;
        self.depth -= usize::from(row.is_done() && is_over);
        Ok(flow)
    }
}
