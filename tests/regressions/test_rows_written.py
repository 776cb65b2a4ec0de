"""Rows of CSV that were read back as others: each bug by its number."""

from __future__ import annotations

from dataclasses import dataclass

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
