//! Conversions: each rule by hand, and any document there and back.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod converting;
#[path = "../xml/documents.rs"]
#[allow(dead_code)]
mod documents;
#[path = "../xml/recording.rs"]
#[allow(dead_code)]
mod recording;
mod rules;
mod survival;
