//! 64 bytes of JSON as bits: what a reader passes over unwanted values with.
//!
//! Bit *n* of each set stands for byte *n*. The three steps from bytes to structure are
//! [`Isa::json_block`](crate::Isa::json_block), which tells what stands where, [`escaped`], which
//! tells the quotes that a backslash takes out, and [`prefix_xor`] over the quotes that are left,
//! which tells what is inside of a string.
//!
//! ```
//! use penstock_scan::{Isa, Job, dispatch, escaped, prefix_xor};
//!
//! /// The brackets, braces, colons and commas outside of strings.
//! struct Structure<'a>(&'a [u8; 64]);
//!
//! impl Job for Structure<'_> {
//!     type Output = u64;
//!     #[inline(always)]
//!     fn run<I: Isa>(self, isa: I) -> u64 {
//!         let block = isa.json_block(self.0);
//!         let quotes = block.quote & !escaped(block.backslash, &mut false);
//!         block.structural & !prefix_xor(quotes)
//!     }
//! }
//!
//! let mut bytes = [b' '; 64];
//! bytes[..14].copy_from_slice(br#"{"a\"},":[1]} "#);
//! assert_eq!(dispatch(Structure(&bytes)), 0b0001_1011_0000_0001);
//! ```

/// What stands where in 64 bytes of JSON. The sets know nothing of strings: a comma inside of one
/// is structural all the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JsonBlock {
    /// `"`.
    pub quote: u64,
    /// `\`.
    pub backslash: u64,
    /// Control characters: every byte below 0x20, white space included.
    pub control: u64,
    /// White space: space, tab, line feed, carriage return.
    pub space: u64,
    /// `{`, `}`, `[`, `]`, `:` and `,`.
    pub structural: u64,
    /// Bytes above 0x7F.
    pub high: u64,
}

/// Bit *n* of the result is the exclusive or of the bits 0 to *n*. Of the quotes of a block, it is
/// the inside of the strings, the opening quote included and the closing one not.
///
/// If the block begins inside a string, invert the result; whether the next one does is its top
/// bit.
///
/// ```
/// assert_eq!(penstock_scan::prefix_xor(0b0100_0010), 0b0011_1110);
/// ```
#[inline(always)]
#[must_use]
pub const fn prefix_xor(bits: u64) -> u64 {
    let bits = bits ^ (bits << 1);
    let bits = bits ^ (bits << 2);
    let bits = bits ^ (bits << 4);
    let bits = bits ^ (bits << 8);
    let bits = bits ^ (bits << 16);
    bits ^ (bits << 32)
}

/// The bytes that a backslash escapes: those after an odd number of backslashes. A backslash that
/// is escaped itself is among them.
///
/// `carry` says that the first byte is escaped by the block before, and is set for the next one.
/// Backslashes outside of strings count too; there they are an error anyhow.
///
/// ```
/// let mut carry = false;
/// // Three backslashes and a quote: the second backslash and the quote are escaped.
/// assert_eq!(penstock_scan::escaped(0b0111, &mut carry), 0b1010);
/// assert!(!carry);
/// ```
#[inline(always)]
#[must_use]
pub const fn escaped(backslash: u64, carry: &mut bool) -> u64 {
    let first = *carry as u64;
    if backslash == 0 {
        *carry = false;
        return first;
    }
    // Adding a run's first bit to the run carries out at its end. Doing so for runs that begin
    // at odd places only leaves, at every run's end, the parity of its length.
    const EVEN: u64 = 0x5555_5555_5555_5555;
    let backslash = backslash & !first;
    let follows = (backslash << 1) | first;
    let odd_starts = backslash & !EVEN & !follows;
    let (ends, overflow) = odd_starts.overflowing_add(backslash);
    *carry = overflow;
    (EVEN ^ (ends << 1)) & follows
}
