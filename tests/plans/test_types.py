"""Nodes of annotations: which types there are, how names are resolved, and the paths of values."""

from __future__ import annotations

import array
import collections
import dataclasses
import datetime as dt
import decimal
import enum
import fractions
import ipaddress
import pathlib
import sys
import types
import typing
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import (
    Annotated,
    Any,
    Final,
    Literal,
    NewType,
    Optional,
    TypeVar,
    Union,
)

import pytest

import penstock
from penstock import Plan, PlanError

Item = TypeVar("Item")
UserId = NewType("UserId", int)


class Color(enum.Enum):
    RED = "red"
    CRIMSON = "red"
    BLUE = "blue"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Permission(enum.Flag):
    READ = 1


class Shape(enum.Enum):
    POINT = (0, 0)
    NAMED = "a"


@dataclass(slots=True)
class Point:
    x: int
    y: int


@dataclass(frozen=True, slots=True)
class Hashable:
    x: int


@dataclass
class Node:
    value: int
    children: list[Node] = field(default_factory=list)
    parent: Node | None = None


def shown(cls: object, **namespace: object) -> list[str]:
    """The fields of the class, as its plan shows them."""
    lines = repr(Plan(cls, namespace=namespace or None)).splitlines()[2:]
    return [line.strip() for line in takewhile(lambda line: line.startswith(" "), lines)]


def refused(cls: object, **options: Any) -> str:
    """The message for a type that is refused."""
    with pytest.raises(PlanError) as caught:
        Plan(cls, **options)
    return str(caught.value)


def field_of(annotation: object) -> type:
    """A class `City` with the field `x`."""
    return dataclasses.make_dataclass("City", [("x", annotation)])


# Types.


@pytest.mark.parametrize(
    ("annotation", "name"),
    [
        (None, "None"),
        (type(None), "None"),
        (bool, "bool"),
        (int, "int"),
        (float, "float"),
        (str, "str"),
        (bytes, "bytes"),
        (Any, "Any"),
        (object, "Any"),
        (decimal.Decimal, "Decimal"),
        (dt.datetime, "datetime"),
        (dt.date, "date"),
        (dt.time, "time"),
        (uuid.UUID, "UUID"),
        (bytearray, "bytearray"),
        (complex, "complex"),
        (fractions.Fraction, "Fraction"),
        (pathlib.Path, "Path"),
        (ipaddress.IPv4Address, "IPv4Address"),
        (Permission, "Permission"),
        (Literal[Color.RED], "Literal[Color.RED]"),
        (Color, "Color"),
        (Level, "Level"),
        (Literal["a", 3, True, None], "Literal['a', 3, True, None]"),
        (list, "list"),
        (typing.List, "list"),
        (list[int], "list[int]"),
        (typing.List[int], "list[int]"),
        (tuple, "tuple"),
        (tuple[()], "tuple[()]"),
        (tuple[int, str], "tuple[int, str]"),
        (tuple[int, ...], "tuple[int, ...]"),
        (set[int], "set[int]"),
        (frozenset[Color], "frozenset[Color]"),
        (set[tuple[int, Hashable]], "set[tuple[int, Hashable]]"),
        (dict, "dict"),
        (dict[str, int], "dict[str, int]"),
        (dict[Any, int], "dict[str, int]"),
        (dict[Color, int], "dict[Color, int]"),
        (dict[Level, int], "dict[Level, int]"),
        (dict[int | str, int], "dict[int | str, int]"),
        (collections.deque, "deque"),
        (collections.deque[int], "deque[int]"),
        (collections.defaultdict, "defaultdict"),
        (typing.DefaultDict[str, int], "defaultdict[str, int]"),
        (collections.OrderedDict[str, int], "OrderedDict[str, int]"),
        (collections.Counter[str], "Counter[str]"),
        (Mapping[str, int], "Mapping[str, int]"),
        (typing.Sequence[int], "Sequence[int]"),
        (Sequence, "Sequence"),
        (typing.AbstractSet[int], "Set[int]"),
        (dict[Literal["a", "b"], int], "dict[Literal['a', 'b'], int]"),
        (int | None, "int | None"),
        (Optional[int], "int | None"),
        (Union[None, int], "int | None"),
        (Optional[Any], "Any"),
        (list[Point | None], "list[Point | None]"),
        (Annotated[int, "documentation"], "int"),
        (Final[int], "int"),
        ("list[int]", "list[int]"),
        (list["int"], "list[int]"),
        (typing.List["int"], "list[int]"),
    ],
)
def test_types(annotation: object, name: str) -> None:
    assert shown(field_of(annotation)) == [f"x: {name}"]


@pytest.mark.parametrize(
    ("annotation", "reason"),
    [
        (Iterator[int], "Iterator is abstract, so no object of it can be made"),
        (collections.ChainMap, "collections.ChainMap is not supported yet"),
        (
            array.array,
            "array does not say the type of its numbers: add typecode(...) beside it",
        ),
        (type, "type is not supported yet"),
        (type[int], "type is not supported yet"),
        (enum.Enum, "Enum has no members"),
        (3, "3 is not a type"),
        (Literal[b"x"], "Literal[b'x'] is not supported yet"),
        (
            Shape,
            "Shape.POINT is (0, 0); a document has no such value, or the values are of several types",
        ),
        (set[list[int]], "list[int] has no hash, so it cannot be an element of a set"),
        (set[Point], "Point has no hash, so it cannot be an element of a set"),
        (frozenset[dict], "dict has no hash, so it cannot be an element of a frozenset"),
        (set[tuple[set[int]]], "tuple[set[int]] has no hash, so it cannot be an element of a set"),
        (dict[Point, int], "dict keys cannot be Point: a key is text"),
        (dict[tuple[int, ...], int], "dict keys cannot be tuple[int, ...]: a key is text"),
        (dict[str | None, int], "dict keys cannot be str | None: a key is text"),
        (dict[bytearray, int], "bytearray has no hash, so it cannot be a key"),
        (set[collections.deque], "deque has no hash, so it cannot be an element of a set"),
        (
            list[Annotated[int, penstock.at("a")]],
            "at(...) is only allowed around the whole annotation of a field",
        ),
    ],
)
def test_refused_types(annotation: object, reason: str) -> None:
    message = refused(field_of(annotation))
    assert message.replace(f"{__name__}.", "test_plan.") == f"field 'x' of City: {reason}"


def test_a_refused_type_that_stands_alone() -> None:
    assert refused(collections.ChainMap) == "collections.ChainMap is not supported yet"


def test_recursive_classes() -> None:
    assert repr(Plan(Node)).splitlines() == [
        "Plan(Node)",
        "Node, fast: attributes",
        "    value: int",
        "    children: list[Node] = list()",
        "    parent: Node | None = None",
    ]


Tree = dict[str, "Tree"]
Endless = "Endless"


def test_recursive_aliases() -> None:
    @dataclass
    class City:
        x: Tree

    assert shown(City) == ["x: dict[str, ...]"]


def test_an_alias_of_nothing_but_itself() -> None:
    @dataclass
    class City:
        x: Endless

    reason = "the annotation is nested too deep, or refers only to itself"
    assert refused(City) == f"field 'x' of City: {reason}"


def test_constraints_are_refused_and_other_metadata_is_not() -> None:
    class Gt:
        def __init__(self, gt: int) -> None:
            self.gt = gt

        def __repr__(self) -> str:
            return f"Gt(gt={self.gt})"

    assert shown(field_of(Annotated[int, Gt(3)])) == ["x: int"]
    Gt.__module__ = "annotated_types"
    assert refused(field_of(Annotated[int, Gt(3)])) == (
        "field 'x' of City: Gt(gt=3) is not known, so it cannot be checked"
    )


# Names in string annotations.


def test_local_names_need_a_namespace() -> None:
    @dataclass
    class Inner:
        x: int

    @dataclass
    class City:
        inner: list[Inner]

    message = "cannot resolve the annotation 'list[Inner]'; pass Plan(City, namespace=...)"
    assert refused(City) == f"field 'inner' of City: {message}"
    assert "inner: list[Inner]" in repr(Plan(City, namespace={"Inner": Inner}))
    assert "inner: list[Inner]" in repr(Plan(City, namespace=locals()))
    # The names passed once are not kept.
    assert refused(City) == f"field 'inner' of City: {message}"


def test_a_single_local_name() -> None:
    class Unknown: ...

    @dataclass
    class City:
        x: Unknown

    message = "cannot resolve the annotation 'Unknown'; pass Plan(City, namespace=...)"
    assert refused(City) == f"field 'x' of City: {message}"
    assert shown(City, Unknown=int) == ["x: int"]


@pytest.mark.thread_unsafe(reason="modules are the whole process's")
def test_names_mean_what_the_declaring_module_says() -> None:
    module = types.ModuleType("elsewhere")
    sys.modules["elsewhere"] = module
    try:
        exec(
            "from dataclasses import dataclass\n"
            "Point = int\n"
            "@dataclass\n"
            "class Base:\n"
            "    x: 'Point'\n",
            module.__dict__,
        )

        @dataclass
        class City(module.Base):
            y: Point

        assert shown(City) == ["x: int", "y: Point"]
    finally:
        del sys.modules["elsewhere"]


@pytest.mark.thread_unsafe(reason="modules are the whole process's")
def test_one_annotation_object_in_two_modules() -> None:
    module = types.ModuleType("elsewhere")
    sys.modules["elsewhere"] = module
    try:
        exec(
            "import typing\nPoint = int\nclass Other:\n    x: typing.Optional['Point']\n",
            module.__dict__,
        )
        other = module.Other
        fields = [("x", Optional["Point"]), ("other", other)]
        city = dataclasses.make_dataclass("City", fields, namespace={"__module__": __name__})
        city.__module__ = __name__
        assert "    x: Point | None" in repr(Plan(city))
        assert "    x: int | None" in repr(Plan(city))
    finally:
        del sys.modules["elsewhere"]


def test_a_default_does_not_hide_the_type_of_the_same_name() -> None:
    @dataclass
    class City:
        Point: Point | None = None

    assert shown(City)[0] == "Point: Point | None = None"


def test_an_annotation_that_raises() -> None:
    @dataclass
    class City:
        x: Point.nothing

    assert refused(City).startswith("field 'x' of City: the annotation 'Point.nothing' raises ")


# Paths.


def test_paths() -> None:
    @dataclass
    class City:
        name: str
        lat: Annotated[float, penstock.at("pos/lat")]
        lon: Annotated[float, penstock.at("pos/1")]
        tags: Annotated[list[str], penstock.at("tags/*/name")]
        code: Annotated[str, penstock.at("key()")]
        renamed: Annotated[int, penstock.at("@id")] = 3

    assert shown(City) == [
        "name: str",
        "lat: float at 'pos/lat'",
        "lon: float at 'pos/1'",
        "tags: list[str] at 'tags/*/name'",
        "code: str at 'key()'",
        "renamed: int at '@id' = 3",
    ]


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("a//b", "field 'x' of City: at('a//b'): '//' is only allowed at the beginning (column 3)"),
        ("y", "fields 'x' and 'y' of City claim the same value: 'y' and 'y'"),
        ("y/a", "fields 'x' and 'y' of City claim the same value: 'y/a' and 'y'"),
    ],
)
def test_paths_that_are_refused(path: str, reason: str) -> None:
    fields = [("x", Annotated[int, penstock.at(path)]), ("y", int)]
    assert refused(dataclasses.make_dataclass("City", fields)) == reason
