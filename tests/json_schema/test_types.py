"""The schema of each type: every type that docs/types.md lists has one."""

import array
import collections
import datetime
import decimal
import enum
import fractions
import ipaddress
import os
import pathlib
import re
import sys
import typing
import uuid
import zoneinfo
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, ClassVar, Final, Generic, Literal, NewType, Optional, TypeVar

import numpy as np
import numpy.typing as npt
import pytest

import penstock
from penstock import Plan, PlanError, at, json_schema, json_schemas, typecode

PAGE = Path(__file__).parents[2] / "docs/types.md"
DIALECT = "https://json-schema.org/draft/2020-12/schema"
INTEGER = {"type": "integer"}
TEXT = {"type": "string"}
NUMBER = r"^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$"
DECIMAL = {"anyOf": [{"type": "number"}, {"type": "string", "pattern": NUMBER}]}
BASE64 = {"type": "string", "contentEncoding": "base64"}

T = TypeVar("T")
Count = NewType("Count", int)


class Size(enum.Enum):
    """How large."""

    SMALL = "S"
    LARGE = "L"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Word(enum.StrEnum):
    A = "a"


class Half(enum.Enum):
    ONE = 1.5
    TWO = 2.5


class Access(enum.Flag):
    READ = 1
    WRITE = 2


class Modes(enum.IntFlag):
    READ = 1
    EXECUTE = 4


class Open(enum.Enum):
    A = "a"

    @classmethod
    def _missing_(cls, value: object) -> "Open | None":
        return cls.A if value == "b" else None


@dataclass
class Point:
    x: float


@dataclass
class Box(Generic[T]):
    value: T


@dataclass
class Tree:
    children: list["Tree"] = field(default_factory=list)


POINT = {
    "title": "Point",
    "type": "object",
    "properties": {"x": {"type": "number"}},
    "required": ["x"],
}
TREE = {
    "title": "Tree",
    "type": "object",
    "properties": {"children": {"type": "array", "items": {"$ref": "#/$defs/Tree"}, "default": []}},
}
SIZE = {"title": "Size", "description": "How large.", "type": "string", "enum": ["S", "L"]}


def many(item: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": item}


# The types in the first columns of the tables, with `int` for X and `str` for Y and K.
LISTED: dict[str, tuple[Any, dict[str, Any]]] = {
    "None": (None, {"type": "null"}),
    "bool": (bool, {"type": "boolean"}),
    "int": (int, INTEGER),
    "float": (float, {"type": "number"}),
    "complex": (complex, TEXT),
    "str": (str, TEXT),
    "bytes": (bytes, BASE64),
    "bytearray": (bytearray, BASE64),
    "Decimal": (decimal.Decimal, DECIMAL),
    "Fraction": (fractions.Fraction, {"type": "string", "pattern": "^-?[0-9]+(/[0-9]+)?$"}),
    "datetime": (datetime.datetime, {"type": "string", "format": "date-time"}),
    "time": (datetime.time, {"type": "string", "format": "time"}),
    "date": (datetime.date, {"type": "string", "format": "date"}),
    "timedelta": (datetime.timedelta, {"type": "string", "format": "duration"}),
    "UUID": (uuid.UUID, {"type": "string", "format": "uuid"}),
    "ZoneInfo": (zoneinfo.ZoneInfo, TEXT),
    "Path": (pathlib.Path, TEXT),
    "PurePath": (pathlib.PurePath, TEXT),
    "os.PathLike": (os.PathLike, TEXT),
    "IPv4Address": (ipaddress.IPv4Address, {"type": "string", "format": "ipv4"}),
    "IPv6Network": (ipaddress.IPv6Network, TEXT),
    "re.Pattern": (re.Pattern, {"type": "string", "format": "regex"}),
    "Enum": (Size, SIZE),
    "IntEnum": (Level, {"title": "Level", "type": "integer", "enum": [1, 2]}),
    "StrEnum": (Word, {"title": "Word", "type": "string", "const": "a"}),
    "Flag": (Access, {"type": "integer", "minimum": 0, "maximum": 3}),
    "IntFlag": (Modes, {"type": "integer", "minimum": 0, "maximum": 5}),
    'Literal["a", 1]': (Literal["a", 1], {"enum": ["a", 1]}),
    "Any": (Any, {}),
    "object": (object, {}),
    "Annotated[bytes, penstock.Base64Url]": (
        Annotated[bytes, penstock.Base64Url],
        {"type": "string", "contentEncoding": "base64url"},
    ),
    "Annotated[bytes, penstock.Base64Unpadded]": (
        Annotated[bytes, penstock.Base64Unpadded],
        BASE64,
    ),
    "Annotated[bytes, penstock.Base64Mime]": (Annotated[bytes, penstock.Base64Mime], BASE64),
    "Annotated[bytes, penstock.Hex]": (
        Annotated[bytes, penstock.Hex],
        {"type": "string", "contentEncoding": "base16"},
    ),
    "list[X]": (list[int], many(INTEGER)),
    "set[X]": (set[int], many(INTEGER)),
    "frozenset[X]": (frozenset[int], many(INTEGER)),
    "deque[X]": (collections.deque[int], many(INTEGER)),
    "tuple[X, ...]": (tuple[int, ...], many(INTEGER)),
    "Sequence[X]": (collections.abc.Sequence[int], many(INTEGER)),
    "Iterable[X]": (collections.abc.Iterable[int], many(INTEGER)),
    "Collection[X]": (collections.abc.Collection[int], many(INTEGER)),
    "collections.abc.Set[X]": (collections.abc.Set[int], many(INTEGER)),
    "tuple[X, Y]": (
        tuple[int, str],
        {"type": "array", "prefixItems": [INTEGER, TEXT], "minItems": 2, "maxItems": 2},
    ),
    "tuple[X, *tuple[Y]]": (
        tuple[int, *tuple[str]],
        {"type": "array", "prefixItems": [INTEGER, TEXT], "minItems": 2, "maxItems": 2},
    ),
    'Annotated[array, typecode("d")]': (
        Annotated[array.array, typecode("d")],
        many({"type": "number"}),
    ),
    "memoryview": (
        Annotated[memoryview, typecode("H")],
        many({"type": "integer", "minimum": 0, "maximum": 65_535}),
    ),
    "numpy.typing.NDArray[numpy.float64]": (npt.NDArray[np.float64], many({"type": "number"})),
    "numpy.ndarray[tuple[int, int], numpy.dtype[numpy.float64]]": (
        np.ndarray[tuple[int, int], np.dtype[np.float64]],
        many(many({"type": "number"})),
    ),
    "dict[K, X]": (dict[str, int], {"type": "object", "additionalProperties": INTEGER}),
    "OrderedDict": (collections.OrderedDict, {"type": "object"}),
    "Mapping": (collections.abc.Mapping, {"type": "object"}),
    "defaultdict[K, X]": (
        collections.defaultdict[str, int],
        {"type": "object", "additionalProperties": INTEGER},
    ),
    "Counter[K]": (
        collections.Counter[str],
        {"type": "object", "additionalProperties": INTEGER},
    ),
    "X | None": (int | None, {"anyOf": [INTEGER, {"type": "null"}]}),
    "Optional[X]": (Optional[int], {"anyOf": [INTEGER, {"type": "null"}]}),  # noqa: UP045
    "X | Y": (int | str, {"anyOf": [INTEGER, TEXT]}),
    "X | dict": (
        Point | dict,  # type: ignore[type-arg]
        {
            "anyOf": [
                {"$ref": "#/$defs/Point"},
                {"type": "object", "not": {"anyOf": [{"required": ["x"]}]}},
            ],
            "$defs": {"Point": POINT},
        },
    ),
    "X | Any": (
        Point | Any,
        {
            "anyOf": [
                {"type": ["boolean", "number", "string", "array"]},
                {"$ref": "#/$defs/Point"},
                {"type": "object", "not": {"anyOf": [{"required": ["x"]}]}},
                {"type": "null"},
            ],
            "$defs": {"Point": POINT},
        },
    ),
    "X": (int, INTEGER),
    "Annotated[X, ...]": (Annotated[int, "a remark"], INTEGER),
    "Literal[1] | Literal[2]": (
        Literal[1] | Literal[2],  # noqa: PYI030
        {"type": "integer", "enum": [1, 2]},
    ),
    "NewType": (Count, INTEGER),
    "type": (typing.Union[int, str], {"anyOf": [INTEGER, TEXT]}),  # noqa: UP007 - as an alias
    "Final": (Final[int], INTEGER),
    "Self": (Tree, {"$ref": "#/$defs/Tree", "$defs": {"Tree": TREE}}),
    "Box[int]": (
        Box[int],
        {
            "title": "Box[int]",
            "type": "object",
            "properties": {"value": INTEGER},
            "required": ["value"],
        },
    ),
}


def spans() -> set[str]:
    """The types in the first columns of the tables."""
    section = PAGE.read_text("utf-8").partition("## Which values fit")[2]
    section = section.partition("The same tables, as code that runs")[0]
    found = set()
    for line in section.splitlines():
        cells = re.split(r"(?<!\\)\|", line)
        if len(cells) > 2 and cells[1].strip() not in {"type", "annotation"}:
            found |= set(re.findall(r"`([^`]+)`", cells[1].replace("\\|", "|")))
    return found


def test_every_type_of_the_page_is_here() -> None:
    # A class variable is no field, so it has no schema.
    assert spans() - {"ClassVar"} == set(LISTED)


@pytest.mark.parametrize("listed", list(LISTED))
def test_the_schema_of_each_type(listed: str) -> None:
    annotation, schema = LISTED[listed]
    assert json_schema(annotation) == {"$schema": DIALECT, **schema}


def test_class_variables_have_no_schema() -> None:
    @dataclass
    class Counted:
        made: ClassVar[int] = 0
        name: str = ""

    assert json_schema(Counted)["properties"] == {"name": {"type": "string", "default": ""}}


@pytest.mark.skipif(sys.version_info < (3, 12), reason="the statement is of Python 3.12")
def test_an_alias_is_what_it_stands_for() -> None:
    names: dict[str, Any] = {}
    exec("type Number = int | float", names)
    assert json_schema(names["Number"]) == {
        "$schema": DIALECT,
        "anyOf": [INTEGER, {"type": "number"}],
    }


def test_what_is_written_has_one_form() -> None:
    def written(annotation: Any) -> dict[str, Any]:
        schema = json_schema(annotation, mode="encode")
        del schema["$schema"]
        return schema

    assert written(decimal.Decimal) == {"type": "number"}
    assert written(set[int]) == {"type": "array", "items": INTEGER, "uniqueItems": True}
    assert written(Open) == {"title": "Open", "type": "string", "const": "a"}
    assert written(Half) == {"type": "number", "enum": [1.5, 2.5]}
    assert written(Annotated[datetime.datetime, penstock.unix("s")]) == {"type": "number"}
    standard = {"type": "string", "format": "date-time"}
    assert written(Annotated[datetime.datetime, penstock.times("iso")]) == standard
    assert written(Annotated[datetime.date, penstock.times("%d.%m.%Y")]) == TEXT


def test_what_is_read_may_have_several_forms() -> None:
    def read(annotation: Any) -> dict[str, Any]:
        schema = json_schema(annotation)
        del schema["$schema"]
        return schema

    assert read(Annotated[datetime.datetime, penstock.unix("s")]) == {
        "anyOf": [{"type": "number"}, TEXT]
    }
    assert read(Annotated[datetime.datetime, penstock.times("iso")]) == TEXT
    assert read(Open) == {"title": "Open", "type": ["string", "integer"], "examples": ["a"]}
    assert read(Plan(int, strict=False)) == {"anyOf": [INTEGER, TEXT]}
    assert read(Plan(bool, strict=False)) == {
        "anyOf": [{"type": "boolean"}, {"enum": [0, 1, "true", "false", "0", "1"]}]
    }


@pytest.mark.parametrize(
    ("key", "names"),
    [
        (int, {"pattern": "^(0|-?[1-9][0-9]*)$"}),
        (float, {"pattern": NUMBER}),
        (bool, {"enum": ["true", "false"]}),
        (datetime.date, {"format": "date"}),
        (uuid.UUID, {"format": "uuid"}),
        (Size, {"enum": ["S", "L"]}),
        (Level, {"enum": ["1", "2"]}),
        (Literal["a", 1], {"enum": ["a", "1"]}),
        (bytes, {"contentEncoding": "base64"}),
        (Annotated[str, penstock.pattern("^x")], {"pattern": "^x"}),
        (int | Size, {"anyOf": [{"pattern": "^(0|-?[1-9][0-9]*)$"}, {"enum": ["S", "L"]}]}),
    ],
)
def test_keys_are_text(key: Any, names: dict[str, Any]) -> None:
    schema = json_schema(dict[key, str])
    assert schema["propertyNames"] == names
    assert schema["additionalProperties"] == TEXT


def test_what_has_no_plan_has_no_schema() -> None:
    with pytest.raises(PlanError, match=r"^slice is not supported yet$"):
        json_schema(slice)
    with pytest.raises(PlanError, match=r"^slice is not supported yet$"):
        json_schemas([int, slice])


def test_what_is_not_written_has_no_schema_of_what_is_written() -> None:
    @dataclass
    class Deep:
        x: Annotated[int, at("a/0")]

    reason = "a path with an index or a '*' in the middle cannot be written"
    with pytest.raises(PlanError, match=rf"^Deep cannot be written: {re.escape(reason)}"):
        json_schema(Deep, mode="encode")
    of_function = Annotated[int, penstock.via(int, str)]
    with pytest.raises(PlanError, match=r"^int: nothing says how the value is written: give via"):
        json_schema(of_function, mode="encode")


def test_options_that_there_are_not() -> None:
    with pytest.raises(ValueError, match=r"^mode must be 'decode' or 'encode', not 'both'$"):
        json_schema(int, mode="both")  # type: ignore[arg-type]
    with pytest.raises(
        ValueError, match=r"^ref must have a \{name\} in it, and '#/defs/' has none$"
    ):
        json_schema(int, ref="#/defs/")
