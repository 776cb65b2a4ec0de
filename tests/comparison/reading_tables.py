"""Reads a polluted file with each library, and judges what comes of it."""

from __future__ import annotations

import csv
import functools
import io
import re
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import pandas as pd
import polars as pl
from pollution import ALL, Polluted

import penstock

Rows = list[list[str]]

# A cell that is longer than this is an error in Python's module, unless one says otherwise.
csv.field_size_limit(1 << 30)


class CannotBeToldError(Exception):
    """The library has no option for the dialect."""


class Cell(NamedTuple):
    """What a library makes of a file."""

    word: str
    note: str = ""


def penstock_strict(asked: Polluted) -> Rows:
    """Read with the dialect that is told."""
    options = {**asked.dialect}
    encoding = options.pop("encoding")
    dialect = penstock.csv.Dialect(options.pop("delimiter"), **options)
    return list(penstock.csv.read([asked.data], list[str], dialect=dialect, encoding=encoding))


def penstock_repair(asked: Polluted) -> Rows:
    """Read with the dialect that is told, and every repair."""
    options = {**asked.dialect}
    encoding = options.pop("encoding")
    dialect = penstock.csv.Dialect(options.pop("delimiter"), **options)
    options = {"dialect": dialect, "encoding": encoding, "repair": "all"}
    return penstock.csv.decode(asked.data, list[str], **options)


def penstock_infer(asked: Polluted) -> Rows:
    """Read without being told anything but the encoding."""
    encoding = asked.dialect["encoding"]
    return list(penstock.csv.read([asked.data], list[str], dialect="infer", encoding=encoding))


def penstock_infer_repair(asked: Polluted) -> Rows:
    """Read without being told anything but the encoding, with every repair."""
    encoding = asked.dialect["encoding"]
    options = {"dialect": "infer", "encoding": encoding, "repair": "all"}
    return penstock.csv.decode(asked.data, list[str], **options)


def text_of(asked: Polluted) -> str:
    """Return the text as a program would decode it that knows the encoding."""
    return asked.data.decode(asked.dialect["encoding"] or "utf-8-sig")


def below_the_header(rows: Rows, asked: Polluted) -> Rows:
    """Return the rows without the header, and without blank lines."""
    header = {"first": 1, None: 0}.get(asked.dialect["header"], asked.dialect["header"])
    return [row for row in rows if row][header:]


def python_csv(asked: Polluted) -> Rows:
    """Read with the module csv."""
    told = asked.dialect
    if told["comment"] is not None or len(told["delimiter"]) > 1:
        raise CannotBeToldError
    lines = io.StringIO(text_of(asked), newline="")
    for _ in range(told["skip_rows"]):
        lines.readline()
    options = {
        "delimiter": told["delimiter"],
        "quotechar": told["quote"],
        "quoting": csv.QUOTE_NONE if told["quote"] is None else csv.QUOTE_MINIMAL,
        "escapechar": told["escape"],
        "doublequote": told["escape"] is None,
        "skipinitialspace": told["trim"],
    }
    return below_the_header(list(csv.reader(lines, **options)), asked)


def python_sniffer(asked: Polluted) -> Rows:
    """Read with the dialect and the header that csv.Sniffer finds."""
    text = text_of(asked)
    found = csv.Sniffer().sniff(text)
    header = csv.Sniffer().has_header(text)
    rows = [row for row in csv.reader(io.StringIO(text, newline=""), found) if row]
    return rows[1:] if header else rows


def of_frame(frame: pd.DataFrame) -> Rows:
    """Return the cells of a frame of pandas."""
    return [[str(cell) for cell in row] for row in frame.itertuples(index=False, name=None)]


def pandas(asked: Polluted) -> Rows:
    """Read with pandas.read_csv."""
    told = asked.dialect
    header = {"first": 0, None: None, 2: [0, 1]}[told["header"]]
    is_long = len(told["delimiter"]) > 1
    options: dict[str, Any] = {
        "sep": re.escape(told["delimiter"]) if is_long else told["delimiter"],
        "engine": "python" if is_long else "c",
        "quotechar": told["quote"] or '"',
        "quoting": csv.QUOTE_NONE if told["quote"] is None else csv.QUOTE_MINIMAL,
        "escapechar": told["escape"],
        "doublequote": told["escape"] is None,
        "comment": told["comment"],
        "skiprows": told["skip_rows"],
        "skipinitialspace": told["trim"],
        "encoding": told["encoding"],
        "header": header,
    }
    if told["terminator"] not in {None, "any"}:
        options["lineterminator"] = told["terminator"]
    source = io.BytesIO(asked.data)
    return of_frame(pd.read_csv(source, dtype=str, keep_default_na=False, **options))


def pandas_sniffing(asked: Polluted) -> Rows:
    """Read with pandas, which finds the delimiter."""
    source = io.BytesIO(asked.data)
    options: dict[str, Any] = {"sep": None, "engine": "python"}
    encoding = asked.dialect["encoding"]
    frame = pd.read_csv(source, dtype=str, keep_default_na=False, encoding=encoding, **options)
    return of_frame(frame)


def polars(asked: Polluted) -> Rows:
    """Read with polars.read_csv."""
    told = asked.dialect
    if told["escape"] is not None or len(told["delimiter"]) > 1 or told["trim"]:
        raise CannotBeToldError
    if told["terminator"] == "any" or isinstance(told["header"], int):
        raise CannotBeToldError
    frame = pl.read_csv(
        asked.data,
        separator=told["delimiter"],
        quote_char=told["quote"],
        comment_prefix=told["comment"],
        skip_lines=told["skip_rows"],
        has_header=told["header"] is not None,
        infer_schema=False,
        encoding=told["encoding"] or "utf8",
        eol_char=told["terminator"] or "\n",
    )
    return [["" if cell is None else str(cell) for cell in row] for row in frame.rows()]


def of_duckdb(asked: Polluted, **options: Any) -> Rows:
    """Return the cells that DuckDB reads."""
    if asked.dialect["encoding"] is not None:
        # It fetches an extension for that.
        raise CannotBeToldError
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "a.csv")
        path.write_bytes(asked.data)
        with duckdb.connect() as database:
            relation = database.read_csv(str(path), all_varchar=True, **options)
            rows = relation.fetchall()
    return [["" if cell is None else str(cell) for cell in row] for row in rows]


def duckdb_told(asked: Polluted, **more: Any) -> Rows:
    """Read with DuckDB, which is told the dialect."""
    told = asked.dialect
    if told["trim"] or isinstance(told["header"], int) or told["terminator"] == "any":
        raise CannotBeToldError
    options: dict[str, Any] = {
        **more,
        "delimiter": told["delimiter"],
        "quotechar": told["quote"] or "",
        "header": told["header"] is not None,
        "skiprows": told["skip_rows"],
    }
    if told["escape"] is not None:
        options["escapechar"] = told["escape"]
    if told["comment"] is not None:
        options["comment"] = told["comment"]
    return of_duckdb(asked, **options)


def duckdb_lenient(asked: Polluted) -> Rows:
    """Read with DuckDB, which takes what its strict mode refuses, and fills short rows."""
    return duckdb_told(asked, strict_mode=False, null_padding=True)


def duckdb_sniffing(asked: Polluted) -> Rows:
    """Read with DuckDB, which finds the dialect."""
    return of_duckdb(asked)


TOLD: dict[str, Callable[[Polluted], Rows]] = {
    "Penstock": penstock_strict,
    "with `repair`": penstock_repair,
    "csv": python_csv,
    "pandas": pandas,
    "polars": polars,
    "DuckDB": duckdb_told,
    "DuckDB, lenient": duckdb_lenient,
}
FOUND: dict[str, Callable[[Polluted], Rows]] = {
    "Penstock": penstock_infer,
    "with `repair`": penstock_infer_repair,
    "csv.Sniffer": python_sniffer,
    "pandas": pandas_sniffing,
    "DuckDB": duckdb_sniffing,
}
READERS = {**{f"told {name}": read for name, read in TOLD.items()}, **FOUND}


@functools.cache
def cell(name: str, title: str, place: int) -> Cell:
    """Return what a reader makes of a file."""
    asked = ALL[title][place]
    try:
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            rows = READERS[name](asked)
    except CannotBeToldError:
        return Cell("no option")
    except TypeError:
        raise  # The call is wrong, not the file.
    except Exception as error:  # noqa: BLE001 - whatever a library raises is its answer
        return Cell("error", type(error).__name__)
    if rows == asked.rows:
        return Cell("right")
    word = "warns" if warned else "wrong"
    for number, (got, meant) in enumerate(zip(rows, asked.rows, strict=False), 1):
        if got != meant:
            return Cell(word, f"row {number} is {got}"[:120])
    return Cell(word, f"{len(rows)} rows instead of {len(asked.rows)}")
