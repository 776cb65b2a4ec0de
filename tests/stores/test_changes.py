"""Changes: the slower who wants to know of them is, the coarser they are, and none is left out."""

from __future__ import annotations

import threading
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.stores import Memory, Subscription


def drained(subscription: Subscription) -> list[str]:
    found = []
    while (ref := subscription.wait(0)) is not None:
        found.append(ref)
    return found


def covers(queued: list[str], ref: str) -> bool:
    return any(not each or f"{ref}/".startswith(f"{each}/") for each in queued)


def test_elements_then_lists_then_everything() -> None:
    store = Memory()
    changes = store.changes.subscribe(size=3)
    for ref in ("list/1/a", "list/1/b", "list/1/a", "list/2/a"):
        store.put(ref, 0)
    assert drained(changes) == ["list/1/a", "list/1/b", "list/2/a"]
    # At three, the list takes the place of its elements.
    for ref in ("list/1/a", "list/1/b", "list/2/a", "list/1/c"):
        store.put(ref, 0)
    assert len(changes) == 2
    store.delete("list/1/x")
    assert drained(changes) == ["list/2/a", "list/1"]
    # At six, there is only everything.
    for number in range(9):
        store.put(f"list/{number}/a", 0)
    assert drained(changes) == [""]
    store.put("list/1/a", 0)
    assert drained(changes) == ["list/1/a"]


def test_only_what_is_behind_the_prefix() -> None:
    store = Memory()
    changes = store.changes.subscribe("list/1", size=1)
    for ref in ("list/10/a", "list", "list/2"):
        store.put(ref, 0)
    assert drained(changes) == []
    for ref in ("list/1/a/b", "list/1/c/d", "list/1/c/e"):
        store.put(ref, 0)
    # It is never told of more than it has asked for.
    assert drained(changes) == ["list/1"]
    store.put("list/1", 0)
    assert drained(changes) == ["list/1"]


REFS = st.lists(st.sampled_from("abcd"), min_size=1, max_size=4).map("/".join)


@given(
    st.lists(st.one_of(REFS, st.none()), max_size=60),
    st.integers(1, 5),
    st.sampled_from(["", "a", "a/b"]),
)
def test_no_change_is_left_out(steps: list[str | None], size: int, prefix: str) -> None:
    store = Memory()
    changes = store.changes.subscribe(prefix, size=size)
    # What has changed and was not told of yet.
    owed: set[str] = set()
    for step in steps:
        if step is None:
            told = changes.wait(0)
            assert (told is None) == (not owed)
            owed = {ref for ref in owed if told is None or not covers([told], ref)}
        else:
            store.put(step, 0)
            if covers([prefix], step):
                owed.add(step)
        assert len(changes) <= 2 * size
    rest = drained(changes)
    assert len(set(rest)) == len(rest)
    assert all(covers(rest, ref) for ref in owed)
    assert all(covers([prefix], ref) for ref in rest)
    # Nobody is told of a list and of what is in it.
    assert not any(covers([one], other) for one in rest for other in rest if one != other)


def test_waiting_and_closing() -> None:
    store = Memory()
    got: list[str] = []
    with store.changes.subscribe() as changes:
        thread = threading.Thread(target=lambda: got.extend(changes))
        thread.start()
        store.put("a", 1)
        while not got:
            time.sleep(0.001)
        changes.close()
        thread.join()
        store.put("b", 1)
        assert (len(changes), changes.wait(), list(changes)) == (0, None, [])
    assert (got, changes.prefix) == (["a"], "")


def test_at_most_so_many_in_a_second() -> None:
    store = Memory()
    changes = store.changes.subscribe(per_second=50)
    for ref in "abc":
        store.put(ref, 1)
    start = time.monotonic()
    assert (changes.wait(0), changes.wait(0)) == ("a", None)
    assert [changes.wait(), changes.wait(5)] == ["b", "c"]
    # Two pauses of a fiftieth.
    assert time.monotonic() - start >= 0.04


def test_who_is_gone_is_not_told() -> None:
    store = Memory()
    for _ in range(100):
        store.changes.subscribe()
    kept = store.changes.subscribe()
    assert len(store.changes._subscriptions) <= 2
    store.put("a", 1)
    assert kept.wait(0) == "a"


@pytest.mark.parametrize("options", [{"size": 0}, {"per_second": 0}, {"per_second": -1}])
def test_options_that_are_none(options: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="must be"):
        Memory().changes.subscribe(**options)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="is no reference"):
        Memory().changes.subscribe("a/")
