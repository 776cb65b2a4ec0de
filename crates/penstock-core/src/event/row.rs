//! Maps whose keys are known before their values.

use std::collections::HashMap;

use super::{Key, KeyKind, Scalar};
use penstock_scan::make_room;

/// The keys of maps that follow.
#[derive(Clone, Copy, Debug)]
pub struct KnownKeys<'a> {
    /// The number of the shape.
    pub shape: u32,
    /// The keys of the shape, in the order of the values.
    pub keys: &'a [Key<'a>],
    /// The offset of each key. Fewer, or none, if not all of them stand in the source.
    pub places: &'a [u64],
    /// The offset of all keys together: of the header, or of the first map if there is none.
    pub at: u64,
}

impl KnownKeys<'_> {
    /// The offset of a key.
    #[must_use]
    pub fn at(&self, key: usize) -> u64 {
        self.places.get(key).copied().unwrap_or(self.at)
    }
}

/// The first name that was there before, and its place: a map of these keys would lose a value.
/// `counts` tells of which places one of two must be.
pub fn repeated<'k>(
    names: impl ExactSizeIterator<Item = &'k str>,
    counts: impl Fn(usize) -> bool,
) -> Option<(usize, &'k str)> {
    let mut seen = HashMap::new();
    make_room(&mut seen, names.len());
    let mut names = names.enumerate();
    names.find_map(|(place, name)| {
        let before = seen.insert(name, place)?;
        (counts(before) || counts(place)).then_some((place, name))
    })
}

/// One value of a [`Row`].
#[derive(Clone, Copy, Debug)]
pub struct Cell<'a> {
    /// The value.
    pub value: Scalar<'a>,
    /// The offset of its key.
    pub key_at: u64,
    /// The offset of the value.
    pub at: u64,
}

/// The keys of a shape.
#[derive(Clone, Copy, Debug)]
pub enum Keys<'a> {
    /// As the reader reports them.
    InputView(&'a [Key<'a>]),
    /// The names of members.
    Members(&'a [Box<str>]),
}

impl<'a> Keys<'a> {
    /// How many there are.
    #[must_use]
    pub fn len(self) -> usize {
        match self {
            Keys::InputView(keys) => keys.len(),
            Keys::Members(names) => names.len(),
        }
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The key at a place.
    #[must_use]
    pub fn get(self, place: usize) -> Option<Key<'a>> {
        match self {
            Keys::InputView(keys) => keys.get(place).copied(),
            Keys::Members(names) => names.get(place).map(|name| Key {
                name: (&**name).into(),
                namespace: None,
                prefix: None,
                kind: KeyKind::Member,
            }),
        }
    }
}

/// A map, or its first members, as one slice of values. The reader has already reported the keys of
/// its shape ([`known_keys`](crate::protocol::LookAhead::known_keys)).
///
/// A row counts how many of its events have been reported. So a sink can pause within a row, and
/// the reader continues there when it is called again.
#[derive(Clone, Debug)]
pub struct Row<'a> {
    /// The number of the shape.
    pub shape: u32,
    /// The keys of the shape.
    pub keys: Keys<'a>,
    /// The values, in the order of the keys. A cell is nothing if the sink does not want the key,
    /// or if the map does not have it. There may be fewer values than keys, and a list
    /// may have more.
    pub cells: &'a [Option<Cell<'a>>],
    /// The offset of the map.
    pub at: u64,
    /// The offset of its end. Nothing if the map continues after these cells: the rest does not
    /// follow the shape, and the reader reports it event by event.
    pub end: Option<u64>,
    is_list: bool,
    reported: usize,
}

/// The next event of a row.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Next<'a> {
    Begin,
    Key(Key<'a>, u64),
    Value(Scalar<'a>, u64),
    End(u64),
    Nothing,
}

impl<'a> Row<'a> {
    /// A row whose events are all still to be reported.
    #[must_use]
    pub fn new(
        shape: u32,
        keys: &'a [Key<'a>],
        cells: &'a [Option<Cell<'a>>],
        at: u64,
        end: Option<u64>,
    ) -> Self {
        Row::of(shape, Keys::InputView(keys), cells, at, end)
    }

    /// The same for a shape whose keys are members with these names.
    #[must_use]
    pub fn of_members(
        shape: u32,
        names: &'a [Box<str>],
        cells: &'a [Option<Cell<'a>>],
        at: u64,
        end: Option<u64>,
    ) -> Self {
        Row::of(shape, Keys::Members(names), cells, at, end)
    }

    fn of(
        shape: u32,
        keys: Keys<'a>,
        cells: &'a [Option<Cell<'a>>],
        at: u64,
        end: Option<u64>,
    ) -> Self {
        Row { shape, keys, cells, at, end, is_list: false, reported: 0 }
    }

    /// The same row with other values.
    #[must_use]
    pub fn with_cells<'c>(&self, cells: &'c [Option<Cell<'c>>]) -> Row<'c>
    where
        'a: 'c,
    {
        Row { cells, ..self.clone() }
    }

    /// The same row, with this many events already [`reported`](Row::reported).
    #[must_use]
    pub fn resumed(mut self, reported: usize) -> Self {
        self.reported = reported;
        self
    }

    /// The same row as a list: its values without their keys.
    #[must_use]
    pub fn as_list(mut self, is_list: bool) -> Self {
        self.is_list = is_list;
        self
    }

    /// Whether the row is a list of its values, and no map.
    #[must_use]
    pub fn is_list(&self) -> bool {
        self.is_list
    }

    /// How many events have been reported. The reader keeps this number if the sink pauses.
    #[must_use]
    pub fn reported(&self) -> usize {
        self.reported
    }

    /// Whether no event has been reported yet.
    #[must_use]
    pub fn is_new(&self) -> bool {
        self.reported == 0
    }

    /// Whether all events have been reported.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.reported >= self.events()
    }

    /// Marks all events of the row as reported.
    pub fn take(&mut self) {
        self.reported = self.events();
    }

    /// One event for the beginning, two for each cell (key and value), and one for the end. The key
    /// of a list's value counts as well, and is not reported.
    fn events(&self) -> usize {
        1 + 2 * self.cells.len() + usize::from(self.end.is_some())
    }

    /// Marks only the beginning as reported.
    pub(crate) fn take_begin(&mut self) {
        self.reported = 1;
    }

    /// Skips the value of the key that was reported last.
    pub(crate) fn skip_value(&mut self) {
        self.reported += 1;
    }

    /// Takes the next event, and counts it as reported.
    pub(crate) fn next(&mut self) -> Next<'a> {
        loop {
            let step = self.reported;
            self.reported += 1;
            let Some(place) = step.checked_sub(1) else { return Next::Begin };
            let Some(cell) = self.cells.get(place / 2) else {
                return match self.end {
                    Some(end) if step + 1 == self.events() => Next::End(end),
                    _ => {
                        self.reported = self.events();
                        Next::Nothing
                    }
                };
            };
            match cell {
                // Neither the key nor the value is there.
                None => self.reported += 1,
                Some(_) if place % 2 == 0 && self.is_list => {}
                Some(cell) if place % 2 == 0 => match self.keys.get(place / 2) {
                    Some(key) => return Next::Key(key, cell.key_at),
                    None => self.reported += 1,
                },
                Some(cell) => return Next::Value(cell.value, cell.at),
            }
        }
    }
}
