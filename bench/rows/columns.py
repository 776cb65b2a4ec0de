"""Records into Arrow columns, from a path: all batches are made, and dropped.

The peers read with as many threads as Penstock does. Their schema is found from a part of the file,
or given; Penstock's is that of the class.
"""

# ruff: noqa: PLC0415 - each process imports only what it measures
from __future__ import annotations

from dataclasses import dataclass, fields
from functools import partial
from typing import TYPE_CHECKING, Any

import inputs
import markup
import tables
from model import OURS, Bar, Case, Input, Row, Variant, below, faster
from tables import Size, Town

from rows import plist

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from model import Call

LINES = 61
"""Megabytes of city records, one on a line."""
ARRAY = 100
"""Megabytes of the same records in one array."""
MARKUP = 200
"""Megabytes of measurements in XML."""
TWO = "two threads"
THREADS = ("one thread", TWO)
SOME = "two of eight columns"
TABLES = tuple(
    f"{columns} in {threads}" for columns in ("all columns", SOME) for threads in THREADS
)


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


def array(_: str) -> Input:
    """Return the path of the same records as one array."""
    return Input(inputs.grown(ARRAY, "array"))


def count(variant: str) -> int:
    """Return how many threads a variant has."""
    return 2 if variant.endswith(TWO) else 1


def penstock(cls: type | None, variant: str) -> Call:
    """Penstock, into the columns of a class."""
    import penstock

    into: Any = cls or (Size if variant.startswith(SOME) else Town)

    def call(path: Path) -> Iterable[object]:
        return penstock.read(path, into).columns(threads=count(variant))

    return call


def pyarrow_with(variant: str) -> bool:
    """Have pyarrow use as many threads as the variant has. Return whether that is several."""
    import pyarrow as pa

    pa.set_cpu_count(count(variant))
    return count(variant) > 1


def pyarrow_lines(variant: str) -> Call:
    """Pyarrow, from lines."""
    from pyarrow import json

    options = json.ReadOptions(use_threads=pyarrow_with(variant))
    return lambda path: iter([json.read_json(path, read_options=options)])


def pyarrow_table(variant: str) -> Call:
    """Pyarrow, from a table."""
    from pyarrow import csv

    options = csv.ReadOptions(use_threads=pyarrow_with(variant))
    chosen = ["name", "population"] if variant.startswith(SOME) else None
    convert = csv.ConvertOptions(include_columns=chosen)
    return lambda path: iter([csv.read_csv(path, read_options=options, convert_options=convert)])


def polars_with(variant: str) -> Any:
    """Return polars with as many threads as the variant has."""
    import os

    os.environ["POLARS_MAX_THREADS"] = str(count(variant))
    import polars as pl

    return pl


def polars_lines(variant: str) -> Call:
    """Polars, from lines."""
    polars = polars_with(variant)
    return lambda path: iter([polars.read_ndjson(path)])


def polars_array(variant: str) -> Call:
    """Polars, from an array."""
    polars = polars_with(variant)
    return lambda path: iter([polars.read_json(path)])


def polars_table(variant: str) -> Call:
    """Polars, from a table."""
    polars = polars_with(variant)
    chosen = ["name", "population"] if variant.startswith(SOME) else None
    types = {"admin1code": polars.String}
    return lambda path: iter([polars.read_csv(path, columns=chosen, schema_overrides=types)])


def duckdb(function: str, variant: str) -> Call:
    """DuckDB, by a function that reads a file."""
    import duckdb

    connection = duckdb.connect(config={"threads": count(variant)})
    chosen = "name, population" if variant.startswith(SOME) else "*"
    query = f"select {chosen} from {function}"

    def call(path: Path) -> Iterable[object]:
        relation = connection.execute(query.replace("PATH", str(path)))
        return relation.to_arrow_reader(65_536)

    return call


LINES_DUCKDB = "read_json('PATH', format = 'newline_delimited')"
ARRAY_DUCKDB = "read_json('PATH', format = 'array')"
TABLE_DUCKDB = "read_csv('PATH', types = {'admin1code': 'varchar'})"


def bars(peers: tuple[str, ...], variant: str, times: float) -> tuple[Bar, ...]:
    """Promise that Penstock is faster than each of them."""
    return tuple(faster(peer, variant, times) for peer in peers)


def health(_: str) -> Input:
    """Return the path of an export of measurements."""
    return Input(markup.grown("health", MARKUP))


def into_columns(variant: str) -> Call:
    """Penstock, from XML."""
    import penstock

    found = markup.KINDS["health"]

    def call(path: Path) -> Iterable[object]:
        reader = penstock.xml.read(path, found.cls, at=found.path)
        return reader.columns(threads=count(variant))

    return call


def by_objects(read: Any, cls: type, _: str) -> Call:
    """Read objects, and make an array of each of their fields."""
    import pyarrow as pa

    names = [field.name for field in fields(cls)]

    def call(path: Path) -> Iterable[object]:
        columns: dict[str, list[Any]] = {name: [] for name in names}
        for record in read(path):
            for name in names:
                columns[name].append(getattr(record, name))
        return iter([pa.table({name: pa.array(values) for name, values in columns.items()})])

    return call


def by_lxml(_: str) -> Call:
    """Lxml, whose elements become objects and then arrays."""
    return by_objects(partial(markup.by_lxml, "health"), markup.KINDS["health"].cls, "")


def songs(_: str) -> Input:
    """Return the path of a binary property list."""
    return Input(plist.tracks("binary"))


def of_tracks(_: str) -> Call:
    """Penstock, from a property list."""
    import penstock

    return lambda path: penstock.plist.read(path, plist.Track).columns()


def by_plistlib(_: str) -> Call:
    """Plistlib, and an array of each member."""
    import plistlib

    import pyarrow as pa

    def call(path: Path) -> Iterable[object]:
        with path.open("rb") as file:
            read = plistlib.load(file)
        arrays = {name: pa.array([track[name] for track in read]) for name in read[0]}
        return iter([pa.table(arrays)])

    return call


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
    frame = polars_with("one thread").from_arrow(table)
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
        tuple(Variant(name, most=3) for name in THREADS),
        (
            Case(OURS, partial(penstock, City), (OURS,)),
            Case("pyarrow", pyarrow_lines, ("pyarrow",)),
            Case("polars", polars_lines, ("polars",)),
            Case("duckdb", partial(duckdb, LINES_DUCKDB), ("duckdb", "pyarrow")),
        ),
        lines,
        None,
        (
            *bars(("pyarrow", "polars", "duckdb"), THREADS[0], 1.5),
            *bars(("pyarrow", "polars", "duckdb"), TWO, 2),
            *(below(64, "MiB", name, "MiB") for name in THREADS),
        ),
        measure="stream",
        metrics=("ms", "first ms", "MiB"),
    ),
    Row(
        "columns-array",
        "100 MB of city records in an array into columns",
        tuple(Variant(name, most=3) for name in THREADS),
        (
            Case(OURS, partial(penstock, City), (OURS,)),
            Case("polars", polars_array, ("polars",)),
            Case("duckdb", partial(duckdb, ARRAY_DUCKDB), ("duckdb", "pyarrow")),
        ),
        array,
        None,
        bars(("polars", "duckdb"), THREADS[0], 1.5),
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
            Case("duckdb", partial(duckdb, TABLE_DUCKDB), ("duckdb", "pyarrow")),
        ),
        table,
        None,
        (
            *(bar for name in TABLES for bar in bars(("pyarrow", "polars", "duckdb"), name, 1.3)),
            below(64, "MiB", TABLES[0], "MiB"),
        ),
        measure="stream",
        metrics=("ms", "first ms", "MiB"),
    ),
    Row(
        "columns-xml",
        "200 MB of measurements in XML into columns",
        tuple(Variant(name, most=3) for name in THREADS),
        (
            Case(OURS, into_columns, (OURS,)),
            Case("lxml and pyarrow.array", by_lxml, ("lxml", "pyarrow")),
        ),
        health,
        None,
        (faster("lxml and pyarrow.array", TWO, 15),),
        measure="stream",
        metrics=("ms", "first ms", "MiB"),
    ),
    Row(
        "columns-plist",
        "200,000 tracks of a binary property list into columns",
        (Variant(THREADS[0], most=3),),
        (
            Case(OURS, of_tracks, (OURS,)),
            Case("plistlib and pyarrow.array", by_plistlib, ("pyarrow",)),
        ),
        songs,
        None,
        (faster("plistlib and pyarrow.array", THREADS[0], 15),),
        measure="stream",
        metrics=("ms", "first ms", "MiB"),
    ),
)
