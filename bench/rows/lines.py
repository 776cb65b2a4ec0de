"""NDJSON from a file, plain and compressed: each competitor in the way its users do it."""

# ruff: noqa: PLC0415 - each process imports only what it measures
from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO

import classes
import inputs
from classes import City
from model import OURS, Case, Input, Row, Variant, below

from rows.streams import METRICS, values

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from model import Call


def source(variant: str) -> Input:
    """Return the path of 100 MB of lines, compressed or not."""
    lines = inputs.grown(100, "lines")
    return Input(inputs.zipped(lines) if variant == "gz" else lines)


def opened(path: Path) -> BinaryIO:
    """Open the file by its suffix."""
    if path.suffix == ".gz":
        import gzip

        return gzip.open(path, "rb")  # type: ignore[return-value]
    return path.open("rb")


def penstock(_: str) -> Call:
    """Penstock, which recognises gzip by itself."""
    import penstock.ndjson

    return lambda path: penstock.ndjson.read(path, City)


def whole(_: str) -> Call:
    """Msgspec's own way: all lines in memory, all objects at once."""
    import msgspec

    decode: Call = msgspec.json.Decoder(classes.struct(City)).decode_lines
    return lambda path: decode(opened(path).read())


def msgspec_line(_: str) -> Call:
    """Msgspec line by line, in constant memory."""
    import msgspec

    decode: Call = msgspec.json.Decoder(classes.struct(City)).decode
    return lambda path: map(decode, opened(path))


def orjson_line(_: str) -> Call:
    """Orjson line by line, to dicts."""
    import orjson

    return lambda path: map(orjson.loads, opened(path))


def orjson_class(_: str) -> Call:
    """Orjson line by line, with the class called for each."""
    import orjson

    def call(path: Path) -> Iterable[City]:
        return (City(**orjson.loads(line)) for line in opened(path))

    return call


ROWS = (
    Row(
        "lines",
        "100 MB of NDJSON city records from a file",
        (Variant("plain", most=3), Variant("gz", most=3)),
        (
            Case(OURS, penstock, (OURS,)),
            Case("msgspec decode_lines", whole, ("msgspec",)),
            Case("msgspec line by line", msgspec_line, ("msgspec",)),
            Case("orjson line by line", orjson_line, ("orjson",)),
            Case("orjson + City(**row)", orjson_class, ("orjson",)),
        ),
        source,
        values,
        (below(20, "first ms", "plain", "ms"), below(32, "MiB", "plain", "MiB")),
        measure="stream",
        metrics=METRICS,
        same=("gz",),
    ),
)
