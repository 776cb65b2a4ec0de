//! The repairs that a reader made to a document: how many, and the positions of the first ones.

use crate::position::Counter;
use crate::repair::{Repair, RepairKind};
use penstock_scan::make_room;

/// A repair with its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlacedRepair {
    /// The kind of repair.
    pub kind: RepairKind,
    /// Its offset.
    pub offset: u64,
    /// Its line, from 1.
    pub line: u64,
    /// Its column in code points, from 1.
    pub column: u64,
}

/// All repairs of a run.
#[derive(Clone, Debug, Default)]
pub struct RepairLog {
    kept: Vec<PlacedRepair>,
    counts: [u64; RepairKind::ALL.len()],
    /// The counts up to the last repair that is kept.
    counter: Counter,
}

impl RepairLog {
    /// How many repairs are kept one by one.
    pub const MOST: usize = 1_000;

    /// Adds the repairs made in the text at hand, whose first byte has the counts `start`.
    #[cold]
    pub(super) fn add(&mut self, made: &[Repair], start: &Counter, text: &[u8]) {
        for repair in made {
            self.counts[repair.kind as usize] += 1;
            if self.kept.len() == RepairLog::MOST {
                continue;
            }
            let (base, end) = (start.bytes(), start.bytes() + text.len() as u64);
            let at = repair.offset.clamp(base, end);
            if !(base..=at).contains(&self.counter.bytes()) {
                self.counter = *start;
            }
            let from = (self.counter.bytes() - base) as usize;
            self.counter.advance(&text[from..(at - base) as usize]);
            let (line, column) = (self.counter.line(), self.counter.column());
            make_room(&mut self.kept, 1);
            self.kept.push(PlacedRepair { kind: repair.kind, offset: repair.offset, line, column });
        }
    }

    /// The first [`MOST`](Self::MOST), in document order.
    #[must_use]
    pub fn kept(&self) -> &[PlacedRepair] {
        &self.kept
    }

    /// How many repairs there were in all.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// The number of repairs of each kind, without the kinds that did not occur.
    pub fn by_kind(&self) -> impl Iterator<Item = (RepairKind, u64)> {
        let counted = RepairKind::ALL.iter().map(|kind| (*kind, self.counts[*kind as usize]));
        counted.filter(|(_, count)| *count > 0)
    }
}
