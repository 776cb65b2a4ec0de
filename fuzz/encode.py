"""Write random objects of random classes as JSON and as XML, read them back, and convert them.

A run is a class and some objects of it. What Penstock writes must be read back as an equal object
of the same types, and other readers must read the same document: json and msgspec, ElementTree and
lxml. What it refuses must be one of the values that the format cannot hold. Lines of JSON, damaged
now and then, are converted by the class, which must give what reading and writing them gives. The
same seed and number of runs is the same test.

    python fuzz/encode.py [--runs N] [--seed S] [--seconds T | --only RUN]
"""

from __future__ import annotations

import importlib.util
import io
import json
import sys
from functools import partial
from pathlib import Path
from random import Random
from typing import Any
from xml.etree import ElementTree as ET

from campaign import campaign

import penstock

sys.path.append(str(Path(__file__).parent.parent / "tests" / "support"))

from random_classes import REFUSED, Kind, any_kind, same

PEERS = all(map(importlib.util.find_spec, ("lxml", "msgspec")))


def written(module: Any, kind: Kind, value: Any, **options: Any) -> bytes | None:
    """Write a value; None if it is refused for a reason that is known."""
    try:
        text: bytes = module.encode(value, kind.annotation, **options)
    except (penstock.EncodeError, penstock.PlanError) as error:
        if not REFUSED.search(str(error)) and not str(error).endswith("is no name in ASCII"):
            raise
        return None
    back = module.decode(text, kind.annotation)
    if not same(back, value):
        raise AssertionError(f"{back!r} and not {value!r}: {text!r}")
    return text


def beside_json(text: bytes) -> None:
    """Read JSON as others do."""
    plain = penstock.json.decode(text)
    if not same(json.loads(text), plain):
        raise AssertionError(text)
    if PEERS:
        import msgspec  # noqa: PLC0415 - it may not be there

        if not same(msgspec.json.decode(text), plain):
            raise AssertionError(text)


def beside_xml(text: bytes) -> None:
    """Read XML as others do: the same elements, attributes and texts."""
    canonical = ET.canonicalize(text)
    if PEERS:
        from lxml import etree  # noqa: PLC0415 - it may not be there

        again = etree.tostring(etree.fromstring(text), encoding="unicode")
        if ET.canonicalize(again) != canonical:
            raise AssertionError(text)


def outcome(call: Any, target: io.BytesIO) -> Any:
    """What is written, or the error."""
    try:
        return call(), target.getvalue()
    except (penstock.DecodeError, penstock.EncodeError) as error:
        return type(error), str(error)


def by_class(kind: Kind, texts: list[bytes], rng: Random) -> None:
    """Convert lines, and compare that with reading and writing them."""
    data = bytearray(b"\n".join(texts))
    for _ in range(rng.choice([0, 0, 1, 2]) if data else 0):
        data[rng.randrange(len(data))] = rng.choice(b'",:{}[]0a\n\\\xff ')
    of, to, size = kind.annotation, rng.choice(["json", "ndjson", "xml"]), rng.randrange(1, 99)
    errors: Any = rng.choice(["raise", "skip"])

    def chunks() -> Any:
        return iter([bytes(data[at : at + size]) for at in range(0, len(data), size)])

    def loop() -> Any:
        reader: Any = penstock.read(chunks(), of, format="ndjson", errors=errors)
        with penstock.write(target, of, format=to) as writer:  # type: ignore[arg-type]
            for record in reader:
                writer.write(record)
        return writer.progress.records, reader.skipped

    def convert(objects: bool) -> Any:
        made: Any = {"into": of, "objects": objects, "format": "ndjson", "to": to}
        done = penstock.convert(chunks(), target, errors=errors, **made)
        return done.records, done.skipped

    for objects in (True, False):
        target = io.BytesIO()
        try:
            wanted = outcome(loop, target)
            target = io.BytesIO()
            found = outcome(partial(convert, objects), target)
        except penstock.PlanError:
            continue
        if found != wanted:
            raise AssertionError(f"{found!r} and not {wanted!r}: {bytes(data)!r}, to {to}")


def run(seed: str) -> None:
    """Make one class and some objects, and write them."""
    rng = Random(seed)
    kind = any_kind(rng)
    lines = []
    for _ in range(3):
        value = kind.make(rng)
        if text := written(penstock.json, kind, value):
            beside_json(text)
            lines.append(text)
            written(penstock.json, kind, value, indent=2, sort_keys=True, ascii=True)
        if text := written(penstock.xml, kind, value):
            beside_xml(text)
            if indented := written(penstock.xml, kind, value, indent=rng.randrange(3)):
                beside_xml(indented)
            named = {"root": "r", "record": "p:x", "namespaces": {"p": "urn:p", "q": "urn:x"}}
            written(penstock.xml, kind, value, **named)
            if in_ascii := written(penstock.xml, kind, value, ascii=True):
                beside_xml(in_ascii)
    by_class(kind, lines, rng)


if __name__ == "__main__":
    sys.exit(campaign("encode", __doc__ or "", run))
