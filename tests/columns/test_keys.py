"""Dicts whose keys are made of text, as maps."""

from __future__ import annotations

import enum
import io
from dataclasses import dataclass, make_dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Annotated, Any, Literal
from uuid import UUID

import duckdb
import polars as pl
import pyarrow as pa
import pytest

import penstock
from penstock import PlanError, ValidationError


class Word(enum.Enum):
    A = "a"
    B = "b"


class Number(enum.IntEnum):
    ONE = 1
    TWO = 2


KEYS: list[tuple[Any, str, Any, pa.DataType]] = [
    (int, "-7", -7, pa.int64()),
    (Annotated[int, penstock.uint8], "255", 255, pa.uint8()),
    (float, "1.5", 1.5, pa.float64()),
    (bool, "true", True, pa.bool_()),
    (date, "2026-01-02", date(2026, 1, 2), pa.date32()),
    (
        datetime,
        "2026-01-02T03:04:05+01:00",
        datetime(2026, 1, 2, 2, 4, 5, tzinfo=UTC),
        pa.timestamp("us", "UTC"),
    ),
    (timedelta, "PT1H", timedelta(hours=1), pa.duration("us")),
    (
        UUID,
        "12345678-1234-5678-1234-567812345678",
        UUID("12345678123456781234567812345678"),
        pa.uuid(),
    ),
    (
        Annotated[Decimal, penstock.decimal(5, 2)],
        "1.5",
        Decimal("1.50"),
        pa.decimal128(5, 2),
    ),
    (Word, "b", "b", pa.dictionary(pa.int32(), pa.string())),
    (Literal["x", "y"], "y", "y", pa.dictionary(pa.int32(), pa.string())),
    (Number, "2", 2, pa.int64()),
]


def columns(key: Any, text: str) -> penstock.Columns:
    row = make_dataclass("Row", [("sizes", dict[key, int])])
    data = f'{{"sizes": {{"{text}": 5}}}}\n{{"sizes": {{}}}}\n'
    return penstock.ndjson.read(io.BytesIO(data.encode()), row).columns()


@pytest.mark.parametrize(("key", "text", "value", "kind"), KEYS, ids=str)
def test_keys(key: Any, text: str, value: Any, kind: pa.DataType) -> None:
    table = pa.table(columns(key, text))
    table.validate(full=True)
    assert table.schema.field("sizes").type == pa.map_(kind, pa.field("value", pa.int64(), False))
    assert table["sizes"].to_pylist() == [[(value, 5)], []]


def test_a_schema_with_such_keys() -> None:
    schema = pa.schema([("sizes", pa.map_(pa.int32(), pa.date32()))])
    data = io.BytesIO(b'{"sizes": {"7": "2026-01-02"}}\n{"sizes": {"70000": null}}\n')
    table = pa.table(penstock.ndjson.read(data, schema).columns())  # type: ignore[call-overload]  # a schema is no type
    assert table.schema == schema
    assert table["sizes"].to_pylist() == [[(7, date(2026, 1, 2))], [(70000, None)]]


def test_consumers() -> None:
    frame = pl.DataFrame(columns(date, "2026-01-02"))
    assert frame["sizes"].to_list() == [{date(2026, 1, 2): 5}, {}]
    taken = columns(int, "7")  # noqa: F841 - DuckDB finds it by its name
    assert duckdb.sql("select sizes[7] from taken").fetchall() == [(5,), (None,)]


def test_xml() -> None:
    @dataclass
    class Row:
        sizes: dict[date, int]

    data = b"<r><i><sizes><a>5</a></sizes></i></r>"
    with pytest.raises(ValidationError) as caught:
        list(penstock.xml.read(io.BytesIO(data), Row).columns())
    assert str(caught.value) == (
        'line 1, column 14: expected date, got the key "a": expected a digit of the year '
        "(record 1, at r/i/sizes/a)"
    )


def test_keys_that_do_not_fit() -> None:
    with pytest.raises(ValidationError) as caught:
        list(columns(Annotated[int, penstock.int8], "300"))
    assert str(caught.value) == (
        "line 1, column 21: expected int8, got 300 (record 1, at sizes/300)"
    )
    with pytest.raises(ValidationError) as caught:
        list(columns(int, "x"))
    assert (
        str(caught.value)
        == 'line 1, column 12: expected int, got the key "x" (record 1, at sizes/x)'
    )


@pytest.mark.parametrize("unions", ["text", "json"])
def test_keys_of_several_types_might_become_one(unions: Literal["text", "json"]) -> None:
    row = make_dataclass("Row", [("sizes", dict[int | str, int])])
    with pytest.raises(PlanError) as caught:
        penstock.ndjson.read(io.BytesIO(b""), row).columns(unions=unions)
    assert str(caught.value) == "Row.sizes has no column: its keys are int | str"
