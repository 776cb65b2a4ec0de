"""Sixty fields, with the keys in the class's order, in another order, or in a new one each time.

A decoder that predicts the next key must not become much slower when the prediction fails.
"""

# ruff: noqa: PLC0415 - each process imports only what it measures
from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import classes
import inputs
from model import OURS, Bar, Case, Input, Row, Variant

from rows.objects import list_values

if TYPE_CHECKING:
    from collections.abc import Iterable

    from model import Call

ORDERS = ("in order", "permuted", "shuffled")


def source(order: str) -> Input:
    """Return the records with their keys in this order."""
    data = inputs.wide(order).read_bytes()
    return Input(data, json.dumps([json.loads(data[1 : data.index(b"}") + 1])]).encode())


def penstock(_: str) -> Call:
    """Penstock, into the dataclass of 60 fields."""
    import penstock.json

    shape: Any = list[classes.wide()]  # type: ignore[misc]
    return lambda data: penstock.json.decode(data, shape)


def msgspec(_: str) -> Call:
    """Msgspec, into a Struct of 60 fields."""
    import msgspec

    return msgspec.json.Decoder(list[classes.struct(classes.wide())]).decode  # type: ignore[misc]


def orjson(_: str) -> Call:
    """Orjson, whose dicts take any order."""
    import orjson

    return orjson.loads


def values(made: Any) -> Iterable[object]:
    """Return the values of the records in the class's order."""
    return list_values(classes.wide(), made)


def order_costs(order: str) -> Bar:
    """Promise that an order of keys costs at most 1.3 times the order of the class."""
    return Bar(
        f"of in order, {order}",
        lambda median: median(OURS, order) / median(OURS, "in order"),
        1.3,
        at_least=False,
    )


ROWS = (
    Row(
        "wide",
        "20,000 records of 60 fields, collector off",
        tuple(Variant(order, collector=False) for order in ORDERS),
        (
            Case(OURS, penstock, (OURS,)),
            Case("msgspec Struct", msgspec, ("msgspec",)),
            Case("orjson dicts", orjson, ("orjson",)),
        ),
        source,
        values,
        (order_costs("permuted"), order_costs("shuffled")),
    ),
)
