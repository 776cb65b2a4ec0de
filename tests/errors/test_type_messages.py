"""The messages for values of the wrong type: for every type, and every constraint.

Each case is a document, and the message for its first value that does not fit.
"""

from __future__ import annotations

import array
import collections
import datetime
import decimal
import enum
import fractions
import ipaddress
import pathlib
import re
import uuid
import zoneinfo
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import annotated_types
import pytest

import penstock
from penstock import ValidationError


class Number(enum.IntEnum):
    ONE = 1
    TWO = 2


class Flags(enum.Flag):
    A = 1
    B = 2


class Color(enum.Enum):
    RED = "red"
    GREEN = "green"
    BLUE = "blue"
    BLACK = "black"
    WHITE = "white"
    YELLOW = "yellow"
    PINK = "pink"


@dataclass
class Circle:
    radius: float


@dataclass
class Square:
    side: float


def small(value: int) -> bool:
    return value < 10


CASES: list[tuple[Any, dict[str, str]]] = [
    (
        datetime.timedelta,
        {
            '"x"': "expected timedelta, got \"x\": expected 'P', as in P1DT12H",
            '"P1Y"': 'expected timedelta, got "P1Y": years and months have no fixed length',
            "3": "expected timedelta, got the integer 3",
            '"PT0.0000001S"': 'expected timedelta, got "PT0.0000001S": the fraction is finer than a microsecond',
        },
    ),
    (
        datetime.datetime,
        {
            '"x"': 'expected datetime, got "x": expected a digit of the year',
            '"2020-02-30T00:00:00Z"': 'expected datetime, got "2020-02-30T00:00:00Z": day 30 is not in 1..29 of February 2020',
            '"2020-01-01"': "expected datetime, got \"2020-01-01\": expected 'T' between date and time",
        },
    ),
    (datetime.date, {'"2020-13-01"': 'expected date, got "2020-13-01": month 13 is not in 1..12'}),
    (datetime.time, {'"25:00"': 'expected time, got "25:00": hour 25 is not in 0..23'}),
    (bytearray, {'"*"': 'expected bytearray, got "*": not a character of base64'}),
    (bytes, {'"*"': 'expected bytes, got "*": not a character of base64'}),
    (uuid.UUID, {'"x"': 'expected UUID, got "x": it is no UUID'}),
    (decimal.Decimal, {'"x"': 'expected Decimal, got "x": it is no decimal number'}),
    (
        Number,
        {
            "3": "expected Number (1 or 2), got the integer 3",
            '"1"': 'expected Number (1 or 2), got "1"',
        },
    ),
    (
        Flags,
        {
            "8": "expected Flags, got 8: some of its bits are no flags",
            '"A"': "expected Flags, got a string",
        },
    ),
    (
        Color,
        {
            '"blu"': 'expected Color, got "blu"; did you mean "blue"?',
            '"RED"': 'expected Color, got "RED"; did you mean "red"?',
            '"zebra"': 'expected Color, got "zebra"',
            "3": "expected Color, got the integer 3",
        },
    ),
    (Literal["a", 1, None], {'"b"': "expected Literal['a', 1, None], got \"b\""}),
    (pathlib.Path, {"3": "expected Path, got the integer 3"}),
    (
        ipaddress.IPv4Address,
        {'"x"': "expected IPv4Address, got \"x\": Expected 4 octets in 'x'"},
    ),
    (
        ipaddress.IPv4Network,
        {'"1.2.3.4/8"': 'expected IPv4Network, got "1.2.3.4/8": 1.2.3.4/8 has host bits set'},
    ),
    (
        zoneinfo.ZoneInfo,
        {'"Mars/X"': 'expected ZoneInfo, got "Mars/X": no such time zone is known'},
    ),
    (
        re.Pattern,
        {'"("': 'expected Pattern, got "(": missing ), unterminated subpattern at position 0'},
    ),
    (
        fractions.Fraction,
        {
            '"1/0"': 'expected Fraction, got "1/0": its denominator is 0',
            '"x"': 'expected Fraction, got "x": it is no fraction, as in 3/4',
        },
    ),
    (complex, {'"x"': 'expected complex, got "x": it is no complex number, as in (1+2j)'}),
    (collections.deque[int], {'["a"]': "expected int, got a string"}),
    (collections.Counter[str], {'{"a": "x"}': "expected int, got a string"}),
    (collections.defaultdict[str, int], {'{"a": null}': "expected int, got null"}),
    (
        dict[int, int],
        {
            '{"x": 1}': 'expected int, got the key "x"',
            '{"01": 1}': 'expected int, got the key "01"',
        },
    ),
    (dict[uuid.UUID, int], {'{"x": 1}': 'expected UUID, got the key "x": it is no UUID'}),
    (
        Annotated[array.array, penstock.typecode("d")],
        {'["a"]': "expected float, got a string"},
    ),
    (
        Annotated[array.array, penstock.typecode("b")],
        {
            "[300]": "expected array, got an array of 1: a number is beyond the range of its typecode 'b'"
        },
    ),
    (
        int | str,
        {
            "null": "expected int | str, got null",
            "2.5": "expected int | str, got a number with a fraction or an exponent",
        },
    ),
    (
        int | list[int],
        {'"x"': "expected int | list[int], got a string", '["a"]': "expected int, got a string"},
    ),
    (
        Circle | Square,
        {
            '{"x": 1}': 'expected Circle | Square, got an object without a key of theirs ("radius" or "side")',
            '{"radius": "x"}': "expected float, got a string",
            "3": "expected Circle | Square, got the integer 3",
        },
    ),
    (
        Annotated[Circle | Square, penstock.tag("type")],
        {
            "{}": 'expected Circle | Square, got an object without the key "type" ("Circle" or "Square")',
            '{"type": "crcle"}': 'the key "type" is "crcle", expected "Circle" or "Square"',
            '{"type": 3}': 'the key "type" is 3, expected "Circle" or "Square"',
        },
    ),
    (Annotated[int, annotated_types.Gt(3)], {"3": "expected int > 3, got 3"}),
    (Annotated[int, annotated_types.Interval(ge=1, lt=3)], {"7": "expected int < 3, got 7"}),
    (
        Annotated[int, annotated_types.MultipleOf(5)],
        {"7": "expected int that is a multiple of 5, got 7"},
    ),
    (
        Annotated[str, annotated_types.Len(2, 3)],
        {
            '"a"': 'expected str of at least 2 characters, got "a"',
            '"abcd"': 'expected str of at most 3 characters, got "abcd"',
        },
    ),
    (
        Annotated[list[int], annotated_types.MinLen(2)],
        {"[1]": "expected list of at least 2 items, got 1"},
    ),
    (
        Annotated[str, annotated_types.Predicate(str.isupper)],
        {'"a"': 'expected str for which str.isupper holds, got "a"'},
    ),
    (
        Annotated[int, annotated_types.Predicate(small)],
        {"12": "expected int for which small holds, got 12"},
    ),
    (
        Annotated[str, penstock.pattern(r"^\d+$")],
        {'"a"': r'expected str matching "^\d+$", got "a"'},
    ),
    (
        Annotated[datetime.datetime, annotated_types.Timezone(...)],
        {'"2020-01-01T00:00:00"': "expected datetime with a time zone, got 2020-01-01 00:00:00"},
    ),
    (
        Annotated[datetime.datetime, annotated_types.Timezone(None)],
        {
            '"2020-01-01T00:00:00Z"': "expected datetime without a time zone, got 2020-01-01 00:00:00+00:00"
        },
    ),
]


@pytest.mark.parametrize(
    ("into", "document", "reason"),
    [
        pytest.param(into, document, reason, id=f"{into} {document}")
        for into, documents in CASES
        for document, reason in documents.items()
    ],
)
def test_a_value_that_does_not_fit(into: Any, document: str, reason: str) -> None:
    with pytest.raises(ValidationError) as caught:
        penstock.json.decode(document, into)
    error = caught.value
    assert error.reason == reason
    assert error.line == 1
    assert error.column is not None
    assert str(error).startswith(f"line 1, column {error.column}: {reason}")
    # `expected` and `got` say nothing that is not in the message.
    for part in (error.expected, error.got):
        assert part is None or part in reason
    with pytest.raises(ValidationError) as among_others:
        penstock.json.decode(document, into, all_errors=True)
    assert str(among_others.value) == str(error)
