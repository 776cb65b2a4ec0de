//! A piece of the line that a clock follows between two looks at the kernel's clocks.

/// Bits behind the point of a scale: nanoseconds for one count, times 2^32.
pub(crate) const POINT: u32 = 32;

/// A piece of the line, as it is once its beginning is known.
///
/// For counts up to `end` behind `base` it is a straight line. Behind that, and for counts before
/// `base`, it is the kernel's clock, though never less than where the straight line ends. So whoever
/// knows that a value was taken from a segment knows that it was not more than the line at that
/// count, or than the kernel's clock then.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Segment {
    /// The count at which it begins.
    pub(crate) base: u64,
    /// Nanoseconds for one count, times 2^32.
    pub(crate) scale: u64,
    /// The value at `base`.
    pub(crate) mono: i64,
    /// How many counts it is good for, before someone should look at the kernel's clocks again.
    pub(crate) reach: u64,
    /// How many counts it is good for at most.
    pub(crate) end: u64,
    /// What the line is ahead of the kernel's monotonic clock, for good: see [`crate::keeper`].
    pub(crate) offset: i64,
    /// What has to be added for the time of the wall.
    pub(crate) delta: i64,
}

impl Segment {
    /// The straight line. A segment that was read while it changed may hold anything, so nothing
    /// here may panic.
    #[inline(always)]
    pub(crate) fn along(&self, counts: u64) -> i64 {
        self.mono.wrapping_add(scaled(counts, self.scale))
    }

    /// Where the straight line ends.
    pub(crate) fn last(&self) -> i64 {
        self.along(self.end)
    }

    /// Where a count is on the straight line, if it is.
    pub(crate) fn place(&self, count: u64) -> Option<u64> {
        let counts = count.wrapping_sub(self.base);
        (counts < self.end).then_some(counts)
    }

    /// What this segment makes of the kernel's clock.
    pub(crate) fn beyond(&self, kernel: i64) -> i64 {
        self.last().max(kernel.saturating_add(self.offset))
    }
}

/// Counts as nanoseconds. The product fits in 64 bits for 2^32 ns, which is 4 s: a segment is a
/// thousandth of that.
#[inline(always)]
pub(crate) fn scaled(counts: u64, scale: u64) -> i64 {
    (counts.wrapping_mul(scale) >> POINT).cast_signed()
}

/// A segment before its beginning is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Proposal {
    /// Whether it is the kernel's clock from its beginning on.
    pub(crate) plain: bool,
    /// The count at which the kernel's clocks were looked at.
    pub(crate) anchor: u64,
    /// The monotonic time at `anchor`.
    pub(crate) at: i64,
    /// As in [`Segment`].
    pub(crate) scale: u64,
    /// The count up to which it is good.
    pub(crate) reach_at: u64,
    /// The count up to which it is good at most.
    pub(crate) end_at: u64,
    /// As in [`Segment`].
    pub(crate) offset: i64,
    /// As in [`Segment`].
    pub(crate) delta: i64,
}

impl Proposal {
    /// The segment that begins at `base` with `mono`.
    pub(crate) fn from(&self, base: u64, mono: i64) -> Segment {
        Segment {
            base,
            scale: self.scale,
            mono,
            reach: self.reach_at.saturating_sub(base),
            end: self.end_at.saturating_sub(base),
            offset: self.offset,
            delta: self.delta,
        }
    }
}

/// Where a segment begins: what has to be agreed upon by all who read the clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Start {
    /// The count.
    pub(crate) count: u64,
    /// The least value: what the kernel's clock said behind the switch, plus the offset.
    pub(crate) kernel: Option<i64>,
}

impl Start {
    /// The segment `new`, beginning here, behind `old`: at or above every value that was taken from
    /// `old` before.
    pub(crate) fn join(self, old: &Segment, new: &Proposal) -> Segment {
        let Start { count, kernel } = self;
        let mut mono = match old.place(count) {
            // A processor may have read the counter a little behind the switch that it did not see
            // yet. On a line that does not matter, for the next one goes on from here; the kernel's
            // clock may be behind it.
            Some(counts) if new.plain => {
                let ahead = (AHEAD << POINT) / old.scale.max(1);
                old.along(old.end.min(counts.saturating_add(ahead)))
            }
            Some(counts) => old.along(counts),
            None => old.last(),
        };
        if let Some(kernel) = kernel {
            // That was read a while ago. The line goes through what was measured.
            let counts =
                count.saturating_sub(new.anchor).min(new.end_at.saturating_sub(new.anchor));
            mono = mono.max(kernel).max(new.at.saturating_add(scaled(counts, new.scale)));
        }
        new.from(count, mono)
    }
}

/// How far behind a load in the program a processor may have read the counter, in nanoseconds.
const AHEAD: u64 = 1_000;
