//! The output of a source, whatever the compression, the encoding and the reader behind it.

#![allow(clippy::unwrap_used, reason = "a failed test is what it is for")]

use std::io::{self, Read, Write};

use penstock_core::error::{Fault, Kind};
use penstock_core::limits::Limits;
use penstock_core::source::encoding::by_name;
use penstock_core::source::{Compression, Options, Source, SourceError};

const ALL: [Compression; 4] =
    [Compression::Gzip, Compression::Zstd, Compression::Bzip2, Compression::Xz];

fn compress(compression: Compression, data: &[u8]) -> Vec<u8> {
    match compression {
        Compression::Gzip => {
            let mut encoder =
                flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::new(6));
            encoder.write_all(data).unwrap();
            encoder.finish().unwrap()
        }
        Compression::Zstd => {
            let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 3).unwrap();
            encoder.include_checksum(true).unwrap();
            encoder.write_all(data).unwrap();
            encoder.finish().unwrap()
        }
        Compression::Bzip2 => {
            let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
            encoder.write_all(data).unwrap();
            encoder.finish().unwrap()
        }
        Compression::Xz => {
            let mut options = lzma_rust2::XzOptions::with_preset(0);
            options.lzma_options.dict_size = 64 << 10;
            let mut encoder = lzma_rust2::XzWriter::new(Vec::new(), options).unwrap();
            encoder.write_all(data).unwrap();
            encoder.finish().unwrap()
        }
        _ => data.to_vec(),
    }
}

/// Text that compresses, but not to nothing.
fn sample(n: usize) -> Vec<u8> {
    let mut state = 1_u32;
    let mut text = Vec::new();
    while text.len() < n {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        writeln!(text, "{{\"id\": {}, \"name\": \"n{}\"}}", state >> 9, state >> 29).unwrap();
    }
    text.truncate(n);
    text
}

/// Gives at most `most` bytes at a time, and after `good` bytes raises an error, once.
struct Reader {
    data: Vec<u8>,
    at: usize,
    most: usize,
    raise: Option<usize>,
}

impl Reader {
    fn new(data: &[u8], most: usize) -> Self {
        Reader { data: data.to_vec(), at: 0, most, raise: None }
    }
}

impl Read for Reader {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.raise == Some(self.at) {
            self.raise = None;
            // The kind that decompressors use for damaged data.
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the cable was cut"));
        }
        let end = self.data.len().min(self.raise.unwrap_or(usize::MAX));
        let n = self.most.min(out.len()).min(end - self.at);
        out[..n].copy_from_slice(&self.data[self.at..self.at + n]);
        self.at += n;
        Ok(n)
    }
}

fn drain(source: &mut Source, step: usize) -> (Vec<u8>, Option<SourceError>) {
    let (mut all, mut out) = (Vec::new(), vec![0; step]);
    loop {
        match source.read(&mut out) {
            Ok(0) => return (all, None),
            Ok(n) => all.extend_from_slice(&out[..n]),
            Err(SourceError::Idle) => {}
            Err(error) => return (all, Some(error)),
        }
    }
}

fn read_all(data: &[u8], options: Options<'_>) -> (Vec<u8>, Option<Fault>) {
    read_in_pieces(data, options, usize::MAX)
}

/// The same, from a source that gives at most this many bytes at once.
fn read_in_pieces(data: &[u8], options: Options<'_>, most: usize) -> (Vec<u8>, Option<Fault>) {
    let mut source = Source::open(Box::new(Reader::new(data, most)), options);
    let (all, error) = drain(&mut source, 1 << 16);
    let fault = error.map(|error| match error {
        SourceError::Fault(fault) => fault,
        other => panic!("{other}"),
    });
    if let Some(fault) = &fault {
        assert!(source.read(&mut [0; 9]).is_err(), "a fault stays: {fault}");
    } else {
        assert_eq!(source.read(&mut [0; 9]).unwrap(), 0, "an end stays");
    }
    (all, fault)
}

fn explicit(limits: &Limits, compression: Compression) -> Options<'_> {
    Options { compression, ..Options::new(limits) }
}

#[test]
fn one_and_many_members_by_any_reader() {
    let limits = Limits::default();
    let data = sample(150_000);
    for compression in ALL {
        let one = compress(compression, &data);
        let mut many = Vec::new();
        for part in [&data[..70_000], b"", &data[70_000..], b""] {
            many.extend(compress(compression, part));
        }
        for packed in [one, many] {
            for (most, step) in [(usize::MAX, 1 << 20), (1, 4_096), (977, 100), (usize::MAX, 1)] {
                let reader = Box::new(Reader::new(&packed, most));
                let mut source = Source::open(reader, Options::new(&limits));
                assert_eq!(source.compression(), Compression::Infer);
                let (all, error) = drain(&mut source, step);
                assert!(error.is_none() && all == data, "{compression:?} {most} {step} {error:?}");
                assert_eq!(source.compression(), compression);
                assert_eq!(source.raw_bytes(), packed.len() as u64);
                assert_eq!(source.bytes(), data.len() as u64);
            }
        }
    }
}

#[test]
fn a_cut_is_a_truncation_wherever_it_is() {
    let limits = Limits::default();
    let data = sample(700);
    for compression in ALL {
        let one = compress(compression, &data);
        let two = [one.as_slice(), &one].concat();
        for (packed, ends) in [(&one, 0), (&two, one.len())] {
            for cut in 0..packed.len() {
                let (all, fault) = read_all(&packed[..cut], explicit(&limits, compression));
                if cut == ends && ends > 0 {
                    assert!(fault.is_none() && all == data);
                    continue;
                }
                let fault = fault.expect("never a success");
                assert_eq!(fault.kind(), Kind::Truncated, "{compression:?} {cut} {fault}");
                assert_eq!(fault.offset(), all.len() as u64);
                let name = compression.name();
                assert_eq!(fault.reason(), format!("the {name} data ends early"));
                // Sniffing needs ten bytes at most.
                if cut >= 10 {
                    let (same, fault) = read_all(&packed[..cut], Options::new(&limits));
                    assert_eq!((same, fault.map(|f| f.kind())), (all, Some(Kind::Truncated)));
                }
            }
        }
    }
}

#[test]
fn damage_is_never_a_panic_or_another_text() {
    let limits = Limits::default();
    let data = sample(1_500);
    for compression in ALL {
        let packed = compress(compression, &data);
        for at in 0..packed.len() {
            for flip in [0x01, 0x80, 0xff] {
                let mut damaged = packed.clone();
                damaged[at] ^= flip;
                let (all, fault) = read_all(&damaged, explicit(&limits, compression));
                match fault {
                    Some(fault) => assert_eq!(fault.offset(), all.len() as u64, "{fault}"),
                    // Header fields that do not matter (a time, a name, a level).
                    None => assert!(all == data, "{compression:?} {at} {flip}"),
                }
            }
        }
    }
}

#[test]
fn damage_is_named() {
    let limits = Limits::default();
    let data = sample(1_500);
    for compression in ALL {
        let mut packed = compress(compression, &data);
        let middle = packed.len() / 2;
        packed[middle] ^= 0x55;
        let (_, fault) = read_all(&packed, Options::new(&limits));
        let fault = fault.expect("damaged");
        assert_eq!(fault.kind(), Kind::Malformed, "{compression:?} {fault}");
        let start = format!("the {} data is damaged: ", compression.name());
        assert!(fault.reason().starts_with(&start), "{fault}");
    }
}

#[test]
fn what_was_said_must_be_so() {
    let limits = Limits::default();
    for said in ALL {
        let name = said.name();
        for other in ALL {
            let packed = compress(other, &sample(100));
            let (all, fault) = read_all(&packed, explicit(&limits, said));
            if other == said {
                assert!(fault.is_none() && all == sample(100));
                continue;
            }
            let fault = fault.expect("another compression");
            assert_eq!(fault.reason(), format!("this is {} data, not {name} data", other.name()));
        }
        for (data, reason) in [
            (&b"[1]"[..], format!("this is not {name} data")),
            (b"PK\x03\x04", format!("this is a zip archive, not {name} data")),
            (b"", format!("the {name} data ends early")),
        ] {
            let (all, fault) = read_all(data, explicit(&limits, said));
            assert!(all.is_empty());
            assert_eq!(fault.expect("no such data").reason(), reason);
        }
    }
}

#[test]
fn what_may_follow_the_data() {
    let limits = Limits::default();
    let data = sample(100);
    for compression in ALL {
        let packed = compress(compression, &data);
        let after = |tail: &[u8]| {
            let (all, fault) = read_all(&[&packed, tail].concat(), Options::new(&limits));
            assert_eq!(all, data);
            fault.map(|fault| {
                assert_eq!(fault.offset(), data.len() as u64);
                fault.reason().to_owned()
            })
        };
        let padding = after(&[0; 512]);
        match compression {
            Compression::Gzip | Compression::Xz => assert_eq!(padding, None),
            _ => assert!(padding.is_some()),
        }
        let else_ = format!("the {} data is followed by something else", compression.name());
        assert_eq!(after(b"junk"), Some(else_));
        let (all, fault) =
            read_all(&[&packed[..], &[0; 4], &packed[..]].concat(), Options::new(&limits));
        match compression {
            Compression::Gzip | Compression::Xz => {
                assert!(fault.is_none() && all == [&data[..], &data].concat());
            }
            _ => assert!(fault.is_some()),
        }
    }
    let xz = compress(Compression::Xz, &data);
    let (_, fault) = read_all(&[&xz[..], &[0; 3]].concat(), Options::new(&limits));
    assert_eq!(
        fault.expect("odd padding").reason(),
        "the xz data is damaged: its padding is not a multiple of four bytes"
    );
}

#[test]
fn skippable_zstd_frames() {
    let limits = Limits::default();
    let data = sample(100);
    let skippable = b"\x53\x2a\x4d\x18\x05\0\0\0index";
    let packed = compress(Compression::Zstd, &data);
    let packed = [&skippable[..], &packed, skippable, &packed, skippable].concat();
    let (all, fault) = read_all(&packed, Options::new(&limits));
    assert!(fault.is_none() && all == [&data[..], &data].concat());
}

/// A source of which nothing comes says so now and then, so that its driver can look around.
#[test]
fn a_source_without_output_is_idle() {
    let limits = Limits::default();
    let packed = compress(Compression::Gzip, b"[1]");
    let endless = std::io::Cursor::new(packed).chain(std::io::repeat(0));
    let mut source = Source::open(Box::new(endless), Options::new(&limits));
    let mut out = [0; 64];
    let mut all = Vec::new();
    while all.len() < 3 {
        let read = source.read(&mut out).unwrap();
        all.extend_from_slice(&out[..read]);
    }
    assert_eq!(all, b"[1]");
    for _ in 0..100 {
        let before = source.raw_bytes();
        assert!(matches!(source.read(&mut out), Err(SourceError::Idle)));
        assert!(source.raw_bytes() - before <= 1 << 20);
    }
}

#[test]
fn bombs_are_stopped_early() {
    let limits = Limits { ratio: Some(100), ..Limits::default() };
    let zeros = vec![0; 18 << 20];
    for compression in ALL {
        let packed = compress(compression, &zeros);
        let (all, fault) = read_all(&packed, Options::new(&limits));
        let fault = fault.expect("a bomb");
        assert_eq!(fault.kind(), Kind::Limit);
        let name = compression.name();
        assert_eq!(
            fault.reason(),
            format!("the {name} data expands to more than 100 times its size (limits.ratio)")
        );
        assert!(all.len() <= (16 << 20) + (64 << 10));
        let none = Limits { ratio: None, ..Limits::default() };
        if compression == Compression::Zstd {
            assert!(read_all(&packed, Options::new(&none)).1.is_none());
        }
    }
}

#[test]
fn total_is_a_limit() {
    let data = sample(100_000);
    for packed in [data.clone(), compress(Compression::Gzip, &data)] {
        let exact = Limits { total: Some(100_000), ..Limits::default() };
        assert!(read_all(&packed, Options::new(&exact)).1.is_none());
        let less = Limits { total: Some(99_999), ..Limits::default() };
        let (all, fault) = read_all(&packed, Options::new(&less));
        let fault = fault.expect("over the limit");
        assert_eq!((all.len(), fault.kind(), fault.offset()), (99_999, Kind::Limit, 99_999));
        assert_eq!(fault.reason(), "the source is longer than 99999 bytes (limits.total)");
    }
}

#[test]
fn windows_are_a_limit() {
    let data = sample(3 << 20);
    let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 1).unwrap();
    encoder.window_log(22).unwrap();
    encoder.write_all(&data).unwrap();
    let zstd = encoder.finish().unwrap();
    let mut options = lzma_rust2::XzOptions::with_preset(0);
    options.lzma_options.dict_size = 4 << 20;
    let mut encoder = lzma_rust2::XzWriter::new(Vec::new(), options).unwrap();
    encoder.write_all(&data).unwrap();
    let xz = encoder.finish().unwrap();
    for (packed, name) in [(zstd, "zstd"), (xz, "xz")] {
        let enough = Limits { window: 4 << 20, ..Limits::default() };
        let (all, fault) = read_all(&packed, Options::new(&enough));
        assert!(fault.is_none() && all == data, "{name}");
        let small = Limits { window: 1 << 20, ..Limits::default() };
        let (_, fault) = read_all(&packed, Options::new(&small));
        let fault = fault.expect("over the limit");
        assert_eq!(fault.kind(), Kind::Limit, "{fault}");
        assert_eq!(
            fault.reason(),
            format!("the {name} data asks for a window of more than 1048576 bytes (limits.window)")
        );
    }
}

/// A reader's own error at any byte is passed on unchanged, and no data is lost.
#[test]
fn errors_of_the_reader_pass_through() {
    let limits = Limits::default();
    let data = sample(600);
    for compression in [Compression::None].into_iter().chain(ALL) {
        let packed = compress(compression, &data);
        for raise in 0..=packed.len() {
            let mut reader = Reader::new(&packed, 50);
            reader.raise = Some(raise);
            let mut source = Source::open(Box::new(reader), Options::new(&limits));
            let (mut all, error) = drain(&mut source, 64);
            let Some(SourceError::Io(error)) = error else { panic!("{compression:?} {raise}") };
            assert_eq!(error.to_string(), "the cable was cut");
            let (rest, error) = drain(&mut source, 64);
            all.extend(rest);
            assert!(error.is_none() && all == data, "{compression:?} {raise} {error:?}");
        }
    }
}

#[test]
fn interruptions() {
    struct Interrupted(u32, bool);
    impl Read for Interrupted {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            self.0 += 1;
            match (self.0, self.1) {
                (1 | 3, false) => Err(io::ErrorKind::Interrupted.into()),
                (1, true) => Err(io::Error::new(io::ErrorKind::Interrupted, "KeyboardInterrupt")),
                (2, _) => {
                    out[0] = b'1';
                    Ok(1)
                }
                _ => Ok(0),
            }
        }
    }
    let limits = Limits::default();
    let open = |own| Source::open(Box::new(Interrupted(0, own)), Options::new(&limits));
    // Nothing is lost, and the source may be asked again.
    let mut source = open(false);
    for _ in 0..2 {
        assert!(matches!(source.read(&mut [0; 9]), Err(SourceError::Idle)));
    }
    assert!(matches!(drain(&mut source, 9), (text, None) if text == b"1"));
    // An error that carries an exception belongs to the caller.
    let (_, error) = drain(&mut open(true), 9);
    assert!(matches!(error, Some(SourceError::Io(_))));
}

#[test]
fn a_reader_that_lies() {
    struct Lies;
    impl Read for Lies {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            Ok(out.len() + 1)
        }
    }
    let limits = Limits::default();
    let mut source = Source::open(Box::new(Lies), Options::new(&limits));
    assert!(matches!(source.read(&mut [0; 4]), Err(SourceError::Io(_))));
}

#[test]
fn zip_archives_are_refused_by_name() {
    let limits = Limits::default();
    let (_, fault) = read_all(b"PK\x03\x04rest", Options::new(&limits));
    assert_eq!(
        fault.expect("refused").reason(),
        "this is a zip archive; it can be opened by its path or from a seekable file only"
    );
    let (all, fault) = read_all(b"PK\x03\x04", explicit(&limits, Compression::None));
    assert!(fault.is_none() && all == b"PK\x03\x04");
}

#[test]
fn short_sources() {
    let limits = Limits::default();
    for text in [&b""[..], b"1", b"B", b"BZh9", b"PK", b"P*M", b"(", b"\x1f"] {
        let (all, fault) = read_all(text, Options::new(&limits));
        assert!(fault.is_none() && all == text);
    }
}

/// The text in an encoding, by an independent encoder.
fn encode(text: &str, name: &str) -> Vec<u8> {
    let u16s = text.encode_utf16();
    match name {
        "utf-16-le" => u16s.flat_map(u16::to_le_bytes).collect(),
        "utf-16-be" => u16s.flat_map(u16::to_be_bytes).collect(),
        "utf-32-le" => text.chars().flat_map(|c| (c as u32).to_le_bytes()).collect(),
        "utf-32-be" => text.chars().flat_map(|c| (c as u32).to_be_bytes()).collect(),
        "latin-1" => text.chars().map(|c| u8::try_from(c).unwrap()).collect(),
        name => {
            let encoding = encoding_rs::Encoding::for_label(name.as_bytes()).unwrap();
            let (bytes, _, lossy) = encoding.encode(text);
            assert!(!lossy);
            bytes.into_owned()
        }
    }
}

fn read_encoded(data: &[u8], name: &str, most: usize, step: usize) -> (Vec<u8>, Option<Fault>) {
    let limits = Limits::default();
    let options = Options { encoding: by_name(name), ..Options::new(&limits) };
    let mut source = Source::open(Box::new(Reader::new(data, most)), options);
    let (all, error) = drain(&mut source, step);
    let fault = error.map(|error| match error {
        SourceError::Fault(fault) => fault,
        other => panic!("{other}"),
    });
    (all, fault)
}

#[test]
fn encodings_by_any_reader() {
    let wide = "[\"aé漢𝄞\u{7f}\u{80}\"]";
    let cases = [
        ("utf-8", wide),
        ("utf-16-le", wide),
        ("utf-16-be", wide),
        ("utf-32-le", wide),
        ("utf-32-be", wide),
        ("latin-1", "[\"aéÿ\u{80}\"]"),
        ("windows-1252", "[\"aéÿ€\"]"),
        ("shift_jis", "[\"a漢字カナ\"]"),
        ("gb18030", "[\"a漢€\"]"),
        ("iso-2022-jp", "[\"漢a字\"]"),
    ];
    for (name, text) in cases {
        let data = encode(text, name);
        for (most, step) in [(usize::MAX, 4_096), (1, 1), (1, 100), (3, 2), (usize::MAX, 1)] {
            let (all, fault) = read_encoded(&data, name, most, step);
            assert!(fault.is_none() && all == text.as_bytes(), "{name} {most} {step} {fault:?}");
        }
        // One mark is dropped, but not a second one.
        if name.starts_with("utf") {
            let data = encode(&format!("\u{feff}\u{feff}{text}"), name);
            for most in [1, usize::MAX] {
                let (all, fault) = read_encoded(&data, name, most, 7);
                assert!(fault.is_none() && all == format!("\u{feff}{text}").as_bytes(), "{name}");
                if let Some(general) = name.strip_suffix("-le").or(name.strip_suffix("-be")) {
                    assert_eq!(read_encoded(&data, general, most, 7).0, all, "{general}");
                }
            }
        }
        // Text that is cut inside a character is truncated, after the text before it.
        for cut in 0..data.len() {
            let (all, fault) = read_encoded(&data[..cut], name, usize::MAX, 50);
            assert!(text.as_bytes().starts_with(&all));
            if let Some(fault) = fault {
                assert_eq!((fault.kind(), fault.offset()), (Kind::Truncated, all.len() as u64));
            }
        }
    }
}

#[test]
fn decoding_is_strict() {
    let cases: [(&str, &[u8], &str, u64); 7] = [
        ("utf-16-le", b"a\0\x00\xdcb\0", "invalid utf-16-le: these bytes are not a character", 1),
        (
            "utf-32-be",
            b"\0\0\0a\0\0\xd8\0",
            "invalid utf-32-be: these bytes are not a character",
            1,
        ),
        ("utf-32-le", b"\0\0\x11\0", "invalid utf-32-le: these bytes are not a character", 0),
        ("ascii", b"ab\x80", "invalid ascii: these bytes are not a character", 2),
        ("shift_jis", b"ab\xa0c", "invalid Shift_JIS: these bytes are not a character", 2),
        (
            "utf-16",
            b"[\0]\0",
            "utf-16 without a byte order mark; say 'utf-16-le' or 'utf-16-be'",
            0,
        ),
        (
            "utf-32",
            b"[\0\0\0",
            "utf-32 without a byte order mark; say 'utf-32-le' or 'utf-32-be'",
            0,
        ),
    ];
    for (name, data, reason, offset) in cases {
        for most in [1, usize::MAX] {
            let (all, fault) = read_encoded(data, name, most, 3);
            let fault = fault.expect(name);
            assert_eq!((fault.kind(), fault.reason()), (Kind::Malformed, reason), "{name}");
            assert_eq!((fault.offset(), all.len() as u64), (offset, offset), "{name}");
        }
    }
    assert!(read_encoded(b"", "utf-16", 1, 1).1.is_none());
    assert_eq!(read_encoded(b"\xff", "utf-16", 1, 1).1.map(|f| f.kind()), Some(Kind::Truncated));
}

#[test]
fn other_encodings_are_refused_by_name() {
    let limits = Limits::default();
    let data = encode("[1, 2]", "utf-16-be");
    for packed in [data.clone(), compress(Compression::Gzip, &data)] {
        let (_, fault) = read_all(&packed, Options::new(&limits));
        assert_eq!(
            fault.expect("refused").reason(),
            "this looks like UTF-16 (big endian); say encoding='utf-16-be'"
        );
        let options = Options { encoding: by_name("utf-16-be"), ..Options::new(&limits) };
        assert_eq!(read_all(&packed, options).0, b"[1, 2]");
    }
}

#[test]
fn a_source_can_move_to_another_thread() {
    fn is_send<T: Send>() {}
    is_send::<Source>();
}

/// An empty last block hid that a frame was shorter than its declared size, unless all of it came
/// at once.
#[test]
fn a_zstd_frame_has_the_size_that_it_declares() {
    let limits = Limits::default();
    // A single segment of 31 bytes, whose last block is raw and empty.
    let short = b"\x28\xb5\x2f\xfd\x20\x1f\x01\0\0";
    let whole = b"\x28\xb5\x2f\xfd\x20\x03\x19\0\0abc";
    for pieces in [1, 2, 5, 100] {
        let options = Options::new(&limits);
        let (text, fault) = read_in_pieces(&[&whole[..], short].concat(), options, pieces);
        let fault = fault.unwrap();
        assert_eq!((&text[..], fault.kind(), fault.offset()), (&b"abc"[..], Kind::Malformed, 3));
        let (text, fault) =
            read_in_pieces(&[whole, &whole[..]].concat(), Options::new(&limits), pieces);
        assert!(fault.is_none() && text == b"abcabc");
    }
}
