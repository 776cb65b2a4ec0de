//! Which places of records are looked at, if a caller names some.

use penstock_scan::{copied, make_room};

/// Everything below a place is wanted.
pub(crate) const ALL: u32 = u32::MAX;

/// From how many names on they are found by halving.
const MANY: usize = 12;

/// The places at some paths, with all that is in them.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// The first is the record. The names of each are sorted, with where they lead.
    nodes: Vec<Vec<(Box<str>, u32)>>,
}

impl Wanted {
    /// The places at these paths, whose steps are separated by slashes. A record may also have a key
    /// that is such a text as a whole.
    #[must_use]
    pub fn new(paths: &[String]) -> Self {
        let mut wanted = Wanted { nodes: vec![Vec::new()] };
        for path in paths {
            let steps: Vec<&str> = path.split('/').collect();
            wanted.insert(&steps);
            if steps.len() > 1 {
                wanted.insert(&[path]);
            }
        }
        wanted
    }

    fn insert(&mut self, steps: &[&str]) {
        let mut at = 0;
        for (index, step) in steps.iter().enumerate() {
            let is_last = index + 1 == steps.len();
            let names = &mut self.nodes[at as usize];
            let place = names.binary_search_by(|(name, _)| (**name).cmp(step));
            let next = match place {
                Ok(place) if is_last => {
                    names[place].1 = ALL;
                    ALL
                }
                Ok(place) => names[place].1,
                Err(place) => {
                    let made = self.nodes.len() as u32;
                    let next = if is_last { ALL } else { made };
                    let names = &mut self.nodes[at as usize];
                    make_room(names, 1);
                    names.insert(place, (copied(step).into(), next));
                    if !is_last {
                        make_room(&mut self.nodes, 1);
                        self.nodes.push(Vec::new());
                    }
                    next
                }
            };
            if next == ALL {
                return;
            }
            at = next;
        }
    }

    /// Where a name leads in a place: None if nobody wants it.
    #[inline]
    pub(crate) fn child(&self, of: u32, name: &str) -> Option<u32> {
        if of == ALL {
            return Some(ALL);
        }
        let names = &self.nodes[of as usize];
        if names.len() <= MANY {
            return names.iter().find(|(known, _)| **known == *name).map(|(_, next)| *next);
        }
        let place = names.binary_search_by(|(known, _)| (**known).cmp(name)).ok()?;
        Some(names[place].1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_lead_to_their_ends_and_no_further() {
        let paths = ["a", "b/c", "b/d/e", "f/g", "f"].map(str::to_owned);
        let wanted = Wanted::new(&paths);
        assert_eq!(wanted.child(0, "a"), Some(ALL));
        assert_eq!(wanted.child(0, "f"), Some(ALL));
        assert_eq!(wanted.child(0, "b/c"), Some(ALL));
        assert_eq!(wanted.child(0, "c"), None);
        let b = wanted.child(0, "b").unwrap();
        assert_eq!(wanted.child(b, "c"), Some(ALL));
        assert_eq!(wanted.child(wanted.child(b, "d").unwrap(), "e"), Some(ALL));
        assert_eq!(wanted.child(b, "e"), None);
        assert_eq!(wanted.child(ALL, "anything"), Some(ALL));
    }

    #[test]
    fn many_names_are_found_as_well() {
        let names: Vec<String> = (0..100).map(|number| format!("key{number}")).collect();
        let wanted = Wanted::new(&names);
        assert!(names.iter().all(|name| wanted.child(0, name) == Some(ALL)));
        assert_eq!(wanted.child(0, "key100"), None);
    }
}
