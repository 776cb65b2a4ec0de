"""Keyed archives that are made by hand, and classes for them."""

from __future__ import annotations

import datetime
import decimal
import enum
import plistlib
import random
import typing
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, NamedTuple, TypedDict

import penstock
from penstock import plist
from penstock._archives import keyed_read as _keyed_read
from penstock._archives.keyed_values import ArchivedObject, AttributedString

UID = plistlib.UID


class Archive:
    """An archive that is made by hand: `add` returns the UID of an object."""

    def __init__(self) -> None:
        self.objects: list[Any] = ["$null"]
        self.classes: dict[tuple[str, ...], UID] = {}

    def add(self, value: Any) -> UID:
        self.objects.append(value)
        return UID(len(self.objects) - 1)

    def cls(self, *names: str) -> UID:
        if names not in self.classes:
            described = {"$classname": names[0], "$classes": [*names, "NSObject"]}
            self.classes[names] = self.add(described)
        return self.classes[names]

    def obj(self, names: str | tuple[str, ...], /, **fields: Any) -> UID:
        names = (names,) if isinstance(names, str) else names
        named = {
            key.replace("_", ".", 1) if key[:2] == "NS" else key: fields[key] for key in fields
        }
        return self.add({"$class": self.cls(*names), **named})

    def array(self, *items: UID, of: str = "NSArray") -> UID:
        return self.obj(of, NS_objects=list(items))

    def mapping(self, **items: UID) -> UID:
        keys = [self.add(key) for key in items]
        return self.obj("NSDictionary", NS_keys=keys, NS_objects=list(items.values()))

    def document(self, root: Any) -> dict[str, Any]:
        return {
            "$archiver": "NSKeyedArchiver",
            "$version": 100000,
            "$top": {"root": root},
            "$objects": self.objects,
        }

    def load(self, root: Any, into: Any = object, **options: Any) -> Any:
        data = plistlib.dumps(self.document(root), fmt=plistlib.FMT_BINARY)
        return _keyed_read.unarchive(plist.decode(data), into, **options)


def plain(**fields: Any) -> Any:
    """Return what becomes of one object: of the class `cls`, and with these fields."""
    archive = Archive()
    names = fields.pop("cls")
    return archive.load(archive.obj(names, **fields))


class Color(enum.Enum):
    RED = "red"


@dataclass
class Person:
    name: str
    age: int = 0
    friends: list[Person] = field(default_factory=list)
    boss: Person | None = None


@dataclass(frozen=True)
class Node:
    name: str
    next: Node | None = None


class Pair(NamedTuple):
    left: Any
    right: Any = None


class Options(TypedDict, total=False):
    size: float
    color: Color


@dataclass
class Everything:
    text: Annotated[str, penstock.at("XYText", "XYOldText")]
    number: float
    color: Color
    kind: Literal["a", "b"]
    when: datetime.datetime | None
    ident: uuid.UUID
    price: decimal.Decimal
    point: tuple[float, float]
    row: tuple[int, ...]
    names: frozenset[str]
    table: Mapping[str, Sequence[float]]
    options: Options
    other: Any
    boss: Person
    raw: bytes = b""


CLASSES = {"XYPerson": Person, "XYNode": Node, "XYPair": Pair, "XYAll": Everything}


def everything(archive: Archive, **others: Any) -> UID:
    fields = {
        "XYOldText": archive.add("text"),
        "number": 3,
        "color": archive.add("red"),
        "kind": archive.add("b"),
        "when": UID(0),
        "ident": archive.obj("NSUUID", NS_uuidbytes=bytes(16)),
        "price": archive.add(2),
        "point": archive.obj("NSValue", NS_pointval=archive.add("{1, 2}")),
        "row": archive.array(archive.add(1), archive.add(2)),
        "names": archive.array(archive.add("x"), of="NSSet"),
        "table": archive.mapping(a=archive.array(archive.add(1), archive.add(2.5))),
        "options": archive.mapping(size=archive.add(3)),
        "other": archive.obj("XYElse", a=1),
        "boss": archive.mapping(name=archive.add("Ada"), age=archive.add(36)),
    }
    return archive.obj("XYAll", **(fields | others))


@dataclass
class Tagged:
    tags: tuple[str, ...]


@dataclass
class Named:
    name: Annotated[str, penstock.at("NS.name")]


@dataclass
class Two:
    a: list[int]
    b: list[float]
    c: list[int]


@dataclass
class Row:
    row: tuple[Any, ...]


@dataclass
class Strict:
    size: int

    def __post_init__(self) -> None:
        if self.size < 0:
            raise ValueError("too small")


@dataclass
class Counted:
    calls: typing.ClassVar[int] = 0
    me: Any = None

    def __post_init__(self) -> None:
        Counted.calls += 1


@dataclass
class Deep:
    name: Annotated[str, penstock.at("a/b")]


@dataclass
class Wrong:
    data: Annotated[bytes, penstock.Hex]


SCALARS = [
    None,
    True,
    False,
    0,
    7,
    -(2**63),
    1.5,
    -0.0,
    "",
    "x",
    "$null",
    "é",
    b"",
    b"y",
    uuid.UUID(int=5),
]


def any_graph(rng: random.Random) -> list[Any]:
    """Return containers and objects that refer to each other at random."""
    kinds: list[Any] = [list, dict, lambda: ArchivedObject("XYElse"), lambda: Person("p")]
    nodes: list[Any] = [rng.choice(kinds)() for _ in range(rng.randrange(1, 12))]
    people = [node for node in nodes if isinstance(node, Person)]
    for node in nodes:
        for _ in range(rng.randrange(4)):
            child = rng.choice([*nodes, *rng.sample(SCALARS, 5)])
            match node:
                case list():
                    node.append(child)
                case dict():
                    node[rng.choice("abc")] = child
                case ArchivedObject():
                    node.fields[rng.choice(["a", "b", "$c"])] = child
                case _:
                    node.friends = rng.sample(people, rng.randrange(len(people) + 1))
                    node.boss = rng.choice([None, *people])
    return nodes


def same(left: Any, right: Any) -> bool:
    """Compare two graphs: what is one object in one of them is one object in the other."""
    pairs: dict[int, Any] = {}
    due = [(left, right)]
    while due:
        a, b = due.pop()
        if type(a) is not type(b):
            return False
        parts = _parts(a), _parts(b)
        if parts[0] is None or parts[1] is None:
            if len(a) != len(b) if isinstance(a, set) else repr(a) != repr(b):
                return False
            continue
        if id(a) in pairs:
            if pairs[id(a)] is not b:
                return False
            continue
        pairs[id(a)] = b
        if len(parts[0]) != len(parts[1]):
            return False
        due.extend(zip(*parts, strict=True))
    return len({id(b) for b in pairs.values()}) == len(pairs)


def _parts(value: Any) -> list[Any] | None:
    """Return what a container or an object consists of; none for other values."""
    match value:
        case list():
            return [*value]
        case dict():
            return [*value, *value.values()]
        case ArchivedObject():
            return [value.class_name, value.fields]
        case AttributedString():
            return [value.text, value.runs]
        case Person():
            return [value.name, value.age, value.friends, value.boss]
        case _:
            return None
