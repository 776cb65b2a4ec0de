//! Rows of a table, column by column: the type of a column is looked at once for many of them.

use crate::bits::Bits;
use crate::column::{Bytes, Column, Data};
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
    /// Room for the text of a cell in which quotes are doubled.
    text: String,
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
            // No cells lead to it. If no row was taken, it does not matter.
            if self.columns.rows_of(field) == before {
                count = self.columns.add_absent(field, count);
            }
        }
        self.columns.end_table(count, most.map_or(usize::MAX, |most| most.bytes))
    }

    /// Adds cells of a column. Returns how many, which is less than `count` if one is not taken.
    #[inline(always)]
    fn add_column(&mut self, place: usize, node: NodeId, rows: &Rows<'_>, count: usize) -> usize {
        let is_plain = self.columns.is_plain(node);
        let mut row = 0;
        while row < count {
            if is_plain {
                row = self.columns.add_plain(node, rows, place, row..count);
                if row == count {
                    break;
                }
            }
            let (rows_before, bytes) = (self.columns.rows_of(node), self.columns.bytes);
            let mut added = self.add_cell(node, rows, rows.cell(row, place));
            if added.is_ok() && self.columns.rows_of(node) == rows_before {
                added = self.columns.absent(node);
            }
            if added.is_err() {
                return row;
            }
            self.columns.move_bytes(row, bytes);
            row += 1;
        }
        count
    }

    #[inline(never)]
    fn add_cell(
        &mut self,
        node: NodeId,
        rows: &Rows<'_>,
        cell: Option<RowCell<'_>>,
    ) -> Result<(), Unfit> {
        match cell {
            Some(RowCell::Untyped(text)) => {
                self.value(node, Scalar::Untyped(Text { text, ascii: false }))
            }
            Some(RowCell::Empty) => self.value(node, Scalar::Text(Text::from(""))),
            Some(RowCell::Doubled(text)) => {
                let mut room = std::mem::take(&mut self.columns.table.text);
                let text = Text { text: rows.undoubled(text, &mut room).into(), ascii: false };
                let added = self.value(node, Scalar::Untyped(text));
                self.columns.table.text = room;
                added
            }
            None => Err(Unfit::Form),
        }
    }
}

impl Columns {
    fn begin_table(&mut self, header: &[(u32, NodeId)], count: usize) {
        let Table { sizes, words, .. } = &mut self.table;
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

    /// Whether [`add_plain`](Self::add_plain) knows the values of a column.
    fn is_plain(&self, node: NodeId) -> bool {
        let of = &self.plan.nodes[node as usize];
        let is_known = matches!(of.kind, Kind::Str | Kind::Int(_) | Kind::Float);
        is_known && of.cells.is_none() && (of.checks.is_empty() || self.trusts)
    }

    /// Adds cells of a [plain](Self::is_plain) column, up to the first one that is nothing usual.
    /// Returns its row.
    #[inline(always)]
    fn add_plain(
        &mut self,
        node: NodeId,
        rows: &Rows<'_>,
        place: usize,
        range: std::ops::Range<usize>,
    ) -> usize {
        let of = &self.plan.nodes[node as usize];
        let Column { data, valid, rows: before } = &mut self.columns[node as usize];
        let sizes = &mut self.table.sizes[range.clone()];
        let cells = rows.column(place, range.start).zip(sizes);
        // An empty cell stands for null, for a default, or for a text.
        let nullable = of.nullable || of.absent == Absent::Null;
        let takes_empty = !nullable && of.absent == Absent::Error;
        let mut valid = Valid { bits: valid, rows: *before, nullable };
        match (&of.kind, data) {
            (Kind::Str, Data::Bytes(values)) => {
                let most = rows.size(range.end);
                add_texts(values, most, cells, range.len(), takes_empty, &mut valid);
            }
            (Kind::Int(width), Data::Int(values)) => {
                let (least, most) = width.range();
                let parse = |text: &[u8]| match xsd::integer(text) {
                    Some(Integer::Small(value)) if (least..=most).contains(&value) => Some(value),
                    _ => None,
                };
                add_numbers(values, cells, range.len(), &mut valid, parse);
            }
            (Kind::Float, Data::Float(values)) => {
                let parse = |text: &[u8]| lexical::float(text).ok();
                add_numbers(values, cells, range.len(), &mut valid, parse);
            }
            _ => {}
        }
        let added = valid.rows - *before;
        *before = valid.rows;
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
            let Column { data: Data::Dictionary(places, words), valid, .. } =
                &mut self.columns[*node as usize]
            else {
                continue;
            };
            // A row without a value refers to nothing.
            let is_filled = |row: usize| valid.as_ref().is_none_or(|valid| valid.get(row));
            let used = places.iter().enumerate().skip(before).filter(|(row, _)| is_filled(*row));
            let used = used.map(|(_, place)| *place as usize + 1).max().unwrap_or(0);
            words.truncate(used.max(*had));
        }
    }
}

/// Which rows of a column have a value.
struct Valid<'c> {
    bits: &'c mut Option<Bits>,
    rows: usize,
    /// Whether an empty cell has none.
    nullable: bool,
}

impl Valid<'_> {
    #[inline(always)]
    fn value(&mut self) {
        if let Some(bits) = self.bits {
            bits.push(true);
        }
        self.rows += 1;
    }

    #[inline(always)]
    fn null(&mut self) {
        let rows = self.rows;
        self.bits.get_or_insert_with(|| Bits::filled(true, rows)).push(false);
        self.rows += 1;
    }
}

/// Adds up to `most` numbers, until one is not plain.
#[inline(always)]
fn add_numbers<'a, 's, T: Default>(
    values: &mut Vec<T>,
    cells: impl Iterator<Item = (RowCell<'a>, &'s mut usize)>,
    most: usize,
    valid: &mut Valid<'_>,
    parse: impl Fn(&[u8]) -> Option<T>,
) {
    make_room(values, most);
    for (cell, size) in cells {
        let RowCell::Untyped(text) = cell else { break };
        if text.as_bytes().is_empty() && valid.nullable {
            values.push(T::default());
            valid.null();
            *size += 8;
            continue;
        }
        let Some(value) = parse(text.as_bytes()) else { break };
        values.push(value);
        valid.value();
        *size += 8;
    }
}

/// Adds up to `most` strings, which have so many bytes at most, until one is not plain.
#[inline(always)]
fn add_texts<'a, 's>(
    values: &mut Bytes,
    bytes: usize,
    cells: impl Iterator<Item = (RowCell<'a>, &'s mut usize)>,
    most: usize,
    takes_empty: bool,
    valid: &mut Valid<'_>,
) {
    if i32::try_from(values.bytes.len() + bytes).is_err() {
        return;
    }
    make_room(&mut values.offsets, most);
    let mut pen = Pen::new(&mut values.bytes, Chosen::portable());
    for (cell, size) in cells {
        let text = match cell {
            RowCell::Untyped(text) => text.as_bytes(),
            RowCell::Empty => b"",
            RowCell::Doubled(_) => break,
        };
        if text.is_empty() && cell != RowCell::Empty && !takes_empty {
            if !valid.nullable {
                break;
            }
            values.offsets.push(pen.len() as i32);
            valid.null();
            *size += 4;
            continue;
        }
        pen.copy(text);
        values.offsets.push(pen.len() as i32);
        valid.value();
        *size += text.len() + 4;
    }
}
