"""Conversions by a class do what reading and writing its objects does."""

from __future__ import annotations

import io
import json
import sys
import threading
import time as time_module
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from pathlib import Path
from random import Random
from typing import Annotated, Any, Literal, NamedTuple, NotRequired, TypedDict
from uuid import UUID

import msgspec
import pytest
from annotated_types import Ge, Len, Lt, MaxLen, MultipleOf
from converting import agree, converted, in_chunks
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from random_classes import any_kind

import penstock
from penstock import EncodeError, PlanError, at


class Size(Enum):
    SMALL = "S"
    LARGE = 7


class Place(TypedDict):
    city: str
    zip: NotRequired[int]


@dataclass(slots=True)
class Position:
    lat: float
    lon: float


@dataclass
class Tag:
    word: Annotated[str, Len(1, 5)]
    weight: Annotated[float, Ge(0), Lt(2.5)] = 1.0


class Point(msgspec.Struct, tag="point"):
    x: int
    y: int = 0


@dataclass(slots=True)
class Every:
    id: int
    name: Annotated[str, at("names/main")]
    other: Annotated[str | None, at("names/other")] = None
    ratio: float = 0.5
    flag: bool | None = None
    when: datetime | None = None
    day: date | None = None
    clock: time | None = None
    span: timedelta | None = None
    key: UUID | None = None
    price: Decimal | None = None
    data: bytes | None = None
    size: Size = Size.SMALL
    mode: Literal["a", "b", 3] = "a"
    either: int | str | list[int] | None = None
    mixed: date | str | None = None
    word: int | str = "?"
    even: Annotated[int, MultipleOf(2)] = 0
    tags: Annotated[list[Tag], MaxLen(3)] = field(default_factory=list)
    places: dict[str, Place] = field(default_factory=dict)
    pair: tuple[int, str] | None = None
    point: Point | None = None
    position: Position | None = None
    rest: Any = None


# A value of each field, and one that does not fit.
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "id": st.one_of(st.integers(), st.just(2**70), st.just(-(2**64))),
    "names": st.one_of(
        st.fixed_dictionaries({"main": st.text()}, optional={"other": st.none() | st.text()}),
        st.sampled_from([None, 3, [], {"main": 3}]),
    ),
    "ratio": st.floats(allow_nan=False, allow_infinity=False) | st.integers(-5, 5),
    "flag": st.none() | st.booleans() | st.just(1),
    "when": st.sampled_from(
        ["2024-01-02T03:04:05Z", "2024-01-02t03:04:05.120000+01:30", "2024-01-02 03:04:05", "2024"]
    ),
    "day": st.dates().map(str) | st.just("0000-01-01"),
    "clock": st.times().map(str) | st.just("24:00:00"),
    "span": st.sampled_from(["P1DT2H", "PT90S", "-PT1S", "P1Y", "PT0.0000001S"]),
    "key": st.uuids().map(str) | st.uuids().map(lambda value: value.hex) | st.just("x"),
    "price": st.sampled_from(
        [json.loads("1"), 1.5, "2.50", "0.0000001", "1e5", "NaN", 10**30, "-0", "0.000000"]
    ),
    "data": st.sampled_from(["", "cGVu", "cGVu\n", "cGV", "/+8="]),
    "size": st.sampled_from(["S", 7, "L", "SMALL", None]),
    "mode": st.sampled_from(["a", "b", 3, "3", 4, None]),
    "either": st.one_of(
        st.none(), st.integers(), st.text(), st.lists(st.integers(), max_size=3), st.just([1.5])
    ),
    "mixed": st.sampled_from(["2024-02-29", "2023-02-29", "", 3]),
    "even": st.integers(-6, 6) | st.just(2**64),
    "tags": st.lists(
        st.fixed_dictionaries(
            {"word": st.text(max_size=6)}, optional={"weight": st.sampled_from([0, 1, -1, 2.5, 2])}
        ),
        max_size=4,
    ),
    "places": st.dictionaries(
        st.text(max_size=3),
        st.fixed_dictionaries({"city": st.text(max_size=2)}, optional={"zip": st.integers()}),
    ),
    "pair": st.sampled_from([[1, "a"], [1], [1, "a", 2], ["a", 1], [], None, [2**65, ""]]),
    "point": st.sampled_from(
        [{"type": "point", "x": 1}, {"x": 1, "y": 2}, {"type": "line", "x": 1}, {"y": 1}, None]
    ),
    "position": st.sampled_from([{"lon": 1, "lat": 2.5}, {"lat": 1}, None, [1, 2]]),
    "rest": st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=3)
        ),
        max_leaves=6,
    ),
    "unknown": st.sampled_from([1, {"a": [1]}, "x"]),
}
RECORD = st.fixed_dictionaries(
    {"id": VALUES["id"], "names": VALUES["names"]},
    optional={name: values for name, values in VALUES.items() if name not in {"id", "names"}},
)


def written(record: dict[str, Any], twice: bool) -> str:
    """The text of a record; if `twice`, each member is in it twice, at first as null."""
    members = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in record.items()]
    if twice:
        members = [*members, *members[:1], *members[-1:]]
    return "{" + ", ".join(members) + "}"


def fitted(data: str, into: Any, to: Any = "ndjson", **options: Any) -> str:
    return converted(data, "json", to, into=into, **options)


def test_fields_paths_and_defaults() -> None:
    record = {
        "unknown": {"a": [1]},
        "names": {"other": None, "x": 1, "main": "V\u00e9"},
        "ratio": 1,
        "when": "2024-01-02t03:04:05.120z",
        "key": "12345678-9ABC-def0-1234-56789abcdef0",
        "price": 1.50,
        "tags": [{"word": "a"}, {"weight": 2, "word": "b"}],
        "places": {"x": {"zip": 1, "city": "c", "y": 2}},
        "point": {"y": 2, "type": "point", "x": 1},
        "id": 2**70,
    }
    assert json.loads(fitted(json.dumps([record]), Every)) == {
        "id": 2**70,
        "names": {"main": "V\u00e9", "other": None},
        "ratio": 1.0,
        "flag": None,
        "when": "2024-01-02T03:04:05.120000Z",
        "day": None,
        "clock": None,
        "span": None,
        "key": "12345678-9abc-def0-1234-56789abcdef0",
        "price": 1.5,
        "data": None,
        "size": "S",
        "mode": "a",
        "either": None,
        "mixed": None,
        "word": "?",
        "even": 0,
        "tags": [{"word": "a", "weight": 1.0}, {"word": "b", "weight": 2.0}],
        "places": {"x": {"city": "c", "zip": 1}},
        "pair": None,
        "point": {"type": "point", "x": 1, "y": 2},
        "position": None,
        "rest": None,
    }


def test_options_of_the_target() -> None:
    data = '[{"lon": 1, "lat": 2.50}]'
    assert fitted(data, Position) == '{"lat":2.5,"lon":1.0}\n'
    assert fitted(data, Position, "json", indent=1) == (
        '[\n {\n  "lat": 2.5,\n  "lon": 1.0\n }\n]\n'
    )
    assert fitted(data, Position, canonical=True) == '{"lat":2.5,"lon":1}\n'
    tag = '[{"weight": 1, "word": "\u00e9"}]'
    assert fitted(tag, Tag, sort_keys=True, ascii=True) == '{"weight":1.0,"word":"\\u00e9"}\n'
    assert fitted('{"a": [1, 2], "a": [3]}', dict[str, list[int]], at=None) == '{"a":[3]}\n'
    assert fitted("[1, 2, 3]", int) == "1\n2\n3\n"
    assert fitted('{"p": [[1, 2]]}', list[float], at="p/*") == "[1.0,2.0]\n"


def test_paths_with_prefixes() -> None:
    @dataclass
    class Item:
        name: Annotated[str, at("@p:name")]

    text = fitted(
        '[{"@p:name": "x"}]',
        Item,
        "xml",
        objects=True,
        namespaces={"p": "urn:p"},
        declaration=False,
    )
    assert text == '<root xmlns:p="urn:p"><Item p:name="x"/></root>'
    back = converted(text, "xml", "json", into=Item, objects=True, namespaces={"p": "urn:p"})
    assert back == '[{"@p:name":"x"}]'


class Called:
    def __init__(self, x: int) -> None:
        self.x = abs(x)


@dataclass
class After:
    x: int

    def __post_init__(self) -> None:
        self.x += 1


@dataclass
class Listed:
    x: list[int] = field(default_factory=lambda: [1])


@dataclass
class Spread:
    x: Annotated[list[int], at("a/*/b")]


@dataclass
class Flat:
    position: Annotated[Position, at(".")]


class Row(NamedTuple):
    x: int


@pytest.mark.parametrize(
    ("into", "why"),
    [
        (Called, "Called has its own __init__"),
        (After, "After has a __post_init__"),
        (list[After], "After has a __post_init__"),
        (Listed, "Listed.x has a default that is no scalar"),
        (Spread, "Spread has a path with an index or a '*'"),
        (Flat, "Flat.position is a part of the object itself"),
        (Row, "Row may be an array"),
        (set[int], "the record is a set, whose items have no order"),
        (Position | Tag, "the record is of one of several classes"),
        (Path, "the record is converted by a function"),
        (Annotated[str, penstock.pattern("a")], "the record is checked by a function"),
        (dict[int, str], "the record has keys of int"),
        (
            Annotated[datetime, penstock.unix("s")],
            "the record has a form of its own (datetime)",
        ),
    ],
)
def test_what_needs_objects(into: Any, why: str) -> None:
    with pytest.raises(PlanError) as caught:
        fitted("[]", into)
    assert str(caught.value) == f"{why}, so convert() must make objects: pass objects=True"
    assert fitted("[]", into, objects=True) == ""


def test_elements_need_objects() -> None:
    for kind, to, side in (("xml", "json", "source"), ("json", "xml", "target")):
        with pytest.raises(PlanError) as caught:
            converted("<a/>" if kind == "xml" else "[]", kind, to, into=Position)
        assert str(caught.value) == (
            f"the {side} is XML, so convert() must make objects: pass objects=True"
        )


def test_objects_are_made_by_their_code() -> None:
    assert fitted('[{"x": 1}]', After, objects=True) == '{"x":2}\n'
    text = "<shops><shop><lat>1</lat><lon>2</lon></shop></shops>"
    assert converted(text, "xml", "json", into=Position, objects=True) == '[{"lat":1.0,"lon":2.0}]'


def test_what_it_does_not_take() -> None:
    with pytest.raises(ValueError, match=r"^form= is for conversions without a class$"):
        fitted("[]", Position, "xml", form="element")
    with pytest.raises(PlanError, match=r"^3 is not a type$"):
        fitted("[]", 3)
    with pytest.raises(TypeError, match="objects"):
        fitted("[]", Position, objects="yes")


def test_the_old_file_stays(tmp_path: Path) -> None:
    source, target = tmp_path / "a.json", tmp_path / "b.json"
    source.write_text('[{"lat": 1, "lon": 2}, {"lat": 1}]')
    target.write_text("old")
    with pytest.raises(penstock.ValidationError) as caught:
        penstock.convert(source, target, into=Position)
    assert str(caught.value) == (
        f'{source}:1:33: Position lacks the required key "lon" (record 2, at 1)'
    )
    assert target.read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.json", "b.json"]


def test_a_record_that_cannot_be_written() -> None:
    data = '[{"a": "\\u0000"}]'
    for errors in ("raise", "skip"):
        with pytest.raises(EncodeError) as caught:
            fitted(data, dict[str, str], "xml", objects=True, errors=errors)
        assert str(caught.value) == ("['a']: the character U+0000 is not allowed in XML (record 1)")


def test_limits() -> None:
    data = json.dumps([{"a": [1] * 5_000}]).encode()
    for objects in (False, True):
        with pytest.raises(penstock.LimitExceeded) as caught:
            penstock.convert(
                in_chunks(data, 1_000),
                io.BytesIO(),
                into=dict[str, list[int]],
                format="json",
                to="ndjson",
                objects=objects,
                limits=penstock.Limits(memory=50_000),
            )
        assert "limits.memory" in str(caught.value)
    with pytest.raises(penstock.LimitExceeded, match=r"limits.depth"):
        fitted("[[[[1]]]]", Any, limits=penstock.Limits(depth=2))


def test_no_object_is_made_and_no_lock_is_held(tmp_path: Path) -> None:
    source, target = tmp_path / "a.ndjson", tmp_path / "b.ndjson"
    source.write_text('{"lat": 1.5, "lon": -2}\n' * 200_000)
    turns = 0
    ended = threading.Event()

    def turn() -> None:
        nonlocal turns
        while not ended.is_set():
            turns += 1
            time_module.sleep(0.0001)

    thread = threading.Thread(target=turn)
    thread.start()
    before = sys.getallocatedblocks()
    penstock.convert(source, target, into=Position)
    made = sys.getallocatedblocks() - before
    ended.set()
    thread.join()
    assert target.read_text().count('{"lat":1.5,"lon":-2.0}\n') == 200_000
    assert made < 1_000
    assert turns > 5


@given(
    st.lists(RECORD, max_size=4),
    st.booleans(),
    st.integers(1, 300),
    st.sampled_from(["json", "ndjson"]),
)
@example([{"id": 1, "names": {"main": "a"}}], True, 1, "json")
def test_fitted_records_are_those_of_objects(
    records: list[dict[str, Any]], twice: bool, size: int, to: Any
) -> None:
    texts = [written(record, twice) for record in records]
    agree(("[" + ",".join(texts) + "]").encode(), Every, "json", to, size, objects=False)
    agree("\n".join(texts).encode(), Every, "ndjson", to, size, objects=False)


@given(st.lists(RECORD, min_size=1, max_size=3), st.data())
def test_damaged_records_are_those_of_objects(records: list[dict[str, Any]], data: Any) -> None:
    text = bytearray("\n".join(json.dumps(record) for record in records).encode())
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(text) - 1))
        text[place] = data.draw(st.sampled_from(b'",:{}[]0a\n\\\xff '))
    size = data.draw(st.integers(1, 300))
    agree(bytes(text), Every, "ndjson", "json", size, objects=False)
    whole = b"[" + bytes(text).replace(b"\n", b",") + b"]"
    agree(whole, Every, "json", "ndjson", size, objects=False)


@given(
    st.lists(RECORD, max_size=3), st.integers(1, 300), st.sampled_from(["json", "ndjson", "xml"])
)
def test_objects_agree_too(records: list[dict[str, Any]], size: int, to: Any) -> None:
    data = json.dumps(records).encode()
    agree(data, Every, "json", to, size, objects=True)


@given(st.randoms(use_true_random=False), st.integers(1, 300))
@settings(suppress_health_check=[HealthCheck.too_slow])
def test_any_class(rng: Random, size: int) -> None:
    kind = any_kind(rng)
    records = [kind.make(rng) for _ in range(rng.randrange(1, 4))]
    for source in ("json", "xml"):
        try:
            target = io.BytesIO()
            with penstock.write(target, kind.annotation, format=source) as writer:
                writer.write_all(records)
        except (PlanError, EncodeError):
            continue
        to = rng.choice(["json", "ndjson", "xml"])
        agree(target.getvalue(), kind.annotation, source, to, size, objects=True)
        if source == "json":
            try:
                converted("[]", "json", "json", into=kind.annotation)
            except PlanError:
                continue
            agree(target.getvalue(), kind.annotation, "json", "ndjson", size, objects=False)
