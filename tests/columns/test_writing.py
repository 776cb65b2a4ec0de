"""Columns written as text: equal to the text of their rows as objects, in every format."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from datetime import UTC, date, datetime, timedelta
from datetime import time as clock
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import UUID

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from effort import often
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import penstock
from penstock.csv import Dialect

SETTINGS = settings(
    max_examples=often(30, 100), deadline=None, suppress_health_check=list(HealthCheck)
)


def written(format: str, columns: Any, **options: Any) -> bytes:
    """Return what `Writer.columns` writes."""
    target = io.BytesIO()
    module = getattr(penstock, format)
    with module.write(target, **options) as writer:
        writer.columns(columns)
    return target.getvalue()


def of_objects(format: str, records: list[Any], **options: Any) -> bytes:
    """Return what `Writer.write_all` writes of the same records."""
    target = io.BytesIO()
    module = getattr(penstock, format)
    with module.write(target, **options) as writer:
        writer.write_all(records)
    return target.getvalue()


def rows(table: pa.Table) -> list[dict[str, Any]]:
    return table.to_pylist(maps_as_pydicts="strict")


# --- Any table.

NAME = st.text(st.characters(codec="utf-8", categories=("L", "N")), min_size=1, max_size=4)
TEXT = st.text(st.characters(codec="utf-8"), max_size=40)
INSTANTS = st.datetimes(datetime.fromisoformat("1700-01-01"), datetime.fromisoformat("2200-01-01"))
FLOATS = st.floats(allow_nan=False, allow_infinity=False)


def ints(kind: pa.DataType) -> st.SearchStrategy[int]:
    bits, signed = kind.bit_width, str(kind).startswith("int")
    low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)
    return st.integers(low, high)


SCALARS: list[tuple[pa.DataType, st.SearchStrategy[Any]]] = [
    *(
        (kind, ints(kind))
        for kind in (
            pa.int8(),
            pa.int16(),
            pa.int32(),
            pa.int64(),
            pa.uint8(),
            pa.uint16(),
            pa.uint32(),
            pa.uint64(),
        )
    ),
    (pa.bool_(), st.booleans()),
    (pa.float16(), st.floats(width=16, allow_nan=False, allow_infinity=False)),
    (pa.float32(), st.floats(width=32, allow_nan=False, allow_infinity=False)),
    (pa.float64(), FLOATS),
    (pa.string(), TEXT),
    (pa.large_string(), TEXT),
    (pa.string_view(), TEXT),
    (pa.null(), st.none()),
]
TYPED: list[tuple[pa.DataType, st.SearchStrategy[Any]]] = [
    (pa.binary(), st.binary(max_size=20)),
    (pa.large_binary(), st.binary(max_size=20)),
    (pa.binary_view(), st.binary(max_size=20)),
    (pa.binary(3), st.binary(min_size=3, max_size=3)),
    (pa.date32(), st.dates()),
    (pa.date64(), st.dates()),
    (pa.time32("s"), st.times().map(lambda value: value.replace(microsecond=0))),
    (pa.time64("us"), st.times()),
    (pa.timestamp("us"), INSTANTS),
    (pa.timestamp("us", "UTC"), INSTANTS.map(lambda value: value.replace(tzinfo=UTC))),
    (pa.timestamp("us", "+05:30"), INSTANTS.map(lambda value: value.replace(tzinfo=UTC))),
    (pa.timestamp("s"), INSTANTS.map(lambda value: value.replace(microsecond=0))),
    (pa.duration("us"), st.timedeltas(timedelta(days=-9999), timedelta(days=9999))),
    (pa.duration("s"), st.integers(-(10**9), 10**9).map(lambda count: timedelta(seconds=count))),
    (pa.decimal128(38, 10), st.decimals(-(10**20), 10**20, places=10)),
    (pa.decimal128(9, 9), st.decimals("-0.99", "0.99", places=9)),
    (pa.decimal256(76, 3), st.decimals(-(10**40), 10**40, places=3)),
    (pa.decimal64(18, 2), st.decimals(-(10**9), 10**9, places=2)),
]


def columns_of(
    kinds: list[tuple[pa.DataType, st.SearchStrategy[Any]]], nested: bool, nulls: bool
) -> st.SearchStrategy[tuple[pa.DataType, st.SearchStrategy[Any]]]:
    """A type of Arrow, and its values."""

    def null(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
        return st.one_of(st.none(), values) if nulls else values

    def inside(
        inner: st.SearchStrategy[tuple[pa.DataType, st.SearchStrategy[Any]]],
    ) -> st.SearchStrategy[tuple[pa.DataType, st.SearchStrategy[Any]]]:
        def lists(kind: Any) -> st.SearchStrategy[Any]:
            return inner.map(lambda it: (kind(it[0]), st.lists(null(it[1]), max_size=3)))

        def struct(members: dict[str, Any]) -> tuple[pa.DataType, st.SearchStrategy[Any]]:
            kind = pa.struct([pa.field(name, of[0]) for name, of in members.items()])
            return kind, st.fixed_dictionaries({name: null(of[1]) for name, of in members.items()})

        return st.one_of(
            lists(pa.list_),
            lists(pa.large_list),
            lists(pa.list_view),
            lists(pa.large_list_view),
            inner.map(
                lambda it: (pa.list_(it[0], 2), st.lists(null(it[1]), min_size=2, max_size=2))
            ),
            st.dictionaries(NAME, inner, min_size=1, max_size=3).map(struct),
            inner.map(
                lambda it: (
                    pa.map_(pa.string(), it[0]),
                    st.dictionaries(TEXT, null(it[1]), max_size=3),
                )
            ),
        )

    simple = st.sampled_from(kinds)
    return st.recursive(simple, inside, max_leaves=4) if nested else simple


@st.composite
def tables(draw: Any, typed: bool = True, nested: bool = True, nulls: bool = True) -> pa.Table:
    """A table of any types, in several batches, which begin inside of their buffers."""
    kinds = [*SCALARS, *TYPED] if typed else SCALARS
    if not nulls:
        kinds = [kind for kind in kinds if kind[0] != pa.null()]
    names = draw(st.lists(NAME, min_size=1, max_size=4, unique=True))
    count = draw(st.integers(0, 5))
    made = {}
    for name in names:
        kind, values = draw(columns_of(kinds, nested, nulls))
        drawn = st.one_of(st.none(), values) if nulls else values
        cells = draw(st.lists(drawn, min_size=count + 2, max_size=count + 2))
        array = pa.array(cells, kind)
        if draw(st.booleans()) and kind in {pa.string(), pa.int64(), pa.date32()}:
            array = array.dictionary_encode()
        made[name] = array
    table = pa.table(made)
    cut = draw(st.integers(0, count))
    return pa.concat_tables([table.slice(1, cut), table.slice(1 + cut, count - cut)])


@SETTINGS
@given(table=tables())
def test_any_table_is_written_as_its_rows(table: pa.Table) -> None:
    records = rows(table)
    assert written("ndjson", table) == of_objects("ndjson", records)
    assert written("json", table) == of_objects("json", records)
    assert written("json", table, indent=2, sort_keys=True) == of_objects(
        "json", records, indent=2, sort_keys=True
    )
    options: dict[str, Any] = {"decimals": "text", "large_ints": "text", "binary": "hex"}
    assert written("json", table, **options) == of_objects("json", records, **options)


@SETTINGS
@given(table=tables(typed=False))
def test_any_table_is_read_back(table: pa.Table) -> None:
    assert penstock.json.decode(written("json", table)) == rows(table)


@SETTINGS
@given(table=tables(nested=False))
def test_any_flat_table_is_csv(table: pa.Table) -> None:
    records = rows(table)
    try:
        expected = of_objects("csv", records)
    except penstock.EncodeError as error:
        refused = error
        with pytest.raises(penstock.EncodeError) as found:
            written("csv", table)
    else:
        refused = None
    if refused is not None:
        assert (found.value.reason, found.value.record) == (refused.reason, refused.record)
        return
    if records:
        assert written("csv", table) == expected
        for options in ({"quoting": "all"}, {"formulas": "escape"}):
            assert written("csv", table, **options) == of_objects("csv", records, **options)


@SETTINGS
@given(table=tables(nulls=False))
def test_any_table_is_a_property_list(table: pa.Table) -> None:
    records = rows(table)
    for form in ("binary", "xml"):
        try:
            expected = of_objects("plist", records, form=form)
        except (penstock.EncodeError, ValueError):
            continue
        assert written("plist", table, form=form) == expected


@SETTINGS
@given(table=tables())
def test_any_table_is_xml(table: pa.Table) -> None:
    try:
        expected = of_objects("xml", rows(table))
    except penstock.EncodeError:
        with pytest.raises(penstock.EncodeError):
            written("xml", table)
        return
    try:
        assert written("xml", table) == expected
    except penstock.EncodeError as refused:
        # By its type, also where all of these lists are empty.
        assert refused.reason == "XML has no list here that could be read back"  # noqa: PT017


# --- Each type, exactly.

EXACT: list[tuple[pa.Array, str]] = [
    (pa.array([2**64 - 1, 0], pa.uint64()), "18446744073709551615 0"),
    (pa.array([-(2**63)], pa.int64()), "-9223372036854775808"),
    (pa.array([0.1], pa.float32()), "0.10000000149011612"),
    (pa.array([0.1], pa.float16()), "0.0999755859375"),
    (pa.array([1e16, -0.0]), "1e+16 -0.0"),
    (pa.array(['a"\n', ""]), '"a\\"\\n" ""'),
    (pa.array(["x" * 13, "y"], pa.string_view()), '"xxxxxxxxxxxxx" "y"'),
    (pa.array([b"\x00\xff"], pa.binary(2)), '"AP8="'),
    (pa.array([UUID(int=7).bytes], pa.uuid()), '"00000000-0000-0000-0000-000000000007"'),
    (pa.array(['{"a":1}'], pa.json_()), '"{\\"a\\":1}"'),
    (pa.array([-719162, 2932896], pa.int32()).cast(pa.date32()), '"0001-01-01" "9999-12-31"'),
    (pa.array([1], pa.time32("ms")), '"00:00:00.001000"'),
    (pa.array([86_399_999_999_999], pa.time64("ns")), '"23:59:59.999999999"'),
    (pa.array([0], pa.timestamp("s")), '"1970-01-01T00:00:00"'),
    (pa.array([0], pa.timestamp("ms", "UTC")), '"1970-01-01T00:00:00Z"'),
    (pa.array([0], pa.timestamp("us", "-03:30")), '"1969-12-31T20:30:00-03:30"'),
    (pa.array([0], pa.timestamp("us", "Europe/Zurich")), '"1970-01-01T00:00:00Z"'),
    (
        pa.array([-1, 1_000], pa.timestamp("ns", "+01:00")),
        '"1970-01-01T00:59:59.999999999+01:00" "1970-01-01T01:00:00.000001+01:00"',
    ),
    (pa.array([90_061], pa.duration("s")), '"P1DT1H1M1S"'),
    (pa.array([-1, 60_000_000_001], pa.duration("ns")), '"-PT0.000000001S" "PT1M0.000000001S"'),
    (pa.array([Decimal("1.50"), Decimal("-0.01")], pa.decimal128(9, 2)), "1.50 -0.01"),
    (pa.array([Decimal(0), Decimal("1E-9")], pa.decimal128(9, 9)), "0E-9 1E-9"),
    (pa.array([Decimal(12300)], pa.decimal128(5, -2)), "1.23E+4"),
    (pa.array([Decimal(10) ** 70], pa.decimal256(76, 0)), "1" + "0" * 70),
    (pa.array(["b", None, "b"]).dictionary_encode(), '"b" null "b"'),
    (
        pa.DictionaryArray.from_arrays(pa.array([1, 0], pa.uint8()), pa.array(["x", None])),
        'null "x"',
    ),
    (pa.RunEndEncodedArray.from_arrays([2, 3], pa.array([5, None])).slice(1), "5 null"),
    (pa.array([[1, None], None, []], pa.list_(pa.int8())).slice(1), "null []"),
    (
        pa.array([[[1], [2, 3]], [None]], pa.list_view(pa.list_view(pa.int8()))),
        "[[1],[2,3]] [null]",
    ),
    (pa.array([[1, 2], None, [3, 4]], pa.list_(pa.int8(), 2)).slice(1), "null [3,4]"),
    (pa.array([{"a": 1, "b": None}, None]), '{"a":1,"b":null} null'),
    (pa.array([[("k", 1)], None, []], pa.map_(pa.string(), pa.int8())), '{"k":1} null {}'),
    (pa.array([[(7, "x"), (-8, None)]], pa.map_(pa.int16(), pa.string())), '{"7":"x","-8":null}'),
    (pa.array([True, None]), "true null"),
    (pa.nulls(2), "null null"),
]


@pytest.mark.parametrize(("array", "text"), EXACT, ids=[str(array.type) for array, _ in EXACT])
def test_each_type_has_one_form(array: pa.Array, text: str) -> None:
    lines = [f'{{"v":{value}}}\n' for value in text.split(" ")]
    assert written("ndjson", pa.table({"v": array})).decode() == "".join(lines)
    # By the events, which the indented text needs: the same values.
    found = json.loads(written("json", pa.table({"v": array}), indent=1), parse_float=str)
    assert found == [json.loads(line, parse_float=str) for line in lines]


def test_rows_need_not_be_records() -> None:
    assert written("ndjson", pa.array([1, None, 3])) == b"1\nnull\n3\n"
    assert written("json", pa.chunked_array([["a"], [], ["b"]])) == b'["a","b"]'
    with pytest.raises(penstock.EncodeError, match="a row is an object, a dict or a list") as found:
        written("csv", pa.array([1]))
    assert found.value.record == 1


def test_records_that_are_null() -> None:
    records = pa.array([{"a": 1}, None])
    assert written("ndjson", records) == b'{"a":1}\nnull\n'


def test_whoever_has_columns() -> None:
    line = b'{"name":"Bern","size":134591}\n'
    data = {"name": ["Bern"], "size": [134591]}
    assert written("ndjson", pl.DataFrame(data)) == line
    assert written("ndjson", pl.DataFrame(data).lazy().collect()) == line
    assert written("ndjson", pd.DataFrame(data)) == line
    assert written("ndjson", pa.table(data)) == line
    assert written("ndjson", pa.table(data).to_batches()[0]) == line
    assert written("ndjson", duckdb.sql("select 'Bern' as name, 134591::bigint as size")) == line
    text = io.BytesIO(line)
    assert written("ndjson", penstock.ndjson.read(text, dict_of()).columns()) == line


def test_nulls_of_polars() -> None:
    frame = pl.DataFrame({"a": [None, None], "b": [[None], []], "c": [{"d": None}, None]})
    assert frame.schema["a"] == pl.Null
    expected = b'{"a":null,"b":[null],"c":{"d":null}}\n{"a":null,"b":[],"c":null}\n'
    assert written("ndjson", frame) == expected
    assert penstock.load(frame) == frame.to_dicts()


def dict_of() -> Any:
    from typing import TypedDict

    return TypedDict("City", {"name": str, "size": int})


def test_members_that_are_null() -> None:
    table = pa.table({"a": [1, None], "b": pa.array([{"c": None}, None])})
    assert written("ndjson", table, omit="none") == b'{"a":1,"b":{}}\n{}\n'
    assert penstock.plist.decode(written("plist", table, form="xml")) == [{"a": 1, "b": {}}, {}]
    with pytest.raises(penstock.EncodeError) as found:
        written("plist", pa.table({"a": [[1], [None]]}))
    assert str(found.value) == "['a'][0]: a property list has no null (record 2)"
    assert written("csv", table.select(["a"])) == b"a\n1\n\n"


def test_elements() -> None:
    table = pa.table({"name": ["Müller & Co", None], "@id": [1, 2], "tag": [["a", "b"], []]})
    text = written("xml", table, declaration=False, root="shops", record="shop")
    assert text.decode() == (
        '<shops><shop id="1"><name>Müller &amp; Co</name><tag>a</tag><tag>b</tag></shop>'
        '<shop id="2"><name/></shop></shops>'
    )


def test_tables_without_rows() -> None:
    empty = pa.table({"a": pa.array([], pa.int8()), "b": pa.array([], pa.string())})
    assert written("csv", empty) == b"a,b\n"
    assert written("json", empty) == b"[]"
    assert written("ndjson", empty) == b""
    assert written("csv", empty, dialect=Dialect(header=None)) == b""


def test_a_writer_takes_tables_and_records() -> None:
    target = io.BytesIO()
    with penstock.csv.write(target) as writer:
        writer.columns(pa.table({"a": [1], "b": ["x"]}))
        writer.write({"b": "y", "a": 2})
        writer.columns(pa.table({"b": ["z"], "a": [3]}))
        assert writer.progress.records == 3
    assert target.getvalue() == b"a,b\n1,x\n2,y\n3,z\n"


def test_a_place_in_the_document() -> None:
    assert written("json", pa.table({"a": [1]}), at="data/rows/*") == b'{"data":{"rows":[{"a":1}]}}'


# --- What is refused.


@pytest.mark.parametrize(
    ("format", "table", "message"),
    [
        (
            "ndjson",
            pa.table({"x": [1], "span": pa.array([pa.MonthDayNano([1, 2, 3])])}),
            "['span']: the Arrow type Interval(MonthDayNano) has no form",
        ),
        ("csv", pa.table({"x": [1], "y": [[1]]}), "['y']: a cell cannot hold a list"),
        ("csv", pa.table({"x": [{"a": 1}]}), "['x']: a cell cannot hold an object"),
        (
            "xml",
            pa.table({"x": pa.array([{"a": [[1]]}])}),
            "['x']['a']: XML has no list here that could be read back",
        ),
        (
            "json",
            pa.table({"x": pa.array([[(1.5, 1)]], pa.map_(pa.float64(), pa.int8()))}),
            "['x']: the keys of its map are Float64, and no text",
        ),
        (
            "json",
            pa.Table.from_arrays([pa.array([1]), pa.array([2])], ["a", "a"]),
            "['a']: two columns have this name",
        ),
    ],
)
def test_types_without_a_form(format: str, table: pa.Table, message: str, tmp_path: Path) -> None:
    path = tmp_path / f"out.{format}"
    path.write_bytes(b"as it was")
    with pytest.raises(penstock.EncodeError) as found:
        penstock.convert(table, path)
    assert str(found.value) == message
    assert found.value.record is None
    assert path.read_bytes() == b"as it was"


def test_unions() -> None:
    union = pa.UnionArray.from_dense(
        pa.array([0], pa.int8()), pa.array([0], pa.int32()), [pa.array([1])]
    )
    with pytest.raises(penstock.EncodeError, match=r"^\['u'\]: the Arrow type Union"):
        written("json", pa.table({"u": union}))


@pytest.mark.parametrize(
    ("array", "reason"),
    [
        (pa.array([0, 2932897], pa.int32()).cast(pa.date32()), "it is not in the years 1 to 9999"),
        (pa.array([0, 2**62], pa.timestamp("s")), "it is not in the years 1 to 9999"),
        (pa.array([0, 2**62], pa.duration("s")), "a span of time of more than 999,999,999 days"),
        (pa.array([0.5, float("nan")]), "JSON has no number for NaN"),
        (
            pa.array([[("a", 1)], [("k", 1), ("k", 2)]], pa.map_(pa.string(), pa.int8())),
            None,
        ),
    ],
    ids=["date", "timestamp", "duration", "nan", "key"],
)
def test_values_without_a_form(array: pa.Array, reason: str | None) -> None:
    target = io.BytesIO()
    with penstock.ndjson.write(target) as writer:
        with pytest.raises(penstock.EncodeError) as found:
            writer.columns(pa.table({"v": array}))
        writer.write("on")
    assert found.value.record == 2
    where = "['v']" if reason else "['v']['k']"
    reason = reason or "a key that comes twice in its map"
    assert str(found.value) == f"{where}: {reason} (record 2)"
    # The record before it is there.
    assert target.getvalue().count(b"\n") == 2


def test_a_fine_time_is_no_date_of_a_property_list() -> None:
    with pytest.raises(penstock.EncodeError, match="it is finer than a microsecond"):
        written("plist", pa.table({"t": pa.array([1], pa.timestamp("ns"))}), form="binary")


def test_what_is_no_columns() -> None:
    with penstock.ndjson.write(io.BytesIO()) as writer, pytest.raises(TypeError) as found:
        writer.columns([{"a": 1}])  # type: ignore[arg-type]
    message = "columns() takes an object with __arrow_c_stream__ or __arrow_c_array__, not list"
    assert str(found.value) == message
    with (
        penstock.ndjson.write(io.BytesIO(), dict[str, int]) as typed,
        pytest.raises(
            ValueError,
            match=r"^columns\(\) writes columns as they are: make the Writer without a type$",
        ),
    ):
        typed.columns(pa.table({"a": [1]}))


# --- convert.


def test_convert(tmp_path: Path) -> None:
    table = pa.table({"a": [1, 2], "b": ["x", None]})
    path = tmp_path / "out.csv.gz"
    done = penstock.convert(table, path)
    assert (done.records, done.skipped, done.bytes_read) == (2, 0, 0)
    assert done.bytes_written == path.stat().st_size
    assert penstock.load(path) == [{"a": "1", "b": "x"}, {"a": "2", "b": ""}]
    target = io.BytesIO()
    penstock.convert(table, target, to="csv", to_dialect=Dialect(";"), quoting="all")
    assert target.getvalue() == b'"a";"b"\n"1";"x"\n"2";\n'
    target = io.BytesIO()
    penstock.convert(table, target, to="xml", root="r", record="i", null="omit", declaration=False)
    assert target.getvalue() == b"<r><i><a>1</a><b>x</b></i><i><a>2</a></i></r>"
    with pytest.raises(TypeError, match=r"^at= is no option for Arrow columns$"):
        penstock.convert(table, path, at="x/*")
    with pytest.raises(TypeError, match=r"^dialect= is no option for Arrow columns$"):
        penstock.convert(table, path, dialect=Dialect(";"))


def test_a_file_is_replaced_at_the_end_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "out.ndjson"
    path.write_bytes(b"as it was")

    def batches() -> Any:
        yield pa.record_batch({"a": list(range(100_000))})
        assert path.read_bytes() == b"as it was"
        raise ValueError("the source is gone")

    schema = pa.schema({"a": pa.int64()})
    with pytest.raises(penstock.DecodeError) as found:
        penstock.convert(pa.RecordBatchReader.from_batches(schema, batches()), path)
    assert str(found.value).startswith("<Arrow stream>: reading failed: ")
    assert "the source is gone" in str(found.value)
    assert path.read_bytes() == b"as it was"
    assert [found.name for found in tmp_path.iterdir()] == ["out.ndjson"]


# --- The interface.


def test_a_stream_is_taken_once() -> None:
    capsule = pa.table({"a": [1]}).__arrow_c_stream__()

    class Again:
        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            return capsule

    assert written("ndjson", Again()) == b'{"a":1}\n'
    with pytest.raises(ValueError, match=r"^this Arrow stream was taken already$"):
        written("ndjson", Again())


def test_an_array_is_taken_once() -> None:
    pair = pa.record_batch({"a": [1]}).__arrow_c_array__()

    class Again:
        def __arrow_c_array__(self, requested_schema: object = None) -> object:
            return pair

    assert written("ndjson", Again()) == b'{"a":1}\n'
    with pytest.raises(ValueError, match=r"^this Arrow array was taken already$"):
        written("ndjson", Again())


@pytest.mark.parametrize("given", [None, 7, (), (1, 2), (1, 2, 3)])
def test_capsules_that_are_none(given: object) -> None:
    class Array:
        def __arrow_c_array__(self, requested_schema: object = None) -> object:
            return given

    class Stream:
        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            return given

    for wrong in (Array(), Stream()):
        with pytest.raises(TypeError):
            written("ndjson", wrong)


def test_another_capsule() -> None:
    class Stream:
        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            return pa.schema({"a": pa.int8()}).__arrow_c_schema__()

    with pytest.raises(ValueError, match="incorrect name"):
        written("ndjson", Stream())


def test_exceptions_of_the_object_pass_through() -> None:
    class Stream:
        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            raise LookupError("mine")

    with pytest.raises(LookupError, match=r"^mine$"):
        written("ndjson", Stream())


def test_data_that_is_not_valid() -> None:
    buffers = [None, pa.py_buffer(b"\0\0\0\0\1\0\0\0"), pa.py_buffer(b"\xff")]
    text = pa.Array.from_buffers(pa.string(), 1, buffers)
    keys = pa.DictionaryArray.from_arrays(pa.array([5], pa.int8()), pa.array(["x"]), safe=False)
    falling = [None, pa.py_buffer(b"\2\0\0\0\1\0\0\0\3\0\0\0")]
    lists = pa.Array.from_buffers(
        pa.list_(pa.int8()), 2, falling, children=[pa.array([1, 2, 3], pa.int8())]
    )
    for wrong in (text, keys, lists):
        with pytest.raises(
            penstock.DecodeError, match=r"^<Arrow stream>: the columns are not valid: "
        ):
            written("ndjson", pa.Table.from_arrays([wrong], ["a"]))


def test_a_schema_that_is_too_deep() -> None:
    kind = pa.int8()
    for _ in range(70):
        kind = pa.list_(kind)
    table = pa.table({"a": pa.array([], kind)})
    with pytest.raises(penstock.DecodeError) as found:
        written("ndjson", table)
    reason = "the columns are not valid: its columns are more than 64 levels deep"
    assert str(found.value) == f"<Arrow stream>: {reason}"


INTERRUPTED = """
import os, signal, threading, time
import pyarrow as pa
import penstock

# The tests may run with SIGINT ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
batch = pa.record_batch({"a": ["x" * 100] * 20_000})
ticks = 0
done = threading.Event()

def endless():
    while True:
        yield batch

def other():
    global ticks
    while not done.is_set():
        ticks += 1
        time.sleep(0.001)
        if ticks == 50:
            os.kill(os.getpid(), signal.SIGINT)

thread = threading.Thread(target=other)
stream = pa.RecordBatchReader.from_batches(batch.schema, endless())
thread.start()
try:
    penstock.convert(stream, os.devnull, to="ndjson")
except BaseException as error:
    # If the interrupt comes while the generator runs, pyarrow tells of it in words.
    told = f"{type(error).__name__}: {error}"
    print("interrupted" if "KeyboardInterrupt" in told else told, ticks >= 50)
finally:
    done.set()
    thread.join()
"""


def test_interrupts_and_the_lock() -> None:
    child = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", INTERRUPTED],
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (child.stdout, child.stderr) == ("interrupted True\n", "")


def test_memory_is_that_of_a_batch() -> None:
    batch = pa.record_batch({"a": ["x" * 100] * 10_000})
    before = pa.total_allocated_bytes()
    most = 0

    def several() -> Any:
        nonlocal most
        for _ in range(50):
            most = max(most, pa.total_allocated_bytes() - before)
            yield pa.record_batch({"a": pa.array(["x" * 100] * 10_000)})

    stream = pa.RecordBatchReader.from_batches(batch.schema, several())
    penstock.convert(stream, lambda _: None, to="ndjson")
    assert most < 4 * batch.nbytes


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_forked_process_writes_columns_of_its_parent() -> None:
    table = pa.table({"a": [1, 2]})
    capsule = table.__arrow_c_stream__()

    class Given:
        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            return capsule

    child = os.fork()
    if child == 0:
        code = 1
        try:
            code = 0 if written("ndjson", Given()) == b'{"a":1}\n{"a":2}\n' else 2
        finally:
            os._exit(code)
    assert os.waitpid(child, 0)[1] == 0
    assert written("ndjson", Given()) == b'{"a":1}\n{"a":2}\n'


def test_dates_and_times_of_python() -> None:
    table = pa.table({"d": [date(2026, 11, 23)], "t": [clock(8, 30)], "s": [timedelta(hours=1)]})
    assert written("csv", table) == b"d,t,s\n2026-11-23,08:30:00,PT1H\n"
