"""Rows without a header that have different numbers of cells."""

import io
import json
from pathlib import Path
from typing import Any

import pytest

import penstock
from penstock import csv
from penstock.csv import Dialect

PLAIN = Dialect(header=None)
TEXT = 'a,b\n\n1,"x, ""y""",3,,5\n7\n"",2\n8,9,\n'
ROWS = [["a", "b"], ["1", 'x, "y"', "3", "", "5"], ["7"], ["", "2"], ["8", "9", ""]]


def test_716(tmp_path: Path) -> None:
    """`list[str]` refused a row with another number of cells than the first one, or cut it."""
    assert csv.decode(TEXT, list[str], dialect=PLAIN) == ROWS
    assert csv.decode(TEXT, tuple[str, ...], dialect=PLAIN) == [tuple(row) for row in ROWS]
    for size in range(1, len(TEXT)):
        chunks = [TEXT[at : at + size].encode() for at in range(0, len(TEXT), size)]
        for errors in ("raise", "skip"):
            how: Any = {"dialect": PLAIN, "errors": errors}
            assert list(csv.read(chunks, list[str], **how)) == ROWS
        decoder = csv.Decoder(list[str], dialect=PLAIN)
        found = [row for chunk in chunks for row in decoder.feed(chunk)]
        assert found + decoder.finish() == ROWS
    both: Any = ["short_rows", "long_rows"]
    assert csv.decode(TEXT, list[str], dialect=PLAIN, repair=both) == ROWS
    escaped = Dialect("\t", quote=None, escape="\\", header=None)
    assert csv.decode("a\n\\\\b\t\\tc\td\n", list[str], dialect=escaped) == [
        ["a"],
        ["\\b", "\tc", "d"],
    ]
    path = tmp_path / "rows.csv"
    path.write_text(TEXT)
    with csv.open(path, list[str], dialect=PLAIN) as rows:
        assert [rows[at] for at in (4, 1, 0, 3, 2)] == [ROWS[at] for at in (4, 1, 0, 3, 2)]
    many = tmp_path / "many.csv"
    many.write_text(TEXT * 20_000)
    assert list(csv.read(many, list[str], dialect=PLAIN)) == ROWS * 20_000


def test_717() -> None:
    """What must have as many cells as there are columns has the error that it had."""
    for into in (Any, dict[str, str], tuple[str, str]):
        with pytest.raises(penstock.MalformedInput, match="the row has 5 cells, and there are 2"):
            csv.decode(TEXT, into, dialect=PLAIN)
    with pytest.raises(penstock.MalformedInput, match="the row has 5 cells"):
        csv.decode("0,1\n" + TEXT, list[str])
    with pytest.raises(penstock.MalformedInput, match="the row has 5 cells"):
        csv.decode(TEXT, list[str], dialect=Dialect(header=["0", "1"]))
    with pytest.raises(penstock.ValidationError, match='expected int, got "b"'):
        csv.decode("1\n2,b\n", list[int], dialect=PLAIN)


def test_718(tmp_path: Path) -> None:
    """None in the only column is a blank line, which every way of reading takes for a row."""
    none: Any = tuple[str | None]
    rows = [("x",), (None,), ("",), (None,)]
    text = csv.encode(rows, none, dialect=PLAIN)
    assert text == b'x\n\n""\n\n'
    assert csv.decode(text, none, dialect=PLAIN) == rows
    for size in range(1, len(text)):
        chunks = [text[at : at + size] for at in range(0, len(text), size)]
        assert list(csv.read(chunks, none, dialect=PLAIN)) == rows
    path = tmp_path / "column.csv"
    path.write_bytes(text)
    with csv.open(path, none, dialect=PLAIN) as opened:
        assert [opened[at] for at in range(4)] == rows
    for given in (Dialect(), Dialect(header=["a"])):
        dicts = [{"a": None}, {"a": ""}, {"a": None}]
        into: Any = dict[str, str | None]
        assert csv.decode(csv.encode(dicts, dialect=given), into, dialect=given) == dicts
    with pytest.raises(penstock.EncodeError, match="the first row would be a blank line"):
        csv.encode([(None,)], none, dialect=PLAIN)


def test_722_uneven_rows_in_parts_and_threads(tmp_path: Path) -> None:
    """Not a fault that was: uneven rows are the same in parts and with threads."""
    rows = [[str(cell) for cell in range(row % 4 + 1)] for row in range(30_000)]
    path = tmp_path / "uneven.csv"
    path.write_text("".join(",".join(row) + "\n" for row in rows))
    parts = csv.split(path, parts=5, dialect=PLAIN)
    assert len(parts) == 5
    assert [row for part in parts for row in part.read(list[str])] == rows
    for threads in (1, 2):
        out = io.BytesIO()
        penstock.convert(
            path, out, to="ndjson", dialect=PLAIN, into=list[str], threads=threads, objects=True
        )
        assert [json.loads(line) for line in out.getvalue().splitlines()] == rows
