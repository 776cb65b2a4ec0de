"""The schemas of unions: by the kind of the value, by a tag, by keys."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any, Literal

import msgspec

from penstock import Plan, json_schema, tag


@dataclass
class Circle:
    kind: Literal["circle"]
    radius: float


@dataclass
class Square:
    kind: Literal["square", "quadrat"]
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


class Cat(msgspec.Struct, tag=True):
    lives: int


class Dog(msgspec.Struct, tag=1):
    name: str


class Strict(msgspec.Struct, forbid_unknown_fields=True):
    a: int


class Loose(msgspec.Struct):
    b: int


CREATED, DELETED = {"$ref": "#/$defs/Created"}, {"$ref": "#/$defs/Deleted"}
MAPPING = {"new": "#/$defs/Created", "gone": "#/$defs/Deleted"}
Event = Annotated[Created | Deleted, tag("event", {"new": Created, "gone": Deleted})]
OF_EVENT = {
    "anyOf": [CREATED, DELETED],
    "properties": {"event": {"type": "string", "enum": ["new", "gone"]}},
    "allOf": [
        {"if": {"properties": {"event": {"type": "string", "const": "new"}}}, "then": CREATED},
        {"if": {"properties": {"event": {"type": "string", "const": "gone"}}}, "then": DELETED},
    ],
    "required": ["event"],
    "discriminator": {"propertyName": "event", "mapping": MAPPING},
}


def read(cls: Any) -> dict[str, Any]:
    schema = json_schema(list[cls])["items"]
    assert isinstance(schema, dict)
    return schema


def test_the_kind_of_the_value_decides() -> None:
    assert read(int | float | Literal["auto"] | list[int] | None) == {
        "anyOf": [
            {"type": "integer"},
            {"type": "number"},
            {"type": "array", "items": {"type": "integer"}},
            {"type": "string", "const": "auto"},
            {"type": "null"},
        ]
    }
    number = {"type": "number"}
    assert json_schema(Decimal | bool, mode="encode")["anyOf"] == [{"type": "boolean"}, number]


def test_a_field_with_different_values() -> None:
    assert read(Circle | Square) == {
        "oneOf": [{"$ref": "#/$defs/Circle"}, {"$ref": "#/$defs/Square"}],
        "required": ["kind"],
        "discriminator": {
            "propertyName": "kind",
            "mapping": {
                "circle": "#/$defs/Circle",
                "square": "#/$defs/Square",
                "quadrat": "#/$defs/Square",
            },
        },
    }


def test_the_tags_of_structs() -> None:
    assert read(Cat | Dog) == {
        "oneOf": [{"$ref": "#/$defs/Cat"}, {"$ref": "#/$defs/Dog"}],
        "required": ["type"],
        "discriminator": {
            "propertyName": "type",
            "mapping": {"Cat": "#/$defs/Cat", "1": "#/$defs/Dog"},
        },
    }
    # Alone, it may lack its tag.
    assert json_schema(Cat)["required"] == ["lives"]


def test_a_tag_that_the_classes_do_not_have() -> None:
    assert read(Event) == OF_EVENT
    assert json_schema(list[Event], mode="encode")["items"] == OF_EVENT
    schema = json_schema(Plan(Created | Deleted, tag="type"))
    assert schema["discriminator"]["mapping"].keys() == {"Created", "Deleted"}


def test_objects_of_no_class() -> None:
    known = {"properties": OF_EVENT["properties"], "required": ["event"]}
    other = {"type": "object", "not": known}
    assert read(Event | dict) == {"anyOf": [OF_EVENT, other]}  # type: ignore[operator]
    rest = Annotated[Created | Unheard, tag("event", {"new": Created}, other=Unheard)]
    value = {"type": "string", "const": "new"}
    assert read(rest)["anyOf"][1] == {
        "type": "object",
        "allOf": [{"$ref": "#/$defs/Unheard"}],
        "not": {"properties": {"event": value}, "required": ["event"]},
    }


def test_a_tag_beside_a_class_that_refuses_other_keys() -> None:
    union = Annotated[Strict | Loose, tag("of", {"s": Strict, "l": Loose})]
    schema = read(union)
    assert schema["anyOf"] == [
        {
            "title": "Strict",
            "type": "object",
            "properties": {"a": {"type": "integer"}, "of": {}},
            "additionalProperties": False,
            "required": ["a"],
        },
        {"$ref": "#/$defs/Loose"},
    ]
    # OpenAPI takes references only.
    assert "discriminator" not in schema


def test_the_keys_decide() -> None:
    assert read(Circle | Created) == {
        "anyOf": [{"$ref": "#/$defs/Circle"}, {"$ref": "#/$defs/Created"}]
    }
    keys = [{"required": [name]} for name in ("kind", "radius", "id")]
    assert read(Circle | Created | dict[str, int])["anyOf"][2] == {
        "type": "object",
        "additionalProperties": {"type": "integer"},
        "not": {"anyOf": keys},
    }


def test_arrays_with_a_tag() -> None:
    class One(msgspec.Struct, array_like=True, tag="one"):
        x: int

    class Two(msgspec.Struct, array_like=True, tag="two"):
        y: str

    assert read(One | Two) == {"anyOf": [{"$ref": "#/$defs/One"}, {"$ref": "#/$defs/Two"}]}
