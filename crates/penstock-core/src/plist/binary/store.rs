//! Bytes at positions, in memory or in a file.

use std::fmt;
use std::io;

use penstock_scan::make_room;

use crate::error::Fault;
use crate::source::ReadAt;

/// Bytes that can be read at any position.
pub(super) trait Store {
    /// The eight bytes at an offset as one number, the first byte highest.
    fn word(&mut self, at: u64) -> Result<u64, Fault>;

    /// Bytes at an offset. The caller has checked that there are so many, and that they may be
    /// kept in memory.
    fn bytes(&mut self, at: u64, count: usize) -> Result<&[u8], Fault>;
}

/// All bytes, in memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Memory<'a>(pub(super) &'a [u8]);

impl Store for Memory<'_> {
    #[inline(always)]
    fn word(&mut self, at: u64) -> Result<u64, Fault> {
        let rest = usize::try_from(at).ok().and_then(|from| self.0.get(from..));
        match rest.and_then(<[u8]>::first_chunk) {
            Some(bytes) => Ok(u64::from_be_bytes(*bytes)),
            None => Err(outside(at)),
        }
    }

    #[inline(always)]
    fn bytes(&mut self, at: u64, count: usize) -> Result<&[u8], Fault> {
        let rest = usize::try_from(at).ok().and_then(|from| self.0.get(from..));
        match rest.and_then(|rest| rest.get(..count)) {
            Some(bytes) => Ok(bytes),
            None => Err(outside(at)),
        }
    }
}

/// A position that no check has let through. The checks of the trailer exclude it.
#[cold]
fn outside(at: u64) -> Fault {
    Fault::truncated(at, "the input ends here")
}

/// The bytes of a page.
const PAGE: u64 = 16 << 10;
/// Pages whose number has the same remainder by `SETS` are in the same set, which has `WAYS` places.
const SETS: u64 = 16;
const WAYS: usize = 4;
/// The most bytes of a copy that are kept for the next one.
const KEPT: usize = 1 << 20;

/// Pages of a file: at most 1 MiB of it.
#[derive(Default)]
pub(super) struct Pages {
    pages: Vec<Page>,
    /// Counts the accesses.
    clock: u64,
    /// The place of the page that was used last.
    last: usize,
    /// Bytes that are not on one page.
    copy: Vec<u8>,
}

#[derive(Default)]
struct Page {
    number: u64,
    /// When it was used last, or 0 if there is no page in this place.
    used: u64,
    bytes: Vec<u8>,
}

impl fmt::Debug for Pages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pages").field("clock", &self.clock).finish_non_exhaustive()
    }
}

/// A file that is read by pages.
pub(super) struct Paged<'f> {
    pub(super) file: &'f dyn ReadAt,
    pub(super) size: u64,
    pub(super) pages: &'f mut Pages,
}

impl Paged<'_> {
    /// The place of a page, which is read if it is not there.
    fn page(&mut self, number: u64) -> Result<usize, Fault> {
        let pages = &mut *self.pages;
        pages.clock += 1;
        if pages.pages.is_empty() {
            pages.pages.resize_with(SETS as usize * WAYS, Page::default);
        }
        let set = (number % SETS) as usize * WAYS;
        let ways = set..set + WAYS;
        let found = ways.clone().find(|place| {
            let page = &pages.pages[*place];
            page.number == number && page.used > 0
        });
        let place = match found {
            Some(place) => place,
            None => {
                let oldest = ways.min_by_key(|place| pages.pages[*place].used).unwrap_or(set);
                let page = &mut pages.pages[oldest];
                page.used = 0;
                let from = number * PAGE;
                let count = self.size.saturating_sub(from).min(PAGE) as usize;
                page.bytes.clear();
                make_room(&mut page.bytes, count);
                page.bytes.resize(count, 0);
                let read = self.file.read_exact_at(&mut page.bytes, from);
                read.map_err(|error| unread(from, &error))?;
                page.number = number;
                oldest
            }
        };
        pages.pages[place].used = pages.clock;
        pages.last = place;
        Ok(place)
    }

    /// Bytes that are on several pages, or that are too many for one.
    #[cold]
    fn gather(&mut self, at: u64, count: usize) -> Result<(), Fault> {
        let mut copy = std::mem::take(&mut self.pages.copy);
        if copy.capacity() > KEPT.max(count) {
            copy = Vec::new();
        }
        copy.clear();
        make_room(&mut copy, count);
        if count > 2 * PAGE as usize {
            copy.resize(count, 0);
            let read = self.file.read_exact_at(&mut copy, at);
            read.map_err(|error| unread(at, &error))?;
        } else {
            while copy.len() < count {
                let at = at + copy.len() as u64;
                let place = self.page(at / PAGE)?;
                let rest = self.pages.pages[place].bytes.get((at % PAGE) as usize..);
                let rest = rest.filter(|rest| !rest.is_empty()).ok_or_else(|| outside(at))?;
                copy.extend_from_slice(&rest[..rest.len().min(count - copy.len())]);
            }
        }
        self.pages.copy = copy;
        Ok(())
    }
}

/// The file cannot be read any more as it was.
#[cold]
fn unread(at: u64, error: &io::Error) -> Fault {
    if error.kind() == io::ErrorKind::UnexpectedEof {
        return Fault::truncated(at, "the file has become shorter while it was read");
    }
    Fault::truncated(at, format!("the file cannot be read here: {error}"))
}

impl Store for Paged<'_> {
    #[inline]
    fn word(&mut self, at: u64) -> Result<u64, Fault> {
        let bytes = self.bytes(at, 8)?;
        bytes.first_chunk().map(|bytes| u64::from_be_bytes(*bytes)).ok_or_else(|| outside(at))
    }

    fn bytes(&mut self, at: u64, count: usize) -> Result<&[u8], Fault> {
        let (number, from) = (at / PAGE, (at % PAGE) as usize);
        let last = self.pages.last;
        let is_last = |page: &Page| page.number == number && page.used > 0;
        let place = match self.pages.pages.get(last) {
            Some(page) if is_last(page) => last,
            _ => self.page(number)?,
        };
        if from + count <= self.pages.pages[place].bytes.len() {
            return Ok(&self.pages.pages[place].bytes[from..from + count]);
        }
        self.gather(at, count)?;
        Ok(&self.pages.copy)
    }
}
