//! Every kernel against its naive twin, on both instruction sets: the best of the processor, which is AVX2 or NEON where
//! it has one of them, and the portable one.

mod naive;
mod properties;
mod shapes;
