"""`keep=`: a file is fetched once, whole or not at all."""

from __future__ import annotations

import multiprocessing
import os
import pickle
from pathlib import Path

import misbehaving
import pytest

import penstock

pytest.importorskip("obstore")

DATA = b"".join(b"%d\n" % n for n in range(60_000))


def files(folder: Path) -> list[str]:
    return sorted(
        path.name.partition(".")[2]
        for path in folder.rglob("*")
        if path.is_file() and path.name != ".lock"
    )


def count(address: str, folder: Path, size: int = 1 << 30) -> int:
    remote = penstock.remote(address, keep=folder, keep_bytes=size)
    return sum(1 for _ in penstock.ndjson.read(remote, int))


def test_it_is_fetched_once(server: misbehaving.Server, tmp_path: Path) -> None:
    address, served = server.add("/a.ndjson", DATA)
    assert count(address, tmp_path) == 60_000
    first = len(served.asked)
    assert count(address, tmp_path) == 60_000
    # It asks which state there is, and for nothing else.
    assert len(served.asked) == first + 1
    assert files(tmp_path) == ["a.ndjson"]
    served.tag, served.data = '"2"', b"1\n"
    assert count(address, tmp_path) == 1
    assert files(tmp_path) == ["a.ndjson", "a.ndjson"]


def test_whole_or_not_at_all(server: misbehaving.Server, tmp_path: Path) -> None:
    address, _ = server.add("/a.ndjson", DATA, ranges=False, cut=100_000, cuts=2)
    with (
        pytest.warns(penstock.RemoteWarning),
        pytest.raises(EOFError, match="the connection ended"),
    ):
        count(address, tmp_path)
    assert files(tmp_path) == []
    with pytest.warns(penstock.RemoteWarning):
        assert count(address, tmp_path) == 60_000


def test_what_is_kept_opens_without_a_network(tmp_path: Path) -> None:
    with misbehaving.Server() as server:
        address, _ = server.add("/a.ndjson", DATA)
        assert count(address, tmp_path) == 60_000
        server.shutdown()
    with pytest.warns(penstock.RemoteWarning, match="cannot be reached"):
        assert count(address, tmp_path) == 60_000
    with pytest.raises(OSError, match=r"a\.ndjson"):
        count(address, tmp_path / "other")


def test_a_server_that_refuses_is_no_missing_network(
    server: misbehaving.Server, tmp_path: Path
) -> None:
    address, served = server.add("/a.ndjson", DATA)
    count(address, tmp_path)
    served.fail, served.status = 1_000, 404
    with pytest.raises(FileNotFoundError):
        count(address, tmp_path)


def test_the_oldest_goes_first(server: misbehaving.Server, tmp_path: Path) -> None:
    for number, name in enumerate("abc"):
        address, _ = server.add(f"/{name}.ndjson", DATA)
        assert count(address, tmp_path, 2 * len(DATA)) == 60_000
        for path in tmp_path.rglob(f"*.{name}.ndjson"):
            os.utime(path, (number, number))
    assert files(tmp_path) == ["b.ndjson", "c.ndjson"]
    # One that is larger than the folder may be is read all the same.
    assert count(address, tmp_path, 1) == 60_000
    assert files(tmp_path) == ["c.ndjson"]


def test_files_of_the_caller_stay(server: misbehaving.Server, tmp_path: Path) -> None:
    """The folder may be one in which somebody has other files: whatever they are, they stay."""
    names = [
        "data.ndjson",
        "deep/er/data.ndjson",
        f"{'a' * 32}/mine.ndjson",
        f"{'b' * 40}/x",
        "c" * 32,
    ]
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"x" * 1_000)
        os.utime(tmp_path / name, (1, 1))
    address, _ = server.add("/a.ndjson", DATA)
    assert count(address, tmp_path, 1) == 60_000
    assert [name for name in names if not (tmp_path / name).exists()] == []


def test_what_a_killed_process_left_goes(server: misbehaving.Server, tmp_path: Path) -> None:
    address, served = server.add("/a.ndjson", DATA)
    assert count(address, tmp_path) == 60_000
    (mine,) = tmp_path.iterdir()
    (mine / "tmpabc.part").write_bytes(DATA)
    served.tag = '"2"'
    assert count(address, tmp_path) == 60_000
    assert files(tmp_path) == ["a.ndjson", "a.ndjson"]


def _count(address: str, folder: str) -> int:
    return count(address, Path(folder))


def test_processes_share_it(server: misbehaving.Server, tmp_path: Path) -> None:
    address, served = server.add("/a.ndjson", DATA, wait=0.02)
    context = multiprocessing.get_context("spawn")
    with context.Pool(2) as pool:
        assert pool.starmap(_count, [(address, str(tmp_path))] * 4) == [60_000] * 4
    whole = [each for each in served.asked if each and not each.startswith("bytes=0-")]
    assert len(whole) == len(set(whole))
    assert files(tmp_path) == ["a.ndjson"]


def test_parts_of_what_is_kept(server: misbehaving.Server, tmp_path: Path) -> None:
    address, _ = server.add("/a.ndjson", DATA)
    parts = penstock.split(penstock.remote(address, keep=tmp_path), parts=3)
    assert len(parts) == 3
    again = pickle.loads(pickle.dumps(list(parts)))
    assert [row for part in again for row in part.read(int)] == list(range(60_000))


def test_rows_of_what_is_kept(server: misbehaving.Server, tmp_path: Path) -> None:
    address, served = server.add("/a.ndjson", DATA)
    with penstock.ndjson.open(penstock.remote(address, keep=tmp_path), int) as rows:
        asked = len(served.asked)
        assert (rows[59_999], rows[3]) == (59_999, 3)
    assert len(served.asked) == asked
