"""Records for every kind of class and type that users have, and the classes for them.

Each kind is one row of the benchmark. The classes are made on demand, so that a process that
measures one library does not import attrs for another row.
"""

# ruff: noqa: PLC0415 - each process imports only what it measures
from __future__ import annotations

import dataclasses
import datetime as dt
import decimal
import enum
import json
import uuid
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_type_hints

import inputs

RECORDS = 200_000

Record = dict[str, object] | list[object]


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind: the contents of its records, and the type that they are decoded into.

    `record` makes the n-th record. `into` makes the type of a record. If msgspec refuses that type,
    `struct` makes another one for it, and the row says so.
    """

    key: str
    title: str
    record: Callable[[int], Record]
    into: Callable[[], Any]
    struct: Callable[[], Any] | None = None

    def path(self) -> Path:
        """Return the file of records, made on first use."""
        lines = (self.line(number) for number in range(RECORDS))
        return inputs.cached(f"kind-{self.key}.json", inputs.written(lines))

    def line(self, number: int) -> bytes:
        """Return a record as JSON."""
        return json.dumps(self.record(number), separators=(",", ":")).encode()

    def small(self) -> bytes:
        """Return a document of a few records."""
        return b"[" + b",".join(map(self.line, range(8))) + b"]"


def item(number: int) -> Record:
    """Return a record of five fields: two ints, a float and two strings."""
    return {
        "id": number,
        "name": f"item {number}",
        "price": number / 8,
        "count": number % 100,
        "group": f"group {number % 50}",
    }


FIELDS = {"id": int, "name": str, "price": float, "count": int, "group": str}


def slots() -> Any:
    """Return a dataclass with slots."""
    return dataclasses.make_dataclass("Item", FIELDS.items(), slots=True)


def without_slots() -> Any:
    """Return a dataclass whose objects have a `__dict__`."""
    return dataclasses.make_dataclass("Item", FIELDS.items())


def attrs_slots() -> Any:
    """Return an attrs class with slots."""
    import attrs

    return attrs.make_class("Item", {name: attrs.field(type=FIELDS[name]) for name in FIELDS})


def named_tuple() -> Any:
    """Return a named tuple."""
    return NamedTuple("Item", FIELDS.items())


def typed_dict() -> Any:
    """Return a typed dict; pydantic wants that of `typing_extensions` here."""
    import typing_extensions

    return typing_extensions.TypedDict("Item", FIELDS)  # type: ignore[operator]


def array(number: int) -> Record:
    """Return the record as an array."""
    record = item(number)
    assert isinstance(record, dict)
    return list(record.values())


@dataclass(slots=True)
class Circle:
    """One of three shapes."""

    kind: Literal["circle"]
    x: int
    y: int
    radius: float


@dataclass(slots=True)
class Rectangle:
    """Another."""

    kind: Literal["rectangle"]
    x: int
    y: int
    width: float
    height: float


@dataclass(slots=True)
class Label:
    """The third."""

    kind: Literal["label"]
    x: int
    y: int
    text: str


Shape = Circle | Rectangle | Label


def shape(number: int) -> Record:
    """Return a shape, with its kind first."""
    of: list[dict[str, object]] = [
        {"kind": "circle", "x": number, "y": 7, "radius": 1.5},
        {"kind": "rectangle", "x": number, "y": 7, "width": 2.5, "height": 0.5},
        {"kind": "label", "x": number, "y": 7, "text": f"label {number}"},
    ]
    return of[number * 7 // 3 % 3]


def shape_tag_last(number: int) -> Record:
    """Return a shape, with its kind last."""
    record = shape(number)
    assert isinstance(record, dict)
    return {**{key: record[key] for key in record if key != "kind"}, "kind": record["kind"]}


def shape_structs() -> Any:
    """Return the shapes as Structs: msgspec refuses a union of other classes."""
    import msgspec

    made: Any = None
    for cls in (Circle, Rectangle, Label):
        hints = [each for each in get_type_hints(cls).items() if each[0] != "kind"]
        one = msgspec.defstruct(cls.__name__, hints, tag_field="kind", tag=cls.__name__.lower())
        made = one if made is None else made | one
    return made


@dataclass(slots=True)
class Mixed:
    """Values that may be of two types each."""

    amount: int | float
    code: int | str
    note: str | None
    parts: int | list[int]


def mixed(number: int) -> Record:
    """Return a record that takes the types in turn."""
    return {
        "amount": number if number % 2 else number / 4,
        "code": f"c{number}" if number % 3 else number,
        "note": None if number % 4 else "note",
        "parts": [number, 1] if number % 5 else number,
    }


@dataclass(slots=True)
class Times:
    """Three moments."""

    made: dt.datetime
    seen: dt.datetime
    day: dt.date


def times(number: int) -> Record:
    """Return moments in UTC and at an offset, one of them with microseconds."""
    made = dt.datetime(2020, 1, 1, tzinfo=dt.UTC) + dt.timedelta(minutes=number)
    seen = made.astimezone(dt.timezone(dt.timedelta(hours=2)))
    return {
        "made": made.isoformat().replace("+00:00", "Z"),
        "seen": seen.replace(microsecond=number % 999_999 + 1).isoformat(),
        "day": made.date().isoformat(),
    }


@dataclass(slots=True)
class Ids:
    """Two identifiers."""

    id: uuid.UUID
    parent: uuid.UUID


def ids(number: int) -> Record:
    """Return identifiers, all different."""
    spread = 0x9E3779B97F4A7C15F39CC0605CEDC835
    return {
        name: str(uuid.UUID(int=(2 * number + which) * spread % 2**128))
        for which, name in enumerate(("id", "parent"))
    }


class State(enum.Enum):
    """Six states, by words."""

    NEW = "new"
    OPEN = "open"
    WAITING = "waiting"
    DONE = "done"
    FAILED = "failed"
    DROPPED = "dropped"


class Level(enum.IntEnum):
    """Four levels, by numbers."""

    LOW = 0
    NORMAL = 1
    HIGH = 2
    URGENT = 10


@dataclass(slots=True)
class Choices:
    """An enum of words, one of numbers, and a choice of literals."""

    state: State
    level: Level
    size: Literal["small", "medium", "large"]


def choices(number: int) -> Record:
    """Return choices in an unpredictable order."""
    spread = number * 0x9E3779B97F4A7C15 >> 24
    return {
        "state": list(State)[spread % 6].value,
        "level": list(Level)[spread % 4].value,
        "size": ("small", "medium", "large")[spread % 3],
    }


@dataclass(slots=True)
class Amounts:
    """Two amounts, one written as a number and one as a string."""

    price: decimal.Decimal
    tax: decimal.Decimal


def amounts(number: int) -> Record:
    """Return amounts with two decimals; as strings, which all libraries read exactly."""
    return {"price": f"{number}.{number % 100:02}", "tax": f"0.{number % 97:02}"}


@dataclass(slots=True)
class Address:
    """A part of a customer."""

    street: str
    city: str
    zip: int


@dataclass(slots=True)
class Customer:
    """An object of objects."""

    id: int
    name: str
    home: Address
    others: list[Address]
    scores: dict[str, int]


def customers(number: int) -> Record:
    """Return an object of objects."""

    def address(which: int) -> Record:
        return {"street": f"street {which % 900}", "city": f"city {which % 40}", "zip": which}

    return {
        "id": number,
        "name": f"customer {number}",
        "home": address(number),
        "others": [address(number + 1), address(number + 2)][: number % 3],
        "scores": {"a": number % 10, "b": 1},
    }


ALL = (
    Kind("slots", "slots dataclass of 5 fields", item, slots),
    Kind("attributes", "dataclass without slots, 5 fields", item, without_slots),
    Kind("attrs", "attrs class with slots, 5 fields", item, attrs_slots),
    Kind("named-tuple", "NamedTuple of 5 fields, from arrays", array, named_tuple),
    Kind("typed-dict", "TypedDict of 5 keys", item, typed_dict),
    Kind("tagged", "union of 3 classes, its tag first", shape, lambda: Shape, shape_structs),
    Kind(
        "tag-last", "union of 3 classes, its tag last", shape_tag_last, lambda: Shape, shape_structs
    ),
    Kind("unions", "unions of scalars", mixed, lambda: Mixed),
    Kind("datetimes", "two datetimes and a date", times, lambda: Times),
    Kind("uuids", "two UUIDs", ids, lambda: Ids),
    Kind("enums", "Enum, IntEnum and Literal", choices, lambda: Choices),
    Kind("decimals", "two Decimals, from strings", amounts, lambda: Amounts),
    Kind("nested", "objects in objects, lists and dicts", customers, lambda: Customer),
)


def values(made: Iterable[Any]) -> Iterable[object]:
    """Yield the values of records as text and numbers that are the same for every library."""
    for record in made:
        yield plain(record)


def plain(value: Any) -> object:
    """Return a value as a tuple of its class's name and its parts."""
    kind = type(value)
    if isinstance(value, dt.datetime | dt.date):
        return kind.__name__, value.isoformat()
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return kind.__name__, [plain(each) for each in value]
    if isinstance(value, enum.Enum) or kind.__module__ in {"builtins", "uuid", "decimal"}:
        return kind.__name__, repr(value)
    # A Struct keeps its tag outside of its fields.
    names = [name for name in get_type_hints(kind) if name != "kind"]
    return kind.__name__, [plain(getattr(value, name)) for name in names if name[0] != "_"]
