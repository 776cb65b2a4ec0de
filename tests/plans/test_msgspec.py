"""Structs of msgspec: the options for encoding them also describe the document."""

from __future__ import annotations

import gc
import json
import weakref
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


class Finished(msgspec.Struct):
    number: int
    total: int = 0

    def __post_init__(self) -> None:
        self.total = self.number + 1


class Counting(type(msgspec.Struct)):  # type: ignore[misc] # a metaclass
    """A metaclass that changes how its classes are called."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        made = super().__call__(*args, **kwargs)
        CALLED.append(made)
        return made


CALLED: list[object] = []


class Counted(msgspec.Struct, metaclass=Counting):
    number: int


class Whatever(msgspec.Struct, weakref=True, dict=True, cache_hash=True, frozen=True):
    value: Any


class Untracked(msgspec.Struct, gc=False):
    value: Any


def refused(document: str, cls: Any) -> str:
    with pytest.raises(penstock.ValidationError) as caught:
        penstock.json.decode(document, cls)
    return caught.value.reason


def test_fields() -> None:
    assert repr(Plan(Renamed)).splitlines()[1:] == [
        "Renamed, fast: slots by offset",
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
    assert refused('{"number": 1}', Row) == "expected Row, got an object"
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


@pytest.mark.thread_unsafe(reason="the calls are counted for the whole process")
def test_more_to_it_than_slots() -> None:
    assert penstock.json.decode('{"number": 1}', Finished) == Finished(1)
    assert penstock.json.decode('{"number": 1}', Finished).total == 2
    assert "Finished, called: " in repr(Plan(Finished))
    CALLED.clear()
    assert penstock.json.decode('[{"number": 1}]', list[Counted]) == CALLED
    assert len(CALLED) == 1


@pytest.mark.parametrize("cls", [Whatever, Untracked, Box[Any]])
@pytest.mark.parametrize("document", ["1", '"a"', "null", "[]", "{}", '[{"a": 1}]'])
def test_a_struct_is_as_one_that_was_called(cls: Any, document: str) -> None:
    """Including whether the collector tracks it."""
    value = json.loads(document)
    made = penstock.json.decode(f'{{"value": {document}, "item": {document}}}', cls)
    called = cls(value) if cls is not Box[Any] else Box(value)
    assert made == called
    assert type(made) is type(called)
    assert gc.is_tracked(made) == gc.is_tracked(called)
    if cls is Whatever:
        assert made.__dict__ == {}
        assert weakref.ref(made)() is made
        if not isinstance(value, list | dict):
            assert hash(made) == hash(called)


@pytest.mark.thread_unsafe(reason="it looks at all objects of the process")
def test_a_struct_that_has_itself_is_collected() -> None:
    made = penstock.json.decode('{"item": []}', Box[list[Any]])
    made.item.append(made)
    before = len([each for each in gc.get_objects() if type(each) is Box])
    del made
    gc.collect()
    assert len([each for each in gc.get_objects() if type(each) is Box]) == before - 1
    late = penstock.json.decode('{"item": 1}', Box[Any])
    assert not gc.is_tracked(late)
    late.item = [late]
    assert gc.is_tracked(late)
