"""Columns of `Decimal` without declared digits: a first pass over the file counts them."""

from __future__ import annotations

import gzip
import io
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any

import duckdb
import polars as pl
import pyarrow as pa
import pytest

import penstock
from penstock import PlanError, ValidationError


@dataclass
class Item:
    name: str
    price: Decimal
    weight: Decimal | None = None
    rates: list[Decimal] | None = None


LINES = (
    '{"name": "a", "price": 1.50, "rates": [0.001, 12]}\n'
    '{"name": "b", "price": "1234567", "weight": 0}\n'
    '{"name": "c", "price": -2.25, "weight": 1e3}\n'
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "items.ndjson"
    path.write_text(LINES)
    return path


def test_the_digits_of_all_records(path: Path) -> None:
    columns = penstock.columns(path, Item)
    assert str(columns) == (
        "Columns(name: Utf8, price: Decimal128(9, 2), weight: Decimal128(4, 0) | null, "
        "rates: List(non-null Decimal128(5, 3)) | null)"
    )
    table = pa.table(columns)
    assert table.to_pydict() == {
        "name": ["a", "b", "c"],
        "price": [Decimal("1.50"), Decimal(1234567), Decimal("-2.25")],
        "weight": [None, Decimal(0), Decimal(1000)],
        "rates": [[Decimal("0.001"), Decimal(12)], None, None],
    }
    assert pl.DataFrame(penstock.columns(path, Item)).schema["price"] == pl.Decimal(9, 2)
    taken = penstock.columns(path, Item)  # noqa: F841 - DuckDB finds it by its name
    query = "select typeof(price), max(price) from taken group by 1"
    assert duckdb.sql(query).fetchall() == [("DECIMAL(9,2)", Decimal("1234567.00"))]


def test_declared_digits_stay(path: Path) -> None:
    @dataclass
    class Both:
        price: Annotated[Decimal, penstock.decimal(20, 6)]
        weight: Decimal = Decimal("7.125")

    assert str(penstock.columns(path, Both)) == (
        "Columns(price: Decimal128(20, 6), weight: Decimal128(7, 3))"
    )
    weights = pa.table(penstock.columns(path, Both))["weight"].to_pylist()
    assert weights == [Decimal("7.125"), Decimal(0), Decimal(1000)]


def test_only_the_columns_that_are_wanted(path: Path) -> None:
    assert str(penstock.columns(path, Item, columns=["weight"])) == (
        "Columns(weight: Decimal128(4, 0) | null)"
    )
    once = penstock.ndjson.read(io.BytesIO(LINES.encode()), Item)
    assert pa.table(once.columns(columns=["name"]))["name"].to_pylist() == ["a", "b", "c"]


def test_no_values(path: Path) -> None:
    path.write_text("")
    assert pa.table(penstock.columns(path, Item)).schema.field("price").type == pa.decimal128(1, 0)


def test_several_files(tmp_path: Path) -> None:
    for number, price in enumerate(("1.5", "100", "0.125")):
        with gzip.open(tmp_path / f"{number}.json.gz", "wt") as file:
            file.write(f'[{{"name": "x", "price": {price}}}]')
    columns = penstock.columns(str(tmp_path / "*.json.gz"), Item, columns=["price"])
    assert str(columns) == "Columns(price: Decimal128(6, 3))"
    assert pa.table(columns)["price"].to_pylist() == [
        Decimal("1.5"),
        Decimal(100),
        Decimal("0.125"),
    ]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", "name,price\na,1.50\nb,1234567\n"),
        ("a.xml", "<r><i name='a'><price>1.50</price></i><i name='b' price='1234567'/></r>"),
        ("a.json", '[{"name": "a", "price": 1.50}, {"name": "b", "price": 1234567}]'),
    ],
)
def test_formats(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)

    @dataclass
    class Cells:
        name: str
        price: Decimal

    table = pa.table(penstock.columns(tmp_path / name, Cells))
    assert table.schema.field("price").type == pa.decimal128(8, 1)
    assert table["price"].to_pylist() == [Decimal("1.50"), Decimal(1234567)]


def test_many_batches(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("name,price\n" + "".join(f"x{n},{n}.5\n" for n in range(200_000)))

    @dataclass
    class Price:
        price: Decimal

    table = pa.table(penstock.columns(path, Price))
    assert table.schema.field("price").type == pa.decimal128(7, 1)
    assert table["price"].to_pylist()[-1] == Decimal("199999.5")


def test_a_source_that_can_be_read_only_once() -> None:
    with pytest.raises(PlanError) as caught:
        penstock.ndjson.read(iter([LINES.encode()]), Item).columns()
    assert str(caught.value) == (
        "Item.price has no column: say how many digits it has: "
        "Annotated[Decimal, penstock.decimal(18, 4)]"
    )


def test_data_in_memory_are_read_twice(path: Path) -> None:
    path.write_text(LINES)
    expected = penstock.columns(path, Item).to_arrow()
    file = io.BytesIO(b"not this" + LINES.encode())
    file.seek(8)
    for source in (file, [LINES.encode()], (LINES[:9].encode(), LINES[9:].encode())):
        assert penstock.columns(source, Item, format="ndjson").to_arrow() == expected


def test_more_digits_than_a_column_has(path: Path) -> None:
    path.write_text(LINES + '{"name": "d", "price": 1e76}\n')
    with pytest.raises(ValidationError) as caught:
        penstock.columns(path, Item)
    assert str(caught.value) == (
        f"{path}:4:24: expected a decimal number of at most 76 digits, got 1e76 "
        "(record 4, at price)"
    )
    path.write_text(LINES + '{"name": "d", "price": 1e75}\n{"name": "e", "price": 1e-9}\n')
    with pytest.raises(PlanError) as refused:
        penstock.columns(path, Item)
    assert str(refused.value) == (
        "Item.price has no column: no decimal number holds all of its values exactly"
    )


@pytest.mark.parametrize("errors", ["skip", "collect", "callable"])
def test_records_in_error_do_not_count(path: Path, errors: str) -> None:
    path.write_text(LINES + '{"name": 7, "price": 1.0000001}\n')
    seen: list[Any] = []
    how: Any = seen.append if errors == "callable" else errors
    columns = penstock.columns(path, Item, errors=how)
    assert columns.reader.skipped == 0
    batches = []
    if errors == "collect":
        with pytest.raises(ExceptionGroup) as caught:
            batches.extend(columns)
        assert len(caught.value.exceptions) == 1
    else:
        batches.extend(columns)
    # The second pass reports it once.
    assert len(seen) == (1 if errors == "callable" else 0)
    with pytest.raises(ValidationError):
        penstock.columns(path, Item)


def test_a_file_that_changes(path: Path) -> None:
    columns = penstock.columns(path, Item)
    with path.open("a") as file:
        file.write('{"name": "d", "price": 0.0001}\n')
    with pytest.raises(ValidationError) as caught:
        list(columns)
    assert str(caught.value) == (
        f"{path}:4:24: expected decimal(9, 2), got 0.0001 (record 4, at price)"
    )


def test_the_schema_on_the_command_line(path: Path) -> None:
    reader = penstock.read(path, Item)
    assert str(reader._schema(1)).startswith("Schema(name: Utf8, price: Decimal128(9, 2), ")  # type: ignore[attr-defined]
