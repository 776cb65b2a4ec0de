"""Addresses in other processes."""

from __future__ import annotations

import multiprocessing
import os
import signal
from typing import TYPE_CHECKING

import pytest

import penstock

if TYPE_CHECKING:
    import misbehaving

pytest.importorskip("obstore")

DATA = b"".join(b"%d\n" % n for n in range(60_000))


@pytest.fixture
def address(server: misbehaving.Server) -> str:
    return server.add("/a.ndjson", DATA)[0]


def total(rows: penstock.Reader[int]) -> int:
    return sum(rows)


def killed(rows: penstock.Reader[int]) -> int:
    """Count the records of a part; the process that meets one of them is killed."""
    total = 0
    for row in rows:
        if row == 55_000:
            os.kill(os.getpid(), signal.SIGKILL)
        total += 1
    return total


def count(remote: penstock.Remote) -> int | str:
    try:
        return sum(1 for _ in penstock.ndjson.read(remote, int))
    except penstock.DecodeError as error:
        return str(error)


def test_map(address: str) -> None:
    results = penstock.map(penstock.remote(address), int, total, processes=2, bytes=100_000)
    assert sum(results) == sum(range(60_000))


def test_each_process_has_some_parts(server: misbehaving.Server) -> None:
    address, _ = server.add("/large.ndjson", DATA * 20)
    with penstock.map(penstock.remote(address), int, total, processes=2) as found:
        sizes = [part.end - part.begin for part in found.splits if part.end is not None]
    # As of a file by its path: an eighth of it, but not less than 1 MiB.
    assert len(sizes) == len(DATA) * 20 // (1 << 20)
    assert all(size < (1 << 20) + 100 for size in sizes)


def test_a_worker_that_is_killed(address: str) -> None:
    """What was done before is there, in order, and the other parts can be done again."""
    parts = penstock.split(penstock.remote(address), bytes=40_000)
    found = penstock.map(parts, int, killed, processes=2)
    got: list[int] = []
    with pytest.raises(RuntimeError) as caught:
        got.extend(found)
    message = str(caught.value)
    assert message.startswith("a worker process was killed. These parts are not done:\n")
    assert f"  {next(part for part in parts if part.records_before > 50_000)}"[:40] in message
    assert sum(got) == found.progress.records == parts[len(got)].records_before
    rest = [row for part in parts[len(got) :] for row in part.read(int)]
    assert [*range(sum(got)), *rest] == list(range(60_000))


def test_a_forked_child_says_why_it_cannot_ask(address: str) -> None:
    remote = penstock.remote(address)
    assert count(remote) == 60_000
    with multiprocessing.get_context("fork").Pool(1) as pool:
        told = pool.map_async(count, [remote]).get(timeout=60)
    assert "this process was forked from one that has read an address" in str(told[0])
