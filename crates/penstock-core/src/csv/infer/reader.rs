//! The reader that finds its dialect by itself.

use std::sync::Arc;

use penstock_scan::ValidText;

use super::super::options::Options;
use super::super::reader::Reader;
use super::{Inferred, SAMPLE, infer_repairing};
use crate::error::Fault;
use crate::limits::Limits;
use crate::protocol::Judge;

/// What is known of a dialect that the reader finds by itself.
#[derive(Clone, Debug)]
pub(in super::super) enum Inference {
    /// Nothing yet: the reader waits for enough text. `ends` says that bytes follow which are none.
    Open {
        ends: bool,
    },
    Found(Arc<Inferred>),
}

impl Reader {
    /// From now on, the reader finds the dialect in the first [`SAMPLE`] bytes of the source, and
    /// reads nothing before it has them or knows that there are no more.
    pub fn infer(&mut self) {
        self.inference = Some(Inference::Open { ends: false });
    }

    /// The dialect; none as long as the reader has to find it.
    #[must_use]
    pub fn options(&self) -> Option<&Options> {
        (!self.is_open()).then_some(&*self.options)
    }

    /// What the reader has found of the dialect, if it had to.
    #[must_use]
    pub fn inferred(&self) -> Option<&Arc<Inferred>> {
        match &self.inference {
            Some(Inference::Found(inferred)) => Some(inferred),
            _ => None,
        }
    }

    /// Whether the reader has yet to find the dialect.
    #[inline(always)]
    pub(in super::super) fn is_open(&self) -> bool {
        matches!(self.inference, Some(Inference::Open { .. }))
    }

    /// Bytes that are no text follow the window: the dialect is found in the text before them.
    pub(in super::super) fn rescan(&mut self) {
        if let Some(Inference::Open { ends }) = &mut self.inference {
            *ends = true;
        }
    }

    /// Finds the dialect. False if the window is too short for it.
    #[cold]
    pub(in super::super) fn decide(
        &mut self,
        text: ValidText<'_>,
        last: bool,
        judge: Option<&dyn Judge>,
    ) -> Result<bool, Fault> {
        let ends = matches!(self.inference, Some(Inference::Open { ends: true }));
        let is_enough = text.as_bytes().len() >= SAMPLE || ends && !text.as_bytes().is_empty();
        if !is_enough && !last {
            return Ok(false);
        }
        let repairs = self.grammar.repairs;
        let inferred = match infer_repairing(text, last, judge, repairs) {
            Ok(inferred) => inferred,
            // The bytes that are no text are to blame, and they are reported next.
            Err(_) if ends => return Ok(false),
            Err(undecided) => {
                let at = self.base + undecided.at as u64;
                return Err(Fault::malformed(at, undecided.reason));
            }
        };
        let limits = Limits { row: self.grammar.most(), ..Limits::default() };
        let options = Options { repairs, ..Options::clone(&inferred.options) };
        let mut decided =
            Reader::new(&options, &limits).map_err(|wrong| Fault::malformed(self.base, wrong.0))?;
        decided.base = self.base;
        decided.inference = Some(Inference::Found(Arc::new(inferred)));
        *self = decided;
        Ok(true)
    }
}
