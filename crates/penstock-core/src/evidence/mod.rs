//! Evidence of which classes read documents: which places there are, and all that was there.
//!
//! [`Evidence`] is a sink that keeps a tree of places, as an [outline](crate::outline) does, and more of
//! each: how often it is present, the ranges of its numbers, of which types its texts are, the texts
//! themselves if they are few. Its memory has bounds, which are constants here. Evidence of two parts
//! [joins](Evidence::absorb), and is then the evidence of both: threads rely on that.
//!
//! What is made of it is decided by others.
//!
//! | file | holds |
//! |---|---|
//! | `numbers.rs` | which numbers were seen |
//! | `texts.rs` | which texts were seen, and of which types they are |
//! | `tags.rs` | which keys may tell of what class an object is |
//! | `tree.rs` | the places, and how two are joined |
//! | `sink.rs` | the sink |
//! | `waiting.rs` | members that wait for a tag |
//! | `share.rs` | how threads share its work |

mod numbers;
mod share;
mod sink;
mod tags;
mod texts;
mod tree;
mod waiting;

pub use numbers::{Floats, Ints};
pub use sink::Evidence;
pub use tags::{TAGS, may_tell};
pub use texts::{FORMS, LONGEST, Texts, VALUES, form};
pub use tree::{Arrays, Body, DEEPEST, KEYS, PLACES, Place, Step, Tag, Tree};
