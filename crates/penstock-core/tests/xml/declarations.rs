//! Declarations of the internal subset: their grammar and their meaning.

use penstock_core::limits::Limits;
use penstock_core::xml::{Options, Repair, RepairKind, Repairs};

use crate::{fault, outcome, resolved};

/// Before a declaration: 13 bytes.
const HEAD: &str = "<!DOCTYPE a [";
/// After a declaration.
const TAIL: &str = "]><a/>";

#[test]
fn well_formed_declarations() {
    for declaration in [
        "<!ELEMENT a EMPTY>",
        "<!ELEMENT a ANY >",
        "<!ELEMENT\ta\r\n(b)>",
        "<!ELEMENT a ((b))>",
        "<!ELEMENT a ( b , ( c | d )* , e? )+ >",
        "<!ELEMENT a (b|c|d)*>",
        "<!ELEMENT a (#PCDATA)>",
        "<!ELEMENT a ( #PCDATA )*>",
        "<!ELEMENT a (#PCDATA | p:b | c)*>",
        "<!ATTLIST a>",
        "<!ATTLIST a >",
        "<!ATTLIST a b CDATA #REQUIRED c ID #IMPLIED\n\td IDREF #IMPLIED e IDREFS #IMPLIED>",
        "<!ATTLIST a b ENTITY #IMPLIED c ENTITIES #IMPLIED d NMTOKEN #IMPLIED e NMTOKENS #IMPLIED>",
        "<!ATTLIST a b NOTATION (n|m) #IMPLIED>",
        "<!ATTLIST a b ( 1 | -x|.|a:b ) #IMPLIED>",
        "<!ATTLIST a xml:space (default|preserve) #IMPLIED>",
        "<!NOTATION n SYSTEM 'it''s'>".replace("''", "").as_str(),
        "<!ENTITY e SYSTEM 'http://example.org/#part'>",
        "<!ENTITY e PUBLIC '-//X//Y (+,./:=?;!*#@$_%)' \"it's>\" >",
        "<!ENTITY e SYSTEM \"pic\" NDATA gif>",
        "<!ENTITY % e SYSTEM 'file'>",
        "<!ENTITY e '<b>'>",
        "<!ENTITY e ''>",
        "<?target > ]> ?><!-- ]> ' \" -->",
    ] {
        assert_eq!(resolved(&format!("{HEAD}{declaration}{TAIL}")).replace(' ', ""), {
            if declaration.starts_with("<?") {
                "<?target>]>?><a></a>"
            } else if declaration.starts_with("<!NOT") {
                "<!DOCTYPEa[\n<!NOTATIONnSYSTEM'its'>\n]>\n<a></a>"
            } else {
                "<a></a>"
            }
        });
    }
}

/// A declaration, its fault, and the fault's offset, counted from its `<`.
const FAULTS: [(&str, &str, usize); 82] = [
    ("<!>", "expected ENTITY, ELEMENT, ATTLIST or NOTATION after '<!'", 2),
    ("<!entity e ''>", "expected ENTITY, ELEMENT, ATTLIST or NOTATION after '<!'", 2),
    ("<!-x>", "expected ENTITY, ELEMENT, ATTLIST or NOTATION after '<!'", 2),
    ("<![INCLUDE[]]>", "conditional sections are not allowed in the internal subset", 0),
    ("<b/>", "an element is not allowed in a document type declaration", 0),
    ("b", "expected a declaration or ']'", 0),
    ("&e;", "expected a declaration or ']'", 0),
    ("% e;", "expected a name", 1),
    ("%e ", "expected ';' at the end of the parameter-entity reference", 2),
    // ELEMENT
    ("<!ELEMENTa EMPTY>", "expected white space after '<!ELEMENT'", 9),
    ("<!ELEMENT (b)>", "expected the name of an element", 10),
    ("<!ELEMENT 1 EMPTY>", "expected the name of an element", 10),
    ("<!ELEMENT a>", "expected white space after the element's name", 11),
    ("<!ELEMENT a(b)>", "expected white space after the element's name", 11),
    (
        "<!ELEMENT a:b:c EMPTY>",
        "a name has at most one colon, with a name on either side of it",
        10,
    ),
    ("<!ELEMENT a: EMPTY>", "a name has at most one colon, with a name on either side of it", 10),
    ("<!ELEMENT a empty>", "expected EMPTY, ANY or '('", 12),
    ("<!ELEMENT a EMPTYX>", "expected '>' at the end of the declaration", 17),
    ("<!ELEMENT a ()>", "expected the name of an element or '('", 13),
    ("<!ELEMENT a (|b)>", "expected the name of an element or '('", 13),
    ("<!ELEMENT a (b|)>", "expected the name of an element or '('", 15),
    ("<!ELEMENT a (b c)>", "expected '|', ',' or ')'", 15),
    ("<!ELEMENT a (b,c|d)>", "'|' and ',' are not allowed in the same group", 16),
    ("<!ELEMENT a (b|(c,d),e)>", "'|' and ',' are not allowed in the same group", 20),
    ("<!ELEMENT a (b>", "expected '|', ',' or ')'", 14),
    ("<!ELEMENT a (b))>", "expected '>' at the end of the declaration", 15),
    ("<!ELEMENT a (b) *>", "expected '>' at the end of the declaration", 16),
    ("<!ELEMENT a (b **)>", "expected '|', ',' or ')'", 15),
    ("<!ELEMENT a (b&c)>", "expected '|', ',' or ')'", 14),
    ("<!ELEMENT a (#PCDATA|b)>", "expected '*' after a choice with text in it", 23),
    ("<!ELEMENT a (#PCDATA,b)*>", "expected '|' or ')'", 20),
    ("<!ELEMENT a (#PCDATA|#PCDATA)*>", "expected the name of an element", 21),
    ("<!ELEMENT a (b|#PCDATA)*>", "expected the name of an element or '('", 15),
    ("<!ELEMENT a (#PCDATA|(b))*>", "expected the name of an element", 21),
    ("<!ELEMENT a (#PCDATA)+>", "expected '>' at the end of the declaration", 21),
    ("<!ELEMENT %e;>", "expected the name of an element", 10),
    // ATTLIST
    ("<!ATTLIST>", "expected white space after '<!ATTLIST'", 9),
    ("<!ATTLIST >", "expected the name of an element", 10),
    ("<!ATTLIST a b>", "expected white space after the attribute's name", 13),
    ("<!ATTLIST a b >", "expected the type of the attribute", 14),
    ("<!ATTLIST a b STRING #IMPLIED>", "expected the type of the attribute", 14),
    ("<!ATTLIST a b CDATA>", "expected white space before the attribute's default", 19),
    ("<!ATTLIST a b CDATA >", "expected a default value in quotes", 20),
    ("<!ATTLIST a b CDATA#IMPLIED>", "expected white space before the attribute's default", 19),
    ("<!ATTLIST a b CDATA #implied>", "expected a default value in quotes", 20),
    ("<!ATTLIST a b CDATA #FIXED'x'>", "expected white space after #FIXED", 26),
    ("<!ATTLIST a b CDATA #FIXED >", "expected a default value in quotes", 27),
    (
        "<!ATTLIST a b CDATA #IMPLIEDc CDATA 'x'>",
        "expected white space before the attribute's name",
        28,
    ),
    ("<!ATTLIST a b CDATA 'x'c CDATA 'x'>", "expected white space before the attribute's name", 23),
    ("<!ATTLIST a b CDATA 'x<'>", "'<' is not allowed in an attribute's value: write '&lt;'", 22),
    ("<!ATTLIST a b CDATA '\u{1}'>", "the character U+0001 is not allowed in XML", 21),
    ("<!ATTLIST a b CDATA 'x&'>", "the attribute's value ends inside a reference", 22),
    ("<!ATTLIST a b CDATA 'x&y'>", "the attribute's value ends inside a reference", 22),
    ("<!ATTLIST a b CDATA '&e;'>", "the entity 'e' is not declared", 21),
    ("<!ATTLIST a b CDATA '&#0;'>", "the reference means U+0000, which is not allowed in XML", 21),
    ("<!ATTLIST a b () 'x'>", "expected a value that the attribute may have", 15),
    ("<!ATTLIST a b (x,y) 'x'>", "expected '|' or ')'", 16),
    ("<!ATTLIST a b (x|) 'x'>", "expected a value that the attribute may have", 17),
    ("<!ATTLIST a b (x)'x'>", "expected white space before the attribute's default", 17),
    ("<!ATTLIST a b NOTATION(x) 'x'>", "expected white space after NOTATION", 22),
    ("<!ATTLIST a b NOTATION (1) 'x'>", "expected the name of a notation", 24),
    // NOTATION
    ("<!NOTATION a:b SYSTEM ''>", "this name may not have a colon", 11),
    ("<!NOTATION n>", "expected white space after the notation's name", 12),
    ("<!NOTATION n 'x'>", "expected SYSTEM or PUBLIC", 13),
    ("<!NOTATION n SYSTEM>", "expected white space before the identifier", 19),
    ("<!NOTATION n SYSTEM x>", "expected a system identifier in quotes", 20),
    ("<!NOTATION n PUBLIC 'x~'>", "this is not allowed in a public identifier", 22),
    ("<!NOTATION n PUBLIC 'x''y'>", "expected white space before the system identifier", 23),
    ("<!NOTATION n PUBLIC 'x' 'y' 'z'>", "expected '>' at the end of the declaration", 28),
    // ENTITY
    ("<!ENTITYe ''>", "expected white space after '<!ENTITY'", 8),
    ("<!ENTITY %e ''>", "expected white space after '%'", 10),
    ("<!ENTITY e>", "expected white space after the entity's name", 10),
    ("<!ENTITY e''>", "expected white space after the entity's name", 10),
    ("<!ENTITY a:b ''>", "this name may not have a colon", 9),
    ("<!ENTITY e x>", "expected SYSTEM or PUBLIC", 11),
    ("<!ENTITY e PUBLIC 'x'>", "expected white space before the system identifier", 21),
    ("<!ENTITY e SYSTEM 'x'NDATA n>", "expected white space before NDATA", 21),
    ("<!ENTITY e SYSTEM 'x' NDATA>", "expected white space after NDATA", 27),
    ("<!ENTITY % e SYSTEM 'x' NDATA n>", "expected '>' at the end of the declaration", 24),
    ("<!ENTITY e 'x' 'y'>", "expected '>' at the end of the declaration", 15),
    ("<!ENTITY e 'x\u{FFFE}'>", "the character U+FFFE is not allowed in XML", 13),
    (
        "<!ENTITY e '100%'>",
        "a parameter-entity reference is not allowed inside a declaration here",
        15,
    ),
];

#[test]
fn faults_of_declarations() {
    for (declaration, reason, at) in FAULTS {
        let text = format!("{HEAD}{declaration}{TAIL}");
        assert_eq!(fault(&text), format!("{reason} (byte {})", HEAD.len() + at), "{declaration}");
    }
}

#[test]
fn faults_of_references_in_entities() {
    for (value, reason, at) in [
        ("x&", "expected a reference after '&'", 2),
        ("x& y", "expected a reference after '&'", 2),
        ("x&y", "expected ';' at the end of the reference", 3),
        ("x&y z;", "expected ';' at the end of the reference", 3),
        ("x&a:b;", "this name may not have a colon", 2),
        ("x&#", "expected ';' at the end of the character reference", 1),
        ("x&#12", "expected ';' at the end of the character reference", 1),
        ("x&#;", "expected the digits of a character reference", 3),
        ("x&#x;", "expected the digits of a character reference", 4),
        ("x&#X41;", "expected the digits of a character reference", 3),
        ("x&#4z;", "expected ';' at the end of the character reference", 4),
        ("x&#xFFFF;", "the reference means U+FFFF, which is not allowed in XML", 1),
        ("x&#xD83D;&#xDE00;", "the reference means U+D83D, which is not allowed in XML", 1),
        ("x&#99999999999999999999;", "the reference means no character of Unicode", 1),
    ] {
        let text = format!("{HEAD}<!ENTITY e '{value}'>{TAIL}");
        let at = HEAD.len() + "<!ENTITY e '".len() + at;
        assert_eq!(fault(&text), format!("{reason} (byte {at})"), "{value}");
    }
}

#[test]
fn what_a_subset_may_end_in() {
    for (text, reason, at) in [
        ("<!DOCTYPE a [<!ENTITY e 'x>]><a/>", "the input ends inside a declaration", 33),
        ("<!DOCTYPE a [", "the input ends inside the document type declaration", 13),
        ("<!DOCTYPE a []", "the input ends inside the document type declaration", 14),
        ("<!DOCTYPE a [] x><a/>", "expected '>' after ']'", 15),
        ("<!DOCTYPE a SYSTEM><a/>", "expected white space before the identifier", 18),
        ("<!DOCTYPE a PUBLIC 'x'><a/>", "expected white space before the system identifier", 22),
        ("<!DOCTYPE a b><a/>", "expected '[' or '>' in the document type declaration", 12),
        ("<!DOCTYPE 1><a/>", "expected the name of the root element", 10),
        ("<!DOCTYPEa><a/>", "expected white space after '<!DOCTYPE'", 9),
    ] {
        assert_eq!(fault(text), format!("{reason} (byte {at})"), "{text}");
    }
}

/// If something is declared twice, the first declaration counts; further attributes of an element
/// are added.
#[test]
fn declared_again() {
    let text = "<!DOCTYPE a [<!ENTITY e 'first'><!ENTITY e 'second'><!ENTITY % e 'x'>
        <!ATTLIST a b CDATA '1'><!ATTLIST a b CDATA '2' c CDATA '&e;'>]><a>&e;</a>";
    assert_eq!(resolved(text), r#"<a b="1" c="first">first</a>"#);
}

/// The predefined entities may be declared with their own meaning (XML 1.0, 4.6), however it is
/// escaped.
#[test]
fn predefined_entities() {
    let text = r#"<!DOCTYPE a [<!ENTITY lt "&#38;#60;"><!ENTITY gt "&#62;"><!ENTITY amp "&#38;#x26;">
        <!ENTITY apos "'"><!ENTITY quot '"'><!ENTITY quot '&#38;#0034;'>]><a>&lt;&amp;&gt;</a>"#;
    assert_eq!(resolved(text), "<a>&lt;&amp;&gt;</a>");
    for value in ["'&#60;'", "'&lt;'", "'<'"] {
        let text = format!("<!DOCTYPE a [<!ENTITY lt {value}>]><a>&lt;</a>");
        assert_eq!(resolved(&text), "<a>&lt;</a>");
    }
    for (name, value) in [
        ("lt", "'<<'"),
        ("lt", "'&gt;'"),
        ("lt", "'&#38;#+60;'"),
        ("amp", "'&#38;#39;'"),
        ("gt", "'x'"),
        ("gt", "''"),
        ("apos", "SYSTEM 'x'"),
    ] {
        let reason = format!("the entity '{name}' may not be declared to be something else");
        let text = format!("{HEAD}<!ENTITY {name} {value}>{TAIL}");
        assert_eq!(fault(&text), format!("{reason} (byte 22)"), "{value}");
        // A parameter entity of the same name is a different entity.
        resolved(&format!("{HEAD}<!ENTITY % {name} {value}>{TAIL}"));
    }
}

/// Values are normalised (XML 1.0, 3.3.3): literal white space becomes spaces, and references to
/// white space stay. If the type is not CDATA, spaces at the ends and repeated spaces are dropped.
#[test]
fn normalisation() {
    let text = "<!DOCTYPE a [
        <!ENTITY e ' x\r\ny&#13;&#10; '>
        <!ATTLIST a c CDATA #IMPLIED t NMTOKENS #IMPLIED
                    dc CDATA ' 1\t\r\n2 ' dt NMTOKENS ' 1\t\r\n&#32;2 &#9;'>
        ]><a c=' 1\r\n\t2&#9;&#13;&#10; &e;' t='\n 1 \r\n&#32; 2 &#10; &e;'/>";
    let [c, t] = [" 1  2&#9;&#13;&#10;  x y   ", "1 2 &#10; x y"];
    let expected = format!(r#"<a c="{c}" dc=" 1  2 " dt="1 2 &#9;" t="{t}"></a>"#);
    assert_eq!(resolved(text), expected);
}

/// Many declared attributes are looked up in another way than few.
#[test]
fn many_declared_attributes() {
    for count in [1, 7, 8, 9, 10, 33, 900] {
        let mut text = "<!DOCTYPE a [<!ATTLIST a".to_owned();
        for index in 0..count {
            let default = if index % 3 == 0 { "#IMPLIED" } else { "' d  d '" };
            text += &format!(" n{index} NMTOKENS {default}");
            text += &format!(" n{index} CDATA 'second'");
        }
        text += ">]><a";
        let mut expected = Vec::new();
        for index in 0..count {
            if index % 2 == 0 {
                text += &format!(" n{index}='  x  {index} '");
                expected.push(format!(r#" n{index}="x {index}""#));
            } else if index % 3 != 0 {
                expected.push(format!(r#" n{index}="d d""#));
            }
        }
        text += " other=' '/>";
        expected.push(r#" other=" ""#.to_owned());
        expected.sort_by(|a, b| a.split('=').next().cmp(&b.split('=').next()));
        assert_eq!(resolved(&text), format!("<a{}></a>", expected.concat()));
    }
}

/// Defaults may declare namespaces, and have prefixes.
#[test]
fn default_namespaces() {
    let text = "<!DOCTYPE a [<!ATTLIST p:a xmlns:p CDATA 'u' p:x CDATA '1'>]><p:a/>";
    assert_eq!(resolved(text), r#"<a x="1"></a>"#);
    let text = "<!DOCTYPE a [<!ATTLIST a p:x CDATA '1'>]><a/>";
    assert_eq!(fault(text), "the prefix 'p' is not declared (byte 41)");
    let text =
        "<!DOCTYPE a [<!ATTLIST a xmlns:p CDATA 'u' xmlns:q CDATA 'u' p:x CDATA '1'>]><a q:x=''/>";
    assert!(fault(text).starts_with("the attribute"));
}

/// Declarations after a parameter entity that is not read do not count, unless the document is
/// standalone (XML 1.0, 5.1). They are validated nevertheless.
#[test]
fn behind_what_is_not_read() {
    let subset = "<!ENTITY % p SYSTEM 'x'>%p;<!ENTITY e 'v'><!ATTLIST a b CDATA 'd'>";
    let text = format!("{HEAD}{subset}]><a/>");
    assert_eq!(resolved(&text), "<a></a>");
    assert_eq!(resolved(&format!("{HEAD}%unknown;{subset}]><a/>")), "<a></a>");
    let alone = "<?xml version='1.0' standalone='yes'?>";
    assert_eq!(resolved(&format!("{alone}{text}")), r#"<a b="d"></a>"#);
    let reason = "the entity 'e' is declared elsewhere, and no other file is opened";
    assert_eq!(fault(&format!("{HEAD}{subset}]><a>&e;</a>")), format!("{reason} (byte 84)"));
    let wrong = format!("{HEAD}<!ENTITY % p SYSTEM 'x'>%p;<!ELEMENT a>{TAIL}");
    assert_eq!(fault(&wrong), "expected white space after the element's name (byte 51)");
}

/// The rest of a broken subset is ignored; its earlier declarations stay.
#[test]
fn broken_subset() {
    let options = Options {
        repairs: Repairs::default().with(RepairKind::BrokenSubset),
        ..Options::default()
    };
    let read = |text: &str| outcome(text, options, &Limits::default());
    let repair = |offset| vec![Repair { kind: RepairKind::BrokenSubset, offset }];
    // As in Apple's health export: an attribute list without its beginning.
    let subset = "<!ENTITY e 'v'>\n<!ATTLIST a\n  b CDATA #IMPLIED\n>\n c CDATA #IMPLIED\n>\n]\n>";
    let text = format!("{HEAD}{subset}<a>&e;</a>");
    assert_eq!(read(&text), Ok(("<a>v</a>".to_owned(), repair(63))));
    assert_eq!(
        fault(&text),
        "expected a declaration or ']' (byte 63)",
        "not without being asked to"
    );
    // In an entity, and after text that only looks like the end.
    let text = format!("{HEAD}<!ENTITY % p '<!ELEMENT a><!ENTITY e \"v\">'>%p; ] ]x> ]]><a/>");
    assert_eq!(read(&text), Ok(("<a></a>".to_owned(), repair(56))));
    // Nothing ends it.
    let text = format!("{HEAD}<!ELEMENT a>]");
    let reason = "the input ends inside the document type declaration";
    assert_eq!(read(&text), Err(format!("{reason} (byte {})", text.len())));
    // An exceeded limit cannot be repaired.
    let limits = Limits { entities: 1, ..Limits::default() };
    let text = format!("{HEAD}<!ENTITY e ''><!ENTITY f ''>{TAIL}");
    let limited = outcome(&text, options, &limits);
    assert_eq!(limited, Err("more than 1 entities (limits.entities) (byte 36)".to_owned()));
}

/// Characters in declarations are repaired as in the document.
#[test]
fn repaired_characters() {
    let repairs = [RepairKind::ControlCharacter, RepairKind::SurrogatePair];
    let repairs = repairs.into_iter().fold(Repairs::default(), Repairs::with);
    let options = Options { repairs, ..Options::default() };
    let subset = "<!ENTITY e 'a\u{1}b&#2;&#xD83D;&#xDE00;'><!ATTLIST a b CDATA 'c\u{3}d'>";
    let text = format!("{HEAD}{subset}]><a>&e;</a>");
    let (canonical, made) = outcome(&text, options, &Limits::default()).unwrap();
    assert_eq!(canonical, "<a b=\"cd\">ab\u{1F600}</a>");
    let made: Vec<_> = made.iter().map(|made| (made.kind.name(), made.offset)).collect();
    let names = ["control_character", "control_character", "surrogate_pair", "control_character"];
    assert_eq!(made, names.into_iter().zip([26, 28, 32, 72]).collect::<Vec<_>>());
}
