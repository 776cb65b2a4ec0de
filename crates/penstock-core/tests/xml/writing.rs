//! What the writer makes of events: exact texts, and the messages of what it refuses.

use penstock_core::error::Fail;
use penstock_core::event::{Key, KeyKind, Scalar};
use penstock_core::json;
use penstock_core::limits::Limits;
use penstock_core::options::Indent;
use penstock_core::protocol::{Flow, Sink, Step};
use penstock_core::value::datetime;
use penstock_core::writer::{ENOUGH, Unwritable, Writer as _};
use penstock_core::xml::writer::{Null, Records, Writer, WriterOptions};
use penstock_core::xml::{Options, Reader};
use penstock_scan::ValidText;

/// The options of most tests: no declaration.
fn plain() -> WriterOptions {
    WriterOptions { declaration: false, ..WriterOptions::default() }
}

fn records() -> WriterOptions {
    WriterOptions { records: Records::Within(Vec::new()), ..plain() }
}

/// Writes what a reader of JSON or of XML reports.
fn written_within(
    text: &str,
    options: WriterOptions,
    limits: &Limits,
) -> Result<String, Unwritable> {
    let mut writer = Writer::new(options, limits)?;
    let mut out = Vec::new();
    let mut take = |writer: &mut Writer| {
        out.extend_from_slice(writer.ready());
        writer.taken();
    };
    let valid = ValidText::from(text);
    let mut markup = Reader::new(Options { declarations: true, ..Options::default() }, limits);
    let mut members = json::Reader::new(json::Framing::Concatenated, limits);
    loop {
        let step = if text.starts_with('<') {
            markup.run(valid, true, &mut writer)
        } else {
            members.run(valid, true, &mut writer)
        };
        match step {
            Ok(Step::Done) => break,
            Ok(Step::Paused) => take(&mut writer),
            Ok(step) => panic!("{step:?}"),
            Err(Fail::Sink(error)) => return Err(error),
            Err(Fail::Input(fault)) => panic!("{text}: {fault}"),
        }
    }
    writer.finish()?;
    take(&mut writer);
    Ok(String::from_utf8(out).unwrap())
}

fn written(text: &str, options: WriterOptions) -> String {
    match written_within(text, options, &Limits::default()) {
        Ok(out) => out,
        Err(error) => panic!("{text}: {error}"),
    }
}

fn refused(text: &str, options: WriterOptions) -> String {
    match written_within(text, options, &Limits::default()) {
        Ok(out) => panic!("{text}: {out}"),
        Err(error) => error.to_string(),
    }
}

fn limited(text: &str, limits: &Limits) -> String {
    written_within(text, plain(), limits).unwrap_err().to_string()
}

fn owned(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(one, two)| ((*one).to_owned(), (*two).to_owned())).collect()
}

#[test]
fn members() {
    for (json, xml) in [
        (r#"{"a": "x"}"#, "<a>x</a>"),
        (r#"{"a": ""}"#, "<a/>"),
        (r#"{"a": {}}"#, "<a/>"),
        (r#"{"a": {"b": [1, 2.50, true], "c": []}}"#, "<a><b>1</b><b>2.50</b><b>true</b></a>"),
        (r#"{"a": {"@id": 7, "b": "x"}}"#, r#"<a id="7"><b>x</b></a>"#),
        (r#"{"a": {"@id": 7, "@no": null, "@f": false}}"#, r#"<a id="7" f="false"/>"#),
        (r##"{"a": {"@id": 7, "#text": "x"}}"##, r#"<a id="7">x</a>"#),
        (r##"{"a": {"b": null, "#text": ["x", "y", null, 1]}}"##, {
            r#"<a><b xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:nil="true"/>xy1</a>"#
        }),
        (r##"{"a": {"#text": ["]]", ">"], "b": "]]", "c": ">"}}"##, {
            "<a>]]&gt;<b>]]</b><c>></c></a>"
        }),
        (r#"{"a": [{"b": [{}, "x", {"c": "d"}]}]}"#, "<a><b/><b>x</b><b><c>d</c></b></a>"),
        (r#"{"a": "<b>&\r\n\t\"'"}"#, "<a>&lt;b>&amp;&#13;\n\t\"'</a>"),
        (r#"{"a": {"@b": "<b>&\r\n\t\"'"}}"#, { "<a b=\"&lt;b>&amp;&#13;&#10;&#9;&quot;'\"/>" }),
        (r#"{"水": {"é·": "\ud834\udd1e"}}"#, "<水><é·>𝄞</é·></水>"),
        (r#"{"a": {"@xmlns": "urn:a", "@xmlns:b": "urn:b", "b:c": {"@b:d": "e"}}}"#, {
            r#"<a xmlns="urn:a" xmlns:b="urn:b"><b:c b:d="e"/></a>"#
        }),
        (r#"{"b:a": {"@b:c": 1, "@xmlns:b": "urn:b", "@xml:lang": "en"}}"#, {
            r#"<b:a b:c="1" xmlns:b="urn:b" xml:lang="en"/>"#
        }),
        (r#"{"a": {"b": {"@xsi:nil": "true"}}}"#, {
            r#"<a><b xsi:nil="true" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"/></a>"#
        }),
        // What is at the root.
        ("7", "<root>7</root>"),
        (r#"["x", {"a": 1}]"#, "<root><item>x</item><item><a>1</a></item></root>"),
        ("[]", "<root/>"),
        ("null", {
            r#"<root xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:nil="true"/>"#
        }),
    ] {
        let xml = xml.replace(
            r#"xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:nil="true"/>"#,
            r#"xsi:nil="true" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"/>"#,
        );
        assert_eq!(written(json, plain()), xml, "{json}");
    }
}

#[test]
fn nulls() {
    let text = r#"{"a": {"b": null, "c": [null, 1, null]}}"#;
    let with = |null| written(text, WriterOptions { null, ..plain() });
    assert_eq!(with(Null::Omit), "<a><c>1</c></a>");
    assert_eq!(with(Null::Empty), "<a><b/><c/><c>1</c><c/></a>");
    // If the root declares the prefix, nobody else does.
    let xsi = owned(&[("xsi", "http://www.w3.org/2001/XMLSchema-instance")]);
    let options = WriterOptions { prefixes: xsi, ..plain() };
    assert_eq!(
        written(r#"{"a": {"b": null, "c": [null]}}"#, options),
        "<a xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"><b xsi:nil=\"true\"/>\
         <c xsi:nil=\"true\"/></a>"
    );
    // Another namespace of this prefix.
    let options = WriterOptions { prefixes: owned(&[("xsi", "urn:x")]), ..plain() };
    assert_eq!(
        written(r#"{"a": {"xsi:b": null}}"#, options),
        "<a xmlns:xsi=\"urn:x\"><xsi:b ns0:nil=\"true\" \
         xmlns:ns0=\"http://www.w3.org/2001/XMLSchema-instance\"/></a>"
    );
    let options = WriterOptions { namespaces: false, ..plain() };
    assert_eq!(
        written(r#"{"a": {"b": null}}"#, options),
        "<a><b xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xsi:nil=\"true\"/></a>"
    );
    assert_eq!(written("null", WriterOptions { null: Null::Omit, ..plain() }), "<root/>");
}

#[test]
fn framing() {
    let two = "{\"a\": 1}\n{\"a\": 2}";
    assert_eq!(written(two, records()), "<root><item><a>1</a></item><item><a>2</a></item></root>");
    assert_eq!(written("", records()), "<root/>");
    assert_eq!(written("7 null \"x\"", WriterOptions { null: Null::Omit, ..records() }), {
        "<root><item>7</item><item>x</item></root>"
    });
    let at = |path| WriterOptions { declaration: false, ..WriterOptions::at(path).unwrap() };
    assert_eq!(written(two, at("x/y/z")), "<x><y><z><a>1</a></z><z><a>2</a></z></y></x>");
    assert_eq!(written("", at("x/y/z")), "<x><y/></x>");
    assert_eq!(written("1", at("{urn:x/y}x/{urn:x/y}y")), "<x xmlns=\"urn:x/y\"><y>1</y></x>");
    // The elements of a reader have names of their own.
    assert_eq!(written("<a b='1'/>", at("x/z")), "<x><a b=\"1\"/></x>");
    // A name for the root element.
    let root = || WriterOptions { root: Some("r".to_owned()), ..plain() };
    assert_eq!(written(r#"{"a": 1, "b": 2}"#, root()), "<r><a>1</a><b>2</b></r>");
    assert_eq!(written(r#"{"@a": 1, "b": 2}"#, root()), "<r a=\"1\"><b>2</b></r>");
    assert_eq!(written("[1]", root()), "<r><item>1</item></r>");
    assert_eq!(written("1", root()), "<r>1</r>");
    assert_eq!(written("<a b='1'/>", root()), "<r b=\"1\"/>");
    assert_eq!(
        written(r#"{"a": 1}"#, WriterOptions::default()),
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<a>1</a>"
    );
    assert_eq!(
        WriterOptions::at("x").unwrap_err().to_string(),
        "the path of records has at least two names, the root element's and theirs"
    );
}

#[test]
fn scalars() {
    let mut writer = Writer::new(records(), &Limits::default()).unwrap();
    for value in [
        Scalar::Int(-7),
        Scalar::Float(0.1),
        Scalar::Float(f64::NEG_INFINITY),
        Scalar::Decimal(b"1E+2"),
        Scalar::Bytes(b"~\xff"),
        Scalar::Bytes(b""),
        Scalar::Date(datetime::date(b"2026-11-02").unwrap()),
        Scalar::Uid(3),
    ] {
        writer.scalar(value, 0).unwrap();
    }
    writer.finish().unwrap();
    let expected = "<root><item>-7</item><item>0.1</item><item>-INF</item><item>100</item>\
                    <item>fv8=</item><item/><item>2026-11-02</item><item>3</item></root>";
    assert_eq!(std::str::from_utf8(writer.ready()).unwrap(), expected);
}

#[test]
fn prefixes() {
    let with = |text: &str, prefixes: &[(&str, &str)], default: Option<&str>| {
        let (prefixes, default_namespace) = (owned(prefixes), default.map(str::to_owned));
        written(text, WriterOptions { prefixes, default_namespace, ..plain() })
    };
    // The prefix of the options is used, and no other.
    assert_eq!(
        with("<a xmlns='urn:a'><b/></a>", &[("p", "urn:a")], None),
        "<p:a xmlns=\"urn:a\" xmlns:p=\"urn:a\"><p:b/></p:a>"
    );
    assert_eq!(
        with("<q:a xmlns:q='urn:a' q:c='1'/>", &[], Some("urn:a")),
        "<a xmlns:q=\"urn:a\" q:c=\"1\" xmlns=\"urn:a\"/>"
    );
    // The caller's prefix has another namespace in the document.
    assert_eq!(
        with("<a><p:b xmlns:p='urn:b' p:c='1'/></a>", &[("p", "urn:a")], None),
        "<a xmlns:p=\"urn:a\"><p:b xmlns:p=\"urn:b\" p:c=\"1\"/></a>"
    );
    // Members are in the default namespace.
    assert_eq!(
        with(r#"{"a": {"p:b": 1}}"#, &[("p", "urn:p&\"<")], Some("urn:a")),
        "<a xmlns:p=\"urn:p&amp;&quot;&lt;\" xmlns=\"urn:a\"><p:b>1</p:b></a>"
    );
    // Elements without a namespace are not.
    assert_eq!(
        with("<a><p:b xmlns:p='urn:a'><c/></p:b></a>", &[], Some("urn:a")),
        "<a><b xmlns:p=\"urn:a\" xmlns=\"urn:a\"><c xmlns=\"\"/></b></a>"
    );
    let new = |prefixes: &[(&str, &str)], default: Option<&str>, namespaces: bool| {
        let (prefixes, default_namespace) = (owned(prefixes), default.map(str::to_owned));
        let options = WriterOptions { prefixes, default_namespace, namespaces, ..plain() };
        Writer::new(options, &Limits::default()).unwrap_err().to_string()
    };
    for (prefixes, reason) in [
        (&[("a b", "u")][..], "\"a b\" is no name in XML: no name contains ' '"),
        (&[("a:b", "u")], {
            "\"a:b\" is no name in XML: a name has at most one colon, with a name on either side of it"
        }),
        (&[("xmlns", "u")], "the prefix 'xmlns' may not be declared"),
        (&[("xml", "u")], "the prefix 'xml' may not be bound to another namespace"),
        (&[("p", "")], "a prefix may not be bound to no namespace"),
        (&[("p", "u"), ("p", "v")], "the prefix \"p\" would stand for two namespaces"),
        (&[("p", "\u{1}")], "the character U+0001 is not allowed in XML"),
    ] {
        assert_eq!(new(prefixes, None, true), reason);
    }
    assert_eq!(new(&[("", "u")], Some("v"), true), {
        "the prefix \"\" would stand for two namespaces"
    });
    assert_eq!(new(&[], Some("v"), false), "prefixes are given, but names have no namespaces");
}

/// Keys with namespaces as an encoder gives them, which no reader could report together.
#[test]
fn made_prefixes() {
    fn key<'a>(kind: KeyKind, prefix: Option<&'a str>, uri: &'a str, name: &'a str) -> Key<'a> {
        let (prefix, namespace) = (prefix.map(Into::into), Some(uri.into()));
        Key { name: name.into(), namespace, prefix, kind }
    }
    let mut writer = Writer::new(plain(), &Limits::default()).unwrap();
    let attribute = |writer: &mut Writer, prefix, uri, name| {
        writer.name(key(KeyKind::Attribute, prefix, uri, name), 0)?;
        writer.text("1".into(), 0)
    };
    writer.name(key(KeyKind::Element, Some("p"), "urn:a", "a"), 0).unwrap();
    writer.begin_map(0).unwrap();
    attribute(&mut writer, Some("p"), "urn:b", "x").unwrap();
    attribute(&mut writer, None, "urn:c", "x").unwrap();
    attribute(&mut writer, Some("xml"), "urn:c", "y").unwrap();
    attribute(&mut writer, Some("ns2"), "urn:d", "x").unwrap();
    attribute(&mut writer, None, "urn:e", "x").unwrap();
    attribute(&mut writer, Some("q"), "http://www.w3.org/XML/1998/namespace", "id").unwrap();
    writer.name(key(KeyKind::Element, None, "urn:c", "b"), 0).unwrap();
    writer.begin_map(0).unwrap();
    attribute(&mut writer, None, "urn:c", "x").unwrap();
    writer.end_map(0).unwrap();
    writer.end_map(0).unwrap();
    writer.finish().unwrap();
    let expected = "<p:a ns0:x=\"1\" ns1:x=\"1\" ns1:y=\"1\" ns2:x=\"1\" ns3:x=\"1\" xml:id=\"1\" \
                    xmlns:p=\"urn:a\" xmlns:ns0=\"urn:b\" xmlns:ns1=\"urn:c\" xmlns:ns2=\"urn:d\" \
                    xmlns:ns3=\"urn:e\"><b ns1:x=\"1\" xmlns=\"urn:c\"/></p:a>";
    assert_eq!(std::str::from_utf8(writer.ready()).unwrap(), expected);

    // The same name in the same namespace.
    let mut writer = Writer::new(plain(), &Limits::default()).unwrap();
    writer.name(key(KeyKind::Element, None, "urn:a", "a"), 0).unwrap();
    writer.begin_map(0).unwrap();
    attribute(&mut writer, Some("p"), "urn:b", "x").unwrap();
    let error = attribute(&mut writer, Some("q"), "urn:b", "x").and_then(|_| writer.end_map(0));
    assert_eq!(
        error.unwrap_err().to_string(),
        "the attribute \"q:x\" occurs more than once in one element"
    );
    let error = writer.finish().unwrap_err().to_string();
    assert_eq!(error, "the document is not whole, because a part of it was refused");
}

#[test]
fn refusals() {
    for (text, reason) in [
        // Names.
        (r#"{"a b": 1}"#, "\"a b\" is no name in XML: no name contains ' '"),
        (r#"{"1": 1}"#, "\"1\" is no name in XML: no name begins with '1'"),
        (r#"{"": 1}"#, "a name in XML has at least one character"),
        (r#"{"a><b": 1}"#, "\"a><b\" is no name in XML: no name contains '>'"),
        (r#"{"a": {"@": 1}}"#, "a name in XML has at least one character"),
        (r#"{"a": {"@x=\"1\" y": 1}}"#, {
            "\"x=\\\"1\\\" y\" is no name in XML: no name contains '='"
        }),
        (r#"{"a:b:c": 1}"#, {
            "\"a:b:c\" is no name in XML: a name has at most one colon, with a name on either side of it"
        }),
        (r#"{"a:": 1}"#, {
            "\"a:\" is no name in XML: a name has at most one colon, with a name on either side of it"
        }),
        (r#"{"a:b": 1}"#, "the prefix \"a\" is not declared"),
        (r#"{"a": {"@b:c": 1}}"#, "the prefix \"b\" is not declared"),
        (r#"{"xmlns:b": 1}"#, "an element cannot have the prefix 'xmlns'"),
        (r#"{"a": {"@xmlns:xml": "u"}}"#, {
            "the prefix 'xml' may not be bound to another namespace"
        }),
        (r#"{"a": {"@xmlns:p": ""}}"#, "a prefix may not be bound to no namespace"),
        (r#"{"a": {"@xmlns:p": 1}}"#, "the namespace of a prefix is text"),
        (r#"{"a": {"@x": 1, "@x": 2}}"#, {
            "the attribute \"x\" occurs more than once in one element"
        }),
        (
            r#"{"a": {"@xmlns:p": "u", "@xmlns:q": "u", "@p:x": 1, "@q:x": 2}}"#,
            "the attribute \"q:x\" occurs more than once in one element",
        ),
        // Characters.
        ("{\"a\": \"\\u0000\"}", "the character U+0000 is not allowed in XML"),
        ("{\"a\": {\"@b\": \"\\ufffe\"}}", "the character U+FFFE is not allowed in XML"),
        // Shapes.
        (r#"{"a": 1, "b": 2}"#, {
            "a second root element: XML has one, so name an element around them with root"
        }),
        (r#"{"a": [1, 2]}"#, {
            "a second root element: XML has one, so name an element around them with root"
        }),
        ("{} {}", "there is no root element"),
        ("{}", "there is no root element"),
        (r#"{"a": []}"#, "there is no root element"),
        ("", "there is no root element"),
        (r#"{"@a": 1}"#, "the attribute \"a\" is outside of the root element"),
        (r##"{"#text": 1}"##, "text outside of the root element"),
        (r#"{"a": {"b": 1, "@c": 2}}"#, {
            "the attribute \"c\" comes after content of its element: attributes must come first"
        }),
        (r#"{"a": {"@b": {}}}"#, "the value of an attribute is no map"),
        (r#"{"a": {"@b": []}}"#, "the value of an attribute is no list"),
        (r##"{"a": {"#text": {}}}"##, "the text of an element is no map"),
        (r##"{"a": {"#text": [{}]}}"##, "the text of an element is no map"),
        (r##"{"a": {"#text": [[]]}}"##, "a list in a list: XML has no form for it"),
        (r#"{"a": {"b": [[1]]}}"#, "a list in a list: XML has no form for it"),
        ("[[1]]", "a list in a list: XML has no form for it"),
    ] {
        assert_eq!(refused(text, plain()), reason, "{text}");
    }
    assert_eq!(refused("[1]", records()), "a list in a list: XML has no form for it");
    let names = WriterOptions { root: Some("a b".to_owned()), ..plain() };
    assert_eq!(refused("1", names), "\"a b\" is no name in XML: no name contains ' '");
}

#[test]
fn comments_and_instructions() {
    let write = |target: Option<&str>, text: &str| {
        let mut writer = Writer::new(plain(), &Limits::default()).unwrap();
        let result = match target {
            None => writer.comment(text.into(), 0),
            Some(target) => writer.instruction(target.into(), text.into(), 0),
        };
        result.map_err(|error| error.to_string())?;
        writer.text("x".into(), 0).unwrap();
        writer.finish().unwrap();
        Ok(String::from_utf8(writer.ready().to_vec()).unwrap())
    };
    let comment = "a comment cannot contain '--', or end with '-'".to_owned();
    let cr = "a comment or instruction cannot contain a carriage return, because a reader of XML \
              makes a line feed of it";
    for (target, text, expected) in [
        (None, "-x<&]]>", Ok("<!---x<&]]>-->\n<root>x</root>".to_owned())),
        (None, "a--b", Err(comment.clone())),
        (None, "a-", Err(comment.clone())),
        (None, "-", Err(comment)),
        (None, "a\rb", Err(cr.to_owned())),
        (None, "\u{8}", Err("the character U+0008 is not allowed in XML".to_owned())),
        (Some("p"), "", Ok("<?p?>\n<root>x</root>".to_owned())),
        (Some("p"), "x?", Ok("<?p x??>\n<root>x</root>".to_owned())),
        (Some("p"), "a?>b", Err("an instruction cannot contain '?>'".to_owned())),
        (Some("p"), " a", {
            Err("the data of an instruction cannot begin with white space".to_owned())
        }),
        (Some("xMl"), "", Err("the target of an instruction cannot be 'xml'".to_owned())),
        (Some("a:b"), "", Err("the target of an instruction has no colon".to_owned())),
        (Some("a?>"), "", Err("\"a?>\" is no name in XML: no name contains '?'".to_owned())),
    ] {
        assert_eq!(write(target, text), expected, "{text}");
    }
    let text = "<!--1--><?p 2?><a><!--3-->t<?q?></a><!--4--><?r?>";
    assert_eq!(written(text, plain()), "<!--1-->\n<?p 2?>\n<a><!--3-->t<?q?></a>\n<!--4-->\n<?r?>");
    assert_eq!(written(text, WriterOptions { extras: false, ..plain() }), "<a>t</a>");
}

#[test]
fn indentation() {
    let indented =
        |text: &str| written(text, WriterOptions { indent: Some(Indent::spaces(2)), ..plain() });
    assert_eq!(
        indented(r#"{"a": {"@x": 1, "b": "t", "c": {}, "d": {"e": [1, {"f": 2}]}}}"#),
        "<a x=\"1\">\n  <b>t</b>\n  <c/>\n  <d>\n    <e>1</e>\n    <e>\n      <f>2</f>\n    \
         </e>\n  </d>\n</a>\n"
    );
    // Mixed content stays as it is, and so does everything in it.
    assert_eq!(
        indented("<a><p><b><c/></b>t<d><e/></d></p><q><r/></q></a>"),
        "<a>\n  <p><b><c/></b>t<d><e/></d></p>\n  <q>\n    <r/>\n  </q>\n</a>\n"
    );
    assert_eq!(indented("<a><p><q><b/></q>t</p></a>"), "<a>\n  <p><q><b/></q>t</p>\n</a>\n");
    // White space is text.
    assert_eq!(indented("<a> <b><c/></b></a>"), "<a> <b><c/></b></a>\n");
    assert_eq!(indented("<a><b/> </a>"), "<a><b/> </a>\n");
    assert_eq!(indented("<a><!--x--><b/></a>"), "<a>\n  <!--x-->\n  <b/>\n</a>\n");
    assert_eq!(indented("<?p?><a/><!--x-->"), "<?p?>\n<a/>\n<!--x-->\n");
    let options =
        WriterOptions { indent: Some(Indent::spaces(1)), ..WriterOptions::at("x/y/z").unwrap() };
    assert_eq!(
        written("{\"a\": 1} {}", options),
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<x>\n <y>\n  <z>\n   <a>1</a>\n  </z>\n  \
         <z/>\n </y>\n</x>\n"
    );
    assert_eq!(indented("[]"), "<root/>\n");
    // An element is decided after so many bytes, and text after that is refused.
    let many = "<b/>".repeat(ENOUGH / 4 + 2);
    let lines = "  <b/>\n".repeat(ENOUGH / 4 + 2);
    assert_eq!(indented(&format!("<a>{many}</a>")), format!("<a>\n{lines}</a>\n"));
    assert_eq!(
        refused(
            &format!("<a>{many}t</a>"),
            WriterOptions { indent: Some(Indent::spaces(2)), ..plain() }
        ),
        "text after so many child elements that these are already indented: \
         write the document without indentation"
    );
    // White space is kept.
    let trimmed = lines.trim_end();
    assert_eq!(indented(&format!("<a>{many} </a>")), format!("<a>\n{trimmed} \n</a>\n"));
    // At the limit it is not.
    let few = "<b/>".repeat(ENOUGH / 4);
    assert_eq!(indented(&format!("<a>{few}t</a>")), format!("<a>{few}t</a>\n"));
    // Inner elements are decided each for itself.
    assert_eq!(
        indented(&format!("<a><c>{many}</c><d><e/>t</d></a>")),
        format!("<a>\n  <c>\n{}  </c>\n  <d><e/>t</d>\n</a>\n", lines.replace("  ", "    "))
    );
}

#[test]
fn limits() {
    let limits = |change: fn(&mut Limits)| {
        let mut limits = Limits::default();
        change(&mut limits);
        limits
    };
    let depth = limits(|limits| limits.depth = 3);
    let nested = r#"{"a": {"b": {"c": 1}}}"#;
    assert_eq!(written_within(nested, plain(), &depth).unwrap(), "<a><b><c>1</c></b></a>");
    let nested = r#"{"a": {"b": {"c": {"d": 1}}}}"#;
    // The reader of JSON has the same limit, so it is another one's.
    let mut writer = Writer::new(plain(), &depth).unwrap();
    let mut reader = json::Reader::new(json::Framing::Concatenated, &Limits::default());
    match reader.run(ValidText::from(nested), true, &mut writer) {
        Err(Fail::Sink(error)) => {
            assert_eq!(error.to_string(), "nested deeper than 3 levels (limits.depth)");
        }
        step => panic!("{step:?}"),
    }
    let name = limits(|limits| limits.name = 4);
    assert_eq!(limited(r#"{"abcde": 1}"#, &name), "a name longer than 4 bytes (limits.name)");
    let attributes = limits(|limits| limits.attributes = 2);
    assert_eq!(
        limited(r#"{"a": {"@b": 1, "@c": 1, "@d": 1}}"#, &attributes),
        "more than 2 attributes of one element (limits.attributes)"
    );
    let tag = limits(|limits| limits.tag = 10);
    assert_eq!(
        limited(r#"{"a": {"@b": "0123456789"}}"#, &tag),
        "a tag longer than 10 bytes (limits.tag)"
    );
}

/// Many attributes, all different or one of them twice.
#[test]
fn many_attributes() {
    let members = |last: &str| {
        let all: Vec<String> = (0..500).map(|number| format!("\"@a{number}\": 1")).collect();
        format!("{{\"a\": {{{}, \"@{last}\": 2}}}}", all.join(", "))
    };
    assert!(written(&members("b"), plain()).ends_with(" a499=\"1\" b=\"2\"/>"));
    assert_eq!(
        refused(&members("a77"), plain()),
        "the attribute \"a77\" occurs more than once in one element"
    );
}

/// An event.
type Call = fn(&mut Writer) -> Result<Flow, Unwritable>;

/// Nothing of a record that was given up is left, wherever it was.
#[test]
fn records_that_are_given_up() {
    let good = |writer: &mut Writer| {
        writer.begin_map(0).unwrap();
        writer.key("a".into(), 0).unwrap();
        writer.text("x".into(), 0).unwrap();
        writer.end_map(0).unwrap();
    };
    let steps: [Call; 9] = [
        |writer| writer.begin_map(0),
        |writer| writer.key("@xmlns:p".into(), 0),
        |writer| writer.text("urn:p".into(), 0),
        |writer| writer.key("p:b".into(), 0),
        |writer| writer.begin_list(0),
        |writer| writer.begin_map(0),
        |writer| writer.key("#text".into(), 0),
        |writer| writer.text("]]".into(), 0),
        |writer| writer.begin_list(0),
    ];
    for indent in [None, Some(Indent::spaces(2))] {
        for count in 0..=steps.len() {
            let mut writer = Writer::new(WriterOptions { indent, ..records() }, &Limits::default());
            let writer = writer.as_mut().unwrap();
            good(writer);
            for step in &steps[..count] {
                assert_eq!(step(writer).is_err(), std::ptr::eq(step, &raw const steps[8]));
            }
            writer.abandon();
            good(writer);
            writer.finish().unwrap();
            let expected = "<root><item><a>x</a></item><item><a>x</a></item></root>";
            let expected = match indent {
                None => expected.to_owned(),
                Some(_) => written("{\"a\": \"x\"} {\"a\": \"x\"}", {
                    WriterOptions { indent, ..records() }
                }),
            };
            assert_eq!(std::str::from_utf8(writer.ready()).unwrap(), expected);
        }
    }
    // A part of it was taken.
    let mut writer = Writer::new(records(), &Limits::default()).unwrap();
    writer.begin_map(0).unwrap();
    writer.taken();
    writer.abandon();
    let error = writer.finish().unwrap_err().to_string();
    assert_eq!(error, "the document is not whole, because a part of it was refused");
    // The element around the records cannot be written.
    let within = Records::Within(vec!["p:x".to_owned()]);
    let mut writer =
        Writer::new(WriterOptions { records: within, ..plain() }, &Limits::default()).unwrap();
    let error = writer.int(1, 0).unwrap_err().to_string();
    assert_eq!(error, "the prefix \"p\" is not declared");
    writer.abandon();
    writer.int(1, 0).unwrap();
    let error = writer.finish().unwrap_err().to_string();
    assert_eq!(error, "the document is not whole, because a part of it was refused");
    // A second document, which is refused, leaves the first.
    let mut writer = Writer::new(plain(), &Limits::default()).unwrap();
    good(&mut writer);
    writer.begin_map(0).unwrap();
    writer.key("b".into(), 0).unwrap();
    writer.text("y".into(), 0).unwrap_err();
    writer.abandon();
    writer.finish().unwrap();
    assert_eq!(writer.ready(), b"<a>x</a>");
}

/// Whatever is called, the writer answers, and does not panic.
#[test]
fn events_out_of_order() {
    let steps: [Call; 9] = [
        |writer| writer.begin_map(0),
        |writer| writer.end_map(0),
        |writer| writer.begin_list(0),
        |writer| writer.end_list(0),
        |writer| writer.key("a".into(), 0),
        |writer| writer.key("@b".into(), 0),
        |writer| writer.key("#text".into(), 0),
        |writer| writer.null(0),
        |writer| writer.piece("x".into(), 0),
    ];
    for number in 0..9_u32.pow(5) {
        for options in [plain(), WriterOptions { indent: Some(Indent::spaces(1)), ..records() }] {
            let mut writer = Writer::new(options, &Limits::default()).unwrap();
            let good = (0..5).all(|place| {
                let step = steps[(number / 9_u32.pow(place) % 9) as usize];
                step(&mut writer).is_ok()
            });
            if writer.finish().is_ok() {
                assert!(good, "{number}");
                let text = std::str::from_utf8(writer.ready()).unwrap().to_owned();
                let mut sink = penstock_core::protocol::Discard;
                let mut reader = Reader::new(Options::default(), &Limits::default());
                let read = reader.run(ValidText::from(&*text), true, &mut sink);
                assert!(matches!(read, Ok(Step::Done)), "{number}: {text}");
            }
        }
    }
}
