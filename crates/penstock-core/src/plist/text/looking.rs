//! Which form of property list a text is, from its first bytes.
//!
//! | the text begins, behind white space, with | it is |
//! |---|---|
//! | `[` | JSON: no text property list begins so |
//! | `{` and a string in double quotes, with `:` behind it | JSON |
//! | `{` and anything else | text: `{}` is both, and the same value |
//! | `<` and hexadecimal digits up to `>`, or `<*`, or `<[` | text: data, or a value of GNUstep |
//! | `<` and anything else | XML |
//! | anything else: a string, `(`, a comment | text: a lone string, number or word of JSON is that too |
//!
//! Nothing behind the first key is looked at, and nothing behind the first 64 KiB: such a text is no JSON.

/// The most bytes that are looked at.
pub const MOST_LOOKED_AT: usize = 64 << 10;

/// The form that a text looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Looks {
    /// XML.
    Xml,
    /// JSON.
    Json,
    /// OpenStep or GNUstep text, or a file of strings.
    Text,
    /// More of the text must be seen.
    NeedMore,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    Start,
    /// Behind `{`.
    Brace,
    /// In the key behind it.
    Key,
    /// Behind the key.
    Behind,
    /// Behind `<`.
    Angle,
    /// In what may be data.
    Data,
}

/// Looks at the first bytes of a text, as they come.
///
/// ```
/// use penstock_core::plist::text::{Looking, Looks};
///
/// let mut looking = Looking::new();
/// assert_eq!(looking.look(b" { \"a", false), Looks::NeedMore);
/// assert_eq!(looking.look(b" { \"a\" = 1; }", true), Looks::Text);
/// assert_eq!(Looking::new().look(b"{\"a\": 1}", true), Looks::Json);
/// ```
#[derive(Clone, Debug)]
pub struct Looking {
    at: At,
    /// How many bytes were looked at.
    seen: usize,
}

impl Default for Looking {
    fn default() -> Self {
        Self::new()
    }
}

impl Looking {
    /// At the beginning of a text.
    #[must_use]
    pub fn new() -> Self {
        Looking { at: At::Start, seen: 0 }
    }

    /// The form of a text that begins with these bytes. `last` says that there are no more. If the answer is
    /// [`Looks::NeedMore`], the next call gets the same bytes and more: those that were looked at are not looked at again.
    pub fn look(&mut self, bytes: &[u8], last: bool) -> Looks {
        while let Some(&byte) = bytes.get(self.seen).filter(|_| self.seen < MOST_LOOKED_AT) {
            let is_space = matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
            let mut by = 1;
            self.at = match (self.at, byte) {
                (At::Start | At::Brace | At::Behind | At::Data, _) if is_space => self.at,
                (At::Start, b'{') => At::Brace,
                (At::Start, b'[') => return Looks::Json,
                (At::Start, b'<') => At::Angle,
                (At::Start, _) => return Looks::Text,
                (At::Brace, b'"') => At::Key,
                (At::Brace, _) => return Looks::Text,
                (At::Key, b'"') => At::Behind,
                (At::Key, b'\\') => {
                    // The byte behind it belongs to it.
                    if self.seen + 1 == bytes.len() {
                        break;
                    }
                    by = 2;
                    At::Key
                }
                (At::Key, _) => At::Key,
                (At::Behind, b':') => return Looks::Json,
                (At::Behind, _) => return Looks::Text,
                (At::Angle, b'*' | b'[') => return Looks::Text,
                (At::Angle | At::Data, b'>') => return Looks::Text,
                (At::Angle | At::Data, _) if is_space || byte.is_ascii_hexdigit() => At::Data,
                (At::Angle | At::Data, _) => return Looks::Xml,
            };
            self.seen += by;
        }
        if last || self.seen >= MOST_LOOKED_AT { Looks::Text } else { Looks::NeedMore }
    }
}
