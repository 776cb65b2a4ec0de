//! The columns of a batch, and their rows.

use crate::column::{Column, Data, inside};
use crate::plan::{Absent, Kind, Node, NodeId, Plan, Struct};
use crate::table::Table;
use crate::values::Unfit;
use arrow_schema::SchemaRef;
use penstock_scan::gathered;
use std::collections::HashMap;

/// The rows of one batch, column by column.
///
/// A row of a struct is complete when [`end_struct`](Columns::end_struct) has been called: until
/// then the columns inside may have one value more than the struct has rows. So whether a field has
/// a value already is a comparison of two lengths, and an unfinished row is taken back by cutting
/// all columns to the length that they should have.
#[derive(Debug)]
pub struct Columns {
    pub(crate) plan: Plan,
    pub(crate) columns: Vec<Column>,
    pub(crate) schema: SchemaRef,
    /// About how many bytes the values take.
    pub(crate) bytes: usize,
    /// Room for the form of a number or a date that is converted.
    pub(crate) room: Vec<u8>,
    /// Whether values were checked already.
    pub(crate) trusts: bool,
    /// For columns of decimal numbers whose digits are counted: the most before the point, and behind
    /// it.
    pub(crate) digits: HashMap<NodeId, (u32, u32)>,
    /// The rows of a table that are being added.
    pub(crate) table: Table,
}

impl Columns {
    /// Columns without rows.
    ///
    /// # Panics
    /// If the root of the plan is no struct.
    #[must_use]
    pub fn new(plan: Plan) -> Self {
        let columns = gathered(plan.nodes.iter().map(|node| Column::new(&node.kind)));
        let schema = crate::batch::schema(&plan);
        let (room, digits) = (Vec::new(), HashMap::new());
        let table = Table::default();
        Columns { plan, columns, schema, bytes: 0, room, trusts: false, digits, table }
    }

    /// The plan.
    #[must_use]
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The schema of the batches.
    #[must_use]
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Says whether the values that follow were checked already.
    pub fn trust(&mut self, trusts: bool) {
        self.trusts = trusts;
    }

    /// A column's name, type and rules.
    #[inline(always)]
    #[must_use]
    pub fn node(&self, node: NodeId) -> &Node {
        &self.plan.nodes[node as usize]
    }

    /// How many rows a column has.
    #[inline(always)]
    #[must_use]
    pub fn rows_of(&self, node: NodeId) -> usize {
        self.columns[node as usize].rows
    }

    /// How many complete records there are.
    #[inline(always)]
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows_of(self.plan.root)
    }

    /// About how many bytes the values take.
    #[inline(always)]
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Forgets all rows.
    pub fn forget(&mut self) {
        for column in &mut self.columns {
            column.take();
        }
        self.bytes = 0;
    }

    /// For a column of decimal numbers whose digits are only counted: the most before the point, and
    /// behind it.
    #[must_use]
    pub fn most_digits(&self, node: NodeId) -> (u32, u32) {
        self.digits.get(&node).copied().unwrap_or_default()
    }

    /// Takes back what there is of a record that is not complete.
    pub fn abandon(&mut self) {
        self.truncate(self.plan.root, self.rows());
    }

    /// Takes back the rows of a column from one on, with everything inside of it.
    pub fn truncate(&mut self, node: NodeId, rows: usize) {
        let end = self.columns[node as usize].truncate(rows);
        match &self.plan.nodes[node as usize].kind {
            Kind::Struct(of) => {
                for at in 0..of.fields.len() {
                    let Kind::Struct(of) = &self.plan.nodes[node as usize].kind else { return };
                    self.truncate(of.fields[at], rows);
                }
            }
            Kind::Tuple(item, count) => self.truncate(*item, rows * count),
            kind => {
                for inner in inside(kind).into_iter().flatten() {
                    self.truncate(inner, end);
                }
            }
        }
    }

    /// Adds null to a column, whether or not it may hold null.
    #[inline(never)]
    pub(crate) fn push_null(&mut self, node: NodeId) {
        self.bytes += self.columns[node as usize].pad();
        self.columns[node as usize].unfilled();
        self.pad_inside(node);
    }

    /// Fills up the columns inside of a row without a value.
    fn pad_inside(&mut self, node: NodeId) {
        let (count, of) = match &self.plan.nodes[node as usize].kind {
            Kind::Struct(of) => (1, of.fields.clone()),
            Kind::Tuple(item, count) => (*count, [*item].into()),
            _ => return,
        };
        for inner in of {
            for _ in 0..count {
                self.bytes += self.columns[inner as usize].pad();
                if self.plan.nodes[inner as usize].may_be_null() {
                    self.columns[inner as usize].unfilled();
                } else {
                    self.columns[inner as usize].filled();
                }
                self.pad_inside(inner);
            }
        }
    }

    /// Adds null to a column.
    ///
    /// # Errors
    /// It holds none.
    #[inline]
    pub fn null(&mut self, node: NodeId) -> Result<(), Unfit> {
        if !self.plan.nodes[node as usize].nullable {
            return Err(Unfit::Form);
        }
        self.push_null(node);
        Ok(())
    }

    /// Adds null to a column that may hold null, also if null is none of its values.
    ///
    /// # Errors
    /// It may not.
    pub fn nothing(&mut self, node: NodeId) -> Result<(), Unfit> {
        if !self.plan.nodes[node as usize].may_be_null() {
            return Err(Unfit::Form);
        }
        self.push_null(node);
        Ok(())
    }

    /// The columns of a struct.
    #[inline(always)]
    #[must_use]
    pub fn struct_of(&self, node: NodeId) -> Option<&Struct> {
        match &self.plan.nodes[node as usize].kind {
            Kind::Struct(of) => Some(of),
            _ => None,
        }
    }

    /// A row of a struct is complete: fills the columns that have no value for it.
    ///
    /// # Errors
    /// A value is missing that must be there.
    #[inline(always)]
    pub fn end_struct(&mut self, node: NodeId) -> Result<(), Unfit> {
        let row = self.columns[node as usize].rows;
        let Kind::Struct(of) = &self.plan.nodes[node as usize].kind else {
            return Err(Unfit::Form);
        };
        if !of.fields.iter().all(|field| self.columns[*field as usize].rows > row) {
            self.fill_absent(node, row)?;
        }
        self.columns[node as usize].filled();
        Ok(())
    }

    #[inline(never)]
    fn fill_absent(&mut self, node: NodeId, row: usize) -> Result<(), Unfit> {
        let count = self.struct_of(node).map_or(0, |of| of.fields.len());
        for at in 0..count {
            let Some(field) = self.struct_of(node).map(|of| of.fields[at]) else { continue };
            if self.columns[field as usize].rows == row {
                self.absent(field)?;
            }
        }
        Ok(())
    }

    /// Adds what stands in a column if the record has no value for it.
    ///
    /// # Errors
    /// There must be a value.
    pub fn absent(&mut self, node: NodeId) -> Result<(), Unfit> {
        match &self.plan.nodes[node as usize].absent {
            Absent::Null => self.push_null(node),
            Absent::Error => return Err(Unfit::Form),
            Absent::Object => return Err(Unfit::Form),
            Absent::Int(value) => {
                let value = *value;
                return self.int(node, value);
            }
            Absent::Float(value) => {
                let value = *value;
                return self.float(node, value);
            }
            Absent::Bool(value) => {
                let value = *value;
                return self.boolean(node, value);
            }
            Absent::Text(value) => {
                let value = value.clone();
                return self.quoted(node, value.as_bytes());
            }
            Absent::List | Absent::Map => return self.end_list(node),
        }
        Ok(())
    }

    /// The items that were added to the columns inside since the last row are a list, or a map.
    ///
    /// # Errors
    /// There are too many of them, or not so many as there must be.
    #[inline(always)]
    pub fn end_list(&mut self, node: NodeId) -> Result<(), Unfit> {
        let of = &self.plan.nodes[node as usize];
        let items = match &of.kind {
            Kind::List(item) | Kind::Map(_, item) => self.columns[*item as usize].rows,
            Kind::Tuple(item, count) => {
                let items = self.columns[*item as usize].rows;
                let column = &mut self.columns[node as usize];
                if items != (column.rows + 1) * count {
                    return Err(Unfit::Form);
                }
                column.filled();
                return Ok(());
            }
            _ => return Err(Unfit::Form),
        };
        let column = &mut self.columns[node as usize];
        let Data::List(offsets) = &mut column.data else { return Err(Unfit::Form) };
        let begin = offsets.last().map_or(0, |end| *end as usize);
        if !self.trusts && !of.checks.iter().all(|check| check.length(items - begin)) {
            return Err(Unfit::Form);
        }
        let Ok(end) = i32::try_from(items) else { return Err(Unfit::Full) };
        crate::column::push(offsets, end);
        self.bytes += 8;
        column.filled();
        Ok(())
    }

    /// The last strings of a column of strings.
    pub(crate) fn last_texts(&self, node: NodeId, count: usize) -> impl Iterator<Item = &[u8]> {
        let (offsets, bytes): (&[i32], &[u8]) = match &self.columns[node as usize].data {
            Data::Bytes(values) => (&values.offsets, &values.bytes),
            _ => (&[], &[]),
        };
        let from = offsets.len().saturating_sub(count + 1);
        offsets[from..].windows(2).filter_map(|pair| bytes.get(pair[0] as usize..pair[1] as usize))
    }

    /// How many items were added for the row of a list that is not complete.
    #[must_use]
    pub fn items(&self, node: NodeId) -> usize {
        match (&self.plan.nodes[node as usize].kind, &self.columns[node as usize].data) {
            (Kind::List(item) | Kind::Map(_, item), Data::List(offsets)) => {
                let begin = offsets.last().map_or(0, |end| *end as usize);
                self.columns[*item as usize].rows - begin
            }
            (Kind::Tuple(item, count), _) => {
                self.columns[*item as usize].rows - self.columns[node as usize].rows * count
            }
            _ => 0,
        }
    }
}
