"""What lives how long: threads at the end of the interpreter, the collector, locks and cycles.

Numbered from 120, with the symptom of each bug that was fixed.
"""

import gc
import json
import threading
import weakref
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from fresh import finished

import penstock


@dataclass
class Row:
    x: int


LARGE = json.dumps([{"x": number} for number in range(20_000)]).encode()

# Threads that are inside a call back when the interpreter ends.
THREADS_AT_THE_END = """
import threading, time
from dataclasses import dataclass
from typing import Annotated

import penstock
from penstock import via

arrived = threading.Semaphore(0)

def stay(*_):
    arrived.release()
    while True:
        time.sleep(0.0001)

class Object:
    __del__ = stay

def an_object(_):
    return Object()

@dataclass
class Row:
    number: int

@dataclass
class Steps(Row):
    __post_init__ = stay

class Called:
    def __init__(self, number: int) -> None:
        stay()

@dataclass
class Converted:
    number: Annotated[int, via(stay)]

@dataclass
class Dropped:
    number: Annotated[Object, via(an_object)]
    second: int

class Handler:
    def number(self, element):
        stay()

def chunks():
    yield b"["
    stay()

def work():
    CALL

threads = [threading.Thread(target=work, daemon=True) for _ in range(25)]
for thread in threads:
    thread.start()
for _ in threads:
    assert arrived.acquire(timeout=60)
print("the end")
"""


@pytest.mark.parametrize(
    "call",
    [
        "penstock.json.decode(b'{\"number\": 1}', Steps)",
        "penstock.json.decode(b'{\"number\": 1}', Called)",
        "penstock.json.decode(b'{\"number\": 1}', Converted)",
        "penstock.json.decode(b'{\"number\": \"1\"}', Dropped)",
        "penstock.xml.decode(b'<row><number>1</number></row>', Steps)",
        "penstock.json.load([b'{\"number\": 1}'], Steps)",
        "penstock.json.load(chunks())",
        "next(penstock.json.read([b'[{\"number\": 1}]'], Converted))",
        "next(penstock.json.read([b'[{\"number\": 1}]'], Steps).batches(2))",
        "penstock.json.Decoder(Steps).feed(b'{\"number\": 1}')",
        "list(penstock.ndjson.read([b'{}\\n'], Row, errors=stay))",
        "penstock.json.send([b'{\"number\": 1}'], Handler())",
        "penstock.xml.send([b'<row><number>1</number></row>'], Handler())",
        "penstock.open(b'[{\"number\": 1}]', Steps)[0]",
    ],
)
def test_120_threads_in_a_call_back_when_the_interpreter_ends(call: str) -> None:
    """The process aborted: the interpreter unwound them through the functions of the library."""
    done = finished(THREADS_AT_THE_END.replace("CALL", call))
    assert (done.returncode, done.stdout) == (0, "the end\n"), done.stderr


WAITING: dict[str, Any] = {
    "load": lambda chunks: penstock.json.load(chunks, list[Row]),
    "batches": lambda chunks: list(penstock.json.read(chunks, Row).batches(100_000))[0],
}


@pytest.mark.thread_unsafe(reason="the collector is the whole process's")
@pytest.mark.parametrize("way", WAITING)
def test_121_the_collector_goes_on_while_a_load_waits(way: str) -> None:
    """It was off until a slow source had given everything, and cycles of other threads piled up."""

    class Cycle:
        def __init__(self) -> None:
            self.me = self

    waits, go = threading.Event(), threading.Event()

    def chunks() -> Iterator[bytes]:
        yield LARGE[:200_000]
        waits.set()
        assert go.wait(60)
        yield LARGE[200_000:]

    rows: list[Row] = []
    thread = threading.Thread(target=lambda: rows.extend(WAITING[way](chunks())))
    thread.start()
    assert waits.wait(60)
    alive: weakref.WeakSet[Cycle] = weakref.WeakSet()
    for _ in range(20_000):
        alive.add(Cycle())
    left = len(alive)
    go.set()
    thread.join()
    assert len(rows) == 20_000
    assert left < 5_000
    gc.collect()
    assert len(alive) == 0
