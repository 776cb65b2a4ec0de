//! The kernels for processors with AVX2: 32 bytes at a time.
//!
//! The kernels reach bytes only through references to arrays of 32, which safe slicing makes, so no
//! load can leave its slice. `unsafe` here only means that the processor must know the
//! instructions, and the token [`Avx2`] proves that.

use std::arch::x86_64::{
    __m128i, __m256i, _mm_and_si128, _mm_blendv_epi8, _mm_clmulepi64_si128, _mm_cmpgt_epi8,
    _mm_cmpgt_epi16, _mm_cvtepu8_epi16, _mm_cvtsi128_si64, _mm_loadu_si128, _mm_movemask_epi8,
    _mm_or_si128, _mm_set_epi64x, _mm_set1_epi8, _mm_set1_epi16, _mm_shuffle_epi8, _mm_slli_epi16,
    _mm_srli_si128, _mm_storeu_si128, _mm256_and_si256, _mm256_broadcastsi128_si256,
    _mm256_cmpeq_epi8, _mm256_cmpgt_epi8, _mm256_extract_epi64, _mm256_loadu_si256,
    _mm256_min_epu8, _mm256_movemask_epi8, _mm256_or_si256, _mm256_sad_epu8, _mm256_set1_epi8,
    _mm256_setzero_si256, _mm256_shuffle_epi8, _mm256_slli_epi16, _mm256_srli_epi16,
    _mm256_sub_epi8,
};

use crate::isa::{Chosen, Isa, Job, Marks, Stops, StringEnd};
use crate::lanes::{lanes_at, last_lanes};
use crate::nibbles::{COMPACT, NAME_BYTES, Nibbles, SPACES, TEXT_STOPS};
use crate::{portable, short};

/// Bytes in one vector.
const LANES: usize = 32;

/// For each low nibble, the delimiter of an XML attribute's value with that nibble: see [`SPACES`].
const DELIMITERS: [u8; 16] = [0xFF, 0, b'"', 0, 0, 0, b'&', b'\'', 0, 0, 0, 0, b'<', 0, 0, 0];
/// Proof that the processor has AVX2 and the bit instructions that come with it.
///
/// Invariant: a value exists only if [`Avx2::detect`] found every feature that [`run_avx2`] names.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx2(());

/// The first byte of `$bytes` at or after `$from` that stops a run: the bits of `$stops` are the
/// stops among a vector of `$lanes`. If the slice is shorter than a vector, `$short` finds it.
///
/// It is a macro, and not a function that takes closures: a closure that is not inlined is compiled
/// without the instruction set, and each of its instructions becomes a call.
macro_rules! run {
    ($isa:ident, $bytes:ident, $from:ident, |$lanes:ident| $stops:expr, $short:path) => {{
        let mut at = $from;
        let mut above = 0;
        loop {
            let Some(lanes) = lanes_at($bytes, at) else { break };
            let $lanes = $isa.load(lanes);
            let (stops, high) = ($stops, $isa.bits($lanes));
            if stops != 0 {
                // All bits below the first stop.
                above |= high & (stops - 1) & !stops;
                let at = at + stops.trailing_zeros() as usize;
                return StringEnd { at, ascii: above == 0 };
            }
            above |= high;
            at += LANES;
        }
        if let Some((lanes, seen, left)) = last_lanes($bytes, at) {
            let $lanes = $isa.load(lanes);
            // The end of the bytes stops the run too.
            let stops = ($stops >> seen) | (1 << left);
            above |= ($isa.bits($lanes) >> seen) & (stops - 1) & !stops;
            return StringEnd { at: at + stops.trailing_zeros() as usize, ascii: above == 0 };
        }
        let end = $short($bytes, at);
        StringEnd { at: end.at, ascii: end.ascii && above == 0 }
    }};
}

impl Avx2 {
    #[inline(always)]
    fn load(self, lanes: &[u8; LANES]) -> __m256i {
        // SAFETY: the token proves AVX2; the reference is good for 32 bytes, and the load needs
        // no alignment.
        unsafe { _mm256_loadu_si256(lanes.as_ptr().cast()) }
    }

    #[inline(always)]
    fn splat(self, byte: u8) -> __m256i {
        // SAFETY: the token proves AVX2.
        unsafe { _mm256_set1_epi8(byte as i8) }
    }

    #[inline(always)]
    fn equal(self, a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: the token proves AVX2.
        unsafe { _mm256_cmpeq_epi8(a, b) }
    }

    #[inline(always)]
    fn or(self, a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: the token proves AVX2.
        unsafe { _mm256_or_si256(a, b) }
    }

    /// The top bit of every byte, the first byte's lowest.
    #[inline(always)]
    fn bits(self, vector: __m256i) -> u32 {
        // SAFETY: the token proves AVX2.
        unsafe { _mm256_movemask_epi8(vector) as u32 }
    }

    /// The bytes below 0x20.
    #[inline(always)]
    fn control(self, bytes: __m256i) -> __m256i {
        // SAFETY: the token proves AVX2.
        let least = unsafe { _mm256_min_epu8(bytes, self.splat(0x1F)) };
        self.equal(least, bytes)
    }

    /// For every byte, the entry of the table at its low nibble; 0 if it is above 0x7F.
    #[inline(always)]
    fn by_nibble(self, table: &[u8; 16], bytes: __m256i) -> __m256i {
        // SAFETY: the token proves AVX2.
        unsafe { _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(load16(table)), bytes) }
    }

    #[inline(always)]
    fn spaces(self, bytes: __m256i) -> __m256i {
        self.equal(self.by_nibble(&SPACES, bytes), bytes)
    }

    /// The bytes that are in a set. Those above 0x7F are checked only if `above` says so.
    #[inline(always)]
    fn among(self, set: &Nibbles, bytes: __m256i, above: bool) -> __m256i {
        let rows = self.rows(&set.low, &set.high, bytes, above);
        // SAFETY: the token proves AVX2.
        unsafe { _mm256_cmpgt_epi8(rows, _mm256_setzero_si256()) }
    }

    /// The rows of each byte, by the tables for its two halves.
    #[inline(always)]
    fn rows(self, low: &[u8; 16], high: &[u8; 16], bytes: __m256i, above: bool) -> __m256i {
        // SAFETY: the token proves AVX2.
        unsafe {
            let mask = self.splat(0x0F);
            let upper = _mm256_and_si256(_mm256_srli_epi16::<4>(bytes), mask);
            // For a byte above 0x7F, the look-up gives nothing.
            let lower = if above { _mm256_and_si256(bytes, mask) } else { bytes };
            _mm256_and_si256(self.by_nibble(low, lower), self.by_nibble(high, upper))
        }
    }

    /// The bytes that end a plain run of a JSON string.
    #[inline(always)]
    fn string_stops(self, bytes: __m256i) -> u32 {
        let quote = self.equal(bytes, self.splat(b'"'));
        let backslash = self.equal(bytes, self.splat(b'\\'));
        self.bits(self.or(self.or(quote, backslash), self.control(bytes)))
    }

    /// The bytes that end a plain run of an XML attribute's value.
    #[inline(always)]
    fn value_stops(self, bytes: __m256i) -> u32 {
        let delimiter = self.equal(self.by_nibble(&DELIMITERS, bytes), bytes);
        let noncharacter = self.equal(bytes, self.splat(0xEF));
        self.bits(self.or(self.or(delimiter, noncharacter), self.control(bytes)))
    }

    /// The end of the run of a name's bytes.
    #[inline(always)]
    fn name_end(self, bytes: &[u8], from: usize) -> StringEnd {
        run!(
            self,
            bytes,
            from,
            |lanes| !self.bits(self.among(&NAME_BYTES, lanes, false)),
            short::xml_name
        )
    }

    /// Adds 1 to every byte of `counts` where the byte of `lanes` begins a character.
    #[inline(always)]
    fn count_leads(self, counts: __m256i, lanes: &[u8; LANES]) -> __m256i {
        let bytes = self.load(lanes);
        // SAFETY: the token proves AVX2. (True is -1, hence the subtraction.)
        unsafe { _mm256_sub_epi8(counts, _mm256_cmpgt_epi8(bytes, self.splat(0xBF))) }
    }

    /// The sum of all 32 bytes.
    #[inline(always)]
    fn sum(self, counts: __m256i) -> usize {
        // SAFETY: the token proves AVX2.
        unsafe {
            let sums = _mm256_sad_epu8(counts, _mm256_setzero_si256());
            (_mm256_extract_epi64::<0>(sums)
                + _mm256_extract_epi64::<1>(sums)
                + _mm256_extract_epi64::<2>(sums)
                + _mm256_extract_epi64::<3>(sums)) as usize
        }
    }
}

impl Isa for Avx2 {
    const NAME: &'static str = "avx2";

    /// The features are looked up once per process.
    #[inline(always)]
    fn detect() -> Option<Self> {
        (is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt")
            && is_x86_feature_detected!("pclmulqdq"))
        .then_some(Avx2(()))
    }

    #[inline(always)]
    fn enter<J: Job>(self, job: J) -> J::Output {
        // SAFETY: the token proves that the processor has all features of `run_avx2`.
        unsafe { run_avx2(job, self) }
    }

    #[inline(always)]
    fn chosen(self) -> Chosen {
        Chosen::native(self)
    }

    #[inline(always)]
    fn json_string(self, bytes: &[u8], from: usize) -> StringEnd {
        run!(self, bytes, from, |lanes| self.string_stops(lanes), short::json_string)
    }

    #[inline(always)]
    fn space(self, bytes: &[u8], from: usize) -> usize {
        let mut at = from;
        // The two common cases, none and one, need only the bytes themselves.
        for _ in 0..2 {
            if !portable::is_space(bytes, at) {
                return at;
            }
            at += 1;
        }
        while let Some(lanes) = lanes_at(bytes, at) {
            let others = !self.bits(self.spaces(self.load(lanes)));
            if others != 0 {
                return at + others.trailing_zeros() as usize;
            }
            at += LANES;
        }
        if let Some((lanes, seen, left)) = last_lanes(bytes, at) {
            let others = (!self.bits(self.spaces(self.load(lanes))) >> seen) | (1 << left);
            return at + others.trailing_zeros() as usize;
        }
        short::space(bytes, at).at
    }

    #[inline(always)]
    fn xml_text(self, bytes: &[u8], from: usize) -> StringEnd {
        run!(
            self,
            bytes,
            from,
            |lanes| self.bits(self.among(&TEXT_STOPS, lanes, true)),
            short::xml_text
        )
    }

    #[inline(always)]
    fn xml_value(self, bytes: &[u8], from: usize) -> StringEnd {
        run!(self, bytes, from, |lanes| self.value_stops(lanes), short::xml_value)
    }

    #[inline(always)]
    fn xml_name(self, bytes: &[u8], from: usize) -> usize {
        self.name_end(bytes, from).at
    }

    #[inline(always)]
    fn stops(self, bytes: &[u8; 64], set: &Stops) -> (u64, u64) {
        let set = Nibbles { low: set.low, high: set.high };
        let (halves, _) = bytes.as_chunks::<LANES>();
        let (mut stops, mut above) = (0, 0);
        for (half, lanes) in halves.iter().enumerate() {
            let lanes = self.load(lanes);
            // The set is ASCII: the look-up gives nothing for a byte above it.
            stops |= u64::from(self.bits(self.among(&set, lanes, false))) << (half * LANES);
            above |= u64::from(self.bits(lanes)) << (half * LANES);
        }
        (stops, above)
    }

    #[inline(always)]
    fn marks(self, bytes: &[u8; 64], set: &Stops) -> Marks {
        let (halves, _) = bytes.as_chunks::<LANES>();
        let mut marks = Marks::default();
        for (half, lanes) in halves.iter().enumerate() {
            let lanes = self.load(lanes);
            // Each byte becomes its rows. Those above 0x7F have none.
            let rows = self.rows(&set.low, &set.high, lanes, false);
            let put = |to: &mut u64, bits: u32| *to |= u64::from(bits) << (half * LANES);
            let [one, two, three, four] = &mut marks.first;
            // SAFETY: the token proves AVX2. A shift moves the row's bit to the top of its byte.
            let (a, b, c, d) = unsafe {
                (
                    _mm256_slli_epi16::<7>(rows),
                    _mm256_slli_epi16::<6>(rows),
                    _mm256_slli_epi16::<5>(rows),
                    _mm256_slli_epi16::<4>(rows),
                )
            };
            put(one, self.bits(a));
            put(two, self.bits(b));
            put(three, self.bits(c));
            put(four, self.bits(d));
            // SAFETY: as above. Rows are below 0x80: more than 0x0F says that a further one is set.
            let others = unsafe { _mm256_cmpgt_epi8(rows, self.splat(0x0F)) };
            put(&mut marks.others, self.bits(others));
            put(&mut marks.above, self.bits(lanes));
        }
        marks
    }

    #[inline(always)]
    fn places<const N: usize>(self, bytes: &[u8; 64], pairs: &[(u8, u8); N]) -> [u64; N] {
        let (halves, _) = bytes.as_chunks::<LANES>();
        let (low, high) = (self.load(&halves[0]), self.load(&halves[1]));
        let mut places = [0; N];
        // A loop over numbers: calls of iterators are not always inlined here.
        let mut pair = 0;
        while pair < N {
            let (set, byte) = (self.splat(pairs[pair].0), self.splat(pairs[pair].1));
            // SAFETY: the token proves AVX2.
            let equal = |lanes| unsafe { _mm256_cmpeq_epi8(_mm256_or_si256(lanes, set), byte) };
            let (low, high) = (self.bits(equal(low)), self.bits(equal(high)));
            places[pair] = u64::from(high) << LANES | u64::from(low);
            pair += 1;
        }
        places
    }

    #[inline(always)]
    fn parity(self, bits: u64) -> u64 {
        // SAFETY: the token proves these instructions. A product without carries, by ones only, adds
        // all bits up to each place.
        unsafe {
            let bits = _mm_set_epi64x(0, bits.cast_signed());
            let product = _mm_clmulepi64_si128::<0>(bits, _mm_set1_epi8(-1));
            _mm_cvtsi128_si64(product).cast_unsigned()
        }
    }

    #[inline(always)]
    fn code_points(self, bytes: &[u8]) -> usize {
        let (lanes, rest) = bytes.as_chunks::<LANES>();
        let mut total = rest.iter().filter(|&&b| (b as i8) >= -0x40).count();
        // Each byte of a count is one column; it holds up to 255 rounds.
        for batch in lanes.chunks(2 * 255) {
            let mut counts = [self.splat(0); 2];
            let (pairs, odd) = batch.as_chunks::<2>();
            for [one, two] in pairs {
                counts = [self.count_leads(counts[0], one), self.count_leads(counts[1], two)];
            }
            total += self.sum(counts[0]) + self.sum(counts[1]);
            if let [one] = odd {
                total += self.sum(self.count_leads(self.splat(0), one));
            }
        }
        total
    }

    #[inline(always)]
    fn units(self, bytes: &[u8; 16]) -> ([u16; 8], usize) {
        // SAFETY: the token proves AVX2, and with it all of SSE.
        let (units, leads) = unsafe { units_and_leads(load16(bytes)) };
        let set = leads as u8;
        // SAFETY: as above.
        let units = unsafe { _mm_shuffle_epi8(units, load16(&COMPACT[usize::from(set)])) };
        let mut out = [0; 8];
        // SAFETY: as above; the array is 16 bytes long, and the store needs no alignment.
        unsafe { _mm_storeu_si128(out.as_mut_ptr().cast(), units) };
        (out, set.count_ones() as usize)
    }
}

/// # Safety
/// The processor must have SSE2.
#[inline(always)]
unsafe fn load16(bytes: &[u8; 16]) -> __m128i {
    // SAFETY: the reference is good for 16 bytes, and the load needs no alignment.
    unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) }
}

/// For each of the first eight bytes, the character of up to three bytes that begins there; and the
/// set of bytes among all sixteen at which one begins.
///
/// # Safety
/// The processor must have SSE4.1.
#[inline(always)]
unsafe fn units_and_leads(bytes: __m128i) -> (__m128i, i32) {
    // SAFETY: the caller vouches for the instructions, which only compute.
    unsafe {
        let a = _mm_cvtepu8_epi16(bytes);
        let low = _mm_and_si128(bytes, _mm_set1_epi8(0x3F));
        let b = _mm_cvtepu8_epi16(_mm_srli_si128::<1>(low));
        let c = _mm_cvtepu8_epi16(_mm_srli_si128::<2>(low));
        let two = _mm_slli_epi16::<6>(_mm_and_si128(a, _mm_set1_epi16(0x1F)));
        let two = _mm_or_si128(two, b);
        // The lead byte's own mark is shifted out at the top.
        let three = _mm_or_si128(_mm_slli_epi16::<12>(a), _mm_slli_epi16::<6>(b));
        let three = _mm_or_si128(three, c);
        let more = _mm_blendv_epi8(two, three, _mm_cmpgt_epi16(a, _mm_set1_epi16(0xDF)));
        let units = _mm_blendv_epi8(a, more, _mm_cmpgt_epi16(a, _mm_set1_epi16(0x7F)));
        (units, _mm_movemask_epi8(_mm_cmpgt_epi8(bytes, _mm_set1_epi8(0xBF_u8 as i8))))
    }
}

/// Runs a job in a function that is compiled with AVX2, and with it everything that inlines into
/// it.
///
/// # Safety
/// The processor must have the features. `isa` proves it; the function is unsafe because the
/// compiler cannot know.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,pclmulqdq")]
unsafe fn run_avx2<J: Job>(job: J, isa: Avx2) -> J::Output {
    job.run(isa)
}
