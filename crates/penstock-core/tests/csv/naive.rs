//! The naive twin: CSV read character by character, from a whole text.

use penstock_core::csv::{Header, Options, Tail, Terminator};

/// A row's cells, or the offset and the reason of its fault.
pub(crate) type Read = Result<Vec<String>, (usize, String)>;

/// The names of the columns, and all rows.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Table {
    pub(crate) names: Option<Vec<String>>,
    pub(crate) rows: Vec<Read>,
}

/// One row of the text.
struct Line {
    cells: Vec<String>,
    /// Where each cell begins, and where the last one ends.
    places: Vec<usize>,
    end: usize,
    next: usize,
    wrong: Option<(usize, &'static str)>,
    quoted: bool,
    /// The quote that is never closed.
    open: Option<usize>,
}

/// The length of the terminator at a place. `first` is what ended the first line.
fn terminator(text: &[u8], at: usize, options: &Options, first: Option<u8>) -> Option<usize> {
    let rest = &text[at..];
    let is = |byte: u8| rest.first() == Some(&byte) && first.is_none_or(|first| first == byte);
    match &options.terminator {
        Terminator::Exactly(exactly) => {
            rest.starts_with(exactly.as_bytes()).then_some(exactly.len())
        }
        _ if rest.starts_with(b"\r\n") => Some(2),
        Terminator::Any => {
            rest.starts_with(b"\n").then_some(1).or(rest.starts_with(b"\r").then_some(1))
        }
        Terminator::AsFirst => (is(b'\n') || is(b'\r')).then_some(1),
    }
}

/// The end of a line, whatever is in it, and the beginning of the next one.
fn any_line(text: &[u8], from: usize, options: &Options, first: Option<u8>) -> (usize, usize) {
    let mut at = from;
    while at < text.len() {
        // Where lines end with line feeds, a carriage return is only the end of the line's text.
        let is_pair = text[at..].starts_with(b"\r\n");
        let is_return =
            is_pair && options.terminator == Terminator::AsFirst && first == Some(b'\n');
        if let Some(length) = terminator(text, at, options, first).filter(|_| !is_return) {
            return (at, at + length);
        }
        at += 1;
    }
    (text.len(), text.len())
}

/// The character for which an escaped one stands.
fn meant(next: char, options: &Options) -> char {
    let letters = "0\0b\u{8}f\u{C}n\nr\rt\tv\u{B}Z\u{1A}".as_bytes().chunks(2);
    let of = |pair: &[u8]| (char::from(pair[0]) == next).then(|| char::from(pair[1]));
    let found = letters.filter_map(of).next().filter(|_| options.escape == Some(b'\\'));
    found.unwrap_or(next)
}

fn line(text: &str, start: usize, options: &Options, first_end: Option<u8>) -> Line {
    let bytes = text.as_bytes();
    let is_blank = |byte: u8| options.trim && matches!(byte, b' ' | b'\t');
    let mut wrong: Option<(usize, &'static str)> = None;
    let mut fault = |at: usize, reason: &'static str| {
        if wrong.is_none_or(|(known, _)| at < known) {
            wrong = Some((at, reason));
        }
    };
    let (mut cells, mut places, mut any_quoted) = (Vec::new(), Vec::new(), false);
    let mut at = start;
    loop {
        let begin = at;
        let mut value = String::new();
        let mut first = at;
        while first < bytes.len() && is_blank(bytes[first]) {
            first += 1;
        }
        let quoted = options.quote.is_some() && bytes.get(first) == options.quote.as_ref();
        let mut place = begin;
        let mut closed = None;
        if quoted {
            any_quoted = true;
            place = first;
            at = first + 1;
            loop {
                let Some(char) = text[at..].chars().next() else {
                    fault(first, "a quote that is never closed");
                    let (end, next) = any_line(bytes, start, options, first_end);
                    let open = Some(first);
                    return Line { cells, places, end, next, wrong, quoted: true, open };
                };
                let next = text[at + char.len_utf8()..].chars().next();
                if Some(char) == options.escape.map(char::from) {
                    value.extend(next.map(|next| meant(next, options)));
                    at += char.len_utf8() + next.map_or(0, char::len_utf8);
                } else if Some(char) == options.quote.map(char::from) {
                    if options.escape.is_none() && next == Some(char) {
                        value.push(char);
                        at += 2;
                    } else {
                        at += 1;
                        break;
                    }
                } else {
                    if char == '\0' {
                        fault(at, "a NUL character");
                    }
                    value.push(char);
                    at += char.len_utf8();
                }
            }
            closed = Some(at);
        }
        // What stands up to the end of the cell.
        let mut kept = 0;
        let (end, length, is_last) = loop {
            if at >= bytes.len() {
                break (bytes.len(), 0, true);
            }
            if bytes[at..].starts_with(options.delimiter.as_bytes()) {
                break (at, options.delimiter.len(), false);
            }
            if let Some(length) = terminator(bytes, at, options, first_end) {
                break (at, length, true);
            }
            let char = text[at..].chars().next().unwrap();
            let written = Some(char);
            if char == '\r' && options.terminator == Terminator::AsFirst {
                fault(at, "a carriage return without a line feed");
            } else if char == '\n' && options.terminator == Terminator::AsFirst {
                fault(at, "a line feed without a carriage return");
            } else if char == '\0' {
                fault(at, "a NUL character");
            } else if Some(char) == options.quote.map(char::from) && closed.is_none() {
                fault(at, "a quote in a cell that does not begin with one");
            } else if Some(char) == options.escape.map(char::from) {
                at += 1;
                let next = text[at..].chars().next();
                at += next.map_or(0, char::len_utf8);
                if closed.is_none() {
                    value.extend(next.map(|next| meant(next, options)));
                }
                kept = value.len();
                continue;
            }
            at += written.map_or(0, char::len_utf8);
            if closed.is_none() {
                value.extend(written);
            }
        };
        match closed {
            Some(closed) if !bytes[closed..end].iter().all(|byte| is_blank(*byte)) => {
                fault(closed, "text behind the closing quote of a cell");
            }
            None if options.trim => {
                while value.len() > kept && value.ends_with([' ', '\t']) {
                    value.pop();
                }
                value = value.split_off((first.min(end) - begin).min(value.len()));
            }
            _ => {}
        }
        let raw =
            text[begin..end].trim_matches(|char: char| char.is_ascii() && is_blank(char as u8));
        if !quoted && raw == "\\N" && options.escape == Some(b'\\') {
            raw.clone_into(&mut value);
        }
        cells.push(value);
        places.push(place);
        at = end + length;
        if is_last {
            places.push(end);
            return Line { cells, places, end, next: at, wrong, quoted: any_quoted, open: None };
        }
    }
}

/// Reads a text.
pub(crate) fn naive(text: &str, options: &Options) -> Table {
    let bytes = text.as_bytes();
    let mut at = 0;
    let mut first: Option<u8> = None;
    let note = |first: &mut Option<u8>, end: usize, next: usize| {
        if first.is_none() && next > end && options.terminator == Terminator::AsFirst {
            *first = Some(if bytes[end..next] == *b"\r" { b'\r' } else { b'\n' });
        }
    };
    for _ in 0..options.skip {
        let (end, next) = any_line(bytes, at, options, first);
        note(&mut first, end, next);
        at = next;
    }
    let mut table = Table::default();
    let mut heads = match &options.header {
        Header::First => 1,
        Header::Joined(rows, _) => (*rows).max(1),
        Header::InputView(names) => {
            table.names = Some(names.iter().map(ToString::to_string).collect());
            0
        }
        Header::Positions => 0,
    };
    while at < bytes.len() {
        if let Some(comment) = &options.comment
            && bytes[at..].starts_with(comment.as_bytes())
        {
            let (end, next) = any_line(bytes, at, options, first);
            note(&mut first, end, next);
            at = next;
            continue;
        }
        let line = line(text, at, options, first);
        note(&mut first, line.end, line.next);
        let start = at;
        at = line.next;
        let columns = if heads > 0 { None } else { table.names.as_ref().map(Vec::len) };
        let blank = line.cells.len() == 1 && line.cells[0].is_empty();
        // An escape that escapes nothing is something.
        let blank = blank && !line.quoted && !text[start..line.end].contains('\\');
        if blank && line.wrong.is_none() && columns != Some(1) {
            continue;
        }
        if let Some((place, reason)) = line.wrong {
            // Columns are counted in a faulty row as well.
            if heads == 0 && table.names.is_none() {
                table.names = Some((0..line.cells.len()).map(|n| n.to_string()).collect());
            }
            table.rows.push(Err((place, reason.to_owned())));
            // Nothing is known of the rows behind a header in error.
            if heads > 0 {
                table.names = None;
                return table;
            }
            continue;
        }
        if heads > 0 {
            heads -= 1;
            table.names = Some(match (table.names.take(), &options.header) {
                (Some(above), Header::Joined(_, between)) => {
                    let count = above.len().max(line.cells.len());
                    let at = |row: &[String], n: usize| row.get(n).cloned().unwrap_or_default();
                    let join = |n: usize| {
                        let both = [at(&above, n), at(&line.cells, n)];
                        let some: Vec<_> = both.into_iter().filter(|it| !it.is_empty()).collect();
                        some.join(between)
                    };
                    (0..count).map(join).collect()
                }
                _ => line.cells,
            });
            continue;
        }
        let names = table
            .names
            .get_or_insert_with(|| (0..line.cells.len()).map(|n| n.to_string()).collect());
        let (cells, columns) = (line.cells.len(), names.len());
        if cells == columns {
            table.rows.push(Ok(line.cells));
            continue;
        }
        let plural = |count: usize| if count == 1 { "" } else { "s" };
        let reason = format!(
            "the row has {cells} cell{}, and there {} {columns} column{}",
            plural(cells),
            if columns == 1 { "is" } else { "are" },
            plural(columns)
        );
        let place = if cells > columns { line.places[columns] } else { line.places[cells] };
        table.rows.push(Err((place, reason)));
    }
    table
}

/// How a text ends: row by row from its beginning.
pub(crate) fn tail(text: &str, options: &Options) -> Tail {
    let bytes = text.as_bytes();
    let (mut at, mut first, mut columns) = (0, None, None);
    let (mut open, mut by_return, mut rows) = (None, false, 0);
    while at < bytes.len() {
        let comment = options.comment.as_ref().map(|comment| comment.as_bytes());
        let is_comment = comment.is_some_and(|comment| bytes[at..].starts_with(comment));
        let (end, next) = if is_comment {
            any_line(bytes, at, options, first)
        } else {
            let line = line(text, at, options, first);
            open = line.open;
            let blank = line.cells.len() == 1 && line.cells[0].is_empty() && !line.quoted;
            let blank = blank && line.wrong.is_none() && !text[at..line.end].contains('\\');
            if line.next > line.end && open.is_none() && (!blank || columns == Some(1)) {
                columns.get_or_insert(line.cells.len());
                rows += 1;
            }
            (line.end, line.next)
        };
        if open.is_some() || next == end {
            break;
        }
        if first.is_none() && options.terminator == Terminator::AsFirst {
            first = Some(if bytes[end..next] == *b"\r" { b'\r' } else { b'\n' });
        }
        (at, by_return) = (next, bytes[end..next] == *b"\r");
    }
    let open = open.map(|open| open as u64);
    Tail { whole: at as u64, size: text.len() as u64, open, by_return, rows }
}
