//! The instruction set that every processor has: plain Rust, eight bytes at a time.

use crate::isa::{Chosen, Isa, Job, Marks, Stops, StringEnd};
use crate::swar;

/// The token of the plain instruction set, which needs no proof.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Portable(());

impl Portable {
    pub(crate) const fn new() -> Self {
        Portable(())
    }
}

impl Isa for Portable {
    const NAME: &'static str = "portable";

    #[inline(always)]
    fn detect() -> Option<Self> {
        Some(Portable::new())
    }

    #[inline(never)]
    fn enter<J: Job>(self, job: J) -> J::Output {
        job.run(self)
    }

    #[inline(always)]
    fn chosen(self) -> Chosen {
        Chosen::portable()
    }

    #[inline(always)]
    fn json_string(self, bytes: &[u8], from: usize) -> StringEnd {
        run(
            bytes,
            from,
            |word| swar::equal(word, b'"') | swar::equal(word, b'\\') | swar::control(word),
            |byte| byte == b'"' || byte == b'\\' || byte < 0x20,
        )
    }

    #[inline(always)]
    fn space(self, bytes: &[u8], from: usize) -> usize {
        let mut at = from;
        // The two common cases, none and one, need only the bytes themselves.
        for _ in 0..2 {
            if !is_space(bytes, at) {
                return at;
            }
            at += 1;
        }
        while let Some(word) = swar::word_at(bytes, at) {
            let others = spaces(word) ^ swar::HIGH;
            if others != 0 {
                return at + swar::before(others);
            }
            at += 8;
        }
        while is_space(bytes, at) {
            at += 1;
        }
        at
    }

    #[inline(always)]
    fn xml_text(self, bytes: &[u8], from: usize) -> StringEnd {
        run(
            bytes,
            from,
            |word| {
                let space = swar::equal(word, b'\t') | swar::equal(word, b'\n');
                swar::equal(word, b'<')
                    | swar::equal(word, b'&')
                    | swar::equal(word, b']')
                    | swar::equal(word, 0xEF)
                    | (swar::control(word) & !space)
            },
            |byte| match byte {
                b'<' | b'&' | b']' | 0xEF => true,
                b'\t' | b'\n' => false,
                _ => byte < 0x20,
            },
        )
    }

    #[inline(always)]
    fn xml_value(self, bytes: &[u8], from: usize) -> StringEnd {
        run(
            bytes,
            from,
            |word| {
                // The ampersand and the apostrophe differ only in the last bit.
                swar::equal(word, b'"')
                    | swar::equal(word | swar::splat(1), b'\'')
                    | swar::equal(word, b'<')
                    | swar::equal(word, 0xEF)
                    | swar::control(word)
            },
            |byte| matches!(byte, b'"' | b'\'' | b'<' | b'&' | 0xEF) || byte < 0x20,
        )
    }

    #[inline(always)]
    fn xml_name(self, bytes: &[u8], from: usize) -> usize {
        let end = run(
            bytes,
            from,
            |word| {
                // The bit turns capitals into small letters, and changes no other byte into one.
                let name = swar::between(word | swar::splat(0x20), b'a', b'z')
                    | swar::between(word, b'0', b'9')
                    | swar::between(word, b'-', b'.')
                    | swar::equal(word, b'_');
                name ^ swar::HIGH
            },
            |byte| !(byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_')),
        );
        end.at
    }

    #[inline(always)]
    fn stops(self, bytes: &[u8; 64], set: &Stops) -> (u64, u64) {
        let marks = self.marks(bytes, set);
        (marks.first.iter().fold(marks.others, |all, one| all | one), marks.above)
    }

    #[inline(always)]
    fn marks(self, bytes: &[u8; 64], set: &Stops) -> Marks {
        let mut marks =
            Marks { above: marked(bytes, |word| word & swar::HIGH), ..Marks::default() };
        for (row, &byte) in set.bytes().iter().enumerate() {
            let places = marked(bytes, |word| swar::equal(word, byte));
            match marks.first.get_mut(row) {
                Some(first) => *first = places,
                None => marks.others |= places,
            }
        }
        marks
    }

    #[inline(always)]
    fn places<const N: usize>(self, bytes: &[u8; 64], pairs: &[(u8, u8); N]) -> [u64; N] {
        pairs.map(|(set, byte)| marked(bytes, |word| swar::equal(word | swar::splat(set), byte)))
    }

    #[inline(always)]
    fn parity(self, bits: u64) -> u64 {
        swar::parity(bits)
    }

    #[inline(always)]
    fn code_points(self, bytes: &[u8]) -> usize {
        let (words, rest) = bytes.as_chunks::<8>();
        let mut total = rest.iter().filter(|&&b| (b as i8) >= -0x40).count();
        // Each byte of the sum counts one column; it holds up to 255 rounds.
        for batch in words.chunks(255) {
            let sum: u64 = batch.iter().map(|word| swar::leads(u64::from_le_bytes(*word))).sum();
            total += swar::sum(sum);
        }
        total
    }

    #[inline(always)]
    fn units(self, bytes: &[u8; 16]) -> ([u16; 8], usize) {
        let mut units = [0; 8];
        let mut count = 0;
        for lane in 0..8 {
            let a = u16::from(bytes[lane]);
            let b = u16::from(bytes[lane + 1] & 0x3F);
            let c = u16::from(bytes[lane + 2] & 0x3F);
            let unit = match a {
                0..0x80 => a,
                0x80..0xC0 => continue,
                0xC0..0xE0 => (a & 0x1F) << 6 | b,
                _ => a << 12 | b << 6 | c,
            };
            units[count] = unit;
            count += 1;
        }
        (units, count)
    }
}

/// Whether there is a byte at `at` and it is JSON white space.
#[inline(always)]
pub(crate) fn is_space(bytes: &[u8], at: usize) -> bool {
    match bytes.get(at) {
        // Almost every byte is above the space, and needs one comparison.
        Some(&b) if b <= b' ' => matches!(b, b' ' | b'\n' | b'\r' | b'\t'),
        _ => false,
    }
}

/// 0x80 in every byte of the word that is JSON white space, and in no other.
#[inline(always)]
fn spaces(word: u64) -> u64 {
    swar::equal(word, b' ')
        | swar::equal(word, b'\n')
        | swar::equal(word, b'\r')
        | swar::equal(word, b'\t')
}

/// A bit for each byte that `mark` marks with 0x80 in its word, the first byte's lowest.
#[inline(always)]
fn marked(bytes: &[u8; 64], mark: impl Fn(u64) -> u64) -> u64 {
    let (words, _) = bytes.as_chunks::<8>();
    let words = words.iter().rev();
    words.fold(0, |bits, word| bits << 8 | swar::bits(mark(u64::from_le_bytes(*word))))
}

/// The first byte at or after `from` that stops: `word` marks those of eight bytes with 0x80, and
/// `byte` says whether one is.
#[inline(always)]
fn run(
    bytes: &[u8],
    from: usize,
    word: impl Fn(u64) -> u64,
    byte: impl Fn(u8) -> bool,
) -> StringEnd {
    let mut at = from;
    let mut above = 0;
    while let Some(eight) = swar::word_at(bytes, at) {
        let stops = word(eight);
        if stops != 0 {
            // The bytes before the first stop; the stop itself may be above 0x7F.
            let stop = swar::before(stops);
            above |= eight & ((1 << (8 * stop)) - 1);
            return StringEnd { at: at + stop, ascii: above & swar::HIGH == 0 };
        }
        above |= eight;
        at += 8;
    }
    let mut ascii = above & swar::HIGH == 0;
    while let Some(&next) = bytes.get(at) {
        if byte(next) {
            break;
        }
        ascii &= next < 0x80;
        at += 1;
    }
    StringEnd { at, ascii }
}
