"""Rows in error: each fault by its name and place, what follows it, and its repair."""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import penstock
from penstock import LimitExceeded, Limits, MalformedInput, Repair, TruncatedInput, ValidationError
from penstock.csv import Dialect, decode

SHORT = "the row has 1 cell, and there are 2 columns"
LONG = "the row has 3 cells, and there are 2 columns"
STRAY = "a quote in a cell that does not begin with one"
BEHIND = "text behind the closing quote of a cell"
RETURN = "a carriage return without a line feed"
NUL = "a NUL character"
# A row in error, between two others; where in it the fault is; its reason; the name of its repair;
# the row when it is repaired.
ROWS = [
    ("x", 2, SHORT, "short_rows", ["x", ""]),
    ("x,y,z", 5, LONG, "long_rows", ["x", "y"]),
    ("x,y,", 5, LONG, "long_rows", ["x", "y"]),
    ("x,y,", 5, LONG, "trailing_delimiter", ["x", "y"]),
    ('x,y"z"', 4, STRAY, "stray_quotes", ["x", 'y"z"']),
    ('x,"y"z', 6, BEHIND, "stray_quotes", ["x", '"y"z']),
    ('x,"y "z" w"', 7, BEHIND, "stray_quotes", ["x", 'y "z" w']),
    ('x,"y ""z"" "w" v"', 13, BEHIND, "stray_quotes", ["x", 'y "z" "w" v']),
    ("x\ry,z", 2, RETURN, "bare_cr", ["x\ry", "z"]),
    ("x\0y,z", 2, NUL, "nul", ["xy", "z"]),
    ('x,"y""\0z"', 7, NUL, "nul", ["x", 'y"z']),
]


def cut(text: str | bytes, size: int) -> list[bytes]:
    data = text.encode() if isinstance(text, str) else text
    return [data[at : at + size] for at in range(0, len(data), size)]


@pytest.mark.parametrize(("row", "column", "reason", "repair", "mended"), ROWS)
def test_a_row_in_error(row: str, column: int, reason: str, repair: Any, mended: list[str]) -> None:
    text = f"a,b\n1,2\n{row}\n3,4\n"
    with pytest.raises(MalformedInput) as raised:
        decode(text)
    error = raised.value
    assert str(error) == f"line 3, column {column}: {reason} (record 2)"
    assert (error.record, error.line, error.column, error.reason) == (2, 3, column, reason)
    assert error.code == "malformed"
    for size in (1, 2, 3, 7, 100):
        found: list[penstock.DecodeError] = []
        reader = penstock.csv.read(cut(text, size), list[str], errors=found.append)
        assert list(reader) == [["1", "2"], ["3", "4"]]
        assert [str(error) for error in found] == [str(error)]
        assert reader.skipped == 1
        reader = penstock.csv.read(cut(text, size), list[str], repair=repair)
        assert list(reader) == [["1", "2"], mended, ["3", "4"]]
        place = Repair(repair, error.offset, 3, column)
        assert (reader.repairs, reader.repair_counts) == ([place], {repair: 1})
    others = {"short_rows", "long_rows", "stray_quotes", "bare_cr", "nul", "trailing_delimiter"}
    others -= {repair, "long_rows" if reason == LONG else "", "trailing_delimiter"}
    with pytest.raises(MalformedInput) as again:
        decode(text, repair=sorted(others))  # type: ignore[arg-type]
    assert str(again.value) == str(error)


def test_a_whole_text_with_repairs_warns() -> None:
    with pytest.warns(penstock.RepairWarning) as caught:
        rows = decode('a,b,\n1,2,\n"3"x,4\n5\n', repair="all")
    assert rows == [{"a": "1", "b": "2"}, {"a": '"3"x', "b": "4"}, {"a": "5", "b": ""}]
    assert str(caught[0].message) == (
        "4 repairs (1 short_rows, 1 stray_quotes, 2 trailing_delimiter); the first at line 1, "
        "column 5"
    )
    assert caught[0].filename == __file__


def test_a_trailing_delimiter_is_no_empty_cell() -> None:
    text = 'a,b\n1,""\n1,\n1,2,""\n'
    reader = penstock.csv.read(
        [text.encode()], list[str], repair="trailing_delimiter", errors="skip"
    )
    assert (list(reader), reader.skipped) == ([["1", ""], ["1", ""]], 1)
    dialect = Dialect(header=None)
    reader = penstock.csv.read([b"1,2,\n3,4\n"], dialect=dialect, repair="trailing_delimiter")
    assert list(reader) == [{"0": "1", "1": "2"}, {"0": "3", "1": "4"}]


def test_repairs_with_an_escape_and_white_space() -> None:
    dialect = Dialect(";", quote="'", escape="\\", trim=True)
    text = "a;b\n '\\'x' y' ;\\'z\0\\\\\n"
    reader = penstock.csv.read([text.encode()], list[str], dialect=dialect, repair="all")
    assert list(reader) == [["'x' y", "'z\\"]]
    assert reader.repair_counts == {"stray_quotes": 1, "nul": 1}


def test_repairs_of_a_dialect_that_is_found() -> None:
    text = b"name;size\n" + b"Bern;3\n" * 50 + b"Chur\n"
    reader = penstock.csv.read([text], list[str], dialect="infer", repair="short_rows")
    assert list(reader)[-2:] == [["Bern", "3"], ["Chur", ""]]
    assert (reader.dialect, reader.repair_counts) == (Dialect(";"), {"short_rows": 1})


def test_no_such_repair() -> None:
    with pytest.raises(ValueError, match=r"^repair must be ") as raised:
        decode("a\n", repair="bare_ampersand")  # type: ignore[arg-type]
    assert str(raised.value) == (
        "repair must be 'all' or some of 'short_rows', 'long_rows', 'stray_quotes', 'bare_cr', "
        "'nul', 'trailing_delimiter', not 'bare_ampersand'"
    )
    for verb in (penstock.csv.load, penstock.csv.read):
        with pytest.raises(TypeError, match=r"^repair must be a str, not int$"):
            verb(io.BytesIO(b"a\n"), repair=(3,))  # type: ignore[operator]


def test_a_line_feed_alone_is_not_repaired() -> None:
    with pytest.raises(MalformedInput) as raised:
        decode("a,b\r1\n,2\r", repair="all")
    assert str(raised.value) == (
        "line 1, column 6: a line feed without a carriage return (record 1)"
    )


def test_a_quote_that_is_never_closed() -> None:
    text = 'a,b\n1,2\n3,"4\n5,6\n7,8\n'
    with pytest.raises(TruncatedInput) as raised:
        decode(text)
    assert str(raised.value) == "line 3, column 3: a quote that is never closed (record 2)"
    rows = [["1", "2"], ["5", "6"], ["7", "8"]]
    for size in (1, 5, 100):
        reader = penstock.csv.read(cut(text, size), list[str], errors="skip")
        assert (list(reader), reader.skipped) == (rows, 1)


def test_the_places_of_rows_behind_an_open_quote(tmp_path: Path) -> None:
    # All of the text is at hand when the first fault is found, and there is no second pass over it.
    path = tmp_path / "rows.csv"
    path.write_text('a,b\n1,"2\n' + "é\nx,é,y\n" * 10_000)
    errors: list[penstock.PenstockError] = []
    assert list(penstock.csv.read(path, list[str], errors=errors.append)) == []
    places = [(error.line, error.column, error.record) for error in errors]
    expected = [(line, 2 if line % 2 else 5, line - 1) for line in range(3, 20_003)]
    assert places == [(2, 3, 1), *expected]
    assert {error.excerpt.partition("\n")[0] for error in errors[1:]} == {"é", "x,é,y"}


def test_an_open_quote_does_not_read_beyond_the_limit() -> None:
    text = 'a,b\n1,2\n3,"4\n' + "5,6\n" * 30
    limits = Limits(row=50)
    with pytest.raises(LimitExceeded) as raised:
        decode(text, limits=limits)
    assert str(raised.value) == (
        "line 3, column 3: a row is longer than 50 bytes (limits.row): its last quote is not closed "
        "(record 2)"
    )
    for size in (1, 7, 1000):
        found: list[penstock.DecodeError] = []
        reader = penstock.csv.read(cut(text, size), list[str], errors=found.append, limits=limits)
        assert list(reader) == [["1", "2"]] + [["5", "6"]] * 30
        assert [str(error) for error in found] == [str(raised.value)]


def test_bytes_that_are_no_text() -> None:
    data = b"a,b\n1,2\n3,\xff\n5,6\n"
    with pytest.raises(MalformedInput) as raised:
        decode(data)
    assert str(raised.value) == "line 3, column 3: invalid UTF-8: byte 0xff (record 2)"
    for size in (1, 5, 100):
        reader = penstock.csv.read(cut(data, size), list[str], errors="skip")
        assert (list(reader), reader.skipped) == ([["1", "2"], ["5", "6"]], 1)
    assert decode(data, list[str], encoding="latin-1")[1] == ["3", "\xff"]


@dataclass(slots=True)
class Row:
    a: int
    b: float


def test_cells_that_do_not_fit() -> None:
    text = "b,a\n1.5,2\nx,y\n2.5,3\n"
    with pytest.raises(ValidationError) as raised:
        decode(text, Row)
    assert str(raised.value) == 'line 3, column 1: expected float, got "x" (record 2, at b)'
    assert (raised.value.path, raised.value.record, raised.value.excerpt) == ("b", 2, "x,y")
    with pytest.raises(ValidationError) as raised:
        decode(text, Row, all_errors=True)
    assert [(problem.path, problem.column) for problem in raised.value.problems] == [
        ("b", 1),
        ("a", 3),
    ]
    for size in (1, 4, 100):
        reader = penstock.csv.read(cut(text, size), Row, errors="skip")
        assert (list(reader), reader.skipped) == ([Row(2, 1.5), Row(3, 2.5)], 1)
    with pytest.raises(ExceptionGroup) as group:
        list(penstock.csv.read([text.encode() + b"1,2,3\n"], Row, errors="collect"))
    assert [str(error) for error in group.value.exceptions] == [
        'line 3, column 1: expected float, got "x" (record 2, at b)',
        "line 5, column 5: the row has 3 cells, and there are 2 columns (record 4)",
    ]


def test_a_position_behind_line_ends_in_cells() -> None:
    with pytest.raises(ValidationError) as raised:
        decode('a,b\n1,"x\n\ny"\n2,"z"\nu,w\n', tuple[int, str])
    assert str(raised.value) == 'line 6, column 1: expected int, got "u" (record 3, at 0)'


def test_blank_lines() -> None:
    assert decode("\n\na,b\n\n1,2\n\n\n3,4\n\n", list[str]) == [["1", "2"], ["3", "4"]]
    assert decode("a\n1\n\n2\n", list[str]) == [["1"], [""], ["2"]]
