"""What is in an iTunes library, and which artists were played most, as CSV and JSON.

    python examples/library/library.py "iTunes Library.xml" --csv artists.csv --json artists.json

Music and iTunes export their library as a property list of one dictionary, whose tracks are in
another one. The tracks come one at a time, so a library of any size will do, as XML or as binary.
Without a file it takes the library among the corpora that PENSTOCK_CORPORA names.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Annotated

import penstock
from penstock import at

SAMPLE = "plist/iTunes-Library.xml"
LARGEST = 12
BAR = 30


@dataclass(slots=True)
class Track:
    """A song, and how often it was played: seven of its fifty members."""

    name: Annotated[str, at("Name")]
    added: Annotated[datetime, at("Date Added")]
    artist: Annotated[str, at("Artist")] = "unknown"
    album: Annotated[str | None, at("Album")] = None
    milliseconds: Annotated[int, at("Total Time")] = 0
    plays: Annotated[int, at("Play Count")] = 0
    last_played: Annotated[datetime | None, at("Play Date UTC")] = None


@dataclass(slots=True)
class Artist:
    """What was played of an artist."""

    name: str
    tracks: int = 0
    plays: int = 0
    minutes: int = 0
    favourite: str | None = None


def tracks(source: Path) -> penstock.Reader[Track]:
    """Read the tracks of a library, one at a time."""
    return penstock.plist.read(source, Track, at="Tracks/*")


def artists(library: Iterable[Track]) -> list[Artist]:
    """Add the tracks up by artist, the most played first."""
    found: dict[str, Artist] = {}
    most: dict[str, int] = {}
    played: dict[str, timedelta] = {}
    for track in library:
        artist = found.setdefault(track.artist, Artist(track.artist))
        artist.tracks += 1
        artist.plays += track.plays
        if track.plays > most.get(track.artist, 0):
            most[track.artist], artist.favourite = track.plays, track.name
        time = track.plays * timedelta(milliseconds=track.milliseconds)
        played[track.artist] = played.get(track.artist, timedelta()) + time
    for name, artist in found.items():
        artist.minutes = round(played[name] / timedelta(minutes=1))
    return sorted(found.values(), key=lambda artist: (-artist.plays, artist.name))


def main() -> None:
    """Read the command line, print the most played artists and write the files."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("file", nargs="?", type=Path)
    parser.add_argument("--csv", type=Path, metavar="FILE")
    parser.add_argument("--json", type=Path, metavar="FILE")
    options = parser.parse_args()
    if options.file is None and "PENSTOCK_CORPORA" not in os.environ:
        sys.exit("name a library, or set PENSTOCK_CORPORA to the folder of corpora")
    found = artists(tracks(options.file or Path(os.environ["PENSTOCK_CORPORA"]) / SAMPLE))
    print(
        f"{sum(it.tracks for it in found):,} tracks of {len(found):,} artists, played "
        f"{sum(it.plays for it in found):,} times, for {sum(it.minutes for it in found):,} minutes"
    )
    most = max((artist.plays for artist in found), default=0)
    for artist in found[:LARGEST]:
        bar = "\N{FULL BLOCK}" * round(BAR * artist.plays / max(most, 1))
        print(f"{artist.plays:>6,}  {bar:{BAR}}  {artist.name}")
    for target in filter(None, (options.csv, options.json)):
        penstock.dump(found, target, list[Artist])
        print(f"written to {target}")


if __name__ == "__main__":
    main()
