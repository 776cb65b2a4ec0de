//! Which texts were seen, and of which types all of them are.

use super::numbers::{Floats, Ints};
use crate::value::lexical::{Rules, Type, Value, quoted, untyped};
use crate::value::xsd;
use penstock_scan::{copied, count_code_points, make_room};

/// So many different texts of one place are kept, or none. The public documentation gives this number.
pub const VALUES: usize = 32;

/// A text of more bytes is not kept. The public documentation gives this number.
pub const LONGEST: usize = 64;

/// A text of more bytes has no form.
const FORMED: usize = 128;

/// The forms of texts, a bit each.
#[allow(missing_docs, reason = "the names say it")]
pub mod form {
    pub const INT: u16 = 1;
    pub const FLOAT: u16 = 1 << 1;
    pub const DECIMAL: u16 = 1 << 2;
    pub const BOOL: u16 = 1 << 3;
    pub const DATE: u16 = 1 << 4;
    pub const DATETIME: u16 = 1 << 5;
    pub const TIME: u16 = 1 << 6;
    pub const DURATION: u16 = 1 << 7;
    pub const UUID: u16 = 1 << 8;
    /// Not one is longer than the texts that are kept, or has a line break.
    pub const WORD: u16 = 1 << 9;
    /// There is no white space around it.
    pub const TRIMMED: u16 = 1 << 10;
    pub const ALL: u16 = (1 << 11) - 1;
    /// Those that are types.
    pub const TYPES: u16 = WORD - 1;
}

/// The names of the forms, in the order of their bits.
pub const FORMS: [&str; 11] = [
    "int", "float", "decimal", "bool", "date", "datetime", "time", "duration", "uuid", "word",
    "trimmed",
];

/// Which texts were seen at a place.
#[derive(Clone, Debug, PartialEq)]
pub struct Texts {
    /// How many there were, empty ones too.
    pub count: u64,
    /// How many were empty.
    pub empty: u64,
    /// How many of those were marked as text, as `""` in CSV.
    pub marked: u64,
    /// How many were of white space only.
    pub blank: u64,
    /// The fewest and the most characters of those that were not empty.
    pub length: Option<(u64, u64)>,
    /// The forms that all of them have that are not empty.
    pub forms: u16,
    /// Those that were integers, as long as all are.
    pub ints: Ints,
    /// Those that were other numbers, as long as all are numbers.
    pub floats: Floats,
    /// Each of them and how often it came, unless there were too many or too long ones.
    pub values: Option<Vec<(Box<str>, u64)>>,
}

impl Default for Texts {
    fn default() -> Self {
        Texts {
            count: 0,
            empty: 0,
            marked: 0,
            blank: 0,
            length: None,
            forms: form::ALL,
            ints: Ints::default(),
            floats: Floats::default(),
            values: Some(Vec::new()),
        }
    }
}

/// Longer numbers are read with limits of the caller.
const RULES: Rules = Rules { lax: false, number: FORMED };

impl Texts {
    /// One more: one that the format marks as text, or one without a type.
    pub fn give(&mut self, text: &str, is_quoted: bool) {
        self.count += 1;
        if text.is_empty() {
            self.empty += 1;
            self.marked += u64::from(is_quoted);
            return;
        }
        self.widen(count_code_points(text.as_bytes()) as u64);
        if self.forms & form::TYPES != 0 {
            self.look(text.as_bytes(), is_quoted);
        }
        let bytes = text.as_bytes();
        if self.forms & form::WORD != 0 && (bytes.len() > LONGEST || bytes.contains(&b'\n')) {
            self.forms &= !form::WORD;
        }
        if xsd::is_space(bytes[0]) || xsd::is_space(bytes[bytes.len() - 1]) {
            self.forms &= !form::TRIMMED;
            self.blank += u64::from(xsd::trimmed(bytes).is_empty());
        }
        if self.values.is_some() {
            self.keep(text, 1);
        }
    }

    /// So many more that are the same, marked as text.
    pub fn give_often(&mut self, text: &str, times: u64) {
        if times == 0 {
            return;
        }
        let (ints, floats) = (self.ints.count, self.floats.count);
        self.give(text, true);
        let more = times - 1;
        self.count += more;
        self.ints.count += more * (self.ints.count - ints);
        self.floats.count += more * (self.floats.count - floats);
        if text.is_empty() {
            (self.empty, self.marked) = (self.empty + more, self.marked + more);
        } else {
            self.blank += more * u64::from(xsd::trimmed(text.as_bytes()).is_empty());
            self.keep(text, more);
        }
    }

    /// One more, of so many characters: too many for any type.
    pub fn give_long(&mut self, characters: u64) {
        self.count += 1;
        self.widen(characters);
        self.forms = 0;
        self.values = None;
    }

    fn widen(&mut self, length: u64) {
        self.length = Some(match self.length {
            Some((least, most)) => (least.min(length), most.max(length)),
            None => (length, length),
        });
    }

    /// Leaves the forms that a text has, too.
    fn look(&mut self, text: &[u8], is_quoted: bool) {
        let trimmed = if is_quoted { text } else { xsd::trimmed(text) };
        let first = trimmed.first().copied().unwrap_or_default();
        let mut forms = self.forms & form::TYPES;
        if trimmed.len() > FORMED {
            forms = 0;
        }
        if !first.is_ascii_digit() {
            forms &= !(form::DATE | form::DATETIME | form::TIME);
        }
        let is_number = first.is_ascii_digit() || matches!(first, b'-' | b'+' | b'.' | b'N' | b'I');
        if !is_number {
            forms &= !(form::INT | form::FLOAT | form::DECIMAL);
        }
        if !matches!(first, b'P' | b'-') {
            forms &= !form::DURATION;
        }
        // The other spellings of a UUID are no evidence that it is one.
        if trimmed.len() != 36 {
            forms &= !form::UUID;
        }
        if is_quoted || !matches!(trimmed, b"true" | b"false") {
            forms &= !form::BOOL;
        }
        let is_of = |to: Type<'_>| match is_quoted {
            true => quoted(text, to).is_ok(),
            false => untyped(text, to, RULES).is_ok(),
        };
        if forms & (form::INT | form::FLOAT | form::DECIMAL) != 0 {
            forms = self.look_at_number(trimmed, forms, is_quoted);
        }
        for (bit, to) in [
            (form::DATE, Type::Date),
            (form::DATETIME, Type::DateTime),
            (form::TIME, Type::Time),
            (form::DURATION, Type::Duration),
            (form::UUID, Type::Uuid),
        ] {
            if forms & bit != 0 && !is_of(to) {
                forms &= !bit;
            }
        }
        self.forms &= forms | !form::TYPES;
    }

    /// The forms of a number that a text has. One with needless zeros or a sign in front is none,
    /// because it would be written in another way, and may be no number at all.
    fn look_at_number(&mut self, text: &[u8], mut forms: u16, is_quoted: bool) -> u16 {
        const NUMBERS: u16 = form::INT | form::FLOAT | form::DECIMAL;
        let digits = text.strip_prefix(b"-").unwrap_or(text);
        let is_plain = match digits {
            [b'0', b'0'..=b'9', ..] | [b'.', ..] | [b'+', ..] => false,
            _ => text != b"-0" && digits.last() != Some(&b'.'),
        };
        if !is_plain {
            return forms & !NUMBERS;
        }
        let read = |to| match is_quoted {
            true => quoted(text, to),
            false => untyped(text, to, RULES),
        };
        let is_whole = digits.iter().all(u8::is_ascii_digit);
        if is_whole {
            match xsd::integer(text) {
                Some(xsd::Integer::Small(value)) => self.ints.give(value),
                Some(xsd::Integer::Big { digits, .. }) => self.ints.give_beyond(digits),
                None => forms &= !NUMBERS,
            }
            return forms;
        }
        forms &= !form::INT;
        match read(Type::Float) {
            Ok(Value::Float(value)) => self.floats.give(text, value),
            // It may be a decimal number that no double holds.
            _ => {
                forms &= !form::FLOAT;
                self.floats.inexact = true;
            }
        }
        if forms & form::DECIMAL != 0 && read(Type::Decimal).is_err() {
            forms &= !form::DECIMAL;
        }
        forms
    }

    /// Counts a text among those that are kept.
    fn keep(&mut self, text: &str, times: u64) {
        let Some(values) = &mut self.values else { return };
        if times == 0 {
            return;
        }
        if let Some((_, count)) = values.iter_mut().find(|(known, _)| **known == *text) {
            *count += times;
        } else if values.len() < VALUES && text.len() <= LONGEST {
            make_room(values, 1);
            values.push((copied(text).into(), times));
        } else {
            self.values = None;
        }
    }

    /// Those that were seen elsewhere, too.
    pub fn join(&mut self, other: &Texts) {
        self.count += other.count;
        self.empty += other.empty;
        self.marked += other.marked;
        self.blank += other.blank;
        self.length = match (self.length, other.length) {
            (Some(one), Some(other)) => Some((one.0.min(other.0), one.1.max(other.1))),
            (one, other) => one.or(other),
        };
        self.forms &= other.forms;
        self.ints.join(&other.ints);
        self.floats.join(&other.floats);
        match &other.values {
            Some(values) => values.iter().for_each(|(text, count)| self.keep(text, *count)),
            None => self.values = None,
        }
        self.settle();
    }

    /// Forgets numbers where not all texts are some: how many of them were seen depends on their
    /// order.
    fn settle(&mut self) {
        if self.forms & (form::INT | form::FLOAT | form::DECIMAL) == 0 {
            (self.ints, self.floats) = (Ints::default(), Floats::default());
        }
    }

    /// As it is told.
    #[must_use]
    pub fn told(&self) -> Texts {
        let mut told = self.clone();
        told.settle();
        // In which order they came does not matter.
        if let Some(values) = &mut told.values {
            values.sort_unstable();
        }
        told
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn forms(texts: &[&str], is_quoted: bool) -> Vec<&'static str> {
        let mut seen = Texts::default();
        texts.iter().for_each(|text| seen.give(text, is_quoted));
        let bits = FORMS.iter().enumerate().filter(|(bit, _)| seen.forms & (1 << bit) != 0);
        bits.map(|(_, name)| *name).filter(|name| !matches!(*name, "word" | "trimmed")).collect()
    }

    #[test]
    fn texts_have_forms() {
        assert_eq!(forms(&["1", "-7", ""], false), ["int", "float", "decimal"]);
        assert_eq!(forms(&["1", "2.5"], false), ["float", "decimal"]);
        assert_eq!(forms(&["1.5", "1e3"], false), ["float"]);
        assert_eq!(forms(&["007"], false), [""; 0]);
        assert_eq!(forms(&["true", "false"], false), ["bool"]);
        assert_eq!(forms(&["true", "false"], true), [""; 0]);
        assert_eq!(forms(&["2026-03-01"], true), ["date"]);
        assert_eq!(forms(&["2026-03-01T07:08:09Z", "2026-03-01 07:08:09"], true), ["datetime"]);
        assert_eq!(forms(&["07:08:09"], false), ["time"]);
        assert_eq!(forms(&["P1DT2H"], true), ["duration"]);
        assert_eq!(forms(&["12345678-9abc-def0-1234-56789ABCDEF0"], true), ["uuid"]);
        assert_eq!(forms(&["2026-03-01", "soon"], true), [""; 0]);
    }

    #[test]
    fn few_texts_are_kept() {
        let mut seen = Texts::default();
        for _ in 0..3 {
            seen.give("b", true);
            seen.give("a", true);
        }
        assert_eq!(seen.told().values.unwrap(), [("a".into(), 3), ("b".into(), 3)]);
        (0..VALUES).for_each(|number| seen.give(&number.to_string(), true));
        assert_eq!(seen.values, None);
    }
}
