//! The objects of a file that is written at its end.

use super::encode::{self, Mark, in_order, push, too_many};
use super::table::{Hash, Table};
use crate::writer::Unwritable;

/// Marks the number of a container; those without it are scalars.
pub(super) const CONTAINER: u32 = 1 << 31;
/// No number yet.
pub(super) const NONE: u32 = u32::MAX;

/// Integers below this are found by their value, without a hash. Numbers of records follow each
/// other, and so do their places.
const DIRECT: i64 = 1 << 20;
/// How many of them have their places side by side.
const PAGE: usize = 1 << 10;

/// The objects of a file that is written at the end.
#[derive(Debug, Default)]
pub(super) struct Whole {
    /// The scalars as they will stand in the file, and where each begins.
    scalars: Vec<u8>,
    pub(super) scalars_at: Vec<usize>,
    /// The marker of each container and its members, and where each begins.
    containers: Vec<u32>,
    containers_at: Vec<usize>,
    known_scalars: Table,
    /// The numbers of small integers, by their value.
    ints: Vec<Vec<u32>>,
    known_containers: Table,
    /// For each scalar that is a key: the key that came next the last time.
    following: Vec<u32>,
    last_key: usize,
}

impl Whole {
    pub(super) fn clear(&mut self) {
        self.scalars.clear();
        self.scalars_at.clear();
        self.containers.clear();
        self.containers_at.clear();
        self.known_scalars.clear();
        self.ints.clear();
        self.known_containers.clear();
        self.following.clear();
        self.last_key = 0;
    }

    /// A scalar as it will stand in the file.
    #[inline(always)]
    pub(super) fn scalar_of(&self, number: usize) -> &[u8] {
        part_of(&self.scalars, &self.scalars_at, number)
    }

    /// The marker of a container and its members.
    #[inline(always)]
    pub(super) fn container_of(&self, number: usize) -> &[u32] {
        part_of(&self.containers, &self.containers_at, number)
    }

    /// The number of a scalar, which is the number of an equal one if there is one.
    #[inline(always)]
    pub(super) fn scalar(
        &mut self,
        hash: u32,
        mark: Mark,
        bytes: &[u8],
    ) -> Result<u32, Unwritable> {
        let next = self.scalars_at.len();
        if next >= CONTAINER as usize {
            return Err(too_many());
        }
        let Whole { scalars, scalars_at, .. } = self;
        let same = |number| mark.is_that_of(part_of(scalars, scalars_at, number as usize), bytes);
        let found = self.known_scalars.find_or_add(hash, next as u32, same)?;
        if found as usize == next {
            push(scalars_at, scalars.len())?;
            mark.push_with(bytes, scalars)?;
        }
        Ok(found)
    }

    /// The number of an integer, which is found by its value if that is small.
    #[inline(always)]
    pub(super) fn int(&mut self, hash: Hash, value: i64) -> Result<u32, Unwritable> {
        let place = value as usize % PAGE;
        if !(0..DIRECT).contains(&value) {
            let mut bytes = [0; 8];
            let (mark, bytes) = encode::int(value, &mut bytes);
            return self.scalar(hash.of(mark.marker, bytes), mark, bytes);
        }
        match self.ints.get(value as usize / PAGE) {
            Some(page) if !page.is_empty() && page[place] != NONE => Ok(page[place]),
            _ => self.new_int(value),
        }
    }

    #[inline(never)]
    fn new_int(&mut self, value: i64) -> Result<u32, Unwritable> {
        let (page, place) = (value as usize / PAGE, value as usize % PAGE);
        if self.ints.len() <= page {
            let more = page + 1 - self.ints.len();
            self.ints.try_reserve(more).map_err(|_| Unwritable::memory())?;
            self.ints.resize_with(page + 1, Vec::new);
        }
        let page = &mut self.ints[page];
        if page.is_empty() {
            page.try_reserve_exact(PAGE).map_err(|_| Unwritable::memory())?;
            page.resize(PAGE, NONE);
        }
        let next = self.scalars_at.len();
        if next >= CONTAINER as usize {
            return Err(too_many());
        }
        let mut bytes = [0; 8];
        let (mark, bytes) = encode::int(value, &mut bytes);
        push(&mut self.scalars_at, self.scalars.len())?;
        mark.push_with(bytes, &mut self.scalars)?;
        page[place] = next as u32;
        Ok(next as u32)
    }

    /// A key. Most of the time, the same key comes behind a key as the last time.
    #[inline(always)]
    pub(super) fn key(&mut self, hash: Hash, mark: Mark, key: &[u8]) -> Result<u32, Unwritable> {
        if let Some(&next) = self.following.get(self.last_key)
            && mark.is_that_of(self.scalar_of(next as usize), key)
        {
            self.last_key = next as usize;
            return Ok(next);
        }
        self.other_key(hash.of(mark.marker, key), mark, key)
    }

    #[inline(never)]
    fn other_key(&mut self, hash: u32, mark: Mark, key: &[u8]) -> Result<u32, Unwritable> {
        let number = self.scalar(hash, mark, key)?;
        if self.following.len() <= number as usize {
            let more = number as usize + 1 - self.following.len();
            self.following.try_reserve(more).map_err(|_| Unwritable::memory())?;
            self.following.resize(number as usize + 1, number);
        }
        if let Some(following) = self.following.get_mut(self.last_key) {
            *following = number;
        }
        self.last_key = number as usize;
        Ok(number)
    }

    /// The number of a container, which is the number of an equal one if there is one. The keys
    /// and values of a map come in turn.
    pub(super) fn container(
        &mut self,
        hash: u32,
        high: u8,
        members: &[u32],
    ) -> Result<u32, Unwritable> {
        let from = self.containers.len();
        self.containers.try_reserve(members.len() + 1).map_err(|_| Unwritable::memory())?;
        self.containers.push(u32::from(high));
        in_order(high, members, |member| self.containers.push(member));
        let next = self.containers_at.len();
        if next >= (NONE - CONTAINER) as usize {
            return Err(too_many());
        }
        let (known, new) = self.containers.split_at(from);
        let same = |number: u32| {
            let number = number as usize;
            let begin = self.containers_at[number];
            let end = self.containers_at.get(number + 1).copied().unwrap_or(from);
            known[begin..end] == *new
        };
        let found = self.known_containers.find_or_add(hash, next as u32, same)?;
        if found as usize == next {
            push(&mut self.containers_at, from)?;
        } else {
            self.containers.truncate(from);
        }
        Ok(found | CONTAINER)
    }

    /// The objects in the order of the file, and the number of each there: of scalars, and of
    /// containers.
    pub(super) fn numbered(&self, root: u32) -> Result<Numbered, Unwritable> {
        let none = |count: usize| {
            let mut numbers = Vec::new();
            numbers.try_reserve_exact(count).map_err(|_| Unwritable::memory())?;
            numbers.resize(count, NONE);
            Ok(numbers)
        };
        let mut made = Numbered {
            order: Vec::new(),
            scalars: none(self.scalars_at.len())?,
            containers: none(self.containers_at.len())?,
        };
        // Containers, and the next member of each.
        let mut open: Vec<(usize, usize)> = Vec::new();
        made.number(root, &mut open)?;
        while let Some((container, next)) = open.last_mut() {
            match self.container_of(*container).get(*next) {
                None => {
                    open.pop();
                }
                Some(member) => {
                    *next += 1;
                    made.number(*member, &mut open)?;
                }
            }
        }
        Ok(made)
    }
}

/// The items of one object among those of all.
#[inline(always)]
pub(super) fn part_of<'a, T>(items: &'a [T], begins: &[usize], number: usize) -> &'a [T] {
    let Some(begin) = begins.get(number) else { return &[] };
    let end = begins.get(number + 1).copied().unwrap_or(items.len());
    &items[*begin..end]
}

/// The order of the objects in the file.
pub(super) struct Numbered {
    pub(super) order: Vec<u32>,
    scalars: Vec<u32>,
    containers: Vec<u32>,
}

impl Numbered {
    /// Gives an object the next number, if it has none. The members of a container are next.
    #[inline(always)]
    pub(super) fn number(
        &mut self,
        object: u32,
        open: &mut Vec<(usize, usize)>,
    ) -> Result<(), Unwritable> {
        let next = self.order.len();
        let numbers =
            if object & CONTAINER == 0 { &mut self.scalars } else { &mut self.containers };
        let number = &mut numbers[(object & !CONTAINER) as usize];
        if *number != NONE {
            return Ok(());
        }
        *number = u32::try_from(next).ok().filter(|next| *next != NONE).ok_or_else(too_many)?;
        push(&mut self.order, object)?;
        if object & CONTAINER != 0 {
            // The first item is the marker.
            push(open, ((object & !CONTAINER) as usize, 1))?;
        }
        Ok(())
    }

    #[inline(always)]
    pub(super) fn of(&self, object: u32) -> u32 {
        let numbers = if object & CONTAINER == 0 { &self.scalars } else { &self.containers };
        numbers[(object & !CONTAINER) as usize]
    }
}
