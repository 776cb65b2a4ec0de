"""Decode random XML into random classes, beside ElementTree and the obvious conversion.

A run is a class tree, an element that may fit it, and some damage. What fits must give the same
object as the conversion of ElementTree's tree does; what is damaged must be refused where it is not
XML or does not fit; and all ways of decoding (whole, streamed and fed in pieces) must say the same.
The same seed and number of runs is the same test.

    python fuzz/typed_xml.py [--runs N] [--seed S] [--seconds T | --only RUN]
"""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import MISSING, dataclass, field, fields, is_dataclass, make_dataclass
from decimal import Decimal
from math import isfinite
from random import Random
from typing import Annotated, Any
from xml.etree import ElementTree as ET
from xml.sax.saxutils import escape, quoteattr

from campaign import campaign

import penstock

# Classes at random name few of the elements beside their text.
warnings.simplefilter("ignore", penstock.MixedContentWarning)


class Mismatch(Exception):
    """The naive conversion refuses."""


@dataclass
class Kind:
    """A type: how it is annotated, the inside of an element of it, and the obvious conversion.

    `attributes` writes those of an element of it, and `check` refuses those that do not fit; a
    scalar has none, and may be one.
    """

    annotation: Any
    inside: Callable[[Random], str]
    convert: Callable[[ET.Element], Any]
    attributes: Callable[[Random], str] | None = None
    check: Callable[[ET.Element], None] | None = None


# The text of scalars.

XSI = "http://www.w3.org/2001/XMLSchema-instance"
DECIMAL = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)")
REAL = re.compile(rf"{DECIMAL.pattern}(?:[eE][+-]?[0-9]+)?")
NAMED = {"INF": "inf", "+INF": "inf", "-INF": "-inf", "NaN": "nan"}


def text_of(element: ET.Element) -> str:
    """Return all text below an element."""
    return "".join(element.itertext())


def word(rng: Random) -> str:
    """Return a text as it is written."""
    text = "".join(rng.choice("ab \n\té漢𝄞<&>'\"]") for _ in range(rng.randrange(6)))
    return escape(text, {'"': "&quot;"})


def mixed(rng: Random) -> str:
    """Return a text with markup in it."""
    parts = [word(rng), f"<i>{word(rng)}</i>", "<!--c-->", "<?p i?>", "&#x41;", "<![CDATA[<&]]>"]
    return "".join(rng.choice(parts) for _ in range(rng.randrange(4)))


def chosen(*forms: str) -> Callable[[Random], str]:
    """Return one of these, in one piece or in several."""

    def inside(rng: Random) -> str:
        text = rng.choice(forms)
        if rng.random() < 0.1:
            at = rng.randrange(len(text) + 1)
            text = text[:at] + rng.choice(["<!--c-->", "<?p i?>", "&#48;", "&#10;"]) + text[at:]
        return text

    return inside


def collapsed(element: ET.Element) -> str:
    """Return the text of an element for what is no text, without the space around it."""
    if len(element):
        raise Mismatch
    return text_of(element).strip(" \t\r\n")


def integer(element: ET.Element) -> int:
    """Convert an element to an int."""
    text = collapsed(element)
    if not re.fullmatch(r"[+-]?[0-9]+", text):
        raise Mismatch
    return int(text)


def boolean(element: ET.Element) -> bool:
    """Convert an element to a bool."""
    text = collapsed(element)
    if text not in {"true", "false", "1", "0"}:
        raise Mismatch
    return text in {"true", "1"}


def real(element: ET.Element) -> float:
    """Convert an element to a float."""
    text = collapsed(element)
    if text in NAMED:
        return float(NAMED[text])
    if not REAL.fullmatch(text) or not isfinite(number := float(text)):
        raise Mismatch
    return number


def decimal(element: ET.Element) -> Decimal:
    """Convert an element to a Decimal."""
    text = collapsed(element)
    if not DECIMAL.fullmatch(text):
        raise Mismatch
    return Decimal(text)


REALS = (
    "1.5",
    " -2. ",
    ".5",
    "1e5",
    "-0",
    "NaN",
    "INF",
    "-INF",
    "1e400",
    "9" * 25,
    "0.1e-330",
    ".",
)
SCALARS = (
    Kind(str, mixed, text_of),
    Kind(int, chosen(" 7 ", "-12", "+0", "007", "9" * 30, "x", ""), integer),
    Kind(bool, chosen("true", "0", "\n1\n", "yes"), boolean),
    Kind(float, chosen(*REALS), real),
    Kind(Decimal, chosen("1.50", "\t-7", "+.25", "0" * 30 + "1." + "3" * 30, "1e5", ""), decimal),
)


# Where the value of a field stands. A place writes what it needs, and finds its value again; one
# without a value is left to the default of the field.


class Absent(Exception):
    """There is nothing at the place."""


def value_of(kind: Kind, element: ET.Element, *, nullable: bool) -> Any:
    """Convert an element, or find that it stands for `None`."""
    nil = element.get(f"{{{XSI}}}nil", "false").strip(" \t\r\n")
    if nil not in {"true", "false", "1", "0"}:
        raise Mismatch
    if nil in {"true", "1"}:
        if not nullable:
            raise Mismatch
        # It may have attributes, and whatever it has beside them does not count.
        if kind.check:
            kind.check(element)
        return None
    return kind.convert(element)


def only(found: list[ET.Element]) -> ET.Element:
    """Return the one element that there may be."""
    if not found:
        raise Absent
    if len(found) > 1:
        raise Mismatch
    return found[0]


def from_text(kind: Kind, text: str) -> Any:
    """Convert what is not the text of an element."""
    element = ET.Element("text")
    element.text = text
    return kind.convert(element)


@dataclass
class Place:
    """A field's: its path, if it is not found by its name, and how often it is there."""

    name: str
    kind: Kind
    path: str | None
    many: bool
    nullable: bool

    def annotation(self) -> Any:
        """Return that of the field."""
        annotation = self.kind.annotation
        if self.nullable:
            annotation |= None
        if self.many:
            annotation = list[annotation]  # type: ignore[valid-type]
        return annotation if self.path is None else Annotated[annotation, penstock.at(self.path)]

    def elements(self, rng: Random) -> list[str]:
        """Write the elements for the field."""
        if self.path is not None and self.path.startswith(("@", "text")):
            return []
        return [
            self.element(rng)
            for _ in range(
                rng.choice([0, 1, 2, 3]) if self.many else rng.choice([1, 1, 1, 1, 0, 2])
            )
        ]

    def element(self, rng: Random) -> str:
        """Write one of them."""
        attributes = self.kind.attributes(rng) if self.kind.attributes else ""
        if rng.random() < (0.2 if self.nullable else 0.02):
            nil = f' xmlns:xsi="{XSI}" xsi:nil="{rng.choice(["true", "1", "false", "x"])}"'
            attributes = rng.choice([attributes + nil, nil + attributes])
        text = f"<{self.name}{attributes}>{self.kind.inside(rng)}</{self.name}>"
        if self.path is not None and "/" in self.path:
            return f"<g>{text}</g>" if rng.random() < 0.8 else f"<g/>{text}"
        return text

    def attribute(self, rng: Random) -> str:
        """Write the attribute for the field."""
        if self.path is None or not self.path.startswith("@") or rng.random() < 0.1:
            return ""
        text = re.sub(r"<[^>]*>|]]>", "", self.kind.inside(rng)).replace("<", "&lt;")
        # Space is written as a reference, so that it is not made a blank.
        return f" {self.path[1:]}={quoteattr(text).replace('&amp;', '&')}"

    def find(self, element: ET.Element) -> Any:
        """Find the value of the field."""
        if self.path is not None and self.path.startswith("@"):
            if self.path[1:] not in element.attrib:
                raise Absent
            return from_text(self.kind, element.attrib[self.path[1:]])
        if self.path == "text()":
            texts = [element.text, *(child.tail for child in element)]
            return from_text(self.kind, "".join(text or "" for text in texts))
        found = element.findall(self.path or self.name)
        if self.many:
            if not found:
                raise Absent
            return [value_of(self.kind, one, nullable=self.nullable) for one in found]
        if not found and not self.path and not self.kind.attributes and self.name in element.attrib:
            return from_text(self.kind, element.attrib[self.name])
        return value_of(self.kind, only(found), nullable=self.nullable)


def place(rng: Random, index: int, depth: int) -> Place:
    """Return a field."""
    name = f"f{index}"
    if depth and rng.random() < 0.3:
        path = f"g/{name}" if rng.random() < 0.2 else None
        return Place(name, record(rng, depth - 1), path, rng.random() < 0.3, rng.random() < 0.2)
    kind = rng.choice(SCALARS)
    where = rng.random()
    if where < 0.15:
        return Place(name, kind, f"@a{index}", many=False, nullable=rng.random() < 0.3)
    if where < 0.25:
        return Place(name, SCALARS[0], "text()", many=False, nullable=False)
    path = f"g/{name}" if where < 0.4 else None
    return Place(name, kind, path, rng.random() < 0.3, rng.random() < 0.2)


def record(rng: Random, depth: int) -> Kind:
    """Return a class of a few fields."""
    places: list[Place] = []
    for index in range(rng.randrange(1, 5)):
        one = place(rng, index, depth)
        # Only one field can have the text.
        if one.path != "text()" or all(other.path != "text()" for other in places):
            places.append(one)
    specs: list[Any] = []
    for one in places:
        specs.append((one.name, one.annotation()))
        if one.many and rng.random() < 0.5:
            specs[-1] += (field(default_factory=list),)
        elif one.nullable and not one.many and rng.random() < 0.7:
            specs[-1] += (field(default=None),)
    specs.sort(key=len)
    made = make_dataclass("Made", specs, slots=rng.random() < 0.5)

    def attributes(rng: Random) -> str:
        written = [one.attribute(rng) for one in places]
        rng.shuffle(written)
        return "".join(written)

    def inside(rng: Random) -> str:
        parts = [text for one in places for text in one.elements(rng)]
        parts += [f"<other f0='x'>{mixed(rng)}</other>"] * rng.randrange(2)
        parts += [word(rng)] * rng.randrange(2)
        rng.shuffle(parts)
        return rng.choice(["", " ", "\n  "]).join(parts)

    def check(element: ET.Element) -> None:
        for one in places:
            if one.path is not None and one.path.startswith("@"):
                with suppress(Absent):
                    one.find(element)

    def convert(element: ET.Element) -> Any:
        values = {}
        defaulted = {
            item.name
            for item in fields(made)
            if item.default is not MISSING or item.default_factory is not MISSING
        }
        for one in places:
            try:
                values[one.name] = one.find(element)
            except Absent:
                if one.name in defaulted:
                    continue
                if not one.many and not one.nullable:
                    raise Mismatch from None
                values[one.name] = [] if one.many else None
        return made(**values)

    return Kind(made, inside, convert, attributes, check)


def damage(rng: Random, text: str) -> str:
    """Change a few characters."""
    for _ in range(rng.randrange(1, 3)):
        at = rng.randrange(len(text) + 1)
        new = rng.choice(["", "<", ">", "&", "</f0>", "<f0>", "]]>", " ", '"', "\x01", "-", ":"])
        text = text[:at] + new + text[at + rng.randrange(4) :]
    return text


def same(a: Any, b: Any) -> bool:
    """Compare values and their types."""
    if type(a) is not type(b):
        return False
    if isinstance(a, (float, Decimal)):
        return repr(a) == repr(b)
    if isinstance(a, list):
        return len(a) == len(b) and all(map(same, a, b))
    if is_dataclass(a):
        return all(same(getattr(a, f.name), getattr(b, f.name)) for f in fields(a))
    return bool(a == b)


def outcome(call: Callable[[], Any]) -> tuple[str, Any]:
    """Return what a way of decoding makes, or says."""
    try:
        return "fits", call()
    except penstock.DecodeError as error:
        return type(error).__name__, (error.offset, error.reason)


def oracle(kind: Kind, data: bytes) -> tuple[str, Any]:
    """Return what ElementTree and the conversion make of it."""
    try:
        root = ET.fromstring(data)
    except ET.ParseError:
        return "malformed", None
    try:
        return "fits", kind.convert(root)
    except Mismatch:
        return "mismatch", None


def fed(rng: Random, kind: Kind, data: bytes) -> list[Any]:
    """Decode in pieces."""
    decoder = penstock.xml.Decoder(kind.annotation, at="r")
    records, at = [], 0
    while at < len(data):
        size = rng.choice([1, 1, 2, 7, 64])
        records += decoder.feed(data[at : at + size])
        at += size
    return records + decoder.finish()


def run(seed: str) -> None:
    """Make one class and some documents, and compare."""
    rng = Random(seed)
    kind = record(rng, 3)
    for _ in range(4):
        attributes = rng.choice(["", "", ' f0="7"', " f1='a&#10;b'", ' xml:lang="de"'])
        attributes += kind.attributes(rng) if kind.attributes else ""
        text = f"<r{attributes}>{kind.inside(rng)}</r>"
        if rng.random() < 0.5:
            text = damage(rng, text)
        data = text.encode()
        verdict, expected = oracle(kind, data)
        once = outcome(lambda: [penstock.xml.decode(data, kind.annotation)])  # noqa: B023 - at once
        if verdict == "fits" and not (once[0] == "fits" and same(once[1], [expected])):
            raise AssertionError(f"{once!r} and not {expected!r}: {text}")
        if verdict == "mismatch" and once[0] != "ValidationError":
            raise AssertionError(f"{once!r} and not a mismatch: {text}")
        # A mismatch before what is malformed is what is told.
        if verdict == "malformed" and once[0] == "fits":
            raise AssertionError(f"{once!r} and not malformed: {text}")
        pieces = outcome(lambda: fed(rng, kind, data))  # noqa: B023 - at once
        streamed = outcome(lambda: list(penstock.xml.read([data], kind.annotation, at="r")))  # noqa: B023
        for other in (pieces, streamed):
            if once[0] == "fits" and text.startswith("<r"):
                if other[0] != "fits" or not same(other[1], once[1]):
                    raise AssertionError(f"whole {once!r} and otherwise {other!r}: {text}")
            elif (
                text.startswith(("<r>", "<r "))
                and pieces != streamed
                and not same(pieces[1], streamed[1])
            ):
                raise AssertionError(f"fed {pieces!r} and streamed {streamed!r}: {text}")


if __name__ == "__main__":
    sys.exit(campaign("typed_xml", __doc__.partition("\n")[0], run))
