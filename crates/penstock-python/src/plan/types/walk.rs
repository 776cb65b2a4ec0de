//! Makes a node from one annotation.
//!
//! Every annotation gets its own node at once, and its type is found later. So an annotation may
//! refer to itself through a container. Wrappers that do not change the type (`Annotated`, a
//! `NewType`, an alias, a name in quotes) give the node of their contents.

use penstock_core::protocol::Want;
use penstock_core::value::moment::Of;
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString, PyTuple, PyType};

use super::builtin::{builtin, display, is_type_of_none, qualified};
use super::choice::{self, Members};
use super::compiler::{Compiler, DEEPEST, Place};
use super::containers::Collection;
use super::conversions;
use super::generics::{self, Bindings};
use super::known;
use super::names::Scope;
use super::unions::Union;
use super::words::is_of_bytes;
use super::wrappers::{arguments, forward, is_instance, unpacked};
use crate::plan::kinds::classes;
use crate::plan::kinds::left;
use crate::plan::kinds::pydantic;
use crate::plan::kinds::with_config;
use crate::plan::make::post_steps::{self, Nature, PostSteps};
use crate::plan::make::type_objects;
use crate::plan::{Kind, Node, NodeId, Tagged};

/// The longest text of a type, in bytes. What has parts that have parts would have a text that has
/// no end that one could wait for.
const LONGEST: usize = 200;

/// The text of a type; of a long one its beginning.
pub(in crate::plan) fn shortened(mut written: String) -> String {
    if written.len() > LONGEST {
        written.truncate(written.floor_char_boundary(LONGEST));
        written.truncate(written.trim_end_matches(['.', ',', ' ']).len());
        written.push_str("...");
    }
    written
}

/// A node without steps after the value.
pub(in crate::plan) fn node(kind: Kind, nullable: bool, written: String) -> Node {
    let mut written = shortened(written);
    let want = match kind {
        Kind::Float => Want::Float,
        Kind::Decimal | Kind::Raw => Want::Digits,
        _ if kind.counts() => Want::Digits,
        _ => Want::Native,
    };
    // `None | None` and `Any | None` equal their first member.
    let nullable = nullable && !matches!(kind, Kind::Any | Kind::None);
    let mut name = match &kind {
        Kind::Choice(choice) => choice.title.to_string(),
        _ => written.clone(),
    };
    if nullable {
        name.push_str(" | None");
        written.push_str(" | None");
    }
    Node {
        kind,
        nullable,
        want,
        after: None,
        cells: None,
        packed: None,
        column: None,
        words: Vec::new(),
        name: name.into(),
        written: written.into(),
    }
}

/// One annotation being walked.
pub(in crate::plan) struct Walk<'a, 'py> {
    pub(in crate::plan) compiler: &'a mut Compiler<'py>,
    pub(in crate::plan) scope: &'a Scope<'py>,
    pub(in crate::plan) place: Place<'a>,
    pub(in crate::plan) depth: usize,
    /// The parameter's type of a user's function, if that is walked next.
    pub(in crate::plan) source: Option<Bound<'py, PyAny>>,
    /// The `typecode(...)` beside an array, if that is walked next.
    pub(in crate::plan) typecode: Option<String>,
    /// True if the annotation is that of keys, which are text.
    pub(in crate::plan) of_key: bool,
    /// The forms beside a union, which are those of its members, if that is walked next.
    pub(in crate::plan) marks: Vec<Bound<'py, PyAny>>,
}

impl<'a, 'py> Walk<'a, 'py> {
    pub(in crate::plan) fn new(
        compiler: &'a mut Compiler<'py>,
        scope: &'a Scope<'py>,
        place: Place<'a>,
    ) -> Self {
        Walk {
            compiler,
            scope,
            place,
            depth: 0,
            source: None,
            typecode: None,
            of_key: false,
            marks: Vec::new(),
        }
    }
}

impl<'py> Walk<'_, 'py> {
    pub(in crate::plan) fn error(&self, reason: impl std::fmt::Display) -> PyErr {
        self.place.error(self.compiler.py, reason)
    }

    pub(in crate::plan) fn unsupported(&self, what: impl std::fmt::Display) -> PyErr {
        self.error(format_args!("{what} is not supported yet"))
    }

    /// The node of an annotation, or of the annotation `| None`.
    pub(in crate::plan) fn node(
        &mut self,
        annotation: &Bound<'py, PyAny>,
        nullable: bool,
    ) -> PyResult<NodeId> {
        // What is inside of a type has its own.
        let marks = std::mem::take(&mut self.marks);
        let node = self.shared_node(annotation, nullable, false);
        self.marks = marks;
        node
    }

    /// The node of an annotation whose type must be known now, because something depends on it: a
    /// member of a union. If this union is a part of it, the member is made anew. It ends at the
    /// union then, which has its node.
    pub(in crate::plan) fn known_node(
        &mut self,
        annotation: &Bound<'py, PyAny>,
    ) -> PyResult<NodeId> {
        let marks = std::mem::take(&mut self.marks);
        let node = self.shared_node(annotation, false, true);
        self.marks = marks;
        node
    }

    fn shared_node(
        &mut self,
        annotation: &Bound<'py, PyAny>,
        nullable: bool,
        is_needed: bool,
    ) -> PyResult<NodeId> {
        // A class means the same everywhere. Anything else may contain names, whose meaning depends
        // on their scope.
        let is_class = annotation.is_instance_of::<PyType>();
        let alias = if is_class { None } else { self.alias_with_arguments(annotation)? };
        let annotation = alias.as_ref().unwrap_or(annotation);
        let scope = if is_class { (0, 0) } else { self.scope.address() };
        let model = match &self.compiler.model {
            Some(model) if !is_class || is_of_bytes(annotation) => model.class.as_ptr() as usize,
            _ => 0,
        };
        let key = (annotation.as_ptr() as usize, scope, nullable, model);
        if let Some(id) = self.compiler.known(key)
            && !(is_needed && self.compiler.is_being_made(id))
        {
            return Ok(id);
        }
        // Text shares the node of its object.
        if let Some(meant) = self.object_of(annotation)? {
            self.deeper()?;
            let id = self.shared_node(&meant, nullable, is_needed);
            self.depth -= 1;
            return id;
        }
        let id = self.compiler.share(key, annotation);
        let made = self.content(annotation, nullable, id);
        self.compiler.made(key, id, made)
    }

    /// An alias with arguments, such as `Tree[int]`, if the annotation is one: of those that are equal, each time the
    /// same.
    fn alias_with_arguments(
        &mut self,
        annotation: &Bound<'py, PyAny>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        match annotation.getattr_opt(intern!(self.compiler.py, "__origin__"))? {
            Some(origin) if is_alias(&origin) => self.compiler.same_alias(annotation).map(Some),
            _ => Ok(None),
        }
    }

    /// The object of the annotation, if that is text: each time the same.
    fn object_of(&mut self, annotation: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
        if let Some(meant) = self.compiler.text(annotation, self.scope) {
            return Ok(Some(meant));
        }
        let meant = self.evaluated(annotation)?;
        if let Some(meant) = &meant {
            self.compiler.keep_text(annotation, self.scope, meant);
        }
        Ok(meant)
    }

    /// Stores the type of the annotation at `id`.
    pub(in crate::plan) fn content(
        &mut self,
        annotation: &Bound<'py, PyAny>,
        nullable: bool,
        id: NodeId,
    ) -> PyResult<Node> {
        self.deeper()?;
        let node = self.new_content(annotation, nullable, id);
        self.depth -= 1;
        node
    }

    /// One level deeper.
    pub(in crate::plan) fn deeper(&mut self) -> PyResult<()> {
        if self.depth == DEEPEST {
            return Err(self.error("the annotation is nested too deep, or refers only to itself"));
        }
        self.depth += 1;
        Ok(())
    }

    /// The object of the annotation, if that is text.
    pub(in crate::plan) fn evaluated(
        &self,
        annotation: &Bound<'py, PyAny>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        if let Ok(text) = annotation.cast::<PyString>() {
            let meant = self.scope.evaluate(text);
            return Ok(Some(meant.map_err(|why| self.place.unresolved(text, why))?));
        }
        if is_instance(annotation, &known::FORWARD_REF) {
            return Ok(Some(forward(annotation, self.scope, self.place)?));
        }
        Ok(None)
    }

    fn new_content(
        &mut self,
        annotation: &Bound<'py, PyAny>,
        nullable: bool,
        id: NodeId,
    ) -> PyResult<Node> {
        let py = self.compiler.py;
        // A registered function may take the type that it makes.
        let taken = self.source.take().is_some_and(|source| source.is(annotation));
        if !taken && let Some(own) = post_steps::of_registry(self.compiler, annotation)? {
            return self.via(&own, nullable, id, annotation);
        }
        if let Ok(class) = annotation.cast::<PyType>() {
            return self.class(class, None, nullable, id);
        }
        if annotation.is_none() {
            return Ok(node(Kind::None, false, "None".into()));
        }
        if let Some(meant) = self.object_of(annotation)? {
            return self.content(&meant, nullable, id);
        }
        if is_instance(annotation, &known::ANNOTATED) {
            return self.annotated(annotation, nullable, id);
        }
        if is_instance(annotation, &known::TYPE_VAR) {
            let meant = generics::meaning(self, annotation)?;
            return self.content(&meant, nullable, id);
        }
        if is_instance(annotation, &known::NEW_TYPE) {
            let meant = annotation.getattr(intern!(py, "__supertype__"))?;
            return self.content(&meant, nullable, id);
        }
        if known::SELF.is(annotation) || known::SELF_EXTENSION.is(annotation) {
            let Some((class, name)) = self.compiler.instance(self.scope) else {
                return Err(self.error("Self is only allowed in a class"));
            };
            return Ok(self.of_class(class, nullable, name));
        }
        if known::LITERAL_STRING.is(annotation) {
            return Ok(node(Kind::Str, nullable, "str".into()));
        }
        // An annotation with type variables is replaced by one with their values.
        if let Some(meant) = generics::substituted(self, annotation)? {
            self.compiler.keep(&meant);
            return self.content(&meant, nullable, id);
        }
        if is_alias(annotation) {
            let meant = annotation.getattr(intern!(py, "__value__"))?;
            return self.alias(annotation, None, &meant, nullable, id);
        }
        if is_instance(annotation, &known::UNION_TYPE) {
            return self.union(&arguments(annotation)?, nullable, id);
        }
        // Without an argument it is `Optional[Any]`.
        if known::OPTIONAL.is(annotation) || known::FINAL.is(annotation) {
            return Ok(node(Kind::Any, false, "Any".into()));
        }
        let Some(origin) = annotation.getattr_opt(intern!(py, "__origin__"))? else {
            return Err(self.not_a_type(annotation));
        };
        if unpacked(annotation)?.is_some() {
            return Err(self.not_a_type(annotation));
        }
        if known::FINAL.is(&origin) {
            return self.content(&arguments(annotation)?.get_item(0)?, nullable, id);
        }
        if known::UNION.is(&origin) {
            return self.union(&arguments(annotation)?, nullable, id);
        }
        if known::LITERAL.is(&origin) {
            let (choice, name) = choice::of_literal(&arguments(annotation)?, self.place)?;
            return Ok(node(Kind::Choice(Box::new(choice)), nullable, name));
        }
        if is_alias(&origin) {
            let given = generics::resolved(self, &arguments(annotation)?)?;
            let meant = generics::of_alias(self, &origin, &given)?;
            self.compiler.keep(&meant);
            let same = self.compiler.same_alias(annotation)?;
            let own = (same, generics::of_variables(&origin, &given)?);
            return self.alias(&origin, Some(own), &meant, nullable, id);
        }
        let Ok(origin) = origin.cast_into::<PyType>() else {
            return Err(self.unsupported(display(annotation)?));
        };
        self.parameterized(annotation, &origin, nullable, id)
    }

    /// The value of an alias. Names in quotes are those of the module that defines it.
    fn alias(
        &mut self,
        alias: &Bound<'py, PyAny>,
        own: Option<(Bound<'py, PyAny>, Bindings<'py>)>,
        meant: &Bound<'py, PyAny>,
        nullable: bool,
        id: NodeId,
    ) -> PyResult<Node> {
        let py = self.compiler.py;
        let module = alias.getattr_opt(intern!(py, "__module__"))?;
        let Some(Ok(module)) = module.map(|module| module.cast_into::<PyString>()) else {
            return self.content(meant, nullable, id);
        };
        let mut scope = self.scope.in_module(&module);
        if let Some((alias, own)) = own {
            scope = scope.of_alias(alias, own);
        }
        let Walk { compiler, place, depth, typecode, marks, .. } = self;
        let (place, depth, typecode) = (*place, *depth, typecode.take());
        let marked = std::mem::take(marks);
        let mut walk =
            Walk { depth, typecode, marks: marked, ..Walk::new(compiler, &scope, place) };
        let made = walk.content(meant, nullable, id);
        *marks = walk.marks;
        made
    }

    /// A union of classes, and of a type for all other objects. What distinguishes the classes is
    /// found when they are planned.
    pub(in crate::plan) fn tagged(
        &mut self,
        classes: &[NodeId],
        mut other: Option<NodeId>,
        nullable: bool,
        id: NodeId,
    ) -> PyResult<Node> {
        let mut parts = Vec::new();
        let mut tag = self.compiler.settings.tag.clone();
        for &class in classes {
            let Some(inner) = self.compiler.unions.iter().find(|union| union.node == class) else {
                parts.push(class);
                continue;
            };
            // A union inside the union, through an alias. If that only adds a type for all other
            // objects, the classes are told apart as before.
            parts.extend(&inner.classes);
            if classes.len() == 1 {
                tag.clone_from(&inner.tag);
            }
            if let (Some(one), Some(more)) = (other, inner.other) {
                return Err(self.two_take_all(one, more));
            }
            other = other.or(inner.other);
        }
        let names: Vec<_> = parts.iter().chain(&other).map(|member| self.name(*member)).collect();
        let names = names.join(" | ");
        let field = self.place.field.map(|(field, class)| (field.to_owned(), class.to_owned()));
        let mut without_effect = None;
        if self.compiler.model.is_some() {
            let classes = PyList::empty(self.compiler.py);
            for &part in &parts {
                if let Kind::Class(class) = self.compiler.nodes[part as usize].kind {
                    classes.append(&self.compiler.met[class as usize].class)?;
                }
            }
            without_effect = left::without_effect(self.compiler, &classes)?;
        }
        self.compiler.unions.push(Union {
            node: id,
            classes: parts,
            other,
            field,
            tag,
            is_left: self.compiler.model.is_some(),
            without_effect,
        });
        Ok(node(Kind::Tagged(Box::new(Tagged::unsettled())), nullable, names))
    }

    /// Stores what distinguishes the classes of a union.
    pub(in crate::plan) fn tag(
        &mut self,
        node: &Node,
        id: NodeId,
        word: &Bound<'py, PyAny>,
    ) -> PyResult<()> {
        let union = match &node.kind {
            Kind::Tagged(_) => Some(id),
            Kind::Tokens(tokens) => tokens.map,
            _ => None,
        };
        let unions = &mut self.compiler.unions;
        match unions.iter_mut().find(|known| Some(known.node) == union) {
            Some(union) => {
                union.tag = Some(word.clone());
                Ok(())
            }
            None => Err(self.error("tag(...) is only for a union of classes")),
        }
    }

    pub(in crate::plan) fn name(&self, id: NodeId) -> &str {
        self.compiler.name(id)
    }

    /// A class, with its arguments if it is generic and has some.
    fn class(
        &mut self,
        class: &Bound<'py, PyType>,
        arguments: Option<Bound<'py, PyTuple>>,
        nullable: bool,
        id: NodeId,
    ) -> PyResult<Node> {
        let py = self.compiler.py;
        if is_of_bytes(class.as_any())
            && let Some(model) = self.compiler.model.clone()
        {
            return Ok(pydantic::bytes(class, &model, nullable));
        }
        if let Some((kind, name)) = builtin(class) {
            let settings = &self.compiler.settings;
            let unix = settings.unix.as_ref().filter(|_| kind.is(Of::DateTime));
            let kind = self.moment(kind, unix, settings.times.as_ref())?;
            return Ok(node(kind, nullable, name.into()));
        }
        if known::EXACT.is(class) {
            return Ok(self.exact());
        }
        if known::NDARRAY.is(class) {
            return self.ndarray(None, nullable);
        }
        if class.as_type_ptr() == &raw mut ffi::PyMemoryView_Type {
            return self.view(nullable);
        }
        if let Some(converted) = self.converted(class, nullable)? {
            return Ok(converted);
        }
        if let Some(collection) = Collection::of(class)? {
            return self.bare_collection(class, collection, nullable);
        }
        if let Some((class, name)) = self.compiler.class_of(class, arguments.as_ref())? {
            return Ok(self.of_class(class, nullable, name));
        }
        self.compiler.note(class);
        if let Some(own) = post_steps::of_class(class)? {
            return self.via(&own, nullable, id, class.as_any());
        }
        if choice::is_enum(class) {
            return self.enumeration(class, nullable, id);
        }
        if let Some((made, model)) = pydantic::of_class(self, class)? {
            if model.is_none()
                && let Some(around) = self.compiler.model.clone()
                && let Some(source) = &made.source
                && pydantic::makes_itself(&around, class)?
            {
                return self.content(source, nullable, id);
            }
            let is_model = model.is_some() && !pydantic::is_root(class)?;
            let around = std::mem::replace(&mut self.compiler.model, model);
            let node = self.via(&made, nullable, id, class.as_any());
            self.compiler.model = around;
            let mut node = node?;
            PostSteps::add(&mut node, []).is_model = is_model;
            return Ok(node);
        }
        if let Some(derived) = self.derived(class, arguments.as_ref(), nullable, id)? {
            return Ok(derived);
        }
        let sort = match classes::sort(class)? {
            Ok(sort) => sort,
            Err(reason) => return Err(self.place.error(py, reason)),
        };
        if sort != classes::Sort::Model
            && let Some(reason) = with_config::unheeded(class)?
        {
            return Err(self.place.error(py, reason));
        }
        let (class, name) = self.compiler.meet(class, arguments, sort, self.place)?;
        Ok(node(Kind::Class(class), nullable, name))
    }

    /// An `Enum`, by the values of its members.
    fn enumeration(
        &mut self,
        class: &Bound<'py, PyType>,
        nullable: bool,
        id: NodeId,
    ) -> PyResult<Node> {
        if choice::is_flag(class) {
            return self.flags(class, nullable);
        }
        let name = class.name()?.to_string();
        let of = match choice::of_enum(class, self.place)? {
            Members::Choice(choice) => {
                return Ok(node(Kind::Choice(Box::new(choice)), nullable, name));
            }
            Members::Values { of } => of,
        };
        // The values are of types with a form in documents: they are decoded as these types, and
        // then select their member.
        self.compiler.keep(&of);
        let mut values = self.content(&of, false, id)?;
        let has_null = values.nullable;
        values.nullable |= nullable;
        let find = conversions::applied(self.compiler.py, "member", class)?;
        let after = PostSteps::add(&mut values, [post_steps::Step::Convert(find.unbind())]);
        if has_null {
            after.null_from = Some(0);
        }
        (after.nature, after.hashable) = (Some(Nature::Unknown), Some(true));
        after.class = Some(class.clone().unbind());
        after.backs.push(Some(conversions::function(self.compiler.py, "value_of")?.unbind()));
        if !self.compiler.form.is_lexical() {
            let check = conversions::applied(self.compiler.py, "kept_as_text", &of)?;
            let node_after = PostSteps::add(&mut values, []);
            node_after.check_of_text = Some(check.unbind());
        }
        let shown = if nullable { format!("{name} | None") } else { name };
        (values.name, values.written) = (shown.clone().into(), shown.into());
        Ok(values)
    }

    /// A union.
    fn union(
        &mut self,
        members: &Bound<'py, PyTuple>,
        nullable: bool,
        id: NodeId,
    ) -> PyResult<Node> {
        let is_none = |member: &Bound<'py, PyAny>| member.is_none() || is_type_of_none(member);
        let nullable = nullable || members.iter().any(|member| is_none(&member));
        // The marker for an absent value never occurs in a document.
        let is_unset = |member: &Bound<'py, PyAny>| {
            known::UNSET_TYPE.is(member) || known::MSGSPEC_UNSET_TYPE.is(member)
        };
        let is_there = |member: &Bound<'py, PyAny>| !is_none(member) && !is_unset(member);
        let members: Vec<_> = members.iter().filter(is_there).collect();
        let members = self.one_literal(members)?;
        match &members[..] {
            [] => Ok(node(Kind::None, false, "None".into())),
            [only] => self.content(only, nullable, id),
            _ => self.union_of(&members, nullable, id),
        }
    }

    /// The members of a union, with one `Literal` in place of several.
    fn one_literal(&mut self, members: Vec<Bound<'py, PyAny>>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let py = self.compiler.py;
        let mut values = Vec::new();
        let mut kept = Vec::with_capacity(members.len());
        let mut first = None;
        for member in &members {
            let origin = member.getattr_opt(intern!(py, "__origin__"))?;
            if origin.is_some_and(|origin| known::LITERAL.is(&origin)) {
                first = first.or(Some(kept.len()));
                values.push(arguments(member)?);
            } else {
                kept.push(member.clone());
            }
        }
        let (Some(first), [_, _, ..]) = (first, &values[..]) else { return Ok(members) };
        let values: Vec<_> = values.iter().flat_map(|values| values.iter()).collect();
        let literal = py.import(intern!(py, "typing"))?.getattr(intern!(py, "Literal"))?;
        let literal = literal.get_item(PyTuple::new(py, values)?)?;
        self.compiler.keep(&literal);
        kept.insert(first, literal);
        Ok(kept)
    }

    /// `list[X]`, `Box[int]` and similar annotations.
    fn parameterized(
        &mut self,
        annotation: &Bound<'py, PyAny>,
        origin: &Bound<'py, PyType>,
        nullable: bool,
        id: NodeId,
    ) -> PyResult<Node> {
        let arguments = annotation.getattr_opt(intern!(self.compiler.py, "__args__"))?;
        let Some(arguments) = arguments else {
            return self.class(origin, None, nullable, id);
        };
        let arguments = arguments.cast_into::<PyTuple>()?;
        if let Some(collection) = Collection::of(origin)? {
            return self.collection_of(annotation, origin, collection, &arguments, nullable);
        }
        if known::NDARRAY.is(origin) {
            return self.ndarray(Some(&arguments), nullable);
        }
        if known::PATTERN_TYPE.is(origin) {
            if arguments.get_item(0)?.is(self.compiler.py.get_type::<PyBytes>()) {
                let reason = "a document has no pattern of bytes: use Pattern[str]";
                return Err(self.error(reason));
            }
            return self.class(origin, None, nullable, id);
        }
        if !type_objects::is_heap_type(origin) {
            return Err(self.unsupported(qualified(origin)));
        }
        let arguments = generics::resolved(self, &arguments)?;
        self.class(origin, Some(arguments), nullable, id)
    }

    #[cold]
    pub(in crate::plan) fn not_a_type(&self, annotation: &Bound<'py, PyAny>) -> PyErr {
        let name = match display(annotation) {
            Ok(name) => name,
            Err(instead) => return instead,
        };
        if let Ok(Some(_)) = unpacked(annotation) {
            return self.error(format_args!("{name} is only allowed in a tuple"));
        }
        if known::KW_ONLY.is(annotation) {
            return self.error("KW_ONLY is only for a dataclass");
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

/// `type X = ...`
fn is_alias(object: &Bound<'_, PyAny>) -> bool {
    is_instance(object, &known::TYPE_ALIAS) || is_instance(object, &known::TYPE_ALIAS_EXTENSION)
}
