"""From times to costs: what the loop takes is taken off, and nothing is told that is not known.

All of it is about intervals. Each process has one value for a row, the median of its rounds; the
row's interval reaches from the least of these to the greatest. Nothing is assumed of how times are
distributed: the median of what processes give lies outside of the range of seven of them once in
64 times. The interval is made wider by what is not known of the loop:

- the loop's own cost has an interval, found in the same way, and half its width is added at both
  ends;
- a processor may do the loop of a native row while it waits for the operation, and then nothing
  had to be taken off: so the upper end is that of the time with the loop.
"""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

GROWTH = (1.8, 2.2)
"""What time may grow by if the work doubles."""

GROWTH_OF_WAITING = (1.5, 3.0)
"""The same for operations that wait, whose least time is a matter of luck."""


class Interval(NamedTuple):
    """A value, and how far it may be from what was found. Unit: that of the values."""

    low: float
    middle: float
    high: float

    @classmethod
    def of(cls, values: Iterable[float]) -> Interval:
        """Return the median of values, in the range of all of them."""
        ordered = sorted(values)
        return cls(ordered[0], median(ordered), ordered[-1])

    @property
    def spread(self) -> float:
        """The farther end's distance, as a part of the middle."""
        return max(self.high - self.middle, self.middle - self.low) / self.middle

    def meets(self, other: Interval) -> bool:
        """Whether the two could be about the same value."""
        return self.low <= other.high and other.low <= self.high


class Times(NamedTuple):
    """What one process found for a row."""

    turns: int
    """The turns of the smaller measurements; the larger ones have twice as many."""

    per_turn: int
    """How often the operation is done in a turn."""

    first: int
    """The nanoseconds of the first turn that the process took."""

    times: Sequence[tuple[int, int, bool]]
    """Measurements: turns, nanoseconds, and whether the thread kept the processor."""

    def turn(self, *, waits: bool) -> float:
        """Return the nanoseconds of one turn: the median of the measurements left in peace.

        To be interrupted is a part of operations that wait, so there all count. Where none was left
        in peace, the least counts: an interruption makes a time longer and never shorter.
        """
        counted = [time / turns for turns, time, peaceful in self.times if peaceful or waits]
        return median(counted) if counted else min(time / turns for turns, time, _ in self.times)

    def least(self, *, doubled: bool) -> float:
        """Return the least nanoseconds of a turn, of the measurements of one of the two sizes."""
        many = 2 * self.turns if doubled else self.turns
        return min(time / many for turns, time, _ in self.times if turns == many)


class Cost(NamedTuple):
    """What was found for a row."""

    time: Interval
    """Nanoseconds for one operation. The low end may be zero: then it is less than can be told."""

    first: Interval | None
    """Nanoseconds the first time that a process did it; None where that cannot be told apart."""

    growth: Interval
    """By what time grew when the work was doubled."""

    fault: str | None
    """Why the time is not to be believed, if it is not."""


def without_loop(
    runs: Sequence[Times], loops: Sequence[Times], *, native: bool, waits: bool
) -> Interval:
    """Return the nanoseconds of an operation: see the top of this module."""
    per_turn = runs[0].per_turn
    turns = [run.turn(waits=waits) for run in runs]
    around = [loop.turn(waits=False) for loop in loops]
    low, middle, high = Interval.of(turn - loop for turn, loop in zip(turns, around, strict=True))
    unsure = (max(around) - min(around)) / 2
    # Times are whole nanoseconds, so what is less than one in all turns is not known either.
    step = 1 / min(run.turns for run in runs)
    high = max(high + unsure, max(turns) if native else unsure, step)
    return Interval(max(low - unsure, 0.0) / per_turn, max(middle, 0.0) / per_turn, high / per_turn)


def first_time(runs: Sequence[Times], empties: Sequence[Sequence[int]]) -> Interval | None:
    """Return what the first time took, without the clock and the loop.

    Operations that stand in a turn more than once have none: it is the second of them already.
    """
    if runs[0].per_turn > 1:
        return None
    found = [run.first - median(empty) for run, empty in zip(runs, empties, strict=True)]
    unsure = max(median(empty) - empty[0] for empty in empties)
    low, middle, high = Interval.of(found)
    return Interval(max(low - unsure, 0.0), max(middle, 0.0), max(high + unsure, 0.0))


def growth(runs: Sequence[Times]) -> float:
    """Return by what time grew when the work was doubled.

    Of each size, the least time counts: an interruption makes one longer and never shorter.
    """
    once = min(run.least(doubled=False) for run in runs)
    twice = min(run.least(doubled=True) for run in runs)
    # Less than a nanosecond is not seen, so nothing grows from there.
    return 2 * twice / max(once, 1 / runs[0].turns)


def cost(
    runs: Sequence[Times],
    loops: Sequence[Times],
    empties: Sequence[Sequence[int]],
    *,
    native: bool,
    waits: bool = False,
    least: float = 0.0,
) -> Cost:
    """Return what an operation costs, and whether that can be believed.

    Args:
        runs: What each process found for the operation.
        loops: What each of them found for the loop around it.
        empties: What the clock and one turn of the loop take in each, in order of size.
        native: Whether the loop is one that the processor may do meanwhile.
        waits: Whether to be interrupted is a part of the operation.
        least: The nanoseconds that it cannot take less than.
    """
    time = without_loop(runs, loops, native=native, waits=waits)
    of_each = Interval.of(growth([run]) for run in runs)
    of_all = growth(runs)
    low, high = GROWTH_OF_WAITING if waits else GROWTH
    fault = None
    # Both have to say so: few measurements of each process can mislead, and so can a single one.
    if not low <= of_all <= high and (of_each.high < low or of_each.low > high):
        fault = f"twice the work took {of_all:.2f} times as long"
    elif time.high < least:
        fault = "faster than the processor can be"
    return Cost(time, first_time(runs, empties), of_each, fault)
