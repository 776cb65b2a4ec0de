//! Property lists as XML.

mod documents;
mod recording;
mod twin;
mod writing;

use std::path::Path;
use std::time::{Duration, Instant};
use std::{env, fs};

use penstock_core::error::{Fail, Kind};
use penstock_core::limits::Limits;
use penstock_core::plist::markup::Reader;
use penstock_core::protocol::{FormatReader, InputView, Step, Trace};
use penstock_core::repair::Repairs;
use penstock_scan::ValidText;
use proptest::prelude::*;

use crate::config;
use documents::{cuts, damaged, document, value};
use recording::{Answers, Cuts, Event, Recorder, What, read, refuses, told as told_with};
use twin::expected;

/// The events of a document that is shown in windows which grow by `step` bytes, and its fault.
fn traced(text: &str, limits: &Limits, step: usize) -> String {
    let (mut reader, mut trace) = (Reader::new(limits, Repairs::default()), Trace::new());
    let (mut start, mut end) = (0, step.min(text.len()));
    while !text.is_char_boundary(end) {
        end += 1;
    }
    loop {
        let last = end == text.len();
        let given = InputView::Text { text: ValidText::from(&text[start..end]), last };
        match reader.run(given, &mut trace) {
            Ok(Step::Done) => return trace.into_text(),
            Ok(Step::More) => {
                assert!(!last, "asks for more than there is");
                let done = reader.consumed();
                reader.drop_front(done);
                start += done;
                end = (end + step).min(text.len());
                while !text.is_char_boundary(end) {
                    end += 1;
                }
            }
            Ok(other) => panic!("{other:?}"),
            Err(Fail::Input(fault)) => return format!("{}{fault}\n", trace.into_text()),
            Err(Fail::Sink(never)) => match never {},
        }
    }
}

/// The same, however the document is cut.
fn told(text: &str) -> String {
    let whole = traced(text, &Limits::default(), usize::MAX / 2);
    for step in [1, 2, 3, 7, 64] {
        assert_eq!(traced(text, &Limits::default(), step), whole, "{step} bytes at a time");
    }
    whole
}

/// The fault of a document.
fn fault(text: &str) -> String {
    told(text).lines().last().unwrap_or_default().to_owned()
}

const APPLE: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
"#;

#[test]
fn every_kind_of_value() {
    let text = "<plist version=\"1.0\">
<!-- everything -->
<dict>
	<key>a &amp; b</key>
	<string>nuts &lt; <![CDATA[<bolts>]]><!-- no --> é</string>
	<key/><string></string>
	<key>int</key><integer> 42 </integer>
	<key>big</key><integer>0xFFFFFFFFFFFFFFFF</integer>
	<key>real</key><real>-1.5e3</real>
	<key>no</key><array><true/><false></false><real>nan</real></array>
	<key>when</key><date>2004-10-26T10:33:33Z</date>
	<key>data</key><data>
	cGVu
	c3RvY2s=
	</data>
	<key>uid</key><dict><key>CF$UID</key><integer>7</integer></dict>
	<key>none</key><dict/><key>empty</key><array/>
</dict>
</plist>
";
    let expected = "
  42 begin map
  50   key \"a & b\"
  72   text \"nuts < <bolts> é\"
 134   key \"\"
 140   text \"\"
 159   key \"int\"
 173   int 42
 198   key \"big\"
 212   number 18446744073709551615
 251   key \"real\"
 266   float -1500.0
 287   key \"no\"
 300   begin list
 307     bool true
 314     bool false
 329     float NaN
 345   end list
 355   key \"when\"
 370   datetime 2004-10-26T10:33:33.000000Z
 405   key \"data\"
 420   bytes 70656e73746f636b
 453   key \"uid\"
 467   uid 7
 519   key \"none\"
 534   begin map
 539   end map
 541   key \"empty\"
 557   begin list
 563   end list
 566 end map
";
    let shifted = told(text);
    assert_eq!(format!("\n{shifted}"), expected);
    let lines = told(&format!("{APPLE}{text}"));
    assert_eq!(lines.lines().count(), shifted.lines().count());
    assert_eq!(told(&text.replace('\n', "\r\n")).lines().count(), shifted.lines().count());
}

/// A dictionary is a UID only if it is exactly that.
#[test]
fn uids() {
    let dict = |members: &str| told(&format!("<dict>{members}</dict>"));
    let uid = "<key>CF$UID</key>";
    assert_eq!(dict(&format!("{uid}<integer>7</integer>")), "   0 uid 7\n");
    let most = "<integer>18446744073709551615</integer>";
    assert_eq!(dict(&format!("{uid}{most}")), "   0 uid 18446744073709551615\n");
    assert_eq!(dict("<key>CF<!-- -->$UID</key><integer>0x10</integer>"), "   0 uid 16\n");
    let begin = "   0 begin map\n   6   key \"CF$UID\"\n";
    for (value, told) in [
        ("<string>7</string>", "  23   text \"7\"\n  41 end map\n"),
        ("<real>7</real>", "  23   float 7.0\n  37 end map\n"),
        ("<array/>", "  23   begin list\n  29   end list\n  31 end map\n"),
        ("<dict/>", "  23   begin map\n  28   end map\n  30 end map\n"),
        ("<integer>-1</integer>", "  23   int -1\n  44 end map\n"),
        (
            "<integer>18446744073709551616</integer>",
            "  23   number 18446744073709551616\n  62 end map\n",
        ),
        (
            "<integer>7</integer><key/><true/>",
            "  23   int 7\n  43   key \"\"\n  49   bool true\n  56 end map\n",
        ),
        (
            "<integer>18446744073709551615</integer><key/><true/>",
            "  23   number 18446744073709551615\n  62   key \"\"\n  68   bool true\n  75 end map\n",
        ),
    ] {
        assert_eq!(dict(&format!("{uid}{value}")), format!("{begin}{told}"));
    }
    let nested = "<array><dict><key>CF$UID</key><integer>1</integer></dict></array>";
    assert_eq!(told(nested), "   0 begin list\n   7   uid 1\n  57 end list\n");
}

#[test]
fn what_is_no_property_list() {
    for (text, reason) in [
        ("<plist/>", "<plist> has no value (byte 0)"),
        ("<plist> <!-- --> </plist>", "<plist> has no value (byte 0)"),
        ("<plist><true/><true/></plist>", "<plist> has more than one value (byte 14)"),
        ("<plist><plist><true/></plist></plist>", "<plist> inside of <plist> (byte 7)"),
        ("<plist><array><plist/></array></plist>", "<plist> inside of <plist> (byte 14)"),
        ("<plist>a<true/></plist>", "text in <plist>, which has only elements (byte 7)"),
        ("<plist><true/>\n\ta</plist>", "text in <plist>, which has only elements (byte 16)"),
        ("<plist><key>a</key></plist>", "<key> outside of <dict> (byte 7)"),
        ("<array><key>a</key></array>", "<key> outside of <dict> (byte 7)"),
        ("<html/>", "\"html\" is no element of a property list (byte 0)"),
        ("<array><Dict/></array>", "\"Dict\" is no element of a property list (byte 7)"),
        ("<p:dict/>", "\"p:dict\" is no element of a property list (byte 0)"),
        ("<array> é</array>", "text in <array>, which has only elements (byte 8)"),
        ("<array><![CDATA[ ]]>&amp;</array>", "text in <array>, which has only elements (byte 20)"),
        ("<array>\r\n\r x</array>", "text in <array>, which has only elements (byte 11)"),
        // A reference to white space comes with the text after it, or before it.
        ("<array> &#32;&#10; x</array>", "text in <array>, which has only elements (byte 8)"),
        ("<array> &#32;<true/> x</array>", "text in <array>, which has only elements (byte 21)"),
        ("<dict>a</dict>", "text in <dict>, which has only elements (byte 6)"),
        ("<dict><true/></dict>", "expected <key> or </dict>, got <true> (byte 6)"),
        ("<dict><key/><true/><dict/></dict>", "expected <key> or </dict>, got <dict> (byte 19)"),
        ("<dict><key/></dict>", "expected a value after the key, got </dict> (byte 12)"),
        ("<dict><key/><key/></dict>", "expected a value after the key, got <key> (byte 12)"),
        ("<dict><key><true/></key></dict>", "<true> in <key>, which has only text (byte 11)"),
        ("<string>a<string/></string>", "<string> in <string>, which has only text (byte 9)"),
        ("<string>a<b/></string>", "\"b\" is no element of a property list (byte 9)"),
        ("<true>x</true>", "text in <true> (byte 0)"),
        ("<integer/>", "<integer> has no integer (byte 0)"),
        ("<real>1,5</real>", "<real> has no number (byte 0)"),
        ("<date>today</date>", "<date> has no date like 2004-10-26T10:33:33Z (byte 0)"),
        (
            "<data>a</data>",
            "<data> has no base64: one character alone in the last group of base64 (byte 0)",
        ),
        (
            "<dict><key>CF$UID</key><integer>x</integer></dict>",
            "<integer> has no integer (byte 23)",
        ),
        ("<dict><key>CF$UID</key></dict>", "expected a value after the key, got </dict> (byte 23)"),
        ("<true/><true/>", "an element after the root element (byte 7)"),
        ("<array><true></array>", "the end tag of 'array', but 'true' is open (byte 13)"),
        ("<array>", "the input ends inside the element 'array' (byte 7)"),
        ("", "the input ends before the root element (byte 0)"),
        ("bplist00", "text before the root element: this is not XML (byte 0)"),
    ] {
        assert_eq!(fault(text), reason, "{text}");
    }
}

proptest! {
    #![proptest_config(config(1_000))]

    /// Whatever the destination answers and however the text is cut, its events are those of the
    /// twin.
    #[test]
    fn the_twin_reads_the_same(
        text in prop_oneof![document(), damaged()], cuts in cuts(),
        skips in 0_u64..4, looks in 0_u64..3, pauses in 0_u64..3,
    ) {
        let answers = Answers { skips, looks, pauses };
        let expected = expected(&text, &Limits::default(), answers);
        let whole = told_with(&text, &Cuts::WHOLE, answers);
        let fault = |events: &[Event]| match events {
            [.., fault @ (_, What::Fault(..))] => Some(fault.clone()),
            _ => None,
        };
        if looks > 0 && let Some(found) = fault(&whole) {
            // What was held back is never told. And what is held back is checked, even if it would
            // be skipped.
            let before = &whole[..whole.len() - 1];
            prop_assert_eq!(before, &expected[..before.len()]);
            prop_assert!(skips > 0 || Some(found) == fault(&expected));
        } else {
            prop_assert_eq!(&whole, &expected);
        }
        for cuts in [Cuts::bytes(), cuts] {
            prop_assert_eq!(&told_with(&text, &cuts, answers), &whole, "{:?}", cuts);
        }
    }

    /// After a refused event the reader continues with the next one, or skips what is given up.
    #[test]
    fn what_is_given_up_is_passed_over(
        text in document(), cuts in cuts(), number in any::<prop::sample::Index>(), depth in 0_usize..4,
    ) {
        let all = expected(&text, &Limits::default(), Answers::default());
        let refused = number.index(all.len());
        let (mut open, mut passing) = (0_usize, false);
        let mut expected = Vec::new();
        for (number, event) in all.iter().enumerate() {
            match event.1 {
                What::BeginMap | What::BeginList => open += 1,
                What::EndMap | What::EndList => open -= 1,
                _ => {}
            }
            if !passing || matches!(event.1, What::Fault(..)) {
                expected.push(event.clone());
            }
            passing = open > depth && (passing || number == refused);
        }
        for cuts in [Cuts::WHOLE, Cuts::bytes(), cuts] {
            let refusal = Some((refused, depth));
            let mut recorder = Recorder { refusal, ..Recorder::new(Answers::default()) };
            read(&text, &Limits::default(), &cuts, &mut recorder);
            prop_assert_eq!(&recorder.events, &expected, "{:?}", cuts);
        }
    }

    /// A record can be refused before any of it is told.
    #[test]
    fn records_are_refused_by_looking_ahead(
        records in proptest::collection::vec(value(), 1..6), cuts in cuts(), seed in 1_u64..9,
    ) {
        let text = format!("<!DOCTYPE plist [<!ENTITY e 'e'>]><plist><array>{}</array></plist>", records.concat());
        let mut expected = expected(&text, &Limits::default(), Answers::default());
        let (mut open, mut refused) = (0_usize, false);
        expected.retain(|(at, what)| {
            let is_record = open == 1 && *what == What::BeginMap;
            match what {
                What::BeginMap | What::BeginList => open += 1,
                What::EndMap | What::EndList => open -= 1,
                _ => {}
            }
            let keep = !refused || is_record;
            refused = if is_record { refuses(seed, *at) } else { refused && open > 1 };
            keep
        });
        for cuts in [Cuts::WHOLE, Cuts::bytes(), cuts] {
            let mut recorder = Recorder { refuses: seed, ..Recorder::default() };
            read(&text, &Limits::default(), &cuts, &mut recorder);
            prop_assert_eq!(&recorder.events, &expected, "{:?}", cuts);
        }
    }

    /// A destination that ignores scalars may get a UID, and no other.
    #[test]
    fn ignored_scalars_are_passed_over(text in document(), cuts in cuts()) {
        let mut expected = expected(&text, &Limits::default(), Answers::default());
        // The first member of a dictionary is read before the dictionary is known to be no UID.
        let mut first = "";
        expected.retain(|(_, what)| match what {
            What::Key(key) => {
                first = if first == "begin" && key == "CF$UID" { "uid" } else { "" };
                true
            }
            What::BeginMap => {
                first = "begin";
                true
            }
            What::Int(_) | What::Number(_) if first == "uid" => {
                first = "";
                true
            }
            what => {
                first = "";
                matches!(what, What::EndMap | What::BeginList | What::EndList | What::Uid(_) | What::Fault(..))
            }
        });
        for cuts in [Cuts::WHOLE, cuts] {
            let mut recorder = Recorder { ignores: true, ..Recorder::new(Answers::default()) };
            read(&text, &Limits::default(), &cuts, &mut recorder);
            prop_assert_eq!(&recorder.events, &expected, "{:?}", cuts);
        }
    }
}

/// Every prefix of a document is a fault, and the same one however it is cut.
#[test]
fn every_prefix_is_refused() {
    let text = format!(
        "{APPLE}<plist><dict><key>a</key><array><dict><key>CF$UID</key><integer>7</integer></dict>\
         <string>é&amp;]]</string><date>2004-10-26T10:33:33Z</date></array><key>b</key>\
         <data>AA==</data><key>c</key><true/><key>d</key><real>1.5</real></dict></plist>"
    );
    let whole = expected(&text, &Limits::default(), Answers::default());
    assert!(!matches!(whole.last(), Some((_, What::Fault(..)))), "{whole:?}");
    for end in 0..text.len() {
        let Some(part) = text.get(..end) else { continue };
        let expected = expected(part, &Limits::default(), Answers::default());
        assert!(matches!(expected.last(), Some((_, What::Fault(..)))), "{part:?}");
        for cuts in [Cuts::WHOLE, Cuts(vec![7])] {
            assert_eq!(told_with(part, &cuts, Answers::default()), expected, "{part:?}");
        }
    }
}

/// Every byte of a document is changed.
#[test]
fn every_change_is_read_as_the_twin_reads_it() {
    let text = "<plist><dict><key>a</key><array><dict><key>CF$UID</key><integer>7</integer></dict>\
                <string>&amp;]]</string><date>2004-10-26T10:33:33Z</date></array></dict></plist>";
    for at in 0..text.len() {
        for with in ["<", ">", "/", "&", " ", "x", "9", "é", ""] {
            let changed = format!("{}{with}{}", &text[..at], &text[at + 1..]);
            let expected = expected(&changed, &Limits::default(), Answers::default());
            for cuts in [Cuts::WHOLE, Cuts(vec![5])] {
                let told = told_with(&changed, &cuts, Answers::default());
                assert_eq!(told, expected, "{changed:?}");
            }
        }
    }
}

/// Number 517. A value in the text of an entity has its place in the declaration, to which the reader
/// went back when it was stopped within the value.
#[test]
fn test_517_stopped_within_an_entity() {
    let declared =
        |text: &str| format!("<!DOCTYPE plist [<!ENTITY e '{text}'>]><array>&e;</array>");
    for text in [
        declared("<data/><dict><key>area"),
        declared("<dict><key>CF$UID</key><string>7</string></dict>"),
        declared("<dict><key>CF$UID</key><integer>7</integer><key>b</key><true/></dict>"),
    ] {
        for pauses in 0..40 {
            let answers = Answers { pauses, ..Answers::default() };
            let expected = expected(&text, &Limits::default(), answers);
            for cuts in [Cuts::WHOLE, Cuts::bytes(), Cuts(vec![0, 0, 16, 105])] {
                assert_eq!(told_with(&text, &cuts, answers), expected, "{text} {pauses}");
            }
        }
    }
}

#[test]
fn limits_are_named() {
    let limits = Limits { depth: 3, token: 8, number: 5, ..Limits::default() };
    let told = |text: &str| {
        let whole = traced(text, &limits, usize::MAX / 2);
        for step in [1, 3] {
            assert_eq!(traced(text, &limits, step), whole);
        }
        whole.lines().last().unwrap().to_owned()
    };
    let nested = |text: &str, depth: usize| {
        format!("<plist>{}{text}{}</plist>", "<array>".repeat(depth), "</array>".repeat(depth))
    };
    let deep = "nested deeper than 3 levels (limits.depth)";
    assert_eq!(told(&nested("<true/>", 3)), "  51 end list");
    assert_eq!(told(&nested("<dict/>", 3)), format!("{deep} (byte 28)"));
    assert_eq!(told(&nested("<true/>", 4)), format!("{deep} (byte 28)"));
    let long = "a string longer than 8 bytes (limits.token) (byte 0)";
    for (text, expected) in [
        ("<string>12345678</string>", "   0 text \"12345678\""),
        ("<string>123456789</string>", long),
        ("<string>1234&amp;678</string>", "   0 text \"1234&678\""),
        ("<string>1234&amp;6789</string>", long),
        ("<string>&amp;12345678</string>", long),
        ("<data>AAAAAAAA\n</data>", long),
        ("<integer>12345</integer>", "   0 int 12345"),
        ("<integer>123456</integer>", "a number longer than 5 bytes (limits.number) (byte 0)"),
        ("<real>1.2345</real>", "a number longer than 5 bytes (limits.number) (byte 0)"),
    ] {
        assert_eq!(told(text), expected, "{text}");
    }
    // What is skipped has the same limit of depth.
    let mut skipping = Recorder { skips_all: true, ..Recorder::default() };
    read(&nested("<true/>", 9), &limits, &Cuts::WHOLE, &mut skipping);
    let Some((_, What::Fault(Kind::Limit, reason))) = skipping.events.last() else { panic!() };
    assert_eq!(reason, deep);
}

/// Long enough for any machine; code that is not linear takes hours.
const LONG: Duration = Duration::from_secs(60);

#[test]
fn hostile_documents() {
    let begin = Instant::now();
    let deep = "nested deeper than 1000 levels (limits.depth)";
    for open in ["<array>", "<dict><key>a</key>", "<dict><key>CF$UID</key>"] {
        assert_eq!(
            traced(&open.repeat(100_000), &Limits::default(), 4096).lines().last(),
            Some(&*{
                let at = 1000 * open.len();
                format!("{deep} (byte {at})")
            })
        );
    }
    let deeper = Limits { depth: 1_000_000, ..Limits::default() };
    let (depth, end) = (100_000, "</array>".repeat(100_000));
    let told = traced_short(&format!("{}{end}", "<array>".repeat(depth)), &deeper);
    assert_eq!(told, 2 * depth);
    let bomb: String = (1..20)
        .map(|level| format!("<!ENTITY e{level} '{}'>", format!("&e{};", level - 1).repeat(10)))
        .collect();
    let bomb = format!("<!DOCTYPE plist [<!ENTITY e0 '<true/>'>{bomb}]><array>&e19;</array>");
    let reason =
        "entities expand to more than 10 bytes for each byte of input (limits.amplification)";
    assert!(traced(&bomb, &Limits::default(), 4096).lines().last().unwrap().starts_with(reason));
    // A text in a million pieces, and one that comes byte by byte.
    let pieces = format!("<string>{}</string>", "a<!---->".repeat(300_000));
    assert_eq!(
        traced(&pieces, &Limits::default(), 1 << 16).len(),
        "   0 text \"\"\n".len() + 300_000
    );
    let slow = format!("<string>{}</string>", "a".repeat(100_000));
    assert_eq!(traced(&slow, &Limits::default(), 1).len(), "   0 text \"\"\n".len() + 100_000);
    let data = format!("<data>{}</data>", "AAAA\n".repeat(300_000));
    assert!(traced(&data, &Limits::default(), 1 << 16).starts_with("   0 bytes 0000"));
    assert!(begin.elapsed() < LONG, "{:?}", begin.elapsed());
}

/// How many events a document has.
fn traced_short(text: &str, limits: &Limits) -> usize {
    let mut recorder = Recorder::default();
    read(text, limits, &Cuts(vec![255]), &mut recorder);
    recorder.events.len()
}

/// The property lists of other projects, if they are installed: `PENSTOCK_CORPORA` names the folder
/// of the corpora.
#[test]
fn corpora() {
    let corpora = env::var("PENSTOCK_CORPORA").unwrap_or_default();
    let folder = Path::new(&corpora).join("plist");
    if corpora.is_empty() || !folder.is_dir() {
        let required = env::var_os("PENSTOCK_REQUIRE_CORPORA").is_some();
        assert!(!required, "no property lists: PENSTOCK_CORPORA={corpora}");
        return;
    }
    let mut files = vec![folder.join("iTunes-Library.xml")];
    let others = fs::read_dir(folder.join("libplist")).unwrap();
    files.extend(others.map(|entry| entry.unwrap().path()));
    files.retain(|path| path.extension().is_some_and(|ext| ext == "plist" || ext == "xml"));
    files.sort();
    let mut refused = Vec::new();
    for path in &files {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let Ok(text) = fs::read_to_string(path) else {
            refused.push(format!("{name}: not text"));
            continue;
        };
        let expected = expected(&text, &Limits::default(), Answers::default());
        for cuts in [Cuts::WHOLE, Cuts(vec![200, 3])] {
            assert_eq!(told_with(&text, &cuts, Answers::default()), expected, "{name}");
        }
        let skips = Answers { skips: 3, looks: 2, pauses: 1 };
        assert_eq!(told_with(&text, &Cuts::WHOLE, skips), told_with(&text, &Cuts::bytes(), skips));
        if let Some((at, What::Fault(_, reason))) = expected.last() {
            refused.push(format!("{name}: {reason} (byte {at})"));
        }
    }
    // The two are no XML.
    let expected = [
        "amp.plist: expected ';' at the end of the reference: a '&' itself is written '&amp;' (byte 46)",
        "invalid_tag.plist: expected a comment or a CDATA section after '<!' (byte 42)",
    ];
    assert_eq!(refused, expected, "of {} files", files.len());
}
