"""Records at 1,000 random places of an NDJSON file, from its path, with all reading for them."""

# ruff: noqa: PLC0415 - each process imports only what it measures
from __future__ import annotations

import random
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import inputs
from model import OURS, Case, Input, Row, Variant, below, faster

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from model import Call

PLACES = 1_000
SIZES = {"100 MB": 100, "1 GB": 1_000, "1 GB, index kept": 1_000}


def source(variant: str) -> Input:
    """Return the path of a grown file, and a small one."""
    return Input(inputs.grown(SIZES[variant], "lines"), inputs.grown(1, "lines"))


def chosen(count: int) -> list[int]:
    """Return the same random places for everyone."""
    chance = random.Random(1_000)
    return [chance.randrange(count) for _ in range(PLACES)]


def penstock(variant: str) -> Call:
    """Penstock: an index of the whole file, or one that was kept beside it."""
    import penstock.ndjson

    keeps = variant.endswith("kept")
    if keeps:
        penstock.ndjson.open(source(variant).data, index=True).close()

    def call(path: Path) -> list[Any]:
        with penstock.ndjson.open(path, index=keeps) as rows:
            return [rows[place] for place in chosen(len(rows))]

    return call


def offsets(_: str) -> Call:
    """Return the common recipe: the length of each line, a `seek`, and orjson."""
    import orjson

    def call(path: Path) -> list[Any]:
        with path.open("rb") as file:
            starts = list(accumulate(map(len, file), initial=0))[:-1]
            found = []
            for place in chosen(len(starts)):
                file.seek(starts[place])
                found.append(orjson.loads(file.readline()))
            return found

    return call


def polars(_: str) -> Call:
    """Polars, which makes columns of the whole file."""
    import polars as pl

    def call(path: Path) -> list[Any]:
        frame = pl.read_ndjson(path)
        return frame[chosen(len(frame))].to_dicts()

    return call


def values(made: Any) -> Iterable[object]:
    """Return the values, sorted by key."""
    return [value for record in made for _, value in sorted(record.items())]


ROWS = (
    Row(
        "places",
        "NDJSON city records: the file opened, indexed, and read at 1,000 random places",
        (
            Variant("100 MB"),
            Variant("1 GB", most=3, quick=False),
            Variant("1 GB, index kept", most=3, quick=False),
        ),
        (
            Case(OURS, penstock, (OURS,)),
            Case("offsets + orjson", offsets, ("orjson",)),
            Case("polars", polars, ("polars",)),
        ),
        source,
        values,
        (faster("offsets + orjson", "1 GB", 1), below(32, "MiB", "1 GB", "MiB")),
        metrics=("ms", "MiB"),
        same=("1 GB", "1 GB, index kept"),
    ),
)
