//! The reader of OpenStep, GNUstep and files of strings.

mod at_random;
mod corpora;
mod hostile;
mod looking;
mod naive;
mod reading;
mod recording;
mod rewriting;
mod samples;
mod writing;
