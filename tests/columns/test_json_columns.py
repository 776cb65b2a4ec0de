"""Columns of values whose type is not known: `Any` as JSON, and unions as text or as JSON."""

from __future__ import annotations

import enum
import io
import json
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field, make_dataclass
from datetime import date
from decimal import Decimal
from typing import Any, Literal

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import penstock
from penstock import PlanError, ValidationError


@dataclass
class Row:
    n: int
    value: Any = None
    other: object = 3
    many: list[Any] = field(default_factory=list)
    mapped: dict[str, Any] = field(default_factory=dict)


DATA = (
    '{"n": 1, "value": {"b": [1, 2.50, null, "é\\n"], "a": {}}, "other": "x", "many": [1, "a"]}\n'
    '{"n": 2, "value": null, "other": true, "mapped": {"k": {"z": 1e3}, "null": null}}\n'
    '{"n": 3, "value": 123456789012345678901234567890, "many": [[null], null]}\n'
    '{"n": 4, "value": {"a": 1, "a": 2}}\n'
).encode()
TEXTS = {
    "value": [
        '{"b":[1,2.5,null,"é\\n"],"a":{}}',
        None,
        "123456789012345678901234567890",
        '{"a":2}',
    ],
    "other": ['"x"', "true", "3", "3"],
    "many": [["1", '"a"'], [], ["[null]", None], []],
    "mapped": [[], [("k", '{"z":1000.0}'), ("null", None)], [], []],
}


def columns(row: Any = Row, data: bytes = DATA, **options: Any) -> penstock.Columns:
    return penstock.ndjson.read(io.BytesIO(data), row).columns(**options)


def test_the_json_text_of_values() -> None:
    table = pa.table(columns())
    assert table.schema.field("value").type == pa.json_()
    assert table.schema.field("many").type == pa.list_(pa.field("item", pa.json_()))
    assert table.drop_columns(["n"]).to_pydict() == TEXTS


def test_a_column_holds_what_an_object_holds() -> None:
    objects = list(penstock.ndjson.read(io.BytesIO(DATA), Row))
    for name in ("value", "other"):
        texts = pa.table(columns())[name].to_pylist()
        values = [None if text is None else json.loads(text) for text in texts]
        assert values == [getattr(row, name) for row in objects]


def test_consumers() -> None:
    taken = columns()  # noqa: F841 - DuckDB finds it by its name
    assert duckdb.sql("select typeof(value), value->'$.b[0]' from taken limit 1").fetchall() == [
        ("JSON", "1")
    ]
    with warnings.catch_warnings():
        # polars says that it knows no arrow.json, and takes the text.
        warnings.simplefilter("ignore")
        frame = pl.DataFrame(columns(columns=["n", "value"]))
        assert frame["value"].to_list() == TEXTS["value"]
    table = pd.DataFrame.from_arrow(columns(columns=["value"]))
    assert table["value"].tolist()[2] == TEXTS["value"][2]


@pytest.mark.parametrize(
    ("read", "data", "texts"),
    [
        (penstock.json.read, b'[{"n": 1, "value": [{}]}]', ["[{}]"]),
        (
            penstock.xml.read,
            b"<r><i n='1'><value a='x'>t<b/><b>7</b></value></i><i n='2'><value>5</value></i></r>",
            ['{"@a":"x","b":[null,"7"],"#text":"t"}', '"5"'],
        ),
        (
            penstock.plist.read,
            (
                b'<plist version="1.0"><array><dict><key>n</key><integer>1</integer><key>value</key>'
                b"<dict><key>d</key><date>2026-01-02T03:04:05Z</date><key>b</key><data>YWI=</data>"
                b"</dict></dict></array></plist>"
            ),
            ['{"d":"2026-01-02T03:04:05Z","b":"YWI="}'],
        ),
    ],
    ids=["json", "xml", "plist"],
)
def test_formats(read: Callable[..., Any], data: bytes, texts: list[str]) -> None:
    @dataclass
    class Both:
        n: int
        value: Any

    assert pa.table(read(io.BytesIO(data), Both).columns())["value"].to_pylist() == texts


def test_cells() -> None:
    @dataclass
    class Cells:
        n: int
        value: Any

    data = b'n,value\n1,x\n2,\n3,""\n4,"a ""b"""\n'
    objects = [row.value for row in penstock.csv.read(io.BytesIO(data), Cells)]
    texts = pa.table(penstock.csv.read(io.BytesIO(data), Cells).columns())["value"].to_pylist()
    assert [None if text is None else json.loads(text) for text in texts] == objects
    assert texts == ['"x"', None, '""', '"a \\"b\\""']


def test_a_schema_with_json() -> None:
    schema = pa.schema([("n", pa.int64()), ("value", pa.json_(pa.large_string()))])
    table = pa.table(penstock.ndjson.read(io.BytesIO(DATA), schema).columns())  # type: ignore[call-overload]  # a schema is no type
    assert table["value"].to_pylist() == TEXTS["value"]
    rows = list(penstock.ndjson.read(io.BytesIO(DATA), schema))  # type: ignore[call-overload]  # as above
    assert rows[0] == {"n": 1, "value": {"b": [1, 2.5, None, "é\n"], "a": {}}}


def test_as_views() -> None:
    schema = pa.schema([("value", pa.json_(pa.string_view()))])
    reader = pa.RecordBatchReader.from_stream(columns(columns=["value"]), schema=schema)
    assert reader.schema.field("value").type == pa.json_(pa.string_view())
    assert reader.read_all()["value"].to_pylist() == TEXTS["value"]


def test_an_error_has_its_place() -> None:
    with pytest.raises(ValidationError) as caught:
        list(columns(data=b'{"n": 1}\n{"n": 2, "value": [1e400]}\n'))
    assert str(caught.value) == (
        "line 2, column 20: expected Any, got a number beyond the range of a double "
        "(record 2, at value/0)"
    )


class Grade(enum.Enum):
    LOW = 'l"ow'
    HIGH = 3


@dataclass
class Mixed:
    value: int | str | float | bool | None
    when: date | int | Decimal = 3
    grade: Grade = Grade.LOW
    choice: Literal[1, "a", True] = 1


MIXED = (
    b'{"value": 1}\n'
    b'{"value": "x\\"y", "when": "2026-01-02"}\n'
    b'{"value": 2.5, "when": 4.50, "grade": 3}\n'
    b'{"value": null, "choice": "a"}\n'
    b'{"value": true, "choice": true}\n'
)


def test_unions_as_text() -> None:
    table = pa.table(columns(Mixed, MIXED, unions="text"))
    assert table.schema.field("value") == pa.field("value", pa.string())
    assert table.to_pydict() == {
        "value": ["1", 'x"y', "2.5", None, "true"],
        "when": ["3", "2026-01-02", "4.50", "3", "3"],
        "grade": ['l"ow', 'l"ow', "3", 'l"ow', 'l"ow'],
        "choice": ["1", "1", "1", "a", "true"],
    }
    frame = pl.DataFrame(columns(Mixed, MIXED, unions="text"))
    assert frame["value"].to_list() == ["1", 'x"y', "2.5", None, "true"]
    taken = columns(Mixed, MIXED, unions="text")  # noqa: F841 - DuckDB finds it by its name
    assert duckdb.sql("select typeof(value), max(value) from taken group by 1").fetchall() == [
        ("VARCHAR", 'x"y')
    ]


def test_unions_as_json() -> None:
    table = pa.table(columns(Mixed, MIXED, unions="json"))
    assert table.schema.field("value").type == pa.json_()
    assert table.to_pydict() == {
        "value": ["1", '"x\\"y"', "2.5", None, "true"],
        "when": ["3", '"2026-01-02"', "4.50", "3", "3"],
        "grade": ['"l\\"ow"', '"l\\"ow"', "3", '"l\\"ow"', '"l\\"ow"'],
        "choice": ["1", "1", "1", '"a"', "true"],
    }


def test_unions_of_lists_and_dicts() -> None:
    @dataclass
    class Deep:
        value: int | list[int | str] | dict[str, int]

    data = b'{"value": 1}\n{"value": [1, "a"]}\n{"value": {"a": 1}}\n'
    texts = pa.table(columns(Deep, data, unions="json"))["value"].to_pylist()
    assert texts == ["1", '[1,"a"]', '{"a":1}']


def test_unions_in_other_formats(tmp_path: Any) -> None:
    path = tmp_path / "a.csv"
    path.write_text("value,when\n1,2026-01-02\nx,7\n")

    @dataclass
    class Cells:
        value: int | str
        when: date | int

    table = pa.table(penstock.columns(path, Cells, unions="text"))
    assert table.to_pydict() == {"value": ["1", "x"], "when": ["2026-01-02", "7"]}
    data = b"<r><i value='1'><when>2026-01-02</when></i><i value='x'><when>7</when></i></r>"
    taken = penstock.xml.read(io.BytesIO(data), Cells).columns(unions="text")
    assert pa.table(taken).to_pydict() == table.to_pydict()


@dataclass
class Point:
    x: int


@pytest.mark.parametrize("unions", ["text", "json"])
@pytest.mark.parametrize("kind", [Point | int, list[Point] | int, set[int] | int])
def test_unions_that_have_no_column(kind: Any, unions: Literal["text", "json"]) -> None:
    row = make_dataclass("Other", [("value", kind)])
    with pytest.raises(PlanError, match=r"^Other.value has no column: it is of one of several"):
        columns(row, unions=unions)


def test_the_word() -> None:
    with pytest.raises(ValueError, match=r"^unions must be 'error', 'text' or 'json', not 'x'$"):
        columns(unions="x")
