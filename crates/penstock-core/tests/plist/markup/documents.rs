//! Documents to read: property lists, and what is almost one.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

use super::recording::Cuts;

fn text() -> impl Strategy<Value = String> {
    let pieces = [
        "a",
        "name",
        " ",
        "\n\t",
        "\r\n",
        "&amp;",
        "&lt;",
        "&#xE9;",
        "é",
        "水",
        "𝄞",
        "]",
        "<![CDATA[<b>]]>",
        "<!-- - -->",
        "<?p?>",
        "&e;",
        "a longer run of text, so that it reaches behind a vector of thirty-two bytes",
    ];
    vec(select(pieces.to_vec()), 0..3).prop_map(|pieces| pieces.concat())
}

fn space() -> impl Strategy<Value = &'static str> {
    select(&["", "", "", "\n", "\n\t", "\r\n", "<!-- c -->", "<?p?>"][..])
}

fn leaf() -> impl Strategy<Value = String> {
    let fixed = [
        "<true/>",
        "<false/>",
        "<true></true>",
        "<false> </false>",
        "<string/>",
        "<integer>0</integer>",
        "<integer>-42</integer>",
        "<integer> 7\n</integer>",
        "<integer>0x1F</integer>",
        "<integer>18446744073709551615</integer>",
        "<integer>-9223372036854775809</integer>",
        "<integer>1<!-- -->2</integer>",
        "<integer>+007</integer>",
        "<integer>&#49;</integer>",
        "<real>1.5</real>",
        "<real>-inf</real>",
        "<real>nan</real>",
        "<real>1e300</real>",
        "<real> .5 </real>",
        "<date>2004-10-26T10:33:33Z</date>",
        "<date>2004-10-26Z</date>",
        "<data/>",
        "<data>\n\tcGVu\n\tc3RvY2s=\n</data>",
        "<data>AA<!-- -->==</data>",
        "<dict><key>CF$UID</key><integer>7</integer></dict>",
        "<dict><key>CF$UID</key><integer>0xFFFFFFFFFFFFFFFF</integer>\n</dict>",
        "<dict><key>CF$UID</key><integer>-1</integer></dict>",
        "<dict><key>CF$UID</key><integer>7</integer><key/><true/></dict>",
        "<dict><key>CF$UID</key><string>7</string></dict>",
        "<dict><key>CF$UID</key><array/></dict>",
        "<dict><key>CF$UID</key><dict/><key>x</key><true/></dict>",
        "<dict><key>x</key><true/><key>CF$UID</key><integer>7</integer></dict>",
        "<dict/>",
        "<array/>",
        "<dict></dict>",
        "<array>\n</array>",
    ];
    prop_oneof![
        3 => select(fixed.to_vec()).prop_map(str::to_owned),
        2 => text().prop_map(|text| format!("<string>{text}</string>")),
    ]
}

/// A value.
pub(crate) fn value() -> impl Strategy<Value = String> {
    leaf().prop_recursive(4, 24, 4, |inner| {
        let member =
            (space(), text(), space(), inner.clone()).prop_map(|(before, key, between, value)| {
                format!("{before}<key>{key}</key>{between}{value}")
            });
        let dict = (vec(member, 0..4), space())
            .prop_map(|(members, end)| format!("<dict>{}{end}</dict>", members.concat()));
        let item = (space(), inner).prop_map(|(before, value)| format!("{before}{value}"));
        let array = (vec(item, 0..4), space())
            .prop_map(|(items, end)| format!("<array a='1'>{}{end}</array>", items.concat()));
        prop_oneof![3 => dict, 1 => array]
    })
}

const DOCTYPE: &str = "<?xml version='1.0'?>\n<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \
     \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\" [<!ENTITY e 'ent&#38;amp;ity'>\
     <!ENTITY v '<true/>'> <!-- c -->]>\n";

/// A property list.
pub(crate) fn document() -> impl Strategy<Value = String> {
    (value(), space(), space(), any::<bool>()).prop_map(|(value, before, after, bare)| {
        if bare {
            format!("{DOCTYPE}{value}")
        } else {
            format!("{DOCTYPE}<plist version='1.0'>{before}{value}{after}</plist>\n")
        }
    })
}

/// The same with something inserted, removed or repeated.
pub(crate) fn damaged() -> impl Strategy<Value = String> {
    let inserted = [
        "",
        "<",
        ">",
        "</dict>",
        "<dict>",
        "<array>",
        "<key>",
        "</key>",
        "<key/>",
        "<plist>",
        "</plist>",
        "x",
        " ",
        "&v;",
        "&e;",
        "&x;",
        "<b/>",
        "<true/>",
        "\r\n x",
        "&#32;",
        "&#32; \r\n&#10;x",
        "é",
        "<string>",
        "</string>",
        "<dict><key>CF$UID</key>",
        "<integer>",
    ];
    (document(), any::<Index>(), 0_usize..12, select(inserted.to_vec()), any::<bool>()).prop_map(
        |(text, place, removed, inserted, at_tags)| {
            let inside: Vec<usize> = text
                .char_indices()
                .filter(|(at, char)| *at >= DOCTYPE.len() && (!at_tags || *char == '<'))
                .map(|(at, _)| at)
                .collect();
            let place = inside[place.index(inside.len())];
            let mut end = if at_tags { place } else { (place + removed).min(text.len()) };
            while !text.is_char_boundary(end) {
                end += 1;
            }
            format!("{}{inserted}{}", &text[..place], &text[end..])
        },
    )
}

pub(crate) fn cuts() -> impl Strategy<Value = Cuts> {
    vec(0_u8..40, 1..6).prop_map(Cuts)
}
