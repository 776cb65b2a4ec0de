"""Compressed sources: recognised by their first bytes, read to the last member, never half."""

import bz2
import gzip
import json
import lzma
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import penstock
from penstock import DecodeError, LimitExceeded, Limits, MalformedInput, TruncatedInput

Pack = Callable[[bytes], bytes]
PACKS: dict[str, Pack] = {"gzip": gzip.compress, "bzip2": bz2.compress, "xz": lzma.compress}
ROWS = [{"n": n, "name": f"Zürich {n}"} for n in range(200)]
DATA = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in ROWS).encode()
TESTDATA = Path(__file__).parents[2] / "testdata" / "zstd"
each_pack = pytest.mark.parametrize("name", PACKS)


def read(data: bytes, *cuts: int, **options: Any) -> list[Any]:
    ends = [*sorted(cuts), len(data)]
    pieces = [data[a:b] for a, b in zip([0, *ends], ends, strict=False)]
    return list(penstock.ndjson.read(pieces, **options))


@pytest.fixture(scope="module")
def packed() -> dict[str, bytes]:
    """The rows in two members of each kind."""
    half = len(DATA) // 2
    made = {name: pack(DATA[:half]) + pack(DATA[half:]) for name, pack in PACKS.items()}
    made["zstd"] = (TESTDATA / "frames.ndjson.zst").read_bytes()
    return made


each = pytest.mark.parametrize("name", ["gzip", "bzip2", "xz", "zstd"])


@each
def test_all_members(name: str, packed: dict[str, bytes], tmp_path: Path) -> None:
    data = packed[name]
    assert read(data) == read(data, compression=name) == penstock.ndjson.load([data]) == ROWS
    path = tmp_path / "rows.dat"  # The contents count, not the name.
    path.write_bytes(data)
    assert list(penstock.ndjson.read(path)) == penstock.ndjson.load(path) == ROWS
    with path.open("rb") as file:
        assert list(penstock.ndjson.read(file)) == ROWS
    reader = penstock.ndjson.read(path)
    assert sum(1 for _ in reader) == 200
    assert reader.progress.bytes_read == len(data)


@each
def test_byte_by_byte(name: str, packed: dict[str, bytes]) -> None:
    assert read(packed[name], *range(1, len(packed[name]))) == ROWS


@each
@given(cuts=st.lists(st.integers(min_value=0, max_value=1500), max_size=9))
def test_any_chunks(name: str, packed: dict[str, bytes], cuts: list[int]) -> None:
    data = packed[name]
    assert read(data, *(cut for cut in cuts if cut < len(data))) == ROWS


@each
def test_cut_short(name: str, packed: dict[str, bytes]) -> None:
    data = packed[name]
    places = {*range(12), *range(12, len(data), 31), *range(len(data) - 9, len(data))}
    whole = 0
    for place in sorted(places):
        rows = []
        with pytest.raises(DecodeError) as caught:  # noqa: PT012 - the rows before it count
            rows.extend(row for row in penstock.ndjson.read([data[:place]], compression=name))
            # A cut between two members, or before the first, leaves a complete file.
            whole += 1
            raise DecodeError("complete")
        assert type(caught.value) in {TruncatedInput, DecodeError}, place
        assert rows == ROWS[: len(rows)]
    assert whole <= 1


@each
def test_a_member_cut_short_is_no_end(name: str, packed: dict[str, bytes]) -> None:
    with pytest.raises(TruncatedInput) as caught:
        read(packed[name][:-3])
    assert caught.value.reason == f"the {name} data ends early"
    assert caught.value.offset is not None
    assert caught.value.offset <= len(DATA)


@each
def test_damage_is_found(name: str, packed: dict[str, bytes]) -> None:
    data = packed[name]
    found = 0
    places = range(20, len(data) - 1, 7)
    for place in places:
        bad = bytearray(data)
        bad[place] ^= 0x55
        try:
            rows = read(bytes(bad), compression=name)
        except DecodeError:
            found += 1
        else:
            # Some bytes do not affect the data: a time stamp, the contents of a skippable frame.
            assert rows == ROWS, place
    assert found > len(places) * 0.8


@each
def test_something_else_behind(name: str, packed: dict[str, bytes]) -> None:
    with pytest.raises(MalformedInput) as caught:
        read(packed[name] + b"{}")
    assert caught.value.reason == f"the {name} data is followed by something else"
    assert caught.value.offset == len(DATA)


def test_padding() -> None:
    assert read(gzip.compress(DATA) + b"\0" * 700) == ROWS
    assert read(gzip.compress(DATA) + b"\0" * 3 + gzip.compress(b"7")) == [*ROWS, 7]
    assert read(lzma.compress(DATA) + b"\0" * 8 + lzma.compress(b"7")) == [*ROWS, 7]
    with pytest.raises(MalformedInput, match="padding is not a multiple of four bytes"):
        read(lzma.compress(DATA) + b"\0" * 3)


@each_pack
def test_no_bytes_inside(name: str) -> None:
    assert read(PACKS[name](b"")) == []
    with pytest.raises(TruncatedInput, match="the input is empty"):
        penstock.json.load([PACKS[name](b"")])


@each_pack
def test_another_compression_than_was_said(name: str) -> None:
    other = next(other for other in PACKS if other != name)
    with pytest.raises(DecodeError, match=f"this is {name} data, not {other} data"):
        read(PACKS[name](DATA), compression=other)
    with pytest.raises(DecodeError):
        read(PACKS[name](DATA), compression=None)


def test_what_only_looks_like_a_mark() -> None:
    for data in (b"\x1f", b"\x1f\x8b", b"(", b"BZh", b"BZh9", b"PK", b"\xfd7zX"):
        with pytest.raises(DecodeError):
            read(data)
    assert penstock.json.load([b'"', b'BZh91AY&SY"']) == "BZh91AY&SY"


def test_compressed_in_another_encoding() -> None:
    text = '["é東"]'
    packed = gzip.compress(text.encode("utf-16"))
    assert penstock.json.load([packed], encoding="utf-16") == ["é東"]
    with pytest.raises(MalformedInput, match="this looks like UTF-16"):
        penstock.json.load([packed])


def test_positions_are_those_of_the_text() -> None:
    text = '[1,\n"é", x]'.encode()
    for pack in PACKS.values():
        for data in (pack(text), pack(text[:5]) + pack(text[5:])):
            with pytest.raises(MalformedInput) as caught:
                penstock.json.load([data])
            error = caught.value
            assert (error.offset, error.line, error.column) == (len(text) - 2, 2, 6)


# --- Limits ------------------------------------------------------------------------------------


def test_the_ratio_is_limited() -> None:
    bomb = TESTDATA / "spaces-64mib.json.zst"
    with pytest.raises(LimitExceeded, match=r"more than 500 times its size \(limits\.ratio\)"):
        penstock.json.load(bomb)
    assert penstock.json.load(bomb, limits=Limits(ratio=None)) == [1]
    # Deflate reaches 1,030: a bomb of blanks is refused whatever it is packed with.
    packed = gzip.compress(b"[" + b" " * (20 << 20) + b"1]")
    with pytest.raises(LimitExceeded, match=r"more than 500 times its size \(limits\.ratio\)"):
        penstock.json.load([packed])
    assert penstock.json.load([packed], limits=Limits(ratio=1100)) == [1]
    # Little data is not checked: a few kilobytes of the same byte are no bomb.
    assert read(gzip.compress(b" " * 100_000 + b"1"), limits=Limits(ratio=1)) == [1]


def test_the_window_is_limited() -> None:
    path = TESTDATA / "window-4mib.json.zst"
    assert penstock.json.load(path) == [1, 2, 3]
    assert penstock.json.load(path, limits=Limits(window=4 << 20)) == [1, 2, 3]
    with pytest.raises(
        LimitExceeded, match=r"window of more than 1048576 bytes \(limits\.window\)"
    ):
        penstock.json.load(path, limits=Limits(window=1 << 20))
    large = lzma.compress(b"[1]", filters=[{"id": lzma.FILTER_LZMA2, "dict_size": 16 << 20}])
    assert penstock.json.load([large]) == [1]
    with pytest.raises(
        LimitExceeded, match=r"window of more than 1048576 bytes \(limits\.window\)"
    ):
        penstock.json.load([large], limits=Limits(window=1 << 20))


def test_the_total_is_that_of_the_text() -> None:
    for pack in PACKS.values():
        assert len(read(pack(DATA), limits=Limits(total=len(DATA)))) == 200
        with pytest.raises(LimitExceeded, match=r"limits\.total") as caught:
            read(pack(DATA), limits=Limits(total=len(DATA) - 1))
        assert caught.value.offset == len(DATA) - 1
