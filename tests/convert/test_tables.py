"""`convert` to Parquet and to files of Arrow."""

from __future__ import annotations

import gzip
import io
import pickle
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import duckdb
import polars as pl
import pyarrow as pa
import pytest
from fresh import kilobytes
from pyarrow import ipc, parquet

import penstock
from penstock import at
from penstock._verbs import convert, tables

if TYPE_CHECKING:
    from collections.abc import Iterator

ROWS = [
    {"name": "Bern", "size": 134591, "founded": "1191-05-01"},
    {"name": "Chur", "size": 37424, "founded": None},
]

SOURCES = {
    "cities.json": '{"cities": [{"name": "Bern", "size": 134591, "founded": "1191-05-01"}, {"name": "Chur", "size": 37424}]}',
    "cities.ndjson": '{"name": "Bern", "size": 134591, "founded": "1191-05-01"}\n{"name": "Chur", "size": 37424}\n',
    "cities.xml": "<cities><city><name>Bern</name><size>134591</size><founded>1191-05-01</founded></city><city><name>Chur</name><size>37424</size></city></cities>",
    "cities.csv": "name,size,founded\nBern,134591,1191-05-01\nChur,37424,\n",
}
AT = {"cities.json": "cities/*", "cities.xml": "cities/city"}


@dataclass
class City:
    name: str
    size: Annotated[int, penstock.int32]
    founded: date | None = None


def both(path: Path) -> list[pa.Table]:
    """Return what pyarrow and polars read."""
    if path.suffix == ".parquet":
        return [parquet.read_table(path), pl.read_parquet(path).to_arrow()]
    with pa.memory_map(str(path)) as file:
        return [ipc.open_file(file).read_all(), pl.read_ipc(path).to_arrow()]


@pytest.fixture(params=["out.parquet", "out.arrow"])
def target(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return tmp_path / request.param


@pytest.mark.parametrize("name", SOURCES)
def test_columns_that_are_found(name: str, target: Path, tmp_path: Path) -> None:
    source = tmp_path / name
    source.write_text(SOURCES[name])
    done = penstock.convert(source, target, at=AT.get(name))
    for table in both(target):
        assert table.select(["name", "size", "founded"]).to_pylist() == ROWS
        assert table.schema.field("size").type == pa.int64()
    assert (done.records, done.skipped, done.repair_counts) == (2, 0, {})
    assert done.bytes_read == source.stat().st_size
    assert done.bytes_written == target.stat().st_size
    assert repr(done) == (
        f"Converted(records=2, skipped=0, bytes_read={done.bytes_read}, bytes_written={done.bytes_written})"
    )


@pytest.mark.parametrize("name", SOURCES)
def test_columns_of_a_class(name: str, target: Path, tmp_path: Path) -> None:
    (tmp_path / name).write_text(SOURCES[name])
    penstock.convert(tmp_path / name, target, into=City, at=AT.get(name))
    rows = [row | {"founded": row["founded"] and date(1191, 5, 1)} for row in ROWS]
    for table in both(target):
        assert table.to_pylist() == rows
        assert table.schema.field("size").type == pa.int32()


def test_streams_and_other_targets(target: Path) -> None:
    to: Any = target.suffix[1:]
    taken = io.BytesIO()
    source = io.BytesIO(SOURCES["cities.ndjson"].encode())
    done = penstock.convert(source, taken, format="ndjson", to=to, into=City)
    assert (done.records, done.bytes_written) == (2, len(taken.getvalue()))
    target.write_bytes(taken.getvalue())
    assert [table.num_rows for table in both(target)] == [2, 2]
    chunks: list[bytes] = []
    source = io.BytesIO(SOURCES["cities.ndjson"].encode())
    penstock.convert(
        source, lambda data: chunks.append(bytes(data)), format="ndjson", to=to, into=City
    )
    assert b"".join(chunks) == taken.getvalue()
    with pytest.raises(penstock.PlanError, match="this source can be read only once"):
        penstock.convert(iter([b"{}"]), target, format="ndjson")
    penstock.convert(io.BytesIO(b'{"a": 1}'), target, format="ndjson")
    assert [table.num_rows for table in both(target)] == [1, 1]


@dataclass
class Everything:
    number: int
    text: str
    blob: bytes
    price: Annotated[Decimal, penstock.decimal(9, 2)]
    when: datetime
    grade: Literal["low", "high"]
    canton: Annotated[str, penstock.dictionary]
    parts: list[Annotated[str, penstock.dictionary]]
    inner: City
    counts: dict[str, int]
    latitude: Annotated[float | None, at("position/lat")] = None


@pytest.mark.thread_unsafe(reason="it changes the size of groups")
def test_types(target: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "_ROWS", 1)
    monkeypatch.setattr(tables, "_GROUP_ROWS", 1)
    lines = [
        '{"number": 1, "text": "a", "blob": "AQI=", "price": 1.5, "when": "2026-01-02T03:04:05Z", "grade": "low",'
        f' "canton": "{canton}", "parts": ["{canton}"], "inner": {{"name": "Bern", "size": 3}}, "counts": {{"x": 1}}, "position": {{"lat": 46.5}}}}\n'
        for canton in ("BE", "GR", "BE")
    ]
    source = tmp_path / "everything.ndjson"
    source.write_text("".join(lines))
    penstock.convert(source, target, into=Everything)
    for table in both(target):
        rows = table.to_pylist()
        assert [row["canton"] for row in rows] == ["BE", "GR", "BE"]
        assert [row["parts"] for row in rows] == [["BE"], ["GR"], ["BE"]]
        row = rows[0]
        counts = row.pop("counts")
        assert row == {
            "number": 1,
            "text": "a",
            "blob": b"\1\2",
            "price": Decimal("1.50"),
            "when": datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC),
            "grade": "low",
            "canton": "BE",
            "parts": ["BE"],
            "inner": {"name": "Bern", "size": 3, "founded": None},
            "latitude": 46.5,
        }
        # polars has maps since 2.0.
        assert counts in ([("x", 1)], [{"key": "x", "value": 1}])
    if target.suffix == ".parquet":
        assert parquet.read_metadata(target).num_row_groups == 3


def test_tables_of_others(target: Path) -> None:
    frame = pl.DataFrame({"name": ["Bern", "Chur"], "size": [[1, 2], []]})
    for source in (frame, frame.to_arrow().to_batches()[0], duckdb.sql("from frame")):
        assert penstock.convert(source, target).records == 2
        assert both(target)[0].to_pylist() == frame.to_dicts()
    columns = penstock.columns(io.BytesIO(b'{"name": 7}'), City, format="ndjson")
    with pytest.raises(penstock.ValidationError, match="expected str, got the integer 7"):
        penstock.convert(columns, target)
    # What was there stays.
    assert both(target)[0].to_pylist() == frame.to_dicts()


BAD = SOURCES["cities.ndjson"] + '{"name": "Biel", "size": "many"}\n{"name": 7, "size": 7}\n'


@pytest.mark.parametrize("existed", [False, True])
def test_a_failure_leaves_no_file(target: Path, tmp_path: Path, existed: bool) -> None:
    (tmp_path / "bad.ndjson").write_text(BAD)
    if existed:
        target.write_text("old")
    before = sorted(path.name for path in tmp_path.iterdir())
    with pytest.raises(penstock.ValidationError) as raised:
        penstock.convert(tmp_path / "bad.ndjson", target, into=City)
    assert str(raised.value) == (
        f"{tmp_path}/bad.ndjson:3:26: expected int, got a string (record 3, at size)"
    )
    with pytest.raises(penstock.ValidationError, match="expected a number as in record 1"):
        penstock.convert(tmp_path / "bad.ndjson", target)
    with pytest.raises(FileNotFoundError):
        penstock.convert(tmp_path / "nothing.ndjson", target, into=City)
    assert sorted(path.name for path in tmp_path.iterdir()) == before
    assert not existed or target.read_text() == "old"


@pytest.mark.thread_unsafe(reason="it changes the size of groups")
def test_a_failure_behind_the_first_group(
    target: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "_ROWS", 1)
    monkeypatch.setattr(tables, "_GROUP_ROWS", 1)
    (tmp_path / "bad.ndjson").write_text(BAD)
    target.write_text("old")
    with pytest.raises(penstock.ValidationError):
        penstock.convert(tmp_path / "bad.ndjson", target, into=City)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad.ndjson", target.name]
    assert target.read_text() == "old"


def test_records_in_error(target: Path, tmp_path: Path) -> None:
    path = tmp_path / "bad.ndjson"
    path.write_text(BAD)
    done = penstock.convert(path, target, into=City, errors="skip")
    assert (done.records, done.skipped) == (2, 2)
    told: list[penstock.DecodeError] = []
    penstock.convert(path, target, into=City, errors=told.append)
    assert [each.record for each in told] == [3, 4]
    target.unlink()
    with pytest.raises(ExceptionGroup, match="2 records in error") as raised:
        penstock.convert(path, target, into=City, errors="collect")
    assert [each.record for each in raised.value.exceptions] == [3, 4]  # type: ignore[attr-defined]
    # It is complete.
    assert both(target)[0].num_rows == 2
    target.unlink()
    with pytest.raises(ExceptionGroup, match="1 record in error"):
        penstock.convert(path, target, into=City, errors="collect", max_errors=1)
    assert not target.exists()


def test_options(target: Path, tmp_path: Path) -> None:
    source = tmp_path / "cities.csv"
    source.write_text("name;size\nBern;1\n")
    dialect = penstock.csv.Dialect(";")
    assert penstock.convert(source, target, dialect=dialect, threads=2).records == 1
    assert both(target)[0].to_pylist() == [{"name": "Bern", "size": 1}]
    kind = target.suffix[1:]
    for options in ({"indent": 2}, {"objects": True, "into": City}, {"root": "x"}):
        name = next(iter(options))
        with pytest.raises(TypeError) as raised:
            penstock.convert(source, target, **options)  # type: ignore[arg-type]
        assert str(raised.value) == f"{name}= is no option for a target of the format {kind!r}"
    with pytest.raises(TypeError, match="indent= is no option for a target of the format"):
        penstock.convert(pl.DataFrame({"a": [1]}), target, indent=2)
    with pytest.raises(
        TypeError, match="namespaces= is no option for a source of the format 'csv'"
    ):
        penstock.convert(source, target, namespaces={"a": "b"})


def test_what_the_command_line_calls(target: Path, tmp_path: Path) -> None:
    source = tmp_path / "cities.ndjson"
    source.write_text(SOURCES["cities.ndjson"])
    seen: list[Any] = []

    @contextmanager
    def watch(running: Any) -> Iterator[None]:
        seen.append(running.progress.records)
        yield
        seen.append(running.progress.records)

    reads: dict[str, object] = {}
    policy = ("raise", 1, "allow")
    rest = (reads, {}, None, "infer", None, None, watch)
    done = convert.run(str(source), target, None, None, None, "plain", *policy, *rest, objects=True)  # type: ignore[arg-type]
    assert (done.records, seen) == (2, [0, 2])
    assert [table.num_rows for table in both(target)] == [2, 2]


def test_names_of_compressed_files(tmp_path: Path) -> None:
    (tmp_path / "cities.csv").write_text("name\nBern\n")
    with pytest.raises(ValueError) as raised:  # noqa: PT011 - its text is below
        penstock.convert(tmp_path / "cities.csv", tmp_path / "cities.parquet.gz")
    assert str(raised.value) == (
        "Parquet is not compressed as a whole, because it is read in any order: leave out '.gz'"
    )


def test_columns_without_a_form(tmp_path: Path) -> None:
    source = tmp_path / "empty.ndjson"
    source.write_text('{"a": {}}\n')
    with pytest.raises(penstock.EncodeError) as raised:
        penstock.convert(source, tmp_path / "empty.parquet")
    assert str(raised.value).startswith(
        "Parquet has no form for the columns: Cannot write struct type 'a' with no child field"
    )
    source.write_text("{}\n")
    with pytest.raises(penstock.EncodeError) as raised:
        penstock.convert(source, tmp_path / "empty.parquet")
    assert str(raised.value) == "the records have no keys, so there are no columns"
    assert [path.name for path in tmp_path.iterdir()] == ["empty.ndjson"]


def test_no_records(target: Path, tmp_path: Path) -> None:
    (tmp_path / "none.ndjson").write_text("")
    assert penstock.convert(tmp_path / "none.ndjson", target, into=City).records == 0
    for table in both(target):
        assert (table.num_rows, table.schema.names) == (0, ["name", "size", "founded"])


@pytest.mark.skipif(sys.platform != "linux", reason="Linux says how much memory was needed")
@pytest.mark.thread_unsafe(reason="it starts processes")
def test_memory_does_not_grow_with_the_source(target: Path, tmp_path: Path) -> None:
    peaks = []
    for count in (100_000, 400_000):
        source = tmp_path / "rows.ndjson"
        source.write_text("".join(f'{{"id": {n}, "text": "{n:0100}"}}\n' for n in range(count)))
        script = f"""
            import penstock
            from penstock._verbs import tables
            tables._GROUP_BYTES = 1 << 20
            assert penstock.convert({str(source)!r}, {str(target)!r}).records == {count}
        """
        peaks.append(kilobytes(script))
    # The columns of the larger one have 43 MB.
    assert peaks[1] - peaks[0] < 25_000


@pytest.mark.thread_unsafe(reason="it hides a module")
def test_what_is_not_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Hidden:
        """Finds nothing of pyarrow, as if it were not installed."""

        def find_spec(self, name: str, *_: Any) -> None:
            if name == "pyarrow":
                raise ModuleNotFoundError(f"No module named {name!r}", name=name)

    monkeypatch.delitem(sys.modules, "pyarrow")
    monkeypatch.setattr(sys, "meta_path", [Hidden(), *sys.meta_path])
    (tmp_path / "cities.csv").write_text("name\nBern\n")
    with pytest.raises(ImportError) as raised:
        penstock.convert(tmp_path / "cities.csv", tmp_path / "cities.parquet")
    assert str(raised.value) == (
        "convert() to Parquet needs pyarrow, which is not installed: pip install pyarrow"
    )
    assert [path.name for path in tmp_path.iterdir()] == ["cities.csv"]


@dataclass
class Counted:
    a: int


def test_the_result_is_of_one_class_for_all_targets(tmp_path: Path) -> None:
    source = tmp_path / "a.ndjson"
    source.write_text('{"a": 1}\n{"a": "x"}\n{"a": 2}\n')
    for name in ("b.json", "b.parquet", "b.arrow"):
        done = penstock.convert(source, tmp_path / name, errors="skip", into=Counted)
        assert type(done) is penstock.Converted
        assert (done.records, done.skipped, done.bytes_read) == (2, 1, source.stat().st_size)
        assert repr(pickle.loads(pickle.dumps(done))) == repr(done)


@pytest.mark.parametrize("name", ["b.ndjson", "b.csv", "b.parquet", "b.arrow"])
def test_columns_know_what_was_read_for_them(name: str, tmp_path: Path) -> None:
    source = tmp_path / "a.ndjson.gz"
    source.write_bytes(gzip.compress(b'{"a": 1}\n{"a": "x"}\n{"a": 2}\n'))
    found = penstock.columns(source, Counted, errors="skip")
    done = penstock.convert(found, tmp_path / name)
    assert (done.records, done.skipped, done.bytes_read) == (2, 1, source.stat().st_size)
    table = pa.table({"a": [1]})
    done = penstock.convert(table, tmp_path / name)
    assert (done.records, done.skipped, done.bytes_read) == (1, 0, 0)
