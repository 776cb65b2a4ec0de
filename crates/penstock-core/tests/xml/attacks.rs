//! Documents that are made to cost more than their size: the reader refuses them, with the name of
//! a limit, before they do.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use penstock_core::limits::Limits;
use penstock_core::xml::Options;

use crate::canonical::limited;
use crate::outcome;

/// Long enough for any machine; code that is not linear takes hours.
const LONG: Duration = Duration::from_secs(30);

/// The fault of a document, without its offset.
fn refusal(text: &str, limits: &Limits) -> String {
    let start = Instant::now();
    let fault = limited(text, Options::default(), limits, usize::MAX).unwrap_err();
    assert!(start.elapsed() < LONG, "{:?}", start.elapsed());
    fault.reason().to_owned()
}

/// Each entity expands to ten of the one before.
fn laughs(sign: &str, levels: usize) -> String {
    let mut declarations = format!("<!ENTITY {sign} e0 ' '>");
    let reference = if sign == "%" { "&#37;" } else { "&" };
    for level in 1..levels {
        let refs = format!("{reference}e{};", level - 1).repeat(10);
        write!(declarations, "<!ENTITY {sign} e{level} '{refs}'>").unwrap();
    }
    declarations
}

const AMPLIFICATION: &str =
    "entities expand to more than 10 bytes for each byte of input (limits.amplification)";

#[test]
fn exponential_entities() {
    let general = laughs("", 20);
    for text in [
        format!("<!DOCTYPE a [{general}]><a>&e19;</a>"),
        format!("<!DOCTYPE a [{general}]><a b='&e19;'/>"),
        format!("<!DOCTYPE a [{general}<!ATTLIST a b CDATA '&e19;'>]><a/>"),
        format!("<!DOCTYPE a [{}%e19;]><a/>", laughs("%", 20)),
        // Entities that expand to nothing at all.
        format!("<!DOCTYPE a [{general}]><a>&e19;</a>").replace("' '", "''"),
        format!("<!DOCTYPE a [{general}]><a b='&e19;'/>").replace("' '", "''"),
    ] {
        assert_eq!(refusal(&text, &Limits::default()), AMPLIFICATION);
    }
}

#[test]
fn quadratic_entities() {
    let value = "x".repeat(100_000);
    let many = "&e;".repeat(100_000);
    for text in [
        format!("<!DOCTYPE a [<!ENTITY e '{value}'>]><a>{many}</a>"),
        format!("<!DOCTYPE a [<!ENTITY e '{value}'>]><a b='{many}'/>"),
        format!("<!DOCTYPE a [<!ATTLIST b c CDATA '{value}'>]><a>{}</a>", "<b/>".repeat(100_000)),
    ] {
        assert_eq!(refusal(&text, &Limits::default()), AMPLIFICATION);
    }
}

/// A chain of as many entities as may be declared costs as much as its texts, and its depth has the
/// same limit as that of elements.
#[test]
fn chains() {
    let deep = "nested deeper than 1000 levels (limits.depth)";
    for count in [900, 1_200] {
        let mut chain = "<!ENTITY e0 ''>".to_owned();
        for index in 1..count {
            write!(chain, "<!ENTITY e{index} '&e{};'>", index - 1).unwrap();
        }
        let many = format!("&e{};", count - 1).repeat(2_000);
        for text in [
            format!("<!DOCTYPE a [{chain}]><a>{many}</a>"),
            format!("<!DOCTYPE a [{chain}]><a b='{many}'/>"),
        ] {
            let expected = if count < 1_000 { AMPLIFICATION } else { deep };
            assert_eq!(refusal(&text, &Limits::default()), expected);
        }
    }
}

/// The first 8 MiB are free; then each byte of input allows a certain number, and all together have
/// a limit.
#[test]
fn limits_of_expansion() {
    let text = |entity: usize, references: usize, filler: usize| {
        let (value, filler) = ("x".repeat(entity), " ".repeat(filler));
        format!("<!DOCTYPE a [<!ENTITY e '{value}'>]>{filler}<a>{}</a>", "&e;".repeat(references))
    };
    let read = |text: &str, limits: &Limits| {
        limited(text, Options::default(), limits, usize::MAX)
            .map(|(canonical, _)| canonical.len())
            .map_err(|fault| fault.to_string())
    };
    let limits = Limits { amplification: 2, expansion: None, ..Limits::default() };
    // A reference also costs sixteen bytes: 1,024 times 8 KiB are 8 MiB.
    let size = 8 * 1024 - 16;
    let free = text(size, 1024, 0);
    assert_eq!(read(&free, &limits), Ok(size * 1024 + 7));
    let over = text(size, 1025, 0);
    let reason = "entities expand to more than 2 bytes for each byte of input";
    let at = over.len() - "&e;</a>".len();
    let expected = Err(format!("{reason} (limits.amplification) (byte {at})"));
    assert_eq!(read(&over, &limits), expected);
    // The limit is twice the number of bytes before the reference.
    let enough = 4 * (1 << 20) + size / 2 + 8;
    assert_eq!(read(&text(size, 1025, enough - at), &limits), Ok(size * 1025 + 7));
    assert_eq!(
        read(&text(size, 1025, enough - at - 1), &limits),
        Err(format!("{reason} (limits.amplification) (byte {})", enough - 1))
    );
    let none = Limits { amplification: 0, expansion: None, ..Limits::default() };
    assert!(read(&free, &none).is_ok() && read(&over, &none).is_err());
    let limits = Limits { expansion: Some(100), ..Limits::default() };
    assert!(read(&text(9, 4, 0), &limits).is_ok());
    let expected = "entities expand to more than 100 bytes (limits.expansion) (byte 53)";
    assert_eq!(read(&text(9, 5, 0), &limits), Err(expected.to_owned()));
}

#[test]
fn limits_of_declarations() {
    let limits = Limits { entities: 3, depth: 3, name: 5, attributes: 2, ..Limits::default() };
    let read = |subset: &str| {
        outcome(&format!("<!DOCTYPE a [{subset}]><a/>"), Options::default(), &limits)
    };
    for (good, bad, expected) in [
        (
            "<!ENTITY a ''><!ENTITY % a ''><!ENTITY c ''><!ENTITY c ''>",
            "<!ENTITY d ''>",
            "more than 3 entities (limits.entities) (byte 80)",
        ),
        (
            "<!ELEMENT a (((b)))>",
            "<!ELEMENT a ((((b))))>",
            "nested deeper than 3 levels (limits.depth) (byte 48)",
        ),
        (
            "<!ATTLIST a b CDATA '' c CDATA '' b CDATA ''>",
            "<!ATTLIST a d CDATA ''>",
            "more than 2 attributes of one element (limits.attributes) (byte 70)",
        ),
        (
            "<!ENTITY abcde ''>",
            "<!NOTATION abcdef SYSTEM ''>",
            "a name longer than 5 bytes (limits.name) (byte 42)",
        ),
    ] {
        assert!(read(good).is_ok(), "{good}");
        assert_eq!(read(&format!("{good}{bad}")), Err(expected.to_owned()));
    }
    // A declaration is kept whole, and so is the head of the document type.
    let limits = Limits { tag: 32, ..Limits::default() };
    let long = "a tag or declaration longer than 32 bytes (limits.tag)";
    for (length, fits) in [(17, true), (18, false), (1000, false)] {
        let value = "x".repeat(length);
        let subset = outcome(
            &format!("<!DOCTYPE a [<!ENTITY e '{value}' >]><a/>"),
            Options::default(),
            &limits,
        );
        let head = outcome(
            &format!("<!DOCTYPE a SYSTEM '{}'><a/>", &value[7..]),
            Options::default(),
            &limits,
        );
        assert_eq!(subset.err(), (!fits).then(|| format!("{long} (byte 13)")), "{length}");
        assert_eq!(head.err(), (!fits).then(|| format!("{long} (byte 0)")), "{length}");
    }
    // All declarations that are kept have one limit together.
    let limits = Limits { token: 1000, ..Limits::default() };
    let text = format!("<!DOCTYPE a [{}]><a/>", "<!ATTLIST a b ID #IMPLIED>".repeat(1000));
    assert!(outcome(&text, Options::default(), &limits).is_ok(), "the same again is not kept");
    let text = format!("<!DOCTYPE a [<!ENTITY e '{}'>]><a/>", "x".repeat(1000));
    let found = outcome(&text, Options::default(), &limits);
    let reason = "a document type of more than 1000 bytes (limits.token)";
    assert_eq!(found, Err(format!("{reason} (byte 13)")));
}

/// The values of an element's attributes are kept, so they have the same limit.
#[test]
fn values_that_expand() {
    let limits = Limits { token: 1500, ..Limits::default() };
    let value = "x".repeat(100);
    let reason = "attributes that expand to more than 1500 bytes (limits.token)";
    for (kind, gap) in [("CDATA", ""), ("NMTOKENS", " ")] {
        let head = format!("<!DOCTYPE a [<!ENTITY e '{value}'><!ATTLIST a b {kind} #IMPLIED>]>");
        let read = |count: usize| {
            let text = format!("{head}<a b='{}{gap}'/>", "&e;".repeat(count));
            outcome(&text, Options::default(), &limits).map(|(canonical, _)| canonical)
        };
        assert_eq!(read(15).unwrap().len(), 1500 + "<a b=''></a>".len());
        let at = head.len() + "<a b='".len() + 15 * 3;
        assert_eq!(read(16), Err(format!("{reason} (byte {at})")));
    }
}

/// An element that has a thousand attributes, with a thousand declared ones.
#[test]
fn many_attributes() {
    let mut declared = String::new();
    let mut written = String::new();
    for index in 0..1000 {
        write!(declared, " x{index} NMTOKEN ''").unwrap();
        write!(written, " x{index}=''").unwrap();
    }
    let text = format!(
        "<!DOCTYPE a [<!ATTLIST b{declared}><!ATTLIST c{}>]><a>{}{}</a>",
        declared.replace("''", "#IMPLIED"),
        format!("<b{written}/>").repeat(20),
        "<c/>".repeat(20_000),
    );
    let start = Instant::now();
    assert!(limited(&text, Options::default(), &Limits::default(), usize::MAX).is_ok());
    assert!(start.elapsed() < LONG);
}

/// A name without an end is refused as soon as it is too long, wherever it is.
#[test]
fn names_that_never_end() {
    for before in
        ["<", "<a ", "<a>&", "<a b='&", "<?", "</", "<!DOCTYPE ", "<!DOCTYPE a [%", "<a><p:"]
    {
        let end = if before.contains('\'') { ";'>" } else { ">" };
        let text = format!("{before}{}{end}", "x".repeat(70_000));
        let read = |step| limited(&text, Options::default(), &Limits::default(), step);
        let whole = read(usize::MAX).unwrap_err().to_string();
        let expected = match before {
            "</" => "an end tag before the root element (byte 0)".to_owned(),
            "<a><p:" => "a name longer than 65536 bytes (limits.name) (byte 4)".to_owned(),
            _ => format!("a name longer than 65536 bytes (limits.name) (byte {})", before.len()),
        };
        assert_eq!(whole, expected, "{before}");
        for step in [4_095, 33_000] {
            assert_eq!(read(step).unwrap_err().to_string(), whole, "{before}");
        }
    }
}
