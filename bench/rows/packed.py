"""Compressed files by their path: a second thread decompresses while the first parses."""

# ruff: noqa: PLC0415 - each process imports only what it measures
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import inputs
import markup
from classes import City
from model import OURS, Bar, Case, Input, Row, Variant

from rows import columns

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from model import Call, Medians

ALONE = "one thread"
PARSING = "parsing alone"
VARIANTS = tuple(
    f"{packing}, {form}"
    for packing in ("gzip", "zstd")
    for form in ("lines to objects", "lines to columns", "XML to objects")
)


def zstd(path: Path) -> Path:
    """Return the file compressed by zstd at its usual level."""
    import pyarrow as pa

    def write(target: Path) -> None:
        with path.open("rb") as source, pa.CompressedOutputStream(str(target), "zstd") as out:
            out.upload(source)

    return inputs.cached(f"{path.name}.zst", write)


def source(variant: str) -> Input:
    """Return the path of 100 MB of text, compressed."""
    packing, form = variant.split(", ")
    is_markup = form.startswith("XML")
    path = markup.grown("pubmed", 100) if is_markup else inputs.grown(100, "lines")
    return Input(inputs.zipped(path) if packing == "gzip" else zstd(path))


def reader(variant: str) -> Call:
    """Read a source into what the variant names."""
    import penstock

    if "XML" in variant:
        found = markup.KINDS["pubmed"]
        # The same articles again and again: zstd finds them all.
        limits = penstock.Limits(ratio=100_000)
        return lambda path: penstock.xml.read(path, found.cls, at=found.path, limits=limits)

    def call(source: Any) -> Iterable[object]:
        if "columns" in variant:
            return penstock.ndjson.read(source, columns.City).columns()
        return penstock.ndjson.read(source, City)

    return call


def alone(variant: str) -> Call:
    """Read the file as an object of Python, for which there is no second thread."""
    call = reader(variant)
    return lambda path: call(path.open("rb"))


def parsing(variant: str) -> Call:
    """Read the file that is not compressed."""
    call = reader(variant)
    return lambda path: call(path.with_suffix(""))


def beside_the_longer(variant: str) -> Bar:
    """Promise hardly more than the longer of decompressing alone and parsing alone."""

    def value(median: Medians) -> float:
        parses = median(PARSING, variant)
        return median(OURS, variant) / max(parses, median(ALONE, variant) - parses)

    return Bar(f"of the longer of both alone, {variant}", value, 1.1, at_least=False)


ROWS = (
    Row(
        "packed",
        "100 MB of records from a compressed file",
        tuple(Variant(name, most=3) for name in VARIANTS),
        (
            Case(OURS, reader, (OURS,)),
            Case(ALONE, alone, (OURS,)),
            Case(PARSING, parsing, (OURS,)),
        ),
        source,
        None,
        tuple(beside_the_longer(name) for name in VARIANTS),
        measure="stream",
        metrics=("ms", "first ms", "MiB"),
    ),
)
