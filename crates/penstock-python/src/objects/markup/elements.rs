//! Elements to values.
//!
//! Every element is reported as a name and a map. The aim that its name led to says what it
//! becomes. An element that becomes a scalar makes no frame: its text is gathered in one buffer and
//! becomes a value where the element ends. The text of an inner element is in that buffer behind
//! the text of those around it, and is removed when the inner element ends. So what remains is an
//! element's own text.

use super::{Markup, Open, Repeated, noun, written};
use crate::objects::core::Answer;
use crate::objects::core::frame::{Frame, FrameKind, NONE, ON_PATH};
use crate::objects::core::place::shortened;
use crate::objects::core::refusal::{Code, Refusal};
use crate::objects::core::text::new_str;
use crate::objects::make;
use crate::plan::{ClassId, Kind, KindByte, NodeId, Target, element};
use penstock_core::event::{Key, KeyKind, Matched, Text};
use penstock_core::protocol::{Flow, Unknown};
use penstock_core::suggest::nearest;
use penstock_scan::make_room;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use pyo3::{Bound, ffi};

impl<'p> Markup<'p> {
    /// The name of an element that comes next.
    #[inline]
    pub(crate) fn element(&mut self, key: Key<'_>, at: u64) -> Answer {
        self.core.attribute = false;
        if self.markup.leaf > 0 {
            return self.inner_element();
        }
        if self.markup.overlong {
            return Err(self.overlong(at));
        }
        match self.top().kind {
            FrameKind::Element | FrameKind::Wrapper => self.field_element(key, at),
            FrameKind::Plain => self.plain_child(&key),
            _ => self.element_rarely(&key, at),
        }
    }

    /// An element inside one that becomes a scalar.
    #[inline(never)]
    fn inner_element(&mut self) -> Answer {
        if self.markup.is_nil() {
            return Ok(Flow::Skip);
        }
        if self.item().is_text() || self.is_on_way() {
            return Ok(Flow::Take);
        }
        if self.is_lost() {
            return Ok(Flow::Skip);
        }
        let refusal = self.misfit(self.markup.at(), "an element with child elements");
        self.lost_element(refusal)
    }

    /// An element inside one whose values are for the fields of a class.
    #[inline(always)]
    fn field_element(&mut self, key: Key<'_>, at: u64) -> Answer {
        if self.markup.is_nil() {
            return Ok(Flow::Skip);
        }
        let state = self.state();
        let Some(found) = state.elements.find(&key) else { return self.other_element(&key, at) };
        if let Some(text) = state.text {
            self.end_run(text)?;
        }
        self.top_mut().key = found;
        self.top_mut().unnamed = false;
        if state.elements.is_any(found) {
            self.remember_key(key.name.text.as_str());
        }
        match state.elements.edges[found as usize].to {
            Target::Field(aim) => {
                self.aim_at(aim);
                let field = self.aim().field;
                if self.core.stack.get(self.top().slots + field as usize).is_null()
                    || self.collects(field)
                {
                    return Ok(Flow::Take);
                }
                if self.was_attribute(field) {
                    self.forget_field(field);
                    self.markup.joins.forget(self.top().slots + field as usize);
                    return Ok(Flow::Take);
                }
                let answer = self.again_in_markup(&key, at);
                self.text_of_whole(answer)
            }
            Target::State(state) => {
                if !self.class().states[state as usize].takes_key.is_empty() {
                    self.core.at = at;
                    self.give_to_takers(state, Matched::Key(key.name))?;
                }
                if self.has_whole(state) {
                    return self.whole_element(state, &key, at);
                }
                self.aim_on_path(state);
                Ok(Flow::Take)
            }
        }
    }

    /// An element that the class does not name.
    #[inline(never)]
    fn other_element(&mut self, key: &Key<'_>, at: u64) -> Answer {
        if self.state().other.is_none() && !self.markup.wholes.is_empty() {
            return self.element_of_whole(key);
        }
        if let Some(text) = self.state().text {
            if self.state().other.is_none() && self.class().rest.is_none() && self.takes_runs(text)
            {
                return self.element_of_run(key, at);
            }
            self.end_run(text)?;
        }
        match self.state().other {
            Some(Target::Field(aim)) => {
                self.remember_key(key.name.text.as_str());
                self.aim_at(aim);
                let field = self.aim().field;
                let empty = self.core.stack.get(self.top().slots + field as usize).is_null();
                if empty || self.collects(field) {
                    return Ok(Flow::Take);
                }
                let answer = self.again_in_markup(key, at);
                self.text_of_whole(answer)
            }
            Some(to @ Target::State(state)) => {
                if self.has_whole(state) {
                    self.remember_key(key.name.text.as_str());
                    return self.whole_element(state, key, at);
                }
                self.core.at = at;
                self.follow_other(to, Matched::Key(key.name))
            }
            None => self.unknown_in_markup(key, at),
        }
    }

    /// Whether a field has its value from an attribute. Clears the mark that says so.
    pub(crate) fn was_attribute(&mut self, field: u32) -> bool {
        if field < 64 {
            let bit = 1 << field;
            let was = self.top().seen & bit != 0;
            self.top_mut().seen &= !bit;
            return was;
        }
        let of = (self.core.frames.len(), field as usize);
        let place = self.core.seen_beyond.iter().position(|seen| *seen == of);
        place.map(|place| self.core.seen_beyond.swap_remove(place)).is_some()
    }

    /// Answers an element or attribute for a field that has a value already.
    #[cold]
    #[inline(never)]
    pub(crate) fn again_in_markup(&mut self, key: &Key<'_>, at: u64) -> Answer {
        let name = written(key);
        self.again_by_rule(&format!("{} '{}'", noun(key), shortened(&name)), at)
    }

    /// Answers a second value for the current field; `what` describes it.
    pub(super) fn again_by_rule(&mut self, what: &str, at: u64) -> Answer {
        if let Some(flow) = self.by_rule() {
            return Ok(flow);
        }
        let one = &self.item().written;
        let one = one.strip_suffix(" | None").unwrap_or(one);
        let reason = format!("the {what} is repeated; ask for list[{one}] or say repeated='first'");
        Err(self.mismatch(at, reason, None, None).coded(Code::Repeated))
    }

    /// The answer to a second value by `repeated=`, unless that makes it an error.
    pub(crate) fn by_rule(&self) -> Option<Flow> {
        match self.markup.options.repeated {
            Repeated::First => Some(Flow::Skip),
            Repeated::Last => Some(Flow::Take),
            Repeated::Join
                if matches!(self.item().kind, Kind::Str) && self.item().after.is_none() =>
            {
                Some(Flow::Take)
            }
            _ => None,
        }
    }

    /// An element or attribute that the class does not name.
    #[inline(never)]
    pub(crate) fn unknown_in_markup(&mut self, key: &Key<'_>, at: u64) -> Answer {
        if self.top().kind == FrameKind::Element
            && let Some(rest) = self.class().rest
        {
            let sign = if self.core.attribute { "@" } else { "" };
            let name = format!("{sign}{}", written(key));
            self.remember_key(&name);
            let name = PyString::new(self.attached(), &name).into_ptr();
            self.aim_at(rest);
            return self.gather(name, at);
        }
        let unknown = match self.top().kind {
            FrameKind::Element | FrameKind::Wrapper => self.unknown_in_class(),
            _ => self.core.options.unknown,
        };
        if unknown == Unknown::Skip {
            if matches!(self.top().kind, FrameKind::Element | FrameKind::Wrapper) {
                // A fault in it is not in the element or attribute before it.
                (self.top_mut().key, self.top_mut().unnamed) = (NONE, false);
                if key.kind != KeyKind::Attribute && self.state().text.is_some() {
                    self.leave_out(key);
                }
            }
            return Ok(Flow::Skip);
        }
        let name = written(key);
        let attribute = key.kind == KeyKind::Attribute;
        let (class, has) = match self.top().kind {
            FrameKind::Element if attribute && self.attribute_says_class(key) => {
                return Ok(Flow::Skip);
            }
            FrameKind::Element | FrameKind::Wrapper => (&self.class().name, "field"),
            _ => (&self.plan().nodes[self.top().node as usize].name, "place"),
        };
        if unknown == Unknown::Error {
            self.remember_key(&name);
            let near = self.nearest_name(&name);
            let near = near.map_or_else(String::new, |near| format!("; did you mean '{near}'?"));
            let name = shortened(&name);
            let reason = format!("{class} has no {has} for the {} '{name}'{near}", noun(key));
            return Err(self.mismatch(at, reason, None, None).coded(Code::Unknown));
        }
        let sign = if self.core.attribute { "@" } else { "" };
        self.core.count_unknown(&[class, ".", sign, &name]);
        Ok(Flow::Skip)
    }

    /// The name that was probably meant by one that the current class does not know.
    #[cold]
    fn nearest_name(&self, name: &str) -> Option<&'p str> {
        let knows = matches!(self.top().kind, FrameKind::Element | FrameKind::Wrapper);
        if !knows || !self.core.options.suggest {
            return None;
        }
        let state = self.state();
        let names = if self.core.attribute { &state.attributes } else { &state.elements };
        nearest(name, names.edges.iter().map(|edge| &*edge.name))
    }

    /// The name of an element that is for no field.
    #[inline(never)]
    fn element_rarely(&mut self, key: &Key<'_>, at: u64) -> Answer {
        if self.markup.is_nil() {
            return Ok(Flow::Skip);
        }
        match self.top().kind {
            FrameKind::Root => {
                let name = written(key);
                self.remember_key(&name);
                if let Some(root) = &self.markup.options.root
                    && root.names.find(key).is_none()
                {
                    return Err(self.other_root(&root.shown, key, at));
                }
                // Without a class, the document is a dict of its root element.
                let is_model = self.item().after.as_ref().is_some_and(|after| after.is_model);
                if matches!(self.item().kind, Kind::Any) && !is_model {
                    return self.plain_child(key);
                }
                Ok(Flow::Take)
            }
            FrameKind::Items => {
                self.remember_key(&written(key));
                if self.aim().kind == KindByte::OnPath {
                    self.top_mut().index += 1;
                    return Ok(Flow::Skip);
                }
                Ok(Flow::Take)
            }
            FrameKind::Named => self.named_child(key, at),
            FrameKind::Union => match self.become_other()? {
                true => self.element(*key, at),
                false => self.lost_union(at),
            },
            _ => Ok(Flow::Skip),
        }
    }

    /// The refusal of a document whose root is another element.
    #[cold]
    fn other_root(&self, wanted: &str, key: &Key<'_>, at: u64) -> Refusal {
        let name = written(key);
        let in_any = match key.name.text.as_str() == wanted {
            true => format!(" (root='*:{wanted}' is one in any namespace)"),
            false => String::new(),
        };
        let reason =
            format!("expected the root element '{wanted}', found '{}'{in_any}", shortened(&name));
        self.mismatch(at, reason, None, None)
    }

    /// Begins the element whose name was just reported.
    #[inline]
    pub(crate) fn begin_element(&mut self, at: u64) -> Answer {
        if self.markup.leaf > 0 {
            self.markup.leaf += 1;
            return Ok(Flow::Take);
        }
        let forced = std::mem::take(&mut self.markup.forced);
        if self.markup.text.is_empty() {
            self.markup.ascii = true;
        }
        let text = self.markup.text.len();
        make_room(&mut self.markup.open, 1);
        self.markup.open.push(Open { at, text, nil: false, forced, lost: false });
        let aim = self.aim();
        if aim.kind == KindByte::OnPath {
            return self.begin_wrapper();
        }
        match self.item().kind {
            Kind::Class(class) => self.begin_object(class, aim.node, at),
            Kind::Any => self.begin_plain(aim.node),
            Kind::List(_)
            | Kind::Set(_)
            | Kind::FrozenSet(_)
            | Kind::TupleOf(_)
            | Kind::Tuple(_)
            | Kind::Dict(..)
            | Kind::Tagged(_) => self.begin_rarely(aim.node),
            _ => {
                self.markup.leaf = 1;
                Ok(Flow::Take)
            }
        }
    }

    /// Begins an element on the path to fields.
    fn begin_wrapper(&mut self) -> Answer {
        let top = *self.top();
        if top.leads_to == NONE {
            let in_run = self.state().text.is_some_and(|text| self.takes_runs(text));
            if in_run || !self.markup.wholes.is_empty() {
                self.markup.leaf = 1;
                return Ok(Flow::Take);
            }
            self.markup.close();
            return Ok(Flow::Skip);
        }
        let mut frame = Frame::new(FrameKind::Wrapper, top.node, top.aim, self.core.stack.len());
        (frame.slots, frame.class, frame.state) = (top.slots, top.class, top.leads_to);
        self.core.push_class(frame);
        if self.state().whole.is_some() {
            self.markup.wholes.push(self.markup.at());
        }
        Ok(Flow::Take)
    }

    /// Begins an element that becomes an object of a class.
    #[inline]
    pub(crate) fn begin_object(&mut self, class: ClassId, node: NodeId, at: u64) -> Answer {
        let plan = &self.plan().classes[class as usize];
        let base = self.core.stack.len();
        self.core.stack.push_empty(plan.fields.len());
        let mut frame = Frame::new(FrameKind::Element, node, self.top().aim, base);
        frame.class = class;
        self.core.push_class(frame);
        if plan.states[0].whole.is_some() {
            self.markup.wholes.push(at);
        }
        if !plan.takes_key.is_empty() {
            self.core.at = at;
            self.give_key(&plan.takes_key)?;
        }
        Ok(Flow::Take)
    }

    /// Begins an element that becomes a collection or an object of a union.
    #[inline(never)]
    pub(crate) fn begin_rarely(&mut self, node: NodeId) -> Answer {
        if self.plan().is_open_dict(node) {
            return self.begin_plain(node);
        }
        let base = self.core.stack.len();
        let way = &ON_PATH;
        let (kind, aim) = match &self.plan().nodes[node as usize].kind {
            Kind::List(item) | Kind::Set(item) | Kind::FrozenSet(item) | Kind::TupleOf(item) => {
                (FrameKind::Items, self.aim_of(*item))
            }
            Kind::Tuple(items) => {
                (FrameKind::Items, items.first().map_or(way, |item| self.aim_of(*item)))
            }
            Kind::Dict(_, value) => {
                let value = element(&self.plan().nodes, *value).unwrap_or(*value);
                self.core.stack.push(PyDict::new(self.attached()).into_any().into_ptr());
                (FrameKind::Named, self.aim_of(value))
            }
            _ => {
                // An earlier element that became no object of any class may have left some behind.
                self.markup.held.clear();
                (FrameKind::Union, way)
            }
        };
        if self.plan().packs(node) {
            self.core.begin_numbers()?;
        }
        self.core.push_frame(Frame::new(kind, node, aim, base));
        Ok(Flow::Take)
    }

    /// Ends the element that began last.
    #[inline]
    pub(crate) fn end_element(&mut self, at: u64) -> Answer {
        self.core.attribute = false;
        match self.markup.leaf {
            0 => {}
            1 => return self.end_leaf(),
            _ => {
                self.markup.leaf -= 1;
                return Ok(Flow::Take);
            }
        }
        if self.markup.overlong {
            return Err(self.overlong(at));
        }
        match self.top().kind {
            FrameKind::Element => self.end_object(at),
            FrameKind::Wrapper => {
                if let Some(aim) = self.state().whole {
                    return self.end_whole(aim);
                }
                self.end_text(at)?;
                self.markup.close();
                self.pop_frame();
                Ok(Flow::Take)
            }
            FrameKind::Plain => self.end_plain(at),
            _ => self.end_rarely(at),
        }
    }

    /// Ends an element that becomes a scalar.
    #[inline]
    fn end_leaf(&mut self) -> Answer {
        if self.is_on_way() {
            // Its text remains a part of that around it.
            self.markup.open.pop();
            self.markup.leaf = 0;
            return Ok(Flow::Take);
        }
        let Some(&Open { at, text: from, nil, lost, .. }) = self.markup.open.last() else {
            return Ok(Flow::Take);
        };
        let value = match nil {
            _ if lost => Err(Refusal::kept()),
            true => Ok(self.new_none()),
            false => self.own_text(from, at),
        };
        self.markup.close();
        self.markup.leaf = 0;
        let answer = value.and_then(|value| self.put_in_markup(value, at));
        self.valued(answer)
    }

    /// Ends an element that becomes an object.
    #[inline]
    fn end_object(&mut self, at: u64) -> Answer {
        let whole = self.state().whole;
        let value = if self.markup.is_nil() {
            self.core.stack.release_from(self.attached(), self.top().base);
            let depth = self.core.frames.len();
            self.markup.deferred.retain(|(of, ..)| *of < depth);
            self.new_none()
        } else {
            match whole {
                Some(aim) => self.end_all_text(aim, at)?,
                None => self.end_text(at)?,
            }
            if !self.markup.deferred.is_empty() {
                self.settle_deferred()?;
            }
            if !self.markup.joins.is_empty() {
                self.settle_joins()?;
            }
            match self.make_object(at) {
                Ok(value) => value,
                Err(refusal) => {
                    self.leave_whole(whole);
                    return self.lost_in_markup(refusal);
                }
            }
        };
        self.leave_whole(whole);
        self.markup.close();
        self.pop_frame();
        let answer = self.put_in_markup(value, at);
        self.valued(answer)
    }

    /// Ends an element that becomes a collection or an object of a union.
    #[inline(never)]
    fn end_rarely(&mut self, at: u64) -> Answer {
        if self.top().kind == FrameKind::Union && !self.markup.is_nil() && self.become_other()? {
            return self.end_element(at);
        }
        let value = if self.markup.is_nil() {
            self.core.stack.release_from(self.attached(), self.top().base);
            self.new_none()
        } else {
            let made = match self.top().kind {
                FrameKind::Items if self.top().spoiled && self.is_lost() => Err(Refusal::kept()),
                FrameKind::Items => make::list(&mut self.core, at),
                FrameKind::Named => self.end_named(at),
                _ if self.is_lost() => Err(Refusal::kept()),
                _ => Err(self.untagged(at)),
            };
            match made {
                Ok(value) => value,
                Err(refusal) => return self.lost_in_markup(refusal),
            }
        };
        self.markup.close();
        self.pop_frame();
        let answer = self.put_in_markup(value, at);
        self.valued(answer)
    }

    /// Puts a value that was made of an element or attribute in its place. Takes over the
    /// reference.
    #[inline]
    pub(crate) fn put_in_markup(&mut self, value: *mut ffi::PyObject, at: u64) -> Answer {
        if value.is_null() {
            return Ok(Flow::Take);
        }
        let mut value = value;
        if self.aim().finishes {
            value = self.finish_noted(value, at)?;
        }
        match self.top().kind {
            FrameKind::Element | FrameKind::Wrapper => {
                let aim = self.aim();
                if aim.gathers && self.collects(aim.field) {
                    return self.gather(value, at);
                }
                let place = self.top().slots + aim.field as usize;
                let old = self.core.stack.replace(place, value);
                if old.is_null() { Ok(Flow::Take) } else { self.replaced(old, place, at) }
            }
            FrameKind::Root => self.deliver_root(value),
            FrameKind::Named => self.put_named(value, at),
            FrameKind::Items if self.item().packed.is_some() => self.add_number(value),
            _ => {
                self.core.stack.push(value);
                if let Kind::Tuple(_) = self.plan().nodes[self.top().node as usize].kind {
                    self.expect_position();
                }
                Ok(Flow::Take)
            }
        }
    }

    /// A field's value replaces an older one, which is handed over, or is joined to it.
    #[cold]
    #[inline(never)]
    fn replaced(&mut self, old: *mut ffi::PyObject, place: usize, at: u64) -> Answer {
        let py = self.attached();
        // SAFETY: the stack gave its reference to the old value to us, and owns one to the new.
        let (old, new) = unsafe {
            (
                Bound::from_owned_ptr(py, old),
                Bound::from_borrowed_ptr(py, self.core.stack.get(place)),
            )
        };
        if self.markup.options.repeated != Repeated::Join {
            return Ok(Flow::Take);
        }
        if let (Ok(old), Ok(new)) = (old.cast::<PyString>(), new.cast::<PyString>()) {
            let token = self.markup.options.token;
            if !self.markup.joins.add(place, old.to_str()?, new.to_str()?, token) {
                return Err(self.joined_too_long(at));
            }
        } else if new.is_none() {
            // An element with `xsi:nil` has no text to join.
            let nil = self.core.stack.replace(place, old.into_ptr());
            // SAFETY: the stack gave its reference to us.
            unsafe { drop(Bound::from_owned_ptr_or_opt(py, nil)) };
        }
        Ok(Flow::Take)
    }

    /// Puts the joined texts into the fields of the current object.
    #[cold]
    #[inline(never)]
    fn settle_joins(&mut self) -> Result<(), Refusal> {
        for (place, text) in self.markup.joins.take_from(self.top().slots) {
            let joined = new_str(self.attached(), Text::from(&*text));
            if joined.is_null() {
                return Err(self.raised());
            }
            let last = self.core.stack.replace(place, joined);
            // SAFETY: the stack gave its reference to us.
            unsafe { drop(Bound::from_owned_ptr_or_opt(self.attached(), last)) };
        }
        Ok(())
    }

    /// The refusal of a longer joined text than the limit.
    pub(crate) fn joined_too_long(&self, at: u64) -> Refusal {
        let token = self.markup.options.token;
        let reason = format!("the joined texts are longer than {token} bytes (limits.token)");
        self.exceeded(at, reason)
    }

    /// Delivers the value of the whole document.
    #[inline(never)]
    fn deliver_root(&mut self, value: *mut ffi::PyObject) -> Answer {
        if self.top().spoiled {
            // SAFETY: the reference is handed over to us.
            unsafe { drop(Bound::from_owned_ptr(self.attached(), value)) };
            return Err(Refusal::kept());
        }
        // The rest is not inside the root.
        self.top_mut().unnamed = false;
        if self.core.stack.len() == 0 {
            return self.deliver(value);
        }
        let dict = self.wrapped_root(value)?;
        self.deliver(dict)
    }

    /// Marks the current element: it does not fit, whatever it contains.
    #[cold]
    #[inline(never)]
    pub(crate) fn lost_element(&mut self, refusal: Refusal) -> Answer {
        self.keep(refusal)?;
        if let Some(open) = self.markup.open.last_mut() {
            open.lost = true;
        }
        Ok(Flow::Skip)
    }

    /// Whether the current element is known not to fit.
    pub(crate) fn is_lost(&self) -> bool {
        self.markup.open.last().is_some_and(|open| open.lost)
    }

    /// Makes the object of the current element.
    #[inline(always)]
    fn make_object(&mut self, at: u64) -> Result<*mut ffi::PyObject, Refusal> {
        // For an element that does not fit at all, no further problems are reported.
        if self.top().spoiled && self.is_lost() {
            return Err(Refusal::kept());
        }
        make::object(&mut self.core, at)
    }

    /// The value of the current element cannot be made, and the element ends.
    #[cold]
    #[inline(never)]
    fn lost_in_markup(&mut self, refusal: Refusal) -> Answer {
        self.keep(refusal)?;
        self.markup.close();
        self.leave_lost()
    }
}
