"""Bugs of sources that were fixed, by number."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import penstock


@pytest.mark.parametrize("size", [1, 3, 100])
def test_32_a_zstd_frame_that_is_shorter_than_it_declares_is_refused(size: int) -> None:
    # One segment of 31 bytes; a raw block of two bytes, and a last one without any.
    frame = b"\x28\xb5\x2f\xfd\x20\x1f" + b"\x10\0\0[]" + b"\x01\0\0"
    chunks = [frame[at : at + size] for at in range(0, len(frame), size)]
    with pytest.raises(penstock.MalformedInput, match="the zstd data is damaged"):
        penstock.json.load(chunks)


@pytest.mark.thread_unsafe(reason="it forks")
def test_510_a_forked_child_and_its_parent_read_on_in_the_same_file(tmp_path: Path) -> None:
    path = tmp_path / "numbers.ndjson"
    path.write_text("".join(f"{n}\n" for n in range(300_000)))
    reader = penstock.ndjson.read(path, int)
    assert next(reader) == 0
    child = os.fork()
    if child == 0:
        code = 1
        try:
            code = 0 if list(reader) == list(range(1, 300_000)) else 2
        finally:
            os._exit(code)
    # They used to share the place in the file, so that each missed the windows of the other.
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert list(reader) == list(range(1, 300_000))


def test_511_the_text_before_damage_does_not_depend_on_the_chunks(tmp_path: Path) -> None:
    path = tmp_path / "numbers.ndjson.zst"
    with penstock.write(path) as writer:
        writer.write_all({"n": n, "name": f"Zürich {n * n % 1_000_003}"} for n in range(40_000))
    data = bytearray(path.read_bytes())
    middle = len(data) * 2 // 3
    data[middle : middle + 40] = bytes(byte ^ 0x55 for byte in data[middle : middle + 40])
    ends = set()
    for size in (1_000, 10_000, len(data)):
        chunks = [bytes(data[at : at + size]) for at in range(0, len(data), size)]
        reader = penstock.ndjson.read(chunks)
        with pytest.raises(penstock.MalformedInput, match="the zstd data is damaged") as raised:
            sum(1 for _ in reader)
        ends.add((reader.progress.records, raised.value.offset))
    # The decoder lost what it had written in the call in which it found the damage.
    assert len(ends) == 1
    assert min(ends)[0] > 20_000
