"""The schemas of classes: keys, paths, what must be there, parts, other keys, arrays."""

from dataclasses import dataclass, field
from typing import Annotated, Any, NamedTuple, NotRequired, Required, TypedDict

import attrs
import msgspec
import pydantic
import pytest
from pydantic.dataclasses import dataclass as pydantic_dataclass

import penstock
from penstock import UNSET, Plan, UnsetType, at, json_schema, rest

INTEGER = {"type": "integer"}
TEXT = {"type": "string"}
FIELDS = {"number": INTEGER, "text": {"type": "string", "default": "t"}}


def read(cls: Any) -> dict[str, Any]:
    schema = json_schema(cls)
    del schema["$schema"]
    return schema


def written(cls: Any) -> dict[str, Any]:
    schema = json_schema(cls, mode="encode")
    del schema["$schema"]
    return schema


@dataclass(slots=True)
class Data:
    number: int
    text: str = "t"


@attrs.define
class Attrs:
    number: int
    text: str = "t"


class Struct(msgspec.Struct):
    number: int
    text: str = "t"


class Model(pydantic.BaseModel):
    number: int
    text: str = "t"


@pydantic_dataclass
class Validated:
    number: int
    text: str = "t"


class Called:
    def __init__(self, number: int, text: str = "t") -> None:
        self.number, self.text = number, text


class Annotations:
    number: int
    text: str = "t"


@pytest.mark.parametrize("cls", [Data, Attrs, Struct, Model, Validated])
def test_each_kind_of_class(cls: type) -> None:
    head = {"title": cls.__name__, "type": "object", "properties": FIELDS}
    assert read(cls) == {**head, "required": ["number"]}
    assert written(cls) == {**head, "required": ["number", "text"]}


@pytest.mark.parametrize("cls", [Called, Annotations])
def test_classes_that_keep_their_defaults_to_themselves(cls: type) -> None:
    properties = {"number": INTEGER, "text": TEXT}
    head = {"title": cls.__name__, "type": "object", "properties": properties}
    assert read(cls) == {**head, "required": ["number"]}
    assert written(cls) == {**head, "required": ["number", "text"]}


def test_a_typed_dict() -> None:
    class Keys(TypedDict, total=False):
        a: Required[int]
        b: str

    class More(Keys):
        c: NotRequired[int]

    schema = {
        "title": "More",
        "type": "object",
        "properties": {"a": INTEGER, "b": TEXT, "c": INTEGER},
        "required": ["a"],
    }
    assert read(More) == schema
    assert written(More) == schema


def test_a_named_tuple_is_an_array_or_an_object() -> None:
    class Row(NamedTuple):
        x: int
        y: str = "q"

    items = [INTEGER, {"type": "string", "default": "q"}]
    row = {"type": "array", "prefixItems": items, "minItems": 1, "maxItems": 2}
    keys = {
        "type": "object",
        "properties": {"x": INTEGER, "y": {"type": "string", "default": "q"}},
        "required": ["x"],
    }
    assert read(Row) == {"title": "Row", "anyOf": [keys, row]}
    assert written(Row) == {"title": "Row", **row, "minItems": 2}
    # Beside an array that another member takes, it is an object.
    union = read(Row | list[int])
    assert union == {"anyOf": [{"type": "array", "items": INTEGER}, {"title": "Row", **keys}]}


def test_options_of_structs() -> None:
    class Circle(msgspec.Struct, rename="camel", tag="o", forbid_unknown_fields=True):
        the_radius: int

    class Line(msgspec.Struct, array_like=True):
        x: int
        y: int = 0

    class Closed(msgspec.Struct, array_like=True, tag="c", forbid_unknown_fields=True):
        x: int

    tag = {"type": "string", "const": "o"}
    circle = {
        "title": "Circle",
        "type": "object",
        "properties": {"type": tag, "theRadius": INTEGER},
        "additionalProperties": False,
    }
    assert read(Circle) == {**circle, "required": ["theRadius"]}
    assert written(Circle) == {**circle, "required": ["type", "theRadius"]}
    items = [INTEGER, {"type": "integer", "default": 0}]
    line = {"title": "Line", "type": "array", "prefixItems": items, "minItems": 1}
    assert read(Line) == line
    assert written(Line) == {**line, "minItems": 2, "maxItems": 2}
    first = {"type": "string", "const": "c"}
    closed = {"type": "array", "prefixItems": [first, INTEGER], "minItems": 2, "maxItems": 2}
    assert read(Closed) == {"title": "Closed", **closed}


def test_options_of_models() -> None:
    class Order(pydantic.BaseModel):
        model_config = pydantic.ConfigDict(extra="forbid", title="An order")
        amount: int = pydantic.Field(alias="Amount", gt=0)
        name: str = pydantic.Field(validation_alias=pydantic.AliasChoices("n", "name"))
        hidden: int = pydantic.Field(default=1, exclude=True)

    amount = {"type": "integer", "exclusiveMinimum": 0}
    assert read(Order) == {
        "title": "An order",
        "type": "object",
        "properties": {
            "Amount": amount,
            "n": TEXT,
            "name": TEXT,
            "hidden": {"type": "integer", "default": 1},
        },
        "additionalProperties": False,
        "required": ["Amount"],
        "anyOf": [{"required": ["n"]}, {"required": ["name"]}],
    }
    assert written(Order)["properties"] == {"Amount": amount, "n": TEXT}

    class Free(pydantic.BaseModel):
        model_config = pydantic.ConfigDict(extra="allow")
        a: int

    assert "additionalProperties" not in read(Free)


def test_paths() -> None:
    @dataclass
    class Station:
        id: Annotated[str, at("station-id")]
        latitude: Annotated[float, at("geo/position/0")]
        zip: Annotated[int, at("address/zip")] = 0
        sensors: Annotated[list[str], at("devices/*/name")] = field(default_factory=list)

    schema = read(Station)
    number = {"type": "number"}
    assert schema["required"] == ["station-id", "geo"]
    assert schema["properties"]["geo"] == {
        "type": "object",
        "required": ["position"],
        "properties": {
            "position": {
                "type": ["object", "array"],
                "required": ["0"],
                "minItems": 1,
                "properties": {"0": number},
                "prefixItems": [number],
            }
        },
    }
    # What leads to nothing that is required may be anything but an array, which has no keys.
    assert schema["properties"]["address"] == {
        "properties": {"zip": {"type": "integer", "default": 0}},
        "not": {"type": "array"},
    }
    assert schema["properties"]["devices"].keys() == {"additionalProperties", "items"}
    assert schema["properties"]["devices"]["items"]["properties"]["name"] == {
        "anyOf": [TEXT, {"type": "array", "items": {"anyOf": [TEXT, {"type": "array"}]}}]
    }


def test_paths_that_are_written() -> None:
    @dataclass
    class Station:
        zip: Annotated[int, at("address/zip")]
        sizes: Annotated[list[int], at("cut/sizes/*")]

    assert written(Station) == {
        "title": "Station",
        "type": "object",
        "properties": {
            "address": {"type": "object", "properties": {"zip": INTEGER}, "required": ["zip"]},
            "cut": {
                "type": "object",
                "properties": {"sizes": {"type": "array", "items": INTEGER}},
                "required": ["sizes"],
            },
        },
        "required": ["address", "cut"],
    }


def test_several_paths_of_one_field() -> None:
    @dataclass
    class User:
        name: Annotated[str, at("name", "user/name")]
        id: Annotated[int, at("@id", "identifier")] = 0

    schema = read(User)
    assert schema["anyOf"] == [
        {"required": ["name"]},
        {"required": ["user"], "properties": {"user": {"type": "object", "required": ["name"]}}},
    ]
    assert "required" not in schema


def test_a_path_of_any_depth_is_left_open() -> None:
    @dataclass
    class Found:
        names: Annotated[list[str], at("//name")]

    schema = read(Found)
    assert schema["properties"]["name"]["anyOf"][0] == TEXT
    assert "required" not in schema


def test_one_of_several_types_by_its_path() -> None:
    @dataclass
    class A:
        a: int

    @dataclass
    class B:
        b: int

    @dataclass
    class Either:
        it: Annotated[A | B, at({"one": A, "two": B})]

    schema = read(Either)
    assert schema["properties"] == {
        "one": {"$ref": "#/$defs/A"},
        "two": {"$ref": "#/$defs/B"},
    }
    assert schema["anyOf"] == [{"required": ["one"]}, {"required": ["two"]}]


@dataclass
class Author:
    name: str
    born: int | None = None


def test_members_of_another_class() -> None:
    @dataclass
    class Novel:
        title: str
        author: Annotated[Author, at(".")]

    @dataclass
    class Tale:
        title: str
        author: Annotated[Author | None, at(".")] = None

    born = {"anyOf": [INTEGER, {"type": "null"}], "default": None}
    properties = {"title": TEXT, "name": TEXT, "born": born}
    novel = {"title": "Novel", "type": "object", "properties": properties}
    tale = {"title": "Tale", "type": "object", "properties": properties}
    assert read(Novel) == {**novel, "required": ["title", "name"]}
    together = {"dependentRequired": {"born": ["name"]}}
    assert read(Tale) == {**tale, "required": ["title"], **together}
    assert written(Novel) == {**novel, "required": ["title", "name", "born"]}
    assert written(Tale) == {**tale, "required": ["title"]}


def test_all_other_keys() -> None:
    @dataclass
    class Contact:
        name: str
        more: Annotated[dict[str, Any], rest] = field(default_factory=dict)

    head = {"title": "Contact", "type": "object", "properties": {"name": TEXT}}
    assert read(Contact) == {**head, "required": ["name"]}
    assert written(Contact) == {**head, "required": ["name"]}


def test_a_dict_by_a_field_of_its_items() -> None:
    @dataclass
    class Item:
        id: str

    @dataclass
    class Shop:
        items: Annotated[dict[str, Item], at("items/*", key="id")]

    schema = read(Shop)
    item = {"$ref": "#/$defs/Item"}
    assert schema["properties"]["items"] == {"additionalProperties": item, "items": item}
    assert "required" not in schema


def test_what_is_unset_may_be_absent() -> None:
    @dataclass
    class Change:
        name: str | UnsetType = UNSET
        size: int = 3

    head = {
        "title": "Change",
        "type": "object",
        "properties": {"name": TEXT, "size": {"type": "integer", "default": 3}},
    }
    assert read(Change) == head
    assert written(Change) == {**head, "required": ["size"]}


def test_the_options_of_a_plan() -> None:
    renamed = read(Plan(Data, rename="upper"))
    assert list(renamed["properties"]) == ["NUMBER", "TEXT"]
    assert renamed["required"] == ["NUMBER"]

    class Money:
        def __init__(self, text: str) -> None:
            self.text = text

    @dataclass
    class Bill:
        total: Money

    by_function = Plan(Bill, types={Money: penstock.via(Money, str)})
    assert read(by_function)["properties"] == {"total": TEXT}
    schemas = penstock.json_schemas([Plan(Data, rename="upper"), list[Author]])
    assert list(schemas["Author"]["properties"]) == ["NAME", "BORN"]


def test_fields_that_no_document_has() -> None:
    @dataclass
    class Twice:
        number: int
        twice: int = field(init=False, default=0)

    assert list(read(Twice)["properties"]) == ["number"]
    assert list(written(Twice)["properties"]) == ["number"]


def test_a_converter_says_what_is_read() -> None:
    def joined(words: list[str]) -> str:
        return " ".join(words)

    @attrs.define
    class Account:
        _secret: int
        name: str = attrs.field(converter=joined)

    assert read(Account)["properties"] == {
        "secret": INTEGER,
        "name": {"type": "array", "items": TEXT},
    }


def test_a_validator_that_sees_the_value_first_is_left_open() -> None:
    class Tags(pydantic.BaseModel):
        tags: list[str] = []

        @pydantic.field_validator("tags", mode="before")
        @classmethod
        def split(cls, value: Any) -> Any:
            return value.split() if isinstance(value, str) else value

    assert read(Tags)["properties"] == {"tags": {"default": []}}


def test_a_root_model_is_its_root() -> None:
    class Numbers(pydantic.RootModel[list[int]]):
        pass

    assert read(Numbers) == {"type": "array", "items": INTEGER}
