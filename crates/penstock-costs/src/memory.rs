//! Copying, allocating, touching for the first time, and waiting for the caches.

use crate::{Entry, Timed, timed};
use std::hint::black_box;
use std::io;
use std::time::{Duration, Instant};

const KIB: usize = 1 << 10;
const MIB: usize = 1 << 20;

/// The smallest page on most machines, which is what the operating system hands out at once.
const PAGE: usize = 4 * KIB;

/// The pages that are touched in one turn.
const PAGES: usize = 4 * MIB / PAGE;

pub(crate) const ENTRIES: &[Entry] = &[
    Entry { name: "copy 16 B", per_turn: 16, make: || copy::<16>(16) },
    Entry { name: "copy 4 KiB", per_turn: 1, make: || copy::<1>(4 * KIB) },
    Entry { name: "copy 1 MiB", per_turn: 1, make: || copy::<1>(MIB) },
    Entry { name: "copy 16 MiB", per_turn: 1, make: || copy::<1>(16 * MIB) },
    Entry {
        name: "allocate and free 16 B",
        per_turn: 16,
        make: || {
            Ok(Box::new(|turns| {
                Ok(timed(turns, || {
                    for _ in 0..16 {
                        drop(black_box(Box::<[u8; 16]>::new_uninit()));
                    }
                }))
            }))
        },
    },
    Entry { name: "first touch of a page", per_turn: PAGES as u32, make: first_touch },
    Entry { name: "random load, 16 KiB", per_turn: 32, make: || chase(16 * KIB) },
    Entry { name: "random load, 512 KiB", per_turn: 32, make: || chase(512 * KIB) },
    Entry { name: "random load, 64 MiB", per_turn: 32, make: || chase(64 * MIB) },
];

/// Copies from one buffer to another; both were touched before. The compiler does not know the
/// length, so this is the copy of the C library, as for text or records.
fn copy<const TIMES: usize>(length: usize) -> io::Result<Timed> {
    let source = vec![7_u8; length];
    let mut target = vec![1_u8; length];
    Ok(Box::new(move |turns| {
        let length = black_box(length);
        Ok(timed(turns, || {
            for _ in 0..TIMES {
                target[..length].copy_from_slice(&black_box(&source)[..length]);
                black_box(&mut target);
            }
        }))
    }))
}

/// Writes one byte to each page of fresh memory. Allocating the memory and freeing it is not timed:
/// it is so much that the allocator asks the operating system each time, and gets it empty. A turn
/// is many pages, because the few that the kernel has just got back are still in the caches.
fn first_touch() -> io::Result<Timed> {
    Ok(Box::new(|turns| {
        let mut time = Duration::ZERO;
        for _ in 0..turns {
            // More than the allocator of glibc ever keeps; the first part of it is touched.
            let mut fresh = vec![0_u8; 64 * MIB];
            let pages = black_box(&mut fresh).iter_mut().step_by(PAGE).skip(1).take(PAGES);
            let start = Instant::now();
            for byte in pages {
                *black_box(byte) = 1;
            }
            time += start.elapsed();
        }
        Ok(time)
    }))
}

/// A slot of the size of a cache line, with the number of the next slot.
#[derive(Clone)]
#[repr(align(64))]
struct Line {
    next: u32,
}

/// Goes from place to place in an order that no hardware can predict: each place holds the number
/// of the next. All of them are in one ring (Sattolo's shuffle, Inf. Proc. Letters 22, 1986), so it
/// visits all before it returns to one.
fn chase(size: usize) -> io::Result<Timed> {
    let count = size / size_of::<Line>();
    let mut lines: Vec<Line> = (0..count).map(|next| Line { next: next as u32 }).collect();
    // Xorshift (Marsaglia, J. Stat. Soft. 8, 2003): the order must only be without a pattern.
    let mut random = 0x9E37_79B9_7F4A_7C15_u64;
    for last in (1..count).rev() {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let other = (random % last as u64) as usize;
        let next = lines[last].next;
        lines[last].next = lines[other].next;
        lines[other].next = next;
    }
    // A small ring must be in its cache, but other code has pushed it out meanwhile.
    let warm = if size <= MIB { count } else { 0 };
    let mut at = 0;
    Ok(Box::new(move |turns| {
        for _ in 0..warm {
            at = lines[at].next as usize;
        }
        let time = timed(turns, || {
            for _ in 0..32 {
                at = lines[at].next as usize;
            }
        });
        black_box(at);
        Ok(time)
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chase_takes_its_turns() {
        let mut chase = chase(4 * KIB).unwrap();
        assert!(chase(1_000).unwrap() > Duration::ZERO);
    }
}
