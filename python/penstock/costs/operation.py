"""A row that can be run as often as needed, and timed.

A statement of Python becomes the body of a loop in a function of its own. Its names are parameters,
so they are local, as in most code with such a statement. And whatever the statement changes is as
before when it is timed again.
"""

from __future__ import annotations

import textwrap
from itertools import repeat
from time import perf_counter_ns
from typing import TYPE_CHECKING, Protocol

import penstock._rust as _rust
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
    """An operation that can be run as often as needed."""

    @property
    def per_turn(self) -> int:
        """How often one turn of the loop does it."""
        ...

    def time(self, turns: int, /) -> int:
        """Run that many turns; return their nanoseconds, with the loop."""
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
        Missing: This machine does not have what it needs.
    """
    if row.statement:
        return Statement(row.statement, row.given)
    return _rust.Operation(row.name)
