//! Options as a caller gives them, before a format has validated them.

use std::fmt;

/// The value of an option, and the name of its type in the caller's language.
#[derive(Clone, Debug)]
pub struct OptionValue {
    /// The name of its type, for messages: `list`.
    pub kind: String,
    /// The value.
    pub value: Value,
}

/// The kinds of values that an option may have.
#[derive(Clone, Debug)]
pub enum Value {
    /// The caller gives no value.
    Nothing,
    /// True or false.
    Flag(bool),
    /// A whole number.
    Number(i64),
    /// Text.
    Text(String),
    /// Several values in an order.
    Several(Vec<OptionValue>),
    /// Pairs of keys and values.
    Pairs(Vec<(OptionValue, OptionValue)>),
    /// Anything else.
    Other,
}

/// An option that is not valid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InvalidOption {
    /// Its value has the wrong type.
    Type {
        /// The option, or a part of it.
        option: String,
        /// The expected type: `a str`.
        wanted: String,
        /// The type that was given.
        kind: String,
    },
    /// Its value is none of the words that the option accepts.
    Word {
        /// The option.
        option: String,
        /// The words that the option accepts.
        allowed: String,
        /// The word that was given.
        word: String,
    },
    /// The format has no such option.
    Unknown {
        /// The option.
        option: String,
    },
    /// It is not possible, or not beside another one. The message is whole.
    Impossible {
        /// The message.
        message: String,
    },
}

/// The white space at the beginning of a line, for each level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Indent {
    byte: u8,
    count: u8,
}

impl Indent {
    /// A tab for each level.
    pub const TAB: Indent = Indent { byte: b'\t', count: 1 };

    /// So many spaces for each level.
    #[must_use]
    pub const fn spaces(count: u8) -> Self {
        Indent { byte: b' ', count }
    }

    /// How many bytes the white space of a level takes.
    #[must_use]
    pub fn width(self, level: usize) -> usize {
        level * usize::from(self.count)
    }

    /// Appends a line feed and the white space of a level.
    pub fn line(self, level: usize, out: &mut Vec<u8>) {
        out.push(b'\n');
        out.extend(std::iter::repeat_n(self.byte, self.width(level)));
    }
}

impl fmt::Display for InvalidOption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InvalidOption::Type { option, wanted, kind } => {
                write!(f, "{option} must be {wanted}, not {kind}")
            }
            InvalidOption::Word { option, allowed, word } => {
                write!(f, "{option} must be {allowed}, not '{}'", word.escape_debug())
            }
            InvalidOption::Unknown { option } => write!(f, "there is no option {option}"),
            InvalidOption::Impossible { message } => f.write_str(message),
        }
    }
}

impl std::error::Error for InvalidOption {}

impl OptionValue {
    /// The error for a value of another type.
    #[must_use]
    pub fn wrong(&self, option: &str, wanted: &str) -> InvalidOption {
        let (option, wanted) = (option.to_owned(), wanted.to_owned());
        InvalidOption::Type { option, wanted, kind: self.kind.clone() }
    }

    /// The value as text.
    ///
    /// # Errors
    /// If the value is not text.
    pub fn text(&self, option: &str) -> Result<&str, InvalidOption> {
        match &self.value {
            Value::Text(text) => Ok(text),
            _ => Err(self.wrong(option, "a str")),
        }
    }

    /// The value as a flag.
    ///
    /// # Errors
    /// If the value is neither true nor false.
    pub fn flag(&self, option: &str) -> Result<bool, InvalidOption> {
        match self.value {
            Value::Flag(flag) => Ok(flag),
            _ => Err(self.wrong(option, "a bool")),
        }
    }

    /// The value as text, or none.
    ///
    /// # Errors
    /// If the value is neither text nor nothing.
    pub fn text_or_none(&self, option: &str) -> Result<Option<&str>, InvalidOption> {
        match &self.value {
            Value::Nothing => Ok(None),
            Value::Text(text) => Ok(Some(text)),
            _ => Err(self.wrong(option, "a str or None")),
        }
    }

    /// The value as an indentation, or none.
    ///
    /// # Errors
    /// If the value is neither a number of spaces from 0 to 64 nor a tab.
    pub fn indent(&self) -> Result<Option<Indent>, InvalidOption> {
        match &self.value {
            Value::Nothing => Ok(None),
            Value::Number(number) => match u8::try_from(*number) {
                Ok(spaces) if spaces <= 64 => Ok(Some(Indent::spaces(spaces))),
                _ => Err(impossible("indent must be from 0 to 64, or a tab")),
            },
            Value::Text(text) if &**text == "\t" => Ok(Some(Indent::TAB)),
            Value::Text(_) => Err(impossible("indent must be from 0 to 64, or a tab")),
            _ => Err(self.wrong("indent", "an int, a tab or None")),
        }
    }

    /// The value that belongs to the word in `words`.
    ///
    /// # Errors
    /// If it is not text, or another word.
    pub fn word<T: Copy>(&self, option: &str, words: &[(&str, T)]) -> Result<T, InvalidOption> {
        let word = self.text(option)?;
        match words.iter().find(|(known, _)| *known == word) {
            Some((_, meaning)) => Ok(*meaning),
            None => {
                let known: Vec<String> =
                    words.iter().map(|(word, _)| format!("'{word}'")).collect();
                Err(wrong_word(option, word, &alternatives(&known)))
            }
        }
    }
}

/// The error for a word that is not allowed.
#[must_use]
pub fn wrong_word(option: &str, word: &str, allowed: &str) -> InvalidOption {
    let (option, allowed) = (option.to_owned(), allowed.to_owned());
    InvalidOption::Word { option, allowed, word: word.to_owned() }
}

/// The error for options that are not possible. `message` says why.
#[must_use]
pub fn impossible(message: impl Into<String>) -> InvalidOption {
    InvalidOption::Impossible { message: message.into() }
}

/// `'a', 'b' or 'c'`
#[must_use]
pub fn alternatives(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [word] => word.clone(),
        [words @ .., last] => format!("{} or {last}", words.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(kind: &str, value: Value) -> OptionValue {
        OptionValue { kind: kind.to_owned(), value }
    }

    #[test]
    fn what_is_wrong_is_one_line() {
        let words = [("error", 1), ("text", 2)];
        let text = said("str", Value::Text("text".to_owned()));
        assert_eq!(text.word("unresolved", &words), Ok(2));
        let other = said("str", Value::Text("te\nxt".to_owned()));
        let error = other.word("unresolved", &words).map_err(|error| error.to_string());
        assert_eq!(error, Err("unresolved must be 'error' or 'text', not 'te\\nxt'".to_owned()));
        let list = said("list", Value::Several(Vec::new()));
        let error = list.word("unresolved", &words).map_err(|error| error.to_string());
        assert_eq!(error, Err("unresolved must be a str, not list".to_owned()));
    }
}
