"""Rows at 1,000 random places of a CSV file, and rows by the text of a column, from its path."""

# ruff: noqa: PLC0415 - each process imports only what it measures
from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import inputs
from model import OURS, Case, Input, Row, Variant, below, faster

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from model import Call

PLACES = 1_000
SIZES = {"100 MB": 100, "1 GB": 1_000, "1 GB, index kept": 1_000}


def source(variant: str) -> Input:
    """Return the path of a grown table, and a small one."""
    return Input(inputs.grown_table(SIZES[variant]), inputs.grown_table(1))


def chosen(count: int) -> list[int]:
    """Return the same random places for everyone."""
    chance = random.Random(1_000)
    return [chance.randrange(count) for _ in range(PLACES)]


def penstock(variant: str) -> Call:
    """Penstock: an index of the whole file, or one that was kept beside it."""
    import penstock.csv

    keeps = variant.endswith("kept")
    if keeps:
        penstock.csv.open(source(variant).data, index=True).close()

    def call(path: Path) -> list[Any]:
        with penstock.csv.open(path, index=keeps) as rows:
            return [rows[place] for place in chosen(len(rows))]

    return call


def table(path: Path) -> tuple[list[str], list[int]]:
    """Return the header, and the offset of each row, as `csv.reader` finds them."""
    import csv

    at = 0

    def lines() -> Iterator[str]:
        nonlocal at
        with path.open("rb") as file:
            for line in file:
                at += len(line)
                yield line.decode()

    reader = csv.reader(lines())
    header = next(reader)
    starts = [at, *(at for _ in reader)]
    starts.pop()
    return header, starts


def offsets(_: str) -> Call:
    """Return the common recipe: `csv.reader` over the file, the place of each row, a `seek`."""
    import csv

    def call(path: Path) -> list[Any]:
        header, starts = table(path)
        found = []
        with path.open("rb") as file:
            for place in chosen(len(starts)):
                file.seek(starts[place])
                row = next(csv.reader(line.decode() for line in file))
                found.append(dict(zip(header, row, strict=True)))
        return found

    return call


def polars(_: str) -> Call:
    """Polars, which makes columns of the whole file."""
    import polars as pl

    def call(path: Path) -> list[Any]:
        frame = pl.read_csv(path, infer_schema=False, empty_string_is_null=False)
        return frame[chosen(len(frame))].to_dicts()

    return call


def penstock_by(_: str) -> Call:
    """Penstock: rows by their country."""
    import penstock.csv

    def call(path: Path) -> list[Any]:
        with penstock.csv.open(path) as rows:
            return list(rows.index(by="name")["Santa Rosa"])

    return call


def offsets_by(_: str) -> Call:
    """Return the common recipe: a dict of the rows' places by the cells of `csv.reader`."""
    import csv

    def call(path: Path) -> list[Any]:
        at, found = 0, []
        by_name: dict[str, list[int]] = {}
        with path.open("rb") as file:

            def lines() -> Iterator[str]:
                nonlocal at
                for line in file:
                    at += len(line)
                    yield line.decode()

            reader = csv.reader(lines())
            header, start = next(reader), at
            column = header.index("name")
            for row in reader:
                by_name.setdefault(row[column], []).append(start)
                start = at
            for start in by_name["Santa Rosa"]:
                file.seek(start)
                row = next(csv.reader(line.decode() for line in file))
                found.append(dict(zip(header, row, strict=True)))
        return found

    return call


def values(made: Any) -> Iterable[object]:
    """Return the values, sorted by key."""
    return [value for record in made for _, value in sorted(record.items())]


ROWS = (
    Row(
        "rows-at",
        "CSV city rows: the file opened, indexed, and read at 1,000 random places",
        (
            Variant("100 MB"),
            Variant("1 GB", most=3, quick=False),
            Variant("1 GB, index kept", most=3, quick=False),
        ),
        (
            Case(OURS, penstock, (OURS,)),
            Case("csv.reader + offsets", offsets, ()),
            Case("polars", polars, ("polars",)),
        ),
        source,
        values,
        (faster("csv.reader + offsets", "1 GB", 4), below(32, "MiB", "1 GB", "MiB")),
        metrics=("ms", "MiB"),
        same=("1 GB", "1 GB, index kept"),
    ),
    Row(
        "rows-by",
        "CSV city rows: the file opened, indexed by a column, and the rows of one name",
        (Variant("100 MB"), Variant("1 GB", most=3, quick=False)),
        (
            Case(OURS, penstock_by, (OURS,)),
            Case("csv.reader + dict", offsets_by, ()),
        ),
        source,
        values,
        (faster("csv.reader + dict", "1 GB", 3),),
        metrics=("ms", "MiB"),
    ),
)
