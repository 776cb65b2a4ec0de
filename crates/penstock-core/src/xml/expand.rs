//! What entities may expand to, and the values of attributes.

use penstock_scan::{Isa, Job, TextBuf, ValidText, dispatch};

use super::dtd::Dtd;
use super::reader::Options;
use super::reference::{Reference, reference};
use super::repair::{Repair, RepairKind};
use super::tag::{Locus, Rules, Stop};
use crate::error::Fault;
use crate::limits::Limits;

/// The account of what entities have made.
#[derive(Debug)]
pub(super) struct Expansion {}

impl Expansion {
    pub(super) fn new(_limits: &Limits) -> Self {
        Expansion {}
    }
    /// Another reference, to so many bytes, at a place behind so many bytes of input.
    pub(super) fn charge(&mut self, _bytes: usize, _input: u64, _at: u64) -> Result<(), Fault> {
        Ok(())
    }
}

/// An attribute's value as it is written, and all that it takes to resolve it.
#[derive(Clone, Copy)]
pub(super) struct Value<'a> {
    pub(super) raw: ValidText<'a>,
    pub(super) locus: Locus,
    pub(super) dtd: &'a Dtd,
    pub(super) rules: &'a Rules,
    pub(super) options: Options,
    /// Whether undeclared entities may be declared elsewhere.
    pub(super) open_ended: bool,
    /// Bytes of the document before it.
    pub(super) input: u64,
}

struct Resolve<'a, 'b> {
    value: Value<'a>,
    made: &'b mut Vec<Repair>,
    out: &'b mut TextBuf,
}

impl Value<'_> {
    /// Normalises the value (XML 1.0, 3.3.3).
    pub(super) fn resolve(
        self,
        _collapse: bool,
        _expansion: &mut Expansion,
        made: &mut Vec<Repair>,
        out: &mut TextBuf,
    ) -> Result<(), Fault> {
        dispatch(Resolve { value: self, made, out })
    }
}

impl Job for Resolve<'_, '_> {
    type Output = Result<(), Fault>;
    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> Self::Output {
        let Resolve { value, made, out } = self;
        let text = value.raw.as_bytes();
        let mut at = 0;
        while at < text.len() {
            let found = isa.xml_value(text, at).at;
            out.push_text(value.raw.slice(at..found));
            at = found;
            match text.get(at) {
                None => break,
                Some(b'\r') if text.get(at + 1) == Some(&b'\n') => at += 1,
                Some(b'\t' | b'\n' | b'\r') => {
                    out.push_char(' ');
                    at += 1;
                }
                Some(b'&') => {
                    match reference(isa, value.raw, at, value.rules, value.options, value.locus) {
                        Ok(Reference::Char { char, end, repair }) => {
                            if let Some(kind) = repair {
                                made.push(Repair { kind, offset: value.locus.at(at) });
                            }
                            if let Some(char) = char {
                                out.push_char(char);
                            }
                            at = end;
                        }
                        Ok(Reference::Bare) => {
                            let kind = RepairKind::BareAmpersand;
                            made.push(Repair { kind, offset: value.locus.at(at) });
                            out.push_char('&');
                            at += 1;
                        }
                        Ok(Reference::Entity { end }) => {
                            out.push_text(value.raw.slice(at..end));
                            at = end;
                        }
                        Err(Stop::Fault(fault)) => return Err(fault),
                        Err(Stop::Cut) => {
                            let reason = "the attribute's value ends inside a reference";
                            return Err(Fault::malformed(value.locus.at(at), reason));
                        }
                    }
                }
                Some(byte) if *byte < 0x20 => {
                    let kind = RepairKind::ControlCharacter;
                    made.push(Repair { kind, offset: value.locus.at(at) });
                    at += 1;
                }
                Some(0xEF) => {
                    out.push_text(value.raw.slice(at..at + 3));
                    at += 3;
                }
                Some(_) => {
                    out.push_text(value.raw.slice(at..at + 1));
                    at += 1;
                }
            }
        }
        Ok(())
    }
}
