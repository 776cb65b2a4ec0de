//! Makes a class plan from a class: finds its kind, and does what all kinds share.

use penstock_core::suggest::nearest;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyType};

use super::{annotated_init, attrs, dataclass, msgspec, named_tuple};
use super::{plain, pydantic, typed_dict, with_config};
use crate::edge::modules;
use crate::plan::keys::renaming;
use crate::plan::keys::spread::Stars;
use crate::plan::keys::{flat, paths, spread};
use crate::plan::make::type_objects;
use crate::plan::types::annotations::{is_annotated, own_annotations};
use crate::plan::types::builtin::qualified;
use crate::plan::types::compiler::{Compiler, Place};
use crate::plan::types::names::{Scope, same_name};
use crate::plan::types::wrappers::{At, FieldType, field_type};
use crate::plan::types::{derived, generics, known};
use crate::plan::{Absent, Build, ClassId, ClassPlan, Field, Kind, Node, NodeId, Spread};

/// A kind of class. Each has its own module, except `Enum`, which is a [choice](crate::plan::types::choice).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::plan) enum Sort {
    Dataclass,
    NamedTuple,
    TypedDict,
    /// A dict with annotations, which are its keys.
    Keys,
    /// A class whose constructor has annotated parameters.
    AnnotatedInit,
    /// A class that only has annotations.
    Plain,
    Attrs,
    /// A `msgspec.Struct`.
    Struct,
    /// A pydantic model or dataclass.
    Model,
}

/// The kind of `class`, or why it has none: a clause that names it.
pub(in crate::plan) fn sort(class: &Bound<'_, PyType>) -> PyResult<Result<Sort, String>> {
    let py = class.py();
    let unsupported = || Ok(Err(format!("{} is not supported yet", qualified(class))));
    if !type_objects::is_heap_type(class) {
        return unsupported();
    }
    let metaclass = class.get_type();
    let is_protocol = type_objects::own_attribute(class, intern!(py, "_is_protocol"));
    if is_protocol.is_some_and(|is| is.is_truthy().unwrap_or(false)) {
        return Ok(Err(format!("{} is a protocol, so no object of it can be made", class.name()?)));
    }
    if type_objects::is_abstract(class) {
        return Ok(Err(format!("{} is abstract, so no object of it can be made", class.name()?)));
    }
    let marked = [
        (intern!(py, "__pydantic_fields__"), Sort::Model),
        (intern!(py, "__struct_fields__"), Sort::Struct),
        (intern!(py, "__attrs_attrs__"), Sort::Attrs),
        (intern!(py, "__dataclass_fields__"), Sort::Dataclass),
    ];
    for (mark, sort) in marked {
        if type_objects::attribute(class, mark).is_some() {
            return Ok(Ok(sort));
        }
    }
    if known::TYPED_DICT_META.is(&metaclass) || known::TYPED_DICT_META_EXTENSION.is(&metaclass) {
        return Ok(Ok(Sort::TypedDict));
    }
    if class.is_subclass_of::<pyo3::types::PyTuple>()?
        && type_objects::attribute(class, intern!(py, "_fields")).is_some()
    {
        return Ok(Ok(Sort::NamedTuple));
    }
    if annotated_init::has_one(class)? {
        return Ok(Ok(Sort::AnnotatedInit));
    }
    if is_annotated(class)? {
        return Ok(Ok(Sort::Plain));
    }
    unsupported()
}

/// The annotated attributes of the class and its bases, those of the bases first. `absent` decides
/// what an attribute without a value gets.
pub(in crate::plan) fn annotated<'py>(
    subject: &mut Subject<'_, 'py>,
    absent: impl Fn(&Bound<'py, PyType>, &Bound<'py, PyString>, &FieldType<'py>) -> Absent,
) -> PyResult<Vec<Declared<'py>>> {
    let class = subject.class.clone();
    let mut fields: Vec<Declared<'py>> = Vec::new();
    for base in type_objects::bases(&class).iter().rev() {
        let Some(annotations) = subject.annotations(base)? else { continue };
        let scope = subject.scope(base)?;
        for (name, annotation) in &annotations {
            let name = name.cast_into::<PyString>()?;
            let field = subject.field_type(&name, annotation, &scope)?;
            let place = fields.iter().position(|known| same_name(&known.name, &name));
            if field.class_var {
                place.map(|place| fields.remove(place));
                continue;
            }
            let absent = absent(&class, &name, &field);
            let declared = subject.declared(name, field, &scope, absent)?;
            // An annotation repeated in a subclass keeps its place, as in a dict.
            match place {
                Some(place) => fields[place] = declared,
                None => fields.push(declared),
            }
        }
    }
    Ok(fields)
}

/// A field as its class declares it.
pub(in crate::plan) struct Declared<'py> {
    pub(in crate::plan) name: Bound<'py, PyString>,
    /// Its key, if that is not its name.
    pub(in crate::plan) key: Option<String>,
    pub(in crate::plan) node: NodeId,
    /// Its `at(...)`.
    pub(in crate::plan) at: Option<DeclaredAt>,
    pub(in crate::plan) absent: Absent,
    /// As that of a [`Field`].
    pub(in crate::plan) default: Option<Absent>,
    /// False if its value does not come from the document: `init=False`.
    pub(in crate::plan) is_read: bool,
    /// Whether it takes all keys that the class does not name.
    pub(in crate::plan) is_rest: bool,
    /// The columns of a row from which its value comes, if these are several.
    pub(in crate::plan) columns: Option<Stars>,
}

impl<'py> Declared<'py> {
    /// A field whose value does not come from the document.
    pub(in crate::plan) fn unread(
        name: Bound<'py, PyString>,
        node: NodeId,
        absent: Absent,
    ) -> Self {
        let (is_read, is_rest) = (false, false);
        let (key, at, default, columns) = (None, None, None, None);
        Declared { name, key, node, at, absent, default, is_read, is_rest, columns }
    }

    /// Whether a key leads to the field.
    pub(in crate::plan) fn has_key(&self) -> bool {
        self.is_read && !self.is_rest && !self.is_spread()
    }

    /// Whether it gathers the values of several columns.
    pub(in crate::plan) fn is_spread(&self) -> bool {
        self.columns.is_some() && !self.is_flat()
    }

    /// Whether its value is made of members of its own object: `at(".")`.
    pub(in crate::plan) fn is_flat(&self) -> bool {
        self.at.as_ref().is_some_and(|at| at.routes.is_empty())
    }

    /// The key of the field, if it has no `at(...)`.
    pub(in crate::plan) fn key(&self) -> PyResult<&str> {
        match &self.key {
            Some(key) => Ok(key),
            None => self.name.to_str(),
        }
    }
}

/// The `at(...)` of a field, with the types of its choice as nodes.
#[derive(Clone)]
pub(in crate::plan) struct DeclaredAt {
    /// As it would be written, without the `at`.
    pub(in crate::plan) shown: String,
    /// The paths; none if the value is made of members of the object itself.
    pub(in crate::plan) routes: Vec<(String, Option<NodeId>)>,
    /// The field of the items that holds their key in a dict.
    pub(in crate::plan) key: Option<String>,
}

/// The fields of a class, and how to make an object of them.
pub(in crate::plan) struct Shape<'py> {
    pub(in crate::plan) fields: Vec<Declared<'py>>,
    pub(in crate::plan) build: Build,
    pub(in crate::plan) why_called: Option<String>,
    /// Whether the class itself refuses keys that it does not name.
    pub(in crate::plan) forbids_unknown: bool,
    /// Whether an array of the fields' values, in their order, is accepted too.
    pub(in crate::plan) takes_rows: bool,
    /// The field that takes all keys that the class does not name, with their values.
    pub(in crate::plan) rest: Option<u32>,
}

impl<'py> Shape<'py> {
    /// Fields, and how to make an object of them, with default settings.
    pub(in crate::plan) fn new(fields: Vec<Declared<'py>>, build: Build) -> Self {
        let (why_called, forbids_unknown, takes_rows, rest) = (None, false, false, None);
        Shape { fields, build, why_called, forbids_unknown, takes_rows, rest }
    }
}

/// The class that is being planned.
pub(in crate::plan) struct Subject<'a, 'py> {
    pub(in crate::plan) compiler: &'a mut Compiler<'py>,
    /// Its index in the plan.
    pub(in crate::plan) id: ClassId,
    pub(in crate::plan) class: Bound<'py, PyType>,
    pub(in crate::plan) name: &'a str,
}

impl<'py> Subject<'_, 'py> {
    /// The place of a field in messages.
    pub(in crate::plan) fn place<'p>(&'p self, field: &'p str) -> Place<'p> {
        Place { field: Some((field, self.name)) }
    }

    /// The annotations in the body of `class`, which is the subject or a base of it; None if there
    /// are none.
    pub(in crate::plan) fn annotations(
        &mut self,
        class: &Bound<'py, PyType>,
    ) -> PyResult<Option<Bound<'py, PyDict>>> {
        let kept = &mut self.compiler.annotations;
        if let Some((_, found)) = kept.iter().find(|(of, _)| of.is(class)) {
            return Ok(found.clone());
        }
        let found = own_annotations(class)?;
        kept.push((class.clone(), found.clone()));
        Ok(found)
    }

    /// The names that annotations in the body of `class` may use.
    pub(in crate::plan) fn scope(&self, class: &Bound<'py, PyType>) -> PyResult<Scope<'py>> {
        let Compiler { settings, relatives, .. } = &*self.compiler;
        let scope = Scope::new(Some(class.clone()), settings.namespace.as_ref(), relatives);
        let given = self.compiler.met[self.id as usize].arguments.as_ref();
        let bindings = generics::bindings(&self.class, given, class)?;
        Ok(scope.of_instance(self.id, bindings))
    }

    /// A field's annotation without its wrappers.
    pub(in crate::plan) fn field_type(
        &self,
        name: &Bound<'py, PyString>,
        annotation: Bound<'py, PyAny>,
        scope: &Scope<'py>,
    ) -> PyResult<FieldType<'py>> {
        let place = self.place(name.to_str()?);
        let field = field_type(annotation, scope, place)?;
        let py = name.py();
        let sort = self.compiler.met[self.id as usize].sort;
        match field.required {
            Some(required) if !matches!(sort, Sort::TypedDict | Sort::Keys) => {
                let wrapper = if required { "Required" } else { "NotRequired" };
                let reason = format_args!("{wrapper} is only for a TypedDict");
                Err(place.error(py, reason))
            }
            _ if field.init_var && !matches!(sort, Sort::Dataclass | Sort::Model) => {
                Err(place.error(py, "InitVar is only for a dataclass"))
            }
            _ => Ok(field),
        }
    }

    /// A field, from its annotation.
    pub(in crate::plan) fn declared(
        &mut self,
        name: Bound<'py, PyString>,
        mut field: FieldType<'py>,
        scope: &Scope<'py>,
        absent: Absent,
    ) -> PyResult<Declared<'py>> {
        let py = name.py();
        let place = Place { field: Some((name.to_str()?, self.name)) };
        if let Some(at) = &mut field.at
            && let Some(value) = at.value.take()
        {
            let pairs = py.import(modules::PAIRS)?.getattr(intern!(py, "pairs"))?;
            let word = pairs.call1((&field.annotation, at.key.take(), value));
            field.words.insert(0, word.map_err(|why| place.error(py, why.value(py)))?);
        }
        let mut of_types = Vec::new();
        let node = match &field.at {
            Some(At { routes, .. }) if routes.iter().any(|(_, into)| into.is_some()) => {
                let types: Vec<_> = routes.iter().filter_map(|(_, into)| into.clone()).collect();
                let (node, chosen) =
                    self.compiler.choice(&field.annotation, &types, scope, place)?;
                of_types = chosen;
                self.compiler.constrain(node, &field.words, scope, place)?;
                node
            }
            Some(At { key: Some(key), .. }) => {
                let node = self.compiler.keyed(&field.annotation, key, scope, place)?;
                self.compiler.constrain(node, &field.words, scope, place)?;
                node
            }
            _ => self.compiler.node(&field.annotation, &field.words, scope, place)?,
        };
        let is_rest = field.words.iter().any(|word| known::REST.is(word));
        if is_rest {
            let has_path = field.at.is_some();
            self.compiler.gather_rest(node, has_path).map_err(|why| place.error(py, why))?;
        }
        let mut of_types = of_types.into_iter();
        let key = if is_rest { None } else { self.renamed(&name)? };
        let of_columns = match is_rest {
            true => None,
            false => {
                let key = key.as_deref().map_or_else(|| name.to_str(), Ok)?;
                spread::place(self, name.to_str()?, key, field.at.as_ref(), &field.words, node)?
            }
        };
        let mut of_several = None;
        let at = match field.at {
            _ if let Some(place) = of_columns => match place {
                spread::Place::Fields(at, pattern) => {
                    of_several = Some(pattern);
                    Some(at)
                }
                spread::Place::Items(pattern) => {
                    of_several = Some(pattern);
                    None
                }
            },
            Some(at) if flat::is_itself(&at) => Some(flat::itself(self, name.to_str()?, at, node)?),
            at => at.map(|At { shown, routes, key, .. }| {
                let routes = routes.into_iter().map(|(path, _)| (path, of_types.next())).collect();
                DeclaredAt { shown, routes, key }
            }),
        };
        let (is_read, columns) = (true, of_several);
        Ok(Declared { name, key, node, at, absent, default: None, is_read, is_rest, columns })
    }

    /// A field with nothing but a name.
    pub(in crate::plan) fn undeclared(
        &mut self,
        name: Bound<'py, PyString>,
        absent: Absent,
    ) -> PyResult<Declared<'py>> {
        let (key, node) = (self.renamed(&name)?, self.compiler.any());
        let (is_read, is_rest) = (true, false);
        let (at, default, columns) = (None, None, None);
        Ok(Declared { name, key, node, at, absent, default, is_read, is_rest, columns })
    }

    /// The key of a field of this name, if the caller renames fields.
    fn renamed(&mut self, name: &Bound<'py, PyString>) -> PyResult<Option<String>> {
        let Some(rename) = &self.compiler.settings.rename else { return Ok(None) };
        let name = name.to_str()?;
        let key = renaming::key_of(rename, &self.class, name);
        self.compiler.renamable.push((self.id, name.to_owned()));
        key
    }

    /// A `PlanError` about the class as a whole.
    #[cold]
    pub(in crate::plan) fn error(&self, reason: impl std::fmt::Display) -> PyErr {
        crate::plan::plan_error(self.compiler.py, format_args!("{}{reason}", self.name))
    }
}

/// The fields of a class of this kind, and how to make an object of them.
pub(in crate::plan) fn shape<'py>(
    subject: &mut Subject<'_, 'py>,
    sort: Sort,
) -> PyResult<Shape<'py>> {
    match sort {
        Sort::Dataclass => dataclass::shape(subject),
        Sort::NamedTuple => named_tuple::shape(subject),
        Sort::TypedDict => typed_dict::shape(subject),
        Sort::Keys => derived::shape(subject),
        Sort::AnnotatedInit => annotated_init::shape(subject),
        Sort::Plain => plain::shape(subject),
        Sort::Attrs => attrs::shape(subject),
        Sort::Struct => msgspec::shape(subject),
        Sort::Model => pydantic::shape(subject),
    }
}

/// Plans a class that the compiler has met.
pub(in crate::plan) fn plan(compiler: &mut Compiler<'_>, index: usize) -> PyResult<ClassPlan> {
    let met = &compiler.met[index];
    let (class, sort, name) = (met.class.clone(), met.sort, met.name.clone());
    let name = name.as_str();
    let id = index as ClassId;
    let mut subject = Subject { compiler, id, class: class.clone(), name };
    let mut shape = shape(&mut subject, sort)?;
    let forbids_unknown =
        shape.forbids_unknown || sort != Sort::Model && with_config::forbids_extra(&subject.class)?;
    let rest = rest(&subject, &shape, sort)?;
    let joined = flat::joined(&mut subject, &shape)?;
    let (parts, own): (Box<[_]>, _) = (joined.parts.into(), shape.fields.len());
    shape.fields.extend(joined.fields);
    let routes = paths::routes(&subject, &shape.fields)?;
    let (mut keys, mut spreads) = (Vec::new(), Vec::new());
    let fields = shape.fields.into_iter().zip(routes.gathers).enumerate();
    let (py, form) = (compiler.py, compiler.form);
    let nullable = |node: NodeId| compiler.nodes[node as usize].nullable;
    let fields = fields.map(|(index, (field, gathers))| {
        let gathers = gathers || rest == Some(index as u32) || field.is_spread();
        let is_flat = field.is_flat();
        let name = field.name;
        if !is_flat && let Some(pattern) = &field.columns {
            spreads.push(Spread { field: index as u32, pattern: pattern.clone() });
        }
        let (key, keyed) = match field.at {
            None if let Some(pattern) = &field.columns => (pattern.text().into(), None),
            Some(at) => (at.shown.into(), at.key),
            None => (field.key.unwrap_or_else(|| name.to_string()).into(), None),
        };
        if let Some(keyed) = keyed {
            keys.push((index, keyed));
        }
        // In markup, an element that is not there is the usual way to write `None`. For members of
        // the object itself, there is no other.
        let has_null = !form.has_elements() && !is_flat;
        let absent = match field.absent {
            Absent::Error
                if nullable(field.node) && (!has_null && !gathers || field.columns.is_some()) =>
            {
                Absent::Value(py.None())
            }
            absent => absent,
        };
        let (name, node, default) = (name.unbind(), field.node, field.default);
        Ok(Field { name, key, node, absent, default, gathers, keyed: None })
    });
    let fields = fields.collect::<PyResult<Box<[Field]>>>()?;
    Ok(ClassPlan {
        class: class.unbind(),
        name: name.into(),
        gathers: fields.iter().any(|field| field.gathers),
        fields,
        spreads: spreads.into(),
        aims: [].into(),
        routes: routes.choices,
        keys,
        states: routes.states,
        takes_key: routes.takes_key,
        stars: routes.stars,
        paths: routes.paths,
        only_rows: shape.takes_rows && sort == Sort::Struct && !form.has_elements(),
        tells_fields: sort == Sort::Model,
        notes_fields: sort == Sort::Model || joined.tells_fields,
        // The fields of a part have no position.
        takes_rows: parts.is_empty() && (shape.takes_rows || matches!(shape.build, Build::Tuple)),
        own,
        parts,
        build: shape.build,
        why_called: shape.why_called.map(Into::into),
        forbids_unknown,
        rest,
    })
}

/// The field that takes all keys that the class does not name.
fn rest(subject: &Subject<'_, '_>, shape: &Shape<'_>, sort: Sort) -> PyResult<Option<u32>> {
    let mut rests = (0..).zip(&shape.fields).filter(|(_, field)| field.is_rest);
    let Some((rest, field)) = rests.next() else { return Ok(shape.rest) };
    let place = |field: &Declared<'_>, reason: &str| -> PyResult<PyErr> {
        Ok(subject.place(field.name.to_str()?).error(subject.compiler.py, reason))
    };
    if let Some((_, more)) = rests.next() {
        return Err(place(more, "another field is marked with rest as well")?);
    }
    if sort == Sort::Model {
        return Err(place(field, "rest is not for classes of pydantic: use extra='allow'")?);
    }
    if shape.takes_rows || matches!(shape.build, Build::Tuple) {
        return Err(place(field, "rest is not for classes that are made of arrays as well")?);
    }
    Ok(Some(rest))
}

/// Finds the key field of the items, for fields whose items become a dict.
pub(in crate::plan) fn settle_keys(
    py: Python<'_>,
    nodes: &[Node],
    plans: &mut [ClassPlan],
) -> PyResult<()> {
    for plan in 0..plans.len() {
        for (index, key) in std::mem::take(&mut plans[plan].keys) {
            let field = &plans[plan].fields[index];
            let place = field.name.bind(py).to_string();
            let class = plans[plan].name.to_string();
            let error = |reason: std::fmt::Arguments<'_>| {
                Place { field: Some((&place, &class)) }.error(py, reason)
            };
            // Any other type was refused at the declaration of the field.
            let Kind::Dict(of, item) = nodes[field.node as usize].kind else { continue };
            if !field.gathers {
                let reason =
                    format_args!("at(key='{key}') takes a path of several values: end it in '/*'");
                return Err(error(reason));
            }
            let items = match nodes[item as usize].kind {
                Kind::Class(items) if !nodes[item as usize].nullable => &plans[items as usize],
                _ => {
                    let item = &nodes[item as usize].written;
                    return Err(error(format_args!("at(key='{key}') takes objects, not {item}")));
                }
            };
            let mut known = (0..).zip(items.own());
            let found = known.find(|(_, field)| field.name.bind(py).to_string() == key);
            let Some((found, of_item)) = found else {
                let names: Vec<String> =
                    items.own().iter().map(|field| field.name.bind(py).to_string()).collect();
                let near = nearest(&key, names.iter().map(String::as_str));
                let near =
                    near.map_or_else(String::new, |near| format!("; did you mean '{near}'?"));
                let class = &items.name;
                let reason = format_args!("at(key='{key}'): {class} has no such field{near}");
                return Err(error(reason));
            };
            if matches!(items.build, Build::Dict(_)) && matches!(of_item.absent, Absent::Unset) {
                let reason = format_args!("at(key='{key}'): {} may lack it", items.name);
                return Err(error(reason));
            }
            let (of, is) = (&nodes[of as usize].written, &nodes[of_item.node as usize].written);
            if of != is {
                let reason = format_args!("at(key='{key}'): the keys are {of}, and {key} is {is}");
                return Err(error(reason));
            }
            plans[plan].fields[index].keyed = Some(found);
        }
    }
    Ok(())
}
