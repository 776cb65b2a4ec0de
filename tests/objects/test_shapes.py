"""Dicts of the same keys in the same order: the later ones are copies of a pattern.

Nobody can see it: `json` makes equal dicts, in the same order.
"""

from __future__ import annotations

import gc
import json
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import penstock

SHORT = ["id", "name", "x", "", "ключ", "a key that is too long to be kept", "é", "0"]
KEYS = SHORT + [f"key {number}" for number in range(70)]

values = st.recursive(
    st.none() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(KEYS), inner),
    max_leaves=4,
)


def written(pairs: list[tuple[str, Any]]) -> str:
    members = (f"{json.dumps(key)}: {json.dumps(value)}" for key, value in pairs)
    return "{" + ", ".join(members) + "}"


@given(
    shapes=st.lists(st.lists(st.sampled_from(KEYS), max_size=12), min_size=1, max_size=3),
    order=st.lists(st.integers(0, 2), max_size=60),
    data=st.data(),
)
def test_any_shapes_in_any_order(
    shapes: list[list[str]], order: list[int], data: st.DataObject
) -> None:
    objects = [
        written([(key, data.draw(values)) for key in shapes[which % len(shapes)]])
        for which in order
    ]
    document = f"[{', '.join(objects)}]"
    expected = json.loads(document)
    types: tuple[Any, ...] = (object, list[Any], list[dict[str, Any]])
    for into in types:
        made: Any = penstock.json.decode(document, into)
        assert made == expected
        assert [list(one) for one in made] == [list(one) for one in expected]
    assert [penstock.json.decode(one) for one in objects] == expected


@pytest.mark.parametrize("count", [1, 2, 5, 6, 10, 11, 21, 22, 42, 43, 64, 65])
def test_dicts_of_a_shape_have_few_sizes(count: int) -> None:
    one = dict.fromkeys(KEYS[-count:], 1)
    made: Any = penstock.json.decode(json.dumps([one] * 20))
    assert made == [one] * 20
    # Those that are no copies may have room for keys of any kind.
    assert len(set(map(sys.getsizeof, made))) <= 2


def test_each_is_its_own() -> None:
    one = '{"a": 1, "b": 2, "c": 3, "d": 4}'
    made: Any = penstock.json.decode("[" + ", ".join([one] * 20) + "]")
    last = made[-1]
    last["a"] = last["e"] = "changed"
    del last["b"]
    assert made[:-1] == [{"a": 1, "b": 2, "c": 3, "d": 4}] * 19
    for _ in range(20):
        again = penstock.json.decode('{"a": 5, "b": 6, "c": 7, "d": 8}')
        assert again == {"a": 5, "b": 6, "c": 7, "d": 8}
        again.clear()


def test_the_collector_sees_those_that_hold_containers() -> None:
    scalars, container = '{"a": 1, "b": "x", "c": 2, "d": 3}', '{"a": 1, "b": [2], "c": 2, "d": 3}'
    document = "[" + ", ".join([scalars, container] * 20) + "]"
    made: Any = penstock.json.decode(document)
    # From 3.14 on, the collector sees each dict.
    usual: Any = [gc.is_tracked(dict(a=1)), gc.is_tracked(dict(a=[1]))]  # noqa: C408
    assert usual[1]
    assert [gc.is_tracked(one) for one in made] == usual * 20


def test_a_repeated_key_counts_once() -> None:
    document = "[" + ", ".join(['{"a": 1, "b": 2, "c": 3, "a": 4}'] * 20) + "]"
    made: Any = penstock.json.decode(document)
    assert made == [{"a": 4, "b": 2, "c": 3}] * 20
    assert [list(one) for one in made] == [["a", "b", "c"]] * 20


def test_keys_that_are_no_text() -> None:
    document = "[" + ", ".join(['{"1": 1, "2": 2, "3": 3, "4": 4}'] * 20) + "]"
    made = penstock.json.decode(document, list[dict[int, int]])
    assert made == [{1: 1, 2: 2, 3: 3, 4: 4}] * 20


def test_nothing_is_kept_of_the_values() -> None:
    one = '{"a": [1], "b": {"c": 1, "d": 2, "e": 3, "f": 4}, "g": 5, "h": 6}'
    document = "[" + ", ".join([one] * 20) + "]"
    penstock.json.decode(document)
    before = sys.getrefcount(None), len(gc.get_objects())
    for _ in range(50):
        penstock.json.decode(document)
    # References to None that are lost or added for each dict would show: there are 2,000.
    assert abs(sys.getrefcount(None) - before[0]) < 100
    assert abs(len(gc.get_objects()) - before[1]) < 100
