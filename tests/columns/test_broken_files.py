"""Columns of several files, of which some cannot be read to their end."""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import duckdb
import polars as pl
import pyarrow as pa
import pytest

import penstock

if TYPE_CHECKING:
    from pathlib import Path


@dataclass
class Line:
    id: int


def broken(kind: str) -> tuple[str, bytes, list[int]]:
    """Return a name, what is in the file, and the numbers before the fault."""
    if kind == "gzip":
        # Two members of which the second is cut off.
        packed = gzip.compress(b'{"id": 1}\n{"id": 2}\n') + gzip.compress(b'{"id": 3}\n' * 99)[:12]
        return "b.ndjson.gz", packed, [1, 2]
    return {
        "json": ("b.json", b'[{"id": 1}, {"id": 2}, {"id"', [1, 2]),
        "encoding": ("b.json", b'[{"id": 1}, {"id": 2, "note": "\xff"}]', [1]),
        "xml": ("b.xml", b"<l><x><id>1</id></x><x><id>2</id></x><x></l>", [1, 2]),
        "first": ("b.json", b'[{"id": x}]', []),
        "zip": ("b.zip", b"no archive", []),
    }[kind]


KINDS = ["gzip", "json", "encoding", "xml", "first", "zip"]


def folder(path: Path, kind: str, order: str) -> tuple[list[str], list[int]]:
    """Write files in an order of whole ones, `w`, and broken ones, `b`."""
    paths, numbers = [], []
    for index, letter in enumerate(order):
        name, data, before = broken(kind)
        if letter == "w":
            is_xml = kind == "xml"
            name = f"w.{'xml' if is_xml else 'ndjson'}"
            data = b"<l><x><id>7</id></x></l>" if is_xml else b'{"id": 7}\n'
            before = [7]
        file = path / f"{index}{name}"
        file.write_bytes(data)
        paths.append(str(file))
        numbers += before
    return paths, numbers


def options(kind: str) -> dict[str, Any]:
    of: dict[str, Any] = {"at": "l/x"} if kind == "xml" else {}
    # Each of the files of a broken archive is of the format that is said.
    return of | ({"format": "ndjson"} if kind == "zip" else {})


@pytest.mark.thread_unsafe(reason="warnings are the process's")
@pytest.mark.parametrize("into", [Line, object], ids=["class", "found"])
@pytest.mark.parametrize("kind", KINDS)
def test_the_rows_so_far_are_delivered_and_the_file_is_named(
    tmp_path: Path, kind: str, into: Any
) -> None:
    if kind == "zip" and into is object:
        pytest.skip("without a class, a member of an archive cannot be read twice")
    paths, numbers = folder(tmp_path, kind, "wbbwb")
    told: list[penstock.DecodeError] = []
    for threads in (1, 2):
        told.clear()
        columns = penstock.columns(
            paths, into, errors=told.append, threads=threads, **options(kind)
        )
        assert pa.table(columns)["id"].to_pylist() == numbers
        assert [each.source for each in told] == [paths[1], paths[2], paths[4]]
    skipping = penstock.columns(paths, into, errors="skip", **options(kind))
    with pytest.warns(penstock.BrokenFileWarning) as warned:
        rows = [row["id"] for batch in skipping for row in pa.record_batch(batch).to_pylist()]
    assert rows == numbers
    assert [str(each.message) for each in warned] == [
        f"{error}; the rest of this file is left out" for error in told
    ]
    assert skipping.reader.progress.records == len(numbers)
    with pytest.raises(penstock.DecodeError):
        list(penstock.columns(paths, into, **options(kind)))


@pytest.mark.thread_unsafe(reason="warnings are the process's")
def test_libraries_that_take_the_stream_go_on(tmp_path: Path) -> None:
    paths, numbers = folder(tmp_path, "gzip", "wbw")
    told: list[penstock.DecodeError] = []

    def columns() -> penstock.Columns:
        return penstock.columns(paths, errors=told.append)

    assert pl.DataFrame(columns())["id"].to_list() == numbers
    found = columns()
    assert duckdb.sql("select sum(id) from found").fetchall() == [(sum(numbers),)]
    assert columns().to_pandas()["id"].tolist() == numbers
    assert [each.source for each in told] == [paths[1]] * 3
    del found


def test_a_function_that_raises_ends_the_columns(tmp_path: Path) -> None:
    paths, _ = folder(tmp_path, "json", "wbw")

    def refuse(error: penstock.DecodeError) -> None:
        raise KeyError(error.source)

    columns = penstock.columns(paths, Line, errors=refuse)
    assert [len(next(columns)), len(next(columns))] == [1, 2]
    with pytest.raises(KeyError):
        next(columns)
    with pytest.raises(ValueError, match="this Reader was broken off by KeyError"):
        next(columns)


@pytest.mark.thread_unsafe(reason="warnings are the process's")
@pytest.mark.filterwarnings("error::penstock.BrokenFileWarning")
def test_a_warning_that_is_an_error_is_raised(tmp_path: Path) -> None:
    paths, _ = folder(tmp_path, "json", "bw")
    columns = penstock.columns(paths, Line, errors="skip")
    assert len(next(columns)) == 2
    with pytest.raises(penstock.BrokenFileWarning):
        next(columns)
    assert [len(batch) for batch in columns] == [1]


@pytest.mark.thread_unsafe(reason="warnings are the process's")
def test_schemas(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('[{"id": 1, "late": 2')
    (tmp_path / "b.json").write_text('[{"id": 1, "early": true}, {"id": 2')
    (tmp_path / "c.json").write_text('[{"id": 0.5}]')
    with pytest.warns(penstock.BrokenFileWarning) as warned:
        found = penstock.schema(tmp_path, errors="skip")
    assert repr(found) == "Schema(id: Float64, early: Boolean | null)"
    assert [str(each.message).split(":")[0] for each in warned] == [
        str(tmp_path / "a.json"),
        str(tmp_path / "b.json"),
    ]
    with pytest.raises(penstock.TruncatedInput):
        penstock.schema(tmp_path)
    # There is nothing but errors.
    (tmp_path / "b.json").write_text("[{")
    (tmp_path / "c.json").write_text("[{")
    with (
        pytest.warns(penstock.BrokenFileWarning),
        pytest.raises(penstock.TruncatedInput, match=r"a\.json"),
    ):
        penstock.schema(tmp_path, errors="skip")


def test_one_file_that_is_broken_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('[{"id": 1}, {"id"')
    columns = penstock.columns(path, Line, errors="skip")
    assert len(next(columns)) == 1
    with pytest.raises(penstock.TruncatedInput):
        next(columns)


def test_digits_are_counted_up_to_the_fault(tmp_path: Path) -> None:
    @dataclass
    class Price:
        price: Decimal

    (tmp_path / "a.json").write_text('[{"price": 1.25}, {"price')
    (tmp_path / "b.json").write_text('[{"price": 10}]')
    told: list[penstock.DecodeError] = []
    rows = pa.table(penstock.columns(tmp_path, Price, errors=told.append))
    assert rows["price"].to_pylist() == [Decimal("1.25"), Decimal("10.00")]
    assert len(told) == 1
