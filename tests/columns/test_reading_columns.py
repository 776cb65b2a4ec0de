"""Arrow columns of others into objects of classes, by the same plans as any other source."""

from __future__ import annotations

import gc
import io
import json
import threading
import weakref
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, TypedDict
from uuid import UUID

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import penstock
from penstock import at

SETTINGS = settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))


@dataclass
class City:
    name: str
    population: Annotated[int, penstock.int32]
    latitude: Annotated[float | None, at("position/lat")] = None
    founded: date | None = None
    tags: list[str] = field(default_factory=list)


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Pair(NamedTuple):
    a: int
    b: str


@dataclass
class Inner:
    x: Annotated[int | None, at("deep/er/x")] = None
    words: list[str | None] = field(default_factory=list)
    y: Annotated[str, at("why")] = "y"


@dataclass
class Outer:
    id: Annotated[int, penstock.uint8]
    kind: Literal["a", "b"]
    colour: Colour
    when: datetime
    at: time
    span: timedelta
    price: Annotated[Decimal, penstock.decimal(9, 2)]
    key: UUID
    blob: bytes
    inner: Inner | None
    many: list[Inner]
    table: dict[str, Inner]
    pair: Pair
    wide: Annotated[float, at("far/away")] = 0.5
    far: Annotated[str | None, at("far/off")] = None


TEXT = st.text(st.characters(codec="utf-8"), max_size=5)
INNER = st.builds(
    Inner, st.none() | st.integers(0, 9), st.lists(st.none() | TEXT, max_size=2), TEXT
)
OUTER = st.builds(
    Outer,
    id=st.integers(0, 255),
    kind=st.sampled_from(["a", "b"]),
    colour=st.sampled_from(Colour),
    when=st.datetimes(timezones=st.just(UTC)),
    at=st.times(),
    span=st.timedeltas(timedelta(-999), timedelta(999)),
    price=st.decimals(-99, 99, places=2),
    key=st.uuids(),
    blob=st.binary(max_size=5),
    inner=st.none() | INNER,
    many=st.lists(INNER, max_size=2),
    table=st.dictionaries(TEXT, INNER, max_size=2),
    pair=st.builds(Pair, st.integers(0, 9), TEXT),
    wide=st.floats(allow_nan=False, allow_infinity=False),
    far=st.none() | TEXT,
)


@SETTINGS
@given(records=st.lists(OUTER, max_size=4), rows=st.integers(1, 4))
def test_columns_are_read_back_as_the_objects(records: list[Outer], rows: int) -> None:
    text = penstock.ndjson.encode(records)
    columns = penstock.ndjson.read(io.BytesIO(text), Outer).columns(rows=rows)
    assert list(penstock.read(columns, Outer)) == records
    assert penstock.ndjson.decode(text, Outer) == records


LINES = b"""\
{"name": "Bern", "population": 134591, "position": {"lat": 46.95}, "tags": ["capital"]}
{"name": "Chur", "population": 37424, "founded": "1464-04-27"}
"""


def test_a_place_of_a_class_is_found_by_the_field_or_by_the_path() -> None:
    expected = penstock.ndjson.decode(LINES, City)
    by_field = pa.table(penstock.ndjson.read(io.BytesIO(LINES), City).columns())
    assert by_field.column_names == ["name", "population", "latitude", "founded", "tags"]
    assert penstock.load(by_field, list[City]) == expected
    by_path = pa.table(
        {
            "name": ["Bern", "Chur"],
            "population": [134591, 37424],
            "position": [{"lat": 46.95}, {"lat": None}],
            "founded": [None, date(1464, 4, 27)],
            "tags": [["capital"], []],
        }
    )
    assert penstock.load(by_path, list[City]) == expected


def test_parquet_and_queries(tmp_path: Path) -> None:
    expected = penstock.ndjson.decode(LINES, City)
    path = tmp_path / "cities.parquet"
    pq.write_table(pa.table(penstock.ndjson.read(io.BytesIO(LINES), City).columns()), path)
    assert list(penstock.read(pq.ParquetFile(path).read(), City)) == expected
    query = duckdb.sql(f"select * from '{path}' order by population")
    assert list(penstock.read(query, City)) == expected[::-1]
    assert penstock.load(pl.read_parquet(path), list[City]) == expected
    assert penstock.load(pq.read_table(path).to_batches()[0], list[City]) == expected


def test_without_a_class() -> None:
    table = pa.table({"a": [1, None], "t": pa.array([None, 1], pa.timestamp("s", "UTC"))})
    expected = [{"a": 1, "t": None}, {"a": None, "t": datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC)}]
    assert penstock.load(table) == expected
    assert list(penstock.read(table)) == expected
    assert list(penstock.read(pa.array([1, 2]), int)) == [1, 2]
    assert penstock.load(pa.array([[1], None]), list[list[int] | None]) == [[1], None]


@dataclass
class Circle:
    radius: float


@dataclass
class Square:
    side: float


Shape = Annotated[Circle | Square, penstock.tag("type", {"o": Circle, "#": Square})]


def test_the_key_that_gives_the_class_may_come_last() -> None:
    table = pa.array([{"radius": 1.5, "type": "o"}, {"radius": 2.5, "type": "o"}])
    assert penstock.load(table, list[Shape]) == [Circle(1.5), Circle(2.5)]
    table = pa.table({"shape": [{"side": 1.5, "type": "#"}]})
    assert penstock.load(table, list[dict[str, Shape]]) == [{"shape": Square(1.5)}]


def test_names_that_the_class_does_not_have() -> None:
    table = pa.table({"name": ["x"], "population": [3], "more": [{"a": [1]}]})
    assert penstock.load(table, list[City]) == [City("x", 3)]
    reader = penstock.read(table, City, unknown="collect")
    assert list(reader) == [City("x", 3)]
    assert reader.unknown == {"City.more": 1}
    with pytest.raises(penstock.ValidationError) as found:
        penstock.load(table, list[City], unknown="error")
    assert "more" in str(found.value)


WRONG = pa.table({"name": ["x", "y", "z"], "population": [3, None, 5]})
MESSAGE = "<Arrow stream>: expected int, got null (record 2, at population)"


def test_errors() -> None:
    reader = penstock.read(WRONG, City)
    assert next(reader) == City("x", 3)
    with pytest.raises(penstock.ValidationError) as found:
        next(reader)
    error = found.value
    assert str(error) == MESSAGE
    assert (error.source, error.format, error.record, error.path, error.code) == (
        "<Arrow stream>",
        "arrow",
        2,
        "population",
        "type",
    )
    assert (error.line, error.column, error.offset, error.excerpt) == (None, None, None, None)
    reader = penstock.read(WRONG, City, errors="skip")
    assert ([city.name for city in reader], reader.skipped) == (["x", "z"], 1)
    errors: list[Any] = []
    assert len(list(penstock.read(WRONG, City, errors=errors.append))) == 2
    assert [str(error) for error in errors] == [MESSAGE]
    with pytest.raises(ExceptionGroup) as group:
        list(penstock.read(WRONG, City, errors="collect"))
    assert [str(error) for error in group.value.exceptions] == [MESSAGE]


def test_an_error_in_nested_columns_has_its_path() -> None:
    table = pa.table({"v": [{"a": [[1], [2, None]]}]})
    with pytest.raises(penstock.ValidationError) as found:
        penstock.load(table, list[dict[str, dict[str, list[list[int]]]]])
    assert str(found.value) == ("<Arrow stream>: expected int, got null (record 1, at v/a/1/1)")


def test_a_producer_that_fails() -> None:
    def batches() -> Any:
        yield pa.record_batch({"name": ["x"], "population": [3]})
        raise ValueError("the source is gone")

    schema = pa.schema({"name": pa.string(), "population": pa.int64()})
    reader = penstock.read(pa.RecordBatchReader.from_batches(schema, batches()), City)
    assert next(reader) == City("x", 3)
    with pytest.raises(penstock.DecodeError) as found:
        next(reader)
    assert str(found.value).startswith("<Arrow stream>: reading failed: ")
    assert "the source is gone" in str(found.value)
    assert list(reader) == []


def test_types_without_events() -> None:
    spans = pa.table({"span": pa.array([pa.MonthDayNano([1, 2, 3])])})
    with pytest.raises(penstock.DecodeError) as found:
        penstock.read(spans)
    reason = "the Arrow type Interval(MonthDayNano) has no form (at span)"
    assert str(found.value) == f"<Arrow stream>: {reason}"


def test_options_that_are_for_files() -> None:
    table = pa.table({"a": [1]})
    options: dict[str, Any] = {
        "at": "a/*",
        "format": "json",
        "encoding": "utf-8",
        "compression": None,
        "member": "x",
    }
    for option, value in options.items():
        with pytest.raises(TypeError, match=f"^{option}= is no option for Arrow columns$"):
            penstock.read(table, **{option: value})
    with pytest.raises(TypeError) as found:
        penstock.load(table, City)  # type: ignore[arg-type]
    assert str(found.value) == "load() of Arrow columns gives a list: ask for list[City]"


def test_batches_and_progress() -> None:
    table = pa.concat_tables([pa.table({"a": list(range(10))})] * 3)
    reader = penstock.read(table, dict[str, int])
    assert repr(reader) == "Reader(<Arrow stream> -> dict[str, int], each row, 0 records, 0 bytes)"
    assert [len(batch) for batch in reader.batches(12)] == [12, 12, 6]
    assert reader.progress.records == 30


def test_columns_into_other_columns() -> None:
    table = pa.table({"name": ["x"], "population": [3], "more": [1]})
    columns = penstock.read(table, City).columns()
    assert pa.table(columns).column_names == ["name", "population", "latitude", "founded", "tags"]
    text = io.BytesIO()
    penstock.convert(penstock.read(table, City).columns(), text, to="ndjson")
    assert json.loads(text.getvalue())["population"] == 3


def test_a_reader_that_is_left_releases_the_stream() -> None:
    class Producer:
        def __init__(self) -> None:
            self.batches = 0

        def give(self) -> Any:
            while True:
                self.batches += 1
                yield pa.record_batch({"a": [self.batches]})

    producer = Producer()
    gone = weakref.ref(producer)
    stream = pa.RecordBatchReader.from_batches(pa.schema({"a": pa.int64()}), producer.give())
    del producer
    with penstock.read(stream, dict[str, int]) as reader:
        assert next(reader) == {"a": 1}
    del stream, reader
    gc.collect()
    assert gone() is None


def test_other_threads_run_while_a_batch_is_awaited() -> None:
    come = threading.Event()

    def batches() -> Any:
        assert come.wait(10)
        yield pa.record_batch({"a": [1]})

    stream = pa.RecordBatchReader.from_batches(pa.schema({"a": pa.int64()}), batches())
    thread = threading.Timer(0.05, come.set)
    thread.start()
    assert penstock.load(stream) == [{"a": 1}]
    thread.join()


class Row(TypedDict):
    a: int


def test_objects_of_the_user_run_between() -> None:
    reader = penstock.read(pa.table({"a": [1, 2]}), Row)
    assert next(reader) == {"a": 1}
    reader.close()
    with pytest.raises(ValueError, match="closed"):
        next(reader)
