"""A run as an object and as JSON, which other modules store, print, draw and compare."""

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
"""The version of the JSON. A record of another version is refused."""


class NoRecord(Exception):
    """A file is not a record of `penstock costs`; the message says why."""


@dataclass(slots=True)
class Span:
    """Nanoseconds with their interval."""

    ns: float
    low: float
    high: float

    def __post_init__(self) -> None:
        if not 0 <= self.low <= self.ns <= self.high < math.inf:
            raise ValueError("its ends must be around it, and none below zero")

    @classmethod
    def of(cls, interval: Interval) -> Span:
        """Round to more digits than anybody needs."""
        low, middle, high = (float(f"{value:.4g}") for value in interval)
        return cls(middle, low, high)

    @property
    def interval(self) -> Interval:
        """The same for calculations."""
        return Interval(self.low, self.ns, self.high)

    @property
    def is_bound(self) -> bool:
        """Whether only the upper end is known."""
        return self.low <= 0.0


@dataclass(slots=True)
class Measurement:
    """A row of the table."""

    name: str
    group: str
    time: Span | None
    """The time of one operation; None if it could not be measured, and `fault` says why."""

    first: Span | None
    """The time of the first one in a process; None if it is too short to measure."""

    growth: list[float] | None
    """The factor by which time grew when the work was doubled: low, middle and high."""

    turns: int
    """Turns of the loop in the smaller of two measurements, in the last process."""

    measurements: int
    """The number of measurements, over all processes."""

    interrupted: int
    """How many of these were interrupted."""

    fault: str | None
    """Why the time should not be believed, if it should not."""

    @classmethod
    def of(cls, row: Row, found: Cost, runs: Sequence[Times]) -> Measurement:
        """Return the result of a row."""
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
        """Return the result of a row that cannot be measured here."""
        return cls(row.name, row.group, None, None, None, 0, 0, 0, f"not measured: {why}")

    @property
    def is_python(self) -> bool:
        """Whether it is a statement of Python; otherwise it is native, or no longer exists."""
        return self.name in _STATEMENTS

    @property
    def ns(self) -> float | None:
        """The nanoseconds for calculations; None if they should not be believed."""
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
        """Return the record in the JSON.

        Raises:
            NoRecord: There is none.
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
    """A record as it is written to a file."""

    penstock_costs: int
    machine: Machine
    rows: list[Measurement]
