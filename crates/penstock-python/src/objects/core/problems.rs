//! All that is wrong with one record, and not the first thing only (`all_errors=True`).
//!
//! What does not fit is kept instead of told, and building goes on. In the place of the value
//! stands one that is never looked at, because a container in which something is wrong is not
//! made: no code of the user's is called for it. Where the record ends, it ends in error, with all
//! that was kept. Nothing of this is on the way of a value that fits, but for a look at the
//! container's mark where it ends.

use super::frame::{FrameKind, NONE};
use super::refusal::{Mismatch, Refusal, Why};
use super::{Answer, Core, Duplicates};
use crate::plan::KindByte;
use penstock_core::sink::{Flow, Look};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

/// How many problems of one record are kept. More are counted.
const MOST: usize = 100;

/// How many bytes their paths and reasons may take together, from the second one on.
const MOST_BYTES: usize = 1 << 20;

/// What is wrong with the record at hand.
#[derive(Default)]
pub(crate) struct Problems {
    /// In the order in which they were met, or that of the document.
    pub(crate) kept: Vec<Mismatch>,
    /// How many more there were.
    pub(crate) omitted: u64,
    bytes: usize,
}

impl Problems {
    fn add(&mut self, problem: Mismatch) {
        let bytes = self.bytes.saturating_add(problem.size());
        if self.kept.len() >= MOST || (bytes > MOST_BYTES && !self.kept.is_empty()) {
            self.omitted += 1;
            return;
        }
        self.bytes = bytes;
        self.kept.push(problem);
    }
}

impl<'p> Core<'p> {
    /// What is wrong with the record at hand and was not told yet, in the order of the document.
    pub(crate) fn take_problems(&mut self) -> Problems {
        let mut problems = std::mem::take(&mut self.problems);
        problems.kept.sort_by_key(|problem| problem.at);
        problems
    }

    /// What may be told later, and whose place in the document was not looked up yet.
    pub(crate) fn unplaced(&mut self) -> impl Iterator<Item = &mut Mismatch> {
        self.problems.kept.iter_mut().filter(|mismatch| mismatch.place.is_none())
    }

    /// Keeps what was refused, if it is a problem of the record among others.
    pub(crate) fn keep(&mut self, refusal: Refusal) -> Result<(), Refusal> {
        match refusal.why() {
            Why::Kept => Ok(()),
            Why::Mismatch(mismatch) if self.options.all_errors && !mismatch.limit => {
                self.problems.add(mismatch);
                self.spoil();
                Ok(())
            }
            Why::Mismatch(mismatch) => Err(mismatch.into()),
            Why::Python(error) => Err(error.into()),
        }
    }

    /// None of the containers at hand will be made.
    fn spoil(&mut self) {
        // What is around a container that is marked is marked already.
        let unmarked = self.frames.iter_mut().rev().take_while(|frame| !frame.spoiled);
        unmarked.for_each(|frame| frame.spoiled = true);
    }

    /// The record ends in error.
    fn problems_of_record(&mut self) -> Refusal {
        self.problems.kept.sort_by_key(|problem| problem.at);
        if self.problems.kept.is_empty() {
            return Refusal::kept();
        }
        self.problems.kept.remove(0).into()
    }

    /// The answer to a value, of which it may be that it does not fit.
    #[inline(always)]
    pub(crate) fn valued(&mut self, answer: Answer) -> Answer {
        match answer {
            Ok(flow) => Ok(flow),
            Err(refusal) => self.lost_value(refusal),
        }
    }

    /// The answer to the beginning of a container, of which it may be that it does not fit.
    #[inline(always)]
    pub(crate) fn begun(&mut self, answer: Answer) -> Answer {
        match answer {
            Ok(flow) => Ok(flow),
            Err(refusal) => self.lost_part(refusal),
        }
    }

    /// The answer to a key, of which it may be that it does not fit.
    #[inline(always)]
    pub(crate) fn keyed(&mut self, answer: Answer) -> Answer {
        match answer {
            Ok(flow) => Ok(flow),
            Err(refusal) => self.lost_key(refusal),
        }
    }

    /// The answer to what was looked ahead for, of which it may be that it does not fit: then the
    /// map at hand is passed over.
    pub(crate) fn looked(&mut self, answer: Result<Look, Refusal>) -> Result<Look, Refusal> {
        match answer {
            Ok(look) => Ok(look),
            Err(refusal) => self.lost_container(refusal).map(|_| Look::Skip),
        }
    }

    /// A key does not fit: its value is passed over.
    #[cold]
    #[inline(never)]
    fn lost_key(&mut self, refusal: Refusal) -> Answer {
        self.keep(refusal)?;
        Ok(Flow::Skip)
    }

    /// A container that begins does not fit: it is passed over.
    #[cold]
    #[inline(never)]
    fn lost_part(&mut self, refusal: Refusal) -> Answer {
        self.lost_value(refusal)?;
        Ok(Flow::Skip)
    }

    /// The value at hand does not fit.
    #[cold]
    #[inline(never)]
    pub(crate) fn lost_value(&mut self, refusal: Refusal) -> Answer {
        self.keep(refusal)?;
        self.fill_lost()
    }

    /// The container at hand cannot be made, and ends.
    #[cold]
    #[inline(never)]
    pub(crate) fn lost_container(&mut self, refusal: Refusal) -> Answer {
        self.keep(refusal)?;
        self.leave_lost()
    }

    /// Leaves the container at hand, in which something does not fit, without making it.
    #[cold]
    #[inline(never)]
    pub(crate) fn leave_lost(&mut self) -> Answer {
        let (kind, base) = (self.top().kind, self.top().base);
        self.stack.release_from(self.attached(), base);
        let is_dict = matches!(kind, FrameKind::PlainDict | FrameKind::Dict);
        if is_dict && self.options.duplicates == Duplicates::Error {
            self.seen_keys.pop();
        }
        self.pop_frame();
        self.fill_lost()
    }

    /// Something in the place of a value that does not fit.
    pub(crate) fn fill_lost(&mut self) -> Answer {
        let py = self.attached();
        match self.top().kind {
            FrameKind::Root => return Err(self.problems_of_record()),
            FrameKind::PlainDict
            | FrameKind::PlainList
            | FrameKind::Dict
            | FrameKind::List
            | FrameKind::Items => self.stack.push(self.new_none()),
            FrameKind::Tuple => {
                self.stack.push(self.new_none());
                self.expect_position();
            }
            // Behind their dict stands the key of the value.
            FrameKind::Plain | FrameKind::Named => {
                let base = self.top().base;
                self.stack.release_from(py, base + 1);
            }
            FrameKind::Union => {}
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

    /// Something in the places of the fields that the value at hand is for.
    fn fill_lost_aim(&mut self) {
        if self.aim().kind != KindByte::OnPath {
            return self.fill_lost_field(self.aim().field);
        }
        let state = self.top().leads_to;
        let fields = if state == NONE { Vec::new() } else { self.fields_behind(state) };
        for field in fields {
            // What has a value has it from elsewhere.
            if self.stack.get(self.top().slots + field as usize).is_null() {
                self.fill_lost_field(field);
            }
        }
    }

    /// Something in the place of a field.
    pub(crate) fn fill_lost_field(&mut self, field: u32) {
        let py = self.attached();
        let place = self.top().slots + field as usize;
        // What gathers its values expects its collection, and nothing else.
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
