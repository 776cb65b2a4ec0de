"""Errors as data: codes, steps and `to_dict`."""

import json
import pickle
import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import annotated_types
import pytest

import penstock
from penstock import DecodeError, LimitExceeded, Limits, ValidationError, at

PAGE = Path(__file__).parents[2].joinpath("docs", "errors.md").read_text(encoding="utf-8")


class Colour(Enum):
    RED = "red"


class Pair(NamedTuple):
    a: int
    b: int


@dataclass
class City:
    name: str
    latitude: Annotated[float, at("position/lat")] = 0.0
    size: Annotated[int, annotated_types.Gt(0)] = 1
    colour: Colour = Colour.RED

    def __post_init__(self) -> None:
        if self.name == "Nowhere":
            raise ValueError("no such place")


@dataclass
class Dog:
    kind: Literal["dog"]


@dataclass
class Cat:
    kind: Literal["cat"]


@dataclass
class Deep:
    lat: Annotated[float, at("a/b~1c/lat")]
    first: Annotated[int, at("list/0")] = 0


@dataclass
class Tag:
    sku: Annotated[str, at("@sku")]
    name: str
    note: Annotated[str, at("more/note/@lang")]


def raised(call: Callable[[], Any]) -> DecodeError:
    with pytest.raises(DecodeError) as caught:
        call()
    return caught.value


DECODED = [
    ("[1, 2,]", list[int], {}, "malformed", (2,)),
    ('{"a": ["x', dict[str, Any], {}, "truncated", ("a", 0)),
    ("[[[1]]]", list[Any], {"limits": Limits(depth=2)}, "limit", (0, 0)),
    ('{"name": null}', City, {}, "type", ("name",)),
    ('[{"name": "a"}, {"name": "b", "position": {"lat": "1"}}]', list[City], {}, "type",
     (1, "position", "lat")),
    ('{"name": "a", "colour": "blue"}', City, {}, "value", ("colour",)),
    ("[1.5]", list[int], {}, "value", (0,)),
    ('{"1": 1, "x": 2}', dict[int, int], {}, "value", ("x",)),
    ('{"name": "a", "size": 0}', City, {}, "constraint", ("size",)),
    ("[{}]", list[City], {}, "missing", (0, "name")),
    ('{"a": {"b/c": {}}}', Deep, {}, "missing", ("a", "b/c", "lat")),
    ('{"name": "a", "nam": 1}', City, {"unknown": "error"}, "unknown", ("nam",)),
    ('{"name": "a", "name": "b"}', City, {"duplicates": "error"}, "repeated", ("name",)),
    ("[[1, 2, 3]]", list[Pair], {}, "length", (0,)),
    ("[1, 2, 3]", tuple[int, int], {}, "length", ()),
    ('[{"kind": "cow"}]', list[Dog | Cat], {}, "union", (0, "kind")),
    ("[{}]", list[Dog | Cat], {}, "union", (0,)),
    ('{"name": "Nowhere"}', City, {}, "refused", ()),
    ("<t><name>n</name><more><note lang='x'/></more></t>", Tag, {}, "missing", ("t", "@sku")),
    ("<t sku='1'><more><note lang='x'/></more></t>", Tag, {}, "missing", ("t", "name")),
    ("<t sku='1'><name/></t>", Tag, {}, "missing", ("t", "more", "note", "@lang")),
    ("<t sku='1'><name/><name/></t>", Tag, {}, "repeated", ("t", "name")),
    ("<t a='1'/>", Tag, {"unknown": "error"}, "unknown", ("t", "@a")),
    ("<c><size>x</size></c>", City, {}, "value", ("c", "size")),
    ("<c><d>", City, {}, "truncated", ("c",)),
]  # fmt: skip


@pytest.mark.parametrize(("data", "into", "options", "code", "steps"), DECODED)
def test_code_and_steps(
    data: str, into: Any, options: dict[str, Any], code: str, steps: tuple[str | int, ...]
) -> None:
    error = raised(lambda: penstock.decode(data, into, **options))
    assert (error.code, error.steps) == (code, steps)
    # Chunks change neither.
    kind = penstock.xml if data.startswith("<") else penstock.json
    pieces = [data[i : i + 1].encode() for i in range(len(data))]
    again = raised(lambda: kind.load(pieces, into, **options))
    assert (again.code, again.steps) == (code, steps)


def test_a_source_that_fails() -> None:
    def broken() -> Any:
        yield b"[1, "
        raise ConnectionResetError("gone")

    error = raised(lambda: penstock.json.load(broken(), list[int]))
    assert (type(error), error.code) == (DecodeError, "source")


def test_the_page_lists_every_code() -> None:
    table = PAGE[PAGE.index("\n## Codes\n") :].split("\n## ")[1]
    listed = re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)
    # Of reading only: a source that fails, and no record at all.
    assert sorted(listed) == sorted({code for _, _, _, code, _ in DECODED} | {"source", "empty"})


def test_a_path_is_the_same_text_as_before() -> None:
    error = raised(lambda: penstock.decode('{"a/b": [{"c*": 1}]}', dict[str, list[dict[str, str]]]))
    assert error.path == "a~1b/0/c~2"
    assert error.steps == ("a/b", 0, "c*")
    assert raised(lambda: penstock.decode("{}", City)).path is None


def test_made_by_hand() -> None:
    codes = [
        (DecodeError, "source"),
        (penstock.MalformedInput, "malformed"),
        (penstock.TruncatedInput, "truncated"),
        (LimitExceeded, "limit"),
        (ValidationError, "type"),
    ]
    for kind, code in codes:
        error = kind("wrong")
        assert (error.code, error.steps) == (code, ())
        assert error.to_dict() == {
            "kind": kind.__name__,
            "code": code,
            "message": "wrong",
            "reason": "wrong",
            "steps": [],
        }


def test_to_dict() -> None:
    data = '{"name": null,\n "position": {"lat": true}}'
    error = raised(lambda: penstock.decode(data, City, all_errors=True))
    found = error.to_dict()
    assert json.loads(json.dumps(found)) == found
    first = {
        "kind": "ValidationError",
        "code": "type",
        "message": "line 1, column 10: expected str, got null (at name)",
        "reason": "expected str, got null",
        "format": "json",
        "offset": 9,
        "line": 1,
        "column": 10,
        "path": "name",
        "steps": ["name"],
        "expected": "str",
        "got": "null",
    }
    second = first | {
        "message": "line 2, column 22: expected float, got true (at position/lat)",
        "reason": "expected float, got true",
        "offset": 36,
        "line": 2,
        "column": 22,
        "path": "position/lat",
        "steps": ["position", "lat"],
        "expected": "float",
        "got": "true",
    }
    assert found == first | {"problems": [first, second]}
    copied = pickle.loads(pickle.dumps(error))
    assert (copied.code, copied.steps, copied.to_dict()) == (error.code, error.steps, found)


def test_to_dict_of_a_record(tmp_path: Path) -> None:
    path = tmp_path / "a.ndjson"
    path.write_text('{"name": "a"}\n{"nam\\u202e": 1}\n')
    errors: list[DecodeError] = []
    list(penstock.read(path, City, errors=errors.append, unknown="error"))
    [error] = errors
    found = error.to_dict()
    assert (found["record"], found["source"], found["steps"]) == (2, str(path), ["nam\u202e"])
    assert found["message"].isprintable()
