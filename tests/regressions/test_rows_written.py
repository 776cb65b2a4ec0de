"""Rows of CSV that were read back as others: each bug by its number."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

import penstock
from penstock import cells


def test_400_bytes_without_a_byte():
    """They were written as a quoted empty cell, which is None for a field that takes None."""

    @dataclass
    class Row:
        a: bytes
        b: bytes | None = None

    rows = [Row(b""), Row(b"x", b"y")]
    text = penstock.csv.encode(rows)
    assert text == b"a,b\n,\neA==,eQ==\n"
    assert penstock.csv.decode(text, Row) == rows
    with pytest.raises(penstock.EncodeError) as caught:
        penstock.csv.encode([Row(b"", b"")])
    assert str(caught.value) == "b: an empty value would be read as none (record 1)"


def test_401_forms_of_the_whole_plan():
    """Numbers and words were written without the forms that `Plan(cells=...)` declares."""

    @dataclass(slots=True)
    class Row:
        a: float
        b: bool
        c: str | None = None

    plan = penstock.Plan(Row, cells=cells(decimal=",", true=("Y",), false=("N",), null=("-",)))
    rows = [Row(1.5, True), Row(2.25, False, "x")]
    text = penstock.csv.encode(rows, plan)
    assert text == b'a,b,c\n"1,5",Y,\n"2,25",N,x\n'
    assert penstock.csv.decode(text, plan) == rows
    with pytest.raises(penstock.EncodeError) as caught:
        penstock.csv.encode([Row(1.0, True, "-")], plan)
    reason = "c: its text would be read back as None ('-' of cells(...)) (record 1)"
    assert str(caught.value) == reason


def test_402_a_torn_row_with_a_line_feed_in_quotes(tmp_path: Path):
    """`torn="cut"` removed its last line only, and left a quote that nothing closes."""
    path = tmp_path / "a.csv"
    path.write_text('a,b\n1,"x\ny"\n2,"z\n,"')
    penstock.csv.dump([{"a": 3, "b": 4}], path, append=True, torn="cut")
    assert path.read_text() == 'a,b\n1,"x\ny"\n3,4\n'
