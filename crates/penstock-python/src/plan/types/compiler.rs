//! Makes nodes from annotations.
//!
//! The [`Compiler`] walks one annotation at a time and adds a [`Node`] for each type in it. A class
//! gets its number when it is first met and its plan later. So classes may refer to each other, and
//! the recursion is only as deep as one annotation.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use penstock_core::shape::Form;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple, PyType};

use crate::cpython::versions;
use crate::edge::errors::is_reason;

use super::builtin::{Container, display};
use super::names::{Relatives, Scope, Unresolved};
use super::unions::Union;
use super::walk::{Walk, node};
use crate::plan::kinds::classes::Sort;
use crate::plan::make::type_objects;
use crate::plan::settings::Settings;
use crate::plan::{ClassId, Kind, Node, NodeId, PLAIN, Seen, plan_error};

/// How deep annotations may be nested. A deeper one refers to itself and to nothing else.
pub(in crate::plan) const DEEPEST: usize = 100;

/// With how many different arguments a plan may have one class. A class with more is written with
/// itself as an argument, and has no end.
const MOST_INSTANCES: usize = 64;

/// The longest arguments of a class that are shown.
const LONGEST_NAME: usize = 80;

/// Where an annotation stands, for messages.
#[derive(Clone, Copy)]
pub(in crate::plan) struct Place<'a> {
    /// The field and its class; none for the type that was asked for.
    pub(in crate::plan) field: Option<(&'a str, &'a str)>,
}

impl Place<'_> {
    /// A `PlanError` that names the field.
    #[cold]
    pub(in crate::plan) fn error(&self, py: Python<'_>, reason: impl std::fmt::Display) -> PyErr {
        match self.field {
            Some((field, class)) => {
                plan_error(py, format_args!("field '{field}' of {class}: {reason}"))
            }
            None => plan_error(py, reason),
        }
    }

    #[cold]
    pub(in crate::plan) fn unresolved(&self, text: &Bound<'_, PyString>, why: Unresolved) -> PyErr {
        let py = text.py();
        match why {
            Unresolved::Name => {
                let class = self.field.map_or("...", |(_, class)| class);
                let advice = format_args!("pass Plan({class}, namespace=...)");
                self.error(py, format_args!("cannot resolve the annotation '{text}'; {advice}"))
            }
            // This is not about the annotation: it happened while it was evaluated.
            Unresolved::Raised(cause) if !is_reason(py, &cause) => cause,
            Unresolved::Raised(cause) => {
                let error = self.error(py, format_args!("the annotation '{text}' raises {cause}"));
                error.set_cause(py, Some(cause));
                error
            }
        }
    }
}

/// A class that was met and will be planned.
pub(in crate::plan) struct Met<'py> {
    pub(in crate::plan) class: Bound<'py, PyType>,
    /// Its arguments, if it is generic.
    pub(in crate::plan) arguments: Option<Bound<'py, PyTuple>>,
    /// The class as it would be written.
    pub(in crate::plan) name: String,
    pub(in crate::plan) sort: Sort,
}

/// An annotation by its address, with and without `None`, and the address of the class in whose
/// scope its names are. One object may be in many scopes: `typing` returns the same
/// `Optional["Node"]` wherever it is written. The last is the address of the pydantic model whose
/// settings apply, or 0.
type Key = (usize, (usize, u32), bool, usize);

/// A class of pydantic. What its annotations mean for pydantic alone is left to it.
#[derive(Clone)]
pub(in crate::plan) struct Model<'py> {
    pub(in crate::plan) class: Bound<'py, PyType>,
    /// The function by which it makes `bytes` of text.
    pub(in crate::plan) bytes: Bound<'py, PyAny>,
    /// The function that undoes it.
    pub(in crate::plan) text: Bound<'py, PyAny>,
}

/// The elements of a set, and the field and class in whose annotation it stands.
struct Hashed {
    item: NodeId,
    container: Container,
    field: Option<(String, String)>,
}

/// A `partial` that makes a `defaultdict`, its class, and the values for which it needs a factory.
struct Defaulting<'py> {
    partial: Bound<'py, PyAny>,
    class: Bound<'py, PyType>,
    item: NodeId,
}

/// How much a compiler had met at one moment.
pub(in crate::plan) struct Mark {
    nodes: usize,
    hashed: usize,
    defaulting: usize,
    unions: usize,
    met: usize,
}

/// Turns annotations into nodes.
pub(in crate::plan) struct Compiler<'py> {
    pub(in crate::plan) py: Python<'py>,
    pub(in crate::plan) form: Form,
    /// The namespaces of the prefixes of paths; None if prefixes are part of the names.
    pub(in crate::plan) prefixes: Option<Vec<(String, String)>>,
    /// Unions of classes. What distinguishes them is found when the classes are planned.
    pub(in crate::plan) unions: Vec<Union<'py>>,
    /// The options of `Plan`.
    pub(in crate::plan) settings: Settings<'py>,
    pub(in crate::plan) nodes: Vec<Node>,
    /// The classes met so far, by their numbers.
    pub(in crate::plan) met: Vec<Met<'py>>,
    /// The same classes, shared with the scopes.
    pub(in crate::plan) relatives: Relatives<'py>,
    pub(in crate::plan) seen: Vec<Seen>,
    /// The fields whose keys may be renamed, each with its class.
    pub(in crate::plan) renamable: Vec<(ClassId, String)>,
    /// The model whose fields are read, as long as it is one of pydantic.
    pub(in crate::plan) model: Option<Model<'py>>,
    /// The classes whose parts are being planned, each a part of the one before.
    pub(in crate::plan) open: Vec<ClassId>,
    /// The fields of classes as parts of others, and how many fields classes have from their parts.
    pub(in crate::plan) flattened: HashMap<ClassId, Rc<crate::plan::keys::flat::Flattened<'py>>>,
    pub(in crate::plan) joined: usize,
    shared: HashMap<Key, NodeId>,
    /// The nodes whose types are being found, each a part of the one before. Nothing may be
    /// concluded from what they hold.
    making: Vec<NodeId>,
    /// What the text of annotations stands for, by its address and the scope. Evaluated again, it
    /// would be another object.
    evaluated: HashMap<(usize, (usize, u32)), Bound<'py, PyAny>>,
    /// Aliases with arguments, one of those that are equal: `Tree[int]`.
    aliases: Vec<Bound<'py, PyAny>>,
    /// Elements of sets, to be judged when all nodes are known.
    hashed: Vec<Hashed>,
    /// Dicts with defaults, to be given their factories when all nodes are known.
    defaulting: Vec<Defaulting<'py>>,
    /// The objects in `shared`, kept so that no other object gets their addresses.
    kept: Vec<Bound<'py, PyAny>>,
    /// The annotations of the classes whose bodies were looked at.
    pub(in crate::plan) annotations: Vec<(Bound<'py, PyType>, Option<Bound<'py, PyDict>>)>,
    class_ids: HashMap<usize, ClassId>,
    /// The classes that were met with arguments.
    instances: Vec<(Bound<'py, PyType>, Bound<'py, PyTuple>, ClassId)>,
}

impl<'py> Compiler<'py> {
    pub(in crate::plan) fn new(py: Python<'py>, form: Form, settings: Settings<'py>) -> Self {
        let mut compiler = Compiler {
            py,
            form,
            prefixes: Some(Vec::new()),
            unions: Vec::new(),
            settings,
            nodes: Vec::new(),
            met: Vec::new(),
            relatives: Relatives::default(),
            seen: Vec::new(),
            renamable: Vec::new(),
            model: None,
            open: Vec::new(),
            flattened: HashMap::new(),
            joined: 0,
            shared: HashMap::new(),
            making: Vec::new(),
            evaluated: HashMap::new(),
            aliases: Vec::new(),
            hashed: Vec::new(),
            defaulting: Vec::new(),
            kept: Vec::new(),
            annotations: Vec::new(),
            class_ids: HashMap::new(),
            instances: Vec::new(),
        };
        let plain = compiler.any();
        debug_assert_eq!(plain, PLAIN);
        compiler
    }

    /// The node of an annotation with the words beside it.
    pub(in crate::plan) fn node(
        &mut self,
        annotation: &Bound<'py, PyAny>,
        words: &[Bound<'py, PyAny>],
        scope: &Scope<'py>,
        place: Place<'_>,
    ) -> PyResult<NodeId> {
        Walk::new(self, scope, place).with_words(annotation, words)
    }

    /// Applies words to a node that only one field has.
    pub(in crate::plan) fn constrain(
        &mut self,
        id: NodeId,
        words: &[Bound<'py, PyAny>],
        scope: &Scope<'py>,
        place: Place<'_>,
    ) -> PyResult<()> {
        if words.is_empty() {
            return Ok(());
        }
        Walk::new(self, scope, place).constrain(id, words)
    }

    /// The current mark.
    pub(in crate::plan) fn mark(&self) -> Mark {
        Mark {
            nodes: self.nodes.len(),
            hashed: self.hashed.len(),
            defaulting: self.defaulting.len(),
            unions: self.unions.len(),
            met: self.met.len(),
        }
    }

    /// Forgets everything met since the mark: an annotation that cannot be planned and is not
    /// needed.
    pub(in crate::plan) fn reset(&mut self, mark: Mark) {
        self.nodes.truncate(mark.nodes);
        self.hashed.truncate(mark.hashed);
        self.defaulting.truncate(mark.defaulting);
        self.unions.truncate(mark.unions);
        self.met.truncate(mark.met);
        self.relatives.borrow_mut().truncate(mark.met);
        self.shared.retain(|_, id| (*id as usize) < mark.nodes);
        self.class_ids.retain(|_, id| (*id as usize) < mark.met);
        self.instances.retain(|(.., id)| (*id as usize) < mark.met);
    }

    /// The node of `Any`.
    pub(in crate::plan) fn any(&mut self) -> NodeId {
        self.push(Kind::Any, false, "Any".into())
    }

    /// The nodes of a field whose paths lead to types of their own, and of these types.
    pub(in crate::plan) fn choice(
        &mut self,
        annotation: &Bound<'py, PyAny>,
        types: &[Bound<'py, PyAny>],
        scope: &Scope<'py>,
        place: Place<'_>,
    ) -> PyResult<(NodeId, Vec<NodeId>)> {
        Walk::new(self, scope, place).choice(annotation, types)
    }

    /// The node of a dict whose keys are taken from its values.
    pub(in crate::plan) fn keyed(
        &mut self,
        annotation: &Bound<'py, PyAny>,
        key: &str,
        scope: &Scope<'py>,
        place: Place<'_>,
    ) -> PyResult<NodeId> {
        Walk::new(self, scope, place).keyed(annotation, key)
    }

    /// Makes a node, which only one field has, gather the keys and values of its dict in a list.
    pub(in crate::plan) fn gather_rest(
        &mut self,
        node: NodeId,
        has_path: bool,
    ) -> Result<(), &'static str> {
        if has_path {
            return Err("rest and at(...) exclude each other");
        }
        let is_plain = |id: NodeId, kind: fn(&Kind) -> bool| {
            let node = &self.nodes[id as usize];
            kind(&node.kind) && node.after.is_none()
        };
        match self.nodes[node as usize].kind {
            Kind::Dict(keys, values)
                if is_plain(keys, |kind| matches!(kind, Kind::Str | Kind::Any))
                    && is_plain(values, |kind| matches!(kind, Kind::Any)) =>
            {
                self.nodes[node as usize].kind = Kind::List(values);
                Ok(())
            }
            _ => Err("rest is only for a dict[str, Any]"),
        }
    }

    /// The node that an annotation already has.
    pub(in crate::plan) fn known(&self, key: Key) -> Option<NodeId> {
        self.shared.get(&key).copied()
    }

    /// Gives an annotation its node before its type is known.
    pub(in crate::plan) fn share(&mut self, key: Key, annotation: &Bound<'py, PyAny>) -> NodeId {
        let id = self.push(Kind::Any, false, String::new());
        self.shared.insert(key, id);
        self.making.push(id);
        self.keep(annotation);
        id
    }

    /// Ends what `share` began. A node without a type is not found again.
    pub(in crate::plan) fn made(
        &mut self,
        key: Key,
        id: NodeId,
        made: PyResult<Node>,
    ) -> PyResult<NodeId> {
        self.making.pop();
        match made {
            Ok(node) => self.nodes[id as usize] = node,
            Err(error) => {
                self.shared.remove(&key);
                return Err(error);
            }
        }
        Ok(id)
    }

    /// Whether the type of a node is not known yet: the annotation that is being walked is a part
    /// of it.
    pub(in crate::plan) fn is_being_made(&self, id: NodeId) -> bool {
        self.making.contains(&id)
    }

    /// The object of the text of an annotation, if it was evaluated before.
    pub(in crate::plan) fn text(
        &self,
        text: &Bound<'py, PyAny>,
        scope: &Scope<'py>,
    ) -> Option<Bound<'py, PyAny>> {
        self.evaluated.get(&(text.as_ptr() as usize, scope.address())).cloned()
    }

    /// Keeps the object of the text of an annotation.
    pub(in crate::plan) fn keep_text(
        &mut self,
        text: &Bound<'py, PyAny>,
        scope: &Scope<'py>,
        meant: &Bound<'py, PyAny>,
    ) {
        self.keep(text);
        self.evaluated.insert((text.as_ptr() as usize, scope.address()), meant.clone());
    }

    /// The first alias that equals this one. Each place where `Tree[int]` stands has its own.
    pub(in crate::plan) fn same_alias(
        &mut self,
        alias: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        for known in &self.aliases {
            if known.is(alias) || known.eq(alias)? {
                return Ok(known.clone());
            }
        }
        self.aliases.push(alias.clone());
        Ok(alias.clone())
    }

    /// Remembers the elements of a set.
    pub(in crate::plan) fn hash(&mut self, item: NodeId, container: Container, place: Place<'_>) {
        let field = place.field.map(|(field, class)| (field.to_owned(), class.to_owned()));
        self.hashed.push(Hashed { item, container, field });
    }

    /// Judges the elements of all sets, now that all nodes are known.
    ///
    /// # Errors
    /// `PlanError` if the elements of one have no hash.
    pub(in crate::plan) fn check_hashes(&self) -> PyResult<()> {
        for Hashed { item, container, field } in &self.hashed {
            if !self.is_hashable(*item) {
                let field = field.as_ref().map(|(field, class)| (&**field, &**class));
                return Err(self.no_hash(*item, *container, Place { field }));
            }
        }
        Ok(())
    }

    /// What makes a `defaultdict` of a class from a dict. Its values may not be known yet, and it may
    /// be one of them, so it gets its factory later.
    pub(in crate::plan) fn defaulting(
        &mut self,
        class: &Bound<'py, PyType>,
        item: NodeId,
    ) -> PyResult<Bound<'py, PyAny>> {
        let partial = self.py.import("functools")?.getattr("partial")?;
        let partial = partial.call1((class, self.py.None()))?;
        self.defaulting.push(Defaulting { partial: partial.clone(), class: class.clone(), item });
        Ok(partial)
    }

    /// Gives all dicts with defaults their factories, now that all nodes are known.
    ///
    /// # Errors
    /// Only those that the types did not cause, such as a lack of memory.
    pub(in crate::plan) fn give_factories(&self) -> PyResult<()> {
        let py = self.py;
        for Defaulting { partial, class, item } in &self.defaulting {
            if let Some(factory) = self.factory(*item) {
                // So it keeps its address, which others have as their factory.
                let state = (class, (factory,), PyDict::new(py), py.None());
                partial.call_method1(intern!(py, "__setstate__"), (state,))?;
            }
        }
        Ok(())
    }

    /// A set of items that are not hashable.
    #[cold]
    pub(in crate::plan) fn no_hash(
        &self,
        item: NodeId,
        container: Container,
        place: Place<'_>,
    ) -> PyErr {
        let (item, set) = (self.name(item), container.with_article());
        place
            .error(self.py, format_args!("{item} has no hash, so it cannot be an element of {set}"))
    }

    /// The type of a node for messages.
    pub(in crate::plan) fn name(&self, id: NodeId) -> &str {
        let name = &self.nodes[id as usize].written;
        // Only a node that is still being made has no name.
        if name.is_empty() { "..." } else { name }
    }

    /// Keeps an annotation alive, so that no other object gets its address.
    pub(in crate::plan) fn keep(&mut self, annotation: &Bound<'py, PyAny>) {
        self.kept.push(annotation.clone());
    }

    /// The number and name of a class that was met before with these arguments.
    pub(in crate::plan) fn class_of(
        &self,
        class: &Bound<'py, PyType>,
        arguments: Option<&Bound<'py, PyTuple>>,
    ) -> PyResult<Option<(ClassId, String)>> {
        let mut found = None;
        match arguments {
            None => found = self.class_ids.get(&(class.as_ptr() as usize)).copied(),
            Some(arguments) => {
                for (known, with, id) in &self.instances {
                    if known.is(class) && with.eq(arguments)? {
                        found = Some(*id);
                    }
                }
            }
        }
        Ok(found.map(|id| (id, self.met[id as usize].name.clone())))
    }

    /// Gives a class its number, to be planned later, and returns its name.
    pub(in crate::plan) fn meet(
        &mut self,
        class: &Bound<'py, PyType>,
        arguments: Option<Bound<'py, PyTuple>>,
        sort: Sort,
        place: Place<'_>,
    ) -> PyResult<(ClassId, String)> {
        let same = self.instances.iter().filter(|(known, ..)| known.is(class));
        if same.count() == MOST_INSTANCES {
            let class = class.name()?;
            let reason = format_args!("{class} is written with ever other arguments, without end");
            return Err(place.error(self.py, reason));
        }
        let id = self.met.len() as ClassId;
        let mut name = class.name()?.to_string();
        match &arguments {
            None => {
                self.class_ids.insert(class.as_ptr() as usize, id);
            }
            Some(arguments) => {
                let shown: PyResult<Vec<_>> =
                    arguments.iter().map(|argument| display(&argument)).collect();
                let shown = shown?.join(", ");
                let long = shown.chars().count() > LONGEST_NAME;
                name = if long { format!("{name}[...]") } else { format!("{name}[{shown}]") };
                self.instances.push((class.clone(), arguments.clone(), id));
            }
        }
        self.relatives.borrow_mut().push(class.clone());
        self.met.push(Met { class: class.clone(), arguments, name: name.clone(), sort });
        Ok((id, name))
    }

    /// The class in whose body a scope is, as it is being planned.
    pub(in crate::plan) fn instance(&self, scope: &Scope<'py>) -> Option<(ClassId, String)> {
        let id = scope.instance?;
        Some((id, self.met[id as usize].name.clone()))
    }

    pub(in crate::plan) fn push(&mut self, kind: Kind, nullable: bool, name: String) -> NodeId {
        let id = self.nodes.len() as NodeId;
        self.nodes.push(node(kind, nullable, name));
        id
    }

    /// Remembers the version of `class` before reading it, and that of its metaclass, which runs
    /// when the class is called. A change of the metaclass does not change the version of the
    /// class.
    pub(in crate::plan) fn note(&mut self, class: &Bound<'py, PyType>) {
        let metaclass = class.get_type();
        let known = |seen: &Seen| seen.class.bind(self.py).is(&metaclass);
        if type_objects::is_heap_type(&metaclass) && !self.seen.iter().any(known) {
            self.see(&metaclass);
        }
        self.see(class);
    }

    fn see(&mut self, class: &Bound<'py, PyType>) {
        let version = versions::assigned(class).unwrap_or(0);
        self.seen.push(Seen { class: class.clone().unbind(), version });
    }

    /// True if objects of the node have a hash, as far as the type shows it.
    pub(in crate::plan) fn is_hashable(&self, id: NodeId) -> bool {
        let (mut open, mut seen) = (vec![id], HashSet::new());
        while let Some(id) = open.pop() {
            if !seen.insert(id) {
                continue;
            }
            let node = &self.nodes[id as usize];
            let made = node.after.as_ref().and_then(|after| after.hashable);
            let is_hashable = match &node.kind {
                _ if made.is_some() => made == Some(true),
                Kind::List(_) | Kind::Set(_) | Kind::Dict(..) => false,
                Kind::TupleOf(item) => {
                    open.push(*item);
                    true
                }
                Kind::Tuple(items) => {
                    open.extend(items);
                    true
                }
                Kind::Separated(separated) => {
                    open.push(separated.list);
                    true
                }
                Kind::Tokens(tokens) => {
                    open.extend(tokens.list.iter().chain(&tokens.map).chain(&tokens.text));
                    true
                }
                Kind::Tagged(_) => {
                    let union = self.unions.iter().find(|union| union.node == id);
                    open.extend(union.iter().flat_map(|it| it.classes.iter().chain(&it.other)));
                    true
                }
                Kind::Class(class) => {
                    !type_objects::is_unhashable(&self.met[*class as usize].class)
                }
                _ => true,
            };
            if !is_hashable {
                return false;
            }
        }
        true
    }
}
