"""Writing values in the forms that `cells`, `separated`, `spread` and `times` declare."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Annotated, Any

import pytest

import penstock
from penstock import cells, separated, spread, times


@dataclass
class Geo:
    """A class in a class."""

    lat: float
    lon: float | None = None


@dataclass
class Address:
    """A class with one of its own."""

    zip: str
    city: str = ""
    geo: Geo | None = None


@dataclass
class Person:
    """Has columns of its parts."""

    id: int
    address: Annotated[Address, spread("address_*")]
    home: Geo | None = None
    name: str = "x"


@dataclass
class Split:
    """Has several values in a cell."""

    tags: Annotated[list[str], separated(";")]
    nums: Annotated[list[int] | None, separated(",")] = None
    pair: Annotated[tuple[int, float], separated("/")] = (1, 2.0)
    flags: Annotated[list[bool], separated(" "), cells(true=("Y",), false=("N",))] = field(
        default_factory=list
    )


@dataclass
class Wide:
    """Has lists over several columns."""

    id: int
    tags: Annotated[list[str], spread("tag_*")]
    items: Annotated[list[Geo], spread("item_*_*")] = field(default_factory=list)
    last: int = 0


@dataclass
class Formed:
    """Has other forms of values."""

    x: Annotated[float, cells(decimal=",")]
    price: Annotated[Decimal | None, cells(decimal=",", thousands=".", currency="€")]
    yes: Annotated[bool, cells(true=("ja",), false=("nein",))]
    note: Annotated[str | None, cells(null=("NA", "-"))] = None
    day: Annotated[dt.date | None, times("%d.%m.%Y")] = None


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        (
            [
                Person(1, Address("3000", "Bern", Geo(1, 2)), Geo(1.5)),
                Person(2, Address("", "", None), None, ""),
            ],
            (
                "id,address_zip,address_city,address_geo.lat,address_geo.lon,home.lat,home.lon,name\n"
                "1,3000,Bern,1,2,1.5,,x\n"
                '2,,,,,,,""\n'
            ),
        ),
        (
            [Split(["a", "b c"], [1, 2], (3, 4.5), [True, False]), Split([], []), Split(["x"])],
            'tags,nums,pair,flags\na;b c,"1,2",3/4.5,Y N\n,"",1/2.0,""\nx,,1/2.0,""\n',
        ),
        (
            [Wide(1, ["a", "b"], [Geo(1, 2)]), Wide(2, ["c"]), Wide(3, [])],
            "id,tag_1,tag_2,item_1_lat,item_1_lon,last\n1,a,b,1,2,0\n2,c,,,,0\n3,,,,,0\n",
        ),
        (
            [
                Formed(1.5, Decimal("-1234.50"), True, "x", dt.date(2024, 2, 29)),
                Formed(float("inf"), None, False),
            ],
            'x,price,yes,note,day\n"1,5","-1234,50",ja,x,29.02.2024\nINF,,nein,,\n',
        ),
    ],
)
def test_what_is_read_back(rows: list[Any], text: str) -> None:
    kind = type(rows[0])
    for into in (kind, None):
        assert penstock.csv.encode(rows, into).decode() == text
    assert penstock.csv.decode(text, kind) == rows


def test_forms_of_a_plan() -> None:
    plan = penstock.Plan(Geo, cells=cells(decimal=","))
    semicolons = penstock.csv.Dialect(";")
    text = penstock.csv.encode([Geo(1.5, -2.5), Geo(3)], plan, dialect=semicolons)
    assert text == b"lat;lon\n1,5;-2,5\n3;\n"
    assert penstock.csv.decode(text, plan, dialect=semicolons) == [Geo(1.5, -2.5), Geo(3)]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([Split(["a;b"])], 'tags: the item "a;b" has ";" in it (record 1)'),
        ([Split([""])], "tags: one empty item would be read as no item (record 1)"),
        ([Split("ab")], "tags: expected list[str], got str (record 1)"),  # type: ignore[arg-type]
        ([Split([3])], "tags: expected str, got int (record 1)"),  # type: ignore[list-item]
        (
            [Split([], None, (1,))],  # type: ignore[arg-type]
            "pair: expected 2 items, got 1 (record 1)",
        ),
        (
            [Wide(1, ["a"]), Wide(2, ["b", "c"])],
            'tags[1]: there is no column "tag_2" in the first row (record 2)',
        ),
        (
            [Wide(1, ["a", ""])],
            "tags[1]: an empty item at the end would be read as no item (record 1)",
        ),
        (
            [Wide(1, [], [Geo(None)])],  # type: ignore[arg-type]
            "items[0]: expected float, got NoneType (record 1)",
        ),
        ([Wide(1, [], [3])], "items[0]: expected Geo, got int (record 1)"),  # type: ignore[list-item]
        (
            [Formed(1.0, None, True, "NA")],
            "note: its text would be read back as None ('NA' of cells(...)) (record 1)",
        ),
        (
            [Formed(1.0, Decimal("1E+5"), True)],
            (
                "price: cells(decimal=...) has no form for a decimal number with an exponent "
                "(record 1)"
            ),
        ),
        ([Formed(1.0, None, 1)], "yes: expected bool, got int (record 1)"),  # type: ignore[arg-type]
    ],
)
def test_what_would_be_read_back_otherwise(rows: list[Any], message: str) -> None:
    with pytest.raises(penstock.EncodeError) as caught:
        penstock.csv.encode(rows)
    assert str(caught.value) == message


def test_what_no_column_can_hold() -> None:
    @dataclass
    class Nested:
        items: list[int]

    with pytest.raises(penstock.PlanError) as caught:
        penstock.csv.encode([], Nested)
    assert "say separated(...)" in str(caught.value)
    assert "or spread(...)" in str(caught.value)
    with pytest.raises(penstock.EncodeError, match=r"Nested cannot be written: .*separated"):
        penstock.csv.encode([Nested([1])])
