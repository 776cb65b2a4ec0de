"""What a consumer gets on request is what pyarrow's own casts make, or both refuse."""

from __future__ import annotations

import io
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any, TypedDict

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import penstock

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def both(own: pa.Table, kind: pa.DataType, expected: Callable[[], pa.ChunkedArray]) -> None:
    """Compare a column `v` on request with what pyarrow makes of it."""
    schema = pa.schema([("v", kind)])
    text = io.BytesIO()
    with penstock.write(text, format="ndjson") as writer:
        writer.columns(own)
    columns = penstock.ndjson.read(io.BytesIO(text.getvalue()), own.schema).columns(rows=3)
    try:
        cast = expected()
    except pa.ArrowInvalid:
        cast = None
    reader = pa.RecordBatchReader.from_stream(columns, schema=schema)
    if cast is None:
        with pytest.raises(pa.ArrowInvalid, match=r"which was requested \(row [1-9]\)$"):
            reader.read_all()
        return
    found = reader.read_all()
    found.validate(full=True)
    assert found.schema.field("v").type == kind
    assert found["v"].to_pylist() == cast.to_pylist()


INTS = [pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint32(), pa.uint64()]


@given(
    st.lists(st.none() | st.integers(-(2**63), 2**63 - 1) | st.integers(-300, 300), max_size=9),
    st.sampled_from(INTS),
)
def test_integers(values: list[int | None], kind: pa.DataType) -> None:
    own = pa.table({"v": pa.array(values, pa.int64())})
    both(own, kind, lambda: own["v"].cast(kind))


UNITS = ["s", "ms", "us", "ns"]


@given(
    st.lists(st.none() | st.integers(-(10**15), 10**15), max_size=9),
    st.sampled_from([1, 1_000, 1_000_000]),
    st.sampled_from(UNITS),
)
def test_instants(values: list[int | None], step: int, unit: Any) -> None:
    moments = [
        None if v is None else EPOCH + timedelta(microseconds=v // step * step) for v in values
    ]
    own = pa.table({"v": pa.array(moments, pa.timestamp("us", "UTC"))})
    both(own, pa.timestamp(unit, "UTC"), lambda: own["v"].cast(pa.timestamp(unit, "UTC")))


@given(
    st.lists(
        st.none()
        | st.decimals(-(10**7), 10**7, allow_nan=False, places=3)
        | st.decimals(-100, 100, allow_nan=False, places=1),
        max_size=9,
    ),
    st.integers(1, 38),
    st.integers(0, 6),
    st.booleans(),
)
def test_decimals(values: list[Decimal | None], precision: int, scale: int, wide: bool) -> None:
    own = pa.table({"v": pa.array(values, pa.decimal128(12, 3))})
    scale = min(scale, precision)
    kind = pa.decimal256(precision, scale) if wide else pa.decimal128(precision, scale)

    def expected() -> pa.ChunkedArray:
        for value in values:
            if value is not None:
                digits = value.normalize().as_tuple()
                exponent = int(digits.exponent)
                whole = max(len(digits.digits) + exponent, 0) if value else 0
                if value and (-exponent > scale or whole + scale > precision):
                    raise pa.ArrowInvalid
        return own["v"]

    both(own, kind, expected)


TEXTS = [
    pa.large_string(),
    pa.string_view(),
    pa.dictionary(pa.int8(), pa.string()),
    pa.dictionary(pa.uint32(), pa.large_string()),
    pa.dictionary(pa.int64(), pa.string_view()),
]


@given(
    st.lists(st.none() | st.text(max_size=20), max_size=9),
    st.sampled_from([pa.string(), pa.dictionary(pa.int32(), pa.string())]),
    st.sampled_from(TEXTS),
)
def test_texts(values: list[str | None], first: pa.DataType, kind: pa.DataType) -> None:
    own = pa.table({"v": pa.array(values, pa.string()).cast(first)})
    both(own, kind, lambda: own["v"])


class Nested(TypedDict):
    v: list[list[int]]


@given(st.lists(st.lists(st.lists(st.integers(-200, 200), max_size=3), max_size=3), max_size=9))
def test_the_row_of_a_nested_value(values: list[list[list[int]]]) -> None:
    own = pa.table({"v": pa.array(values, pa.list_(pa.list_(pa.int64())))})
    text = io.BytesIO()
    with penstock.write(text, format="ndjson") as writer:
        writer.columns(own)
    columns = penstock.ndjson.read(io.BytesIO(text.getvalue()), Nested).columns(rows=4)
    schema = pa.schema([("v", pa.large_list(pa.list_(pa.int8())))])
    bad = [
        (row, number)
        for row, outer in enumerate(values, 1)
        for inner in outer
        for number in inner
        if not -128 <= number <= 127
    ]
    reader = pa.RecordBatchReader.from_stream(columns, schema=schema)
    if not bad:
        assert reader.read_all()["v"].to_pylist() == values
        return
    with pytest.raises(pa.ArrowInvalid) as caught:
        reader.read_all()
    row, number = bad[0]
    expected = f"v/item/item: {number} does not fit Int8, which was requested (row {row})"
    assert str(caught.value) == expected
