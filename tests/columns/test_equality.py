"""Columns are the objects, field by field: any class, any cut of the input, any batch."""

from __future__ import annotations

import csv
import io
import json
import plistlib
import re
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path
from typing import Annotated, Any, Literal

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from in_columns import Chunks, batches, outcome, plain, rows

import penstock
from penstock import at

SETTINGS = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))


@dataclass(slots=True)
class Inner:
    a: int
    b: str | None = None
    c: list[float] = field(default_factory=list)


@dataclass(slots=True)
class Outer:
    name: str
    size: Annotated[int, penstock.int16]
    inner: Inner | None
    many: list[Inner]
    table: dict[str, Inner | None]
    ratio: float = 0.25
    day: date | None = None
    kind: Literal["x", "y"] = "y"
    word: Annotated[str, penstock.dictionary] = ""
    deep: Annotated[int | None, at("path/to/deep")] = None
    wide: Annotated[str, at("path/wide")] = "w"


def loose(value: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Values that mostly fit, and sometimes are of another type, or not there."""
    other = st.one_of(
        st.none(), st.booleans(), st.just("text"), st.just([]), st.just({}), st.just(7)
    )
    return st.one_of(value, value, value, value, value, value, value, other)


TEXT = st.text(st.characters(codec="utf-8"), max_size=6)
INNER = st.fixed_dictionaries(
    {"a": loose(st.integers(-(2**63), 2**63 - 1))},
    optional={
        "b": loose(TEXT),
        "c": loose(st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=3)),
        "more": st.just({"ignored": [1, {"x": None}]}),
    },
)
OUTER = st.fixed_dictionaries(
    {
        "name": loose(TEXT),
        "size": loose(st.integers(-40_000, 40_000)),
        "inner": st.one_of(st.none(), loose(INNER)),
        "many": loose(st.lists(INNER, max_size=3)),
        "table": loose(st.dictionaries(TEXT, st.one_of(st.none(), INNER), max_size=3)),
    },
    optional={
        "ratio": loose(st.one_of(st.floats(allow_nan=False, allow_infinity=False), st.integers())),
        "day": loose(st.dates().map(str)),
        "kind": loose(st.sampled_from(["x", "y", "z"])),
        "word": loose(TEXT),
        "path": loose(
            st.fixed_dictionaries(
                {}, optional={"to": loose(st.just({"deep": 5})), "wide": loose(TEXT)}
            )
        ),
        "unknown": st.just([{"a": 1}]),
    },
)


def narrow(value: Any) -> bool:
    """Whether the integers of an object fit their columns."""
    return -(2**15) <= value.size < 2**15


def too_large(errors: list[Any]) -> set[int]:
    """Return the records in which a number is too large for its column. What is wrong with them behind
    it, columns do not say."""
    return {error.record for error in errors if re.search("expected int(16|64)", str(error))}


@given(st.lists(OUTER, max_size=6), st.integers(1, 4), st.integers(1, 60), st.booleans())
@SETTINGS
def test_lines(records: list[Any], count: int, size: int, escaped: bool) -> None:
    data = b"".join(json.dumps(it, ensure_ascii=escaped).encode() + b"\n" for it in records)
    wrong: list[Any] = []
    objects = list(penstock.ndjson.read(io.BytesIO(data), Outer, errors=wrong.append))
    expected = [plain(each) for each in objects if narrow(each)]
    found: list[Any] = []
    reader = penstock.ndjson.read(Chunks(data, size), Outer, errors=found.append)
    assert list(batches(reader.columns(rows=count))) == expected
    # Whatever is wrong with an object is wrong with its row, in the same words, unless a number before
    # it is too large for its column.
    large = too_large(found)
    said = [str(error) for error in found if error.record not in large]
    assert said == [str(error) for error in wrong if error.record not in large]
    bad = {error.record for error in wrong} | large
    assert {error.record for error in found} == bad
    assert reader.skipped == len(found) == len(bad)
    assert len(expected) == len(records) - len(bad)


@given(st.lists(OUTER, max_size=4), st.integers(1, 60))
@SETTINGS
def test_an_array(records: list[Any], size: int) -> None:
    data = json.dumps(records).encode()

    def as_objects() -> Any:
        objects = list(penstock.json.read(io.BytesIO(data), Outer))
        return [plain(each) for each in objects]

    expected = outcome(as_objects)
    found = outcome(lambda: list(batches(penstock.json.read(Chunks(data, size), Outer).columns())))
    if found[0] == "error" and "int16" in found[1][1]:
        return
    assert found == expected


@given(st.binary(max_size=12), st.lists(OUTER, min_size=1, max_size=2), st.data())
@SETTINGS
def test_malformed_text(junk: bytes, records: list[Any], data: st.DataObject) -> None:
    text = b"\n".join(json.dumps(it).encode() for it in records)
    where = data.draw(st.integers(0, len(text)))
    text = text[:where] + junk + text[where + len(junk) // 2 :]
    size = data.draw(st.integers(1, 60))
    wrong: list[Any] = []
    found: list[Any] = []

    def as_objects() -> Any:
        objects = penstock.ndjson.read(io.BytesIO(text), Outer, errors=wrong.append)
        return [plain(each) for each in objects if narrow(each)]

    def as_columns() -> Any:
        reader = penstock.ndjson.read(Chunks(text, size), Outer, errors=found.append)
        return list(batches(reader.columns()))

    # Text in another encoding is an error of the whole.
    assert outcome(as_columns) == outcome(as_objects)
    large = too_large(found)
    ours = [str(error) for error in found if error.record not in large]
    assert ours == [str(error) for error in wrong if error.record not in large]


@given(st.lists(OUTER, max_size=6), st.integers(1, 60), st.booleans(), st.data())
@SETTINGS
def test_what_a_check_finds(
    records: list[Any], size: int, all_errors: bool, data: st.DataObject
) -> None:
    text = b"".join(json.dumps(it).encode() + b"\n" for it in records)
    where = data.draw(st.integers(0, len(text)))
    text = (
        text[:where] + data.draw(st.sampled_from([b"", b"", b"\n", b"\xff", b'"'])) + text[where:]
    )
    options: Any = {
        "all_errors": all_errors,
        "unknown": data.draw(st.sampled_from(["skip", "error"])),
    }
    wrong: list[Any] = []
    objects = list(penstock.ndjson.read(io.BytesIO(text), Outer, errors=wrong.append, **options))
    found: list[Any] = []
    reader = penstock.ndjson.read(Chunks(text, size), Outer, errors=found.append, **options)
    assert reader._check(1)
    # What is wrong for a column alone is no error.
    assert [str(error) for error in found] == [str(error) for error in wrong]
    assert (reader.progress.records, reader.skipped) == (len(objects), len(wrong))


@pytest.mark.parametrize("duplicates", ["last", "first", "error"])
def test_repeated_keys(duplicates: Any) -> None:
    data = b"""
    {"name": "a", "size": 1, "inner": {"a": 1}, "many": [{"a": 1}], "table": {}, "name": "b",
     "inner": {"a": 2, "a": 3}, "many": [], "table": {"k": null, "k": {"a": 9}}}
    """.replace(b"\n", b"")

    def read() -> Any:
        return penstock.ndjson.read(io.BytesIO(data), Outer, duplicates=duplicates)

    expected = outcome(lambda: [plain(each) for each in read()])
    assert outcome(lambda: list(batches(read().columns()))) == expected


@pytest.mark.parametrize("unknown", ["skip", "error", "collect"])
def test_unknown_keys(unknown: Any) -> None:
    data = b'{"a": 1, "d": 2, "b": "x"}\n{"a": 2}\n'

    def read() -> Any:
        return penstock.ndjson.read(io.BytesIO(data), Inner, unknown=unknown)

    expected = outcome(lambda: [plain(each) for each in read()])
    reader = read()
    assert outcome(lambda: list(batches(reader.columns()))) == expected
    assert reader.unknown == ({"Inner.d": 1} if unknown == "collect" else {})


@pytest.mark.parametrize("errors", ["skip", "collect", "raise"])
@pytest.mark.parametrize("all_errors", [False, True])
def test_policies(errors: Any, all_errors: bool) -> None:
    data = b"""{"a": 1, "b": "x"}
{"a": "1", "b": 2}
{"b": [], "c": ["x", 1, null]}
not json
{"a": 2, "c": [1, 2]}
{"a": 3
"""

    def read() -> Any:
        return penstock.ndjson.read(io.BytesIO(data), Inner, errors=errors, all_errors=all_errors)

    expected = outcome(lambda: [plain(each) for each in read()])
    assert outcome(lambda: list(batches(read().columns()))) == expected


def test_an_error_comes_behind_the_rows_before_it() -> None:
    data = b'{"a": 1}\n{"a": 2}\n{"a": "3"}\n{"a": 4}\n'
    columns = penstock.ndjson.read(io.BytesIO(data), Inner).columns()
    assert len(next(columns)) == 2
    with pytest.raises(penstock.ValidationError, match="line 3, column 7"):
        next(columns)


@dataclass(slots=True)
class Row:
    name: str
    size: int | None
    ratio: float = 0.5
    day: date | None = None
    flag: bool = False
    kind: Literal["x", "y"] = "x"
    word: Annotated[str, penstock.dictionary] = "none"


CELLS = st.fixed_dictionaries(
    {
        "name": TEXT,
        "size": st.one_of(st.integers().map(str), st.sampled_from(["", " 7 ", "+1", "1.0", "x"])),
        "ratio": st.one_of(
            st.floats().map(str), st.sampled_from(["", "INF", "1e3", "-.5", "1e999"])
        ),
        "day": st.one_of(st.dates().map(str), st.sampled_from(["", "2026-02-30", "2026-01-01Z"])),
        "flag": st.sampled_from(["true", "false", "1", "0", "", "yes"]),
        "kind": st.sampled_from(["x", "y", " x", "z", ""]),
        "word": TEXT,
    }
)


def fits(value: Any) -> bool:
    return value is None or -(2**63) <= value < 2**63


@given(st.lists(CELLS, max_size=5), st.permutations(list(Row.__annotations__)), st.integers(1, 50))
@SETTINGS
def test_a_table(cells: list[dict[str, str]], order: list[str], size: int) -> None:
    text = io.StringIO()
    writer = csv.DictWriter(text, [*order, "other"])
    writer.writeheader()
    writer.writerows({**row, "other": "1"} for row in cells)
    data = text.getvalue().encode()
    wrong: list[Any] = []
    objects = list(penstock.csv.read(io.BytesIO(data), Row, errors=wrong.append))
    expected = [plain(each) for each in objects if fits(each.size)]
    found: list[Any] = []
    reader = penstock.csv.read(Chunks(data, size), Row, errors=found.append)
    got = list(batches(reader.columns(rows=2)))
    assert repr(got) == repr(expected)  # NaN is not equal to itself
    large = too_large(found)
    ours = [str(error) for error in found if error.record not in large]
    assert ours == [str(error) for error in wrong if error.record not in large]


@pytest.mark.parametrize(
    "text",
    [
        b"name,day\nx,\n",
        b"nam,size\nx,1\n",
        b"name,name,size\nx,y,1\n",
        b"name,size\nx,1,2\n",
        b"name,size\nx\n",
        b"",
    ],
)
def test_a_header_that_does_not_fit(text: bytes) -> None:
    def read() -> Any:
        return penstock.csv.read(io.BytesIO(text), Row)

    expected = outcome(lambda: [plain(each) for each in read()])
    assert outcome(lambda: list(batches(read().columns()))) == expected


def test_elements() -> None:
    @dataclass
    class Item:
        id: Annotated[int, at("@id")]
        name: str
        tags: Annotated[list[str], at("tags/tag")] = field(default_factory=list)
        note: str | None = None

    data = b"""<shop><item id="1"><name>Nut <b>&amp;</b> bolt</name><tags><tag>a</tag><tag/></tags>
    </item><item id="2"><name> x </name><note>y</note></item></shop>"""
    objects = [plain(each) for each in penstock.xml.read(io.BytesIO(data), Item)]
    assert objects[0]["name"] == "Nut & bolt"
    assert rows(penstock.xml.read(io.BytesIO(data), Item).columns()) == objects
    assert rows(penstock.xml.read(Chunks(data, 3), Item).columns()) == objects


def test_chosen_columns() -> None:
    line = {
        "name": "a",
        "size": 1,
        "inner": {"a": 1, "b": "x"},
        "many": [],
        "table": {},
        "ratio": "not a number",
    }
    data = json.dumps(line).encode() + b"\n"
    columns = penstock.ndjson.read(io.BytesIO(data), Outer).columns(columns=["inner/b", "name"])
    assert rows(columns) == [{"name": "a", "inner": {"b": "x"}}]
    text = b"name,size,ratio\nx,wrong,0.25\n"
    chosen = penstock.csv.read(io.BytesIO(text), Row).columns(columns=["ratio", "name"])
    assert rows(chosen) == [{"name": "x", "ratio": 0.25}]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (["nme"], 'columns: Outer has no field "nme"; did you mean "name"?'),
        (["inner/x"], 'columns: Inner has no field "x"'),
        (["name/x"], "columns: Outer.name has no fields"),
        ([], "columns must name at least one"),
    ],
)
def test_a_column_that_there_is_not(columns: list[str], message: str) -> None:
    with pytest.raises(ValueError, match="columns") as caught:
        penstock.ndjson.read(io.BytesIO(), Outer).columns(columns=columns)
    assert str(caught.value) == message


def test_several_files(tmp_path: Path) -> None:
    (tmp_path / "a.ndjson").write_text('{"a": 1}\n{"a": "x"}\n{"a": 2}')
    (tmp_path / "b.json").write_text('[{"a": 3, "b": "y"}]')
    (tmp_path / "c.csv").write_text("a,b\n4,z\n")
    paths = [tmp_path / name for name in ("a.ndjson", "b.json")]
    reader = penstock.read(paths, Inner, errors="skip")
    assert [row["a"] for row in batches(reader.columns())] == [1, 2, 3]
    assert reader.skipped == 1
    assert rows(penstock.columns(tmp_path / "a.ndjson", Inner, errors="skip", columns=["a"])) == [
        {"a": 1},
        {"a": 2},
    ]


def test_batches_are_bounded_by_rows_and_bytes() -> None:
    data = b'{"a": 1}\n' * 10
    columns = penstock.ndjson.read(io.BytesIO(data), Inner).columns(rows=4)
    assert [len(batch) for batch in columns] == [4, 4, 2]
    wide = json.dumps({"a": 1, "b": "x" * 1_000_000}).encode() + b"\n"
    columns = penstock.ndjson.read(io.BytesIO(wide * 40), Inner).columns()
    assert [len(batch) for batch in columns] == [17, 17, 6]


def test_no_rows() -> None:
    found = pa.table(penstock.ndjson.read(io.BytesIO(b""), Inner).columns())
    assert found.num_rows == 0
    assert found.schema.names == ["a", "b", "c"]


@dataclass(slots=True)
class Track:
    name: str
    plays: int
    rating: float | None = None
    added: datetime | None = None
    data: bytes = b""
    tags: list[str] = field(default_factory=list)
    inner: Inner | None = None


@pytest.mark.parametrize("form", [plistlib.FMT_XML, plistlib.FMT_BINARY])
def test_property_lists(form: Any) -> None:
    tracks = [
        {"name": "a", "plays": 2**40, "rating": 0.5, "tags": ["x", "y"], "inner": {"a": 1}},
        {"name": "b", "plays": 0, "added": datetime.fromisoformat("2026-01-02T03:04:05")},
        {"name": "c", "plays": -1, "data": b"\x00\xff", "more": {"k": [1]}},
        {"name": "d", "plays": "many"},
    ]
    data = plistlib.dumps(tracks, fmt=form)

    def read() -> Any:
        return penstock.plist.read(io.BytesIO(data), Track, errors="skip")

    expected = [plain(each) for each in read()]
    assert [row["name"] for row in expected] == ["a", "b", "c"]
    reader = read()
    assert rows(reader.columns()) == expected
    assert reader.skipped == 1
