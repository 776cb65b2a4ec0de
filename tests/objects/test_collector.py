"""The garbage collector pauses during bulk loads, and is afterwards as before."""

from __future__ import annotations

import contextlib
import gc
import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from fresh import printed

import penstock

pytestmark = pytest.mark.thread_unsafe(reason="the collector is the whole process's")


@dataclass(slots=True)
class Row:
    x: int
    items: list[int]


# Above the size from which decoding a document in memory is a bulk load.
LARGE = json.dumps([{"x": number, "items": [number]} for number in range(5_000)]).encode()
BROKEN = LARGE[:-2]
MISFIT = LARGE[:-3] + b', "a"]}]'


def rests() -> bool:
    """Whether the collector is paused: it runs after so many new objects."""
    return gc.get_threshold()[0] == 2_000_000_000


@pytest.fixture(autouse=True)
def collector() -> Iterator[None]:
    """Each test begins with the collector on, and must leave it running."""
    assert gc.isenabled()
    before = gc.get_threshold()
    yield
    assert gc.get_threshold() == before
    gc.enable()
    gc.unfreeze()


def pieces(data: bytes, size: int = 50_000) -> Iterator[bytes]:
    return (data[at : at + size] for at in range(0, len(data), size))


def fed(data: bytes) -> None:
    decoder = penstock.Decoder(Row)
    decoder.feed(data)
    assert not rests()
    decoder.finish()


def batched(data: bytes) -> None:
    for batch in penstock.json.read([data], Row).batches(100):
        assert not rests()
        assert batch


def read(data: bytes) -> None:
    for _ in penstock.json.read([data], Row):
        assert not rests()


WAYS: dict[str, Any] = {
    "decode bytes": lambda data: penstock.json.decode(data, list[Row]),
    "decode str": lambda data: penstock.json.decode(data.decode(), list[Row]),
    "decode bytearray": lambda data: penstock.json.decode(bytearray(data), list[Row]),
    "load": lambda data: penstock.json.load(pieces(data), list[Row]),
    "load lines": lambda data: penstock.ndjson.load([data, b"\n", data], list[Row]),
    "read": read,
    "batches": batched,
    "feed": fed,
}


@pytest.mark.parametrize("data", [LARGE, BROKEN, MISFIT], ids=["success", "truncated", "misfit"])
@pytest.mark.parametrize("enabled", [True, False], ids=["on", "off"])
@pytest.mark.parametrize("way", WAYS)
def test_the_collector_is_left_as_it_was(way: str, enabled: bool, data: bytes) -> None:
    if not enabled:
        gc.disable()
    with contextlib.nullcontext() if data is LARGE else pytest.raises(penstock.DecodeError):
        WAYS[way](data)
    assert gc.isenabled() is enabled


def seen_while(work: Any) -> set[bool]:
    """Whether the collector rested while the class's own code ran."""
    seen = set()

    @dataclass
    class Looking:
        x: int

        def __post_init__(self) -> None:
            seen.add(rests())

    work(Looking)
    return seen


def test_it_rests_during_bulk_loads_only() -> None:
    assert seen_while(lambda cls: penstock.json.decode(LARGE, list[cls])) == {True}
    assert seen_while(lambda cls: penstock.json.load([LARGE], list[cls])) == {True}
    assert seen_while(lambda cls: list(penstock.json.read([LARGE], cls).batches(100))) == {True}
    assert seen_while(lambda cls: penstock.Decoder(cls).feed(LARGE)) == {True}
    assert seen_while(lambda cls: list(penstock.json.read([LARGE], cls))) == {False}
    small = b'[{"x": 1}]'
    assert seen_while(lambda cls: penstock.json.decode(small, list[cls])) == {False}
    assert seen_while(lambda cls: penstock.json.load([small], list[cls])) == {False}
    assert seen_while(lambda cls: penstock.Decoder(cls).feed(small)) == {False}
    assert seen_while(lambda cls: list(penstock.json.read([small], cls).batches(2))) == {False}


def test_a_short_batch_of_large_records() -> None:
    data = json.dumps([[{"x": number} for number in range(50_000)]] * 2).encode()
    seen = seen_while(lambda cls: list(penstock.json.read([data], list[cls]).batches(2)))
    assert seen == {True}


def test_it_never_rests_while_a_source_is_read() -> None:
    seen = []

    def chunks() -> Iterator[bytes]:
        for piece in pieces(LARGE):
            seen.append(rests())
            yield piece

    assert len(penstock.json.load(chunks(), list[Row])) == 5_000
    assert sum(1 for _ in penstock.json.read(chunks(), Row)) == 5_000
    assert sum(map(len, penstock.json.read(chunks(), Row).batches(1_000))) == 5_000
    assert set(seen) == {False}


def test_it_never_rests_across_a_yield() -> None:
    reader = penstock.json.read(pieces(LARGE), Row)
    next(reader)
    assert not rests()
    batches = penstock.json.read(pieces(LARGE), Row).batches(700)
    next(batches)
    assert not rests()
    decoder = penstock.Decoder(Row)
    for piece in pieces(LARGE, 70_000):
        decoder.feed(piece)
        assert not rests()


def test_a_load_within_a_load() -> None:
    seen = []

    @dataclass
    class Outer:
        x: int

        def __post_init__(self) -> None:
            if self.x % 1000 == 0:
                penstock.json.decode(LARGE, list[Row])
            seen.append(rests())

    penstock.json.decode(LARGE, list[Outer])
    assert set(seen) == {True}
    assert not rests()


def doing(first: Callable[[], object]) -> type:
    """A class whose first object runs a function."""

    @dataclass
    class Doing:
        x: int
        items: list[int]

        def __post_init__(self) -> None:
            if self.x == 0:
                first()

    return Doing


@pytest.mark.parametrize("enabled", [True, False], ids=["on", "off"])
@pytest.mark.parametrize("switch", [gc.enable, gc.disable])
def test_who_switches_the_collector_meanwhile_has_it_so(
    switch: Callable[[], None], enabled: bool
) -> None:
    if not enabled:
        gc.disable()
    penstock.json.decode(LARGE, list[doing(switch)])
    assert gc.isenabled() is (switch is gc.enable)


def test_who_sets_the_threshold_meanwhile_has_it_so() -> None:
    before = gc.get_threshold()
    try:
        penstock.json.decode(LARGE, list[doing(lambda: gc.set_threshold(900))])
        assert gc.get_threshold() == (900, *before[1:])
    finally:
        gc.set_threshold(*before)


def test_who_sets_the_threshold_as_it_was_during_a_pause() -> None:
    before = gc.get_threshold()
    seen = []
    penstock.json.decode(LARGE, list[doing(lambda: seen.append(gc.get_threshold()))])
    gc.set_threshold(*seen[0])
    # The next pause ends that one too.
    penstock.json.decode(LARGE, list[Row])
    assert gc.get_threshold() == before


class Slow:
    """A load in another thread, in the middle of which the class's own code waits for a command."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.begun = threading.Event()
        self.go = threading.Event()
        self.thread = threading.Thread(target=self.load)
        self.result: object = None

    def load(self) -> None:
        try:
            self.result = len(penstock.json.load([self.data], list[doing(self.wait)]))
        except penstock.DecodeError as error:
            self.result = type(error)

    def wait(self) -> None:
        self.begun.set()
        assert self.go.wait(20)

    def start(self) -> None:
        self.thread.start()
        assert self.begun.wait(20)

    def end(self) -> None:
        self.go.set()
        self.thread.join(20)


@pytest.mark.parametrize("enabled", [True, False], ids=["on", "off"])
@pytest.mark.parametrize("nested", [True, False], ids=["nested", "crossed"])
@pytest.mark.parametrize("data", [LARGE, BROKEN], ids=["success", "error"])
def test_two_overlapping_loads(nested: bool, data: bytes, enabled: bool) -> None:
    if not enabled:
        gc.disable()
    one, two = Slow(data), Slow(LARGE)
    one.start()
    two.start()
    assert rests()
    first, last = (two, one) if nested else (one, two)
    first.end()
    assert rests()
    last.end()
    assert not rests()
    assert gc.isenabled() is enabled
    assert one.result == (5_000 if data is LARGE else penstock.TruncatedInput)
    assert two.result == 5_000


def test_many_overlapping_loads() -> None:
    loads = [Slow(LARGE if number % 3 else MISFIT) for number in range(8)]
    for load in loads:
        load.start()
    for load in loads[::2] + loads[1::2]:
        assert rests()
        load.end()
    assert not rests()
    assert [load.result for load in loads] == [
        5_000 if number % 3 else penstock.ValidationError for number in range(8)
    ]


# Afterwards.


def test_what_was_loaded_is_old() -> None:
    data = json.dumps([{"x": number, "items": [number]} for number in range(60_000)]).encode()
    assert len(data) > 1 << 20
    gc.collect()
    for made in (penstock.json.decode(data, list[Row]), penstock.json.load([data], list[Row])):
        young = gc.get_objects(generation=0) + gc.get_objects(generation=1)
        assert not any(type(each) is Row for each in young)
        assert gc.get_count()[0] < 700
        assert sum(type(each) is Row for each in gc.get_objects(generation=2)) >= len(made)
        assert gc.get_freeze_count() == 0


def test_frozen_objects_stay_frozen() -> None:
    data = json.dumps([{"x": number, "items": [number]} for number in range(60_000)]).encode()
    gc.collect()
    gc.freeze()
    frozen = gc.get_freeze_count()
    assert frozen > 1000
    made = penstock.json.decode(data, list[Row])
    # One or two frozen objects may have died; the new ones were not frozen with them.
    assert frozen - 1000 < gc.get_freeze_count() <= frozen
    assert len(made) == 60_000


@dataclass(slots=True)
class Cyclic:
    x: int
    me: object = None

    def __post_init__(self) -> None:
        self.me = self


def alive(cls: type) -> int:
    return sum(type(each) is cls for each in gc.get_objects())


def test_garbage_of_large_loads_is_collected() -> None:
    # Objects that were moved to the old ones must be visited again some day: a program that loads
    # one document after the other must not grow without end.
    data = json.dumps([{"x": number, "note": "-" * 80} for number in range(11_000)]).encode()
    assert len(data) > 1 << 20
    gc.collect()
    most = 0
    # Enough rounds for a process that has many objects: there the collector waits for more garbage.
    for number in range(100):
        penstock.json.decode(data, list[Cyclic])
        if number % 10 == 9:
            most = max(most, alive(Cyclic))
    gc.collect()
    assert alive(Cyclic) == 0
    assert most < 100 * 11_000 * 0.75


def test_garbage_between_small_loads_is_collected() -> None:
    class Cycle:
        def __init__(self) -> None:
            self.me = self

    def most_alive(make: Callable[[], object]) -> int:
        gc.collect()
        most = 0
        for number in range(20_000):
            Cycle()
            make()
            if number % 2000 == 1999:
                most = max(most, alive(Cycle))
        return most

    # From 3.14 on, the interpreter itself lets garbage lie for longer.
    usual = most_alive(lambda: Row(1, []))
    ours = most_alive(lambda: penstock.json.load([b'{"x": 1, "items": []}'], Row))
    assert ours < max(10_000, usual + 2_000)


# Forks.

FORKS = """
import gc, os, threading, penstock
from dataclasses import dataclass

def rests():
    return gc.get_threshold()[0] == 2_000_000_000

@dataclass
class Row:
    x: int

    def __post_init__(self):
        if self.x == 2:
            middle()

DATA = b'[{"x": 1}, {"x": 2}' + b', {"x": 3}' * 20_000 + b"]"
"""


def test_a_child_forked_in_the_middle_of_a_load() -> None:
    script = """
child = None

def middle():
    global child
    if child is not None:
        return
    before = rests()
    child = os.fork()
    if child == 0:
        inside = rests()
        # The child's own loads pause and resume as ever.
        penstock.json.load([DATA], list[Row])
        seen.append((before, inside, rests()))
    else:
        _, status = os.waitpid(child, 0)
        seen.append((before, rests(), status))

seen = []
made = penstock.json.load([DATA], list[Row])
print("parent" if child else "child", len(made), *seen, rests(), flush=True)
os._exit(0)
"""
    assert printed(FORKS + script).splitlines() == [
        "child 20002 (True, False, False) False",
        "parent 20002 (True, True, 0) False",
    ]


def test_a_child_forked_while_another_thread_loads() -> None:
    script = """
begun, go = threading.Event(), threading.Event()

def middle():
    begun.set()
    go.wait()

thread = threading.Thread(target=lambda: penstock.json.load([DATA], list[Row]))
thread.start()
begun.wait()
child = os.fork()
if child == 0:
    go.set()
    before = rests()
    made = penstock.json.load([DATA], list[Row])
    print("child", before, len(made), rests(), flush=True)
    os._exit(0)
os.waitpid(child, 0)
print("parent", rests(), flush=True)
go.set()
thread.join()
print("parent", rests(), flush=True)
"""
    assert printed(FORKS + script).splitlines() == [
        "child False 20002 False",
        "parent True",
        "parent False",
    ]


def test_a_child_of_a_parent_without_a_collector_has_none_either() -> None:
    script = """
def middle():
    child = os.fork()
    if child == 0:
        print(gc.isenabled(), flush=True)
        os._exit(0)
    os.waitpid(child, 0)

gc.disable()
print(len(penstock.json.load([DATA], list[Row])), gc.isenabled())
"""
    assert printed(FORKS + script).splitlines() == ["False", "20002 False"]
