"""A field whose keys lead to a type each: `at({...})`, from JSON."""

from dataclasses import dataclass, field
from typing import Annotated

import pytest

from penstock import Plan, PlanError, ValidationError, at, json


@dataclass
class Circle:
    radius: int


@dataclass
class Rect:
    width: int


@dataclass
class Shape:
    id: int
    form: Annotated[Circle | Rect | None, at({"circle": Circle, "geo/rect": Rect})]


@dataclass
class Drawing:
    shapes: Annotated[list[Circle | Rect], at({"circle": Circle, "rects/*": Rect})] = field(
        default_factory=list
    )


@dataclass
class Value:
    it: Annotated[int | str | list[int], at({"int": int, "str": str, "list": list[int]})]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"id": 1, "circle": {"radius": 2}}', Shape(1, Circle(2))),
        ('{"geo": {"rect": {"width": 2}}, "id": 1}', Shape(1, Rect(2))),
        ('{"id": 1, "circle": null}', Shape(1, None)),
    ],
)
def test_one_of_several(text: str, value: Shape) -> None:
    assert json.decode(text, Shape) == value


def test_all_in_the_order_of_the_document() -> None:
    text = '{"rects": [{"width": 1}, {"width": 2}], "circle": [{"radius": 3}, {"radius": 4}]}'
    assert json.decode(text, Drawing) == Drawing([Rect(1), Rect(2), Circle(3), Circle(4)])
    assert json.decode('{"circle": {"radius": 3}}', Drawing) == Drawing([Circle(3)])
    assert json.decode("{}", Drawing) == Drawing()


def test_values_without_a_class() -> None:
    texts = ['{"int": 1}', '{"str": "a"}', '{"list": [1]}']
    assert [json.decode(text, Value).it for text in texts] == [1, "a", [1]]


@pytest.mark.parametrize(
    ("text", "path", "reason"),
    [
        ('{"int": "a"}', "int", "expected int, got a string"),
        ('{"list": ["a"]}', "list/0", "expected int, got a string"),
        ("{}", None, 'Value lacks the required key "int" or "str" or "list"'),
        (
            '{"int": 1, "str": "a"}',
            "str",
            '"int or str or list" is matched more than once by one record',
        ),
    ],
)
def test_what_does_not_fit(text: str, path: str | None, reason: str) -> None:
    with pytest.raises(ValidationError) as caught:
        json.decode(text, Value)
    assert (caught.value.reason, caught.value.path) == (reason, path)


def test_two_fields_with_one_key() -> None:
    @dataclass
    class Clash:
        a: int
        b: Annotated[int | str, at({"c": int, "a": str})]

    message = "fields 'a' and 'b' of Clash claim the same value: 'a' and 'c or a'"
    with pytest.raises(PlanError) as caught:
        Plan(Clash)
    assert str(caught.value) == message


def test_a_type_that_the_field_does_not_have() -> None:
    @dataclass
    class Wrong:
        x: Annotated[int, at({"a": int, "b": str})]

    with pytest.raises(PlanError, match="leads to str, which is not one of int"):
        Plan(Wrong)


def test_shown() -> None:
    assert "form: Circle | Rect | None at 'circle or geo/rect'" in repr(Plan(Shape))
