//! Writes the fields of an object as attributes, text and child elements.

use super::Stop;
use super::elements::{Each, Frame, Keys, lost, no_text};
use super::unions::TagOf;
use super::values::class_name;
use super::walk::{self, As, Omit, Walker};
use crate::plan::written::layout::{Get, Layout};
use crate::plan::written::tree::{Many, Part, Place, Route, Step};
use crate::plan::{Absent, ClassPlan, Kind, NodeId, PLAIN, Target};
use penstock_core::event::{Key, KeyKind, Text};
use penstock_core::protocol::Flow;
use penstock_core::select::NamespaceTest;
use penstock_core::writer::Writer;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

impl<'py, W: Writer> Walker<'py, '_, W> {
    /// An object of a class becomes an element.
    pub(super) fn push_element(
        &mut self,
        value: &Bound<'py, PyAny>,
        class: u32,
        plan: usize,
    ) -> Result<Flow, Stop> {
        let layouts = self.known.kept[plan].layouts(self.py)?;
        layouts.class(class).map_err(Stop::misfit)?;
        let flow = self.writer.begin_map(0)?;
        let depth = self.frames.len() + 1;
        let object = value.clone();
        self.frames.push(walk::Frame::Elements(Frame::Object {
            object,
            plan,
            class,
            next: 0,
            depth,
            coming: Vec::new(),
            written: None,
        }));
        Ok(flow)
    }

    /// Writes fields of the innermost object until one is a container.
    pub(super) fn element_fields(&mut self) -> Result<Flow, Stop> {
        let Some(walk::Frame::Elements(Frame::Object { object, plan, class, next, depth, .. })) =
            self.frames.last_mut()
        else {
            return Ok(Flow::Take);
        };
        let (object, plan, class, mut at, depth) = (object.clone(), *plan, *class, *next, *depth);
        // The plan is not dropped while the walker works, but the borrow checker cannot know.
        let kept = self.known.kept[plan].clone_ref(self.py);
        let layouts = kept.layouts(self.py)?;
        let layout = layouts.class(class).map_err(Stop::misfit)?;
        let class = &kept.classes[class as usize];
        while let Some(step) = layout.elements.get(at) {
            at += 1;
            // For a path in an error, and for the next call.
            if let Some(walk::Frame::Elements(Frame::Object { next, .. })) = self.frames.last_mut()
            {
                *next = at;
            }
            let flow = match step {
                Step::Attribute(part) | Step::Text(part) => {
                    self.scalar_part(&object, part, (class, plan), layout)?
                }
                Step::Whole(part) => self.whole_part(&object, part, (class, plan), layout)?,
                Step::Value(part) => self.value_part(&object, part, (class, plan), layout)?,
                Step::Each(_, part) => {
                    let each = Each::Part(at - 1);
                    self.several(&object, part, (class, plan), layout, each)?
                }
                Step::Choice(part, routes) => {
                    self.choice(&object, part, (class, plan), layout, (at - 1, routes))?
                }
                Step::Solid => {
                    self.writer.key("#text".into(), 0)?;
                    self.writer.text("".into(), 0)?
                }
                Step::Open(_) => {
                    self.coming().push(at - 1);
                    Flow::Take
                }
                Step::Close => match self.coming().pop() {
                    // It would be empty.
                    Some(_) => Flow::Take,
                    None => self.writer.end_map(0)?,
                },
                Step::Rest(get, attributes) => {
                    self.rest(&object, get, (class, plan), *attributes)?
                }
            };
            if flow == Flow::Pause || self.frames.len() > depth {
                return Ok(flow);
            }
        }
        self.frames.pop();
        Ok(self.writer.end_map(0)?)
    }

    /// The elements of the innermost object that begin with their first content.
    pub(super) fn coming(&mut self) -> &mut Vec<usize> {
        match self.frames.last_mut() {
            Some(walk::Frame::Elements(Frame::Object { coming, .. })) => coming,
            _ => unreachable!("the fields of an object are written"),
        }
    }

    /// Content comes: begins the elements around it.
    pub(super) fn arrive(&mut self, layout: &Layout) -> Result<(), Stop> {
        if self.coming().is_empty() {
            return Ok(());
        }
        for at in std::mem::take(self.coming()) {
            if let Some(Step::Open(name)) = layout.elements.get(at) {
                self.writer.name(name.key(false), 0)?;
                self.writer.begin_map(0)?;
            }
            self.keep_text(layout, at + 1)?;
        }
        Ok(())
    }

    /// Refuses an element that has begun if its text was left out, and would be read as empty.
    pub(super) fn keep_text(&self, layout: &Layout, first: usize) -> Result<(), Stop> {
        let Some(walk::Frame::Elements(Frame::Object { plan, next, .. })) = self.frames.last()
        else {
            return Ok(());
        };
        let passed = layout.elements.get(first..next.saturating_sub(1)).unwrap_or_default();
        let own = passed.iter().find(|step| !matches!(step, Step::Attribute(_) | Step::Solid));
        match own {
            Some(Step::Text(part)) if self.omit == Omit::Nothing => {
                let of = As { plan: *plan, node: part.node };
                if self.node(of).is_text() { Err(no_text()) } else { Ok(()) }
            }
            _ => Ok(()),
        }
    }

    /// The value of a field, unless it is left out.
    pub(super) fn part_value(
        &self,
        object: &Bound<'py, PyAny>,
        part: &Part,
        class: &ClassPlan,
    ) -> Result<Option<Bound<'py, PyAny>>, Stop> {
        if let Some(walk::Frame::Elements(Frame::Object { written: Some(field), .. })) =
            self.frames.last()
            && *field == part.index
        {
            return Ok(None);
        }
        let Some(value) = self.get(object, &part.get)? else { return Ok(None) };
        let absent = class.fields[part.index as usize].default();
        let omitted = !part.shows && self.omits(&value, absent)?;
        Ok((!omitted).then_some(value))
    }

    /// Whether a field whose element or attribute is absent has this value.
    pub(super) fn is_absence(
        &self,
        value: &Bound<'py, PyAny>,
        part: &Part,
        class: &ClassPlan,
    ) -> Result<bool, Stop> {
        if part.shows {
            return Ok(false);
        }
        let absent = class.fields[part.index as usize].default();
        if matches!(absent, Absent::Error) && !matches!(part.many, Many::One) {
            return Ok(value.len().is_ok_and(|count| count == 0));
        }
        self.is_default(value, absent)
    }

    /// Whether the type of a value has None.
    pub(super) fn takes_none(&self, of: As) -> bool {
        let node = self.node(of);
        match &node.kind {
            _ if node.nullable => true,
            Kind::None | Kind::Any => true,
            Kind::Choice(choice) => choice.null.is_some(),
            Kind::Tokens(tokens) => tokens.null.is_some(),
            _ => false,
        }
    }

    /// An attribute, or the text of an element.
    pub(super) fn scalar_part(
        &mut self,
        object: &Bound<'py, PyAny>,
        part: &Part,
        (class, plan): (&ClassPlan, usize),
        layout: &Layout,
    ) -> Result<Flow, Stop> {
        let mut of = As { plan, node: part.node };
        let is_text = part.place == Place::Text && self.node(of).is_text();
        let Some(mut value) = self.part_value(object, part, class)? else {
            if is_text && self.coming().is_empty() && self.omit == Omit::Nothing {
                return Err(no_text());
            }
            return Ok(Flow::Take);
        };
        let whole = value.clone();
        if let Many::Several(item) = part.many {
            let items = self.items_of(&value, of)?;
            match (items.len(), items.get(0)) {
                (0, _) if self.is_absence(&value, part, class)? => return Ok(Flow::Take),
                (0, _) => return Err(lost("an empty collection")),
                (1, Some(only)) => value = only,
                _ => {
                    let place = match part.place {
                        Place::Attribute(_) => "an attribute has",
                        _ => "the text of an element is",
                    };
                    return Err(Stop::misfit(format!("{place} one value, and here are several")));
                }
            }
            of = As { node: item, ..of };
        }
        if value.is_none() && self.takes_none(of) {
            let present = is_text && self.coming().is_empty();
            if self.is_absence(&whole, part, class)? && !present {
                return Ok(Flow::Take);
            }
            return Err(lost("None"));
        }
        self.arrive(layout)?;
        self.absent = may_be_absent(class, part);
        self.scalar_of(&value, &part.place, of)?;
        if self.blank && !self.is_absence(&whole, part, class)? {
            return Err(Stop::misfit("its text is empty, and would be read back as absent"));
        }
        Ok(Flow::Take)
    }

    /// Writes the value of an attribute or of a text. Notes whether a text would count as absent.
    pub(super) fn scalar_of(
        &mut self,
        value: &Bound<'py, PyAny>,
        place: &Place,
        of: As,
    ) -> Result<(), Stop> {
        self.blank = false;
        match place {
            Place::Attribute(name) => {
                self.writer.name(name.key(true), 0)?;
                self.value(value, of)?;
            }
            _ => {
                self.writer.key("#text".into(), 0)?;
                let is_text = self.node(of).is_text();
                if is_text {
                    self.value(value, of)?;
                    return Ok(());
                }
                self.writer.listen();
                self.value(value, of)?;
                self.blank = self.writer.heard().is_some_and(|text| text.trim_ascii().is_empty());
                self.writer.ignore();
            }
        }
        Ok(())
    }

    /// The text of an element of which other fields have attributes.
    pub(super) fn whole_part(
        &mut self,
        object: &Bound<'py, PyAny>,
        part: &Part,
        (class, plan): (&ClassPlan, usize),
        layout: &Layout,
    ) -> Result<Flow, Stop> {
        let Some(value) = self.part_value(object, part, class)? else { return Ok(Flow::Take) };
        let of = As { plan, node: part.node };
        if value.is_none() && self.takes_none(of) {
            if !self.coming().is_empty() && self.is_absence(&value, part, class)? {
                return Ok(Flow::Take);
            }
            self.arrive(layout)?;
            self.writer.nil()?;
            return Ok(Flow::Take);
        }
        self.arrive(layout)?;
        self.writer.key("#text".into(), 0)?;
        self.absent = may_be_absent(class, part);
        self.value(&value, of)
    }

    /// A child element, or several.
    pub(super) fn value_part(
        &mut self,
        object: &Bound<'py, PyAny>,
        part: &Part,
        (class, plan): (&ClassPlan, usize),
        layout: &Layout,
    ) -> Result<Flow, Stop> {
        if !matches!(part.many, Many::One) {
            return self.several(object, part, (class, plan), layout, Each::Repeated);
        }
        let Some(value) = self.part_value(object, part, class)? else { return Ok(Flow::Take) };
        let of = As { plan, node: part.node };
        if value.is_none() && self.takes_none(of) && self.is_absence(&value, part, class)? {
            return Ok(Flow::Take);
        }
        self.arrive(layout)?;
        if let Place::Element(name) = &part.place {
            self.writer.name(name.key(false), 0)?;
        }
        self.absent = may_be_absent(class, part);
        self.value(&value, of)
    }

    /// The values of a field that has any number of them.
    pub(super) fn several(
        &mut self,
        object: &Bound<'py, PyAny>,
        part: &Part,
        (class, plan): (&ClassPlan, usize),
        layout: &Layout,
        each: Each,
    ) -> Result<Flow, Stop> {
        let Some(value) = self.part_value(object, part, class)? else { return Ok(Flow::Take) };
        let of = As { plan, node: part.node };
        if value.is_none() && self.takes_none(of) {
            if self.is_absence(&value, part, class)? {
                return Ok(Flow::Take);
            }
            return Err(lost("None"));
        }
        let (items, item) = match part.many {
            Many::Keyed(item, key) => (self.keyed(&value, of, key)?, item),
            Many::Several(item) => (self.items_of(&value, of)?, item),
            Many::One => return Ok(Flow::Take),
        };
        if items.len() == 0 {
            if self.is_absence(&value, part, class)? {
                return Ok(Flow::Take);
            }
            return Err(lost("an empty collection"));
        }
        self.arrive(layout)?;
        let flow = match (&part.place, each) {
            (Place::Element(name), Each::Repeated) => {
                self.writer.name(name.key(false), 0)?;
                self.writer.begin_list(0)?
            }
            _ => Flow::Take,
        };
        self.push_items(items, As { node: item, ..of }, each);
        Ok(flow)
    }

    /// The value, or the values, of a field whose types have a path each.
    pub(super) fn choice(
        &mut self,
        object: &Bound<'py, PyAny>,
        part: &Part,
        (class, plan): (&ClassPlan, usize),
        layout: &Layout,
        (step, routes): (usize, &[Route]),
    ) -> Result<Flow, Stop> {
        if !matches!(part.many, Many::One) {
            let each = Each::Choice(step, false);
            return self.several(object, part, (class, plan), layout, each);
        }
        let Some(value) = self.part_value(object, part, class)? else { return Ok(Flow::Take) };
        if value.is_none() && self.is_absence(&value, part, class)? {
            return Ok(Flow::Take);
        }
        let of = As { plan, node: part.node };
        let route = self.route(&value, routes, of)?;
        self.arrive(layout)?;
        self.by_route(&value, route, plan)
    }

    /// The path of a value's type.
    pub(super) fn route<'r>(
        &self,
        value: &Bound<'py, PyAny>,
        routes: &'r [Route],
        of: As,
    ) -> Result<&'r Route, Stop> {
        let class = value.get_type();
        let is_own = |node: NodeId| match self.node(As { node, ..of }).kind {
            Kind::Class(id) => self.plan(of).classes[id as usize].class.bind(self.py).is(&class),
            _ => false,
        };
        let fits = |node: NodeId| match self.node(As { node, ..of }).nullable {
            true if value.is_none() => true,
            _ => self.takes(value, As { node, ..of }),
        };
        let found = routes.iter().find(|route| is_own(route.node));
        let found = found.or_else(|| routes.iter().find(|route| fits(route.node)));
        found.ok_or_else(|| {
            let names = routes.iter().map(|it| &*self.node(As { node: it.node, ..of }).written);
            let names: Vec<&str> = names.collect();
            match class_name(value) {
                Ok(class) => Stop::misfit(format!("expected {}, got {class}", names.join(" | "))),
                Err(error) => Stop::Raised(error),
            }
        })
    }

    pub(super) fn by_route(
        &mut self,
        value: &Bound<'py, PyAny>,
        route: &Route,
        plan: usize,
    ) -> Result<Flow, Stop> {
        let of = As { plan, node: route.node };
        match &route.place {
            Place::Element(name) => {
                self.writer.name(name.key(false), 0)?;
                self.value(value, of)
            }
            _ => {
                self.writer.listen();
                self.writer.key("#text".into(), 0)?;
                let flow = self.value(value, of)?;
                if self.writer.heard().is_none_or(<[u8]>::is_empty) {
                    return Err(Stop::misfit("an empty text between elements is no value"));
                }
                self.writer.ignore();
                Ok(flow)
            }
        }
    }

    /// The keys that the class does not name.
    pub(super) fn rest(
        &mut self,
        object: &Bound<'py, PyAny>,
        get: &Get,
        (class, plan): (&ClassPlan, usize),
        attributes: bool,
    ) -> Result<Flow, Stop> {
        let Some(rest) = self.get(object, get)? else { return Ok(Flow::Take) };
        if rest.is_none() {
            return Ok(Flow::Take);
        }
        let Ok(rest) = rest.cast_into::<PyDict>() else {
            return Err(Stop::misfit("the rest must be a dict"));
        };
        for key in rest.keys() {
            let Ok(text) = key.cast::<PyString>() else {
                let reason = format!("a key of the rest must be text, not {}", class_name(&key)?);
                return Err(Stop::misfit(reason));
            };
            let text = text.to_string_lossy();
            let (local, is_attribute) = match text.strip_prefix('@') {
                Some(local) => (local, true),
                None => (&*text, false),
            };
            let state = &class.states[0];
            let names = if is_attribute { &state.attributes } else { &state.elements };
            let kind = if is_attribute { KeyKind::Attribute } else { KeyKind::Element };
            let key = Key { name: local.into(), namespace: None, prefix: None, kind };
            if names.find(&key).is_some() || !is_attribute && state.other.is_some() {
                let reason = format!("the rest has the key '{text}' of a field");
                return Err(Stop::misfit(reason));
            }
            if text == "#text" {
                return Err(Stop::misfit("the rest has no text: no class reads it"));
            }
        }
        let any = As { plan, node: PLAIN };
        let keys = if attributes { Keys::AttributesOnly } else { Keys::OthersOnly };
        self.push_dict_element(rest, any, any, keys);
        Ok(Flow::Take)
    }

    /// The attribute that gives the class of the innermost object, one of a union.
    pub(super) fn tag_attribute(
        &mut self,
        key: &str,
        namespace: &NamespaceTest,
        tag: &TagOf,
    ) -> Result<(), Stop> {
        let Some(walk::Frame::Elements(Frame::Object { object, plan, class, .. })) =
            self.frames.last()
        else {
            return Ok(());
        };
        let (object, plan, class) = (object.clone(), *plan, *class);
        let kept = self.known.kept[plan].clone_ref(self.py);
        let layouts = kept.layouts(self.py)?;
        let layout = layouts.class(class).map_err(Stop::misfit)?;
        let class = &kept.classes[class as usize];
        let uri = match namespace {
            NamespaceTest::Uri(uri) if !uri.is_empty() => Some(Text::from(&**uri)),
            _ => None,
        };
        let name = Key { name: key.into(), namespace: uri, prefix: None, kind: KeyKind::Attribute };
        // As it is read: what has a namespace has a prefix, too.
        let read = Key { prefix: uri.map(|_| Text::from("")), ..name };
        let attributes = &class.states[0].attributes;
        let field =
            attributes.find(&read).and_then(|edge| match attributes.edges[edge as usize].to {
                Target::Field(aim) => Some(class.aims[aim as usize].field),
                Target::State(_) => None,
            });
        let own = layout.elements.iter().take_while(|step| !matches!(step, Step::Open(_)));
        for step in own {
            match step {
                Step::Attribute(part) if Some(part.index) == field => return Ok(()),
                Step::Value(part) if Some(part.index) == field => {
                    let Some(value) = self.get(&object, &part.get)? else { break };
                    self.writer.name(name, 0)?;
                    self.value(&value, As { plan, node: part.node })?;
                    if let Some(walk::Frame::Elements(Frame::Object { written, .. })) =
                        self.frames.last_mut()
                    {
                        *written = field;
                    }
                    return Ok(());
                }
                _ => {}
            }
        }
        self.writer.name(name, 0)?;
        match tag {
            TagOf::Text(text) => self.writer.text((&**text).into(), 0)?,
            TagOf::Int(int) => self.writer.int(*int, 0)?,
        };
        Ok(())
    }
}

/// Whether something else stands for a field that has no value: its default.
fn may_be_absent(class: &ClassPlan, part: &Part) -> bool {
    let field = class.fields.get(part.index as usize);
    field.is_some_and(|field| !matches!(field.absent, Absent::Error))
}
