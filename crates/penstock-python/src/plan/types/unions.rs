//! Unions of classes: finds what distinguishes them.
//!
//! In this order: the caller's `tag(...)`; a key that has different values in each class, by a
//! `Literal`, an `Enum` or a tag of its own; and in formats of keys and values the keys that an
//! object of one class must have and that no other class knows.

use penstock_core::keys::KeyTable;
use penstock_core::select::{NamespaceTest, Path, Test};
use penstock_core::shape::{Form, Shape};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple, PyType};

use super::choice;
use super::compiler::Place;
use super::conversions;
use super::known;
use super::walk::node;
use super::wrappers::is_instance;
use crate::plan::keys::markup::bind;
use crate::plan::kinds::left;
use crate::plan::make::post_steps::PostSteps;
use crate::plan::{
    Absent, ClassPlan, EarlyField, EarlyTag, Kind, Node, NodeId, TagRule, TagValue, Tagged, Target,
    plan_error,
};

/// A union that was met.
pub(in crate::plan) struct Union<'py> {
    /// Its own node.
    pub(in crate::plan) node: NodeId,
    /// The nodes of its classes.
    pub(in crate::plan) classes: Vec<NodeId>,
    /// The member that is no class, and takes the objects that no class takes.
    pub(in crate::plan) other: Option<NodeId>,
    /// The field and the class in whose annotation it stands.
    pub(in crate::plan) field: Option<(String, String)>,
    /// The caller's `tag(...)`, or the key alone.
    pub(in crate::plan) tag: Option<Bound<'py, PyAny>>,
    /// Whether pydantic decides if nothing distinguishes the classes.
    pub(in crate::plan) is_left: bool,
    /// What has no effect if pydantic decides.
    pub(in crate::plan) without_effect: Option<String>,
}

impl Union<'_> {
    fn place(&self) -> Place<'_> {
        Place { field: self.field.as_ref().map(|(field, class)| (&**field, &**class)) }
    }
}

impl Tagged {
    /// A placeholder for a union until its classes are planned.
    pub(in crate::plan) fn unsettled() -> Self {
        Tagged { by: TagRule::Unsettled, expected: "".into(), other: None }
    }
}

/// A key, its values, and for each value the place of its class in the union.
struct Tag {
    key: String,
    /// The namespace of an attribute.
    namespace: NamespaceTest,
    values: Vec<(TagValue, usize)>,
    /// The place of the class that takes every other object.
    other: Option<usize>,
}

/// Finds what distinguishes the classes of each union, now that they are planned.
pub(in crate::plan) fn settle<'py>(
    py: Python<'py>,
    unions: Vec<Union<'py>>,
    nodes: &mut Vec<Node>,
    classes: &[ClassPlan],
    form: Form,
    prefixes: Option<&[(String, String)]>,
) -> PyResult<()> {
    for union in unions {
        let mut members = Vec::with_capacity(union.classes.len());
        for node in &union.classes {
            if let Kind::Class(class) = nodes[*node as usize].kind {
                members.push(&classes[class as usize]);
            }
        }
        if members.iter().all(|class| class.only_rows) {
            if union.tag.as_ref().is_some_and(|word| is_instance(word, &known::TAG)) {
                let reason = "tag(...) is only for objects: arrays are told apart by their first \
                              item, the tag of the Struct";
                return Err(union.place().error(py, reason));
            }
            let Some(tagged) = by_first(py, &union, &members, nodes)? else {
                let reason = format!(
                    "nothing tells the classes of {} apart: give each a tag of its own",
                    nodes[union.node as usize].written
                );
                return Err(union.place().error(py, reason));
            };
            nodes[union.node as usize].kind = Kind::Tagged(Box::new(tagged));
            continue;
        }
        let tag = match &union.tag {
            Some(word) => Some(said(py, word, &union, &members, nodes, form, prefixes)?),
            None => found(py, nodes, &members, form)?,
        };
        let tagged = match tag {
            Some(tag) => Some(by_value(py, &tag, &union, nodes, classes)),
            None if form.shape == Shape::Members => by_keys(&members, &union),
            None => None,
        };
        if tagged.is_none() && union.is_left {
            if let Some(what) = &union.without_effect {
                return Err(union.place().error(py, left::reason(what)));
            }
            let node = &mut nodes[union.node as usize];
            node.kind = Kind::Any;
            if let Some(adapter) = known::PYDANTIC_ADAPTER.get(py) {
                // What pydantic makes of an object's plain value must be of its class.
                let classes = PyTuple::new(py, members.iter().map(|member| &member.class))?;
                let union = py.import(intern!(py, "typing"))?.getattr(intern!(py, "Union"))?;
                let adapter = adapter.call1((union.get_item(classes)?,))?;
                let format = if form.is_lexical() { "xml" } else { "json" };
                let format = py.import(intern!(py, "penstock"))?.getattr(format)?;
                let how = (adapter, py.get_type::<PyAny>(), format);
                let back = conversions::applied(py, "of_class", how)?;
                PostSteps::add(node, []).backs.push(Some(back.unbind()));
            }
            continue;
        }
        let Some(tagged) = tagged else {
            let written = &nodes[union.node as usize].written;
            return Err(union.place().error(py, nothing_tells(written, form)));
        };
        nodes[union.node as usize].kind = Kind::Tagged(Box::new(tagged));
    }
    Ok(())
}

#[cold]
fn nothing_tells(written: &str, form: Form) -> String {
    if form.has_elements() {
        return format!(
            "no attribute tells the classes of {written} apart: give each of them a field of a \
             Literal type for the same attribute, or choose by the element's name with \
             at({{\"name\": Class, ...}})"
        );
    }
    format!(
        "nothing tells the classes of {written} apart: name a key that does with tag(\"key\"), or \
         give each of them a field of a Literal type for the same key"
    )
}

/// The union as a rule by the value of a key.
fn by_value(
    py: Python<'_>,
    tag: &Tag,
    union: &Union<'_>,
    nodes: &[Node],
    plans: &[ClassPlan],
) -> Tagged {
    let members = &union.classes;
    let other = tag.other.map(|place| members[place]).or(union.other);
    let (mut texts, mut classes, mut ints) = (Vec::new(), Vec::new(), Vec::new());
    let mut early = Vec::new();
    let mut shown: Vec<String> = Vec::new();
    for (value, class) in &tag.values {
        match value {
            TagValue::Text(text) => {
                texts.push(text.as_bytes());
                classes.push(members[*class]);
                early.push(early_tag(py, &tag.key, text, members[*class], nodes, plans));
                shown.push(format!("{text:?}"));
            }
            TagValue::Int(value) => {
                ints.push((*value, members[*class]));
                shown.push(value.to_string());
            }
        }
    }
    let table = KeyTable::new(&texts);
    let texts = tag.values.iter().filter_map(|(value, _)| match value {
        TagValue::Text(text) => Some(text.as_str().into()),
        TagValue::Int(_) => None,
    });
    let texts = texts.collect();
    let namespace = tag.namespace.clone();
    let tag = tag.key.as_str().into();
    let by = TagRule::Value { tag, namespace, table, texts, classes, ints, early };
    Tagged { by, expected: alternatives(&shown).into(), other }
}

/// The union of classes that are arrays as a rule by their first item, if that is different for
/// each.
fn by_first(
    py: Python<'_>,
    union: &Union<'_>,
    members: &[&ClassPlan],
    nodes: &mut Vec<Node>,
) -> PyResult<Option<Tagged>> {
    let mut choices = Vec::with_capacity(members.len());
    for class in members {
        let Some(first) = class.fields.first().map(|field| &nodes[field.node as usize]) else {
            return Ok(None);
        };
        let Kind::Choice(choice) = &first.kind else { return Ok(None) };
        let has_others = choice.bools.iter().any(Option::is_some) || choice.null.is_some();
        let open = choice.enum_class.is_some() || first.nullable || first.after.is_some();
        if has_others || open {
            return Ok(None);
        }
        choices.push(choice);
    }
    let mut classes = Vec::new();
    for (choice, node) in choices.iter().zip(&union.classes) {
        let ints = choice.ints.iter().map(|(_, object)| object);
        let objects = choice.text_objects.iter().chain(ints);
        classes.extend(objects.map(|object| (object.clone_ref(py), *node)));
    }
    let joined = choice::joined(py, choices.into_iter().map(|choice| &**choice))?;
    let Some(choice) = joined else { return Ok(None) };
    let expected = choice.expected.clone();
    let item = nodes.len() as NodeId;
    nodes.push(node(Kind::Choice(Box::new(choice)), false, expected.to_string()));
    Ok(Some(Tagged { by: TagRule::First { item, classes }, expected, other: None }))
}

/// The member that gives the class of an object, with its value: if it is for a choice field
/// without further steps, or for no field.
fn early_tag(
    py: Python<'_>,
    tag: &str,
    text: &str,
    member: NodeId,
    nodes: &[Node],
    plans: &[ClassPlan],
) -> Option<EarlyTag> {
    let Kind::Class(class) = nodes[member as usize].kind else { return None };
    let plan = &plans[class as usize];
    let state = &plan.states[0];
    // The key by which the object was found must be given to it before any other value.
    if !plan.takes_key.is_empty() {
        return None;
    }
    let Some(key) = state.keys.iter().position(|edge| &*edge.name == tag) else {
        let is_taken = plan.rest.is_some() || state.other.is_some();
        return (!is_taken).then_some(EarlyTag { class, field: None });
    };
    let Target::Field(field) = state.keys[key].to else { return None };
    let node = &nodes[plan.fields.get(field as usize)?.node as usize];
    let Kind::Choice(choice) = &node.kind else { return None };
    if plan.fields[field as usize].gathers || node.after.is_some() {
        return None;
    }
    let value = choice.text_objects[choice.texts.find(text.as_bytes())? as usize].clone_ref(py);
    let key = u32::try_from(key).ok()?;
    Some(EarlyTag { class, field: Some(EarlyField { key, field, value }) })
}

/// `"a", "b" or "c"`
fn alternatives(shown: &[String]) -> String {
    match shown.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
        None => String::new(),
    }
}

/// The caller's rule: a key whose values are the names of the classes, or a `tag(...)`.
fn said<'py>(
    py: Python<'py>,
    word: &Bound<'py, PyAny>,
    union: &Union<'py>,
    members: &[&ClassPlan],
    nodes: &[Node],
    form: Form,
    prefixes: Option<&[(String, String)]>,
) -> PyResult<Tag> {
    let (key, values, other) = if is_instance(word, &known::TAG) {
        let part = |name| word.getattr(name).map(|part| (!part.is_none()).then_some(part));
        let (values, other) = (part(intern!(py, "values"))?, part(intern!(py, "other"))?);
        (word.getattr(intern!(py, "key"))?, values, other)
    } else {
        (word.clone(), None, None)
    };
    let key: String = match key.cast::<PyString>() {
        Ok(key) => key.to_str()?.to_owned(),
        Err(_) => return Err(plan_error(py, "tag= takes a key as a str, or a tag(...)")),
    };
    let of = |class: &Bound<'py, PyAny>, called: &str| {
        let place = members.iter().position(|member| member.class.bind(py).is(class));
        let missing = || -> PyResult<usize> {
            let class = super::builtin::display(class)?;
            let reason = format_args!("tag(...) names {called}{class}, which is not in the union");
            Err(union.place().error(py, reason))
        };
        place.map_or_else(missing, Ok)
    };
    let other = other.map(|class| of(&class, "other=")).transpose()?;
    if let (Some(_), Some(more)) = (other, union.other) {
        let more = &nodes[more as usize].written;
        let reason = format_args!("tag(...) has other=, and {more} also takes all other objects");
        return Err(union.place().error(py, reason));
    }
    let (key, namespace) = match form.shape {
        Shape::Members => (key, NamespaceTest::Unprefixed),
        Shape::Elements => attribute(&key, prefixes)
            .map_err(|reason| union.place().error(py, format_args!("tag({key:?}): {reason}")))?,
    };
    let mut tag = Tag { key, namespace, values: Vec::new(), other };
    let Some(values) = values else {
        for (place, class) in members.iter().enumerate() {
            if other == Some(place) {
                continue;
            }
            let name = class.class.bind(py).cast::<PyType>()?.name()?.to_string();
            add(&mut tag, TagValue::Text(name), place)
                .map_err(|name| union.place().error(py, format_args!("two classes are {name}")))?;
        }
        return Ok(tag);
    };
    let mut named = vec![false; members.len()];
    if let Some(other) = other {
        named[other] = true;
    }
    for (value, class) in values.cast::<PyDict>()?.iter() {
        let place = of(&class, "")?;
        named[place] = true;
        let value = match value.extract::<i64>() {
            Ok(value) if !form.is_lexical() => TagValue::Int(value),
            Ok(value) => TagValue::Text(value.to_string()),
            Err(_) => TagValue::Text(value.extract()?),
        };
        tag.values.push((value, place));
    }
    if let Some(place) = named.iter().position(|named| !named) {
        let class = &members[place].name;
        return Err(union.place().error(py, format_args!("tag(...) has no value for {class}")));
    }
    Ok(tag)
}

/// The name and the namespace of the attribute that a `tag(...)` names, as a path does, with `@` or
/// without.
fn attribute(
    key: &str,
    prefixes: Option<&[(String, String)]>,
) -> Result<(String, NamespaceTest), String> {
    let path = Path::parse(&format!("@{}", key.strip_prefix('@').unwrap_or(key)));
    let Ok(mut path) = path else { return Ok((key.to_owned(), NamespaceTest::Unprefixed)) };
    bind(prefixes, &mut path)?;
    Ok(match path.steps() {
        [step] if let Test::Attribute { namespace, local } = step.test() => {
            (local.to_string(), namespace.clone())
        }
        _ => (key.to_owned(), NamespaceTest::Unprefixed),
    })
}

/// Adds a value, or returns it if another class has it.
fn add(tag: &mut Tag, value: TagValue, place: usize) -> Result<(), String> {
    if tag.values.iter().any(|(known, _)| *known == value) {
        return Err(match value {
            TagValue::Text(text) => format!("{text:?}"),
            TagValue::Int(value) => value.to_string(),
        });
    }
    tag.values.push((value, place));
    Ok(())
}

/// A key that all classes have, with values that no two of them share.
fn found(
    py: Python<'_>,
    nodes: &[Node],
    members: &[&ClassPlan],
    form: Form,
) -> PyResult<Option<Tag>> {
    let mut all = Vec::with_capacity(members.len());
    for class in members {
        all.push(tags(py, nodes, class, form)?);
    }
    let Some(first) = all.first() else { return Ok(None) };
    for (key, namespace, _) in first {
        let namespace = namespace.clone();
        let mut tag = Tag { key: key.clone(), namespace, values: Vec::new(), other: None };
        let tells = all.iter().enumerate().all(|(place, tags)| {
            let same = tags.iter().find_map(|(other, namespace, values)| {
                let both = common(&tag.namespace, namespace).filter(|_| other == key)?;
                Some((both, values))
            });
            let Some((both, values)) = same else { return false };
            tag.namespace = both;
            values.iter().all(|value| add(&mut tag, value.clone(), place).is_ok())
        });
        if tells {
            return Ok(Some(tag));
        }
    }
    Ok(None)
}

/// The namespace that two attributes of one name have in common.
fn common(one: &NamespaceTest, other: &NamespaceTest) -> Option<NamespaceTest> {
    let without = |test: &NamespaceTest| test.admits(Some(""), false);
    match (one, other) {
        _ if one == other => Some(one.clone()),
        (NamespaceTest::Any, more) | (more, NamespaceTest::Any) => Some(more.clone()),
        _ => (without(one) && without(other)).then_some(NamespaceTest::Unprefixed),
    }
}

/// The keys of a class whose values are all known: by a tag of its own, a `Literal`, or an `Enum`.
fn tags(
    py: Python<'_>,
    nodes: &[Node],
    class: &ClassPlan,
    form: Form,
) -> PyResult<Vec<(String, NamespaceTest, Vec<TagValue>)>> {
    let mut tags = Vec::new();
    let state = &class.states[0];
    let plain = NamespaceTest::Unprefixed;
    let edges: Vec<(&str, NamespaceTest, &Target)> = match form.shape {
        Shape::Members => {
            state.keys.iter().map(|edge| (&*edge.name, plain.clone(), &edge.to)).collect()
        }
        Shape::Elements => {
            let edges = state.attributes.edges.iter().filter(|edge| &*edge.name != "*");
            edges.map(|edge| (&*edge.name, edge.namespace(), &edge.to)).collect()
        }
    };
    for (name, namespace, to) in edges {
        let Target::Field(field) = *to else { continue };
        let Some(field) = class.fields.get(field as usize) else { continue };
        let node = &nodes[field.node as usize];
        let Kind::Choice(choice) = &node.kind else { continue };
        let has_others = choice.bools.iter().any(Option::is_some) || choice.null.is_some();
        let open = choice.enum_class.is_some() || node.nullable || node.after.is_some();
        if has_others || open {
            continue;
        }
        let mut values: Vec<_> =
            choice.ints.iter().map(|(value, _)| TagValue::Int(*value)).collect();
        if form.is_lexical() && !values.is_empty() {
            continue;
        }
        for object in &choice.text_objects {
            let object = object.bind(py);
            // The members of an `Enum` need not be text themselves.
            let text = match object.getattr_opt(intern!(py, "_value_"))? {
                Some(value) => value,
                None => object.clone(),
            };
            if let Ok(text) = text.cast::<PyString>() {
                values.push(TagValue::Text(text.to_str()?.to_owned()));
            }
        }
        if values.len() == choice.ints.len() + choice.text_objects.len() {
            tags.push((name.to_owned(), namespace, values));
        }
    }
    Ok(tags)
}

/// The union as a rule by the keys that are present.
fn by_keys(members: &[&ClassPlan], union: &Union<'_>) -> Option<Tagged> {
    let nodes = &union.classes;
    // A class that takes keys by `*` may have any key.
    if members.iter().any(|class| class.states[0].other.is_some()) {
        return None;
    }
    let (mut keys, mut classes, mut other) = (Vec::new(), Vec::new(), union.other);
    let mut shown = Vec::new();
    for (place, class) in members.iter().enumerate() {
        let known = |key: &str| {
            members.iter().enumerate().any(|(other, class)| {
                other != place && class.states[0].keys.iter().any(|edge| &*edge.name == key)
            })
        };
        let before = keys.len();
        for edge in &class.states[0].keys {
            if is_required(class, edge.to) && !known(&edge.name) {
                keys.push(edge.name.as_bytes());
                classes.push(nodes[place]);
                shown.push(format!("{:?}", edge.name));
            }
        }
        if keys.len() == before && other.replace(nodes[place]).is_some() {
            return None;
        }
    }
    let by = TagRule::Keys { table: KeyTable::new(&keys), classes };
    Some(Tagged { by, expected: alternatives(&shown).into(), other })
}

/// Whether an object must have what a key leads to: a required field.
fn is_required(class: &ClassPlan, to: Target) -> bool {
    let mut open = vec![to];
    let mut seen = Vec::new();
    while let Some(to) = open.pop() {
        match to {
            Target::Field(field) => {
                // No single key of a choice is required.
                let field = class.fields.get(field as usize);
                if field.is_some_and(|it| matches!(it.absent, Absent::Error) && !it.gathers) {
                    return true;
                }
            }
            Target::State(state) if !seen.contains(&state) => {
                seen.push(state);
                let state = &class.states[state as usize];
                open.extend(state.keys.iter().map(|edge| edge.to));
                open.extend(state.indexes.iter().map(|(_, to)| *to));
            }
            Target::State(_) => {}
        }
    }
    false
}
