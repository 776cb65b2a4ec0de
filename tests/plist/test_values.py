"""Values of property lists that JSON has not, and numbers into other types."""

from __future__ import annotations

import plistlib
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from typing import Annotated, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import penstock
from penstock import at, plist, unix

MOMENTS = st.datetimes(datetime(1950, 1, 1), datetime(2060, 1, 1))  # noqa: DTZ001 - naive ones


@given(MOMENTS)
def test_binary_dates_are_exact(moment: datetime) -> None:
    data = plist.encode(moment, form="binary")
    assert plist.decode(data) == moment.replace(tzinfo=UTC)
    assert plistlib.loads(data) == moment


def test_dates_of_text_have_whole_seconds() -> None:
    moment = datetime(2026, 11, 23, 8, 30, 1, 999_999, tzinfo=timezone(timedelta(hours=2)))
    for form in ("xml", "gnustep"):
        back = plist.decode(plist.encode(moment, form=form))
        assert back == datetime(2026, 11, 23, 6, 30, 1, tzinfo=UTC)


@dataclass
class Numbers:
    price: Decimal
    size: float
    seen: Annotated[datetime, unix("s")]


@pytest.mark.parametrize("form", ["binary", "xml", "gnustep", "openstep"])
def test_numbers_become_what_the_class_asks_for(form: Any) -> None:
    given = {"price": 0.1, "size": 3, "seen": 1_700_000_000.25}
    made = plist.decode(plist.encode(given, form=form), Numbers)
    moment = datetime(2023, 11, 14, 22, 13, 20, 250_000, tzinfo=UTC)
    assert made == Numbers(Decimal("0.1"), 3.0, moment)
    assert type(made.size) is float
    assert plist.decode(
        plist.encode({"price": 7, "size": 2**60, "seen": 0}, form=form), Numbers
    ) == (Numbers(Decimal(7), float(2**60), datetime(1970, 1, 1, tzinfo=UTC)))


@dataclass
class Archived:
    root: plistlib.UID
    number: Annotated[int, at("count")]
    of: list[plistlib.UID | str]


def test_uids() -> None:
    uid = plistlib.UID
    value = {"root": uid(1), "count": uid(300), "of": [uid(2**40), "x"]}
    made = Archived(uid(1), 300, [uid(2**40), "x"])
    for form in ("binary", "xml"):
        data = plist.encode(value, form=form)
        assert plist.decode(data) == value
        assert plist.decode(data, Archived) == made
    assert plist.encode(Archived(uid(1), 3, []), form="binary") == plist.encode(
        {"root": uid(1), "count": 3, "of": []}, form="binary"
    )
    with pytest.raises(penstock.ValidationError, match=r"expected UID, got a string"):
        plist.decode(plist.encode({"root": "1", "count": 1, "of": []}), Archived)
    with pytest.raises(
        penstock.ValidationError, match=r"expected int, got a UID|expected str, got"
    ):
        plist.decode(plist.encode(uid(7)), str)


def test_shared_containers_of_plain_values_are_one_object() -> None:
    shared: dict[str, Any] = {"a": [1]}
    data = plist.encode({"x": shared, "y": [shared, shared], "z": [1]}, form="binary")
    made = plist.decode(data)
    assert made["x"] is made["y"][0] is made["y"][1]
    assert made["z"] is made["x"]["a"]
    typed = plist.decode(data, dict[str, Any])
    assert typed["x"] is typed["y"][0]
    records = list(plist.read([data], at="*"))
    assert records[1][0] is records[1][1]
    lists = plist.decode(data, dict[str, list[dict[str, list[int]]] | Any])
    assert lists["y"] == [shared, shared]


def test_a_field_that_is_none_is_left_out_if_that_is_its_default() -> None:
    @dataclass
    class Optional:
        a: int | None = None
        b: int | None = 3

    for form in ("binary", "xml", "gnustep"):
        assert plist.decode(plist.encode(Optional(None, 4), form=form)) == {"b": 4}
    with pytest.raises(penstock.EncodeError, match=r"^b: a property list has no null$"):
        plist.encode(Optional(1, None))
    assert plist.decode(plist.encode(Optional(1, None), omit="none")) == {"a": 1}
