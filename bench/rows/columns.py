"""Records into Arrow columns, from a path: all batches are made, and dropped.

The peers read with one thread, as Penstock does. Their schema is found from a part of the file, or
given; Penstock's is that of the class.
"""

# ruff: noqa: PLC0415 - each process imports only what it measures
from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import inputs
import tables
from model import OURS, Bar, Case, Input, Row, Variant, below, faster
from tables import Size, Town

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from model import Call

LINES = 61
"""Megabytes of city records, one on a line."""
TABLES = ("all columns", "two of eight columns")


@dataclass(slots=True)
class City:
    """All members of a city record."""

    geonameid: int
    name: str
    latitude: float
    longitude: float
    countrycode: str
    population: int
    timezone: str
    admin1code: str
    alternatenames: list[str]


def lines(_: str) -> Input:
    """Return the path of city records."""
    return Input(inputs.grown(LINES, "lines"))


def table(_: str) -> Input:
    """Return the path of the table of cities."""
    return Input(tables.table("cities"))


def penstock(cls: type | None, variant: str) -> Call:
    """Penstock, into the columns of a class."""
    import penstock

    into: Any = cls or (Town if variant == TABLES[0] else Size)

    def call(path: Path) -> Iterable[object]:
        return penstock.read(path, into).columns()

    return call


def pyarrow_lines(_: str) -> Call:
    """Pyarrow, from lines."""
    from pyarrow import json

    options = json.ReadOptions(use_threads=False)
    return lambda path: iter([json.read_json(path, read_options=options)])


def pyarrow_table(variant: str) -> Call:
    """Pyarrow, from a table."""
    from pyarrow import csv

    options = csv.ReadOptions(use_threads=False)
    chosen = None if variant == TABLES[0] else ["name", "population"]
    convert = csv.ConvertOptions(include_columns=chosen)
    return lambda path: iter([csv.read_csv(path, read_options=options, convert_options=convert)])


def one_thread() -> Any:
    """Return polars with one thread."""
    import os

    os.environ["POLARS_MAX_THREADS"] = "1"
    import polars as pl

    return pl


def polars_lines(_: str) -> Call:
    """Polars, from lines."""
    polars = one_thread()
    return lambda path: iter([polars.read_ndjson(path)])


def polars_table(variant: str) -> Call:
    """Polars, from a table."""
    polars = one_thread()
    chosen = None if variant == TABLES[0] else ["name", "population"]
    types = {"admin1code": polars.String}
    return lambda path: iter([polars.read_csv(path, columns=chosen, schema_overrides=types)])


def bars(variant: str, times: float) -> tuple[Bar, ...]:
    """Promise that Penstock is faster than both."""
    return tuple(faster(peer, variant, times) for peer in ("pyarrow", "polars"))


NOWHERE = "/dev/null"
FROM = "from pyarrow's table"


def written(write: Any, to: str, _: str) -> Call:
    """Read the table of cities, and return the call that writes it."""
    from pyarrow import csv

    table = csv.read_csv(tables.table("cities"))
    call = write(table, to)
    return lambda _: call()


def write_penstock(table: Any, to: Any) -> Any:
    """Penstock."""
    import penstock

    return lambda: penstock.convert(table, NOWHERE, to=to)


def write_polars(table: Any, to: str) -> Any:
    """Polars, from its own frame of the same table."""
    frame = one_thread().from_arrow(table)
    return partial(frame.write_ndjson if to == "ndjson" else frame.write_csv, NOWHERE)


def write_duckdb(table: Any, to: str) -> Any:
    """DuckDB."""
    import duckdb

    connection = duckdb.connect(config={"threads": 1})
    connection.register("given", table)
    form = "json" if to == "ndjson" else "csv"
    return lambda: connection.execute(f"copy given to '{NOWHERE}' (format {form})")


def write_pyarrow(table: Any, _: str) -> Any:
    """Pyarrow, which writes no lines of JSON."""
    from pyarrow import csv

    return lambda: csv.write_csv(table, NOWHERE)


OUT = {OURS: write_penstock, "polars": write_polars, "duckdb": write_duckdb}


ROWS = (
    *(
        Row(
            f"columns-to-{to}",
            f"the table of cities out of columns to {title}",
            (Variant(FROM, most=3),),
            tuple(Case(name, partial(written, write, to), (name,)) for name, write in out.items()),
            table,
            None,
            tuple(faster(peer, FROM, 1) for peer in out if peer != OURS),
        )
        for to, title, out in (
            ("ndjson", "NDJSON", OUT),
            ("csv", "CSV", {**OUT, "pyarrow": write_pyarrow}),
        )
    ),
    Row(
        "columns-lines",
        "61 MB of city records into columns",
        (Variant("one thread", most=3),),
        (
            Case(OURS, partial(penstock, City), (OURS,)),
            Case("pyarrow", pyarrow_lines, ("pyarrow",)),
            Case("polars", polars_lines, ("polars",)),
        ),
        lines,
        None,
        (*bars("one thread", 1.5), below(64, "MiB", "one thread", "MiB")),
        measure="stream",
        metrics=("ms", "first ms", "MiB"),
    ),
    Row(
        "columns-table",
        "120 MB of CSV into columns",
        tuple(Variant(name, most=3) for name in TABLES),
        (
            Case(OURS, partial(penstock, None), (OURS,)),
            Case("pyarrow", pyarrow_table, ("pyarrow",)),
            Case("polars", polars_table, ("polars",)),
        ),
        table,
        None,
        (
            *(bar for name in TABLES for bar in bars(name, 1.3)),
            below(64, "MiB", TABLES[0], "MiB"),
        ),
        measure="stream",
        metrics=("ms", "first ms", "MiB"),
    ),
)
