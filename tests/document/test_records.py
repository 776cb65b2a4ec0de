"""Records as a type: each is made on request, and once."""

from __future__ import annotations

import copy
import gc
import pickle
import weakref
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest

import penstock


@dataclass
class City:
    name: str
    size: int = 0


CITIES = b'[{"name": "Vila", "size": 1}, {"name": "Soldeu"}, {"name": "Chur", "size": "many"}]'


def test_records_are_made_once() -> None:
    rows = penstock.open(CITIES, City)
    assert isinstance(rows, Sequence)
    assert isinstance(rows, penstock.Records)
    assert rows[1] == City("Soldeu")
    assert rows[1] is rows[1]
    assert rows[-2] is rows[1]
    assert rows[:2] == [City("Vila", 1), City("Soldeu")]
    assert rows[:2][0] is rows[0]
    assert len(rows) == 3
    assert City("Soldeu") in rows[:2]
    assert rows.index(City("Soldeu")) == 1
    assert next(iter(rows)) is rows[0]


def test_what_does_not_fit_is_told_when_it_is_asked_for() -> None:
    rows = penstock.open(CITIES, City)
    with pytest.raises(penstock.ValidationError) as caught:
        rows[2]
    with pytest.raises(penstock.ValidationError) as streamed:
        list(penstock.json.read([CITIES], City))
    assert str(caught.value) == str(streamed.value)
    for name in ("offset", "line", "column", "record", "path", "reason"):
        assert getattr(caught.value, name) == getattr(streamed.value, name), name
    with pytest.raises(IndexError, match="index 3 is out of range of 3 records"):
        rows[3]
    with pytest.raises(TypeError, match="records are indexed by int or slice, not str"):
        rows["x"]  # type: ignore[call-overload]


def test_records_of_a_path() -> None:
    text = b'{"b": {"list": [{"name": "x"}]}, "a": {"list": [{"name": "y"}, {"name": 7}]}}'
    rows = penstock.open(text, City, at="*/list/*")
    assert (len(rows), rows[0], rows[1]) == (3, City("x"), City("y"))
    with pytest.raises(penstock.ValidationError) as caught:
        rows[2]
    with pytest.raises(penstock.ValidationError) as streamed:
        list(penstock.json.read([text], City, at="*/list/*"))
    assert str(caught.value) == str(streamed.value)
    assert caught.value.path == "a/list/1/name"
    assert len(penstock.open(text, City, at="nothing/*")) == 0
    plain = penstock.open(text, at="*/list/*")
    assert list(plain) == [{"name": "x"}, {"name": "y"}, {"name": 7}]


def test_scalars_as_records() -> None:
    numbers = b"[1, 23, -4, 123456789012345678901234567890, 1.0]"
    rows = penstock.open(numbers, int)
    assert rows[:4] == [1, 23, -4, 123456789012345678901234567890]
    with pytest.raises(
        penstock.ValidationError,
        match=r"line 1, column 45: expected int, got a number .*\(record 5, at 4\)",
    ):
        rows[4]
    texts = penstock.open(b'{"a": "x", "b": "long \\n text", "c": true}', str | bool, at="*")
    assert list(texts) == ["x", "long \n text", True]


def test_a_document_that_is_no_array_is_one_record() -> None:
    rows = penstock.open(b' {"name": "Vila"}', City)
    assert (len(rows), rows[0]) == (1, City("Vila"))
    assert list(penstock.open(b" 7 ", int)) == [7]
    with pytest.raises(penstock.ValidationError, match="expected City, got the integer 7"):
        penstock.open(b" 7 ", City)[0]


def test_options() -> None:
    rows = penstock.open(b'[{"name": "x", "more": 1}]', City, unknown="error")
    with pytest.raises(penstock.ValidationError, match='no field for the key "more"'):
        rows[0]
    rows = penstock.open(b'[{"name": 1, "size": "x"}]', City, all_errors=True)
    with pytest.raises(penstock.ValidationError) as caught:
        rows[0]
    assert [error.path for error in caught.value.problems] == ["0/name", "0/size"]
    upper = penstock.open(b'[{"name": "x"}]', City, types={str: str.upper})
    assert upper[0] == City("X")
    with pytest.raises(penstock.PlanError):
        penstock.open(b"[]", 3)  # type: ignore[call-overload]


def test_the_document_is_at_hand() -> None:
    rows = penstock.open(CITIES, City)
    assert rows.document[2]["size"] == "many"
    with rows as entered:
        assert entered is rows
    with pytest.raises(ValueError, match="this Document is closed"):
        rows[0]
    with pytest.raises(ValueError, match="this Document is closed"):
        len(rows)
    assert repr(rows) == "Records(closed)"


def test_repr_pickle_and_copy() -> None:
    rows = penstock.open(CITIES, City)
    assert repr(rows) == "Records(a json document -> City, 3 of them)"
    again = pickle.loads(pickle.dumps(rows))
    assert again[:2] == rows[:2]
    assert len(again) == 3
    assert copy.copy(rows) is rows
    found = penstock.open(b'{"a": {"name": "x"}}', City, at="*")
    assert pickle.loads(pickle.dumps(found))[0] == City("x")


def test_a_record_may_hold_its_records() -> None:
    class Holder:
        def __init__(self, number: int) -> None:
            self.rows: Any = rows  # noqa: F821 - deleted behind the last call
            self.number = number

    rows = penstock.open(b'[{"number": 1}, {"number": 2}]', Holder)
    assert rows[0].rows[1].number == 2
    gone = weakref.ref(rows[0])
    del rows
    gc.collect()
    assert gone() is None


def test_code_of_a_record_may_ask_for_the_same_record() -> None:
    made: list[Any] = []

    class Asking:
        def __init__(self, number: int) -> None:
            self.number = number
            if not made:
                made.append(self)
                made.append(rows[0])

    rows = penstock.open(b'[{"number": 1}]', Asking)
    assert rows[0] is rows[0]
    assert rows[0].number == 1
