"""How the tests show that work leaks nothing, and releases nothing too often.

The work runs again and again, in rounds. A leak grows in every round, by one block of memory or one
reference for each run at least. A cache, ours or the interpreter's, stops growing after a while, and what
other threads of the process make comes and goes: one round without growth shows that nothing is lost.
"""

import gc
import sys
from collections.abc import Callable

ROUNDS = 12


def measured(watched: tuple[object, ...]) -> list[int]:
    """The numbers of memory blocks, of objects, and of references to the watched objects."""
    for _ in range(2):
        gc.collect()
    counts = [sys.getrefcount(each) for each in watched]
    return [sys.getallocatedblocks(), len(gc.get_objects()), *counts]


def assert_nothing_left(
    work: Callable[[], object], watched: tuple[object, ...] = (), runs: int = 40
) -> None:
    """Fail if the work leaks, or releases a reference too many."""
    watched = (None, True, *watched)
    gc.collect()
    # What there is already needs no walk in each round.
    gc.freeze()
    try:
        before = measured(watched)
        changes: list[int] = []
        for _ in range(ROUNDS):
            for _ in range(runs):
                work()
            after = measured(watched)
            changes = [now - then for now, then in zip(after, before, strict=True)]
            if all(abs(change) < runs // 2 for change in changes):
                return
            before = after
    finally:
        gc.unfreeze()
    raise AssertionError(f"blocks, objects and references changed by {changes} in {runs} runs")
