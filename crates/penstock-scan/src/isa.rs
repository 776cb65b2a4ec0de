//! The operations of an instruction set, and how one is chosen.

#[cfg(target_arch = "x86_64")]
use crate::avx2::Avx2 as Native;
#[cfg(all(target_arch = "aarch64", target_endian = "little"))]
use crate::neon::Neon as Native;
use crate::portable::Portable;
#[cfg(not(any(
    target_arch = "x86_64",
    all(target_arch = "aarch64", target_endian = "little")
)))]
use crate::portable::Portable as Native;

/// The end of a plain run of bytes in a JSON string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StringEnd {
    /// Index of the first `"`, `\` or control character (below 0x20), or the length of the bytes.
    pub at: usize,
    /// False if there is a byte above 0x7F before `at`.
    pub ascii: bool,
}

/// A set of up to seven bytes of ASCII, and as two tables: for the low and the high half of a byte, a set of rows. A
/// byte is in the set if its two halves have a row in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stops {
    pub(crate) low: [u8; 16],
    pub(crate) high: [u8; 16],
    bytes: [u8; 7],
    count: usize,
}

impl Stops {
    /// The set of these bytes; nothing if there are more than seven, or if one is not ASCII.
    ///
    /// ```
    /// use penstock_scan::Stops;
    ///
    /// assert!(Stops::of(b",\"\r\n").is_some());
    /// assert!(Stops::of("é".as_bytes()).is_none());
    /// ```
    #[must_use]
    pub fn of(bytes: &[u8]) -> Option<Self> {
        if bytes.len() > 7 || !bytes.is_ascii() {
            return None;
        }
        let mut stops = Stops { low: [0; 16], high: [0; 16], bytes: [0; 7], count: bytes.len() };
        stops.bytes[..bytes.len()].copy_from_slice(bytes);
        for (row, byte) in bytes.iter().enumerate() {
            stops.low[usize::from(byte & 0x0F)] |= 1 << row;
            stops.high[usize::from(byte >> 4)] |= 1 << row;
        }
        Some(stops)
    }

    /// The bytes, in the order in which they were given.
    #[inline(always)]
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes[..self.count]
    }
}

/// Where in 64 bytes the bytes of a [set](Stops) are: a bit for each place, the first byte's lowest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Marks {
    /// The places of the first four bytes of the set, each by itself.
    pub first: [u64; 4],
    /// The places of all others.
    pub others: u64,
    /// The places of bytes above 0x7F.
    pub above: u64,
}

/// An instruction set: a zero-sized token that proves that the processor has it.
///
/// All methods are safe, whatever the bytes. Implementations are `#[inline(always)]`, so that they
/// compile into the loop that [`dispatch`] entered. A `from` past the end is returned unchanged.
pub trait Isa: Copy + Send + Sync + 'static {
    /// The name, for messages and tests.
    const NAME: &'static str;

    /// The token, if this processor has the instructions.
    fn detect() -> Option<Self>;

    /// Runs a job with this instruction set, out of line: for work that is too rare to be inlined
    /// where the instruction set was entered, but must still be fast.
    fn enter<J: Job>(self, job: J) -> J::Output;

    /// This instruction set as a value.
    fn chosen(self) -> Chosen;

    /// The first byte at or after `from` which ends the plain run of a JSON string. Tuned for
    /// short strings.
    fn json_string(self, bytes: &[u8], from: usize) -> StringEnd;

    /// The first byte at or after `from` that is not white space of JSON and XML (space, tab, line feed,
    /// carriage return), or the length. Tuned for none, for one, and for an indentation.
    fn space(self, bytes: &[u8], from: usize) -> usize;

    /// The first byte at or after `from` that ends a plain run of XML character data: `<`, `&`, `]`,
    /// a byte below 0x20 other than tab and line feed, or 0xEF, which may begin U+FFFE or U+FFFF.
    /// Tuned for short runs.
    fn xml_text(self, bytes: &[u8], from: usize) -> StringEnd;

    /// The first byte at or after `from` that ends a plain run of an XML attribute's value: either
    /// quote, `<`, `&`, any byte below 0x20, or 0xEF. Tuned for short runs.
    fn xml_value(self, bytes: &[u8], from: usize) -> StringEnd;

    /// The first byte at or after `from` that an XML name may not contain, or is a colon, or is
    /// above 0x7F: the end of a run of ASCII letters, digits, `.`, `-` and `_`. Tuned for names.
    fn xml_name(self, bytes: &[u8], from: usize) -> usize;

    /// Which of the 64 bytes are in the set, and which are above 0x7F: a bit each, the first byte's
    /// lowest.
    fn stops(self, bytes: &[u8; 64], set: &Stops) -> (u64, u64);

    /// Where in the 64 bytes the bytes of the set are, in the order in which they were given to
    /// [`Stops::of`].
    fn marks(self, bytes: &[u8; 64], set: &Stops) -> Marks;

    /// Where in the 64 bytes there are bytes that become `byte` when the bits of `set` are set in them,
    /// for each of these pairs (`set`, `byte`): a bit for each place, the first byte's lowest. The
    /// pairs should be constants, which are then in registers in a loop.
    fn places<const N: usize>(self, bytes: &[u8; 64], pairs: &[(u8, u8); N]) -> [u64; N];

    /// For each place, whether an odd number of bits is set up to and including it.
    fn parity(self, bits: u64) -> u64;

    /// How many of the bytes are not UTF-8 continuation bytes: in UTF-8, the number of code
    /// points. Tuned for whole windows.
    fn code_points(self, bytes: &[u8]) -> usize;

    /// The characters of up to three bytes that begin in the first eight of the bytes, and their
    /// number. They are in the order of the bytes. Units beyond the number have no meaning, nor has
    /// the unit of a character of four bytes, or of bytes that are not UTF-8.
    fn units(self, bytes: &[u8; 16]) -> ([u16; 8], usize);
}

/// Work that is compiled once for each instruction set. `run` should be `#[inline(always)]`: code
/// that is not inlined is compiled without the instruction set, and the kernels become calls there.
pub trait Job {
    /// The result of the work.
    type Output;
    /// Does the work with this instruction set's operations.
    fn run<I: Isa>(self, isa: I) -> Self::Output;
}

/// Runs a job with the best instruction set of this processor.
///
/// Choosing it costs a few loads, and the job is a call that is not inlined. So use it for a window
/// of work, not for a token.
///
/// ```
/// use penstock_scan::{Isa, Job, dispatch};
///
/// struct Indentation<'a>(&'a [u8]);
///
/// impl Job for Indentation<'_> {
///     type Output = usize;
///     #[inline(always)]
///     fn run<I: Isa>(self, isa: I) -> usize {
///         isa.space(self.0, 0)
///     }
/// }
/// assert_eq!(dispatch(Indentation(b"    null")), 4);
/// ```
#[inline]
pub fn dispatch<J: Job>(job: J) -> J::Output {
    dispatch_or(job, dispatch_portable)
}

/// As [`dispatch`], for work with much machine code: it is not compiled for the plain instruction set if the build
/// knows a better one. If a processor lacks the better one, `otherwise` does the work with slower, shared code.
#[inline]
pub fn dispatch_or<J: Job>(job: J, otherwise: impl FnOnce(J) -> J::Output) -> J::Output {
    match Native::detect() {
        Some(isa) => isa.enter(job),
        None => otherwise(job),
    }
}

/// Runs a job with the plain instruction set, whatever this processor has: for tests, which compare
/// all sets, and for comparing speeds.
#[inline]
pub fn dispatch_portable<J: Job>(job: J) -> J::Output {
    Portable::new().enter(job)
}

/// An instruction set as a value: for functions that are not generic over it, because their machine code is large and
/// one copy must be enough.
#[derive(Clone, Copy, Debug)]
pub struct Chosen(Set);

#[derive(Clone, Copy, Debug)]
enum Set {
    Portable(Portable),
    Native(Native),
}

impl Chosen {
    /// The best instruction set of this processor.
    #[inline]
    #[must_use]
    pub fn best() -> Self {
        Native::detect().map_or_else(Self::portable, Self::native)
    }

    /// The plain instruction set, which every processor has.
    #[inline]
    #[must_use]
    pub fn portable() -> Self {
        Chosen(Set::Portable(Portable::new()))
    }

    #[inline(always)]
    pub(crate) fn native(isa: Native) -> Self {
        Chosen(Set::Native(isa))
    }

    /// Does a job with this instruction set, out of line.
    #[inline]
    pub fn enter<J: Job>(self, job: J) -> J::Output {
        match self.0 {
            Set::Portable(isa) => isa.enter(job),
            Set::Native(isa) => isa.enter(job),
        }
    }
}
