"""Property lists: read and written, binary and XML, plain and into classes, and opened lazily.

200,000 tracks of six members, with a date and a list, as an iTunes library has them.
"""

# ruff: noqa: PLC0415 - each process imports only what it measures
from __future__ import annotations

import datetime as dt
import plistlib
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Annotated, Any

import inputs
from model import OURS, Case, Input, Row, Variant, below, faster

import penstock

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from model import Call

TRACKS = 200_000
OFF = "collector off"
VARIANTS = (Variant(OFF, collector=False),)
FORMS = {"binary": plistlib.FMT_BINARY, "xml": plistlib.FMT_XML}
MANY = 2_300_000
"""The tracks of a binary property list of more than 100 MB."""


@dataclass(slots=True)
class Track:
    """A track."""

    number: Annotated[int, penstock.at("Track ID")]
    name: Annotated[str, penstock.at("Name")]
    rating: Annotated[float, penstock.at("Rating")]
    explicit: Annotated[bool, penstock.at("Explicit")]
    added: Annotated[dt.datetime, penstock.at("Date Added")]
    artists: Annotated[list[str], penstock.at("Artists")]


def track(number: int) -> dict[str, Any]:
    """Return a track, as plain values."""
    start = dt.datetime(2009, 3, 1)  # noqa: DTZ001 - plistlib's dates are naive
    return {
        "Track ID": number,
        "Name": f"Song number {number}",
        "Rating": (number % 50) / 8,
        "Explicit": number % 7 == 0,
        "Date Added": start + dt.timedelta(minutes=number),
        "Artists": [f"Artist {number % 5_000}", f"Artist {number % 3_331}"],
    }


def tracks(form: str, count: int = TRACKS) -> Path:
    """Return a file with an array of tracks."""

    def write(target: Path) -> None:
        made = [track(number) for number in range(count)]
        with target.open("wb") as file:
            plistlib.dump(made, file, fmt=FORMS[form], sort_keys=False)

    return inputs.cached(f"tracks-{count}-{form}.plist", write)


def source(form: str, _: str) -> Input:
    """Return the bytes of the tracks, and of one of them."""
    return Input(tracks(form).read_bytes(), tracks(form, 1).read_bytes())


def read(into: Any, _: str) -> Call:
    """Penstock, into plain values or a class."""
    import penstock.plist

    return lambda data: penstock.plist.decode(data, into)


def stdlib(_: str) -> Call:
    """`plistlib`, which makes plain values."""
    return plistlib.loads


def stdlib_class(_: str) -> Call:
    """`plistlib`, with the class called for each track."""

    def call(data: bytes) -> list[Track]:
        return [
            Track(
                it["Track ID"],
                it["Name"],
                it["Rating"],
                it["Explicit"],
                it["Date Added"],
                it["Artists"],
            )
            for it in plistlib.loads(data)
        ]

    return call


def floor(_: str) -> Call:
    """Create as many objects, every value new, of the values of the first tracks."""
    import floor

    first = stdlib_class("")(tracks("binary").read_bytes())[:20_000]
    rows = [(it.number, it.name, it.rating, it.explicit, it.added, it.artists) for it in first]
    create: Call = floor.prepare(Track, rows)
    few = tracks("binary", 1).stat().st_size, tracks("xml", 1).stat().st_size
    return lambda data: create(1 if len(data) in few else TRACKS)


def plain_floor(_: str) -> Call:
    """The same as dicts. A date is that of the prototype: this makes none."""
    import floor

    create: Call = floor.prepare_plain(plistlib.loads(tracks("binary").read_bytes())[:20_000])
    few = tracks("binary", 1).stat().st_size, tracks("xml", 1).stat().st_size
    return lambda data: create(1 if len(data) in few else TRACKS)


def naive(value: Any) -> Any:
    """Return a value with dates as plistlib makes them."""
    if isinstance(value, dt.datetime):
        return value.replace(tzinfo=None)
    return value


def values(made: list[Any]) -> Iterable[object]:
    """Return the values of some tracks."""
    for it in chain(made[:1_000], made[-1_000:]):
        if isinstance(it, dict):
            yield tuple(map(naive, it.values()))
        else:
            yield (it.number, it.name, it.rating, it.explicit, naive(it.added), it.artists)


def reading(form: str) -> tuple[Row, Row]:
    """Return the rows that read a form."""
    times = {"binary": (10, 20), "xml": (10, 10)}[form]
    plain = Row(
        f"plist-{form}",
        f"200,000 tracks of a {form} property list into plain values",
        VARIANTS,
        (
            Case("floor", plain_floor, checked=False),
            Case(OURS, partial(read, Any), (OURS,)),
            Case("plistlib", stdlib),
        ),
        partial(source, form),
        values,
        (faster("plistlib", OFF, times[0]),),
    )
    typed = Row(
        f"plist-{form}-typed",
        "the same tracks into a slots dataclass",
        VARIANTS,
        (
            Case("floor", floor, checked=False),
            Case(OURS, partial(read, list[Track]), (OURS,)),
            Case("plistlib + class", stdlib_class),
        ),
        partial(source, form),
        values,
        (faster("plistlib + class", OFF, times[1]),),
    )
    return plain, typed


# The same tracks, written.


def written(write: Any, _: str) -> Call:
    """Make the tracks, and return the call that writes them, or a few of them."""
    made = [track(number) for number in range(TRACKS)]
    return lambda which: write(made[:3] if which == "small" else made)


def penstock_write(form: str, made: list[Any]) -> bytes:
    """Penstock's function."""
    import penstock.plist

    return penstock.plist.encode(made, form=form)


def stdlib_write(form: str, made: list[Any]) -> bytes:
    """`plistlib`'s function."""
    return plistlib.dumps(made, fmt=FORMS[form], sort_keys=False)


def writing(form: str) -> Row:
    """Return the row that writes a form."""
    return Row(
        f"plist-{form}-write",
        f"the tracks as dicts, written as a {form} property list",
        VARIANTS,
        (
            Case(OURS, partial(written, partial(penstock_write, form)), (OURS,)),
            Case("plistlib", partial(written, partial(stdlib_write, form))),
        ),
        lambda _: Input("all", "small"),
        lambda text: values(plistlib.loads(text)),
        (faster("plistlib", OFF, {"binary": 15, "xml": 10}[form]),),
    )


# The one item in the middle of a large file.


def large(_: str) -> Input:
    """Return the path of a binary property list of more than 100 MB."""
    return Input(tracks("binary", MANY), tracks("binary", 1))


def opened(_: str) -> Call:
    """Penstock, which reads only what is asked for."""
    import penstock.plist

    def call(path: Path) -> list[Any]:
        with penstock.plist.open(path) as made:
            return [made[len(made) // 2].to(dict)]

    return call


def loaded(_: str) -> Call:
    """`plistlib`, which reads everything."""

    def call(path: Path) -> list[Any]:
        with path.open("rb") as file:
            made = plistlib.load(file)
        return [made[len(made) // 2]]

    return call


ROWS = (
    *reading("binary"),
    *reading("xml"),
    writing("binary"),
    writing("xml"),
    Row(
        "plist-open",
        "the track in the middle of a binary property list of 100 MB, from its path",
        (Variant("100 MB"),),
        (Case(OURS, opened, (OURS,)), Case("plistlib", loaded)),
        large,
        values,
        (below(5, "ms", "100 MB", "ms"),),
    ),
)
