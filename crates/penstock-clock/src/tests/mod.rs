//! The clock on simulated machines, with every kind of accident, in any order.

mod forks;
mod interleaving;
mod joins;
mod machine;
mod scenarios;
mod times;

pub(crate) use interleaving::pause;
