"""`penstock convert` to Parquet and to files of Arrow."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

Command = Callable[..., Any]
ROWS = [{"a": 1, "b": "x"}, {"a": 2, "b": "y"}]


@pytest.fixture(autouse=True)
def rows(folder: Path) -> None:
    (folder / "rows.ndjson").write_text('{"a":1,"b":"x"}\n{"a":2,"b":"y"}\n')


def test_parquet_by_the_suffix(penstock: Command, folder: Path) -> None:
    assert penstock("convert", "rows.ndjson", "t.parquet") == ("", "", 0)
    assert pq.read_table(folder / "t.parquet").to_pylist() == ROWS


def test_arrow_on_standard_output(shell: Command, folder: Path) -> None:
    assert shell("penstock convert rows.ndjson - --to arrow > t.bin") == ("", "", 0)
    assert pa.ipc.open_file(folder / "t.bin").read_all().to_pylist() == ROWS


@pytest.mark.parametrize(
    ("target", "flags", "message"),
    [
        ("t.parquet", ["--flatten"], "--flatten is for text"),
        ("t.parquet", ["--indent", "2"], "indent= is no option for a target of"),
        ("t.parquet.gz", [], "leave out '.gz'"),
    ],
)
def test_what_columns_do_not_have(
    penstock: Command, folder: Path, target: str, flags: list[str], message: str
) -> None:
    done = penstock("convert", "rows.ndjson", target, *flags)
    assert done.code == 2
    assert message in done.err
    assert not (folder / target).exists()


def test_a_record_that_does_not_fit_leaves_no_file(penstock: Command, folder: Path) -> None:
    (folder / "rows.ndjson").write_text('{"a":1}\n{"a":"z"}\n')
    done = penstock("convert", "rows.ndjson", "t.parquet")
    assert done.code == 1
    assert "rows.ndjson:2:6: expected a number as in record 1" in done.err
    assert not list(folder.glob("t.parquet*"))


def test_a_table_is_no_source(penstock: Command) -> None:
    assert penstock("convert", "rows.ndjson", "t.parquet").code == 0
    done = penstock("convert", "t.parquet", "t.json")
    message = "t.parquet: Penstock writes Parquet, and reads JSON, NDJSON, XML, CSV and plist"
    assert done.err == f"penstock convert: {message}\n"
