"""XML records: the inputs, the classes, and the same work with each of the peers.

The inputs are real records repeated to a size: PubMed's articles (long texts, few attributes),
Apple Health's records (attributes only) and the structures of Vulkan's registry (small elements).
"""

# ruff: noqa: PLC0415 - each process imports only what it measures
from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import inputs

from penstock import at

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MEGABYTE = 1_000_000


@dataclass(slots=True)
class Article:
    """An article of PubMed: five fields out of about two hundred elements."""

    pmid: Annotated[int, at("MedlineCitation/PMID")]
    title: Annotated[str, at("MedlineCitation/Article/ArticleTitle")]
    journal: Annotated[str, at("MedlineCitation/Article/Journal/Title")]
    status: Annotated[str, at("MedlineCitation/@Status")]
    authors: Annotated[list[str], at("MedlineCitation/Article/AuthorList/Author/LastName")] = field(
        default_factory=list
    )


@dataclass(slots=True)
class Measurement:
    """A record of Apple Health: five of its eight attributes."""

    type: Annotated[str, at("@type")]
    source: Annotated[str, at("@sourceName")]
    unit: Annotated[str, at("@unit")]
    start: Annotated[str, at("@startDate")]
    value: Annotated[str, at("@value")]


@dataclass(slots=True)
class Structure:
    """A type of Vulkan's registry, with the names of its members."""

    category: Annotated[str, at("@category")] = ""
    name: Annotated[str, at("@name")] = ""
    members: Annotated[list[str], at("member/name")] = field(default_factory=list)


class Kind(NamedTuple):
    """A kind of document."""

    cls: type
    path: str
    """Where the records are, for `at`."""
    corpus: str
    record: str
    """The records in the corpus, as a regular expression."""


KINDS = {
    "pubmed": Kind(
        Article,
        "PubmedArticleSet/PubmedArticle",
        "pubmed/pubmed4.xml",
        r"<PubmedArticle>.*?</PubmedArticle>",
    ),
    "health": Kind(Measurement, "HealthData/Record", "real/export6s3sample.xml", r"<Record\b.*?/>"),
    "vulkan": Kind(
        Structure,
        "registry/types/type",
        "real/vk.xml",
        r"(?<=<types comment=\"Vulkan type definitions\">).*?(?=</types>)",
    ),
}


def corpus(name: str) -> bytes:
    """Return one of the real documents."""
    folder = os.environ.get("PENSTOCK_CORPORA")
    path = Path(folder or "") / "xml" / name
    if not folder or not path.exists():
        raise inputs.Missing(f"{name}: set PENSTOCK_CORPORA to the folder of corpora")
    return path.read_bytes()


def records(kind: str) -> tuple[bytes, list[bytes], bytes]:
    """Return the text before the records, the records, and the text after them."""
    found = KINDS[kind]
    text = corpus(found.corpus)
    matches = list(re.finditer(found.record.encode(), text, re.DOTALL))
    bodies = [match[0] for match in matches]
    if kind == "pubmed":
        for number in (5, 6, 7):
            more = corpus(f"pubmed/pubmed{number}.xml")
            bodies += re.findall(found.record.encode(), more, re.DOTALL)
    return text[: matches[0].start()], bodies, text[matches[-1].end() :]


def grown(kind: str, megabytes: int) -> Path:
    """Return the document grown to a size: whole passes over its records, at least one."""

    def write(path: Path) -> None:
        before, bodies, after = records(kind)
        once = b"\n".join(bodies) + b"\n"
        with path.open("wb", buffering=1 << 20) as out:
            out.write(before)
            left = megabytes * MEGABYTE - len(before) - len(after)
            left -= out.write(once)
            while left > 0:
                left -= out.write(once)
            out.write(after)

    return inputs.cached(f"{kind}-{megabytes}.xml", write)


def text_of(element: Any) -> str:
    """Return all text below an element, with markup dropped."""
    return "".join(element.itertext())


def article(element: Any) -> Article:
    """Make an article of an ElementTree or lxml element."""
    citation = element.find("MedlineCitation")
    found = citation.find("Article")
    return Article(
        int(citation.find("PMID").text),
        text_of(found.find("ArticleTitle")),
        found.find("Journal/Title").text,
        citation.get("Status"),
        [name.text for name in found.findall("AuthorList/Author/LastName")],
    )


def measurement(element: Any) -> Measurement:
    """Make a measurement of an element."""
    get = element.get
    return Measurement(get("type"), get("sourceName"), get("unit"), get("startDate"), get("value"))


def structure(element: Any) -> Structure:
    """Make a structure of an element."""
    return Structure(
        element.get("category", ""),
        element.get("name", ""),
        [text_of(name) for name in element.findall("member/name")],
    )


MAKERS: dict[str, Callable[[Any], object]] = {
    "pubmed": article,
    "health": measurement,
    "vulkan": structure,
}


def tag(kind: str) -> str:
    """Return the name of the records' elements."""
    return KINDS[kind].path.rpartition("/")[2]


def by_lxml(kind: str, path: Path) -> Iterator[object]:
    """Read with lxml.iterparse, by the recipe that keeps memory flat."""
    from lxml import etree

    make = MAKERS[kind]
    parent = KINDS[kind].path.split("/")[-2]
    for _, element in etree.iterparse(str(path), tag=tag(kind), huge_tree=True):
        above = element.getparent()
        if above.tag != parent:
            continue
        yield make(element)
        element.clear()
        while element.getprevious() is not None:
            del above[0]


def by_elementtree(kind: str, path: Path) -> Iterator[object]:
    """Read with ElementTree.iterparse, clearing the elements above the record as well."""
    from xml.etree.ElementTree import iterparse

    make, name = MAKERS[kind], tag(kind)
    parent = KINDS[kind].path.split("/")[-2]
    open_: list[Any] = []
    for event, element in iterparse(path, ("start", "end")):
        if event == "start":
            open_.append(element)
            continue
        open_.pop()
        if element.tag == name and open_ and open_[-1].tag == parent:
            yield make(element)
            open_[-1].clear()
        elif len(open_) == 1:
            open_[-1].clear()


class Builder:
    """The three handlers of expat that make the records, written by hand as SAX requires."""

    def __init__(self, kind: str) -> None:
        """Begin outside of any record."""
        self.kind = kind
        self.wanted = KINDS[kind].path.split("/")
        self.path: list[str] = []
        self.made: list[object] = []
        self.text: list[str] | None = None
        self.values: dict[str, Any] = {}

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Begin an element."""
        self.path.append(name)
        if self.path == self.wanted:
            self.values = {"list": [], "attributes": attributes}
        elif self.path[: len(self.wanted)] == self.wanted:
            inner = "/".join(self.path[len(self.wanted) :])
            if inner == "MedlineCitation" and self.kind == "pubmed":
                self.values["status"] = attributes["Status"]
            if inner in TEXTS[self.kind]:
                self.text = []

    def data(self, text: str) -> None:
        """Keep text that is needed."""
        if self.text is not None:
            self.text.append(text)

    def end(self, _name: str) -> None:
        """End an element."""
        if self.path == self.wanted:
            self.made.append(FINISH[self.kind](self.values))
        elif self.text is not None:
            inner = "/".join(self.path[len(self.wanted) :])
            field_ = TEXTS[self.kind].get(inner)
            if field_ == "list":
                self.values["list"].append("".join(self.text))
                self.text = None
            elif field_ is not None:
                self.values[field_] = "".join(self.text)
                self.text = None
        self.path.pop()


TEXTS = {
    "pubmed": {
        "MedlineCitation/PMID": "pmid",
        "MedlineCitation/Article/ArticleTitle": "title",
        "MedlineCitation/Article/Journal/Title": "journal",
        "MedlineCitation/Article/AuthorList/Author/LastName": "list",
    },
    "health": {},
    "vulkan": {"member/name": "list"},
}


def finish_article(values: dict[str, Any]) -> Article:
    """Make the article from the values that the handlers gathered."""
    return Article(
        int(values["pmid"]), values["title"], values["journal"], values["status"], values["list"]
    )


def finish_structure(values: dict[str, Any]) -> Structure:
    """Make the structure from the values that the handlers gathered."""
    attributes = values["attributes"]
    return Structure(attributes.get("category", ""), attributes.get("name", ""), values["list"])


FINISH: dict[str, Callable[[dict[str, Any]], object]] = {
    "pubmed": finish_article,
    "health": lambda values: measurement(values["attributes"]),
    "vulkan": finish_structure,
}


def by_expat(kind: str, path: Path) -> Iterator[object]:
    """Read with expat and three handlers in Python."""
    from xml.parsers import expat

    builder = Builder(kind)
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler = builder.start
    parser.EndElementHandler = builder.end
    parser.CharacterDataHandler = builder.data
    with path.open("rb") as file:
        while chunk := file.read(1 << 16):
            parser.Parse(chunk)
            yield from builder.made
            builder.made.clear()
        parser.Parse(b"", True)
    yield from builder.made


def by_xmltodict(kind: str, path: Path) -> Iterator[object]:
    """Read with xmltodict, streaming, and make the records from its dicts."""
    import xmltodict

    made: list[object] = []

    def item(_path: object, found: Any) -> bool:
        made.append(FROM_DICT[kind](found))
        return True

    depth = KINDS[kind].path.count("/") + 1
    with path.open("rb") as file:
        xmltodict.parse(file, item_depth=depth, item_callback=item)
    yield from made


def as_list(value: Any) -> list[Any]:
    """Return xmltodict's value for one or many elements as a list."""
    return [] if value is None else value if isinstance(value, list) else [value]


def dict_article(found: Any) -> object:
    """Make an article of a dict: with xmltodict, markup inside the title is lost."""
    citation = found["MedlineCitation"]
    inner = citation["Article"]
    pmid, title = citation["PMID"], inner["ArticleTitle"]
    authors = as_list((inner.get("AuthorList") or {}).get("Author"))
    return Article(
        int(pmid if isinstance(pmid, str) else pmid["#text"]),
        title if isinstance(title, str) else title.get("#text", ""),
        inner["Journal"]["Title"],
        citation["@Status"],
        [author["LastName"] for author in authors if "LastName" in author],
    )


FROM_DICT: dict[str, Callable[[Any], object]] = {"pubmed": dict_article}


def by_xsdata(kind: str, path: Path) -> object:
    """Read the whole document with xsdata, into its own kind of dataclass."""
    from xsdata.formats.dataclass.parsers import XmlParser
    from xsdata.formats.dataclass.parsers.config import ParserConfig

    config = ParserConfig(fail_on_unknown_properties=False, fail_on_unknown_attributes=False)
    import peers_xsdata

    return XmlParser(config=config).from_path(path, peers_xsdata.ROOTS[kind])


def by_pydantic_xml(kind: str, path: Path) -> object:
    """Read the whole document with pydantic-xml, into its own models."""
    import peers_pydantic_xml

    return peers_pydantic_xml.ROOTS[kind].from_xml(path.read_bytes())
