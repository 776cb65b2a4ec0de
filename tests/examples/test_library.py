"""`examples/library` on a real library, compared with plistlib."""

from __future__ import annotations

import csv
import json
import plistlib
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = pytest.mark.thread_unsafe(reason="it is about a process of its own")

SCRIPT = Path(__file__).parents[2] / "examples/library/library.py"


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """The example, finished."""
    command = [sys.executable, SCRIPT, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_most_played_artists(corpus: Callable[[str], Path], tmp_path: Path) -> None:
    source = corpus("plist/iTunes-Library.xml")
    library = plistlib.loads(source.read_bytes())
    plays: Counter[str] = Counter()
    for track in library["Tracks"].values():
        plays[track.get("Artist", "unknown")] += track.get("Play Count", 0)
    table, document = tmp_path / "artists.csv", tmp_path / "artists.json"
    done = run(source, "--csv", table, "--json", document)
    assert done.returncode == 0, done.stderr
    title, *largest = done.stdout.splitlines()
    assert title.startswith(f"{len(library['Tracks']):,} tracks of {len(plays):,} artists, played ")
    assert f"played {plays.total():,} times" in title
    first = sorted(plays.items(), key=lambda it: (-it[1], it[0]))[:12]
    assert [(int(line.split()[0]), line[40:]) for line in largest[:12]] == [
        (count, name) for name, count in first
    ]
    assert largest[12:] == [f"written to {table}", f"written to {document}"]
    with table.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert {row["name"]: int(row["plays"]) for row in rows} == plays
    assert [artist["name"] for artist in json.loads(document.read_bytes())] == [
        row["name"] for row in rows
    ]
    binary = tmp_path / "library.plist"
    binary.write_bytes(plistlib.dumps(library, fmt=plistlib.FMT_BINARY))
    assert run(binary).stdout.splitlines() == [title, *largest[:12]]


def test_a_library_without_tracks_is_said_to_be_one(tmp_path: Path) -> None:
    empty = tmp_path / "empty.plist"
    empty.write_bytes(plistlib.dumps({"Tracks": {}}))
    assert run(empty).stdout == "0 tracks of 0 artists, played 0 times, for 0 minutes\n"
    wrong = tmp_path / "wrong.plist"
    wrong.write_bytes(plistlib.dumps({"Tracks": {"7": {"Name": "Fog"}}}))
    done = run(wrong)
    assert done.returncode == 1
    assert 'Track lacks the required key "Date Added"' in done.stderr.splitlines()[-1]
