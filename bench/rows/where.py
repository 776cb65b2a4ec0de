"""Only some records: a condition that the reader understands, and an `if` behind each object.

`where-short` has records of three fields, `where-long` of 102 in 3.7 KB. `1 % by the last field`
asks for the last field of each record, so that all before it is parsed first. `where-lines` filters
NDJSON to NDJSON, and `where-table` counts the rows of a CSV file.
"""

# ruff: noqa: PLC0415 - each process imports only what it measures
from __future__ import annotations

import dataclasses
import json
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import inputs
from model import OURS, Bar, Case, Input, Row, Variant, faster

from rows.convert import NOWHERE, jq_cases

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from model import Call, Medians

SOME, LAST, ALL = "1 %", "1 % by the last field", "all"
VARIANTS = tuple(Variant(name, collector=False) for name in (SOME, LAST, ALL))
SHORT, LONG = 200_000, 10_000
TEXTS = {f"text{number}": f"{'x' * 20}{number}" for number in range(100)}
IF = "class and if"


@dataclasses.dataclass(slots=True)
class Short:
    """A record of three fields."""

    number: int
    name: str
    last: float


Long = dataclasses.make_dataclass(
    "Long",
    [("number", int), ("first", int), *((name, str) for name in TEXTS), ("last", int)],
    slots=True,
)
CLASSES: dict[str, type] = {"short": Short, "long": Long}


@cache
def lines(kind: str) -> bytes:
    """Return records, each in a line."""
    if kind == "short":
        records: Iterable[dict[str, object]] = (
            {"number": n, "name": f"name {n}", "last": n / 8} for n in range(SHORT)
        )
    else:
        records = ({"number": n, "first": n % 100, **TEXTS, "last": n % 100} for n in range(LONG))
    return "".join(json.dumps(record) + "\n" for record in records).encode()


def source(kind: str, _: str) -> Input:
    """Return the lines, and the first of them."""
    data = lines(kind)
    return Input(data, data[: data.index(b"\n") + 1])


def asked(kind: str, variant: str) -> tuple[str, int]:
    """Return a field and a number: those records are wanted whose value is less."""
    if variant == ALL:
        return "number", 1 << 40
    if kind == "short":
        return ("last", SHORT // 800) if variant == LAST else ("number", SHORT // 100)
    return ("last" if variant == LAST else "first"), 1


def penstock_where(kind: str, variant: str) -> Call:
    """Penstock, with a condition."""
    import penstock

    name, most = asked(kind, variant)
    where, cls = penstock.field(name) < most, CLASSES[kind]
    return lambda data: list(penstock.ndjson.read([data], cls, where=where))


def penstock_if(kind: str, variant: str) -> Call:
    """Penstock, and an `if` in Python."""
    import penstock

    name, most = asked(kind, variant)
    cls = CLASSES[kind]
    scope: dict[str, Any] = {"read": penstock.ndjson.read, "cls": cls, "most": most}
    call: Call = eval(f"lambda data: [r for r in read([data], cls) if r.{name} < most]", scope)
    return call


def fields(values: Any) -> Iterable[object]:
    """Return the numbers of the records."""
    return (value.number for value in values)


def penstock_lines(_: str) -> Call:
    """Penstock, NDJSON to NDJSON."""
    import penstock

    def call(path: Path) -> Iterable[object]:
        return iter([penstock.convert(path, NOWHERE, to="ndjson", where="population > 5e6")])

    return call


def penstock_table(_: str) -> Call:
    """Penstock, into columns of pyarrow."""
    import pyarrow as pa

    import penstock

    def call(path: Path) -> Iterable[object]:
        rows = penstock.columns(path, Town, where="population > 5e6")
        return iter([sum(pa.record_batch(batch).num_rows for batch in rows)])

    return call


def polars_table(_: str) -> Call:
    """Polars, with one thread, as Penstock."""
    import os

    os.environ["POLARS_MAX_THREADS"] = "1"
    import polars as pl

    def call(path: Path) -> Iterable[object]:
        table = pl.scan_csv(path).filter(pl.col("population") > 5_000_000)
        return iter([table.select("geonameid", "name").collect().height])

    return call


def duckdb_table(_: str) -> Call:
    """DuckDB, with one thread, as Penstock."""
    import duckdb

    def call(path: Path) -> Iterable[object]:
        with duckdb.connect(config={"threads": 1}) as connection:
            query = f"select geonameid, name from '{path}' where population > 5e6"
            return iter([len(connection.sql(query).fetchall())])

    return call


@dataclasses.dataclass(slots=True)
class Town:
    """Two columns of the table."""

    geonameid: int
    name: str


def no_slower(variant: str) -> Bar:
    """Promise that a condition is no slower than an `if`."""
    return faster(IF, variant, 1.0)


def row(kind: str, title: str, bars: tuple[Bar, ...]) -> Row:
    """Return a row of objects."""
    cases = (
        Case(OURS, partial(penstock_where, kind), (OURS,)),
        Case(IF, partial(penstock_if, kind), (OURS,)),
    )
    read: Callable[[str], Input] = partial(source, kind)
    return Row(f"where-{kind}", title, VARIANTS, cases, read, fields, bars)


def file(name: str, _: str) -> Input:
    """Return the path of a file of cities, and of a small one."""
    made = inputs.grown_table if name == "table" else partial(inputs.grown, shape="lines")
    return Input(made(100), made(1))


FILES = (Variant("100 MB", collector=False),)


def of_jq(median: Medians) -> float:
    """How many times as fast as jq it is."""
    return median("jq -c", "100 MB") / median(OURS, "100 MB")


ROWS = (
    row(
        "short",
        f"{SHORT:,} records of three fields, of which some are wanted",
        tuple(map(no_slower, (SOME, LAST, ALL))),
    ),
    row(
        "long",
        f"{LONG:,} records of 3.7 KB, of which some are wanted",
        (faster(IF, SOME, 3.0), no_slower(LAST), no_slower(ALL)),
    ),
    Row(
        "where-lines",
        "city records to those of large cities, NDJSON to NDJSON",
        FILES,
        (
            Case(OURS, penstock_lines, (OURS,)),
            *jq_cases("select(.population > 5000000)"),
        ),
        partial(file, "lines"),
        None,
        (Bar("faster than jq", of_jq, 20.0, at_least=True),),
    ),
    Row(
        "where-table",
        "two columns of the large cities of a CSV file",
        FILES,
        (
            Case(OURS, penstock_table, (OURS, "pyarrow")),
            Case("polars", polars_table, ("polars",)),
            Case("DuckDB", duckdb_table, ("duckdb",)),
        ),
        partial(file, "table"),
        list,
        (faster("polars", "100 MB", 1.0), faster("DuckDB", "100 MB", 1.0)),
    ),
)
