//! The dialects that are worth trying: those of whose characters the sample has any trace.

use super::super::options::{Header, Options, Terminator};
use super::cost::Cost;
use crate::repair::Repairs;
use penstock_scan::make_room;

/// Delimiters, the likeliest first: what a dialect costs that has it, and what each delimiter does.
///
/// The end of a cell costs as much as the character in text if nobody expects it to end cells: then
/// only values that become cheaper, such as numbers, speak for it.
pub(super) const DELIMITERS: [(&str, Cost, Cost); 14] = [
    (",", 20, 20),
    (";", 30, 20),
    ("\t", 30, 20),
    ("|", 40, 20),
    ("\x1f", 60, 20),
    ("\x01", 60, 20),
    ("||", 60, 20),
    ("^", 80, 20),
    ("~", 80, 20),
    ("::", 100, 40),
    ("|~|", 100, 20),
    ("~|~", 100, 20),
    (" ", 100, 28),
    (":", 140, 60),
];

/// The delimiters that most files have. Where another one is found, none of these may be left over
/// within the cells.
pub(super) const USUAL: &[u8; 4] = b",;\t|";

/// Texts that begin comments.
const COMMENTS: [&str; 5] = ["#", "//", "%", "--", "!"];

/// What the other parts of a dialect cost.
const SINGLE_QUOTE: Cost = 240;
const NO_QUOTE: Cost = 120;
const ESCAPE: Cost = 160;
const COMMENT: Cost = 80;
const TRIM: Cost = 40;
const TERMINATOR: Cost = 80;

/// What a dialect costs, and what each of its delimiters does.
pub(super) fn price(options: &Options) -> (Cost, Cost) {
    let known = DELIMITERS.iter().find(|(text, ..)| **text == *options.delimiter);
    let (_, delimiter, each) = *known.unwrap_or(&("", 100, 20));
    let quote = match options.quote {
        Some(b'"') => 0,
        Some(_) => SINGLE_QUOTE,
        None => NO_QUOTE,
    };
    let has = |is: bool, cost: Cost| if is { cost } else { 0 };
    let others = has(options.escape.is_some(), ESCAPE)
        + has(options.comment.is_some(), COMMENT)
        + has(options.trim, TRIM)
        + has(options.terminator != Terminator::AsFirst, TERMINATOR);
    (delimiter + quote + others, each)
}

/// The delimiter that the first line declares for Excel, `sep=;`, and where the next line begins.
pub(super) fn declared(text: &str) -> Option<(&str, usize)> {
    let from = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let line_end = text[from..].find(['\n', '\r'])? + from;
    let line = &text[from..line_end];
    let bare = line.strip_prefix('"').and_then(|line| line.strip_suffix('"')).unwrap_or(line);
    let delimiter = bare.strip_prefix("sep=")?;
    let mut characters = delimiter.chars();
    let is_possible = |char: char| char.is_ascii() && !char.is_ascii_alphanumeric() && char != '"';
    (characters.next().is_some_and(is_possible) && characters.next().is_none()).then(|| {
        let ends = if text[line_end..].starts_with("\r\n") { 2 } else { 1 };
        (delimiter, line_end + ends)
    })
}

/// The dialects to try, only with the delimiter that is declared, if one is.
pub(super) fn candidates(text: &[u8], declared: Option<&str>, repairs: Repairs) -> Vec<Options> {
    let found = |text_: &str| memchr::memmem::find(text, text_.as_bytes()).is_some();
    let delimiters: Vec<&str> = match declared {
        Some(delimiter) => vec![delimiter],
        None => {
            let known = || DELIMITERS.iter().map(|(delimiter, ..)| *delimiter);
            // A table of one column has none, and then it is any that is not there.
            known().filter(|text| found(text)).chain(known().find(|text| !found(text))).collect()
        }
    };
    let terminators = terminators(text);
    let comments = comments(text);
    let mut all = Vec::new();
    for delimiter in delimiters {
        for quote in quotes(text, delimiter) {
            for escape in escapes(text, delimiter, quote) {
                for trim in trims(text, delimiter) {
                    for comment in &comments {
                        for terminator in &terminators {
                            let options = Options {
                                delimiter: delimiter.into(),
                                quote,
                                escape,
                                comment: comment.map(Into::into),
                                terminator: terminator.clone(),
                                trim,
                                skip: 0,
                                header: Header::First,
                                repairs,
                            };
                            if options.stops().is_ok() {
                                make_room(&mut all, 1);
                                all.push(options);
                            }
                        }
                    }
                }
            }
        }
    }
    all
}

/// The quotes. An apostrophe is one only where a cell begins with it.
fn quotes(text: &[u8], delimiter: &str) -> Vec<Option<u8>> {
    let mut quotes = vec![Some(b'"')];
    if begins_cell(text, delimiter, b'\'') {
        quotes.push(Some(b'\''));
    }
    if memchr::memchr(b'"', text).is_some() {
        quotes.push(None);
    }
    quotes
}

/// Whether a cell begins with the byte, apart from blanks.
pub(super) fn begins_cell(text: &[u8], delimiter: &str, byte: u8) -> bool {
    memchr::memchr_iter(byte, text).any(|at| {
        // One blank or two: a run of them is not searched again for each apostrophe.
        let before = &text[..at];
        let before = before.strip_suffix(b" ").unwrap_or(before);
        let before = before.strip_suffix(b" ").unwrap_or(before);
        [&text[..at], before].iter().any(|before| {
            before.is_empty()
                || before.ends_with(delimiter.as_bytes())
                || before.ends_with(b"\n")
                || before.ends_with(b"\r")
        })
    })
}

/// The escapes. A backslash is one only before something that needs it.
fn escapes(text: &[u8], delimiter: &str, quote: Option<u8>) -> Vec<Option<u8>> {
    let mut escapes = vec![None];
    let needs = |next: u8| {
        Some(next) == quote
            || next == delimiter.as_bytes()[0]
            || matches!(next, b'\\' | b'\n' | b'\r')
    };
    let mut places = memchr::memchr_iter(b'\\', text);
    if places.any(|at| text.get(at + 1).is_some_and(|next| needs(*next))) {
        escapes.push(Some(b'\\'));
    }
    escapes
}

/// Whether blanks around cells are no part of them.
fn trims(text: &[u8], delimiter: &str) -> Vec<bool> {
    let has_blank = |at: usize| {
        let behind = text.get(at + delimiter.len());
        let before = at.checked_sub(1).and_then(|at| text.get(at));
        [behind, before].iter().any(|byte| matches!(byte, Some(b' ' | b'\t')))
    };
    if memchr::memmem::find_iter(text, delimiter.as_bytes()).any(has_blank) {
        vec![false, true]
    } else {
        vec![false]
    }
}

/// Texts with which lines begin, and which may be comments.
fn comments(text: &[u8]) -> Vec<Option<&'static str>> {
    let mut all = vec![None];
    let begins = |comment: &str| {
        text.starts_with(comment.as_bytes())
            || memchr::memmem::find_iter(text, comment.as_bytes())
                .any(|at| at > 0 && matches!(text[at - 1], b'\n' | b'\r'))
    };
    all.extend(COMMENTS.iter().filter(|comment| begins(comment)).map(|comment| Some(*comment)));
    all
}

/// What may end the rows.
fn terminators(text: &[u8]) -> Vec<Terminator> {
    let feeds = memchr::memchr(b'\n', text).is_some();
    let mut returns = memchr::memchr_iter(b'\r', text);
    let lone = returns.any(|at| text.get(at + 1).is_some_and(|next| *next != b'\n'));
    let separators = memchr::memchr(0x1e, text).is_some();
    let mut all = vec![Terminator::AsFirst];
    if feeds && lone {
        all.push(Terminator::Any);
        // A line feed in a cell needs no quotes if it ends no row, and Python writes it so.
        all.push(Terminator::Exactly("\r".into()));
    }
    if separators {
        all.push(Terminator::Exactly("\x1e".into()));
    }
    all
}

/// The expression that makes the dialect in Python, with what differs from the defaults.
pub(super) fn expression(options: &Options) -> String {
    let mut parts = Vec::new();
    if *options.delimiter != *"," {
        parts.push(quoted(&options.delimiter));
    }
    let byte = |byte: Option<u8>| {
        byte.map_or_else(|| "None".to_owned(), |byte| quoted(&char::from(byte).to_string()))
    };
    if options.quote != Some(b'"') {
        parts.push(format!("quote={}", byte(options.quote)));
    }
    if options.escape.is_some() {
        parts.push(format!("escape={}", byte(options.escape)));
    }
    if let Some(comment) = &options.comment {
        parts.push(format!("comment={}", quoted(comment)));
    }
    match &options.terminator {
        Terminator::AsFirst => {}
        Terminator::Any => parts.push("terminator='any'".to_owned()),
        Terminator::Exactly(text) => parts.push(format!("terminator={}", quoted(text))),
    }
    if options.trim {
        parts.push("trim=True".to_owned());
    }
    if options.skip > 0 {
        parts.push(format!("skip_rows={}", options.skip));
    }
    match &options.header {
        Header::First => {}
        Header::Positions => parts.push("header=None".to_owned()),
        Header::Joined(rows, _) => parts.push(format!("header={rows}")),
        Header::InputView(names) => {
            let names: Vec<String> = names.iter().map(|name| quoted(name)).collect();
            parts.push(format!("header=[{}]", names.join(", ")));
        }
    }
    format!("Dialect({})", parts.join(", "))
}

/// A text as Python writes it.
fn quoted(text: &str) -> String {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    let mut out = String::from(quote);
    for character in text.chars() {
        match character {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\\' => out.push_str("\\\\"),
            _ if character == quote => out.extend(['\\', quote]),
            '\0'..='\x1f' | '\x7f' => out.push_str(&format!("\\x{:02x}", u32::from(character))),
            _ => out.push(character),
        }
    }
    out.push(quote);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions() {
        let mut options = Options::default();
        assert_eq!(expression(&options), "Dialect()");
        options.delimiter = "\x1f".into();
        options.quote = Some(b'\'');
        options.escape = Some(b'\\');
        options.comment = Some("#".into());
        options.terminator = Terminator::Any;
        (options.trim, options.skip, options.header) = (true, 3, Header::Positions);
        assert_eq!(
            expression(&options),
            "Dialect('\\x1f', quote=\"'\", escape='\\\\', comment='#', terminator='any', \
             trim=True, skip_rows=3, header=None)"
        );
        options =
            Options { quote: None, header: Header::Joined(2, " ".into()), ..Options::default() };
        assert_eq!(expression(&options), "Dialect(quote=None, header=2)");
    }

    #[test]
    fn a_declared_delimiter() {
        for (text, expected) in [
            ("sep=;\na", Some((";", 6))),
            ("\"sep=\t\"\r\na", Some(("\t", 9))),
            ("\u{feff}sep=,\ra", Some((",", 9))),
            ("sep=;", None),
            ("sep=\na", None),
            ("sep=x\na", None),
            ("sep=;;\na", None),
            ("sep=\u{e9}\na", None),
            ("a sep=;\na", None),
        ] {
            assert_eq!(declared(text), expected, "{text:?}");
        }
    }

    #[test]
    fn only_what_the_sample_has_is_tried() {
        let tried = |text: &str| -> Vec<String> {
            candidates(text.as_bytes(), None, Repairs::default()).iter().map(expression).collect()
        };
        assert_eq!(tried("a,b\n1,2\n"), ["Dialect()", "Dialect(';')"]);
        assert_eq!(tried("a;b\n1;2\n"), ["Dialect(';')", "Dialect()"]);
        let spaced = ["Dialect()", "Dialect(trim=True)", "Dialect(' ')", "Dialect(';')"];
        assert_eq!(tried("a, b\n"), spaced);
        assert_eq!(tried("it's\n"), ["Dialect()"]);
        assert_eq!(tried("'a'\n"), ["Dialect()", "Dialect(quote=\"'\")"]);
        assert_eq!(
            tried("#\n\"\\\"\"\n"),
            [
                "Dialect()",
                "Dialect(comment='#')",
                "Dialect(escape='\\\\')",
                "Dialect(escape='\\\\', comment='#')",
                "Dialect(quote=None)",
                "Dialect(quote=None, comment='#')",
            ]
        );
    }
}
