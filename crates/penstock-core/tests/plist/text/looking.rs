//! Which form a text looks like, whatever comes of it at once.

use penstock_core::plist::text::{Looking, Looks, MOST_LOOKED_AT};

/// The form, which is the same if the text comes byte by byte, and the number of bytes that decide.
fn looks(text: &str) -> (Looks, usize) {
    let bytes = text.as_bytes();
    let whole = Looking::new().look(bytes, true);
    let mut looking = Looking::new();
    for end in 0..=bytes.len() {
        let found = looking.look(&bytes[..end], false);
        if found != Looks::NeedMore {
            assert_eq!(found, whole, "{text}");
            return (found, end);
        }
    }
    assert_eq!(looking.look(bytes, true), whole, "{text}");
    (whole, usize::MAX)
}

#[test]
fn forms() {
    for text in ["[", "[1]", " \n[", "{\"a\":1}", "{ \"a\\\"\\\\\" \n : ", "{\"{\":"] {
        assert_eq!(looks(text).0, Looks::Json, "{text}");
    }
    for text in [
        "",
        " ",
        "{}",
        "{ }",
        "{",
        "{\"a\"",
        "{\"a",
        "{\"a\\",
        "{ \"a\" = 1; }",
        "{\"a\";}",
        "{a : 1}",
        "{'a' : 1}",
        "{ /* \"a\": */",
        "// c\n[",
        "\"a\"",
        "\"a\": 1",
        "a = b;",
        "5",
        "true",
        "(1)",
        "<>",
        "< 0f>",
        "<0f",
        "<0f1C\n 2d>",
        "<*I5>",
        "<[Zg==]>",
        "<",
    ] {
        assert_eq!(looks(text).0, Looks::Text, "{text}");
    }
    for text in [
        "<?xml version=",
        "<!DOCTYPE plist",
        "<plist>",
        "<dict>",
        "<array/>",
        "<a b='1'>",
        " <!-- -->",
        "</",
    ] {
        assert_eq!(looks(text).0, Looks::Xml, "{text}");
    }
}

#[test]
fn no_more_is_looked_at_than_it_takes() {
    assert_eq!(looks("{\"a\":1}"), (Looks::Json, 5));
    assert_eq!(looks("{\"a\" = "), (Looks::Text, 6));
    assert_eq!(looks("<plist>"), (Looks::Xml, 2));
    let spaces = " ".repeat(MOST_LOOKED_AT);
    assert_eq!(looks(&format!("{spaces}[1]")), (Looks::Text, MOST_LOOKED_AT));
    assert_eq!(looks(&format!("{}[1]", &spaces[1..])), (Looks::Json, MOST_LOOKED_AT));
    assert_eq!(
        looks(&format!("{{\"{}\":1}}", "x".repeat(MOST_LOOKED_AT))),
        (Looks::Text, MOST_LOOKED_AT)
    );
    // An escape at the limit.
    assert_eq!(looks(&format!("{{\"{}\\\"\":1}}", "x".repeat(MOST_LOOKED_AT - 3))).0, Looks::Text);
}
