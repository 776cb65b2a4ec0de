//! Decompressors and encodings: whatever the bytes, they end, within the limits, and say the same
//! however they come.
//!
//! The first byte of the input chooses the encoding, the second one the size of the pieces; the rest
//! is the source.

#![no_main]

use std::io::{self, Read};

use libfuzzer_sys::fuzz_target;
use penstock_core::error::Kind;
use penstock_core::limits::Limits;
use penstock_core::source::encoding::by_name;
use penstock_core::source::{Compression, Options, Sniff, Source, SourceError, sniff};

/// Decompressed bytes that are let through: enough for any seed, and little to wait for.
const TOTAL: u64 = 1 << 20;

const ENCODINGS: [&str; 8] =
    ["utf-8", "utf-16", "utf-16-le", "utf-32", "utf-32-be", "latin-1", "windows-1252", "shift_jis"];

/// Gives the bytes in pieces.
struct Pieces {
    data: Vec<u8>,
    at: usize,
    most: usize,
}

impl Read for Pieces {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let n = self.most.min(out.len()).min(self.data.len() - self.at);
        out[..n].copy_from_slice(&self.data[self.at..self.at + n]);
        self.at += n;
        Ok(n)
    }
}

/// All that comes out, and what is wrong behind it.
type Drained = (Vec<u8>, Option<(Kind, u64)>);

/// Reads to the end, or to a fault.
fn drain(data: &[u8], encoding: Option<&str>, pieces: usize, room: usize) -> Drained {
    let limits = Limits { total: Some(TOTAL), window: 1 << 20, ..Limits::default() };
    let mut options = Options::new(&limits);
    options.encoding = encoding.and_then(by_name);
    let reader = Pieces { data: data.to_vec(), at: 0, most: pieces };
    let mut source = Source::open(Box::new(reader), options);
    let (mut text, mut out) = (Vec::new(), vec![0; room]);
    loop {
        match source.read(&mut out) {
            Ok(0) => {
                assert_eq!(source.read(&mut out).ok(), Some(0), "it had ended");
                return (text, None);
            }
            Ok(n) => text.extend_from_slice(&out[..n]),
            Err(SourceError::Fault(fault)) => {
                let again = source.read(&mut out);
                assert!(
                    matches!(&again, Err(SourceError::Fault(f)) if f.offset() == fault.offset()),
                    "a fault stays: {again:?}"
                );
                return (text, Some((fault.kind(), fault.offset())));
            }
            // Nothing came yet: asked again.
            Err(SourceError::Idle) => {}
            Err(SourceError::Io(error)) => panic!("nobody raised {error}"),
        }
        // No encoding makes more than three bytes of one.
        assert!(text.len() as u64 <= 3 * TOTAL && source.bytes() <= TOTAL);
    }
}

/// Both ways say the same. Only of damaged data, how much is delivered before the damage shows may
/// depend on the room: but for gzip, the decoders do not say what they wrote last. That of xz does not
/// do so where its data is cut off either.
fn agree(data: &[u8], whole: &Drained, again: &Drained) {
    let is_xz = matches!(sniff(data), Sniff::Is(Compression::Xz));
    let damaged = |(_, fault): &Drained| match fault {
        Some((Kind::Malformed, _)) => true,
        Some((Kind::Truncated, _)) => is_xz,
        _ => false,
    };
    let forgetful = !matches!(sniff(data), Sniff::Is(Compression::None | Compression::Gzip));
    if forgetful && damaged(whole) && damaged(again) {
        let common = whole.0.len().min(again.0.len());
        assert!(whole.0[..common] == again.0[..common]);
    } else {
        assert!(whole.1 == again.1, "{:?} and {:?}", whole.1, again.1);
        assert!(whole.0 == again.0, "{} and {} bytes", whole.0.len(), again.0.len());
    }
}

fuzz_target!(|data: &[u8]| {
    let [encoding, pieces, data @ ..] = data else { return };
    let encoding = match usize::from(*encoding) % (ENCODINGS.len() + 1) {
        0 => None,
        n => Some(ENCODINGS[n - 1]),
    };
    let whole = drain(data, encoding, usize::MAX, 1 << 16);
    let pieces_of = usize::from(pieces % 64) + 1;
    agree(data, &whole, &drain(data, encoding, pieces_of, 1 << 16));
    if whole.0.len() < 4096 {
        agree(data, &whole, &drain(data, encoding, usize::MAX, usize::from(pieces / 64) + 1));
    }
    let text = whole.0;
    if encoding.is_some_and(|name| name != "utf-8") {
        assert!(std::str::from_utf8(&text).is_ok());
    }
});
