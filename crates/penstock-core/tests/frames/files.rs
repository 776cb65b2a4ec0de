//! Files of each kind that has pieces, in memory.

use std::io::{self, Write};
use std::num::NonZeroU64;

use penstock_core::source::ReadAt;

/// A file in memory.
#[derive(Clone)]
pub(crate) struct Bytes(pub(crate) Vec<u8>);

impl ReadAt for Bytes {
    fn read_exact_at(&self, out: &mut [u8], offset: u64) -> io::Result<()> {
        let from = usize::try_from(offset).unwrap();
        let Some(bytes) = self.0.get(from..).and_then(|rest| rest.get(..out.len())) else {
            return Err(io::ErrorKind::UnexpectedEof.into());
        };
        out.copy_from_slice(bytes);
        Ok(())
    }
}

/// Text that compresses, but not to nothing.
pub(crate) fn sample(n: usize) -> Vec<u8> {
    let mut state = 1_u32;
    let mut text = Vec::new();
    while text.len() < n {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        writeln!(text, "{{\"id\": {}, \"name\": \"n{}\"}}", state >> 9, state >> 29).unwrap();
    }
    text.truncate(n);
    text
}

pub(crate) fn deflated(text: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::new(6));
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

/// A block of BGZF.
pub(crate) fn block(text: &[u8]) -> Vec<u8> {
    let deflated = deflated(text);
    let mut crc = flate2::Crc::new();
    crc.update(text);
    let mut out = b"\x1f\x8b\x08\x04\0\0\0\0\0\xff\x06\0BC\x02\0".to_vec();
    out.extend(u16::try_from(deflated.len() + 25).unwrap().to_le_bytes());
    out.extend(deflated);
    out.extend(crc.sum().to_le_bytes());
    out.extend(u32::try_from(text.len()).unwrap().to_le_bytes());
    out
}

pub(crate) fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::new(6));
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

/// A frame of zstd with a checksum, which declares its size.
pub(crate) fn frame(text: &[u8]) -> Vec<u8> {
    let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 3).unwrap();
    encoder.include_checksum(true).unwrap();
    encoder.set_pledged_src_size(Some(text.len() as u64)).unwrap();
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

/// A frame of zstd that does not declare its size.
pub(crate) fn silent_frame(text: &[u8]) -> Vec<u8> {
    let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 3).unwrap();
    encoder.include_checksum(true).unwrap();
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

pub(crate) fn seek_table(sizes: &[(u32, u32)], has_checksums: bool) -> Vec<u8> {
    let entry = if has_checksums { 12 } else { 8 };
    let mut out = 0x184D_2A5E_u32.to_le_bytes().to_vec();
    out.extend((sizes.len() as u32 * entry + 9).to_le_bytes());
    for (size, text) in sizes {
        out.extend(size.to_le_bytes());
        out.extend(text.to_le_bytes());
        if has_checksums {
            out.extend([0; 4]);
        }
    }
    out.extend((sizes.len() as u32).to_le_bytes());
    out.push(if has_checksums { 0x80 } else { 0 });
    out.extend(0x8F92_EAB1_u32.to_le_bytes());
    out
}

pub(crate) fn xz(text: &[u8], block: u64) -> Vec<u8> {
    let mut options = lzma_rust2::XzOptions::with_preset(0);
    options.lzma_options.dict_size = 4096;
    options.set_block_size(NonZeroU64::new(block));
    let mut writer = lzma_rust2::XzWriter::new(Vec::new(), options).unwrap();
    writer.write_all(text).unwrap();
    writer.finish().unwrap()
}

pub(crate) fn bzip2(text: &[u8], level: u32) -> Vec<u8> {
    let level = bzip2::Compression::new(level);
    let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), level);
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

/// Each kind of file with pieces, and its name.
pub(crate) fn all(text: &[u8], piece: usize) -> Vec<(&'static str, Vec<u8>)> {
    let pieces = || text.chunks(piece);
    let bgzf: Vec<u8> = pieces().flat_map(block).chain(block(b"")).collect();
    let mut odd = block(b"");
    for part in pieces() {
        odd.extend(block(part));
        odd.extend(block(b""));
    }
    let frames: Vec<u8> = pieces().flat_map(frame).collect();
    let mut skips = b"\x5a\x2a\x4d\x18\x03\0\0\0abc".to_vec();
    for part in pieces() {
        skips.extend(frame(part));
        skips.extend(b"\x50\x2a\x4d\x18\0\0\0\0");
    }
    let table = |frame: fn(&[u8]) -> Vec<u8>, has_checksums| {
        let frames: Vec<_> = pieces().map(frame).collect();
        let sizes = frames.iter().zip(pieces());
        let sizes: Vec<_> = sizes.map(|(f, t)| (f.len() as u32, t.len() as u32)).collect();
        [frames.concat(), seek_table(&sizes, has_checksums)].concat()
    };
    let mut streams = Vec::new();
    for (n, part) in text.chunks(3 * piece).enumerate() {
        streams.extend(xz(part, piece as u64));
        streams.extend(vec![0; n % 3 * 4]);
    }
    vec![
        ("bgzf", bgzf),
        ("bgzf with empty blocks", odd),
        ("zstd", frames),
        ("zstd with skippable frames", skips),
        ("zstd with a table", table(frame, false)),
        ("zstd with a table and checksums", table(frame, true)),
        ("zstd with a table alone", table(silent_frame, false)),
        ("xz", xz(text, piece as u64)),
        ("xz streams", streams),
        ("bzip2 streams", pieces().flat_map(|part| bzip2(part, 9)).collect()),
    ]
}

/// A `.gzi` of blocks as `bgzip` writes it.
pub(crate) fn gzi(entries: &[(u64, u64)]) -> Vec<u8> {
    let mut out = (entries.len() as u64).to_le_bytes().to_vec();
    for (at, text) in entries {
        out.extend(at.to_le_bytes());
        out.extend(text.to_le_bytes());
    }
    out
}
