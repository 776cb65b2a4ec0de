"""The records of the rows about formats: tiny objects, and songs of a real iTunes library."""

# ruff: noqa: PLC0415 - a process whose memory is measured imports what it needs
from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import tables

import penstock

if TYPE_CHECKING:
    from collections.abc import Callable

OBJECTS = "objects"
SONGS = "songs"
COUNTS = {OBJECTS: 1_000_000, SONGS: 100_000}


@dataclass(slots=True)
class Small:
    """Two ints and a short string."""

    hi: int
    there: int
    comment: str


@dataclass(slots=True)
class Hi:
    """One of its fields."""

    hi: int


@dataclass(slots=True)
class Song:
    """A song, with two dates and a list: the folders in which its file is."""

    number: int
    name: str
    album: str
    seconds: float
    size: int
    added: dt.datetime
    released: dt.datetime
    folders: Annotated[list[str], penstock.separated("/")]


@dataclass(slots=True)
class Number:
    """One of its fields."""

    number: int


def small(count: int) -> list[Small]:
    """Return tiny objects."""
    return [Small(place, 3 * place, f"c{place:07d}") for place in range(count)]


def songs(count: int) -> list[Song]:
    """Return the songs of the library that have a file, again and again, with other numbers."""
    import plistlib
    from itertools import cycle, islice
    from urllib.parse import unquote

    with tables.corpus("plist/iTunes-Library.xml").open("rb") as file:
        tracks = [it for it in plistlib.load(file)["Tracks"].values() if "Location" in it]

    def utc(date: dt.datetime) -> dt.datetime:
        return date.replace(tzinfo=dt.UTC)

    return [
        Song(
            number,
            it["Name"],
            it.get("Album", ""),
            it["Total Time"] / 1000,
            it.get("Size", 0),
            utc(it["Date Added"]),
            utc(it.get("Release Date", it["Date Added"])),
            unquote(it["Location"]).split("/")[3:],
        )
        for number, it in enumerate(islice(cycle(tracks), count))
    ]


class Kind(NamedTuple):
    """What is written and read: its class, and how its objects become what a format can hold."""

    cls: Any
    """The class."""
    narrow: Any
    """A class with the one field that is read of every record."""
    field: str
    """That field, which is the first one."""
    make: Callable[[int], list[Any]]
    as_dict: Callable[[Any], dict[str, Any]]
    """The fields by their names, dates as naive ones in UTC."""
    of_dict: Callable[[dict[str, Any]], Any]
    as_json: Callable[[Any], dict[str, Any]]
    """The same with dates as text."""
    of_json: Callable[[dict[str, Any]], Any]
    as_row: Callable[[Any], tuple[Any, ...]]
    """Scalars in the order of the fields: dates and lists as text."""
    of_row: Callable[[Any], Any]
    """An object of such a row, whose cells may be text."""


def _small_dict(it: Small) -> dict[str, Any]:
    return {"hi": it.hi, "there": it.there, "comment": it.comment}


def _small_of(it: dict[str, Any]) -> Small:
    return Small(it["hi"], it["there"], it["comment"])


def _small_row(it: Small) -> tuple[Any, ...]:
    return it.hi, it.there, it.comment


def _small_of_row(row: Any) -> Small:
    return Small(int(row[0]), int(row[1]), row[2])


def _song_dict(it: Song) -> dict[str, Any]:
    return {
        "number": it.number,
        "name": it.name,
        "album": it.album,
        "seconds": it.seconds,
        "size": it.size,
        "added": it.added.replace(tzinfo=None),
        "released": it.released.replace(tzinfo=None),
        "folders": it.folders,
    }


def _song_of(it: dict[str, Any]) -> Song:
    return Song(
        it["number"],
        it["name"],
        it["album"],
        it["seconds"],
        it["size"],
        it["added"].replace(tzinfo=dt.UTC),
        it["released"].replace(tzinfo=dt.UTC),
        it["folders"],
    )


def _song_json(it: Song) -> dict[str, Any]:
    return {
        "number": it.number,
        "name": it.name,
        "album": it.album,
        "seconds": it.seconds,
        "size": it.size,
        "added": it.added.isoformat(),
        "released": it.released.isoformat(),
        "folders": it.folders,
    }


def _song_of_json(it: dict[str, Any]) -> Song:
    parsed = dt.datetime.fromisoformat
    return Song(
        it["number"],
        it["name"],
        it["album"],
        it["seconds"],
        it["size"],
        parsed(it["added"]),
        parsed(it["released"]),
        it["folders"],
    )


def _song_row(it: Song) -> tuple[Any, ...]:
    return (
        it.number,
        it.name,
        it.album,
        it.seconds,
        it.size,
        it.added.isoformat(),
        it.released.isoformat(),
        "/".join(it.folders),
    )


def _song_of_row(row: Any) -> Song:
    parsed = dt.datetime.fromisoformat
    return Song(
        int(row[0]),
        row[1],
        row[2],
        float(row[3]),
        int(row[4]),
        parsed(row[5]),
        parsed(row[6]),
        row[7].split("/"),
    )


KINDS = {
    OBJECTS: Kind(
        Small,
        Hi,
        "hi",
        small,
        _small_dict,
        _small_of,
        _small_dict,
        _small_of,
        _small_row,
        _small_of_row,
    ),
    SONGS: Kind(
        Song,
        Number,
        "number",
        songs,
        _song_dict,
        _song_of,
        _song_json,
        _song_of_json,
        _song_row,
        _song_of_row,
    ),
}


def plain(made: Any) -> object:
    """Return the values of an object, dates as text, so that only the instant counts."""
    if isinstance(made, Song):
        dates = (made.added.isoformat(), made.released.isoformat())
        return (made.number, made.name, made.album, made.seconds, made.size, *dates, made.folders)
    if isinstance(made, Small):
        return (made.hi, made.there, made.comment)
    return made
