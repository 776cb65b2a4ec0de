//! Makes Python objects from events: the only place that touches CPython's object layout.
//!
//! The builder gathers values on one stack of owned references. It makes each container in one step
//! when its last value is there: an object of the right class, a list of the right length, a dict
//! of the right size. So Python code never sees a half-made one, and to give up a record is to drop
//! the stack.
//!
//! There are two sinks over one [`core`]: [`keyed`] for formats of maps and lists, [`markup`] for
//! formats of elements. [`make`] makes the containers of both. [`owned`] is what a run holds.

mod collector;
mod core;
mod keyed;
mod make;
mod markup;
mod owned;
#[cfg(test)]
mod tests;

pub(crate) use self::core::Options;
pub(crate) use self::core::caches::key as new_key;
pub(crate) use self::core::place::shortened;
pub(crate) use self::core::readback::{ReadBack, key_back, read_back};
pub(crate) use self::core::refusal::{Mismatch, Refusal, Why};
pub(crate) use self::core::standard::{new_date, new_datetime, new_duration, new_time};
pub(crate) use self::core::text::new_str;
pub(crate) use collector::Pause;
pub(crate) use keyed::{KeyedOptions, Taking};
pub(crate) use markup::{
    ForceList, MarkupOptions, Repeated, Root, left_out, warn_of_mixed, written,
};
pub(crate) use owned::{Elements, FormatOptions, Keys, Owned, Side};
