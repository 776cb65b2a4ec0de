"""Compressed targets: read back by Penstock and by others, at each level."""

import bz2
import gzip
import io
import lzma
import os
import random
import shutil
import subprocess
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from folders import names

import penstock
from penstock._io.targets import open_target

ROWS = [{"id": number, "name": f"Zürich {number % 97}"} for number in range(5_000)]
TEXT = "".join(f'{{"id":{row["id"]},"name":"{row["name"]}"}}\n' for row in ROWS).encode()


def zstd(data: bytes) -> bytes:
    tool = shutil.which("zstd")
    if tool is None:
        pytest.skip("there is no zstd here to read it")
    return subprocess.run([tool, "-dcq"], input=data, capture_output=True, check=True).stdout


READ: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.decompress,
    "zstd": zstd,
    "bzip2": bz2.decompress,
    "xz": lzma.decompress,
}
SUFFIX = {"gzip": ".gz", "zstd": ".zst", "bzip2": ".bz2", "xz": ".xz"}
each = pytest.mark.parametrize("compression", READ)


def pack(data: bytes, cuts: int = 0, seed: int = 0, **options: Any) -> bytes:
    memory = io.BytesIO()
    places = random.Random(seed).choices(range(len(data)), k=cuts)
    ends = [*sorted(places), len(data)]
    with open_target("write", memory, **options) as target:
        for start, end in zip([0, *ends], ends, strict=False):
            target.write(data[start:end])
    assert (target.taken, target.given) == (len(data), len(memory.getvalue()))
    return memory.getvalue()


@each
def test_read_back(compression: Any, tmp_path: Path) -> None:
    data = pack(TEXT, compression=compression)
    assert READ[compression](data) == TEXT
    assert len(data) * 4 < len(TEXT)
    path = tmp_path / "rows"
    path.write_bytes(data)
    assert list(penstock.ndjson.read(path)) == ROWS
    assert list(penstock.ndjson.read(path, compression=compression)) == ROWS


@each
def test_any_pieces(compression: Any) -> None:
    for cuts in (3, 300):
        assert READ[compression](pack(TEXT, cuts, cuts, compression=compression)) == TEXT
    noise = random.Random(7).randbytes(300_000)
    assert READ[compression](pack(noise, 7, compression=compression)) == noise


@each
def test_each_level(compression: Any) -> None:
    levels: dict[str, Any] = {
        "gzip": range(10),
        "zstd": (-7, -1, 0, 1, 3, 9, 19),
        "bzip2": (1, 9),
        "xz": (0, 3, 6, 9),
    }
    data = TEXT[: TEXT.index(b'{"id":1500,')]
    sizes = []
    for level in levels[compression]:
        packed = pack(data, compression=compression, level=level)
        assert READ[compression](packed) == data
        assert list(penstock.ndjson.read([packed[:100], packed[100:]])) == ROWS[:1_500]
        sizes.append(len(packed))
    if compression in {"gzip", "zstd"}:  # For the others the text is too small.
        assert sizes[-1] < sizes[0] * 2 / 3


def test_the_highest_level_of_zstd_is_within_the_readers_limits() -> None:
    packed = pack(TEXT, compression="zstd", level=22)
    assert zstd(packed) == TEXT
    assert sum(1 for _ in penstock.ndjson.read([packed])) == len(ROWS)


@each
def test_nothing_is_a_whole_file(compression: Any) -> None:
    assert READ[compression](pack(b"", compression=compression)) == b""


@each
def test_the_same_text_gives_the_same_bytes(compression: Any) -> None:
    # No time, no name.
    assert pack(TEXT, 5, compression=compression) == pack(TEXT, 5, compression=compression)


def unfinished(compression: str, data: bytes) -> bytes:
    """What can be read of data that has no end yet."""
    if compression == "gzip":
        return zlib.decompressobj(31).decompress(data)
    if compression == "xz":
        return lzma.LZMADecompressor().decompress(data)
    if compression == "bzip2":
        return bz2.decompress(data)
    tool = shutil.which("zstd") or pytest.skip("there is no zstd here to read it")
    return subprocess.run([tool, "-dcq"], input=data, capture_output=True, check=False).stdout


@each
def test_flushed_bytes_can_be_read(compression: Any) -> None:
    memory = io.BytesIO()
    with open_target("write", memory, compression=compression) as target:
        for number in range(5):
            target.write(b"[%d]\n" % number)
            target.flush()
            target.flush()
            whole = b"".join(b"[%d]\n" % row for row in range(number + 1))
            assert unfinished(compression, memory.getvalue()) == whole
    assert READ[compression](memory.getvalue()) == whole


@each
def test_by_the_suffix_of_a_path(compression: Any, tmp_path: Path) -> None:
    for name in (f"rows.ndjson{SUFFIX[compression]}", f"ROWS{SUFFIX[compression].upper()}"):
        path = tmp_path / name
        with open_target("write", path) as target:
            target.write(TEXT)
        assert READ[compression](path.read_bytes()) == TEXT
        with open_target("write", path, compression=None) as target:
            target.write(TEXT)
        assert path.read_bytes() == TEXT
        with open_target("write", path, compression="gzip", level=1) as target:
            target.write(TEXT)
        assert gzip.decompress(path.read_bytes()) == TEXT
    link = tmp_path / "plain"
    link.symlink_to(path)
    with open_target("write", link) as target:  # The name that was passed counts.
        target.write(TEXT)
    assert path.read_bytes() == TEXT
    with open_target("write", tmp_path / f"rows{SUFFIX[compression]}.json") as target:
        target.write(TEXT)
    assert (tmp_path / f"rows{SUFFIX[compression]}.json").read_bytes() == TEXT


@pytest.mark.thread_unsafe(reason="the limit is the process's")
@pytest.mark.parametrize(("compression", "level"), [("xz", 9), ("zstd", 22)])
def test_no_memory_for_the_compressor(compression: Any, level: int, tmp_path: Path) -> None:
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        import resource

        size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (size + (6 << 20), resource.RLIM_INFINITY))
        try:
            with open_target(
                "write", tmp_path / "rows", compression=compression, level=level
            ) as target:
                target.write(TEXT)
        except BaseException as error:  # noqa: BLE001 - it is passed on
            os.write(writer, type(error).__name__.encode())
        os._exit(0)
    os.close(writer)
    _, status = os.waitpid(child, 0)
    with open(reader, "rb") as said:  # noqa: PTH123 - a descriptor
        assert (said.read(), status) == (b"MemoryError", 0)
    assert names(tmp_path) == []
