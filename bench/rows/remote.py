"""A file behind a server that is 45 ms away: ranges of it, and its records in order."""

# ruff: noqa: PLC0415 - each process imports only what it measures
from __future__ import annotations

import random
import shutil
import tempfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import behind
import classes
import inputs
from classes import City
from model import OURS, Case, Input, Row, Variant, below, faster, within

if TYPE_CHECKING:
    from collections.abc import Iterable

    from model import Call

RANGES = 100
LENGTH = 14_000
"""So many ranges of so many bytes each."""

FLYING = (1, 2, 4, 6, 8)
MEGABYTES = 40

PLACES = 1_000
GIGABYTE = 1_000
COLUMNS = 200
WIDTHS = {"1 Gbit/s": 125_000_000, "same machine": None}


def source(_: str) -> Input:
    """Return the path of a file of records, one a line."""
    path = inputs.grown(MEGABYTES, "lines")
    return Input(path, path)


def penstock(requests: int, variant: str) -> Call:
    """Penstock with so many requests in flight."""
    import penstock.ndjson
    from penstock.streams import concurrent

    def ranges(path: Path) -> list[bytes]:
        remote = penstock.remote(behind.address(path), requests=requests)

        def ask(number: int) -> bytes:
            return remote.read_range(number * LENGTH, (number + 1) * LENGTH)

        return list(range(RANGES) | concurrent(ask, requests))

    def records(path: Path) -> list[City]:
        remote = penstock.remote(behind.address(path), requests=requests)
        return penstock.ndjson.load(remote, City)

    return ranges if variant == "100 ranges" else records


def urllib(variant: str) -> Call:
    """Urllib, one request after the other; and the lines of one response."""
    from urllib.request import Request, urlopen

    import msgspec

    decode = msgspec.json.Decoder(classes.struct(City)).decode  # type: ignore[misc]

    def asked(path: Path, begin: int, end: int) -> Any:
        headers = {"Range": f"bytes={begin}-{end - 1}"}
        return urlopen(Request(behind.address(path), headers=headers))

    def ranges(path: Path) -> list[bytes]:
        found = []
        for number in range(RANGES):
            with asked(path, number * LENGTH, (number + 1) * LENGTH) as response:
                found.append(response.read())
        return found

    def records(path: Path) -> list[object]:
        with asked(path, 0, 1 << 40) as response:
            return [decode(line) for line in response]

    return ranges if variant == "100 ranges" else records


def of_rows(_: str) -> Input:
    """Return the path of a large file, one record a line."""
    return Input(inputs.grown(GIGABYTE, "lines"))


def chosen(count: int) -> list[int]:
    """Return the same random places for everyone."""
    chance = random.Random(1_000)
    return [chance.randrange(count) for _ in range(PLACES)]


def rows_behind(variant: str) -> Call:
    """Rows of a file behind its address, whose index is kept on this disk."""
    import penstock.ndjson
    from penstock.streams import concurrent

    folder = tempfile.mkdtemp()
    index = Path(folder) / "rows.index"
    path = of_rows(variant).data
    source = penstock.remote(behind.address(path), requests=8)
    penstock.ndjson.open(source, index=index).close()

    def call(_: Path) -> list[Any]:
        try:
            with penstock.ndjson.open(source, index=index) as rows:
                return list(chosen(len(rows)) | concurrent(rows.__getitem__, 8))
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    return call


def rows_by_path(_: str) -> Call:
    """The same rows of the file by its path."""
    import penstock.ndjson

    def call(path: Path) -> list[Any]:
        with penstock.ndjson.open(path) as rows:
            return [rows[place] for place in chosen(len(rows))]

    return call


def of_columns(_: str) -> Input:
    """Return the path of a file, one record a line."""
    return Input(inputs.grown(COLUMNS, "lines"))


class Two(NamedTuple):
    """Two of the nine fields of a city."""

    name: str
    population: int


def columns(variant: str) -> Call:
    """Two columns of a file behind its address, in batches that are dropped."""
    import penstock

    def call(path: Path) -> int:
        remote = penstock.remote(behind.address(path, WIDTHS[variant]))
        return sum(len(batch) for batch in penstock.columns(remote, Two))

    return call


def link(variant: str) -> Call:
    """The same bytes by the same client, with nothing done to them."""
    import penstock

    def call(path: Path) -> int:
        remote = penstock.remote(behind.address(path, WIDTHS[variant]))
        stream, count = remote.open(), 0
        while chunk := stream.read(1 << 20):
            count += len(chunk)
        return count

    return call


def values(made: Any) -> Iterable[object]:
    """Return the ranges, or the values of the records."""
    return made if isinstance(made[0], bytes) else classes.values(made, City)


def name(requests: int) -> str:
    """Return the name of a case."""
    return OURS if requests == 4 else f"{requests} in flight"


ROWS = (
    Row(
        "remote",
        f"A server 45 ms away: {RANGES} ranges of 14 kB; city records in {MEGABYTES} MB of NDJSON",
        (Variant("100 ranges", most=5), Variant("records", most=5)),
        (
            *(Case(name(each), partial(penstock, each), (OURS, "obstore")) for each in FLYING),
            Case("urllib", urllib, ("msgspec",)),
        ),
        source,
        values,
        (faster("1 in flight", "100 ranges", 3.5), faster("urllib", "100 ranges", 3.5)),
        metrics=("ms", "MiB"),
    ),
    Row(
        "remote-rows",
        f"A server 45 ms away: {PLACES:,} random rows of 1 GB of NDJSON, whose index is kept",
        (Variant("random", most=3, quick=False),),
        (
            Case(OURS, rows_behind, (OURS, "obstore")),
            Case("by its path", rows_by_path, (OURS,)),
        ),
        of_rows,
        lambda made: [value for row in made for _, value in sorted(row.items())],
        (below(PLACES, "ranges", "random", "ranges"),),
        measure="asking",
        metrics=("ms", "ranges", "MiB"),
    ),
    Row(
        "remote-columns",
        f"A server 45 ms away: two of nine columns of {COLUMNS} MB of NDJSON, in batches",
        tuple(Variant(width, most=5) for width in WIDTHS),
        (
            Case(OURS, columns, (OURS, "obstore")),
            Case("link", link, (OURS, "obstore"), checked=False),
        ),
        of_columns,
        None,
        (within(1.1, "link", "1 Gbit/s"),),
        measure="asking",
        metrics=("ms", "ranges", "MiB"),
    ),
)
