//! Whether the first row of a table has the names of its columns.

use super::cost::Kind;
use super::table::{First, Form, Table};
use penstock_scan::{gathered, make_room};

/// The least rows below a cell of the first row that say something of its form.
const FORM: u32 = 2;

/// What speaks for names in the first row: above zero it has some, below zero it is a row like all
/// others.
pub(super) fn evidence(table: &Table) -> i32 {
    if are_steps(table) {
        return 1;
    }
    let one = |(column, first): (&super::table::Column, &First)| {
        let count = |kind: Kind| column.counts[kind as usize];
        let (numbers, moments, texts) =
            (count(Kind::Number), count(Kind::Moment), count(Kind::Text));
        let filled = numbers + moments + texts;
        if first.kind == Kind::Empty {
            return 0;
        }
        if filled == 0 {
            return if first.kind.is_typed() { -2 } else { 0 };
        }
        // A few cells may be dirty.
        let is_typed = 10 * numbers.max(moments) >= 9 * filled;
        if is_typed {
            return if first.kind.is_typed() { -2 } else { 2 };
        }
        if first.kind.is_typed() {
            return -1;
        }
        let recurs = -i32::from(column.recurs);
        let form = match column.form {
            Form::Same(_, true) if texts >= FORM && texts == filled => {
                if first.form == column.form { -1 } else { 1 }
            }
            _ => 0,
        };
        recurs + form
    };
    table.columns.iter().zip(&table.first).map(one).sum()
}

/// Whether numbers in the first row are years, or something else that goes up in steps: they are
/// names, although their columns have numbers, too.
fn are_steps(table: &Table) -> bool {
    let mut numbers: Vec<i64> = Vec::new();
    for First { text, .. } in table.first.iter().skip_while(|first| !first.kind.is_typed()) {
        let digits = text.len() < 10 && text.bytes().all(|byte| byte.is_ascii_digit());
        let Some(number) = text.parse().ok().filter(|_| digits) else { return false };
        make_room(&mut numbers, 1);
        numbers.push(number);
    }
    let names = table.first.len() - numbers.len();
    let Some(step) = numbers.get(1).map(|second| second - numbers[0]) else { return false };
    // Below them are other numbers: a table of steps throughout has no header.
    let is_year = numbers.iter().all(|number| (1800..=2200).contains(number));
    names > 0 && is_year && step > 0 && numbers.windows(2).all(|pair| pair[1] - pair[0] == step)
}

/// Whether the names stand in two rows: at least two columns have values of another form below them,
/// and nothing in the two rows is such a value.
fn are_two(table: &Table) -> bool {
    let mut typed = 0;
    for ((column, first), second) in table.columns.iter().zip(&table.first).zip(&table.second) {
        if first.kind.is_typed() || second.kind.is_typed() {
            return false;
        }
        let count = |kind: Kind| column.counts[kind as usize];
        let values = count(Kind::Number).max(count(Kind::Moment));
        let others = column.counts[1..].iter().sum::<u32>() - values;
        let others = others - u32::from(second.kind == Kind::Text);
        if values >= 2 && values >= 9 * others {
            if second.kind != Kind::Text {
                return false;
            }
            typed += 1;
        }
    }
    typed >= 2
}

/// How many rows have the names, and why.
pub(super) fn decide(table: &Table) -> (usize, &'static str) {
    if table.named {
        return (1, "the class knows the names in the first row");
    }
    if are_two(table) {
        return (2, "the first two rows differ from the others, as names do from values");
    }
    match evidence(table) {
        1.. => (1, "the first row differs from the others, as names do from values"),
        0 if are_names(table) => (1, "nothing speaks against names in the first row"),
        0 => (0, "the cells of the first row are no names: too long, twice the same, or empty"),
        _ => (0, "the first row has values, like the others"),
    }
}

/// A text that is longer is no name.
const NAME: usize = 64;

/// Whether the cells of the first row could be names: none is there twice, none is a whole text, and
/// only the first may be empty.
fn are_names(table: &Table) -> bool {
    let mut names = gathered(table.first.iter().map(|first| first.text.trim()));
    if names.iter().any(|name| name.len() > NAME || name.contains(['\n', '\r'])) {
        return false;
    }
    let is_empty = |name: &&str| name.is_empty();
    if names.iter().skip(1).any(is_empty) || table.first.iter().any(|first| first.kind.is_typed()) {
        return names.len() == 1;
    }
    names.sort_unstable();
    names.windows(2).all(|pair| pair[0] != pair[1])
}
