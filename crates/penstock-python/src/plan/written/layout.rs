//! How the objects of a class are written: its plan, read backwards.
//!
//! Fields whose paths begin with the same keys share the objects that these keys lead to.

use super::inline::Inline;
use super::simple::Simple;
use super::tree;
use crate::edge::modules;
use crate::plan::{
    Absent, Build, ClassId, ClassPlan, Kind, NodeId, Part, Plan, Stars, TagRule, Target, element,
};
use crate::plan::{has_serializer, is_pydantic_there, is_unset, makes_none, names_by_alias};
use penstock_core::json::lend::Key;
use penstock_core::shape::Form;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The layouts of a plan's classes, or why objects of a class cannot be written.
pub(crate) struct Layouts(Box<[Result<Layout, String>]>);

/// How the objects of a class are written.
pub(crate) struct Layout {
    pub(crate) steps: Box<[Step]>,
    /// The same for formats of elements.
    pub(crate) elements: Box<[tree::Step]>,
    /// Whether an object is an array of its fields' values, without keys.
    pub(crate) rows: bool,
    /// Whether it is never an object with keys.
    pub(crate) only_rows: bool,
    /// In rows: the parts that a reader does not make if all their columns are empty.
    pub(crate) parts: Box<[PartColumns]>,
    /// A number that no other layout has, and not 0.
    pub(crate) number: u64,
    /// Where objects keep the values of attributes.
    pub(crate) inline: Inline,
}

impl Layout {
    /// Whether an object has a member with this key.
    pub(crate) fn writes(&self, key: &str) -> bool {
        self.steps.iter().any(|step| match step {
            Step::Field(field) => &*field.key.name == key,
            Step::Open(name) => &*name.name == key,
            _ => false,
        })
    }
}

/// One step of writing an object.
pub(crate) enum Step {
    /// The value of a field.
    Field(Field),
    /// An object on the path to fields begins.
    Open(Name),
    /// It ends.
    Close,
    /// The members of a dict, which the class does not name.
    Rest(Get),
    /// The items of a collection, in columns of their own.
    Columns(Columns),
}

/// A collection whose items are in columns of their own.
pub(crate) struct Columns {
    pub(crate) get: Get,
    /// The type of the collection, and that of its items.
    pub(crate) node: NodeId,
    pub(crate) item: NodeId,
    pub(crate) pattern: Stars,
    /// The attribute, for paths in errors.
    pub(crate) shown: Box<str>,
}

/// The columns of a part of an object.
pub(crate) struct PartColumns {
    /// Where the object keeps the part.
    pub(crate) part: Get,
    /// Where it keeps the values of the part.
    pub(crate) values: Box<[Get]>,
    /// The attribute.
    pub(crate) shown: Box<str>,
}

/// A key in memory and in JSON text.
pub(crate) struct Name {
    pub(crate) name: Box<str>,
    /// As JSON text has it with its colon; empty if it needs an escape.
    pub(crate) lent: Key,
}

/// A field that is written.
pub(crate) struct Field {
    pub(crate) key: Name,
    pub(crate) node: NodeId,
    pub(crate) get: Get,
    /// What of its values is written without a frame.
    pub(crate) simple: Simple,
    /// The attribute, for paths in errors.
    pub(crate) shown: Box<str>,
    /// Its number among the fields of the class.
    pub(crate) index: u32,
    /// Whether it is never left out: it shows that the part with it is there, or it tells the class.
    pub(crate) shows: bool,
}

/// Where an object keeps a value.
pub(crate) enum Get {
    /// In the slot at this offset. The object is of exactly the plan's class.
    Slot(usize),
    /// In an attribute.
    Attribute(Py<PyString>),
    /// In an item of a tuple.
    Item(usize),
    /// Under a key of a dict; it may be absent.
    Key(Py<PyString>),
    /// Nowhere: each object of the class has this one.
    Fixed(Py<PyAny>),
    /// In an object that the object keeps, whose members stand among its own.
    Within(Box<Within>),
    /// In another place, unless this object is there, which says that there is none.
    Unless(Py<PyAny>, Box<Get>),
}

/// Where a part of an object keeps a value.
pub(crate) struct Within {
    /// Where the object keeps the part.
    pub(crate) part: Get,
    /// The address of the part's class, which the plan keeps. An object of a derived class may keep
    /// its values elsewhere.
    pub(crate) class: usize,
    /// The name of the class.
    pub(crate) name: Box<str>,
    /// Whether any dict is one.
    pub(crate) is_dict: bool,
    /// What becomes of None.
    pub(crate) none: NoPart,
    /// Where the part keeps the value.
    pub(crate) get: Get,
}

/// What becomes of None in the place of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoPart {
    /// Nothing is written.
    Absent,
    /// It is refused: the class makes something else of nothing, or requires the part.
    Default,
    /// It is refused: the part must be there.
    Misfit,
}

impl Layouts {
    /// The layouts of all classes of a plan.
    pub(crate) fn of(py: Python<'_>, plan: &Plan) -> PyResult<Self> {
        let tags = tags(plan);
        let known = KnownNames::default();
        let classes = plan.classes.iter().zip(0..);
        let layouts = classes.map(|(class, id)| {
            let tags = tags.iter().filter(|(class, _)| *class == id);
            layout(py, plan, class, &known, tags.map(|(_, field)| *field).collect())
        });
        Ok(Layouts(layouts.collect::<PyResult<_>>()?))
    }

    pub(crate) fn class(&self, class: u32) -> Result<&Layout, &str> {
        self.0[class as usize].as_ref().map_err(String::as_str)
    }
}

/// The number of the next layout.
fn number() -> u64 {
    static LAST: AtomicU64 = AtomicU64::new(0);
    LAST.fetch_add(1, Ordering::Relaxed) + 1
}

/// The fields by which readers tell the classes of unions apart, each with its class.
fn tags(plan: &Plan) -> Vec<(ClassId, u32)> {
    let mut tags = Vec::new();
    for node in &plan.nodes {
        let Kind::Tagged(tagged) = &node.kind else { continue };
        for member in tagged.every() {
            let Kind::Class(id) = plan.nodes[member as usize].kind else { continue };
            let state = &plan.classes[id as usize].states[0];
            if let TagRule::Value { tag, namespace, .. } = &tagged.by {
                let edges = state.attributes.edges.iter();
                let found =
                    edges.filter(|edge| edge.name == *tag && edge.namespace() == *namespace);
                tags.extend(found.filter_map(|edge| match edge.to {
                    Target::Field(aim) => {
                        Some((id, plan.classes[id as usize].aims[aim as usize].field))
                    }
                    Target::State(_) => None,
                }));
            }
            for edge in &state.keys {
                let tells = match &tagged.by {
                    TagRule::Value { tag, .. } => edge.name == *tag,
                    TagRule::Keys { table, classes } => {
                        let found = table.find(edge.name.as_bytes());
                        found.is_some_and(|found| classes[found as usize] == member)
                    }
                    TagRule::First { .. } | TagRule::Unsettled => false,
                };
                if let Target::Field(field) = edge.to
                    && tells
                {
                    tags.push((id, field));
                }
            }
        }
    }
    tags
}

fn layout<'py>(
    py: Python<'py>,
    plan: &Plan,
    class: &ClassPlan,
    known: &KnownNames<'py>,
    tags: Vec<u32>,
) -> PyResult<Result<Layout, String>> {
    let names = known_attributes(py, class, known)?;
    if let Some(reason) = unwritable(py, plan, class)? {
        return Ok(Err(reason));
    }
    if !class.takes_key.is_empty() {
        return Ok(Err("at(\"key()\") has no place in an object that is written".to_owned()));
    }
    let seen = left_out(py, class, &names)?;
    let mut making = Making { py, plan, class, names, known, steps: Vec::new(), seen, tags };
    if plan.form.has_elements() {
        let elements = match tree::steps(&making)? {
            Ok(elements) => elements,
            Err(reason) => return Ok(Err(reason)),
        };
        return Ok(Ok(Layout {
            steps: [].into(),
            elements,
            rows: false,
            only_rows: false,
            parts: [].into(),
            number: number(),
            inline: Inline::default(),
        }));
    }
    let has_places = making.has_plain_keys() && class.spreads.is_empty();
    if class.only_rows || (class.takes_rows && has_places) {
        for index in 0..class.fields.len() {
            // It is also written with its keys, where nothing else tells it from another class.
            let mut keys = class.states[0].keys.iter();
            let key =
                keys.find(|edge| matches!(edge.to, Target::Field(to) if to as usize == index));
            let key = key.map(|edge| edge.name.to_string()).unwrap_or_default();
            let mut field = making.field(index as u32, key)?;
            // In an array each value has its place, so none is left out.
            if let Get::Unless(_, get) = field.get {
                field.get = *get;
            }
            making.steps.push(Step::Field(field));
        }
        let steps = making.steps.into();
        return Ok(Ok(Layout {
            steps,
            elements: [].into(),
            rows: true,
            only_rows: class.only_rows,
            parts: [].into(),
            number: number(),
            inline: Inline::default(),
        }));
    }
    if let Err(reason) = making.state(0)? {
        return Ok(Err(reason));
    }
    if plan.form == Form::ROWS && !class.parts.is_empty() {
        making.steps.sort_by_cached_key(|step| match step {
            Step::Field(field) => rank(plan, class, field.index),
            _ => Vec::new(),
        });
    }
    for spread in &class.spreads {
        let index = spread.field;
        let node = class.fields[index as usize].node;
        let Some(item) = element(&plan.nodes, node) else { continue };
        let get = making.get(index)?;
        let shown = making.names[index as usize].to_string().into();
        let columns = Columns { get, node, item, pattern: spread.pattern.clone(), shown };
        let here = rank(plan, class, index);
        let is_later = |step: &Step| matches!(step, Step::Field(field) if rank(plan, class, field.index) > here);
        let place = making.steps.iter().position(is_later).unwrap_or(making.steps.len());
        making.steps.insert(place, Step::Columns(columns));
    }
    if let Some(rest) = class.rest {
        let get = making.get(rest);
        making.steps.push(Step::Rest(get?));
    }
    let parts = if plan.form == Form::ROWS { making.parts()? } else { Vec::new() };
    let Making { steps, .. } = making;
    Ok(Ok(Layout {
        steps: steps.into(),
        elements: [].into(),
        rows: false,
        only_rows: false,
        parts: parts.into(),
        number: number(),
        inline: Inline::default(),
    }))
}

/// Where a field stands among the others of a class, if the fields of a part stand where the part
/// does.
fn rank(plan: &Plan, class: &ClassPlan, index: u32) -> Vec<u32> {
    let (mut class, mut index) = (class, index);
    let mut places = Vec::new();
    while let Some(part) = class.part_of(index) {
        places.push(part.field);
        index -= part.first as u32;
        class = &plan.classes[part.class as usize];
    }
    places.push(index);
    places
}

/// Why objects of a class, or of its parts, cannot be written, whatever their keys are.
fn unwritable(py: Python<'_>, plan: &Plan, class: &ClassPlan) -> PyResult<Option<String>> {
    if let Some(reason) = own_serializers(py, class)? {
        return Ok(Some(reason));
    }
    if let Some(field) = init_only(py, class)? {
        return Ok(Some(format!("field '{field}' is an InitVar, whose value no object keeps")));
    }
    for part in &class.parts {
        let (field, inner) =
            (&class.fields[part.field as usize], &plan.classes[part.class as usize]);
        let node = &plan.nodes[field.node as usize];
        if node.after.as_ref().is_some_and(|after| after.changes()) {
            return Ok(Some(format!("field '{}' is converted from {}", field.name, inner.name)));
        }
        let has_required = inner.own().iter().any(|field| matches!(field.absent, Absent::Error));
        if is_optional(class, part) && matches!(inner.build, Build::Dict(_)) && !has_required {
            return Ok(Some(format!(
                "field '{}' may be absent, and nothing tells that from an empty {}",
                field.name, inner.name
            )));
        }
        if let Some(reason) = unwritable(py, plan, inner)? {
            return Ok(Some(reason));
        }
    }
    Ok(None)
}

/// Whether objects of a class may lack a part.
pub(crate) fn is_optional(class: &ClassPlan, part: &Part) -> bool {
    !matches!(class.fields[part.field as usize].absent, Absent::Error)
}

pub(crate) struct Making<'a, 'py> {
    pub(crate) py: Python<'py>,
    pub(crate) plan: &'a Plan,
    pub(crate) class: &'a ClassPlan,
    /// For each field, the attribute that holds its value.
    pub(crate) names: Names<'py>,
    known: &'a KnownNames<'py>,
    steps: Vec<Step>,
    /// The fields that have a step, or none at all. A field with several keys is written under the
    /// first.
    pub(crate) seen: Vec<bool>,
    /// The fields that tell the class from others.
    pub(crate) tags: Vec<u32>,
}

impl Making<'_, '_> {
    /// Whether each field stands under one key of the object itself.
    fn has_plain_keys(&self) -> bool {
        let state = &self.class.states[0];
        state.other.is_none()
            && state.indexes.is_empty()
            && state.keys.iter().all(|edge| matches!(edge.to, Target::Field(_)))
    }

    /// The steps of an object on the path to fields.
    fn state(&mut self, state: usize) -> PyResult<Result<(), String>> {
        // As deep as the longest path of the class.
        let class = self.class;
        let state = &class.states[state];
        // In a row, an index is the name of a column as well.
        let has_indexes = !state.indexes.is_empty() && self.plan.form != Form::ROWS;
        if has_indexes || state.other.is_some() || !state.takes_key.is_empty() {
            return Ok(Err("a path with an index or a '*' in the middle cannot be written: give \
                           the field a class of its own"
                .to_owned()));
        }
        for edge in &state.keys {
            let to = match edge.to {
                Target::Field(field) => Target::Field(field),
                Target::State(next) => {
                    let inner = &class.states[next as usize];
                    match (inner.other, inner.keys.is_empty(), inner.indexes.is_empty()) {
                        // All items of a list go to one field, which gathers them.
                        (Some(Target::Field(field)), true, true) if inner.takes_key.is_empty() => {
                            Target::Field(field)
                        }
                        _ => Target::State(next),
                    }
                }
            };
            match to {
                Target::Field(aim) => {
                    let Some(field) = self.class.fields.get(aim as usize) else {
                        return Ok(Err(format!(
                            "the key '{}' leads to one of several types, which cannot be written",
                            edge.name
                        )));
                    };
                    if field.keyed.is_some() {
                        return Ok(Err(format!(
                            "field '{}' is a dict by a key of its items, which cannot be written",
                            field.name
                        )));
                    }
                    if !std::mem::replace(&mut self.seen[aim as usize], true) {
                        let field = self.field(aim, edge.name.to_string())?;
                        self.steps.push(Step::Field(field));
                    }
                }
                Target::State(next) => {
                    self.steps.push(Step::Open(name(&edge.name)));
                    if let Err(reason) = self.state(next as usize)? {
                        return Ok(Err(reason));
                    }
                    self.steps.push(Step::Close);
                }
            }
        }
        Ok(Ok(()))
    }

    fn field(&self, index: u32, key: String) -> PyResult<Field> {
        let field = &self.class.fields[index as usize];
        let part = self.class.part_of(index);
        Ok(Field {
            key: name(&key),
            node: field.node,
            get: self.get(index)?,
            simple: Simple::of(&self.plan.nodes, &self.plan.nodes[field.node as usize]),
            shown: self.names[index as usize].to_string().into(),
            index,
            shows: self.tags.contains(&index)
                || part.is_some_and(|part| is_optional(self.class, part)),
        })
    }

    /// The parts that are optional, each with its columns.
    fn parts(&self) -> PyResult<Vec<PartColumns>> {
        let mut parts = Vec::new();
        for part in &self.class.parts {
            let nullable = {
                let field = &self.class.fields[part.field as usize];
                self.plan.nodes[field.node as usize].nullable
            };
            if !is_optional(self.class, part) && !nullable {
                continue;
            }
            let inner = &self.plan.classes[part.class as usize];
            let mut values = Vec::new();
            for index in 0..inner.fields.len() {
                // The field of a part of the part has no column.
                let mut open = inner;
                let mut at = index as u32;
                while let Some(part) = open.part_of(at) {
                    at -= part.first as u32;
                    open = &self.plan.classes[part.class as usize];
                }
                if !open.parts.iter().any(|part| part.field == at) {
                    values.push(self.get((part.first + index) as u32)?);
                }
            }
            let shown = self.names[part.field as usize].to_string().into();
            parts.push(PartColumns { part: self.get(part.field)?, values: values.into(), shown });
        }
        Ok(parts)
    }

    /// Where an object keeps a value of its part.
    fn within(&self, part: &Part, index: u32) -> PyResult<Get> {
        let class = &self.plan.classes[part.class as usize];
        let names = known_attributes(self.py, class, self.known)?;
        let (steps, seen, tags) = (Vec::new(), Vec::new(), Vec::new());
        let inner = Making { class, names, steps, seen, tags, ..*self };
        let field = &self.class.fields[part.field as usize];
        let none = match &field.absent {
            Absent::Error => NoPart::Misfit,
            Absent::Value(default) if !default.is_none(self.py) => NoPart::Default,
            Absent::Factory(_) => NoPart::Default,
            Absent::Value(_) => NoPart::Absent,
            // A key that a dict need not have is not there.
            Absent::Unset if matches!(self.class.build, Build::Dict(_)) => NoPart::Default,
            Absent::Unset => {
                let class = self.class.class.bind(self.py);
                let attribute = &self.names[part.field as usize];
                match makes_none(class, attribute, field.name.bind(self.py))? {
                    true => NoPart::Absent,
                    false => NoPart::Default,
                }
            }
        };
        Ok(Get::Within(Box::new(Within {
            part: self.get(part.field)?,
            class: class.class.as_ptr() as usize,
            name: class.name.clone(),
            is_dict: matches!(class.build, Build::Dict(_)),
            none,
            get: inner.get(index - part.first as u32)?,
        })))
    }

    pub(crate) fn get(&self, index: u32) -> PyResult<Get> {
        let get = self.place(index)?;
        Ok(match &self.class.fields[index as usize].absent {
            Absent::Value(default) if is_unset(default.bind(self.py)) => {
                Get::Unless(default.clone_ref(self.py), Box::new(get))
            }
            _ => get,
        })
    }

    fn place(&self, index: u32) -> PyResult<Get> {
        if let Some(part) = self.class.part_of(index) {
            return self.within(part, index);
        }
        let place = index as usize;
        let attribute = || Get::Attribute(self.names[place].clone().unbind());
        Ok(match &self.class.build {
            Build::Slots { offsets, .. } => {
                offsets.get(place).map_or_else(attribute, |&at| Get::Slot(at))
            }
            Build::Struct { first, .. } | Build::Call { first, .. } if place < *first => {
                self.fixed(index)?
            }
            Build::Struct { first, offsets, .. } => {
                offsets.get(place - first).map_or_else(attribute, |&at| Get::Slot(at))
            }
            Build::Tuple => Get::Item(place),
            Build::Dict(_) => Get::Key(self.names[place].clone().unbind()),
            Build::Attributes { .. } | Build::Fill | Build::Call { .. } | Build::Validate(_) => {
                attribute()
            }
        })
    }

    /// The one value of a tag that is no attribute.
    fn fixed(&self, index: u32) -> PyResult<Get> {
        let node = &self.plan.nodes[self.class.fields[index as usize].node as usize];
        if let Kind::Choice(choice) = &node.kind {
            if let Some(text) = choice.text_objects.first() {
                return Ok(Get::Fixed(text.clone_ref(self.py)));
            }
            if let Some((_, int)) = choice.ints.first() {
                return Ok(Get::Fixed(int.clone_ref(self.py)));
            }
        }
        Ok(Get::Fixed(self.py.None()))
    }
}

fn name(name: &str) -> Name {
    Name { name: name.into(), lent: Key::new(name) }
}

/// The attributes of the fields of a class.
type Names<'py> = Rc<Vec<Bound<'py, PyString>>>;
/// Those that were found, by the addresses of the classes' plans. A class with parts asks for them once
/// for each field of these.
type KnownNames<'py> = RefCell<HashMap<usize, Names<'py>>>;

fn known_attributes<'py>(
    py: Python<'py>,
    class: &ClassPlan,
    known: &KnownNames<'py>,
) -> PyResult<Names<'py>> {
    let place = (&raw const *class).addr();
    if let Some(names) = known.borrow().get(&place) {
        return Ok(Rc::clone(names));
    }
    let names = Rc::new(attributes(py, class)?);
    known.borrow_mut().insert(place, Rc::clone(&names));
    Ok(names)
}

/// The attribute of each field. attrs and pydantic take some under another name than they keep
/// them.
pub(in crate::plan) fn attributes<'py>(
    py: Python<'py>,
    class: &ClassPlan,
) -> PyResult<Vec<Bound<'py, PyString>>> {
    let object = class.class.bind(py);
    let names = PyDict::new(py);
    if let Some(attributes) = object.getattr_opt(intern!(py, "__attrs_attrs__"))? {
        for attribute in attributes.cast_into::<PyTuple>()? {
            let name = attribute.getattr(intern!(py, "name"))?.cast_into::<PyString>()?;
            let alias = attribute.getattr_opt(intern!(py, "alias"))?;
            let alias = match alias.and_then(|alias| alias.cast_into::<PyString>().ok()) {
                Some(alias) => alias,
                None => PyString::new(py, name.to_str()?.trim_start_matches('_')),
            };
            names.set_item(alias, name)?;
        }
    }
    let is_of_pydantic = object.hasattr(intern!(py, "__pydantic_fields__"))?;
    if is_of_pydantic {
        for (alias, name) in names_by_alias(object)? {
            names.set_item(alias, name)?;
        }
    }
    let attribute = |field: &crate::plan::Field| {
        let taken = field.name.bind(py);
        Ok(match names.get_item(taken)? {
            Some(name) => PyString::intern(py, name.cast::<PyString>()?.to_str()?),
            None => taken.clone(),
        })
    };
    let mut attributes = class.fields.iter().map(attribute).collect::<PyResult<Vec<_>>>()?;
    if let Some(rest) = class.rest.filter(|_| is_of_pydantic) {
        attributes[rest as usize] = intern!(py, "__pydantic_extra__").clone();
    }
    Ok(attributes)
}

/// The fields that have no step: those that pydantic excludes, and those that are there for
/// another name of an attribute.
fn left_out(
    py: Python<'_>,
    class: &ClassPlan,
    attributes: &[Bound<'_, PyString>],
) -> PyResult<Vec<bool>> {
    let mut left = vec![false; attributes.len()];
    let object = class.class.bind(py);
    let Some(fields) = object.getattr_opt(intern!(py, "__pydantic_fields__"))? else {
        return Ok(left);
    };
    let fields = fields.cast_into::<PyDict>()?;
    let before = PyDict::new(py);
    for (place, name) in attributes.iter().enumerate() {
        let excluded = match fields.get_item(name)? {
            Some(info) => info.getattr(intern!(py, "exclude"))?.is_truthy()?,
            None => false,
        };
        left[place] = excluded || before.contains(name)?;
        before.set_item(name, name)?;
    }
    Ok(left)
}

/// A parameter of a dataclass that is no attribute.
fn init_only(py: Python<'_>, class: &ClassPlan) -> PyResult<Option<String>> {
    let object = class.class.bind(py);
    let Some(fields) = object.getattr_opt(intern!(py, "__dataclass_fields__"))? else {
        return Ok(None);
    };
    let marker = py.import(intern!(py, "dataclasses"))?.getattr(intern!(py, "_FIELD_INITVAR"))?;
    for field in fields.cast_into::<PyDict>()?.values() {
        if field.getattr(intern!(py, "_field_type"))?.is(&marker) {
            return Ok(Some(field.getattr(intern!(py, "name"))?.to_string()));
        }
    }
    Ok(None)
}

/// Why a class cannot be written by its fields, if pydantic writes it in another way.
fn own_serializers(py: Python<'_>, class: &ClassPlan) -> PyResult<Option<String>> {
    let object = class.class.bind(py);
    let reason = |what: &str| format!("{} has {what}: write its model_dump()", class.name);
    if let Some(own) = object.getattr_opt(intern!(py, "__pydantic_decorators__"))? {
        for word in [intern!(py, "field_serializers"), intern!(py, "model_serializers")] {
            let found = own.getattr_opt(word)?;
            if found.is_some_and(|found| found.len().is_ok_and(|count| count > 0)) {
                return Ok(Some(reason("serializers of its own")));
            }
        }
    }
    if let Some(fields) = object.getattr_opt(intern!(py, "__pydantic_fields__"))? {
        for info in fields.cast_into::<PyDict>()?.values() {
            if has_serializer(&info)? {
                return Ok(Some(reason("serializers of its own")));
            }
        }
    }
    // Nobody has such functions without pydantic.
    if is_pydantic_there(py) {
        let own = py.import(intern!(py, modules::SERIALIZERS))?.getattr(intern!(py, "own"))?;
        let found: Option<String> = own.call1((object,))?.extract()?;
        return Ok(found.map(|found| reason(&found)));
    }
    Ok(None)
}
