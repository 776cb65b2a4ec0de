//! Rows of a table, column by column: the type of a column is looked at once for many of them.

use crate::column::{Bytes, Data};
use crate::columns::Columns;
use crate::fast::Settings;
use crate::keyed::Keyed;
use crate::plan::{Absent, Kind, NodeId};
use crate::values::Unfit;
use penstock_core::event::{RowCell, Rows, Scalar, Text};
use penstock_core::value::lexical;
use penstock_core::value::xsd::{self, Integer};
use penstock_scan::{Chosen, Pen, make_room};

/// What is known of the rows that are being added.
#[derive(Debug, Default)]
pub(crate) struct Table {
    /// About how many bytes the values of each row take.
    sizes: Vec<usize>,
    /// The dictionaries, and how many words they had.
    words: Vec<(NodeId, usize)>,
}

impl Keyed {
    /// Adds rows, from the first one on, until one is not taken or `most` is reached. All that is
    /// there afterwards is the same as if these rows had been added one by one.
    pub(crate) fn add_rows(
        &mut self,
        header: &[(u32, NodeId)],
        rows: &Rows<'_>,
        most: Option<&Settings>,
    ) -> usize {
        let before = self.columns.rows();
        let room = most.map_or(usize::MAX, |most| most.rows.saturating_sub(before));
        let mut count = rows.count().min(room);
        self.columns.begin_table(header, count);
        for (place, node) in header {
            count = self.add_column(*place as usize, *node, rows, count);
        }
        let root = self.columns.plan.root;
        for at in 0..self.columns.struct_of(root).map_or(0, |of| of.fields.len()) {
            let Some(field) = self.columns.struct_of(root).map(|of| of.fields[at]) else { break };
            if !header.iter().any(|(_, node)| *node == field) {
                count = self.columns.add_absent(field, count);
            }
        }
        self.columns.end_table(count, most.map_or(usize::MAX, |most| most.bytes))
    }

    /// Adds cells of a column. Returns how many, which is less than `count` if one is not taken.
    #[inline(always)]
    fn add_column(&mut self, place: usize, node: NodeId, rows: &Rows<'_>, count: usize) -> usize {
        let mut row = 0;
        loop {
            row = self.columns.add_plain(node, rows, place, row..count);
            if row == count {
                return count;
            }
            let (rows_before, bytes) = (self.columns.rows_of(node), self.columns.bytes);
            let mut added = self.add_cell(node, rows.cell(row, place));
            if added.is_ok() && self.columns.rows_of(node) == rows_before {
                added = self.columns.absent(node);
            }
            if added.is_err() {
                return row;
            }
            self.columns.move_bytes(row, bytes);
            row += 1;
        }
    }

    #[inline(never)]
    fn add_cell(&mut self, node: NodeId, cell: Option<RowCell<'_>>) -> Result<(), Unfit> {
        match cell {
            Some(RowCell::Untyped(text)) => {
                self.value(node, Scalar::Untyped(Text { text, ascii: false }))
            }
            Some(RowCell::Empty) => self.value(node, Scalar::Text(Text::from(""))),
            // The reader puts it together.
            Some(RowCell::Doubled) | None => Err(Unfit::Form),
        }
    }
}

impl Columns {
    fn begin_table(&mut self, header: &[(u32, NodeId)], count: usize) {
        let Table { sizes, words } = &mut self.table;
        sizes.clear();
        make_room(sizes, count);
        sizes.resize(count, 0);
        words.clear();
        for (_, node) in header {
            if let Data::Dictionary(_, all) = &self.columns[*node as usize].data {
                make_room(words, 1);
                words.push((*node, all.count()));
            }
        }
    }

    /// About how many bytes each of the rows takes that were added last.
    pub(crate) fn row_sizes(&self) -> &[usize] {
        &self.table.sizes
    }

    /// Counts the bytes that were added since `before` to a row.
    #[inline(always)]
    fn move_bytes(&mut self, row: usize, before: usize) {
        self.table.sizes[row] += self.bytes - before;
        self.bytes = before;
    }

    /// Adds cells of the most usual types, up to the first one that is nothing usual. Returns its
    /// row.
    #[inline(always)]
    fn add_plain(
        &mut self,
        node: NodeId,
        rows: &Rows<'_>,
        place: usize,
        range: std::ops::Range<usize>,
    ) -> usize {
        let of = &self.plan.nodes[node as usize];
        if of.cells.is_some() || !of.checks.is_empty() && !self.trusts {
            return range.start;
        }
        let column = &mut self.columns[node as usize];
        let sizes = &mut self.table.sizes[range.clone()];
        let cells = rows.column(place, range.start);
        let added = match (&of.kind, &mut column.data) {
            (Kind::Str, Data::Bytes(values)) => {
                // An empty cell stands for null, for a default, or for a text.
                let takes_empty = !of.nullable && of.absent == Absent::Error;
                add_texts(values, rows.size(range.end), cells, sizes, takes_empty)
            }
            (Kind::Int(width), Data::Int(values)) => {
                let (least, most) = width.range();
                add_numbers(values, cells, sizes, |text| match xsd::integer(text) {
                    Some(Integer::Small(value)) if (least..=most).contains(&value) => Some(value),
                    _ => None,
                })
            }
            (Kind::Float, Data::Float(values)) => {
                add_numbers(values, cells, sizes, |text| lexical::float(text).ok())
            }
            _ => 0,
        };
        column.filled_by(added);
        range.start + added
    }

    /// Adds what stands in a column of which there are no cells.
    fn add_absent(&mut self, node: NodeId, count: usize) -> usize {
        for row in 0..count {
            let before = self.bytes;
            if self.absent(node).is_err() {
                return row;
            }
            self.move_bytes(row, before);
        }
        count
    }

    /// So many rows were added to all columns, and more to some. Takes back what is behind them, and
    /// behind the row with which there are `most` bytes. Returns how many are left.
    fn end_table(&mut self, mut count: usize, most: usize) -> usize {
        let (root, before) = (self.plan.root, self.rows());
        for (row, size) in self.table.sizes[..count].iter().enumerate() {
            self.bytes += size;
            if self.bytes >= most {
                count = row + 1;
                break;
            }
        }
        let rows = before + count;
        let fields = self.struct_of(root).map_or(0, |of| of.fields.len());
        for at in 0..fields {
            let Some(field) = self.struct_of(root).map(|of| of.fields[at]) else { break };
            if self.rows_of(field) > rows {
                self.truncate(field, rows);
            }
        }
        if count < self.table.sizes.len() {
            self.forget_words(before);
        }
        self.table.sizes.truncate(count);
        self.columns[root as usize].filled_by(count);
        count
    }

    /// Takes the words out of the dictionaries that only rows had which were taken back.
    #[cold]
    fn forget_words(&mut self, before: usize) {
        for (node, had) in &self.table.words {
            let Data::Dictionary(places, words) = &mut self.columns[*node as usize].data else {
                continue;
            };
            let used = places.get(before..).unwrap_or_default().iter().max();
            let used = used.map_or(0, |place| *place as usize + 1);
            words.truncate(used.max(*had));
        }
    }
}

/// Adds numbers until one is not plain. Returns how many.
#[inline(always)]
fn add_numbers<'a, T>(
    values: &mut Vec<T>,
    cells: impl Iterator<Item = RowCell<'a>>,
    sizes: &mut [usize],
    parse: impl Fn(&[u8]) -> Option<T>,
) -> usize {
    let before = values.len();
    make_room(values, sizes.len());
    for (cell, size) in cells.zip(sizes) {
        let RowCell::Untyped(text) = cell else { break };
        let Some(value) = parse(text.as_bytes()) else { break };
        values.push(value);
        *size += 8;
    }
    values.len() - before
}

/// Adds strings, which have so many bytes at most, until one is not plain. Returns how many.
#[inline(always)]
fn add_texts<'a>(
    values: &mut Bytes,
    most: usize,
    cells: impl Iterator<Item = RowCell<'a>>,
    sizes: &mut [usize],
    takes_empty: bool,
) -> usize {
    if i32::try_from(values.bytes.len() + most).is_err() {
        return 0;
    }
    let before = values.offsets.len();
    make_room(&mut values.offsets, sizes.len());
    let mut pen = Pen::new(&mut values.bytes, Chosen::portable());
    for (cell, size) in cells.zip(sizes) {
        let text = match cell {
            RowCell::Untyped(text) if takes_empty || !text.as_bytes().is_empty() => text.as_bytes(),
            RowCell::Empty => b"",
            _ => break,
        };
        pen.copy(text);
        values.offsets.push(pen.len() as i32);
        *size += text.len() + 4;
    }
    values.offsets.len() - before
}
