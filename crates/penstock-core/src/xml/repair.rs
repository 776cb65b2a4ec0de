//! Narrow, named exceptions from the grammar, for files that exist.
//!
//! None is made unless it is asked for, and each that is made is told with its place.

/// What may be repaired.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RepairKind {
    /// A `&` that begins no reference stands for itself.
    BareAmpersand,
    /// A character that XML does not allow, as it is or as a reference, is left out.
    ControlCharacter,
    /// Two character references that are a surrogate pair are the character that they mean.
    SurrogatePair,
    /// What is left of an internal subset in error, up to the `]>` that ends it, is left out.
    BrokenSubset,
    /// What stands behind the root element and may not stand there is left out.
    TrailingJunk,
}

impl RepairKind {
    /// All kinds.
    pub const ALL: [RepairKind; 5] = [
        RepairKind::BareAmpersand,
        RepairKind::ControlCharacter,
        RepairKind::SurrogatePair,
        RepairKind::BrokenSubset,
        RepairKind::TrailingJunk,
    ];

    /// The name by which a caller asks for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            RepairKind::BareAmpersand => "bare_ampersand",
            RepairKind::ControlCharacter => "control_character",
            RepairKind::SurrogatePair => "surrogate_pair",
            RepairKind::BrokenSubset => "broken_subset",
            RepairKind::TrailingJunk => "trailing_junk",
        }
    }
}

/// A repair that was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repair {
    /// What was repaired.
    pub kind: RepairKind,
    /// The byte at which it stands.
    pub offset: u64,
}

/// A set of repairs that may be made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Repairs(u8);

impl Repairs {
    /// The same and one more.
    #[must_use]
    pub fn with(self, kind: RepairKind) -> Repairs {
        Repairs(self.0 | 1 << kind as u8)
    }
    /// Whether one is in the set.
    #[inline]
    #[must_use]
    pub fn has(self, kind: RepairKind) -> bool {
        self.0 & 1 << kind as u8 != 0
    }
}
