"""Columns without a class: the schema that a first pass finds."""

from __future__ import annotations

import gzip
import io
import json
import os
import plistlib
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from in_columns import Chunks, batches, outcome, plain, rows, table

import penstock
from penstock import PlanError, ValidationError

SETTINGS = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))


def schema(data: bytes, format: Any = "ndjson", **options: Any) -> str:
    return str(penstock.schema(io.BytesIO(data), format=format, **options))


FOUND: dict[str, tuple[str, str]] = {
    "a late key": ('{"a": 1}\n' * 5_000 + '{"z": true}', "a: Int64 | null, z: Boolean | null"),
    "null and more": ('{"a": null}\n{"a": 1}', "a: Int64 | null"),
    "only null": ('{"a": null}', "a: Null | null"),
    "unsigned": ('{"a": 18446744073709551615}', "a: UInt64"),
    "both ends": ('{"a": 18446744073709551615}\n{"a": -1}', "a: Decimal128(20, 0)"),
    "wide": ('{"a": -%s}' % ("9" * 40), "a: Decimal256(40, 0)"),
    "fractions": ('{"a": 1}\n{"a": 0.5}', "a: Float64"),
    "exact": ('{"a": 9007199254740993}\n{"a": 0.25}', "a: Decimal128(18, 2)"),
    "powers": ('{"a": 9007199254740993}\n{"a": 12.50e2}', "a: Decimal128(16, 0)"),
    "small powers": ('{"a": 9007199254740993}\n{"a": 5e-3}', "a: Decimal128(19, 3)"),
    "lists": ('{"a": []}\n{"a": [1, null]}', "a: List(Int64)"),
    "full lists": ('{"a": [1]}\n{"a": [2.5]}', "a: List(non-null Float64)"),
    "empty lists": ('{"a": []}', "a: List(Null)"),
    "objects": (
        '{"a": {"x": 1}}\n{"a": {"y": "s"}}\n{}',
        'a: Struct("x": Int64, "y": Utf8) | null',
    ),
    "the same key twice": ('{"a": 1, "a": 2}\n{"b": 1}', "a: Int64 | null, b: Int64 | null"),
    "no records": ("", ""),
}


@pytest.mark.parametrize("name", FOUND)
def test_what_is_found(name: str) -> None:
    data, expected = FOUND[name]
    assert schema(data.encode()) == f"Schema({expected})"
    lines = data.split("\n") if data else []
    assert schema(("[" + ",".join(lines) + "]").encode(), "json") == f"Schema({expected})"


CELLS: dict[str, tuple[list[str], str]] = {
    "integers": (["1", "-20", "0"], "Int64"),
    "an empty cell": (["1", ""], "Int64 | null"),
    "zeros in front": (["1", "007"], "Utf8"),
    "a sign": (["+1"], "Utf8"),
    "minus zero": (["-0"], "Utf8"),
    "white space": (["1", " 2"], "Utf8"),
    "fractions": (["1.50", "2", "1e-7"], "Float64"),
    "seventeen digits": (["0.30000000000000004"], "Float64"),
    "eighteen digits": (["0.300000000000000041"], "Utf8"),
    "integers and fractions": (["9007199254740993", "0.5"], "Utf8"),
    "too large": (["18446744073709551616"], "Utf8"),
    "unsigned": (["18446744073709551615"], "UInt64"),
    "too large a power": (["1e400"], "Utf8"),
    "no digits": (["1.", ".5", "1e", "-"], "Utf8"),
    "bools": (["true", "false"], "Boolean"),
    "other bools": (["yes", "no"], "Utf8"),
    "bools and integers": (["true", "1"], "Utf8"),
    "dates": (["2026-01-02"], "Utf8"),
    "words": (["a", "1"], "Utf8"),
    "a quoted empty cell": (["1", '""'], "Utf8"),
    "nothing": (["", ""], "Utf8 | null"),
}


@pytest.mark.parametrize("name", CELLS)
def test_cells(name: str, tmp_path: Path) -> None:
    cells, expected = CELLS[name]
    data = "".join(f"{cell},x\n" for cell in ["a", *cells])
    assert schema(data.encode(), "csv") == f"Schema(a: {expected}, x: Utf8)"
    path = tmp_path / "table.csv"
    path.write_text(data)
    found = rows(penstock.columns(path))
    written = [json.loads(cell) if cell == '""' else cell for cell in cells]
    if not expected.startswith("Utf8"):
        assert [row["a"] for row in found] == [
            json.loads(cell) if cell else None for cell in written
        ]
    else:
        assert [row["a"] or "" for row in found] == written


def test_a_table_without_rows() -> None:
    assert schema(b"a,b\n", "csv") == "Schema(a: Utf8 | null, b: Utf8 | null)"


def test_elements(tmp_path: Path) -> None:
    data = (
        b'<r xmlns:t="urn:t"><x id="7">t<a>1</a><t:b/><a>2</a></x>'
        b'<x><c d="1">5</c><e>1</e></x><x id="8"><e/></x></r>'
    )
    expected = (
        "Schema(@id: Int64 | null, a: List(non-null Int64), {urn:t}b: Utf8 | null, "
        'c: Struct("@d": non-null Int64, "#text": non-null Int64) | null, e: Utf8 | null, '
        "#text: Utf8 | null)"
    )
    assert schema(data, "xml", at="r/x") == expected
    path = tmp_path / "all.xml"
    path.write_bytes(data)
    nothing = {"@id": None, "a": [], "{urn:t}b": None, "c": None, "e": None, "#text": ""}
    assert rows(penstock.columns(path, at="r/x")) == [
        nothing | {"@id": 7, "a": [1, 2], "{urn:t}b": "", "#text": "t"},
        nothing | {"c": {"@d": 1, "#text": 5}, "e": "1"},
        nothing | {"@id": 8, "e": ""},
    ]


@pytest.mark.parametrize("format", [plistlib.FMT_XML, plistlib.FMT_BINARY])
def test_property_lists(format: Any, tmp_path: Path) -> None:
    value = [
        {"n": 1, "when": datetime(2026, 1, 2, 3, 4, 5), "data": b"x"},  # noqa: DTZ001
        {"r": 2.5, "n": 2, "flag": True},
    ]
    path = tmp_path / "all.plist"
    path.write_bytes(plistlib.dumps(value, fmt=format, sort_keys=False))
    assert str(penstock.schema(path)) == (
        'Schema(n: Int64, when: Timestamp(µs, "UTC") | null, data: Binary | null, '
        "r: Float64 | null, flag: Boolean | null)"
    )
    first, second = rows(penstock.columns(path))
    assert first["when"] == datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    assert (first["data"], second["r"], second["flag"]) == (b"x", 2.5, True)


def test_a_uid_has_no_column() -> None:
    data = plistlib.dumps([{"a": plistlib.UID(3)}], fmt=plistlib.FMT_BINARY)
    with pytest.raises(ValidationError) as caught:
        schema(data, "plist")
    assert str(caught.value) == "byte 15: a UID has no column (record 1, at 0/a)"


def refused(data: str, format: Any = "ndjson") -> str:
    with pytest.raises((ValidationError, PlanError, penstock.LimitExceeded)) as caught:
        schema(data.encode(), format)
    return str(caught.value)


def test_two_kinds_at_one_place() -> None:
    assert refused('{"a": 1}\n{}\n{"a": "x"}') == (
        "line 3, column 7: expected a number as in record 1, got a string; unions='text' or 'json' "
        "of columns() takes both, and errors='skip' leaves out the records that differ "
        "(record 3, at a)"
    )
    assert refused('{"a": [{"b": 1}, {"b": {}}]}') == (
        "line 1, column 24: expected a number as in this record, got an object; unions='json' "
        "of columns() takes both, and errors='skip' leaves out the records that differ "
        "(record 1, at a/1/b)"
    )
    assert refused('[{"a": null}, {"a": []}, {"a": true}]', "json") == (
        "line 1, column 32: expected an array as in record 2, got a bool; unions='json' "
        "of columns() takes both, and errors='skip' leaves out the records that differ "
        "(record 3, at 2/a)"
    )
    # However many values are between the two.
    many = ", ".join(f'{{"k{n}": {n}}}' for n in range(500))
    assert "expected a number as in this record, got a string" in refused(
        f'{{"a": [{{"x": 1}}, {many}, {{"x": ""}}]}}'
    )


def test_a_key_column_of_arrays() -> None:
    lists = b'{"BE": [{"n": 1}], "GR": [{"n": 2}]}'
    with pytest.raises(ValidationError) as raised:
        penstock.columns([lists], format="json", at="*", key_column="code")
    assert (raised.value.path, raised.value.column) == ("BE", 8)
    assert raised.value.reason == (
        "expected an object, got an array; a NamedTuple as the class names its elements, and one "
        "more '/*' at the end of at= makes records of them"
    )
    with pytest.raises(ValidationError) as raised:
        penstock.columns([lists], format="json", at="*/*", key_column="code").to_arrow()
    assert (raised.value.path, raised.value.column) == ("BE/0", 9)
    assert raised.value.reason == (
        "expected str, got the index 0: elements of an array have no keys; an int takes the "
        "index, and key_column= is for the values of objects"
    )


def test_what_is_no_record() -> None:
    assert refused("[1]", "json") == (
        "line 1, column 2: expected an object, got a number (record 1, at 0)"
    )
    assert refused("[1]") == (
        "line 1, column 1: expected an object, got an array; a NamedTuple as the class names its "
        "elements, and one more '/*' at the end of at= makes records of them (record 1)"
    )


def test_bounds() -> None:
    many = "\n".join(f'{{"k{n}": 1}}' for n in range(10_001))
    assert refused(many) == (
        "line 10001, column 2: there are more than 10000 columns, or they are more than 64 deep "
        '(at ""): pass a class or a schema (record 10001)'
    )
    deep = '{"a": ' + "[" * 70 + "]" * 70 + "}"
    assert "more than 64 deep" in refused(deep)
    assert refused('{"a": 9007199254740993}\n{"a": 1e300}') == (
        "no column holds all the numbers at a exactly: pass a class or a schema"
    )


def test_records_in_error_do_not_count(tmp_path: Path) -> None:
    data = b'{"a": 1}\n{"z": 1, "a": "x"}\n{"y": tru}\n{"b": 2}\n'
    assert schema(data, errors="skip") == "Schema(a: Int64 | null, b: Int64 | null)"
    path = tmp_path / "lines.ndjson"
    path.write_bytes(data)
    columns = penstock.columns(path, errors="skip")
    assert rows(columns) == [{"a": 1, "b": None}, {"a": None, "b": 2}]
    assert columns.reader.skipped == 2
    given: list[Any] = []
    assert len(rows(penstock.read(path, errors=given.append).columns())) == 2
    assert [error.record for error in given] == [2, 3]


@pytest.mark.parametrize("errors", ["skip", "collect", "call"])
def test_data_in_memory_has_the_columns_of_its_file(errors: Any, tmp_path: Path) -> None:
    data = b'{"a": 1}\nbad\n{"a": 2.5, "late": {"x": true}}\n{"a": "text"}\n'
    path = tmp_path / "lines.ndjson"
    path.write_bytes(data)
    with path.open("rb") as file:
        sources: list[Any] = [path, io.BytesIO(data), [data[:9], data[9:]], (data,), file]
        found = []
        for source in sources:
            given: list[Any] = []
            how = given.append if errors == "call" else errors
            columns = penstock.columns(source, format="ndjson", errors=how)
            records = []
            with suppress(ExceptionGroup):
                for batch in columns:
                    records += pa.record_batch(batch).to_pylist()
            found.append((str(columns), records, len(given), columns.reader.skipped))
    assert found[0][:3] == (
        'Columns(a: Float64, late: Struct("x": non-null Boolean) | null)',
        [{"a": 1.0, "late": None}, {"a": 2.5, "late": {"x": True}}],
        2 if errors == "call" else 0,
    )
    assert found == found[:1] * len(sources)


def test_data_in_memory_that_is_compressed_or_inside_of_a_document() -> None:
    data = gzip.compress(b'{"rows": [{"a": 1}, {"b": "x"}]}')
    for source in (io.BytesIO(data), [data]):
        columns = penstock.columns(source, format="json", at="rows/*", columns=["b"])
        assert rows(columns) == [{"b": None}, {"b": "x"}]


def test_a_stream_is_read_once() -> None:
    message = (
        "^the columns of records without a class are found by reading them twice, and this "
        "source can be read only once: pass a class or a schema$"
    )

    class Pipe(io.BytesIO):
        def seekable(self) -> bool:
            return False

    with pytest.raises(PlanError, match=message):
        penstock.columns(Pipe(b"{}"), format="ndjson")
    with pytest.raises(PlanError, match=message):
        penstock.ndjson.read(iter([b"{}"])).columns()
    # The schema alone needs one pass.
    assert schema(b'{"a": 1}') == "Schema(a: Int64)"


@pytest.mark.parametrize("threads", [1, 2])
def test_data_in_memory(threads: int) -> None:
    lines = [
        f'{{"n": {n}, "late": {n / 2 if n > 30_000 else n}}}\n'.encode() for n in range(40_000)
    ]
    data = b"".join(lines)
    expected = [{"n": n, "late": float(n / 2 if n > 30_000 else n)} for n in range(40_000)]
    file = io.BytesIO(b"not this" + data)
    file.seek(8)
    for source in (lines, tuple(lines), [data], io.BytesIO(data), file):
        columns = penstock.columns(source, format="ndjson", threads=threads)
        assert rows(columns) == expected
    assert file.tell() == 8 + len(data)
    # Each source of several is read again.
    both: Any = [io.BytesIO(b'{"a": 1}'), io.BytesIO(b'{"a": null, "b": 2.5}')]
    for source in both:
        assert len(rows(penstock.columns(source, format="json"))) == 1


def test_a_pipe_is_read_once(tmp_path: Path) -> None:
    path = tmp_path / "pipe.ndjson"
    os.mkfifo(path)
    held = os.open(path, os.O_RDWR)
    try:
        with pytest.raises(PlanError, match="can be read only once"):
            penstock.columns(path)
    finally:
        os.close(held)


def test_a_file_that_changes_between_the_passes(tmp_path: Path) -> None:
    first, second = tmp_path / "1.ndjson", tmp_path / "2.ndjson"
    first.write_bytes(b'{"a": 1}\n')
    second.write_bytes(b'{"a": 2}\n')
    columns = penstock.columns([first, second])
    second.write_bytes(b'{"a": "three"}\n')
    found = batches(columns)
    assert next(found) == {"a": 1}
    with pytest.raises(OSError, match=r"has changed while its columns were found: read it again$"):
        next(found)


def test_several_files(tmp_path: Path) -> None:
    (tmp_path / "a.ndjson").write_bytes(b'{"a": 1}\n')
    (tmp_path / "b.json").write_bytes(b'[{"b": 2.5}, {"a": null}]')
    (tmp_path / "c.csv").write_bytes(b"c\n5\n")
    assert str(penstock.schema(tmp_path)) == (
        "Schema(a: Int64 | null, b: Float64 | null, c: Int64 | null)"
    )
    nothing = {"a": None, "b": None, "c": None}
    assert rows(penstock.columns(tmp_path)) == [
        nothing | {"a": 1},
        nothing | {"b": 2.5},
        nothing,
        nothing | {"c": 5},
    ]
    (tmp_path / "d.json").write_bytes(b'[{"a": "x"}]')
    with pytest.raises(ValidationError) as caught:
        penstock.schema(tmp_path)
    path = tmp_path / "a.ndjson"
    assert f"expected a number as in record 1 of {path}, got a string" in str(caught.value)


def test_options_of_the_format(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(b"a;b\n1;x\n")
    reader = penstock.csv.read(path, dialect=penstock.csv.Dialect(";"))
    assert rows(reader.columns(columns=["a"])) == [{"a": 1}]
    inferred = penstock.csv.read(path, dialect="infer")
    assert rows(inferred.columns()) == [{"a": 1, "b": "x"}]


def test_a_schema_is_a_type(tmp_path: Path) -> None:
    path = tmp_path / "lines.ndjson"
    path.write_bytes(b'{"a": 1, "b": {"c": "x"}}\n{"a": 2}\n')
    found = penstock.schema(path)
    assert found == penstock.schema(path)
    assert found != pa.schema(found)
    assert found.names == ["a", "b"]
    assert pa.schema(found).names == ["a", "b"]
    assert list(penstock.read(path, found)) == [{"a": 1, "b": {"c": "x"}}, {"a": 2}]
    assert rows(penstock.columns(path, found)) == rows(penstock.columns(path))
    assert table(penstock.columns(path)).schema == pa.schema(found)


def test_consumers(tmp_path: Path) -> None:
    path = tmp_path / "lines.ndjson"
    path.write_bytes(b'{"a": 1, "n": null, "l": [1]}\n{"a": 2, "late": "x"}\n')
    frame = pl.DataFrame(penstock.columns(path))
    assert frame["late"].to_list() == [None, "x"]
    assert frame["l"].to_list() == [[1], None]
    found = duckdb.from_arrow(penstock.columns(path))
    assert found.aggregate("sum(a), max(late)").fetchall() == [(3, "x")]
    made = pd.DataFrame.from_arrow(penstock.columns(path))
    assert made["a"].tolist() == [1, 2]


def test_memory(tmp_path: Path) -> None:
    psutil = pytest.importorskip("psutil")
    path = tmp_path / "lines.ndjson"
    line = json.dumps({"n": 1, "name": "x" * 200, "l": [{"a": 1.5}] * 5}) + "\n"
    path.write_text(line * 300_000)
    process = psutil.Process()
    penstock.schema(path)
    before = process.memory_info().rss
    columns = penstock.columns(path)
    assert process.memory_info().rss - before < 32 << 20
    assert len(next(columns)) > 10_000


VALUES = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-(2**64), 2**65),
        st.floats(allow_nan=False, allow_infinity=False),
        st.text(max_size=4),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.sampled_from(["a", "b", "k"]), inner, max_size=3),
    ),
    max_leaves=8,
)
# One kind of value for each key, mostly.
RECORDS = st.lists(
    st.fixed_dictionaries(
        {},
        optional={
            "int": st.one_of(st.none(), st.integers(-(2**63), 2**63 - 1)),
            "float": st.floats(allow_nan=False, allow_infinity=False),
            "mixed": st.one_of(st.integers(-(2**60), 2**60), st.sampled_from([0.5, -1.25])),
            "text": st.text(max_size=4),
            "flag": st.booleans(),
            "list": st.lists(st.one_of(st.none(), st.integers(0, 9)), max_size=3),
            "objects": st.lists(
                st.dictionaries(st.sampled_from(["x", "y"]), st.text(max_size=2)), max_size=2
            ),
            "any": VALUES,
        },
    ),
    max_size=6,
)


def agrees(row: Any, value: Any) -> bool:
    """Whether a value of a column is that of the object; a key may be absent, and a 1 a 1.0."""
    if isinstance(row, dict):
        assert isinstance(value, dict)
        assert set(value) <= set(row)
        return all(agrees(row[key], value.get(key)) for key in row)
    if isinstance(row, list):
        return len(row) == len(value) and all(map(agrees, row, value))
    return row == value and isinstance(row, bool) == isinstance(value, bool)


@pytest.mark.filterwarnings("ignore::penstock.EmptyWarning")
@given(RECORDS, st.integers(1, 60))
@SETTINGS
def test_columns_are_the_objects(records: list[Any], size: int) -> None:
    data = json.dumps(records).encode()
    one = outcome(lambda: penstock.schema(Chunks(data, size), format="json"))
    assert one == outcome(lambda: penstock.schema(io.BytesIO(data), format="json"))
    if one[0] == "error":
        return
    found = one[1]
    made = rows(penstock.columns(Chunks(data, size), found, format="json"))
    assert all(map(agrees, made, records))
    assert len(made) == len(records)
    objects = list(penstock.json.read(io.BytesIO(data), found))
    assert all(map(agrees, made, map(plain, objects)))
    # Nothing is nullable that is not absent or null somewhere.
    for field in pa.schema(found):
        assert field.nullable == any(record.get(field.name) is None for record in records)
