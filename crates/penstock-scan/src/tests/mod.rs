//! Every kernel against its naive twin, on both instruction sets.

mod naive;
mod properties;
mod shapes;
