"""Documents without a class: the same dicts as xmltodict makes, so that people can switch."""

from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape, quoteattr

import pytest
import xmltodict
from hypothesis import example, given
from hypothesis import strategies as st

import penstock
from penstock import LimitExceeded, Limits
from penstock.xml import decode, read

NAMES = st.sampled_from(["a", "b", "c", "p:a", "p:b", "\u00e9t\u00e9"])
TEXT = st.text(st.sampled_from(" \n\tab&<>'\"\u00a0\u2028\u00e9\u6c34\U0001f600"), max_size=6)


@st.composite
def elements(draw: st.DrawFn, content: st.SearchStrategy[str]) -> str:
    """An element with attributes, and text, elements, comments and CDATA sections in it."""
    name = draw(NAMES)
    attributes = draw(st.dictionaries(NAMES, TEXT, max_size=3))
    tag = name + "".join(f" {key}={quoteattr(value)}" for key, value in attributes.items())
    if draw(st.booleans()) and draw(st.booleans()):
        return f"<{tag}/>"
    return f"<{tag}>{''.join(draw(st.lists(content, max_size=4)))}</{name}>"


PIECES = (
    TEXT.map(escape)
    | TEXT.map(lambda text: f"<![CDATA[{text}]]>")
    | st.just("<!-- no -->")
    | st.just("<?no thing?>")
)
TREES = st.recursive(PIECES, lambda content: content | elements(content), max_leaves=25)


def document(content: str) -> str:
    """A whole document with its prefix declared."""
    return f"<root xmlns:p='urn:p' xmlns='urn:d'>{content}</root>"


FORCED: st.SearchStrategy[Any] = st.sampled_from(
    [False, True, ("a",), ("root", "p:b"), ("#text", "c"), ()]
)


@given(st.lists(TREES, max_size=4).map("".join), FORCED)
@example("", True)
@example("x", True)
@example("<a/><a/><a>1</a>", ())
@example(" <a>  </a> ", ())
@example("one<a/>two", ())
@example("\u00a0", ())
def test_as_xmltodict(content: str, force_list: bool | tuple[str, ...]) -> None:
    text = document(content)
    expected = xmltodict.parse(text, force_list=force_list)
    found = decode(text, force_list=force_list)
    assert found == expected
    assert order(found) == order(expected)


@given(st.lists(TREES, max_size=4).map("".join), st.data())
def test_any_chunks_give_the_same(content: str, data: st.DataObject) -> None:
    text = document(f"<record>{content}</record>")
    expected = xmltodict.parse(text)["root"]["record"]
    decoder = penstock.xml.Decoder()
    rows: list[object] = []
    rest = text.encode()
    while rest:
        size = data.draw(st.integers(1, 9))
        rows += decoder.feed(rest[:size])
        rest = rest[size:]
    assert rows + decoder.finish() == [expected]


def order(value: Any) -> Any:
    """The same with the order of the keys."""
    if isinstance(value, dict):
        return [(key, order(inner)) for key, inner in value.items()]
    if isinstance(value, list):
        return [order(inner) for inner in value]
    return value


def test_each_rule() -> None:
    text = """<r xmlns="urn:r" v="1">
      <empty/><void></void><blank>  </blank><text> x </text>
      <item n="1"/><item>two</item><item n="3">three<b/></item>
    </r>"""
    assert decode(text) == {
        "r": {
            "@xmlns": "urn:r",
            "@v": "1",
            "empty": None,
            "void": None,
            "blank": None,
            "text": "x",
            "item": [{"@n": "1"}, "two", {"@n": "3", "b": None, "#text": "three"}],
        }
    }
    assert decode("<r/>") == {"r": None}
    assert decode("<r>1</r>") == {"r": "1"}
    assert decode("<r a=''/>") == {"r": {"@a": ""}}


def test_records_are_what_is_in_their_elements() -> None:
    text = "<r><i n='1'/><j/><i>two</i></r>"
    assert list(read([text.encode()])) == [{"@n": "1"}, None, "two"]
    assert list(read([text.encode()], at="r/i")) == [{"@n": "1"}, "two"]
    assert list(read([text.encode()], at="r")) == [{"i": [{"@n": "1"}, "two"], "j": None}]


def test_a_field_without_a_type_is_plain() -> None:
    found = decode("<r><x a='1'><y/><y>2</y></x><z>3</z></r>", dict[str, Any])
    assert found == {"x": {"@a": "1", "y": [None, "2"]}, "z": "3"}


def test_text_has_a_limit() -> None:
    limits = Limits(token=100)
    text = f"<r>{'x' * 50}<a>{'y' * 50}</a></r>"
    assert decode(text, limits=limits) == {"r": {"a": "y" * 50, "#text": "x" * 50}}
    with pytest.raises(LimitExceeded, match=r"longer than 100 bytes \(limits.token\)"):
        decode(f"<r>{'x' * 101}</r>", limits=limits)


def test_depth_is_no_recursion() -> None:
    deep = decode("<a>" * 900 + "</a>" * 900)
    for _ in range(900):
        assert list(deep) == ["a"]
        deep = deep["a"]
    assert deep is None


SUITES = ["xml/pubmed/pubmed1.xml", "xml/pubmed/pubmed6.xml", "xml/pubmed/1472-6831-8-11.nxml"]


@pytest.mark.parametrize("name", [*SUITES, "xml/real/vk.xml", "xml/real/export6s3sample.xml"])
def test_real_files(name: str, corpus: Callable[[str], Path]) -> None:
    data = corpus(name).read_bytes()
    assert decode(data) == xmltodict.parse(data, disable_entities=False)
