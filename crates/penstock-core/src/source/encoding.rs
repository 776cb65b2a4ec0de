//! Converts text in other encodings to UTF-8 before anything else reads it.
//!
//! Penstock never guesses an encoding: input is UTF-8 unless the caller, or the document itself,
//! names another one. Decoding is strict: bytes that are invalid in the encoding are a fault, and
//! never replaced. Text that is plainly UTF-16 or UTF-32 is recognised. If documents of the format
//! do not declare their encoding, it is only recognised to refuse it by name.

use crate::error::Fault;
use crate::source::single::Single;
use penstock_scan::make_room;

/// The byte order mark as UTF-8 has it.
pub const UTF8_BOM: &[u8; 3] = b"\xef\xbb\xbf";

/// The encoding of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Encoding(Kind);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Utf8,
    /// UTF-16 or UTF-32, by its byte order mark.
    Marked {
        wide: bool,
    },
    Utf32 {
        big: bool,
    },
    Ascii,
    Latin1,
    Single(&'static Single),
    Web(&'static encoding_rs::Encoding),
}

/// Finds an encoding by its name, in any case, with `_` or `-`.
///
/// All labels of the WHATWG Encoding Standard are known, with these differences, for which the
/// names mean what they mean in Python:
///
/// - `utf-16` and `utf-32` take the byte order from the mark, and refuse text without one: RFC 2781
///   says big endian, the web little endian, and Python the machine's own order. `utf-16-le`,
///   `utf-16-be`, `utf-32-le` and `utf-32-be` name the order.
/// - `ascii` is ASCII and `latin-1` (`iso-8859-1`) is ISO 8859-1, and not Windows-1252. So
///   `iso-8859-9`, `iso-8859-11`, `tis-620` and `koi8-u` are not their relatives either.
/// - The encodings that the standard replaces (such as `iso-2022-kr`) are not known.
///
/// ```
/// use penstock_core::source::encoding::by_name;
/// assert_eq!(by_name("UTF_16_LE").unwrap().name(), "utf-16-le");
/// assert_eq!(by_name("cp1252").unwrap().name(), "windows-1252");
/// assert!(by_name("klingon").is_none());
/// ```
#[must_use]
pub fn by_name(name: &str) -> Option<Encoding> {
    let name = name.trim().to_ascii_lowercase().replace('_', "-");
    let kind = match name.as_str() {
        "utf-8" | "utf8" | "utf-8-sig" => Kind::Utf8,
        "utf-16" | "utf16" => Kind::Marked { wide: false },
        "utf-32" | "utf32" => Kind::Marked { wide: true },
        "utf-16-le" | "utf-16le" => Kind::Web(encoding_rs::UTF_16LE),
        "utf-16-be" | "utf-16be" => Kind::Web(encoding_rs::UTF_16BE),
        "utf-32-le" | "utf-32le" => Kind::Utf32 { big: false },
        "utf-32-be" | "utf-32be" => Kind::Utf32 { big: true },
        "ascii" | "us-ascii" | "ansi-x3.4-1968" | "iso-ir-6" => Kind::Ascii,
        "latin-1" | "latin1" | "l1" | "iso-8859-1" | "iso8859-1" | "iso88591" | "cp819"
        | "ibm819" | "iso-ir-100" => Kind::Latin1,
        other if let Some(single) = Single::by_label(other) => Kind::Single(single),
        // Some of the standard's own labels have an underscore.
        other => {
            let found = encoding_rs::Encoding::for_label(other.as_bytes())
                .or_else(|| encoding_rs::Encoding::for_label(other.replace('-', "_").as_bytes()))?;
            match found {
                found if found == encoding_rs::REPLACEMENT => return None,
                found if found == encoding_rs::UTF_8 => Kind::Utf8,
                found => Kind::Web(found),
            }
        }
    };
    Some(Encoding(kind))
}

impl Encoding {
    /// UTF-8.
    pub const UTF_8: Encoding = Encoding(Kind::Utf8);

    /// The name, which [`by_name`] also accepts.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self.0 {
            Kind::Utf8 => "utf-8",
            Kind::Marked { wide: false } => "utf-16",
            Kind::Marked { wide: true } => "utf-32",
            Kind::Utf32 { big: false } => "utf-32-le",
            Kind::Utf32 { big: true } => "utf-32-be",
            Kind::Ascii => "ascii",
            Kind::Latin1 => "iso-8859-1",
            Kind::Single(single) => single.name,
            Kind::Web(found) if found == encoding_rs::UTF_16LE => "utf-16-le",
            Kind::Web(found) if found == encoding_rs::UTF_16BE => "utf-16-be",
            Kind::Web(found) => found.name(),
        }
    }

    /// True if it encodes characters in units of two or four bytes.
    pub(crate) fn is_wide(self) -> bool {
        matches!(self.0, Kind::Marked { .. } | Kind::Utf32 { .. })
            || matches!(self.0, Kind::Web(found)
                if found == encoding_rs::UTF_16LE || found == encoding_rs::UTF_16BE)
    }

    /// True if its text needs no transcoding.
    #[must_use]
    pub fn is_utf8(self) -> bool {
        self.0 == Kind::Utf8
    }
}

/// Recognises UTF-16 and UTF-32, with a byte order mark or without one, from the first four bytes
/// of a document whose first character is ASCII and whose text has no U+0000 (RFC 4627, section 3).
/// Fewer bytes may be given if the document has no more.
///
/// ```
/// use penstock_core::source::encoding::foreign;
/// assert_eq!(foreign(b"{\0\"\0"), Some("utf-16-le"));
/// assert_eq!(foreign(b"{\"a\""), None);
/// ```
#[must_use]
pub fn foreign(prefix: &[u8]) -> Option<&'static str> {
    match *prefix {
        [0xff, 0xfe, 0, 0, ..] => Some("utf-32-le"),
        [0, 0, 0xfe, 0xff, ..] => Some("utf-32-be"),
        [0xff, 0xfe, ..] => Some("utf-16-le"),
        [0xfe, 0xff, ..] => Some("utf-16-be"),
        [0, 0, 0, x, ..] if x != 0 => Some("utf-32-be"),
        [x, 0, 0, 0, ..] if x != 0 => Some("utf-32-le"),
        [0, x, ..] if x != 0 => Some("utf-16-be"),
        [x, 0, ..] if x != 0 => Some("utf-16-le"),
        _ => None,
    }
}

/// The beginning of a document that should be UTF-8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Opening {
    /// Too few bytes to decide. Never the answer for four bytes.
    Open,
    /// Text, after a byte order mark of this many bytes.
    Text(usize),
    /// Text in another encoding, with this name.
    Foreign(&'static str),
}

/// The kind of a document that begins with `prefix` and, if `ended`, has no more bytes. It asks for
/// more only if more can change the answer, because a stream may be slow to give it.
pub(crate) fn opening(prefix: &[u8], ended: bool) -> Opening {
    // An incomplete mark of UTF-8, or a byte that excludes UTF-8, but does not yet determine the
    // encoding.
    let undecided = matches!(
        *prefix,
        [] | [_]
            | [0xef, 0xbb]
            | [0 | 0xfe | 0xff, _]
            | [0 | 0xfe | 0xff, _, _]
            | [_, 0]
            | [_, 0, _]
    );
    match foreign(prefix) {
        _ if undecided && !ended => Opening::Open,
        Some(name) => Opening::Foreign(name),
        None if prefix.starts_with(UTF8_BOM) => Opening::Text(UTF8_BOM.len()),
        None => Opening::Text(0),
    }
}

/// The fault of a document in another encoding than expected.
#[cold]
#[must_use]
pub fn refuse(name: &'static str) -> Fault {
    let family = name[..6].to_ascii_uppercase();
    let order = if name.ends_with("le") { "little" } else { "big" };
    Fault::malformed(0, format!("this looks like {family} ({order} endian); say encoding='{name}'"))
}

/// Converts text in another encoding to UTF-8, in pieces of any size.
#[derive(Debug)]
pub(crate) struct Transcoder {
    name: &'static str,
    decoder: Decoder,
    /// Text that was not taken yet, from `taken` on.
    text: Vec<u8>,
    taken: usize,
    /// Bytes of text made so far, without a byte order mark.
    made: u64,
    /// False until the first character is there, which may be a byte order mark.
    started: bool,
    ended: bool,
}

#[derive(Debug)]
enum Decoder {
    /// Waits for the byte order mark, and holds the bytes of it seen so far.
    Marked {
        wide: bool,
        seen: Vec<u8>,
    },
    /// Holds a unit that was cut at the end of the last piece.
    Utf32 {
        big: bool,
        cut: Vec<u8>,
    },
    Ascii,
    Latin1,
    Single(&'static Single),
    Web(encoding_rs::Decoder),
}

fn web(found: &'static encoding_rs::Encoding) -> Decoder {
    Decoder::Web(found.new_decoder_without_bom_handling())
}

impl Transcoder {
    /// A transcoder from `encoding`.
    pub(crate) fn new(encoding: Encoding) -> Self {
        let decoder = match encoding.0 {
            Kind::Utf8 => web(encoding_rs::UTF_8),
            Kind::Marked { wide } => Decoder::Marked { wide, seen: Vec::new() },
            Kind::Utf32 { big } => Decoder::Utf32 { big, cut: Vec::new() },
            Kind::Ascii => Decoder::Ascii,
            Kind::Latin1 => Decoder::Latin1,
            Kind::Single(single) => Decoder::Single(single),
            Kind::Web(found) => web(found),
        };
        Transcoder {
            name: encoding.name(),
            decoder,
            text: Vec::new(),
            taken: 0,
            made: 0,
            started: false,
            ended: false,
        }
    }

    /// The text that the last piece has made, before any of it is taken.
    pub(crate) fn ready(&self) -> &[u8] {
        &self.text[self.taken..]
    }

    /// Moves text that is ready to `out`.
    pub(crate) fn take(&mut self, out: &mut [u8]) -> usize {
        let ready = &self.text[self.taken..];
        let n = ready.len().min(out.len());
        out[..n].copy_from_slice(&ready[..n]);
        self.taken += n;
        n
    }

    /// True once the end of the source is seen.
    pub(crate) fn ended(&self) -> bool {
        self.ended
    }

    /// Decodes the next piece of the source; an empty one is its end. Call it when all text is
    /// taken. After a fault, the text before it is still ready.
    ///
    /// # Errors
    /// Bytes that are invalid in the encoding, with their offset in the text.
    pub(crate) fn push(&mut self, input: &[u8]) -> Result<(), Fault> {
        self.text.clear();
        self.taken = 0;
        self.ended = input.is_empty();
        let decoded = match &mut self.decoder {
            Decoder::Marked { wide, seen } => {
                make_room(seen, input.len());
                seen.extend_from_slice(input);
                let (wide, seen) = (*wide, std::mem::take(seen));
                self.settle_order(wide, seen)
            }
            decoder => decoder.decode(input, &mut self.text),
        };
        if !self.started && !self.text.is_empty() {
            self.started = true;
            // The mark of any encoding has become U+FEFF by now.
            if self.text.starts_with(UTF8_BOM) {
                self.taken = UTF8_BOM.len();
            }
        }
        self.made += (self.text.len() - self.taken) as u64;
        match decoded {
            Ok(()) => Ok(()),
            Err(Bad::Malformed) => Err(Fault::malformed(
                self.made,
                format!("invalid {}: these bytes are not a character", self.name),
            )),
            Err(Bad::Cut) => Err(Fault::truncated(
                self.made,
                format!("the input ends inside a character ({})", self.name),
            )),
            Err(Bad::Unmarked(orders)) => Err(Fault::malformed(0, orders)),
        }
    }

    /// Chooses the byte order by the mark at the start of `seen`, and decodes `seen`.
    fn settle_order(&mut self, wide: bool, seen: Vec<u8>) -> Result<(), Bad> {
        let mark = if wide { 4 } else { 2 };
        if seen.is_empty() {
            return Ok(());
        }
        if seen.len() < mark && !self.ended {
            self.decoder = Decoder::Marked { wide, seen };
            return Ok(());
        }
        self.decoder = match (wide, seen.as_slice()) {
            (false, [0xff, 0xfe, ..]) => web(encoding_rs::UTF_16LE),
            (false, [0xfe, 0xff, ..]) => web(encoding_rs::UTF_16BE),
            (true, [0xff, 0xfe, 0, 0, ..]) => Decoder::Utf32 { big: false, cut: Vec::new() },
            (true, [0, 0, 0xfe, 0xff, ..]) => Decoder::Utf32 { big: true, cut: Vec::new() },
            _ if seen.len() < mark => return Err(Bad::Cut),
            (false, _) => {
                return Err(Bad::Unmarked(
                    "utf-16 without a byte order mark; say 'utf-16-le' or 'utf-16-be'",
                ));
            }
            (true, _) => {
                return Err(Bad::Unmarked(
                    "utf-32 without a byte order mark; say 'utf-32-le' or 'utf-32-be'",
                ));
            }
        };
        self.decoder.decode(&seen, &mut self.text)?;
        if self.ended { self.decoder.decode(&[], &mut self.text) } else { Ok(()) }
    }
}

/// Why a text cannot be decoded.
enum Bad {
    Malformed,
    /// It ends inside a character.
    Cut,
    /// It has no byte order mark and needs one.
    Unmarked(&'static str),
}

impl Decoder {
    /// Appends `input`, or the end if it is empty, to `text` as UTF-8.
    fn decode(&mut self, input: &[u8], text: &mut Vec<u8>) -> Result<(), Bad> {
        match self {
            Decoder::Marked { .. } => Ok(()),
            Decoder::Ascii => {
                let good = input.iter().position(|b| !b.is_ascii()).unwrap_or(input.len());
                make_room(text, good);
                text.extend_from_slice(&input[..good]);
                if good == input.len() { Ok(()) } else { Err(Bad::Malformed) }
            }
            Decoder::Latin1 => {
                let from = text.len();
                make_room(text, 2 * input.len());
                text.resize(from + 2 * input.len(), 0);
                let n = encoding_rs::mem::convert_latin1_to_utf8(input, &mut text[from..]);
                text.truncate(from + n);
                Ok(())
            }
            Decoder::Single(single) => {
                if single.decode(input, text) {
                    Ok(())
                } else {
                    Err(Bad::Malformed)
                }
            }
            Decoder::Utf32 { big, cut } => decode_utf32(*big, cut, input, text),
            Decoder::Web(decoder) => decode_web(decoder, input, text),
        }
    }
}

fn decode_utf32(big: bool, cut: &mut Vec<u8>, input: &[u8], text: &mut Vec<u8>) -> Result<(), Bad> {
    if input.is_empty() {
        return if cut.is_empty() { Ok(()) } else { Err(Bad::Cut) };
    }
    make_room(cut, input.len());
    cut.extend_from_slice(input);
    let (units, rest) = cut.as_chunks::<4>();
    // A character takes four bytes at most in UTF-8, as it does here.
    make_room(text, cut.len());
    for unit in units {
        let value = if big { u32::from_be_bytes(*unit) } else { u32::from_le_bytes(*unit) };
        let c = char::from_u32(value).ok_or(Bad::Malformed)?;
        text.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
    }
    *cut = rest.to_vec();
    Ok(())
}

fn decode_web(
    decoder: &mut encoding_rs::Decoder,
    input: &[u8],
    text: &mut Vec<u8>,
) -> Result<(), Bad> {
    let from = text.len();
    // Only a length near the end of the address space has no answer.
    let room =
        decoder.max_utf8_buffer_length_without_replacement(input.len()).ok_or(Bad::Malformed)?;
    make_room(text, room);
    text.resize(from + room, 0);
    let last = input.is_empty();
    let (result, _, n) = decoder.decode_to_utf8_without_replacement(input, &mut text[from..], last);
    text.truncate(from + n);
    match result {
        encoding_rs::DecoderResult::Malformed(..) if last => Err(Bad::Cut),
        encoding_rs::DecoderResult::Malformed(..) => Err(Bad::Malformed),
        // The decoder itself said that the room is enough.
        encoding_rs::DecoderResult::InputEmpty | encoding_rs::DecoderResult::OutputFull => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        let name = |n: &str| by_name(n).map(Encoding::name);
        assert_eq!(name(" UTF8 "), Some("utf-8"));
        assert_eq!(name("utf_8_sig"), Some("utf-8"));
        assert_eq!(name("unicode-1-1-utf-8"), Some("utf-8"));
        assert_eq!(name("utf-16"), Some("utf-16"));
        assert_eq!(name("UTF-16LE"), Some("utf-16-le"));
        assert_eq!(name("latin_1"), Some("iso-8859-1"));
        assert_eq!(name("us-ascii"), Some("ascii"));
        assert_eq!(name("cp1252"), Some("windows-1252"));
        assert_eq!(name("Shift_JIS"), Some("Shift_JIS"));
        assert_eq!(name("koi8-r"), Some("KOI8-R"));
        assert_eq!(name("iso-2022-kr"), None);
        assert_eq!(name(""), None);
        assert_eq!(name("ISO_8859-9:1989"), Some("iso-8859-9"));
        assert_eq!(name("TIS_620"), Some("tis-620"));
        for known in
            ["utf-8", "utf-16", "utf-16-be", "utf-32-le", "ascii", "latin-1", "gbk", "koi8-u"]
        {
            let encoding = by_name(known).unwrap();
            assert_eq!(by_name(encoding.name()), Some(encoding));
        }
    }

    #[test]
    fn foreign_documents() {
        for (prefix, name) in [
            (&b"{\0\"\0"[..], "utf-16-le"),
            (b"\0{\0\"", "utf-16-be"),
            (b"{\0\0\0", "utf-32-le"),
            (b"\0\0\0{", "utf-32-be"),
            (b"\xff\xfe{\0", "utf-16-le"),
            (b"\xfe\xff\0{", "utf-16-be"),
            (b"\xff\xfe\0\0", "utf-32-le"),
            (b"\0\0\xfe\xff", "utf-32-be"),
            (b"1\0", "utf-16-le"),
            (b"\x001", "utf-16-be"),
            // A quote and U+4E00.
            (b"\"\0\0\x4e", "utf-16-le"),
        ] {
            assert_eq!(foreign(prefix), Some(name), "{prefix:?}");
            assert_eq!(opening(prefix, true), Opening::Foreign(name));
            // No earlier answer differs.
            for n in 0..prefix.len() {
                let early = opening(&prefix[..n], false);
                assert!([Opening::Open, Opening::Foreign(name)].contains(&early), "{prefix:?}");
            }
        }
        for (prefix, skip) in
            [(&b""[..], 0), (b"1", 0), (b"\xef\xbb\xbf", 3), (b"\xef\xbb", 0), (b"\0\0\0\0", 0)]
        {
            assert_eq!(opening(prefix, true), Opening::Text(skip), "{prefix:?}");
        }
        assert_eq!(opening(b"1\n", false), Opening::Text(0));
        assert_eq!(
            refuse("utf-16-le").reason(),
            "this looks like UTF-16 (little endian); say encoding='utf-16-le'"
        );
    }

    /// Four bytes are always enough.
    #[test]
    fn four_bytes_are_enough() {
        let some = [0, 1, b'{', 0xef, 0xbb, 0xbf, 0xfe, 0xff];
        for i in 0..some.len().pow(4) {
            let prefix: [u8; 4] = std::array::from_fn(|k| some[i >> (3 * k) & 7]);
            assert_ne!(opening(&prefix, false), Opening::Open, "{prefix:?}");
            assert_eq!(opening(&prefix, false), opening(&prefix, true));
        }
    }
}
