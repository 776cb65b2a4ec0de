"""Rows of CSV: into objects, counted, one at a time from a path, and written.

All get the same bytes. A program without Penstock has `csv.reader` and calls the class with each
row; `DictReader` is what tutorials show.
"""

# ruff: noqa: PLC0415 - each process imports only what it measures
from __future__ import annotations

from functools import partial
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

import classes
import tables
from model import BOTH_COLLECTORS, OURS, Bar, Case, Input, Row, Variant, below, faster
from tables import CLASSES, Nothing, Size, Town

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from model import Call, Medians

OFF = "collector off"
OTHERS = tuple(Variant(kind, collector=False) for kind in CLASSES if kind != "cities")
"""Tables that are measured with the collector off only."""
EVERY = 97
"""Of the rows, each of so many is compared before timing, and the first and the last ones."""


def kind_of(variant: str) -> str:
    """Return the name of the table of a variant."""
    return variant if variant in CLASSES else "cities"


def source(variant: str) -> Input:
    """Return the bytes of a table."""
    kind = kind_of(variant)
    return Input(tables.table(kind).read_bytes(), tables.small(kind))


def class_of(variant: str, two: bool) -> type:
    """Return the class of the table's rows, or the one that has two of the columns."""
    return Size if two else CLASSES[kind_of(variant)]


def text(data: bytes) -> Any:
    """Return a stream of the text, as `csv` wants it."""
    import io

    return io.TextIOWrapper(io.BytesIO(data), encoding="utf-8", newline="")


def penstock(two: bool, variant: str) -> Call:
    """Penstock, into the class as it is."""
    import penstock.csv

    cls = class_of(variant, two)
    return lambda data: penstock.csv.decode(data, cls)


def counting(_: str) -> Call:
    """Penstock, which checks every byte and makes nothing of the rows."""
    import penstock.csv

    def call(data: bytes) -> int:
        return sum(map(len, penstock.csv.read([data], Nothing).batches(10_000)))

    return call


def reader_class(two: bool, variant: str) -> Call:
    """`csv.reader`, with the class called for each row."""
    import csv

    cls = class_of(variant, two)

    def call(data: bytes) -> list[Any]:
        rows = csv.reader(text(data))
        return list(map(tables.convert(cls, next(rows)), rows))

    return call


def dict_reader_class(two: bool, variant: str) -> Call:
    """`csv.DictReader`, with the class called for each row."""
    import csv

    make = tables.convert_dict(class_of(variant, two))
    return lambda data: list(map(make, csv.DictReader(text(data))))


def reader(_: str) -> Call:
    """`csv.reader`, which stops at lists of text."""
    import csv

    return lambda data: list(csv.reader(text(data)))[1:]


def reader_count(_: str) -> Call:
    """`csv.reader`, whose rows are only counted."""
    import csv

    return lambda data: sum(1 for _ in csv.reader(text(data))) - 1


def pandas(two: bool, variant: str) -> Call:
    """Pandas, which makes columns."""
    import io

    import pandas as pd

    cls = class_of(variant, two)
    return lambda data: pd.read_csv(io.BytesIO(data), usecols=list(cls.__slots__))  # type: ignore[attr-defined]


def polars(two: bool, variant: str) -> Call:
    """Polars, which makes columns, in one thread for each core."""
    import polars as pl

    cls = class_of(variant, two)
    return lambda data: pl.read_csv(
        data,
        columns=list(cls.__slots__),  # type: ignore[attr-defined]
        infer_schema_length=1_000,
        ignore_errors=True,
    )


def floor(two: bool, variant: str) -> Call:
    """Create as many objects, every value new, of the values of the first rows."""
    import csv

    import floor

    cls, kind = class_of(variant, two), kind_of(variant)
    with tables.table(kind).open(encoding="utf-8", newline="") as file:
        rows = csv.reader(file)
        make = tables.convert(cls, next(rows))
        first = list(map(make, islice(rows, 100_000)))
        count = len(first) + sum(1 for _ in rows)
    create: Call = floor.prepare(cls, list(classes.values(first, cls)))
    few = len(tables.small(kind))
    return lambda data: create(1 if len(data) == few else count)


def some(made: list[Any]) -> Iterable[Any]:
    """Return the records that are compared."""
    return chain(made[:1_000], made[::EVERY], made[-1_000:])


def values(made: list[Any]) -> Iterable[object]:
    """Return the values of records, in the order of the class's fields."""
    return classes.values(some(made), type(made[0]))


def bulk(two: bool) -> tuple[Case, ...]:
    """Return everything that makes objects of the rows, or stops before."""
    return (
        Case("floor", partial(floor, two), checked=False),
        Case("counting", counting, (OURS,), checked=False),
        Case(OURS, partial(penstock, two), (OURS,)),
        Case("csv.reader + class", partial(reader_class, two)),
        Case("DictReader + class", partial(dict_reader_class, two)),
        Case("csv.reader, lists", reader, checked=False),
        Case("pandas, columns", partial(pandas, two), ("pandas",), checked=False),
        Case("polars, columns", partial(polars, two), ("polars",), checked=False),
    )


def near_floor(variant: str) -> Bar:
    """Promise that objects take little more than counting rows and creating them."""

    def value(median: Medians) -> float:
        return median(OURS, variant) / (median("counting", variant) + median("floor", variant))

    return Bar(f"of (counting + floor), {variant}", value, 1.5, at_least=False)


# One row at a time, from a path.

SIZES = {"10 MB": 10, "120 MB": tables.CITIES, "1 GB": 1_000}
VARIANTS = (
    Variant("10 MB"),
    Variant("120 MB", most=3),
    Variant("1 GB", most=1, quick=False),
)


def path(size: str) -> Input:
    """Return the path of a table of cities."""
    return Input(tables.table("cities", SIZES[size]))


def streamed(_: str) -> Call:
    """Penstock, a row at a time."""
    import penstock.csv

    return lambda path: penstock.csv.read(path, Town)


def reader_stream(path: Path) -> Iterable[Town]:
    """Yield the class called for each row of `csv.reader`."""
    import csv

    with path.open(encoding="utf-8", newline="") as file:
        rows = csv.reader(file)
        yield from map(tables.convert(Town, next(rows)), rows)


def first_values(made: Iterable[Any]) -> Iterable[object]:
    """Return the values of the first records."""
    return classes.values(islice(iter(made), 5_000), Town)


# The same objects, written.


def objects(_: str) -> list[Town]:
    """Return the cities as objects."""
    made: list[Town] = reader_class(two=False, variant="cities")(
        tables.table("cities").read_bytes()
    )
    return made


def written(write: Any, _: str) -> Call:
    """Make the objects, and return the call that writes them, or a few of them."""
    made = objects("")
    return lambda which: write(made[:3] if which == "small" else made)


def penstock_write(rows: list[Town]) -> bytes:
    """Penstock's function."""
    import penstock.csv

    return penstock.csv.encode(rows)


def writer(rows: list[Town]) -> bytes:
    """`csv.writer`, with the fields of each object."""
    import csv
    import io
    from operator import attrgetter

    names = Town.__slots__  # type: ignore[attr-defined]
    out = io.StringIO(newline="")
    write = csv.writer(out, lineterminator="\n")
    write.writerow(names)
    write.writerows(map(attrgetter(*names), rows))
    return out.getvalue().encode()


def dict_writer(rows: list[Town]) -> bytes:
    """`csv.DictWriter`, with a dict of each object."""
    import csv
    import io

    names: tuple[str, ...] = Town.__slots__  # type: ignore[attr-defined]
    out = io.StringIO(newline="")
    write = csv.DictWriter(out, names, lineterminator="\n")
    write.writeheader()
    write.writerows({name: getattr(row, name) for name in names} for row in rows)
    return out.getvalue().encode()


def text_values(made: bytes) -> Iterable[object]:
    """Return the records that a text has."""
    return values(reader_class(two=False, variant="cities")(made))


ROWS = (
    Row(
        "csv",
        "rows of CSV, all columns, into slots dataclasses; cities: 120 MB, 1.9 million rows",
        (*BOTH_COLLECTORS, *OTHERS),
        bulk(two=False),
        source,
        values,
        (
            *(faster("csv.reader + class", variant, 8) for variant in (OFF, "stops")),
            *(near_floor(variant) for variant in (OFF, "stops")),
        ),
        same=(OFF,),
    ),
    Row(
        "csv-two-columns",
        "the cities again, 2 of the 8 columns",
        (Variant(OFF, collector=False),),
        bulk(two=True),
        source,
        values,
        (faster("csv.reader + class", OFF, 8), near_floor(OFF)),
    ),
    Row(
        "csv-count",
        "rows of CSV counted, with every check",
        (Variant("cities"), *OTHERS),
        (Case(OURS, counting, (OURS,)), Case("csv.reader", reader_count)),
        source,
        lambda made: [made],
    ),
    Row(
        "csv-stream",
        "cities from a path, a row at a time; peak memory over the bare interpreter",
        VARIANTS,
        (
            Case(OURS, streamed, (OURS,)),
            Case("csv.reader + class", lambda _: reader_stream),
        ),
        path,
        first_values,
        (
            *(below(20, "first ms", size, "ms") for size in SIZES),
            *(below(32, "MiB", size, "MiB") for size in SIZES),
        ),
        measure="stream",
        metrics=("ms", "first ms", "MiB"),
        same=("120 MB", "1 GB"),
    ),
    Row(
        "csv-write",
        "the objects of the cities, written as CSV",
        (Variant(OFF, collector=False),),
        (
            Case(OURS, partial(written, penstock_write), (OURS,)),
            Case("csv.writer", partial(written, writer)),
            Case("DictWriter", partial(written, dict_writer)),
        ),
        lambda _: Input("large", "small"),
        text_values,
        (faster("csv.writer", OFF, 5),),
    ),
)
