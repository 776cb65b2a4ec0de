//! The columns of a table that is written: who says which there are, and which one a key is.

use super::options::Header;
use super::writer::Writer;
use crate::writer::{Column, Unwritable};

/// Who says which columns there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Known {
    /// Nobody yet: the first row will.
    No,
    /// The dialect.
    Header,
    /// The first row.
    FirstRow,
    /// The class of the rows.
    Class,
    /// The table that the rows come from.
    Source,
}

/// A name, if there is memory for it.
pub(super) fn boxed(name: &str) -> Result<Box<str>, Unwritable> {
    let mut copy = String::new();
    copy.try_reserve_exact(name.len()).map_err(|_| Unwritable::memory())?;
    copy.push_str(name);
    Ok(copy.into_boxed_str())
}

/// Copies of all, or none if there is no memory for them.
pub(super) fn copied<T>(all: &[T], copy: impl Fn(&T) -> Result<T, Unwritable>) -> Option<Vec<T>> {
    let mut copies = Vec::new();
    copies.try_reserve_exact(all.len()).ok()?;
    for each in all {
        copies.push(copy(each).ok()?);
    }
    Some(copies)
}

/// A column of which only the name is known.
fn column(name: &str) -> Result<Column, Unwritable> {
    Ok(Column { name: boxed(name)?, empty_is_text: None })
}

impl Writer {
    /// The columns that the dialect names.
    pub(super) fn given(&mut self) {
        (self.known, self.begun, self.asks, self.layout) = (Known::No, false, true, 0);
        self.columns.clear();
        self.by_name.clear();
        if let Header::InputView(names) = &self.header {
            self.columns.extend(names.iter().map(|name| Column::new(name)));
            self.known = Known::Header;
        }
    }

    /// The columns of the table that the rows come from.
    pub(super) fn of_source<'n>(
        &mut self,
        names: impl ExactSizeIterator<Item = &'n str>,
    ) -> Result<(), Unwritable> {
        self.columns.try_reserve(names.len()).map_err(|_| Unwritable::memory())?;
        for name in names {
            self.columns.push(column(name)?);
        }
        self.known = Known::Source;
        Ok(())
    }

    /// Finds the column of a key.
    #[inline(always)]
    pub(super) fn find(&mut self, key: &str) -> Result<(), Unwritable> {
        if self.known == Known::No {
            return self.new_column(key);
        }
        if !self.is_scattered
            && self.columns.get(self.filled).is_some_and(|column| *column.name == *key)
        {
            self.column = self.filled;
            return Ok(());
        }
        self.find_elsewhere(key)
    }

    #[inline(never)]
    fn find_elsewhere(&mut self, key: &str) -> Result<(), Unwritable> {
        self.name_all()?;
        let Some(&column) = self.by_name.get(key) else {
            let of = match self.known {
                Known::Header => "the header",
                Known::Class => "the class",
                Known::Source => "the source",
                Known::FirstRow | Known::No => "the first row",
            };
            return Err(Unwritable::value(format!("there is no column {key:?} in {of}")));
        };
        let is_free = |column: usize| {
            let is_taken = self.is_scattered && self.taken[column];
            column >= self.filled && !is_taken
        };
        let mut all = std::iter::once(column).chain(column + 1..self.columns.len());
        let free = all.find(|at| *self.columns[*at].name == *key && is_free(*at));
        let Some(column) = free else {
            return Err(Unwritable::value(format!("the column {key:?} comes twice in a row")));
        };
        self.column = column;
        if !self.is_scattered {
            self.scattered.clear();
            self.taken.clear();
            let count = self.columns.len();
            self.taken.try_reserve(count).map_err(|_| Unwritable::memory())?;
            self.taken.resize(count, false);
            self.is_scattered = true;
        }
        Ok(())
    }

    /// Makes the table of names, once.
    fn name_all(&mut self) -> Result<(), Unwritable> {
        if self.by_name.is_empty() {
            self.by_name.try_reserve(self.columns.len()).map_err(|_| Unwritable::memory())?;
            for (number, column) in self.columns.iter().enumerate() {
                self.by_name.entry(boxed(&column.name)?).or_insert(number);
            }
        }
        Ok(())
    }

    /// A key of the first row.
    #[cold]
    #[inline(never)]
    fn new_column(&mut self, key: &str) -> Result<(), Unwritable> {
        let number = self.columns.len();
        if self.header == Header::Positions
            && let Ok(place) = key.parse::<usize>()
            && place != number
        {
            return Err(Unwritable::value(format!(
                "without a header, columns are named by position: the column {key:?} is at {number}"
            )));
        }
        self.by_name.try_reserve(1).map_err(|_| Unwritable::memory())?;
        self.columns.try_reserve(1).map_err(|_| Unwritable::memory())?;
        if self.by_name.insert(boxed(key)?, number).is_some() {
            return Err(Unwritable::value(format!("the column {key:?} comes twice in a row")));
        }
        self.columns.push(column(key)?);
        self.column = number;
        Ok(())
    }

    /// The column of the next item of a list.
    pub(super) fn next_place(&mut self) -> Result<(), Unwritable> {
        self.column = self.filled;
        if self.column < self.columns.len() {
            return Ok(());
        }
        if self.known != Known::No {
            return Err(self.other_length("more"));
        }
        self.columns.try_reserve(1).map_err(|_| Unwritable::memory())?;
        self.columns.push(column(&self.column.to_string())?);
        Ok(())
    }

    #[cold]
    pub(super) fn other_length(&self, cells: &str) -> Unwritable {
        let count = self.columns.len();
        let columns = if count == 1 {
            "there is 1 column".to_owned()
        } else {
            format!("there are {count} columns")
        };
        Unwritable::value(format!("the row has {cells} cells, and {columns}"))
    }

    /// Puts the columns of a class in the order of the positions that name them, if they do.
    /// Returns whether they were in that order, or have other names.
    pub(super) fn by_position(&mut self) -> Result<bool, Unwritable> {
        let place = |column: &Column| column.name.parse::<usize>().ok();
        if self.columns.iter().all(|column| place(column).is_none()) {
            return Ok(true);
        }
        let is_sorted = self.columns.is_sorted_by_key(place);
        self.columns.sort_by_key(|column| place(column).unwrap_or(usize::MAX));
        for (number, column) in self.columns.iter().enumerate() {
            if place(column) != Some(number) {
                return Err(Unwritable::value(format!(
                    "without a header, columns are named by position, and the class has none at \
                     {number}"
                )));
            }
        }
        Ok(is_sorted)
    }

    /// Checks the number of columns against that of the file that the rows follow.
    pub(super) fn check_width(&self, count: usize) -> Result<(), Unwritable> {
        match self.behind {
            Some(width) if width != count => Err(Unwritable::value(format!(
                "the file has {width} columns, and the first row has {count}"
            ))),
            _ => Ok(()),
        }
    }

    /// Checks the columns of a class against those of the file that its rows follow.
    pub(super) fn same_columns(
        &mut self,
        columns: &[Column],
        layout: u64,
    ) -> Result<(), Unwritable> {
        let names = |columns: &[Column]| {
            let names: Vec<_> = columns.iter().map(|column| format!("{:?}", column.name)).collect();
            names.join(", ")
        };
        let is_same = self.columns.len() == columns.len()
            && self.columns.iter().zip(columns).all(|(a, b)| a.name == b.name);
        if self.behind.is_some() && !is_same {
            return Err(Unwritable::value(format!(
                "the file has the columns {}, and the class has {}",
                names(&self.columns),
                names(columns)
            )));
        }
        for column in &mut self.columns {
            let own = columns.iter().find(|own| own.name == column.name);
            column.empty_is_text = own.and_then(|own| own.empty_is_text);
        }
        (self.asks, self.layout) = (false, if is_same { layout } else { 0 });
        Ok(())
    }
}
