"""Files of bzip2 in parts, which begin with its blocks: at any bit of the file."""

from __future__ import annotations

import bz2
import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import penstock

SETTINGS = settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def rows(count: int) -> bytes:
    state, lines = 1, []
    for n in range(count):
        state = (state * 1_664_525 + 1_013_904_223) % (1 << 32)
        lines.append(f'{{"n": {n}, "name": "{state:x}"}}\n')
    return "".join(lines).encode()


ROWS = rows(40_000)


def in_streams(text: bytes, size: int, level: int) -> bytes:
    parts = (text[at : at + size] for at in range(0, len(text), size))
    return b"".join(bz2.compress(part, level) for part in parts)


FORMS = {
    "one stream": bz2.compress(ROWS, 1),
    "streams of one block": in_streams(ROWS, 100_000, 9),
    "streams of some blocks": in_streams(ROWS, 300_000, 1),
    "an empty stream first and last": bz2.compress(b"") + bz2.compress(ROWS, 2) + bz2.compress(b""),
}
each = pytest.mark.parametrize("form", list(FORMS))


def told(readers: Any, kind: Any = Any) -> tuple[list[Any], list[Any], Any]:
    """Return the records, the errors that were passed, and the one that ends them."""
    records: list[Any] = []
    errors: list[penstock.DecodeError] = []
    last = None
    try:
        for read in readers:
            records.extend(read(kind, errors=errors.append))
    except penstock.DecodeError as error:
        last = error
    # Where the text at hand ends differs, and so may an excerpt of what is no record any more.
    places = [(it.offset, it.line, it.column, it.record) for it in errors]
    return records, places, last and (type(last).__name__, str(last))


def whole(path: Path) -> Any:
    def read(kind: Any, **options: Any) -> Any:
        return penstock.read(path, kind, **options)

    return [read]


@each
@pytest.mark.parametrize("parts", [1, 2, 3, 7, 64])
def test_any_number_of_parts(form: str, parts: int, tmp_path: Path) -> None:
    path = tmp_path / "rows.ndjson.bz2"
    path.write_bytes(FORMS[form])
    splits = penstock.split(path, parts=parts)
    assert len(splits) == parts
    assert splits.whole == {}
    assert splits[0].text == len(ROWS)
    assert [row["n"] for part in splits for row in part.read()] == list(range(40_000))
    plain = tmp_path / "rows.ndjson"
    plain.write_bytes(ROWS)
    assert [part.start for part in penstock.split(plain, parts=parts)] == [
        it.start for it in splits
    ]
    for part in splits[1:]:
        assert part.pieces is not None
        assert len(part.pieces) < 80
    again = penstock.Split.from_dict(json.loads(json.dumps(splits[-1].as_dict())))
    assert again.load() == splits[-1].load()


@each
def test_any_number_of_threads_finds_the_same_parts(form: str, tmp_path: Path) -> None:
    path = tmp_path / "rows.ndjson.bz2"
    path.write_bytes(FORMS[form])
    alone = penstock.split(path, parts=9)
    for threads in (2, 3):
        assert penstock.split(path, parts=9, threads=threads) == alone
    with pytest.raises(ValueError, match="threads must be from 1 to 256"):
        penstock.split(path, threads=0)


@pytest.mark.parametrize("level", range(1, 10))
def test_all_levels(level: int, tmp_path: Path) -> None:
    path = tmp_path / "rows.ndjson.bz2"
    path.write_bytes(bz2.compress(ROWS, level) + bz2.compress(ROWS, 10 - level))
    splits = penstock.split(path, parts=4)
    assert [row["n"] for part in splits for row in part.read()] == [*range(40_000)] * 2


def test_a_part_whose_pieces_are_gone_finds_them_again(tmp_path: Path) -> None:
    path = tmp_path / "rows.ndjson.bz2"
    path.write_bytes(FORMS["one stream"])
    part = penstock.split(path, parts=3)[1]
    assert replace(part, pieces=None).load() == part.load()


def test_other_formats(tmp_path: Path) -> None:
    objects = [json.loads(line) for line in ROWS.splitlines()]
    items = "".join(f"<i n='{row['n']}'>{row['name']}</i>" for row in objects)
    table = "n,name\n" + "".join(f'{row["n"]},"{row["name"]}\n"\n' for row in objects)
    for name, text, at in [
        ("a.json", json.dumps({"them": objects}), "them/*"),
        ("a.xml", f"<l>{items}</l>", "l/i"),
        ("a.csv", table, None),
    ]:
        path = tmp_path / f"{name}.bz2"
        path.write_bytes(bz2.compress(text.encode(), 1))
        splits = penstock.split(path, parts=5, at=at)
        assert len(splits) == 5
        records = [record for part in splits for record in part.read()]
        assert records == list(penstock.read(path, at=at))


def test_a_dump_of_wikipedia(corpus: Callable[[str], Path]) -> None:
    path = corpus("xml/real/enwiki-pages-articles-sample.xml.bz2")
    at = "mediawiki/page"
    expected = [repr(page) for page in penstock.read(path, at=at)]
    splits = penstock.split(path, parts=6, at=at, threads=2)
    assert splits.whole == {}
    assert [repr(page) for part in splits for page in part.read()] == expected


def test_an_index_keeps_the_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "rows.ndjson.bz2"
    path.write_bytes(FORMS["one stream"])
    first = penstock.split(path, parts=6, index=True)
    monkeypatch.setattr(penstock._rust, "split_size", None)
    assert penstock.split(path, parts=6, index=True) == first
    parts = penstock.split(path, parts=40, index=True)
    assert [row["n"] for part in parts for row in part.read()] == list(range(40_000))


def test_there_is_no_checkpoint(tmp_path: Path) -> None:
    path = tmp_path / "rows.ndjson.bz2"
    path.write_bytes(FORMS["one stream"])
    reader = penstock.read(path)
    next(reader)
    reason = "there is no checkpoint: all of a bzip2 file must be decompressed to find its blocks"
    with pytest.raises(ValueError, match=f"^{reason}$"):
        reader.checkpoint()


def files(text: bytes) -> dict[str, bytes]:
    """Files with faults."""
    good = in_streams(text, 250_000, 1)
    middle = len(good) // 2
    stream = len(bz2.compress(text[:250_000], 1))
    last = stream + len(bz2.compress(text[250_000:500_000], 1))
    return {
        "a damaged block": good[:middle] + bytes([good[middle] ^ 1]) + good[middle + 1 :],
        "a damaged checksum": good[: last - 3] + bytes([good[last - 3] ^ 1]) + good[last - 2 :],
        "cut": good[:middle],
        "cut in a checksum": good[: last - 1],
        "garbage between streams": good[:stream] + b"garbage" + good[stream:],
        "another level": good[: stream + 3] + b"0" + good[stream + 4 :],
        "trailing garbage": good + b"garbage",
        "trailing zeros": good + bytes(8),
        "the start of a header": good + b"BZ",
    }


@pytest.mark.parametrize("what", list(files(ROWS)))
@pytest.mark.parametrize("parts", [2, 5, 64])
def test_faults_are_those_of_a_reader_from_the_start(what: str, parts: int, tmp_path: Path) -> None:
    path = tmp_path / "rows.ndjson.bz2"
    path.write_bytes(files(ROWS)[what])
    splits = penstock.split(path, parts=parts, threads=2)
    assert len(splits) > 1
    expected = told(whole(path))
    assert expected[2][0] in {"MalformedInput", "TruncatedInput"}
    assert told(part.read for part in splits) == expected


def test_a_file_that_changes_meanwhile(tmp_path: Path) -> None:
    """Even if its size and its time are the same: damage never gives other records."""
    path = tmp_path / "rows.ndjson.bz2"
    good = FORMS["streams of some blocks"]
    path.write_bytes(good)
    splits = penstock.split(path, parts=6)
    about = path.stat()
    records = [part.load() for part in splits]
    for at in range(1_000, len(good), len(good) // 25):
        path.write_bytes(good[:at] + bytes([good[at] ^ 0x10]) + good[at + 1 :])
        os.utime(path, ns=(about.st_atime_ns, about.st_mtime_ns))
        for part, expected in zip(splits, records, strict=True):
            try:
                found = part.load()
            except (ValueError, penstock.DecodeError):
                continue
            assert found == expected


def test_what_is_one_part(tmp_path: Path) -> None:
    path = tmp_path / "rows.ndjson.bz2"
    remedy = "penstock recompress makes one that can"
    one = f"a bzip2 file of one block cannot be split: {remedy}"
    damaged = "the bzip2 stream at byte 0 of the file is damaged, so it cannot be split"
    for content, why in [
        (bz2.compress(ROWS[:50_000]), one),
        (bz2.compress(b""), "the bzip2 file holds no text"),
        (bz2.compress(b"") * 2, "the bzip2 file holds no text"),
        (bz2.compress(ROWS, 9)[:1_000], damaged),
    ]:
        path.write_bytes(content)
        splits = penstock.split(path, parts=4)
        assert splits.whole == {str(path): why}
        assert told(part.read for part in splits) == told(whole(path))


def test_the_magic_number_of_a_block_in_its_data(tmp_path: Path) -> None:
    """A block says which bytes it has: those in 16 bits for each 16 bytes, here the number."""
    letters, state, lines = "BCGIOQSTWZ]^acfgiklo", 1, ["BCGIOQSTWZ]^,acfgiklo"]
    for _ in range(20_000):
        state = (state * 6_364_136_223_846_793_005 + 1) % (1 << 64)
        cell = "".join(letters[state >> at & 15] for at in range(8, 60, 4)) + "".join(
            letters[4 + (state >> at & 15)] for at in range(8, 40, 4)
        )
        lines.append(f"{cell},{cell[::2]}")
    text = "\n".join(lines).encode()
    packed = bz2.compress(text, 1)
    bits = bin(int.from_bytes(packed, "big"))
    magic = f"{0x314159265359:048b}"
    blocks = -(-len(text) // 99_981)
    assert bits.count(magic) == 2 * blocks
    path = tmp_path / "rows.csv.bz2"
    path.write_bytes(packed)
    for threads in (1, 2):
        splits = penstock.split(path, parts=8, threads=threads)
        assert len(splits) == 8
        assert [row for part in splits for row in part.read()] == list(penstock.read(path))


@SETTINGS
@given(
    streams=st.lists(
        st.tuples(st.integers(0, 4), st.integers(0, 400_000), st.integers(1, 9)), max_size=5
    ),
    damage=st.none() | st.floats(0, 1),
    parts=st.integers(1, 40),
    threads=st.integers(1, 2),
)
def test_any_streams(
    tmp_path: Path,
    streams: list[tuple[int, int, int]],
    damage: float | None,
    parts: int,
    threads: int,
) -> None:
    content = bytearray()
    for begin, length, level in streams:
        text = ROWS[begin * 50_000 : begin * 50_000 + length]
        content += bz2.compress(text, level)
    if damage is not None and content:
        content[int(damage * (len(content) - 1))] ^= 0x08
    path = tmp_path / "rows.ndjson.bz2"
    path.write_bytes(content)
    try:
        splits = penstock.split(path, parts=parts, threads=threads, format="ndjson")
    except penstock.DecodeError:
        # The planner meets it before the first record.
        assert told(whole(path))[2] is not None
        return
    assert told(part.read for part in splits) == told(whole(path))
