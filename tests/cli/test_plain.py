"""Plain values as JSON text."""

import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.cli.plain import text

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text()
    | st.decimals(allow_nan=False, allow_infinity=False),
    lambda values: st.lists(values) | st.dictionaries(st.text(), values),
)


@given(VALUES)
def test_json_reads_what_was_written(value: Any):
    written = text(value)
    assert json.loads(written, parse_float=Decimal) == value
    assert "\n" not in written


@pytest.mark.parametrize(
    "value", [{}, [], {"a": {}}, [[], {}], [[[1]], 2], {"a": [1, {"b": 2}], "c": None}]
)
def test_it_is_written_as_json_writes_it(value: Any):
    assert text(value) == json.dumps(value)


def test_depth_is_no_limit():
    value: list[object] = []
    for _ in range(100_000):
        value = [value]
    assert text(value) == "[" * 100_001 + "]" * 100_001
