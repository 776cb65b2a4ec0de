"""Objects to XML: real cities, beside the usual ways to write XML from Python.

The objects are made before the clock starts, and each case writes all fields of each city as child
elements. The values of a case are the elements that its text has.
"""

# ruff: noqa: PLC0415 - each process imports only what it measures
from __future__ import annotations

import xml.etree.ElementTree as ET
from functools import partial
from io import BytesIO
from typing import TYPE_CHECKING, Any

import inputs
import messages
from classes import City
from model import OURS, Case, Input, Row, Variant, faster

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from model import Call

OFF = "collector off"
MOST = 50_000
"""How many cities: the peers are slow."""
FIELDS = tuple(City.__annotations__)


def written(write: Callable[[Any], bytes], _: str) -> Call:
    """Make the objects, and return the call that writes them, or the first one of them."""
    import msgspec

    kind = dict[str, messages.slots(City)]  # type: ignore[misc]
    read: Any = msgspec.json.decode(inputs.cities().read_bytes(), type=kind)
    cities = list(read.values())[:MOST]
    return lambda which: write(cities[:1] if which == "small" else cities)


def penstock(cities: Any) -> bytes:
    """Penstock's function."""
    import penstock.xml

    return penstock.xml.encode(cities, root="cities", record="city")


def parts(city: Any) -> Iterable[tuple[str, str]]:
    """Return the name and the text of each child element."""
    for name in FIELDS:
        value = getattr(city, name)
        if isinstance(value, list):
            yield from ((name, item) for item in value)
        else:
            yield name, str(value)


def lxml(cities: Any) -> bytes:
    """The incremental writer of lxml."""
    from lxml import etree

    out = BytesIO()
    with etree.xmlfile(out, encoding="UTF-8") as file:
        file.write_declaration()
        with file.element("cities"):
            for city in cities:
                with file.element("city"):
                    for name, text in parts(city):
                        with file.element(name):
                            file.write(text)
    return out.getvalue()


def lxml_elements(cities: Any) -> bytes:
    """The same writer, with an element made for each city."""
    from lxml import etree

    out = BytesIO()
    with etree.xmlfile(out, encoding="UTF-8") as file:
        file.write_declaration()
        with file.element("cities"):
            for city in cities:
                element = etree.Element("city")
                for name, text in parts(city):
                    etree.SubElement(element, name).text = text
                file.write(element)
    return out.getvalue()


def elementtree(cities: Any) -> bytes:
    """The standard library: a tree, and its text."""
    root = ET.Element("cities")
    for city in cities:
        element = ET.SubElement(root, "city")
        for name, text in parts(city):
            ET.SubElement(element, name).text = text
    return ET.tostring(root, encoding="utf-8", xml_declaration=True)


def xmltodict(cities: Any) -> bytes:
    """The package xmltodict, from dicts."""
    import xmltodict

    rows = [{name: getattr(city, name) for name in FIELDS} for city in cities]
    return str(xmltodict.unparse({"cities": {"city": rows}})).encode()


def values(made: bytes) -> Iterable[object]:
    """Return the children of each city, with numbers as such."""

    def plain(text: str | None) -> object:
        try:
            return float(text or "")
        except ValueError:
            return text or ""

    return [[(child.tag, plain(child.text)) for child in city] for city in ET.fromstring(made)]


ROWS = (
    Row(
        "encode-xml",
        f"{MOST:,} real cities, all 9 fields, to XML",
        (Variant(OFF, collector=False),),
        (
            Case(OURS, partial(written, penstock), (OURS, "msgspec")),
            Case("lxml.xmlfile", partial(written, lxml), ("lxml", "msgspec")),
            Case("lxml.xmlfile, Elements", partial(written, lxml_elements), ("lxml", "msgspec")),
            Case("ElementTree", partial(written, elementtree), ("msgspec",)),
            Case("xmltodict.unparse", partial(written, xmltodict), ("xmltodict", "msgspec")),
        ),
        lambda _: Input("large", "small"),
        values,
        (faster("lxml.xmlfile", OFF, 10),),
    ),
)
