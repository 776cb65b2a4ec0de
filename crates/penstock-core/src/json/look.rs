//! Looking ahead in a map: what its keys are, before any of its members is told.
//!
//! A sink that cannot say what a map becomes before it knows one of its keys answers
//! [`Flow::Look`]. The reader then runs ahead over the members, checking all and telling only what
//! is asked for, until the sink knows; and goes on behind the opening brace, where it had stood. What
//! it runs over stays in the window meanwhile, so it runs no further than a limit; it takes up
//! where the window ended, so no byte is looked at twice while looking. But a map in a map may be looked
//! into again and again, by one look for each map around it: that is bounded as well ([`Again`]).

use super::token::{self, Passed};
use crate::event::{Key, KeyKind, Scalar, Text};
use crate::sink::{Flow, Lent, Listener, Look, LookAhead, Sink, Want};
use crate::value::number::{self, Outcome};
use penstock_scan::{Isa, Job, stands_at};

/// A map that is being looked into.
#[derive(Clone, Copy, Debug)]
pub(super) struct Looking {
    /// Behind its opening brace, in the window.
    pub(super) from: usize,
    /// How many maps and lists are open around it.
    pub(super) depth: usize,
    /// Whether the key at hand is not one whose value is asked for.
    pub(super) passing: bool,
}

/// How many times, on average, the bytes of a document may be looked over again.
const TIMES: u64 = 64;

/// How much was looked over that had been looked over before.
#[derive(Debug, Default)]
pub(super) struct Again {
    /// How far into the source a look has come.
    to: u64,
    bytes: u64,
}

impl Again {
    /// A look went from one place of the source to another. False if that is too much by now.
    pub(super) fn add(&mut self, from: u64, to: u64, limit: usize) -> bool {
        self.bytes += self.to.min(to).saturating_sub(from);
        self.to = self.to.max(to);
        self.bytes <= to.saturating_add(limit as u64).saturating_mul(TIMES)
    }
}

/// Finds a key among the members of a map without telling any, as a rule in a fraction of the time.
/// It checks what it runs over, and gives up at whatever is not plain, whole and within the limits:
/// then the grammar looks, from the beginning of the map.
pub(super) struct Seek<'t> {
    pub(super) text: &'t [u8],
    /// Where the first member begins.
    pub(super) from: usize,
    /// The key, as it stands in text with its colon.
    pub(super) sought: &'t [u8],
    /// The longest key.
    pub(super) tokens: usize,
    /// The longest number.
    pub(super) numbers: usize,
    /// How many bytes it may run over.
    pub(super) bytes: usize,
}

impl Job for Seek<'_> {
    /// Where the key begins, and where its value does.
    type Output = Option<(usize, usize)>;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> Self::Output {
        let Seek { text, from, tokens, bytes, .. } = self;
        let name = self.sought.strip_suffix(b":")?;
        let mut pos = from;
        while pos - from <= bytes {
            if text.get(pos) != Some(&b'"') {
                return None;
            }
            let end = isa.json_string(text, pos + 1).at;
            if text.get(end) != Some(&b'"') || end - pos > tokens {
                return None;
            }
            let (key, found) = (pos, end + 1 - pos == name.len() && stands_at(text, pos, name));
            pos = isa.json_space(text, end + 1);
            if text.get(pos) != Some(&b':') {
                return None;
            }
            pos = isa.json_space(text, pos + 1);
            if found {
                return Some((key, pos));
            }
            pos = isa.json_space(text, self.behind_value(isa, pos)?);
            if text.get(pos) != Some(&b',') {
                return None;
            }
            pos = isa.json_space(text, pos + 1);
        }
        None
    }
}

impl Seek<'_> {
    /// Behind the value at a place, if it has no parts.
    #[inline(always)]
    fn behind_value<I: Isa>(&self, isa: I, pos: usize) -> Option<usize> {
        let text = self.text;
        match *text.get(pos)? {
            b'"' => match token::pass_string(isa, text, pos + 1) {
                Passed::Closed(end) => Some(end),
                _ => None,
            },
            b'-' | b'0'..=b'9' => {
                let short = match number::short_int(text, pos) {
                    Some((_, end)) => Some(end),
                    None => number::short_float(text, pos).map(|(_, end)| end),
                };
                if let Some(end) = short.filter(|end| end - pos <= self.numbers) {
                    return Some(end);
                }
                let scanned = number::scan(text, pos);
                let is_good = !matches!(scanned.outcome, Outcome::Bad { .. } | Outcome::Unfinished);
                (is_good && scanned.end - pos <= self.numbers).then_some(scanned.end)
            }
            first => {
                let words: [&[u8]; 3] = [b"true", b"false", b"null"];
                let word = words.into_iter().find(|word| word[0] == first)?;
                text[pos..].starts_with(word).then(|| pos + word.len())
            }
        }
    }
}

/// What a sink is asked while looking ahead, without its type: the search is compiled once for
/// each instruction set, and not for each sink. No answer means that the sink refused.
pub(super) trait Looker {
    fn key(&mut self, key: Text<'_>, at: u64) -> Option<Look>;
    fn value(&mut self, value: Option<Scalar<'_>>, at: u64) -> Option<Look>;
    fn end(&mut self, at: u64) -> Option<Look>;
}

/// A sink that is asked, and why it refused.
pub(super) struct Asked<'s, S: Listener> {
    pub(super) sink: &'s mut S,
    pub(super) refusal: Option<S::Error>,
}

impl<S: Listener> Asked<'_, S> {
    fn keep(&mut self, answer: Result<Look, S::Error>) -> Option<Look> {
        answer.map_err(|refusal| self.refusal = Some(refusal)).ok()
    }
}

impl<S: Listener> Looker for Asked<'_, S> {
    fn key(&mut self, key: Text<'_>, at: u64) -> Option<Look> {
        let answer = self.sink.look_key(key, at);
        self.keep(answer)
    }
    fn value(&mut self, value: Option<Scalar<'_>>, at: u64) -> Option<Look> {
        let answer = self.sink.look_value(value, at);
        self.keep(answer)
    }
    fn end(&mut self, at: u64) -> Option<Look> {
        let answer = self.sink.look_end(at);
        self.keep(answer)
    }
}

/// The sink said why.
pub(super) struct Refused;

/// Tells a sink what it looks for, and nothing else.
pub(super) struct Scout<'s> {
    looker: &'s mut dyn Looker,
    /// How the search ended, if it did.
    pub(super) found: Option<Look>,
    /// Whether the value at hand is passed over.
    pub(super) passing: bool,
}

impl<'s> Scout<'s> {
    pub(super) fn new(looker: &'s mut dyn Looker, passing: bool) -> Self {
        Scout { looker, found: None, passing }
    }

    /// What the reader does upon the sink's answer, which may be the last.
    fn settle(&mut self, answer: Option<Look>, flow: Flow) -> Result<Flow, Refused> {
        let answer = answer.ok_or(Refused)?;
        if matches!(answer, Look::Pass | Look::Value) {
            self.passing = answer == Look::Pass;
            return Ok(flow);
        }
        self.found = Some(answer);
        Ok(Flow::Stop)
    }

    /// A value: what has parts is passed over.
    #[inline(always)]
    fn value(&mut self, value: Option<Scalar<'_>>, at: u64) -> Result<Flow, Refused> {
        if self.passing {
            return Ok(Flow::Skip);
        }
        let answer = self.looker.value(value, at);
        self.settle(answer, Flow::Skip)
    }
}

impl Sink for Scout<'_> {
    type Error = Refused;

    fn begin_map(&mut self, at: u64) -> Result<Flow, Refused> {
        self.value(None, at)
    }
    fn begin_list(&mut self, at: u64) -> Result<Flow, Refused> {
        self.value(None, at)
    }
    fn end_map(&mut self, at: u64) -> Result<Flow, Refused> {
        // There is nothing to look on for.
        let wanted = self.looker.end(at).ok_or(Refused)? != Look::Skip;
        self.found = Some(if wanted { Look::Found } else { Look::Skip });
        Ok(Flow::Stop)
    }
    fn end_list(&mut self, _at: u64) -> Result<Flow, Refused> {
        Ok(Flow::Take)
    }
    fn key(&mut self, key: Text<'_>, at: u64) -> Result<Flow, Refused> {
        let answer = self.looker.key(key, at);
        self.settle(answer, Flow::Take)
    }
    fn name(&mut self, key: Key<'_>, at: u64) -> Result<Flow, Refused> {
        debug_assert_eq!(key.kind, KeyKind::Member);
        self.key(key.name, at)
    }
    #[inline(always)]
    fn scalar(&mut self, value: Scalar<'_>, at: u64) -> Result<Flow, Refused> {
        self.value(Some(value), at)
    }
    fn piece(&mut self, _text: Text<'_>, _at: u64) -> Result<Flow, Refused> {
        Ok(Flow::Take)
    }
    fn abandon(&mut self) {}
}

impl Lent for Scout<'_> {
    fn want(&self) -> Want {
        Want::Native
    }
    fn ignores_scalar(&self) -> bool {
        self.passing
    }
}

impl LookAhead for Scout<'_> {}
