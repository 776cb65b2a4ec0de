//! The kernels for 64-bit ARM, with NEON: 16 bytes at a time, or 64 if the caller has as many.
//!
//! As in `avx2.rs`, the kernels reach bytes only through references to arrays, which safe slicing
//! makes, so no load can leave its slice. `unsafe` here only means that the processor must know the
//! instructions, and the token [`Neon`] proves that.
//!
//! NEON has no instruction that takes one bit of each byte. [`Neon::nibbles`] takes four of each in
//! one instruction, which is enough to find the first match. [`Neon::bits`] takes one of each of 64 bytes
//! in five.

use std::arch::aarch64::{
    uint8x16_t, uint8x16x4_t, uint16x8_t, vaddlvq_u8, vaddv_u8, vand_u8, vandq_u8, vandq_u16,
    vbslq_u16, vceqq_u8, vcgt_s8, vcgtq_s8, vcgtq_u8, vcgtq_u16, vcltq_u8, vcltzq_s8, vcreate_u8,
    vdup_n_s8, vdupq_n_s8, vdupq_n_u8, vdupq_n_u16, veorq_u8, vextq_u8, vget_lane_u64, vget_low_s8,
    vget_low_u8, vld1q_u8, vld4q_u8, vmovl_u8, vmvnq_u8, vorrq_u8, vqtbl1q_u8, vreinterpret_u64_u8,
    vreinterpretq_s8_u8, vreinterpretq_u8_u16, vreinterpretq_u16_u8, vshlq_n_u8, vshrn_n_u16,
    vshrq_n_u8, vsliq_n_u16, vsriq_n_u8, vst1q_u16, vsubq_u8, vtstq_u8,
};

use crate::isa::{Chosen, Isa, Job, Marks, Stops, StringEnd};
use crate::lanes::{lanes_at, last_lanes};
use crate::nibbles::{COMPACT, NAME_BYTES, Nibbles, SPACES, TEXT_STOPS};
use crate::{portable, short, swar};

/// Bytes in one vector.
const LANES: usize = 16;

/// After so many bytes a run is long, and one test for two vectors pays.
const LONG: usize = 2 * LANES;

/// The bytes that end a plain run of an XML attribute's value, as [`TEXT_STOPS`].
const VALUE_STOPS: Nibbles = Nibbles::of(&[
    (0x0, 0xFFFF),
    (0x1, 0xFFFF),
    (0x2, 1 << 0x2 | 1 << 0x6 | 1 << 0x7),
    (0x3, 1 << 0xC),
    (0xE, 1 << 0xF),
]);

/// Proof that the processor has NEON.
///
/// Invariant: NEON is part of every processor that this module is compiled for, so any value will do.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Neon(());

impl Neon {
    #[inline(always)]
    fn load(self, lanes: &[u8; LANES]) -> uint8x16_t {
        // SAFETY: the token proves NEON; the reference is good for 16 bytes, and the load needs no
        // alignment.
        unsafe { vld1q_u8(lanes.as_ptr()) }
    }

    /// The 64 bytes as four vectors: byte `4 * n + k` is in lane `n` of vector `k`.
    #[inline(always)]
    fn load_block(self, bytes: &[u8; 64]) -> [uint8x16_t; 4] {
        // SAFETY: the token proves NEON; the reference is good for 64 bytes, and the load needs no
        // alignment.
        let uint8x16x4_t(a, b, c, d) = unsafe { vld4q_u8(bytes.as_ptr()) };
        [a, b, c, d]
    }

    #[inline(always)]
    fn splat(self, byte: u8) -> uint8x16_t {
        // SAFETY: the token proves NEON.
        unsafe { vdupq_n_u8(byte) }
    }

    #[inline(always)]
    fn equal(self, a: uint8x16_t, b: uint8x16_t) -> uint8x16_t {
        // SAFETY: the token proves NEON.
        unsafe { vceqq_u8(a, b) }
    }

    #[inline(always)]
    fn or(self, a: uint8x16_t, b: uint8x16_t) -> uint8x16_t {
        // SAFETY: the token proves NEON.
        unsafe { vorrq_u8(a, b) }
    }

    #[inline(always)]
    fn not(self, a: uint8x16_t) -> uint8x16_t {
        // SAFETY: the token proves NEON.
        unsafe { vmvnq_u8(a) }
    }

    /// The bytes above 0x7F.
    #[inline(always)]
    fn above(self, bytes: uint8x16_t) -> uint8x16_t {
        // SAFETY: the token proves NEON.
        unsafe { vcltzq_s8(vreinterpretq_s8_u8(bytes)) }
    }

    /// Of each two bytes the upper half of the first one and the lower half of the second one: four
    /// bits of each byte, if all bits of a byte are equal. The first byte's are lowest.
    #[inline(always)]
    fn nibbles(self, vector: uint8x16_t) -> u64 {
        // SAFETY: the token proves NEON.
        unsafe {
            let nibbles = vshrn_n_u16::<4>(vreinterpretq_u16_u8(vector));
            vget_lane_u64::<0>(vreinterpret_u64_u8(nibbles))
        }
    }

    /// The top bit of every byte of a block, the first byte's lowest.
    #[inline(always)]
    fn bits(self, [a, b, c, d]: [uint8x16_t; 4]) -> u64 {
        // SAFETY: the token proves NEON. Four neighbours of the block are in one lane of the four
        // vectors. Their top bits are moved into the upper half of the lane, the last one's highest.
        let four = unsafe {
            let low = vsriq_n_u8::<1>(b, a);
            let high = vsriq_n_u8::<1>(d, c);
            let four = vsriq_n_u8::<2>(high, low);
            vsriq_n_u8::<4>(four, four)
        };
        self.nibbles(four)
    }

    /// For both nibbles of every byte, the entries of the tables.
    #[inline(always)]
    fn by_nibbles(self, set: &Nibbles, bytes: uint8x16_t) -> (uint8x16_t, uint8x16_t) {
        // SAFETY: the token proves NEON.
        let upper = unsafe { vqtbl1q_u8(self.load(&set.high), vshrq_n_u8::<4>(bytes)) };
        (self.by_low_nibble(&set.low, bytes), upper)
    }

    /// For every byte, the entry of the table at its low nibble.
    #[inline(always)]
    fn by_low_nibble(self, table: &[u8; 16], bytes: uint8x16_t) -> uint8x16_t {
        // SAFETY: the token proves NEON.
        unsafe { vqtbl1q_u8(self.load(table), vandq_u8(bytes, self.splat(0x0F))) }
    }

    #[inline(always)]
    fn spaces(self, bytes: uint8x16_t) -> uint8x16_t {
        self.equal(self.by_low_nibble(&SPACES, bytes), bytes)
    }

    /// The bytes that are in a set.
    #[inline(always)]
    fn among(self, set: &Nibbles, bytes: uint8x16_t) -> uint8x16_t {
        let (lower, upper) = self.by_nibbles(set, bytes);
        // SAFETY: the token proves NEON.
        unsafe { vtstq_u8(lower, upper) }
    }

    /// The rows of each byte, by the tables for its two halves.
    #[inline(always)]
    fn rows(self, set: &Nibbles, bytes: uint8x16_t) -> uint8x16_t {
        let (lower, upper) = self.by_nibbles(set, bytes);
        // SAFETY: the token proves NEON.
        unsafe { vandq_u8(lower, upper) }
    }

    /// The bytes with this row, which `UP` shifts to the top.
    #[inline(always)]
    fn row<const UP: i32>(self, rows: [uint8x16_t; 4]) -> u64 {
        // SAFETY: the token proves NEON.
        self.bits(rows.map(|rows| unsafe { vshlq_n_u8::<UP>(rows) }))
    }

    /// The bytes that end a plain run of a JSON string.
    #[inline(always)]
    fn string_stops(self, bytes: uint8x16_t) -> uint8x16_t {
        // SAFETY: the token proves NEON. Inverting this bit moves the quote from 0x22 to 0x20, behind
        // the control characters, which stay among themselves.
        let early = unsafe { vcltq_u8(veorq_u8(bytes, self.splat(0x02)), self.splat(0x21)) };
        self.or(early, self.equal(bytes, self.splat(b'\\')))
    }

    /// The first byte at or after `from` that stops a run: `stops` sets all bits of the bytes that
    /// do. If the slice is shorter than a vector, `short` finds it.
    #[inline(always)]
    fn run(
        self,
        bytes: &[u8],
        from: usize,
        stops: impl Fn(uint8x16_t) -> uint8x16_t,
        short: fn(&[u8], usize) -> StringEnd,
    ) -> StringEnd {
        let mut at = from;
        // The bits of all bytes passed.
        let mut passed = self.splat(0);
        while let Some(lanes) = lanes_at(bytes, at) {
            let lanes = self.load(lanes);
            let found = self.nibbles(stops(lanes));
            if found != 0 {
                return self.end(at, found, self.nibbles(self.above(lanes)), passed);
            }
            passed = self.or(passed, lanes);
            at += LANES;
            if at - from < LONG {
                continue;
            }
            while let Some(pair) = lanes_at::<{ 2 * LANES }>(bytes, at) {
                let (pair, _) = pair.as_chunks::<LANES>();
                let (one, two) = (self.load(&pair[0]), self.load(&pair[1]));
                if self.nibbles(self.or(stops(one), stops(two))) != 0 {
                    break;
                }
                passed = self.or(passed, self.or(one, two));
                at += 2 * LANES;
            }
        }
        if let Some((lanes, seen, left)) = last_lanes(bytes, at) {
            let lanes = self.load(lanes);
            // The end of the bytes stops the run too.
            let found = (self.nibbles(stops(lanes)) >> (4 * seen)) | (1 << (4 * left));
            return self.end(at, found, self.nibbles(self.above(lanes)) >> (4 * seen), passed);
        }
        let end = short(bytes, at);
        StringEnd { at: end.at, ascii: end.ascii && self.nibbles(self.above(passed)) == 0 }
    }

    /// The end of a run at the first of `stops`, in a vector at `at`, whose bytes above 0x7F are
    /// `high`. Both have a nibble for each byte. `passed` has the bits of all bytes before.
    #[inline(always)]
    fn end(self, at: usize, stops: u64, high: u64, passed: uint8x16_t) -> StringEnd {
        // All nibbles below the first stop.
        let high = high & (stops - 1) & !stops;
        let ascii = high | self.nibbles(self.above(passed)) == 0;
        StringEnd { at: at + (stops.trailing_zeros() / 4) as usize, ascii }
    }

    /// Adds 1 to every byte of `counts` where the byte of `lanes` begins a character.
    #[inline(always)]
    fn count_leads(self, counts: uint8x16_t, lanes: &[u8; LANES]) -> uint8x16_t {
        let bytes = self.load(lanes);
        // SAFETY: the token proves NEON. (True is -1, hence the subtraction.)
        unsafe { vsubq_u8(counts, vcgtq_s8(vreinterpretq_s8_u8(bytes), vdupq_n_s8(0xBF_u8 as i8))) }
    }

    /// The sum of all 16 bytes.
    #[inline(always)]
    fn sum(self, counts: uint8x16_t) -> usize {
        // SAFETY: the token proves NEON.
        usize::from(unsafe { vaddlvq_u8(counts) })
    }

    /// For each of the first eight bytes, the character of up to three bytes that begins there; and
    /// the set of those at which one begins.
    #[inline(always)]
    fn units_and_leads(self, bytes: uint8x16_t) -> (uint16x8_t, u8) {
        // SAFETY: the token proves NEON.
        unsafe {
            let a = vmovl_u8(vget_low_u8(bytes));
            let low = vandq_u8(bytes, self.splat(0x3F));
            let b = vmovl_u8(vget_low_u8(vextq_u8::<1>(low, low)));
            let c = vmovl_u8(vget_low_u8(vextq_u8::<2>(low, low)));
            let two = vsliq_n_u16::<6>(b, vandq_u16(a, vdupq_n_u16(0x1F)));
            // The lead byte's own mark is shifted out at the top.
            let three = vsliq_n_u16::<12>(vsliq_n_u16::<6>(c, b), a);
            let more = vbslq_u16(vcgtq_u16(a, vdupq_n_u16(0xDF)), three, two);
            let units = vbslq_u16(vcgtq_u16(a, vdupq_n_u16(0x7F)), more, a);
            let leads = vcgt_s8(vget_low_s8(vreinterpretq_s8_u8(bytes)), vdup_n_s8(0xBF_u8 as i8));
            // One bit of each byte, added up.
            (units, vaddv_u8(vand_u8(leads, vcreate_u8(0x8040_2010_0804_0201))))
        }
    }
}

impl Isa for Neon {
    const NAME: &'static str = "neon";

    #[inline(always)]
    fn detect() -> Option<Self> {
        Some(Neon(()))
    }

    #[inline(never)]
    fn enter<J: Job>(self, job: J) -> J::Output {
        job.run(self)
    }

    #[inline(always)]
    fn chosen(self) -> Chosen {
        Chosen::native(self)
    }

    #[inline(always)]
    fn json_string(self, bytes: &[u8], from: usize) -> StringEnd {
        self.run(bytes, from, |lanes| self.string_stops(lanes), short::json_string)
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
        self.run(bytes, at, |lanes| self.not(self.spaces(lanes)), short::space).at
    }

    #[inline(always)]
    fn xml_text(self, bytes: &[u8], from: usize) -> StringEnd {
        self.run(bytes, from, |lanes| self.among(&TEXT_STOPS, lanes), short::xml_text)
    }

    #[inline(always)]
    fn xml_value(self, bytes: &[u8], from: usize) -> StringEnd {
        self.run(bytes, from, |lanes| self.among(&VALUE_STOPS, lanes), short::xml_value)
    }

    #[inline(always)]
    fn xml_name(self, bytes: &[u8], from: usize) -> usize {
        let stops = |lanes| self.not(self.among(&NAME_BYTES, lanes));
        self.run(bytes, from, stops, short::xml_name).at
    }

    #[inline(always)]
    fn stops(self, bytes: &[u8; 64], set: &Stops) -> (u64, u64) {
        let set = Nibbles { low: set.low, high: set.high };
        let block = self.load_block(bytes);
        (self.bits(block.map(|lanes| self.among(&set, lanes))), self.bits(block))
    }

    #[inline(always)]
    fn marks(self, bytes: &[u8; 64], set: &Stops) -> Marks {
        let set = Nibbles { low: set.low, high: set.high };
        let block = self.load_block(bytes);
        // Each byte becomes its rows. Those above 0x7F have none.
        let rows = block.map(|lanes| self.rows(&set, lanes));
        // SAFETY: the token proves NEON. More than 0x0F says that a further row is set.
        let others = rows.map(|rows| unsafe { vcgtq_u8(rows, self.splat(0x0F)) });
        Marks {
            first: [
                self.row::<7>(rows),
                self.row::<6>(rows),
                self.row::<5>(rows),
                self.row::<4>(rows),
            ],
            others: self.bits(others),
            above: self.bits(block),
        }
    }

    #[inline(always)]
    fn places<const N: usize>(self, bytes: &[u8; 64], pairs: &[(u8, u8); N]) -> [u64; N] {
        let block = self.load_block(bytes);
        pairs.map(|(set, byte)| {
            let (set, byte) = (self.splat(set), self.splat(byte));
            self.bits(block.map(|lanes| self.equal(self.or(lanes, set), byte)))
        })
    }

    /// Not every processor has the product without carries, and it would save nothing: an addition
    /// of bits shifts one of them in the same instruction.
    #[inline(always)]
    fn parity(self, bits: u64) -> u64 {
        swar::parity(bits)
    }

    #[inline(always)]
    fn code_points(self, bytes: &[u8]) -> usize {
        let (lanes, rest) = bytes.as_chunks::<LANES>();
        let mut total = rest.iter().filter(|&&b| (b as i8) >= -0x40).count();
        // Each byte of a count is one column; it holds up to 255 rounds.
        for batch in lanes.chunks(4 * 255) {
            let mut counts = [self.splat(0); 4];
            let (fours, odd) = batch.as_chunks::<4>();
            for four in fours {
                for (counts, lanes) in counts.iter_mut().zip(four) {
                    *counts = self.count_leads(*counts, lanes);
                }
            }
            total += counts.into_iter().map(|counts| self.sum(counts)).sum::<usize>();
            for lanes in odd {
                total += self.sum(self.count_leads(self.splat(0), lanes));
            }
        }
        total
    }

    #[inline(always)]
    fn units(self, bytes: &[u8; 16]) -> ([u16; 8], usize) {
        let (units, leads) = self.units_and_leads(self.load(bytes));
        let shuffle = self.load(&COMPACT[usize::from(leads)]);
        let mut out = [0; 8];
        // SAFETY: the token proves NEON; the array has the eight units that are stored.
        unsafe {
            let units = vqtbl1q_u8(vreinterpretq_u8_u16(units), shuffle);
            vst1q_u16(out.as_mut_ptr(), vreinterpretq_u16_u8(units));
        }
        (out, leads.count_ones() as usize)
    }
}
