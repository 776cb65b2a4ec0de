//! What is wrong with a row, in words.

use super::reader::Reader;
use super::rows::{End, Wrong};
use crate::error::Fault;

impl Reader {
    /// The fault of the current row, which should have so many columns.
    pub(super) fn describe(&self, end: End, columns: usize) -> Fault {
        let start = self.base + self.pos as u64;
        let cells = self.row.cells.len();
        let Some((wrong, at)) = self.row.wrong else {
            // A row that is too short is wrong where it ends.
            let cell = self.row.cells.get(columns).map_or(end.end, |cell| cell.at);
            let plural = |count: usize| if count == 1 { "" } else { "s" };
            let reason = format!(
                "the row has {cells} cell{}, and there {} {columns} column{}",
                plural(cells),
                if columns == 1 { "is" } else { "are" },
                plural(columns)
            );
            return Fault::malformed(start + cell as u64, reason);
        };
        let offset = start + at as u64;
        match wrong {
            Wrong::Quote => {
                Fault::malformed(offset, "a quote in a cell that does not begin with one")
            }
            Wrong::Behind => Fault::malformed(offset, "text behind the closing quote of a cell"),
            Wrong::Nul => Fault::malformed(offset, "a NUL character"),
            Wrong::Return => Fault::malformed(offset, "a carriage return without a line feed"),
            Wrong::Feed => Fault::malformed(offset, "a line feed without a carriage return"),
            Wrong::Open => Fault::truncated(offset, "a quote that is never closed"),
            Wrong::Long { open } => {
                let most = self.grammar.most();
                let hint = if open { ": its last quote is not closed" } else { "" };
                Fault::limit(
                    offset,
                    format!("a row is longer than {most} bytes (limits.row){hint}"),
                )
            }
        }
    }
}
