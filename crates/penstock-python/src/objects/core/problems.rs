//! Reports all problems of one record instead of only the first (`all_errors=True`).
//!
//! The builder keeps a problem and goes on. In the place of the value it puts one that is never
//! used, because a container with a problem in it is not made: none of the user's code is called
//! for it. When the record ends, the builder refuses it with all the problems that it kept. A value
//! that fits costs nothing more, except for one look at the container's mark where that ends.

use super::frame::{FrameKind, NONE, ON_PATH};
use super::refusal::{Mismatch, Refusal, Why};
use super::{Answer, Core};
use crate::plan::KindByte;
use penstock_core::position::Place;
use penstock_core::protocol::{Duplicates, Flow, Look};
use penstock_scan::{gathered, make_room};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

/// How many problems of one record are kept. The rest are only counted.
const MOST: usize = 100;

/// How many bytes the paths and reasons may take together, from the second problem on.
const MOST_BYTES: usize = 1 << 20;

/// The problems of the current record.
#[derive(Default)]
pub(crate) struct Problems {
    /// In the order in which the builder met them, or in that of the document.
    pub(crate) kept: Vec<Mismatch>,
    /// How many more there were.
    pub(crate) omitted: u64,
    bytes: usize,
}

/// An offset, and the position of it to be looked up.
pub(crate) type Unplaced<'a> = (u64, &'a mut Option<Box<Place>>);

impl Problems {
    fn add(&mut self, problem: Mismatch) {
        let bytes = self.bytes.saturating_add(problem.size());
        if self.kept.len() >= MOST || (bytes > MOST_BYTES && !self.kept.is_empty()) {
            self.omitted += 1;
            return;
        }
        self.bytes = bytes;
        make_room(&mut self.kept, 1);
        self.kept.push(problem);
    }
}

/// Problems in the order of the document. Of those at one place, the first stays the first.
fn in_order(kept: Vec<Mismatch>) -> Vec<Mismatch> {
    if kept.is_sorted_by_key(|problem| problem.at) {
        return kept;
    }
    let mut kept = gathered(kept.into_iter().enumerate());
    kept.sort_unstable_by_key(|(place, problem)| (problem.at, *place));
    gathered(kept.into_iter().map(|(_, problem)| problem))
}

impl<'p> Core<'p> {
    /// The problems of the current record that were not reported yet, in the order of the document.
    pub(crate) fn take_problems(&mut self) -> Problems {
        let mut problems = std::mem::take(&mut self.problems);
        problems.kept = in_order(problems.kept);
        problems
    }

    /// The offsets of problems that may be reported later, and of values that may still become
    /// problems, with their positions, which were not looked up yet.
    pub(crate) fn unplaced(&mut self) -> impl Iterator<Item = Unplaced<'_>> {
        let kept = self.problems.kept.iter_mut().map(|it| (it.at, &mut it.place));
        let noted = self.noted.iter_mut().map(|it| (it.at, &mut it.place));
        kept.chain(noted).filter(|(_, place)| place.is_none())
    }

    /// Keeps a mismatch if all errors are reported; returns any other refusal.
    pub(crate) fn keep(&mut self, refusal: Refusal) -> Result<(), Refusal> {
        match refusal.why() {
            Why::Kept => Ok(()),
            Why::Mismatch(mismatch) if self.options.all_errors && !mismatch.limit => {
                self.problems.add(mismatch);
                self.spoil();
                Ok(())
            }
            Why::Mismatch(mismatch) => Err(mismatch.into()),
            Why::Several(mismatches) => {
                mismatches.into_iter().for_each(|mismatch| self.problems.add(mismatch));
                self.spoil();
                Ok(())
            }
            Why::Python(error) => Err(error.into()),
        }
    }

    /// Marks the current containers: none of them will be made.
    fn spoil(&mut self) {
        // If a container is marked, those around it are marked already.
        let unmarked = self.frames.iter_mut().rev().take_while(|frame| !frame.spoiled);
        unmarked.for_each(|frame| frame.spoiled = true);
    }

    /// Ends the record with an error.
    fn problems_of_record(&mut self) -> Refusal {
        self.problems.kept = in_order(std::mem::take(&mut self.problems.kept));
        if self.problems.kept.is_empty() {
            return Refusal::kept();
        }
        self.problems.kept.remove(0).into()
    }

    /// The answer to a value that may not fit.
    #[inline(always)]
    pub(crate) fn valued(&mut self, answer: Answer) -> Answer {
        match answer {
            Ok(flow) => Ok(flow),
            Err(refusal) => self.lost_value(refusal),
        }
    }

    /// The answer to the beginning of a container that may not fit.
    #[inline(always)]
    pub(crate) fn begun(&mut self, answer: Answer) -> Answer {
        match answer {
            Ok(flow) => Ok(flow),
            Err(refusal) => self.lost_part(refusal),
        }
    }

    /// The answer to a key that may not fit.
    #[inline(always)]
    pub(crate) fn keyed(&mut self, answer: Answer) -> Answer {
        match answer {
            Ok(flow) => Ok(flow),
            Err(refusal) => self.lost_key(refusal),
        }
    }

    /// The answer to looking ahead, which may find that the current map does not fit: then it is
    /// skipped.
    pub(crate) fn looked(&mut self, answer: Result<Look, Refusal>) -> Result<Look, Refusal> {
        match answer {
            Ok(look) => Ok(look),
            Err(refusal) => self.lost_container(refusal).map(|_| Look::Skip),
        }
    }

    /// A key does not fit: its value is skipped.
    #[cold]
    #[inline(never)]
    fn lost_key(&mut self, refusal: Refusal) -> Answer {
        self.keep(refusal)?;
        Ok(Flow::Skip)
    }

    /// A container that begins does not fit: it is skipped.
    #[cold]
    #[inline(never)]
    fn lost_part(&mut self, refusal: Refusal) -> Answer {
        self.lost_value(refusal)?;
        Ok(Flow::Skip)
    }

    /// The current value does not fit.
    #[cold]
    #[inline(never)]
    pub(crate) fn lost_value(&mut self, refusal: Refusal) -> Answer {
        self.keep(refusal)?;
        self.fill_lost()
    }

    /// The current container cannot be made, and ends.
    #[cold]
    #[inline(never)]
    pub(crate) fn lost_container(&mut self, refusal: Refusal) -> Answer {
        self.keep(refusal)?;
        self.leave_lost()
    }

    /// Leaves the current container without making it, because a value in it does not fit.
    #[cold]
    #[inline(never)]
    pub(crate) fn leave_lost(&mut self) -> Answer {
        let (kind, base) = (self.top().kind, self.top().base);
        self.stack.release_from(self.attached(), base);
        self.forget_noted(base);
        let is_dict = matches!(kind, FrameKind::PlainDict | FrameKind::Dict);
        if is_dict && self.options.duplicates == Duplicates::Error {
            self.seen_keys.pop();
        }
        self.pop_frame();
        self.end_noting();
        self.fill_lost()
    }

    /// Puts a filler in the place of a value that does not fit.
    pub(crate) fn fill_lost(&mut self) -> Answer {
        let py = self.attached();
        match self.top().kind {
            FrameKind::Root => return Err(self.problems_of_record()),
            // Whatever stands in it has a text.
            FrameKind::Raw => {}
            FrameKind::PlainDict
            | FrameKind::PlainList
            | FrameKind::Dict
            | FrameKind::List
            | FrameKind::Items => self.stack.push(self.new_none()),
            FrameKind::Tuple => {
                self.stack.push(self.new_none());
                self.expect_position();
            }
            // The key of the value is on the stack behind their dict.
            FrameKind::Plain | FrameKind::Named => {
                let base = self.top().base;
                self.stack.release_from(py, base + 1);
            }
            // An array whose first item gives no class: the others are passed.
            FrameKind::Union => self.top_mut().aim = &ON_PATH,
            FrameKind::Class | FrameKind::PathMap | FrameKind::Element | FrameKind::Wrapper => {
                self.fill_lost_aim();
            }
            FrameKind::Row => {
                self.fill_lost_aim();
                self.top_mut().index += 1;
                self.aim_at_column();
            }
            FrameKind::Gathered => {
                self.fill_lost_aim();
                self.top_mut().index += 1;
            }
            FrameKind::Numbers => self.top_mut().index += 1,
            FrameKind::PathList => {
                self.fill_lost_aim();
                self.next_element()?;
            }
        }
        if self.top().kind == FrameKind::Items {
            self.expect_position();
        }
        Ok(Flow::Take)
    }

    /// Puts fillers in the places of the fields that the current value is for.
    fn fill_lost_aim(&mut self) {
        if self.aim().kind != KindByte::OnPath {
            return self.fill_lost_field(self.aim().field);
        }
        let state = self.top().leads_to;
        let fields = if state == NONE { Vec::new() } else { self.fields_behind(state) };
        for field in fields {
            // A field that has a value has it from elsewhere.
            if self.stack.get(self.top().slots + field as usize).is_null() {
                self.fill_lost_field(field);
            }
        }
    }

    /// Puts a filler in the place of a field.
    pub(crate) fn fill_lost_field(&mut self, field: u32) {
        let py = self.attached();
        let place = self.top().slots + field as usize;
        // A field that gathers expects its own collection there, and nothing else.
        let lost: *mut ffi::PyObject = if !self.collects(field) {
            self.new_none()
        } else if !self.stack.get(place).is_null() {
            return;
        } else if self.class().fields[field as usize].keyed.is_some() {
            PyDict::new(py).into_any().into_ptr()
        } else {
            PyList::empty(py).into_any().into_ptr()
        };
        let old = self.stack.replace(place, lost);
        // SAFETY: the stack gave its reference to us.
        unsafe { drop(Bound::from_owned_ptr_or_opt(py, old)) };
    }
}
