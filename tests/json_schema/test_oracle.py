"""The verdict of `jsonschema` on a document is that of `json.decode`, and it accepts what `json.encode` writes.

They may differ where the page about schemas says so: `json.decode` also looks at the form of a text, and calls
functions. What it refuses for another reason, such as a missing key or a value of another kind, a schema refuses.
"""

import datetime
import decimal
import enum
import ipaddress
import json
import uuid
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Annotated, Any, Literal, NamedTuple, Required, TypedDict

import annotated_types as an
import attrs
import msgspec
import pydantic
import pytest
import random_classes
from hypothesis import given
from hypothesis import strategies as st

import penstock
from penstock import UNSET, Plan, UnsetType, at, json_schema, pattern, rest, tag, via

jsonschema = pytest.importorskip("jsonschema", reason="jsonschema is not installed")

# Why `json.decode` refuses what a schema accepts.
OF_VALUES = {"value", "refused"}
OTHERS: list[Any] = [
    *(None, True, 0, -1, 7, 1.5, 10**20, "", "a", "x y", "1", "2026-01-01"),
    *([], [1], ["a"], [[1]], {}, {"a": 1}, {"name": "a"}),
]


def places(document: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths of all values of a document."""
    found = [path]
    inside: list[tuple[Any, Any]] = []
    if isinstance(document, dict):
        inside = list(document.items())
    elif isinstance(document, list):
        inside = list(enumerate(document))
    for step, value in inside:
        found += places(value, (*path, step))
    return found


def changed(document: Any, rng: Random) -> Any:
    """A document with one value more, one less, or another one."""
    document = json.loads(json.dumps(document))
    other = rng.choice(OTHERS)
    path = rng.choice(places(document))
    how = rng.randrange(5)
    value = document
    for step in path:
        value = value[step]
    if how == 0 and isinstance(value, dict):
        value["zz"] = other
        return document
    if how == 0 and isinstance(value, list):
        value.append(other)
        return document
    if not path:
        return other
    around = document
    for step in path[:-1]:
        around = around[step]
    if how == 1:
        del around[path[-1]]
    elif how == 2 and isinstance(around, dict):
        around["zz"] = around.pop(path[-1])
    else:
        around[path[-1]] = other
    return document


def checker(schema: dict[str, Any]) -> Any:
    jsonschema.Draft202012Validator.check_schema(schema)
    json.dumps(schema, allow_nan=False)
    return jsonschema.Draft202012Validator(schema)


def verdict(annotation: Any, text: str) -> str:
    """Why a document is refused."""
    try:
        penstock.json.decode(text, annotation)
    except penstock.ValidationError as error:
        return error.code
    return "fits"


def agree(annotation: Any, document: Any, validator: Any) -> bool:
    """Whether the verdicts on a document are the same."""
    code = verdict(annotation, json.dumps(document))
    if code in OF_VALUES:
        return True
    return bool(validator.is_valid(document)) == (code == "fits")


def holds(annotation: Any, documents: list[Any], rng: Random, changes: int) -> None:
    validator = checker(json_schema(annotation))
    for document in documents:
        assert validator.is_valid(document), document
        for _ in range(changes):
            once = changed(document, rng)
            for other in (once, changed(once, rng)):
                assert agree(annotation, other, validator), other


@given(st.randoms(use_true_random=False))
def test_random_classes(random: Random) -> None:
    kind = random_classes.any_kind(random)
    value = kind.make(random)
    try:
        text = penstock.json.encode(value, kind.annotation)
    except (penstock.EncodeError, penstock.PlanError):
        return
    document = json.loads(text)
    written = checker(json_schema(kind.annotation, mode="encode"))
    assert written.is_valid(document), document
    holds(kind.annotation, [document], random, 4)


# Classes with everything that a schema must say, each with an object, or with documents.


@dataclass
class Station:
    latitude: Annotated[float, at("geo/position/0")]
    zip: Annotated[str | None, at("address/zip")] = None


@dataclass
class Anywhere:
    x: Annotated[list[int], at("//x")]
    y: Annotated[str, at("q/z")] = ""


@dataclass
class Cut:
    sizes: Annotated[list[int], at("cut/sizes/*")]


class Array(msgspec.Struct, array_like=True):
    a: int
    b: str = "x"


class First(msgspec.Struct, array_like=True, forbid_unknown_fields=True, tag="s"):
    a: int
    b: str = "x"


class Second(msgspec.Struct, array_like=True, tag="g"):
    c: str


class Row(NamedTuple):
    a: int
    b: str = "x"


class Closed(msgspec.Struct, forbid_unknown_fields=True):
    x: Annotated[int, at("a/b")]
    y: int = 0


class Strict(msgspec.Struct, forbid_unknown_fields=True):
    x: int


class Stern(msgspec.Struct, forbid_unknown_fields=True):
    y: int


class One(msgspec.Struct, tag=True, rename="camel"):
    my_x: int


class Two(msgspec.Struct, tag=True):
    x: int


class Bits(enum.IntFlag):
    R = 1
    W = 2


class Open(enum.Enum):
    A = "a"
    B = 2

    @classmethod
    def _missing_(cls, _: object) -> "Open":
        return cls.A


@dataclass
class User:
    name: Annotated[str, at("name", "userName", "user/name")]
    id: Annotated[int, at("@id", "identifier")]


@dataclass
class A:
    a: int


@dataclass
class B:
    b: int


@dataclass
class Either:
    x: Annotated[A | B, at({"one": A, "two": B})]
    y: Annotated[list[A | B], at({"p": A, "q": B})]


@dataclass
class Item:
    id: str
    v: int


@dataclass
class Items:
    d: Annotated[dict[str, Item], at("items/*", key="id")]
    e: Annotated[dict[str, int], at("tags/tag", key="k", value="v")] = field(default_factory=dict)


@dataclass
class Author:
    name: str
    born: int | None = None


@dataclass
class Tale:
    title: str
    author: Annotated[Author | None, at(".")] = None


@dataclass
class Novel:
    title: str
    author: Annotated[Author, at(".")]


@dataclass
class Shelf:
    number: int
    tale: Annotated[Tale | None, at(".")] = None


@dataclass
class Contact:
    name: str
    city: Annotated[str, at("address/city")] = ""
    more: Annotated[dict[str, Any], rest] = field(default_factory=dict)


@dataclass
class Change:
    a: str | UnsetType = UNSET
    b: int = 3


class Keys(TypedDict, total=False):
    a: int
    b: Required[int]


class Order(pydantic.BaseModel):
    amount: decimal.Decimal = pydantic.Field(alias="Amount", gt=0)
    tags: list[str] = []
    n: Annotated[int, pydantic.Field(ge=1, multiple_of=2)] = 2
    word: str = pydantic.Field("x", pattern="^x", max_length=5)
    items: list[Annotated[int, pydantic.Field(gt=0)]] = pydantic.Field([], max_length=2)


class Names(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(extra="forbid", str_strip_whitespace=True)
    a: str = pydantic.Field(max_length=2)
    b: int = pydantic.Field(validation_alias=pydantic.AliasChoices("b", "bb"))


class Free(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(extra="allow", populate_by_name=True)
    a: int = pydantic.Field(alias="aa")


class Root(pydantic.RootModel[list[int]]):
    pass


@attrs.define
class Account:
    _secret: int = 3
    sizes: list[int] = attrs.Factory(list)


@dataclass
class Circle:
    kind: Literal["circle"]
    radius: float


@dataclass
class Square:
    kind: Literal["square"]
    side: float


@dataclass
class Created:
    id: int


@dataclass
class Deleted:
    id: int


@dataclass
class Unheard:
    event: str


@dataclass
class Person:
    name: str
    born: int


@dataclass
class Company:
    name: str
    founded: int


@dataclass
class Seat:
    row: Annotated[int, an.Interval(ge=1, le=40)]
    letter: Annotated[str, pattern("^[A-K]$")]
    price: Annotated[decimal.Decimal, an.Ge(0)]
    names: Annotated[list[str], an.Len(1, 2)]
    optional: Annotated[int | None, an.Gt(0)] = None
    numbers: Annotated[dict[str, int], an.Len(0, 2)] = field(default_factory=dict)


@dataclass
class Doubled:
    a: Annotated[int, via(int, str, encode=str), an.Gt(5)]


Event = Annotated[Created | Deleted, tag("event", {"new": Created, "gone": Deleted})]
Rest = Annotated[Created | Unheard, tag("event", {"new": Created}, other=Unheard)]
Sealed = Annotated[Strict | Stern, tag("event", {"a": Strict, "b": Stern})]

WRITTEN: list[tuple[Any, Any]] = [
    (Cut, Cut([1])),
    (Array, Array(1)),
    (First, First(1)),
    (First | Second, Second("q")),
    (Row, Row(1)),
    (Row | int, Row(1)),
    (Row | list[int], Row(1)),
    (Row | B, Row(1)),
    (Closed, Closed(1)),
    (Sealed, Strict(1)),
    (One, One(1)),
    (list[One | Two], [Two(1)]),
    (Bits, Bits.R),
    (dict[Open, int], {Open.B: 1}),
    (User, User("a", 1)),
    (Tale, Tale("a")),
    (Tale, Tale("a", Author("x"))),
    (Novel, Novel("a", Author("x"))),
    (Shelf, Shelf(1, Tale("t", Author("q")))),
    (Contact, Contact("x", "", {"z": 1})),
    (Change, Change()),
    (Change, Change("a")),
    (Keys, {"b": 1}),
    (Order, Order(Amount=decimal.Decimal("1.5"), items=[1])),
    (Names, Names(a="ab", b=1)),
    (Free, Free(aa=1, zz=2)),
    (Root, Root([1])),
    (Account, Account()),
    (list[Circle | Square], [Square("square", 1.0)]),
    (list[Event], [Deleted(1)]),
    (Event | dict, {"event": "merged"}),
    (Person | Company, Person("a", 1)),
    (Person | B | dict[str, int], B(1)),
    (list[Circle | Square | Any], [1]),
    (Seat, Seat(1, "A", decimal.Decimal(1), ["Ada"])),
    (Doubled, Doubled(6)),
    (Plan(Person, rename="upper"), Person("a", 1)),
    (Plan(list[int | bool | float], strict=False), [1]),
    (Plan(Change, strict=False), Change()),
]
READ: list[tuple[Any, list[str]]] = [
    (
        Station,
        [
            '{"geo": {"position": [1, 2, 3]}, "address": {"zip": "7000"}}',
            '{"geo": {"position": {"0": 1}}}',
            '{"geo": {"position": [1]}, "address": {"street": "a"}}',
        ],
    ),
    (Anywhere, ['{"x": 1}', '{"q": {"z": "s"}}']),
    (User, ['{"userName": "x", "identifier": 1}', '{"user": {"name": "x"}, "@id": 1}']),
    (Either, ['{"one": {"a": 1}}', '{"two": {"b": 1}, "p": [{"a": 1}], "q": {"b": 1}}']),
    (Items, ['{"items": [{"id": "a", "v": 1}], "tags": {"tag": [{"k": "a", "v": 1}]}}']),
    (Names, ['{"a": " ab ", "bb": 1}']),
    (Free, ['{"a": 1, "q": 2}']),
    (list[Rest], ['[{"event": "new", "id": 1}, {"event": "merged"}]']),
]


@pytest.mark.parametrize(("annotation", "value"), WRITTEN, ids=lambda it: str(it)[:40])
def test_what_is_written(annotation: Any, value: Any) -> None:
    document = json.loads(penstock.json.encode(value, annotation))
    written = checker(json_schema(annotation, mode="encode"))
    assert written.is_valid(document), document
    holds(annotation, [document], Random(1), 20)


@pytest.mark.parametrize(("annotation", "texts"), READ, ids=lambda it: str(it)[:40])
def test_what_is_read(annotation: Any, texts: list[str]) -> None:
    holds(annotation, [json.loads(text) for text in texts], Random(1), 20)


def test_the_examples_of_the_page_about_types() -> None:
    page = (Path(__file__).parents[2] / "docs/types.md").read_text("utf-8")
    # Its tables as code have documents that fit a type, and others that do not.
    block = page.partition("The same tables, as code that runs:\n\n```python\n")[2]
    names: dict[str, Any] = {"__name__": __name__}
    exec(block.partition("\n```")[0], names)
    for text, annotation, _ in names["FITS"]:
        assert checker(json_schema(annotation)).is_valid(json.loads(text)), text
    accepted = {
        (text, str(annotation)): verdict(annotation, text)
        for text, annotation in names["DOES_NOT"]
        if checker(json_schema(annotation)).is_valid(json.loads(text))
    }
    # A number with a fraction of zero is an integer for JSON Schema.
    assert accepted.pop(("1.0", str(Literal["a", 1]))) == "type"
    assert accepted["1.0", str(int)] == "value"
    assert set(accepted.values()) == {"value"}


@pytest.mark.parametrize(
    ("annotation", "text", "other"),
    [
        (datetime.date, "2026-03-01", "1 March 2026"),
        (uuid.UUID, "12345678-1234-5678-1234-567812345678", "x"),
        (ipaddress.IPv4Address, "10.0.0.1", "10.0.0"),
        (ipaddress.IPv6Address, "::1", "10.0.0.1"),
    ],
)
def test_formats_are_checked_by_those_who_want_to(annotation: Any, text: str, other: str) -> None:
    of_formats = jsonschema.Draft202012Validator.FORMAT_CHECKER
    strict = jsonschema.Draft202012Validator(json_schema(annotation), format_checker=of_formats)
    assert strict.is_valid(text)
    assert not strict.is_valid(other)
    assert checker(json_schema(annotation)).is_valid(other)
