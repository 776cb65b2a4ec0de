//! Walks an object for a format of elements.
//!
//! What differs from [`walk`](super::walk): attributes come before all content of their element
//! ([`tree`]), a collection is an element repeated or an element of its own, the absence of an
//! element is a value, and every value is text, which must be read back as itself
//! ([`readback`](super::readback)).

use super::Stop;
use super::layout::{Get, Layout};
use super::text::text_of;
use super::tree::{Many, Name, Part, Place, Route, Step};
use super::unions::TagOf;
use super::values::class_name;
use super::walk::{self, As, Omit, Walker};
use crate::plan::{Absent, ClassPlan, Kind, NodeId, PLAIN, Target, element};
use penstock_core::event::{Key, KeyKind, Text};
use penstock_core::sink::Flow;
use penstock_core::writer::{Named, Writer};
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString, PyTuple};
use std::collections::HashSet;

/// An element, or several, that are being written.
pub(super) enum Frame<'py> {
    /// An element that is an object of a class.
    Object {
        object: Bound<'py, PyAny>,
        plan: usize,
        class: u32,
        /// The next step.
        next: usize,
        /// How many frames there are, with this one.
        depth: usize,
        /// The steps of elements on the path to fields that begin with their first content.
        coming: Vec<usize>,
        /// A field that is written already, as the attribute that gives the class.
        written: Option<u32>,
    },
    /// Values, one after the other.
    Items { items: Items<'py>, next: usize, item: As, each: Each },
    /// An element whose child elements have the keys of a dict.
    Dict {
        dict: Bound<'py, PyDict>,
        next: ffi::Py_ssize_t,
        size: usize,
        key: As,
        value: As,
        keys: Keys,
        current: Option<Bound<'py, PyAny>>,
        /// The keys that were no text.
        texts: HashSet<String>,
    },
}

impl Frame<'_> {
    /// The container, to find one that contains itself.
    pub(super) fn container(&self) -> Option<*mut ffi::PyObject> {
        match self {
            Frame::Object { object, .. } => Some(object.as_ptr()),
            Frame::Items { items: Items::List(list), .. } => Some(list.as_ptr()),
            Frame::Items { items: Items::Tuple(tuple), .. } => Some(tuple.as_ptr()),
            Frame::Dict { keys: Keys::AttributesOnly | Keys::OthersOnly, .. } => None,
            Frame::Dict { dict, .. } => Some(dict.as_ptr()),
        }
    }
}

/// Values in memory.
pub(super) enum Items<'py> {
    List(Bound<'py, PyList>),
    Tuple(Bound<'py, PyTuple>),
}

impl<'py> Items<'py> {
    /// The value at a place. The caller's code may have shortened a list.
    fn get(&self, at: usize) -> Option<Bound<'py, PyAny>> {
        match self {
            Items::List(list) if at < list.len() => list.get_item(at).ok(),
            Items::Tuple(tuple) if at < tuple.len() => tuple.get_item(at).ok(),
            _ => None,
        }
    }

    fn len(&self) -> usize {
        match self {
            Items::List(list) => list.len(),
            Items::Tuple(tuple) => tuple.len(),
        }
    }
}

/// How each of several values is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Each {
    /// As the element whose list has begun.
    Repeated,
    /// As a child element with a name of its own.
    Child,
    /// As a child element, and each has a type of its own.
    Position,
    /// As an element with an attribute or a text: a step of the object around it.
    Part(usize),
    /// By the path of its type: a step of the object around it. Whether the value before was text.
    Choice(usize, bool),
}

/// The keys of a dict that are to be written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Keys {
    /// Attributes, by the convention of plain values, and then all others.
    Attributes,
    /// All but attributes.
    Others,
    /// Attributes alone, into an element that goes on.
    AttributesOnly,
    /// All but attributes, into an element that goes on.
    OthersOnly,
    /// The names of child elements.
    Names,
}

impl Name {
    /// The name as a writer takes it.
    fn key(&self, attribute: bool) -> Key<'_> {
        let kind = match (&self.uri, attribute) {
            (_, true) => KeyKind::Attribute,
            // Exactly without a namespace, whatever is the default.
            (Some(uri), false) if uri.is_empty() => KeyKind::Element,
            // A member takes the default namespace, and a prefix for any other.
            _ => KeyKind::Member,
        };
        let namespace = self.uri.as_deref().filter(|uri| !uri.is_empty()).map(Text::from);
        Key { name: (&*self.local).into(), namespace, prefix: None, kind }
    }
}

impl<'py, W: Writer> Walker<'py, '_, W> {
    /// Names the value of the whole document, if nobody else does.
    pub(super) fn name_root(
        &mut self,
        value: &Bound<'py, PyAny>,
        plan: Option<usize>,
    ) -> Result<(), Stop> {
        let named = self.writer.named();
        let of = match plan {
            Some(plan) => As { plan, node: self.known.kept[plan].root },
            None => As { plan: self.plain()?, node: PLAIN },
        };
        if let Some(name) = self.root_name(value, of, named)? {
            self.writer.key(name.as_str().into(), 0)?;
        }
        Ok(())
    }

    fn root_name(
        &mut self,
        value: &Bound<'py, PyAny>,
        of: As,
        named: Named,
    ) -> Result<Option<String>, Stop> {
        let given = if named.within { named.record } else { named.root };
        if let Some(name) = self.element_name(value, of)? {
            return Ok((!given).then_some(name));
        }
        let of = self.own_type(value, of)?;
        let is_list = matches!(
            self.node(of).kind,
            Kind::List(_) | Kind::Set(_) | Kind::FrozenSet(_) | Kind::TupleOf(_) | Kind::Tuple(_)
        );
        let is_plain = matches!(self.node(of).kind, Kind::Any) && self.is_plain(of);
        let is_list = is_list || is_plain && is_list_of(value);
        let own = match self.node(of).kind {
            _ if given || named.within => false,
            // The writer has a form for these.
            _ if is_list && named.record => false,
            Kind::Dict(..) => true,
            _ => is_list,
        };
        Ok(own.then(|| "root".to_owned()))
    }

    /// The type of a value: the declared one, or if that is anything, the plan of its class.
    fn own_type(&mut self, value: &Bound<'py, PyAny>, of: As) -> Result<As, Stop> {
        let class = value.get_type();
        // SAFETY: the class of a live object is complete.
        let own = unsafe { (*class.as_type_ptr()).tp_flags & ffi::Py_TPFLAGS_HEAPTYPE != 0 };
        if !own || !matches!(self.node(of).kind, Kind::Any) || !self.is_plain(of) {
            return Ok(of);
        }
        Ok(match self.known.of_class(&class) {
            Ok(plan) => As { plan, node: self.known.kept[plan].root },
            // It is said of the value itself.
            Err(error) if error.is_instance_of::<pyo3::exceptions::PyException>(self.py) => of,
            Err(error) => return Err(Stop::Raised(error)),
        })
    }

    /// The name of the element of a value: the name of its class, if that has fields.
    fn element_name(&mut self, value: &Bound<'py, PyAny>, of: As) -> Result<Option<String>, Stop> {
        let of = self.own_type(value, of)?;
        let name = match &self.node(of).kind {
            _ if value.is_none() => return Ok(None),
            Kind::Class(_) if value.is_instance_of::<PyDict>() => None,
            Kind::Class(_) => Some(value.get_type().name()?),
            Kind::Tagged(_) if !value.is_instance_of::<PyDict>() => Some(value.get_type().name()?),
            _ => return Ok(None),
        };
        let name = match (name, &self.node(of).kind) {
            (Some(name), _) => name,
            (None, Kind::Class(class)) => {
                self.plan(of).classes[*class as usize].class.bind(self.py).name()?
            }
            (None, _) => return Ok(None),
        };
        Ok(Some(name.to_str()?.to_owned()))
    }

    /// Writes what comes next in the innermost frame, which is one of elements.
    pub(super) fn next_element(&mut self) -> Result<Flow, Stop> {
        match self.frames.last() {
            Some(walk::Frame::Elements(Frame::Object { .. })) => self.element_fields(),
            Some(walk::Frame::Elements(Frame::Items { .. })) => self.next_item(),
            _ => self.element_member(),
        }
    }

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
    fn element_fields(&mut self) -> Result<Flow, Stop> {
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
    fn coming(&mut self) -> &mut Vec<usize> {
        match self.frames.last_mut() {
            Some(walk::Frame::Elements(Frame::Object { coming, .. })) => coming,
            _ => unreachable!("the fields of an object are written"),
        }
    }

    /// Content comes: begins the elements around it.
    fn arrive(&mut self, layout: &Layout) -> Result<(), Stop> {
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
    fn keep_text(&self, layout: &Layout, first: usize) -> Result<(), Stop> {
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
    fn part_value(
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
        let absent = &class.fields[part.index as usize].absent;
        let omitted = !part.shows && self.omits(&value, absent)?;
        Ok((!omitted).then_some(value))
    }

    /// Whether a field whose element or attribute is absent has this value.
    fn is_absence(
        &self,
        value: &Bound<'py, PyAny>,
        part: &Part,
        class: &ClassPlan,
    ) -> Result<bool, Stop> {
        if part.shows {
            return Ok(false);
        }
        let absent = &class.fields[part.index as usize].absent;
        if matches!(absent, Absent::Error) && !matches!(part.many, Many::One) {
            return Ok(value.len().is_ok_and(|count| count == 0));
        }
        self.is_default(value, absent)
    }

    /// Whether the type of a value has None.
    fn takes_none(&self, of: As) -> bool {
        let node = self.node(of);
        match &node.kind {
            _ if node.nullable => true,
            Kind::None | Kind::Any => true,
            Kind::Choice(choice) => choice.null.is_some(),
            _ => false,
        }
    }

    /// An attribute, or the text of an element.
    fn scalar_part(
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
        self.scalar_of(&value, &part.place, of)?;
        if self.blank && !self.is_absence(&whole, part, class)? {
            return Err(Stop::misfit("its text is empty, and would be read back as absent"));
        }
        Ok(Flow::Take)
    }

    /// Writes the value of an attribute or of a text. Notes whether a text would count as absent.
    fn scalar_of(&mut self, value: &Bound<'py, PyAny>, place: &Place, of: As) -> Result<(), Stop> {
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
    fn whole_part(
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
        self.value(&value, of)
    }

    /// A child element, or several.
    fn value_part(
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
        self.value(&value, of)
    }

    /// The values of a field that has any number of them.
    fn several(
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

    fn push_items(&mut self, items: Items<'py>, item: As, each: Each) {
        self.frames.push(walk::Frame::Elements(Frame::Items { items, next: 0, item, each }));
    }

    /// The values of a dict that is keyed by a field of theirs.
    fn keyed(&mut self, value: &Bound<'py, PyAny>, of: As, key: u32) -> Result<Items<'py>, Stop> {
        let Ok(dict) = value.cast::<PyDict>() else { return Err(self.unfit(value, of)) };
        let Kind::Dict(_, value_node) = self.node(of).kind else {
            return Err(self.unfit(value, of));
        };
        let Kind::Class(inner) = self.node(As { node: value_node, ..of }).kind else {
            return Err(self.unfit(value, of));
        };
        let kept = self.known.kept[of.plan].clone_ref(self.py);
        let layouts = kept.layouts(self.py)?;
        let layout = layouts.class(inner).map_err(Stop::misfit)?;
        let mut parts = layout.elements.iter().filter_map(Step::part);
        let Some(part) = parts.find(|part| part.index == key) else {
            return Err(Stop::misfit("the key of the dict is not written"));
        };
        for (name, item) in dict {
            // An object of another class may keep its values elsewhere.
            let is_own = item.get_type().is(kept.classes[inner as usize].class.bind(self.py));
            if !is_own && !matches!(part.get, Get::Key(_)) {
                return Err(self.unfit(&item, As { node: value_node, ..of }));
            }
            let own = self.get(&item, &part.get)?;
            let same = own.map(|own| own.eq(&name)).transpose();
            if !same.map_err(|error| Stop::own_code(self.py, "==", error))?.unwrap_or(false) {
                let shown = name.repr()?;
                return Err(Stop::misfit(format!(
                    "the value under the key {shown} has another key itself"
                )));
            }
        }
        Ok(Items::List(dict.values()))
    }

    /// All values of a collection, in memory.
    fn items_of(&mut self, value: &Bound<'py, PyAny>, of: As) -> Result<Items<'py>, Stop> {
        let mut value = value.clone();
        for back in self.backs(of) {
            value = self.back(back, &value)?;
        }
        self.all_of(&value, of)
    }

    fn all_of(&mut self, value: &Bound<'py, PyAny>, of: As) -> Result<Items<'py>, Stop> {
        if let Ok(list) = value.cast::<PyList>() {
            return Ok(Items::List(list.clone()));
        } else if let Ok(tuple) = value.cast::<PyTuple>() {
            return Ok(Items::Tuple(tuple.clone()));
        } else if value.is_instance_of::<PyString>()
            || value.is_instance_of::<PyBytes>()
            || value.is_instance_of::<PyDict>()
            || value.get_type().getattr_opt(intern!(self.py, "__iter__"))?.is_none()
        {
            return Err(self.unfit(value, of));
        }
        let all = PyList::empty(self.py);
        for item in value.try_iter().map_err(|error| Stop::own_code(self.py, "iterating", error))? {
            all.append(item.map_err(|error| Stop::own_code(self.py, "iterating", error))?)?;
        }
        Ok(Items::List(all))
    }

    /// The value, or the values, of a field whose types have a path each.
    fn choice(
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
    fn route<'r>(
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

    fn by_route(
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
    fn rest(
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

    /// A collection at any place but that of a field or of a dict's value.
    pub(super) fn items_element(
        &mut self,
        value: &Bound<'py, PyAny>,
        item: As,
        of: As,
    ) -> Result<Flow, Stop> {
        let items = self.all_of(value, of)?;
        let at_root = self.frames.is_empty();
        if matches!(self.node(of).kind, Kind::Any) && !at_root {
            return Err(Stop::misfit(
                "XML has no list here that could be read back: annotate the value as one, \
                 list[...], or write its items under a key",
            ));
        }
        if at_root && self.writer.named().record && !self.writer.named().within {
            let flow = self.writer.begin_list(0)?;
            self.push_items(items, item, Each::Repeated);
            return Ok(flow);
        }
        let flow = self.writer.begin_map(0)?;
        self.push_items(items, item, Each::Child);
        Ok(flow)
    }

    /// A tuple whose items have types of their own.
    pub(super) fn tuple_element(
        &mut self,
        tuple: &Bound<'py, PyTuple>,
        all: As,
    ) -> Result<Flow, Stop> {
        let flow = self.writer.begin_map(0)?;
        self.push_items(Items::Tuple(tuple.clone()), all, Each::Position);
        Ok(flow)
    }

    /// Writes the next of several values.
    fn next_item(&mut self) -> Result<Flow, Stop> {
        let around = self.frames.len().wrapping_sub(2);
        let Some(walk::Frame::Elements(Frame::Items { items, next, item, each })) =
            self.frames.last_mut()
        else {
            return Ok(Flow::Take);
        };
        let (at, each, mut of) = (*next, *each, *item);
        let Some(value) = items.get(at) else {
            self.frames.pop();
            return Ok(match each {
                Each::Repeated => self.writer.end_list(0)?,
                Each::Child | Each::Position => self.writer.end_map(0)?,
                Each::Part(_) | Each::Choice(..) => Flow::Take,
            });
        };
        *next += 1;
        match each {
            Each::Repeated => self.value(&value, of),
            Each::Child => {
                let name = self.element_name(&value, of)?;
                self.writer.key(name.as_deref().unwrap_or("item").into(), 0)?;
                self.value(&value, of)
            }
            Each::Position => {
                if let Kind::Tuple(nodes) = &self.node(of).kind
                    && let Some(node) = nodes.get(at)
                {
                    of.node = *node;
                }
                self.writer.key("item".into(), 0)?;
                self.value(&value, of)
            }
            Each::Part(step) | Each::Choice(step, _) => {
                let Some(walk::Frame::Elements(Frame::Object { plan, class, .. })) =
                    self.frames.get(around)
                else {
                    return Ok(Flow::Take);
                };
                let (plan, class) = (*plan, *class);
                let kept = self.known.kept[plan].clone_ref(self.py);
                let layouts = kept.layouts(self.py)?;
                let layout = layouts.class(class).map_err(Stop::misfit)?;
                match layout.elements.get(step) {
                    Some(Step::Each(name, part)) => self.one_part(&value, name, part, of),
                    Some(Step::Choice(_, routes)) => self.one_choice(&value, routes, of, each),
                    _ => Ok(Flow::Take),
                }
            }
        }
    }

    /// An element with nothing but an attribute or a text.
    fn one_part(
        &mut self,
        value: &Bound<'py, PyAny>,
        name: &Name,
        part: &Part,
        of: As,
    ) -> Result<Flow, Stop> {
        if value.is_none() && self.takes_none(of) {
            return Err(lost("None"));
        }
        self.writer.name(name.key(false), 0)?;
        self.writer.begin_map(0)?;
        self.scalar_of(value, &part.place, of)?;
        if self.blank {
            return Err(lost("an empty text"));
        }
        Ok(self.writer.end_map(0)?)
    }

    fn one_choice(
        &mut self,
        value: &Bound<'py, PyAny>,
        routes: &[Route],
        of: As,
        each: Each,
    ) -> Result<Flow, Stop> {
        let route = self.route(value, routes, of)?;
        let is_text = route.place == Place::Text;
        if let Each::Choice(step, true) = each {
            if is_text {
                return Err(Stop::misfit("two texts in a row would be read back as one"));
            }
            self.set_each(Each::Choice(step, false));
        } else if let Each::Choice(step, false) = each
            && is_text
        {
            self.set_each(Each::Choice(step, true));
        }
        self.by_route(value, route, of.plan)
    }

    fn set_each(&mut self, new: Each) {
        if let Some(walk::Frame::Elements(Frame::Items { each, .. })) = self.frames.last_mut() {
            *each = new;
        }
    }

    /// A dict becomes an element.
    pub(super) fn dict_element(
        &mut self,
        dict: Bound<'py, PyDict>,
        key: As,
        value: As,
        of: As,
    ) -> Result<Flow, Stop> {
        let plain = matches!(self.node(of).kind, Kind::Any);
        let flow = self.writer.begin_map(0)?;
        let keys = if plain { Keys::Attributes } else { Keys::Names };
        self.push_dict_element(dict, key, value, keys);
        Ok(flow)
    }

    fn push_dict_element(&mut self, dict: Bound<'py, PyDict>, key: As, value: As, keys: Keys) {
        let size = dict.len();
        let (current, texts) = (None, HashSet::new());
        let frame = Frame::Dict { dict, next: 0, size, key, value, keys, current, texts };
        self.frames.push(walk::Frame::Elements(frame));
    }

    /// Writes the next member of the innermost dict.
    fn element_member(&mut self) -> Result<Flow, Stop> {
        loop {
            let Some(walk::Frame::Elements(Frame::Dict {
                dict,
                next,
                size,
                key,
                value,
                keys,
                current,
                ..
            })) = self.frames.last_mut()
            else {
                return Ok(Flow::Take);
            };
            if dict.len() != *size {
                return Err(Stop::misfit("the dict changed its size while it was written"));
            }
            let (mut found_key, mut found) = (std::ptr::null_mut(), std::ptr::null_mut());
            // SAFETY: a live dict, and the position that the last call left.
            let (name, item) = unsafe {
                if ffi::PyDict_Next(dict.as_ptr(), next, &raw mut found_key, &raw mut found) == 0 {
                    if *keys == Keys::Attributes {
                        (*keys, *next) = (Keys::Others, 0);
                        continue;
                    }
                    let ends = matches!(keys, Keys::Others | Keys::Names);
                    self.frames.pop();
                    return Ok(if ends { self.writer.end_map(0)? } else { Flow::Take });
                }
                // Both are owned from here on, whatever the caller's code does to the dict.
                (
                    Bound::from_borrowed_ptr(self.py, found_key),
                    Bound::from_borrowed_ptr(self.py, found),
                )
            };
            let (key, value, keys) = (*key, *value, *keys);
            if keys != Keys::Names {
                let attributes = matches!(keys, Keys::Attributes | Keys::AttributesOnly);
                if is_attribute(&name)? != attributes {
                    continue;
                }
            }
            *current = Some(name.clone());
            return match keys {
                Keys::Names => self.named_member(&name, &item, key, value),
                _ => self.plain_member(&name, &item, key, value),
            };
        }
    }

    /// A member of a plain dict.
    fn plain_member(
        &mut self,
        name: &Bound<'py, PyAny>,
        item: &Bound<'py, PyAny>,
        key: As,
        value: As,
    ) -> Result<Flow, Stop> {
        self.member_key(name, key, false)?;
        if item.is_none() && is_scalar_key(name)? {
            return Ok(self.writer.null(0)?);
        }
        if is_list_of(item) {
            let items = self.all_of(item, value)?;
            let flow = self.writer.begin_list(0)?;
            self.push_items(items, value, Each::Repeated);
            return Ok(flow);
        }
        self.value(item, value)
    }

    /// A member of a dict whose values have a type.
    fn named_member(
        &mut self,
        name: &Bound<'py, PyAny>,
        item: &Bound<'py, PyAny>,
        key: As,
        value: As,
    ) -> Result<Flow, Stop> {
        self.member_key(name, key, true)?;
        let Some(node) = element(&self.plan(value).nodes, value.node) else {
            return self.value(item, value);
        };
        if item.is_none() && self.takes_none(value) {
            return Err(lost("None"));
        }
        let items = self.items_of(item, value)?;
        if items.len() == 0 {
            return Err(lost("an empty collection"));
        }
        let flow = self.writer.begin_list(0)?;
        self.push_items(items, As { node, ..value }, Each::Repeated);
        Ok(flow)
    }

    /// Writes a key of a dict. `named` if it can only be the name of an element.
    fn member_key(&mut self, name: &Bound<'py, PyAny>, of: As, named: bool) -> Result<(), Stop> {
        let made = match name.is_instance_of::<PyString>() {
            true => None,
            false => Some(self.key_text(name, of)?),
        };
        let text = match &made {
            None => {
                text_of(name.cast::<PyString>().map_err(PyErr::from)?, &mut self.known.scratch)?
            }
            Some(made) => made.as_str().into(),
        };
        // Names that begin so are no attributes here, and no element can have them.
        let kind = match text.bytes() {
            [b'@' | b'#', ..] if named => KeyKind::Element,
            _ => KeyKind::Member,
        };
        self.writer.name(Key { name: text, namespace: None, prefix: None, kind }, 0)?;
        let Some(made) = made else { return Ok(()) };
        let Some(walk::Frame::Elements(Frame::Dict { dict, texts, .. })) = self.frames.last_mut()
        else {
            return Ok(());
        };
        if dict.contains(&made)? || !texts.insert(made) {
            return Err(Stop::misfit("two keys of the dict are written as the same text"));
        }
        Ok(())
    }

    /// The attribute that gives the class of the innermost object, one of a union.
    pub(super) fn tag_attribute(&mut self, key: &str, tag: &TagOf) -> Result<(), Stop> {
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
        let name =
            Key { name: key.into(), namespace: None, prefix: None, kind: KeyKind::Attribute };
        let attributes = &class.states[0].attributes;
        let field =
            attributes.find(&name).and_then(|edge| match attributes.edges[edge as usize].to {
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

/// The refusal of a value that would be read back as absent.
#[cold]
fn lost(what: &str) -> Stop {
    Stop::misfit(format!("{what} would not be read back: XML has no element or attribute for it"))
}

/// The refusal of an element whose text is left out.
#[cold]
fn no_text() -> Stop {
    Stop::misfit("the text of an element cannot be absent: it would be read back as \"\"")
}

/// Whether a key of a plain dict is the name of an attribute.
fn is_attribute(key: &Bound<'_, PyAny>) -> PyResult<bool> {
    let Ok(key) = key.cast::<PyString>() else { return Ok(false) };
    let key = key.as_ptr();
    // SAFETY: a `str`, which has a first character if it has a length.
    Ok(unsafe {
        ffi::PyUnicode_GET_LENGTH(key) > 0 && ffi::PyUnicode_ReadChar(key, 0) == u32::from(b'@')
    })
}

/// Whether a key of a plain dict leads to text alone.
fn is_scalar_key(key: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(is_attribute(key)? || key.cast::<PyString>().is_ok_and(|key| key == "#text"))
}

/// Whether a plain value is a list.
fn is_list_of(value: &Bound<'_, PyAny>) -> bool {
    value.is_exact_instance_of::<PyList>()
        || value.is_exact_instance_of::<PyTuple>()
        || value.is_exact_instance_of::<pyo3::types::PySet>()
        || value.is_exact_instance_of::<pyo3::types::PyFrozenSet>()
}
