"""One binary property list, read by several threads: what they give is what one thread gives."""

from __future__ import annotations

import gzip
import io
import plistlib
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import pyarrow as pa
import pytest
from annotated_types import MaxLen
from converting import outcome

import penstock
from penstock import Limits
from penstock.cli.unread import UNREAD

COUNT = 30_000
MANY = (2, 3)


@dataclass(slots=True)
class Song:
    number: int
    name: str
    genre: Annotated[str, penstock.dictionary]
    rating: float
    added: datetime
    tags: list[str]
    cover: bytes | None = None


GENRES = ["Rock", "Jazz", "Zürich"]


def song(n: int) -> dict[str, Any]:
    made: dict[str, Any] = {
        "number": n,
        "name": f"Song {n}" + " né" * (n % 3 == 0),
        "genre": GENRES[n % 3],
        "rating": n / 8,
        "added": datetime(2001, 1, 1 + n % 28, n % 24),  # noqa: DTZ001 - plistlib takes naive ones
        "tags": ["live", f"tag {n % 50}"][: n % 3],
        "unread": [{"number": n}] * (n % 2),
    }
    if n % 1_009 == 0:
        made["cover"] = bytes(1_000 + n % 7)
    return made


def dumped(root: Any) -> bytes:
    return plistlib.dumps(root, fmt=plistlib.FMT_BINARY, sort_keys=False)


SONGS = [song(n) for n in range(COUNT)]
FILES: dict[str, tuple[bytes, str | None]] = {
    "list": (dumped(SONGS), None),
    "members": (
        dumped({"Tracks": {f"k{n}": each for n, each in enumerate(SONGS)}, "Version": 1}),
        "Tracks/*",
    ),
    "groups": (
        dumped(
            [
                {"name": "none", "rows": []},
                {"rows": SONGS[: COUNT // 2]},
                {"rows": SONGS[COUNT // 2 : COUNT // 2 + 9], "more": list(range(99))},
                {"rows": SONGS[COUNT // 2 + 9 :]},
            ]
        ),
        "*/rows/*",
    ),
}

each = pytest.mark.parametrize("name", list(FILES))


def read(name: str, data: bytes | None = None, into: Any = Song, **options: Any) -> Any:
    whole, at = FILES[name]
    source = io.BytesIO(whole if data is None else data)
    return penstock.read(source, into, format="plist", at=at, **options)


def said(error: Any) -> tuple[Any, ...]:
    place = error.offset, error.line, error.column, error.record, str(error.path)
    return type(error), str(error), *place


def told(reader: Any, threads: int, rows: int = 7_000) -> tuple[Any, ...]:
    """The batches, the error behind them, and the counts."""
    batches: list[Any] = []
    error: Any = None
    try:
        batches.extend(map(pa.record_batch, reader.columns(rows=rows, threads=threads)))
    except penstock.PenstockError as raised:
        error = said(raised)
    except ExceptionGroup as group:
        error = [said(one) for one in group.exceptions]
    return batches, error, reader.skipped, reader.progress.records


@each
@pytest.mark.parametrize("rows", [1_000, 65_536])
def test_the_batches_are_the_same(name: str, rows: int) -> None:
    expected = told(read(name), 1, rows)
    assert expected[1:] == (None, 0, COUNT)
    table = pa.Table.from_batches(expected[0])
    for column in ("number", "name", "genre", "rating", "tags", "cover"):
        assert table[column].to_pylist() == [each.get(column) for each in SONGS]
    for threads in MANY:
        reader = read(name)
        assert told(reader, threads, rows) == expected
        assert reader._pieces() > 3


@each
def test_files_of_each_kind(name: str, tmp_path: Path) -> None:
    data, at = FILES[name]
    # One of this size is read at positions, and not as a whole.
    cover = b'{"cover":' + bytes(9 << 20)
    large = dumped([SONGS, cover] if at is None else {"x": {"rows": SONGS}, "cover": cover})
    (tmp_path / "one.plist").write_bytes(data)
    (tmp_path / "one.plist.gz").write_bytes(gzip.compress(data, 1))
    (tmp_path / "large.plist").write_bytes(large)
    where = {"large.plist": "0/*" if at is None else "x/rows/*"}
    for path in tmp_path.iterdir():
        found = where.get(path.name, at)
        expected = told(penstock.read(path, Song, at=found), 1)
        assert expected[1:] == (None, 0, COUNT)
        reader = penstock.read(path, Song, at=found)
        assert told(reader, 2) == expected
        assert reader._pieces() > 3


@each
@pytest.mark.parametrize("threads", MANY)
def test_parts(name: str, threads: int, tmp_path: Path) -> None:
    data, at = FILES[name]
    path = tmp_path / "one.plist"
    path.write_bytes(data)
    whole = pa.table(penstock.columns(path, Song, at=at))
    parts = penstock.split(path, at=at, parts=3)
    assert len(parts) == 3
    pieces = 0
    tables = []
    for part in parts:
        reader = part.read(Song)
        tables.append(pa.table(reader.columns(threads=threads)))
        pieces += reader._pieces()
    assert pa.concat_tables(tables).to_pylist() == whole.to_pylist()
    assert pieces > 3


def damaged(name: str) -> list[bytes]:
    """Files with faults: values that do not fit, objects that are none, a map within itself."""
    data = FILES[name][0]

    def at(n: int) -> int:
        return data.index(f"Song {n}".encode()) - 1

    def without(n: int, byte: int) -> bytes:
        return data[: at(n)] + bytes([byte]) + data[at(n) + 1 :]

    early, late = COUNT // 3 + 1, COUNT - 1
    both = bytearray(data)
    for n in range(early, COUNT, 1_000):
        if n % 3:
            both[at(n)] = 0x7F
    return [
        without(early, 0x7F),
        # A text becomes data, and a bool, of which the rest is no object.
        without(late, 0x40 | data[at(late)] & 15),
        without(early, 0x09),
        # What is no ASCII is within the text.
        data[: at(late) + 3] + b"\xff" + data[at(late) + 4 :],
        bytes(both),
        data[:-1] + bytes([data[-1] ^ 1]),
    ]


@each
@pytest.mark.parametrize("errors", ["raise", "skip", "collect"])
def test_errors_are_the_same(name: str, errors: Any) -> None:
    differ = 0
    for data in damaged(name):
        expected = told(read(name, data, errors=errors), 1)
        for threads in MANY:
            assert told(read(name, data, errors=errors), threads) == expected
        differ += expected[1:3] != (None, 0)
    assert differ == 6


def test_data_before_a_value_that_only_an_object_has() -> None:
    """Behind data, a builder gets the events of the record again."""

    @dataclass
    class Cover:
        image: bytes
        size: Annotated[bytes | None, MaxLen(3)] = None
        ratio: float = 0.0

    rows: list[dict[str, Any]] = [
        {"image": bytes([n % 256]) * (n % 300), "ratio": 0.5} for n in range(30_000)
    ]
    for n in range(5, 30_000, 5_000):
        rows[n]["ratio"] = 2**63
        rows[n + 1]["ratio"] = "x"
        rows[n + 2]["size"] = b"1234"
        rows[n + 3]["size"] = b"123"
        rows[n + 4]["image"] = "text"
    data = dumped(rows)
    objects = list(penstock.plist.read(io.BytesIO(data), Cover, errors="skip"))
    for threads in (1, 2):
        reader = penstock.plist.read(io.BytesIO(data), Cover, errors="skip")
        table = pa.table(reader.columns(threads=threads))
        assert table.to_pylist() == [asdict(each) for each in objects]
        assert reader.skipped == 18
        assert (reader._pieces() > 3) == (threads > 1)


def test_the_first_records_are_in_error() -> None:
    data = dumped([{**made, "number": "x"} if n < 10 else made for n, made in enumerate(SONGS)])
    expected = told(read("list", data, errors="skip"), 1)
    assert expected[1:] == (None, 10, COUNT - 10)
    reader = read("list", data, errors="skip")
    assert told(reader, 2) == expected
    assert reader._pieces() > 3


def shared(count: int, items: int) -> bytes:
    """Return records that all refer to one long list."""
    tags = ["a long tag of a song, which is in the file only once: " + "x" * 40] * items
    return dumped([{**SONGS[n], "tags": tags} for n in range(count)])


@pytest.mark.parametrize("limits", [Limits(amplification=3), Limits(expansion=9 << 20)])
def test_what_shared_objects_expand_to_is_counted_for_all(limits: Limits) -> None:
    data = shared(20_000, 100)
    expected = told(read("list", data, limits=limits), 1)
    assert expected[1][0] is penstock.LimitExceeded
    assert expected[1][5] > 2_000
    for threads in MANY:
        reader = read("list", data, limits=limits)
        assert told(reader, threads) == expected
        assert reader._pieces() > 3


@each
def test_schemas(name: str) -> None:
    data, at = FILES[name]

    def found(threads: int) -> str:
        return str(penstock.schema(io.BytesIO(data), format="plist", at=at, threads=threads))

    assert found(1).startswith("Schema(")
    assert [found(threads) for threads in MANY] == [found(1)] * 2


@each
@pytest.mark.parametrize("to", ["ndjson", "json", "xml", "plist"])
@pytest.mark.parametrize("into", [None, Song])
def test_conversions(name: str, to: Any, into: Any) -> None:
    if into is not None and to == "xml":
        return
    whole, at = FILES[name]
    options: dict[str, Any] = {"to_form": "xml"} if to == "plist" else {}

    def made(data: bytes, threads: int, errors: Any = "raise") -> Any:
        def call(target: io.BytesIO) -> Any:
            done = penstock.convert(
                io.BytesIO(data),
                target,
                format="plist",
                to=to,
                at=at or "*",
                into=into,
                errors=errors,
                threads=threads,
                **options,
            )
            return done.records, done.skipped, done.bytes_read, done.bytes_written

        return outcome(call)

    expected = made(whole, 1)
    assert expected[1][:2] == (COUNT, 0)
    assert [made(whole, threads) for threads in MANY] == [expected] * 2
    for data in damaged(name)[:5:2]:
        for errors in ("raise", "skip"):
            assert made(data, 2, errors) == made(data, 1, errors)


@each
def test_checks(name: str) -> None:
    for data in [FILES[name][0], damaged(name)[4]]:
        for into in (Song, UNREAD):
            found = []
            for threads in (1, 2):
                reader = read(name, data, into, errors="skip")
                if into is UNREAD:
                    reader._pass_over(threads, False)
                else:
                    assert reader._check(threads)
                found.append((reader.progress.records, reader.skipped))
                assert (reader._pieces() > 3) == (threads > 1)
            assert found[0] == found[1]
            assert sum(found[0]) == COUNT
