//! Texts with the events and the messages that they must give.

use penstock_core::limits::Limits;
use penstock_core::plist::text::Reader;
use penstock_core::protocol::{FormatReader, InputView, Step, Trace};

use super::recording::{Answers, whole};

/// The events of a text without their offsets and the beginning and end of the outermost value.
fn values(text: &str) -> Vec<String> {
    let (events, reason) = whole(text, &Limits::default(), Answers::default());
    assert_eq!(reason, None, "{text}");
    events.into_iter().map(|(_, what)| what).collect()
}

/// The value of a text that is one scalar, or a list of one.
fn value(text: &str) -> String {
    let mut all = values(text);
    all.retain(|what| !what.ends_with("list"));
    assert_eq!(all.len(), 1, "{text}: {all:?}");
    all.remove(0)
}

/// The kind of the fault, its offset, and its message.
fn wrong(text: &str) -> (String, usize, String) {
    let (events, reason) = whole(text, &Limits::default(), Answers::default());
    let (at, kind) = events.last().unwrap().clone();
    (kind, at, reason.unwrap())
}

fn malformed(text: &str, at: usize, message: &str) {
    assert_eq!(wrong(text), ("fault Malformed".to_owned(), at, message.to_owned()), "{text}");
}

fn truncated(text: &str, message: &str) {
    let expected = ("fault Truncated".to_owned(), text.len(), message.to_owned());
    assert_eq!(wrong(text), expected, "{text}");
}

#[test]
fn a_dictionary() {
    let text = "// !$*UTF8*$!\n{ name = Vila; tags = (\"a b\", <0fbd77 1c>,); empty = \"\"; }\n";
    let (mut reader, mut trace) = (Reader::new(&Limits::default()), Trace::new());
    let step = reader.run(InputView::Text { text: text.into(), last: true }, &mut trace);
    assert_eq!(step.unwrap(), Step::Done);
    let events = "  14 begin map
  16   key \"name\"
  23   untyped \"Vila\"
  29   key \"tags\"
  36   begin list
  37     untyped \"a b\"
  44     bytes 0fbd771c
  56   end list
  59   key \"empty\"
  67   text \"\"
  71 end map
";
    assert_eq!(trace.text(), events);
}

#[test]
fn a_file_of_strings() {
    let expected =
        ["begin map", "key \"a\"", "untyped \"b\"", "key \"c d\"", "untyped \"c d\"", "end map"];
    assert_eq!(values("/* First */ \"a\" = b; // second\n\"c d\";"), expected);
    assert_eq!(values("{\"a\" = b; \"c d\";}"), expected);
    assert_eq!(values(" "), ["begin map", "end map"]);
    assert_eq!(values("/* nothing */"), ["begin map", "end map"]);
    assert_eq!(values("a; "), ["begin map", "key \"a\"", "untyped \"a\"", "end map"]);
    assert_eq!(values("\"\";"), ["begin map", "key \"\"", "text \"\"", "end map"]);
    assert_eq!(
        values("a = {b = c}; d = (e);"),
        [
            "begin map",
            "key \"a\"",
            "begin map",
            "key \"b\"",
            "untyped \"c\"",
            "end map",
            "key \"d\"",
            "begin list",
            "untyped \"e\"",
            "end list",
            "end map"
        ]
    );
}

#[test]
fn strings() {
    assert_eq!(value("a"), "untyped \"a\"");
    assert_eq!(value("$PATH_-1.5"), "untyped \"$PATH_-1.5\"");
    assert_eq!(value("/usr/bin"), "untyped \"/usr/bin\"");
    assert_eq!(value("http://a.b/c?d"), "untyped \"http://a.b/c?d\"");
    assert_eq!(value("/"), "untyped \"/\"");
    assert_eq!(value("a+b@c.d"), "untyped \"a+b@c.d\"");
    assert_eq!(value("'it is \"so\"'"), "untyped \"it is \\\"so\\\"\"");
    assert_eq!(value("\"two\nlines\""), "untyped \"two\\nlines\"");
    assert_eq!(value("\"水\""), "untyped \"水\"");
}

#[test]
fn escapes() {
    let expected = format!("untyped {:?}", "\x07\x08\x0c\n\r\t\x0b\"\\'\nq");
    assert_eq!(value("\"\\a\\b\\f\\n\\r\\t\\v\\\"\\\\\\'\\\n\\q\""), expected);
    assert_eq!(value(r#""\0\7\12\1011\8""#), format!("untyped {:?}", "\0\x07\nA18"));
    assert_eq!(value(r#""\200\241\341\356\375""#), format!("untyped {:?}", "\u{a0}¡Æôÿ"));
    assert_eq!(value(r#""\U00e9\u6c34\Ud834\Udd1e""#), "untyped \"é水𝄞\"");
    malformed(r#"("ab\400")"#, 4, "\\400 is no character of the NEXTSTEP encoding");
    malformed(r#""\376""#, 1, "\\376 is no character of the NEXTSTEP encoding");
    malformed(r#""\U12x4""#, 1, "\\U must be followed by four hexadecimal digits");
    malformed(r#""\u1""#, 1, "\\u must be followed by four hexadecimal digits");
    malformed(r#""\Ud834""#, 1, "unpaired surrogate \\Ud834");
    malformed(r#""\Ud834\U0041""#, 1, "unpaired surrogate \\Ud834");
    malformed(r#""\Udd1e""#, 1, "unpaired surrogate \\Udd1e");
}

#[test]
fn data() {
    assert_eq!(value("<>"), "bytes ");
    assert_eq!(value("<\n0FbD77 1c\n>"), "bytes 0fbd771c");
    assert_eq!(value("<[]>"), "bytes ");
    assert_eq!(value("<[cGVu\n c3RvY2s=]>"), "bytes 70656e73746f636b");
    assert_eq!(value("<[Zg = =]>"), "bytes 66");
    malformed("<0 f>", 2, "expected the second hexadecimal digit of a byte, found ' '");
    malformed("<0f0>", 4, "expected the second hexadecimal digit of a byte, found '>'");
    malformed("<0fx>", 3, "expected a hexadecimal digit or '>', found 'x'");
    malformed("<?xml ", 1, "expected a hexadecimal digit or '>', found '?'");
    malformed("<[Zg-=]>", 4, "expected a character of base64 or ']', found '-'");
    malformed("<[Zg=]>", 5, "padding '=' is missing");
    malformed("<[Z===]>", 3, "one character alone in the last group of base64");
    malformed("<[Zg===]>", 6, "too much padding '='");
    malformed("<[Zg==Zg==]>", 6, "text after the padding '='");
    malformed("<[Zh==]>", 6, "the last character has bits that belong to no byte");
    malformed("<[Zg==] >", 7, "expected '>' after the ']' of data, found ' '");
}

#[test]
fn typed_values() {
    for (text, expected) in [
        ("<*I5>", "int 5"),
        ("<*I\"-5\">", "int -5"),
        ("<*I+0007>", "int 7"),
        ("<*I-9223372036854775808>", "int -9223372036854775808"),
        ("<*I9223372036854775808>", "number 9223372036854775808"),
        ("<*I-00009223372036854775809>", "number -9223372036854775809"),
        ("<*R1.5>", "float 1.5"),
        ("<*R-1e300>", "float -1e300"),
        ("<*R5>", "float 5.0"),
        ("<*Rinf>", "float inf"),
        ("<*Rnan>", "float NaN"),
        ("<*BY>", "bool true"),
        ("<*BN>", "bool false"),
        ("<*D2001-01-01 00:00:00 +0000>", "datetime 2001-01-01 00:00:00"),
        ("<*D2001-01-01 00:30:00 +0130>", "datetime 2000-12-31 23:00:00"),
    ] {
        assert_eq!(value(text), expected);
    }
    malformed("<*>", 0, "a letter for the type must follow '<*': I, R, B or D");
    malformed("( <*X1>)", 2, "no type has the letter 'X': they are I, R, B and D");
    malformed("<*I1.5>", 0, "expected an integer of decimal digits, found \"1.5\"");
    malformed("<*I>", 0, "expected an integer of decimal digits, found \"\"");
    malformed("<*Rtwo>", 0, "expected a real number, found \"two\"");
    malformed("<*R1e999>", 0, "a real number that is too large for a double");
    malformed("<*BT>", 0, "expected Y or N, found \"T\"");
    malformed(
        "<*D2001-01-01T00:00:00Z>",
        0,
        "expected a date like 2001-12-31 23:59:59 +0000, found \"2001-01-01T00:00:00Z\"",
    );
    malformed(
        "<*D2001-02-29 00:00:00 +0000>",
        0,
        "expected a date like 2001-12-31 23:59:59 +0000, found \"2001-02-29 00:00:00 +0000\"",
    );
}

#[test]
fn what_is_unexpected() {
    malformed("[1]", 0, "expected a value, found '['");
    malformed("{ a = ; }", 6, "expected a value, found ';'");
    malformed("(,)", 1, "expected a value or ')', found ','");
    malformed("(a b)", 3, "expected ',' or ')', found 'b'");
    malformed("(a; b)", 2, "expected ',' or ')', found ';'");
    malformed("{ a : b; }", 4, "expected '=' or ';' after the key, found ':'");
    malformed("{ \"a\" : 1 }", 6, "expected '=' or ';' after the key, found ':'");
    malformed("{ a = b c = d; }", 8, "expected ';' or '}', found 'c'");
    malformed("{ <0f> = b; }", 2, "expected a key or '}', found '<'");
    malformed("a = b; }", 7, "expected a key, found '}'");
    malformed("a = b }", 6, "expected ';', found '}'");
    malformed(
        "a b",
        2,
        "expected '=' or ';' after the string, or the end of the document, found 'b'",
    );
    malformed("{} x", 3, "expected the end of the document after the value, found 'x'");
    malformed(
        "(a) \"x\"",
        4,
        "expected the end of the document after the value, found a double quote",
    );
    malformed("(a 'x')", 3, "expected ',' or ')', found a single quote");
    malformed("(\u{1})", 1, "expected a value or ')', found byte 0x01");
    malformed("( café )", 5, "expected ',' or ')', found 'é', which stands only in quotes");
    malformed(
        "( a/*b*/ )",
        3,
        "a comment inside a string without quotes: a space must come before it, or the string \
         stands in quotes",
    );
}

#[test]
fn what_is_never_closed_names_its_beginning() {
    truncated("", "the input is empty");
    truncated("{ a = b;", "the input ends inside the dictionary that begins at byte 0");
    truncated("({ a", "the input ends inside the dictionary that begins at byte 1");
    truncated("({ a =", "the input ends inside the dictionary that begins at byte 1");
    truncated("{ a = (b", "the input ends inside the array that begins at byte 6");
    truncated("a = b", "the input ends before the ';' of the last entry");
    truncated("a = b; c", "the input ends before the ';' of the last entry");
    truncated("( \"abc", "the input ends inside a string that begins at byte 2");
    truncated("( 'abc\\", "the input ends inside a string that begins at byte 2");
    truncated("( <", "the input ends inside data that begins at byte 2");
    truncated("( <0f 1", "the input ends inside data that begins at byte 2");
    truncated("( <[Zg==]", "the input ends inside data that begins at byte 2");
    truncated("( <*I5", "the input ends inside a typed value that begins at byte 2");
    truncated("( a, /* b *", "the input ends inside a comment that begins at byte 5");
}

#[test]
fn limits() {
    let at_most = |token: usize, number: usize, depth: usize, text: &str| {
        let limits = Limits { token, number, depth, ..Limits::default() };
        whole(text, &limits, Answers::default()).1
    };
    for text in
        ["(\"abcd\")", "(abcd)", "('abcd')", "(\"a\\bcd\")", "(<0f0f>)", "(<[Zg]>)", "(<*I5>)"]
    {
        let short = if text.contains("\\b") { 5 } else { 4 };
        let good = at_most(short, 2, 1, text);
        assert!(!good.is_some_and(|reason| reason.contains("limits")), "{text}");
    }
    let string = "a string longer than 3 bytes (limits.token)";
    for text in ["(\"abcd\")", "(abcd)", "('abcd')", "(\"a\\bd\")"] {
        assert_eq!(at_most(3, 9, 1, text).as_deref(), Some(string), "{text}");
    }
    let data = "data of more than 3 bytes of text (limits.token)";
    assert_eq!(at_most(3, 9, 1, "(<0f0f>)").as_deref(), Some(data));
    let typed = "a value between '<*' and '>' longer than 3 bytes (limits.number)";
    assert_eq!(at_most(9, 3, 1, "(<*I123>)").as_deref(), Some(typed));
    let deep = "nested deeper than 2 levels (limits.depth)";
    assert_eq!(at_most(9, 9, 2, "({a=();})").as_deref(), Some(deep));
    assert_eq!(at_most(9, 9, 2, "a = {b = ();};").as_deref(), Some(deep));
    assert_eq!(at_most(9, 9, 3, "({a=();})"), None);
}
