//! How a value is made, and what happens to it after that.

pub(crate) mod build;
pub(crate) mod constraints;
pub(crate) mod entries;
pub(crate) mod post_steps;
pub(crate) mod proof;
pub(crate) mod type_objects;
