//! The portable kernels as calls: the vector kernels use them for slices that are shorter than a
//! vector.

use crate::isa::{Isa, StringEnd};
use crate::portable::Portable;

/// [`Isa::json_string`] as a call.
#[inline(never)]
pub(crate) fn json_string(bytes: &[u8], from: usize) -> StringEnd {
    Portable::new().json_string(bytes, from)
}

/// [`Isa::space`] as a call.
#[inline(never)]
pub(crate) fn space(bytes: &[u8], from: usize) -> StringEnd {
    StringEnd { at: Portable::new().space(bytes, from), ascii: true }
}

/// [`Isa::xml_text`] as a call.
#[inline(never)]
pub(crate) fn xml_text(bytes: &[u8], from: usize) -> StringEnd {
    Portable::new().xml_text(bytes, from)
}

/// [`Isa::xml_value`] as a call.
#[inline(never)]
pub(crate) fn xml_value(bytes: &[u8], from: usize) -> StringEnd {
    Portable::new().xml_value(bytes, from)
}

/// [`Isa::xml_name`] as a call.
#[inline(never)]
pub(crate) fn xml_name(bytes: &[u8], from: usize) -> StringEnd {
    StringEnd { at: Portable::new().xml_name(bytes, from), ascii: true }
}
