//! Repeated keys: which of the members of one key is written.
//!
//! If it is the first, or none, events go on to the writer as they come, and the keys of the open
//! maps are remembered, up to `limits.memory`. If it is the last, a record is kept until its end: its events, and which
//! members are replaced. Then the writer is told the others.

use super::out::{Out, Output};
use crate::error::brief;
use crate::event::{Key, KeyKind, Scalar, Text};
use crate::limits::Limits;
use crate::protocol::row::scalar as tell_scalar;
use crate::protocol::{Duplicates, Flow, Sink, Trail};
use crate::stage::{Held, Recording, behind_value};
use crate::writer::Unwritable;
use penstock_scan::{copied, make_room};
use std::collections::HashMap;

/// The record at hand.
#[derive(Debug)]
pub(super) struct Members {
    duplicates: Duplicates,
    /// The open maps, innermost last.
    open: Vec<Map>,
    /// About how many bytes the keys of all open maps take.
    bytes: usize,
    held: Recording,
    /// The events of the keys whose members are replaced.
    replaced: Vec<usize>,
    memory: u64,
    /// The event that the writer refused when it was told the record.
    refused_at: Option<u64>,
}

/// An open map.
#[derive(Debug, Default)]
struct Map {
    /// Its keys, and the event of the last member of each.
    keys: HashMap<Box<str>, usize>,
    /// About how many bytes they take.
    bytes: usize,
}

/// What becomes of a member.
pub(super) enum Member {
    Written,
    Skipped,
    Refused(Unwritable),
}

impl Members {
    pub(super) fn new(duplicates: Duplicates, limits: &Limits) -> Self {
        Members::within(duplicates, limits.memory.unwrap_or(u64::MAX))
    }

    /// One for other records that does the same.
    pub(super) fn beside(&self) -> Self {
        Members::within(self.duplicates, self.memory)
    }

    fn within(duplicates: Duplicates, memory: u64) -> Self {
        Members {
            duplicates,
            open: Vec::new(),
            bytes: 0,
            held: Recording::default(),
            replaced: Vec::new(),
            memory,
            refused_at: None,
        }
    }

    /// Whether events go on to the writer as they come.
    #[inline(always)]
    pub(super) fn passes(&self) -> bool {
        self.duplicates != Duplicates::Last
    }

    /// Where the record begins that is kept.
    pub(super) fn holds_from(&self) -> Option<u64> {
        self.held.get(0).map(|(_, at)| *at)
    }

    /// Where the event was that the writer refused when it was told the record.
    pub(super) fn take_refused_at(&mut self) -> Option<u64> {
        self.refused_at.take()
    }

    /// A key: is its member written?
    pub(super) fn member(&mut self, key: Text<'_>) -> Member {
        let name = key.text.as_str();
        let Some(open) = self.open.last_mut() else { return Member::Written };
        let event = self.held.len();
        if let Some(before) = open.keys.get_mut(name) {
            match self.duplicates {
                Duplicates::First => return Member::Skipped,
                Duplicates::Error => {
                    let reason = format!("the key {} occurs more than once", brief(name));
                    return Member::Refused(Unwritable::value(reason));
                }
                Duplicates::Last => {
                    make_room(&mut self.replaced, 1);
                    self.replaced.push(std::mem::replace(before, event));
                }
            }
            return Member::Written;
        }
        if open.keys.try_reserve(1).is_err() {
            return Member::Refused(Unwritable::memory());
        }
        open.keys.insert(copied(name).into(), event);
        let bytes = size_of::<(Box<str>, usize)>() + name.len();
        open.bytes += bytes;
        self.bytes += bytes;
        match self.checked() {
            Ok(_) => Member::Written,
            Err(error) => Member::Refused(error),
        }
    }

    /// A key whose member is written, unless another one replaces it.
    pub(super) fn key<O: Output>(
        &mut self,
        key: Text<'_>,
        at: u64,
        out: &mut Out<'_, O>,
    ) -> Result<Flow, Unwritable> {
        if self.passes() {
            return out.writer.key(key, at);
        }
        let kind = KeyKind::Member;
        self.held.key(&Key { name: key, namespace: None, prefix: None, kind }, at);
        self.checked()
    }

    pub(super) fn begin<O: Output>(
        &mut self,
        is_list: bool,
        at: u64,
        out: &mut Out<'_, O>,
    ) -> Result<Flow, Unwritable> {
        if !is_list {
            make_room(&mut self.open, 1);
            self.open.push(Map::default());
        }
        match (self.passes(), is_list) {
            (true, false) => out.writer.begin_map(at),
            (true, true) => out.writer.begin_list(at),
            (false, _) => {
                self.held.begin(!is_list, at);
                self.checked()
            }
        }
    }

    pub(super) fn end<O: Output>(
        &mut self,
        is_list: bool,
        at: u64,
        out: &mut Out<'_, O>,
    ) -> Result<Flow, Unwritable> {
        if !is_list && let Some(ended) = self.open.pop() {
            self.bytes -= ended.bytes;
        }
        match (self.passes(), is_list) {
            (true, false) => out.writer.end_map(at),
            (true, true) => out.writer.end_list(at),
            (false, _) => {
                self.held.end(!is_list, at);
                self.checked()
            }
        }
    }

    pub(super) fn scalar<O: Output>(
        &mut self,
        value: Scalar<'_>,
        at: u64,
        out: &mut Out<'_, O>,
    ) -> Result<Flow, Unwritable> {
        if self.passes() {
            return out.writer.scalar(value, at);
        }
        self.held.scalar(value, at);
        self.checked()
    }

    fn checked(&self) -> Result<Flow, Unwritable> {
        if (self.held.size() + self.bytes) as u64 <= self.memory {
            return Ok(Flow::Take);
        }
        let memory = self.memory;
        Err(Unwritable::limit(format!(
            "the record takes more than {memory} bytes of memory (limits.memory)"
        )))
    }

    /// Writes the record, if it was kept, and forgets it. The trail is that of what the writer
    /// refuses.
    pub(super) fn end_record<O: Output>(
        &mut self,
        out: &mut Out<'_, O>,
        trail: &mut Trail,
    ) -> Result<(), Unwritable> {
        if self.held.len() > 0 {
            trail.clear();
            self.replaced.sort_unstable();
            self.tell(out, trail)?;
        }
        self.forget();
        Ok(())
    }

    fn tell<O: Output>(
        &mut self,
        out: &mut Out<'_, O>,
        trail: &mut Trail,
    ) -> Result<(), Unwritable> {
        let Members { held, replaced, refused_at, .. } = self;
        let mut replaced = replaced.iter().copied().peekable();
        let mut place = 0;
        while let Some((event, at)) = held.get(place) {
            let at = *at;
            // Members of a member that is replaced may be replaced themselves.
            while replaced.next_if(|&other| other < place).is_some() {}
            if replaced.next_if_eq(&place).is_some() {
                place = behind_value(held, place + 1);
                continue;
            }
            place += 1;
            let written = match event {
                Held::Key(key) => {
                    let name = held.key_of(key).name;
                    trail.key(name.bytes(), KeyKind::Member);
                    out.writer.key(name, at)
                }
                Held::Scalar(value) => tell_scalar(&mut out.writer, held.scalar_of(value), at),
                Held::BeginMap { .. } => out.writer.begin_map(at),
                Held::BeginList { .. } => out.writer.begin_list(at),
                Held::EndMap => out.writer.end_map(at),
                Held::EndList => out.writer.end_list(at),
                // These are of elements, and what is kept are members.
                Held::Piece(_) | Held::Comment(_) | Held::Instruction(..) | Held::Container(_) => {
                    Ok(Flow::Take)
                }
            };
            if let Err(error) = out.settle(written) {
                *refused_at = Some(at);
                return Err(error);
            }
            match event {
                Held::BeginMap { .. } => trail.begin(false),
                Held::BeginList { .. } => trail.begin(true),
                Held::EndMap | Held::EndList => {
                    trail.end();
                    trail.value();
                }
                Held::Scalar(_) => trail.value(),
                _ => {}
            }
        }
        Ok(())
    }

    /// Forgets the record.
    pub(super) fn forget(&mut self) {
        self.open.clear();
        self.bytes = 0;
        self.replaced.clear();
        self.held.clear();
    }
}
