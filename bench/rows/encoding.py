"""Objects to JSON: a million small ones, real cities, the canonical form, and small calls.

The objects are made before the clock starts, from the documents of the rows that decode. The values
of a case are those that its text has.
"""

# ruff: noqa: PLC0415 - each process imports only what it measures
from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any

import classes
import inputs
import messages
from classes import City
from classes import Row as Record
from messages import CLASSES, SIZES
from model import OURS, Case, Input, Row, Statement, Variant, faster, within

from rows.messages import VARIANTS as BY_SIZE
from rows.messages import at_most, values

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from model import Call

    Write = Callable[[Any], bytes]

OFF = "collector off"
VARIANTS = (Variant(OFF, collector=False),)
SMALL = {
    "objects": b'[{"hi":1,"there":2,"comment":"comment"}]',
    "cities": (
        b'{"1":{"geonameid":1,"name":"Vila","latitude":42.5,"longitude":1.5,"countrycode":"AD",'
        b'"population":1418,"timezone":"Europe/Andorra","admin1code":"03","alternatenames":["a"]}}'
    ),
}
CANONICAL = 20_000
"""The cities of the canonical form: the peers are written in Python."""


def path(what: str) -> Path:
    """Return the document whose objects are written."""
    return inputs.objects(distinct=True) if what == "objects" else inputs.cities()


def shape(what: str, form: Callable[[type], type] | None) -> Any:
    """Return the type of the document, with its class in a form, or with dicts."""
    if form is None:
        return Any
    if what == "objects":
        return list[form(Record)]  # type: ignore[misc]
    return dict[str, form(City)]  # type: ignore[misc]


def written(
    write: Callable[[Any], Write],
    what: str,
    form: Callable[[type], type] | None,
    _: str,
    most: int | None = None,
) -> Call:
    """Make the objects, and return the call that writes them, or a small one of them."""
    import msgspec

    kind = shape(what, form)
    small = msgspec.json.decode(SMALL[what], type=kind)
    large = msgspec.json.decode(path(what).read_bytes(), type=kind)
    if most is not None:
        large = dict(list(large.items())[:most])
    call = write(kind)
    return lambda which: call(small if which == "small" else large)


# Each of these returns the function that writes objects of a type.


def penstock(_: Any) -> Write:
    """Penstock's function."""
    import penstock.json

    return penstock.json.encode


def penstock_canonical(_: Any) -> Write:
    """Penstock's function, for the canonical form."""
    import penstock.json

    return partial(penstock.json.encode, canonical=True)


def msgspec(_: Any) -> Write:
    """Msgspec's encoder, made beforehand."""
    import msgspec.json

    return msgspec.json.Encoder().encode


def orjson(_: Any) -> Write:
    """Orjson."""
    import orjson

    return orjson.dumps


def pydantic(kind: Any) -> Write:
    """Pydantic's adapter, made beforehand."""
    from pydantic import TypeAdapter

    return TypeAdapter(kind).dump_json


def stdlib(_: Any) -> Write:
    """The standard library."""
    import dataclasses

    encode = json.JSONEncoder(
        ensure_ascii=False, separators=(",", ":"), default=dataclasses.asdict
    ).encode
    return lambda value: encode(value).encode()


def rfc8785(_: Any) -> Write:
    """The package rfc8785."""
    import rfc8785

    return rfc8785.dumps  # type: ignore[no-any-return]


def jcs(_: Any) -> Write:
    """The package jcs."""
    import jcs

    return jcs.canonicalize  # type: ignore[no-any-return]


def text_values(made: bytes) -> Iterable[object]:
    """Return the records of a text."""
    read = json.loads(made)
    return read if isinstance(read, list) else sorted(read.items())


def cases(what: str) -> tuple[Case, ...]:
    """Return everything that writes objects of these fields."""
    slots, open_, struct = messages.slots, messages.without_slots, messages.struct

    def case(name: str, write: Callable[[Any], Write], form: Any) -> Case:
        library = name.replace(",", " ").split(maxsplit=1)[0]
        needed = (library, "msgspec") if library != "json" else ("msgspec",)
        return Case(name, partial(written, write, what, form), needed)

    return (
        case(OURS, penstock, slots),
        case("penstock, no slots", penstock, open_),
        case("penstock, Struct", penstock, struct),
        case("msgspec Struct", msgspec, struct),
        case("msgspec dataclass", msgspec, slots),
        case("msgspec dataclass, no slots", msgspec, open_),
        case("orjson dataclass", orjson, slots),
        case("orjson dataclass, no slots", orjson, open_),
        case("pydantic dataclass", pydantic, classes.model),
        case("json dataclass", stdlib, slots),
    )


def row(key: str, title: str, cases: tuple[Case, ...], bars: tuple[Any, ...]) -> Row:
    """Return a row."""
    return Row(key, title, VARIANTS, cases, lambda _: Input("large", "small"), text_values, bars)


def dicts(write: Callable[[Any], Write], modules: tuple[str, ...], name: str, most: Any) -> Case:
    """Return a case that writes the cities as dicts."""
    return Case(name, partial(written, write, "cities", None, most=most), (*modules, "msgspec"))


# Small calls: the statement is timed, as in the rows that decode.


def objects(size: str) -> Input:
    """Return the messages of a size as objects."""
    import msgspec

    made = [
        msgspec.json.decode(text, type=CLASSES[size]) for text in messages.messages(size, "json")
    ]
    return Input(made, made[:1])


def small_penstock(_: str) -> Call:
    """Penstock's function."""
    import penstock.json

    return Statement("penstock.json.encode(data)", {"penstock": penstock})


def small_encoder(_: str) -> Call:
    """Penstock's encoder, made beforehand."""
    import penstock.json

    return Statement("encode(data)", {"encode": penstock.json.Encoder().encode})


def small(write: Callable[[Any], Write], size: str) -> Call:
    """Return the statement of a peer."""
    return Statement("encode(data)", {"encode": write(CLASSES[size])})


def small_values(made: Any) -> Iterable[object]:
    """Return the messages that the texts have."""
    return values([json.loads(text) for text in made])


ENCODER = "penstock Encoder"

ROWS = (
    row(
        "encode-objects",
        "1,000,000 objects, 2 ints + 1 short string, to JSON",
        cases("objects"),
        (faster("msgspec dataclass", OFF, 2.5), within(1.0, "msgspec Struct", OFF)),
    ),
    row(
        "encode-cities",
        "234,908 real cities, all 9 fields, to JSON",
        cases("cities"),
        (faster("msgspec dataclass", OFF, 1.5),),
    ),
    row(
        "encode-cities-dicts",
        "the same cities from dicts",
        (
            dicts(penstock, (OURS,), OURS, None),
            dicts(orjson, ("orjson",), "orjson", None),
            dicts(msgspec, (), "msgspec", None),
            dicts(stdlib, (), "json", None),
        ),
        (within(1.0, "orjson", OFF),),
    ),
    row(
        "encode-canonical",
        f"{CANONICAL:,} cities from dicts, in the canonical form of RFC 8785",
        (
            dicts(penstock_canonical, (OURS,), OURS, CANONICAL),
            dicts(rfc8785, ("rfc8785",), "rfc8785", CANONICAL),
            dicts(jcs, ("jcs",), "jcs", CANONICAL),
        ),
        (faster("rfc8785", OFF, 10), faster("jcs", OFF, 10)),
    ),
    Row(
        "messages-encode",
        "small documents from slots dataclasses",
        BY_SIZE,
        (
            Case(OURS, small_penstock, (OURS, "msgspec")),
            Case(ENCODER, small_encoder, (OURS, "msgspec")),
            Case("msgspec", partial(small, msgspec), ("msgspec",)),
            Case("orjson", partial(small, orjson), ("orjson", "msgspec")),
            Case("json", partial(small, stdlib), ("msgspec",)),
        ),
        objects,
        small_values,
        tuple(at_most(1.1, "msgspec", size, case) for size in SIZES for case in (OURS, ENCODER)),
        measure="calls",
        metrics=("ns",),
        together=True,
    ),
)
