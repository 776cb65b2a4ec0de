//! Penstock's engine: from bytes to events.
//!
//! A byte travels in this order, and so do the modules. [`source`] reads and decompresses it, and
//! its window checks it once. A format's [`reader`] ([`json`], [`xml`]) reports it as [`event`]s to
//! a [`sink`]. [`select`] stands between the two if only a part of the document is wanted. Nothing
//! here knows Python, and nothing here is unsafe.

#![forbid(unsafe_code)]

pub mod convert;
pub mod csv;
pub mod document;
pub mod error;
pub mod event;
pub mod format;
pub mod index;
pub mod json;
pub mod keys;
pub mod limits;
pub mod near;
pub mod outline;
pub mod plist;
pub mod position;
pub mod reader;
pub mod recompress;
pub mod repair;
pub mod run;
pub mod select;
pub mod shape;
pub mod sink;
pub mod source;
pub mod split;
pub mod stage;
pub mod target;
pub mod told;
pub mod trace;
pub mod trail;
pub mod value;
pub mod word;
pub mod writer;
pub mod xml;
