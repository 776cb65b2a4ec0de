//! General and parameter entities: their replacement texts, and where they are allowed.

use penstock_core::limits::Limits;
use penstock_core::xml::{Options, Unresolved};

use crate::{fault, outcome, resolved};

#[test]
fn replacement_text() {
    for (declarations, content, expected) in [
        // The example of XML 1.0, 4.5 and appendix D.
        (
            "<!ENTITY example \"<p>An ampersand (&#38;#38;) may be escaped \
             numerically (&#38;#38;#38;) or with a general entity (&amp;amp;).</p>\" >",
            "&example;",
            "<p>An ampersand (&amp;) may be escaped numerically (&amp;#38;) or with a general \
             entity (&amp;amp;).</p>",
        ),
        (
            "<!ENTITY % xx '&#37;zz;'><!ENTITY % zz '&#60;!ENTITY tricky \"error-prone\" >' > %xx;",
            "This sample shows a &tricky; method.",
            "This sample shows a error-prone method.",
        ),
        ("<!ENTITY e 'x&f;y'><!ENTITY f '<b>&#38;#60;</b>'>", "&e;&e;", {
            "x<b>&lt;</b>yx<b>&lt;</b>y"
        }),
        // Line ends are resolved once: a carriage return from a character reference stays.
        ("<!ENTITY e 'x\r\ny\rz&#13;\n'>", "&e;", "x&#10;y&#10;z&#13;&#10;"),
        ("<!ENTITY e ''>", "<b c='&e;'>&e;</b>", r#"<b c=""></b>"#),
        ("<!ENTITY e \"'\"><!ENTITY f '\"'>", "<b c='&e;&f;'/>", "<b c=\"'&quot;\"></b>"),
        ("<!ENTITY e '<![CDATA[<]]><!-- - --><?p i?>'>", "&e;", "&lt;<?p i?>"),
        ("<!ENTITY e '<b xmlns:p=\"u\"><p:c d=\"&f;\"/></b>'><!ENTITY f '&#38;lt;'>", "&e;", {
            "<b xmlns:p=\"u\"><p:c d=\"&lt;\"></p:c></b>"
        }),
        // Names follow the fifth edition.
        ("<!ENTITY \u{e9}\u{3041}\u{10000} 'x'>", "&\u{e9}\u{3041}\u{10000};", "x"),
    ] {
        let text = format!("<!DOCTYPE a [{declarations}]><a>{content}</a>");
        let options = Options { namespaces: false, ..Options::default() };
        let found = outcome(&text, options, &Limits::default()).unwrap().0;
        assert_eq!(found, format!("<a>{expected}</a>"), "{text}");
    }
}

/// An entity holds complete elements, and cannot begin markup that it does not end.
#[test]
fn entities_hold_whole_markup() {
    for (value, reason) in [
        ("<b>", "the entity 'e' ends inside the element 'b'"),
        ("<b", "the entity 'e' ends inside a tag"),
        ("<b></b", "the entity 'e' ends inside an end tag"),
        ("<", "the entity 'e' ends inside a tag"),
        ("</a>", "the entity 'e' ends an element that began outside of it"),
        ("</a><a>", "the entity 'e' ends an element that began outside of it"),
        ("<b/></a>", "the entity 'e' ends an element that began outside of it"),
        ("<!-- ", "the entity 'e' ends inside a comment"),
        ("<![CDATA[", "the entity 'e' ends inside a CDATA section"),
        ("<?p ", "the entity 'e' ends inside a processing instruction"),
        ("&#38;", "the entity 'e' ends inside a reference"),
        ("&#38;x", "the entity 'e' ends inside a reference"),
        ("]]>", "']]>' is not allowed in text: write ']]&gt;'"),
        ("<?xml version='1.0'?>", { "the XML declaration is only allowed at the very beginning" }),
        ("<b c='1' c='2'/>", "the attribute 'c' occurs more than once"),
    ] {
        let text = format!("<!DOCTYPE a [<!ENTITY e \"{value}\">]><a>&e;</a>");
        let at = text.find("&e;</a>").unwrap();
        assert_eq!(fault(&text), format!("{reason} (byte {at})"), "{value}");
    }
}

#[test]
fn parameter_entities_hold_whole_declarations() {
    for (value, reason) in [
        ("<!ELEMENT b", "the entity 'p' ends inside a declaration"),
        ("<!-- ", "the entity 'p' ends inside a comment"),
        ("]", "expected a declaration or ']'"),
        ("<![IGNORE[]]>", "conditional sections are not allowed in the internal subset"),
        ("<!ELEMENT b EMPTY> x", "expected a declaration or ']'"),
        ("<!ELEMENT b empty>", "expected EMPTY, ANY or '('"),
    ] {
        let text = format!("<!DOCTYPE a [<!ENTITY % p \"{value}\">%p;]><a/>");
        let at = text.find("%p;").unwrap();
        assert_eq!(fault(&text), format!("{reason} (byte {at})"), "{value}");
    }
}

#[test]
fn recursion() {
    for (declarations, content) in [
        ("<!ENTITY e '&e;'>", "&e;"),
        ("<!ENTITY e 'x<b>&f;</b>'><!ENTITY f '<c/>&e;'>", "&e;"),
        ("<!ENTITY e '&e;'>", "<b c='&e;'/>"),
        ("<!ENTITY e '&f;'><!ENTITY f '&g;'><!ENTITY g '&e;'>", "<b c='x&e;'/>"),
        ("<!ENTITY e '&e;'><!ATTLIST b c CDATA '&e;'>", "<b/>"),
        ("<!ENTITY % e '&#37;e;'>%e;", ""),
        ("<!ENTITY % e '&#37;f;'><!ENTITY % f '&#37;e;'>%e;", ""),
    ] {
        let text = format!("<!DOCTYPE a [{declarations}]><a>{content}</a>");
        let first = ["CDATA '&e;", ">%e;", "<a>&e;", "c='&e;", "c='x&e;"];
        let place = first.iter().find_map(|place| Some(text.find(place)? + place.len() - 3));
        let found = format!("the entity 'e' refers to itself (byte {})", place.unwrap());
        assert_eq!(fault(&text), found, "{text}");
    }
    // An entity is not recursive if it occurs again after its end, or if its text equals another's.
    let text = "<!DOCTYPE a [<!ENTITY e '&f;&f;'><!ENTITY f '&g;'><!ENTITY g ''><!ENTITY h '&i;'>
        <!ENTITY i '&k;'><!ENTITY k '&#38;#38;'>]><a b='&e;&e;&h;'>&e;&e;&h;</a>";
    assert_eq!(resolved(text), r#"<a b="&amp;">&amp;</a>"#);
}

/// Entities that do not exist, and entities that are not text.
#[test]
fn entities_that_are_not_text() {
    let declarations = "<!ENTITY x SYSTEM 'file:///etc/passwd'><!ENTITY u SYSTEM 'p' NDATA n>\
                        <!ENTITY i '&x;'>";
    let external = "the entity 'x' is in another file, and no other file is opened";
    for (content, place, reason) in [
        ("&x;", "&x;<", external),
        ("&i;", "&i;<", external),
        ("&u;", "&u;<", "the entity 'u' is not text"),
        ("&n;", "&n;<", "the entity 'n' is not declared"),
        ("<b c='&x;'/>", "&x;'/", external),
        ("<b c='&i;'/>", "&i;'/", external),
        ("<b c='&u;'/>", "&u;'/", "the entity 'u' is not text"),
        ("<b c='&n;'/>", "&n;'/", "the entity 'n' is not declared"),
    ] {
        let text = format!("<!DOCTYPE a [{declarations}]><a>{content}</a>");
        let found = format!("{reason} (byte {})", text.find(place).unwrap());
        assert_eq!(fault(&text), found, "{content}");
    }
}

/// Unresolved references may be kept as text, unless they are certainly errors.
#[test]
fn unresolved_as_text() {
    let options = Options { unresolved: Unresolved::Text, ..Options::default() };
    let read = |text: &str| outcome(text, options, &Limits::default()).map(|(text, _)| text);
    let text = "<!DOCTYPE a SYSTEM 'x'><a b='1&nbsp;2'>1&nbsp;2&amp;</a>";
    let expected = r#"<a b="1&amp;nbsp;2">1&amp;nbsp;2&amp;</a>"#;
    assert_eq!(read(text).as_deref(), Ok(expected));
    let text = "<!DOCTYPE a [<!ENTITY x SYSTEM 'y'><!ENTITY i '(&x;)'>]><a>&x;&i;</a>";
    assert_eq!(read(text).as_deref(), Ok("<a>&amp;x;(&amp;x;)</a>"));
    // An attribute's value may not refer to another file (XML 1.0, 3.1).
    let text = "<!DOCTYPE a [<!ENTITY x SYSTEM 'y'>]><a b='&x;'/>";
    let reason = "the entity 'x' is in another file, and no other file is opened (byte 43)";
    assert_eq!(read(text), Err(reason.to_owned()));
    // Nothing else can declare these entities.
    for text in ["<a>&x;</a>", "<!DOCTYPE a []><a>&x;</a>", {
        "<?xml version='1.0' standalone='yes'?><!DOCTYPE a SYSTEM 'x'><a>&x;</a>"
    }] {
        let at = text.find("&x;").unwrap();
        assert_eq!(read(text), Err(format!("the entity 'x' is not declared (byte {at})")));
    }
}

/// A standalone document declares its entities in the subset itself (XML 1.0, 4.1).
#[test]
fn entities_of_parameter_entities() {
    let text = "<!DOCTYPE a [<!ENTITY % p \"<!ENTITY e 'v'><!ATTLIST a b CDATA '&#38;e;'>\">%p;]>";
    assert_eq!(resolved(&format!("{text}<a>&e;</a>")), r#"<a b="v">v</a>"#);
    let alone = format!("<?xml version='1.0' standalone='yes'?>{text}");
    assert_eq!(resolved(&format!("{alone}<a/>")), r#"<a b="v"></a>"#);
    let reason = "the entity 'e' is declared in a parameter entity, \
                  and the document says that it stands alone";
    let at = alone.len() + 3;
    assert_eq!(fault(&format!("{alone}<a>&e;</a>")), format!("{reason} (byte {at})"));
}

/// A value may contain `<` from a character reference, but not from an entity.
#[test]
fn less_than_in_values() {
    let text = "<!DOCTYPE a [<!ENTITY e '&#38;#60;'>]><a b='&lt;&#60;&e;'/>";
    assert_eq!(resolved(text), r#"<a b="&lt;&lt;&lt;"></a>"#);
    for value in ["<", "x<y/>", "&#60;"] {
        let text = format!("<!DOCTYPE a [<!ENTITY e '{value}'>]><a b='x&e;'/>");
        let at = text.find("&e;").unwrap();
        let reason = "an entity in an attribute's value may not hold '<'";
        assert_eq!(fault(&text), format!("{reason} (byte {at})"));
    }
}
