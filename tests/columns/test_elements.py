"""XML into columns: as into objects, element by element and attribute by attribute."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Annotated, Any, Literal
from xml.sax.saxutils import escape, quoteattr

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from in_columns import Chunks, batches, outcome, plain, rows

import penstock
from penstock import at

SETTINGS = settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))


@dataclass(slots=True)
class Part:
    id: Annotated[int, at("@id")]
    label: Annotated[str, at("text()")] = ""
    size: float | None = None


@dataclass(slots=True)
class Item:
    name: str
    count: int = 0
    kind: Annotated[Literal["a", "b"], at("@kind")] = "a"
    day: date | None = None
    notes: Annotated[list[str], at("note")] = field(default_factory=list)
    numbers: Annotated[list[int], at("numbers/n")] = field(default_factory=list)
    parts: Annotated[list[Part], at("parts/part")] = field(default_factory=list)
    main: Part | None = None
    deep: Annotated[str | None, at("a/b/@c")] = None
    word: Annotated[str, penstock.dictionary] = "none"


TEXT = st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "Zs"]), max_size=5)
MIXED = st.one_of(
    TEXT.map(escape),
    st.sampled_from(["<i>x</i> y", "<!--no-->z", "<![CDATA[<&>]]>", "&#65;b", " ", ""]),
)


def element(name: str, content: st.SearchStrategy[str], attributes: str = "") -> Any:
    return content.map(lambda text: f"<{name}{attributes}>{text}</{name}>")


NUMBER = st.one_of(st.integers().map(str), st.sampled_from([" 7\n", "x", "", "1.5", "<b/>3"]))
PART = st.builds(
    lambda identity, text, size: f"<part{identity}>{text}{size}</part>",
    st.one_of(st.integers(0, 99).map(lambda it: f' id="{it}"'), st.just(""), st.just(' id="x"')),
    MIXED,
    st.one_of(st.just(""), st.just("<size>1.5</size>"), st.just('<size z="1">x</size>')),
)
CHILD = st.one_of(
    element("name", MIXED),
    element("count", NUMBER),
    element("day", st.one_of(st.dates().map(str), st.just("today"))),
    element("note", MIXED),
    element("numbers", st.lists(element("n", NUMBER), max_size=3).map("".join)),
    element("parts", st.lists(PART, max_size=3).map("".join)),
    PART.map(lambda text: text.replace("part", "main")),
    TEXT.map(lambda text: f"<a><b c={quoteattr(text)}/></a>"),
    element("word", TEXT.map(escape)),
    element("unknown", MIXED),
    MIXED,
)
ITEM = st.builds(
    lambda name, kind, children: f"<item{kind}><name>{name}</name>{''.join(children)}</item>",
    TEXT.map(escape),
    st.sampled_from(["", ' kind="b"', ' kind="c"', ' count="4"', ' xml:lang="de"']),
    st.lists(CHILD, max_size=5),
)


def fits(item: Item) -> bool:
    return all(-(2**63) <= it < 2**63 for it in [item.count, *item.numbers])


@pytest.mark.filterwarnings("ignore::penstock.MixedContentWarning")
@given(st.lists(ITEM, max_size=4), st.integers(1, 60), st.sampled_from(["error", "first", "last"]))
@SETTINGS
def test_elements(items: list[str], size: int, repeated: Any) -> None:
    data = f"<shop>{''.join(items)}</shop>".encode()
    wrong: list[Any] = []
    objects = list(
        penstock.xml.read(io.BytesIO(data), Item, errors=wrong.append, repeated=repeated)
    )
    expected = [plain(each) for each in objects if fits(each)]
    found: list[Any] = []
    reader = penstock.xml.read(Chunks(data, size), Item, errors=found.append, repeated=repeated)
    assert list(batches(reader.columns(rows=2))) == expected
    # What is wrong behind a number that is too large for its column, columns do not say.
    large = {error.record for error in found if "expected int64" in str(error)}
    ours = [str(error) for error in found if error.record not in large]
    assert ours == [str(error) for error in wrong if error.record not in large]


@given(st.lists(ITEM, min_size=1, max_size=3), st.data())
@SETTINGS
def test_malformed_elements(items: list[str], data: st.DataObject) -> None:
    # Of an attribute, the path of an error behind it is another matter.
    text = re.sub(' (kind|count)="[^"]*"', "", f"<shop>{''.join(items)}</shop>")
    where = data.draw(st.integers(0, len(text)))
    text = (
        text[:where] + data.draw(st.sampled_from(["<", "&", "</x>", "]]>", ""])) + text[where + 1 :]
    )
    size = data.draw(st.integers(1, 60))

    def as_objects() -> Any:
        return [plain(each) for each in penstock.xml.read(io.BytesIO(text.encode()), Item)]

    def as_columns() -> Any:
        return list(batches(penstock.xml.read(Chunks(text.encode(), size), Item).columns()))

    found = outcome(as_columns)
    if "expected int64" not in str(found):
        assert found == outcome(as_objects)


def test_namespaces() -> None:
    @dataclass
    class Entry:
        title: Annotated[str, at("d:title")]
        other: Annotated[str, at("{urn:other}title")] = ""
        language: Annotated[str | None, at("@xml:lang")] = None

    data = b"""<d:feed xmlns:d="urn:d" xmlns:o="urn:other"><d:entry xml:lang="de">
    <o:title>b</o:title><d:title>a</d:title><title>c</title></d:entry></d:feed>"""

    def read() -> Any:
        return penstock.xml.read(io.BytesIO(data), Entry, namespaces={"d": "urn:d"})

    objects = [plain(each) for each in read()]
    assert objects == [{"title": "a", "other": "b", "language": "de"}]
    assert rows(read().columns()) == objects


@pytest.mark.parametrize(
    "content",
    [
        '<count xsi:nil="true"/>',
        '<day xsi:nil="true"/>',
        '<day xsi:nil="1">2026-01-01</day>',
        '<main xsi:nil="true"/>',
        "<name>b</name>",
        '<main id="1"/><main id="2"/>',
    ],
)
def test_what_is_not_plain(content: str) -> None:
    data = (
        '<shop xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><item><name>a</name>'
        f"{content}</item><item><name>c</name></item></shop>"
    ).encode()

    def read() -> Any:
        return penstock.xml.read(io.BytesIO(data), Item, errors="skip")

    assert rows(read().columns()) == [plain(each) for each in read()]


def test_an_element_and_its_parts() -> None:
    @dataclass
    class Post:
        guid: str
        link: Annotated[bool, at("guid/@isPermaLink")] = True

    data = b'<rss><item><guid isPermaLink="false">a<b>c</b></guid></item></rss>'
    assert rows(penstock.xml.read(io.BytesIO(data), Post).columns()) == [
        {"guid": "ac", "link": False}
    ]


@dataclass(slots=True)
class Author:
    last: Annotated[str | None, at("LastName")] = None
    first: Annotated[str | None, at("ForeName")] = None


@dataclass(slots=True)
class Article:
    pmid: Annotated[int, at("MedlineCitation/PMID")]
    title: Annotated[str, at("MedlineCitation/Article/ArticleTitle")]
    status: Annotated[str, at("MedlineCitation/@Status")]
    authors: Annotated[list[Author], at("MedlineCitation/Article/AuthorList/Author")]
    abstract: Annotated[list[str], at("MedlineCitation/Article/Abstract/AbstractText")]


def test_real_articles(corpus: Callable[[str], Path]) -> None:
    for path in sorted(corpus("xml/pubmed").glob("pubmed*.xml")):
        objects = penstock.xml.read(path, Article, at="PubmedArticleSet/PubmedArticle")
        columns = penstock.xml.read(path, Article, at="PubmedArticleSet/PubmedArticle").columns(7)
        assert list(batches(columns)) == [plain(each) for each in objects]
