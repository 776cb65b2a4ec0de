"""The rules of measuring, in one place so that every row has the same ones.

- A timing includes the next 2,000 allocations after the call: a loader that pauses the collector
  and leaves the work to the caller's next line has to pay it here.
- Releasing the result is not timed, because its owner does not release it while using it.
- Peak memory is `VmHWM` of a fresh process. `ru_maxrss` is not used: a child reports its parent's.
- The numbers are a process's own; `rounds` combines them.
"""

from __future__ import annotations

import gc
import time
import timeit
from typing import TYPE_CHECKING, Protocol, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from model import Call, Input, Statement

Sample = dict[str, float]

ALLOCATIONS = 2_000
ENOUGH = 0.25
"""Seconds after which a call that shares its process has been repeated often enough."""
FEWEST = 3
BATCH = 0.005
"""Seconds that a repetition of a statement takes about."""


class Written(Protocol):
    """What the call of a row returns that writes a file."""

    @property
    def path(self) -> Path:
        """The file."""


def next_allocations() -> list[list[object]]:
    """Allocate what a caller's next lines might: objects that the collector counts."""
    return [[] for _ in range(ALLOCATIONS)]


def peak_mib() -> float:
    """Return the most memory that this process ever held, in MiB."""
    with open("/proc/self/status", encoding="ascii") as status:  # noqa: PTH123 - pathlib costs memory
        for line in status:
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    return float("nan")


def bulk(call: Call, source: Input) -> Sample:
    """Time one call that returns everything at once."""
    gc.collect()
    start = time.perf_counter()
    result = call(source.data)
    after = next_allocations()
    stop = time.perf_counter()
    del after
    sample = {"ms": 1e3 * (stop - start), "MiB": peak_mib()}
    del result
    return sample


def asking(call: Call, source: Input) -> Sample:
    """Time one call that asks a server for ranges of bytes, and count them."""
    import behind  # noqa: PLC0415 - other processes do not need it

    before = behind.asked()
    sample = bulk(call, source)
    return {**sample, "ranges": behind.asked() - before}


def written(call: Call, source: Input) -> Sample:
    """Time a call that writes a file, which is deleted, and take its size."""
    sample = {}

    def write(data: object) -> object:
        made = cast("Written", call(data))
        sample["MB"] = made.path.stat().st_size / 1e6
        return made

    sample |= bulk(write, source)
    cast("Written", call(source.small)).path.unlink()
    return sample


def stream(call: Call, source: Input) -> Sample:
    """Time an iteration whose records are dropped at once, and the wait for the first."""
    gc.collect()
    start = time.perf_counter()
    records: Iterator[object] = iter(call(source.data))  # type: ignore[call-overload]
    record = next(records)
    first = time.perf_counter()
    count = 1
    for record in records:  # noqa: B007 - the loop variable holds its record, as a caller's would
        count += 1
    after = next_allocations()
    stop = time.perf_counter()
    del after, record
    return {
        "ms": 1e3 * (stop - start),
        "first ms": 1e3 * (first - start),
        "MiB": peak_mib(),
        "records": count,
    }


def repeated(call: Call, source: Input) -> Sample:
    """Time a short call: the median of repetitions in this process."""
    times: list[float] = []
    until = time.perf_counter() + ENOUGH
    while len(times) < FEWEST or time.perf_counter() < until:
        start = time.perf_counter()
        result = call(source.data)
        after = next_allocations()
        stop = time.perf_counter()
        del result, after
        times.append(stop - start)
    times.sort()
    return {"ms": 1e3 * times[len(times) // 2]}


def fresh(call: Call, source: Input) -> Sample:
    """Time a call on inputs that can be used only once: the median over as many of them."""
    times: list[float] = []
    for once in source.data():
        start = time.perf_counter()
        result = call(once)
        stop = time.perf_counter()
        del result
        times.append(stop - start)
    times.sort()
    return {"us": 1e6 * times[len(times) // 2]}


def calls(call: Call, source: Input) -> Sample:
    """Time a statement on each of some items in turn: the median of repetitions, for one item.

    Releasing the result is timed, because a program that answers requests does it each time. So is
    the collector, if it is on, because it works while the loop runs. The processor's time is
    measured, because an interruption by another process takes many times the length of a call.
    """
    statement = cast("Statement", call)
    body = statement.text.replace("\n", "\n ")
    scope = {**statement.names, "items": source.data}
    setup = "import gc; gc.enable()" if gc.isenabled() else ""
    timer = timeit.Timer(f"for data in items:\n {body}", setup, time.thread_time, scope)
    number = max(1, int(3 * BATCH / timer.timeit(3)))
    times: list[float] = []
    until = time.thread_time() + ENOUGH / 2
    while len(times) < FEWEST or time.thread_time() < until:
        times.append(timer.timeit(number) / number / len(source.data))
    times.sort()
    return {"ns": 1e9 * times[len(times) // 2]}


MEASURES: dict[str, Callable[[Call, Input], Sample]] = {
    "bulk": bulk,
    "asking": asking,
    "written": written,
    "stream": stream,
    "repeated": repeated,
    "fresh": fresh,
    "calls": calls,
}


def digest(values: Iterable[object]) -> str:
    """Return a digest of values, which is equal only for equal values of equal types."""
    import hashlib  # noqa: PLC0415 - it would count as memory where nothing is checked

    state = hashlib.blake2b(digest_size=16)
    for value in values:
        state.update(repr(value).encode("utf-8", "surrogatepass"))
    return state.hexdigest()
