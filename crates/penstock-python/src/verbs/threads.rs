//! Several threads beside a run that its driver advances without the interpreter's lock.

use crate::drive::driver::Gauge;
use penstock_core::formats::Reader;
use penstock_core::run::{Failed, RecordScope, Run, Windows};
use penstock_core::split::{Shares, Threads, Worker, expect_threads};
use std::sync::atomic::Ordering;

/// RecordSource input to a run, and begins the threads as soon as there is so much of it that they are
/// worth it.
pub(in crate::verbs) struct Together<L> {
    count: usize,
    threads: Option<Threads<L>>,
}

impl<L: Worker> Together<L> {
    /// For so many threads beside a run that has read nothing yet. One is the driver's own.
    pub(in crate::verbs) fn new<C>(count: usize, run: &mut Run<Reader, Windows, C>) -> Self {
        if count > 1 {
            expect_threads(run);
        }
        Together { count, threads: None }
    }

    /// RecordSource what comes next, if that came yet.
    ///
    /// # Errors
    /// The failure that ends the run.
    pub(in crate::verbs) fn bring<S: Shares<Worker = L>>(
        &mut self,
        run: &mut Run<Reader, Windows, S::Cause>,
        to: &mut RecordScope<S>,
        gauge: &Gauge,
    ) -> Result<(), Failed<S::Cause, S::Break>> {
        if self.threads.is_none() && self.count > 1 {
            self.threads = Threads::begin(run, to, self.count);
        }
        match &mut self.threads {
            Some(threads) => {
                let stepped = threads.step(run, to);
                if let Some(source) = threads.source() {
                    gauge.bytes.store(source.raw_bytes(), Ordering::Relaxed);
                }
                stepped.map(|_| ())
            }
            None => {
                let brought = run.input_mut().more();
                let brought = run.brought(to, brought);
                if let Some(bytes) = run.input().raw_bytes() {
                    gauge.bytes.store(bytes, Ordering::Relaxed);
                }
                brought
            }
        }
    }
}
