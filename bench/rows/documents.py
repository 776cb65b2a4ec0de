"""A document that is only looked into: opened for one city, or for a million.

`open` includes everything from the path to the name of one city: reading, checking, and making
objects. `access` is a million lookups in a document that is open. The collector is off for all.
"""

# ruff: noqa: PLC0415 - each process imports only what it measures
from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

import inputs
from model import OURS, Bar, Case, Input, Row, Variant, within

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from model import Call

KEY = "3038832"
SMALL = f'{{"{KEY}": {{"name": "Vila"}}}}'
LOOKUPS = 1_000_000
FILE = "cities500"


def path(_: str) -> Input:
    """Return the path of the cities, and of a file of one."""

    def write(target: Path) -> None:
        target.write_text(SMALL)

    return Input(inputs.cities(), inputs.cached("one-city.json", write))


def looked(opened: Any) -> tuple[str, Any]:
    """Return the name of a city, and the document."""
    return opened[KEY]["name"], opened


def penstock(_: str) -> Call:
    """Penstock: words for the values, and one object."""
    import penstock

    return lambda path: looked(penstock.open(path))


def orjson(_: str) -> Call:
    """Orjson, which makes all objects."""
    import orjson

    return lambda path: looked(orjson.loads(path.read_bytes()))


def simdjson(_: str) -> Call:
    """Pysimdjson: a tape, in which it searches key by key."""
    import simdjson

    parser = simdjson.Parser()
    return lambda path: looked(parser.parse(path.read_bytes()))


def stdlib(_: str) -> Call:
    """Python's own module."""
    return lambda path: looked(json.loads(path.read_bytes()))


def name(made: Any) -> Iterable[object]:
    """Return the name."""
    yield made[0]


def cities(_: str) -> Input:
    """Return the bytes of the cities, and a million random keys of them."""
    data = inputs.cities().read_bytes()
    keys = list(json.loads(data))
    chance = random.Random(LOOKUPS)
    return Input((data, [chance.choice(keys) for _ in range(LOOKUPS)]), (SMALL.encode(), [KEY]))


def names(opened: Any, keys: list[str]) -> list[str]:
    """Look each city up."""
    return [opened[key]["name"] for key in keys]


OPENED: dict[str, Any] = {}
"""The document of a case. It is opened by the call that warms up, and is not timed."""


def once(case: str, data: bytes, make: Any) -> Any:
    """Return the document of a case, opened on first use."""
    if (case, len(data)) not in OPENED:
        OPENED[case, len(data)] = make(data)
    return OPENED[case, len(data)]


def penstock_access(_: str) -> Call:
    """Penstock: a part and a string for each."""
    import penstock

    return lambda given: names(once(OURS, given[0], penstock.open), given[1])


def orjson_access(_: str) -> Call:
    """Dicts, with all objects made already."""
    import orjson

    return lambda given: names(once("orjson", given[0], orjson.loads), given[1])


def flattened(made: Any) -> Iterable[object]:
    """Return the names."""
    return made


def memory_of_orjson(median: Any) -> float:
    """Return penstock's peak memory as a part of orjson's."""
    return median(OURS, FILE, "MiB") / median("orjson", FILE, "MiB")


ROWS = (
    Row(
        "open",
        "cities500.json opened, and the name of one city",
        (Variant(FILE, collector=False),),
        (
            Case(OURS, penstock, (OURS,)),
            Case("orjson", orjson, ("orjson",)),
            Case("pysimdjson", simdjson, ("simdjson",)),
            Case("json", stdlib),
        ),
        path,
        name,
        (
            within(0.35, "orjson", FILE),
            Bar("of orjson, peak memory", memory_of_orjson, 0.3, at_least=False),
        ),
        metrics=("ms", "MiB"),
    ),
    Row(
        "access",
        "a million cities of the open document, at random",
        (Variant(FILE, collector=False),),
        (
            Case(OURS, penstock_access, (OURS,)),
            Case("orjson dicts", orjson_access, ("orjson",)),
        ),
        cities,
        flattened,
        measure="repeated",
        together=True,
    ),
)
