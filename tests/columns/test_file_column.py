"""The column with the path of each record's file."""

from __future__ import annotations

import io
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pytest

import penstock


@dataclass
class Line:
    id: int
    note: str | None = None


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    (tmp_path / "a.ndjson").write_text('{"id": 1}\n{"id": 2}\n')
    (tmp_path / "b.json").write_text('[{"id": 3}]')
    (tmp_path / "c.json").write_text("[]")
    (tmp_path / "d.json").write_text('[{"id": 4}]')
    return [str(tmp_path / name) for name in ("a.ndjson", "b.json", "c.json", "d.json")]


@pytest.mark.parametrize("into", [Line, object], ids=["class", "found"])
def test_each_row_has_the_path_of_its_file(files: list[str], into: Any) -> None:
    columns = penstock.columns(files, into, columns=["id"], file_column="file")
    assert repr(columns) == "Columns(id: Int64, file: Utf8)"
    a, b, _, d = files
    assert pa.table(columns)["file"].to_pylist() == [a, a, b, d]
    one = penstock.read(a, into).columns(rows=1, file_column="note is free")
    assert [pa.record_batch(batch).to_pydict()["note is free"] for batch in one] == [[a], [a]]
    frame = pl.DataFrame(penstock.columns(files, into, file_column="file", threads=2))
    assert frame.filter(pl.col("file") == b)["id"].to_list() == [3]
    assert pl.DataFrame(penstock.columns(files[2], Line, file_column="file")).schema["file"] == (
        pl.String
    )


def test_other_types_may_be_asked_for(files: list[str]) -> None:
    schema = pa.schema([("id", pa.int32()), ("file", pa.large_string())])
    columns = penstock.columns(files, columns=["id"], file_column="file")
    table = pa.RecordBatchReader.from_stream(columns, schema=schema).read_all()
    assert table.schema == schema
    assert table["file"].to_pylist()[3] == files[3]


def test_members_of_archives(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("in/b.ndjson", '{"id": 1}')
    columns = penstock.columns(path, Line, file_column="file")
    assert pa.table(columns)["file"].to_pylist() == [f"{path}/in/b.ndjson"]


@pytest.mark.parametrize("into", [Line, object], ids=["class", "found"])
def test_a_name_that_is_a_field_is_refused(files: list[str], into: Any) -> None:
    refused = pytest.raises(ValueError, match=r"^file_column: the records have a column 'id', too$")
    with refused:
        penstock.columns(files, into, file_column="id")
    with refused:
        penstock.columns(files, Line, columns=["note"], file_column="id")


def test_a_source_without_a_path_is_refused(files: list[str]) -> None:
    for source in (io.BytesIO(b'{"id": 1}'), [b'{"id": 1}']):
        with pytest.raises(TypeError, match=r"^file_column is for files: this source has no path$"):
            penstock.columns(source, Line, format="ndjson", file_column="file")
    with Path(files[0]).open("rb") as file:
        columns = penstock.columns(file, Line, file_column="file")
        assert pa.table(columns)["file"].to_pylist() == [files[0]] * 2
