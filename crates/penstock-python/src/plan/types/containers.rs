//! Collections: the builtin ones, and classes that are made from them.
//!
//! Other collections of the standard library are first gathered as a `list`, `dict` or `set`, and
//! then passed to their class. An abstract one (`Sequence`, `Mapping`) becomes the builtin
//! collection that implements it.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyFrozenSet, PyInt, PyList, PySet};
use pyo3::types::{PyString, PyTuple, PyType};

use super::mark::Mark;

use super::builtin::{Container, display};
use super::compiler::Compiler;
use super::conversions::{applied, function, is_of_module};
use super::known::{self, Known};
use super::packed::Packed;
use super::walk::{Walk, node};
use super::wrappers::{arguments, unpacked};
use crate::plan::make::post_steps::{Nature, PostSteps, Step};
use crate::plan::{Kind, Node, NodeId};

/// A class of collections.
#[derive(Clone, Copy)]
pub(in crate::plan) struct Collection {
    /// The builtin collection that gathers its items.
    pub(in crate::plan) base: Container,
    pub(in crate::plan) name: &'static str,
    finish: Finish,
    known: Option<&'static Known>,
}

/// What to do with the gathered items.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Finish {
    /// Nothing.
    Builtin,
    /// The class is called with it.
    Call,
    /// It becomes a `defaultdict` whose factory makes empty values.
    Default,
    /// The values are counts.
    Count,
    /// It becomes an `array.array`.
    Array,
}

impl Collection {
    const fn abstract_of(known: &'static Known, base: Container, name: &'static str) -> Self {
        Collection { base, name, finish: Finish::Builtin, known: Some(known) }
    }

    const fn made(
        known: &'static Known,
        base: Container,
        name: &'static str,
        finish: Finish,
    ) -> Self {
        Collection { base, name, finish, known: Some(known) }
    }

    /// The collection that a class is, if it is one.
    ///
    /// # Errors
    /// Only those that the class did not cause, such as a lack of memory.
    pub(in crate::plan) fn of(class: &Bound<'_, PyType>) -> PyResult<Option<Self>> {
        if let Some(base) = Container::of(class) {
            return Ok(Some(Collection {
                base,
                name: base.name(),
                finish: Finish::Builtin,
                known: None,
            }));
        }
        if !is_of_module(class, &["collections", "collections.abc", "array"])? {
            return Ok(None);
        }
        let is = |collection: &&Collection| collection.known.is_some_and(|known| known.is(class));
        Ok(COLLECTIONS.iter().find(is).copied())
    }

    /// Whether a value of a subclass is made by calling the subclass with the collection.
    pub(in crate::plan) fn is_called(&self) -> bool {
        self.known.is_none() || matches!(self.finish, Finish::Call | Finish::Count)
    }

    /// Whether its items must be hashable.
    pub(in crate::plan) fn hashes(&self) -> bool {
        matches!(self.base, Container::Set | Container::FrozenSet)
    }
}

static COLLECTIONS: [Collection; 13] = {
    use Container::{Dict, List, Set};
    [
        Collection::abstract_of(&known::SEQUENCE, List, "Sequence"),
        Collection::abstract_of(&known::MUTABLE_SEQUENCE, List, "MutableSequence"),
        Collection::abstract_of(&known::ITERABLE, List, "Iterable"),
        Collection::abstract_of(&known::COLLECTION, List, "Collection"),
        Collection::abstract_of(&known::MAPPING, Dict, "Mapping"),
        Collection::abstract_of(&known::MUTABLE_MAPPING, Dict, "MutableMapping"),
        Collection::abstract_of(&known::ABSTRACT_SET, Set, "Set"),
        Collection::abstract_of(&known::MUTABLE_SET, Set, "MutableSet"),
        Collection::made(&known::DEQUE, List, "deque", Finish::Call),
        Collection::made(&known::DEFAULT_DICT, Dict, "defaultdict", Finish::Default),
        Collection::made(&known::ORDERED_DICT, Dict, "OrderedDict", Finish::Call),
        Collection::made(&known::COUNTER, Dict, "Counter", Finish::Count),
        Collection::made(&known::ARRAY, List, "array", Finish::Array),
    ]
};

impl<'py> Compiler<'py> {
    /// The function that makes an empty value of a node, if it has one: the factory of a
    /// `defaultdict`.
    pub(super) fn factory(&self, node: NodeId) -> Option<Bound<'py, PyAny>> {
        let py = self.py;
        let node = &self.nodes[node as usize];
        if node.nullable {
            return None;
        }
        if let Some(after) = &node.after
            && let Some(Step::Call(made) | Step::Convert(made)) = after.steps.last()
        {
            let is_empty = matches!(after.nature, Some(Nature::Items | Nature::Bytes));
            return is_empty.then(|| made.bind(py).clone());
        }
        let class = match &node.kind {
            Kind::Bool => py.get_type::<PyBool>(),
            Kind::Int => py.get_type::<PyInt>(),
            Kind::Float => py.get_type::<PyFloat>(),
            Kind::Str => py.get_type::<PyString>(),
            Kind::Bytes | Kind::Encoded(_) => py.get_type::<PyBytes>(),
            Kind::List(_) => py.get_type::<PyList>(),
            Kind::Set(_) => py.get_type::<PySet>(),
            Kind::FrozenSet(_) => py.get_type::<PyFrozenSet>(),
            Kind::TupleOf(_) => py.get_type::<PyTuple>(),
            Kind::Dict(..) => py.get_type::<PyDict>(),
            Kind::Decimal => return known::DECIMAL.get(py).cloned(),
            Kind::Class(class) => self.met[*class as usize].class.clone(),
            _ => return None,
        };
        Some(class.into_any())
    }
}

impl<'py> Walk<'_, 'py> {
    /// A collection that is written without arguments.
    pub(in crate::plan) fn bare_collection(
        &mut self,
        class: &Bound<'py, PyType>,
        collection: Collection,
        nullable: bool,
    ) -> PyResult<Node> {
        let (key, item) = match (collection.base, collection.finish) {
            (_, Finish::Array) => return self.array(None, nullable),
            (Container::Dict, Finish::Count) => {
                let key = self.compiler.push(Kind::Str, false, "str".into());
                (Some(key), self.compiler.push(Kind::Int, false, "int".into()))
            }
            (Container::Dict, _) => {
                let key = self.compiler.push(Kind::Str, false, "str".into());
                (Some(key), self.compiler.any())
            }
            _ => (None, self.compiler.any()),
        };
        let kind = collection.base.of_one_kind(key, item);
        self.finished(collection, class, kind, item, collection.name.into(), nullable)
    }

    /// `list[X]` and similar types.
    pub(in crate::plan) fn collection_of(
        &mut self,
        annotation: &Bound<'py, PyAny>,
        class: &Bound<'py, PyType>,
        collection: Collection,
        arguments: &Bound<'py, PyTuple>,
        nullable: bool,
    ) -> PyResult<Node> {
        let mut arguments: Vec<_> = arguments.iter().collect();
        if collection.base == Container::Tuple {
            arguments = self.unpacked(annotation, arguments)?;
        }
        let (kind, item, name) = match (collection.base, collection.finish, &arguments[..]) {
            (_, Finish::Array, [item]) => return self.array(Some(item), nullable),
            (Container::Tuple, _, [item, dots]) if dots.is(self.compiler.py.Ellipsis()) => {
                let item = self.node(item, false)?;
                (Kind::TupleOf(item), item, format!("tuple[{}, ...]", self.name(item)))
            }
            (Container::Tuple, _, []) => {
                let kind = Kind::Tuple([].into());
                return Ok(node(kind, nullable, "tuple[()]".into()));
            }
            (Container::Tuple, _, items) => {
                let items: PyResult<Box<[_]>> =
                    items.iter().map(|item| self.node(item, false)).collect();
                let items = items?;
                let names: Vec<_> = items.iter().map(|item| self.name(*item)).collect();
                let name = format!("tuple[{}]", names.join(", "));
                return Ok(node(Kind::Tuple(items), nullable, name));
            }
            (Container::Dict, Finish::Count, [key]) => {
                let key = self.key(key)?;
                let count = self.compiler.push(Kind::Int, false, "int".into());
                (Kind::Dict(key, count), count, format!("Counter[{}]", self.name(key)))
            }
            (Container::Dict, _, [key, value]) => {
                let key = self.key(key)?;
                let value = self.node(value, false)?;
                let (keys, values) = (self.name(key), self.name(value));
                let name = format!("{}[{keys}, {values}]", collection.name);
                (Kind::Dict(key, value), value, name)
            }
            (base, _, [item]) if base != Container::Dict => {
                let item = self.node(item, false)?;
                if collection.hashes() {
                    if !self.compiler.is_hashable(item) {
                        return Err(self.compiler.no_hash(item, base, self.place));
                    }
                    // A part of it may not be known yet.
                    self.compiler.hash(item, base, self.place);
                }
                let name = format!("{}[{}]", collection.name, self.name(item));
                (base.of_one_kind(None, item), item, name)
            }
            _ => return Err(self.not_a_type(annotation)),
        };
        self.finished(collection, class, kind, item, name, nullable)
    }

    /// The items of a tuple, with those of `*tuple[X, Y]` in its place.
    fn unpacked(
        &mut self,
        annotation: &Bound<'py, PyAny>,
        items: Vec<Bound<'py, PyAny>>,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let dots = self.compiler.py.Ellipsis();
        let alone = items.len() == 1;
        let mut flat = Vec::with_capacity(items.len());
        for item in items {
            let Some(inner) = unpacked(&item)? else {
                flat.push(item);
                continue;
            };
            let inner = self.evaluated(&inner)?.unwrap_or(inner);
            let origin = inner.getattr_opt(intern!(inner.py(), "__origin__"))?;
            if !origin.is_some_and(|origin| origin.is(inner.py().get_type::<PyTuple>())) {
                return Err(self.unsupported(display(&item)?));
            }
            self.deeper()?;
            let inner = self.unpacked(annotation, arguments(&inner)?.iter().collect())?;
            self.depth -= 1;
            if !alone && inner.iter().any(|item| item.is(&dots)) {
                return Err(self.unsupported(display(annotation)?));
            }
            flat.extend(inner);
        }
        Ok(flat)
    }

    /// A node of a collection, with its last step.
    pub(in crate::plan) fn finished(
        &mut self,
        collection: Collection,
        class: &Bound<'py, PyType>,
        kind: Kind,
        item: NodeId,
        name: String,
        nullable: bool,
    ) -> PyResult<Node> {
        let mut node = node(kind, nullable, name);
        let by = match collection.finish {
            Finish::Builtin | Finish::Array => return Ok(node),
            Finish::Call | Finish::Count => class.clone().into_any(),
            Finish::Default => self.compiler.defaulting(class, item)?,
        };
        let after = PostSteps::add(&mut node, [Step::Convert(by.unbind())]);
        (after.nature, after.hashable) = (Some(Nature::Items), Some(false));
        after.class = Some(class.clone().unbind());
        Ok(node)
    }

    /// An `array.array`: a `typecode(...)`, or its argument, gives the type of its numbers.
    fn array(&mut self, item: Option<&Bound<'py, PyAny>>, nullable: bool) -> PyResult<Node> {
        let py = self.compiler.py;
        let is = |class: Bound<'py, PyType>| item.is_some_and(|item| item.is(&class));
        let code = match self.typecode.take() {
            Some(code) => code,
            None if is(py.get_type::<PyInt>()) => "q".into(),
            None if is(py.get_type::<PyFloat>()) => "d".into(),
            None => {
                let rule =
                    "array does not say the type of its numbers: add typecode(...) beside it";
                return Err(self.error(rule));
            }
        };
        self.packed("array", "numbers", code, nullable)
    }

    /// A `memoryview`, of which a `typecode(...)` says the type of its numbers.
    pub(in crate::plan) fn view(&mut self, nullable: bool) -> PyResult<Node> {
        let Some(code) = self.typecode.take() else {
            let rule =
                "memoryview does not say the type of its numbers: add typecode(...) beside it";
            return Err(self.error(rule));
        };
        let mut node = self.packed("memoryview", "view", code, nullable)?;
        self.unpacks(&mut node)?;
        Ok(node)
    }

    /// A `numpy.ndarray`, with its arguments if it has any. It has as many dimensions as its shape
    /// says, and otherwise one.
    pub(in crate::plan) fn ndarray(
        &mut self,
        arguments: Option<&Bound<'py, PyTuple>>,
        nullable: bool,
    ) -> PyResult<Node> {
        let py = self.compiler.py;
        let arguments = arguments.filter(|arguments| arguments.len() == 2);
        let found = match (self.typecode.take(), arguments) {
            (Some(code), _) => Some(code),
            (None, Some(arguments)) => {
                let dtype = arguments.get_item(1)?;
                function(py, "numpy_code")?.call1((dtype,))?.extract()?
            }
            (None, None) => None,
        };
        let Some(code) = found else {
            let rule = "ndarray does not say the type of its numbers: use \
                        numpy.typing.NDArray[numpy.float64], or another type of numbers";
            return Err(self.error(rule));
        };
        let dimensions: usize = match arguments {
            Some(arguments) => {
                let shape = arguments.get_item(0)?;
                function(py, "numpy_dimensions")?.call1((shape,))?.extract()?
            }
            None => 1,
        };
        let is_inner = dimensions > 1;
        let mut node = self.packed("ndarray", "ndarray", code.clone(), nullable && !is_inner)?;
        self.unpacks(&mut node)?;
        for dimension in 2..=dimensions {
            node = self.stacked(node, &code, dimension, nullable && dimension == dimensions)?;
        }
        Ok(node)
    }

    /// A list of arrays of one shape, which become one array with a dimension more.
    fn stacked(&mut self, item: Node, code: &str, of: usize, nullable: bool) -> PyResult<Node> {
        let py = self.compiler.py;
        let id = self.compiler.nodes.len() as NodeId;
        self.compiler.nodes.push(item);
        let mut node = node(Kind::List(id), nullable, "ndarray".into());
        let by = applied(py, "stacked", (code, of))?;
        let after = PostSteps::add(&mut node, [Step::Convert(by.unbind())]);
        (after.nature, after.hashable) = (Some(Nature::Items), Some(false));
        after.backs.push(Some(function(py, "rows")?.unbind()));
        Ok(node)
    }

    /// A list of numbers that a function packs, by a code of `array.array`, or `?` for truth values.
    fn packed(
        &mut self,
        name: &str,
        function: &str,
        code: String,
        nullable: bool,
    ) -> PyResult<Node> {
        let py = self.compiler.py;
        let item = match code.as_str() {
            "f" | "d" => self.compiler.push(Kind::Float, false, "float".into()),
            "?" => self.compiler.push(Kind::Bool, false, "bool".into()),
            _ => self.compiler.push(Kind::Int, false, "int".into()),
        };
        let of_numbers = &mut self.compiler.nodes[item as usize];
        of_numbers.column = Mark::of_code(&code);
        // NumPy rounds to float32.
        of_numbers.packed = Packed::of(&code, function == "ndarray");
        let mut node = node(Kind::List(item), nullable, name.into());
        let by = applied(py, function, code)?;
        let after = PostSteps::add(&mut node, [Step::Convert(by.unbind())]);
        (after.nature, after.hashable) = (Some(Nature::Items), Some(false));
        after.packs = true;
        Ok(node)
    }

    /// What is packed is written as the list of its numbers.
    fn unpacks(&self, node: &mut Node) -> PyResult<()> {
        let back = function(self.compiler.py, "unpacked")?;
        // The function that packs is one of ours, but it has a way back, as a user's has.
        let after = PostSteps::add(node, []);
        after.backs.push(Some(back.unbind()));
        Ok(())
    }

    /// The keys of a dict: text, or a type that can be made from text.
    fn key(&mut self, annotation: &Bound<'py, PyAny>) -> PyResult<NodeId> {
        let mut id = self.node(annotation, false)?;
        if self.compiler.is_being_made(id) {
            let name = display(annotation)?;
            let reason = format_args!(
                "dict keys cannot be {name}, which the dict is a part of: a key is text"
            );
            return Err(self.error(reason));
        }
        let node = &self.compiler.nodes[id as usize];
        // A function that takes any value with all its digits gets the key as it is.
        if matches!(node.kind, Kind::Tokens(_)) && node.after.is_some() {
            id = self.compiler.push(Kind::Any, false, String::new());
            self.of_key = true;
            let key = self.content(annotation, false, id);
            self.of_key = false;
            self.compiler.nodes[id as usize] = key?;
        }
        let node = &self.compiler.nodes[id as usize];
        if matches!(node.kind, Kind::Any) && node.after.is_none() {
            return Ok(self.compiler.push(Kind::Str, false, "str".into()));
        }
        if !self.is_key(id) {
            let name = &node.written;
            return Err(self.error(format_args!("dict keys cannot be {name}: a key is text")));
        }
        if !self.compiler.is_hashable(id) {
            let name = &node.written;
            return Err(self.error(format_args!("{name} has no hash, so it cannot be a key")));
        }
        Ok(id)
    }

    /// True if the text of a key can be a value of the node.
    fn is_key(&self, id: NodeId) -> bool {
        let node = &self.compiler.nodes[id as usize];
        let is_text = match &node.kind {
            Kind::Any
            | Kind::Bool
            | Kind::Int
            | Kind::Float
            | Kind::Decimal
            | Kind::Str
            | Kind::Bytes
            | Kind::Encoded(_)
            | Kind::Duration
            | Kind::DateTime
            | Kind::Moment(_)
            | Kind::Date
            | Kind::Time
            | Kind::Uuid => true,
            Kind::Choice(choice) => choice.null.is_none(),
            Kind::Tokens(tokens) => {
                tokens.null.is_none() && tokens.members().all(|member| self.is_key(member))
            }
            Kind::None
            | Kind::Raw
            | Kind::Uid
            | Kind::List(_)
            | Kind::Set(_)
            | Kind::FrozenSet(_)
            | Kind::TupleOf(_)
            | Kind::Tuple(_)
            | Kind::Separated(_)
            | Kind::Dict(..)
            | Kind::Class(_)
            | Kind::Tagged(_) => false,
        };
        is_text && !node.nullable
    }
}
