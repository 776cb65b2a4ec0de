"""Tables as people make them, in every dialect that Python's own writer knows, for inference."""

from __future__ import annotations

import csv
import dataclasses
import datetime
import io
import random
from collections.abc import Callable
from typing import Any

LINE = (
    "alder birch cedar delta ember fjord grove heath inlet jetty knoll lagoon marsh north orchard "
    "prairie quarry river summit timber upland valley water yonder zephyr"
)
WORDS = LINE.split()
CITIES = ["Bern", "New York", "São Paulo", "Zürich", "Rio de Janeiro", "Oslo", "Kraków", "Aix"]


def words(rng: random.Random, most: int) -> str:
    """Return some words."""
    return " ".join(rng.choice(WORDS) for _ in range(rng.randint(1, most)))


def sentence(rng: random.Random) -> str:
    """Return text with commas, and sometimes quotes, apostrophes, semicolons and line ends."""
    parts = [words(rng, 4) for _ in range(rng.randint(1, 4))]
    text = rng.choice([", ", ", ", "; ", ' "so" ', " isn't ", ". ", "\n"]).join(parts)
    return text.capitalize() + rng.choice([".", "!", ""])


def moment(rng: random.Random) -> datetime.datetime:
    """Return a date and a time."""
    seconds = rng.randrange(40 * 365 * 86400)
    return datetime.datetime(1990, 1, 1) + datetime.timedelta(seconds=seconds)  # noqa: DTZ001 - as files have them


# For each sort of column, its type and a function that makes a cell.
SORTS: dict[str, tuple[Any, Callable[[random.Random], str]]] = {
    "id": (int, lambda rng: str(rng.randint(1, 99_999))),
    "count": (int, lambda rng: str(rng.randint(0, 40))),
    "price": (float, lambda rng: f"{rng.uniform(0, 900):.2f}"),
    "share": (float, lambda rng: f"{rng.uniform(-1, 1):.5f}"),
    "day": (datetime.date, lambda rng: moment(rng).date().isoformat()),
    "seen": (datetime.datetime, lambda rng: moment(rng).isoformat()),
    "at": (datetime.time, lambda rng: moment(rng).time().isoformat()),
    "local": (str, lambda rng: moment(rng).strftime("%d.%m.%Y")),
    "word": (str, lambda rng: words(rng, 1)),
    "name": (str, lambda rng: f"{words(rng, 1).title()} {words(rng, 1).title()}"),
    "city": (str, lambda rng: rng.choice(CITIES)),
    "note": (str, sentence),
    "code": (str, lambda rng: f"{rng.choice('ABCDEF')}{rng.choice('XYZ')}-{rng.randint(10, 99)}"),
    "mail": (str, lambda rng: f"{words(rng, 1)}@{words(rng, 1)}.org"),
    "url": (str, lambda rng: f"https://{words(rng, 1)}.org/{words(rng, 1)}?n={rng.randint(1, 9)}"),
    "flag": (str, lambda rng: rng.choice(["yes", "no"])),
    "maybe": (str, lambda rng: words(rng, 2) if rng.random() < 0.5 else ""),
}


@dataclasses.dataclass
class Written:
    """A table as text, with the truth."""

    text: str
    names: list[str]
    rows: list[list[str]]
    sorts: list[str]
    has_header: bool

    def into(self) -> Any:
        """Return a class for its rows."""
        types = [SORTS[sort][0] for sort in self.sorts]
        return dataclasses.make_dataclass("Row", zip(self.names, types, strict=True))


def write(rng: random.Random) -> Written:
    """Write a table in a dialect."""
    columns = rng.choice([1, 2, 2, 3, 4, 5, 6, 8, 12])
    sorts = [rng.choice(list(SORTS)) for _ in range(columns)]
    names = [f"{sort}_{WORDS[place]}" for place, sort in enumerate(sorts)]
    count = rng.choice([1, 2, 3, 5, 10, 30, 100, 300])
    rows = [[SORTS[sort][1](rng) for sort in sorts] for _ in range(count)]
    delimiter = rng.choice([",", ",", ";", ";", "\t", "|", "^", "~", "\x1f", ":", " "])
    is_doubled = rng.random() < 0.85
    end = rng.choice(["\n", "\r\n", "\r"])
    out = io.StringIO()
    kind = rng.random()
    if 0.1 < kind < 0.2 and columns > 2:
        title = sentence(rng).splitlines()[0].replace(delimiter, "")
        out.write(f"{title}{end}{end}")
    writer = csv.writer(
        out,
        delimiter=delimiter,
        quotechar=rng.choice(['"', '"', '"', "'"]),
        quoting=rng.choice([csv.QUOTE_MINIMAL, csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
        doublequote=is_doubled,
        escapechar=None if is_doubled else "\\",
        lineterminator=end,
    )
    has_header = kind < 0.85
    if not has_header:
        names = [str(place) for place in range(columns)]
    writer.writerows([names, *rows] if has_header else rows)
    return Written(out.getvalue(), names, rows, sorts, has_header)
