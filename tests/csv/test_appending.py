"""Rows behind those of a file."""

from __future__ import annotations

import asyncio
import gzip
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import penstock
from penstock.csv import Dialect


@dataclass
class Row:
    """Two columns."""

    a: int
    b: str = ""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "log.csv"


def refused(kind: type[Exception], rows: list[Any], path: Path, **options: Any) -> str:
    before = path.read_bytes()
    with pytest.raises(kind) as caught:
        penstock.csv.dump(rows, path, append=True, **options)
    assert path.read_bytes() == before
    return str(caught.value).replace(f"{path.parent}/", "")


@pytest.mark.parametrize("suffix", [".csv", ".csv.gz", ".tsv"])
def test_the_header_is_written_once(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"a{suffix}"
    for verb in (penstock.dump, penstock.csv.dump):
        verb([Row(1, "x"), Row(2)], path, append=True)
    for open_writer in (penstock.write, penstock.csv.write):
        with open_writer(path, Row, append=True) as writer:
            writer.write(Row(3))
    penstock.csv.dump([{"b": "y", "a": 4}, {"b": "z"}], path, append=True)

    async def write() -> None:
        async with penstock.aio.write(path, Row, append=True) as writer:
            await writer.write(Row(5))

    asyncio.run(write())
    rows = [Row(1, "x"), Row(2), Row(1, "x"), Row(2), Row(3), Row(3)]
    found = penstock.csv.load(path, dict[str, str])
    expected = [{"a": str(row.a), "b": row.b} for row in rows]
    assert found == [*expected, {"a": "4", "b": "y"}, {"a": "", "b": "z"}, {"a": "5", "b": ""}]


def test_other_columns_are_refused(path: Path) -> None:
    path.write_text("b,a\nx,1\n")
    assert refused(penstock.EncodeError, [Row(1)], path) == (
        'the file has the columns "b", "a", and the class has "a", "b" (record 1)'
    )
    with pytest.raises(penstock.EncodeError) as caught:
        penstock.csv.write(path, Row, append=True)
    assert str(caught.value) == 'the file has the columns "b", "a", and the class has "a", "b"'
    assert refused(penstock.EncodeError, [{"c": 1}], path) == (
        "['c']: there is no column \"c\" in the header (record 1)"
    )
    headless = Dialect(header=None)
    assert refused(penstock.EncodeError, [[1]], path, dialect=headless) == (
        "the file has 2 columns, and the first row has 1 (record 1)"
    )
    names = Dialect(header=["x"])
    assert refused(ValueError, [], path, dialect=names) == (
        "the file has 2 columns, and header names 1"
    )
    penstock.csv.dump([[1, 2]], path, append=True, dialect=headless)
    penstock.csv.dump([{"y": 1}], path, append=True, dialect=Dialect(header=["x", "y"]))
    assert path.read_bytes() == b"b,a\nx,1\n1,2\n,1\n"


def test_a_mark_and_ends_of_lines(path: Path) -> None:
    penstock.csv.dump([Row(1)], path, append=True, encoding="utf-8-sig")
    penstock.csv.dump([Row(2)], path, append=True, encoding="utf-8-sig")
    assert path.read_bytes() == b"\xef\xbb\xbfa,b\n1,\n2,\n"
    crlf = Dialect(terminator="\r\n")
    path.unlink()
    for number in (1, 2):
        penstock.csv.dump([Row(number)], path, append=True, dialect=crlf)
    assert path.read_bytes() == b"a,b\r\n1,\r\n2,\r\n"
    assert refused(ValueError, [], path, dialect=Dialect(terminator=";")) == (
        "append= needs rows that end with a line feed"
    )


@pytest.mark.parametrize("whole", ["a,b\n1,x\n", 'a,b\n1,"x\ny"\n'])
@pytest.mark.parametrize(
    "torn",
    ["2", "2,x", '2,"x', '2,"x\n', '2,"x\n3,y\nz', '"2\n","x\n', '2,"x\n,"', '2,"x\n""\ny",z'],
)
def test_a_torn_row(path: Path, whole: str, torn: str) -> None:
    path.write_text(whole + torn)
    with pytest.raises(penstock.TruncatedInput) as caught:
        penstock.csv.dump([Row(9)], path, append=True)
    assert path.read_text() == whole + torn
    if torn.count('"') % 2:
        assert caught.value.reason == "a quote that is never closed"
        assert caught.value.__notes__ == ["torn='cut' removes the row."]
    else:
        assert "has no line feed: its record may be torn" in caught.value.reason
    penstock.csv.dump([Row(9)], path, append=True, torn="cut")
    assert path.read_text() == whole + "9,\n"


def test_a_torn_row_of_a_compressed_file(tmp_path: Path) -> None:
    path = tmp_path / "a.csv.gz"
    path.write_bytes(gzip.compress(b'a,b\n1,"x\n'))
    before = path.read_bytes()
    for torn in ("error", "cut"):
        with pytest.raises(penstock.TruncatedInput):
            penstock.csv.dump([Row(1)], path, append=True, torn=torn)  # type: ignore[arg-type]
        assert path.read_bytes() == before


def test_an_exception_keeps_the_rows_before_it(path: Path) -> None:
    path.write_text("a,b\n")
    with pytest.raises(penstock.EncodeError):
        penstock.csv.dump([Row(1), {"c": 1}, Row(2)], path, append=True)
    assert path.read_text() == "a,b\n1,\n"
    writer = penstock.write(path, Row, append=True)
    writer.write(Row(2))
    writer.abort()
    assert path.read_text() == "a,b\n1,\n2,\n"
