"""The same job done by several libraries: from the file's path to objects of all nine fields.

Every contestant runs in processes of its own, in turn, three rounds; the table shows medians. The
time includes reading the file and the next 2,000 allocations; the memory is the peak of the whole
process (`VmHWM`) over that of an interpreter that does nothing.

    python examples/cities/contest.py NAME     one contestant, one time: prints JSON
"""

# ruff: noqa: PLC0415 - each process imports only what it measures
from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any, NamedTuple, get_type_hints

import cities
from cities import City

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

ROUNDS = 3
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


CONTESTANTS: dict[str, tuple[str, Callable[[], Callable[[Path], Iterable[Any]]]]] = {
    "penstock load": ("penstock", penstock_decode),
    "penstock read": ("penstock", penstock_read),
    "msgspec Struct": ("msgspec", msgspec_struct),
    "msgspec dataclass": ("msgspec", msgspec_dataclass),
    "orjson + City(**row)": ("orjson", orjson_class),
    "pydantic": ("pydantic", pydantic),
    "json + City(**row)": ("json", stdlib),
}


class Turn(NamedTuple):
    """What one process found."""

    seconds: float
    mib: float
    inhabitants: int


def peak_mib() -> float:
    """Return the most memory that this process ever held."""
    with open("/proc/self/status", encoding="ascii") as status:  # noqa: PTH123 - no more memory
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM:")) / 1024


def take_turn(name: str) -> Turn:
    """Do the job once in this process."""
    prepare = CONTESTANTS[name][1]
    job, path = prepare(), cities.path()
    streaming = name == "penstock read"
    start = time.perf_counter()
    found = job(path)
    total = cities.inhabitants(found) if streaming else 0
    after: list[list[object]] = [[] for _ in range(ALLOCATIONS)]
    seconds = time.perf_counter() - start
    del after
    peak = peak_mib()
    return Turn(seconds, peak, total if streaming else cities.inhabitants(found))


class Result(NamedTuple):
    """A contestant's medians."""

    name: str
    seconds: float
    mib: float
    inhabitants: int


def hold(installed: Callable[[str], bool]) -> Iterator[Result]:
    """Run all contestants that are installed, in turn, and yield their medians."""
    names = [name for name, (module, _) in CONTESTANTS.items() if installed(module)]
    turns: dict[str, list[Turn]] = {name: [] for name in names}
    bare = statistics.median(run("bare").mib for _ in range(ROUNDS))
    for _ in range(ROUNDS):
        for name in names:
            turns[name].append(run(name))
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


def run(name: str) -> Turn:
    """Give a contestant a fresh process."""
    command = ["-c", BARE] if name == "bare" else [__file__, name]
    done = subprocess.run([sys.executable, *command], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{name} failed:\n{done.stderr}")
    return Turn(*json.loads(done.stdout))


if __name__ == "__main__":
    print(json.dumps(take_turn(sys.argv[1])), flush=True)
    os._exit(0)  # Releasing a quarter of a million objects would only take time.
