"""Rows of CSV that were read back as others: each bug by its number."""

import plistlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import Annotated, Any, NamedTuple, NotRequired, TypedDict

import pytest
from annotated_types import MinLen
from linear import assert_linear

import penstock
from penstock import at, cells, spread


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


class Inner(TypedDict):
    """A part, or an item of several columns."""

    x: int
    y: str


class Listed(TypedDict):
    """A list of typed dicts."""

    all: Annotated[list[Inner], spread("all_*_*")]


@dataclass
class Held:
    """A part of one column."""

    number: int


class Outer(TypedDict):
    """Requires a part, and may have another."""

    n: Inner
    m: str
    more: NotRequired[Inner]


class Tall(NamedTuple):
    """A part and a list stand between two fields."""

    first: int
    part: Held | None
    items: Annotated[list[int], spread("item*")]
    last: int


@pytest.mark.parametrize(
    ("row", "field"),
    [
        ({"n": {"x": 1, "y": ""}}, "m"),
        ({"n": {"x": 1}, "m": "a"}, "n.y"),
        ({"m": "a"}, "n.x"),
        ({"n": {"x": 1, "y": ""}, "m": "a", "more": {"x": 1}}, "more.y"),
    ],
)
def test_447_a_key_that_a_dict_lacks(row: Any, field: str) -> None:
    """Its cell was empty, and was read as an empty text."""
    whole: Any = {"n": {"x": 1, "y": "b"}, "m": "a"}
    assert penstock.csv.encode([whole], Outer) == b"n.x,n.y,m,more.x,more.y\n1,b,a,,\n"
    assert penstock.csv.decode(penstock.csv.encode([whole], Outer), Outer) == [whole]
    reason = f"{field}: the dict lacks the key, which the class requires (record 2)"
    with pytest.raises(penstock.EncodeError, match=f"^{re.escape(reason)}$"):
        penstock.csv.encode([whole, row], Outer)


def test_448_the_columns_of_a_class_stand_in_the_order_of_its_fields() -> None:
    """Those of a part came last, and the header of a named tuple was refused when it was read.

    A list of several columns in a named tuple, and one of typed dicts, were refused.
    """
    rows = [Tall(1, Held(2), [3, 4], 5), Tall(1, None, [], 5)]
    text = penstock.csv.encode(rows, Tall)
    assert text == b"first,part.number,item1,item2,last\n1,2,3,4,5\n1,,,,5\n"
    assert penstock.csv.decode(text, Tall) == rows
    dicts: Any = [{"all": [{"x": 1, "y": "a"}]}]
    text = penstock.csv.encode(dicts, Listed)
    assert text == b"all_1_x,all_1_y\n1,a\n"
    assert penstock.csv.decode(text, Listed) == dicts
    with pytest.raises(penstock.EncodeError) as caught:
        penstock.csv.encode([{"all": [{"x": 1}]}], Listed)
    reason = "all[0]: the dict lacks the key, which the class requires (record 1)"
    assert str(caught.value) == reason


@dataclass
class Placed:
    """Has its columns by position, and in another order."""

    a: Annotated[int, at("1")]
    b: Annotated[int, at("0")]


def test_450_fields_that_are_found_by_position() -> None:
    """They were refused, with a reason that is about arrays."""
    rows = [Placed(1, 2), Placed(3, 4)]
    bare = penstock.csv.Dialect(header=None)
    for dialect, text in ((bare, b"2,1\n4,3\n"), (None, b"1,0\n1,2\n3,4\n")):
        assert penstock.csv.encode(rows, Placed, dialect=dialect) == text
        assert penstock.csv.decode(text, Placed, dialect=dialect) == rows


def test_460_a_file_whose_rows_end_with_carriage_returns(tmp_path: Path):
    """`torn="cut"` took all of it for one torn row, and removed it."""
    path = tmp_path / "a.csv"
    path.write_bytes(b"a,b\r1,x\r")
    with pytest.raises(ValueError, match="append= needs rows that end with a line feed"):
        penstock.csv.dump([{"a": 3, "b": 4}], path, append=True, torn="cut")
    assert path.read_bytes() == b"a,b\r1,x\r"


def test_461_blanks_behind_the_last_row(tmp_path: Path):
    """The first cell that was appended began with them."""
    path = tmp_path / "a.tsv"
    path.write_bytes(b"a\tb\n1\tx\n\t")
    with pytest.raises(penstock.TruncatedInput, match="the last line, at byte 8, has no line feed"):
        penstock.csv.dump([{"a": 3, "b": 4}], path, append=True)
    penstock.csv.dump([{"a": 3, "b": 4}], path, append=True, torn="cut")
    assert path.read_bytes() == b"a\tb\n1\tx\n3\t4\n"


def test_462_a_last_row_with_another_end(tmp_path: Path):
    """A line feed ended no row in that dialect, and the next row became a part of this one."""
    path = tmp_path / "a.csv"
    path.write_bytes(b"a,b\r\n1,x\n")
    dialect = penstock.csv.Dialect(terminator="\r\n")
    with pytest.raises(penstock.TruncatedInput, match="does not end as rows do"):
        penstock.csv.dump([{"a": 3, "b": 4}], path, append=True, dialect=dialect)


def test_463_an_open_quote_in_a_row_that_is_no_text(tmp_path: Path):
    """It was not seen, nor behind another fault, and rows were appended inside of the quotes."""
    path = tmp_path / "a.csv"
    for row in (b'\xff,"x\n', b'x"y,"z\n'):
        path.write_bytes(b"a,b\n" + row)
        with pytest.raises(penstock.TruncatedInput, match="a quote that is never closed"):
            penstock.csv.dump([{"a": 3, "b": 4}], path, append=True)


def test_464_blanks_before_many_stray_quotes():
    """With `trim=True`, the blanks were looked at again for each of the quotes."""

    def work(size: int) -> Callable[[], object]:
        text = b"a\n" + b" " * size + b"x" + b'"' * size
        dialect = penstock.csv.Dialect(trim=True)
        return lambda: list(penstock.csv.read([text], dialect=dialect, errors=[].append))

    assert_linear(work, 40_000)


def converted(text: bytes, into: Any, to: Any) -> bytes:
    target = BytesIO()
    penstock.convert(BytesIO(text), target, into=into, format="ndjson", to=to)
    return target.getvalue()


def test_465_converted_values_whose_text_is_another():
    """Without objects, `convert` wrote text of a union that is read back as a number."""

    @dataclass
    class Row:
        a: int | str

    assert converted(b'{"a": "x"}', Row, "csv") == b"a\nx\n"
    with pytest.raises(penstock.EncodeError) as caught:
        converted(b'{"a": "1"}', Row, "csv")
    assert str(caught.value) == "a: its text would be read back as int (record 1)"


def test_466_converted_forms():
    """Without objects, `convert` wrote cells without the forms that the class declares."""

    @dataclass
    class Row:
        a: Annotated[float, cells(decimal=",")]
        b: Annotated[bool, cells(true=("Y",), false=("N",))] = True

    assert converted(b'{"a": 1.5}\n{"b": false, "a": 2}\n', Row, "csv") == (
        b'a,b\n"1,5",Y\n"2,0",N\n'
    )


def test_467_the_length_of_bytes():
    """Without objects, `convert` took the length of the base64 text for that of the bytes."""

    @dataclass
    class Row:
        a: Annotated[bytes, MinLen(5)]

    assert converted(b'{"a": "eHh4eHg="}', Row, "ndjson") == b'{"a":"eHh4eHg="}\n'
    with pytest.raises(penstock.ValidationError) as caught:
        converted(b'{"a": "eHh4eA=="}', Row, "ndjson")
    reason = "expected bytes of at least 5 bytes, got 4 (record 1, at a)"
    assert str(caught.value) == f"line 1, column 7: {reason}"


def test_468_defaults_in_a_property_list():
    """Without objects, `convert` wrote dates and bytes that are defaults as strings."""

    @dataclass
    class Row:
        a: bytes = b"xx"
        b: datetime = datetime(2026, 1, 2, tzinfo=UTC)

    # `plistlib` reads dates without a time zone.
    found = plistlib.loads(converted(b"{}", Row, "plist"))
    assert found == [{"a": b"xx", "b": Row().b.replace(tzinfo=None)}]


def test_469_a_dialect_to_be_found():
    """The manual said that `convert` takes `dialect="infer"`, and it was a `TypeError`."""
    target = BytesIO()
    source = BytesIO(b"a;b\n" + b"1;x,y\n" * 5)
    penstock.convert(source, target, format="csv", to="ndjson", dialect="infer")
    assert target.getvalue() == b'{"a":"1","b":"x,y"}\n' * 5
