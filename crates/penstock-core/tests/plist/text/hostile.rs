//! Input that was made to break the reader: an error in time that is linear in the text, whatever the windows.

use std::time::{Duration, Instant};

use penstock_core::error::{Fail, Kind};
use penstock_core::limits::Limits;
use penstock_core::plist::text::Reader;
use penstock_core::protocol::{Discard, FormatReader, InputView, Step, Trace};

use super::naive::naive;
use super::recording::{Answers, Recorder, read, whole};

const TEXT: &str = "// c\n{ a = (\"b\\341\\U00e9\", <0f 1c>, <[Zg==]>, <*I5>, <*D2001-01-01 00:00:00 +0000>, 'é'); \
     /* d */ \"e f\"; g = { h/i = j; }; }\n";

#[test]
fn truncated_at_each_byte() {
    let limits = Limits::default();
    for text in [TEXT, &TEXT[7..TEXT.len() - 2]] {
        for end in (0..text.len()).filter(|end| text.is_char_boundary(*end)) {
            let text = &text[..end];
            let (events, reason) = whole(text, &limits, Answers::default());
            assert_eq!(events, naive(text, &limits, Answers::default()), "{text}");
            // A beginning may be whole: of a file of strings, and a comment.
            let whole = events.last().is_some_and(|last| !last.1.starts_with("fault"));
            assert!(
                whole || reason.is_some_and(|reason| reason.starts_with("the input ")),
                "{text}"
            );
        }
    }
}

#[test]
fn each_character_replaced() {
    let limits = Limits::default();
    for (at, character) in TEXT.char_indices() {
        for other in ["", "\"", "\\", "{", "}", ")", ";", "=", "<", ">", "/", "*", "\0", "é"] {
            let text = [&TEXT[..at], other, &TEXT[at + character.len_utf8()..]].concat();
            for answers in [Answers::default(), Answers { skips: 2, looks: 1 }] {
                let expected = naive(&text, &limits, answers);
                for cuts in [&[][..], &[1], &[7, 2]] {
                    let mut recorder = Recorder { answers, ..Recorder::default() };
                    read(&text, &limits, cuts, &mut recorder);
                    assert_eq!(recorder.events, expected, "{text}");
                }
            }
        }
    }
}

/// Reads a text in windows of `size` bytes, without events. Yields the kind of its fault, and the largest window.
fn pass(text: &str, limits: &Limits, size: usize) -> (Option<Kind>, usize) {
    let mut reader = Reader::new(limits);
    let (mut start, mut end, mut largest) = (0, 0, 0);
    loop {
        let given = InputView::Text { text: text[start..end].into(), last: end == text.len() };
        match reader.run(given, &mut Discard) {
            Ok(Step::Done) => return (None, largest),
            Err(Fail::Input(fault)) => return (Some(fault.kind()), largest),
            Err(Fail::Sink(never)) => match never {},
            Ok(_) => {}
        }
        let done = reader.consumed();
        reader.drop_front(done);
        start += done;
        end = (end + size).min(text.len());
        while !text.is_char_boundary(end) {
            end += 1;
        }
        largest = largest.max(end - start);
    }
}

#[test]
fn many_levels() {
    let deep = Limits { depth: 200_000, ..Limits::default() };
    for open in ["(", "{a=", "({\"b\"="] {
        let text = open.repeat(100_000);
        assert_eq!(pass(&text, &Limits::default(), 4096).0, Some(Kind::Limit));
        assert_eq!(pass(&text, &deep, 4096).0, Some(Kind::Truncated));
    }
    let text = ["(".repeat(100_000), ")".repeat(100_000)].concat();
    assert_eq!(pass(&text, &deep, 4096).0, None);
    let text = ["a=", &"{b=".repeat(100_000), "()", &"}".repeat(100_000), ";"].concat();
    assert_eq!(pass(&text, &deep, 4096).0, None);
}

/// A reader that is linear needs a tenth of a second for a text of the tests below, and one that scans a token again in
/// each window needs more than this.
const LONG: Duration = Duration::from_secs(6);

/// Each kind of token, long or many, in small windows: no byte is scanned twice, and nothing is kept in memory.
#[test]
fn no_byte_is_scanned_twice() {
    let texts = [
        ("(\"", "x", "\")"),
        ("(\"", "\n", "\")"),
        ("(\"", "\\n", "\")"),
        ("(\"", "\\U00e9", "\")"),
        ("(\"", "水", "\")"),
        ("('", "\"", "')"),
        ("(", "x", ")"),
        ("(", "/", "x)"),
        ("(", ":", ")"),
        ("(<", "0f", ">)"),
        ("(<", " ", ">)"),
        ("(<[", "Zm9v", "]>)"),
        ("(/*", "*", "*/)"),
        ("(/*", "x", "*/)"),
        ("//", "\u{2026}", "\n()"),
        ("(", "/**/", ")"),
        ("(", "\u{2028}", ")"),
        ("(", "<*I5>,", ")"),
        ("(", "a,", ")"),
        ("{", "a=b;", "}"),
        ("", "\"a\" /**/ ;", ""),
        ("(", "{},", ")"),
        ("(", "<*", ""),
        ("(\"", "x", ""),
        ("/*", "x", ""),
    ];
    for (before, part, after) in texts {
        let text = [before, &part.repeat((2 << 20) / part.len()), after].concat();
        let begun = Instant::now();
        let (_, largest) = pass(&text, &Limits::default(), 7);
        assert!(begun.elapsed() < LONG, "{part:?} is scanned again");
        assert!(largest < 4400, "{part:?} is kept in memory");
    }
}

/// The same of values that are wanted, which stay in the window.
#[test]
fn no_byte_that_is_wanted_is_scanned_twice() {
    let texts = [
        ("(\"", "x", "\")"),
        ("(\"", "\\n", "\")"),
        ("(\"", "水\n", "\")"),
        ("('", "x", "')"),
        ("(", "x", ")"),
        ("(", ":", ")"),
        ("(<", "0f", ">)"),
        ("(<[", "Zm9v", "]>)"),
        ("\"", "x", "\" = y;"),
        ("x /*", "*", "*/ ;"),
    ];
    for (before, part, after) in texts {
        let text = [before, &part.repeat((2 << 20) / part.len()), after].concat();
        let (mut reader, mut trace) = (Reader::new(&Limits::default()), Trace::new());
        let (mut end, begun) = (0, Instant::now());
        loop {
            let given = InputView::Text { text: text[..end].into(), last: end == text.len() };
            if reader.run(given, &mut trace).unwrap() == Step::Done {
                break;
            }
            end = (end + 7).min(text.len());
            while !text.is_char_boundary(end) {
                end += 1;
            }
        }
        assert!(begun.elapsed() < LONG, "{part:?} is scanned again");
    }
}
