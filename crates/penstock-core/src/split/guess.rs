//! Where a record probably begins in a text of which nothing was read before.

use memchr::{memchr, memchr_iter, memmem};
use penstock_scan::make_room;

use super::range::Opens;
use crate::formats::Reader;
use crate::formats::{Boundary, Quotes};
use crate::source::{Source, SourceError};

/// How many bytes are looked at at once.
const LOOK: usize = 64 << 10;

/// How many bytes before a record, and from its beginning on, may tell how records begin.
const NEAR: u64 = 512;

/// How records seem to begin.
#[derive(Clone, Debug)]
pub(super) struct Guess(Boundary);

impl Guess {
    /// How they begin in what this reader reads, if one that is not the first of its list begins at
    /// this place. None if that record says too little.
    pub(super) fn of(
        reader: &Reader,
        text: &dyn Opens,
        at: u64,
    ) -> Result<Option<Self>, SourceError> {
        if let Some(cut) = reader.cut() {
            return Ok(Some(Guess(cut)));
        }
        let before = at.min(NEAR);
        let mut near = Vec::new();
        let mut source = text.open_at(at - before)?;
        read(&mut source, &mut near, (before + NEAR) as usize)?;
        let cut = reader.cut_as(&near, before as usize);
        Ok(cut.map(Guess))
    }

    /// The first place from this one on, and before the other, at which a record seems to begin.
    pub(super) fn find(
        &self,
        text: &dyn Opens,
        from: u64,
        until: u64,
    ) -> Result<Option<u64>, SourceError> {
        let before = from.min(NEAR);
        let mut source = text.open_at(from - before)?;
        let mut bytes = Vec::new();
        let (mut base, mut least) = (from - before, before as usize);
        loop {
            let goes_on = read(&mut source, &mut bytes, LOOK)?;
            if let Some(at) = self.first(&bytes, least) {
                return Ok(Some(base + at as u64).filter(|at| *at < until));
            }
            if !goes_on || base + bytes.len() as u64 >= until {
                return Ok(None);
            }
            // A mark may be cut.
            let passed = bytes.len().saturating_sub(2 * NEAR as usize);
            bytes.drain(..passed);
            base += passed as u64;
            least = least.saturating_sub(passed);
        }
    }

    /// The first place in these bytes, from one of them on, at which a record seems to begin.
    fn first(&self, bytes: &[u8], least: usize) -> Option<usize> {
        // A record may begin behind the byte before that place.
        let from = least.saturating_sub(1);
        match &self.0 {
            Boundary::Lines | Boundary::Rows(None) => {
                memchr(b'\n', bytes.get(from..)?).map(|at| from + at + 1)
            }
            Boundary::Rows(Some(quotes)) => {
                first_row(bytes.get(from..)?, quotes).map(|at| from + at)
            }
            Boundary::Mark { bytes: mark, before } => {
                let from = least.saturating_sub(*before);
                memmem::find(bytes.get(from..)?, mark).map(|at| from + at + before)
            }
        }
    }
}

/// The first line that seems to begin outside of quotes.
fn first_row(bytes: &[u8], quotes: &Quotes) -> Option<usize> {
    let mut is_inside = begins_inside(bytes, quotes);
    let mut passed = 0;
    for at in memchr_iter(b'\n', bytes) {
        is_inside ^= memchr_iter(quotes.quote, &bytes[passed..at]).count() % 2 == 1;
        passed = at;
        if !is_inside {
            return Some(at + 1);
        }
    }
    None
}

/// Whether these bytes seem to begin within quotes: the first quote tells that can only be the first of
/// a cell, or only the last.
fn begins_inside(bytes: &[u8], quotes: &Quotes) -> bool {
    let places = memchr_iter(quotes.quote, bytes).enumerate();
    let mut told = places.filter_map(|(count, at)| {
        let begins = quotes.begins_cell(bytes, at)?;
        Some((count % 2 == 1) == begins)
    });
    told.next().unwrap_or(false)
}

/// Reads so many bytes more, unless the source ends before that. Whether it may go on.
fn read(source: &mut Source, bytes: &mut Vec<u8>, more: usize) -> Result<bool, SourceError> {
    let mut known = bytes.len();
    make_room(bytes, more);
    bytes.resize(known + more, 0);
    while known < bytes.len() {
        match source.read(&mut bytes[known..]) {
            Ok(0) => break,
            Ok(count) => known += count,
            Err(SourceError::Idle) => {}
            Err(error) => return Err(error),
        }
    }
    let goes_on = known == bytes.len();
    bytes.truncate(known);
    Ok(goes_on)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows() -> Guess {
        Guess(Boundary::Rows(Some(Quotes { quote: b'"', between: (b',', b',') })))
    }

    #[test]
    fn quotes_tell_whether_a_row_begins() {
        for (bytes, at) in [
            // No quote, or none that tells.
            ("1,2\n3,4\n", Some(4)),
            ("\",\"\n3,4\n", Some(4)),
            // It opens.
            ("1,\"a\n3\",4\n5", Some(10)),
            // It closes.
            ("a\nb\",2\n3,\"x", Some(7)),
            ("a\nb\"\n3,\"x", Some(5)),
            // Doubled ones do not tell.
            ("x\"\"y\nb\",2\n3", Some(10)),
            ("x\n\"\",\n\"y\n\",2\n3", Some(2)),
        ] {
            assert_eq!(rows().first(bytes.as_bytes(), 0), at, "{bytes:?}");
        }
    }

    #[test]
    fn a_place_is_found_from_another_on() {
        let lines = Guess(Boundary::Lines);
        let text = b"1\n22\n3";
        let found: Vec<_> = (0..=6).map(|least| lines.first(text, least)).collect();
        assert_eq!(found, [Some(2), Some(2), Some(2), Some(5), Some(5), Some(5), None]);
        let mark = Boundary::Mark { bytes: (*b",{\"a\"").into(), before: 1 };
        let records = Guess(mark);
        let text = b"[{\"a\":1},{\"a\":2},{\"a\":3}]";
        let found: Vec<_> = [0, 8, 9, 10, 17, 18].map(|least| records.first(text, least)).into();
        assert_eq!(found, [Some(9), Some(9), Some(9), Some(17), Some(17), None]);
    }
}
