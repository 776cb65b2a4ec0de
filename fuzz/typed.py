"""Decode random documents into random classes, beside `json` and calling the class.

A run is a class tree, a document that may fit it, and some damage. What fits must give the same
object as the obvious conversion does; what does not must be refused, and both ways of decoding
(whole, and in chunks) must say the same. The same seed and number of runs is the same test.

    python fuzz/typed.py [--runs N] [--seed S] [--only RUN]
"""

from __future__ import annotations

import argparse
import enum
import json
import math
import re
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field, fields, is_dataclass, make_dataclass
from decimal import Decimal, InvalidOperation
from random import Random
from typing import Any, Literal, NamedTuple, TypedDict

import penstock

INTEGER = re.compile(r"-?(0|[1-9][0-9]*)")
NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")


class Mismatch(Exception):
    """The naive conversion refuses."""


class Digits(str):
    """A number as it stands in the document."""

    __slots__ = ()


class Pairs(list[tuple[str, Any]]):
    """An object with all that it repeats."""

    __slots__ = ()


@dataclass
class Shape:
    """A type: how it is annotated, what documents it has, and the obvious conversion."""

    annotation: Any
    text: Callable[[Random], str]
    convert: Callable[[Any], Any]


# Documents.


def any_text(rng: Random, depth: int = 2) -> str:
    """Return any JSON value."""
    kind = rng.randrange(5 if depth else 3)
    if kind == 0:
        return rng.choice(["null", "true", "false"])
    if kind == 1:
        return number_text(rng)
    if kind == 2:
        return string_text(rng)
    parts = [any_text(rng, depth - 1) for _ in range(rng.randrange(3))]
    if kind == 3:
        return f"[{','.join(parts)}]"
    return "{" + ",".join(f"{string_text(rng)}:{part}" for part in parts) + "}"


def integer_text(rng: Random) -> str:
    """Return an integer of any length."""
    bits = rng.choice([1, 4, 8, 31, 53, 63, 64, 65, 130])
    return str(rng.choice([1, -1]) * rng.getrandbits(bits))


def number_text(rng: Random) -> str:
    """Return a number in any form."""
    forms = [
        integer_text,
        lambda rng: repr(rng.uniform(-1000, 1000)),
        lambda rng: f"{rng.uniform(-9, 9):.{rng.randrange(25)}e}",
        lambda rng: rng.choice(["-0", "0.0", "-0.0", "1E5", "1e-400", "1e400", "0.1e1", "12.50"]),
    ]
    return rng.choice(forms)(rng)


def string_text(rng: Random) -> str:
    """Return a string, with its quotes."""
    alphabet = ["a", "b", " ", "é", "ÿ", "水", "\U0001d11e", '"', "\\", "\n", "\0", "x" * 20]
    text = "".join(rng.choice(alphabet) for _ in range(rng.choice([0, 1, 2, 3, 9])))
    return json.dumps(text, ensure_ascii=rng.random() < 0.3)


# The scalars, and the obvious conversions into them.


def to_bool(value: Any) -> bool:
    """Take `true` and `false`."""
    if isinstance(value, bool):
        return value
    raise Mismatch


def to_int(value: Any) -> int:
    """Take an integer literal."""
    if isinstance(value, Digits) and INTEGER.fullmatch(value):
        return int(value)
    raise Mismatch


def to_float(value: Any) -> float:
    """Take any number that a double holds."""
    if isinstance(value, Digits) and math.isfinite(number := float(value)):
        return number
    raise Mismatch


def to_str(value: Any) -> str:
    """Take a string."""
    if isinstance(value, str) and not isinstance(value, Digits):
        return value
    raise Mismatch


def to_decimal(value: Any) -> Decimal:
    """Take a number, or a string that is one."""
    if isinstance(value, str) and NUMBER.fullmatch(value):
        try:
            return Decimal(str(value))
        except InvalidOperation:  # The exponent is beyond all use.
            raise Mismatch from None
    raise Mismatch


def to_any(value: Any) -> Any:
    """Take anything."""
    if isinstance(value, Digits):
        return int(value) if INTEGER.fullmatch(value) else to_float(value)
    if isinstance(value, Pairs):
        return {key: to_any(part) for key, part in value}
    if isinstance(value, list):
        return [to_any(part) for part in value]
    return value


class Size(enum.Enum):
    """One of these."""

    SMALL = "small"
    LARGE = "large"
    NUMBER = 7


def to_size(value: Any) -> Size:
    """Take a value of a member."""
    for member in Size:
        plain = to_any(value) if isinstance(value, Digits) and INTEGER.fullmatch(value) else value
        if type(plain) is type(member.value) and plain == member.value:
            return member
    raise Mismatch


CHOICE = Literal["a", 1, True] | None


def to_choice(value: Any) -> Any:
    """Take exactly these."""
    plain = to_any(value) if isinstance(value, Digits) and INTEGER.fullmatch(value) else value
    for literal in ("a", 1, None, True):
        if type(plain) is type(literal) and plain == literal:
            return literal
    raise Mismatch


def constant(*texts: str) -> Callable[[Random], str]:
    """Choose between texts."""
    return lambda rng: rng.choice(texts)


SCALARS = [
    Shape(bool, constant("true", "false"), to_bool),
    Shape(int, integer_text, to_int),
    Shape(float, number_text, to_float),
    Shape(str, string_text, to_str),
    Shape(Decimal, lambda rng: rng.choice(["{}", '"{}"']).format(number_text(rng)), to_decimal),
    Shape(Any, any_text, to_any),
    Shape(Size, constant('"small"', '"large"', "7"), to_size),
    Shape(CHOICE, constant('"a"', "1", "null", "true"), to_choice),
]


# What is made of them.


def elements(value: Any) -> list[Any]:
    """Take an array."""
    if isinstance(value, list) and not isinstance(value, Pairs):
        return value
    raise Mismatch


def members(value: Any) -> list[tuple[str, Any]]:
    """Take an object."""
    if isinstance(value, Pairs):
        return value
    raise Mismatch


def optional(inner: Shape) -> Shape:
    """Make `X | None`."""

    def convert(value: Any) -> Any:
        return None if value is None else inner.convert(value)

    return Shape(
        inner.annotation | None,
        lambda rng: "null" if rng.random() < 0.3 else inner.text(rng),
        convert,
    )


def sequence(rng: Random, inner: Shape) -> Shape:
    """Make a list, a tuple or a set."""
    kinds: list[tuple[Any, Any]] = [(list[inner.annotation], list)]
    kinds.append((tuple[inner.annotation, ...], tuple))
    if inner.annotation in {bool, int, float, str, Decimal, Size}:
        kinds += [(set[inner.annotation], set), (frozenset[inner.annotation], frozenset)]
    annotation, make = rng.choice(kinds)

    def text(rng: Random) -> str:
        return f"[{','.join(inner.text(rng) for _ in range(rng.choice([0, 1, 2, 5])))}]"

    def convert(value: Any) -> Any:
        return make([inner.convert(part) for part in elements(value)])

    return Shape(annotation, text, convert)


def pair(first: Shape, second: Shape) -> Shape:
    """Make a tuple of two."""

    def convert(value: Any) -> Any:
        parts = elements(value)
        made = tuple(s.convert(p) for s, p in zip((first, second), parts, strict=False))
        if len(parts) != 2:
            raise Mismatch
        return made

    return Shape(
        tuple[first.annotation, second.annotation],
        lambda rng: f"[{first.text(rng)},{second.text(rng)}]",
        convert,
    )


def mapping(inner: Shape) -> Shape:
    """Make a dict."""

    def text(rng: Random) -> str:
        parts = (f"{string_text(rng)}:{inner.text(rng)}" for _ in range(rng.choice([0, 1, 3])))
        return "{" + ",".join(parts) + "}"

    def convert(value: Any) -> Any:
        return {key: inner.convert(part) for key, part in members(value)}

    return Shape(dict[str, inner.annotation], text, convert)


KEYS = ["a", "b", "name", "é", "identifier_of_the_thing", "x1", "value", "_private", "longitude"]
MISSING = object()


def record(rng: Random, depth: int) -> Shape:
    """Make a class of some kind, with fields of any shape."""
    names = rng.sample(KEYS, rng.randrange(1, 6))
    kind = rng.choice(["dataclass", "dataclass", "dataclass", "tuple", "dict", "plain"])
    if kind == "tuple":
        names = [name for name in names if not name.startswith("_")] or ["a"]
    shapes = {name: shape(rng, depth - 1) for name in names}
    # A default is a value that no document gives.
    defaulted = set(names[rng.randrange(len(names) + 1) :])
    annotations = {name: shapes[name].annotation for name in names}
    if kind == "dataclass":
        made: Any = make_dataclass(
            "Made",
            [
                (name, annotations[name], field(default_factory=lambda: ["default"]))
                if name in defaulted
                else (name, annotations[name])
                for name in names
            ],
            slots=rng.random() < 0.6,
            frozen=rng.random() < 0.3,
            kw_only=rng.random() < 0.3,
        )
    elif kind == "tuple":
        defaulted = set()
        made = NamedTuple("Made", list(annotations.items()))  # type: ignore[misc]
    elif kind == "dict":
        defaulted = set(names) if rng.random() < 0.5 else set()
        made = TypedDict("Made", annotations, total=not defaulted)  # type: ignore[misc]
    else:
        defaults = dict.fromkeys(defaulted, ("default",))
        made = type("Made", (), {"__annotations__": annotations, **defaults})

    def text(rng: Random) -> str:
        parts = [
            f"{json.dumps(name, ensure_ascii=rng.random() < 0.1)}:{shapes[name].text(rng)}"
            for name in names
            if name not in defaulted or rng.random() < 0.7
        ]
        if rng.random() < 0.2:
            parts.append(f"{string_text(rng)}:{any_text(rng)}")
        if rng.random() < 0.5:
            rng.shuffle(parts)
        if rng.random() < 0.1:
            parts.append(rng.choice(parts or ['"z":1']))
        space = rng.choice(["", "", " ", "\n  "])
        return "{" + space + f",{space}".join(parts) + "}"

    def convert(value: Any) -> Any:
        found = {}
        for key, part in members(value):
            if key in shapes:
                found[key] = shapes[key].convert(part)
        if set(names) - found.keys() - defaulted:
            raise Mismatch
        if kind != "plain":
            return made(**found)
        built = made()
        for key, part in found.items():
            setattr(built, key, part)
        return built

    return Shape(made, text, convert)


def shape(rng: Random, depth: int) -> Shape:
    """Make any type."""
    kind = rng.randrange(10)
    if depth == 0 or kind < 4:
        return rng.choice(SCALARS)
    if kind == 4:
        return optional(shape(rng, depth - 1))
    if kind == 5:
        return sequence(rng, shape(rng, depth - 1))
    if kind == 6:
        return mapping(shape(rng, depth - 1))
    if kind == 7:
        return pair(shape(rng, depth - 1), shape(rng, depth - 1))
    return record(rng, depth)


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
    if isinstance(one, (list, tuple)):
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


def main() -> int:
    """Run them all; 1 if one of them found something."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int, help="repeat only this one of the runs")
    options = parser.parse_args()
    begin = time.monotonic()
    runs = range(options.runs) if options.only is None else [options.only]
    for number in runs:
        try:
            run(f"{options.seed}/{number}")
        except Exception:  # noqa: BLE001 - whatever it is, it is a finding
            traceback.print_exc()
            again = f"--seed {options.seed} --only {number}"
            sys.stdout.write(f"{'typed':14} FAILED: repeat with fuzz/typed.py {again}\n")
            return 1
    seconds = time.monotonic() - begin
    sys.stdout.write(f"{'typed':14} {len(runs):8} classes,                 {seconds:3.0f} s\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
