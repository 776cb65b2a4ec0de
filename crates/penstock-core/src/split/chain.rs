//! Ranges of a text, of which each begins where the one before it ends.

use super::point::RecordStart;
use super::range::Ranged;
use crate::position::Counter;
use crate::select::{At, Open, SOMEWHERE};

/// The points of a text, of which ranges tell.
///
/// It knows one point for sure: the first record is there, or what a range has told is taken over.
/// What another range tells is true if one of its points is the same one, with the same things open:
/// its reader has gone on from there as a reader of all the text would. Only the counts are to be added.
#[derive(Clone, Debug)]
pub struct Chain {
    at: RecordStart,
    /// The offsets at which points are wanted, and how many of them are done.
    offsets: Vec<u64>,
    done: usize,
    points: Vec<RecordStart>,
    is_over: bool,
}

impl Chain {
    /// From the first record on. The offsets ascend.
    #[must_use]
    pub fn new(first: RecordStart, offsets: Vec<u64>) -> Self {
        Chain { at: first, offsets, done: 0, points: Vec::new(), is_over: false }
    }

    /// The last point that is known for sure.
    #[must_use]
    pub fn at(&self) -> &RecordStart {
        &self.at
    }

    /// Whether there is no other.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    /// The points that are wanted, as far as they are known: at the first records that begin at the
    /// offsets or behind them, but not at the first of all.
    #[must_use]
    pub fn points(&self) -> &[RecordStart] {
        &self.points
    }

    /// The offsets that a range is to look for: those of it that are not done.
    #[must_use]
    pub fn wanted(&self, from: u64, until: Option<u64>) -> Vec<u64> {
        let left = &self.offsets[self.done..];
        let least = self.at.counted.bytes() + 1;
        let begin = if from < least { 0 } else { left.partition_point(|at| *at < from) };
        let end = until.map_or(left.len(), |until| left.partition_point(|at| *at < until));
        left[begin..end.max(begin)].iter().map(|at| least.max(*at)).collect()
    }

    /// Takes over what a range has told behind the point that is known, if it has that. Otherwise
    /// [`meeting`](Self::meeting) says how far a reader must go on from there.
    pub fn take(&mut self, ranged: &Ranged) -> bool {
        let Some(met) = ranged.points.iter().position(|point| self.is_at(point)) else {
            return false;
        };
        let (here, behind) = (self.at.clone(), &ranged.points[met + 1..]);
        for point in behind {
            self.go_on(shifted(&here, &ranged.points[met], point));
        }
        self.is_over = ranged.is_over;
        true
    }

    /// The offset of the first point of a range behind the one that is known: there they may meet.
    /// None if there is none before this offset.
    #[must_use]
    pub fn meeting(&self, ranged: &Ranged, until: u64) -> Option<u64> {
        let places = ranged.points.iter().map(|point| point.counted.bytes());
        places.filter(|at| (self.at.counted.bytes() + 1..until).contains(at)).min()
    }

    fn go_on(&mut self, point: RecordStart) {
        let at = point.counted.bytes();
        let done = self.done;
        self.done += self.offsets[done..].iter().take_while(|offset| **offset <= at).count();
        if self.done > done {
            penstock_scan::make_room(&mut self.points, 1);
            self.points.push(point.clone());
        }
        self.at = point;
    }

    /// Whether a point of a range is the one that is known.
    fn is_at(&self, other: &RecordStart) -> bool {
        let here = &self.at;
        let is_same = |(one, other): (&Open, &Open)| one == other;
        let (Some((inner, outer)), Some((other_inner, other_outer))) =
            (here.open.split_last(), other.open.split_last())
        else {
            return here.counted.bytes() == other.counted.bytes()
                && here.stand == other.stand
                && here.open == other.open;
        };
        here.counted.bytes() == other.counted.bytes()
            && here.stand == other.stand
            && outer.len() == other_outer.len()
            && outer.iter().zip(other_outer).all(is_same)
            && inner.state == other_inner.state
            && (inner.at == other_inner.at
                || matches!((&inner.at, items(other_inner)), (At::List(_), Some(SOMEWHERE..))))
    }
}

fn items(open: &Open) -> Option<u64> {
    match open.at {
        At::List(begun) => Some(begun),
        At::Start | At::Key(..) => None,
    }
}

/// A point of a range, if another one of it is known for sure.
fn shifted(known: &RecordStart, told: &RecordStart, point: &RecordStart) -> RecordStart {
    let lines = point.counted.line().saturating_sub(told.counted.line());
    let column = point.counted.column();
    let column = if lines == 0 {
        known.counted.column() + column.saturating_sub(told.counted.column())
    } else {
        column
    };
    let mut open = point.open.clone();
    let (known_list, told_list) =
        (known.open.last().and_then(items), told.open.last().and_then(items));
    // Otherwise it is another list, which has begun in the range.
    if let (Some(Open { at: At::List(begun @ SOMEWHERE..), .. }), Some(known), Some(told)) =
        (open.last_mut(), known_list, told_list)
    {
        *begun = known + begun.saturating_sub(told);
    }
    RecordStart {
        counted: Counter::at(known.counted.line() + lines, column, point.counted.bytes()),
        records: known.records + point.records.saturating_sub(told.records),
        stand: point.stand.clone(),
        open,
    }
}
