"""Keyed archives: the objects of a class, as `NSKeyedArchiver` keeps them, read and written.

200,000 songs of an int, a string and a date. In an archive, these are 600,005 objects.
"""

# ruff: noqa: PLC0415 - each process imports only what it measures
from __future__ import annotations

import datetime as dt
import plistlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import inputs
from model import OURS, Case, Input, Row, Variant, faster, within

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from model import Call

SONGS = 200_000
OFF = "collector off"
VARIANTS = (Variant(OFF, collector=False),)
PLAIN = "plain property list"
TABLE = "plistlib, the table"


@dataclass(slots=True)
class Song:
    """A song."""

    number: int
    title: str
    added: dt.datetime


CLASSES = {"XYSong": Song}


def songs(count: int = SONGS) -> list[Song]:
    """Return some songs."""
    start = dt.datetime(2009, 3, 1, tzinfo=dt.UTC)
    return [
        Song(number, f"Song number {number}", start + dt.timedelta(minutes=number))
        for number in range(count)
    ]


def saved(count: int, *, archive: bool) -> bytes:
    """Return the songs as a binary property list: an archive, or a plain one."""
    import penstock.plist

    def write(target: Path) -> None:
        how: dict[str, Any] = {"archive": True, "classes": CLASSES} if archive else {}
        target.write_bytes(penstock.plist.encode(songs(count), form="binary", **how))

    return inputs.cached(
        f"songs-{count}-{'archive' if archive else 'plain'}.plist", write
    ).read_bytes()


def both(_: str) -> Input:
    """Return the songs in both forms, and one of them."""
    of = [tuple(saved(count, archive=each) for each in (True, False)) for count in (SONGS, 1)]
    return Input(*of)


def read(_: str) -> Call:
    """Penstock, from the archive."""
    import penstock.plist

    return lambda data: penstock.plist.decode(data[0], list[Song], archive=True, classes=CLASSES)


def read_plain(_: str) -> Call:
    """Penstock, from the plain property list."""
    import penstock.plist

    return lambda data: penstock.plist.decode(data[1], list[Song])


def read_table(_: str) -> Call:
    """`plistlib`, which makes the table, and no objects of it."""
    return lambda data: plistlib.loads(data[0])["$objects"]


def write(_: str) -> Call:
    """Penstock, as an archive."""
    import penstock.plist

    made = songs()

    def call(which: str) -> bytes:
        some = made[:1] if which == "small" else made
        return penstock.plist.encode(some, form="binary", archive=True, classes=CLASSES)

    return call


def write_plain(_: str) -> Call:
    """Penstock, as a plain property list."""
    import penstock.plist

    made = songs()
    return lambda which: penstock.plist.encode(
        made[:1] if which == "small" else made, form="binary"
    )


def values(made: list[Song]) -> Iterable[object]:
    """Return the values of some songs."""
    return ((it.number, it.title, it.added) for it in [*made[:1_000], *made[-1_000:]])


def written(data: bytes) -> Iterable[object]:
    """Return the values of some songs of either form."""
    import penstock.plist

    if b"NSKeyedArchiver" in data[-1_000:] or b"NSKeyedArchiver" in data[:1_000]:
        return values(penstock.plist.decode(data, list[Song], archive=True, classes=CLASSES))
    return values(penstock.plist.decode(data, list[Song]))


ROWS = (
    Row(
        "plist-archive",
        "200,000 songs of a keyed archive into a slots dataclass",
        VARIANTS,
        (
            Case(OURS, read, (OURS,)),
            Case(PLAIN, read_plain, (OURS,)),
            Case(TABLE, read_table, checked=False),
        ),
        both,
        values,
        (faster(TABLE, OFF, 2), within(20, PLAIN, OFF)),
    ),
    Row(
        "plist-archive-write",
        "the songs, written as a keyed archive",
        VARIANTS,
        (Case(OURS, write, (OURS,)), Case(PLAIN, write_plain, (OURS,))),
        lambda _: Input("all", "small"),
        written,
        (within(15, PLAIN, OFF),),
    ),
)
