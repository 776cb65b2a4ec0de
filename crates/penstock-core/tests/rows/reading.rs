//! A small reader of CSV by RFC 4180. It proves that a format whose keys are known in advance needs
//! only the protocol. It is not for production: it knows one separator, and copies every field with
//! quotes in it.

use penstock_core::error::{Fail, Fault};
use penstock_core::event::{Cell, Key, KeyKind, KnownKeys, Row, Scalar, Text};
use penstock_core::protocol::{Flow, FormatReader, InputView, Listener, Step, Want};
use penstock_scan::ValidText;
use std::ops::Range;

/// The number of the only shape.
const SHAPE: u32 = 0;

/// The position of a field in the text at hand, without its quotes, and whether quotes in it are
/// doubled.
#[derive(Clone, Debug)]
struct Field {
    at: usize,
    text: Range<usize>,
    doubled: bool,
}

impl Field {
    fn value<'a>(&self, text: ValidText<'a>, scratch: &'a str) -> Text<'a> {
        if self.doubled {
            return scratch.into();
        }
        let text = text.slice(self.text.clone());
        Text { text, ascii: text.as_bytes().is_ascii() }
    }
    /// The value if quotes are doubled; nothing else needs to be copied.
    fn scratch(&self, text: ValidText<'_>) -> String {
        let text = text.as_str().get(self.text.clone()).filter(|_| self.doubled);
        text.map(|text| text.replace("\"\"", "\"")).unwrap_or_default()
    }
}

fn key(name: &str) -> Key<'_> {
    Key { name: name.into(), namespace: None, prefix: None, kind: KeyKind::Member }
}

/// Reads CSV with a header.
#[derive(Debug, Default)]
pub(crate) struct CsvReader {
    base: u64,
    pos: usize,
    /// The names of the columns.
    header: Option<Vec<String>>,
    /// The forms that the sink wants; empty before it was asked.
    wanted: Vec<Option<Want>>,
    /// How many events of the current row are reported.
    reported: usize,
    /// Skipping a row in error.
    lost: bool,
}

impl CsvReader {
    /// Reads as far as the text or the sink allow.
    fn read<S: Listener>(
        &mut self,
        text: ValidText<'_>,
        last: bool,
        sink: &mut S,
    ) -> Result<Step, Fail<S::Error>> {
        loop {
            if self.lost && !self.pass_row(text, last) {
                return Ok(Step::More);
            }
            if self.pos == text.as_bytes().len() {
                return Ok(if last { Step::Done } else { Step::More });
            }
            let Some((fields, end, next)) = self.fields(text, last).map_err(Fail::Input)? else {
                return Ok(Step::More);
            };
            let scratch: Vec<String> = fields.iter().map(|field| field.scratch(text)).collect();
            let values = || fields.iter().zip(&scratch).map(|(field, own)| field.value(text, own));
            let Some(header) = &self.header else {
                self.header = Some(values().map(|it| it.text.as_str().to_owned()).collect());
                self.pos = next;
                continue;
            };
            let keys: Vec<Key<'_>> = header.iter().map(|name| key(name)).collect();
            if self.wanted.is_empty() {
                self.wanted = vec![Some(Want::Digits); keys.len()];
                let known = KnownKeys { shape: SHAPE, keys: &keys, places: &[], at: 0 };
                sink.known_keys(&known, &mut self.wanted).map_err(Fail::Sink)?;
            }
            if fields.len() > keys.len() {
                let at = self.base + fields[keys.len()].at as u64;
                let reason = format!("a row of {} fields, not {}", fields.len(), keys.len());
                return Err(Fail::Input(Fault::malformed(at, reason)));
            }
            let offset = |at: usize| self.base + at as u64;
            let cells =
                fields.iter().zip(values()).zip(&self.wanted).map(|((field, value), want)| {
                    let at = offset(field.at);
                    let is_quoted = field.text.start > field.at;
                    let value = match is_quoted && field.text.is_empty() {
                        true => Scalar::Text(value),
                        false => Scalar::Untyped(value),
                    };
                    want.map(|_| Cell { value, key_at: at, at })
                });
            let cells: Vec<_> = cells.collect();
            let row = Row::new(SHAPE, &keys, &cells, offset(self.pos), Some(offset(end)));
            let mut row = row.resumed(self.reported);
            let answer = sink.row(&mut row);
            // A refused row is finished, too.
            let done = row.is_done() || answer.is_err();
            self.reported = if done { 0 } else { row.reported() };
            if done {
                self.pos = next;
            }
            match answer.map_err(Fail::Sink)? {
                Flow::Pause => return Ok(Step::Paused),
                Flow::Stop => return Ok(Step::Stopped),
                Flow::Take | Flow::Skip | Flow::Watch | Flow::Look => {}
            }
        }
    }

    /// The fields of the current row, its end, and the beginning of the next one; nothing if the
    /// row is not complete.
    fn fields(
        &self,
        valid: ValidText<'_>,
        last: bool,
    ) -> Result<Option<(Vec<Field>, usize, usize)>, Fault> {
        let text = valid.as_bytes();
        let fault =
            |at: usize, reason: &'static str| Fault::malformed(self.base + at as u64, reason);
        let mut fields = Vec::new();
        let mut at = self.pos;
        loop {
            let from = at;
            let mut doubled = false;
            let inside = if text.get(at) == Some(&b'"') {
                at += 1;
                loop {
                    match (text.get(at), text.get(at + 1)) {
                        (Some(b'"'), Some(b'"')) => {
                            doubled = true;
                            at += 2;
                        }
                        (Some(b'"'), None) if !last => return Ok(None),
                        (Some(b'"'), _) => break,
                        (Some(_), _) => at += 1,
                        (None, _) if last => {
                            let offset = self.base + from as u64;
                            return Err(Fault::truncated(offset, "a quote that nothing ends"));
                        }
                        (None, _) => return Ok(None),
                    }
                }
                at += 1;
                from + 1..at - 1
            } else {
                while let Some(byte) = text.get(at)
                    && !matches!(byte, b',' | b'\n' | b'\r')
                {
                    if *byte == b'"' {
                        return Err(fault(at, "a quote in a field that does not begin with one"));
                    }
                    at += 1;
                }
                from..at
            };
            fields.push(Field { at: from, text: inside, doubled });
            match (text.get(at), text.get(at + 1)) {
                (Some(b','), _) => at += 1,
                (Some(b'\n'), _) => return Ok(Some((fields, at, at + 1))),
                (Some(b'\r'), Some(b'\n')) => return Ok(Some((fields, at, at + 2))),
                (Some(b'\r'), None) | (None, _) if !last => return Ok(None),
                (None, _) => return Ok(Some((fields, at, at))),
                (Some(_), _) => return Err(fault(at, "expected ',' or the end of the row")),
            }
        }
    }

    /// Skips the rest of a row in error. False if its end has not come yet.
    fn pass_row(&mut self, text: ValidText<'_>, last: bool) -> bool {
        let rest = &text.as_bytes()[self.pos..];
        let end = rest.iter().position(|byte| *byte == b'\n');
        self.pos += end.map_or(rest.len(), |end| end + 1);
        self.lost = end.is_none() && !last;
        !self.lost
    }
}

impl FormatReader for CsvReader {
    fn run<S: Listener>(
        &mut self,
        given: InputView<'_>,
        sink: &mut S,
    ) -> Result<Step, Fail<S::Error>> {
        let (text, last) = given.as_text()?;
        self.read(text, last, sink)
    }
    fn base(&self) -> u64 {
        self.base
    }
    fn consumed(&self) -> usize {
        self.pos
    }
    fn drop_front(&mut self, count: usize) {
        self.base += count as u64;
        self.pos -= count;
    }
    fn jump(&mut self, base: u64) {
        (self.base, self.pos) = (base, 0);
    }
    fn is_document(&self) -> bool {
        false
    }
    /// A refused row is finished: it has no rest to skip.
    fn abandon(&mut self, _depth: usize) {}
    fn is_abandoned(&self) -> bool {
        false
    }
    fn can_recover(&self) -> bool {
        true
    }
    fn recover(&mut self) {
        self.lost = true;
    }
    fn is_lost(&self) -> bool {
        self.lost
    }
}
