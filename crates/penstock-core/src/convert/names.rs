//! The keys of plain members: each different one is kept once, and has a number.

use penstock_scan::make_room;
use std::collections::{HashMap, HashSet};

/// Which elements are lists even if they occur once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ForceList {
    /// None.
    #[default]
    Never,
    /// All.
    Always,
    /// Those with these names, prefixes included.
    Names(HashSet<String>),
}

impl ForceList {
    pub(super) fn has(&self, name: &str) -> bool {
        match self {
            ForceList::Never => false,
            ForceList::Always => true,
            ForceList::Names(names) => names.contains(name),
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Name {
    start: usize,
    end: usize,
    is_forced: bool,
}

/// After a record, the table begins again if it has more names than this, or as many bytes.
const MOST: usize = 4096;
const MOST_BYTES: usize = 256 << 10;

/// The table of keys.
#[derive(Debug)]
pub(super) struct Names {
    text: String,
    names: Vec<Name>,
    numbers: HashMap<Box<str>, u32>,
    /// For each moment the name that came next the last time: see `moment`.
    next: Vec<u32>,
    /// After which element's beginning or end we are.
    moment: usize,
    scratch: String,
    force_list: ForceList,
}

const NONE: u32 = u32::MAX;

/// The number of the moment after an element began or ended. 0 and 1 are those of a record.
fn moment(name: u32, ended: bool) -> usize {
    2 * (name.wrapping_add(1) as usize) + usize::from(ended)
}

impl Names {
    pub(super) fn new(force_list: ForceList) -> Self {
        Names {
            text: String::new(),
            names: Vec::new(),
            numbers: HashMap::new(),
            next: vec![NONE; 2],
            moment: 0,
            scratch: String::new(),
            force_list,
        }
    }

    pub(super) fn force_list(&self) -> &ForceList {
        &self.force_list
    }

    /// The number of a key. It has an `@` in front if it is an attribute's.
    #[inline(always)]
    pub(super) fn number(&mut self, is_attribute: bool, prefix: Option<&str>, local: &str) -> u32 {
        let expected = self.next[self.moment];
        let number = if expected != NONE && self.is(expected, is_attribute, prefix, local) {
            expected
        } else {
            let number = self.look_up(is_attribute, prefix, local);
            self.next[self.moment] = number;
            number
        };
        self.moment = moment(number, false);
        number
    }

    /// The element or attribute with this number has ended.
    #[inline(always)]
    pub(super) fn ended(&mut self, number: u32) {
        self.moment = moment(number, true);
    }

    #[inline(always)]
    fn is(&self, number: u32, is_attribute: bool, prefix: Option<&str>, local: &str) -> bool {
        let mut text = self.get(number).as_bytes();
        if is_attribute {
            let Some(rest) = text.strip_prefix(b"@") else { return false };
            text = rest;
        }
        if let Some(prefix) = prefix {
            let rest = text.strip_prefix(prefix.as_bytes());
            let Some(rest) = rest.and_then(|rest| rest.strip_prefix(b":")) else { return false };
            text = rest;
        }
        text == local.as_bytes()
    }

    #[inline(never)]
    fn look_up(&mut self, is_attribute: bool, prefix: Option<&str>, local: &str) -> u32 {
        let scratch = &mut self.scratch;
        scratch.clear();
        make_room(scratch, 2 + prefix.map_or(0, str::len) + local.len());
        if is_attribute {
            scratch.push('@');
        }
        if let Some(prefix) = prefix {
            scratch.push_str(prefix);
            scratch.push(':');
        }
        scratch.push_str(local);
        if let Some(number) = self.numbers.get(&**scratch) {
            return *number;
        }
        let is_forced = !is_attribute && self.force_list.has(scratch);
        let start = self.text.len();
        make_room(&mut self.text, scratch.len());
        self.text.push_str(scratch);
        let number = u32::try_from(self.names.len()).unwrap_or(NONE - 1);
        make_room(&mut self.names, 1);
        self.names.push(Name { start, end: self.text.len(), is_forced });
        make_room(&mut self.next, 2);
        self.next.extend([NONE, NONE]);
        make_room(&mut self.numbers, 1);
        self.numbers.insert(penstock_scan::copied(scratch).into(), number);
        number
    }

    #[inline(always)]
    pub(super) fn get(&self, number: u32) -> &str {
        let Name { start, end, .. } = self.names[number as usize];
        &self.text[start..end]
    }

    #[inline(always)]
    pub(super) fn is_forced(&self, number: u32) -> bool {
        self.names[number as usize].is_forced
    }

    /// Whether the text beside child elements is a list.
    pub(super) fn text_is_forced(&self) -> bool {
        self.force_list.has(super::plain::TEXT)
    }

    pub(super) fn len(&self) -> usize {
        self.names.len()
    }

    /// About how many bytes of memory they take.
    pub(super) fn size(&self) -> usize {
        2 * self.text.len() + 80 * self.names.len()
    }

    /// A record has ended. Returns whether all numbers were taken back.
    pub(super) fn end_record(&mut self) -> bool {
        self.moment = 0;
        let is_full = self.names.len() > MOST || self.text.len() > MOST_BYTES;
        if is_full {
            (self.text, self.names) = (String::new(), Vec::new());
            (self.numbers, self.next) = (HashMap::new(), vec![NONE; 2]);
        }
        is_full
    }
}
