//! The kinds of classes: which fields an object has, and how one is made.

pub(crate) mod annotated_init;
pub(crate) mod attrs;
pub(crate) mod classes;
pub(crate) mod dataclass;
pub(crate) mod left;
pub(crate) mod msgspec;
pub(crate) mod named_tuple;
pub(crate) mod plain;
pub(crate) mod pydantic;
pub(crate) mod signature;
pub(crate) mod typed_dict;
pub(crate) mod with_config;
