"""JSON to plain dicts, lists and scalars: the untyped work for which orjson is known.

All competitors of a file share one process and take turns, the collector off for all. pysimdjson
must return the whole document as Python objects.
"""

# ruff: noqa: PLC0415 - each process imports only what it measures
from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any

import inputs
from model import OURS, Bar, Case, Input, Row, Variant

from rows.objects import orjson_dicts, stdlib

if TYPE_CHECKING:
    from collections.abc import Iterable

    from model import Call, Medians

FILES = ("twitter", "citm_catalog", "canada", "gsoc-2018", "cities500")


def source(name: str) -> Input:
    """Return the bytes of one document."""
    path = inputs.cities() if name == "cities500" else inputs.corpus(f"{name}.json")
    return Input(path.read_bytes(), b'{"a": [1, 2.5, "text"]}')


def penstock(_: str) -> Call:
    """Penstock without a type."""
    import penstock.json

    return penstock.json.decode


def msgspec(_: str) -> Call:
    """Msgspec without a type."""
    import msgspec.json

    return msgspec.json.Decoder().decode


def simdjson(_: str) -> Call:
    """Pysimdjson, with Python objects all the way down."""
    import simdjson

    parse = simdjson.Parser().parse
    return partial(parse, recursive=True)


def values(made: Any) -> Iterable[object]:
    """Return the document itself."""
    yield made


def mean_over_orjson(median: Medians) -> float:
    """Return the geometric mean of how much faster than orjson we are, over all the files."""
    ratios = [median("orjson", name) / median(OURS, name) for name in FILES]
    return math.prod(ratios) ** (1 / len(ratios))


ROWS = (
    Row(
        "plain",
        "JSON to plain values, collector off",
        tuple(Variant(name, collector=False) for name in FILES),
        (
            Case(OURS, penstock, (OURS,)),
            Case("orjson", orjson_dicts, ("orjson",)),
            Case("msgspec", msgspec, ("msgspec",)),
            Case("pysimdjson", simdjson, ("simdjson",)),
            Case("json", stdlib),
        ),
        source,
        values,
        (Bar("faster than orjson, geometric mean", mean_over_orjson, 1.0, at_least=True),),
        measure="repeated",
        together=True,
    ),
)
