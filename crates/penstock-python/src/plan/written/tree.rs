//! How the objects of a class are written as elements: its paths, read backwards.
//!
//! All attributes of an element come before its content. So the paths of a class are first put
//! together as a tree of elements, and that gives the steps: for each element its attributes, its
//! text, and its child elements, each in the order of the fields.

use super::layout::{Get, Making, is_optional};
use crate::plan::{Absent, Aim, Kind, NodeId};
use penstock_core::select::{NamespaceTest, Path, Test};
use pyo3::prelude::*;

/// One step of writing an element.
pub(crate) enum Step {
    /// An attribute.
    Attribute(Part),
    /// The element's own text.
    Text(Part),
    /// The text of an element of which other fields have attributes.
    Whole(Part),
    /// A child element, or several.
    Value(Part),
    /// Child elements with nothing but an attribute or a text, one for each value.
    Each(Name, Part),
    /// Values that are written by the path of their type.
    Choice(Part, Box<[Route]>),
    /// White space in the element would be read as a value.
    Solid,
    /// An element on the path to fields begins.
    Open(Name),
    /// It ends.
    Close,
    /// The attributes of the rest, or its elements.
    Rest(Get, bool),
}

impl Step {
    /// The field that is written.
    pub(crate) fn part(&self) -> Option<&Part> {
        match self {
            Step::Attribute(part)
            | Step::Text(part)
            | Step::Whole(part)
            | Step::Value(part)
            | Step::Each(_, part)
            | Step::Choice(part, _) => Some(part),
            Step::Solid | Step::Open(_) | Step::Close | Step::Rest(..) => None,
        }
    }
}

/// The name of an element or attribute.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Name {
    /// Without its prefix. As written, where names have no namespaces.
    pub(crate) local: Box<str>,
    /// The namespace, if it must be a certain one; empty for none.
    pub(crate) uri: Option<Box<str>>,
}

/// A field that is written.
pub(crate) struct Part {
    pub(crate) place: Place,
    pub(crate) node: NodeId,
    pub(crate) get: Get,
    /// The attribute, for paths in errors.
    pub(crate) shown: Box<str>,
    /// Its number among the fields of the class.
    pub(crate) index: u32,
    pub(crate) many: Many,
    /// Whether it is never left out: nothing else may show that the part with it is there, or it tells
    /// the class.
    pub(crate) shows: bool,
}

/// Where a value stands in its element.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Place {
    Attribute(Name),
    Text,
    Element(Name),
}

/// How many values a field has.
#[derive(Clone, Copy)]
pub(crate) enum Many {
    /// One, of the field's own type.
    One,
    /// Any number, of this type.
    Several(NodeId),
    /// The same, and they are the values of a dict whose keys are this field of theirs.
    Keyed(NodeId, u32),
}

/// The place of the values of one type.
pub(crate) struct Route {
    pub(crate) place: Place,
    pub(crate) node: NodeId,
}

/// An element that is put together.
#[derive(Default)]
struct Element {
    attributes: Vec<Part>,
    text: Option<Part>,
    /// The field that has all text of the element.
    whole: Option<Part>,
    children: Vec<Child>,
}

enum Child {
    Value(Name, Part),
    Choice(Part, Box<[Route]>),
    Element(Name, Element),
}

/// Where a path leads: the elements on the way, and the place in the last of them. A name that the
/// document chooses is None.
type Led = (Vec<Name>, Option<Place>);

/// The steps of an element that is an object of the class.
pub(crate) fn steps(making: &Making<'_, '_>) -> PyResult<Result<Box<[Step]>, String>> {
    let class = making.class;
    let mut root = Element::default();
    let paths = &class.paths;
    for index in 0..class.fields.len() as u32 {
        let field = &class.fields[index as usize];
        let mut own = paths.iter().filter(|way| way.field == index);
        let Some(first) = own.next().filter(|_| !making.seen[index as usize]) else { continue };
        let named = |reason: String| format!("field '{}': {reason}", field.name);
        let is_choice = first.aim != index;
        let (way, place) = match led(&first.path) {
            Ok(led) => led,
            Err(reason) => return Ok(Err(named(reason))),
        };
        let aim: &Aim = &class.aims[first.aim as usize];
        let many = match field.keyed {
            Some(key) => Many::Keyed(aim.node, key),
            None if field.gathers => Many::Several(aim.node),
            None => Many::One,
        };
        let place = match place {
            Some(place) => place,
            None => Place::Element(free_name(making, aim.node)?),
        };
        let part = making.part(index, place.clone(), many)?;
        if is_choice {
            let mut routes = vec![Route { place, node: aim.node }];
            for other in own {
                let node = class.aims[other.aim as usize].node;
                let place = match led(&other.path) {
                    Ok((steps, Some(place))) if steps == way => place,
                    Ok((steps, None)) if steps == way => Place::Element(free_name(making, node)?),
                    Ok(_) => {
                        let reason = "the paths of its types are in different elements";
                        return Ok(Err(named(reason.to_owned())));
                    }
                    Err(reason) => return Ok(Err(named(reason))),
                };
                routes.push(Route { place, node });
            }
            if routes.iter().any(|route| matches!(route.place, Place::Attribute(_))) {
                let reason = "one of several types is an attribute, which cannot be written";
                return Ok(Err(named(reason.to_owned())));
            }
            reach(&mut root, &way).children.push(Child::Choice(part, routes.into()));
            continue;
        }
        let element = reach(&mut root, &way);
        match place {
            Place::Attribute(_) => element.attributes.push(part),
            // All text of the element, of which other fields may have attributes.
            Place::Text if first.path.anywhere() => element.whole = Some(part),
            Place::Text => element.text = Some(part),
            Place::Element(name) => element.add(name, part),
        }
    }
    let mut steps = Vec::new();
    if let Err(reason) = root.steps(making, &mut steps)? {
        return Ok(Err(reason));
    }
    if let Some(rest) = class.rest {
        let content = steps.iter().position(|step| !matches!(step, Step::Attribute(_)));
        steps.insert(content.unwrap_or(steps.len()), Step::Rest(making.get(rest)?, true));
        steps.push(Step::Rest(making.get(rest)?, false));
    }
    Ok(Ok(steps.into()))
}

impl Making<'_, '_> {
    fn part(&self, index: u32, place: Place, many: Many) -> PyResult<Part> {
        Ok(Part {
            place,
            node: self.class.fields[index as usize].node,
            get: self.get(index)?,
            shown: self.names[index as usize].to_string().into(),
            index,
            many,
            shows: self.tags.contains(&index)
                || self.class.part_of(index).is_some_and(|part| {
                    let inner = &self.plan.classes[part.class as usize];
                    let shown = inner
                        .own()
                        .iter()
                        .any(|field| matches!(field.absent, Absent::Error) && !field.gathers);
                    is_optional(self.class, part) && !shown
                }),
        })
    }
}

/// Where a path leads, if a value can be written there.
fn led(path: &Path) -> Result<Led, String> {
    if let [only] = path.steps()
        && *only.test() == Test::Text
    {
        return Ok((Vec::new(), Some(Place::Text)));
    }
    if path.anywhere() {
        return Err(format!("the path '{path}' does not say in which element its value is"));
    }
    let Some((last, before)) = path.steps().split_last() else { return Ok((Vec::new(), None)) };
    let mut way = Vec::with_capacity(before.len());
    for step in before {
        match step.test() {
            Test::Name { namespace, local: Some(local) } => way.push(name(namespace, local)),
            _ => return Err(format!("the path '{path}' has a '*' before its last step")),
        }
    }
    let place = match last.test() {
        Test::Name { namespace, local: Some(local) } => {
            Some(Place::Element(name(namespace, local)))
        }
        Test::Attribute { namespace, local } => Some(Place::Attribute(name(namespace, local))),
        Test::Text => Some(Place::Text),
        Test::Name { namespace, local: None } if *namespace == NamespaceTest::Unprefixed => None,
        Test::AnyChild => None,
        _ => return Err(format!("the path '{path}' does not say the name of its element")),
    };
    Ok((way, place))
}

fn name(namespace: &NamespaceTest, local: &str) -> Name {
    let uri = match namespace {
        NamespaceTest::Uri(uri) => Some(uri.as_ref().into()),
        _ => None,
    };
    Name { local: local.into(), uri }
}

/// The element at the end of a way.
fn reach<'e>(root: &'e mut Element, way: &[Name]) -> &'e mut Element {
    let mut element = root;
    for step in way {
        let is = |child: &Child| match child {
            Child::Value(name, _) | Child::Element(name, _) => name == step,
            Child::Choice(..) => false,
        };
        let place = match element.children.iter().position(is) {
            Some(place) => place,
            None => {
                element.children.push(Child::Element(step.clone(), Element::default()));
                element.children.len() - 1
            }
        };
        let child = &mut element.children[place];
        if let Child::Value(..) = child {
            // Another field has the text of the element as a whole.
            let inner = Child::Element(step.clone(), Element::default());
            let Child::Value(_, part) = std::mem::replace(child, inner) else { unreachable!() };
            if let Child::Element(_, inner) = child {
                inner.whole = Some(part);
            }
        }
        element = match child {
            Child::Element(_, inner) => inner,
            _ => unreachable!("it is an element by now"),
        };
    }
    element
}

/// A name for an element that may have any: the class's, or `item`, and none that a path has.
fn free_name(making: &Making<'_, '_>, node: NodeId) -> PyResult<Name> {
    let mut local = match making.plan.nodes[node as usize].kind {
        Kind::Class(class) => {
            making.plan.classes[class as usize].class.bind(making.py).name()?.to_string()
        }
        _ => "item".to_owned(),
    };
    let is_taken = |local: &str| {
        let mut steps = making.class.paths.iter().flat_map(|way| way.path.steps());
        steps.any(|step| match step.test() {
            Test::Name { local: Some(taken), .. } => **taken == *local,
            _ => false,
        })
    };
    while is_taken(&local) {
        local.push('_');
    }
    Ok(Name { local: local.into(), uri: None })
}

impl Element {
    /// Adds a field that is a child element.
    fn add(&mut self, name: Name, part: Part) {
        let same = self.children.iter_mut().find_map(|child| match child {
            Child::Element(known, inner) if *known == name => Some(inner),
            _ => None,
        });
        match same {
            Some(inner) => inner.whole = Some(part),
            None => self.children.push(Child::Value(name, part)),
        }
    }

    /// The one attribute or text of an element that has nothing else.
    fn only_part(&self) -> bool {
        self.children.is_empty()
            && self.whole.is_none()
            && self.attributes.len() + usize::from(self.text.is_some()) == 1
            && self.attributes.iter().chain(&self.text).all(|part| !matches!(part.many, Many::One))
    }

    fn steps(
        mut self,
        making: &Making<'_, '_>,
        steps: &mut Vec<Step>,
    ) -> PyResult<Result<(), String>> {
        // As deep as the longest path of the class.
        steps.extend(self.attributes.drain(..).map(Step::Attribute));
        if let Some(whole) = self.whole {
            if !self.children.is_empty() || self.text.is_some() {
                return Ok(Err(format!(
                    "field '{}' is all text of an element of which other fields have parts, and \
                     nothing says where in the text these are",
                    making.class.fields[whole.index as usize].name
                )));
            }
            if !matches!(whole.many, Many::One) {
                return Ok(Err(format!(
                    "field '{}' is a list of elements of which other fields have attributes, and \
                     nothing says which of them belong together: give the field a class of its own",
                    making.class.fields[whole.index as usize].name
                )));
            }
            steps.push(Step::Whole(whole));
            return Ok(Ok(()));
        }
        let has_runs = self.children.iter().any(|child| match child {
            Child::Choice(_, routes) => routes.iter().any(|it| it.place == Place::Text),
            _ => false,
        });
        if has_runs {
            steps.push(Step::Solid);
        }
        steps.extend(self.text.map(Step::Text));
        for child in self.children {
            match child {
                Child::Value(_, part) => steps.push(Step::Value(part)),
                Child::Choice(part, routes) => steps.push(Step::Choice(part, routes)),
                Child::Element(name, mut inner) if inner.only_part() => {
                    let part = inner.attributes.pop().or(inner.text);
                    steps.extend(part.map(|part| Step::Each(name, part)));
                }
                Child::Element(name, inner) => {
                    steps.push(Step::Open(name));
                    if let Err(reason) = inner.steps(making, steps)? {
                        return Ok(Err(reason));
                    }
                    steps.push(Step::Close);
                }
            }
        }
        Ok(Ok(()))
    }
}
