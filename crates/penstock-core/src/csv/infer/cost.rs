//! What a cell costs: the bits in which somebody who knows the dialect could write it down.
//!
//! Numbers, dates and times cost less than the same characters as text, and a delimiter within text
//! costs more than a letter. All that matters is which of two tables is cheaper, so the figures are
//! round: they say how usual a character is in the cells of real files.

/// Tenths of a bit.
pub(super) type Cost = u64;

/// What is in a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Nothing, or a word for it, such as `NA`.
    Empty,
    /// A number.
    Number,
    /// A date, a time, or both.
    Moment,
    /// Anything else.
    Text,
}

impl Kind {
    /// All kinds, in the order of their numbers.
    pub(super) const ALL: [Kind; 4] = [Kind::Empty, Kind::Number, Kind::Moment, Kind::Text];

    /// Whether it is a value whose form can be told from that of a name.
    pub(super) fn is_typed(self) -> bool {
        matches!(self, Kind::Number | Kind::Moment)
    }
}

/// Words that stand for a value that is missing.
const MISSING: [&[u8]; 9] = [b"na", b"n/a", b"nan", b"null", b"none", b"nil", b"-", b"?", b"\\n"];

/// The kind of a cell, and its cost. `blank` is what a blank around it costs.
pub(super) fn cell(text: &[u8]) -> (Kind, Cost) {
    let trimmed = text.trim_ascii();
    let around = 50 * (text.len() - trimmed.len()) as Cost;
    if trimmed.is_empty() {
        return (Kind::Empty, around);
    }
    if trimmed.len() <= 4 && MISSING.iter().any(|word| trimmed.eq_ignore_ascii_case(word)) {
        return (Kind::Empty, around + 50);
    }
    // No number and no moment is longer, and few texts begin like one.
    if trimmed.len() <= 40 && trimmed.iter().any(u8::is_ascii_digit) {
        if let Some(cost) = moment(trimmed) {
            return (Kind::Moment, around + cost);
        }
        if let Some(cost) = number(trimmed) {
            return (Kind::Number, around + cost);
        }
    }
    (Kind::Text, around + self::text(trimmed))
}

/// The cost of text.
pub(super) fn text(text: &[u8]) -> Cost {
    let scheme = [&b"http://"[..], b"https://", b"ftp://", b"mailto:"];
    let known = scheme.iter().find(|scheme| text.starts_with(scheme));
    let (mut cost, rest) = known.map_or((0, text), |scheme| (80, &text[scheme.len()..]));
    for (at, byte) in rest.iter().enumerate() {
        let spaced = rest.get(at + 1) == Some(&b' ');
        cost += match byte {
            b'a'..=b'z' => 45,
            b'A'..=b'Z' => 52,
            b'0'..=b'9' => 52,
            b' ' => 28,
            b'.' | b'-' | b'_' | b'/' => 55,
            b',' => [85, 45][usize::from(spaced)],
            b';' => [95, 60][usize::from(spaced)],
            b':' | b'\'' => 60,
            b'"' | b'\\' => 90,
            b'|' => 115,
            b'^' | b'~' => 105,
            b'\t' => 130,
            b'\n' => 50,
            b'\r' => 20,
            0..=0x1f | 0x7f => 160,
            0x80..=0xbf => 25,
            0xc0.. => 60,
            _ => 70,
        };
    }
    cost
}

/// What a name costs in addition, if there are delimiters in it: `id:name` is hardly one.
pub(super) fn joined(name: &[u8]) -> Cost {
    let is = |byte: &&u8| matches!(byte, b',' | b';' | b':' | b'|' | b'\t' | b'^' | b'~');
    100 * name.iter().filter(is).count() as Cost
}

/// The length of a run of digits.
fn digits(text: &[u8]) -> usize {
    text.iter().take_while(|byte| byte.is_ascii_digit()).count()
}

/// A number: with a sign, groups of thousands, a decimal point or comma, an exponent, a per cent
/// sign or a currency.
fn number(text: &[u8]) -> Option<Cost> {
    let mut cost = 0;
    let mut rest = text;
    for (signs, price) in [(&b"+-"[..], 10), (b"$", 20), (b"+-", 10)] {
        if rest.first().is_some_and(|byte| signs.contains(byte)) {
            (rest, cost) = (&rest[1..], cost + price);
        }
    }
    let whole = digits(rest);
    cost += 34 * whole as Cost;
    let mut groups = 0;
    rest = &rest[whole..];
    if let Some(&separator @ (b',' | b'.' | b'\'' | b' ' | b'_')) = rest.first()
        && (1..=3).contains(&whole)
    {
        let mut after = rest;
        while after.first() == Some(&separator) && digits(&after[1..]) == 3 {
            (after, groups) = (&after[4..], groups + 1);
        }
        // One group behind a point or a comma may be a fraction as well: it costs the same.
        (rest, cost) = (after, cost + groups * (34 * 3 + 12));
    }
    let mut fraction = 0;
    if let Some(b'.' | b',') = rest.first() {
        fraction = digits(&rest[1..]);
        if fraction == 0 && rest[0] == b',' {
            return None;
        }
        (rest, cost) = (&rest[1 + fraction..], cost + 20 + 34 * fraction as Cost);
    }
    if whole + fraction == 0 {
        return None;
    }
    if let Some(b'e' | b'E') = rest.first() {
        let sign = usize::from(matches!(rest.get(1), Some(b'+' | b'-')));
        let exponent = digits(&rest[1 + sign..]);
        if exponent == 0 {
            return None;
        }
        (rest, cost) = (&rest[1 + sign + exponent..], cost + 30 + 34 * exponent as Cost);
    }
    match rest {
        b"" => Some(cost),
        b"%" | b" %" | b"\xe2\x82\xac" | b" \xe2\x82\xac" => Some(cost + 20),
        _ => None,
    }
}

/// A number of so many digits, at most, and up to a bound.
fn part(text: &mut &[u8], lengths: std::ops::RangeInclusive<usize>, most: u32) -> Option<usize> {
    let length = digits(text);
    if !lengths.contains(&length) {
        return None;
    }
    let value = text[..length].iter().fold(0, |value, digit| value * 10 + u32::from(digit - b'0'));
    *text = &text[length..];
    (value <= most).then_some(length)
}

fn take(text: &mut &[u8], one_of: &[u8]) -> Option<u8> {
    let &first = text.first().filter(|byte| one_of.contains(byte))?;
    *text = &text[1..];
    Some(first)
}

/// A date, a time, or a date with a time.
fn moment(text: &[u8]) -> Option<Cost> {
    let mut rest = text;
    if let Some(cost) = date(&mut rest) {
        if rest.is_empty() {
            return Some(cost);
        }
        take(&mut rest, b"T ")?;
        return Some(cost + time(rest)?);
    }
    time(text)
}

fn date(text: &mut &[u8]) -> Option<Cost> {
    let before = *text;
    let first = part(text, 1..=4, 9999)?;
    let parts = take(text, b"-/.").and_then(|separator| {
        part(text, 1..=2, 31)?;
        take(text, &[separator])?;
        let third = part(text, 1..=4, 9999)?;
        // A year of four digits at one end; or of two, but then not with points, which are
        // versions and addresses, too.
        let year = (first == 4 && third <= 2) || (first <= 2 && third == 4);
        (year || (first <= 2 && third == 2 && separator != b'.')).then_some(())
    });
    if parts.is_none() {
        *text = before;
    }
    parts.map(|()| 160)
}

fn time(mut text: &[u8]) -> Option<Cost> {
    part(&mut text, 1..=2, 47)?;
    take(&mut text, b":")?;
    part(&mut text, 2..=2, 59)?;
    let mut cost = 110;
    if take(&mut text, b":").is_some() {
        part(&mut text, 2..=2, 60)?;
        cost += 60;
        if take(&mut text, b".,").is_some() {
            cost += 34 * part(&mut text, 1..=9, u32::MAX)? as Cost;
        }
    }
    if let b"Z" | b" UTC" = text {
        return Some(cost + 10);
    }
    if let b"AM" | b"PM" | b"am" | b"pm" | b" AM" | b" PM" | b" am" | b" pm" = text {
        return Some(cost + 10);
    }
    if take(&mut text, b"+-").is_some() {
        part(&mut text, 2..=4, 1400)?;
        if take(&mut text, b":").is_some() {
            part(&mut text, 2..=2, 59)?;
        }
        cost += 30;
    }
    text.is_empty().then_some(cost)
}

/// What the kinds of the cells of a column cost, beside the cells: almost nothing, if all of them
/// are of the same kind.
pub(super) fn kinds(counts: &[u32; 4]) -> Cost {
    let total = f64::from(counts.iter().sum::<u32>());
    let bits = |count: &u32| {
        let count = f64::from(*count);
        // A kind that a column has is named once.
        30.0 + 10.0 * count * (total / count).log2()
    };
    counts.iter().filter(|count| **count > 0).map(bits).sum::<f64>() as Cost
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_of_cells() {
        let of = |kind: Kind, cells: &[&str]| {
            for text in cells {
                assert_eq!(cell(text.as_bytes()).0, kind, "{text:?}");
            }
        };
        of(Kind::Empty, &["", " ", "NA", "null", "-", "\\N"]);
        of(
            Kind::Number,
            &[
                "0",
                "-1.5",
                "+7",
                "1e-7",
                ".5",
                "5.",
                "1,5",
                "1,234,567.89",
                "1.234.567,89",
                "12 %",
                "$5.00",
                "-$5",
                "3 €",
                "1'000",
                " 7 ",
                "007",
            ],
        );
        of(
            Kind::Moment,
            &[
                "2020-01-31",
                "31.01.2020",
                "1/31/2020",
                "31/1/20",
                "12:30",
                "2:05 PM",
                "2020-01-31T12:30:00Z",
                "2020-01-31 12:30:00.123+01:00",
                "25:10:00",
            ],
        );
        of(
            Kind::Text,
            &[
                "a",
                "1a",
                "-a",
                "+",
                "1,",
                "1e",
                "1.2.3",
                "192.168.0.1",
                "1;2",
                "12:99",
                "2020-01-31x",
                "1 2",
                "e5",
                "$",
                "%",
                "é",
            ],
        );
    }

    #[test]
    fn the_right_one_is_cheaper() {
        let sum = |cells: &[&str]| cells.iter().map(|text| cell(text.as_bytes()).1).sum::<Cost>();
        assert!(sum(&["2020-01-31 12:30:00"]) < sum(&["2020-01-31 12", "30", "00"]));
        assert!(sum(&["1,5", "2,5"]) < sum(&["1", "5;2", "5"]));
        assert!(sum(&["Bern", "134591"]) + 20 < sum(&["Bern;134591"]));
    }

    #[test]
    fn any_number_of_digits_is_bounded() {
        let long = "9".repeat(40);
        assert_eq!(cell(long.as_bytes()).0, Kind::Number);
        assert_eq!(cell(format!("{long}9").as_bytes()).0, Kind::Text);
        assert_eq!(time(b"12:30:00.999999999"), Some(110 + 60 + 34 * 9));
    }
}
