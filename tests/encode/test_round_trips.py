"""What is written is read back as an equal object of the same types, whatever the class is."""

from __future__ import annotations

import bz2
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from random import Random
from typing import Annotated, Any
from xml.etree import ElementTree as ET

import pytest
import random_classes
from catalogue import EXAMPLES
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lxml import etree

import penstock
from penstock import at, rest

RANDOM = st.randoms(use_true_random=False)
PATIENT = settings(max_examples=250, deadline=None, suppress_health_check=list(HealthCheck))


def check(module: Any, kind: random_classes.Kind, value: Any, **options: Any) -> bytes | None:
    try:
        text: bytes = module.encode(value, kind.annotation, **options)
    except (penstock.EncodeError, penstock.PlanError) as error:
        if not random_classes.REFUSED.search(str(error)):
            raise
        return None
    back = module.decode(text, kind.annotation)
    assert random_classes.same(back, value), (text, back, value)
    return text


@given(RANDOM)
@PATIENT
def test_any_class_as_json(random: Random) -> None:
    kind = random_classes.any_kind(random)
    check(penstock.json, kind, kind.make(random))


@given(RANDOM, st.sampled_from([None, 0, 2]))
@PATIENT
def test_any_class_as_xml(random: Random, indent: int | None) -> None:
    kind = random_classes.any_kind(random)
    if text := check(penstock.xml, kind, kind.make(random), indent=indent):
        tree = etree.fromstring(text)
        assert ET.canonicalize(text) == ET.canonicalize(etree.tostring(tree, encoding="unicode"))


@pytest.mark.parametrize("kind", random_classes.SCALARS + random_classes.ELEMENTS)
@given(random=RANDOM)
@settings(max_examples=25, deadline=None)
def test_each_kind(kind: random_classes.Kind, random: Random) -> None:
    several = random_classes.collection(random, kind)
    for module in (penstock.json, penstock.xml):
        check(module, kind, kind.make(random))
        check(module, several, several.make(random))


# A key that is no name, or a union that no format of elements can tell apart.
NO_XML = {
    "anything": "a second root element: XML has one, so name an element around them with root",
    "dataclass, slots": "\"a b\" is no name in XML: no name contains ' '",
    "dataclass with __post_init__": "field 'start' is an InitVar, whose value no object keeps",
    "paths": "field 'all': the path 'rows/*/name' has a '*' before its last step",
    "union by token": "in XML nothing tells list[int | None] from the others",
    "union by keys": "no attribute tells the classes of Circle | Square apart",
    "deque, Counter": "\"a b\" is no name in XML: no name contains ' '",
    "dicts": "\"c d\" is no name in XML: no name contains ' '",
    "keys of dicts": "\"1000\" is no name in XML: no name begins with '1'",
    "abstract collections": "\"a b\" is no name in XML: no name contains ' '",
    "own type": "nothing says how the value is written: give via(..., encode=...)",
    "own type that says so": "\"a b\" is no name in XML: no name contains ' '",
    "registered type": "nothing says how the value is written: give via(..., encode=...)",
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_type_of_the_catalogue_as_xml(name: str) -> None:
    example = EXAMPLES[name]
    value = penstock.json.decode(example.json, example.type)
    if name in NO_XML:
        with pytest.raises((penstock.EncodeError, penstock.PlanError)) as caught:
            penstock.xml.encode(value, example.type)
        assert NO_XML[name] in str(caught.value)
    else:
        text = penstock.xml.encode(value, example.type)
        assert repr(penstock.xml.decode(text, example.type)) == repr(value)
    if example.xml is not None and name not in {"paths", "own type"}:
        value = penstock.xml.decode(example.xml, example.type)
        text = penstock.xml.encode(value, example.type)
        assert repr(penstock.xml.decode(text, example.type)) == repr(value)


# Real documents.


@dataclass
class Author:
    last: Annotated[str | None, at("LastName")]
    first: Annotated[str | None, at("ForeName")]
    valid: Annotated[str, at("@ValidYN")]
    more: Annotated[dict[str, Any], rest] = field(default_factory=dict)


@dataclass
class Article:
    pmid: Annotated[int, at("MedlineCitation/PMID")]
    version: Annotated[int, at("MedlineCitation/PMID/@Version")]
    title: Annotated[str, at("MedlineCitation/Article/ArticleTitle")]
    status: Annotated[str, at("MedlineCitation/@Status")]
    journal: Annotated[dict[str, Any], at("MedlineCitation/Article/Journal")]
    authors: Annotated[list[Author], at("MedlineCitation/Article/AuthorList/Author")]
    ids: Annotated[list[str], at("PubmedData/ArticleIdList/ArticleId")]


@pytest.mark.parametrize("name", ["pubmed1", "pubmed2", "pubmed4", "pubmed5", "pubmed6", "pubmed7"])
def test_pubmed(corpus: Callable[[str], Path], name: str) -> None:
    path = corpus(f"xml/pubmed/{name}.xml")
    articles = list(penstock.xml.read(path, Article, at="PubmedArticleSet/PubmedArticle"))
    assert articles
    text = penstock.xml.encode(articles, root="PubmedArticleSet", record="PubmedArticle", indent=2)
    assert penstock.xml.decode(text, list[Article]) == articles


@dataclass
class Entry:
    key: Annotated[str, at("@key")]
    value: Annotated[str, at("@value")]


@dataclass
class Record:
    type: Annotated[str, at("@type")]
    start: Annotated[str, at("@startDate")]
    value: Annotated[str | None, at("@value")]
    metadata: Annotated[list[Entry], at("MetadataEntry")]


def test_apple_health(corpus: Callable[[str], Path]) -> None:
    path = corpus("xml/real/export6s3sample.xml")
    records = list(penstock.xml.read(path, Record, at="HealthData/Record", repair="broken_subset"))
    assert len(records) == 15
    text = penstock.xml.encode(records, root="HealthData", record="Record")
    assert penstock.xml.decode(text, list[Record]) == records


@dataclass
class Page:
    title: str
    id: int
    time: Annotated[datetime, at("revision/timestamp")]
    text: Annotated[str, at("revision/text")]
    space: Annotated[str, at("revision/text/@xml:space")]


WIKI = "http://www.mediawiki.org/xml/export-0.10/"


def test_wikipedia(corpus: Callable[[str], Path]) -> None:
    path = corpus("xml/real/enwiki-pages-articles-sample.xml.bz2")
    pages = list(penstock.xml.read(path, Page, at="mediawiki/page"))
    assert pages
    text = penstock.xml.encode(
        pages, root="mediawiki", record="page", namespaces={"": WIKI}, indent=1
    )
    assert text.count(b"xmlns") == 1
    assert penstock.xml.decode(text, list[Page]) == pages
    tree = etree.fromstring(text, etree.XMLParser(huge_tree=True))
    assert len(tree.findall(f"{{{WIKI}}}page")) == len(pages)
    assert bz2.decompress(path.read_bytes()).count(b"<page>") == len(pages)


@pytest.mark.parametrize("name", ["xml/real/vk.xml", "xml/pubmed/pubmed7.xml"])
def test_plain_values(corpus: Callable[[str], Path], name: str) -> None:
    plain = penstock.xml.decode(corpus(name).read_bytes())
    text = penstock.xml.encode(plain)
    assert penstock.xml.decode(text) == plain
    assert penstock.xml.decode(penstock.xml.encode(plain, indent=2)) == plain
