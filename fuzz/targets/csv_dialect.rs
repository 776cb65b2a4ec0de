//! Which dialect the first bytes of an input choose.

use libfuzzer_sys::arbitrary::{self, Arbitrary};
use penstock_core::csv::{Header, Options, Terminator};
use penstock_core::repair::Repairs;

#[derive(Arbitrary, Debug)]
pub(crate) struct Choices {
    /// How long the pieces are.
    pub(crate) piece: u8,
    /// Whether the sink pauses behind each row.
    pub(crate) pauses: bool,
    /// Whether rows must be short.
    pub(crate) short: bool,
    delimiter: u8,
    terminator: u8,
    header: u8,
    quote: u8,
    comment: u8,
    escape: bool,
    trim: bool,
    skip: bool,
}

impl Choices {
    pub(crate) fn options(&self) -> Options {
        let text = |words: &[&str], chosen: u8| words[usize::from(chosen) % words.len()].into();
        Options {
            delimiter: text(&[",", ";", "||", ",;"], self.delimiter),
            quote: [Some(b'"'), Some(b'\''), None][usize::from(self.quote) % 3],
            escape: self.escape.then_some(b'\\'),
            comment: (self.comment % 3 > 0).then(|| text(&["#", "aé"], self.comment)),
            terminator: match self.terminator % 4 {
                0 | 1 => Terminator::AsFirst,
                2 => Terminator::Any,
                _ => Terminator::Exactly(text(&["\n", "\r\n", "bb", "!"], self.terminator / 4)),
            },
            trim: self.trim,
            skip: self.skip.into(),
            repairs: Repairs::default(),
            header: match self.header % 6 {
                0..3 => Header::First,
                3 => Header::Positions,
                4 => Header::Joined(2, " ".into()),
                _ => Header::InputView(vec!["x".into(); 1 + usize::from(self.header / 6 % 3)]),
            },
        }
    }
}
