//! The children of an element of XML, by tags alone.

use memchr::{memchr2, memmem};
use penstock_scan::{Isa, Job, dispatch};

use super::{BLOCK, Hop, block, carried, there};

/// The brackets, the quotes, a slash; and the bytes that say behind a `<` that no element begins:
/// a slash, an exclamation mark or a question mark, which become the last of them with these bits.
/// No name begins with any other byte that does.
const PAIRS: [(u8, u8); 6] = [(0, b'<'), (0, b'>'), (0, b'"'), (0, b'\''), (0, b'/'), (0x1E, b'?')];

/// What a child of the element is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Child {
    /// A record.
    Record,
    /// Nothing that anybody wants.
    Other,
    /// The reader must read it.
    Unknown,
}

/// Hops over the children of an element. The text begins between two of them, and the hop leads to
/// the last of them in this text, or to the end tag of the element. `is` says of a name, as the tag
/// has it, what a child of that name is; None if all children are records.
pub(crate) fn children<F: FnMut(&[u8]) -> Child>(text: &[u8], is: Option<F>) -> Hop {
    dispatch(Children(text, is))
}

pub(super) struct Children<'t, F>(pub(super) &'t [u8], pub(super) Option<F>);

/// What a block must know of those before it.
#[derive(Clone, Copy, Default)]
struct Before {
    /// One, if the last byte is a `<`; one, if it is a slash.
    begun: u64,
    slash: u64,
    /// One, if the block begins within a tag; all bits, if it begins within quotes there.
    tag: u64,
    quoted: u64,
}

/// What was found so far.
struct Found<'t, F> {
    text: &'t [u8],
    is: Option<F>,
    /// How many elements are open inside the one whose children are hopped over.
    depth: usize,
    hop: Hop,
    /// How many records have begun.
    records: u64,
    /// The name of the last record.
    name: &'t [u8],
}

/// The hop ends here.
struct Ended;

impl<F: FnMut(&[u8]) -> Child> Found<'_, F> {
    /// An element begins.
    #[inline(always)]
    fn begin(&mut self, at: usize) -> Result<(), Ended> {
        if self.depth == 0 {
            let is_record = self.is_record(at)?;
            (self.hop.at, self.hop.records) = (at, self.records);
            self.records += u64::from(is_record);
        }
        self.depth += 1;
        Ok(())
    }

    /// An end tag begins.
    #[inline(always)]
    fn end(&mut self, at: usize) -> Result<(), Ended> {
        if self.depth == 0 {
            self.hop = Hop { at, records: self.records, is_over: true };
            return Err(Ended);
        }
        self.depth -= 1;
        Ok(())
    }

    /// The tag of an empty element ends.
    #[inline(always)]
    fn end_empty(&mut self) -> Result<(), Ended> {
        if self.depth == 0 {
            // It is also an end tag.
            return self.give_up();
        }
        self.depth -= 1;
        Ok(())
    }

    /// Only the reader can go on.
    #[cold]
    fn give_up(&mut self) -> Result<(), Ended> {
        self.hop.is_over = true;
        Err(Ended)
    }

    /// Whether the child that begins here is a record.
    #[inline(always)]
    fn is_record(&mut self, at: usize) -> Result<bool, Ended> {
        if self.is.is_none() {
            return Ok(true);
        }
        let tag = self.text.get(at + 1..).unwrap_or_default();
        if let Some((name, [end, ..])) = tag.split_at_checked(self.name.len())
            && name == self.name
            && ends_name(end)
            && !name.is_empty()
        {
            return Ok(true);
        }
        self.find_name(at)
    }

    #[inline(never)]
    fn find_name(&mut self, at: usize) -> Result<bool, Ended> {
        let tag = self.text.get(at + 1..).unwrap_or_default();
        let end = tag.iter().position(ends_name);
        if end.is_none() {
            // More of it may come.
            (self.hop.at, self.hop.records) = (at, self.records);
            return Err(Ended);
        }
        let name = &tag[..end.unwrap_or_default()];
        match self.is.as_mut().map(|is| is(name)) {
            None | Some(Child::Record) => {
                self.name = name;
                Ok(true)
            }
            Some(Child::Other) => Ok(false),
            Some(Child::Unknown) => {
                self.hop = Hop { at, records: self.records, is_over: true };
                Err(Ended)
            }
        }
    }

    /// Goes through the tags that begin and end at these places, which count from `from`: behind the
    /// `<` of a start tag or an end tag, and at the `>` of an empty element.
    #[inline(always)]
    fn pass(&mut self, from: usize, begin: u64, end: u64, empty: u64) -> Result<(), Ended> {
        let mut all = begin | end | empty;
        while all != 0 {
            let bit = all & all.wrapping_neg();
            let at = from + all.trailing_zeros() as usize;
            if begin & bit != 0 {
                self.begin(at - 1)?;
            } else if end & bit != 0 {
                self.end(at - 1)?;
            } else {
                self.end_empty()?;
            }
            all ^= bit;
        }
        Ok(())
    }
}

#[inline(always)]
fn ends_name(byte: &u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b'/' | b'>')
}

impl<F: FnMut(&[u8]) -> Child> Job for Children<'_, F> {
    type Output = Hop;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> Hop {
        let Children(text, is) = self;
        let mut found = Found { text, is, depth: 0, hop: Hop::default(), records: 0, name: &[] };
        // It stops where the text or the hop ends.
        let _ = scan(isa, &mut found);
        found.hop
    }
}

#[inline(always)]
fn scan<I: Isa, F: FnMut(&[u8]) -> Child>(isa: I, found: &mut Found<'_, F>) -> Result<(), Ended> {
    let text = found.text;
    // Whether the bits of quotes are those of apostrophes, because the last tag had these.
    let mut swapped = false;
    let mut before = Before::default();
    let mut from = 0;
    let mut room = [0; BLOCK];
    while from < text.len() {
        let [lefts, rights, quotes, apostrophes, slashes, marks] =
            isa.places(block(text, from, &mut room), &PAIRS);
        let (quotes, others) = if swapped { (apostrophes, quotes) } else { (quotes, apostrophes) };
        // From each `<` up to the next `>`, the difference has all bits. A `>` in text has its own.
        let (some, less) = rights.overflowing_sub(lefts);
        let (some, still_less) = some.overflowing_sub(before.tag);
        let (tags, ends) = (some & !rights, rights & !some);
        let inside = isa.parity(quotes & tags) ^ before.quoted;
        let behind = lefts << 1 | before.begun;
        // A `>` within quotes, a quote of the other kind, a `<` in a tag, and what is no element.
        let wrong = lefts & (tags << 1 | before.tag);
        let odd = ends & inside | others & tags & !inside | wrong | behind & marks & !slashes;
        let begin = behind & !marks & there(text.len() - from);
        let end = behind & slashes;
        let empty = ends & (slashes << 1 | before.slash);
        if odd == 0 {
            let closing = (end.count_ones() + empty.count_ones()) as usize;
            if found.depth > closing {
                // Nowhere in this block is the content of the element itself.
                found.depth = found.depth + begin.count_ones() as usize - closing;
            } else {
                found.pass(from, begin, end, empty)?;
            }
            before = Before {
                begun: lefts >> 63,
                slash: slashes >> 63,
                tag: u64::from(less | still_less),
                quoted: carried(inside),
            };
            from += BLOCK;
            continue;
        }
        // All is right before the first place that is odd.
        let bit = odd & odd.wrapping_neg();
        let at = from + odd.trailing_zeros() as usize;
        let known = bit - 1;
        if wrong & bit != 0 {
            found.pass(from, begin & known, end & known, empty & known)?;
            return found.give_up();
        }
        found.pass(from, begin & (known | bit), end & known, empty & known)?;
        let next = if behind & marks & bit != 0 {
            match behind_special(&text[at..]) {
                Special::Ends(length) => Some(at + length),
                Special::Cut => None,
                Special::Unknown => return found.give_up(),
            }
        } else {
            let quote = if swapped { b'\'' } else { b'"' };
            let mut open = (inside & bit != 0).then_some(quote);
            let end = end_of_tag(text, at, &mut open);
            swapped = open == Some(b'\'');
            match end {
                Some(end) if text[end] == b'<' => return found.give_up(),
                Some(end) => {
                    if text[end - 1] == b'/' {
                        found.end_empty()?;
                    }
                    Some(end + 1)
                }
                None => None,
            }
        };
        let Some(next) = next else { return Ok(()) };
        (from, before) = (next, Before::default());
    }
    Ok(())
}

/// The `>` at which a tag ends, from a place of it on, or a `<` that comes before it. `open` is the
/// quote within which that place is; then it is the last one that was opened.
fn end_of_tag(text: &[u8], at: usize, open: &mut Option<u8>) -> Option<usize> {
    let mut at = at;
    let mut within = *open;
    loop {
        if let Some(quote) = within {
            at += memchr2(quote, b'<', &text[at..])?;
            if text[at] == b'<' {
                return Some(at);
            }
            at += 1;
        }
        let ends = |byte: &u8| matches!(byte, b'"' | b'\'' | b'<' | b'>');
        at += text[at..].iter().position(ends)?;
        if matches!(text[at], b'<' | b'>') {
            return Some(at);
        }
        within = Some(text[at]);
        *open = within;
        at += 1;
    }
}

/// Where a comment, a CDATA section or an instruction ends.
enum Special {
    /// Behind so many bytes.
    Ends(usize),
    /// Not in this text.
    Cut,
    /// It is none of them.
    Unknown,
}

/// The text begins behind its `<`.
fn behind_special(text: &[u8]) -> Special {
    const FORMS: [(&[u8], &[u8]); 3] = [(b"?", b"?>"), (b"!--", b"-->"), (b"![CDATA[", b"]]>")];
    for (begin, end) in FORMS {
        if let Some(rest) = text.strip_prefix(begin) {
            return match memmem::find(rest, end) {
                Some(found) => Special::Ends(begin.len() + found + end.len()),
                None => Special::Cut,
            };
        }
        if begin.starts_with(text) {
            return Special::Cut;
        }
    }
    Special::Unknown
}
