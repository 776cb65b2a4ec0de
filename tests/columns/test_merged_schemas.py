"""The schemas of files are merged into the schema of all of them, or not at all."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import penstock
from penstock._batches import nullable
from penstock._merged import merged

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-5, 5),
    st.sampled_from([2**53 + 1, 2**63, 2**70, 0.5, 1e300]),
    st.sampled_from(["", "a", "007", "1", "true", "1.5"]),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("xyz"), inner, max_size=3)
    ),
    max_leaves=4,
)
RECORDS = st.lists(st.dictionaries(st.sampled_from("abcd"), VALUES, max_size=4), max_size=4)


def everything_nullable(kind: Any) -> Any:
    if pa.types.is_struct(kind):
        return pa.struct([(each.name, everything_nullable(each.type)) for each in kind])
    if pa.types.is_list(kind):
        return pa.list_(everything_nullable(kind.value_type))
    return kind


def check(paths: list[Path]) -> None:
    try:
        each = [pa.schema(penstock.schema(path)) for path in paths]
    except penstock.DecodeError:
        return
    found = merged(each)
    if found is not None:
        expected = pa.schema(penstock.schema(paths))
        assert found == pa.schema([(it.name, everything_nullable(it.type)) for it in expected])


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(files=st.lists(RECORDS, min_size=1, max_size=3))
def test_objects(files: list[list[dict[str, Any]]], tmp_path: Path) -> None:
    paths = [tmp_path / f"{n}.ndjson" for n in range(len(files))]
    for path, records in zip(paths, files, strict=True):
        path.write_text("".join(json.dumps(record) + "\n" for record in records))
    check(paths)


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    files=st.lists(
        st.lists(st.sampled_from(["", '""', "1", "007", "1.5", "true", "a", "1e5"]), max_size=3),
        min_size=1,
        max_size=3,
    )
)
def test_text_of_rows_and_elements(files: list[list[str]], tmp_path: Path) -> None:
    for suffix in ("csv", "xml"):
        paths = [tmp_path / f"{n}.{suffix}" for n in range(len(files))]
        for path, cells in zip(paths, files, strict=True):
            if suffix == "csv":
                path.write_text("a,b\n" + "".join(f"{cell},x\n" for cell in cells))
            else:
                items = [f"<r><a>{cell}</a></r>" if cell else "<r/>" for cell in cells]
                path.write_text(f"<l>{''.join(items)}</l>")
        check(paths)


@pytest.mark.parametrize(
    ("one", "other", "both"),
    [
        ([("a", pa.int64())], [("b", pa.string())], [("a", pa.int64()), ("b", pa.string())]),
        ([("a", pa.null())], [("a", pa.int64())], [("a", pa.int64())]),
        (
            [("a", pa.list_(pa.struct([("x", pa.int64())])))],
            [("a", pa.list_(pa.struct([("y", pa.null())])))],
            [("a", pa.list_(pa.struct([("x", pa.int64()), ("y", pa.null())])))],
        ),
        ([("a", pa.int64())], [("a", pa.float64())], None),
        ([("a", pa.struct([("x", pa.int64())]))], [("a", pa.struct([("x", pa.string())]))], None),
        ([("a", pa.list_(pa.int64()))], [("a", pa.int64())], None),
    ],
)
def test_what_follows(one: Any, other: Any, both: Any) -> None:
    found = merged([pa.schema(one), pa.schema(other)])
    assert found == (None if both is None else nullable(pa.schema(both)))
