"""A `TypedDict` is copied from a pattern and filled in place, and is a dict like any other."""

from __future__ import annotations

import gc
import json
import sys
from typing import Any, NotRequired, TypedDict

import pytest
from hypothesis import given
from hypothesis import strategies as st

import penstock

VALUES: list[Any] = [None, True, 7, 1.5, "text", [], [1], {}, {"a": None}, 10**30]


def of(names: list[str], required: bool = True) -> Any:
    hint: Any = Any if required else NotRequired[Any]
    return TypedDict("Made", dict.fromkeys(names, hint))  # type: ignore[operator]


@pytest.mark.parametrize("count", [*range(13), 21, 22, 42, 43, 85, 86, 170, 171, 341, 700])
def test_any_number_of_keys(count: int) -> None:
    """Sizes around those at which a dict's table of keys grows."""
    names = [f"k{number}" for number in range(count)]
    record = {name: VALUES[place % len(VALUES)] for place, name in enumerate(names)}
    made = penstock.json.decode(json.dumps([record, record]), list[of(names)])
    assert made == [record, record]
    for one in made:
        assert list(one) == names
        assert {**one} == record
        one["more"] = one.get("k0")
        assert one.pop("more") == record.get("k0")
        for name in names:
            assert one.pop(name) == record[name]
        assert one == {}
        one.update(record)
        assert one == record
    assert penstock.json.decode(json.dumps(record), of(names)) == record


@given(
    values=st.lists(st.sampled_from(VALUES), max_size=12),
    order=st.randoms(use_true_random=False),
    left_out=st.sets(st.integers(0, 11)),
)
def test_as_json_makes_it(values: list[Any], order: Any, left_out: set[int]) -> None:
    names = [f"k{place}" for place in range(len(values))]
    items = [(f"k{place}", each) for place, each in enumerate(values) if place not in left_out]
    order.shuffle(items)
    made = penstock.json.decode(json.dumps(dict(items)), of(names, required=False))
    assert made == dict(items)
    assert list(made) == [name for name in names if name in dict(items)]
    if not left_out:
        assert penstock.json.decode(json.dumps(dict(items)), of(names)) == dict(items)


@pytest.mark.parametrize("value", VALUES)
def test_the_collector_sees_it_where_it_would_have(value: Any) -> None:
    made = penstock.json.decode(json.dumps({"a": 1, "b": value}), of(["a", "b"]))
    other: dict[str, Any] = {}
    other["a"], other["b"] = 1, json.loads(json.dumps(value))
    assert gc.is_tracked(made) == gc.is_tracked(other)


@pytest.mark.thread_unsafe(reason="the collector is the whole process's")
def test_what_is_in_itself_is_collected() -> None:
    class Noticed(list[Any]):
        gone = False

        def __del__(self) -> None:
            Noticed.gone = True

    made = penstock.json.decode('{"a": [], "b": 1}', of(["a", "b"]))
    made["a"].extend([made, Noticed()])
    del made
    gc.collect()
    assert Noticed.gone


@pytest.mark.thread_unsafe(reason="the references to None are the whole process's")
def test_each_has_its_own_references() -> None:
    names = ["a", "b", "c"]
    text = json.dumps([{"a": "a long text", "b": None, "c": None}] * 1_000)
    before = sys.getrefcount(None)
    made = penstock.json.decode(text, list[of(names)])
    if sys.version_info < (3, 12):
        assert 2_000 <= sys.getrefcount(None) - before < 2_100
    first = made[0]
    first["b"] = 3
    assert made[1]["b"] is None
    del made, first
    assert sys.getrefcount(None) - before < 100
