"""The arithmetic of `compare`: is one wheel slower than another, by more than chance?"""

from __future__ import annotations

import itertools
import random
import statistics
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ALLOWED = 3.0
"""Percent by which a row may be slower, beyond the spread."""

WITHIN = 0.9
"""How many of the comparisons of a wheel with itself lie within the spread."""

MOST_CHOICES = 4_096

LEGS = ("before", "again", "today")
"""The other commit's wheel, the same wheel again, and today's."""


def order(turn: int) -> tuple[str, ...]:
    """Return the order of a round. Each possible order is followed by its reverse."""
    # So a machine that becomes slower and slower favours no wheel.
    first, second, third = LEGS[turn // 2 % 3 :] + LEGS[: turn // 2 % 3]
    return (third, second, first) if turn % 2 else (first, second, third)


def ratio(before: Sequence[float], again: Sequence[float], today: Sequence[float]) -> float:
    """Return how long today's wheel takes, as a multiple of the other: the median of the rounds."""
    return statistics.median(
        2 * now / (one + other) for one, other, now in zip(before, again, today, strict=True)
    )


def spread(before: Sequence[float], again: Sequence[float]) -> float:
    """Return by how much a wheel differs from itself, as a part: 0.02 is two percent.

    In each round the same wheel was measured twice, and which of the two counts as the later one is
    arbitrary. So the median ratio is taken for every such choice, and the spread is the range that
    holds nine in ten of these medians.
    """
    ratios = [other / one for one, other in zip(before, again, strict=True)]
    apart = sorted(abs(statistics.median(chosen) - 1) for chosen in choices(ratios))
    return apart[min(len(apart) - 1, int(WITHIN * len(apart)))]


def choices(ratios: Sequence[float]) -> Iterator[list[float]]:
    """Yield the ratios, each or its inverse, in every combination; of very many, some."""
    if 2 ** len(ratios) <= MOST_CHOICES:
        for chosen in itertools.product(*((ratio, 1 / ratio) for ratio in ratios)):
            yield list(chosen)
        return
    chance = random.Random(len(ratios))
    for _ in range(MOST_CHOICES):
        yield [chance.choice((ratio, 1 / ratio)) for ratio in ratios]


def is_slower(times: float, apart: float, allowed: float = ALLOWED) -> bool:
    """Tell whether a ratio is above one by more than the spread and the allowed part."""
    return times > 1 + apart + allowed / 100
