"""`penstock.duckdb.register`: a name that queries read again and again."""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Any, Literal
from uuid import UUID

import duckdb
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import penstock
import penstock.duckdb

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


pytestmark = pytest.mark.thread_unsafe(reason="all threads have one connection")


@dataclass
class Level:
    station: str
    level: float
    note: int | None = None


@pytest.fixture
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as opened:
        yield opened


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def levels(path: Path, count: int = 1_000) -> Path:
    return write(path, [{"station": "AB"[n % 2], "level": n + 0.5} for n in range(count)])


@pytest.mark.parametrize("into", [Level, object], ids=["class", "found"])
def test_a_name_is_queried_again_and_again(
    tmp_path: Path, connection: duckdb.DuckDBPyConnection, into: Any
) -> None:
    path = levels(tmp_path / "levels.ndjson")
    table = penstock.duckdb.register(connection, "levels", path, into)
    for _ in range(2):
        found = connection.sql("select count(*), max(level) from levels").fetchall()
        assert found == [(1_000, 999.5)]
    assert table.aggregate("count(*)").fetchall() == [(1_000,)]
    assert table.filter("level > 998").order("level").project("level").fetchall() == [
        (998.5,),
        (999.5,),
    ]
    # A file that has grown is read as it is now.
    levels(path, 1_002)
    assert connection.sql("select count(*) from levels").fetchall() == [(1_002,)]
    connection.unregister("levels")
    with pytest.raises(duckdb.Error, match="levels"):
        connection.sql("select * from levels")


@pytest.mark.parametrize("name", ["a b", 'a"b', "select", "main.levels", "ä"])
def test_any_name(tmp_path: Path, connection: duckdb.DuckDBPyConnection, name: str) -> None:
    path = levels(tmp_path / "levels.ndjson", 3)
    table = penstock.duckdb.register(connection, name, path, Level)
    assert table.aggregate("count(*)").fetchall() == [(3,)]
    assert table.project("level").fetchall() == [(0.5,), (1.5,), (2.5,)]


def test_two_names_are_joined(tmp_path: Path, connection: duckdb.DuckDBPyConnection) -> None:
    penstock.duckdb.register(connection, "levels", levels(tmp_path / "levels.ndjson", 6), Level)
    (tmp_path / "stations.csv").write_text("id,name\nA,Bern\nB,Chur\n")
    penstock.duckdb.register(connection, "stations", tmp_path / "stations.csv")
    query = """
        select name, sum(level) from levels join stations on station = id
        where level > 1 group by name order by name
    """
    assert connection.sql(query).fetchall() == [("Bern", 7.0), ("Chur", 10.5)]
    itself = "select count(*) from levels x join levels y using (station) where x.level < y.level"
    assert connection.sql(itself).fetchall() == [(6,)]


def test_only_the_columns_of_a_query_are_parsed(
    tmp_path: Path, connection: duckdb.DuckDBPyConnection
) -> None:
    path = write(
        tmp_path / "wrong.ndjson",
        [{"station": "A", "level": "high", "note": 1}, {"station": "B", "level": "low", "note": 2}],
    )
    penstock.duckdb.register(connection, "levels", path, Level)
    assert connection.sql("select station from levels").fetchall() == [("A",), ("B",)]
    assert connection.sql("select station from levels where note > 1").fetchall() == [("B",)]
    with pytest.raises(duckdb.Error) as raised:
        connection.sql("select * from levels").fetchall()
    assert f"{path}:1:27: expected float, got a string (record 1, at level)" in str(raised.value)


def test_a_limit_does_not_read_on(tmp_path: Path, connection: duckdb.DuckDBPyConnection) -> None:
    path = levels(tmp_path / "levels.ndjson", 200_000)
    path.write_text(path.read_text() + '{"station": "A", "level": "high"}\n')
    penstock.duckdb.register(connection, "levels", path, Level)
    assert connection.sql("select level from levels limit 2").fetchall() == [(0.5,), (1.5,)]


def test_types(tmp_path: Path, connection: duckdb.DuckDBPyConnection) -> None:
    @dataclass
    class Everything:
        id: UUID
        grade: Literal["low", "high"]
        price: Annotated[Decimal, penstock.decimal(9, 2)]
        day: date
        parts: list[int]
        details: Any

    row = {
        "id": "12345678-1234-5678-1234-567812345678",
        "grade": "high",
        "price": 1.5,
        "day": "2026-01-02",
        "parts": [1, 2],
        "details": {"by": ["Ada"]},
    }
    path = write(tmp_path / "everything.ndjson", [row, row | {"grade": "low", "price": 2.5}])
    penstock.duckdb.register(connection, "everything", path, Everything)
    # The types are those of the columns themselves.
    columns = penstock.columns(path, Everything)  # noqa: F841 - DuckDB finds it by its name
    shown = connection.sql("select * from everything")
    assert shown.types == connection.sql("select * from columns").types
    assert shown.fetchall()[0] == (
        UUID(str(row["id"])),
        "high",
        Decimal("1.50"),
        date(2026, 1, 2),
        [1, 2],
        '{"by":["Ada"]}',
    )
    query = """
        select price from everything where grade = 'low' and price > 2 and day = date '2026-01-02'
        and id = '12345678-1234-5678-1234-567812345678' and (details->>'$.by[0]') = 'Ada'
    """
    assert connection.sql(query).fetchall() == [(Decimal("2.50"),)]


def test_the_path_of_each_file(tmp_path: Path, connection: duckdb.DuckDBPyConnection) -> None:
    write(tmp_path / "a.ndjson", [{"id": 1}, {"id": 2}])
    write(tmp_path / "b.ndjson", [{"id": 3}])
    one, two = str(tmp_path / "a.ndjson"), str(tmp_path / "b.ndjson")
    table = penstock.duckdb.register(connection, "files", tmp_path, file_column="path")
    assert table.columns == ["id", "path"]
    assert table.fetchall() == [(1, one), (2, one), (3, two)]
    counted = "select path, count(*) from files group by path order by path"
    assert connection.sql(counted).fetchall() == [(one, 2), (two, 1)]
    assert connection.sql(f"select id from files where path = '{two}'").fetchall() == [(3,)]
    assert connection.sql("select id from files").fetchall() == [(1,), (2,), (3,)]
    with pytest.raises(ValueError, match="file_column: the records have a column 'id', too"):
        penstock.duckdb.register(connection, "more", tmp_path, file_column="id")


def test_a_broken_file_is_named_and_left_out(
    tmp_path: Path, connection: duckdb.DuckDBPyConnection
) -> None:
    for folder in ("x", "y", "y/z"):
        (tmp_path / folder).mkdir()
        text = "".join(f'{{"id": {n}, "text": "{n * 7919 % 10007}"}}\n' for n in range(5_000))
        packed = gzip.compress(text.encode())
        half = packed[: len(packed) // 2]
        (tmp_path / folder / "log.ndjson.gz").write_bytes(half if folder == "y" else packed)
    told: list[penstock.DecodeError] = []
    pattern = str(tmp_path / "**/*.gz")
    penstock.duckdb.register(connection, "logs", pattern, errors=told.append, file_column="path")
    counted = connection.sql("select path, count(*) from logs group by 1 order by 1").fetchall()
    assert [path for path, _ in counted] == [
        str(tmp_path / name / "log.ndjson.gz") for name in ("x", "y", "y/z")
    ]
    assert (counted[0][1], counted[2][1]) == (5_000, 5_000)
    assert 0 < counted[1][1] < 5_000
    assert [each.source for each in told] == [str(tmp_path / "y/log.ndjson.gz")]
    penstock.duckdb.register(connection, "skipping", pattern, errors="skip")
    with pytest.warns(penstock.BrokenFileWarning, match="the rest of this file is left out"):
        assert connection.sql("select count(*) from skipping").fetchall()[0][0] > 10_000
    with pytest.raises(penstock.TruncatedInput, match="the gzip data ends early"):
        penstock.duckdb.register(connection, "strict", pattern)


def test_what_cannot_be_registered(tmp_path: Path, connection: duckdb.DuckDBPyConnection) -> None:
    with pytest.raises(FileNotFoundError):
        penstock.duckdb.register(connection, "nothing", tmp_path / "nothing.json", Level)
    table = pa.table({"a": [1]})
    with pytest.raises(TypeError, match=r"^register\(\) takes the paths of files, because each "):
        penstock.duckdb.register(connection, "table", table)  # type: ignore[arg-type]


VALUES = {
    "a": st.none() | st.integers(-3, 3),
    "b": st.floats(-2, 2),
    "and": st.none() | st.sampled_from(["", "x", "y", "ä"]),
    "a/b": st.integers(0, 2),
    'odd "name"\n': st.booleans(),
    "s": st.none() | st.fixed_dictionaries({"a": st.integers(0, 3)}),
}


@settings(deadline=None, max_examples=60)
@given(
    rows=st.lists(st.fixed_dictionaries(VALUES), min_size=1, max_size=12),
    predicate=st.sampled_from(
        [
            "true",
            "a > 0",
            "a is null",
            "a is not null and b >= 0.25",
            "\"and\" = 'x' or a in (1, 2)",
            '"odd ""name""\n"',
            '"a/b" = 1',
            "s.a > 1",
            "not (a between -1 and 1)",
            "b > (select avg(b) from {table})",
        ]
    ),
    names=st.lists(st.sampled_from([*VALUES]), min_size=1, unique=True),
)
def test_any_query_has_the_rows_of_reading_everything(
    tmp_path_factory: pytest.TempPathFactory,
    rows: list[dict[str, Any]],
    predicate: str,
    names: list[str],
) -> None:
    path = write(tmp_path_factory.getbasetemp() / "any.ndjson", rows)
    schema = pa.schema(
        {
            "a": pa.int64(),
            "b": pa.float64(),
            "and": pa.string(),
            "a/b": pa.int64(),
            'odd "name"\n': pa.bool_(),
            "s": pa.struct({"a": pa.int64()}),
        }
    )
    quoted = ", ".join('"' + name.replace('"', '""') + '"' for name in names)
    with duckdb.connect() as connection:
        penstock.duckdb.register(connection, "files", path, schema)
        connection.register("everything", pa.Table.from_pylist(rows, schema))
        got, expected = (
            connection.sql(
                f"select {quoted} from {table} where {predicate.replace('{table}', table)}"
            ).fetchall()
            for table in ("files", "everything")
        )
    assert got == expected
