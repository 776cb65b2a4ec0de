//! Reports maps by their events and as rows.

use penstock_core::event::{Cell, Key, KeyKind, KnownKeys, Row, Scalar, Text};
use penstock_core::protocol::{Flow, Hints, Listener, Look, LookAhead, RowsAs, Sink, Trace, Want};

/// The value of a member.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    Number(u32),
    List(Vec<u32>),
}

pub(crate) type Members = Vec<(&'static str, Value)>;
pub(crate) type Maps = Vec<Members>;

/// The key of a member.
fn key(name: &str) -> Key<'_> {
    Key { name: name.into(), namespace: None, prefix: None, kind: KeyKind::Member }
}

/// The offset of a map; below, those of a member's key and value.
fn map_at(map: usize) -> u64 {
    map as u64 * 1_000
}
fn key_at(map: usize, member: usize) -> u64 {
    map_at(map) + 10 + 20 * member as u64
}
fn value_at(map: usize, member: usize) -> u64 {
    key_at(map, member) + 5
}
fn end_at(map: usize) -> u64 {
    map_at(map) + 999
}

/// Whether the reader still reports the rest of a map after an event.
enum Rest {
    Wanted,
    Skipped,
}

/// Reports maps event by event, like a reader that knows no shapes. It ignores pauses and stops,
/// and continues.
pub(crate) fn tell<S: Listener>(sink: &mut S, maps: &Maps) {
    for (map, members) in maps.iter().enumerate() {
        let told = begin(sink, map, members).and_then(|rest| match rest {
            Rest::Wanted => tell_members(sink, map, members, 0),
            Rest::Skipped => Ok(()),
        });
        if told.is_err() {
            sink.abandon();
        }
    }
}

fn begin<S: Listener>(sink: &mut S, map: usize, members: &Members) -> Result<Rest, S::Error> {
    Ok(match sink.begin_map(map_at(map))? {
        Flow::Skip => Rest::Skipped,
        Flow::Look => look(sink, map, members)?,
        Flow::Take | Flow::Watch | Flow::Pause | Flow::Stop => Rest::Wanted,
    })
}

/// Looks ahead in a map.
fn look<S: Listener>(sink: &mut S, map: usize, members: &Members) -> Result<Rest, S::Error> {
    for (place, (name, value)) in members.iter().enumerate() {
        let mut answer = sink.look_key((*name).into(), key_at(map, place))?;
        if answer == Look::Value {
            let digits;
            let value = match value {
                Value::Number(number) => {
                    digits = number.to_string();
                    Some(Scalar::Number(digits.as_bytes()))
                }
                Value::List(_) => None,
            };
            answer = sink.look_value(value, value_at(map, place))?;
        }
        match answer {
            Look::Pass | Look::Value => {}
            Look::Found => return Ok(Rest::Wanted),
            Look::Skip => return Ok(Rest::Skipped),
        }
    }
    let skipped = sink.look_end(end_at(map))? == Look::Skip;
    Ok(if skipped { Rest::Skipped } else { Rest::Wanted })
}

/// The members of a map from `from` on, and its end.
fn tell_members<S: Listener>(
    sink: &mut S,
    map: usize,
    members: &Members,
    from: usize,
) -> Result<(), S::Error> {
    for (place, (name, value)) in members.iter().enumerate().skip(from) {
        let flow = sink.key((*name).into(), key_at(map, place))?;
        if flow == Flow::Skip {
            continue;
        }
        let at = value_at(map, place);
        match value {
            Value::Number(number) => {
                sink.number(number.to_string().as_bytes(), at)?;
            }
            Value::List(numbers) => {
                if sink.begin_list(at)? == Flow::Skip {
                    continue;
                }
                for (number, at) in numbers.iter().zip(at + 1..) {
                    sink.number(number.to_string().as_bytes(), at)?;
                }
                sink.end_list(at + 9)?;
            }
        }
    }
    sink.end_map(end_at(map)).map(|_| ())
}

/// Reports the same maps as rows of a shape, as far as they follow it.
pub(crate) fn tell_rows<S: Listener>(sink: &mut S, maps: &Maps, shape: &[&str]) {
    let keys: Vec<Key<'_>> = shape.iter().map(|name| key(name)).collect();
    let mut wanted = vec![Some(Want::Digits); keys.len()];
    let known = KnownKeys { shape: 4, keys: &keys, places: &[], at: 0 };
    assert!(matches!(sink.known_keys(&known, &mut wanted), Ok(RowsAs::Maps)));
    for (map, members) in maps.iter().enumerate() {
        // The members that the row contains, and their positions.
        let mut places: Vec<Option<usize>> = Vec::new();
        let mut follows = 0;
        for (name, value) in members {
            let found = keys[places.len()..].iter().position(|key| key.name.text.as_str() == *name);
            let (Some(skipped), Value::Number(_)) = (found, value) else { break };
            places.resize(places.len() + skipped, None);
            places.push(Some(follows));
            follows += 1;
        }
        let digits: Vec<_> = members
            .iter()
            .map(|(_, value)| match value {
                Value::Number(number) => number.to_string(),
                Value::List(_) => String::new(),
            })
            .collect();
        let cell = |(place, want): (&Option<usize>, &Option<Want>)| {
            let place = (*place)?;
            let value = Scalar::Number(digits[place].as_bytes());
            let cell = Cell { value, key_at: key_at(map, place), at: value_at(map, place) };
            want.map(|_| cell)
        };
        let cells: Vec<_> = places.iter().zip(&wanted).map(cell).collect();
        let end = (follows == members.len()).then(|| end_at(map));
        if tell_row(sink, map, members, &keys, &cells, end, follows).is_err() {
            sink.abandon();
        }
    }
}

fn tell_row<S: Listener>(
    sink: &mut S,
    map: usize,
    members: &Members,
    keys: &[Key<'_>],
    cells: &[Option<Cell<'_>>],
    end: Option<u64>,
    follows: usize,
) -> Result<(), S::Error> {
    let mut reported = 0;
    loop {
        // After a pause, a reader makes its row again.
        let mut row = Row::new(4, keys, cells, map_at(map), end).resumed(reported);
        match sink.row(&mut row)? {
            Flow::Look if end.is_none() => {
                if let Rest::Skipped = look(sink, map, members)? {
                    return Ok(());
                }
            }
            Flow::Skip if row.is_done() => return Ok(()),
            _ => {}
        }
        if row.is_done() {
            break;
        }
        assert!(row.reported() > reported, "stands still");
        reported = row.reported();
    }
    if end.is_none() { tell_members(sink, map, members, follows) } else { Ok(()) }
}

/// Writes down its events, and gives various answers that depend on the offset, so that two sinks
/// with the same seed answer alike.
pub(crate) struct Moody {
    trace: Trace,
    seed: u64,
}

impl Moody {
    pub(crate) fn new(seed: u32) -> Self {
        // Some sinks always take.
        Moody { trace: Trace::new(), seed: if seed.is_multiple_of(5) { 0 } else { seed.into() } }
    }
    pub(crate) fn text(&self) -> &str {
        self.trace.text()
    }
    fn mood(&self, at: u64) -> u64 {
        let mixed =
            (at + self.seed).wrapping_mul(self.seed | 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        if self.seed == 0 { 99 } else { mixed >> 40 & 31 }
    }
    fn glimpse(&mut self, what: &str, at: u64) -> Result<Look, ()> {
        let _ = self.trace.piece(format!("look {what}").as_str().into(), at);
        match self.mood(at) {
            0 => Err(()),
            1..=3 => Ok(Look::Skip),
            4..=10 => Ok(Look::Found),
            11..=20 => Ok(Look::Value),
            _ => Ok(Look::Pass),
        }
    }
}

impl Moody {
    fn answer(&mut self, at: u64, begins: bool, list: bool) -> Result<Flow, ()> {
        let flow = match self.mood(at) {
            0 => return Err(()),
            1 | 2 => Flow::Pause,
            3 => Flow::Stop,
            4 | 5 => Flow::Skip,
            6 => Flow::Watch,
            7..=13 if begins => Flow::Look,
            _ => Flow::Take,
        };
        if begins && flow == Flow::Skip {
            // A skipped container has no end event.
            let _ = if list { self.trace.end_list(at) } else { self.trace.end_map(at) };
        }
        Ok(flow)
    }
}

impl Sink for Moody {
    type Error = ();

    fn begin_map(&mut self, at: u64) -> Result<Flow, ()> {
        let _ = self.trace.begin_map(at);
        self.answer(at, true, false)
    }
    fn end_map(&mut self, at: u64) -> Result<Flow, ()> {
        let _ = self.trace.end_map(at);
        self.answer(at, false, false)
    }
    fn begin_list(&mut self, at: u64) -> Result<Flow, ()> {
        let _ = self.trace.begin_list(at);
        self.answer(at, true, true)
    }
    fn end_list(&mut self, at: u64) -> Result<Flow, ()> {
        let _ = self.trace.end_list(at);
        self.answer(at, false, false)
    }
    fn name(&mut self, key: Key<'_>, at: u64) -> Result<Flow, ()> {
        let _ = self.trace.name(key, at);
        self.answer(at, false, false)
    }
    fn scalar(&mut self, value: Scalar<'_>, at: u64) -> Result<Flow, ()> {
        let _ = self.trace.scalar(value, at);
        self.answer(at, false, false)
    }
    fn piece(&mut self, text: Text<'_>, at: u64) -> Result<Flow, ()> {
        let _ = self.trace.piece(text, at);
        self.answer(at, false, false)
    }
    fn abandon(&mut self) {
        self.trace.abandon();
    }
    fn matched(&mut self, by: penstock_core::event::Matched<'_>) {
        self.trace.matched(by);
    }
}

impl Hints for Moody {}

impl LookAhead for Moody {
    fn look_key(&mut self, key: Text<'_>, at: u64) -> Result<Look, ()> {
        self.glimpse(key.text.as_str(), at)
    }
    fn look_value(&mut self, value: Option<Scalar<'_>>, at: u64) -> Result<Look, ()> {
        self.glimpse(&format!("{value:?}"), at)
    }
    fn look_end(&mut self, at: u64) -> Result<Look, ()> {
        self.glimpse("end", at)
    }
}
