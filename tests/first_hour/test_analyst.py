"""What an analyst tries first, in a notebook."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Annotated, NamedTuple

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray

import penstock
from penstock import at

if TYPE_CHECKING:
    from pathlib import Path

ANSWER = b'{"data": [{"id": 1, "user": {"name": "Ada"}}, {"id": 2, "user": {"name": "Bo"}}]}'


def test_an_answer_of_an_api_becomes_a_frame_without_a_file() -> None:
    for source in (io.BytesIO(ANSWER), [ANSWER]):
        frame = penstock.columns(source, format="json", at="data/*").to_polars()
        assert frame.unnest("user").rows() == [(1, "Ada"), (2, "Bo")]
    with pytest.raises(TypeError, match=r"^columns\(\) .* wrap data in memory in io\.BytesIO\(\)"):
        penstock.columns(ANSWER, format="json")  # type: ignore[call-overload]


class Row(NamedTuple):
    id: int
    name: Annotated[str, at("user/name")]


def test_nested_objects_are_flattened_by_paths() -> None:
    frame = penstock.columns([ANSWER], Row, format="json", at="data/*").to_polars()
    assert frame.rows() == [(1, "Ada"), (2, "Bo")]
    some = penstock.columns([ANSWER], format="json", at="data/*", columns=["user/name"])
    assert some.to_polars().to_dicts() == [{"user/name": "Ada"}, {"user/name": "Bo"}]
    flat = penstock.columns([ANSWER], format="json", at="data/*", flatten=True)
    assert flat.to_polars().columns == ["id", "user/name"]


class Canton(NamedTuple):
    code: Annotated[str, at("key()")]
    name: str


def test_the_keys_of_an_object_are_a_column_of_a_class(tmp_path: Path) -> None:
    path = tmp_path / "cantons.json"
    path.write_text('{"BE": {"name": "Bern"}, "GR": {"name": "Graubünden"}}')
    frame = penstock.columns(path, Canton, at="*").to_polars()
    assert frame.rows() == [("BE", "Bern"), ("GR", "Graubünden")]
    found = penstock.columns(path, at="*", key_column="code")
    assert found.to_polars().rows() == [("Bern", "BE"), ("Graubünden", "GR")]


class Point(NamedTuple):
    lon: float
    lat: float


def test_arrays_as_records(tmp_path: Path) -> None:
    path = tmp_path / "points.json"
    path.write_text("[[7.45, 46.95], [9.5, 46.85]]")
    assert penstock.load(path, list[Point])[1] == Point(9.5, 46.85)
    matrix = np.stack(penstock.load(path, list[NDArray[np.float64]]))
    assert matrix.shape == (2, 2)
    with pytest.raises(penstock.ValidationError, match=r"expected float, got an array \(at 0\)"):
        penstock.load(path, NDArray[np.float64])


def test_a_feature_collection_says_where_its_features_are(tmp_path: Path) -> None:
    path = tmp_path / "places.geojson"
    path.write_text('{"type": "FeatureCollection", "features": [{"properties": {"name": "Bern"}}]}')
    assert penstock.columns(path).to_polars().columns == ["type", "features"]
    frame = penstock.columns(path, at="features/*").to_polars()
    assert frame.to_dicts() == [{"properties": {"name": "Bern"}}]


def test_a_file_is_looked_at_before_it_is_loaded(tmp_path: Path) -> None:
    path = tmp_path / "cities.json"
    path.write_text('[{"name": "Bern", "size": 3}, {"name": "Chur", "size": 1}]')
    assert str(penstock.schema(path)) == "Schema(name: Utf8, size: Int64)"
    assert repr(penstock.read(path, Canton)).startswith(f"Reader({path} -> Canton, the elements of")
    with penstock.open(path) as cities:
        assert (len(cities), cities[-1]["name"]) == (2, "Chur")
    frame = penstock.columns(path).to_polars()
    assert frame.schema == {"name": pl.String, "size": pl.Int64}


def test_the_first_tab_shows_all_names() -> None:
    names = dir(penstock)
    assert {"columns", "convert", "csv", "make", "plist", "schema", "split"} <= set(names)
    assert not {"annotations", "TYPE_CHECKING"} & set(names)


def test_addresses_are_no_files() -> None:
    with pytest.raises(
        ValueError, match=r"^columns\(\) opens files, not URLs: pass penstock.remote"
    ):
        penstock.columns("https://example.org/a.json")
    with pytest.raises(ValueError, match=r"pass penstock.remote\('s3://bucket/a.json'\)"):
        penstock.read("s3://bucket/a.json")
    with pytest.raises(ValueError, match=r"by their paths, not URLs: pass '/data/a\.json'$"):
        penstock.load("file:///data/a.json")
