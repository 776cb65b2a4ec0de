//! Which columns of a header lead to which fields of a class. It is found once, so that a row is a
//! loop over its cells.

use super::header::Names;
use crate::plan::{
    Absent, Aim, ClassId, ClassPlan, Kind, KindByte, NodeId, PLAIN, Plan, Stars, Target,
};
use penstock_core::protocol::Want;
use penstock_scan::{filled, gathered, make_room};
use std::collections::BTreeMap;

/// The columns of an object.
#[derive(Debug)]
pub(crate) struct Columns {
    pub(super) class: ClassId,
    /// Those of its own fields and of its parts, in the order of the header.
    pub(super) cells: Vec<Column>,
    /// The lists whose items are columns.
    pub(super) lists: Vec<Items>,
    /// The lists whose items are objects of several columns.
    pub(super) objects: Vec<Objects>,
    /// The columns of each part that need not be there, with those of its own parts.
    pub(super) parts: Vec<Vec<u32>>,
}

/// One column of a field.
#[derive(Clone, Copy, Debug)]
pub(super) struct Column {
    /// Its place in the header.
    pub(super) column: u32,
    /// The key of the class, as an index; [`OTHER`] if the class does not name the column.
    pub(super) key: u32,
    /// The field.
    pub(super) field: u32,
    /// How its text becomes a value.
    pub(super) how: How,
}

/// The key of a column that the class does not name, but takes.
pub(super) const OTHER: u32 = u32::MAX;

/// How the text of a cell becomes a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum How {
    Str,
    Int,
    Float,
    Date,
    /// As any other value.
    Other,
}

/// A list whose items are columns.
#[derive(Debug)]
pub(super) struct Items {
    pub(super) field: u32,
    /// In the order of the header.
    pub(super) columns: Vec<u32>,
}

/// A list whose items are objects of several columns.
#[derive(Debug)]
pub(super) struct Objects {
    pub(super) field: u32,
    /// The objects, by their numbers, each with all of its columns.
    pub(super) items: Vec<(Columns, Vec<u32>)>,
}

/// A column that two fields claim.
pub(super) struct Claimed {
    pub(super) column: u32,
    pub(super) fields: [Box<str>; 2],
}

/// How many lists of objects may be inside of each other.
const DEEPEST: usize = 16;

/// Finds the columns of objects.
pub(super) struct Finder<'a, 'n> {
    pub(super) plan: &'a Plan,
    pub(super) names: &'a Names<'n>,
    /// For each column, whether it leads to some field.
    pub(super) taken: Vec<bool>,
    /// For each column, the node of its values.
    pub(super) nodes: Vec<NodeId>,
    /// Whether columns that the class does not name are kept, to be reported with each row.
    pub(super) keeps_others: bool,
    /// The columns that objects in lists require, and that are not there.
    pub(super) lacking: Vec<String>,
}

/// Adds columns.
fn add(all: &mut Vec<u32>, more: &[u32]) {
    make_room(all, more.len());
    all.extend_from_slice(more);
}

impl<'a, 'n> Finder<'a, 'n> {
    pub(super) fn new(plan: &'a Plan, names: &'a Names<'n>) -> Self {
        let (taken, nodes) = (filled(false, names.len()), filled(PLAIN, names.len()));
        Finder { plan, names, taken, nodes, keeps_others: false, lacking: Vec::new() }
    }

    /// The columns of an object whose own columns are known, each with the index of its key.
    pub(super) fn object(
        &mut self,
        class: ClassId,
        known: &[(u32, u32)],
    ) -> Result<Columns, Claimed> {
        for (column, _) in known {
            self.taken[*column as usize] = true;
        }
        let free = (0..self.names.len() as u32).filter(|it| !self.taken[*it as usize]);
        self.finished(class, known, gathered(free), &Stars::itself(), 0)
    }

    /// The columns of an object among these, whose names are made of its keys by a pattern.
    fn inner(
        &mut self,
        class: ClassId,
        among: &[u32],
        pattern: &Stars,
        depth: usize,
    ) -> Result<Columns, Claimed> {
        let state = &self.plan.classes[class as usize].states[0];
        let (mut known, mut free) = (Vec::new(), Vec::new());
        for &column in among {
            let key = pattern.star(self.names[column as usize]);
            match key.and_then(|key| state.table.find(key.as_bytes())) {
                Some(key) => {
                    make_room(&mut known, 1);
                    known.push((column, key));
                }
                None => add(&mut free, &[column]),
            }
        }
        for (column, _) in &known {
            self.taken[*column as usize] = true;
        }
        self.finished(class, &known, free, pattern, depth)
    }

    fn finished(
        &mut self,
        class: ClassId,
        known: &[(u32, u32)],
        mut free: Vec<u32>,
        pattern: &Stars,
        depth: usize,
    ) -> Result<Columns, Claimed> {
        let plan = &self.plan.classes[class as usize];
        let mut columns = Columns {
            class,
            cells: gathered(known.iter().map(|(column, key)| self.column(plan, *column, *key))),
            lists: Vec::new(),
            objects: Vec::new(),
            parts: Vec::new(),
        };
        let mut claims: BTreeMap<u32, u32> = BTreeMap::new();
        for spread in &plan.spreads {
            let pattern = pattern.around(&spread.pattern);
            let aim = &plan.aims[spread.field as usize];
            let mut found = Vec::new();
            if pattern.is_numbered() {
                let Kind::Class(item) = self.plan.nodes[aim.node as usize].kind else { continue };
                let mut numbers: BTreeMap<(u64, &str), Vec<u32>> = BTreeMap::new();
                for &column in &free {
                    if let Some(text) = pattern.star(self.names[column as usize])
                        && let Ok(number) = text.parse()
                        && depth < DEEPEST
                    {
                        add(numbers.entry((number, text)).or_default(), &[column]);
                    }
                }
                let mut items = Vec::new();
                for ((_, number), among) in numbers {
                    let inner = self.inner(item, &among, &pattern.with(number), depth + 1)?;
                    let all = inner.all();
                    if !all.is_empty() {
                        let pattern = pattern.with(number);
                        let lacking = inner.lacking(self.plan, &pattern);
                        make_room(&mut self.lacking, lacking.len());
                        self.lacking.extend(lacking);
                        add(&mut found, &all);
                        make_room(&mut items, 1);
                        items.push((inner, all));
                    }
                }
                columns.objects.push(Objects { field: spread.field, items });
            } else {
                let is_its = |column: &&u32| pattern.admits(self.names[**column as usize]);
                found = gathered(free.iter().filter(is_its).copied());
                found.iter().for_each(|column| self.nodes[*column as usize] = aim.node);
                columns
                    .lists
                    .push(Items { field: spread.field, columns: gathered(found.iter().copied()) });
            }
            for column in found {
                self.taken[column as usize] = true;
                if let Some(other) = claims.insert(column, spread.field) {
                    let name = |field: u32| plan.fields[field as usize].key.clone();
                    return Err(Claimed { column, fields: [name(other), name(spread.field)] });
                }
            }
        }
        free.retain(|column| !claims.contains_key(column));
        let takes_others = plan.rest.is_some() || plan.states[0].other.is_some();
        if depth == 0 && (takes_others || self.keeps_others) {
            let other = |column| Column { column, key: OTHER, field: 0, how: How::Other };
            make_room(&mut columns.cells, free.len());
            columns.cells.extend(free.into_iter().map(other));
            // Not `sort_by_key`, which takes memory.
            columns.cells.sort_unstable_by_key(|cell| (cell.column, cell.key));
        }
        self.add_parts(&mut columns, plan, 0);
        Ok(columns)
    }

    fn column(&mut self, plan: &ClassPlan, column: u32, key: u32) -> Column {
        let other = Column { column, key, field: 0, how: How::Other };
        let Target::Field(aim) = plan.states[0].keys[key as usize].to else { return other };
        let aim = &plan.aims[aim as usize];
        self.nodes[column as usize] = aim.node;
        Column { field: aim.field, how: self.how(aim), ..other }
    }

    fn how(&self, aim: &Aim) -> How {
        let node = &self.plan.nodes[aim.node as usize];
        match aim.kind {
            _ if aim.gathers => How::Other,
            KindByte::Str => How::Str,
            KindByte::Int => How::Int,
            KindByte::Float => How::Float,
            KindByte::Other
                if !aim.finishes && node.cells.is_none() && matches!(node.kind, Kind::Date) =>
            {
                How::Date
            }
            _ => How::Other,
        }
    }

    /// Adds the parts of a class, whose fields begin at `first` among those of the object.
    fn add_parts(&self, columns: &mut Columns, plan: &ClassPlan, first: usize) {
        for part in &plan.parts {
            let inner = &self.plan.classes[part.class as usize];
            let from = first + part.first;
            if !matches!(plan.fields[part.field as usize].absent, Absent::Error) {
                let range = from..from + inner.fields.len();
                let is_its = |field: u32| range.contains(&(field as usize));
                let cells = columns.cells.iter().filter(|it| it.key != OTHER && is_its(it.field));
                let mut all = gathered(cells.map(|cell| cell.column));
                for list in columns.lists.iter().filter(|list| is_its(list.field)) {
                    add(&mut all, &list.columns);
                }
                for list in columns.objects.iter().filter(|list| is_its(list.field)) {
                    list.items.iter().for_each(|(_, columns)| add(&mut all, columns));
                }
                columns.parts.push(all);
            }
            self.add_parts(columns, inner, from);
        }
    }
}

impl Columns {
    /// Whether there is nothing but values in columns of their own.
    pub(super) fn is_plain(&self) -> bool {
        self.lists.is_empty() && self.objects.is_empty() && self.parts.is_empty()
    }

    /// All columns.
    fn all(&self) -> Vec<u32> {
        let mut all = gathered(self.cells.iter().map(|cell| cell.column));
        self.lists.iter().for_each(|list| add(&mut all, &list.columns));
        for list in &self.objects {
            list.items.iter().for_each(|(_, columns)| add(&mut all, columns));
        }
        all
    }

    /// Says of each column whether its cells are wanted.
    pub(super) fn want(&self, wanted: &mut [Option<Want>]) {
        for column in self.all() {
            if let Some(wanted) = wanted.get_mut(column as usize) {
                *wanted = Some(Want::Digits);
            }
        }
    }

    /// The names of the columns that are required, and that the header lacks.
    pub(super) fn lacking(&self, plan: &Plan, pattern: &Stars) -> Vec<String> {
        let class = &plan.classes[self.class as usize];
        let mut lacking = Vec::new();
        let lead = |key: usize| match class.states[0].keys[key].to {
            Target::Field(aim) => Some(class.aims[aim as usize].field),
            Target::State(_) => None,
        };
        let found = |field: u32| {
            let mut keys = self.cells.iter().filter(|cell| cell.key != OTHER);
            keys.any(|cell| lead(cell.key as usize) == Some(field))
        };
        for (index, field) in (0..).zip(&class.fields) {
            let is_required = matches!(field.absent, Absent::Error) && !field.gathers;
            if is_required
                && !found(index)
                && let Some(key) =
                    (0..class.states[0].keys.len()).find(|it| lead(*it) == Some(index))
            {
                lacking.push(pattern.column(&class.states[0].keys[key].name));
            }
        }
        lacking
    }
}
