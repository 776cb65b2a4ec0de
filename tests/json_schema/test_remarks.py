"""Titles, descriptions, examples, defaults, constraints; and the names of definitions."""

import enum
import sys
from dataclasses import dataclass, field, make_dataclass
from decimal import Decimal
from typing import Annotated, Any, Generic, NamedTuple, TypeVar

import annotated_types as at
import msgspec
import pydantic
import pytest
from typing_extensions import Doc

import penstock
from penstock import json_schema, json_schemas, pattern, via

T = TypeVar("T")
TEXT = {"type": "string"}


def read(annotation: Any) -> dict[str, Any]:
    schema = json_schema(annotation)
    del schema["$schema"]
    return schema


def of_fields(**fields: Any) -> dict[str, Any]:
    """The schemas of fields of these types."""
    made = make_dataclass("Made", list(fields.items()))
    properties = json_schema(made)["properties"]
    assert isinstance(properties, dict)
    return properties


@dataclass
class City:
    """A city.

    It has a name.
    """

    name: str


class Village(City):
    pass


@dataclass
class Page(Generic[T]):
    items: list[T]


def test_docstrings() -> None:
    assert read(City)["description"] == "A city.\n\nIt has a name."
    # Nobody has written these for the class.
    assert "description" not in read(Village)
    assert "description" not in read(Page[int])

    class Row(NamedTuple):
        x: int

    class Word(enum.Enum):
        A = "a"

    class Struct(msgspec.Struct):
        x: int

    class Model(pydantic.BaseModel):
        x: int

    for cls in (Row, Word, Struct, Model):
        assert "description" not in read(cls), cls


def test_words_beside_a_type() -> None:
    meta = msgspec.Meta(
        title="A", description="b", examples=[1], extra_json_schema={"format": "int32"}
    )
    fields = of_fields(
        doc=Annotated[str, Doc("A name.")],
        documented=Annotated[str, at.doc("A name.")],
        meta=Annotated[int, meta],
        field=Annotated[int, pydantic.Field(title="A", description="b", examples=[2])],
        inside=list[Annotated[str, Doc("One of them.")]],
        of_class=Annotated[City, Doc("Where.")],
        money=Annotated[
            Decimal, via(Decimal, str), msgspec.Meta(extra_json_schema={"pattern": "^C"})
        ],
    )
    assert fields == {
        "doc": {**TEXT, "description": "A name."},
        "documented": {**TEXT, "description": "A name."},
        "meta": {
            "type": "integer",
            "title": "A",
            "description": "b",
            "examples": [1],
            "format": "int32",
        },
        "field": {"type": "integer", "title": "A", "description": "b", "examples": [2]},
        "inside": {"type": "array", "items": {**TEXT, "description": "One of them."}},
        "of_class": {"$ref": "#/$defs/City", "description": "Where."},
        "money": {**TEXT, "pattern": "^C"},
    }
    assert read(Annotated[City, Doc("Where.")])["description"] == "Where."


def test_fields_of_models() -> None:
    class Order(pydantic.BaseModel):
        model_config = pydantic.ConfigDict(json_schema_extra={"x-order": True})
        amount: Decimal = pydantic.Field(gt=0, description="How much.", examples=[Decimal("1.5")])
        old: int = pydantic.Field(default=1, deprecated=True, json_schema_extra={"x-old": 1})
        counts: list[Annotated[int, pydantic.Field(ge=0)]] = pydantic.Field(
            default_factory=list, max_length=2
        )
        word: str = pydantic.Field(default="a", pattern="^a", max_length=3)

    schema = read(Order)
    amount = schema["properties"].pop("amount")
    assert amount["exclusiveMinimum"] == 0
    assert (amount["description"], amount["examples"]) == ("How much.", [1.5])
    assert schema["properties"] == {
        "old": {"type": "integer", "deprecated": True, "x-old": 1, "default": 1},
        "counts": {
            "type": "array",
            "items": {"type": "integer", "minimum": 0},
            "maxItems": 2,
            "default": [],
        },
        "word": {**TEXT, "maxLength": 3, "pattern": "^a", "default": "a"},
    }
    assert schema["x-order"] is True


def test_what_a_model_changes_before_it_checks_is_left_open() -> None:
    class Order(pydantic.BaseModel):
        model_config = pydantic.ConfigDict(str_strip_whitespace=True)
        word: str = pydantic.Field(max_length=3)
        doubled: Annotated[int, pydantic.AfterValidator(lambda it: 2 * it), pydantic.Field(le=4)]
        checked: Annotated[int, pydantic.Field(le=4), pydantic.AfterValidator(lambda it: 2 * it)]
        step: float = pydantic.Field(multiple_of=0.1)

    assert read(Order)["properties"] == {
        "word": TEXT,
        "doubled": {"type": "integer"},
        "checked": {"type": "integer", "maximum": 4},
        "step": {"type": "number"},
    }
    assert json_schema(Order, mode="encode")["properties"]["checked"] == {"type": "integer"}


@pytest.mark.skipif(sys.version_info < (3, 14), reason="`doc` is of Python 3.14")
def test_the_doc_of_a_field() -> None:
    made = make_dataclass("Made", [("x", int, field(doc="How many."))])  # type: ignore[call-overload]
    assert read(made)["properties"]["x"] == {"type": "integer", "description": "How many."}


def test_constraints() -> None:
    fields = of_fields(
        interval=Annotated[int, at.Interval(ge=1, lt=40)],
        closest=Annotated[int, at.Ge(1), at.Ge(3)],
        multiple=Annotated[int, at.MultipleOf(3)],
        decimal=Annotated[Decimal, at.Ge(Decimal("0.1"))],
        text=Annotated[str, at.Len(1, 9), pattern("^[a-z]+$")],
        items=Annotated[list[int], at.MinLen(1)],
        members=Annotated[dict[str, int], at.Len(1, 2)],
        optional=Annotated[int | None, at.Gt(0)],
        either=Annotated[int | float, at.Gt(0)],
        patterns=Annotated[str, pattern("a"), pattern("b")],
    )
    decimal = fields.pop("decimal")
    assert decimal["minimum"] == 0.1
    positive = {"type": "integer", "exclusiveMinimum": 0}
    assert fields == {
        "interval": {"type": "integer", "minimum": 1, "exclusiveMaximum": 40},
        "closest": {"type": "integer", "minimum": 3},
        "multiple": {"type": "integer", "multipleOf": 3},
        "text": {**TEXT, "minLength": 1, "maxLength": 9, "pattern": "^[a-z]+$"},
        "items": {"type": "array", "items": {"type": "integer"}, "minItems": 1},
        "members": {
            "type": "object",
            "additionalProperties": {"type": "integer"},
            "minProperties": 1,
            "maxProperties": 2,
        },
        "optional": {"anyOf": [positive, {"type": "null"}]},
        "either": {"anyOf": [{"type": "integer"}, {"type": "number"}], "exclusiveMinimum": 0},
        "patterns": {**TEXT, "pattern": "a", "allOf": [{"pattern": "b"}]},
    }


def test_constraints_that_no_schema_can_say_are_left_open() -> None:
    class Words(list[str]):
        pass

    fields = of_fields(
        predicate=Annotated[str, at.Predicate(str.isupper)],
        after=Annotated[int, via(int, str), at.Gt(0)],
        of_python=Annotated[str, pattern(r"(?P<year>\d+)\Z")],
        exact=Annotated[float, at.Gt(Decimal("0.10000000000000000000000001"))],
        # Two items may become one.
        distinct=Annotated[set[int], at.Len(1, 2)],
        length=Annotated[bytes, at.Len(1, 2)],
        own=Annotated[Words, at.MinLen(1)],
    )
    assert fields == {
        "predicate": TEXT,
        "after": TEXT,
        "of_python": TEXT,
        "exact": {"type": "number"},
        "distinct": {"type": "array", "items": {"type": "integer"}, "minItems": 1},
        "length": {**TEXT, "contentEncoding": "base64"},
        "own": {"type": "array", "items": TEXT},
    }


@pytest.mark.parametrize(
    "regex", ["^[a-z]+$", r"\d{2,}\.\d", "a|(?:b)", "(?=x)(?!y)", r"\u00e9\x41", r"[\w\-]"]
)
def test_patterns_that_both_languages_have(regex: str) -> None:
    assert read(Annotated[str, pattern(regex)]) == {**TEXT, "pattern": regex}


@pytest.mark.parametrize(
    "regex",
    [r"\Aa", r"a\Z", "(?P<a>b)", "(?i)a", "(?>a)", "a++", "a{,3}", "[]a]", r"\N{DIGIT ONE}"],
)
def test_patterns_that_only_python_has(regex: str) -> None:
    assert read(Annotated[str, pattern(regex)]) == TEXT


def test_defaults() -> None:
    class Color(enum.Enum):
        RED = "red"

    @dataclass
    class Made:
        color: Color = Color.RED
        price: Decimal = Decimal("1.50")
        pair: tuple[int, str] = (1, "a")
        names: list[str] = field(default_factory=list)
        table: dict[str, int] = field(default_factory=dict)
        nothing: int | None = None
        # These have none in JSON, or one that depends on more than the value.
        infinite: float = float("inf")
        city: City = field(default_factory=lambda: City("Chur"))
        data: Annotated[bytes, penstock.Hex] = b"\xff"

    properties = read(Made)["properties"]
    defaults = {name: of["default"] for name, of in properties.items() if "default" in of}
    assert defaults == {
        "color": "red",
        "price": 1.5,
        "pair": [1, "a"],
        "names": [],
        "table": {},
        "nothing": None,
    }


def test_names_of_definitions() -> None:
    first, second, third = (make_dataclass("Same", [("x", of)]) for of in (int, str, float))
    first.__module__, second.__module__, third.__module__ = "one", "two", "two"
    found = json_schemas([Page[City], Page[dict[str, int]], first, second, third])
    assert list(found) == [
        "City",
        "Page_City",
        "Page_dict_str_int",
        "one.Same",
        "two.Same",
        "two.Same_2",
    ]
    assert found["Page_City"]["title"] == "Page[City]"
    assert found["Page_City"]["properties"]["items"]["items"] == {
        "$ref": "#/components/schemas/City"
    }
    assert found["two.Same"]["properties"]["x"] == TEXT


def test_references() -> None:
    schema = json_schema(Page[City], ref="other.json#/{name}/schema")
    assert schema["properties"]["items"]["items"] == {"$ref": "other.json#/City/schema"}
    assert schema["$defs"].keys() == {"City"}


@pytest.mark.skipif(sys.version_info < (3, 12), reason="the statement is of Python 3.12")
def test_what_is_large_and_in_many_places_has_a_definition() -> None:
    names: dict[str, Any] = {}
    lines = ["type T0 = int"]
    lines += [f"type T{n} = tuple[T{n - 1}, T{n - 1}, T{n - 1}]" for n in range(1, 10)]
    exec("\n".join(lines), names)
    schema = json_schema(names["T9"])
    assert len(str(schema)) < 20_000
    assert schema["maxItems"] == 3
