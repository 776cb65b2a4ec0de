"""Columns without a class, of which the caller names some, or says what becomes of objects."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import penstock

CITIES = (
    b'{"name": "Bern", "at": {"lat": 46.95, "lon": 7.45}, "tags": [{"k": 1}], "x": 1}\n'
    b'{"name": "Chur", "x": "y"}\n{"name": "Thun", "at": {"lat": 46.75, "lon": null}}\n'
)


@dataclass
class Place:
    lat: float
    lon: float | None


@dataclass
class City:
    name: str
    at: Place | None = None


def read(data: bytes = CITIES, format: Any = "ndjson", **options: Any) -> pa.Table:
    return pa.table(penstock.columns([data], format=format, **options))


def test_a_path_is_a_column() -> None:
    table = read(columns=["at/lat", "name"])
    assert table.to_pydict() == {"name": ["Bern", "Chur", "Thun"], "at/lat": [46.95, None, 46.75]}
    whole = read(columns=["at", "at/lon"])
    assert whole.column_names == ["at", "at/lon"]
    assert whole["at/lon"].to_pylist() == [7.45, None, None]
    assert whole["at"].to_pylist()[0] == {"lat": 46.95, "lon": 7.45}
    assert read(columns=["at/lat"], file_column=None, threads=2).to_pydict()["at/lat"][2] == 46.75
    assert read(b"km/h,b\n1,2\n", "csv", columns=["km/h"]).to_pydict() == {"km/h": [1]}


def test_all_objects_are_flat() -> None:
    table = read(columns=["name", "at", "tags"], flatten=True)
    assert table.column_names == ["name", "at/lat", "at/lon", "tags"]
    assert table["tags"].to_pylist() == [[{"k": 1}], None, None]
    xml = b'<l><r id="1"><p c="E">5</p></r><r id="2"/></l>'
    flat = read(xml, "xml", at="l/r", flatten=True)
    assert flat.to_pydict() == {"@id": [1, 2], "p/@c": ["E", None], "p/#text": [5, None]}
    assert read(xml, "xml", at="l/r", columns=["p/#text"]).to_pydict() == {"p/#text": [5, None]}
    with pytest.raises(ValueError, match=r'^there would be two columns "a/b"$'):
        read(b'{"a/b": 1, "a": {"b": 2}}', flatten=True)


def test_a_class_may_be_flat_too() -> None:
    columns = penstock.columns([CITIES], City, format="ndjson", flatten=True)
    assert pa.table(columns).column_names == ["name", "at/lat", "at/lon"]
    some = penstock.columns([CITIES], City, format="ndjson", columns=["at/lat"])
    assert pa.table(some).to_pylist()[1:] == [{"at": None}, {"at": {"lat": 46.75}}]


def test_what_is_not_wanted_is_not_looked_at() -> None:
    # The places of `x` have two kinds, and that is no error.
    assert read(columns=["name"])["name"].to_pylist() == ["Bern", "Chur", "Thun"]
    many = json.dumps({f"key{n}": n for n in range(20_000)}).encode()
    assert read(many, columns=["key7"]).to_pydict() == {"key7": [7]}
    with pytest.raises(penstock.DecodeError, match="more than 10000 columns"):
        read(many)


def test_a_column_that_is_not_there() -> None:
    with pytest.raises(ValueError, match=r'^columns: Record has no field "nme"; did you mean "na'):
        read(columns=["nme"])
    with pytest.raises(ValueError, match=r'Record\.at has no field "lt"; did you mean "lat"\?$'):
        read(columns=["at/lt"])
    with pytest.raises(ValueError, match=r"^columns: Record\.tags has no fields$"):
        read(columns=["tags/k"])
    with pytest.raises(ValueError, match=r'did you mean "col3"\?$'):
        read(b"col1,col3\n1,2\n", "csv", columns=["cal3"])


def test_keys() -> None:
    cantons = b'{"BE": {"n": 1, "m": {"o": 2}}, "GR": {"n": 2}}'
    table = read(cantons, "json", at="*", key_column="code", columns=["m/o"])
    assert table.to_pydict() == {"m/o": [2, None], "code": ["BE", "GR"]}
    xml = b"<r><a><b>2</b></a><c><b>3</b></c></r>"
    assert read(xml, "xml", at="r/*", key_column="tag").to_pydict() == {
        "b": [2, 3],
        "tag": ["a", "c"],
    }
    with pytest.raises(ValueError, match=r"^key_column: the records have a column 'n', too$"):
        read(cantons, "json", at="*", key_column="n")

    @dataclass
    class Canton:
        n: int

    with pytest.raises(
        ValueError, match=r"^key_column= is for records without a class: in a class"
    ):
        penstock.columns([cantons], Canton, format="json", at="*", key_column="code")


def test_several_kinds_at_one_place() -> None:
    data = b'{"a": 1.50}\n{"a": "x"}\n{"a": true}\n{"a": null}\n{}\n'
    assert read(data, unions="text")["a"].to_pylist() == ["1.5", "x", "true", None, None]
    assert read(data, unions="json")["a"].to_pylist() == ["1.5", '"x"', "true", None, None]
    deep = b'{"a": [1, "x"]}\n{"a": [{"b": 1}]}\n{"a": []}'
    assert read(deep, unions="json")["a"].to_pylist() == [["1", '"x"'], ['{"b":1}'], []]
    with pytest.raises(penstock.ValidationError, match="got an object; unions='json' of columns"):
        read(deep, unions="text")
    # Elsewhere nothing changes.
    assert read(b'{"a": 1, "b": 2}\n{"a": "x"}', unions="text").schema.field("b").type == pa.int64()


def test_scans_take_both(tmp_path: Any) -> None:
    import polars as pl

    import penstock.polars

    path = tmp_path / "cities.ndjson"
    path.write_bytes(CITIES)
    frame = penstock.polars.scan(path, unions="text")
    assert frame.collect_schema()["x"] == pl.String
    assert frame.select("x").collect()["x"].to_list() == ["1", "y", None]


VALUES = st.recursive(
    st.none() | st.integers(0, 9) | st.sampled_from(["", "x"]) | st.booleans(),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("abc"), inner),
    max_leaves=6,
)


@settings(deadline=None, max_examples=60)
@given(records=st.lists(st.dictionaries(st.sampled_from("abc"), VALUES), min_size=1, max_size=6))
def test_json_takes_any_records(records: list[dict[str, Any]]) -> None:
    data = "".join(json.dumps(record) + "\n" for record in records).encode()
    names = {name for record in records for name in record}
    table = read(data, unions="json")
    assert set(table.column_names) == names
    for name in names:
        some = read(data, unions="json", columns=[name])
        assert some.schema == pa.schema([table.schema.field(name)])
        assert some[name] == table[name]
