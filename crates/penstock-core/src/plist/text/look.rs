//! Looking ahead in a dictionary, as the reader of JSON does it (`json/look.rs`): the reader runs ahead over the entries
//! until the sink knows what the dictionary becomes, returns to the first one, and continues from there.

use super::reader::{Comment, NOWHERE, Open, Reader, State};
use crate::error::{Fail, Fault};
use crate::json::look::Scout;
use crate::protocol::erased::{AnySink, Refused};
use crate::protocol::{Look, Step};
use penstock_scan::{Chosen, Isa, Job, ValidText};

/// A dictionary in which the reader looks ahead.
#[derive(Clone, Copy, Debug)]
pub(super) struct Looking {
    /// The index in the window at which its entries begin, and the state there.
    pub(super) from: usize,
    pub(super) state: State,
    /// The index of the first byte that is still needed.
    pub(super) keep: usize,
    /// What is held there.
    pub(super) held: bool,
    /// How many dictionaries and arrays are open outside it, and itself.
    pub(super) depth: usize,
    pub(super) open: Open,
    /// Whether the sink does not want the value of the current key.
    pub(super) passing: bool,
}

/// A look as far as one window goes. It is entered out of line, with the instruction set.
struct Ahead<'r, 'w, 's, 'l, 'k> {
    reader: &'r mut Reader,
    text: ValidText<'w>,
    last: bool,
    scout: &'s mut Scout<'l, 'k>,
}

impl Job for Ahead<'_, '_, '_, '_, '_> {
    type Output = Result<Step, Fail<Refused>>;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> Self::Output {
        let Ahead { reader, text, last, scout } = self;
        loop {
            let step = if reader.skip_to == NOWHERE {
                reader.drive::<I, Scout<'_, '_>, false>(isa, text, last, scout)?
            } else {
                reader.pass_over(isa.chosen(), text, last)?
            };
            if step != Step::Again {
                return Ok(step);
            }
        }
    }
}

impl Reader {
    /// The dictionary that has just been opened, whose entries are at `pos`, is to be looked over.
    pub(super) fn look_in(&mut self, pos: usize, state: State) {
        let Some(&open) = self.stack.last() else { return };
        let keep = self.held.unwrap_or_else(|| pos.saturating_sub(1));
        let (held, depth) = (self.held.is_some(), self.stack.len() - 1);
        self.looking = Some(Looking { from: pos, state, keep, held, depth, open, passing: false });
    }

    /// Looks ahead in the current dictionary, as far as the window, the limit or the sink allow.
    #[inline(never)]
    pub(super) fn look(
        &mut self,
        isa: Chosen,
        text: ValidText<'_>,
        last: bool,
        sink: &mut AnySink<'_>,
    ) -> Result<Step, Fail<Refused>> {
        let Some(looking) = self.looking else { return Ok(Step::Again) };
        // Cut at the limit even if more text is in the window: the end of a search must not depend on the windows.
        let bytes = text.as_bytes();
        let mut end = looking.from.saturating_add(self.look_limit);
        let cut = end < bytes.len();
        if cut {
            while bytes[end] & 0xC0 == 0x80 {
                end -= 1;
            }
        }
        let (seen, last) = if cut { (text.slice(0..end), false) } else { (text, last) };
        let mut scout = Scout::new(sink, looking.passing);
        let step = isa.enter(Ahead { reader: self, text: seen, last, scout: &mut scout });
        let (found, passing) = (scout.found, scout.passing);
        let at = looking.open.at;
        match step {
            Ok(Step::More) if !cut => {
                // The window may have been cut in front meanwhile.
                self.looking = Some(Looking { passing, ..looking });
                return Ok(Step::More);
            }
            Ok(Step::More) => {
                self.looking = None;
                return Err(Fail::Input(looks_too_far(at, self.look_limit)));
            }
            Err(fail) => {
                self.looking = None;
                return Err(fail);
            }
            Ok(_) => self.looking = None,
        }
        let from = self.base + looking.from as u64;
        if !self.again.add(from, self.base + self.pos as u64, self.look_limit) {
            return Err(Fail::Input(looks_too_often(at)));
        }
        self.held = None;
        if found == Some(Look::Skip) {
            let inside = self.stack.len() > looking.depth;
            self.skip_to = if inside { looking.depth } else { NOWHERE };
            return Ok(Step::Again);
        }
        self.pos = looking.from;
        self.state = looking.state;
        self.stack.truncate(looking.depth);
        self.stack.push(looking.open);
        self.held = looking.held.then_some(looking.keep);
        self.comment = Comment::None;
        Ok(Step::Again)
    }
}

/// The limit is reached before the key that determines a dictionary's class.
#[cold]
#[inline(never)]
fn looks_too_far(at: u64, limit: usize) -> Fault {
    let reason = format!(
        "the first {limit} bytes of the dictionary do not say of which class it is \
         (limits.lookahead): the key that does should come first"
    );
    Fault::limit(at, reason)
}

/// Nested dictionaries were searched for the keys of their classes, and too many bytes were read again.
#[cold]
#[inline(never)]
fn looks_too_often(at: u64) -> Fault {
    let reason = "dictionaries in dictionaries do not say early of which class they are, and are looked over \
                  too many times (limits.lookahead): the key that does should come first";
    Fault::limit(at, reason)
}
