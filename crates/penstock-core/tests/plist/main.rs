//! Property lists, form by form.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod binary;
mod markup;
mod moody;
mod text;
