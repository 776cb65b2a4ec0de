//! The clock on machines that are simulated: everything that happens to a machine, in any order.

mod forks;
mod interleaving;
mod joins;
mod machine;
mod scenarios;
mod times;

pub(crate) use interleaving::pause;
