"""A file behind a server that is 45 ms away: ranges of it, and its records in order."""

# ruff: noqa: PLC0415 - each process imports only what it measures
from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import behind
import classes
import inputs
from classes import City
from model import OURS, Case, Input, Row, Variant, faster

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from model import Call

RANGES = 100
LENGTH = 14_000
"""So many ranges of so many bytes each."""

FLYING = (1, 2, 4, 6, 8)
MEGABYTES = 40


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
)
