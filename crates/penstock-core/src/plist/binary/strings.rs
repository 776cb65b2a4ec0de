//! Objects that are no containers, as scalars.

use penstock_scan::{TextBuf, ValidText};

use super::object::Object;
use super::store::Store;
use crate::error::{Fail, Fault};
use crate::event::{Scalar, Text};
use crate::limits::Limits;

/// Makes scalars of objects.
#[derive(Debug)]
pub(super) struct Strings {
    /// The last string of UTF-16.
    scratch: TextBuf,
    /// The most bytes of a string or of data.
    limit: usize,
}

impl Strings {
    pub(super) fn new(limits: &Limits) -> Self {
        Strings { scratch: TextBuf::new(), limit: limits.token }
    }

    /// The same for another reader.
    pub(super) fn alike(&self) -> Self {
        Strings { scratch: TextBuf::new(), limit: self.limit }
    }

    /// Hands over an object that is no container.
    #[inline(always)]
    pub(super) fn scalar<St: Store, T, E>(
        &mut self,
        store: &mut St,
        object: Object,
        at: u64,
        tell: impl FnOnce(Scalar<'_>) -> Result<T, E>,
    ) -> Result<T, Fail<E>> {
        let told = match object {
            Object::Ascii { from, count } => {
                tell(Scalar::Text(ascii(self.bytes(store, at, from, count)?, from)?))
            }
            Object::Int(value) => tell(Scalar::Int(value)),
            Object::Real(value) => tell(Scalar::Float(value)),
            Object::Date(seconds) => tell(Scalar::Since2001(seconds)),
            Object::Bool(value) => tell(Scalar::Bool(value)),
            Object::Null => tell(Scalar::Null),
            Object::Uid(uid) => tell(Scalar::Uid(uid)),
            Object::Utf16 { from, units } => {
                utf16(self.bytes(store, at, from, 2 * units)?, &mut self.scratch, from)?;
                tell(Scalar::Text(Text { text: self.scratch.text(), ascii: false }))
            }
            Object::Data { from, count } => {
                tell(Scalar::Bytes(self.bytes(store, at, from, count)?))
            }
            Object::Wide { from } => {
                let bytes = store.bytes(from, 16)?;
                let value = bytes.first_chunk().map_or(0, |bytes| i128::from_be_bytes(*bytes));
                match i64::try_from(value) {
                    Ok(value) => tell(Scalar::Int(value)),
                    Err(_) => tell(Scalar::Number(itoa::Buffer::new().format(value).as_bytes())),
                }
            }
            Object::Container(_) => {
                debug_assert!(false, "a container is no scalar");
                tell(Scalar::Null)
            }
        };
        told.map_err(Fail::Sink)
    }

    /// Hands over the object that is a key.
    #[inline(always)]
    pub(super) fn key<St: Store, T, E>(
        &mut self,
        store: &mut St,
        object: Object,
        number: u64,
        at: u64,
        tell: impl FnOnce(Text<'_>) -> Result<T, E>,
    ) -> Result<T, Fail<E>> {
        let told = match object {
            Object::Ascii { from, count } => {
                tell(ascii(self.bytes(store, at, from, count)?, from)?)
            }
            Object::Utf16 { from, units } => {
                utf16(self.bytes(store, at, from, 2 * units)?, &mut self.scratch, from)?;
                tell(Text { text: self.scratch.text(), ascii: false })
            }
            other => return Err(Fail::Input(no_key(number, at, other))),
        };
        told.map_err(Fail::Sink)
    }

    /// The bytes of a string or of data, if there may be so many.
    #[inline(always)]
    fn bytes<'s, St: Store>(
        &self,
        store: &'s mut St,
        at: u64,
        from: u64,
        count: u64,
    ) -> Result<&'s [u8], Fault> {
        match usize::try_from(count) {
            Ok(count) if count <= self.limit => store.bytes(from, count),
            _ => Err(self.too_long(at)),
        }
    }

    #[cold]
    #[inline(never)]
    fn too_long(&self, at: u64) -> Fault {
        let limit = self.limit;
        Fault::limit(at, format!("a string or data of more than {limit} bytes (limits.token)"))
    }
}

/// Bytes that must be ASCII, as text. `from` is the offset of the first one.
#[inline(always)]
pub(super) fn ascii(bytes: &[u8], from: u64) -> Result<Text<'_>, Fault> {
    match ValidText::ascii(bytes) {
        Some(text) => Ok(Text { text, ascii: true }),
        None => Err(not_ascii(bytes, from)),
    }
}

#[cold]
#[inline(never)]
fn not_ascii(bytes: &[u8], from: u64) -> Fault {
    let (place, byte) =
        bytes.iter().enumerate().find(|(_, byte)| !byte.is_ascii()).unwrap_or((0, &0));
    Fault::malformed(from + place as u64, format!("a string of ASCII with the byte 0x{byte:02x}"))
}

/// Makes text of UTF-16, the higher byte first. `from` is the offset of the first byte.
#[inline(never)]
fn utf16(bytes: &[u8], text: &mut TextBuf, from: u64) -> Result<(), Fault> {
    text.clear();
    let (units, _) = bytes.as_chunks();
    let mut read = 0_u64;
    for char in char::decode_utf16(units.iter().map(|unit| u16::from_be_bytes(*unit))) {
        match char {
            Ok(char) => {
                text.push_char(char);
                read += 2 * char.len_utf16() as u64;
            }
            Err(lone) => {
                let unit = lone.unpaired_surrogate();
                let reason = format!("a string of UTF-16 with the lone surrogate 0x{unit:04x}");
                return Err(Fault::malformed(from + read, reason));
            }
        }
    }
    Ok(())
}

#[cold]
#[inline(never)]
fn no_key(number: u64, at: u64, object: Object) -> Fault {
    let called = object.called();
    let reason = format!("the key of a dictionary is {called}, not a string (object {number})");
    Fault::malformed(at, reason)
}
