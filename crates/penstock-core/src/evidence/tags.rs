//! Which keys may tell of what class an object is.

/// What the last word of such a key is. The public documentation lists these.
const WORDS: [&str; 17] = [
    "type",
    "typename",
    "kind",
    "tag",
    "class",
    "event",
    "op",
    "operation",
    "action",
    "object",
    "category",
    "variant",
    "discriminator",
    "shape",
    "method",
    "command",
    "model",
];

/// So many values of such a key tell apart objects. The public documentation gives this number.
pub const TAGS: usize = 32;

/// Whether a key may tell of what class an object is, by its name: its last word is `type` or the
/// like.
///
/// ```
/// use penstock_core::evidence::may_tell;
///
/// assert!(may_tell("type") && may_tell("@type") && may_tell("eventType") && may_tell("record_kind"));
/// assert!(!may_tell("name") && !may_tell("prototype"));
/// ```
#[must_use]
pub fn may_tell(key: &str) -> bool {
    let bytes = key.as_bytes();
    let is_word = |byte: u8| byte.is_ascii_alphabetic();
    let end = bytes.iter().rposition(|byte| is_word(*byte)).map_or(0, |at| at + 1);
    if end < bytes.len() {
        return false;
    }
    let mut begin = end;
    while begin > 0 && is_word(bytes[begin - 1]) {
        begin -= 1;
        let is_hump =
            bytes[begin].is_ascii_uppercase() && begin > 0 && bytes[begin - 1].is_ascii_lowercase();
        if is_hump {
            break;
        }
    }
    WORDS.iter().any(|word| word.as_bytes().eq_ignore_ascii_case(&bytes[begin..end]))
}
