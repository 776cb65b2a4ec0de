//! The blocks of bzip2, each of which is decompressed to find out how long its text is.
//!
//! A stream is a header of four bytes, blocks, and an end with a checksum of them all, which is
//! filled up to a byte. Blocks begin at any bit, with a magic number and a checksum of their own. A
//! block is decoded without those around it by making a stream of it alone: the same header, its
//! bits, and an end with its own checksum.
//!
//! A block ends where its data says so, and there the next magic number must be. Nobody relies on
//! that number: the data of a block may have it, too. If what is before it is not a whole block to the
//! decoder, the number is passed over. So the pieces are those that a decoder meets which goes through
//! the stream, and the checksum at its end must agree. A stream in which anything is wrong is left to
//! that decoder: no piece begins inside of it, and none behind it.

use std::collections::VecDeque;
use std::io;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use penstock_scan::make_room;

use super::{Found, Frames, Gathered, MOST, Piece, REMEDY, Scan, Whole};
use crate::limits::Limits;
use crate::source::decompress::{Codec, Decompressor, Failed, Why, fault_of};
use crate::source::stream::RATIO_GRACE;
use crate::source::{CHUNK, Compression, ReadAt, SourceError};

mod marks;
pub(in crate::source) mod within;

use marks::{Kind, LENGTH, Mark};

/// The bytes of a stream before its first block, and without the digit that says its level.
const HEAD: u64 = 4;
const MAGIC: &[u8; 3] = b"BZh";

/// The bits of a checksum.
const CHECKSUM: u64 = 32;

/// The most bits of a block that is looked at: its 900,001 symbols have up to 20 bits each, its
/// selectors 6. A block that is longer has tables that say nothing new.
const LONGEST: u64 = 20 << 20;

/// How many magic numbers are passed over to find the end of a block. By chance, one of them occurs in
/// some terabytes.
const PATIENCE: usize = 16;

/// How many bytes are looked at at once for magic numbers.
const WINDOW: usize = 256 << 10;

/// A stream of several blocks: a reader that begins with one of them must know where the stream ends,
/// because the checksum there is also that of the blocks before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stream {
    /// The bit of the file at which it begins.
    pub(super) begin: u64,
    /// The bit behind its last block.
    pub(super) end: u64,
    /// Where its text ends in the text of the whole file.
    pub(super) text: u64,
    /// The digit of its header.
    pub(super) level: u8,
}

impl Stream {
    /// Whether a reader that begins at this bit begins behind the header.
    pub(super) fn has_inside(&self, at: u64) -> bool {
        self.begin < at && at < self.end
    }
}

/// A block, by itself.
struct Task {
    from: u64,
    to: u64,
    level: u8,
    /// The bytes of the file that have its bits.
    bytes: Vec<u8>,
}

/// What is in a block.
#[derive(Clone, Copy)]
struct Block {
    text: u64,
    checksum: u32,
}

/// What came of a task: None if it is no whole block.
type Decoded = Result<Option<Block>, SourceError>;

/// Looks for magic numbers, in ascending order.
struct Marks<'a, F: ?Sized> {
    file: &'a F,
    size: u64,
    /// Where it goes on.
    at: u64,
    window: Vec<u8>,
    found: VecDeque<Mark>,
}

impl<F: ReadAt + ?Sized> Marks<'_, F> {
    /// Goes on until so many are found, or the file ends.
    fn fill(&mut self, wanted: usize) -> io::Result<()> {
        while self.found.len() < wanted && self.at < self.size {
            let left = usize::try_from(self.size - self.at).unwrap_or(usize::MAX);
            let count = left.min(WINDOW + marks::WORD - 1);
            self.window.clear();
            make_room(&mut self.window, count);
            self.window.resize(count, 0);
            self.file.read_exact_at(&mut self.window, self.at)?;
            let (base, found) = (8 * self.at, &mut self.found);
            marks::find(&self.window, |at, kind| {
                // Any other one is found again in the next window.
                if at < 8 * WINDOW as u64 {
                    found.push_back(Mark { at: base + at, kind });
                }
            });
            self.at += WINDOW as u64;
        }
        Ok(())
    }

    /// What is at a bit. All before it is forgotten.
    fn at(&mut self, at: u64) -> io::Result<Option<Kind>> {
        loop {
            self.fill(1)?;
            match self.found.front() {
                Some(mark) if mark.at < at => self.found.pop_front(),
                Some(mark) if mark.at == at => return Ok(Some(mark.kind)),
                _ => return Ok(None),
            };
        }
    }
}

struct Finder<'a, F: ?Sized> {
    file: &'a F,
    size: u64,
    threads: usize,
    /// By how much the file may expand, and whether it does by more.
    ratio: Option<u64>,
    is_over: bool,
    marks: Marks<'a, F>,
    /// The tasks from the block at hand on that are done.
    done: VecDeque<(Task, Option<Block>)>,
    gathered: Gathered,
    streams: Vec<Stream>,
}

/// Decompresses the file, with so many threads.
pub(super) fn find<F: ReadAt + ?Sized>(
    scan: &mut Scan<'_, F>,
    threads: usize,
    ratio: Option<u64>,
) -> Result<Found, SourceError> {
    let (file, size) = (scan.file, scan.size);
    let marks = Marks { file, size, at: 0, window: Vec::new(), found: VecDeque::new() };
    let mut finder = Finder {
        file,
        size,
        threads: threads.max(1),
        ratio,
        is_over: false,
        marks,
        done: VecDeque::new(),
        gathered: Gathered::new(),
        streams: Vec::new(),
    };
    let (mut begin, mut whole) = (0, true);
    while begin < size && whole {
        let text = finder.gathered.text;
        match finder.stream(begin)? {
            Some(end) => begin = end,
            None => {
                finder.leave(begin, text)?;
                whole = false;
            }
        }
    }
    let Finder { mut gathered, streams, is_over, .. } = finder;
    if let (true, Some(most)) = (is_over, ratio) {
        let reason =
            format!("the bzip2 data expands to more than {most} times its size (limits.ratio)");
        return Ok(Err(Whole { compression: Compression::Bzip2, reason }));
    }
    if gathered.pieces.len() < 2 {
        let reason = if whole && gathered.pieces.is_empty() {
            "the bzip2 file holds no text".to_owned()
        } else if whole {
            format!("a bzip2 file of one block cannot be split: {REMEDY}")
        } else {
            format!(
                "the bzip2 stream at byte {begin} of the file is damaged, so it cannot be split"
            )
        };
        return Ok(Err(Whole { compression: Compression::Bzip2, reason }));
    }
    // What stands between two blocks belongs to the one before.
    let mut end = 8 * size;
    for piece in gathered.pieces.iter_mut().rev() {
        piece.size = end - piece.at;
        end = piece.at;
    }
    let streams = streams_of(&streams, &gathered.pieces);
    Ok(Ok(Frames { streams, ..gathered.finish(Compression::Bzip2) }))
}

/// Those of the streams that some of the pieces begin inside of.
pub(super) fn streams_of(streams: &[Stream], pieces: &[Piece]) -> Vec<Stream> {
    let mut found: Vec<Stream> = Vec::new();
    for piece in pieces {
        if let Some(stream) = stream_at(streams, piece.at)
            && found.last() != Some(stream)
        {
            make_room(&mut found, 1);
            found.push(*stream);
        }
    }
    found
}

/// The stream that has this bit inside.
pub(super) fn stream_at(streams: &[Stream], at: u64) -> Option<&Stream> {
    let after = streams.partition_point(|stream| stream.begin < at);
    streams.get(after.checked_sub(1)?).filter(|stream| stream.has_inside(at))
}

impl<F: ReadAt + ?Sized> Finder<'_, F> {
    /// Goes through the stream at a byte, and gives the byte behind it. None if anything is wrong.
    fn stream(&mut self, begin: u64) -> Result<Option<u64>, SourceError> {
        let Some(level) = self.level(begin)? else { return Ok(None) };
        let mut at = 8 * (begin + HEAD);
        let (mut checksum, mut blocks) = (0_u32, 0_usize);
        loop {
            match self.marks.at(at)? {
                Some(Kind::Block) => {}
                Some(Kind::End) => break,
                None => return Ok(None),
            }
            let Some((end, block)) = self.block(at, level)? else { return Ok(None) };
            checksum = checksum.rotate_left(1) ^ block.checksum;
            // The first one of all has the empty streams before it.
            let from = match blocks {
                0 if self.gathered.pieces.is_empty() => 0,
                0 => 8 * begin,
                _ => at,
            };
            if !self.gathered.push(from, end - from, block.text) {
                return Ok(None);
            }
            (at, blocks) = (end, blocks + 1);
            if self.expands(self.gathered.text, at / 8) {
                return Ok(None);
            }
        }
        let behind = (at + LENGTH + CHECKSUM).div_ceil(8);
        if behind > self.size || self.checksum(at + LENGTH)? != checksum {
            return Ok(None);
        }
        if blocks > 1 {
            if self.streams.len() == 2 * MOST {
                self.streams = streams_of(&self.streams, &self.gathered.pieces);
            }
            make_room(&mut self.streams, 1);
            let text = self.gathered.text;
            self.streams.push(Stream { begin: 8 * begin, end: at, text, level });
        }
        Ok(Some(behind))
    }

    /// Whether the text is more than so many bytes of the file may have. Small files have no limit.
    fn expands(&mut self, text: u64, bytes: u64) -> bool {
        let is_over = |most: u64| text > RATIO_GRACE && text > bytes.saturating_mul(most);
        self.is_over = self.ratio.is_some_and(is_over);
        self.is_over
    }

    /// The level of the stream at a byte, if there is one.
    fn level(&self, at: u64) -> Result<Option<u8>, SourceError> {
        if at + HEAD > self.size {
            return Ok(None);
        }
        let mut head = [0; HEAD as usize];
        self.file.read_exact_at(&mut head, at)?;
        Ok(head.strip_prefix(MAGIC).and_then(<[u8]>::first).copied().filter(is_level))
    }

    /// The checksum at a bit.
    fn checksum(&self, at: u64) -> Result<u32, SourceError> {
        let bytes = self.bits(at, at + CHECKSUM)?;
        Ok(number_at(&bytes, at % 8))
    }

    /// The bytes that have a range of bits.
    fn bits(&self, from: u64, to: u64) -> Result<Vec<u8>, SourceError> {
        let mut bytes = Vec::new();
        let count = (to.div_ceil(8) - from / 8) as usize;
        make_room(&mut bytes, count);
        bytes.resize(count, 0);
        self.file.read_exact_at(&mut bytes, from / 8)?;
        Ok(bytes)
    }

    /// The block at a bit, where a magic number is, and where it ends.
    fn block(&mut self, at: u64, level: u8) -> Result<Option<(u64, Block)>, SourceError> {
        while self.done.front().is_some_and(|(task, _)| task.from < at) {
            self.done.pop_front();
        }
        if self.done.front().is_none_or(|(task, _)| (task.from, task.level) != (at, level)) {
            self.done = self.decode_some(level)?;
        }
        if let Some((Task { from, to, .. }, Some(block))) = self.done.front()
            && *from == at
        {
            return Ok(Some((*to, *block)));
        }
        // Its data has a magic number.
        for nth in 2..PATIENCE {
            self.marks.fill(nth + 1)?;
            let Some(mark) = self.marks.found.get(nth) else { break };
            if let Some(task) = self.task(at, mark.at, level)?
                && let Some(block) = decode(&task)?
            {
                return Ok(Some((mark.at, block)));
            }
        }
        Ok(None)
    }

    /// A block between two magic numbers. None if it would be too long for one.
    fn task(&self, from: u64, to: u64, level: u8) -> Result<Option<Task>, SourceError> {
        if to - from > LONGEST || to - from < LENGTH + CHECKSUM {
            return Ok(None);
        }
        Ok(Some(Task { from, to, level, bytes: self.bits(from, to)? }))
    }

    /// Decodes the block at the first magic number, and, with several threads, some that follow it.
    fn decode_some(&mut self, level: u8) -> Result<VecDeque<(Task, Option<Block>)>, SourceError> {
        let most = if self.threads > 1 { 2 * self.threads } else { 1 };
        self.marks.fill(most + 1)?;
        let mut tasks = Vec::new();
        let mut level = Some(level);
        for (nth, mark) in self.marks.found.iter().enumerate().take(most) {
            let Some(next) = self.marks.found.get(nth + 1) else { break };
            if mark.kind == Kind::End {
                level = self.level((mark.at + LENGTH + CHECKSUM).div_ceil(8))?;
            }
            let Some(level) = level else { break };
            if mark.kind == Kind::Block
                && let Some(task) = self.task(mark.at, next.at, level)?
            {
                tasks.push(task);
            }
        }
        let blocks = decode_all(&tasks, self.threads)?;
        Ok(tasks.into_iter().zip(blocks).collect())
    }

    /// Leaves the stream at a byte, whose text begins at `text`, and all behind it to a decoder that
    /// goes through it.
    fn leave(&mut self, begin: u64, text: u64) -> Result<(), SourceError> {
        let at = 8 * begin;
        self.gathered.pieces.retain(|piece| piece.at <= at);
        if !self.is_over {
            self.gathered.text = self.end_of_text(begin, text)?;
        }
        Ok(())
    }

    /// Where the text ends that a decoder gives until something is wrong, if it begins at a byte.
    fn end_of_text(&mut self, begin: u64, mut text: u64) -> Result<u64, SourceError> {
        let limits = Limits::default();
        let Some(mut decoder) = Decompressor::new(Compression::Bzip2, &limits)? else {
            return Ok(text);
        };
        let (mut bytes, mut out) = (Vec::new(), vec![0; CHUNK]);
        let (mut at, mut used) = (begin, 0);
        loop {
            if used == bytes.len() && at < self.size {
                let count = (self.size - at).min(CHUNK as u64);
                bytes = self.bits(8 * at, 8 * (at + count))?;
                (at, used) = (at + count, 0);
            }
            let last = at == self.size && used == bytes.len();
            match decoder.step(&bytes[used..], &mut out, text, last) {
                Ok(step) => {
                    text += step.written as u64;
                    used += step.consumed;
                    if (last && step.written == 0) || self.expands(text, at) {
                        return Ok(text);
                    }
                }
                Err((step, _)) => return Ok(text + step.written as u64),
            }
        }
    }
}

fn is_level(digit: &u8) -> bool {
    matches!(digit, b'1'..=b'9')
}

/// The 32 bits at a bit of the first byte.
fn number_at(bytes: &[u8], bit: u64) -> u32 {
    let word = bytes.iter().take(5).fold(0, |word, byte| word << 8 | u64::from(*byte));
    let missing = 5 - bytes.len().min(5) as u64;
    (word << (8 * missing) >> (8 - bit)) as u32
}

/// Appends bytes that begin at a bit of another one: `held` is the last byte before, if any.
pub(super) fn shift(out: &mut Vec<u8>, held: &mut Option<u8>, bytes: &[u8], bit: u8) {
    make_room(out, bytes.len());
    if bit == 0 {
        out.extend_from_slice(bytes);
        return;
    }
    for byte in bytes {
        if let Some(before) = held.replace(*byte) {
            out.push(before << bit | byte >> (8 - bit));
        }
    }
}

/// A stream that has only this block.
fn alone(task: &Task) -> Vec<u8> {
    let mut out = Vec::new();
    make_room(&mut out, task.bytes.len() + 32);
    out.extend_from_slice(MAGIC);
    out.push(task.level);
    let (bit, mut held) = ((task.from % 8) as u8, None);
    shift(&mut out, &mut held, &task.bytes, bit);
    // The last bits may be those of the last byte alone.
    out.push(held.unwrap_or(0) << bit);
    let length = task.to - task.from;
    out.truncate((HEAD + length.div_ceil(8)) as usize);
    let rest = length % 8;
    let last = if rest == 0 { 0 } else { out.pop().unwrap_or(0) >> (8 - rest) };
    let checksum = number_at(&task.bytes[(LENGTH / 8) as usize..], task.from % 8);
    let end = u128::from(last) << LENGTH | u128::from(marks::END);
    let end = (end << CHECKSUM | u128::from(checksum)) << (128 - LENGTH - CHECKSUM - rest);
    let count = (rest + LENGTH + CHECKSUM).div_ceil(8) as usize;
    out.extend_from_slice(&end.to_be_bytes()[..count]);
    out
}

/// Decodes a block by itself.
fn decode(task: &Task) -> Decoded {
    let bytes = alone(task);
    let (mut used, mut text) = (0, 0);
    let mut out = vec![0; CHUNK];
    let Some(mut codec) = Codec::new(Compression::Bzip2, 0)? else { return Ok(None) };
    loop {
        match codec.step(&bytes[used..], &mut out) {
            Ok((step, is_end)) => {
                used += step.consumed;
                text += step.written as u64;
                if is_end {
                    // Whatever comes behind the end is none of a block.
                    let checksum = number_at(&task.bytes[(LENGTH / 8) as usize..], task.from % 8);
                    return Ok((used == bytes.len()).then_some(Block { text, checksum }));
                }
                if step.consumed == 0 && step.written == 0 {
                    return Ok(None);
                }
            }
            Err(Failed { why: why @ Why::Memory, .. }) => {
                return Err(fault_of(Compression::Bzip2, 0, why, 0).into());
            }
            Err(_) => return Ok(None),
        }
    }
}

/// Decodes blocks in threads. If none can be started, the caller's is enough.
fn decode_all(tasks: &[Task], threads: usize) -> Result<Vec<Option<Block>>, SourceError> {
    let next = AtomicUsize::new(0);
    let blocks = Mutex::new(vec![None; tasks.len()]);
    let work = || -> Result<(), SourceError> {
        while let Some((nth, task)) = next_of(tasks, &next) {
            let block = decode(task)?;
            let mut blocks = blocks.lock().unwrap_or_else(PoisonError::into_inner);
            blocks[nth] = block;
        }
        Ok(())
    };
    let others = threads.min(tasks.len()).saturating_sub(1);
    thread::scope(|scope| {
        let begin = |_| thread::Builder::new().spawn_scoped(scope, work).ok();
        let begun: Vec<_> = (0..others).filter_map(begin).collect();
        let mine = work();
        let theirs = begun.into_iter().map(|it| it.join().unwrap_or_else(|it| resume_unwind(it)));
        theirs.fold(mine, Result::and)
    })?;
    Ok(blocks.into_inner().unwrap_or_else(PoisonError::into_inner))
}

/// A task that no thread has taken.
fn next_of<'a>(tasks: &'a [Task], next: &AtomicUsize) -> Option<(usize, &'a Task)> {
    let nth = next.fetch_add(1, Ordering::Relaxed);
    Some((nth, tasks.get(nth)?))
}
