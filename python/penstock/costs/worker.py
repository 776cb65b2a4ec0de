"""One of the processes that measure: `python -m penstock.costs.worker`.

It reads its task as JSON from standard input, and answers with JSON on standard output. Every
process has other addresses and caches and puts its objects elsewhere. So their differences show the
part of a time that is due to none of the operations.
"""

from __future__ import annotations

import gc
import json
import resource
import sys
import time
from random import Random
from typing import TYPE_CHECKING

from penstock.costs.given import Missing
from penstock.costs.operation import made
from penstock.costs.rows import LOOP, NATIVE_LOOP, PYTHON_LOOP, named

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from penstock.costs.operation import Operation
    from penstock.costs.rows import Row

MOST_TURNS = 1 << 40
"""More turns than any operation takes in a measurement; only an empty one reaches it."""

ENOUGH_ROUNDS = 40
"""Rounds after which more would show nothing new."""

FEWEST_ROUNDS = 5
"""Rounds for which there is always time; slow operations take part in one."""

LONG = 10
"""If it took so many times the time of a measurement, that was not only an interruption."""


# Not every system counts them for a thread.
_OURS = getattr(resource, "RUSAGE_THREAD", resource.RUSAGE_SELF)


def interruptions() -> int:
    """Return how often this thread had to give up the processor."""
    return resource.getrusage(_OURS).ru_nivcsw


def enough_turns(operation: Operation, epoch: int) -> int:
    """Return the turns, a power of two, that take at least `epoch` nanoseconds."""
    turns = 1
    while turns < MOST_TURNS:
        time = operation.time(turns)
        # If it took a little longer than that, it was perhaps interrupted.
        if time > LONG * epoch or (time > epoch and operation.time(turns) > epoch):
            break
        turns *= 2
    return turns


def doubled(
    operation: Operation, turns: int, larger_first: bool, interrupted: Callable[[], int]
) -> list[tuple[int, int, bool]]:
    """Time so many turns and twice as many: each the turns, the time, and if uninterrupted."""
    if turns > 1:
        # Since the last round, others have used the caches; slow operations fill their own.
        operation.time(turns)
    times = []
    for many in (2 * turns, turns) if larger_first else (turns, 2 * turns):
        before = interrupted()
        time = operation.time(many)
        times.append((many, time, interrupted() == before))
    return times


class Measured:
    """A row under measurement."""

    def __init__(self, operation: Operation) -> None:
        """Do it for the first time."""
        self.operation = operation
        self.first = operation.time(1)
        self.turns = 1
        self.times: list[tuple[int, int, bool]] = []

    def told(self) -> dict[str, object]:
        """Return the results, for the answer."""
        return {
            "per_turn": self.operation.per_turn,
            "turns": self.turns,
            "first": self.first,
            "times": self.times,
        }


def measured(
    operations: Mapping[str, Operation],
    epoch: int,
    until: float,
    random: Random,
    *,
    now: Callable[[], float] = time.monotonic,
    interrupted: Callable[[], int] = interruptions,
) -> dict[str, Measured]:
    """Measure each operation in turn, in a new order in each round, until the time is over.

    Slow operations take part in fewer rounds, so that all rows get about the same time.
    """
    found: dict[str, Measured] = {}
    for name, operation in operations.items():
        found[name] = Measured(operation)
    for row in found.values():
        row.turns = enough_turns(row.operation, epoch)
    # A measurement takes one to two epochs, and its double two to four.
    share = 6 * epoch
    spent = dict.fromkeys(found, 0)
    for turn in range(ENOUGH_ROUNDS):
        for name in random.sample(list(found), len(found)):
            if turn >= FEWEST_ROUNDS and now() >= until:
                return found
            if spent[name] > share * max(turn, FEWEST_ROUNDS):
                continue
            row = found[name]
            times = doubled(row.operation, row.turns, random.random() < 0.5, interrupted)
            row.times += times
            spent[name] += sum(time for _, time, _ in times)
    return found


def empty(operation: Operation) -> list[int]:
    """Return the first time of an empty operation: the clock and one turn of the loop."""
    return sorted(operation.time(1) for _ in range(51))


def answer(asked: Mapping[str, object], begun: float) -> dict[str, object]:
    """Measure the operations of a task."""
    names: list[str] = asked["rows"]  # type: ignore[assignment]
    epoch: int = asked["epoch"]  # type: ignore[assignment]
    seconds: float = asked["seconds"]  # type: ignore[assignment]
    seed: int = asked["seed"]  # type: ignore[assignment]
    loops = {f"{LOOP} native": made(NATIVE_LOOP), f"{LOOP} Python": made(PYTHON_LOOP)}
    empties = {name: empty(operation) for name, operation in loops.items()}
    operations: dict[str, Operation] = dict(loops)
    missing = {}
    for name in names:
        row: Row = named(name)
        try:
            operations[name] = made(row)
        except (Missing, OSError) as error:
            missing[name] = str(error)
    # The collector would run in some measurements and not in others.
    gc.disable()
    found = measured(operations, epoch, begun + seconds, Random(seed))  # noqa: S311 - an order
    return {
        "rows": {name: row.told() for name, row in found.items()},
        "empty": empties,
        "missing": missing,
    }


def main() -> None:
    """Read a task from standard input, and answer it."""
    begun = time.monotonic()
    json.dump(answer(json.load(sys.stdin), begun), sys.stdout)


if __name__ == "__main__":
    main()
