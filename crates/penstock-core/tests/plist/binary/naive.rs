//! The naive twin of the reader of binary property lists: it recurses, copies and counts every
//! time, and has every rule in one place.

use penstock_core::error::Kind;
use penstock_core::event::{Container, ContainerKind, Scalar};
use penstock_core::limits::Limits;
use penstock_core::protocol::{Flow, Listener, Look};

/// Why it ended before the end.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum End {
    Wrong(Kind, u64),
    Stopped,
    Refused,
}

fn malformed<T>(at: u128) -> Result<T, End> {
    Err(End::Wrong(Kind::Malformed, at as u64))
}

struct Twin<'a, S> {
    bytes: &'a [u8],
    widths: (usize, usize),
    objects: u128,
    table: u128,
    path: Vec<u128>,
    told: u128,
    shared: Option<Vec<bool>>,
    limits: &'a Limits,
    sink: &'a mut S,
}

enum Made {
    Null,
    Bool(bool),
    Int(i128),
    Real(f64),
    Date(f64),
    Uid(u64),
    Data(Vec<u8>),
    /// How many bytes it has, and the text, or where it is wrong.
    Text(u128, Result<String, u128>),
    Container(ContainerKind, u128, Vec<u128>),
}

fn number(bytes: &[u8]) -> u128 {
    bytes.iter().fold(0, |sum, byte| sum << 8 | u128::from(*byte))
}

/// RecordFeed the sink all that is in `bytes`.
pub(super) fn tell<S: Listener>(bytes: &[u8], limits: &Limits, sink: &mut S) -> Result<(), End> {
    let size = bytes.len() as u128;
    let begin = b"bplist0";
    if size < 8 {
        let begun = bytes.len().min(begin.len());
        return if bytes[..begun] == begin[..begun] {
            Err(End::Wrong(Kind::Truncated, size as u64))
        } else {
            malformed(0)
        };
    }
    if !bytes.starts_with(begin) {
        return malformed(if bytes.starts_with(b"bplist") { 6 } else { 0 });
    }
    if size < 42 {
        return Err(End::Wrong(Kind::Truncated, size as u64));
    }
    let trailer = &bytes[bytes.len() - 32..];
    let at = size - 32;
    let (offset, reference) = (trailer[6], trailer[7]);
    let (objects, root) = (number(&trailer[8..16]), number(&trailer[16..24]));
    let table = number(&trailer[24..]);
    if !(1..=8).contains(&offset) {
        return malformed(at + 6);
    }
    if !(1..=8).contains(&reference) {
        return malformed(at + 7);
    }
    if objects == 0 {
        return malformed(at + 8);
    }
    if root >= objects {
        return malformed(at + 16);
    }
    if table <= 8 || table >= at {
        return malformed(at + 24);
    }
    if table + objects * u128::from(offset) > at {
        return malformed(at + 8);
    }
    let widths = (usize::from(offset), usize::from(reference));
    let shares = sink.shares();
    let mut twin =
        Twin { bytes, widths, objects, table, path: vec![], told: 0, shared: None, limits, sink };
    if shares {
        twin.shared = Some(twin.count_shares(root));
    }
    twin.value(root, size - 16)
}

impl<S: Listener> Twin<'_, S> {
    fn count_shares(&self, root: u128) -> Vec<bool> {
        let (mut references, mut counted) = (vec![root], 0);
        for object in 0..self.objects {
            if let Ok((_, Made::Container(kind, _, members))) = self.made(object, 0) {
                counted += members.len() as u128;
                // The first half are keys, which are no containers.
                let is_map = kind == ContainerKind::Map;
                references.extend(&members[if is_map { members.len() / 2 } else { 0 }..]);
                if counted > self.table / self.widths.1 as u128 {
                    return vec![true; self.objects as usize];
                }
            }
        }
        let counted = |object| references.iter().filter(|other| **other == object).count();
        (0..self.objects).map(|object| counted(object) > 1).collect()
    }

    fn made(&self, object: u128, from: u128) -> Result<(u128, Made), End> {
        if object >= self.objects {
            return malformed(from);
        }
        let entry = (self.table as usize) + (object as usize) * self.widths.0;
        let at = number(&self.bytes[entry..entry + self.widths.0]);
        if at < 8 || at >= self.table {
            return malformed(entry as u128);
        }
        let area = &self.bytes[at as usize..self.table as usize];
        let marker = area[0];
        let part = |from: usize, count: u128| {
            let count = usize::try_from(count).ok();
            let rest = area.get(from..).unwrap_or_default();
            match count.and_then(|count| rest.get(..count)) {
                Some(part) => Ok(part),
                None => malformed(at),
            }
        };
        let low = marker & 0xF;
        let size = 1_u128 << low;
        let (from, count) = if low != 0xF || !matches!(marker >> 4, 4..=6 | 0xA..=0xD) {
            (1, u128::from(low))
        } else {
            // It may stand behind the objects, and then something else is wrong as well.
            let behind = self.bytes[at as usize + 1];
            if !(0x10..=0x13).contains(&behind) || behind == 0x13 && area.len() <= 2 {
                return malformed(at + 1);
            }
            let bytes = 1 << (behind & 3);
            (2 + bytes, number(part(2, bytes as u128)?))
        };
        let members = |count: u128| -> Result<Vec<u128>, End> {
            let part = part(from, count * self.widths.1 as u128)?;
            Ok(part.chunks(self.widths.1).map(number).collect())
        };
        let made = match marker {
            0x00 => Made::Null,
            0x08 | 0x09 => Made::Bool(marker == 9),
            0x10..=0x12 => Made::Int(number(part(1, size)?) as i128),
            0x13 => Made::Int(i128::from(number(part(1, size)?) as u64 as i64)),
            0x14 => Made::Int(number(part(1, size)?) as i128),
            0x22 => Made::Real(f64::from(f32::from_bits(number(part(1, size)?) as u32))),
            0x23 => Made::Real(f64::from_bits(number(part(1, size)?) as u64)),
            0x33 => Made::Date(f64::from_bits(number(part(1, size)?) as u64)),
            0x80..=0x8F => match u64::try_from(number(part(1, u128::from(low) + 1)?)) {
                Ok(uid) => Made::Uid(uid),
                Err(_) => return malformed(at),
            },
            0x40..=0x4F => Made::Data(part(from, count)?.to_vec()),
            0x50..=0x5F => {
                let bytes = part(from, count)?;
                let bad = bytes.iter().position(|byte| *byte > 127);
                let text = String::from_utf8_lossy(bytes).into_owned();
                let first = at + from as u128;
                Made::Text(count, bad.map_or(Ok(text), |bad| Err(first + bad as u128)))
            }
            0x60..=0x6F => {
                let bytes = part(from, 2 * count)?;
                let units: Vec<u16> = bytes.chunks(2).map(|unit| number(unit) as u16).collect();
                let good = (0..=units.len())
                    .rev()
                    .find_map(|n| Some((n, String::from_utf16(&units[..n]).ok()?)));
                let (read, text) = good.unwrap();
                let place = at + from as u128 + 2 * read as u128;
                Made::Text(2 * count, if read == units.len() { Ok(text) } else { Err(place) })
            }
            0xA0..=0xAF => Made::Container(ContainerKind::List, at + from as u128, members(count)?),
            0xB0..=0xCF => Made::Container(ContainerKind::Set, at + from as u128, members(count)?),
            0xD0..=0xDF => {
                Made::Container(ContainerKind::Map, at + from as u128, members(2 * count)?)
            }
            _ => return malformed(at),
        };
        Ok((at, made))
    }

    fn count(&mut self, bytes: u128, at: u128) -> Result<(), End> {
        self.told += bytes;
        let size = self.bytes.len() as u128;
        let times = (size * u128::from(self.limits.amplification)).max(8 << 20);
        let more = self.limits.expansion.is_some_and(|most| self.told > u128::from(most) + size);
        if self.told > times || more {
            return Err(End::Wrong(Kind::Limit, at as u64));
        }
        Ok(())
    }

    /// A string or data of so many bytes is about to be reported.
    fn keep(&mut self, length: u128, at: u128) -> Result<(), End> {
        self.count(length.saturating_sub(64), at)?;
        if length > self.limits.token as u128 {
            return Err(End::Wrong(Kind::Limit, at as u64));
        }
        Ok(())
    }

    fn text(&mut self, at: u128, made: Made) -> Result<String, End> {
        let Made::Text(length, text) = made else { return malformed(at) };
        self.keep(length, at)?;
        text.or_else(malformed)
    }

    fn scalar<T>(
        &mut self,
        at: u128,
        made: Made,
        tell: impl FnOnce(&mut S, Scalar<'_>) -> Result<T, S::Error>,
    ) -> Result<T, End> {
        let refused = |_| End::Refused;
        match made {
            Made::Null => tell(self.sink, Scalar::Null).map_err(refused),
            Made::Bool(value) => tell(self.sink, Scalar::Bool(value)).map_err(refused),
            Made::Int(value) => match i64::try_from(value) {
                Ok(value) => tell(self.sink, Scalar::Int(value)).map_err(refused),
                Err(_) => {
                    let digits = value.to_string();
                    tell(self.sink, Scalar::Number(digits.as_bytes())).map_err(refused)
                }
            },
            Made::Real(value) => tell(self.sink, Scalar::Float(value)).map_err(refused),
            Made::Date(value) => tell(self.sink, Scalar::Since2001(value)).map_err(refused),
            Made::Uid(value) => tell(self.sink, Scalar::Uid(value)).map_err(refused),
            Made::Data(data) => {
                self.keep(data.len() as u128, at)?;
                tell(self.sink, Scalar::Bytes(&data)).map_err(refused)
            }
            Made::Text(..) => {
                let text = self.text(at, made)?;
                tell(self.sink, Scalar::Text(text.as_str().into())).map_err(refused)
            }
            Made::Container(..) => unreachable!("a container is no scalar"),
        }
    }

    fn value(&mut self, object: u128, from: u128) -> Result<(), End> {
        let (at, made) = self.made(object, from)?;
        let place = at as u64;
        let Made::Container(kind, first, members) = made else {
            let flow = self.scalar(at, made, |sink, value| sink.scalar(value, place))?;
            return go_on(flow);
        };
        if self.path.contains(&object) {
            return malformed(at);
        }
        if self.path.len() >= self.limits.depth {
            return Err(End::Wrong(Kind::Limit, place));
        }
        let shared = self.shared.as_ref().is_some_and(|shared| shared[object as usize]);
        if shared || kind == ContainerKind::Set {
            let shared = shared.then_some(object as u64);
            self.sink.container(Container { kind, shared });
        }
        let is_map = kind == ContainerKind::Map;
        let flow = if is_map { self.sink.begin_map(place) } else { self.sink.begin_list(place) };
        let flow = flow.map_err(|_| End::Refused)?;
        if flow == Flow::Skip {
            return Ok(());
        }
        self.path.push(object);
        let width = self.widths.1 as u128;
        self.count(first - at + members.len() as u128 * width, at)?;
        let reference = |member: usize| first + member as u128 * width;
        if is_map {
            let count = members.len() / 2;
            if flow == Flow::Look && !self.looked(at, &members, &reference)? {
                self.path.pop();
                return Ok(());
            }
            go_on(flow)?;
            for member in 0..count {
                let (at, made) = self.made(members[member], reference(member))?;
                let key = self.text(at, made)?;
                let flow = self.sink.key(key.as_str().into(), at as u64);
                let flow = flow.map_err(|_| End::Refused)?;
                go_on(flow)?;
                if flow != Flow::Skip {
                    self.value(members[count + member], reference(count + member))?;
                }
            }
            let flow = self.sink.end_map(place).map_err(|_| End::Refused)?;
            self.path.pop();
            go_on(flow)
        } else {
            go_on(flow)?;
            for (member, object) in members.iter().enumerate() {
                self.value(*object, reference(member))?;
            }
            let flow = self.sink.end_list(place).map_err(|_| End::Refused)?;
            self.path.pop();
            go_on(flow)
        }
    }

    /// Whether the sink wants the map after it has looked at it.
    fn looked(
        &mut self,
        begin: u128,
        members: &[u128],
        reference: &dyn Fn(usize) -> u128,
    ) -> Result<bool, End> {
        let count = members.len() / 2;
        for member in 0..count {
            let (at, made) = self.made(members[member], reference(member))?;
            let key = self.text(at, made)?;
            let look = self.sink.look_key(key.as_str().into(), at as u64);
            let mut look = look.map_err(|_| End::Refused)?;
            if look == Look::Value {
                let (at, made) = self.made(members[count + member], reference(count + member))?;
                let place = at as u64;
                look = match made {
                    Made::Container(..) => {
                        self.sink.look_value(None, place).map_err(|_| End::Refused)?
                    }
                    made => {
                        self.scalar(at, made, |sink, value| sink.look_value(Some(value), place))?
                    }
                };
            }
            match look {
                Look::Found => return Ok(true),
                Look::Skip => return Ok(false),
                Look::Pass | Look::Value => {}
            }
        }
        let look = self.sink.look_end(begin as u64).map_err(|_| End::Refused)?;
        Ok(look != Look::Skip)
    }
}

fn go_on(flow: Flow) -> Result<(), End> {
    if flow == Flow::Stop { Err(End::Stopped) } else { Ok(()) }
}
