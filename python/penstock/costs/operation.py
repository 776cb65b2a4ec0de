"""A row, made ready to be done as often as asked, and timed.

A statement of Python becomes the body of a loop in a function of its own. What it is given stands
in parameters, so that its names are local, as they are where such a statement is usually written;
and so what it changes is as before when it is timed again.
"""

from __future__ import annotations

import textwrap
from itertools import repeat
from time import perf_counter_ns
from typing import TYPE_CHECKING, Protocol

from penstock import _rust
from penstock.costs.given import GIVEN

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.costs.given import Names
    from penstock.costs.rows import Row

_FUNCTION = """\
def time({parameters}):
    start = perf_counter_ns()
    for _ in repeat(None, turns):
{statement}
    return perf_counter_ns() - start
"""


class Operation(Protocol):
    """What can be done as often as asked."""

    @property
    def per_turn(self) -> int:
        """How often it is done in one turn of the loop."""
        ...

    def time(self, turns: int, /) -> int:
        """Take that many turns; return the nanoseconds that they took, with the loop."""
        ...


class Statement:
    """A statement of Python as an operation."""

    per_turn = 1

    def __init__(self, statement: str, given: str) -> None:
        """Make a function of it."""
        names = GIVEN[given]()
        used = [name for name in compile(statement, given, "exec").co_names if name in names]
        source = _FUNCTION.format(
            parameters=", ".join(["turns", *(f"{name}={name}" for name in used)]),
            statement=textwrap.indent(statement, " " * 8),
        )
        space: Names = {**names, "perf_counter_ns": perf_counter_ns, "repeat": repeat}
        exec(source, space)  # noqa: S102 - the statements stand in `rows`
        self.time: Callable[[int], int] = space["time"]


def made(row: Row) -> Operation:
    """Return the operation of a row.

    Raises:
        Missing: What it needs is not on this machine.
    """
    if row.statement:
        return Statement(row.statement, row.given)
    return _rust.Operation(row.name)
