"""Decode random XML into random classes, beside ElementTree and the obvious conversion.

A run is a class tree, an element that may fit it, and some damage. What fits must give the same
object as the conversion of ElementTree's tree does; what is damaged must be refused where it is not
XML or does not fit; and all ways of decoding (whole, streamed and fed in pieces) must say the same.
The same seed and number of runs is the same test.

    python fuzz/typed_xml.py [--runs N] [--seed S] [--seconds T | --only RUN]
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import MISSING, dataclass, field, fields, is_dataclass, make_dataclass
from random import Random
from typing import Any
from xml.etree import ElementTree as ET
from xml.sax.saxutils import escape

from campaign import campaign

import penstock


class Mismatch(Exception):
    """The naive conversion refuses."""


@dataclass
class Kind:
    """A type: how it is annotated, the inside of an element of it, and the obvious conversion."""

    annotation: Any
    inside: Callable[[Random], str]
    convert: Callable[[ET.Element], Any]
    scalar: bool = True


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


def integer(element: ET.Element) -> int:
    """Convert an element to an int."""
    text = text_of(element).strip(" \t\r\n")
    if len(element) or not text.lstrip("+-").isdecimal() or not text.isascii():
        raise Mismatch
    if text.lstrip("+-") != text[1:] and text.lstrip("+-") != text:
        raise Mismatch
    return int(text)


def boolean(element: ET.Element) -> bool:
    """Convert an element to a bool."""
    text = text_of(element).strip(" \t\r\n")
    if len(element) or text not in {"true", "false", "1", "0"}:
        raise Mismatch
    return text in {"true", "1"}


SCALARS = (
    Kind(str, mixed, text_of),
    Kind(int, lambda rng: rng.choice([" 7 ", "-12", "+0", "007", "9" * 30, "x", ""]), integer),
    Kind(bool, lambda rng: rng.choice(["true", "0", "\n1\n", "yes"]), boolean),
)


def record(rng: Random, depth: int) -> Kind:
    """Return a class of a few fields."""
    kinds: list[tuple[str, Kind, bool]] = []
    specs: list[Any] = []
    for index in range(rng.randrange(1, 5)):
        name = f"f{index}"
        deeper = depth and rng.random() < 0.3
        kind = record(rng, depth - 1) if deeper else rng.choice(SCALARS)
        many = rng.random() < 0.3
        kinds.append((name, kind, many))
        specs.append((name, list[kind.annotation] if many else kind.annotation))  # type: ignore[name-defined]
        if many and rng.random() < 0.5:
            specs[-1] += (field(default_factory=list),)
    specs.sort(key=len)
    made = make_dataclass("Made", specs, slots=rng.random() < 0.5)

    def inside(rng: Random) -> str:
        parts = []
        for name, kind, many in kinds:
            for _ in range(rng.choice([0, 1, 2, 3]) if many else rng.choice([1, 1, 1, 1, 0, 2])):
                parts.append(f"<{name}>{kind.inside(rng)}</{name}>")  # noqa: PERF401 - as it reads
        parts += [f"<other f0='x'>{mixed(rng)}</other>"] * rng.randrange(2)
        rng.shuffle(parts)
        return rng.choice(["", " ", "\n  "]).join(parts)

    def convert(element: ET.Element) -> Any:
        values = {}
        defaults = {item.name: item.default_factory for item in fields(made)}
        for name, kind, many in kinds:
            found = element.findall(name)
            if many:
                if found or defaults[name] is MISSING:
                    values[name] = [kind.convert(one) for one in found]
            elif len(found) == 1:
                values[name] = kind.convert(found[0])
            elif not found and kind.scalar and name in element.attrib:
                attribute = ET.Element(name)
                attribute.text = element.attrib[name]
                values[name] = kind.convert(attribute)
            else:
                raise Mismatch
        return made(**values)

    return Kind(made, inside, convert, scalar=False)


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
            elif text.startswith("<r>") and pieces != streamed and not same(pieces[1], streamed[1]):
                raise AssertionError(f"fed {pieces!r} and streamed {streamed!r}: {text}")


if __name__ == "__main__":
    sys.exit(campaign("typed_xml", __doc__.partition("\n")[0], run))
