"""The tables of the rows about CSV, and the classes that their rows become.

`cities` is real: numbers and names, few quotes. `stops` has the stop times of a real transit feed,
and `links` a real list of links, both repeated. `quotes` is the worst case: cells that are nothing
but quotes.
"""

# ruff: noqa: PLC0415 - each process imports only what it measures
from __future__ import annotations

import csv
import json
import os
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_type_hints

import inputs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

MEGABYTE = 1_000_000
CITIES = 120
"""Megabytes of the table of cities: 1.9 million rows."""
OTHERS = 60
"""Megabytes of the other tables."""
PASS = 100_000_000
"""What each pass over the cities adds to the ids."""


@dataclass(slots=True)
class Town:
    """All eight columns of the table of cities."""

    geonameid: int
    name: str
    latitude: float
    longitude: float
    countrycode: str
    population: int
    timezone: str
    admin1code: str


@dataclass(slots=True)
class Size:
    """Two of them."""

    name: str
    population: int


@dataclass(slots=True)
class Stop:
    """All nine columns of `stop_times.txt`. A time may be after 24 o'clock, so it is text."""

    trip_id: int
    arrival_time: str
    departure_time: str
    stop_id: int
    stop_sequence: int
    stop_headsign: str
    pickup_type: int
    drop_off_type: int
    shape_dist_traveled: float


@dataclass(slots=True)
class Link:
    """The columns of the list of links. The numbers have commas, so they are text."""

    number: str
    referrer: str
    referrals: str


@dataclass(slots=True)
class Quotes:
    """Cells of nothing but quotes."""

    a: str
    b: str
    c: str
    d: str


@dataclass(slots=True)
class Nothing:
    """No column: every row is checked, and nothing is made of it."""


CLASSES: dict[str, type] = {"cities": Town, "stops": Stop, "links": Link, "quotes": Quotes}


def corpus(name: str) -> Path:
    """Return a file of the corpora folder."""
    folder = os.environ.get("PENSTOCK_CORPORA")
    if not folder:
        raise inputs.Missing(f"{name}: set PENSTOCK_CORPORA to the folder of corpora")
    path = Path(folder) / name
    if not path.exists():
        raise inputs.Missing(f"{name} is not in PENSTOCK_CORPORA")
    return path


def table(kind: str, megabytes: int | None = None) -> Path:
    """Return a table of so many million bytes."""
    if megabytes is None:
        megabytes = CITIES if kind == "cities" else OTHERS
    write: Callable[[Path, int], None] = {"cities": cities, "quotes": quotes}.get(kind, repeated)
    return inputs.cached(f"table-{kind}-{megabytes}.csv", lambda path: write(path, megabytes))


def small(kind: str) -> bytes:
    """Return the header and three rows, to warm up."""
    with table(kind, 1).open("rb") as file:
        return b"".join(line for line, _ in zip(file, range(4), strict=False))


def written(path: Path, megabytes: int, lines: Iterable[str]) -> None:
    """Write lines until the size is reached."""
    left = megabytes * MEGABYTE
    with path.open("w", encoding="utf-8", newline="", buffering=1 << 20) as out:
        for line in lines:
            out.write(line)
            left -= len(line.encode())
            if left <= 0:
                break


def line(cells: Iterable[object]) -> str:
    """Return a row as the module `csv` writes it."""
    import io

    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerow(cells)
    return out.getvalue()


def cities(path: Path, megabytes: int) -> None:
    """Write the cities, again and again, each time with other ids."""
    names = list(get_type_hints(Town))[1:]
    known = [
        (city["geonameid"], line(city[name] for name in names))
        for city in json.loads(inputs.cities().read_bytes()).values()
    ]

    def lines() -> Iterator[str]:
        yield line(get_type_hints(Town))
        turn = 0
        while True:
            for ident, rest in known:
                yield f"{ident + turn * PASS},{rest}"
            turn += 1

    written(path, megabytes, lines())


SOURCES = {
    "stops": ("gtfs/seattle-area-2017-11-16/stop_times.txt", Stop),
    "links": ("csv/nyc311.csv", Link),
}


def repeated(path: Path, megabytes: int) -> None:
    """Write the rows of a real table again and again, behind a header of the class's names."""
    name, cls = SOURCES[path.name.split("-")[1]]
    with corpus(name).open(encoding="utf-8", newline="") as file:
        rows = [line(cells) for cells in csv.reader(file)][1:]

    def lines() -> Iterator[str]:
        yield line(get_type_hints(cls))
        yield from cycle(rows)

    written(path, megabytes, lines())


def quotes(path: Path, megabytes: int) -> None:
    """Write cells of one to eight quotes."""

    def lines() -> Iterator[str]:
        yield line(get_type_hints(Quotes))
        yield from cycle(
            [line('"' * (1 + (row * step) % 8) for step in (1, 3, 5, 7)) for row in range(64)]
        )

    written(path, megabytes, lines())


def convert(cls: type, names: list[str]) -> Callable[[list[str]], Any]:
    """Return a function that makes an object of a row: what a program would write by hand."""
    hints = get_type_hints(cls)
    parts = []
    for name, kind in hints.items():
        cell = f"row[{names.index(name)}]"
        parts.append(cell if kind is str else f"{kind.__name__}({cell})")
    made: Callable[[list[str]], Any] = eval(f"lambda row: cls({', '.join(parts)})", {"cls": cls})
    return made


def convert_dict(cls: type) -> Callable[[dict[str, str]], Any]:
    """Return the same for a row of `DictReader`."""
    parts = [
        f"row[{name!r}]" if kind is str else f"{kind.__name__}(row[{name!r}])"
        for name, kind in get_type_hints(cls).items()
    ]
    made: Callable[[dict[str, str]], Any] = eval(
        f"lambda row: cls({', '.join(parts)})", {"cls": cls}
    )
    return made
