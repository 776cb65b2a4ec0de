"""What every library is asked to write: the values of the other tables, and questions of its own."""

import datetime
import decimal
import enum
import fractions
import functools
import json
import math
import pathlib
import sys
import uuid
import zoneinfo
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import asked_classes
import asked_types
import asked_writing_options
import orjson
from asked_classes import Named, Plain, Slots
from asking import REFUSED, Row
from asking_writing import (
    CALM,
    Document,
    Text,
    Way,
    Written,
    cattrs_with,
    config,
    converter,
    dialect,
    json_with,
    mashumaro_with,
    orjson_with,
    plan,
    pydantic_with,
)

import penstock

UTC = datetime.UTC


def reused(
    rows: Sequence[Row],
    renamed: Mapping[str, str],
    ways: Mapping[str, Mapping[str, Way]] = {},
    left: Sequence[str] = (),
) -> list[Written]:
    """Return the questions of a table of decoders, about writing: the same types, the same values.

    `left` are those about the text that is read, and not about the value.
    """
    found = []
    for row in rows:
        if row.name in left or row.want is REFUSED:
            continue
        value, fresh = row.want, False
        if row.look:
            value, fresh = functools.partial(penstock.json.decode, row.data, row.into), True
        name = renamed.get(row.name, row.name)
        found.append(
            Written(
                name,
                row.into,
                value,
                ways=ways.get(name, {}),
                look=row.look,
                fresh=fresh,
            )
        )
    return found


BASE64 = {
    "pydantic": config(
        '`ser_json_bytes="base64", val_json_bytes="base64"`',
        ser_json_bytes="base64",
        val_json_bytes="base64",
    )
}
KEYS = orjson_with("`OPT_NON_STR_KEYS`", orjson.OPT_NON_STR_KEYS)

SCALARS = reused(
    asked_types.SCALARS,
    {
        "`str`, with escapes": "`str`",
        "`bytes` from base64": "`bytes`",
        "`bytearray` from base64": "`bytearray`",
        "`Decimal` from the number `1.10`": "`Decimal('1.10')`",
        "`Decimal` from a number of 30 digits": "`Decimal` of 30 digits",
        "`datetime`, `Z`": "`datetime`, UTC",
        "`timedelta`, ISO 8601": "`timedelta`",
    },
    left=[
        "`int` of 5,000 digits",
        "`float` from `1`",
        "`Decimal` from a string",
        "`datetime` from unix seconds",
        "`datetime` from unix milliseconds of 1970",
    ],
)
KEYED = [
    "`dict[int, str]`",
    "`dict[Enum, int]`",
    "`dict[IntEnum, int]`",
    "`dict[UUID, int]`",
    "`dict[date, int]`",
]
CONTAINERS = [
    *reused(asked_types.CONTAINERS, {}, {name: {"orjson": KEYS} for name in KEYED}),
    Written("`dict[float, int]`", dict[float, int], {1.5: 1}, ways={"orjson": KEYS}),
    Written(
        "a generator, as `Iterable[int]`",
        Iterable[int],
        lambda: (number for number in [1, 2]),
        fresh=True,
        look=list,
    ),
]
UNIONS = reused(
    asked_types.UNIONS,
    {},
    left=["the same, its key last"],
)
GENERICS = reused(
    asked_types.GENERICS, {"a generic `NamedTuple`, from an array": "a generic `NamedTuple`"}
)
AS_DICT = {"mashumaro": dialect("`namedtuple_as_dict` of a dialect", namedtuple_as_dict=True)}
CLASSES = reused(
    asked_classes.KINDS,
    {
        "`NamedTuple` from an object": "`NamedTuple`",
        "the same with `__slots__`": "a class with an annotated `__init__` and `__slots__`",
    },
    left=[
        "`NamedTuple` from an array",
        "a class with an annotated `__init__`",
        "pydantic model with alias and validator",
        "a class inside a function, named by a string",
    ],
)


# Numbers and text that are easily lost.

NAMED = {"a\x00b\n": 1, "": 2, "\u2028": 3}
EXACT = [
    Written("`-0.0`", float, -0.0, look=repr),
    Written("`5e-324` and the largest `float`", list[float], [5e-324, sys.float_info.max]),
    Written("`2.0` and `1e16` stay floats", Any, [2.0, 1e16]),
    Written("`2**53 + 1`", int, 2**53 + 1),
    Written("`2**64`", int, 2**64),
    Written("`2**64` without a type", Any, [2**64]),
    Written("`Decimal('1E+30')`", decimal.Decimal, decimal.Decimal("1E+30")),
    Written("`Decimal('-0.00')`", decimal.Decimal, decimal.Decimal("-0.00")),
    Written("NUL and control characters", str, "".join(map(chr, range(0x20))) + "\x7f\x80"),
    Written("U+2028, and a character beyond U+FFFF", str, "\u2028\U0001f600\uffff"),
    Written("keys with NUL, U+2028, and the empty one", dict[str, int], NAMED),
    Written("`bytes` that are not UTF-8", bytes, b"\xff\x00", ways=BASE64),
    Written("a `datetime` of the year 1", datetime.datetime, datetime.datetime(1, 1, 1)),  # noqa: DTZ001
    Written("a `date` of the year 1", datetime.date, datetime.date(1, 1, 1)),
    Written(
        "a `datetime` with a `ZoneInfo`",
        datetime.datetime,
        datetime.datetime(2026, 7, 1, tzinfo=zoneinfo.ZoneInfo("Europe/Zurich")),
    ),
    Written(
        "a `datetime`, an offset with seconds",
        datetime.datetime,
        datetime.datetime(
            1890, 1, 1, tzinfo=datetime.timezone(datetime.timedelta(minutes=34, seconds=8))
        ),
        ways={"Penstock": plan('`times="iso"`', times="iso")},
    ),
    Written(
        "a negative `timedelta` with microseconds",
        datetime.timedelta,
        -datetime.timedelta(hours=1, microseconds=1),
    ),
    Written("`timedelta.max`", datetime.timedelta, datetime.timedelta.max),
]


# Objects that are not quite those of the class.


class Metres(int):
    """An int by inheritance, which prints itself in its own way."""

    def __str__(self) -> str:
        return f"{int(self)} m"

    __repr__ = __str__


class Loud(str):
    __slots__ = ()

    def __str__(self) -> str:
        return self.upper()


class Old(str, enum.Enum):  # noqa: UP042 - there are many of these
    A = "a"


@dataclass
class Holder:
    item: Plain


@dataclass
class Lazy:
    x: int

    @functools.cached_property
    def twice(self) -> int:
        return 2 * self.x


@dataclass
class Underlined:
    _x: int
    y: int


@dataclass
class Base:
    x: int


@dataclass
class Fewer:
    x: int
    y: int | None = None


def lazy() -> Lazy:
    made = Lazy(1)
    assert made.twice == 2
    return made


def more() -> Plain:
    made = Plain(1, 2)
    made.extra = 3  # type: ignore[attr-defined]
    return made


def secret() -> asked_classes.NotTaken:
    made = asked_classes.NotTaken(1)
    made.secret = "other"
    return made


POINT = Document({"x": 1, "y": 2})
OBJECTS = [
    Written("a cached property is not a field", Lazy, lazy, Document({"x": 1}), fresh=True),
    Written("an attribute that the class does not name", Plain, more, POINT, fresh=True),
    Written("a field whose name begins with `_`", Underlined, Underlined(1, 2)),
    Written("attrs private name, `_x` as `x`", asked_classes.Private, asked_classes.Private(1)),
    Written(
        "attrs `alias=`",
        asked_classes.Aliased,
        asked_classes.Aliased(1),
        ways={"cattrs": converter("`use_alias=True`", use_alias=True)},
    ),
    Written("`field(init=False)`", asked_classes.Computed, asked_classes.Computed(2)),
    Written(
        "`InitVar`, which no object keeps",
        asked_classes.WithInitVar,
        asked_classes.WithInitVar(2, 3),
        REFUSED,
    ),
    Written("a subclass of `int` with a `__str__`", int, Metres(3), Text("3")),
    Written(
        "a subclass of `str` with a `__str__`",
        str,
        Loud("a"),
        Text('"a"'),
    ),
    Written("an `Enum` that is a `str`", Old, Old.A, Text('"a"')),
]


# Values to refuse.


def around() -> Any:
    made: list[Any] = []
    made.append(made)
    return made


def around_dict() -> Any:
    made: dict[str, Any] = {}
    made["a"] = [made]
    return made


def around_object() -> Any:
    made = asked_types.Tree(1)
    made.rest = [asked_types.Tree(2, [made])]
    return made


def deep(levels: int) -> Any:
    made: list[Any] = []
    for _ in range(levels):
        made = [made]
    return made


def deep_objects(levels: int) -> Any:
    made = asked_types.Tree(0)
    for _ in range(levels):
        made = asked_types.Tree(0, [made])
    return made


def deeper() -> Any:
    """A program of the sort that has met a `RecursionError`."""
    sys.setrecursionlimit(10**6)
    return deep(200_000)


def bare() -> Any:
    return object.__new__(Slots)


def thrown(_: Any) -> Any:
    raise LookupError("the row is locked")


class Remote:
    """A descriptor that asks somebody else for its value."""

    def __init__(self, ask: Any) -> None:
        self.ask = ask

    def __get__(self, instance: Any, owner: Any) -> Any:
        return 0 if instance is None else self.ask(instance)

    def __set__(self, instance: Any, value: Any) -> None:
        instance.__dict__["kept"] = value


@dataclass
class Locked:
    x: int = Remote(thrown)  # type: ignore[assignment]


WARN = {"pydantic": pydantic_with('`warnings="error"`', warnings="error")}
FINITE = {
    "cattrs": cattrs_with("`allow_nan=False`", allow_nan=False),
    "mashumaro": mashumaro_with(
        "`post_encoder_func`", functools.partial(json.dumps, allow_nan=False)
    ),
    "json": json_with("`allow_nan=False`", allow_nan=False),
}
OWN = dict.fromkeys(["cattrs", "mashumaro", "json"], "which only its own reader takes")


def refused(name: str, into: Any, value: Any, sound: Any, **more: Any) -> Written:
    """Return a question whose `value` must be refused by libraries that write its `sound` twin."""
    return Written(name, into, value, REFUSED, sound=sound, apart=True, **more)


REFUSALS = [
    refused("`nan`", float, math.nan, 1.5, ways=FINITE),
    refused("`inf` in a list without a type", Any, [math.inf], [1.5], ways=FINITE),
    refused("half a surrogate pair", str, "\ud800", "a", remarks=OWN),
    refused("half a surrogate pair in a key", dict[str, int], {"\ud800": 1}, {"a": 1}, remarks=OWN),
    refused(
        "a `Path` that is not UTF-8",
        pathlib.Path,
        pathlib.Path("\udcff"),
        pathlib.Path("/tmp"),
        remarks=OWN,
    ),
    refused("`1` and `'1'` as keys of one dict", dict[Any, int], {1: 1, "1": 2}, {1: 2}),
    refused("a `tuple` as key", Any, {(1, 2): 3}, {"a": 3}),
    refused("`None` as key", Any, {None: 3}, {"a": 3}),
    refused("text in a field of `int`", Plain, Plain("1", 2), Plain(1, 2), ways=WARN),  # type: ignore[arg-type]
    refused("`True` in a field of `int`", Plain, Plain(True, 2), Plain(1, 2), ways=WARN),
    refused("`None` in a field of `int`", Plain, Plain(None, 2), Plain(1, 2), ways=WARN),  # type: ignore[arg-type]
    refused(
        "text in a `list[int]` of a field",
        asked_types.Box[list[int]],
        asked_types.Box(["1"]),
        asked_types.Box([1]),
        ways=WARN,
    ),
    refused(
        "an object of another class", Holder, Holder(Slots(1, 2)), Holder(Plain(1, 2)), ways=WARN
    ),  # type: ignore[arg-type]
    refused("a slot without a value", Slots, bare(), Slots(1, 2)),
    refused("an object of no fields", Any, object(), 1),
    refused("a function", Any, print, 1),
    refused("a list that contains itself", Any, around(), [[]]),
    refused("a dict that contains itself", Any, around_dict(), {"a": [{}]}),
    refused(
        "an object that contains itself",
        asked_types.Tree,
        around_object(),
        asked_types.Tree(1, [asked_types.Tree(2)]),
    ),
    refused("10,000 nested lists", Any, deep(10_000), [[]]),
    refused(
        "10,000 nested objects",
        asked_types.Tree,
        deep_objects(10_000),
        asked_types.Tree(1, [asked_types.Tree(2)]),
    ),
    Written(
        "200,000 nested lists, after `setrecursionlimit(10**6)`",
        Any,
        deeper,
        REFUSED,
        fresh=True,
        apart=True,
    ),
]


# Code of the program that runs meanwhile.


@dataclass
class Emptying:
    """An object that empties the list in which it stands, when its field is read."""

    x: int = Remote(lambda it: it.__dict__["kept"].clear() or 1)  # type: ignore[assignment]


@dataclass
class Growing:
    """An object that adds a key to the dict in which it stands."""

    x: int = Remote(lambda it: it.__dict__["kept"].update(dict.fromkeys("abcdef", it)) or 1)  # type: ignore[assignment]


def emptied() -> Any:
    made: list[Any] = []
    # So long that its memory goes back to the system: whoever reads it then always crashes.
    made += [Emptying(made), *([[1]] * (1 << 23))]  # type: ignore[arg-type]
    return made


def grown() -> Any:
    made: dict[str, Any] = {}
    made["it"] = Growing(made)  # type: ignore[arg-type]
    made["more"] = [1]
    return made


MEANWHILE = [
    Written("a list that is emptied meanwhile", Any, emptied, CALM, fresh=True, apart=True),
    Written("a dict that grows meanwhile", Any, grown, CALM, fresh=True, apart=True),
    Written(
        "an attribute that raises: its exception is shown",
        Locked,
        Locked(),
        told=("LookupError: the row is locked",),
    ),
]


# What an error says.

ERRORS = [
    Written(
        "the place in lists: index and field",
        list[Holder],
        [Holder(Plain(1, 2)), Holder(Plain(1, object()))],  # type: ignore[arg-type]
        told=(r"\b1\b", r"\by\b"),
        ways=WARN,
    ),
    Written(
        "the place in dicts: the key",
        dict[str, Plain],
        {"home": Plain(1, object())},  # type: ignore[arg-type]
        told=(r"\bhome\b", r"\by\b"),
        ways=WARN,
    ),
    Written(
        "the kind of the value",
        Plain,
        Plain(1, object()),  # type: ignore[arg-type]
        told=(r"\bobject\b",),
        ways=WARN,
    ),
    Written("the place of a `nan`", Any, {"rows": [1.5, math.nan]}, told=(r"\brows\b", r"\b1\b")),
    Written("the place of half a surrogate pair", Any, {"rows": ["\ud800"]}, told=(r"\brows\b",)),
    Written("that a list contains itself", Any, around(), told=(r"(?i)circular|cycle|itself",)),
    Written(
        "the place where it does",
        Any,
        {"rows": around()},
        told=(r"(?i)circular|cycle|itself", r"\brows\b"),
    ),
]


# The values of which the page shows the text.

SHOWN: list[tuple[str, Any, Any]] = [
    ("a dataclass", Plain, Plain(1, 2)),
    ("`NamedTuple`", Named, Named(1, 2)),
    ("`1e16`", float, 1e16),
    ("`1.0`", float, 1.0),
    ("`-0.0`", float, -0.0),
    ("`2**64`", int, 2**64),
    ("`Decimal('1.10')`", decimal.Decimal, decimal.Decimal("1.10")),
    ("`'é/'`", str, "\u00e9/"),
    ("`'\\x7f'`", str, "\x7f"),
    ("`b'hi'`", bytes, b"hi"),
    ("`datetime`, UTC", datetime.datetime, datetime.datetime(2026, 3, 1, 12, 30, tzinfo=UTC)),
    ("`datetime`, naive", datetime.datetime, datetime.datetime(2026, 3, 1, 12, 30)),  # noqa: DTZ001
    ("`time`", datetime.time, datetime.time(12, 30)),
    ("`timedelta`", datetime.timedelta, datetime.timedelta(days=1, hours=2)),
    ("`UUID`", uuid.UUID, uuid.UUID("12345678-1234-5678-1234-567812345678")),
    ("`Enum`", asked_types.Colour, asked_types.Colour.RED),
    ("`Flag`, two set", asked_types.Access, asked_types.Access.READ | asked_types.Access.WRITE),
    ("`Fraction(1, 3)`", fractions.Fraction, fractions.Fraction(1, 3)),
    ("`complex`", complex, 1 + 2j),
    ("`{True: 1, 2.0: 3}`", dict[Any, int], {True: 1, 2.0: 3}),
]

TABLES: Mapping[str, Sequence[Written]] = {
    "Scalars": SCALARS,
    "Containers": CONTAINERS,
    "Unions": UNIONS,
    "Generics and other annotations": GENERICS,
    "Kinds of classes": CLASSES,
    "Objects and their attributes": OBJECTS,
    "Numbers and text that are easily lost": EXACT,
    "Values to refuse": REFUSALS,
    "Code of the program that runs meanwhile": MEANWHILE,
    "On demand": asked_writing_options.OPTIONS,
    "What an error reports": ERRORS,
}
