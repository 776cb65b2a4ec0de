//! Annotation to node.
//!
//! The [`Compiler`] walks one annotation at a time and adds a [`Node`] for each type that it is
//! made of. A class that it meets gets its number at once and its plan later, so that classes may
//! refer to each other and nothing recurses but the nesting of one annotation.

use std::collections::HashMap;

use penstock_core::sink::Want;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple, PyType};

use super::builtin::{Container, builtin, display, is_type_of_none, qualified};
use super::choice;
use super::classes::{self, Sort};
use super::known;
use super::layout;
use super::names::{Relatives, Scope, Unresolved};
use super::unions::Union;
use super::wrappers::{arguments, at, forward, is_hex, is_instance, refuse_constraints};
use super::{ClassId, Family, Kind, Node, NodeId, Seen, Tagged, plan_error};

/// How deep annotations may be nested. What goes deeper refers to itself and to nothing else.
pub(super) const DEEPEST: usize = 100;

/// Where an annotation stands, for messages.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    /// The field and its class; none for the type that was asked for.
    pub(super) field: Option<(&'a str, &'a str)>,
}

impl Place<'_> {
    /// A `PlanError` that names the field.
    #[cold]
    pub(super) fn error(&self, py: Python<'_>, reason: impl std::fmt::Display) -> PyErr {
        match self.field {
            Some((field, class)) => {
                plan_error(py, format_args!("field '{field}' of {class}: {reason}"))
            }
            None => plan_error(py, reason),
        }
    }

    #[cold]
    pub(super) fn unresolved(&self, text: &Bound<'_, PyString>, why: Unresolved) -> PyErr {
        let py = text.py();
        match why {
            Unresolved::Name => {
                let class = self.field.map_or("...", |(_, class)| class);
                let advice = format_args!("pass Plan({class}, namespace=...)");
                self.error(py, format_args!("cannot resolve the annotation '{text}'; {advice}"))
            }
            Unresolved::Raised(cause) => {
                let error = self.error(py, format_args!("the annotation '{text}' raises {cause}"));
                error.set_cause(py, Some(cause));
                error
            }
        }
    }
}

/// A class that was met and will be planned.
pub(super) struct Met<'py> {
    pub(super) class: Bound<'py, PyType>,
    pub(super) sort: Sort,
}

/// An annotation by its address, with and without `None`, and the address of the class in whose
/// scope it stands, for the names in it. One object may stand in many: `typing` gives out the
/// same `Optional["Node"]` wherever it is written.
type Key = (usize, usize, bool);

/// Turns annotations into nodes.
pub(super) struct Compiler<'py> {
    pub(super) py: Python<'py>,
    pub(super) family: Family,
    /// What the prefixes of paths stand for; nothing if they are a part of names.
    pub(super) prefixes: Option<Vec<(String, String)>>,
    /// Unions of classes, to be told apart when the classes are planned.
    pub(super) unions: Vec<Union>,
    /// The names that the caller of `Plan` gave.
    pub(super) namespace: Option<Bound<'py, PyDict>>,
    pub(super) nodes: Vec<Node>,
    /// The classes met so far, by their numbers.
    pub(super) met: Vec<Met<'py>>,
    /// The same classes, for the scopes to share.
    pub(super) relatives: Relatives<'py>,
    pub(super) seen: Vec<Seen>,
    shared: HashMap<Key, NodeId>,
    /// What has an address in `shared`, so that no other object gets the same.
    kept: Vec<Bound<'py, PyAny>>,
    class_ids: HashMap<usize, ClassId>,
}

impl<'py> Compiler<'py> {
    pub(super) fn new(
        py: Python<'py>,
        family: Family,
        namespace: Option<&Bound<'py, PyDict>>,
    ) -> Self {
        Compiler {
            py,
            family,
            prefixes: Some(Vec::new()),
            unions: Vec::new(),
            namespace: namespace.cloned(),
            nodes: Vec::new(),
            met: Vec::new(),
            relatives: Relatives::default(),
            seen: Vec::new(),
            shared: HashMap::new(),
            kept: Vec::new(),
            class_ids: HashMap::new(),
        }
    }

    /// The node of `annotation`, or of `annotation | None`.
    pub(super) fn node(
        &mut self,
        annotation: &Bound<'py, PyAny>,
        nullable: bool,
        scope: &Scope<'py>,
        place: Place<'_>,
    ) -> PyResult<NodeId> {
        Walk { compiler: self, scope, place, depth: 0 }.node(annotation, nullable)
    }

    /// The node of `Any`.
    pub(super) fn any(&mut self) -> NodeId {
        self.push(Kind::Any, false, "Any".into())
    }

    /// The node of a field whose paths lead to types of their own, and theirs.
    pub(super) fn choice(
        &mut self,
        annotation: &Bound<'py, PyAny>,
        types: &[Bound<'py, PyAny>],
        scope: &Scope<'py>,
        place: Place<'_>,
    ) -> PyResult<(NodeId, Vec<NodeId>)> {
        Walk { compiler: self, scope, place, depth: 0 }.choice(annotation, types)
    }

    /// The node of a dict whose keys are taken from its values.
    pub(super) fn keyed(
        &mut self,
        annotation: &Bound<'py, PyAny>,
        key: &str,
        scope: &Scope<'py>,
        place: Place<'_>,
    ) -> PyResult<NodeId> {
        Walk { compiler: self, scope, place, depth: 0 }.keyed(annotation, key)
    }

    /// The node of bytes as one of hexadecimal digits.
    pub(super) fn hex(&mut self, id: NodeId, place: Place<'_>) -> PyResult<NodeId> {
        let Node { kind, nullable, .. } = &self.nodes[id as usize];
        match kind {
            Kind::Bytes => {
                let nullable = *nullable;
                Ok(self.push(Kind::Hex, nullable, "bytes".into()))
            }
            _ => Err(place.error(self.py, "Hex stands beside bytes")),
        }
    }

    pub(super) fn push(&mut self, kind: Kind, nullable: bool, name: String) -> NodeId {
        let id = self.nodes.len() as NodeId;
        self.nodes.push(node(kind, nullable, name));
        id
    }

    /// Remembers how `class` was before it was looked into, and its metaclass, which is called
    /// when the class is. A change of that leaves the version of the class as it is.
    fn note(&mut self, class: &Bound<'py, PyType>) {
        let metaclass = class.get_type();
        let known = |seen: &Seen| seen.class.bind(self.py).is(&metaclass);
        if layout::is_heap_type(&metaclass) && !self.seen.iter().any(known) {
            self.see(&metaclass);
        }
        self.see(class);
    }

    fn see(&mut self, class: &Bound<'py, PyType>) {
        // A look-up makes sure that there is a version, if there is one to be had.
        layout::attribute(class, intern!(self.py, "__init__"));
        let version = layout::version(class).unwrap_or(0);
        self.seen.push(Seen { class: class.clone().unbind(), version });
    }

    /// True if objects of the node have a hash, as far as the type can say.
    pub(super) fn is_hashable(&self, id: NodeId, depth: usize) -> bool {
        let hashable = |id: &NodeId| depth == 0 || self.is_hashable(*id, depth - 1);
        match &self.nodes[id as usize].kind {
            Kind::List(_) | Kind::Set(_) | Kind::Dict(..) => false,
            Kind::TupleOf(item) => hashable(item),
            Kind::Tuple(items) => items.iter().all(hashable),
            Kind::Tagged(_) => {
                let union = self.unions.iter().find(|union| union.node == id);
                union.is_none_or(|union| union.classes.iter().all(hashable))
            }
            Kind::Class(class) => !layout::is_unhashable(&self.met[*class as usize].class),
            _ => true,
        }
    }
}

fn node(kind: Kind, nullable: bool, mut written: String) -> Node {
    let want = match kind {
        Kind::Float => Want::Float,
        Kind::Decimal => Want::Digits,
        _ => Want::Native,
    };
    // `None | None` and `Any | None` are no more than what they begin with.
    let nullable = nullable && !matches!(kind, Kind::Any | Kind::None);
    let mut name = match &kind {
        Kind::Choice(choice) => choice.title.to_string(),
        _ => written.clone(),
    };
    if nullable {
        name.push_str(" | None");
        written.push_str(" | None");
    }
    Node { kind, nullable, want, name: name.into(), written: written.into() }
}

/// One annotation being walked.
pub(super) struct Walk<'a, 'py> {
    pub(super) compiler: &'a mut Compiler<'py>,
    pub(super) scope: &'a Scope<'py>,
    pub(super) place: Place<'a>,
    depth: usize,
}

impl<'py> Walk<'_, 'py> {
    pub(super) fn error(&self, reason: impl std::fmt::Display) -> PyErr {
        self.place.error(self.compiler.py, reason)
    }

    fn unsupported(&self, what: impl std::fmt::Display) -> PyErr {
        self.error(format_args!("{what} is not supported yet"))
    }

    pub(super) fn node(
        &mut self,
        annotation: &Bound<'py, PyAny>,
        nullable: bool,
    ) -> PyResult<NodeId> {
        // A class means the same everywhere.
        let is_class = annotation.is_instance_of::<PyType>();
        let scope = if is_class { 0 } else { self.scope.address() };
        let key = (annotation.as_ptr() as usize, scope, nullable);
        if let Some(id) = self.compiler.shared.get(&key) {
            return Ok(*id);
        }
        if self.depth == DEEPEST {
            return Err(self.error("the annotation is nested too deep, or refers only to itself"));
        }
        self.depth += 1;
        let id = self.new_node(annotation, nullable, key);
        self.depth -= 1;
        id
    }

    fn new_node(
        &mut self,
        annotation: &Bound<'py, PyAny>,
        nullable: bool,
        key: Key,
    ) -> PyResult<NodeId> {
        let py = self.compiler.py;
        if let Ok(class) = annotation.cast::<PyType>() {
            let (kind, name) = self.class(class)?;
            return Ok(self.share(key, annotation, node(kind, nullable, name)));
        }
        if annotation.is_none() {
            return Ok(self.share(key, annotation, node(Kind::None, false, "None".into())));
        }
        if let Ok(text) = annotation.cast::<PyString>() {
            let meant = self.scope.evaluate(text);
            let meant = meant.map_err(|why| self.place.unresolved(text, why))?;
            return self.node(&meant, nullable);
        }
        if is_instance(annotation, &known::FORWARD_REF) {
            let meant = forward(annotation, self.scope, self.place)?;
            return self.node(&meant, nullable);
        }
        if is_instance(annotation, &known::UNION_TYPE) {
            return self.union(&arguments(annotation)?, nullable);
        }
        if is_instance(annotation, &known::ANNOTATED) {
            refuse_constraints(annotation, self.place)?;
            if at(annotation)?.is_some() {
                let rule = "at(...) stands only around the whole annotation of a field";
                return Err(self.error(rule));
            }
            let inner = self.node(&annotation.getattr(intern!(py, "__origin__"))?, nullable)?;
            return if is_hex(annotation)? {
                self.compiler.hex(inner, self.place)
            } else {
                Ok(inner)
            };
        }
        let Some(origin) = annotation.getattr_opt(intern!(py, "__origin__"))? else {
            return Err(self.not_a_type(annotation));
        };
        if known::UNION.is(&origin) {
            return self.union(&arguments(annotation)?, nullable);
        }
        if known::LITERAL.is(&origin) {
            let (choice, name) = choice::of_literal(&arguments(annotation)?, self.place)?;
            let node = node(Kind::Choice(Box::new(choice)), nullable, name);
            return Ok(self.share(key, annotation, node));
        }
        let Ok(origin) = origin.cast_into::<PyType>() else {
            return Err(self.unsupported(display(annotation)));
        };
        // The number is given away before the parts are looked at: they may refer to the whole.
        let id = self.share(key, annotation, node(Kind::Any, nullable, String::new()));
        let (kind, name) = self.container(annotation, &origin)?;
        self.compiler.nodes[id as usize] = node(kind, nullable, name);
        Ok(id)
    }

    fn share(&mut self, key: Key, annotation: &Bound<'py, PyAny>, node: Node) -> NodeId {
        let id = self.compiler.nodes.len() as NodeId;
        self.compiler.nodes.push(node);
        self.compiler.shared.insert(key, id);
        self.compiler.kept.push(annotation.clone());
        id
    }

    pub(super) fn name(&self, id: NodeId) -> &str {
        let name = &self.compiler.nodes[id as usize].written;
        // Only what is still being looked at has no name yet.
        if name.is_empty() { "..." } else { name }
    }

    fn class(&mut self, class: &Bound<'py, PyType>) -> PyResult<(Kind, String)> {
        let py = self.compiler.py;
        if let Some((kind, name)) = builtin(class) {
            return Ok((kind, name.into()));
        }
        if let Some(container) = Container::of(class) {
            let any = self.compiler.any();
            let key = match container {
                Container::Dict => Some(self.compiler.push(Kind::Str, false, "str".into())),
                _ => None,
            };
            return Ok((container.of_one_kind(key, any), container.name().into()));
        }
        let name = class.name()?.to_string();
        if let Some(id) = self.compiler.class_ids.get(&(class.as_ptr() as usize)) {
            return Ok((Kind::Class(*id), name));
        }
        self.compiler.note(class);
        let sort = match classes::sort(class)? {
            Ok(sort) => sort,
            Err(reason) => return Err(self.place.error(py, reason)),
        };
        if let Sort::Enum = sort {
            return Ok((Kind::Choice(Box::new(choice::of_enum(class, self.place)?)), name));
        }
        let id = self.compiler.met.len() as ClassId;
        self.compiler.class_ids.insert(class.as_ptr() as usize, id);
        self.compiler.relatives.borrow_mut().push(class.clone());
        self.compiler.met.push(Met { class: class.clone(), sort });
        Ok((Kind::Class(id), name))
    }

    /// `X | None`, in any order and spelling. There is no other union yet.
    fn union(&mut self, members: &Bound<'py, PyTuple>, nullable: bool) -> PyResult<NodeId> {
        let is_none = |member: &Bound<'py, PyAny>| member.is_none() || is_type_of_none(member);
        let mut others = members.iter().filter(|member| !is_none(member));
        let (only, more) = (others.next(), others.next());
        match (only, more) {
            (Some(only), None) => {
                let nullable = nullable || members.iter().any(|member| is_none(&member));
                self.node(&only, nullable)
            }
            _ if self.compiler.family == Family::Markup => {
                let nullable = nullable || members.iter().any(|member| is_none(&member));
                let members: Vec<_> = members.iter().filter(|member| !is_none(member)).collect();
                self.tagged(&members, nullable)
            }
            _ => {
                let names: Vec<_> = members.iter().map(|member| display(&member)).collect();
                let names = names.join(" | ");
                Err(self.error(format_args!("unions are not supported yet: {names}")))
            }
        }
    }

    /// `list[X]` and the like.
    fn container(
        &mut self,
        annotation: &Bound<'py, PyAny>,
        origin: &Bound<'py, PyType>,
    ) -> PyResult<(Kind, String)> {
        let Some(container) = Container::of(origin) else {
            if layout::is_heap_type(origin) && classes::sort(origin)?.is_ok() {
                let name = display(annotation);
                return Err(
                    self.error(format_args!("generic classes are not supported yet: {name}"))
                );
            }
            return Err(self.unsupported(qualified(origin)));
        };
        let arguments = annotation.getattr_opt(intern!(self.compiler.py, "__args__"))?;
        let Some(arguments) = arguments else { return self.class(origin) };
        let arguments: Vec<_> = arguments.cast_into::<PyTuple>()?.iter().collect();
        match (container, arguments.as_slice()) {
            (Container::Tuple, [item, dots]) if dots.is(self.compiler.py.Ellipsis()) => {
                let item = self.node(item, false)?;
                Ok((Kind::TupleOf(item), format!("tuple[{}, ...]", self.name(item))))
            }
            (Container::Tuple, []) => Ok((Kind::Tuple([].into()), "tuple[()]".into())),
            (Container::Tuple, items) => {
                let items: PyResult<Box<[_]>> =
                    items.iter().map(|item| self.node(item, false)).collect();
                let items = items?;
                let names: Vec<_> = items.iter().map(|item| self.name(*item)).collect();
                let name = format!("tuple[{}]", names.join(", "));
                Ok((Kind::Tuple(items), name))
            }
            (Container::Dict, [key, value]) => {
                let key = self.key(key)?;
                let value = self.node(value, false)?;
                let name = format!("dict[{}, {}]", self.name(key), self.name(value));
                Ok((Kind::Dict(key, value), name))
            }
            (_, [item]) if container != Container::Dict => {
                let item = self.node(item, false)?;
                let name = format!("{}[{}]", container.name(), self.name(item));
                let hashed = matches!(container, Container::Set | Container::FrozenSet);
                if hashed && !self.compiler.is_hashable(item, DEEPEST) {
                    return Err(self.no_hash(item, container));
                }
                Ok((container.of_one_kind(None, item), name))
            }
            _ => Err(self.not_a_type(annotation)),
        }
    }

    /// A union of classes that an attribute tells apart.
    fn tagged(&mut self, members: &[Bound<'py, PyAny>], nullable: bool) -> PyResult<NodeId> {
        let mut classes = Vec::new();
        for member in members {
            let node = self.node(member, false)?;
            if !matches!(self.compiler.nodes[node as usize].kind, Kind::Class(_)) {
                let names: Vec<_> = members.iter().map(display).collect();
                let names = names.join(" | ");
                let reason = "a union is of classes that an attribute tells apart, or of the types \
                              of an at({...}), and nothing else yet";
                return Err(self.error(format_args!("{names}: {reason}")));
            }
            classes.push(node);
        }
        let names: Vec<_> = classes.iter().map(|class| self.name(*class)).collect();
        let names = names.join(" | ");
        let id = self.compiler.push(Kind::Tagged(Box::new(Tagged::unsettled())), nullable, names);
        let field = self.place.field.map(|(field, class)| (field.to_owned(), class.to_owned()));
        self.compiler.unions.push(Union { node: id, classes, field });
        Ok(id)
    }

    /// The keys of a dict: text, or what stands for text.
    fn key(&mut self, annotation: &Bound<'py, PyAny>) -> PyResult<NodeId> {
        let id = self.node(annotation, false)?;
        let node = &self.compiler.nodes[id as usize];
        match &node.kind {
            Kind::Str if !node.nullable => Ok(id),
            Kind::Any => Ok(self.compiler.push(Kind::Str, false, "str".into())),
            Kind::Choice(choice) if !node.nullable && choice.is_of_text() => Ok(id),
            _ => {
                let name = &node.written;
                Err(self.error(format_args!("dict keys of type {name} are not supported yet")))
            }
        }
    }

    /// A set of what has no hash.
    #[cold]
    pub(super) fn no_hash(&self, item: NodeId, container: Container) -> PyErr {
        let (item, set) = (self.name(item), container.with_article());
        self.error(format_args!("{item} has no hash, so it cannot be an element of {set}"))
    }

    #[cold]
    fn not_a_type(&self, annotation: &Bound<'py, PyAny>) -> PyErr {
        let name = display(annotation);
        if is_instance(annotation, &known::TYPE_VAR) {
            return self.error(format_args!("type variables are not supported yet: {name}"));
        }
        if is_instance(annotation, &known::NEW_TYPE) {
            return self.error(format_args!("NewType is not supported yet: {name}"));
        }
        if is_instance(annotation, &known::INIT_VAR) {
            return self.unsupported("InitVar");
        }
        let class = annotation.get_type();
        if class.module().is_ok_and(|module| module == "typing" || module == "typing_extensions") {
            return self.unsupported(name);
        }
        self.error(format_args!("{name} is not a type"))
    }
}
