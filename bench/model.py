"""The parts of a row of the table: cases that do the same work, under conditions, with bars."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Protocol

Call = Callable[[Any], object]
"""The timed part: takes the row's input and returns what was made of it."""

OURS = "penstock"


@dataclass(frozen=True, slots=True)
class Case:
    """One competitor.

    `make` is called with the variant's name outside the timed part, imports what it needs, and
    returns the call to time. `modules` are what must be importable, or the case is left out.
    A case that is not `checked`, such as the floor, does not read the input.
    """

    name: str
    make: Callable[[str], Call]
    modules: tuple[str, ...] = ()
    checked: bool = True


@dataclass(frozen=True, slots=True)
class Statement:
    """A call that is too short to be timed through a function of ours: a line of a program.

    `text` is about one item of the input, `data`. It is an expression, unless nothing is compared.
    """

    text: str
    names: dict[str, Any]

    def __call__(self, items: list[Any]) -> list[object]:
        """Return the statement's value for each item."""
        scope = dict(self.names)
        made = []
        for item in items:
            scope["data"] = item
            try:
                made.append(eval(self.text, scope))
            except SyntaxError:
                exec(self.text, scope)
        return made


@dataclass(frozen=True, slots=True)
class Variant:
    """One column: a condition under which every case is measured.

    With `collector` off, the garbage collector is off for all. `most` limits the rounds of long
    cases; `quick` tells whether `--quick` measures it at all.
    """

    name: str
    collector: bool = True
    most: int = 1_000
    quick: bool = True


@dataclass(frozen=True, slots=True)
class Input:
    """The argument of the timed call, and a small one of the same shape to warm the code up."""

    data: Any
    small: Any = None


class Medians(Protocol):
    """Looks up a median; KeyError if that was not measured."""

    def __call__(self, case: str, variant: str, metric: str = "ms") -> float:
        """Return the median of all rounds."""


@dataclass(frozen=True, slots=True)
class Bar:
    """A promise: a number computed from the medians, and the limit it has to keep."""

    text: str
    value: Callable[[Medians], float]
    limit: float
    at_least: bool
    unit: str = "x"

    def kept(self, value: float) -> bool:
        """Tell whether the value keeps the promise."""
        return value >= self.limit if self.at_least else value <= self.limit


def faster(than: str, variant: str, times: float, ours: str = OURS) -> Bar:
    """Promise that penstock, or a case of its own, is at least `times` faster than a peer."""
    said = "faster" if ours == OURS else f"{ours} faster"
    return Bar(
        f"{said} than {than}, {variant}",
        lambda median: median(than, variant) / median(ours, variant),
        times,
        at_least=True,
    )


def within(times: float, of: str, variant: str) -> Bar:
    """Promise that penstock takes at most `times` the time of another case."""
    return Bar(
        f"of {of}, {variant}",
        lambda median: median(OURS, variant) / median(of, variant),
        times,
        at_least=False,
    )


NAMES = {"first ms": "first record", "MiB": "peak memory"}
"""What a bar calls a metric; the others are what the row is about."""


def below(limit: float, metric: str, variant: str, unit: str, case: str = OURS) -> Bar:
    """Promise an absolute limit for one of penstock's metrics."""
    name = NAMES.get(metric, case)
    return Bar(
        ", ".join(part for part in (name, variant) if part),
        lambda median: median(case, variant, metric),
        limit,
        at_least=False,
        unit=unit,
    )


@dataclass(frozen=True, slots=True)
class Row:
    """One piece of work, done by every case under every variant.

    `measure` names a function of `measuring`. `values` turns a result into the values that must be
    equal for all checked cases; it is None if results cannot be compared. With `together`, the
    cases share one process per round and repeat; otherwise each has a fresh process per round.
    """

    key: str
    title: str
    variants: tuple[Variant, ...]
    cases: tuple[Case, ...]
    source: Callable[[str], Input]
    values: Callable[[Any], Iterable[object]] | None
    bars: tuple[Bar, ...] = ()
    measure: str = "bulk"
    metrics: tuple[str, ...] = ("ms",)
    together: bool = False
    same: tuple[str, ...] = ()
    """Variants that need no check of their own, since another's input is the same."""


BOTH_COLLECTORS = (Variant("collector on"), Variant("collector off", collector=False))
