"""The questions about types without fields: scalars, containers, keys, unions, generics, words."""

import array
import datetime
import decimal
import enum
import fractions
import ipaddress
import pathlib
import re
import uuid
import zoneinfo
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Iterable, Mapping, MutableMapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import (
    Annotated,
    Any,
    Generic,
    Literal,
    NamedTuple,
    NewType,
    NotRequired,
    Required,
    Self,
)

from asking import BASE64, BASE85, LAX, MANY_DIGITS, Row, config, plan
from typing_extensions import (
    ReadOnly,
    TypeAliasType,
    TypedDict,
    TypeVar,
)

import penstock

UTC = datetime.UTC
ZONE = datetime.timezone(datetime.timedelta(hours=2))
DIGITS = b"123456789012345678901234567890"


class Colour(enum.Enum):
    RED = "red"


class Size(enum.IntEnum):
    LARGE = 3


class Sort(enum.StrEnum):
    LINE = "line"


class Access(enum.Flag):
    READ = 1
    WRITE = 2


class Mixed(enum.Enum):
    ONE = 1
    WORD = "word"


UserId = NewType("UserId", int)

SCALARS = [
    Row("`None`", None, b"null", None),
    Row("`bool`", bool, b"true", True),
    Row("`int`", int, b"7", 7),
    Row("`int` of 30 digits", int, DIGITS, int(DIGITS)),
    Row("`int` of 5,000 digits", int, b"9" * 5000, 10**5000 - 1, MANY_DIGITS),
    Row("`float`", float, b"2.5", 2.5),
    Row("`float` from `1`", float, b"1", 1.0),
    Row("`str`, with escapes", str, rb'"a\u00e9\ud83d\ude00\n"', "a\u00e9\U0001f600\n"),
    Row("`bytes` from base64", bytes, b'"aGk="', b"hi", BASE64, remarks=BASE85),
    Row("`bytearray` from base64", bytearray, b'"aGk="', bytearray(b"hi"), BASE64),
    Row("`Decimal` from the number `1.10`", decimal.Decimal, b"1.10", decimal.Decimal("1.10")),
    Row(
        "`Decimal` from a number of 30 digits",
        decimal.Decimal,
        b"0." + DIGITS,
        decimal.Decimal("0." + DIGITS.decode()),
    ),
    Row("`Decimal` from a string", decimal.Decimal, b'"1.10"', decimal.Decimal("1.10")),
    Row("`Fraction`", fractions.Fraction, b'"1/3"', fractions.Fraction(1, 3)),
    Row("`complex`", complex, b'"(1+2j)"', 1 + 2j),
    Row(
        "`datetime`, `Z`",
        datetime.datetime,
        b'"2026-03-01T12:30:00Z"',
        datetime.datetime(2026, 3, 1, 12, 30, tzinfo=UTC),
    ),
    Row(
        "`datetime`, offset, microseconds",
        datetime.datetime,
        b'"2026-03-01T12:30:00.123456+02:00"',
        datetime.datetime(2026, 3, 1, 12, 30, 0, 123456, tzinfo=ZONE),
    ),
    Row(
        "`datetime`, naive",
        datetime.datetime,
        b'"2026-03-01T12:30:00"',
        datetime.datetime(2026, 3, 1, 12, 30),  # noqa: DTZ001 - it is naive
    ),
    Row(
        "`datetime` from unix seconds",
        datetime.datetime,
        b"1700000000",
        datetime.datetime(2023, 11, 14, 22, 13, 20, tzinfo=UTC),
        {
            "Penstock": plan('`unix="s"`', unix="s"),
            "msgspec": LAX["msgspec"],
        },
    ),
    Row(
        "`datetime` from unix milliseconds of 1970",
        datetime.datetime,
        b"86400000",
        datetime.datetime(1970, 1, 2, tzinfo=UTC),
        {
            "Penstock": plan('`unix="ms"`', unix="ms"),
            "pydantic": config(
                '`val_temporal_unit="milliseconds"`', val_temporal_unit="milliseconds"
            ),
        },
    ),
    Row("`date`", datetime.date, b'"2026-03-01"', datetime.date(2026, 3, 1)),
    Row("`time`", datetime.time, b'"12:30:00"', datetime.time(12, 30)),
    Row("`time`, offset", datetime.time, b'"12:30:00+02:00"', datetime.time(12, 30, tzinfo=ZONE)),
    Row(
        "`timedelta`, ISO 8601",
        datetime.timedelta,
        b'"P1DT2H30M"',
        datetime.timedelta(days=1, hours=2, minutes=30),
    ),
    Row(
        "`UUID`",
        uuid.UUID,
        b'"12345678-1234-5678-1234-567812345678"',
        uuid.UUID("12345678-1234-5678-1234-567812345678"),
    ),
    Row("`Enum`", Colour, b'"red"', Colour.RED),
    Row("`IntEnum`", Size, b"3", Size.LARGE),
    Row("`StrEnum`", Sort, b'"line"', Sort.LINE),
    Row("`Enum` of an int and a string", list[Mixed], b'[1,"word"]', [Mixed.ONE, Mixed.WORD]),
    Row("`Flag`, two set", Access, b"3", Access.READ | Access.WRITE),
    Row("`Literal`", Literal["a", 1], b'"a"', "a"),
    Row("`Literal[True, 2]`", list[Literal[True, 2]], b"[true,2]", [True, 2]),
    Row("`NewType`", UserId, b"7", 7),
    Row("`Path`", pathlib.Path, b'"/tmp/x"', pathlib.Path("/tmp/x")),
    Row("`PurePosixPath`", pathlib.PurePosixPath, b'"a/b"', pathlib.PurePosixPath("a/b")),
    Row("`IPv4Address`", ipaddress.IPv4Address, b'"10.0.0.1"', ipaddress.IPv4Address("10.0.0.1")),
    Row("`IPv6Network`", ipaddress.IPv6Network, b'"::/64"', ipaddress.IPv6Network("::/64")),
    Row("`ZoneInfo`", zoneinfo.ZoneInfo, b'"Europe/Zurich"', zoneinfo.ZoneInfo("Europe/Zurich")),
    Row("`re.Pattern`", re.Pattern[str], b'"a+"', re.compile("a+")),
]


class Ids(list[int]):
    pass


class Scores(dict[str, int]):
    pass


class Name(str):
    __slots__ = ()


KEY = b"12345678-1234-5678-1234-567812345678"
DAYS = {datetime.date(2026, 3, 1): 7}

CONTAINERS = [
    Row("`list[int]`", list[int], b"[1,2]", [1, 2]),
    Row("`tuple[int, str]`", tuple[int, str], b'[1,"a"]', (1, "a")),
    Row("`tuple[int, ...]`", tuple[int, ...], b"[1,2]", (1, 2)),
    Row("`set[int]`", set[int], b"[1,1]", {1}),
    Row("`frozenset[str]`", frozenset[str], b'["a"]', frozenset({"a"})),
    Row("`deque[int]`", deque[int], b"[1,2]", deque([1, 2])),
    Row(
        "`defaultdict[str, list[int]]`",
        defaultdict[str, list[int]],
        b'{"a":[1]}',
        defaultdict(list, a=[1]),
    ),
    Row("`OrderedDict[str, int]`", OrderedDict[str, int], b'{"a":1}', OrderedDict(a=1)),
    Row("`Counter[str]`", Counter[str], b'{"a":1}', Counter(a=1)),
    Row("`Mapping[str, int]`", Mapping[str, int], b'{"a":1}', {"a": 1}),
    Row("`MutableMapping[str, int]`", MutableMapping[str, int], b'{"a":1}', {"a": 1}),
    Row("`Sequence[int]`", Sequence[int], b"[1]", [1], look=list),
    Row("`Iterable[int]`", Iterable[int], b"[1]", [1], look=list),
    Row("`collections.abc.Set[int]`", AbstractSet[int], b"[1]", {1}, look=set),
    Row("`dict[str, int]`", dict[str, int], b'{"a":1}', {"a": 1}),
    Row("`dict[int, str]`", dict[int, str], b'{"7":"a"}', {7: "a"}),
    Row("`dict[Enum, int]`", dict[Colour, int], b'{"red":1}', {Colour.RED: 1}),
    Row("`dict[IntEnum, int]`", dict[Size, int], b'{"3":1}', {Size.LARGE: 1}),
    Row("`dict[UUID, int]`", dict[uuid.UUID, int], b'{"%b":1}' % KEY, {uuid.UUID(KEY.decode()): 1}),
    Row("`dict[date, int]`", dict[datetime.date, int], b'{"2026-03-01":7}', DAYS),
    Row("`dict[Literal, int]`", dict[Literal["a", "b"], int], b'{"a":1}', {"a": 1}),
    Row(
        "`array.array` of doubles",
        Annotated[array.array, penstock.typecode("d")],
        b"[1.5,2]",
        array.array("d", [1.5, 2]),
    ),
    Row("`list`, `dict` without items", dict[str, list], b'{"a":[1,"b"]}', {"a": [1, "b"]}),
    Row("`Any`", Any, b'{"a":[1,2.5,null]}', {"a": [1, 2.5, None]}),
    Row("a subclass of `list[int]`", Ids, b"[1,2]", Ids([1, 2])),
    Row("a subclass of `dict[str, int]`", Scores, b'{"a":1}', Scores(a=1)),
    Row("a subclass of `str`", Name, b'"a"', Name("a")),
]


@dataclass
class Circle:
    kind: Literal["circle"]
    radius: int


@dataclass
class Square:
    kind: Literal["square"]
    side: int


@dataclass
class Cat:
    name: str
    meows: int


@dataclass
class Dog:
    name: str
    barks: int


@dataclass
class Tree:
    value: int
    rest: "list[Tree] | None" = None


Json = TypeAliasType("Json", "dict[str, Json] | list[Json] | str | int | float | bool | None")

UNIONS = [
    Row("`int | None`", list[int | None], b"[1,null]", [1, None]),
    Row("`int | float`", list[int | float], b"[1,1.0]", [1, 1.0]),
    Row("`int | str`", list[int | str], b'[1,"1"]', [1, "1"]),
    Row("`bool | int`", list[bool | int], b"[true,1]", [True, 1]),
    Row(
        "`datetime | str`",
        list[datetime.datetime | str],
        b'["2026-03-01T12:30:00Z","soon"]',
        [datetime.datetime(2026, 3, 1, 12, 30, tzinfo=UTC), "soon"],
    ),
    Row(
        "`str | datetime`",
        list[str | datetime.datetime],
        b'["2026-03-01T12:30:00Z","soon"]',
        [datetime.datetime(2026, 3, 1, 12, 30, tzinfo=UTC), "soon"],
    ),
    Row("`Enum | str`", list[Colour | str], b'["red","blue"]', [Colour.RED, "blue"]),
    Row("`Decimal | None`", list[decimal.Decimal | None], b"[1.10]", [decimal.Decimal("1.10")]),
    Row("`int | list[int]`", list[int | list[int]], b"[1,[2]]", [1, [2]]),
    Row("`int | dict[str, int]`", list[int | dict[str, int]], b'[1,{"a":2}]', [1, {"a": 2}]),
    Row(
        "a class or `None`", list[Cat | None], b'[null,{"name":"a","meows":1}]', [None, Cat("a", 1)]
    ),
    Row("a class or an `int`", list[Cat | int], b'[1,{"name":"a","meows":1}]', [1, Cat("a", 1)]),
    Row(
        "two dataclasses by a `Literal` field",
        Circle | Square,
        b'{"kind":"square","side":2}',
        Square("square", 2),
    ),
    Row(
        "the same, its key last",
        Circle | Square,
        b'{"side":2,"kind":"square"}',
        Square("square", 2),
    ),
    Row(
        "two dataclasses, each with a key of its own",
        list[Cat | Dog],
        b'[{"name":"a","barks":2},{"name":"b","meows":1}]',
        [Dog("a", 2), Cat("b", 1)],
    ),
    Row(
        "a class that contains itself",
        Tree,
        b'{"value":1,"rest":[{"value":2}]}',
        Tree(1, [Tree(2)]),
    ),
    Row("a recursive alias", Json, b'{"a":[1,null]}', {"a": [1, None]}),
]

T = TypeVar("T")
U = TypeVar("U", default=int)


@dataclass
class Box(Generic[T]):
    item: T


@dataclass
class IntBox(Box[int]):
    label: str = ""


@dataclass
class Defaulted(Generic[U]):
    item: U


class Pair(NamedTuple, Generic[T]):
    first: T
    second: T


class Page(TypedDict, Generic[T]):
    items: list[T]


class Part(TypedDict, total=False):
    id: Required[int]
    note: str


class Whole(TypedDict):
    id: ReadOnly[int]
    note: NotRequired[str]


@dataclass
class Linked:
    value: int
    next: Self | None = None


Numbers = TypeAliasType("Numbers", list[int])
Listed = TypeAliasType("Listed", list[T], type_params=(T,))

GENERICS = [
    Row("`Box[int]`, a generic dataclass", list[Box[int]], b'[{"item":1}]', [Box(1)]),
    Row(
        "`Box[date]`", Box[datetime.date], b'{"item":"2026-03-01"}', Box(datetime.date(2026, 3, 1))
    ),
    Row("a subclass of `Box[int]`", IntBox, b'{"item":1,"label":"a"}', IntBox(1, "a")),
    Row(
        "a `TypeVar` with a default",
        Defaulted,
        b'{"item":1}',
        Defaulted(1),
    ),
    Row("a generic `NamedTuple`, from an array", Pair[int], b"[1,2]", Pair(1, 2)),
    Row("a generic `TypedDict`", Page[int], b'{"items":[1]}', {"items": [1]}),
    Row("`Required`, `total=False`", Part, b'{"id":1}', {"id": 1}),
    Row("`NotRequired`, `ReadOnly`", Whole, b'{"id":1}', {"id": 1}),
    Row("`Self`", Linked, b'{"value":1,"next":{"value":2}}', Linked(1, Linked(2))),
    Row("a `type` alias", Numbers, b"[1]", [1]),
    Row("a generic `type` alias", Listed[int], b"[1]", [1]),
    Row("`Annotated` with unknown metadata", Annotated[int, "metres"], b"7", 7),
]
