"""`limit=`: no more records than these, and the source is closed."""

from __future__ import annotations

import asyncio
import gzip
import io
import json
import pickle
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import penstock
from penstock import field

COUNT = 3_000
LINES = "".join(json.dumps({"n": n}) + "\n" for n in range(COUNT)).encode()


@dataclass
class Row:
    n: int


DATA: dict[str, bytes] = {
    "ndjson": LINES,
    "json": json.dumps([{"n": n} for n in range(COUNT)]).encode(),
    "csv": b"n\n" + b"".join(b"%d\n" % n for n in range(COUNT)),
    "xml": b"<r>" + b"".join(b"<x><n>%d</n></x>" % n for n in range(COUNT)) + b"</r>",
    "plist": b'<plist version="1.0"><array>'
    + b"".join(b"<dict><key>n</key><integer>%d</integer></dict>" % n for n in range(COUNT))
    + b"</array></plist>",
}


def read(name: Any, **options: Any) -> Any:
    return penstock.read(io.BytesIO(DATA[name]), Row, format=name, **options)


@pytest.mark.parametrize("name", DATA)
@pytest.mark.parametrize("limit", [1, 2, 999, COUNT, COUNT + 1])
def test_records_batches_and_columns(name: Any, limit: int) -> None:
    expected = list(range(min(limit, COUNT)))
    assert [row.n for row in read(name, limit=limit)] == expected
    batches = list(read(name, limit=limit).batches(1_000))
    assert [row.n for batch in batches for row in batch] == expected
    columns = read(name, limit=limit).columns(rows=700)
    assert pa.table(columns)["n"].to_pylist() == expected
    module: Any = getattr(penstock, name)
    assert len(list(module.read(io.BytesIO(DATA[name]), Row, limit=limit))) == len(expected)


def test_what_follows_is_not_read(tmp_path: Path) -> None:
    closed: list[bool] = []

    def chunks() -> Iterator[bytes]:
        try:
            yield LINES[:100]
            yield b"not read"
        finally:
            closed.append(True)

    reader = penstock.ndjson.read(chunks(), Row, limit=2)
    assert [next(reader).n, next(reader).n] == [0, 1]
    assert closed == [True]
    assert list(reader) == []
    broken = b'{"n": 1}\n{"n": 2}\n{"n": '
    assert len(list(penstock.ndjson.read(io.BytesIO(broken), Row, limit=2))) == 2
    table = pa.table(penstock.columns(io.BytesIO(broken), Row, format="ndjson", limit=2))
    assert table["n"].to_pylist() == [1, 2]
    # Without a class, the columns are those of these records.
    lines = io.BytesIO(b'{"a": 1}\n{"b": 2}\n{')
    assert pa.table(penstock.columns(lines, format="ndjson", limit=1)).column_names == ["a"]
    # The files behind the last record are not read, either.
    paths = [tmp_path / "a.ndjson", tmp_path / "b.ndjson"]
    paths[0].write_text('{"a": 1}\n{"a": 2}\n{"c": 3}\n')
    paths[1].write_text('{"b": 1}\n{')
    for limit, names in ((2, ["a"]), (3, ["a", "c"]), (4, ["a", "c", "b"])):
        assert pa.table(penstock.columns(paths, limit=limit)).column_names == names
        assert pa.schema(penstock.schema(paths, limit=limit)).names == names
    schema = penstock.schema(io.BytesIO(b'{"a": 1}\n{"b": 2}\n{'), format="ndjson", limit=1)
    assert pa.schema(schema).names == ["a"]


def test_conditions_files_and_checkpoints(tmp_path: Path) -> None:
    reader = read("ndjson", limit=2, where=field("n") > 7)
    assert [row.n for row in reader] == [8, 9]
    assert reader.filtered == 8
    path = tmp_path / "rows.ndjson"
    path.write_bytes(LINES)
    two = list(penstock.read([path, path], Row, limit=COUNT + 1))
    assert [row.n for row in two[-2:]] == [COUNT - 1, 0]
    first = penstock.read(path, Row, limit=10)
    assert len(list(first)) == 10
    checkpoint = first.checkpoint()
    assert checkpoint.records == 10
    assert [row.n for row in penstock.read(path, Row, resume=checkpoint, limit=1)] == [10]
    (part,) = penstock.split(path, parts=1)
    assert [row.n for row in part.read(Row, limit=3)] == [0, 1, 2]
    table = pa.table({"n": [1, 2, 3]})
    assert [row.n for row in penstock.read(table, Row, limit=2)] == [1, 2]


def test_conversions() -> None:
    target = io.BytesIO()
    done = penstock.convert(io.BytesIO(LINES), target, format="ndjson", to="csv", limit=2)
    assert (done.records, target.getvalue()) == (2, b"n\n0\n1\n")
    with pytest.raises(TypeError, match="limit= is no option for a target of the format 'parquet'"):
        penstock.convert(io.BytesIO(LINES), "x.parquet", format="ndjson", limit=2)
    with pytest.raises(TypeError, match="limit= is no option for Arrow columns"):
        penstock.convert(pa.table({"n": [1]}), target, to="csv", limit=2)


@pytest.mark.parametrize("limit", [0, -1, True, "3", 1.5])
def test_what_is_no_limit(limit: Any) -> None:
    with pytest.raises(ValueError, match="limit must be a number of records, from 1 on, or None"):
        read("ndjson", limit=limit)
    with pytest.raises(ValueError, match="limit must be a number of records"):
        penstock.convert(io.BytesIO(LINES), io.BytesIO(), format="ndjson", to="csv", limit=limit)


def decoder(name: str, **options: Any) -> Any:
    made: Any = getattr(penstock, name).Decoder
    return made(Row, **options)


@pytest.mark.parametrize("name", DATA)
@pytest.mark.parametrize("limit", [1, 2, 999, COUNT, COUNT + 1])
@pytest.mark.parametrize("size", [7, 1000, 1 << 20])
def test_decoders(name: Any, limit: int, size: int) -> None:
    data = DATA[name]
    expected = list(range(min(limit, COUNT)))
    for made in (decoder(name, limit=limit), penstock.Decoder(Row, format=name, limit=limit)):
        found = []
        for begin in range(0, len(data), size):
            found += made.feed(data[begin : begin + size])
            if len(found) == limit:
                # What follows is neither parsed nor checked.
                assert made.feed(b"\xff<[{") == made.feed(b"\x1f\x8b") == []
                break
        found += made.finish()
        assert [row.n for row in found] == expected
        assert made.finish() == []


def test_what_a_decoder_leaves() -> None:
    broken = b'{"n": 1}\n{"n": 2}\n{"n": "x"}\n{"n": '
    assert decoder("ndjson", limit=2).feed(broken) == [Row(1), Row(2)]
    made = decoder("ndjson", limit=3, errors="skip")
    assert made.feed(broken) == [Row(1), Row(2)]
    # Only records that are delivered count.
    assert made.feed(b"3}\n{") == [Row(3)]
    assert (made.skipped, made.finish()) == (1, [])
    wanted = decoder("ndjson", limit=2, where=field("n") > 7)
    assert [row.n for row in wanted.feed(LINES)] == [8, 9]
    assert wanted.filtered == 8
    packed = gzip.compress(LINES)
    first = decoder("ndjson", limit=2)
    assert [row.n for row in first.feed(packed[:2000])] == [0, 1]
    assert first.feed(b"no gzip") == first.finish() == []
    copy = pickle.loads(pickle.dumps(decoder("json", limit=1)))
    assert copy.feed(b'[{"n": 1}, {"n": 2}') == [Row(1)]
    assert copy.finish() == []
    part = penstock.json.Decoder(Row, limit=1, partial=True)
    assert part.feed(b'[{"n": 1') == []
    assert part.peek() == {}
    assert part.feed(b'2}, {"n": 3') == [Row(12)]
    assert part.peek() is penstock.UNSET
    with pytest.raises(ValueError, match=r"^decode\(\) takes a whole document: make the Decoder"):
        decoder("json", limit=1).decode(b"[]")
    for wrong in (0, True, "3"):
        with pytest.raises(ValueError, match="limit must be a number of records"):
            decoder("json", limit=wrong)


@pytest.mark.parametrize("name", DATA)
def test_asynchronous_streams(name: Any) -> None:
    closed: list[int] = []
    data = DATA[name]

    async def chunks() -> AsyncIterator[bytes]:
        given = 0
        try:
            for begin in range(0, len(data), 500):
                given += 1
                yield data[begin : begin + 500]
        finally:
            closed.append(given)

    async def main(limit: int | None) -> list[int]:
        seen = []
        async for row in penstock.aio.read(chunks(), Row, format=name, limit=limit):
            seen.append(row.n)
            # It is closed before the last records are delivered.
            assert limit is None or len(seen) < limit or closed
        return seen

    for limit in (1, 50, COUNT, COUNT + 1, None):
        closed.clear()
        assert asyncio.run(main(limit)) == list(range(min(limit or COUNT, COUNT)))
        most = -(-len(data) // 500)
        assert len(closed) == 1
        assert closed[0] <= 5 if limit == 1 else closed[0] <= most
    with pytest.raises(ValueError, match="limit must be a number of records"):
        asyncio.run(main(0))


def test_a_stream_without_an_end() -> None:
    class Endless:
        """An iterator that cannot be closed."""

        given = 0

        def __aiter__(self) -> Endless:
            return self

        async def __anext__(self) -> bytes:
            self.given += 1
            return b'{"n": 1}\n{"n": 2}\n'

    async def main() -> list[Row]:
        return [row async for row in penstock.aio.read(endless, Row, format="ndjson", limit=5)]

    endless = Endless()
    assert asyncio.run(main()) == [Row(1), Row(2), Row(1), Row(2), Row(1)]
    assert endless.given == 3
