"""What becomes of each type, through pyarrow, polars, DuckDB and pandas."""

from __future__ import annotations

import io
import json
from dataclasses import dataclass, field, make_dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal, NamedTuple, TypedDict
from uuid import UUID

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from in_columns import batches, outcome, plain, rows, table

import penstock
from penstock import PlanError, ValidationError


class Size(Enum):
    SMALL = "S"
    LARGE = "L"


class Level(Enum):
    LOW = 1
    HIGH = 9


@dataclass(slots=True)
class Point:
    lat: float
    lon: float


class Pair(NamedTuple):
    left: int
    right: str | None = None


# Each: a type, the value in JSON, the Arrow type, and the value in Python.
TYPES: dict[str, tuple[Any, Any, pa.DataType, Any]] = {
    "bool": (bool, True, pa.bool_(), True),
    "int": (int, -(2**63), pa.int64(), -(2**63)),
    "int8": (Annotated[int, penstock.int8], -128, pa.int8(), -128),
    "int16": (Annotated[int, penstock.int16], 32767, pa.int16(), 32767),
    "int32": (Annotated[int, penstock.int32], -(2**31), pa.int32(), -(2**31)),
    "int64": (Annotated[int, penstock.int64], 2**63 - 1, pa.int64(), 2**63 - 1),
    "uint8": (Annotated[int, penstock.uint8], 255, pa.uint8(), 255),
    "uint16": (Annotated[int, penstock.uint16], 65535, pa.uint16(), 65535),
    "uint32": (Annotated[int, penstock.uint32], 2**32 - 1, pa.uint32(), 2**32 - 1),
    "uint64": (Annotated[int, penstock.uint64], 2**64 - 1, pa.uint64(), 2**64 - 1),
    "float": (float, 0.1, pa.float64(), 0.1),
    "float32": (Annotated[float, penstock.float32], 0.5, pa.float32(), 0.5),
    "str": (str, "Zürich", pa.string(), "Zürich"),
    "dictionary": (
        Annotated[str, penstock.dictionary],
        "ZH",
        pa.dictionary(pa.int32(), pa.string()),
        "ZH",
    ),
    "bytes": (bytes, "cGVu", pa.binary(), b"pen"),
    "hex": (Annotated[bytes, penstock.Hex], "70656e", pa.binary(), b"pen"),
    "date": (date, "1969-12-31", pa.date32(), date(1969, 12, 31)),
    "time": (time, "23:59:59.000001", pa.time64("us"), time(23, 59, 59, 1)),
    "datetime": (
        datetime,
        "2026-01-02T03:04:05.000006+01:00",
        pa.timestamp("us", "UTC"),
        datetime.fromisoformat("2026-01-02T02:04:05.000006+00:00"),
    ),
    "naive": (
        Annotated[datetime, penstock.timestamp("us", None)],
        "1960-01-02T03:04:05",
        pa.timestamp("us"),
        datetime.fromisoformat("1960-01-02T03:04:05"),
    ),
    "seconds": (
        Annotated[datetime, penstock.timestamp("s")],
        "2026-01-02T03:04:05Z",
        pa.timestamp("s", "UTC"),
        datetime.fromisoformat("2026-01-02T03:04:05+00:00"),
    ),
    "unix": (
        Annotated[datetime, penstock.unix("s")],
        1_767_225_600,
        pa.timestamp("us", "UTC"),
        datetime.fromisoformat("2026-01-01T00:00:00+00:00"),
    ),
    "duration": (timedelta, "-PT1H", pa.duration("us"), timedelta(hours=-1)),
    "decimal": (
        Annotated[Decimal, penstock.decimal(9, 2)],
        12.5,
        pa.decimal128(9, 2),
        Decimal("12.50"),
    ),
    "decimal256": (
        Annotated[Decimal, penstock.decimal(50, 10)],
        "-1234567890123456789012345678901234567890.5",
        pa.decimal256(50, 10),
        Decimal("-1234567890123456789012345678901234567890.5000000000"),
    ),
    "uuid": (
        UUID,
        "12345678-9abc-def0-1234-56789abcdef0",
        pa.uuid(),
        UUID("12345678-9abc-def0-1234-56789abcdef0"),
    ),
    "enum": (Size, "L", pa.dictionary(pa.int32(), pa.string()), "L"),
    "enum of numbers": (Level, 9, pa.int64(), 9),
    "literal": (Literal["a", "b"], "b", pa.dictionary(pa.int32(), pa.string()), "b"),
    "list": (list[int], [1, 2], pa.list_(pa.field("item", pa.int64(), nullable=False)), [1, 2]),
    "tuple": (
        tuple[float, float],
        [1, 2.5],
        pa.list_(pa.field("item", pa.float64(), nullable=False), 2),
        [1.0, 2.5],
    ),
    "class": (
        Point,
        {"lon": 7, "lat": 46.5},
        pa.struct(
            [
                pa.field("lat", pa.float64(), nullable=False),
                pa.field("lon", pa.float64(), nullable=False),
            ]
        ),
        {"lat": 46.5, "lon": 7.0},
    ),
    "named tuple": (
        Pair,
        {"left": 1},
        pa.struct([pa.field("left", pa.int64(), nullable=False), pa.field("right", pa.string())]),
        {"left": 1, "right": None},
    ),
    "dict": (
        dict[str, int],
        {"a": 1, "b": 2},
        pa.map_(pa.string(), pa.field("value", pa.int64(), nullable=False)),
        {"a": 1, "b": 2},
    ),
    "list of lists": (
        list[list[str] | None],
        [["a"], None, []],
        pa.list_(pa.field("item", pa.list_(pa.field("item", pa.string(), nullable=False)))),
        [["a"], None, []],
    ),
}


def of(kind: Any, name: str = "Row") -> type:
    """Return a class with one field of the type, and one that may be null."""
    return make_dataclass(name, [("value", kind), ("other", kind | None, field(default=None))])


def lines(*records: Any) -> io.BytesIO:
    return io.BytesIO(b"".join(json.dumps(record).encode() + b"\n" for record in records))


@pytest.mark.parametrize("name", TYPES)
def test_a_type_has_its_column(name: str) -> None:
    kind, written, arrow, value = TYPES[name]
    records = [{"value": written}, {"other": written, "value": written}, {"value": written}]
    found = table(penstock.ndjson.read(lines(*records), of(kind)).columns())
    assert found.schema.field("value").type == arrow
    assert not found.schema.field("value").nullable
    assert found.schema.field("other").nullable
    assert found.to_pylist(maps_as_pydicts="strict") == [
        {"value": value, "other": None},
        {"value": value, "other": value},
        {"value": value, "other": None},
    ]


@pytest.mark.parametrize("name", TYPES)
def test_a_column_holds_what_the_objects_hold(name: str) -> None:
    kind, written, _, _ = TYPES[name]
    records = [{"value": written}, {"other": written, "value": written}, {"value": written}]
    row = of(kind)
    objects = [plain(each) for each in penstock.ndjson.read(lines(*records), row)]
    assert rows(penstock.ndjson.read(lines(*records), row).columns()) == objects


@pytest.mark.parametrize("name", TYPES)
def test_polars_duckdb_and_pandas_take_it(name: str) -> None:
    kind, written, _, value = TYPES[name]
    row = of(kind)

    def columns() -> Any:
        return penstock.ndjson.read(lines({"value": written}, {"value": written}), row).columns()

    if name == "decimal256":
        return  # Neither polars nor DuckDB has such numbers.
    frame = pl.DataFrame(columns())
    assert frame.shape == (2, 2)
    assert frame["other"].null_count() == 2
    if not isinstance(value, (dict, UUID)):
        assert frame["value"].to_list() == [value, value]
    given = columns()
    assert duckdb.sql("select count(value), count(other) from given").fetchall() == [(2, 0)]
    del given


def test_pandas_takes_it() -> None:
    @dataclass
    class City:
        name: str
        size: int | None = None

    given = lines({"name": "Bern", "size": 134591}, {"name": "Basel"})
    frame = pd.DataFrame.from_arrow(penstock.ndjson.read(given, City).columns())
    assert frame["name"].tolist() == ["Bern", "Basel"]
    assert frame["size"].isna().tolist() == [False, True]


def test_duckdb_takes_it() -> None:
    @dataclass
    class City:
        name: str
        size: int

    cities = penstock.ndjson.read(lines({"name": "Bern", "size": 7}), City).columns()
    assert duckdb.sql("select name, size + 1 from cities").fetchall() == [("Bern", 8)]
    del cities


@pytest.mark.parametrize(
    ("kind", "written", "message"),
    [
        (Annotated[int, penstock.int8], 128, "expected int8, got 128"),
        (Annotated[int, penstock.uint64], -1, "expected uint64, got -1"),
        (int, 2**63, "expected int64, got 9223372036854775808"),
        (Annotated[int, penstock.uint64], 2**64, "expected uint64, got 18446744073709551616"),
        (Annotated[float, penstock.float32], 1e300, "expected float32, got 1e300"),
        (Annotated[Decimal, penstock.decimal(4, 2)], 100, "expected decimal(4, 2), got 100"),
        (Annotated[Decimal, penstock.decimal(4, 2)], 0.125, "expected decimal(4, 2), got 0.125"),
        (
            datetime,
            "2026-01-02T03:04:05",
            "expected a date and time with an offset, got a date and time without an offset",
        ),
        (
            Annotated[datetime, penstock.timestamp("us", None)],
            "2026-01-02T03:04:05Z",
            "expected a date and time without an offset, got one with an offset",
        ),
        (
            Annotated[datetime, penstock.timestamp("s")],
            "2026-01-02T03:04:05.5Z",
            "expected whole seconds, got another one",
        ),
        (time, "03:04:05Z", "expected a time without an offset, got one with an offset"),
    ],
)
def test_what_a_column_cannot_hold_is_an_error_with_its_place(
    kind: Any, written: Any, message: str
) -> None:
    row = of(kind)
    data = lines({"value": written})
    with pytest.raises(ValidationError) as caught:
        list(penstock.ndjson.read(data, row).columns())
    assert str(caught.value) == f"line 1, column 11: {message} (record 1, at value)"
    assert caught.value.path == "value"


def test_the_same_in_a_table() -> None:
    @dataclass
    class Row:
        name: str
        size: Annotated[int, penstock.int8]

    data = io.BytesIO(b"name,size\na,1\nb,300\n")
    with pytest.raises(ValidationError) as caught:
        list(batches(penstock.csv.read(data, Row).columns()))
    assert str(caught.value) == "line 3, column 3: expected int8, got 300 (record 2, at size)"


NO_DIGITS = (
    "Row.value has no column: say how many digits it has: "
    "Annotated[Decimal, penstock.decimal(18, 4)]"
)


@dataclass
class Node:
    children: list[Node]


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        (int, "columns are the fields of a class, and int is none"),
        (Node, "Node has no column: it contains itself"),
        (of(int | str), "Row.value has no column: it is of one of several types (int | str)"),
        (of(Decimal), NO_DIGITS),
        (of(tuple[int, str]), "Row.value has no column: its items are of several types"),
        (
            of(dict[Annotated[float, penstock.float32], str]),
            "Row.value has no column: its keys are float32",
        ),
        (
            of(dict[int | str, str]),
            "Row.value has no column: it is of one of several types (int | str)",
        ),
        (of(Literal[True]), "Row.value has no column: its values are truth values"),
        (of(Literal[1, "a"]), "Row.value has no column: its values are strings and numbers"),
    ],
)
def test_what_has_no_column_is_said_by_name(kind: Any, message: str) -> None:
    # It can be read only once, so nothing is known of its digits.
    reader = penstock.ndjson.read(iter([b""]), kind)
    with pytest.raises(PlanError) as caught:
        reader.columns()
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        (Annotated[str, penstock.int8], "penstock.int8 is only for an int"),
        (Annotated[int, penstock.float32], "penstock.float32 is only for a float"),
        (Annotated[int, penstock.dictionary], "penstock.dictionary is only for a str"),
        (Annotated[str, penstock.decimal(3, 1)], "penstock.decimal(3, 1) is only for a Decimal"),
        (
            Annotated[date, penstock.timestamp("s", None)],
            "penstock.timestamp('s', None) is only for a datetime",
        ),
    ],
)
def test_an_annotation_is_for_its_type(kind: Any, message: str) -> None:
    with pytest.raises(PlanError) as caught:
        penstock.Plan(of(kind))
    assert str(caught.value) == f"field 'value' of Row: {message}"


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda: penstock.decimal("9", 2), TypeError, "decimal() takes two ints, not str"),
        (lambda: penstock.decimal(77, 2), ValueError, "precision must be 1 to 76, not 77"),
        (lambda: penstock.decimal(3, 4), ValueError, "scale must be 0 to 3, the precision, not 4"),
        (
            lambda: penstock.timestamp("m"),
            ValueError,
            "unit must be 's', 'ms', 'us' or 'ns', not 'm'",
        ),
        (
            lambda: penstock.timestamp("s", "CET"),
            ValueError,
            "zone must be 'UTC' or None, not 'CET'",
        ),
    ],
)
def test_arguments_are_checked(call: Any, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind) as caught:
        call()
    assert str(caught.value) == message


def test_an_absent_value_is_the_default() -> None:
    @dataclass
    class Row:
        n: int = 7
        x: float = 0.5
        ok: bool = True
        name: str = "none"
        day: date = date(2026, 1, 2)
        tags: list[str] = field(default_factory=list)
        sizes: dict[str, int] = field(default_factory=dict)
        pair: list[int] = field(default_factory=lambda: [1, 2])
        nothing: int | None = None

    expected = plain(Row())
    assert rows(penstock.ndjson.read(lines({}, {"n": 8}), Row).columns()) == [
        expected,
        {**expected, "n": 8},
    ]


def test_a_key_that_need_not_be_there_is_null() -> None:
    class Row(TypedDict, total=False):
        a: int
        b: str

    assert rows(penstock.ndjson.read(lines({"a": 1}, {"b": "x"}), Row).columns()) == [
        {"a": 1, "b": None},
        {"a": None, "b": "x"},
    ]
    kind, _ = outcome(lambda: rows(penstock.ndjson.read(lines({"a": None}), Row).columns()))
    assert kind == "error"


def test_a_class_that_makes_its_own_values_is_asked() -> None:
    @dataclass
    class Row:
        n: int
        double: int = 0

        def __post_init__(self) -> None:
            self.double = 2 * self.n

    assert rows(penstock.ndjson.read(lines({"n": 3}, {"n": 4}), Row).columns()) == [
        {"n": 3, "double": 6},
        {"n": 4, "double": 8},
    ]


def test_what_a_class_makes_must_fit_its_column() -> None:
    @dataclass
    class Row:
        n: Annotated[int, penstock.int8]

        def __post_init__(self) -> None:
            self.n *= 100

    with pytest.raises(ValidationError) as caught:
        list(penstock.ndjson.read(lines({"n": 1}, {"n": 2}), Row).columns())
    assert str(caught.value) == "line 2, column 8: expected int8, got 200 (record 2, at n)"
