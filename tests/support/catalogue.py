"""One small example of each kind of class and type, for tests that need them all.

The tests of a type assert what it decodes to. Here it matters only that the result is always the
same, whatever fails meanwhile, and with any number of threads.

No annotation here is a string: those are compiled, and if memory is short the interpreter's
compiler frees objects twice.
"""

import collections
import datetime
import enum
import importlib.util
import uuid
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import InitVar, dataclass, field
from decimal import Decimal
from fractions import Fraction
from ipaddress import IPv4Address, IPv6Network
from pathlib import Path
from re import Pattern
from typing import (
    Annotated,
    Any,
    Generic,
    Literal,
    NamedTuple,
    NewType,
    NotRequired,
    Self,
    TypedDict,
    TypeVar,
)
from zoneinfo import ZoneInfo

import annotated_types

from penstock import Plan, at, pattern, tag, typecode, via

T = TypeVar("T")


class Example(NamedTuple):
    """A type, and a document of it in each format that can hold it."""

    type: Any
    json: bytes
    xml: bytes | None = None


# Classes.


@dataclass(slots=True)
class Slots:
    number: int
    text: str = "t"
    items: list[Any] = field(default_factory=list)


@dataclass
class Attributes:
    number: int
    text: str = "t"
    items: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Frozen:
    number: int
    text: str = "t"


@dataclass
class Post:
    number: int
    start: InitVar[int] = 1
    twice: int = field(init=False, default=0)

    def __post_init__(self, start: int) -> None:
        self.twice = self.number * 2 + start


@dataclass
class Called:
    number: int
    text: str

    def __init__(self, number: int, text: str = "u") -> None:
        self.number, self.text = number, text


class Initialised:
    def __init__(self, number: int, *, text: str = "t") -> None:
        self.number, self.text = number, text.strip()

    def __repr__(self) -> str:
        return f"Initialised({self.number}, {self.text!r})"

    def __eq__(self, other: object) -> bool:
        return repr(self) == repr(other)

    __hash__ = None  # type: ignore[assignment]


class Annotations:
    number: int
    text: str = "t"

    def __repr__(self) -> str:
        return f"Annotations({self.number}, {self.text!r})"

    def __eq__(self, other: object) -> bool:
        return repr(self) == repr(other)

    __hash__ = None  # type: ignore[assignment]


class Named(NamedTuple):
    number: int
    text: str = "t"


class Keys(TypedDict):
    number: int
    text: NotRequired[str]


class Numbers(list[int]):
    pass


@dataclass
class Box(Generic[T]):
    value: T
    more: T | None = None


@dataclass
class Tree:
    name: str
    children: list[Self] = field(default_factory=list)


@dataclass
class Mapped:
    deep: Annotated[int, at("a/b/c")]
    all: Annotated[list[str], at("rows/*/name")] = field(default_factory=list)


# Unions of classes.


@dataclass
class Circle:
    radius: float


@dataclass
class Square:
    side: float


@dataclass
class Line:
    kind: Literal["line"]
    length: int


@dataclass
class Point:
    kind: Literal["point"]
    place: tuple[int, int] | None = None


# Own types.


@dataclass
class Money:
    amount: Decimal
    currency: str

    @classmethod
    def parse(cls, text: str) -> Self:
        amount, currency = text.split()
        return cls(Decimal(amount), currency)


class Names:
    def __init__(self, names: list[str]) -> None:
        self.names = names

    @classmethod
    def __penstock__(cls, names: list[str]) -> Self:
        return cls(names)

    def __repr__(self) -> str:
        return f"Names({self.names})"

    def __eq__(self, other: object) -> bool:
        return repr(self) == repr(other)

    __hash__ = None  # type: ignore[assignment]


class Color(enum.Enum):
    RED = "red"
    GREEN = 2


class Level(enum.IntEnum):
    LOW = 1


class Word(enum.StrEnum):
    HELLO = "hello"


class Access(enum.Flag):
    READ = 1
    WRITE = 2


Count = NewType("Count", int)
WORDS = Annotated[str, pattern("^[a-z]+$"), annotated_types.Len(1, 9)]

ROW = b'{"number": 1000, "text": "some text"}'
MARKUP = b'<row number="1000"><text>some text</text></row>'

EXAMPLES: dict[str, Example] = {
    "anything": Example(
        Any,
        b'{"abc": [1, 1000, 1.5, "text", "\\u6771", "\\u00e9\\ud83c\\udff3", null, 123456789012345678901234567890], "key 2": {"x": {}}}',
        b'<a b="c"><d>text</d><d e="f">more &amp; more</d><g/>\xe6\x9d\xb1</a>',
    ),
    "dataclass, slots": Example(
        Slots, b'{"number": 1000, "text": "some text", "items": [1000, {"a b": 1.5}]}', MARKUP
    ),
    "dataclass": Example(
        Attributes,
        b'{"number": 1000, "text": "some text", "items": [1000, 2000]}',
        b"<r><number>1000</number><items>2000</items><items>3000</items></r>",
    ),
    "dataclass, frozen": Example(Frozen, ROW, MARKUP),
    "dataclass with __post_init__": Example(
        list[Post], b'[{"number": 1000, "start": 5}, {"number": 2000}]'
    ),
    "dataclass with an __init__": Example(Called, ROW, MARKUP),
    "class with an __init__": Example(Initialised, ROW, MARKUP),
    "class with annotations": Example(Annotations, ROW, MARKUP),
    "named tuple": Example(list[Named], b"[" + ROW + b', {"number": 1}, [1, "b c"]]'),
    "typed dict": Example(list[Keys], b"[" + ROW + b', {"number": 1000}]'),
    "class of lists": Example(Numbers, b"[1000, 2000, 3000]"),
    "generic class": Example(Box[Box[int]], b'{"value": {"value": 1000}, "more": {"value": 2}}'),
    "class of itself": Example(
        Tree,
        b'{"name": "a b", "children": [{"name": "c d", "children": [{"name": "e f"}]}]}',
        b"<t><name>a b</name><children><name>c d</name></children></t>",
    ),
    "paths": Example(
        Mapped,
        b'{"rows": [{"name": "a b"}, {"name": "c d"}], "a": {"b": {"c": 1000, "d": []}}}',
        b"<m><a><b><c>1000</c></b></a><rows><r><name>a b</name></r></rows></m>",
    ),
    "union by token": Example(
        list[int | float | str | list[int | None] | Slots | None],
        b'[1000, 1.5, "a b", [1000, null], {"number": 1000}, null]',
    ),
    "union by text": Example(
        list[datetime.datetime | datetime.date | uuid.UUID | Color | str],
        b'["2026-03-01T12:30:00Z", "2026-03-01", "12345678-1234-5678-1234-567812345678", "red", "a b"]',
    ),
    "union by tag": Example(
        list[Annotated[Circle | Square, tag("type", {"o": Circle, "#": Square})]],
        b'[{"type": "o", "radius": 1.5}, {"side": 2.5, "type": "#"}]',
        b'<rows><r type="o" radius="1.5"/><r type="#"><side>2.5</side></r></rows>',
    ),
    "union by a field": Example(
        list[Line | Point],
        b'[{"kind": "line", "length": 1000}, {"place": [1000, 2000], "kind": "point"}]',
    ),
    "union by keys": Example(list[Circle | Square], b'[{"radius": 1.5}, {"x": [], "side": 2.5}]'),
    "bool, int, float, str, None": Example(
        tuple[bool, int, float, str, None],
        b'[true, 123456789012345678901234567890, 1.5, "a \\u6771", null]',
    ),
    "date and time": Example(
        tuple[datetime.datetime, datetime.date, datetime.time, datetime.timedelta, ZoneInfo],
        b'["2026-03-01T12:30:00.5+02:00", "2026-03-01", "12:30:00Z", "P1DT2H", "UTC"]',
    ),
    "numbers": Example(
        tuple[Decimal, Decimal, Fraction, complex], b'["1.10", 2.25, "3/4", "(1+2j)"]'
    ),
    "bytes": Example(tuple[bytes, bytearray], b'["cGVuc3RvY2s=", "cGVuc3RvY2s="]'),
    "enums": Example(tuple[Color, Color, Level, Word, Access], b'["red", 2, 1, "hello", 3]'),
    "literal": Example(list[Literal["a b", 1000]], b'["a b", 1000]'),
    "path of a file": Example(Path, b'"/a/b"', b"<p>/a/b</p>"),
    "addresses": Example(tuple[IPv4Address, IPv6Network], b'["10.0.0.1", "2001:db8::/32"]'),
    "regular expression": Example(Pattern[str], b'"a+b"'),
    "uuid": Example(uuid.UUID, b'"12345678-1234-5678-1234-567812345678"'),
    "tuples": Example(
        tuple[tuple[int, str], tuple[int, ...]], b'[[1000, "a b"], [1000, 2000, 3000]]'
    ),
    "sets": Example(tuple[set[int], frozenset[str]], b'[[1000, 1000], ["a b"]]'),
    "deque, Counter": Example(
        tuple[collections.deque[int], collections.Counter[str]], b'[[1000], {"a b": 1000}]'
    ),
    "dicts": Example(
        tuple[
            dict[str, float],
            dict[Literal["a b"], int],
            collections.OrderedDict[str, int],
            collections.defaultdict[str, list[int]],
        ],
        b'[{"c d": 1.5}, {"a b": 3000}, {"e f": 1000}, {"g h": [1000]}]',
    ),
    "keys of dicts": Example(
        tuple[dict[int, int], dict[uuid.UUID, int], dict[Color, int], dict[datetime.date, int]],
        b'[{"1000": 1}, {"12345678-1234-5678-1234-567812345678": 1}, {"red": 1}, {"2026-03-01": 1}]',
    ),
    "abstract collections": Example(
        tuple[Sequence[int], Iterable[int], Mapping[str, int]], b'[[1000], [1000], {"a b": 1000}]'
    ),
    "array": Example(Annotated[array, typecode("d")], b"[1.5, 2.5, 1000]"),
    "new type": Example(list[Count], b"[1000]"),
    "own type": Example(
        list[Annotated[Money, via(Money.parse)]],
        b'["10.50 CHF", "2 EUR"]',
        b"<m><p>10.50 CHF</p></m>",
    ),
    "own type that says so": Example(dict[str, Names], b'{"a b": ["c", "d"]}'),
    "registered type": Example(Plan(list[Money], types={Money: Money.parse}), b'["10.50 CHF"]'),
    "constraints": Example(
        tuple[Annotated[int, annotated_types.Interval(gt=0, le=9_000)], WORDS, WORDS],
        b'[1000, "abc", "d"]',
    ),
    "renamed": Example(
        Plan(Slots, rename="upper"),
        b'{"NUMBER": 1000, "TEXT": "some text"}',
        b"<r><NUMBER>1000</NUMBER></r>",
    ),
}

# Classes of other libraries, if those are installed.
if all(map(importlib.util.find_spec, ("attrs", "msgspec", "pydantic"))):
    import attrs
    import msgspec
    import pydantic
    import pydantic.dataclasses

    @attrs.define
    class Defined:
        number: int
        text: str = attrs.field(default="t", validator=attrs.validators.max_len(20))
        items: list[int] = attrs.Factory(list)

    @attrs.frozen(slots=False)
    class Converted:
        number: int = attrs.field(converter=int)
        text: str = attrs.field(default="t", alias="words")

    class Struct(msgspec.Struct):
        number: int
        text: str = "t"
        items: list[int] = msgspec.field(default_factory=list, name="Items")

    class Tagged(msgspec.Struct, tag="one", frozen=True):
        number: int

    class Other(msgspec.Struct, tag="two"):
        text: str

    class Model(pydantic.BaseModel):
        number: int
        text: str = pydantic.Field(default="t", alias="words")
        items: list[int] = []

    class Checked(pydantic.BaseModel):
        number: int

        @pydantic.field_validator("number")
        @classmethod
        def is_even(cls, number: int) -> int:
            return number // 2 * 2

    @pydantic.dataclasses.dataclass
    class Validated:
        number: int
        text: str = "t"

    EXAMPLES |= {
        "attrs class": Example(
            Defined,
            b'{"number": 1000, "text": "some text", "items": [1000]}',
            b"<r><number>1000</number><items>2000</items></r>",
        ),
        "attrs class, frozen, with a converter": Example(
            list[Converted], b'[{"number": "1000", "words": "a b"}, {"number": 2000}]'
        ),
        "msgspec struct": Example(
            Struct,
            b'{"number": 1000, "text": "some text", "Items": [1000]}',
            b"<r><number>1000</number><Items>2000</Items></r>",
        ),
        "union of msgspec structs": Example(
            list[Tagged | Other],
            b'[{"type": "one", "number": 1000}, {"text": "a b", "type": "two"}]',
        ),
        "pydantic model": Example(
            Model, b'{"number": 1000, "words": "some text", "items": [1000]}'
        ),
        "pydantic model with a validator": Example(list[Checked], b'[{"number": 1001}]'),
        "pydantic dataclass": Example(Validated, ROW),
    }
