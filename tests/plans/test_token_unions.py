"""Unions where the kind of the value decides."""

import datetime as dt
import decimal
import enum
import uuid
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NamedTuple

import pytest

import penstock
from penstock import Plan, PlanError, ValidationError, json, via, xml


class Size(enum.Enum):
    SMALL = "S"
    LARGE = "L"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


@dataclass
class Point:
    x: int


class Row(NamedTuple):
    a: int
    b: int


def half(text: str) -> float:
    return int(text) / 2


ID = uuid.UUID("12345678-1234-5678-1234-567812345678")
DAY = dt.date(2026, 3, 1)
NOON = dt.datetime(2026, 3, 1, 12, tzinfo=dt.UTC)
Halved = Annotated[float, via(half)]

FITS: list[tuple[Any, str, Any]] = [
    (int | str, "1", 1),
    (int | str, '"1"', "1"),
    (int | str | None, "null", None),
    (int | float, "1", 1),
    (int | float, "1.0", 1.0),
    (int | float, "1e2", 100.0),
    (int | float, "9223372036854775808", 9223372036854775808),
    (float | str, "1", 1.0),
    (float | str, "9007199254740993", 9007199254740992.0),
    (bool | int, "true", True),
    (bool | int, "1", 1),
    (int | decimal.Decimal, "1", 1),
    (int | decimal.Decimal, "-123456789012345678901234567890", -123456789012345678901234567890),
    (int | decimal.Decimal, "1.10", decimal.Decimal("1.10")),
    (decimal.Decimal | str, "1.10", decimal.Decimal("1.10")),
    (decimal.Decimal | str, '"1.10"', "1.10"),
    (decimal.Decimal | None, '"1.10"', decimal.Decimal("1.10")),
    (decimal.Decimal | bool, '"1.10"', decimal.Decimal("1.10")),
    (str | dt.date, '"2026-03-01"', DAY),
    (str | dt.date, '"soon"', "soon"),
    (dt.datetime | dt.date | uuid.UUID, '"2026-03-01"', DAY),
    (dt.datetime | dt.date | uuid.UUID, '"2026-03-01T12:00:00Z"', NOON),
    (dt.datetime | dt.date | uuid.UUID, f'"{ID}"', ID),
    (Size | str, '"S"', Size.SMALL),
    (Size | str, '"M"', "M"),
    (Level | str, "2", Level.HIGH),
    (Literal["auto"] | int, '"auto"', "auto"),
    (Literal["auto"] | int, "7", 7),
    (Literal["a", 1, True, None] | list[int], "null", None),
    (Literal["a", 1, True, None] | list[int], "true", True),
    (Literal["a", 1, True, None] | list[int], "[1]", [1]),
    (int | list[int], "1", 1),
    (int | list[int], "[1, 2]", [1, 2]),
    (Point | list[Point], '{"x": 1}', Point(1)),
    (Point | list[Point], '[{"x": 1}]', [Point(1)]),
    (Point | str | None, '"a"', "a"),
    (set[int] | dict[str, int], '{"a": 1}', {"a": 1}),
    (set[int] | dict[str, int], "[1, 1]", {1}),
    (tuple[int, str] | str, '[1, "a"]', (1, "a")),
    (Row | str, '{"a": 1, "b": 2}', Row(1, 2)),
    (Row | str, "[1, 2]", Row(1, 2)),
    (Row | list[int], "[1, 2, 3]", [1, 2, 3]),
    (int | Any, '{"a": 1.5}', {"a": 1.5}),
    (Halved | int, '"5"', 2.5),
    (Halved | int, "5", 5),
    (list[int | str], '[1, "a", 2]', [1, "a", 2]),
    (dict[str, int | None], '{"a": null, "b": 1}', {"a": None, "b": 1}),
    (int | str | int, "1", 1),
]


@pytest.mark.parametrize(("into", "text", "value"), FITS)
def test_fits(into: Any, text: str, value: object) -> None:
    for got in (json.decode(text, into), json.decode(f"[{text}]", list[into])[0]):
        assert got == value
        assert type(got) is type(value)


@pytest.mark.parametrize(
    ("into", "text", "message"),
    [
        (int | str, "1.5", "expected int | str, got a number with a fraction or an exponent"),
        (int | str, "null", "expected int | str, got null"),
        (int | str, "[]", "expected int | str, got an array"),
        (int | str, "{}", "expected int | str, got an object"),
        (int | None, '"a"', "expected int | None, got a string"),
        (bool | str, "1", "expected bool | str, got the integer 1"),
        (bool | int, "1.5", "expected bool | int, got a number with a fraction or an exponent"),
        (str | list[int], "1.5", "expected str | list[int], got a number"),
        (int | float, "1e999", "expected int | float, got a number beyond the range of a double"),
        (dt.date | uuid.UUID, '"x"', 'expected date | UUID, got "x"'),
        (Size | int, '"M"', 'expected Size ("S" or "L") | int, got "M"'),
        (Literal["a", 1] | bool, "2", "expected Literal['a', 1] | bool, got the integer 2"),
        (Level | str, "3", "expected Level (1 or 2) | str, got the integer 3"),
        (int | list[int], "{}", "expected int | list[int], got an object"),
        (Halved | int, '"a"', "ValueError: invalid literal for int() with base 10: 'a'"),
    ],
)
def test_does_not_fit(into: Any, text: str, message: str) -> None:
    with pytest.raises(ValidationError) as caught:
        json.decode(text, into)
    assert caught.value.reason == message


def test_a_part_of_a_member_that_does_not_fit() -> None:
    with pytest.raises(ValidationError) as caught:
        json.decode('{"a": [1, "b"]}', dict[str, int | list[int]])
    assert (caught.value.path, caught.value.reason) == ("a/1", "expected int, got a string")


@pytest.mark.parametrize(
    ("into", "message"),
    [
        (list[int] | list[str], "list[int] | list[str]: nothing tells them apart in an array"),
        (
            list[int] | tuple[int, ...],
            "list[int] | tuple[int, ...]: nothing tells them apart in an array",
        ),
        (bytes | str, "bytes | str: nothing tells them apart in a string"),
        (
            dict[str, int] | dict[str, str],
            "dict[str, int] | dict[str, str]: nothing tells them apart in an object",
        ),
        (
            dict[str, int] | dict[str, str] | Point,
            "dict[str, int] | dict[str, str]: nothing tells them apart in an object",
        ),
        (float | decimal.Decimal, "float | Decimal: nothing tells them apart in a number"),
        (Level | Literal[7], "Level | Literal[7]: nothing tells them apart in an integer"),
        (Halved | str, "float | str: nothing tells them apart in a string"),
    ],
)
def test_refused(into: Any, message: str) -> None:
    with pytest.raises(PlanError) as caught:
        Plan(into)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("into", "text", "value"),
    [
        (int | str, "1", 1),
        (int | str, "a", "a"),
        (int | float | str, "1.5", 1.5),
        (int | decimal.Decimal, "1.10", decimal.Decimal("1.10")),
        (int | bool, "1", 1),
        (int | bool, "true", True),
        (str | dt.date, "2026-03-01", DAY),
        (Size | str, "L", Size.LARGE),
        (Literal["auto"] | int, "7", 7),
    ],
)
def test_from_xml_the_narrowest_that_fits(into: Any, text: str, value: object) -> None:
    @dataclass
    class Doc:
        x: into
        y: Annotated[list[into], penstock.at("y")]

    got = xml.decode(f'<d x="{text}"><y>{text}</y><y>{text}</y></d>', Doc)
    assert got == Doc(value, [value, value])
    assert type(got.x) is type(value)


def test_from_xml_nothing_fits() -> None:
    with pytest.raises(ValidationError) as caught:
        xml.decode("<d>x</d>", dt.date | uuid.UUID)
    assert caught.value.reason == 'expected date | UUID, got "x"'
