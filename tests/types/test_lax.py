"""Plans with `strict=False`: text and numbers that hold a value of the type."""

from __future__ import annotations

import datetime as dt
import decimal
from typing import Annotated, Any, Literal, TypedDict

import annotated_types
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock import Plan, ValidationError, decode, ndjson, xml


def lax(into: Any) -> Any:
    return Plan(into, strict=False)


def of_xml(text: str, into: Any) -> Any:
    plan: Any = TypedDict("Doc", {"v": into})
    return xml.decode(f"<d><v>{text}</v></d>", Plan(plan, strict=False))["v"]


TAKEN: list[tuple[str, Any, object]] = [
    ('"12"', int, 12),
    ('"-12"', int, -12),
    ('"123456789012345678901234567890"', int, 123456789012345678901234567890),
    ("1.0", int, 1),
    ("-1.50e1", int, -15),
    ("1e3", int, 1000),
    ('"1.0"', int, 1),
    ("-0.0", int, 0),
    ("1e22", int, 10**22),
    ("12345678901234567890.0", int, 12345678901234567890),
    ('"1.5"', float, 1.5),
    ('"1"', float, 1.0),
    ('"1e3"', float, 1000.0),
    ('"1.50"', decimal.Decimal, decimal.Decimal("1.50")),
    ("0", bool, False),
    ("1", bool, True),
    ('"true"', bool, True),
    ('"false"', bool, False),
    ('"1"', bool, True),
    ('"0"', bool, False),
    ("true", bool, True),
    ("1", int, 1),
    ('"x"', str, "x"),
    ('["1", 2.0, 3]', list[int], [1, 2, 3]),
    ('{"a": "1"}', dict[str, int], {"a": 1}),
    ('"5"', int | None, 5),
    ("null", int | None, None),
    ('"5"', int | float, 5),
    ('"5.5"', int | float, 5.5),
    ('"5"', int | str, "5"),
    ("5.0", int | str, 5),
    ("5.5", int | float, 5.5),
    ("5.0", int | float, 5.0),
    ("0", bool | str, False),
    ("0", bool | int, 0),
    ('"0"', bool | int, 0),
    ('"true"', bool | int, True),
    ('"2026-03-01"', int | dt.date, dt.date(2026, 3, 1)),
    ('"5"', int | dt.date, 5),
    ('"7"', Annotated[int, annotated_types.Gt(5)], 7),
]


@pytest.mark.parametrize(("text", "into", "value"), TAKEN)
def test_what_is_taken(text: str, into: Any, value: object) -> None:
    got = decode(text, lax(into))
    assert (got, type(got)) == (value, type(value))
    assert decode(f"[{text}]", lax(list[into])) == [value]


REFUSED: list[tuple[str, Any, str]] = [
    ("1.5", int, "expected int, got 1.5"),
    ("1.00000000000000000000001", int, "expected int, got 1.00000000000000000000001"),
    ("1e99999999999", int, "expected int, got 1e99999999999"),
    ('"1e5000"', int, 'expected int, got "1e5000"'),
    ('"1.5"', int, 'expected int, got "1.5"'),
    ('" 1"', int, 'expected int, got " 1"'),
    ('"+1"', int, 'expected int, got "+1"'),
    ('"01"', int, 'expected int, got "01"'),
    ('"1_0"', int, 'expected int, got "1_0"'),
    ('"\u0661"', int, 'expected int, got "\u0661"'),
    ('""', int, 'expected int, got ""'),
    ("true", int, "expected int, got true"),
    ("true", float, "expected float, got true"),
    ('"1e999"', float, 'expected float, got "1e999"'),
    ('"nan"', float, 'expected float, got "nan"'),
    ("2", bool, "expected bool, got the integer 2"),
    ("1.0", bool, "expected bool, got a number"),
    ('"True"', bool, 'expected bool, got "True"'),
    ('"yes"', bool, 'expected bool, got "yes"'),
    ("null", int, "expected int, got null"),
    ("1", str, "expected str, got the integer 1"),
    ('"1"', Literal[1], 'expected Literal[1], got "1"'),
    ('"x"', int | dt.date, 'expected int | date, got "x"'),
    ('"3"', Annotated[int, annotated_types.Gt(5)], "expected int > 5, got 3"),
]


@pytest.mark.parametrize(("text", "into", "reason"), REFUSED)
def test_what_is_not(text: str, into: Any, reason: str) -> None:
    with pytest.raises(ValidationError) as caught:
        decode(text, lax(into))
    assert caught.value.reason == reason


def test_what_strict_plans_refuse() -> None:
    for text, into in (
        ('"12"', int),
        ("1.0", int),
        ('"1.5"', float),
        ("1", bool),
        ('"true"', bool),
    ):
        with pytest.raises(ValidationError):
            decode(text, into)
        with pytest.raises(ValidationError):
            decode(text, Plan(into, strict=True))


def test_markup() -> None:
    assert of_xml(" 1.0 ", int) == 1
    assert of_xml("1e3", int) == 1000
    assert of_xml("007", int) == 7
    assert of_xml("1", bool) is True
    for text in ("1.5", "INF", "NaN", "x", ""):
        with pytest.raises(ValidationError, match="expected int, got"):
            of_xml(text, int)
    strict: Any = TypedDict("Doc", {"v": int})
    with pytest.raises(ValidationError, match=r'expected int, got "1\.0"'):
        xml.decode("<d><v>1.0</v></d>", strict)


def test_records_and_repr() -> None:
    rows: Any = TypedDict("Row", {"n": int, "ok": bool})
    plan = Plan(rows, strict=False)
    assert list(ndjson.read([b'{"n": "1", "ok": 1}\n{"n": 2.0, "ok": "0"}'], plan)) == [
        {"n": 1, "ok": True},
        {"n": 2, "ok": False},
    ]
    assert repr(plan).splitlines()[0] == "Plan(Row, strict=False)"


@given(st.integers())
def test_integers_however_they_are_written(value: int) -> None:
    for text in (str(value), f"{value}.0", f"{value}e0", f'"{value}"', f'"{value}.00"'):
        assert decode(text, lax(int)) == value


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_floats_never_become_other_integers(value: float) -> None:
    text = repr(value)
    whole = decimal.Decimal(text) == decimal.Decimal(text).to_integral_value()
    try:
        got = decode(text, lax(int))
    except ValidationError:
        assert not whole
    else:
        assert got == decimal.Decimal(text)
    assert decode(f'"{text}"', lax(float)) == value
