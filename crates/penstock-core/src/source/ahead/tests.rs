//! A source whose file is read ahead is compared with one that reads for itself.

use std::io::{Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};

use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::*;
use crate::source::{Detect, Source};

const SOON: Sizes = Sizes { after: 1, left: 1, piece: 1_000 };

/// A file that gives at most `most` bytes at a time, raises an error once, or panics. It may be one
/// that is only read in order.
struct File {
    data: Vec<u8>,
    most: usize,
    read: AtomicUsize,
    raise: AtomicUsize,
    panic: usize,
    in_order: bool,
}

const NEVER: usize = usize::MAX;

impl File {
    fn new(data: &[u8], most: usize) -> Self {
        let (read, raise) = (AtomicUsize::new(0), AtomicUsize::new(NEVER));
        File { data: data.to_vec(), most, read, raise, panic: NEVER, in_order: false }
    }

    fn raising(data: &[u8], most: usize, raise: usize, in_order: bool) -> Self {
        File { raise: AtomicUsize::new(raise), in_order, ..File::new(data, most) }
    }

    fn give(&self, out: &mut [u8], at: usize) -> io::Result<usize> {
        assert!(at < self.panic, "the file panics");
        if at >= self.raise.load(Ordering::Relaxed) {
            self.raise.store(NEVER, Ordering::Relaxed);
            return Err(io::Error::other("the cable was cut"));
        }
        let most = out.len().min(self.most);
        let count = self.data.read_from(&mut out[..most], at as u64)?;
        self.read.store(at + count, Ordering::Relaxed);
        Ok(count)
    }
}

impl Free for File {
    fn read_from(&self, out: &mut [u8], offset: u64) -> io::Result<usize> {
        if self.in_order {
            return Err(io::Error::from_raw_os_error(29));
        }
        self.give(out, offset as usize)
    }

    fn read_on(&self, out: &mut [u8]) -> io::Result<usize> {
        self.give(out, self.read.load(Ordering::Relaxed))
    }

    fn size(&self) -> u64 {
        self.data.size()
    }
}

/// The same file, for a source that reads for itself.
struct Alone(File);

impl Read for Alone {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.0.read_on(out)
    }
}

fn ahead(file: Arc<dyn Free>, options: Options<'_>, sizes: Sizes) -> Source {
    let mut source = Source::free(file, options);
    source.feed.free.as_mut().unwrap().sizes = sizes;
    source
}

fn is_ahead(source: &Source) -> bool {
    matches!(source.feed.state, State::Ahead(_))
}

fn sample(size: usize) -> Vec<u8> {
    let (mut text, mut state) = (Vec::new(), 1_u32);
    while text.len() < size {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        writeln!(text, "{{\"id\": {}, \"name\": \"n{}\"}}", state >> 9, state >> 29).unwrap();
    }
    text.truncate(size);
    text
}

fn pack(compression: Compression, data: &[u8]) -> Vec<u8> {
    match compression {
        Compression::Gzip => {
            let level = flate2::Compression::new(6);
            let mut encoder = flate2::write::GzEncoder::new(Vec::new(), level);
            encoder.write_all(data).unwrap();
            encoder.finish().unwrap()
        }
        Compression::Zstd => {
            let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 1).unwrap();
            encoder.include_checksum(true).unwrap();
            encoder.write_all(data).unwrap();
            encoder.finish().unwrap()
        }
        Compression::Bzip2 => {
            let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
            encoder.write_all(data).unwrap();
            encoder.finish().unwrap()
        }
        _ => {
            let options = lzma_rust2::XzOptions::with_preset(0);
            let mut encoder = lzma_rust2::XzWriter::new(Vec::new(), options).unwrap();
            encoder.write_all(data).unwrap();
            encoder.finish().unwrap()
        }
    }
}

/// All text, with the places and the messages of all errors. The reader of the file may be asked
/// again after an error, which then counts as passed.
fn told(mut source: Source, steps: &[usize]) -> (Vec<u8>, Vec<(usize, String)>, u64, bool) {
    let (mut text, mut errors, mut was_ahead) = (Vec::new(), Vec::new(), false);
    for step in steps.iter().cycle() {
        let mut out = vec![0; *step];
        match source.read(&mut out) {
            Ok(0) => break,
            Ok(count) => text.extend_from_slice(&out[..count]),
            Err(SourceError::Idle) => {}
            Err(SourceError::Io(error)) => {
                errors.push((text.len(), error.to_string()));
                if errors.len() == 3 {
                    break;
                }
            }
            Err(SourceError::Fault(fault)) => {
                let mut reason = fault.reason();
                // If there is room for nothing more, zlib finds the damage but says so only when it
                // is called again, and then in these words.
                if reason.starts_with("the gzip data is damaged: ") {
                    reason = "the gzip data is damaged";
                }
                errors.push((text.len(), format!("{reason} at {}", fault.offset())));
                assert!(matches!(source.read(&mut out), Err(SourceError::Fault(_))), "it stays");
                break;
            }
        }
        was_ahead |= is_ahead(&source);
    }
    assert_eq!(source.bytes() >= text.len() as u64, source.start() == 0 || !text.is_empty());
    (text, errors, source.raw_bytes(), was_ahead)
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 300,
        rng_seed: RngSeed::Fixed(5),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// Text, errors, their places and the counts are those of a source that reads for itself,
    /// whatever is wrong with the file and however it is read.
    #[test]
    fn nobody_sees_the_thread(
        kind in 0..4_usize,
        size in 1_usize..60_000,
        second in 0_usize..3_000,
        most in prop_oneof![Just(usize::MAX), 1_usize..3_000],
        damage in prop::option::of((any::<prop::sample::Index>(), 1_u8..)),
        cut in prop::option::of(any::<prop::sample::Index>()),
        raise in prop::option::of(any::<prop::sample::Index>()),
        trailing in any::<bool>(),
        in_order in any::<bool>(),
        total in prop::option::of(1_u64..70_000),
        encoding in prop::option::of(Just("latin-1")),
        after in 0_u64..3_000,
        piece in 1_usize..9_000,
        steps in prop::collection::vec(1_usize..9_000, 1..6),
    ) {
        let compression = Compression::ALL[kind];
        let mut data = pack(compression, &sample(size));
        data.extend(pack(compression, &sample(second)));
        if trailing {
            data.extend_from_slice(b"something else");
        }
        if let Some((at, with)) = damage {
            let at = at.index(data.len());
            data[at] ^= with;
        }
        if let Some(cut) = cut {
            data.truncate(cut.index(data.len()));
        }
        let raise = raise.map_or(NEVER, |at| at.index(data.len() + 1));
        let limits = Limits { total, ..Limits::default() };
        let encoding = encoding.and_then(crate::source::encoding::by_name);
        let options = Options { encoding, detect: Detect::Nothing, ..Options::new(&limits) };
        let file = || File::raising(&data, most, raise, in_order);
        let alone = told(Source::open(Box::new(Alone(file())), options), &steps);
        let sizes = Sizes { after, left: 1, piece };
        let both = told(ahead(Arc::new(file()), options, sizes), &steps);
        prop_assert_eq!(&alone.0, &both.0);
        prop_assert_eq!(&alone.1, &both.1);
        prop_assert_eq!(alone.2, both.2);
    }
}

#[test]
fn a_large_file_is_read_ahead_and_a_small_one_is_not() {
    let limits = Limits::default();
    for (size, expected) in [(400 << 10, false), (4 << 20, processors() > 1)] {
        let (data, options) = (sample(size), Options::new(&limits));
        let packed = pack(Compression::Gzip, &data);
        let (text, errors, raw, was_ahead) =
            told(Source::free(Arc::new(packed.clone()), options), &[256 << 10]);
        assert!(text == data && errors.is_empty());
        assert_eq!((raw, was_ahead), (packed.len() as u64, expected));
        // What is not compressed costs nothing to read.
        let plain = Source::free(Arc::new(data), options);
        assert!(!told(plain, &[256 << 10]).3);
    }
}

/// Damage between blocks of zstd, and in one: the text before it is all that comes before.
#[test]
fn damage_far_into_the_data_is_at_the_same_byte() {
    let limits = Limits::default();
    for compression in [Compression::Gzip, Compression::Zstd, Compression::Bzip2] {
        let packed = pack(compression, &sample(900 << 10));
        for part in [3, 5, 6, 7] {
            let mut data = packed.clone();
            let at = data.len() * part / 8;
            data[at..at + 40].iter_mut().for_each(|byte| *byte ^= 0x55);
            let mut ends = Vec::new();
            for step in [5_000, 100_001, 256 << 10, 1 << 20] {
                let sizes = Sizes { after: 1, left: 1, piece: step + 7 };
                let file = Arc::new(File::new(&data, usize::MAX));
                ends.push(told(ahead(file, Options::new(&limits), sizes), &[step]));
                let alone = Box::new(Alone(File::new(&data, 999)));
                ends.push(told(Source::open(alone, Options::new(&limits)), &[step]));
            }
            let (first, reason) = (&ends[0].0, &ends[0].1);
            assert_eq!(reason.len(), 1, "{compression:?} {part}");
            for (text, errors, ..) in &ends {
                assert_eq!((text.len(), errors), (first.len(), reason), "{compression:?} {part}");
            }
        }
    }
}

#[test]
fn bombs_end_at_the_same_byte() {
    let limits = Limits { ratio: Some(100), ..Limits::default() };
    let zeros = vec![0; 18 << 20];
    for compression in [Compression::Gzip, Compression::Zstd, Compression::Bzip2] {
        let packed = pack(compression, &zeros);
        let mut ends = Vec::new();
        for step in [100_001, 256 << 10] {
            let sizes = Sizes { after: 1, left: 1, piece: step + 7 };
            let file = Arc::new(File::new(&packed, usize::MAX));
            ends.push(told(ahead(file, Options::new(&limits), sizes), &[step]));
            let alone = Box::new(Alone(File::new(&packed, usize::MAX)));
            ends.push(told(Source::open(alone, Options::new(&limits)), &[step]));
        }
        let reason = format!(
            "the {} data expands to more than 100 times its size (limits.ratio) at {}",
            compression.name(),
            (16 << 20) + (64 << 10),
        );
        for (text, errors, ..) in ends {
            let most = (16 << 20) + (64 << 10);
            assert_eq!((text.len(), errors), (most, vec![(most, reason.clone())]));
        }
    }
}

#[test]
fn a_few_pieces_ahead_and_no_more() {
    let limits = Limits::default();
    let packed = pack(Compression::Gzip, &sample(2 << 20));
    let file = Arc::new(File::new(&packed, 100));
    let mut source = ahead(file.clone(), Options::new(&limits), SOON);
    let mut out = [0; 500];
    while !is_ahead(&source) && processors() > 1 {
        assert!(source.read(&mut out).is_ok());
    }
    std::thread::sleep(Duration::from_millis(50));
    // Two chunks may be on their way to a piece.
    assert!(file.read.load(Ordering::Relaxed) < 20_000);
    // The end of the source ends the thread and closes the file.
    let closed = Arc::downgrade(&file);
    drop((source, file));
    assert!(closed.upgrade().is_none());
}

#[test]
fn a_panic_of_the_thread_is_one_of_the_reader() {
    if processors() < 2 {
        return;
    }
    let limits = Limits::default();
    let packed = pack(Compression::Gzip, &sample(2 << 20));
    let file = File { panic: 50_000, ..File::new(&packed, 1_000) };
    let mut source = ahead(Arc::new(file), Options::new(&limits), SOON);
    let mut out = [0; 500];
    let panicked =
        catch_unwind(AssertUnwindSafe(|| while !matches!(source.read(&mut out), Ok(0)) {}));
    assert_eq!(panicked.unwrap_err().downcast_ref::<&str>(), Some(&"the file panics"));
    let Err(SourceError::Io(error)) = source.read(&mut out) else { panic!("it goes on") };
    assert_eq!(error.to_string(), "the thread that read ahead has failed");
    assert!(source.raw_bytes() > 0 && source.compression() == Compression::Gzip);
}

/// In a fork, nothing of the thread is there. Here it is, but belongs to another process.
#[test]
fn a_child_reads_the_file_again() {
    let limits = Limits::default();
    let data = sample(3 << 20);
    let packed = pack(Compression::Zstd, &data);
    for change in [false, true] {
        let file = Arc::new(File::new(&packed, usize::MAX));
        let mut source = ahead(file.clone(), Options::new(&limits), SOON);
        let (mut text, mut out) = (Vec::new(), vec![0; 10_000]);
        while text.len() < 1 << 20 || !is_ahead(&source) && processors() > 1 {
            let count = match source.read(&mut out) {
                Err(SourceError::Idle) => 0,
                read => read.unwrap(),
            };
            text.extend_from_slice(&out[..count]);
        }
        if let State::Ahead(ahead) = &mut source.feed.state {
            ahead.process ^= 1;
        }
        if change && let Some(free) = &mut source.feed.free {
            free.file = Arc::new(pack(Compression::Zstd, b"another"));
        }
        let before = source.bytes();
        assert!(processors() < 2 || matches!(source.read(&mut out), Err(SourceError::Idle)));
        assert!(!is_ahead(&source) && source.bytes() == before);
        let (rest, errors, ..) = told(source, &[5_000]);
        if change && processors() > 1 {
            // However often it is asked.
            let error = (0, "the file is shorter than before the fork".to_owned());
            assert_eq!(errors, vec![error; 3]);
            continue;
        }
        text.extend(rest);
        assert!(text == data && errors.is_empty());
    }
}

#[test]
fn bytes_in_memory_are_a_file() {
    let bytes = b"abcdef".to_vec();
    let mut out = [0; 4];
    assert_eq!((bytes.read_from(&mut out, 1).unwrap(), &out), (4, b"bcde"));
    assert_eq!((bytes.read_from(&mut out, 4).unwrap(), &out[..2]), (2, &b"ef"[..]));
    assert_eq!((bytes.read_from(&mut out, u64::MAX).unwrap(), bytes.size()), (0, 6));
}
