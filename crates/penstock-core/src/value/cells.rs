//! Other forms of values in untyped text, as the user declares them: words that mean nothing, words
//! for true and false, and numbers with other separators and with a currency.
//!
//! [`Cells::written`] turns a text in such a form into the form that
//! [`lexical::untyped`](super::lexical::untyped) converts. So numbers keep all their digits, and
//! there is one conversion. Nothing is guessed: what is not declared is refused.

use super::lexical::{Reason, Type};
use super::xsd::trimmed;
use penstock_scan::make_room;

/// The declared forms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cells {
    null: Box<[Box<str>]>,
    /// The words for false and for true; none if they are those of XML Schema.
    truth: [Box<[Box<str>]>; 2],
    decimal: char,
    thousands: Option<char>,
    currency: Option<Box<str>>,
}

/// The words of XML Schema for false and for true.
const TRUTH: [[&str; 2]; 2] = [["false", "0"], ["true", "1"]];

/// White space that may stand between a number and its currency.
const BETWEEN: [char; 3] = [' ', '\u{A0}', '\u{202F}'];

impl Cells {
    /// The forms that a user declares.
    ///
    /// # Errors
    /// A text would have two meanings, or could have none. The reason is a clause.
    pub fn new(
        null: Vec<Box<str>>,
        no: Vec<Box<str>>,
        yes: Vec<Box<str>>,
        decimal: char,
        thousands: Option<char>,
        currency: Option<Box<str>>,
    ) -> Result<Self, String> {
        let shown = |text: &str| format!("{text:?}");
        let truth = [no.into_boxed_slice(), yes.into_boxed_slice()];
        let cells = Cells { null: null.into(), truth, decimal, thousands, currency };
        if let Some(both) = cells.words(true).find(|word| cells.words(false).any(|no| no == *word))
        {
            return Err(format!("{} is both true and false", shown(both)));
        }
        for value in [true, false] {
            let declared = &cells.truth[usize::from(value)];
            if let Some(word) = declared.iter().find(|word| cells.null.contains(word)) {
                return Err(format!("{} is both null and {value}", shown(word)));
            }
        }
        let of_number = |char: char| char.is_alphanumeric() || matches!(char, '+' | '-');
        if of_number(decimal) || decimal.is_whitespace() {
            return Err(format!("decimal cannot be {decimal:?}"));
        }
        if thousands.is_some_and(of_number) {
            return Err(format!("thousands cannot be {:?}", thousands.unwrap_or_default()));
        }
        if thousands == Some(decimal) {
            return Err(format!("decimal and thousands are both {decimal:?}"));
        }
        if let Some(currency) = &cells.currency {
            let is_part = |char: char| char.is_numeric() || matches!(char, '+' | '-');
            let mut only = currency.chars();
            let alone = only.next().filter(|_| only.next().is_none());
            let separates = alone.is_some_and(|it| it == decimal || Some(it) == thousands);
            if currency.trim() != &**currency
                || currency.is_empty()
                || currency.chars().any(is_part)
                || separates
            {
                return Err(format!("currency cannot be {}", shown(currency)));
            }
        }
        Ok(cells)
    }

    /// Whether a text means that there is no value. White space around it does not count.
    #[must_use]
    pub fn is_null(&self, text: &[u8]) -> bool {
        self.null.iter().any(|word| word.as_bytes() == text || word.as_bytes() == trimmed(text))
    }

    /// The words for a truth value.
    fn words(&self, value: bool) -> impl Iterator<Item = &str> {
        let declared = &self.truth[usize::from(value)];
        let standard = if declared.is_empty() { &TRUTH[usize::from(value)][..] } else { &[] };
        declared.iter().map(|word| &**word).chain(standard.iter().copied())
    }

    /// The word that is written for nothing, if one was declared.
    #[must_use]
    pub fn null_word(&self) -> Option<&str> {
        self.null.first().map(|word| &**word)
    }

    /// The word that is written for a truth value.
    #[must_use]
    pub fn truth_word(&self, value: bool) -> &str {
        self.words(value).next().unwrap_or_default()
    }

    /// The character that is written between a number and its fraction.
    #[must_use]
    pub fn decimal(&self) -> char {
        self.decimal
    }

    /// Whether numbers have a form of their own.
    #[must_use]
    pub fn has_numbers(&self) -> bool {
        self.decimal != '.' || self.thousands.is_some() || self.currency.is_some()
    }

    /// Whether there are words for true or false.
    #[must_use]
    pub fn has_truth(&self) -> bool {
        !self.truth.iter().all(|words| words.is_empty())
    }

    /// The same value as it is written without declared forms. `text` has no white space around it;
    /// `room` is overwritten.
    ///
    /// ```
    /// use penstock_core::value::cells::Cells;
    /// use penstock_core::value::lexical::Type;
    ///
    /// let cells = Cells::new(vec![], vec![], vec!["ja".into()], ',', Some('.'), None)?;
    /// let mut room = Vec::new();
    /// assert_eq!(cells.written(b"-1.234,50", Type::Decimal, &mut room), Ok(&b"-1234.50"[..]));
    /// assert_eq!(cells.written(b"ja", Type::Bool, &mut room), Ok(&b"true"[..]));
    /// assert!(cells.written(b"1.5", Type::Decimal, &mut room).is_err());
    /// # Ok::<(), String>(())
    /// ```
    ///
    /// # Errors
    /// The reason why the text is in none of the forms.
    pub fn written<'a>(
        &self,
        text: &'a [u8],
        to: Type<'_>,
        room: &'a mut Vec<u8>,
    ) -> Result<&'a [u8], Reason> {
        match to {
            Type::Bool if self.has_truth() => {
                let is = |value: bool| self.words(value).any(|word| word.as_bytes() == text);
                match () {
                    () if is(true) => Ok(b"true"),
                    () if is(false) => Ok(b"false"),
                    () => Err(Reason::Form),
                }
            }
            Type::Int | Type::Float | Type::Decimal if self.has_numbers() => {
                let text = std::str::from_utf8(text).map_err(|_| Reason::Form)?;
                self.number(text, room)
            }
            _ => Ok(text),
        }
    }

    /// A number with a point between it and its fraction, and nothing else that only people need.
    fn number<'a>(&self, text: &'a str, room: &'a mut Vec<u8>) -> Result<&'a [u8], Reason> {
        room.clear();
        make_room(room, text.len());
        let (mut rest, mut signed) = sign(text, room);
        if matches!(rest, "INF" | "NaN") {
            return Ok(text.as_bytes());
        }
        if let Some(currency) = &self.currency {
            if let Some(behind) = rest.strip_prefix(&**currency) {
                rest = behind.trim_start_matches(BETWEEN);
                if !signed {
                    (rest, signed) = sign(rest, room);
                }
            } else if let Some(before) = rest.strip_suffix(&**currency) {
                rest = before.trim_end_matches(BETWEEN);
            }
        }
        if signed && rest.starts_with(['+', '-']) {
            return Err(Reason::Form);
        }
        let rest = self.whole(rest, room)?;
        if let Some(fraction) = rest.strip_prefix(self.decimal) {
            room.push(b'.');
            room.extend_from_slice(fraction.as_bytes());
            return Ok(room);
        }
        match rest.chars().next() {
            None => Ok(room),
            // What is wrong with an exponent is found by whoever converts the number.
            Some('e' | 'E') => {
                room.extend_from_slice(rest.as_bytes());
                Ok(room)
            }
            Some('.' | ',') => {
                let decimal = self.decimal;
                Err(Reason::Other(format!("its decimal separator must be \"{decimal}\"").into()))
            }
            Some(_) => Err(Reason::Form),
        }
    }

    /// The digits before the fraction, without the separators of their groups, and the rest of the
    /// text.
    fn whole<'a>(&self, text: &'a str, room: &mut Vec<u8>) -> Result<&'a str, Reason> {
        let (from, mut groups, mut digits) = (room.len(), 0, 0);
        for (at, char) in text.char_indices() {
            if char.is_ascii_digit() {
                room.push(char as u8);
                digits += 1;
                continue;
            }
            let is_separator = Some(char) == self.thousands;
            // A first group that begins with a zero is that of a number with another separator.
            let first = || matches!(digits, 1..=3) && room.get(from) != Some(&b'0');
            let fits = if groups == 0 { !is_separator || first() } else { digits == 3 };
            if !fits {
                return Err(self.no_groups());
            }
            if !is_separator {
                return Ok(&text[at..]);
            }
            (groups, digits) = (groups + 1, 0);
        }
        if groups > 0 && digits != 3 {
            return Err(self.no_groups());
        }
        Ok("")
    }

    #[cold]
    fn no_groups(&self) -> Reason {
        let thousands = self.thousands.unwrap_or_default();
        Reason::Other(format!("\"{thousands}\" must separate groups of three digits").into())
    }
}

/// Moves the sign of a number, if there is one, out of the text.
fn sign<'a>(text: &'a str, room: &mut Vec<u8>) -> (&'a str, bool) {
    match text.as_bytes().first() {
        Some(sign @ (b'+' | b'-')) => {
            room.push(*sign);
            (&text[1..], true)
        }
        _ => (text, false),
    }
}

#[cfg(test)]
mod tests {
    use super::super::lexical::{Rules, Value, untyped};
    use super::*;
    use proptest::prelude::*;

    fn with(decimal: char, thousands: Option<char>, currency: Option<&str>) -> Cells {
        let currency = currency.map(Into::into);
        Cells::new(vec![], vec![], vec![], decimal, thousands, currency).expect("no contradiction")
    }

    fn number(cells: &Cells, text: &str) -> Result<String, String> {
        let mut room = Vec::new();
        match cells.written(text.as_bytes(), Type::Float, &mut room) {
            Ok(written) => Ok(String::from_utf8(written.to_vec()).expect("it is ASCII")),
            Err(Reason::Form) => Err(String::new()),
            Err(Reason::Other(why)) => Err(why.into_owned()),
            Err(other) => Err(format!("{other:?}")),
        }
    }

    #[test]
    fn numbers() {
        let german = with(',', Some('.'), Some("€"));
        for (text, written) in [
            ("0", "0"),
            ("1234", "1234"),
            ("1.234", "1234"),
            ("12.345.678,90", "12345678.90"),
            ("-1.234,5", "-1234.5"),
            ("+7", "+7"),
            (",5", ".5"),
            ("1,5e-3", "1.5e-3"),
            ("1e3", "1e3"),
            ("€ 1.234,50", "1234.50"),
            ("-€5", "-5"),
            ("€-5", "-5"),
            ("1.234,50\u{A0}€", "1234.50"),
            ("5\u{202F}€", "5"),
            ("-INF", "-INF"),
            ("NaN", "NaN"),
            ("001234", "001234"),
            ("", ""),
        ] {
            assert_eq!(number(&german, text).as_deref(), Ok(written), "{text}");
        }
        let groups = "\".\" must separate groups of three digits";
        for text in ["1.23", "1.2345", "1234.567", ".123", "1..234", "1.234.", "0.123", "012.345"] {
            assert_eq!(number(&german, text), Err(groups.to_owned()), "{text}");
        }
        for text in ["x", "5 $", "€", "1 234", "€ INF", "--5", "-€-5", "1_000", "5-"] {
            let strict = number(&german, text)
                .and_then(|it| xsd_float(&it).then_some(()).ok_or_else(String::new));
            assert_eq!(strict, Err(String::new()), "{text}");
        }
        let comma = with(',', None, None);
        let point = "its decimal separator must be \",\"".to_owned();
        assert_eq!(number(&comma, "1.5"), Err(point.clone()));
        assert_eq!(number(&comma, "1.000,5"), Err(point));
        let swiss = with('.', Some('\''), Some("CHF"));
        assert_eq!(number(&swiss, "CHF 1'234.50").as_deref(), Ok("1234.50"));
        assert_eq!(number(&swiss, "1,5"), Err("its decimal separator must be \".\"".to_owned()));
        let spaced = with(',', Some(' '), Some("kr."));
        assert_eq!(number(&spaced, "1 234,50 kr.").as_deref(), Ok("1234.50"));
    }

    fn xsd_float(text: &str) -> bool {
        super::super::xsd::float(text.as_bytes()).is_some()
    }

    #[test]
    fn words() {
        let words = |words: &[&str]| words.iter().map(|word| (*word).into()).collect::<Vec<_>>();
        let cells = Cells::new(words(&["NA", ""]), vec![], words(&["x"]), '.', None, None);
        let cells = cells.expect("no contradiction");
        assert!(cells.is_null(b"NA") && cells.is_null(b" NA ") && cells.is_null(b""));
        assert!(!cells.is_null(b"na") && !cells.is_null(b"N A"));
        let mut room = Vec::new();
        let mut of = |text: &'static str| {
            cells.written(text.as_bytes(), Type::Bool, &mut room).map(<[u8]>::to_vec)
        };
        assert_eq!(of("x"), Ok(b"true".to_vec()));
        assert_eq!(of("0"), Ok(b"false".to_vec()));
        assert_eq!(of("true"), Err(Reason::Form));
        assert_eq!(of("X"), Err(Reason::Form));
        assert_eq!((cells.truth_word(true), cells.truth_word(false)), ("x", "false"));
        assert_eq!(cells.null_word(), Some("NA"));
        // Other types are not touched, nor numbers without a form of their own.
        for to in [Type::Int, Type::Date] {
            assert_eq!(cells.written(b"1,5", to, &mut Vec::new()), Ok(&b"1,5"[..]));
        }
    }

    #[test]
    fn contradictions() {
        let new = |null: &[&str], no: &[&str], yes: &[&str], decimal, thousands, currency| {
            let words = |words: &[&str]| words.iter().map(|word| (*word).into()).collect();
            let currency: Option<&str> = currency;
            Cells::new(
                words(null),
                words(no),
                words(yes),
                decimal,
                thousands,
                currency.map(Into::into),
            )
            .expect_err("a contradiction")
        };
        let none: &[&str] = &[];
        assert_eq!(new(none, &["x"], &["x"], '.', None, None), "\"x\" is both true and false");
        assert_eq!(new(none, none, &["0"], '.', None, None), "\"0\" is both true and false");
        assert_eq!(new(&["x"], none, &["x"], '.', None, None), "\"x\" is both null and true");
        assert_eq!(new(&["n"], &["n"], none, '.', None, None), "\"n\" is both null and false");
        let both = "decimal and thousands are both ','";
        assert_eq!(new(none, none, none, ',', Some(','), None), both);
        assert_eq!(new(none, none, none, '5', None, None), "decimal cannot be '5'");
        assert_eq!(new(none, none, none, ' ', None, None), "decimal cannot be ' '");
        assert_eq!(new(none, none, none, 'e', None, None), "decimal cannot be 'e'");
        assert_eq!(new(none, none, none, '.', Some('-'), None), "thousands cannot be '-'");
        for currency in ["", " €", "5", "-", "."] {
            let reason = format!("currency cannot be {currency:?}");
            assert_eq!(new(none, none, none, '.', None, Some(currency)), reason);
        }
    }

    proptest! {
        #![proptest_config(super::super::fixed(2_000))]

        /// Digits with separators where people write them give the number, exactly.
        #[test]
        fn grouped_digits_keep_their_value(
            digits in "[1-9][0-9]{0,30}",
            fraction in proptest::option::of("[0-9]{1,20}"),
            negative: bool,
        ) {
            let cells = with(',', Some('.'), Some("€"));
            let mut grouped = String::new();
            for (at, digit) in digits.chars().enumerate() {
                if at > 0 && (digits.len() - at) % 3 == 0 {
                    grouped.push('.');
                }
                grouped.push(digit);
            }
            let sign = if negative { "-" } else { "" };
            let tail = |by: char| fraction.as_ref().map_or(String::new(), |it| format!("{by}{it}"));
            let plain = format!("{sign}{digits}{}", tail('.'));
            for text in [
                format!("{sign}{grouped}{}", tail(',')),
                format!("{sign}{digits}{}", tail(',')),
                format!("{sign}€ {grouped}{}", tail(',')),
                format!("{sign}{grouped}{} €", tail(',')),
            ] {
                prop_assert_eq!(number(&cells, &text), Ok(plain.clone()));
            }
            let rules = Rules { lax: false, number: 100 };
            let found = untyped(plain.as_bytes(), Type::Decimal, rules);
            prop_assert_eq!(found, Ok(Value::Decimal(plain.as_bytes())));
        }

        /// A text that is accepted is one that a person who knows the separators would read so: if
        /// they are taken out by hand, the same number is left.
        #[test]
        fn nothing_else_is_accepted(text in "[-+€ 0-9.,e]{0,12}") {
            let cells = with(',', Some('.'), Some("€"));
            if let Ok(written) = number(&cells, &text)
                && xsd_float(&written)
            {
                let by_hand: String = text
                    .chars()
                    .filter(|char| !matches!(char, '.' | ' ' | '€'))
                    .map(|char| if char == ',' { '.' } else { char })
                    .collect();
                prop_assert_eq!(&written, &by_hand);
                let whole = text.split([',', 'e']).next().unwrap_or_default();
                let groups: Vec<usize> = whole
                    .split('.')
                    .map(|group| group.bytes().filter(u8::is_ascii_digit).count())
                    .collect();
                prop_assert!(groups.len() == 1 || groups[1..].iter().all(|count| *count == 3));
            }
        }

        #[test]
        fn anything_is_refused_without_a_panic(text: String, decimal: char, currency: String) {
            let made = Cells::new(vec![], vec![], vec![], decimal, Some('.'), Some(currency.into()));
            if let Ok(cells) = made {
                let _ = number(&cells, &text);
            }
        }
    }
}
