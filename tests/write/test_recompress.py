"""`recompress`: files in pieces that other tools read, and that stay what they were."""

import bz2
import gzip
import io
import lzma
import re
import shutil
import struct
import subprocess
import zlib
from pathlib import Path
from typing import Any

import pytest

import penstock

LINES = b"".join(b'{"id": %d, "name": "n%d"}\n' % (n, n * n % 97) for n in range(60_000))
ZSTD = Path(__file__).parents[2] / "testdata/frames/rows.ndjson.zst"


def blocks(data: bytes) -> list[tuple[int, bytes]]:
    """Where each block of BGZF begins, and its text."""
    found, at = [], 0
    while at < len(data):
        assert data[at : at + 4] == b"\x1f\x8b\x08\x04"
        assert data[at + 10 : at + 16] == b"\x06\0BC\x02\0"
        size = int.from_bytes(data[at + 16 : at + 18], "little") + 1
        assert size <= 65536
        text = zlib.decompress(data[at + 18 : at + size - 8], -15)
        assert struct.unpack("<II", data[at + size - 8 : at + size]) == (
            zlib.crc32(text),
            len(text),
        )
        found.append((at, text))
        at += size
    assert found[-1][1] == b""
    return found


def frames(data: bytes) -> list[tuple[int, int]]:
    """The sizes of the frames, from the seek table."""
    count, flags, magic = struct.unpack("<IBI", data[-9:])
    assert (flags, magic) == (0, 0x8F92EAB1)
    table = len(data) - 9 - 8 * count
    assert struct.unpack("<II", data[table - 8 : table]) == (0x184D2A5E, 8 * count + 9)
    sizes = list(struct.iter_unpack("<II", data[table:-9]))
    assert sum(size for size, _ in sizes) == table - 8
    return sizes


def test_blocks_end_where_lines_end(tmp_path: Path) -> None:
    target = tmp_path / "a.ndjson.gz"
    done = penstock.recompress(io.BytesIO(LINES), target)
    data = target.read_bytes()
    assert (done.bytes_read, done.bytes, done.bytes_written) == (
        len(LINES),
        len(LINES),
        len(data),
    )
    texts = [text for _, text in blocks(data)]
    assert b"".join(texts) == LINES == gzip.decompress(data)
    assert all(text.endswith(b"\n") and len(text) <= 65280 for text in texts[:-1])
    assert all(len(text) > 32640 for text in texts[:-2])
    assert not (tmp_path / "a.ndjson.gz.gzi").exists()


def test_frames_end_where_lines_end(tmp_path: Path) -> None:
    target = tmp_path / "a.ndjson.zst"
    penstock.recompress(io.BytesIO(LINES), target)
    end, data = 0, target.read_bytes()
    sizes = frames(data)
    assert len(sizes) == 2
    for _, size in sizes:
        end += size
        assert LINES[:end].endswith(b"\n")
        assert size <= 1 << 20
    assert end == len(LINES)
    assert sum(1 for _ in penstock.read(target)) == 60_000
    if (zstd := shutil.which("zstd")) is not None:
        done = subprocess.run([zstd, "-dc", target], capture_output=True, check=True)
        assert done.stdout == LINES


def test_the_index_of_the_blocks(tmp_path: Path) -> None:
    target = tmp_path / "a.ndjson.bgz"
    penstock.recompress(io.BytesIO(LINES), target, index=True)
    found, text = [], 0
    for at, piece in blocks(target.read_bytes())[:-1]:
        found.append((at, text))
        text += len(piece)
    index = (tmp_path / "a.ndjson.bgz.gzi").read_bytes()
    assert struct.unpack("<Q", index[:8]) == (len(found) - 1,)
    assert list(struct.iter_unpack("<QQ", index[8:])) == found[1:]


def test_line_feeds_in_quotes_end_no_row(tmp_path: Path) -> None:
    rows = b"".join(b'%d,"a\nb ""c""\n"\n' % n for n in range(40_000))
    for name, options in (("a.csv", {}), ("a", {"format": "csv"})):
        source, target = tmp_path / name, tmp_path / "b.gz"
        source.write_bytes(rows)
        penstock.recompress(source, target, **options)  # type: ignore[arg-type]
        texts = [text for _, text in blocks(target.read_bytes())]
        assert b"".join(texts) == rows
        assert len(texts) > 8
        assert all(text.endswith(b'\n"\n') for text in texts[:-1])


def test_whatever_is_written_to_bgz_is_in_blocks(tmp_path: Path) -> None:
    path = tmp_path / "a.ndjson.bgz"
    penstock.dump([{"n": n} for n in range(20_000)], path)
    written = gzip.decompress(path.read_bytes())
    assert len(blocks(path.read_bytes())) == 5
    penstock.dump([{"n": 20_000}], path, append=True)
    with penstock.write(path, append=True) as writer:
        writer.write({"n": 20_001})
    texts = [text for _, text in blocks(path.read_bytes())]
    assert b"".join(texts) == written + b'{"n":20000}\n{"n":20001}\n'
    assert [row["n"] for row in penstock.read(path)] == list(range(20_002))
    penstock.convert(path, tmp_path / "a.json.BGZ")
    assert len(penstock.load(tmp_path / "a.json.BGZ")) == 20_002
    assert blocks((tmp_path / "a.json.BGZ").read_bytes())[-1][1] == b""


def test_long_lines_are_cut_anywhere(tmp_path: Path) -> None:
    penstock.recompress(io.BytesIO(b"x" * 200_000), tmp_path / "a.gz")
    lengths = [len(text) for _, text in blocks((tmp_path / "a.gz").read_bytes())]
    assert lengths == [65280, 65280, 65280, 4160, 0]


@pytest.mark.parametrize("to", ["gzip", "zstd"])
@pytest.mark.parametrize(
    "text",
    [b"", b"\xef\xbb\xbf{}", '\ufeff{"a": "ü"}\n'.encode("utf-16-le"), bytes(range(256)) * 99],
    ids=["nothing", "mark", "utf-16", "no text"],
)
def test_bytes_stay_what_they_are(text: bytes, to: Any) -> None:
    packed = io.BytesIO()
    assert penstock.recompress(io.BytesIO(text), packed, to=to).bytes == len(text)
    again = io.BytesIO()
    penstock.recompress(io.BytesIO(packed.getvalue()), again, to="gzip")
    assert gzip.decompress(again.getvalue()) == text


def test_every_compression_is_read(tmp_path: Path) -> None:
    rows = gzip.decompress(ZSTD.with_suffix(".gz").read_bytes())
    for name, data in {
        "a.gz": gzip.compress(rows),
        "a.bz2": bz2.compress(rows),
        "a.xz": lzma.compress(rows),
        "a.zst": ZSTD.read_bytes(),
        "a": rows,
    }.items():
        (tmp_path / name).write_bytes(data)
        done = penstock.recompress(tmp_path / name, tmp_path / "b.gz")
        assert (done.bytes_read, done.bytes) == (len(data), len(rows)), name
        assert gzip.decompress((tmp_path / "b.gz").read_bytes()) == rows


def test_levels(tmp_path: Path) -> None:
    sizes = [
        penstock.recompress(io.BytesIO(LINES), tmp_path / "a.gz", level=level).bytes_written
        for level in (0, 1, 9)
    ]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] > len(LINES)


def test_the_target_may_be_the_source(tmp_path: Path) -> None:
    path = tmp_path / "a.ndjson.gz"
    path.write_bytes(gzip.compress(LINES))
    penstock.recompress(path, path)
    assert len(blocks(path.read_bytes())) > 20


def test_a_function_takes_the_bytes() -> None:
    chunks: list[bytes] = []
    penstock.recompress([LINES[:5], LINES[5:]], chunks.append, to="gzip")
    assert gzip.decompress(b"".join(chunks)) == LINES


def test_the_old_file_stays_if_the_source_is_damaged(tmp_path: Path) -> None:
    source, target = tmp_path / "a.ndjson.gz", tmp_path / "b.zst"
    source.write_bytes(gzip.compress(LINES)[:-9])
    target.write_bytes(b"old")
    with pytest.raises(penstock.TruncatedInput) as caught:
        penstock.recompress(source, target)
    # The last bytes of the text are in the bytes that lack.
    offset = caught.value.offset
    assert offset is not None
    assert len(LINES) - 300 < offset <= len(LINES)
    assert str(caught.value) == f"{source}:byte {offset}: the gzip data ends early"
    assert caught.value.format is None
    assert target.read_bytes() == b"old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.ndjson.gz", "b.zst"]


def test_limits(tmp_path: Path) -> None:
    limits = penstock.Limits(total=1_000_000)
    with pytest.raises(penstock.LimitExceeded) as caught:
        penstock.recompress(io.BytesIO(LINES), tmp_path / "a.gz", limits=limits)
    assert str(caught.value) == (
        "byte 1000000: the source is longer than 1000000 bytes (limits.total)"
    )


def test_a_source_that_raises(tmp_path: Path) -> None:
    class Broken(io.RawIOBase):
        def readinto(self, _buffer: object) -> int:
            raise OSError("the cable was cut")

    with pytest.raises(penstock.DecodeError) as caught:
        penstock.recompress(Broken(), tmp_path / "a.gz")
    assert str(caught.value) == "reading failed: OSError: the cable was cut"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("target", "options", "message"),
    [
        (
            "a.xz",
            {},
            "cannot tell the compression of 'a.xz': end it in .gz, .bgz or .zst, or pass to=",
        ),
        (io.BytesIO(), {}, "a target without a path has no suffix: pass to='gzip' or to='zstd'"),
        ("a.gz", {"to": "xz"}, "to must be 'gzip' or 'zstd', not 'xz'"),
        ("a.zst", {"index": True}, "index= is for gzip: a file of zstd has a seek table"),
        (io.BytesIO(), {"index": True, "to": "gzip"}, "index= needs a target with a path"),
        ("a.gz", {"level": 10}, "level must be from 0 to 9 for gzip, not 10"),
        (
            "a.gz",
            {"format": "yaml"},
            "format='yaml' is not a format: 'json', 'ndjson', 'xml', 'csv' and 'plist' are",
        ),
    ],
)
def test_options_that_do_not_fit(target: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        penstock.recompress(io.BytesIO(b""), target, **options)
    assert not isinstance(target, str) or not Path(target).exists()
