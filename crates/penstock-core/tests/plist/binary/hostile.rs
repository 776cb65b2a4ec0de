//! Binary property lists that are wrong, or made to take long.

use penstock_core::error::{Fail, Kind};
use penstock_core::event::{Container, Key, Scalar, Text};
use penstock_core::limits::Limits;
use penstock_core::plist::binary::Reader;
use penstock_core::protocol::{
    Discard, Flow, FormatReader, Hints, InputView, LookAhead, Sink, Step, Trace,
};
use penstock_core::run::{Policy, RecordScope, Run, Turn, Whole};
use penstock_core::select::Records;

use super::file::*;
use super::naive::End;
use crate::moody::{Mood, Moody};

/// Replaces bytes of a file, counted from its end.
fn patched(mut bytes: Vec<u8>, from_end: usize, new: &[u8]) -> Vec<u8> {
    let from = bytes.len() - from_end;
    bytes[from..from + new.len()].copy_from_slice(new);
    bytes
}

#[test]
fn the_trailer() {
    let good = file(&[int(7)], SIMPLE);
    assert_eq!(good.len(), 44);
    for (from_end, new, expected) in [
        (26, &[0][..], "the trailer says that an offset has 0 bytes, not 1 to 8 (byte 18)"),
        (26, &[9], "the trailer says that an offset has 9 bytes, not 1 to 8 (byte 18)"),
        (25, &[0], "the trailer says that a reference has 0 bytes, not 1 to 8 (byte 19)"),
        (25, &[255], "the trailer says that a reference has 255 bytes, not 1 to 8 (byte 19)"),
        (17, &[0], "the trailer says that there are no objects (byte 20)"),
        (17, &[2], "the offsets of 2 objects do not fit between byte 10 and the trailer (byte 20)"),
        // Twice this count overflows.
        (
            24,
            &[0x80, 0, 0, 0, 0, 0, 0, 1],
            "the offsets of 9223372036854775809 objects do not fit between byte 10 and the trailer \
             (byte 20)",
        ),
        (9, &[1], "the root is object 1, and there are only 1 (byte 28)"),
        (16, &[255; 8], "the root is object 18446744073709551615, and there are only 1 (byte 28)"),
        (
            1,
            &[8],
            "the table of offsets is at byte 8, and not between the header and the trailer (byte 36)",
        ),
        (
            1,
            &[12],
            "the table of offsets is at byte 12, and not between the header and the trailer (byte 36)",
        ),
        (
            8,
            &[255; 8],
            "the table of offsets is at byte 18446744073709551615, and not between the header and \
             the trailer (byte 36)",
        ),
        (
            34,
            &[0, 7],
            "object 0 begins at byte 7, and the objects are between the bytes 8 and 10 (byte 10)",
        ),
        (
            34,
            &[0, 10],
            "object 0 begins at byte 10, and the objects are between the bytes 8 and 10 (byte 10)",
        ),
        (
            34,
            &[255, 255],
            "object 0 begins at byte 65535, and the objects are between the bytes 8 and 10 (byte 10)",
        ),
    ] {
        assert_eq!(fault(&patched(good.clone(), from_end, new)), expected);
    }
    // Nobody looks at these.
    for place in 27..=32 {
        let (events, fault) = told(&patched(good.clone(), place, &[255]), &Limits::default());
        assert_eq!((events.as_str(), fault), ("   8 int 7\n", None));
    }
    // Bytes between the table and the trailer.
    let mut spaced = good.clone();
    spaced.splice(12..12, [1, 2, 3]);
    assert_eq!(told(&spaced, &Limits::default()), ("   8 int 7\n".to_owned(), None));
}

#[test]
fn the_header() {
    let good = file(&[int(7)], SIMPLE);
    let begins = |header: &[u8]| [header, &good[header.len()..]].concat();
    assert_eq!(told(&begins(b"bplist01"), &Limits::default()).1, None);
    assert_eq!(
        fault(&begins(b"bplist15")),
        "version 15 of binary property lists is not known, only 00 (byte 6)"
    );
    let none = "this is no binary property list: it does not begin with \"bplist00\" (byte 0)";
    assert_eq!(fault(&begins(b"Bplist00")), none);
    assert_eq!(fault(b"<plist>"), none);
    let cut = "the input ends within the header \"bplist00\" (byte 5)";
    assert_eq!(fault(b"bplis"), cut);
    assert_eq!(fault(b""), "the input ends within the header \"bplist00\" (byte 0)");
    let short = "the input is too short for the trailer, which ends a binary property list";
    assert_eq!(fault(&good[..41]), format!("{short} (byte 41)"));
    let text = InputView::Text { text: "bplist00".into(), last: true };
    match Reader::new(&Limits::default()).run(text, &mut Discard) {
        Err(Fail::Input(fault)) => {
            assert_eq!(fault.to_string(), "a binary property list is no text (byte 0)");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_an_object_may_not_be() {
    let wrong = |object: Raw| fault(&file(&[list(&[1]), object], SIMPLE));
    let plain = |bytes: &[u8]| wrong(Plain(bytes.to_vec()));
    assert_eq!(plain(&[0x0F]), "object 1 is a fill byte, which is no value (byte 10)");
    for marker in [0x01_u8, 0x0C, 0x0E, 0x15, 0x20, 0x21, 0x24, 0x30, 0x32, 0x70, 0x90, 0xE0, 0xFF]
    {
        let reason = format!("object 1 is of an unknown kind: 0x{marker:02x} (byte 10)");
        assert_eq!(plain(&[marker]), reason);
    }
    let cut = "object 1 does not end before byte 11, where the table of offsets begins (byte 10)";
    for marker in [0x10, 0x11, 0x12, 0x13, 0x14, 0x22, 0x23, 0x33, 0x41, 0x51, 0x61, 0x80] {
        assert_eq!(plain(&[marker]), cut, "{marker:x}");
    }
    for marker in [0xA1, 0xB1, 0xC1, 0xD1] {
        assert_eq!(plain(&[marker]), cut, "{marker:x}");
    }
    let cut = "object 1 does not end before byte 12, where the table of offsets begins (byte 10)";
    assert_eq!(plain(&[0x61, 0]), cut);
    assert_eq!(plain(&[0xD1, 0]), cut);
    assert_eq!(plain(&[0x81, 0]), cut);
    // A count of which twice as many bytes overflow.
    let count = |high: u8, count: u64| [&[high, 0x13], &count.to_be_bytes()[..]].concat();
    let cut = "object 1 does not end before byte 20, where the table of offsets begins (byte 10)";
    for high in [0x4F, 0x5F, 0x6F, 0xAF, 0xBF, 0xCF, 0xDF] {
        for most in [u64::MAX, 1 << 63, (1 << 63) + 1, 1 << 62, 1 << 40, 1] {
            assert_eq!(plain(&count(high, most)), cut, "{high:x} {most}");
        }
    }
    let odd = "object 1 has no count: expected 0x10 to 0x13, got 0x14 (byte 11)";
    assert_eq!(plain(&[0x5F, 0x14]), odd);
    assert_eq!(
        plain(&[&[0x88][..], &[1; 9]].concat()),
        "object 1 is a UID of more than 64 bits (byte 10)"
    );
    let (events, none) =
        told(&file(&[Plain([&[0x8F][..], &[0; 15], &[9]].concat())], SIMPLE), &Limits::default());
    assert_eq!((events.as_str(), none), ("   8 uid 9\n", None));
    assert_eq!(
        wrong(Counted(5, 3, b"a\xE9b".to_vec())),
        "a string of ASCII with the byte 0xe9 (byte 12)"
    );
    for lone in [&[0xD8, 0x34][..], &[0xDD, 0x1E], &[0xD8, 0x34, 0, 0x61]] {
        let payload = [&[0, 0x61], lone].concat();
        let unit = u16::from_be_bytes([lone[0], lone[1]]);
        assert_eq!(
            wrong(Counted(6, payload.len() / 2, payload)),
            format!("a string of UTF-16 with the lone surrogate 0x{unit:04x} (byte 13)")
        );
    }
    assert_eq!(
        fault(&file(&[list(&[2]), int(1)], SIMPLE)),
        "a reference to object 2, and there are only 2 (byte 9)"
    );
    assert_eq!(
        fault(&file(&[Members(0xD, vec![1, 1]), int(1)], SIMPLE)),
        "the key of a dictionary is an integer, not a string (object 1) (byte 11)"
    );
}

#[test]
fn cycles() {
    assert_eq!(fault(&file(&[list(&[0])], SIMPLE)), "object 0 contains itself (byte 8)");
    let objects = [list(&[1]), Members(0xD, vec![2, 3]), text("k"), Members(0xC, vec![1])];
    assert_eq!(fault(&file(&objects, SIMPLE)), "object 1 contains itself (byte 10)");
    // Behind so many that it is looked up otherwise.
    let mut chain: Vec<Raw> = (0..200).map(|number| list(&[number + 1])).collect();
    for (to, at) in [(0, 8), (70, 148), (199, 406)] {
        chain.truncate(199);
        chain.push(list(&[to]));
        assert_eq!(
            fault(&file(&chain, SIMPLE)),
            format!("object {to} contains itself (byte {at})")
        );
    }
    // Twice beside one another is no cycle.
    chain.truncate(199);
    chain.extend([list(&[200, 200]), list(&[])]);
    assert_eq!(told(&file(&chain, SIMPLE), &Limits::default()).1, None);
}

/// Counts the events, and keeps nothing.
#[derive(Default)]
struct Counter {
    events: u64,
    /// Skips containers that it has seen.
    seen: Option<std::collections::HashSet<u64>>,
    known: bool,
}

impl Counter {
    fn count(&mut self) -> Result<Flow, std::convert::Infallible> {
        self.events += 1;
        Ok(if std::mem::take(&mut self.known) { Flow::Skip } else { Flow::Take })
    }
}

impl Sink for Counter {
    type Error = std::convert::Infallible;

    fn begin_map(&mut self, _at: u64) -> Result<Flow, Self::Error> {
        self.count()
    }
    fn end_map(&mut self, _at: u64) -> Result<Flow, Self::Error> {
        self.count()
    }
    fn begin_list(&mut self, _at: u64) -> Result<Flow, Self::Error> {
        self.count()
    }
    fn end_list(&mut self, _at: u64) -> Result<Flow, Self::Error> {
        self.count()
    }
    fn name(&mut self, _key: Key<'_>, _at: u64) -> Result<Flow, Self::Error> {
        self.count()
    }
    fn scalar(&mut self, _value: Scalar<'_>, _at: u64) -> Result<Flow, Self::Error> {
        self.count()
    }
    fn piece(&mut self, _text: Text<'_>, _at: u64) -> Result<Flow, Self::Error> {
        self.count()
    }
    fn abandon(&mut self) {}
    fn container(&mut self, container: Container) {
        if let (Some(seen), Some(number)) = (&mut self.seen, container.shared) {
            self.known = !seen.insert(number);
        }
    }
}

impl Hints for Counter {
    fn shares(&self) -> bool {
        self.seen.is_some()
    }
}
impl LookAhead for Counter {}

/// Arrays of ten references each to the next one: 10^12 integers.
fn bomb() -> Vec<u8> {
    let mut objects: Vec<Raw> = (1..=12).map(|next| list(&[next; 10])).collect();
    objects.push(int(7));
    file(&objects, SIMPLE)
}

#[test]
fn a_bomb_of_shared_objects() {
    let bytes = bomb();
    let mut counter = Counter::default();
    match Reader::new(&Limits::default()).run(InputView::Bytes(&bytes), &mut counter) {
        Err(Fail::Input(fault)) => {
            assert_eq!(fault.kind(), Kind::Limit);
            assert_eq!(
                fault.reason(),
                "shared objects expand to more than 10 bytes for each byte of input \
                 (limits.amplification)"
            );
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(counter.events, 8_388_520);
    // Whoever makes a shared object once makes all of it.
    let mut sharing = Counter { seen: Some(Default::default()), ..Counter::default() };
    let step = Reader::new(&Limits::default()).run(InputView::Bytes(&bytes), &mut sharing);
    assert!(matches!(step, Ok(Step::Done)));
    assert_eq!(sharing.events, 1 + 11 * 10 + 10 + 12);
    let limits = Limits { expansion: Some(1000), ..Limits::default() };
    assert_eq!(
        told(&bytes, &limits).1.unwrap(),
        "shared objects expand to more than 1000 bytes (limits.expansion) (byte 118)"
    );
}

#[test]
fn long_strings_that_are_shared() {
    // 64 references to a string of 1 MiB.
    let long = "x".repeat(1 << 20);
    let objects =
        |times: usize| file(&[list(&vec![1; times]), text(&long)], Layout { offset: 4, ..SIMPLE });
    let mut counter = Counter::default();
    let read = |times: usize, counter: &mut Counter| {
        let bytes = objects(times);
        match Reader::new(&Limits::default()).run(InputView::Bytes(&bytes), counter) {
            Ok(_) => None,
            Err(Fail::Input(fault)) => Some(fault.to_string()),
            Err(Fail::Sink(never)) => match never {},
        }
    };
    assert_eq!(read(10, &mut counter), None);
    let reason = "shared objects expand to more than 10 bytes for each byte of input \
                  (limits.amplification) (byte 23)";
    assert_eq!(read(14, &mut counter).as_deref(), Some(reason));
}

#[test]
fn a_hundred_thousand_levels() {
    let count = 100_000_u64;
    let mut objects: Vec<Raw> = (1..count).map(|next| list(&[next])).collect();
    objects.push(list(&[]));
    let bytes = file(&objects, Layout { offset: 3, reference: 3, ..SIMPLE });
    assert_eq!(fault(&bytes), "nested deeper than 1000 levels (limits.depth) (byte 4008)");
    let mut counter = Counter::default();
    let limits = Limits { depth: 1 << 20, ..Limits::default() };
    let mut reader = Reader::new(&limits);
    assert!(matches!(reader.run(InputView::Bytes(&bytes), &mut counter), Ok(Step::Done)));
    assert_eq!(counter.events, 2 * count);
}

#[test]
fn the_limit_on_strings() {
    let bytes = file(&[list(&[1, 2]), text("12345"), utf16("123é")], SIMPLE);
    let (_, most) = told(&bytes, &Limits { token: 8, ..Limits::default() });
    assert_eq!(most, None);
    let (_, over) = told(&bytes, &Limits { token: 7, ..Limits::default() });
    assert_eq!(over.unwrap(), "a string or data of more than 7 bytes (limits.token) (byte 17)");
}

#[test]
fn cut_at_each_byte() {
    let bytes = each_kind();
    for end in 0..bytes.len() {
        let (_, fault) = told(&bytes[..end], &Limits::default());
        assert!(fault.is_some(), "{end}");
        survives(&bytes[..end]);
    }
}

#[test]
fn each_byte_changed() {
    let good = each_kind();
    for place in 0..good.len() {
        for bit in 0..8 {
            let mut bytes = good.clone();
            bytes[place] ^= 1 << bit;
            survives(&bytes);
        }
        for byte in [0, 0x0F, 0x7F, 0x80, 0xA1, 0xDF, 0xFF] {
            let mut bytes = good.clone();
            bytes[place] = byte;
            survives(&bytes);
        }
    }
}

#[test]
fn each_field_of_the_trailer_at_its_extremes() {
    let good = each_kind();
    let size = good.len() as u64;
    let values = [
        0,
        1,
        7,
        8,
        9,
        255,
        size - 33,
        size - 32,
        size,
        1 << 31,
        1 << 32,
        1 << 61,
        1 << 63,
        u64::MAX,
    ];
    for count in values {
        for root in values {
            for table in values {
                let mut bytes = good.clone();
                let at = bytes.len() - 24;
                for (place, field) in [count, root, table].into_iter().enumerate() {
                    bytes[at + 8 * place..at + 8 * place + 8].copy_from_slice(&field.to_be_bytes());
                }
                survives(&bytes);
            }
        }
    }
}

/// Many containers that lie on top of one another: time must not grow with the square.
#[test]
fn overlapping_containers() {
    let count = 20_000_u64;
    // Each object is an array that reaches to the end of the area.
    let mut bytes = b"bplist00".to_vec();
    let begin = bytes.len() as u64;
    for place in 0..count {
        bytes.extend([0xAF, 0x12]);
        bytes.extend(((count - place - 1) * 2).to_be_bytes().split_at(4).1);
        // Each reference leads to the last object.
        bytes.extend([0, 0]);
    }
    let table = bytes.len() as u64;
    for place in 0..count {
        bytes.extend(((begin + place * 8) as u32).to_be_bytes());
    }
    bytes.extend([0, 0, 0, 0, 0, 0, 4, 4]);
    for field in [count, 0, table] {
        bytes.extend(field.to_be_bytes());
    }
    let mut counter = Counter { seen: Some(Default::default()), ..Counter::default() };
    let step = Reader::new(&Limits::default()).run(InputView::Bytes(&bytes), &mut counter);
    assert!(matches!(step, Err(Fail::Input(_))), "{step:?}");
    assert!(counter.events < 10 * bytes.len() as u64);
}

#[test]
fn a_file_that_becomes_shorter() {
    let long = "x".repeat(40_000);
    let objects: Vec<Raw> =
        [list(&[1, 2, 3])].into_iter().chain((0..3).map(|_| text(&long))).collect();
    let bytes = file(&objects, Layout { offset: 4, ..SIMPLE });
    let size = bytes.len() as u64;
    let whole = File { bytes: &bytes, end: bytes.len() };
    let cut = File { bytes: &bytes, end: 60_000 };
    let mood = Mood { pauses: 1, ..Mood::default() };
    let mut sink = Moody::new(mood);
    let mut reader = Reader::new(&Limits::default());
    let step = reader.run(InputView::At { file: &whole, size }, &mut sink);
    assert!(matches!(step, Ok(Step::Paused)));
    let step = reader.run(InputView::At { file: &cut, size }, &mut sink);
    assert!(matches!(step, Ok(Step::Paused)));
    match reader.run(InputView::At { file: &cut, size }, &mut sink) {
        Err(Fail::Input(fault)) => {
            assert_eq!(fault.kind(), Kind::Truncated);
            assert_eq!(
                fault.to_string(),
                "the file has become shorter while it was read (byte 40024)"
            );
        }
        other => panic!("{other:?}"),
    }
    let mut sink = Moody::new(mood);
    let end = read(InputView::At { file: &cut, size }, &Limits::default(), &mut sink);
    assert_eq!(end, Err(End::Wrong(Kind::Truncated, 114_688)));
}

/// An abandoned record is not read to its end, and the next one comes as usual.
#[test]
fn abandoning_a_record() {
    let objects = [list(&[1, 2]), list(&[3, 3, 4]), list(&[3]), int(7), list(&[9])];
    let bytes = file(&objects, SIMPLE);
    let mut reader = Reader::new(&Limits::default());
    let mut sink = Moody::new(Mood { pauses: 1, ..Mood::default() });
    for _ in 0..3 {
        assert!(matches!(reader.run(InputView::Bytes(&bytes), &mut sink), Ok(Step::Paused)));
    }
    sink.abandon();
    reader.abandon(1);
    assert!(!reader.is_abandoned());
    assert_eq!(read_on(&mut reader, InputView::Bytes(&bytes), &mut sink), Ok(()));
    assert_eq!(
        sink.trace.text(),
        "   8 begin list\n  11   begin list\n  17     int 7\n     abandon\n  15 begin list\n  \
         17   int 7\n  15 end list\n   8 end list\n"
    );
}

/// A fault within a record spoils no other one, because it is known where each begins.
#[test]
fn a_fault_within_a_record() {
    let objects = [
        list(&[1, 2, 3, 4]),
        Members(0xD, vec![5, 6]),
        Members(0xD, vec![5, 7]),
        Members(0xD, vec![6, 6]),
        Members(0xD, vec![5, 6]),
        text("k"),
        int(7),
        Counted(5, 1, vec![0x80]),
    ];
    let bytes = file(&objects, SIMPLE);
    let mut to = RecordScope::new(Trace::new(), Some(Records::by_default()));
    let mut run = Run::new(Reader::new(&Limits::default()), Whole(&bytes), Policy::Hand);
    let mut told = Vec::new();
    loop {
        match run.advance(&mut to).unwrap() {
            Turn::Problem(problem) => {
                let (record, path) = (problem.spot.record, problem.spot.path);
                told.push(format!("{record:?} {path:?} {}: {}", problem.offset, problem.reason));
            }
            Turn::End => break,
            turn => panic!("{turn:?}"),
        }
    }
    assert_eq!(
        told,
        [
            "Some(2) [Index(1)] 30: a string of ASCII with the byte 0x80",
            "Some(3) [Index(2)] 27: the key of a dictionary is an integer, not a string (object 6)",
        ]
    );
    let (first, last) = ("key \"k\"\n  27   int 7\n", "end map\n");
    assert_eq!(
        to.inner().text(),
        format!(
            "  13 begin map\n  25   {first}  13 {last}  16 begin map\n  25   key \"k\"\n     \
             abandon\n  19 begin map\n     abandon\n  22 begin map\n  25   {first}  22 {last}"
        )
    );
    assert_eq!(run.refused(), 2);
    // Nothing is behind a fault of the list of records.
    let bytes = file(&[list(&[9, 1]), int(7)], SIMPLE);
    let mut to = RecordScope::new(Trace::new(), Some(Records::by_default()));
    let mut run = Run::new(Reader::new(&Limits::default()), Whole(&bytes), Policy::Skip);
    assert!(run.advance(&mut to).is_err());
}
