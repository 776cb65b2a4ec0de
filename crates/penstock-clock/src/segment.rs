//! A piece of the line that a clock follows between two comparisons with the kernel's clocks.

/// Bits after the point of a scale: nanoseconds for one count, times 2^32.
pub(crate) const POINT: u32 = 32;

/// A piece of the line whose beginning is known.
///
/// For counts up to `end` after `base` it is a straight line. For later counts, and for counts
/// before `base`, it is the kernel's clock, but never less than the end of the straight line. So if
/// a value was taken from a segment, it was not more than the line at that count, or than the
/// kernel's clock then.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Segment {
    /// The count at which it begins.
    pub(crate) base: u64,
    /// Nanoseconds for one count, times 2^32.
    pub(crate) scale: u64,
    /// The value at `base`.
    pub(crate) mono: i64,
    /// For how many counts it is good, before the clock should compare again.
    pub(crate) reach: u64,
    /// For how many counts it is good at most.
    pub(crate) end: u64,
    /// The permanent offset of the line from the kernel's monotonic clock: see [`crate::keeper`].
    pub(crate) offset: i64,
    /// The difference to wall time.
    pub(crate) delta: i64,
}

impl Segment {
    /// The straight line. A segment that was read while it changed may hold anything, so nothing
    /// here may panic.
    #[inline(always)]
    pub(crate) fn along(&self, counts: u64) -> i64 {
        self.mono.wrapping_add(scaled(counts, self.scale))
    }

    /// The end of the straight line.
    pub(crate) fn last(&self) -> i64 {
        self.along(self.end)
    }

    /// The value of a count, if it is on the straight line.
    pub(crate) fn place(&self, count: u64) -> Option<u64> {
        let counts = count.wrapping_sub(self.base);
        (counts < self.end).then_some(counts)
    }

    /// The value of this segment for a time of the kernel's clock.
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
    /// Whether it uses the kernel's clock from its beginning on.
    pub(crate) plain: bool,
    /// The count of the comparison with the kernel's clocks.
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

/// The beginning of a segment, on which all readers of the clock must agree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Start {
    /// The count.
    pub(crate) count: u64,
    /// The least value: that of the kernel's clock after the switch, plus the offset.
    pub(crate) kernel: Option<i64>,
}

impl Start {
    /// The segment `new`, which begins here and follows `old`: at or above every value that was
    /// taken from `old` before.
    pub(crate) fn join(self, old: &Segment, new: &Proposal) -> Segment {
        let Start { count, kernel } = self;
        let mut mono = match old.place(count) {
            // A processor may have read the counter shortly after a switch that it has not seen
            // yet. On a line that does not matter, because the next one continues from here; but
            // the kernel's clock may be less.
            Some(counts) if new.plain => {
                let ahead = (AHEAD << POINT) / old.scale.max(1);
                old.along(old.end.min(counts.saturating_add(ahead)))
            }
            Some(counts) => old.along(counts),
            None => old.last(),
        };
        if let Some(kernel) = kernel {
            // That was read a while ago. The line goes through the measured point.
            let counts =
                count.saturating_sub(new.anchor).min(new.end_at.saturating_sub(new.anchor));
            mono = mono.max(kernel).max(new.at.saturating_add(scaled(counts, new.scale)));
        }
        new.from(count, mono)
    }
}

/// How long after a load in the program a processor may have read the counter, in nanoseconds.
const AHEAD: u64 = 1_000;
