//! Reads rows by an index, and compares them with those of reading.

use crate::reading::Rows;
use penstock_core::csv::{Options, Reader, Resume};
use penstock_core::index::{
    Comparison, Extent, Fingerprint, Index, Lookup, Mark, Reach, Rules, Unusable, Walk, decode,
    encode,
};
use penstock_core::limits::Limits;
use penstock_core::run::{Policy, Run, Turn, Windows};
use penstock_core::source::ReadAt;
use std::convert::Infallible;
use std::io;

/// A file in memory.
struct Memory<'a>(&'a [u8]);

impl ReadAt for Memory<'_> {
    fn read_exact_at(&self, out: &mut [u8], offset: u64) -> io::Result<()> {
        let from = usize::try_from(offset).unwrap();
        let found = self.0.get(from..from + out.len()).ok_or(io::ErrorKind::UnexpectedEof)?;
        out.copy_from_slice(found);
        Ok(())
    }
}

/// A row with its offset, or the reason why it is none, with the place and the number.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Read {
    place: Mark,
    record: Option<u64>,
    row: Result<Vec<String>, String>,
}

fn place_in(source: &[u8], offset: u64) -> Mark {
    let before = &source[..usize::try_from(offset).unwrap()];
    let line = before.split(|byte| *byte == b'\n').count() as u64;
    let last = before.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    // Code points, as the counter counts them.
    let column = 1 + last.iter().filter(|byte| (**byte as i8) >= -0x40).count() as u64;
    Mark { offset, line, column }
}

/// The next records of a run over a file.
pub(crate) fn read(source: &[u8], mut reach: Reach<Reader, Infallible>, most: usize) -> Vec<Read> {
    let file = Memory(source);
    let mut to = Rows::pausing();
    let (mut found, mut between) = (Vec::new(), None);
    while found.len() < most {
        // What is wrong with the header ends the reading.
        let Ok(turn) = reach.advance(&mut to) else { break };
        match turn {
            Turn::Dry => {
                reach.read(&file).unwrap();
                between.get_or_insert(reach.is_between_records());
                reach.give(&mut to).unwrap();
            }
            Turn::Paused => {
                assert!(!found.is_empty() || between == Some(true));
                let (offset, row) = to.rows.last().unwrap();
                let place = Mark { line: 0, column: 0, offset: *offset };
                found.push(Read { place, record: None, row: Ok(row.clone()) });
            }
            Turn::Problem(problem) => {
                let place = problem.spot.place.unwrap();
                let place = Mark { line: place.line, column: place.column, offset: place.offset };
                let record = problem.spot.record;
                found.push(Read { place, record, row: Err(problem.reason) });
            }
            Turn::End => break,
        }
    }
    found
}

pub(crate) fn from_start(
    source: &[u8],
    options: &Options,
    limits: &Limits,
) -> Reach<Reader, Infallible> {
    Reach::from_start(Reader::new(options, limits).unwrap(), 0, source.len() as u64)
}

/// The reader behind the header, if there is a row.
fn behind_header(source: &[u8], options: &Options, limits: &Limits) -> Option<Reader> {
    let mut reach = from_start(source, options, limits);
    let mut walk = Walk::<Infallible>::to_the_first();
    loop {
        // If the columns are not known, nothing can be read at random.
        let turn = reach.advance(&mut walk).ok()?;
        match turn {
            Turn::Dry => {
                reach.read(&Memory(source)).unwrap();
                reach.give(&mut walk).unwrap();
            }
            Turn::Problem(_) if reach.run().reader().names().is_none() => return None,
            Turn::Problem(_) if !reach.run().reader().is_settled() => {}
            Turn::Paused | Turn::Problem(_) | Turn::End => return reach.run().reader().resume(),
        }
    }
}

/// The index of a source, in pieces of a size.
fn indexed(source: &[u8], options: &Options, limits: &Limits, most: usize, piece: usize) -> Index {
    let reader = Reader::new(options, limits).unwrap();
    let input = Windows::pushed_from(Mark::of_line(1, 0).counted());
    let mut run = Run::new(reader, input, Policy::Skip);
    let mut walk = Walk::<Infallible>::indexing_with_most(0, most);
    let mut pieces = source.chunks(piece);
    loop {
        match run.advance(&mut walk).unwrap() {
            Turn::Dry => match pieces.next() {
                Some(piece) => run.push(&mut walk, piece).unwrap(),
                None => run.push_end(&mut walk).unwrap(),
            },
            Turn::Paused | Turn::Problem(_) => unreachable!(),
            Turn::End => return walk.into_index(source.len() as u64).unwrap(),
        }
    }
}

/// The record with this number, by the index.
fn find(source: &[u8], reader: &Reader, index: &Index, record: u64) -> Extent {
    let found = index.find(record).unwrap();
    let from = (index.marked(record), &found.mark);
    let size = source.len() as u64;
    let mut walk = Walk::to(record, from.0, &found.mark);
    let mut reach =
        Reach::<_, Infallible>::from_record(reader, from, found.end, (0, size)).unwrap();
    reach.set_policy(Policy::Skip);
    loop {
        match reach.advance(&mut walk).unwrap() {
            Turn::Dry if walk.found().is_none() => {
                reach.read(&Memory(source)).unwrap();
                reach.give(&mut walk).unwrap();
            }
            _ => return walk.found().unwrap(),
        }
    }
}

/// Asserts that each row of a file is the same by an index as by reading.
pub(crate) fn check(source: &[u8], options: &Options, limits: &Limits, most: usize, piece: usize) {
    let all = read(source, from_start(source, options, limits), usize::MAX);
    let Some(reader) = behind_header(source, options, limits) else {
        return;
    };
    let index = indexed(source, options, limits, most, piece);
    assert_eq!(index.records(), all.len() as u64);
    assert_eq!(index.size(), source.len() as u64);
    let size = source.len() as u64;
    let mut behind = 0;
    for (record, expected) in all.iter().enumerate() {
        let record = record as u64;
        let Extent { mark, end } = find(source, &reader, &index, record);
        assert_eq!(mark, place_in(source, mark.offset));
        assert!(mark.offset >= behind, "{record}: {mark:?}");
        assert!(end.is_none_or(|end| end >= mark.offset && end <= size));
        behind = end.unwrap_or(mark.offset);
        if expected.row.is_ok() {
            assert_eq!(mark.offset, expected.place.offset);
        }
        for end in [mark.offset, size] {
            let reach = Reach::from_record(&reader, (record, &mark), end, (0, size)).unwrap();
            let again = read(source, reach, 1);
            assert_eq!(again, all[record as usize..=record as usize], "{record}");
        }
    }
    if let Some(found) = index.find(0) {
        let reach = Reach::from_record(&reader, (0, &found.mark), 0, (0, size)).unwrap();
        assert_eq!(read(source, reach, usize::MAX), all);
    }
    let of = Fingerprint { size, modified: 1, sample: 2, rules: Rules::of_dialect("this") };
    let bytes = encode(&index, &of);
    assert_eq!(decode(&bytes, &of), Ok(index));
    let other = Fingerprint { rules: Rules::of_dialect("that"), ..of };
    assert_eq!(decode(&bytes, &other), Err(Unusable::OtherRules));
    assert_eq!(
        decode(&bytes, &Fingerprint { rules: Rules::Lines, ..of }),
        Err(Unusable::OtherRules)
    );
    look_up(source, options, limits, &all);
}

/// Looks up the texts of the first column.
fn look_up(source: &[u8], options: &Options, limits: &Limits, all: &[Read]) {
    let mut reach = from_start(source, options, limits);
    reach.set_policy(Policy::Skip);
    let mut walk = Walk::<Infallible>::gathering(Lookup::new(0, all.len() as u64), 0);
    while !matches!(reach.advance(&mut walk).unwrap(), Turn::End) {
        reach.read(&Memory(source)).unwrap();
        reach.give(&mut walk).unwrap();
    }
    let mut lookup = walk.into_lookup().unwrap();
    lookup.sort();
    let good =
        || all.iter().zip(0_u64..).filter_map(|(read, at)| Some((read.row.as_ref().ok()?, at)));
    assert_eq!(lookup.len(), good().count());
    for (row, _) in good() {
        let text = row[0].as_bytes();
        let expected: Vec<u64> =
            good().filter(|(other, _)| other[0] == row[0]).map(|(_, at)| at).collect();
        let rows: Vec<u64> = lookup.rows(text).collect();
        assert_eq!(rows, expected);
        let every = (0..all.len() as u64).collect();
        let comparison = Comparison::new(0, text.to_vec(), every, usize::MAX);
        let mut walk = Walk::<Infallible>::comparing(comparison, 0);
        let mut reach = from_start(source, options, limits);
        reach.set_policy(Policy::Skip);
        while let Turn::Dry = reach.advance(&mut walk).unwrap() {
            reach.read(&Memory(source)).unwrap();
            reach.give(&mut walk).unwrap();
        }
        assert_eq!(walk.into_comparison().unwrap().into_equal(), expected);
    }
}

/// The same for some rows of a large file.
pub(crate) fn check_some(source: &[u8], options: &Options, records: u64, some: &[u64]) {
    let limits = Limits::default();
    let all = read(source, from_start(source, options, &limits), usize::MAX);
    let reader = behind_header(source, options, &limits).unwrap();
    let index = indexed(source, options, &limits, 1_000, 1 << 16);
    assert_eq!((index.records(), all.len() as u64), (records, records));
    for &record in some {
        let Extent { mark, .. } = find(source, &reader, &index, record);
        let size = source.len() as u64;
        let reach = Reach::from_record(&reader, (record, &mark), mark.offset, (0, size)).unwrap();
        assert_eq!(read(source, reach, 1)[0], all[usize::try_from(record).unwrap()]);
    }
}
