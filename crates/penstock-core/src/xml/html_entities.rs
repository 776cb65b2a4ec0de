//! The named entities of HTML, for feeds and other documents that use them without a declaration.
//!
//! The table is that of the HTML standard (WHATWG, "Named character references", which are also
//! those of the W3C's XML Entity Definitions for Characters), without the names that may lack their
//! semicolon: <https://html.spec.whatwg.org/entities.json>. Each line has a name and the code points
//! of one character or two. The lines are in the order of their bytes, so that they can be searched
//! as they are.

use super::dtd::Dtd;
use super::options::Options;
use crate::repair::RepairKind;

/// The names and their characters.
const TABLE: &str = include_str!("html_entities.txt");

/// The characters of an entity that the document does not declare, if that is repaired.
pub(super) fn repaired(options: Options, dtd: &Dtd, name: &str) -> Option<(char, Option<char>)> {
    let is_taken = options.repairs.has(RepairKind::HtmlEntity) && dtd.general(name).is_none();
    is_taken.then(|| html_entity(name)).flatten()
}

/// Whether HTML has an entity of the name.
#[cold]
pub(super) fn is_known(name: &str) -> bool {
    html_entity(name).is_some()
}

/// The characters that a name stands for: one, or two.
fn html_entity(name: &str) -> Option<(char, Option<char>)> {
    let (mut from, mut to) = (0, TABLE.len());
    while from < to {
        let middle = from + (to - from) / 2;
        let start = TABLE.as_bytes()[..middle].iter().rposition(|byte| *byte == b'\n');
        let start = start.map_or(0, |end| end + 1);
        let (line, _) = TABLE[start..].split_once('\n')?;
        let (known, codes) = line.split_once(' ')?;
        match known.cmp(name) {
            std::cmp::Ordering::Less => from = start + line.len() + 1,
            std::cmp::Ordering::Greater => to = start,
            std::cmp::Ordering::Equal => {
                let mut chars = codes.split(',').map(|code| u32::from_str_radix(code, 16));
                let mut next = || char::from_u32(chars.next()?.ok()?);
                return Some((next()?, next()));
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_found_and_nothing_else() {
        let mut last = "";
        for line in TABLE.lines() {
            let (name, codes) = line.split_once(' ').unwrap();
            assert!(last < name, "{last} {name}");
            last = name;
            let codes: Vec<u32> =
                codes.split(',').map(|code| u32::from_str_radix(code, 16).unwrap()).collect();
            let (first, second) = html_entity(name).unwrap();
            let found: Vec<u32> =
                [Some(first), second].into_iter().flatten().map(u32::from).collect();
            assert_eq!(found, codes, "{name}");
            for other in [format!("{name}_"), format!("_{name}")] {
                assert_eq!(html_entity(&other), None, "{other}");
            }
        }
        assert_eq!(TABLE.lines().count(), 2125);
        assert_eq!(html_entity("nbsp"), Some(('\u{a0}', None)));
        assert_eq!(html_entity("acE"), Some(('\u{223e}', Some('\u{333}'))));
        assert_eq!(html_entity(""), None);
        assert_eq!(html_entity("NBSP"), None);
    }
}
