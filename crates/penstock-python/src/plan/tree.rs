//! The plan of types as values of Python, for who describes it: a schema asks the same plan as a
//! reader and a writer do.
//!
//! It is a dict of lists. Nodes and classes name each other by their numbers, so what refers to
//! itself needs no end. `penstock._json_schema.tree` says what each member holds.

use penstock_core::shape::Form as FormatForm;
use penstock_core::value::lexical::Type;
use penstock_core::value::moment::{Form, Moment, Of};
use pyo3::basic::CompareOp;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};

use super::written::layout::{self, Get, NoPart};
use super::{
    Absent, Choice, ClassPlan, Field, Kind, Node, NodeId, Plan, PostSteps, State, Step, TagRule,
    Tagged, Target, Test, element, plan_of_kinds,
};
use crate::edge::errors::guarded;
use penstock_core::value::base64::Spelling;

/// The plan of several types for formats of keys and typed values. With `writes`, it also says how
/// objects of its classes are written.
#[pyfunction]
#[pyo3(signature = (types, writes, /))]
pub(crate) fn plan_tree<'py>(
    py: Python<'py>,
    types: Vec<Bound<'py, PyAny>>,
    writes: bool,
) -> PyResult<Bound<'py, PyDict>> {
    guarded(py, || {
        let plan = plan_of_kinds(py, &types, FormatForm::KEYED.into())?;
        let tree = PyDict::new(py);
        tree.set_item("roots", PyTuple::new(py, &*plan.kinds)?)?;
        tree.set_item("lax", plan.lax)?;
        let nodes = plan.nodes.iter().map(|node| of_node(py, &plan, node));
        tree.set_item("nodes", PyList::new(py, nodes.collect::<PyResult<Vec<_>>>()?)?)?;
        let classes = PyList::empty(py);
        for (class, number) in plan.classes.iter().zip(0..) {
            let told = of_class(py, &plan, class)?;
            if writes {
                told.set_item("written", of_layout(py, &plan, class, number)?)?;
            }
            classes.append(told)?;
        }
        tree.set_item("classes", classes)?;
        Ok(tree)
    })
}

fn of_node<'py>(py: Python<'py>, plan: &Plan, node: &Node) -> PyResult<Bound<'py, PyDict>> {
    let told = PyDict::new(py);
    told.set_item("nullable", node.nullable)?;
    told.set_item("written", &*node.written)?;
    told.set_item("words", PyTuple::new(py, &node.words)?)?;
    let kind = match &node.kind {
        Kind::Any => "any",
        Kind::Raw => "raw",
        Kind::None => "none",
        Kind::Bool => "bool",
        Kind::Int => "int",
        Kind::Float => "float",
        Kind::Str => "str",
        Kind::Bytes => "base64",
        Kind::Encoded(to) => encoding(*to),
        Kind::Duration => "duration",
        Kind::Decimal => "decimal",
        Kind::DateTime => "datetime",
        Kind::Date => "date",
        Kind::Time => "time",
        Kind::Moment(moment) => of_moment(&told, moment)?,
        Kind::Uuid => "uuid",
        Kind::Uid => "uid",
        Kind::Choice(choice) => of_choice(py, &told, choice)?,
        Kind::List(_) | Kind::Set(_) | Kind::FrozenSet(_) | Kind::TupleOf(_) => {
            let [item] = [element(std::slice::from_ref(node), 0)];
            told.set_item("item", item)?;
            match node.kind {
                Kind::Set(_) | Kind::FrozenSet(_) => "set",
                _ => "list",
            }
        }
        Kind::Separated(separated) => {
            told.set_item("item", separated.list)?;
            "separated"
        }
        Kind::Tuple(items) => {
            told.set_item("items", PyTuple::new(py, &**items)?)?;
            "tuple"
        }
        Kind::Dict(key, value) => {
            told.set_item("key", key)?;
            told.set_item("item", value)?;
            "dict"
        }
        Kind::Class(class) => {
            told.set_item("class_", class)?;
            "class"
        }
        Kind::Tagged(tagged) => of_tagged(py, plan, &told, tagged)?,
        Kind::Tokens(tokens) => {
            let mut members: Vec<NodeId> = tokens.null.into_iter().collect();
            for member in tokens.members() {
                if !members.contains(&member) {
                    members.push(member);
                }
            }
            told.set_item("members", PyTuple::new(py, members)?)?;
            let kinds = PyDict::new(py);
            for (kind, member) in [
                ("boolean", tokens.boolean),
                ("integer", tokens.integer),
                ("number", tokens.number),
                ("string", tokens.text.last().copied()),
                ("array", tokens.list),
                ("object", tokens.map),
            ] {
                kinds.set_item(kind, member)?;
            }
            told.set_item("kinds", kinds)?;
            "tokens"
        }
    };
    told.set_item("kind", kind)?;
    if let Some(packed) = node.packed {
        told.set_item("packed", packed.code())?;
    }
    if let Some(after) = &node.after {
        of_steps(py, &told, after)?;
    }
    Ok(told)
}

fn encoding(to: Type<'static>) -> &'static str {
    match to {
        Type::Hex => "hex",
        Type::Base64As(Spelling::Url) => "base64url",
        Type::Base64As(Spelling::Unpadded) => "base64 unpadded",
        Type::Base64InLines => "base64 in lines",
        _ => "base64",
    }
}

fn of_moment(told: &Bound<'_, PyDict>, moment: &Moment) -> PyResult<&'static str> {
    told.set_item("standard", moment.form == Form::Rfc3339)?;
    told.set_item("patterned", matches!(moment.form, Form::Pattern(_)))?;
    told.set_item("counted", moment.unit.is_some())?;
    Ok(match moment.of {
        Of::DateTime => "datetime",
        Of::Date => "date",
        Of::Time => "time",
    })
}

fn of_choice(py: Python<'_>, told: &Bound<'_, PyDict>, choice: &Choice) -> PyResult<&'static str> {
    let values = PyList::empty(py);
    let null = choice.null.iter().map(|object| object.bind(py));
    let bools = choice.bools.iter().flatten().map(|object| object.bind(py));
    let ints = choice.ints.iter().map(|(_, object)| object.bind(py));
    let texts = choice.text_objects.iter().map(|object| object.bind(py));
    for object in texts.chain(ints).chain(bools).chain(null) {
        // The member of an `Enum` stands for its value.
        let value = object.getattr_opt(intern!(py, "_value_"))?;
        values.append((value.as_ref().unwrap_or(object), object))?;
    }
    told.set_item("values", values)?;
    told.set_item("open", choice.enum_class.is_some())?;
    Ok("choice")
}

fn of_tagged<'py>(
    py: Python<'py>,
    plan: &Plan,
    told: &Bound<'py, PyDict>,
    tagged: &Tagged,
) -> PyResult<&'static str> {
    told.set_item("other", tagged.other)?;
    let members = PyList::empty(py);
    let kind = match &tagged.by {
        TagRule::Value { tag, texts, classes, ints, .. } => {
            told.set_item("tag", &**tag)?;
            for (text, class) in texts.iter().zip(classes) {
                members.append((&**text, class))?;
            }
            for (value, class) in ints {
                members.append((value, class))?;
            }
            "tagged"
        }
        TagRule::Keys { table, classes } => {
            let mut seen = Vec::new();
            for &node in classes {
                // A class with several keys is there once for each.
                if seen.contains(&node) {
                    continue;
                }
                seen.push(node);
                let Kind::Class(class) = plan.nodes[node as usize].kind else { continue };
                for edge in &plan.classes[class as usize].states[0].keys {
                    let found = table.find(edge.name.as_bytes());
                    if found.is_some_and(|found| classes[found as usize] == node) {
                        members.append((&*edge.name, node))?;
                    }
                }
            }
            "keyed"
        }
        TagRule::First { classes, .. } => {
            for (value, node) in classes {
                members.append((value, node))?;
            }
            "first"
        }
        TagRule::Unsettled => "any",
    };
    told.set_item("members", members)?;
    Ok(kind)
}

/// The steps after a value is made, and whether something undoes each function of the user's.
fn of_steps<'py>(py: Python<'py>, told: &Bound<'py, PyDict>, after: &PostSteps) -> PyResult<()> {
    let steps = PyList::empty(py);
    for step in &after.steps {
        match step {
            Step::Call(function) => steps.append(("call", function))?,
            Step::Convert(function) => steps.append(("convert", function))?,
            Step::Trim => steps.append(("trim", py.None()))?,
            Step::Check(check) => match &check.test {
                Test::Bound(op, limit) => {
                    let word = match op {
                        CompareOp::Gt => "gt",
                        CompareOp::Ge => "ge",
                        CompareOp::Lt => "lt",
                        _ => "le",
                    };
                    steps.append((word, limit.object()))?;
                }
                Test::Multiple(of, _) => steps.append(("multiple_of", of))?,
                Test::Length { least, most } => {
                    if *least > 0 {
                        steps.append(("min_length", least))?;
                    }
                    if *most < usize::MAX {
                        steps.append(("max_length", most))?;
                    }
                }
                Test::Holds(function) => steps.append(("holds", function))?,
            },
        }
    }
    told.set_item("steps", steps)?;
    told.set_item("makes", &after.class)?;
    told.set_item("undone", after.backs.iter().all(Option::is_some))?;
    Ok(())
}

fn of_class<'py>(py: Python<'py>, plan: &Plan, class: &ClassPlan) -> PyResult<Bound<'py, PyDict>> {
    let told = PyDict::new(py);
    told.set_item("class_", &class.class)?;
    told.set_item("name", &*class.name)?;
    told.set_item("own", class.own().len())?;
    told.set_item("forbids", class.forbids_unknown && class.rest.is_none())?;
    told.set_item("rows", class.takes_rows)?;
    told.set_item("only_rows", class.only_rows)?;
    let names = layout::attributes(py, class)?;
    let fields = PyList::empty(py);
    for ((id, field), attribute) in (0..).zip(&class.fields).zip(names) {
        let of = of_field(py, plan, field, class.rest == Some(id))?;
        of.set_item("attribute", attribute)?;
        fields.append(of)?;
    }
    told.set_item("fields", fields)?;
    let parts = class.parts.iter().map(|part| (part.field, part.class, part.first));
    told.set_item("parts", PyList::new(py, parts)?)?;
    // A value that several places lead to is one of the items of its field.
    let aims = class.aims.iter().map(|aim| (aim.field, aim.node, aim.gathers));
    told.set_item("aims", PyList::new(py, aims)?)?;
    let states = class.states.iter().map(|state| of_state(py, state));
    told.set_item("states", PyList::new(py, states.collect::<PyResult<Vec<_>>>()?)?)?;
    Ok(told)
}

fn of_field<'py>(
    py: Python<'py>,
    plan: &Plan,
    field: &Field,
    is_rest: bool,
) -> PyResult<Bound<'py, PyDict>> {
    let told = PyDict::new(py);
    told.set_item("name", &field.name)?;
    told.set_item("node", field.node)?;
    // A field that gathers items has none of them where there is no value.
    let is_collection = element(&plan.nodes, field.node).is_some() || field.keyed.is_some();
    let may_be_empty = field.gathers && is_collection;
    let required = matches!(field.absent, Absent::Error) && !may_be_empty && !is_rest;
    told.set_item("required", required)?;
    match field.default() {
        Absent::Value(value) => told.set_item("default", value)?,
        Absent::Factory(factory) => told.set_item("factory", factory)?,
        Absent::Error | Absent::Unset => {}
    }
    Ok(told)
}

/// Where a key leads: to an aim, or to another state.
fn of_target(to: Target) -> (&'static str, u32) {
    match to {
        Target::Field(aim) => ("aim", aim),
        Target::State(state) => ("state", state),
    }
}

fn of_state<'py>(py: Python<'py>, state: &State) -> PyResult<Bound<'py, PyDict>> {
    let told = PyDict::new(py);
    let keys = state.keys.iter().map(|edge| (&*edge.name, of_target(edge.to)));
    told.set_item("keys", PyList::new(py, keys)?)?;
    let indexes = state.indexes.iter().map(|(index, to)| (*index, of_target(*to)));
    told.set_item("indexes", PyList::new(py, indexes)?)?;
    told.set_item("other", state.other.map(of_target))?;
    Ok(told)
}

/// How objects of a class are written: a list of steps, or the reason why they are not.
fn of_layout<'py>(
    py: Python<'py>,
    plan: &Plan,
    class: &ClassPlan,
    number: u32,
) -> PyResult<Bound<'py, PyDict>> {
    let told = PyDict::new(py);
    let layout = match plan.layouts(py)?.class(number) {
        Ok(layout) => layout,
        Err(reason) => {
            told.set_item("refused", reason)?;
            return Ok(told);
        }
    };
    told.set_item("rows", layout.rows)?;
    let steps = PyList::empty(py);
    for step in &layout.steps {
        match step {
            layout::Step::Field(field) => {
                let absent = &class.fields[field.index as usize].absent;
                let may_lack = may_lack(&field.get, absent);
                steps.append(("field", &*field.key.name, field.index, may_lack))?;
            }
            layout::Step::Open(name) => steps.append(("open", &*name.name, py.None(), false))?,
            layout::Step::Close => steps.append(("close", "", py.None(), false))?,
            layout::Step::Rest(_) => steps.append(("rest", "", py.None(), true))?,
            // Only rows have columns.
            layout::Step::Columns(_) => {}
        }
    }
    told.set_item("steps", steps)?;
    Ok(told)
}

/// Whether an object may have no value in a place.
fn may_lack(get: &Get, absent: &Absent) -> bool {
    match get {
        Get::Slot(_) | Get::Attribute(_) | Get::Item(_) | Get::Fixed(_) => false,
        Get::Unless(..) => true,
        Get::Key(_) => !matches!(absent, Absent::Error),
        Get::Within(within) => {
            within.none == NoPart::Absent
                || may_lack(&within.part, absent)
                || may_lack(&within.get, absent)
        }
    }
}
