"""Files read one record at a time, in constant memory.

`stream` reads a top-level array of 10 MB to 1 GB; `stream-object` the members of one object on one
line; `recycling` shows the cost of keeping the records instead of dropping them.
"""

# ruff: noqa: PLC0415 - each process imports only what it measures
from __future__ import annotations

from functools import partial
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

import classes
import inputs
from classes import City
from model import OURS, Case, Input, Row, Variant, below, faster

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from model import Call

SIZES = {"10 MB": 10, "100 MB": 100, "1 GB": 1_000}
VARIANTS = (
    Variant("10 MB"),
    Variant("100 MB", most=3),
    Variant("1 GB", most=2, quick=False),
)
COMPARED = 5_000
"""Records whose values are compared before timing."""


def grown(shape: str, size: str) -> Input:
    """Return the path of a grown file."""
    return Input(inputs.grown(SIZES[size], shape))


def penstock(_: str) -> Call:
    """Penstock over the elements of the array."""
    import penstock.json

    return lambda path: penstock.json.read(path, City)


def penstock_members(_: str) -> Call:
    """Penstock over the members of the object."""
    import penstock.json

    return lambda path: penstock.json.read(path, City, at="*")


def ijson_items(_: str) -> Call:
    """Ijson over the elements, with its fastest backend and floats instead of Decimals."""
    import ijson.backends.yajl2_c as ijson

    return lambda path: ijson.items(path.open("rb"), "item", use_float=True)


def ijson_members(_: str) -> Call:
    """Ijson over the members of the object."""
    import ijson.backends.yajl2_c as ijson

    def call(path: Path) -> Iterable[object]:
        members = ijson.kvitems(path.open("rb"), "", use_float=True)
        return (city for _, city in members)

    return call


def ijson_class(_: str) -> Call:
    """Ijson with the class called for each element: today's replacement for typed streaming."""
    import ijson.backends.yajl2_c as ijson

    def call(path: Path) -> Iterable[City]:
        return (City(**row) for row in ijson.items(path.open("rb"), "item", use_float=True))

    return call


def whole(_: str) -> Call:
    """Msgspec, which needs the whole file in memory and all objects at once."""
    import msgspec

    decode = msgspec.json.Decoder(list[classes.struct(City)]).decode  # type: ignore[misc]
    return lambda path: decode(path.read_bytes())


def values(made: Any) -> Iterable[object]:
    """Return the values of the first records."""
    return classes.values(islice(iter(made), COMPARED), City)


KEEPS = {"none": 0, "every tenth": 10, "all": 1}


def kept(records: Iterable[object], every: int) -> Iterable[object]:
    """Pass the records on and keep some of them until the end."""
    keep = []
    for number, record in enumerate(records):
        if every and number % every == 0:
            keep.append(record)
        yield record


def recycled(variant: str) -> Call:
    """Penstock's iterator, which may fill a record again that nobody kept."""
    import penstock.json

    every = KEEPS[variant.removeprefix("keep ")]
    return lambda path: kept(penstock.json.read(path, City), every)


def batched(variant: str) -> Call:
    """Penstock in batches of 1,000, whose records are never filled again."""
    import penstock.json

    every = KEEPS[variant.removeprefix("keep ")]

    def call(path: Path) -> Iterable[object]:
        return kept(chain.from_iterable(penstock.json.read(path, City).batches(1_000)), every)

    return call


def kept_members(variant: str) -> Call:
    """Ijson, for the same loop over dicts."""
    import ijson.backends.yajl2_c as ijson

    every = KEEPS[variant.removeprefix("keep ")]
    return lambda path: kept(ijson.items(path.open("rb"), "item", use_float=True), every)


METRICS = ("ms", "first ms", "MiB")

ROWS = (
    Row(
        "stream",
        "city records in one array, a record at a time; peak memory over the bare interpreter",
        VARIANTS,
        (
            Case(OURS, penstock, (OURS,)),
            Case("ijson yajl2_c", ijson_items, ("ijson",)),
            Case("ijson + City(**row)", ijson_class, ("ijson",)),
            Case("msgspec, whole file", whole, ("msgspec",)),
        ),
        partial(grown, "array"),
        values,
        (
            faster("ijson yajl2_c", "100 MB", 1),
            *(below(20, "first ms", size, "ms") for size in SIZES),
            *(below(32, "MiB", size, "MiB") for size in SIZES),
        ),
        measure="stream",
        metrics=METRICS,
        same=("100 MB", "1 GB"),
    ),
    Row(
        "stream-object",
        "city records as the members of one object on one line",
        VARIANTS[:2],
        (
            Case(OURS, penstock_members, (OURS,)),
            Case("ijson yajl2_c", ijson_members, ("ijson",)),
        ),
        partial(grown, "object"),
        values,
        (below(20, "first ms", "100 MB", "ms"), below(32, "MiB", "100 MB", "MiB")),
        measure="stream",
        metrics=METRICS,
        same=("100 MB",),
    ),
    Row(
        "recycling",
        "100 MB of city records, some of which the caller keeps",
        tuple(Variant(f"keep {what}", most=3) for what in KEEPS),
        (
            Case(OURS, recycled, (OURS,)),
            Case("penstock, batches", batched, (OURS,)),
            Case("ijson yajl2_c", kept_members, ("ijson",)),
        ),
        lambda _: grown("array", "100 MB"),
        values,
        measure="stream",
        metrics=METRICS,
        same=("keep every tenth", "keep all"),
    ),
)
