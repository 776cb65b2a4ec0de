"""A condition chooses the records that the same question in Python chooses."""

from __future__ import annotations

import io
import json
import plistlib
from dataclasses import dataclass
from typing import Any, Literal
from xml.sax.saxutils import escape, quoteattr

import pytest
from conditions import FORMULAS, ORDER, RECORDS, as_condition, formulas, wants
from hypothesis import given
from hypothesis import strategies as st

import penstock


def chunked(data: bytes, size: int) -> list[bytes]:
    """The data in chunks."""
    return [data[at : at + size] for at in range(0, len(data), size)] or [b""]


@given(st.lists(RECORDS, max_size=5), FORMULAS, st.sampled_from([1, 3, 7, 1000]))
def test_lines_and_arrays(records: list[Any], formula: Any, size: int) -> None:
    condition = as_condition(formula)
    expected = [record for record in records if wants(formula, record)]
    lines = "".join(json.dumps(record) + "\n" for record in records).encode()
    assert list(penstock.ndjson.read(chunked(lines, size), where=condition)) == expected
    array = json.dumps({"records": records}, indent=1).encode()
    reader = penstock.json.read(chunked(array, size), at="records/*", where=str(condition))
    with reader:
        assert list(reader) == expected
        assert reader.filtered == len(records) - len(expected)


@given(st.lists(RECORDS, max_size=4), FORMULAS)
def test_conversions_write_what_is_wanted(records: list[Any], formula: Any) -> None:
    expected = [record for record in records if wants(formula, record)]
    lines = "".join(json.dumps(record) + "\n" for record in records).encode()
    target = io.BytesIO()
    options: Any = {"format": "ndjson", "to": "json", "empty": "allow"}
    penstock.convert(io.BytesIO(lines), target, where=as_condition(formula), **options)
    assert json.loads(target.getvalue()) == expected


PLAIN_NUMBERS = st.sampled_from([0, 1, -1, 2, 7, 0.5, 2.5])


@st.composite
def simple(draw: st.DrawFn) -> Any:
    """A comparison of one of the four fields of `Row`."""
    name = draw(st.sampled_from(["n", "x", "t", "f"]))
    literals: dict[str, Any] = {"n": PLAIN_NUMBERS, "x": PLAIN_NUMBERS, "f": st.booleans()}
    literal = draw(literals.get(name, st.sampled_from(["a", "ab", "b", "ä", "7"])))
    return name, "one", draw(st.sampled_from([*ORDER])), literal


ROW_FORMULAS = formulas(simple())
ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "n": st.sampled_from([0, 1, -1, 2, 7]),
            "x": st.sampled_from([0.0, 0.5, 2.5, 7.0, -1.0]),
            "t": st.sampled_from(["a", "ab", "b", "ä", "7", "x y"]),
            "f": st.booleans(),
        }
    ),
    max_size=5,
)


@dataclass
class Row:
    """A record of all formats."""

    n: int
    x: float
    t: str
    f: bool


@dataclass
class Name:
    """A class that has not what is asked for."""

    t: str


def of_csv(rows: list[dict[str, Any]]) -> bytes:
    """The rows as CSV."""
    return b"n,x,t,f\n" + b"".join(
        f"{row['n']},{row['x']},{row['t']},{str(row['f']).lower()}\n".encode() for row in rows
    )


def of_xml(rows: list[dict[str, Any]]) -> bytes:
    """The rows as elements."""
    return (
        "<rows>"
        + "".join(
            f"<row><x>{row['x']}</x><f>{str(row['f']).lower()}</f>"
            f"<n>{row['n']}</n><t>{escape(row['t'])}</t></row>"
            for row in rows
        )
        + "</rows>"
    ).encode()


def of_attributes(rows: list[dict[str, Any]]) -> bytes:
    """The rows as attributes."""
    return (
        "<rows>"
        + "".join(
            f"<row n='{row['n']}' t={quoteattr(row['t'])} x='{row['x']}' f='{str(row['f']).lower()}'/>"
            for row in rows
        )
        + "</rows>"
    ).encode()


WRITERS: dict[str, Any] = {
    "json": lambda rows: json.dumps(rows).encode(),
    "ndjson": lambda rows: "".join(json.dumps(row) + "\n" for row in rows).encode(),
    "csv": of_csv,
    "xml": of_xml,
    "plist": plistlib.dumps,
}


@given(ROWS, ROW_FORMULAS, st.sampled_from([1, 5, 1000]))
@pytest.mark.parametrize("name", WRITERS)
def test_every_format_with_a_class(
    name: Any, rows: list[dict[str, Any]], formula: Any, size: int
) -> None:
    wanted = [row for row in rows if wants(formula, row)]
    condition, data = as_condition(formula), WRITERS[name](rows)
    options: Any = {"format": name, "where": condition, "empty": "allow"}
    assert list(penstock.read(chunked(data, size), Row, **options)) == [
        Row(**row) for row in wanted
    ]
    names = [Name(row["t"]) for row in wanted]
    others = as_condition(formula)
    # A class without the fields: of untyped text, the literal says the type.
    if name in {"json", "ndjson", "plist"}:
        options["where"] = others
        assert list(penstock.read(chunked(data, size), Name, **options)) == names
    if name == "plist":
        binary = plistlib.dumps(rows, fmt=plistlib.FMT_BINARY)
        assert list(penstock.read(io.BytesIO(binary), Row, **options)) == [
            Row(**row) for row in wanted
        ]


@given(ROWS, ROW_FORMULAS)
@pytest.mark.parametrize("name", ["ndjson", "csv", "xml"])
def test_columns_have_the_same_rows(name: Any, rows: list[dict[str, Any]], formula: Any) -> None:
    wanted = [row for row in rows if wants(formula, row)]
    options: Any = {"format": name, "where": as_condition(formula), "empty": "allow"}
    columns = penstock.columns(io.BytesIO(WRITERS[name](rows)), Row, **options)
    found = [row for batch in columns for row in penstock.read(batch)]
    assert found == wanted


@dataclass
class Inner:
    """A part of a record."""

    e: Any = None


@dataclass
class Some:
    """A class that has a part of what is asked for."""

    a: Any = None
    d: Inner | None = None


@given(st.lists(RECORDS, max_size=4), FORMULAS, st.sampled_from([1, 4, 1000]))
def test_a_class_with_some_of_the_fields(records: list[Any], formula: Any, size: int) -> None:
    """Whole parts are skipped by the class, and asked for by the condition."""
    wanted = [record for record in records if wants(formula, record)]
    data = json.dumps({"records": records}).encode()
    options: Any = {"where": as_condition(formula), "at": "records/*", "empty": "allow"}
    found = list(penstock.json.read(chunked(data, size), Some, **options))
    assert found == penstock.json.decode(json.dumps(wanted), list[Some])
    lines = "".join(json.dumps(record) + "\n" for record in records).encode()
    for cls in (Some, Inner, dict[str, Any]):
        options = {"where": as_condition(formula), "format": "ndjson"}
        assert list(penstock.read(chunked(lines, size), cls, **options)) == (
            penstock.json.decode(json.dumps(wanted), list[cls])  # type: ignore[valid-type]
        )


@dataclass
class Cat:
    """A member of a union."""

    kind: Literal["cat"]
    b: Any = None


@dataclass
class Dog:
    """Another one, which may come late."""

    kind: Literal["dog"]
    a: Any = None


@given(
    st.lists(st.tuples(RECORDS, st.sampled_from(["cat", "dog"]), st.booleans()), max_size=4),
    FORMULAS,
    st.sampled_from([1, 6, 1000]),
)
def test_a_union_whose_key_is_looked_for(rows: list[Any], formula: Any, size: int) -> None:
    records = [
        {"kind": kind, **record} if first else {**record, "kind": kind}
        for record, kind, first in rows
    ]
    wanted = [record for record in records if wants(formula, record)]
    lines = "".join(json.dumps(record) + "\n" for record in records).encode()
    found = list(penstock.ndjson.read(chunked(lines, size), Cat | Dog, where=as_condition(formula)))
    assert found == penstock.json.decode(json.dumps(wanted), list[Cat | Dog])


@given(
    st.one_of(
        st.lists(st.integers(-3, 30), min_size=1, max_size=20),
        st.lists(st.sampled_from(["", "a", "ab", "b", "ä", "𝄞", "z"]), min_size=1),
        st.lists(st.one_of(st.integers(0, 9), st.sampled_from(["a", "7"]), st.just(2.5))),
    ),
    st.lists(RECORDS, max_size=5),
)
def test_one_of_many(values: list[Any], records: list[Any]) -> None:
    """Many literals of a kind are searched in their order."""
    lines = "".join(json.dumps(record) + "\n" for record in records).encode()
    formula = ("a", "one", "isin", values)
    expected = [record for record in records if wants(formula, record)]
    assert list(penstock.ndjson.read([lines], where=as_condition(formula))) == expected
