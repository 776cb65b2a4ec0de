//! Binary property lists.
//!
//! # For maintainers
//!
//! A binary property list (`bplist00`) is a graph of numbered objects. A table at its end says at which byte each
//! object begins, and the trailer, which are the last 32 bytes, says where the table is. So the reader can go to any
//! object at once, and what nobody wants is not looked at.
//!
//! | file | holds |
//! |---|---|
//! | `store.rs` | bytes at positions: in memory, or in a file, by pages that are kept for a while |
//! | `trailer.rs` | the trailer and the table of offsets, with all checks of both |
//! | `object.rs` | one object: its kind, its count, and where its bytes are |
//! | `strings.rs` | objects that are no containers, as scalars |
//! | `shares.rs` | which objects several others refer to |
//! | `reader` | the walk over the graph, as events |
//! | `lazy.rs` | single objects by their numbers, for a file of which little is read |
//! | `writer.rs` | the writer, of whole files and of streams |
//! | `whole.rs` | the objects of a file that is written at its end, each one once |
//! | `table.rs` | finds equal objects that were written before |
//! | `encode.rs` | markers, counts and strings |
//!
//! ## What is taken, and what is not
//!
//! 1. The header is `bplist0` and any character. The versions 1 and 2 are other formats.
//! 2. The trailer must be the last 32 bytes. Its first five bytes and the version of the order of the keys are ignored,
//!    and so are bytes between the table and the trailer, and bytes between objects.
//! 3. Offsets, references and counts have 1 to 8 bytes, and any of these widths.
//! 4. An object must be whole between the header and the table. Objects may overlap, and several numbers may stand for
//!    one place: each number is an object of its own.
//! 5. What the root does not lead to is never looked at, and neither is what the sink does not want.
//! 6. Integers of 1, 2 and 4 bytes have no sign, those of 8 and 16 bytes do. Integers beyond 64 bits are reported as digits.
//! 7. A container that contains itself is malformed. What is reported because objects are shared is bounded by
//!    `limits.amplification` and `limits.expansion`.
//! 8. A fill byte is no value.

mod encode;
mod lazy;
mod object;
mod reader;
mod shares;
mod store;
mod strings;
mod table;
mod trailer;
mod whole;
pub mod writer;

pub use lazy::{Graph, Node};
pub use reader::Reader;
