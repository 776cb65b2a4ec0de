"""`plain`: dicts, lists and scalars from objects."""

from __future__ import annotations

import enum
import json
import math
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Literal
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

import penstock
from penstock import at, make, plain, rest, tag, via


@dataclass
class City:
    name: str
    population: int
    area: float = 0.0
    note: str | None = None


class Size(enum.Enum):
    SMALL = "s"


@dataclass
class All:
    when: datetime
    day: date
    identity: UUID
    path: Path
    size: Size
    cities: list[City]
    counts: dict[int, str]
    raw: bytes
    inner: Annotated[int, at("a/b")]
    others: Annotated[dict[str, Any], rest] = field(default_factory=dict)


ALL = All(
    datetime(2026, 3, 1, tzinfo=UTC),
    date(2026, 3, 1),
    UUID(int=1),
    Path("/x"),
    Size.SMALL,
    [City("Bern", 5)],
    {1: "a"},
    b"xx",
    7,
    {"more": [1]},
)


def test_values_are_those_of_json() -> None:
    found = plain(ALL)
    assert found == json.loads(penstock.json.encode(ALL))
    assert found == {
        "when": "2026-03-01T00:00:00Z",
        "day": "2026-03-01",
        "identity": "00000000-0000-0000-0000-000000000001",
        "path": "/x",
        "size": "s",
        "cities": [{"name": "Bern", "population": 5, "area": 0.0, "note": None}],
        "counts": {"1": "a"},
        "raw": "eHg=",
        "a": {"b": 7},
        "more": [1],
    }
    assert make(found, All) == ALL


def test_numbers_lose_nothing() -> None:
    values = [Decimal("1.50"), 10**30, math.inf, -0.0, True, None]
    assert plain(values) == values
    assert [type(value) for value in plain(values)] == [type(value) for value in values]
    assert math.isnan(plain(math.nan))


def test_strings_are_not_copied_and_containers_are() -> None:
    city = City("a long enough name", 5)
    assert plain(city)["name"] is city.name
    values = {"list": [1, 2]}
    assert plain(values) == values
    assert plain(values)["list"] is not values["list"]


def test_what_is_left_out() -> None:
    assert plain(City("Bern", 5), omit="defaults") == {"name": "Bern", "population": 5}
    assert plain(City("Bern", 5), omit="none") == {"name": "Bern", "population": 5, "area": 0.0}
    with pytest.raises(ValueError, match="omit must be"):
        plain(City("Bern", 5), omit="all")  # type: ignore[arg-type]


@dataclass
class Cat:
    kind: Literal["cat"]


@dataclass
class Dog:
    name: str


def test_a_type_says_more_than_the_object() -> None:
    tagged = Annotated[City | Dog, tag("is")]
    assert plain(Dog("Rex"), tagged) == {"is": "Dog", "name": "Rex"}
    assert plain(Dog("Rex")) == {"name": "Rex"}
    assert plain(City("x", 1), penstock.Plan(City, rename="upper"))["NAME"] == "x"
    assert plain(7, Annotated[int, via(int, encode=hex)]) == "0x7"


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (object(), "object cannot be written"),
        ([City("x", "y")], "[0].population: expected int, got str"),  # type: ignore[arg-type]
        ({1: 2, "1": 3}, "two keys of the dict are written as the same text"),
    ],
)
def test_what_has_no_form_is_an_error_with_its_path(value: Any, message: str) -> None:
    with pytest.raises(penstock.EncodeError) as caught:
        plain(value)
    assert message in str(caught.value)


def test_what_contains_itself_or_is_deep() -> None:
    circle: list[Any] = []
    circle.append(circle)
    with pytest.raises(penstock.EncodeError, match="it contains itself"):
        plain(circle)
    deep: Any = 1
    for _ in range(50_000):
        deep = [deep]
    with pytest.raises(penstock.EncodeError, match="values inside each other"):
        plain(deep)
    found = plain(deep, limits=penstock.Limits(depth=100_000))
    for _ in range(50_000):
        [found] = found
    assert found == 1


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(PLAIN)
def test_plain_values_stay_equal(value: Any) -> None:
    found = plain(value)
    assert found == value
    assert repr(found) == repr(value)


class Money:
    def __init__(self, cents: int) -> None:
        self.cents = cents


def test_functions_for_types_hold_for_their_call_only() -> None:
    """What one call has planned was kept for the next: a type changed what was written without one, or was ignored."""
    plan: Any = penstock.Plan(
        object, types={Money: via(int, encode=lambda money: f"{money.cents}c")}
    )
    for _ in range(2):
        assert plain([Money(1)]) == [{"cents": 1}]
        assert penstock.json.encode([Money(1)]) == b'[{"cents":1}]'
        assert plain([Money(1)], plan) == ["1c"]


class Price(enum.Enum):
    FIVE = Decimal(5)
    HALF = Decimal("0.5")


@dataclass
class Priced:
    price: int | Price


@dataclass
class Amount:
    amount: int | Decimal


def test_a_whole_decimal_that_would_be_read_back_as_an_int() -> None:
    """It was written, and came back as the int. JSON refused it."""
    for encode in (plain, penstock.json.encode):
        with pytest.raises(
            penstock.EncodeError, match=r"^price: its text would be read back as int$"
        ):
            encode(Priced(Price.FIVE))
    assert make(plain(Priced(Price.HALF)), Priced) == Priced(Price.HALF)
    # `make` takes a `Decimal` as it is. In JSON it has no other text than the int.
    assert plain(Amount(Decimal(5))) == {"amount": Decimal(5)}
    assert str(make(plain(Amount(Decimal(5))), Amount)) == "Amount(amount=Decimal('5'))"
