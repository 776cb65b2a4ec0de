"""Schemas of other libraries as the type of records."""

from __future__ import annotations

import io
import json
from decimal import Decimal
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from in_columns import Chunks, batches, rows, table

import penstock
from penstock import PlanError, ValidationError

SETTINGS = settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))

# Each: an Arrow type, and a value in JSON and in Python.
TYPES: dict[str, tuple[pa.DataType, Any, Any]] = {
    "null": (pa.null(), None, None),
    "bool": (pa.bool_(), True, True),
    "int8": (pa.int8(), -128, -128),
    "int16": (pa.int16(), 32767, 32767),
    "int32": (pa.int32(), -1, -1),
    "int64": (pa.int64(), 2**63 - 1, 2**63 - 1),
    "uint8": (pa.uint8(), 255, 255),
    "uint16": (pa.uint16(), 7, 7),
    "uint32": (pa.uint32(), 7, 7),
    "uint64": (pa.uint64(), 2**64 - 1, 2**64 - 1),
    "float": (pa.float32(), 0.5, 0.5),
    "double": (pa.float64(), 0.1, 0.1),
    "string": (pa.string(), "Zürich", "Zürich"),
    "binary": (pa.binary(), "cGVu", b"pen"),
    "dictionary": (pa.dictionary(pa.int32(), pa.string()), "ZH", "ZH"),
    "decimal128": (pa.decimal128(9, 2), 12.5, Decimal("12.50")),
    "list": (pa.list_(pa.int16()), [1, None], [1, None]),
    "array": (pa.list_(pa.float64(), 2), [1, 2.5], [1.0, 2.5]),
    "struct": (
        pa.struct([pa.field("a", pa.int64(), nullable=False), pa.field("b", pa.string())]),
        {"a": 1},
        {"a": 1, "b": None},
    ),
    "map": (pa.map_(pa.string(), pa.int32()), {"a": 1, "b": None}, {"a": 1, "b": None}),
}


@pytest.mark.parametrize("name", TYPES)
def test_a_type(name: str) -> None:
    kind, written, value = TYPES[name]
    schema = pa.schema([pa.field("x", kind), pa.field("y", pa.list_(kind))])
    lines = [{"x": written, "y": [written, None]}, {"x": None}, {}]
    data = "\n".join(map(json.dumps, lines)).encode()
    made = table(penstock.columns(io.BytesIO(data), schema, format="ndjson"))
    assert made.schema == schema
    expected = [{"x": value, "y": [value, None]}, {"x": None, "y": None}, {"x": None, "y": None}]
    assert made.to_pylist(maps_as_pydicts="strict") == expected


@pytest.mark.parametrize("kind", ["timestamp", "naive", "date", "time", "duration", "uuid", "big"])
def test_a_type_of_text(kind: str) -> None:
    of, text = {
        "timestamp": (pa.timestamp("ms", "UTC"), "2026-01-02T03:04:05Z"),
        "naive": (pa.timestamp("s"), "2026-01-02T03:04:05"),
        "date": (pa.date32(), "2026-01-02"),
        "time": (pa.time64("us"), "03:04:05"),
        "duration": (pa.duration("us"), "PT1H"),
        "uuid": (pa.uuid(), "12345678-9abc-def0-1234-56789abcdef0"),
        "big": (pa.decimal256(50, 1), "123.5"),
    }[kind]
    schema = pa.schema([pa.field("x", of, nullable=False)])
    data = json.dumps([{"x": text}]).encode()
    made = table(penstock.columns(io.BytesIO(data), schema, format="json"))
    assert made.schema == schema
    assert made.num_rows == 1


def test_a_key_that_must_be_there() -> None:
    schema = pa.schema([pa.field("x", pa.int64(), nullable=False), pa.field("y", pa.int64())])
    columns = penstock.columns(io.BytesIO(b'{"x": 1}\n{"y": 2}\n'), schema, format="ndjson")
    found = batches(columns)
    assert next(found) == {"x": 1, "y": None}
    with pytest.raises(ValidationError) as caught:
        next(found)
    text = 'line 2, column 8: Record lacks the required key "x" (record 2)'
    assert str(caught.value) == text


def test_schemas_of_libraries() -> None:
    data = b'{"name": "Bern", "size": 134591}\n'
    expected = [{"name": "Bern", "size": 134591}]
    arrow = pa.schema([("name", pa.string()), ("size", pa.int64())])
    columns = penstock.columns(io.BytesIO(data), arrow, format="ndjson")
    for schema in (arrow, columns, next(columns)):
        again = penstock.ndjson.read(io.BytesIO(data), schema)
        assert list(again) == expected
        assert rows(penstock.ndjson.read(io.BytesIO(data), schema).columns()) == expected
    for take in (pl.DataFrame, pd.DataFrame.from_arrow):
        columns = penstock.columns(io.BytesIO(data), arrow, format="ndjson")
        assert list(take(columns)["size"]) == [134591]


def test_elements_and_attributes() -> None:
    data = b"<all><a id='7'><b>x</b><b>y</b>z</a><a id='8'/></all>"
    schema = pa.schema(
        [
            pa.field("@id", pa.int64()),
            pa.field("b", pa.list_(pa.field("item", pa.string(), nullable=False)), nullable=False),
            pa.field("#text", pa.string()),
        ]
    )
    found = rows(penstock.columns(io.BytesIO(data), schema, format="xml", at="all/a"))
    assert found == [
        {"@id": 7, "b": ["x", "y"], "#text": "z"},
        {"@id": 8, "b": [], "#text": ""},
    ]


def test_other_layouts_of_the_same_values() -> None:
    data = b'{"s": "x", "b": "cGVu", "l": ["y"], "d": "z", "m": {"k": 1}}\n{}\n'
    schema = pa.schema(
        [
            ("s", pa.large_string()),
            ("b", pa.binary_view()),
            ("l", pa.large_list(pa.string_view())),
            ("d", pa.dictionary(pa.uint32(), pa.large_string())),
            ("m", pa.map_(pa.string_view(), pa.int64())),
        ]
    )
    made = table(penstock.columns(io.BytesIO(data), schema, format="ndjson"))
    assert made.to_pylist(maps_as_pydicts="strict") == [
        {"s": "x", "b": b"pen", "l": ["y"], "d": "z", "m": {"k": 1}},
        dict.fromkeys("sbldm"),
    ]
    assert made.schema.types == [
        pa.string(),
        pa.binary(),
        pa.list_(pa.string()),
        pa.dictionary(pa.int32(), pa.string()),
        pa.map_(pa.string(), pa.int64()),
    ]


def test_a_schema_of_polars() -> None:
    of = {
        "s": pl.String,
        "i": pl.Int16,
        "f": pl.Float32,
        "l": pl.List(pl.Int64),
        "t": pl.Struct({"x": pl.String}),
        "d": pl.Date,
        "w": pl.Datetime("ms", "UTC"),
        "c": pl.Categorical(),
        "a": pl.Array(pl.UInt8, 2),
    }
    line = {"s": "x", "i": 7, "f": 0.5, "l": [1], "t": {"x": "y"}, "d": "2026-01-02"}
    line |= {"w": "2026-01-02T03:04:05Z", "c": "k", "a": [1, 2]}
    data = json.dumps(line).encode() + b"\n{}\n"
    frame = pl.DataFrame(penstock.columns(io.BytesIO(data), pl.Schema(of), format="ndjson"))
    assert frame.schema == pl.Schema(of)
    assert frame["l"].to_list() == [[1], None]
    assert frame["c"].to_list() == ["k", None]


def refused(schema: pa.Schema) -> str:
    with pytest.raises(PlanError) as caught:
        penstock.columns(io.BytesIO(b""), schema, format="ndjson")
    return str(caught.value)


def test_types_without_a_column() -> None:
    assert refused(pa.schema([("x", pa.month_day_nano_interval())])) == (
        'the column "x" of the schema is Interval(MonthDayNano): no record has that'
    )
    inner = pa.struct([("y", pa.timestamp("us", "Europe/Zurich"))])
    assert refused(pa.schema([("x", inner)])) == (
        'the column "x/y" of the schema is Timestamp(µs, "Europe/Zurich"): no record has that'
    )
    assert refused(pa.schema([("x", pa.int8()), ("x", pa.int8())])) == (
        'the schema has two columns "x"'
    )
    deep = pa.int64()
    for _ in range(70):
        deep = pa.list_(deep)
    assert refused(pa.schema([("x", deep)])) == "the Arrow schema is nested more than 64 deep"


def test_what_is_no_schema() -> None:
    class Odd:
        def __arrow_c_schema__(self) -> object:
            return 7

    with pytest.raises(TypeError, match=r"^__arrow_c_schema__ must return a capsule, not int$"):
        penstock.columns(io.BytesIO(b""), Odd(), format="ndjson")  # type: ignore[arg-type]
    message = r"^an Arrow schema of one column is no schema of records: it must be a struct$"
    with pytest.raises(TypeError, match=message):
        penstock.columns(io.BytesIO(b""), pa.field("x", pa.int8()), format="ndjson")

    class Taken:
        def __init__(self) -> None:
            self.capsule = pa.schema([("x", pa.int8())]).__arrow_c_schema__()
            pa.Schema._import_from_c_capsule(self.capsule)

        def __arrow_c_schema__(self) -> object:
            return self.capsule

    with pytest.raises(ValueError, match=r"^the Arrow schema in the capsule was taken already$"):
        penstock.columns(io.BytesIO(b""), Taken(), format="ndjson")  # type: ignore[arg-type]


@given(
    st.lists(
        st.fixed_dictionaries(
            {},
            optional={
                "a": st.one_of(st.none(), st.integers(-(2**63), 2**63 - 1)),
                "b": st.lists(st.one_of(st.none(), st.text(max_size=3)), max_size=3),
                "c": st.fixed_dictionaries({}, optional={"d": st.floats(allow_nan=False)}),
                "e": st.just([7]),
            },
        ),
        max_size=5,
    ),
    st.integers(1, 40),
)
@SETTINGS
def test_records_of_a_schema(records: list[Any], size: int) -> None:
    schema = pa.schema(
        [
            ("a", pa.int64()),
            ("b", pa.list_(pa.string())),
            ("c", pa.struct([("d", pa.float64())])),
        ]
    )
    records = json.loads(json.dumps(records).replace("Infinity", "1e300"))
    data = json.dumps(records).encode()
    found = rows(penstock.columns(Chunks(data, size), schema, format="json"))
    for row, record in zip(found, records, strict=True):
        within = record.get("c")
        assert row == {
            "a": record.get("a"),
            "b": record.get("b"),
            "c": None if within is None else {"d": within.get("d")},
        }
