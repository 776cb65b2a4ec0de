//! The rules, one by one.

use penstock_core::convert::{ForceList, Form};
use penstock_core::limits::Limits;
use penstock_core::run::Policy;

use crate::converting::{How, Side, bad, converted, good};

fn plain(text: &str) -> String {
    good(text, &How::new(Side::Xml, Side::Json, Form::Plain))
}

fn element(text: &str) -> String {
    good(text, &How::new(Side::Xml, Side::Json, Form::Element))
}

#[test]
fn elements_become_members() {
    for (xml, json) in [
        ("<a/>", r#"{"a":null}"#),
        ("<a> \n </a>", r#"{"a":null}"#),
        ("<a> x &amp; y\n</a>", r#"{"a":"x & y"}"#),
        ("<a b=''/>", r#"{"a":{"@b":""}}"#),
        ("<a b=' 1 '>x</a>", r##"{"a":{"@b":" 1 ","#text":"x"}}"##),
        ("<a>x<b/>y</a>", r##"{"a":{"b":null,"#text":"xy"}}"##),
        ("<a>x <b/> y</a>", r##"{"a":{"b":null,"#text":"x  y"}}"##),
        ("<a><b>1</b><b>2</b></a>", r#"{"a":{"b":["1","2"]}}"#),
        ("<a><b>1</b><c/><b>2</b><b/></a>", r#"{"a":{"b":["1","2",null],"c":null}}"#),
        ("<a><b><b>1</b><b>2</b></b><b>3</b></a>", r#"{"a":{"b":[{"b":["1","2"]},"3"]}}"#),
        ("<a><b><c/></b><c/><b><c/></b></a>", r#"{"a":{"b":[{"c":null},{"c":null}],"c":null}}"#),
        ("<a><a><a/></a></a>", r#"{"a":{"a":{"a":null}}}"#),
        ("<a x='1'><x>2</x></a>", r#"{"a":{"@x":"1","x":"2"}}"#),
        ("<!--c--><a><!--c--><?p d?>x<![CDATA[<y>]]></a>", r#"{"a":"x<y>"}"#),
        (
            "<p:a xmlns:p='u' xmlns='v' p:b='1'><c/></p:a>",
            r#"{"p:a":{"@xmlns:p":"u","@xmlns":"v","@p:b":"1","c":null}}"#,
        ),
        ("<!DOCTYPE a [<!ATTLIST a b CDATA 'd'>]><a/>", r#"{"a":{"@b":"d"}}"#),
    ] {
        assert_eq!(plain(xml), json, "{xml}");
    }
}

#[test]
fn lists_may_be_forced() {
    let names = ["b".to_owned(), "#text".to_owned(), "r".to_owned()];
    let force_list = ForceList::Names(names.into_iter().collect());
    let how = How { force_list, ..How::new(Side::Xml, Side::Json, Form::Plain) };
    let text = "<r><b/><c d='1'>x</c></r>";
    assert_eq!(good(text, &how), r##"{"r":[{"b":[null],"c":{"@d":"1","#text":["x"]}}]}"##);
    let how = How { force_list: ForceList::Always, ..how };
    assert_eq!(good("<r><b c='1'/></r>", &how), r#"{"r":[{"b":[{"@c":"1"}]}]}"#);
}

#[test]
fn elements_become_lists() {
    for (xml, json) in [
        ("<a/>", r##"["#document",["a"]]"##),
        ("<a b='1' c=''> x</a>", r##"["#document",["a",{"b":"1","c":""}," x"]]"##),
        ("<a>x<b/>y<b/></a>", r##"["#document",["a","x",["b"],"y",["b"]]]"##),
        (
            "<?xml version='1.0'?><!--c--><a><!-- d --><?p e f?></a><?q?>",
            r##"["#document",["#comment","c"],["a",["#comment"," d "],["#instruction","p","e f"]],["#instruction","q"]]"##,
        ),
        (
            "<p:a xmlns:p='u' p:b='1'><c xmlns=''/></p:a>",
            r##"["#document",["p:a",{"xmlns:p":"u","p:b":"1"},["c",{"xmlns":""}]]]"##,
        ),
    ] {
        assert_eq!(element(xml), json, "{xml}");
    }
}

#[test]
fn long_text_is_several_strings() {
    let text = "é".repeat(40_000);
    let json = element(&format!("<a>{text}</a>"));
    let (first, second) = text.split_at(64 << 10);
    assert_eq!(json, format!(r##"["#document",["a","{first}","{second}"]]"##));
    let back = How::new(Side::Json, Side::Xml, Form::Element);
    assert!(good(&json, &back).ends_with(&format!("<a>{text}</a>")));
}

#[test]
fn records_get_the_declarations_that_they_need() {
    let text =
        "<r xmlns='d' xmlns:p='u'><p:a><b p:c='1'/><d xmlns=''/></p:a><a xml:lang='en'/></r>";
    let how = How { at: Some("*/*"), ..How::new(Side::Xml, Side::Lines, Form::Element) };
    assert_eq!(
        good(text, &how),
        "[\"p:a\",{\"xmlns:p\":\"u\"},[\"b\",{\"p:c\":\"1\",\"xmlns\":\"d\"}],\
         [\"d\"]]\n[\"a\",{\"xml:lang\":\"en\",\"xmlns\":\"d\"}]\n"
    );
    // As XML, the writer declares them.
    let how = How { to: Side::Xml, ..how };
    assert_eq!(
        good(text, &how),
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<root><p:a xmlns:p=\"u\"><b p:c=\"1\" \
         xmlns=\"d\"/><d/></p:a><a xml:lang=\"en\" xmlns=\"d\"/></root>"
    );
}

#[test]
fn members_become_elements() {
    let how = How::new(Side::Json, Side::Xml, Form::Plain);
    for (json, xml) in [
        (
            r#"{"a":null}"#,
            r#"<a xsi:nil="true" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"/>"#,
        ),
        (r##"{"a":{"@b":1,"#text":"x"}}"##, r#"<a b="1">x</a>"#),
        (r#"{"a":{"b":["1",2,true],"c":[]}}"#, "<a><b>1</b><b>2</b><b>true</b></a>"),
        ("[1.50, 1E400]", "<root><item>1.50</item><item>1E400</item></root>"),
        ("7", "<root>7</root>"),
        (r#"{"a":{"b":"<x>&"}}"#, "<a><b>&lt;x&gt;&amp;</b></a>"),
    ] {
        let expected = format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{xml}");
        let found = good(json, &how);
        // `>` need not be escaped.
        assert_eq!(found.replace("&gt;", ">"), expected.replace("&gt;", ">"), "{json}");
    }
}

#[test]
fn values_without_a_form_are_refused_at_their_paths() {
    let how = How::new(Side::Json, Side::Xml, Form::Plain);
    let at = |text| bad(text, &how);
    assert_eq!(
        at(r#"{"a":{"b":[1,[2]]}}"#),
        "a list in a list: XML has no form for it (byte 13, a/b/1)"
    );
    assert_eq!(
        at(r#"{"a":{"b":1,"@c":2}}"#),
        "the attribute \"c\" comes after content of its element: attributes must come first \
         (byte 12, a/@c)"
            .replace("@c)", "~3c)")
    );
    let problem = at(r#"{"a":{"b c":1}}"#);
    assert!(problem.ends_with("(byte 6, a/b c)"), "{problem}");
    let how = How::new(Side::Json, Side::Xml, Form::Element);
    for (text, problem) in [
        (
            r#"{"a":1}"#,
            "no element: in the element form that is a list of its name, its attributes and its content (byte 0, )",
        ),
        (
            "7",
            "no element: in the element form that is a list of its name, its attributes and its content (byte 0, )",
        ),
        ("[]", "an element has a name (byte 1, )"),
        ("[7]", "expected a string or a list, got a number (byte 1, 0)"),
        ("[[]]", "the name of an element is a string (byte 1, 0)"),
        (r#"["a",{"b":1}]"#, "the value of an attribute is a string (byte 10, 1/b)"),
        (r#"["a",{"b":[]}]"#, "the value of an attribute is a string (byte 10, 1/b)"),
        (r#"["a",{"b":{}}]"#, "the value of an attribute is a string (byte 10, 1/b)"),
        (r#"["a","x",{}]"#, "attributes come after the name of an element only (byte 9, 2)"),
        (r#"["a",null]"#, "expected a string or a list, got null (byte 5, 1)"),
        (r##"["#document","x"]"##, "text outside of the root element (byte 13, 1)"),
        (r##"["a",["#document"]]"##, "no name of an element: \"#document\" (byte 6, 1/0)"),
        (r#"["@a"]"#, "no name of an element: \"@a\" (byte 1, 0)"),
        (r##"["#document",["#comment"]]"##, "a comment has one string (byte 24, 1)"),
        (
            r##"["#document",["#comment","a","b"]]"##,
            "a comment has one string, and an instruction two (byte 29, 1/2)",
        ),
        (r##"["#document",["#instruction"]]"##, "an instruction has a target (byte 28, 1)"),
        (
            r##"["#document",["#comment",[]]]"##,
            "a comment or an instruction has strings only (byte 25, 1/1)",
        ),
        (r##"["#document"]"##, "there is no root element"),
    ] {
        assert_eq!(bad(text, &how), problem, "{text}");
    }
}

#[test]
fn lines_and_arrays() {
    let array = r#"[{"a": 1.10}, [2, {}],
        "\u00e9", null]"#;
    let lines = "{\"a\":1.10}\n[2,{}]\n\"\\u00e9\"\nnull\n";
    assert_eq!(good(array, &How::new(Side::Json, Side::Lines, Form::Plain)), lines);
    let back = good(lines, &How::new(Side::Lines, Side::Json, Form::Plain));
    assert_eq!(back, r#"[{"a":1.10},[2,{}],"\u00e9",null]"#);
    assert_eq!(good("", &How::new(Side::Lines, Side::Json, Form::Plain)), "[]");
    assert_eq!(good("{\"a\": 1}", &How::new(Side::Json, Side::Lines, Form::Plain)), "{\"a\":1}\n");
    assert_eq!(
        good("1\n{\"a\":2}", &How::new(Side::Lines, Side::Xml, Form::Plain)),
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<root><item>1</item><item><a>2</a></item></root>"
    );
}

#[test]
fn records_in_error_are_left_out() {
    let lines = "{\"a\":1}\n{\"a\":\n{\"b c\":1}\n{\"a\":2}\n";
    let how = How { policy: Policy::Skip, ..How::new(Side::Lines, Side::Xml, Form::Plain) };
    let (text, refused) = converted(lines, &how);
    assert!(text.unwrap().ends_with("<root><item><a>1</a></item><item><a>2</a></item></root>"));
    assert_eq!(refused, 2);
    let how = How { to: Side::Json, ..how };
    assert_eq!(converted(lines, &how), (Ok("[{\"a\":1},{\"b c\":1},{\"a\":2}]".into()), 1));
    let how = How { policy: Policy::Raise, to: Side::Xml, ..how };
    let problem = bad("{\"a\":1}\n{\"b\":{\"b c\":1}}\n", &how);
    assert!(problem.ends_with("(byte 14, record 2, b/b c)"), "{problem}");
}

#[test]
fn a_record_has_limits() {
    let how = How::new(Side::Xml, Side::Json, Form::Plain);
    let limits = Limits { memory: Some(4096), ..Limits::default() };
    let text = format!("<a>{}</a>", "<b>x</b>".repeat(200));
    let problem = bad(&text, &How { limits, ..how.clone() });
    let reason = "the record takes more than 4096 bytes of memory (limits.memory)";
    assert!(problem.starts_with(reason), "{problem}");
    let limits = Limits { token: 10, ..Limits::default() };
    let problem = bad("<a><b>1234567890</b><b>12345678901</b></a>", &How { limits, ..how });
    let reason = "the text of an element is longer than 10 bytes (limits.token)";
    assert!(problem.starts_with(reason), "{problem}");
}
