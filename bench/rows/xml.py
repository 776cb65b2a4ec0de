"""XML: checking it, records of it, and messages.

`xml-check` only validates whole documents; `xml-records` makes objects of the records of three
kinds of documents; `xml-slow` does so for the peers that take minutes where others take seconds;
`xml-stream` reads files of 10 MB to 1 GB; `xml-messages` compares `send` with handlers.
"""

# ruff: noqa: PLC0415 - each process imports only what it measures
from __future__ import annotations

from collections import deque
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

import classes
import inputs
import markup
from model import OURS, Bar, Case, Input, Row, Variant, below, faster

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from model import Call, Medians

SIZE = 200
"""Megabytes of the large inputs."""
SLOW = 4
"""Megabytes for the peers that are a hundred times slower."""
COMPARED = 5_000
VARIANTS = tuple(Variant(kind, most=3) for kind in markup.KINDS)


def document(kind: str) -> Input:
    """Return the bytes of a large document, and a small one to warm up with."""
    return Input(markup.grown(kind, SIZE).read_bytes(), markup.grown(kind, 1).read_bytes())


def path(kind: str) -> Input:
    """Return the path of a large document, and of a small one."""
    return Input(markup.grown(kind, SIZE), markup.grown(kind, 1))


def check(_: str) -> Call:
    """Penstock with a class without fields: every byte is checked, and nothing is made."""
    from dataclasses import make_dataclass

    import penstock.xml

    nothing = make_dataclass("Nothing", [], slots=True)
    return lambda data: penstock.xml.decode(data, nothing)


def check_expat(_: str) -> Call:
    """Expat without handlers: no namespaces, and names of the fourth edition."""
    from xml.parsers import expat

    def call(data: bytes) -> None:
        expat.ParserCreate().Parse(data, True)

    return call


def check_expat_namespaces(_: str) -> Call:
    """Expat without handlers, with namespaces."""
    from xml.parsers import expat

    def call(data: bytes) -> None:
        expat.ParserCreate(namespace_separator=" ").Parse(data, True)

    return call


def check_lxml(_: str) -> Call:
    """Lxml with a target that does nothing: libxml2's parser, and its tree's callbacks."""
    from lxml import etree

    class Nothing:
        def close(self) -> None:
            pass

    def call(data: bytes) -> None:
        etree.fromstring(data, etree.XMLParser(target=Nothing(), huge_tree=True))

    return call


def check_quick_xml(_: str) -> Call:
    """quick-xml, natively, with its checks on and attributes iterated.

    It does not check characters, names, entities, the document type, text outside the root, nor, as
    it is used here, namespaces.
    """
    import native

    native.load()
    return native.quick_xml


def check_pugixml(_: str) -> Call:
    """Pugixml, natively, which makes its tree.

    It does not check names, repeated attributes, entities, the document type, nor namespaces.
    """
    import pygixml

    return lambda data: pygixml.parse_string(data.decode())


def records(kind: str) -> Call:
    """Penstock, streaming."""
    import penstock.xml

    found = markup.KINDS[kind]
    return lambda source: penstock.xml.read(source, found.cls, at=found.path)


def floor_of(kind: str) -> Call:
    """Create copies of the same records, every value new."""
    import floor

    import penstock.xml

    found = markup.KINDS[kind]
    first = markup.grown(kind, 1)
    prototypes = list(classes.values(penstock.xml.read(first, found.cls, at=found.path), found.cls))
    make: Any = floor.prepare(found.cls, prototypes)
    count = sum(1 for _ in penstock.xml.read(markup.grown(kind, SIZE), found.cls, at=found.path))

    def call(source: Path) -> Iterable[object]:
        left = 100 if source.name.endswith("-1.xml") else count
        # A thousand at a time, because a stream's records are dropped one by one.
        while left > 0:
            yield from make(min(left, 1_000))
            left -= 1_000

    return call


def peer(by: Any, kind: str) -> Call:
    """Read the records with a peer."""
    return lambda source: by(kind, source)


def whole(by: Any, kind: str) -> Call:
    """Read a whole document with a peer."""

    def call(source: Path) -> Iterable[object]:
        return iter([by(kind, source)])

    return call


def checking(kind: str) -> Call:
    """Penstock, with a path that matches no record: the check alone, from the file."""
    import penstock.xml

    def call(source: Path) -> Iterable[object]:
        deque(penstock.xml.read(source, at="no/such/element"), 0)
        return iter([kind])

    return call


def record_values(made: Any) -> Iterable[object]:
    """Return the values of the first records, whatever their class."""
    for record in islice(iter(made), COMPARED):
        yield from classes.values([record], type(record))


def near_floor(kind: str) -> Bar:
    """Promise that records cost little more than checking and creating them."""

    def value(median: Medians) -> float:
        floor = median("check only", kind) * 1.3 + median("floor", kind)
        return median(OURS, kind) / floor

    return Bar(f"of (1.3 x check + floor), {kind}", value, 1.0, at_least=False)


def stream_path(size: str) -> Input:
    """Return the path of PubMed records of a size."""
    return Input(markup.grown("pubmed", SIZES[size]))


SIZES = {"10 MB": 10, "200 MB": 200, "1 GB": 1_000}


def streamed(_: str) -> Call:
    """Penstock's records."""
    return records("pubmed")


def sent(_: str) -> Call:
    """Penstock's messages."""
    import penstock.xml

    class Handler:
        def PMID(self, element: Any) -> None:  # noqa: N802 - an element's name
            pass

    def call(source: Path) -> Iterable[object]:
        penstock.xml.send(source, Handler())
        return iter([None])

    return call


def told(_: str) -> Call:
    """Penstock's events."""
    import penstock.xml

    return penstock.xml.events


def zipped(_: str) -> Input:
    """Return the path of a compressed document."""
    return Input(inputs.zipped(markup.grown("pubmed", 200)))


# The same job three times: how many articles each journal has, and the total length of their
# titles.


def job_send(_: str) -> Call:
    """The job with `send`: a method for each element that matters."""
    import penstock.xml
    from penstock import on

    class Journals:
        def __init__(self) -> None:
            self.count: dict[str, int] = {}
            self.letters = 0

        @on("//Journal/Title/text()")
        def journal(self, text: str) -> None:
            self.count[text] = self.count.get(text, 0) + 1

        def ArticleTitle(self, element: Any) -> None:  # noqa: N802 - an element's name
            self.letters += len(element.text)

    def call(source: Path) -> Iterable[object]:
        handler = Journals()
        penstock.xml.send(source, handler)
        return iter([(sorted(handler.count.items()), handler.letters)])

    return call


class Saxophone:
    """The job with handlers written by hand: the path, the text, and their uses."""

    def __init__(self) -> None:
        self.count: dict[str, int] = {}
        self.letters = 0
        self.path: list[str] = []
        self.text: list[str] | None = None
        self.depth = 0

    def start(self, name: str, _attributes: Any) -> None:
        """Begin an element."""
        self.path.append(name)
        if self.text is None and (
            name == "ArticleTitle" or (name == "Title" and self.path[-2] == "Journal")
        ):
            self.text, self.depth = [], len(self.path)

    def data(self, text: str) -> None:
        """Keep text that is needed."""
        if self.text is not None:
            self.text.append(text)

    def end(self, name: str) -> None:
        """End an element."""
        if self.text is not None and len(self.path) == self.depth:
            text, self.text = "".join(self.text), None
            if name == "Title":
                self.count[text] = self.count.get(text, 0) + 1
            else:
                self.letters += len(text)
        self.path.pop()

    def close(self) -> None:
        """Nothing remains to be done."""

    def result(self) -> object:
        """Return the counts."""
        return sorted(self.count.items()), self.letters


def job_expat(_: str) -> Call:
    """The job with expat's handlers."""
    from xml.parsers import expat

    def call(source: Path) -> Iterable[object]:
        handler = Saxophone()
        parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.StartElementHandler = handler.start
        parser.EndElementHandler = handler.end
        parser.CharacterDataHandler = handler.data
        with source.open("rb") as file:
            parser.ParseFile(file)
        return iter([handler.result()])

    return call


def job_lxml(_: str) -> Call:
    """The job with lxml's target parser."""
    from lxml import etree

    def call(source: Path) -> Iterable[object]:
        handler = Saxophone()
        etree.parse(str(source), etree.XMLParser(target=handler, huge_tree=True))
        return iter([handler.result()])

    return call


def one_method(_: str) -> Call:
    """`send` with one method, which is called and does nothing."""
    return sent("")


ROWS = (
    Row(
        "xml-check",
        f"is a document of {SIZE} MB well-formed? from bytes",
        VARIANTS,
        (
            Case(OURS, check, (OURS,)),
            Case("expat, no handlers", check_expat),
            Case("expat, namespaces", check_expat_namespaces),
            Case("lxml, empty target", check_lxml, ("lxml",)),
            Case("quick-xml [1]", check_quick_xml, checked=False),
            Case("pugixml tree [2]", check_pugixml, ("pygixml",), checked=False),
        ),
        document,
        None,
        tuple(faster("expat, no handlers", kind, 4) for kind in markup.KINDS),
    ),
    Row(
        "xml-records",
        f"records of {SIZE} MB with a handful of fields, streamed from a path",
        VARIANTS,
        (
            Case("floor", floor_of, checked=False),
            Case("check only", checking, (OURS,), checked=False),
            Case(OURS, records, (OURS,)),
            Case("lxml.iterparse", partial(peer, markup.by_lxml), ("lxml",)),
            Case("ElementTree.iterparse", partial(peer, markup.by_elementtree)),
            Case("expat, 3 handlers", partial(peer, markup.by_expat)),
        ),
        path,
        record_values,
        (
            *(near_floor(kind) for kind in markup.KINDS),
            *(faster("lxml.iterparse", kind, 8) for kind in markup.KINDS),
        ),
        measure="stream",
        metrics=("ms", "MiB"),
    ),
    Row(
        "xml-slow",
        f"PubMed's records, {SLOW} MB, beside the libraries that map to classes or dicts",
        (Variant("pubmed", most=3),),
        (
            Case(OURS, records, (OURS,)),
            Case("xmltodict", partial(peer, markup.by_xmltodict), ("xmltodict",), checked=False),
            Case("xsdata", partial(whole, markup.by_xsdata), ("xsdata",), checked=False),
            Case(
                "pydantic-xml",
                partial(whole, markup.by_pydantic_xml),
                ("pydantic_xml",),
                checked=False,
            ),
        ),
        lambda kind: Input(markup.grown(kind, SLOW), markup.grown(kind, 1)),
        record_values,
        (faster("xsdata", "pubmed", 30), faster("pydantic-xml", "pubmed", 30)),
        measure="stream",
        metrics=("ms", "MiB"),
    ),
    Row(
        "xml-stream",
        "PubMed's records of any size; peak memory over the bare interpreter",
        (Variant("10 MB"), Variant("200 MB", most=3), Variant("1 GB", most=2, quick=False)),
        (
            Case(OURS, streamed, (OURS,)),
            Case("penstock send", sent, (OURS,), checked=False),
            Case("penstock events", told, (OURS,), checked=False),
            Case("lxml.iterparse", lambda _: peer(markup.by_lxml, "pubmed"), ("lxml",)),
        ),
        stream_path,
        record_values,
        (
            *(below(20, "first ms", size, "ms") for size in SIZES),
            *(below(32, "MiB", size, "MiB") for size in SIZES),
            *(below(32, "MiB", size, "MiB", "penstock send") for size in SIZES),
            *(below(32, "MiB", size, "MiB", "penstock events") for size in SIZES),
        ),
        measure="stream",
        metrics=("ms", "first ms", "MiB"),
        same=("200 MB", "1 GB"),
    ),
    Row(
        "xml-gzip",
        "the first record of 200 MB through gzip",
        (Variant("gzip", most=3),),
        (Case(OURS, streamed, (OURS,)),),
        zipped,
        record_values,
        (below(20, "first ms", "gzip", "ms"),),
        measure="stream",
        metrics=("ms", "first ms", "MiB"),
    ),
    Row(
        "xml-messages",
        "articles by journal, from 200 MB of PubMed's records",
        (Variant("pubmed", most=3),),
        (
            Case(OURS, job_send, (OURS,)),
            Case("expat, 3 handlers", job_expat),
            Case("lxml target", job_lxml, ("lxml",)),
            Case("send, one method", one_method, (OURS,), checked=False),
            Case("check only", checking, (OURS,), checked=False),
        ),
        path,
        list,
        (
            Bar(
                "send with one method, of the check only",
                lambda median: (
                    median("send, one method", "pubmed") / median("check only", "pubmed")
                ),
                1.4,
                at_least=False,
            ),
        ),
        measure="stream",
        metrics=("ms", "MiB"),
    ),
)
