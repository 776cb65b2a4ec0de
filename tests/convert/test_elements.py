"""The element form loses nothing: the canonical form (C14N) of what comes back is the same."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from converting import converted, documents
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from penstock import DecodeError


def canonical(data: bytes) -> bytes:
    parser = etree.XMLParser(
        resolve_entities=True,
        no_network=True,
        huge_tree=True,
        attribute_defaults=True,
        strip_cdata=True,
    )
    tree = etree.parse(io.BytesIO(data), parser)
    return etree.tostring(tree, method="c14n", with_comments=True)


# libxml2 reads an external subset or the text of an entity in another way than the suite expects, or
# refuses what is well-formed.
LEFT_OUT = {
    "xmltest/valid/not-sa/026.xml",
    "xmltest/valid/sa/068.xml",
    "xmltest/valid/sa/097.xml",
    "xmltest/valid/sa/108.xml",
}


def there_and_back(data: bytes) -> bytes:
    form = converted(data, "xml", "json", form="element")
    back = converted(form, "json", "xml", form="element")
    # What is written again is the same.
    assert converted(back, "xml", "json", form="element") == form
    return back.encode()


def test_every_document_of_the_corpus_survives(corpus: Callable[[str], Path]) -> None:
    compared = refused = 0
    for path in documents(
        corpus, ["xml/xmlconf", "xml/attacks", "xml/pubmed", "xml/real"], 4 << 20
    ):
        data = path.read_bytes()
        try:
            back = there_and_back(data)
        except DecodeError:
            continue
        if any(path.as_posix().endswith(name) for name in LEFT_OUT) or path.suffix == ".bz2":
            continue
        try:
            expected = canonical(data)
        except (etree.XMLSyntaxError, etree.C14NError):
            refused += 1
            continue
        assert canonical(back) == expected, path
        assert canonical(converted(data, "xml", "xml").encode()) == expected, path
        compared += 1
    assert compared > 350
    assert refused < 20


NAMES = st.sampled_from(["a", "b", "p:a", "q:b", "é", "x-y"])
TEXT = st.text(st.sampled_from("ab <>&\"'\n\t]é水\U0001d11e\u0085\u2028-?"), max_size=12)


def attributes(names: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    def written(pairs: dict[str, str]) -> str:
        return "".join(f" {name}={json_quoted(value)}" for name, value in pairs.items())

    return st.dictionaries(names, TEXT, max_size=3).map(written)


def json_quoted(text: str) -> str:
    for character, escape in {
        "&": "&amp;",
        "<": "&lt;",
        '"': "&quot;",
        "\n": "&#10;",
        "\t": "&#9;",
    }.items():
        text = text.replace(character, escape)
    return f'"{text}"'


def escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


EXTRAS = st.sampled_from(["<!---->", "<!-- c -->", "<?p?>", "<?p d e?>", "<![CDATA[<x>&]]>"])
ELEMENTS: st.SearchStrategy[str] = st.recursive(
    TEXT.map(escaped) | EXTRAS,
    lambda inner: st.builds(
        lambda name, pairs, content: f"<{name}{pairs}>{''.join(content)}</{name}>",
        NAMES,
        attributes(NAMES),
        st.lists(inner, max_size=4),
    ),
    max_leaves=12,
)
OUTSIDE = st.lists(st.sampled_from(["<!-- c -->", "<?p d?>", "\n"]), max_size=2).map("".join)


@given(ELEMENTS, OUTSIDE, OUTSIDE, st.sampled_from(["", " xmlns='urn:d'", " xmlns:r='urn:p'"]))
def test_any_document_survives(inner: str, before: str, after: str, more: str) -> None:
    text = f"{before}<root xmlns:p='urn:p' xmlns:q='urn:q'{more}>{inner}</root>{after}"
    assert canonical(there_and_back(text.encode())) == canonical(text.encode())


@given(ELEMENTS)
def test_any_record_is_whole(inner: str) -> None:
    """Each record has the declarations that it needs, so it can be read alone."""
    text = f"<root xmlns:p='urn:p' xmlns:q='urn:q' xmlns='urn:d'>{inner}</root>"
    tree = etree.fromstring(text.encode())
    expected = [
        etree.tostring(element, method="c14n", exclusive=True, with_comments=True, with_tail=False)
        for element in tree
        if isinstance(element.tag, str)
    ]
    lines = converted(text, "xml", "ndjson", form="element").split("\n")[:-1]
    found = []
    for line in lines:
        json.loads(line)
        alone = etree.fromstring(converted(line, "json", "xml", form="element").encode())
        found.append(etree.tostring(alone, method="c14n", exclusive=True, with_comments=True))
    assert found == expected
    # The same as XML with another root.
    other = etree.fromstring(converted(text, "xml", "xml", at="root/*", root="other").encode())
    found = [
        etree.tostring(element, method="c14n", exclusive=True, with_comments=True, with_tail=False)
        for element in other
    ]
    assert found == expected


def test_a_comment_of_the_document_type_is_no_part_of_the_document() -> None:
    text = "<!--a--><!DOCTYPE r [<!--b--><?p?><!ENTITY e '<!--c-->'>]><r>&e;</r>"
    expected: list[Any] = ["#document", ["#comment", "a"], ["r", ["#comment", "c"]]]
    assert json.loads(converted(text, "xml", "json", form="element")) == expected


@pytest.mark.parametrize("size", [0, 1, 65_535, 65_536, 65_537, 300_000])
def test_long_text_is_strings_of_64_kib(size: int) -> None:
    text = "x" * size
    form = json.loads(converted(f"<a>{text}</a>", "xml", "json", form="element"))
    assert [len(part) for part in form[1][1:]] == [
        min(65_536, size - start) for start in range(0, size, 65_536)
    ]
    assert "".join(form[1][1:]) == text
