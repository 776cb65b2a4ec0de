"""Generic classes and aliases, `NewType`, `Self`: the values of type variables and names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import (
    Annotated,
    Any,
    Generic,
    LiteralString,
    NamedTuple,
    NewType,
    Optional,
    Self,
    TypedDict,
    TypeVar,
)

import pytest
import typing_extensions

import penstock
from penstock import Plan, PlanError, ValidationError, json, xml

T = TypeVar("T")
U = TypeVar("U")
Bounded = TypeVar("Bounded", bound=int)
Constrained = TypeVar("Constrained", int, str)
Defaulted = typing_extensions.TypeVar("Defaulted", default=str)

UserId = NewType("UserId", int)
AdminId = NewType("AdminId", UserId)

Json = typing_extensions.TypeAliasType("Json", "dict[str, Json] | list[Json] | int | str | None")
Pair = typing_extensions.TypeAliasType("Pair", tuple[T, U], type_params=(T, U))
Bare = typing_extensions.TypeAliasType("Bare", T, type_params=(T,))


@dataclass
class Box(Generic[T]):
    item: T
    more: list[T]


@dataclass
class IntBox(Box[int]):
    name: str


@dataclass
class Both(Generic[T, U]):
    one: T
    two: U


@dataclass
class Low(Both[list[T], int], Generic[T]):
    three: T


@dataclass
class Lower(Low["str"]):
    pass


@dataclass
class Node(Generic[T]):
    value: T
    children: list[Node[T]]


@dataclass
class Endless(Generic[T]):
    more: Endless[list[T]] | None = None


@dataclass
class OfBounded(Generic[Bounded]):
    x: Bounded


@dataclass
class OfConstrained(Generic[Constrained]):
    x: Constrained


@dataclass
class OfDefaulted(Generic[Defaulted]):
    x: Defaulted


class Row(NamedTuple, Generic[T]):
    a: T
    b: list[T]


class Keys(TypedDict, Generic[T]):
    a: T


class MoreKeys(Keys[str], total=False):
    b: int


class Plain(Generic[T]):
    a: T

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Plain) and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]


@dataclass
class Tree:
    children: list[Self]
    parent: Optional[Self] = None


@dataclass
class NamedTree(Tree):
    name: str = ""


def refused(into: Any) -> str:
    with pytest.raises(PlanError) as caught:
        Plan(into)
    return str(caught.value)


FITS: list[tuple[Any, str, Any]] = [
    (Box[int], '{"item": 1, "more": [2]}', Box(1, [2])),
    (Box[str], '{"item": "a", "more": []}', Box("a", [])),
    (Box[list[int]], '{"item": [1], "more": [[2]]}', Box([1], [[2]])),
    (Box, '{"item": 1, "more": ["a"]}', Box[Any](1, ["a"])),
    (Box[Box[int]], '{"item": {"item": 1, "more": []}, "more": []}', Box(Box(1, []), [])),
    (IntBox, '{"item": 1, "more": [2], "name": "a"}', IntBox(1, [2], "a")),
    (Low[int], '{"one": [1], "two": 2, "three": 3}', Low([1], 2, 3)),
    (Lower, '{"one": ["a"], "two": 2, "three": "c"}', Lower(["a"], 2, "c")),
    (Node[int], '{"value": 1, "children": [{"value": 2, "children": []}]}', Node(1, [Node(2, [])])),
    (OfBounded, '{"x": 1}', OfBounded(1)),
    (OfConstrained, '{"x": "a"}', OfConstrained("a")),
    (OfConstrained, '{"x": 1}', OfConstrained(1)),
    (OfDefaulted, '{"x": "a"}', OfDefaulted("a")),
    (OfDefaulted[int], '{"x": 1}', OfDefaulted(1)),
    (Row[int], '{"a": 1, "b": [2]}', Row(1, [2])),
    (Row[int], "[1, [2]]", Row(1, [2])),
    (Keys[int], '{"a": 1}', {"a": 1}),
    (MoreKeys, '{"a": "x", "b": 2}', {"a": "x", "b": 2}),
    (UserId, "7", 7),
    (list[AdminId], "[7]", [7]),
    (LiteralString, '"a"', "a"),
    (Tree, '{"children": [{"children": []}]}', Tree([Tree([])])),
    (
        NamedTree,
        '{"children": [{"children": [], "name": "b"}]}',
        NamedTree([NamedTree([], name="b")]),
    ),
    (Json, '{"a": [1, {"b": null}]}', {"a": [1, {"b": None}]}),
    (Pair[int, str], '[1, "a"]', (1, "a")),
    (list[Pair[int, list[str]]], '[[1, ["a"]]]', [(1, ["a"])]),
    (Pair, '[1, "a"]', (1, "a")),
    (Bare[int], "1", 1),
    (T, '{"any": 1}', {"any": 1}),
    (Annotated[T, "any"], "1", 1),
]


@pytest.mark.parametrize(("into", "text", "value"), FITS)
def test_fits(into: Any, text: str, value: object) -> None:
    got = json.decode(text, into)
    assert got == value
    assert type(got) is type(value)


@pytest.mark.parametrize(
    ("into", "text", "path"),
    [
        (Box[str], '{"item": 1, "more": []}', "item"),
        (Box[int], '{"item": 1, "more": ["a"]}', "more/0"),
        (IntBox, '{"item": "a", "more": [], "name": ""}', "item"),
        (Low[int], '{"one": ["a"], "two": 2, "three": 3}', "one/0"),
        (Lower, '{"one": [1], "two": 2, "three": "c"}', "one/0"),
        (Lower, '{"one": [], "two": "a", "three": "c"}', "two"),
        (
            Node[int],
            '{"value": 1, "children": [{"value": "a", "children": []}]}',
            "children/0/value",
        ),
        (OfBounded, '{"x": "a"}', "x"),
        (OfConstrained, '{"x": 1.5}', "x"),
        (OfDefaulted, '{"x": 1}', "x"),
        (Row[int], '["a", []]', "0"),
        (Keys[int], '{"a": "x"}', "a"),
        (MoreKeys, '{"a": 1}', "a"),
        (list[AdminId], '["a"]', "0"),
        (Json, '{"a": [1, {"b": 1.5}]}', "a/1/b"),
        (Pair[int, str], "[1, 2]", "1"),
    ],
)
def test_does_not_fit(into: Any, text: str, path: str) -> None:
    with pytest.raises(ValidationError) as caught:
        json.decode(text, into)
    assert caught.value.path == path


def test_from_xml() -> None:
    text = "<box><item>1</item><more>2</more><more>3</more></box>"
    assert xml.decode(text, Box[int]) == Box(1, [2, 3])
    assert xml.decode(text, Box[str]) == Box("1", ["2", "3"])
    tree = "<t><children><name>a</name></children></t>"
    assert xml.decode(tree, NamedTree) == NamedTree([NamedTree([], name="a")])


def test_classes_with_other_arguments_have_plans_of_their_own() -> None:
    both = tuple[Box[int], Box[str]]
    text = '[{"item": 1, "more": []}, {"item": "a", "more": []}]'
    assert json.decode(text, both) == (Box(1, []), Box("a", []))
    assert repr(Plan(both)).splitlines()[1::3] == [
        "Box[int], fast: attributes",
        "Box[str], fast: attributes",
    ]


def test_a_plain_generic_class() -> None:
    plain = Plain[list[int]]
    made = json.decode('{"a": [1]}', plain)
    assert (type(made), vars(made)) == (Plain, {"a": [1]})


def test_a_class_without_end() -> None:
    assert refused(Endless[int]).endswith(
        "Endless is written with ever other arguments, without end"
    )


def test_self_outside_of_a_class() -> None:
    alone: Any = Self
    assert refused(list[alone]) == "Self is only allowed in a class"


def test_names_that_only_a_function_knows() -> None:
    @dataclass
    class Inner(Generic[T]):
        x: T

    @dataclass
    class Outer:
        inner: Inner[Number]  # type: ignore[name-defined] # noqa: F821

    text = '{"inner": {"x": 1}}'
    with pytest.raises(PlanError, match="pass Plan"):
        json.decode(text, Outer)
    plan = Plan(Outer, namespace={"Inner": Inner, "Number": int})
    assert json.decode(text, plan) == Outer(Inner(1))


def test_a_plan_of_a_plan_keeps_what_was_asked_for() -> None:
    @dataclass
    class City:
        zip_code: int

    plan = Plan(Plan(City, rename="camel"), types={int: str})
    assert json.decode('{"zipCode": 7}', plan) == City("7")  # type: ignore[arg-type]
    with pytest.raises(PlanError, match=r"differ in rename="):
        Plan(Plan(City, rename="camel"), rename="kebab")
    assert penstock.json.decode('{"zip_code": 7}', City) == City(7)


def test_options_of_other_types() -> None:
    wrong: Any = 3
    with pytest.raises(TypeError, match="strict must be a bool, not int"):
        Plan(int, strict=wrong)
    with pytest.raises(TypeError, match=r"tag must be a str or a tag\(...\), not int"):
        Plan(int, tag=wrong)
    with pytest.raises(TypeError, match="rename must be a str, a mapping or a function, not int"):
        Plan(int, rename=wrong)
    wrong = "screaming"
    with pytest.raises(ValueError, match=r"rename must be 'camel', .*, not 'screaming'"):
        Plan(int, rename=wrong)


def test_a_function_that_takes_what_it_makes() -> None:
    def absolute(value: int) -> int:
        return abs(value)

    assert json.decode("[-1, 2]", list[int], types={int: absolute}) == [1, 2]
