//! The columns of a class: made of the plan that builds its objects.

use super::objects::Classes;
use crate::encode::checks;
use crate::plan::types::mark::Mark;
use crate::plan::{
    Absent, Build, Choice, ClassId, ClassPlan, Kind, NameEdge, Node, NodeId, Plan, PlanRef, State,
    Step, Target, Tokens, is_enum, is_unset, plan_error,
};
use penstock_arrow::found::NO_NUL;
use penstock_arrow::plan as arrow;
use penstock_arrow::{Flat, Mixed, SchemaRef, View, view};
use penstock_core::keys::KeyTable;
use penstock_core::protocol::Want;
use penstock_core::suggest::nearest;
use penstock_core::value::lexical::Type;
use penstock_core::value::moment::Of;
use penstock_core::value::unix::Unit;
use penstock_scan::{gathered, make_room};
use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString};
use std::collections::{BTreeMap, HashMap};

/// The columns that are wanted, by name, and those inside of them.
#[derive(Debug, Default)]
pub(crate) struct Chosen {
    inside: BTreeMap<String, Chosen>,
    /// Whether everything inside is wanted, whatever is named of it.
    whole: bool,
}

impl Chosen {
    /// The columns at these paths: all of them if there are none. A path that is the name of a field
    /// as a whole, with its slashes, means that field.
    pub(crate) fn new(paths: &[String], is_field: impl Fn(&str) -> bool) -> Self {
        let mut chosen = Chosen::default();
        for path in paths {
            let mut at = &mut chosen;
            if is_field(path) {
                at = at.inside.entry(path.clone()).or_default();
            } else {
                for step in path.split('/') {
                    at = at.inside.entry(step.to_owned()).or_default();
                }
            }
            at.whole = true;
        }
        chosen
    }

    /// Whether only some columns are wanted.
    fn is_some(&self) -> bool {
        !self.inside.is_empty() && !self.whole
    }

    /// Whether a column is wanted, and which inside of it.
    fn of(&self, name: &str) -> Option<&Chosen> {
        const ALL: &Chosen = &Chosen { inside: BTreeMap::new(), whole: true };
        if self.is_some() { self.inside.get(name) } else { Some(ALL) }
    }
}

/// What becomes of values of several types.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Unions {
    /// They have no column.
    #[default]
    Error,
    /// The text of a scalar.
    Text,
    /// JSON.
    Json,
}

impl Unions {
    /// What becomes of values of several kinds at one place in records without a class.
    pub(crate) fn mixed(self) -> Mixed {
        match self {
            Unions::Error => Mixed::Error,
            Unions::Text => Mixed::Text,
            Unions::Json => Mixed::Json,
        }
    }

    /// The user's word for it.
    ///
    /// # Errors
    /// A `ValueError`: there is no such word.
    pub(crate) fn of(word: &str) -> PyResult<Self> {
        match word {
            "error" => Ok(Unions::Error),
            "text" => Ok(Unions::Text),
            "json" => Ok(Unions::Json),
            _ => {
                let reason = format!("unions must be 'error', 'text' or 'json', not '{word}'");
                Err(PyValueError::new_err(reason))
            }
        }
    }
}

/// All digits of a decimal number, and those behind the point.
pub(crate) type Digits = (u8, i8);

/// What a caller says of the columns.
#[derive(Debug, Default)]
pub(crate) struct Asked {
    pub(crate) chosen: Chosen,
    pub(crate) unions: Unions,
    /// The digits of the `Decimal` columns that declare none, in the order of the columns, once they
    /// are known.
    pub(crate) digits: Option<Vec<Digits>>,
    /// Whether they are being counted.
    pub(crate) counts: bool,
    /// Whether only errors are wanted: what a class takes, and its column does not, is none.
    pub(crate) checks: bool,
    /// Whether records of any kind are only counted. The class has no fields.
    pub(crate) unread: bool,
    /// The name of the column with the path of each record's source, if there shall be one.
    pub(crate) file_column: Option<String>,
    /// Which columns inside of others stand on their own.
    pub(crate) flat: Flattened,
}

/// Which columns inside of others stand on their own.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) enum Flattened {
    #[default]
    None,
    All,
    /// Those at these paths.
    Paths(Vec<String>),
}

/// The names of the fields of a plan of one class.
pub(crate) fn names_of(py: Python<'_>, plan: &PlanRef) -> PyResult<Vec<String>> {
    let Kind::Class(class) = plan.nodes[plan.root as usize].kind else { return Ok(Vec::new()) };
    let fields = plan.classes[class as usize].own().iter();
    fields.map(|field| Ok(field.name.bind(py).to_str()?.to_owned())).collect()
}

/// What the consumer gets of the columns, if it is not what is filled.
///
/// # Errors
/// A `ValueError`: two columns would have one name.
pub(crate) fn view_of(
    py: Python<'_>,
    plan: &PlanRef,
    asked: &Asked,
    filled: &SchemaRef,
) -> PyResult<Option<View>> {
    let flat = match &asked.flat {
        Flattened::None if asked.file_column.is_none() => return Ok(None),
        Flattened::None => Flat::None,
        Flattened::All => Flat::All,
        Flattened::Paths(paths) => Flat::Paths(paths),
    };
    // A field of the class is none of the columns if nobody wants it.
    if let Some(name) = &asked.file_column
        && names_of(py, plan)?.contains(name)
    {
        return Err(PyValueError::new_err(view::both(name)));
    }
    let view = View::new(filled, flat, asked.file_column.as_deref());
    view.map(Some).map_err(PyValueError::new_err)
}

/// The columns of a class.
pub(crate) struct Made {
    pub(crate) plan: arrow::Plan,
    pub(crate) classes: Classes,
    /// The `Decimal` columns whose digits are counted, and what messages call them.
    pub(crate) counted: Vec<(arrow::NodeId, String)>,
    /// Why an object is made of each record, if one is.
    pub(crate) why_objects: Option<String>,
    /// Whether records of any kind are only counted.
    pub(crate) unread: bool,
    /// Whether only errors are wanted.
    pub(crate) checks: bool,
}

/// The columns of the records of a plan.
///
/// # Errors
/// A `PlanError` for a type that has no column, and a `ValueError` for a chosen column that there is
/// not.
pub(crate) fn columns_of(py: Python<'_>, plan_ref: &PlanRef, asked: &Asked) -> PyResult<Made> {
    let plan: &Plan = plan_ref;
    let Kind::Class(class) = plan.nodes[plan.root as usize].kind else {
        let written = &plan.nodes[plan.root as usize].written;
        return Err(plan_error(
            py,
            format!("columns are the fields of a class, and {written} is none"),
        ));
    };
    if plan.kinds.len() > 1 {
        return Err(plan_error(
            py,
            "columns are of one class, and there are several kinds of records",
        ));
    }
    let mut making = Making {
        py,
        plan,
        nodes: Vec::new(),
        structs: HashMap::new(),
        open: Vec::new(),
        asked,
        decimals: 0,
        counted: Vec::new(),
        why_objects: None,
    };
    if plan.lax {
        making.objects(|| "strict=False converts values".to_owned());
    }
    let root = making.class(class, &asked.chosen, "", false)?;
    making.nodes[root as usize].absent = arrow::Absent::Error;
    let Making { nodes, structs, counted, why_objects, .. } = making;
    let classes = Classes { plan: plan_ref.clone_ref(py), structs };
    Ok(Made {
        plan: arrow::Plan { nodes, root },
        classes,
        counted,
        why_objects,
        unread: asked.unread,
        checks: asked.checks,
    })
}

struct Making<'a, 'py> {
    py: Python<'py>,
    plan: &'a Plan,
    nodes: Vec<arrow::Node>,
    structs: HashMap<arrow::NodeId, (ClassId, Box<[u32]>)>,
    /// The classes around the current one.
    open: Vec<ClassId>,
    asked: &'a Asked,
    /// How many `Decimal` columns there are that declare no digits.
    decimals: usize,
    counted: Vec<(arrow::NodeId, String)>,
    why_objects: Option<String>,
}

impl Making<'_, '_> {
    /// It takes objects to make the columns.
    fn objects(&mut self, why: impl FnOnce() -> String) {
        if self.why_objects.is_none() {
            self.why_objects = Some(why());
        }
    }

    fn error(&self, shown: &str, why: impl std::fmt::Display) -> PyErr {
        plan_error(self.py, format!("{shown} has no column: {why}"))
    }

    fn push(&mut self, name: &str, kind: arrow::Kind, nullable: bool) -> arrow::NodeId {
        make_room(&mut self.nodes, 1);
        self.nodes.push(arrow::Node {
            name: name.into(),
            kind,
            nullable,
            absent: arrow::Absent::Error,
            want: Want::Native,
            checks: [].into(),
            cells: None,
        });
        (self.nodes.len() - 1) as arrow::NodeId
    }

    /// The column of values of a node.
    fn node(
        &mut self,
        id: NodeId,
        name: &str,
        shown: &str,
        chosen: &Chosen,
    ) -> PyResult<arrow::NodeId> {
        let of = &self.plan.nodes[id as usize];
        let nullable = of.nullable;
        let scalar = |kind| Ok(kind);
        if chosen.is_some() && !matches!(of.kind, Kind::Class(_)) {
            return Err(PyValueError::new_err(format!("columns: {shown} has no fields")));
        }
        let checked = self.checks(of, shown)?;
        let moment = |of: &Kind| match of {
            Kind::Moment(moment) => Some(moment.clone()),
            _ => None,
        };
        let kind: PyResult<arrow::Kind> = match &of.kind {
            Kind::Bool => scalar(arrow::Kind::Bool),
            Kind::Int => scalar(arrow::Kind::Int(match of.column {
                Some(Mark::Int(width)) => width,
                _ => arrow::Width::I64,
            })),
            Kind::Float => scalar(match of.column {
                Some(Mark::Float32) => arrow::Kind::Float32,
                _ => arrow::Kind::Float,
            }),
            Kind::Str => scalar(match of.column {
                Some(Mark::Dictionary) => arrow::Kind::Dictionary,
                _ => arrow::Kind::Str,
            }),
            Kind::Bytes => scalar(arrow::Kind::Bytes(Type::Base64)),
            Kind::Encoded(form) => scalar(arrow::Kind::Bytes(*form)),
            Kind::Duration => scalar(arrow::Kind::Duration),
            Kind::Uuid => scalar(arrow::Kind::Uuid),
            Kind::Decimal => match of.column {
                Some(Mark::Decimal(precision, scale)) => {
                    scalar(arrow::Kind::Decimal { precision, scale })
                }
                _ => self.decimal(shown),
            },
            kind if kind.is(Of::DateTime) => {
                let (unit, utc) = match of.column {
                    Some(Mark::Timestamp(unit, utc)) => (unit, utc),
                    _ => (Unit::Microseconds, true),
                };
                scalar(arrow::Kind::Timestamp { unit, utc, moment: moment(kind) })
            }
            kind if kind.is(Of::Date) => scalar(arrow::Kind::Date(moment(kind))),
            kind if kind.is(Of::Time) => scalar(arrow::Kind::Time(moment(kind))),
            Kind::Choice(choice) => {
                let kind = self.choice(id, choice, shown)?;
                if choice.bools.iter().any(Option::is_some) {
                    return Ok(self.push(name, kind, nullable));
                }
                scalar(kind)
            }
            Kind::List(item) | Kind::TupleOf(item) => {
                let item = self.node(*item, "item", shown, &Chosen::default())?;
                scalar(arrow::Kind::List(item))
            }
            Kind::Set(item) | Kind::FrozenSet(item) => {
                self.objects(|| format!("{shown} is a set"));
                let item = self.node(*item, "item", shown, &Chosen::default())?;
                scalar(arrow::Kind::List(item))
            }
            Kind::Separated(separated) => {
                self.objects(|| format!("{shown} is made of the parts of a text"));
                let made = self.node(separated.list, name, shown, chosen)?;
                self.nodes[made as usize].nullable = nullable;
                return Ok(made);
            }
            Kind::Tuple(items) => {
                let written = |id: &NodeId| &self.plan.nodes[*id as usize].written;
                match items.first() {
                    Some(first) if items.iter().all(|item| written(item) == written(first)) => {
                        let count = items.len();
                        let item = self.node(*first, "item", shown, &Chosen::default())?;
                        scalar(arrow::Kind::Tuple(item, count))
                    }
                    _ => Err(self.error(shown, "its items are of several types")),
                }
            }
            Kind::Dict(key, value) => {
                let key = self.key(*key, shown)?;
                let value = self.node(*value, "value", shown, &Chosen::default())?;
                scalar(arrow::Kind::Map(key, value))
            }
            Kind::Class(class) => {
                let made = self.class(*class, chosen, name, nullable)?;
                return Ok(made);
            }
            // A union of which pydantic makes a member.
            Kind::Any if of.after.as_ref().is_some_and(|after| !after.backs.is_empty()) => self
                .union(id, shown, || "pydantic decides of which of several types it is".to_owned()),
            Kind::Any => {
                self.objects(|| format!("{shown} is kept as JSON"));
                scalar(arrow::Kind::Json)
            }
            Kind::Raw => {
                self.objects(|| format!("{shown} is kept as JSON"));
                scalar(arrow::Kind::Json)
            }
            Kind::None => scalar(arrow::Kind::Null),
            Kind::Uid => Err(self.error(shown, "it is a UID: as an int it has a column")),
            Kind::Tokens(_) | Kind::Tagged(_) => {
                self.union(id, shown, || format!("it is of one of several types ({})", of.written))
            }
            Kind::DateTime | Kind::Date | Kind::Time | Kind::Moment(_) => {
                Err(self.error(shown, "it is a time of its own kind"))
            }
        };
        let kind = kind?;
        let nullable = nullable || matches!(kind, arrow::Kind::Null | arrow::Kind::Json);
        let made = self.push(name, kind, nullable);
        let node = &mut self.nodes[made as usize];
        (node.want, node.checks, node.cells) = (of.want, checked, of.cells.clone());
        Ok(made)
    }

    /// The checks of the values of a column.
    fn checks(&mut self, of: &Node, shown: &str) -> PyResult<Box<[arrow::Check]>> {
        let Some(after) = &of.after else { return Ok([].into()) };
        // An array refuses to round, and a column of floats rounds.
        if after.packs
            && let Kind::List(item) = of.kind
            && self.plan.nodes[item as usize].column == Some(Mark::Float32)
        {
            self.objects(|| format!("{shown} is an array of floats of 32 bits"));
        }
        let are_all_checks = || after.steps.iter().all(|step| matches!(step, Step::Check(_)));
        match checks(after, usize::from(after.packs)) {
            Ok(found) => Ok(found),
            Err(why) if are_all_checks() => {
                self.objects(|| format!("{shown} {why}"));
                Ok([].into())
            }
            Err(why) => Err(self.error(shown, format_args!("it {why}"))),
        }
    }

    /// The column of values that are some of many.
    fn choice(&mut self, id: NodeId, choice: &Choice, shown: &str) -> PyResult<arrow::Kind> {
        if choice.enum_class.is_some() {
            self.objects(|| format!("{shown} has a _missing_"));
        }
        if choice.bools.iter().any(Option::is_some) {
            return self.union(id, shown, || "its values are truth values".to_owned());
        }
        match (&choice.text_objects[..], &choice.ints[..]) {
            (texts, []) => {
                let texts = self.texts(texts)?;
                let keys = gathered(texts.iter().map(|text| text.as_bytes()));
                Ok(arrow::Kind::Choice(arrow::Choice {
                    texts: KeyTable::new(&keys),
                    values: gathered(texts.into_iter().map(Box::from)).into(),
                }))
            }
            ([], ints) => {
                Ok(arrow::Kind::ChoiceInt(ints.iter().map(|(value, _)| *value).collect()))
            }
            _ => self.union(id, shown, || "its values are strings and numbers".to_owned()),
        }
    }

    /// The column of the keys of dicts.
    fn key(&mut self, id: NodeId, shown: &str) -> PyResult<arrow::NodeId> {
        let of = &self.plan.nodes[id as usize];
        if matches!(of.kind, Kind::Str) {
            if of.after.is_some() {
                self.objects(|| format!("{shown} checks its keys"));
            }
            return Ok(self.push("key", arrow::Kind::Str, false));
        }
        self.objects(|| format!("{shown} has keys that are made of text"));
        let made = self.node(id, "key", shown, &Chosen::default())?;
        // Two keys must not become one.
        let written = match &self.nodes[made as usize].kind {
            arrow::Kind::Spelled | arrow::Kind::Json => &*of.written,
            arrow::Kind::Float32 => "float32",
            _ => return Ok(made),
        };
        Err(self.error(shown, format_args!("its keys are {written}")))
    }

    /// The column of decimal numbers that declare no digits.
    fn decimal(&mut self, shown: &str) -> PyResult<arrow::Kind> {
        let number = self.decimals;
        self.decimals += 1;
        if self.asked.counts {
            make_room(&mut self.counted, 1);
            self.counted.push((self.nodes.len() as arrow::NodeId, shown.to_owned()));
            return Ok(arrow::Kind::Decimal { precision: 0, scale: 0 });
        }
        match self.asked.digits.as_ref().and_then(|digits| digits.get(number)) {
            Some((precision, scale)) => {
                Ok(arrow::Kind::Decimal { precision: *precision, scale: *scale })
            }
            None => Err(no_digits(self.py, shown)),
        }
    }

    /// The column of values of several types, if the caller wants one.
    fn union(
        &mut self,
        id: NodeId,
        shown: &str,
        why: impl Fn() -> String,
    ) -> PyResult<arrow::Kind> {
        let (kind, form) = match self.asked.unions {
            Unions::Text if self.is_spelled(id, false) => (arrow::Kind::Spelled, "text"),
            Unions::Json if self.is_spelled(id, true) => (arrow::Kind::Json, "JSON"),
            _ => return Err(self.error(shown, why())),
        };
        self.objects(|| format!("{shown} is kept as {form}"));
        Ok(kind)
    }

    /// Whether a value says without its type how it is written: a scalar in its usual form, or, with
    /// `deep`, also a list or a dict of these.
    fn is_spelled(&self, id: NodeId, deep: bool) -> bool {
        let of = |id: &NodeId| self.is_spelled(*id, deep);
        match &self.plan.nodes[id as usize].kind {
            Kind::None
            | Kind::Bool
            | Kind::Int
            | Kind::Float
            | Kind::Str
            | Kind::Bytes
            | Kind::Duration
            | Kind::Decimal
            | Kind::DateTime
            | Kind::Date
            | Kind::Time
            | Kind::Uuid
            | Kind::Choice(_) => true,
            Kind::Any => deep,
            Kind::List(item) | Kind::TupleOf(item) => deep && of(item),
            Kind::Tuple(items) => deep && items.iter().all(of),
            Kind::Dict(key, value) => deep && of(key) && of(value),
            Kind::Tokens(tokens) => {
                let Tokens { null, boolean, integer, number, text, uid, list, map, is_plain: _ } =
                    &**tokens;
                let one = [null, boolean, integer, number, list, map];
                uid.is_none() && one.into_iter().flatten().chain(text).all(of)
            }
            _ => false,
        }
    }

    /// The texts that stand for the members of a choice.
    fn texts(&self, objects: &[Py<PyAny>]) -> PyResult<Vec<String>> {
        let text = |object: &Py<PyAny>| {
            let object = object.bind(self.py);
            if is_enum(object) {
                return object.getattr(intern!(self.py, "_value_"))?.extract();
            }
            object.extract()
        };
        objects.iter().map(text).collect()
    }

    /// The columns of a class.
    fn class(
        &mut self,
        id: ClassId,
        chosen: &Chosen,
        name: &str,
        nullable: bool,
    ) -> PyResult<arrow::NodeId> {
        let of = &self.plan.classes[id as usize];
        if self.open.contains(&id) {
            return Err(self.error(&of.name, "it contains itself"));
        }
        self.open.push(id);
        if let Some(why) = why_objects(of) {
            self.objects(|| why);
        }
        let mut columns = HashMap::new();
        let (mut fields, mut indexes) = (Vec::new(), Vec::new());
        for (index, field) in (0_u32..).zip(of.own()) {
            let name = field.name.bind(self.py).to_str()?.to_owned();
            let Some(inner) = chosen.of(&name) else { continue };
            let shown = format!("{}.{name}", of.name);
            if name.contains('\0') {
                return Err(self.error(&format!("{shown:?}"), NO_NUL));
            }
            let column = self.node(field.node, &name, &shown, inner)?;
            if field.keyed.is_some() {
                return Err(self.error(&shown, "its items become a dict"));
            }
            self.nodes[column as usize].absent = self.absent(field.node, &field.absent)?;
            make_room(&mut columns, 1);
            columns.insert(index, column);
            make_room(&mut fields, 1);
            fields.push(column);
            make_room(&mut indexes, 1);
            indexes.push(index);
        }
        for wanted in chosen.inside.keys().filter(|_| chosen.is_some()) {
            let mut names = Vec::new();
            for field in of.own() {
                names.push(field.name.bind(self.py).to_str()?.to_owned());
            }
            if !names.contains(wanted) {
                let near = nearest(wanted, names.iter().map(String::as_str));
                let hint =
                    near.map_or_else(String::new, |near| format!("; did you mean {near:?}?"));
                let reason = format!("columns: {} has no field {wanted:?}{hint}", of.name);
                return Err(PyValueError::new_err(reason));
            }
        }
        let (mut states, mut elements, mut gathers) = (Vec::new(), Vec::new(), Vec::new());
        for state in &of.states {
            let made = match self.plan.form.has_elements() {
                true => self.elements(of, state, &columns).map(|made| elements.push(made)),
                false => self.state(of, state, &columns).map(|made| states.push(made)),
            };
            if let Err(why) = made {
                self.objects(|| why);
                break;
            }
        }
        if self.plan.form.has_elements() {
            let gathered = of.own().iter().zip(0..).filter(|(field, _)| field.gathers);
            for column in gathered.filter_map(|(_, index)| columns.get(&index)) {
                gathers.push(*column);
                let node = &mut self.nodes[*column as usize];
                if let (arrow::Kind::List(_), arrow::Absent::Error) = (&node.kind, &node.absent) {
                    node.absent = arrow::Absent::List;
                }
            }
        }
        self.open.pop();
        let made = self.push(
            name,
            arrow::Kind::Struct(arrow::Struct {
                fields: fields.into(),
                states: states.into(),
                elements: elements.into(),
                gathers: gathers.into(),
                forbids_unknown: of.forbids_unknown,
            }),
            nullable,
        );
        self.structs.insert(made, (id, indexes.into()));
        Ok(made)
    }

    /// Where elements and attributes lead, or why only objects can tell.
    fn elements(
        &self,
        class: &ClassPlan,
        state: &State,
        columns: &HashMap<u32, arrow::NodeId>,
    ) -> Result<arrow::ElementState, String> {
        if state.other.is_some() || !state.takes_key.is_empty() {
            return Err(format!("{} has a path with a '*'", class.name));
        }
        if state.whole.is_some() {
            return Err(format!("{} has an element and parts of it", class.name));
        }
        let to = |edge: &NameEdge| self.target(class, edge.to, &edge.name, columns);
        let text = match state.text.map(Target::Field) {
            None => None,
            Some(text) => match self.target(class, text, "text()", columns)? {
                arrow::To::Column(node) => Some(node),
                arrow::To::Nothing => None,
                _ => return Err(format!("{} gathers the runs of its text", class.name)),
            },
        };
        Ok(arrow::ElementState {
            elements: state.elements.leading(to)?,
            attributes: state.attributes.leading(to)?,
            text,
        })
    }

    /// Where a name leads.
    fn target(
        &self,
        class: &ClassPlan,
        to: Target,
        name: &str,
        columns: &HashMap<u32, arrow::NodeId>,
    ) -> Result<arrow::To, String> {
        let aim = match to {
            Target::State(state) => return Ok(arrow::To::State(state)),
            Target::Field(aim) => aim,
        };
        let Some(field) = class.own().get(aim as usize) else {
            return Err(format!("'{name}' of {} has several types", class.name));
        };
        let Some(column) = columns.get(&aim) else { return Ok(arrow::To::Nothing) };
        if !field.gathers {
            return Ok(arrow::To::Column(*column));
        }
        match self.nodes[*column as usize].kind {
            arrow::Kind::List(_) => Ok(arrow::To::Items(*column)),
            _ => Err(format!("{}.{} gathers its values", class.name, field.name)),
        }
    }

    /// Where keys lead, or why only objects can tell.
    fn state(
        &self,
        class: &ClassPlan,
        state: &State,
        columns: &HashMap<u32, arrow::NodeId>,
    ) -> Result<arrow::State, String> {
        if state.other.is_some() || !state.indexes.is_empty() || !state.takes_key.is_empty() {
            return Err(format!("{} has a path with an index or a '*'", class.name));
        }
        let (mut keys, mut to) = (Vec::new(), Vec::new());
        for edge in &state.keys {
            keys.push(edge.name.clone());
            to.push(match edge.to {
                Target::State(next) => arrow::To::State(next),
                Target::Field(aim) => {
                    let Some(field) = class.own().get(aim as usize) else {
                        let key = &edge.name;
                        return Err(format!("the key '{key}' of {} has several types", class.name));
                    };
                    if field.gathers || class.aims[aim as usize].gathers {
                        return Err(format!("{}.{} gathers its values", class.name, field.name));
                    }
                    columns
                        .get(&aim)
                        .map_or(arrow::To::Nothing, |column| arrow::To::Column(*column))
                }
            });
        }
        Ok(arrow::State::new(keys, to))
    }

    /// What stands in a column if the record has no value for the field.
    fn absent(&self, node: NodeId, absent: &Absent) -> PyResult<arrow::Absent> {
        let py = self.py;
        let kind = &self.plan.nodes[node as usize].kind;
        Ok(match absent {
            Absent::Error => arrow::Absent::Error,
            Absent::Unset => arrow::Absent::Null,
            Absent::Value(value) => {
                let value = value.bind(py);
                if value.is_none() || is_unset(value) {
                    arrow::Absent::Null
                } else if let (Kind::Bool, Ok(value)) = (kind, value.cast_exact::<PyBool>()) {
                    arrow::Absent::Bool(value.is_true())
                } else if let (Kind::Int, true) = (kind, value.is_exact_instance_of::<PyInt>()) {
                    value.extract().map_or(arrow::Absent::Object, arrow::Absent::Int)
                } else if let (Kind::Float, Ok(value)) = (kind, value.cast_exact::<PyFloat>()) {
                    arrow::Absent::Float(value.value())
                } else if let (Kind::Str, Ok(value)) = (kind, value.cast_exact::<PyString>()) {
                    value
                        .to_str()
                        .map_or(arrow::Absent::Object, |text| arrow::Absent::Text(text.into()))
                } else {
                    arrow::Absent::Object
                }
            }
            Absent::Factory(made) => match kind {
                Kind::List(_) if made.is(py.get_type::<PyList>()) => arrow::Absent::List,
                Kind::Dict(..) if made.is(py.get_type::<PyDict>()) => arrow::Absent::Map,
                _ => arrow::Absent::Object,
            },
        })
    }
}

/// The error of a column of decimal numbers that declare no digits, and whose source can be read only
/// once.
pub(crate) fn no_digits(py: Python<'_>, shown: &str) -> PyErr {
    let why = "say how many digits it has: Annotated[Decimal, penstock.decimal(18, 4)]";
    plan_error(py, format!("{shown} has no column: {why}"))
}

/// Why it takes an object of the class to know its values, if it does.
fn why_objects(class: &ClassPlan) -> Option<String> {
    let name = &class.name;
    match &class.build {
        Build::Slots { post_init: Some(_), .. } | Build::Attributes { post_init: Some(_) } => {
            return Some(format!("{name} has a __post_init__"));
        }
        Build::Fill | Build::Call { .. } | Build::Validate(_) => {
            let why = class.why_called.as_ref().map(ToString::to_string);
            return Some(why.unwrap_or_else(|| format!("{name} is called to make its objects")));
        }
        Build::Slots { .. }
        | Build::Attributes { .. }
        | Build::Struct { .. }
        | Build::Tuple
        | Build::Dict(_) => {}
    }
    if let Some(why) = &class.why_called {
        return Some(why.to_string());
    }
    if !class.parts.is_empty() {
        return Some(format!("{name} has a part that is made of its own members"));
    }
    if !class.spreads.is_empty() {
        return Some(format!("{name} has a field of several columns"));
    }
    if !class.takes_key.is_empty() {
        return Some(format!("{name} takes the key by which it was found"));
    }
    if class.rest.is_some() {
        return Some(format!("{name} keeps unknown keys"));
    }
    if class.only_rows {
        return Some(format!("{name} is an array"));
    }
    None
}
