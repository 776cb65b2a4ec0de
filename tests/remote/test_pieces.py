"""Where the pieces of a compressed file behind an address are: few requests find that."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

import penstock

if TYPE_CHECKING:
    from pathlib import Path

    import misbehaving

pytest.importorskip("obstore")

LINES = [random.Random(n).randbytes(500).hex() for n in range(2_000)]


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of BGZF with its index."""
    folder = tmp_path_factory.mktemp("pieces")
    (folder / "a.ndjson").write_text("".join(f'"{line}"\n' for line in LINES))
    penstock.recompress(folder / "a.ndjson", folder / "a.ndjson.gz", index=True)
    return folder / "a.ndjson.gz"


def test_an_index_beside_the_address(server: misbehaving.Server, packed: Path) -> None:
    address, served = server.add("/a.ndjson.gz?key=1", packed.read_bytes())
    index = packed.with_name(f"{packed.name}.gzi").read_bytes()
    _, beside = server.add("/a.ndjson.gz.gzi?key=1", index)
    expected = [(it.begin, it.end, it.records_before) for it in penstock.split(packed, parts=5)]
    reader = penstock.read(penstock.remote(address))
    first = [next(reader) for _ in range(1_999)]
    served.asked.clear()
    checkpoint = reader.checkpoint()
    # The first block and the last one, the blocks around the place, and the index.
    assert len(served.asked) <= 6
    assert beside.asked
    assert [*first, *penstock.read(penstock.remote(address), resume=checkpoint)] == LINES
    parts = penstock.split(penstock.remote(address), parts=5)
    assert [(it.begin, it.end, it.records_before) for it in parts] == expected
    beside.asked.clear()
    assert [line for part in parts for line in part.read(str)] == LINES
    # Each part holds what it needs.
    assert beside.asked == []


def test_an_index_that_is_none(server: misbehaving.Server, packed: Path) -> None:
    address, _ = server.add("/a.ndjson.gz", packed.read_bytes())
    _, beside = server.add("/a.ndjson.gz.gzi", b"<html>Where are you going?</html>")
    parts = penstock.split(penstock.remote(address), parts=5)
    assert len(parts) == 5
    # One that is refused is none: a store says so if there is no such file.
    beside.fail, beside.status = 1_000, 403
    assert penstock.split(penstock.remote(address), parts=5) == parts
    # One of another file is an error.
    beside.fail, beside.data = 0, bytes([1, *bytes(7), 9, *bytes(7), 9, *bytes(7)])
    (whole,) = penstock.split(penstock.remote(address), parts=5).whole.values()
    assert "the table of the gzip data contradicts it" in whole


def test_blocks_are_found_in_a_stream(server: misbehaving.Server, packed: Path) -> None:
    address, served = server.add("/a.ndjson.bgz", packed.read_bytes())
    reader = penstock.read(penstock.remote(address))
    next(reader)
    served.asked.clear()
    assert reader.checkpoint().records == 1
    # There are 31 blocks, and no request for each of them.
    assert packed.stat().st_size > 1_000_000
    assert len(served.asked) <= 12
