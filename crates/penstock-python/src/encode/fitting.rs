//! The plan of a type without its objects: what [`Fit`](penstock_core::convert::fit::Fit) checks and
//! writes. It is made of the same plan that builds objects, and of the layout that writes them.

use super::Stop;
use super::layout::{Get, Layout, Layouts, Step};
use super::walk::{As, Known, Omit, Walker};
use crate::plan::{
    Absent, Build, Check, ClassPlan, Kind, Limit, NodeId, PLAIN, Plan, PlanRef, PostSteps, State,
    Step as PostStep, Target, Test, Tokens, is_decimal, is_unset,
};
use penstock_core::convert::fit::plan as fit;
use penstock_core::json::writer::{Writer, WriterOptions};
use penstock_core::limits::Limits;
use penstock_core::writer::Writer as _;
use penstock_scan::gathered;
use pyo3::basic::CompareOp;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFloat, PyList, PyString};

/// The plan of records, or why it takes objects to make them. That is one clause about a field or a
/// class.
pub(crate) fn fitting(py: Python<'_>, plan_ref: &PlanRef) -> PyResult<Result<fit::Plan, String>> {
    let plan: &Plan = plan_ref;
    if plan.lax {
        return Ok(Err("strict=False converts values".to_owned()));
    }
    let layouts = plan.layouts(py)?;
    let mut fitting = Fitting {
        py,
        plan,
        plan_ref,
        layouts,
        nodes: gathered(plan.nodes.iter().map(|_| None)),
        classes: gathered(plan.classes.iter().map(|_| None)),
        waiting: vec![(plan.root, "the record".to_owned()), (PLAIN, String::new())],
    };
    while let Some((node, shown)) = fitting.waiting.pop() {
        if fitting.nodes[node as usize].is_some() {
            continue;
        }
        match fitting.node(node, &shown)? {
            Ok(made) => fitting.nodes[node as usize] = Some(made),
            Err(why) => return Ok(Err(why)),
        }
    }
    let other = || fit::Node {
        kind: fit::Kind::Other,
        nullable: false,
        want: penstock_core::sink::Want::Native,
        checks: [].into(),
    };
    let no_class = || fit::Class {
        fields: 0,
        states: Vec::new(),
        required: [].into(),
        steps: Vec::new(),
        forbids_unknown: true,
    };
    let Fitting { nodes, classes, .. } = fitting;
    Ok(Ok(fit::Plan {
        nodes: gathered(nodes.into_iter().map(|node| node.unwrap_or_else(other))),
        classes: gathered(classes.into_iter().map(|class| class.unwrap_or_else(no_class))),
        root: plan.root,
        plain: PLAIN,
    }))
}

struct Fitting<'a, 'py> {
    py: Python<'py>,
    plan: &'a Plan,
    plan_ref: &'a PlanRef,
    layouts: &'a Layouts,
    nodes: Vec<Option<fit::Node>>,
    classes: Vec<Option<fit::Class>>,
    /// The nodes that are left, and the field of each.
    waiting: Vec<(NodeId, String)>,
}

/// What is made, or why there is none.
type Made<T> = PyResult<Result<T, String>>;

impl Fitting<'_, '_> {
    fn later(&mut self, node: NodeId, shown: &str) {
        self.waiting.push((node, shown.to_owned()));
    }

    fn node(&mut self, node: NodeId, shown: &str) -> Made<fit::Node> {
        let of = &self.plan.nodes[node as usize];
        let checks = match of.after.as_deref().map(checks).transpose() {
            Ok(checks) => checks.unwrap_or_default(),
            Err(why) => return Ok(Err(format!("{shown} {why}"))),
        };
        if of.cells.is_some() {
            return Ok(Err(format!("{shown} has a form of its own ({})", of.written)));
        }
        let kind = match &of.kind {
            Kind::Any => fit::Kind::Any,
            Kind::None => fit::Kind::None,
            Kind::Bool => fit::Kind::Bool,
            Kind::Int => fit::Kind::Int,
            Kind::Float => fit::Kind::Float,
            Kind::Str => fit::Kind::Str,
            Kind::Decimal => fit::Kind::Text(fit::Form::Decimal),
            Kind::DateTime => fit::Kind::Text(fit::Form::DateTime),
            Kind::Date => fit::Kind::Text(fit::Form::Date),
            Kind::Time => fit::Kind::Text(fit::Form::Time),
            Kind::Duration => fit::Kind::Text(fit::Form::Duration),
            Kind::Uuid => fit::Kind::Text(fit::Form::Uuid),
            Kind::Bytes => fit::Kind::Text(fit::Form::Bytes),
            Kind::Choice(choice) if choice.enum_class.is_none() => {
                let mut texts = Vec::new();
                for object in &choice.text_objects {
                    texts.push(self.text_of_choice(object)?);
                }
                let keys: Vec<&[u8]> = texts.iter().map(|text| text.as_bytes()).collect();
                fit::Kind::Choice(Box::new(fit::Choice {
                    texts: penstock_core::keys::KeyTable::new(&keys),
                    ints: choice.ints.iter().map(|(value, _)| *value).collect(),
                    bools: [choice.bools[0].is_some(), choice.bools[1].is_some()],
                    null: choice.null.is_some(),
                }))
            }
            Kind::List(item) | Kind::TupleOf(item) => {
                self.later(*item, shown);
                fit::Kind::List(*item)
            }
            Kind::Tuple(items) => {
                for item in items {
                    self.later(*item, shown);
                }
                fit::Kind::Tuple(items.clone())
            }
            Kind::Dict(key, value) => {
                let of_key = &self.plan.nodes[*key as usize];
                if !matches!(of_key.kind, Kind::Str) || of_key.after.is_some() {
                    return Ok(Err(format!("{shown} has keys of {}", of_key.written)));
                }
                self.later(*value, shown);
                fit::Kind::Dict(*value)
            }
            Kind::Tokens(tokens) => {
                for member in all(tokens) {
                    self.later(member, shown);
                }
                // A UID among them was refused just now.
                let Tokens { null, boolean, uid: _, integer, number, text, list, map } = &**tokens;
                fit::Kind::Tokens(Box::new(fit::Tokens {
                    null: *null,
                    boolean: *boolean,
                    integer: *integer,
                    number: *number,
                    text: text.clone(),
                    list: *list,
                    map: *map,
                }))
            }
            Kind::Class(class) => {
                if self.classes[*class as usize].is_none() {
                    match self.class(*class)? {
                        Ok(made) => self.classes[*class as usize] = Some(made),
                        Err(why) => return Ok(Err(why)),
                    }
                }
                fit::Kind::Class(*class)
            }
            Kind::Set(_) | Kind::FrozenSet(_) => {
                return Ok(Err(format!("{shown} is a set, whose items have no order")));
            }
            Kind::Tagged(_) => {
                return Ok(Err(format!("{shown} is of one of several classes")));
            }
            Kind::Choice(_)
            | Kind::Moment(_)
            | Kind::Encoded(_)
            | Kind::Separated(_)
            | Kind::Uid => {
                return Ok(Err(format!("{shown} has a form of its own ({})", of.written)));
            }
        };
        Ok(Ok(fit::Node { kind, nullable: of.nullable, want: of.want, checks }))
    }

    /// The text that stands for a member of a choice.
    fn text_of_choice(&self, object: &Py<PyAny>) -> PyResult<String> {
        let object = object.bind(self.py);
        if object.is_exact_instance_of::<PyString>() {
            return object.extract();
        }
        object.getattr(intern!(self.py, "_value_"))?.extract()
    }

    fn class(&mut self, class: u32) -> Made<fit::Class> {
        let of = &self.plan.classes[class as usize];
        if let Some(why) = why_objects(of) {
            return Ok(Err(why));
        }
        let mut states = Vec::new();
        for state in &of.states {
            match self.state(of, state) {
                Ok(state) => states.push(state),
                Err(why) => return Ok(Err(why)),
            }
        }
        let layout = match self.layouts.class(class) {
            Ok(layout) => layout,
            Err(why) => return Ok(Err(format!("{}: {why}", of.name))),
        };
        if layout.rows || of.takes_rows {
            return Ok(Err(format!("{} may be an array", of.name)));
        }
        let mut required = Vec::new();
        for (field, index) in of.fields.iter().zip(0_u32..) {
            if matches!(field.absent, Absent::Error) {
                required.push(index);
            }
        }
        let steps = match self.steps(of, layout)? {
            Ok(steps) => steps,
            Err(why) => return Ok(Err(why)),
        };
        Ok(Ok(fit::Class {
            fields: of.fields.len(),
            states,
            required: required.into(),
            steps,
            forbids_unknown: of.forbids_unknown,
        }))
    }

    fn state(&mut self, class: &ClassPlan, state: &State) -> Result<fit::State, String> {
        if state.other.is_some() || !state.indexes.is_empty() || !state.takes_key.is_empty() {
            return Err(format!("{} has a path with an index or a '*'", class.name));
        }
        let (mut keys, mut to) = (Vec::new(), Vec::new());
        for edge in &state.keys {
            keys.push(&*edge.name);
            to.push(match edge.to {
                Target::State(next) => fit::To::State(next),
                Target::Field(aim) => {
                    let Some(field) = class.fields.get(aim as usize) else {
                        return Err(format!(
                            "the key '{}' of {} leads to one of several types",
                            edge.name, class.name
                        ));
                    };
                    let shown = format!("{}.{}", class.name, field.name);
                    if field.gathers || field.keyed.is_some() || class.aims[aim as usize].gathers {
                        return Err(format!("{shown} gathers its values"));
                    }
                    self.later(field.node, &shown);
                    fit::To::Field(aim, field.node)
                }
            });
        }
        Ok(fit::State::new(&keys, to))
    }

    fn steps(&self, class: &ClassPlan, layout: &Layout) -> Made<Vec<fit::Step>> {
        let mut steps = Vec::new();
        for step in &layout.steps {
            steps.push(match step {
                Step::Open(name) => fit::Step::Open(fit::Name::new(&name.name)),
                Step::Close => fit::Step::Close,
                Step::Rest(_) => return Ok(Err(format!("{} keeps unknown keys", class.name))),
                Step::Columns(columns) => {
                    let shown = &columns.shown;
                    return Ok(Err(format!("{}.{shown} is spread over columns", class.name)));
                }
                Step::Field(field) => {
                    let name = fit::Name::new(&field.key.name);
                    let of = &class.fields[field.index as usize];
                    let shown = || format!("{}.{}", class.name, of.name);
                    match &field.get {
                        Get::Fixed(value) => match self.written(value.bind(self.py), of.node)? {
                            Some(value) => fit::Step::Fixed(name, value),
                            None => return Ok(Err(format!("{} has a tag of its own", shown()))),
                        },
                        Get::Within(_) => {
                            return Ok(Err(format!("{} is a part of another object", shown())));
                        }
                        _ => {
                            let absent = match self.absent(of.node, &of.absent)? {
                                Some(absent) => absent,
                                None => {
                                    let why = "has a default that is no scalar";
                                    return Ok(Err(format!("{} {why}", shown())));
                                }
                            };
                            fit::Step::Field(name, field.index, absent)
                        }
                    }
                }
            });
        }
        Ok(Ok(steps))
    }

    /// What is written for an absent field. None if that takes objects.
    fn absent(&self, node: NodeId, absent: &Absent) -> PyResult<Option<fit::Absent>> {
        let py = self.py;
        let default = match absent {
            // The record is in error, or the key of a `TypedDict` is absent.
            Absent::Error | Absent::Unset => return Ok(Some(fit::Absent::Nothing)),
            Absent::Value(value) if is_unset(value.bind(py)) => {
                return Ok(Some(fit::Absent::Nothing));
            }
            Absent::Value(value) => self.written(value.bind(py), node)?,
            Absent::Factory(made) => {
                let is_list = made.is(py.get_type::<PyList>());
                match &self.plan.nodes[node as usize].kind {
                    Kind::List(_) | Kind::Any if is_list => Some(fit::Constant::List),
                    Kind::Dict(..) | Kind::Any if made.is(py.get_type::<PyDict>()) => {
                        Some(fit::Constant::Map)
                    }
                    _ => None,
                }
            }
        };
        Ok(default.map(fit::Absent::Default))
    }

    /// What is written for a default. None if that is no scalar, or cannot be written.
    fn written(&self, value: &Bound<'_, PyAny>, node: NodeId) -> PyResult<Option<fit::Constant>> {
        let mut writer = Writer::new(WriterOptions::default(), &Limits::default());
        let mut known = Known::new(self.plan.form);
        let plan = known.number(self.py, self.plan_ref);
        let mut walker = Walker::new(self.py, &mut writer, &mut known, Omit::Nothing);
        match walker.value(value, As { plan, node }) {
            Ok(_) if walker.frames.is_empty() => {}
            Ok(_) | Err(Stop::Misfit(..)) => return Ok(None),
            Err(Stop::Raised(error)) => return Err(error),
        }
        let text = writer.ready();
        Ok(match text {
            b"null" => Some(fit::Constant::Null),
            b"true" => Some(fit::Constant::Bool(true)),
            b"false" => Some(fit::Constant::Bool(false)),
            [b'"', ..] => {
                let json = self.py.import(intern!(self.py, "json"))?;
                let text = json.call_method1(intern!(self.py, "loads"), (text,))?;
                Some(fit::Constant::Text(text.extract::<String>()?.into()))
            }
            digits => match std::str::from_utf8(digits).ok().map(str::parse) {
                Some(Ok(value)) => Some(fit::Constant::Int(value)),
                _ if is_decimal(value) => Some(fit::Constant::Decimal(digits.into())),
                _ => value.cast::<PyFloat>().ok().map(|value| fit::Constant::Float(value.value())),
            },
        })
    }
}

/// All members of a union.
fn all(tokens: &Tokens) -> impl Iterator<Item = NodeId> + '_ {
    let Tokens { null, boolean, uid, integer, number, text, list, map } = tokens;
    let typed = [*null, *boolean, *uid, *integer, *number, *list, *map];
    typed.into_iter().flatten().chain(text.iter().copied())
}

/// Why it takes objects to fit a record to a class, if it does.
fn why_objects(class: &ClassPlan) -> Option<String> {
    let name = &class.name;
    if let Some(why) = &class.why_called {
        return Some(why.to_string());
    }
    match &class.build {
        Build::Slots { post_init: Some(_), .. } | Build::Attributes { post_init: Some(_) } => {
            return Some(format!("{name} has a __post_init__"));
        }
        Build::Fill | Build::Call { .. } | Build::Validate(_) => {
            return Some(format!("{name} is called to make its objects"));
        }
        Build::Slots { .. }
        | Build::Attributes { .. }
        | Build::Struct { .. }
        | Build::Tuple
        | Build::Dict(_) => {}
    }
    if let Some(part) = class.parts.first() {
        let field = &class.fields[part.field as usize];
        return Some(format!("{name}.{} is a part of the object itself", field.name));
    }
    if !class.takes_key.is_empty() {
        return Some(format!("{name} takes the key by which it was found"));
    }
    if class.rest.is_some() {
        return Some(format!("{name} keeps unknown keys"));
    }
    None
}

/// The steps after a value is made, if all of them are checks without code of the user's; else why
/// not.
pub(crate) fn checks(after: &PostSteps) -> Result<Box<[fit::Check]>, &'static str> {
    if after.null_from.is_some() {
        return Err("is converted by a function, also if it is null");
    }
    let mut checks = Vec::new();
    for step in &after.steps {
        let PostStep::Check(Check { test, .. }) = step else {
            return Err("is converted by a function");
        };
        checks.push(match test {
            Test::Bound(op, limit) => {
                let relation = match op {
                    CompareOp::Lt => fit::Relation::Less,
                    CompareOp::Le => fit::Relation::AtMost,
                    CompareOp::Gt => fit::Relation::Greater,
                    CompareOp::Ge => fit::Relation::AtLeast,
                    CompareOp::Eq | CompareOp::Ne => return Err("is checked by a function"),
                };
                match limit {
                    Limit::Int(limit, _) => fit::Check::Int(relation, *limit),
                    Limit::Float(limit, _) => fit::Check::Float(relation, *limit),
                    Limit::Other(_) => return Err("has a bound that is no int and no float"),
                }
            }
            Test::Multiple(of, _) => fit::Check::Multiple(*of),
            Test::Length { least, most } => fit::Check::Length(*least, *most),
            Test::Holds(_) => return Err("is checked by a function"),
        });
    }
    Ok(checks.into())
}
