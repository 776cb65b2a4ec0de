"""The classes that records are decoded into, plain and in each peer's own form.

The peers' forms are made on demand, so that a process that measures one library's memory has not
imported another.
"""

# ruff: noqa: PLC0415 - each process imports only what it measures
from __future__ import annotations

from dataclasses import dataclass, make_dataclass
from typing import TYPE_CHECKING, Any, get_type_hints

import inputs

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(slots=True)
class Row:
    """Two ints and a short string: the smallest record that is still one."""

    hi: int
    there: int
    comment: str


@dataclass(slots=True)
class City:
    """All nine fields of a city in cities500.json."""

    geonameid: int
    name: str
    latitude: float
    longitude: float
    countrycode: str
    population: int
    timezone: str
    admin1code: str
    alternatenames: list[str]


@dataclass(slots=True)
class Place:
    """The two fields of a city that a typical question needs."""

    name: str
    population: int


def wide() -> type:
    """Return the dataclass of 60 fields."""
    kinds = (int, str, float)
    names = inputs.wide_names()
    fields = [(name, kinds[i % len(kinds)]) for i, name in enumerate(names)]
    return make_dataclass("Wide", fields, slots=True)


def struct(cls: type) -> type:
    """Return the msgspec Struct with the same fields as a dataclass."""
    import msgspec

    return msgspec.defstruct(cls.__name__, list(get_type_hints(cls).items()))


def model(cls: type) -> type:
    """Return the pydantic dataclass with the same fields as a dataclass."""
    import pydantic.dataclasses

    plain = type(cls.__name__, (), {"__annotations__": get_type_hints(cls), "__module__": __name__})
    return pydantic.dataclasses.dataclass(plain, slots=True)


def values(records: Iterable[Any], cls: type) -> Iterable[tuple[object, ...]]:
    """Yield the records' values in the order of the class's fields, for any kind of record."""
    names = list(get_type_hints(cls))
    for record in records:
        if isinstance(record, dict):
            yield tuple(record[name] for name in names)
        else:
            yield tuple(getattr(record, name) for name in names)
