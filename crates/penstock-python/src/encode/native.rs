//! The plan of a type without its objects: what [`NativeRecord`](penstock_core::convert::native::NativeRecord) checks and
//! writes. It is made of the same plan that builds objects, and of the layout that writes them.

use super::Stop;
use super::known::Known;
use super::walk::{As, Omit, Walker};
use crate::plan::written::layout::{Get, Layout, Layouts, Step};
use crate::plan::{
    Absent, Build, Check, Choice, ClassPlan, Kind, Limit, NodeId, PLAIN, Plan, PlanRef, PostSteps,
    State, Step as PostStep, Target, Test, Tokens, is_decimal, is_unset,
};
use penstock_core::convert::native::plan as native;
use penstock_core::json::writer::{Writer, WriterOptions};
use penstock_core::limits::Limits;
use penstock_core::value::cells::Cells;
use penstock_core::writer::Writer as _;
use penstock_scan::gathered;
use pyo3::basic::CompareOp;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFloat, PyList, PyString};
use std::collections::HashMap;

/// The plan of records that are read by one plan and written by another, or why it takes objects to
/// make them. That is one clause about a field or a class. If they are written as rows, `rows` is
/// the plan of that.
pub(crate) fn native(
    py: Python<'_>,
    plan: &Plan,
    written: &PlanRef,
    rows: Option<&PlanRef>,
) -> PyResult<Result<native::Plan, String>> {
    if plan.lax {
        return Ok(Err("strict=False converts values".to_owned()));
    }
    if plan.form.is_lexical()
        && let Err(why) = is_row(plan)
    {
        return Ok(Err(why));
    }
    let mut planning = Planning {
        py,
        plan,
        written_ref: written,
        layouts: written.layouts(py)?,
        nodes: gathered(plan.nodes.iter().map(|_| None)),
        classes: gathered(plan.classes.iter().map(|_| None)),
        fields: fields_of(plan),
        waiting: vec![(plan.root, "the record".to_owned()), (PLAIN, String::new())],
    };
    while let Some((node, shown)) = planning.waiting.pop() {
        if planning.nodes[node as usize].is_some() {
            continue;
        }
        match planning.node(node, &shown)? {
            Ok(made) => planning.nodes[node as usize] = Some(made),
            Err(why) => return Ok(Err(why)),
        }
    }
    let other = || native::Node {
        kind: native::Kind::Other,
        nullable: false,
        want: penstock_core::protocol::Want::Native,
        checks: [].into(),
        cells: None,
    };
    let no_class = || native::Class {
        fields: 0,
        states: Vec::new(),
        required: [].into(),
        steps: Vec::new(),
        forbids_unknown: true,
    };
    if let Some(rows) = rows {
        planning.leave_doubtful(rows, plan.root, rows.root)?;
    }
    let Planning { nodes, classes, .. } = planning;
    Ok(Ok(native::Plan {
        nodes: gathered(nodes.into_iter().map(|node| node.unwrap_or_else(other))),
        classes: gathered(classes.into_iter().map(|class| class.unwrap_or_else(no_class))),
        root: plan.root,
        plain: PLAIN,
    }))
}

struct Planning<'a, 'py> {
    py: Python<'py>,
    /// How records are read.
    plan: &'a Plan,
    /// How they are written.
    written_ref: &'a PlanRef,
    layouts: &'a Layouts,
    nodes: Vec<Option<native::Node>>,
    classes: Vec<Option<native::Class>>,
    /// The fields of the record's class, by the addresses of their names.
    fields: HashMap<usize, u32>,
    /// The nodes that are left, and the field of each.
    waiting: Vec<(NodeId, String)>,
}

/// What is made, or why there is none.
type Made<T> = PyResult<Result<T, String>>;

impl Planning<'_, '_> {
    fn later(&mut self, node: NodeId, shown: &str) {
        self.waiting.push((node, shown.to_owned()));
    }

    fn node(&mut self, node: NodeId, shown: &str) -> Made<native::Node> {
        let of = &self.plan.nodes[node as usize];
        let checks = match of.after.as_deref().map(|after| checks(after, 0)).transpose() {
            Ok(checks) => checks.unwrap_or_default(),
            Err(why) => return Ok(Err(format!("{shown} {why}"))),
        };
        let cells = of.cells.as_ref().map(|cells| Box::new(Cells::clone(cells)));
        let kind = match &of.kind {
            Kind::Any => native::Kind::Any,
            Kind::None => native::Kind::None,
            Kind::Bool => native::Kind::Bool,
            Kind::Int => native::Kind::Int,
            Kind::Float => native::Kind::Float,
            Kind::Str => native::Kind::Str,
            kind @ (Kind::Decimal
            | Kind::DateTime
            | Kind::Date
            | Kind::Time
            | Kind::Duration
            | Kind::Uuid
            | Kind::Bytes) => form_of(kind).map_or(native::Kind::Other, native::Kind::Text),
            Kind::Choice(choice) if choice.enum_class.is_none() => {
                let mut texts = Vec::new();
                for object in &choice.text_objects {
                    texts.push(self.text_of_choice(object)?);
                }
                let keys: Vec<&[u8]> = texts.iter().map(|text| text.as_bytes()).collect();
                native::Kind::Choice(Box::new(native::Choice {
                    texts: penstock_core::keys::KeyTable::new(&keys),
                    ints: choice.ints.iter().map(|(value, _)| *value).collect(),
                    bools: [choice.bools[0].is_some(), choice.bools[1].is_some()],
                    null: choice.null.is_some(),
                }))
            }
            Kind::List(item) | Kind::TupleOf(item) => {
                self.later(*item, shown);
                native::Kind::List(*item)
            }
            Kind::Tuple(items) => {
                for item in items {
                    self.later(*item, shown);
                }
                native::Kind::Tuple(items.clone())
            }
            Kind::Dict(key, value) => {
                let of_key = &self.plan.nodes[*key as usize];
                if !matches!(of_key.kind, Kind::Str) || of_key.after.is_some() {
                    return Ok(Err(format!("{shown} has keys of {}", of_key.written)));
                }
                self.later(*value, shown);
                native::Kind::Dict(*value)
            }
            Kind::Tokens(_) if self.plan.form.is_lexical() => {
                return Ok(Err(format!("{shown} is of one of several types ({})", of.written)));
            }
            Kind::Tokens(tokens) => {
                for member in all(tokens) {
                    self.later(member, shown);
                }
                // A UID among them was refused just now.
                let Tokens { null, boolean, uid: _, integer, number, text, list, map, is_plain: _ } =
                    &**tokens;
                native::Kind::Tokens(Box::new(native::Tokens {
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
                native::Kind::Class(*class)
            }
            Kind::Set(_) | Kind::FrozenSet(_) => {
                return Ok(Err(format!("{shown} is a set, whose items have no order")));
            }
            Kind::Tagged(_) => {
                return Ok(Err(format!("{shown} is of one of several classes")));
            }
            Kind::Choice(_)
            | Kind::Raw
            | Kind::Moment(_)
            | Kind::Encoded(_)
            | Kind::Separated(_)
            | Kind::Uid => {
                return Ok(Err(format!("{shown} has a form of its own ({})", of.written)));
            }
        };
        Ok(Ok(native::Node { kind, nullable: of.nullable, want: of.want, checks, cells }))
    }

    /// The text that stands for a member of a choice.
    fn text_of_choice(&self, object: &Py<PyAny>) -> PyResult<String> {
        let object = object.bind(self.py);
        if object.is_exact_instance_of::<PyString>() {
            return object.extract();
        }
        object.getattr(intern!(self.py, "_value_"))?.extract()
    }

    fn class(&mut self, class: u32) -> Made<native::Class> {
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
        let Some(writes) = self.written_class(class) else {
            return Ok(Err(format!("{} is written as another class", of.name)));
        };
        let layout = match self.layouts.class(writes) {
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
        let steps = match self.steps(of, &self.written_ref.classes[writes as usize], layout)? {
            Ok(steps) => steps,
            Err(why) => return Ok(Err(why)),
        };
        Ok(Ok(native::Class {
            fields: of.fields.len(),
            states,
            required: required.into(),
            steps,
            forbids_unknown: of.forbids_unknown,
        }))
    }

    fn state(&mut self, class: &ClassPlan, state: &State) -> Result<native::State, String> {
        if state.other.is_some() || !state.indexes.is_empty() || !state.takes_key.is_empty() {
            return Err(format!("{} has a path with an index or a '*'", class.name));
        }
        let (mut keys, mut to) = (Vec::new(), Vec::new());
        for edge in &state.keys {
            keys.push(&*edge.name);
            to.push(match edge.to {
                Target::State(next) => native::To::State(next),
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
                    native::To::Field(aim, field.node)
                }
            });
        }
        Ok(native::State::new(&keys, to))
    }

    /// The number of a class in the plan by which it is written.
    fn written_class(&self, class: u32) -> Option<u32> {
        if std::ptr::eq(self.plan, &raw const **self.written_ref) {
            return Some(class);
        }
        // A row is an object of one class.
        let root = &self.written_ref.nodes[self.written_ref.root as usize];
        match (&self.plan.nodes[self.plan.root as usize].kind, &root.kind) {
            (Kind::Class(own), Kind::Class(writes)) if *own == class => Some(*writes),
            _ => None,
        }
    }

    /// The number of a field of the record's class in the plan by which it is read.
    fn read_field(&self, name: &Py<PyString>) -> Option<u32> {
        // Both names are interned.
        self.fields.get(&name.as_ptr().addr()).copied()
    }

    /// Leaves to objects what a format without types may not take as it is: forms that the user
    /// declared, and values whose text would be read back as others.
    fn leave_doubtful(&mut self, plan: &Plan, node: NodeId, writes: NodeId) -> PyResult<()> {
        let of = &plan.nodes[writes as usize];
        let read = self.plan;
        let is_plain = match (&read.nodes[node as usize].kind, &of.kind) {
            _ if of.cells.is_some() => false,
            (Kind::Class(class), Kind::Class(written)) => {
                let layouts = plan.layouts(self.py)?;
                let layout = layouts.class(*written).ok();
                if layout.is_some_and(|layout| layout.steps.iter().all(is_column)) {
                    return self.leave_fields(plan, *class, &plan.classes[*written as usize]);
                }
                false
            }
            (Kind::Dict(_, value), Kind::Dict(_, written)) => {
                return self.leave_doubtful(plan, *value, *written);
            }
            (
                Kind::List(item) | Kind::TupleOf(item),
                Kind::List(written) | Kind::TupleOf(written),
            ) => {
                return self.leave_doubtful(plan, *item, *written);
            }
            (Kind::Tuple(items), Kind::Tuple(written)) if items.len() == written.len() => {
                for (item, written) in items.iter().zip(written) {
                    self.leave_doubtful(plan, *item, *written)?;
                }
                return Ok(());
            }
            (_, Kind::Choice(choice)) => is_certain(choice),
            (_, kind) => matches!(
                kind,
                Kind::Any
                    | Kind::None
                    | Kind::Bool
                    | Kind::Int
                    | Kind::Float
                    | Kind::Str
                    | Kind::Decimal
                    | Kind::DateTime
                    | Kind::Date
                    | Kind::Time
                    | Kind::Duration
                    | Kind::Uuid
                    | Kind::Bytes
            ),
        };
        if !is_plain && let Some(Some(of)) = self.nodes.get_mut(node as usize) {
            (of.kind, of.nullable) = (native::Kind::Other, false);
        }
        Ok(())
    }

    fn leave_fields(&mut self, plan: &Plan, class: u32, written: &ClassPlan) -> PyResult<()> {
        let read = &self.plan.classes[class as usize];
        let mut doubtful = Vec::new();
        for field in &written.fields {
            let Some(index) = self.read_field(&field.name) else { continue };
            let node = read.fields[index as usize].node;
            self.leave_doubtful(plan, node, field.node)?;
            let left = self.nodes[node as usize].as_ref();
            // No bytes are an empty cell, which may not be read as them.
            let is_bytes = matches!(plan.nodes[field.node as usize].kind, Kind::Bytes);
            if is_bytes || left.is_some_and(|left| matches!(left.kind, native::Kind::Other)) {
                doubtful.push(index);
            }
        }
        // The default of such a field is written by objects, too.
        if let Some(Some(class)) = self.classes.get_mut(class as usize) {
            doubtful.extend(class.required.iter());
            doubtful.sort_unstable();
            doubtful.dedup();
            class.required = doubtful.into();
        }
        Ok(())
    }

    fn steps(
        &self,
        read: &ClassPlan,
        class: &ClassPlan,
        layout: &Layout,
    ) -> Made<Vec<native::Step>> {
        let mut steps = Vec::new();
        for step in &layout.steps {
            steps.push(match step {
                Step::Open(name) => native::Step::Open(native::Name::new(&name.name)),
                Step::Close => native::Step::Close,
                Step::Rest(_) => return Ok(Err(format!("{} keeps unknown keys", class.name))),
                Step::Columns(columns) => {
                    let shown = &columns.shown;
                    return Ok(Err(format!("{}.{shown} is spread over columns", class.name)));
                }
                Step::Field(field) => {
                    let name = native::Name::new(&field.key.name);
                    let of = &class.fields[field.index as usize];
                    let shown = || format!("{}.{}", class.name, of.name);
                    match &field.get {
                        Get::Fixed(value) => match self.written(value.bind(self.py), of.node)? {
                            Some(value) => native::Step::Fixed(name, value),
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
                            let index = match std::ptr::eq(read, class) {
                                true => Some(field.index),
                                false => self.read_field(&of.name),
                            };
                            let Some(index) = index else {
                                return Ok(Err(format!("{} is not read", shown())));
                            };
                            native::Step::Field(name, index, absent)
                        }
                    }
                }
            });
        }
        Ok(Ok(steps))
    }

    /// What is written for an absent field. None if that takes objects.
    fn absent(&self, node: NodeId, absent: &Absent) -> PyResult<Option<native::Absent>> {
        let py = self.py;
        let of = &self.written_ref.nodes[node as usize];
        if of.cells.is_some() && self.written_ref.form.is_lexical() {
            // It is written by objects.
            return Ok(Some(native::Absent::Nothing));
        }
        let default = match absent {
            // The record is in error, or the key of a `TypedDict` is absent.
            Absent::Error | Absent::Unset => return Ok(Some(native::Absent::Nothing)),
            Absent::Value(value) if is_unset(value.bind(py)) => {
                return Ok(Some(native::Absent::Nothing));
            }
            Absent::Value(value) => self.written(value.bind(py), node)?,
            Absent::Factory(made) => {
                let is_list = made.is(py.get_type::<PyList>());
                match &of.kind {
                    Kind::List(_) | Kind::Any if is_list => Some(native::Constant::List),
                    Kind::Dict(..) | Kind::Any if made.is(py.get_type::<PyDict>()) => {
                        Some(native::Constant::Map)
                    }
                    _ => None,
                }
            }
        };
        Ok(default.map(native::Absent::Default))
    }

    /// What is written for a default. None if that is no scalar, or cannot be written.
    fn written(
        &self,
        value: &Bound<'_, PyAny>,
        node: NodeId,
    ) -> PyResult<Option<native::Constant>> {
        let mut writer = Writer::new(WriterOptions::default(), &Limits::default());
        let mut known = Known::new(self.written_ref.form);
        let plan = known.number(self.py, self.written_ref);
        let mut walker = Walker::new(self.py, &mut writer, &mut known, Omit::Nothing);
        match walker.value(value, As { plan, node }) {
            Ok(_) if walker.frames.is_empty() => {}
            Ok(_) | Err(Stop::Misfit(..)) => return Ok(None),
            Err(Stop::Raised(error)) => return Err(error),
        }
        let text = writer.ready();
        Ok(match text {
            b"null" => Some(native::Constant::Null),
            b"true" => Some(native::Constant::Bool(true)),
            b"false" => Some(native::Constant::Bool(false)),
            [b'"', ..] => {
                let json = self.py.import(intern!(self.py, "json"))?;
                let text = json.call_method1(intern!(self.py, "loads"), (text,))?;
                let text = text.extract::<String>()?.into();
                // A format may have a type of its own for it.
                match form_of(&self.written_ref.nodes[node as usize].kind) {
                    Some(form) => Some(native::Constant::Formed(text, form)),
                    None if value.is_instance_of::<PyString>() => {
                        Some(native::Constant::Text(text))
                    }
                    None => match self.written_ref.nodes[node as usize].kind {
                        Kind::Choice(_) => Some(native::Constant::Text(text)),
                        _ => None,
                    },
                }
            }
            digits => match std::str::from_utf8(digits).ok().map(str::parse) {
                Some(Ok(value)) => Some(native::Constant::Int(value)),
                _ if is_decimal(value) => Some(native::Constant::Decimal(digits.into())),
                _ => {
                    value.cast::<PyFloat>().ok().map(|value| native::Constant::Float(value.value()))
                }
            },
        })
    }
}

/// Whether the records are rows, each an object of one class whose fields are columns; else why not.
fn is_row(plan: &Plan) -> Result<(), String> {
    let root = &plan.nodes[plan.root as usize];
    let Kind::Class(class) = root.kind else {
        return Err(format!("a row becomes {}", root.written));
    };
    let class = &plan.classes[class as usize];
    let several = class.spreads.first().map(|spread| spread.field);
    let several = several.or(class.parts.first().map(|part| part.field));
    match several.and_then(|field| class.fields.get(field as usize)) {
        Some(field) => Err(format!("{}.{} is spread over columns", class.name, field.name)),
        None => Ok(()),
    }
}

/// The form of a type's strings.
fn form_of(kind: &Kind) -> Option<native::Form> {
    Some(match kind {
        Kind::Decimal => native::Form::Decimal,
        Kind::DateTime => native::Form::DateTime,
        Kind::Date => native::Form::Date,
        Kind::Time => native::Form::Time,
        Kind::Duration => native::Form::Duration,
        Kind::Uuid => native::Form::Uuid,
        Kind::Bytes => native::Form::Bytes,
        _ => return None,
    })
}

/// The fields of a record's class, by the addresses of their names.
fn fields_of(plan: &Plan) -> HashMap<usize, u32> {
    let Kind::Class(class) = plan.nodes[plan.root as usize].kind else { return HashMap::new() };
    let fields = plan.classes[class as usize].fields.iter().zip(0_u32..);
    fields.map(|(field, index)| (field.name.as_ptr().addr(), index)).collect()
}

/// Whether a step writes a column of its own.
fn is_column(step: &Step) -> bool {
    matches!(step, Step::Field(field) if !matches!(field.get, Get::Within(_)))
}

/// Whether the text of each value of a choice is read back as that value.
fn is_certain(choice: &Choice) -> bool {
    let is_text = |text: &str| choice.texts.find(text.as_bytes()).is_some();
    let truth = [("false", &choice.bools[0]), ("true", &choice.bools[1])];
    !is_text("")
        && !choice.ints.iter().any(|(value, _)| is_text(&value.to_string()))
        && !truth.iter().any(|(word, object)| object.is_some() && is_text(word))
}

/// All members of a union.
fn all(tokens: &Tokens) -> impl Iterator<Item = NodeId> + '_ {
    let Tokens { null, boolean, uid, integer, number, text, list, map, is_plain: _ } = tokens;
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

/// The steps after a value is made, from one on, if all of them are checks without code of the
/// user's; else why not.
pub(crate) fn checks(after: &PostSteps, from: usize) -> Result<Box<[native::Check]>, &'static str> {
    if after.null_from.is_some() {
        return Err("is converted by a function, also if it is null");
    }
    let mut checks = Vec::new();
    for step in &after.steps[from..] {
        let PostStep::Check(Check { test, .. }) = step else {
            return Err("is converted by a function");
        };
        checks.push(match test {
            Test::Bound(op, limit) => {
                let relation = match op {
                    CompareOp::Lt => native::Relation::Less,
                    CompareOp::Le => native::Relation::AtMost,
                    CompareOp::Gt => native::Relation::Greater,
                    CompareOp::Ge => native::Relation::AtLeast,
                    CompareOp::Eq | CompareOp::Ne => return Err("is checked by a function"),
                };
                match limit {
                    Limit::Int(limit, _) => native::Check::Int(relation, *limit),
                    Limit::Float(limit, _) => native::Check::Float(relation, *limit),
                    Limit::Other(_) => return Err("has a bound that is no int and no float"),
                }
            }
            Test::Multiple(of, _) => native::Check::Multiple(*of),
            Test::Length { least, most } => native::Check::Length(*least, *most),
            Test::Holds(_) => return Err("is checked by a function"),
        });
    }
    Ok(checks.into())
}
