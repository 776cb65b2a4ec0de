//! What was found in records as plain data, for other processes.

use crate::found::{At, Found, Numbers, Place, Step, kind};
use penstock_scan::{gathered, make_room};

/// What was seen at one place. All of them, in their order, are what was found: the record comes
/// first, and each place stands behind the one that it is in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// The name of the place.
    pub name: String,
    /// Whether it is a member, an element, an attribute, or the items of a list.
    pub step: u8,
    /// The number of the place that it is in.
    pub parent: u32,
    /// Where it was first: the part, and after how many other places there.
    pub order: (u32, u64),
    /// The kinds of values, a bit each.
    pub kinds: u16,
    /// The part and the record of the first value.
    pub first: Option<(u32, u64)>,
    /// The least and the most integer, and the most digits before and behind the point.
    pub numbers: (i64, u64, u32, u32),
    /// Whether an integer has more than 64 bits, and whether one is no double.
    pub wide: (bool, bool),
    /// In how many of its parents it was, how many structs there were, and how many texts.
    pub counts: (u64, u64, u64),
    /// Whether an element had several of it.
    pub repeats: bool,
}

const STEPS: [Step; 4] = [Step::Member, Step::Element, Step::Attribute, Step::Item];

impl Found {
    /// What was seen at each place.
    #[must_use]
    pub fn seen(&self) -> Vec<Seen> {
        gathered(self.places.iter().map(Place::seen))
    }

    /// The same as where it was [seen](Self::seen). None if that cannot be.
    #[must_use]
    pub fn of_seen(seen: &[Seen]) -> Option<Found> {
        let (record, others) = seen.split_first()?;
        let mut found = Found::new();
        found.place_mut(0).set(record)?;
        for place in others {
            let known = found.places.len();
            let parent = usize::try_from(place.parent).ok().filter(|parent| *parent < known)?;
            let step = *STEPS.get(usize::from(place.step))?;
            if found.child(parent as u32, &place.name, 0).is_some() {
                return None;
            }
            let id = found.add(parent as u32, &place.name, step, place.order).ok()?;
            found.place_mut(id).set(place)?;
        }
        Some(found)
    }
}

impl Place {
    fn seen(&self) -> Seen {
        let mut name = String::new();
        make_room(&mut name, self.name.len());
        name.push_str(&self.name);
        let Numbers { least, most, beyond, inexact, digits } = self.numbers;
        let step = STEPS.iter().position(|step| *step == self.step).unwrap_or_default();
        Seen {
            name,
            step: step as u8,
            parent: self.parent,
            order: self.order,
            kinds: self.kinds,
            first: self.first.map(|At { part, record }| (part, record)),
            numbers: (least, most, digits.0, digits.1),
            wide: (beyond, inexact),
            counts: (self.rows, self.instances, self.texts),
            repeats: self.repeats,
        }
    }

    /// Sets what was seen. None if there are no such kinds of values.
    fn set(&mut self, seen: &Seen) -> Option<()> {
        let (least, most, whole, behind) = seen.numbers;
        let (beyond, inexact) = seen.wide;
        self.order = seen.order;
        self.kinds = (seen.kinds & !kind::ALL == 0).then_some(seen.kinds)?;
        self.first = seen.first.map(|(part, record)| At { part, record });
        self.numbers = Numbers { least, most, beyond, inexact, digits: (whole, behind) };
        (self.rows, self.instances, self.texts) = seen.counts;
        self.repeats = seen.repeats;
        Some(())
    }
}
