"""Write random objects of random classes as JSON and as XML, and read them back.

A run is a class and some objects of it. What Penstock writes must be read back as an equal object
of the same types, and other readers must read the same document: json and msgspec, ElementTree and
lxml. What it refuses must be one of the values that the format cannot hold. The same seed and
number of runs is the same test.

    python fuzz/encode.py [--runs N] [--seed S] [--seconds T | --only RUN]
"""

from __future__ import annotations

import importlib.util
import json
import sys
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
        if not REFUSED.search(str(error)):
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


def run(seed: str) -> None:
    """Make one class and some objects, and write them."""
    rng = Random(seed)
    kind = any_kind(rng)
    for _ in range(3):
        value = kind.make(rng)
        if text := written(penstock.json, kind, value):
            beside_json(text)
            written(penstock.json, kind, value, indent=2, sort_keys=True, ascii=True)
        if text := written(penstock.xml, kind, value):
            beside_xml(text)
            if indented := written(penstock.xml, kind, value, indent=rng.randrange(3)):
                beside_xml(indented)
            named = {"root": "r", "record": "p:x", "namespaces": {"p": "urn:p", "q": "urn:x"}}
            written(penstock.xml, kind, value, **named)


if __name__ == "__main__":
    sys.exit(campaign("encode", __doc__ or "", run))
