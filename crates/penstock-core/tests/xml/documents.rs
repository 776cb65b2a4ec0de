//! Documents to read: complete ones and damaged ones.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

use crate::recording::Cuts;

/// A name whose prefix, if any, may be bound or not.
fn name() -> impl Strategy<Value = String> {
    const NAMES: [&str; 11] =
        ["a", "b", "c", "item", "p:a", "p:b", "q:c", "é", "_.-9", "xml:lang", "水"];
    select(&NAMES[..]).prop_map(str::to_owned)
}

/// Text between tags.
fn text() -> impl Strategy<Value = String> {
    let pieces = [
        "x",
        "hello, world",
        " ",
        "\n  ",
        "\r\n",
        "\r",
        "\t",
        "&amp;",
        "&lt;",
        "&#65;",
        "&#x6C34;",
        "&#13;",
        "é",
        "水",
        "𝄞",
        "]",
        "]]",
        ">",
        "\"",
        "'",
        "\u{FFFD}",
        "&#xFFFD;",
        "&quot;",
        "a longer run of text, so that it reaches behind a vector of thirty-two bytes",
        "<![CDATA[]]>",
        "<![CDATA[<a>&amp;]]]>",
        "<!---->",
        "<!-- - é\r\n -->",
        "<?p?>",
        "<?p  d ?\r>?>",
        "<!--a--><!--b-->",
    ];
    vec(select(pieces.to_vec()), 0..4).prop_map(|pieces| pieces.concat())
}

/// A value with its quotes.
fn value() -> impl Strategy<Value = String> {
    let pieces = [
        "1",
        "urn:x",
        "a b",
        "  ",
        "\n",
        "\r\n",
        "\t",
        "&#10;",
        "&lt;",
        "&apos;&quot;",
        "é",
        "𝄞",
        ">",
        "]]>",
        "a value that is longer than thirty-two bytes of text",
    ];
    (vec(select(pieces.to_vec()), 0..3), select(&["\"", "'"][..]))
        .prop_map(|(pieces, quote)| [quote, &pieces.concat(), quote].concat())
}

/// The part of a start tag after the name. It is often not well-formed: a name twice, or a prefix
/// without a binding.
fn attributes() -> impl Strategy<Value = String> {
    let declaration = select(
        &["xmlns='urn:d'", "xmlns:p='urn:p'", "xmlns:q=\"urn:q\"", "xmlns:q='urn:p'", "xmlns=''"][..],
    );
    let attribute = prop_oneof![
        3 => (name(), value()).prop_map(|(name, value)| format!("{name}={value}")),
        1 => (name(), value()).prop_map(|(name, value)| format!("{name} =\n{value}")),
        2 => declaration.prop_map(str::to_owned),
    ];
    let between = select(&[" ", "\n\t", "  "][..]);
    (vec((between, attribute), 0..3), select(&["", "", " ", "\n"][..])).prop_map(|(all, end)| {
        let all: String = all.iter().flat_map(|(space, one)| [space, one.as_str()]).collect();
        all + end
    })
}

/// An element.
fn element() -> impl Strategy<Value = String> {
    let leaf = (name(), attributes()).prop_map(|(name, rest)| format!("<{name}{rest}/>"));
    leaf.prop_recursive(4, 24, 4, |inner| {
        let content = vec(prop_oneof![inner, text()], 0..4);
        (name(), attributes(), content, select(&["", "", "", " ", "\n"][..])).prop_map(
            |(name, rest, content, end)| {
                format!("<{name}{rest}>{}</{name}{end}>", content.concat())
            },
        )
    })
}

/// A document without a document type. Its root binds the prefixes, so that most are well-formed.
pub(crate) fn document() -> impl Strategy<Value = String> {
    let misc = select(&["", "", "\n", "<!--m-->", "<?p d?>\r\n"][..]);
    let content = vec(prop_oneof![element(), text()], 0..4);
    (misc.clone(), content, misc).prop_map(|(before, content, behind)| {
        let content = content.concat();
        format!("{before}<r xmlns:p='urn:p' xmlns:q='urn:q'>{content}</r>{behind}")
    })
}

/// A document with a document type, whose entities and defaults it uses.
pub(crate) fn typed() -> impl Strategy<Value = String> {
    const DECLARATIONS: &[&str] = &[
        "<!ENTITY e 'x'>",
        "<!ENTITY e \"<b>&f;</b>y\">",
        "<!ENTITY f 'é&#38;lt;&#13;'>",
        "<!ENTITY f '&g;&g;'>",
        "<!ENTITY f SYSTEM 'f.xml'>",
        "<!ENTITY g ''>",
        "<!ENTITY g '<!-- g --><?g?>&e;'>",
        "<!ENTITY % p '<!ENTITY e \"of p\">'>",
        "<!ENTITY % p SYSTEM 'p.dtd'>",
        "%p;",
        "<!ATTLIST r xmlns:p CDATA 'urn:p' k CDATA '&e; \n'>",
        "<!ATTLIST a i NMTOKENS #IMPLIED b (x|y) \"y\" p:b CDATA #FIXED 'z'>",
        "<!ELEMENT a (b | (c , item)*)+>",
        "<!ELEMENT r (#PCDATA|a)*>",
        "<!NOTATION n PUBLIC 'p' \"s\">",
        "<!-- é > -->",
        "<?p ]> ?>",
        "\r\n ",
    ];
    let reference = select(&["&e;", "&f;", "&g;", "&e;&g;", "<a i=' 1  2 '/>", "<b k='&e;'/>"][..]);
    let content = vec(prop_oneof![element(), text(), reference.prop_map(str::to_owned)], 0..5);
    let head = select(&["<!DOCTYPE r [", "<!DOCTYPE r SYSTEM 'r.dtd' [", "<!DOCTYPE\nr["][..]);
    (head, vec(select(DECLARATIONS), 0..6), select(&["]>", "] >\n"][..]), content).prop_map(
        |(head, declarations, end, content)| {
            let (declarations, content) = (declarations.concat(), content.concat());
            let root = format!("<r xmlns:p='urn:p' xmlns:q='urn:q'>{content}</r>");
            [head, &declarations, end, &root].concat()
        },
    )
}

/// Tokens to insert where they do not belong.
const TOKENS: &[&str] = &[
    "<",
    ">",
    "/",
    "=",
    "\"",
    "'",
    "&",
    ";",
    "&#",
    "&#x",
    "&#0;",
    "&lt;",
    "&e;",
    "]]>",
    "]",
    "<!",
    "<!-",
    "<!--",
    "-->",
    "--",
    "<?",
    "?>",
    "<?xml?>",
    "<![CDATA[",
    "<a>",
    "</a>",
    "</r>",
    "<a/>",
    ":",
    "x",
    "-",
    "9",
    " ",
    "\n",
    "\r",
    "\u{1}",
    "\u{FFFE}",
    "\u{FFFF}",
    "\u{B7}",
    "é",
    "𝄞",
    " a='1'",
    " xmlns:p=''",
    " xmlns='http://www.w3.org/2000/xmlns/'",
    " xmlns:xml='urn:x'",
    "%p;",
    "]>",
    "<!DOCTYPE r>",
    "<!ENTITY e '",
    "SYSTEM",
];

/// A damaged document: often without any effect, mostly with one fault.
pub(crate) fn damaged(text: impl Strategy<Value = String>) -> impl Strategy<Value = String> {
    // A position, how many characters to remove there, and what to insert.
    let damage = prop_oneof![
        1 => (any::<Index>(), 1_usize..3, Just("")),
        3 => (any::<Index>(), 0_usize..2, select(TOKENS)),
        1 => (any::<Index>(), Just(usize::MAX), Just("")),
    ];
    (text, vec(damage, 0..3)).prop_map(|(mut text, all)| {
        for (at, length, token) in all {
            let mut places: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
            places.push(text.len());
            let from = at.index(places.len());
            let to = from.saturating_add(length).min(places.len() - 1);
            text.replace_range(places[from]..places[to], token);
        }
        text
    })
}

/// The growth of the window.
pub(crate) fn cuts() -> impl Strategy<Value = Cuts> {
    let growth = prop_oneof![4 => 0_u8..6, 1 => 0_u8..80];
    vec(growth, 1..12).prop_map(Cuts)
}
