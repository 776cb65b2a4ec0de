"""Instants as numbers: `unix(...)` and `Plan(unix=)`."""

from __future__ import annotations

import datetime as dt
import pickle
from dataclasses import dataclass
from typing import Annotated, Any, TypedDict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock import Plan, PlanError, ValidationError, decode, unix, xml

UTC = dt.UTC
Seconds = Annotated[dt.datetime, unix("s")]


def refused(text: str, into: Any) -> str:
    with pytest.raises(ValidationError) as caught:
        decode(text, into)
    return caught.value.reason


def of_xml(text: str, into: Any) -> Any:
    plan: Any = TypedDict("Doc", {"v": into})
    return xml.decode(f"<d><v>{text}</v></d>", plan)["v"]


@pytest.mark.parametrize(
    ("text", "unit", "value"),
    [
        ("0", "s", dt.datetime(1970, 1, 1, tzinfo=UTC)),
        ("1767225600", "s", dt.datetime(2026, 1, 1, tzinfo=UTC)),
        ("1767225600.25", "s", dt.datetime(2026, 1, 1, 0, 0, 0, 250_000, UTC)),
        ("1767225600.123456", "s", dt.datetime(2026, 1, 1, 0, 0, 0, 123_456, UTC)),
        ("1767225600.1234560000000000000000", "s", dt.datetime(2026, 1, 1, 0, 0, 0, 123_456, UTC)),
        ("17672256e2", "s", dt.datetime(2026, 1, 1, tzinfo=UTC)),
        ("1767225600250", "ms", dt.datetime(2026, 1, 1, 0, 0, 0, 250_000, UTC)),
        ("1767225600250001", "us", dt.datetime(2026, 1, 1, 0, 0, 0, 250_001, UTC)),
        ("1767225600250001000", "ns", dt.datetime(2026, 1, 1, 0, 0, 0, 250_001, UTC)),
        ("-1", "ms", dt.datetime(1969, 12, 31, 23, 59, 59, 999_000, UTC)),
        ("-0.0", "s", dt.datetime(1970, 1, 1, tzinfo=UTC)),
        ("-62135596800", "s", dt.datetime(1, 1, 1, tzinfo=UTC)),
        ("253402300799.999999", "s", dt.datetime.max.replace(tzinfo=UTC)),
    ],
)
def test_numbers(text: str, unit: Any, value: dt.datetime) -> None:
    into: Any = Annotated[dt.datetime, unix(unit)]
    plan = Plan(dt.datetime, unix=unit)
    for got in (decode(text, into), decode(text, plan)):
        assert got == value
        assert got.tzinfo is UTC
    if "e" not in text:
        assert of_xml(f" {text}\n", into) == value


@pytest.mark.parametrize(
    ("text", "unit", "why"),
    [
        ("0.0000001", "s", "it is finer than a microsecond"),
        ("1767225600.1234567", "s", "it is finer than a microsecond"),
        ("1", "ns", "it is finer than a microsecond"),
        ("1e-999999999999999999999", "s", "it is finer than a microsecond"),
        ("253402300800", "s", "it is not in the years 1 to 9999"),
        ("-62135596800.000001", "s", "it is not in the years 1 to 9999"),
        ("1e999999999999999999999", "s", "it is not in the years 1 to 9999"),
        ("1e300", "ns", "it is not in the years 1 to 9999"),
    ],
)
def test_numbers_that_are_no_instant(text: str, unit: Any, why: str) -> None:
    into: Any = Annotated[dt.datetime, unix(unit)]
    assert refused(text, into) == f"expected datetime, got {text}: {why}"


def test_text_as_without_it() -> None:
    assert decode('"2026-01-01T00:00:00"', Seconds) == dt.datetime(2026, 1, 1)  # noqa: DTZ001
    assert decode('"2026-01-01T00:00:00Z"', Seconds) == dt.datetime(2026, 1, 1, tzinfo=UTC)
    assert of_xml("2026-01-01T00:00:00Z", Seconds) == dt.datetime(2026, 1, 1, tzinfo=UTC)
    assert decode('"1767225600"', Seconds) == dt.datetime(2026, 1, 1, tzinfo=UTC)
    assert refused('"17672256OO"', Seconds).startswith('expected datetime, got "17672256OO": ')
    assert refused("true", Seconds) == "expected datetime, got true"
    assert refused("0", dt.datetime) == "expected datetime, got the integer 0"


def test_none_and_unions() -> None:
    optional: Any = Annotated[dt.datetime | None, unix("s")]
    assert decode("[null, 0]", list[optional]) == [None, dt.datetime(1970, 1, 1, tzinfo=UTC)]
    mixed: Any = Seconds | str | None
    assert decode('[0.5, "x", null, "2026-01-01T00:00:00Z"]', list[mixed]) == [
        dt.datetime(1970, 1, 1, 0, 0, 0, 500_000, UTC),
        "x",
        None,
        dt.datetime(2026, 1, 1, tzinfo=UTC),
    ]
    with pytest.raises(PlanError, match="nothing tells them apart in an integer"):
        Plan(Seconds | int)


def test_the_option_of_a_plan() -> None:
    @dataclass
    class Event:
        at: dt.datetime
        day: dt.date
        exact: Annotated[dt.datetime, unix("us")]

    plan = Plan(Event, unix="ms")
    event = decode('{"at": 1000, "day": "2026-01-01", "exact": 1000}', plan)
    assert event.at == dt.datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC)
    assert event.exact == dt.datetime(1970, 1, 1, 0, 0, 0, 1000, UTC)
    assert repr(plan).splitlines()[0] == "Plan(Event, unix='ms')"
    assert refused('{"at": 0, "day": 0, "exact": 0}', plan) == "expected date, got the integer 0"
    assert refused('{"at": 0}', Event) == "expected datetime, got the integer 0"


def test_what_it_cannot_stand_beside() -> None:
    for into in (int, dt.date, list[dt.datetime]):
        with pytest.raises(PlanError, match=r"^unix\(...\) is only for a datetime$"):
            Plan(Annotated[into, unix("s")])
    with pytest.raises(ValueError, match=r"^unix\(\) takes 's', 'ms', 'us' or 'ns', not 'h'$"):
        unix("h")
    with pytest.raises(ValueError, match=r"^unix must be 's', 'ms', 'us' or 'ns', not 'h'$"):
        Plan(dt.datetime, unix="h")
    with pytest.raises(TypeError, match=r"^unix must be a str, not int$"):
        Plan(dt.datetime, unix=1)


def test_the_word() -> None:
    assert (repr(unix("s")), unix("s").unit) == ("unix('s')", "s")
    assert unix("s") == unix("s") != unix("ms")
    assert pickle.loads(pickle.dumps(unix("ns"))) == unix("ns")


@given(st.datetimes())
def test_all_instants_come_back(value: dt.datetime) -> None:
    value = value.replace(tzinfo=UTC)
    count = (value - dt.datetime(1970, 1, 1, tzinfo=UTC)) // dt.timedelta(microseconds=1)
    for unit, power in (("s", -6), ("ms", -3), ("us", 0), ("ns", 3)):
        into: Any = Annotated[dt.datetime, unix(unit)]
        assert decode(f"{count}e{power}", into) == value
