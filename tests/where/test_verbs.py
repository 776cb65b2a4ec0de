"""Every verb with records takes a condition."""

from __future__ import annotations

import asyncio
import gzip
import io
import json
import pickle
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import penstock
from penstock import field

ROWS = [{"n": n, "t": "ab"[n % 2]} for n in range(100)]
LINES = "".join(json.dumps(row) + "\n" for row in ROWS).encode()
ODD = [row for row in ROWS if row["t"] == "b"]
WHERE = field("t") == "b"


@dataclass
class Row:
    """A record."""

    n: int


OBJECTS = [Row(row["n"]) for row in ODD]  # type: ignore[arg-type]  # it is an int


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The rows in a file."""
    (tmp_path / "rows.ndjson").write_bytes(LINES)
    return tmp_path / "rows.ndjson"


def test_several_files(path: Path) -> None:
    other = path.with_name("more.ndjson.gz")
    other.write_bytes(gzip.compress(LINES[: LINES.index(b"\n") * 3]))
    with penstock.read([path, path], Row, where=WHERE) as reader:
        assert list(reader) == OBJECTS * 2
        assert reader.filtered == 2 * (len(ROWS) - len(ODD))
    assert "where t == 'b'" in repr(reader)


def test_parts(path: Path) -> None:
    parts = penstock.split(path, parts=3)
    found = [list(pickle.loads(pickle.dumps(part)).read(Row, where=WHERE)) for part in parts]
    assert all(found)
    assert [row for rows in found for row in rows] == OBJECTS
    assert [row for part in parts for row in part.load(Row, where=str(WHERE))] == OBJECTS


def numbers(reader: penstock.Reader[Row]) -> list[int]:
    """The numbers of the records of a part."""
    return [row.n for row in reader]


def test_processes(path: Path) -> None:
    with penstock.map(path, Row, numbers, processes=2, bytes=1000, where=str(WHERE)) as found:
        assert [n for part in found for n in part] == [row["n"] for row in ODD]


def test_frames_and_databases(path: Path) -> None:
    polars = pytest.importorskip("polars")
    frame = penstock.polars.scan(path, Row, where=WHERE)
    assert frame.filter(polars.col("n") > 90).collect().rows() == [(n,) for n in range(91, 100, 2)]
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect() as connection:
        penstock.duckdb.register(connection, "rows", path, where="t == 'b'")
        assert connection.sql("select count(*), min(t) from rows").fetchall() == [(50, "b")]


def test_checkpoints_count_what_is_in_the_file(path: Path) -> None:
    with penstock.read(path, Row, where=WHERE, resume="start") as reader:
        first = [next(reader) for _ in range(10)]
        kept = reader.checkpoint()
    assert kept.records == 20
    with penstock.read(path, Row, where=WHERE, resume=kept) as reader:
        assert first + list(reader) == OBJECTS


def test_columns_and_their_schema(path: Path) -> None:
    columns = penstock.columns(path, Row, where=WHERE, threads=2)
    assert [row for batch in columns for row in penstock.read(batch)] == [
        {"n": row["n"]} for row in ODD
    ]
    found = penstock.columns(path, where=WHERE, threads=2)
    assert [row for batch in found for row in penstock.read(batch)] == ODD
    # What only other records have is no column.
    lines = b'{"a": 1}\n{"b": 2}\n'
    assert penstock.schema([lines], format="ndjson", where="a == 1").names == ["a"]


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("to", ["ndjson", "json", "csv", "xml", "plist"])
def test_conversions(path: Path, to: Any, threads: int) -> None:
    whole, some = path.with_name(f"whole.{to}"), path.with_name(f"some.{to}")
    penstock.dump(ODD, whole)
    done = penstock.convert(path, some, where=WHERE, threads=threads)
    assert done.records == len(ODD)
    kept = list(penstock.read(whole))
    assert list(penstock.read(some)) == kept
    some.unlink()
    penstock.convert(path, some, where=WHERE, into=Row, objects=True)
    assert list(penstock.read(some, Row)) == OBJECTS


def test_elements_keep_their_names(tmp_path: Path) -> None:
    source = tmp_path / "a.xml"
    source.write_text("<r><a n='1'/><b n='2'/><a n='3'>x</a></r>")
    target = io.BytesIO()
    penstock.convert(source, target, to="xml", at="r/*", where=field("@n") != 1, root="s")
    assert target.getvalue().endswith(b'<s><b n="2"/><a n="3">x</a></s>')


def test_a_document_has_no_records(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('[{"a": 1}]')
    with pytest.raises(ValueError, match="where= chooses records, and without at= this is one"):
        penstock.convert(path, tmp_path / "b.json", where="a == 1")
    target = tmp_path / "b.json"
    penstock.convert(path, target, where="a == 1", at="*")
    assert target.read_text() == '[{"a":1}]'


def test_a_class_has_records(tmp_path: Path) -> None:
    """With a type, the elements of the array are the records."""
    path, target = tmp_path / "a.json", tmp_path / "b.json"
    path.write_text(json.dumps(ROWS))
    penstock.convert(path, target, where=WHERE, into=Row)
    assert penstock.load(target, list[Row]) == OBJECTS


def test_decoders_and_streams_that_are_awaited() -> None:
    decoder = penstock.ndjson.Decoder(Row, where=WHERE)
    found = [row for at in range(0, len(LINES), 7) for row in decoder.feed(LINES[at : at + 7])]
    assert found + decoder.finish() == OBJECTS
    assert decoder.filtered == len(ROWS) - len(ODD)
    again = pickle.loads(pickle.dumps(penstock.Decoder(Row, format="ndjson", where=WHERE)))
    assert again.feed(LINES) == OBJECTS

    async def chunks() -> AsyncIterator[bytes]:
        yield LINES

    async def main() -> list[Row]:
        read = penstock.aio.read(chunks(), Row, format="ndjson", where=WHERE)
        return [row async for row in read]

    assert asyncio.run(main()) == OBJECTS


def test_where_the_records_are_said() -> None:
    data = json.dumps({"x": {"rows": ROWS}}).encode()
    assert list(penstock.json.read([data], Row, at="x/rows/*", where=WHERE)) == OBJECTS
    kinds: Any = {"a/*": Row, "b/*": Row}
    both = json.dumps({"a": ROWS, "b": ROWS}).encode()
    assert list(penstock.json.read([both], at=kinds, where=WHERE)) == OBJECTS * 2


def test_columns_of_others_have_no_condition() -> None:
    columns = penstock.columns([LINES], Row, format="ndjson")
    with pytest.raises(TypeError, match="where"):
        penstock.read(columns, Row, where=WHERE)


def test_nothing_is_left_of_a_record_that_is_not_wanted() -> None:
    """Its objects are dropped, and the collector finds none."""
    import gc

    @dataclass
    class Deep:
        a: list[dict[str, list[int]]]
        b: int

    line = b'{"a": [{"x": [1, 2, 3]}], "b": 0}\n'
    list(penstock.ndjson.read([line], Deep, where="b > 0"))
    gc.collect()
    before = len(gc.get_objects())
    list(penstock.ndjson.read([line * 1000], Deep, where="b > 0"))
    assert len(gc.get_objects()) - before < 100
