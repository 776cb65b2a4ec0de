"""Random types, documents for them, and the obvious conversion of one into the other.

A `Shape` is a type with all three. Those below cover what classes are made of: scalars, containers,
unions by kind, by tag and by key, generic classes, constraints, functions of one's own.
"""

from __future__ import annotations

import enum
import json
import math
import re
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, make_dataclass
from decimal import Decimal, InvalidOperation
from functools import reduce
from operator import or_
from random import Random
from typing import Annotated, Any, Generic, Literal, NamedTuple, TypedDict, TypeVar

import annotated_types

import penstock

T = TypeVar("T")

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
        if kind == "tuple" and kind_of(value) == "list":
            # The fields by position.
            if len(value) != len(names):
                raise Mismatch
            return made(
                *(shapes[name].convert(part) for name, part in zip(names, value, strict=True))
            )
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


# Unions.


def union(*members: Any) -> Any:
    """Make `A | B`."""
    return reduce(or_, members)


def kind_of(value: Any) -> str:
    """Say of what kind a value is."""
    if isinstance(value, Digits):
        return "integer" if INTEGER.fullmatch(value) else "number"
    kinds = [(bool, "bool"), (str, "text"), (Pairs, "map"), (list, "list"), (type(None), "null")]
    return next(kind for cls, kind in kinds if isinstance(value, cls))


def by_kind(rng: Random, depth: int) -> Shape:
    """Make a union whose members the kind of the value tells apart."""
    parts = {
        "bool": Shape(bool, constant("true", "false"), to_bool),
        "integer": Shape(int, integer_text, to_int),
        "number": Shape(float, number_text, to_float),
        "text": Shape(str, string_text, to_str),
        "list": sequence(rng, shape(rng, depth - 1)),
        "map": mapping(shape(rng, depth - 1)) if rng.random() < 0.5 else record(rng, depth - 1),
    }
    chosen = rng.sample(list(parts), rng.randrange(2, 5))
    members = [parts[kind] for kind in chosen]

    def convert(value: Any) -> Any:
        kind = kind_of(value)
        if kind == "integer" and kind not in chosen:
            kind = "number"
        if kind not in chosen:
            raise Mismatch
        return parts[kind].convert(value)

    annotation = union(*(part.annotation for part in members))
    return Shape(annotation, lambda rng: rng.choice(members).text(rng), convert)


def by_tag(rng: Random, depth: int) -> Shape:
    """Make a union of classes with a tag, said by a `Literal` or beside the union."""
    said = rng.random() < 0.5
    made: dict[str, tuple[Any, Shape]] = {}
    for name in rng.sample(["one", "two", "drei", "é"], rng.randrange(2, 4)):
        inner = shape(rng, depth - 1)
        fields: list[tuple[str, Any]] = [("x", inner.annotation)]
        if not said:
            fields.insert(rng.randrange(2), ("kind", Literal[name]))
        made[name] = (make_dataclass(name.capitalize(), fields), inner)
    annotation = union(*(cls for cls, _ in made.values()))
    if said:
        annotation = Annotated[
            annotation, penstock.tag("kind", {name: cls for name, (cls, _) in made.items()})
        ]

    def text(rng: Random) -> str:
        name = rng.choice(list(made))
        parts = [f'"kind":{json.dumps(name)}', f'"x":{made[name][1].text(rng)}']
        if rng.random() < 0.5:
            parts.append(f"{string_text(rng)}:{any_text(rng)}")
        if rng.random() < 0.1:
            parts.append(rng.choice(['"kind":"one"', '"kind":1', '"kind":{}']))
        rng.shuffle(parts)
        return "{" + ",".join(parts) + "}"

    def convert(value: Any) -> Any:
        # The first tag says the class.
        kinds = [part for key, part in members(value) if key == "kind"]
        if not kinds or kind_of(kinds[0]) != "text" or kinds[0] not in made:
            raise Mismatch
        cls, inner = made[kinds[0]]
        if not said and any(kind_of(kind) != "text" or kind != kinds[0] for kind in kinds):
            raise Mismatch
        found = [inner.convert(part) for key, part in members(value) if key == "x"]
        if not found:
            raise Mismatch
        return cls(x=found[-1]) if said else cls(kind=kinds[0], x=found[-1])

    return Shape(annotation, text, convert)


def by_key(rng: Random, depth: int) -> Shape:
    """Make a union of classes that are told apart by the keys that they must have."""
    inner = shape(rng, depth - 1)
    keys = rng.sample(["p", "q", "r"], rng.randrange(2, 4))
    shared = ("x", inner.annotation)
    classes = {key: make_dataclass(key.upper(), [shared, (key, int)]) for key in keys}
    rest = make_dataclass("Rest", [shared]) if rng.random() < 0.5 else None
    all_classes = [*classes.values(), *([rest] if rest else [])]

    def text(rng: Random) -> str:
        parts = [f'"x":{inner.text(rng)}']
        if rng.random() < 0.9 or rest is None:
            parts.append(f'"{rng.choice(keys)}":{integer_text(rng)}')
        if rng.random() < 0.3:
            parts.append(f'"{rng.choice(["p", "q", "r", "s"])}":1')
        rng.shuffle(parts)
        return "{" + ",".join(parts) + "}"

    def convert(value: Any) -> Any:
        own = [key for key, _ in members(value) if key in classes]
        cls = classes[own[0]] if own else rest
        if cls is None:
            raise Mismatch
        found = {}
        for key, part in members(value):
            if key == "x":
                found[key] = inner.convert(part)
            elif own and key == own[0]:
                found[key] = to_int(part)
        if "x" not in found:
            raise Mismatch
        return cls(**found)

    return Shape(union(*all_classes), text, convert)


# What is done with a value once it is made.


@dataclass
class Made:
    """What a function made of a value."""

    of: Any


def made_by_function(inner: Shape) -> Shape:
    """Make a type of one's own."""
    annotation = Annotated[Made, penstock.via(Made, inner.annotation)]
    return Shape(annotation, inner.text, lambda value: Made(inner.convert(value)))


def constrained(rng: Random) -> Shape:
    """Make a type that does not take all of its values."""
    bound = rng.randrange(-5, 300)
    cases: list[tuple[Shape, Any, Callable[[Any], bool]]] = [
        (Shape(int, integer_text, to_int), annotated_types.Gt(bound), lambda v: v > bound),
        (Shape(int, integer_text, to_int), annotated_types.Le(bound), lambda v: v <= bound),
        (Shape(int, integer_text, to_int), annotated_types.MultipleOf(3), lambda v: v % 3 == 0),
        (Shape(float, number_text, to_float), annotated_types.Lt(bound), lambda v: v < bound),
        (Shape(str, string_text, to_str), annotated_types.MinLen(2), lambda v: len(v) >= 2),
        (Shape(str, string_text, to_str), annotated_types.MaxLen(1), lambda v: len(v) <= 1),
    ]
    inner, word, fits = rng.choice(cases)

    def convert(value: Any) -> Any:
        if not fits(made := inner.convert(value)):
            raise Mismatch
        return made

    return Shape(Annotated[inner.annotation, word], inner.text, convert)


@dataclass
class Box(Generic[T]):
    """A class that is made for each type."""

    item: T
    more: list[T]


def box(inner: Shape) -> Shape:
    """Make a generic class."""

    def text(rng: Random) -> str:
        more = ",".join(inner.text(rng) for _ in range(rng.randrange(3)))
        return f'{{"item":{inner.text(rng)},"more":[{more}]}}'

    def convert(value: Any) -> Any:
        found = {}
        for key, part in members(value):
            if key == "item":
                found[key] = inner.convert(part)
            elif key == "more":
                found[key] = [inner.convert(one) for one in elements(part)]
        if found.keys() != {"item", "more"}:
            raise Mismatch
        return Box(**found)

    return Shape(Box[inner.annotation], text, convert)  # type: ignore[name-defined]


def integer_keys(inner: Shape) -> Shape:
    """Make a dict whose keys are integers."""

    def text(rng: Random) -> str:
        keys = [f'"{integer_text(rng)}"' if rng.random() < 0.9 else string_text(rng) for _ in "ab"]
        return "{" + ",".join(f"{key}:{inner.text(rng)}" for key in keys) + "}"

    def convert(value: Any) -> Any:
        # Nothing prints an integer as -0.
        if not all(INTEGER.fullmatch(key) and key != "-0" for key, _ in members(value)):
            raise Mismatch
        return {int(key): inner.convert(part) for key, part in members(value)}

    return Shape(dict[int, inner.annotation], text, convert)  # type: ignore[name-defined]


def collection(rng: Random, inner: Shape) -> Shape:
    """Make a collection of the standard library."""
    items, pairs = sequence(rng, inner), mapping(inner)
    items = Shape(
        list[inner.annotation], items.text, lambda v: list(map(inner.convert, elements(v)))
    )  # type: ignore[name-defined]
    cases: list[tuple[Any, Shape, Callable[[Any], Any]]] = [
        (deque[inner.annotation], items, deque),  # type: ignore[name-defined]
        (Sequence[inner.annotation], items, list),  # type: ignore[name-defined]
        (OrderedDict[str, inner.annotation], pairs, OrderedDict),  # type: ignore[name-defined]
        (Mapping[str, inner.annotation], pairs, dict),  # type: ignore[name-defined]
        (Counter[str], mapping(Shape(int, integer_text, to_int)), Counter),
    ]
    annotation, of, make = rng.choice(cases)
    return Shape(annotation, of.text, lambda value: make(of.convert(value)))


def shape(rng: Random, depth: int) -> Shape:
    """Make any type."""
    kind = rng.randrange(19)
    if depth <= 0 or kind < 4:
        return rng.choice(SCALARS)
    if kind == 4:
        return optional(shape(rng, depth - 1))
    if kind == 5:
        return sequence(rng, shape(rng, depth - 1))
    if kind == 6:
        return mapping(shape(rng, depth - 1))
    if kind == 7:
        return pair(shape(rng, depth - 1), shape(rng, depth - 1))
    if kind in {8, 9}:
        return rng.choice([by_tag, by_tag, by_key])(rng, depth)
    if kind in {10, 11}:
        return by_kind(rng, depth)
    if kind == 12:
        return constrained(rng)
    if kind in {13, 14, 15, 16}:
        makes = [made_by_function, box, integer_keys, lambda inner: collection(rng, inner)]
        return makes[kind - 13](shape(rng, depth - 1))
    return record(rng, depth)
