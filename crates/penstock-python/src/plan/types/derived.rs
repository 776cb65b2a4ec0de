//! Subclasses of builtin classes: `class Tags(list[str])`, `class Name(str)`.
//!
//! They are decoded as their base, and then called with the result. A dict class with annotations
//! has known keys, like a `TypedDict`.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyTuple, PyType};

use super::annotations::is_annotated;
use super::builtin::{Container, builtin};
use super::containers::Collection;
use super::conversions::is_subclass;
use super::generics;
use super::known;
use super::names::Scope;
use super::walk::{Walk, node};
use super::wrappers::arguments;
use crate::plan::kinds::classes::{self, Shape, Sort, Subject};
use crate::plan::make::build;
use crate::plan::make::post_steps::{PostSteps, Step};
use crate::plan::make::type_objects;
use crate::plan::{Absent, ClassId, Kind, Node, NodeId};

/// The base of a user's class, if values are decoded as that base.
fn base<'py>(class: &Bound<'py, PyType>) -> PyResult<Option<Bound<'py, PyType>>> {
    let py = class.py();
    // Classes with a plan of their own kind.
    let marks = [
        intern!(py, "__dataclass_fields__"),
        intern!(py, "__attrs_attrs__"),
        intern!(py, "__pydantic_fields__"),
        intern!(py, "__struct_fields__"),
        intern!(py, "__total__"),
    ];
    let says_more = marks.iter().any(|mark| type_objects::attribute(class, mark).is_some());
    if !type_objects::is_heap_type(class) || says_more || type_objects::is_abstract(class) {
        return Ok(None);
    }
    let is_base = |class: &Bound<'py, PyType>| -> PyResult<bool> {
        Ok(match builtin(class) {
            // They are not made of an object of their base.
            Some((
                Kind::Any
                | Kind::None
                | Kind::DateTime
                | Kind::Date
                | Kind::Time
                | Kind::Duration
                | Kind::Uuid,
                _,
            )) => false,
            Some(_) => true,
            None => Collection::of(class)?.is_some_and(|collection| collection.is_called()),
        })
    };
    let mut found = None;
    for base in type_objects::bases(class).into_iter().skip(1) {
        if is_base(&base)? {
            found = Some(base);
            break;
        }
    }
    let Some(base) = found else { return Ok(None) };
    let is_tuple = Container::of(&base) == Some(Container::Tuple);
    let named = is_tuple && type_objects::attribute(class, intern!(py, "_fields")).is_some();
    Ok((!named).then_some(base))
}

/// The base as the class, or one of its bases, writes it: `list[str]`; and the class that writes
/// it.
fn written<'py>(
    class: &Bound<'py, PyType>,
    given: Option<&Bound<'py, PyTuple>>,
    base: &Bound<'py, PyType>,
) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyType>)> {
    let py = class.py();
    let (mut class, mut given) = (class.clone(), given.cloned());
    // From class to base, with the values of each one's variables.
    while !class.is(base) {
        let bases = type_objects::own_attribute(&class, intern!(py, "__orig_bases__"));
        let bases = bases.and_then(|bases| bases.cast_into::<PyTuple>().ok());
        let mut next = None;
        for written in bases.iter().flatten() {
            let origin = written.getattr_opt(intern!(py, "__origin__"))?;
            let origin = origin.and_then(|origin| origin.cast_into::<PyType>().ok());
            if let Some(origin) = origin
                && is_subclass(&origin, base)
            {
                let bindings = generics::positional(&class, &bases, given.as_ref())?;
                next = Some((origin, generics::with(&written, &bindings)?));
            }
        }
        if let Some((origin, annotation)) = next {
            // A class of the standard library says nothing of its bases.
            if origin.is(base) || Collection::of(&origin)?.is_some() {
                return Ok((annotation, class));
            }
            (class, given) = (origin, Some(arguments(&annotation)?));
            continue;
        }
        let plain = class.bases().iter().filter_map(|base| base.cast_into().ok());
        match plain.into_iter().find(|plain| is_subclass(plain, base)) {
            Some(plain) => (class, given) = (plain, None),
            None => break,
        }
    }
    Ok((base.clone().into_any(), class))
}

impl<'py> Walk<'_, 'py> {
    /// A subclass of a builtin class, if it is one.
    pub(in crate::plan) fn derived(
        &mut self,
        class: &Bound<'py, PyType>,
        arguments: Option<&Bound<'py, PyTuple>>,
        nullable: bool,
        id: NodeId,
    ) -> PyResult<Option<Node>> {
        let Some(base) = base(class)? else { return Ok(None) };
        if Container::of(&base) == Some(Container::Dict) && is_annotated(class)? {
            let sort = Sort::Keys;
            let arguments = arguments.cloned();
            let (of, name) = self.compiler.meet(class, arguments, sort, self.place)?;
            return Ok(Some(self.of_class(of, nullable, name)));
        }
        let (annotation, owner) = written(class, arguments, &base)?;
        self.compiler.keep(&annotation);
        let names = self.compiler.settings.namespace.as_ref();
        let scope = Scope::new(Some(owner), names, &self.compiler.relatives);
        let Walk { compiler, place, depth, .. } = self;
        let mut walk = Walk { depth: *depth, ..Walk::new(compiler, &scope, *place) };
        let mut node = walk.content(&annotation, nullable, id)?;
        let mut name = class.name()?.to_string();
        if nullable {
            name.push_str(" | None");
        }
        (node.name, node.written) = (name.clone().into(), name.into());
        let nature = node.nature(&self.compiler.nodes);
        let mut made = class.clone().into_any();
        // Its first argument is the factory of its values.
        if let Kind::Dict(_, item) = node.kind
            && known::DEFAULT_DICT.get(made.py()).is_some_and(|base| is_subclass(class, base))
        {
            made = self.compiler.defaulting(class, item)?;
        }
        let after = PostSteps::add(&mut node, [Step::Call(made.unbind())]);
        (after.nature, after.class) = (Some(nature), Some(class.clone().unbind()));
        after.hashable = Some(!type_objects::is_unhashable(class));
        Ok(Some(node))
    }

    /// The node of a class that has its number.
    pub(in crate::plan) fn of_class(&self, class: ClassId, nullable: bool, name: String) -> Node {
        let mut node = node(Kind::Class(class), nullable, name);
        let met = &self.compiler.met[class as usize];
        if met.sort == Sort::Keys {
            let after =
                PostSteps::add(&mut node, [Step::Call(met.class.clone().into_any().unbind())]);
            after.hashable = Some(!type_objects::is_unhashable(&met.class));
            after.class = Some(met.class.clone().unbind());
        }
        node
    }
}

/// The keys of a dict class with annotations, those of the bases first. A key with a value in the
/// class may be absent.
pub(in crate::plan) fn shape<'py>(subject: &mut Subject<'_, 'py>) -> PyResult<Shape<'py>> {
    let fields = classes::annotated(subject, |class, name, field| {
        let has_value = type_objects::attribute(class, name).is_some();
        match field.required.unwrap_or(!has_value) {
            true => Absent::Error,
            false => Absent::Unset,
        }
    })?;
    let build = build::dict(subject.compiler.py, fields.iter().map(|field| &field.name))?;
    Ok(Shape::new(fields, build))
}
