"""`dump`, `encode` of all formats, and `Encoder.chunks`."""

import gzip
import io
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from folders import names

import penstock
from penstock import EncodeError


@dataclass
class Row:
    n: int


def test_dump_is_encode_to_a_file(tmp_path: Path) -> None:
    value = {"rows": [Row(1), Row(2)], "é": None}
    path = tmp_path / "v.json"
    penstock.dump(value, path)
    assert path.read_bytes() == penstock.json.encode(value)
    penstock.json.dump(value, path, indent=2, sort_keys=True, ascii=True)
    assert path.read_bytes() == penstock.json.encode(value, indent=2, sort_keys=True, ascii=True)
    penstock.json.dump((Row(n) for n in range(3)), path, list[Row])
    assert path.read_bytes() == b'[{"n":0},{"n":1},{"n":2}]'
    penstock.dump([Row(1)], path, list[Row], format="ndjson", omit="none")
    assert path.read_bytes() == b'{"n":1}\n'
    penstock.dump([Row(1)], tmp_path / "v.ndjson.gz", list[Row], level=9)
    assert gzip.decompress((tmp_path / "v.ndjson.gz").read_bytes()) == b'{"n":1}\n'
    file = io.BytesIO()
    penstock.ndjson.dump(range(2), file, framing="sequence")
    assert file.getvalue() == b"\x1e0\n\x1e1\n"


def test_a_value_that_cannot_be_written(tmp_path: Path) -> None:
    path = tmp_path / "v.json"
    path.write_bytes(b"old")
    value = [*range(200_000), object()]
    with pytest.raises(EncodeError, match=r"^\[200000\]: object cannot be written"):
        penstock.dump(value, path)
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == ["v.json"]
    # What is no file at a path keeps what it got.
    chunks: list[bytes] = []
    with pytest.raises(EncodeError):
        penstock.json.dump(value, chunks.append)
    text = b"".join(chunks)
    assert len(text) > 1_000_000
    assert penstock.json.encode(value[:-1]).startswith(text)


def test_a_value_is_not_held_in_memory(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource")
    path = tmp_path / "v.json"
    line = "x" * 1_000
    penstock.json.dump((line for _ in range(1_000)), path, list[str])
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    penstock.json.dump((line for _ in range(100_000)), path, list[str])
    with penstock.write(path) as writer:
        writer.write_all(line for _ in range(100_000))
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert path.stat().st_size > 100_000_000
    assert grown < 8_000 if sys.platform == "linux" else grown < 8_000_000


def test_encode_of_all_formats() -> None:
    assert penstock.encode([Row(1)], format="json") == b'[{"n":1}]'
    assert penstock.encode([Row(1)], list[Row], format="ndjson") == b'{"n":1}\n'
    with pytest.raises(TypeError) as raised:
        penstock.encode([Row(1)], Row, format="ndjson")
    assert str(raised.value) == (
        "encode() of NDJSON takes a list: pass list[Row], or call penstock.ndjson.encode() with Row"
    )
    with pytest.raises(TypeError, match="missing 1 required keyword-only argument: 'format'"):
        penstock.encode([])  # type: ignore[call-arg]
    assert penstock.encode([{"a": 1}], list[dict[str, int]], format="csv") == b"a\n1\n"
    with pytest.raises(ValueError, match=r"^omit= leaves out members of objects, and a row has"):
        penstock.encode([], format="csv", omit="none")


def test_the_record_in_an_error() -> None:
    rows: Any = [Row(1), Row("x")]  # type: ignore[arg-type]
    with pytest.raises(EncodeError) as raised:
        penstock.ndjson.encode(rows)
    error = raised.value
    assert str(error) == "n: expected int, got str (record 2)"
    assert (error.reason, error.path, error.record) == ("expected int, got str", "n", 2)
    with pytest.raises(EncodeError) as raised:
        penstock.json.encode(rows)
    assert raised.value.record is None
    assert str(raised.value) == "[1].n: expected int, got str"


# Chunks.


@pytest.mark.parametrize(
    ("encoder", "text"),
    [
        (penstock.json.Encoder(Row), b'[{"n":0},{"n":1},{"n":2}]'),
        (penstock.ndjson.Encoder(Row), b'{"n":0}\n{"n":1}\n{"n":2}\n'),
        (penstock.json.Encoder(indent=1), b'[\n {\n  "n": 0\n },\n {\n  "n": 1\n },\n'),
    ],
)
def test_chunks(encoder: Any, text: bytes) -> None:
    rows = [Row(0), Row(1), Row(2)]
    for size in (1, 8, 20, 10_000):
        chunks = list(encoder.chunks(iter(rows), size=size))
        assert b"".join(chunks).startswith(text)
        assert all(len(chunk) >= size for chunk in chunks[:-1])
    assert len(list(encoder.chunks(rows))) == 1
    assert b"".join(encoder.chunks([])) in {b"", b"[]", b"[]\n"}
    with pytest.raises(ValueError, match=r"^size must be at least 1$"):
        encoder.chunks(rows, size=0)


def test_chunks_come_as_records_do() -> None:
    asked: list[int] = []

    def rows() -> Iterator[Row]:
        for n in range(10):
            asked.append(n)
            yield Row(n)

    chunks = penstock.ndjson.Encoder(Row).chunks(rows(), size=1)
    assert next(chunks) == b'{"n":0}\n'
    assert asked == [0]
    assert next(chunks) == b'{"n":1}\n'
    assert asked == [0, 1]


@pytest.mark.parametrize("error", [LookupError("mine"), KeyboardInterrupt()])
def test_an_error_comes_after_the_records_before_it(error: BaseException) -> None:
    def rows() -> Iterator[Row]:
        yield Row(0)
        yield Row(1)
        raise error

    chunks = penstock.ndjson.Encoder(Row).chunks(rows())
    if isinstance(error, Exception):
        assert next(chunks) == b'{"n":0}\n{"n":1}\n'
    with pytest.raises(type(error)) as raised:
        next(chunks)
    assert raised.value is error
    assert list(chunks) == []
    chunks = penstock.json.Encoder(Row).chunks([Row(0), Row("x")])  # type: ignore[arg-type]
    assert next(chunks) == b'[{"n":0}'
    with pytest.raises(EncodeError, match=r"^n: expected int, got str \(record 2\)$"):
        next(chunks)
    assert list(chunks) == []


def test_code_that_uses_the_chunks_that_call_it() -> None:
    def rows() -> Iterator[int]:
        yield 1
        next(chunks)

    chunks = penstock.ndjson.Encoder().chunks(rows())
    assert next(chunks) == b"1\n"
    with pytest.raises(RuntimeError) as raised:
        next(chunks)
    assert str(raised.value) == (
        "these chunks are already being made: in another thread, or in code that is called for them"
    )


def test_chunks_and_the_encoder_do_not_disturb_each_other() -> None:
    encoder = penstock.json.Encoder(Row)
    chunks = encoder.chunks([Row(0), Row(1)], size=1)
    assert next(chunks) == b'[{"n":0}'
    assert encoder.encode(Row(7)) == b'{"n":7}'
    other = encoder.chunks([Row(5)])
    assert list(other) == [b'[{"n":5}]']
    assert list(chunks) == [b',{"n":1}', b"]"]


def test_a_next_that_stops_early() -> None:
    class Odd:
        def __iter__(self) -> Any:
            return self

        def __next__(self) -> Any:
            raise StopIteration

    assert list(penstock.ndjson.Encoder().chunks(Odd())) == []

    class Stopping:
        @property
        def n(self) -> int:
            raise StopIteration

    Stopping.__annotations__ = {"n": int}
    with pytest.raises(EncodeError):
        list(penstock.ndjson.Encoder().chunks([Stopping()]))
