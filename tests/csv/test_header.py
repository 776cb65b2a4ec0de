"""The header: what it must have for a type, and rows by position. Errors come before the first row."""

from __future__ import annotations

import io
from dataclasses import dataclass, field
from typing import Annotated, Any, NamedTuple, TypedDict

import pytest

import penstock
from penstock import MalformedInput, ValidationError, at, rest, separated
from penstock.csv import Dialect, decode


@dataclass(slots=True)
class City:
    name: str
    population: int
    note: str = "-"


@dataclass
class Placed:
    first: Annotated[str, at("0")]
    third: Annotated[int, at("2")]
    second: Annotated[str, at("b")]


class Point(NamedTuple):
    x: int
    y: int = 7


class Part(TypedDict, total=False):
    name: str


def refused(text: str, into: Any, **options: Any) -> ValidationError:
    with pytest.raises(ValidationError) as raised:
        decode(text, into, **options)
    for errors in ("raise", "skip", "collect"):
        reader = penstock.csv.read(io.BytesIO(text.encode()), into, errors=errors, **options)
        with pytest.raises(ValidationError) as again:
            list(reader)
        assert str(again.value) == str(raised.value)
        assert reader.skipped == 0
    error = raised.value
    assert error.record is None
    return error


def test_columns_in_any_order() -> None:
    assert decode("population,x,name\n3,y,Bern\n", City) == [City("Bern", 3)]
    assert decode("note,name,population\nz,Bern,3\n", City) == [City("Bern", 3, "z")]
    assert decode("name\nChur\n", Part) == [{"name": "Chur"}]
    assert decode("x\nChur\n", Part) == [{}]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "name,Population\nBern,3\n",
            (
                'line 1, column 1: City requires the column "population", which the header lacks; '
                'did you mean "Population"?'
            ),
        ),
        (
            "# x\nname;population\nBern;3\n",
            (
                'line 2, column 1: City requires the columns "name" and "population", which the '
                'header lacks; the only column is "name;population"'
            ),
        ),
        (
            "name,b,c\n",
            (
                'line 1, column 1: City requires the column "population", which the header lacks; '
                'the columns are "name", "b" and "c"'
            ),
        ),
        (
            "name,population,name\nBern,3,x\n",
            (
                'line 1, column 17: the column "name" occurs more than once, and City has a field '
                "for it (at name)"
            ),
        ),
    ],
)
def test_a_header_that_does_not_fit(text: str, message: str) -> None:
    error = refused(text, City, dialect=Dialect(comment="#"))
    assert str(error) == message
    assert error.code == ("repeated" if "more than once" in message else "missing")


def test_a_field_for_all_other_columns() -> None:
    @dataclass
    class Rest:
        name: str
        more: Annotated[dict[str, Any], rest]

    assert decode("a,name,b\n1,Bern,2\n", Rest) == [Rest("Bern", {"a": "1", "b": "2"})]
    error = refused("a,name,a\n1,Bern,2\n", Rest)
    assert str(error) == (
        'line 1, column 8: the column "a" occurs more than once, and Rest has a field for it (at a)'
    )
    error = refused("a,b\n1,2\n", Rest)
    assert str(error) == (
        'line 1, column 1: Rest requires the column "name", which the header lacks; the columns are '
        '"a" and "b"'
    )


def test_a_repeated_column_that_nobody_wants() -> None:
    assert decode("a,name,a,population\n1,Bern,2,3\n", City) == [City("Bern", 3)]


@pytest.mark.parametrize("into", [object, dict[str, str], dict])
def test_a_dict_has_no_column_twice(into: Any) -> None:
    error = refused("a,b,a\n1,2,3\n", into)
    assert str(error) == (
        'line 1, column 5: the column "a" occurs more than once; rows as lists have all cells: '
        "list[str] (at a)"
    )
    assert decode("a,b,a\n1,2,3\n", list[str]) == [["1", "2", "3"]]


def test_unknown_columns() -> None:
    error = refused("name,population,note2\nBern,3,x\n", City, unknown="error")
    assert str(error) == (
        'line 1, column 17: City has no field for the column "note2"; did you mean "note"? '
        "(at note2)"
    )
    reader = penstock.csv.read([b"name,a,population\nx,1,2\ny,1,2\n"], City, unknown="collect")
    assert (len(list(reader)), reader.unknown) == (2, {"City.a": 1})


def test_fields_by_position() -> None:
    assert decode("a,b,c\n1,2,3\n", Placed) == [Placed("1", 3, "2")]
    # A column of that name comes first.
    assert decode("2,b,0\n1,2,3\n", Placed) == [Placed("3", 1, "2")]
    error = refused("a,b\n1,2\n", Placed)
    assert str(error) == (
        'line 1, column 1: Placed requires the column "2", which the header lacks; the columns are '
        '"a" and "b"'
    )
    rows = decode("1,2,3\n", Placed, dialect=Dialect(header=["x", "b", "y"]))
    assert rows == [Placed("1", 3, "2")]
    with pytest.raises(ValidationError) as raised:
        decode("a,b,c\n1,2,x\n", Placed)
    assert str(raised.value) == 'line 2, column 5: expected int, got "x" (record 1, at c)'


def test_a_column_for_two_fields() -> None:
    @dataclass
    class Both:
        raw: Annotated[str, at("0")]
        size: int

    assert decode("size\n0036\n", Both) == [Both("0036", 36)]


def test_rows_as_lists_and_tuples() -> None:
    text = "a,b\n1,x\n2,\n"
    assert decode(text, list[str]) == [["1", "x"], ["2", ""]]
    assert decode(text, list) == [["1", "x"], ["2", ""]]
    assert decode(text, tuple[int, str]) == [(1, "x"), (2, "")]
    assert decode(text, tuple[str, ...]) == [("1", "x"), ("2", "")]
    assert decode("1,2\n", list[int], dialect=Dialect(header=None)) == [[1, 2]]
    for size in range(1, len(text)):
        pieces = [text[at : at + size].encode() for at in range(0, len(text), size)]
        assert list(penstock.csv.read(pieces, tuple[int, str])) == [(1, "x"), (2, "")]
    error = refused(text, tuple[int, str, str])
    assert str(error) == (
        "line 1, column 1: tuple[int, str, str] has 3 items, and there are 2 columns"
    )
    with pytest.raises(ValidationError) as raised:
        decode(text, list[int])
    assert str(raised.value) == 'line 2, column 3: expected int, got "x" (record 1, at 1)'


def test_a_named_tuple() -> None:
    assert decode("x,y\n1,2\n", Point) == [Point(1, 2)]
    assert decode("a,b\n1,2\n", Point) == [Point(1, 2)]
    assert decode("a\n1\n", Point) == [Point(1, 7)]
    assert decode("z,x,y\n0,1,2\n", Point) == [Point(1, 2)]
    assert decode("1,2\n", Point, dialect=Dialect(header=None)) == [Point(1, 2)]
    error = refused("y,x\n1,2\n", Point)
    assert str(error) == (
        "line 1, column 3: Point has its fields in another order than the header: "
        '"y" stands before "x" (at x)'
    )
    error = refused("a,b,c\n1,2,3\n", Point)
    assert str(error) == (
        "line 1, column 1: Point has 2 fields, and there are 3 columns, none of which has the name "
        "of a field"
    )
    error = refused("y\n1\n", Point)
    assert str(error) == (
        'line 1, column 1: Point requires the column "x", which the header lacks; the only column '
        'is "y"'
    )


def test_what_a_row_cannot_be() -> None:
    error = refused("a\n1\n", int)
    assert str(error) == (
        "line 1, column 1: a row cannot become int: ask for a class, a dict or a list"
    )


def test_a_header_of_a_field_with_another_default() -> None:
    @dataclass
    class Lists:
        name: str
        known: bool | None = None
        more: Annotated[list[str], separated(";")] = field(default_factory=list)

    assert decode("name\nx\n", Lists) == [Lists("x")]


def test_a_malformed_header_ends_the_reading() -> None:
    for errors in ("raise", "skip", "collect"):
        reader = penstock.csv.read([b'a,b"c\n1,2\n'], errors=errors)
        with pytest.raises(MalformedInput) as raised:
            list(reader)
        assert str(raised.value) == (
            "line 1, column 4: a quote in a cell that does not begin with one"
        )
        assert (raised.value.record, reader.skipped) == (None, 0)


def test_no_header_at_all() -> None:
    for text in ("", "\n\n", "\ufeff"):
        assert decode(text, City) == []
    with pytest.raises(ValidationError) as raised:
        list(penstock.csv.read([b""], City, empty="error"))
    assert str(raised.value) == "line 1, column 1: there is no record"
