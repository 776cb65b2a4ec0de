//! The properties.
//!
//! The random inputs are the same in every run: the seed is fixed and no file of failures is kept,
//! so a failure repeats on every machine. To test more cases, change `SEED` or raise `CASES` by
//! hand.

use std::fmt::Debug;
use std::mem::MaybeUninit;

use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::{naive, shapes};
use crate::unicode::{Unit, Widen};
use crate::{
    EscapeCheck, Isa, Job, Marks, Rest, Stops, StringEnd, TextBuf, TextWindow, ValidText,
    check_json_escape, count_code_points, count_newlines, dispatch, dispatch_portable, shape,
    unescape_json, widen_latin1, widen_ucs2, widen_ucs4,
};

const SEED: u64 = 0x7065_6e73;
const CASES: u32 = 300;

fn config() -> ProptestConfig {
    ProptestConfig {
        cases: CASES,
        rng_seed: RngSeed::Fixed(SEED),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// Declares a job for one method of [`Isa`].
macro_rules! job {
    ($name:ident($($field:ty),*) -> $output:ty, |$isa:ident, $job:ident| $body:expr) => {
        #[derive(Clone, Copy)]
        struct $name<'a>($($field),*);

        impl Job for $name<'_> {
            type Output = $output;
            #[inline(always)]
            fn run<I: Isa>(self, $isa: I) -> $output {
                let $job = self;
                $body
            }
        }
    };
}

job!(JsonString(&'a [u8], usize) -> StringEnd, |isa, job| isa.json_string(job.0, job.1));
job!(JsonSpace(&'a [u8], usize) -> usize, |isa, job| isa.space(job.0, job.1));
job!(XmlText(&'a [u8], usize) -> StringEnd, |isa, job| isa.xml_text(job.0, job.1));
job!(XmlValue(&'a [u8], usize) -> StringEnd, |isa, job| isa.xml_value(job.0, job.1));
job!(XmlName(&'a [u8], usize) -> usize, |isa, job| isa.xml_name(job.0, job.1));
job!(CodePoints(&'a [u8]) -> usize, |isa, job| isa.code_points(job.0));
job!(AllStops(&'a [u8; 64], &'a Stops) -> (u64, u64), |isa, job| isa.stops(job.0, job.1));
job!(AllMarks(&'a [u8; 64], &'a Stops) -> Marks, |isa, job| isa.marks(job.0, job.1));
job!(Places(&'a [u8; 64], &'a [(u8, u8); 3]) -> [u64; 3], |isa, job| isa.places(job.0, job.1));
job!(Units(&'a [u8; 16]) -> ([u16; 8], usize), |isa, job| isa.units(job.0));

#[derive(Clone, Copy)]
struct Parity(u64);

impl Job for Parity {
    type Output = u64;
    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> u64 {
        isa.parity(self.0)
    }
}

/// Runs a job on the best instruction set and on the portable one, which must agree.
fn on_both<J: Job<Output: Debug + PartialEq> + Copy>(job: J) -> J::Output {
    let best = dispatch(job);
    assert_eq!(best, dispatch_portable(job));
    best
}

/// Calls `test` with the bytes at a few alignments, between bytes that a kernel would take for
/// matches if it read outside its slice.
fn at_alignments(bytes: &[u8], around: u8, mut test: impl FnMut(&[u8])) {
    let mut room = vec![around; bytes.len() + 96];
    let base = room.as_ptr().align_offset(32);
    for offset in [0, 1, 5, 8, 15, 16, 24, 31] {
        let start = base + offset;
        room.fill(around);
        room[start..start + bytes.len()].copy_from_slice(bytes);
        test(&room[start..start + bytes.len()]);
    }
}

#[test]
fn dispatch_takes_the_best() {
    struct Name;

    impl Job for Name {
        type Output = &'static str;
        fn run<I: Isa>(self, _: I) -> &'static str {
            I::NAME
        }
    }

    assert_eq!(dispatch_portable(Name), "portable");
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("bmi2") {
        assert_eq!(dispatch(Name), "avx2");
    }
    #[cfg(target_arch = "aarch64")]
    assert_eq!(dispatch(Name), "neon");
}

/// Every length and every position of the stop, from every start near the positions where loops
/// change.
#[test]
fn json_string_at_every_place() {
    for length in 0..=100 {
        let mut bytes = vec![b'a'; length];
        for place in 0..length {
            for byte in [b'"', 0x1F, 0xC3] {
                bytes[place] = byte;
                for from in [0, 1, place / 2, place.saturating_sub(1), place, length, length + 1] {
                    let found = on_both(JsonString(&bytes, from));
                    assert_eq!(found, naive::json_string(&bytes, from));
                }
            }
            bytes[place] = b'a';
        }
    }
}

#[test]
fn json_space_at_every_place() {
    for length in 0..=100 {
        let mut bytes = vec![b' '; length];
        for place in 0..length {
            for byte in [b'x', 0, 0x0B, 0xA0] {
                bytes[place] = byte;
                for from in [0, 1, place / 2, place, length, length + 1] {
                    let found = on_both(JsonSpace(&bytes, from));
                    assert_eq!(found, naive::space(&bytes, from));
                }
            }
            bytes[place] = b' ';
        }
    }
}

/// The two kernels of JSON, against their twins.
fn assert_json(bytes: &[u8], from: usize) {
    assert_eq!(on_both(JsonString(bytes, from)), naive::json_string(bytes, from));
    assert_eq!(on_both(JsonSpace(bytes, from)), naive::space(bytes, from));
}

/// The three kernels of XML, against their twins.
fn assert_xml(bytes: &[u8], from: usize) {
    assert_eq!(on_both(XmlText(bytes, from)), naive::xml_text(bytes, from));
    assert_eq!(on_both(XmlValue(bytes, from)), naive::xml_value(bytes, from));
    assert_eq!(on_both(XmlName(bytes, from)), naive::xml_name(bytes, from));
}

#[test]
fn xml_at_every_place() {
    for length in 0..=100 {
        let mut bytes = vec![b'a'; length];
        for place in 0..length {
            for byte in [b'<', b'&', b'"', b' ', 0x1F, 0xC3, 0xEF] {
                bytes[place] = byte;
                for from in [0, 1, place / 2, place.saturating_sub(1), place, length, length + 1] {
                    assert_xml(&bytes, from);
                }
            }
            bytes[place] = b'a';
        }
    }
}

/// Every byte in every lane, of a vector, of two, of the last one and of the short end.
#[test]
fn every_byte_in_every_lane() {
    for length in [7, 19, 32, 45, 64] {
        for around in [b'a', b' ', 0xC3] {
            let mut bytes = vec![around; length];
            for lane in 0..length {
                for byte in 0..=255 {
                    bytes[lane] = byte;
                    assert_json(&bytes, 0);
                    assert_xml(&bytes, 0);
                }
                bytes[lane] = around;
            }
        }
    }
}

/// Every byte in every place of 64, alone among others.
#[test]
fn every_byte_in_every_place() {
    let set = b",\"\r\n<&]";
    let stops = Stops::of(set).unwrap();
    let pairs = [(0, b'"'), (0x20, b'{'), (0x04, 0xC7)];
    for place in 0..64 {
        for around in [b'a', 0xFF] {
            let mut bytes = [around; 64];
            for byte in 0..=255 {
                bytes[place] = byte;
                assert_eq!(on_both(AllStops(&bytes, &stops)), naive::stops(&bytes, set));
                assert_eq!(on_both(AllMarks(&bytes, &stops)), naive::marks(&bytes, set));
                assert_eq!(on_both(Places(&bytes, &pairs)), naive::places(&bytes, &pairs));
            }
        }
    }
}

/// A `from` far outside the slice is returned unchanged, and nothing overflows.
#[test]
fn from_past_the_end() {
    for bytes in [&b""[..], b" ", &[b' '; 40]] {
        for from in [bytes.len() + 1, usize::MAX - 1, usize::MAX] {
            assert_eq!(on_both(JsonString(bytes, from)), StringEnd { at: from, ascii: true });
            assert_eq!(on_both(JsonSpace(bytes, from)), from);
            assert_eq!(on_both(XmlText(bytes, from)), StringEnd { at: from, ascii: true });
            assert_eq!(on_both(XmlValue(bytes, from)), StringEnd { at: from, ascii: true });
            assert_eq!(on_both(XmlName(bytes, from)), from);
        }
    }
}

/// Long enough that the one-byte counters must be emptied in time.
#[test]
fn counts_of_long_input() {
    for byte in [b'\n', b'a', 0x80, 0xC3] {
        for length in [32 * 2 * 255 - 1, 32 * 2 * 255, 32 * 2 * 255 + 33, 100_003] {
            let bytes = vec![byte; length];
            assert_eq!(on_both(CodePoints(&bytes)), naive::count_code_points(&bytes));
            assert_eq!(count_newlines(&bytes), naive::count_newlines(&bytes));
        }
    }
    let text = "aé水".repeat(4000);
    assert_eq!(shape(ValidText::from(&*text)), naive::shape(&text));
}

/// Every string of three bytes out of those where UTF-8's rules change.
#[test]
fn check_at_every_edge() {
    let edges = b"a\x80\x8f\x90\x9f\xa0\xbf\xc1\xc2\xdf\xe0\xe1\xed\xee\xf0\xf1\xf4\xf5\xff";
    for &a in edges {
        for &b in edges {
            for &c in edges {
                for bytes in [&[a, b, c][..], &[a, b, c, 0x80], &[a, b], &[a]] {
                    assert_check(bytes);
                }
            }
        }
    }
}

fn assert_check(bytes: &[u8]) {
    let checked = ValidText::check(bytes);
    assert_eq!((checked.text.as_str(), checked.rest), naive::check(bytes));
}

/// Every order of lengths among the first eight bytes, also from the middle of a character.
#[test]
fn units_of_every_order_of_lengths() {
    let alphabet = ["a", "\u{7f}", "\u{80}", "я", "\u{7ff}", "\u{800}", "水", "\u{ffff}"];
    for pick in 0..8_usize.pow(5) {
        let mut text: String = (0..5).map(|n| alphabet[pick >> (3 * n) & 7]).collect();
        text.push_str("bcdefghijklmnop");
        for skip in 0..text.chars().next().unwrap().len_utf8() {
            let bytes: &[u8; 16] = text.as_bytes()[skip..].first_chunk().unwrap();
            let naive = naive::units(&text, skip);
            for (units, count) in [dispatch(Units(bytes)), dispatch_portable(Units(bytes))] {
                assert_eq!(units[..count], naive);
            }
        }
    }
}

/// The output of [`widen_latin1`] and its siblings, with sentinels after `out` to verify that they
/// stay.
fn widened<T: Copy + Into<u32>>(
    text: &str,
    room: usize,
    widen: impl Fn(ValidText<'_>, &mut [MaybeUninit<T>]) -> usize,
    sentinel: T,
) -> Vec<u32> {
    let mut out = vec![MaybeUninit::new(sentinel); room + 16];
    let made = widen(ValidText::from(text), &mut out[..room]);
    // SAFETY: every element was initialised with the sentinel.
    let units: Vec<u32> = out.iter().map(|unit| unsafe { unit.assume_init() }.into()).collect();
    assert!(units[room..].iter().all(|&unit| unit == sentinel.into()));
    units[..made].to_vec()
}

fn widen_portable<T: Unit>(text: ValidText<'_>, out: &mut [MaybeUninit<T>]) -> usize {
    dispatch_portable(Widen { text, out })
}

fn assert_widened(text: &str, room: usize) {
    let latin1 = widened(text, room, widen_latin1, 0xAA_u8);
    assert_eq!(latin1, naive::widen(text, 0xFF, room));
    let ucs2 = widened(text, room, widen_ucs2, 0xAAAA_u16);
    assert_eq!(ucs2, naive::widen(text, 0xFFFF, room));
    let ucs4 = widened(text, room, widen_ucs4, 0xAAAA_AAAA_u32);
    assert_eq!(ucs4, naive::widen(text, 0x10_FFFF, room));
    assert_eq!(widened(text, room, widen_portable, 0xAA_u8), latin1);
    assert_eq!(widened(text, room, widen_portable, 0xAAAA_u16), ucs2);
    assert_eq!(widened(text, room, widen_portable, 0xAAAA_AAAA_u32), ucs4);
}

/// Resolving and checking, against the twin and against each other.
fn assert_escapes(raw: &str) {
    let mut out = TextBuf::new();
    out.push_char('é');
    let resolved = unescape_json(ValidText::from(raw), &mut out);
    let text = out.text().as_str().strip_prefix('é').unwrap();
    match naive::unescape(raw) {
        Ok(expected) => {
            assert_eq!(text, expected);
            assert_eq!(resolved, Ok(expected.is_ascii()));
        }
        Err(bad) => {
            assert_eq!(text, "");
            assert_eq!(resolved, Err(bad));
        }
    }

    // With its closing quote the string is complete. A lone backslash at the end would escape it.
    if raw.bytes().rev().take_while(|&b| b == b'\\').count() % 2 == 1 {
        return;
    }
    let bytes = format!("{raw}\"").into_bytes();
    let mut at = 0;
    let walked = loop {
        let Some(more) = bytes[at..].iter().position(|&b| b == b'\\') else { break Ok(()) };
        at += more;
        let whole = check_json_escape(&bytes, at);
        for end in at + 1..=bytes.len().min(at + 13) {
            let piece = check_json_escape(&bytes[..end], at);
            assert!(piece == whole || piece == EscapeCheck::Incomplete);
            // An escape is complete from its last byte on, and not before.
            if let EscapeCheck::Complete(length) = whole {
                assert_eq!(piece == whole, end >= at + length);
            }
        }
        match whole {
            EscapeCheck::Complete(length) => at += length,
            EscapeCheck::Bad(bad) => break Err(bad),
            EscapeCheck::Incomplete => panic!("incomplete with the closing quote there"),
        }
    };
    assert_eq!(walked, resolved.map(|_| ()));
}

#[test]
fn every_unit() {
    for unit in 0..=0xFFFF {
        assert_escapes(&format!("\\u{unit:04x}"));
    }
}

#[test]
fn every_escaped_byte() {
    for byte in '\0'..='\u{ff}' {
        assert_escapes(&format!("\\{byte}"));
        assert_escapes(&format!("\\u00{byte}0"));
        assert_escapes(&format!("\\ud83d{byte}"));
        assert_escapes(&format!("\\ud83d\\{byte}"));
        assert_escapes(&format!("\\ud83d\\ude0{byte}"));
    }
}

#[test]
fn reasons() {
    let reason = |raw: &str| {
        let bad = unescape_json(ValidText::from(raw), &mut TextBuf::new()).unwrap_err();
        format!("{} at {}", bad.reason(), bad.at)
    };
    assert_eq!(reason(r"ab\x"), r"invalid escape '\x' at 2");
    assert_eq!(reason("\\é"), "invalid escape: a backslash followed by byte 0xc3 at 0");
    assert_eq!(reason(r"\u12"), r"\u must be followed by four hexadecimal digits at 0");
    assert_eq!(reason(r"\ud83d\u12"), r"\u must be followed by four hexadecimal digits at 6");
    assert_eq!(reason(r"é\ud800\n"), r"unpaired surrogate \ud800 at 2");
    assert_eq!(reason("\\"), "a backslash at the end of the string at 0");
}

/// A window stays small even if much text passes through it, a little at a time.
#[test]
fn window_memory_is_bounded() {
    let line = "données 水\n".as_bytes();
    let mut window = TextWindow::new();
    for round in 0..20_000 {
        window.extend_from_slice(line).unwrap();
        assert_eq!(window.advance_check(), Rest::Nothing);
        // Between two and five lines stay.
        if round % 4 == 3 {
            window.drop_front(window.text().as_bytes().len() - 2 * line.len());
        }
    }
    assert!(window.memory() <= 4 * 6 * line.len());
}

/// The operations on a window.
#[derive(Clone, Debug)]
enum Act {
    Extend(Vec<u8>),
    Write { lent: usize, bytes: Vec<u8> },
    Check,
    Drop(prop::sample::Index),
    Clear,
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let act = prop_oneof![
        3 => shapes::almost_text().prop_map(Act::Extend),
        3 => shapes::text().prop_map(|text| Act::Extend(text.into_bytes())),
        2 => prop::collection::vec(any::<u8>(), 0..3).prop_map(Act::Extend),
        2 => (0..40_usize, shapes::text()).prop_map(|(more, text)| {
            Act::Write { lent: text.len() + more, bytes: text.into_bytes() }
        }),
        6 => Just(Act::Check),
        6 => any::<prop::sample::Index>().prop_map(Act::Drop),
        1 => Just(Act::Clear),
    ];
    prop::collection::vec(act, 0..40)
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn json_kernels(
        bytes in prop_oneof![
            shapes::json_bytes(200),
            shapes::spaces(200),
            shapes::long_runs(300),
        ],
        from in any::<prop::sample::Index>(),
    ) {
        let from = from.index(bytes.len() + 1);
        at_alignments(&bytes, b'"', |bytes| {
            assert_eq!(on_both(JsonString(bytes, from)), naive::json_string(bytes, from));
        });
        at_alignments(&bytes, b' ', |bytes| {
            assert_eq!(on_both(JsonSpace(bytes, from)), naive::space(bytes, from));
        });
    }

    #[test]
    fn stops(
        bytes in prop::collection::vec(any::<u8>(), 64),
        set in prop::collection::vec(0..0x80_u8, 0..=7),
        planted in prop::collection::vec((0..64_usize, any::<prop::sample::Index>()), 0..20),
    ) {
        let mut bytes: [u8; 64] = bytes.try_into().unwrap();
        for (place, which) in planted {
            if !set.is_empty() {
                bytes[place] = set[which.index(set.len())];
            }
        }
        let stops = Stops::of(&set).unwrap();
        prop_assert_eq!(on_both(AllStops(&bytes, &stops)), naive::stops(&bytes, &set));
        prop_assert_eq!(on_both(AllMarks(&bytes, &stops)), naive::marks(&bytes, &set));
    }

    #[test]
    fn places(
        bytes in prop_oneof![shapes::json_bytes(64), shapes::xml_bytes(64), prop::collection::vec(any::<u8>(), 0..64)],
        pairs in any::<[(u8, u8); 3]>(),
        at in any::<[prop::sample::Index; 3]>(),
    ) {
        let mut all = [0; 64];
        all[..bytes.len().min(64)].copy_from_slice(&bytes[..bytes.len().min(64)]);
        // Half of the pairs are of a byte that is there.
        let mut pairs = pairs;
        for (pair, at) in pairs.iter_mut().zip(at) {
            if pair.1 & 1 == 0 {
                *pair = (pair.0 & 0x24, all[at.index(64)] | pair.0 & 0x24);
            }
        }
        prop_assert_eq!(on_both(Places(&all, &pairs)), naive::places(&all, &pairs));
    }

    #[test]
    fn parities(bits in prop_oneof![any::<u64>(), (0..64_u32).prop_map(|place| 1 << place)]) {
        prop_assert_eq!(on_both(Parity(bits)), naive::parity(bits));
    }

    #[test]
    fn xml_kernels(
        bytes in prop_oneof![
            shapes::xml_bytes(200),
            shapes::spaces(200),
            shapes::long_runs(300),
        ],
        from in any::<prop::sample::Index>(),
    ) {
        let from = from.index(bytes.len() + 1);
        for around in [b'<', b'a'] {
            at_alignments(&bytes, around, |bytes| assert_xml(bytes, from));
        }
    }

    #[test]
    fn counts(bytes in prop_oneof![shapes::json_bytes(300), shapes::almost_text()]) {
        at_alignments(&bytes, b'\n', |bytes| {
            assert_eq!(count_newlines(bytes), naive::count_newlines(bytes));
            assert_eq!(on_both(CodePoints(bytes)), naive::count_code_points(bytes));
            assert_eq!(count_code_points(bytes), naive::count_code_points(bytes));
        });
    }

    #[test]
    fn checks(bytes in shapes::almost_text()) {
        assert_check(&bytes);
    }

    #[test]
    fn checks_of_every_beginning(text in shapes::text()) {
        for end in 0..=text.len() {
            assert_check(&text.as_bytes()[..end]);
        }
    }

    #[test]
    fn widening(text in shapes::text(), room in any::<prop::sample::Index>()) {
        prop_assert_eq!(shape(ValidText::from(&*text)), naive::shape(&text));
        let chars = text.chars().count();
        assert_widened(&text, chars);
        assert_widened(&text, chars + 20);
        assert_widened(&text, room.index(chars + 1));
    }

    #[test]
    fn unescaping(raw in shapes::escapes(), end in any::<prop::sample::Index>()) {
        assert_escapes(&raw);
        let mut end = end.index(raw.len() + 1);
        while !raw.is_char_boundary(end) {
            end -= 1;
        }
        assert_escapes(&raw[..end]);
    }

    #[test]
    fn windows(acts in acts()) {
        let mut window = TextWindow::new();
        // The twin: all bytes that were not dropped, and how many of them are checked.
        let (mut bytes, mut checked) = (Vec::new(), 0);
        for act in acts {
            match act {
                Act::Extend(more) => {
                    window.extend_from_slice(&more).unwrap();
                    bytes.extend(more);
                }
                Act::Write { lent, bytes: more } => {
                    let spare = window.spare(lent).unwrap();
                    prop_assert_eq!(spare.len(), lent);
                    spare.fill(0xFF);
                    spare[..more.len()].copy_from_slice(&more);
                    window.commit(more.len());
                    bytes.extend(more);
                }
                Act::Check => {
                    let (text, rest) = naive::check(&bytes);
                    checked = text.len();
                    prop_assert_eq!(window.advance_check(), rest);
                }
                Act::Drop(index) => {
                    let mut end = index.index(checked + 1);
                    while end < checked && bytes[end] & 0xC0 == 0x80 {
                        end += 1;
                    }
                    window.drop_front(end);
                    bytes.drain(..end);
                    checked -= end;
                }
                Act::Clear => {
                    window.clear();
                    (bytes, checked) = (Vec::new(), 0);
                }
            }
            prop_assert_eq!(window.text().as_str().as_bytes(), &bytes[..checked]);
            prop_assert_eq!(window.unchecked(), &bytes[checked..]);
        }
    }
}

#[test]
#[should_panic]
fn a_window_drops_whole_characters() {
    let mut window = TextWindow::new();
    window.extend_from_slice("é".as_bytes()).unwrap();
    window.advance_check();
    window.drop_front(1);
}

#[test]
#[should_panic]
fn a_window_takes_in_no_more_than_it_lent() {
    let mut window = TextWindow::new();
    window.spare(3).unwrap();
    window.commit(4);
}

#[test]
fn a_window_refuses_what_does_not_fit_memory() {
    let mut window = TextWindow::new();
    window.extend_from_slice(b"abc").unwrap();
    assert!(window.spare(usize::MAX / 2).is_err());
    window.advance_check();
    assert_eq!(window.text().as_str(), "abc");
}
