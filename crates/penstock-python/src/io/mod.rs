//! What callers pass as a source, a target, a dialect or a style.

pub(crate) mod condition;
pub(crate) mod dialect;
pub(crate) mod sources;
pub(crate) mod stored;
pub(crate) mod style;
pub(crate) mod targets;
