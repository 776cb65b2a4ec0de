"""Fields that take all keys that the class does not name: `rest`."""

from __future__ import annotations

import json as plain_json
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, NamedTuple, TypedDict

import attrs
import msgspec
import pydantic
import pytest
from hypothesis import given
from hypothesis import strategies as st

import penstock
from penstock import Plan, PlanError, ValidationError, at, json, ndjson, rest, tag, xml

Rest = Annotated[dict[str, Any], rest]


@dataclass
class Plain:
    id: int
    more: Rest
    lat: Annotated[float, at("geo/lat")] = 0.0


@dataclass(slots=True, frozen=True)
class Slotted:
    more: Rest
    id: int


@attrs.define
class Attrs:
    id: int
    more: Rest = attrs.field(factory=dict)


class Struct(msgspec.Struct):
    id: int
    more: Rest = {}


class Keys(TypedDict):
    id: int
    more: Rest


class Annotations:
    id: int
    more: Rest


class Init:
    def __init__(self, id: int, more: Rest) -> None:
        self.id = id
        self.more = more


@dataclass
class Metadata:
    id: int
    more: dict[str, Any] = field(metadata={"penstock": rest}, default_factory=dict)


KINDS = [Plain, Slotted, Attrs, Struct, Keys, Annotations, Init, Metadata]


def parts(value: Any) -> tuple[int, dict[str, Any]]:
    if isinstance(value, dict):
        return value["id"], value["more"]
    return value.id, value.more


def cut(text: str) -> list[bytes]:
    data = text.encode()
    return [data[i : i + 1] for i in range(len(data))]


@pytest.mark.parametrize("cls", KINDS)
def test_all_other_keys(cls: Any) -> None:
    text = '{"x": [1, {"id": 2}], "id": 7, "more": null, "y": 1.5, "": "a"}'
    more = {"x": [1, {"id": 2}], "more": None, "y": 1.5, "": "a"}
    assert parts(json.decode(text, cls)) == (7, more)
    assert list(parts(json.decode(text, cls))[1]) == list(more)
    assert [parts(row) for row in json.read(cut(f"[{text}, {text}]"), cls)] == [(7, more)] * 2
    assert parts(json.open(text.encode()).to(cls)) == (7, more)
    assert parts(json.decode('{"id": 7}', cls)) == (7, {})
    markup = '<r id="7" a="1" xmlns="urn:r"><x>1</x><y b="2">t</y><x><id>2</id></x></r>'
    more = {"@a": "1", "x": ["1", {"id": "2"}], "y": {"@b": "2", "#text": "t"}}
    assert parts(xml.decode(markup, cls)) == (7, more)
    assert [parts(row) for row in xml.read(cut(f"<d>{markup}{markup}</d>"), cls)] == [(7, more)] * 2
    assert parts(xml.decode("<r><id>7</id></r>", cls)) == (7, {})


@given(
    st.dictionaries(
        st.text(max_size=3),
        st.recursive(st.none() | st.integers() | st.text(max_size=3), st.lists, max_leaves=3),
    )
)
def test_as_by_hand(record: dict[str, Any]) -> None:
    """A naive twin: parse everything, take the known keys out."""
    record["id"] = 1
    record.pop("geo", None)
    got = json.decode(plain_json.dumps(record), Plain)
    others = {key: value for key, value in record.items() if key != "id"}
    assert got == Plain(1, others)


def test_a_key_on_a_path_is_named() -> None:
    text = '{"id": 1, "geo": {"lat": 1.5, "lon": 2, "x": {"lat": 3}}, "lat": 4}'
    assert json.decode(text, Plain) == Plain(1, {"lat": 4}, 1.5)
    markup = "<r><id>1</id><geo><lat>1.5</lat><lon>2</lon></geo><lat>4</lat></r>"
    assert xml.decode(markup, Plain) == Plain(1, {"lat": "4"}, 1.5)


def test_each_object_has_its_own() -> None:
    lines = b'{"id": 1, "a": 1}\n{"id": 2}\n{"id": 3, "b": 2}\n'
    assert [(row.id, dict(row.more)) for row in ndjson.read([lines], Slotted)] == [
        (1, {"a": 1}),
        (2, {}),
        (3, {"b": 2}),
    ]
    rows = list(ndjson.read([lines], Attrs))
    assert [row.more for row in rows] == [{"a": 1}, {}, {"b": 2}]
    rows[1].more["c"] = 1
    assert Attrs(4).more == {}


def test_options() -> None:
    text = '{"id": 1, "a": 1, "b": 2, "a": 3}'
    assert json.decode(text, Plain).more == {"a": 3, "b": 2}
    assert json.decode(text, Plain, duplicates="first").more == {"a": 1, "b": 2}
    with pytest.raises(ValidationError, match='the key "a" occurs more than once'):
        json.decode(text, Plain, duplicates="error")
    # No key is unknown.
    assert json.decode('{"id": 1, "a": 1}', Plain, unknown="error").more == {"a": 1}
    plan = Plan(Plain, rename="upper")
    assert json.decode('{"ID": 1, "MORE": 2, "id": 3}', plan) == Plain(1, {"MORE": 2, "id": 3})
    with pytest.raises(ValidationError) as caught:
        json.decode('{"a": 1, "id": "x", "b": {"c": 1}}', Plain, all_errors=True)
    assert [(problem.path, problem.reason) for problem in caught.value.problems] == [
        ("id", "expected int, got a string")
    ]
    with pytest.raises(ValidationError, match='Plain lacks the required key "id"'):
        json.decode('{"a": 1}', Plain)


def test_beside_a_tag() -> None:
    into = Annotated[Plain | Attrs, tag("type", {"p": Plain}, other=Attrs)]
    text = '[{"type": "p", "id": 1, "x": 2}, {"id": 2, "type": "q"}]'
    assert json.decode(text, list[into]) == [
        Plain(1, {"type": "p", "x": 2}),
        Attrs(2, {"type": "q"}),
    ]


def test_other_dicts() -> None:
    @dataclass
    class Ordered:
        more: Annotated[OrderedDict[str, Any], rest]

    @dataclass
    class Mapped:
        more: Annotated[Mapping[str, object] | None, rest] = None

    @dataclass
    class Bounded:
        more: Annotated[dict, rest, pydantic.Field(max_length=1)]

    assert json.decode('{"b": 1, "a": 2}', Ordered) == Ordered(OrderedDict(b=1, a=2))
    assert type(json.decode("{}", Ordered).more) is OrderedDict
    assert json.decode("{}", Mapped) == Mapped(None)
    assert json.decode('{"a": 1}', Mapped) == Mapped({"a": 1})
    assert json.decode('{"a": 1}', Bounded) == Bounded({"a": 1})
    with pytest.raises(ValidationError, match="dict of at most 1 item, got 2"):
        json.decode('{"a": 1, "b": 2}', Bounded)


def test_the_plan_says_it() -> None:
    assert repr(Plan(Attrs)).splitlines()[2:] == [
        "    id: int",
        "    more: dict[str, Any], all other keys = dict()",
    ]


def of(annotation: Any) -> Any:
    return dataclass(
        type("Doc", (), {"__annotations__": {"x": annotation}, "__module__": __name__})
    )


class Row(NamedTuple):
    id: int
    more: Rest


class Array(msgspec.Struct, array_like=True):
    id: int
    more: Rest


class Model(pydantic.BaseModel):
    more: Rest


@dataclass
class Twice:
    one: Rest
    more: Rest


NOT_A_DICT = "field 'x' of Doc: rest is only for a dict[str, Any]"


@pytest.mark.parametrize(
    ("into", "reason"),
    [
        (of(Annotated[dict[str, int], rest]), NOT_A_DICT),
        (of(Annotated[dict[int, Any], rest]), NOT_A_DICT),
        (of(Annotated[list[Any], rest]), NOT_A_DICT),
        (
            of(Annotated[dict[str, Any], rest, at("a")]),
            "field 'x' of Doc: rest and at(...) exclude each other",
        ),
        (
            of(list[Rest]),
            "field 'x' of Doc: rest is only allowed around the whole annotation of a field",
        ),
        (Rest, "rest is only allowed around the whole annotation of a field"),
        (Twice, "field 'more' of Twice: another field is marked with rest as well"),
        (Row, "field 'more' of Row: rest is not for classes that are made of arrays as well"),
        (Array, "field 'more' of Array: rest is not for classes that are made of arrays as well"),
        (Model, "field 'more' of Model: rest is not for classes of pydantic: use extra='allow'"),
    ],
)
def test_refused(into: Any, reason: str) -> None:
    with pytest.raises(PlanError) as caught:
        Plan(into)
    assert str(caught.value) == reason


def test_the_word() -> None:
    assert repr(rest) == "rest"
    assert penstock.rest is rest


@pytest.mark.parametrize("cls", [Plain, Attrs])
def test_many_repeated_elements_take_linear_time(cls: Any) -> None:
    count = 20_000
    text = "<r><id>1</id>" + "".join(f"<e{i}/><e{i}/>" for i in range(count)) + "</r>"
    assert len(xml.decode(text, cls).more) == count
