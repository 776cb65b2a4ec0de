"""The cost of reading the time in Python, and the cost of a reader's `timing`."""

# ruff: noqa: PLC0415 - each process imports only what it measures
from __future__ import annotations

from functools import partial
from itertools import repeat
from typing import TYPE_CHECKING

import inputs
from classes import City
from classes import Row as Record
from model import OURS, Case, Input, Row, Variant, within

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from model import Call

READS = 200_000


def calls(function: Callable[[], int]) -> Call:
    """Return a call that calls it that many times, in a loop that costs next to nothing."""

    def call(_: object) -> None:
        for _ in repeat(None, READS):
            function()

    return call


def penstock(variant: str) -> Call:
    """Penstock's clocks."""
    from penstock import clock

    return calls(clock.wall_ns if variant == "wall" else clock.mono_ns)


def standard(variant: str) -> Call:
    """Return the standard library's."""
    import time

    return calls(time.time_ns if variant == "wall" else time.monotonic_ns)


def lines(variant: str) -> Input:
    """Return a path of records, of three fields or of nine."""
    return Input(
        inputs.objects(distinct=False) if variant == "small" else inputs.grown(100, "array")
    )


def reader(timing: bool, variant: str) -> Call:
    """Read a path; as everybody does, or with a reader that does not measure the time."""
    from penstock import _rust
    from penstock._io import formats as _formats

    into = Record if variant == "small" else City
    rest = (
        None,
        "raise",
        100,
        "last",
        "skip",
        False,
        None,
        _formats.GRAMMAR["json"],
        "infer",
        None,
    )

    def call(path: Path) -> int:
        with path.open("rb", buffering=0) as file:
            return sum(1 for _ in _rust.Reader("json", file, into, *rest, None, timing))

    return call


ROWS = (
    Row(
        "clock",
        "200,000 readings of the time, the calls included",
        (Variant("wall"), Variant("mono")),
        (Case(OURS, penstock, (OURS,)), Case("time", standard)),
        lambda _: Input(None),
        None,
        (within(1.0, "time", "wall"), within(1.0, "time", "mono")),
        measure="repeated",
        together=True,
    ),
    Row(
        "timing",
        "JSON records from a file: what Reader.timing costs",
        (Variant("small"), Variant("cities")),
        (
            Case(OURS, partial(reader, True), (OURS,)),
            Case("without timing", partial(reader, False), (OURS,)),
        ),
        lines,
        lambda count: [count],
        (within(1.02, "without timing", "small"), within(1.02, "without timing", "cities")),
        measure="repeated",
        together=True,
    ),
)
