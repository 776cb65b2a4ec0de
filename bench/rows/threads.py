"""Two threads beside one, over one file, in a process that has read it once before.

All batches are made, and dropped. Both cases share a process, so what it takes to start one, or to
load a library, is no part of the time.
"""

# ruff: noqa: PLC0415 - each process imports only what it measures
from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import inputs
import markup
import tables
from model import OURS, Case, Input, Row, Variant, faster
from tables import Size, Town

from rows import plist
from rows.columns import City

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path
    from typing import Any

    from model import Call

TRACKS = 500_000
HEALTH = markup.KINDS["health"]

READ: dict[str, tuple[Callable[[], Path], type, str | None]] = {
    "200 MB of XML": (partial(markup.grown, "health", 200), HEALTH.cls, HEALTH.path),
    "100 MB of one JSON array": (partial(inputs.grown, 100, "array"), City, None),
    "61 MB of NDJSON": (partial(inputs.grown, 61, "lines"), City, None),
    "120 MB of CSV": (partial(tables.table, "cities"), Town, None),
    "two of eight columns of it": (partial(tables.table, "cities"), Size, None),
    "half a million tracks of a property list": (
        partial(plist.tracks, "binary", TRACKS),
        plist.Track,
        None,
    ),
}
"""The file, the class and the path of what each variant reads."""

ONE = "one thread"


def source(variant: str) -> Input:
    """Return the path of the file. It is also what warms the process up."""
    path = READ[variant][0]()
    return Input(path, path)


def reading(threads: int, variant: str) -> Call:
    """Penstock, with so many threads."""
    import penstock

    _, into, at = READ[variant]

    def call(path: Path) -> Iterable[object]:
        rows = [len(batch) for batch in penstock.columns(path, into, at=at, threads=threads)]
        return iter(rows)

    return call


def rows_of(result: Any) -> Iterable[object]:
    """Return how many rows each batch has."""
    return list(result)


ROWS = (
    Row(
        "threads",
        "one file into columns with two threads",
        tuple(Variant(name, most=5) for name in READ),
        (Case(OURS, partial(reading, 2)), Case(ONE, partial(reading, 1))),
        source,
        rows_of,
        tuple(faster(ONE, name, 1.7) for name in READ),
        together=True,
    ),
)
