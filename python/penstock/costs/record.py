"""What was measured, as an object and as JSON: kept, printed, drawn and compared."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import penstock
from penstock.costs.machine import Machine
from penstock.costs.rows import ROWS
from penstock.costs.statistics import Interval

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.costs.rows import Row
    from penstock.costs.statistics import Cost, Times

_STATEMENTS = {row.name for row in ROWS if row.statement}

VERSION = 1
"""The form of the JSON. A record of another is refused."""


class NoRecord(Exception):
    """A file is no record of `penstock costs`; the message says why."""


@dataclass(slots=True)
class Span:
    """Nanoseconds, and the interval in which they lie."""

    ns: float
    low: float
    high: float

    def __post_init__(self) -> None:
        if not 0 <= self.low <= self.ns <= self.high < math.inf:
            raise ValueError("its ends must be around it, and none below zero")

    @classmethod
    def of(cls, interval: Interval) -> Span:
        """Keep as many digits as anybody could want."""
        low, middle, high = (float(f"{value:.4g}") for value in interval)
        return cls(middle, low, high)

    @property
    def interval(self) -> Interval:
        """The same to calculate with."""
        return Interval(self.low, self.ns, self.high)

    @property
    def is_bound(self) -> bool:
        """Whether no more is known than that it takes less than the upper end."""
        return self.low <= 0.0


@dataclass(slots=True)
class Measurement:
    """A row of the table."""

    name: str
    group: str
    time: Span | None
    """What one operation takes; None if it could not be measured, and `fault` says why."""

    first: Span | None
    """What it took the first time in a process; None if that cannot be told apart."""

    growth: list[float] | None
    """By what time grew when the work was doubled: low, middle and high."""

    turns: int
    """Turns of the loop in the smaller of two measurements, in the last process."""

    measurements: int
    """How many there were, over all processes."""

    interrupted: int
    """In how many of these the processor was taken away."""

    fault: str | None
    """Why the time is not to be believed, if it is not."""

    @classmethod
    def of(cls, row: Row, found: Cost, runs: Sequence[Times]) -> Measurement:
        """Return what was found for a row."""
        times = [time for run in runs for time in run.times]
        return cls(
            row.name,
            row.group,
            Span.of(found.time),
            Span.of(found.first) if found.first else None,
            [round(value, 3) for value in found.growth],
            runs[-1].turns,
            len(times),
            sum(not peaceful for _, _, peaceful in times),
            found.fault,
        )

    @classmethod
    def missing(cls, row: Row, why: str) -> Measurement:
        """Return what is left of a row that cannot be measured here."""
        return cls(row.name, row.group, None, None, None, 0, 0, 0, f"not measured: {why}")

    @property
    def is_python(self) -> bool:
        """Whether it is a statement of Python; else it is native, or not known any more."""
        return self.name in _STATEMENTS

    @property
    def ns(self) -> float | None:
        """The nanoseconds to calculate with; None if they are not to be believed."""
        return None if self.fault or self.time is None else self.time.ns


@dataclass(slots=True)
class Record:
    """A run: the machine, its state, and the rows."""

    machine: Machine
    rows: list[Measurement]

    def text(self) -> str:
        """Return the record as JSON."""
        return json.dumps({"penstock_costs": VERSION, **asdict(self)}, indent=1) + "\n"

    @classmethod
    def read(cls, data: bytes) -> Record:
        """Return the record that JSON holds.

        Raises:
            NoRecord: It holds none.
        """
        try:
            found = penstock.json.decode(data, _File)
        except penstock.DecodeError as error:
            raise NoRecord(str(error)) from error
        if found.penstock_costs != VERSION:
            raise NoRecord(f"it has form {found.penstock_costs}, and only {VERSION} is known")
        return cls(found.machine, found.rows)


@dataclass(slots=True)
class _File:
    """A record as it stands in a file."""

    penstock_costs: int
    machine: Machine
    rows: list[Measurement]
