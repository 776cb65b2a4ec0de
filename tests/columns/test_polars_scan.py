"""`penstock.polars.scan`: what polars pushes down gives the rows of reading everything."""

from __future__ import annotations

import gzip
import io
import json
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl
import psutil
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import penstock
import penstock.polars


@dataclass
class Level:
    station: str
    level: float
    note: int | None = None


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def levels(path: Path, count: int = 1_000) -> Path:
    return write(path, [{"station": "AB"[n % 2], "level": n + 0.5} for n in range(count)])


ENGINES = ["in-memory", "streaming"]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("into", [Level, object], ids=["class", "found"])
def test_queries(tmp_path: Path, engine: Any, into: Any) -> None:
    frame = penstock.polars.scan(levels(tmp_path / "levels.ndjson"), into)
    assert isinstance(frame, pl.LazyFrame)
    high = frame.filter(pl.col("level") > 990).select("station")
    assert high.collect(engine=engine)["station"].to_list() == ["A", "B"] * 5
    # It can be collected again.
    assert high.collect(engine=engine).height == 10
    assert frame.select(pl.len()).collect(engine=engine).item() == 1_000
    assert frame.head(2).select("level").collect(engine=engine).rows() == [(0.5,), (1.5,)]
    most = frame.group_by("station").agg(pl.col("level").max()).sort("station")
    assert most.collect(engine=engine).rows() == [("A", 998.5), ("B", 999.5)]
    both = frame.join(frame, on="level").select(pl.len())
    assert both.collect(engine=engine).item() == 1_000


@pytest.mark.parametrize("engine", ENGINES)
def test_only_the_columns_of_a_query_are_parsed(tmp_path: Path, engine: Any) -> None:
    path = write(
        tmp_path / "wrong.ndjson",
        [{"station": "A", "level": "high", "note": 1}, {"station": "B", "level": "low", "note": 2}],
    )
    frame = penstock.polars.scan(path, Level)
    assert frame.select("station").collect(engine=engine).rows() == [("A",), ("B",)]
    later = frame.filter(pl.col("note") > 1).select("station")
    assert later.collect(engine=engine).rows() == [("B",)]
    with pytest.raises(penstock.ValidationError) as raised:
        frame.collect(engine=engine)
    assert str(raised.value) == f"{path}:1:27: expected float, got a string (record 1, at level)"


@pytest.mark.thread_unsafe(reason="it counts the open files of the process")
@pytest.mark.parametrize("engine", ENGINES)
def test_a_limit_closes_the_file(tmp_path: Path, engine: Any) -> None:
    path = tmp_path / "levels.ndjson"
    # Far behind the limit is a record that would be an error.
    path.write_text(levels(path, 200_000).read_text() + '{"station": "A", "level": "high"}\n')
    frame = penstock.polars.scan(path, Level)
    assert frame.head(3).collect(engine=engine)["level"].to_list() == [0.5, 1.5, 2.5]
    assert str(path) not in {each.path for each in psutil.Process().open_files()}


def test_nothing_is_read_before_it_is_collected(tmp_path: Path) -> None:
    path = tmp_path / "levels.ndjson"
    for into in (Level, object):
        # It is not even there.
        frame = penstock.polars.scan(path, into).filter(pl.col("level") > 1)
        with pytest.raises(pl.exceptions.ComputeError, match="No such file or directory"):
            frame.collect()
        levels(path, 3)
        assert frame.collect()["level"].to_list() == [1.5, 2.5]
        # With the next rows it has them, too.
        levels(path, 4)
        assert frame.collect()["level"].to_list() == [1.5, 2.5, 3.5]
        path.unlink()
        with pytest.raises(FileNotFoundError):
            frame.collect()


def test_a_schema_says_the_columns(tmp_path: Path) -> None:
    path = levels(tmp_path / "levels.ndjson", 2)
    frame = penstock.polars.scan(path, pl.Schema({"level": pl.Float32}))
    assert frame.collect_schema() == {"level": pl.Float32}
    assert frame.collect().rows() == [(0.5,), (1.5,)]


def test_options_are_those_of_columns(tmp_path: Path) -> None:
    path = tmp_path / "levels.json"
    path.write_text('{"levels": [{"level": 1}, {"level": "x"}, {"level": 3}]}')
    wrong: list[penstock.DecodeError] = []
    frame = penstock.polars.scan(path, Level, at="levels/*", errors=wrong.append)
    assert frame.select("level").collect().rows() == [(1.0,), (3.0,)]
    assert [each.record for each in wrong] == [2]
    with pytest.raises(TypeError, match=r"scan\(\) got an unexpected keyword argument 'klingon'"):
        penstock.polars.scan(path, klingon=1)  # type: ignore[call-arg]


@pytest.mark.parametrize("source", [io.BytesIO(b"{}"), [b"{}"], [], None])
def test_what_can_be_read_only_once(source: Any) -> None:
    with pytest.raises(TypeError, match=r"scan\(\) takes the paths of files, because each query "):
        penstock.polars.scan(source)


@pytest.mark.parametrize("kind", ["folder", "pattern", "list"])
def test_several_files(tmp_path: Path, kind: str) -> None:
    write(tmp_path / "a.ndjson", [{"id": 1}, {"id": 2}])
    (tmp_path / "b.json").write_text('[{"id": 3, "late": true}]')
    (tmp_path / "c.csv").write_text("id\n4\n")
    source: Any = {
        "folder": tmp_path,
        "pattern": str(tmp_path / "*.*"),
        "list": [str(tmp_path / name) for name in ("a.ndjson", "b.json", "c.csv")],
    }[kind]
    frame = penstock.polars.scan(source, pl.Schema({"id": pl.Int64, "late": pl.Boolean}))
    assert frame.collect().rows() == [(1, None), (2, None), (3, True), (4, None)]
    assert frame.tail(1).collect().rows() == [(4, None)]


def test_the_path_of_each_file(tmp_path: Path) -> None:
    write(tmp_path / "a.ndjson", [{"id": 1}, {"id": 2}])
    write(tmp_path / "b.ndjson", [{"id": 3}])
    one, two = str(tmp_path / "a.ndjson"), str(tmp_path / "b.ndjson")
    frame = penstock.polars.scan(tmp_path, file_column="path")
    assert frame.collect_schema() == {"id": pl.Int64, "path": pl.String}
    assert frame.collect().rows() == [(1, one), (2, one), (3, two)]
    assert frame.select("path").collect().rows() == [(one,), (one,), (two,)]
    assert frame.filter(pl.col("path") == two).select("id").collect().rows() == [(3,)]
    assert frame.select("id").collect().rows() == [(1,), (2,), (3,)]
    single = penstock.polars.scan(one, file_column="path")
    assert single.collect().rows() == [(1, one), (2, one)]
    with pytest.raises(pl.exceptions.ComputeError, match="the records have a column 'id', too"):
        penstock.polars.scan(tmp_path, file_column="id").collect()


def test_digits_of_each_file(tmp_path: Path) -> None:
    @dataclass
    class Price:
        price: Decimal

    (tmp_path / "a.csv").write_text("price\n1.5\n")
    (tmp_path / "b.csv").write_text("price\n10.25\n")
    frame = penstock.polars.scan(tmp_path, Price, file_column="path").select("price")
    assert frame.collect().rows() == [(Decimal("1.50"),), (Decimal("10.25"),)]


def broken(folder: Path) -> Path:
    folder.mkdir()
    for name in ("a", "b", "c"):
        text = "".join(f'{{"id": {n}, "text": "{n * 7919 % 10007}"}}\n' for n in range(5_000))
        packed = gzip.compress(text.encode())
        (folder / f"{name}.ndjson.gz").write_bytes(
            packed[: len(packed) // (2 if name == "b" else 1)]
        )
    return folder


@dataclass
class Line:
    id: int
    text: str


@pytest.mark.thread_unsafe(reason="warnings are the process's")
@pytest.mark.parametrize("into", [Line, object], ids=["class", "found"])
@pytest.mark.parametrize("file_column", [None, "path"])
def test_a_broken_file_is_named_and_left_out(
    tmp_path: Path, into: Any, file_column: str | None
) -> None:
    pattern = str(broken(tmp_path / "logs") / "*.gz")
    told: list[penstock.DecodeError] = []
    frame = penstock.polars.scan(pattern, into, errors=told.append, file_column=file_column)
    height = frame.collect().height
    assert 10_000 < height < 15_000
    name = str(tmp_path / "logs" / "b.ndjson.gz")
    assert [(type(each), each.source) for each in told] == [(penstock.TruncatedInput, name)]
    skipping = penstock.polars.scan(pattern, into, errors="skip", file_column=file_column)
    with pytest.warns(penstock.BrokenFileWarning) as warned:
        assert skipping.collect().height == height
    assert [str(each.message) for each in warned] == [
        f"{told[0]}; the rest of this file is left out"
    ]
    with pytest.raises((penstock.TruncatedInput, pl.exceptions.ComputeError), match="ends early"):
        penstock.polars.scan(pattern, into, file_column=file_column).collect()


def test_one_file_that_is_broken_is_an_error(tmp_path: Path) -> None:
    path = broken(tmp_path / "logs") / "b.ndjson.gz"
    with pytest.raises(penstock.TruncatedInput, match="the gzip data ends early"):
        penstock.polars.scan(path, Line, errors="skip").collect()
    everything = penstock.polars.scan(str(path.parent / "b*"), errors="skip")
    with pytest.raises(pl.exceptions.ComputeError, match="the gzip data ends early"):
        everything.collect()


NAMES = ["a", "b", "text", "a/b", "path", "*", "a b", "^a$"]
VALUES = {
    "a": st.none() | st.integers(-3, 3),
    "b": st.floats(-2, 2) | st.just(0.0),
    "text": st.none() | st.sampled_from(["", "x", "y", "ä"]),
    "a/b": st.integers(0, 2),
    "path": st.booleans(),
    "*": st.integers(0, 1),
    "a b": st.none() | st.booleans(),
    "^a$": st.integers(0, 1),
}
ROWS = st.lists(st.fixed_dictionaries(VALUES), min_size=1, max_size=12)
PREDICATES = st.sampled_from(
    [
        pl.col("a") > 0,
        pl.col("a").is_null(),
        (pl.col("b") <= 0.5) & pl.col("path"),
        (pl.col("text") == "x") | pl.col("a").is_in([1, 2]),
        ~pl.col("a b"),
        pl.nth(7) == 1,
        pl.col("b") > pl.col("b").mean(),
        pl.col("a").is_first_distinct(),
        pl.lit(value=False),
    ]
)


@pytest.mark.thread_unsafe(reason="all examples write one file")
@settings(deadline=None, max_examples=60)
@given(
    rows=ROWS,
    predicate=PREDICATES,
    names=st.lists(st.sampled_from(NAMES), min_size=1, unique=True),
    limit=st.none() | st.integers(0, 13),
    first=st.booleans(),
    engine=st.sampled_from(ENGINES),
)
def test_any_query_has_the_rows_of_reading_everything(
    tmp_path_factory: pytest.TempPathFactory,
    rows: list[dict[str, Any]],
    predicate: pl.Expr,
    names: list[str],
    limit: int | None,
    first: bool,
    engine: Any,
) -> None:
    path = write(tmp_path_factory.getbasetemp() / "any.ndjson", rows)
    schema = pl.Schema(
        {
            "a": pl.Int64,
            "b": pl.Float64,
            "text": pl.String,
            "a/b": pl.Int64,
            "path": pl.Boolean,
            "*": pl.Int64,
            "a b": pl.Boolean,
            "^a$": pl.Int64,
        }
    )

    def query(frame: pl.LazyFrame) -> pl.LazyFrame:
        if limit is not None and first:
            frame = frame.head(limit)
        frame = frame.filter(predicate)
        if limit is not None and not first:
            frame = frame.head(limit)
        return frame.select([pl.nth(NAMES.index(name)) for name in names])

    everything = pl.DataFrame(rows, schema=schema)
    got = query(penstock.polars.scan(path, schema)).collect(engine=engine)
    assert got.equals(query(everything.lazy()).collect())
    assert got.columns == names
