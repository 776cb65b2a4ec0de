use crate::error::Fault;
use crate::limits::Limits;
use penstock_scan::ValidText;
use std::sync::Arc;
#[derive(Debug, Default)]
pub(super) struct Dtd {}
/// N
#[derive(Debug)]
pub struct Notation {}
#[derive(Debug)]
pub(super) enum Entity {
    Internal(Arc<str>),
    External,
    Unparsed,
}
#[derive(Debug)]
pub(super) struct AttDef {
    pub(super) name: Box<str>,
    pub(super) cdata: bool,
    pub(super) default: Option<Box<str>>,
}
impl Dtd {
    pub(super) fn declare(
        &mut self,
        _t: ValidText<'_>,
        _b: u64,
        _f: bool,
        _p: bool,
        _l: &Limits,
        _n: bool,
    ) -> Result<(), Fault> {
        Ok(())
    }
    pub(super) fn general(&self, _n: &str) -> Option<&Entity> {
        None
    }
    pub(super) fn parameter(&self, _n: &str) -> Option<&Entity> {
        None
    }
    pub(super) fn attributes(&self, _e: &str) -> Option<&[AttDef]> {
        None
    }
    pub(super) fn declares_attributes(&self) -> bool {
        false
    }
    pub(super) fn notations(&self) -> impl Iterator<Item = &Notation> {
        [].iter()
    }
}
