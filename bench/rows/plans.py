"""The cost of a class before its first record: the plan, made once per class.

Every repetition gets a new class, made outside the timed part. The class has ten fields. With
string annotations (`from __future__ import annotations`) the library must evaluate them, and
`typing.get_type_hints` shows the cost of that alone.
"""

# ruff: noqa: PLC0415 - each process imports only what it measures
from __future__ import annotations

import sys
import typing
from types import ModuleType
from typing import TYPE_CHECKING

from model import OURS, Bar, Case, Input, Row, Variant, below

if TYPE_CHECKING:
    from collections.abc import Iterator

    from model import Call

CLASSES = 300

SOURCE = """
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal

@dataclass(slots=True)
class Order:
    ident: int
    customer: str
    total: float
    paid: bool
    placed: datetime
    price: Decimal
    tags: list[str]
    note: str | None
    weights: dict[str, float]
    lines: int = 1
"""
FUTURE = "from __future__ import annotations\n"


def source(annotations: str) -> Input:
    """Return a maker of fresh classes with real or string annotations."""
    text = FUTURE + SOURCE if annotations == "strings" else SOURCE
    code = compile(text, "order", "exec", dont_inherit=True)

    def fresh() -> Iterator[type]:
        # String annotations are evaluated in the class's module, so there must be one.
        module = sys.modules["order"] = ModuleType("order")
        for _ in range(CLASSES):
            exec(code, module.__dict__)
            yield module.Order

    return Input(fresh)


def penstock(_: str) -> Call:
    """Penstock's plan."""
    import penstock

    return penstock.Plan


def type_hints(_: str) -> Call:
    """Return the call that every peer has to make first."""
    return typing.get_type_hints


def msgspec(_: str) -> Call:
    """Msgspec's decoder for a dataclass."""
    import msgspec

    return msgspec.json.Decoder


def pydantic(_: str) -> Call:
    """Pydantic's adapter for a dataclass."""
    from pydantic import TypeAdapter

    return TypeAdapter


STRINGS_COST = Bar(
    "of typing.get_type_hints, strings",
    lambda median: median(OURS, "strings", "us") / median("get_type_hints", "strings", "us"),
    1.3,
    at_least=False,
)

ROWS = (
    Row(
        "plan",
        "the plan of a class of 10 fields, new each time",
        (Variant("real"), Variant("strings")),
        (
            Case(OURS, penstock, (OURS,)),
            Case("get_type_hints", type_hints),
            Case("msgspec Decoder", msgspec, ("msgspec",)),
            Case("pydantic TypeAdapter", pydantic, ("pydantic",)),
        ),
        source,
        None,
        (below(25, "us", "real", "us"), STRINGS_COST),
        measure="fresh",
        metrics=("us",),
    ),
)
