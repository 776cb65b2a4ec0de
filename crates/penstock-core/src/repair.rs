//! Narrow, named exceptions from the grammars, for broken files that exist in practice.
//!
//! A repair is made only if the caller asks for it, and is reported with its position. All formats
//! share the list of repairs, the way in which a caller names them, and the
//! [log](crate::run::RepairLog).

use crate::options::{InvalidOption, OptionValue, Value, wrong_word};

/// The faults that may be repaired.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RepairKind {
    /// XML: a `&` that begins no reference is kept as text.
    BareAmpersand,
    /// XML: a character that is not allowed, as itself or as a reference, is removed.
    ControlCharacter,
    /// XML: a reference to an entity of HTML that the document does not declare is its character.
    HtmlEntity,
    /// XML: two character references that are a surrogate pair become the character that they mean.
    SurrogatePair,
    /// XML: the rest of an invalid internal subset, up to the `]>` that ends it, is ignored.
    BrokenSubset,
    /// XML: text after the root element that is not allowed there is ignored.
    TrailingJunk,
    /// CSV: the cells that a row lacks are empty.
    ShortRow,
    /// CSV: the cells behind the last column are ignored.
    LongRow,
    /// CSV: a quote that neither opens nor closes a cell is text.
    StrayQuote,
    /// CSV: a carriage return that ends no line is text.
    BareCr,
    /// CSV: a NUL character is removed.
    Nul,
    /// CSV: a delimiter behind the last cell is ignored.
    TrailingDelimiter,
}

impl RepairKind {
    /// All kinds.
    pub const ALL: [RepairKind; 12] = [
        RepairKind::BareAmpersand,
        RepairKind::ControlCharacter,
        RepairKind::HtmlEntity,
        RepairKind::SurrogatePair,
        RepairKind::BrokenSubset,
        RepairKind::TrailingJunk,
        RepairKind::ShortRow,
        RepairKind::LongRow,
        RepairKind::StrayQuote,
        RepairKind::BareCr,
        RepairKind::Nul,
        RepairKind::TrailingDelimiter,
    ];

    /// Those of XML.
    pub const XML: [RepairKind; 6] = [
        RepairKind::BareAmpersand,
        RepairKind::ControlCharacter,
        RepairKind::HtmlEntity,
        RepairKind::SurrogatePair,
        RepairKind::BrokenSubset,
        RepairKind::TrailingJunk,
    ];

    /// Those of CSV.
    pub const CSV: [RepairKind; 6] = [
        RepairKind::ShortRow,
        RepairKind::LongRow,
        RepairKind::StrayQuote,
        RepairKind::BareCr,
        RepairKind::Nul,
        RepairKind::TrailingDelimiter,
    ];

    /// The name in the caller's options.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            RepairKind::BareAmpersand => "bare_ampersand",
            RepairKind::ControlCharacter => "control_character",
            RepairKind::HtmlEntity => "html_entity",
            RepairKind::SurrogatePair => "surrogate_pair",
            RepairKind::BrokenSubset => "broken_subset",
            RepairKind::TrailingJunk => "trailing_junk",
            RepairKind::ShortRow => "short_rows",
            RepairKind::LongRow => "long_rows",
            RepairKind::StrayQuote => "stray_quotes",
            RepairKind::BareCr => "bare_cr",
            RepairKind::Nul => "nul",
            RepairKind::TrailingDelimiter => "trailing_delimiter",
        }
    }
}

/// One repair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repair {
    /// The fault.
    pub kind: RepairKind,
    /// Its offset.
    pub offset: u64,
}

/// A set of repairs that are allowed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Repairs(u16);

impl Repairs {
    /// The same set and one more.
    #[must_use]
    pub fn with(self, kind: RepairKind) -> Repairs {
        Repairs(self.0 | 1 << kind as u16)
    }
    /// Whether one is in the set.
    #[inline]
    #[must_use]
    pub fn has(self, kind: RepairKind) -> bool {
        self.0 & 1 << kind as u16 != 0
    }

    /// Whether none is in the set.
    #[inline]
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The set that a caller names, of the repairs of a format: one name or several, or `all`.
    ///
    /// # Errors
    /// It is another type, or the format has no such repair.
    pub fn said(said: &OptionValue, known: &[RepairKind]) -> Result<Repairs, InvalidOption> {
        let words = match &said.value {
            Value::Several(words) => words,
            _ => std::slice::from_ref(said),
        };
        let mut repairs = Repairs::default();
        for word in words {
            let word = word.text("repair")?;
            let mut meant =
                known.iter().filter(|kind| word == "all" || word == kind.name()).peekable();
            if meant.peek().is_none() {
                let names: Vec<String> =
                    known.iter().map(|kind| format!("'{}'", kind.name())).collect();
                let allowed = format!("'all' or some of {}", names.join(", "));
                return Err(wrong_word("repair", word, &allowed));
            }
            repairs = meant.fold(repairs, |repairs, kind| repairs.with(*kind));
        }
        Ok(repairs)
    }
}
