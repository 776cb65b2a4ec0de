//! Comparing a few bytes in place.

/// Whether `text` has `expected` at `pos`.
///
/// Meant for expectations of 4 to 40 bytes, such as a key with its quotes: a call of the C
/// library's comparison costs more than the comparison, and two overlapping words compare up to
/// sixteen bytes.
///
/// ```
/// use penstock_scan::stands_at;
///
/// assert!(stands_at(b"{\"name\":1}", 1, b"\"name\":"));
/// assert!(!stands_at(b"{\"nama\":1}", 1, b"\"name\":"));
/// assert!(!stands_at(b"{\"name\"", 1, b"\"name\":"));
/// ```
#[inline(always)]
#[must_use]
pub fn stands_at(text: &[u8], pos: usize, expected: &[u8]) -> bool {
    let length = expected.len();
    if text.len().wrapping_sub(pos) < length || pos > text.len() {
        return false;
    }
    // SAFETY: `pos + length <= text.len()` was checked above.
    let found = unsafe { text.get_unchecked(pos..pos + length) };
    match length {
        8..=16 => {
            // SAFETY: both slices have at least eight bytes, so that many can be read at their
            // beginning and before their end, aligned or not.
            unsafe {
                let (left, right) = (found.as_ptr(), expected.as_ptr());
                let head =
                    left.cast::<u64>().read_unaligned() ^ right.cast::<u64>().read_unaligned();
                let tail = left.add(length - 8).cast::<u64>().read_unaligned()
                    ^ right.add(length - 8).cast::<u64>().read_unaligned();
                head | tail == 0
            }
        }
        4..8 => {
            // SAFETY: as above, with four bytes.
            unsafe {
                let (left, right) = (found.as_ptr(), expected.as_ptr());
                let head =
                    left.cast::<u32>().read_unaligned() ^ right.cast::<u32>().read_unaligned();
                let tail = left.add(length - 4).cast::<u32>().read_unaligned()
                    ^ right.add(length - 4).cast::<u32>().read_unaligned();
                head | tail == 0
            }
        }
        17..=32 => {
            // SAFETY: as above, with sixteen bytes.
            unsafe {
                let (left, right) = (found.as_ptr(), expected.as_ptr());
                let head =
                    left.cast::<u128>().read_unaligned() ^ right.cast::<u128>().read_unaligned();
                let tail = left.add(length - 16).cast::<u128>().read_unaligned()
                    ^ right.add(length - 16).cast::<u128>().read_unaligned();
                head | tail == 0
            }
        }
        _ => found == expected,
    }
}

#[cfg(test)]
mod tests {
    use super::stands_at;

    /// Every length, place and single difference: the same answer as the slice comparison.
    #[test]
    fn agrees_with_slices() {
        let text: Vec<u8> = (0..90_u8).collect();
        for length in 0..50 {
            for pos in 0..95 {
                let right: Vec<u8> = (pos as u8..).take(length).collect();
                let naive = |expected: &[u8]| {
                    text.get(pos..).is_some_and(|rest| rest.starts_with(expected))
                };
                assert_eq!(stands_at(&text, pos, &right), naive(&right), "{pos} {length}");
                for wrong in 0..length {
                    let mut expected = right.clone();
                    expected[wrong] ^= 0x40;
                    assert!(!stands_at(&text, pos, &expected) || naive(&expected));
                }
            }
        }
    }
}
