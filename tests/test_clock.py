"""`penstock.clock`, and a reader's `timing`."""

import dataclasses
import datetime
import io
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Literal

import pytest

import penstock
from penstock import clock


def test_the_time_of_day() -> None:
    before = time.time_ns()
    now = clock.wall_ns()
    after = time.time_ns()
    assert type(now) is int
    # If the system's time was set just now, the test may fail; run it again.
    assert before - 10**9 < now < after + 10**9


def test_the_time_of_day_as_a_datetime() -> None:
    before = datetime.datetime.now(datetime.UTC)
    now = clock.wall()
    assert now.tzinfo is datetime.UTC
    assert abs(now - before) < datetime.timedelta(seconds=60)


def test_the_monotonic_time_does_not_go_back() -> None:
    latest = clock.mono_ns()
    for _ in range(100_000):
        now = clock.mono_ns()
        assert now >= latest
        latest = now


def test_it_passes_as_the_systems_does() -> None:
    # Each clock is read before and after the other, so that a pause of the process does not matter.
    outer, begun, inner = time.monotonic_ns(), clock.mono_ns(), time.monotonic_ns()
    time.sleep(0.02)
    inner_end, ended, outer_end = time.monotonic_ns(), clock.mono_ns(), time.monotonic_ns()
    bound = 2 * 1_500
    assert inner_end - inner - bound <= ended - begun <= outer_end - outer + bound


def test_between_threads() -> None:
    seen: list[int] = [clock.mono_ns()]
    back: list[int] = []

    def read() -> None:
        for _ in range(20_000):
            latest = seen[-1]
            now = clock.mono_ns()
            if now < latest:
                back.append(latest - now)
            seen.append(now)

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not back


def test_in_a_child() -> None:
    # A process of its own, since this one may have other threads.
    program = (
        "import os; from penstock import clock\n"
        "until = clock.mono_ns() + 5_000_000\n"
        "while clock.mono_ns() < until: pass\n"
        "before = clock.mono_ns()\n"
        "child = os.fork()\n"
        "latest = clock.mono_ns()\n"
        "assert latest >= before\n"
        "while latest < before + 5_000_000:\n"
        "    now = clock.mono_ns()\n"
        "    assert now >= latest\n"
        "    latest = now\n"
        "report = clock.report()\n"
        "if child: assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0\n"
    )
    home = str(Path(penstock.__file__).parent.parent)
    subprocess.run(
        [sys.executable, "-c", program], check=True, env={**os.environ, "PYTHONPATH": home}
    )


def test_the_report() -> None:
    report = clock.report()
    assert report.source in {"counter", "kernel"}
    assert report.reason
    assert report.bound == (1_500 if report.source == "counter" else 0)
    assert min(report.wall, report.mono, report.kernel) > 0
    assert report.largest <= 5_000
    assert repr(report).startswith("Report(source=")
    assert report.looks >= 1 or report.source == "kernel"


def test_functions_say_what_they_are() -> None:
    for function in (clock.wall_ns, clock.mono_ns):
        assert function.__module__ == "penstock.clock"
        assert function.__doc__
        with pytest.raises(TypeError):
            function(1)  # type: ignore[call-arg]


TEXT = b"[" + b",".join(b'{"a": %d, "b": ["x", 2.5]}' % n for n in range(20_000)) + b"]"


@pytest.mark.filterwarnings("ignore::penstock.EmptyWarning")
@pytest.mark.parametrize("at", [None, "*", "*/b", "*/zip"])
def test_where_the_time_goes(at: str | None) -> None:
    estimates = []
    # A sample in which another program had the processor makes an estimate far too long.
    for _ in range(5):
        begun = clock.mono_ns()
        reader = penstock.json.read(io.BytesIO(TEXT), at=at)
        first = reader.timing
        assert (first.source, first.scan, first.build) == (0, 0, 0)
        for _ in reader:
            pass
        timing = reader.timing
        passed = (clock.mono_ns() - begun) / 1e9
        assert timing.source > 0
        assert timing.scan > 0
        assert timing.build > 0 or at == "*/zip"
        estimates.append((timing.source + timing.scan + timing.build) / (passed + 0.0025))
    # Estimates can be wrong, but not by so much.
    assert min(estimates) < 4
    assert repr(timing) == (
        f"Timing(source={timing.source:.3f}, scan={timing.scan:.3f}, build={timing.build:.3f})"
    )


@pytest.mark.parametrize(
    ("format", "text", "count"),
    [
        ("json", b"[]", 0),
        ("json", b"[1]", 1),
        ("ndjson", b'1\n{"a": 2}\n', 2),
        ("xml", b"<a><b>1</b><c x='1'><d/>text</c></a>", 2),
    ],
)
def test_it_is_measured_for_documents_of_any_size(format: str, text: bytes, count: int) -> None:
    reader = penstock.read(io.BytesIO(text), format=format)  # type: ignore[arg-type]
    assert len(list(reader)) == count
    assert reader.timing.source > 0
    assert reader.timing.scan >= 0


def test_samples_change_nothing_of_what_is_read() -> None:
    # Each record is as long as the distance between samples, so all of them are samples.
    rows = [{"n": n, "text": "é" * 70_000, "flags": [True, None, 1.5]} for n in range(4)]
    lines = "".join(
        f'{{"n": {r["n"]}, "text": "{r["text"]}", "flags": [true, null, 1.5]}}\n' for r in rows
    )
    assert list(penstock.ndjson.read(io.BytesIO(lines.encode()))) == rows


@dataclasses.dataclass
class Cat:
    kind: Literal["cat"]
    text: str


@dataclasses.dataclass
class Dog:
    kind: Literal["dog"]
    text: str
    n: int = 0


@pytest.mark.parametrize("at", [None, "*"])
def test_samples_of_unions(at: str | None) -> None:
    # The key that gives the class is first, last, or escaped, so that the reader must look for it.
    long = "x" * 70_000
    rows = [
        f'{{"kind": "cat", "text": "{long}"}}',
        f'{{"text": "{long}", "n": 7, "kind": "dog"}}',
        f'{{"\\u006bind": "dog", "text": "{long}"}}',
        f'{{"n": 1, "kind": "dog", "text": "{long}"}}',
    ]
    expected = [Cat("cat", long), Dog("dog", long, 7), Dog("dog", long), Dog("dog", long, 1)]
    if at is None:
        reader = penstock.ndjson.read(io.BytesIO("\n".join(rows).encode()), Cat | Dog)
    else:
        text = "[" + ",".join(rows) + "]"
        reader = penstock.json.read(io.BytesIO(text.encode()), Cat | Dog, at=at)
    assert list(reader) == expected
    assert reader.timing.build > 0


def test_errors_among_samples() -> None:
    text = b"1\n" + b'"no"\n' * 40_000 + b"2\n"
    reader = penstock.ndjson.read(io.BytesIO(text), int, errors="skip")
    assert list(reader) == [1, 2]
    assert reader.skipped == 40_000
    assert reader.timing.scan > 0
