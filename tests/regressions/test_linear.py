"""Work that grew with the square of the input: each by its number.

Each is measured at n, 2n and 4n. For four times the input, linear work takes four times as long and
quadratic work sixteen times. A test fails above a factor in between, for processor time, the best
of several.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from time import process_time
from typing import Any

import pytest

import penstock

Work = Callable[[], object]


def seconds(work: Work) -> float:
    best = float("inf")
    for _ in range(3):
        start = process_time()
        work()
        best = min(best, process_time() - start)
    return best


def assert_linear(make: Callable[[int], Work], n: int) -> None:
    """Assert that the work which `make` prepares for a size takes time in proportion to it."""
    times = [seconds(make(size)) for size in (n, 2 * n, 4 * n)]
    # A second measurement replaces a disturbed first one.
    if times[2] > 8 * times[0]:
        times = [seconds(make(size)) for size in (n, 2 * n, 4 * n)]
    assert times[2] < 9 * times[0], times


@dataclass
class Row:
    x: int
    y: str


def rows(n: int) -> bytes:
    return b"[" + b",".join(b'{"x": %d, "y": "%s"}' % (k, b"v" * 90) for k in range(n)) + b"]"


def scalars(n: int) -> bytes:
    return b"{" + b",".join(b'"k%d": %d' % (k, k) for k in range(n)) + b"}"


def integers(n: int) -> bytes:
    return b"[" + b",".join(b"7" * 50 for _ in range(n)) + b"]"


def refusals(parts: Any) -> list[str]:
    """Return the path of the problem of each part, as none of them is an integer."""
    problems = []
    for part in parts:
        with pytest.raises(penstock.ValidationError) as caught:
            part.to(int)
        problems.append(caught.value.path)
    return problems


OPENED: dict[str, tuple[Callable[[int], bytes], Callable[[bytes], object]]] = {
    "records": (rows, lambda data: list(penstock.open(data, Row))),
    "parts": (rows, lambda data: [part.to(Row) for part in penstock.open(data)]),
    "positions": (rows, lambda data: [part.column for part in penstock.open(data)]),
    "paths": (rows, lambda data: [part.path for part in penstock.open(data)]),
    "refusals": (rows, lambda data: refusals(penstock.open(data))),
    "large integers": (integers, lambda data: list(penstock.open(data))),
    "scalars of an object": (scalars, lambda data: list(penstock.open(data, int, at="*"))),
}


@pytest.mark.parametrize("walk", OPENED)
def test_160_the_parts_of_an_open_document(walk: str) -> None:
    """All text before a part was counted, or read, again for each part."""
    document, look = OPENED[walk]
    assert_linear(lambda n: partial(look, document(n)), 4_000)


def test_160_positions_in_any_order() -> None:
    """They are those that counting from the beginning gives, on both sides of a known count."""
    lines = ["[", *(f'"é{"x" * (n % 90)}", [{n}],' for n in range(4_000)), "[]]"]
    text = "\n".join(lines)
    with penstock.open(text.encode()) as document:
        parts = [part for part in document if isinstance(part, penstock.Document)]
        found = {part.path: (part.line, part.column) for part in [*parts[1::2], *parts[::2]]}
    expected = {f"{2 * n + 1}": (n + 2, 6 + n % 90) for n in range(4_000)}
    assert found == expected | {"8000": (4_002, 1)}
