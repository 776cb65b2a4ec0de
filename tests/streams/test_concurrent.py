"""`concurrent`: several calls at once, and the results in order."""

from __future__ import annotations

import pickle
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

import penstock
from penstock.streams import Failure, Pipeline, Place, concurrent, take


class Busy:
    """A function that counts how many calls of it there are at once."""

    def __init__(self, bad: int | None = None) -> None:
        self.bad, self.now, self.most, self.calls = bad, 0, 0, 0
        self.lock = threading.Lock()

    def __call__(self, item: int) -> int:
        with self.lock:
            self.now += 1
            self.calls += 1
            self.most = max(self.most, self.now)
        # The first ones take longest.
        time.sleep(0.002 * (4 - item % 4))
        with self.lock:
            self.now -= 1
        if item == self.bad:
            raise ValueError(f"no {item}")
        return item * item


@pytest.mark.parametrize("n", [1, 2, 4, 7])
def test_order_and_number(n: int) -> None:
    busy = Busy()
    assert list(range(40) | concurrent(busy, n)) == [item * item for item in range(40)]
    assert busy.most == n
    assert busy.calls == 40


def test_an_error_has_the_place_of_its_item() -> None:
    busy = Busy(bad=11)
    seen: list[int] = []
    with pytest.raises(ValueError, match="no 11") as raised:
        seen.extend(range(40) | concurrent(busy, 4))
    assert raised.value.__notes__ == ["raised in stage 1, concurrent(Busy, n=4), for record 12"]
    assert seen == [item * item for item in range(11)]
    assert busy.calls <= 16


@pytest.mark.parametrize("bad", [0, 20, 38, 39])
def test_error_targets_get_the_item(bad: int) -> None:
    failures: list[Failure] = []
    pipeline = range(40) | Pipeline(concurrent(Busy(bad), 4), errors=failures)
    assert list(pipeline) == [item * item for item in range(40) if item != bad]
    (failure,) = failures
    assert (failure.item, str(failure.error)) == (bad, f"no {bad}")
    assert failure.place == Place(None, bad + 1)


def test_records_and_their_places(tmp_path: Any) -> None:
    path = tmp_path / "n.ndjson"
    path.write_text("".join(f"{n}\n" for n in range(40)))
    failures: list[Failure] = []
    out = list(penstock.read(path, int) | Pipeline(concurrent(Busy(9), 4), errors=failures))
    assert out == [item * item for item in range(40) if item != 9]
    assert failures[0].place is not None
    assert failures[0].place[:3] == (str(path), 10, 10)


def test_it_stops_where_nobody_wants_more() -> None:
    busy = Busy()
    assert list(range(1_000_000) | concurrent(busy, 3) | take(5)) == [0, 1, 4, 9, 16]
    assert busy.calls <= 9

    def stopping(item: int) -> int:
        if item == 5:
            raise penstock.Stop
        return item

    assert list(range(100) | concurrent(stopping, 3)) == [0, 1, 2, 3, 4]


def test_none_is_dropped_and_iterators_go_on() -> None:
    def several(item: int) -> Iterator[int] | None:
        return iter(range(item)) if item % 2 else None

    assert list(range(6) | concurrent(several, 2)) == [0, 0, 1, 2, 0, 1, 2, 3, 4]


def test_flush_waits() -> None:
    out: list[int] = []
    with Pipeline(concurrent(Busy(), 4), out) as pipeline:
        for item in range(3):
            pipeline.write(item)
        pipeline.flush()
        assert out == [0, 1, 4]


def mine() -> int:
    """How many threads of such stages there are."""
    return sum(thread.name.startswith("penstock-concurrent") for thread in threading.enumerate())


def test_threads_end() -> None:
    stage = concurrent(Busy(), 4)
    for _ in range(3):
        assert len(list(range(9) | stage)) == 9
    with pytest.raises(ValueError, match="no 3"):
        list(range(9) | concurrent(Busy(3), 4))
    deadline = time.monotonic() + 5
    while mine() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert mine() == 0


def test_arguments_and_pickles() -> None:
    with pytest.raises(ValueError, match="a number of calls from 1"):
        concurrent(abs, 0)
    with pytest.raises(TypeError, match="takes a function, not int"):
        concurrent(3)  # type: ignore[arg-type]
    again = pickle.loads(pickle.dumps(concurrent(abs, 2)))
    assert list([-1, -2] | again) == [1, 2]
    assert repr(again) == "concurrent(abs, n=2)"
