"""Addresses in other processes."""

from __future__ import annotations

import multiprocessing
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


def count(remote: penstock.Remote) -> int | str:
    try:
        return sum(1 for _ in penstock.ndjson.read(remote, int))
    except penstock.DecodeError as error:
        return str(error)


def test_map(address: str) -> None:
    results = penstock.map(penstock.remote(address), int, total, processes=2, bytes=100_000)
    assert sum(results) == sum(range(60_000))


def test_a_forked_child_says_why_it_cannot_ask(address: str) -> None:
    remote = penstock.remote(address)
    assert count(remote) == 60_000
    with multiprocessing.get_context("fork").Pool(1) as pool:
        told = pool.map_async(count, [remote]).get(timeout=60)
    assert "this process was forked from one that has read an address" in str(told[0])
