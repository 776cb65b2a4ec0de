"""XML of ASCII alone: references for other characters, and no name that would need one."""

from __future__ import annotations

import io
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from random_classes import any_kind

import penstock
from penstock import EncodeError, PlanError
from penstock.xml import decode, encode

HEAD = b'<?xml version="1.0" encoding="US-ASCII"?>\n'


def test_references() -> None:
    value = {"a": {"@b": "\u00e9\U0001d11e&", "#text": "10 \u20ac<", "c": ["]]>", "\ud7ff"]}}
    text = encode(value, ascii=True)
    assert text == HEAD + (
        b'<a b="&#233;&#119070;&amp;">10 &#8364;&lt;<c>]]&gt;</c><c>&#55295;</c></a>'
    )
    assert decode(text) == value
    # What it is declared as does not matter to its bytes.
    for encoding in ("iso-8859-1", "windows-1252", "utf-8", "shift_jis"):
        assert text.decode(encoding) == text.decode()


def test_the_rest_of_the_document() -> None:
    assert encode({"a": 1}, ascii=True, declaration=False) == b"<a>1</a>"
    spaced = encode({"p:a": "x"}, ascii=True, declaration=False, namespaces={"p": "urn:\u00e9"})
    assert spaced == b'<p:a xmlns:p="urn:&#233;">x</p:a>'
    assert list(decode(spaced, namespaces={"p": "urn:\u00e9"})) == ["p:a"]
    target = io.BytesIO()
    penstock.xml.dump({"a": {"b": "\u00e9", "c": {"d": "e"}}}, target, ascii=True, indent=1)
    assert target.getvalue() == HEAD + b"<a>\n <b>&#233;</b>\n <c>\n  <d>e</d>\n </c>\n</a>\n"
    target = io.BytesIO()
    with penstock.xml.write(target, str, ascii=True, declaration=False) as writer:
        writer.write("\u00e9")
    assert target.getvalue() == b"<root><item>&#233;</item></root>"
    assert penstock.xml.Encoder(ascii=True).encode({"a": "\u00e9"}) == HEAD + b"<a>&#233;</a>"


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"\u00e9": 1}, "['\u00e9']: \"\u00e9\" is no name in ASCII"),
        ({"a": {"@\u00e9": 1}}, "['a']['@\u00e9']: \"\u00e9\" is no name in ASCII"),
        (
            {"a": {"@xmlns:\u00e9": "u"}},
            "['a']['@xmlns:\u00e9']: \"xmlns:\u00e9\" is no name in ASCII",
        ),
    ],
)
def test_names(value: Any, message: str) -> None:
    with pytest.raises(EncodeError) as raised:
        encode(value, ascii=True)
    assert str(raised.value) == message
    encode(value)


def test_names_of_options() -> None:
    for options in ({"root": "\u00e9"}, {"record": "\u00e9"}, {"namespaces": {"\u00e9": "urn:u"}}):
        with pytest.raises(ValueError, match=r'^"\u00e9" is no name in ASCII$'):
            penstock.xml.Encoder(ascii=True, **options)


def test_conversions() -> None:
    def converted(text: str, format: Any = "xml") -> bytes:
        target = io.BytesIO()
        penstock.convert(
            io.BytesIO(text.encode()),
            target,
            format=format,
            to="xml",
            ascii=True,
            declaration=False,
        )
        return target.getvalue()

    assert converted("<a b='\u00e9'><!--c-->\u20ac<?p q?></a>") == (
        b'<a b="&#233;"><!--c-->&#8364;<?p q?></a>'
    )
    assert converted('{"a": "\u00e9"}', "json") == b"<a>&#233;</a>"
    for text, reason in (
        ("<a><!--\u00e9--></a>", "a comment in ASCII has no other characters"),
        ("<a><?p \u00e9?></a>", "an instruction in ASCII has no other characters"),
        ("<a><\u00e9/></a>", '"\u00e9" is no name in ASCII'),
    ):
        with pytest.raises(penstock.ValidationError) as raised:
            converted(text)
        assert reason in str(raised.value)


@given(st.text(), st.text())
def test_any_text(one: str, other: str) -> None:
    value = {"a": {"@b": one, "#text": other}}
    try:
        plain = encode(value)
    except EncodeError:
        return
    text = encode(value, ascii=True)
    assert text.isascii()
    assert decode(text) == decode(plain)
    found, wanted = etree.fromstring(text), etree.fromstring(plain)
    assert (found.get("b"), found.text) == (wanted.get("b"), wanted.text)


@given(st.randoms(use_true_random=False), st.sampled_from([None, 2]))
def test_any_class(random: Any, indent: int | None) -> None:
    kind = any_kind(random)
    value = kind.make(random)
    try:
        text = encode(value, kind.annotation, ascii=True, indent=indent)
    except (EncodeError, PlanError):
        return
    assert text.isascii()
    plain = encode(value, kind.annotation, indent=indent)
    assert etree.tostring(etree.fromstring(text)) == etree.tostring(etree.fromstring(plain))
