"""`penstock.Raw`: parts of JSON that stay text."""

from __future__ import annotations

import copy
import io
import json
import pickle
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

import penstock
from penstock import Raw, at

LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
)
VALUES = st.recursive(
    LEAVES, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=12
)


@dataclass
class Event:
    type: str
    payload: Raw
    more: tuple[Raw, ...] = ()
    note: Raw | None = None


TEXT = (
    b'{"type": "c", "payload": {"x": 1.50, "y": [-0, 1E5, {"b": "\\u00e9\\n"}], "x": null}, '
    b'"more": [1, "s", [ ], {}, 12345678901234567890, true], "note": null}'
)
EVENT = Event(
    "c",
    Raw('{"x":1.50,"y":[-0,1E5,{"b":"é\\n"}],"x":null}'),
    tuple(map(Raw, ["1", '"s"', "[]", "{}", "12345678901234567890", "true"])),
)


def test_values_keep_their_text_without_white_space() -> None:
    event = penstock.json.decode(TEXT, Event)
    assert event == EVENT
    assert event.payload.data == '{"x":1.50,"y":[-0,1E5,{"b":"é\\n"}],"x":null}'.encode()
    assert [raw.data for raw in event.more] == [
        b"1",
        b'"s"',
        b"[]",
        b"{}",
        b"12345678901234567890",
        b"true",
    ]


def test_however_the_document_is_cut() -> None:
    for cut in range(1, len(TEXT)):
        decoder = penstock.json.Decoder(Event)
        assert [*decoder.feed(TEXT[:cut]), *decoder.feed(TEXT[cut:]), *decoder.finish()] == [EVENT]


def test_it_is_copied_into_what_is_written() -> None:
    text = penstock.json.encode(EVENT, omit="defaults")
    payload = '"payload":{"x":1.50,"y":[-0,1E5,{"b":"é\\n"}],"x":null}'
    assert (
        text.decode()
        == '{"type":"c",' + payload + ',"more":[1,"s",[],{},12345678901234567890,true]}'
    )
    assert penstock.json.decode(text, Event) == EVENT
    assert penstock.ndjson.encode([EVENT.payload, {"a": Raw("2")}]).count(b"\n") == 2


def test_options_of_the_writer_hold_inside() -> None:
    raw = Raw('{"b": [1, "é"], "a": 1.0}')
    assert penstock.json.encode([raw], indent=2).decode() == (
        '[\n  {\n    "b": [\n      1,\n      "é"\n    ],\n    "a": 1.0\n  }\n]\n'
    )
    assert penstock.json.encode(raw, sort_keys=True).decode() == '{"a":1.0,"b":[1,"é"]}'
    assert penstock.json.encode(raw, ascii=True) == b'{"b":[1,"\\u00e9"],"a":1.0}'
    assert penstock.json.encode(raw, canonical=True).decode() == '{"a":1,"b":[1,"é"]}'


@given(VALUES)
def test_any_value_comes_through(value: object) -> None:
    raw = Raw(json.dumps(value, indent=1))
    assert json.loads(str(raw)) == value
    assert penstock.json.decode(raw) == value
    assert penstock.plain(raw) == value
    assert penstock.json.decode(penstock.json.encode([raw, raw]), list[Raw]) == [raw, raw]
    assert penstock.json.encode(penstock.make(value, Raw)) == penstock.json.encode(value)


def test_it_is_a_value() -> None:
    raw = Raw(b' {"a": 1} ')
    assert (repr(raw), str(raw), bytes(raw), bytes(memoryview(raw))) == (
        "Raw(b'{\"a\":1}')",
        '{"a":1}',
        b'{"a":1}',
        b'{"a":1}',
    )
    same: list[object] = [Raw(raw), copy.deepcopy(raw), pickle.loads(pickle.dumps(raw))]
    assert all(other == raw and hash(other) == hash(raw) for other in same)
    assert raw != Raw("[]")
    assert raw != b'{"a":1}'


@pytest.mark.parametrize(
    ("data", "error", "reason"),
    [
        (b"{", penstock.TruncatedInput, "the input ends inside an object"),
        ("", penstock.TruncatedInput, "the input is empty"),
        ("1 2", penstock.MalformedInput, "expected the end of the document"),
        (b"\xff", penstock.MalformedInput, "invalid UTF-8"),
    ],
)
def test_it_is_always_valid(data: bytes | str, error: type[Exception], reason: str) -> None:
    with pytest.raises(error, match=reason):
        Raw(data)


def test_a_fault_inside_is_found_where_it_stands() -> None:
    with pytest.raises(penstock.MalformedInput) as caught:
        penstock.json.decode('{"type": "c",\n "payload": [1, {"a": tru}]}', Event)
    assert (caught.value.line, caught.value.column, caught.value.path) == (2, 23, "payload")


def test_a_bad_record_leaves_nothing_behind() -> None:
    lines = b'{"type": "a", "payload": [1, [2, x]]}\n{"type": "b", "payload": [3]}\n'
    assert list(penstock.ndjson.read(io.BytesIO(lines), Event, errors="skip")) == [
        Event("b", Raw("[3]"))
    ]


@dataclass
class Left:
    body: Raw
    kind: Literal["left"]


@dataclass
class Right:
    body: Raw
    kind: Literal["right"]


def test_before_the_tag_of_a_union() -> None:
    value = penstock.json.decode(
        '{"body": {"a": [1.50, "\\u00e9"]}, "kind": "right"}', Left | Right
    )
    assert value == Right(Raw('{"a":[1.50,"é"]}'), "right")


@dataclass
class Deep:
    inner: Annotated[Raw, at("a/b")]
    all: Annotated[list[Raw], at("c/*/d")]


def test_at_a_path() -> None:
    value = penstock.json.decode(
        '{"a": {"b": {"x": [ ]}}, "c": [{"d": 1}, {"d": {"e": [2, 3]}}]}', Deep
    )
    assert value == Deep(Raw('{"x":[]}'), [Raw("1"), Raw('{"e":[2,3]}')])


def test_null_is_a_value_unless_none_is_one() -> None:
    assert penstock.json.decode("null", Raw) == Raw("null")
    assert penstock.json.decode("[null]", list[Raw | None]) == [None]
    assert penstock.json.decode("[[null]]", list[Raw | None]) == [Raw("[null]")]


def test_make_takes_values_and_parts() -> None:
    made = penstock.make({"type": "a", "payload": {"x": [1, Raw("[2.50]"), (3,)]}}, Event)
    assert made == Event("a", Raw('{"x":[1,[2.50],[3]]}'))
    assert penstock.make({"type": "a", "payload": Raw("1")}, Event).payload == Raw("1")


def test_a_column_is_text() -> None:
    rows = penstock.columns(io.BytesIO(penstock.ndjson.encode([EVENT])), Event, format="ndjson")
    assert rows.to_arrow().column("payload").to_pylist() == [str(EVENT.payload)]


@dataclass
class Only:
    payload: Raw


def test_other_formats_have_no_place_for_it() -> None:
    with pytest.raises(penstock.EncodeError, match="payload: a Raw is a part of JSON"):
        penstock.xml.encode(EVENT)
    with pytest.raises(penstock.EncodeError, match=r"payload.*: a Raw is a part of JSON"):
        penstock.csv.encode([{"payload": Raw("1")}])
    for decode in (penstock.xml.decode, penstock.csv.decode, penstock.plist.decode):
        with pytest.raises(
            penstock.PlanError,
            match=r"Only: a Raw is a part of JSON, and (XML|CSV|plist) has none",
        ):
            decode(b"<a/>", Only)


def test_it_takes_everything_so_it_is_alone() -> None:
    with pytest.raises(penstock.PlanError, match="Raw takes any value, so it cannot be in a union"):
        penstock.Plan(int | Raw)
    broken: Any = {}
    with pytest.raises(penstock.EncodeError, match="expected Raw, got dict"):
        penstock.json.encode(Event("a", broken))
