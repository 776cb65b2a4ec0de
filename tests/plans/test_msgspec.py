"""Structs of msgspec: what they say of how they are encoded is what the document has."""

from __future__ import annotations

from typing import Any, Generic, TypeVar

import msgspec
import pytest

import penstock
from penstock import Plan

Item = TypeVar("Item")


class Base(msgspec.Struct, kw_only=True):
    number: int
    text: str = "t"


class Renamed(Base, rename="camel"):
    long_name: int
    short: int = msgspec.field(name="s", default=0)
    items: list[int] = []
    unset: int | msgspec.UnsetType = msgspec.UNSET


class Circle(msgspec.Struct, tag="circle"):
    radius: float


class Square(msgspec.Struct, tag="square", tag_field="type", frozen=True):
    side: float


class Numbered(msgspec.Struct, tag=3, tag_field="kind", forbid_unknown_fields=True):
    side: float


class Row(msgspec.Struct, array_like=True):
    number: int
    text: str = "t"


class TaggedRow(Row, tag="row", forbid_unknown_fields=True):
    pass


class Box(msgspec.Struct, Generic[Item]):
    item: Item


def refused(document: str, cls: Any) -> str:
    with pytest.raises(penstock.ValidationError) as caught:
        penstock.json.decode(document, cls)
    return caught.value.reason


def test_fields() -> None:
    assert repr(Plan(Renamed)).splitlines()[1:] == [
        "Renamed, called: Renamed is a msgspec Struct",
        "    long_name: int at 'longName'",
        "    short: int at 's' = 0",
        "    items: list[int] = list()",
        "    unset: int = UNSET",
        "    number: int",
        "    text: str = 't'",
    ]
    made = penstock.json.decode('{"number": 1, "s": 2, "longName": 3, "unset": 4}', Renamed)
    assert made == Renamed(3, 2, [], 4, number=1)
    document = '[{"number": 1, "longName": 3}, {"number": 1, "longName": 3}]'
    one, two = penstock.json.decode(document, list[Renamed])
    assert one.items is not two.items
    assert one.unset is msgspec.UNSET


def test_what_msgspec_writes_is_read() -> None:
    for value in (Renamed(3, 2, [1], number=1), Circle(1.5), Numbered(1.0), Row(1), TaggedRow(1)):
        assert penstock.json.decode(msgspec.json.encode(value), type(value)) == value


def test_a_tag_must_say_the_class() -> None:
    assert penstock.json.decode('{"radius": 1}', Circle) == Circle(1.0)
    expected = "expected Literal['circle'], got \"square\""
    assert refused('{"type": "square", "radius": 1}', Circle) == expected
    assert refused('{"kind": 4, "side": 1}', Numbered).startswith("expected Literal[3], got ")


def test_tags_tell_unions_apart() -> None:
    document = '[{"side": 1, "type": "square"}, {"type": "circle", "radius": 2}]'
    made = penstock.json.decode(document, list[Circle | Square])
    assert made == [Square(1.0), Circle(2.0)]
    xml = '<r><shape type="square" side="1"/><shape radius="2" type="circle"/></r>'
    assert list(penstock.xml.read([xml.encode()], Circle | Square, at="r/shape")) == made


def test_structs_that_refuse_more() -> None:
    assert refused('{"side": 1, "more": 2}', Numbered) == 'Numbered has no field for the key "more"'
    with pytest.raises(penstock.ValidationError, match="Numbered has no field for the"):
        penstock.xml.decode("<r><side>1</side><more/></r>", Numbered)


def test_arrays() -> None:
    assert penstock.json.decode("[1]", Row) == Row(1)
    assert penstock.json.decode('[1, "a", "more"]', Row) == Row(1, "a")
    assert penstock.json.decode('{"number": 1}', Row) == Row(1)
    assert penstock.json.decode('["row", 1, "a"]', TaggedRow) == TaggedRow(1, "a")
    assert refused('["row", 1, "a", 2]', TaggedRow) == "expected an array of 3, got one of 4"
    assert refused('["wor", 1]', TaggedRow).startswith("expected Literal['row']")
    assert refused("[]", Row) == 'Row lacks an item for the field "number"'
    assert penstock.json.decode("[1, [2]]", list[int | Row]) == [1, Row(2)]


def test_generic_structs() -> None:
    assert penstock.json.decode('{"item": [1]}', Box[list[int]]) == Box([1])
    assert refused('{"item": ["x"]}', Box[list[int]]) == "expected int, got a string"


def test_what_runs_when_it_is_made() -> None:
    class Checked(msgspec.Struct):
        x: int

        def __post_init__(self) -> None:
            if self.x < 0:
                raise ValueError("x is negative")

    assert refused('{"x": -1}', Checked) == "ValueError: x is negative"


def test_renaming_by_the_caller_counts() -> None:
    plan = Plan(Renamed, rename={"long_name": "other"})
    made = penstock.json.decode('{"other": 1, "s": 2, "number": 3}', plan)
    assert made == Renamed(1, 2, number=3)
