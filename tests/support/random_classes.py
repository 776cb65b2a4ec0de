"""Random classes, and random objects of them: whatever a class may be, for tests of writing.

Everything is drawn from a `Random`, which may be one of hypothesis. A `Kind` is a type with the
values that it may have. Paths and options of XML are part of a class, and JSON takes them as keys.
"""

from __future__ import annotations

import collections
import datetime
import enum
import ipaddress
import math
import operator
import pathlib
import re
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field, fields, is_dataclass, make_dataclass
from decimal import Decimal
from fractions import Fraction
from random import Random
from typing import Annotated, Any, Generic, Literal, NamedTuple, NotRequired, TypedDict, TypeVar

import penstock
from penstock import at, rest, tag, times, unix, via

T = TypeVar("T")
Make = Callable[[Random], Any]


@dataclass
class Kind:
    """A type and its values. `one` if it is no collection, so that XML can repeat it."""

    annotation: Any
    make: Make
    one: bool = True
    scalar: bool = False


class Color(enum.Enum):
    """Values of two types."""

    RED = "red"
    TWO = 2


class Word(enum.StrEnum):
    """Text."""

    A = "a"
    B = "b c"


class Access(enum.IntFlag):
    """Bits."""

    READ = 1
    WRITE = 2


class Exact(NamedTuple):
    """A tuple with names."""

    x: int
    y: str


LETTERS = "ab <&>'\"]é漢𝄞\t\n"


def text(rng: Random) -> str:
    """Return a text that XML can hold."""
    return "".join(rng.choice(LETTERS) for _ in range(rng.choice([0, 1, 1, 2, 3, 9])))


def integer(rng: Random) -> int:
    """Return an int of any size."""
    return rng.choice([0, 1, -1, 7, 2**53, -(2**63), 2**64 + 1, 10**30, rng.randrange(-999, 999)])


def real(rng: Random) -> float:
    """Return a float that JSON has too."""
    return rng.choice([0.0, -0.0, 1.5, 1e300, 5e-324, 1e16, -2.25, rng.uniform(-9, 9)])


def decimal(rng: Random) -> Decimal:
    """Return a Decimal, with an exponent or without."""
    return Decimal(rng.choice(["0", "-0", "1.50", "1E+3", "12E-7", "-3.0", "9" * 30, "0.00"]))


def moment(rng: Random) -> datetime.datetime:
    """Return a datetime with a zone of whole minutes, or none."""
    zones = [None, datetime.UTC, datetime.timezone(datetime.timedelta(minutes=-90))]
    zone = rng.choice(zones)
    return datetime.datetime(
        rng.randrange(1000, 3000),
        rng.randrange(1, 13),
        7,
        23,
        59,
        5,
        rng.choice([0, 250_000, 1]),
        zone,
    )


def span(rng: Random) -> datetime.timedelta:
    """Return a timedelta."""
    return datetime.timedelta(
        rng.randrange(-3, 4), rng.choice([0, 1, 86_399]), rng.choice([0, 1, 500_000])
    )


def some(*values: Any) -> Make:
    """Choose among values."""
    return lambda rng: rng.choice(values)


UTC = datetime.UTC
INSTANTS = some(
    datetime.datetime(2026, 1, 1, 1, 2, 3, 250_000, UTC), datetime.datetime(1960, 1, 1, tzinfo=UTC)
)
SCALARS = [
    Kind(bool, some(True, False)),
    Kind(int, integer),
    Kind(float, real),
    Kind(str, text),
    Kind(str, text),
    Kind(Decimal, decimal),
    Kind(bytes, some(b"", b"\0\xff~", b"penstock")),
    Kind(Annotated[bytes, penstock.Hex], some(b"", b"\0\xff~")),
    Kind(Annotated[bytes, penstock.Base64Url], some(b"", b"\xfb\xff")),
    Kind(datetime.datetime, moment),
    Kind(Annotated[datetime.datetime, unix("ms")], INSTANTS),
    Kind(Annotated[datetime.datetime, times("iso")], moment),
    Kind(
        Annotated[datetime.date, times("%a %d.%m.%Y")],
        some(datetime.date(1, 1, 1), datetime.date(2026, 12, 31)),
    ),
    Kind(
        Annotated[datetime.time, times("%I:%M:%S.%f %p")],
        some(datetime.time(0, 5), datetime.time(12, 0, 1, 7)),
    ),
    Kind(datetime.date, some(datetime.date(1, 1, 1), datetime.date(2026, 2, 28))),
    Kind(datetime.time, some(datetime.time(0), datetime.time(1, 2, 3, 4, UTC))),
    Kind(datetime.timedelta, span),
    Kind(uuid.UUID, some(uuid.UUID(int=0), uuid.UUID(int=2**127 + 1))),
    Kind(Fraction, some(Fraction(3, 4), Fraction(-2))),
    Kind(complex, some(1 + 2j, -1.5j)),
    Kind(pathlib.PurePosixPath, some(pathlib.PurePosixPath("a/b c"))),
    Kind(ipaddress.IPv4Address, some(ipaddress.IPv4Address("10.0.0.1"))),
    Kind(Color, some(*Color)),
    Kind(Word, some(*Word)),
    Kind(Access, some(Access.READ, Access.READ | Access.WRITE)),
    Kind(Literal["a", "b c", 7], some("a", "b c", 7)),
    Kind(int | str, some(1, -7, "a", "b c", "12")),
    Kind(float | bool, some(1.5, True, False, -2.0)),
    Kind(datetime.date | Word | str, some(datetime.date(2026, 1, 1), Word.B, "x", "a")),
    Kind(
        Annotated[list[str], via(lambda it: it.split(","), str, encode=",".join)],
        some(["a"], ["a", "b"]),
        one=False,
    ),
]
for scalar in SCALARS:
    scalar.scalar = True


def optional(inner: Kind) -> Kind:
    """`X | None`."""
    return Kind(
        inner.annotation | None,
        lambda rng: None if rng.random() < 0.3 else inner.make(rng),
        one=inner.one,
        scalar=inner.scalar,
    )


def collection(rng: Random, inner: Kind) -> Kind:
    """A list, a tuple, a set or a deque."""
    kinds: list[tuple[Any, Any]] = [
        (list[inner.annotation], list),  # type: ignore[name-defined]
        (tuple[inner.annotation, ...], tuple),  # type: ignore[name-defined]
        (collections.deque[inner.annotation], collections.deque),  # type: ignore[name-defined]
    ]
    if inner.scalar and inner.annotation in {int, str, Color, datetime.date, Decimal}:
        kinds += [(set[inner.annotation], set), (frozenset[inner.annotation], frozenset)]
    annotation, make = rng.choice(kinds)
    return Kind(
        annotation,
        lambda rng: make([inner.make(rng) for _ in range(rng.choice([0, 1, 1, 2, 4]))]),
        one=False,
    )


def pair(first: Kind, second: Kind) -> Kind:
    """A tuple of two types."""
    return Kind(
        tuple[first.annotation, second.annotation],  # type: ignore[name-defined]
        lambda rng: (first.make(rng), second.make(rng)),
    )


def mapping(inner: Kind) -> Kind:
    """A dict."""

    def make(rng: Random) -> Any:
        names = rng.sample(["a", "b", "c-d", "é"], rng.randrange(3))
        return {name: inner.make(rng) for name in names}

    return Kind(dict[str, inner.annotation], make)  # type: ignore[name-defined]


def by_tag(rng: Random, depth: int) -> Kind:
    """A union of classes."""
    said = rng.random() < 0.5
    parts = []
    for name in ("One", "Two"):
        inner = kind(rng, depth - 1)
        specs: list[Any] = [("x", inner.annotation)]
        if not said:
            specs.insert(rng.randrange(2), ("kind", Literal[name.lower()]))  # type: ignore[misc]
        parts.append((make_dataclass(name, specs), name.lower(), inner))
    union = parts[0][0] | parts[1][0]
    annotation = Annotated[union, tag("kind", {name: of for of, name, _ in parts})]

    def make(rng: Random) -> Any:
        of, name, inner = rng.choice(parts)
        return of(x=inner.make(rng)) if said else of(x=inner.make(rng), kind=name)

    return Kind(annotation if said else union, make)


@dataclass
class Box(Generic[T]):
    """A generic class."""

    value: T
    name: str = "box"


def box(inner: Kind) -> Kind:
    """One use of a generic class."""
    return Kind(Box[inner.annotation], lambda rng: Box(inner.make(rng), text(rng)))  # type: ignore[name-defined]


def kind(rng: Random, depth: int) -> Kind:
    """Any type."""
    if depth <= 0:
        return rng.choice(SCALARS)
    which = rng.randrange(12)
    if which < 4:
        return rng.choice(SCALARS)
    inner = kind(rng, depth - 1)
    if which == 4:
        return optional(inner) if inner.one else inner
    if which == 5:
        return collection(rng, inner)
    if which == 6:
        return pair(inner, kind(rng, depth - 1))
    if which == 7:
        return mapping(inner)
    if which == 8:
        return by_tag(rng, depth)
    if which == 9:
        return box(inner)
    return record(rng, depth)


def place(rng: Random, index: int, inner: Kind, taken: set[str]) -> str | None:
    """Where the value of a field stands, if not under its name."""
    if rng.random() < 0.5:
        return None
    paths = [f"g/f{index}", f"g/h/f{index}", f"f-{index}"]
    if inner.scalar and inner.one:
        paths += [f"@a{index}", f"g/@a{index}", f"e{index}/@a"]
        paths += [path for path in ("text()", "g/text()") if path not in taken]
    path = rng.choice(paths)
    taken.add(path)
    return path


def record(rng: Random, depth: int) -> Kind:
    """A class of any kind, with fields of any type at any place."""
    sort = rng.choice(["dataclass", "dataclass", "slots", "frozen", "tuple", "dict", "plain"])
    names = [f"f{index}" for index in range(rng.randrange(1, 5))]
    inners = {name: kind(rng, depth - 1) for name in names}
    taken: set[str] = set()
    annotations: dict[str, Any] = {}
    defaults: dict[str, Make] = {}
    for index, name in enumerate(names):
        inner = inners[name]
        path = place(rng, index, inner, taken)
        annotation = inner.annotation
        if rng.random() < 0.3:
            default = inner.make(rng)
            defaults[name] = lambda _, default=default: default  # type: ignore[misc]
        annotations[name] = annotation if path is None else Annotated[annotation, at(path)]
    names.sort(key=lambda name: name in defaults)
    annotations = {name: annotations[name] for name in names}
    if sort == "tuple":
        made: Any = NamedTuple("Made", list(annotations.items()))  # type: ignore[misc]
        defaults = {}
    elif sort == "dict":
        own = {
            name: NotRequired[of] if name in defaults else of for name, of in annotations.items()
        }
        made = TypedDict("Made", own)  # type: ignore[misc]
    elif sort == "plain":
        made = type("Made", (), {"__annotations__": annotations, "__eq__": same, "__hash__": None})
        defaults = {}
    else:
        specs = [
            (name, of, field(default_factory=lambda make=defaults[name]: make(None)))  # type: ignore[misc]
            if name in defaults
            else (name, of)
            for name, of in annotations.items()
        ]
        made = make_dataclass("Made", specs, slots=sort == "slots", frozen=sort == "frozen")

    def make(rng: Random) -> Any:
        values = {name: inners[name].make(rng) for name in names}
        if sort == "dict":
            return {
                name: value
                for name, value in values.items()
                if name not in defaults or rng.random() < 0.5
            }
        if sort == "plain":
            built = made()
            vars(built).update(values)
            return built
        for name in defaults:
            if rng.random() < 0.4:
                values[name] = defaults[name](rng)
        return made(**values)

    return Kind(made, make)


# What only XML has.


@dataclass
class Link:
    """An element with an attribute and a text."""

    to: Annotated[str, at("@href")]
    label: Annotated[str, at("text()")]


@dataclass
class Mixed:
    """Text and elements, in their order."""

    parts: Annotated[list[str | Link | int], at({"text()": str, "a": Link, "n": int})]
    id: Annotated[int | None, at("@id")] = None


@dataclass
class Drawing:
    """Elements of several types inside another, a dict by a key, and everything else."""

    shapes: Annotated[list[Link | Exact], at({"s/link": Link, "s/at": Exact})]
    links: Annotated[dict[str, Link], at("by/link", key="to")] = field(default_factory=dict)
    whole: str | None = None
    sign: Annotated[str | None, at("whole/@sign")] = None
    sizes: Annotated[list[int], at("size/@cm")] = field(default_factory=list)
    named: Annotated[list[Link], at("any/*")] = field(default_factory=list)
    spaced: Annotated[str, at("{urn:x}s/{urn:y}t")] = "t"
    tone: Annotated[str, at("@{urn:x}tone")] = ""
    more: Annotated[dict[str, Any], rest] = field(default_factory=dict)


def link(rng: Random) -> Link:
    """Return a link."""
    return Link(text(rng), text(rng))


def mixed(rng: Random) -> Mixed:
    """Return text with elements in it; two texts in a row are one, and an empty one is none."""
    parts: list[Any] = []
    for _ in range(rng.randrange(5)):
        part = rng.choice([text, link, integer])(rng)
        if part == "" or (isinstance(part, str) and parts and isinstance(parts[-1], str)):
            continue
        parts.append(part)
    return Mixed(parts, rng.choice([None, 7]))


def drawing(rng: Random) -> Drawing:
    """Return an object with everything that is special in XML."""
    links = [link(rng) for _ in range(rng.randrange(3))]
    shapes = [
        rng.choice([link(rng), Exact(integer(rng), text(rng))]) for _ in range(rng.randrange(4))
    ]
    more = {"@vip": "yes", "b": ["1", "2"], "c": {"@x": "1", "d": None}}
    return Drawing(
        shapes,
        {one.to: one for one in links},
        rng.choice([None, text(rng)]),
        rng.choice([None, text(rng)]),
        [integer(rng) for _ in range(rng.randrange(3))],
        links,
        text(rng),
        text(rng),
        {key: more[key] for key in rng.sample(list(more), rng.randrange(4))},
    )


ELEMENTS = [Kind(Mixed, mixed), Kind(list[Mixed], lambda rng: [mixed(rng)]), Kind(Drawing, drawing)]


def any_kind(rng: Random) -> Kind:
    """Return any type, most often a class."""
    if rng.random() < 0.15:
        return rng.choice(ELEMENTS)
    return rng.choice([record, record, kind])(rng, 3)


# Why a format cannot hold a value, or a class.
REFUSED = re.compile(
    r"its text would be read back as (Word|int)$"
    r"|its text is empty, and would be read back as absent$"
    r"|(an empty collection|None) would not be read back: XML has no element or attribute for it$"
    r'|the text of an element cannot be absent: it would be read back as ""$'
    r"|text\(\) is a step of XML paths"
    r"|claim the same value: 'whole' and 'whole/@sign'$"
)


def same(a: Any, b: Any, alike: Callable[[Any, Any], bool] = operator.eq) -> bool:
    """Compare values and their types; `alike` compares scalars of equal types."""
    if type(a) is not type(b):
        return alike is not operator.eq and alike(a, b)
    if isinstance(a, float):
        return repr(a) == repr(b) or (math.isnan(a) and math.isnan(b))
    if isinstance(a, (list, tuple, collections.deque)):
        return len(a) == len(b) and all(
            same(one, other, alike) for one, other in zip(a, b, strict=True)
        )
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(value, b[key], alike) for key, value in a.items())
    if is_dataclass(a):
        return all(same(getattr(a, one.name), getattr(b, one.name), alike) for one in fields(a))
    if type(a).__name__ == "Made":
        return same(vars(a), vars(b), alike)
    return bool(alike(a, b))
