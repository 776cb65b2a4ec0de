"""Predicates that the reader tests: the rows are those of reading everything, and fewer are made."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import penstock
import penstock.duckdb
import penstock.polars
from penstock import field
from penstock._any_format import scans

pytestmark = pytest.mark.thread_unsafe(reason="it replaces a function of the package")

COUNT = 100
COLUMNS = pa.schema(
    [
        ("n", pa.int64()),
        ("small", pa.int8()),
        ("name", pa.string()),
        ("is_old", pa.bool_()),
        ("day", pa.date32()),
        ("part", pa.float64()),
        ("a b", pa.int64()),
    ]
)


@dataclass
class Row:
    n: int


def rows(count: int = COUNT) -> Iterator[dict[str, Any]]:
    for n in range(count):
        yield {
            "n": n,
            "small": n % 7,
            "name": f"n{n % 11}",
            "is_old": n % 2 == 0,
            "day": f"2026-01-{n % 28 + 1:02}",
            "part": n / 2,
            "a b": n,
        }
    yield {"n": None, "name": None}
    yield {"day": "2026-01-01"}


def written(path: Path, more: str = "") -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows()) + more)
    return path


@pytest.fixture
def filtered(monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """How many records the readers of queries have left out since the last call."""
    readers: list[Any] = []
    columns = scans._columns.columns

    def kept(*given: Any, **options: Any) -> Any:
        found = columns(*given, **options)
        readers.append(found.reader)
        return found

    monkeypatch.setattr(scans._columns, "columns", kept)

    def count() -> int:
        found = sum(reader.filtered for reader in readers)
        readers.clear()
        return found

    return count


C = pl.col
POLARS: list[tuple[pl.Expr, int]] = [
    (C("n") > 89, 10),
    (C("n") < 10, 10),
    (C("n") >= 90, 10),
    (C("n") <= 9, 10),
    (C("n") == 9, 1),
    (C("n") != 9, 99),
    (pl.lit(89) < C("n"), 10),
    (~(C("n") > 9), 10),
    (C("n").is_between(10, 19), 10),
    (C("n").is_in([1, 2, 700]), 2),
    (C("n").is_in([1, None]), 1),
    (C("small") == 3, 14),
    (C("name") == "n10", 9),
    (C("name") > "n8", 9),
    (C("name").is_in(["n10", "x"]), 9),
    (C("name").str.starts_with("n1"), 18),
    (C("name").str.ends_with("0"), 19),
    (C("name").str.contains("10", literal=True), 9),
    (C("is_old"), 50),
    (~C("is_old"), 50),
    (C("day") > date(2026, 1, 27), 3),
    (C("day").is_in([date(2026, 1, 28)]), 3),
    ((C("n") > 49) & (C("name") == "n10"), 5),
    ((C("n") < 2) | (C("n") > 97), 4),
    (~((C("n") < 2) & C("is_old")), 99),
    # Of these, the reader tests a part.
    ((C("n") > 49) & (C("part") < 30), 10),
    ((C("n") > 49) & C("name").str.contains("1.$"), 5),
]
LEFT_TO_POLARS: list[pl.Expr] = [
    C("part") > 40,
    C("n") > 40.5,
    C("a b") > 40,
    C("n").is_null(),
    C("n").eq_missing(None),
    C("n").is_between(10, 19, closed="left"),
    C("n").is_in([1, None], nulls_equal=True),
    C("name").str.contains("1.$"),
    C("name").str.to_lowercase() == "n1",
    C("n") == C("small"),
    (C("n") < 2) | (C("part") > 40),
]


def scanned(path: Path, **options: Any) -> pl.LazyFrame:
    return penstock.polars.scan(path, COLUMNS, **{"errors": "skip", **options})


@pytest.mark.parametrize(("predicate", "count"), POLARS, ids=[str(it) for it, _ in POLARS])
def test_polars(
    tmp_path: Path, filtered: Callable[[], int], predicate: pl.Expr, count: int
) -> None:
    path = written(tmp_path / "rows.ndjson")
    whole = pl.DataFrame(penstock.columns(path, COLUMNS))
    found = scanned(path).filter(predicate).collect()
    assert found.equals(whole.filter(predicate))
    assert found.height == count
    # Those that are left out were never made.
    assert 0 < filtered() <= COUNT + 2 - count
    # Where errors are reported, each record is checked.
    assert penstock.polars.scan(path, COLUMNS).filter(predicate).collect().equals(found)
    assert filtered() == 0


@pytest.mark.parametrize("predicate", LEFT_TO_POLARS, ids=str)
def test_what_is_left_to_polars(
    tmp_path: Path, filtered: Callable[[], int], predicate: pl.Expr
) -> None:
    path = written(tmp_path / "rows.ndjson")
    whole = pl.DataFrame(penstock.columns(path, COLUMNS))
    assert scanned(path).filter(predicate).collect().equals(whole.filter(predicate))
    assert filtered() == 0


DUCKDB: list[tuple[str, int]] = [
    ("n > 89", 10),
    ("n <= 9", 10),
    ("n = 9", 1),
    ("n <> 9", 99),
    ("89 < n", 10),
    ("not n > 9", 10),
    ("n between 10 and 19", 10),
    ("n in (1, 2, 700)", 2),
    ("small = 3", 14),
    ("name = 'n10'", 9),
    ("name > 'n8'", 9),
    ("name in ('n10', 'x')", 9),
    ("is_old = true", 50),
    ("is_old = false", 50),
    ("day > date '2026-01-27'", 3),
    ("n > 49 and name = 'n10'", 5),
    ("n < 2 or n > 97", 4),
    ("n > 89 and n is not null", 10),
    ("n + 1 > 40", 60),
]
LEFT_TO_DUCKDB = [
    "part > 40",
    '"a b" > 40',
    "n is null",
    "n < 2 or n is null",
    "n = small",
    "n + small > 40",
]


def asked(path: Path, clause: str, **options: Any) -> list[Any]:
    with duckdb.connect() as connection:
        options = {"errors": "skip", **options}
        penstock.duckdb.register(connection, "rows", path, COLUMNS, **options)
        return connection.sql(f"select * from rows where {clause}").fetchall()


def from_a_table(path: Path, where: str) -> list[Any]:
    table = pa.table(penstock.columns(path, COLUMNS))
    with duckdb.connect() as connection:
        connection.register("rows", table)
        return connection.sql(f"select * from rows where {where}").fetchall()


@pytest.mark.parametrize(("where", "count"), DUCKDB)
def test_duckdb(tmp_path: Path, filtered: Callable[[], int], where: str, count: int) -> None:
    path = written(tmp_path / "rows.ndjson")
    found = asked(path, where)
    assert found == from_a_table(path, where)
    assert len(found) == count
    assert 0 < filtered() <= COUNT + 2 - count
    assert asked(path, where, errors="raise") == found
    assert filtered() == 0


@pytest.mark.parametrize("where", LEFT_TO_DUCKDB)
def test_what_is_left_to_duckdb(tmp_path: Path, filtered: Callable[[], int], where: str) -> None:
    path = written(tmp_path / "rows.ndjson")
    assert asked(path, where) == from_a_table(path, where)
    assert filtered() == 0


ODD = """\
{"n": 95, "name": 7}
{"n": "95", "name": "text"}
{"n": 95.0}
{"n": 95.5}
{"n": 1, "n": 95}
{"n": 95, "n": 1}
{"n": [95]}
{"n": 9500000000000000000000}
{"n": 95, "part": "wrong"}
{"n": 95
{"n": 95, "name": "\\u006e10"}
"""


def test_records_in_error(tmp_path: Path, filtered: Callable[[], int]) -> None:
    path = written(tmp_path / "rows.ndjson", ODD)
    whole = pl.DataFrame(penstock.columns(path, COLUMNS, errors="skip"))
    for predicate, where in (
        (C("n") == 95, "n = 95"),
        (C("n") > 89, "n > 89"),
        (C("n") < 5, "n < 5"),
        (C("name") == "n10", "name = 'n10'"),
        (C("name") == "text", "name = 'text'"),
    ):
        expected = whole.filter(predicate)
        assert scanned(path).filter(predicate).collect().equals(expected)
        assert filtered() > 0
        assert asked(path, where) == expected.rows()
        assert filtered() > 0
    # Of a function, each error is wanted.
    told: list[Exception] = []
    frame = scanned(path, errors=told.append).filter(C("n") == 95)
    assert frame.collect().equals(whole.filter(C("n") == 95))
    counted = pl.DataFrame(penstock.columns(path, COLUMNS, errors="skip")).height
    assert len(told) == COUNT + 2 + ODD.count("\n") - counted
    assert filtered() == 0


def test_where_nothing_is_tested(tmp_path: Path, filtered: Callable[[], int]) -> None:
    path = written(tmp_path / "rows.ndjson")
    few, expected = C("n") > 89, 10
    table = tmp_path / "rows.csv"
    table.write_text("n\n" + "".join(f"{n}\n" for n in range(100)))
    schema = pa.schema([("n", pa.int64())])
    unknown, lines = tmp_path / "rows.data", tmp_path / "lines"
    unknown.write_text(json.dumps(list(rows())))
    lines.write_bytes(path.read_bytes())
    for source, into, options in (
        (path, Row, {}),
        (path, object, {"unions": "text"}),
        (table, schema, {}),
        ([path], schema, {"errors": "raise"}),
        (unknown, schema, {}),
    ):
        frame = penstock.polars.scan(source, into, **{"errors": "skip", **options})  # type: ignore[arg-type]
        assert frame.filter(few).collect().height == expected, source
        assert filtered() == 0, source
    # The first ten rows, and then the predicate.
    assert scanned(path).head(10).filter(C("n") > 5).collect().height == 4
    assert filtered() == 0
    for source, options in ((lines, {"format": "ndjson"}), ([path, path], {})):
        frame = penstock.polars.scan(source, schema, errors="skip", **options)  # type: ignore[arg-type]
        assert frame.filter(few).collect().height % 10 == 0
        assert filtered() > 0


def test_beside_where_and_a_column_of_files(tmp_path: Path, filtered: Callable[[], int]) -> None:
    path = written(tmp_path / "rows.ndjson")
    for where in (field("small") == 3, "small == 3"):
        frame = scanned(path, where=where, file_column="file")
        both = frame.filter((C("n") > 49) & (C("file") == str(path)))
        assert both.collect()["n"].to_list() == [52, 59, 66, 73, 80, 87, 94]
        assert filtered() == COUNT + 2 - 7
        assert frame.filter(C("file") == "another").collect().height == 0
        filtered()
        found = asked(path, "n > 49", where=where, file_column="file")
        assert [row[0] for row in found] == [52, 59, 66, 73, 80, 87, 94]
        assert filtered() == COUNT + 2 - 7


VALUES = st.none() | st.integers(-3, 3) | st.sampled_from(["", "a", "b", 1.0, 0.5, True, False])
RECORDS = st.lists(st.dictionaries(st.sampled_from(["n", "name", "is_old"]), VALUES), max_size=12)
LEAVES = st.one_of(
    st.builds(
        lambda test, value: getattr(C("n"), test)(value),
        st.sampled_from(["gt", "ge", "lt", "le", "eq", "ne"]),
        st.integers(-3, 3),
    ),
    st.builds(
        lambda test, value: getattr(C("name"), test)(value),
        st.sampled_from(["gt", "le", "eq", "ne"]),
        st.sampled_from(["", "a", "b"]),
    ),
    st.just(C("is_old")),
    st.just(C("n").is_null()),
)
PREDICATES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.builds(lambda one, other: one & other, inner, inner),
        st.builds(lambda one, other: one | other, inner, inner),
        st.builds(lambda one: ~one, inner),
    ),
    max_leaves=5,
)
FOUND = pa.schema([("n", pa.int64()), ("name", pa.string()), ("is_old", pa.bool_())])


@given(records=RECORDS, predicate=PREDICATES)
def test_any_records_and_any_predicate(
    tmp_path_factory: pytest.TempPathFactory, records: list[Any], predicate: pl.Expr
) -> None:
    path = tmp_path_factory.mktemp("rows") / "rows.ndjson"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    whole = pl.DataFrame(penstock.columns(path, FOUND, errors="skip", empty="allow"))
    frame = penstock.polars.scan(path, FOUND, errors="skip", empty="allow")
    assert frame.filter(predicate).collect().equals(whole.filter(predicate))
