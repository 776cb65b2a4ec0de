"""The questions to which the right answer is a refusal."""

import datetime
import decimal
import enum
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import annotated_types
from asking import (
    BASE64,
    DUPLICATES,
    FINITE,
    FORBID,
    REFUSED,
    STRICT,
    Row,
)


def refused(
    name: str, into: Any, data: bytes, sound: bytes, value: Any, ways: Any = None, **more: Any
) -> Row:
    """Return a question whose `data` must be refused by libraries that decode its `sound` twin."""
    return Row(name, into, data, REFUSED, ways or {}, sound=(sound, value), **more)


class Colour(enum.Enum):
    RED = "red"


@dataclass
class Point:
    x: int
    y: int = 0


@dataclass
class First:
    x: int


@dataclass
class Second:
    x: int


Positive = Annotated[int, annotated_types.Gt(0)]
Even = Annotated[int, annotated_types.MultipleOf(2)]
Short = Annotated[str, annotated_types.MaxLen(3)]
Lower = Annotated[str, annotated_types.Predicate(str.islower)]

VALUES = [
    refused('`"1"` for an `int`', int, b'"1"', b"1", 1, STRICT),
    refused("`1.0` for an `int`", int, b"1.0", b"1", 1, STRICT),
    refused("`1e2` for an `int`", int, b"1e2", b"1", 1, STRICT),
    refused("`true` for an `int`", int, b"true", b"1", 1, STRICT),
    refused("`1` for a `bool`", bool, b"1", b"true", True, STRICT),
    refused('`"2.5"` for a `float`', float, b'"2.5"', b"2.5", 2.5, STRICT),
    refused("`7` for a `str`", str, b"7", b'"7"', "7"),
    refused("`null` for a `str`", str, b"null", b'"7"', "7"),
    refused("`NaN` for a `float`", float, b"NaN", b"2.5", 2.5, FINITE),
    refused("`1e400` for a `float`", float, b"1e400", b"2.5", 2.5, FINITE),
    refused(
        "the 30th of February",
        datetime.date,
        b'"2026-02-30"',
        b'"2026-03-01"',
        datetime.date(2026, 3, 1),
    ),
    refused(
        "a `date` for a `datetime`",
        datetime.datetime,
        b'"2026-03-01"',
        b'"2026-03-01T12:30:00Z"',
        datetime.datetime(2026, 3, 1, 12, 30, tzinfo=datetime.UTC),
        STRICT,
    ),
    refused("invalid base64 for `bytes`", bytes, b'"a"', b'"aGk="', b"hi", BASE64),
    refused(
        "`Infinity` as a string, for a `Decimal`",
        decimal.Decimal,
        b'"Infinity"',
        b'"1.5"',
        decimal.Decimal("1.5"),
    ),
    refused("a value of no `Enum` member", Colour, b'"blue"', b'"red"', Colour.RED),
    refused("`true` for `Literal[1]`", Literal[1], b"true", b"1", 1),
    refused("a `tuple` that is too long", tuple[int, int], b"[1,2,3]", b"[1,2]", (1, 2)),
    refused("a key that is missing", Point, b"{}", b'{"x":1}', Point(1)),
    refused(
        "a key that the class does not have, on demand",
        Point,
        b'{"x":1,"z":1}',
        b'{"x":1}',
        Point(1),
        FORBID,
        on_demand=True,
    ),
    refused("`Gt(0)` of `annotated_types`", Positive, b"-1", b"1", 1),
    refused("`MultipleOf(2)`", Even, b"3", b"4", 4),
    refused("`MaxLen(3)`", Short, b'"abcd"', b'"abc"', "abc"),
    refused("`Predicate(str.islower)`", Lower, b'"ABC"', b'"abc"', "abc"),
    Row("two classes that nothing tells apart", First | Second, b'{"x":1}', REFUSED),
]

DOCUMENTS = [
    refused(
        "a key twice, on demand",
        Point,
        b'{"x":1,"x":2}',
        b'{"x":1}',
        Point(1),
        DUPLICATES,
        on_demand=True,
    ),
    refused("invalid UTF-8 in a field", str, b'"\xff"', b'"a"', "a"),
    refused(
        "invalid UTF-8 in a value that is skipped",
        Point,
        b'{"x":1,"z":"\xff"}',
        b'{"x":1,"z":""}',
        Point(1),
    ),
    refused(
        "invalid UTF-8 in a key that is skipped",
        Point,
        b'{"x":1,"\xff":1}',
        b'{"x":1,"z":1}',
        Point(1),
    ),
    refused("half a surrogate pair", str, rb'"\ud83d"', rb'"\u00e9"', "\u00e9"),
    refused(
        "half a surrogate pair in a value that is skipped",
        Point,
        rb'{"x":1,"z":"\ud83d"}',
        b'{"x":1,"z":""}',
        Point(1),
    ),
    refused(
        "`NaN` in a value that is skipped", Point, b'{"x":1,"z":NaN}', b'{"x":1,"z":1}', Point(1)
    ),
    refused("a control character in a string", str, b'"a\nb"', b'"a"', "a"),
    refused("a leading zero", int, b"01", b"1", 1),
    refused("a trailing comma", list[int], b"[1,]", b"[1]", [1]),
    refused("text after the document", int, b"1 2", b"1", 1),
    refused("a form feed for white space", list[int], b"[\f1]", b"[1]", [1]),
    refused("100,000 nested arrays", Any, b"[" * 100_000 + b"]" * 100_000, b"[]", []),
]
