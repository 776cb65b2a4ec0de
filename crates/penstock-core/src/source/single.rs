//! Encodings of one byte per character that the WHATWG table reads as their relatives of Windows,
//! where bytes have another meaning: the euro sign in place of a control character, for example.

/// An encoding of one byte per character that extends ASCII.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Single {
    pub(super) name: &'static str,
    /// The characters of the bytes from 0x80 on; [`NONE`] for those without one.
    high: [char; 128],
}

const NONE: char = char::REPLACEMENT_CHARACTER;

/// Its name and its labels in lower case, with `-` for `_`.
const ALL: [(&Single, &[&str]); 4] = [
    (
        &ISO_8859_9,
        &[
            "iso-8859-9",
            "iso8859-9",
            "iso88599",
            "iso-8859-9:1989",
            "iso-ir-148",
            "csisolatin5",
            "latin5",
            "l5",
        ],
    ),
    (&ISO_8859_11, &["iso-8859-11", "iso8859-11", "iso885911"]),
    (&TIS_620, &["tis-620", "tis620"]),
    (&KOI8_U, &["koi8-u"]),
];

static ISO_8859_9: Single = Single { name: "iso-8859-9", high: turkish() };
static ISO_8859_11: Single = Single { name: "iso-8859-11", high: thai('\u{A0}') };
static TIS_620: Single = Single { name: "tis-620", high: thai(NONE) };
static KOI8_U: Single = Single { name: "koi8-u", high: ukrainian() };

impl Single {
    /// The encoding with a label.
    pub(super) fn by_label(label: &str) -> Option<&'static Single> {
        ALL.into_iter().find(|(_, labels)| labels.contains(&label)).map(|(single, _)| single)
    }

    /// Appends the bytes as UTF-8. False at a byte that is not a character.
    pub(super) fn decode(&self, input: &[u8], text: &mut Vec<u8>) -> bool {
        for byte in input {
            let char = match byte.checked_sub(0x80) {
                None => char::from(*byte),
                Some(high) => self.high[usize::from(high)],
            };
            if char == NONE {
                return false;
            }
            text.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes());
        }
        true
    }
}

/// Latin-1.
const fn western() -> [char; 128] {
    let mut high = [NONE; 128];
    let mut at = 0;
    while at < 128 {
        high[at] = (0x80 + at as u8) as char;
        at += 1;
    }
    high
}

/// ISO 8859-9 is Latin-1 with six other letters.
const fn turkish() -> [char; 128] {
    let mut high = western();
    high[0xD0 - 0x80] = 'Ğ';
    high[0xDD - 0x80] = 'İ';
    high[0xDE - 0x80] = 'Ş';
    high[0xF0 - 0x80] = 'ğ';
    high[0xFD - 0x80] = 'ı';
    high[0xFE - 0x80] = 'ş';
    high
}

/// ISO 8859-11 is TIS-620 with a no-break space.
const fn thai(space: char) -> [char; 128] {
    let mut high = western();
    high[0x20] = space;
    let mut at = 0x21;
    while at < 128 {
        let is_none = (at > 0x5A && at < 0x5F) || at > 0x7B;
        // U+0E01 stands at 0xA1.
        let thai = char::from_u32(0xE00 + at as u32 - 0x20);
        high[at] = match thai {
            Some(char) if !is_none => char,
            _ => NONE,
        };
        at += 1;
    }
    high
}

/// KOI8-U (RFC 2319).
const fn ukrainian() -> [char; 128] {
    const TABLE: &str = "─│┌┐└┘├┤┬┴┼▀▄█▌▐░▒▓⌠■∙√≈≤≥\u{A0}⌡°²·÷\
                         ═║╒ёє╔ії╗╘╙╚╛ґ╝╞╟╠╡ЁЄ╣ІЇ╦╧╨╩╪Ґ╬©\
                         юабцдефгхийклмнопярстужвьызшэщчъ\
                         ЮАБЦДЕФГХИЙКЛМНОПЯРСТУЖВЬЫЗШЭЩЧЪ";
    let bytes = TABLE.as_bytes();
    let mut high = [NONE; 128];
    let (mut from, mut at) = (0, 0);
    while at < 128 {
        // Each character has two or three bytes.
        let (lead, one) = (bytes[from] as u32, bytes[from + 1] as u32 & 0x3F);
        let code = if lead < 0xE0 {
            from += 2;
            (lead & 0x1F) << 6 | one
        } else {
            from += 3;
            (lead & 0x0F) << 12 | one << 6 | bytes[from - 1] as u32 & 0x3F
        };
        if let Some(char) = char::from_u32(code) {
            high[at] = char;
        }
        at += 1;
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_is_a_label() {
        for (single, labels) in ALL {
            assert_eq!(labels[0], single.name);
            assert!(labels.iter().all(|label| Single::by_label(label) == Some(single)));
        }
        assert_eq!(Single::by_label("koi8-ru"), None);
    }

    #[test]
    fn bytes_that_differ_from_the_relatives() {
        let decoded = |single: &Single, input: &[u8]| {
            let mut text = Vec::new();
            let all = single.decode(input, &mut text);
            (String::from_utf8(text).unwrap(), all)
        };
        assert_eq!(decoded(&ISO_8859_9, b"\x80a\xDD\xFF"), ("\u{80}aİÿ".to_owned(), true));
        assert_eq!(decoded(&ISO_8859_11, b"\x80\xA0\xA1\xFB"), ("\u{80}\u{A0}ก๛".to_owned(), true));
        assert_eq!(decoded(&TIS_620, b"\xA1\xA0x"), ("ก".to_owned(), false));
        assert_eq!(decoded(&TIS_620, b"\xDA\xDF\xDBx"), ("ฺ฿".to_owned(), false));
        assert_eq!(decoded(&KOI8_U, b"\x80\x9A\xAE\xBE\xFF"), ("─\u{A0}╝╬Ъ".to_owned(), true));
    }
}
