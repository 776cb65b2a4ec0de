"""From times to costs: subtracts the loop, and claims no more than is known.

Everything is an interval. Each process has one value for a row, the median of its rounds; the
row's interval reaches from the least of these to the greatest. This assumes nothing about the
distribution of times: the true median over processes is outside the range of seven of them once in
64 times. The uncertainty of the loop makes the interval wider:

- the loop's own cost has an interval, found in the same way, and half its width is added at both
  ends;
- a processor may run the loop of a native row while it waits for the operation, and then there is
  nothing to subtract: so the upper end is that of the time with the loop.
"""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

GROWTH = (1.8, 2.2)
"""The factor by which time may grow if the work doubles."""

GROWTH_OF_WAITING = (1.5, 3.0)
"""The same for operations that wait, whose least time is a matter of luck."""


class Interval(NamedTuple):
    """A value with its interval, in the unit of the values."""

    low: float
    middle: float
    high: float

    @classmethod
    def of(cls, values: Iterable[float]) -> Interval:
        """Return the median of values, with the range of all of them."""
        ordered = sorted(values)
        return cls(ordered[0], median(ordered), ordered[-1])

    @property
    def spread(self) -> float:
        """The distance of the farther end, as a part of the middle."""
        return max(self.high - self.middle, self.middle - self.low) / self.middle

    def meets(self, other: Interval) -> bool:
        """Whether the two intervals overlap."""
        return self.low <= other.high and other.low <= self.high


class Times(NamedTuple):
    """The results of one process for a row."""

    turns: int
    """The turns of the smaller measurements; the larger ones have twice as many."""

    per_turn: int
    """How often a turn does the operation."""

    first: int
    """The nanoseconds of the process's first turn."""

    times: Sequence[tuple[int, int, bool]]
    """Measurements: turns, nanoseconds, and whether the thread kept the processor."""

    def turn(self, *, waits: bool) -> float:
        """Return the nanoseconds of one turn: the median of the uninterrupted measurements.

        Interruptions are part of operations that wait, so there all measurements count. If all were
        interrupted, the least counts: an interruption makes a time longer and never shorter.
        """
        counted = [time / turns for turns, time, peaceful in self.times if peaceful or waits]
        return median(counted) if counted else min(time / turns for turns, time, _ in self.times)

    def least(self, *, doubled: bool) -> float:
        """Return the least nanoseconds of a turn, of the measurements of one of the two sizes."""
        many = 2 * self.turns if doubled else self.turns
        return min(time / many for turns, time, _ in self.times if turns == many)


class Cost(NamedTuple):
    """The result for a row."""

    time: Interval
    """Nanoseconds for one operation. If the low end is zero, only the upper end is known."""

    first: Interval | None
    """Nanoseconds of the first one in a process; None if it is too short to measure."""

    growth: Interval
    """The factor by which time grew when the work was doubled."""

    fault: str | None
    """Why the time should not be believed, if it should not."""


def without_loop(
    runs: Sequence[Times], loops: Sequence[Times], *, native: bool, waits: bool
) -> Interval:
    """Return the nanoseconds of an operation: see the docstring of this module."""
    per_turn = runs[0].per_turn
    turns = [run.turn(waits=waits) for run in runs]
    around = [loop.turn(waits=False) for loop in loops]
    low, middle, high = Interval.of(turn - loop for turn, loop in zip(turns, around, strict=True))
    unsure = (max(around) - min(around)) / 2
    # Times are whole nanoseconds, so a part below one nanosecond in all turns is unknown too.
    step = 1 / min(run.turns for run in runs)
    high = max(high + unsure, max(turns) if native else unsure, step)
    return Interval(max(low - unsure, 0.0) / per_turn, max(middle, 0.0) / per_turn, high / per_turn)


def first_time(runs: Sequence[Times], empties: Sequence[Sequence[int]]) -> Interval | None:
    """Return the time of the first operation, without the clock and the loop.

    If a turn has several operations there is none, because the turn includes the second already.
    """
    if runs[0].per_turn > 1:
        return None
    found = [run.first - median(empty) for run, empty in zip(runs, empties, strict=True)]
    unsure = max(median(empty) - empty[0] for empty in empties)
    low, middle, high = Interval.of(found)
    return Interval(max(low - unsure, 0.0), max(middle, 0.0), max(high + unsure, 0.0))


def growth(runs: Sequence[Times]) -> float:
    """Return the factor by which time grew when the work was doubled.

    For each size, the least time counts: an interruption makes one longer and never shorter.
    """
    once = min(run.least(doubled=False) for run in runs)
    twice = min(run.least(doubled=True) for run in runs)
    # The clock does not show less than a nanosecond, so there is no growth from there.
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
    """Return the cost of an operation, and whether to believe it.

    Args:
        runs: The results of each process for the operation.
        loops: Their results for the loop around it.
        empties: The time of the clock and one turn of the loop in each, in order of size.
        native: Whether the processor may run the loop meanwhile.
        waits: Whether interruptions are part of the operation.
        least: The least nanoseconds that it can take.
    """
    time = without_loop(runs, loops, native=native, waits=waits)
    of_each = Interval.of(growth([run]) for run in runs)
    of_all = growth(runs)
    low, high = GROWTH_OF_WAITING if waits else GROWTH
    fault = None
    # Both must agree: few measurements of each process can mislead, and so can a single one.
    if not low <= of_all <= high and (of_each.high < low or of_each.low > high):
        fault = f"twice the work took {of_all:.2f} times as long"
    elif time.high < least:
        fault = "faster than the processor can be"
    return Cost(time, first_time(runs, empties), of_each, fault)
