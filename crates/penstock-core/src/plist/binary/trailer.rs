//! The trailer, and the table of offsets: all checks of both are here.

use super::store::Store;
use crate::error::Fault;

/// The bytes of the header.
pub(super) const HEADER: u64 = 8;
/// The bytes of the trailer.
const TRAILER: u64 = 32;

/// What the trailer says, once it is checked.
#[derive(Clone, Copy, Debug)]
pub(super) struct Trailer {
    /// How many objects there are.
    pub(super) objects: u64,
    /// The number of the root.
    pub(super) root: u64,
    /// Where the table of offsets begins, and the objects end.
    pub(super) table: u64,
    /// The size of the file.
    pub(super) size: u64,
    offset: Width,
    /// The bytes of a reference.
    pub(super) reference: Width,
}

/// How many bytes an integer has: 1 to 8.
#[derive(Clone, Copy, Debug)]
pub(super) struct Width {
    pub(super) bytes: u64,
    /// How far eight bytes that begin with the integer are shifted.
    shift: u32,
}

impl Width {
    fn new(bytes: u8) -> Option<Self> {
        let is_known = (1..=8).contains(&bytes);
        is_known.then(|| Width { bytes: u64::from(bytes), shift: 64 - 8 * u32::from(bytes) })
    }

    /// The integer at the beginning of eight bytes.
    #[inline(always)]
    pub(super) fn of(self, word: u64) -> u64 {
        word >> self.shift
    }
}

impl Trailer {
    /// Reads the header and the trailer of `size` bytes.
    ///
    /// # Errors
    /// The bytes are no binary property list, or the trailer contradicts itself or the size.
    pub(super) fn read(store: &mut impl Store, size: u64) -> Result<Self, Fault> {
        if size < HEADER {
            let begun = store.bytes(0, size as usize)?;
            return Err(if b"bplist0".starts_with(begun) || begun.starts_with(b"bplist0") {
                Fault::truncated(size, "the input ends within the header \"bplist00\"")
            } else {
                not_one()
            });
        }
        let header = store.bytes(0, HEADER as usize)?;
        match header {
            [b'b', b'p', b'l', b'i', b's', b't', b'0', _] => {}
            [b'b', b'p', b'l', b'i', b's', b't', version @ ..] => {
                let version = version.escape_ascii();
                let reason =
                    format!("version {version} of binary property lists is not known, only 00");
                return Err(Fault::malformed(6, reason));
            }
            _ => return Err(not_one()),
        }
        // At least one object and its offset.
        if size < HEADER + 2 + TRAILER {
            let reason =
                "the input is too short for the trailer, which ends a binary property list";
            return Err(Fault::truncated(size, reason));
        }
        let at = size - TRAILER;
        let widths = store.word(at)?.to_be_bytes();
        let objects = store.word(at + 8)?;
        let root = store.word(at + 16)?;
        let table = store.word(at + 24)?;
        let width = |place: usize, of: &str| {
            let bytes = widths[place];
            Width::new(bytes).ok_or_else(|| {
                let reason = format!("the trailer says that {of} has {bytes} bytes, not 1 to 8");
                Fault::malformed(at + place as u64, reason)
            })
        };
        let offset = width(6, "an offset")?;
        let reference = width(7, "a reference")?;
        if objects == 0 {
            return Err(Fault::malformed(at + 8, "the trailer says that there are no objects"));
        }
        if root >= objects {
            let reason = format!("the root is object {root}, and there are only {objects}");
            return Err(Fault::malformed(at + 16, reason));
        }
        if table <= HEADER || table >= at {
            let reason = format!(
                "the table of offsets is at byte {table}, and not between the header and the trailer"
            );
            return Err(Fault::malformed(at + 24, reason));
        }
        if objects > (at - table) / offset.bytes {
            let reason = format!(
                "the offsets of {objects} objects do not fit between byte {table} and the trailer"
            );
            return Err(Fault::malformed(at + 8, reason));
        }
        Ok(Trailer { objects, root, table, size, offset, reference })
    }

    /// The same with another object for the root.
    pub(super) fn rooted(self, root: u64) -> Self {
        Trailer { root, ..self }
    }

    /// Where an object begins. `from` is the offset of the reference to it.
    ///
    /// # Errors
    /// There is no such object, or it would begin outside of the objects.
    #[inline(always)]
    pub(super) fn find(
        &self,
        store: &mut impl Store,
        number: u64,
        from: u64,
    ) -> Result<u64, Fault> {
        if number >= self.objects {
            return Err(self.no_object(number, from));
        }
        let entry = self.table + number * self.offset.bytes;
        let at = self.offset.of(store.word(entry)?);
        if at < HEADER || at >= self.table {
            return Err(self.no_place(number, at, entry));
        }
        Ok(at)
    }

    /// Where the offset of the root is said: for what refers to it.
    pub(super) fn root_said_at(&self) -> u64 {
        self.size - 16
    }

    #[cold]
    #[inline(never)]
    fn no_object(&self, number: u64, from: u64) -> Fault {
        let objects = self.objects;
        Fault::malformed(
            from,
            format!("a reference to object {number}, and there are only {objects}"),
        )
    }

    #[cold]
    #[inline(never)]
    fn no_place(&self, number: u64, at: u64, entry: u64) -> Fault {
        let end = self.table;
        let reason = format!(
            "object {number} begins at byte {at}, and the objects are between the bytes 8 and {end}"
        );
        Fault::malformed(entry, reason)
    }
}

fn not_one() -> Fault {
    Fault::malformed(0, "this is no binary property list: it does not begin with \"bplist00\"")
}
