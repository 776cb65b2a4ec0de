"""The questions that the other libraries ask in their own tests, with classes and data of our own.

The right answer is the one that the tests of that library ask for, whoever gives it.
"""

import collections
import datetime
import decimal
import enum
import ipaddress
import types
import uuid
from collections.abc import MutableSequence, MutableSet
from dataclasses import dataclass, field
from typing import (  # noqa: UP035 - likewise
    Annotated,
    Any,
    ClassVar,
    Generic,
    Literal,
    NamedTuple,
    Tuple,
    TypeVar,
    Unpack,
)

import attrs
import mashumaro.types
import msgspec
import pydantic
from asking import (
    BASE64,
    LAX,
    REFUSED,
    Row,
    Way,
    config,
    converter,
    plan,
)
from cattrs.gen import make_dict_structure_fn, override
from cattrs.strategies import configure_tagged_union, include_subclasses, use_class_methods
from mashumaro import field_options
from typing_extensions import TypedDict

import penstock

UTC = datetime.UTC
NOON = datetime.datetime(2026, 3, 1, 12, 30, tzinfo=UTC)
ZONE = datetime.timezone(datetime.timedelta(hours=2))
ISO = {"Penstock": plan('`times="iso"`', times="iso")}
CUT = {"Penstock": plan("`times=times(cut=True)`", times=penstock.times(cut=True))}
LAX_ALL = {"Penstock": plan("`strict=False`", strict=False), **LAX}


def word(said: str, annotation: Any) -> Way:
    """Penstock with an annotation beside the type."""
    return Way(
        f"`{said}` in the annotation",
        lambda into, data: penstock.json.decode(data, Annotated[into, annotation]),
    )


MIME = {"Penstock": word("Base64Mime", penstock.Base64Mime), **BASE64}


def refused(name: str, into: Any, data: bytes, sound: bytes, value: Any, **more: Any) -> Row:
    return Row(name, into, data, REFUSED, sound=(sound, value), **more)


# msgspec


class Point3(msgspec.Struct, array_like=True):
    x: int
    y: int
    z: int = 0


class Closed(msgspec.Struct, forbid_unknown_fields=True):
    x: int


class One(msgspec.Struct, tag=1):
    x: int


class Two(msgspec.Struct, tag=2):
    x: int


class Named(msgspec.Struct):
    kind: str = msgspec.field(name="type")


class Unset(msgspec.Struct):
    x: int | msgspec.UnsetType | None = msgspec.UNSET


class Summed(msgspec.Struct):
    x: int
    twice: int = 0

    def __post_init__(self) -> None:
        self.twice = 2 * self.x


class Fallback(enum.Enum):
    RED = "red"
    OTHER = "other"

    @classmethod
    def _missing_(cls, _: object) -> "Fallback":
        return cls.OTHER


class Shorter(NamedTuple):
    x: int
    y: int = 2


Aware = Annotated[datetime.datetime, msgspec.Meta(tz=True)]
Letters = Annotated[str, msgspec.Meta(pattern="^[a-z]+$")]
Few = Annotated[list[int], msgspec.Meta(max_length=2)]

MSGSPEC = [
    Row("`datetime`, small `t` and `z`", datetime.datetime, b'"2026-03-01t12:30:00z"', NOON),
    Row("`datetime`, a space for `T`", datetime.datetime, b'"2026-03-01 12:30:00Z"', NOON),
    Row(
        "`datetime`, offset without a colon",
        datetime.datetime,
        b'"2026-03-01T14:30:00+0200"',
        NOON.astimezone(ZONE),
        ISO,
    ),
    Row(
        "`datetime`, nine digits of a second, to the microsecond",
        datetime.datetime,
        b'"2026-03-01T12:30:00.123456400Z"',
        NOON.replace(microsecond=123456),
        CUT,
    ),
    Row(
        "`time`, seven digits of a second, to the microsecond",
        datetime.time,
        b'"12:30:00.1234564"',
        datetime.time(12, 30, 0, 123456),
        CUT,
    ),
    refused(
        "`date` without its zeros",
        datetime.date,
        b'"2026-3-1"',
        b'"2026-03-01"',
        datetime.date(2026, 3, 1),
    ),
    Row(
        "`timedelta`, a fraction of an hour",
        datetime.timedelta,
        b'"PT1.5H"',
        datetime.timedelta(hours=1.5),
    ),
    Row(
        "`timedelta` from seconds",
        datetime.timedelta,
        b"1.5",
        datetime.timedelta(seconds=1.5),
        LAX_ALL,
    ),
    Row(
        "`datetime` from unix seconds as text",
        datetime.datetime,
        b'"1772368200"',
        NOON,
        {"Penstock": plan('`unix="s"`', unix="s"), **LAX},
    ),
    refused(
        "a naive `datetime` for `Meta(tz=True)`",
        Aware,
        b'"2026-03-01T12:30:00"',
        b'"2026-03-01T12:30:00Z"',
        NOON,
    ),
    Row("`UUID` without hyphens", uuid.UUID, b'"%032x"' % 7, uuid.UUID(int=7)),
    Row("`dict[float, int]`", dict[float, int], b'{"1.5":1}', {1.5: 1}),
    Row("`dict[bytes, int]`, keys of base64", dict[bytes, int], b'{"aGk=":1}', {b"hi": 1}, BASE64),
    Row("`set[tuple[int, str]]`", set[tuple[int, str]], b'[[1,"a"],[1,"a"]]', {(1, "a")}),
    Row("a `NamedTuple` from a shorter array", Shorter, b"[1]", Shorter(1)),
    Row("an `Enum` whose `_missing_` finds a member", Fallback, b'"blue"', Fallback.OTHER),
    Row("`Literal[1] | Literal['a']`", list[Literal[1, "a"]], b'[1,"a"]', [1, "a"]),
    Row("`Literal` of a `Literal`", Literal["a", "b"], b'"a"', "a"),
    Row('`int` from `"1"`, on demand', int, b'"1"', 1, LAX_ALL),
    Row('`bool` from `"true"`, on demand', bool, b'"true"', True, LAX_ALL),
    Row('`None` from `"null"`, on demand', list[int | None], b'["null"]', [None], LAX_ALL),
    refused("`Meta(pattern=...)`", Letters, b'"A1"', b'"abc"', "abc"),
    refused("`Meta(max_length=2)` of a list", Few, b"[1,2,3]", b"[1,2]", [1, 2]),
    Row("`Struct(array_like=True)`", Point3, b"[1,2]", Point3(1, 2)),
    refused(
        "`Struct(forbid_unknown_fields=True)`", Closed, b'{"x":1,"y":2}', b'{"x":1}', Closed(1)
    ),
    Row("two `Struct`s with tags that are integers", One | Two, b'{"type":2,"x":1}', Two(1)),
    Row("`msgspec.field(name=...)`", Named, b'{"type":"a"}', Named("a")),
    Row("`UNSET` for a key that is absent", Unset, b"{}", Unset()),
    Row("`__post_init__` of a `Struct`", Summed, b'{"x":2}', Summed(2)),
    Row("`msgspec.Raw`", msgspec.Raw, b'{"x": 1}', b'{"x": 1}', look=bytes),
]


# pydantic


def doubled(value: int) -> int:
    return 2 * value


class ByName(pydantic.BaseModel, populate_by_name=True):
    width: int = pydantic.Field(alias="w")


class Choices(pydantic.BaseModel):
    width: int = pydantic.Field(
        validation_alias=pydantic.AliasChoices("w", pydantic.AliasPath("size", 0))
    )


class Extra(pydantic.BaseModel, extra="allow"):
    x: int


class Before(pydantic.BaseModel):
    x: int

    @pydantic.model_validator(mode="before")
    @classmethod
    def unwrap(cls, value: Any) -> Any:
        return value["data"]


class Checked(pydantic.BaseModel):
    low: int
    high: int

    @pydantic.model_validator(mode="after")
    def ordered(self) -> "Checked":
        if self.high < self.low:
            raise ValueError("not ordered")
        return self


Numbers = pydantic.RootModel[list[int]]
Item = TypeVar("Item")


class Listed(pydantic.BaseModel, Generic[Item]):
    items: list[Item]


class Cat(pydantic.BaseModel):
    kind: Literal["cat"]
    lives: int


class Dog(pydantic.BaseModel):
    kind: Literal["dog"]
    barks: bool


Pet = Annotated[Cat | Dog, pydantic.Field(discriminator="kind")]


@dataclass
class Less:
    x: int = 0


@dataclass
class More:
    x: int = 0
    y: int = 0


@dataclass
class Doubled:
    x: Annotated[int, pydantic.AfterValidator(doubled)]


@pydantic.with_config(extra="forbid")
class ClosedDict(TypedDict):
    x: int


Stripped = Annotated[str, pydantic.StringConstraints(strip_whitespace=True)]
Lowered = Annotated[str, pydantic.StringConstraints(to_lower=True)]

PYDANTIC = [
    Row("`datetime` without seconds", datetime.datetime, b'"2026-03-01T12:30Z"', NOON, ISO),
    Row("`time` without seconds", datetime.time, b'"12:30"', datetime.time(12, 30), ISO),
    Row(
        "`date` from a `datetime` at midnight",
        datetime.date,
        b'"2026-03-01T00:00:00"',
        datetime.date(2026, 3, 1),
    ),
    Row(
        "`timedelta` as a clock shows it",
        datetime.timedelta,
        b'"10:15:30"',
        datetime.timedelta(hours=10, minutes=15, seconds=30),
    ),
    Row(
        "`timedelta`, days and a clock",
        datetime.timedelta,
        b'"4d,00:15:30"',
        datetime.timedelta(days=4, minutes=15, seconds=30),
    ),
    Row("`timedelta` of weeks", datetime.timedelta, b'"P4W"', datetime.timedelta(weeks=4)),
    Row("`timedelta` of half a day", datetime.timedelta, b'"P0.5D"', datetime.timedelta(hours=12)),
    Row('`bool` from `"yes"`', bool, b'"yes"', True, LAX_ALL),
    Row("`int` from `1.0`", int, b"1.0", 1, LAX_ALL),
    Row('`int` from `"1_000"`', int, b'"1_000"', 1000, LAX_ALL),
    Row('`float` from `" 1.5 "`', float, b'" 1.5 "', 1.5, LAX_ALL),
    Row("`float` from `NaN`", float, b"NaN", "nan", look=repr),
    Row('`float` from `"Infinity"`', float, b'"Infinity"', float("inf"), LAX_ALL),
    Row(
        "`bytes` from their own text",
        bytes,
        '"h\u00e9"'.encode(),
        "h\u00e9".encode(),
    ),
    Row(
        "`bytes` from URL-safe base64",
        bytes,
        b'"-_8="',
        b"\xfb\xff",
        {
            "Penstock": word("Base64Url", penstock.Base64Url),
            "pydantic": config('`val_json_bytes="base64"`', val_json_bytes="base64"),
        },
    ),
    Row(
        "`list[int] | list[str]`",
        list[list[int] | list[str]],
        b'[[1],["a"]]',
        [[1], ["a"]],
    ),
    Row(
        "two classes, by how many of their fields are there",
        Less | More,
        b'{"x":1,"y":2}',
        More(1, 2),
    ),
    Row("`PositiveInt`", pydantic.PositiveInt, b"7", 7),
    Row("`Json[list[int]]`", pydantic.Json[list[int]], b'"[1,2]"', [1, 2]),
    Row("`HttpUrl`", pydantic.HttpUrl, b'"http://a.ch/"', "http://a.ch/", look=str),
    Row("`SecretStr`", pydantic.SecretStr, b'"a"', "a", look=lambda it: it.get_secret_value()),
    Row("`StringConstraints(strip_whitespace=True)`", Stripped, b'" a "', "a"),
    Row("`StringConstraints(to_lower=True)`", Lowered, b'"AbC"', "abc"),
    Row("`AfterValidator` in a dataclass", Doubled, b'{"x":1}', Doubled(2)),
    Row("a model, `populate_by_name`", ByName, b'{"width":1}', ByName(w=1)),
    Row("a model, `AliasChoices` and `AliasPath`", Choices, b'{"size":[1,2]}', Choices(w=1)),
    Row(
        'a model, `extra="allow"`',
        Extra,
        b'{"x":1,"y":2}',
        {"y": 2},
        look=lambda it: it.model_extra,
    ),
    Row(
        'a model, `model_validator(mode="before")`',
        Before,
        b'{"data":{"x":1}}',
        1,
        look=lambda it: it.x,
    ),
    refused(
        'a model, `model_validator(mode="after")` refuses',
        Checked,
        b'{"low":2,"high":1}',
        b'{"low":1,"high":2}',
        Checked(low=1, high=2),
    ),
    Row("a `RootModel`", Numbers, b"[1,2]", [1, 2], look=lambda it: it.root),
    Row("a generic model", Listed[int], b'{"items":[1]}', [1], look=lambda it: it.items),
    Row(
        "models by `Field(discriminator=...)`",
        Pet,
        b'{"kind":"dog","barks":true}',
        Dog(kind="dog", barks=True),
    ),
    refused(
        'a `TypedDict` with `extra="forbid"`', ClosedDict, b'{"x":1,"y":2}', b'{"x":1}', {"x": 1}
    ),
]


# cattrs


@attrs.define
class A:
    a: int


@attrs.define
class B:
    b: str = ""


@attrs.define
class Child(A):
    c: int


@attrs.define(kw_only=True)
class Keywords:
    x: int = 1
    y: int


@attrs.define
class Box(Generic[Item]):
    item: Item


@attrs.define
class Validated:
    x: int = attrs.field()
    y: int = attrs.field(default=0)

    @x.validator
    def _positive(self, _: Any, value: int) -> None:
        if value < 0:
            raise ValueError("negative")


@attrs.define
class Reserved:
    class_: int


@attrs.define
class ReservedAt:
    class_: Annotated[int, penstock.at("class")]


@attrs.define
class Secret:
    x: int
    secret: str = "kept"


@attrs.define
class Own:
    x: int

    @classmethod
    def make(cls, value: dict[str, int]) -> "Own":
        return cls(value["y"])


class Level(enum.Enum):
    LOW = 1
    HIGH = 2


def tagged(default: type | None = None) -> Way:
    """Cattrs with classes told apart by a key `kind` that they do not have."""
    more = {} if default is None else {"default": default}
    return converter(
        f"`configure_tagged_union({'default=...' if more else ''})`",
        lambda made, union: configure_tagged_union(union, made, tag_name="kind", **more),
    )


def overridden(said: str, **fields: Any) -> Way:
    """Cattrs with other rules for the fields of a class."""
    return converter(
        said,
        lambda made, into: made.register_structure_hook(
            into,
            make_dict_structure_fn(into, made, _cattrs_use_detailed_validation=True, **fields),
        ),
    )


CATTRS = [
    Row("an attrs class that inherits", Child, b'{"a":1,"c":2}', Child(1, 2)),
    Row("attrs, `kw_only=True`", Keywords, b'{"y":2}', Keywords(y=2)),
    Row("a generic attrs class", Box[int], b'{"item":1}', Box(1)),
    refused(
        "attrs, a validator that is a method", Validated, b'{"x":-1}', b'{"x":1}', Validated(1)
    ),
    Row(
        "two attrs classes or `None`, by a key of their own",
        list[A | B | None],
        b'[{"a":1},{"b":"x"},null]',
        [A(1), B("x"), None],
    ),
    Row(
        "the same by a key that neither has",
        A | B,
        b'{"kind":"B","b":"x"}',
        B("x"),
        {"Penstock": plan('`tag="kind"`', tag="kind"), "cattrs": tagged()},
    ),
    Row(
        "a class for tags that are unknown",
        A | B,
        b'{"kind":"C","a":1}',
        B(),
        {
            "Penstock": plan("`tag(..., other=)`", tag=penstock.tag("kind", {"A": A}, other=B)),
            "cattrs": tagged(B),
        },
        on_demand=True,
    ),
    Row(
        "the subclasses of a class, in its place",
        A,
        b'{"a":1,"c":2}',
        Child(1, 2),
        {
            "cattrs": converter(
                "`include_subclasses`", lambda made, into: include_subclasses(into, made)
            )
        },
        of={"Penstock": A | Child},
        remarks={"Penstock": "with `A | Child` for the type"},
    ),
    Row(
        "a key that is a word of Python",
        Reserved,
        b'{"class":1}',
        1,
        {
            "Penstock": plan('`rename={"class_": "class"}`', rename={"class_": "class"}),
            "cattrs": overridden("`override(rename=...)`", class_=override(rename="class")),
        },
        look=lambda it: it.class_,
    ),
    Row(
        "a field that is never filled from the input",
        Secret,
        b'{"x":1,"secret":"stolen"}',
        Secret(1),
        {"cattrs": overridden("`override(omit=True)`", secret=override(omit=True))},
        on_demand=True,
    ),
    Row("`Literal` of an `Enum` member", Literal[Level.LOW], b"1", Level.LOW),
    Row("`MutableSequence[int]`", MutableSequence[int], b"[1]", [1], look=list),
    Row("`MutableSet[int]`", MutableSet[int], b"[1]", {1}, look=set),
    Row(
        "`frozenset[tuple[int, ...]]`", frozenset[tuple[int, ...]], b"[[1,2]]", frozenset({(1, 2)})
    ),
    Row(
        "`dict[int, list[date]]`",
        dict[int, list[datetime.date]],
        b'{"1":["2026-03-01"]}',
        {1: [datetime.date(2026, 3, 1)]},
    ),
    Row("`str` from `1`", str, b"1", "1", LAX_ALL),
    Row("`int` from `1.7`, cut", int, b"1.7", 1, LAX_ALL),
    Row(
        "a class method that makes the object",
        Own,
        b'{"y":1}',
        Own(1),
        {
            "Penstock": Way(
                "`types=`",
                lambda into, data: penstock.json.decode(data, into, types={Own: Own.make}),
            ),
            "cattrs": converter(
                "`use_class_methods`", lambda made, _: use_class_methods(made, "make")
            ),
        },
    ),
]


# mashumaro


@dataclass
class Text:
    type: ClassVar[str] = "text"
    x: str


@dataclass
class Day:
    type: ClassVar[str] = "day"
    x: datetime.date


@dataclass
class Base:
    x: int


@dataclass
class Left(Base):
    type: Literal["left"] = "left"


@dataclass
class Right(Base):
    type: Literal["right"] = "right"


@dataclass
class Renamed:
    first: int = field(metadata=field_options(alias="the first"))


@dataclass
class RenamedAt:
    first: Annotated[int, penstock.at("the first")]


def swiss(text: str) -> datetime.date:
    return datetime.datetime.strptime(text, "%d.%m.%Y").date()  # noqa: DTZ007 - a date has no zone


@dataclass
class Written:
    when: datetime.date = field(metadata=field_options(deserialize=swiss))


@dataclass
class WrittenTimes:
    when: Annotated[datetime.date, penstock.times("%d.%m.%Y")]


@dataclass
class WrittenValidated:
    when: Annotated[datetime.date, pydantic.PlainValidator(swiss)]


MASHUMARO = [
    Row(
        "two classes by a class variable",
        Text | Day,
        b'{"type":"day","x":"2026-03-01"}',
        Day(datetime.date(2026, 3, 1)),
        {
            "Penstock": Way(
                "`tag(...)`",
                lambda _, data: penstock.json.decode(
                    data, Annotated[Text | Day, penstock.tag("type", {"text": Text, "day": Day})]
                ),
            )
        },
        of={
            "mashumaro": Annotated[
                Text | Day, mashumaro.types.Discriminator("type", include_supertypes=True)
            ]
        },
        remarks={"mashumaro": "with `Discriminator` in the annotation"},
    ),
    Row(
        "the subclasses of a class, by a `Literal`",
        Left | Right,
        b'{"type":"right","x":1}',
        Right(1),
        of={
            "mashumaro": Annotated[
                Base, mashumaro.types.Discriminator("type", include_subtypes=True)
            ]
        },
        remarks={"mashumaro": "with `Discriminator` in the annotation of their base"},
    ),
    Row(
        "a key that is no name",
        Renamed,
        b'{"the first":1}',
        1,
        {
            "cattrs": overridden("`override(rename=...)`", first=override(rename="the first")),
        },
        look=lambda it: it.first,
        of={"Penstock": RenamedAt},
        remarks={"Penstock": "with `at`", "mashumaro": "with `field_options`"},
    ),
    Row(
        "a `date` by a pattern",
        Written,
        b'{"when":"01.03.2026"}',
        datetime.date(2026, 3, 1),
        {
            "cattrs": overridden(
                "`override(struct_hook=...)`",
                when=override(struct_hook=lambda text, _: swiss(text)),
            ),
        },
        look=lambda it: it.when,
        of={"Penstock": WrittenTimes, "pydantic": WrittenValidated},
        remarks={
            "Penstock": "with `times` in the annotation",
            "pydantic": "with `PlainValidator` in the annotation",
            "mashumaro": "with `field_options`",
        },
    ),
    Row(
        "`tuple[int, *tuple[str, ...], float]`",
        Tuple[int, Unpack[Tuple[str, ...]], float],  # noqa: UP006, UP044 - as its tests
        b'[1,"a","b",2.5]',
        (1, "a", "b", 2.5),
    ),
    Row("`bytes` from base64 with line ends", bytes, b'"aGk=\\n"', b"hi", MIME),
    Row("`timezone`", datetime.timezone, b'"UTC+02:00"', ZONE),
    Row('`Decimal` from `"1.33"`', decimal.Decimal, b'"1.33"', decimal.Decimal("1.33")),
    Row(
        "`IPv4Interface`",
        ipaddress.IPv4Interface,
        b'"10.0.0.1/8"',
        ipaddress.IPv4Interface("10.0.0.1/8"),
    ),
    Row(
        "`ChainMap[str, int]`",
        collections.ChainMap[str, int],
        b'[{"a":1},{"b":2}]',
        collections.ChainMap({"a": 1}, {"b": 2}),
    ),
    Row(
        "`MappingProxyType[str, int]`",
        types.MappingProxyType[str, int],
        b'{"a":1}',
        {"a": 1},
        look=dict,
    ),
    Row("`Literal[b'a']`", Literal[b"a"], b'"YQ=="', b"a", BASE64),
]

TABLES = {"msgspec": MSGSPEC, "pydantic": PYDANTIC, "cattrs": CATTRS, "mashumaro": MASHUMARO}

WHY = {
    "`timedelta` from seconds": "a number has no unit",
    '`None` from `"null"`, on demand': "`strict=False` is for numbers and `bool`",
    "`msgspec.Raw`": "`penstock.Raw` does the same",
    "`date` from a `datetime` at midnight": "the time would be lost",
    "`timedelta` as a clock shows it": "durations are those of ISO 8601",
    "`timedelta`, days and a clock": "durations are those of ISO 8601",
    '`bool` from `"yes"`': "`strict=False` takes true, false, 0 and 1",
    '`int` from `"1_000"`': "`strict=False` takes numbers as JSON writes them",
    '`float` from `" 1.5 "`': "`strict=False` takes numbers as JSON writes them",
    "`float` from `NaN`": "JSON has no such number",
    '`float` from `"Infinity"`': "JSON has no such number",
    "`bytes` from their own text": "text for `bytes` is base64, or `Hex`",
    "`list[int] | list[str]`": "it selects a member by kind or key, and tries none",
    "two classes, by how many of their fields are there": "it selects a class by a key",
    "`AfterValidator` in a dataclass": "only in a model; elsewhere `via`",
    "a field that is never filled from the input": "the class says so, with `field(init=False)`",
    "`str` from `1`": "a number is no text",
    "`int` from `1.7`, cut": "it never rounds",
    "`tuple[int, *tuple[str, ...], float]`": "not there yet",
    "`timezone`": "not there yet",
    "`ChainMap[str, int]`": "not there yet",
    "`MappingProxyType[str, int]`": "not there yet",
    "`Literal[b'a']`": "not there yet",
}
"""Why Penstock does not do what a question asks for, by the name of the question."""
