//! Finds the bytes that matter to a reader.
//!
//! The kernels are written once for each instruction set behind [`Isa`]. [`dispatch`] chooses one
//! at run time, once for a whole window of work and not for each token. [`ValidText`] proves that
//! bytes were checked to be UTF-8. [`TextWindow`] and [`ValidText::check`] make one,
//! [`unescape_json`] resolves escapes into one, and [`shape`], [`widen_ucs2`] and others convert
//! one into the units of a CPython string.
//!
//! Every kernel has a naive twin in `tests/naive.rs` and a property test that both agree.

// Every crate but the clock is built on this one, so elsewhere this is nearly all that the compiler
// says.
#[cfg(not(unix))]
compile_error!("Penstock runs on Linux and macOS: docs/install.md says what is missing elsewhere");

#[cfg(target_arch = "x86_64")]
mod avx2;
mod borrowed;
mod compare;
mod isa;
mod json_escape;
#[cfg(any(target_arch = "x86_64", all(target_arch = "aarch64", target_endian = "little")))]
mod lanes;
mod lines;
mod memory;
#[cfg(all(target_arch = "aarch64", target_endian = "little"))]
mod neon;
#[cfg(any(target_arch = "x86_64", all(target_arch = "aarch64", target_endian = "little")))]
mod nibbles;
mod pen;
mod portable;
#[cfg(any(target_arch = "x86_64", all(target_arch = "aarch64", target_endian = "little")))]
mod short;
mod swar;
mod text;
mod unicode;
mod utf8;
mod window;

#[cfg(test)]
mod tests;

pub use borrowed::BorrowedText;
pub use compare::stands_at;
pub use isa::{
    Chosen, Isa, Job, Marks, Stops, StringEnd, dispatch, dispatch_or, dispatch_portable,
};
pub use json_escape::{BadEscape, EscapeCheck, EscapeKind, check_json_escape, unescape_json};
pub use lines::{count_code_points, count_newlines};
pub use memory::{
    OutOfMemory, Room, append, check_reserve, copied, filled, gathered, is_short,
    keep_reserve_with, make_room, out_of_memory, set_short,
};
pub use pen::Pen;
pub use text::{TextBuf, ValidText};
pub use unicode::{Shape, Width, shape, widen_latin1, widen_ucs2, widen_ucs4};
pub use utf8::{Checked, Rest};
pub use window::TextWindow;
