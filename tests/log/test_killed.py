"""A writer that is killed at any moment: its log has what was acknowledged, and nothing else.

With PENSTOCK_LONG=1 it is killed a thousand times.
"""

from __future__ import annotations

import os
import random
import signal
import time
import traceback
import warnings
from pathlib import Path
from typing import Any

import pytest
from effort import LONG
from events import Put, State, opened

import penstock

KILLS = 1_000 if LONG else 60


def event(n: int) -> Put:
    return Put(f"k{n % 7}", n)


def values(count: int) -> dict[str, int]:
    """Return what the first events make: the value of each key says which one was last."""
    return {f"k{n % 7}": n for n in range(count)}


def count_of(state: State) -> int:
    return max(state.values.values(), default=-1) + 1


def quiet(path: Path, **options: Any) -> penstock.Log[Any, State]:
    """Open a log, of which a line may be torn."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", penstock.LogWarning)
        return opened(path, event=Put, **options)


def work(path: Path, sync: bool, acknowledged: int) -> None:
    """Append, and do all else now and then, until somebody ends this."""
    with quiet(path, sync=sync) as log:
        n = count_of(log.state)
        while True:
            if n % 11 == 5:
                log.append_all(map(event, range(n, n + 5)))
                n += 5
            else:
                log.append(event(n))
                n += 1
            os.write(acknowledged, n.to_bytes(4, "big"))
            if n % 23 == 9:
                log.snapshot()
            if n % 37 == 4:
                log.seal()
            if n % 53 == 8:
                log.compact([Put(key, value) for key, value in log.state.values.items()])


def killed_after(path: Path, sync: bool, seconds: float) -> int:
    """Have a process work so long, kill it, and return how many events it had acknowledged."""
    readable, writable = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            work(path, sync, writable)
        except BaseException:  # noqa: BLE001 - it goes no further than this child
            traceback.print_exc()
        finally:
            os._exit(1)
    os.close(writable)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    said = bytearray()
    while chunk := os.read(readable, 1 << 16):
        said += chunk
    os.close(readable)
    assert os.waitpid(child, 0)[1] == signal.SIGKILL
    return int.from_bytes(said[-4:], "big")


@pytest.mark.thread_unsafe(reason="it forks")
@pytest.mark.timeout(900)
@pytest.mark.parametrize("sync", [False, True])
def test_killed_at_any_moment(tmp_path: Path, sync: bool) -> None:
    chance = random.Random(19)
    path, most = tmp_path / "state.ndjson", 0
    for _ in range(KILLS // 2):
        before = most
        acknowledged = max(before, killed_after(path, sync, chance.uniform(0, 0.03)))
        # Who only reads sees the same, torn line or not.
        with opened(path, event=Put, writable=False) if before else quiet(path) as log:
            assert log.state.values == values(count_of(log.state))
            read = count_of(log.state)
        with quiet(path) as log:
            most = count_of(log.state)
            assert log.state.values == values(most)
        # What was acknowledged is there, and perhaps what was being appended: at most five events.
        assert read == most
        assert acknowledged <= most <= acknowledged + 5
    assert most > KILLS // 4
