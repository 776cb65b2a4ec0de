//! Penstock's engine: from bytes to events.
//!
//! A byte travels in this order. [`source`] reads and decompresses it, and its window checks it
//! once. A format's reader ([`json`], [`xml`]) reports it as [`event`]s to a sink, by one
//! [`protocol`]. [`select`] stands between the two if only a part of the document is wanted. Nothing
//! here knows Python, and nothing here is unsafe.
//!
//! The rooms, by floor. Each names rooms above it in this list only, and not those beside it:
//!
//! - 1: [`error`]: what is wrong with an input
//! - 1: [`limits`]: every limit on input
//! - 1: [`keys`]: finds a key among those of a class
//! - 1: [`suggest`]: suggests a known name
//! - 1: [`options`]: options as a caller gives them
//! - 1: [`path_step`]: one step of the path to a value
//! - 1: [`position`]: line, column and excerpt of a byte
//! - 1: [`shape`]: the form of a format's data
//! - 1: [`value`]: text to scalars, and back
//! - 2: [`event`]: the parts of events
//! - 2: [`repair`]: faults that may be repaired
//! - 2: [`source`]: reads, decompresses and decodes bytes
//! - 2: [`word`]: one value in 64 bits
//! - 3: [`protocol`]: what readers, sinks and destinations ask each other
//! - 4: [`outline`]: which paths documents have
//! - 4: [`select`]: the language of `at`, and the filter for records
//! - 4: [`stage`]: sinks that change events on their way
//! - 4: [`writer`]: what all writers have in common
//! - 5: [`csv`]: CSV
//! - 5: [`json`]: JSON and its streams
//! - 5: [`xml`]: XML
//! - 5: [`run`]: input through a reader into a destination
//! - 6: [`document`]: open documents
//! - 6: [`plist`]: property lists: one form is JSON, one is XML
//! - 6: [`target`]: where written bytes go
//! - 7: [`formats`]: the table of formats, and the types for any of them
//! - 7: [`recompress`]: writes a source again in pieces
//! - 8: [`index`]: finds the records of a file
//! - 8: [`split`]: one text in several threads, or in parts
//! - 9: [`convert`]: one format to another
//! - 9: [`evidence`]: what classes read documents

#![forbid(unsafe_code)]

pub mod error;
pub mod keys;
pub mod limits;
pub mod options;
pub mod path_step;
pub mod position;
pub mod shape;
pub mod suggest;
pub mod value;

pub mod event;
pub mod repair;
pub mod source;
pub mod word;

pub mod protocol;

pub mod outline;
pub mod select;
pub mod stage;
pub mod writer;

pub mod csv;
pub mod json;
pub mod run;
pub mod xml;

pub mod document;
pub mod plist;
pub mod target;

pub mod formats;
pub mod recompress;

pub mod index;
pub mod split;

pub mod convert;
pub mod evidence;
