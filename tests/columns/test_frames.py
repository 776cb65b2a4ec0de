"""`Columns.to_polars`, `to_pandas` and `to_arrow`: all rows, and Penstock's own errors."""

from __future__ import annotations

import io
import sys
from dataclasses import dataclass
from datetime import date
from typing import Annotated, Any, Literal

import pandas
import polars
import pyarrow
import pytest

import penstock


@dataclass
class City:
    name: str
    size: int
    grade: Literal["low", "high"] = "low"
    founded: date | None = None
    canton: Annotated[str | None, penstock.dictionary] = None


LINES = b"""\
{"name": "Bern", "size": 134591, "grade": "high", "canton": "BE"}
{"name": "Chur", "size": 37424, "founded": "1464-04-27", "canton": "GR"}
{"name": "Thun", "size": 43476, "canton": "BE"}
"""


def columns(lines: bytes = LINES, rows: int = 2) -> penstock.Columns:
    return penstock.columns(io.BytesIO(lines), City, format="ndjson", rows=rows)


def test_polars() -> None:
    frame = columns().to_polars()
    assert isinstance(frame, polars.DataFrame)
    assert frame["name"].to_list() == ["Bern", "Chur", "Thun"]
    assert frame["grade"].to_list() == ["high", "low", "low"]
    assert frame["canton"].to_list() == ["BE", "GR", "BE"]
    assert frame["founded"].to_list() == [None, date(1464, 4, 27), None]
    assert frame.schema == polars.DataFrame(columns()).schema
    assert frame.equals(polars.DataFrame(columns()))
    assert frame.n_chunks() == 2


def test_arrow() -> None:
    table = columns().to_arrow()
    assert isinstance(table, pyarrow.Table)
    assert table.equals(pyarrow.table(columns()))
    assert table.column("size").to_pylist() == [134591, 37424, 43476]
    assert table.column("size").num_chunks == 2


def test_pandas() -> None:
    frame = columns().to_pandas()
    assert isinstance(frame, pandas.DataFrame)
    assert frame["size"].to_list() == [134591, 37424, 43476]
    assert str(frame["grade"].dtype) == "category"
    assert frame.equals(pandas.DataFrame.from_arrow(columns()))


def test_no_rows_have_the_types_of_the_columns() -> None:
    # An NDJSON file may be empty.
    empty = columns(b"").to_polars()
    assert (empty.height, empty.schema) == (0, columns().to_polars().schema)
    assert columns(b"").to_arrow().schema == columns().to_arrow().schema
    assert list(columns(b"").to_pandas().columns) == ["name", "size", "grade", "founded", "canton"]


def test_columns_are_read_once() -> None:
    some = columns(rows=1)
    assert len(next(some)) == 1
    assert some.to_polars()["name"].to_list() == ["Chur", "Thun"]
    assert some.to_polars().height == 0
    assert some.to_arrow().num_rows == 0


@pytest.mark.parametrize("method", ["to_polars", "to_pandas", "to_arrow"])
def test_a_wrong_record_is_penstocks_own_error(method: str) -> None:
    wrong = columns(LINES + b'{"name": "Biel", "size": "many"}\n')
    with pytest.raises(penstock.ValidationError) as raised:
        getattr(wrong, method)()
    assert str(raised.value) == "line 4, column 26: expected int, got a string (record 4, at size)"


@pytest.mark.thread_unsafe(reason="it hides modules")
@pytest.mark.parametrize(
    ("method", "library"),
    [
        ("to_polars", "polars"),
        ("to_pandas", "pandas"),
        ("to_pandas", "pyarrow"),
        ("to_arrow", "pyarrow"),
    ],
)
def test_what_is_not_installed(method: str, library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    class Hidden:
        """Finds nothing of a library, as if it were not installed."""

        def find_spec(self, name: str, *_: Any) -> None:
            if name == library:
                raise ModuleNotFoundError(f"No module named {name!r}", name=name)

    monkeypatch.delitem(sys.modules, library)
    monkeypatch.setattr(sys, "meta_path", [Hidden(), *sys.meta_path])
    some = columns()
    with pytest.raises(ImportError) as raised:
        getattr(some, method)()
    assert str(raised.value) == (
        f"Columns.{method}() needs {library}, which is not installed: pip install {library}"
    )
    assert raised.value.name == library
    # Nothing of the columns is lost.
    assert sum(len(batch) for batch in some) == 3


def test_they_look_like_methods() -> None:
    for name in ("to_polars", "to_pandas", "to_arrow"):
        method = getattr(penstock.Columns, name)
        assert (method.__module__, method.__qualname__) == ("penstock", f"Columns.{name}")
        assert method.__doc__
