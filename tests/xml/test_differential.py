"""Compares XML with lxml and expat: real files, generated documents, and damaged documents."""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.parsers import expat

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

import penstock

Tree = tuple[str, dict[str, str], list[Any]]
"""A name, the attributes, and what is inside: texts and trees."""


def by_events(data: bytes) -> Tree:
    """The tree of the events."""
    top: Tree = ("", {}, [])
    open_ = [top]
    for kind, value, _ in penstock.xml.events([data]):
        inside = open_[-1][2]
        if kind == "start":
            new: Tree = (value, {}, [])
            inside.append(new)
            open_.append(new)
        elif kind == "end":
            assert open_.pop()[0] == value
        elif kind == "attribute":
            name, text = value
            open_[-1][1][name] = text
        elif kind == "text":
            add(inside, value)
    (root,) = top[2]
    return root  # type: ignore[no-any-return]


def add(inside: list[Any], text: str) -> None:
    """Add text to the contents of an element: adjacent texts are joined."""
    if inside and isinstance(inside[-1], str):
        inside[-1] += text
    elif text:
        inside.append(text)


def by_lxml(data: bytes) -> Tree:
    """The tree of lxml."""
    parser = etree.XMLParser(
        resolve_entities="internal", no_network=True, huge_tree=True, attribute_defaults=True
    )
    return of_lxml(etree.fromstring(data, parser))


def of_lxml(element: Any) -> Tree:
    """An element of lxml as a tree. Text on both sides of a comment or an instruction is joined."""
    inside: list[Any] = []
    add(inside, element.text or "")
    for child in element:
        if isinstance(child.tag, str):
            inside.append(of_lxml(child))
        add(inside, child.tail or "")
    return element.tag, dict(element.attrib), inside


def by_expat(data: bytes) -> Tree:
    """The tree of expat's events."""
    top: Tree = ("", {}, [])
    open_ = [top]
    parser = expat.ParserCreate(namespace_separator="}")

    def name(written: str) -> str:
        return f"{{{written}" if "}" in written else written

    def start(written: str, attributes: dict[str, str]) -> None:
        new: Tree = (name(written), {name(key): value for key, value in attributes.items()}, [])
        open_[-1][2].append(new)
        open_.append(new)

    def end(_: str) -> None:
        open_.pop()

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = lambda text: add(open_[-1][2], text)
    parser.Parse(data, True)
    (root,) = top[2]
    return root  # type: ignore[no-any-return]


FILES = [
    "pubmed/1471-2180-11-174.nxml",
    "pubmed/pubmed1.xml",
    "pubmed/pubmed2.xml",
    "pubmed/pubmed4.xml",
    "pubmed/pubmed5.xml",
    "pubmed/pubmed6.xml",
    "pubmed/pubmed7.xml",
    "pubmed/6605965a.nxml",
    "pubmed/ehp-116-1694.nxml",
    "pubmed/mds526.nxml",
    "pubmed/pone.0046493.nxml",
    "real/export6s3sample.xml",
    "real/vk.xml",
]


@pytest.mark.parametrize("name", FILES)
def test_real_files(name: str, corpus: Callable[[str], Path]) -> None:
    data = corpus(f"xml/{name}").read_bytes()
    tree = by_events(data)
    assert tree == by_lxml(data)
    assert tree == by_expat(data)


names = st.sampled_from(["a", "b", "long-name.x", "_", "é", "p:a", "q:b", "xml.y"])
texts = st.text(st.sampled_from("ab \n\té漢𝄞<&>'\"]\r"), max_size=8)


def escaped(text: str) -> str:
    """Text as a document escapes it."""
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return text.replace('"', "&quot;").replace("\r", "&#13;")


written = st.one_of(
    texts.map(escaped),
    st.sampled_from(["&e;", "&f;", "&#65;", "&#x1F600;", "\r\n", "<!--c-->", "<?p i?>", "&apos;"]),
    texts.map(lambda text: f"<![CDATA[{text.replace(']', '').replace(chr(13), '')}]]>"),
)
attributes = st.dictionaries(
    st.sampled_from(["n", "m", "p:n", "xml:lang", "d"]),
    st.one_of(texts.map(escaped), st.sampled_from(["&e;", " x  y ", "&#10;"])),
    max_size=3,
)


@st.composite
def elements(draw: st.DrawFn, depth: int = 3) -> str:
    """The text of an element."""
    name = draw(names)
    pairs = "".join(f' {key}="{value}"' for key, value in draw(attributes).items())
    spaces = draw(st.sampled_from(["", "", ' xmlns="urn:d"', ' xmlns:p="urn:other"', ' xmlns=""']))
    parts = st.one_of(written, elements(depth - 1)) if depth else written
    inside = "".join(draw(st.lists(parts, max_size=4)))
    end = draw(st.sampled_from(["", " ", "\n"]))
    if not inside and draw(st.booleans()):
        return f"<{name}{pairs}{spaces}{end}/>"
    return f"<{name}{pairs}{spaces}{end}>{inside}</{name}{end}>"


PROLOGS = [
    "",
    '<?xml version="1.0" encoding="UTF-8"?>\n',
    "<!--before--><?p x?>",
]
DOCTYPE = (
    "<!DOCTYPE r [<!ENTITY e 'x&#38;#38;y'><!ENTITY f '<a>in &e;</a>t'>"
    "<!ATTLIST a d CDATA 'default' n NMTOKENS #IMPLIED>]>"
)


@st.composite
def documents(draw: st.DrawFn) -> str:
    """A well-formed document, all of whose prefixes are bound."""
    inside = draw(elements())
    behind = draw(st.sampled_from(["", "\n", "<!--after-->"]))
    prolog = draw(st.sampled_from(PROLOGS))
    return f'{prolog}{DOCTYPE}<r xmlns:p="urn:p" xmlns:q="urn:q">{inside}</r>{behind}'


def outcome(parse: Callable[[bytes], Tree], data: bytes) -> Tree | None:
    """The tree, or None if the document is refused."""
    try:
        return parse(data)
    except (penstock.DecodeError, etree.XMLSyntaxError, expat.ExpatError):
        return None


@given(documents())
def test_generated_documents(document: str) -> None:
    data = document.encode()
    tree = by_events(data)
    assert tree == by_expat(data)
    # In lxml, elements of an entity do not get the default namespace of the reference.
    if "&f;" not in document:
        assert tree == by_lxml(data)


@given(documents(), st.randoms(use_true_random=False))
def test_documents_with_something_wrong(document: str, chance: random.Random) -> None:
    """If lxml and expat agree on a document's verdict and contents, so does Penstock."""
    data = bytearray(document.encode())
    for _ in range(chance.randrange(1, 4)):
        place = chance.randrange(len(data))
        match chance.randrange(3):
            case 0:
                del data[place : place + chance.randrange(1, 6)]
            case 1:
                data[place:place] = chance.choice(
                    [
                        b"<",
                        b">",
                        b"&",
                        b'"',
                        b"]]>",
                        b"--",
                        b"</a>",
                        b"\x01",
                        b"<?xml?>",
                        b" ",
                        b":",
                    ]
                )
            case _:
                data[place] = chance.randrange(0x20, 0x7F)
    changed = bytes(data)
    theirs = outcome(by_lxml, changed)
    if theirs == outcome(by_expat, changed):
        assert outcome(by_events, changed) == theirs
