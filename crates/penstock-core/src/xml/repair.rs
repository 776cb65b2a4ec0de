//! Narrow, named exceptions from the grammar, for broken files that exist in practice.
//!
//! A repair is made only if the caller asks for it, and is reported with its position.

/// The faults that may be repaired.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RepairKind {
    /// A `&` that begins no reference is kept as text.
    BareAmpersand,
    /// A character that XML does not allow, as itself or as a reference, is removed.
    ControlCharacter,
    /// Two character references that are a surrogate pair become the character that they mean.
    SurrogatePair,
    /// The rest of an invalid internal subset, up to the `]>` that ends it, is ignored.
    BrokenSubset,
    /// Text after the root element that is not allowed there is ignored.
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

    /// The name in the caller's options.
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
pub struct Repairs(u8);

impl Repairs {
    /// The same set and one more.
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
