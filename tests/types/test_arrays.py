"""Arrays of numbers hold what a list of the same numbers makes, from any format."""

from __future__ import annotations

import io
import json
import plistlib
from array import array
from dataclasses import dataclass, make_dataclass
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pytest
from annotated_types import MinLen
from effort import often
from hypothesis import given, settings
from hypothesis import strategies as st

import penstock
from penstock import ValidationError, at, typecode
from penstock._annotations import conversions

if TYPE_CHECKING:
    from collections.abc import Callable

INTEGERS = "bBhHiIlLqQ"
SCALARS: dict[str, Any] = {code: np.dtype(code).type for code in ("?", *INTEGERS, "f", "d")}
"""The types of numpy with these codes."""
TYPES: dict[str, Callable[[str], Any]] = {
    "numbers": lambda code: Annotated[array, typecode(code)],
    "view": lambda code: Annotated[memoryview, typecode(code)],
    "ndarray": lambda code: npt.NDArray[SCALARS[code]],
}
"""The functions that make an array of a list, and the annotations of what they make."""


def of(kind: Any, *marks: Any) -> Any:
    """Return a class with a field of this type."""
    return make_dataclass("Row", [("v", Annotated[kind, *marks] if marks else kind)])


def xml_of(value: object) -> str:
    """Return a value as the text of an element."""
    if isinstance(value, bool):
        return str(value).lower()
    return {"nan": "NaN", "inf": "INF", "-inf": "-INF"}.get(repr(value), repr(value))


def elements(values: list[Any]) -> bytes:
    return f"<r>{''.join(f'<v>{xml_of(value)}</v>' for value in values)}</r>".encode()


def json_of(values: list[Any]) -> bytes:
    return json.dumps({"v": values}).encode()


def one(records: Any) -> Any:
    (record,) = records
    return record


FORMATS: dict[str, Callable[[Any, list[Any]], Any]] = {
    "JSON": lambda kind, values: penstock.json.decode(json_of(values), of(kind)),
    "JSON, by a path": lambda kind, values: penstock.json.decode(
        json.dumps({"all": [{"v": value, "w": 0} for value in values]}), of(kind, at("all/*/v"))
    ),
    "JSON, byte by byte": lambda kind, values: one(
        penstock.json.read([bytes([byte]) for byte in json_of(values)], of(kind))
    ),
    "NDJSON": lambda kind, values: one(penstock.ndjson.read(io.BytesIO(json_of(values)), of(kind))),
    "XML, a list": lambda kind, values: penstock.xml.decode(elements(values), of(kind)),
    "XML, items": lambda kind, values: penstock.xml.decode(elements(values), kind),
    "XML, one text": lambda kind, values: penstock.xml.decode(
        f"<r><v>{' '.join(map(xml_of, values))}</v></r>".encode(),
        of(Annotated[kind, penstock.separated(" ")]),
    ),
    "CSV, one cell": lambda kind, values: one(
        penstock.csv.read(
            io.BytesIO(f"v,w\n{'|'.join(map(xml_of, values))},1\n".encode()),
            of(Annotated[kind, penstock.separated("|")]),
        )
    ),
    "CSV, cells": lambda kind, values: one(
        penstock.csv.read(
            io.BytesIO(
                f"{','.join(f'v_{at}' for at in range(len(values)))},w\n"
                f"{','.join(map(xml_of, values))},1\n".encode()
            ),
            of(Annotated[kind, penstock.spread("v_*")]),
        )
    ),
    "a binary property list": lambda kind, values: penstock.plist.decode(
        plistlib.dumps({"v": values}, fmt=plistlib.FMT_BINARY), of(kind)
    ),
    "an XML property list": lambda kind, values: penstock.plist.decode(
        plistlib.dumps({"v": values}), of(kind)
    ),
    "columns": lambda kind, values: one(
        penstock.read(pa.table({"v": pa.array([values], pa.list_(arrow_of(values)))}), of(kind))
    ),
}
"""How a class with a field `v` is read from each format that holds these values."""


def arrow_of(values: list[Any]) -> pa.DataType:
    """Return the type of the values of a column."""
    if any(isinstance(value, float) for value in values):
        return pa.float64()
    return pa.bool_() if any(isinstance(value, bool) for value in values) else pa.int64()


def outcome(make: Callable[[], Any]) -> Any:
    """Return what a call makes, in its bytes, or how it is refused."""
    try:
        made = make()
    except ValidationError as error:
        return (error.reason, error.path, error.offset, error.line, error.column, error.record)
    made = getattr(made, "v", made)
    return (type(made), getattr(made, "dtype", None), memoryview(made).format, made.tobytes())


def by_list(read: Callable[[Any, list[Any]], Any], kind: str, code: str, values: list[Any]) -> Any:
    """Return what a list becomes: Penstock makes the list, and the function makes the array."""
    item = {"?": bool, "f": float, "d": float}.get(code, int)
    made: list[Any] = []

    def keep() -> Any:
        row = read(list[item], values)
        made.extend(getattr(row, "v", row))
        return getattr(conversions, kind)(code, made)

    try:
        return outcome(keep)
    except ValueError as refused:
        name = {"numbers": "array", "view": "memoryview"}.get(kind, kind)
        reason = f"expected {name}, got an array of {len(made)}: {refused}"
    # A list that is too short is refused at the same place.
    found = outcome(lambda: read(Annotated[list[item], MinLen(10_000)], values))
    return (reason, *found[1:])


EDGES = sorted(
    {
        sign * 2**bits + by
        for bits in (7, 8, 15, 16, 31, 32, 63, 64)
        for sign in (-1, 1)
        for by in (-1, 0, 1)
    }
)
INTS = st.one_of(st.integers(-200, 300), st.sampled_from([it for it in EDGES if it >= -(2**63)]))
SMALL = st.one_of(st.integers(-200, 300), st.integers(-(2**63), 2**63 - 1))
FLOATS = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False),
    st.floats(width=32, allow_nan=False, allow_infinity=False),
    st.integers(-(2**24), 2**24).map(float),
)
CASES = [(kind, code) for kind in TYPES for code in SCALARS if code != "?" or kind == "ndarray"]


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize(("kind", "code"), CASES)
def test_an_array_is_that_of_a_list(kind: str, code: str, format: str) -> None:
    read = FORMATS[format]
    # Arrow's integers are of 64 bits, with a sign.
    integers = SMALL if format == "columns" else INTS.filter(lambda it: it < 2**64)
    item: Any = {"?": st.booleans(), "f": FLOATS, "d": FLOATS}.get(code, integers)

    @settings(max_examples=often(20, long=100))
    @given(st.lists(item, min_size=1, max_size=6))
    def same(values: list[Any]) -> None:
        made = outcome(lambda: read(TYPES[kind](code), values))
        assert made == by_list(read, kind, code, values)

    same()


@pytest.mark.parametrize("code", [*INTEGERS, "f", "d"])
def test_all_values_of_the_type_and_the_first_beyond(code: str) -> None:
    into: Any = Annotated[array, typecode(code)]
    if code in "fd":
        values: list[Any] = [0.0, -0.0, 0.5, 5e-324 if code == "d" else 2.0**-149, -(2.0**100)]
        assert (
            penstock.json.decode(json.dumps(values), into).tobytes()
            == array(code, values).tobytes()
        )
        return
    bits = array(code).itemsize * 8
    least, most = (0, 2**bits - 1) if code.isupper() else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    values = [least, least + 1, 0, most - 1, most]
    made = penstock.json.decode(json.dumps(values), into)
    assert made == array(code, values)
    # An array is one of its own: it can grow.
    made.append(1)
    assert made.tolist() == [*values, 1]


def test_numbers_of_several_columns_beside_each_other() -> None:
    @dataclass
    class Columns:
        name: Annotated[list[str], at("rows/*/name")]
        count: Annotated[array, typecode("H"), at("rows/*/count")]
        share: Annotated[array, typecode("d"), at("rows/*/share")]

    rows = [{"name": f"n{at}", "count": at * 7 % 65_536, "share": at / 3} for at in range(20_000)]
    made = penstock.json.decode(json.dumps({"rows": rows}), Columns)
    assert made.name[19_999] == "n19999"
    assert made.count == array("H", [row["count"] for row in rows])
    assert made.share == array("d", [row["share"] for row in rows])


def test_a_key_that_comes_again() -> None:
    kind = of(Annotated[array, typecode("q")])
    assert penstock.json.decode('{"v": [1, 2], "v": [3]}', kind).v == array("q", [3])
    path = of(Annotated[array, typecode("q"), at("a/*")])
    assert penstock.json.decode('{"a": [1, 2], "a": [3]}', path).v == array("q", [3])


def test_errors_have_their_places() -> None:
    kind = of(Annotated[array, typecode("B")])

    def refused(data: str, **options: Any) -> list[tuple[str, str, int]]:
        with pytest.raises(ValidationError) as caught:
            penstock.json.decode(data, kind, **options)
        errors = caught.value.problems
        return [(error.reason, error.path, error.offset) for error in errors]

    assert refused('{"v": [1, "x", 3]}') == [("expected int, got a string", "v/1", 10)]
    assert refused('{"v": [1, 2, null]}') == [("expected int, got null", "v/2", 13)]
    assert refused('{"v": [1, [2]]}') == [("expected int, got an array", "v/1", 10)]
    assert refused('{"v": [256, "x"]}') == [("expected int, got a string", "v/1", 12)]
    beyond = "expected array, got an array of 3: a number is beyond the range of its typecode 'B'"
    assert refused('{"v": [1, 256, -1]}') == [(beyond, "v", 17)]
    assert refused('{"v": [1, "x", 256, 2.5]}', all_errors=True) == [
        ("expected int, got a string", "v/1", 10),
        ("expected int, got a number with a fraction or an exponent", "v/3", 20),
    ]


def test_a_limit_counts_the_bytes_of_the_numbers() -> None:
    kind = of(Annotated[array, typecode("d")])
    data = json_of([0.5] * 100_000)
    limits = penstock.Limits(memory=1_000_000)
    made = penstock.json.decode(data, kind, limits=limits)
    assert len(made.v) == 100_000
    with pytest.raises(penstock.LimitExceeded, match=r"limits.memory"):
        penstock.json.decode(json_of([0.5] * 200_000), kind, limits=limits)
