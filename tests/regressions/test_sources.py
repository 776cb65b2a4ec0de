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


def test_513_a_part_before_a_carriage_return(tmp_path: Path) -> None:
    """The reader of XML held it back at the end of the part, which failed."""
    path = tmp_path / "list.xml"
    path.write_bytes(b"<list>\r<i>1</i>\r\r<i>2</i>\r<i>3</i>\r</list>")
    parts = penstock.split(path, bytes=1)
    assert len(parts) == 3
    assert [part.load(int) for part in parts] == [[1], [2], [3]]


def test_514_the_excerpt_of_a_part_has_no_byte_order_mark(tmp_path: Path) -> None:
    """A part that began near the beginning of the file showed it."""
    path = tmp_path / "list.json"
    path.write_bytes(b'\xef\xbb\xbf[1, 2, "a"]')
    part = penstock.split(path, bytes=1)[-1]
    with pytest.raises(penstock.ValidationError) as caught:
        part.load(int)
    with pytest.raises(penstock.ValidationError) as expected:
        list(penstock.read(path, int))
    assert caught.value.excerpt == expected.value.excerpt


def test_516_a_part_before_a_bracket(tmp_path: Path) -> None:
    """The reader of XML held it back to see whether `]]>` comes, and the part failed."""
    path = tmp_path / "list.xml"
    path.write_bytes(b"<list>]<i>1</i>]]<i>2</i>]\r<i>3</i>]</list>")
    parts = penstock.split(path, bytes=1)
    assert len(parts) == 3
    assert [part.load(int) for part in parts] == [[1], [2], [3]]
