//! Writes scalars, and containers of them, without asking for each what the writer's options say.
//!
//! [`Writer::direct`](crate::writer::Writer::direct) gives a [`Direct`] if the text has no
//! indentation, no order and no other escapes than JSON needs. Each of its functions either writes
//! a whole value with the comma behind it, or nothing and returns false: then the caller writes the
//! value in the usual way, which also finds out what is wrong with it.

use penstock_scan::{Chosen, Pen};

use crate::value::print;
use crate::writer::ENOUGH;

/// Writes into the innermost open container.
#[derive(Debug)]
pub struct Direct<'a> {
    pen: Pen<'a>,
    depth: &'a mut usize,
    deepest: usize,
    /// The largest integer that is written as a number.
    largest: u64,
}

/// A place to go back to.
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    length: usize,
    depth: usize,
}

impl<'a> Direct<'a> {
    #[inline(always)]
    pub(super) fn new(
        out: &'a mut Vec<u8>,
        isa: Chosen,
        depth: &'a mut usize,
        deepest: usize,
        largest: u64,
    ) -> Self {
        Direct { pen: Pen::new(out, isa), depth, deepest, largest }
    }

    /// Whether the driver should take the text.
    #[inline(always)]
    #[must_use]
    pub fn is_enough(&self) -> bool {
        self.pen.len() >= ENOUGH
    }

    /// This place.
    #[inline(always)]
    #[must_use]
    pub fn mark(&self) -> Mark {
        Mark { length: self.pen.len(), depth: *self.depth }
    }

    /// Takes back everything after a place.
    #[inline(always)]
    pub fn back_to(&mut self, mark: Mark) {
        self.pen.back_to(mark.length);
        *self.depth = mark.depth;
    }

    /// A key as JSON text has it with its colon. False if it is empty.
    #[inline(always)]
    #[must_use]
    pub fn lent_key(&mut self, lent: &[u8]) -> bool {
        if lent.is_empty() || !self.pen.room(lent.len().saturating_add(print::LONGEST)) {
            return false;
        }
        self.pen.copy(lent);
        true
    }

    /// A key from its text.
    #[inline(always)]
    #[must_use]
    pub fn key(&mut self, text: &[u8]) -> bool {
        self.pen.json_string(text, b':')
    }

    /// A key from the units of a CPython string.
    #[inline(always)]
    #[must_use]
    pub fn key_units<U: Copy + Into<u32>>(&mut self, units: &[U]) -> bool {
        self.pen.json_units(units, b':')
    }

    /// Text, which is UTF-8.
    #[inline(always)]
    #[must_use]
    pub fn text(&mut self, text: &[u8]) -> bool {
        self.pen.json_string(text, b',')
    }

    /// Text in the units of a CPython string.
    #[inline(always)]
    #[must_use]
    pub fn units<U: Copy + Into<u32>>(&mut self, units: &[U]) -> bool {
        self.pen.json_units(units, b',')
    }

    /// An integer.
    #[inline(always)]
    #[must_use]
    pub fn int(&mut self, value: i64) -> bool {
        if value.unsigned_abs() > self.largest || !self.pen.room(print::LONGEST) {
            return false;
        }
        print::int_with(value, &mut self.pen);
        self.pen.put(*b",", 1);
        true
    }

    /// A double.
    #[inline(always)]
    #[must_use]
    pub fn float(&mut self, value: f64) -> bool {
        if !value.is_finite() || !self.pen.room(print::LONGEST) {
            return false;
        }
        print::float_with(value, &mut self.pen);
        self.pen.put(*b",", 1);
        true
    }

    /// `true` or `false`.
    #[inline(always)]
    #[must_use]
    pub fn boolean(&mut self, value: bool) -> bool {
        let room = self.pen.room(8);
        if room {
            self.pen
                .put(if value { *b"true,   " } else { *b"false,  " }, if value { 5 } else { 6 });
        }
        room
    }

    /// `null`
    #[inline(always)]
    #[must_use]
    pub fn null(&mut self) -> bool {
        let room = self.pen.room(8);
        if room {
            self.pen.put(*b"null,   ", 5);
        }
        room
    }

    /// Begins a map or a list: `{` or `[`.
    #[inline(always)]
    #[must_use]
    pub fn begin(&mut self, bracket: u8) -> bool {
        if *self.depth == self.deepest || !self.pen.room(1) {
            return false;
        }
        self.pen.put([bracket], 1);
        *self.depth += 1;
        true
    }

    /// Ends it: `}` or `]`. Only what was begun here may be ended here.
    #[inline(always)]
    #[must_use]
    pub fn end(&mut self, bracket: u8) -> bool {
        if !self.pen.room(2) {
            return false;
        }
        *self.depth -= 1;
        match self.pen.last() {
            Some(last) if *last == b',' => {
                *last = bracket;
                self.pen.put(*b",", 1);
            }
            _ => self.pen.put([bracket, b','], 2),
        }
        true
    }
}
