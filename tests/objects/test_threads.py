"""Threads, re-entrance, interrupts, forks, and exceptions of the user's own."""

from __future__ import annotations

import gc
import json
import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, make_dataclass
from typing import Any, NamedTuple

import pytest
from fresh import finished

import penstock


@dataclass(slots=True)
class Row:
    number: int
    text: str = ""


DOCUMENT = json.dumps(
    [{"number": number, "text": f"text {number % 50}"} for number in range(3_000)]
).encode()
EXPECTED = [Row(number, f"text {number % 50}") for number in range(3_000)]
READER_BUSY = "this Reader is already at work: in another thread, or in code that it is calling"
DECODER_BUSY = "this Decoder is already at work: in another thread, or in code that it is calling"


# One reader, two callers.


def in_two_threads(start: Callable[[Any], Any], second: Callable[[], object]) -> tuple[Any, object]:
    """Run `start` on a source that waits until `second` has run in this thread."""
    waiting, go = threading.Event(), threading.Event()

    def chunks() -> Iterator[bytes]:
        waiting.set()
        assert go.wait(20)
        yield DOCUMENT

    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(start, chunks())
        assert waiting.wait(20)
        try:
            outcome = second()
        finally:
            go.set()
        return first.result(20), outcome


VERBS: dict[str, Callable[[Any], object]] = {
    "next": next,
    "batches": lambda reader: next(reader.batches(2)),
    "close": lambda reader: reader.close(),
    "exit": lambda reader: reader.__exit__(None, None, None),
}


@pytest.mark.parametrize("verb", VERBS)
def test_a_reader_in_another_thread(verb: str) -> None:
    readers: list[penstock.Reader[Row]] = []

    def start(chunks: Iterator[bytes]) -> list[Row]:
        readers.append(penstock.json.read(chunks, Row))
        return list(readers[0])

    def second() -> None:
        with pytest.raises(RuntimeError) as caught:
            VERBS[verb](readers[0])
        assert str(caught.value) == READER_BUSY
        assert type(caught.value) is RuntimeError
        # The attributes can be read at any time.
        assert readers[0].progress.records == 0
        assert readers[0].skipped == 0
        assert "Row" in repr(readers[0])

    rows, _ = in_two_threads(start, second)
    assert rows == EXPECTED


def test_many_threads_share_one_reader() -> None:
    reader = penstock.json.read([DOCUMENT], Row)
    lock = threading.Lock()
    seen: list[int] = []

    def take() -> None:
        while True:
            with lock:
                row = next(reader, None)
                if row is None:
                    return
                number = row.number
                del row
            seen.append(number)

    threads = [threading.Thread(target=take) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert sorted(seen) == list(range(3_000))


def test_a_reader_within_itself() -> None:
    errors: list[str] = []

    @dataclass
    class Curious:
        number: int

        def __post_init__(self) -> None:
            if self.number == 1:
                for work in (lambda: next(reader), reader.close, lambda: next(reader.batches(1))):
                    with pytest.raises(RuntimeError) as caught:
                        work()
                    errors.append(str(caught.value))

    reader = penstock.json.read([DOCUMENT], Curious)
    assert sum(1 for _ in reader) == 3_000
    assert errors == [READER_BUSY] * 3


def test_a_reader_within_its_source() -> None:
    def chunks() -> Iterator[bytes]:
        yield DOCUMENT[:100]
        with pytest.raises(RuntimeError, match="already at work"):
            next(reader)
        yield DOCUMENT[100:]

    reader = penstock.json.read(chunks(), Row)
    assert list(reader) == EXPECTED


def test_a_reader_within_its_error_target() -> None:
    caught: list[str] = []

    def target(error: penstock.DecodeError) -> None:
        try:
            next(reader)
        except RuntimeError as busy:
            caught.append(f"{error.record}: {busy}")

    reader = penstock.ndjson.read(
        [b'{"number": 1}\n{"number": "x"}\n{"number": 3}\n'], Row, errors=target
    )
    assert [row.number for row in reader] == [1, 3]
    assert caught == [f"2: {READER_BUSY}"]


def test_a_decoder_within_itself() -> None:
    errors: list[str] = []

    @dataclass
    class Curious:
        number: int

        def __post_init__(self) -> None:
            if self.number == 1:
                for work in (lambda: decoder.feed(b" "), decoder.finish):
                    with pytest.raises(RuntimeError) as caught:
                        work()
                    errors.append(str(caught.value))

    decoder = penstock.Decoder(Curious)
    assert len(decoder.feed(DOCUMENT)) == 3_000
    assert decoder.finish() == []
    assert errors == [DECODER_BUSY] * 2


def test_decoding_within_decoding() -> None:
    @dataclass
    class Wrapped:
        text: str
        inner: Any = None

        def __post_init__(self) -> None:
            if self.text.startswith("["):
                self.inner = penstock.json.decode(self.text, list[Wrapped])

    innermost = json.dumps([{"text": "x"}])
    middle = json.dumps([{"text": innermost}, {"text": "y"}])
    (made,) = penstock.json.decode(json.dumps([{"text": middle}]), list[Wrapped])
    assert [each.text for each in made.inner] == [innermost, "y"]
    assert made.inner[0].inner == [Wrapped("x")]


# Many readers, many threads.


def test_threads_share_a_plan() -> None:
    plan: Any = penstock.Plan(list[Row])
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(6) as pool:
            futures = [pool.submit(penstock.json.decode, DOCUMENT, plan) for _ in range(30)]
            futures += [
                pool.submit(lambda: list(penstock.json.read([DOCUMENT], Row))) for _ in range(10)
            ]
            assert all(future.result(60) == EXPECTED for future in futures)
    finally:
        sys.setswitchinterval(before)


def test_threads_plan_the_same_new_classes() -> None:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for _ in range(20):
            inner = make_dataclass("Inner", [("a", int), ("b", str)])
            outer = make_dataclass("Outer", [("x", inner), ("y", list[inner])])
            barrier = threading.Barrier(4)

            def work(cls: Any = outer, barrier: threading.Barrier = barrier) -> Any:
                barrier.wait(20)
                text = '{"x": {"a": 1, "b": "b"}, "y": [{"a": 2, "b": "c"}]}'
                return penstock.json.decode(text, cls), penstock.json.decode(f"[{text}]", list[cls])

            with ThreadPoolExecutor(4) as pool:
                made = [future.result(20) for future in [pool.submit(work) for _ in range(4)]]
            expected = outer(inner(1, "b"), [inner(2, "c")])
            assert made == [(expected, [expected])] * 4
    finally:
        sys.setswitchinterval(before)


def test_threads_while_the_collector_drops_plans() -> None:
    stop = threading.Event()

    def collect() -> None:
        while not stop.is_set():
            gc.collect()

    thread = threading.Thread(target=collect)
    thread.start()
    try:
        for _ in range(60):
            assert penstock.json.decode('[{"number": 1}]', list[Row]) == [Row(1)]
            assert next(penstock.json.read([b'[{"number": 2}]'], Row)) == Row(2)
    finally:
        stop.set()
        thread.join(20)


def test_other_threads_run_while_a_document_is_decoded() -> None:
    data = b"[" + b'{"number": 1, "text": "some text or other"},' * 400_000 + b'{"number": 2}]'
    turns = 0
    done = threading.Event()

    def count() -> None:
        nonlocal turns
        while not done.is_set():
            turns += 1
            time.sleep(0)

    thread = threading.Thread(target=count)
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-4)
    thread.start()
    try:
        while turns == 0:
            time.sleep(0.001)
        start = turns
        assert len(penstock.json.decode(data, list[Row])) == 400_001
        # The lock is offered after each MiB of this document of 16 MiB.
        assert turns - start >= 3
    finally:
        done.set()
        thread.join(20)
        sys.setswitchinterval(before)


# Interrupts.


@pytest.mark.thread_unsafe(reason="it is about a process of its own")
@pytest.mark.parametrize(
    "work",
    [
        "penstock.json.decode(data, list[Decimal])",
        "penstock.json.decode(bytearray(data), list[Decimal])",
        "penstock.json.load(iter([data]), list[Decimal])",
        "penstock.ndjson.decode(data[1:-1].replace(b',', b'\\n'), Decimal)",
        "penstock.Decoder(Decimal).feed(data)",
        "list(penstock.json.read([data], Decimal).batches(10_000_000))",
    ],
    ids=["decode", "buffer", "load", "lines", "feed", "batches"],
)
def test_an_interrupt_ends_the_decoding(work: str) -> None:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    script = f"""
        import signal, time, penstock
        # Whoever started the tests may have it ignored.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        from decimal import Decimal
        data = b"[" + b"1.2345678901234567," * 2_000_000 + b"2]"
        print("ready", flush=True)
        began = time.monotonic()
        try:
            {work}
        except KeyboardInterrupt:
            print("interrupted", time.monotonic() - began, flush=True)
            raise
        print("finished", time.monotonic() - began, flush=True)
    """
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(script)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.05)
    sent = time.monotonic()
    process.send_signal(signal.SIGINT)
    answer = process.stdout.readline()
    answered = time.monotonic() - sent
    _, errors = process.communicate(timeout=60)
    # With `pytest -s` this prints how long it took, because the bound is rather generous.
    sys.stdout.write(f"{work}: answered after {answered * 1000:.0f} ms\n")
    assert answer.startswith("interrupted")
    assert process.returncode == -signal.SIGINT
    assert errors.rstrip().endswith("KeyboardInterrupt")
    assert "penstock" not in errors.rstrip().splitlines()[-1]
    assert answered < 2


@pytest.mark.thread_unsafe(reason="it is about a process of its own")
def test_an_interrupt_leaves_everything_as_it_was() -> None:
    script = """
        import gc, signal, penstock
        from decimal import Decimal
        data = b"[" + b"1.2345678901234567," * 600_000 + b"2]"
        signal.signal(signal.SIGALRM, signal.default_int_handler)
        thresholds = gc.get_threshold()
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        try:
            penstock.json.decode(data, list[Decimal])
        except KeyboardInterrupt:
            print("interrupted", gc.get_threshold() == thresholds)
        print(penstock.json.decode("[1.5]", list[Decimal]))
    """
    done = finished(script)
    assert done.stderr == ""
    assert done.stdout.splitlines() == ["interrupted True", "[Decimal('1.5')]"]


# Exceptions of the user's own.


class Checked(NamedTuple):
    number: int


@dataclass
class Raising:
    number: int

    def __post_init__(self) -> None:
        if self.number == 2:
            raise ValueError("two is\nright out")
        if self.number == 3:
            raise TypeError("three is no number")
        if self.number == 4:
            raise RuntimeError("four breaks the program")
        if self.number == 5:
            raise KeyboardInterrupt
        if self.number == 6:
            raise SystemExit(6)


def test_what_a_class_says_of_its_values_is_a_validation_error() -> None:
    data = b'[{"number": 1},\n {"number": 2}]'
    for work in (
        lambda: penstock.json.decode(data, list[Raising]),
        lambda: penstock.json.load([data], list[Raising]),
        lambda: list(penstock.json.read([data], Raising)),
    ):
        with pytest.raises(penstock.ValidationError) as caught:
            work()
        error = caught.value
        assert type(error.__cause__) is ValueError
        assert error.__cause__.args == ("two is\nright out",)
        assert error.reason == "ValueError: two is\\nright out"
        assert "\n" not in str(error)
        assert (error.line, error.path) == (2, "1")
    with pytest.raises(penstock.ValidationError, match="TypeError: three is no number"):
        penstock.json.decode('{"number": 3}', Raising)


def feed_and_finish(data: bytes) -> None:
    decoder = penstock.Decoder(Raising, errors="collect")
    assert decoder.feed(data) == [Raising(1)]
    decoder.finish()


def test_other_exceptions_come_out_as_they_are_with_a_note() -> None:
    data = b'[{"number": 1},\n {"number": 4}]'
    for work in (
        lambda: penstock.json.decode(data, list[Raising]),
        lambda: penstock.json.load([data], list[Raising]),
        lambda: list(penstock.json.read([data], Raising, errors="skip")),
        lambda: feed_and_finish(data),
    ):
        with pytest.raises(RuntimeError, match="four breaks the program") as caught:
            work()
        assert type(caught.value) is RuntimeError
        (note,) = caught.value.__notes__
        assert "line 2" in note
        assert "raised here" in note


@pytest.mark.parametrize(("number", "kind"), [(5, KeyboardInterrupt), (6, SystemExit)])
def test_exceptions_that_are_no_errors_pass_through(number: int, kind: type[BaseException]) -> None:
    with pytest.raises(kind) as caught:
        list(penstock.json.read([b'[{"number": %d}]' % number], Raising, errors="skip"))
    assert not hasattr(caught.value, "__notes__")


def test_records_that_their_class_refuses_can_be_passed_over() -> None:
    lines = b"".join(b'{"number": %d}\n' % number for number in (1, 2, 3, 7))
    reader = penstock.ndjson.read([lines], Raising, errors="skip")
    assert [row.number for row in reader] == [1, 7]
    assert reader.skipped == 2
    with pytest.raises(ExceptionGroup) as caught:
        list(penstock.ndjson.read([lines], Raising, errors="collect"))
    assert [type(error.__cause__) for error in caught.value.exceptions] == [ValueError, TypeError]
    assert [error.line for error in caught.value.exceptions] == [2, 3]


# Processes.


def decode_in_child(document: str) -> int:
    return sum(row.number for row in penstock.json.decode(document, list[Row]))


@pytest.mark.thread_unsafe(reason="a process forks where it has one thread")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_forked_children_decode() -> None:
    penstock.json.decode(DOCUMENT, list[Row])
    reader = penstock.json.read([DOCUMENT], Row)
    next(reader)
    readable, writable = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            rest = sum(row.number for row in reader)
            own = decode_in_child(DOCUMENT.decode())
            os.write(writable, f"{rest} {own}".encode())
        finally:
            os._exit(0)
    os.close(writable)
    assert os.waitpid(child, 0)[1] == 0
    total = sum(range(3_000))
    assert os.read(readable, 100).decode() == f"{total} {total}"
    os.close(readable)
    # The parent's reader is unchanged.
    assert sum(row.number for row in reader) == total


@pytest.mark.thread_unsafe(reason="a process forks where it has one thread")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_pool_of_processes_hands_errors_over() -> None:
    documents = [
        '[{"number": 1}]',
        '[{"number": 1},\n {"number": "x"}]',
        '[{"number": 1}',
        "[1, }",
        '[{"number": 2}]',
    ]
    with multiprocessing.get_context("fork").Pool(2) as pool:
        results = [pool.apply_async(decode_in_child, (document,)) for document in documents]
        assert [results[0].get(20), results[4].get(20)] == [1, 2]
        with pytest.raises(penstock.ValidationError) as caught:
            results[1].get(20)
        error = caught.value
        assert (error.line, error.column, error.path, error.expected, error.got) == (
            2,
            13,
            "1/number",
            "int",
            "a string",
        )
        assert error.report().splitlines()[0] == str(error)
        with pytest.raises(penstock.TruncatedInput):
            results[2].get(20)
        with pytest.raises(penstock.DecodeError):
            results[3].get(20)
