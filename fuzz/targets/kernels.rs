//! The kernels: the best instruction set, the portable one and the naive twins agree, wherever in
//! memory the bytes stand.
//!
//! The first two bytes of the input choose where to begin; the rest is what is looked at.

#![no_main]

#[path = "../../crates/penstock-scan/src/tests/naive.rs"]
mod naive;

use std::fmt::Debug;
use std::mem::MaybeUninit;

use libfuzzer_sys::fuzz_target;
use penstock_scan::{
    BadEscape, EscapeCheck, EscapeKind, Isa, Job, Marks, Rest, Shape, Stops, StringEnd, TextBuf,
    ValidText, Width, check_json_escape, count_code_points, count_newlines, dispatch,
    dispatch_portable, shape, unescape_json, widen_latin1, widen_ucs2, widen_ucs4,
};

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
job!(Places(&'a [u8; 64], &'a [(u8, u8); 2]) -> [u64; 2], |isa, job| isa.places(job.0, job.1));
job!(Parity(&'a u64) -> u64, |isa, job| isa.parity(*job.0));
job!(Units(&'a [u8; 16]) -> ([u16; 8], usize), |isa, job| isa.units(job.0));

fn on_both<J: Job<Output: Debug + PartialEq> + Copy>(job: J) -> J::Output {
    let best = dispatch(job);
    assert_eq!(best, dispatch_portable(job));
    best
}

fuzz_target!(|data: &[u8]| {
    let [offset, from, bytes @ ..] = data else { return };
    // At any alignment, between bytes that look like matches.
    let mut room = vec![b'"'; bytes.len() + 64];
    let offset = usize::from(offset % 32);
    room[offset..offset + bytes.len()].copy_from_slice(bytes);
    let bytes = &room[offset..offset + bytes.len()];
    let from = usize::from(*from).min(bytes.len());

    assert_eq!(on_both(JsonString(bytes, from)), naive::json_string(bytes, from));
    assert_eq!(on_both(JsonSpace(bytes, from)), naive::space(bytes, from));
    assert_eq!(on_both(XmlText(bytes, from)), naive::xml_text(bytes, from));
    assert_eq!(on_both(XmlValue(bytes, from)), naive::xml_value(bytes, from));
    assert_eq!(on_both(XmlName(bytes, from)), naive::xml_name(bytes, from));
    if let Some((block, _)) = bytes.split_first_chunk::<64>() {
        let pairs = [(0, block[0]), (from as u8, block[63] | from as u8)];
        assert_eq!(on_both(Places(block, &pairs)), naive::places(block, &pairs));
    }
    // The first bytes are the set, if they can be one.
    if let Some((block, _)) = bytes.split_first_chunk()
        && let set = &bytes[..from.min(7)]
        && let Some(stops) = Stops::of(set)
    {
        assert_eq!(on_both(AllStops(block, &stops)), naive::stops(block, set));
        assert_eq!(on_both(AllMarks(block, &stops)), naive::marks(block, set));
        let (word, _) = naive::stops(block, set);
        assert_eq!(on_both(Parity(&word)), naive::parity(word));
    }
    assert_eq!(on_both(CodePoints(bytes)), naive::count_code_points(bytes));
    assert_eq!(count_code_points(bytes), naive::count_code_points(bytes));
    assert_eq!(count_newlines(bytes), naive::count_newlines(bytes));
    let checked = ValidText::check(bytes);
    assert_eq!((checked.text.as_str(), checked.rest), naive::check(bytes));
    on_text(checked.text.as_str());
});

fn on_text(text: &str) {
    let (valid, twin) = (ValidText::from(text), naive::shape(text));
    assert_eq!(shape(valid), twin);
    for at in 0..text.len() {
        if let Some(sixteen) = text.as_bytes()[at..].first_chunk::<16>() {
            let (units, count) = on_both(Units(sixteen));
            let expected = naive::units(text, at);
            assert_eq!(count, expected.len());
            // A character of four bytes has no unit.
            let narrow = text[..].chars().all(|char| char.len_utf8() < 4);
            assert!(!narrow || units[..count] == expected);
        }
    }
    macro_rules! widen {
        ($function:ident, $unit:ty, $greatest:expr) => {
            for room in [twin.chars, twin.chars / 2] {
                let mut out = vec![MaybeUninit::<$unit>::new(0x55); room];
                let made = $function(valid, &mut out);
                let expected = naive::widen(text, $greatest, room);
                // SAFETY: every slot was initialised above.
                let found = out[..made].iter().map(|unit| u32::from(unsafe { unit.assume_init() }));
                assert_eq!(found.collect::<Vec<_>>(), expected);
            }
        };
    }
    widen!(widen_latin1, u8, 0xFF);
    widen!(widen_ucs2, u16, 0xFFFF);
    widen!(widen_ucs4, u32, 0x10_FFFF);

    // The inside of a string has no quote that is not escaped.
    let end = naive_end(text.as_bytes());
    let inside = &text[..end];
    let mut out = TextBuf::new();
    let resolved = unescape_json(ValidText::from(inside), &mut out);
    match naive::unescape(inside) {
        Ok(expected) => {
            assert_eq!(out.text().as_str(), expected);
            assert_eq!(resolved, Ok(expected.is_ascii()));
        }
        Err(bad) => assert_eq!(resolved, Err(bad)),
    }
    // Checked one after the other, with the quote behind them, the escapes are as good.
    let closed = [inside, "\""].concat();
    let (mut at, mut bad) = (0, None);
    while let Some(plain) = closed[at..].find('\\') {
        match check_json_escape(closed.as_bytes(), at + plain) {
            EscapeCheck::Complete(length) => at += plain + length,
            EscapeCheck::Incomplete => panic!("the closing quote is there"),
            EscapeCheck::Bad(found) => {
                bad = Some(found);
                break;
            }
        }
    }
    assert_eq!(bad.map(|bad| bad.at), resolved.err().map(|bad| bad.at));
}

/// Where the first quote stands that no backslash escapes, or the end.
fn naive_end(bytes: &[u8]) -> usize {
    let mut at = 0;
    while at < bytes.len() && bytes[at] != b'"' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    // A backslash at the very end would take the quote.
    let mut end = at.min(bytes.len());
    if at > bytes.len() {
        end -= 1;
    }
    end
}
