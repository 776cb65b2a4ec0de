"""Decode random documents into random classes, beside `json` and calling the class.

A run is a class tree, a document that may fit it, and some damage. What fits must give the same
object as the obvious conversion does; what does not must be refused, and both ways of decoding
(whole, and in chunks) must say the same. The same seed and number of runs is the same test.

    python fuzz/typed.py [--runs N] [--seed S] [--seconds T | --only RUN]
"""

from __future__ import annotations

import enum
import json
import sys
from collections import deque
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from decimal import Decimal
from random import Random
from typing import Any

from campaign import campaign
from shapes import Digits, Mismatch, Pairs, record, shape

import penstock

# A run.

TOKENS = [
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    '"',
    "\\",
    "0",
    "-",
    ".",
    "e1",
    "null",
    "true",
    "1",
    '""',
    " ",
]


def damage(rng: Random, text: str) -> str:
    """Change a text a little."""
    for _ in range(rng.randrange(1, 3)):
        at, token = rng.randrange(len(text) + 1), rng.choice(TOKENS)
        kind = rng.randrange(4)
        if kind == 0:
            text = text[:at] + token + text[at:]
        elif kind == 1:
            text = text[:at] + text[at + 1 :]
        elif kind == 2:
            text = text[:at] + token + text[at + 1 :]
        else:
            text = text[:at]
    return text


def refuse(name: str) -> Any:
    """Refuse what only Python's JSON has."""
    raise ValueError(name)


def oracle(text: str, convert: Callable[[Any], Any]) -> tuple[str, Any]:
    """Say `malformed`, `mismatch`, or `fits` with the value."""
    try:
        parsed = json.loads(
            text,
            parse_int=Digits,
            parse_float=Digits,
            parse_constant=refuse,
            object_pairs_hook=Pairs,
        )
        # Python lets surrogates pass that are no pair.
        json.dumps(parsed, ensure_ascii=False).encode()
    except ValueError:
        return "malformed", None
    try:
        return "fits", convert(parsed)
    except Mismatch:
        return "mismatch", None


def same(one: Any, other: Any) -> bool:
    """Tell whether two values cannot be told apart."""
    if type(one) is not type(other):
        return False
    if isinstance(one, (float, Decimal)):
        return repr(one) == repr(other)
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, (list, tuple, deque)):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, (set, frozenset)):
        return bool(one == other) and {repr(part) for part in one} == {repr(part) for part in other}
    if is_dataclass(one):
        return all(same(getattr(one, f.name), getattr(other, f.name)) for f in fields(one))
    if hasattr(one, "__dict__") and not isinstance(one, enum.Enum):
        return same(vars(one), vars(other))
    return bool(one == other)


def answer(error: penstock.DecodeError) -> tuple[str, Any]:
    """Say the same of Penstock: what is wrong, and where."""
    return "mismatch" if isinstance(error, penstock.ValidationError) else "malformed", error.offset


def whole(into: Any, data: bytes) -> tuple[str, Any]:
    """Decode at once."""
    try:
        return "fits", penstock.decode(data, into)
    except penstock.DecodeError as error:
        return answer(error)


def in_chunks(rng: Random, into: Any, data: bytes) -> tuple[str, Any]:
    """Decode the elements of an array, fed in pieces."""
    decoder = penstock.Decoder(into, format="json")
    records, at = [], 0
    try:
        while at < len(data):
            size = rng.choice([1, 1, 2, 7, 64])
            records += decoder.feed(data[at : at + size])
            at += size
        return "fits", records + decoder.finish()
    except penstock.DecodeError as error:
        return answer(error)


def run(seed: str) -> None:
    """Make one class and some documents, and compare."""
    rng = Random(seed)
    made = record(rng, 3) if rng.random() < 0.8 else shape(rng, 3)
    for _ in range(4):
        text = made.text(rng)
        if rng.random() < 0.5:
            text = damage(rng, text)
        data = text.encode()
        verdict, expected = oracle(text, made.convert)
        found, value = whole(made.annotation, data)
        # A mismatch before what is malformed is what is told.
        if found != verdict and (verdict, found) != ("malformed", "mismatch"):
            raise AssertionError(f"{found} and not {verdict}: {text}")
        if verdict == "fits" and not same(value, expected):
            raise AssertionError(f"{value!r} and not {expected!r}: {text}")
        listed = b"[" + data + b"]"
        once = whole(list[made.annotation], listed)
        fed = in_chunks(rng, made.annotation, listed)
        if once[0] != fed[0] or not same(once[1], fed[1]):
            raise AssertionError(f"whole {once!r} and fed {fed!r}: {listed.decode()}")


if __name__ == "__main__":
    sys.exit(campaign("typed", __doc__.partition("\n")[0], run))
