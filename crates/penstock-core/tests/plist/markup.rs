//! Property lists as XML.

use penstock_core::error::Fail;
use penstock_core::limits::Limits;
use penstock_core::plist::markup::Reader;
use penstock_core::reader::{FormatReader, Step};
use penstock_core::run::Given;
use penstock_core::trace::Trace;
use penstock_scan::ValidText;

/// The events of a document that is shown in windows which grow by `step` bytes, and its fault.
fn traced(text: &str, limits: &Limits, step: usize) -> String {
    let (mut reader, mut trace) = (Reader::new(limits), Trace::new());
    let (mut start, mut end) = (0, step.min(text.len()));
    while !text.is_char_boundary(end) {
        end += 1;
    }
    loop {
        let last = end == text.len();
        let given = Given::Text { text: ValidText::from(&text[start..end]), last };
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
