"""How each library is asked to write a small tree as XML, and how its text is judged.

The tree is given as each library takes it: as elements, or as a dict in xmltodict's convention.
The text is read by expat, in the standard library. It is right if the same tree comes back.
"""

from __future__ import annotations

import warnings
import xml.etree.ElementTree as ET
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import xmltodict
from asking_writing import Cell, cut
from lxml import etree

import penstock


@dataclass(frozen=True)
class Tree:
    """An element: text comes first, then its children."""

    name: str = "r"
    attributes: Mapping[str, str] = field(default_factory=dict)
    text: str = ""
    children: tuple[Tree, ...] = ()
    comment: str | None = None
    tail: str = ""


@dataclass(frozen=True)
class Question:
    """A tree that must read back, or that must be refused."""

    name: str
    tree: Tree
    refused: bool = False
    indent: bool = False
    sound: Tree | None = None
    """The twin of a tree that must be refused, if its kind is not written by every library."""


def built(api: Any, tree: Tree) -> Any:
    """Return the tree as an element of ElementTree or lxml, which have the same functions."""
    made = api.Element(tree.name)
    for name, value in tree.attributes.items():
        made.set(name, value)
    made.text = tree.text
    if tree.comment is not None:
        made.append(api.Comment(tree.comment))
    for child in tree.children:
        part = built(api, child)
        part.tail = child.tail
        made.append(part)
    return made


def members(tree: Tree) -> dict[str, Any]:
    """Return the tree as xmltodict's dict of its members."""
    made: dict[str, Any] = {f"@{name}": value for name, value in tree.attributes.items()}
    if tree.comment is not None:
        made["#comment"] = tree.comment
    if tree.text:
        made["#text"] = tree.text
    for child in tree.children:
        made.setdefault(child.name, []).append(members(child))
    return made


URIS = {"a": "urn:a", "b": "urn:b"}


def prefixed(name: str) -> str:
    """Return a name with a prefix instead of its namespace."""
    for prefix, uri in URIS.items():
        name = name.replace(f"{{{uri}}}", f"{prefix}:")
    return name


def penstock_(tree: Tree, indent: bool) -> bytes:
    attributes = {prefixed(name): value for name, value in tree.attributes.items()}
    made = {prefixed(tree.name): members(replace(tree, attributes=attributes))}
    uris = URIS if "{" in tree.name else None
    return penstock.xml.encode(made, indent=2 if indent else None, namespaces=uris)


def lxml_(tree: Tree, indent: bool) -> bytes:
    return etree.tostring(built(etree, tree), encoding="utf-8", pretty_print=indent)


def element_tree(tree: Tree, indent: bool) -> bytes:
    made = built(ET, tree)
    if indent:
        ET.indent(made)
    return ET.tostring(made, encoding="utf-8")


def xmltodict_(tree: Tree, indent: bool) -> bytes:
    attributes = {prefixed(name): value for name, value in tree.attributes.items()}
    inner = members(replace(tree, attributes=attributes))
    if "{" in tree.name:
        inner["@xmlns"] = URIS
    made = {prefixed(tree.name): inner}
    return xmltodict.unparse(made, pretty=indent).encode("utf-8", "surrogatepass")


WRITERS: Mapping[str, Callable[[Tree, bool], bytes]] = {
    "Penstock": penstock_,
    "lxml": lxml_,
    "ElementTree": element_tree,
    "xmltodict": xmltodict_,
}


def read(text: bytes) -> Tree | None:
    """Return the tree that expat reads; None if it refuses the text."""
    try:
        parser = ET.XMLParser(target=ET.TreeBuilder(insert_comments=True))
        return tree_of(ET.fromstring(text, parser))
    except ET.ParseError:
        return None


def tree_of(element: Any) -> Tree:
    comments = [each for each in element if each.tag is ET.Comment]
    elements = [each for each in element if each.tag is not ET.Comment]
    text = (element.text or "") + "".join(each.tail or "" for each in comments)
    return Tree(
        element.tag,
        dict(element.attrib),
        text,
        tuple(map(tree_of, elements)),
        comments[0].text if comments else None,
        element.tail or "",
    )


def alike(found: Tree | None, question: Question) -> bool:
    """Tell whether the tree came back, with white space between elements if it is indented."""
    if question.refused or found is None:
        return False
    if question.indent and not question.tree.text.strip():
        found = replace(
            found,
            text=found.text.strip(),
            children=tuple(replace(child, tail=child.tail.strip()) for child in found.children),
        )
    return found == question.tree


def cell(question: Question, library: str) -> Cell:
    """Rate a library's answer."""
    if question.sound and not cell(Question("", question.sound), library).right:
        return Cell("refuses", "refuses sound values too")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            text = WRITERS[library](question.tree, question.indent)
    except Exception:  # noqa: BLE001 - each library has its own
        return Cell("refuses as it should" if question.refused else "refuses")
    if alike(read(text), question):
        return Cell("writes")
    return Cell("gets it wrong", f"writes `{cut(text.rpartition(b'?>')[2].strip())}`")
