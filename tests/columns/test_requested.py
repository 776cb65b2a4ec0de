"""A consumer asks for other types of the same values."""

from __future__ import annotations

import datetime as dt
import io
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any, Literal
from uuid import UUID

import duckdb
import polars as pl
import pyarrow as pa
import pytest

import penstock


@dataclass
class Inner:
    at: dt.datetime
    tags: list[str]


@dataclass
class Row:
    n: int
    name: str
    grade: Literal["low", "high"]
    word: Annotated[str, penstock.dictionary]
    data: bytes
    at: dt.datetime
    clock: Annotated[dt.datetime, penstock.timestamp("us", None)]
    day: dt.date
    time: dt.time
    span: dt.timedelta
    price: Annotated[Decimal, penstock.decimal(9, 2)]
    inner: Inner
    counts: dict[str, int]
    pair: tuple[int, int]
    ratio: Annotated[float, penstock.float32]
    nothing: None = None
    maybe: str | None = None


ROW = (
    '{"n": %d, "name": "a longer name %d", "grade": "high", "word": "%s", "data": "YWI=",'
    '"at": "2026-01-02T03:04:05Z", "clock": "2026-01-02T03:04:05", "day": "2026-01-02",'
    '"time": "03:04:05", "span": "PT1H", "price": "1.50",'
    '"inner": {"at": "2026-01-02T03:04:05Z", "tags": ["x", "a tag that is longer"]},'
    '"counts": {"a": 1, "b": 2}, "pair": [3, 4], "ratio": 0.5%s}\n'
)
DATA = "".join(ROW % (n, n, "even" if n % 2 == 0 else "odd", "") for n in range(5))
DATA += ROW % (5, 5, "odd", ', "maybe": "there"')


def rows(data: str = DATA) -> penstock.Columns:
    return penstock.ndjson.read(io.BytesIO(data.encode()), Row).columns(rows=4)


def asked(**types: pa.DataType) -> pa.Schema:
    """The schema of the rows, with other types for some of the columns."""
    own = pa.schema(rows())
    return pa.schema(
        [field.with_type(types[field.name]) if field.name in types else field for field in own]
    )


def requested(schema: pa.Schema, data: str = DATA) -> pa.Table:
    reader = pa.RecordBatchReader.from_stream(rows(data), schema=schema)
    table = reader.read_all()
    table.validate(full=True)
    return table


OWN = pa.table(rows())


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        *(("n", kind) for kind in (pa.int8(), pa.int16(), pa.int32(), pa.uint8(), pa.uint64())),
        *(("name", kind) for kind in (pa.large_string(), pa.string_view())),
        ("name", pa.dictionary(pa.int8(), pa.string())),
        ("name", pa.dictionary(pa.int64(), pa.large_string())),
        ("name", pa.dictionary(pa.uint16(), pa.string_view())),
        *(("word", kind) for kind in (pa.string(), pa.large_string(), pa.string_view())),
        ("word", pa.dictionary(pa.uint8(), pa.large_string())),
        *(("grade", kind) for kind in (pa.string(), pa.string_view())),
        ("grade", pa.dictionary(pa.int16(), pa.string())),
        *(("data", kind) for kind in (pa.large_binary(), pa.binary_view())),
        *(("at", pa.timestamp(unit, "UTC")) for unit in ("s", "ms", "ns")),
        ("at", pa.timestamp("us", "+02:00")),
        *(("clock", pa.timestamp(unit)) for unit in ("s", "ms", "ns")),
        ("day", pa.date64()),
        *(("time", kind) for kind in (pa.time32("s"), pa.time32("ms"), pa.time64("ns"))),
        *(("span", pa.duration(unit)) for unit in ("s", "ms", "ns")),
        ("price", pa.decimal128(38, 4)),
        ("price", pa.decimal128(3, 1)),
        ("price", pa.decimal256(70, 2)),
        ("price", pa.decimal32(5, 2)),
        ("price", pa.decimal64(10, 1)),
        ("inner", pa.struct([("at", pa.timestamp("s", "UTC")), ("tags", pa.list_(pa.string()))])),
        (
            "inner",
            pa.struct(
                [("at", pa.timestamp("us", "UTC")), ("tags", pa.large_list(pa.string_view()))]
            ),
        ),
        ("counts", pa.map_(pa.large_string(), pa.int8())),
        ("pair", pa.list_(pa.uint8(), 2)),
        ("ratio", pa.float64()),
        ("nothing", pa.int64()),
        *(
            ("nothing", kind)
            for kind in (pa.bool_(), pa.string(), pa.large_binary(), pa.string_view(), pa.date64())
        ),
        *(("nothing", kind) for kind in (pa.decimal256(50, 2), pa.decimal32(5, 2), pa.float16())),
        ("maybe", pa.string_view()),
        ("maybe", pa.dictionary(pa.int32(), pa.string())),
        ("maybe", pa.large_string()),
    ],
    ids=str,
)
def test_types(name: str, kind: pa.DataType) -> None:
    table = requested(asked(**{name: kind}))
    assert str(table.schema.field(name).type) == str(kind)
    seen, own = table[name].to_pylist(), OWN[name].to_pylist()
    # Of an offset, the instants are the same.
    assert seen == own
    assert table.drop_columns([name]).equals(OWN.drop_columns([name]))


def test_views_for_polars_and_duckdb() -> None:
    table = requested(asked(name=pa.string_view(), word=pa.string_view(), maybe=pa.string_view()))
    frame: Any = pl.from_arrow(table.select(["name", "word", "maybe"]))
    assert frame.rows() == [
        (f"a longer name {n}", "odd" if n % 2 else "even", "there" if n == 5 else None)
        for n in range(6)
    ]
    chosen = table.select(["name", "word"])  # noqa: F841 - DuckDB finds it by its name
    query = "select word, max(name) from chosen group by word order by word"
    assert duckdb.sql(query).fetchall() == [("even", "a longer name 4"), ("odd", "a longer name 5")]


def test_a_batch() -> None:
    schema = asked(name=pa.string_view(), n=pa.int8())
    batch = next(rows())
    taken = pa.record_batch(batch, schema=schema)
    assert taken.schema.field("name").type == pa.string_view()
    assert taken.schema.field("n").type == pa.int8()
    assert taken.to_pylist() == OWN.slice(0, 4).to_pylist()
    # A batch can be taken as often as you like.
    assert pa.record_batch(batch).schema.field("n").type == pa.int64()


def test_what_cannot_be_had_keeps_its_own_type() -> None:
    @dataclass
    class Own:
        ratio: float
        key: UUID
        size: int

    own = penstock.json.read(
        io.BytesIO(b'[{"ratio": 0.1, "key": "12345678123456781234567812345678", "size": 7}]'), Own
    ).columns()
    schema = pa.schema([("ratio", pa.float32()), ("key", pa.binary()), ("size", pa.int8())])
    capsule = schema.__arrow_c_schema__()
    table = pa.RecordBatchReader._import_from_c_capsule(own.__arrow_c_stream__(capsule)).read_all()
    assert table.schema.field("ratio").type == pa.float64()
    assert table.schema.field("key").type == pa.uuid()
    assert table.schema.field("size").type == pa.int8()
    assert table["size"].to_pylist() == [7]


@pytest.mark.parametrize(
    ("types", "data", "message"),
    [
        (
            {"n": pa.int8()},
            DATA + ROW % (300, 0, "x", ""),
            "n: 300 does not fit Int8, which was requested (row 7)",
        ),
        (
            {"n": pa.uint64()},
            ROW % (-1, 0, "x", ""),
            "n: -1 does not fit UInt64, which was requested (row 1)",
        ),
        (
            {"at": pa.timestamp("s", "UTC")},
            DATA.replace(
                '"at": "2026-01-02T03:04:05Z", "clock"', '"at": "2026-01-02T03:04:05.5Z", "clock"'
            ),
            'at: the value does not fit Timestamp(s, "UTC"), which was requested (row 1)',
        ),
        (
            {"clock": pa.timestamp("ns")},
            DATA
            + ROW.replace('T03:04:05"', 'T03:04:05"').replace('"clock": "2026', '"clock": "2500')
            % (0, 0, "x", ""),
            "clock: the value does not fit Timestamp(ns), which was requested (row 7)",
        ),
        (
            {"price": pa.decimal128(9, 1)},
            DATA.replace("1.50", "1.55"),
            "price: the value does not fit Decimal128(9, 1), which was requested (row 1)",
        ),
        (
            {"price": pa.decimal32(2, 1)},
            DATA.replace("1.50", "10"),
            "price: the value does not fit Decimal32(2, 1), which was requested (row 1)",
        ),
        (
            {"counts": pa.map_(pa.string(), pa.int8())},
            DATA.replace(
                '"b": 2}, "pair": [3, 4], "ratio": 0.5, "m',
                '"b": 200}, "pair": [3, 4], "ratio": 0.5, "m',
            ),
            "counts/entries/value: 200 does not fit Int8, which was requested (row 6)",
        ),
        (
            {"word": pa.dictionary(pa.int8(), pa.string())},
            "".join(ROW % (0, 0, f"w{n}", "") for n in range(4)),
            None,
        ),
    ],
)
def test_values_that_do_not_fit(
    types: dict[str, pa.DataType], data: str, message: str | None
) -> None:
    if message is None:
        assert requested(asked(**types), data)["word"].to_pylist() == ["w0", "w1", "w2", "w3"]
        return
    with pytest.raises(pa.ArrowInvalid) as caught:
        requested(asked(**types), data)
    assert str(caught.value) == message


def test_too_many_strings_for_the_places() -> None:
    @dataclass
    class Word:
        word: str

    data = "".join(f'{{"word": "w{n}"}}\n' for n in range(200)).encode()
    schema = pa.schema([("word", pa.dictionary(pa.int8(), pa.string()))])
    columns = penstock.ndjson.read(io.BytesIO(data), Word).columns()
    with pytest.raises(pa.ArrowInvalid) as caught:
        pa.RecordBatchReader.from_stream(columns, schema=schema).read_all()
    assert str(caught.value) == "word: 128 does not fit Int8, which was requested (row 129)"


def test_what_is_no_schema_of_the_data() -> None:
    columns = penstock.json.read(io.BytesIO(b'[{"at": "2026-01-02T03:04:05Z", "tags": []}]'), Inner)
    stream = columns.columns()
    wrong = [
        (
            [("at", pa.timestamp("us", "UTC"))],
            "the requested columns are at, and these are at, tags",
        ),
        (
            [("tags", pa.list_(pa.string())), ("at", pa.timestamp("us", "UTC"))],
            "the requested columns are tags, at, and these are at, tags",
        ),
        (
            [("at", pa.timestamp("us")), ("tags", pa.list_(pa.string()))],
            'the requested column at is Timestamp(µs), and this one is Timestamp(µs, "UTC")',
        ),
        (
            [("at", pa.timestamp("us", "UTC")), ("tags", pa.list_(pa.int8()))],
            "the requested column tags/item is Int8, and this one is Utf8",
        ),
    ]
    for fields, message in wrong:
        with pytest.raises(ValueError, match="requested column") as caught:
            stream.__arrow_c_stream__(pa.schema(fields).__arrow_c_schema__())
        assert str(caught.value) == message
    with pytest.raises(TypeError) as refused:
        stream.__arrow_c_stream__(pa.schema(wrong[0][0]))
    assert str(refused.value) == "requested_schema must be a capsule or None, not Schema"
    # Nothing of it was taken.
    assert pa.table(stream).num_rows == 1


def test_structs_are_compared_by_their_names() -> None:
    schema = asked(inner=pa.struct([("at", pa.timestamp("us", "UTC"))]))
    with pytest.raises(ValueError, match="requested column") as caught:
        rows().__arrow_c_stream__(schema.__arrow_c_schema__())
    assert str(caught.value) == "the requested columns of inner are at, and these are at, tags"
