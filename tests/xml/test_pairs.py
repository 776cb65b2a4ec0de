"""Everyday paths of XML: `at("string()")`, and `at("tag", key="@k", value="@v")` into a dict."""

from __future__ import annotations

import pickle
import warnings
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

import pydantic
import pytest
from hypothesis import given
from hypothesis import strategies as st

import penstock
from penstock import at

T = TypeVar("T")


@dataclass
class Node:
    id: Annotated[int, at("@id")]
    tags: Annotated[dict[str, int], at("tag", key="@k", value="@v")]


@dataclass
class Item:
    tags: Annotated[dict[str, float], at("tags/*", key="name", value="is/number")]


@dataclass
class Paragraph:
    id: Annotated[str, at("@id")]
    text: Annotated[str, at("string()")]


def test_a_dict_out_of_elements() -> None:
    text = '<node id="1"><tag k="a" v="1"/><note/><tag k="b" v="2"/></node>'
    assert penstock.xml.decode(text, Node) == Node(1, {"a": 1, "b": 2})
    assert penstock.xml.decode('<node id="1"/>', Node) == Node(1, {})
    assert penstock.xml.encode(Node(1, {"a": 2})).endswith(
        b'<Node id="1"><tag k="a" v="2"/></Node>'
    )


@given(
    st.dictionaries(st.text("ab<&\u6c34"), st.integers()),
    st.dictionaries(st.text(), st.floats(allow_nan=False, allow_infinity=False)),
)
def test_what_is_written_is_read(tags: dict[str, int], more: dict[str, float]) -> None:
    node, item = Node(1, tags), Item(more)
    assert penstock.xml.decode(penstock.xml.encode(node), Node) == node
    assert penstock.json.decode(penstock.json.encode(item), Item) == item
    assert penstock.make(penstock.plain(item), Item) == item


def test_a_dict_out_of_objects() -> None:
    item = Item({"a": 1.5})
    assert penstock.json.encode(item) == b'{"tags":[{"name":"a","is":{"number":1.5}}]}'
    assert penstock.json.decode(penstock.json.encode(item), Item) == item


def test_in_a_model_of_pydantic() -> None:
    class Model(pydantic.BaseModel):
        tags: Annotated[dict[str, int], at("tag", key="@k", value="text()")]

    model = penstock.xml.decode('<m><tag k="a">5</tag></m>', Model)
    assert model == Model(tags={"a": 5})
    assert penstock.xml.decode(penstock.xml.encode(model), Model) == model


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            '<n id="1"><tag k="a" v="x"/></n>',
            'line 1, column 24: expected int, got "x" (at n/tag/@v)',
        ),
        (
            '<n id="1"><tag k="a" v="1"/><tag k="a" v="1"/></n>',
            "two elements have the key 'a' (at n/tag)",
        ),
        ('<n id="1"><tag k="a"/></n>', "Pair lacks the required attribute '@v' (at n/tag)"),
    ],
)
def test_elements_that_do_not_fit(text: str, message: str) -> None:
    with pytest.raises(penstock.ValidationError) as caught:
        penstock.xml.decode(text, Node)
    assert str(caught.value).endswith(message)


@pytest.mark.parametrize(
    ("kind", "options", "message"),
    [
        (dict, {"key": "@k", "value": "@v"}, "value= is for a dict of types, dict[K, V], not dict"),
        (list[int], {"key": "@k", "value": "@v"}, "dict[K, V], not list[int]"),
        (dict[str, T], {"key": "@k", "value": "@v"}, "dict[K, V], not dict[str, ~T]"),  # type: ignore[valid-type]
        (
            dict[str, int],
            {"value": "@v"},
            "value= needs key=, the path of the key in the same element",
        ),
        (
            dict[str, int],
            {"key": "@@k", "value": "@v"},
            "'@@k' is no name of an element or attribute",
        ),
    ],
)
def test_what_has_no_plan(kind: Any, options: dict[str, str], message: str) -> None:
    cls = dataclass(
        type("Bad", (), {"__annotations__": {"x": Annotated[kind, at("x", **options)]}})
    )
    with pytest.raises(penstock.PlanError) as caught:
        penstock.xml.decode("<a/>", cls)
    assert message in str(caught.value)


def test_at_with_a_value_is_a_value() -> None:
    made = at("tag", key="@k", value="@v")
    assert repr(made) == "at('tag', key='@k', value='@v')"
    assert pickle.loads(pickle.dumps(made)) == made == eval(repr(made))
    assert hash(made) == hash(at("tag", key="@k", value="@v")) != hash(at("tag", key="@k"))
    assert made != at("tag", key="@k")
    with pytest.raises(TypeError, match=r"at\(value=...\) takes a path, not int"):
        at("tag", key="@k", value=1)  # type: ignore[arg-type]


def test_all_text_of_an_element_beside_its_attributes() -> None:
    text = '<p id="1">In <i>vivo</i> H<sub>2</sub>O<!-- no --> &amp; <![CDATA[<b>]]></p>'
    made = penstock.xml.decode(text, Paragraph)
    assert made == Paragraph("1", "In vivo H2O & <b>")
    assert penstock.xml.decode(penstock.xml.encode(made), Paragraph) == made
    found = penstock.xml.read([f"<r>{text}{text}</r>".encode()], Paragraph, at="r/p")
    assert list(found) == [made, made]


def test_the_message_leads_there() -> None:
    cls = dataclass(type("Bad", (), {"__annotations__": {"x": Annotated[str, at(".")]}}))
    with pytest.raises(penstock.PlanError, match=r"all text of an element has the path string\(\)"):
        penstock.xml.decode("<a/>", cls)


@dataclass
class Own:
    id: Annotated[str, at("@id")]
    text: Annotated[str, at("text()")]
    note: str | None = None


WARNED = (
    "Own.text is the text of an element without that of <i> in it, which is left out: "
    "at('string()') takes all of it"
)


def warnings_of(work: Any) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        work()
    assert all(each.category is penstock.MixedContentWarning for each in caught)
    return [str(each.message) for each in caught]


@pytest.mark.parametrize(
    "text",
    [
        '<p id="1">In <i>vivo</i> only</p>',
        '<p id="1"><i>vivo</i> only</p>',
        '<p id="1">only <i/></p>',
        '<p id="1"><note>n</note><i x="1"><b>v</b></i>t</p>',
    ],
)
def test_text_that_is_left_out_is_said(text: str) -> None:
    assert warnings_of(lambda: penstock.xml.decode(text, Own)) == [WARNED]
    reader = penstock.xml.read([f"<r>{text}{text}</r>".encode()], Own, at="r/p")
    assert warnings_of(lambda: list(reader)) == [WARNED]


@pytest.mark.parametrize(
    "text",
    [
        '<p id="1">only</p>',
        '<p id="1">\n  <i>vivo</i>\n</p>',
        '<p id="1" x="2">only <note>n</note></p>',
        '<p id="1">only <!-- i --><?i i?></p>',
    ],
)
def test_nothing_is_said_where_nothing_is_left_out(text: str) -> None:
    assert warnings_of(lambda: penstock.xml.decode(text, Own)) == []


def test_an_element_in_error_leaves_nothing_behind() -> None:
    text = b'<r><p>a <i>b</i></p><p id="2">only</p><p id="3">a <b>b</b></p></r>'

    def work() -> None:
        found = list(penstock.xml.read([text], Own, at="r/p", errors="skip"))
        assert found == [Own("2", "only"), Own("3", "a ")]

    assert len(warnings_of(work)) == 1


def test_it_may_be_an_error() -> None:
    text = '<p id="1">In <i>vivo</i> only</p>'
    with warnings.catch_warnings():
        warnings.simplefilter("error", penstock.MixedContentWarning)
        with pytest.raises(penstock.MixedContentWarning):
            penstock.xml.decode(text, Own)
        with pytest.raises(penstock.ValidationError, match="no field for the element 'i'"):
            penstock.xml.decode(text, Own, unknown="error")
    assert warnings_of(lambda: penstock.xml.decode(text, Paragraph)) == []
