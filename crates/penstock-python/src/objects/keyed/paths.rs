//! Fields whose path has several steps: the maps and lists on the path to them.
//!
//! A container on the path makes no object. Its values go to the fields of the object around it, by
//! the states of that object's class. Values that lead to no field are skipped.

use super::Keyed;
use crate::objects::core::Answer;
use crate::objects::core::frame::{Frame, FrameKind, NONE};
use crate::objects::core::refusal::Refusal;
use crate::plan::{Kind, element};
use penstock_core::event::{Matched, Text};
use penstock_core::protocol::{Duplicates, Flow};

impl<'p> Keyed<'p> {
    /// Follows a key that leads to another map or list.
    #[inline(never)]
    pub(crate) fn follow_path(&mut self, key: usize, state: u32, at: u64) -> Answer {
        // A repeated key replaces its part of the record; matches of a `*` add up.
        let depth = self.core.frames.len();
        let again = if key < 64 {
            self.top().seen & 1 << key != 0
        } else {
            self.core.seen_beyond.contains(&(depth, key))
        };
        if again {
            if self.core.options.duplicates != Duplicates::Last {
                let name = self.state().keys[key].name.clone();
                return self.again(&name, at);
            }
            self.forget_path(state);
        } else if key < 64 {
            self.top_mut().seen |= 1 << key;
        } else {
            self.core.seen_beyond.push((depth, key));
        }
        if !self.class().states[state as usize].takes_key.is_empty() {
            // A '*' of another field's path matches it as well.
            let name = self.state().keys[key].name.clone();
            self.core.at = at;
            self.give_to_takers(state, Matched::Key(Text::from(&*name)))?;
        }
        self.aim_on_path(state);
        Ok(Flow::Take)
    }

    /// Empties the fields that can be reached from a state.
    fn forget_path(&mut self, state: u32) {
        for field in self.fields_behind(state) {
            self.forget_field(field);
        }
    }

    /// Begins a map on the path to fields, or one that leads nowhere.
    #[inline(never)]
    pub(crate) fn begin_path_map(&mut self, at: u64) -> Answer {
        self.core.at = at;
        let Some(frame) = self.path_frame(FrameKind::PathMap)? else { return Ok(Flow::Skip) };
        self.core.push_class(frame);
        Ok(Flow::Take)
    }

    /// Begins a list on the path to fields, or one that leads nowhere.
    #[inline(never)]
    pub(crate) fn begin_path_list(&mut self, at: u64) -> Answer {
        self.core.at = at;
        if self.top().leads_to != NONE {
            let state = &self.class().states[self.top().leads_to as usize];
            if state.indexes.is_empty() && state.other.is_none() && !state.keys.is_empty() {
                let next = &state.keys[0].name;
                let reason = format!(
                    "expected an object with the key {next:?}, got an array; to reach its \
                     elements, write '*' before {next:?} in the path"
                );
                let got = Some("an array".to_owned());
                return Err(self.mismatch(at, reason, Some("an object".to_owned()), got));
            }
        }
        let Some(frame) = self.path_frame(FrameKind::PathList)? else { return Ok(Flow::Skip) };
        self.core.push_class(frame);
        self.aim_element()?;
        Ok(Flow::Take)
    }

    /// The frame of the coming container on the path. None if it leads nowhere: then it counts as
    /// passed.
    fn path_frame(&mut self, kind: FrameKind) -> Result<Option<Frame<'p>>, Refusal> {
        let state = self.top().leads_to;
        if state == NONE {
            self.next_element()?;
            return Ok(None);
        }
        let top = *self.top();
        let mut frame = Frame::new(kind, top.node, top.aim, self.core.stack.len());
        (frame.slots, frame.class, frame.state) = (top.slots, top.class, state);
        Ok(Some(frame))
    }

    /// The current container ends, which is on the path to fields or a gathered list.
    #[inline(never)]
    pub(crate) fn end_on_path(&mut self) -> Answer {
        self.pop_frame();
        self.next_element()?;
        Ok(Flow::Take)
    }

    /// Whether the coming array holds elements for the current field rather than being one of them:
    /// if the field is a collection, and not of arrays.
    pub(crate) fn gathers_elements(&self) -> bool {
        let nodes = &self.plan().nodes;
        let field = &self.class().fields[self.aim().field as usize];
        element(nodes, field.node).is_some()
            && element(nodes, self.aim().node).is_none()
            && !matches!(self.item().kind, Kind::Tuple(_))
    }

    /// Begins an array whose elements the current field gathers.
    pub(crate) fn begin_gathered(&mut self) -> Answer {
        let top = *self.top();
        let mut frame =
            Frame::new(FrameKind::Gathered, self.aim().node, top.aim, self.core.stack.len());
        (frame.slots, frame.class) = (top.slots, top.class);
        self.core.push_frame(frame);
        Ok(Flow::Take)
    }
}
