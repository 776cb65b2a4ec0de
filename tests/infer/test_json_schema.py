"""Classes from a JSON Schema."""

import io
import json
from typing import Any

import pytest

import penstock
from penstock import ValidationError
from tests.infer.modules import executed

ORDER = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "description": "An order.",
    "required": ["id", "items", "pay"],
    "properties": {
        "id": {"type": "string", "format": "uuid"},
        "due": {"type": ["string", "null"], "format": "date", "description": "When it\n is due."},
        "items": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/Item"}},
        "pay": {"oneOf": [{"$ref": "#/$defs/Card"}, {"$ref": "#/$defs/Cash"}]},
        "state": {"enum": ["open", "paid"], "default": "open"},
        "extra": {"type": "object", "additionalProperties": {"type": "integer"}},
        "ship-to": {
            "allOf": [{"$ref": "#/$defs/Place"}, {"properties": {"floor": {"type": "integer"}}}]
        },
    },
    "$defs": {
        "Item": {
            "type": "object",
            "required": ["sku"],
            "properties": {
                "sku": {"type": "string", "pattern": "^[A-Z]+$"},
                "count": {"type": "integer", "minimum": 1, "default": 1},
                "parts": {"type": "array", "items": {"$ref": "#/$defs/Item"}},
            },
        },
        "Card": {
            "type": "object",
            "required": ["type", "number"],
            "properties": {"type": {"const": "card"}, "number": {"type": "string"}},
        },
        "Cash": {"required": ["type"], "properties": {"type": {"const": "cash"}}},
        "Place": {
            "type": "object",
            "required": ["street"],
            "properties": {"street": {"type": "string", "maxLength": 50}},
        },
    },
}


def code(schema: Any, **options: Any) -> str:
    """The code for a schema."""
    return penstock.infer(io.BytesIO(json.dumps(schema).encode()), format="json-schema", **options)


def of_field(schema: Any) -> list[str]:
    """The field of a class with one, with what is behind it."""
    made = code({"type": "object", "properties": {"a": schema}, "required": ["a"]})
    return [line.strip() for line in made.split("class Record:\n")[-1].splitlines()]


def test_a_schema_becomes_classes():
    made = code(ORDER, name="Order")
    assert made.endswith(
        "@dataclass(slots=True, kw_only=True)\n"
        "class Order:\n"
        '    """An order."""\n'
        "\n"
        "    id: UUID\n"
        "    due: dt.date | None = None  # When it is due.\n"
        "    items: Annotated[list[Item], MinLen(1)]\n"
        "    pay: Card | Cash\n"
        '    state: Literal["open", "paid"] = "open"\n'
        "    extra: dict[str, int] = field(default_factory=dict[str, int])\n"
        '    ship_to: Annotated[ShipTo | None, at("ship-to")] = None\n'
    )
    assert (
        "class Item:\n"
        '    sku: Annotated[str, pattern("^[A-Z]+$")]\n'
        "    count: Annotated[int, Ge(1)] = 1\n"
        '    parts: list[Item] = field(default_factory=list["Item"])\n'
    ) in made
    assert (
        "class ShipTo:\n    street: Annotated[str, MaxLen(50)]\n    floor: int | None = None\n"
        in made
    )


@pytest.mark.parametrize("kind", ["dataclass", "attrs", "pydantic", "msgspec", "typeddict"])
def test_the_classes_read_what_the_schema_describes(kind: Any):
    order = executed(code(ORDER, name="Order", kind=kind)).Order
    document = {
        "id": "12345678-1234-5678-1234-567812345678",
        "items": [{"sku": "A", "count": 2, "parts": [{"sku": "B", "count": 1}]}],
        "pay": {"type": "cash"},
        "ship-to": {"street": "x", "floor": 3},
    }
    read = penstock.decode(json.dumps(document), order)
    again = json.loads(penstock.json.encode(read, order, omit="defaults"))
    assert again.items() >= {key: document[key] for key in ("id", "pay", "ship-to")}.items()
    for wrong in ({"items": []}, {"pay": {"type": "gold"}}, {"items": [{"sku": "a"}]}):
        with pytest.raises(ValidationError):
            penstock.decode(json.dumps(document | wrong), order)


@pytest.mark.parametrize(
    ("schema", "field"),
    [
        (True, "a: Any"),
        ({}, "a: Any"),
        ({"type": "number"}, "a: float"),
        ({"type": ["integer", "null"]}, "a: int | None"),
        ({"type": "string", "nullable": True}, "a: str | None"),
        ({"type": "string", "format": "date-time"}, "a: dt.datetime"),
        ({"type": "string", "contentEncoding": "base64"}, "a: bytes"),
        ({"format": "uuid"}, "a: UUID"),
        ({"const": 7}, "a: Literal[7]"),
        ({"enum": ["x", None]}, 'a: Literal["x"] | None'),
        ({"enum": [1.5, "x"]}, "a: Any"),
        ({"type": "integer", "minimum": 0, "maximum": 9}, "a: Annotated[int, Ge(0), Le(9)]"),
        ({"type": "string", "minLength": 2}, "a: Annotated[str, MinLen(2)]"),
        ({"items": {"type": "string"}}, "a: list[str]"),
        ({"type": "array"}, "a: list[Any]"),
        (
            {"prefixItems": [{"type": "string"}, {"type": "integer"}], "items": False},
            "a: tuple[str, int]",
        ),
        (
            {"items": [{"type": "string"}], "additionalItems": False, "type": "array"},
            "a: tuple[str]",
        ),
        ({"type": "object"}, "a: dict[str, Any]"),
        ({"patternProperties": {"^x": {"type": "integer"}}}, "a: dict[str, int]"),
        ({"anyOf": [{"type": "string"}, {"type": "integer"}]}, "a: str | int"),
        ({"allOf": [{"type": "string"}]}, "a: str"),
        ({"properties": {"text()": {}}}, "a: dict[str, Any]"),
        # Nothing tells these classes apart.
        (
            {"oneOf": [{"properties": {"x": {}}}, {"properties": {"y": {}}}]},
            "a: dict[str, Any]",
        ),
    ],
)
def test_types(schema: Any, field: str):
    assert of_field(schema) == [field]


def test_definitions_without_a_root_become_all_or_one():
    schemas = {
        "Pet": {"properties": {"owner": {"$ref": "#/components/schemas/Person"}}},
        "Person": {"properties": {"name": {"type": "string"}}, "required": ["name"]},
        "Colour": {"enum": ["red"]},
    }
    document = {"openapi": "3.1.0", "components": {"schemas": schemas}}
    made = code(document)
    assert [name for name in ("Pet", "Person") if f"class {name}:" in made] == ["Pet", "Person"]
    assert "Record" not in made
    assert "class Pet" not in code(document, name="Person")
    older = {"definitions": {"a/b": {"properties": {"x": {"$ref": "#/definitions/a~1b"}}}}}
    assert "class AB:\n    x: AB | None = None\n" in code(older)


def test_what_is_no_schema():
    with pytest.raises(ValueError, match="this is no JSON Schema: it has no type"):
        code({"name": "x"})
    with pytest.raises(ValueError, match="a JSON Schema is an object"):
        code([1])
    with pytest.raises(ValueError, match=r"'other.json#/a' leads to another document"):
        code({"$ref": "other.json#/a"})
    with pytest.raises(ValueError, match="'#/a/b' leads nowhere"):
        code({"$ref": "#/a/b"})
    # One that only leads to itself says nothing.
    assert "Record: TypeAlias = Any" in code(
        {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/a"}}}
    )


@pytest.mark.parametrize(
    ("schema", "word"),
    [
        ({"properties": 3}, "properties"),
        ({"$ref": 3}, r"\$ref"),
        ({"enum": 3}, "enum"),
        ({"allOf": 3}, "allOf"),
        ({"anyOf": {}}, "anyOf"),
        ({"type": ["object", 3]}, "type"),
        ({"type": "string", "format": {}}, "format"),
        ({"properties": {"a": {"title": 3}}}, "title"),
        ({"required": 3, "properties": {"a": {}}}, "required"),
        ({"patternProperties": 3}, "patternProperties"),
    ],
)
def test_801_a_keyword_with_another_value_is_named(schema: Any, word: str) -> None:
    source = io.BytesIO(json.dumps(schema).encode())
    with pytest.raises(ValueError, match=f"^this is no JSON Schema: '{word}' is "):
        penstock.infer(source, format="json-schema")


def test_802_schemas_that_do_not_end_are_refused() -> None:
    deep: Any = {"type": "integer"}
    for _ in range(101):
        deep = {"type": "array", "items": deep}
    for schema in (deep, {"allOf": [{"$ref": "#"}]}):
        source = io.BytesIO(json.dumps(schema).encode())
        with pytest.raises(ValueError, match="the schemas are nested more than 100 deep"):
            penstock.infer(source, format="json-schema")
    # What stands beside each other is not deep.
    parts = [{"allOf": [{"type": "string"}, {"minLength": 1}]} for _ in range(300)]
    source = io.BytesIO(json.dumps({"anyOf": parts}).encode())
    assert "Record: TypeAlias = str" in penstock.infer(source, format="json-schema")


def test_803_what_a_description_says_is_no_code() -> None:
    text = 'a\x00b\u2028"""\nc\x0c'
    schema = {"type": "object", "description": text, "properties": {"a": {"description": text}}}
    source = io.BytesIO(json.dumps(schema).encode())
    code = penstock.infer(source, format="json-schema")
    compile(code, "code", "exec")
    assert all(line.isprintable() for line in code.splitlines())
