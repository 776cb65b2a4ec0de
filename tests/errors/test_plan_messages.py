"""The messages for classes that Penstock cannot decode into."""

from __future__ import annotations

import abc
import array
import dataclasses
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, Protocol

import annotated_types
import pytest

import penstock
from penstock import Plan, PlanError, at, tag


@dataclass
class City:
    name: str
    latitude: float


@dataclass
class Circle:
    radius: float


@dataclass
class Square:
    side: float


class Named(Protocol):
    name: str


class Shape(abc.ABC):
    name: str

    @abc.abstractmethod
    def area(self) -> float: ...


def of(annotation: Any) -> Any:
    """A class with one field."""
    return dataclasses.make_dataclass("Row", [("value", annotation)])


TYPES: list[tuple[Any, str]] = [
    (
        of("Nope"),
        "field 'value' of Row: cannot resolve the annotation 'Nope'; pass Plan(Row, namespace=...)",
    ),
    (of(slice), "field 'value' of Row: slice is not supported yet"),
    (
        of(Annotated[int, at("x//")]),
        "field 'value' of Row: at('x//'): '//' is only allowed at the beginning (column 3)",
    ),
    (
        of(dict[list[int], int]),
        "field 'value' of Row: dict keys cannot be list[int]: a key is text",
    ),
    (
        of(Annotated[dict[str, City], at("x/*", key="nmae")]),
        "field 'value' of Row: at(key='nmae'): City has no such field; did you mean 'name'?",
    ),
    (Named, "Named is a protocol, so no object of it can be made"),
    (Shape, "Shape is abstract, so no object of it can be made"),
    (str | bytes, "str | bytes: nothing tells them apart in a string"),
    (list[int] | set[int], "list[int] | set[int]: nothing tells them apart in an array"),
    (
        dict[str, str] | dict[str, int],
        "dict[str, str] | dict[str, int]: nothing tells them apart in an object",
    ),
    (Annotated[Circle | Square, tag("type", {"o": Circle})], "tag(...) has no value for Square"),
    (set[list[int]], "list[int] has no hash, so it cannot be an element of a set"),
    (Literal[3.5], "Literal[3.5] is not supported yet"),
    (array.array, "array does not say the type of its numbers: add typecode(...) beside it"),
    (
        Annotated[int, annotated_types.Len(2)],
        "Len(min_length=2, max_length=None) says nothing of int",
    ),
    (ClassVar[int], "ClassVar[int] is not supported yet"),
    (3, "3 is not a type"),
]


@pytest.mark.parametrize(("into", "message"), TYPES, ids=[message for _, message in TYPES])
def test_a_type(into: Any, message: str) -> None:
    with pytest.raises(PlanError) as caught:
        Plan(into)
    assert str(caught.value) == message
    # Every verb raises the same error before it reads a byte.
    with pytest.raises(PlanError) as again:
        penstock.json.decode("x", into)
    assert str(again.value) == message


def test_two_fields_for_one_value() -> None:
    @dataclass
    class Twice:
        a: Annotated[int, at("x")]
        b: Annotated[int, at("x")]

    with pytest.raises(PlanError) as caught:
        Plan(Twice)
    assert str(caught.value) == "fields 'a' and 'b' of Twice claim the same value: 'x' and 'x'"


@dataclass
class Home:
    city: City
    street: str


@pytest.mark.parametrize(
    ("into", "rename", "message"),
    [
        (
            City,
            {"nmae": "n"},
            "rename names 'nmae', and City has no such field; did you mean 'name'?",
        ),
        (City, {"zip": "n"}, "rename names 'zip', and City has no such field"),
        (
            City,
            {City: {"Name": "n"}},
            "rename names 'Name', and City has no such field; did you mean 'name'?",
        ),
        (
            Home,
            {"name": "n", "stret": "s"},
            "rename names 'stret', and no class has such a field; did you mean 'street'?",
        ),
        (Home, {City: {"street": "s"}}, "rename names 'street', and City has no such field"),
        (City, {3: "n"}, "rename names 3, and City has no such field"),
    ],
)
def test_a_field_to_rename_that_there_is_not(into: Any, rename: Any, message: str) -> None:
    with pytest.raises(PlanError) as caught:
        Plan(into, rename=rename)
    assert str(caught.value) == message


def test_fields_to_rename_that_there_are() -> None:
    document = '{"c": {"n": "Bern", "latitude": 1}, "street": "x"}'
    expected = Home(City("Bern", 1.0), "x")
    assert penstock.decode(document, Plan(Home, rename={"name": "n", "city": "c"})) == expected
    # A renaming may name a class that does not occur; a class without one of its own uses the
    # others.
    by_class = {City: {"name": "n"}, Circle: {"x": "y"}, "city": "c"}
    assert penstock.decode(document, Plan(Home, rename=by_class)) == expected
