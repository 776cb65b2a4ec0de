//! Where the blocks of bzip2 may begin, and where its streams may end: at a magic number, which may
//! be at any bit. The data of a block may have it by chance.

/// What a magic number says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Block,
    /// The end of a stream: no block follows.
    End,
}

/// A magic number of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    /// The bit at which it begins.
    pub(super) at: u64,
    pub(super) kind: Kind,
}

/// The bits of a magic number.
pub(super) const LENGTH: u64 = 48;

/// The magic number of a block, and that of the end: the digits of π and of its square root.
pub(super) const BLOCK: u64 = 0x3141_5926_5359;
pub(super) const END: u64 = 0x1772_4538_5090;

const KINDS: [(u64, Kind); 2] = [(BLOCK, Kind::Block), (END, Kind::End)];

/// The bytes of a word, in which a magic number can begin at any bit of the first byte.
pub(super) const WORD: usize = 8;

/// For each byte, which of the magic numbers can have it as their byte with this number: a bit for
/// each kind and each bit of byte 0 at which it may begin. All of the bytes 1 to 5 are bits of it.
const fn having(number: u32) -> [u16; 256] {
    let mut table = [0; 256];
    let mut bit = 0;
    while bit < 16 {
        let magic = KINDS[bit % 2].0 << (16 - bit / 2);
        table[(magic >> (56 - 8 * number)) as usize & 0xFF] |= 1 << bit;
        bit += 1;
    }
    table
}

static SECOND: [u16; 256] = having(1);
static THIRD: [u16; 256] = having(2);

/// Reports the magic numbers in these bytes, in order, and the bit at which each begins. Of the
/// positions, one in 4096 is looked at twice.
pub(super) fn find(bytes: &[u8], mut found: impl FnMut(u64, Kind)) {
    for (at, window) in bytes.windows(WORD).enumerate() {
        let may_be = SECOND[usize::from(window[1])] & THIRD[usize::from(window[2])];
        if may_be != 0 {
            let word = window.first_chunk().map_or(0, |word| u64::from_be_bytes(*word));
            compare(word, may_be, at, bytes.len(), &mut found);
        }
    }
    let end = bytes.len().saturating_sub(WORD - 1);
    for (at, _) in bytes.iter().enumerate().skip(end) {
        let mut word = [0; WORD];
        word[..bytes.len() - at].copy_from_slice(&bytes[at..]);
        compare(u64::from_be_bytes(word), u16::MAX, at, bytes.len(), &mut found);
    }
}

/// Compares a word with some of the magic numbers.
#[cold]
fn compare(
    word: u64,
    mut may_be: u16,
    at: usize,
    length: usize,
    found: &mut impl FnMut(u64, Kind),
) {
    while may_be != 0 {
        let bit = may_be.trailing_zeros();
        may_be &= may_be - 1;
        let (magic, kind) = KINDS[bit as usize % 2];
        let at = 8 * at as u64 + u64::from(bit / 2);
        if word << (bit / 2) >> (64 - LENGTH) == magic && at + LENGTH <= 8 * length as u64 {
            found(at, kind);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Bit by bit.
    fn naive(bytes: &[u8]) -> Vec<Mark> {
        let mut found = Vec::new();
        let mut last = 0_u64;
        for bit in 0..8 * bytes.len() {
            let next = bytes[bit / 8] >> (7 - bit % 8) & 1;
            last = (last << 1 | u64::from(next)) & ((1 << LENGTH) - 1);
            let Some(at) = (bit as u64 + 1).checked_sub(LENGTH) else { continue };
            match last {
                BLOCK => found.push(Mark { at, kind: Kind::Block }),
                END => found.push(Mark { at, kind: Kind::End }),
                _ => {}
            }
        }
        found
    }

    fn fast(bytes: &[u8]) -> Vec<Mark> {
        let mut marks = Vec::new();
        find(bytes, |at, kind| marks.push(Mark { at, kind }));
        marks
    }

    /// Bytes with a magic number at a bit.
    fn with(bytes: &mut [u8], magic: u64, at: usize) {
        for bit in 0..48 {
            let value = (magic >> (47 - bit) & 1) as u8;
            let (byte, place) = ((at + bit) / 8, 7 - (at + bit) % 8);
            bytes[byte] = bytes[byte] & !(1 << place) | value << place;
        }
    }

    #[test]
    fn each_place_of_short_bytes() {
        for length in 0..40_usize {
            for fill in [0, 0xFF, 0x31, 0x59] {
                assert_eq!(fast(&vec![fill; length]), naive(&vec![fill; length]));
                for at in 0..(8 * length + 1).saturating_sub(48) {
                    for (magic, kind) in KINDS {
                        let mut bytes = vec![fill; length];
                        with(&mut bytes, magic, at);
                        assert_eq!(fast(&bytes), naive(&bytes));
                        assert!(fast(&bytes).contains(&Mark { at: at as u64, kind }));
                    }
                }
            }
        }
    }

    proptest! {
        #[test]
        fn any_bytes(
            mut bytes in prop::collection::vec(any::<u8>(), 60..200),
            places in prop::collection::vec((0..430_usize, any::<bool>(), 0..49_usize), 0..5),
            cut in 0..200_usize,
        ) {
            for (at, is_end, flipped) in places {
                let magic = if is_end { END } else { BLOCK };
                with(&mut bytes, magic ^ (1_u64 << flipped & ((1 << 48) - 1)), at);
            }
            prop_assert_eq!(fast(&bytes), naive(&bytes));
            let cut = cut.min(bytes.len());
            prop_assert_eq!(fast(&bytes[..cut]), naive(&bytes[..cut]));
            prop_assert_eq!(fast(&bytes[cut..]), naive(&bytes[cut..]));
        }
    }
}
