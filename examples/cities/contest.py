"""The same job done by several libraries: from the file's path to objects of all nine fields.

Every contestant runs in processes of its own, in turn, three rounds; the table shows medians. The
time includes reading the file and the next 2,000 allocations; the memory is the peak of the whole
process (`VmHWM`) over that of an interpreter that does nothing.

    python examples/cities/contest.py NAME [XML]   one contestant, one time: prints JSON
"""

# ruff: noqa: PLC0415 - each process imports only what it measures
from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, get_type_hints

import cities
from cities import City

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

ROUNDS = 3
# Seconds. Whoever takes longer has one turn: nobody wants to wait for two more.
SLOW = 3
ALLOCATIONS = 2_000


def penstock_decode() -> Callable[[Path], Iterable[City]]:
    """Penstock, everything at once."""
    import penstock.json

    return lambda path: penstock.json.load(path, dict[str, City]).values()


def penstock_read() -> Callable[[Path], Iterable[City]]:
    """Penstock, a record at a time: the sum is made while reading, so it is timed as well."""
    import penstock.json

    return lambda path: penstock.json.read(path, City, at="*")


def msgspec_struct() -> Callable[[Path], Iterable[Any]]:
    """Msgspec into its own base class."""
    import msgspec

    made = msgspec.defstruct("City", list(get_type_hints(City).items()))
    decode = msgspec.json.Decoder(dict[str, made]).decode  # type: ignore[valid-type]
    return lambda path: decode(path.read_bytes()).values()


def msgspec_dataclass() -> Callable[[Path], Iterable[City]]:
    """Msgspec into the same dataclass."""
    import msgspec

    decode = msgspec.json.Decoder(dict[str, City]).decode
    return lambda path: decode(path.read_bytes()).values()


def orjson_class() -> Callable[[Path], Iterable[City]]:
    """Orjson, and the class called with each dict."""
    import orjson

    return lambda path: [City(**row) for row in orjson.loads(path.read_bytes()).values()]


def pydantic() -> Callable[[Path], Iterable[City]]:
    """Pydantic, straight into the dataclass."""
    from pydantic import TypeAdapter

    decode = TypeAdapter(dict[str, City]).validate_json
    return lambda path: decode(path.read_bytes()).values()


def stdlib() -> Callable[[Path], Iterable[City]]:
    """The standard library, and the class called with each dict."""
    return lambda path: [City(**row) for row in json.loads(path.read_bytes()).values()]


def city(element: Any) -> City:
    """Make a city from an element of ElementTree or lxml."""
    text = element.findtext
    return City(
        int(text("geonameid")),
        text("name"),
        float(text("latitude")),
        float(text("longitude")),
        text("countrycode"),
        int(text("population")),
        text("timezone"),
        text("admin1code"),
        [name.text for name in element.iterfind("alternatenames")],
    )


def penstock_xml() -> Callable[[Path], Iterable[City]]:
    """Penstock, a record at a time."""
    import penstock.xml

    return lambda path: penstock.xml.read(path, City, at="cities/city")


def lxml_iterparse() -> Callable[[Path], Iterable[City]]:
    """Lxml by the recipe that keeps memory flat."""
    from lxml import etree

    def read(path: Path) -> Iterator[City]:
        for _, element in etree.iterparse(str(path), tag="city"):
            yield city(element)
            element.clear()
            while element.getprevious() is not None:
                del element.getparent()[0]

    return read


def elementtree_iterparse() -> Callable[[Path], Iterable[City]]:
    """The standard library by the same recipe."""
    from xml.etree import ElementTree as ET

    def read(path: Path) -> Iterator[City]:
        events = ET.iterparse(path, ("start", "end"))
        _, root = next(events)
        for event, element in events:
            if event == "end" and element.tag == "city":
                yield city(element)
                root.clear()

    return read


CONTESTANTS: dict[str, tuple[str, Callable[[], Callable[[Path], Iterable[Any]]]]] = {
    "penstock load": ("penstock", penstock_decode),
    "penstock read": ("penstock", penstock_read),
    "msgspec Struct": ("msgspec", msgspec_struct),
    "msgspec dataclass": ("msgspec", msgspec_dataclass),
    "orjson + City(**row)": ("orjson", orjson_class),
    "pydantic": ("pydantic", pydantic),
    "json + City(**row)": ("json", stdlib),
}


OF_XML: dict[str, tuple[str, Callable[[], Callable[[Path], Iterable[Any]]]]] = {
    "penstock read, XML": ("penstock", penstock_xml),
    "lxml.iterparse": ("lxml", lxml_iterparse),
    "ElementTree.iterparse": ("xml", elementtree_iterparse),
}
"""The contestants that read the same places from XML. All of them stream."""


class Turn(NamedTuple):
    """The result of one process."""

    seconds: float
    mib: float
    inhabitants: int


def peak_mib() -> float:
    """Return the peak memory of this process."""
    with open("/proc/self/status", encoding="ascii") as status:  # noqa: PTH123 - no more memory
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM:")) / 1024


def take_turn(name: str, xml: Path | None = None) -> Turn:
    """Do the job once in this process."""
    prepare = (CONTESTANTS if xml is None else OF_XML)[name][1]
    job, path = prepare(), xml or cities.path()
    streaming = xml is not None or name == "penstock read"
    start = time.perf_counter()
    found = job(path)
    total = cities.inhabitants(found) if streaming else 0
    after: list[list[object]] = [[] for _ in range(ALLOCATIONS)]
    seconds = time.perf_counter() - start
    del after
    peak = peak_mib()
    return Turn(seconds, peak, total if streaming else cities.inhabitants(found))


class Result(NamedTuple):
    """The medians of a contestant."""

    name: str
    seconds: float
    mib: float
    inhabitants: int


def hold(installed: Callable[[str], bool], xml: Path | None = None) -> Iterator[Result]:
    """Run all contestants that are installed, in turn, and yield their medians.

    With the path of the XML, the contestants that read XML.
    """
    contestants = CONTESTANTS if xml is None else OF_XML
    names = [name for name, (module, _) in contestants.items() if installed(module)]
    turns: dict[str, list[Turn]] = {name: [] for name in names}
    bare = statistics.median(run("bare").mib for _ in range(ROUNDS))
    for _ in range(ROUNDS):
        for name in names:
            if all(turn.seconds < SLOW for turn in turns[name]):
                turns[name].append(run(name, xml))
    for name, taken in turns.items():
        yield Result(
            name,
            statistics.median(turn.seconds for turn in taken),
            statistics.median(turn.mib for turn in taken) - bare,
            taken[0].inhabitants,
        )


BARE = (
    "print([0, next(int(x.split()[1]) for x in open('/proc/self/status')"
    " if x.startswith('VmHWM:')) / 1024, 0])"
)


def run(name: str, xml: Path | None = None) -> Turn:
    """Run a contestant in a fresh process."""
    command = ["-c", BARE] if name == "bare" else [__file__, name]
    if xml is not None:
        command.append(str(xml))
    done = subprocess.run([sys.executable, *command], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{name} failed:\n{done.stderr}")
    return Turn(*json.loads(done.stdout))


if __name__ == "__main__":
    given = [Path(name) for name in sys.argv[2:]]
    print(json.dumps(take_turn(sys.argv[1], *given)), flush=True)
    os._exit(0)  # Releasing a quarter of a million objects would only take time.
