"""What was written is what is read: for any type, form and value, or the writer refuses the value by name.

`PENSTOCK_LAW=5000` tries so many random types with random seeds, in place of the fixed ones of the gate. A type is made
by a list of choices. A failure is shown with the shortest list, and the simplest choices, that still fail: a line that
can be run again.
"""

# ruff: noqa: UP007, UP013, UP014, UP045, DTZ001 - types made by functions; a datetime without a zone is a case

import contextlib
import dataclasses
import datetime
import enum
import fractions
import functools
import io
import ipaddress
import os
import pathlib
import random
import types
import uuid
import zoneinfo
from collections.abc import Callable, Hashable, Sequence
from decimal import Decimal
from typing import (
    Annotated,
    Any,
    Generic,
    Literal,
    NamedTuple,
    Optional,
    TypedDict,
    TypeVar,
    Union,
    get_args,
)

import attrs
import msgspec
import pydantic
import pytest

import penstock
from penstock import Base64Url, Hex, cells, separated, times, unix, via

# Pydantic makes an IP network of a bool, which the standard library takes for a number.
pytestmark = pytest.mark.filterwarnings("ignore:__int__ returned non-int:DeprecationWarning")

T = TypeVar("T")
UTC = datetime.UTC
DAY = datetime.date(2024, 2, 1)
NOON = datetime.datetime(2024, 2, 1, 12, 2, 3, tzinfo=UTC)
LOCAL = datetime.datetime(2024, 2, 1, 1, 2, 3)
GERMAN = cells(decimal=",", thousands=".")


class Word(enum.Enum):
    A = "a"
    DATE = "2024-02-01"
    NUMBER = "5"


class Size(enum.Enum):
    ONE = 1
    TWO = 2


class Mixed(enum.Enum):
    ONE = 1
    B = "b"
    NOTHING = None
    HALF = 1.5
    YES = True


class Level(enum.IntEnum):
    LOW = 1


class Name(enum.StrEnum):
    A = "a"


class Bits(enum.IntFlag):
    R = 1
    W = 2


@dataclasses.dataclass(frozen=True)
class Plain:
    x: int
    y: str = "q"


@dataclasses.dataclass(frozen=True, slots=True)
class Slots:
    a: int
    b: int | None = None


@attrs.frozen
class Attrs:
    c: float
    d: str = ""


class Struct(msgspec.Struct, frozen=True):
    e: int
    f: list[int] = []


class Model(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(frozen=True)
    g: int
    h: str | None = None


class Keys(TypedDict):
    i: int


class Row(NamedTuple):
    j: int
    k: str = "q"


@dataclasses.dataclass(frozen=True)
class Cat:
    lives: int
    kind: Literal["cat"] = "cat"


@dataclasses.dataclass(frozen=True)
class Dog:
    name: str
    kind: Literal["dog"] = "dog"


@dataclasses.dataclass
class Base:
    e: int


@dataclasses.dataclass
class Held(Generic[T]):
    e: int
    d: T


def kilo(text: str) -> int:
    return int(text.removeprefix("k"))


Kilo = Annotated[int, via(kilo, encode=lambda number: f"k{number}")]

LEAVES: dict[str, tuple[Any, list[Any]]] = {
    "int": (int, [0, 1, 2, -5, 10**25]),
    "float": (float, [1.5, 1e300, 0.1, -0.0, 1.0, 3.0]),
    "str": (
        str,
        [
            "",
            "a",
            "b",
            " x ",
            "1",
            "5",
            "true",
            "null",
            "2024-02-01",
            "a;b",
            "a,b\n",
            "1.5",
            "10.0.0.1",
        ],
    ),
    "bool": (bool, [True, False]),
    "Decimal": (Decimal, [Decimal("1.50"), Decimal("1E+3"), Decimal("-0.00"), Decimal(5)]),
    "date": (datetime.date, [DAY]),
    "datetime": (datetime.datetime, [NOON, LOCAL]),
    "time": (datetime.time, [datetime.time(1, 2, 3)]),
    "timedelta": (
        datetime.timedelta,
        [datetime.timedelta(days=1, seconds=3), datetime.timedelta(0)],
    ),
    "UUID": (uuid.UUID, [uuid.UUID(int=5)]),
    "bytes": (bytes, [b"", b"\x00\xff"]),
    "Hex": (Annotated[bytes, Hex], [b"\xab"]),
    "Base64Url": (Annotated[bytes, Base64Url], [b"\xfb\xff"]),
    "Word": (Word, list(Word)),
    "Size": (Size, list(Size)),
    "Mixed": (Mixed, list(Mixed)),
    "Level": (Level, [Level.LOW]),
    "Name": (Name, [Name.A]),
    "Bits": (Bits, [Bits.R | Bits.W, Bits(0)]),
    "Literal": (Literal["a", 1, None, True], ["a", 1, None, True]),
    "Path": (pathlib.Path, [pathlib.Path("a/b")]),
    "IPv4Address": (ipaddress.IPv4Address, [ipaddress.IPv4Address("10.0.0.1")]),
    "IPv4Network": (ipaddress.IPv4Network, [ipaddress.IPv4Network("10.0.0.0/30")]),
    "Fraction": (fractions.Fraction, [fractions.Fraction(3, 4), fractions.Fraction(2)]),
    "complex": (complex, [1 + 2j]),
    "ZoneInfo": (zoneinfo.ZoneInfo, [zoneinfo.ZoneInfo("UTC")]),
    "times": (Annotated[datetime.date, times("%d.%m.%Y")], [DAY]),
    "times of datetime": (Annotated[datetime.datetime, times("%d/%m/%y %H:%M:%S")], [LOCAL]),
    "unix": (Annotated[datetime.datetime, unix("s")], [NOON]),
    "unix ms": (Annotated[datetime.datetime, unix("ms")], [NOON]),
    "via": (Kilo, [5]),
    "cells": (Annotated[Decimal, GERMAN], [Decimal("1234.5"), Decimal("1.234")]),
    "cells of bool": (Annotated[bool, cells(true=("J",), false=("N",))], [True, False]),
    "cells of null": (Annotated[int | None, cells(null=("-1",))], [-1, 7, None]),
    "Plain": (Plain, [Plain(1), Plain(2, "")]),
    "Slots": (Slots, [Slots(1), Slots(1, 2)]),
    "Attrs": (Attrs, [Attrs(1.5)]),
    "Struct": (Struct, [Struct(1), Struct(2, [3])]),
    "Model": (Model, [Model(g=1), Model(g=1, h="")]),
    "Keys": (Keys, [{"i": 1}]),
    "Row": (Row, [Row(1), Row(2, "")]),
    "tagged": (Cat | Dog, [Cat(9), Dog("Rex")]),
}

# The marks that may stand around a whole union.
MARKS: list[Any] = [GERMAN, Hex, times("%d.%m.%Y"), unix("s")]


class Choices:
    """Numbers that decide what a type looks like: those of a list, or random ones that are kept in a list."""

    def __init__(self, given: "Given") -> None:
        self.taken: list[int] = []
        self._random = random.Random(given) if isinstance(given, int) else None
        self._given = iter(() if isinstance(given, int) else given)

    def below(self, count: int) -> int:
        """A number below `count`; behind the end of a list, 0."""
        number = self._random.randrange(count) if self._random else next(self._given, 0) % count
        self.taken.append(number)
        return number

    def of(self, values: Sequence[Any]) -> Any:
        """One of the values."""
        return values[self.below(len(values))]


# A seed, or the choices themselves.
Given = int | Sequence[int]


def shortest(broken: Callable[[Given], str | None], given: Sequence[int]) -> str:
    """The failure with the fewest and smallest choices that is reached by leaving out and lowering single ones."""
    failure = broken(given) or "it does not fail again"
    before: list[int] = []
    given = list(given)
    while given != before:
        before = list(given)
        for at in reversed(range(len(before))):
            number = given[at]
            for simpler in ([], [0], [number // 2], [number - 1]):
                tried = given[:at] + simpler + given[at + 1 :]
                if (not simpler or 0 <= simpler[0] < number) and (line := broken(tried)):
                    given, failure = tried, line
                    break
    return failure


def is_key(value: Any) -> bool:
    return isinstance(value, Hashable) and not isinstance(value, dict)


def chosen(choices: Choices) -> tuple[Any, Any]:
    of, values = LEAVES[choices.of(list(LEAVES))]
    return of, choices.of(values)


def wrapped(choices: Choices, of: Any, value: Any, depth: int) -> tuple[Any, Any]:
    """A type made of a type, and a value of it."""
    kind = choices.below(20)
    if kind == 0:
        return Optional[of], choices.of([value, None])
    if kind <= 5:
        other, more = made(choices, depth - 1)
        pair = (of, other) if choices.below(2) else (other, of)
        return Union[pair], choices.of([value, more])
    if kind == 6:
        other, more = chosen(choices)
        third, most = chosen(choices)
        return Union[of, other, third], choices.of([value, more, most])
    if kind == 7:
        other, more = chosen(choices)
        return Annotated[Union[of, other], choices.of(MARKS)], choices.of([value, more])
    if kind == 8:
        return list[of], choices.of([[], [value], [value, value]])
    if kind == 9:
        return list[Optional[of]], choices.of([[value, None], [None], [value]])
    if kind == 10:
        return tuple[of, int], (value, 1)
    if kind == 11:
        return dict[str, of], choices.of([{}, {"k": value}])
    if kind in (12, 13) and is_key(value):
        return dict[of, int], {value: 1}
    if kind == 14 and is_key(value):
        return dict[Union[of, int], int], choices.of([{value: 1}, {5: 1}])
    if kind == 15 and is_key(value):
        return set[of], {value}
    if kind == 16:
        by = separated(choices.of(["|", None]))
        return Annotated[list[of], by], choices.of([[value, value], [value], []])
    if kind == 17:
        return Annotated[list[Optional[of]], separated(choices.of(["|", None]))], [value, None]
    if kind == 18:
        return Union[of, Literal["zz"]], choices.of([value, "zz"])
    return of, value


def made(choices: Choices, depth: int = 2) -> tuple[Any, Any]:
    of, value = chosen(choices)
    for _ in range(choices.below(depth + 1)):
        of, value = wrapped(choices, of, value, depth)
    return of, value


def classes(choices: Choices, of: Any, value: Any) -> tuple[type, Any]:
    """A class with a field of the type, and an object of it."""
    kind = choices.below(10)
    default = choices.of([dataclasses.MISSING, None, value])
    if kind == 0 or not is_key(default):
        default = dataclasses.MISSING
    if kind <= 1:
        field = (
            dataclasses.field(default=default)
            if default is not dataclasses.MISSING
            else dataclasses.field()
        )
        made = dataclasses.make_dataclass("C", [("e", int), ("d", of, field)], slots=kind == 1)
        return made, made(7, value)
    if kind == 2:
        made = attrs.make_class("C", {"e": attrs.field(type=int), "d": attrs.field(type=of)})
        return made, made(7, value)
    if kind == 3:
        made = NamedTuple("C", [("e", int), ("d", of)])
        return made, made(7, value)
    if kind == 4:
        made = msgspec.defstruct("C", [("e", int), ("d", of)])
        return made, made(7, value)
    if kind == 5:
        made = TypedDict("C", {"e": int, "d": of})
        return made, {"e": 7, "d": value}
    if kind == 6:
        try:
            made = pydantic.create_model("C", e=(int, ...), d=(of, ...))
            return made, made(e=7, d=value)
        except (pydantic.ValidationError, pydantic.PydanticUserError, RuntimeError) as error:
            raise TypeError from error  # it has no such type, or value
    if kind == 7:
        return Held[of], Held(7, value)
    if kind == 8:
        made = dataclasses.make_dataclass("C", [("d", of)], bases=(Base,))
        return made, made(7, value)
    made = type("C", (), {"__annotations__": {"e": int, "d": of}})
    whole = made()
    whole.e, whole.d = 7, value
    return made, whole


class Values:
    """Plain values in the place of text."""

    encode = staticmethod(penstock.plain)
    decode = staticmethod(penstock.make)


FORMS: dict[str, tuple[Any, dict[str, Any]]] = {
    "values": (Values, {}),
    "values, defaults left out": (Values, {"omit": "defaults"}),
    "json": (penstock.json, {}),
    "json, defaults left out": (penstock.json, {"omit": "defaults"}),
    "json, decimals as text": (penstock.json, {"decimals": "text"}),
    "ndjson": (penstock.ndjson, {}),
    "csv": (penstock.csv, {}),
    "xml": (penstock.xml, {}),
    "xml, indented": (penstock.xml, {"indent": 2}),
    "plist, xml": (penstock.plist, {"form": "xml"}),
    "plist, binary": (penstock.plist, {"form": "binary"}),
    "plist, openstep": (penstock.plist, {"form": "openstep"}),
    "plist, gnustep": (penstock.plist, {"form": "gnustep"}),
}


def same(a: Any, b: Any) -> bool:
    if type(a) is not type(b):
        return False
    if isinstance(a, float):
        return a == b and str(a) == str(b)
    if dataclasses.is_dataclass(a):
        return all(
            same(getattr(a, field.name), getattr(b, field.name)) for field in dataclasses.fields(a)
        )
    if attrs.has(type(a)):
        return all(
            same(getattr(a, field.name), getattr(b, field.name)) for field in attrs.fields(type(a))
        )
    if isinstance(a, pydantic.BaseModel) or (type(a).__name__ == "C" and hasattr(a, "__dict__")):
        return same(vars(a), vars(b))
    if isinstance(a, msgspec.Struct):
        return all(same(getattr(a, name), getattr(b, name)) for name in a.__struct_fields__)
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return (
            list(a) == list(b) and all(map(same, a, b)) and all(same(a[key], b[key]) for key in a)
        )
    return bool(a == b)


def is_documented(form: str, value: Any) -> bool:
    """A loss that the documentation names: property lists keep datetimes in UTC, without a zone."""
    return form.startswith("plist") and "datetime.datetime(" in repr(value)


def broken(given: Given, form: str) -> str | None:
    """What is wrong with one type, one value and one form."""
    choices = Choices(given)
    try:
        of, value = made(choices)
        cls, whole = classes(choices, of, value)
    except (TypeError, ValueError):
        return None  # Python has no such type, or no such default
    module, options = FORMS[form]
    several = module in (penstock.csv, penstock.ndjson)
    line = f"broken({choices.taken}, {form!r}): {of}, {value!r}"
    try:
        text = module.encode([whole] if several else whole, cls, **options)
    except (penstock.EncodeError, penstock.PlanError):
        return None
    except Exception as error:  # noqa: BLE001 - that is what is looked for
        return f"{line}: {type(error).__name__}: {error}"
    try:
        back = module.decode(text, cls)
        back = back[0] if several else back
    except Exception as error:  # noqa: BLE001 - as above
        return f"{line}: {text!r:.200} is not read: {error}"
    if same(back, whole) or is_documented(form, value):
        return None
    return f"{line}: {text!r:.200} is read as {back!r}"


def fields(whole: Any) -> dict[str, Any] | None:
    """The attributes of an object, by their names."""
    if isinstance(whole, msgspec.Struct):
        return {name: getattr(whole, name) for name in whole.__struct_fields__}
    if hasattr(whole, "_asdict"):
        return dict(whole._asdict())
    if dataclasses.is_dataclass(whole):
        return {field.name: getattr(whole, field.name) for field in dataclasses.fields(whole)}
    return dict(whole) if isinstance(whole, dict) else dict(vars(whole))


def has_other_numbers(of: Any, value: Any) -> bool:
    """Whether a number may be what a function makes, and what another member takes of a document: that counts."""
    if isinstance(value, list | tuple | set | dict):
        inner = [*value, *value.values()] if isinstance(value, dict) else value
        return any(has_other_numbers(part, item) for part in get_args(of) for item in inner)
    union = of.__origin__ if hasattr(of, "__metadata__") else of
    parts = get_args(union)
    return isinstance(value, int) and (
        Kilo in parts or any(has_other_numbers(part, value) for part in parts)
    )


def unmade(given: Given) -> str | None:
    """What is wrong with an object that is made of its own attributes: they are what the types ask for."""
    choices = Choices(given)
    try:
        of, value = made(choices)
        cls, whole = classes(choices, of, value)
        penstock.json.encode(whole, cls)
    except (TypeError, ValueError, penstock.EncodeError, penstock.PlanError):
        return None  # No type or no object that the law of writing is about
    if has_other_numbers(of, value):
        return None
    own = fields(whole)
    for values in (own, types.SimpleNamespace(**own)):
        try:
            back = penstock.make(values, cls, from_attributes=True)
        except penstock.PlanError:
            return None
        except Exception as error:  # noqa: BLE001 - that is what is looked for
            return f"unmade({choices.taken}): {values!r} is not taken: {error}"
        if not same(back, whole):
            return f"unmade({choices.taken}): {values!r} becomes {back!r}"
    return None


def taken(given: Given) -> list[int]:
    """The choices that make a type."""
    choices = Choices(given)
    with contextlib.suppress(TypeError, ValueError):
        classes(choices, *made(choices))
    return choices.taken


def lines(given: Given) -> tuple[Any, Any, bytes] | None:
    """A type, a value of it, and its line of NDJSON, if it has one."""
    choices = Choices(given)
    try:
        of, value = made(choices)
        cls, whole = classes(choices, of, value)
        return cls, whole, penstock.ndjson.encode([whole], cls)
    except (TypeError, ValueError, penstock.EncodeError, penstock.PlanError):
        return None


def converted(given: Given, to: str) -> str | None:
    """What is wrong with a conversion by a class: it is to write what `encode` writes."""
    made = lines(given)
    if made is None:
        return None
    cls, whole, text = made
    expected: bytes | None = None
    with contextlib.suppress(penstock.EncodeError, penstock.PlanError):
        expected = getattr(penstock, to).encode([whole], list[cls] if to == "json" else cls)
    out = io.BytesIO()
    got: bytes | None = None
    try:
        penstock.convert(io.BytesIO(text), out, format="ndjson", to=to, into=cls, objects=True)
        got = out.getvalue()
    except (penstock.EncodeError, penstock.PlanError, penstock.ValidationError):
        pass
    if got == expected:
        return None
    return f"converted({taken(given)}, {to!r}): {text!r} becomes {got!r}, and encode writes {expected!r}"


def in_columns(given: Given) -> str | None:
    """What is wrong with columns: they are to hold the objects, or to be refused."""
    made = lines(given)
    if made is None:
        return None
    cls, whole, text = made
    try:
        columns = penstock.columns(io.BytesIO(text), cls, format="ndjson")
        [back] = list(penstock.read(columns, cls))
    except penstock.PenstockError:
        return None
    if same(back, whole):
        return None
    return f"in_columns({taken(given)}): {text!r} is {back!r} in columns"


COUNT = int(os.environ.get("PENSTOCK_LAW", "0"))
FIRST = random.SystemRandom().randrange(1 << 40) if COUNT else 0


def holds(broken: Callable[[Given], str | None]) -> None:
    """The law, for all seeds."""
    seeds = range(FIRST, FIRST + (COUNT or 250))
    found = [seed for seed in seeds if broken(seed)]
    shown = [shortest(broken, taken(seed)) for seed in found[:20]]
    assert not found, f"{len(found)} of {len(seeds)}:\n" + "\n".join(shown)


@pytest.mark.parametrize("form", FORMS)
def test_what_is_written_is_what_is_read(form: str) -> None:
    holds(functools.partial(broken, form=form))


@pytest.mark.parametrize("to", ["json", "ndjson", "csv"])
def test_a_conversion_by_a_class_is_decoding_and_encoding(to: str) -> None:
    holds(functools.partial(converted, to=to))


def test_columns_hold_the_objects() -> None:
    holds(in_columns)


def test_an_object_is_made_of_its_attributes() -> None:
    holds(unmade)


def test_a_failure_is_made_short() -> None:
    def fails(given: Given) -> str | None:
        """As if no optional value could be read back."""
        choices = Choices(given)
        try:
            of, _ = made(choices)
        except TypeError:
            return None
        return f"{of} by {choices.taken}" if type(None) in get_args(of) else None

    failing = next(seed for seed in range(1000) if fails(seed))
    assert shortest(fails, taken(failing)).endswith(" by [0, 0, 1, 0, 0]")
