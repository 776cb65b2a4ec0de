"""State as a fold over an append-only file: events appended, a million read again, a start.

Each append is a call of its own, after which the event outlives the process; in the variant
`on the disk` it also outlives a loss of power. The peers keep the last value of each key, which is
what the fold does here. SQLite commits each; diskcache is a table of SQLite with its own default,
a write-ahead log and `synchronous=NORMAL`.
"""

# ruff: noqa: PLC0415 - each process imports only what it measures
from __future__ import annotations

import shutil
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import inputs
from model import OURS, Case, Input, Row, Variant, below, faster, within

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from model import Call

    from penstock import Log

APPENDED = {"append": 100_000, "append, on the disk": 200}
REPLAYED = 1_000_000
READING = "reading"
KEYS = 1_000


@dataclass(frozen=True, slots=True)
class Put:
    """A key gets a value."""

    key: int
    value: str


def apply(state: dict[int, str], event: Put) -> dict[int, str]:
    """Put the value of an event."""
    state[event.key] = event.value
    return state


def events(variant: str) -> Input:
    """Return events that the caller has made already."""
    made = [Put(n % KEYS, f"value {n}") for n in range(APPENDED[variant])]
    return Input(made, made[:10])


def in_a_folder(work: Callable[[Path, list[Put]], dict[int, str]]) -> Call:
    """Return a call that has a new folder each time."""

    def call(made: list[Put]) -> dict[int, str]:
        # `/tmp` may be no disk.
        inputs.CACHE.mkdir(parents=True, exist_ok=True)
        folder = Path(tempfile.mkdtemp(dir=inputs.CACHE))
        try:
            return work(folder, made)
        finally:
            shutil.rmtree(folder)

    return call


def opened(folder: Path, variant: str) -> Log[Put, dict[int, str]]:
    """Return a new log of Penstock."""
    import penstock

    return penstock.Log(
        folder / "log.ndjson", Put, fold=apply, state=dict[int, str], sync=variant != "append"
    )


def penstock(variant: str) -> Call:
    """Penstock."""

    def work(folder: Path, made: list[Put]) -> dict[int, str]:
        with opened(folder, variant) as log:
            for event in made:
                log.append(event)
            return log.state

    return in_a_folder(work)


def penstock_all(variant: str) -> Call:
    """Penstock, all events with one call."""

    def work(folder: Path, made: list[Put]) -> dict[int, str]:
        with opened(folder, variant) as log:
            log.append_all(made)
            return log.state

    return in_a_folder(work)


def sqlite(variant: str) -> Call:
    """Module `sqlite3` with a table of keys, and a transaction for each event."""
    import sqlite3

    level = "OFF" if variant == "append" else "FULL"

    def work(folder: Path, made: list[Put]) -> dict[int, str]:
        database = sqlite3.connect(folder / "state.db", isolation_level=None)
        database.execute("PRAGMA journal_mode=WAL")
        database.execute(f"PRAGMA synchronous={level}")
        database.execute("CREATE TABLE state (key INTEGER PRIMARY KEY, value TEXT)")
        put = "INSERT OR REPLACE INTO state VALUES (?, ?)"
        for event in made:
            database.execute(put, (event.key, event.value))
        found = dict(database.execute("SELECT key, value FROM state"))
        database.close()
        return found

    return in_a_folder(work)


def diskcache(variant: str) -> Call:
    """Library diskcache, which pickles what is neither text nor a number."""
    import diskcache

    options = {} if variant == "append" else {"sqlite_synchronous": 2}

    def work(folder: Path, made: list[Put]) -> dict[int, str]:
        with diskcache.Cache(str(folder), **options) as cache:
            for event in made:
                cache[event.key] = event.value
            return {key: cache[key] for key in cache}

    return in_a_folder(work)


@cache
def written(count: int) -> Path:
    """Return the path of a log with a snapshot behind its last event but ten."""
    import penstock

    folder = inputs.CACHE / f"log-{count}"
    path = folder / "log.ndjson"
    if not (folder / "log.ndjson.snapshot").exists():
        folder.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        with penstock.Log(path, Put, fold=apply, state=dict[int, str]) as log:
            log.append_all(Put(n % KEYS, f"value {n}") for n in range(count - 10))
            log.snapshot()
            log.append_all(Put(n % KEYS, f"value {n}") for n in range(count - 10, count))
    return path


def log(_: str) -> Input:
    """Return the path of a large one, and of a small one."""
    return Input(written(REPLAYED), written(100))


def started(variant: str) -> Call:
    """Penstock, all events or only those behind the snapshot."""
    import penstock

    # A snapshot of another version is not used.
    version = "" if variant == "snapshot" else "none"

    def call(path: Path) -> dict[int, str]:
        with penstock.Log(path, Put, fold=apply, state=dict[int, str], version=version) as log:
            return log.state

    return call


def folded(_: str) -> Call:
    """Penstock, the events read and folded by a loop."""
    import penstock

    def call(path: Path) -> dict[int, str]:
        state: dict[int, str] = {}
        for event in penstock.read(path, Put):
            state = apply(state, event)
        return state

    return call


def read(_: str) -> Call:
    """Penstock, the events read and dropped."""
    import penstock

    def call(path: Path) -> int:
        count = 0
        for _event in penstock.read(path, Put):
            count += 1
        return count

    return call


def pairs(made: Any) -> Iterable[object]:
    """Return keys and values in order."""
    return sorted(made.items())


ROWS = (
    Row(
        "log-append",
        "An event for each call, into a log whose fold is a dict of 1,000 keys",
        tuple(Variant(name, most=5) for name in APPENDED),
        (
            Case(OURS, penstock),
            Case("append_all", penstock_all),
            Case("sqlite3", sqlite),
            Case("diskcache", diskcache, ("diskcache",)),
        ),
        events,
        pairs,
        (
            below(0.002 * APPENDED["append"], "ms", "append", "ms"),
            faster("sqlite3", "append", 2.0),
            faster("diskcache", "append", 10.0),
        ),
        metrics=("ms", "MiB"),
    ),
    Row(
        "log-start",
        f"A log of {REPLAYED:,} events opened: all are folded, or those behind a snapshot",
        (Variant("replay", most=5), Variant("snapshot", most=5)),
        (
            Case(OURS, started, (OURS,)),
            Case("a loop", folded, (OURS,)),
            Case(READING, read, (OURS,), checked=False),
        ),
        log,
        pairs,
        (
            within(1.3, "a loop", "replay"),
            below(5, "ms", "snapshot", "ms"),
        ),
        metrics=("ms", "MiB"),
    ),
)
