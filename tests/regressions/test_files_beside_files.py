"""Bugs of indexes and of files that change that were fixed, by number."""

from __future__ import annotations

import hashlib
import json
import os
import struct
import threading
import zlib
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path

import pytest

from penstock import DecodeError, ndjson, split
from penstock._base import sidecar as _sidecar
from penstock._parts import points as _points

LINES = b'{"at": 0}\n{"at": 1}\n{"at": 2}\n'
REFUSED = "index= names something else than an index, which Penstock does not replace"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "log.ndjson"
    path.write_bytes(LINES)
    return path


@pytest.mark.parametrize("other", [LINES, b"", b"{}", b"PENSTI", b"\0" * 100])
def test_140_an_index_replaces_no_other_file(path: Path, other: bytes) -> None:
    precious = path.with_name("precious")
    precious.write_bytes(other)
    for index in (path, str(path), precious, os.fsencode(precious)):
        with pytest.raises(FileExistsError, match=REFUSED) as raised:
            ndjson.open(path, index=index)  # type: ignore[arg-type]
        assert raised.value.filename == os.fsdecode(index)
    assert (path.read_bytes(), precious.read_bytes()) == (LINES, other)
    assert set(path.parent.iterdir()) == {path, precious}


def test_140_nor_what_is_no_regular_file(path: Path) -> None:
    folder, pipe, link, lost = (path.with_name(name) for name in ("dir", "pipe", "link", "lost"))
    index = path.with_name("index")
    ndjson.open(path, index=index).close()
    folder.mkdir()
    os.mkfifo(pipe)
    link.symlink_to(index)
    lost.symlink_to(path.with_name("none"))
    before = {each: each.lstat().st_ino for each in (folder, pipe, link, lost, index)}
    for other in (folder, pipe, link, lost, Path(os.devnull)):
        with pytest.raises(FileExistsError, match=REFUSED):
            ndjson.open(path, index=other)
    assert {each: each.lstat().st_ino for each in before} == before
    assert set(path.parent.iterdir()) == {path, *before}
    assert Path(os.devnull).is_char_device()


def test_140_nor_a_file_that_is_made_meanwhile(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    index, kept, times = path.with_name("index"), _sidecar.kept, count()

    def late(at: str, *magic: bytes) -> bytes | None:
        found = kept(at, *magic)
        if next(times) == 1:
            index.write_bytes(b"precious")
        return found

    monkeypatch.setattr(_sidecar, "kept", late)
    with pytest.raises(FileExistsError, match=REFUSED):
        ndjson.open(path, index=index)
    assert index.read_bytes() == b"precious"
    assert set(path.parent.iterdir()) == {path, index}


def test_140_a_file_system_may_have_no_links(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = _sidecar._write

    def refuse(at: str, index: bytes, *, new: bool) -> None:
        if new:
            raise PermissionError(1, "Operation not permitted", at)
        write(at, index, new=new)

    monkeypatch.setattr(_sidecar, "_write", refuse)
    index = path.with_name("index")
    assert len(ndjson.open(path, index=index)) == 3
    assert ndjson.open(path, index=index)._file.is_kept
    assert set(path.parent.iterdir()) == {path, index}


def test_140_the_unfinished_index_has_a_name_that_nobody_foresees(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names: list[str] = []
    close = os.close

    def spy(descriptor: int) -> None:
        names.extend(part.name for part in path.parent.glob("*.part"))
        close(descriptor)

    monkeypatch.setattr(os, "close", spy)
    for _ in range(3):
        ndjson.open(path, index=True)
        path.with_name("log.ndjson.penstock-index").unlink()
    assert len(set(names)) == len(names) == 3
    assert all(name.startswith(f"{path.name}.penstock-index.") for name in names)


@pytest.mark.thread_unsafe(reason="it starts many threads of its own")
@pytest.mark.parametrize("stale", [False, True])
def test_140_forty_open_one_file_at_once(path: Path, stale: bool) -> None:
    index = path.with_name("index")
    if stale:
        ndjson.open(path, index=index).close()
        with path.open("ab") as file:
            file.write(b'{"at": 3}\n')
    expected = [{"at": at} for at in range(4 if stale else 3)]
    ready = threading.Barrier(40)

    def ask(_: int) -> object:
        ready.wait()
        with ndjson.open(path, index=index) as rows:
            return list(rows)

    with ThreadPoolExecutor(40) as pool:
        assert list(pool.map(ask, range(40))) == [expected] * 40
    assert set(path.parent.iterdir()) == {path, index}
    assert ndjson.open(path, index=index)._file.is_kept


@pytest.mark.thread_unsafe(reason="it forks")
def test_140_and_forty_processes(path: Path) -> None:
    index = path.with_name("index")
    children = []
    for _ in range(40):
        child = os.fork()
        if child == 0:
            try:
                os._exit(0 if len(ndjson.open(path, index=index)) == 3 else 1)
            finally:
                os._exit(2)
        children.append(child)
    assert [os.waitpid(child, 0)[1] for child in children] == [0] * 40
    assert set(path.parent.iterdir()) == {path, index}


def test_141_an_index_that_claims_more_records_than_the_file_has_room_for(path: Path) -> None:
    index = path.with_name("index")
    ndjson.open(path, index=index).close()
    forged = bytearray(index.read_bytes()[:-4])
    # One mark, then 2 to the power of 62 records up to the next.
    forged[28:] = struct.pack("<QBBB", 1 << 62, 62, 0, 1)
    index.write_bytes(bytes(forged) + struct.pack("<I", zlib.crc32(forged)))
    rows = ndjson.open(path, index=index)
    assert len(rows) == 3
    assert rows[2] == {"at": 2}
    with pytest.raises(IndexError, match="record 2305843009213693952 of 3"):
        rows[2**61]
    assert ndjson.open(path, index=index)._file.is_kept


@pytest.mark.thread_unsafe(reason="it writes into its file in a thread of its own")
def test_142_a_line_that_is_rewritten_while_it_is_read(path: Path) -> None:
    size = 6 << 20
    whole = [b'"%s"' % (letter * size) for letter in (b"a", b"b")]
    seen: set[str | None] = set()
    for turn in range(12):
        path.write_bytes(whole[0] + b"\n")
        # So old that each change shows, however coarse the clock of the file system.
        os.utime(path, (0, 0))
        with ndjson.open(path) as rows, path.open("r+b", buffering=0) as file:
            begun = threading.Event()

            def rewrite(file: object = file, begun: threading.Event = begun) -> None:
                begun.set()
                for at in range(0, size, 64 << 10):
                    os.pwrite(file.fileno(), whole[1][at : at + (64 << 10)], at)  # type: ignore[attr-defined]
                os.pwrite(file.fileno(), whole[1][size:], size)  # type: ignore[attr-defined]

            writer = threading.Thread(target=rewrite)
            writer.start()
            begun.wait()
            try:
                found = rows.raw(0) if turn % 2 else rows[0].encode()
            except DecodeError as error:
                seen.add(error.reason)
            else:
                assert found.strip(b'"') == b"a" * size
            writer.join()
    assert seen <= {"the file has changed since it was opened: open it again"}


@pytest.mark.parametrize("lost", ["of", "text", "starts", "why", "start"])
def test_521_points_of_parts_that_lack_something(path: Path, lost: str) -> None:
    """A file whose hash is right, and which lacks something, was a KeyError."""
    split(path, parts=2, index=True)
    kept = path.with_name(path.name + _points.SUFFIX)
    head, check = len(_points.MAGIC) + 1, _points.CHECK
    known = json.loads(kept.read_bytes()[head + check :])
    if lost == "start":
        known["starts"] = [[1]]
    else:
        del known[lost]
    body = json.dumps(known).encode()
    hashed = hashlib.blake2b(body, digest_size=check).digest()
    kept.write_bytes(kept.read_bytes()[:head] + hashed + body)
    with pytest.raises(ValueError, match=f"^{kept} is damaged: if you delete it, split"):
        split(path, parts=2, index=True)
