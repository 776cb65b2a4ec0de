"""Documents in memory, into lists or mappings of the user's objects.

All get the same bytes and all fields, and each competitor has its natural form. `objects` is the
smallest record a million times; `cities` is real data; `two-fields` has two of its nine fields, so
the rest is only skipped.
"""

# ruff: noqa: PLC0415 - each process imports only what it measures
from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import classes
import inputs
from classes import City, Place
from classes import Row as Record
from model import BOTH_COLLECTORS, OURS, Case, Input, Row, faster, within

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from model import Call

SMALL_OBJECTS = b'[{"hi":1,"there":2,"comment":"comment"}]'
SMALL_CITIES = (
    b'{"1": {"geonameid": 1, "name": "Vila", "latitude": 42.5, "longitude": 1.5,'
    b' "countrycode": "AD", "population": 1418, "timezone": "Europe/Andorra",'
    b' "admin1code": "03", "alternatenames": ["Casas Vila"]}}'
)


def penstock(shape: Any, _: str) -> Call:
    """Penstock, into the class as it is."""
    import penstock.json

    return lambda data: penstock.json.decode(data, shape)


def msgspec_struct(cls: type, keyed: bool, _: str) -> Call:
    """Msgspec at its best: its own base class and a decoder made beforehand."""
    import msgspec

    made = classes.struct(cls)
    shape: Any = dict[str, made] if keyed else list[made]  # type: ignore[valid-type]
    return msgspec.json.Decoder(shape).decode


def msgspec_dataclass(shape: Any, _: str) -> Call:
    """Msgspec into the same class that penstock fills."""
    import msgspec

    return msgspec.json.Decoder(shape).decode


def orjson_class(cls: type, keyed: bool, _: str) -> Call:
    """The common way: dicts first, then the class called with each."""
    import orjson

    if keyed:
        return lambda data: {key: cls(**row) for key, row in orjson.loads(data).items()}
    return lambda data: [cls(**row) for row in orjson.loads(data)]


def orjson_dicts(_: str) -> Call:
    """Orjson, which stops at dicts."""
    import orjson

    return orjson.loads


def pydantic(cls: type, keyed: bool, _: str) -> Call:
    """Pydantic, into a slots dataclass of its own."""
    from pydantic import TypeAdapter

    made = classes.model(cls)
    shape: Any = dict[str, made] if keyed else list[made]  # type: ignore[valid-type]
    return TypeAdapter(shape).validate_json


def stdlib(_: str) -> Call:
    """The standard library, which stops at dicts."""
    import json

    return json.loads


def cases(cls: type, *, keyed: bool) -> tuple[Case, ...]:
    """Return everything that makes objects of these fields, fastest idea first."""
    shape: Any = dict[str, cls] if keyed else list[cls]  # type: ignore[valid-type]
    return (
        Case(OURS, partial(penstock, shape), (OURS,)),
        Case("msgspec Struct", partial(msgspec_struct, cls, keyed), ("msgspec",)),
        Case("msgspec dataclass", partial(msgspec_dataclass, shape), ("msgspec",)),
        Case("orjson dicts", orjson_dicts, ("orjson",)),
        Case("orjson + C(**row)", partial(orjson_class, cls, keyed), ("orjson",)),
        Case("pydantic dataclass", partial(pydantic, cls, keyed), ("pydantic",)),
        Case("json dicts", stdlib),
    )


def read(path: Path, small: bytes) -> Input:
    """Return the file's bytes, read before the clock starts."""
    return Input(path.read_bytes(), small)


def objects_floor(prototype: tuple[object, ...], shared: tuple[int, ...], _: str) -> Call:
    """Create the million objects from one prototype; the warm-up creates one."""
    import floor

    make = floor.prepare(Record, [prototype], shared=shared)
    return lambda data: make(1 if data is SMALL_OBJECTS else inputs.OBJECTS)


def cities_floor(cls: type, _: str) -> Call:
    """Create copies of all the cities, every value new, in a mapping with new keys."""
    import json

    import floor

    known = json.loads(inputs.cities().read_bytes())
    make: Call = floor.prepare_keyed(cls, list(classes.values(known.values(), cls)), list(known))
    count = len(known)
    del known
    return lambda data: make(1 if data is SMALL_CITIES else count)


def list_values(cls: type, made: Any) -> Iterable[object]:
    """Return the values of a list of records."""
    return classes.values(made, cls)


def mapping_values(cls: type, made: Any) -> Iterable[object]:
    """Return the keys and then the values of a mapping of records."""
    yield list(made)
    yield from classes.values(made.values(), cls)


SHARED = "floor, shared string"
"""The floor of a decoder that recognises the repeated string and makes it only once."""


def objects_row(key: str, *, distinct: bool) -> Row:
    """Return the row of a million smallest records, whose strings are all equal or all distinct."""
    new = Case("floor", partial(objects_floor, (10**6, 10**6, "c0123456"), ()), checked=False)
    shared = Case(SHARED, partial(objects_floor, (10**6, 10**6, "comment"), (2,)), checked=False)
    bars = (
        within(1.5, "floor" if distinct else SHARED, "collector on"),
        faster("msgspec Struct", "collector on", 1.35),
        faster("msgspec dataclass", "collector on", 6),
    )
    what = "distinct short string" if distinct else "short string"
    return Row(
        key,
        f"1,000,000 objects, 2 ints + 1 {what}, into a slots dataclass",
        BOTH_COLLECTORS,
        (new if distinct else shared, *cases(Record, keyed=False)),
        lambda _: read(inputs.objects(distinct=distinct), SMALL_OBJECTS),
        partial(list_values, Record),
        () if distinct else bars,
        same=("collector off",),
    )


def cities_row(key: str, title: str, cls: type, peers: tuple[Case, ...], *, barred: bool) -> Row:
    """Return a row over the real cities."""
    bars = (
        faster("msgspec Struct", "collector off", 1.1),
        faster("msgspec Struct", "collector on", 2.5),
    )
    return Row(
        key,
        title,
        BOTH_COLLECTORS,
        (Case("floor", partial(cities_floor, cls), checked=False), *peers),
        lambda _: read(inputs.cities(), SMALL_CITIES),
        partial(mapping_values, cls),
        bars if barred else (),
        same=("collector off",),
    )


ROWS = (
    objects_row("objects", distinct=False),
    objects_row("objects-distinct", distinct=True),
    cities_row(
        "cities",
        "cities500.json, 234,908 real records, 79.5 MB, all 9 fields",
        City,
        cases(City, keyed=True),
        barred=True,
    ),
    cities_row(
        "two-fields",
        "cities500.json, 2 of the 9 fields",
        Place,
        tuple(case for case in cases(Place, keyed=True) if case.name != "orjson + C(**row)"),
        barred=False,
    ),
)
