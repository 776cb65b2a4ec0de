//! Property lists as text: OpenStep, GNUstep, and files of strings.
//!
//! There is no standard. The rules are those of the two implementations that people have, Foundation (CoreFoundation's
//! parser of old-style property lists) and GNUstep, wherever they agree or one of them refuses what the other takes.
//! Where the two read the same text as different values, `grammar.rs` and `quoted.rs` say whose rule it is.
//!
//! | file | holds |
//! |---|---|
//! | `reader.rs` | the state between windows, and the methods for callers |
//! | `grammar.rs` | the rules |
//! | `token.rs` | white space, comments, strings without quotes, and the messages of faults |
//! | `quoted.rs` | strings in quotes, and their escapes |
//! | `data.rs` | data: hexadecimal, and GNUstep's base64 |
//! | `typed.rs` | GNUstep's `<*I5>` and its kin |
//! | `look.rs` | looking ahead in a dictionary |
//! | `looking.rs` | which form of property list a text is |
//! | `writer.rs` | events as text, and the rules for quotes and escapes |

mod data;
mod grammar;
mod look;
mod looking;
mod quoted;
mod reader;
mod token;
mod typed;
pub mod writer;

pub use looking::{Looking, Looks, MOST_LOOKED_AT};
pub use reader::Reader;
