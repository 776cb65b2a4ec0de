"""A part of a compressed file says where its own pieces are: its reader looks at no others."""

from __future__ import annotations

import json
import lzma
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import penstock


def rows(count: int) -> bytes:
    state, lines = 1, []
    for n in range(count):
        state = (state * 1_664_525 + 1_013_904_223) % (1 << 32)
        lines.append(f'{{"n": {n}, "name": "{state:x}{state * 7919 % (1 << 32):x}"}}\n')
    return "".join(lines).encode()


def in_streams(text: bytes, size: int) -> bytes:
    return b"".join(lzma.compress(text[at : at + size]) for at in range(0, len(text), size))


def packed(folder: Path, suffix: str, count: int = 20_000) -> Path:
    plain, path = folder / "rows.ndjson", folder / f"rows.ndjson.{suffix.removesuffix('.gzi')}"
    plain.write_bytes(rows(count))
    if suffix == "xz":
        path.write_bytes(in_streams(plain.read_bytes(), 20_000))
    else:
        penstock.recompress(plain, path, index=suffix.endswith(".gzi"))
    return path


each = pytest.mark.parametrize("suffix", ["gz", "gz.gzi", "zst", "xz"])


def numbers(parts: Any) -> list[int]:
    return [row["n"] for part in parts for row in part.read()]


@each
def test_a_part_has_its_pieces(suffix: str, tmp_path: Path) -> None:
    path = packed(tmp_path, suffix)
    splits = penstock.split(path, parts=10)
    assert splits[0].pieces is None
    assert len(splits) == 10
    for part in splits[1:]:
        assert part.pieces is not None
        assert len(part.pieces) < 200
        again = penstock.Split.from_dict(json.loads(json.dumps(part.as_dict())))
        assert again.load() == part.load() == replace(part, pieces=None).load()
        assert [*map(str, again.schema()._lines())] == [*map(str, part.schema()._lines())]
    assert numbers(splits) == list(range(20_000))
    plain = penstock.split(tmp_path / "rows.ndjson", parts=4)
    assert [part.pieces for part in plain] == [None] * 4


@each
def test_pieces_are_kept_with_the_points(
    suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = packed(tmp_path, suffix)
    first = penstock.split(path, parts=7, index=True)
    kept = tmp_path / f"{path.name}.penstock-splits"
    assert kept.stat().st_size < 50_000
    monkeypatch.setattr(penstock._rust, "split_size", None)
    assert penstock.split(path, parts=7, index=True) == first
    assert all(part.pieces is not None for part in first[1:])
    for options in ({"parts": 7}, {"bytes": 30_000}, {"parts": 50}):
        splits = penstock.split(path, index=True, **options)
        assert numbers(splits) == list(range(20_000))


def test_pieces_that_are_of_something_else_are_refused(tmp_path: Path) -> None:
    path = packed(tmp_path, "gz")
    splits = penstock.split(path, parts=5)
    (tmp_path / "other").mkdir()
    other = penstock.split(packed(tmp_path / "other", "gz"), parts=5)
    part, pieces = splits[2], splits[2].pieces
    assert pieces is not None
    wrong = [splits[1].pieces, splits[3].pieces, other[2].pieces]
    wrong += ["", "AAAA", "é", "no table", pieces[:-4], pieces + "AAAA", pieces[4:], pieces.lower()]
    reason = r"^the pieces of this part are damaged, or those of another part or file$"
    for each in wrong:
        forged = penstock.Split.from_dict({**part.as_dict(), "pieces": each})
        for read in (forged.load, forged.schema):
            with pytest.raises(ValueError, match=reason):
                read()
    for changes in ({"begin": part.begin + 1}, {"end": None}, {"text": 1}):
        with pytest.raises(ValueError, match=reason):
            penstock.Split.from_dict({**part.as_dict(), **changes}).load()


def test_pieces_of_a_file_that_has_changed_lead_to_an_error(tmp_path: Path) -> None:
    """Even if its size and its time are the same."""
    path = packed(tmp_path, "gz")
    part = penstock.split(path, parts=5)[2]
    about, content = path.stat(), path.read_bytes()
    for damaged in (content[1:] + b"\0", content[::-1], bytes(len(content))):
        path.write_bytes(damaged)
        os.utime(path, ns=(about.st_atime_ns, about.st_mtime_ns))
        with pytest.raises((ValueError, penstock.DecodeError)):
            part.load()


READ = """
import json, sys
import penstock

def read():
    with open("/proc/self/io") as io:
        return int(io.readline().split()[1])

part = penstock.Split.from_dict(json.loads(sys.argv[1]))
for _ in part.read():
    break
before = read()
count = sum(1 for _ in part.read())
print(count, read() - before)
"""


@pytest.mark.parametrize("suffix", ["gz", "zst", "xz"])
def test_how_much_of_a_file_is_read(suffix: str, tmp_path: Path) -> None:
    """The beginning, and the part. Before, the headers of all pieces, and for xz the index."""
    path = packed(tmp_path, suffix, 500_000)
    size = path.stat().st_size
    splits = penstock.split(path, parts=20)

    def told(part: penstock.Split) -> tuple[int, int]:
        arguments = [sys.executable, "-c", READ, json.dumps(part.as_dict())]
        out = subprocess.run(arguments, check=True, capture_output=True, text=True).stdout
        count, read = map(int, out.split())
        return count, read

    count, read = told(splits[10])
    assert count == splits[11].records_before - splits[10].records_before
    assert read < size / 20 + (1 << 20)
    again, whole = told(replace(splits[10], pieces=None))
    assert again == count
    assert read < whole
