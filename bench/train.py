"""The run for which the published wheel is optimised: it shows the compiler the frequent paths.

    make tuned

The wheel is built with counters and runs this program. Then it is built again by the counts: which
branches are taken, and which functions should be inlined. So this does a little of everything that
people do, on records of its own, and needs nothing but the standard library. No row of the
benchmark is measured on these records.
"""

from __future__ import annotations

import argparse
import datetime as dt
import enum
import io
import json
import random
import uuid
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Annotated, Any, Literal, NamedTuple, TypedDict

import penstock


class Level(enum.Enum):
    """An enum of words."""

    LOW = "low"
    MIDDLE = "middle"
    HIGH = "high"


@dataclass(slots=True)
class Place:
    """An object in an object."""

    lat: float
    lon: float
    name: str | None = None


@dataclass(slots=True)
class Reading:
    """A record of most types, with slots."""

    id: int
    sensor: str
    value: float
    level: Level
    taken: dt.datetime
    place: Place
    tags: list[str] = field(default_factory=list)
    extra: dict[str, int] = field(default_factory=dict)
    active: bool = True


@dataclass
class Person:
    """A record without slots, of types that are made from text."""

    key: uuid.UUID
    name: str
    born: dt.date
    balance: Decimal
    score: int | float | None


class Point(NamedTuple):
    """A record by position."""

    index: int
    label: str
    x: float
    y: float


class Entry(TypedDict):
    """A record that stays a dict."""

    number: int
    text: str
    amount: float
    group: str


@dataclass(slots=True)
class Opened:
    """One of three, with a tag."""

    type: Literal["opened"]
    by: str
    at: int


@dataclass(slots=True)
class Moved:
    """Another."""

    type: Literal["moved"]
    by: str
    to: str
    distance: float


@dataclass(slots=True)
class Closed:
    """The third."""

    type: Literal["closed"]
    by: str
    reasons: list[str]


Event = Opened | Moved | Closed


@dataclass(slots=True)
class Article:
    """A record of markup."""

    id: Annotated[int, penstock.at("@id")]
    title: str
    words: int
    authors: Annotated[list[str], penstock.at("authors/author")]


class Titles:
    """A handler of messages."""

    def __init__(self) -> None:
        """Begin without titles."""
        self.length = 0

    def title(self, title: penstock.Element) -> None:
        """Take a title."""
        self.length += len(title.text)


def records(rng: random.Random, count: int) -> dict[str, list[dict[str, Any]]]:
    """Make records for each of the classes."""
    words = ["river", "weir", "lock", "sluice", "Mühle", "turbine", "堰", "gate", 'a "dam"']

    def text() -> str:
        return " ".join(rng.choices(words, k=rng.randrange(1, 5)))

    def moment(number: int) -> dt.datetime:
        return dt.datetime(2024, 1, 1, tzinfo=dt.UTC) + dt.timedelta(seconds=number * 977)

    readings = [
        {
            "id": number * 7,
            "sensor": f"sensor {number % 40}",
            "value": round(rng.uniform(-50, 5000), rng.randrange(5)),
            "level": rng.choice(["low", "middle", "high"]),
            "taken": moment(number).isoformat().replace("+00:00", rng.choice(["Z", "+00:00"])),
            "place": {"lat": rng.uniform(-90, 90), "lon": rng.uniform(-180, 180)}
            | ({"name": text()} if number % 3 else {}),
            "tags": rng.choices(words, k=number % 4),
            "extra": {word: rng.randrange(1000) for word in words[: number % 3]},
            "unasked": [text(), {"deep": [1, 2.5, None, True]}],
        }
        | ({"active": False} if number % 5 == 0 else {})
        for number in range(count)
    ]
    people = [
        {
            "key": str(uuid.UUID(int=rng.getrandbits(128))),
            "name": text(),
            "born": moment(-number * 90).date().isoformat(),
            "balance": str(Decimal(rng.randrange(10**7)) / 100),
            "score": rng.choice([None, 3, 2.5, number]),
        }
        for number in range(count)
    ]
    points = [
        {"index": number, "label": text(), "x": rng.random(), "y": float(number % 9)}
        for number in range(count)
    ]
    entries = [
        {"number": number, "text": text(), "amount": number / 4, "group": f"g{number % 9}"}
        for number in range(count)
    ]
    events = [
        rng.choice(
            [
                {"type": "opened", "by": text(), "at": number},
                {"type": "moved", "by": text(), "to": text(), "distance": number / 3},
                {"type": "closed", "by": text(), "reasons": rng.choices(words, k=2)},
            ]
        )
        for number in range(count)
    ]
    return {
        "readings": readings,
        "people": people,
        "points": points,
        "entries": entries,
        "events": events,
    }


def keyed(made: dict[str, list[dict[str, Any]]]) -> int:
    """Read JSON and NDJSON in all ways, and return the number of records."""
    count = 0
    last = [{**dict(list(each.items())[1:]), "type": each["type"]} for each in made["events"]]
    rows = [list(each.values()) for each in made["points"]]
    for spaced in (False, True):
        separators = (", ", ": ") if spaced else (",", ":")
        for into, given in [
            (Reading, made["readings"]),
            (Person, made["people"]),
            (Point, made["points"]),
            (Point, rows),
            (Entry, made["entries"]),
            (Event, made["events"]),
            (Event, last),
            (Any, made["readings"]),
        ]:
            text = json.dumps(given, separators=separators, ensure_ascii=spaced).encode()
            count += len(penstock.decode(text, list[into]))  # type: ignore[valid-type]
            count += sum(1 for _ in penstock.json.read(io.BytesIO(text), into, at="*"))
            lines = b"\n".join(json.dumps(each, separators=separators).encode() for each in given)
            count += len(penstock.ndjson.decode(lines, into))
            count += sum(map(len, penstock.ndjson.read(io.BytesIO(lines), into).batches(500)))
    text = json.dumps(made, indent=1).encode()
    document = penstock.open(io.BytesIO(text), format="json")
    count += sum(each["id"] % 2 for each in document["readings"])
    count += len(document["events"].to(list[Event]))
    return count


def markup(made: dict[str, list[dict[str, Any]]]) -> int:
    """Read XML in all ways, and return the number of records."""
    escapes = str.maketrans({"&": "&amp;", "<": "&lt;", '"': "&quot;"})
    articles = "\n".join(
        f'  <article id="{each["number"]}" lang="en">\n    <title>{each["text"].translate(escapes)}'
        f"</title>\n    <words>{each['number'] * 3}</words>\n    <note>not <i>asked</i></note>\n"
        f"    <authors><author>A &amp; B</author><author>{each['group']}</author></authors>\n"
        "  </article>"
        for each in made["entries"]
    )
    text = f'<?xml version="1.0"?>\n<articles>\n{articles}\n</articles>'.encode()
    count = sum(1 for _ in penstock.xml.read(io.BytesIO(text), Article, at="articles/article"))
    count += len(penstock.xml.decode(text)["articles"]["article"])
    titles = Titles()
    penstock.send(io.BytesIO(text), titles, format="xml")
    return count + (titles.length > 0)


def main() -> None:
    """Read everything, several times over."""
    parser = argparse.ArgumentParser(description="What the published wheel is tuned for.")
    parser.add_argument("--records", type=int, default=4_000, help="of each class (4,000)")
    parser.add_argument("--rounds", type=int, default=3, help="how often (3)")
    options = parser.parse_args()
    made = records(random.Random(1), options.records)
    for _ in range(options.rounds):
        told = keyed(made) + markup(made)
    print(f"{told:,} records, {options.rounds} times")


if __name__ == "__main__":
    main()
