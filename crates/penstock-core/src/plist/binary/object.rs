//! One object: what it is, and where its bytes are.

use super::store::Store;
use super::trailer::Trailer;
use crate::error::Fault;
use crate::event::ContainerKind;

/// An object, as far as it is known without its bytes or members. All of these are inside of the
/// objects of the file.
#[derive(Clone, Copy, Debug)]
pub(super) enum Object {
    Null,
    Bool(bool),
    Int(i64),
    /// The sixteen bytes of an integer, and where they are.
    Wide {
        from: u64,
    },
    Real(f64),
    /// Seconds since 2001.
    Date(f64),
    Uid(u64),
    Data {
        from: u64,
        count: u64,
    },
    /// Bytes that must be ASCII.
    Ascii {
        from: u64,
        count: u64,
    },
    /// Units of UTF-16, the higher byte first.
    Utf16 {
        from: u64,
        units: u64,
    },
    Container(Members),
}

/// The members of a container.
#[derive(Clone, Copy, Debug)]
pub(super) struct Members {
    pub(super) kind: ContainerKind,
    /// Where the first reference is. Those of a map are all keys, and then all values.
    pub(super) from: u64,
    /// How many members there are.
    pub(super) count: u64,
}

impl Object {
    /// The object at an offset.
    ///
    /// # Errors
    /// Nothing is known of such an object, or it is not whole within the objects.
    #[inline(always)]
    pub(super) fn read(
        store: &mut impl Store,
        trailer: &Trailer,
        number: u64,
        at: u64,
    ) -> Result<Self, Fault> {
        let word = store.word(at)?;
        let marker = (word >> 56) as u8;
        let low = marker & 0xF;
        // What there is behind the marker, at most.
        let room = trailer.table - at - 1;
        let simple = |bytes: u64, object: Object| {
            if bytes <= room { Ok(object) } else { Err(cut(number, at, trailer)) }
        };
        match marker >> 4 {
            0x1 => match low {
                0 => simple(1, Object::Int(i64::from((word >> 48) as u8))),
                1 => simple(2, Object::Int(i64::from((word >> 40) as u16))),
                2 => simple(4, Object::Int(i64::from((word >> 24) as u32))),
                3 => simple(8, Object::Int(store.word(at + 1)?.cast_signed())),
                4 => simple(16, Object::Wide { from: at + 1 }),
                _ => Err(unknown(number, at, marker)),
            },
            0x5 | 0x4 | 0x6 | 0xA | 0xB | 0xC | 0xD => {
                let (from, count) = match low {
                    0xF => long_count(store, number, at, word, trailer)?,
                    _ => (at + 1, u64::from(low)),
                };
                let (each, object) = match marker >> 4 {
                    0x4 => (1, Object::Data { from, count }),
                    0x5 => (1, Object::Ascii { from, count }),
                    0x6 => (2, Object::Utf16 { from, units: count }),
                    0xD => {
                        let members = Members { kind: ContainerKind::Map, from, count };
                        (2 * trailer.reference.bytes, Object::Container(members))
                    }
                    high => {
                        let is_list = high == 0xA;
                        let kind = if is_list { ContainerKind::List } else { ContainerKind::Set };
                        let members = Members { kind, from, count };
                        (trailer.reference.bytes, Object::Container(members))
                    }
                };
                let bytes = count.checked_mul(each);
                match bytes {
                    Some(bytes) if from <= trailer.table && bytes <= trailer.table - from => {
                        Ok(object)
                    }
                    _ => Err(cut(number, at, trailer)),
                }
            }
            0x2 => match low {
                2 => simple(4, Object::Real(f64::from(f32::from_bits((word >> 24) as u32)))),
                3 => simple(8, Object::Real(f64::from_bits(store.word(at + 1)?))),
                _ => Err(unknown(number, at, marker)),
            },
            0x3 if low == 3 => simple(8, Object::Date(f64::from_bits(store.word(at + 1)?))),
            0x8 => {
                let bytes = u64::from(low) + 1;
                if bytes > room {
                    return Err(cut(number, at, trailer));
                }
                let mut uid = 0_u64;
                for byte in store.bytes(at + 1, bytes as usize)? {
                    if uid >> 56 != 0 {
                        let reason = format!("object {number} is a UID of more than 64 bits");
                        return Err(Fault::malformed(at, reason));
                    }
                    uid = uid << 8 | u64::from(*byte);
                }
                Ok(Object::Uid(uid))
            }
            0x0 => match low {
                0x0 => Ok(Object::Null),
                0x8 => Ok(Object::Bool(false)),
                0x9 => Ok(Object::Bool(true)),
                0xF => {
                    let reason = format!("object {number} is a fill byte, which is no value");
                    Err(Fault::malformed(at, reason))
                }
                _ => Err(unknown(number, at, marker)),
            },
            _ => Err(unknown(number, at, marker)),
        }
    }

    /// The name of the object in messages.
    pub(super) fn called(&self) -> &'static str {
        match self {
            Object::Null => "null",
            Object::Bool(_) => "a boolean",
            Object::Int(_) | Object::Wide { .. } => "an integer",
            Object::Real(_) => "a real number",
            Object::Date(_) => "a date",
            Object::Uid(_) => "a UID",
            Object::Data { .. } => "data",
            Object::Ascii { .. } | Object::Utf16 { .. } => "a string",
            Object::Container(members) => match members.kind {
                ContainerKind::List => "an array",
                ContainerKind::Set => "a set",
                ContainerKind::Map => "a dictionary",
            },
        }
    }
}

/// Whether an object that begins with these bytes is a container, if it is valid.
#[inline(always)]
pub(super) fn is_container(word: u64) -> bool {
    matches!(word >> 60, 0xA..=0xD)
}

/// A count that does not fit the marker: an integer object of its own. Where the bytes after it
/// are, and the count.
#[inline]
fn long_count(
    store: &mut impl Store,
    number: u64,
    at: u64,
    word: u64,
    trailer: &Trailer,
) -> Result<(u64, u64), Fault> {
    let marker = (word >> 48) as u8;
    let (bytes, count) = match marker {
        0x10 => (1, u64::from((word >> 40) as u8)),
        0x11 => (2, u64::from((word >> 32) as u16)),
        0x12 => (4, u64::from((word >> 16) as u32)),
        0x13 if at + 2 < trailer.table => (8, store.word(at + 2)?),
        _ => {
            let reason =
                format!("object {number} has no count: expected 0x10 to 0x13, got 0x{marker:02x}");
            return Err(Fault::malformed(at + 1, reason));
        }
    };
    Ok((at + 2 + bytes, count))
}

#[cold]
#[inline(never)]
fn cut(number: u64, at: u64, trailer: &Trailer) -> Fault {
    let end = trailer.table;
    let reason = format!(
        "object {number} does not end before byte {end}, where the table of offsets begins"
    );
    Fault::malformed(at, reason)
}

#[cold]
#[inline(never)]
fn unknown(number: u64, at: u64, marker: u8) -> Fault {
    Fault::malformed(at, format!("object {number} is of an unknown kind: 0x{marker:02x}"))
}
