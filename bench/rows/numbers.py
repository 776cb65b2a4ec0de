"""A list of numbers into an `array.array`: in one go, or by way of a list of objects."""

# ruff: noqa: PLC0415 - each process imports only what it measures
from __future__ import annotations

import random
from array import array
from typing import TYPE_CHECKING, Annotated, Any

from model import OURS, Case, Input, Row, Variant, faster

if TYPE_CHECKING:
    from collections.abc import Callable

    from model import Call

COUNT = 1_000_000
CODES = {"doubles": "d", "integers": "q"}


def source(kind: str) -> Input:
    """Return a JSON array of numbers: coordinates, or integers of up to nine digits."""
    drawn = random.Random(7)
    draw: Callable[[], object] = (
        (lambda: round(drawn.uniform(-180, 180), 5))
        if kind == "doubles"
        else (lambda: drawn.randrange(1_000_000_000))
    )
    return Input(f"[{','.join(str(draw()) for _ in range(COUNT))}]".encode(), b"[1, 2]")


def penstock(kind: str) -> Call:
    """Penstock, into the array."""
    import penstock.json

    into: Any = Annotated[array, penstock.typecode(CODES[kind])]
    return lambda data: penstock.json.decode(data, into)


def penstock_list(kind: str) -> Call:
    """Penstock, into a list, and the array of that."""
    import penstock.json

    into: Any = list[float] if kind == "doubles" else list[int]
    return lambda data: array(CODES[kind], penstock.json.decode(data, into))


def msgspec(kind: str) -> Call:
    """Msgspec, into a list, and the array of that."""
    import msgspec

    decode = msgspec.json.Decoder(list[float] if kind == "doubles" else list[int]).decode
    return lambda data: array(CODES[kind], decode(data))


def orjson(kind: str) -> Call:
    """Orjson, into a list, and the array of that."""
    import orjson

    return lambda data: array(CODES[kind], orjson.loads(data))


PEERS = ("msgspec and array", "orjson and array")

ROWS = (
    Row(
        "numbers",
        "a JSON array of 1,000,000 numbers into an array.array, collector off",
        tuple(Variant(kind, collector=False) for kind in CODES),
        (
            Case(OURS, penstock, (OURS,)),
            Case("penstock, a list and array", penstock_list, (OURS,)),
            Case("msgspec and array", msgspec, ("msgspec",)),
            Case("orjson and array", orjson, ("orjson",)),
        ),
        source,
        array.tolist,
        tuple(faster(peer, kind, 1.5) for kind in CODES for peer in PEERS),
        metrics=("ms", "MiB"),
    ),
)
