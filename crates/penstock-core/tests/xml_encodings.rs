//! The encoding of XML documents, by mark, by declaration and by the caller's assumption: the same
//! from a source, in chunks and from the whole.

#![allow(clippy::unwrap_used, reason = "a failed test is what it is for")]

use std::io::{self, Read};

use penstock_core::error::{Fault, Kind};
use penstock_core::limits::Limits;
use penstock_core::source::encoding::by_name;
use penstock_core::source::{
    Compression, DECLARATION, Detect, Encoding, Options, Source, SourceError, Window, xml_encoding,
};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// Gives the bytes in pieces of these lengths, over and over.
struct Pieces {
    data: Vec<u8>,
    at: usize,
    lengths: Vec<usize>,
    turn: usize,
}

impl Read for Pieces {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let most = self.lengths[self.turn % self.lengths.len()];
        self.turn += 1;
        let n = most.min(out.len()).min(self.data.len() - self.at);
        out[..n].copy_from_slice(&self.data[self.at..self.at + n]);
        self.at += n;
        Ok(n)
    }
}

type Outcome = (String, Option<(Kind, u64, String)>);

fn told(fault: &Fault) -> (Kind, u64, String) {
    (fault.kind(), fault.offset(), fault.reason().to_owned())
}

/// The text of a source, and the error at its end.
fn streamed(data: &[u8], assumed: Option<Encoding>, lengths: &[usize]) -> Outcome {
    let limits = Limits::default();
    let reader = Pieces { data: data.to_vec(), at: 0, lengths: lengths.to_vec(), turn: 0 };
    let options = Options {
        compression: Compression::None,
        encoding: assumed,
        detect: Detect::Xml,
        ..Options::new(&limits)
    };
    let mut source = Source::open(Box::new(reader), options);
    let mut window = Window::new();
    loop {
        match window.fill(&mut source) {
            Ok(true) => {}
            Ok(false) => break,
            Err(SourceError::Fault(fault)) => {
                return (window.text().as_str().to_owned(), Some(told(&fault)));
            }
            Err(other) => panic!("{other}"),
        }
    }
    (window.text().as_str().to_owned(), window.finish_fault().as_ref().map(told))
}

/// The same for chunks that are pushed.
fn fed(data: &[u8], assumed: Option<Encoding>, lengths: &[usize]) -> Outcome {
    let mut window = Window::detecting(Detect::Xml, assumed);
    let (mut rest, mut turn) = (data, 0);
    while !rest.is_empty() && window.fault().is_none() {
        let n = lengths[turn % lengths.len()].min(rest.len());
        turn += 1;
        if let Err(fault) = window.push(&rest[..n]) {
            assert_eq!(window.fault().as_ref().map(told), Some(told(&fault)), "it stays");
        }
        rest = &rest[n..];
    }
    if let (None, Err(fault)) = (window.fault(), window.finish()) {
        assert_eq!(window.fault().as_ref().map(told), Some(told(&fault)), "it stays");
    }
    (window.text().as_str().to_owned(), window.finish_fault().as_ref().map(told))
}

/// All ways give this result, and so does the whole document in memory.
fn outcome(data: &[u8], assumed: Option<Encoding>) -> Outcome {
    let expected = streamed(data, assumed, &[usize::MAX]);
    for lengths in [&[1][..], &[2], &[3, 1], &[5], &[1000, 7], &[usize::MAX]] {
        assert_eq!(streamed(data, assumed, lengths), expected, "{data:?} {lengths:?}");
        assert_eq!(fed(data, assumed, lengths), expected, "{data:?} {lengths:?}");
    }
    match xml_encoding(data, assumed) {
        Err(fault) => assert_eq!(expected, (String::new(), Some(told(&fault)))),
        Ok(settled) if settled.encoding.is_utf8() => {
            let text = &data[settled.mark..];
            let whole = match std::str::from_utf8(text) {
                Ok(text) => text,
                Err(error) => std::str::from_utf8(&text[..error.valid_up_to()]).unwrap(),
            };
            assert_eq!(whole, expected.0);
        }
        Ok(_) => {}
    }
    expected
}

fn read(data: &[u8]) -> Result<String, String> {
    let (text, fault) = outcome(data, None);
    fault.map_or(Ok(text), |(_, _, reason)| Err(reason))
}

fn units(text: &str, width: usize, big: bool) -> Vec<u8> {
    let order = |mut bytes: Vec<u8>| {
        if !big {
            bytes.reverse();
        }
        bytes
    };
    match width {
        2 => text.encode_utf16().flat_map(|unit| order(unit.to_be_bytes().to_vec())).collect(),
        4 => text.chars().flat_map(|c| order(u32::from(c).to_be_bytes().to_vec())).collect(),
        _ => text.as_bytes().to_vec(),
    }
}

const WIDE: [(usize, bool, &str); 4] = [
    (2, false, "UTF-16 (little endian)"),
    (2, true, "UTF-16 (big endian)"),
    (4, false, "UTF-32 (little endian)"),
    (4, true, "UTF-32 (big endian)"),
];

#[test]
fn marks_decide() {
    for (width, big, _) in [(1, false, ""), WIDE[0], WIDE[1], WIDE[2], WIDE[3]] {
        for text in ["<a>é漢𝄞</a>", "<?xml version='1.0'?>\n<a/>", " <a/>", "", "<", "<?xml "]
        {
            let marked = units(&format!("\u{feff}{text}"), width, big);
            assert_eq!(read(&marked).as_deref(), Ok(text), "{width} {big}");
            // The assumption is only for documents without a mark or a declaration.
            let assumed = by_name("shift_jis");
            assert_eq!(outcome(&marked, assumed), (text.to_owned(), None));
        }
    }
}

#[test]
fn wide_characters_show_themselves() {
    for (width, big, shown) in WIDE {
        let family = &shown[..6];
        let order = if big { "BE" } else { "LE" };
        for name in [family.to_owned(), family.to_ascii_lowercase(), format!("{family}{order}")] {
            for mark in ["", "\u{feff}"] {
                let text = format!("<?xml version=\"1.0\" encoding=\"{name}\"?><a>é𝄞</a>");
                let data = units(&format!("{mark}{text}"), width, big);
                assert_eq!(read(&data).as_deref(), Ok(text.as_str()));
            }
        }
        assert_eq!(read(&units("<a>é</a>", width, big)).as_deref(), Ok("<a>é</a>"));
        let ucs = format!("<?xml version='1.0' encoding='ISO-10646-UCS-{width}'?><a/>");
        assert_eq!(read(&units(&ucs, width, big)).as_deref(), Ok(ucs.as_str()));
        // Blanks do not show the encoding; the caller must name it.
        let blank = units("\n<a>é</a>", width, big);
        let name = format!("{}-{}", family.to_ascii_lowercase(), order.to_ascii_lowercase());
        assert_eq!(read(&blank), Err(format!("this looks like {shown}; say encoding='{name}'")));
        assert_eq!(outcome(&blank, by_name(&name)), ("\n<a>é</a>".to_owned(), None));
    }
}

#[test]
fn declarations_decide_unless_the_caller_does() {
    for (name, bytes, text) in [
        ("ISO-8859-1", &b"\xe9\x80"[..], "é\u{80}"),
        ("iso-8859-15", b"\xa4", "€"),
        ("windows-1252", b"\x80", "€"),
        ("Windows-1251", b"\xcf", "П"),
        ("KOI8-R", b"\xf0", "П"),
        ("Shift_JIS", b"\x8a\xbf", "漢"),
        ("EUC-JP", b"\xb4\xc1", "漢"),
        ("ISO-2022-JP", b"\x1b$B4A\x1b(B", "漢"),
        ("GB18030", b"\x94\x32\xbe\x34", "𝄞"),
        ("gb2312", b"\xba\xba", "汉"),
        ("Big5", b"\xba\x7e", "漢"),
        ("EUC-KR", b"\xc7\xd1", "한"),
        ("US-ASCII", b"e", "e"),
        ("UTF-8", "é漢𝄞".as_bytes(), "é漢𝄞"),
        ("utf8", "é".as_bytes(), "é"),
    ] {
        for declaration in [
            format!("<?xml version=\"1.0\" encoding=\"{name}\"?>"),
            format!("<?xml\tversion = '1.0'\r\nencoding\n=\n'{name}' standalone='yes' ?>"),
            format!("<?xml encoding='{name}'?>"),
        ] {
            let data = [declaration.as_bytes(), b"<a>", bytes, b"</a>"].concat();
            let expected = format!("{declaration}<a>{text}</a>");
            assert_eq!(read(&data).as_deref(), Ok(expected.as_str()), "{name}");
            // What the caller says takes precedence.
            let (alone, fault) = outcome(&[b"<a>", bytes, b"</a>"].concat(), by_name("koi8-u"));
            assert_eq!(fault, None);
            let said = outcome(&data, by_name("koi8-u"));
            assert_eq!(said, (format!("{declaration}{alone}"), None), "{name}");
        }
    }
}

#[test]
fn what_is_assumed_is_for_documents_that_say_nothing() {
    let assumed = by_name("windows-1252");
    for declaration in ["", "<?xml version='1.0'?>", "<?xml-stylesheet encoding='utf-8'?>", " "] {
        let data = [declaration.as_bytes(), b"<a>\x80</a>"].concat();
        assert_eq!(outcome(&data, assumed), (format!("{declaration}<a>€</a>"), None));
        let (text, fault) = outcome(&data, None);
        assert_eq!(text, format!("{declaration}<a>"));
        let at = text.len() as u64;
        assert_eq!(fault, Some((Kind::Malformed, at, "invalid UTF-8: byte 0x80".to_owned())));
    }
}

#[test]
fn contradictions() {
    let declared = |name: &str| format!("<?xml version='1.0' encoding='{name}'?><a/>");
    for name in ["UTF-16", "utf-16le", "UTF-16BE", "ISO-10646-UCS-2", "utf-32", "UTF-32LE"] {
        let family = if name.contains("32") { "UTF-32" } else { "UTF-16" };
        let claim = format!("the XML declaration says encoding '{name}', but ");
        assert_eq!(
            read(declared(name).as_bytes()),
            Err(format!("{claim}it is not written in {family}"))
        );
    }
    let marked = format!("\u{feff}{}", declared("ISO-8859-1"));
    assert_eq!(
        read(marked.as_bytes()).unwrap_err(),
        "the XML declaration says encoding 'ISO-8859-1', but the byte order mark says UTF-8",
    );
    for (width, big, shown) in WIDE {
        let other = if width == 2 { "utf-32" } else { "UTF-16" };
        let turned = format!("{}{}", &shown[..6], if big { "LE" } else { "BE" });
        for name in ["UTF-8", "Latin1", "Shift_JIS", other, &turned] {
            let claim = format!("the XML declaration says encoding '{name}', but ");
            let text = declared(name);
            let data = units(&text, width, big);
            assert_eq!(read(&data), Err(format!("{claim}it is written in {shown}")));
            let data = units(&format!("\u{feff}{text}"), width, big);
            assert_eq!(read(&data), Err(format!("{claim}the byte order mark says {shown}")));
        }
    }
}

#[test]
fn unknown_encodings() {
    for name in ["klingon", "", "iso-2022-kr", "ebcdic-cp-us", "utf-7"] {
        let text = format!("<?xml version='1.0' encoding='{name}'?><a/>");
        for (width, big) in [(1, false), (2, false), (4, true)] {
            let fault = outcome(&units(&text, width, big), None).1.unwrap();
            assert_eq!(fault, (Kind::Malformed, 0, format!("unknown encoding '{name}' declared")));
        }
    }
    // `<?xml version='1.0'?>`
    let ebcdic = b"\x4c\x6f\xa7\x94\x93\x40\xa5\x85\x99\xa2\x89\x96\x95\x7e\x7d\xf1\x4b\xf0\x7d";
    assert_eq!(
        read(ebcdic).unwrap_err(),
        "the document is in EBCDIC, which is not read; convert it to UTF-8"
    );
    assert_eq!(read(b"Lo").as_deref(), Ok("Lo"));
}

/// The reader reports their faults; a malformed declaration names no encoding.
#[test]
fn truncated_declarations() {
    let text = "<?xml version='1.0' encoding='windows-1252' standalone='yes'?><a/>";
    for n in 0..text.len() {
        assert_eq!(read(&text.as_bytes()[..n]).as_deref(), Ok(&text[..n]));
        for (width, big, _) in WIDE {
            let data = units(&text[..n], width, big);
            if n < text.find(" standalone").unwrap() {
                assert_eq!(read(&data).as_deref(), Ok(&text[..n]), "{width} {big}");
            } else {
                assert!(read(&data).unwrap_err().contains("windows-1252"));
            }
        }
    }
    for text in ["<?xmlencoding='latin1'?>é", "<?xml version='1.0'encoding=latin1?>é"] {
        assert_eq!(read(text.as_bytes()).as_deref(), Ok(text));
    }
}

#[test]
fn long_declarations() {
    let text =
        |blanks: usize| format!("<?xml version='1.0'{}encoding='latin1'?>", " ".repeat(blanks));
    let most = DECLARATION - text(0).len() + "?>".len();
    let data = [text(most).as_bytes(), b"<a>\xe9"].concat();
    assert_eq!(read(&data), Ok(format!("{}<a>é", text(most))));
    let data = [text(most + 1).as_bytes(), b"<a>\xe9"].concat();
    assert_eq!(
        outcome(&data, None).1,
        Some((Kind::Limit, 0, "the XML declaration is longer than 1024 bytes".to_owned()))
    );
    // Without a declaration, the window does not wait for more bytes.
    let comment = format!("<!--{}-->", " ".repeat(3000));
    assert_eq!(read(comment.as_bytes()), Ok(comment));
}

#[test]
fn faults_stand_behind_the_text() {
    let head = "<?xml version='1.0' encoding='Shift_JIS'?>";
    let data = [head.as_bytes(), b"<a>\x8a\xbf\x81\x20</a>"].concat();
    let reason = "invalid Shift_JIS: these bytes are not a character".to_owned();
    let text = format!("{head}<a>漢");
    let at = text.len() as u64;
    assert_eq!(outcome(&data, None), (text.clone(), Some((Kind::Malformed, at, reason))));
    let data = [head.as_bytes(), b"<a>\x8a\xbf\x81"].concat();
    let reason = "the input ends inside a character (Shift_JIS)".to_owned();
    assert_eq!(outcome(&data, None), (text, Some((Kind::Truncated, at, reason))));
    let data = [units("<a>é", 2, false), vec![0, 0xd8, b'<', 0]].concat();
    let reason = "invalid utf-16-le: these bytes are not a character".to_owned();
    assert_eq!(outcome(&data, None), ("<a>é".to_owned(), Some((Kind::Malformed, 5, reason))));
}

/// Once the encoding is known, a slow stream is not asked for more bytes.
#[test]
fn nothing_is_read_that_is_not_needed() {
    struct Once(Option<&'static [u8]>);
    impl Read for Once {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            let data = self.0.take().ok_or_else(|| io::Error::other("asked for more"))?;
            out[..data.len()].copy_from_slice(data);
            Ok(data.len())
        }
    }
    let limits = Limits::default();
    for data in [
        &b"<a"[..],
        b"<!",
        b" <",
        b"<?xml-",
        b"<?p",
        b"<?xml version='1.0'?",
        b"<?xml version='1.0' encoding='latin1'",
        b"\xef\xbb\xbf<a",
        b"<\0a\0",
    ] {
        let options = Options {
            compression: Compression::None,
            detect: Detect::Xml,
            ..Options::new(&limits)
        };
        let mut source = Source::open(Box::new(Once(Some(data))), options);
        let mut out = [0; 64];
        assert!(source.read(&mut out).unwrap() > 0, "{data:?}");
        let mut window = Window::detecting(Detect::Xml, None);
        window.push(data).unwrap();
        assert!(!window.text().as_str().is_empty(), "{data:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 120,
        rng_seed: RngSeed::Fixed(5),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// Any pieces of any document, damaged or not, give the same result.
    #[test]
    fn pieces_do_not_matter(
        encoding in prop::sample::select(vec![
            "utf-8", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be", "shift_jis", "gb18030",
            "iso-2022-jp", "windows-1252", "ascii",
        ]),
        mark in any::<bool>(),
        declared in prop::option::of(prop::sample::select(vec![
            "utf-8", "utf-16", "utf-32", "UTF-16BE", "shift_jis", "gb18030", "iso-2022-jp",
            "windows-1252", "ascii", "nonsense",
        ])),
        assumed in prop::option::of(prop::sample::select(vec!["latin1", "utf-16", "euc-kr"])),
        body in "[a-z<>é漢𝄞\n]{0,40}",
        noise in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..3),
        lengths in prop::collection::vec(1_usize..20, 1..8),
    ) {
        let declaration =
            declared.map(|name| format!("<?xml version='1.0' encoding='{name}'?>"));
        let text = format!(
            "{}{}<a>{body}</a>",
            if mark { "\u{feff}" } else { "" },
            declaration.unwrap_or_default(),
        );
        let mut data = match encoding {
            "utf-16-le" => units(&text, 2, false),
            "utf-16-be" => units(&text, 2, true),
            "utf-32-le" => units(&text, 4, false),
            "utf-32-be" => units(&text, 4, true),
            other => encoding_rs::Encoding::for_label(other.as_bytes())
                .unwrap()
                .encode(&text)
                .0
                .into_owned(),
        };
        for (index, byte) in noise {
            let at = index.index(data.len());
            data[at] = byte;
        }
        let assumed = assumed.and_then(by_name);
        let expected = outcome(&data, assumed);
        prop_assert_eq!(&streamed(&data, assumed, &lengths), &expected);
        prop_assert_eq!(&fed(&data, assumed, &lengths), &expected);
    }
}
